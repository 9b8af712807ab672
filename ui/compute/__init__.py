"""Decide which task runs when."""
