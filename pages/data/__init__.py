"""Declare the columns of a visitor's own table."""
