"""What the private estimators have in common, beside scikit-learn's own base classes."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from dpcore.training import losses


class PrivateClassifier(ClassifierMixin, BaseEstimator):
    """Probabilities from ``_logits`` (K, n), or (1, n) for two classes."""

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities (n, K)."""
        return losses.probabilities(self._logits(X)).T


class PrivateRegressor(RegressorMixin, BaseEstimator):
    """A good score on small data, for which its bounds were not declared, is not promised."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
