"""The texts of the planner, compared with runs that are made up: every verdict, of every topic."""

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from lab.experiment.links import compact
from lab.statistics.crossing import Solution
from pages.what_if import (
    formats,
    texts_answer,
    texts_card,
    texts_question,
    texts_tables,
    texts_tiles,
)
from pages.what_if.result import WhatIfResult
from pages.what_if.settings import WhatIfSettings
from tests import own_files
from tests.pages.what_if import oracles
from tests.pages.what_if.answers import answered, random_result, rising, searched, solved
from tests.pages.what_if.examples import PAGE, TOPICS
from tests.reached import unread
from tests.sentences import Rules, broken_by, plain

# Most letters of a verdict, and of the four sentences of a card.
LONGEST = 300
LONGEST_OF_CARD = 530
# Results of which all charts are drawn, and then a share of the others.
ALL_DRAWN = 60
DRAWN_SHARE = 3


def all_texts(result: WhatIfResult) -> str:
    """Return all texts of a result, the verdict first."""
    verdict = plain(texts_answer.verdict(result))
    longest = LONGEST
    if texts_card.card(result):
        longest = LONGEST_OF_CARD
    assert len(verdict) <= longest, (len(verdict), verdict)
    parts = []
    for name, text_of in PAGE.content.texts.items():
        if name not in ("verdict", "table"):
            parts.append(text_of(result))
    for tile in texts_tiles.numbers(result):
        parts.append(f"{tile.label}: {tile.value} {tile.note}.")
    parts += texts_question.questions(result.settings).values()
    parts.append(texts_tables.table(result))
    return f"{verdict.strip()} {plain(' '.join(parts))}"


# Rules: what a sentence may say of a result. ``match`` has the numbers in it.


def interval_is_right(result, match) -> bool:
    """Return whether the lower end is shown to miss the target, and the upper one to reach it."""
    low, high = oracles.median_limits(result)
    goal = oracles.goal(result)
    lower = oracles.index_of_text(result, match[1])
    upper = oracles.index_of_text(result, match[2])
    return high[lower] < goal <= low[upper] + oracles.ROUNDING


def reached_by_most(result, match) -> bool:
    """Return whether so many runs reach the target at the answer and all values after it.

    They are enough to show that 90 % of runs do, and at the value before they are not.
    """
    index = int(np.searchsorted(result.curve.measured.values, result.curve.answer.value))
    reaching = oracles.reaching_runs(result, index)
    counts = (int(match[1]), int(match[2]))
    later = range(index, len(result.curve.measured.values))
    return (
        counts == (reaching.sum(), len(reaching))
        and all(oracles.is_shown_for_most(oracles.reaching_runs(result, at)) for at in later)
        and not oracles.is_shown_for_most(oracles.reaching_runs(result, index - 1))
    )


def median_reaches(result, match) -> bool:
    """Return whether the median run reaches the target with this value, and so many runs do."""
    settings = result.settings
    for index, value in enumerate(result.curve.measured.values):
        if formats.x_setting_text(settings, value) == match[1]:
            reaching = oracles.reaching_runs(result, index)
            median = np.median(oracles.runs(result)[index])
            is_reached = median >= oracles.goal(result) - oracles.ROUNDING
            return is_reached and int(match[2]) == reaching.sum() < oracles.MOST * len(reaching)
    return False


def base_reached(result, match) -> bool:
    """Return whether so many runs of the topic's settings reach the target."""
    reaching = oracles.sign(result) * result.base.runs >= oracles.goal(result)
    return (int(match[1]), int(match[2])) == (reaching.sum(), len(reaching))


def peak_is_right(result, match) -> bool:
    """Return whether no median of the whole curve is better, and so many runs reach the target."""
    medians = oracles.sign(result) * result.curve.measured.medians
    index = int(np.argmax(medians))
    best = formats.measure_text(result.settings, result.curve.measured.medians[index])
    reaching = oracles.reaching_runs(result, index)
    counts = (int(match[3]), int(match[4]))
    return (
        result.curve.complete
        and int(match[1]) == len(medians)
        and match[2] == best.removesuffix("\u00a0%")
        and counts == (reaching.sum(), len(reaching))
    )


def everywhere(result, match) -> bool:
    """Return whether the whole curve is done, and shown to reach the target at all values."""
    return result.curve.complete and all(oracles.shown_to_reach(result))


def nowhere(result, match) -> bool:
    """Return whether the whole curve is done, and shown to reach the target at no value."""
    return result.curve.complete and not any(oracles.shown_to_reach(result))


def retests_differ(result, match) -> bool:
    """Return whether retests show the best configuration to be better, or worse, as stated."""
    return oracles.retests_differ(result) == match[1]


def retests_are_alike(result, match) -> bool:
    """Return whether retests show the best configuration to be neither better nor worse."""
    return oracles.retests_differ(result) == ""


def number_of_tries(result, match) -> bool:
    """Return whether a text states the number of tries, and as many are set and done."""
    return int(match[1]) == len(result.search.tries) == result.settings.tries


PEAK = (
    r"Of (\d+) values of .*?, the (?:highest|lowest) median .*? is (\S+?)(?: %)?, with .*? There,"
    r" (\d+) of (\d+) runs"
)
NUMBER = r"[\d.,e-]*\d"
RULES: Rules = {
    rf"with 95 % confidence, (\S+) to ({NUMBER})\)": interval_is_right,
    rf"median run, (\S+) to ({NUMBER})\.": interval_is_right,
    r"(?<!that )(?<!\d)(\d+) of (\d+) runs reach (?!the target)[A-Za-z]": reached_by_most,
    r"With ([^.]*?(?:\d\.\d+)?[^.]*?), the median run does, but only (\d+) of": median_reaches,
    r"at all values of": everywhere,
    r"at no value of": nowhere,
    r"reached by (\d+) of (\d+) runs": base_reached,
    PEAK: peak_is_right,
    r"its median is \S+(?: \S+)?, (better|worse) than the": retests_differ,
    r"No difference from the": retests_are_alike,
    r"The best of (\d+) tries is": number_of_tries,
}


def all_results() -> Iterator[WhatIfResult]:
    """Yield the rare answers, then random ones of every topic."""
    rng = np.random.default_rng(1)
    count = int(os.environ.get("SOAK", "60")) // len(TOPICS)
    at_random = (random_result(topic, rng) for topic in TOPICS for _ in range(count))
    return chain(solved(), searched(), at_random)


def uploaded_questions() -> Iterator[tuple[WhatIfSettings, str]]:
    """Yield questions about made-up rows in place of a visitor's file, and their unit in words."""
    for kind, person in (("classifier", ""), ("classifier", "who"), ("regression", "")):
        roles = replace(own_files.ROLES[kind], person=person)
        file = own_files.frame(people=300)
        made_up = own_files.settings(kind, roles, file=file).made_up
        question = PAGE.settings().change(topic=kind, base=compact(made_up, separator=" "))
        unit = "rows"
        if person:
            unit = "people"
        yield question, unit


@pytest.fixture
def for_most() -> WhatIfResult:
    """Return a result with an epsilon from which on 90 % of runs reach the target."""
    for result in solved():
        if isinstance(result.curve.crossing_for_most, Solution):
            return result
    raise AssertionError("no such result")


def test_made_up_rows_are_named_in_a_question_about_them():
    for question, unit in uploaded_questions():
        settings = question.topic_settings

        text = texts_question.rows_text(question)

        assert f"{settings.rows:,} {unit} to train on" in text
        best = f"{settings.own.best:.3g}"
        best_percent = f"{100 * settings.own.best:.0f} %"
        assert best in text or best_percent in plain(text)


def test_what_to_know_about_classes_follows_from_the_measure():
    question, _ = next(uploaded_questions())
    balanced = question.change(measure="balanced")

    text = plain(texts_question.rows_text(question))
    text_of_balanced = plain(texts_question.rows_text(balanced))

    assert "ask for balanced accuracy" in text
    assert "The target is by balanced accuracy" in text_of_balanced
    assert "ask for" not in text_of_balanced


def test_the_recall_of_a_class_is_named(for_most):
    question = for_most.settings.change(measure="recall_1", repeats=100)
    recall = answered(question, rising(100))

    verdict = plain(texts_answer.verdict(recall))

    name = question.source.classes[1]
    assert f"highest median recall of {name} is 90.0 %" in verdict


def test_every_sentence_is_true_and_every_text_is_reached(for_most):
    reached_rules = set()
    for number, result in enumerate(all_results()):
        reached_rules |= broken_by(all_texts(result), result, RULES)
        if number <= ALL_DRAWN or number % DRAWN_SHARE == 0:
            assert PAGE.view(result).boards["board"]
    assert not set(RULES) - reached_rules, f"never said: {set(RULES) - reached_rules}"

    # Texts that are no part of a result on public rows.
    assert PAGE.content.lead(for_most.settings)
    for question, _ in uploaded_questions():
        texts_question.rows_text(question)
        if "balanced" in question.topic_settings.experiment.measures:
            texts_question.rows_text(question.change(measure="balanced"))
    assert unread(formats.SAYS) == []
