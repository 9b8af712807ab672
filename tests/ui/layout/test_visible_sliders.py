"""A link may name the sliders that are shown, and is told which of its names are none."""

import pytest

from tests.app import opened

NOTICE = "In the link, `only` names no slider of this page"


def state_of(app):
    """Return the state of the classifier's page in this session."""
    return app.session_state["classifier.state"]


@pytest.mark.parametrize(
    ("names", "unknown", "kept"),
    [
        pytest.param("epsilon,bogus", "`bogus`", "epsilon", id="one of two"),
        pytest.param("bogus,nonsense", "`bogus`, `nonsense`", None, id="all"),
    ],
)
def test_a_link_with_an_unknown_slider_says_so_and_opens(names, unknown, kept):
    app = opened("classifier", only=names)

    assert not app.exception
    assert [warning.value for warning in app.warning] == [f"{NOTICE} ({unknown})."]
    assert state_of(app).address.view.get("only") == kept


def test_a_link_with_known_sliders_gives_no_notice():
    app = opened("classifier", only="epsilon, repeats")

    assert not app.exception
    assert not app.warning
    assert state_of(app).address.view["only"] == "epsilon, repeats"


def test_the_name_of_an_unknown_slider_is_shown_as_text():
    app = opened("classifier", only="<b>bold</b>")

    (warning,) = app.warning
    assert warning.value == f"{NOTICE} (`<b>bold</b>`)."
