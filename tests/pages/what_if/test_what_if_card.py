"""The card of a recommended epsilon: its numbers, when there is none, and what is copied."""

import math
import re
from html import unescape
from itertools import product

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
        middle = 0.9 - 0.4 * math.exp(-2 * settings.epsilon)
        spread = 0.05 / (1 + settings.epsilon)
        return np.clip(middle + spread * rng.standard_normal(question.repeats), 0, 1)

    return answered(question, runs)


@pytest.fixture(scope="module")
def results() -> list[WhatIfResult]:
    return [rising_result(seed, target) for seed, target in product(SEEDS, TARGETS)]


def card_text(result: WhatIfResult) -> str:
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


def test_the_first_number_is_the_smallest_epsilon_shown_to_be_enough_for_nine_runs_in_ten(results):
    for result in results:
        (epsilon,) = numbers(r"Take epsilon (\S+) so that", card_text(result))

        assert amount(epsilon) == result.curve.crossing_for_most.safe
        assert amount(epsilon) == PAGE.view(result).tiles[0].amount
        (annotation,) = [
            text
            for text in charts.curve(result)["layout"]["annotations"]
            if f"<b>{epsilon}</b>" in text["text"]
        ]
        assert annotation


def test_the_runs_that_reach_the_target_are_those_of_the_table(results):
    for result in results:
        text = card_text(result)
        (epsilon,) = numbers(r"Take epsilon (\S+) so that", text)
        (hits, runs) = numbers(REACH, text)

        assert int(hits) == round(table_row(result, epsilon)["share reaching"] * int(runs))
        if "the median run does, but only" in text:
            median_epsilon, median_hits = numbers(MEDIAN, text)
            row = table_row(result, median_epsilon)
            assert row["median"] >= result.settings.goal
            assert int(median_hits) == round(row["share reaching"] * int(runs)) < int(hits)


def test_the_accuracy_left_to_gain_is_the_difference_of_two_medians_of_the_table(results):
    for result in results:
        text = card_text(result)
        (epsilon,) = numbers(r"Take epsilon (\S+) so that", text)
        here, most, last = numbers(LEFT, text)
        (gap,) = numbers(TO_BUY, text)

        assert here == f"{100 * table_row(result, epsilon)['median']:.1f}"
        last_median = f"{100 * table_row(result, last)['median']:.1f}"
        assert (most or here) == last_median
        assert float(gap) == pytest.approx(max(0, float(last_median) - float(here)))
        assert amount(last) == result.table().epsilon.max()


def test_from_the_epsilon_that_loses_less_than_a_point_none_loses_more(results):
    for result in results:
        (close,) = numbers(CLOSE, card_text(result))

        frame = result.table()
        losses = frame["median"].iloc[-1] - frame["median"]
        is_later = frame.epsilon >= table_row(result, close).epsilon
        assert (losses[is_later] < 0.01).all()
        assert not (losses[~is_later].tail(1) < 0.01).any()


def test_the_attacker_and_the_rare_guess_follow_from_epsilon_and_delta(results):
    for result in results:
        text = card_text(result)
        (epsilon,) = numbers(r"Take epsilon (\S+) so that", text)
        mu = gdp.mu_of(amount(epsilon), delta=result.settings.delta)

        (attacker,) = numbers(ATTACKER, text)
        rare, often = numbers(RARE, text)
        right = 100 * norm.cdf(mu / 2)
        assert right - 1e-4 <= float(attacker) < right + 1
        success = norm.cdf(mu + norm.ppf(0.01))
        if rare:
            assert int(rare) <= 1 / success + 1e-3 < int(rare) + 1 + 2e-3
        else:
            assert int(often) - 1 - 1e-3 < 100 * success <= int(often) + 1e-3


def test_a_release_is_compared_with_registered_ones_of_the_same_unit_and_trust(results):
    rights = [release.attacker.right for release in deployments() if release.like(PERSON)]
    for result in results:
        text = card_text(result)
        (epsilon,) = numbers(r"Take epsilon (\S+) so that", text)
        some, every, count = numbers(STRICTER, text)

        mu = gdp.mu_of(amount(epsilon), delta=result.settings.delta)
        stricter = sum(1 for right in rights if norm.cdf(mu / 2) < right)
        stated = int(some or 0)
        if every:
            stated = int(count)
        assert (stated, int(count)) == (stricter, len(rights))


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
        middle = 0.9 - 0.4 * math.exp(-2 * settings.epsilon)
        return middle + 0.02 * rng.standard_normal(question.repeats)

    text = card_text(answered(question, runs))

    assert "Take epsilon" in text
    assert "registered" not in text


# Copy


def test_four_sentences_with_all_that_belongs_to_epsilon_are_copied(results):
    for result in results:
        (copied,) = re.findall(r'data-copy="([^"]*)"', texts_card.card(result))
        text = plain(unescape(copied))
        guarantee = result.recommendation.guarantee

        assert text == plain(PAGE.view(result).texts["verdict"])
        assert len(re.findall(r"\.(?= [A-Z]|$)", text)) == 5  # the last of four has two parts
        for words in (
            f"Take epsilon {formats.number(guarantee.epsilon)},",
            "Delta is 1e-5,",
            f"adjacency {guarantee.adjacency},",
            "the unit one row,",
            f"{result.settings.rows:,} people",
            guarantee.basis,
        ):
            assert words in text
