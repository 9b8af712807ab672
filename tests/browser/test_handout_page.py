"""The handout of every page as its reader gets it: opened from a disk, with no net, and printed."""

import io
import re
import zipfile
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from pages.table import PAGES
from tests import own_files
from tests.browser.person import button, tab
from tests.browser.sight import VERDICT
from tests.handouts import Handout, handout, quick

# What a reader could miss: parts of the sheet that have more in them than room, or that go beyond it.
CUT = """() => {
  const sheet = document.querySelector(".sheet")
  const full = [sheet, ...sheet.querySelectorAll(".columns, .columns > div, .tiles, header")]
    .filter((part) => part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1)
    .map((part) => part.className || part.tagName)
  const beyond = (inner, outer) => inner.left < outer.left - 1 || inner.right > outer.right + 1 ||
    inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1
  const edges = sheet.getBoundingClientRect()
  const out = [...sheet.querySelectorAll("section, figure, p, dd, li, h1, footer, svg, canvas")]
    .filter((part) => beyond(part.getBoundingClientRect(), edges)).map((part) => part.outerHTML.slice(0, 80))
  return { full, out }
}"""
# Name of a chart -> what is written over it: its title and its legend.
WRITTEN = """() => Object.fromEntries([...document.querySelectorAll("[data-chart]")].map((chart) =>
  [chart.dataset.chart, [...chart.querySelectorAll(".title, .key > span")].map((one) => one.textContent)]))"""
# How much of the room between numbers and words the longer column takes.
FILLED = """() => {
  const columns = [...document.querySelectorAll(".columns > div")]
  const ends = columns.map((one) => one.lastElementChild.getBoundingClientRect().bottom)
  const { top, height } = columns[0].getBoundingClientRect()
  return (Math.max(...ends) - top) / height
}"""
SHORT = ("classifier",)
TAG = re.compile(r"<[^>]*>")


@pytest.fixture(autouse=True)
def _hold():
    yield
    own_files.HELD.clear()


def opened(chromium: Browser, folder: Path, html: str, *, dark: bool = False) -> tuple[Page, list[str]]:
    """The page from a file, and all that it asked for or complained about."""
    file, faults = folder / "index.html", []
    file.write_text(html, "utf-8")
    scheme = "dark" if dark else "light"
    page = chromium.new_context(offline=True, color_scheme=scheme, viewport={"width": 1000, "height": 1200}).new_page()
    page.on("request", lambda one: faults.append(one.url) if one.url != file.as_uri() and one.url[:5] != "data:" else 0)
    page.on("console", lambda one: faults.append(one.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(file.as_uri())
    named = "() => [...document.querySelectorAll('[data-chart]')].every((one) => one.querySelector('.title'))"
    page.wait_for_function(named)
    return page, faults


def ink(picture: bytes) -> float:
    """The share of pixels that are not the paper's."""
    with Image.open(io.BytesIO(picture)) as image:
        colours = image.convert("RGB").getcolors(1 << 24)
    return sum(count for count, colour in colours if colour != (255, 255, 255)) / sum(count for count, _ in colours)


def one_sheet(page: Page) -> bool:
    """Whether it prints on one page, of the size of A4."""
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    sizes = re.findall(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", printed)
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    return pages == 1 and all(abs(float(wide) - 595) < 1.5 and abs(float(high) - 842) < 1.5 for wide, high in sizes)


def legend(figure: dict) -> list[str]:
    """What a figure's legend says, without tags."""
    shown = figure["layout"].get("showlegend")
    names = [one["name"] for one in figure["data"] if shown and one.get("name") and one.get("showlegend", True)]
    return [re.sub(r"\s", "", TAG.sub("", name)) for name in names]


def held(page: Page, faults: list[str], one: Handout) -> None:
    """Drawn, with legends and nothing cut, on one sheet, and without a word to anybody."""
    assert page.evaluate(CUT) == {"full": [], "out": []}
    written = page.evaluate(WRITTEN)
    pictures = one._pictures(one.page.view(one.result))
    assert list(written) == [picture.name for picture in pictures]
    for picture in pictures:
        said = [re.sub(r"\s", "", text) for text in written[picture.name]]
        assert [name for name in legend(picture.figure) if name not in said] == []
        title = TAG.sub("", picture.figure["layout"].get("title", {}).get("text", ""))
        assert said[0] == re.sub(r"\s", "", title), "with what it says beyond its name"
        chart = page.locator(f"[data-chart='{picture.name}']")
        assert ink(chart.locator(".room > canvas").screenshot()) > 0.02, picture.name
    assert page.evaluate(FILLED) > 0.75
    assert one_sheet(page)
    assert faults == []


@pytest.mark.parametrize(
    "topic",
    [page if page.name in SHORT else pytest.param(page, marks=pytest.mark.soak) for page in PAGES],
    ids=lambda page: page.name,
)
def test_a_handout_opens_without_a_net_and_prints_on_one_sheet(chromium, tmp_path, topic):
    one = quick(topic)
    page, faults = opened(chromium, tmp_path, one.html(), dark=topic is PAGES[0])
    held(page, faults, one)
    assert page.evaluate("getComputedStyle(document.querySelector('.sheet')).backgroundColor") == "rgb(255, 255, 255)"
    page.context.close()


@pytest.mark.parametrize("off", [pytest.param(False, marks=pytest.mark.soak), True], ids=["typed", "read off"])
@pytest.mark.parametrize(
    "kind", [kind if kind == "classifier" else pytest.param(kind, marks=pytest.mark.soak) for kind in own_files.KINDS]
)
def test_that_of_a_file_too(chromium, tmp_path, kind, off):
    topic = next(page for page in PAGES if page.name == kind)
    one = handout(topic, own_files.settings(kind, off=off).run(), link="http://lab.example.org/" + "x" * 400)
    page, faults = opened(chromium, tmp_path, one.html())
    held(page, faults, one)
    page.context.close()


def test_the_label_opens_too(chromium, tmp_path):
    page, faults = opened(chromium, tmp_path, quick(PAGES[0]).label_html())
    assert page.get_by_role("heading", level=1).inner_text() == "Privacy label"
    assert page.get_by_text("not stated").count() > 0
    assert faults == []
    page.context.close()


def test_the_tab_gives_it(chromium, lab, tmp_path):
    """One click, one file: what it says is what the page says."""
    shown = lab("classifier?epsilon=0.3&repeats=5", charts=3, width=1440)
    tab(shown, "Share")
    with shown.expect_download() as saved:
        button(shown, "Handout (zip)").click()
    assert saved.value.suggested_filename == "classifier_epsilon-0.3_repeats-5.zip"
    with zipfile.ZipFile(Path(saved.value.path())) as archive:
        html = archive.read("epsilon-lab-classifier/index.html").decode()
    sheet, faults = opened(chromium, tmp_path, html)
    said = sheet.locator(".sheet").inner_text()
    settings = (
        "Data Two Gaussians",
        "Mechanism Correct",
        "Epsilon 0.3",
        "Clipping norm 1",
        "Repeats 5",
        "/classifier?",
    )
    assert [part for part in settings if part not in said] == []
    assert shown.locator(VERDICT).inner_text() in said.replace("\n", " ")
    assert one_sheet(sheet)
    assert faults == []
    sheet.context.close()
