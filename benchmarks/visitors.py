"""People of a class, as programs: they open pages as a browser does, move a knob now and then, go on and come back.

Each movement is asked about on the channel, and then told to Streamlit, which runs the page, as a browser does at rest.
"""

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import HTTPCookieProcessor, Request, build_opener

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from benchmarks import crowd, load

# Page -> its first knob, and the values that people move it to.
KNOBS = {
    "classifier": ("epsilon", (0.05, 50.0)),
    "mechanisms": ("epsilon", (0.05, 50.0)),
    "regression": ("epsilon", (0.05, 50.0)),
    "ledger": ("noise_multiplier", (0.5, 50.0)),
    "transfer": ("epsilon", (0.1, 20.0)),
    "parties": ("epsilon", (0.1, 50.0)),
    "network": ("epsilon", (0.2, 20.0)),
}
TABLE = Path(__file__).parents[1] / "sample_data/customers.csv"
BRINGS, NOTES, OPENS = "data", "Use the bounds from the sample's notes", "Classifier with these rows"
# Seconds until an answer is given up; what a full server answers; what stands around an upload.
PATIENCE, BUSY, EDGE = 60.0, 503, "edge-of-the-table"
# Of who roams: movements on a page, seconds away, the share of pages to which they bring a table, and of those after
# which they leave.
STAYS, AWAY, BRING, LEAVES = (5, 25), (1.0, 20.0), 0.1, 0.5
FAILURES = (TimeoutError, OSError, WebSocketException)


class Web:
    """What a browser asks for outside of its websockets, by its cookies."""

    def __init__(self, address: str):
        self.address, self._jar = address, CookieJar()
        self._open = partial(build_opener(HTTPCookieProcessor(self._jar)).open, timeout=PATIENCE)

    def enter(self, page: str) -> float:
        """Ask for a page; 0 if it is given, else after how many seconds to ask again."""
        try:
            with self._open(Request(f"{self.address}/{page}", headers={"Accept": "text/html"})):
                return 0.0
        except HTTPError as door:
            if door.code != BUSY:
                raise
            return float(door.headers["Retry-After"] or 1)

    @property
    def cookies(self) -> dict[str, str]:
        """As a header has them."""
        said = "; ".join(f"{one.name}={one.value}" for one in self._jar)
        return {"Cookie": said} if said else {}

    def put(self, path: str, data: bytes) -> None:
        """Upload the table."""
        with self._open(f"{self.address}/_stcore/health"):  # which gives the token
            token = next((one.value for one in self._jar if "xsrf" in one.name), "")
        head = f'--{EDGE}\r\nContent-Disposition: form-data; name="file"; filename="{TABLE.name}"\r\n'
        body = f"{head}Content-Type: text/csv\r\n\r\n".encode() + data + f"\r\n--{EDGE}--\r\n".encode()
        sent = {"Content-Type": f"multipart/form-data; boundary={EDGE}", "X-Xsrftoken": token}
        with self._open(Request(urljoin(f"{self.address}/", path), body, sent, method="PUT")):
            pass


@dataclass
class Person(load.Person):
    """A browser's connection: goes to pages, presses buttons, brings a file.

    rested: whether what is moved was shown already, and the whole page is to be run.
    """

    web: Web | None = None
    pages: dict[str, str] = field(default_factory=dict)
    buttons: dict[str, str] = field(default_factory=dict)
    rested: bool = False
    uploader: str = ""
    session: str = ""
    upload: asyncio.Future | None = None

    async def listen(self) -> None:
        """Hear what the server says, until it is all over."""
        async for raw in self.socket:
            message = ForwardMsg.FromString(raw)
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.session = message.new_session.initialize.session_id or self.session
            elif kind == "navigation":
                self.page = message.navigation.page_script_hash
                self.pages = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "delta":
                self.drawn(message.delta)
            elif kind == "script_finished":
                self.finished()
            elif kind == "file_urls_response" and self.upload and not self.upload.done():
                self.upload.set_result(message.file_urls_response.file_urls[0])

    def drawn(self, delta: Delta) -> None:
        super().drawn(delta)
        kind = delta.new_element.WhichOneof("type")
        if kind == "button":
            if not delta.new_element.button.disabled:
                self.buttons[delta.new_element.button.label] = delta.new_element.button.id
        elif kind == "file_uploader":
            self.uploader = delta.new_element.file_uploader.id

    def next(self) -> None:
        value, since = self.waiting
        self.waiting = None
        self.since[self.fly(name=self.knob, value=value, page=self.rested)] = since

    async def run(self, **widget: object) -> None:
        """A run of the page, to its end."""
        self.ready.clear()
        await self.ask(**widget)
        await asyncio.wait_for(self.ready.wait(), PATIENCE)

    async def go(self, page: str, seed: int) -> None:
        """Open a page in this session."""
        self.path, self.page, self.query = page, self.pages.get(page, ""), f"seed={seed}"
        self.rests()
        await self.run()

    def rests(self) -> None:
        """Nothing of the page before is on its way, and nothing of it is pressed."""
        self.after(0, None)
        self.flying, self.waiting, self.panel = None, None, ""
        self.since.clear()
        self.buttons.clear()

    async def bring(self) -> None:
        """Bring the table on the page for it, take its notes' bounds, and open it with the classifier."""
        data = TABLE.read_bytes()
        asked = BackMsg()
        asked.file_urls_request.request_id = asked.file_urls_request.session_id = self.session
        asked.file_urls_request.file_names.append(TABLE.name)
        self.upload = asyncio.get_running_loop().create_future()
        await self.socket.send(asked.SerializeToString())
        urls = await asyncio.wait_for(self.upload, PATIENCE)
        await asyncio.to_thread(self.web.put, urls.upload_url, data)
        message = BackMsg()
        run = message.rerun_script
        run.page_name, run.page_script_hash, run.query_string = self.path, self.page, self.query
        held = run.widget_states.widgets.add(id=self.uploader).file_uploader_state_value
        held.uploaded_file_info.add(file_id=urls.file_id, name=TABLE.name, size=len(data)).file_urls.CopyFrom(urls)
        self.ready.clear()
        await self.socket.send(message.SerializeToString())
        await self.until(lambda: NOTES in self.buttons)
        await self.press(NOTES)
        await self.until(lambda: OPENS in self.buttons)
        await self.press(OPENS)
        self.path, self.query = "classifier", ""
        await self.until(lambda: self.panel)

    async def press(self, label: str) -> None:
        await self.run(id=self.buttons.pop(label), trigger_value=True)

    async def until(self, there: Callable[[], object]) -> None:
        """Wait for what the server is still to say."""
        end = time.perf_counter() + PATIENCE
        while not there():
            if time.perf_counter() > end:
                raise TimeoutError(f"{self.path}: what a page has never came")
            await asyncio.sleep(0.05)


@dataclass
class Seen:
    """What all people have met so far. channel, page: seconds that each movement waited; brought: tables;
    turned_away: how often somebody was to wait at the door.
    """

    channel: list[float] = field(default_factory=list)
    page: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    brought: int = 0
    turned_away: int = 0


@dataclass
class Visitor:
    """One of the people, for as long as it lasts. end: on the clock of ``time.perf_counter``."""

    web: Web
    rng: np.random.Generator
    seeds: Iterator[int]
    seen: Seen
    end: float
    pages: Sequence[str]
    roams: bool
    pause: tuple[float, float]

    async def last(self) -> None:
        """Come, and go on until the end; who roams leaves and comes back."""
        while time.perf_counter() < self.end:
            try:
                await self._visit()
            except FAILURES as failure:
                self.seen.errors.append(f"{type(failure).__name__} {failure}")
                await asyncio.sleep(1.0)
            if self.roams:
                await asyncio.sleep(min(self.rng.uniform(*AWAY), max(0.0, self.end - time.perf_counter())))

    async def _visit(self) -> None:
        while again := await asyncio.to_thread(self.web.enter, self.pages[0]):
            self.seen.turned_away += 1
            await asyncio.sleep(min(again, max(0.0, self.end - time.perf_counter())))
            if time.perf_counter() >= self.end:
                return
        path, how = self.web.address.replace("http", "ws", 1), {"max_size": None, "ping_interval": None}
        how |= {"compression": None, "additional_headers": self.web.cookies}
        async with (
            connect(f"{path}/_stcore/stream", **how) as socket,
            connect(f"{path}/lab-channel", **how) as quick,
        ):
            here = Person(socket=socket, path="", query="", web=self.web)
            ears = asyncio.create_task(here.listen())
            try:
                await self._walk(here, quick)
            finally:
                self.seen.errors += here.errors
                here.after(0, None)
                ears.cancel()
                with contextlib.suppress(asyncio.CancelledError, *FAILURES):
                    await ears
                await asyncio.gather(*here.tasks, return_exceptions=True)

    async def _walk(self, here: Person, quick: ClientConnection) -> None:
        """From page to page."""
        asks = crowd.Person(quick, 0)
        while time.perf_counter() < self.end:
            seed = next(self.seeds)
            brings = self.roams and self.rng.uniform() < BRING
            page = "classifier" if brings else str(self.rng.choice(self.pages))
            here.knob, here.span = KNOBS[page]
            await here.go(BRINGS if brings else page, seed)
            if brings:
                await here.bring()
                self.seen.brought += 1
            asks.seed, asks.page, asks.knob, asks.span = seed, page, *KNOBS[page]
            for _ in range(self.rng.integers(*STAYS) if self.roams else sys.maxsize):
                if not await self._pause():
                    return
                await self._move(here, None if brings else asks)
            if self.roams and self.rng.uniform() < LEAVES:
                return

    async def _pause(self) -> bool:
        """Whether there is time for another movement."""
        await asyncio.sleep(self.rng.uniform(*self.pause))
        return time.perf_counter() < self.end

    async def _move(self, here: Person, asks: crowd.Person | None) -> None:
        """One movement: over the channel, and at rest over Streamlit's connection, as a browser does."""
        share, here.rested = self.rng.uniform(), asks is not None
        if asks:
            await asks.move(share)
            self.seen.channel.append(asks.waits.pop())
        known = len(here.waits)
        await here.move(share)
        end = time.perf_counter() + PATIENCE
        while here.busy:
            if time.perf_counter() > end:
                raise TimeoutError(f"{here.path}: no answer to a movement")
            await asyncio.sleep(0.02)
        self.seen.page += here.waits[known:]
