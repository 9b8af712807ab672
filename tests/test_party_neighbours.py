"""Audits at the level of a whole party: sound releases stay below their claim, each broken on purpose is caught.

The scores are those that the audit table uses; every bound here is at 99 % confidence.
"""

from collections.abc import Callable

import numpy as np
import pytest

from dpcore.attacks import audit
from dpcore.check import RefusedError
from dpcore.parties import aggregation
from dpcore.privacy import Adjacency, ApproximateRelease, Guarantee, LowerBound
from dpcore.training import erm
from pages.attack.audits.table import AUDITS
from pages.attack.audits.targets import Target
from pages.attack.audits.targets_parties import Crowd, party, released, votes

EPSILON, RUNS, SEEDS, DELTA = 2.0, 6000, 15, 1e-3
METHODS = (*aggregation.RELEASES, "pate")
# Rows of the audit table whose release has several weights, where the length of the noise hides some of what there is.
MANY = ("soft dimension", "soft laplace")


class Summed(Crowd):
    """A sum of losses taken for their mean."""

    def fitted(self, shares: np.ndarray) -> np.ndarray:
        ones = np.ones(len(self.rows))
        return erm.logistic(self.rows, shares[1], regularisation=self.regularisation, row_weights=ones).weights


class Uncut(Crowd):
    """Weights taken at any length, of a party that holds them a hundred times less."""

    def sent(self, says: int) -> np.ndarray:
        return self.trained(says, ease=100.0)


def sound(method: str, **changes: float) -> Callable[[], Target]:
    return lambda: (
        votes(EPSILON, delta=DELTA, **changes) if method == "pate" else party(EPSILON, method=method, **changes)
    )


# What is broken, besides what the audit table breaks -> the method, and how its worlds are made.
BROKEN = {f"{method} half": (method, sound(method, factor=0.5)) for method in aggregation.RELEASES}
BROKEN["soft sum"] = "soft", lambda: released(Summed(method="soft"), EPSILON)
BROKEN["average uncut"] = "average", lambda: released(Uncut(method="average"), EPSILON)


def bound(method: str, worlds: Target, *, seed: int, form: audit.Form = "count") -> LowerBound:
    delta = DELTA if method == "pate" else 0.0
    return audit.epsilon_lower_bound(
        *worlds(RUNS, seed), delta=delta, adjacency=Adjacency.REPLACE_ONE, unit="party", confidence=0.99, form=form
    )


def claim(method: str) -> Guarantee:
    delta = DELTA if method == "pate" else 0.0
    event = ApproximateRelease(epsilon=EPSILON, delta=delta)
    options = {"adjacency": Adjacency.REPLACE_ONE, "unit": "party", "basis": "claimed", "event": event}
    return Guarantee(epsilon=EPSILON, delta=delta, **options)


@pytest.mark.parametrize("method", METHODS)
def test_a_sound_release_stands_and_the_attacker_gets_most_of_it(method):
    worlds = sound(method)()
    bounds = [bound(method, worlds, seed=seed) for seed in range(SEEDS)]
    # Each is above the truth with a chance of at most 1 in 100: two of 15 has one of about 1 in 100
    assert sum(one.refutes(claim(method)) for one in bounds) <= 1
    # Nearly all of it from one weight; of PATE's answers only who won is seen
    assert np.median([one.epsilon for one in bounds]) > (0.3 if method == "pate" else 0.85) * EPSILON


@pytest.mark.parametrize("broken", BROKEN)
def test_what_is_broken_on_purpose_is_caught(broken):
    method, worlds = BROKEN[broken][0], BROKEN[broken][1]()
    assert all(bound(method, worlds, seed=seed).refutes(claim(method)) for seed in range(5))


def test_half_of_pate_s_noise_shows_in_the_gaussian_form():
    """50 even answers are nearly a Gaussian number; counting alone sees too little of it, and refutes nothing."""
    for factor in (1.0, 0.5):
        worlds = votes(EPSILON, delta=DELTA, factor=factor)
        for seed in range(5):
            found = bound("pate", worlds, seed=seed, form="gaussian")
            assert (found.epsilon > EPSILON) == (factor == 0.5)
            assert not found.refutes(claim("pate"))  # nobody proved it


@pytest.mark.parametrize("method", aggregation.RELEASES)
def test_the_two_crowds_are_as_far_apart_as_the_sensitivity_allows(method):
    crowd = Crowd(method=method)
    one, other = (crowd.weights(says) for says in (1, 0))
    assert 0.98 < np.linalg.norm(one - other) / crowd.sensitivity <= 1


@pytest.mark.parametrize("name", MANY)
def test_crowds_of_broken_releases_are_within_the_sensitivity_of_the_sound_one(name):
    """So it is the release that fails, and not the neighbours: each with the noise that it should have had."""
    crowd = Crowd(**AUDITS[name].how)
    one, other = (crowd.weights(says) for says in (1, 0))
    assert 0.9 < np.linalg.norm(one - other) / crowd.sensitivity <= 1


def test_all_of_one_party_is_replaced_and_nothing_else():
    crowd = Crowd(method="soft")
    yes, no = (crowd.counts(says, 50) for says in (1, 0))
    np.testing.assert_array_equal(yes - no, np.stack([np.full(50, -1.0), np.full(50, 1.0)]))
    assert yes.sum() == no.sum() == 50 * crowd.parties


def test_scores_are_repeatable_and_worlds_have_noise_of_their_own():
    one, other = party(1.0, method="soft")(40, 3)
    again, _ = party(1.0, method="soft")(40, 3)
    np.testing.assert_array_equal(one, again)
    assert one.shape == other.shape == (40,)
    assert np.abs(np.corrcoef(one, other)[0, 1]) < 0.5


def test_what_cannot_be_audited_is_refused():
    with pytest.raises(RefusedError, match="method"):
        party(1.0, method="magic")
    with pytest.raises(RefusedError, match="epsilon"):
        party(0.0, method="soft")(10, 0)
    with pytest.raises(TypeError, match="broken"):
        party(1.0, method="vote", broken="loose")
