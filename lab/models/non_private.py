"""Non-private baselines."""

import numpy as np
from sklearn.linear_model import Lasso, LogisticRegression

# Logit of a class without rows: its predicted probability is 0 to the last bit.
_NEVER = -1000.0


def optimum(
    X: np.ndarray, y: np.ndarray, *, n_classes: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Return the weights (k, d + 1) of non-private logistic regression, intercept last: the limit
    of noiseless descent.

    Minimises sum_i loss_i + ||w||^2 / (2 * 10^4). The regularisation is so small that it matters
    only for separable rows, which have no optimum without it. A class without rows is never
    predicted; rows without a class (-1) are ignored. weights: weight of each row (n,); None: 1.
    """
    known = y >= 0
    X, y, weights = X[known], y[known], None if weights is None else weights[known]
    if len(found := np.unique(y)) < 2:
        return _constant(int(found[0]) if len(found) else 0, n_classes, X.shape[1] + 1)
    model = LogisticRegression(C=1e4, max_iter=5000, tol=1e-6, solver="newton-cg").fit(
        X, y, sample_weight=weights
    )
    found = np.column_stack([model.coef_, model.intercept_])
    if len(model.classes_) == n_classes:
        return found
    best = np.zeros((n_classes, found.shape[1]))
    best[:, -1] = _NEVER
    # Two classes have one logit, that of the second over the first
    best[model.classes_] = found if len(found) > 1 else [np.zeros_like(found[0]), found[0]]
    return best


def _constant(answer: int, n_classes: int, inputs: int) -> np.ndarray:
    """Return weights of a constant prediction."""
    weights = np.zeros((1 if n_classes == 2 else n_classes, inputs))
    weights[:, -1] = _NEVER
    weights[0 if n_classes == 2 else answer, -1] = -_NEVER if n_classes > 2 or answer else _NEVER
    return weights


def penalised_least_squares(
    X: np.ndarray, y: np.ndarray, *, penalty: float = 0.0, q: str = "1"
) -> np.ndarray:
    """Return the minimiser (d,) of (1/n) sum (y - x.w)^2 + penalty ||w||_1, or penalty ||w||^2 for
    q = "2".
    """
    if not penalty:
        return np.linalg.lstsq(X, y, rcond=None)[0]
    if q == "2":
        return np.linalg.solve(X.T @ X + len(X) * penalty * np.eye(X.shape[1]), X.T @ y)
    # Lasso's squared error is halved
    return Lasso(alpha=penalty / 2, fit_intercept=False, tol=1e-6, max_iter=10_000).fit(X, y).coef_
