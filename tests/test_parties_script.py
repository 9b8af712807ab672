"""What the parties page draws is what was computed, and its titles and its drawing of trust follow the settings."""

import re

import numpy as np
import pytest
from test_figures import numbers
from test_parties import within

from pages.parties import figures
from pages.parties import words as say
from pages.parties.experiment import PartiesSettings
from pages.parties.parameters import EPSILONS
from pages.parties.trust import trust
from tests.app import QUICK, opened, settings_of
from tests.sentences import first

SMALL = {name: int(value) for name, value in QUICK["parties"].items()}
CASES = [
    {},
    {"method": "vote", "dataset": "four", "constants": "norms"},
    {"method": "average", "constants": "norms", "regularisation": 1e-4},
    {"method": "pate", "dataset": "six", "learner": "mixed"},
    {"parties": 2, "epsilon": 0.01, "careless": 0.9, "unlike": 1.0},
    {"epsilon": 100.0, "labels": "probabilities", "constants": "published"},
]


@pytest.fixture(scope="module", params=CASES, ids=str)
def result(request):
    settings = PartiesSettings(**(SMALL | request.param))
    return settings.result({task: task.run() for task in within(settings)})


def named(figure) -> dict:
    """Traces by what their legend calls them, without the value."""
    return {trace.get("name", "").partition("  ")[0]: trace for trace in figure["data"]}


def test_the_curve_shows_the_medians(result):
    lines = named(figures.over_epsilon(result))
    for name in result.methods:
        trace = lines[figures.STYLES[name][0]]
        assert numbers(trace["x"]) == pytest.approx(np.array(EPSILONS), rel=1e-6)
        medians = [100 * np.median(runs) for runs in result.arm(name, "epsilon").runs]
        assert numbers(trace["y"]) == pytest.approx(medians, rel=1e-5)


def test_the_noise_drawn_is_the_noise_of_the_table(result):
    lines, table = named(figures.noise(result)), result.table().set_index("method")
    x = numbers(lines["majority vote"]["x"])
    for name in set(result.methods) - {"pate"}:
        y = numbers(lines[figures.STYLES[name][0]]["y"])
        found = np.exp(np.interp(np.log(result.settings.parties), np.log(x), np.log(y)))
        assert found == pytest.approx(table.loc[name, "noise"], rel=0.2)
        assert (np.ptp(np.log(y)) < 1e-6) == (name == "vote")


def test_the_drawing_and_the_guarantee_follow_the_method(result):
    picture, settings, said = trust(result), result.settings, say.guarantee(result)
    assert f"{settings.parties:,} parties" in picture
    assert ("public rows, no labels" in picture) == (settings.method != "average")
    assert ("noise on every count" in picture) == (settings.method == "pate")
    assert "trusted aggregator" in re.search(r'aria-label="([^"]*)"', picture)[1]
    assert "currentColor" in picture
    assert f"<dt>epsilon</dt><dd>{say.number(settings.epsilon)}</dd>" in said
    assert ("<dt>delta</dt><dd>0</dd>" in said) == (settings.method != "pate")


def test_a_first_picture_says_how_many_parties_it_is_of():
    # A crowd that no other test has asked: what is known of it is asked no more
    result = first(PartiesSettings(**(SMALL | {"parties": 5000, "seed": 4712})))
    assert "So far 100 of 5,000 parties" in say.verdict(result)
    assert figures.finding(result, "epsilon") == "1 of 9 trained"


def test_parties_of_another_kind_have_no_average():
    app = opened("parties", **QUICK["parties"], method="average")
    app.selectbox(key="parties.learner").set_value("bayes").run()
    assert not app.exception
    assert settings_of(app, "parties").method == "soft"
