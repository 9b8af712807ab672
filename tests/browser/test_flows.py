"""What a person does on pages: go back, follow words, pin and compare, ask what if, share, play,
drag a mark.
"""

import io
import re

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.person import (
    button,
    choose,
    drag_until,
    enter,
    field,
    grab,
    hold_still,
    middle,
    reset,
    slider,
    sweep,
    swipe,
    tab,
)
from tests.browser.sight import SHOWN, TABLE, becomes, drawn, rests, says, still
from ui.server.qr_code import QR_ALT

# How far the page is scrolled, whatever it is that scrolls.
SCROLLED = "scrollY + document.querySelector('[data-testid=stMain]').scrollTop"
NETWORK = "network?epsilon=3&rows=500&lot_size=50&epochs=6&repeats=4"
COMPARED, ANSWER = ".lab-compare", ".lab-words-answer"
TRAINING = re.compile(r"of \d+ trained")
# Counts how often the text that stays on the page is taken away.
REMOVALS = """() => {
  window.removals = 0
  const holdsText = (node) => node.textContent.includes("The result")
  new MutationObserver((changes) => {
    for (const change of changes) removals += [...change.removedNodes].some(holdsText)
  }).observe(document.body, { childList: true, subtree: true })
}"""
# Whether Plotly shows the four curves of the chart of errors, and their names in its legend.
SHOWS_CURVES = """() => {
  const chart = document.querySelector("[data-chart=errors] .js-plotly-plot")
  const legend = [...chart.querySelectorAll(".legendtext")].map((node) => node.textContent)
  const curves = chart.data.filter(({ name, showlegend }) => name && showlegend !== false)
  const names = curves.map(({ name }) => name.replaceAll(/<[^>]*>/g, ""))
  const lines = [...chart.querySelectorAll(".scatterlayer .js-line")]
  const areShown = lines.every((line) => line.checkVisibility({ visibilityProperty: true }))
  return names.length === 4 && String(legend) === String(names) && areShown
}"""
# A run of Streamlit is at work.
RUNS = "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'running'"


def test_one_back_from_another_page_returns_to_the_setting_that_was_left(lab):
    page = lab(charts=2)
    page.wait_for_url("**/?v=*")
    slider(page).press("ArrowRight")
    page.wait_for_url("**epsilon=10.6&**")
    page.get_by_role("link", name="Classifier", exact=True).first.click()
    page.wait_for_url("**/classifier?v=*")
    drawn(page)
    page.go_back()
    expect(page).to_have_url(re.compile(r"/\?.*epsilon=10\.6&"))
    expect(field(page)).to_have_value("10.6")
    page.go_forward()
    expect(page).to_have_url(re.compile(r"/classifier\?v=\d+$"))
    expect(field(page)).to_have_value("0.5")


def test_a_link_opens_its_tab_and_the_drawer_and_another_tabs_table_follows_a_slider(lab):
    page = lab("classifier?repeats=4&tab=guarantee&more=1", charts=3, width=1440)
    expect(page.get_by_role("tab", name="Guarantee")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".lab-words-guarantee")).to_be_in_viewport()
    expect(slider(page, "Rows")).to_be_visible()
    page.get_by_text("More settings", exact=True).click()
    page.wait_for_url(lambda address: "more=" not in address and "tab=guarantee" in address)
    page.reload()
    drawn(page)
    expect(slider(page, "Rows")).to_be_hidden()
    tab(page, "Table")
    table = page.locator(".lab-words-table").locator(TABLE)
    expect(table).not_to_contain_text("…")
    was = table.text_content()
    enter(page, "0.01", "Clipping norm")
    page.wait_for_url("**clip_norm=0.01*")
    expect(page.locator(TABLE).filter(has_text=was)).to_have_count(0)
    expect(table).to_be_visible()


def test_a_word_leads_to_its_term_and_back_in_the_same_window(lab):
    page = lab("classifier?repeats=5&steps=5&epsilon=0.7", charts=3)
    tab(page, "How it works")
    still(page)  # a run that ends after the press would write its address over that of the term
    before = len(page.context.pages)
    page.evaluate("window.same = true")
    page.get_by_role("link", name="clips", exact=True).click()
    expect(page).to_have_url(re.compile(r"/glossary\?term=clipping$"))
    expect(page.get_by_role("heading", level=2, name="Clipping")).to_be_visible()
    assert page.evaluate(SCROLLED) == 0
    page.get_by_role("link", name="All terms").click()
    expect(page.get_by_role("heading", level=3, name="Epsilon", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"/glossary$"))
    for _ in range(2):
        page.go_back()
    drawn(page, 3)
    expect(field(page)).to_have_value("0.7")
    assert page.evaluate("window.same === true")
    assert len(page.context.pages) == before


# Notes what the columns of the table say, how often the maps of A and of B change, and how often
# they are painted.
NOTE = f"""() => {{
  const [mine, theirs] = ["map.scratch", "map.scratch.pinned"]
    .map((name) => document.querySelector(`[data-chart="${{name}}"]`))
  window.seen = {{ a: new Set(), b: new Set(), mine: new Set(), theirs: new Set(), painted: 0 }}
  const look = () => {{
    for (const row of document.querySelectorAll(".lab-compare-moving tr")) {{
      const [label, a, b] = [...row.children].map(({{ textContent }}) => textContent)
      if (/^Private accuracy/.test(label)) seen.a.add(a), seen.b.add(b)
    }}
    seen.painted += Boolean(mine.querySelector("canvas"))
    seen.mine.add(({SHOWN})(mine))
    seen.theirs.add([...theirs.querySelectorAll(".shapelayer path")].map((one) => one.getAttribute("d")).join())
    requestAnimationFrame(look)
  }}
  look()
}}"""


def row(page: Page, label: str, *cells: str) -> None:
    """Wait until a row of the table of a comparison says this."""
    found = page.locator(
        f"{COMPARED} tr", has=page.get_by_role("rowheader", name=label, exact=True)
    )
    expect(found.get_by_role("cell")).to_have_text(list(cells))


def test_pin_drag_swap_reload_and_unpin(lab):
    page = lab("classifier?repeats=4", charts=3, width=1440)
    expect(page.locator(COMPARED)).to_have_count(0)
    sliders = page.get_by_role("slider").count()
    button(page, "Pin for comparison").click()
    says(page, "The accuracy is equal in A and B", COMPARED)
    expect(page.get_by_role("slider")).to_have_count(sliders)
    says(page, "B", "[data-chart='map.scratch.pinned'] .gtitle")
    still(page)
    page.evaluate(NOTE)
    drag_until(
        page,
        lambda: page.evaluate(f"({SHOWN})(document.querySelector('[data-chart=\"map.scratch\"]'))"),
        least=8,
    )
    assert page.evaluate("seen.painted") > 0
    sizes = page.evaluate(
        "Object.fromEntries(Object.entries(seen).map(([name, one]) => [name, one.size]))"
    )
    assert sizes["a"] > 1, "the table follows the finger"
    assert sizes["b"] == sizes["theirs"] == 1, "B stands still"
    slider(page).press("Home")
    row(page, "Epsilon", "0.01", "0.5", "")
    expect(page.locator("[data-slider=epsilon] .mark")).to_have_text("B")
    page.wait_for_url("**epsilon=0.01&**")
    still(page)
    button(page, "Swap").click()
    row(page, "Epsilon", "0.5", "0.01", "")
    page.wait_for_url(re.compile(r"\?repeats=4&pin=epsilon~0\.01"))
    page.reload()
    row(page, "Epsilon", "0.5", "0.01", "")
    still(page)
    button(page, "Unpin").click()
    expect(page.locator(COMPARED)).to_have_count(0)
    page.wait_for_url(lambda address: "pin=" not in address)
    expect(page.locator("[data-chart='map.public']")).to_be_visible()


def test_what_if_answers_another_question_and_a_click_on_its_map(lab):
    page = lab("what-if?repeats=24", charts=1, width=1440)
    says(page, re.compile(r"Median accuracy is 90\s% with epsilon 0\.\d+"))
    choose(page, "Question", "How many people for accuracy 90 %?")
    page.wait_for_url("**question=people**")
    says(page, "rows")
    page.reload()
    drawn(page, 1)
    says(page, "rows")
    hold_still(page.locator("[data-chart=map]"))
    box = page.locator("[data-chart=map] .nsewdrag").bounding_box()
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 0.3 * box["height"])
    expect(page).to_have_url(re.compile(r"base=[^&]*clip_norm\+(?!0\.5\b)[^&]*rows"))


def test_the_tab_what_if_asks_about_the_settings_of_the_page(lab):
    page = lab("classifier?public_rows=0", charts=1, width=1440)
    tab(page, "What if")
    says(page, re.compile(r"80\s%"), ANSWER)
    enter(page.get_by_role("spinbutton", name="Target"), "70")
    says(page, re.compile(r"so that 9 of 10 runs reach accuracy 70\s%"), ANSWER)
    expect(page).to_have_url(re.compile(r"what_if=target"))
    expect(page.locator("[data-chart=answer]")).not_to_contain_text(TRAINING)
    said, link = page.locator(ANSWER).inner_text(), page.url
    page.get_by_role("link", name="Open on the page What if").click()
    page.wait_for_url("**/what-if**")
    expect(page.locator(".lab-numbers")).to_have_text(said)
    page.goto(link)
    drawn(page, 1)
    tab(page, "What if")
    expect(page.locator(ANSWER)).to_have_text(said)


def test_long_work_leaves_what_is_typed_and_gives_way_to_a_movement(
    lab, serve, tmp_path, monkeypatch
):
    monkeypatch.setenv("LAB_HELD", str(tmp_path))
    (work := tmp_path / "work").touch()
    page = lab("classifier?repeats=12", address=serve("tests/browser/apps/held_app.py"), width=1440)
    bar, numbers = (
        page.get_by_role("progressbar", name="Work in progress"),
        page.locator(".lab-numbers"),
    )
    tab(page, "What if")
    target = page.get_by_role("spinbutton", name="Target")
    expect(page.locator("[data-chart=answer]")).to_contain_text(TRAINING)
    target.select_text()
    state = "document.querySelector('[data-testid=stApp]').dataset.testScriptState"
    for key in "70.5":  # slower than the page's slices of work come
        page.keyboard.type(key)
        page.wait_for_function(f"() => {state} === 'running'")
        page.wait_for_function(f"() => {state} === 'notRunning'")
    expect(target).to_have_value("70.5")
    target.press("Enter")
    expect(page).to_have_url(re.compile(r"what_if=target"))
    expect(target).to_have_value("70.5")
    expect(bar).to_be_visible()
    before = numbers.inner_html()
    enter(page, "7")
    page.wait_for_function(
        "before => document.querySelector('.lab-numbers').innerHTML !== before", arg=before
    )
    page.wait_for_url("**epsilon=7.0*")
    expect(bar).to_be_visible()
    assert int(bar.get_attribute("aria-valuenow")) < 90
    button(page, "Share").click()
    says(page, "epsilon=7.0", "[data-testid=stCode]")
    work.unlink()
    expect(bar).to_be_hidden()


def test_a_phone_reads_the_link_off_the_screen(lab):
    page = lab("classifier?epsilon=0.3&repeats=5&pin=clip_norm~0.1", charts=1, width=1440)
    button(page, "Share").click()
    code = page.get_by_test_id("stImage").locator("img")
    expect(code).to_have_attribute("alt", QR_ALT)
    still(page)  # what is shown may pale while the page computes
    hold_still(code)
    [found] = zxingcpp.read_barcodes(Image.open(io.BytesIO(code.screenshot())).convert("L"))
    expect(page.get_by_test_id("stCode").filter(visible=True).last).to_have_text(
        found.text
    )  # which opens elsewhere


def test_share_fits_a_phone_and_its_heading_is_no_tab_stop(lab):
    page = lab("classifier", charts=1, width=390, height=844)
    button(page, "Share").click()
    expect(page.get_by_test_id("stCode").filter(visible=True).first).to_be_visible()
    still(page)
    box = page.get_by_test_id("stPopoverBody").filter(visible=True).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    heading_link = page.get_by_test_id("stHeaderActionElements").locator("a").first
    assert heading_link.evaluate("node => { node.focus(); return document.activeElement !== node }")


# Notes what the sentence says, in order, and each picture of the regions.
LISTEN = f"""() => {{
  window.heard = []
  window.regions = new Set()
  const listen = () => {{
    const words = document.querySelector(".lab-verdict").textContent
    if (words !== heard.at(-1)) heard.push(words)
    regions.add(({SHOWN})(document.querySelector("[data-chart='map.private']")))
    requestAnimationFrame(listen)
  }}
  listen()
}}"""


def test_a_training_plays_from_the_first_step_to_the_last(lab):
    page = lab(NETWORK, charts=3, width=1440)
    says(page, "After 60 steps of 60, epsilon 3 is spent")
    still(page)
    page.locator("[data-chart='map.private']").scroll_into_view_if_needed()
    page.evaluate(LISTEN)
    button(page, "Play").click()
    page.wait_for_function("() => heard.length > 2 && heard.at(-1).includes('After 60 steps')")
    heard = page.evaluate("heard")[1:]  # where it stood before
    steps = [int(step) for words in heard for step in re.findall(r"After (\d+) steps? of", words)]
    assert steps == sorted(set(steps))
    assert any("weights are still random" in words for words in heard)
    spent = [
        float(epsilon)
        for words in heard
        for epsilon in re.findall(r"epsilon ([\d.]+) is spent", words)
    ]
    assert spent == sorted(spent)
    assert min(len(set(spent)), page.evaluate("regions.size")) > 3
    button(page, "Play").click()
    reset(page)  # the server moves the slider
    expect(field(page)).not_to_have_value("3")
    expect(button(page, "Play")).to_be_visible()
    expect(field(page, "Step shown")).to_have_value("60")


def test_the_person_is_dragged_by_a_finger_and_the_picture_follows(lab):
    page = lab(
        "attack?repeats=100&steps=5&who=row",
        charts=3,
        width=390,
        height=1000,
        dark=True,
        touch=True,
    )
    map_, handle = (
        page.locator("[data-chart='map'] .nsewdrag"),
        page.locator("[data-chart='map'] [data-handle]"),
    )
    hold_still(handle)
    x, y = middle(handle)
    top = page.evaluate(SCROLLED)
    places = [
        (x, y),
        (x - 50, y - 60),
    ]  # none in between, which would be in the address for a while
    lift = swipe(page, places)
    says(page, "an outlier", "[data-chart='map'] .js-plotly-plot")  # before it is let go
    lift()
    page.wait_for_url(lambda address: "who=" not in address)  # as it is by default
    assert middle(handle) == pytest.approx(places[-1], abs=3)
    assert page.evaluate(SCROLLED) == top
    still(page)  # beside the person the same movement scrolls, and moves nobody
    there, box = page.url, map_.bounding_box()
    x, y = box["x"] + 0.1 * box["width"], box["y"] + 0.9 * box["height"]
    swipe(page, [(x, y - 10 * step) for step in range(13)])()
    page.wait_for_function(f"top => {SCROLLED} > top + 60", arg=top)
    still(page)
    assert page.url == there


def test_after_a_drag_in_which_curves_came_and_went_the_legend_is_that_of_the_chart(lab):
    page = lab("regression?dataset=diabetes&repeats=20", width=1440)
    becomes(page, SHOWS_CURVES, True)

    sweep(page, grab(page, "Rows"), 20)
    page.mouse.up()
    still(page)

    becomes(page, SHOWS_CURVES, True)


def test_a_result_stays_when_a_movement_comes_during_a_run_of_the_whole_page(page, serve):
    opened = page(serve("tests/browser/apps/slow_page.py"))
    expect(opened.get_by_text("The result")).to_be_visible()
    rests(opened)
    opened.evaluate(REMOVALS)

    for _ in range(5):
        button(opened, "Run the whole page").click()
        opened.wait_for_function(RUNS)
        button(opened, "Run the live part").click()
        rests(opened)

    assert opened.evaluate("removals") == 0
