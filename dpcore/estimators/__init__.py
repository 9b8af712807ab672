"""scikit-learn estimators that carry their privacy guarantee."""
