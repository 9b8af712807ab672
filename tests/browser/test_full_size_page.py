"""A question's sweep at full size, in a browser: it says what it takes, streams, is stopped, gives way and goes on."""

import io
import re
import zipfile

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.person import PATIENCE, drawn, field, slider
from tests.browser.test_accessibility import broken

SAID, VERDICT = ".lab-full-size", ".lab-verdict"
TRAINED = re.compile(r"([\d,]+) of ([\d,]+) trained")


@pytest.fixture
def opened(page, serve):
    """opened(path) -> the page with its tab open."""

    def open_page(path: str):
        here = page(f"{serve('app.py')}/{path}", width=1440, height=900)
        drawn(here, charts=3)
        here.get_by_role("tab", name="Larger run").click()
        return here

    return open_page


def press(here, name: str) -> None:
    here.get_by_role("button", name=name, exact=True).click(timeout=PATIENCE)


def trained(here) -> int:
    """As the line over the bar says."""
    line = here.get_by_test_id("stProgress").get_by_text(TRAINED)
    expect(line).to_be_visible(timeout=PATIENCE)
    return int(TRAINED.search(line.inner_text())[1].replace(",", ""))


def grows(here, before: int) -> int:
    """Wait until more is trained."""
    for _ in range(PATIENCE // 250):
        now = trained(here)
        if now > before:
            return now
        here.wait_for_timeout(250)
    raise AssertionError(before)


def there(here) -> int:
    """How many the estimate says are trained."""
    said = here.locator(SAID).first
    expect(said).to_contain_text("of them are trained", timeout=PATIENCE)
    return int(re.search(r"; ([\d,]+) of them", said.inner_text())[1].replace(",", ""))


def test_it_streams_is_stopped_gives_way_to_a_knob_and_goes_on(opened):
    here = opened("what-if?repeats=24&base=dataset breast_cancer public_rows 0 steps 100 seed 77")
    here.get_by_role("radio", name="20", exact=True).click(timeout=PATIENCE)
    press(here, "Run this at full size")
    start = here.get_by_role("button", name="Start", exact=True)
    expect(start).to_be_visible(timeout=PATIENCE)
    expect(here.locator(SAID).first).to_contain_text("960,000 trainings")
    expect(here.locator(SAID).first).to_contain_text(re.compile(r"what is left takes about \d+ (minutes?|seconds?)"))
    start.click()
    expect(here.locator("[data-chart=full-size] .js-line").first).to_be_attached(timeout=PATIENCE)
    first = grows(here, trained(here))

    before = here.locator(VERDICT).inner_text()
    slider(here, "Target").press("ArrowLeft")  # the runs are the same, and go on
    expect(here.locator(VERDICT)).not_to_have_text(before, timeout=PATIENCE)
    grows(here, first)

    press(here, "Stop")
    stopped = there(here)
    assert stopped >= first
    field(here, "Epsilon").fill("2")
    field(here, "Epsilon").press("Enter")
    expect(here.get_by_role("button", name="Run this at full size")).to_be_visible(timeout=PATIENCE)
    expect(here.locator(SAID).first).not_to_contain_text("of them are trained", timeout=PATIENCE)
    press(here, "Undo")
    expect(here.get_by_role("button", name="Go on", exact=True)).to_be_visible(timeout=PATIENCE)
    assert stopped <= there(here) < stopped + 20_000  # what was at work when it was stopped has ended
    press(here, "Go on")
    grows(here, stopped)
    field(here, "Epsilon").fill("3")  # another question ends it
    field(here, "Epsilon").press("Enter")
    expect(here.get_by_role("button", name="Run this at full size")).to_be_visible(timeout=PATIENCE)


def test_what_came_of_it_is_said_and_taken_away_and_is_there_for_who_comes_back(opened):
    link = "what-if?repeats=24&base=dataset iris steps 5 public_rows 0 seed 78"
    here = opened(link)
    press(here, "Run this at full size")
    finished = here.get_by_role("button", name="All runs (Parquet, zip)")
    start = here.get_by_role("button", name="Start", exact=True)
    expect(start.or_(finished)).to_be_visible(timeout=PATIENCE)
    if start.is_visible():
        start.click()
    expect(finished).to_be_visible(timeout=PATIENCE)
    said = here.locator(SAID).first
    expect(said).to_contain_text("by 1,000 runs of each value on one split of the rows. The picture above says")
    with here.expect_download() as download:
        finished.click()
    with zipfile.ZipFile(download.value.path()) as packed:
        assert sorted(packed.namelist()) == ["README.txt", "runs.parquet", "settings.json"]
        runs = pd.read_parquet(io.BytesIO(packed.read("runs.parquet")))
    assert list(runs) == ["epsilon", "seed", "repeat", "scratch"]
    assert (runs.groupby("epsilon").size() == 1000).all()
    here.get_by_text("The same without a page").click()
    expect(here.get_by_text("make sweep ARGS=")).to_be_visible(timeout=PATIENCE)
    assert broken(here) == []
    told = said.inner_text()
    again = opened(link)
    press(again, "Run this at full size")
    expect(again.locator(SAID).first).to_have_text(told, timeout=PATIENCE)
