"""Private linear regression: every sensitivity by brute force, what the noise really gives, and the best split."""

import itertools

import numpy as np
import pytest
from least_squares_cases import quiet, statistics_of

from dpcore.regression import functional, gaussian_statistics, perturbed
from dpcore.regression.least_squares import Statistics

DIMENSIONS = range(1, 6)
WEIGHTS = (0.2, 1.0, 1.7)


def neighbours(d: int, rng: np.random.Generator):
    """Rows (1, x, y) before and after a replacement, (2, m, d + 2): random, corners, and pairs about the worst."""
    pairs = [rng.uniform(-1, 1, (2, 20_000, d + 1)), rng.choice([-1.0, 0.0, 1.0], (2, 20_000, d + 1))]
    if d <= 3:
        corners = np.array(list(itertools.product([-1.0, 1.0], repeat=2 * (d + 1))))
        pairs.append(corners.reshape(len(corners), 2, d + 1).swapaxes(0, 1))
    # all features move alike, from 1 to s, while the label turns or not
    s, label = np.meshgrid(np.linspace(-1, 1, 401), [1.0, -1.0])
    moved = np.stack([np.ones((802, d + 1)), np.column_stack([np.tile(s.reshape(-1, 1), d), label.reshape(-1, 1)])])
    pairs.append(moved)
    both = np.concatenate(pairs, axis=1)
    return np.concatenate([np.ones((*both.shape[:2], 1)), both], axis=2)


def changes(d: int):
    """(change of X^T X (m, p, p), change of X^T y (m, p)) of many neighbours, from the rows themselves."""
    rows = neighbours(d, np.random.default_rng(d))
    x, y = rows[..., :-1], rows[..., -1]
    grams = [np.einsum("mi,mj->mij", one, one) for one in x]
    return grams[0] - grams[1], x[0] * y[0, :, None] - x[1] * y[1, :, None]


@pytest.fixture(scope="module")
def brute():
    return {d: changes(d) for d in DIMENSIONS}


def reached_and_never_passed(found: np.ndarray, claimed: float, *, share: float = 1 - 1e-4):
    assert found.max() <= claimed * (1 + 1e-12)
    assert found.max() >= claimed * share


@pytest.mark.parametrize("d", DIMENSIONS)
class TestSensitivity:
    def test_laplace_releases(self, d, brute):
        gram, moment = brute[d]
        whole, triangle = (np.abs(one).sum((1, 2)) for one in (gram, np.triu(gram)))
        linear, p = np.abs(moment).sum(1), d + 1
        reached_and_never_passed(whole, p**2, share=0.999)  # half of the published
        reached_and_never_passed(2 * linear, functional.linear_sensitivity(p))
        reached_and_never_passed(whole + 2 * linear, functional.joint_sensitivity(p), share=0.999)
        reached_and_never_passed(triangle, functional.triangle_sensitivity(p), share=0.9999)
        for weight in WEIGHTS:
            claimed = functional.joint_triangle_sensitivity(p, weight)
            reached_and_never_passed(triangle + weight * linear, claimed, share=0.9999)

    @pytest.mark.parametrize("share", [0.3, 0.8, 0.95])
    def test_what_laplace_noise_really_gives(self, d, share, brute):
        """The published noise less than its epsilon, the functional noise exactly its own."""
        gram, moment = brute[d]
        p, linear = d + 1, np.abs(moment).sum(1)
        loss = share * np.abs(gram).sum((1, 2)) / (2 * p**2) + (1 - share) * 2 * linear / (4 * p)
        reached_and_never_passed(loss, functional.published_epsilon(1.0, share=share), share=0.99)
        assert functional.published_epsilon(1.0, share=share) <= 1
        on_gram, on_moment = functional.Functional(share=share).scales(p, np.array(0.7))
        loss = np.abs(np.triu(gram)).sum((1, 2)) / on_gram + linear / on_moment
        reached_and_never_passed(loss, 0.7, share=0.999)

    def test_gaussian_releases(self, d, brute):
        gram, moment = brute[d]
        frobenius = np.sqrt(np.square(gram).sum((1, 2)))
        assert frobenius.max() <= gaussian_statistics.gram_sensitivity(d + 1) * (1 + 1e-12)
        # u.v = 0 with |u|^2 = |v|^2 = p needs an even p
        assert frobenius.max() >= gaussian_statistics.gram_sensitivity(d + 1) * (0.93 if d % 2 == 0 else 0.9999)
        reached_and_never_passed(np.linalg.norm(moment, axis=1), gaussian_statistics.moment_sensitivity(d + 1))
        for weight in WEIGHTS:
            joint = np.sqrt(np.square(gram).sum((1, 2)) + 2 * weight**2 * np.square(moment).sum(1))
            claimed = gaussian_statistics.joint_sensitivity(d + 1, weight)
            assert 0.9 * claimed <= joint.max() <= claimed * (1 + 1e-12)

    def test_the_least_eigenvalue(self, d, brute):
        gram, _ = brute[d]
        values = np.linalg.eigvalsh(gram)
        assert np.abs(values).max() <= gaussian_statistics.eigenvalue_sensitivity(d + 1) * (1 + 1e-12)
        rest = (root := np.random.default_rng(0).normal(size=(d + 1, d + 1))).T @ root
        moved = np.linalg.eigvalsh(rest + gram[:: len(gram) // 500])[:, 0] - np.linalg.eigvalsh(rest)[0]
        assert np.abs(moved).max() <= d + 1


@pytest.mark.parametrize("inputs", [2, 5, 14])
def test_the_best_share_has_the_least_variance(inputs):
    entries = inputs * (inputs + 1) / 2 - 1

    def variance(share):
        on_gram, on_moment = functional.Functional(share=share).scales(inputs, np.array(1.0))
        return entries * on_gram**2 + inputs * on_moment**2

    best = functional.best_share(inputs)
    assert variance(best) == pytest.approx(min(map(variance, np.linspace(0.02, 0.98, 2001))), rel=1e-5)
    # and one joint release has less noise on both parts than two at the same split
    on_gram, on_moment = functional.Functional(share=best).scales(inputs, np.array(1.0))
    assert on_gram < functional.triangle_sensitivity(inputs) / best
    assert on_moment < 2 * inputs / (1 - best)
    shares = np.linspace(0.01, 0.99, 4001)
    published = inputs**2 * (2 * inputs**2 / shares) ** 2 + inputs * (4 * inputs / (1 - shares)) ** 2
    assert functional.published_best_share(inputs) == pytest.approx(shares[np.argmin(published)], abs=5e-4)


@pytest.mark.parametrize("inputs", [2, 5, 14])
def test_the_best_weight_has_the_least_variance(inputs):
    entries = inputs - 1 + inputs * (inputs - 1) / 4

    def variance(weight):
        return gaussian_statistics.joint_sensitivity(inputs, weight) ** 2 * (entries + inputs / (2 * weight**2))

    weights = np.linspace(0.05, 3, 5001)
    assert gaussian_statistics.best_weight(inputs) == pytest.approx(weights[np.argmin(variance(weights))], abs=1e-3)


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
