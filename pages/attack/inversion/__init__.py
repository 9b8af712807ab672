"""Reconstruct records from released weights."""
