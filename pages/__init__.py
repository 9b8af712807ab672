"""Define the pages, one folder a topic."""
