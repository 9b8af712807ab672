"""docs/teaching.md: its puzzles are those of the lab, and what a server must set is named as it is."""

import re
from pathlib import Path

import pytest

from ui.puzzles import puzzles

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "teaching.md").read_text("utf-8")


def test_every_puzzle_is_there_with_a_solution():
    """What solves it is held in test_puzzles.py."""
    links = re.findall(r"\]\((/[^)]*puzzle=[^)]*)\)", TEXT)
    wanted = [
        (f"/{one.link}&puzzle={one.name}", f"/{one.link}&{one.solution}&puzzle={one.name}")
        for one in puzzles().values()
    ]
    assert links == [link for both in wanted for link in both]
    assert all(one.ask in TEXT for one in puzzles().values())


@pytest.mark.parametrize("name", ["LAB_FRAME_ANCESTORS", "server.xsrfCookieSameSite", "server.allowedHosts"])
def test_what_a_server_must_set_is_named_as_it_is(name: str):
    from streamlit import config

    assert name in TEXT
    options = config.get_config_options()
    assert name in options or name in (ROOT / "ui" / "security_headers.py").read_text("utf-8")
