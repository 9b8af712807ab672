"""Learn across parties, each with its own rows."""
