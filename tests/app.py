"""A page of the lab as a script, without a browser: open it by a link, move a slider, read what it
says.
"""

from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

ROOT = Path(__file__).parents[1]
_ROWS = ("source_rows", "unlabelled_rows", "public_rows")
# Page -> a link that keeps its work short.
QUICK = {
    "classifier": {"repeats": "3", "steps": "5"},
    "network": {
        "rows": "300",
        "lot_size": "50",
        "epochs": "3",
        "repeats": "2",
        "width": "4",
        "layers": "1",
    },
    "regression": {"dataset": "diabetes", "repeats": "3"},
    "mechanisms": {},
    "accounting": {"steps": "100"},
    "transfer": {"target_rows": "200", "dimension": "5", "repeats": "4"},
    "parties": {"parties": "80", "public_rows": "60", "repeats": "3", "queries": "30"},
    "hypotheses": dict.fromkeys(_ROWS, "200") | {"target_rows": "300", "repeats": "3"},
    "attack": {"repeats": "100", "steps": "3"},
    "what-if": {"topic": "regression", "repeats": "24"},
}


def opened(page: str, **link: str) -> AppTest:
    """Return the page of this name with the settings of a link; without a name, the home page."""
    app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=60)
    if page:
        app._page_hash = calc_hash(page)  # AppTest.switch_page knows only pages that are files
    for name, value in link.items():
        app.query_params[name] = value
    return app.run()


def settings_of(app: AppTest, page: str) -> Any:
    """Return the settings that the session has for a page."""
    return app.session_state[f"{page}.state"].settings


def at_rest(app: AppTest, page: str) -> AppTest:
    """Return the page once all of its work is done, for which its panel asks slice by slice."""
    for _ in range(500):
        state = app.session_state[f"{page}.state"]
        if state.rendered == (state.settings, True):
            return app
        tick = {
            "name": "",
            "value": 0,
            "seq": state.ack + 1,
            "final": False,
            "tick": True,
            "page": False,
        }
        app.session_state[f"{page}.sliders"] = {"movement": tick}
        app.run()
    raise AssertionError(f"the page {page} does not come to rest")


def moved(app: AppTest, page: str, name: str, value: float | str) -> AppTest:
    """Return the page after a slider was moved to this value, as the browser says it."""
    seq = app.session_state[f"{page}.state"].ack + 1
    sent = {"name": name, "value": value, "seq": seq, "final": True, "tick": False}
    app.session_state[f"{page}.sliders"] = {"movement": sent}
    return app.run()


def address(app: AppTest) -> dict[str, str]:
    """Return the parameters of the address, of which some come in lists."""
    params = {}
    for name, value in app.query_params.items():
        if isinstance(value, list):
            value = value[0]
        params[name] = value
    return params


def text(app: AppTest) -> str:
    """Return all that the page says, with its markup."""
    words = []
    for element in (*app.markdown, *app.warning, *app.error, *app.get("html")):
        words.append(getattr(element, "value", None) or element.proto.body)
    return " ".join(words)


def press(app: AppTest, label: str) -> AppTest:
    """Return the page after a click on its only button with this label."""
    (button,) = [button for button in app.button if button.label == label]
    return button.click().run()
