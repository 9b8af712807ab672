"""The mu that covers a mechanism, against curves delta(epsilon) by quadrature; where it is shown and when counted."""

import math
import re
from dataclasses import asdict

import numpy as np
import pytest
from accounting_oracles import ADD, NOISY, REPLACE
from event_builders import approximate, bounded_range, gaussian, laplace, pure, sample, sampled, times, together
from scipy.optimize import brentq

from dpcore.accountants import gdp
from dpcore.cache import CACHE
from dpcore.privacy import BestOf, Guarantee
from lab import mu as kit
from lab.label import NOTHING, SCHEMA, Stated, label
from lab.mu import Fitting
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

GAUSSIAN, TAB = gaussian(2.0), "guarantee"


def fit(event, adjacency=ADD):
    return Fitting(event, adjacency).run()


def epsilon_at(curve, delta):
    return brentq(lambda e: curve(e) - delta, 0, 20, xtol=1e-10) if curve(0.0) > delta else 0.0


@pytest.mark.parametrize(("event", "adjacency", "curve"), NOISY)
def test_the_smallest_mu_covers_the_curve_and_fits_only_within_one_percent(event, adjacency, curve):
    found = fit(event, adjacency)
    epsilons = np.linspace(0, epsilon_at(curve, kit.SMALLEST), 200)
    deltas = np.array([curve(epsilon) for epsilon in epsilons])
    assert (gdp.deltas_of(epsilons, mu=found.mu) >= deltas - 1e-14).all()
    assert (gdp.deltas_of(epsilons, mu=0.999 * found.mu) < deltas).any()
    at = np.geomspace(kit.LARGEST, kit.SMALLEST, 8)
    short = [1 - epsilon_at(curve, delta) / gdp.epsilon_of(delta, mu=found.mu) for delta in at]
    assert found.fits == (max(short) <= 0.01)


@pytest.mark.parametrize("adjacency", [ADD, REPLACE])
def test_gaussian_releases_have_an_exact_mu(adjacency):
    several = together(GAUSSIAN, gaussian(0.75))
    for event, exact in ((times(16, GAUSSIAN), 2), (several, math.hypot(0.5, 4 / 3)), (sample(1.0, GAUSSIAN), 0.5)):
        assert fit(event, adjacency) == (pytest.approx(exact, rel=1e-12), True, True)


def test_many_sampled_steps_are_nearly_gaussian():
    """As many small steps as in the textbook tend to mu = q sqrt(T (e^(1/sigma^2) - 1)) [dong2022, Corollary 5.4]."""
    limit = 0.01 * math.sqrt(10_000 * math.expm1(1 / 4**2))
    found = fit(sampled(0.01, 4.0, 10_000))
    assert (round(found.mu, 3), found.fits, found.exact) == (0.256, True, False)
    assert limit < found.mu < 1.02 * limit
    assert not fit(sampled(0.01, 0.6, 300)).fits  # little noise in small samples


UNCOUNTABLE = {
    "no noise": (gaussian(0), ADD),
    "no noise in samples": (sampled(0.1, 0.0), ADD),
    "epsilon beyond 700": (sampled(0.5, 0.05, 100), ADD),
    "epsilon 0": (sampled(1e-9, 50.0), ADD),
    "too many steps": (sampled(0.01, 40.0, 1_000_000), ADD),
    "not proved": (sample(0.1, laplace(1.0)), REPLACE),
    "delta 1": (together(*(laplace(z) for z in (0.0163, 0.144))), REPLACE),
}


def test_there_is_no_mu_where_the_curve_is_not_known_or_cannot_be_counted():
    for part in (
        pure(1.0),
        bounded_range(1.0),
        approximate(1.0, 1e-6),
        BestOf(event=GAUSSIAN, law="geometric", tries=5),
    ):
        several = together(GAUSSIAN, part)
        for event in (part, times(3, part), several, sample(0.1, several)):
            work = Fitting(event, ADD)
            assert (work.run(), work.known, work.quick) == (None, False, True)
    for name, case in UNCOUNTABLE.items():
        work = Fitting(*case)
        assert (work.run(), work.known) == (None, True), name


def held(event, epsilon=1.0):
    return Guarantee(epsilon=epsilon, delta=1e-5, adjacency=ADD, unit="record", basis="a theorem", event=event)


def mus(html):
    """What the rows about mu say, by their heading."""
    return {name: plain(said).strip() for name, said in re.findall(r"<dt>(mu[^<]*)</dt><dd>(.*?)</dd>", html)}


def made(**cases):
    """What is said of mu once it has been counted."""
    words = Made({TAB: lambda _: panels.guarantee(**cases)}, None)
    mu.count(words, [TAB])
    return mus(words[TAB])


@pytest.mark.parametrize(
    ("event", "stated"),
    [
        (gaussian(3.0), 0.334),
        (sampled(0.01, 4.0, 10_000), 0.256),
        (laplace(1.0), kit.UNFIT),
        (together(sampled(0.01, 4.0), pure(0.1)), kit.UNKNOWN),
        (sampled(0.01, 4.0, 1_000_000), kit.UNCOUNTED),
    ],
    ids=["exact", "fits", "does not fit", "not known", "not countable"],
)
def test_a_page_and_a_label_say_the_same_of_mu(event, stated):
    said = made(here=held(event))["mu"]
    assert said.startswith(str(stated))
    assert ("exact" in said) == (event == gaussian(3.0))
    found = label(ClassifierSettings(), Stated(promise=held(event)))
    assert found.fields["privacy_loss"]["mu"] == stated
    assert isinstance(stated, float) or f'"{stated}"' in SCHEMA.read_text("utf-8")
    for nothing in (Stated(promise=held(event), void="as published"), Stated(promise=held(event, epsilon=math.inf))):
        assert label(ClassifierSettings(), nothing).fields["privacy_loss"]["mu"] == NOTHING


def test_several_guarantees_have_a_mu_each_unless_it_is_the_same():
    small, large = (held(gaussian(one)) for one in (1.0, 2.0))
    assert {*made(first=small, second=large)} == {"mu, first", "mu, second"}
    assert {*made(first=small, second=small)} == {"mu"}
    assert [kit.Fit(mu, fits=True).shown for mu in (0.25601, 0.256)] == [0.257, 0.256]  # rounded up


def test_it_is_counted_at_rest_where_its_tab_is_open_and_after_an_answer():
    settings = AccountingSettings(steps=10_001)

    def asked(seconds=60, **how):
        found = compare(PAGE, settings, None, seconds=seconds, **how)
        return found.done == 1, mus(found.says(TAB)[".lab-words-guarantee"])["mu"] if "tab" in how else ""

    CACHE.forget()
    while not asked()[0]:
        pass
    assert asked(resting=True) == (True, "")
    assert asked(tab=TAB) == (False, "…")
    done, said = asked(tab=TAB, resting=True)
    assert (done, said[:7]) == (True, "0.256 (")
    assert asked(seconds=0, tab=TAB) == (True, said)
    CACHE.forget(lambda question: isinstance(question, Fitting))
    link = {name: str(value) for name, value in asdict(settings).items()}
    first, later = (shown(Question({}, PAGE, link, TAB), seconds) for seconds in (0, 0.05))
    assert first.done < later.done == 1
    assert [mu.PENDING in one.words[".lab-words-guarantee"] for one in (first, later)] == [True, False]


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
