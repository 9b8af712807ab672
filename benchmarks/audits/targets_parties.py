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

PARTY_ROWS = 10
PUBLIC_ROWS = 50
VOTE_REGULARISATION = 20.0
# Length w of the weights at which a party of equal rows reaches the bound of averaged weights:
# w = 1 + W0(1/e). The strength of the regularisation follows from it.
LONGEST_WEIGHTS = 1.2784645427610738
AVERAGE_REGULARISATION = 1 / (LONGEST_WEIGHTS * (1 + math.exp(LONGEST_WEIGHTS)))
# A loose solver leaves this gradient, at a strength where that is four times the sensitivity.
LOOSE_GRADIENT = 1e-3
LOOSE_RATE = 0.1
UNIT_NOISE = NormExponential(sensitivity=1.0, epsilon=1.0)
# Blurs the last digits of scores, see ``released``.
BLUR = 1e-6

# Of PATE: number of queries, and runs whose noise is drawn at a time.
QUERIES = 50
RUNS_AT_ONCE = 1000
# Of randomised answers through a shuffler: number of parties.
SHUFFLED_PARTIES = 2000

# Of federated averaging: a clipping norm that every update of the canary exceeds, and one that none
# does.
ROUNDS = 8
FEW_PARTIES = 4
UPDATE_CLIP_NORM = 0.05
LOOSE_CLIP_NORM = 100.0

# Of a source's classifier: many saturated rows hold the minimum far out along the first axis, where
# two mirrored rows pull to opposite sides.
ROWS = 5000
REGULARISATION = 1e-3
MIRRORED_ROWS = np.array([[0.35, 0.94], [0.35, -0.94]]) / np.hypot(0.35, 0.94)
MANY_DIMENSIONS = 16

# Of noise in the objective: with few rows and little regularisation, one row's share of the
# curvature is large. With more regularisation, only its label counts.
OBJECTIVE_ROWS = 3
WEAK_REGULARISATION = 0.02
STRONG_REGULARISATION = 1.0


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """Parties of which all but one are tied on every public row.

    Attributes:
        method: How they release.
        x: The input (d,) of all rows, a unit vector.
        classes: K.
        parties: M.
        shape: Of the Gamma law of the noise's length; 0 for the number of weights, which is right.
        loose: Fit with a solver that stops early.
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
        """Return lambda. Averaged weights of a party are as long as the bound allows."""
        if self.method == "average":
            return AVERAGE_REGULARISATION
        return VOTE_REGULARISATION

    @property
    def public_rows(self) -> np.ndarray:
        return np.tile(self.x, (PUBLIC_ROWS, 1))

    @property
    def sensitivity(self) -> float:
        constants = "sharp"
        if self.method == "average":
            constants = "norms"
        return aggregation.sensitivity(
            self.method,
            classes=self.classes,
            parties=self.parties,
            regularisation=self.regularisation,
            constants=constants,
        )

    def _party_rows(self, label: int) -> tuple[np.ndarray, np.ndarray]:
        """Return inputs (1, n, d) and classes (1, n) of a party whose rows have one class."""
        return np.tile(self.x, (1, PARTY_ROWS, 1)), np.full((1, PARTY_ROWS), label)

    def party_weights(self, label: int) -> np.ndarray:
        """Return the weights (1, k, d) that such a party trains."""
        X, y = self._party_rows(label)
        return local_models.logistic(X, y, classes=self.classes, regularisation=self.regularisation)

    def clipped_party_weights(self, label: int) -> np.ndarray:
        """Return the weights that such a party sends to the aggregator."""
        bound = aggregation.local_norm_bound(self.classes, self.regularisation)
        return aggregation.clip_norms(self.party_weights(label), max_norm=bound)

    def party_vote(self, label: int) -> int:
        """Return the class that such a party gives to the public rows."""
        X, y = self._party_rows(label)
        first_chunk = next(
            local_models.votes(
                X,
                y,
                self.public_rows,
                classes=self.classes,
                regularisation=self.regularisation,
            )
        )
        return first_chunk.votes[0, 0]

    def vote_counts(self, label: int, rows: int = PUBLIC_ROWS) -> np.ndarray:
        """Return the votes (K, rows) if the one party has rows of class ``label``.

        Half of the others vote as a party of class 0, and half as one of class 1.
        """
        votes = [self.party_vote(0), self.party_vote(1)]
        counts = np.zeros((self.classes, rows))
        counts[votes] = (self.parties - 1) / 2
        counts[votes[label]] += 1
        return counts

    def weights(self, label: int) -> np.ndarray:
        """Return what is released without noise, (k d,), if the one party's rows are of a class."""
        if self.method == "average":
            others = (self.party_weights(0) + self.party_weights(1)) * (self.parties - 1) / 2
            total = others + self.clipped_party_weights(label)
            return (total / self.parties).ravel()
        targets = aggregation.targets(self.vote_counts(label), release=self.method)
        if self.loose:
            return self._loosely_fitted(label, targets[1])
        fit = aggregation.fit(self.public_rows, targets, regularisation=self.regularisation)
        return fit.exact().ravel()

    def _loosely_fitted(self, label: int, share: np.ndarray) -> np.ndarray:
        """Return weights (d,) by small steps from the vote's answer.

        Args:
            label: Class of the one party's rows.
            share: Of class 1 on each public row, (m,).
        """
        rows = self.public_rows
        weights = replace(self, method="vote", loose=False).weights(label)
        while True:
            probabilities = 1 / (1 + np.exp(-rows @ weights))
            gradient = (probabilities - share) @ rows / len(rows)
            gradient = gradient + self.regularisation * weights
            if np.linalg.norm(gradient) <= LOOSE_GRADIENT:
                return weights
            weights = weights - LOOSE_RATE * gradient / (self.regularisation + 0.25)


def party(epsilon: float, *, factor: float = 1.0, **crowd: Any) -> Target:
    """Return the target of a crowd with these fields."""
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
    centres = [crowd.weights(1), crowd.weights(0)]
    size = len(centres[0])
    scale = crowd.sensitivity / epsilon * factor
    rng = _parties_rng(audit_run)
    noise = UNIT_NOISE.noise(size, rng, size=audit_run.runs)
    excess = 0
    if crowd.shape:
        excess = size - crowd.shape
    if excess > 0:
        lengths = np.linalg.norm(noise, axis=1, keepdims=True)
        noise *= rng.gamma(crowd.shape, size=(audit_run.runs, 1)) / lengths
    outputs = centres[1 - audit_run.canary] + scale * noise
    scores = _norm_log_ratio(outputs, centres, scale, excess=excess)
    return scores + BLUR * rng.random(audit_run.runs)


def _parties_rng(audit_run: AuditRun) -> np.random.Generator:
    """Return the noise of parties, which has the two streams the other way round."""
    return stream(audit_run.seed, "audit", 1 - audit_run.draw)


def _laplace_log_ratio(
    outputs: np.ndarray, centres: Sequence[np.ndarray], scale: float
) -> np.ndarray:
    """Return ln p(output | first) - ln p(output | second) of independent Laplace noise, (runs,)."""
    first, second = centres
    distances = np.abs(outputs - second) - np.abs(outputs - first)
    return distances.sum(axis=1) / scale


def _norm_log_ratio(
    outputs: np.ndarray,
    centres: Sequence[np.ndarray] | np.ndarray,
    scale: float,
    *,
    excess: int = 0,
) -> np.ndarray:
    """Return ln p(output | first) - ln p(output | second) of noise with a direction, (runs,).

    The density of the noise is r^-excess exp(-r / scale), up to a factor, so that its length r has
    the Gamma shape p - excess.

    Args:
        outputs: (runs, p).
        centres: The two outputs without noise, (p,) each.
        scale: Of the noise.
        excess: 0 for the mechanism's own noise.
    """
    to_first, to_second = (np.linalg.norm(outputs - centre, axis=1) for centre in centres)
    log_ratio = (to_second - to_first) / scale
    if excess > 0:
        log_ratio += excess * np.log(to_second / to_first)
    return log_ratio


@target
def votes(
    audit_run: AuditRun,
    epsilon: float,
    *,
    delta: float,
    counted: int = QUERIES,
    factor: float = 1.0,
) -> np.ndarray:
    """Count how many of PATE's queries are answered with class 1, with ties broken at random.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        counted: For how many queries the noise is made.
        factor: Of the noise.
    """
    sensitivity = noisy_max.COUNTS_SENSITIVITY * math.sqrt(counted)
    sigma = np.array(factor * sensitivity / gdp.mu_of(epsilon, delta=delta))
    counts = Crowd(method="vote").vote_counts(audit_run.canary, QUERIES)
    rng = _parties_rng(audit_run)
    answered = []
    for first in range(0, audit_run.runs, RUNS_AT_ONCE):
        runs = min(RUNS_AT_ONCE, audit_run.runs - first)
        noise = rng.standard_normal((runs, *counts.shape))
        answered.append(noisy_max.noisy_winners(counts, noise, sigma).sum(axis=1))
    return np.concatenate(answered) + rng.random(audit_run.runs)


@target
def shuffled(
    audit_run: AuditRun, epsilon: float, *, delta: float, in_order: bool = False
) -> np.ndarray:
    """Count the answers "yes" of parties that all say "no", but for one with the canary.

    Each has as large an epsilon as the shuffler allows.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        in_order: See the answer of the one party.
    """
    epsilon_of_party = shuffling.of_one(epsilon, messages=SHUFFLED_PARTIES, delta=delta)
    mechanism = RandomisedResponse(epsilon=epsilon_of_party)
    rng = audit_run.rng()
    if in_order:
        answers = mechanism.answers(np.full(audit_run.runs, audit_run.canary), rng)
        return 1.0 * answers
    parties_of_answers = np.array([SHUFFLED_PARTIES - audit_run.canary, audit_run.canary])
    counts = mechanism.counts(parties_of_answers, rng, size=audit_run.runs)
    # Ties are broken at random.
    return counts[:, 1] + rng.random(audit_run.runs)


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
    other, so the weight is the sum of normal numbers that are all shifted alike.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        factor: Of the noise.
        unclipped: Leave the updates as they are, with the noise for clipped ones.
        sampled: Let each party take part in half of the rounds.
    """
    sampling_rate = 1.0
    accountant = "gdp"
    if sampled:
        sampling_rate = 0.5
        accountant = "pld-coarse"
    multiplier = factor * accountants.calibrate(
        lambda noise: federated_averaging.event(noise, rounds=ROUNDS, sampling_rate=sampling_rate),
        epsilon=epsilon,
        delta=delta,
        adjacency=Adjacency.REPLACE_ONE,
        accountant=accountant,
        bracket=(0.1, 1000.0),
    )
    clip_norm = UPDATE_CLIP_NORM
    if unclipped:
        clip_norm = LOOSE_CLIP_NORM
        multiplier = multiplier * UPDATE_CLIP_NORM / LOOSE_CLIP_NORM
    mechanism = FederatedAveraging(
        local=LocalTraining(classes=2, local_steps=3, clip_norm=clip_norm),
        parties=FEW_PARTIES,
        rounds=ROUNDS,
        noise_multiplier=multiplier,
        sampling_rate=sampling_rate,
    )
    X = np.zeros((FEW_PARTIES, 1, 1))
    X[0] = 1.0
    y = np.zeros((FEW_PARTIES, 1), int)
    y[0] = audit_run.canary
    rngs = [stream(audit_run.seed, "audit", audit_run.draw, run) for run in range(audit_run.runs)]
    return mechanism.train(X, y, rngs)[-1, :, 0, 0]


@cache
def two_minima() -> np.ndarray:
    """Return a source's classifiers (2, d) in the two worlds.

    Nobody knows a pair that is further apart.
    """
    X = np.zeros((2, ROWS, 2))
    X[:, :, 0] = 1.0
    X[:, 0] = MIRRORED_ROWS
    y = np.ones((2, ROWS), int)
    y[:, 0] = 0
    return source_releases.hypotheses(X, y, regularisation=REGULARISATION)


@target
def hypothesis(audit_run: AuditRun, epsilon: float, *, coordinates: bool = False) -> np.ndarray:
    """Score a source's classifier with noise on the answer.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        coordinates: Use independent Laplace noise of the same scale in 16 dimensions, in place of
            noise with a direction.
    """
    scale = source_releases.hypothesis_sensitivity(ROWS, REGULARISATION) / epsilon
    minima = two_minima()
    if coordinates:
        # A vector of the same length.
        distance = np.linalg.norm(minima[0] - minima[1])
        step = np.full(MANY_DIMENSIONS, distance / math.sqrt(MANY_DIMENSIONS))
        noise = audit_run.rng().laplace(scale=scale, size=(audit_run.runs, MANY_DIMENSIONS))
        return _laplace_log_ratio(audit_run.canary * step + noise, (step, 0 * step), scale)
    noise = scale * UNIT_NOISE.noise(minima.shape[1], audit_run.rng(), size=audit_run.runs)
    return _norm_log_ratio(minima[1 - audit_run.canary] + noise, minima, scale)


@target
def gaussian_hypothesis(
    audit_run: AuditRun, epsilon: float, *, delta: float, as_scale: bool = False
) -> np.ndarray:
    """Project the same classifier with Gaussian noise on what one row moves.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        as_scale: Take the scale that pure differential privacy needs for the standard deviation.
    """
    noise_kind = "gaussian"
    if as_scale:
        noise_kind = "exponential"
    budget = source_releases.Budget(epsilon=epsilon, noise=noise_kind, delta=delta)
    sd = budget.scale(source_releases.hypothesis_sensitivity(ROWS, REGULARISATION))
    minima = two_minima()
    noise = sd * audit_run.rng().normal(size=(audit_run.runs, minima.shape[1]))
    outputs = minima[1 - audit_run.canary] + noise
    return outputs @ (minima[0] - minima[1])


@dataclass(frozen=True, kw_only=True)
class _NoVolume(ObjectivePerturbation):
    """Noise in the objective without the price of the densities' change of volume."""

    @property
    def noise_epsilon(self) -> float:
        return self.epsilon


@target
def objective(audit_run: AuditRun, epsilon: float, *, volume: bool = True) -> np.ndarray:
    """Score noise in the objective of a classifier with one weight.

    One row has the input 1, and the other class in the other world. The others have the input 0.
    The minimum w determines the noise b = -n (mean gradient + strength w), and its density is that
    of b times |db/dw|.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        volume: Pay for the densities' change of volume. Otherwise the other world's row has the
            input 0, and no curvature.
    """
    kind: Callable[..., ObjectivePerturbation] = ObjectivePerturbation
    regularisation = STRONG_REGULARISATION
    # (input, class) of the one row without the canary.
    row_without = (1.0, 0)
    if not volume:
        kind = _NoVolume
        regularisation = WEAK_REGULARISATION
        row_without = (0.0, 1)
    row_with = (1.0, 1)
    mechanism = kind(rows=OBJECTIVE_ROWS, regularisation=regularisation, epsilon=epsilon)
    strength = OBJECTIVE_ROWS * (mechanism.regularisation + mechanism.extra)

    def log_density(weights: np.ndarray, row: tuple[float, int]) -> np.ndarray:
        """Return the log-density (runs,) of the minimum, up to a constant."""
        x, label = row
        probabilities = expit(x * weights)
        noise = x * (label - probabilities) - strength * weights
        curvature = x * probabilities * (1 - probabilities) + strength
        return -np.abs(noise) / mechanism.scale + np.log(curvature)

    X = np.zeros((audit_run.runs, OBJECTIVE_ROWS, 1))
    y = np.ones((audit_run.runs, OBJECTIVE_ROWS), int)
    X[:, 0] = row_without[0]
    y[:, 0] = row_without[1]
    if audit_run.canary:
        X[:, 0] = row_with[0]
        y[:, 0] = row_with[1]
    noise = UNIT_NOISE.noise(1, audit_run.rng(), size=audit_run.runs)
    weights = mechanism.minimise(X, y, noise)[:, 0]
    return log_density(weights, row_with) - log_density(weights, row_without)
