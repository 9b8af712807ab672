"""A channel of the lab's own beside Streamlit's: what is moved comes in, what differs in words and
pictures goes out.

A question holds the page, its settings as a link holds them, and what has been moved since. So it
needs no session, any server can answer it, and what is computed for it is there for all. Of a
visitor's questions the newest is answered, at once with what must be there, then, while nothing
newer comes, slice by slice until all is done. In spare time the pictures of a slider's next stops
are made.
"""

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any
from weakref import WeakValueDictionary

import orjson
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from lab.experiment.settings import Settings
from ui.classroom.visitor import visitor_word
from ui.compute import debounce
from ui.compute.runner import LONG_SLICE_SECONDS, SLICE_SECONDS
from ui.compute.scheduler import SHARED, FairQueue, GivenUpError, Ticket
from ui.page.comparison import compare
from ui.page.page import Page
from ui.page.pin import read as read_pin
from ui.page.presenter_page import staged
from ui.server.security_headers import same_origin
from ui.session import page_state
from ui.widgets import assets

NAME = "lab-channel"
MOST_BYTES, MOST_A_SECOND = 16_384, 200
MOST_MOVES, MOST_AHEAD, LONGEST_TEXT, LARGEST_NUMBER = 64, 256, 64, 2**53
# Seconds: a finger that moves on is heard again within the first; how often spare time is looked
# for.
LULL, LOOK = 0.1, 0.02
# Threads for each place at work: those whose slices let others go first wait in them.
THREADS = 4
# As long has nothing moved when a browser tells Streamlit; longer while many people move something.
REST = 0.3
REFUSED = 1008  # the code of a connection that is closed for what came over it

_log = logging.getLogger(__name__)


Work = Callable[[], Any]
Suggestion = tuple[str, float | str]
Moves = tuple[Suggestion, ...]


class MalformedError(ValueError):
    """A message that no panel sends."""


@dataclass(frozen=True)
class Request:
    """What is asked: a page, its settings and its pin as a link holds them, the tab that is open,
    what is asked there, and (field, value) of what was moved since, in order.
    ``about`` returns with the answer: a number, and for a stop that is asked for ahead, its value.
    """

    about: Mapping[str, Any]
    page: Page
    link: Mapping[str, str]
    tab: str = ""
    moves: Moves = ()
    pin: str | None = None
    ask: str = ""

    def ahead(self, move: Suggestion) -> "Request":
        """Return the question for a stop that the slider may reach next."""
        _, value = move
        about = {"number": self.about["number"], "value": value}
        return replace(self, about=about, moves=(*self.moves, move))

    @cached_property
    def settings(self) -> tuple[Settings, dict[str, str], dict[str, Any]]:
        """Return (the settings that a page state would have, field -> the sentence that refused its
        value, what else has moved).
        """
        before, _ = page_state.from_link(self.page.settings, self.link)
        settings: Settings = before
        errors: dict[str, str] = {}
        for name, value in self.moves:
            settings, refusals = page_state.moved(settings, name, value)
            errors |= refusals
        known, moved = asdict(before), dict(self.moves)
        along = {
            name: value
            for name, value in asdict(settings).items()
            if name not in moved and known[name] != value
        }
        return settings, errors, along


def read(text: str, pages: Mapping[str, Page]) -> tuple[Request, Moves | None]:
    """Return the question in a message, and the movements that it wants ahead, if any.

    Raise MalformedError.
    """
    try:
        message = orjson.loads(text)
        number, page, link, moves = (
            message[name] for name in ("number", "page", "settings", "moves")
        )
        name, values, tab = message.get("name"), message.get("ahead"), message.get("tab", "")
        pin, ask, picture = message.get("pin"), message.get("ask", ""), message.get("present", "")
    except (orjson.JSONDecodeError, TypeError, KeyError, AttributeError) as fault:
        raise MalformedError("a message is no question") from fault
    known = (
        type(number) is int
        and 0 <= number < LARGEST_NUMBER
        and isinstance(page, str)
        and page in pages
    )
    asks = isinstance(tab, str) and isinstance(ask, str) and len(ask) <= page_state.LONGEST
    for rule, holds in {
        "a question has a number, and a page of the lab": known,
        "settings are texts by name": isinstance(link, dict) and _texts(link.values()),
        "a tab is a name, and what is asked there a text": asks,
        "a pin is a text": pin is None or isinstance(pin, str),
        "a picture that is presented is a name": (
            isinstance(picture, str) and len(picture) <= LONGEST_TEXT
        ),
    }.items():
        if not holds:
            raise MalformedError(rule)
    here = staged(pages[page], picture) if picture else pages[page]
    asked = Request({"number": number}, here, link, tab, _moves(moves, MOST_MOVES), pin, ask)
    if values is None:
        return asked, None
    if not isinstance(values, list):
        raise MalformedError("what is wanted ahead is a list of values")
    if not isinstance(name, str) or len(values) > MOST_AHEAD or not all(map(_is_value, values)):
        raise MalformedError("what is wanted ahead is a name and a list of values")
    return asked, tuple((name, value) for value in values)


def _texts(sent: Iterable[Any]) -> bool:
    return all(isinstance(one, str) for one in sent)


def _moves(sent: Any, most: int) -> Moves:
    match sent:
        case list() if len(sent) <= most and all(map(_is_move, sent)):
            return tuple(map(tuple, sent))
    raise MalformedError("movements are a list of names and values, a number or a short text each")


def _is_move(sent: Any) -> bool:
    return (
        isinstance(sent, list)
        and len(sent) == 2
        and isinstance(sent[0], str)
        and _is_value(sent[1])
    )


def _is_value(sent: Any) -> bool:
    if isinstance(sent, str):
        return len(sent) <= LONGEST_TEXT
    # JSON's true and false are of type bool, which is no number here.
    return type(sent) in (int, float) and math.isfinite(sent)


@dataclass(frozen=True)
class Frame:
    """What a page shows: the share of the work that is done, what was refused, what has moved
    along, words by CSS selector, by board the rows of names, and pictures by name, each as (what
    stands beside its figure, the parts of the figure).
    """

    done: float
    errors: Mapping[str, str]
    values: Mapping[str, Any]
    words: Mapping[str, str]
    rows: Mapping[str, list[list[str]]]
    pictures: Mapping[str, tuple[dict, dict[str, bytes]]]


def shown(question: Request, seconds: float) -> Frame | None:
    """Return what the page shows after so many seconds of work, or what must be; None where the
    page itself has to say
    it: it uses a visitor's own file, or has met a fault.
    """
    page = question.page
    try:
        settings, errors, values = question.settings
        if settings.private:
            return None
        pinned = None
        if question.pin is not None:
            pinned, _ = read_pin(page.settings, question.pin)  # type: ignore[arg-type]  # classes have a hash
        both = compare(
            page,
            settings,
            pinned,
            seconds=seconds,
            tab=question.tab,
            ask=question.ask,
            resting=seconds > 0,
        )
        boards = both.boards(question.tab)
        rows = {
            board: [[picture.name for picture in row] for row in drawn]
            for board, drawn in boards.items()
        }
        every = (picture for drawn in boards.values() for row in drawn for picture in row)
        pictures = {picture.name: (picture.beside(), picture.parts()) for picture in every}
        return Frame(both.done, errors, values, both.says(question.tab), rows, pictures)
    except Exception:
        _log.exception("%s: a question on the channel met a fault", page.name)
        return None


class ClientState:
    """What one browser has been shown over its connection, to which an answer says only what
    differs.
    """

    def __init__(self) -> None:
        self._words: Mapping[str, str] = {}
        self._rows: Mapping[str, list[list[str]]] | None = None
        self._parts: dict[str, dict[str, bytes]] = {}

    def news(self, now: Frame) -> dict[str, Any]:
        """Return what differs, and is seen from now on; ``rest``, milliseconds. ``rows`` first, and
        where they are others.
        """
        words = {where: html for where, html in now.words.items() if self._words.get(where) != html}
        rows = {"rows": now.rows} if now.rows != self._rows else {}
        charts = {
            name: beside | change(parts, self._parts.get(name, {}))
            for name, (beside, parts) in now.pictures.items()
        }
        self._words, self._rows = now.words, now.rows
        self._parts = {name: parts for name, (_, parts) in now.pictures.items()}
        told = {
            "done": now.done,
            "errors": now.errors,
            "values": now.values,
            "rest": round(1000 * debounce.rest(REST)),
        }
        return told | {"words": words, "charts": charts} | rows


def change(parts: Mapping[str, bytes], since: Mapping[str, bytes]) -> dict[str, Any]:
    """Return what is told of a figure's parts to who knows those of another one; null for a part
    that is gone.
    """
    mine = dict.fromkeys(since, b"null") | dict(parts)
    changed = {
        name: orjson.Fragment(part) for name, part in mine.items() if since.get(name) != part
    }
    data = {"data": changed.pop("data")} if "data" in changed else {}
    layout = {name.removeprefix("layout."): part for name, part in changed.items()}
    return data | ({"layout": layout} if layout else {})


def _give_up() -> None:
    raise GivenUpError


class Workers:
    """Threads that answer questions, each in its turn (``ui.compute.scheduler``)."""

    def __init__(self, turns: FairQueue):
        self._turns = turns
        self._pool = ThreadPoolExecutor(
            THREADS * turns.places, thread_name_prefix=NAME
        )  # some let others go first
        self._spare = asyncio.Lock()
        # Browser -> its turn among its own connections, for answers and for spare time.
        self._answers: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._guesses: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def take(self, browser: str, plan: Callable[[], Work]) -> Any:
        """Do what ``plan`` says once the turn of this question has come, one question of a browser
        at a time.
        """
        own_turn = self._answers.setdefault(browser, asyncio.Lock())
        async with own_turn:
            return await self._in_turn(plan)

    async def take_later(self, work: Work) -> Any:
        """Do this in its turn, which gives way to who waits for a picture."""
        return await self._in_turn(lambda: work, later=True)

    async def _in_turn(self, plan: Callable[[], Work], *, later: bool = False) -> Any:
        """Do what ``plan`` says once the turn has come.

        Where this is cancelled, the work ends between two tasks.
        """
        job: Future | None = None
        turn = self._turns.join(later=later)
        with debounce.asking():
            try:
                await asyncio.wrap_future(turn.came)
                job = self._pool.submit(self._work, plan(), turn)
                return await asyncio.wrap_future(job)
            finally:
                turn.heed = _give_up
                if job is None or job.cancelled():
                    self._turns.leave(turn)

    def _work(self, work: Work, turn: Ticket) -> Any:
        with suppress(GivenUpError), self._turns.at_work(turn):
            return work()

    def close(self) -> None:
        """Begin nothing more, and wait for what is at work."""
        self._pool.shutdown(cancel_futures=True)

    async def spare(self, browser: str, work: Callable, *args: Any) -> Any:
        """Do this, one thing at a time, once nobody in the whole process waits for anything.

        Browsers take turns, however many connections one of them has.
        """
        own_turn = self._guesses.setdefault(browser, asyncio.Lock())
        async with own_turn, self._spare:
            while debounce.at_work():
                await asyncio.sleep(LOOK)
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *args)


class Connection:
    """One connection: the newest question, and what is wanted ahead."""

    def __init__(self, socket: WebSocket, pages: Mapping[str, Page], workers: Workers):
        self._socket, self._pages, self._workers = socket, pages, workers
        # A browser without the cookie counts by its connection.
        self._browser = visitor_word(socket.cookies) or str(id(self))
        self._asked: Request  # the newest, once there are news
        self._ahead: deque[tuple[Request, Suggestion]] = deque()
        self._news, self._wants = asyncio.Event(), asyncio.Event()
        self._seen, self._telling = ClientState(), asyncio.Lock()
        self._heard: deque[float] = deque(maxlen=MOST_A_SECOND)

    async def last(self) -> None:
        """Listen and answer until the connection ends."""
        work = [asyncio.create_task(self._answer()), asyncio.create_task(self._look_ahead())]
        try:
            await self._listen()
        except MalformedError as fault:
            with suppress(RuntimeError, WebSocketDisconnect):
                await self._socket.close(REFUSED, str(fault))
        except WebSocketDisconnect:
            pass
        finally:
            for task in work:
                task.cancel()

    async def _listen(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            now = time.monotonic()
            if len(self._heard) == MOST_A_SECOND and now - self._heard[0] < 1:
                raise MalformedError("too many messages")
            self._heard.append(now)
            text = message.get("text") or ""
            # Letters first: to encode a message of megabytes would take its memory again.
            if len(text) > MOST_BYTES or len(text.encode()) > MOST_BYTES:
                raise MalformedError("a message is too long")
            asked, ahead = read(text, self._pages)
            if ahead is None:
                self._asked = asked
                self._news.set()
            else:
                self._ahead = deque((asked, move) for move in ahead)
                self._wants.set()

    async def _answer(self) -> None:
        """Answer the newest question, and go on with it until it is done or there is a
        newer one.
        """
        while True:
            await self._news.wait()
            debounce.moves(self)
            question, now = await self._workers.take(self._browser, self._newest)
            done = await self._tell(question, now)
            if done < 1:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), LULL)
            seconds = SLICE_SECONDS
            while done < 1 and not self._news.is_set():
                work, seconds = (
                    partial(shown, question, seconds),
                    min(seconds + SLICE_SECONDS, LONG_SLICE_SECONDS),
                )
                now = await self._unless_newer(self._workers.take_later(work))
                done = 1.0 if self._news.is_set() else await self._tell(question, now)

    def _newest(self) -> Work:
        """Return what is to be done when the turn comes: who has moved on meanwhile is asked no
        second time.
        """
        self._news.clear()
        question = self._asked
        return lambda: (question, shown(question, 0))

    async def _unless_newer(self, work: Coroutine) -> Any:
        """Return what comes of this; it is given up as soon as there is a newer question."""
        tasks = [asyncio.create_task(one) for one in (work, self._news.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return tasks[0].result() if tasks[0].done() else None
        finally:
            for task in tasks:
                task.cancel()

    async def _look_ahead(self) -> None:
        while True:
            await self._wants.wait()
            self._wants.clear()
            while self._ahead:
                asked, move = self._ahead.popleft()
                question = asked.ahead(move)
                await self._tell(
                    question, await self._workers.spare(self._browser, shown, question, 0)
                )

    async def _tell(self, question: Request, now: Frame | None) -> float:
        """Send what differs; the share of the work that is done, 1 where nothing more will come."""
        async with self._telling:
            news = self._seen.news(now) if now else {"ordinary": True}
            await self._send(dict(question.about) | news)
        return now.done if now else 1.0

    async def _send(self, message: Mapping[str, Any]) -> None:
        with suppress(RuntimeError, WebSocketDisconnect):  # it is closed: the listener ends it all
            await self._socket.send_text(orjson.dumps(message).decode())


class Channel:
    """The channel of an app with these pages."""

    def __init__(self, pages: Iterable[Page], *, turns: FairQueue = SHARED):
        self._pages = {page.name: page for page in pages}
        self._turns = turns
        self._workers: Workers | None = None

    async def visit(self, socket: WebSocket) -> None:
        """Answer one browser for as long as it is there."""
        if not same_origin(socket.headers):
            await socket.close(REFUSED)
            return
        self._workers = self._workers or Workers(self._turns)
        await socket.accept()
        await Connection(socket, self._pages, self._workers).last()

    def close(self) -> None:
        """Wait for what is at work."""
        if self._workers:
            self._workers.close()

    def route(self) -> WebSocketRoute:
        """Return its address, below the path that the app is served at."""
        return WebSocketRoute(f"{assets.base()}/{NAME}", self.visit)
