"""Guess, see, and say why."""
