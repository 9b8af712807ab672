"""A browser is known by a signed cookie, which it gets with the first page that it opens."""

from http.cookies import SimpleCookie

import pytest

from tests.asgi import ask, inside
from ui.classroom.visitor import COOKIE, VisitorCookie, new_cookie, visitor_word
from ui.widgets import assets

ACCEPT_PAGES = "text/html,*/*"


def cookies_of(path: str, **headers: str) -> dict[str, str]:
    """Return the cookies that an answer sets, beside the one of the app inside."""
    status, answer_headers, body = ask(VisitorCookie(inside), path, **headers)
    assert status == 200
    assert body == b"inside"
    cookies = SimpleCookie()
    for value in answer_headers.getlist("set-cookie"):
        cookies.load(value)
    assert cookies.pop("other").value == "1"
    return {name: cookie.value for name, cookie in cookies.items()}


def cookie_of_new_browser() -> str:
    """Return the cookie that a browser gets with its first page."""
    return cookies_of("/classifier", accept=ACCEPT_PAGES)[COOKIE]


class TestFirstPage:
    def test_each_browser_gets_a_cookie_of_its_own(self):
        word = visitor_word({COOKIE: cookie_of_new_browser()})
        other_word = visitor_word({COOKIE: cookie_of_new_browser()})

        assert word
        assert other_word
        assert word != other_word

    def test_a_browser_with_a_cookie_keeps_it(self):
        cookie = cookie_of_new_browser()

        cookies = cookies_of("/classifier", accept=ACCEPT_PAGES, cookie=f"{COOKIE}={cookie}")

        assert cookies == {}

    @pytest.mark.parametrize("path", ["/static/x.js", "/_stcore/health", "/lab-channel"])
    def test_files_and_probes_get_no_cookie(self, path):
        assert cookies_of(path, accept="*/*") == {}


@pytest.mark.parametrize("attribute", ["HttpOnly", "SameSite=lax", "Path=/lab;"])
def test_a_cookie_is_hidden_from_scripts_and_holds_on_every_page(monkeypatch, attribute):
    monkeypatch.setattr(assets.st, "get_option", {"server.baseUrlPath": "/lab/"}.get)

    _, headers, _ = ask(VisitorCookie(inside), "/lab/classifier", accept=ACCEPT_PAGES)

    (set_cookie,) = [value for value in headers.getlist("set-cookie") if COOKIE in value]
    assert attribute in set_cookie


WORD, SIGNATURE = new_cookie().split(".")
_, SIGNATURE_OF_ANOTHER = new_cookie().split(".")


class TestSignature:
    @pytest.mark.parametrize(
        "cookie",
        [
            pytest.param("1", id="no word"),
            pytest.param(WORD, id="no signature"),
            pytest.param(f"{WORD}.", id="empty signature"),
            pytest.param(f"{'a' * 32}.{SIGNATURE}", id="another word"),
            pytest.param(f"{WORD}.{SIGNATURE_OF_ANOTHER}", id="signature of another"),
            pytest.param(f"{WORD}.{SIGNATURE}0", id="longer signature"),
        ],
    )
    def test_an_invented_cookie_is_not_accepted_and_replaced(self, cookie):
        cookies = cookies_of("/classifier", accept=ACCEPT_PAGES, cookie=f"{COOKIE}={cookie}")

        assert visitor_word({COOKIE: cookie}) == ""
        assert COOKIE in cookies

    def test_a_signed_cookie_is_accepted(self):
        assert visitor_word({COOKIE: f"{WORD}.{SIGNATURE}"}) == WORD

    def test_a_browser_without_a_cookie_has_no_word(self):
        assert visitor_word({}) == ""
