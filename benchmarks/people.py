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
from contextlib import suppress
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlsplit

import numpy as np
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from benchmarks import load
from lab.experiment.settings import Settings
from ui.page.page import Page

PAGE, EPSILONS = "classifier", (0.05, 50.0)
# Seconds: until an answer is given up; that a person rests whatever the server says, where they
# hurry; until a lost connection is tried again.
PATIENCE, HURRIED, AGAIN = 300.0, 0.3, 0.5
XSRF = "_streamlit_xsrf"
# What is moved where it is not the hero, and how far from its default at most, as a factor.
SLIDERS, WIDE = {"what-if": "epsilon"}, 4.0


@dataclass
class Member(load.Person):
    """One person. ``whole``: whether the slider takes whole numbers only; ``answers``: seconds from
    each question to its answer; ``done``: how much of the work for the newest is done; ``owes``:
    what Streamlit has still to do; ``runs``: from telling Streamlit to the end of its run;
    ``replicas``: values of the affinity cookie; ``newest_kinds``: of Streamlit's messages.
    """

    span: tuple[float, float] = EPSILONS
    whole: bool = False
    address: str = ""
    seed: int = 0
    jar: dict[str, str] = field(default_factory=dict)
    channel: ClientConnection | None = None
    session: str = ""
    about: dict = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    number: int = 0
    heard: int = 0
    done: float = 1.0
    owes: dict = field(default_factory=dict)
    rests: float = HURRIED
    answers: list[float] = field(default_factory=list)
    runs: list[float] = field(default_factory=list)
    replicas: list[str] = field(default_factory=list)
    ears: list[asyncio.Task] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    newest_kinds: deque[str] = field(default_factory=lambda: deque(maxlen=60))

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict, bytes]:
        """(status, headers, body) of an answer, whose cookies are kept."""
        at = urlsplit(self.address)
        kind = http.client.HTTPSConnection if at.scheme == "https" else http.client.HTTPConnection
        connection = kind(at.hostname, at.port, timeout=PATIENCE)
        try:
            told = {"Cookie": self.cookies} if self.jar else {}
            connection.request(method, at.path + path, body, told | headers)
            answer = connection.getresponse()
            self.keep(answer.headers.get_all("set-cookie") or [])
            return (
                answer.status,
                {name.lower(): one for name, one in answer.headers.items()},
                answer.read(),
            )
        finally:
            connection.close()

    @property
    def cookies(self) -> str:
        """As a browser sends them."""
        return "; ".join(f"{name}={value}" for name, value in self.jar.items())

    def keep(self, sent: list[str]) -> None:
        """Take over cookies, and forget those that are over."""
        for one in sent:
            for name, cookie in SimpleCookie(one).items():
                self.jar.pop(name, None)
                if cookie["max-age"] != "0" and "1970" not in cookie["expires"]:
                    self.jar[name] = cookie.value
        here = self.jar.get("lab_replica")
        if here and self.replicas[-1:] != [here]:
            self.replicas.append(here)

    async def enter(self) -> None:
        """Ask for the page. Raises OSError where it is not given."""
        path = f"/{self.path}?{self.query}"
        status, _, _ = await asyncio.to_thread(self.request, "GET", path, Accept="text/html")
        if status != 200:
            raise OSError(f"{path} is answered by {status}")
        await asyncio.to_thread(self.request, "GET", "/_stcore/health")

    async def opens(self) -> None:
        """A session, and the channel."""
        self.socket = await self.connected(
            "/_stcore/stream", ["streamlit", self.jar.get(XSRF, "-")]
        )
        self.ready.clear()
        self.ears = [asyncio.create_task(self.listen())]
        self.flying, self.panel = None, ""
        await self.ask()
        await self.until(lambda: self.panel and self.ready.is_set())
        self.channel = await self.connected("/lab-channel", None)
        self.ears.append(asyncio.create_task(self.hear()))

    async def connected(self, path: str, words: list[str] | None) -> ClientConnection:
        """A websocket by the cookies of this person."""
        uri = self.address.replace("http", "ws", 1) + path
        how = {
            "max_size": None,
            "ping_interval": None,
            "compression": None,
            "open_timeout": PATIENCE,
        }
        socket = await connect(
            uri, subprotocols=words, additional_headers={"Cookie": self.cookies}, **how
        )
        self.keep(socket.response.headers.get_all("set-cookie"))
        return socket

    def told_of(self, message: ForwardMsg, kind: str) -> None:
        super().told_of(message, kind)
        self.newest_kinds.append(kind)
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id
        self.news.set()

    def acknowledged(self, data: dict) -> None:
        self.about = data["channel"]
        super().acknowledged(data)

    def rest(self, *, work: bool, page: float) -> None:
        """As in a browser, Streamlit is asked for no work while the channel is at it."""
        self.owes = {"work": work, "page": page}
        if not (self.channel and self.done < 1):
            super().rest(**self.owes)

    def value(self, share: float) -> float:
        """The slider's value at this share of its range."""
        low, high = self.span
        found = float(f"{low * (high / low) ** share:.5g}")
        return round(found) if self.whole else found

    async def hear(self) -> None:
        """What comes on the channel."""
        async for text in self.channel:
            answer = json.loads(text)
            if "words" not in answer:
                self.errors.append("the channel leaves it to Streamlit")
            self.words |= answer.get("words", {})
            self.rests = answer.get("rest", 0) / 1000
            self.heard, self.done = max(self.heard, answer["number"]), answer.get("done", 1.0)
            self.news.set()
            if self.done == 1 and self.owes and not self.flying:
                super().rest(**self.owes)

    async def until(self, holds) -> None:
        """Wait for it, and for no lost connection. Raises TimeoutError, or ConnectionError."""
        end = time.perf_counter() + PATIENCE
        while not holds():
            if any(one.done() for one in self.ears):
                raise ConnectionError("a connection was lost")
            self.news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.news.wait(), 0.25)
            if time.perf_counter() > end:
                raise TimeoutError(
                    f"no answer on {self.path or 'home'} after {' '.join(self.newest_kinds)}"
                )

    async def moves(self, value: float) -> None:
        """Ask about a value on the channel, and wait for what it shows."""
        self.number, self.owes = self.number + 1, {}
        began = self.moved_at = time.perf_counter()
        await self.channel.send(
            json.dumps({**self.about, "number": self.number, "moves": [[self.slider, value]]})
        )
        await self.until(lambda: self.heard >= self.number)
        self.answers.append(time.perf_counter() - began)

    async def rest_at(self, value: float, *, hurries: bool = False) -> None:
        """Rest, tell Streamlit, and wait for the run of the whole page."""
        await asyncio.sleep(min(self.rests, HURRIED) if hurries else self.rests)
        before = len(self.waits)
        seq = self.fly(name=self.slider, value=value, page=True)
        self.since[seq] = time.perf_counter()
        await self.until(lambda: len(self.waits) > before)
        self.runs.append(self.waits[-1])

    async def comes_back(self) -> None:
        """After a lost connection, as the browser does: until there is a session again."""
        while True:
            await self.goes()
            try:
                return await self.opens()
            except (OSError, WebSocketException):
                await asyncio.sleep(AGAIN)

    async def goes(self) -> None:
        """Close all."""
        self.after(0, None)
        for one in self.ears:
            one.cancel()
        await asyncio.gather(*self.tasks, *self.ears, return_exceptions=True)
        for socket in filter(None, (self.channel, self.socket)):
            await socket.close()
        self.ears, self.number, self.heard, self.since = [], 0, 0, {}
        self.done, self.owes = 1.0, {}

    async def uploads(self, table: bytes) -> int:
        """Send a file to where this session takes them; the status of the answer."""
        file = f"/_stcore/upload_file/{self.session}/{uuid.uuid4()}"
        edge = uuid.uuid4().hex
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="own.csv"\r\n'
        body = (
            f"{head}Content-Type: text/csv\r\n\r\n".encode()
            + table
            + f"\r\n--{edge}--\r\n".encode()
        )
        headers = {
            "Content-Type": f"multipart/form-data; boundary={edge}",
            "X-Xsrftoken": self.jar[XSRF],
        }
        return (await asyncio.to_thread(lambda: self.request("PUT", file, body, **headers)))[0]

    @property
    def says(self) -> tuple[str, ...]:
        """What the page says of its result."""
        return tuple(self.words[name] for name in (".lab-verdict", ".lab-numbers"))


def members(address: str, count: int, *, seed: int) -> list[Member]:
    """People with a seed each, so that nobody finds what another has computed."""
    return [
        Member(socket=None, path=PAGE, query=f"seed={seed + one}", address=address, seed=seed + one)
        for one in range(count)
    ]


def slider(page: Page, settings: Settings) -> tuple[str, tuple[float, float]]:
    """The slider that people move, and between which values."""
    name = SLIDERS.get(page.name, page.slider_layout(settings).hero)
    (low, high), usual = settings.limits[name], getattr(settings, name)
    return name, (max(low, usual / WIDE), min(high, usual * WIDE))


def own(page: Page, seed: int) -> Settings:
    """Settings that nobody else has: this seed, where the page has one, and another value of the
    slider.
    """
    usual = page.settings()
    name, (low, high) = slider(page, usual)
    value = float(f"{low * (high / low) ** np.random.default_rng(seed).uniform():.5g}")
    return usual.change(**({"seed": seed} if "seed" in usual.limits else {}), **{name: value})


async def come(people: list[Member], at_once: int = 20) -> float:
    """All come, so many at once; seconds until the last page stands."""
    began, room = time.perf_counter(), asyncio.Semaphore(at_once)

    async def one(person: Member) -> None:
        async with room:
            await person.enter()
            await person.opens()

    await asyncio.gather(*map(one, people))
    return time.perf_counter() - began


async def live(person: Member, *, seconds: float, every: float, rng: np.random.Generator) -> None:
    """Move every so many seconds, each time until the page has followed; 0: at once again."""
    end = time.perf_counter() + seconds
    try:
        await asyncio.sleep(rng.uniform(0, every))
        while (began := time.perf_counter()) < end:
            value = person.value(rng.uniform())
            await person.moves(value)
            await person.rest_at(value, hurries=not every)
            await asyncio.sleep(max(0.0, began + every - time.perf_counter()))
    except (TimeoutError, OSError) as fault:
        person.errors.append(f"{type(fault).__name__} {fault}")


async def go(people: list[Member]) -> None:
    """All leave."""
    await asyncio.gather(*(one.goes() for one in people))
