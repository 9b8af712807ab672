"""What one party can change, by brute force, and its noise; theorems of the page.

Its audits are in the audit table.
"""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from dpcore.accountants import gdp, rdp
from dpcore.mechanisms import NormExponential, noisy_max
from dpcore.parties import aggregation
from dpcore.privacy import NormExponentialRelease
from dpcore.training import erm
from lab.experiment.parts import Once
from lab.models import local_models
from pages.parties import releases
from pages.parties.fits import excess_risk, fit_releases, risk
from pages.parties.settings import PartiesSettings
from pages.parties.tasks import largest_changes
from pages.parties.texts_theorems import statements
from pages.parties.theorems import Statement, risk_bound, theorems
from tests.sentences import first


def rows(n: int, d: int, *, spread: float) -> np.ndarray:
    """Unit rows around one direction: with little spread one party's changes add up."""
    direction = np.random.default_rng(0).normal(size=d)
    X = direction / np.linalg.norm(direction) + spread * np.random.default_rng(1).normal(
        size=(n, d)
    )
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def every_change(classes: int, n: int, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Counts (cases, K, n) of votes before and after one party changes all it says, for each (K, n)
    of ``others``.
    """
    said = aggregation.one_hot(np.array(list(product(range(classes), repeat=n))), classes)
    before = others[:, None, None] + said[None, :, None]
    after = others[:, None, None] + said[None, None]
    shape = (len(others), len(said), len(said), classes, n)
    return tuple(
        np.broadcast_to(counts, shape).reshape(-1, classes, n) for counts in (before, after)
    )


def largest_move(X, before, after, *, release, strength) -> float:
    both = (aggregation.targets(counts, release=release) for counts in (before, after))
    one, other = (aggregation.fit(X, targets, regularisation=strength)[0] for targets in both)
    return float(np.linalg.norm(one - other, axis=(-2, -1)).max())


class TestSensitivity:
    @pytest.mark.parametrize("strength", [1e-2, 1.0, 100.0])
    @pytest.mark.parametrize("spread", [0.0, 1.0])
    @pytest.mark.parametrize("release", ["vote", "soft"])
    @pytest.mark.parametrize(("classes", "parties", "n"), [(2, 3, 3), (2, 4, 2), (3, 4, 2)])
    def test_every_change_of_one_party_stays_within_the_bound(
        self, classes, parties, n, release, spread, strength
    ):
        X = rows(n, 3, spread=spread)
        ballots = [
            np.bincount(said, minlength=classes)
            for said in product(range(classes), repeat=parties - 1)
        ]
        columns = np.unique(ballots, axis=0)
        others = np.array([np.transpose(some) for some in product(columns, repeat=n)], dtype=float)
        move = largest_move(
            X, *every_change(classes, n, others), release=release, strength=strength
        )
        options = {"classes": classes, "parties": parties, "regularisation": strength}
        bounds = {
            name: aggregation.sensitivity(release, constants=name, **options)
            for name in aggregation.CONSTANTS
        }
        assert move <= min(bounds.values()) * (1 + 1e-7)
        if strength == 100 and spread == 0:
            assert (
                move >= 0.99 * bounds["sharp"]
            )  # a party that says another class of every row, where rows agree
            assert bounds["published"] == pytest.approx(
                bounds["sharp"] * (2 if classes == 2 else 1)
            )

    @pytest.mark.parametrize("classes", [2, 3, 5])
    def test_probabilities_move_no_further_than_votes(self, classes):
        rng, parties, strength = np.random.default_rng(classes), 7, 10.0
        X = rows(5, 3, spread=0.3)
        sums = rng.dirichlet(np.ones(classes), size=(200, 5)).swapaxes(1, 2) * (parties - 1)
        one, other = (
            rng.dirichlet(np.full(classes, 0.05), size=(200, 5)).swapaxes(1, 2) for _ in range(2)
        )
        move = largest_move(X, sums + one, sums + other, release="soft", strength=strength)
        bound = aggregation.sensitivity(
            "soft", classes=classes, parties=parties, regularisation=strength
        )
        assert 0.5 * bound < move <= bound

    def test_the_mean_norm_of_public_rows_may_be_used(self):
        X, tied = 0.4 * rows(3, 3, spread=0.0), np.ones((1, 2, 3))
        move = largest_move(X, *every_change(2, 3, tied), release="vote", strength=100.0)
        bound = aggregation.sensitivity(
            "vote", classes=2, parties=3, regularisation=100.0, mean_norm=0.4
        )
        assert 0.99 * bound < move <= bound

    @pytest.mark.parametrize("classes", [2, 3, 6])
    @pytest.mark.parametrize("strength", [1e-3, 0.1, 10.0])
    def test_averages(self, classes, strength):
        """Parties with all rows alike and all labels alike, and random ones: the largest distance
        of two weights.
        """
        rng = np.random.default_rng(classes)
        alike = np.tile(rows(1, 3, spread=0.0), (classes, 6, 1))
        X = np.concatenate([alike, rows(60 * 6, 3, spread=2.0).reshape(60, 6, 3)])
        y = np.concatenate(
            [np.repeat(np.arange(classes)[:, None], 6, axis=1), rng.integers(0, classes, (60, 6))]
        )
        weights = local_models.logistic(X, y, classes=classes, regularisation=strength).reshape(
            len(X), -1
        )
        longest = aggregation.local_norm_bound(classes, strength)
        assert np.linalg.norm(weights, axis=1).max() <= longest * (1 + 1e-3)
        move = np.linalg.norm(weights[:, None] - weights, axis=-1).max()
        for constants in aggregation.CONSTANTS:
            options = {"classes": classes, "regularisation": strength, "constants": constants}
            assert move <= 5 * aggregation.sensitivity("average", parties=5, **options) * (1 + 1e-3)

    def test_the_bound_on_weights_is_reached_and_cut_weights_are_as_long_as_allowed(self):
        """One row of norm 1 and lambda = sigma(-w)/w at w = 1 + u, where z sigma(-z) is largest."""
        w = 1 + 0.2784645427610738
        strength = float(expit(-w)) / w
        found = erm.logistic(np.ones((1, 1)), np.ones(1), regularisation=strength).weights
        assert [found[0], aggregation.norm_bound(2, strength)] == pytest.approx([w, w], rel=1e-8)
        both = aggregation.sensitivity(
            "average", classes=2, parties=1, regularisation=strength, constants="norms"
        )
        assert 2 * found[0] == pytest.approx(both, rel=1e-8)
        weights = np.random.default_rng(0).normal(size=(5, 3, 4))
        assert np.linalg.norm(
            aggregation.clip_norms(weights, max_norm=0.1), axis=(1, 2)
        ) == pytest.approx(0.1)
        np.testing.assert_array_equal(aggregation.clip_norms(weights, max_norm=1e3), weights)


class TestNoise:
    @pytest.mark.parametrize("release", ["vote", "soft", "average"])
    def test_what_is_released_has_noise_for_its_sensitivity_whatever_the_parties_say(self, release):
        noises = []
        for unlike in (0.0, 0.9):
            model = PartiesSettings(parties=20, dataset="four", unlike=unlike).mechanisms
            model, fitted = (
                replace(model, repeats=300),
                fit_releases(model.ensemble, 20).weights[release],
            )
            noises.append(releases.release(model, release, 20, (0.5, 1.0)) - fitted)
        assert model.guarantee(release, 0.5).event == NormExponentialRelease(
            epsilon=0.5, dimension=12
        )
        np.testing.assert_allclose(noises[0][0], 2 * noises[0][1], rtol=1e-9)
        np.testing.assert_allclose(*noises, rtol=1e-10)
        noise = noises[0][0].reshape(-1, 12)
        lengths = np.linalg.norm(noise, axis=1)
        assert (
            stats.kstest(lengths * 0.5 / model.sensitivity(release), stats.gamma(12).cdf).pvalue
            > 1e-3
        )
        # uniform directions: each coordinate's share is that of a sphere's projection
        assert stats.kstest((noise[:, 0] / lengths + 1) / 2, stats.beta(5.5, 5.5).cdf).pvalue > 1e-3

    def test_the_sensitivity_covers_two_fits_that_end_at_the_tolerance_and_no_other_is_released(
        self, monkeypatch
    ):
        model, own = (
            (one := PartiesSettings(parties=20, seed=5, constants="sharp")).mechanisms,
            one.ensemble,
        )
        exact = np.linalg.norm(own.rows["public"].X, axis=1).mean() / own.regularisation
        slack = 2 * erm.TOLERANCE / own.regularisation
        for release, parties in (("vote", 1), ("soft", 20)):
            assert model.sensitivity(release) == pytest.approx(exact / parties + slack, rel=1e-12)
        monkeypatch.setattr(erm, "_STEPS", 1)
        fit_releases.cache_clear()
        with pytest.raises(ArithmeticError, match="minimiser"):
            releases.release(model, "soft", 20, (0.5,))

    def test_pate_noise_is_that_of_all_questions(self):
        """Each costs alpha/sigma^2 of Rényi divergence, as one party changes two counts by 1."""
        settings, orders = PartiesSettings(dataset="four", epsilon=1.3), (1.5, 2.0, 8.0)
        model, sigma = settings.mechanisms, settings.mechanisms.pate_noise_sd(1.3)
        event = noisy_max.winner_event(sigma)
        np.testing.assert_allclose(rdp.divergences(event, orders), np.array(orders) / sigma**2)
        mu = math.sqrt(model.queries) * math.sqrt(2) / sigma
        assert gdp.epsilon_of(model.delta, mu=mu) == pytest.approx(1.3, rel=1e-6)
        assert settings.guarantee_of("pate").epsilon == pytest.approx(1.3, rel=1e-6)


def test_the_first_of_those_that_tie_wins():
    counts = np.array([[2, 1, 0], [2, 3, 5], [1, 3, 5.0]])
    np.testing.assert_array_equal(
        aggregation.targets(counts, release="vote").argmax(axis=0), [0, 1, 1]
    )
    np.testing.assert_allclose(aggregation.targets(counts, release="soft")[:, 0], [0.4, 0.4, 0.2])


LOG_2 = pytest.approx(math.log(2))
SMALL = {"public_rows": 100, "repeats": 8, "queries": 20}
CASES = [
    {"dataset": "four", "method": "vote", "constants": "norms"},
    {"epsilon": 100.0, "regularisation": 1.0},
    {"dataset": "intrusions", "parties": 100},
]


def of(result, name: str, release: str) -> Statement:
    return next(one for one in theorems(result) if (one.name, one.release) == (name, release))


def of_all(settings):
    changes = Once(largest_changes, settings.ensemble)
    return first(settings, [*settings.experiment.shown_sample(), *changes.tasks])


@pytest.mark.parametrize("dimensions", [1, 3, 50])
def test_the_noise_on_a_margin_is_that_of_draws_of_the_mechanism(dimensions):
    mechanism, rng = NormExponential(sensitivity=2, epsilon=0.5), np.random.default_rng(1)
    draws = np.concatenate([mechanism.noise(dimensions, rng) for _ in range(20_000)])
    options = {"dimensions": dimensions, "epsilon": 0.5}
    assert draws[:, 0].std() == pytest.approx(aggregation.margin_sd(2, **options), rel=0.04)


class TestTheorems:
    def test_the_numbers_of_the_usual_run_and_where_a_bound_is_vacuous(self):
        printed = {"constants": "published", "regularisation": 1e-3}
        usual, B = of_all(PartiesSettings(**printed)), math.sqrt(0.2784645 / 1e-3)
        assert [of(usual, "sensitivity", name).bound for name in ("vote", "soft", "average")] == [
            2000,
            2,
            2,
        ]
        assert of(usual, "public row", "soft").bound == (500 + 1000 - 1) / 500
        # 4 9 (1/4 + lambda) log^2(3/.025) / (lambda M)^2 = 207.1 and 16 (32 + log 40)/(lambda N) =
        # 1,142
        vote, soft = (risk_bound(usual, name) for name in ("vote", "soft"))
        assert [soft["noise"], soft["rows"], vote["noise"]] == pytest.approx(
            [207.1, 1142.0, 207.1e6], rel=1e-3
        )
        excess = excess_risk(usual.ensemble, usual.now.weights_of("soft"), usual.asked)
        assert of(usual, "risk", "soft").measured == np.quantile(excess, 0.95)
        assert (
            of(usual, "risk", "soft").bound == sum(soft.values()) == pytest.approx(1349.2, abs=0.1)
        )
        assert of(usual, "sensitivity", "vote").useless == pytest.approx(2 * B, rel=1e-5)
        assert of(usual, "sensitivity", "vote").vacuous
        assert not of(usual, "sensitivity", "soft").vacuous
        assert of(usual, "risk", "soft").useless == LOG_2
        zero = np.zeros((1, 1, 3))  # weights of 0 have this loss, under whatever labels
        assert [
            risk(usual.ensemble, zero, usual.asked, name).item() for name in ("vote", "soft")
        ] == [LOG_2] * 2
        assert (
            statements(usual).count("<b>vacuous</b>")
            == sum(one.vacuous for one in theorems(usual))
            == 3
        )

    @pytest.mark.parametrize("change", CASES, ids=str)
    def test_what_is_measured_stays_below(self, change):
        found = [*theorems(of_all(PartiesSettings(**SMALL).change(**change)))]
        assert all(one.holds is not False for one in found)
        assert sum(one.holds is True for one in found) >= 2
