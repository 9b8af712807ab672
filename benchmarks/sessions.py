"""Open pages of a bare Streamlit app and of the lab by Streamlit's protocol, without a browser.

A panel of the lab does what `ui/widgets/frontend/sliders/sender.js` does: one movement on its way
at a time, a request for more work after 100 ms of quiet, and a run of the whole page after the
pause that the panel names.
"""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection

# As in sender.js, in seconds: until a message counts as lost, the longest such time after several
# losses, and the quiet time before more work is requested.
LOST = 2.0
LONGEST = 16.0
LULL = 0.1
EPSILONS = (0.01, 100.0)
# The first number of a panel's messages grows with the time, so that a page that is loaded anew
# has higher ones: four numbers a millisecond.
NUMBERS_A_SECOND = 4000
# The bare slider has this many steps.
BARE_STEPS = 1000


@dataclass
class Session:
    """One open page, by Streamlit's protocol.

    socket: the connection. path, query: the address of the page. page: Streamlit's hash of it.
    waits: seconds from each movement to its answer. errors: what went wrong, in words.
    opened: when everybody's page had loaded. ready: set when a run of the page has ended.
    """

    socket: ClientConnection | None
    path: str
    query: str
    page: str = ""
    waits: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    opened: float = 0.0
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        """Handle all messages of the server, until the connection ends."""
        async for raw in self.socket:
            message = ForwardMsg.FromString(raw)
            self.handle(message, message.WhichOneof("type"))

    def handle(self, message: ForwardMsg, kind: str) -> None:
        """Handle a message of this kind."""
        if kind == "navigation":
            self.page = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta":
            self.handle_delta(message.delta)
        elif kind == "script_finished":
            self.end_run()

    def handle_delta(self, delta: Delta) -> None:
        """Handle a new element of the page."""
        if delta.new_element.WhichOneof("type") == "exception":
            self.errors.append(delta.new_element.exception.message)

    def end_run(self) -> None:
        """Handle the end of a run."""
        self.ready.set()

    async def request_run(self, *, fragment: str = "", **widget: Any) -> None:
        """Request a run of the page or of a fragment, with the state of a widget that has changed.

        widget: its ``id`` and one field of the widget state, by Streamlit's name.
        """
        message = BackMsg()
        run = message.rerun_script
        run.page_name = self.path
        run.page_script_hash = self.page
        run.fragment_id = fragment
        run.query_string = self.query
        if widget:
            state = run.widget_states.widgets.add(id=widget.pop("id"))
            for name, value in widget.items():
                if isinstance(value, list):
                    getattr(state, name).data.extend(value)
                else:
                    setattr(state, name, value)
        await self.socket.send(message.SerializeToString())


@dataclass
class BareSession(Session):
    """A person on the page with one slider and one chart.

    slider: Streamlit's name of the slider. moved_at: when the movement without an answer was made.
    """

    slider: str = ""
    moved_at: float | None = None

    def handle_delta(self, delta: Delta) -> None:
        super().handle_delta(delta)
        kind = delta.new_element.WhichOneof("type")
        if kind == "slider":
            self.slider = delta.new_element.slider.id
        elif kind == "plotly_chart" and self.moved_at is not None:
            self.waits.append(time.perf_counter() - self.moved_at)
            self.moved_at = None

    @property
    def is_busy(self) -> bool:
        return self.moved_at is not None

    async def move(self, share: float) -> None:
        """Move the slider to this share of its range."""
        if self.moved_at is None:
            self.moved_at = time.perf_counter()
        await self.request_run(
            id=self.slider, double_array_value=[float(round(BARE_STEPS * share))]
        )


@dataclass
class LabSession(Session):
    """A person on a page of the lab, whose panel does what ``Sender`` of sender.js does.

    slider, span: the slider that is moved, and the ends of its values.
    panel, fragment: Streamlit's names of the panel and its fragment.
    next_sequence, newest_sequence: numbers of the next message and of the newest one sent.
    in_flight: the message that has no answer yet.
    waiting: the value to send next, and when the first movement that it covers was made.
    moved_at: when the last movement was made. sent_at: number of a message -> when it was due.
    patience: seconds until a message counts as lost. timer: the only timer. tasks: messages that
    are being sent.
    """

    slider: str = "epsilon"
    span: tuple[float, float] = EPSILONS
    panel: str = ""
    fragment: str = ""
    next_sequence: int = field(default_factory=lambda: int(time.time() * NUMBERS_A_SECOND))
    newest_sequence: int = -1
    in_flight: dict[str, Any] | None = None
    waiting: tuple[float, float] | None = None
    moved_at: float = 0.0
    sent_at: dict[int, float] = field(default_factory=dict)
    patience: float = LOST
    timer: asyncio.TimerHandle | None = None
    tasks: set[asyncio.Task] = field(default_factory=set)

    def handle_delta(self, delta: Delta) -> None:
        super().handle_delta(delta)
        component = delta.new_element.bidi_component
        if component.component_name.endswith(".sliders"):
            self.panel = component.id
            self.fragment = delta.fragment_id
            self.handle_panel(json.loads(component.json))

    @property
    def is_busy(self) -> bool:
        return bool(self.waiting or self.sent_at)

    async def move(self, share: float) -> None:
        """Move the slider to this share of its range."""
        self.moved_at = time.perf_counter()
        low, high = self.span
        first_moved_at = self.moved_at
        if self.waiting:
            _, first_moved_at = self.waiting
        self.waiting = (low * (high / low) ** share, first_moved_at)
        is_only_tick = self.in_flight and self.in_flight["tick"] and not self.in_flight["page"]
        if not self.in_flight or is_only_tick:
            self.send_waiting()

    def handle_panel(self, data: dict[str, Any]) -> None:
        """Handle a new panel, which names the newest message that it contains."""
        acknowledged = data["ack"]
        now = time.perf_counter()
        for sequence in [sequence for sequence in self.sent_at if sequence <= acknowledged]:
            self.waits.append(now - self.sent_at.pop(sequence))
        if self.in_flight and acknowledged >= self.in_flight["seq"]:
            self.in_flight = None
            self.patience = max(LOST, self.patience / 2)
            self.set_timer(0, None)
        if self.in_flight:
            return
        if self.waiting:
            self.send_waiting()
        elif acknowledged >= self.newest_sequence:
            self.request_rest(work=data["pending"], page=data["behind"] / 1000)

    def request_rest(self, *, work: bool, page: float) -> None:
        """Request what is owed once nothing has moved for a while.

        work: whether there is work left. page: seconds of rest before a run of the whole page, or 0
        for no run.
        """
        if not (work or page):
            return
        still = time.perf_counter() - self.moved_at
        is_page_due = page > 0 and (still >= page or not work)
        pause = LULL
        if is_page_due:
            pause = page
        self.set_timer(pause - still, lambda: self.send(tick=True, page=is_page_due))

    def send_waiting(self) -> None:
        """Send the value that waits."""
        value, first_moved_at = self.waiting
        self.waiting = None
        sequence = self.send(name=self.slider, value=value)
        self.sent_at[sequence] = first_moved_at

    def send(
        self, *, name: str = "", value: float = 0, tick: bool = False, page: bool = False
    ) -> int:
        """Send a message of the panel, and return its number."""
        self.newest_sequence = self.next_sequence
        self.next_sequence += 1
        self.in_flight = {
            "name": name,
            "value": value,
            "tick": tick,
            "page": page,
            "final": False,
            "seq": self.newest_sequence,
        }
        self.set_timer(self.patience, self.resend_lost)
        movement = json.dumps({"movement": self.in_flight})
        request = self.request_run(fragment=self.fragment, id=self.panel, json_value=movement)
        task = asyncio.ensure_future(request)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return self.newest_sequence

    def resend_lost(self) -> None:
        """Send the newest value again, as the run was dropped or is slow, and wait longer."""
        lost = {name: self.in_flight[name] for name in ("name", "value", "tick", "page")}
        self.in_flight = None
        self.patience = min(2 * self.patience, LONGEST)
        if self.waiting:
            self.send_waiting()
        else:
            self.send(**lost)

    def set_timer(self, seconds: float, function: Callable[[], object] | None) -> None:
        """Replace the timer by one that calls ``function``, or by none."""
        if self.timer:
            self.timer.cancel()
        self.timer = None
        if function:
            self.timer = asyncio.get_running_loop().call_later(max(0.0, seconds), function)
