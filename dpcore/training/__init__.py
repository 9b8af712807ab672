"""Train batches of private models."""
