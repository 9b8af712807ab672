"""A saved picture says what it is of: title, legend, settings, seed and link; in each kind of file, from every page."""

import re
from html import unescape
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from lab.links import VERSION
from pages.table import PAGES
from tests.browser.sight import still

# Words of a chart as Plotly has drawn them: its title, and its legend.
WORDS = """() => {
  const chart = document.querySelector(".st-key-pictures [data-chart]")
  const texts = (where) => [...chart.querySelectorAll(where)].map((one) => one.textContent)
  return { name: chart.dataset.chart, title: texts(".gtitle")[0] ?? "", legend: texts(".legendtext") }
}"""

# Page -> a setting that is not its usual one: any; of those that train for long, one with which they do not.
CHANGED = {"what-if": ("tries", "20"), "hypotheses": ("repeats", "3")}


def plain(svg: str) -> str:
    """The words of a drawing or of a page, however they are broken into lines."""
    return re.sub(r"[\s\u00a0]+", "", unescape(re.sub(r"<[^>]*>", "", svg)))


# The charts of which something is drawn beyond their cell.
WITHIN = """() => [...document.querySelectorAll("[data-chart]")].filter((cell) => {
  const room = cell.getBoundingClientRect()
  return [...cell.querySelectorAll(".main-svg")].some((one) => {
    const { left, right, bottom } = one.getBoundingClientRect()
    return left < room.left - 1 || right > room.right + 1 || bottom > room.bottom + 1
  })
}).map((cell) => cell.dataset.chart)"""
SHORT = ("classifier",)


@pytest.mark.parametrize(
    "topic",
    [page if page.name in SHORT else pytest.param(page, marks=pytest.mark.soak) for page in PAGES],
    ids=lambda page: page.name,
)
def test_the_first_chart_of_every_page_says_what_it_is_of(lab, topic):
    name, value = CHANGED.get(topic.name, ("delta", "2e-06"))
    opened = lab(f"{topic.name}?{name}={value}&v={VERSION}", charts=1, width=1440)
    opened.wait_for_selector(".st-key-pictures .lab-tools", state="attached")
    still(opened)  # all is trained, and the legend tells its last values
    opened.wait_for_function("() => !document.querySelector('[data-waiting]')")
    words = opened.evaluate(WORDS)
    chart = opened.locator(f"[data-chart='{words['name']}']")
    chart.hover()
    files = {}
    for kind in ("PNG", "SVG"):
        with opened.expect_download() as saved:
            chart.get_by_role("button", name=f"Download as {kind}").click()
        files[kind] = Path(saved.value.path())
        drawing = re.sub("[^A-Za-z0-9]+", "-", words["name"])
        assert saved.value.suggested_filename == f"{topic.name}_{name}-{value}_{drawing}.{kind.lower()}"
    svg = plain(files["SVG"].read_text("utf-8"))
    assert words["title"]
    told = [words["title"], *words["legend"], topic.question, value, f"/{topic.name}?{name}={value}"]
    told += [f"Seed {topic.settings().seed}"] if "seed" in topic.settings().limits else []
    assert [part for part in told if plain(part) not in svg] == []
    with Image.open(files["PNG"]) as png:
        assert png.height > 2 * 400, "the foot stands under the chart"


def test_a_print_says_in_words_what_the_controls_say(lab):
    """On A4: no controls and no navigation; settings, link, numbers, charts and the guarantee, and nothing is cut."""
    opened = lab("classifier?epsilon=0.3", charts=3, width=1440)
    expect(opened.locator(".lab-paper").first).to_be_hidden()
    opened.emulate_media(media="print")
    opened.set_viewport_size({"width": 794, "height": 1123})
    for shown in (".lab-numbers", ".lab-verdict", "[data-chart=accuracy]", ".lab-facts"):
        expect(opened.locator(shown).first).to_be_visible()
    for hidden in (".st-key-side", ".st-key-setup", "[data-testid=stHeader]"):
        expect(opened.locator(hidden).first).to_be_hidden()
    assert opened.evaluate(WITHIN) == [], "no chart is drawn over the next one"
    settings = opened.locator(".lab-paper").first
    for part in ("Epsilon 0.3", "Seed 4", "/classifier?epsilon=0.3", "Adjacency replace-one"):
        expect(settings).to_contain_text(part)
    fits = "node => node.scrollWidth <= node.clientWidth + 1 && getComputedStyle(node).overflow === 'visible'"
    assert opened.get_by_test_id("stMain").evaluate(fits)
    opened.emulate_media(media="screen")  # a window serves several tests
