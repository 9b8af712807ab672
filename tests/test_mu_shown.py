"""The mu beside epsilon: said in Guarantee, label and handout, and counted only where somebody rests and looks."""

import re
from dataclasses import asdict

import pytest
from accounting_oracles import gaussian, sampled

from dpcore.cache import CACHE
from dpcore.privacy import Adjacency, Guarantee, LaplaceRelease, PureRelease, Sequence
from lab import mu as kit
from lab.label import NOTHING, SCHEMA, Stated, label
from pages.accounting.experiment import AccountingSettings
from pages.accounting.page import PAGE
from pages.classifier.experiment import ClassifierSettings
from pages.table import PAGES
from tests.handouts import quick
from tests.sentences import plain
from ui import mu, panels
from ui.compare import compare
from ui.live.channel import Question, shown
from ui.page import Made

TAB = "guarantee"
# An event -> what is said of its mu on a page, and in a label.
SAID = [
    (gaussian(3.0), "0.334 (Gaussian differential privacy, exact)", 0.334),
    (
        sampled(0.01, 4.0, 10_000),
        "0.256 (Gaussian differential privacy, within 1 % of epsilon at every delta from 0.001 to 1e-10)",
        0.256,
    ),
    (
        LaplaceRelease(noise_multiplier=1.0),
        f"{kit.UNFIT}. At some delta from 0.001 to 1e-10, its epsilon is more "
        "than 1 % below that of the smallest mu that covers it.",
        kit.UNFIT,
    ),
    (Sequence(events=(sampled(0.01, 4.0), PureRelease(epsilon=0.1))), kit.UNKNOWN, kit.UNKNOWN),
    (sampled(0.01, 4.0, 1_000_000), kit.UNCOUNTED, kit.UNCOUNTED),
]
IDS = ["exact", "fits", "does not fit", "not known", "not countable"]


def held(event, epsilon=1.0):
    adjacency = Adjacency.ADD_REMOVE
    return Guarantee(epsilon=epsilon, delta=1e-5, adjacency=adjacency, unit="record", basis="a theorem", event=event)


def mus(html):
    """What the rows about mu say, by their heading."""
    return {name: plain(said).strip() for name, said in re.findall(r"<dt>(mu[^<]*)</dt><dd>(.*?)</dd>", html)}


def made(**cases):
    """What is said of mu once it has been counted."""
    words = Made({TAB: lambda _: panels.guarantee(**cases)}, None)
    mu.count(words, [TAB])
    return mus(words[TAB])


@pytest.mark.parametrize(("event", "page", "in_label"), SAID, ids=IDS)
def test_a_page_and_a_label_say_the_same_of_mu(event, page, in_label):
    assert made(here=held(event)) == {"mu": page}
    found = label(ClassifierSettings(), Stated(promise=held(event)))
    assert found.fields["privacy_loss"]["mu"] == in_label
    assert isinstance(in_label, float) or f'"{in_label}"' in SCHEMA.read_text("utf-8")


def test_several_guarantees_have_a_mu_each_unless_it_is_the_same():
    small, large = (held(gaussian(one)) for one in (1.0, 2.0))
    assert {*made(first=small, second=large)} == {"mu, first", "mu, second"}
    assert {*made(first=small, second=small)} == {"mu"}
    assert [kit.Fit(mu, fits=True).shown for mu in (0.25601, 0.25600000000000001)] == [0.257, 0.256]  # rounded up


def test_where_nothing_is_promised_the_label_has_no_mu():
    for promise, void in ((held(SAID[0][0]), "as published"), (held(SAID[0][0], epsilon=float("inf")), "")):
        found = label(ClassifierSettings(), Stated(promise=promise, void=void))
        assert found.fields["privacy_loss"]["mu"] == NOTHING


class TestOnlyAtRest:
    settings = AccountingSettings(steps=10_001)

    @pytest.fixture(autouse=True)
    def _ready(self):
        """All else is done."""
        CACHE.forget()
        while compare(PAGE, self.settings, None, seconds=60).done < 1:
            pass

    def known(self):
        held = self.settings.result({task: CACHE.find(task)[1] for task in self.settings.tasks()}).held
        return CACHE.find(kit.Fitting(held.event, held.adjacency))[0]

    def test_it_is_counted_at_rest_where_its_tab_is_open_and_kept(self):
        assert compare(PAGE, self.settings, None, seconds=60, resting=True).done == 1
        assert not self.known()
        moving = compare(PAGE, self.settings, None, seconds=60, tab=TAB)
        assert mus(moving.says(TAB)[".lab-words-guarantee"]) == {"mu": "…"}
        assert moving.done < 1
        assert not self.known()
        both = compare(PAGE, self.settings, None, seconds=60, tab=TAB, resting=True)
        assert mus(both.says(TAB)[".lab-words-guarantee"])["mu"].startswith("0.256 (")
        assert both.done == 1
        again = compare(PAGE, self.settings, None, seconds=0, tab=TAB)
        assert again.done == 1
        assert again.says(TAB) == both.says(TAB)

    def test_the_channel_answers_at_once_and_counts_it_after(self):
        link = {name: str(value) for name, value in asdict(self.settings).items()}
        question = Question({}, PAGE, link, TAB)
        first = shown(question, 0)
        assert first.done < 1
        assert mu.PENDING in first.words[".lab-words-guarantee"]
        later = shown(question, 0.05)
        assert later.done == 1
        assert mu.PENDING not in later.words[".lab-words-guarantee"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_handout_has_every_mu(page):
    one = quick(page)
    html, stated = one.html(), one.label.fields["privacy_loss"]["mu"]
    assert mu.PENDING not in html
    said = mus(html.partition("<h2>Guarantee</h2>")[2])
    assert bool(said) == (page.name != "what-if")
    if isinstance(stated, float):
        assert f", mu {panels.number(stated)}" in plain(html)
        assert said["mu"].startswith(f"{panels.number(stated)} (Gaussian")
    elif said and stated != NOTHING:
        assert any(text.startswith(stated) for text in said.values())
