"""What leaves the page, as its reader gets it: pictures, prints, handouts, labels, and recorded
pages without a net.
"""

import io
import re
import zipfile
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from lab.experiment.links import VERSION
from pages.topics import PAGES
from scripts import make_site
from tests import own_files
from tests.browser.conftest import Watch, hosted
from tests.browser.person import button
from tests.browser.sight import AXE, RUN, VERDICT, downloaded, still
from tests.handouts import Handout, handout, quick
from tests.ui.export.test_recording import PAGES as RECORDED
from tests.ui.export.test_recording import recording
from ui.export.recording import decode_stop, slider_values
from ui.text.numbers import format_number as number_written

# Page -> a setting that is not its usual one: any; of those that train for long, one with which
# they do not.
CHANGED = {"what-if": ("tries", "20"), "hypotheses": ("repeats", "3")}
# The charts of which something is drawn beyond their cell.
BEYOND = """() => [...document.querySelectorAll("[data-chart]")].filter((cell) => {
  const room = cell.getBoundingClientRect()
  return [...cell.querySelectorAll(".main-svg")].some((one) => {
    const { left, right, bottom } = one.getBoundingClientRect()
    return left < room.left - 1 || right > room.right + 1 || bottom > room.bottom + 1
  })
}).map((cell) => cell.dataset.chart)"""
# What a reader of a handout could miss: parts that have more in them than room, or that go beyond
# the sheet.
CUT = """() => {
  const sheet = document.querySelector(".sheet")
  const full = [sheet, ...sheet.querySelectorAll(".columns, .columns > div, .tiles, header")]
    .filter((part) => part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1)
  const edges = sheet.getBoundingClientRect()
  const beyond = ({ left, right, top, bottom }) => left < edges.left - 1 || right > edges.right + 1 ||
    top < edges.top - 1 || bottom > edges.bottom + 1
  const out = [...sheet.querySelectorAll("section, figure, p, dd, li, h1, footer, svg, canvas")]
    .filter((part) => beyond(part.getBoundingClientRect()))
  return [...full, ...out].map((part) => part.outerHTML.slice(0, 80))
}"""
# Name of a chart -> what is written over it: its title and its legend.
WRITTEN = """() => Object.fromEntries([...document.querySelectorAll("[data-chart]")].map((chart) =>
  [chart.dataset.chart, [...chart.querySelectorAll(".title, .key > span")].map((one) => one.textContent)]))"""
# Whether all charts in view have ink on them.
PAINTED = """() => [...document.querySelectorAll("[data-chart]")].every((chart) => {
  if (!chart.checkVisibility()) return true
  const one = chart.querySelector(".room > canvas")
  return one?.getContext("2d").getImageData(0, 0, one.width || 1, one.height || 1).data.some((value) => value)
})"""


def each(pages, *here: str) -> list:
    """These pages at a commit, all others at night."""
    return [
        pytest.param(one, id=one.name, marks=() if one.name in here else pytest.mark.soak)
        for one in pages
    ]


def plain(html: str) -> str:
    """Return the words of a drawing or of a page, however they are broken into lines."""
    return re.sub(r"[\s\u00a0]+", "", unescape(re.sub(r"<[^>]*>", "", html)))


@pytest.fixture
def opened(visitor, tmp_path: Path):
    """opened(address or HTML, **how) -> the page, which asks nobody for anything and complains
    about nothing.
    """
    watches = []

    def open_page(what: str, **how) -> Page:
        """Return a page that shows this address or HTML, once it is painted.

        HTML is opened as a file, by a browser that is offline.
        """
        if alone := not what.startswith("http"):
            (file := tmp_path / "index.html").write_text(what, "utf-8")
        address = file.as_uri() if alone else what
        page = visitor("about:blank", width=1440, height=1200, offline=alone, **how)
        watches.append(Watch(page))
        watches[-1].begin(address, "favicon")
        page.goto(address)
        page.wait_for_function(PAINTED)
        return page

    yield open_page
    assert [fault for watch in watches for fault in watch.faults] == []


@pytest.mark.parametrize("topic", each(PAGES, "classifier"))
def test_a_saved_chart_says_what_it_is_of(lab, topic):
    """Title, legend, settings, seed and link, in each kind of file."""
    name, value = CHANGED.get(topic.name, ("delta", "2e-06"))
    page = lab(f"{topic.name}?{name}={value}&v={VERSION}", charts=1, width=1440)
    page.wait_for_selector(".st-key-pictures .lab-tools", state="attached")
    still(page)  # all is trained, and the legend tells its last values
    page.wait_for_function("() => !document.querySelector('[data-waiting]')")
    chart = page.locator(".st-key-pictures [data-chart]").first

    def words():
        return [plain(one) for one in chart.locator(".gtitle, .legendtext").all_text_contents()]

    before = words()
    chart.hover()
    for kind in ("PNG", "SVG"):
        with page.expect_download() as saved:
            chart.get_by_role("button", name=f"Download as {kind}").click()
        drawing = re.sub("[^A-Za-z0-9]+", "-", chart.get_attribute("data-chart"))
        assert (
            saved.value.suggested_filename
            == f"{topic.name}_{name}-{value}_{drawing}.{kind.lower()}"
        )
        if kind == "PNG":
            with Image.open(saved.value.path()) as png:
                assert png.height > 2 * 400, "the foot stands under the chart"
    svg = plain(saved.value.path().read_text("utf-8"))
    assert chart.locator(".gtitle").text_content()
    assert any(
        all(part in svg for part in one) for one in (before, words())
    )  # a newer picture may come meanwhile
    told = [topic.info.question, value, f"/{topic.name}?{name}={value}"]
    told += [f"Seed {topic.settings().seed}"] if "seed" in topic.settings().limits else []
    assert [part for part in told if plain(part) not in svg] == []


def test_a_print_and_a_handout_say_what_the_page_says(lab, opened):
    """A print has no controls and no navigation.

    Numbers, charts and the open tab are there, uncut. The handout has the settings and the link.
    """
    page = lab("classifier?epsilon=0.3&repeats=5", charts=3, width=1440)
    saved = downloaded(page, "Handout")
    assert saved.suggested_filename == "classifier_epsilon-0.3_repeats-5.zip"
    with zipfile.ZipFile(saved.path()) as archive:
        sheet = opened(archive.read("epsilon-lab-classifier/index.html").decode())
    said = sheet.locator(".sheet").inner_text()
    assert [one for one in ("Epsilon 0.3", "Repeats 5", "/classifier?") if one not in said] == []
    assert page.locator(VERDICT).inner_text() in said.replace("\n", " ")
    page.get_by_role("tab", name="Guarantee").click()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 794, "height": 1123})
    for part in (".lab-numbers", VERDICT, "[data-chart=accuracy]", ".lab-facts"):
        expect(page.locator(part).first).to_be_visible()
    for part in (".st-key-side", ".st-key-setup", "[data-testid=stHeader]"):
        expect(page.locator(part).first).to_be_hidden()
    assert page.evaluate(BEYOND) == [], "no chart is drawn over the next one"
    fits = (
        "node => node.scrollWidth <= node.clientWidth + 1 && getComputedStyle(node).overflow ==="
        " 'visible'"
    )
    assert page.get_by_test_id("stMain").evaluate(fits)
    page.emulate_media(media="screen")  # a window serves several tests


def assert_fits_one_sheet(page: Page, sheet: Handout) -> None:
    """Assert that a handout shows its charts with their legends, uncut, on one sheet of A4."""
    page.set_viewport_size({"width": 1000, "height": 1200})
    assert page.evaluate(CUT) == []
    texts_by_chart = page.evaluate(WRITTEN)
    charts = sheet._charts(sheet.page.view(sheet.result))
    assert list(texts_by_chart) == [chart.name for chart in charts]
    for chart in charts:
        texts = [plain(text) for text in texts_by_chart[chart.name]]
        layout = chart.figure["layout"]
        assert texts[0] == plain(layout.get("title", {}).get("text", ""))
        assert legend_texts(chart.figure) <= set(texts)
        assert has_ink(page.locator(f"[data-chart='{chart.name}'] .room > canvas")), chart.name
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    [size] = re.findall(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert list(map(float, size)) == pytest.approx([595, 842], abs=1.5)


def legend_texts(figure: Mapping[str, Any]) -> set[str]:
    """Return the names of the traces that the legend of a figure lists."""
    if not figure["layout"].get("showlegend"):
        return set()
    texts = set()
    for trace in figure["data"]:
        if trace.get("name") and trace.get("showlegend", True):
            texts.add(plain(trace["name"]))
    return texts


def has_ink(canvas: Locator) -> bool:
    """Return whether more than 2 % of a canvas is not white."""
    with Image.open(io.BytesIO(canvas.screenshot())) as image:
        pixels_by_grey = image.convert("L").histogram()
    return sum(pixels_by_grey[:-1]) > 0.02 * sum(pixels_by_grey)


@pytest.mark.parametrize("topic", each(PAGES, "classifier"))
def test_a_handout_fits_one_sheet_in_light_colours(opened, topic):
    sheet = quick(topic)

    page = opened(sheet.html(), color_scheme="dark")

    assert_fits_one_sheet(page, sheet)
    background = "getComputedStyle(document.querySelector('.sheet')).backgroundColor"
    assert page.evaluate(background) == "rgb(255, 255, 255)"


@pytest.mark.parametrize("topic", each(PAGES, "classifier"))
def test_a_privacy_label_is_a_page(opened, topic):
    page = opened(quick(topic).label_html())

    expect(page.get_by_role("heading", level=1)).to_have_text("Privacy label")


@pytest.mark.parametrize(
    "topic", each([topic for topic in PAGES if topic.name in own_files.KINDS], "classifier")
)
def test_a_void_handout_of_a_file_with_a_long_link_fits_one_sheet(opened, topic):
    result = own_files.settings(topic.name, off=True).experiment.run()
    sheet = handout(topic, result, link="http://lab.example.org/" + "x" * 400)

    page = opened(sheet.html())

    assert_fits_one_sheet(page, sheet)
    own_files.HELD.clear()


@pytest.mark.parametrize("topic", each(RECORDED, "classifier"))
def test_a_recording_moves_by_keys(opened, topic):
    one = recording(topic)
    taken = one.record()
    page = opened(one.document(taken))
    page.get_by_role("slider").focus()
    expect(page.get_by_role("slider")).to_be_focused()
    page.keyboard.press("Home")
    for value in slider_values(one.slider):
        expect(page.locator(".field")).to_have_value(number_written(value))
        assert number_written(value) in page.locator("#at").inner_text().split(), (
            "which a print says, too"
        )
        words = decode_stop(taken["frames"], taken["values"].index(value))["words"]
        for where in (".lab-numbers", VERDICT):
            assert plain(page.locator(where).inner_html()) == plain(words[where])
        page.keyboard.press("ArrowRight")
    expect(page.locator("[data-announcements]")).to_contain_text(
        page.locator(".lab-tile > b").first.inner_text()
    )
    page.evaluate(AXE)
    assert page.evaluate(RUN) == []
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate(RUN) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_lesson_is_guessed_by_keys_from_a_static_server(opened, tmp_path):
    """Below a path: the list of lessons, a guess, the outcome, and why."""
    (folder := tmp_path / "course" / "lab").mkdir(parents=True)
    for name, html in make_site.files(make_site.Addresses(), pages=[]):
        (folder / name).write_text(html, "utf-8")
        if name == "lesson-epsilon.html":
            break
    with hosted(tmp_path) as port:
        page = opened(f"http://127.0.0.1:{port}/course/lab/lesson-epsilon.html")
        heading = page.get_by_role("heading", level=1)
        guess = page.get_by_role("slider", name="My guess")
        guess.focus()
        expect(guess).to_be_focused()
        page.keyboard.press("Home")
        expect(page.locator(".field")).to_have_value("50")
        button(page, "Lock in my guess").press("Enter")
        expect(heading).to_be_focused()
        expect(heading).to_contain_text("You said 50 %.")
        page.evaluate(AXE)
        assert page.evaluate(RUN) == []
        button(page, "Why?").press("Enter")
        expect(heading).to_have_text("Why")
        page.get_by_role("link", name="Lessons").click()
        expect(heading).to_have_text("Lessons")
        page.goto("about:blank")
