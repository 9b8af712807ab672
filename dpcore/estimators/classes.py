"""The classes of a private classifier: declared by the caller, or taken from the labels and then assumed public."""

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from dpcore import check

READ_OFF = "the set of classes is public: it was read off y, as classes were not declared"


def validated(estimator: Any, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (X (n, d), class number of each row (n,)) according to ``estimator.classes``; set ``estimator.classes_``.

    With declared classes no labels are refused, because a refusal would reveal a row: a label outside the classes
    becomes -1, for a row that is ignored, and a class may have no rows. Without them the classes are those of y, and
    ValueError is raised if there is only one.
    """
    if estimator.classes is None:
        X, y = validate_data(estimator, X, y, dtype=np.float64)
        check_classification_targets(y)
        estimator.classes_, labels = np.unique(y, return_inverse=True)
        if len(estimator.classes_) < 2:
            raise ValueError(f"y has one class, {estimator.classes_[0]!r}, but at least two are needed; see classes")
        return X, labels
    estimator.classes_ = declared(estimator.classes)
    X = validate_data(estimator, X, dtype=np.float64)
    y = column_or_1d(np.asarray(y, dtype=object), warn=True)
    check_consistent_length(X, y)
    place = {name: number for number, name in enumerate(estimator.classes_.tolist())}
    return X, np.array([place.get(label, -1) for label in y])


def declared(classes: Any) -> np.ndarray:
    """Return the sorted classes (K,); raise RefusedError unless they are two or more different values of one type."""
    try:
        found = np.array(sorted(set(classes)))
    except TypeError:  # not a collection, or values without an order
        found = np.array([])
    named = isinstance(classes, str) or found.dtype.kind not in "biufUS" or found.ndim != 1
    if named or len(found) < 2 or len(found) != len(list(classes)) or (found != found).any():
        raise check.RefusedError("classes", classes, "two or more different numbers, or two or more different words")
    return found


def assumed(classes: Any) -> tuple[str, ...]:
    """Return the assumption behind a guarantee if ``classes`` were not declared."""
    return (READ_OFF,) if classes is None else ()
