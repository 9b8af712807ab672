"""Intervals, differences and claims that the repeats of an experiment allow."""
