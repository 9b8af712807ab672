"""Bound epsilon from below by attacks and audits."""
