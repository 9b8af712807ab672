"""Measure many settings of a topic: sweeps along a parameter, searches, and their cost."""
