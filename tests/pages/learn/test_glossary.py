"""The glossary: its terms and their numbers, its page, and the links from other texts."""

import re

import pytest

from lab.experiment.links import VERSION
from lab.papers import PAPERS
from pages.learn.charts_terms import DRAWINGS, drawing
from pages.parties import page as parties_page
from pages.topics import PAGES
from tests.app import opened, text
from ui.text.glossary import FIGURES, TERMS, link_terms, meaning, search
from ui.text.sliders import SLIDERS

# Numbers that are no results: settings that a sentence names, counts of a hundred, names of norms,
# and an example.
GIVEN_NUMBERS = re.compile(
    r"\{\w+\}|(epsilon|delta|sensitivity) [\d.]+(e-\d+)?|in 100|L[12]\b|1 for a count|0 to 120"
)

of_every_term = pytest.mark.parametrize("key", TERMS)


# Terms


@of_every_term
class TestTerms:
    def test_a_meaning_is_short(self, key):
        assert 20 < len(meaning(key)) < 420

    def test_a_term_cites_a_paper(self, key):
        assert TERMS[key].paper in PAPERS

    def test_related_terms_are_other_terms(self, key):
        assert set(TERMS[key].see) <= TERMS.keys() - {key}

    def test_no_result_is_typed(self, key):
        words = GIVEN_NUMBERS.sub("", TERMS[key].says)

        assert not re.search(r"\d", words)


class TestFigures:
    def test_all_are_used(self):
        used = set()
        for term in TERMS.values():
            used |= set(re.findall(r"\{(\w+)\}", term.says))

        assert used == FIGURES.keys()

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            pytest.param("right_1", "73", id="attacker at epsilon 1"),
            pytest.param("right_3", "95", id="attacker at epsilon 3"),
            pytest.param("group_3", "3", id="group of three"),
        ],
    )
    def test_they_are_computed(self, name, shown):
        assert FIGURES[name]() == shown

    @pytest.mark.parametrize(
        ("name", "row"),
        [
            pytest.param("run_basic", "basic", id="basic"),
            pytest.param("run_advanced", "advanced", id="advanced"),
            pytest.param("run_renyi", "renyi", id="Rényi"),
        ],
    )
    def test_costs_of_a_run_are_those_of_the_accounting_page(self, name, row):
        accounting = next(page for page in PAGES if page.name == "accounting")

        result = accounting.settings().experiment.run()

        assert FIGURES[name]() == f"{result.epsilon(row):.3g}"

    def test_the_best_of_ten_costs_less_than_all(self):
        assert float(FIGURES["best_10"]()) < float(FIGURES["all_10"]())


class TestDrawings:
    @pytest.mark.parametrize("key", DRAWINGS)
    def test_a_drawing_has_an_alternative_text(self, key):
        alternative_text, *_ = DRAWINGS[key]

        svg = drawing(key)

        assert key in TERMS
        assert f'aria-label="{alternative_text}"' in svg
        assert svg.count("<svg") == svg.count("</svg>") == 1

    def test_a_term_may_have_none(self):
        assert drawing("delta") == ""


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(SLIDERS["epsilon"]["help"], id="slider"),
        pytest.param(parties_page.SLIDERS["epsilon"]["help"], id="slider of parties"),
        pytest.param(TERMS["epsilon"].says, id="epsilon"),
        pytest.param(TERMS["pure"].says, id="pure privacy"),
    ],
)
def test_epsilon_is_said_to_bound_probabilities_and_not_odds(words):
    """Under Laplace noise the odds of an event can change by more than e^epsilon."""
    assert "probability" in words
    assert not re.search("odds of|the odds never", words)


# The page


class TestPage:
    def test_it_shows_all_terms(self):
        app = opened("glossary")

        assert not app.exception
        assert [head.value for head in app.subheader] == [term.name for term in TERMS.values()]

    @pytest.mark.parametrize(
        ("words", "heads"),
        [
            pytest.param("frank", ["Private Frank-Wolfe"], id="one term"),
            pytest.param("zebra", [], id="no term"),
        ],
    )
    def test_it_shows_what_is_searched(self, words, heads):
        app = opened("glossary")

        app.text_input(key="glossary.search").set_value(words).run()

        assert [head.value for head in app.subheader] == heads

    def test_a_link_shows_one_term_with_its_links(self):
        app = opened("glossary", term="clipping")

        assert [head.value for head in app.header] == ["Clipping"]
        links = [(link.proto.page, link.proto.query_string) for link in app.get("page_link")]
        assert links == [("classifier", f"clip_norm=0.1&v={VERSION}")]
        for related in TERMS["clipping"].see:
            assert f"](glossary?term={related})" in text(app)

    def test_a_link_to_no_term_gives_a_notice(self):
        app = opened("glossary", term="<b>nothing")

        (warning,) = app.warning
        assert "The glossary has no term" in warning.value
        assert "<b>" not in warning.value


class TestSearch:
    def test_names_come_before_sentences(self):
        assert search("clip")[0] == "clipping"
        assert search("RDP") == ["rdp"]

    def test_all_words_are_searched(self):
        assert "exponential" in search("noise gumbel")


# Links from other texts


class TestLinkedTerms:
    def test_a_term_is_linked_once(self):
        linked = link_terms("Clipping, then clipping.")

        assert linked == "[Clipping](glossary?term=clipping), then clipping."

    def test_the_longest_term_is_linked(self):
        linked = link_terms("the noise multiplier of epsilons")

        assert linked == "the [noise multiplier](glossary?term=multiplier) of epsilons"

    @pytest.mark.parametrize(
        "words",
        [
            pytest.param("$epsilon$", id="formula"),
            pytest.param("`epsilon`", id="code"),
            pytest.param("[epsilon](x)", id="link"),
            pytest.param("[epsilon2014]", id="citation"),
            pytest.param("# epsilon", id="heading"),
            pytest.param("$$\nepsilon\n$$", id="formula on its own"),
        ],
    )
    def test_other_text_is_not_linked(self, words):
        assert link_terms(words) == words

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
    def test_the_method_of_a_page_links_some_terms_once_each(self, page):
        linked = link_terms(page.method)

        keys = re.findall(r"\]\(glossary\?term=(\w+)\)", linked)
        assert len(keys) == len(set(keys)) >= 3
        assert set(keys) <= TERMS.keys()

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
    def test_links_change_no_word(self, page):
        linked = link_terms(page.method)

        assert re.sub(r"\[([^\]]*)\]\(glossary\?term=\w+\)", r"\1", linked) == page.method
