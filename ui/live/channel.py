"""Answer browsers over a websocket of the lab, beside Streamlit's own.

A request holds a page, its settings as a link holds them, and what has been moved since. So it
needs no session, any server can answer it, and what is computed for it serves everybody. Of a
browser's requests only the newest is answered: at once with the essential work, then slice by slice
until all work is done or a newer request comes. A frame is all that a page shows at some settings.
When nobody waits, frames for the next stops of a slider are made ahead of its movement.
"""

import asyncio
import time
from collections import deque
from collections.abc import Coroutine, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import orjson
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from ui.classroom.visitor import visitor_word
from ui.compute import debounce
from ui.compute.runner import LONG_SLICE_SECONDS, SLICE_SECONDS
from ui.compute.scheduler import SHARED, FairQueue
from ui.live.frames import ClientState, Frame, make_frame
from ui.live.messages import MalformedError, Move, Request, parse_message
from ui.live.workers import Work, Workers
from ui.page.page import Page
from ui.server.security_headers import same_origin
from ui.widgets import assets

NAME = "lab-channel"
MOST_BYTES = 16_384
MOST_MESSAGES_PER_SECOND = 200
# Seconds after a frame within which a moving finger sends its next request.
LULL_SECONDS = 0.1
# The websocket's code for a connection that is closed because of what was sent.
REFUSED = 1008
# What is raised where something is sent to a browser that is gone.
_CLOSED_ALREADY = (RuntimeError, WebSocketDisconnect)


class Connection:
    """One browser's connection, with its newest request and the moves to make frames for ahead."""

    def __init__(self, socket: WebSocket, pages: Mapping[str, Page], workers: Workers):
        self._socket = socket
        self._pages = pages
        self._workers = workers
        # A browser without the cookie counts by its connection.
        self._browser = visitor_word(socket.cookies) or str(id(self))
        self._newest: Request  # set once a request has arrived
        self._request_arrived = asyncio.Event()
        self._ahead: deque[tuple[Request, Move]] = deque()
        self._ahead_arrived = asyncio.Event()
        self._client = ClientState()
        self._sending = asyncio.Lock()
        self._message_times: deque[float] = deque(maxlen=MOST_MESSAGES_PER_SECOND)

    async def serve(self) -> None:
        """Listen and answer until the connection ends."""
        tasks = [asyncio.create_task(self._answer()), asyncio.create_task(self._prefetch())]
        try:
            await self._listen()
        except MalformedError as fault:
            with suppress(*_CLOSED_ALREADY):
                await self._socket.close(REFUSED, str(fault))
        except WebSocketDisconnect:
            pass
        finally:
            for task in tasks:
                task.cancel()

    async def _listen(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            self._check_rate()
            text = message.get("text") or ""
            # Characters first, because encoding a message of megabytes would double its memory.
            if len(text) > MOST_BYTES or len(text.encode()) > MOST_BYTES:
                raise MalformedError("a message is too long")
            request, moves_ahead = parse_message(text, self._pages)
            if moves_ahead is None:
                self._newest = request
                self._request_arrived.set()
            else:
                self._ahead = deque((request, move) for move in moves_ahead)
                self._ahead_arrived.set()

    def _check_rate(self) -> None:
        """Raise MalformedError if too many messages came within a second."""
        now = time.monotonic()
        times = self._message_times
        if len(times) == MOST_MESSAGES_PER_SECOND and now - times[0] < 1:
            raise MalformedError("too many messages")
        times.append(now)

    async def _answer(self) -> None:
        """Answer the newest request, then continue with it until a newer one comes."""
        while True:
            await self._request_arrived.wait()
            debounce.record_activity(self)
            request, frame = await self._workers.submit(self._browser, self._choose_newest)
            done = await self._send_frame(request, frame)
            if done < 1:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._request_arrived.wait(), LULL_SECONDS)
                await self._continue(request)

    def _choose_newest(self) -> Work:
        """Return the work for the newest request, when the turn of this browser comes.

        So a person who moves on meanwhile waits for one answer only.
        """
        self._request_arrived.clear()
        request = self._newest
        return lambda: (request, make_frame(request, 0))

    async def _continue(self, request: Request) -> None:
        """Send a frame after each slice of work, until all is done or a newer request comes."""
        seconds = SLICE_SECONDS
        done = 0.0
        while done < 1 and not self._request_arrived.is_set():
            work = partial(make_frame, request, seconds)
            seconds = min(seconds + SLICE_SECONDS, LONG_SLICE_SECONDS)
            frame = await self._unless_newer(self._workers.submit_deferred(work))
            if self._request_arrived.is_set():
                return
            done = await self._send_frame(request, frame)

    async def _unless_newer(self, work: Coroutine) -> Any:
        """Return the result of ``work``, which is cancelled as soon as a newer request comes."""
        work_task = asyncio.create_task(work)
        newer_task = asyncio.create_task(self._request_arrived.wait())
        try:
            await asyncio.wait([work_task, newer_task], return_when=asyncio.FIRST_COMPLETED)
            if work_task.done():
                return work_task.result()
            return None
        finally:
            work_task.cancel()
            newer_task.cancel()

    async def _prefetch(self) -> None:
        """Make frames for the next stops of a slider, ahead of its movement, while nobody waits."""
        while True:
            await self._ahead_arrived.wait()
            self._ahead_arrived.clear()
            while self._ahead:
                request, move = self._ahead.popleft()
                next_request = request.after(move)
                frame = await self._workers.run_when_idle(
                    self._browser, make_frame, next_request, 0
                )
                await self._send_frame(next_request, frame)

    async def _send_frame(self, request: Request, frame: Frame | None) -> float:
        """Send what differs from the last frame; return the share of the work that is done.

        Without a frame the browser asks for a run of the page, and the share is 1.
        """
        async with self._sending:
            if frame is None:
                await self._send({**request.about, "ordinary": True})
                return 1.0
            await self._send({**request.about, **self._client.diff(frame)})
            return frame.done

    async def _send(self, message: Mapping[str, Any]) -> None:
        # A closed connection is ended by the listener.
        with suppress(*_CLOSED_ALREADY):
            await self._socket.send_text(orjson.dumps(message).decode())


class Channel:
    """The channel of an app with these pages."""

    def __init__(self, pages: Iterable[Page], *, queue: FairQueue = SHARED):
        self._pages = {page.name: page for page in pages}
        self._queue = queue
        self._workers: Workers | None = None

    async def connect(self, socket: WebSocket) -> None:
        """Serve one browser as long as it stays."""
        if not same_origin(socket.headers):
            await socket.close(REFUSED)
            return
        if self._workers is None:
            # Its locks belong to the event loop that runs now.
            self._workers = Workers(self._queue)
        await socket.accept()
        await Connection(socket, self._pages, self._workers).serve()

    def close(self) -> None:
        """Wait for the work that runs."""
        if self._workers is not None:
            self._workers.close()

    def route(self) -> WebSocketRoute:
        """Return the channel's route, below the path at which the app is served."""
        return WebSocketRoute(f"{assets.base()}/{NAME}", self.connect)
