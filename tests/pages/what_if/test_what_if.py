"""The what-if planner: the numbers that its answers are made of, its pictures, its clicks and its
program.
"""

import base64
import io
import math
from contextlib import redirect_stdout
from dataclasses import asdict, fields
from itertools import product

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from dpcore.accountants import gdp
from dpcore.check import RefusedError
from lab.experiment import links
from lab.sweeps.tuning_cost import best_of, prices, together
from pages.topics import PAGES
from pages.what_if import charts, charts_effects, charts_map
from pages.what_if.result import WhatIfResult
from pages.what_if.settings import QUESTIONS
from pages.what_if.topics import STARTS
from ui.charts import theme
from ui.compute.runner import compute

PAGE = next(page for page in PAGES if page.name == "what-if")
# What makes a topic quick enough to be trained here.
LIGHT = {"network": "rows 200 epochs 3 width 4", "classifier": "dataset iris steps 5 public_rows 0"}


def asked(topic: str, **changes: object):
    """Settings of a question about a topic, few runs each."""
    settings = PAGE.settings().change(topic=topic, repeats=24)
    settings = settings.change(base=LIGHT[topic]) if topic in LIGHT else settings
    for name, value in changes.items():
        settings = settings.change(**{name: value})
    return settings


def fake(settings, number, *, only=None) -> WhatIfResult:
    """The result where each run of some settings of the topic is ``number(settings, runs)``;
    ``only``: of some.
    """
    plan, found = settings.experiment.plan, {}
    for there in dict.fromkeys(
        [
            settings.topic_settings,
            *plan.curve.values(),
            *plan.effects.values(),
            *plan.cells.values(),
        ]
    ):
        measurements = plan.measurements(there)
        if only is None or only(there) or there == settings.topic_settings:
            runs = number(there, settings.repeats * settings.seeds)
            found |= dict(
                zip(
                    measurements,
                    np.split(np.asarray(runs, dtype=float), len(measurements)),
                    strict=True,
                )
            )
    return settings.experiment.gather(found)


@pytest.mark.parametrize("topic", PAGE.settings.TOPICS)
def test_todays_number_is_the_pages_own_to_the_last_bit(topic):
    settings = asked(topic)
    base = settings.topic_settings
    own = np.concatenate(
        [settings.asked_measure.read(task.run()) for task in base.experiment.shown_sample()]
    )
    now = compute(settings, seconds=0)[0].base.runs
    count = min(len(own), len(now))
    assert count
    assert np.array_equal(now[:count], np.ravel(own)[:count])


@pytest.mark.parametrize("topic", PAGE.settings.TOPICS)
def test_a_topic_has_a_beginning_and_a_link_holds_the_whole_question(topic):
    settings, start = PAGE.settings().change(topic=topic), STARTS[topic]
    assert (settings.slider, settings.other, settings.measure) == (
        start.slider,
        start.other,
        start.measure,
    )
    assert all(settings.change(question=question).experiment.tasks() for question in QUESTIONS)
    settings = asked(topic, target=1.05 * start.target, seeds=2)
    assert links.read(PAGE.settings, links.minimal_texts(settings)) == (settings, {})
    own = {one.name for one in fields(PAGE.settings)}
    assert not {one.name for one in fields(settings.topic_settings)} & (
        set(dir(PAGE.settings)) - own
    )


class TestMap:
    @staticmethod
    def result(only=None) -> WhatIfResult:
        settings = asked("classifier", target=70)

        def rises(there, runs):
            return np.full(runs, 0.5 + 0.4 * np.tanh(there.epsilon * there.clip_norm / 3))

        return fake(settings, rises, only=only)

    @staticmethod
    def colours(result: WhatIfResult) -> np.ndarray:
        """Of the middle of each cell, (Y, X, RGBA), from below."""
        (image,) = charts_map.median_map(result)["layout"]["images"]
        picture = Image.open(io.BytesIO(base64.b64decode(image["source"].partition(",")[2])))
        pixels, places = np.asarray(picture.convert("RGBA"))[::-1], []
        for axis, size in zip(result.settings.axes, pixels.shape[1::-1], strict=True):
            middles, (low, *_, high) = axis.position(axis.values), axis.edges
            places.append(((middles - low) / (high - low) * size).astype(int).clip(0, size - 1))
        return pixels[np.ix_(places[1], places[0])]

    def test_a_cell_has_the_colour_of_its_median_and_is_blank_until_it_is_trained(self):
        whole, half = self.result(), self.result(only=lambda there: there.clip_norm > 0.5)
        shades = [tuple(int(one[at : at + 2], 16) for at in (1, 3, 5)) for one in theme.shades(64)]
        low, high = whole.map.colour_range
        assert (low, high) == pytest.approx(
            (0.5, 0.9)
        )  # of medians from 0.5 to 0.9, whatever the target is
        wanted = np.round(63 * np.clip((whole.map.map.medians - low) / (high - low), 0, 1)).astype(
            int
        )
        known = ~np.isnan(half.map.map.medians)
        assert 0 < known.sum() < known.size
        assert half.map.colour_range == whole.map.colour_range
        for result, trained in ((whole, np.ones_like(known)), (half, known)):
            found = self.colours(result)
            assert (found[..., 3] == np.where(trained, 255, 0)).all()
            assert all(
                tuple(found[place][:3]) == shades[wanted[place]]
                for place in map(tuple, np.argwhere(trained))
            )

    def test_the_line_of_the_target_parts_cells_that_reach_it_from_those_that_do_not(self):
        result = self.result()
        assert len(result.map.target_line)
        for x, y in result.map.target_line.reshape(-1, 2):
            assert 0.5 + 0.4 * np.tanh(10 ** (x + y) / 3) == pytest.approx(0.7, abs=0.08)
        assert result.map.first_crossing[0] == pytest.approx(result.map.target_line[..., 0].min())

    def test_a_click_goes_to_the_cell_under_it_or_is_refused(self):
        settings = asked("classifier")
        ends = charts_map.clicks(settings)
        for both in product(*(axis.values[::5] for axis in settings.axes)):
            shares = [
                2 * (float(axis.position(value)) - low) / (high - low) - 1
                for axis, value, (low, high) in zip(
                    settings.axes, both, (ends["x"], ends["y"]), strict=True
                )
            ]
            there = settings.change(place="{:.3f},{:.3f}".format(*shares))
            assert (there.epsilon, there.clip_norm) == both
        for place in ("1", "a,b", "nan,0"):
            with pytest.raises(RefusedError, match="two numbers"):
                settings.change(place=place)


def test_along_a_parameter_that_may_help_or_harm_the_answer_is_the_best_median_of_the_curve():
    settings = asked("classifier", slider="clip_norm", target=80)
    result = fake(
        settings,
        lambda there, runs: np.linspace(0, 0.1, runs) + 0.8 - abs(np.log(there.clip_norm)) / 10,
    )
    curve = settings.experiment.plan.curve
    value = min(curve, key=lambda clip_norm: abs(np.log(clip_norm)))
    peak = result.curve.peak
    assert result.curve.crossing is None
    assert result.curve.interval is None
    assert (peak.value, peak.median) == (value, pytest.approx(0.85, abs=0.01))
    assert peak.hits == np.count_nonzero(result.curve_runs[value] >= 0.8)
    assert not [
        shape for shape in charts.curve(result)["layout"]["shapes"] if shape["type"] == "rect"
    ]


def test_a_click_on_a_bar_asks_about_its_slider_and_a_bar_that_may_be_nothing_is_hatched():
    settings, random = asked("classifier", question="people"), np.random.default_rng(1)
    result = fake(settings, lambda there, runs: np.full(runs, min(1, 0.5 + 0.1 * there.clip_norm)))
    heard, *_ = charts_effects.effects(result)["data"]
    assert set(heard["customdata"]) == {"clip_norm"}
    there = settings.change(bar="clip_norm")
    assert (there.x_field, there.answered_question) == ("clip_norm", "smallest")
    assert there.other != "clip_norm"

    def noisy(there, runs):
        return 0.8 + 0.1 * (there.epsilon > 1) + 0.01 * random.standard_normal(runs)

    result = fake(asked("classifier"), noisy)
    assert {
        one.slider for both in result.effects.values() for one in both if one.difference.shown
    } == {"epsilon"}
    assert next(iter(result.effects)) == "epsilon"
    sure, unsure, *_ = charts_effects.effects(result)["layout"]["shapes"]
    assert sure["path"].count("Z") == 1
    assert unsure["path"].count("Z") == sum(map(len, [*result.effects.values()][:7])) - 1


def test_the_winner_is_measured_on_seeds_that_did_not_choose_it():
    settings = asked("classifier", question="best", tries=3)
    result = settings.experiment.run()
    winner = result.search.winner
    best = max(result.search.tries, key=lambda pair: pair[1])
    assert (winner.settings, winner.selected) == best
    for place, median in enumerate(winner.retested):
        other = winner.settings.change(seed=winner.settings.seed + 1 + place)
        own = np.concatenate(
            [settings.asked_measure.read(task.run()) for task in other.experiment.sample(24)]
        )
        assert np.median(own) == pytest.approx(median, abs=1e-12)


@pytest.mark.parametrize("changes", [{}, {"slider": "clip_norm"}, {"question": "best", "tries": 3}])
def test_the_program_prints_the_pages_numbers(changes):
    settings = asked("classifier", **changes)
    result = settings.experiment.run()
    printed, names = io.StringIO(), {}
    with redirect_stdout(printed):
        exec(settings.program, names)
    said = printed.getvalue()
    if settings.answered_question == "best":
        assert f"{np.median(result.search.winner.retested):.6f}" in said
        return
    assert result.table().to_string() in said
    if result.curve.crossing:
        crossing = pd.DataFrame([asdict(result.curve.crossing)])
        pd.testing.assert_frame_equal(names["found"], crossing)


class TestPrices:
    @pytest.mark.parametrize(
        "topic", LIGHT | dict.fromkeys(["regression", "transfer", "parties", "hypotheses"])
    )
    def test_one_run_costs_what_its_page_promises(self, topic):
        settings = asked(topic).topic_settings
        guarantee, found = settings.guarantee, prices(settings, 7)
        assert (found["public"].epsilon, found["public"].delta) == (
            guarantee.epsilon,
            guarantee.delta,
        )
        for one in found.values():
            assert (one.adjacency, one.unit) == (guarantee.adjacency, guarantee.unit)
            assert one.delta >= guarantee.delta
        assert guarantee.epsilon < found["all"].epsilon <= 7 * guarantee.epsilon * (1 + 1e-9)
        if topic == "parties":
            pure = settings.change(method="soft")
            assert prices(pure, 7)["all"].epsilon <= 7 * pure.epsilon, "it has no delta"
        secret = {way: one for way, one in found.items() if way not in ("public", "all")}
        if secret:
            cheapest = best_of(settings, 7)
            assert cheapest in secret.values()
            assert (cheapest.delta, cheapest.epsilon) == min(
                (one.delta, one.epsilon) for one in secret.values()
            )
            assert guarantee.epsilon < cheapest.epsilon

    def test_an_answer_has_used_all_values_and_all_runs(self):
        settings = asked("classifier", question="smallest", repeats=100)
        plan = settings.experiment.plan
        result, values = fake(settings, lambda there, runs: np.zeros(runs)), plan.curve
        used = result.used
        assert [(one.epsilon, runs) for one, runs in used] == [(value, 100) for value in values]
        mu = math.sqrt(sum(100 * gdp.mu_of(value, delta=1e-5) ** 2 for value in values))
        found = result.used_up
        assert found.epsilon == pytest.approx(gdp.epsilon_of(1e-5, mu=mu), rel=1e-6)
        some = [*values.values()][3:6]
        started = [plan.measurements(one)[0] for one in (settings.topic_settings, *some)]
        partly = settings.experiment.gather(dict.fromkeys(started, np.zeros(100)))
        assert partly.started == {settings.topic_settings, *some}

    def test_runs_that_promise_nothing_have_no_price_alone_or_together(self):
        correct = asked("classifier").topic_settings
        assert together(((correct, 3),)).epsilon > correct.epsilon
        assert together(((correct, 3), (correct.change(version="published"), 1))) is None
        for topic, change in (
            ("classifier", {"version": "published"}),
            ("network", {"variant": "realised"}),
        ):
            settings = asked(topic).topic_settings.change(**change)
            assert (settings.guarantee, prices(settings, 7), best_of(settings, 7)) == (
                None,
                {},
                None,
            )


class TestMorePeopleThanThereAre:
    def test_an_estimate_has_the_rows_there_are_and_the_noise_of_so_many(self):
        kind = type(asked("classifier").topic_settings)
        settings = kind(dataset="digits")
        more, few = settings.with_noise_of(2 * settings.rows), settings.with_noise_of(settings.rows)
        assert few is None, "these can be had"
        assert kind().with_noise_of(10_000) is None, "so many can be drawn"
        noise = [one.training.noise_sd(one.epsilon) for one in (settings, more)]
        assert noise[1] == pytest.approx(noise[0] / 2, rel=1e-6)
        same = ("rows", "seed", "steps", "clip_norm", "learning_rate")
        assert [getattr(more, name) for name in same] == [getattr(settings, name) for name in same]
        assert more.experiment.pairs_with(settings.experiment)

    def test_estimates_are_drawn_apart_and_in_no_table_of_what_was_measured(self):
        settings = asked(
            "classifier",
            question="people",
            base="dataset breast_cancer steps 5 public_rows 0",
            target=97,
        )
        done = {
            task: task.run()
            for task in settings.experiment.tasks()
            if getattr(task, "settings", None) in settings.experiment.compared_settings
        }
        result = settings.experiment.gather(done)
        most = settings.topic_settings.rows
        assert min(result.curve.estimated.values) > most == max(result.curve.measured.values)
        assert result.all_runs()["rows"].max() == result.table()["rows"].max() == most
        (drawn,) = [
            one for one in charts.curve(result)["data"] if "estimate" in one.get("name", "")
        ]
        assert drawn["line"]["dash"] == "longdash"
        assert {*settings.experiment.plan.estimates.values()} < result.started
