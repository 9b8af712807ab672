"""Settings of the parties page: their ranges, what they mean together, and the guarantee."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from dpcore.parties.aggregation import CONSTANTS
from dpcore.privacy import Guarantee
from lab.data.parties import PartyData
from lab.data.party_kinds import KINDS
from lab.experiment.settings import Settings, in_range
from lab.statistics.decision_regions import Plane
from pages.parties.federated import Federation
from pages.parties.fits import Ensemble
from pages.parties.mechanisms import FEDERATED, METHODS, TRUST_MODELS, Mechanisms, methods_of
from pages.parties.tasks import decision_plane
from pages.parties.votes import PartyPool

# Numbers of parties at which the curve over parties is computed.
PARTIES = (2, 5, 20, 60, 200, 600, 2000, 6000, 20_000)
# Data sets whose parties record their rows in a style of their own, with as many parties and rows
# as the data of [hamm2016] have.
RECORDED: Mapping[str, Mapping[str, int]] = {
    "activities": {"parties": 30, "rows": 300},
    "intrusions": {"parties": 1000, "rows": 22},
    "addresses": {"parties": 5000, "rows": 9},
}
# Fields that such a data set changes.
_CHANGED_BY_RECORDED = ("unlike", "rows", "parties")


@dataclass(frozen=True, kw_only=True)
class PartiesSettings(Settings):
    """Settings of learning from many parties, each private as a whole.

    It follows [hamm2016]; averaging is after [pathak2010], PATE as in [papernot2018], and federated
    averaging as in [mcmahan2018]. Raises RefusedError, with the name of the field, if a value is
    not allowed.

    epsilon: the guarantee for a whole party.
    dataset: a key of ``KINDS``.
    parties: number M of parties.
    method: the release that the page is about, one of ``METHODS``.
    constants: of the sensitivities that the noise is calibrated to, one of ``CONSTANTS``.
    rows: number of rows of each party.
    public_rows: number N of public rows, which have no labels.
    regularisation: lambda, of the parties and of the aggregator.
    unlike: from 0, all parties draw from the same classes, to 1, each draws from one class
        (``lab.data.parties``).
    delta: of PATE, of federated averaging and of a shuffler.
    queries: number of public rows that PATE's student learns from, at most N.
    rounds: number T of rounds of federated averaging.
    local_steps: number of gradient steps of a party in a round.
    clip_norm: L2 bound C on a party's update in a round.
    cohort: mean number of parties that a trusted aggregator samples for a round.
    repeats: number R of draws of the noise.
    trust_model: who adds the noise, one of ``TRUST_MODELS``.
    """

    EXPERIMENT: ClassVar = "pages.parties.experiment.PartiesExperiment"
    CHOICES: ClassVar = {
        "method": METHODS,
        "trust_model": TRUST_MODELS,
        "dataset": KINDS,
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
        "rounds": (1, 20),
        "local_steps": (1, 20),
        "clip_norm": (0.01, 10.0),
        "cohort": (10, 1000),
        "repeats": (2, 40),
        "seed": (0, 9999),
    }
    TUNED: ClassVar = {"regularisation": (1e-4, 1.0), "clip_norm": (0.03, 10.0)}
    PEOPLE: ClassVar = "parties"

    epsilon: float = 0.5
    dataset: str = "two"
    parties: int = 1000
    method: str = "soft"
    constants: str = "norms"
    rows: int = 10
    public_rows: int = 500
    regularisation: float = 0.01
    unlike: float = 0.2
    delta: float = 1e-6
    queries: int = 200
    rounds: int = 10
    local_steps: int = 3
    clip_norm: float = 1.0
    cohort: int = 200
    repeats: int = 20
    seed: int = 3
    trust_model: str = "central"

    # Ranges

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``, and dependent fields brought into range.

        A recorded data set brings the number of its parties and rows. The next data set resets
        them.
        """
        dataset = changes.get("dataset", self.dataset)
        brought: dict[str, Any] = {}
        if dataset != self.dataset and dataset in RECORDED:
            brought = {"unlike": 0.0, **RECORDED[dataset]}
        elif dataset != self.dataset and self.dataset in RECORDED:
            brought = {name: getattr(type(self), name) for name in _CHANGED_BY_RECORDED}
        return replace(self, **in_range(self, {**brought, **changes}))

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """Return the allowed values of each field, fewer if each party adds the noise itself.

        The first method is "soft", which replaces a method that is not allowed.
        """
        methods = sorted(methods_of(self.trust_model), key=lambda method: method != "soft")
        choices = dict(self.CHOICES)
        choices["method"] = tuple(methods)
        return choices

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the range of each field, which for some depends on the data set."""
        limits = dict(self.LIMITS)
        kind = KINDS.get(self.dataset)
        if kind is not None:
            fewest_public, _ = limits["public_rows"]
            limits["public_rows"] = (fewest_public, kind.most_public)
            fewest_rows, _ = limits["rows"]
            limits["rows"] = (fewest_rows, kind.most_rows)
            fewest_parties, most_parties = limits["parties"]
            limits["parties"] = (fewest_parties, min(most_parties, kind.most_parties))
        return limits

    @property
    def tuned(self) -> Mapping[str, tuple[float, float]]:
        """Return the range of the field that changes the chosen method."""
        name = "regularisation"
        if self.is_federated:
            name = "clip_norm"
        return {name: super().tuned[name]}

    @property
    def is_federated(self) -> bool:
        return self.method == FEDERATED

    @property
    def party_counts(self) -> tuple[int, ...]:
        """Return the numbers of parties at which the curve over parties is computed."""
        _, most_parties = self.limits["parties"]
        counts = {count for count in PARTIES if count <= most_parties}
        if self.dataset in RECORDED:
            counts.add(int(most_parties))
        return tuple(sorted(counts))

    # What is released

    @cached_property
    def data(self) -> PartyData:
        """Return the rows of the parties."""
        return self.subset(PartyData)

    @cached_property
    def pool(self) -> PartyPool:
        """Return the parties and the public rows that they vote about."""
        return self.subset(PartyPool)

    @cached_property
    def ensemble(self) -> Ensemble:
        """Return what the aggregator fits."""
        return self.subset(Ensemble)

    @cached_property
    def mechanisms(self) -> Mechanisms:
        """Return how the fits are made private."""
        return self.subset(Mechanisms, queries=min(self.queries, self.public_rows))

    @cached_property
    def federation(self) -> Federation:
        """Return the federated averaging of the parties."""
        return self.subset(Federation)

    @property
    def plane(self) -> Plane:
        """Return the plane of the maps."""
        return decision_plane(self.data, self.public_rows)

    # Guarantee

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of the method that the page is about."""
        return self.guarantee_of(self.method)

    def guarantee_of(self, method: str) -> Guarantee:
        """Return what a method guarantees to a whole party."""
        if method == FEDERATED:
            return self.federation.guarantee(self.epsilon)
        return self.mechanisms.guarantee(method, self.epsilon)
