"""Measure how long 25 and 100 people at once wait for a picture, next to a bare Streamlit page.

    make bench ARGS=load

Simulated people speak Streamlit's protocol over websockets, each with another seed, so that nothing
comes from the cache. A person moves the first slider to a random value every one to two seconds.
The panel does what `ui/widgets/frontend/sliders/sender.js` does: one movement on its way at a time,
a request for more work after 100 ms of quiet, and a run of the whole page after the pause that the
panel names. No browser draws anything. All people arrive at the same time.

- *page*: the bare page or *Classifier*. *people*: their number.
- *all open*: seconds until everybody's page has loaded. *moves/s*: movements answered per second.
- *p50*, *p95*, *longest*: time from a movement to its answer. A movement is answered when the
  newest panel says that it contains the movement, and on the bare page when the chart has come.
- *errors*: number of failures.
"""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.latency import served
from benchmarks.report import Line, Outcome, Print, at_most, number, row

PEOPLE, CROWD = 25, 100
# Seconds: between two movements of a person, of one level, and until an answer is given up.
PAUSE, LEVEL, PATIENCE = (1.0, 2.0), 12.0, 60.0
# As in sender.js, in seconds.
LOST, LONGEST, LULL = 2.0, 16.0, 0.1
SLOWER_AT_MOST = 10.0
EPSILONS = (0.01, 100.0)

COLUMNS = ("page", "people", "all open", "moves/s", "p50", "p95", "longest", "errors")
WIDTHS = (12, 6, 8, 7, 8, 8, 8, 6)


@dataclass
class Visitor:
    """One open page. ``opened``: when all pages stood; ``waits``: seconds from a movement to its
    answer; ``errors``: what went wrong, in words.
    """

    socket: ClientConnection
    path: str
    query: str
    page: str = ""
    waits: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    opened: float = 0.0
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        """Hear what the server says, until it is all over."""
        async for raw in self.socket:
            message = ForwardMsg.FromString(raw)
            self.told_of(message, message.WhichOneof("type"))

    def told_of(self, message: ForwardMsg, kind: str) -> None:
        """A message of this kind has come."""
        if kind == "navigation":
            self.page = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta":
            self.drawn(message.delta)
        elif kind == "script_finished":
            self.finished()

    def drawn(self, delta: Delta) -> None:
        """An element has come."""
        if delta.new_element.WhichOneof("type") == "exception":
            self.errors.append(delta.new_element.exception.message)

    def finished(self) -> None:
        """A run has come to its end."""
        self.ready.set()

    async def ask(self, *, fragment: str = "", **widget: object) -> None:
        """Start a run, as the browser does: with the state of the widget that has moved."""
        message = BackMsg()
        run = message.rerun_script
        run.page_name, run.page_script_hash, run.fragment_id = self.path, self.page, fragment
        run.query_string = self.query
        if widget:
            state = run.widget_states.widgets.add(id=widget.pop("id"))
            for name, value in widget.items():
                getattr(state, name).data.extend(value) if isinstance(value, list) else setattr(
                    state, name, value
                )
        await self.socket.send(message.SerializeToString())


@dataclass
class Bare(Visitor):
    """On the page of one slider and one chart."""

    slider: str = ""
    since: float | None = None

    def drawn(self, delta: Delta) -> None:
        super().drawn(delta)
        kind = delta.new_element.WhichOneof("type")
        if kind == "slider":
            self.slider = delta.new_element.slider.id
        elif kind == "plotly_chart" and self.since is not None:
            self.waits.append(time.perf_counter() - self.since)
            self.since = None

    @property
    def busy(self) -> bool:
        return self.since is not None

    async def move(self, share: float) -> None:
        self.since = self.since or time.perf_counter()
        await self.ask(id=self.slider, double_array_value=[float(round(1000 * share))])


@dataclass
class Person(Visitor):
    """On a page of the lab: ``Sender`` of sender.js, for one ``slider`` and its values from low to
    high (``span``).

    ``flying`` is the message on its way; ``waiting`` the value to be sent next, and since when it
    waits.
    """

    slider: str = "epsilon"
    span: tuple[float, float] = EPSILONS
    panel: str = ""
    fragment: str = ""
    seq: int = field(default_factory=lambda: int(time.time() * 4000))
    newest: int = -1
    flying: dict | None = None
    waiting: tuple[float, float] | None = None
    moved_at: float = 0.0
    since: dict[int, float] = field(default_factory=dict)
    patience: float = LOST
    timer: asyncio.TimerHandle | None = None
    tasks: set[asyncio.Task] = field(default_factory=set)

    def drawn(self, delta: Delta) -> None:
        super().drawn(delta)
        shown = delta.new_element.bidi_component
        if shown.component_name.endswith(".sliders"):
            self.panel, self.fragment = shown.id, delta.fragment_id
            self.acknowledged(json.loads(shown.json))

    @property
    def busy(self) -> bool:
        return bool(self.waiting or self.since)

    async def move(self, share: float) -> None:
        self.moved_at = time.perf_counter()
        low, high = self.span
        self.waiting = (
            low * (high / low) ** share,
            self.waiting[1] if self.waiting else self.moved_at,
        )
        if not self.flying or (self.flying["tick"] and not self.flying["page"]):
            self.next()

    def acknowledged(self, data: dict) -> None:
        ack, now = data["ack"], time.perf_counter()
        for seq in [seq for seq in self.since if seq <= ack]:
            self.waits.append(now - self.since.pop(seq))
        if self.flying and ack >= self.flying["seq"]:
            self.flying, self.patience = None, max(LOST, self.patience / 2)
            self.after(0, None)
        if self.flying:
            return
        if self.waiting:
            self.next()
        elif ack >= self.newest:
            self.rest(work=data["pending"], page=data["behind"] / 1000)

    def rest(self, *, work: bool, page: float) -> None:
        """Ask for what is owed once nothing moves; ``page``: seconds of rest before that of the
        page, 0 for none.
        """
        if not (work or page):
            return
        still = time.perf_counter() - self.moved_at
        turn = page > 0 and (still >= page or not work)
        self.after((page if turn else LULL) - still, lambda: self.fly(tick=True, page=turn))

    def next(self) -> None:
        value, since = self.waiting
        self.waiting = None
        self.since[self.fly(name=self.slider, value=value)] = since

    def fly(
        self, *, name: str = "", value: float = 0, tick: bool = False, page: bool = False
    ) -> int:
        self.seq, self.newest = self.seq + 1, self.seq
        self.flying = {
            "name": name,
            "value": value,
            "tick": tick,
            "page": page,
            "final": False,
            "seq": self.newest,
        }
        self.after(self.patience, self.lost)
        asked = self.ask(
            fragment=self.fragment, id=self.panel, json_value=json.dumps({"movement": self.flying})
        )
        task = asyncio.ensure_future(asked)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return self.newest

    def lost(self) -> None:
        """No answer: the run was dropped, or is slow.

        What is not superseded is sent again, and waited for longer.
        """
        said = {name: self.flying[name] for name in ("name", "value", "tick", "page")}
        self.flying = None
        self.patience = min(2 * self.patience, LONGEST)
        if self.waiting:
            self.next()
        else:
            self.fly(**said)

    def after(self, seconds: float, then: Callable[[], object] | None) -> None:
        """Let the one timer ring then, and no more for what it was set to before."""
        if self.timer:
            self.timer.cancel()
        self.timer = (
            asyncio.get_running_loop().call_later(max(0.0, seconds), then) if then else None
        )


async def visit(
    kind: type,
    address: str,
    path: str,
    seed: int,
    *,
    together: asyncio.Barrier,
    seconds: float = LEVEL,
) -> Visitor:
    """One person comes, and when all have, moves a slider now and then for some seconds and waits for
    the last answer.
    """
    rng, query = np.random.default_rng(seed), f"seed={seed}" if path else ""
    uri = address.replace("http", "ws", 1) + "/_stcore/stream"
    async with connect(uri, max_size=None, ping_interval=None, compression=None) as socket:
        here = kind(socket=socket, path=path, query=query)
        ears = asyncio.create_task(here.listen())
        try:
            await here.ask()
            await asyncio.wait_for(here.ready.wait(), PATIENCE)
            await together.wait()
            here.opened = time.perf_counter()
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                await asyncio.sleep(rng.uniform(*PAUSE))
                await here.move(rng.uniform())
            await _answered(here)
        except (TimeoutError, OSError, asyncio.BrokenBarrierError) as failure:
            await together.abort()
            here.errors.append(f"{type(failure).__name__} {failure}")
        if ears.done():
            here.errors.append(f"the connection was lost: {ears.exception()}")
        ears.cancel()
        if isinstance(here, Person):
            here.after(0, None)
            await asyncio.gather(*here.tasks)
    return here


async def _answered(here: Bare | Person) -> None:
    end = time.perf_counter() + PATIENCE
    while here.busy:
        if time.perf_counter() > end:
            raise TimeoutError("no answer to the last movement")
        await asyncio.sleep(0.05)


async def level(
    kind: type, address: str, path: str, people: int, *, seed: int, seconds: float = LEVEL
):
    """``people`` at once: seconds until all pages stand, those that each movement waited, and what
    went wrong.
    """
    begin, together = time.perf_counter(), asyncio.Barrier(people)
    visits = [
        visit(kind, address, path, seed + place, together=together, seconds=seconds)
        for place in range(people)
    ]
    seen = await asyncio.gather(*visits)
    waits = np.array([wait for one in seen for wait in one.waits])
    return (
        max(one.opened for one in seen) - begin,
        waits,
        [error for one in seen for error in one.errors],
    )


def run(*, rounds: int, say: Print) -> Outcome:
    """Bare page and classifier in turns with ``PEOPLE``, then the classifier with ``CROWD``."""
    say(row(COLUMNS, WIDTHS))
    pages = {
        "bare": (Bare, "benchmarks/bare/bare.py", ""),
        "classifier": (Person, "app.py", "classifier"),
    }
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(served(script)) for name, (_, script, _) in pages.items()
        }

        def measure(name: str, people: int, turn: int) -> tuple[float, int]:
            """p95 and the number of errors of one level."""
            kind, _, path = pages[name]
            opened, waits, errors = asyncio.run(
                level(kind, servers[name], path, people, seed=1000 * (turn + 1))
            )
            p50, p95 = np.quantile(waits, (0.5, 0.95))
            times = [f"{number(1000 * one)} ms" for one in (p50, p95, waits.max())]
            say(
                row(
                    [
                        name,
                        people,
                        f"{number(opened)} s",
                        number(len(waits) / LEVEL),
                        *times,
                        len(errors),
                    ],
                    WIDTHS,
                )
            )
            for error in sorted(set(errors)):
                say(f"    {error}")
            return p95, len(errors)

        for name in pages:
            measure(name, 1, -1)  # what is imported and loaded once is not part of it
        turns = [{name: measure(name, PEOPLE, turn)[0] for name in pages} for turn in range(rounds)]
        errors = measure("classifier", CROWD, rounds)[1]
    ratios = [seen["classifier"] / seen["bare"] for seen in turns]
    return Outcome(
        lines=[
            at_most(
                f"{PEOPLE} people: p95 of the classifier over p95 of the bare page",
                SLOWER_AT_MOST,
                ratios,
            ),
            Line(asked=f"{CROWD} people: errors at most 0", measured=str(errors), met=errors == 0),
        ]
    )
