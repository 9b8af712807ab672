"""ASGI apps, asked without a server."""

import asyncio

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp


async def inside(scope, receive, send):
    """An app that answers everything with "inside"."""
    await PlainTextResponse("inside", headers={"cache-control": "public", "set-cookie": "other=1"})(
        scope, receive, send
    )


def ask(
    app: ASGIApp, path: str = "/", *, method: str = "GET", **headers: str
) -> tuple[int, Headers, bytes]:
    """Return (status, headers, body) of an answer.

    Underscores in names of ``headers`` are hyphens.
    """
    messages = []

    async def send(message):
        messages.append(message)

    async def receive():
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
    return start["status"], Headers(raw=start["headers"]), answer["body"]
