"""Which classes there are: declared by the caller, or read off the labels and from then on taken as public."""

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from dpcore import check

READ_OFF = "the set of classes is public: it was read off y, as classes were not declared"


def validated(estimator: Any, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(X (n, d), label of each row (n,) from 0) as ``estimator.classes`` says, which sets ``estimator.classes_``.

    With classes declared, no set of labels is refused, as that would tell of a row: one that is not among them becomes
    -1, for a row that counts for nothing, and a class may have no rows. Otherwise the classes are those of y, and there
    must be two: raises ValueError.
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
    """The classes (K,), in order; raises RefusedError unless they are two or more different values of one kind."""
    try:
        found = np.array(sorted(set(classes)))
    except TypeError:  # no collection, or values that have no order among them
        found = np.array([])
    named = isinstance(classes, str) or found.dtype.kind not in "biufUS" or found.ndim != 1
    if named or len(found) < 2 or len(found) != len(list(classes)) or (found != found).any():
        raise check.RefusedError("classes", classes, "two or more different numbers, or two or more different words")
    return found


def assumed(classes: Any) -> tuple[str, ...]:
    """What a guarantee rests on where classes were declared, or were not."""
    return (READ_OFF,) if classes is None else ()
