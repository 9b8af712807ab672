"""Reconstruct a table from many answers."""
