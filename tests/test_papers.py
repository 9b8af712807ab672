"""Citations, works, glossary and the teacher's guide: their links open, and their numbers are computed."""

import math
import re
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from lab.links import VERSION, versioned
from lab.papers import PAPERS
from lab.papers import cited as with_links
from pages.accounting.words_statements import statements
from pages.attack.audits.table import AUDITS
from pages.hypotheses import published
from pages.hypotheses.experiment import HypothesesSettings
from pages.learn.figures_terms import DRAWINGS, drawing
from pages.learn.works import BEYOND, WORKS
from pages.lessons.lessons import LESSONS
from pages.table import PAGES
from tests.app import opened, text
from tests.works_numbers import AUDITED, NUMBERS, value
from ui.controls import PUZZLE, from_link
from ui.glossary import FIGURES, TERMS, found, linked, said
from ui.puzzles import puzzles

ROOT = Path(__file__).parents[1]
KINDS = {page.name: page.settings for page in PAGES}
PARTS = {f"{key}: {part.part}": part for key, parts in WORKS.items() for part in parts}
TEACHING = (ROOT / "docs" / "teaching.md").read_text("utf-8")


# Numbers of the published sizes, whose trainings take longest.
FULL = (
    "wang2019: Algorithm 1 and Theorem 2",
    "wang2019: Section 4.1",
    "wang2019: Figure 3: error of the weights, reviews",
    "hamm2016: Experiments:",
    "hamm2016: Supplement: more than two classes",
)
NAMED = {*re.findall(r'^    \("(\w+)", "', (ROOT / "pages" / "frame.py").read_text("utf-8"), re.MULTILINE)}


class TestCitations:
    # [key] or [key, Theorem 1]; several keys in one bracket are separated by semicolons.
    KEY = re.compile(r"[\[;]\s*([a-z]+\d{4}[a-z]?)(?=[\],;])")

    def test_every_citation_has_its_paper_and_every_paper_is_cited(self):
        sources = [path for top in ("dpcore", "lab", "pages") for path in (ROOT / top).rglob("*.*")]
        read = [path for path in sources if path.suffix in (".py", ".md")]
        cited = {path: set(self.KEY.findall(path.read_text("utf-8"))) for path in read}
        assert {path: keys - PAPERS.keys() for path, keys in cited.items() if keys - PAPERS.keys()} == {}
        assert PAPERS.keys() <= set().union(*(keys for path, keys in cited.items() if path.name != "papers.py"))

    def test_a_key_is_its_first_author_and_year(self):
        for key, reference in PAPERS.items():
            author, year = re.fullmatch(r"([a-z]+)(\d{4})", key).groups()
            assert re.match(r"(?:[A-Z]\.[ -]?)+(\w+)", reference).group(1).lower() == author
            assert year in reference

    def test_a_citation_leads_to_where_the_paper_is(self):
        links = {
            "mcsherry2007": "https://doi.org/10.1109/FOCS.2007.66",
            "balle2018": "https://arxiv.org/abs/1805.06530",
        }
        assert all(f"]({link})\n" in with_links(f"[{key}]") for key, link in links.items())


class TestWorks:
    # What is in a sentence as a number and is none of a result: a formula.
    FORMULA = re.compile(r"\$[^$]*\$")
    NUMBER = re.compile(r"(?<![\w.])−?\d+(?:,\d{3})*(?:\.\d+)?(?:e-\d+)?(?!\w)")

    @staticmethod
    def result_of(name: str):
        part = PARTS[name]
        return _result_of(part.page, tuple(part.settings.items()))

    @staticmethod
    def written(number: float, like: str) -> str:
        """A value with the decimals and the separators of ``like``."""
        mantissa, power, _ = like.partition("e-")
        decimals = len(mantissa.partition(".")[2])
        if power:
            return f"{number:.{decimals}e}".replace("e-0", "e-")
        return f"{number:,.{decimals}f}".replace("-", "−")

    def numbers(self, said: str) -> set[str]:
        return set(self.NUMBER.findall(self.FORMULA.sub("", said)))

    @pytest.mark.parametrize(
        "name", [pytest.param(one, marks=[pytest.mark.soak] * one.startswith(FULL)) for one in NUMBERS]
    )
    def test_every_number_is_the_page_s_own(self, name: str):
        for number, read in NUMBERS[name].items():
            assert number in self.numbers(PARTS[name].holds)
            assert self.written(value(read, self.result_of(name)), number) == number

    def test_no_number_is_only_said(self):
        """Each is computed, or printed in the work and repeated from there."""
        assert NUMBERS.keys() | AUDITED.keys() <= PARTS.keys()
        for name, part in PARTS.items():
            assert self.numbers(part.holds) - NUMBERS.get(name, {}).keys() <= self.numbers(part.says), name

    def test_they_are_the_five_works_and_each_part_leads_to_its_tab(self):
        five = ["zhang2022", "jiang2018", "wang2019", "hamm2016", "hoseinpour2023"]
        assert [key for key in WORKS if key not in BEYOND] == five
        assert WORKS.keys() <= PAPERS.keys()
        assert all(part.page or part.holds.startswith("Nothing to reproduce") for part in PARTS.values())
        for part in PARTS.values():
            page = next((page for page in PAGES if page.name == part.page), None)
            tabs = page.at(from_link(page.settings, part.settings)[0]).all_tabs if part.tab else ()
            assert not part.tab or part.tab in [tab.name for tab in tabs]

    def test_the_published_sizes_are_those_of_the_page(self):
        sizes = {"topics": published.TOPICS, "reviews": published.REVIEWS}
        links = [part.settings for part in WORKS["wang2019"] if part.settings.get("data") in sizes]
        assert len(links) >= 8
        assert all({n: str(v) for n, v in sizes[link["data"]].items()}.items() <= link.items() for link in links)

    def test_the_moments_theorem_is_judged_as_on_the_accounting_page(self):
        name = "jiang2018: Theorem 3.1.1"
        for judged in (PARTS[name].holds, statements(self.result_of(name))):
            assert "No constants make it true as printed" in judged

    def test_the_page_has_a_table_for_each(self):
        app = opened("works")
        assert not app.exception
        assert len([one for one in app.markdown if one.value.startswith("| Part")]) == len(WORKS)
        page = text(app)
        assert all(f"**{part.part}**" in page for part in PARTS.values())
        assert f"(transfer?noise=printed&epsilon=1&v={VERSION}&tab=costs)" in page

    def test_what_trains_has_an_audit_of_the_sound_version_and_of_a_broken_one(self):
        assert {tuple(AUDITS[one].expected for one in both) for both in AUDITED.values()} == {("consistent", "caught")}


@cache
def _result_of(page: str, link: tuple[tuple[str, str], ...]):
    settings, notices = from_link(KINDS[page], dict(link))
    assert notices == []
    if not isinstance(settings, HypothesesSettings) or settings.projected:
        return settings.run()
    # All of the work with all words takes minutes: what the first screen shows
    first = [task for task in settings.tasks() if task.essential]
    asked = dict.fromkeys([*first, *settings.samples(), *settings.work["epsilon", math.inf]])
    return settings.result({task: task.run() for task in asked})


class TestGlossary:
    # Numbers that are no results: settings that a sentence names, counts of a hundred, names of norms, an example.
    GIVEN = re.compile(r"\{\w+\}|(epsilon|delta|sensitivity) [\d.]+(e-\d+)?|in 100|L[12]\b|1 for a count|0 to 120")

    def test_a_term_is_short_and_has_a_paper_and_others_to_see(self):
        for key, term in TERMS.items():
            assert 20 < len(said(key)) < 420, key
            assert term.paper in PAPERS
            assert set(term.see) <= TERMS.keys() - {key}
            assert not re.search(r"\d", self.GIVEN.sub("", term.says)), f"a number is typed in {key}"

    def test_every_figure_is_used_and_is_what_the_engine_says(self):
        used = {name for term in TERMS.values() for name in re.findall(r"\{(\w+)\}", term.says)}
        assert used == FIGURES.keys()
        shown = {name: make() for name, make in FIGURES.items()}
        assert (shown["right_1"], shown["right_3"], shown["group_3"]) == ("73", "95", "3")
        accounting = opened("accounting").session_state["accounting.desk"].settings.run()
        for name, row in (("run_naive", "naive"), ("run_strong", "strong"), ("run_renyi", "renyi")):
            assert shown[name] == f"{accounting.epsilon(row):.3g}"
        assert float(shown["best_10"]) < float(shown["all_10"])

    def test_the_page_shows_all_terms_or_the_one_that_is_asked_for(self):
        app = opened("glossary")
        assert not app.exception
        assert [one.value for one in app.subheader] == [term.name for term in TERMS.values()]
        one = opened("glossary", term="clipping")
        assert [head.value for head in one.header] == ["Clipping"]
        links = [(link.proto.page, link.proto.query_string) for link in one.get("page_link")]
        assert links == [("classifier", f"clip_norm=0.1&v={VERSION}")]
        assert all(f"](glossary?term={other})" in text(one) for other in TERMS["clipping"].see)
        lost = opened("glossary", term="<b>nothing")
        assert "The glossary has no term" in lost.warning[0].value
        assert "<b>" not in lost.warning[0].value

    def test_a_search_finds_names_before_sentences(self):
        assert found("clip")[0] == "clipping"
        assert found("RDP") == ["rdp"]
        assert set(found("noise gumbel")) >= {"exponential"}
        app = opened("glossary")
        for searched, heads in (("frank", ["Private Frank-Wolfe"]), ("zebra", [])):
            app.text_input(key="glossary.search").set_value(searched).run()
            assert [head.value for head in app.subheader] == heads

    def test_only_the_first_word_of_a_plain_text_is_linked(self):
        assert linked("Clipping, then clipping.") == "[Clipping](glossary?term=clipping), then clipping."
        for apart in ("$epsilon$", "`epsilon`", "[epsilon](x)", "[epsilon2014]", "# epsilon", "$$\nepsilon\n$$"):
            assert linked(apart) == apart
        assert (
            linked("the noise multiplier of epsilons") == "the [noise multiplier](glossary?term=multiplier) of epsilons"
        )

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
    def test_how_it_works_leads_to_the_glossary(self, page):
        """And says all that it said, with every citation."""
        whole = linked(page.method)
        keys = re.findall(r"\]\(glossary\?term=(\w+)\)", whole)
        assert len(keys) == len(set(keys)) >= 3
        assert set(keys) <= TERMS.keys()
        assert re.sub(r"\[([^\]]*)\]\(glossary\?term=\w+\)", r"\1", whole) == page.method

    def test_a_drawing_is_said_in_words(self):
        for key, (alt, *_) in DRAWINGS.items():
            assert key in TERMS
            assert f'aria-label="{alt}"' in drawing(key)
            assert drawing(key).count("<svg") == drawing(key).count("</svg>") == 1
        assert drawing("delta") == ""


SHOWN = [(one.page, versioned(one.settings)) for one in (*PARTS.values(), *TERMS.values()) if one.page]
WRITTEN = map(urlsplit, re.findall(r"\]\((/[^)]*)\)", TEACHING))
LINKS = dict.fromkeys(
    (page, *query.items()) for page, query in [*SHOWN, *((at.path[1:], dict(parse_qsl(at.query))) for at in WRITTEN)]
)


class TestLinks:
    """Each link opens its settings without a notice."""

    def test_every_link_is_read_without_a_notice(self):
        for page, *items in LINKS:
            assert page in {*KINDS, *NAMED, "", "data"}
            query = dict(items)
            if page == "lessons":  # each is opened in test_lessons.py
                assert query["lesson"] in {lesson.name for lesson in LESSONS}
            elif page in KINDS:
                query.pop(PUZZLE, None)
                settings, notices = from_link(KINDS[page], query)
                assert notices == [], (page, query)
                assert self.meant(settings, query), (page, query)

    # At each commit all are read, and every eighth is opened.
    @pytest.mark.parametrize(
        "link",
        [pytest.param(link, marks=[pytest.mark.soak] * (n % 8 > 0), id=str(link)) for n, link in enumerate(LINKS)],
    )
    def test_a_link_opens_without_a_notice(self, link):
        page, query = link[0], dict(link[1:])
        app = opened(page, **query)
        assert not app.exception
        assert not app.warning
        assert page not in KINDS or self.meant(app.session_state[f"{page}.desk"].settings, query)

    @staticmethod
    def meant(settings, query: dict[str, str]) -> bool:
        """Whether the settings are those that the link names."""
        names = query.keys() & vars(settings).keys()
        return all(str(getattr(settings, name)) == str(type(getattr(settings, name))(query[name])) for name in names)


def test_the_guide_for_teachers_has_every_puzzle_with_its_solution():
    """What solves it is held in test_puzzles.py."""
    links = re.findall(r"\]\((/[^)]*puzzle=[^)]*)\)", TEACHING)
    wanted = [
        (f"/{one.link}&puzzle={one.name}", f"/{one.link}&{one.solution}&puzzle={one.name}")
        for one in puzzles().values()
    ]
    assert links == [link for both in wanted for link in both]
    assert all(one.ask in TEACHING for one in puzzles().values())


@pytest.mark.parametrize("name", ["LAB_FRAME_ANCESTORS", "server.xsrfCookieSameSite", "server.allowedHosts"])
def test_the_guide_names_what_a_server_must_set(name: str):
    from streamlit import config

    headers = (ROOT / "ui" / "security_headers.py").read_text("utf-8")
    assert name in TEACHING
    assert name in config.get_config_options() or name in headers
