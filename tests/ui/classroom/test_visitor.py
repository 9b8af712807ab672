"""A browser is known by a signed cookie, which it gets with the first page that it opens."""

from http.cookies import SimpleCookie

import pytest

from tests.asgi import ask, inside
from ui.classroom.visitor import COOKIE, VisitorCookie, new_cookie, visitor_word
from ui.widgets import assets

PAGE = {"accept": "text/html,*/*"}


def cookies_of(path: str, **headers: str) -> dict[str, str]:
    """Return the cookies that an answer sets, beside those of the app inside."""
    status, sent, body = ask(VisitorCookie(inside), path, **headers)
    assert (status, body) == (200, b"inside")
    found = SimpleCookie()
    for value in sent.getlist("set-cookie"):
        found.load(value)
    assert found.pop("other").value == "1"
    return {name: one.value for name, one in found.items()}


def test_each_browser_gets_a_cookie_of_its_own_with_its_first_page():
    first, second = (cookies_of("/classifier", **PAGE)[COOKIE] for _ in range(2))
    words = {visitor_word({COOKIE: value}) for value in (first, second)}
    assert len(words) == 2
    assert "" not in words
    assert cookies_of("/classifier", **PAGE, cookie=f"{COOKIE}={first}") == {}


@pytest.mark.parametrize("path", ["/static/x.js", "/_stcore/health", "/lab-channel"])
def test_files_and_probes_get_no_cookie(path):
    assert cookies_of(path, accept="*/*") == {}


def test_cookie_is_hidden_from_scripts_and_holds_on_every_page(monkeypatch):
    monkeypatch.setattr(assets.st, "get_option", {"server.baseUrlPath": "/lab/"}.get)
    _, headers, _ = ask(VisitorCookie(inside), "/lab/classifier", **PAGE)
    set_cookie = next(value for value in headers.getlist("set-cookie") if COOKIE in value)
    assert "HttpOnly" in set_cookie
    assert "SameSite=lax" in set_cookie
    assert "Path=/lab;" in set_cookie


def test_invented_and_changed_cookies_are_not_accepted_and_replaced():
    word, signature = new_cookie().split(".")
    other = new_cookie().split(".")[1]
    invented = (
        "1",
        word,
        f"{word}.",
        f"{'a' * 32}.{signature}",
        f"{word}.{other}",
        f"{word}.{signature}0",
    )
    for value in invented:
        assert visitor_word({COOKIE: value}) == ""
        assert COOKIE in cookies_of("/classifier", **PAGE, cookie=f"{COOKIE}={value}")
    assert visitor_word({COOKIE: f"{word}.{signature}"}) == word
    assert visitor_word({}) == ""
