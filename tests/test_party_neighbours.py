"""Audits at the level of a whole party: sound releases stay below their claim, each broken on purpose is caught.

The scores are those that the audit table uses; every bound here is at 99 % confidence.
"""

import numpy as np
import pytest

from dpcore.attacks import audit
from dpcore.check import RefusedError
from dpcore.parties import aggregation
from dpcore.privacy import Adjacency, ApproximateRelease, Guarantee, LowerBound
from pages.attack.audits import party_neighbours

EPSILON, RUNS, SEEDS = 2.0, 6000, 15
# Releases of several weights, where the length of the noise hides some of what there is, and of answers
MANY = {("soft", "dimension"), ("soft", "laplace")}


def bound(method: str, *, seed: int, broken: str | None = None) -> LowerBound:
    scores = party_neighbours.scores(method, EPSILON, RUNS, seed, broken)
    delta = party_neighbours.DELTA if method == "pate" else 0.0
    options = {"adjacency": Adjacency.REPLACE_ONE, "unit": "party", "confidence": 0.99}
    return audit.epsilon_lower_bound(*scores, delta=delta, **options)


def claim(method: str) -> Guarantee:
    delta = party_neighbours.DELTA if method == "pate" else 0.0
    event = ApproximateRelease(epsilon=EPSILON, delta=delta)
    options = {"adjacency": Adjacency.REPLACE_ONE, "unit": "party", "basis": "claimed", "event": event}
    return Guarantee(epsilon=EPSILON, delta=delta, **options)


@pytest.mark.parametrize("method", party_neighbours.METHODS)
def test_a_sound_release_stands_and_the_attacker_gets_most_of_it(method):
    bounds = [bound(method, seed=seed) for seed in range(SEEDS)]
    # Each is above the truth with a chance of at most 1 in 100: two of 15 has one of about 1 in 100
    assert sum(one.refutes(claim(method)) for one in bounds) <= 1
    # Nearly all of it from one weight; of PATE's answers only who won is seen
    assert np.median([one.epsilon for one in bounds]) > (0.3 if method == "pate" else 0.85) * EPSILON


BROKEN = [(method, broken) for method, names in party_neighbours.BROKEN.items() for broken in names]


@pytest.mark.parametrize(
    ("method", "broken"), [pair for pair in BROKEN if pair != ("pate", "half")], ids=lambda text: text
)
def test_what_is_broken_on_purpose_is_caught(method, broken):
    assert all(bound(method, seed=seed, broken=broken).refutes(claim(method)) for seed in range(5))


def test_half_of_pate_s_noise_shows_in_the_gaussian_form():
    """50 even answers are nearly a Gaussian number; counting alone sees too little of it, and refutes nothing."""
    options = {"delta": party_neighbours.DELTA, "adjacency": Adjacency.REPLACE_ONE, "unit": "party", "form": "gaussian"}
    for seed in range(5):
        for broken in (None, "half"):
            found = audit.epsilon_lower_bound(*party_neighbours.scores("pate", EPSILON, RUNS, seed, broken), **options)
            assert (found.epsilon > EPSILON) == (broken == "half")
            assert not found.refutes(claim("pate"))  # nobody proved it


@pytest.mark.parametrize("method", aggregation.RELEASES)
def test_the_two_crowds_are_as_far_apart_as_the_sensitivity_allows(method):
    crowd = party_neighbours._crowd(method, None)
    one, other = (crowd.weights(says, broken=None) for says in (1, 0))
    assert 0.98 < np.linalg.norm(one - other) / crowd.sensitivity <= 1


def test_crowds_of_broken_releases_are_within_the_sensitivity_of_the_sound_one():
    """So it is the release that fails, and not the neighbours: each with the noise that it should have had."""
    for method, broken in MANY:
        crowd = party_neighbours._crowd(method, broken)
        one, other = (crowd.weights(says, broken=None) for says in (1, 0))
        assert 0.9 < np.linalg.norm(one - other) / crowd.sensitivity <= 1


def test_all_of_one_party_is_replaced_and_nothing_else():
    crowd = party_neighbours._crowd("soft", None)
    yes, no = (crowd.counts(says, 50) for says in (1, 0))
    np.testing.assert_array_equal(yes - no, np.stack([np.full(50, -1.0), np.full(50, 1.0)]))
    assert yes.sum() == no.sum() == 50 * crowd.parties


def test_scores_are_repeatable_and_worlds_have_noise_of_their_own():
    one, other = party_neighbours.scores("soft", 1.0, 40, 3)
    again, _ = party_neighbours.scores("soft", 1.0, 40, 3)
    np.testing.assert_array_equal(one, again)
    assert one.shape == other.shape == (40,)
    assert np.abs(np.corrcoef(one, other)[0, 1]) < 0.5


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (("magic", 1.0, 10, 0), "method"),
        (("soft", 0.0, 10, 0), "epsilon"),
        (("soft", 1.0, 0, 0), "repeats"),
        (("vote", 1.0, 10, 0, "loose"), "broken"),
    ],
)
def test_what_cannot_be_audited_is_refused(given, name):
    with pytest.raises(RefusedError, match=name):
        party_neighbours.scores(*given)
