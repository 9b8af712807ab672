"""A link means what it meant when it was written, and a default cannot be changed without a new version of links.

``reference/links_of_version_1.json`` holds links as commit 75e11db wrote and read them, and is never written again.
``reference/defaults.json`` holds the newest defaults. After ``links.VERSION`` was raised and ``EARLIER`` of the changed
settings written: ``python -m tests.test_link_versions``.
"""

import json
from dataclasses import asdict
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from lab import links
from lab.settings import Settings
from pages import table
from pages.what_if.experiment import STARTS
from ui import present, share
from ui.controls import from_link

REFERENCE = Path(__file__).parent / "reference"
DEFAULTS = REFERENCE / "defaults.json"
# Four things changed: a question about the mean is answered by the median, one page has another name, other noise is
# correlated over the steps, and one release is drawn.
WRITTEN = (REFERENCE / "links_of_version_1.json").read_text("utf-8")
for name, old, new in (
    ("reached", "mean", "median"),
    ("topic", "ledger", "accounting"),
    ("mechanism", "tree", "toeplitz"),
):
    WRITTEN = WRITTEN.replace(f'"{name}": "{old}"', f'"{name}": "{new}"')
OLD = json.loads(WRITTEN.replace('"release": "1", ', ""))
PAGES = {page.name: page for page in table.PAGES}
# Fields that no link of version 1 had. A change of their defaults raises the version.
ADDED = {"answers", "questions", "noise_sd", "respondents", "true_share", "trust_model", "rows_each"}


def texts(settings: Settings) -> dict[str, str]:
    return {name: str(value) for name, value in asdict(settings).items()}


def whole(settings: Settings) -> dict:
    """Return all fields as texts, and those of the settings that a question is about."""
    asked = getattr(settings, "settings", None)
    return texts(settings) | ({"base": texts(asked)} if isinstance(asked, Settings) else {})


def number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def then(found: dict, known: dict) -> dict:
    """Return the fields that a link knew, without others that were ``ADDED`` since; numbers as such, so 90 is 90.0."""
    assert {*found} - {*known} <= ADDED
    pairs = ((name, found[name], one) for name, one in known.items())
    return {name: then(now, one) if isinstance(one, dict) else number(now) for name, now, one in pairs}


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


@pytest.mark.parametrize("link", OLD, ids=[f"{link['page']} {place}" for place, link in enumerate(OLD)])
def test_an_old_link_opens_what_it_opened(link):
    link = {**link, "page": links.page_now(link["page"])}
    app = read(link["page"], link["query"])
    desk, pins = app.session_state["found"]
    assert desk.notices == []
    found = {"settings": whole(desk.settings), "pins": [whole(pin.settings) for pin in pins.kept]}
    if "begun" in link:
        found["begun"] = whole(present.begun(desk))
    if "asked" in link:
        asked = PAGES[link["page"]].asked
        found["asked"] = whole(asked.settings(desk.settings, desk.ask))
        assert asked.ignored(desk.settings, desk.ask) == []
    for name, one in found.items():
        pairs = zip(one, link[name], strict=True) if name == "pins" else [(one, link[name])]
        assert all(then(now, known) == then(known, known) for now, known in pairs), name
    # and so does the link that the page makes of it
    query = share.address(desk).partition("?")[2]
    assert f"v={links.VERSION}" in query.split("&")
    again, same = read(link["page"], query).session_state["found"]
    assert (again.settings, same.kept, again.notices) == (desk.settings, pins.kept, [])


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
    assert pins.ghost.settings.accountant == "pld"
    bare = read("network", "")
    desk, _ = bare.session_state["found"]
    assert desk.settings == PAGES["network"].settings()
    assert app.query_params["v"] == bare.query_params["v"] == str(links.VERSION)
    assert share.address(desk).endswith(f"?v={links.VERSION}")


if __name__ == "__main__":
    written = json.dumps({"version": links.VERSION, "defaults": defaults()}, indent=1, sort_keys=True)
    DEFAULTS.write_text(written + "\n", "utf-8")
