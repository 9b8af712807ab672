"""The page of networks as a script: links, refusals, and figures that draw what the result holds."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from dpcore.training import sgd, tree
from pages.network import figures, words_tables
from pages.network import parameters as network
from pages.network import words as say
from pages.network.experiment import NetworkSettings
from pages.network.page import PAGE as NETWORK
from pages.network.page import knobs
from pages.network.words_label import label
from pages.network.work import FRAMES
from tests.app import at_rest, opened, text
from tests.test_figures import numbers
from ui.panels import number

PAGE = "network"
QUICK = {"rows": "300", "lot_size": "50", "epochs": "3", "repeats": "2", "width": "4", "layers": "1"}


def moved(app, name, value):
    seq = app.session_state["network.desk"].ack + 1
    app.session_state["network.knobs"] = {
        "movement": {"name": name, "value": value, "seq": seq, "final": True, "tick": False}
    }
    return app.run()


@pytest.fixture(scope="module", params=[{}, {"clipping": "layers", "layers": 2}, {"dataset": "blobs", "layers": 0}])
def result(request):
    return NetworkSettings(**{name: int(value) for name, value in QUICK.items()} | request.param).run()


def drawn(result):
    found = [figures.regions(result, arm) for arm in network.ARMS]
    found += [draw(run_over(result, over)) for draw in (figures.accuracy, figures.loss) for over in network.OVER]
    return [*found, figures.norms(result), figures.clipped(result), figures.lots(result), figures.noise_left(result)]


def run_over(result, over):
    """The same result, with its curves over epochs or over epsilon."""
    return replace(result, settings=result.settings.change(over=over))


def test_plotly_accepts_every_figure(result):
    for figure in drawn(result):
        assert len(go.Figure(figure).data) == len(figure["data"])


def test_a_partial_result_is_drawn_as_far_as_it_goes():
    settings = NetworkSettings(rows=5000, epochs=30, accountant="pld", repeats=2)
    result = settings.result({task: task.run() for task in settings.tasks() if task.essential})
    counted = np.flatnonzero(np.isfinite(result.spent[1:])) + 1
    assert {result.reached, settings.shown} <= {*counted} < {*range(1, FRAMES + 1)}
    assert not result.fine[1:].any()
    for figure in drawn(result):
        go.Figure(figure)
    assert f"epsilon {number(result.guarantee.epsilon)}</b> is spent" in say.verdict(result)
    title = figures.accuracy(result)["layout"]["title"]["text"]
    assert title.endswith(f"{result.reached} of 60 checkpoints trained")


def test_curves_draw_what_is_downloaded(result):
    frame = result.curves()
    private = frame[frame["arm"] == "private"]
    for over in network.OVER:
        traces = figures.accuracy(run_over(result, over))["data"]
        (line,) = (trace for trace in traces if trace.get("meta") == "ghost")
        assert line["name"] == "private"
        np.testing.assert_allclose(numbers(line["x"]), private[over], rtol=1e-6)
        np.testing.assert_allclose(numbers(line["y"]), 100 * private["accuracy median"], rtol=1e-6)


@pytest.mark.parametrize(
    ("dataset", "variant"),
    [
        *((dataset, "sound") for dataset in network.DATA if dataset != network.OWN),
        *(("moons", variant) for variant in sgd.VARIANTS),
    ][1:],
)
def test_every_data_set_and_every_loop(dataset, variant):
    rows = {"rows": "898", "lot_size": "300"} if dataset == "digits" else {}
    app = opened(PAGE, **QUICK | rows | {"dataset": dataset, "variant": variant})
    assert not app.exception
    assert not app.warning
    assert ("its theorem does not cover this training loop" in text(app)) == (variant != "sound")


def test_another_loop_has_no_ways_to_compare():
    result = NetworkSettings(**{name: int(value) for name, value in QUICK.items()}, variant="shuffled").run()
    assert NETWORK.view(result).boards["mechanisms"] == []
    assert "are compared for the correct DP-SGD variant" in words_tables.mechanisms(result)


@pytest.mark.parametrize("mechanism", ["ordered", "tree"])
def test_lots_in_a_fixed_order(mechanism):
    app = opened(PAGE, **QUICK | {"mechanism": mechanism, "noise_ramp": "0.5"})
    assert not app.exception
    assert not app.warning
    assert "leaves an empty place" in text(app)
    assert "must stay secret" not in text(app)
    assert "Batching" in [one.label for one in app.selectbox]
    settings = app.session_state["network.desk"].settings
    assert "small batches in a fixed order" in say.lead(settings)
    assert "chance" not in say.lead(settings)
    assert not {"noise_ramp", "clip_ramp"} & {*knobs(settings).more}
    stated = label(settings.run())
    assert tree.ASSUMES in stated.said["assumptions"]
    assert "secret" not in stated.said["public"]
    assert stated.said["mechanism"].startswith(tree.MECHANISMS[mechanism])


@pytest.mark.parametrize("accountant", network.ACCOUNTANTS)
@pytest.mark.parametrize("plan", network.PLANS)
def test_every_plan_by_every_accountant(plan, accountant):
    app = opened(PAGE, **QUICK | {"plan": plan, "accountant": accountant, "clipping": "layers"})
    assert not app.exception
    assert not app.warning
    assert "epsilon" in text(app)


def test_a_link_is_the_experiment():
    first = opened(PAGE, **QUICK)
    moved(first, "epsilon", 1.5)
    moved(first, "shown", 20)
    address = {name: value[0] if isinstance(value, list) else value for name, value in first.query_params.items()}
    second = opened(PAGE, **address)
    settings = second.session_state["network.desk"].settings
    assert settings == first.session_state["network.desk"].settings
    assert (settings.epsilon, settings.shown) == (1.5, 20)
    assert text(at_rest(second, "network")) == text(at_rest(first, "network"))


def test_nothing_is_spent_before_the_first_step():
    app = opened(PAGE, **QUICK | {"shown": "0"})
    assert not app.exception
    assert "nothing is spent" in text(app)


@pytest.mark.parametrize(("name", "value"), [("lot_size", 400), ("epsilon", "abc"), ("epochs", 1e6), ("shown", -1)])
def test_a_refused_entry_says_why_and_changes_nothing(name, value):
    app = opened(PAGE, **QUICK)
    before = app.session_state["network.desk"].settings
    moved(app, name, value)
    assert not app.exception
    desk = app.session_state["network.desk"]
    assert desk.settings == before
    assert "it must be" in desk.errors[name]


def test_no_row_knob_where_the_number_of_rows_is_fixed():
    app = opened(PAGE, **QUICK | {"rows": "898", "lot_size": "300", "dataset": "digits"})
    assert not app.exception
    assert not app.warning
