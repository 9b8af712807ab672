"""The page of the works: each link opens without a notice, and each number is what that page computes."""

import re
from functools import cache

import pytest

from dpcore.papers import PAPERS
from pages.learn.works import WORKS, Part
from pages.table import PAGES
from tests.test_pages import opened, text
from ui.controls import from_link

KINDS = {page.name: page.settings for page in PAGES}
PARTS = [(key, part) for key, parts in WORKS.items() for part in parts]
NAMES = [f"{key}: {part.part}" for key, part in PARTS]
# What is in a sentence as a number and is none of a result: a formula.
FORMULA = re.compile(r"\$[^$]*\$")
NUMBER = re.compile(r"(?<![\w.])−?\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")


@cache
def result_of(page: str, link: tuple[tuple[str, str], ...]):
    settings, notices = from_link(KINDS[page], dict(link))
    assert notices == []
    return settings.run()


def written(value: float, like: str) -> str:
    """A value with the decimals and the separators of ``like``."""
    decimals = len(like.partition(".")[2])
    return f"{value:,.{decimals}f}".replace("-", "−")


@pytest.mark.parametrize(("key", "part"), PARTS, ids=NAMES)
def test_every_number_is_the_page_s_own(key: str, part: Part):
    for number, read in part.numbers.items():
        assert number in NUMBER.findall(FORMULA.sub("", part.holds)), number
        assert written(float(read(result_of(part.page, tuple(part.settings.items())))), number) == number


@pytest.mark.parametrize(("key", "part"), PARTS, ids=NAMES)
def test_no_number_is_only_said(key: str, part: Part):
    """Each is computed, or printed in the work and repeated from there."""
    said = set(NUMBER.findall(FORMULA.sub("", part.holds))) - set(part.numbers)
    assert said <= set(NUMBER.findall(FORMULA.sub("", part.says)))


def test_they_are_the_five_works():
    assert list(WORKS) == ["zhang2022", "jiang2018", "wang2019", "hamm2016", "hoseinpour2023"]
    assert WORKS.keys() <= PAPERS.keys()
    assert all(
        part.page or "Not in the lab yet" in part.holds or "not a knob" in part.holds.lower() for _, part in PARTS
    )


LINKS = dict.fromkeys((part.page, tuple(part.settings.items())) for _, part in PARTS if part.page)


@pytest.mark.parametrize(("page", "link"), LINKS, ids=str)
def test_every_link_opens_without_a_notice(page: str, link: tuple[tuple[str, str], ...]):
    app = opened(page, **dict(link))
    assert not app.exception
    assert not app.warning
    settings = app.session_state[f"{page}.desk"].settings
    assert settings == from_link(KINDS[page], dict(link))[0]
    assert {name: str(getattr(settings, name)) for name, _ in link} == {
        name: str(type(getattr(settings, name))(value)) for name, value in link
    }


def test_the_page_has_a_table_for_each():
    app = opened("works")
    assert not app.exception
    assert len([one for one in app.markdown if one.value.startswith("| Part")]) == len(WORKS)
    page = text(app)
    assert all(f"**{part.part}**" in page for _, part in PARTS)
    assert "(transfer?noise=printed&epsilon=1)" in page
