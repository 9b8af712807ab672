"""Simulate people in front of the lab: cookies, Streamlit's protocol and the lab's channel.

A person requests the page, opens a session and the channel, as a browser does. Each movement is
sent over the channel. After the pause that the server names, Streamlit is told and answers with a
run of the whole page. Nothing is drawn.
"""

import asyncio
import http.client
import json
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from benchmarks.sessions import LabSession
from lab.experiment.settings import Settings
from ui.page.page import Page

PAGE = "classifier"
EPSILONS = (0.05, 50.0)
# Seconds until an answer is given up, of the pause of a person in a hurry whatever the server says,
# and until a lost connection is tried again.
PATIENCE = 300.0
HURRIED_PAUSE = 0.3
RETRY_PAUSE = 0.5
# Streamlit's cookie, and that of Caddy, which keeps a visitor on one process.
XSRF_COOKIE = "_streamlit_xsrf"
REPLICA_COOKIE = "lab_replica"
# Page -> the slider that is moved, where it is not the main one.
SLIDERS = {"what-if": "epsilon"}
# A slider is moved so far from its default at most, as a factor.
LARGEST_FACTOR = 4.0
# Numbers in a link and on the channel have so many digits.
DIGITS = 5
# Selectors of what a page states of its result.
STATED = (".lab-verdict", ".lab-numbers")
# People who connect at the same time.
AT_ONCE = 20


@dataclass
class Person(LabSession):
    """A simulated person, who uses the channel and Streamlit as a browser does.

    is_whole: whether the slider takes whole numbers only. address: of the lab. seed: of the page.
    cookies: name -> value. replicas: values of the cookie of the process, in their order.
    channel: the lab's websocket. session: Streamlit's name of the session.
    base: what every request on the channel repeats. stated: selector -> text of the page.
    number: of the newest request. answered: the newest request with an answer.
    done: share of the work for it. owed: what Streamlit has still to do. pause: seconds of rest
    before a run of the page. answers: seconds from each request to its answer. runs: seconds of
    each run of the page. listeners: tasks that read both connections. news: set by each message.
    newest_kinds: kinds of Streamlit's last messages.
    """

    span: tuple[float, float] = EPSILONS
    is_whole: bool = False
    address: str = ""
    seed: int = 0
    cookies: dict[str, str] = field(default_factory=dict)
    replicas: list[str] = field(default_factory=list)
    channel: ClientConnection | None = None
    session: str = ""
    base: dict[str, Any] = field(default_factory=dict)
    stated: dict[str, str] = field(default_factory=dict)
    number: int = 0
    answered: int = 0
    done: float = 1.0
    owed: dict[str, Any] = field(default_factory=dict)
    pause: float = HURRIED_PAUSE
    answers: list[float] = field(default_factory=list)
    runs: list[float] = field(default_factory=list)
    listeners: list[asyncio.Task] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    newest_kinds: deque[str] = field(default_factory=lambda: deque(maxlen=60))

    # HTTP

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """Send a request with the cookies, store those of the answer, return status and body."""
        address = urlsplit(self.address)
        connection_type: type[http.client.HTTPConnection] = http.client.HTTPConnection
        if address.scheme == "https":
            connection_type = http.client.HTTPSConnection
        connection = connection_type(address.hostname, address.port, timeout=PATIENCE)
        if self.cookies:
            headers["Cookie"] = self.cookie_header
        try:
            connection.request(method, address.path + path, body, headers)
            answer = connection.getresponse()
            self.store_cookies(answer.headers.get_all("set-cookie") or [])
            return answer.status, answer.read()
        finally:
            connection.close()

    @property
    def cookie_header(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def store_cookies(self, headers: Sequence[str]) -> None:
        """Store the cookies of an answer, and delete those that have ended."""
        for header in headers:
            for name, cookie in SimpleCookie(header).items():
                self.cookies.pop(name, None)
                has_ended = cookie["max-age"] == "0" or "1970" in cookie["expires"]
                if not has_ended:
                    self.cookies[name] = cookie.value
        replica = self.cookies.get(REPLICA_COOKIE)
        if replica and self.replicas[-1:] != [replica]:
            self.replicas.append(replica)

    async def fetch_page(self) -> None:
        """Request the page. Raises OSError if the answer is an error."""
        path = f"/{self.path}?{self.query}"
        status, _ = await asyncio.to_thread(self.request, "GET", path, Accept="text/html")
        if status != http.client.OK:
            raise OSError(f"{path} is answered by {status}")
        await asyncio.to_thread(self.request, "GET", "/_stcore/health")

    async def upload(self, table: bytes) -> int:
        """Send a file to this session's address for uploads, and return the status."""
        path = f"/_stcore/upload_file/{self.session}/{uuid.uuid4()}"
        body, headers = self.form(table, "own.csv")

        def put() -> int:
            status, _ = self.request("PUT", path, body, **headers)
            return status

        return await asyncio.to_thread(put)

    def form(self, data: bytes, name: str) -> tuple[bytes, dict[str, str]]:
        """Return the body and the headers of a form with one CSV file."""
        boundary = uuid.uuid4().hex
        disposition = f'Content-Disposition: form-data; name="file"; filename="{name}"'
        start = f"--{boundary}\r\n{disposition}\r\nContent-Type: text/csv\r\n\r\n"
        end = f"\r\n--{boundary}--\r\n"
        headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "X-Xsrftoken": self.cookies.get(XSRF_COOKIE, ""),
        }
        return start.encode() + data + end.encode(), headers

    # Connections

    async def connect(self) -> None:
        """Open a session and the channel."""
        token = self.cookies.get(XSRF_COOKIE, "-")
        self.socket = await self.open_websocket("/_stcore/stream", ["streamlit", token])
        self.ready.clear()
        self.listeners = [asyncio.create_task(self.listen())]
        self.in_flight = None
        self.panel = ""
        await self.request_run()
        await self.wait_until(lambda: self.panel and self.ready.is_set())
        self.channel = await self.open_websocket("/lab-channel", None)
        self.listeners.append(asyncio.create_task(self.listen_to_channel()))

    async def open_websocket(self, path: str, protocols: list[str] | None) -> ClientConnection:
        """Return a websocket that was opened with the cookies."""
        socket = await connect(
            self.address.replace("http", "ws", 1) + path,
            subprotocols=protocols,
            additional_headers={"Cookie": self.cookie_header},
            max_size=None,
            ping_interval=None,
            compression=None,
            open_timeout=PATIENCE,
        )
        self.store_cookies(socket.response.headers.get_all("set-cookie"))
        return socket

    async def reconnect(self) -> None:
        """Try to connect until there is a session again, as a browser does."""
        while True:
            await self.disconnect()
            try:
                return await self.connect()
            except (OSError, WebSocketException):
                await asyncio.sleep(RETRY_PAUSE)

    async def disconnect(self) -> None:
        """Close both connections."""
        self.set_timer(0, None)
        for listener in self.listeners:
            listener.cancel()
        await asyncio.gather(*self.tasks, *self.listeners, return_exceptions=True)
        for socket in (self.channel, self.socket):
            if socket:
                await socket.close()
        self.listeners = []
        self.number = 0
        self.answered = 0
        self.sent_at = {}
        self.forget_work()

    def forget_work(self) -> None:
        """Forget the work that was requested."""
        self.done = 1.0
        self.owed = {}

    # Messages

    def handle(self, message: ForwardMsg, kind: str) -> None:
        super().handle(message, kind)
        self.newest_kinds.append(kind)
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id
        self.news.set()

    def handle_panel(self, data: dict[str, Any]) -> None:
        self.base = data["channel"]
        super().handle_panel(data)

    def request_rest(self, *, work: bool, page: float) -> None:
        """Request what Streamlit owes, but nothing while the channel works on it."""
        self.owed = {"work": work, "page": page}
        if self.channel and self.done < 1:
            return
        super().request_rest(work=work, page=page)

    async def listen_to_channel(self) -> None:
        """Handle all messages of the channel, until the connection ends."""
        async for text in self.channel:
            answer = json.loads(text)
            if "words" not in answer:
                self.errors.append("the channel leaves it to Streamlit")
            self.stated |= answer.get("words", {})
            self.pause = answer.get("rest", 0) / 1000
            self.answered = max(self.answered, answer["number"])
            self.done = answer.get("done", 1.0)
            self.news.set()
            if self.done == 1 and self.owed and not self.in_flight:
                super().request_rest(**self.owed)

    async def wait_until(self, condition: Callable[[], Any]) -> None:
        """Wait for a condition. Raises TimeoutError, or ConnectionError if a connection is lost."""
        end = time.perf_counter() + PATIENCE
        while not condition():
            if any(listener.done() for listener in self.listeners):
                raise ConnectionError("a connection was lost")
            self.news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.news.wait(), 0.25)
            if time.perf_counter() > end:
                page = self.path or "home"
                raise TimeoutError(f"no answer on {page} after {' '.join(self.newest_kinds)}")

    @property
    def stated_texts(self) -> tuple[str, ...]:
        """Return what the page states of its result."""
        return tuple(self.stated[selector] for selector in STATED)

    # Movements

    def value(self, share: float) -> float:
        """Return the slider's value at this share of its range."""
        value = value_at(share, self.span)
        if self.is_whole:
            return round(value)
        return value

    async def move_on_channel(self, value: float) -> None:
        """Request a value on the channel, and wait for its first frame."""
        self.number += 1
        self.owed = {}
        self.moved_at = time.perf_counter()
        begin = self.moved_at
        request = {**self.base, "number": self.number, "moves": [[self.slider, value]]}
        await self.channel.send(json.dumps(request))
        await self.wait_until(lambda: self.answered >= self.number)
        self.answers.append(time.perf_counter() - begin)

    async def run_page(self, value: float, *, hurries: bool = False) -> None:
        """Rest, then request a run of the whole page at this value and wait for it."""
        pause = self.pause
        if hurries:
            pause = min(pause, HURRIED_PAUSE)
        await asyncio.sleep(pause)
        known = len(self.waits)
        sequence = self.send(name=self.slider, value=value, page=True)
        self.sent_at[sequence] = time.perf_counter()
        await self.wait_until(lambda: len(self.waits) > known)
        self.runs.append(self.waits[-1])


def value_at(share: float, span: tuple[float, float]) -> float:
    """Return the value at a share of a logarithmic range."""
    low, high = span
    return float(f"{low * (high / low) ** share:.{DIGITS}g}")


def make_people(address: str, count: int, *, seed: int) -> list[Person]:
    """Return people with a seed each, so that nothing comes from the cache."""
    people = []
    for number in range(seed, seed + count):
        query = f"seed={number}"
        people.append(Person(socket=None, path=PAGE, query=query, address=address, seed=number))
    return people


def moved_slider(page: Page, settings: Settings) -> tuple[str, tuple[float, float]]:
    """Return the slider of a page that people move, and the ends of its values."""
    name = SLIDERS.get(page.name) or page.slider_layout(settings).hero
    low, high = settings.limits[name]
    usual = getattr(settings, name)
    return name, (max(low, usual / LARGEST_FACTOR), min(high, usual * LARGEST_FACTOR))


def unique_settings(page: Page, seed: int) -> Settings:
    """Return settings with this seed, if the page has one, and another value of the slider."""
    usual = page.settings()
    name, span = moved_slider(page, usual)
    changes: dict[str, Any] = {}
    if "seed" in usual.limits:
        changes["seed"] = seed
    changes[name] = value_at(np.random.default_rng(seed).uniform(), span)
    return usual.change(**changes)


async def connect_all(people: Sequence[Person]) -> float:
    """Let all people open their pages, and return the seconds until the last has loaded."""
    begin = time.perf_counter()
    places = asyncio.Semaphore(AT_ONCE)

    async def open_page(person: Person) -> None:
        async with places:
            await person.fetch_page()
            await person.connect()

    await asyncio.gather(*(open_page(person) for person in people))
    return time.perf_counter() - begin


async def move_repeatedly(
    person: Person, *, seconds: float, every: float, rng: np.random.Generator
) -> None:
    """Move every so many seconds, or at once if 0, each time until the page has followed."""
    end = time.perf_counter() + seconds
    try:
        await asyncio.sleep(rng.uniform(0, every))
        begin = time.perf_counter()
        while begin < end:
            value = person.value(rng.uniform())
            await person.move_on_channel(value)
            await person.run_page(value, hurries=every == 0)
            await asyncio.sleep(max(0.0, begin + every - time.perf_counter()))
            begin = time.perf_counter()
    except (TimeoutError, OSError) as failure:
        person.errors.append(f"{type(failure).__name__} {failure}")


async def disconnect_all(people: Sequence[Person]) -> None:
    await asyncio.gather(*(person.disconnect() for person in people))
