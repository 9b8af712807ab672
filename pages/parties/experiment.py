"""What the parties page computes: votes, and releases over epsilon and over parties."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Grid, Part
from lab.experiment.settings import Measure, Task
from pages.parties.fits import fit_releases
from pages.parties.result import PartiesResult
from pages.parties.settings import PartiesSettings
from pages.parties.tasks import ChangeOneParty, MapParties, ReleaseAll, Released, TrainPooled
from pages.parties.votes import CollectVotes, known_parties

# Epsilons at which the curve over epsilon is computed.
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
# Largest number of single parties in a map.
MAPPED_PARTIES = 40
# If there are more chunks of parties than this, curves are first drawn without waiting for all.
_MANY_CHUNKS = 8
# Fields that lower the noise of each release. PATE's noise falls with delta too.
_LESS_NOISE = ("epsilon", "parties")


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
    """Learning from many parties by votes, soft labels, averages and PATE [hamm2016]."""

    MEASURES: ClassVar = {
        "soft": Measure.accuracy(
            "accuracy of soft labels",
            lambda released: released.accuracy_of("soft"),
            rises=_LESS_NOISE,
        ),
        "vote": Measure.accuracy(
            "accuracy of the majority vote",
            lambda released: released.accuracy_of("vote"),
            rises=_LESS_NOISE,
        ),
        "average": Measure.accuracy(
            "accuracy of averaged weights",
            lambda released: released.accuracy_of("average"),
            rises=_LESS_NOISE,
        ),
        "pate": Measure.accuracy(
            "accuracy of PATE",
            lambda released: released.accuracy_of("pate"),
            rises=(*_LESS_NOISE, "delta"),
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
        "repeats",
        "seed",
    )

    @property
    def compared(self) -> str:
        return self.settings.method

    def parts(self) -> dict[str, Part]:
        asked = sorted({self._first_asked, *self._counts_to_ask})
        curves = [self._curve_over_epsilon(count) for count in sorted({*asked, self._chunk_end})]
        return {
            "now": Latest(tuple(self._release_now(count) for count in asked)),
            "pooled": Single(self._pooled),
            "local_votes": Single(self._map),
            "changes": Latest(tuple(self._changes)),
            "over_epsilon": Curves(tuple(curves)),
            "over_parties": Curves((self._curve_over_parties,)),
        }

    def order(self, parts: Iterable[Part]) -> Iterable[Task]:
        """Return the tasks of the parties known by now or of the first ones, then of all parties.

        The curve over parties is computed on the way.
        """
        first = self._first_asked
        tasks: list[Task] = [
            CollectVotes(pool=self.settings.pool, upto=first, essential=True),
            self._release_now(first, essential=True),
            self._pooled,
            self._map,
        ]
        if first < self.settings.parties and self._has_many_chunks:
            tasks += self._drawn_of(self._chunk_end)
        done = first
        for count in sorted({*self.settings.party_counts, self.settings.parties}):
            tasks += self._votes_from(done, count)
            tasks.append(self._release_of(count))
            if count in self._counts_to_ask:
                tasks.append(self._release_now(count))
            if count == self.settings.parties:
                tasks += self._drawn_of(count)
            done = max(done, count)
        return tasks

    def result(self, values: Mapping[str, Any]) -> PartiesResult:
        latest, now = values["now"]
        last_change, changes = values["changes"]
        over_epsilon = values["over_epsilon"]
        over_parties = values["over_parties"]
        done = {latest}
        if last_change is not None:
            done.add(last_change)
        for curve in (over_epsilon, over_parties):
            done |= {task for task, released in curve.items() if released is not None}
        unknown = now._replace(
            accuracy=np.full_like(now.accuracy, np.nan),
            excess_risk=np.full_like(now.excess_risk, np.nan),
        )
        at_epsilons = _filled(over_epsilon.values(), unknown)
        at_counts = _filled(over_parties.values(), unknown)
        counts = self.settings.party_counts
        return PartiesResult(
            settings=self.settings,
            done=frozenset(done),
            asked=latest.asked,
            fits=fit_releases(self.settings.ensemble, latest.asked),
            now=now,
            pooled=values["pooled"],
            changes=changes,
            local_votes=values["local_votes"],
            over={
                "epsilon": Grid(EPSILONS, _accuracies(at_epsilons)),
                "parties": Grid(counts, _accuracies(at_counts)),
            },
            excess_risk=Grid(counts, np.stack([released.excess_risk for released in at_counts])),
        )

    def shown_sample(self) -> tuple[ReleaseAll]:
        """Return the task of the releases from all parties."""
        return (self._release_now(self.settings.parties),)

    def sample(self, count: int) -> tuple[ReleaseAll]:
        """Return the task of ``count`` repeats of the releases from all parties."""
        (shown,) = self.shown_sample()
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

    # Tasks

    @property
    def _pooled(self) -> TrainPooled:
        return TrainPooled(
            data=self.settings.data,
            parties=self.settings.parties,
            regularisation=self.settings.regularisation,
        )

    @property
    def _map(self) -> MapParties:
        pool = self.settings.pool
        return MapParties(pool=pool, parties=min(self.settings.parties, MAPPED_PARTIES, pool.chunk))

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

    def _drawn_of(self, asked: int) -> list[Task]:
        """Return the tasks of all that is drawn of the first ``asked`` parties, except for the
        curve over parties.
        """
        tasks: list[Task] = [*self._curve_over_epsilon(asked)]
        tasks += [task for task in self._changes if task.asked == asked]
        return tasks

    @property
    def _changes(self) -> list[ChangeOneParty]:
        """Return the tasks of one party's change: among the first chunk, and among all parties.

        A trusted aggregator alone has such a sensitivity.
        """
        if not self.settings.mechanisms.is_central:
            return []
        tasks = []
        for asked in sorted({self._chunk_end, self.settings.parties}):
            tasks.append(ChangeOneParty(ensemble=self.settings.ensemble, asked=asked))
        return tasks


def _filled(releases: Iterable[Released | None], unknown: Released) -> list[Released]:
    """Return the releases, with ``unknown`` for those that are not done."""
    filled = []
    for released in releases:
        if released is None:
            filled.append(unknown)
        else:
            filled.append(released)
    return filled


def _accuracies(releases: Sequence[Released]) -> np.ndarray:
    """Return the accuracy (methods, V, R) of releases at V points."""
    return np.stack([released.accuracy for released in releases], axis=1)
