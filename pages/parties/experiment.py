"""What the parties page computes: votes, and releases over epsilon and over parties."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Grid, Once, Part, Sweep
from lab.experiment.settings import Measure, Task
from pages.parties.federated import (
    ROUNDS,
    Point,
    accuracy_over_field,
    epsilon_over_rounds,
    train_at_epsilon,
)
from pages.parties.fits import fit_releases
from pages.parties.mechanisms import FEDERATED
from pages.parties.result import PartiesResult
from pages.parties.settings import PartiesSettings
from pages.parties.tasks import (
    ReleaseAll,
    Released,
    TrainPooled,
    largest_changes,
)
from pages.parties.votes import CollectVotes, known_parties

# Epsilons at which the curve over epsilon is computed.
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
# If there are more chunks of parties than this, curves are first drawn without waiting for all.
_MANY_CHUNKS = 8
# Most cells and parties of a point of the curve of federated averaging over parties, where the page
# is about another method.
_MOST_CELLS = 3e8
_MOST_PARTIES = 2000
# Fields that lower the noise of each release, and of those that need a delta.
_LESS_NOISE = ("epsilon", "parties")
_LESS_NOISE_WITH_DELTA = (*_LESS_NOISE, "delta")


def _accuracy_of(method: str, label: str, rises: tuple[str, ...] = _LESS_NOISE) -> Measure:
    """Return the measure of a method's accuracy."""
    return Measure.accuracy(label, lambda released: released.accuracy_of(method), rises=rises)


@dataclass(frozen=True)
class Single:
    """The part of one essential task, which gathers its outcome."""

    task: Any

    @property
    def tasks(self) -> tuple[Any, ...]:
        return (self.task,)

    def gather(self, outcomes: Mapping[Any, Any]) -> Any:
        return outcomes[self.task]


@dataclass(frozen=True)
class Latest:
    """The part of some tasks of which the last one that is done counts."""

    tasks: tuple[Any, ...]

    def gather(self, outcomes: Mapping[Any, Any]) -> tuple[Any, Any]:
        """Return that task and its outcome, or None twice if none is done."""
        for task in reversed(self.tasks):
            if task in outcomes:
                return task, outcomes[task]
        return None, None


@dataclass(frozen=True)
class Curves:
    """The part of one or several curves of which the fullest counts, the last one of equals.

    Each has a task per point. One curve is of the same parties all along, or it would jump.
    """

    curves: tuple[tuple[ReleaseAll, ...], ...]

    @property
    def tasks(self) -> tuple[ReleaseAll, ...]:
        return tuple(task for curve in self.curves for task in curve)

    def gather(self, outcomes: Mapping[Any, Any]) -> dict[ReleaseAll, Released | None]:
        """Return the outcome at each point of that curve, None where it is not done."""
        fullest: dict[ReleaseAll, Released | None] = {}
        most_done = -1
        for curve in self.curves:
            done = len([task for task in curve if task in outcomes])
            if done >= most_done:
                most_done = done
                fullest = {task: outcomes.get(task) for task in curve}
        return fullest


class PartiesExperiment(Experiment[PartiesSettings, PartiesResult]):
    """Learning from many parties by votes, soft labels, averages and PATE [hamm2016], and by
    federated averaging [mcmahan2018].
    """

    MEASURES: ClassVar = {
        "soft": _accuracy_of("soft", "accuracy of soft labels"),
        "vote": _accuracy_of("vote", "accuracy of the majority vote"),
        "average": _accuracy_of("average", "accuracy of averaged weights"),
        "pate": _accuracy_of("pate", "accuracy of PATE", _LESS_NOISE_WITH_DELTA),
        FEDERATED: _accuracy_of(
            FEDERATED, "accuracy of federated averaging", _LESS_NOISE_WITH_DELTA
        ),
    }
    PAIRED_BY = (
        "parties",
        "method",
        "trust_model",
        "dataset",
        "rows",
        "public_rows",
        "unlike",
        "rounds",
        "cohort",
        "repeats",
        "seed",
    )

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return the measure of federated averaging, or those of all other methods."""
        if self.settings.is_federated:
            return {FEDERATED: self.MEASURES[FEDERATED]}
        return {name: self.MEASURES[name] for name in self.MEASURES if name != FEDERATED}

    @property
    def compared(self) -> str:
        return self.settings.method

    def parts(self) -> dict[str, Part]:
        asked = sorted({self._first_asked, *self._counts_to_ask})
        curves = [self._curve_over_epsilon(count) for count in self._curve_counts]
        parts: dict[str, Part] = {
            "now": Latest(tuple(self._release_now(count) for count in asked)),
            "pooled": Single(self._pooled),
            "over_epsilon": Curves(tuple(curves)),
            "over_parties": Curves((self._curve_over_parties,)),
            **self._federated_parts,
        }
        if self.settings.mechanisms.is_central:
            parts["changes"] = Once(largest_changes, self.settings.ensemble)
        return parts

    @cached_property
    def _federated_parts(self) -> dict[str, Part]:
        """Return the parts of federated averaging, which asks for no votes."""
        settings = self.settings
        parts: dict[str, Part] = {FEDERATED: self._federated_now}
        if settings.is_federated and settings.mechanisms.is_central:
            parts["epsilon_of_rounds"] = Once(
                epsilon_over_rounds, settings.federation, at=(settings.epsilon,)
            )
        if settings.is_federated:
            parts["over_rounds"] = self._federated_curve("rounds", ROUNDS)
        parts["federated_over_epsilon"] = self._federated_curve("epsilon", EPSILONS)
        parts["federated_over_parties"] = self._federated_curve(
            "parties", settings.party_counts, self._federated_counts
        )
        return parts

    @property
    def _federated_now(self) -> Once:
        """Return the part of federated averaging at the set epsilon."""
        settings = self.settings
        return Once(
            train_at_epsilon,
            settings.federation,
            at=(settings.epsilon,),
            count=settings.repeats,
            essential=settings.is_federated,
        )

    @property
    def _federated_counts(self) -> tuple[int, ...]:
        """Return the numbers of parties at which federated averaging is computed.

        These are all if the page is about it, and otherwise those that are quick, because a longer
        task could delay the answer to a slider.
        """
        settings = self.settings
        if settings.is_federated:
            return settings.party_counts
        counts = []
        for count in settings.party_counts:
            cost_of_repeat = replace(settings.federation, parties=count).cost
            is_quick = settings.repeats * cost_of_repeat <= _MOST_CELLS
            if is_quick and count <= _MOST_PARTIES:
                counts.append(count)
        return tuple(counts)

    def _federated_curve(
        self, field: str, values: tuple[float, ...], computed: tuple[float, ...] | None = None
    ) -> Sweep:
        """Return the part of federated averaging over values of a field, all or those computed."""
        settings = self.settings
        return Sweep(
            values=values,
            computed=computed,
            function=accuracy_over_field,
            model=Point(settings.federation, settings.epsilon, field),
            count=settings.repeats,
            cost=settings.federation.cost,
        )

    def order(self, parts: Iterable[Part]) -> Iterable[Task]:
        """Return the tasks of the parties known by now or of the first ones, then of all parties.

        The curve over parties is computed on the way.
        """
        first = self._first_asked
        tasks: list[Task] = [
            CollectVotes(pool=self.settings.pool, upto=first, essential=True),
            self._release_now(first, essential=True),
            self._pooled,
        ]
        others: list[Task] = []
        for part in parts:
            if isinstance(part, Once | Sweep):
                others += part.tasks
        tasks += self._federated_now.tasks  # the claim of the best release waits for it
        if self.settings.is_federated:
            tasks += others
        if first < self.settings.parties and self._has_many_chunks:
            tasks += self._curve_over_epsilon(self._chunk_end)
        done = first
        for count in sorted({*self.settings.party_counts, self.settings.parties}):
            tasks += self._votes_from(done, count)
            tasks.append(self._release_of(count))
            if count in self._counts_to_ask:
                tasks.append(self._release_now(count))
            if count == self.settings.parties:
                tasks += self._curve_over_epsilon(count)
            done = max(done, count)
        return [*tasks, *others]

    def result(self, values: Mapping[str, Any]) -> PartiesResult:
        latest, now = values["now"]
        over_epsilon = values["over_epsilon"]
        over_parties = values["over_parties"]
        done = {latest}
        for curve in (over_epsilon, over_parties):
            done |= {task for task, released in curve.items() if released is not None}
        unknown = np.full_like(now.accuracy, np.nan)
        federated = values[FEDERATED]
        if federated is not None:
            now = now.with_method(FEDERATED, federated)
        return PartiesResult(
            settings=self.settings,
            done=frozenset(done),
            asked=latest.asked,
            fits=fit_releases(self.settings.ensemble, latest.asked),
            now=now,
            pooled=values["pooled"],
            changes=values.get("changes"),
            over={
                "epsilon": _joined(over_epsilon, unknown, values["federated_over_epsilon"]),
                "parties": _joined(over_parties, unknown, values["federated_over_parties"]),
            },
            over_rounds=values.get("over_rounds"),
            epsilon_of_rounds=values.get("epsilon_of_rounds"),
            progress=frozenset(self._progress(values)),
        )

    def _progress(self, values: Mapping[str, Any]) -> Iterable[tuple[str, int]]:
        """Yield the name of each part that asks for no votes, and how much of it is done."""
        for name, part in self._parts.items():
            if isinstance(part, Sweep):
                yield name, int(values[name].done.sum())
            elif isinstance(part, Once):
                yield name, int(values[name] is not None)

    def shown_sample(self) -> tuple[Task, ...]:
        """Return the task of the chosen release from all parties."""
        return self.sample(self.settings.repeats)

    def sample(self, count: int) -> tuple[Task, ...]:
        """Return the task of ``count`` repeats of the chosen release from all parties."""
        if self.settings.is_federated:
            return replace(self._federated_now, count=count).tasks
        shown = self._release_now(self.settings.parties)
        mechanisms = replace(shown.mechanisms, repeats=count)
        return (replace(shown, mechanisms=mechanisms),)

    # Numbers of parties

    @cached_property
    def _first_asked(self) -> int:
        """Return how many parties are asked before anything is shown.

        These are all parties if they are known. Otherwise they end with the first chunk, or at the
        last point of the curve up to which they are known.
        """
        settings = self.settings
        known = known_parties(settings.pool, settings.parties)
        if known == settings.parties:
            return known
        counts = [count for count in settings.party_counts if count <= known]
        return max([self._chunk_end, *counts])

    @property
    def _chunk_end(self) -> int:
        """Return the number of parties in the first chunk."""
        return self.settings.pool.chunk_ends(self.settings.parties)[0]

    @property
    def _has_many_chunks(self) -> bool:
        """Return whether it takes seconds to ask all parties."""
        return self.settings.parties > _MANY_CHUNKS * self.settings.pool.chunk

    @cached_property
    def _counts_to_ask(self) -> set[int]:
        """Return the numbers of parties, after the first ones, that are shown on the way."""
        counts = {*self.settings.party_counts, self.settings.parties}
        return {count for count in counts if self._first_asked < count <= self.settings.parties}

    @property
    def _curve_counts(self) -> list[int]:
        """Return the numbers of parties of which the curve over epsilon is drawn."""
        return sorted({self._chunk_end, self.settings.parties})

    # Tasks

    @property
    def _pooled(self) -> TrainPooled:
        return TrainPooled(
            data=self.settings.data,
            parties=self.settings.parties,
            regularisation=self.settings.regularisation,
        )

    def _votes_from(self, done: int, count: int) -> list[CollectVotes]:
        """Return the tasks that ask parties up to ``count``, after the first ``done``."""
        pool = self.settings.pool
        tasks = []
        for end in pool.chunk_ends(count):
            if end > done or end == count:
                tasks.append(CollectVotes(pool=pool, upto=end))
        return tasks

    def _release_now(self, asked: int, *, essential: bool = False) -> ReleaseAll:
        """Return the releases at the set epsilon, from the first ``asked`` of all parties."""
        return ReleaseAll(
            mechanisms=self.settings.mechanisms,
            asked=asked,
            epsilon=self.settings.epsilon,
            essential=essential,
        )

    def _release_of(self, parties: int) -> ReleaseAll:
        """Return the releases at the set epsilon if there are so many parties."""
        return ReleaseAll(
            mechanisms=self.settings.mechanisms.with_parties(parties),
            asked=parties,
            epsilon=self.settings.epsilon,
        )

    @property
    def _curve_over_parties(self) -> tuple[ReleaseAll, ...]:
        return tuple(self._release_of(count) for count in self.settings.party_counts)

    def _curve_over_epsilon(self, asked: int) -> tuple[ReleaseAll, ...]:
        tasks = []
        for epsilon in EPSILONS:
            task = ReleaseAll(mechanisms=self.settings.mechanisms, asked=asked, epsilon=epsilon)
            tasks.append(task)
        return tuple(tasks)


def _joined(
    releases: Mapping[ReleaseAll, Released | None], unknown: np.ndarray, federated: Grid
) -> Grid:
    """Return the accuracy (methods, V, R) along a curve, with federated averaging as last method.

    unknown: accuracy (methods but one, R) of points that are not done.
    """
    accuracies = []
    for released in releases.values():
        if released is None:
            accuracies.append(unknown)
        else:
            accuracies.append(released.accuracy)
    arms = np.stack(accuracies, axis=1)
    return Grid(federated.at, np.concatenate([arms, federated.runs[None]]))
