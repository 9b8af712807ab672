"""Offer private learners as scikit-learn estimators that carry their guarantee."""
