"""The what-if planner in a browser: questions, clicks on the pictures, and the tab of another page."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.person import PATIENCE, drawn

VERDICT, TRAINING = ".lab-verdict", re.compile(r"of \d+ trained")


@pytest.fixture
def opened(page, serve):
    """opened(path) -> the page, drawn."""

    def open_page(path: str):
        here = page(f"{serve('app.py')}/{path}", width=1440, height=900)
        drawn(here, charts=1)
        return here

    return open_page


def asked(here) -> dict[str, str]:
    """What the address holds."""
    return {name: values[0] for name, values in parse_qs(urlsplit(here.url).query).items()}


def settled(here) -> str:
    """The answer, once all of it is trained."""
    expect(here.locator("[data-chart=map]")).not_to_contain_text(TRAINING, timeout=PATIENCE)
    expect(here.locator(VERDICT)).not_to_contain_text("so far", timeout=PATIENCE)
    return here.locator(VERDICT).inner_text()


def test_which_epsilon_and_another_question_by_one_click(opened):
    here = opened("what-if?repeats=24")
    assert re.search(r"Median accuracy is 90\s% with epsilon 0\.\d+", settled(here))
    here.get_by_role("combobox", name="Question").click()
    here.get_by_role("option", name="How many people for accuracy 90 %?").click()
    expect(here.locator(VERDICT)).to_contain_text("rows", timeout=PATIENCE)
    expect(here).to_have_url(re.compile("question=people"), timeout=PATIENCE)
    said = settled(here)
    here.reload()
    drawn(here, charts=1)
    expect(here.locator(VERDICT)).to_have_text(said, timeout=PATIENCE)


def test_a_click_on_the_map_goes_there(opened):
    here = opened("what-if?repeats=24")
    settled(here)
    box = here.locator("[data-chart=map] .nsewdrag").bounding_box()
    here.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 0.3 * box["height"])
    expect(here).to_have_url(re.compile(r"base=[^&]*epsilon"), timeout=PATIENCE)
    assert "clip_norm 0.5" not in asked(here)["base"]


def test_the_tab_asks_about_the_page_and_its_link_too(opened):
    here = opened("classifier?public_rows=0")
    here.get_by_role("tab", name="What if").click()
    answer = here.locator(".lab-words-answer")
    expect(answer).to_contain_text(re.compile(r"80\s%"), timeout=PATIENCE)
    here.get_by_role("spinbutton", name="Target").fill("70")
    here.get_by_role("spinbutton", name="Target").press("Enter")
    expect(answer).to_contain_text(re.compile(r"[Mm]edian accuracy is 70\s%"), timeout=PATIENCE)
    expect(here).to_have_url(re.compile(r"what_if=target"), timeout=PATIENCE)
    expect(here.locator("[data-chart=answer]")).not_to_contain_text(TRAINING, timeout=PATIENCE)
    said, link = answer.inner_text(), here.url
    here.get_by_role("link", name="Open in the What-if planner").click()
    expect(here).to_have_url(re.compile("/what-if"), timeout=PATIENCE)
    expect(here.locator(VERDICT)).to_have_text(said, timeout=PATIENCE)
    here.goto(link)
    drawn(here, charts=1)
    here.get_by_role("tab", name="What if").click()
    expect(answer).to_have_text(said, timeout=PATIENCE)


def test_a_target_that_is_typed_while_the_page_computes_is_not_taken_away(page, slow):
    here = page(f"{slow.address}/parties", width=1440, height=900)
    drawn(here, charts=1)
    here.get_by_role("tab", name="What if").click()
    target = here.get_by_role("spinbutton", name="Target")
    target.wait_for(timeout=PATIENCE)
    expect(here.locator("[data-chart=answer]")).to_contain_text(TRAINING, timeout=PATIENCE)
    target.select_text()
    for key in "70.5":  # slower than the page's slices of work come
        here.keyboard.type(key)
        here.wait_for_timeout(400)
    expect(target).to_have_value("70.5")
    target.press("Enter")
    expect(here).to_have_url(re.compile(r"what_if=target"), timeout=PATIENCE)
    expect(target).to_have_value("70.5")
