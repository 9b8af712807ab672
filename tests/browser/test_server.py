"""The server as a visitor meets it: a first visit by a link, and what may be loaded, framed and asked."""

import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from benchmarks import first
from tests.browser.person import drawn, field, slider
from tests.hostile import HOSTILE


class Course(BaseHTTPRequestHandler):
    """Another server, whose page holds what its address names."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<iframe src='{self.path[2:]}' width=1100 height=800></iframe>".encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def course() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Course) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def public(serve, course) -> str:
    """A server that is asked by one name, and framed by one other."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAB_FRAME_ANCESTORS", course)
        return serve("app.py", "--server.allowedHosts", "localhost")


def status(address: str, headers: Mapping[str, str] | None = None) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers or {})) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code


def test_the_first_visitor_of_a_server_may_come_by_a_link(page, public):
    opened = page(f"{public}/classifier?epsilon=1.0")
    drawn(opened, charts=3)
    expect(opened).to_have_title("Epsilon Lab")
    expect(opened.get_by_role("heading", level=1)).to_have_text("What does privacy cost a classifier?")
    expect(field(opened)).to_have_value("1")
    expect(opened.get_by_role("dialog")).to_have_count(0)
    slider(opened).press("ArrowRight")
    expect(opened).not_to_have_url(f"{public}/classifier?epsilon=1.0")
    opened.get_by_test_id("stHeader").get_by_text("Privacy").click()
    opened.get_by_role("menuitem", name="Privacy accounting").click()
    expect(opened.get_by_role("heading", level=1)).to_have_text("How much privacy does a training run spend?")


def test_a_server_that_knows_its_name_answers_to_no_other(public):
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    upgrade["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ=="
    assert status(f"{public}/") == 200
    assert status(f"{public}/", {"Host": "evil.test"}) == 400
    assert status(f"{public}/_stcore/stream", upgrade | {"Host": "evil.test"}) == 400


def test_numbers_of_the_process_are_not_told(serve):
    address = serve("app.py")
    assert status(f"{address}/_stcore/health") == 200
    assert [status(f"{address}{path}") for path in ("/_stcore/metrics", "/metrics")] == [404, 404]


def test_the_rules_hold_in_a_browser_and_files_are_saved_all_the_same(page, serve):
    opened = page(f"{serve('app.py')}/classifier")
    drawn(opened, charts=3)
    opened.hover("[data-chart=accuracy] .main-svg")
    for title in ("Download as PNG", "Download as SVG", "Download as HTML"):
        with opened.expect_download() as saved:
            opened.locator("[data-chart=accuracy]").get_by_role("button", name=title).click()
        assert saved.value.suggested_filename.endswith(title[-3:].lower().replace("tml", "html"))
    assert page.watches[-1].faults == []
    assert opened.evaluate("fetch('http://evil.test/x').then(() => 'sent', () => 'stopped')") == "stopped"
    script = "(code) => { const one = document.createElement('script'); one.text = code; document.head.append(one) }"
    opened.evaluate(script, "window.evil = 1")
    assert opened.evaluate("window.evil") is None
    image = "new Promise(done => { const one = new Image(); one.onload = () => done('seen');"
    image += "one.onerror = () => done('stopped'); one.src = 'http://evil.test/p.png' })"
    assert opened.evaluate(image) == "stopped"
    faults = page.watches[-1].faults
    assert [fault for fault in faults if "Content Security Policy" not in fault and "evil.test" not in fault] == []
    assert sum("Content Security Policy" in fault for fault in faults) >= 3
    faults.clear()


@pytest.mark.parametrize("welcome", [True, False])
def test_the_lab_is_framed_by_whom_it_names_only(windows, serve, course, public, welcome):
    """As a course page does, from another origin."""
    address = public if welcome else serve("app.py")
    opened = windows[False].profile.new_page()
    lab = opened.frame_locator("iframe")
    try:
        if welcome:
            opened.goto(f"{course}/?{address}/classifier")
            expect(lab.get_by_role("slider").first).to_be_visible()
            expect(lab.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        else:
            with opened.expect_console_message(lambda message: "frame-ancestors" in message.text):
                opened.goto(f"{course}/?{address}/classifier")
            expect(lab.locator("#root")).to_have_count(0)
    finally:
        opened.close()


def test_a_first_visit_is_small_and_nothing_moves_when_its_charts_come(chromium, serve):
    """6,500 kB came before anything was compressed or left out, and what stood there moved by 0.2 to 0.7."""
    visitor = chromium.new_context(viewport=first.VIEWPORT)
    try:
        cold, warm = (first.visit(visitor, f"{serve('app.py')}/classifier", None) for _ in range(2))
    finally:
        visitor.close()
    assert 1000 < sum(cold["bytes"].values()) / 1000 < 1700, cold["bytes"]
    assert not warm["bytes"]["front end"] + warm["bytes"]["ours"] + warm["bytes"]["Plotly"]
    assert max(cold["shift"], warm["shift"]) < 0.1


ADDRESS = quote("\n\n![x](http://evil.test/p.png)\n\n# BIG headline\n\n[click](http://evil.test) :red[x] <img src=x>")


def test_a_link_puts_nothing_but_letters_on_a_page(page, serve):
    opened = page(f"{serve('app.py')}/classifier?dataset={ADDRESS}&{ADDRESS}=1")
    drawn(opened, charts=3)
    notices = opened.get_by_test_id("stAlert")
    expect(notices).to_have_count(2)
    expect(notices.first).to_contain_text("dataset= ![x](http://evil.test/p.png) # BIG headline")
    assert notices.locator("img, a, h1, h2, h3, [style*=color]").count() == 0
    expect(opened.get_by_role("heading", level=1)).to_have_count(1)


ACTIVE = (
    "img, a, h1, h2, h3, ul, ol, blockquote, pre, hr, table, em, strong, del, script, .katex, [onmouseover], [role=img]"
)


def test_hostile_text_is_read_as_it_was_written(page, serve):
    opened = page(f"{serve('tests/browser/apps/plain_demo.py')}/")
    expect(opened.locator(f".st-key-code{len(HOSTILE) - 1}")).to_be_visible()
    for place, text in enumerate(HOSTILE):
        wanted = " ".join(text.replace("\x00", "").replace("\x1b", "").replace("\u202e", "").split())
        shown = opened.locator(f".st-key-one{place}").locator("p")
        expect(shown).to_have_count(4)
        seen = [words.replace("\u2060", "") for words in shown.all_inner_texts()]
        assert seen == [wanted, wanted, f"It is {wanted}", wanted]
        code = opened.locator(f".st-key-code{place}")
        wanted = wanted.replace(":material/", ":material_")  # by Streamlit, before it reads the Markdown
        assert code.locator("code").all_inner_texts() == [wanted.replace("`", "'")]
        for part in (f".st-key-one{place}", f".st-key-code{place}"):
            assert opened.locator(part).locator(".stMarkdown, .stHtml, .stAlert").locator(ACTIVE).count() == 0, text
