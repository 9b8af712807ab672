"""Private linear regression: the functional mechanism against brute force, and its noise."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

from dpcore.accountants import gdp
from dpcore.estimators import linear
from dpcore.regression import (
    descent,
    functional,
    gaussian_statistics,
    least_squares,
    perturbation,
)
from dpcore.regression.descent import Descent, Rows
from dpcore.regression.least_squares import Statistics
from tests.oracles import clipped, data_of, quiet, rows_of


def neighbours(d: int, rng: np.random.Generator):
    """Rows (1, x, y) before and after a replacement, (2, m, d + 2): random, corners, and pairs
    about the worst.
    """
    pairs = [
        rng.uniform(-1, 1, (2, 20_000, d + 1)),
        rng.choice([-1.0, 0.0, 1.0], (2, 20_000, d + 1)),
    ]
    if d <= 3:
        corners = np.array(list(itertools.product([-1.0, 1.0], repeat=2 * (d + 1))))
        pairs.append(corners.reshape(len(corners), 2, d + 1).swapaxes(0, 1))
    # all features move alike, from 1 to s, while the label turns or not
    s, label = np.meshgrid(np.linspace(-1, 1, 401), [1.0, -1.0])
    moved = np.stack(
        [
            np.ones((802, d + 1)),
            np.column_stack([np.tile(s.reshape(-1, 1), d), label.reshape(-1, 1)]),
        ]
    )
    pairs.append(moved)
    both = np.concatenate(pairs, axis=1)
    return np.concatenate([np.ones((*both.shape[:2], 1)), both], axis=2)


def changes(d: int):
    """(change of X^T X (m, p, p), change of X^T y (m, p)) of many neighbours, from the rows
    themselves.
    """
    rows = neighbours(d, np.random.default_rng(d))
    x, y = rows[..., :-1], rows[..., -1]
    grams = [np.einsum("mi,mj->mij", one, one) for one in x]
    return grams[0] - grams[1], x[0] * y[0, :, None] - x[1] * y[1, :, None]


@pytest.mark.parametrize("d", range(1, 6))
def test_every_sensitivity_is_reached_and_never_passed(d):
    (gram, moment), p = changes(d), d + 1
    whole, triangle, linear = (
        np.abs(one).sum((1, 2)) for one in (gram, np.triu(gram), moment[..., None])
    )
    squared, length = np.square(gram).sum((1, 2)), np.linalg.norm(moment, axis=1)
    even = 0.9999 if d % 2 else 0.93  # u.v = 0 with |u|^2 = |v|^2 = p needs an even p
    cases = [
        (whole, p**2, 0.999),  # half of the published
        (2 * linear, functional.linear_sensitivity(p), 0.9999),
        # Both parts together, less than the sum of their sensitivities.
        (whole + 2 * linear, (p + 1) ** 2, 0.999),
        (triangle, functional.triangle_sensitivity(p), 0.9999),
        (np.sqrt(squared), gaussian_statistics.gram_sensitivity(p), even),
        (length, gaussian_statistics.moment_sensitivity(p), 0.9999),
        (
            np.abs(np.linalg.eigvalsh(gram)).max(axis=1),
            gaussian_statistics.eigenvalue_sensitivity(p),
            0.8,
        ),
    ]
    for weight in (0.2, 1.0, 1.7):
        joint = np.sqrt(squared + 2 * weight**2 * length**2)
        cases += [
            (triangle + weight * linear, functional.joint_triangle_sensitivity(p, weight), 0.9999)
        ]
        cases += [(joint, gaussian_statistics.joint_sensitivity(p, weight), 0.9)]
    for share in (
        0.3,
        0.8,
        0.95,
    ):  # the published noise gives less than its epsilon, the functional noise its own
        published = share * whole / (2 * p**2) + (1 - share) * 2 * linear / (4 * p)
        on_gram, on_moment = functional.Functional(share=share).scales(p, np.array(0.7))
        cases += [(published, functional.published_epsilon(1.0, share=share), 0.99)]
        cases += [(triangle / on_gram + linear / on_moment, 0.7, 0.999)]
        assert functional.published_epsilon(1.0, share=share) <= 1
    for found, claimed, share in cases:
        assert share * claimed <= found.max() <= claimed * (1 + 1e-12)


@pytest.mark.parametrize("inputs", [2, 5, 14])
def test_the_best_split_and_the_best_weight_have_the_least_variance(inputs):
    def variance(share):
        on_gram, on_moment = functional.Functional(share=share).scales(inputs, np.array(1.0))
        return (inputs * (inputs + 1) / 2 - 1) * on_gram**2 + inputs * on_moment**2

    best = functional.best_share(inputs)
    assert variance(best) == pytest.approx(
        min(map(variance, np.linspace(0.02, 0.98, 2001))), rel=1e-5
    )
    # and one joint release has less noise on both parts than two at the same split
    on_gram, on_moment = functional.Functional(share=best).scales(inputs, np.array(1.0))
    assert on_gram < functional.triangle_sensitivity(inputs) / best
    assert on_moment < 2 * inputs / (1 - best)
    shares, weights = np.linspace(0.01, 0.99, 4001), np.linspace(0.05, 3, 5001)
    published = (
        inputs**2 * (2 * inputs**2 / shares) ** 2 + inputs * (4 * inputs / (1 - shares)) ** 2
    )
    assert functional.published_best_share(inputs) == pytest.approx(
        shares[np.argmin(published)], abs=5e-4
    )
    entries = inputs - 1 + inputs * (inputs - 1) / 4 + inputs / (2 * weights**2)
    gaussian = gaussian_statistics.joint_sensitivity(inputs, weights) ** 2 * entries
    assert gaussian_statistics.best_weight(inputs) == pytest.approx(
        weights[np.argmin(gaussian)], abs=1e-3
    )


@pytest.mark.parametrize("penalty", [0.01, 0.3, 40.0])
def test_no_neighbour_moves_the_optimum_further_than_the_sensitivity(penalty):
    """Random and extreme neighbours of few rows, on an objective solved exactly; nearly reached for
    a large penalty.
    """
    way, rng, n = (
        perturbation.OutputPerturbation(penalty=penalty, radius=1.0),
        np.random.default_rng(0),
        3,
    )
    bound, furthest = way.l2_sensitivity(penalty, inputs=3, rows=n), 0.0
    for case in range(300):
        X, y = (
            np.column_stack([np.ones(n), rng.choice([-1.0, 1.0], (n, 2))]),
            rng.choice([-1.0, 1.0], n),
        )
        Z, z = X.copy(), y.copy()
        Z[0, 1:], z[0] = (
            (X[0, 1:], -y[0]) if case % 2 else (rng.uniform(-1, 1, 2), rng.uniform(-1, 1))
        )
        ends = [quiet(way, Statistics.of(*both)) for both in ((X, y), (Z, z))]
        furthest = max(furthest, np.linalg.norm(ends[0] - ends[1]))
    assert furthest <= bound
    assert furthest > (0.8 if penalty > 1 else 0.01) * bound


def test_no_neighbour_moves_the_clipped_gradient_further_than_the_sensitivity():
    """One step from 0 moves the weights by the mean gradient. Neighbours differ in one row."""
    rng = np.random.default_rng(0)
    n = 7
    clip_norm = 0.3
    step = Descent(steps=1, radius=1e9, rate=1.0, momentum=0.0, clip_norm=clip_norm)
    largest = 0.0
    for case in range(300):
        X = np.column_stack([np.ones(n), rng.uniform(-1, 1, (n, 3))])
        y = rng.uniform(-1, 1, n)
        other_X = X.copy()
        other_y = y.copy()
        if case % 3 == 0:  # the whole row changes
            other_X[0, 1:] = rng.choice([-1.0, 1.0], 3)
        y[0] = rng.choice([-1.0, 1.0])
        other_y[0] = -y[0]

        moves = [quiet(step, Rows.of(*rows)) for rows in ((X, y), (other_X, other_y))]

        largest = max(largest, float(np.linalg.norm(moves[0] - moves[1])))

    claimed = 2 * clip_norm / n
    assert 0.999 * claimed < largest <= claimed * (1 + 1e-12)


def test_clipped_gradients_are_those_of_a_plain_loop():
    X, y = rows_of()
    step = Descent(steps=2, radius=0.4, rate=0.3, momentum=0.5, clip_norm=0.2)

    found = quiet(step, Rows.of(X, y))

    w = np.zeros(4)
    velocity = np.zeros(4)
    for _ in range(2):
        total = np.zeros(4)
        for x, label in zip(X, y, strict=True):
            total += clipped((w @ x - label) * x, 0.2)
        velocity = 0.5 * velocity - 0.3 * total / len(y)
        w = w + velocity
        w *= min(1, 0.4 / np.linalg.norm(w))
    np.testing.assert_allclose(found, w, atol=1e-12)


@pytest.mark.parametrize("batches", [1, 3, 7])
def test_a_person_is_in_one_batch_whatever_the_number_of_rows(batches):
    ends = np.array([2, 3, 5, 6, 8, 10, 11])
    rows = replace(Rows.of(np.ones((11, 2)), np.zeros(11)), ends=ends, rows_each=2)

    parts = [rows.batch(index, batches) for index in range(batches)]

    bounds = [0, *ends]
    assert [parts[0][0].start, parts[-1][0].stop] == [0, 11]
    assert all(part.stop in bounds for part, _ in parts)
    assert sum(places for _, places in parts) == 2 * len(ends)
    for (part, places), (following, _) in itertools.pairwise(parts):
        assert part.stop == following.start
        assert part.stop - part.start <= places


@pytest.mark.parametrize("person", range(5))
def test_a_person_with_more_or_fewer_rows_changes_only_the_steps_of_one_batch(person):
    """Neighbours have another number of rows, so the rows of everybody after them move."""
    rng = np.random.default_rng(person)
    counts = np.array([1, 3, 2, 3, 1])
    other_counts = counts.copy()
    other_counts[person] = 4 - counts[person]
    rows_of_person = [rng.uniform(-1, 1, (3, 4)) for _ in counts]
    changed = [*rows_of_person]
    # Other labels.
    changed[person] = changed[person] * [1, 1, 1, -1]
    sensitivity = 2 * 3 * 0.3
    weights = rng.normal(size=(1, 1, 3))

    sums = []
    for values, numbers in ((rows_of_person, counts), (changed, other_counts)):
        taken = [rows[:number] for rows, number in zip(values, numbers, strict=True)]
        table = np.concatenate(taken)
        rows = Rows.of(table[:, :3], table[:, 3])
        rows = replace(rows, ends=np.cumsum(numbers), rows_each=3)
        of_batches = []
        for index in range(2):
            batch, places = rows.batch(index, 2)
            assert places == 3 * (2 + index)
            of_batches.append(
                descent._clipped_gradient_sum(weights, rows, batch, np.full((1, 1, 1), 0.3))
            )
        sums.append(of_batches)

    moves = [float(np.linalg.norm(one - other)) for one, other in zip(*sums, strict=True)]
    own_batch = int(person >= 2)
    assert moves[1 - own_batch] == pytest.approx(0, abs=1e-12)
    assert 0 < moves[own_batch] <= sensitivity


@pytest.mark.parametrize(("steps", "batches", "passes"), [(60, 1, 60), (60, 8, 8), (60, 60, 1)])
def test_the_event_counts_the_steps_that_one_row_can_change(steps, batches, passes):
    mechanism = Descent(steps=steps, batches=batches)
    used = [step % batches for step in range(steps)]

    event = mechanism.event(0.7)

    assert event.count == passes == max(used.count(index) for index in used)
    # The sum of independent Gaussian releases, whose mu add up in squares [dong2022].
    mu = math.sqrt(event.count) / event.event.noise_multiplier
    assert gdp.delta_of(0.7, mu=mu) == pytest.approx(1e-6, rel=1e-6)


def test_the_rule_of_descent_depends_on_public_numbers_alone():
    mechanism = Descent()
    few = {"inputs": 14, "rows": 400}
    many = {"inputs": 14, "rows": 300_000}

    assert mechanism.chosen_clip_norm(0.5, **few) == pytest.approx(0.1)
    assert mechanism.chosen_clip_norm(100.0, **many) == pytest.approx(2 * math.sqrt(14))
    assert mechanism.chosen_radius(0.5, **few) == 1
    assert mechanism.chosen_radius(0.5, **many) == 3
    assert mechanism.chosen_rate(0.5, **few) == pytest.approx(1.5 / 14)
    assert mechanism.chosen_rate(0.5, **many) == pytest.approx(3 / 14)


UPPER = np.triu_indices(4, k=1)
NOTHING = Statistics(gram=np.zeros((4, 4)), moment=np.zeros(4), square=0.0, rows=100)
FAINT = Statistics(gram=1e-9 * np.eye(4), moment=np.zeros(4), square=0.0, rows=100)


def drawn(way):
    return linear.standard_noise(way, inputs=4, repeats=400, seed=1)


def released(way, statistics=NOTHING):
    return way.fit(statistics, drawn(way), np.array([0.5]))


def follows(values, law):
    assert stats.kstest(np.ravel(values), law.cdf).pvalue > 1e-3


class TestNoise:
    def test_published_draws_every_entry_of_the_matrix_and_functional_a_pair_once(self):
        fit, noise = (
            released(functional.Published(share=0.9)),
            drawn(functional.Published(share=0.9)),
        )
        follows(noise, stats.laplace)
        assert noise.shape == (400, 4 * 4 + 4)
        diagonal, off = fit.gram[0][:, range(4), range(4)], fit.gram[0][:, *UPPER]
        follows(diagonal, stats.laplace(scale=2 * 16 / 0.45))
        follows(fit.moment, stats.laplace(scale=4 * 4 / 0.05 / 2))
        # an entry of the symmetric part is the mean of two draws: sd = scale, and no Laplace law
        assert off.std() == pytest.approx(2 * 16 / 0.45, rel=0.08)
        assert stats.kurtosis(off.ravel()) < 2.4 < stats.kurtosis(diagonal.ravel())
        way = functional.Functional(share=0.6)
        fit, (on_gram, on_moment) = released(way), way.scales(4, np.array(0.5))
        assert np.array_equal(fit.gram, np.swapaxes(fit.gram, -1, -2))
        assert not fit.gram[0][:, 0, 0].any()  # n is public
        entries = fit.gram[0][:, *UPPER], fit.gram[0][:, range(1, 4), range(1, 4)]
        for values, scale in (
            (entries[0], on_gram),
            (entries[1], on_gram),
            (fit.moment, on_moment),
        ):
            follows(values, stats.laplace(scale=scale))
        assert np.abs(np.corrcoef(entries[0], rowvar=False) - np.eye(6)).max() < 0.25

    @pytest.mark.parametrize(
        "way", [gaussian_statistics.GaussianStatistics(), gaussian_statistics.AdaSSP()], ids=str
    )
    def test_gaussian_entries_count_as_the_frobenius_norm_does(self, way):
        fit = released(way, FAINT)
        assert np.array_equal(fit.gram, np.swapaxes(fit.gram, -1, -2))
        if isinstance(way, gaussian_statistics.AdaSSP):
            multiplier = math.sqrt(3) / gdp.mu_of(0.5, delta=1e-6)
            sd, on_moment = math.sqrt(2) * 4 * multiplier, 2 * 2 * multiplier
        else:
            weight = gaussian_statistics.best_weight(4)
            sd = math.sqrt(2) * (4 + weight**2) / gdp.mu_of(0.5, delta=1e-6)
            on_moment = sd / (math.sqrt(2) * weight)
            assert np.abs(fit.gram[0][:, 0, 0]).max() < 1e-6
        follows(fit.gram[0][:, *UPPER], stats.norm(scale=sd / math.sqrt(2)))
        follows(fit.gram[0][:, range(1, 4), range(1, 4)], stats.norm(scale=sd))
        follows(fit.moment, stats.norm(scale=on_moment))

    def test_output_noise_has_a_gamma_length_and_a_step_that_of_its_clipping_norm(
        self,
    ):
        way = perturbation.OutputPerturbation(radius=1e9, penalty=2.0)
        noise = released(way).weights[0]
        follows(
            np.linalg.norm(noise, axis=1),
            stats.gamma(4, scale=way.l2_sensitivity(2.0, inputs=4, rows=100) / 0.5),
        )
        follows(
            (noise / np.linalg.norm(noise, axis=1, keepdims=True))[:, 0],
            stats.beta(1.5, 1.5, loc=-1, scale=2),
        )
        step = Descent(steps=1, radius=1e9, rate=1.0, clip_norm=0.3)
        moves = released(step, Rows.of(np.zeros((100, 4)), np.zeros(100))).weights[0]
        follows(moves, stats.norm(scale=2 * 0.3 / 100 / gdp.mu_of(0.5, delta=1e-6)))

    @pytest.mark.parametrize("name", linear.REGRESSIONS)
    def test_a_repeat_has_one_stream_at_every_epsilon(self, name):
        way = linear.mechanism(name)
        some = data_of(way, *rows_of())
        few, many = (linear.standard_noise(way, inputs=4, repeats=r, seed=3) for r in (3, 7))
        assert np.array_equal(few, many[:3])
        assert not np.array_equal(many, linear.standard_noise(way, inputs=4, repeats=7, seed=4))
        together = way.fit(some, many, np.array([0.3, 2.0])).weights
        alone = way.fit(some, few, np.array([2.0])).weights
        np.testing.assert_allclose(together[1:, :3], alone, rtol=1e-9)
        assert not np.allclose(together[0], together[1])


EXACT = [
    functional.Published(),
    functional.Functional(),
    gaussian_statistics.GaussianStatistics(),
    Descent(steps=4000, radius=5.0, clip_norm=50.0),
    perturbation.OutputPerturbation(penalty=1e-10, radius=5.0),
]


class TestWithoutNoise:
    @pytest.mark.parametrize("way", EXACT, ids=str)
    def test_it_is_least_squares(self, way):
        X, y = rows_of()
        expected = np.linalg.lstsq(X, y, rcond=None)[0]
        # So large that the ridge of a repair, which follows the noise, is next to nothing.
        found = quiet(way, data_of(way, X, y), epsilon=1e10)
        np.testing.assert_allclose(found, expected, atol=1e-6)

    def test_a_ridge_is_four_sds_of_the_noise(self):
        X, y = rows_of()
        way = functional.Functional()
        sd = math.sqrt(2) * way.scales(4, np.array(1.0))[0]
        expected = np.linalg.solve(X.T @ X + 4 * sd * np.eye(4), X.T @ y)
        np.testing.assert_allclose(quiet(way, Statistics.of(X, y)), expected, atol=1e-12)

    def test_adassp_is_ridge_where_the_least_eigenvalue_is_in_doubt_and_least_squares_where_it_is_not(
        self,
    ):
        X, y = rows_of()
        multiplier = math.sqrt(3) / gdp.mu_of(1.0, delta=1e-6)
        least = np.linalg.eigvalsh(X.T @ X)[0] - 4 * multiplier * math.sqrt(math.log(6e6))
        extra = math.sqrt(2) * 4 * multiplier * math.sqrt(4 * math.log(2 * 16 / 0.05)) - max(
            least, 0
        )
        assert extra > 0
        expected = np.linalg.solve(X.T @ X + extra * np.eye(4), X.T @ y)
        np.testing.assert_allclose(
            quiet(gaussian_statistics.AdaSSP(), Statistics.of(X, y)), expected, atol=1e-12
        )
        sure = quiet(gaussian_statistics.AdaSSP(), Statistics.of(X, y), epsilon=1e4)
        np.testing.assert_allclose(sure, np.linalg.lstsq(X, y, rcond=None)[0], atol=1e-9)

    @pytest.mark.parametrize("radius", [0.1, 0.4, 10.0])
    def test_output_perturbation_starts_from_the_ridge_in_its_ball(self, radius):
        X, y = rows_of()
        found = quiet(
            perturbation.OutputPerturbation(penalty=0.1, radius=radius), Statistics.of(X, y)
        )
        how = {
            "constraints": {"type": "ineq", "fun": lambda w: radius**2 - w @ w},
            "options": {"ftol": 1e-14},
        }
        best = optimize.minimize(
            lambda w: np.square(X @ w - y).mean() / 2 + 0.05 * w @ w, np.full(4, 0.01), **how
        )
        np.testing.assert_allclose(found, best.x, atol=1e-5)

    def test_trimming_leaves_out_what_curves_down(self):
        turn = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
        gram, moment = turn @ np.diag([-3.0, -1e-12, 2.0, 5.0]) @ turn.T, turn @ np.ones(4)
        found = least_squares.repaired(gram, moment, ridge=np.array(0.0))
        np.testing.assert_allclose(found, turn @ np.array([0, 0, 0.5, 0.2]), atol=1e-9)
