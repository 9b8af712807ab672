"""Federated averaging: what one party can change, its noise, and an independent count."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm

from dpcore import accountants
from dpcore.check import RefusedError
from dpcore.parties import federated_averaging
from dpcore.parties.federated_averaging import Cohort, FederatedAveraging, LocalTraining
from dpcore.privacy import Adjacency

# Double precision: both sides sum the same numbers in another order.
ROUNDING = 1e-9
# The share of rounds that draw a party scatters by less in 100 rounds.
CHANCE = 0.1
# A small delta is the difference of two probabilities near 1.
DIGITS_OF_A_DIFFERENCE = 1e-6

PARTIES = 5
ROWS = 3
DIMENSION = 3


def federated(**changes) -> FederatedAveraging:
    """Return five rounds of two-class federated averaging, with ``changes``."""
    values = {
        "local": LocalTraining(classes=2, local_steps=3, clip_norm=0.3),
        "parties": PARTIES,
        "rounds": 5,
        "noise_multiplier": 2.0,
    }
    return FederatedAveraging(**{**values, **changes})


def rows_of_parties(seed: int = 0, *, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of norm at most 1 and their classes, (M, n, d) and (M, n)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(PARTIES, ROWS, DIMENSION))
    X /= np.maximum(1, np.linalg.norm(X, axis=-1, keepdims=True))
    return X, rng.integers(0, classes, (PARTIES, ROWS))


def generators(count: int) -> list[np.random.Generator]:
    """Return a generator for each of so many repeats, with seeds 0, 1, and so on."""
    return [np.random.default_rng(index) for index in range(count)]


# --- What one party can change --------------------------------------------------------------------


def largest_move(local: LocalTraining, start: np.ndarray) -> float:
    """Return the largest change of a round's mean over replacements of the first party's rows.

    The rows that are tried are all alike, at the ends of the axes and of random directions.
    """
    X, y = rows_of_parties(classes=local.classes)
    everyone = np.arange(PARTIES)[None]
    random_directions = np.random.default_rng(1).normal(size=(8, DIMENSION))
    directions = np.concatenate([np.eye(DIMENSION), random_directions])
    means = []
    for direction, sign, label in itertools.product(directions, (-1, 1), range(local.classes)):
        X[0] = sign * direction / np.linalg.norm(direction)
        y[0] = label
        (updates,) = local.updates(start[None], X[everyone], y[everyone])
        means.append(updates.sum(axis=0).ravel() / PARTIES)
    changes = []
    for before, after in itertools.combinations(means, 2):
        changes.append(np.linalg.norm(before - after))
    return max(changes)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("local_steps", [1, 10])
@pytest.mark.parametrize("clip_norm", [0.01, 0.3])
@pytest.mark.parametrize("size_of_start", [0.0, 0.5])
def test_one_party_moves_the_mean_by_two_clipping_norms_at_most(
    classes, local_steps, clip_norm, size_of_start
):
    local = LocalTraining(classes=classes, local_steps=local_steps, clip_norm=clip_norm)
    mechanism = federated(local=local)
    outputs = 1 if classes == 2 else classes
    start = size_of_start * np.random.default_rng(2).normal(size=(outputs, DIMENSION))

    move = largest_move(local, start)

    # Two parties that pull in opposite directions reach it for two classes.
    assert 0.6 * mechanism.sensitivity < move <= mechanism.sensitivity * (1 + 1e-12)
    if classes == 2 and clip_norm == 0.01:
        assert move == pytest.approx(mechanism.sensitivity, rel=ROUNDING)


def test_without_clipping_one_party_moves_the_mean_further():
    clipped = LocalTraining(classes=2, local_steps=10, clip_norm=0.3)
    unclipped = LocalTraining(classes=2, local_steps=10, clip_norm=1e9)

    move = largest_move(unclipped, np.zeros((1, DIMENSION)))

    assert move > 3 * federated(local=clipped).sensitivity


# --- Noise and what is released -------------------------------------------------------------------


def test_each_round_adds_the_clipped_mean_of_all_parties():
    """A loop over parties and steps, without noise."""
    X, y = rows_of_parties()
    mechanism = federated(noise_multiplier=0.0)
    local = mechanism.local

    (*_, last) = mechanism.train(X, y, generators(1))

    weights = np.zeros(DIMENSION)
    for _ in range(mechanism.rounds):
        total = np.zeros(DIMENSION)
        for rows, labels in zip(X, y, strict=True):
            trained = weights.copy()
            for _ in range(local.local_steps):
                predictions = 1 / (1 + np.exp(-rows @ trained))
                trained -= 4.0 * (predictions - labels) @ rows / ROWS
            update = trained - weights
            total += update * min(1, local.clip_norm / np.linalg.norm(update))
        weights = weights + total / PARTIES
    np.testing.assert_allclose(last[0, 0], weights, rtol=ROUNDING)


def test_the_noise_is_the_same_for_any_number_of_parties():
    small = federated()
    large = federated(parties=2 * PARTIES)
    no_rows = np.zeros((2 * PARTIES, ROWS, DIMENSION))
    classes = np.zeros((2 * PARTIES, ROWS), int)

    noise_of_small = small.train(no_rows[:PARTIES], classes[:PARTIES], generators(2))
    noise_of_large = large.train(no_rows, classes, generators(2))

    np.testing.assert_allclose(noise_of_small, 2 * noise_of_large, rtol=ROUNDING)


def test_a_sampled_party_counts_once_for_each_round_that_draws_it():
    """Only one party has rows, so weights move in its rounds alone."""
    X = np.zeros((PARTIES, ROWS, DIMENSION))
    X[2, :, 0] = 1
    mechanism = federated(noise_multiplier=0.0, sampling_rate=0.4, rounds=400)
    clip_norm = mechanism.local.clip_norm

    history = mechanism.train(X, np.ones((PARTIES, ROWS), int), generators(3))

    steps = np.diff(history[:, :, 0, 0], axis=0, prepend=0)
    has_moved = steps > 1e-9
    assert steps[:3].max() == pytest.approx(clip_norm / (0.4 * PARTIES), rel=ROUNDING)
    assert has_moved[:100].mean() == pytest.approx(0.4, abs=CHANCE)
    # Each run has a sample of its own.
    assert (has_moved[:50, 0] != has_moved[:50, 1]).any()


def test_a_round_without_a_party_adds_noise_alone():
    cohort = federated_averaging._sampled(np.zeros((2, PARTIES), bool))
    X, y = rows_of_parties()

    history = federated_averaging.average_rounds(
        federated().local, X, y, [cohort], np.ones((1, 2, 1, DIMENSION)), cohort_size=1.0
    )

    np.testing.assert_array_equal(history, np.ones((1, 2, 1, DIMENSION)))


def test_a_sample_has_the_members_that_were_drawn():
    is_member = np.array([[True, False, True, True], [False, False, True, False]])

    cohort = federated_averaging._sampled(is_member)

    assert isinstance(cohort, Cohort)
    assert cohort.members.tolist()[0] == [0, 2, 3]
    assert cohort.members[1, 0] == 2
    assert cohort.present.tolist() == [[1, 1, 1], [1, 0, 0]]


# --- The count ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", [1, 7, 20])
def test_the_epsilon_of_all_parties_is_that_of_one_gaussian_release(rounds):
    """mu = sqrt(T) 2 C / (M sd), and delta(epsilon) in closed form."""
    mechanism = federated(rounds=rounds, noise_multiplier=3.0)
    mu = math.sqrt(rounds) * 2 * mechanism.local.clip_norm / (PARTIES * mechanism.noise_sd)

    guarantee = accountants.account(
        mechanism.event, delta=1e-6, adjacency=Adjacency.REPLACE_ONE, unit="party"
    )

    epsilon = guarantee.epsilon
    below = norm.cdf(mu / 2 - epsilon / mu)
    above = math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)
    assert below - above == pytest.approx(1e-6, rel=DIGITS_OF_A_DIFFERENCE)


def test_a_sample_of_the_parties_costs_less():
    epsilons = []
    for sampling_rate in (1.0, 0.1):
        mechanism = federated(sampling_rate=sampling_rate)
        guarantee = accountants.account(
            mechanism.event, delta=1e-6, adjacency=Adjacency.REPLACE_ONE, accountant="pld"
        )
        epsilons.append(guarantee.epsilon)

    assert epsilons[1] < epsilons[0] / 3


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        pytest.param("parties", {"parties": 0}, id="no party"),
        pytest.param("rounds", {"rounds": 0}, id="no round"),
        pytest.param("noise_multiplier", {"noise_multiplier": -1.0}, id="negative noise"),
        pytest.param("sampling_rate", {"sampling_rate": 0.0}, id="nobody sampled"),
        pytest.param("sampling_rate", {"sampling_rate": 1.5}, id="more than all"),
    ],
)
def test_arguments_out_of_range_are_refused(name, changes):
    with pytest.raises(RefusedError, match=f"^{name} is "):
        federated(**changes)


def test_rows_of_other_parties_are_refused():
    X, y = rows_of_parties()

    with pytest.raises(RefusedError, match="^X is "):
        federated(parties=PARTIES + 1).train(X, y, generators(1))
    with pytest.raises(RefusedError, match="^y is "):
        federated().train(X, y + 1, generators(1))
