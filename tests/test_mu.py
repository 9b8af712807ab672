"""The mu that covers a mechanism, against curves delta(epsilon) by quadrature."""

import math

import numpy as np
import pytest
from accounting_oracles import ADD, NOISY, REPLACE, gaussian, sampled
from scipy.optimize import brentq

from dpcore.accountants import gdp
from dpcore.privacy import (
    ApproximateRelease,
    BestOf,
    BoundedRangeRelease,
    Composed,
    LaplaceRelease,
    PoissonSampled,
    PureRelease,
    Sequence,
)
from lab import mu
from lab.mu import Fitting

GAUSSIAN = gaussian(2.0)


def fit(event, adjacency=ADD):
    return Fitting(event, adjacency).run()


def epsilon_at(curve, delta):
    return brentq(lambda e: curve(e) - delta, 0, 20, xtol=1e-10) if curve(0.0) > delta else 0.0


@pytest.mark.parametrize(("event", "adjacency", "curve"), NOISY)
def test_the_smallest_mu_covers_the_curve_and_fits_only_within_one_percent(event, adjacency, curve):
    found = fit(event, adjacency)
    epsilons = np.linspace(0, epsilon_at(curve, mu.SMALLEST), 200)
    deltas = np.array([curve(epsilon) for epsilon in epsilons])
    assert (gdp.deltas_of(epsilons, mu=found.mu) >= deltas - 1e-14).all()
    assert (gdp.deltas_of(epsilons, mu=0.999 * found.mu) < deltas).any()
    at = np.geomspace(mu.LARGEST, mu.SMALLEST, 8)
    short = [1 - epsilon_at(curve, delta) / gdp.epsilon_of(delta, mu=found.mu) for delta in at]
    assert found.fits == (max(short) <= 0.01)


def test_some_of_these_curves_fit_and_some_do_not():
    assert {fit(event, adjacency).fits for event, adjacency, _ in NOISY} == {True, False}


@pytest.mark.parametrize("adjacency", [ADD, REPLACE])
@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (GAUSSIAN, 0.5),
        (Composed(event=GAUSSIAN, count=16), 2.0),
        (Sequence(events=(GAUSSIAN, gaussian(0.75))), math.hypot(0.5, 4 / 3)),
        (PoissonSampled(rate=1.0, event=GAUSSIAN), 0.5),
    ],
)
def test_gaussian_releases_have_an_exact_mu(event, expected, adjacency):
    assert fit(event, adjacency) == (pytest.approx(expected, rel=1e-12), True, True)


def test_many_sampled_steps_are_nearly_gaussian():
    """As many small steps as in the textbook tend to mu = q sqrt(T (e^(1/sigma^2) - 1)) [dong2022, Corollary 5.4]."""
    limit = 0.01 * math.sqrt(10_000 * math.expm1(1 / 4**2))
    found = fit(sampled(0.01, 4.0, 10_000))
    assert (round(found.mu, 3), found.fits, found.exact) == (0.256, True, False)
    assert limit < found.mu < 1.02 * limit


def test_little_noise_in_small_samples_is_not_described_by_one_mu():
    """The mu of the smallest delta lies far above that of delta 1e-5, which epsilon 4.965 there has."""
    found = fit(sampled(0.01, 0.6, 300))
    assert not found.fits
    assert found.mu == pytest.approx(1.4754, abs=1e-4)
    assert gdp.mu_of(4.965, delta=1e-5) == pytest.approx(1.1146, abs=1e-4)


@pytest.mark.parametrize(
    "part",
    [
        PureRelease(epsilon=1.0),
        BoundedRangeRelease(epsilon=1.0),
        ApproximateRelease(epsilon=1.0, delta=1e-6),
        BestOf(event=GAUSSIAN, law="geometric", tries=5),
    ],
)
def test_there_is_no_mu_where_a_part_is_known_by_epsilon_and_delta_only(part):
    several = Sequence(events=(GAUSSIAN, part))
    for event in (part, Composed(event=part, count=3), several, PoissonSampled(rate=0.1, event=several)):
        work = Fitting(event, ADD)
        assert (work.run(), work.known, work.quick) == (None, False, True)


@pytest.mark.parametrize(
    ("event", "adjacency"),
    [
        (gaussian(0), ADD),
        (sampled(0.1, 0.0), ADD),
        (sampled(0.5, 0.05, 100), ADD),
        (sampled(1e-9, 50.0), ADD),
        (sampled(0.01, 40.0, 1_000_000), ADD),
        (PoissonSampled(rate=0.1, event=LaplaceRelease(noise_multiplier=1.0)), REPLACE),
        (Sequence(events=(LaplaceRelease(noise_multiplier=0.0163), LaplaceRelease(noise_multiplier=0.144))), REPLACE),
    ],
    ids=[
        "no noise",
        "no noise in samples",
        "epsilon beyond 700",
        "epsilon 0",
        "too many steps",
        "not proved",
        "delta 1",
    ],
)
def test_there_is_no_mu_where_the_curve_cannot_be_counted(event, adjacency):
    work = Fitting(event, adjacency)
    assert work.run() is None
    assert work.known
