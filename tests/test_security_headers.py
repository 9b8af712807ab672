"""The rules that every answer brings along, and whose page may show the lab inside of itself."""

import asyncio
import re

import pytest

from ui import security_headers


def rules(ancestors: str | None = None) -> dict[str, str]:
    environment = {} if ancestors is None else {"LAB_FRAME_ANCESTORS": ancestors}
    return dict(rule.split(" ", 1) for rule in security_headers.policy(environment).split("; "))


def test_only_the_server_itself_gives_scripts_and_is_talked_to():
    assert rules()["connect-src"] == "'self'"
    assert re.fullmatch(r"'self'( 'sha256-[\w+/]{43}=')+", rules()["script-src"])
    assert not [sources for sources in rules().values() if re.search(r"eval|https?:|\*", sources)]


def test_what_is_fetched_ahead_is_allowed_and_nothing_else_falls_back():
    """Firefox asks ``default-src`` about ``rel="prefetch"``: other kinds of content need a rule of their own."""
    assert rules()["default-src"] == "'self'"
    assert {rules()[name] for name in ("frame-src", "media-src", "object-src")} == {"'none'"}


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (None, "'self'"),
        ("  ", "'self'"),
        ("'self' https://lms.example.edu", "'self' https://lms.example.edu"),
        ("https://*.example.edu:8443", "https://*.example.edu:8443"),
        ("*", "*"),
    ],
)
def test_who_may_frame_the_lab(asked, given):
    assert rules(asked)["frame-ancestors"] == given


@pytest.mark.parametrize("asked", ["*; script-src *", "https://a.example, https://b.example", "a\nb: c"])
def test_nothing_but_origins_may_frame_it(asked):
    with pytest.raises(ValueError, match="LAB_FRAME_ANCESTORS"):
        security_headers.policy({"LAB_FRAME_ANCESTORS": asked})


async def inside(scope, receive, send):
    """An app that answers everything."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"cache-control", b"public")]})
    await send({"type": "http.response.body", "body": b"inside"})


def answer(path: str, *, host: bytes = b"x") -> tuple[int, dict[bytes, bytes], bytes]:
    said = []

    async def send(message):
        said.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": [(b"host", host)]}
    asyncio.run(security_headers.Guard(inside)(scope, None, send))
    return said[0]["status"], dict(said[0]["headers"]), said[1]["body"]


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/", "/lab/_stcore/metrics"])
def test_metrics_are_closed(path):
    status, headers, body = answer(path)
    assert (status, body) == (404, b"Not Found")
    assert headers[b"x-content-type-options"] == b"nosniff"


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/metrics"])
def test_other_addresses_answer_with_the_rules(path):
    status, headers, body = answer(path)
    assert (status, body) == (200, b"inside")
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert headers[b"content-security-policy"].decode() == security_headers.policy()
    assert headers[b"cache-control"] == b"public"


@pytest.mark.parametrize("allowed", [[], ["10.1.2.3"], ["LAB.example.org", "x"], ["*.example.org"], ["*.2.3"]])
@pytest.mark.parametrize("host", ["10.1.2.3", "lab.example.org", "example.org", "localhost"])
def test_who_is_answered_is_known_before_a_link_is_told(monkeypatch, allowed, host):
    monkeypatch.setattr(security_headers.st, "get_option", {"server.allowedHosts": allowed}.get)
    assert security_headers.answers(host) == (answer("/", host=host.encode())[0] == 200)
