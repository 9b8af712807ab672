"""What a source releases: a hypothesis and a tilt, from disjoint parts of its rows; each source adds its own noise.

The two releases of hypothesis transfer (its Steps 1 and 2). Neighbours differ in one row of one source, whose number
of rows is public. Arrays may have leading axes: repeats of the whole experiment, which never meet.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.accountants import gdp
from dpcore.mechanisms import NormExponential
from dpcore.parties import importance
from dpcore.parties.objective import Objective
from dpcore.privacy import Adjacency, Event, GaussianRelease, Guarantee, PureRelease
from dpcore.training import erm, stacks
from dpcore.training.stacks import Rows

NOISES = {
    "exponential": "noise on the answer",
    "gaussian": "Gaussian noise on the answer",
    "objective": "noise in the objective",
}
# The logistic loss is at most so steep; rows are at most this long.
SLOPE, RADIUS = 1.0, 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """Some rows of a source: ``rows`` (..., n) names each, X (..., n, d) in the unit ball, maybe sparse, y (..., n) in
    {0, 1}."""

    rows: np.ndarray
    X: Rows
    y: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.X.shape[:-1] != self.rows.shape or (self.y is not None and self.y.shape != self.rows.shape):
            raise check.RefusedError("X", self.X.shape, f"a row for each of {self.rows.shape} names")
        longest = stacks.longest(self.X)
        if longest > RADIUS * (1 + 1e-6):
            raise check.RefusedError("X", longest, "rows in the unit ball: all noise is made for that")


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """A source's private rows. Each part answers once, so no row may be in both: raises RefusedError if one is."""

    labelled: Part
    unlabelled: Part

    def __post_init__(self) -> None:
        if self.labelled.y is None:
            raise check.RefusedError("labelled", None, "rows with labels")
        both = overlap(self.labelled.rows, self.unlabelled.rows)
        if both:
            raise check.RefusedError("unlabelled", f"{both} rows of the labelled part", "rows of their own")


def overlap(one: np.ndarray, other: np.ndarray) -> int:
    """How many row names stand twice in the union of (..., n) and (..., m); repeats do not count against each other."""
    together = np.sort(np.concatenate([one, other], axis=-1), axis=-1)
    return int((np.diff(together, axis=-1) == 0).sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """All that anybody outside sees of a source: two vectors (..., d) with noise, and what they cost a row.

    guarantee: None where there was no noise.
    """

    hypothesis: np.ndarray
    tilt: np.ndarray
    guarantee: Guarantee | None

    def __post_init__(self) -> None:
        for array in (self.hypothesis, self.tilt):
            array.flags.writeable = False


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What each release may cost: epsilon, with delta for "gaussian"; epsilon may be inf, which is no noise."""

    epsilon: float
    noise: str = "exponential"
    delta: float = 1e-5

    def __post_init__(self) -> None:
        check.choice(NOISES, noise=self.noise)
        check.between(0, 1, inclusive=False, delta=self.delta)
        if self.epsilon != math.inf:
            check.positive(epsilon=self.epsilon)

    def scale(self, sensitivity: float) -> float:
        """What a draw of scale 1 is multiplied with: Delta/epsilon, or the sd Delta/mu of Gaussian noise."""
        if self.epsilon == math.inf:
            return 0.0
        if self.noise == "gaussian":
            return sensitivity / gdp.mu_of(self.epsilon, delta=self.delta)
        return sensitivity / self.epsilon

    def coordinate_sd(self, sensitivity: float, *, dimension: int) -> float:
        """Standard deviation of one coordinate of the noise, and of its product with any unit vector.

        sqrt(d + 1) Delta / epsilon for the norm-exponential law: E ||b||^2 = d (d + 1) (Delta/epsilon)^2.
        """
        spread = 1.0 if self.noise == "gaussian" else math.sqrt(dimension + 1)
        return spread * self.scale(sensitivity)

    @property
    def event(self) -> Event:
        """What happens to a row of a source: it is in one of two parts, and each part answers once."""
        if self.noise == "gaussian":
            return GaussianRelease(noise_multiplier=1 / gdp.mu_of(self.epsilon, delta=self.delta))
        return PureRelease(epsilon=self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """For one row of one source: the larger of its parts' costs, not their sum (parallel composition)."""
        if self.epsilon == math.inf:
            raise check.RefusedError("epsilon", self.epsilon, "finite: without noise nothing is promised")
        how = {
            "exponential": "output perturbation, norm-exponential noise",
            "gaussian": "output perturbation, exact Gaussian noise",
            "objective": "objective perturbation",
        }[self.noise]
        return Guarantee(
            epsilon=self.epsilon,
            delta=self.delta if self.noise == "gaussian" else 0.0,
            adjacency=Adjacency.REPLACE_ONE,
            unit="record",
            basis=f"{how}; two disjoint parts (parallel composition)",
            event=self.event,
        )


def hypothesis_sensitivity(rows: int, regularisation: float, *, tolerance: float = erm.TOLERANCE) -> float:
    """2 / (n lambda): L2 sensitivity of the minimiser of the *mean* loss plus lambda/2 ||w||^2 [chaudhuri2011,
    Corollary 8], and what the solver's tolerance may add."""
    return 2 * SLOPE * RADIUS / (rows * regularisation) + erm.distance(tolerance, regularisation=regularisation)


def hypotheses(X: Rows, y: np.ndarray, *, regularisation: float) -> np.ndarray:
    """argmin (1/n) sum log(1 + exp(-s w.x)) + lambda/2 ||w||^2, s = 2y - 1: X (..., n, d), y (..., n) -> (..., d)."""
    return erm.logistic(X, y, regularisation=regularisation).exact()


def draws(kind: str, dimension: int, rng: np.random.Generator) -> np.ndarray:
    """Noise of scale 1 (d,)."""
    if kind == "gaussian":
        return rng.standard_normal(dimension)
    return NormExponential(sensitivity=1.0, epsilon=1.0).noise(dimension, rng)[0]


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """What a source computes before any noise, for K sources at once. Private: it never leaves the source."""

    hypotheses: np.ndarray
    tilts: np.ndarray
    hypothesis_sensitivity: float
    tilt_sensitivity: float


def fit(sources: list[Source], public: Rows, *, lambda_lr: float, lambda_iw: float) -> Fitted:
    """Both minimisers of every source; public (..., m, d) or (m, d). Leading axis of the answer: sources."""
    labelled = stacks.stacked([one.labelled.X for one in sources])
    labels = np.stack([one.labelled.y for one in sources])
    unlabelled = stacks.stacked([one.unlabelled.X for one in sources])
    return Fitted(
        hypotheses=hypotheses(labelled, labels, regularisation=lambda_lr),
        tilts=importance.tilts(unlabelled, public, regularisation=lambda_iw),
        hypothesis_sensitivity=hypothesis_sensitivity(stacks.count(labelled), lambda_lr),
        tilt_sensitivity=importance.sensitivity(stacks.count(unlabelled), lambda_iw),
    )


def release(fitted: Fitted, budget: Budget, noise: np.ndarray) -> list[Release]:
    """Add each source's own noise to its answers. noise (K, ..., 2, d): draws of scale 1 for hypothesis and tilt."""
    if budget.noise == "objective" and budget.epsilon < math.inf:
        raise check.RefusedError("noise", budget.noise, "noise on the answer; noise in the objective comes before it")
    hypotheses = fitted.hypotheses + budget.scale(fitted.hypothesis_sensitivity) * noise[..., 0, :]
    tilts = fitted.tilts + budget.scale(fitted.tilt_sensitivity) * noise[..., 1, :]
    return list(each(hypotheses, tilts, budget))


def perturbed(
    sources: list[Source],
    public: Rows,
    budget: Budget,
    noise: np.ndarray,
    *,
    near: Fitted,
    lambda_lr: float,
    lambda_iw: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Hypotheses and tilts (K, ..., d), both with noise in their objectives; noise (K, ..., 2, d) as in ``release``.

    near: the minima without noise, where the search begins. They decide how long it takes, and not where it ends.
    """
    labelled, unlabelled = [one.labelled for one in sources], [one.unlabelled for one in sources]
    X, y = stacks.stacked([one.X for one in labelled]), np.stack([one.y for one in labelled])
    others = stacks.stacked([one.X for one in unlabelled])
    first = Objective(rows=stacks.count(X), regularisation=lambda_lr, epsilon=budget.epsilon)
    second = Objective(rows=stacks.count(others), regularisation=lambda_iw, epsilon=budget.epsilon)
    return (
        first.minimise(X, y, noise[..., 0, :], start=near.hypotheses),
        second.tilt(others, public, noise[..., 1, :], start=near.tilts),
    )


def each(hypotheses: np.ndarray, tilts: np.ndarray, budget: Budget) -> Iterator[Release]:
    """The releases of all sources, from vectors (K, ..., d) that hold their noise already."""
    guarantee = None if budget.epsilon == math.inf else budget.guarantee
    for hypothesis, tilt in zip(hypotheses, tilts, strict=True):
        yield Release(hypothesis=hypothesis.copy(), tilt=tilt.copy(), guarantee=guarantee)
