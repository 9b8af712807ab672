"""Private learners as scikit-learn estimators, and the non-private ones that they are compared with."""
