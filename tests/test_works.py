"""The page of the works: each link opens without a notice, and each number is what that page computes."""

import math
import re
from functools import cache

import pytest

from lab.links import VERSION, versioned
from lab.papers import PAPERS
from pages.accounting.words_statements import statements
from pages.attack.audits.table import AUDITS
from pages.hypotheses import published
from pages.hypotheses.experiment import HypothesesSettings
from pages.learn.works import BEYOND, WORKS, Part
from pages.table import PAGES
from pages.transfer.words_tabs import published_table
from tests.app import opened, text
from tests.works_numbers import NUMBERS
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


FIVE = ["zhang2022", "jiang2018", "wang2019", "hamm2016", "hoseinpour2023"]


def written(value: float, like: str) -> str:
    """A value with the decimals and the separators of ``like``."""
    mantissa, power, _ = like.partition("e-")
    decimals = len(mantissa.partition(".")[2])
    if power:
        return f"{value:.{decimals}e}".replace("e-0", "e-")
    return f"{value:,.{decimals}f}".replace("-", "−")


@pytest.mark.parametrize(("key", "part"), PARTS, ids=NAMES)
def test_every_number_is_the_page_s_own(key: str, part: Part):
    for number, read in NUMBERS.get(f"{key}: {part.part}", {}).items():
        assert number in NUMBER.findall(FORMULA.sub("", part.holds)), number
        assert written(float(read(result_of(part.page, tuple(part.settings.items())))), number) == number


@pytest.mark.parametrize(("key", "part"), PARTS, ids=NAMES)
def test_no_number_is_only_said(key: str, part: Part):
    """Each is computed, or printed in the work and repeated from there."""
    said = set(NUMBER.findall(FORMULA.sub("", part.holds))) - NUMBERS.get(f"{key}: {part.part}", {}).keys()
    assert said <= set(NUMBER.findall(FORMULA.sub("", part.says)))


def test_they_are_the_five_works():
    assert [key for key in WORKS if key not in BEYOND] == FIVE
    assert WORKS.keys() <= PAPERS.keys()
    assert all(part.page or part.holds.startswith("Nothing to reproduce") for _, part in PARTS)


def test_the_published_sizes_are_those_of_the_page():
    sizes = {"topics": published.TOPICS, "reviews": published.REVIEWS}
    linked = [part.settings for part in WORKS["wang2019"] if part.settings.get("data") in sizes]
    assert len(linked) >= 8
    assert all({n: str(v) for n, v in sizes[link["data"]].items()}.items() <= link.items() for link in linked)


def test_every_number_belongs_to_a_part():
    assert NUMBERS.keys() <= set(NAMES)


@pytest.mark.parametrize(("key", "part"), PARTS, ids=NAMES)
def test_a_tab_that_is_named_is_there(key: str, part: Part):
    if part.tab:
        settings = from_link(KINDS[part.page], part.settings)[0]
        page = next(page for page in PAGES if page.name == part.page)
        assert part.tab in [tab.name for tab in page.at(settings).all_tabs]


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


LINKS = dict.fromkeys((part.page, tuple(part.settings.items())) for _, part in PARTS if part.page)


@pytest.mark.parametrize(("page", "link"), LINKS, ids=str)
def test_every_link_opens_without_a_notice(page: str, link: tuple[tuple[str, str], ...]):
    app = opened(page, **versioned(dict(link)))
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
    assert f"(transfer?noise=printed&epsilon=1&v={VERSION})" in page


# What trains with noise -> its audits: the sound version, and one broken on purpose. Noise that changes with the step
# is audited in test_sgd_audit.py, that of a tree in test_tree.py.
AUDITED = {
    "zhang2022: Definition 4; Algorithm 2, private Frank-Wolfe": ("walk", "walk unclipped"),
    "zhang2022: Transferable set $A_q$, and uniformly distributed data sets": ("detection", "detection one"),
    "zhang2022: Frank-Wolfe among private methods": ("clipped", "clipped half"),
    "jiang2018: Section 2.1: Gaussian mechanism": ("gaussian", "gaussian classical"),
    "jiang2018: Algorithm 1, DP-SGD (after Abadi et al.)": ("lots", "lots inside"),
    "jiang2018: Lots": ("lots", "lots shuffled"),
    "jiang2018: Clipping by layers": ("layers", "layers whole"),
    "jiang2018: Private linear regression: sensitivities": ("functional published", "functional half"),
    "wang2019: Algorithm 1 and Theorem 2": ("hypothesis", "hypothesis laplace"),
    "wang2019: Algorithm 2: private importance weights": ("tilt", "tilt pooled"),
    "wang2019: The same with Gaussian noise": ("hypothesis gaussian", "hypothesis scale"),
    "hamm2016: Algorithm 1 and Theorem 1: majority vote": ("vote", "vote share"),
    "hamm2016: Algorithm 2 and Theorem 3: soft labels": ("soft", "soft dimension"),
    "hamm2016: Averaged weights (Pathak et al.)": ("average", "average row"),
    "hamm2016: Answering query by query": ("pate", "pate question"),
    "hoseinpour2023: Gaussian mechanism": ("gaussian", "gaussian classical"),
    "hoseinpour2023: Sensitivity of the gradient": ("classifier", "classifier published"),
}


@pytest.mark.parametrize("name", AUDITED)
def test_what_trains_has_an_audit_of_the_sound_version_and_of_a_broken_one(name: str):
    assert name in NAMES
    assert [AUDITS[key].expected for key in AUDITED[name]] == ["consistent", "caught"]
