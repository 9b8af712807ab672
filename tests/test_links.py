"""What links and fields may hold: no value takes a page away, and numbers are read as people write them."""

import math
from dataclasses import dataclass, fields

import pytest

from dpcore.check import RefusedError
from lab.links import UNFORESEEN
from lab.settings import Settings
from pages.parties.experiment import PartiesSettings
from scripts.fuzz_links import PAGES, fault, links
from tests.app import QUICK, moved, opened
from ui.controls import Desk, from_link
from ui.vocabulary import KNOBS

COUNT = 250
COSTLY = {"network": 60, "what-if": 80}  # each link's noise is calibrated anew


@pytest.mark.parametrize("page", PAGES)
def test_no_link_takes_a_page_away(page):
    kind, tried, taken, refused = PAGES[page], set(), set(), 0
    some = list(links(kind, count=COSTLY.get(page, COUNT), seed=1))
    assert [(wrong, link) for link in some if (wrong := fault(kind, link))] == []
    for link in some:
        settings, notices = from_link(kind, link)
        tried |= set(link)
        taken |= {name for name in link if getattr(settings, name, None) != getattr(kind(), name, None)}
        refused += bool(notices)
    names = {one.name for one in fields(kind)}
    assert tried == names | {"unknown", "v"}
    # A feature beyond the second needs another data set in the same link
    assert names - taken <= {"own", "feature_x", "feature_y", "weight_7", "weight_8"} or page in COSTLY
    assert len(some) / 4 < refused < len(some)


@pytest.mark.parametrize("page", PAGES)
def test_every_field_refuses_by_its_name_what_has_no_meaning(page):
    kind = PAGES[page]
    bad = [(name, value) for name, ends in kind.LIMITS.items() for value in (ends[0] - 1, ends[1] + 1, math.nan, "x")]
    bad += [(name, None) for name in kind.LIMITS if name != "rows"] + [(name, "mars") for name in kind.CHOICES]
    bad += [(name, value) for name, (low, _) in kind.LIMITS.items() if type(low) is int for value in (low + 0.5, True)]
    for name, value in bad:
        with pytest.raises(RefusedError) as caught:
            kind(**{name: value})
        assert str(caught.value).startswith(f"{name} is {value!r}, but must be ")
    assert set(kind.LIMITS) <= set(KNOBS)


@dataclass(frozen=True)
class Broken(Settings):
    number: float = 1.0

    def __post_init__(self):
        if self.number > 5:
            raise KeyError("oops")

    def change(self, **changes) -> "Broken":
        return Broken(**changes)


def test_a_fault_of_ours_is_a_refusal_in_words(caplog):
    settings, notices = from_link(Broken, {"number": "7"})
    assert settings == Broken()
    assert notices == [f"In the link, `number=7` was ignored. It must be {UNFORESEEN}."]
    desk = Desk(page="broken", settings=Broken())
    desk.change(number=7.0)
    assert desk.settings == Broken()
    assert desk.errors.keys() == {"number"}
    assert "oops" in caplog.text  # and who runs the lab can read of it


def test_numbers_are_read_as_people_write_them_and_other_texts_are_refused():
    """A comma that can be read in two ways is asked about."""
    for text in ("0,3", " 0.3 ", "3e-1", "+,3"):
        assert from_link(PartiesSettings, {"unlike": text}) == (PartiesSettings(unlike=0.3), [])
    asks = "Its comma can be read in two ways. Write 1000 or 1.000."
    for text in ("nan", "inf", "1_0", "\uff11\uff10", "10\n", "0x10", "1,0,0", "True", "", "9" * 5000, "1,000"):
        settings, (notice,) = from_link(PartiesSettings, {"parties": text})
        assert settings == PartiesSettings()
        assert "must be a whole number from 2 to 20000" in notice
        assert len(notice) < 200
        desk = Desk(page="parties", settings=settings)
        desk.change(parties=text)
        assert notice.endswith(asks) == desk.errors["parties"].endswith(asks) == (text == "1,000")


def test_a_field_that_is_refused_can_be_corrected():
    app = moved(opened("parties", **QUICK["parties"]), "parties", "unlike", "half")
    desk = app.session_state["parties.desk"]
    assert "cannot be half: it must be a number from 0" in desk.errors["unlike"]
    moved(app, "parties", "unlike", "0,3")
    assert not app.exception
    assert desk.settings.unlike == 0.3
    assert not desk.errors
