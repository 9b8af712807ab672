"""The lab inside of a course page (LMS): what docs/teaching.md says of it is what is seen here.

Hosts are sites to a browser, whatever their ports: the lab at localhost is cross-site to a course at 127.0.0.1.
"""

import json
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import FrameLocator, Page, Playwright, expect

from pages.lessons import words as say
from tests.browser.conftest import FLAGS, program
from tests.browser.test_server import Course

TABLE = {"name": "people.csv", "mimeType": "text/csv", "buffer": b"age,answer\n31,yes\n47,no\n"}
READ = "2 rows"


@pytest.fixture(scope="module")
def course() -> Iterator[int]:
    """The port of a course page, which answers to both names."""
    with ThreadingHTTPServer(("", 0), Course) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture(scope="module")
def lab(serve, course):
    """lab(SameSite of its cookie) -> the address of a lab that the course page may frame."""

    def start(same_site: str) -> str:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("LAB_FRAME_ANCESTORS", f"http://127.0.0.1:{course} http://localhost:{course}")
            return serve("app.py", "--server.xsrfCookieSameSite", same_site)

    return start


def framed(page: Page, course: str, address: str) -> FrameLocator:
    page.goto(f"{course}/?{address}")
    return page.frame_locator("iframe")


def bring(page: Page, frame: FrameLocator) -> int:
    """Choose a file in the frame; the status of the answer to its upload."""
    box = frame.locator("input[type=file]")
    box.wait_for(state="attached")
    with page.expect_response(lambda answer: "upload_file" in answer.url) as answer:
        box.set_input_files(TABLE)
    return answer.value.status


@pytest.fixture
def window(chromium) -> Iterator[Page]:
    """A private window, in which Chromium takes no cookies of third parties."""
    profile = chromium.new_context(viewport={"width": 1200, "height": 900})
    yield profile.new_page()
    profile.close()


def test_in_a_cross_site_frame_the_lab_draws_and_a_knob_moves(window, course, lab):
    frame = framed(window, f"http://127.0.0.1:{course}", f"{lab('lax')}/classifier?embed=true")
    expect(frame.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(frame.get_by_test_id("stHeader")).to_be_hidden()
    verdict = frame.locator(".lab-verdict").first
    said = verdict.text_content()
    knob = frame.get_by_role("slider", name="Epsilon", exact=True)
    for _ in range(8):
        knob.press("ArrowLeft")
    expect(verdict).not_to_have_text(said)


def test_in_a_cross_site_frame_the_page_says_why_it_takes_no_file_and_opens_in_a_tab(window, course, lab):
    frame = framed(window, f"http://127.0.0.1:{course}", f"{lab('lax')}/data?embed=true")
    expect(frame.get_by_text("your browser sends the lab no cookies")).to_be_visible()
    expect(frame.locator("input[type=file]")).to_have_count(0)
    frame.get_by_role("button", name="Use the").first.click()
    expect(frame.get_by_text("columns", exact=False).first).to_be_visible()
    with window.expect_popup() as tab:
        frame.get_by_role("link", name="Open this page in its own tab").click()
    box = tab.value.locator("input[type=file]")
    box.wait_for(state="attached")
    expect(tab.value.get_by_text("your browser sends the lab no cookies")).to_have_count(0)
    box.set_input_files(TABLE)
    expect(tab.value.get_by_text(READ)).to_be_visible()


def test_in_a_cross_site_frame_a_class_guesses_and_is_told_what_is_counted(window, chromium, course, lab):
    teacher = chromium.new_page()
    teacher.goto(f"{lab('lax')}/lessons?lesson=public_start")
    teacher.get_by_role("button", name="Ask a class").click()
    expect(teacher.get_by_role("button", name="Close and show")).to_be_visible()
    code = teacher.locator(".lab-room b").inner_text()
    frame = framed(window, f"http://127.0.0.1:{course}", f"{lab('lax')}/lessons?embed=true&room={code}")
    expect(frame.get_by_text(say.NAMELESS)).to_be_visible()
    frame.get_by_role("button", name="Send my guess").click()
    expect(frame.get_by_text("Your guess is in")).to_be_visible()
    expect(teacher.locator(".lab-room-count")).to_have_text("1 guess so far")
    teacher.close()


def test_in_a_frame_of_the_same_site_a_file_is_read(window, course, lab):
    frame = framed(window, f"http://localhost:{course}", f"{lab('lax')}/data?embed=true")
    assert bring(window, frame) == 204
    expect(frame.get_by_text(READ)).to_be_visible()


def test_with_a_cookie_for_other_sites_it_depends_on_the_browser(window, playwright, course, lab, tmp_path):
    """Private windows refuse it all the same."""
    address = f"{lab('none')}/data?embed=true"
    frame = framed(window, f"http://127.0.0.1:{course}", address)
    expect(frame.get_by_text("your browser sends the lab no cookies")).to_be_visible()
    with_cookies = lenient(playwright, tmp_path)
    try:
        page = with_cookies.pages[0]
        frame = framed(page, f"http://127.0.0.1:{course}", address)
        assert bring(page, frame) == 204
        expect(frame.get_by_text(READ)).to_be_visible()
    finally:
        with_cookies.close()


def lenient(playwright: Playwright, folder: Path):
    """A window of a browser that takes the cookies of third parties."""
    (folder / "Default").mkdir()
    choice = {"profile": {"cookie_controls_mode": 0, "block_third_party_cookies": False}}
    (folder / "Default" / "Preferences").write_text(json.dumps(choice))
    return playwright.chromium.launch_persistent_context(folder, executable_path=program(playwright), args=FLAGS)
