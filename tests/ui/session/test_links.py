"""No link takes a page away, and values are read as people write them."""

import math
from dataclasses import dataclass, fields

import pytest

from dpcore.check import RefusedError
from lab.experiment.links import UNFORESEEN, VERSION, is_tracking
from lab.experiment.settings import Settings
from pages.classifier.settings import ClassifierSettings
from pages.parties.settings import PartiesSettings
from scripts.fuzz_links import PAGES, fault, links
from tests.app import QUICK, moved, opened
from ui.session.entries import from_link
from ui.session.page_state import PageState
from ui.text.sliders import SLIDERS

LINKS = 250
# Of pages whose noise is calibrated anew for each link.
COSTLY_LINKS = {"network": 60, "what-if": 80}
# A weight beyond the fifth needs more sources in the same link.
SELDOM_CHANGED = {"own"}


@pytest.mark.parametrize("page", PAGES)
def test_no_link_takes_a_page_away(page):
    kind = PAGES[page]
    defaults = kind()
    tried = set()
    changed = set()
    ignored = 0
    page_links = list(links(kind, count=COSTLY_LINKS.get(page, LINKS), seed=1))

    for link in page_links:
        assert not fault(kind, link), link
        settings, notices = from_link(kind, link)
        tried |= set(link)
        for name in link:
            if getattr(settings, name, None) != getattr(defaults, name, None):
                changed.add(name)
        if notices:
            ignored += 1

    names = {field.name for field in fields(kind)}
    assert tried == names | {"unknown", "v"}
    assert names - changed <= SELDOM_CHANGED or page in COSTLY_LINKS
    assert len(page_links) / 4 < ignored < len(page_links)


class TestOtherParameters:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("utm_source", "moodle"),
            ("UTM_Medium", "x"),
            ("fbclid", "x"),
            ("gclid", "x"),
            ("mc_eid", "x"),
            ("forceview", "1"),
        ],
    )
    def test_what_other_programs_add_is_dropped(self, name, value):
        settings, notices = from_link(ClassifierSettings, {"epsilon": "2", name: value})

        assert settings == ClassifierSettings(epsilon=2.0)
        assert notices == []

    def test_no_setting_is_taken_for_such_a_parameter(self):
        names = {field.name for kind in PAGES.values() for field in fields(kind)}

        assert not [name for name in names if is_tracking(name)]

    def test_an_unknown_parameter_gives_a_notice(self):
        settings, (notice,) = from_link(ClassifierSettings, {"epsilon": "2", "epsilom": "3"})

        assert settings == ClassifierSettings(epsilon=2.0)
        assert "`epsilom=3` was ignored" in notice


class TestVersion:
    @pytest.mark.parametrize(
        "version",
        [
            pytest.param(str(VERSION + 1), id="later"),
            pytest.param("0", id="earlier"),
            pytest.param("", id="empty"),
            pytest.param(f"{VERSION}.0", id="no whole number"),
            pytest.param("x" * 5000, id="long"),
            pytest.param("<b>", id="HTML"),
        ],
    )
    def test_a_link_of_another_version_opens_with_a_notice(self, version):
        settings, (notice,) = from_link(ClassifierSettings, {"epsilon": "2", "v": version})

        assert settings == ClassifierSettings(epsilon=2.0)
        assert notice.endswith(
            f" was ignored. It must be {VERSION}, the version of the present defaults."
        )
        assert len(notice) < 200

    def test_a_link_of_the_present_version_opens_without_a_notice(self):
        _, notices = from_link(ClassifierSettings, {"epsilon": "2", "v": str(VERSION)})

        assert notices == []


@pytest.mark.parametrize("page", PAGES)
class TestRefusals:
    @staticmethod
    def meaningless_values(kind: type[Settings]) -> list[tuple[str, object]]:
        """Return pairs of a field and a value that settings of this kind must refuse."""
        values: list[tuple[str, object]] = []
        for name, (low, high) in kind.LIMITS.items():
            values += [(name, low - 1), (name, high + 1), (name, math.nan), (name, "x")]
            if name != "rows":
                values.append((name, None))
            if type(low) is int:
                values += [(name, low + 0.5), (name, True)]
        values += [(name, "mars") for name in kind.CHOICES]
        return values

    def test_every_field_refuses_meaningless_values_by_its_name(self, page):
        kind = PAGES[page]
        for name, value in self.meaningless_values(kind):
            with pytest.raises(RefusedError) as caught:
                kind(**{name: value})

            assert str(caught.value).startswith(f"{name} is {value!r}, but must be ")

    def test_every_field_with_limits_has_a_slider(self, page):
        assert set(PAGES[page].LIMITS) <= set(SLIDERS)


@dataclass(frozen=True)
class Broken(Settings):
    """Settings with a fault for numbers above 5."""

    number: float = 1.0

    def __post_init__(self):
        """Raise KeyError for a number above 5, as a mistake in the code would."""
        if self.number > 5:
            raise KeyError("oops")

    def change(self, **changes) -> "Broken":
        """Return settings with these changes to the defaults."""
        return Broken(**changes)


class TestFault:
    def test_a_fault_in_the_settings_of_a_link_is_a_notice_and_logged(self, caplog):
        settings, notices = from_link(Broken, {"number": "7"})

        assert settings == Broken()
        assert notices == [f"In the link, `number=7` was ignored. It must be {UNFORESEEN}."]
        assert "oops" in caplog.text

    def test_a_fault_in_the_settings_of_a_control_is_a_refusal_and_logged(self, caplog):
        state = PageState(page="broken", settings=Broken())

        state.change("number", 7.0)

        assert state.settings == Broken()
        assert state.errors.keys() == {"number"}
        assert "oops" in caplog.text


class TestNumbers:
    @pytest.mark.parametrize("text", ["0,3", " 0.3 ", "3e-1", "+,3"])
    def test_numbers_are_read_as_people_write_them(self, text):
        assert from_link(PartiesSettings, {"unlike": text}) == (PartiesSettings(unlike=0.3), [])

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("nan", id="nan"),
            pytest.param("inf", id="inf"),
            pytest.param("1_0", id="underscore"),
            pytest.param("\uff11\uff10", id="digits of another script"),
            pytest.param("10\n", id="line break"),
            pytest.param("0x10", id="hexadecimal"),
            pytest.param("1,0,0", id="two commas"),
            pytest.param("True", id="truth value"),
            pytest.param("", id="empty"),
            pytest.param("9" * 5000, id="long"),
        ],
    )
    def test_texts_that_are_no_numbers_are_refused(self, text):
        settings, (notice,) = from_link(PartiesSettings, {"parties": text})
        state = PageState(page="parties", settings=settings)
        state.change("parties", text)

        assert settings == PartiesSettings()
        assert "must be a whole number from 2 to 20000" in notice
        assert len(notice) < 200
        assert "two ways" not in notice
        assert "two ways" not in state.errors["parties"]

    @pytest.mark.parametrize(
        ("text", "question"),
        [
            ("1,000", "Its comma can be read in two ways. Write 1000 or 1."),
            ("10.000", "Its point can be read in two ways. Write 10000 or 10."),
            ("\u221210.000", "Its point can be read in two ways. Write -10000 or -10."),
            (" 1.250 ", "Its point can be read in two ways. Write 1250 or 1.25."),
        ],
    )
    def test_a_separator_with_two_readings_is_asked_about(self, text, question):
        settings, (notice,) = from_link(PartiesSettings, {"parties": text})
        state = PageState(page="parties", settings=settings)
        state.change("parties", text)

        assert settings == PartiesSettings()
        assert notice.endswith(question)
        assert state.errors["parties"].endswith(question)

    def test_a_point_has_one_reading_where_decimals_are_allowed(self):
        settings = PartiesSettings(epsilon=1.25)

        assert from_link(PartiesSettings, {"epsilon": "1.250"}) == (settings, [])

    def test_a_number_has_one_reading(self):
        state = PageState(page="parties", settings=PartiesSettings())

        state.change("parties", 1e9)

        assert "two ways" not in state.errors["parties"]


def test_a_refused_field_can_be_corrected():
    app = moved(opened("parties", **QUICK["parties"]), "parties", "unlike", "half")
    state = app.session_state["parties.state"]
    assert "cannot be half: it must be a number from 0" in state.errors["unlike"]

    moved(app, "parties", "unlike", "0,3")

    assert not app.exception
    assert state.settings.unlike == 0.3
    assert not state.errors
