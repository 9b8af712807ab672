"""The base of all experiments: frozen settings that run to a frozen result.

Settings are the cache key, the link, the message of a knob and the parameter of a test in one. They
offer ``tasks()``, frozen pieces of work each with ``.run()``, and ``result(outcomes)``, which
assembles what has been done so far: so a page can show a first answer at once and the rest slice by
slice. Tasks marked ``essential`` must be done before anything can be shown. ``run()`` does it all.
``probe()`` is the cheapest of a page's own tasks that gives one number a repeat, and
``sample(count)`` the cheapest work that gives as many as are asked for: what a sweep, a search and
a comparison are made of. ``pairs_with`` says where common random numbers make pairs of repeats.
"""

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from dpcore import check
from dpcore.cache import Key
from dpcore.privacy import Guarantee

Value = TypeVar("Value")


class Task(Hashable, Protocol):
    """One piece of work, its own cache key. essential: whether a page waits for it."""

    @property
    def essential(self) -> bool: ...

    def run(self) -> Any: ...


class Measure(NamedTuple):
    """A number that says how well an experiment does: its name in words, which way is better, and
    how it is read off
    what the ``probe`` gives: (R,), one number a repeat.

    share: whether it is the model's share of right answers. rises, falls: the fields along which
    its expectation gets better, and worse, whatever the other fields are; a field that is in
    neither may do anything. unit: "%" of what is a share of 1, "nats", or "" where it has none or
    the data set's. limits: (lowest, highest) value that it may have.
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
        cls, label: str, read: Callable[[Any], np.ndarray], *, rises: tuple[str, ...] = ()
    ) -> Self:
        """Return the model's share of right answers."""
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


QUANTILES = (0.05, 0.5, 0.95)


def quantiles_of(values: np.ndarray, *, axis: int = -1) -> np.ndarray:
    """Return ``QUANTILES`` of ``values`` along an axis, (3, ...): ``np.quantile`` to the last bit,
    four times as quickly.
    """
    ordered = np.moveaxis(np.sort(values, axis=axis), axis, 0)
    place = np.array(QUANTILES) * (len(ordered) - 1)
    below = place.astype(int)
    share = (place - below).reshape(-1, *[1] * (ordered.ndim - 1))
    low, high = ordered.take(below, axis=0), ordered.take(below + 1, axis=0, mode="clip")
    step = high - low
    found = np.where(share < 0.5, low + step * share, high - step * (1 - share))
    unknown = np.isnan(ordered[-1])  # NaN is sorted to the end
    return np.where(unknown, np.nan, found) if unknown.any() else found


def in_range(
    settings: "Settings",
    changes: Mapping[str, Any],
    *,
    starts: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return ``changes`` with the fields that they leave out of range, at the nearest value in
    range.

    starts: new values of other fields, which are brought into range too.
    """
    moved = {**starts, **changes}
    draft = object.__new__(type(settings))
    draft.__dict__.update(
        {one.name: getattr(settings, one.name) for one in fields(settings)} | moved
    )
    for name in [name for name in draft.choices if name not in changes]:
        if getattr(draft, name) not in (allowed := draft.choices[name]):
            moved[name] = draft.__dict__[name] = next(iter(allowed))
    for name in [
        one.name for one in fields(settings) if one.name not in changes and one.name in draft.limits
    ]:
        (low, high), value = draft.limits[name], getattr(draft, name)
        if not low <= value <= high:
            moved[name] = draft.__dict__[name] = min(max(value, low), high)
    return moved


@dataclass(frozen=True, kw_only=True)
class Settings(Key):
    """All that decides what an experiment shows: the base of frozen, keyword-only dataclasses with
    a default for each field. Raises RefusedError, by the field's name, where a value has no
    meaning.

    CHOICES: field -> the values it may have. LIMITS: field -> (lowest, highest) value; whole
        numbers where the lowest
    is one. MEASURES: name -> what can be measured of the ``probe``. COMMON: the fields that decide
    which rows and what noise of scale 1 repeat r has; empty where repeats have no noise of their
    own. TUNED: the fields that one would tune -> (lowest, highest) value worth a try, public
    knowledge, to be searched on a logarithmic scale. PEOPLE: the field that says how many people
    there are, or "". STATED: the fields that are shown even where they can have one value only.
    """

    CHOICES: ClassVar[Mapping[str, Collection[str]]] = MappingProxyType({})
    LIMITS: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType({})
    MEASURES: ClassVar[Mapping[str, Measure]] = MappingProxyType({})
    COMMON: ClassVar[tuple[str, ...]] = ()
    TUNED: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType({})
    STATED: ClassVar[Collection[str]] = ()
    PEOPLE: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for name, options in self.choices.items():
            check.choice(options, **{name: getattr(self, name)})
        for name, (low, high) in self.limits.items():
            if isinstance(low, int):
                check.whole(low, int(high), **{name: getattr(self, name)})
            else:
                check.between(low, high, **{name: getattr(self, name)})

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """Return field -> the values it may have, with what the other settings leave of them."""
        return self.CHOICES

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return field -> (lowest, highest) value, with what the other settings leave of them."""
        return self.LIMITS

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Name -> what can be measured, with the fields along which it rises or falls as the other
        settings are.
        """
        return self.MEASURES

    @property
    def void(self) -> str:
        """Return why nothing is guaranteed, whatever epsilon is; "" where it is."""
        return ""

    @property
    def private(self) -> bool:
        """Return whether the rows are of a visitor's own file: not drawn, in no link, gone with the
        session.
        """
        return False

    @property
    def tuned(self) -> Mapping[str, tuple[float, float]]:
        """Return field -> (lowest, highest) value worth a try, if it changes anything, within their
        ``limits``.
        """
        found = {}
        for name, (low, high) in self.TUNED.items():
            least, most = self.limits[name]
            found[name] = (min(max(low, least), most), max(min(high, most), least))
        return found

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``; what depends on them is brought into its new
        range.
        """
        return replace(self, **changes)

    def with_noise_of(self, people: int) -> Self | None:
        """Return these settings, on the rows there are, with the noise that so many people would
        need at the same epsilon; None where that is not known, or ``people`` can be had.
        """
        return None

    def part(self, kind: type[Value], /, **others: Any) -> Value:
        """Return a frozen dataclass that a task depends on: ``others``, and its other fields as
        these settings have them.
        """
        values = dict(others)
        for field in fields(kind):  # type: ignore[arg-type]  # a dataclass
            if field.name not in others and hasattr(self, field.name):
                values[field.name] = getattr(self, field.name)
        return kind(**values)

    def schedule(self) -> Iterable[Task]:
        """Return the work, most urgent first."""
        raise NotImplementedError

    def probe(self) -> Task:
        """Return the cheapest task that gives one number a repeat, for each of ``MEASURES``."""
        raise NotImplementedError

    def samples(self) -> tuple[Task, ...]:
        """Return the probe, and what else it takes to give all repeats, in their order: what can be
        read off the probe can be read off each.
        """
        return (self.probe(),)

    def sample(self, count: int) -> tuple[Task, ...]:
        """Return the cheapest work that gives repeats 0 to ``count`` - 1, in their order, which may
        be more than a page
        shows: what can be read off the probe can be read off each task. The repeats of the page
        itself are those of ``samples`` to the last bit, and a longer sample begins with a shorter
        one.
        """
        return (self.probe(),)

    @property
    def compared(self) -> str:
        """Return the name of the measure that a comparison is about."""
        return next(iter(self.MEASURES))

    def pairs_with(self, other: "Settings") -> bool:
        """Return whether repeat r sees the same rows and the same noise, but for its size, as
        repeat r of ``other``.
        """
        if self == other or type(self) is not type(other) or not self.COMMON:
            return self == other
        return all(
            getattr(self, name) == getattr(other, name) for name in self.COMMON
        ) and self.draws_as(other)

    @property
    def promise(self) -> Guarantee | None:
        """Return what one run promises, with its event; None where it promises nothing, or looks at
        nobody's rows.
        """
        return None

    @property
    def made_up(self) -> Self | None:
        """Return these settings on made-up rows in place of private ones; None where there are no
        such rows.
        """
        return None

    @property
    def overlap(self) -> float:
        """Return held-out rows over private ones, where splits by other seeds are splits of one
        file and so have rows in common; 0 where each seed draws rows of its own.
        """
        return 0.0

    def draws_as(self, other: Self) -> bool:
        """Return whether noise that may be common is common, where that takes more than ``COMMON``
        to say.
        """
        return True

    def result(self, outcomes: Mapping[Task, Any]) -> Any:
        """Assemble what has been done; needs the essential tasks only."""
        raise NotImplementedError

    def tasks(self) -> tuple[Task, ...]:
        """Return the pieces of work, each once, most urgent first; made once for these settings."""
        return self._tasks

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        return tuple(dict.fromkeys(self.schedule()))

    def run(self) -> Any:
        """Return the result of all of the work at once, for a script or a test."""
        return self.result({task: task.run() for task in self.tasks()})
