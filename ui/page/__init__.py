"""Define a page as a value, with its view and its comparison with pinned settings."""
