"""Settings: what may be chosen, in which ranges, and with which guarantee.

Settings are frozen. They are the key of the cache, the link, the message of a slider and the
parameter of a test. What they compute is written in another class, their experiment
(``lab.experiment.experiment``).
"""

import math
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from dpcore import check
from dpcore.cache import Key
from dpcore.privacy import Guarantee

Value = TypeVar("Value")
# Levels of the quantiles that summarise repeats: the ends of the 90 % range, and the median.
QUANTILES = (0.05, 0.5, 0.95)


class Task(Hashable, Protocol):
    """A piece of work that is its own key in the cache.

    essential: whether nothing can be shown before it is done.
    """

    @property
    def essential(self) -> bool: ...

    def run(self) -> Any: ...


class Measure(NamedTuple):
    """A number that rates each repeat of an experiment.

    label: its name in words.
    better: whether higher or lower values are better.
    read: function of the outcome of a sample's task (``Experiment.sample``) that returns (R,).
    share: whether it is the accuracy of a model.
    rises, falls: the fields along which its expectation improves, and worsens, whatever the other
        fields are. Along a field in neither it may do both.
    unit: "%" for a share of 1, "nats", or "" without a unit or in the unit of the data.
    limits: its lowest and highest possible value.
    """

    label: str
    better: Literal["higher", "lower"]
    read: Callable[[Any], np.ndarray]
    share: bool = False
    rises: tuple[str, ...] = ()
    falls: tuple[str, ...] = ()
    unit: str = ""
    limits: tuple[float, float] = (0.0, math.inf)

    @classmethod
    def accuracy(
        cls,
        label: str,
        read: Callable[[Any], np.ndarray],
        *,
        rises: tuple[str, ...] = (),
    ) -> Self:
        """Return the measure of a model's accuracy."""
        return cls(label, "higher", read, share=True, rises=rises, unit="%", limits=(0.0, 1.0))


class Spread(NamedTuple):
    """The 5 %, 50 % and 95 % quantiles of the repeats."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: np.ndarray) -> Self:
        """Return the 5 %, 50 % and 95 % quantiles of ``values`` (R,)."""
        return cls(*quantiles_of(np.ravel(values)).tolist())


def quantiles_of(values: np.ndarray, *, axis: int = -1) -> np.ndarray:
    """Return the ``QUANTILES`` of ``values`` along an axis, (3, ...).

    They equal those of ``np.quantile`` to the last bit, and take a quarter of its time.
    """
    ordered = np.moveaxis(np.sort(values, axis=axis), axis, 0)
    position = np.array(QUANTILES) * (len(ordered) - 1)
    index = position.astype(int)
    fraction = (position - index).reshape(-1, *[1] * (ordered.ndim - 1))
    low = ordered.take(index, axis=0)
    high = ordered.take(index + 1, axis=0, mode="clip")
    step = high - low
    from_low = low + step * fraction
    from_high = high - step * (1 - fraction)
    quantiles = np.where(fraction < 0.5, from_low, from_high)
    unknown = np.isnan(ordered[-1])  # NaN is sorted to the end
    if unknown.any():
        return np.where(unknown, np.nan, quantiles)
    return quantiles


def in_range(
    settings: "Settings",
    changes: Mapping[str, Any],
    *,
    starts: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return ``changes`` and the further changes that bring all other fields into their ranges.

    A field goes to the nearest value of its range, or to its first choice.

    starts: new values of other fields, which are brought into range too.
    """
    moved = {**starts, **changes}
    draft = object.__new__(type(settings))
    for field in fields(settings):
        draft.__dict__[field.name] = getattr(settings, field.name)
    draft.__dict__.update(moved)

    for name in draft.choices:
        if name in changes:
            continue
        # A choice may depend on one that has just been moved.
        allowed = draft.choices[name]
        if getattr(draft, name) not in allowed:
            moved[name] = next(iter(allowed))
            draft.__dict__[name] = moved[name]

    for field in fields(settings):
        if field.name in changes or field.name not in draft.limits:
            continue
        low, high = draft.limits[field.name]
        value = getattr(draft, field.name)
        if not low <= value <= high:
            moved[field.name] = min(max(value, low), high)
            draft.__dict__[field.name] = moved[field.name]
    return moved


@dataclass(frozen=True, kw_only=True)
class Settings(Key):
    """Base of the settings of a topic: frozen dataclasses whose fields all have a default.

    Raises RefusedError, with the name of the field, if a value is not allowed.

    EXPERIMENT: the class of their experiment, or a function that makes it from settings, as
        "module.name". It is a name, because that module imports the one of the settings.
    CHOICES: the allowed values of fields.
    LIMITS: the lowest and the highest value of fields; whole numbers if the lowest is one.
    TUNED: range of each field that one would tune. The ranges are public knowledge, and are
        searched on a logarithmic scale.
    PEOPLE: the field with the number of people, or "".
    STATED: fields that are shown even if they can have one value only.
    """

    EXPERIMENT: ClassVar[str]
    CHOICES: ClassVar[Mapping[str, Collection[str]]] = MappingProxyType({})
    LIMITS: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType({})
    TUNED: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType({})
    STATED: ClassVar[Collection[str]] = ()
    PEOPLE: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for name, options in self.choices.items():
            check.choice(options, **{name: getattr(self, name)})
        for name, (low, high) in self.limits.items():
            value = getattr(self, name)
            if isinstance(low, int):
                check.whole(low, int(high), **{name: value})
            else:
                check.between(low, high, **{name: value})

    @cached_property
    def experiment(self) -> Any:
        """Return the experiment with these settings, an ``Experiment``."""
        return resolve_name(self.EXPERIMENT)(self)

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """Return the allowed values of fields, which may depend on the other settings."""
        return self.CHOICES

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the range of fields, which may depend on the other settings."""
        return self.LIMITS

    @property
    def tuned(self) -> Mapping[str, tuple[float, float]]:
        """Return the ranges to search, within ``limits``, of the fields that change anything."""
        ranges = {}
        for name, (low, high) in self.TUNED.items():
            lowest, highest = self.limits[name]
            ranges[name] = (min(max(low, lowest), highest), max(min(high, highest), lowest))
        return ranges

    @property
    def void(self) -> str:
        """Return why nothing is guaranteed, whatever epsilon is, or ""."""
        return ""

    @property
    def uses_file(self) -> bool:
        """Return whether the rows are of a visitor's file; False unless a subclass allows files.

        Such rows are not drawn, are in no link, and are deleted with the session.
        """
        return False

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of one run, or None if there is none."""
        return None

    @property
    def made_up(self) -> Self | None:
        """Return these settings with made-up rows in place of private ones, or None."""
        return None

    @property
    def common_variance(self) -> float:
        """Return the variance that results of different seeds have in common, over that of one.

        It is 0 if each seed draws rows of its own. Otherwise splits by different seeds divide the
        same file and have rows in common; it is about n_test / n_train then.
        """
        return 0.0

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``, and dependent fields brought into range."""
        return replace(self, **changes)

    def subset(self, kind: type[Value], /, **others: Any) -> Value:
        """Return a dataclass with the values ``others``, and these settings' values elsewhere."""
        values = dict(others)
        for field in fields(kind):  # type: ignore[arg-type]  # a dataclass
            if field.name not in others and hasattr(self, field.name):
                values[field.name] = getattr(self, field.name)
        return kind(**values)
