"""The glossary: each term has its paper and a link that opens without a notice; what it says in numbers is computed."""

import re

import pytest

from lab.links import VERSION
from lab.papers import PAPERS
from pages.learn.figures_terms import DRAWINGS, drawing
from pages.table import PAGES
from tests.app import opened, text
from ui.glossary import FIGURES, TERMS, found, linked, said

# Numbers that are no results: settings that a sentence names, counts of a hundred, names of norms, an example.
GIVEN = re.compile(r"(epsilon|delta|sensitivity) [\d.]+(e-\d+)?|in 100|L[12]\b|1 for a count|0 to 120")


@pytest.mark.parametrize("key", TERMS)
def test_a_term_is_short_and_has_a_paper_and_others_to_see(key):
    assert 20 < len(said(key)) < 420
    assert TERMS[key].paper in PAPERS
    assert set(TERMS[key].see) <= TERMS.keys() - {key}
    assert not re.search(r"\d", GIVEN.sub("", re.sub(r"\{\w+\}", "", TERMS[key].says))), "a number is typed"


def test_every_figure_is_used_and_is_what_the_engine_says():
    used = {name for term in TERMS.values() for name in re.findall(r"\{(\w+)\}", term.says)}
    assert used == FIGURES.keys()
    found = {name: make() for name, make in FIGURES.items()}
    assert (found["right_1"], found["right_3"], found["group_3"]) == ("73", "95", "3")
    accounting = opened("accounting").session_state["accounting.desk"].settings.run()
    for name, row in (("run_naive", "naive"), ("run_strong", "strong"), ("run_renyi", "renyi")):
        assert found[name] == f"{accounting.epsilon(row):.3g}"
    assert float(found["best_10"]) < float(found["all_10"])


def test_the_page_shows_all_terms_or_the_one_that_is_asked_for():
    app = opened("glossary")
    assert not app.exception
    assert [one.value for one in app.subheader] == [term.name for term in TERMS.values()]
    one = opened("glossary", term="clipping")
    assert [head.value for head in one.header] == ["Clipping"]
    assert not one.warning
    links = [(link.proto.page, link.proto.query_string) for link in one.get("page_link")]
    assert links == [("classifier", f"clip_norm=0.1&v={VERSION}")]
    assert all(f"](glossary?term={other})" in text(one) for other in TERMS["clipping"].see)
    assert "[All terms](glossary)" in text(one)
    lost = opened("glossary", term="<b>nothing")
    assert not lost.exception
    assert "The glossary has no term" in lost.warning[0].value
    assert "<b>" not in lost.warning[0].value


def test_a_search_finds_names_before_sentences():
    assert found("clip")[0] == "clipping"
    assert found("RDP") == ["rdp"]
    assert set(found("noise gumbel")) >= {"exponential"}
    assert found("zebra") == []
    app = opened("glossary")
    app.text_input(key="glossary.search").set_value("frank").run()
    assert [head.value for head in app.subheader] == ["Private Frank-Wolfe"]
    app.text_input(key="glossary.search").set_value("zebra").run()
    assert not app.subheader
    assert [one.value for one in app.header] == ["No term matches"]


def test_only_the_first_word_of_a_plain_text_is_linked():
    assert linked("Clipping, then clipping.") == "[Clipping](glossary?term=clipping), then clipping."
    for apart in (
        "$epsilon$",
        "`epsilon`",
        "[epsilon](x)",
        "[epsilon2014]",
        "# epsilon",
        "$$\nepsilon\n$$",
        "epsilons",
    ):
        assert linked(apart) == apart
    assert linked("the noise multiplier") == "the [noise multiplier](glossary?term=multiplier)"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_how_it_works_leads_to_the_glossary(page):
    """And says all that it said, with every citation."""
    whole = linked(page.method)
    keys = re.findall(r"\]\(glossary\?term=(\w+)\)", whole)
    assert len(keys) >= 3
    assert len(keys) == len(set(keys))
    assert set(keys) <= TERMS.keys()
    assert re.sub(r"\[([^\]]*)\]\(glossary\?term=\w+\)", r"\1", whole) == page.method


@pytest.mark.parametrize("key", DRAWINGS)
def test_a_drawing_is_said_in_words(key):
    assert key in TERMS
    assert f'aria-label="{DRAWINGS[key][0]}"' in drawing(key)
    assert drawing(key).count("<svg") == drawing(key).count("</svg>") == 1
    assert drawing("delta") == ""
