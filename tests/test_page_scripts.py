"""Single pages as scripts, and their figures: clicks are judged, settings fall with others, and curves are tables."""

import re
from dataclasses import replace

import numpy as np
import pytest

from dpcore.training import toeplitz
from pages.attack.parameters import PARTS
from pages.network import figures as network
from pages.network import words as of_network
from pages.network.experiment import NetworkSettings
from pages.network.page import knobs
from pages.network.parameters import OVER
from pages.parties import figures as parties
from pages.parties import words as of_parties
from pages.parties.experiment import PartiesSettings
from pages.parties.page import PAGE as PARTIES
from pages.parties.parameters import EPSILONS
from pages.parties.trust import trust
from tests.app import QUICK, moved, opened, settings_of, text
from tests.test_figures import numbers
from ui.plot import theme

ATTACK = QUICK["attack"]
SMALL = {name: int(value) for name, value in QUICK["parties"].items()}
CASES = [
    {},
    {"method": "average", "constants": "norms", "regularisation": 1e-4},
    {"method": "pate", "dataset": "six", "learner": "mixed"},
    {"parties": 2, "epsilon": 0.01, "careless": 0.9, "unlike": 1.0},
    {"trust_model": "local", "dataset": "four"},
    {"trust_model": "shuffle", "method": "average", "parties": 400, "delta": 1e-2, "epsilon": 0.3},
    {"trust_model": "shuffle", "learner": "bayes"},
]


@pytest.mark.parametrize("part", PARTS)
def test_no_part_of_the_attack_proves_anything(part):
    app = opened("attack", part=part, **ATTACK)
    assert "never proves one" in text(app) or part in ("pays", "inversion")


def sent(app, name, value, key="attack.board"):
    seq = max(app.session_state["attack.desk"].ack, app.session_state["attack.desk"].clicked) + 1
    app.session_state[key] = {"movement": {"name": name, "value": value, "seq": seq, "final": True, "tick": False}}
    return app.run()


def test_a_click_is_a_person_or_a_place_once_and_a_forged_one_is_nothing():
    app = sent(opened("attack", **ATTACK), "person", 17)
    assert (settings_of(app, "attack").who, settings_of(app, "attack").person) == ("row", 17)
    app = sent(app, "person", 3, key="attack.knobs").run()
    assert settings_of(app, "attack").person == 3
    app = sent(app, "spot", "0.25,-0.5")
    meant = settings_of(app, "attack")
    assert (meant.who, meant.person_x, meant.person_y) == ("outlier", 0.25, -0.5)

    for name, value in (("person", 4000), ("person", "abc"), ("spot", "far"), ("epsilon", 9.0)):
        app = sent(app, name, value)
        assert not app.exception
        assert settings_of(app, "attack") == meant


def test_a_knob_or_an_axis_of_the_regression_stands_and_falls_with_the_others():
    app = opened("regression", **QUICK["regression"], split="own", share="0.4")
    moved(app, "regression", "share", 0.7)
    assert settings_of(app, "regression").share_of("published") == 0.7
    for name, value in (("split", "best"), ("dataset", "brazil"), ("up", 0)):
        app.selectbox(key=f"regression.{name}").set_value(value).run()
    assert not app.exception
    assert (settings_of(app, "regression").rows, settings_of(app, "regression").up) == (152_000, 0)
    app.selectbox(key="regression.across").set_value(0).run()
    assert "another feature" in app.error[0].value


NETWORK = NetworkSettings(rows=300, lot_size=50, epochs=3, repeats=2, width=4, layers=1)


@pytest.mark.parametrize("changes", [{"clipping": "layers", "layers": 2}, {"dataset": "blobs", "layers": 0}])
def test_curves_of_a_network_are_those_that_are_downloaded(changes):
    result = NETWORK.change(**changes).run()
    frame = result.curves()
    private = frame[frame["arm"] == "private"]
    for over in OVER:
        drawn = network.accuracy(replace(result, settings=result.settings.change(over=over)))
        (line,) = (trace for trace in drawn["data"] if trace.get("meta") == "ghost")
        np.testing.assert_allclose(numbers(line["x"]), private[over], rtol=1e-6)
        np.testing.assert_allclose(numbers(line["y"]), 100 * private["accuracy median"], rtol=1e-6)


@pytest.mark.parametrize("mechanism", ["ordered", "toeplitz"])
def test_lots_in_a_fixed_order_need_no_secret(mechanism):
    result = NETWORK.change(mechanism=mechanism, noise_ramp=0.5).run()
    assert not {"noise_ramp", "clip_ramp"} & {*knobs(result.settings).more}
    assert "must stay secret" not in of_network.guarantee(result)
    stated = of_network.label(result).said
    assert toeplitz.ASSUMES in stated["assumptions"]
    assert "secret" not in stated["public"]
    assert stated["mechanism"].startswith(toeplitz.MECHANISMS[mechanism])


@pytest.fixture(scope="module", params=CASES, ids=str)
def result(request):
    """Of parties, without the tasks about more parties than there are."""
    settings = PartiesSettings(**(SMALL | request.param))
    asked = {task: max(getattr(task, "upto", 0), getattr(task, "asked", 0)) for task in settings.tasks()}
    return settings.result({task: task.run() for task in asked if asked[task] <= settings.parties})


def named(figure) -> dict:
    return {trace.get("name", "").partition("  ")[0]: trace for trace in figure["data"]}


def test_curves_of_parties_are_the_medians(result):
    lines = named(parties.over_epsilon(result))
    for name in result.methods:
        trace = lines[parties.STYLES[name][0]]
        assert numbers(trace["x"]) == pytest.approx(np.array(EPSILONS), rel=1e-6)
        medians = [100 * np.median(runs) for runs in result.arm(name, "epsilon").runs]
        assert numbers(trace["y"]) == pytest.approx(medians, rel=1e-5)


def test_the_noise_drawn_is_the_noise_of_the_table(result):
    table, central = result.table().set_index("method"), result.settings.model.central
    lines = named(parties.noise(result) if central else parties.local_noise(result))
    shown = {name: parties.STYLES[name][0] for name in {*result.methods} - {"pate"}}
    for name, label in (shown if central else dict.fromkeys({"average"} & {*table.index}, "each party")).items():
        x, y = (np.log(numbers(lines[label][axis])) for axis in ("x", "y"))
        found = np.exp(np.interp(np.log(result.settings.parties), x, y))
        assert found == pytest.approx(table.loc[name, "noise"], rel=0.2)
        assert (np.ptp(y) < 1e-6) == (name == "vote")
    if not central:
        assert np.isnan(table.loc["soft", ["sensitivity", "noise", "without noise"]].astype(float)).all()


BOX = re.compile(r"solid (#\w+);[^>]*><b>([^<]*)</b>( <b)?")


def test_drawing_guarantee_and_tabs_follow_who_is_trusted(result):
    picture, settings, said = trust(result), result.settings, of_parties.guarantee(result)
    boxes = [(name, bool(noise), colour == theme.PRIVATE) for colour, name, noise in BOX.findall(picture)]
    central = settings.trust_model == "central"
    assert boxes[0] == (f"{settings.parties:,} parties", not central, True)
    others = {"central": ["Trusted aggregator"], "local": ["Aggregator"], "shuffle": ["Shuffler", "Aggregator"]}
    assert [name for name, *_ in boxes[1:-1]] == others[settings.trust_model]
    assert {(noise, private) for _, noise, private in boxes[1:-1]} == {(central, central)}
    assert ("noisy labels" in picture) == (settings.method == "pate")
    held = settings.guarantee(settings.method)
    assert f"<dt>epsilon</dt><dd>{of_parties.number(held.epsilon)}</dd>" in said
    assert (held.delta > 0) == (settings.method == "pate" or settings.delta == 1e-2)
    assert held.epsilon <= settings.epsilon * (1 + 1e-9)
    tabs = {tab.name for tab in PARTIES.at(settings).tabs}
    assert ({"limits"} <= tabs, {"noise"} <= tabs) == (central, central or "average" in result.methods)
    assert ({"One party", "Answers", "Theorems"} <= {*PARTIES.frames(result)}) == central
    assert all(all(board) for board in PARTIES.view(result).boards.values())


def test_what_no_party_can_release_gives_way_to_what_it_can():
    for method, box, value in (("average", "learner", "bayes"), ("vote", "trust_model", "shuffle")):
        app = opened("parties", **QUICK["parties"], method=method)
        app.selectbox(key=f"parties.{box}").set_value(value).run()
        assert not app.exception
        assert (settings_of(app, "parties").method, getattr(settings_of(app, "parties"), box)) == ("soft", value)
