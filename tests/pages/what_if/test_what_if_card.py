"""The card of a recommended epsilon: its numbers, when there is none, and what is copied."""

import math
import re
from html import unescape

import numpy as np
import pytest
from scipy.stats import norm

from dpcore.accountants import gdp
from lab.label.deployments import PERSON, deployments
from pages.what_if import charts, formats, texts_card
from pages.what_if.result import WhatIfResult
from tests.pages.what_if.answers import answered
from tests.pages.what_if.examples import PAGE, question_about
from tests.sentences import amount, plain
from ui.compute.runner import compute

# Mu is read from an epsilon of three digits or more, and texts are rounded before they are written.
ROUNDING_OF_GUESSES = 1e-4
ROUNDING_OF_ODDS = 1e-3
SEEDS = (4, 5, 6)
TARGETS = (60, 72.5, 80, 88.8)
# A column of the card in words.
ATTACKER = r"([\d.]+) of 100 guesses right at most"
REACH = r"(?<!that )(?<!\d)(\d+) of (\d+) runs reach (?:balanced )?accuracy"
MEDIAN = r"With epsilon (\S+), the median run does, but only (\d+) of \d+"
LEFT = r"The median is ([\d.]+) % here and (?:([\d.]+) % )?at epsilon (\S+)\."
CLOSE = r"From (\S+) on, it is less than one point worse"
TO_BUY = r"([\d.]+) points? more to buy"
RARE = r"right 1 time in 100 becomes right (?:1 in (\d+)|(\d+) in 100) at most"
STRICTER = r"Stricter than (?:(\d+) of the|(all)) (\d+) registered releases"


def rising_result(seed: int, target: float, **changes) -> WhatIfResult:
    """Return a result whose accuracy rises with epsilon, under noise that shrinks."""
    question = question_about("classifier", seed=seed, target=target, repeats=100, **changes)
    rng = np.random.default_rng(seed)

    def runs(settings):
        """Return runs (R,) that rise towards 90 % with epsilon, under noise that shrinks."""
        middle = 0.9 - 0.4 * math.exp(-2 * settings.epsilon)
        spread = 0.05 / (1 + settings.epsilon)
        return np.clip(middle + spread * rng.standard_normal(question.repeats), 0, 1)

    return answered(question, runs)


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed {seed}")
def seed(request) -> int:
    """Return the seed of the question and of the noise in its runs."""
    return request.param


@pytest.fixture(scope="module", params=TARGETS, ids=lambda target: f"target {target}")
def result(request, seed) -> WhatIfResult:
    """Return the result for a seed and a target."""
    return rising_result(seed, request.param)


@pytest.fixture(scope="module")
def text(result) -> str:
    """The card in words."""
    return card_text(result)


@pytest.fixture(scope="module")
def epsilon_text(text) -> str:
    """The recommended epsilon as the card writes it."""
    (epsilon_text,) = numbers(r"Take epsilon (\S+) so that", text)
    return epsilon_text


@pytest.fixture(scope="module")
def mu(result, epsilon_text) -> float:
    """The mu of Gaussian noise at the recommended epsilon."""
    return gdp.mu_of(amount(epsilon_text), delta=result.settings.delta)


def card_text(result: WhatIfResult) -> str:
    """Return the card in words."""
    return plain(texts_card.card(result))


def numbers(pattern: str, text: str) -> tuple[str, ...]:
    """Return what the groups of a pattern match in a text, which must contain it."""
    match = re.search(pattern, text)
    assert match, (pattern, text)
    return match.groups()


def table_row(result: WhatIfResult, epsilon_text: str):
    """Return the row of the page's table for an epsilon as it is shown."""
    frame = result.table()
    shown = [formats.value_text(result.settings, "epsilon", value) for value in frame.epsilon]
    return frame.iloc[shown.index(epsilon_text.rstrip("."))]


# Numbers


def test_the_card_takes_the_smallest_epsilon_shown_to_be_enough_for_nine_runs_in_ten(
    result, epsilon_text
):
    assert amount(epsilon_text) == result.curve.crossing_for_most.safe


def test_the_first_tile_and_the_chart_have_the_epsilon_of_the_card(result, epsilon_text):
    first_tile, *_ = PAGE.view(result).tiles
    annotations = charts.curve(result)["layout"]["annotations"]

    with_epsilon = [note for note in annotations if f"<b>{epsilon_text}</b>" in note["text"]]

    assert first_tile.amount == amount(epsilon_text)
    assert len(with_epsilon) == 1


def test_the_runs_that_reach_the_target_are_those_of_the_table(result, text, epsilon_text):
    hits, runs = numbers(REACH, text)

    share = table_row(result, epsilon_text)["share reaching"]
    assert int(hits) == round(share * int(runs))


def test_the_runs_at_the_epsilon_of_the_median_are_those_of_the_table(result, text):
    if "the median run does, but only" not in text:
        pytest.skip("the median needs no smaller epsilon")
    hits, runs = numbers(REACH, text)

    median_epsilon, median_hits = numbers(MEDIAN, text)

    row = table_row(result, median_epsilon)
    assert row["median"] >= result.settings.goal
    assert int(median_hits) == round(row["share reaching"] * int(runs))
    assert int(median_hits) < int(hits)


def test_the_accuracy_left_to_gain_is_the_difference_of_two_medians_of_the_table(
    result, text, epsilon_text
):
    def percent(epsilon: str) -> str:
        """Return the median of the table at an epsilon, in percent with one decimal."""
        return f"{100 * table_row(result, epsilon)['median']:.1f}"

    here, most, largest_epsilon = numbers(LEFT, text)
    (gain,) = numbers(TO_BUY, text)

    assert here == percent(epsilon_text)
    # The card states equal medians once.
    assert (most or here) == percent(largest_epsilon)
    assert amount(largest_epsilon) == result.table().epsilon.max()
    expected = max(0, float(percent(largest_epsilon)) - float(here))
    assert float(gain) == pytest.approx(expected)


def test_from_the_epsilon_that_loses_less_than_a_point_none_loses_more(result, text):
    (close_epsilon,) = numbers(CLOSE, text)

    frame = result.table()
    frame["loss"] = frame["median"].iloc[-1] - frame["median"]
    is_close = frame.epsilon >= table_row(result, close_epsilon).epsilon
    last_before = frame[~is_close].tail(1)
    assert (frame[is_close]["loss"] < 0.01).all()
    assert (last_before["loss"] >= 0.01).all()


def test_the_attacker_follows_from_epsilon_and_delta(text, mu):
    (attacker,) = numbers(ATTACKER, text)

    right = 100 * norm.cdf(mu / 2)
    # Guesses are rounded up.
    assert right - ROUNDING_OF_GUESSES <= float(attacker) < right + 1


def test_the_rare_guess_follows_from_epsilon_and_delta(text, mu):
    one_in, in_100 = numbers(RARE, text)

    success = norm.cdf(mu + norm.ppf(0.01))
    if one_in:
        # Rounded down, to the side of the attacker.
        assert math.floor(1 / success + ROUNDING_OF_ODDS) == int(one_in)
    else:
        # Rounded up.
        assert math.ceil(100 * success - ROUNDING_OF_ODDS) == int(in_100)


def test_a_release_is_compared_with_registered_ones_of_the_same_unit_and_trust(text, mu):
    accuracies = [release.attacker.right for release in deployments() if release.like(PERSON)]

    stated, is_every, count = numbers(STRICTER, text)

    less_strict = [right for right in accuracies if norm.cdf(mu / 2) < right]
    if is_every:
        stated = count
    assert int(count) == len(accuracies)
    assert int(stated or 0) == len(less_strict)


def test_the_numbers_of_the_first_question_are_those_of_its_runs():
    result, done = compute(PAGE.settings(), seconds=math.inf)

    text = card_text(result)

    assert done == 1
    for words in (
        "Take epsilon 1.76 so that 9 of 10 runs reach accuracy 90 %. Delta 1e-5, 284 people.",
        "59 of 100 guesses right at most; a coin has 50.",
        "becomes right 1 in 33 at most.",
        "98 of 100 runs reach accuracy 90 %. With epsilon 0.567, the median run does, but only 53",
        "0 points more to buy The median is 92.3 % here and at epsilon 14.8. From 0.868 on,",
        "Stricter than 8 of the 10 registered releases that protect a person",
    ):
        assert words in text


# No card


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"repeats": 24}, id="too few runs"),
        pytest.param({"version": "published"}, id="void guarantee"),
        pytest.param({"version": "none"}, id="no privacy"),
        pytest.param({"question": "people"}, id="another question"),
        pytest.param({"question": "best"}, id="a search"),
        pytest.param({"slider": "clip_norm"}, id="a parameter without a smallest value"),
        pytest.param({"slider": "delta"}, id="another parameter"),
        pytest.param({"target": 99}, id="an unreachable target"),
    ],
)
def test_without_a_guaranteed_epsilon_there_are_tiles_and_a_verdict(changes):
    result = rising_result(4, 72.5)
    question = result.settings
    for name, value in changes.items():
        question = question.change(**{name: value})
    rng = np.random.default_rng(4)

    def runs(settings):
        """Return runs (R,) that rise towards 90 % with epsilon, under noise."""
        middle = 0.9 - 0.4 * math.exp(-2 * settings.epsilon)
        return middle + 0.02 * rng.standard_normal(question.repeats)

    view = PAGE.view(answered(question, runs))

    assert view.texts["card"] == ""
    assert view.texts["verdict"]
    shown = PAGE.tab_texts(view, "")
    assert 'class="lab-tile' in shown[".lab-numbers"]


def test_a_party_is_compared_with_no_registered_release():
    question = question_about("parties", repeats=100, target=70)
    rng = np.random.default_rng(4)

    def runs(settings):
        """Return runs (R,) that rise towards 90 % with epsilon, under noise."""
        middle = 0.9 - 0.4 * math.exp(-2 * settings.epsilon)
        return middle + 0.02 * rng.standard_normal(question.repeats)

    text = card_text(answered(question, runs))

    assert "Take epsilon" in text
    assert "registered" not in text


# Copy


@pytest.fixture
def copied(result) -> str:
    """The text that the button copies."""
    (escaped,) = re.findall(r'data-copy="([^"]*)"', texts_card.card(result))
    return plain(unescape(escaped))


def test_the_verdict_is_copied(result, copied):
    assert copied == plain(PAGE.view(result).texts["verdict"])


def test_what_is_copied_has_all_that_belongs_to_epsilon(result, copied):
    guarantee = result.recommendation.guarantee

    assert f"Take epsilon {formats.number(guarantee.epsilon)}," in copied
    assert "Delta is 1e-5," in copied
    assert f"adjacency {guarantee.adjacency}," in copied
    assert "the unit one row," in copied
    assert f"{result.settings.rows:,} people" in copied
    assert guarantee.basis in copied
