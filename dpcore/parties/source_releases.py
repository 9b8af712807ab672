"""Private releases of a source in hypothesis transfer (Steps 1 and 2), a hypothesis and a tilt.

They use disjoint parts of its rows, and each source adds its own noise. Neighbours differ in one
row of one source, whose number of rows is public. Leading axes of arrays are independent repeats of
the experiment.

A tilt gives importance weights that make public rows resemble a private set [ji2013]. With n_D
private rows x and n_E public ones, the exponential tilt from the public density to the private one
is

    beta = argmin (1/n_D) sum_D log(1 + e^(-beta.x)) + (1/n_E) sum_E log(1 + e^(beta.x)) + lambda/2
    ||beta||^2.

Both classes have equal weight, so that exp(beta.x) estimates the density ratio; a public row's
weight is w_i = n_E exp(beta.x_i) / sum_E exp(beta.x).
"""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.accountants import gdp
from dpcore.mechanisms import NormExponential
from dpcore.parties.objective_perturbation import ObjectivePerturbation
from dpcore.parties.source_rows import RADIUS, Source
from dpcore.privacy import Adjacency, Event, GaussianRelease, Guarantee, PureRelease
from dpcore.training import dense_or_sparse, erm
from dpcore.training.dense_or_sparse import Rows

# Norm-exponential or Gaussian noise on the minimiser, or noise in the objective.
NOISES = ("exponential", "gaussian", "objective")
_BASES = {
    "exponential": "output perturbation, L2-norm exponential mechanism",
    "gaussian": "output perturbation, exact Gaussian noise",
    "objective": "objective perturbation",
}
# Bound on the slope of the logistic loss.
SLOPE = 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """The public output of a source.

    Attributes:
        hypothesis: Noisy weights (..., d).
        tilt: Noisy tilt (..., d).
        guarantee: For each row of the source; None without noise.
    """

    hypothesis: np.ndarray
    tilt: np.ndarray
    guarantee: Guarantee | None

    def __post_init__(self) -> None:
        self.hypothesis.flags.writeable = False
        self.tilt.flags.writeable = False


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The budget of each release of a source, and the noise for it.

    Guarantee: L2 sensitivity `sensitivity`; noise `{"exponential": gamma, "gaussian":
    chi}[noise](dimension, scale=scale(sensitivity))` per norm; event `{"exponential":
    PureRelease(epsilon=epsilon), "gaussian": GaussianRelease(noise_multiplier=1 / mu)}[noise]`;
    adjacency of the sensitivity.

    mu is that of Gaussian differential privacy at (epsilon, delta) [dong2022]. ``fit_perturbed``
    has the line of "objective".

    Attributes:
        epsilon: Of the guarantee, in nats. Infinity means no noise.
        noise: One of ``NOISES``.
        delta: Of the guarantee, used by "gaussian" alone.

    >>> Budget(epsilon=0.5).scale(sensitivity=2.0)
    4.0
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
        """Return the factor on a draw of scale 1.

        It is sensitivity / epsilon, or the standard deviation sensitivity / mu of Gaussian noise.
        """
        if self.epsilon == math.inf:
            return 0.0
        if self.noise == "gaussian":
            return sensitivity / gdp.mu_of(self.epsilon, delta=self.delta)
        return sensitivity / self.epsilon

    def coordinate_sd(self, sensitivity: float, *, dimension: int) -> float:
        """Return the standard deviation of the noise in the direction of any unit vector.

        It is sqrt(d + 1) sensitivity / epsilon for norm-exponential noise, as
        E ||b||^2 = d (d + 1) (sensitivity / epsilon)^2.
        """
        if self.noise == "gaussian":
            return self.scale(sensitivity)
        return math.sqrt(dimension + 1) * self.scale(sensitivity)

    @property
    def event(self) -> Event:
        """Return the event for one row of a source, which is in one part, with one release."""
        if self.noise == "gaussian":
            return GaussianRelease(noise_multiplier=1 / gdp.mu_of(self.epsilon, delta=self.delta))
        return PureRelease(epsilon=self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee for one row of one source, by parallel composition.

        Hypothesis and tilt are fitted to disjoint rows of a source and cost the same, so one row is
        in a single release.

        Raises:
            RefusedError: If epsilon is infinite.
        """
        if self.epsilon == math.inf:
            raise check.RefusedError(
                "epsilon", self.epsilon, "finite: without noise nothing is promised"
            )
        delta = 0.0
        if self.noise == "gaussian":
            delta = self.delta
        return Guarantee(
            epsilon=self.epsilon,
            delta=delta,
            adjacency=Adjacency.REPLACE_ONE,
            unit="record",
            basis=f"{_BASES[self.noise]}; two disjoint parts (parallel composition)",
            event=self.event,
        )


def hypothesis_sensitivity(
    rows: int, regularisation: float, *, tolerance: float = erm.TOLERANCE
) -> float:
    """Return the L2 sensitivity of ``hypotheses``, 2 / (n lambda) [chaudhuri2011, Corollary 8].

    The solver's error is added.
    """
    solver_error = erm.distance(tolerance, regularisation=regularisation)
    return 2 * SLOPE * RADIUS / (rows * regularisation) + solver_error


def hypotheses(X: Rows, y: np.ndarray, *, regularisation: float) -> np.ndarray:
    """Return argmin (1/n) sum log(1 + exp(-s w.x)) + lambda/2 ||w||^2, s = 2y - 1, (..., d).

    Args:
        X: (..., n, d).
        y: (..., n), 0 or 1.
        regularisation: lambda.
    """
    return erm.logistic(X, y, regularisation=regularisation).exact()


def tilt_sensitivity(
    rows: int, regularisation: float, *, radius: float = RADIUS, tolerance: float = erm.TOLERANCE
) -> float:
    """Return the L2 sensitivity of ``tilts``, 2 R / (n_D lambda) under replace-one.

    The objective is lambda-strongly convex, and one private row changes its gradient by at most
    2 R / n_D, as |l'| <= 1 and ||x|| <= R [chaudhuri2011, Lemma 7]. With a single mean over all
    rows, the divisor would be n_D + n_E. The solver's error is added.

    Args:
        rows: n_D, the number of private rows.
        regularisation: lambda.
        radius: R.
        tolerance: Largest norm of the gradient that the solver accepts.
    """
    solver_error = erm.distance(tolerance, regularisation=regularisation)
    return 2 * radius / (rows * regularisation) + solver_error


def tilts(
    private: Rows,
    public: Rows,
    *,
    regularisation: float,
    centre: float | np.ndarray = 0.0,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """Return the tilts beta (..., d).

    Args:
        private: (..., n, d).
        public: (m, d) or (..., m, d).
        regularisation: lambda.
        centre: Of the penalty, (..., d), which is equivalent to a linear term -lambda centre.beta.
        start: Starting point (..., d).
    """
    n = dense_or_sparse.row_count(private)
    m = dense_or_sparse.row_count(public)
    # Private rows are class 1, public rows class 0.
    is_private = np.repeat([1.0, 0.0], [n, m])
    row_weights = np.repeat([1 / n, 1 / m], [n, m])
    minimum = erm.logistic(
        dense_or_sparse.concat_pairs(private, public),
        is_private,
        regularisation=regularisation,
        row_weights=row_weights,
        centre=centre,
        start=start,
    )
    return minimum.exact()


def importance_weights(tilts: np.ndarray, public: Rows) -> np.ndarray:
    """Return the importance weights of public rows (..., m), nonnegative and with mean 1.

    Args:
        tilts: (..., d).
        public: (..., m, d).
    """
    exponents = dense_or_sparse.products(public, tilts[..., None, :])[..., 0]
    weights = np.exp(exponents - exponents.max(axis=-1, keepdims=True))
    return weights / weights.mean(axis=-1, keepdims=True)


def draws(noise: str, dimension: int, rng: np.random.Generator) -> np.ndarray:
    """Return noise of scale 1 (d,), for one of ``NOISES``."""
    if noise == "gaussian":
        return rng.standard_normal(dimension)
    return NormExponential(sensitivity=1.0, epsilon=1.0).noise(dimension, rng)[0]


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """Noiseless results of K sources, which are private and must not leave the sources.

    Attributes:
        hypotheses: (K, ..., d).
        tilts: (K, ..., d).
        hypothesis_sensitivity: L2 sensitivity of a hypothesis to one row.
        tilt_sensitivity: The same of a tilt.
    """

    hypotheses: np.ndarray
    tilts: np.ndarray
    hypothesis_sensitivity: float
    tilt_sensitivity: float


def fit(sources: list[Source], public: Rows, *, lambda_lr: float, lambda_iw: float) -> Fitted:
    """Return the hypothesis and the tilt of every source, with their sensitivities.

    Args:
        sources: K of them.
        public: (..., m, d) or (m, d).
        lambda_lr: Regularisation of the hypotheses.
        lambda_iw: Regularisation of the tilts.
    """
    labelled, labels, unlabelled = _stacked(sources)
    return Fitted(
        hypotheses=hypotheses(labelled, labels, regularisation=lambda_lr),
        tilts=tilts(unlabelled, public, regularisation=lambda_iw),
        hypothesis_sensitivity=hypothesis_sensitivity(
            dense_or_sparse.row_count(labelled), lambda_lr
        ),
        tilt_sensitivity=tilt_sensitivity(dense_or_sparse.row_count(unlabelled), lambda_iw),
    )


def _stacked(sources: list[Source]) -> tuple[Rows, np.ndarray, Rows]:
    """Return labelled rows, labels and unlabelled rows of all sources, along a leading axis."""
    labelled = dense_or_sparse.stack([source.labelled.X for source in sources])
    labels = np.stack([np.asarray(source.labelled.y) for source in sources])
    unlabelled = dense_or_sparse.stack([source.unlabelled.X for source in sources])
    return labelled, labels, unlabelled


def release(fitted: Fitted, budget: Budget, noise: np.ndarray) -> list[Release]:
    """Add each source's own noise to its results.

    Guarantee: L2 sensitivity `hypothesis_sensitivity`; noise `{"exponential": gamma, "gaussian":
    chi}[budget.noise](dimension, scale=budget.scale(sensitivity))` per norm; event `budget.event`;
    adjacency replace-one.

    The line is that of a hypothesis; a tilt has its own sensitivity.

    Args:
        fitted: Of K sources.
        budget: For noise on the minimiser.
        noise: Draws of scale 1 for hypothesis and tilt, (K, ..., 2, d).

    Raises:
        RefusedError: If the noise of the budget is in the objective.
    """
    if budget.noise == "objective" and budget.epsilon < math.inf:
        raise check.RefusedError(
            "noise", budget.noise, "noise on the answer; noise in the objective comes before it"
        )
    hypothesis_scale = budget.scale(fitted.hypothesis_sensitivity)
    tilt_scale = budget.scale(fitted.tilt_sensitivity)
    noisy_hypotheses = fitted.hypotheses + hypothesis_scale * noise[..., 0, :]
    noisy_tilts = fitted.tilts + tilt_scale * noise[..., 1, :]
    return as_releases(noisy_hypotheses, noisy_tilts, budget)


def fit_perturbed(
    sources: list[Source],
    public: Rows,
    budget: Budget,
    noise: np.ndarray,
    *,
    near: Fitted,
    lambda_lr: float,
    lambda_iw: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return hypotheses and tilts (K, ..., d) by objective perturbation.

    Guarantee: L2 sensitivity `2 * SLOPE * RADIUS`; noise `gamma(dimension, scale=sensitivity /
    noise_epsilon)` per norm; event `PureRelease(epsilon=epsilon)`; adjacency replace-one.

    The line is that of a hypothesis: the sensitivity is that of the sum of the rows' gradients,
    and the noise is b of ``ObjectivePerturbation``, whose change of volume costs the rest of
    epsilon.

    Args:
        sources: K of them.
        public: (..., m, d) or (m, d).
        budget: For noise in the objective.
        noise: Draws of scale 1 for hypothesis and tilt, (K, ..., 2, d).
        near: The noiseless minima, used as starting points. They affect the running time but not
            the result.
        lambda_lr: Regularisation of the hypotheses.
        lambda_iw: Regularisation of the tilts.
    """
    labelled, labels, unlabelled = _stacked(sources)
    of_hypotheses = ObjectivePerturbation(
        rows=dense_or_sparse.row_count(labelled), regularisation=lambda_lr, epsilon=budget.epsilon
    )
    of_tilts = ObjectivePerturbation(
        rows=dense_or_sparse.row_count(unlabelled), regularisation=lambda_iw, epsilon=budget.epsilon
    )
    noisy_hypotheses = of_hypotheses.minimise(
        labelled, labels, noise[..., 0, :], start=near.hypotheses
    )
    noisy_tilts = tilts(
        unlabelled,
        public,
        regularisation=of_tilts.strength,
        centre=of_tilts.centre(noise[..., 1, :]),
        start=near.tilts,
    )
    return noisy_hypotheses, noisy_tilts


def as_releases(hypotheses: np.ndarray, tilts: np.ndarray, budget: Budget) -> list[Release]:
    """Return the releases of all sources from vectors (K, ..., d) that already include noise."""
    guarantee = None
    if budget.epsilon < math.inf:
        guarantee = budget.guarantee
    return [
        Release(hypothesis=hypothesis.copy(), tilt=tilt.copy(), guarantee=guarantee)
        for hypothesis, tilt in zip(hypotheses, tilts, strict=True)
    ]
