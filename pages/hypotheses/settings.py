"""The settings of hypothesis transfer from private sources, and what follows from them
[wang2019].
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from dpcore import check
from dpcore.parties.source_releases import NOISES, Budget
from dpcore.privacy import Guarantee, NormExponentialRelease
from lab.data import domains
from lab.experiment.settings import Measure, Settings
from pages.hypotheses import mixture as mixing
from pages.hypotheses.tasks import Sources, Target, projected

MOST_SOURCES = 8
# Data -> (fewest, most) sources; those with topics have as many as they have topics.
SOURCES = {"domains": (2, 8), "topics": (2, 5), "reviews": (2, 4)}
ROWS = ("source_rows", "unlabelled_rows", "target_rows")
# Data -> most rows (with labels, without, target): text has a fixed number of documents, from which
# repeats draw.
ROOM = {
    "domains": (4000, 4000, 3000),
    "topics": (1000, 1200, 1500),
    "reviews": (1000, 1200, 1500),
}
WEIGHTS = tuple(f"weight_{place}" for place in range(1, MOST_SOURCES + 1))

# Field -> (lowest, highest) value that the settings accept.
LIMITS = {
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
    **dict.fromkeys(WEIGHTS, (0.0, 1.0)),
}
# Where the curves and the table are computed.
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
LEVELS = (1.0, 10.0, 100.0, math.inf)
# Numbers of features at which right answers are measured.
DIMENSIONS = (2, 5, 10, 20, 40, 60)
# Where all words are left, two laws of noise are held against each other, there and in so many
# public directions.
LAWS, DIRECTIONS = ("exponential", "gaussian"), 20
# Repeats at most for each number of features, and of each law of noise.
FEW_REPEATS = 8
# What makes the noise of the sources' releases smaller, and what brings their hypotheses closer to
# the truth.
_LESS_NOISE = ("epsilon", "delta")
_CLOSER = (*_LESS_NOISE, "source_rows")
# What decides which rows there are, besides their numbers.
_OF_ROWS = ("data", "sources", "dimension", "projection", "similarity")


@dataclass(frozen=True, kw_only=True)
class HypothesesParameters(Settings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    sources: K. epsilon: cost of a row of one source, with ``delta`` where noise is Gaussian.
    dimension: d', features after the public ``projection``; "none" leaves all words, whatever
        ``dimension`` is.
    source_rows: n_l, with labels, of each source. unlabelled_rows: n_ul, others, of each source.
    target_rows: of the target, of which a ``label_share`` has labels. public_rows: n_P.
    lambda_lr, lambda_iw: regularisation of hypotheses and importance weights.
    repeats: runs, each with other rows and other noise.
    weight_1, ..., weight_8: the target's share of each domain; those of the sources K sum to 1.
    mixture: the same in one word.
    """

    CHOICES: ClassVar = {
        "data": domains.KINDS,
        "projection": domains.PROJECTIONS,
        "noise": NOISES,
    }
    LIMITS: ClassVar = LIMITS
    MEASURES: ClassVar = {
        "accuracy": Measure.accuracy(
            "accuracy of transfer", lambda now: now.of("transfer"), rises=_CLOSER
        ),
        "gain": Measure(
            "gain over few labels only",
            "higher",
            lambda now: now.of("transfer") - now.of("weak"),
            rises=_CLOSER,
            unit="%",
            limits=(-1.0, 1.0),
        ),
        "error": Measure(
            "mean squared error of the weights",
            "lower",
            lambda now: now.error,
            rises=(*_LESS_NOISE, "unlabelled_rows"),
        ),
    }
    TUNED: ClassVar = {"lambda_lr": (1e-4, 0.1), "lambda_iw": (1e-4, 0.1)}
    PEOPLE: ClassVar = "source_rows"
    STATED: ClassVar = ("sources", *ROWS)
    COMMON: ClassVar = (*_OF_ROWS, *ROWS, "public_rows", "noise", "repeats", "seed", "mixture")

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
        if mixing.word(self.shares) != self.mixture or abs(math.fsum(self.shares) - 1) > 1e-3:
            raise check.RefusedError(
                "mixture", self.mixture, "the weights, which sum to 1: change() keeps them so"
            )

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``.

        A weight takes from the others, or gives to them, in proportion.
        """
        data = check.choice(domains.KINDS, data=changes.get("data", self.data))
        if {"data", "sources"} & set(changes):
            changes = self._fitting(data, changes) | changes
        low, high = SOURCES[data]
        count = check.whole(low, high, sources=changes.get("sources", self.sources))
        shares = (*self.shares, *[0.0] * MOST_SOURCES)[:count]
        if "mixture" in changes:
            shares = mixing.read(str(changes["mixture"]), count)
        for place, name in enumerate(WEIGHTS):
            if name in changes and "mixture" not in changes:
                if place >= count and changes[name] == 0:
                    continue
                check.between(0, 1 if place < count else 0, **{name: changes[name]})
                shares = mixing.given(
                    shares, place, float(changes[name]) + 0.0
                )  # no link has a minus zero
        shares = mixing.whole(shares)
        weights = dict.fromkeys(WEIGHTS, 0.0) | dict(zip(WEIGHTS, shares, strict=False))
        return replace(self, **changes | weights | {"mixture": mixing.word(shares)})

    def _fitting(self, data: str, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the numbers of sources and rows that fit other data or another number of sources.

        Other data take the usual number of rows from a source, or what they have of them.
        """
        low, high = SOURCES[data]
        found: dict[str, Any] = {
            "sources": changes.get("sources", min(max(self.sources, low), high))
        }
        for name, (least, most) in _row_limits(data).items():
            usual = least
            if "data" in changes and name != "target_rows":
                usual = getattr(type(self), name)
            found[name] = min(max(getattr(self, name), usual), most)
        return found

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        return self.LIMITS | _row_limits(self.data) | {"sources": SOURCES[self.data]}

    @property
    def shares(self) -> tuple[float, ...]:
        return tuple(getattr(self, name) for name in WEIGHTS[: self.sources])

    @property
    def budget(self) -> Budget:
        return self.subset(Budget)

    @cached_property
    def model(self) -> Sources:
        """Return what the sources do, whatever the target is."""
        where = self.subset(domains.DomainParams, kind=self.data)
        return self.subset(
            Sources, where=where, labelled=self.source_rows, unlabelled=self.unlabelled_rows
        )

    def target(self, mixture: tuple[float, ...] | None = None) -> Target:
        return Target(sources=self.model, mixture=mixture or self.shares)

    def target_at(self, dimension: int) -> Target:
        """Return the target with rows of so many features, by main directions."""
        where = replace(self.model.where, dimension=dimension, projection="svd")
        model = replace(self.model, where=where)
        return Target(sources=model, mixture=self.shares)

    @property
    def projected(self) -> bool:
        """Return whether rows have few features; known before there are any rows."""
        return projected(self.data, self.projection)

    @property
    def widths(self) -> int:
        """Return how many numbers of features there are at which accuracy is measured."""
        return len(DIMENSIONS) + (not self.projected)

    @property
    def mixtures(self) -> tuple[tuple[float, ...], ...]:
        """Return the targets of the table: today's first."""
        K = self.sources
        usual = [
            (1.0, *[0.0] * (K - 1)),
            (0.5, 0.5, *[0.0] * (K - 2)),
            (*[0.0] * (K - 2), 0.25, 0.75),
            mixing.whole((1 / K,) * K),
        ]
        return tuple(dict.fromkeys([self.shares, *usual]))

    @property
    def guarantee(self) -> Guarantee:
        held = self.budget.guarantee
        if self.noise != "exponential":
            return held
        return replace(
            held,
            event=NormExponentialRelease(
                epsilon=self.epsilon, dimension=self.model.world.public.shape[1]
            ),
        )


def _row_limits(data: str) -> dict[str, tuple[float, float]]:
    """Return number of rows -> (lowest, highest)."""
    highest = dict(zip(ROWS, ROOM[data], strict=True))
    return {name: (LIMITS[name][0], highest[name]) for name in ROWS}
