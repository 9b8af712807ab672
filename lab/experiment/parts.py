"""Parts of an experiment: tasks, and what their outcomes are gathered into.

``Once`` is one task, ``Repeats`` are repeats at one value of a parameter, and a ``Sweep`` has
repeats at several values. A topic may write another class with ``tasks`` and ``gather``.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
import pandas as pd

from dpcore.cache import CACHE, Key
from lab.experiment import chunking
from lab.experiment.settings import Spread, Task, quantiles_of

# Grids of which the cache keeps the newest.
_KEPT_GRIDS = 16

Model = TypeVar("Model")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, kw_only=True)
class Runs(Key, Generic[Model, Outcome]):
    """The task of calling ``work(model, at, repeats)``, for some repeats at some values.

    work: a function of a module that depends on its arguments alone.
    model: a frozen value that holds all that decides the outcome, except ``at`` and the repeats.
    at: the values of the parameter.
    first, count: the number of the first repeat, and how many there are.
    given: the number of repeats wanted, which ``work`` then takes as ``given``; None for all.
    essential: whether a page waits for it. Tasks that differ in it alone are equal.
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
        """Return the numbers of the repeats."""
        return range(self.first, self.first + self.count)

    @property
    def cells(self) -> float:
        """Return the cost in cells (``lab.experiment.chunking``), of a model that knows its own."""
        cells_of_repeat = self.model.cells  # type: ignore[attr-defined]  # not every model has them
        return max(1, len(self.at)) * self.count * cells_of_repeat

    def run(self) -> Outcome:
        """Return the outcome of ``work``."""
        if self.given is None:
            return self.work(self.model, self.at, self.repeats)
        return self.work(self.model, self.at, self.repeats, given=self.given)


def slices(
    work: Callable[..., Outcome],
    model: Model,
    at: Sequence[Any],
    batches: Iterable[range],
    *,
    width: int = 1,
) -> tuple[Runs[Model, Outcome], ...]:
    """Split batches of repeats at the values ``at`` into tasks of ``width`` values each.

    The first batch comes at all values before the second batch at any.
    """
    tasks = []
    for batch in batches:
        for index in range(0, len(at), width):
            values = tuple(at[index : index + width])
            task = Runs(work=work, model=model, at=values, first=batch.start, count=len(batch))
            tasks.append(task)
    return tuple(tasks)


@dataclass(frozen=True, eq=False)
class Grid:
    """Runs of R repeats at V values of a parameter.

    Attributes:
        at: The values.
        runs: Numbers (V, R), or (A, V, R) of A arms; NaN where not done.
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
        """Return the outcomes (*arms, V', R') of those ``tasks`` that are done."""
        runs = np.full((*arms, len(at), repeats), np.nan)
        for task in tasks:
            if task in outcomes:
                index = at.index(task.at[0])
                values = slice(index, index + len(task.at))
                runs[..., values, task.first : task.first + task.count] = outcomes[task]
        return cls(tuple(at), runs)

    @cached_property
    def arms(self) -> "tuple[Grid, ...]":
        """Return the grid of each arm."""
        return tuple(Grid(self.at, runs) for runs in self.runs)

    @cached_property
    def done(self) -> np.ndarray:
        """Return the number of repeats done at each value, (..., V)."""
        return (~np.isnan(self.runs)).sum(axis=-1)

    @property
    def complete(self) -> bool:
        """Return whether all repeats are done at all values."""
        return not np.isnan(self.runs).any()

    def over(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the values (m,) begun so far, and the quantiles (3, m) there.

        All quantiles are over the same repeats.
        """
        return self._over

    @cached_property
    def _over(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (values begun, quantiles of the runs that are done at each of them)."""
        begun = ~np.isnan(self.runs[:, 0])
        runs = self.runs[begun]
        done_everywhere = ~np.isnan(runs).any(axis=0)
        return np.array(self.at)[begun], quantiles_of(runs[:, done_everywhere], axis=1)

    def frame(self, name: str, *, over: str = "epsilon", **arms: Collection[str]) -> pd.DataFrame:
        """Return a table with a row per run that is done: arm, value, repeat and number.

        Args:
            name: Column of the numbers.
            over: Column of the parameter.
            arms: Column of the arms, with their names, if there are arms.
        """
        values_of_column: dict[str, Any] = dict(arms)
        values_of_column[over] = self.at
        values_of_column["repeat"] = range(self.runs.shape[-1])
        index = pd.MultiIndex.from_product(
            list(values_of_column.values()), names=list(values_of_column)
        )
        runs = pd.DataFrame({name: self.runs.ravel()}, index=index)
        return runs.dropna().reset_index()

    def quantiles(self, *, over: str = "epsilon") -> pd.DataFrame:
        """Return a table of the quantiles with a row per value that is begun."""
        at, quantiles = self.over()
        columns = dict(zip(Spread._fields, quantiles, strict=True))
        return pd.DataFrame({over: at, **columns})


class Part(Protocol):
    """A part of an experiment."""

    @property
    def tasks(self) -> Sequence[Task]:
        """Return the tasks, the most urgent first."""
        ...

    def gather(self, outcomes: Mapping[Any, Any]) -> Any:
        """Return the value of the part from the outcomes of its tasks that are done."""
        ...


@dataclass(frozen=True)
class Once:
    """A single task, which calls ``function(model, at, range(count))``.

    essential: whether a page waits for it.
    """

    function: Callable[..., Any]
    model: Any
    at: tuple[Any, ...] = ()
    count: int = 1
    essential: bool = False

    @property
    def tasks(self) -> tuple[Runs, ...]:
        """Return the only task."""
        task = Runs(
            work=self.function,
            model=self.model,
            at=self.at,
            count=self.count,
            essential=self.essential,
        )
        return (task,)

    def gather(self, outcomes: Mapping[Any, Any]) -> Any:
        """Return the outcome, or None until the task is done."""
        (task,) = self.tasks
        return outcomes.get(task)


def join_repeats(batches: Sequence[np.ndarray]) -> np.ndarray:
    """Return arrays (..., R') of batches of repeats as one array (..., R)."""
    return np.concatenate(batches, axis=-1)


@dataclass(frozen=True)
class Repeats:
    """Repeats 0 to ``count`` - 1 at one value, cut into batches.

    A task calls ``function(model, (at,), repeats)`` for the repeats of one batch.

    merge: function that joins the outcomes of batches.
    cost: cells of one repeat (``lab.experiment.chunking``). By default one task has all repeats.
    first_batch: size of the first batch; by default as many repeats as a page may wait for.
    largest_batch: largest number of repeats in another batch.
    essential: whether the page waits for the first batch.
    sampled: a cheaper function for samples, called as ``sampled(model, (at,), repeats, given=n)``.
        It must give the first n repeats as ``function`` does. It may need all ``repeats`` of a
        batch for that, because models that are trained together share their rounding. Without it,
        samples call ``function`` with the repeats wanted.
    """

    function: Callable[..., Any]
    model: Any
    at: Any
    count: int
    merge: Callable[[Sequence[Any]], Any] = join_repeats
    cost: float = 1.0
    first_batch: int | None = None
    largest_batch: int | None = None
    essential: bool = True
    sampled: Callable[..., Any] | None = None

    @property
    def batches(self) -> tuple[range, ...]:
        """Return the repeats that each task trains together."""
        return chunking.batches(
            self.count,
            cost=self.cost,
            first_batch=self.first_batch,
            largest_batch=self.largest_batch,
        )

    @property
    def tasks(self) -> tuple[Runs, ...]:
        """Return a task for each batch, the first of which a page may wait for."""
        first, *others = slices(self.function, self.model, (self.at,), self.batches)
        return (replace(first, essential=self.essential), *others)

    def gather(self, outcomes: Mapping[Any, Any]) -> Any:
        """Return the repeats done so far, or None if there are none."""
        done = [outcomes[task] for task in self.tasks if task in outcomes]
        if not done:
            return None
        return self.merge(done)

    def sample(self, count: int) -> tuple[Runs, ...]:
        """Return tasks that give repeats 0 to ``count`` - 1, in their order."""
        tasks = []
        for batch, wanted in chunking.sample(
            self.batches, count, each=self.cost, most=self.largest_batch
        ):
            if self.sampled is None:
                task = Runs(
                    work=self.function,
                    model=self.model,
                    at=(self.at,),
                    first=batch.start,
                    count=wanted,
                )
            else:
                task = Runs(
                    work=self.sampled,
                    model=self.model,
                    at=(self.at,),
                    first=batch.start,
                    count=len(batch),
                    given=wanted,
                )
            tasks.append(task)
        return tuple(tasks)


@dataclass(frozen=True)
class Sweep:
    """Repeats 0 to ``count`` - 1 at several values of a parameter, gathered into a ``Grid``.

    A task calls ``function(model, at, repeats)``, which returns (V, R), or (A, V, R) with arms.

    values: the values of the grid.
    computed: those of the values that are computed; by default all.
    arms: (A,) if the function has arms.
    cost: cells of one repeat at one value (``lab.experiment.chunking``).
    width: number of values per task.
    largest_batch: largest number of repeats in a task.
    batches: the repeats that each task trains together; by default they follow from the cost.
    """

    values: tuple[Any, ...]
    function: Callable[..., Any]
    model: Any
    count: int
    computed: tuple[Any, ...] | None = None
    arms: tuple[int, ...] = ()
    cost: float = 1.0
    width: int = 1
    largest_batch: int | None = None
    batches: tuple[range, ...] | None = None

    @cached_property
    def tasks(self) -> tuple[Runs, ...]:
        """Return a task for each batch of repeats at each group of values."""
        values = self.values
        if self.computed is not None:
            values = self.computed
        batches = self.batches
        if batches is None:
            batches = chunking.cut_batches(0, self.count, each=self.cost, most=self.largest_batch)
        return slices(self.function, self.model, values, batches, width=self.width)

    def gather(self, outcomes: Mapping[Any, Any]) -> Grid:
        """Return the grid of the runs done so far, NaN elsewhere.

        The same tasks done give the same object, so that what was computed of a grid is kept while
        another slider moves.
        """
        tasks = tuple(task for task in self.tasks if task in outcomes)

        def make() -> Grid:
            return Grid.of(self.values, tasks, outcomes, repeats=self.count, arms=self.arms)

        key = ("grid", self.values, self.count, self.arms, tasks)
        return CACHE.answer(key, make, newest=_KEPT_GRIDS)
