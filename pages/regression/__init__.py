"""Fit private linear regressions."""
