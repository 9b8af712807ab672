"""Ensembles: repeats of an experiment at values of a parameter, as tasks of the cache, and what
came out.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import pandas as pd

from dpcore.cache import Key
from lab.experiment.settings import Settings, Spread, Task, quantiles_of

Model = TypeVar("Model")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, kw_only=True)
class Runs(Key, Generic[Model, Outcome]):
    """The task of calling ``work(model, at, repeats)``: some repeats of an experiment at some
    values of a parameter.

    work: a function of a module, which depends on its arguments alone.
    model: a frozen value that holds all that decides the outcome but ``at`` and the repeats.
    given: how many of the repeats are wanted, which ``work`` then takes as ``given``; None for all.
    essential: whether a page waits for it. It is the same task either way.
    """

    work: Callable[..., Outcome]
    model: Model
    at: tuple[Any, ...] = ()
    first: int = 0
    count: int
    given: int | None = None
    essential: bool = field(default=False, compare=False)

    @property
    def repeats(self) -> range:
        return range(self.first, self.first + self.count)

    @property
    def cells(self) -> float:
        """Return the work in cells (``lab.experiment.chunking``), of a model that has those of a
        repeat at one value.
        """
        return max(1, len(self.at)) * self.count * self.model.cells  # type: ignore[attr-defined]  # not every model has

    def run(self) -> Outcome:
        some = {} if self.given is None else {"given": self.given}
        return self.work(self.model, self.at, self.repeats, **some)


def slices(
    work: Callable[..., Outcome],
    model: Model,
    at: Sequence[Any],
    parts: Iterable[range],
    *,
    width: int = 1,
) -> tuple[Runs[Model, Outcome], ...]:
    """Split repeats at the values ``at`` into tasks of ``width`` values, some repeats at all values
    before more.
    """
    return tuple(
        Runs(
            work=work,
            model=model,
            at=tuple(at[place : place + width]),
            first=part.start,
            count=len(part),
        )
        for part in parts
        for place in range(0, len(at), width)
    )


@dataclass(frozen=True, eq=False)
class Grid:
    """Runs (V, R) of R repeats at V values ``at`` of a parameter, or (arms, V, R); NaN where not
    computed yet.
    """

    at: tuple[Any, ...]
    runs: np.ndarray

    @classmethod
    def of(
        cls,
        at: Sequence[Any],
        tasks: Iterable[Runs[Any, np.ndarray]],
        outcomes: Mapping[Any, Any],
        *,
        repeats: int,
        arms: tuple[int, ...] = (),
    ) -> Self:
        """Gather the outcomes (*arms, V', R') of those ``tasks`` that are done."""
        runs = np.full((*arms, len(at), repeats), np.nan)
        for task in tasks:
            if task in outcomes:
                place = at.index(task.at[0])
                runs[..., place : place + len(task.at), task.first : task.first + task.count] = (
                    outcomes[task]
                )
        return cls(tuple(at), runs)

    @cached_property
    def arms(self) -> "tuple[Grid, ...]":
        """Return the grid of each arm."""
        return tuple(Grid(self.at, runs) for runs in self.runs)

    @cached_property
    def done(self) -> np.ndarray:
        """Return how many repeats (..., V) are computed at each value."""
        return (~np.isnan(self.runs)).sum(axis=-1)

    @property
    def complete(self) -> bool:
        return not np.isnan(self.runs).any()

    def over(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the values (m,) computed so far and the quantiles (3, m) there, each over the same
        repeats.
        """
        return self._over

    @cached_property
    def _over(self) -> tuple[np.ndarray, np.ndarray]:
        begun = ~np.isnan(self.runs[:, 0])
        runs = self.runs[begun]
        return np.array(self.at)[begun], quantiles_of(runs[:, ~np.isnan(runs).any(axis=0)], axis=1)

    def frame(self, name: str, *, over: str = "epsilon", **arms: Collection[str]) -> pd.DataFrame:
        """Return a row per computed run: the arm (``arms`` gives its column and names), parameter,
        repeat, value.
        """
        levels = {**arms, over: self.at, "repeat": range(self.runs.shape[-1])}
        index = pd.MultiIndex.from_product(list(levels.values()), names=list(levels))
        return pd.DataFrame({name: self.runs.ravel()}, index=index).dropna().reset_index()

    def quantiles(self, *, over: str = "epsilon") -> pd.DataFrame:
        """Return a row per computed value: the parameter, and the quantiles of the runs there."""
        at, found = self.over()
        return pd.DataFrame({over: at, **dict(zip(Spread._fields, found, strict=True))})


class Ensemble(Settings):
    """Settings of an experiment that is repeated at one value of a parameter, and at each value of
    a curve.

    A topic defines ``runs``; the tasks, the sample and the result follow from it. OVER: the
    parameter's field. CURVE: its values on the curve.
    """

    OVER: ClassVar[str] = "epsilon"
    CURVE: ClassVar[tuple[float, ...]] = ()
    repeats: int

    def runs(self, at: float, repeats: range) -> np.ndarray:
        """Return one number (R,) for each of the ``repeats``, at a value of the parameter."""
        raise NotImplementedError

    @property
    def now(self) -> float:
        """Return the value of the parameter."""
        return getattr(self, self.OVER)

    def probe(self) -> Runs[Self, np.ndarray]:
        (task,) = self.sample(self.repeats)
        return replace(task, essential=True)

    def sample(self, count: int) -> tuple[Runs[Self, np.ndarray], ...]:
        return slices(_runs, self._model, (self.now,), [range(count)])

    def schedule(self) -> Iterable[Task]:
        return self.probe(), *self._curve()

    def _curve(self) -> tuple[Runs[Self, np.ndarray], ...]:
        return slices(_runs, self._model, self.CURVE, [range(self.repeats)])

    @cached_property
    def _model(self) -> Self:
        """Return these settings without what a task says itself, so that other values and repeats
        share its tasks.
        """
        usual = {
            one.name: one.default for one in fields(self) if one.name in (self.OVER, "repeats")
        }
        return replace(self, **usual)

    def result(self, outcomes: Mapping[Any, Any]) -> "EnsembleResult":
        curve = Grid.of(self.CURVE, self._curve(), outcomes, repeats=self.repeats)
        return EnsembleResult(settings=self, now=outcomes[self.probe()][0], curve=curve)


def _runs(model: Ensemble, at: tuple[float, ...], repeats: range) -> np.ndarray:
    """Return the numbers (V, R) of the repeats at each value."""
    return np.stack([model.runs(value, repeats) for value in at])


@dataclass(frozen=True, kw_only=True, eq=False)
class EnsembleResult:
    """What the repeats give: ``now`` (R,) at the value of the settings, and over the curve."""

    settings: Any
    now: np.ndarray
    curve: Grid

    @property
    def spread(self) -> Spread:
        return Spread.of(self.now)

    def table(self) -> pd.DataFrame:
        """Return the quantiles over the curve, a row per value."""
        return self.curve.quantiles(over=self.settings.OVER)
