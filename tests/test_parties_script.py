"""What the parties page draws is what was computed, and its titles and its drawing of trust follow the settings."""

import re

import numpy as np
import pytest
from test_figures import numbers
from test_parties import within

from pages.parties import figures
from pages.parties import words as say
from pages.parties.experiment import PartiesSettings
from pages.parties.page import PAGE
from pages.parties.parameters import EPSILONS
from pages.parties.trust import trust
from tests.app import QUICK, opened, settings_of
from ui.plot import theme

SMALL = {name: int(value) for name, value in QUICK["parties"].items()}
CASES = [
    {},
    {"method": "vote", "dataset": "four", "constants": "norms"},
    {"method": "average", "constants": "norms", "regularisation": 1e-4},
    {"method": "pate", "dataset": "six", "learner": "mixed"},
    {"parties": 2, "epsilon": 0.01, "careless": 0.9, "unlike": 1.0},
    {"epsilon": 100.0, "labels": "probabilities", "constants": "published"},
    {"trust_model": "local", "dataset": "four"},
    {"trust_model": "shuffle", "method": "average", "parties": 400, "delta": 1e-2, "epsilon": 0.3},
    {"trust_model": "shuffle", "learner": "bayes"},
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
    table = result.table().set_index("method")
    if not result.settings.model.central:
        line = named(figures.local_noise(result))["each party"]
        x, y = (np.log(numbers(line[axis])) for axis in ("x", "y"))
        found = np.exp(np.interp(np.log(result.settings.parties), x, y))
        assert "average" not in table.index or found == pytest.approx(table.loc["average", "noise"], rel=0.2)
        assert np.isnan(table.loc["soft", ["sensitivity", "noise", "without noise"]].astype(float)).all()
        return
    lines = named(figures.noise(result))
    x = numbers(lines["majority vote"]["x"])
    for name in set(result.methods) - {"pate"}:
        y = numbers(lines[figures.STYLES[name][0]]["y"])
        found = np.exp(np.interp(np.log(result.settings.parties), np.log(x), np.log(y)))
        assert found == pytest.approx(table.loc[name, "noise"], rel=0.2)
        assert (np.ptp(np.log(y)) < 1e-6) == (name == "vote")


BOX = re.compile(r"solid (#\w+);[^>]*><b>([^<]*)</b>( <b)?")


def test_the_drawing_and_the_guarantee_follow_who_is_trusted(result):
    picture, settings, said = trust(result), result.settings, say.guarantee(result)
    boxes = [(name, bool(noise), colour == theme.PRIVATE) for colour, name, noise in BOX.findall(picture)]
    (parties, *others), central = boxes, settings.trust_model == "central"
    assert parties == (f"{settings.parties:,} parties", not central, True)
    between = {"central": [], "local": [("Aggregator", False, False)]}
    between["shuffle"] = [("Shuffler", False, False), *between["local"]]
    adder = [("Trusted aggregator", True, True)] * central
    assert others == [*adder, *between[settings.trust_model], ("Everybody", False, False)]
    assert ("noisy labels" in picture) == (settings.method == "pate")
    assert ("trusted aggregator" in re.search(r'aria-label="([^"]*)"', picture)[1]) == central
    assert picture in say.caption(result)
    held = settings.guarantee(settings.method)
    assert f"<dt>epsilon</dt><dd>{say.number(held.epsilon)}</dd>" in said
    assert ("<dt>delta</dt><dd>0</dd>" in said) == (held.delta == 0)
    assert (held.delta > 0) == (settings.method == "pate" or settings.delta == 1e-2)
    assert held.epsilon <= settings.epsilon * (1 + 1e-9)


def test_tabs_and_downloads_are_those_of_the_trust_model(result):
    central, average = result.settings.model.central, "average" in result.methods
    tabs = {tab.name for tab in PAGE.at(result.settings).tabs}
    assert ({"limits"} <= tabs, {"noise"} <= tabs) == (central, central or average)
    assert ({"One party", "Answers", "Theorems"} <= {*PAGE.frames(result)}) == central
    for board in PAGE.view(result).boards.values():
        assert all(board)


def test_parties_of_another_kind_have_no_average():
    app = opened("parties", **QUICK["parties"], method="average")
    app.selectbox(key="parties.learner").set_value("bayes").run()
    assert not app.exception
    assert settings_of(app, "parties").method == "soft"


def test_what_no_party_can_release_alone_gives_way_to_what_it_can():
    app = opened("parties", **QUICK["parties"], method="vote")
    app.selectbox(key="parties.trust_model").set_value("shuffle").run()
    assert not app.exception
    assert (settings_of(app, "parties").method, settings_of(app, "parties").trust_model) == ("soft", "shuffle")
    assert "Shuffler" in " ".join(one.value for one in app.get("html") if hasattr(one, "value"))
