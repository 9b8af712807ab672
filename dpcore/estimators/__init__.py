"""scikit-learn estimators that carry their guarantee."""
