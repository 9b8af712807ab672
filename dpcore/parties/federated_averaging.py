"""Federated averaging of clipped updates, private for one whole party [mcmahan2018].

    w_0 = 0
    In round t each party m of a cohort takes E gradient steps on its own rows, from w_t to w_m:
        D_m = (w_m - w_t) min(1, C / ||w_m - w_t||)
    w_{t+1} = w_t + (1 / cohort size) sum_m D_m + noise

A replaced party takes its update out of the sum and brings another, each no longer than C. So the
sum moves by at most 2 C in each round, whatever the rows of the parties are. The models after all
rounds are released together.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpcore import check
from dpcore.parties import aggregation
from dpcore.privacy import Adjacency, Composed, GaussianRelease, PoissonSampled
from dpcore.training import losses

# The inverse of 1/4, the largest curvature of the logistic loss of rows of norm at most 1.
LEARNING_RATE = 4.0


class Cohort(NamedTuple):
    """The parties of one round.

    Attributes:
        members: Numbers of the parties of each run, (R, S), or (1, S) if they are the same.
        present: Weight of each of them in the sum, 0 or 1, like ``members``. Runs with fewer
            parties have others with weight 0.
    """

    members: np.ndarray
    present: np.ndarray


@dataclass(frozen=True, kw_only=True)
class LocalTraining:
    """What a party does in a round: gradient steps on its own rows, and clipping.

    Attributes:
        classes: Number of classes K.
        local_steps: E.
        clip_norm: C, the L2 bound on an update.
        learning_rate: Of the local steps.
    """

    classes: int
    local_steps: int
    clip_norm: float
    learning_rate: float = LEARNING_RATE

    def updates(self, weights: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the clipped updates (R, S, k, d) of parties that start from ``weights``.

        Args:
            weights: Of each run, (R, k, d).
            X: Inputs of the parties, (R or 1, S, n, d).
            y: Classes from 0, (R or 1, S, n).
        """
        runs, outputs, inputs = weights.shape
        samples, parties, rows, _ = X.shape
        # Models of all runs that train on the same rows are one matrix, (models k, d).
        models = runs // samples
        X = X.reshape(samples * parties, rows, inputs)
        columns = np.swapaxes(X, -1, -2)
        labels = y.reshape(samples * parties, 1, 1, rows)
        shape = (samples, parties, models * outputs, inputs)
        of_samples = weights.astype(X.dtype).reshape(samples, 1, models * outputs, inputs)
        start = np.broadcast_to(of_samples, shape).reshape(len(X), models * outputs, inputs)
        trained = start
        for _ in range(self.local_steps):
            logits = (trained @ columns).reshape(len(X), models, outputs, rows)
            residuals = losses.residuals(logits, labels).astype(X.dtype)
            gradient = residuals.reshape(len(X), models * outputs, rows) @ X
            trained = trained - X.dtype.type(self.learning_rate / rows) * gradient
        # (samples, S, models, k, d) -> (samples, models, S, k, d) -> (R, S, k, d)
        updates = (trained - start).reshape(samples, parties, models, outputs, inputs)
        updates = updates.swapaxes(1, 2).reshape(runs, parties, outputs, inputs)
        return aggregation.clip_norms(updates.astype(float), max_norm=self.clip_norm)


def average_rounds(
    local: LocalTraining,
    X: np.ndarray,
    y: np.ndarray,
    cohorts: Iterable[Cohort],
    noise: np.ndarray,
    *,
    cohort_size: float,
) -> np.ndarray:
    """Return the weights after each round, (T, R, k, d).

    Args:
        local: What a party does.
        X: Inputs of all parties, (M, n, d).
        y: Classes from 0, (M, n).
        cohorts: The parties of each round.
        noise: On the mean of each round, (T, R, k, d).
        cohort_size: Public number that the sum of the updates is divided by.
    """
    weights = np.zeros(noise.shape[1:])
    history = np.empty(noise.shape)
    for index, cohort in enumerate(cohorts):
        updates = local.updates(weights, X[cohort.members], y[cohort.members])
        total = (updates * cohort.present[..., None, None]).sum(axis=1)
        weights = weights + total / cohort_size + noise[index]
        history[index] = weights
    return history


@dataclass(frozen=True, kw_only=True)
class FederatedAveraging:
    """Rounds of federated averaging by a trusted aggregator, who adds the noise to each mean.

    Guarantee: L2 sensitivity `2 * local.clip_norm / (sampling_rate * parties)`; noise
    `norm(scale=noise_multiplier * sensitivity)` per coordinate and round; event
    `Composed(event=PoissonSampled(rate=sampling_rate,
    event=GaussianRelease(noise_multiplier=noise_multiplier)), count=rounds)`; adjacency
    replace-one.

    The unit is a party. If all take part in each round, the cost is exact, mu = sqrt(rounds) /
    noise_multiplier. A random sample costs what a batch of DP-SGD does.

    Attributes:
        local: What a party does in a round.
        parties: Number M of parties, public.
        rounds: Number T of rounds.
        noise_multiplier: Standard deviation of the noise over the sensitivity.
        sampling_rate: Probability with which each party takes part in a round.

    >>> from dpcore import accountants
    >>> mechanism = FederatedAveraging(
    ...     local=LocalTraining(classes=2, local_steps=5, clip_norm=1.0),
    ...     parties=1000,
    ...     rounds=20,
    ...     noise_multiplier=4.0,
    ... )
    >>> guarantee = accountants.account(
    ...     mechanism.event, delta=1e-5, adjacency=Adjacency.REPLACE_ONE, unit="party"
    ... )
    >>> round(guarantee.epsilon, 2)
    4.98
    """

    local: LocalTraining
    parties: int
    rounds: int
    noise_multiplier: float
    sampling_rate: float = 1.0

    def __post_init__(self) -> None:
        check.whole(1, parties=self.parties)
        check.whole(1, rounds=self.rounds)
        multiplier = check.at_least(0, noise_multiplier=self.noise_multiplier)
        check.positive(sampling_rate=self.sampling_rate)
        sampling_rate = check.between(0, 1, sampling_rate=self.sampling_rate)
        check.set_floats(self, noise_multiplier=multiplier, sampling_rate=sampling_rate)

    @property
    def cohort_size(self) -> float:
        """Return the mean number of parties in a round."""
        return self.sampling_rate * self.parties

    @property
    def sensitivity(self) -> float:
        """Return the L2 norm of the largest change of a round's mean if one party is replaced."""
        return Adjacency.REPLACE_ONE.contributions * self.local.clip_norm / self.cohort_size

    @property
    def noise_sd(self) -> float:
        """Return the standard deviation of the noise on each weight of a round's mean."""
        return self.noise_multiplier * self.sensitivity

    @property
    def event(self) -> Composed:
        """Return the privacy event of all rounds."""
        return event(self.noise_multiplier, rounds=self.rounds, sampling_rate=self.sampling_rate)

    def train(
        self, X: np.ndarray, y: np.ndarray, rngs: Sequence[np.random.Generator]
    ) -> np.ndarray:
        """Return the weights after each round, (T, R, k, d), of one run per generator.

        Args:
            X: Inputs of the parties, (M, n, d), with norms of any size, in single or double
                precision.
            y: Classes from 0, (M, n).
            rngs: Source of the noise and of the samples of each run. The noise comes first, so that
                it is the same for any number of parties.

        Raises:
            RefusedError: If X or y have other shapes, or other than finite numbers and classes.
        """
        check.numbers(X=X)
        if X.ndim != 3 or len(X) != self.parties:
            raise check.RefusedError("X", X.shape, f"an array ({self.parties}, n, d)")
        y = check.wholes(X.shape[:2], low=0, high=self.local.classes - 1, y=y)
        shape = (self.rounds, losses.outputs(self.local.classes), X.shape[-1])
        noise = np.stack([rng.normal(scale=self.noise_sd, size=shape) for rng in rngs], axis=1)
        return average_rounds(
            self.local, X, y, self._cohorts(rngs), noise, cohort_size=self.cohort_size
        )

    def _cohorts(self, rngs: Sequence[np.random.Generator]) -> Iterator[Cohort]:
        """Yield the parties of each round, which are all or a Poisson sample of each run."""
        for _ in range(self.rounds):
            if self.sampling_rate == 1:
                everyone = np.arange(self.parties)[None]
                yield Cohort(everyone, np.ones(everyone.shape))
            else:
                draws = np.stack([rng.random(self.parties) for rng in rngs])
                yield _sampled(draws < self.sampling_rate)


def event(noise_multiplier: float, *, rounds: int, sampling_rate: float = 1.0) -> Composed:
    """Return the privacy event of rounds of federated averaging."""
    release = GaussianRelease(noise_multiplier=noise_multiplier)
    return Composed(event=PoissonSampled(rate=sampling_rate, event=release), count=rounds)


def _sampled(is_member: np.ndarray) -> Cohort:
    """Return the cohort of the parties for which ``is_member`` (R, M) is True."""
    sizes = is_member.sum(axis=1)
    most = max(1, int(sizes.max()))
    # Members first, in their order, and then others.
    order = np.argsort(~is_member, axis=1, kind="stable")
    members = order[:, :most]
    present = np.arange(most) < sizes[:, None]
    return Cohort(members, present.astype(float))
