"""Data sets, their splits and their public bounds."""
