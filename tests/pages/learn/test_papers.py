"""Citations, works, glossary and guide: links open, and numbers are computed."""

import math
import re
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from streamlit import config

from benchmarks.audits.table import AUDITS
from dpcore.accountants import account, gdp, rdp
from dpcore.privacy import Adjacency, delta_rounded_up
from lab.experiment import accounting_tasks
from lab.experiment.links import VERSION, versioned
from lab.papers import PAPERS
from lab.papers import cited as with_links
from pages.hypotheses.settings import HypothesesSettings
from pages.learn.charts_terms import DRAWINGS, drawing
from pages.learn.papers import BEYOND, WORKS
from pages.lessons.lessons import LESSONS
from pages.parties import page as parties
from pages.parties import published_bounds
from pages.parties.fits import excess_risk
from pages.parties.theorems import risk_bound
from pages.topics import HEADS, PAGES
from pages.transfer.tasks import least_squares
from tests.app import opened, text
from tests.pages.hypotheses.paper_sizes import REVIEWS, TOPICS
from ui.session.address import TAB
from ui.session.entries import from_link
from ui.text.glossary import FIGURES, TERMS, link_terms, meaning, search
from ui.text.sliders import SLIDERS

ROOT = Path(__file__).parents[3]
KINDS = {page.name: page.settings for page in PAGES}
PARTS = {f"{key}: {part.part}": part for key, parts in WORKS.items() for part in parts}
TEACHING = (ROOT / "docs" / "teaching.md").read_text("utf-8")


class TestCitations:
    # [key] or [key, Theorem 1]; several keys in one bracket are separated by semicolons.
    KEY = re.compile(r"[\[;]\s*([a-z]+\d{4}[a-z]?)(?=[\],;])")

    def test_every_citation_has_its_paper_and_every_paper_is_cited(self):
        sources = [path for top in ("dpcore", "lab", "pages") for path in (ROOT / top).rglob("*.*")]
        read = [path for path in sources if path.suffix in (".py", ".md")]
        cited = {path: set(self.KEY.findall(path.read_text("utf-8"))) for path in read}
        assert {
            path: keys - PAPERS.keys() for path, keys in cited.items() if keys - PAPERS.keys()
        } == {}
        assert PAPERS.keys() <= set().union(
            *(keys for path, keys in cited.items() if path.name != "papers.py")
        )

    def test_a_key_is_its_first_author_and_year_and_leads_to_the_paper(self):
        for key, reference in PAPERS.items():
            author, year = re.fullmatch(r"([a-z]+)(\d{4})", key).groups()
            assert re.match(r"(?:[A-Z]\.[ -]?)+(\w+)", reference).group(1).lower() == author
            assert year in reference
        assert "](https://doi.org/10.1109/FOCS.2007.66)\n" in with_links("[mcsherry2007]")
        assert "](https://arxiv.org/abs/1805.06530)\n" in with_links("[balle2018]")


# "work: part" -> number -> what it is of the linked page's result; the audits of parts that train.
NUMBERS = tomllib.loads((Path(__file__).parents[2] / "works_numbers.toml").read_text("utf-8"))
AUDITED = NUMBERS.pop("audited")
# Numbers of the published sizes, whose trainings take longest.
FULL = (
    "wang2019: Algorithm 1 and Theorem 2",
    "wang2019: Section 4.1",
    "wang2019: Figure 3: error of the weights, reviews",
    "hamm2016: Experiments:",
    "hamm2016: Supplement: more than two classes",
)
# What is in a sentence as a number and is none of a result: a formula.
FORMULA = re.compile(r"\$[^$]*\$")
NUMBER = re.compile(r"(?<![\w.])−?\d+(?:,\d{3})*(?:\.\d+)?(?:e-\d+)?(?!\w)")


def median(result, name: str) -> float:
    """Accuracy of the middle run, in percent."""
    return 100 * result.summary[name].median


def by_the_mean(result) -> float:
    """What a training with noise that changes would cost by the mean of its noise multipliers,
    which is no bound.
    """
    recipe, noise = (
        result.recipe,
        result.settings.noise_multiplier * result.recipe.relative_noise.mean(),
    )
    event = replace(recipe, noise_ramp=1.0).event(noise)
    about = {"delta": result.settings.delta, "adjacency": Adjacency.ADD_REMOVE}
    return account(event, accountant=result.settings.accountant, **about).epsilon


def theorem_unit(settings) -> float:
    """q sqrt(T ln(1/delta)), the unit in which Theorem 1 of [abadi2016] requires sigma epsilon >=
    c2.
    """
    return settings.sampling_rate * math.sqrt(settings.steps * math.log(1 / settings.delta))


def theorem_constant(result, accountant: str) -> float:
    """The c2 with which Theorem 1 would give the epsilon that an accountant counts."""
    return (
        result.settings.noise_multiplier
        * result.epsilon(accountant)
        / theorem_unit(result.settings)
    )


def growth_of_advanced_composition(result) -> float:
    """Epsilon by q sqrt(T ln(1/delta) ln(T/delta)) / sigma, with constant one."""
    settings = result.settings
    root = math.sqrt(math.log(settings.steps / settings.delta))
    return theorem_unit(settings) * root / settings.noise_multiplier


def main_term(settings, order: int) -> float:
    """q^2 lambda (lambda + 1) / ((1 - q) sigma^2), the main term of the moments' bound in
    [abadi2016, Lemma 3].
    """
    rate, noise = settings.sampling_rate, settings.noise_multiplier
    return rate**2 * order * (order + 1) / ((1 - rate) * noise**2)


def last_moment(result) -> int:
    """The largest lambda for which Lemma 3 is stated: sigma^2 ln(1/(q sigma))."""
    rate, noise = result.settings.sampling_rate, result.settings.noise_multiplier
    return int(noise**2 * math.log(1 / (rate * noise)))


def epsilon_by_main_term(result) -> float:
    """Epsilon if the main term alone bounded the moments, over the orders for which it is
    stated.
    """
    settings = result.settings
    orders = range(1, last_moment(result) + 1)
    budget = math.log(1 / settings.delta)
    return min((settings.steps * main_term(settings, order) + budget) / order for order in orders)


def first_moment_above_main_term(result) -> int:
    """The first lambda whose exact log moment exceeds the main term."""
    step = accounting_tasks.step(result.settings.sampling_rate, result.settings.noise_multiplier)
    orders = np.arange(1, 257)
    exact = orders * rdp.summed(step, tuple(map(float, orders + 1)))
    main = np.array([main_term(result.settings, order) for order in orders])
    return int(orders[np.argmax(main < exact)])


def beside_a_tree(m: int) -> float:
    """Root mean variance of m prefix sums: a tree's [kairouz2021], a node per 1 in t's bits, over
    Toeplitz noise's.
    """
    ours = np.cumsum([(math.comb(2 * k, k) / 4**k) ** 2 for k in range(m)])
    return math.sqrt(
        np.mean([t.bit_count() * m.bit_length() for t in range(1, m + 1)])
        / np.mean(ours * ours[-1])
    )


# What an expression may name.
KNOWN = {
    "np": np,
    "gdp": gdp,
    "bounds": published_bounds,
    "math": math,
    "delta_rounded_up": delta_rounded_up,
}
KNOWN |= {
    function.__name__: function
    for function in (
        median,
        by_the_mean,
        beside_a_tree,
        theorem_constant,
        growth_of_advanced_composition,
        last_moment,
        epsilon_by_main_term,
        first_moment_above_main_term,
        least_squares,
        excess_risk,
        risk_bound,
    )
}


@cache
def result_of(page: str, **link: str):
    settings, notices = from_link(KINDS[page], link)
    assert notices == []
    if not isinstance(settings, HypothesesSettings) or settings.projected:
        return settings.experiment.run()
    # All of the work with all words takes minutes: what the first screen shows
    experiment = settings.experiment
    first = [task for task in experiment.tasks() if task.essential]
    without_noise = experiment.over_epsilon.parts[math.inf].tasks
    asked = dict.fromkeys([*first, *experiment.shown_sample(), *without_noise])
    return settings.experiment.gather({task: task.run() for task in asked})


def written(number: float, like: str) -> str:
    """A value with the decimals and the separators of ``like``."""
    mantissa, power, _ = like.partition("e-")
    decimals = len(mantissa.partition(".")[2])
    if power:
        return f"{number:.{decimals}e}".replace("e-0", "e-")
    return f"{number:,.{decimals}f}".replace("-", "−")


def numbers(sentence: str) -> set[str]:
    return set(NUMBER.findall(FORMULA.sub("", sentence)))


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.soak] * one.startswith(FULL)) for one in NUMBERS]
)
def test_every_number_of_a_work_is_the_page_s_own(name: str):
    part = PARTS[name]
    for number, read in NUMBERS[name].items():
        assert number in numbers(part.holds)
        value = float(eval(read, KNOWN | {"result": result_of(part.page, **part.settings)}))
        assert written(value, number) == number


def test_no_number_of_a_work_is_only_said_and_what_trains_has_audits():
    """Each is computed, or printed in the work and repeated from there."""
    assert NUMBERS.keys() | AUDITED.keys() <= PARTS.keys()
    for name, part in PARTS.items():
        assert numbers(part.holds) - NUMBERS.get(name, {}).keys() <= numbers(part.says), name
    assert {tuple(AUDITS[one].expected for one in both) for both in AUDITED.values()} == {
        ("consistent", "caught")
    }


def test_there_are_five_works_and_each_part_leads_to_its_tab():
    five = ["zhang2022", "jiang2018", "wang2019", "hamm2016", "hoseinpour2023"]
    assert [key for key in WORKS if key not in BEYOND] == five
    assert WORKS.keys() <= PAPERS.keys()
    assert all(
        part.page or part.holds.startswith("Nothing to reproduce") for part in PARTS.values()
    )
    for part in PARTS.values():
        page = next((page for page in PAGES if page.name == part.page), None)
        tabs = page.at(from_link(page.settings, part.settings)[0]).all_tabs if part.tab else ()
        assert not part.tab or part.tab in [tab.name for tab in tabs]
    sizes = {"topics": TOPICS, "reviews": REVIEWS}
    links = [part.settings for part in WORKS["wang2019"] if part.settings.get("data") in sizes]
    assert len(links) >= 8
    assert all(
        {n: str(v) for n, v in sizes[link["data"]].items()}.items() <= link.items()
        for link in links
    )
    app = opened("works")
    assert not app.exception
    assert len([one for one in app.markdown if one.value.startswith("| Part")]) == len(WORKS)
    page = text(app)
    assert all(f"**{part.part}**" in page for part in PARTS.values())
    assert f"(transfer?noise=printed&epsilon=1&v={VERSION}&tab=guarantee)" in page


# Numbers that are no results: settings that a sentence names, counts of a hundred, names of norms,
# an example.
GIVEN = re.compile(
    r"\{\w+\}|(epsilon|delta|sensitivity) [\d.]+(e-\d+)?|in 100|L[12]\b|1 for a count|0 to 120"
)


def test_a_term_is_short_cites_a_paper_and_its_figures_are_the_engine_s():
    for key, term in TERMS.items():
        assert 20 < len(meaning(key)) < 420, key
        assert term.paper in PAPERS
        assert set(term.see) <= TERMS.keys() - {key}
        assert not re.search(r"\d", GIVEN.sub("", term.says)), f"a number is typed in {key}"
    used = {name for term in TERMS.values() for name in re.findall(r"\{(\w+)\}", term.says)}
    assert used == FIGURES.keys()
    shown = {name: make() for name, make in FIGURES.items()}
    assert (shown["right_1"], shown["right_3"], shown["group_3"]) == ("73", "95", "3")
    accounting = KINDS["accounting"]().experiment.run()
    for name, row in (("run_basic", "basic"), ("run_advanced", "advanced"), ("run_renyi", "renyi")):
        assert shown[name] == f"{accounting.epsilon(row):.3g}"
    assert float(shown["best_10"]) < float(shown["all_10"])
    for key, (alt, *_) in DRAWINGS.items():
        assert key in TERMS
        assert f'aria-label="{alt}"' in drawing(key)
        assert drawing(key).count("<svg") == drawing(key).count("</svg>") == 1
    assert drawing("delta") == ""


def test_the_glossary_shows_all_terms_the_one_that_is_asked_for_and_what_is_searched():
    app = opened("glossary")
    assert not app.exception
    assert [one.value for one in app.subheader] == [term.name for term in TERMS.values()]
    for searched, heads in (("frank", ["Private Frank-Wolfe"]), ("zebra", [])):
        app.text_input(key="glossary.search").set_value(searched).run()
        assert [head.value for head in app.subheader] == heads
    assert (search("clip")[0], search("RDP")) == ("clipping", ["rdp"]), (
        "names come before sentences"
    )
    assert set(search("noise gumbel")) >= {"exponential"}
    one = opened("glossary", term="clipping")
    assert [head.value for head in one.header] == ["Clipping"]
    links = [(link.proto.page, link.proto.query_string) for link in one.get("page_link")]
    assert links == [("classifier", f"clip_norm=0.1&v={VERSION}")]
    assert all(f"](glossary?term={other})" in text(one) for other in TERMS["clipping"].see)
    lost = opened("glossary", term="<b>nothing")
    assert "The glossary has no term" in lost.warning[0].value
    assert "<b>" not in lost.warning[0].value


def test_epsilon_is_said_to_bound_probabilities_and_not_odds():
    """Under Laplace noise the odds of an event can change by more than e^epsilon."""
    for says in (
        SLIDERS["epsilon"]["help"],
        parties.SLIDERS["epsilon"]["help"],
        TERMS["epsilon"].says,
        TERMS["pure"].says,
    ):
        assert "probability" in says
        assert not re.search("odds of|the odds never", says)


def test_only_the_first_word_of_a_plain_text_is_linked():
    assert (
        link_terms("Clipping, then clipping.")
        == "[Clipping](glossary?term=clipping), then clipping."
    )
    for apart in (
        "$epsilon$",
        "`epsilon`",
        "[epsilon](x)",
        "[epsilon2014]",
        "# epsilon",
        "$$\nepsilon\n$$",
    ):
        assert link_terms(apart) == apart
    assert (
        link_terms("the noise multiplier of epsilons")
        == "the [noise multiplier](glossary?term=multiplier) of epsilons"
    )
    for page in PAGES:
        whole = link_terms(page.method)
        keys = re.findall(r"\]\(glossary\?term=(\w+)\)", whole)
        assert len(keys) == len(set(keys)) >= 3
        assert set(keys) <= TERMS.keys()
        assert re.sub(r"\[([^\]]*)\]\(glossary\?term=\w+\)", r"\1", whole) == page.method


SHOWN = [
    (one.page, versioned(one.settings)) for one in (*PARTS.values(), *TERMS.values()) if one.page
]
WRITTEN = map(urlsplit, re.findall(r"\]\((/[^)]*)\)", TEACHING))
LINKS = dict.fromkeys(
    (page, *query.items())
    for page, query in [*SHOWN, *((at.path[1:], dict(parse_qsl(at.query))) for at in WRITTEN)]
)


def meant(settings, query: dict[str, str]) -> bool:
    """Whether the settings are those that the link names."""
    names = query.keys() & vars(settings).keys()
    return all(
        str(getattr(settings, name)) == str(type(getattr(settings, name))(query[name]))
        for name in names
    )


def test_every_link_is_read_without_a_notice():
    named = HEADS.keys()
    for page, *items in LINKS:
        assert page in named
        query = dict(items)
        if page == "lessons":  # each is opened in test_lessons.py
            assert query["lesson"] in {lesson.name for lesson in LESSONS}
        elif page in KINDS:
            tab = query.pop(TAB, None)
            settings, notices = from_link(KINDS[page], query)
            assert notices == [], (page, query)
            tabs = next(one for one in PAGES if one.name == page).at(settings).all_tabs
            assert tab is None or tab in [one.name for one in tabs], (page, tab)
            assert meant(settings, query), (page, query)


# At each commit all are read, and every eighth is opened.
@pytest.mark.parametrize(
    "link",
    [
        pytest.param(link, marks=[pytest.mark.soak] * (n % 8 > 0), id=str(link))
        for n, link in enumerate(LINKS)
    ],
)
def test_a_link_opens_without_a_notice(link):
    page, query = link[0], dict(link[1:])
    app = opened(page, **query)
    assert not app.exception
    assert not app.warning
    assert page not in KINDS or meant(app.session_state[f"{page}.state"].settings, query)


def test_the_guide_for_teachers_names_settings_that_a_server_has():
    known = {
        *config.get_config_options(),
        *re.findall(r"LAB_\w+", (ROOT / "ui" / "server" / "security_headers.py").read_text()),
    }
    for name in ("LAB_FRAME_ANCESTORS", "server.xsrfCookieSameSite", "server.allowedHosts"):
        assert name in TEACHING
        assert name in known
