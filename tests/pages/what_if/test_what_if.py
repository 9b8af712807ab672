"""Questions of the planner: their settings and links, clicks, the search, and the program."""

import io
from contextlib import redirect_stdout
from dataclasses import asdict, fields
from itertools import product

import numpy as np
import pandas as pd
import pytest

from dpcore.check import RefusedError
from lab.experiment import links
from pages.what_if import charts_map
from pages.what_if.settings import QUESTIONS, WhatIfSettings
from pages.what_if.topics import STARTS
from tests.pages.what_if.examples import PAGE, TOPICS, question_about, result_with
from ui.compute.runner import compute

# The median of so many runs scatters by less.
SPREAD_OF_RUNS = 0.01
# The same runs, in another order.
ROUNDING = 1e-12

of_every_topic = pytest.mark.parametrize("topic", TOPICS)


def measured_runs(question: WhatIfSettings, tasks) -> np.ndarray:
    """Return the measure of a question in the outcomes of some tasks of its topic."""
    read = question.asked_measure.read
    return np.concatenate([np.ravel(read(task.run())) for task in tasks])


# Settings and links


@of_every_topic
def test_a_topic_begins_with_its_first_question(topic):
    start = STARTS[topic]

    question = PAGE.settings().change(topic=topic)

    assert question.slider == start.slider
    assert question.y_field == start.map_slider
    assert question.measure == start.measure


@of_every_topic
@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_has_tasks(topic, name):
    question = PAGE.settings().change(topic=topic).change(question=name)

    assert question.experiment.tasks()


@of_every_topic
def test_a_link_contains_the_whole_question(topic):
    question = question_about(topic, target=1.05 * STARTS[topic].target)

    link = links.minimal_texts(question)

    assert links.read(PAGE.settings, link) == (question, {})


@of_every_topic
def test_no_attribute_of_a_question_hides_a_field_of_the_topic(topic):
    question = PAGE.settings().change(topic=topic)
    topic_fields = {field.name for field in fields(question.topic_settings)}
    own_fields = {field.name for field in fields(PAGE.settings)}

    assert not topic_fields & (set(dir(PAGE.settings)) - own_fields)


@of_every_topic
def test_the_runs_of_the_topics_settings_are_those_of_its_page_to_the_last_bit(topic):
    question = question_about(topic)
    of_page = measured_runs(question, question.topic_settings.experiment.shown_sample())

    result, _ = compute(question, seconds=0)

    count = min(len(of_page), len(result.base.runs))
    assert count > 0
    np.testing.assert_array_equal(result.base.runs[:count], of_page[:count])


# Clicks


def test_a_click_on_the_map_goes_to_the_cell_under_it():
    question = question_about("classifier")
    x_axis, y_axis = question.axes
    ends = charts_map.clicks(question)

    for x, y in product(x_axis.values[::5], y_axis.values[::5]):
        shares = []
        for axis, value, (low, high) in ((x_axis, x, ends["x"]), (y_axis, y, ends["y"])):
            shares.append(2 * (float(axis.position(value)) - low) / (high - low) - 1)
        clicked = question.change(place="{:.3f},{:.3f}".format(*shares))
        assert (clicked.epsilon, clicked.clip_norm) == (x, y)


@pytest.mark.parametrize("place", ["1", "a,b", "nan,0"])
def test_a_click_without_a_place_is_refused(place):
    with pytest.raises(RefusedError, match="two numbers"):
        question_about("classifier").change(place=place)


# Curve


def test_along_a_parameter_that_may_help_or_harm_the_answer_is_the_best_median():
    question = question_about("classifier", slider="clip_norm", target=80)

    def runs(settings, count):
        """Return runs (count,) whose median is highest at a clipping norm of 1."""
        return np.linspace(0, 0.1, count) + 0.8 - abs(np.log(settings.clip_norm)) / 10

    result = result_with(question, runs)

    best = min(question.experiment.plan.curve, key=lambda clip_norm: abs(np.log(clip_norm)))
    peak = result.curve.peak
    assert result.curve.crossing is None
    assert result.curve.answer is None
    assert peak.value == best
    assert peak.median == pytest.approx(0.85, abs=SPREAD_OF_RUNS)
    assert peak.hits == np.count_nonzero(result.curve_runs[best] >= 0.8)


# Search


@pytest.fixture(scope="module")
def searched():
    """Return the result of a search, all of it computed."""
    return question_about("classifier", question="best", tries=3).experiment.run()


def test_the_winner_has_the_best_median(searched):
    winner = searched.search.winner

    best = max(searched.search.tries, key=lambda pair: pair[1])

    assert (winner.settings, winner.selected) == best


def test_the_winner_is_retested_on_splits_that_did_not_select_it(searched):
    winner = searched.search.winner

    for number, median in enumerate(winner.retested):
        seed = winner.settings.seed + 1 + number
        on_other_split = winner.settings.change(seed=seed)
        runs = measured_runs(searched.settings, on_other_split.experiment.sample(24))
        assert np.median(runs) == pytest.approx(median, abs=ROUNDING), seed


# Program


def run_program(question: WhatIfSettings) -> tuple[str, dict]:
    """Return what the program of a question prints, and its names."""
    printed = io.StringIO()
    names: dict = {}
    with redirect_stdout(printed):
        exec(question.program, names)
    return printed.getvalue(), names


@pytest.mark.parametrize("slider", ["epsilon", "clip_norm"])
def test_the_program_prints_the_table_of_the_page(slider):
    question = question_about("classifier", slider=slider)
    result = question.experiment.run()

    printed, _ = run_program(question)

    assert result.table().to_string() in printed


def test_the_program_finds_the_crossing_of_the_page():
    question = question_about("classifier")
    curve = question.experiment.run().curve

    _, names = run_program(question)

    for name, crossing in (("found", curve.crossing), ("found_for_most", curve.crossing_for_most)):
        pd.testing.assert_frame_equal(names[name], pd.DataFrame([asdict(crossing)]))


def test_the_program_prints_the_retested_median_of_the_page(searched):
    printed, _ = run_program(searched.settings)

    assert f"{searched.search.winner.retested_median:.6f}" in printed


def test_a_single_run_is_shown_without_an_answer():
    question = question_about("hypotheses", base="noise objective", slider="epsilon")
    first_task = question.experiment.plan.base_tasks[0]

    result = question.experiment.gather({first_task: np.array([0.8])})
    answer, for_most, base = PAGE.content.tiles(result)

    assert [answer.value, for_most.value] == ["…", "…"]
    assert base.value == "80.0\u00a0%"
