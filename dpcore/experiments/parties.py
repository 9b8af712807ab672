"""Many parties, one model: votes, soft labels, averages and PATE, each private for a whole party.

Follows [hamm2016]; averaging after [pathak2010], PATE as in [papernot2018].
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from dpcore import check, regions
from dpcore.experiments import parties_work as work
from dpcore.experiments import run
from dpcore.experiments.parties_crowd import Crowd, Gather, known
from dpcore.experiments.parties_result import EPSILONS, PARTIES, PartiesResult
from dpcore.experiments.parties_work import METHODS, Batch, Change, Locals, Model, Trial, Tried
from dpcore.parties.aggregation import CONSTANTS
from dpcore.parties.local import LEARNERS, ONE_BY_ONE
from dpcore.parties.worlds import KINDS, REACH, World, public

LABELS = ("votes", "probabilities")
# How many local models a map shows, and how fine it is.
LOCALS, GRID = 40, 40
# From so many chunks of parties on, pictures do not wait for all of them.
_LARGE = 8

# Field -> (lowest, highest) value that the settings accept.
LIMITS = MappingProxyType(
    {
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
)
# Parties of a kind that trains one by one, some 0.8 ms each.
_MOST_ONE_BY_ONE = 4000


@dataclass(frozen=True, kw_only=True)
class PartiesSettings:
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    method: which release the page speaks of. dataset: of ``KINDS``. learner: what the parties train. labels: soft
    labels are shares of "votes", or means of class "probabilities". constants: of the sensitivities. parties: M. rows:
    of each party. public_rows: N. regularisation: lambda, of parties and aggregator alike. epsilon, and for PATE delta:
    the claim, for a whole party. unlike, careless: see ``dpcore.parties.worlds``. queries: public rows that PATE
    answers, at most N. repeats: draws of the noise.
    """

    epsilon: float = 1.0
    parties: int = 1000
    method: str = "soft"
    dataset: str = "two"
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
        choices = {"method": METHODS, "dataset": KINDS, "learner": LEARNERS, "labels": LABELS, "constants": CONSTANTS}
        for name, options in choices.items():
            check.choice(options, **{name: getattr(self, name)})
        for name, (low, high) in self.limits.items():
            validate = check.whole if isinstance(low, int) else check.between
            validate(low, high, **{name: getattr(self, name)})
        if self.method not in self.model.methods:
            raise check.RefusedError("method", self.method, "one of: vote, soft, pate; only weights can be averaged")

    def change(self, **changes: Any) -> "PartiesSettings":
        """These settings with ``changes``; other parties take along what they cannot do."""
        asked = {name: getattr(self, name) for name in self.__dataclass_fields__} | changes
        if "learner" in changes and changes["learner"] != "logistic" and asked["method"] == "average":
            asked["method"] = "soft"
        if changes.get("learner") in ONE_BY_ONE:
            asked["parties"] = min(asked["parties"], _MOST_ONE_BY_ONE)
        if changes.get("dataset") in KINDS:
            asked["public_rows"] = min(asked["public_rows"], KINDS[changes["dataset"]].most_public)
        return replace(self, **asked)

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Field -> (lowest, highest) value."""
        most = {"parties": _MOST_ONE_BY_ONE if self.learner in ONE_BY_ONE else LIMITS["parties"][1]}
        if self.dataset in KINDS:
            most["public_rows"] = self.world.kind.most_public
        return dict(LIMITS) | {name: (LIMITS[name][0], high) for name, high in most.items()}

    @property
    def world(self) -> World:
        return World(
            dataset=self.dataset,
            rows=self.rows,
            unlike=float(self.unlike),
            careless=float(self.careless),
            seed=self.seed,
        )

    @property
    def crowd(self) -> Crowd:
        strength = float(self.regularisation) if self.learner in ("logistic", "mixed") else 0.0
        return Crowd(world=self.world, learner=self.learner, public_rows=self.public_rows, regularisation=strength)

    @property
    def model(self) -> Model:
        """What is released, but for epsilon."""
        return Model(
            crowd=self.crowd,
            parties=self.parties,
            regularisation=float(self.regularisation),
            labels=self.labels,
            constants=self.constants,
            delta=float(self.delta),
            queries=min(self.queries, self.public_rows),
            repeats=self.repeats,
        )

    @property
    def places(self) -> tuple[int, ...]:
        """Numbers of parties of the curve."""
        return tuple(number for number in PARTIES if number <= self.limits["parties"][1])

    @property
    def plane(self) -> regions.Plane:
        """Where decisions are drawn: the two features, or two main directions of the public rows."""
        kind = self.world.kind
        features = public(self.dataset, self.seed, self.public_rows)["public"].X[:, :-1]
        if features.shape[1] > 2:
            return regions.principal_plane(features)
        end, unit = 0.75 * REACH, 0.75 * kind.radius
        return regions.Plane(
            origin=np.zeros(2),
            axes=np.eye(2),
            extent=((-end, end), (-end, end)),
            units=((-unit, unit), (-unit, unit)),
            labels=("feature 1", "feature 2"),
        )

    def tasks(self) -> tuple[Any, ...]:
        """What the parties known by now say, or the first ones; then all of them, with the curves on the way."""
        model, now, first = self.model, float(self.epsilon), self._first
        plane = self.plane
        grid = tuple(map(tuple, plane.inputs(plane.grid(GRID)).round(6).tolist()))
        tasks = [
            Gather(crowd=self.crowd, upto=first, essential=True),
            Tried(model=model, asked=first, epsilon=now, essential=True),
            Batch(world=self.world, parties=self.parties, regularisation=model.regularisation),
            Locals(crowd=self.crowd, parties=min(self.parties, LOCALS, self.crowd.chunk), grid=grid),
        ]
        # A large crowd takes seconds: until then, curves of the parties so far
        if first < self.parties > _LARGE * self.crowd.chunk:
            tasks += self._curve(model, self.crowd.edges(self.parties)[0])
        tasks += self._asked(model, now, first)
        tasks += self._curve(model, self.parties)
        return tuple(dict.fromkeys(tasks + self._more_parties(model, now)))

    @property
    def _first(self) -> int:
        """How many parties are asked before anything is shown: all if known, else up to a place of the curve."""
        asked = known(self.crowd, self.parties)
        if asked == self.parties:
            return asked
        return max([self.crowd.edges(self.parties)[0], *(place for place in self.places if place <= asked)])

    def _curve(self, model: Model, asked: int) -> list[Any]:
        """All that is drawn of these parties but for the number of them."""
        found = [Tried(model=model, asked=asked, epsilon=epsilon) for epsilon in EPSILONS]
        return [*found, Change(model=self._unscaled(model), asked=asked)]

    def _asked(self, model: Model, now: float, first: int) -> list[Any]:
        """The parties from the ``first`` on up to all; at the curve's places, what is known so far."""
        tasks, done = [], first
        for number in (*(place for place in self.places if place < self.parties), self.parties):
            new = [upto for upto in self.crowd.edges(number) if upto > done or upto == number]
            tasks += [Gather(crowd=self.crowd, upto=upto) for upto in new]
            tasks += [Tried(model=model.at(number), asked=number, epsilon=now)]
            if number > first:
                tasks += [Tried(model=model, asked=number, epsilon=now)]
            done = max(done, number)
        return tasks

    @staticmethod
    def _unscaled(model: Model) -> Model:
        """The model, as far as nothing is released."""
        return replace(model, constants="sharp", delta=1e-6, queries=1, repeats=1)

    def _more_parties(self, model: Model, now: float) -> list[Any]:
        """Crowds larger than this one, for the curve."""
        tasks, done = [], self.parties
        for number in (place for place in self.places if place > self.parties):
            tasks += [Gather(crowd=self.crowd, upto=upto) for upto in self.crowd.edges(number) if upto > done]
            tasks += [Tried(model=model.at(number), asked=number, epsilon=now)]
            done = number
        return tasks

    def result(self, outcomes: Mapping[Any, Any]) -> PartiesResult:
        """Assemble what has been done; needs the essential tasks only."""
        model, now = self.model, float(self.epsilon)
        tried = {(t.model.parties, t.asked, t.epsilon): found for t, found in outcomes.items() if isinstance(t, Tried)}
        moves = {task.asked: found for task, found in outcomes.items() if isinstance(task, Change)}
        kinds = {type(task): found for task, found in outcomes.items()}
        asked = max(one[1] for one in tried if (one[0], one[2]) == (self.parties, now))
        return PartiesResult(
            settings=self,
            asked=asked,
            fits=work.fits(model, asked),
            now=tried[self.parties, asked, now],
            batch=kinds[Batch],
            moves=moves[max(moves)] if moves else None,
            locals=kinds[Locals],
            over_epsilon=self._over_epsilon(tried),
            over_parties=tuple(tried.get((number, number, now)) for number in self.places),
        )

    def _over_epsilon(self, tried: Mapping[tuple[int, int, float], Trial]) -> tuple[Trial | None, ...]:
        """One curve, all of the same parties: of the fullest one, or of the most parties among those as full."""
        ways: dict[int, list[Trial | None]] = {}
        for asked in {one[1] for one in tried if one[0] == self.parties}:
            ways[asked] = [tried.get((self.parties, asked, epsilon)) for epsilon in EPSILONS]
        return tuple(ways[max(ways, key=lambda asked: (sum(one is not None for one in ways[asked]), asked))])

    def run(self) -> PartiesResult:
        """All of it."""
        return run(self)
