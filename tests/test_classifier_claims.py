"""What the versions of the classifier claim and what holds, computed again from the formulas on paper."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.accountants import gdp
from dpcore.accountants.attacker import best_attacker
from dpcore.estimators import recipes as classifier_claims
from dpcore.privacy import Adjacency
from pages.classifier.experiment import ClassifierSettings


def settings(**changes) -> ClassifierSettings:
    return ClassifierSettings(**{"repeats": 3, "steps": 6, "public_steps": 5, **changes})


def gaussian_delta(epsilon: float, mu: float) -> float:
    """delta of a mu-GDP release by plain numerical integration of max(0, p - e^epsilon q)."""
    x = np.linspace(-12, 12 + mu, 400_001)
    gap = stats.norm.pdf(x, mu) - math.exp(epsilon) * stats.norm.pdf(x)
    return np.maximum(gap, 0).sum() * (x[1] - x[0])


def test_the_published_gains_have_three_slips():
    assert classifier_claims.published_slips() == (0.1, 0.5, 150.0)
    computed = [after - before for before, after, _ in classifier_claims.PUBLISHED.values()]
    np.testing.assert_allclose(computed, [0, 0.5, 1, 6.75, 10.25, 11, 11, 10.5, 10.5])


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 150.0])
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("dataset", ["gaussians", "digits"])
def test_the_sound_version_gives_what_it_claims(dataset, adjacency, epsilon):
    one = settings(dataset=dataset, epsilon=epsilon, adjacency=str(adjacency))
    found = classifier_claims.guarantees(one)
    assert found.holds
    assert found.claimed == epsilon
    assert found.formula == found.bounded == found.unbounded
    assert epsilon * (1 - 1e-9) < found.formula.epsilon <= epsilon
    assert (found.formula.delta, found.formula.adjacency) == (1e-5, adjacency)
    mu, attacker = gdp.mu_of(epsilon, delta=one.delta), best_attacker(one.promise)
    assert attacker == (pytest.approx(stats.norm.cdf(mu / 2), rel=1e-9), "noise")
    assert 0.5 < attacker.right <= one.promise.attacker_accuracy


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize(("dataset", "features", "rows"), [("gaussians", 2, 400), ("iris", 4, 75)])
@pytest.mark.parametrize("clip_norm", [0.01, 0.02, 1.0])
def test_what_the_published_version_gives(clip_norm, dataset, features, rows, adjacency):
    how = {"dataset": dataset, "clip_norm": clip_norm, "steps": 40, "public_rows": 0, "epsilon": 2.0}
    one = settings(version="published", adjacency=str(adjacency), **how)
    found = classifier_claims.guarantees(one)
    assert not found.holds
    # Its noise, and how far one row moves what it is added to, from the formulas on paper.
    sd = (2 * clip_norm / (rows * 2.0)) * math.sqrt(2 * 40 * math.log(1.25 / 1e-5))
    assert classifier_claims.noise_sd(one, 2.0) == pytest.approx(sd, rel=1e-12)
    moved = 2 if adjacency is Adjacency.REPLACE_ONE else 1
    longest = math.sqrt(features + 1) * (1 if dataset == "gaussians" else math.sqrt(2))
    sensitivities = {
        "formula": moved * clip_norm / rows,
        "bounded": min(2 * clip_norm, moved * longest / rows),
        "unbounded": 2 * clip_norm,
    }
    for name, sensitivity in sensitivities.items():
        guarantee, mu = getattr(found, name), sensitivity * math.sqrt(40) / sd
        assert guarantee.epsilon == pytest.approx(gdp.epsilon_of(1e-5, mu=mu), rel=1e-9)
        if mu < 8:
            assert gaussian_delta(guarantee.epsilon, mu) == pytest.approx(1e-5, rel=1e-3)
    assert found.formula.epsilon <= found.bounded.epsilon <= found.unbounded.epsilon


def test_no_privacy_gives_none():
    found = classifier_claims.guarantees(settings(version="none"))
    assert not found.holds
    assert found.formula.epsilon == found.bounded.epsilon == found.unbounded.epsilon == math.inf
