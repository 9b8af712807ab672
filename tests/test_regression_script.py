"""The regression page as a script: it opens, takes links and movements, refuses in words, and shows no traceback."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.data.regression import SOURCES
from dpcore.estimators.linear import REGRESSIONS
from lab.links import VERSION_NAME
from pages.regression import figures
from pages.regression.experiment import RegressionSettings
from tests.app import opened

ROOT = Path(__file__).parents[1]
PAGE = "regression"


def quick(**link: str) -> AppTest:
    """Of the small data set, with few runs."""
    return opened(PAGE, **({"dataset": "diabetes", "repeats": "3"} | link))


def text(app: AppTest) -> str:
    elements = [*app.markdown, *app.warning, *app.error, *app.get("html")]
    return " ".join(getattr(one, "value", None) or one.proto.body for one in elements)


def said_in(app: AppTest, tab: str) -> str:
    """All that the page says while this tab is open."""
    app.session_state["regression.tabs"] = tab
    return text(rested(app.run()))


def moved(app: AppTest, name: str, value: float | str) -> AppTest:
    seq = app.session_state["regression.desk"].ack + 1
    app.session_state["regression.knobs"] = {
        "movement": {"name": name, "value": value, "seq": seq, "final": True, "tick": False}
    }
    return app.run()


def settings_of(app: AppTest) -> RegressionSettings:
    return app.session_state["regression.desk"].settings


def rested(app: AppTest) -> AppTest:
    """Run, as the panel asks for it, until all of the work is done."""
    for _ in range(60):
        desk = app.session_state["regression.desk"]
        if desk.told == (settings_of(app), True):
            return app
        tick = {"name": "", "value": 0, "seq": desk.ack + 1, "final": False, "tick": True, "page": False}
        app.session_state["regression.knobs"] = {"movement": tick}
        app.run()
    raise AssertionError("the work does not end")


def test_it_opens_with_296000_people_and_says_what_falls_over():
    app = opened(PAGE)
    assert not app.exception
    assert "the noisy objective has no minimum" in text(app)
    said = said_in(app, "Guarantee")
    assert "<b>epsilon 0.2</b>" in said
    assert "exact accounting of the same noise gives epsilon <b>0.1</b>" in said
    assert settings_of(app).rows == 296_000


@pytest.mark.parametrize("mechanism", REGRESSIONS)
@pytest.mark.parametrize("dataset", SOURCES)
def test_every_method_on_every_data_set(dataset, mechanism):
    app = opened(PAGE, dataset=dataset, mechanism=mechanism, repeats="3", features="5")
    assert not app.exception
    assert not app.warning
    assert (settings_of(app).dataset, settings_of(app).mechanism) == (dataset, mechanism)
    assert "RMSE" in text(app)


def test_at_rest_the_tables_hold_all_methods():
    app = rested(quick())
    said = said_in(app, "All methods")
    for name in figures.METHODS.values():
        assert f"<td>{name}</td>" in said
    assert "body mass index" in said_in(app, "Coefficients")


def test_a_link_is_the_experiment():
    first = rested(moved(quick(), "epsilon", 2.5))
    address = {name: values[0] if isinstance(values, list) else values for name, values in first.query_params.items()}
    second = rested(opened(PAGE, **address))
    assert settings_of(second) == settings_of(first)
    assert text(second) == text(first)
    assert set(first.query_params) == {*asdict(RegressionSettings()), VERSION_NAME}


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("epsilon", "-3", "from 0.01 to 100"),
        ("mechanism", "magic", "one of: published"),
        ("rows", "1e9", "from 50 to 353"),
        ("features", "11", "from 2 to 10"),
        ("draw", "4", "from 1 to 3"),
    ],
)
def test_a_broken_link_says_what_was_ignored(name, value, allowed):
    app = quick(**{name: value})
    assert not app.exception
    (warning,) = app.warning
    assert allowed in warning.value


@pytest.mark.parametrize("value", [0.0, 1e9, "abc", ""])
def test_a_refused_entry_says_why_and_changes_nothing(value):
    app = quick()
    before = settings_of(app)
    moved(app, "epsilon", value)
    assert not app.exception
    assert settings_of(app) == before
    assert "0.01 to 100" in app.session_state["regression.desk"].errors["epsilon"]
    moved(app, "epsilon", 3.0)
    assert settings_of(app) == replace(before, epsilon=3.0)


def test_the_share_has_a_knob_only_where_it_is_chosen_by_hand():
    app = quick(split="own", share="0.4")
    assert settings_of(app).share_of("published") == 0.4
    moved(app, "share", 0.7)
    assert not app.exception
    assert "70\u00a0% of epsilon goes to the quadratic" in text(app)
    app.selectbox(key="regression.split").set_value("best").run()
    assert "the share with the least noise" in text(app)


def test_another_data_set_and_other_pictures():
    app = quick()
    app.selectbox(key="regression.dataset").set_value("brazil").run()
    assert not app.exception
    assert settings_of(app).rows == 152_000
    app.selectbox(key="regression.up").set_value(0).run()
    assert settings_of(app).up == 0
    app.selectbox(key="regression.across").set_value(0).run()
    assert "another feature" in app.error[0].value
