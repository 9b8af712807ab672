"""Federated averaging of the parties: its noise and guarantee, and what it releases.

A trusted aggregator samples the parties of each round. Otherwise messages are seen, and a sample
would hide nobody. The parties then take turns, so that none sends more messages than it must.
Shapes: T rounds, R repeats. Weights are (k, d).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dpcore import accountants
from dpcore.accountants import shuffling
from dpcore.cache import Key, cached
from dpcore.mechanisms import NormExponential
from dpcore.parties import aggregation, federated_averaging
from dpcore.parties.federated_averaging import Cohort, FederatedAveraging, LocalTraining
from dpcore.privacy import Adjacency, Composed, Guarantee, NormExponentialRelease
from dpcore.streams import stream
from dpcore.training import descent, losses
from lab.data.parties import PartyData, parties, public
from lab.experiment import chunking
from pages.parties.mechanisms import FEDERATED, METHODS, UNIT, pure_guarantee

# Numbers of rounds at which the curves over rounds are computed.
ROUNDS = (1, 2, 3, 5, 7, 10, 14, 20)
# The part of a noise stream that federated averaging draws from.
_STREAM_PART = METHODS.index(FEDERATED)
# The accountant of sampled parties, which bounds epsilon from above as the slower one does.
_ACCOUNTANT_OF_SAMPLES = "pld-coarse"
# A sample of share q needs at least about q times the noise of all parties, and at most as much.
_LEAST_SHARE_OF_NOISE = 0.9
_CALIBRATION_TOLERANCE = 1e-4
# Updates of single parties take so many times as long as other training of as many cells.
_SLOWNESS = 5
# Rows from which accuracy is computed do not depend on the number of public rows.
_PUBLIC_ROWS = 50
_BASIS = "L2-norm exponential mechanism on each party's update"


class FederatedModels(NamedTuple):
    """Models after the last round, of each repeat.

    accuracy: on test rows, (R,).
    weights: (R, k, d).
    """

    accuracy: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Federation(Key):
    """Rounds of federated averaging, at any epsilon.

    data: the rows of the parties.
    parties: number M of parties.
    trust_model: who adds the noise, one of ``mechanisms.TRUST_MODELS``.
    delta: of the guarantee.
    rounds: number T of rounds.
    local_steps: number of gradient steps of a party in a round.
    clip_norm: L2 bound C on an update.
    cohort: mean number of parties that a trusted aggregator samples for a round.
    repeats: number R of draws of samples and noise.
    """

    data: PartyData
    parties: int
    trust_model: str
    delta: float
    rounds: int
    local_steps: int
    clip_norm: float
    cohort: int
    repeats: int

    @property
    def is_central(self) -> bool:
        return self.trust_model == "central"

    @property
    def local(self) -> LocalTraining:
        """Return what a party does in a round."""
        return LocalTraining(
            classes=self.data.kind.classes,
            local_steps=self.local_steps,
            clip_norm=self.clip_norm,
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Return the shape (k, d) of the weights."""
        return losses.outputs(self.data.kind.classes), self.data.kind.inputs

    @property
    def cost(self) -> float:
        """Return the cells of one repeat (``lab.experiment.chunking``)."""
        outputs, inputs = self.shape
        return _SLOWNESS * chunking.training_cells(
            rows=math.ceil(self.round_size) * self.data.rows,
            outputs=outputs,
            inputs=inputs,
            steps=self.rounds * self.local_steps,
        )

    # Who takes part

    @property
    def sampling_rate(self) -> float:
        """Return the probability with which a trusted aggregator samples a party for a round."""
        return min(1.0, self.cohort / self.parties)

    @property
    def round_size(self) -> float:
        """Return the mean number of parties in a round.

        A trusted aggregator samples them. Otherwise it is the number of those whose turn it is.
        """
        if self.is_central:
            return self.sampling_rate * self.parties
        return max(1, self.parties // self.rounds)

    @property
    def turns(self) -> int:
        """Return in how many rounds a party takes part at most, if the parties take turns."""
        return math.ceil(self.rounds * self.round_size / self.parties)

    def _cohorts_in_turn(self) -> Iterator[Cohort]:
        """Yield the parties of each round, each of weight 1 and the same in all repeats."""
        size = int(self.round_size)
        for index in range(self.rounds):
            members = (index * size + np.arange(size)) % self.parties
            # (1, size): all repeats share the parties of a round.
            yield Cohort(members[None], np.ones((1, size)))

    # Noise

    @property
    def sensitivity(self) -> float:
        """Return the L2 sensitivity of what a round releases to one replaced party.

        A trusted aggregator releases the mean of the updates, and otherwise each party its update.
        """
        change = Adjacency.REPLACE_ONE.contributions * self.clip_norm
        if self.is_central:
            return change / self.round_size
        return change

    def noise_multiplier(self, epsilon: float) -> float:
        """Return the standard deviation of Gaussian noise over the sensitivity."""
        if not self.is_central:
            return descent.noise_multiplier(epsilon=epsilon, delta=self.delta, steps=self.turns)
        if self.sampling_rate == 1:
            return descent.noise_multiplier(epsilon=epsilon, delta=self.delta, steps=self.rounds)
        return _multiplier_of_samples(epsilon, self.delta, self.rounds, self.sampling_rate)

    def message_epsilon(self, epsilon: float) -> float | None:
        """Return the epsilon of one shuffled message; None if messages have Gaussian noise.

        A party that sends once may send a message that is pure epsilon-DP, which a shuffler
        amplifies. It does so if the noise is then smaller than Gaussian noise.
        """
        if self.trust_model != "shuffle" or self.turns > 1:
            return None
        messages = int(self.round_size)
        message_epsilon = shuffling.of_one(epsilon, messages=messages, delta=self.delta)
        gaussian_sd = self.noise_multiplier(epsilon) * self.sensitivity
        if self._pure_sd(message_epsilon) > gaussian_sd:
            return None
        return message_epsilon

    def _pure_sd(self, message_epsilon: float) -> float:
        """Return the standard deviation of norm-exponential noise on each weight of an update."""
        return aggregation.margin_sd(
            self.sensitivity, dimensions=math.prod(self.shape), epsilon=message_epsilon
        )

    def noise_sd(self, epsilon: float) -> float:
        """Return the standard deviation of the noise on each weight of a round's mean."""
        message_epsilon = self.message_epsilon(epsilon)
        if message_epsilon is None:
            noise_sd = self.noise_multiplier(epsilon) * self.sensitivity
        else:
            noise_sd = self._pure_sd(message_epsilon)
        if self.is_central:
            return noise_sd
        return noise_sd / math.sqrt(self.round_size)

    # Guarantee

    def guarantee(self, epsilon: float) -> Guarantee:
        """Return what all rounds together guarantee to a whole party."""
        message_epsilon = self.message_epsilon(epsilon)
        if message_epsilon is not None:
            return self._guarantee_of_shuffle(message_epsilon, epsilon)
        return _guarantee(self._event(epsilon), self.delta, self._accountant)

    def _event(self, epsilon: float) -> Composed:
        """Return the event of all rounds for a party, with Gaussian noise."""
        multiplier = self.noise_multiplier(epsilon)
        if self.is_central:
            return federated_averaging.event(
                multiplier, rounds=self.rounds, sampling_rate=self.sampling_rate
            )
        return descent.event(multiplier, steps=self.turns)

    @property
    def _accountant(self) -> str:
        if self.is_central and self.sampling_rate < 1:
            return _ACCOUNTANT_OF_SAMPLES
        return "gdp"

    def _guarantee_of_shuffle(self, message_epsilon: float, epsilon: float) -> Guarantee:
        event = NormExponentialRelease(epsilon=message_epsilon, dimension=math.prod(self.shape))
        message = pure_guarantee(event, basis=_BASIS)
        return shuffling.together(message, epsilon=epsilon, delta=self.delta)

    def epsilons_of_rounds(self, epsilon: float) -> np.ndarray:
        """Return the epsilon (V,) of each number of rounds in ``ROUNDS``.

        A trusted aggregator adds the noise, in each round as much as with ``self.rounds`` rounds.
        """
        event = federated_averaging.event(
            self.noise_multiplier(epsilon), rounds=1, sampling_rate=self.sampling_rate
        )
        return accountants.curve(
            event,
            ROUNDS,
            delta=self.delta,
            adjacency=Adjacency.REPLACE_ONE,
            accountant=self._accountant,
        )

    # What is released

    def train(self, epsilon: float, repeats: Sequence[int]) -> FederatedModels:
        """Return the models of some repeats."""
        X, y = _rows(self.data, self.parties)
        rngs = [stream(self.data.seed, "noise", repeat, _STREAM_PART) for repeat in repeats]
        if self.is_central:
            mechanism = FederatedAveraging(
                local=self.local,
                parties=self.parties,
                rounds=self.rounds,
                noise_multiplier=self.noise_multiplier(epsilon),
                sampling_rate=self.sampling_rate,
            )
            history = mechanism.train(X, y, rngs)
        else:
            noise = np.stack([self._noise_of_messages(epsilon, rng) for rng in rngs], axis=1)
            history = federated_averaging.average_rounds(
                self.local, X, y, self._cohorts_in_turn(), noise, cohort_size=self.round_size
            )
        weights = history[-1]
        test = public(self.data.dataset, self.data.seed, _PUBLIC_ROWS)["test"]
        return FederatedModels(losses.accuracy(weights, test.X, test.y), weights)

    def _noise_of_messages(self, epsilon: float, rng: np.random.Generator) -> np.ndarray:
        """Return the mean noise of the messages of each round, (T, k, d)."""
        shape = (self.rounds, *self.shape)
        message_epsilon = self.message_epsilon(epsilon)
        if message_epsilon is None:
            return rng.normal(scale=self.noise_sd(epsilon), size=shape)
        mechanism = NormExponential(sensitivity=self.sensitivity, epsilon=message_epsilon)
        messages = self.rounds * int(self.round_size)
        noise = mechanism.noise(math.prod(self.shape), rng, size=messages)
        # (T S, k d) -> (T, S, k d), with the S messages of each round
        noise_of_round = noise.reshape(self.rounds, -1, math.prod(self.shape))
        return noise_of_round.mean(axis=1).reshape(shape)


@cached(newest=2)
def _rows(data: PartyData, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of all parties, X (M, n, d) in single precision and y (M, n)."""
    X, y = parties(data, 0, count)
    return X.astype(np.float32), y


@lru_cache(maxsize=256)
def _multiplier_of_samples(epsilon: float, delta: float, rounds: int, rate: float) -> float:
    """Return the noise multiplier at which rounds of sampled parties have this epsilon."""
    of_all = descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=rounds)
    return accountants.calibrate(
        lambda multiplier: federated_averaging.event(multiplier, rounds=rounds, sampling_rate=rate),
        epsilon=epsilon,
        delta=delta,
        adjacency=Adjacency.REPLACE_ONE,
        accountant=_ACCOUNTANT_OF_SAMPLES,
        bracket=(_LEAST_SHARE_OF_NOISE * rate * of_all, of_all),
        tolerance=_CALIBRATION_TOLERANCE,
    )


@lru_cache(maxsize=256)
def _guarantee(event: Composed, delta: float, accountant: str) -> Guarantee:
    """Return the guarantee of all rounds for a party."""
    return accountants.account(
        event, delta=delta, adjacency=Adjacency.REPLACE_ONE, unit=UNIT, accountant=accountant
    )


# Functions of tasks


class Point(NamedTuple):
    """A federation at an epsilon, of which one field is varied."""

    federation: Federation
    epsilon: float
    field: str


def train_at_epsilon(
    federation: Federation, epsilons: Sequence[float], repeats: range
) -> FederatedModels:
    """Return the models at the only one of ``epsilons``."""
    (epsilon,) = epsilons
    return federation.train(epsilon, repeats)


def accuracy_over_field(point: Point, values: Sequence[float], repeats: range) -> np.ndarray:
    """Return the accuracy (V, R) at values of the varied field, which may be epsilon."""
    accuracies = []
    for value in values:
        epsilon = point.epsilon
        changes: dict[str, Any] = {point.field: value}
        if point.field == "epsilon":
            epsilon = changes.pop("epsilon")
        federation = replace(point.federation, **changes)
        accuracies.append(federation.train(epsilon, repeats).accuracy)
    return np.stack(accuracies)


def epsilon_over_rounds(
    federation: Federation, epsilons: Sequence[float], repeats: range
) -> np.ndarray:
    """Return the epsilon (V,) of each of ``ROUNDS`` with the noise of the federation's rounds."""
    del repeats
    (epsilon,) = epsilons
    return federation.epsilons_of_rounds(epsilon)
