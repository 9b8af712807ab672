"""A room a topic."""
