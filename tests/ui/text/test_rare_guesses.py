"""How often an attacker is right who guesses that one in a hundred is in the data."""

import re

import pytest
from scipy.stats import norm

from dpcore.privacy import Adjacency, GaussianRelease, Guarantee
from tests.sentences import plain
from ui.text import tiles

# Share of the guesses that are made without looking at the release.
BASE_RATE = 0.01
ROUNDING = 1e-9


def guarantee_of(multiplier: float) -> Guarantee:
    """Return the guarantee of Gaussian noise."""
    return Guarantee(
        epsilon=5.0,
        delta=1e-5,
        adjacency=Adjacency.ADD_REMOVE,
        unit="record",
        basis="",
        event=GaussianRelease(noise_multiplier=multiplier),
    )


@pytest.mark.parametrize(
    ("multiplier", "words"),
    [
        # mu = 1 / multiplier; the success is Phi(mu + Phi^-1(BASE_RATE)).
        pytest.param(1.081, "at most 1 time in 12</b>", id="epsilon-4"),
        pytest.param(3.73, "at most 1 time in 50</b>", id="epsilon-1"),
        pytest.param(0.6, "at most 26 times in 100</b>", id="epsilon-8"),
        pytest.param(0.0, "practically every time", id="no-noise"),
    ],
)
def test_a_rare_guess_is_right_at_most_as_often_as_the_trade_off_curve_allows(multiplier, words):
    guarantee = guarantee_of(multiplier)

    assert words in tiles.rare_guess_text(guarantee)
    assert tiles.rare_guess_text(guarantee) in tiles.meaning(guarantee)


@pytest.mark.parametrize("multiplier", [0.3, 0.7, 1.3, 2.9, 11.0, 140.0])
def test_a_rare_guess_is_never_said_to_be_rarer_than_its_bound(multiplier):
    guarantee = guarantee_of(multiplier)
    success = norm.cdf(1 / multiplier + norm.ppf(BASE_RATE))

    text = plain(tiles.rare_guess_text(guarantee))

    # The text has one of the two.
    once_in = re.search(r"at most 1 time in (\d+) with", text)
    in_hundred = re.search(r"at most (\d+) times in 100", text)
    if once_in:
        assert 1 / int(once_in[1]) >= success - ROUNDING
    else:
        assert int(in_hundred[1]) >= 100 * success - 100 * ROUNDING
