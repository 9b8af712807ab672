"""The pages as scripts: they open, take links and movements, refuse in words, and show no traceback."""

import re
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dpcore.data.toy import STRAIGHT
from dpcore.estimators.recipes import VERSIONS
from lab.links import VERSION_NAME
from pages import table
from pages.classifier import figures
from pages.classifier.experiment import ClassifierSettings
from pages.classifier.result import ClassifierResult
from ui import panels
from ui.controls import LONGEST

ROOT = Path(__file__).parents[1]
CLASSIFIER = "classifier"
TOPICS = [page.name for page in table.PAGES]
PAGES = ["", *TOPICS]


def opened(page: str, **link: str) -> AppTest:
    """The page of this name with the settings of a link; without a name, the home page."""
    app = AppTest.from_file(str(ROOT / "pages" / "frame.py"), default_timeout=30)
    if page:
        app._page_hash = calc_hash(page)  # AppTest.switch_page knows only pages that are files
    for name, value in link.items():
        app.query_params[name] = value
    return app.run()


def at_rest(app: AppTest, page: str) -> AppTest:
    """The page once all of its work is done: how much a run does depends on how quick the machine is."""
    for _ in range(500):
        desk = app.session_state[f"{page}.desk"]
        if desk.told == (desk.settings, True):
            return app
        app.run()
    raise AssertionError(f"the page {page} does not come to rest")


def text(app: AppTest) -> str:
    """All that the page says."""
    elements = [*app.markdown, *app.warning, *app.error, *app.get("html")]
    return " ".join(getattr(one, "value", None) or one.proto.body for one in elements)


def moved(app: AppTest, name: str, value: float | str, *, final: bool = True) -> AppTest:
    seq = app.session_state["classifier.desk"].ack + 1
    sent = {"name": name, "value": value, "seq": seq, "final": final, "tick": False}
    app.session_state["classifier.knobs"] = {"movement": sent}
    return app.run()


def settings_of(app: AppTest) -> ClassifierSettings:
    return app.session_state["classifier.desk"].settings


@pytest.mark.parametrize("page", PAGES)
def test_page_opens_and_speaks(page):
    app = opened(page)
    assert not app.exception
    assert re.search(r"\?</h1>", text(app)) if page == "" else app.title[0].value.endswith("?")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dataset", STRAIGHT)
def test_every_data_set_in_every_version(dataset, version):
    app = opened(CLASSIFIER, dataset=dataset, version=version, public_rows="20", repeats="2", steps="5")
    assert not app.exception
    assert settings_of(app).dataset == dataset
    assert not app.warning


def test_a_link_is_the_experiment():
    """A new session that opens the address of another one shows the same settings and the same sentences."""
    first = opened(CLASSIFIER)
    moved(first, "epsilon", 2.5)
    moved(first, "seed", 11)
    address = {name: values[0] if isinstance(values, list) else values for name, values in first.query_params.items()}
    second = opened(CLASSIFIER, **address)
    assert settings_of(second) == settings_of(first) == ClassifierSettings(epsilon=2.5, seed=11)
    assert text(at_rest(second, "classifier")) == text(at_rest(first, "classifier"))
    assert settings_of(second).epsilon == 2.5


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("epsilon", "abc", "from 0.01 to 150"),
        ("epsilon", "-3", "from 0.01 to 150"),
        ("epsilon", "1e9", "from 0.01 to 150"),
        ("epsilon", "nan", "from 0.01 to 150"),
        ("steps", "2.5", "whole number from 1 to 400"),
        ("dataset", "mars", "one of: gaussians"),
        ("wrong", "1", "no such setting"),
    ],
)
def test_a_broken_link_opens_with_defaults_and_says_what_was_ignored(name, value, allowed):
    app = opened(CLASSIFIER, **{name: value, "delta": "1e-6"})
    assert not app.exception
    assert settings_of(app) == ClassifierSettings(delta=1e-6)
    (warning,) = app.warning
    assert allowed in warning.value
    assert f"{name}={value}" in warning.value


@pytest.mark.parametrize("ask", ["target 70 " * 400, " ".join(f"{i} x" for i in range(60)), " " * 700])
def test_a_link_that_asks_for_too_much_asks_for_nothing_and_says_so_once(ask):
    app = opened(CLASSIFIER, what_if=ask, epsilon="2")
    assert not app.exception
    assert settings_of(app) == ClassifierSettings(epsilon=2)
    (warning,) = app.warning
    assert "The link's question was ignored. It must" in warning.value


def test_how_a_page_is_shown_is_no_setting_of_it_and_stays_in_its_address():
    app = opened(CLASSIFIER, epsilon="2", lesson="two", guess="scratch", room="x" * (LONGEST + 1))
    assert settings_of(app) == ClassifierSettings(epsilon=2)
    (warning,) = app.warning
    assert "In the link, room was ignored" in warning.value
    assert (app.query_params["lesson"], app.query_params["guess"]) == ("two", "scratch")
    assert "room" not in app.query_params


@pytest.mark.parametrize("value", [0.0, 1e9, -3.0, "abc", ""])
def test_a_refused_entry_says_why_and_changes_nothing(value):
    app = moved(opened(CLASSIFIER), "clip_norm", 2.0)
    before = settings_of(app)
    moved(app, "epsilon", value)
    assert not app.exception
    assert settings_of(app) == before
    sentence = app.session_state["classifier.desk"].errors["epsilon"]
    assert sentence.startswith("Epsilon cannot be")
    assert "0.01 to 150" in sentence
    moved(app, "epsilon", 3.0)
    assert settings_of(app) == replace(before, epsilon=3.0)
    assert not app.session_state["classifier.desk"].errors


@pytest.mark.parametrize(
    "junk", [None, 7, {}, {"movement": 3}, {"movement": {"name": "version", "value": 1, "seq": 9**20}}]
)
def test_forged_movements_are_ignored(junk):
    app = opened(CLASSIFIER)
    app.session_state["classifier.knobs"] = junk
    app.run()
    assert not app.exception
    assert settings_of(app) == ClassifierSettings()


def test_another_data_set_keeps_the_other_settings():
    app = moved(opened(CLASSIFIER), "public_rows", 400)
    app.selectbox(key="classifier.dataset").set_value("iris").run()
    assert not app.exception
    assert settings_of(app) == ClassifierSettings(dataset="iris", public_rows=37)


def test_the_plane_of_two_features():
    app = opened(CLASSIFIER, dataset="breast_cancer", plane="features", feature_x="3", feature_y="7")
    assert not app.exception
    assert not app.warning
    assert app.selectbox(key="classifier.feature_x").value == 3
    app.selectbox(key="classifier.feature_y").set_value(3).run()
    assert not app.exception
    assert "another feature" in app.error[0].value
    assert settings_of(app).feature_y == 7


def test_the_address_holds_every_setting():
    app = moved(opened(CLASSIFIER), "epsilon", 3.0)
    assert set(app.query_params) == {*asdict(ClassifierSettings()), VERSION_NAME}
    assert "3.0" in str(app.query_params["epsilon"])


def test_at_rest_the_whole_page_follows():
    """A tick for the page is answered by a run of the page, which then has nothing left to tell."""
    app = at_rest(opened(CLASSIFIER, repeats="2", steps="5"), "classifier")
    desk = app.session_state["classifier.desk"]
    desk.told = None
    app.session_state["classifier.knobs"] = {
        "movement": {"name": "", "value": 0, "seq": desk.ack + 1, "final": False, "tick": True, "page": True}
    }
    app.run()
    assert not app.exception
    assert desk.told == (desk.settings, True)


def test_a_delta_that_lets_one_row_out_is_warned_of():
    assert panels.large_delta(1e-5, 99_999) == ""
    assert "over the 1,000 private parties" in panels.large_delta(0.001, 1000, "parties")
    assert "Delta 0.01 is at least one over the 400 private rows" in text(opened(CLASSIFIER, delta="0.01"))


def test_the_page_around_shows_what_was_drawn_and_makes_no_frames(monkeypatch):
    """The run of the whole page draws nothing again, and what can be downloaded waits until somebody asks."""
    drawn, frames = Counter(), Counter()

    def counted(counter, of, name):
        own = getattr(of, name)
        monkeypatch.setattr(of, name, lambda *args: counter.update([name]) or own(*args))

    for name in ("accuracy", "regions"):
        counted(drawn, figures, name)
    for name in ("table", "loss_curves"):
        counted(frames, ClassifierResult, name)
    app = moved(at_rest(opened(CLASSIFIER, repeats="2", steps="7", seed="4242"), "classifier"), "epsilon", 2.0)
    at_rest(app, "classifier")
    before = drawn.copy()
    assert not app.run().exception
    assert drawn == before
    assert before["accuracy"] > 0
    assert not frames


def press(app: AppTest, label: str) -> AppTest:
    """Press the button with this label."""
    (button,) = (one for one in app.button if one.label == label)
    return button.click().run()


@pytest.mark.parametrize("page", TOPICS)
def test_new_noise_undo_and_reset(page):
    """The next seed; what was there at the last rest; the defaults. Undo goes back through all of it."""
    app = opened(page)
    desk, first = app.session_state[f"{page}.desk"], app.session_state[f"{page}.desk"].settings
    assert {one.label: one.disabled for one in app.button if one.label in ("Undo", "Reset")} == dict.fromkeys(
        ("Undo", "Reset"), True
    )
    if "seed" in first.limits:
        press(app, "Resample")
        assert desk.settings == first.change(seed=first.seed + 1)
    else:
        desk.settings = first.change(delta=2e-6)
        app.run()
    there = desk.settings
    assert {one.label: one.disabled for one in app.button if one.label in ("Undo", "Reset")} == dict.fromkeys(
        ("Undo", "Reset"), False
    )
    press(app, "Reset")
    assert desk.settings == first
    press(app, "Undo")
    assert desk.settings == there
    press(app, "Undo")
    assert desk.settings == first
    assert not app.exception
    assert next(one for one in app.button if one.label == "Undo").disabled


def test_a_first_column_of_names_stands_at_the_left_and_one_of_numbers_does_not():
    def table(*first):
        return panels.table([{"name": one} for one in first], caption="", heads={"name": "name"})

    assert "lab-named" in table("Theorem 1", 2)
    assert "lab-named" in table("<b>exact</b>")
    for numbers in ([1, 2.5], ["<b>1,000</b>", "1e-5"], ["60 / 0 / 40"], []):
        assert "lab-named" not in table(*numbers), numbers
