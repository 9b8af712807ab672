"""A recorded page as its reader gets it: from a disk or a static server, with no net, moved by keys and read out."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts import make_site
from tests.browser.sight import AXE, RUN
from tests.test_recording import PAGES, recording
from ui.plot import theme
from ui.recording import stops, unfolded

# Whether all charts in view have ink on them.
PAINTED = """() => [...document.querySelectorAll(".room > canvas")].every((one) => {
  if (!one.checkVisibility()) return true
  const { data } = one.getContext("2d").getImageData(0, 0, one.width || 1, one.height || 1)
  return data.some((value) => value)
})"""
# Whether an element holds this HTML, as the browser writes it.
HOLDS = """([where, html]) => {
  const other = document.createElement("div")
  other.innerHTML = html
  return document.querySelector(where).innerHTML === other.innerHTML
}"""


def opened(chromium: Browser, address: str, **how) -> tuple[Page, list[str]]:
    """The page, and all that it asked for elsewhere or complained about."""
    faults: list[str] = []
    page = chromium.new_context(viewport={"width": 1440, "height": 900}, **how).new_page()
    at = address.rpartition("/")[0]
    page.on("request", lambda one: None if one.url.startswith((at, "data:")) else faults.append(one.url))
    page.on("console", lambda one: faults.append(one.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(address)
    page.wait_for_selector("input[type=range]")
    page.wait_for_function(PAINTED)
    return page, faults


def saved(folder: Path, topic) -> tuple[str, dict]:
    one, file = recording(topic), folder / "page.html"
    taken = one.taken()
    file.write_text(one.file(taken), "utf-8")
    return file.as_uri(), taken


@pytest.mark.parametrize(
    "topic",
    [one if one.name == "classifier" else pytest.param(one, marks=pytest.mark.soak) for one in PAGES],
    ids=lambda page: page.name,
)
def test_a_recording_moves_by_keys_without_a_net(chromium, tmp_path, topic):
    address, taken = saved(tmp_path, topic)
    page, faults = opened(chromium, address, offline=True)
    page.get_by_role("slider").focus()
    expect(page.get_by_role("slider")).to_be_focused()
    page.keyboard.press("Home")
    for value in stops(recording(topic).knob):
        expect(page.locator(".field")).to_have_value(theme.written(value))
        assert theme.written(value) in page.locator("#at").inner_text().split(), "which a print says, too"
        words = unfolded(taken["frames"], taken["values"].index(value))["words"]
        for where in (".lab-numbers", ".lab-verdict"):
            assert page.evaluate(HOLDS, [where, words[where]])
        page.keyboard.press("ArrowRight")
    said = page.locator(".lab-tile > b").first.inner_text()
    expect(page.locator("[data-voice]")).to_contain_text(said)
    page.evaluate(AXE)
    assert page.evaluate(RUN) == []
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate(RUN) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert faults == []
    page.context.close()


def test_a_lesson_is_guessed_by_keys_from_a_static_server(chromium, tmp_path):
    """Below a path: the list of lessons, a guess, the outcome, and why; nothing is asked of anybody else."""
    folder = tmp_path / "course" / "lab"
    folder.mkdir(parents=True)
    for name, html in make_site.files(pages=[]):
        if name in ("lessons.html", "lesson-epsilon.html"):
            (folder / name).write_text(html, "utf-8")
        if name == "lesson-epsilon.html":
            break
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page, faults = opened(chromium, f"http://127.0.0.1:{server.server_port}/course/lab/lesson-epsilon.html")
        page.get_by_role("slider", name="My guess").focus()
        expect(page.get_by_role("slider", name="My guess")).to_be_focused()
        page.keyboard.press("Home")
        expect(page.locator(".field")).to_have_value("50")
        page.get_by_role("button", name="Lock in my guess").press("Enter")
        expect(page.get_by_role("heading", level=1)).to_be_focused()
        expect(page.get_by_role("heading", level=1)).to_contain_text("You said 50 %.")
        page.get_by_role("radio").first.press("Space")
        expect(page.get_by_role("status")).not_to_be_empty()
        page.evaluate(AXE)
        assert page.evaluate(RUN) == []
        page.get_by_role("button", name="Why?").press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Why")
        page.get_by_role("link", name="Lessons").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Lessons")
        assert [fault for fault in faults if "favicon" not in fault] == []
        page.context.close()
        server.shutdown()
