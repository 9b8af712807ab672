"""Many parties, one model: votes, soft labels, averages and PATE, each private for a whole party.

Follows [hamm2016]; averaging after [pathak2010], PATE as in [papernot2018].
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from dpcore import check
from dpcore.cache import cached
from dpcore.parties.aggregation import CONSTANTS
from dpcore.parties.local import LEARNERS, ONE_BY_ONE
from dpcore.parties.worlds import KINDS, REACH, World, public
from dpcore.privacy import Guarantee
from lab.boundaries import Plane, principal_plane
from lab.files import file_handles, own_rows
from lab.files.own_rows import OwnRows
from lab.settings import Measure, Task
from lab.sources import OWN, SourceSettings
from pages.parties import work
from pages.parties.crowd import Crowd, Gather, known
from pages.parties.own import OwnKind
from pages.parties.result import EPSILONS, PARTIES, PartiesResult
from pages.parties.work import METHODS, Batch, Change, Ensemble, Locals, Model, Tried

LABELS = ("votes", "probabilities")
# How many local models a map shows, and how fine it is.
LOCALS, GRID = 40, 40
# From so many chunks of parties on, pictures do not wait for all of them.
_LARGE = 8

# Field -> (lowest, highest) value that the settings accept.
LIMITS = {
    "parties": (2, 20_000),
    "rows": (3, 60),
    "public_rows": (50, 2000),
    "regularisation": (1e-4, 1.0),
    "epsilon": (0.01, 100.0),
    "delta": (1e-9, 1e-2),
    "unlike": (0.0, 1.0),
    "careless": (0.0, 0.9),
    "queries": (5, 2000),
    "repeats": (2, 40),
    "seed": (0, 9999),
}
# What makes the noise of each release smaller; PATE's is that of a delta too.
_LESS_NOISE = ("epsilon", "parties")
# What is made up about made-up parties: a file's are as they are.
_INVENTED = ("unlike", "careless")
# Rows of each party that a file may have a use for.
_MOST_OWN = 300
# Who records the rows, where parties do: as many as the data of [hamm2016] have, each with a style of its own.
RECORDED = {
    "activities": {"parties": 30, "rows": 300},
    "intrusions": {"parties": 1000, "rows": 22},
    "addresses": {"parties": 5000, "rows": 9},
}
# Parties of a kind that trains one by one, some 0.8 ms each.
_MOST_ONE_BY_ONE = 4000


@dataclass(frozen=True, kw_only=True)
class PartiesSettings(SourceSettings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    epsilon: the claim, in nats, for a whole party.
    parties: M.
    method: which release the page speaks of.
    dataset: one of ``KINDS``, or "own".
    own: with dataset "own", an ``OwnRows`` whose people are the parties; of a plain string, the mere name of one,
    nothing can be computed.
    learner: what the parties train.
    labels: soft labels are shares of "votes", or means of class "probabilities".
    constants: which sensitivities the noise is made for.
    rows: of each party; of a file's, as many are picked by chance, some twice where it has fewer.
    public_rows: N, without labels.
    regularisation: lambda, of parties and aggregator alike.
    unlike: 0, all parties see the same mixture of classes, to 1, each sees one; see ``dpcore.parties.worlds``.
    careless: share of parties that guess their labels.
    delta: of PATE's claim.
    queries: public rows that PATE answers, at most N.
    repeats: draws of the noise.
    seed: of rows and noise.
    """

    CHOICES: ClassVar = {
        "method": METHODS,
        "dataset": (*KINDS, OWN),
        "learner": LEARNERS,
        "labels": LABELS,
        "constants": CONSTANTS,
    }
    LIMITS: ClassVar = LIMITS
    MEASURES: ClassVar = {
        "soft": Measure.accuracy("accuracy of soft labels", lambda now: now.of("soft"), rises=_LESS_NOISE),
        "vote": Measure.accuracy("accuracy of the majority vote", lambda now: now.of("vote"), rises=_LESS_NOISE),
        "average": Measure.accuracy("accuracy of averaged weights", lambda now: now.of("average"), rises=_LESS_NOISE),
        "pate": Measure.accuracy("accuracy of PATE", lambda now: now.of("pate"), rises=(*_LESS_NOISE, "delta")),
    }
    TUNED: ClassVar = {"regularisation": (1e-4, 1.0)}
    PEOPLE: ClassVar = "parties"
    CURVE: ClassVar = EPSILONS
    FOLLOWS: ClassVar = {"learner": ("parties",)}
    COMMON: ClassVar = (
        "parties",
        "method",
        "dataset",
        "own",
        "rows",
        "public_rows",
        "unlike",
        "careless",
        "repeats",
        "seed",
    )

    epsilon: float = 1.0
    dataset: str = "two"
    parties: int = 1000
    method: str = "soft"
    own: str = file_handles.NONE
    learner: str = "logistic"
    labels: str = "votes"
    constants: str = "sharp"
    rows: int = 10
    public_rows: int = 500
    regularisation: float = 1e-3
    unlike: float = 0.2
    careless: float = 0.1
    delta: float = 1e-6
    queries: int = 200
    repeats: int = 20
    seed: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method not in work.methods(self.learner):
            raise check.RefusedError("method", self.method, "one of: vote, soft, pate; only weights can be averaged")

    @classmethod
    def fits(cls, own: OwnRows) -> bool:
        return own.as_parties

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``; only weights of logistic models can be averaged."""
        if self.method == "average" and changes.get("learner", "logistic") != "logistic":
            changes = {"method": "soft"} | changes
        return super().change(**changes)

    def starts(self, dataset: str, own: str) -> dict[str, Any]:
        """Return who records the rows, where parties do, and the usual parties after them or after a file."""
        if dataset == OWN or dataset == self.dataset or not {dataset, self.dataset} & {OWN, *RECORDED}:
            return {}
        usual = {name: getattr(type(self), name) for name in (*_INVENTED, "rows")}
        if dataset in RECORDED:
            return dict.fromkeys(_INVENTED, 0.0) | RECORDED[dataset]
        return usual | ({"parties": type(self).parties} if self.dataset in RECORDED else {})

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Field -> (lowest, highest) value."""
        most = {"parties": _MOST_ONE_BY_ONE if self.learner in ONE_BY_ONE else LIMITS["parties"][1]}
        if self.dataset in KINDS:
            kind = KINDS[self.dataset]
            most |= {"public_rows": kind.most_public, "rows": kind.most_rows}
            most["parties"] = min(most["parties"], kind.most_parties)
        if self.private:
            most |= {"rows": _MOST_OWN} | dict.fromkeys(_INVENTED, 0.0)
        if isinstance(self.own, OwnRows):
            most["parties"] = min(most["parties"], self.own.private)
        found = {name: (LIMITS[name][0], high) for name, high in most.items()}
        return super().limits | found

    @cached_property
    def world(self) -> World:
        """Return what rows there are. Raises RefusedError for a file that is only named, or cannot be parties."""
        return self.part(World, **({"dataset": OwnKind.of(self.own)} if self.private else {}))

    @property
    def preparation(self) -> str:
        chosen = f"choose(table, roles, least={own_rows.LEAST_PARTIES})"
        return super().preparation.replace("choose(table, roles)", chosen)

    @cached_property
    def crowd(self) -> Crowd:
        """Whom the aggregator asks."""
        return self.part(Crowd, regularisation=self.regularisation if self.learner in ("logistic", "mixed") else 0.0)

    @cached_property
    def ensemble(self) -> Ensemble:
        """Return what the aggregator fits."""
        return self.part(Ensemble)

    @cached_property
    def model(self) -> Model:
        """Return what is released, but for epsilon."""
        return self.part(Model, queries=min(self.queries, self.public_rows))

    @property
    def places(self) -> tuple[int, ...]:
        """Numbers of parties of the curve, up to all there are: of a file, its first ones in the order of the seed."""
        most = self.limits["parties"][1]
        last = {most} if self.dataset in (OWN, *RECORDED) else set()
        return tuple(sorted({number for number in PARTIES if number <= most} | last))

    @property
    def plane(self) -> Plane:
        """Return where decisions are drawn: the two features, or two main directions of the public rows."""
        return _plane(self.world, self.public_rows)[0]

    def schedule(self) -> Iterable[Task]:
        """Return what the parties known by now say, or the first ones; then all of them, with the curves on the way."""
        crowd, first = self.crowd, self._first
        tasks = [
            Gather(crowd=crowd, upto=first, essential=True),
            replace(self._now, asked=first, essential=True),
            self.part(Batch),
        ]
        if not self.private:  # no row of a file is drawn, and without a map there is no plane
            _, grid = _plane(self.world, self.public_rows)
            tasks += [Locals(crowd=crowd, parties=min(self.parties, LOCALS, crowd.chunk), grid=grid)]
        # A large crowd takes seconds: until then, curves of the parties so far
        if first < self.parties > _LARGE * crowd.chunk:
            tasks += self._one_crowd(crowd.edges(self.parties)[0])
        return [*tasks, *self._asking(first), *self._one_crowd(self.parties), *self._more_parties()]

    @property
    def overlap(self) -> float:
        return (self.own.people - self.own.private) / self.parties if isinstance(self.own, OwnRows) else 0.0

    @property
    def promise(self) -> Guarantee | None:
        return None if self.void else self.guarantee(self.method)

    def guarantee(self, method: str) -> Guarantee:
        """Return what a method promises to a whole party, with what bounds have cost."""
        return self.whole(self.model.guarantee(method, self.epsilon))

    def probe(self) -> Tried:
        """All methods at today's epsilon, by all of the parties."""
        return self._now

    def sample(self, count: int) -> tuple[Tried, ...]:
        return (replace(self._now, model=replace(self.model, repeats=count)),)

    @property
    def compared(self) -> str:
        return self.method

    @cached_property
    def _now(self) -> Tried:
        return self.part(Tried, asked=self.parties)

    @property
    def _first(self) -> int:
        """Return how many parties are asked before anything is shown: all if known, else up to a place of the curve."""
        asked = known(self.crowd, self.parties)
        if asked == self.parties:
            return asked
        return max([self.crowd.edges(self.parties)[0], *(place for place in self.places if place <= asked)])

    def _one_crowd(self, asked: int) -> list[Task]:
        """All that is drawn of these parties but for the number of them."""
        return [*self._over_epsilon(asked), Change(ensemble=self.ensemble, asked=asked)]

    def _over_epsilon(self, asked: int) -> list[Tried]:
        return [replace(self._now, asked=asked, epsilon=epsilon) for epsilon in self.epsilons]

    def _of(self, parties: int) -> Tried:
        """Today's, were there so many parties."""
        return replace(self._now, model=self.model.at(parties), asked=parties)

    def _asking(self, first: int) -> list[Task]:
        """The parties from the ``first`` on up to all; at the curve's places, what is known so far."""
        tasks, done = [], first
        for number in (*(place for place in self.places if place < self.parties), self.parties):
            new = [upto for upto in self.crowd.edges(number) if upto > done or upto == number]
            tasks += [Gather(crowd=self.crowd, upto=upto) for upto in new]
            tasks += [self._of(number)]
            if number > first:
                tasks += [replace(self._now, asked=number)]
            done = max(done, number)
        return tasks

    def _more_parties(self) -> list[Task]:
        """Crowds larger than this one, for the curve."""
        tasks, done = [], self.parties
        for number in (place for place in self.places if place > self.parties):
            tasks += [Gather(crowd=self.crowd, upto=upto) for upto in self.crowd.edges(number) if upto > done]
            tasks += [self._of(number)]
            done = number
        return tasks

    def result(self, outcomes: Mapping[Task, Any]) -> PartiesResult:
        """Assemble what has been done; needs the essential tasks only."""
        kinds = {type(task): found for task, found in outcomes.items()}
        tried = [task for task in outcomes if isinstance(task, Tried) and task.model == self.model]
        latest = max((task for task in tried if task.epsilon == self.epsilon), key=_asked)
        change = max((task for task in outcomes if isinstance(task, Change)), key=_asked, default=None)
        # One curve, all of the same parties: the fullest one, or of the most parties among those as full
        curves = [self._over_epsilon(asked) for asked in {task.asked for task in tried}]
        over_epsilon = max(curves, key=lambda curve: (len(outcomes.keys() & curve), curve[0].asked))
        over_parties = [self._of(number) for number in self.places]
        return PartiesResult(
            settings=self,
            done=frozenset(outcomes.keys() & {latest, change, *over_epsilon, *over_parties}),
            asked=latest.asked,
            fits=work.fits(self.ensemble, latest.asked),
            now=outcomes[latest],
            batch=kinds[Batch],
            moves=outcomes.get(change),
            locals=kinds.get(Locals),
            over_epsilon=tuple(map(outcomes.get, over_epsilon)),
            over_parties=tuple(map(outcomes.get, over_parties)),
        )


def _asked(task: Tried | Change) -> int:
    return task.asked


@cached
def _plane(world: World, public_rows: int) -> tuple[Plane, tuple[tuple[float, ...], ...]]:
    """(where decisions are drawn, the rows of a grid over it)."""
    features = public(world.dataset, world.seed, public_rows)["public"].X[:, :-1]
    plane = principal_plane(features) if features.shape[1] > 2 else _of_two_features(world)
    return plane, tuple(map(tuple, plane.inputs(plane.grid(GRID)).round(6).tolist()))


def _of_two_features(world: World) -> Plane:
    end, unit = 0.75 * REACH, 0.75 * world.kind.radius
    return Plane(
        origin=np.zeros(2),
        axes=np.eye(2),
        extent=((-end, end), (-end, end)),
        units=((-unit, unit), (-unit, unit)),
        labels=("feature 1", "feature 2"),
    )
