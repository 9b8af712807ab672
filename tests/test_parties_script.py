"""The parties page: its pictures are Plotly's and show the result, its script takes links and movements."""

import re

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest
from test_figures import numbers

from dpcore.parties.aggregation import CONSTANTS
from dpcore.parties.local import LEARNERS
from dpcore.parties.worlds import KINDS
from pages.parties import figures
from pages.parties import words as say
from pages.parties.crowd import Gather
from pages.parties.experiment import PartiesSettings
from pages.parties.parameters import EPSILONS, LABELS
from pages.parties.trust import trust
from pages.parties.work import METHODS, Tried
from tests.app import opened, text
from tests.claims import better
from ui.plot import theme

PAGE = "parties"
SMALL = {"parties": 80, "public_rows": 60, "repeats": 3, "queries": 30}
CASES = [
    {},
    {"method": "vote", "dataset": "four", "constants": "norms"},
    {"method": "average", "constants": "norms", "regularisation": 1e-4},
    {"method": "pate", "dataset": "six", "learner": "mixed"},
    {"parties": 2, "epsilon": 0.01, "careless": 0.9, "unlike": 1.0},
    {"method": "pate", "delta": 1e-2, "parties": 120, "learner": "tree"},
    {"epsilon": 100.0, "labels": "probabilities", "constants": "published"},
]


def most_of(settings):
    """Everything but the crowds beyond the settings' own."""
    most = settings.parties
    tasks = [
        task
        for task in settings.tasks()
        if not (isinstance(task, Gather) and task.upto > most) and not (isinstance(task, Tried) and task.asked > most)
    ]
    return settings.result({task: task.run() for task in tasks})


@pytest.fixture(scope="module", params=CASES, ids=str)
def result(request):
    return most_of(PartiesSettings(**(SMALL | request.param)))


def drawn(result) -> dict:
    names = ("over_epsilon", "over_parties", "one_party", "noise", "bound", "answers")
    found = {name: getattr(figures, name)(result) for name in names}
    return found | {name: figures.decisions(result, name) for name in figures.shown_maps(result)}


def named(figure) -> dict:
    """Traces by what their legend calls them, without the value."""
    return {trace.get("name", "").partition("  ")[0]: trace for trace in figure["data"]}


def test_plotly_accepts_every_figure(result):
    for figure in drawn(result).values():
        assert len(go.Figure(figure).data) == len(figure["data"])


def test_every_sentence_has_its_numbers(result):
    said = " ".join([say.verdict(result), *say.diagnostics(result), say.guarantee(result)])
    assert "nan" not in said
    assert "None" not in said
    assert "one party" in say.guarantee(result)
    assert f"<dt>epsilon</dt><dd>{say.number(result.settings.epsilon)}</dd>" in say.guarantee(result)
    assert ("<dt>delta</dt><dd>0</dd>" in say.guarantee(result)) == (result.settings.method != "pate")


def test_the_curve_shows_the_medians(result):
    lines = named(figures.over_epsilon(result))
    for name in result.methods:
        trace = lines[figures.STYLES[name][0]]
        assert numbers(trace["x"]) == pytest.approx(np.array(EPSILONS), rel=1e-6)
        medians = [100 * np.median(runs) for runs in result.arm(name, "epsilon").runs]
        assert numbers(trace["y"]) == pytest.approx(medians, rel=1e-5)


def test_the_title_says_from_which_epsilon_joining_helps(result):
    own = result.settings.method
    found = dict(zip(EPSILONS, result.arm(own, "epsilon").runs, strict=True))
    found[result.settings.epsilon] = result.now.of(own)
    base = {"constant": result.constant[1]}
    pays = {e: all(better(found[more], result.local.median, **base) for more in found if more >= e) for e in found}
    said = figures.finding(result, "epsilon")
    if said in ("no gain shown at the end", "joining harms everywhere", "joining helps everywhere"):
        assert set(pays.values()) == {said == "joining helps everywhere"}
    else:
        since = float(re.fullmatch(r"joining helps from ([\d.]+)", said)[1])
        assert [e for e in pays if pays[e]] == [e for e in pays if e >= since]


def test_the_noise_drawn_is_the_noise_of_the_table(result):
    lines = named(figures.noise(result))
    table = result.table().set_index("method")
    x = numbers(lines["majority vote"]["x"])
    for name in set(result.methods) - {"pate"}:
        y = numbers(lines[figures.STYLES[name][0]]["y"])
        found = np.exp(np.interp(np.log(result.settings.parties), np.log(x), np.log(y)))
        assert found == pytest.approx(table.loc[name, "noise"], rel=0.2)
        assert (np.ptp(np.log(y)) < 1e-6) == (name == "vote")


def test_the_drawing_follows_the_method(result):
    picture = trust(result)
    settings = result.settings
    assert f"{settings.parties:,} parties" in picture
    assert ("public rows, no labels" in picture) == (settings.method != "average")
    assert ("noise on every count" in picture) == (settings.method == "pate")
    assert 'role="img"' in picture
    assert "trusted aggregator" in re.search(r'aria-label="([^"]*)"', picture)[1]
    assert "currentColor" in picture


def test_a_method_has_one_colour_and_no_other_has_it():
    colours = [colour for _, colour in figures.STYLES.values()] + [theme.BOUND, theme.NON_PRIVATE]
    assert len(set(colours)) == len(colours)


def test_a_partial_result_is_drawn_and_says_so():
    # A crowd that no other test has asked: what is known of it is asked no more
    settings = PartiesSettings(**(SMALL | {"parties": 5000, "seed": 4712}))
    result = settings.result({task: task.run() for task in settings.tasks() if task.essential})
    for figure in drawn(result).values():
        go.Figure(figure)
    assert "So far 100 of 5,000 parties" in say.verdict(result)
    assert figures.finding(result, "epsilon") == "1 of 9 trained"
    assert "nan" not in " ".join([say.verdict(result), *say.diagnostics(result)])


class TestPage:
    def open(self, **link: str) -> AppTest:
        app = opened(PAGE, **({name: str(value) for name, value in SMALL.items()} | link))
        assert not app.exception
        return app

    def settings(self, app: AppTest) -> PartiesSettings:
        return app.session_state["parties.desk"].settings

    def move(self, app: AppTest, name: str, value: float | str) -> AppTest:
        seq = app.session_state["parties.desk"].ack + 1
        sent = {"name": name, "value": value, "seq": seq, "final": True, "tick": False}
        app.session_state["parties.knobs"] = {"movement": sent}
        return app.run()

    def test_a_link_is_the_experiment(self):
        first = self.move(self.open(), "epsilon", 6.0)
        self.move(first, "parties", 90)
        address = {name: value[0] if isinstance(value, list) else value for name, value in first.query_params.items()}
        second = opened(PAGE, **address)
        assert self.settings(second) == self.settings(first)
        assert self.settings(second) == PartiesSettings(**(SMALL | {"epsilon": 6.0, "parties": 90}))
        assert "90 parties" in text(second)

    @pytest.mark.parametrize("option", [*METHODS, *LABELS, *CONSTANTS, *LEARNERS, *KINDS])
    def test_every_choice(self, option):
        choices = {
            "method": METHODS,
            "labels": LABELS,
            "constants": CONSTANTS,
            "learner": LEARNERS,
            "dataset": tuple(KINDS),
        }
        name = next(name for name, options in choices.items() if option in options)
        app = self.open(**{name: option})
        assert getattr(self.settings(app), name) == option
        assert not app.warning

    def test_parties_of_another_kind_have_no_average(self):
        app = self.open(method="average")
        app.selectbox(key="parties.learner").set_value("bayes").run()
        assert not app.exception
        assert self.settings(app).method == "soft"

    @pytest.mark.parametrize(
        ("name", "value"), [("epsilon", 0.0), ("parties", "abc"), ("parties", 1), ("careless", 2.0)]
    )
    def test_a_refused_entry_changes_nothing(self, name, value):
        app = self.move(self.open(), name, value)
        assert not app.exception
        assert self.settings(app) == PartiesSettings(**SMALL)
        assert name in app.session_state["parties.desk"].errors

    def test_a_broken_link_opens_with_defaults(self):
        app = self.open(rows="1", method="magic")
        assert self.settings(app) == PartiesSettings(**SMALL)
        assert len(app.warning) == 2
