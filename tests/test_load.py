"""The load script says what it will do, asks far servers only once told, and counts what each person waited."""

import re

import numpy as np
import pytest

from benchmarks import people, visitors
from benchmarks.latency import served
from pages.table import PAGES
from scripts import load


@pytest.fixture(scope="module")
def address():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_METRICS", "1")
        with served("app.py") as here:
            yield here


def run(*words: str) -> tuple[int, str]:
    said = []
    code = load.main([*map(str, words)], said.append)
    return code, "\n".join(said)


def test_people_are_answered_and_what_they_waited_is_told(address):
    code, said = run(address, "--people", 3, "--seconds", 5, "--pause", 0.2, 0.5)
    assert code == 0
    assert said.startswith(f"3 people for 5 s at {address}: each opens a page and moves a knob every 0.2 to 0.5 s. ")
    told = {name: float(number) for name, number in re.findall(r"(?m)^  (channel|run) +([\d.]+)", said)}
    assert min(told["channel"], told["run"]) > 0
    assert "errors: 0" in said


def test_what_goes_wrong_is_counted_and_said(monkeypatch, address):
    monkeypatch.setitem(visitors.KNOBS, "classifier", ("no_such_knob", (1.0, 2.0)))
    monkeypatch.setattr(people, "PATIENCE", 1.0)
    code, said = run(f"{address}/nowhere", "--people", 1, "--seconds", 2, "--pause", 0.1, 0.2)
    assert code == 1
    assert re.search(r"errors: [1-9]", said)


@pytest.mark.parametrize(
    ("words", "typed", "begins"),
    [
        ("http://localhost:8501", None, True),
        ("", None, True),
        ("http://192.0.2.1", None, False),
        ("http://192.0.2.1", "n", False),
        ("http://192.0.2.1", "Y", True),
        ("http://192.0.2.1 --yes", None, True),
    ],
)
def test_far_servers_need_a_yes(monkeypatch, words, typed, begins):
    monkeypatch.setattr(load.sys.stdin, "isatty", lambda: typed is not None, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: typed)
    monkeypatch.setattr(load, "measure", lambda *_: pytest.fail("it was asked"))
    assert load.told(load.parsed(words.split())) == begins
    if not begins:
        code, said = run(*words.split())
        assert code == 2
        assert "Nothing was asked" in said


def test_people_move_what_the_page_has():
    pages = {one.name: one for one in PAGES}
    for page, (knob, (low, high)) in visitors.KNOBS.items():
        least, most = pages[page].settings().limits[knob]
        assert least <= low < high <= most < np.inf
