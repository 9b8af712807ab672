"""Newcomers wait at the door of a full process, come in in their order, and visitors who are in stay in."""

import asyncio
import json
import re
import time
from http.cookies import SimpleCookie
from pathlib import Path

import pytest

from tests.asgi import ask, inside
from ui import busy, waiting_room
from ui.waiting_room import COMES, FEW, INSIDE, REPLICA, SILENT, TURN, Admission, Door, Turn, longest_wait


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A clock that stands, in a process at which nobody has been and nobody is to wait for more than 3 seconds."""
    now = [1e6]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "time", lambda: now[0])
    for name, fresh in {"QUESTIONS": busy.Line(2), "RUNS": busy.Line(1), "PAGES": set(), "at_the_door": 0}.items():
        monkeypatch.setattr(busy, name, fresh)
    monkeypatch.setenv("LAB_LONGEST_WAIT", "3")
    return now


def fill(clock, *, waits: float, pages: int = 2 * FEW) -> None:
    busy.PAGES |= {object() for _ in range(pages)}
    numbers = [busy.QUESTIONS.joins() for _ in range(100)]
    clock[0] += waits
    for number in numbers:
        busy.QUESTIONS.leaves(number, served=True)


class Browser:
    def __init__(self, app: Admission | None = None):
        self.app, self.jar = app or Admission(inside), {}

    def get(self, path: str = "/classifier", *, accept: str = "text/html,*/*", method: str = "GET"):
        cookie = "; ".join(f"{name}={value}" for name, value in self.jar.items())
        status, headers, body = ask(self.app, path, method=method, accept=accept, cookie=cookie)
        for value in headers.getlist("set-cookie"):
            for one in SimpleCookie(value).values():
                assert one.key == "other" or one["path"] == "/", "it holds on every page"
                self.jar.pop(one.key, None)
                if one["max-age"] != "0":
                    self.jar[one.key] = one.value
        return status, headers, body.decode()


def test_everybody_comes_in_while_nobody_waits_and_has_a_random_word():
    words, lab = set(), Admission(inside)
    for _ in range(2):
        browser = Browser(lab)
        for sets in (None, None, "1"):  # as an older version has set it
            browser.jar |= {INSIDE: sets} if sets else {}
            assert browser.get()[0] == 200
            assert set(browser.jar) == {INSIDE, "other"}
            assert re.fullmatch("[0-9a-f]{32}", browser.jar[INSIDE])
            words.add(browser.jar[INSIDE])
    assert len(words) == 4  # kept by the second visit


def test_full_process_keeps_newcomers_at_the_door(clock):
    """On a page without a script or style that the security policy forbids, until there is room."""
    fill(clock, waits=4.2)
    browser = Browser()
    browser.jar[REPLICA] = "a"
    status, headers, body = browser.get()
    assert (status, headers["cache-control"]) == (503, "no-store")
    assert int(headers["retry-after"]) > 0
    assert "16 pages are open, and an answer takes about 4 seconds. You are the next." in body
    assert "inside" not in body
    assert len(body) < 5000
    assert set(browser.jar) == {TURN}  # the next process may have room
    assert busy.at_the_door == 1
    assert re.findall(r"<script([^>]*)>(.*?)</script>", body)[0][1] == ""
    assert re.search(r'src="./_stcore/bidi-components/\S*newcomer.js', body)
    assert not re.search(r"\son\w+=|https?://", body)
    clock[0] += 0.1
    assert "1 other came before you" in Browser(browser.app).get()[2]
    clock[0] += busy.LATELY + 1
    busy.RUNS.took(0.5)
    assert json.loads(browser.get("/lab-busy?enter", accept="*/*")[2])["enter"]


def test_only_pages_have_the_door_and_visitors_who_are_in_stay_in(clock):
    browser = Browser()
    browser.get()
    fill(clock, waits=30)
    for path in ("/static/js/index.js", "/icon.svg"):
        assert Browser().get(path)[0] == 200
    for how in ({"accept": "*/*"}, {"method": "HEAD"}):
        assert Browser().get("/classifier", **how)[0] == Browser().get("/_stcore/health", **how)[0] == 200
    for path in ("/", "/classifier", "/no-such-page"):
        assert (Browser().get(path)[0], browser.get(path)[0]) == (503, 200)
        browser.app = Admission(inside)


def test_limit_is_in_the_environment_and_does_not_hold_for_few(monkeypatch, clock):
    given = {"": 4.0, " ": 4.0, "0": float("inf"), "0.5": 0.5}
    assert {said: longest_wait({"LAB_LONGEST_WAIT": said}) for said in given} == given
    for said in ("-1", "nan", "3s"):
        with pytest.raises(ValueError, match="LAB_LONGEST_WAIT is .* must be a number of seconds"):
            longest_wait({"LAB_LONGEST_WAIT": said})
    fill(clock, waits=300, pages=FEW - 1)
    lab = Admission(inside)
    assert [Browser(lab).get()[0] for _ in range(2)] == [200, 503]  # the first is one of the few, until it has come
    monkeypatch.setenv("LAB_LONGEST_WAIT", "0")
    assert Browser().get()[0] == 200


def test_nobody_overtakes_while_there_is_little_room(clock):
    fill(clock, waits=4)
    door, turns = Door(3.0), [Turn(came, f"w{came}") for came in range(5)]
    assert [door.ask(turn) for turn in turns] == [0, 1, 2, 3, 4]
    busy.RUNS.took(1.5)
    clock[0] += busy.LATELY + 0.5  # nobody waits now: there is room for two, of 1.5 seconds each
    assert [door.ask(turn) for turn in reversed(turns)] == [4, 3, 2, None, None]
    assert door.coming == 2
    assert door.ask(turns[2]) == 0
    clock[0] += COMES + 1  # they never came
    assert door.ask(turns[2]) is None


def test_nobody_waits_for_a_visitor_who_has_left(clock):
    fill(clock, waits=4)
    door = Door(3.0)
    assert [door.ask(Turn(1, "a")), door.ask(Turn(2, "b"))] == [0, 1]
    clock[0] += door.again
    assert door.ask(Turn(2, "b")) == 1
    clock[0] += door.again + SILENT
    fill(clock, waits=4, pages=0)
    assert door.ask(Turn(2, "b")) == 0
    assert busy.at_the_door == 1


def test_line_is_bounded_and_asks_less_often_the_longer_it_is(clock, monkeypatch):
    fill(clock, waits=4)
    once = (door := Door(3.0)).again
    for came in range(500):
        door.ask(Turn(came, f"w{came}"))
    assert door.again > max(once, 500 / waiting_room.ASKED_A_SECOND)
    monkeypatch.setattr(waiting_room, "MOST_WAITING", 3)
    door = Door(3.0)
    assert [door.ask(Turn(came, f"w{came}")) for came in range(6)] == [0, 1, 2, 3, 3, 3]
    assert busy.at_the_door == 3


def test_burst_is_let_in_only_as_far_as_it_can_be_served():
    """Nobody has waited yet: what those who were let in will ask for is counted."""
    door = Door(3.0)
    busy.RUNS.took(0.1)
    assert sum(door.ask(Turn(came, f"w{came}")) is None for came in range(300)) in (29, 30)
    for _ in range(5):
        door.arrived()
    assert door.coming in (24, 25)


def test_turn_is_what_its_cookie_says_and_the_replica_is_caddys(clock):
    now = round(1000 * clock[0])
    assert Turn.read(f"{now - 5000}-abc") == Turn(now - 5000, "abc")
    for forged in ("", "x-y", f"{now + 9999}-abc", "1-abc", f"{now}-", f"{now}-a b", "9" * 5000 + "-a"):
        assert (Turn.read(forged).came, len(Turn.read(forged).word)) == (now, 16)
    assert f"lb_policy cookie {REPLICA}\n" in (Path(__file__).parents[1] / "scripts/Caddyfile").read_text("utf-8")


def test_open_pages_are_counted_and_one_is_told_how_many_wait():
    seen = []

    async def page(scope, receive, send):
        seen.append(len(busy.PAGES))

    for path in ("/_stcore/stream", "/lab-channel"):
        asyncio.run(Admission(page)({"type": "websocket", "path": path, "headers": []}, None, None))
    assert (seen, len(busy.PAGES)) == ([1, 0], 0)
    for _ in range(8):
        busy.RUNS.joins()
    busy.RUNS.took(0.25)
    assert json.loads(Browser().get("/lab-busy")[2]) == {"waiting": 8, "seconds": 2.0}
