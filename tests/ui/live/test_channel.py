"""The channel answers as a page does at the link, and takes nothing else: the newest question
first, in fair turns.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from itertools import cycle
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
import streamlit as st
from starlette.applications import Starlette

from dpcore.cache import CACHE
from pages.topics import PAGES
from tests.toy.page import TOY, Piece
from ui.compute import debounce, scheduler
from ui.compute.runner import compute
from ui.compute.scheduler import FairQueue
from ui.live import channel
from ui.live.channel import MOST_BYTES, MOST_MESSAGES_PER_SECOND, NAME, Channel
from ui.live.frames import ClientState, make_frame
from ui.live.messages import MOST_AHEAD, MOST_MOVES, Request
from ui.live.workers import Workers
from ui.page.page import Page
from ui.page.tabs import ANSWER, ASK_TAB
from ui.page.view import FIRST
from ui.session.address import LONGEST
from ui.session.entries import from_link
from ui.text.tiles import tile_row

PATIENCE = 60  # seconds
pytestmark = pytest.mark.anyio


class Client:
    def __init__(self, app: Starlette, origin: str = "http://lab.test", path: str = f"/{NAME}"):
        self._in, self._out = asyncio.Queue(), asyncio.Queue()
        self.number = 0
        headers = [(b"host", b"lab.test"), *([(b"origin", origin.encode())] if origin else ())]
        scope = {
            "type": "websocket",
            "path": path,
            "headers": headers,
            "query_string": b"",
            "subprotocols": [],
        }
        self.task = asyncio.create_task(app(scope, self._in.get, self._out.put))
        self._in.put_nowait({"type": "websocket.connect"})

    async def opened(self) -> str:
        return (await asyncio.wait_for(self._out.get(), PATIENCE))["type"]

    def say(self, text: str) -> None:
        self._in.put_nowait({"type": "websocket.receive", "text": text})

    def ask(
        self,
        *moves: tuple[str, Any],
        page: str = "toy",
        link: Mapping[str, str] | None = None,
        **more,
    ) -> int:
        self.number += 1
        message = {
            "number": self.number,
            "page": page,
            "settings": dict(link or {}),
            "moves": moves,
        } | more
        self.say(orjson.dumps(message).decode())
        return self.number

    async def hear(self) -> dict[str, Any]:
        message = await asyncio.wait_for(self._out.get(), PATIENCE)
        return orjson.loads(message["text"]) if message["type"] == "websocket.send" else message

    async def heard(self) -> list[dict[str, Any]]:
        answers = [await self.hear()]
        while answers[-1]["done"] < 1:
            answers.append(await self.hear())
        return answers

    async def read(self) -> None:
        while not self._in.empty():
            await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def leave(self) -> None:
        self._in.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await asyncio.wait_for(self.task, PATIENCE)


TOLD = SimpleNamespace(turns=FairQueue(1))  # those of the channel that is talked to


def questions_waiting() -> int:
    """Return how many questions of the channel wait for their turn, without slices that
    give way.
    """
    return sum(not turn.deferred for turn in TOLD.turns.waiting())


@contextmanager
def serving() -> Iterator[Starlette]:
    """A server of the channel whose visitors share one thread."""
    CACHE.forget()
    Piece.begun.clear()
    TOLD.turns = FairQueue(1)
    served = Channel([*PAGES, TOY], queue=TOLD.turns)
    try:
        yield Starlette(routes=[served.route()])
    finally:
        Piece.gate.set()
        served.close()


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def server():
    with serving() as one:
        yield one


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.005)


async def held_at_work() -> int:
    """Close the gate, and wait until the next piece of work stands before it; how many have
    begun.
    """
    Piece.gate.clear()
    before = len(Piece.begun)
    await until(lambda: len(Piece.begun) > before)
    return len(Piece.begun)


async def met(server: Starlette) -> Client:
    client = Client(server)
    assert await client.opened() == "websocket.accept"
    return client


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
async def test_answer_is_what_the_page_shows_at_that_link(server, page):
    """Of a slider that was moved from where the link is, and then back: what differs, put together,
    is the whole.
    """
    start, client, charts, words = page.settings(), await met(server), {}, {}
    hero = page.at(start).sliders(start).hero
    link = {name: str(value) for name, value in asdict(start).items()}
    low, high = start.limits[hero]
    values = [value for value in (1.5, 2.5) if low <= value <= high]
    tabs = [tab.name for tab in page.at(start).all_tabs]
    for value, tab in zip(cycle(values), [*tabs, "", "no such tab"], strict=False):
        client.ask((hero, value), page=page.name, link=link, tab=tab)
        answer = await client.hear()
        assert answer["errors"] == {}
        words |= answer["words"]
        for name, news in answer["charts"].items():
            before = charts.get(name, {"layout": {}})
            layout = before["layout"] | news.get("layout", {})
            charts[name] = (
                before | news | {"layout": {k: v for k, v in layout.items() if v is not None}}
            )
        settings = from_link(page.settings, link | {hero: str(value)})[0]
        compare(
            page.at(settings),
            settings,
            tab,
            words,
            {name: charts[name] for name in answer["charts"]},
        )
    await client.leave()


def compare(
    page: Page, settings: Any, tab: str, words: Mapping[str, str], charts: Mapping[str, Any]
) -> None:
    """Hold what a browser has put together against the page's own view, while this tab is open."""
    view = page.view(compute(settings, seconds=0)[0])
    boards = {name: view.boards[name] for name in page.boards(tab)}
    if page.question_tab and tab == ASK_TAB.name:
        answer = page.question_tab.view(
            compute(page.question_tab.settings(settings, ""), seconds=0)[0]
        )
        assert words[f".lab-words-{ANSWER}"] == answer.texts[ANSWER]
        boards = answer.boards  # what is asked may do work of the page, of which it says more then
    else:
        assert words[".lab-verdict"] == view.texts["verdict"]
        assert words[".lab-numbers"] == tile_row(view.tiles)
        for name in (*page.captions, *page.tab(tab).texts):
            assert words[f".lab-words-{name}"] == view.texts[name]
    pictures = {
        picture.name: picture for rows in boards.values() for row in rows for picture in row
    }
    assert set(pictures) <= set(charts)
    assert set(charts) == {*pictures, *view.charts(FIRST)}
    for name, picture in pictures.items():
        whole = orjson.loads(orjson.dumps(picture.message()))
        assert charts[name]["data"] == whole["figure"]["data"]
        assert charts[name]["layout"] == whole["figure"].get("layout", {})
        assert charts[name]["alt"] == whole["alt"]


def test_only_what_differs_travels():
    seen = ClientState()
    first, second = (
        seen.diff(make_frame(Request({}, TOY, {}, "why", (("epsilon", value),)), 0))
        for value in (1.0, 2.0)
    )
    assert first["rows"] == {"board": [["moves", "stays"]]}
    assert set(first["words"]) == {".lab-numbers", ".lab-verdict", ".lab-words-why"}
    assert "rows" not in second
    moves = second["charts"]["moves"]
    assert ({*moves}, {*moves["layout"]}) == ({"alt", "data", "layout"}, {"title"})
    assert second["charts"]["stays"] == {"alt": "Line"}


async def test_only_what_a_panel_moves_is_moved_and_later_slices_are_pushed(server):
    client = await met(server)
    client.ask(
        ("epsilon", 7), ("repeats", 99), ("seed", "many"), ("dataset", "own"), ("nothing", 3)
    )
    answer = await client.hear()
    assert set(answer["errors"]) == {"repeats", "seed"}
    assert answer["words"][".lab-verdict"] == "Epsilon 7, shown 0, 1 done"
    client.ask(link={"repeats": "30"})
    answers = await client.heard()
    assert {answer["number"] for answer in answers} == {2}
    ends = [answers[place]["words"][".lab-verdict"] for place in (0, -1)]
    assert ends == [f"Epsilon 1, shown 0, {done} done" for done in (1, 30)]
    assert 2 < len(answers) <= 30


GOOD = {"number": 1, "page": "toy", "settings": {}, "moves": []}
BAD = {
    "number": ["1", True, -1, 2**60],
    "page": ["elsewhere", ["toy"]],
    "settings": [[], {"epsilon": 3}, {"epsilon": "1" * MOST_BYTES}],
    "moves": [
        {},
        *(
            [move]
            for move in (["epsilon"], [3, 3], *(["epsilon", to] for to in (None, True, "9" * 65)))
        ),
    ],
    "tab": [3],
    "pin": [3, ["x"], {}],
    "ask": [3, "~" * (LONGEST + 1)],
    "present": [3, "x" * 65],
    "ahead": [3, [1.0]],  # without the name of a slider
}
MALFORMED = ["", "{", "[]", "null", "[" * 5000]
MALFORMED += [
    orjson.dumps(GOOD | {name: bad}).decode() for name, values in BAD.items() for bad in values
]
MALFORMED += [orjson.dumps(GOOD | {"name": "epsilon", "ahead": [1.0] * (MOST_AHEAD + 1)}).decode()]
MALFORMED += [orjson.dumps(GOOD | {"moves": [["epsilon", 1]] * (MOST_MOVES + 1)}).decode()]


async def test_malformed_or_too_many_messages_end_the_connection_with_a_reason(server):
    for sent in [[text] for text in MALFORMED] + [
        [orjson.dumps(GOOD).decode()] * (MOST_MESSAGES_PER_SECOND + 1)
    ]:
        client = await met(server)
        for text in sent:
            client.say(text)
        while "code" not in (closed := await client.hear()):
            pass
        await asyncio.wait_for(client.task, PATIENCE)
        assert (closed["type"], closed["code"]) == ("websocket.close", 1008), sent[0][:60]
        assert closed["reason"], sent[0][:60]


async def test_private_files_and_faults_are_left_to_the_page(server):
    client = await met(server)
    for page, link in (
        ("toy", {"dataset": "own"}),
        ("toy", {"epsilon": "95"}),
        ("classifier", {"dataset": "own"}),
    ):
        client.ask(page=page, link=link)
        assert await client.hear() == {"number": client.number, "ordinary": True}
    client.ask(page="toy")
    assert (await client.hear())["words"][".lab-verdict"] == "Epsilon 1, shown 0, 1 done"


OPENS = [("", "http://lab.test"), ("/lab/", "https://lab.test"), ("a/b", "")]
REFUSED = [("", "http://lab.test.evil.test"), ("", "http://lab.test:81"), ("", "null")]


@pytest.mark.parametrize(("base", "origin"), OPENS + REFUSED)
async def test_only_pages_of_this_server_may_ask_below_its_base_path(monkeypatch, base, origin):
    monkeypatch.setattr(
        st, "get_option", lambda name: base if name == "server.baseUrlPath" else None
    )
    opens = (base, origin) in OPENS
    with serving() as server:
        client = Client(server, origin, "/".join(["", *filter(None, base.split("/")), NAME]))
        assert await client.opened() == f"websocket.{'accept' if opens else 'close'}"


async def test_newest_question_wins_and_what_nobody_waits_for_is_left(server, monkeypatch):
    monkeypatch.setattr(
        channel, "LULL_SECONDS", PATIENCE
    )  # a person's next movement comes within it
    client = await met(server)
    Piece.gate.clear()
    for value in range(1, 41):
        client.ask(("epsilon", value), link={"repeats": "20"})
        await until(lambda: Piece.begun)
    await client.read()
    Piece.gate.set()
    answers = [await client.hear() for _ in range(2)]
    for value in (50, 51):
        client.ask(("epsilon", value))
        answers.append(await client.hear())
    assert [answer["number"] for answer in answers] == [1, 40, 41, 42]
    assert {piece.epsilon for piece in Piece.begun if piece.place} == set()


async def test_first_answer_goes_before_later_slices_of_others(server, monkeypatch):
    monkeypatch.setattr(channel, "LULL_SECONDS", 0.0)
    monkeypatch.setattr(scheduler, "DEFER_SECONDS", PATIENCE)
    for place in range(8):
        client = await met(server)
        client.ask(("seed", place + 1), link={"repeats": "50"})
        await client.hear()
    quick, waits = await met(server), []
    for turn in range(5):
        begun = await held_at_work()
        quick.ask(("epsilon", 2 + turn))
        await until(lambda: questions_waiting() == 1)
        Piece.gate.set()
        await quick.hear()
        waits.append([piece.epsilon for piece in Piece.begun[begun:]].index(2 + turn))
    assert (
        max(waits) == 0
    )  # the slice that was at work lets it go first after the piece that it was at


@pytest.mark.parametrize("leaves", [False, True])
async def test_slice_is_given_up_for_a_newer_question_or_when_its_visitor_leaves(
    server, monkeypatch, leaves
):
    monkeypatch.setattr(channel, "SLICE_SECONDS", PATIENCE)  # all pieces in one slice
    client, other = await met(server), await met(server)
    client.ask(link={"repeats": "50"})
    await client.hear()
    begun = await held_at_work()
    (other if leaves else client).ask(("epsilon", 2.0))
    await (client.leave() if leaves else client.read())
    Piece.gate.set()
    assert (await (other if leaves else client).hear())["done"] == 1
    assert [piece.epsilon for piece in Piece.begun[begun:]] == [2.0]
    other.ask(link={"repeats": "50"})
    await other.heard()
    assert len(set(Piece.begun)) == len(Piece.begun) == 51  # what was done is kept


async def test_visitors_in_line_are_asked_for_their_newest_question(server):
    """On a server with one thread. Nothing is computed for one who has left."""
    first, gone, dragger = [await met(server) for _ in range(3)]
    Piece.gate.clear()
    for place, client in enumerate((first, gone, dragger)):
        client.ask(link={"seed": str(place + 1)})
        await until(lambda place=place: Piece.begun and questions_waiting() == place)
    for value in (2, 3, 4):
        dragger.ask(("epsilon", value))
    await dragger.read()
    await gone.leave()
    Piece.gate.set()
    answer = await dragger.hear()
    assert (answer["number"], answer["words"][".lab-verdict"]) == (4, "Epsilon 4, shown 0, 1 done")
    assert questions_waiting() == 0
    assert 2 not in {piece.who for piece in Piece.begun}


async def test_only_spare_time_goes_to_the_stops_ahead_in_their_order_until_the_next_question(
    server,
):
    one, other = await met(server), await met(server)
    with debounce.page_run():
        one.ask(name="epsilon", ahead=[5, 6, 1000, *range(10, 60)])
        await asyncio.sleep(0.3)
        assert not Piece.begun
        other.ask(("epsilon", 2), link={"seed": "1"})
        await other.hear()
    answers = [await one.hear() for _ in range(3)]
    assert [(answer["value"], bool(answer["errors"])) for answer in answers] == [
        (5, False),
        (6, False),
        (1000, True),
    ]
    begun = await held_at_work()
    one.ask(("epsilon", 3))
    await one.read()
    await until(debounce.is_busy)
    Piece.gate.set()
    while (await one.hear()).get("value") is not None:
        pass
    assert [piece.epsilon for piece in Piece.begun[:3]] == [2, 5, 6]
    assert Piece.begun[begun].epsilon == 3
    one.ask(name="epsilon", ahead=[77])  # in place of the others
    values = []
    while 77 not in values:
        values.append((await one.hear()).get("value"))
    assert len(values) < 10


async def test_browsers_take_turns_however_many_connections_one_of_them_has():
    workers = Workers(FairQueue(1))
    order = []
    gate = asyncio.Event()

    async def connection(browser: str) -> None:
        await gate.wait()
        for _ in range(3):
            await workers.run_when_idle(browser, order.append, browser)

    tasks = [
        asyncio.create_task(connection(browser))
        for browser in ("crowd", "crowd", "crowd", "single")
    ]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE)
    workers.close()

    assert order[:6] == ["crowd", "single"] * 3


async def test_a_message_longer_than_any_panel_sends_closes_the_connection(server):
    client = Client(server)
    assert await client.opened() == "websocket.accept"
    client.say("x" * (MOST_BYTES + 1))
    assert (await client.hear())["type"] == "websocket.close"
