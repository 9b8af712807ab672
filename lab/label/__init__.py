"""Describe a release for others."""
