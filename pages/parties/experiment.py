"""What the parties page computes: votes, and releases over epsilon and over parties."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Grid, Once, Part, Runs, Sweep
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
    Asked,
    PooledRows,
    Released,
    accuracy_over_epsilon,
    accuracy_over_parties,
    release_all,
    train_pooled,
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
class LatestRelease:
    """The part of the releases at the set epsilon, from more and more of the parties.

    The releases from the largest number of parties that are done count.

    by_asked: the tasks by the number of the first parties that are asked, ascending.
    """

    by_asked: dict[int, Once]

    @property
    def tasks(self) -> tuple[Runs, ...]:
        return tuple(task for once in self.by_asked.values() for task in once.tasks)

    def gather(self, outcomes: Mapping[Any, Any]) -> tuple[int, Released]:
        """Return the number of parties asked, and their releases.

        Those of the fewest parties are essential, and so are always done.
        """
        released = {asked: once.gather(outcomes) for asked, once in self.by_asked.items()}
        latest = max(asked for asked in released if released[asked] is not None)
        return latest, released[latest]


class PartiesExperiment(Experiment[PartiesSettings, PartiesResult]):
    """Learning from many parties by votes, soft labels, averages and PATE [hamm2016], and by
    federated averaging [mcmahan2018].
    """

    MEASURES: ClassVar = {
        "soft": _accuracy_of("soft", "accuracy of soft labels"),
        "vote": _accuracy_of("vote", "accuracy of the majority vote"),
        "average": _accuracy_of("average", "accuracy of averaged weights"),
        "pate": _accuracy_of("pate", "accuracy of PATE", _LESS_NOISE_WITH_DELTA),
        FEDERATED: Measure.accuracy(
            "accuracy of federated averaging",
            lambda models: models.accuracy,
            rises=_LESS_NOISE_WITH_DELTA,
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
        """Return the measure of federated averaging, or those of the other methods there are."""
        if self.settings.is_federated:
            return {FEDERATED: self.MEASURES[FEDERATED]}
        methods = self.settings.mechanisms.methods
        return {name: self.MEASURES[name] for name in self.MEASURES if name in methods}

    @property
    def compared(self) -> str:
        return self.settings.method

    # Parts

    def parts(self) -> dict[str, Part]:
        """Return the parts, of which ``result`` makes the fields of ``PartiesResult``."""
        return {
            "released": self._released,
            "pooled": self._pooled,
            "first_over_epsilon": self._over_epsilon(self._chunk_end),
            "over_epsilon": self._over_epsilon(self.settings.parties),
            "over_parties": self._over_parties,
            **self._federated_parts,
        }

    @cached_property
    def _released(self) -> LatestRelease:
        """Return the releases at the set epsilon, from the first parties and then from more."""
        first = self._first_asked
        counts = {*self.settings.party_counts, self.settings.parties}
        later = [count for count in counts if first < count <= self.settings.parties]
        by_asked = {first: self._release(first, essential=True)}
        for asked in sorted(later):
            by_asked[asked] = self._release(asked)
        return LatestRelease(by_asked)

    def _release(self, asked: int, *, essential: bool = False) -> Once:
        """Return the task of all methods' releases at the set epsilon.

        asked: number of the first parties that are asked for them.
        essential: whether the page waits for it.
        """
        return Once(
            release_all,
            Asked(self.settings.mechanisms, asked),
            at=(self.settings.epsilon,),
            count=self.settings.repeats,
            essential=essential,
        )

    @property
    def _pooled(self) -> Once:
        settings = self.settings
        rows = PooledRows(settings.data, settings.parties, settings.regularisation)
        return Once(train_pooled, rows, essential=True)

    def _over_epsilon(self, asked: int) -> Sweep:
        """Return the accuracy over epsilon, from the first ``asked`` of all parties.

        One curve is of the same parties all along, or it would jump.
        """
        mechanisms = self.settings.mechanisms
        return Sweep(
            EPSILONS,
            accuracy_over_epsilon,
            Asked(mechanisms, asked),
            self.settings.repeats,
            arms=(len(mechanisms.methods),),
        )

    @property
    def _over_parties(self) -> Sweep:
        """Return the accuracy over the number of parties, all of which are asked each time."""
        mechanisms = self.settings.mechanisms
        return Sweep(
            self.settings.party_counts,
            accuracy_over_parties,
            (mechanisms, self.settings.epsilon),
            self.settings.repeats,
            arms=(len(mechanisms.methods),),
        )

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

    # Order of the tasks

    def order(self, parts: Iterable[Part]) -> Iterable[Task]:
        """Return the tasks of the parties known by now or of the first ones, then of all parties.

        The curve over parties is computed on the way. ``parts`` is not used.
        """
        settings = self.settings
        first = self._first_asked
        tasks: list[Task] = [
            CollectVotes(pool=settings.pool, upto=first, essential=True),
            *self._released.by_asked[first].tasks,
            *self._pooled.tasks,
            *self._federated_now.tasks,  # the claim of the best release waits for it
        ]
        federated = [task for part in self._federated_parts.values() for task in part.tasks]
        if settings.is_federated:
            tasks += federated
        if first < settings.parties and self._has_many_chunks:
            tasks += self._over_epsilon(self._chunk_end).tasks
        point_of_count = dict(zip(settings.party_counts, self._over_parties.tasks, strict=True))
        done = first
        for count in sorted({*settings.party_counts, settings.parties}):
            tasks += self._votes_from(done, count)
            if count in point_of_count:
                tasks.append(point_of_count[count])
            if count in self._released.by_asked:
                tasks += self._released.by_asked[count].tasks
            if count == settings.parties:
                tasks += self._over_epsilon(count).tasks
            done = max(done, count)
        return [*tasks, *federated]

    def _votes_from(self, done: int, count: int) -> list[CollectVotes]:
        """Return the tasks that ask parties up to ``count``, after the first ``done``."""
        pool = self.settings.pool
        tasks = []
        for end in pool.chunk_ends(count):
            if end > done or end == count:
                tasks.append(CollectVotes(pool=pool, upto=end))
        return tasks

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

    # Result

    def result(self, values: Mapping[str, Any]) -> PartiesResult:
        """Return the result.

        Federated averaging is one more method of the releases and of the curves. The curve over
        epsilon is that of the first chunk of parties until that of all parties is further.
        """
        asked, released = values["released"]
        federated = values[FEDERATED]
        if federated is not None:
            released = released.with_method(FEDERATED, federated)
        over_epsilon = values["over_epsilon"]
        from_first_chunk = values["first_over_epsilon"]
        if from_first_chunk.done.sum() > over_epsilon.done.sum():
            over_epsilon = from_first_chunk
        return PartiesResult(
            settings=self.settings,
            asked=asked,
            fits=fit_releases(self.settings.ensemble, asked),
            released=released,
            pooled=values["pooled"],
            over={
                "epsilon": _with_federated(over_epsilon, values["federated_over_epsilon"]),
                "parties": _with_federated(
                    values["over_parties"], values["federated_over_parties"]
                ),
            },
            over_rounds=values.get("over_rounds"),
            epsilon_of_rounds=values.get("epsilon_of_rounds"),
            progress=frozenset(self._progress(values)),
        )

    def _progress(self, values: Mapping[str, Any]) -> Iterable[tuple[str, int]]:
        """Yield the name of each part but the first, and how many of its numbers are done."""
        for name, part in self._parts.items():
            if isinstance(part, Sweep):
                yield name, int(values[name].done.sum())
            elif isinstance(part, Once):
                yield name, int(values[name] is not None)

    # Samples

    def shown_sample(self) -> tuple[Task, ...]:
        """Return the task of the chosen release from all parties."""
        return self.sample(self.settings.repeats)

    def sample(self, count: int) -> tuple[Task, ...]:
        """Return the task of ``count`` repeats of the chosen release from all parties."""
        if self.settings.is_federated:
            return replace(self._federated_now, count=count).tasks
        return replace(self._release(self.settings.parties), count=count).tasks


def _with_federated(grid: Grid, federated: Grid) -> Grid:
    """Return the accuracy (m, V, R) of all methods along a curve, federated averaging last."""
    return Grid(grid.at, np.concatenate([grid.runs, federated.runs[None]]))
