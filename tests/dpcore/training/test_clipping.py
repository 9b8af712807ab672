"""Mean clipped gradients of rows and of people: equal to plain loops, and moved no further than
noise is made for.
"""

import itertools

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant
from sklearn.base import clone

from dpcore import check
from dpcore.estimators import base
from dpcore.estimators.logistic import DPLogisticRegression
from dpcore.privacy import Adjacency
from dpcore.training import clipping, descent, losses
from dpcore.training.person_gradients import PeopleGradient
from tests import oracles

COUNTS = (1, 3, 1, 7, 2, 3, 12, 1)  # of rows of each person
CLIP = 0.3


def rows_of(counts=COUNTS, *, classes=2, p=4, seed=0, blank=False):
    """Rows in no order of people, (X (n, p), y (n,), people (n,)).

    Blank ones, without an answer, are zeros.
    """
    rng = np.random.default_rng(seed)
    people = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    X = rng.normal(size=(len(people), p))
    if blank:
        X[np.flatnonzero((people == 3) | (people == 6))[::2]] = X[people == 1] = 0
    return X, rng.integers(0, classes, len(people)), people


def models(count, classes, *, p=4, scale=2.0):
    return scale * np.random.default_rng(1).normal(size=(count, losses.outputs(classes), p))


def found(weights, X, y, people=None, *, clip=CLIP, dtype=np.float64):
    """Mean gradients (R, k, p) of weights (R, k, p) by the engine; of rows, or of people."""
    count, outputs, _ = weights.shape
    clip = None if clip is None else np.broadcast_to(np.asarray(clip, dtype), count).copy()
    how = {"models": count, "clip_norm": clip} | (
        {} if outputs == 1 and people is None else {"outputs": outputs}
    )
    if people is not None:
        mean = PeopleGradient(np.asarray(X, dtype), y, people, **how)
    else:
        mean = (clipping.LogisticGradient if outputs == 1 else clipping.SoftmaxGradient)(
            np.asarray(X, dtype), y, **how
        )
    return mean(np.array(weights.transpose(1, 0, 2), dtype, order="C")).transpose(1, 0, 2).copy()


def one_by_one(weights, X, y, people=None, *, clip=CLIP):
    """The mean over people of their mean gradients, each clipped: a person and a row at a time, if
    it has an answer.
    """
    people, means = np.arange(len(X)) if people is None else people, []
    for w, bound in zip(
        weights, np.broadcast_to(np.inf if clip is None else clip, len(weights)), strict=True
    ):
        total = np.zeros_like(w)
        for person in set(people.tolist()):
            rows = zip(X[people == person], y[people == person], strict=True)
            own = [oracles.gradient(w, *row) for row in rows if row[0].any()]
            total += oracles.clipped(sum(own) / len(own), bound) if own else 0
        means.append(total / len(set(people.tolist())))
    return np.array(means)


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_the_explicit_gradient_is_the_slope_of_the_loss(classes):
    ((w,), h), (X, y, _) = (models(1, classes), 1e-6), rows_of((6,), classes=classes)
    steps = h * np.eye(w.size).reshape(w.size, *w.shape)
    for x, label in zip(X, y, strict=True):
        slope = [
            (oracles.loss(w + step, x, label) - oracles.loss(w - step, x, label)) / (2 * h)
            for step in steps
        ]
        np.testing.assert_allclose(oracles.gradient(w, x, label).ravel(), slope, atol=1e-7)


@pytest.mark.parametrize("counts", [1, 31, 32, 33, 65, 150, COUNTS, (60,)], ids=str)
@pytest.mark.parametrize("scratch", [750_000, 1], ids=["one block", "blocks of 32"])
@pytest.mark.parametrize("clip", [None, 0.5, (1e-4, 0.3, 1.0, 100.0)], ids=str)
@pytest.mark.parametrize(("classes", "p"), [(2, 1), (2, 4), (3, 4), (6, 5)])
def test_means_are_those_of_plain_loops(classes, p, clip, scratch, counts, monkeypatch):
    """Of so many rows, or of people with so many rows each."""
    monkeypatch.setattr(clipping, "_SCRATCH_BYTES", scratch)
    of_rows = isinstance(counts, int)
    X, y, people = rows_of(
        (1,) * counts if of_rows else counts, classes=classes, p=p, blank=not of_rows
    )
    y = np.where(y == 1, 0, y) if counts == 33 else y  # a class without rows is no exception
    given = models(4, classes, p=p), X, y, None if of_rows else people
    expected = one_by_one(*given, clip=clip)
    np.testing.assert_allclose(found(*given, clip=clip), expected, rtol=1e-12, atol=1e-13)
    single = found(*given, clip=clip, dtype=np.float32)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, rtol=1e-4, atol=5e-6)


@pytest.mark.parametrize("clip", [1e-6, (0.7, 1e-6, 3.0)], ids=str)
@pytest.mark.parametrize("scale", [0.0, 1.0, 1e6])
@pytest.mark.parametrize("classes", [2, 4])
def test_extreme_weights_zero_rows_and_tiny_bounds(classes, scale, clip):
    X, y, people = rows_of((1, 3, 7, 2, 12, 15), classes=classes)
    X[::5] = 0
    X[1] *= 1e4
    weights = models(3, classes, scale=scale)
    for who in (None, people):
        mean = found(weights, X, y, who, clip=clip)
        # The binary form subtracts the constant part of the residuals: exact to rounding of sums of
        # rows.
        np.testing.assert_allclose(
            mean, one_by_one(weights, X, y, who, clip=clip), rtol=1e-9, atol=1e-12
        )
        sure = models(3, classes, scale=1e30 if classes == 2 else 1e3)
        assert np.isfinite(found(sure, X, y, who, dtype=np.float32)).all()


def largest_move(classes, *, clip, clip_average=False, add=False):
    """The largest change of six models' mean gradients over pairs of rows in the last place, with
    ``add`` a new row.
    """
    (X, y, _), weights = rows_of((7,), classes=classes, p=3), models(6, classes, p=3, scale=3.0)
    weights[4] = 0
    weights[5] *= 1e6
    rng = np.random.default_rng(0)
    # The same long row on the wrong side and with the opposite sign: two gradients that point
    # apart.
    long = 50 * weights[0, -1] / np.linalg.norm(weights[0, -1])
    rows = [np.zeros(3), *rng.normal(size=(6, 3)), *1e3 * rng.normal(size=(4, 3)), long, -long]
    means, bound = [], None if clip_average else clip
    for X[-1], y[-1] in itertools.product(rows, range(classes)):
        mean = found(weights, X, y, clip=bound)
        means.append([oracles.clipped(g, clip) for g in mean] if clip_average else mean)
    means = np.array(means).reshape(len(means), len(weights), -1)
    # Without the row, over the same denominator.
    others = (
        (found(weights, X[:-1], y[:-1], clip=bound) * 6 / 7).reshape(1, len(weights), -1)
        if add
        else means
    )
    return max(np.linalg.norm(means - other, axis=2).max() for other in others)


@pytest.mark.parametrize("clip", [1e-6, 0.3, 5.0])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    ("how", "most"),
    [({}, 2 / 7), ({"add": True}, 1 / 7), ({"clip_average": True}, 2.0)],
    ids=["replaced, 2C/n", "added, C/n", "average clipped, 2C"],
)
def test_a_row_moves_the_mean_gradient_as_far_as_it_may_and_no_more(classes, clip, how, most):
    move = largest_move(classes, clip=clip, **how)
    assert 0.99 * most * clip < move <= most * clip * (1 + 1e-6)


@pytest.mark.parametrize("classes", [2, 3])
def test_no_person_moves_the_sum_further_than_the_noise_is_made_for(classes):
    """Brute force over people replaced, by one with other rows and any number of them, and left
    out; nearly reached.
    """
    rng, furthest = np.random.default_rng(0), dict.fromkeys(Adjacency, 0.0)
    weights = models(6, classes, scale=1.0)
    for _ in range(300):
        X, y, people = rows_of([3, 1, 5], classes=classes, seed=int(rng.integers(1000)))
        who, rows = int(rng.integers(3)), int(rng.choice([1, 2, 3, 50]))
        X, stay, direction = (
            20 * X,
            people != who,
            rng.normal(size=4) * float(rng.choice([1e-3, 1.0, 1e3])),
        )
        other = direction + rng.choice([0.0, 1.0]) * rng.normal(size=(rows, 4))
        labels = (
            np.full(rows, rng.integers(classes))
            if rng.random() < 0.5
            else rng.integers(0, classes, rows)
        )
        replaced = (
            np.vstack([X[stay], other]),
            np.append(y[stay], labels),
            np.append(people[stay], np.full(rows, who)),
        )
        left_out = X[stay], y[stay], np.unique(people[stay], return_inverse=True)[1]
        for adjacency, theirs in (
            (Adjacency.REPLACE_ONE, replaced),
            (Adjacency.ADD_REMOVE, left_out),
        ):
            apart = found(weights, X, y, people) * 3 - found(weights, *theirs) * (
                theirs[2].max() + 1
            )
            moved = np.linalg.norm(apart.reshape(6, -1), axis=1).max()
            furthest[adjacency] = max(furthest[adjacency], moved)
    for adjacency, most in furthest.items():
        bound = 3 * descent.mean_noise_sd(1.0, clip_norm=CLIP, rows=3, adjacency=adjacency)
        assert 0.9 * bound < most <= bound * (1 + 1e-12)


@pytest.mark.parametrize("classes", [2, 10])
def test_single_precision_lets_a_row_do_hardly_more_in_the_range_of_the_pages(classes):
    """The longest rows (64 features and the constant, all 1) under the smallest bound that a page
    offers.
    """
    rng, C = np.random.default_rng(0), np.float32(0.01)
    X, y = rng.choice([-1.0, 1.0], size=(300, 65)), rng.integers(0, classes, 300)
    for w in models(2, classes, p=65):
        rows = [
            found(w[None], x[None], y[i : i + 1], clip=C, dtype=np.float32) for i, x in enumerate(X)
        ]
        assert max(np.linalg.norm(g.astype(float)) for g in rows) <= C * (1 + 2e-4)


def test_no_number_is_subnormal_however_sure_the_models_are():
    """Arithmetic on subnormal numbers is ten times as slow: noise at small epsilon made trainings
    take that long.
    """
    X, y, _ = rows_of((60,), classes=4, p=5)
    weights = np.linspace(0, 60, 400)[:, None] * np.random.default_rng(5).normal(size=(4, 400, 5))
    clip = np.full(400, 0.5, np.float32)
    gradient = clipping.SoftmaxGradient(
        X.astype(np.float32), y, models=400, clip_norm=clip, outputs=4
    )
    gradient(weights.astype(np.float32))
    for scratch in itertools.chain.from_iterable(gradient._scratch.values()):
        assert not ((scratch != 0) & (np.abs(scratch) < np.finfo(np.float32).tiny)).any()


def fitted(X, y, people, *, classes=2, **how):
    plain = {
        "steps": 9,
        "learning_rate": 2.0,
        "clip_norm": CLIP,
        "noise_sd": 0.01,
        "seed": 3,
        "draws": [0, 1, 0],
    }
    start = np.zeros((losses.outputs(classes), X.shape[1]))
    return descent.noisy_gradient_descent(
        X, y, people=people, n_classes=classes, start=start, **plain | how
    ).weights


class TestPeople:
    """Descent on people with several rows. Its audits are in the audit table."""

    @pytest.mark.parametrize("rule", ["per-example", "average", "none"])
    @pytest.mark.parametrize("classes", [2, 3])
    def test_people_of_one_row_each_are_rows_to_the_last_bit(self, classes, rule):
        X, y, people = rows_of([1] * 40, classes=classes)
        np.testing.assert_array_equal(
            *(fitted(X, y, who, classes=classes, clipping=rule) for who in (people, None))
        )

    def test_a_descent_takes_steps_of_that_gradient(self):
        X, y, people = rows_of()
        weights = np.zeros((1, 1, 4))
        for _ in range(9):
            weights = weights - 2.0 * one_by_one(weights, X, y, people)
        np.testing.assert_allclose(
            fitted(X, y, people, noise_sd=0.0, dtype=np.float64)[0], weights[0], atol=1e-13
        )

    def test_each_row_is_somebodys_and_people_are_numbered_without_a_gap(self):
        X, y = np.ones((3, 2)), np.array([0, 1, 1])
        for people in ([0, 0, 2], [1, 1, 2], [0, 1], [0, -1, 1], [0.0, 0.5, 1.0], [0, 1, 3]):
            with pytest.raises(check.RefusedError, match="people"):
                fitted(X, y, np.array(people))
        for groups in ([1, 2], "me", [[1] * 3]):
            with pytest.raises(ValueError, match="groups"):
                DPLogisticRegression().fit(X, y, groups=groups)

    @pytest.mark.parametrize("adjacency", Adjacency)
    @pytest.mark.parametrize("epsilon", [0.3, 1.0, 5.0])
    def test_the_guarantee_of_a_person_is_that_of_another_library(self, epsilon, adjacency):
        X, y, people = rows_of([3] * 30)
        model = DPLogisticRegression(
            epsilon=epsilon, steps=20, adjacency=str(adjacency), random_state=0
        )
        held = model.fit(X, y, groups=people).guarantee_
        assert (held.unit, held.adjacency) == ("person", adjacency)
        other = PLDAccountant(value_discretization_interval=1e-4)
        other.compose(dp_event.GaussianDpEvent(held.event.event.noise_multiplier), 20)
        assert epsilon >= held.epsilon == pytest.approx(other.get_epsilon(held.delta), abs=2e-3)

    def test_a_fit_is_the_descent_by_people(self):
        X, y, people = rows_of(p=3)
        X /= np.linalg.norm(X, axis=1).max()
        model = DPLogisticRegression(
            epsilon=3.0, steps=5, learning_rate=2.0, random_state=3, average=False
        )
        model.fit(X, y, groups=[f"P{one}" for one in people])
        multiplier = descent.noise_multiplier(epsilon=3.0, delta=1e-5, steps=5)
        noise = descent.mean_noise_sd(
            multiplier, clip_norm=0.3, rows=8, adjacency=Adjacency.REPLACE_ONE
        )
        how = {
            "steps": 5,
            "noise_sd": noise,
            "seed": base.noise_seed(3),
            "dtype": np.float64,
            "draws": [0],
        }
        expected = fitted(losses.with_constant(X), y, people, **how)[0]
        np.testing.assert_allclose(
            np.column_stack([model.coef_, model.intercept_]), expected, atol=1e-12
        )

    def test_more_rows_of_the_same_people_leave_noise_and_rate(self):
        """Only the number of people decides them: the number of rows is private."""
        model = DPLogisticRegression(random_state=1, classes=[0, 1])
        sizes = (
            (np.zeros((30 * times, 3)), np.full(30 * times, 9), np.tile(np.arange(30), times))
            for times in (1, 4)
        )
        few, many = (clone(model).fit(X, y, groups=groups) for X, y, groups in sizes)
        np.testing.assert_array_equal(few.coef_, many.coef_)
        assert np.abs(few.coef_).min() > 0
