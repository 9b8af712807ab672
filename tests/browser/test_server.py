"""The server as a visitor meets it: a first visit by a link, what may be loaded and asked, and
frames of others.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from urllib.parse import quote

import pytest
from playwright.sync_api import Error, FrameLocator, Page, expect

from benchmarks import first
from pages.lessons import texts as say
from tests.browser.conftest import FLAGS, hosted, program
from tests.browser.person import button, enter, field, slider
from tests.browser.sight import VERDICT
from tests.hostile import HOSTILE

# A page that holds what its address names.
COURSE = (
    "<script>document.write(`<iframe src='${location.search.slice(1)}' width=1100"
    " height=800></iframe>`)</script>"
)


@pytest.fixture(scope="session")
def course(tmp_path_factory) -> Iterator[int]:
    """The port of a course page, which answers to both names of this machine."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "index.html").write_text(COURSE, "utf-8")
    with hosted(folder) as port:
        yield port


@pytest.fixture(scope="session")
def framable(serve, course):
    """framable(cookie) -> the address of a lab that the course page may frame, and that answers to
    one name only.
    """

    def start(cookie: str) -> str:
        """Return the address of the lab with this SameSite rule for its cookie."""
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv(
                "LAB_FRAME_ANCESTORS", f"http://127.0.0.1:{course} http://localhost:{course}"
            )
            return serve(
                "app.py",
                "--server.allowedHosts",
                "localhost",
                "--server.xsrfCookieSameSite",
                cookie,
            )

    return start


@pytest.fixture(scope="session")
def public(framable) -> str:
    """A server whose cookie is for its own site."""
    return framable("lax")


def status(address: str, headers: Mapping[str, str]) -> int:
    """Return the status of the answer to a request with these headers."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code


def test_the_first_visitor_of_a_server_may_come_by_a_link(lab, public):
    page = lab("classifier?epsilon=1.0", charts=3, address=public)
    expect(page).to_have_title("Classifier | Epsilon Lab")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "What does privacy cost a classifier?"
    )
    expect(field(page)).to_have_value("1")
    expect(page.get_by_role("dialog")).to_have_count(0)
    slider(page).press("ArrowRight")
    expect(page).not_to_have_url(f"{public}/classifier?epsilon=1.0")
    page.get_by_test_id("stHeader").get_by_text("Privacy").click()
    page.get_by_role("menuitem", name="Privacy accounting").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "How much privacy does a training run spend?"
    )


def test_a_server_that_knows_its_name_answers_to_no_other(public):
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    upgrade["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ=="
    assert status(f"{public}/", {}) == 200
    assert status(f"{public}/", {"Host": "evil.test"}) == 400
    assert status(f"{public}/_stcore/stream", upgrade | {"Host": "evil.test"}) == 400


def test_the_rules_hold_in_a_browser(lab, page):
    opened = lab("classifier", charts=3)
    assert (
        opened.evaluate("fetch('http://evil.test/x').then(() => 'sent', () => 'stopped')")
        == "stopped"
    )
    with pytest.raises(Error, match="Content Security Policy"):
        opened.add_script_tag(content="window.evil = 1")
    assert opened.evaluate("window.evil") is None
    image = (
        "Object.assign(new Image(), { src: 'http://evil.test/p.png' }).decode().then(() => 'seen',"
        " () => 'stopped')"
    )
    assert opened.evaluate(image) == "stopped"
    assert sum("Content Security Policy" in fault for fault in page.watches[-1].faults) >= 3
    page.watches[-1].expected = ("Content Security Policy", "evil.test")


def test_a_first_visit_is_small_and_nothing_moves_when_its_charts_come(chromium, serve):
    address = f"{serve('app.py')}/classifier"
    with chromium.new_context(viewport=first.VIEWPORT) as visitor:
        cold = first.visit(visitor, address, None)
        warm = first.visit(visitor, address, None)

    assert 1000 < cold.kilobytes < 2900, cold.kind_bytes
    for kind in ("front end", "ours", "Plotly"):
        assert warm.kind_bytes[kind] == 0
    assert max(cold.shift, warm.shift) < 0.1


EVIL = quote(
    "\n\n![x](http://evil.test/p.png)\n\n# BIG headline\n\n[click](http://evil.test) :red[x] <img"
    " src=x>"
)


def test_a_link_puts_nothing_but_letters_on_a_page(lab):
    page = lab(f"classifier?dataset={EVIL}&{EVIL}=1", charts=3)
    notices = page.get_by_test_id("stAlert")
    expect(notices).to_have_count(2)
    expect(notices.first).to_contain_text("dataset= ![x](http://evil.test/p.png) # BIG headline")
    assert notices.locator("img, a, h1, h2, h3, [style*=color]").count() == 0
    expect(page.get_by_role("heading", level=1)).to_have_count(1)


ACTIVE = (
    "img, a, h1, h2, li, blockquote, pre, hr, table, em, strong, del, script, .katex,"
    " [onmouseover], [role=img]"
)


# Characters of a text that a message quotes.
MOST_QUOTED = 60


def test_hostile_text_is_read_as_it_was_written(page, serve):
    opened = page(f"{serve('tests/browser/apps/plain_demo.py')}/")
    expect(opened.locator(f".st-key-code{len(HOSTILE) - 1}")).to_be_visible()
    for place, text in enumerate(HOSTILE):
        wanted = " ".join(
            text.replace("\x00", "").replace("\x1b", "").replace("\u202e", "").split()
        )
        shown = opened.locator(f".st-key-one{place}").locator("p")
        expect(shown).to_have_count(4)
        seen = [words.replace("\u2060", "") for words in shown.all_inner_texts()]
        assert seen == [wanted, wanted, f"It is {wanted}", wanted]
        parts, code = (
            opened.locator(f"{where}{place}") for where in (".st-key-one", ".st-key-code")
        )
        # Streamlit replaces the names of icons before it reads the Markdown.
        quotation = wanted[:MOST_QUOTED].replace(":material/", ":material_").replace("`", "'")
        assert code.locator("code").all_inner_texts() == [quotation.strip()]
        for part in (parts, code):
            assert part.locator(".stMarkdown, .stHtml, .stAlert").locator(ACTIVE).count() == 0, text


TABLE = {"name": "people.csv", "mimeType": "text/csv", "buffer": b"age,answer\n31,yes\n47,no\n"}
COOKIELESS = "your browser sends the lab no cookies"


def framed(page: Page, host: str, course: int, address: str) -> FrameLocator:
    """Open a course page, and return the frame of the lab in it, as docs/teaching.md describes it.

    Hosts are sites to a browser, whatever their ports: the lab at localhost is cross-site to a
    course at 127.0.0.1. In a private window Chromium takes no cookies of third parties.
    """
    page.goto(f"http://{host}:{course}/?{address}")
    return page.frame_locator("iframe")


def bring(page: Page, frame: FrameLocator) -> None:
    """Choose a file in the frame, and wait until it is read."""
    box = frame.locator("input[type=file]")
    box.wait_for(state="attached")
    with page.expect_response(lambda answer: "upload_file" in answer.url) as answer:
        box.set_input_files(TABLE)
    assert answer.value.status == 204
    expect(frame.get_by_text("2 rows")).to_be_visible()


def test_in_a_cross_site_frame_the_lab_draws_and_a_slider_moves(visitor, course, public, serve):
    """A lab that names nobody is framed by nobody."""
    page = visitor("about:blank")
    frame = framed(page, "127.0.0.1", course, f"{public}/classifier?embed=true")
    expect(frame.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(frame.get_by_test_id("stHeader")).to_be_hidden()
    said = frame.locator(VERDICT).text_content()
    frame.get_by_role("slider", name="Epsilon", exact=True).press("Home")
    expect(frame.locator(VERDICT)).not_to_have_text(said)
    with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
        frame = framed(page, "127.0.0.1", course, f"{serve('app.py')}/classifier")
    expect(frame.locator("#root")).to_have_count(0)


def test_in_a_cross_site_frame_the_page_says_why_it_takes_no_file_and_opens_in_a_tab(
    visitor, course, public
):
    """In a frame of the same site a file is read."""
    window = visitor("about:blank")
    frame = framed(window, "127.0.0.1", course, f"{public}/data?embed=true")
    expect(frame.get_by_text(COOKIELESS)).to_be_visible()
    expect(frame.locator("input[type=file]")).to_have_count(0)
    frame.get_by_role("button", name="Use the").first.click()
    expect(frame.get_by_text("columns", exact=False).first).to_be_visible()
    with window.expect_popup() as tab:
        frame.get_by_role("link", name="Open this page in its own tab").click()
    bring(tab.value, tab.value)
    expect(tab.value.get_by_text(COOKIELESS)).to_have_count(0)
    window.goto("about:blank")
    bring(window, framed(window, "localhost", course, f"{public}/data?embed=true"))


def test_in_a_cross_site_frame_a_class_guesses_and_is_told_what_is_counted(visitor, course, public):
    teacher = visitor(f"{public}/lessons?lesson=public_start")
    button(teacher, "Ask a class").click()
    expect(button(teacher, "Close and show")).to_be_visible()
    code = teacher.locator(".lab-room b").inner_text()
    frame = framed(
        visitor("about:blank"), "127.0.0.1", course, f"{public}/lessons?embed=true&room={code}"
    )
    expect(frame.get_by_text(say.NAMELESS)).to_be_visible()
    enter(frame.get_by_role("spinbutton").first, "60")
    frame.get_by_role("button", name="Send my guess").click()
    expect(frame.get_by_text("Your guess is in")).to_be_visible()
    expect(teacher.locator(".lab-room-count")).to_have_text("1 guess so far")


@pytest.mark.soak
def test_with_a_cookie_for_other_sites_it_depends_on_the_browser(
    visitor, playwright, course, framable, tmp_path
):
    """A private window refuses it; one of a browser that takes the cookies of third parties does
    not.
    """
    address = f"{framable('none')}/data?embed=true"
    frame = framed(visitor("about:blank"), "127.0.0.1", course, address)
    expect(frame.get_by_text(COOKIELESS)).to_be_visible()
    (tmp_path / "Default").mkdir()
    choice = {"profile": {"cookie_controls_mode": 0, "block_third_party_cookies": False}}
    (tmp_path / "Default" / "Preferences").write_text(json.dumps(choice))
    start = playwright.chromium.launch_persistent_context
    with start(tmp_path, executable_path=program(playwright), args=FLAGS) as lenient:
        page = lenient.pages[0]
        bring(page, framed(page, "127.0.0.1", course, address))
