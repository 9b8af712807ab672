"""Attack parties that vote, average or answer, and sources that share their models.

All parties but one are tied on every public row, and the remaining one says yes or no. The public
rows are alike, so that all effects add up and the release moves by its sensitivity, within a
percent or two. With one weight, no noise hides the direction of the change, and the attack finds
nearly all of epsilon. Parties train, vote and release as in `dpcore.parties.aggregation`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit

from benchmarks.audits.targets import AuditRun, Target, target
from dpcore import accountants, check
from dpcore.accountants import gdp, shuffling
from dpcore.mechanisms import NormExponential, noisy_max
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.parties import aggregation, federated_averaging, source_releases
from dpcore.parties.federated_averaging import FederatedAveraging, LocalTraining
from dpcore.parties.objective_perturbation import ObjectivePerturbation
from dpcore.privacy import Adjacency
from dpcore.streams import stream
from lab.models import local_models

_PARTY_ROWS, _PUBLIC_ROWS, _QUESTIONS, _SHUFFLED = 10, 50, 50, 2000
# A loose solver leaves this gradient, at a strength where that is four times the whole sensitivity.
_LOOSE, _LOOSE_RATE = 1e-3, 0.1
# For the length of weights: lambda at which a party of equal rows reaches the bound, w = 1 +
# W0(1/e).
_LONGEST = 1.2784645427610738
_STANDARD = NormExponential(sensitivity=1.0, epsilon=1.0)


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """M parties, K classes, and the one input x (d,), a unit vector, that all rows have.

    method: how they release. shape: of the Gamma law of the noise's length, all K d numbers where
    0. loose: a solver that stops early.
    """

    method: str
    x: Sequence[float] = (1.0,)
    classes: int = 2
    parties: int = 2001
    shape: int = 0
    loose: bool = False

    def __post_init__(self) -> None:
        check.choice(aggregation.RELEASES, method=self.method)

    @property
    def regularisation(self) -> float:
        """Return lambda; of averages, so that a party's weights are the longest that the bound
        allows.
        """
        return 1 / (_LONGEST * (1 + math.exp(_LONGEST))) if self.method == "average" else 20.0

    @property
    def rows(self) -> np.ndarray:
        return np.tile(self.x, (_PUBLIC_ROWS, 1))

    @property
    def sensitivity(self) -> float:
        return aggregation.sensitivity(
            self.method,
            classes=self.classes,
            parties=self.parties,
            regularisation=self.regularisation,
            constants="norms" if self.method == "average" else "sharp",
        )

    def _party(self, says: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows (1, n, d) and classes (1, n) of a party all of whose rows have class
        ``says``.
        """
        return np.tile(self.x, (1, _PARTY_ROWS, 1)), np.full((1, _PARTY_ROWS), says)

    def trained(self, says: int, *, ease: float = 1.0) -> np.ndarray:
        """Return the weights (1, k, d) of such a party. ease: by how much less than the crowd it
        holds them.
        """
        return local_models.logistic(
            *self._party(says), classes=self.classes, regularisation=self.regularisation / ease
        )

    def vote(self, says: int) -> int:
        about: Any = {"classes": self.classes, "regularisation": self.regularisation}
        return next(local_models.votes(*self._party(says), self.rows, **about)).votes[0, 0]

    def counts(self, says: int, rows: int = _PUBLIC_ROWS) -> np.ndarray:
        """Return votes (K, rows): half of the others for class 0, half for class 1, and the one
        party's.
        """
        votes = [self.vote(label) for label in (0, 1)]
        counts = np.zeros((self.classes, rows))
        counts[votes] = (self.parties - 1) / 2
        counts[votes[says]] += 1
        return counts

    def weights(self, says: int) -> np.ndarray:
        """Return what would be released without noise, (k d,), when the one party has rows of class
        ``says`` only.
        """
        if self.method == "average":
            others = (self.trained(0) + self.trained(1)) * (self.parties - 1) / 2
            return ((others + self.sent(says)) / self.parties).ravel()
        shares = aggregation.targets(self.counts(says), release=self.method)
        return self._descended(says, shares[1]) if self.loose else self.fitted(shares)

    def sent(self, says: int) -> np.ndarray:
        return aggregation.clip_norms(
            self.trained(says),
            max_norm=aggregation.local_norm_bound(self.classes, self.regularisation),
        )

    def fitted(self, shares: np.ndarray) -> np.ndarray:
        return (
            aggregation.fit(self.rows, shares, regularisation=self.regularisation).exact().ravel()
        )

    def _descended(self, says: int, share: np.ndarray) -> np.ndarray:
        """Return small steps of gradient descent from the vote's answer, until the gradient is
        below ``_LOOSE``.
        """
        rows, w = self.rows, replace(self, method="vote", loose=False).weights(says)
        while True:
            p = 1 / (1 + np.exp(-rows @ w))
            gradient = (p - share) @ rows / len(rows) + self.regularisation * w
            if np.linalg.norm(gradient) <= _LOOSE:
                return w
            w = w - _LOOSE_RATE * gradient / (self.regularisation + 0.25)


def party(epsilon: float, *, factor: float = 1.0, **crowd: Any) -> Target:
    return released(Crowd(**crowd), epsilon, factor=factor)


@target
def released(
    audit_run: AuditRun, crowd: Crowd, epsilon: float, *, factor: float = 1.0
) -> np.ndarray:
    """Score what a crowd releases by the exact log-likelihood ratio.

    Past both centres all scores are epsilon, and only their last digits would differ. These tell
    which sum a number came from [mironov2012], which is another attack: so they are blurred.
    """
    check.positive(epsilon=epsilon)
    centres = [crowd.weights(says) for says in (1, 0)]
    scale, size = crowd.sensitivity / epsilon * factor, len(centres[0])
    excess = size - (crowd.shape or size)
    rng = stream(audit_run.seed, "audit", 1 - audit_run.draw)
    noise = _STANDARD.noise(size, rng, size=audit_run.runs)
    if excess:
        lengths = np.linalg.norm(noise, axis=1, keepdims=True)
        noise *= rng.gamma(crowd.shape, size=(audit_run.runs, 1)) / lengths
    seen = centres[1 - audit_run.canary] + scale * noise
    return _norm_score(seen, centres, scale, excess=excess) + 1e-6 * rng.random(audit_run.runs)


def _laplace_score(seen: np.ndarray, centres: Sequence[np.ndarray], scale: float) -> np.ndarray:
    """Return ln p(seen | first) - ln p(seen | second) of independent Laplace noise."""
    return (np.abs(seen - centres[1]) - np.abs(seen - centres[0])).sum(axis=1) / scale


def _norm_score(
    seen: np.ndarray, centres: Sequence[np.ndarray] | np.ndarray, scale: float, *, excess: int = 0
) -> np.ndarray:
    """Return ln p(seen | first) - ln p(seen | second) of noise whose length has the Gamma shape p -
    ``excess``.

    Its density is r^-excess exp(-r / scale), up to a factor.
    """
    near, far = (np.linalg.norm(seen - centre, axis=1) for centre in centres)
    return (far - near) / scale + (excess * np.log(far / near) if excess else 0.0)


@target
def votes(
    audit_run: AuditRun,
    epsilon: float,
    *,
    delta: float,
    counted: int = _QUESTIONS,
    factor: float = 1.0,
) -> np.ndarray:
    """Count how many of PATE's questions are answered yes; ties in the score are broken at random.

    counted: for how many questions the noise is made.
    """
    sigma = np.array(
        factor * noisy_max.COUNTS_SENSITIVITY * math.sqrt(counted) / gdp.mu_of(epsilon, delta=delta)
    )
    counts = [Crowd(method="vote").counts(says, _QUESTIONS) for says in (1, 0)]
    rng, found = stream(audit_run.seed, "audit", 1 - audit_run.draw), []
    for first in range(0, audit_run.runs, 1000):
        noise = rng.standard_normal((min(1000, audit_run.runs - first), *counts[0].shape))
        found.append(
            noisy_max.noisy_winners(counts[1 - audit_run.canary], noise, sigma).sum(axis=1)
        )
    return np.concatenate(found) + rng.random(audit_run.runs)


@target
def shuffled(
    audit_run: AuditRun, epsilon: float, *, delta: float, in_order: bool = False
) -> np.ndarray:
    """Count the answers "yes" of parties that all say "no", but for one in one world; in_order: see
    that one's answer.

    Each has as large an epsilon as the shuffler allows.
    """
    spent = shuffling.of_one(epsilon, messages=_SHUFFLED, delta=delta)
    response, rng = RandomisedResponse(epsilon=spent), audit_run.rng()
    if in_order:
        return 1.0 * response.answers(np.full(audit_run.runs, audit_run.canary), rng)
    people = np.array([_SHUFFLED - audit_run.canary, audit_run.canary])
    return response.counts(people, rng, size=audit_run.runs)[:, 1] + rng.random(audit_run.runs)


# Of federated averaging: rounds, parties, and a clipping norm that every update of the canary
# exceeds.
_ROUNDS, _FEW_PARTIES, _CLIP_NORM = 8, 4, 0.05


@target
def federated(
    audit_run: AuditRun,
    epsilon: float,
    *,
    delta: float,
    factor: float = 1.0,
    unclipped: bool = False,
    sampled: bool = False,
) -> np.ndarray:
    """Read the last weight of parties whose rows are 0, but for those of one.

    Its update is as long as allowed in each round, forwards in one world and backwards in the
    other, so the weight is the sum of normal numbers that are all shifted alike. ``unclipped``
    leaves the updates as they are, with the noise for clipped ones. ``sampled``: each party takes
    part in half of the rounds.
    """
    clip_norm, rate = _CLIP_NORM, 0.5 if sampled else 1.0
    multiplier = factor * accountants.calibrate(
        lambda noise: federated_averaging.event(noise, rounds=_ROUNDS, sampling_rate=rate),
        epsilon=epsilon,
        delta=delta,
        adjacency=Adjacency.REPLACE_ONE,
        accountant="pld-coarse" if sampled else "gdp",
        bracket=(0.1, 1000.0),
    )
    if unclipped:
        clip_norm, multiplier = 100.0, multiplier * _CLIP_NORM / 100.0
    mechanism = FederatedAveraging(
        local=LocalTraining(classes=2, local_steps=3, clip_norm=clip_norm),
        parties=_FEW_PARTIES,
        rounds=_ROUNDS,
        noise_multiplier=multiplier,
        sampling_rate=rate,
    )
    X, y = np.zeros((_FEW_PARTIES, 1, 1)), np.zeros((_FEW_PARTIES, 1), int)
    X[0], y[0] = 1.0, audit_run.canary
    rngs = [stream(audit_run.seed, "audit", audit_run.draw, run) for run in range(audit_run.runs)]
    return mechanism.train(X, y, rngs)[-1, :, 0, 0]


# Many saturated rows hold the minimum far out along the first axis, where two mirrored rows pull to
# opposite sides.
ROWS, REGULARISATION = 5000, 1e-3
_MIRRORED = np.array([[0.35, 0.94], [0.35, -0.94]]) / np.hypot(0.35, 0.94)
# Few rows and little regularisation: one row's share of the curvature is large. With more, only its
# label counts.
_FEW, _WEAK, _STRONG = 3, 0.02, 1.0


@cache
def two_minima() -> np.ndarray:
    """Return a source's classifiers (2, d) in the two worlds: nobody knows a pair that is further
    apart.
    """
    X = np.zeros((2, ROWS, 2))
    X[:, :, 0], X[:, 0] = 1.0, _MIRRORED
    y = np.ones((2, ROWS), int)
    y[:, 0] = 0
    return source_releases.hypotheses(X, y, regularisation=REGULARISATION)


@target
def hypothesis(audit_run: AuditRun, epsilon: float, *, coordinates: bool = False) -> np.ndarray:
    """Score a source's classifier with noise on the answer.

    coordinates: independent Laplace noise in place of a direction, with the same figure, and the
    rows in 16 dimensions.
    """
    scale, minima = (
        source_releases.hypothesis_sensitivity(ROWS, REGULARISATION) / epsilon,
        two_minima(),
    )
    if not coordinates:
        return _answer(audit_run, minima, scale)
    step = np.full(16, np.linalg.norm(minima[0] - minima[1]) / 4)
    seen = audit_run.canary * step + audit_run.rng().laplace(scale=scale, size=(audit_run.runs, 16))
    return _laplace_score(seen, (step, 0 * step), scale)


@target
def gaussian_hypothesis(
    audit_run: AuditRun, epsilon: float, *, delta: float, as_scale: bool = False
) -> np.ndarray:
    """Project the same classifier with Gaussian noise on what one row moves.

    as_scale: the noise's standard deviation is the scale that a pure epsilon needs.
    """
    minima = two_minima()
    budget = source_releases.Budget(
        epsilon=epsilon, noise="exponential" if as_scale else "gaussian", delta=delta
    )
    sd = budget.scale(source_releases.hypothesis_sensitivity(ROWS, REGULARISATION))
    seen = minima[1 - audit_run.canary] + sd * audit_run.rng().normal(
        size=(audit_run.runs, minima.shape[1])
    )
    return seen @ (minima[0] - minima[1])


def _answer(audit_run: AuditRun, minima: np.ndarray, scale: float) -> np.ndarray:
    """Score noise of this scale on two neighbours' minima (2, d) by the exact
    log-likelihood ratio.
    """
    noise = scale * _STANDARD.noise(minima.shape[1], audit_run.rng(), size=audit_run.runs)
    return _norm_score(minima[1 - audit_run.canary] + noise, minima, scale)


@dataclass(frozen=True, kw_only=True)
class _NoVolume(ObjectivePerturbation):
    """Noise in the objective without the price of the densities' change of volume."""

    @property
    def noise_epsilon(self) -> float:
        return self.epsilon


@target
def objective(audit_run: AuditRun, epsilon: float, *, volume: bool = True) -> np.ndarray:
    """Score noise in the objective of a classifier with one weight, by the log-likelihood ratio of
    its minimum.

    One row has the input 1 and the other class in the other world; the others have the input 0.
    Without ``volume`` the price of the densities' change of volume is left out; then the other
    world's row has the input 0, and no curvature. The minimum w tells the noise b = -n (mean
    gradient + strength w), and its density is that of b times |db/dw|.
    """
    kind: Callable[..., ObjectivePerturbation] = ObjectivePerturbation if volume else _NoVolume
    made = kind(rows=_FEW, regularisation=_STRONG if volume else _WEAK, epsilon=epsilon)
    strength = _FEW * (made.regularisation + made.extra)
    worlds = ((1.0, 0) if volume else (0.0, 1), (1.0, 1))

    def log_density(w: np.ndarray, x: float, label: int) -> np.ndarray:
        p = expit(x * w)
        b = x * (label - p) - strength * w
        return -np.abs(b) / made.scale + np.log(x * p * (1 - p) + strength)

    X, y = np.zeros((audit_run.runs, _FEW, 1)), np.ones((audit_run.runs, _FEW), int)
    X[:, 0], y[:, 0] = worlds[audit_run.canary]
    w = made.minimise(X, y, _STANDARD.noise(1, audit_run.rng(), size=audit_run.runs))[:, 0]
    return log_density(w, *worlds[1]) - log_density(w, *worlds[0])
