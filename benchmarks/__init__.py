"""Benchmarks of speed, memory and latency, each next to a comparison in the same run.

A package, because Opacus installs a package of the same name, which would be found first.
"""
