"""Find who was among the training rows."""
