"""Define what is chosen, computed and linked."""
