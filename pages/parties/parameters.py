"""What the parties page is asked: the fields and their ranges, what they mean together, and what is guaranteed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from dpcore.parties.aggregation import CONSTANTS
from dpcore.parties.worlds import KINDS, World
from dpcore.privacy import Guarantee
from lab.boundaries import Plane
from lab.files import file_handles, own_rows
from lab.files.own_rows import OwnRows
from lab.settings import Measure
from lab.sources import OWN, SourceSettings
from pages.parties import work
from pages.parties.crowd import Crowd
from pages.parties.own import OwnKind
from pages.parties.work import METHODS, TRUST_MODELS, Ensemble, Model

LABELS = ("votes", "probabilities")
# Where the curves are computed.
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
PARTIES = (2, 5, 20, 60, 200, 600, 2000, 6000, 20_000)
# What makes the noise of each release smaller; PATE's is that of a delta too.
_LESS_NOISE = ("epsilon", "parties")
# What is made up about made-up parties: a file's are as they are.
_INVENTED = ("unlike",)
# Rows of each party that a file may have a use for.
_MOST_OWN = 300
# Who records the rows, where parties do: as many as the data of [hamm2016] have, each with a style of its own.
RECORDED: Mapping[str, Mapping[str, int]] = {
    "activities": {"parties": 30, "rows": 300},
    "intrusions": {"parties": 1000, "rows": 22},
    "addresses": {"parties": 5000, "rows": 9},
}


@dataclass(frozen=True, kw_only=True)
class PartiesParameters(SourceSettings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    epsilon: for a whole party. parties: M. trust_model: who adds the noise, of ``TRUST_MODELS``.
    method: the release that the page speaks of, with noise for ``constants``.
    own: with dataset "own", an ``OwnRows`` whose people are the parties.
    labels: soft labels are shares of "votes", or means of class "probabilities".
    rows: of each party; of a file's, as many are picked by chance, some twice where it has fewer.
    public_rows: N, without labels. regularisation: lambda, of parties and aggregator alike.
    unlike: 0, all parties see the same mixture of classes, to 1, each sees one; see ``dpcore.parties.worlds``.
    delta: of the claim with a shuffler, and of PATE's, for ``queries`` public rows, at most N.
    """

    CHOICES: ClassVar = {
        "method": METHODS,
        "trust_model": TRUST_MODELS,
        "dataset": (*KINDS, OWN),
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
        "soft": Measure.accuracy("accuracy of soft labels", lambda now: now.of("soft"), rises=_LESS_NOISE),
        "vote": Measure.accuracy("accuracy of the majority vote", lambda now: now.of("vote"), rises=_LESS_NOISE),
        "average": Measure.accuracy("accuracy of averaged weights", lambda now: now.of("average"), rises=_LESS_NOISE),
        "pate": Measure.accuracy("accuracy of PATE", lambda now: now.of("pate"), rises=(*_LESS_NOISE, "delta")),
    }
    TUNED: ClassVar = {"regularisation": (1e-4, 1.0)}
    PEOPLE: ClassVar = "parties"
    CURVE: ClassVar = EPSILONS
    FOLLOWS: ClassVar = {"trust_model": ("method", "labels")}
    COMMON: ClassVar = (
        "parties",
        "method",
        "trust_model",
        "dataset",
        "own",
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
    own: str = file_handles.NONE
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

    @classmethod
    def fits(cls, own: OwnRows) -> bool:
        return own.as_parties

    def starts(self, dataset: str, own: str) -> dict[str, Any]:
        """Return who records the rows, where parties do, and the usual parties after them or after a file."""
        if dataset == OWN or dataset == self.dataset or not {dataset, self.dataset} & {OWN, *RECORDED}:
            return {}
        if dataset in RECORDED:
            return {**dict.fromkeys(_INVENTED, 0.0), **RECORDED[dataset]}
        again = (*_INVENTED, "rows", *(("parties",) if self.dataset in RECORDED else ()))
        return {name: getattr(type(self), name) for name in again}

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """Return field -> its values: a party alone answers or sends its weights."""
        methods = tuple(sorted(work.methods(self.trust_model), key=lambda name: name != "soft"))
        return {**self.CHOICES, "method": methods, "labels": LABELS if self.trust_model == "central" else LABELS[:1]}

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        most: dict[str, float] = {}
        parties = [self.LIMITS["parties"][1]]
        if kind := KINDS.get(self.dataset):
            most |= {"public_rows": kind.most_public, "rows": kind.most_rows}
            parties.append(kind.most_parties)
        if self.private:
            most |= {"rows": _MOST_OWN, **dict.fromkeys(_INVENTED, 0.0)}
        if isinstance(self.own, OwnRows):
            parties.append(self.own.private)
        most["parties"] = min(parties)
        return {**super().limits, **{name: (self.LIMITS[name][0], high) for name, high in most.items()}}

    @property
    def overlap(self) -> float:
        return (self.own.people - self.own.private) / self.parties if isinstance(self.own, OwnRows) else 0.0

    @property
    def preparation(self) -> str:
        chosen = f"choose(table, roles, least={own_rows.LEAST_PARTIES})"
        return super().preparation.replace("choose(table, roles)", chosen)

    @property
    def places(self) -> tuple[int, ...]:
        """Return the numbers of parties of the curve, up to all there are: a file's first ones in the seed's order."""
        most = int(self.limits["parties"][1])
        last = {most} if self.dataset in (OWN, *RECORDED) else set()
        return tuple(sorted({number for number in PARTIES if number <= most} | last))

    @cached_property
    def world(self) -> World:
        """Return what rows there are; raise RefusedError for a file that is only named, or cannot be parties."""
        return self.part(World, **({"dataset": OwnKind.of(self.own)} if self.private else {}))

    @cached_property
    def crowd(self) -> Crowd:
        return self.part(Crowd)

    @cached_property
    def ensemble(self) -> Ensemble:
        return self.part(Ensemble)

    @cached_property
    def model(self) -> Model:
        return self.part(Model, queries=min(self.queries, self.public_rows))

    @property
    def plane(self) -> Plane:
        """Return where decisions are drawn: the two features, or two main directions of the public rows."""
        return work.plane(self.world, self.public_rows)

    @property
    def compared(self) -> str:
        return self.method

    @property
    def promise(self) -> Guarantee | None:
        return None if self.void else self.guarantee(self.method)

    def guarantee(self, method: str) -> Guarantee:
        """Return what a method guarantees to a whole party, with what bounds have cost."""
        return self.whole(self.model.guarantee(method, self.epsilon))
