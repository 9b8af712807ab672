"""The rules that every answer brings along, and whose page may show the lab inside of itself."""

import re

import pytest

from tests.asgi import ask, inside
from ui import security_headers


def rules(ancestors: str = "") -> dict[str, str]:
    policy = security_headers.policy({"LAB_FRAME_ANCESTORS": ancestors})
    return dict(rule.split(" ", 1) for rule in policy.split("; "))


def test_policy_allows_only_files_of_the_server():
    """Firefox asks ``default-src`` about ``rel="prefetch"``, so other kinds of content need a rule of their own."""
    found = rules()
    assert found["default-src"] == found["connect-src"] == "'self'"
    assert {found[name] for name in ("frame-src", "media-src", "object-src")} == {"'none'"}
    assert re.fullmatch(r"'self'( 'sha256-[\w+/]{43}=')+", found["script-src"])
    assert not [sources for sources in found.values() if re.search(r"eval|https?:|\*", sources)]


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("  ", "'self'"),
        ("'self' https://lms.example.edu", "'self' https://lms.example.edu"),
        ("https://*.example.edu:8443", "https://*.example.edu:8443"),
        ("*", "*"),
        ("*; script-src *", None),
        ("https://a.example, https://b.example", None),
        ("a\nb: c", None),
    ],
)
def test_only_origins_may_frame_the_lab(asked, given):
    if given:
        assert rules(asked)["frame-ancestors"] == given
        return
    with pytest.raises(ValueError, match="LAB_FRAME_ANCESTORS"):
        rules(asked)


@pytest.mark.parametrize(
    ("path", "closed"),
    [
        ("/", False),
        ("/_stcore/health", False),
        ("/_stcore/metrics", True),
        ("/_stcore/metrics/", True),
        ("/lab/_stcore/metrics", True),
    ],
)
def test_every_answer_has_the_rules_and_streamlit_metrics_are_closed(path, closed):
    status, headers, body = ask(security_headers.Guard(inside), path, host="x")
    assert (status, body) == ((404, b"Not Found") if closed else (200, b"inside"))
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == security_headers.policy()
    assert closed or headers["cache-control"] == "public"


@pytest.mark.parametrize("allowed", [[], ["10.1.2.3"], ["LAB.example.org", "x"], ["*.example.org"], ["*.2.3"]])
@pytest.mark.parametrize("host", ["10.1.2.3", "lab.example.org", "example.org", "localhost"])
def test_allowed_hosts_are_known_before_a_link_is_shown(monkeypatch, allowed, host):
    monkeypatch.setattr(security_headers.st, "get_option", {"server.allowedHosts": allowed}.get)
    assert security_headers.answers(host) == (ask(security_headers.Guard(inside), host=host)[0] == 200)
