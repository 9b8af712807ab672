"""Open the lab with its first experiment."""
