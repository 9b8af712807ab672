"""Explain terms, published works, releases in use and the choice of settings."""
