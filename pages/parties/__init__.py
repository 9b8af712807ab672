"""Learn from many parties by votes and averages."""
