"""The channel shows what the page shows, the newest request first, in fair turns."""

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

PATIENCE_SECONDS = 60
pytestmark = pytest.mark.anyio


class Client:
    """A browser on the channel."""

    def __init__(self, app: Starlette, origin: str = "http://lab.test", path: str = f"/{NAME}"):
        self._to_server: asyncio.Queue = asyncio.Queue()
        self._from_server: asyncio.Queue = asyncio.Queue()
        self.number = 0
        headers = [(b"host", b"lab.test")]
        if origin:
            headers.append((b"origin", origin.encode()))
        scope = {
            "type": "websocket",
            "path": path,
            "headers": headers,
            "query_string": b"",
            "subprotocols": [],
        }
        self.task = asyncio.create_task(app(scope, self._to_server.get, self._from_server.put))
        self._to_server.put_nowait({"type": "websocket.connect"})

    async def opening(self) -> str:
        """Return the type of the server's first message."""
        message = await asyncio.wait_for(self._from_server.get(), PATIENCE_SECONDS)
        return message["type"]

    def send(self, text: str) -> None:
        """Send a text to the server."""
        self._to_server.put_nowait({"type": "websocket.receive", "text": text})

    def request(
        self,
        *moves: tuple[str, Any],
        page: str = "toy",
        link: Mapping[str, str] | None = None,
        **fields,
    ) -> int:
        """Send a request, and return its number."""
        self.number += 1
        message = {
            "number": self.number,
            "page": page,
            "settings": dict(link or {}),
            "moves": moves,
            **fields,
        }
        self.send(orjson.dumps(message).decode())
        return self.number

    async def receive(self) -> dict[str, Any]:
        """Return the server's next message."""
        message = await asyncio.wait_for(self._from_server.get(), PATIENCE_SECONDS)
        if message["type"] == "websocket.send":
            return orjson.loads(message["text"])
        return message

    async def receive_all(self) -> list[dict[str, Any]]:
        """Return the answers until all work is done."""
        answers = [await self.receive()]
        while answers[-1]["done"] < 1:
            answers.append(await self.receive())
        return answers

    async def until_read(self) -> None:
        """Wait until the server has read all messages."""
        while not self._to_server.empty():
            await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def leave(self) -> None:
        """Close the connection, and wait until the server has ended it."""
        self._to_server.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await asyncio.wait_for(self.task, PATIENCE_SECONDS)


@contextmanager
def serving() -> Iterator[SimpleNamespace]:
    """Serve the channel with one slot for all; yield its ``app`` and its ``queue``."""
    CACHE.forget()
    Piece.begun.clear()
    queue = FairQueue(1)
    served = Channel([*PAGES, TOY], queue=queue)
    try:
        yield SimpleNamespace(app=Starlette(routes=[served.route()]), queue=queue)
    finally:
        Piece.gate.set()
        served.close()


@pytest.fixture
def anyio_backend():
    """Return the name of the event loop on which the asynchronous tests run."""
    return "asyncio"


@pytest.fixture
def server():
    """Start the channel with one slot for all, and stop it at the end."""
    with serving() as served:
        yield served


async def connect(server: SimpleNamespace) -> Client:
    """Return a client that the server has accepted."""
    client = Client(server.app)
    assert await client.opening() == "websocket.accept"
    return client


def requests_waiting(server: SimpleNamespace) -> int:
    """Return how many requests wait for their turn, without deferred slices."""
    return sum(not ticket.deferred for ticket in server.queue.waiting())


async def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds; fail if it takes too long."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not holds():
            await asyncio.sleep(0.005)


async def hold_next_piece() -> int:
    """Close the gate, wait until a piece stands before it, and return how many have begun."""
    Piece.gate.clear()
    begun = len(Piece.begun)
    await wait_until(lambda: len(Piece.begun) > begun)
    return len(Piece.begun)


class Browser:
    """What a browser has put together from the differences that it was sent."""

    def __init__(self):
        self.texts: dict[str, str] = {}
        self.charts: dict[str, dict] = {}

    def apply(self, answer: Mapping[str, Any]) -> None:
        """Add the texts and the charts of an answer to what is there.

        A part of a layout that the answer gives as None is dropped.
        """
        self.texts |= answer["words"]
        for name, changes in answer["charts"].items():
            before = self.charts.get(name, {"layout": {}})
            layout = {**before["layout"], **changes.get("layout", {})}
            kept = {part: value for part, value in layout.items() if value is not None}
            self.charts[name] = {**before, **changes, "layout": kept}


class TestAnswers:
    @pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
    async def test_differences_add_up_to_what_the_page_shows(self, server, page):
        """Of a slider that was moved from where the link is, and then back, tab by tab."""
        start = page.settings()
        hero = page.at(start).controls.sliders(start).hero
        link = {name: str(value) for name, value in asdict(start).items()}
        low, high = start.limits[hero]
        values = [value for value in (1.5, 2.5) if low <= value <= high]
        tabs = [tab.name for tab in page.at(start).all_tabs]
        client = await connect(server)
        browser = Browser()

        for value, tab in zip(cycle(values), [*tabs, "", "no such tab"], strict=False):
            client.request((hero, value), page=page.name, link=link, tab=tab)
            answer = await client.receive()
            browser.apply(answer)

            assert answer["errors"] == {}
            settings, _ = from_link(page.settings, {**link, hero: str(value)})
            charts = {name: browser.charts[name] for name in answer["charts"]}
            assert_shows(page.at(settings), settings, tab, browser.texts, charts)
        await client.leave()

    def test_only_differences_are_sent(self):
        client = ClientState()
        frames = [
            make_frame(Request({}, TOY, {}, "why", (("epsilon", value),)), 0)
            for value in (1.0, 2.0)
        ]

        first, second = [client.diff(frame) for frame in frames]

        assert first["rows"] == {"board": [["moves", "stays"]]}
        assert set(first["words"]) == {".lab-numbers", ".lab-verdict", ".lab-words-why"}
        assert "rows" not in second
        moves = second["charts"]["moves"]
        assert set(moves) == {"alt", "data", "layout"}
        assert set(moves["layout"]) == {"title"}
        assert second["charts"]["stays"] == {"alt": "Line"}

    async def test_only_what_a_panel_moves_is_moved(self, server):
        client = await connect(server)

        client.request(
            ("epsilon", 7),
            ("repeats", 99),
            ("seed", "many"),
            ("dataset", "own"),
            ("nothing", 3),
        )
        answer = await client.receive()

        assert set(answer["errors"]) == {"repeats", "seed"}
        assert answer["words"][".lab-verdict"] == "Epsilon 7, shown 0, 1 done"

    async def test_later_slices_are_pushed(self, server):
        client = await connect(server)

        number = client.request(link={"repeats": "30"})
        answers = await client.receive_all()

        assert {answer["number"] for answer in answers} == {number}
        assert 2 < len(answers) <= 30
        assert answers[0]["words"][".lab-verdict"] == "Epsilon 1, shown 0, 1 done"
        assert answers[-1]["words"][".lab-verdict"] == "Epsilon 1, shown 0, 30 done"

    @pytest.mark.parametrize(
        ("page", "link"),
        [
            pytest.param("toy", {"dataset": "own"}, id="a private file"),
            pytest.param("classifier", {"dataset": "own"}, id="a private file of a topic"),
            pytest.param("toy", {"epsilon": "95"}, id="a fault"),
        ],
    )
    async def test_private_files_and_faults_are_left_to_the_page(self, server, page, link):
        client = await connect(server)

        number = client.request(page=page, link=link)
        answer = await client.receive()
        client.request(page="toy")
        next_answer = await client.receive()

        assert answer == {"number": number, "ordinary": True}
        assert next_answer["words"][".lab-verdict"] == "Epsilon 1, shown 0, 1 done"


def assert_shows(
    page: Page, settings: Any, tab: str, texts: Mapping[str, str], charts: Mapping[str, Any]
) -> None:
    """Compare texts and charts with the page's own view, while this tab is open."""
    result, _ = compute(settings, seconds=0)
    view = page.view(result)
    if page.question_tab is not None and tab == ASK_TAB.name:
        # The answer may do work of the page, which then says more itself.
        question = page.question_tab.settings(settings, "")
        answer_result, _ = compute(question, seconds=0)
        answer = page.question_tab.view(answer_result)
        assert texts[f".lab-words-{ANSWER}"] == answer.texts[ANSWER]
        expected = answer.charts(*answer.boards)
    else:
        assert texts[".lab-verdict"] == view.texts["verdict"]
        assert texts[".lab-numbers"] == tile_row(view.tiles)
        for name in (*page.captions, *page.tab(tab).texts):
            assert texts[f".lab-words-{name}"] == view.texts[name]
        expected = view.charts(*page.boards(tab))
    assert set(charts) == {*expected, *view.charts(FIRST)}
    for name, chart in expected.items():
        message = orjson.loads(orjson.dumps(chart.message()))
        assert charts[name]["data"] == message["figure"]["data"]
        assert charts[name]["layout"] == message["figure"].get("layout", {})
        assert charts[name]["alt"] == message["alt"]


REQUEST = {"number": 1, "page": "toy", "settings": {}, "moves": []}
BAD_VALUES = {
    "number": ["1", True, -1, 2**60],
    "page": ["elsewhere", ["toy"]],
    "settings": [[], {"epsilon": 3}, {"epsilon": "1" * MOST_BYTES}],
    "moves": [
        {},
        [["epsilon"]],
        [[3, 3]],
        [["epsilon", None]],
        [["epsilon", True]],
        [["epsilon", "9" * 65]],
        [["epsilon", 1]] * (MOST_MOVES + 1),
    ],
    "tab": [3],
    "pin": [3, ["x"], {}],
    "ask": [3, "~" * (LONGEST + 1)],
    "present": [3, "x" * 65],
    "ahead": [3, [1.0]],  # without the name of a slider
}


def malformed_messages() -> Iterator[Any]:
    """Yield parameters of tests: messages for which the server closes a connection."""
    for text in ("", "{", "[]", "null", "[" * 5000):
        yield pytest.param([text], id=f"no request {text[:5]!r}")
    for field, values in BAD_VALUES.items():
        for index, value in enumerate(values):
            text = orjson.dumps({**REQUEST, field: value}).decode()
            yield pytest.param([text], id=f"{field} {index}")
    too_many_ahead = {**REQUEST, "name": "epsilon", "ahead": [1.0] * (MOST_AHEAD + 1)}
    yield pytest.param([orjson.dumps(too_many_ahead).decode()], id="too many values ahead")
    yield pytest.param(["x" * (MOST_BYTES + 1)], id="too long")
    request = orjson.dumps(REQUEST).decode()
    yield pytest.param([request] * (MOST_MESSAGES_PER_SECOND + 1), id="too many messages")


class TestConnections:
    @pytest.mark.parametrize("messages", list(malformed_messages()))
    async def test_a_malformed_message_closes_the_connection_with_a_reason(self, server, messages):
        client = await connect(server)

        for text in messages:
            client.send(text)
        answer = await client.receive()
        while "code" not in answer:
            answer = await client.receive()
        await asyncio.wait_for(client.task, PATIENCE_SECONDS)

        assert (answer["type"], answer["code"]) == ("websocket.close", 1008)
        assert answer["reason"]

    @pytest.mark.parametrize(
        ("base_path", "origin", "answer"),
        [
            pytest.param("", "http://lab.test", "accept", id="own page"),
            pytest.param(
                "/lab/", "https://lab.test", "accept", id="own page over TLS, below a path"
            ),
            pytest.param("a/b", "", "accept", id="no origin"),
            pytest.param("", "http://lab.test.evil.test", "close", id="another host"),
            pytest.param("", "http://lab.test:81", "close", id="another port"),
            pytest.param("", "null", "close", id="a file"),
        ],
    )
    async def test_only_pages_of_this_server_connect(self, monkeypatch, base_path, origin, answer):
        options = {"server.baseUrlPath": base_path}
        monkeypatch.setattr(st, "get_option", options.get)
        path = "/".join(["", *filter(None, base_path.split("/")), NAME])

        with serving() as server:
            opening = await Client(server.app, origin, path).opening()

        assert opening == f"websocket.{answer}"


class TestTurns:
    async def test_only_the_newest_request_is_answered(self, server, monkeypatch):
        # A person's next movement comes within it.
        monkeypatch.setattr(channel, "LULL_SECONDS", PATIENCE_SECONDS)
        client = await connect(server)

        Piece.gate.clear()
        for value in range(1, 41):
            client.request(("epsilon", value), link={"repeats": "20"})
            await wait_until(lambda: Piece.begun)
        await client.until_read()
        Piece.gate.set()
        answers = [await client.receive() for _ in range(2)]
        for value in (50, 51):
            client.request(("epsilon", value))
            answers.append(await client.receive())

        assert [answer["number"] for answer in answers] == [1, 40, 41, 42]
        assert all(piece.place == 0 for piece in Piece.begun)

    async def test_a_first_answer_goes_before_later_slices_of_others(self, server, monkeypatch):
        monkeypatch.setattr(channel, "LULL_SECONDS", 0.0)
        monkeypatch.setattr(scheduler, "DEFER_SECONDS", PATIENCE_SECONDS)
        for seed in range(1, 9):
            other = await connect(server)
            other.request(("seed", seed), link={"repeats": "50"})
            await other.receive()
        client = await connect(server)

        for epsilon in range(2, 7):
            begun = await hold_next_piece()
            client.request(("epsilon", epsilon))
            await wait_until(lambda: requests_waiting(server) == 1)
            Piece.gate.set()
            await client.receive()

            # The slice at work lets it go first after the piece that it was at.
            assert Piece.begun[begun].epsilon == epsilon

    @pytest.mark.parametrize(
        "leaves",
        [pytest.param(False, id="newer request"), pytest.param(True, id="visitor leaves")],
    )
    async def test_a_slice_that_nobody_waits_for_is_cancelled(self, server, monkeypatch, leaves):
        # All pieces are in one slice.
        monkeypatch.setattr(channel, "SLICE_SECONDS", PATIENCE_SECONDS)
        client = await connect(server)
        other = await connect(server)
        client.request(link={"repeats": "50"})
        await client.receive()

        begun = await hold_next_piece()
        if leaves:
            waiting = other
            waiting.request(("epsilon", 2.0))
            await client.leave()
        else:
            waiting = client
            waiting.request(("epsilon", 2.0))
            await client.until_read()
        Piece.gate.set()
        answer = await waiting.receive()

        assert answer["done"] == 1
        assert [piece.epsilon for piece in Piece.begun[begun:]] == [2.0]
        # What was done is kept.
        other.request(link={"repeats": "50"})
        await other.receive_all()
        assert len(Piece.begun) == 51
        assert len(set(Piece.begun)) == 51

    async def test_visitors_in_line_get_their_newest_request_and_none_if_they_left(self, server):
        first, gone, dragger = [await connect(server) for _ in range(3)]
        Piece.gate.clear()
        for index, client in enumerate((first, gone, dragger)):
            client.request(link={"seed": str(index + 1)})
            await wait_until(lambda index=index: Piece.begun and requests_waiting(server) == index)
        for value in (2, 3, 4):
            dragger.request(("epsilon", value))
        await dragger.until_read()
        await gone.leave()
        Piece.gate.set()

        answer = await dragger.receive()

        assert answer["number"] == 4
        assert answer["words"][".lab-verdict"] == "Epsilon 4, shown 0, 1 done"
        assert requests_waiting(server) == 0
        assert 2 not in {piece.who for piece in Piece.begun}


class TestPrefetch:
    async def test_frames_ahead_wait_until_nobody_else_does(self, server):
        client = await connect(server)
        other = await connect(server)

        with debounce.page_run():
            client.request(name="epsilon", ahead=[5, 6])
            await asyncio.sleep(0.3)
            begun_meanwhile = list(Piece.begun)
            other.request(("epsilon", 2), link={"seed": "1"})
            await other.receive()
        for _ in range(2):
            await client.receive()

        assert begun_meanwhile == []
        assert [piece.epsilon for piece in Piece.begun] == [2, 5, 6]

    async def test_frames_for_the_next_stops_come_in_order_with_their_refusals(self, server):
        client = await connect(server)

        client.request(name="epsilon", ahead=[5, 6, 1000])
        answers = [await client.receive() for _ in range(3)]

        assert [answer["value"] for answer in answers] == [5, 6, 1000]
        assert [bool(answer["errors"]) for answer in answers] == [False, False, True]

    async def test_the_next_request_goes_before_further_frames(self, server):
        client = await connect(server)
        client.request(name="epsilon", ahead=[5, *range(10, 60)])
        await client.receive()

        begun = await hold_next_piece()
        client.request(("epsilon", 3))
        await client.until_read()
        await wait_until(debounce.is_busy)
        Piece.gate.set()
        while "value" in await client.receive():
            pass

        assert Piece.begun[begun].epsilon == 3

    async def test_new_values_ahead_replace_the_others(self, server):
        client = await connect(server)
        client.request(name="epsilon", ahead=list(range(10, 60)))
        await client.receive()

        client.request(name="epsilon", ahead=[77])
        values = []
        while 77 not in values:
            answer = await client.receive()
            values.append(answer["value"])

        assert len(values) < 10

    async def test_browsers_take_turns_however_many_connections_one_has(self):
        workers = Workers(FairQueue(1))
        order = []
        gate = asyncio.Event()

        async def connection(browser: str) -> None:
            """Do three pieces of work for a browser, each of which adds its name to ``order``."""
            await gate.wait()
            for _ in range(3):
                await workers.run_when_idle(browser, order.append, browser)

        browsers = ("crowd", "crowd", "crowd", "single")
        tasks = [asyncio.create_task(connection(browser)) for browser in browsers]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_SECONDS)
        workers.close()

        assert order[:6] == ["crowd", "single"] * 3
