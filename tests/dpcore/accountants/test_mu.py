"""The mu of any mechanism, against its curve by quadrature and brute force, and on the pages."""

import math
import re
from dataclasses import asdict

import numpy as np
import pytest
from scipy.optimize import brentq

from dpcore.accountants import gdp
from dpcore.accountants import mu as mu_fits
from dpcore.accountants.mu import Fit, Fitting
from dpcore.cache import CACHE
from dpcore.privacy import Adjacency, BestOf, Event, Guarantee
from lab.label.label import NOTHING, SCHEMA, Stated, label
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
from ui.text import mu_text, tiles

# The same formula in double precision.
ROUNDING = 1e-12
# The mu of the textbook run is documented with three decimals.
THREE_DECIMALS = 5e-4

GAUSSIAN = gaussian(2.0)
TAB = "guarantee"


def fit(event: Event, adjacency: Adjacency = ADD) -> Fit | None:
    """Return the mu of an event and whether it fits; None if none can be computed."""
    return Fitting(event, adjacency).run()


def epsilon_at(curve, delta: float) -> float:
    """Return the epsilon at which a curve delta(epsilon) falls to ``delta``."""
    if curve(0.0) <= delta:
        return 0.0
    return brentq(lambda epsilon: curve(epsilon) - delta, 0, 20, xtol=1e-10)


CURVES = pytest.mark.parametrize(("event", "adjacency", "curve"), NOISY)


@CURVES
def test_mu_is_the_smallest_that_covers_the_curve(event, adjacency, curve):
    epsilons = np.linspace(0, epsilon_at(curve, mu_fits.SMALLEST), 200)
    deltas = np.array([curve(epsilon) for epsilon in epsilons])

    mu = fit(event, adjacency).mu

    assert (gdp.deltas_of(epsilons, mu=mu) >= deltas - 1e-14).all()
    assert (gdp.deltas_of(epsilons, mu=0.999 * mu) < deltas).any()


@CURVES
def test_mu_fits_if_its_epsilon_is_within_one_per_cent(event, adjacency, curve):
    found = fit(event, adjacency)

    shortfalls = []
    for delta in np.geomspace(mu_fits.LARGEST, mu_fits.SMALLEST, 8):
        of_mu = gdp.epsilon_of(delta, mu=found.mu)
        shortfalls.append(1 - epsilon_at(curve, delta) / of_mu)
    assert found.fits == (max(shortfalls) <= 0.01)


@pytest.mark.parametrize("adjacency", [ADD, REPLACE])
@pytest.mark.parametrize(
    ("event", "mu"),
    [
        pytest.param(times(16, GAUSSIAN), 2, id="many"),
        pytest.param(together(GAUSSIAN, gaussian(0.75)), math.hypot(0.5, 4 / 3), id="two kinds"),
        pytest.param(sample(1.0, GAUSSIAN), 0.5, id="a sample of all"),
    ],
)
def test_gaussian_releases_have_an_exact_mu(event, mu, adjacency):
    found = fit(event, adjacency)

    assert found == (pytest.approx(mu, rel=ROUNDING), True, True)


def test_many_sampled_steps_are_nearly_gaussian():
    """As many small steps as in the textbook tend to mu = q sqrt(T (e^(1/sigma^2) - 1)) [dong2022,
    Corollary 5.4].
    """
    limit = 0.01 * math.sqrt(10_000 * math.expm1(1 / 4**2))

    found = fit(sampled(0.01, 4.0, 10_000))

    assert found.fits
    assert not found.exact
    assert found.mu == pytest.approx(0.256, abs=THREE_DECIMALS)
    assert limit < found.mu < 1.02 * limit


def test_samples_with_little_noise_are_not_gaussian():
    assert not fit(sampled(0.01, 0.6, 300)).fits


KNOWN_BY_EPSILON = {
    "pure": pure(1.0),
    "exponential mechanism": bounded_range(1.0),
    "approximate": approximate(1.0, 1e-6),
    "best of several": BestOf(event=GAUSSIAN, law="geometric", tries=5),
}


@pytest.mark.parametrize("name", KNOWN_BY_EPSILON)
@pytest.mark.parametrize(
    "event_with",
    [
        pytest.param(lambda part: part, id="alone"),
        pytest.param(lambda part: times(3, part), id="three times"),
        pytest.param(lambda part: together(GAUSSIAN, part), id="with Gaussian noise"),
        pytest.param(lambda part: sample(0.1, together(GAUSSIAN, part)), id="in a sample"),
    ],
)
def test_there_is_no_mu_if_only_epsilon_and_delta_of_a_part_are_known(name, event_with):
    task = Fitting(event_with(KNOWN_BY_EPSILON[name]), ADD)

    assert task.run() is None
    assert not task.known
    assert task.quick


@pytest.mark.parametrize(
    ("event", "adjacency"),
    [
        pytest.param(gaussian(0), ADD, id="no noise"),
        pytest.param(sampled(0.1, 0.0), ADD, id="no noise in samples"),
        pytest.param(sampled(0.5, 0.05, 100), ADD, id="epsilon beyond 700"),
        pytest.param(sampled(1e-9, 50.0), ADD, id="epsilon 0"),
        pytest.param(sampled(0.01, 40.0, 1_000_000), ADD, id="too many steps"),
        pytest.param(sample(0.1, laplace(1.0)), REPLACE, id="not proved"),
        pytest.param(together(laplace(0.0163), laplace(0.144)), REPLACE, id="delta 1"),
    ],
)
def test_there_is_no_mu_if_the_privacy_curve_cannot_be_computed(event, adjacency):
    task = Fitting(event, adjacency)

    assert task.run() is None
    assert task.known


@pytest.mark.parametrize(("mu", "shown"), [(0.25601, 0.257), (0.256, 0.256)])
def test_mu_is_shown_rounded_up(mu, shown):
    assert Fit(mu, fits=True).shown == shown


def guarantee_of(event: Event, epsilon: float = 1.0) -> Guarantee:
    """Return a guarantee at delta 1e-5 for a release with this event."""
    return Guarantee(
        epsilon=epsilon, delta=1e-5, adjacency=ADD, unit="record", basis="a theorem", event=event
    )


def mu_rows(html: str) -> dict[str, str]:
    """Return the texts of the rows about mu, by their heading."""
    rows = re.findall(r"<dt>(mu[^<]*)</dt><dd>(.*?)</dd>", html)
    return {heading: plain(text).strip() for heading, text in rows}


def counted_rows(**guarantees: Guarantee) -> dict[str, str]:
    """Return the rows about mu of these guarantees, once it has been counted."""
    texts = LazyValues({TAB: lambda _: tiles.guarantee_facts(**guarantees)}, None)
    mu_text.compute(texts, [TAB])
    return mu_rows(texts[TAB])


STATEMENTS = pytest.mark.parametrize(
    ("event", "stated"),
    [
        pytest.param(gaussian(3.0), 0.334, id="exact"),
        pytest.param(sampled(0.01, 4.0, 10_000), 0.256, id="fits"),
        pytest.param(laplace(1.0), mu_fits.UNFIT, id="does not fit"),
        pytest.param(together(sampled(0.01, 4.0), pure(0.1)), mu_fits.UNKNOWN, id="not known"),
        pytest.param(sampled(0.01, 4.0, 1_000_000), mu_fits.UNCOUNTED, id="not countable"),
    ],
)


@STATEMENTS
def test_a_page_states_mu_or_why_there_is_none(event, stated):
    text = counted_rows(here=guarantee_of(event))["mu"]

    assert text.startswith(str(stated))
    assert ("exact" in text) == (event == gaussian(3.0))


@STATEMENTS
def test_a_label_states_mu_as_the_page_does(event, stated):
    found = label(ClassifierSettings(), Stated(guarantee=guarantee_of(event)))

    assert found.fields["privacy_loss"]["mu"] == stated
    is_in_schema = f'"{stated}"' in SCHEMA.read_text("utf-8")
    assert isinstance(stated, float) or is_in_schema


@STATEMENTS
def test_a_label_states_no_mu_if_nothing_holds(event, stated):
    void = Stated(guarantee=guarantee_of(event), void="as published")
    infinite = Stated(guarantee=guarantee_of(event, epsilon=math.inf))

    for statement in (void, infinite):
        found = label(ClassifierSettings(), statement)
        assert found.fields["privacy_loss"]["mu"] == NOTHING


def test_several_guarantees_have_a_mu_each():
    small = guarantee_of(gaussian(1.0))
    large = guarantee_of(gaussian(2.0))

    assert counted_rows(first=small, second=large).keys() == {"mu, first", "mu, second"}


def test_equal_guarantees_share_a_mu():
    small = guarantee_of(gaussian(1.0))

    assert counted_rows(first=small, second=small).keys() == {"mu"}


MANY_STEPS = AccountingSettings(steps=10_001)


def screen_of_many_steps(*, seconds: float = 60, **options):
    """Return the screen of the accounting page at ``MANY_STEPS`` after some seconds of work."""
    return make_screen(PAGE, MANY_STEPS, None, seconds=seconds, **options)


def mu_on(screen) -> str:
    """Return the text of the row about mu on a screen."""
    return mu_rows(screen.texts(TAB)[".lab-words-guarantee"])["mu"]


def compute_without_mu() -> None:
    """Compute all of the page but mu, from an empty cache."""
    CACHE.forget()
    while screen_of_many_steps().done != 1:
        pass


def test_mu_is_not_counted_while_its_tab_is_closed():
    compute_without_mu()

    assert screen_of_many_steps(resting=True).done == 1
    opened = screen_of_many_steps(tab=TAB)
    assert opened.done != 1
    assert mu_on(opened) == "…"


def test_mu_is_counted_at_rest_and_kept():
    compute_without_mu()

    at_rest = screen_of_many_steps(tab=TAB, resting=True)
    later = screen_of_many_steps(seconds=0, tab=TAB)

    assert at_rest.done == 1
    assert mu_on(at_rest).startswith("0.256 (")
    assert later.done == 1
    assert mu_on(later) == mu_on(at_rest)


def test_mu_follows_the_first_answer_of_a_movement():
    compute_without_mu()
    CACHE.forget(lambda key: isinstance(key, Fitting))
    link = {name: str(value) for name, value in asdict(MANY_STEPS).items()}
    request = Request({}, PAGE, link, TAB)

    first = make_frame(request, 0)
    later = make_frame(request, 0.05)

    assert first.done < later.done == 1
    assert mu_text.PENDING in first.texts[".lab-words-guarantee"]
    assert mu_text.PENDING not in later.texts[".lab-words-guarantee"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_handout_states_every_mu(page):
    handout = quick(page)

    html = handout.html()

    stated = handout.label.fields["privacy_loss"]["mu"]
    texts = mu_rows(html.partition("<h2>Guarantee</h2>")[2])
    assert mu_text.PENDING not in html
    assert bool(texts) == (page.name != "what-if")
    if isinstance(stated, float):
        assert f", mu {tiles.number(stated)}" in plain(html)
        assert texts["mu"].startswith(f"{tiles.number(stated)} (Gaussian")
    elif texts and stated != NOTHING:
        assert any(text.startswith(stated) for text in texts.values())
