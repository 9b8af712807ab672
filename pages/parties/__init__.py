"""Learn from many parties by votes, averages and federated averaging."""
