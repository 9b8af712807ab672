"""Uploaded files: reading, column roles, and handles that give no access to strangers."""
