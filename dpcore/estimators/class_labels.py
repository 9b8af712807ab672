"""The classes of a private classifier: declared by the caller, or taken from the labels and then
assumed public.
"""

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from dpcore import check

READ_OFF = "the set of classes is public: it was read off y, as classes were not declared"


def validated(estimator: Any, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (X (n, d), class number of each row (n,)) according to ``estimator.classes``; set
    ``estimator.classes_``.

    With declared classes no single label is refused, because a refusal would reveal a row: a label
    outside the classes becomes -1, for a row that is ignored, and a class may have no rows. The
    type of y is public, and RefusedError is raised if no value of that type can be a class. Without
    declared classes they are those of y, and ValueError is raised if there is only one.
    """
    if estimator.classes is None:
        X, y = validate_data(estimator, X, y, dtype=np.float64)
        check_classification_targets(y)
        estimator.classes_, labels = np.unique(y, return_inverse=True)
        if len(estimator.classes_) < 2:
            raise ValueError(
                f"y has one class, {estimator.classes_[0]!r}, but at least two are needed; see"
                " classes"
            )
        return X, labels
    estimator.classes_ = declared(estimator.classes)
    X = validate_data(estimator, X, dtype=np.float64)
    _refuse_other_types(y, estimator.classes_)
    y = column_or_1d(np.asarray(y, dtype=object), warn=True)
    check_consistent_length(X, y)
    place = {name: number for number, name in enumerate(estimator.classes_.tolist())}
    return X, np.array([place.get(label, -1) for label in y])


# Kind of a numpy dtype -> kind of values, of which two never equal each other.
_KINDS = {
    "b": "numbers",
    "i": "numbers",
    "u": "numbers",
    "f": "numbers",
    "U": "words",
    "T": "words",
    "S": "bytes",
    "M": "dates",
    "m": "durations",
}


def _refuse_other_types(y: Any, classes: np.ndarray) -> None:
    """Raise RefusedError if the type of ``y`` has no value that can equal one of ``classes``."""
    found = _kind(y)
    wanted = _KINDS[classes.dtype.kind]
    if found is not None and found != wanted:
        raise check.RefusedError("classes", classes.tolist(), f"{found}, as y holds {found}")


def _kind(y: Any) -> str | None:
    """Return the kind of values that the type of ``y`` can hold, or None if it can hold any."""
    dtype = getattr(y, "dtype", None)
    if dtype is None:
        return _kind_of_all(y)
    # The values of a categorical column are those of its categories, which are part of its type.
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        return _kind_of_all(categories)
    if isinstance(dtype, np.dtype):
        return _KINDS.get(dtype.kind)
    if getattr(dtype, "kind", None) in ("b", "i", "u", "f"):  # a pandas type with missing values
        return "numbers"
    if getattr(dtype, "type", None) is str:
        return "words"
    return None


def _kind_of_all(values: Any) -> str | None:
    """Return the kind that all ``values`` have, or None if they have several."""
    kinds = set()
    for value in np.asarray(values, dtype=object).ravel():
        kinds.add(_KINDS.get(np.asarray(value).dtype.kind))
    if len(kinds) == 1:
        return kinds.pop()
    return None


def declared(classes: Any) -> np.ndarray:
    """Return the sorted classes (K,); raise RefusedError unless they are two or more different
    values of one type.
    """
    try:
        found = np.array(sorted(set(classes)))
    except TypeError:  # not a collection, or values without an order
        found = np.array([])
    named = isinstance(classes, str) or found.dtype.kind not in "biufUS" or found.ndim != 1
    if named or len(found) < 2 or len(found) != len(list(classes)) or (found != found).any():
        raise check.RefusedError(
            "classes", classes, "two or more different numbers, or two or more different words"
        )
    return found


def assumed(classes: Any) -> tuple[str, ...]:
    """Return the assumption behind a guarantee if ``classes`` were not declared."""
    return (READ_OFF,) if classes is None else ()
