"""Show pages in a browser."""
