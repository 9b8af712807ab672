"""The transfer page: its pictures are Plotly's and show the result, its script takes links and movements."""

import re

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest
from test_figures import numbers

from pages.transfer import figures, words_tabs
from pages.transfer import words as say
from pages.transfer.experiment import TransferSettings
from pages.transfer.parameters import NOISES, POLYTOPES, SELECTIONS
from pages.transfer.work import CANDIDATES, EPSILONS
from tests.app import opened, text
from tests.claims import better

PAGE = "transfer"
SMALL = {"target_rows": 200, "dimension": 5, "repeats": 6}
CASES = [
    {},
    {"selection": "detected", "noise": "laplace"},
    {"noise": "printed", "polytope": "corners", "adjacency": "add/remove"},
    {"q": 0.0, "h": 4.0},
    {"q": 0.1, "difference": 4.0, "sources": 12},
    {"difference": 0.0, "epsilon": 50.0},
    {"h": 0.02, "difference": 4.0, "epsilon": 0.05},
    {"sources": 1, "migrated": 24, "dimension": 2, "selection": "detected", "epsilon": 0.05},
]


@pytest.fixture(scope="module", params=CASES, ids=str)
def result(request):
    return TransferSettings(**(SMALL | request.param)).run()


def drawn(result):
    names = ("over_epsilon", "over_migrated", "walk", "sources", "published")
    return {name: getattr(figures, name)(result) for name in names}


def test_plotly_accepts_every_figure(result):
    for figure in drawn(result).values():
        assert len(go.Figure(figure).data) == len(figure["data"])


def test_every_sentence_has_its_numbers(result):
    said = " ".join([say.verdict(result), *say.diagnostics(result), say.guarantee(result)])
    assert "nan" not in said
    assert "None" not in said


def test_the_curve_shows_the_medians(result):
    lines = [trace for trace in figures.over_epsilon(result)["data"] if trace.get("name")][1:]
    now = result.summary()
    for place, (name, trace) in enumerate(zip(CANDIDATES, lines, strict=True)):
        assert trace["name"].replace("\u2007", "") == figures.theme.key(
            figures.STYLES[name][0], figures.risk(now[name].median)
        )
        assert numbers(trace["x"]) == pytest.approx(EPSILONS)
        assert numbers(trace["y"]) == pytest.approx(np.median(result.over_epsilon.runs[place], axis=1), rel=1e-5)


def test_the_titles_say_what_the_curves_and_walks_show(result):
    how, pairs = (
        {"higher": False, "constant": result.nothing_learnt},
        [result.over_epsilon.runs[CANDIDATES.index(name)] for name in ("transfer", "target")],
    )
    helps = np.array([better(*pair, **how) for pair in zip(*pairs, strict=True)])
    title = figures.over_epsilon(result)["layout"]["title"]["text"]
    assert helps.all() or "at every epsilon" not in title
    assert "harm" not in title
    if match := re.search(r"help (from|up to) ([\d.]+)", title):
        place = EPSILONS.index(float(match[2]))
        assert (helps[place:] if match[1] == "from" else helps[: place + 1]).all()
    ends = [np.abs(points[-1] - result.walks.truth).sum(axis=1) for points in result.walks.points]
    zero, source = map(np.median, ends)
    walk = figures.walk(result)["layout"]["title"]["text"]
    assert source < zero or "closer from the source" not in walk
    assert zero < source or "closer from zero" not in walk


def test_the_walk_draws_every_repeat(result):
    shapes = figures.walk(result)["layout"]["shapes"]
    assert sum("xanchor" in shape for shape in shapes) == 2 * result.settings.repeats  # the dot at the end of each
    paths = [shape["path"] for shape in shapes if shape["type"] == "path"]
    assert paths[1].count("M") == paths[3].count("M") == result.settings.repeats


def test_sources_right_of_the_line_are_not_transferable(result):
    figure = figures.sources(result)
    line = next(shape for shape in figure["layout"]["shapes"] if shape["type"] == "line")
    assert line["x0"] == result.settings.h
    inside = [colour == figures.theme.PUBLIC for colour in figure["data"][0]["marker"]["line"]["color"]]
    assert inside == (result.sources()["norm"] <= result.settings.h).tolist()


def test_a_partial_result_is_drawn_as_far_as_it_goes():
    settings = TransferSettings(**SMALL)
    result = settings.result({task: task.run() for task in settings.tasks() if task.essential})
    for figure in drawn(result).values():
        go.Figure(figure)
    assert "nan" not in say.verdict(result)


class TestPage:
    def open(self, **link: str) -> AppTest:
        app = opened(PAGE, **link)
        assert not app.exception
        return app

    def settings(self, app: AppTest) -> TransferSettings:
        return app.session_state["transfer.desk"].settings

    def move(self, app: AppTest, name: str, value: float | str) -> AppTest:
        seq = app.session_state["transfer.desk"].ack + 1
        sent = {"name": name, "value": value, "seq": seq, "final": True, "tick": False}
        app.session_state["transfer.knobs"] = {"movement": sent}
        return app.run()

    def test_a_link_is_the_experiment(self):
        first = self.move(self.open(repeats="4"), "epsilon", 6.0)
        self.move(first, "h", 0.3)
        address = {name: value[0] if isinstance(value, list) else value for name, value in first.query_params.items()}
        second = self.open(**address)
        assert self.settings(second) == self.settings(first) == TransferSettings(repeats=4, epsilon=6.0, h=0.3)
        assert say.verdict(self.settings(first).run()) in text(second)

    def test_the_verdict_names_the_better_candidate_as_epsilon_moves(self):
        link = {"dimension": "50", "target_rows": "5000", "sources": "1", "difference": "0.8", "h": "0.8"}
        app = self.open(**link, migrated="15000", repeats="6")
        assert "Using only the sources gives" in text(self.move(app, "epsilon", 4.0))
        assert "Using only the sources does better" in text(self.move(app, "epsilon", 0.1))

    @pytest.mark.parametrize(("name", "value"), [("epsilon", 0.0), ("h", "abc"), ("sources", 99.0), ("migrated", 1.0)])
    def test_a_refused_entry_changes_nothing(self, name, value):
        app = self.move(self.open(repeats="4"), name, value)
        assert not app.exception
        assert self.settings(app) == TransferSettings(repeats=4)
        assert name in app.session_state["transfer.desk"].errors

    def test_a_broken_link_opens_with_defaults(self):
        app = self.open(q="7", repeats="4", noise="thunder")
        assert self.settings(app) == TransferSettings(repeats=4)
        assert len(app.warning) == 2

    @pytest.mark.parametrize("choice", [*NOISES, *SELECTIONS, *POLYTOPES])
    def test_every_choice(self, choice):
        name = next(
            name
            for name, options in (("noise", NOISES), ("selection", SELECTIONS), ("polytope", POLYTOPES))
            if choice in options
        )
        app = self.open(repeats="3", target_rows="200", **{name: choice})
        assert getattr(self.settings(app), name) == choice
        assert not app.warning

    def test_it_says_what_the_published_numbers_are(self):
        result = TransferSettings(repeats=4).run()
        words = words_tabs.published_table(result) + words_tabs.costs_table(result)
        assert "training mean squared error plus 0.1 times the L1 norm" in words
        for number in ("34.1754", "0.5093", "2.15", "1.04"):
            assert number in words
