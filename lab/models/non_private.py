"""Models without privacy, to which pages compare the private ones."""

import numpy as np
from sklearn.linear_model import Lasso, LogisticRegression

from dpcore.training import losses

# Logit of a class without rows: its predicted probability is 0 to the last bit.
_NEVER = -1000.0
# scikit-learn's inverse of a regularisation so small that it matters only for separable rows.
_INVERSE_REGULARISATION = 1e4


def optimum(
    X: np.ndarray, y: np.ndarray, *, n_classes: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Return the weights of non-private logistic regression, the limit of noiseless descent.

    They minimise sum_i loss_i + ||w||^2 / (2 * 10^4). The regularisation is so small that it
    matters only for separable rows, which have no optimum without it. A class without rows is never
    predicted.

    Args:
        X: Features, (n, d).
        y: Classes from 0, (n,). Rows without a class (-1) are ignored.
        n_classes: Number of classes K.
        weights: Weight of each row, (n,). None: 1.

    Returns:
        Weights (k, d + 1), the intercept last, with k = 1 for two classes and else K.
    """
    has_class = y >= 0
    X = X[has_class]
    y = y[has_class]
    if weights is not None:
        weights = weights[has_class]
    present_classes = np.unique(y)
    if len(present_classes) == 0:
        return _constant_prediction(0, n_classes, X.shape[1] + 1)
    if len(present_classes) == 1:
        return _constant_prediction(int(present_classes[0]), n_classes, X.shape[1] + 1)

    model = LogisticRegression(
        C=_INVERSE_REGULARISATION, max_iter=5000, tol=1e-6, solver="newton-cg"
    )
    model.fit(X, y, sample_weight=weights)
    coefficients = np.column_stack([model.coef_, model.intercept_])
    if len(present_classes) == n_classes:
        return coefficients
    if len(present_classes) == 2:
        # The only logit is that of the second class over the first.
        coefficients = np.stack([np.zeros_like(coefficients[0]), coefficients[0]])
    with_absent_classes = np.zeros((n_classes, X.shape[1] + 1))
    with_absent_classes[:, -1] = _NEVER
    with_absent_classes[present_classes] = coefficients
    return with_absent_classes


def _constant_prediction(label: int, n_classes: int, inputs: int) -> np.ndarray:
    """Return weights (k, inputs) that always predict the class ``label``."""
    weights = np.zeros((losses.outputs(n_classes), inputs))
    weights[:, -1] = _NEVER
    if n_classes > 2:
        weights[label, -1] = -_NEVER
    elif label == 1:
        # The only logit is that of class 1 over class 0.
        weights[0, -1] = -_NEVER
    return weights


def penalised_least_squares(
    X: np.ndarray, y: np.ndarray, *, penalty: float = 0.0, q: str = "1"
) -> np.ndarray:
    """Return the minimiser (d,) of (1/n) sum (y - x.w)^2 and a penalty.

    Args:
        X: Features, (n, d).
        y: Labels, (n,).
        penalty: Weight of the penalty.
        q: "1" for the penalty ||w||_1, "2" for ||w||^2.
    """
    if penalty == 0:
        weights, *_ = np.linalg.lstsq(X, y, rcond=None)
        return weights
    if q == "2":
        rows, dimension = X.shape
        return np.linalg.solve(X.T @ X + rows * penalty * np.eye(dimension), X.T @ y)
    # Lasso's squared error is halved.
    model = Lasso(alpha=penalty / 2, fit_intercept=False, tol=1e-6, max_iter=10_000)
    return model.fit(X, y).coef_
