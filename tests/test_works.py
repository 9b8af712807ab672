"""The page of the works: each link opens without a notice, and each number is what that page computes."""

import math
import re
from functools import cache

import pytest

from lab.links import VERSION
from lab.papers import PAPERS
from pages.accounting.words_statements import statements
from pages.attack.audits.table import AUDITS
from pages.hypotheses import published
from pages.hypotheses.experiment import HypothesesSettings
from pages.learn.works import BEYOND, WORKS, Part
from pages.table import PAGES
from pages.transfer.words_tabs import published_table
from tests.app import opened, text
from tests.works_numbers import AUDITED, NUMBERS, value
from ui.controls import from_link
from ui.vocabulary import KNOBS

KINDS = {page.name: page.settings for page in PAGES}
PARTS = [(key, part) for key, parts in WORKS.items() for part in parts]
NAMES = [f"{key}: {part.part}" for key, part in PARTS]
# What is in a sentence as a number and is none of a result: a formula.
FORMULA = re.compile(r"\$[^$]*\$")
NUMBER = re.compile(r"(?<![\w.])−?\d+(?:,\d{3})*(?:\.\d+)?(?:e-\d+)?(?!\w)")


@cache
def result_of(page: str, link: tuple[tuple[str, str], ...]):
    settings, notices = from_link(KINDS[page], dict(link))
    assert notices == []
    if not isinstance(settings, HypothesesSettings) or settings.projected:
        return settings.run()
    # All of the work with all words takes minutes: what the first screen shows
    first = [task for task in settings.tasks() if task.essential]
    asked = dict.fromkeys([*first, *settings.samples(), *settings.work["epsilon", math.inf]])
    return settings.result({task: task.run() for task in asked})


# Numbers of the published sizes, whose trainings take longest.
FULL = {
    "wang2019: Algorithm 1 and Theorem 2",
    "wang2019: Section 4.1: 20 Newsgroups, 5,588 terms",
    "wang2019: Section 4.1: reviews of four kinds",
    "wang2019: Figure 3: error of the weights, reviews",
    "hamm2016: Experiments: addresses",
    "hamm2016: Experiments: intrusions",
    "hamm2016: Experiments: activities",
    "hamm2016: Supplement: more than two classes",
}
FIVE = ["zhang2022", "jiang2018", "wang2019", "hamm2016", "hoseinpour2023"]


def written(number: float, like: str) -> str:
    """A value with the decimals and the separators of ``like``."""
    mantissa, power, _ = like.partition("e-")
    decimals = len(mantissa.partition(".")[2])
    if power:
        return f"{number:.{decimals}e}".replace("e-0", "e-")
    return f"{number:,.{decimals}f}".replace("-", "−")


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.soak] * (one in FULL)) for one in NUMBERS])
def test_every_number_is_the_page_s_own(name: str):
    part = dict(zip(NAMES, (part for _, part in PARTS), strict=True))[name]
    for number, read in NUMBERS[name].items():
        assert number in NUMBER.findall(FORMULA.sub("", part.holds)), number
        assert written(value(read, result_of(part.page, tuple(part.settings.items()))), number) == number


def test_no_number_is_only_said():
    """Each is computed, or printed in the work and repeated from there."""
    assert NUMBERS.keys() <= set(NAMES)
    for name, (_, part) in zip(NAMES, PARTS, strict=True):
        said = set(NUMBER.findall(FORMULA.sub("", part.holds))) - NUMBERS.get(name, {}).keys()
        assert said <= set(NUMBER.findall(FORMULA.sub("", part.says))), name


def test_they_are_the_five_works():
    assert [key for key in WORKS if key not in BEYOND] == FIVE
    assert WORKS.keys() <= PAPERS.keys()
    assert all(part.page or part.holds.startswith("Nothing to reproduce") for _, part in PARTS)


def test_the_published_sizes_are_those_of_the_page():
    sizes = {"topics": published.TOPICS, "reviews": published.REVIEWS}
    linked = [part.settings for part in WORKS["wang2019"] if part.settings.get("data") in sizes]
    assert len(linked) >= 8
    assert all({n: str(v) for n, v in sizes[link["data"]].items()}.items() <= link.items() for link in linked)


def test_a_tab_that_is_named_is_there():
    for _, part in PARTS:
        if part.tab:
            page = next(page for page in PAGES if page.name == part.page)
            assert part.tab in [tab.name for tab in page.at(from_link(page.settings, part.settings)[0]).all_tabs]


def part_of(key: str, name: str) -> Part:
    return next(part for part in WORKS[key] if part.part == name)


def test_the_moments_theorem_is_judged_as_on_the_accounting_page():
    part = part_of("jiang2018", "Theorem 3.1.1")
    stated = statements(result_of(part.page, tuple(part.settings.items())))
    for said in (part.holds, stated):
        assert "No constants make it true as printed" in said
        assert "no proof" in re.sub(r"\s+", " ", said)


def test_lambda_and_q_of_the_loop_are_called_a_reconstruction_wherever_they_stand():
    part = part_of("zhang2022", "Step 2: the loop's penalty")
    assert "0.1" not in part.says
    assert "our reconstruction" in part.holds
    assert "do not state it" in KNOBS["loop_penalty"]["help"]
    assert "our reconstruction" in published_table(result_of(part.page, tuple(part.settings.items())))


def test_the_page_has_a_table_for_each():
    app = opened("works")
    assert not app.exception
    assert len([one for one in app.markdown if one.value.startswith("| Part")]) == len(WORKS)
    page = text(app)
    assert all(f"**{part.part}**" in page for _, part in PARTS)
    assert f"(transfer?noise=printed&epsilon=1&v={VERSION}&tab=costs)" in page


def test_what_trains_has_an_audit_of_the_sound_version_and_of_a_broken_one():
    assert AUDITED.keys() <= set(NAMES)
    assert {(AUDITS[one].expected, AUDITS[other].expected) for one, other in AUDITED.values()} == {
        ("consistent", "caught")
    }
