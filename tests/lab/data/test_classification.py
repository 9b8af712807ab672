"""Data sets, their rows and people, and their bounds, against their files and what is declared."""

import dataclasses
import math
import re
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn import datasets as sklearn_datasets
from sklearn.datasets import load_diabetes

from dpcore import check
from dpcore.accountants import gdp
from dpcore.parties import source_releases
from dpcore.parties.objective_perturbation import ObjectivePerturbation
from dpcore.parties.source_releases import Budget
from dpcore.parties.source_rows import Part, Source
from dpcore.privacy import Adjacency
from dpcore.training import erm
from lab.data import classification as data
from lab.data import regression as regression_data
from lab.data.party_kinds import KINDS
from lab.data.regression import SOURCES, load
from pages.parties.settings import RECORDED

PARTS = ("private", "public", "test")


@pytest.mark.parametrize("name", data.DATASETS)
class TestContract:
    def test_parts_are_disjoint_and_hold_the_rows_that_their_numbers_name_which_are_those_of_the_seed(
        self, name
    ):
        other, split = (data.load(name, seed=seed) for seed in (1, 2))
        assert data.load(name, seed=2) is split
        data.load.cache_clear()
        again = data.load(name, seed=2)
        assert again is not split
        X, y = split.source.draw(data.stream(2, "data"))
        rows = [split.rows_of[part] for part in PARTS]
        np.testing.assert_array_equal(np.sort(np.concatenate(rows)), np.arange(len(X)))
        assert [len(part) for part in rows[:2]] == [
            split.source.private_rows,
            split.source.public_rows,
        ]
        assert len(rows[2]) > 0.2 * len(X)
        for part, numbers in zip(PARTS, rows, strict=True):
            expected = data.to_unit(X, split.source.bounds)[numbers], y[numbers], numbers
            both = [
                (getattr(one, f"X_{part}"), getattr(one, f"y_{part}"), one.rows_of[part])
                for one in (split, again)
            ]
            for mine, same, right in zip(*both, expected, strict=True):
                np.testing.assert_array_equal(mine, right)
                np.testing.assert_array_equal(same, right)
                assert not mine.flags.writeable
            assert not np.array_equal(numbers, other.rows_of[part])

    def test_rows_lie_in_the_unit_cube_and_hardly_any_needed_clipping(self, name):
        source = data.DATASETS[name]
        assert len(source.bounds) == len(source.features) == len(set(source.features))
        X, y = source.draw(np.random.default_rng(0))
        unit = data.to_unit(X, source.bounds)
        assert np.abs(unit).max() <= 1
        low, high = np.array(source.bounds).T
        inside = (low <= X) & (high >= X)
        np.testing.assert_allclose(
            (unit + 1) / 2 * (high - low) + low, np.clip(X, low, high), atol=1e-9
        )
        assert inside.mean() > 0.999
        assert np.isfinite(X).all()
        np.testing.assert_array_equal(np.unique(y), np.arange(len(source.classes)))


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "wine", "iris"])
def test_shipped_sets_are_complete(name):
    shipped = np.column_stack(getattr(sklearn_datasets, f"load_{name}")(return_X_y=True))
    drawn = np.column_stack(data.DATASETS[name].draw(np.random.default_rng(0)))
    np.testing.assert_array_equal(*(rows[np.lexsort(rows.T)] for rows in (shipped, drawn)))


def test_the_two_gaussians_have_the_published_statistics():
    draws = [data.DATASETS["gaussians"].draw(np.random.default_rng(seed)) for seed in range(20)]
    X, y = (np.concatenate(parts) for parts in zip(*draws, strict=True))
    published = {
        0: ([-0.088, -0.204], [[0.956, 1.538], [1.538, 9.551]]),
        1: ([2.05, 1.546], [[1.078, -1.405], [-1.405, 9.332]]),
    }
    assert (y == 0).sum() == (y == 1).sum()
    for label, (mean, covariance) in published.items():
        rows = X[y == label]
        error = np.sqrt(np.diag(covariance) / len(rows))
        assert (np.abs(rows.mean(axis=0) - mean) < 4 * error).all()
        np.testing.assert_allclose(
            np.cov(rows.T), covariance, atol=4 * 9.5 * np.sqrt(2 / len(rows))
        )


def test_generated_rows_are_drawn_anew_by_the_seed():
    one, other = (data.load("gaussians", seed=seed).X_private for seed in (1, 2))
    assert len(np.intersect1d(one[:, 0], other[:, 0])) < 5  # but for the clipped ones


@pytest.mark.parametrize("name", ["digits", "iris"])
def test_a_set_of_fixed_size_has_no_more_but_fewer_private_rows(name):
    whole = data.load(name, seed=1)
    n = whole.source.private_rows
    with pytest.raises(
        check.RefusedError, match=f"^private_rows is {n + 1}, but must be at most {n}"
    ):
        data.load(name, seed=1, private_rows=n + 1)
    assert (
        len(data.load("moons", seed=1, private_rows=2000).X_private) == 2000
    )  # generated rows have no limit
    some = data.load(name, seed=1, private_rows=n // 2)
    assert some.source.private_rows == len(some.X_private) == n // 2
    for part in PARTS:
        rows, known = some.rows_of[part], whole.rows_of[part]
        assert np.array_equal(rows, known[: n // 2] if part == "private" else known)
        assert np.array_equal(getattr(some, f"X_{part}"), getattr(whole, f"X_{part}")[: len(rows)])
        assert np.array_equal(getattr(some, f"y_{part}"), getattr(whole, f"y_{part}")[: len(rows)])


@pytest.mark.parametrize("shift", [0.0, 0.5, 3.0])
def test_a_shift_moves_by_standard_deviations_and_stays_inside(shift):
    X = np.random.default_rng(0).uniform(-0.5, 0.3, size=(50, 3))
    np.testing.assert_allclose(
        data.shifted(X, shift=shift), np.minimum(X + shift * X.std(axis=0), 1)
    )


README = (Path(__file__).parents[3] / "sample_data" / "README.md").read_text("utf-8")
BOUNDS = {
    name: dict(zip(source.features, source.bounds, strict=True))
    for name, source in data.DATASETS.items()
}
BOUNDS |= {name: SOURCES[name].bounds for name in SOURCES}


def section(name: str) -> tuple[str, dict[str, tuple[float, float]]]:
    """What the README says of a data set, and pattern of a feature's name -> its bounds."""
    (found,) = re.findall(rf"^##+ (?:\w+ and )?{name}\b.*\n([^#]+)", README, flags=re.MULTILINE)
    rows = re.findall(
        r"^\| ([^|]+) \| (-?\d[\d.]*) \| (-?\d[\d.]*) \| [^|]+ \|$", found, flags=re.MULTILINE
    )
    assert len(rows) == found.count("\n|") - 2, "a row has no number or no reason"
    return found, {feature: (float(low), float(high)) for feature, low, high in rows}


@pytest.mark.parametrize("name", BOUNDS)
def test_the_readme_lists_each_bound_as_the_code_has_it(name):
    text, table = section(name)
    for feature, bounds in BOUNDS[name].items():
        assert [listed for pattern, listed in table.items() if fnmatchcase(feature, pattern)] == [
            bounds
        ], feature
    for pattern in table:
        assert any(fnmatchcase(feature, pattern) for feature in BOUNDS[name]), pattern
    if name in SOURCES:
        top = SOURCES[name].label_bounds[1]
        assert re.search(rf"Label: .* 0 to {top:g}|and 0 to {top:g}", text)
    else:
        assert all(word in text for word in ("Source:", "Licence:", "Columns:"))
        classes = [
            label
            for label in data.DATASETS[name].classes
            if not label.isdigit() and label[:5] != "class"
        ]
        assert all(label in text.split("Columns:")[1] for label in classes)


def test_the_readme_describes_no_set_that_is_not_there():
    named = set(re.findall(r"^## (\w+)$", README, flags=re.MULTILINE))
    assert named - {"Parts", "Regression", "Parties", "Files"} == set(data.DATASETS)


@pytest.mark.parametrize("dataset", RECORDED)
def test_features_of_recorded_parties_keep_to_the_bounds_in_the_readme(dataset):
    kind, (_, table) = KINDS[dataset], section(dataset)
    found = kind.recipe.draw(
        np.random.default_rng(0).integers(0, kind.classes, (40, 30)), np.random.default_rng(1)
    )
    names = {
        "activities": [f"feature {place}" for place in range(96)],
        "intrusions": (
            [f"rate {place}" for place in range(40)] + [f"category {place}" for place in range(83)]
        ),
        "addresses": [f"word {place}" for place in range(120)],
    }[dataset]
    if dataset == "intrusions":
        found[..., :40] = (found[..., :40] + 1) / 2
        assert all(
            (part.sum(axis=-1) == 1).all() for part in np.split(found[..., 40:], [3, 73], axis=-1)
        )
    if dataset == "addresses":
        assert set(np.unique(found)) == {-1, 1}
        found = (found + 1) / 2
    for column, name in zip(np.moveaxis(found, -1, 0), names, strict=True):
        ((low, high),) = [ends for pattern, ends in table.items() if fnmatchcase(name, pattern)]
        assert low <= column.min() <= column.max() <= high


@pytest.mark.parametrize("name", SOURCES)
def test_rows_are_inside_of_their_bounds(name):
    table = load(name, seed=1)
    source, X, (low, high) = table.source, table.X[:, 1:], table.source.label_bounds
    assert table.X.shape == (source.rows, len(source.features) + 1)
    assert (table.X[:, 0] == 1).all()
    assert np.abs(table.X).max() <= 1
    assert low <= table.y.min() < table.y.max() <= high
    assert len(table.y_test) == source.rows - source.train_rows == len(table.X_test)
    # The bounds cut off little: few rows at either end but for yes-or-no features, and some spread
    several = np.array([len(np.unique(column)) > 3 for column in X.T])
    assert (np.abs(X[:, several]).mean(axis=0) < 0.9).all()
    assert (X.std(axis=0) > 0.2).all()
    assert not any(part.flags.writeable for part in (table.X, table.y))


def test_the_study_is_complete_hardly_clipped_and_divided_by_the_seed():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    (table, other), again = (
        (load("diabetes", seed=seed) for seed in (3, 2)),
        load("diabetes", seed=3),
    )
    assert np.array_equal(table.y, again.y)
    assert not np.array_equal(table.y, other.y)
    low, high = np.array(list(SOURCES["diabetes"].bounds.values())).T
    back = low + (table.X[:, 1:] + 1) / 2 * (high - low)
    order, mine = np.lexsort((*X.T, y)), np.lexsort((*back.T, table.y))
    np.testing.assert_allclose(y[order], table.y[mine])
    assert np.abs(X[order] - back[mine]).max() < 1e-9  # no row lies beyond the bounds


@pytest.mark.parametrize("name", ["us", "brazil"])
def test_income_has_a_heavy_tail_and_attributes_depend_on_one_another(name):
    table = load(name, seed=0)
    assert table is load(name, seed=2), "a population is one whatever the seed"
    assert stats.skew(table.y) > 2
    assert np.quantile(table.y, 0.99) > 4 * np.median(table.y)
    assert 0 < (table.y >= SOURCES[name].label_bounds[1]).mean() < 0.005
    columns = dict(zip(SOURCES[name].features, table.X[:, 1:].T, strict=True))
    for one, other, least in (("family size", "children", 0.5), ("age", "never married", -0.5)):
        assert np.corrcoef(columns[one], columns[other])[0, 1] * np.sign(least) > abs(least)


@pytest.mark.parametrize("label_top", [50.0, 200.0])
def test_statistics_are_those_of_the_rows_and_held_out_labels_are_not_clipped(label_top):
    table = load("us", seed=0)
    found = regression_data.train_statistics("us", seed=0, rows=5000, label_top=label_top)
    X, y = table.X[:5000].astype(float), 2 * np.minimum(table.y[:5000], label_top) / label_top - 1
    np.testing.assert_allclose(found.gram, X.T @ X)
    np.testing.assert_allclose(found.moment, X.T @ y)
    assert (found.rows, found.square) == (5000, pytest.approx(y @ y))
    few = found.first_inputs(4)
    np.testing.assert_array_equal(few.gram, found.gram[:4, :4])
    np.testing.assert_array_equal(few.moment, found.moment[:4])
    held_out, label = (
        regression_data.held_out_statistics("us", seed=0, label_top=label_top),
        table.y_test,
    )
    np.testing.assert_allclose(held_out.moment, table.X_test.T @ (2 * label / label_top - 1))
    assert held_out.rows == 74_000
    assert label.max() > 50


# Many saturated rows hold the minimum far out along the first axis, where two rows pull to opposite
# sides.
ROWS, LAMBDA, FAR = 20_000, 1e-4, np.tile([-1.0, 0.0], (50, 1))
HOW = {"regularisation": LAMBDA}


@pytest.mark.parametrize("what", ["hypothesis", "tilt"])
def test_the_worst_neighbours_come_near_the_bound_and_never_pass_it(what):
    """All rows lie on the first axis but one, of the other class, which is replaced by its mirror
    image.
    """
    X, y, moved = np.zeros((2, ROWS, 2)), np.ones((2, ROWS), int), []
    X[:, :, 0], y[:, 0] = 1.0, 0
    for cosine in np.linspace(0.1, 0.9, 9):
        side, sine = (cosine if what == "hypothesis" else -cosine), math.sqrt(1 - cosine**2)
        X[:, 0] = [[side, sine], [side, -sine]]
        if what == "hypothesis":
            found, bound = (
                source_releases.hypotheses(X, y, **HOW),
                source_releases.hypothesis_sensitivity(ROWS, LAMBDA),
            )
        else:
            found, bound = (
                source_releases.tilts(X, FAR, **HOW),
                source_releases.tilt_sensitivity(ROWS, LAMBDA),
            )
        moved.append(np.linalg.norm(np.subtract(*found)) / bound)
    assert 0.84 < max(moved) <= 1


@pytest.mark.parametrize("what", ["hypothesis", "tilt"])
def test_a_search_over_random_neighbours_stays_below(what):
    rng, worst = np.random.default_rng(5), 0.0
    for _ in range(60):
        n, m, d, strength = (int(v) for v in rng.integers([2, 1, 1, 0], [12, 12, 5, 4]))
        how, pair = {"regularisation": 10.0**-strength}, np.stack([rng.normal(size=(n, d))] * 2)
        pair[:, 0] = rng.normal(size=(2, d))
        pair /= np.maximum(np.linalg.norm(pair, axis=-1, keepdims=True), [[[1]] * n])
        if what == "hypothesis":
            y = np.stack([rng.integers(0, 2, n)] * 2)
            y[1, 0] = rng.integers(0, 2)
            found, bound = (
                source_releases.hypotheses(pair, y, **how),
                source_releases.hypothesis_sensitivity(n, 10.0**-strength),
            )
        else:
            public = rng.normal(size=(m, d)) / math.sqrt(d) / 3
            found, bound = (
                source_releases.tilts(pair, public, **how),
                source_releases.tilt_sensitivity(n, 10.0**-strength),
            )
        worst = max(worst, np.linalg.norm(found[0] - found[1]) / bound)
    assert 0.3 < worst <= 1


def test_importance_weights_are_a_ratio_of_densities():
    """Two Gaussians: the weights' logarithm is linear with the slope m / sd^2, and their
    mean is 1.
    """
    rng = np.random.default_rng(1)
    private, public = (
        rng.normal(0.1, 0.2, size=(20_000, 1)),
        rng.normal(-0.1, 0.2, size=(20_000, 1)),
    )
    tilt = source_releases.tilts(private, public, regularisation=1e-6)
    assert tilt[0] == pytest.approx(0.2 / 0.04, rel=0.05)
    found = source_releases.importance_weights(tilt, public)
    assert found.min() >= 0
    assert found.mean() == pytest.approx(1)
    assert np.average(public[:, 0], weights=found) == pytest.approx(private.mean(), abs=0.02)
    assert np.isfinite(source_releases.importance_weights(np.array([1e5]), public)).all()


def parts(rng, n=40, d=4, names=None):
    X = rng.normal(size=(n, d))
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1)
    return Part(rows=np.arange(n) if names is None else names, X=X, y=rng.integers(0, 2, n))


def released(budget, repeats, *, d=6):
    rng = np.random.default_rng(2)
    both = [parts(rng, d=d) for _ in range(2)]
    two = [
        Source(labelled=one, unlabelled=dataclasses.replace(one, rows=one.rows + 100))
        for one in both
    ]
    fitted = source_releases.fit(two, rng.normal(size=(30, d)) / 10, lambda_lr=0.1, lambda_iw=0.05)
    wide = dataclasses.replace(
        fitted, hypotheses=fitted.hypotheses[:, None], tilts=fitted.tilts[:, None]
    )
    noise = np.reshape(
        [source_releases.draws(budget.noise, d, rng) for _ in range(4 * repeats)],
        (2, repeats, 2, d),
    )
    return fitted, source_releases.release(wide, budget, noise)


def test_a_source_needs_labels_and_rows_in_the_unit_ball_that_no_two_parts_share():
    rng = np.random.default_rng(0)
    one, X = parts(rng), np.zeros((2, 2))
    Source(labelled=one, unlabelled=parts(rng, names=np.arange(40, 80)))
    for names, why in (
        (np.arange(39, 79), "1 rows"),
        (np.arange(40), "40 rows"),
        (np.full(40, 50), "rows"),
    ):
        with pytest.raises(check.RefusedError, match=why):  # nor may one part hold a row twice
            Source(labelled=one, unlabelled=parts(rng, names=names))
    with pytest.raises(check.RefusedError, match="unit ball"):
        Part(rows=np.arange(2), X=np.full((2, 2), 0.8))
    with pytest.raises(check.RefusedError, match="labels"):
        Source(labelled=Part(rows=np.arange(2), X=X), unlabelled=Part(rows=np.arange(2, 4), X=X))


class TestRelease:
    def test_norm_exponential_noise_in_distribution(self):
        budget, d = Budget(epsilon=0.7), 6
        fitted, releases = released(budget, 1500, d=d)
        for k, one in enumerate(releases):  # both cost a row epsilon once
            assert (one.guarantee.epsilon, one.guarantee.delta, one.guarantee.unit) == (
                0.7,
                0,
                "record",
            )
            assert one.guarantee.adjacency is Adjacency.REPLACE_ONE
            noises = one.hypothesis - fitted.hypotheses[k], one.tilt - fitted.tilts[k]
            for noise, sensitivity in zip(noises, (2 / (40 * 0.1), 2 / (40 * 0.05)), strict=True):
                length = np.linalg.norm(noise, axis=1)
                assert (
                    stats.kstest(length, stats.gamma(d, scale=sensitivity / 0.7).cdf).pvalue > 1e-3
                )
                # the first coordinate of a uniform direction, squared, is Beta(1/2, (d - 1)/2)
                cosine = noise[:, 0] / length
                assert stats.kstest(cosine**2, stats.beta(0.5, (d - 1) / 2).cdf).pvalue > 1e-3
                assert noise.std() == pytest.approx(
                    budget.coordinate_sd(sensitivity, dimension=d), rel=0.05
                )
        together = np.hstack([np.hstack([one.hypothesis, one.tilt]) for one in releases])
        cross = np.abs(np.corrcoef(together.T) - np.eye(4 * d))
        assert cross.max() < 0.12  # every source, and both of its releases, has noise of its own

    def test_gaussian_noise_has_the_exact_sd_and_without_noise_nothing_is_promised(self):
        budget = Budget(epsilon=1.5, noise="gaussian", delta=1e-4)
        fitted, releases = released(budget, 1500)
        sd = fitted.hypothesis_sensitivity / gdp.mu_of(1.5, delta=1e-4)
        noise = (releases[0].hypothesis - fitted.hypotheses[0]).ravel()
        assert stats.kstest(noise, stats.norm(scale=sd).cdf).pvalue > 1e-3
        assert budget.guarantee.delta == 1e-4
        fitted, releases = released(Budget(epsilon=math.inf), 1)
        assert releases[0].guarantee is None
        np.testing.assert_array_equal(releases[0].tilt[0], fitted.tilts[0])
        with pytest.raises(check.RefusedError):
            _ = Budget(epsilon=math.inf).guarantee


class TestObjective:
    """The minimum's density by a change of variables: b = -n (mean gradient + (lambda +
    Delta) w).
    """

    def log_density(self, W, X, y, *, strength, rate, public=None, count=None):
        """Up to a constant, at points W (m, d), for rows X (n, d); ``public`` rows are on the other
        side, and weigh as much as all of X. ``count``: by what b is divided in the objective, n if
        it is right.
        """
        n, d = X.shape
        s, z = 2 * y - 1, W @ X.T
        slope = -(s / (1 + np.exp(s * z))) @ X / n + strength * W
        hessian = np.einsum(
            "mn,ni,nj->mij", 1 / (2 + np.exp(z) + np.exp(-z)), X, X
        ) / n + strength * np.eye(d)
        if public is not None:
            z = W @ public.T
            slope = slope + 1 / (1 + np.exp(-z)) @ public / len(public)
            spread = 1 / (2 + np.exp(z) + np.exp(-z)) / len(public)
            hessian = hessian + np.einsum("mn,ni,nj->mij", spread, public, public)
        length = (count or n) * np.linalg.norm(slope, axis=1)
        return -rate * length / 2 + np.linalg.slogdet(hessian)[1]

    def worst(self, n, *, public=None, **how):
        """The largest log-ratio between the densities of neighbours found on a grid: rows on the
        unit circle.
        """
        radius, turn = np.meshgrid(np.geomspace(0.05, 60, 25), np.linspace(0, 2 * np.pi, 49))
        W = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=-1).reshape(-1, 2)
        circle = [np.array([np.cos(a), np.sin(a)]) for a in np.linspace(0, 2 * np.pi, 17)[:-1]]
        worst = 0.0
        for others in (np.zeros(2), circle[2]):
            X, y = np.tile(others, (n, 1)), np.full(n, int(public is not None))
            densities = []
            for first in (np.zeros(2), *circle):  # a row of the other class is its mirror image
                X[0] = first
                densities.append(self.log_density(W, X, y, public=public, **how))
            worst = max(worst, np.ptp(np.array(densities), axis=0).max())
        return worst

    PUBLIC = np.array([[-1.0, 0.0], [0.6, 0.8], [0.0, -0.5]])

    @pytest.mark.parametrize(
        ("n", "regularisation", "epsilon"), [(10, 0.1, 1.0), (20, 0.01, 0.3), (5, 0.05, 2.0)]
    )
    def test_no_neighbours_are_told_apart_by_more_than_epsilon(self, n, regularisation, epsilon):
        made = ObjectivePerturbation(rows=n, regularisation=regularisation, epsilon=epsilon)
        minimum = self.worst(n, strength=regularisation + made.extra, rate=2 / made.scale)
        tilt = self.worst(n, strength=made.strength, rate=2 / made.scale, public=self.PUBLIC)
        assert 0.45 * epsilon < minimum <= epsilon * (1 + 1e-9)
        assert 0.4 * epsilon < tilt <= epsilon * (1 + 1e-9)

    def test_leaving_out_the_change_of_volume_and_dividing_by_public_rows_are_caught(self):
        """The private rows' mean has weight 1, whatever the public ones number: b must be divided
        by n_D.
        """
        assert self.worst(3, strength=0.01, rate=0.5) > 1.5 * 0.5
        made = ObjectivePerturbation(rows=10, regularisation=0.1, epsilon=1.0)
        assert (
            self.worst(
                10, strength=made.strength, rate=2 / made.scale, public=self.PUBLIC, count=40
            )
            > 1.5
        )

    def test_just_above_the_theorems_switch_noise_stays_bounded(self):
        """Where the price of volume takes nearly all of epsilon: more regularisation, not unbounded
        noise.
        """
        made = [
            ObjectivePerturbation(rows=1000, regularisation=0.001, epsilon=epsilon)
            for epsilon in np.geomspace(0.05, 5, 400)
        ]
        assert all(one.scale <= 4 / one.epsilon for one in made)
        extras = [one.extra for one in made]
        assert extras == sorted(extras, reverse=True)
        assert extras[-1] == 0 < extras[0]

    @pytest.mark.parametrize("what", ["minimum", "tilt"])
    def test_what_is_found_follows_that_density(self, what):
        rng, public = np.random.default_rng(4), np.array([[-1.0], [0.3]])
        X, y = rng.choice([-1.0, 0.5, 1.0], 12), rng.integers(0, 2, 12)
        made = ObjectivePerturbation(rows=12, regularisation=0.2, epsilon=1.2)
        draws = np.array([source_releases.draws("objective", 1, rng) for _ in range(4000)])
        rows = np.broadcast_to(X[:, None], (4000, 12, 1))
        if what == "minimum":
            found, how = (
                made.minimise(rows, np.broadcast_to(y, (4000, 12)), draws),
                {"strength": 0.2 + made.extra},
            )
        else:
            found, how = (
                source_releases.tilts(
                    rows, public, regularisation=made.strength, centre=made.centre(draws)
                ),
                {"strength": made.strength, "public": public},
            )
            y = np.ones(12, int)
        grid = np.linspace(-40, 40, 40_001)
        density = np.exp(self.log_density(grid[:, None], X[:, None], y, rate=2 / made.scale, **how))
        cdf = np.cumsum(density) / density.sum()
        assert stats.kstest(found[:, 0], lambda w: np.interp(w, grid, cdf)).pvalue > 1e-3


def test_a_fit_that_does_not_get_there_is_not_released(monkeypatch):
    """All noise is made for ``erm.TOLERANCE``: after one step a fit is not there."""
    rng = np.random.default_rng(2)
    X, y, draws = rng.uniform(-0.5, 0.5, size=(50, 3)), rng.integers(0, 2, 50), np.ones(3)
    how, made = (
        {"regularisation": 1e-3},
        ObjectivePerturbation(rows=50, regularisation=1e-3, epsilon=1.0),
    )
    fits = [
        partial(source_releases.hypotheses, X, y, **how),
        partial(source_releases.tilts, X, X[:9], **how),
    ]
    fits += [partial(made.minimise, X, y, draws)]
    assert all(np.isfinite(fit()).all() for fit in fits)
    monkeypatch.setattr(erm, "_STEPS", 1)
    for fit in fits:
        with pytest.raises(ArithmeticError, match="minimiser"):
            fit()
