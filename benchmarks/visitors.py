"""Simulate people who roam: they open pages, go on to others, leave, come back and upload a table.

`scripts/load.py` uses them.
"""

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import WebSocketException

from benchmarks.people import XSRF, Member

# Page -> its first slider, and the values that people move it to.
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
BRINGS, NOTES, OPENS = (
    "data",
    "Use the bounds from the sample's notes",
    "Classifier with these rows",
)
EDGE = "edge-of-the-table"
# Of who roams: movements on a page, seconds away, the share of pages to which they bring a table,
# and of those after which they leave.
STAYS, AWAY, BRING, LEAVES = (5, 25), (1.0, 20.0), 0.1, 0.5
FAILURES = (TimeoutError, OSError, WebSocketException)


@dataclass
class Person(Member):
    """Goes to pages, presses buttons that can be pressed (by their labels), uploads.

    running: whether a run was asked for and has not ended. Nobody leaves or presses before: what
    still comes of a page that was left, a browser has taken down.
    """

    running: bool = False
    pages: dict[str, str] = field(default_factory=dict)
    buttons: dict[str, str] = field(default_factory=dict)
    uploader: str = ""
    uploading: asyncio.Future | None = None

    def told_of(self, message: ForwardMsg, kind: str) -> None:
        if (
            kind == "script_finished"
            and message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        ):
            return  # the run that it makes way for follows
        super().told_of(message, kind)
        if kind == "navigation":
            self.pages = {
                page.url_pathname: page.page_script_hash for page in message.navigation.app_pages
            }
        elif kind == "file_urls_response" and self.uploading:
            self.uploading.set_result(message.file_urls_response.file_urls[0])

    async def ask(self, **how: object) -> None:
        self.running = True
        await super().ask(**how)

    def finished(self) -> None:
        super().finished()
        self.running = False

    def drawn(self, delta: Delta) -> None:
        super().drawn(delta)
        element = delta.new_element
        if element.WhichOneof("type") == "file_uploader":
            self.uploader = element.file_uploader.id
        elif element.WhichOneof("type") == "button":
            self.buttons.pop(element.button.label, None)
            if not element.button.disabled:
                self.buttons[element.button.label] = element.button.id

    def will(self, page: str, seed: int) -> None:
        """The next page is this one; of the one before nothing is on its way, and nothing is
        pressed.
        """
        self.path, self.page, self.query = page, self.pages.get(page, ""), f"seed={seed}"
        self.slider, self.span = SLIDERS.get(page, (self.slider, self.span))
        self.after(0, None)
        self.flying, self.waiting, self.panel, self.about, self.uploader = None, None, "", {}, ""
        self.since.clear()
        self.done, self.owes = 1.0, {}
        self.buttons.clear()

    async def go(self, page: str, seed: int) -> None:
        """Open a page in this session."""
        await self.until(lambda: not self.running)
        self.will(page, seed)
        await self.ask()
        await self.until(
            lambda: self.uploader if page == BRINGS else self.about and self.about["page"] == page
        )

    async def press(self, label: str) -> None:
        """A button, once there is one and the page is at rest."""
        await self.until(lambda: label in self.buttons and not self.running)
        await self.ask(id=self.buttons.pop(label), trigger_value=True)

    async def bring(self) -> None:
        """Upload the table on the page for it, take its notes' bounds, and open it with the
        classifier.

        Buttons of a table that was brought before are forgotten.
        """
        await self.until(lambda: not self.running)
        self.buttons.clear()
        data, asked = TABLE.read_bytes(), BackMsg()
        asked.file_urls_request.request_id = asked.file_urls_request.session_id = self.session
        asked.file_urls_request.file_names.append(TABLE.name)
        self.uploading = asyncio.get_running_loop().create_future()
        await self.socket.send(asked.SerializeToString())
        await self.until(self.uploading.done)
        urls, self.uploading = self.uploading.result(), None
        await asyncio.to_thread(self.put, urls.upload_url, data)
        message, self.running = BackMsg(), True
        run = message.rerun_script
        run.page_name, run.page_script_hash, run.query_string = self.path, self.page, self.query
        held = run.widget_states.widgets.add(id=self.uploader).file_uploader_state_value
        held.uploaded_file_info.add(
            file_id=urls.file_id, name=TABLE.name, size=len(data)
        ).file_urls.CopyFrom(urls)
        await self.socket.send(message.SerializeToString())
        await self.press(NOTES)
        await self.press(OPENS)
        self.path, self.query = "classifier", ""
        self.slider, self.span = SLIDERS["classifier"]
        await self.until(lambda: self.panel)

    def put(self, path: str, data: bytes) -> None:
        """Upload the table as a browser does."""
        head = (
            f'--{EDGE}\r\nContent-Disposition: form-data; name="file"; filename="{TABLE.name}"\r\n'
        )
        body = (
            f"{head}Content-Type: text/csv\r\n\r\n".encode() + data + f"\r\n--{EDGE}--\r\n".encode()
        )
        said = {
            "Content-Type": f"multipart/form-data; boundary={EDGE}",
            "X-Xsrftoken": self.jar.get(XSRF, ""),
        }
        status, _, _ = self.request("PUT", f"/{path.lstrip('/')}", body, **said)
        if status >= 400:
            raise OSError(f"an upload is answered by {status}")


@dataclass
class Seen:
    """What all have met: seconds to each answer on the channel, and of each run that follows; what
    went wrong.
    """

    answers: list[float] = field(default_factory=list)
    runs: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    brought: int = 0


@dataclass
class Visitor:
    """One of the people, for as long as it lasts. end: on the clock of ``time.perf_counter``."""

    person: Person
    rng: np.random.Generator
    seeds: Iterator[int]
    seen: Seen
    end: float
    pages: Sequence[str]
    roams: bool
    pause: tuple[float, float]

    @property
    def left(self) -> float:
        """Seconds until the end."""
        return max(0.0, self.end - time.perf_counter())

    async def last(self) -> None:
        """Come, and go on until the end; who roams leaves and comes back."""
        await asyncio.sleep(min(self.rng.uniform(0, self.pause[1]), self.left))
        while self.left:
            try:
                await self._visit()
            except FAILURES as failure:
                self.seen.errors.append(f"{self.person.path}: {type(failure).__name__} {failure}")
                await asyncio.sleep(min(1.0, self.left))
            finally:
                await self.person.goes()
            if self.roams:
                await asyncio.sleep(min(self.rng.uniform(*AWAY), self.left))

    async def _visit(self) -> None:
        self.person.will(self._any_page(), next(self.seeds))
        self.person.page = ""
        await self.person.enter()
        await self.person.opens()
        while await self._stay() and not (self.roams and self.rng.uniform() < LEAVES):
            brings = self.rng.uniform() < BRING
            await self.person.go(BRINGS if brings else self._any_page(), next(self.seeds))
            if brings:
                await self.person.bring()
                self.seen.brought += 1

    def _any_page(self) -> str:
        return str(self.rng.choice(self.pages))

    async def _stay(self) -> bool:
        """Some movements on a page; whether there is time for another page."""
        for _ in range(self.rng.integers(*STAYS) if self.roams else sys.maxsize):
            await asyncio.sleep(min(self.rng.uniform(*self.pause), self.left))
            if not self.left:
                return False
            low, high = self.person.span
            value = float(f"{low * (high / low) ** self.rng.uniform():.5g}")
            if self.person.about:  # else the channel leaves a file of one's own to the page
                await self.person.moves(value)
            await self.person.rest_at(value)
        return True
