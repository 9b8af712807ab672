"""Speed and latency beside others.

A package, because Opacus installs one of the same name, which would be found first.
"""
