"""Sensitivities of regression statistics, against brute force over neighbouring data sets.

Neighbours differ in one row replaced. A row is (1, x, y) with d features x and a label y, all in
[-1, 1], and p = d + 1 inputs.
"""

import itertools

import numpy as np
import pytest

from dpcore.regression import functional, gaussian_statistics

# Claims are reached and never passed, but for the rounding of sums of at most 36 products.
ROUNDING = 1e-12
DIMENSIONS = pytest.mark.parametrize("d", range(1, 6))
# So many neighbours are drawn at random.
DRAWS = 20_000


def replaced_rows(d: int) -> np.ndarray:
    """Return rows (x, y) before and after a replacement, (2, pairs, d + 1).

    They are drawn at random, have random corners, are all corners of few dimensions, and move all
    features alike while the label turns or stays, which is the worst case of some statistics.
    """
    rng = np.random.default_rng(d)
    parts = [
        rng.uniform(-1, 1, (2, DRAWS, d + 1)),
        rng.choice([-1.0, 0.0, 1.0], (2, DRAWS, d + 1)),
    ]
    if d <= 3:
        corners = np.array(list(itertools.product([-1.0, 1.0], repeat=2 * (d + 1))))
        # (pairs, 2 rows times d + 1) to (2, pairs, d + 1).
        parts.append(corners.reshape(len(corners), 2, d + 1).swapaxes(0, 1))
    for label in (1.0, -1.0):
        before = np.ones((401, d + 1))
        after = np.repeat(np.linspace(-1, 1, 401)[:, None], d + 1, axis=1)
        after[:, -1] = label
        parts.append(np.stack([before, after]))
    return np.concatenate(parts, axis=1)


def statistics_of(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what each row (x, y) adds to X^T X, (pairs, p, p), and to X^T y, (pairs, p)."""
    x = np.column_stack([np.ones(len(rows)), rows[:, :-1]])
    y = rows[:, -1]
    return np.einsum("mi,mj->mij", x, x), x * y[:, None]


class Changes:
    """What one replaced row changes, for each of many neighbours.

    Attributes:
        gram: Changes of X^T X, (pairs, p, p).
        whole: L1 norms of all its entries.
        triangle: L1 norms of its upper triangle.
        squared: Its squared Frobenius norms.
        linear: L1 norms of the changes of X^T y.
        length: L2 norms of the changes of X^T y.
    """

    def __init__(self, d: int) -> None:
        before, after = replaced_rows(d)
        gram_before, moment_before = statistics_of(before)
        gram_after, moment_after = statistics_of(after)
        self.gram = gram_before - gram_after
        moment = moment_before - moment_after
        self.whole = np.abs(self.gram).sum(axis=(1, 2))
        self.triangle = np.abs(np.triu(self.gram)).sum(axis=(1, 2))
        self.squared = np.square(self.gram).sum(axis=(1, 2))
        self.linear = np.abs(moment).sum(axis=1)
        self.length = np.linalg.norm(moment, axis=1)


@pytest.fixture(scope="module")
def changes():
    """Return a list with the changes for d features at index d, from 1 to 5."""
    return [None, *(Changes(d) for d in range(1, 6))]


def assert_reached(values: np.ndarray, claimed: float, *, share: float) -> None:
    """Assert that the largest value is at most what is claimed, and at least a share of it."""
    assert values.max() <= claimed * (1 + ROUNDING)
    assert values.max() >= share * claimed


@DIMENSIONS
class TestSensitivities:
    """Each is reached by some neighbour, and passed by none."""

    def test_the_whole_matrix_has_half_of_the_published_sensitivity(self, changes, d):
        published = 2 * (d + 1) ** 2

        assert_reached(changes[d].whole, published / 2, share=0.999)

    def test_the_linear_part_has_its_sensitivity(self, changes, d):
        claimed = functional.linear_sensitivity(d + 1)

        assert_reached(2 * changes[d].linear, claimed, share=0.9999)

    def test_both_parts_together_change_less_than_the_sum_of_their_sensitivities(self, changes, d):
        inputs = d + 1

        assert_reached(changes[d].whole + 2 * changes[d].linear, (inputs + 1) ** 2, share=0.999)

    def test_the_upper_triangle_has_its_sensitivity(self, changes, d):
        claimed = functional.triangle_sensitivity(d + 1)

        assert_reached(changes[d].triangle, claimed, share=0.9999)

    def test_the_frobenius_norm_of_the_matrix_has_its_sensitivity(self, changes, d):
        # The worst rows are orthogonal with |u|^2 = |v|^2 = p, which needs an even p.
        share = 0.93
        if d % 2 == 1:
            share = 0.9999

        claimed = gaussian_statistics.gram_sensitivity(d + 1)

        assert_reached(np.sqrt(changes[d].squared), claimed, share=share)

    def test_the_length_of_the_moment_has_its_sensitivity(self, changes, d):
        claimed = gaussian_statistics.moment_sensitivity(d + 1)

        assert_reached(changes[d].length, claimed, share=0.9999)

    def test_the_eigenvalues_have_their_sensitivity(self, changes, d):
        claimed = gaussian_statistics.eigenvalue_sensitivity(d + 1)

        largest = np.abs(np.linalg.eigvalsh(changes[d].gram)).max(axis=1)

        assert_reached(largest, claimed, share=0.8)

    @pytest.mark.parametrize("weight", [0.2, 1.0, 1.7])
    def test_the_triangle_with_the_weighted_linear_part_has_its_sensitivity(
        self, changes, d, weight
    ):
        claimed = functional.joint_triangle_sensitivity(d + 1, weight)

        joint = changes[d].triangle + weight * changes[d].linear

        assert_reached(joint, claimed, share=0.9999)

    @pytest.mark.parametrize("weight", [0.2, 1.0, 1.7])
    def test_the_frobenius_norm_with_the_weighted_length_has_its_sensitivity(
        self, changes, d, weight
    ):
        claimed = gaussian_statistics.joint_sensitivity(d + 1, weight)

        # The matrix together with two copies of the weighted moment.
        joint = np.sqrt(changes[d].squared + 2 * weight**2 * changes[d].length ** 2)

        assert_reached(joint, claimed, share=0.9)


@DIMENSIONS
@pytest.mark.parametrize("share", [0.3, 0.8, 0.95])
class TestEpsilonOfNoise:
    """Privacy loss of Laplace noise: what one row changes over the scale of the noise.

    ``share`` is the part of epsilon that is spent on the matrix.
    """

    def test_the_published_noise_gives_less_than_its_epsilon(self, changes, d, share):
        inputs = d + 1
        on_gram = changes[d].whole / (2 * inputs**2)
        on_moment = 2 * changes[d].linear / (4 * inputs)

        loss = share * on_gram + (1 - share) * on_moment

        claimed = functional.published_epsilon(1.0, share=share)
        assert claimed <= 1
        assert_reached(loss, claimed, share=0.99)

    def test_the_functional_noise_gives_its_epsilon(self, changes, d, share):
        epsilon = 0.7
        mechanism = functional.Functional(share=share)
        gram_scale, moment_scale = mechanism.scales(d + 1, np.array(epsilon))

        loss = changes[d].triangle / gram_scale + changes[d].linear / moment_scale

        assert_reached(loss, epsilon, share=0.999)


@pytest.mark.parametrize("inputs", [2, 5, 14])
class TestBestSplits:
    """Splits of epsilon, and weights, with the least variance of the noise, by search on a grid."""

    def test_the_functional_mechanism_splits_epsilon_with_the_least_variance(self, inputs):
        # Entries of the upper triangle but for the public count of rows.
        entries = inputs * (inputs + 1) / 2 - 1

        def variance(share: float) -> float:
            """Return half of the total variance of the noise with this share, at epsilon 1."""
            mechanism = functional.Functional(share=share)
            gram_scale, moment_scale = mechanism.scales(inputs, np.array(1.0))
            return entries * gram_scale**2 + inputs * moment_scale**2

        best = functional.best_share(inputs)

        least = min(variance(share) for share in np.linspace(0.02, 0.98, 2001))
        assert variance(best) == pytest.approx(least, rel=1e-5)

    def test_one_joint_release_has_less_noise_on_both_parts_than_two(self, inputs):
        share = functional.best_share(inputs)
        two_releases = (
            functional.triangle_sensitivity(inputs) / share,
            2 * inputs / (1 - share),
        )

        joint = functional.Functional(share=share).scales(inputs, np.array(1.0))

        for scale, scale_alone in zip(joint, two_releases, strict=True):
            assert scale < scale_alone

    def test_the_published_mechanism_splits_epsilon_with_the_least_variance(self, inputs):
        shares = np.linspace(0.01, 0.99, 4001)
        # Numbers released, times the square of their noise scale (sensitivity over share).
        on_gram = inputs**2 * (2 * inputs**2 / shares) ** 2
        on_moment = inputs * (4 * inputs / (1 - shares)) ** 2
        best_on_grid = shares[np.argmin(on_gram + on_moment)]

        # Two steps of the grid.
        assert functional.published_best_share(inputs) == pytest.approx(best_on_grid, abs=5e-4)

    def test_gaussian_statistics_weight_the_moment_with_the_least_variance(self, inputs):
        weights = np.linspace(0.05, 3, 5001)
        diagonal = inputs - 1
        above_diagonal = inputs * (inputs - 1) / 2
        # In units of an entry of the diagonal, one above it has half of the variance.
        entries = diagonal + above_diagonal / 2 + inputs / (2 * weights**2)
        variance = gaussian_statistics.joint_sensitivity(inputs, weights) ** 2 * entries
        best_on_grid = weights[np.argmin(variance)]

        # Two steps of the grid.
        assert gaussian_statistics.best_weight(inputs) == pytest.approx(best_on_grid, abs=1e-3)
