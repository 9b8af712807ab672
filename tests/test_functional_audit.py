"""Private linear regression: no neighbour moves it too far, audits stay below the claim, and catch what is broken."""

from dataclasses import dataclass

import numpy as np
import pytest
from least_squares_cases import quiet, rows_of, statistics_of

from dpcore.attacks import audit
from dpcore.privacy import GAUSSIAN_CURVE, Adjacency, Guarantee, PureRelease
from dpcore.regression import adassp, functional, gaussian_statistics, least_squares, perturbed
from dpcore.regression.least_squares import Statistics


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


def worlds(case, *, n: int = 9) -> list[Statistics]:
    X, y = rows_of(n=n, d=1)
    return [Statistics.of(np.vstack([X, [1.0, x]]), np.append(y, label)) for x, label in WORST[case]]


def pure_claim(epsilon):
    event = PureRelease(epsilon=epsilon)
    terms = {"adjacency": Adjacency.REPLACE_ONE, "unit": "record", "basis": "claimed", "event": event}
    return Guarantee(epsilon=epsilon, delta=0.0, **terms)


def scored(way, score, *, case, epsilon):
    """Scores of ``RUNS`` releases in each world."""
    scores = []
    for number, world in enumerate(worlds(case)):
        rng = np.random.default_rng([number, 7])
        noise = np.stack([way.draws(2, rng) for _ in range(RUNS)])
        scores.append(score(way.fit(world, noise, np.array([epsilon]))))
    return scores


def likelihood(scales, places, *, case):
    """Log-likelihood ratio of what is released, had it Laplace noise of these scales on these places."""
    first, second = worlds(case)

    def score(fit):
        total = 0.0
        for sign, world in ((1, second), (-1, first)):
            total = total + sign * np.abs(fit.gram[0][:, *places] - world.gram[*places]).sum(1) / scales[0]
            total = total + sign * np.abs(fit.moment[0] - world.moment).sum(1) / scales[1]
        return total

    return score


@dataclass(frozen=True, kw_only=True)
class HalfTheNoise(functional.Functional):
    def fit(self, statistics, noise, epsilons):
        return super().fit(statistics, noise / 2, epsilons)


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
# Kind -> (whether it is sound, its split, the neighbours, the entries that the attacker looks at).
AUDITED = {
    functional.Functional: (True, EVEN, "sound", TRIANGLE),
    HalfTheNoise: (False, EVEN, "sound", TRIANGLE),
    ScaleUpsideDown: (False, EVEN, "sound", TRIANGLE),
    FreshNoisePerPair: (False, 0.95, "pair", WHOLE),
}


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
@pytest.mark.parametrize("kind", AUDITED)
def test_audit_of_the_functional_mechanism(kind, epsilon):
    sound, share, case, places = AUDITED[kind]
    claimed = functional.Functional(share=share).scales(2, np.array(epsilon))
    way, score = kind(share=share, repair="none"), likelihood(claimed, places, case=case)
    scores = scored(way, score, case=case, epsilon=epsilon)
    found = audit.epsilon_lower_bound(*scores, delta=0.0, adjacency=Adjacency.REPLACE_ONE)
    assert found.refutes(pure_claim(epsilon)) != sound
    assert found.epsilon > 0.5 * epsilon  # the attack is worth its name


def test_a_mirrored_pair_stands_where_two_draws_fall():
    """The same attack on the sound release: what looks like two entries is one."""
    claimed = functional.Functional(share=0.95).scales(2, np.array(3.0))
    score = likelihood(claimed, WHOLE, case="pair")
    scores = scored(functional.Functional(share=0.95, repair="none"), score, case="pair", epsilon=3.0)
    found = audit.epsilon_lower_bound(*scores, delta=0.0, adjacency=Adjacency.REPLACE_ONE)
    assert 1.5 < found.epsilon <= 3.0


def test_audit_of_the_published_way_stays_below_half_of_the_claim():
    score = likelihood((2 * 4 / 3.6, 4 * 2 / 0.4 / 2), WHOLE, case="published")
    scores = scored(functional.Published(share=0.9), score, case="published", epsilon=4.0)
    found = audit.epsilon_lower_bound(*scores, delta=0.0, adjacency=Adjacency.REPLACE_ONE)
    gives = functional.published_epsilon(4.0, share=0.9)
    assert 0.3 * gives < found.epsilon <= gives < 0.51 * 4.0


@pytest.mark.parametrize("halved", [False, True])
@pytest.mark.parametrize("way", [adassp.AdaSSP(delta=1e-5), gaussian_statistics.GaussianStatistics(delta=1e-5)])
def test_audit_of_gaussian_statistics(way, halved):
    """The attacker projects all releases on the difference of the worlds, each in units of its noise."""
    first, second = worlds("sound")
    step = first.gram - second.gram, first.moment - second.moment
    blank = Statistics(gram=1e-9 * np.eye(2), moment=np.zeros(2), square=0.0, rows=10)
    noise = np.stack([way.draws(2, np.random.default_rng([9, run])) for run in range(400)])
    pure = way.fit(blank, noise, np.array([2.0]))
    sd = pure.gram[0][:, 1, 1].std(), pure.moment[0].std()

    def score(fit):
        return (fit.gram[0] * step[0]).sum((1, 2)) / sd[0] ** 2 + (fit.moment[0] * step[1]).sum(1) / sd[1] ** 2

    class Halved(type(way)):
        def fit(self, statistics, noise, epsilons):
            return super().fit(statistics, noise / 2, epsilons)

    audited = Halved(delta=1e-5) if halved else way
    found = audit.epsilon_lower_bound(
        *scored(audited, score, case="sound", epsilon=2.0), delta=1e-5, adjacency=Adjacency.REPLACE_ONE, form="gaussian"
    )
    # A projection of Gaussian noise that does not depend on the data: exactly a normal number in both worlds.
    assert found.refutes(way.guarantee(2.0, inputs=2, rows=10), proved=GAUSSIAN_CURVE) == halved
    assert found.epsilon > 0.5


@pytest.mark.parametrize("halved", [False, True])
def test_audit_of_output_perturbation(halved):
    """A large penalty, where a single row moves the optimum by nearly what the bound allows."""
    penalty, epsilon, ends = 60.0, 2.0, []
    way = perturbed.OutputPerturbation(penalty=penalty, radius=1.0)
    for label in (1.0, -1.0):
        ends.append(Statistics.of(np.ones((1, 4)), np.array([label])))
    rng, scores = np.random.default_rng(5), []
    direction = quiet(way, ends[0]) - quiet(way, ends[1])
    for world in ends:
        noise = np.stack([way.draws(4, rng) for _ in range(RUNS)]) / (2 if halved else 1)
        scores.append(way.fit(world, noise, np.array([epsilon])).weights[0] @ direction)
    found = audit.epsilon_lower_bound(*scores, delta=0.0, adjacency=Adjacency.REPLACE_ONE)
    assert found.refutes(pure_claim(epsilon)) == halved
    assert found.epsilon > 0.3 * epsilon
