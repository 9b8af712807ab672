"""What holds on every page that takes a file of one's own, whatever the page does with its rows."""

from dataclasses import asdict

import pytest

from dpcore import check
from lab.files.file_handles import NONE
from lab.sources import SourceSettings
from pages.table import PAGES as ALL
from tests.test_own_pages import COUNTING, PAGES, of_page
from ui import controls, takeaway

TAKING = (*COUNTING, "attack")
# A number that a link may give, far from what a file begins with.
ASKED = {
    "attack": {"person": 30},
    "regression": {"rows": 300},
    "transfer": {"target_rows": 100},
    "parties": {"rows": 7},
}
# Cells of the files, and names of their columns.
PRIVATE = ("churned", "tenure", "basic", "customer", "salary", "trade", "ward", "readmitted")


def asked(page: str) -> dict[str, int]:
    return ASKED.get(page, {"rows": 300})


def test_all_pages_about_rows_are_held():
    assert {page.name for page in ALL if issubclass(page.settings, SourceSettings)} == {*TAKING}


@pytest.mark.parametrize("page", TAKING)
def test_who_has_only_the_name_has_nothing(page):
    """And gets the link's numbers once the file is there."""
    whole = of_page(page, **asked(page))
    link = {name: str(value) for name, value in asdict(whole).items()}
    stranger, notices = controls.from_link(type(whole), link)
    assert (notices, stranger.private, stranger.roles) == ([], True, None)
    assert {name: getattr(stranger, name) for name in asked(page)} == asked(page)
    with pytest.raises(check.RefusedError, match="session"):
        stranger.tasks()
    assert stranger.change(own=whole.own) == whole
    written = (str(link) + takeaway.script(whole)).replace(str(whole.own), "")
    assert [part for part in PRIVATE if part in written] == []


@pytest.mark.parametrize("page", TAKING)
def test_a_file_leaves_no_trace_in_settings_about_rows_of_the_lab(page):
    kind = PAGES[page].settings
    back = of_page(page).change(dataset=kind().dataset)
    assert (back.own, back.private, back.roles, back.void, back.spent) == (NONE, False, None, "", 0.0)
    assert kind().change(own=str(of_page(page).own)).own == NONE
    with pytest.raises(check.RefusedError, match="own"):
        kind().change(dataset="own", own="customers.csv")


@pytest.mark.parametrize("page", TAKING)
def test_another_data_set_brings_every_field_into_its_range(page):
    """From both ends of all ranges, to each data set, and on to a file."""
    start = PAGES[page].settings()
    own = of_page(page).own
    for end in (0, 1):
        at_end = start
        for name in start.limits:
            try:
                at_end = at_end.change(**{name: at_end.limits[name][end]})
            except check.RefusedError:  # it does not go with another end
                continue
        for dataset in start.choices["dataset"]:
            there = at_end.change(dataset=dataset)  # settings out of their range are refused
            assert there.dataset == dataset
            here = there.change(dataset="own").change(own=own)
            assert all(low <= getattr(here, name) <= high for name, (low, high) in here.limits.items())


@pytest.mark.parametrize("page", TAKING)
def test_what_a_file_fixes_has_no_slider_and_no_program_holds_a_file(page):
    for settings in (PAGES[page].settings(), of_page(page)):
        here = PAGES[page].at(settings)
        knobs = here.sliders(settings)
        limits = [settings.limits[name] for name in (knobs.hero, *knobs.main, *knobs.more)]
        assert [pair for pair in limits if pair[0] == pair[1]] == []
        assert here.code is None or not settings.private
        assert len({tab.name for tab in here.tabs}) == len(here.tabs)
