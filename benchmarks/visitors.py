"""Simulate people who roam: they open pages, go on to others, leave, come back and upload a table.

`scripts/load.py` uses them.
"""

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.client import BAD_REQUEST
from pathlib import Path

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import WebSocketException

from benchmarks.people import Person, value_at

# Page -> its first slider, and the values to which people move it.
SLIDERS = {
    "classifier": ("epsilon", (0.05, 50.0)),
    "mechanisms": ("epsilon", (0.05, 50.0)),
    "regression": ("epsilon", (0.05, 50.0)),
    "accounting": ("noise_multiplier", (0.5, 50.0)),
    "transfer": ("epsilon", (0.1, 20.0)),
    "parties": ("epsilon", (0.1, 50.0)),
    "network": ("epsilon", (0.2, 20.0)),
}
TABLE = Path(__file__).parents[1] / "sample_data/customers.csv"
# The page that takes the table, and the labels of the buttons that are pressed there.
UPLOAD_PAGE = "data"
USE_BOUNDS = "Use the bounds from the sample's notes"
OPEN_CLASSIFIER = "Classifier with these rows"
# Of people who roam: movements on a page and seconds away, lowest and highest, the share of pages
# to which they upload a table, and the share of pages after which they leave.
MOVEMENTS = (5, 25)
SECONDS_AWAY = (1.0, 20.0)
UPLOAD_SHARE = 0.1
LEAVE_SHARE = 0.5
FAILURES = (TimeoutError, OSError, WebSocketException)


@dataclass
class RoamingPerson(Person):
    """A person who goes to other pages, presses buttons and uploads a table.

    is_running: whether a run was requested that has not ended. Nobody leaves or presses meanwhile,
    because a browser would have removed what still arrives of the page before.
    pages: name of a page -> Streamlit's hash. buttons: label -> Streamlit's name of the buttons
    that can be pressed. uploader: Streamlit's name of the place for files. upload_urls: the answer
    to a request for addresses of an upload.
    """

    is_running: bool = False
    pages: dict[str, str] = field(default_factory=dict)
    buttons: dict[str, str] = field(default_factory=dict)
    uploader: str = ""
    upload_urls: asyncio.Future | None = None

    def handle(self, message: ForwardMsg, kind: str) -> None:
        gives_way = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        if kind == "script_finished" and gives_way:
            return  # The run that it gives way to follows.
        super().handle(message, kind)
        if kind == "navigation":
            pages = message.navigation.app_pages
            self.pages = {page.url_pathname: page.page_script_hash for page in pages}
        elif kind == "file_urls_response" and self.upload_urls:
            self.upload_urls.set_result(message.file_urls_response.file_urls[0])

    def handle_delta(self, delta: Delta) -> None:
        super().handle_delta(delta)
        element = delta.new_element
        kind = element.WhichOneof("type")
        if kind == "file_uploader":
            self.uploader = element.file_uploader.id
        elif kind == "button":
            self.buttons.pop(element.button.label, None)
            if not element.button.disabled:
                self.buttons[element.button.label] = element.button.id

    async def request_run(self, **arguments: object) -> None:
        self.is_running = True
        await super().request_run(**arguments)

    def end_run(self) -> None:
        super().end_run()
        self.is_running = False

    def prepare_page(self, page: str, seed: int) -> None:
        """Make this page the next one, and forget everything of the one before."""
        self.path = page
        self.page = self.pages.get(page, "")
        self.query = f"seed={seed}"
        if page in SLIDERS:
            self.slider, self.span = SLIDERS[page]
        self.set_timer(0, None)
        self.in_flight = None
        self.waiting = None
        self.panel = ""
        self.base = {}
        self.uploader = ""
        self.sent_at.clear()
        self.buttons.clear()
        self.forget_work()

    async def open_page(self, page: str, seed: int) -> None:
        """Open a page in this session."""

        def has_arrived() -> bool:
            if page == UPLOAD_PAGE:
                return bool(self.uploader)
            return bool(self.base) and self.base["page"] == page

        await self.wait_until(lambda: not self.is_running)
        self.prepare_page(page, seed)
        await self.request_run()
        await self.wait_until(has_arrived)

    async def press(self, label: str) -> None:
        """Press a button, once it can be pressed and the page is at rest."""
        await self.wait_until(lambda: label in self.buttons and not self.is_running)
        await self.request_run(id=self.buttons.pop(label), trigger_value=True)

    async def upload_table(self) -> None:
        """Upload the table on its page, take the bounds of its notes, and open the classifier."""
        await self.wait_until(lambda: not self.is_running)
        # Buttons of a table that was uploaded before are still known.
        self.buttons.clear()
        table = TABLE.read_bytes()
        urls = await self._request_upload_urls()
        await asyncio.to_thread(self._put, urls.upload_url, table)

        message = BackMsg()
        run = message.rerun_script
        run.page_name = self.path
        run.page_script_hash = self.page
        run.query_string = self.query
        state = run.widget_states.widgets.add(id=self.uploader).file_uploader_state_value
        file = state.uploaded_file_info.add(file_id=urls.file_id, name=TABLE.name, size=len(table))
        file.file_urls.CopyFrom(urls)
        self.is_running = True
        await self.socket.send(message.SerializeToString())

        await self.press(USE_BOUNDS)
        await self.press(OPEN_CLASSIFIER)
        self.path = "classifier"
        self.query = ""
        self.slider, self.span = SLIDERS["classifier"]
        await self.wait_until(lambda: self.panel)

    async def _request_upload_urls(self):
        """Return Streamlit's addresses for an upload."""
        message = BackMsg()
        message.file_urls_request.request_id = self.session
        message.file_urls_request.session_id = self.session
        message.file_urls_request.file_names.append(TABLE.name)
        self.upload_urls = asyncio.get_running_loop().create_future()
        await self.socket.send(message.SerializeToString())
        await self.wait_until(self.upload_urls.done)
        urls = self.upload_urls.result()
        self.upload_urls = None
        return urls

    def _put(self, path: str, table: bytes) -> None:
        """Upload the table. Raises OSError if it is refused."""
        body, headers = self.form(table, TABLE.name)
        status, _ = self.request("PUT", f"/{path.lstrip('/')}", body, **headers)
        if status >= BAD_REQUEST:
            raise OSError(f"an upload is answered by {status}")


@dataclass
class Record:
    """What all visitors met.

    answers: seconds to each answer on the channel. runs: seconds of each run of a page.
    uploads: number of uploaded tables.
    """

    answers: list[float] = field(default_factory=list)
    runs: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    uploads: int = 0


@dataclass(kw_only=True)
class Visitor:
    """A simulated visitor, active until ``end``.

    seeds: the next seeds of pages. end: on the clock of ``time.perf_counter``.
    pages: names of the pages to choose from. roams: whether the visitor changes pages, leaves and
    comes back. pause: seconds between two movements, lowest and highest.
    """

    person: RoamingPerson
    rng: np.random.Generator
    seeds: Iterator[int]
    record: Record
    end: float
    pages: Sequence[str]
    roams: bool
    pause: tuple[float, float]

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.end - time.perf_counter())

    async def run(self) -> None:
        """Visit the lab until the end."""
        _, longest_pause = self.pause
        await self._sleep(self.rng.uniform(0, longest_pause))
        while self.seconds_left:
            try:
                await self._visit()
            except FAILURES as failure:
                error = f"{self.person.path}: {type(failure).__name__} {failure}"
                self.record.errors.append(error)
                await self._sleep(1.0)
            finally:
                await self.person.disconnect()
            if self.roams:
                await self._sleep(self.rng.uniform(*SECONDS_AWAY))

    async def _sleep(self, seconds: float) -> None:
        """Sleep, but not beyond the end."""
        await asyncio.sleep(min(seconds, self.seconds_left))

    async def _visit(self) -> None:
        """Open a page in a new session and use it; who roams goes on to others."""
        self.person.prepare_page(self._random_page(), next(self.seeds))
        self.person.page = ""
        await self.person.fetch_page()
        await self.person.connect()
        while await self._use_page():
            if self.roams and self.rng.uniform() < LEAVE_SHARE:
                return
            if self.rng.uniform() < UPLOAD_SHARE:
                await self.person.open_page(UPLOAD_PAGE, next(self.seeds))
                await self.person.upload_table()
                self.record.uploads += 1
            else:
                await self.person.open_page(self._random_page(), next(self.seeds))

    def _random_page(self) -> str:
        return str(self.rng.choice(self.pages))

    async def _use_page(self) -> bool:
        """Move the slider some times, and return whether there is time for another page."""
        movements = sys.maxsize
        if self.roams:
            movements = int(self.rng.integers(*MOVEMENTS))
        for _ in range(movements):
            await self._sleep(self.rng.uniform(*self.pause))
            if not self.seconds_left:
                return False
            value = value_at(self.rng.uniform(), self.person.span)
            # The channel leaves an uploaded file to Streamlit.
            if self.person.base:
                await self.person.move_on_channel(value)
            await self.person.run_page(value)
        return True
