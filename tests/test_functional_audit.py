"""Private linear regression: no neighbour moves it too far, audits stay below the claim, and catch what is broken."""

from dataclasses import dataclass

import numpy as np
import pytest
from least_squares_cases import quiet, statistics_of

from dpcore.attacks import audit
from dpcore.privacy import Adjacency
from dpcore.regression import functional, least_squares, perturbed
from dpcore.regression.least_squares import Statistics
from pages.attack.audits import targets_regression


@pytest.mark.parametrize("penalty", [0.01, 0.3, 40.0])
def test_no_neighbour_moves_the_optimum_further_than_the_sensitivity(penalty):
    """Random and extreme neighbours of few rows, on an objective solved exactly; nearly reached for a large penalty."""
    way, rng, n = perturbed.OutputPerturbation(penalty=penalty, radius=1.0), np.random.default_rng(0), 3
    bound, furthest = way.sensitivity(penalty, inputs=3, rows=n), 0.0
    for case in range(300):
        X, y = np.column_stack([np.ones(n), rng.choice([-1.0, 1.0], (n, 2))]), rng.choice([-1.0, 1.0], n)
        Z, z = X.copy(), y.copy()
        Z[0, 1:], z[0] = (X[0, 1:], -y[0]) if case % 2 else (rng.uniform(-1, 1, 2), rng.uniform(-1, 1))
        ends = [quiet(way, Statistics.of(*both)) for both in ((X, y), (Z, z))]
        furthest = max(furthest, np.linalg.norm(ends[0] - ends[1]))
    assert furthest <= bound
    assert furthest > (0.8 if penalty > 1 else 0.01) * bound


def test_no_row_has_a_longer_gradient_than_the_descent_counts():
    rng, reached = np.random.default_rng(0), 0.0
    for _ in range(50):
        w = rng.normal(size=(1, 1, 4))
        _, longest = perturbed.Descent()._gradient(w, statistics_of(), None)
        X, y = np.column_stack([np.ones(2000), rng.choice([-1.0, 1.0], (2000, 3))]), rng.choice([-1.0, 1.0], 2000)
        norms = np.linalg.norm((X @ w[0, 0] - y)[:, None] * X, axis=1)
        reached = max(reached, norms.max() / longest.item())
    assert 0.999 < reached <= 1 + 1e-12


# Audits: a row with one feature is replaced among nine others; few coordinates are where an attack is sharpest.
RUNS = 20_000
# The worst neighbours (x, y) of the sound release, of the published one, and where a pair has two draws.
WORST = {
    "sound": ((1.0, 1.0), (0.0, -1.0)),
    "published": ((1.0, 1.0), (-0.89, -1.0)),
    "pair": ((1.0, 0.0), (-1.0, 0.0)),
}
# The split at which both parts have the same scale.
EVEN = 0.36


def bound(way, scales, places, *, case, epsilon) -> float:
    """What an attacker shows who takes the noise for Laplace noise of these scales on these places."""
    worlds, scores = targets_regression.ten_rows(WORST[case]), []
    for number, world in enumerate(worlds):
        rng = np.random.default_rng([number, 7])
        fit = way.fit(world, np.stack([way.draws(2, rng) for _ in range(RUNS)]), np.array([epsilon]))
        scores.append(targets_regression.laplace_ratio((fit.gram[0], fit.moment[0]), worlds, scales, places))
    return audit.epsilon_lower_bound(*scores, delta=0.0, adjacency=Adjacency.REPLACE_ONE).epsilon


@dataclass(frozen=True, kw_only=True)
class ScaleUpsideDown(functional.Functional):
    def scales(self, inputs, epsilon):
        return tuple(1 / scale for scale in super().scales(inputs, epsilon))


@dataclass(frozen=True, kw_only=True)
class FreshNoisePerPair(functional.Functional):
    """The triangle's sensitivity, but two independent draws for a pair."""

    def draws(self, inputs, rng):
        return np.append(super().draws(inputs, rng), rng.laplace(size=inputs * (inputs + 1) // 2))

    def fit(self, statistics, noise, epsilons):
        p = statistics.inputs
        fit = super().fit(statistics, noise[:, : -p * (p + 1) // 2], epsilons)
        again = least_squares.mirrored(noise[:, -p * (p + 1) // 2 :], p) * self.scales(p, epsilons)[0]
        lower = np.tril(np.ones((p, p)), k=-1)
        return fit._replace(gram=fit.gram * (1 - lower) + (statistics.gram + again) * lower)


TRIANGLE, WHOLE = np.triu_indices(2), np.indices((2, 2)).reshape(2, -1)
# Kind -> (whether it is sound, its split, the neighbours, the entries that the attacker looks at). The audit table has
# half of the noise, and the other mechanisms.
AUDITED = {
    "sound": (functional.Functional, True, EVEN, "sound", TRIANGLE),
    "scale upside down": (ScaleUpsideDown, False, EVEN, "sound", TRIANGLE),
    "mirrored pair": (functional.Functional, True, 0.95, "pair", WHOLE),  # what looks like two entries is one
    "fresh noise per pair": (FreshNoisePerPair, False, 0.95, "pair", WHOLE),
}


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
@pytest.mark.parametrize("name", AUDITED)
def test_audit_of_the_functional_mechanism(name, epsilon):
    kind, sound, share, case, places = AUDITED[name]
    claimed = functional.Functional(share=share).scales(2, np.array(epsilon))
    found = bound(kind(share=share, repair="none"), claimed, places, case=case, epsilon=epsilon)
    assert (found > epsilon) != sound
    assert found > (0.4 if name == "mirrored pair" else 0.5) * epsilon  # the attack is worth its name


def test_audit_of_the_published_way_stays_below_half_of_the_claim():
    scales = (2 * 4 / 3.6, 4 * 2 / 0.4 / 2)
    found = bound(functional.Published(share=0.9), scales, WHOLE, case="published", epsilon=4.0)
    gives = functional.published_epsilon(4.0, share=0.9)
    assert 0.3 * gives < found <= gives < 0.51 * 4.0
