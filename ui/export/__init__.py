"""Make what visitors take away."""
