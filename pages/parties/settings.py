"""What the parties page is asked: the fields and their ranges, what they mean together, and what is
guaranteed.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from dpcore.parties.aggregation import CONSTANTS
from dpcore.privacy import Guarantee
from lab.data.parties import PartyData
from lab.data.party_kinds import KINDS
from lab.experiment.settings import Measure, Settings, in_range
from lab.statistics.decision_regions import Plane
from pages.parties import tasks
from pages.parties.tasks import METHODS, TRUST_MODELS, Ensemble, Model
from pages.parties.votes import Crowd

LABELS = ("votes", "probabilities")
# Where the curves are computed.
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
PARTIES = (2, 5, 20, 60, 200, 600, 2000, 6000, 20_000)
# What makes the noise of each release smaller; PATE's is that of a delta too.
_LESS_NOISE = ("epsilon", "parties")
# Who records the rows, where parties do: as many as the data of [hamm2016] have, each with a style
# of its own.
RECORDED: Mapping[str, Mapping[str, int]] = {
    "activities": {"parties": 30, "rows": 300},
    "intrusions": {"parties": 1000, "rows": 22},
    "addresses": {"parties": 5000, "rows": 9},
}


@dataclass(frozen=True, kw_only=True)
class PartiesParameters(Settings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    epsilon: for a whole party. parties: M. trust_model: who adds the noise, of ``TRUST_MODELS``.
    method: the release that the page speaks of, with noise for ``constants``.
    labels: soft labels are shares of "votes", or means of class "probabilities".
    rows: of each party.
    public_rows: N, without labels. regularisation: lambda, of parties and aggregator alike.
    unlike: 0, all parties see the same mixture of classes, to 1, each sees one; see
        ``lab.data.parties``.
    delta: of the claim with a shuffler, and of PATE's, for ``queries`` public rows, at most N.
    """

    CHOICES: ClassVar = {
        "method": METHODS,
        "trust_model": TRUST_MODELS,
        "dataset": KINDS,
        "labels": LABELS,
        "constants": CONSTANTS,
    }
    LIMITS: ClassVar = {
        "parties": (2, 20_000),
        "rows": (3, 60),
        "public_rows": (50, 2000),
        "regularisation": (1e-4, 1.0),
        "epsilon": (0.01, 100.0),
        "delta": (1e-9, 1e-2),
        "unlike": (0.0, 1.0),
        "queries": (5, 2000),
        "repeats": (2, 40),
        "seed": (0, 9999),
    }
    MEASURES: ClassVar = {
        "soft": Measure.accuracy(
            "accuracy of soft labels", lambda now: now.of("soft"), rises=_LESS_NOISE
        ),
        "vote": Measure.accuracy(
            "accuracy of the majority vote", lambda now: now.of("vote"), rises=_LESS_NOISE
        ),
        "average": Measure.accuracy(
            "accuracy of averaged weights", lambda now: now.of("average"), rises=_LESS_NOISE
        ),
        "pate": Measure.accuracy(
            "accuracy of PATE", lambda now: now.of("pate"), rises=(*_LESS_NOISE, "delta")
        ),
    }
    TUNED: ClassVar = {"regularisation": (1e-4, 1.0)}
    PEOPLE: ClassVar = "parties"
    COMMON: ClassVar = (
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

    epsilon: float = 1.0
    dataset: str = "two"
    parties: int = 1000
    method: str = "soft"
    labels: str = "votes"
    constants: str = "sharp"
    rows: int = 10
    public_rows: int = 500
    regularisation: float = 1e-3
    unlike: float = 0.2
    delta: float = 1e-6
    queries: int = 200
    repeats: int = 20
    seed: int = 3
    trust_model: str = "central"

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``, and fields that these push out of range brought
        back.

        A data set that parties have recorded brings its parties, and another one after it the usual
        ones.
        """
        dataset = changes.get("dataset", self.dataset)
        if dataset != self.dataset and dataset in RECORDED:
            changes = {"unlike": 0.0, **RECORDED[dataset], **changes}
        elif dataset != self.dataset and self.dataset in RECORDED:
            usual = {name: getattr(type(self), name) for name in ("unlike", "rows", "parties")}
            changes = {**usual, **changes}
        return replace(self, **in_range(self, changes))

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """Return field -> its values: a party alone answers or sends its weights."""
        methods = tuple(sorted(tasks.methods(self.trust_model), key=lambda name: name != "soft"))
        return {
            **self.CHOICES,
            "method": methods,
            "labels": LABELS if self.trust_model == "central" else LABELS[:1],
        }

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        most: dict[str, float] = {}
        parties = [self.LIMITS["parties"][1]]
        if kind := KINDS.get(self.dataset):
            most |= {"public_rows": kind.most_public, "rows": kind.most_rows}
            parties.append(kind.most_parties)
        most["parties"] = min(parties)
        return {
            **self.LIMITS,
            **{name: (self.LIMITS[name][0], high) for name, high in most.items()},
        }

    @property
    def places(self) -> tuple[int, ...]:
        """Return the numbers of parties of the curve, up to all there are."""
        most = int(self.limits["parties"][1])
        last = {most} if self.dataset in RECORDED else set()
        return tuple(sorted({number for number in PARTIES if number <= most} | last))

    @cached_property
    def world(self) -> PartyData:
        """Return what rows there are."""
        return self.subset(PartyData)

    @cached_property
    def crowd(self) -> Crowd:
        return self.subset(Crowd)

    @cached_property
    def ensemble(self) -> Ensemble:
        return self.subset(Ensemble)

    @cached_property
    def model(self) -> Model:
        return self.subset(Model, queries=min(self.queries, self.public_rows))

    @property
    def plane(self) -> Plane:
        """Return where decisions are drawn: the two features, or two main directions of the public
        rows.
        """
        return tasks.plane(self.world, self.public_rows)

    @property
    def compared(self) -> str:
        return self.method

    @property
    def guarantee(self) -> Guarantee:
        return self.guarantee_of(self.method)

    def guarantee_of(self, method: str) -> Guarantee:
        """Return what a method guarantees to a whole party."""
        return self.model.guarantee(method, self.epsilon)
