"""Transfer regressions by a noisy Frank-Wolfe method."""
