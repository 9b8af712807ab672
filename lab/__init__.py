"""Run experiments without a browser."""
