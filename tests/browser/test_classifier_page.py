"""The classifier page in a real browser, as a visitor uses it."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE, SHOWN, drag_until, drawn, field, look_at, slider

CHARTS = 3
# Where the page says what it shows.
MAP = "[data-chart='map.scratch'] [role=img]"
TABLE = "Results table"
# Notes every value of epsilon that the map names, in order.
NOTE_EPSILONS = f"""() => {{
  window.epsilons = []
  const note = () => {{
    const found = /epsilon ([\\d.]+)/.exec(document.querySelector("{MAP}")?.getAttribute("aria-label") ?? "")
    if (found && found[1] !== epsilons.at(-1)) epsilons.push(found[1])
  }}
  new MutationObserver(note).observe(document.body, {{ subtree: true, childList: true, attributes: true }})
}}"""
# Notes the boundaries that the first private map has drawn.
NOTE_MAPS = f"""() => {{
  const map = document.querySelector("{MAP}"), shown = {SHOWN}
  window.maps = new Set()
  const look = () => {{
    maps.add(shown(map))
    requestAnimationFrame(look)
  }}
  look()
}}"""


@pytest.fixture
def classifier(page, serve):
    """classifier(query, **how) -> the page, drawn."""

    def open_classifier(query: str = "", *, charts: int = CHARTS, **how) -> Page:
        opened = page(f"{serve('app.py')}/classifier{query}", **how)
        drawn(opened, charts)
        return opened

    return open_classifier


def verdict(page: Page):
    return page.locator(".lab-verdict")


def shows(page: Page, epsilon: float) -> None:
    """Wait until the map is of this epsilon."""
    label = re.compile(rf"at epsilon {re.escape(f'{epsilon:.3g}')},")
    expect(page.locator(MAP)).to_have_attribute("aria-label", label, timeout=PATIENCE)


def table(page: Page):
    """The table, behind its tab."""
    page.get_by_role("tab", name=TABLE).click()
    expect(page.locator(".lab-table")).to_be_visible(timeout=PATIENCE)
    return page.locator(".lab-table")


@pytest.mark.parametrize("width", [1440, 390])
def test_the_picture_moves_while_the_slider_is_dragged(classifier, width):
    page = classifier(width=width, height=900, touch=width < 500)
    colour = "() => getComputedStyle(document.querySelector('.js-plotly-plot .xtick text')).fill"
    light = page.evaluate(colour)
    page.evaluate(NOTE_EPSILONS)
    page.evaluate(NOTE_MAPS)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(f"([light, dark]) => (({colour})() !== light) === dark", arg=[light, scheme == "dark"])
        follows(page)


def test_now_and_boundaries_follow_the_theme(classifier):
    """What Plotly has, and puts into files."""
    page = classifier()
    drawn = "[...document.querySelectorAll('.js-plotly-plot')].flatMap(({ layout }) => layout.shapes ?? [])"
    for scheme, colours in (("light", ["#1B1E2B", "#1f66b8", "#00795a"]), ("dark", ["#E6E8F0", "#7db4f5", "#35c79c"])):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            f"colours => colours.every(colour => {drawn}.some(({{ line }}) => line.color === colour))", arg=colours
        )


def follows(page: Page) -> None:
    """Drag the slider: verdict and map go with it, and nothing is wider than the window."""
    look_at(page, MAP)
    page.evaluate("() => { epsilons.length = 0; maps.clear() }")
    drag_until(page, lambda: min(page.evaluate("[new Set(epsilons).size, maps.size]")), 5)
    shows(page, float(field(page).input_value()))
    wide = page.evaluate(
        "() => [...document.querySelectorAll('[data-testid=stMain], [data-testid=stMainBlockContainer]')]"
        ".some(box => box.scrollWidth > box.clientWidth + 1)"
    )
    assert not wide


def test_a_link_opened_elsewhere_shows_the_same(classifier):
    page = classifier()
    field(page).fill("2.5")
    field(page).press("Enter")
    shows(page, 2.5)
    page.wait_for_url("**epsilon=2.5*")
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    said = verdict(page).inner_text()
    rows = table(page).inner_text()
    other = classifier(f"?{urlsplit(page.url).query}", touch=True)  # which is another profile
    expect(verdict(other)).to_have_text(said, timeout=PATIENCE)
    expect(table(other)).to_have_text(page.locator(".lab-table").text_content(), timeout=PATIENCE)
    assert other.locator(".lab-table").inner_text() == rows
    assert field(other).input_value() == "2.5"


def test_the_address_holds_every_setting(classifier):
    page = classifier("?epsilon=3&seed=9")
    shows(page, 3)
    slider(page, "Steps").press("ArrowRight")
    page.wait_for_url("**steps=51*")
    query = parse_qs(urlsplit(page.url).query)
    assert query["epsilon"] == ["3.0"]
    assert query["seed"] == ["9"]
    assert {"dataset", "version", "delta", "clip_norm", "adjacency", "repeats"} <= set(query)


@pytest.mark.parametrize("broken", ["epsilon=abc&dataset=mars", "epsilon=-3", "epsilon=1e9"])
def test_a_broken_link_opens_with_defaults_and_a_notice(classifier, broken):
    page = classifier(f"?{broken}")
    for part in broken.split("&"):
        expect(page.get_by_role("alert").filter(has_text=part)).to_contain_text("was ignored. It must be")
    shows(page, 0.5)


def test_a_bad_entry_is_answered_beside_its_knob_and_nothing_is_lost(classifier):
    page = classifier("?clip_norm=2.0")
    field(page).fill("1e9")
    field(page).press("Enter")
    expect(page.get_by_text("Epsilon cannot be 1e+9: it must be a number from 0.01 to 150.")).to_be_visible()
    shows(page, 0.5)
    assert field(page, "Clipping norm").input_value() == "2"
    field(page).fill("4")
    field(page).press("Enter")
    shows(page, 4)
    expect(page.get_by_text("Epsilon cannot be")).to_have_count(0)


def test_the_table_follows_at_rest(classifier):
    page = classifier()
    before = table(page).inner_text()
    slider(page, "Clipping norm").press("Home")
    expect(page.locator(".lab-table")).not_to_have_text(before, timeout=PATIENCE)
    page.wait_for_url("**clip_norm=0.01*")


def test_long_work_comes_in_slices_and_gives_way(page, slow):
    page = page(f"{slow.address}/classifier?dataset=digits&steps=150&repeats=20")
    drawn(page, CHARTS)
    bar = page.get_by_role("progressbar", name="Work in progress")
    expect(bar).to_be_visible(timeout=PATIENCE)
    field(page).fill("7")
    field(page).press("Enter")
    shows(page, 7)
    expect(bar).to_be_visible()
    slow.go_on()
    expect(bar).to_be_hidden(timeout=PATIENCE)
    expect(table(page)).not_to_contain_text("…", timeout=PATIENCE)


def test_another_version_and_another_data_set(classifier):
    page = classifier("?epsilon=1.0")
    page.get_by_role("radio", name="As published").click()
    expect(verdict(page)).to_contain_text("The slides claim epsilon 1", timeout=PATIENCE)
    page.wait_for_url("**version=published*")
    page.get_by_role("combobox", name="Data").click()
    page.get_by_role("option", name="Breast cancer").click()
    page.wait_for_url("**dataset=breast_cancer*")
    expect(verdict(page)).to_contain_text("The slides claim epsilon 1", timeout=PATIENCE)


def test_the_home_page_leads_here(page, serve):
    home = page(serve("app.py"))
    home.get_by_test_id("stMain").get_by_role("link", name="Classifier", exact=True).click()
    drawn(home, CHARTS)
    shows(home, 0.5)
