"""Bound, noise, count and audit privacy: the engine, which knows no page and no browser.

It needs numpy, scipy, scikit-learn, dp-accounting and threadpoolctl.
"""

__version__ = "0.3.0"
