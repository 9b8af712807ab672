"""Settings of private hypothesis transfer: their ranges, the target's mixture and the guarantee."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from dpcore import check
from dpcore.parties.source_releases import NOISES, Budget
from dpcore.privacy import Guarantee, NormExponentialRelease
from lab.data import domains
from lab.experiment.settings import Settings, in_range
from pages.hypotheses.mixture import mixture_text, normalised, parse_mixture, resized
from pages.hypotheses.training import SourceTraining, TargetTraining, is_projected

# Lowest and highest number of sources by data. Texts have at most one source per topic.
SOURCES = {"domains": (2, 8), "topics": (2, 5), "reviews": (2, 4)}
ROWS = ("source_rows", "unlabelled_rows", "target_rows")
# Highest numbers of ``ROWS`` by data. The repeats draw from a fixed number of texts.
MOST_ROWS = {
    "domains": (4000, 4000, 3000),
    "topics": (1000, 1200, 1500),
    "reviews": (1000, 1200, 1500),
}
# Fields that new data set to their defaults if they are lower.
_RAISED_BY_DATA = ("source_rows", "unlabelled_rows")


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
    mixture: the target's share of each source, which sum to 1, in one text.
    """

    EXPERIMENT: ClassVar = "pages.hypotheses.experiment.HypothesesExperiment"
    CHOICES: ClassVar = {
        "data": domains.KINDS,
        "projection": domains.PROJECTIONS,
        "noise": NOISES,
    }
    LIMITS: ClassVar = {
        "epsilon": (0.1, 1000.0),
        "sources": SOURCES["domains"],
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
    mixture: str = "0.6-0-0-0.4-0"

    def __post_init__(self) -> None:
        """Refuse values that are not allowed, and a mixture in another form than links have.

        So a mixture has one text, one link and one entry in the cache.
        """
        super().__post_init__()
        if mixture_text(normalised(self.shares)) != self.mixture:
            allowed = "shares as change() writes them"
            raise check.RefusedError("mixture", self.mixture, allowed)

    # Ranges

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the range of each field, which for some depends on the data."""
        limits = {**self.LIMITS, "sources": SOURCES[self.data]}
        for name, most in zip(ROWS, MOST_ROWS[self.data], strict=True):
            least, _ = self.LIMITS[name]
            limits[name] = (least, most)
        return limits

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``, and dependent fields brought into range.

        New data take at least the default numbers of rows of a source, if they have so many. With
        fewer or more sources, the mixture keeps its shares of the first ones.
        """
        check.choice(domains.KINDS, data=changes.get("data", self.data))
        starts = {}
        if "data" in changes:
            for name in _RAISED_BY_DATA:
                starts[name] = max(getattr(self, name), getattr(type(self), name))
        moved = in_range(self, changes, starts=starts)
        low, high = SOURCES[moved.get("data", self.data)]
        count = check.whole(low, high, sources=moved.get("sources", self.sources))
        if "mixture" in changes:
            shares = normalised(parse_mixture(str(changes["mixture"]), count))
        else:
            shares = resized(self.shares, count)
        return replace(self, **{**moved, "mixture": mixture_text(shares)})

    @property
    def mixtures(self) -> tuple[tuple[float, ...], ...]:
        """Return the mixtures that the page offers, the set one among them."""
        count = self.sources
        nothing = [0.0] * (count - 2)
        mixtures = [
            resized(parse_mixture(type(self).mixture, type(self).sources), count),
            (1.0, 0.0, *nothing),
            (0.5, 0.5, *nothing),
            (*nothing, 0.25, 0.75),
            normalised((1 / count,) * count),
            self.shares,
        ]
        return tuple(dict.fromkeys(mixtures))

    # What is trained, and what it guarantees

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """Return the target's share of each source, (K,)."""
        return parse_mixture(self.mixture, self.sources)

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

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of one run for a row of a source."""
        guarantee = self.budget.guarantee
        if self.noise != "exponential":
            return guarantee
        features = self.source_training.data.public.shape[1]
        event = NormExponentialRelease(epsilon=self.epsilon, dimension=features)
        return replace(guarantee, event=event)
