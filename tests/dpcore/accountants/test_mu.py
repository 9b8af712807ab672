"""The Gaussian mechanism and the mu of any mechanism, against high-precision roots, quadrature and
brute force.
"""

import math
import re
from dataclasses import asdict
from unittest import mock

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from dpcore import accountants, check, mechanisms
from dpcore.accountants import gdp
from dpcore.accountants import mu as kit
from dpcore.accountants.mu import Fitting
from dpcore.cache import CACHE
from dpcore.privacy import Adjacency, BestOf, Guarantee
from dpcore.training import descent
from lab.label.label import NOTHING, SCHEMA, Stated, label
from lab.models.classifier_versions import crossing, formula_epsilon
from pages.accounting.page import PAGE
from pages.accounting.settings import AccountingSettings
from pages.classifier.settings import ClassifierSettings
from pages.topics import PAGES
from tests.accounting_oracles import ADD, NOISY, REPLACE
from tests.event_builders import (
    approximate,
    bounded_range,
    gaussian,
    laplace,
    pure,
    sample,
    sampled,
    times,
    together,
)
from tests.handouts import quick
from tests.sentences import plain
from ui.live.frames import make_frame
from ui.live.messages import Request
from ui.page.screen import make_screen
from ui.page.view import LazyValues
from ui.text import mu_text as mu
from ui.text import tiles

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
    for event, exact in (
        (times(16, GAUSSIAN), 2),
        (several, math.hypot(0.5, 4 / 3)),
        (sample(1.0, GAUSSIAN), 0.5),
    ):
        assert fit(event, adjacency) == (pytest.approx(exact, rel=1e-12), True, True)


def test_many_sampled_steps_are_nearly_gaussian():
    """As many small steps as in the textbook tend to mu = q sqrt(T (e^(1/sigma^2) - 1)) [dong2022,
    Corollary 5.4].
    """
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
    return Guarantee(
        epsilon=epsilon, delta=1e-5, adjacency=ADD, unit="record", basis="a theorem", event=event
    )


def mus(html):
    """What the rows about mu say, by their heading."""
    return {
        name: plain(said).strip()
        for name, said in re.findall(r"<dt>(mu[^<]*)</dt><dd>(.*?)</dd>", html)
    }


def made(**cases):
    """What is said of mu once it has been counted."""
    words = LazyValues({TAB: lambda _: tiles.guarantee_facts(**cases)}, None)
    mu.compute(words, [TAB])
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
    found = label(ClassifierSettings(), Stated(guarantee=held(event)))
    assert found.fields["privacy_loss"]["mu"] == stated
    assert isinstance(stated, float) or f'"{stated}"' in SCHEMA.read_text("utf-8")
    for nothing in (
        Stated(guarantee=held(event), void="as published"),
        Stated(guarantee=held(event, epsilon=math.inf)),
    ):
        assert label(ClassifierSettings(), nothing).fields["privacy_loss"]["mu"] == NOTHING


def test_several_guarantees_have_a_mu_each_unless_it_is_the_same():
    small, large = (held(gaussian(one)) for one in (1.0, 2.0))
    assert {*made(first=small, second=large)} == {"mu, first", "mu, second"}
    assert {*made(first=small, second=small)} == {"mu"}
    assert [kit.Fit(mu, fits=True).shown for mu in (0.25601, 0.256)] == [0.257, 0.256]  # rounded up


def test_it_is_counted_at_rest_where_its_tab_is_open_and_after_an_answer():
    settings = AccountingSettings(steps=10_001)

    def asked(seconds=60, **how):
        found = make_screen(PAGE, settings, None, seconds=seconds, **how)
        return found.done == 1, mus(found.texts(TAB)[".lab-words-guarantee"])[
            "mu"
        ] if "tab" in how else ""

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
    first, later = (make_frame(Request({}, PAGE, link, TAB), seconds) for seconds in (0, 0.05))
    assert first.done < later.done == 1
    assert [mu.PENDING in one.texts[".lab-words-guarantee"] for one in (first, later)] == [
        True,
        False,
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_handout_has_every_mu(page):
    one = quick(page)
    html, stated = one.html(), one.label.fields["privacy_loss"]["mu"]
    assert mu.PENDING not in html
    said = mus(html.partition("<h2>Guarantee</h2>")[2])
    assert bool(said) == (page.name != "what-if")
    if isinstance(stated, float):
        assert f", mu {tiles.number(stated)}" in plain(html)
        assert said["mu"].startswith(f"{tiles.number(stated)} (Gaussian")
    elif said and stated != NOTHING:
        assert any(text.startswith(stated) for text in said.values())


EPSILONS = (0.01, 0.05, 0.1, 0.5, 1, 2, 5, 8, 10, 15, 50, 150)


def hockey_stick(epsilon: float, sigma: mpmath.mpf) -> mpmath.mpf:
    """delta by its definition: the integral of max(0, p - e^epsilon q), p = N(1, sigma^2), q = N(0,
    sigma^2).
    """
    crossing_point = sigma**2 * epsilon + mpmath.mpf(1) / 2
    ends = [
        crossing_point,
        crossing_point + sigma,
        crossing_point + 5 * sigma,
        crossing_point + 40 * sigma,
    ]
    return mpmath.quad(
        lambda x: mpmath.npdf(x, 1, sigma) - mpmath.exp(epsilon) * mpmath.npdf(x, 0, sigma), ends
    )


@pytest.mark.parametrize("mu", [0.02, 0.3, 1.0, 4.0, 40.0])
def test_delta_of_many_epsilons_is_that_of_each_below_zero_too(mu):
    epsilons = np.array([-200, -40, -3, -1, -1e-3, 0, 1e-3, 0.5, 1, 3, 40, 200]) * mu
    with np.errstate(all="raise", under="ignore"):
        found = gdp.deltas_of(epsilons, mu=mu)
    with mpmath.workdps(60):
        pairs = [
            (mu / mpmath.mpf(2) - epsilon / mu, mpmath.exp(epsilon))
            for epsilon in map(mpmath.mpf, epsilons)
        ]
        exact = np.array(
            [float(mpmath.ncdf(a) - ratio * mpmath.ncdf(a - mu)) for a, ratio in pairs]
        )
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-16)
    positive = epsilons >= 0
    each = [gdp.delta_of(one, mu=mu) for one in epsilons[positive]]
    np.testing.assert_allclose(each, exact[positive], rtol=1e-10, atol=1e-300)
    # Not to the last bit: the exponentials of arrays are a processor's own, and the difference of
    # two remains.
    np.testing.assert_allclose(found[positive], each, rtol=1e-12, atol=0)


@pytest.mark.parametrize("delta", [1e-12, 1e-5, 1e-2])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_calibration_is_the_high_precision_root(epsilon, delta):
    found = mechanisms.Gaussian(sensitivity=3.0, epsilon=epsilon, delta=delta)
    assert found.sd == 3.0 * found.noise_multiplier
    with mpmath.workdps(25):
        sigma = mpmath.mpf(found.noise_multiplier)
        spent, less = (
            hockey_stick(mpmath.mpf(epsilon), one)
            for one in (sigma, sigma * (1 - mpmath.mpf(1e-9)))
        )
    assert spent <= delta < less
    assert gdp.delta_of(epsilon, mu=gdp.mu_of(epsilon, delta=delta)) <= delta


@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 1e-2])
@pytest.mark.parametrize("mu", [math.sqrt(10) * 1e-9, 1e-3, 0.05, 0.27, 1.0, 5.0, 30.0, 1000.0])
def test_epsilon_of_errs_on_the_safe_side_and_no_further_in_few_evaluations(mu, delta, monkeypatch):
    counted = mock.Mock(wraps=gdp.delta_of)
    monkeypatch.setattr(gdp, "delta_of", counted)
    epsilon = gdp.epsilon_of(delta, mu=mu)
    assert counted.call_count < 200
    assert gdp.delta_of(epsilon, mu=mu) <= delta
    if epsilon == 0:
        assert 2 * stats.norm.cdf(mu / 2) - 1 <= delta  # the total variation distance
    else:
        assert gdp.delta_of(epsilon * (1 - (1e-9 if mu > 1e-6 else 1e-3)), mu=mu) > delta


@pytest.mark.parametrize("steps", [1, 2, 7, 50, 333, 400])
@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-5, 1e-2])
def test_a_calibrated_descent_never_counts_to_more_than_its_claim(steps, delta):
    for epsilon in EPSILONS:
        event = descent.event(
            descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=steps), steps=steps
        )
        found = accountants.account(event, delta=delta, adjacency=Adjacency.REPLACE_ONE).epsilon
        assert epsilon * (1 - 1e-9) <= found <= epsilon


@pytest.mark.parametrize(
    ("constant", "claimed", "true"),
    [
        (1.25, 0.01, 0.00455),
        (1.25, 1, 0.751),
        (1.25, 150, 610),
        (2.0, 0.1, 0.0594),
        (2.0, 1, 0.735),
        (2.0, 10, 10.145),
    ],
)
def test_what_a_published_formula_really_gives_and_where_it_stops_to_hold(constant, claimed, true):
    found = formula_epsilon(claimed, delta=1e-5, constant=constant)
    assert found == pytest.approx(true, rel=5e-3)
    with mpmath.workdps(40):
        sigma = mpmath.sqrt(2 * mpmath.log(mpmath.mpf(constant) / mpmath.mpf(1e-5))) / claimed
        assert float(hockey_stick(mpmath.mpf(found), sigma)) == pytest.approx(1e-5)
    for delta in (1e-3, 1e-5, 1e-8):
        at = crossing(delta, constant=constant)
        below, above = (
            formula_epsilon(at * by, delta=delta, constant=constant) / at for by in (0.999, 1.001)
        )
        assert (below < 0.999, above > 1.001) == (True, True)


@pytest.mark.parametrize("delta", [1e-10, 1e-5, 1e-2])
@pytest.mark.parametrize("times", [1.0, 1.4, 2.0, 5.0])
def test_a_claim_is_kept_up_to_its_crossing_and_no_further(times, delta):
    scale = times * math.sqrt(2 * math.log(1 / delta))
    found = gdp.crossing(scale, delta=delta)
    assert all(
        gdp.delta_of(claim, mu=claim / scale) < delta
        for claim in found * (1 - np.geomspace(1e-6, 0.999, 40))
    )
    assert all(
        gdp.delta_of(claim, mu=claim / scale) > delta
        for claim in found * np.geomspace(1 + 1e-6, 100, 40)
    )


def test_bad_arguments_are_refused_by_name():
    bad = [
        ("epsilon", 0, gdp.mu_of, (0, 1e-5)),
        ("delta", 0, gdp.mu_of, (1, 0)),
        ("delta", 1, gdp.mu_of, (1, 1)),
    ]
    bad += [("mu", 0, gdp.epsilon_of, (1e-5, 0)), ("delta", 0, gdp.epsilon_of, (0, 1))]
    bad += [("mu", math.inf, gdp.delta_of, (1, math.inf))]
    for name, value, function, (first, second) in bad:
        with pytest.raises(check.RefusedError, match=f"^{name} is {value},"):
            function(first, **{"delta" if function is gdp.mu_of else "mu": second})
