"""Compare accountants, and count what a search costs."""
