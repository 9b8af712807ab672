"""A default cannot be changed without a new version of links.

``reference/defaults.json`` holds the newest defaults. After ``links.VERSION`` was raised and ``EARLIER`` of the changed
settings written: ``python -m tests.test_link_versions``.
"""

import json
from dataclasses import asdict
from pathlib import Path
from urllib.parse import parse_qs

from streamlit.testing.v1 import AppTest

from lab import links
from lab.settings import Settings
from pages import table
from pages.what_if.experiment import STARTS
from ui import share
from ui.controls import from_link

REFERENCE = Path(__file__).parent / "reference"
DEFAULTS = REFERENCE / "defaults.json"
PAGES = {page.name: page for page in table.PAGES}


def texts(settings: Settings) -> dict[str, str]:
    return {name: str(value) for name, value in asdict(settings).items()}


def whole(settings: Settings) -> dict:
    """Return all fields as texts, and those of the settings that a question is about."""
    asked = getattr(settings, "settings", None)
    return texts(settings) | ({"base": texts(asked)} if isinstance(asked, Settings) else {})


def defaults() -> dict[str, dict]:
    """Return the defaults of each page, and what each choice alone brings along; where questions begin."""
    found = {"starts": {name: list(start) for name, start in STARTS.items()}}
    for name, page in PAGES.items():
        usual = whole(page.settings())
        found[name] = {"": usual}
        for field, options in page.settings().choices.items():
            for option in options:
                settings, refused = links.read(page.settings, {field: option})
                brought = {one: text for one, text in whole(settings).items() if text != usual[one] and one != field}
                if brought or refused:
                    found[name][f"{field}={option}"] = brought or [*refused]
    return found


def test_a_changed_default_raises_the_version_and_the_earlier_one_is_taken():
    known = json.loads(DEFAULTS.read_text("utf-8"))
    assert known["version"] == links.VERSION, "write the defaults anew, as this file says"
    assert defaults() == known["defaults"], "raise the version, as lab/links.py says"
    for kind in (page.settings for page in PAGES.values()):
        for version, changed in kind.EARLIER.items():
            assert links.UNVERSIONED <= version < links.VERSION
            for field, value in changed.items():
                assert getattr(kind.of_version(version), field) == value != getattr(kind(), field)


def desk_alone() -> None:
    import streamlit as st

    from pages import table
    from ui import card, controls

    page = next(page for page in table.PAGES if page.name == st.session_state["page"])
    desk = controls.desk(page.name, page.settings)
    st.session_state["found"] = desk, card.pins_of(page, desk)
    desk.tell(done=1)


def read(page: str, query: str) -> AppTest:
    app = AppTest.from_function(desk_alone)
    app.session_state["page"] = page
    for name, values in parse_qs(query, keep_blank_values=True).items():
        app.query_params[name] = values
    app.run()
    assert not app.exception
    return app


def test_a_version_that_is_none_is_refused_and_an_address_has_the_newest():
    for version in (str(links.VERSION + 1), "0", "", "2.0", "02", "x" * 5000, "\u00b2", "<b>", "1e0", " 1"):
        settings, (notice,) = from_link(PAGES["network"].settings, {"v": version, "epsilon": "2"})
        assert settings == PAGES["network"].settings(epsilon=2.0)
        assert notice.endswith(f" was ignored. It must be a version that this lab knows, 1 to {links.VERSION}.")
        assert len(notice) < 200
    app = read(
        "network", f"epsilon=2&v={links.VERSION + 1}&pin=~B~delta~2e-06&what_if=knob+clip_norm&present=1~epsilon~2.0"
    )
    desk, pins = app.session_state["found"]
    assert len(desk.notices) == 1
    assert f"v={links.VERSION + 1}" in desk.notices[0]
    assert pins.ghost.settings.delta == 2e-6
    bare = read("network", "")
    desk, _ = bare.session_state["found"]
    assert desk.settings == PAGES["network"].settings()
    assert app.query_params["v"] == bare.query_params["v"] == str(links.VERSION)
    assert share.address(desk).endswith(f"?v={links.VERSION}")


if __name__ == "__main__":
    written = json.dumps({"version": links.VERSION, "defaults": defaults()}, indent=1, sort_keys=True)
    DEFAULTS.write_text(written + "\n", "utf-8")
