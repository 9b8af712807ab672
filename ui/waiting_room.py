"""Who comes when the process is full waits at the door, on a page that costs next to nothing, in the order of coming.

Full is a process where of twenty people one waits longer than `LAB_LONGEST_WAIT` seconds for an answer, or would, once
those who were let in last have asked for theirs. Who is in stays in, also after a reload, and on any other process
behind the same address: a cookie of theirs says so. It is no lock: who forges the cookie is in.
"""

import html
import math
import os
import re
import secrets
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui import busy, static_files
from ui.live import serving

NAME = "lab-busy"
# Cookies: of who is in, of who waits since when, and of the process that Caddy has chosen (`scripts/Caddyfile`), which
# who waits forgets, so that the next one may have room for them. The first is a random word, by which rooms of a class
# tell one browser from another.
INSIDE, TURN, REPLICA = "lab_inside", "lab_turn", "lab_replica"
# So few pages are never too many, whatever they wait for.
FEW = 8
# Seconds: of what is allowed unless the environment says otherwise; that who is in may reload; that who was let in has
# until their page asks for a session; that who waits may miss two questions by, and remember when they came.
LONGEST_WAIT, STAYS, COMES, SILENT, WAITS = 4.0, 12 * 3600, 15.0, 5.0, 3600
# How many are remembered in their order, about how many of them ask within a second, and the seconds between two
# questions of one of them at most.
MOST_WAITING, ASKED_A_SECOND, MOST_AGAIN = 2000, 50, 40
_WORD = re.compile(r"[0-9a-f]{32}")
# What they see.
_PAGE = Template(Path(__file__).with_suffix(".html").read_text("utf-8"))
# Addresses of pages; those of files have a dot, or stand deeper.
_ADDRESS = re.compile(r"/[\w-]*")


def longest_wait(environment: Mapping[str, str] = os.environ) -> float:
    """Return the seconds of `LAB_LONGEST_WAIT`, infinite for 0. Raise ValueError where it is no number."""
    said = environment.get("LAB_LONGEST_WAIT", "").strip()
    try:
        seconds = float(said) if said else LONGEST_WAIT
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise ValueError(f"LAB_LONGEST_WAIT is {said!r}, but must be a number of seconds, or 0 for no limit")
    return seconds or math.inf


@dataclass(order=True)
class Turn:
    """When somebody came, in milliseconds, and a word of their own; ``until``: when they are gone, unless they ask."""

    came: int
    word: str
    until: float = field(default=0.0, compare=False)

    @classmethod
    def read(cls, cookie: str) -> "Turn":
        """Return the ticket of a cookie; a new one where the cookie has none that can be true."""
        came, _, word = cookie.partition("-")
        now = round(1000 * time.time())
        known = came.isdecimal() and len(came) <= 15 and now - 1000 * WAITS < int(came) <= now and word.isalnum()
        return cls(int(came), word[:16]) if known else cls(now, secrets.token_hex(8))

    def __str__(self) -> str:
        return f"{self.came}-{self.word}"


class Door:
    """Who waits to be let in, and who was let in and has no page yet. ``limit``: seconds that who is in may wait."""

    def __init__(self, limit: float):
        self.limit = limit
        self._line: dict[str, Turn] = {}
        self._coming: deque[float] = deque()

    @property
    def coming(self) -> int:
        """Return how many were let in and have no page yet."""
        while self._coming and self._coming[0] < time.monotonic() - COMES:
            self._coming.popleft()
        return len(self._coming)

    def wait(self) -> float:
        """Return the seconds that an answer takes: as measured, or as what is at work and awaited will take."""
        return max(busy.p95(), busy.RUNS.expected(busy.RUNS.waiting + self.coming))

    def room(self) -> float:
        """Return for how many more there is room."""
        few = FEW - len(busy.PAGES) - self.coming
        spare = (self.limit - self.wait()) / busy.RUNS.expected(1)
        return max(few, spare, 0)

    def ask(self, turn: Turn) -> int | None:
        """Return None if they may come in; else how many wait who came before."""
        now = time.monotonic()
        self._line = {word: one for word, one in self._line.items() if one.until > now}
        before = sum(one < turn for one in self._line.values() if one.word != turn.word)
        if before + 1 <= self.room():
            self._line.pop(turn.word, None)
            busy.at_the_door = len(self._line)
            self._coming.append(now)
            return None
        if len(self._line) < MOST_WAITING or turn.word in self._line:
            turn.until = now + 2 * self.again + SILENT
            self._line[turn.word] = turn
        busy.at_the_door = len(self._line)
        return before

    def arrived(self) -> None:
        """Note that somebody's page has asked for its session."""
        if self.coming:
            self._coming.popleft()

    @property
    def again(self) -> int:
        """Return the seconds until who waits should ask again: later the more there are."""
        return min(3 + len(self._line) // ASKED_A_SECOND, MOST_AGAIN)


def said(wait: float, before: int) -> str:
    """Return how it stands, for who waits at the door."""
    seconds = "a second" if wait < 1.5 else f"{wait:.0f} seconds"
    others = {0: "You are the next", 1: "1 other came before you"}.get(before, f"{before} others came before you")
    pages = "1 page is" if len(busy.PAGES) == 1 else f"{len(busy.PAGES)} pages are"
    return f"{pages} open, and an answer takes about {seconds}. {others}."


def page(words: str, again: int) -> str:
    """Return what who waits at the door sees."""
    script = serving.address("connection", "newcomer.js")
    return _PAGE.substitute(look=static_files.look(), words=html.escape(words), again=again, script=script)


class Admission:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._door = Door(longest_wait())
        self._base = serving.base()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or answer at the door."""
        path = scope.get("path", "")
        if scope["type"] == "websocket" and path == f"{self._base}/_stcore/stream":
            await self._visited(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] == "GET" and path == f"{self._base}/{NAME}":
            await self._told(scope)(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] == "GET" and self._page(scope):
            await self._asked(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _page(self, scope: Scope) -> bool:
        page = _ADDRESS.fullmatch(scope["path"].removeprefix(self._base))
        return page is not None and "text/html" in Headers(scope=scope).get("accept", "")

    def _turn(self, scope: Scope) -> tuple[Turn, int | None]:
        """Return the ticket of a visitor, and how many wait before them; None if they may come in."""
        sent = HTTPConnection(scope).cookies
        turn = Turn.read(sent.get(TURN, ""))
        return turn, None if INSIDE in sent else self._door.ask(turn)

    async def _visited(self, scope: Scope, receive: Receive, send: Send) -> None:
        here = object()
        busy.PAGES.add(here)
        self._door.arrived()
        try:
            await self._app(scope, receive, send)
        finally:
            busy.PAGES.discard(here)

    def _told(self, scope: Scope) -> Response:
        """Return how it stands; with ``enter``, somebody at the door asks whether there is room now."""
        runs = busy.RUNS
        told = {"waiting": runs.waiting, "seconds": runs.expected(runs.waiting)}
        if scope["query_string"] != b"enter":
            return JSONResponse(told)
        turn, before = self._turn(scope)
        if before is None:
            return self._keep(JSONResponse({"enter": True}), scope)
        answer = JSONResponse({"enter": False, "says": said(self._door.wait(), before), "again": self._door.again})
        return self._hold(answer, turn)

    async def _asked(self, scope: Scope, receive: Receive, send: Send) -> None:
        turn, before = self._turn(scope)
        if before is not None:
            again = self._door.again
            words = page(said(self._door.wait(), before), again)
            headers = {"Retry-After": str(again), "Cache-Control": "no-store"}
            answer = self._hold(HTMLResponse(words, status_code=503, headers=headers), turn)
            await answer(scope, receive, send)
            return
        kept = self._keep(Response(), scope).headers.getlist("set-cookie")

        async def say(message: Message) -> None:
            if message["type"] == "http.response.start":
                for cookie in kept:
                    MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        await self._app(scope, receive, say)

    def _keep(self, answer: Response, scope: Scope) -> Response:
        word = browser(HTTPConnection(scope).cookies) or secrets.token_hex(16)
        answer.set_cookie(INSIDE, word, max_age=STAYS, path=self._base or "/", httponly=True, samesite="lax")
        answer.delete_cookie(TURN, path=self._base or "/")
        return answer

    def _hold(self, answer: Response, turn: Turn) -> Response:
        """Let them keep their turn, with which they may be sent to another process."""
        answer.set_cookie(TURN, str(turn), max_age=WAITS, path=self._base or "/", httponly=True, samesite="lax")
        answer.delete_cookie(REPLICA)
        return answer


def browser(sent: Mapping[str, str]) -> str:
    """Return the random word of a browser that has sent these cookies, or "" if it has none."""
    word = sent.get(INSIDE, "")
    return word if _WORD.fullmatch(word) else ""
