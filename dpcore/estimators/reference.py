"""Non-private references."""

import numpy as np
from sklearn.linear_model import LogisticRegression


def optimum(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights (k, d + 1) of the logistic regression that all descents approach without noise, last the intercept.

    Minimises sum_i loss_i + ||w||^2 / (2 * 10^4): so little regularisation that it is felt only on separable rows,
    which have no optimum without it.
    """
    model = LogisticRegression(C=1e4, max_iter=5000, tol=1e-8).fit(X, y)
    return np.column_stack([model.coef_, model.intercept_])
