"""Private releases of a source in hypothesis transfer (Steps 1 and 2): a hypothesis and a tilt.

They use disjoint parts of its rows, and each source adds its own noise. Neighbours differ in one
row of one source, whose number of rows is public. Leading axes of arrays are independent repeats of
the experiment.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.accountants import gdp
from dpcore.mechanisms import NormExponential
from dpcore.parties import importance
from dpcore.parties.objective_perturbation import Objective
from dpcore.privacy import Adjacency, Event, GaussianRelease, Guarantee, PureRelease
from dpcore.training import dense_or_sparse, erm
from dpcore.training.dense_or_sparse import Matrix, Rows

# Norm-exponential or Gaussian noise on the answer, or noise in the objective.
NOISES = ("exponential", "gaussian", "objective")
# Bounds on the slope of the logistic loss and on the norm of a row.
SLOPE, RADIUS = 1.0, 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """Rows of a source: identifiers ``rows`` (..., n), X (..., n, d) in the unit ball, maybe
    sparse, y in {0, 1}.
    """

    rows: np.ndarray
    X: Matrix
    y: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.X.shape[:-1] != self.rows.shape or (
            self.y is not None and self.y.shape != self.rows.shape
        ):
            raise check.RefusedError(
                "X", self.X.shape, f"a row for each of {self.rows.shape} names"
            )
        longest = dense_or_sparse.longest(self.X)
        if longest > RADIUS * (1 + 1e-6):
            raise check.RefusedError(
                "X", longest, "rows in the unit ball: all noise is made for that"
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """A source's private rows in two parts, each used in one release; raises RefusedError if the
    parts overlap.
    """

    labelled: Part
    unlabelled: Part

    def __post_init__(self) -> None:
        if self.labelled.y is None:
            raise check.RefusedError("labelled", None, "rows with labels")
        both = overlap(self.labelled.rows, self.unlabelled.rows)
        if both:
            raise check.RefusedError(
                "unlabelled", f"{both} rows of the labelled part", "rows of their own"
            )


def overlap(one: np.ndarray, other: np.ndarray) -> int:
    """Return how many row identifiers occur in both (..., n) and (..., m), summed over the
    repeats.
    """
    together = np.sort(np.concatenate([one, other], axis=-1), axis=-1)
    return int((np.diff(together, axis=-1) == 0).sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """The public output of a source: two noisy vectors (..., d) and the guarantee for each row.

    guarantee: None without noise.
    """

    hypothesis: np.ndarray
    tilt: np.ndarray
    guarantee: Guarantee | None

    def __post_init__(self) -> None:
        for array in (self.hypothesis, self.tilt):
            array.flags.writeable = False


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Budget of each release: epsilon, with delta for "gaussian"; infinite epsilon means no
    noise.
    """

    epsilon: float
    noise: str = "exponential"
    delta: float = 1e-5

    def __post_init__(self) -> None:
        check.choice(NOISES, noise=self.noise)
        check.between(0, 1, inclusive=False, delta=self.delta)
        if self.epsilon != math.inf:
            check.positive(epsilon=self.epsilon)

    def scale(self, sensitivity: float) -> float:
        """Return the factor on a draw of scale 1: Delta/epsilon, or the sd Delta/mu of Gaussian
        noise.
        """
        if self.epsilon == math.inf:
            return 0.0
        if self.noise == "gaussian":
            return sensitivity / gdp.mu_of(self.epsilon, delta=self.delta)
        return sensitivity / self.epsilon

    def coordinate_sd(self, sensitivity: float, *, dimension: int) -> float:
        """Return the standard deviation of one coordinate of the noise, or of its product with any
        unit vector.

        sqrt(d + 1) Delta / epsilon for norm-exponential noise: E ||b||^2 = d (d + 1)
        (Delta/epsilon)^2.
        """
        spread = 1.0 if self.noise == "gaussian" else math.sqrt(dimension + 1)
        return spread * self.scale(sensitivity)

    @property
    def event(self) -> Event:
        """Return the event for one row of a source, which is in one of two parts, each with one
        release.
        """
        if self.noise == "gaussian":
            return GaussianRelease(noise_multiplier=1 / gdp.mu_of(self.epsilon, delta=self.delta))
        return PureRelease(epsilon=self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee for one row of one source: the larger of its parts' costs (parallel
        composition).
        """
        if self.epsilon == math.inf:
            raise check.RefusedError(
                "epsilon", self.epsilon, "finite: without noise nothing is promised"
            )
        how = {
            "exponential": "output perturbation, L2-norm exponential mechanism",
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


def hypothesis_sensitivity(
    rows: int, regularisation: float, *, tolerance: float = erm.TOLERANCE
) -> float:
    """Return the L2 sensitivity of ``hypotheses``, 2 / (n lambda) [chaudhuri2011, Corollary 8],
    plus solver error.
    """
    return 2 * SLOPE * RADIUS / (rows * regularisation) + erm.distance(
        tolerance, regularisation=regularisation
    )


def hypotheses(X: Rows, y: np.ndarray, *, regularisation: float) -> np.ndarray:
    """Return argmin (1/n) sum log(1 + exp(-s w.x)) + lambda/2 ||w||^2, s = 2y - 1, (..., d), for X
    (..., n, d).
    """
    return erm.logistic(X, y, regularisation=regularisation).exact()


def draws(kind: str, dimension: int, rng: np.random.Generator) -> np.ndarray:
    """Return noise of scale 1 (d,)."""
    if kind == "gaussian":
        return rng.standard_normal(dimension)
    return NormExponential(sensitivity=1.0, epsilon=1.0).noise(dimension, rng)[0]


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """Noiseless results of K sources, which are private and must not leave the sources."""

    hypotheses: np.ndarray
    tilts: np.ndarray
    hypothesis_sensitivity: float
    tilt_sensitivity: float


def fit(sources: list[Source], public: Rows, *, lambda_lr: float, lambda_iw: float) -> Fitted:
    """Return both minimisers of every source, along a leading axis, for public rows (..., m, d) or
    (m, d).
    """
    labelled, labels, unlabelled = _stacked(sources)
    return Fitted(
        hypotheses=hypotheses(labelled, labels, regularisation=lambda_lr),
        tilts=importance.tilts(unlabelled, public, regularisation=lambda_iw),
        hypothesis_sensitivity=hypothesis_sensitivity(dense_or_sparse.count(labelled), lambda_lr),
        tilt_sensitivity=importance.sensitivity(dense_or_sparse.count(unlabelled), lambda_iw),
    )


def _stacked(sources: list[Source]) -> tuple[Rows, np.ndarray, Rows]:
    """Return the labelled rows, their labels and the unlabelled rows of all sources, along a
    leading axis.
    """
    labels = np.stack([np.asarray(one.labelled.y) for one in sources])
    labelled, unlabelled = (
        [one.labelled.X for one in sources],
        [one.unlabelled.X for one in sources],
    )
    return dense_or_sparse.stacked(labelled), labels, dense_or_sparse.stacked(unlabelled)


def release(fitted: Fitted, budget: Budget, noise: np.ndarray) -> list[Release]:
    """Add each source's own noise to its results; noise (K, ..., 2, d): draws of scale 1 for
    hypothesis and tilt.
    """
    if budget.noise == "objective" and budget.epsilon < math.inf:
        raise check.RefusedError(
            "noise", budget.noise, "noise on the answer; noise in the objective comes before it"
        )
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
    """Return hypotheses and tilts (K, ..., d) by objective perturbation; noise (K, ..., 2, d) as in
    ``release``.

    near: the noiseless minima, used as starting points. They affect the running time but not the
    result.
    """
    X, y, others = _stacked(sources)
    first = Objective(
        rows=dense_or_sparse.count(X), regularisation=lambda_lr, epsilon=budget.epsilon
    )
    second = Objective(
        rows=dense_or_sparse.count(others), regularisation=lambda_iw, epsilon=budget.epsilon
    )
    return (
        first.minimise(X, y, noise[..., 0, :], start=near.hypotheses),
        second.tilt(others, public, noise[..., 1, :], start=near.tilts),
    )


def each(hypotheses: np.ndarray, tilts: np.ndarray, budget: Budget) -> Iterator[Release]:
    """Yield the releases of all sources from vectors (K, ..., d) that already include noise."""
    guarantee = None if budget.epsilon == math.inf else budget.guarantee
    for hypothesis, tilt in zip(hypotheses, tilts, strict=True):
        yield Release(hypothesis=hypothesis.copy(), tilt=tilt.copy(), guarantee=guarantee)
