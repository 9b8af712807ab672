"""Bound, noise, count and audit privacy: the engine, which knows no page and no browser.

It needs numpy, scipy and scikit-learn, and imports nothing of the user interface.
"""

__version__ = "0.3.0"
