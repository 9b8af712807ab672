"""A server with an environment variable that it cannot use does not start, and says why in one
line.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pages.environment_check import refusal

ROOT = Path(__file__).parents[2]
WRONG = [
    ("LAB_UPLOADS_MB", "-3", "must be a number of megabytes above 0"),
    ("LAB_UPLOADS_MB", "5 MB", "must be a number of megabytes above 0"),
    ("LAB_ADDRESS", "lab.example.edu", "must be an absolute address"),
    ("LAB_FRAME_ANCESTORS", "*; script-src *", "must be origins"),
    ("LAB_FIRST_PICTURE", "maybe", "must be on or off"),
    ("LAB_ROOMS", "/nowhere/rooms.sqlite", "must be the path of an SQLite file"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), WRONG)
def test_wrong_variable_is_named_with_its_value_and_what_is_allowed(name, value, allowed):
    said = refusal({name: value})
    assert said.startswith(f"{name} is {value!r}, but ")
    assert allowed in said
    assert "\n" not in said


def test_a_file_that_holds_something_else_is_refused_as_a_file_of_rooms(tmp_path):
    spoilt = tmp_path / "rooms.sqlite"
    spoilt.write_text("Not a database, but a letter that is longer than its first page. " * 100)
    assert refusal({"LAB_ROOMS": str(spoilt)}).startswith(
        f"LAB_ROOMS is {str(spoilt)!r}, but must be"
    )


def test_usual_variables_are_accepted(tmp_path):
    usual = {
        "LAB_UPLOADS_MB": "50",
        "LAB_ADDRESS": "https://lab.example.edu",
        "LAB_FRAME_ANCESTORS": "'self'",
        "LAB_FIRST_PICTURE": "off",
        "LAB_ROOMS": str(tmp_path / "rooms.sqlite"),
    }
    assert refusal(usual) == refusal({}) == refusal(dict.fromkeys(usual, "")) == ""


def test_streamlit_run_ends_with_one_line():
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", "0"]
    environment = os.environ | {"LAB_UPLOADS_MB": "-3"}
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode != 0
    assert (
        ended.stderr.strip() == "LAB_UPLOADS_MB is '-3', but must be a number of megabytes above 0"
    )
