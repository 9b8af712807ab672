"""Train private classifiers with and without public pre-training."""
