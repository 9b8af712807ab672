"""What the private estimators have in common, beside scikit-learn's own bases."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from dpcore.training import losses


class PrivateClassifier(ClassifierMixin, BaseEstimator):
    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities (n, K)."""
        return losses.probabilities(self._logits(X)).T


class PrivateRegressor(RegressorMixin, BaseEstimator):
    def __sklearn_tags__(self):
        """A good score is not promised on data for which the bounds were not declared."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
