"""Citations, and the works that are checked: their numbers are computed, and their links open."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.audits.table import AUDITS
from lab.experiment.links import VERSION
from lab.papers import PAPERS, cited
from pages.hypotheses.settings import HypothesesSettings
from pages.learn.papers import BEYOND, WORKS, Part
from pages.topics import PAGES
from tests.app import opened, text
from tests.pages.hypotheses.paper_sizes import REVIEWS, TOPICS
from tests.pages.learn.work_numbers import NAMES
from ui.session.entries import from_link

ROOT = Path(__file__).parents[3]
SETTINGS = {page.name: page.settings for page in PAGES}
PARTS = {f"{key}: {part.part}": part for key, parts in WORKS.items() for part in parts}
# The works that the lab began with.
FIRST_WORKS = ["zhang2022", "jiang2018", "wang2019", "hamm2016", "hoseinpour2023"]
# Data -> sizes of the published experiments.
PUBLISHED_SIZES = {"topics": TOPICS, "reviews": REVIEWS}
# "work: part" -> number -> its expression of the linked page's result.
NUMBERS = tomllib.loads((Path(__file__).parents[2] / "works_numbers.toml").read_text("utf-8"))
# "work: part" -> its audits: one of what holds, and one of a fault.
AUDITS_OF_PART = NUMBERS.pop("audited")
# Parts with the published sizes, whose trainings take longest.
SLOW = (
    "wang2019: Algorithm 1 and Theorem 2",
    "wang2019: Section 4.1",
    "wang2019: Figure 3: error of the weights, reviews",
    "hamm2016: Experiments:",
    "hamm2016: Supplement: more than two classes",
)
# [key] or [key, Theorem 1]; several keys in one bracket are separated by semicolons.
CITATION = re.compile(r"[\[;]\s*([a-z]+\d{4}[a-z]?)(?=[\],;])")
FORMULA = re.compile(r"\$[^$]*\$")
NUMBER = re.compile(r"(?<![\w.])−?\d+(?:,\d{3})*(?:\.\d+)?(?:e-\d+)?(?!\w)")


# Citations


def cited_keys() -> dict[Path, set[str]]:
    """Return the keys that each file of the product cites."""
    keys = {}
    for folder in ("dpcore", "lab", "pages"):
        for path in (ROOT / folder).rglob("*.*"):
            if path.suffix in (".py", ".md"):
                keys[path] = set(CITATION.findall(path.read_text("utf-8")))
    return keys


class TestCitations:
    def test_every_citation_has_its_paper(self):
        unknown = {}
        for path, keys in cited_keys().items():
            if keys - PAPERS.keys():
                unknown[path] = keys - PAPERS.keys()

        assert unknown == {}

    def test_every_paper_is_cited(self):
        used = set()
        for path, keys in cited_keys().items():
            if path.name != "papers.py":
                used |= keys

        assert PAPERS.keys() <= used

    @pytest.mark.parametrize("key", PAPERS)
    def test_a_key_is_first_author_and_year(self, key):
        author, year = re.fullmatch(r"([a-z]+)(\d{4})", key).groups()

        first_author = re.match(r"(?:[A-Z]\.[ -]?)+(\w+)", PAPERS[key]).group(1)

        assert first_author.lower() == author
        assert year in PAPERS[key]

    @pytest.mark.parametrize(
        ("key", "address"),
        [
            pytest.param("mcsherry2007", "https://doi.org/10.1109/FOCS.2007.66", id="journal"),
            pytest.param("balle2018", "https://arxiv.org/abs/1805.06530", id="preprint"),
        ],
    )
    def test_a_citation_leads_to_the_paper(self, key, address):
        assert f"]({address})\n" in cited(f"[{key}]")


# Numbers of works


@cache
def result_of(page: str, **link: str) -> Any:
    """Return the result of a page at the settings of a link."""
    settings, notices = from_link(SETTINGS[page], link)
    assert notices == []
    experiment = settings.experiment
    if not isinstance(settings, HypothesesSettings) or settings.projected:
        return experiment.run()
    # All of the work with all words takes minutes, so it is what the first screen shows.
    essential = [task for task in experiment.tasks() if task.essential]
    without_noise = experiment.without_noise.tasks
    tasks = dict.fromkeys([*essential, *experiment.shown_sample(), *without_noise])
    return experiment.gather({task: task.run() for task in tasks})


def written_like(number: float, example: str) -> str:
    """Return a number with the decimals and the separators of another one."""
    mantissa, power, _ = example.partition("e-")
    decimals = len(mantissa.partition(".")[2])
    if power:
        return f"{number:.{decimals}e}".replace("e-0", "e-")
    return f"{number:,.{decimals}f}".replace("-", "−")


def numbers_in(sentence: str) -> set[str]:
    """Return the numbers in a sentence, without those in formulas."""
    return set(NUMBER.findall(FORMULA.sub("", sentence)))


def named_part(name: str):
    """Return a parameter of tests, which is slow for some parts."""
    marks = []
    if name.startswith(SLOW):
        marks.append(pytest.mark.soak)
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [named_part(name) for name in NUMBERS])
def test_every_number_of_a_part_is_computed_from_its_page(name):
    part = PARTS[name]
    result = result_of(part.page, **part.settings)

    for number, expression in NUMBERS[name].items():
        value = float(eval(expression, {**NAMES, "result": result}))
        assert number in numbers_in(part.holds)
        assert written_like(value, number) == number


@pytest.mark.parametrize("name", PARTS)
def test_a_number_that_is_not_computed_is_one_of_the_work(name):
    part = PARTS[name]

    uncomputed = numbers_in(part.holds) - NUMBERS.get(name, {}).keys()

    assert uncomputed <= numbers_in(part.says)


def test_all_numbers_and_audits_belong_to_a_part():
    assert NUMBERS.keys() <= PARTS.keys()
    assert AUDITS_OF_PART.keys() <= PARTS.keys()


@pytest.mark.parametrize("name", AUDITS_OF_PART)
def test_a_part_that_trains_has_an_audit_of_what_holds_and_one_of_a_fault(name):
    expected = [AUDITS[audit].expected for audit in AUDITS_OF_PART[name]]

    assert expected == ["consistent", "caught"]


# The page of works


def test_the_first_works_come_in_their_order():
    assert [key for key in WORKS if key not in BEYOND] == FIRST_WORKS
    assert WORKS.keys() <= PAPERS.keys()


def tabs_of(part: Part) -> list[str]:
    """Return the tabs of the page that a part links to."""
    page = next(page for page in PAGES if page.name == part.page)
    settings, _ = from_link(page.settings, part.settings)
    return [tab.name for tab in page.at(settings).all_tabs]


@pytest.mark.parametrize("name", PARTS)
def test_a_part_leads_to_a_page_unless_there_is_nothing_to_reproduce(name):
    part = PARTS[name]

    assert part.page or part.holds.startswith("Nothing to reproduce")


@pytest.mark.parametrize("name", [name for name, part in PARTS.items() if part.tab])
def test_a_part_leads_to_a_tab_of_its_page(name):
    part = PARTS[name]

    assert part.tab in tabs_of(part)


def test_experiments_of_texts_have_the_published_sizes():
    links = []
    for part in WORKS["wang2019"]:
        if part.settings.get("data") in PUBLISHED_SIZES:
            links.append(part.settings)

    assert len(links) >= 8
    for link in links:
        sizes = PUBLISHED_SIZES[link["data"]]
        assert {name: str(size) for name, size in sizes.items()}.items() <= link.items()


class TestPageOfWorks:
    @pytest.fixture(scope="class")
    @classmethod
    def app(cls):
        """Return the page of works."""
        return opened("works")

    def test_the_page_of_works_opens(self, app):
        assert not app.exception

    def test_the_page_of_works_has_a_table_for_each_work(self, app):
        tables = [element for element in app.markdown if element.value.startswith("| Part")]

        assert len(tables) == len(WORKS)

    def test_the_page_of_works_lists_all_parts(self, app):
        words = text(app)

        for part in PARTS.values():
            assert f"**{part.part}**" in words

    def test_links_on_the_page_of_works_have_the_version_and_the_tab(self, app):
        link = f"(transfer?noise=printed&epsilon=1&v={VERSION}&tab=guarantee)"

        assert link in text(app)
