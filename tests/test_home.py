"""The home page: every link on it opens with the settings that it names."""

import ast
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from tests.test_pages import opened

HOME = Path(__file__).parents[1] / "app_pages" / "home.py"


def table(name: str) -> tuple:
    """A literal of the page's script, which is no library to import from."""
    for node in ast.parse(HOME.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return ast.literal_eval(node.value)
    raise AssertionError(f"the home page has no table {name}")


@pytest.mark.parametrize("link", [link for name in ("TOUR", "TRIES") for _, _, link in table(name)])
def test_every_link_opens_what_it_names(link):
    page, _, query = link.partition("?")
    wanted = dict(parse_qsl(query))
    app = opened(f"app_pages/{page}.py", **wanted)
    assert not app.exception
    assert not app.warning
    settings = app.session_state[f"{page}.desk"].settings
    assert {name: str(getattr(settings, name)) for name in wanted} == {
        name: str(type(getattr(settings, name))(value)) for name, value in wanted.items()
    }


def test_every_page_has_its_door():
    doors = {page for _, *pages in table("PAGES") for page, _ in pages}
    assert doors == {path.stem for path in HOME.parent.glob("*.py")} - {"home"}
