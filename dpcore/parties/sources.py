"""What a source lets go: a hypothesis and a tilt, from disjoint parts of its rows; each source adds its own noise.

The two releases of hypothesis transfer (its Steps 1 and 2). Neighbours differ in one row of one source, whose number
of rows is public. Arrays may have leading axes: repeats of the whole experiment, which never meet.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from dpcore import check, erm
from dpcore.accountants import gdp
from dpcore.mechanisms import NormExponential
from dpcore.parties import importance
from dpcore.privacy import Adjacency, Event, GaussianRelease, Guarantee, PureRelease

NOISES = MappingProxyType(
    {
        "exponential": "noise on the answer",
        "gaussian": "Gaussian noise on the answer",
        "objective": "noise in the objective",
    }
)
# Bounds of the logistic loss: first and second derivative; rows are at most this long.
SLOPE, CURVATURE, RADIUS = 1.0, 0.25, 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """Some rows of a source: ``rows`` (..., n) names each, X (..., n, d) in the unit ball, y (..., n) in {0, 1}."""

    rows: np.ndarray
    X: np.ndarray
    y: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.X.shape[:-1] != self.rows.shape or (self.y is not None and self.y.shape != self.rows.shape):
            raise check.RefusedError("X", self.X.shape, f"a row for each of {self.rows.shape} names")
        longest = float(np.linalg.norm(self.X, axis=-1).max())
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


def hypotheses(X: np.ndarray, y: np.ndarray, *, regularisation: float) -> np.ndarray:
    """argmin (1/n) sum log(1 + exp(-s w.x)) + lambda/2 ||w||^2, s = 2y - 1: X (..., n, d), y (..., n) -> (..., d)."""
    return erm.logistic(X, y, regularisation=regularisation).weights


@dataclass(frozen=True, kw_only=True)
class Objective:
    """Noise in the objective [chaudhuri2011, Theorem 9]: minimise the mean loss + (lambda + Delta)/2 ||w||^2 + b.w/n.

    density(b) ~ exp(-epsilon' ||b|| / 2), epsilon' = epsilon - ln(1 + 2c/(n lambda) + c^2/(n lambda)^2), c = 1/4. Where
    that is below epsilon/2: Delta = c/(n (e^(epsilon/4) - 1)) - lambda, which makes it epsilon/2. (The theorem does so
    from 0 on; with as much noise as just above 0 nothing would be left.) The minimum must be exact. Each row's second
    derivative is of rank one, which the proof needs [kifer2012].

    A tilt's objective has a term of public rows more, convex and the same for all neighbours. In the proof it only adds
    to the Hessian that stays, n (lambda + Delta) I + ..., and the price of a change of volume can only fall: so the
    same noise serves, n being the *private* rows, whose mean stands in the objective.
    """

    rows: int
    regularisation: float
    epsilon: float

    @property
    def direct(self) -> float:
        """epsilon less the price of the densities' change of volume."""
        share = CURVATURE / (self.rows * self.regularisation)
        return self.epsilon - math.log(1 + 2 * share + share**2)

    @property
    def extra(self) -> float:
        """Delta, the regularisation on top."""
        if self.direct >= self.epsilon / 2:
            return 0.0
        return CURVATURE / (self.rows * math.expm1(self.epsilon / 4)) - self.regularisation

    @property
    def scale(self) -> float:
        """||b|| ~ Gamma(d, 2/epsilon')."""
        return 2 / max(self.direct, self.epsilon / 2)

    def minimise(
        self, X: np.ndarray, y: np.ndarray, draws: np.ndarray, *, start: np.ndarray | None = None
    ) -> np.ndarray:
        """X (..., n, d), y (..., n), draws (..., d) of scale 1 -> (..., d); b.w/n moves the penalty's centre.

        start (..., d): where the search begins, as the minimum without noise.
        """
        return erm.logistic(X, y, regularisation=self.strength, centre=self._centre(draws), start=start).weights

    def tilt(
        self, private: np.ndarray, public: np.ndarray, draws: np.ndarray, *, start: np.ndarray | None = None
    ) -> np.ndarray:
        """private (..., n, d), public (m, d) or (..., m, d), draws (..., d) of scale 1 -> tilts (..., d)."""
        how = {"regularisation": self.strength, "centre": self._centre(draws), "start": start}
        return importance.moved_tilts(private, public, **how)

    @property
    def strength(self) -> float:
        """lambda + Delta."""
        return self.regularisation + self.extra

    def _centre(self, draws: np.ndarray) -> np.ndarray:
        return -self.scale * draws / (self.rows * self.strength)


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


def fit(sources: list[Source], public: np.ndarray, *, lambda_lr: float, lambda_iw: float) -> Fitted:
    """Both minimisers of every source; public (..., m, d) or (m, d). Leading axis of the answer: sources."""
    labelled = np.stack([one.labelled.X for one in sources])
    labels = np.stack([one.labelled.y for one in sources])
    unlabelled = np.stack([one.unlabelled.X for one in sources])
    return Fitted(
        hypotheses=hypotheses(labelled, labels, regularisation=lambda_lr),
        tilts=importance.tilts(unlabelled, public, regularisation=lambda_iw),
        hypothesis_sensitivity=hypothesis_sensitivity(labelled.shape[-2], lambda_lr),
        tilt_sensitivity=importance.sensitivity(unlabelled.shape[-2], lambda_iw),
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
    public: np.ndarray,
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
    X, y = np.stack([one.X for one in labelled]), np.stack([one.y for one in labelled])
    rows = np.stack([one.X for one in unlabelled])
    first = Objective(rows=X.shape[-2], regularisation=lambda_lr, epsilon=budget.epsilon)
    second = Objective(rows=rows.shape[-2], regularisation=lambda_iw, epsilon=budget.epsilon)
    return (
        first.minimise(X, y, noise[..., 0, :], start=near.hypotheses),
        second.tilt(rows, public, noise[..., 1, :], start=near.tilts),
    )


def each(hypotheses: np.ndarray, tilts: np.ndarray, budget: Budget) -> Iterator[Release]:
    """The releases of all sources, from vectors (K, ..., d) that hold their noise already."""
    guarantee = None if budget.epsilon == math.inf else budget.guarantee
    for hypothesis, tilt in zip(hypotheses, tilts, strict=True):
        yield Release(hypothesis=hypothesis.copy(), tilt=tilt.copy(), guarantee=guarantee)
