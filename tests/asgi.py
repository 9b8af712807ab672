"""ASGI apps, asked without a server."""

import asyncio
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp


async def inside(scope, receive, send):
    """An app that answers everything with "inside"."""
    await PlainTextResponse("inside", headers={"cache-control": "public", "set-cookie": "other=1"})(
        scope, receive, send
    )


class Answer(NamedTuple):
    status: int
    headers: Headers
    body: bytes


def ask(app: ASGIApp, path: str = "/", *, method: str = "GET", **headers: str) -> Answer:
    """Return what an app answers to a request with this path, with its query.

    Underscores in names of ``headers`` are hyphens.
    """
    messages = []

    async def send(message):
        """Keep a message of the app; stands for the sending of a server."""
        messages.append(message)

    async def receive():
        """Return a request without a body; stands for the receiving of a server."""
        return {"type": "http.request"}

    path, _, query = path.partition("?")
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": raw,
    }
    asyncio.run(app(scope, receive, send))
    start, answer, *_ = messages
    return Answer(start["status"], Headers(raw=start["headers"]), answer["body"])
