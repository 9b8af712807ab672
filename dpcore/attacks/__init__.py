"""Attacks and audits that bound epsilon from below."""
