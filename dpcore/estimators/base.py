"""Base classes of the private estimators, their classes and their noise seeds.

Whatever a fit takes from the caller beyond its rows adds an assumption to its guarantee: classes
that were read from the labels must be public, and a fixed random state must stay secret.
"""

import secrets
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from dpcore import check
from dpcore.cache import Secret
from dpcore.normal_form import normal_form
from dpcore.training import losses

PUBLIC_CLASSES = "the set of classes is public: it was read off y, as classes were not declared"
SECRET_SEED = "random_state stays secret: who knows it can compute the noise and subtract it"

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
# Kinds of a numpy dtype whose values can be declared as classes.
_KINDS_OF_CLASSES = "biufUS"


class PrivateClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers.

    A subclass has the parameters ``classes`` and ``random_state`` and a method ``_logits``, which
    maps rows (n, d) to logits (k, n): one for two classes, or one per class.
    """

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return signed scores (n,) for two classes, or logits (n, K) for more."""
        logits = self._logits(X)
        if len(self.classes_) > 2:
            return logits.T
        if len(logits) == 1:
            return logits[0]
        return logits[1] - logits[0]

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the predicted class of each row, (n,)."""
        class_numbers = losses.likeliest(self._logits(X))
        return self.classes_[class_numbers]

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the probability of each class for each row, (n, K)."""
        return losses.probabilities(self._logits(X)).T

    def _validated(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Check training rows and set ``classes_``.

        With declared classes no single label is refused, because a refusal would reveal a row. A
        label outside the classes becomes -1, for a row that is ignored, and a class may have no
        rows. The type of y is public. A label that equals no class belongs to the class of which it
        is a spelling (see ``normal_form``), unless two classes are spellings of one name. Without
        declared classes they are those of y.

        Returns:
            X (n, d), and the class number of each row, (n,).

        Raises:
            RefusedError: If the type of y has no value that can equal a declared class.
            ValueError: If no classes are declared and y has only one.
        """
        if self.classes is None:
            return self._validated_with_classes_of_labels(X, y)
        self.classes_ = checked_classes(self.classes)
        X = validate_data(self, X, dtype=np.float64)
        _refuse_other_kinds(y, self.classes_)
        labels = column_or_1d(np.asarray(y, dtype=object), warn=True)
        check_consistent_length(X, labels)
        return X, _class_numbers(labels, self.classes_)

    def _validated_with_classes_of_labels(
        self, X: np.ndarray, y: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return (inputs, class numbers from 0), with the classes that occur in ``y``."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, class_numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class, {self.classes_[0]!r}, but at least two are needed; see classes"
            )
        return X, class_numbers

    def _assumptions(self) -> tuple[str, ...]:
        """Return the assumptions that the parameters add to the guarantee."""
        if self.classes is None:
            return (PUBLIC_CLASSES, *seed_assumption(self.random_state))
        return seed_assumption(self.random_state)


class PrivateRegressor(RegressorMixin, BaseEstimator):
    """Base of the regressions."""

    def __sklearn_tags__(self):
        """Return tags that allow a poor score, because data may exceed the declared bounds."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


# --- Classes --------------------------------------------------------------------------------------


def checked_classes(classes: Any) -> np.ndarray:
    """Return the declared classes, sorted, (K,).

    Raises:
        RefusedError: Unless they are two or more different values of one type.
    """
    allowed = "two or more different numbers, or two or more different words"
    if isinstance(classes, str):
        raise check.RefusedError("classes", classes, allowed)
    try:
        array = np.array(sorted(set(classes)))
    except TypeError:
        # Not a collection, or its values have no order.
        raise check.RefusedError("classes", classes, allowed) from None
    if array.ndim != 1 or array.dtype.kind not in _KINDS_OF_CLASSES:
        raise check.RefusedError("classes", classes, allowed)
    if len(array) < 2 or len(array) != len(list(classes)):
        raise check.RefusedError("classes", classes, allowed)
    has_nan = (array != array).any()
    if has_nan:
        raise check.RefusedError("classes", classes, allowed)
    return array


def _class_numbers(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the number of each label's class (n,), -1 for a label outside the classes.

    A label belongs to the class that it equals, or else to the one of which it is another spelling,
    as " YES" of "yes" (``normal_form``). If two classes are spellings of one name, only equal
    labels belong to any.
    """
    # Of the classes, and of each label once its class is found.
    number_of_label: dict[Any, int] = {}
    number_of_name: dict[str, int] = {}
    for number, class_ in enumerate(classes.tolist()):
        number_of_label[class_] = number
        number_of_name[_name(class_)] = number
    if len(number_of_name) < len(classes):
        number_of_name = {}
    # "" stands for all that has no name, such as NaN and blanks, which is no common spelling.
    number_of_name.pop("", None)
    numbers = np.empty(len(labels), dtype=int)
    for row, label in enumerate(labels):
        if label not in number_of_label:
            number_of_label[label] = number_of_name.get(_name(label), -1)
        numbers[row] = number_of_label[label]
    return numbers


def _name(label: Any) -> str:
    """Return the normal form of a word or number; "" for anything else, such as NaN."""
    if isinstance(label, str):
        return normal_form(label)
    is_number = isinstance(label, (bool, int, float, np.bool_, np.number))
    if is_number and label == label:
        return normal_form(str(label))
    return ""


def _refuse_other_kinds(y: Any, classes: np.ndarray) -> None:
    """Raise RefusedError if the type of ``y`` has no value that can equal one of ``classes``."""
    kind_of_labels = _kind(y)
    kind_of_classes = _KINDS[classes.dtype.kind]
    if kind_of_labels not in (None, kind_of_classes):
        raise check.RefusedError(
            "classes", classes.tolist(), f"{kind_of_labels}, as y holds {kind_of_labels}"
        )


def _kind(y: Any) -> str | None:
    """Return the kind of values that the type of ``y`` can hold, or None if it can hold any."""
    dtype = getattr(y, "dtype", None)
    if dtype is None:
        return _common_kind(y)
    # The values of a categorical column are those of its categories, which are part of its type.
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        return _common_kind(categories)
    if isinstance(dtype, np.dtype):
        return _KINDS.get(dtype.kind)
    # A pandas type with missing values.
    if getattr(dtype, "kind", None) in ("b", "i", "u", "f"):
        return "numbers"
    if getattr(dtype, "type", None) is str:
        return "words"
    return None


def _common_kind(values: Any) -> str | None:
    """Return the kind that all ``values`` have, or None if they have several."""
    kinds = set()
    for value in np.asarray(values, dtype=object).ravel():
        kinds.add(_KINDS.get(np.asarray(value).dtype.kind))
    if len(kinds) == 1:
        return kinds.pop()
    return None


# --- Seeds ----------------------------------------------------------------------------------------


def noise_seed(random_state: Any) -> Secret:
    """Return a 128-bit seed of the noise.

    It is a ``Secret``, so that neither the seed nor its noise is cached.

    Args:
        random_state: None for a seed from the operating system, never from numpy's global
            generator, which any other code can seed. A seed is derived from anything else.

    Raises:
        RefusedError: For that global generator, and for a value that cannot seed a generator.
    """
    if random_state is None:
        return Secret(secrets.randbits(128))
    allowed = "None, a whole number from 0 to 2^32 - 1, or a numpy RandomState"
    if isinstance(random_state, bool):
        raise check.RefusedError("random_state", random_state, allowed)
    try:
        generator = check_random_state(random_state)
    except (ValueError, OverflowError):
        raise check.RefusedError("random_state", random_state, allowed) from None
    if generator is check_random_state(None):
        raise check.RefusedError("random_state", random_state, f"{allowed}, but not the global one")
    return Secret.from_bytes(generator.bytes(16), "little")


def seed_assumption(random_state: Any) -> tuple[str, ...]:
    """Return the assumption that a fixed ``random_state`` adds to a guarantee, if it is fixed."""
    if random_state is None:
        return ()
    return (SECRET_SEED,)
