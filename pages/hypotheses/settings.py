"""Settings of private hypothesis transfer: their ranges, the target's mixture and the guarantee."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from dpcore import check
from dpcore.parties.source_releases import NOISES, Budget
from dpcore.privacy import Guarantee, NormExponentialRelease
from lab.data import domains
from lab.experiment.settings import Settings
from pages.hypotheses.mixture import mixture_text, normalised, parse_mixture, with_share
from pages.hypotheses.training import SourceTraining, TargetTraining, is_projected

MOST_SOURCES = 8
# Lowest and highest number of sources by data. Texts have at most one source per topic.
SOURCES = {"domains": (2, 8), "topics": (2, 5), "reviews": (2, 4)}
ROWS = ("source_rows", "unlabelled_rows", "target_rows")
# Highest numbers of ``ROWS`` by data. The repeats draw from a fixed number of texts.
MOST_ROWS = {
    "domains": (4000, 4000, 3000),
    "topics": (1000, 1200, 1500),
    "reviews": (1000, 1200, 1500),
}
# Fields of the target's share of each source, which a page calls the weight of the source.
SHARES_OF_SOURCES = tuple(f"weight_{number}" for number in range(1, MOST_SOURCES + 1))
# The rounded weights may miss a sum of 1 by so much.
_SUM_TOLERANCE = 1e-3


@dataclass(frozen=True, kw_only=True)
class HypothesesSettings(Settings):
    """Settings of hypothesis transfer from private sources [wang2019].

    Raises RefusedError, with the name of the field, if a value is not allowed.

    data: a key of ``domains.KINDS``.
    sources: number K of sources.
    epsilon: budget for a row of one source, with ``delta`` if the noise is Gaussian.
    label_share: share of the target's rows that have a label.
    dimension: number of features after a projection.
    projection: "svd" to the main directions of public texts, or "none" for all words, whatever
        ``dimension`` is.
    similarity: of the sources of generated domains.
    source_rows, unlabelled_rows: numbers of rows of each source, with and without labels.
    target_rows: number of rows of the target.
    public_rows: number of public rows.
    lambda_lr, lambda_iw: L2 regularisation of hypotheses and importance weights.
    noise: a key of ``NOISES``.
    repeats: number of runs, each with its own rows and noise.
    weight_1, ..., weight_8: the target's share of each domain. Those of the sources sum to 1.
    mixture: the weights of the sources in one text.
    """

    EXPERIMENT: ClassVar = "pages.hypotheses.experiment.HypothesesExperiment"
    CHOICES: ClassVar = {
        "data": domains.KINDS,
        "projection": domains.PROJECTIONS,
        "noise": NOISES,
    }
    LIMITS: ClassVar = {
        "epsilon": (0.1, 1000.0),
        "sources": (2, MOST_SOURCES),
        "label_share": (0.01, 0.5),
        "dimension": (2, 60),
        "similarity": (0.0, 1.0),
        "source_rows": (100, 4000),
        "unlabelled_rows": (100, 4000),
        "target_rows": (200, 3000),
        "public_rows": (200, 3000),
        "lambda_lr": (1e-4, 1.0),
        "lambda_iw": (1e-4, 1.0),
        "delta": (1e-9, 1e-2),
        "repeats": (2, 40),
        "seed": (0, 9999),
        **dict.fromkeys(SHARES_OF_SOURCES, (0.0, 1.0)),
    }
    TUNED: ClassVar = {"lambda_lr": (1e-4, 0.1), "lambda_iw": (1e-4, 0.1)}
    PEOPLE: ClassVar = "source_rows"
    STATED: ClassVar = ("sources", *ROWS)

    data: str = "domains"
    sources: int = 5
    epsilon: float = 3.0
    label_share: float = 0.05
    dimension: int = 20
    projection: str = "svd"
    similarity: float = 0.5
    source_rows: int = 800
    unlabelled_rows: int = 1000
    target_rows: int = 1500
    public_rows: int = 1500
    lambda_lr: float = 0.003
    lambda_iw: float = 0.001
    noise: str = "exponential"
    delta: float = 1e-5
    repeats: int = 20
    seed: int = 3
    weight_1: float = 0.6
    weight_2: float = 0.0
    weight_3: float = 0.0
    weight_4: float = 0.4
    weight_5: float = 0.0
    weight_6: float = 0.0
    weight_7: float = 0.0
    weight_8: float = 0.0
    mixture: str = "0.6-0-0-0.4-0"

    def __post_init__(self) -> None:
        super().__post_init__()
        is_written = mixture_text(self.shares) == self.mixture
        if not is_written or abs(math.fsum(self.shares) - 1) > _SUM_TOLERANCE:
            allowed = "the weights, which sum to 1: change() keeps them so"
            raise check.RefusedError("mixture", self.mixture, allowed)

    # Ranges

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the range of each field, which for some depends on the data."""
        return {**self.LIMITS, **_row_limits(self.data), "sources": SOURCES[self.data]}

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``.

        If a weight changes, the other weights share the rest in proportion. Other data, or another
        number of sources, bring the dependent fields into range.
        """
        data = check.choice(domains.KINDS, data=changes.get("data", self.data))
        if "data" in changes or "sources" in changes:
            changes = {**self._sizes_in_range(data, changes), **changes}
        low, high = SOURCES[data]
        count = check.whole(low, high, sources=changes.get("sources", self.sources))
        shares = normalised(self._shares_after(changes, count))
        changes |= dict.fromkeys(SHARES_OF_SOURCES, 0.0)
        changes |= dict(zip(SHARES_OF_SOURCES, shares, strict=False))
        changes["mixture"] = mixture_text(shares)
        return replace(self, **changes)

    def _sizes_in_range(self, data: str, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return numbers of sources and rows within the ranges of ``data``.

        New data take the default number of rows from a source, or as many as there are.
        """
        low, high = SOURCES[data]
        sizes: dict[str, Any] = {"sources": min(max(self.sources, low), high)}
        for name, (least, most) in _row_limits(data).items():
            if "data" in changes and name != "target_rows":
                least = getattr(type(self), name)
            sizes[name] = min(max(getattr(self, name), least), most)
        return sizes

    def _shares_after(self, changes: Mapping[str, Any], count: int) -> tuple[float, ...]:
        """Return the target's share of each of ``count`` sources after ``changes``."""
        if "mixture" in changes:
            return parse_mixture(str(changes["mixture"]), count)
        padded = [*self.shares, *[0.0] * MOST_SOURCES]
        shares = tuple(padded[:count])
        for index, name in enumerate(SHARES_OF_SOURCES[:count]):
            if name in changes:
                share = check.between(0, 1, **{name: changes[name]})
                # Turns -0.0, which no link has, into 0.0.
                shares = with_share(shares, index, share + 0.0)
        for name in SHARES_OF_SOURCES[count:]:
            # The target has no share of a source that there is not.
            check.between(0, 0, **{name: changes.get(name, 0)})
        return shares

    # What is trained, and what it guarantees

    @property
    def shares(self) -> tuple[float, ...]:
        """Return the target's share of each source, (K,)."""
        return tuple(getattr(self, name) for name in SHARES_OF_SOURCES[: self.sources])

    @property
    def projected(self) -> bool:
        """Return whether the rows have few features."""
        return is_projected(self.data, self.projection)

    @property
    def budget(self) -> Budget:
        """Return the budget of each source."""
        return self.subset(Budget)

    @cached_property
    def source_training(self) -> SourceTraining:
        """Return the training of the sources, which does not depend on the target."""
        return self.subset(
            SourceTraining,
            domains=self.subset(domains.DomainParams, kind=self.data),
            labelled_rows=self.source_rows,
        )

    @property
    def target_training(self) -> TargetTraining:
        """Return the training of the target."""
        return TargetTraining(sources=self.source_training, mixture=self.shares)

    def target_with_dimension(self, dimension: int) -> TargetTraining:
        """Return the training of the same target with rows projected to so many features."""
        sources = self.source_training
        projected_domains = replace(sources.domains, dimension=dimension, projection="svd")
        return TargetTraining(
            sources=replace(sources, domains=projected_domains), mixture=self.shares
        )

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of one run for a row of a source."""
        guarantee = self.budget.guarantee
        if self.noise != "exponential":
            return guarantee
        features = self.source_training.data.public.shape[1]
        event = NormExponentialRelease(epsilon=self.epsilon, dimension=features)
        return replace(guarantee, event=event)


def _row_limits(data: str) -> dict[str, tuple[float, float]]:
    """Return the lowest and the highest value of each of ``ROWS``."""
    limits: dict[str, tuple[float, float]] = {}
    for name, most in zip(ROWS, MOST_ROWS[data], strict=True):
        least, _ = HypothesesSettings.LIMITS[name]
        limits[name] = (least, most)
    return limits
