"""Base classes of the private estimators."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from dpcore.training import losses


class PrivateClassifier(ClassifierMixin, BaseEstimator):
    """Has ``classes_`` (K,) and ``_logits``: rows X -> (k, n), one logit for two classes, or one
    per class.
    """

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return signed scores (n,) for two classes, logits (n, K) for more."""
        z = self._logits(X)
        if len(self.classes_) > 2:
            return z.T
        return z[0] if len(z) == 1 else z[1] - z[0]

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the predicted class of each row (n,)."""
        best = losses.chosen(self._logits(X))
        return self.classes_[best]

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the class probabilities (n, K) of rows ``X``."""
        return losses.probabilities(self._logits(X)).T


class PrivateRegressor(RegressorMixin, BaseEstimator):
    def __sklearn_tags__(self):
        """Return tags that allow a poor score, because data may exceed the declared bounds."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
