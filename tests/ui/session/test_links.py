"""Foreign text: no link takes a page away, numbers are read as people write them, and letters lose
their power.
"""

import csv
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from html import unescape

import pytest

from dpcore.check import RefusedError
from lab.experiment.links import UNFORESEEN, VERSION, is_tracking
from lab.experiment.settings import Settings
from lab.uploads import rows as own_rows
from lab.uploads import table as own_table
from lab.uploads.column_roles import Column, Roles
from pages.classifier.settings import ClassifierSettings
from pages.parties.settings import PartiesSettings
from scripts.fuzz_links import PAGES, fault, links
from tests.app import QUICK, moved, opened
from tests.hostile import HOSTILE
from ui.session.entries import from_link
from ui.session.page_state import PageState
from ui.text.escaping import plain, quoted
from ui.text.sliders import SLIDERS
from ui.uploads import rows as my_rows

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
        taken |= {
            name for name in link if getattr(settings, name, None) != getattr(kind(), name, None)
        }
        refused += bool(notices)
    names = {one.name for one in fields(kind)}
    assert tried == names | {"unknown", "v"}
    # A feature beyond the second needs another data set in the same link, a weight beyond the fifth
    # more sources
    assert (
        names - taken <= {"own", "feature_x", "feature_y", "weight_6", "weight_7", "weight_8"}
        or page in COSTLY
    )
    assert len(some) / 4 < refused < len(some)


def test_what_others_add_to_a_link_is_dropped_and_an_unknown_parameter_is_said():
    added = {
        "utm_source": "moodle",
        "UTM_Medium": "x",
        "fbclid": "x",
        "gclid": "x",
        "mc_eid": "x",
        "forceview": "1",
    }
    assert from_link(ClassifierSettings, {"epsilon": "2", **added}) == (
        ClassifierSettings(epsilon=2.0),
        [],
    )
    settings, (notice,) = from_link(ClassifierSettings, {"epsilon": "2", "epsilom": "3"})
    assert settings == ClassifierSettings(epsilon=2.0)
    assert "`epsilom=3` was ignored" in notice
    fields_of_pages = {one.name for kind in PAGES.values() for one in fields(kind)}
    assert not [name for name in fields_of_pages if is_tracking(name)]


def test_a_link_of_another_version_says_so_and_opens():
    for version in (str(VERSION + 1), "0", "", f"{VERSION}.0", "x" * 5000, "<b>"):
        settings, (notice,) = from_link(ClassifierSettings, {"epsilon": "2", "v": version})
        assert settings == ClassifierSettings(epsilon=2.0)
        assert notice.endswith(
            f" was ignored. It must be {VERSION}, the version of the present defaults."
        )
        assert len(notice) < 200
    assert from_link(ClassifierSettings, {"epsilon": "2", "v": str(VERSION)})[1] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_field_refuses_by_its_name_what_has_no_meaning(page):
    kind = PAGES[page]
    bad = [
        (name, value)
        for name, ends in kind.LIMITS.items()
        for value in (ends[0] - 1, ends[1] + 1, math.nan, "x")
    ]
    bad += [(name, None) for name in kind.LIMITS if name != "rows"] + [
        (name, "mars") for name in kind.CHOICES
    ]
    bad += [
        (name, value)
        for name, (low, _) in kind.LIMITS.items()
        if type(low) is int
        for value in (low + 0.5, True)
    ]
    for name, value in bad:
        with pytest.raises(RefusedError) as caught:
            kind(**{name: value})
        assert str(caught.value).startswith(f"{name} is {value!r}, but must be ")
    assert set(kind.LIMITS) <= set(SLIDERS)


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
    state = PageState(page="broken", settings=Broken())
    state.change("number", 7.0)
    assert state.settings == Broken()
    assert state.errors.keys() == {"number"}
    assert "oops" in caplog.text  # and who runs the lab can read of it


def test_numbers_are_read_as_people_write_them_and_other_texts_are_refused():
    """A comma or a point that can be read in two ways is asked about."""
    for text in ("0,3", " 0.3 ", "3e-1", "+,3"):
        assert from_link(PartiesSettings, {"unlike": text}) == (PartiesSettings(unlike=0.3), [])
    for text in (
        "nan",
        "inf",
        "1_0",
        "\uff11\uff10",
        "10\n",
        "0x10",
        "1,0,0",
        "True",
        "",
        "9" * 5000,
    ):
        settings, (notice,) = from_link(PartiesSettings, {"parties": text})
        assert settings == PartiesSettings()
        assert "must be a whole number from 2 to 20000" in notice
        assert len(notice) < 200
        state = PageState(page="parties", settings=settings)
        state.change("parties", text)
        assert "two ways" not in notice + state.errors["parties"]
    for text, asks in (
        ("1,000", "Its comma can be read in two ways. Write 1000 or 1."),
        ("10.000", "Its point can be read in two ways. Write 10000 or 10."),
        ("\u221210.000", "Its point can be read in two ways. Write -10000 or -10."),
        (" 1.250 ", "Its point can be read in two ways. Write 1250 or 1.25."),
    ):
        settings, (notice,) = from_link(PartiesSettings, {"parties": text})
        assert settings == PartiesSettings()
        assert notice.endswith(asks)
        state = PageState(page="parties", settings=settings)
        state.change("parties", text)
        assert state.errors["parties"].endswith(asks)
    assert from_link(PartiesSettings, {"epsilon": "1.250"}) == (PartiesSettings(epsilon=1.25), [])
    state = PageState(page="parties", settings=PartiesSettings())
    state.change("parties", 1e9)
    assert "two ways" not in state.errors["parties"]


def test_a_field_that_is_refused_can_be_corrected():
    app = moved(opened("parties", **QUICK["parties"]), "parties", "unlike", "half")
    state = app.session_state["parties.state"]
    assert "cannot be half: it must be a number from 0" in state.errors["unlike"]
    moved(app, "parties", "unlike", "0,3")
    assert not app.exception
    assert state.settings.unlike == 0.3
    assert not state.errors


@pytest.mark.parametrize("text", HOSTILE)
def test_text_keeps_its_letters_on_one_line_and_nothing_that_could_act(text):
    seen = unescape(plain(text)).replace("\u2060", "")
    assert seen == " ".join(re.sub("[\x00\x1b\u202e]", "", text).split())
    assert not set(plain(text)) & set("\\`*[]<>{}+|~$!\"'^@\n\r\t\x00\x1b\u202e\u2028")
    assert "://" not in unescape(plain(text))
    assert quoted(text)[1:-1].count("`") == 0
    assert "\n" not in quoted(text)
    assert len(quoted(text * 9)) <= 62


def test_plain_text_and_letters_that_need_their_joiners_are_left():
    for text in (
        "It must be from 1 to 2.",
        "clip_norm=1e-5; “Sourcë” (3/4)",
        "",
        "می\u200cخواهم 👩\u200d🔬",
    ):
        assert plain(text) == text


def acts(said: str) -> bool:
    """Whether something in this Markdown could be more than letters; what stands as code, or bold,
    is ours.
    """
    assert said.count("`") % 2 == 0
    words, codes = "".join(said.split("`")[::2]).replace("**", ""), "".join(said.split("`")[1::2])
    unseen = set("\n\r\x00\x1b\u202e\u2028")
    return bool(
        set(words) & (set("\\[]<>{}|~$*") | unseen)
        or set(codes) & unseen
        or "://" in unescape(words)
    )


def brought(hostile: str) -> bytes:
    file = io.StringIO()
    line = csv.writer(file).writerow
    name = " ".join(
        hostile.replace(";", " ").replace("|", " ").split()
    )  # which would separate fields
    line([f"{name} text", f"{name} label", f"{name} source"])
    for row in range(1600):
        line(
            [
                f"{hostile} common{row % 7} word{row % 11}",
                f"{hostile}{row // 2 % 2}",
                f"{hostile}{row % 2}",
            ]
        )
    return file.getvalue().encode()


def filed(hostile: str) -> Iterator[str]:
    """Yield the refusals of a file that holds this wherever it may, and of choices in it."""
    table = own_table.read(brought(hostile))
    text, label, source = table.columns
    classes = tuple({*table.texts(label)})
    right = Roles(
        answer=label,
        classes=classes,
        columns=(Column(name=source, kind="category", values=classes),),
    )
    wrong: list[dict] = [
        {"answer": hostile},
        {"answer": source},
        {"person": hostile},
        {"columns": (Column(name=text, kind="number", low=0, high=1),) * 2},
        {"columns": (Column(name=hostile, kind="category", values=classes),)},
        {"classes": (f"{hostile} x", "y")},
    ]
    for change in wrong:
        with pytest.raises(RefusedError) as refused:
            own_rows.choose(table, replace(right, **change))
        yield my_rows.refused(refused.value)
    for data in (f"{' '.join(hostile.split())}\n1\n2".encode(), b"a,b\n1,2\n3"):
        with pytest.raises(RefusedError) as refused:
            own_table.read(data)
        yield my_rows.refused(refused.value)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_notice_refusal_or_caption_lets_it_act(text):
    linked = from_link(ClassifierSettings, {"dataset": text, "epsilon": text, text: text})[1]
    linked += from_link(ClassifierSettings, {"dataset": "own", "own": text})[1]
    said = [*linked, *filed(text.replace("\x00", ""))]
    assert len(said) > 10
    assert [
        *map(acts, ("It is ![x](http://e.test/p.png).", "It is `a\n\nb`.", "http://e.test"))
    ] == [True] * 3
    assert not acts("It is **bold** `http://[x]` and &#91;.")
    assert [one for one in said if acts(one)] == []
