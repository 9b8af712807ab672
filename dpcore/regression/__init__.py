"""Private linear regression from noisy statistics, objectives and answers."""
