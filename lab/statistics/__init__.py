"""Decide what repeats allow to be claimed."""
