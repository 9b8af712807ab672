"""The regression page as a script: what it says at rest, and settings that stand and fall with others."""

from streamlit.testing.v1 import AppTest

from pages.regression.experiment import RegressionSettings
from tests.app import at_rest, moved, opened, settings_of, text

PAGE = "regression"
QUICK = {"dataset": "diabetes", "repeats": "3"}


def said_in(app: AppTest, tab: str) -> str:
    """All that the page says while this tab is open."""
    app.session_state["regression.tabs"] = tab
    return text(at_rest(app.run(), PAGE))


def test_it_opens_with_296000_people_and_says_what_falls_over():
    app = opened(PAGE)
    assert settings_of(app, PAGE) == RegressionSettings(rows=296_000)
    assert "the noisy objective has no minimum" in text(app)
    said = said_in(app, "Guarantee")
    assert "<b>epsilon 0.2</b>" in said
    assert "exact accounting of the same noise gives epsilon <b>0.1</b>" in said


def test_the_share_has_a_knob_only_where_it_is_chosen_by_hand():
    app = opened(PAGE, **QUICK, split="own", share="0.4")
    assert settings_of(app, PAGE).share_of("published") == 0.4
    moved(app, PAGE, "share", 0.7)
    assert not app.exception
    assert "70\u00a0% of epsilon goes to the quadratic" in text(app)
    app.selectbox(key="regression.split").set_value("best").run()
    assert "the share with the least noise" in text(app)


def test_another_data_set_and_other_axes_of_the_surface():
    app = opened(PAGE, **QUICK)
    app.selectbox(key="regression.dataset").set_value("brazil").run()
    assert not app.exception
    assert settings_of(app, PAGE).rows == 152_000
    app.selectbox(key="regression.up").set_value(0).run()
    assert settings_of(app, PAGE).up == 0
    app.selectbox(key="regression.across").set_value(0).run()
    assert "another feature" in app.error[0].value
