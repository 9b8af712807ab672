"""The glossary: its terms and their numbers, its page, and the links from other texts."""

import re

import pytest

from dpcore.accountants import account, gdp, tuning
from dpcore.mechanisms import Gaussian
from dpcore.privacy import Adjacency, Composed, GaussianRelease, PureRelease, for_group
from dpcore.schedules import step
from lab.experiment.links import VERSION
from lab.papers import PAPERS
from pages.learn.charts_terms import DRAWINGS, drawing
from pages.parties import page as parties_page
from pages.topics import PAGES
from tests.app import opened, text
from ui.text.glossary import TERMS, link_terms, search
from ui.text.sliders import SLIDERS

# Numbers that are no results: settings that a sentence names, counts of a hundred, names of norms,
# and an example.
GIVEN_NUMBERS = re.compile(
    r"(epsilon|delta|sensitivity) [\d.]+(e-\d+)?|in 100|L[12]\b|1 for a count|0 to 120"
)


def attacker_percent(epsilon: float) -> str:
    """Return the accuracy that a pure epsilon allows the best attacker, in percent."""
    release = PureRelease(epsilon=epsilon)
    guarantee = account(release, delta=1e-9, adjacency=Adjacency.REPLACE_ONE, accountant="basic")
    return f"{100 * guarantee.attacker_accuracy:.0f}\u00a0%"


def group_epsilon(people: int) -> str:
    """Return epsilon of a group whose members each have epsilon 1."""
    release = PureRelease(epsilon=1.0)
    guarantee = account(release, delta=0.0, adjacency=Adjacency.ADD_REMOVE, accountant="basic")
    return f"{for_group(guarantee, people=people).epsilon:g}"


def noise_sd(calibration: str) -> str:
    """Return the standard deviation of Gaussian noise at epsilon 1 and delta 1e-5."""
    mechanism = Gaussian(sensitivity=1, epsilon=1, delta=1e-5, calibration=calibration)
    return f"{mechanism.sd:.2f}"


def run_epsilon(accountant: str) -> str:
    """Return epsilon of 10,000 steps of DP-SGD, by an accountant."""
    accounting = next(page for page in PAGES if page.name == "accounting")
    settings = accounting.settings(sampling_rate=0.01, noise_multiplier=4.0, steps=10_000)
    assert settings == accounting.settings()
    run = Composed(event=step(0.01, 4.0), count=10_000)
    guarantee = account(run, delta=1e-5, adjacency=Adjacency.ADD_REMOVE, accountant=accountant)
    return f"{guarantee.epsilon:.3g}"


def tries_epsilon(way: str) -> str:
    """Return epsilon of ten tries, each a Gaussian release at epsilon 1 and delta 1e-5."""
    release = GaussianRelease(noise_multiplier=1 / gdp.mu_of(1.0, delta=1e-5))
    guarantee = tuning.price(release, way=way, tries=10, delta=1e-5, adjacency=Adjacency.ADD_REMOVE)
    return f"{guarantee.epsilon:.3g}"


# Term -> the results in its meaning.
RESULTS = {
    "epsilon": [f"most {attacker_percent(1)} of", f"most {attacker_percent(3)}."],
    "group": [f"together have epsilon {group_epsilon(3)}."],
    "gaussian": [f"is {noise_sd('analytic')},", f"gives {noise_sd('classical')}."],
    "composition": [
        f"costs epsilon {run_epsilon('basic')} by basic",
        f"{run_epsilon('advanced')} by advanced",
        f"{run_epsilon('renyi')} by Rényi",
    ],
    "tuning": [f"cost {tries_epsilon('all')} if", f"cost {tries_epsilon('logarithmic')} if"],
}
of_every_term = pytest.mark.parametrize("key", TERMS)


# Terms


@of_every_term
class TestTerms:
    def test_a_meaning_is_short(self, key):
        assert 20 < len(TERMS[key].says) < 420

    def test_a_term_cites_a_paper(self, key):
        assert TERMS[key].paper in PAPERS

    def test_related_terms_are_other_terms(self, key):
        assert set(TERMS[key].see) <= TERMS.keys() - {key}

    def test_numbers_of_a_term_are_computed(self, key):
        words = TERMS[key].says

        for phrase in RESULTS.get(key, []):
            assert phrase in words
            words = words.replace(phrase, "")
        assert not re.search(r"\d", GIVEN_NUMBERS.sub("", words))


class TestDrawings:
    @pytest.mark.parametrize("key", DRAWINGS)
    def test_a_drawing_has_an_alternative_text(self, key):
        alternative_text, *_ = DRAWINGS[key]

        svg = drawing(key)

        assert key in TERMS
        assert f'aria-label="{alternative_text}"' in svg
        assert svg.count("<svg") == svg.count("</svg>") == 1

    def test_a_term_may_have_no_drawing(self):
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
    def test_the_glossary_shows_all_terms(self):
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
    def test_the_glossary_shows_the_terms_that_match_a_search(self, words, heads):
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
    def test_matches_in_names_come_before_matches_in_sentences(self):
        assert search("clip")[0] == "clipping"
        assert search("RDP") == ["rdp"]

    def test_a_search_needs_all_of_its_words(self):
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
