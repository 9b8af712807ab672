"""Base classes of the private estimators."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from dpcore.training import losses


class PrivateClassifier(ClassifierMixin, BaseEstimator):
    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the class probabilities (n, K) of rows ``X``."""
        return losses.probabilities(self._logits(X)).T


class PrivateRegressor(RegressorMixin, BaseEstimator):
    def __sklearn_tags__(self):
        """Return tags that allow a poor score, because data may exceed the declared bounds."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
