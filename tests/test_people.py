"""People with several rows: what one of them can do and what it costs. Its audits are in the audit table."""

import numpy as np
import oracles
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant
from sklearn.base import clone

from dpcore import check
from dpcore.estimators import seeds
from dpcore.estimators.logistic import DPLogisticRegression
from dpcore.privacy import Adjacency
from dpcore.training import clipping, descent, losses
from dpcore.training.people import PeopleGradient

COUNTS = (1, 3, 1, 7, 2, 3, 12, 1)
CLIP = 0.3


def rows_of(counts=COUNTS, *, classes=2, p=4, seed=0, blank=False):
    """Rows in no order of people: (X (n, p), y (n,), people (n,)).

    blank: some of two people's rows, and all of another's, are without an answer, which is a row of zeros.
    """
    rng = np.random.default_rng(seed)
    people = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    X = rng.normal(size=(len(people), p))
    if blank:
        X[np.flatnonzero((people == 3) | (people == 6))[::2]] = X[people == 1] = 0
    return X, rng.integers(0, classes, len(people)), people


def person_by_person(w, X, y, people, *, clip_norm):
    """The mean over people of their mean gradients, each clipped: a person and a row at a time, if it has an answer."""
    total = np.zeros_like(w)
    for person in set(people.tolist()):
        rows = zip(X[people == person], y[people == person], strict=True)
        own = [oracles.gradient(w, *row) for row in rows if row[0].any()]
        mean = sum(own) / len(own) if own else np.zeros_like(w)
        total += mean if clip_norm is None else oracles.clipped(mean, clip_norm)
    return total / len(set(people.tolist()))


def found(weights, X, y, people, *, clip_norm=CLIP):
    """Of weights (R, k, p): the mean gradients, in this shape."""
    clip = None if clip_norm is None else np.full(len(weights), clip_norm)
    gradient = PeopleGradient(X, y, people, models=len(weights), clip_norm=clip, outputs=weights.shape[1])
    return gradient(weights.transpose(1, 0, 2).copy()).transpose(1, 0, 2)


@pytest.mark.parametrize("scratch", [1, 750_000])
@pytest.mark.parametrize("clip_norm", [0.02, 0.3, 50.0, None])
@pytest.mark.parametrize("p", [1, 4])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("counts", [COUNTS, (60,)], ids=["some", "one"])
def test_a_gradient_is_that_of_its_people_one_at_a_time(counts, classes, p, clip_norm, scratch, monkeypatch):
    monkeypatch.setattr(clipping, "_SCRATCH_BYTES", scratch)
    X, y, people = rows_of(counts, classes=classes, p=p, blank=True)
    weights = np.random.default_rng(1).normal(size=(5, losses.outputs(classes), p))
    expected = [person_by_person(w, X, y, people, clip_norm=clip_norm) for w in weights]
    np.testing.assert_allclose(found(weights, X, y, people, clip_norm=clip_norm), expected, atol=1e-13)
    single = found(weights.astype(np.float32), X.astype(np.float32), y, people, clip_norm=clip_norm)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize(("classes", "scale"), [(2, 1e30), (3, 1e3)])
def test_models_that_are_very_sure_have_a_gradient(classes, scale):
    X, y, people = rows_of(classes=classes)
    weights = (scale * np.random.default_rng(1).normal(size=(3, losses.outputs(classes), 4))).astype(np.float32)
    assert np.isfinite(found(weights, X.astype(np.float32), y, people)).all()


def fitted(X, y, people, *, classes=2, **how):
    plain = {"steps": 9, "learning_rate": 2.0, "clip_norm": CLIP, "noise_sd": 0.01, "seed": 3, "draws": [0, 1, 0]}
    start = np.zeros((losses.outputs(classes), X.shape[1]))
    return descent.noisy_gradient_descent(X, y, people=people, n_classes=classes, start=start, **plain | how).weights


@pytest.mark.parametrize("rule", ["per-example", "average", "none"])
@pytest.mark.parametrize("classes", [2, 3])
def test_people_of_one_row_each_are_rows_to_the_last_bit(classes, rule):
    X, y, people = rows_of([1] * 40, classes=classes)
    np.testing.assert_array_equal(*(fitted(X, y, who, classes=classes, clipping=rule) for who in (people, None)))


def test_a_descent_takes_steps_of_that_gradient():
    X, y, people = rows_of()
    weights = np.zeros((1, 4))
    for _ in range(9):
        weights = weights - 2.0 * person_by_person(weights, X, y, people, clip_norm=CLIP)
    np.testing.assert_allclose(fitted(X, y, people, noise_sd=0.0, dtype=np.float64)[0], weights, atol=1e-13)


@pytest.mark.parametrize("people", [[0, 0, 2], [1, 1, 2], [0, 1], [0, -1, 1], [0.0, 0.5, 1.0], [0, 1, 3]], ids=str)
def test_people_are_numbered_without_a_gap(people):
    with pytest.raises(check.RefusedError, match="people"):
        fitted(np.ones((3, 2)), np.array([0, 1, 1]), np.array(people))


def exchanged(rng, X, y, people, *, classes):
    """The same data, but for one person, who has other rows, and any number of them."""
    who, rows = int(rng.integers(people.max() + 1)), int(rng.choice([1, 2, 3, 50]))
    stay, wide = people != who, float(rng.choice([1e-3, 1.0, 1e3]))
    direction = rng.normal(size=X.shape[1]) * wide
    other = direction + rng.choice([0.0, 1.0]) * rng.normal(size=(rows, X.shape[1]))
    labels = np.full(rows, rng.integers(classes)) if rng.random() < 0.5 else rng.integers(0, classes, rows)
    joined = np.vstack([X[stay], other]), np.append(y[stay], labels), np.append(people[stay], np.full(rows, who))
    return joined, (X[stay], y[stay], np.unique(people[stay], return_inverse=True)[1])


@pytest.mark.parametrize("classes", [2, 3])
def test_no_person_moves_the_sum_further_than_the_noise_is_made_for(classes):
    """Brute force over people replaced, and left out; nearly reached."""
    rng, furthest = np.random.default_rng(0), dict.fromkeys(Adjacency, 0.0)
    weights = rng.normal(size=(6, losses.outputs(classes), 4))
    for _ in range(300):
        X, y, people = rows_of([3, 1, 5], classes=classes, seed=int(rng.integers(1000)))
        mine = found(weights, 20 * X, y, people) * 3
        neighbours = exchanged(rng, 20 * X, y, people, classes=classes)
        for adjacency, theirs in zip((Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE), neighbours, strict=True):
            other = found(weights, *theirs) * (theirs[2].max() + 1)
            moved = np.linalg.norm((mine - other).reshape(len(mine), -1), axis=1).max()
            furthest[adjacency] = max(furthest[adjacency], moved)
    for adjacency, most in furthest.items():
        bound = 3 * descent.mean_noise_sd(1.0, clip_norm=CLIP, rows=3, adjacency=adjacency)
        assert 0.9 * bound < most <= bound * (1 + 1e-12)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 5.0])
def test_the_guarantee_of_a_person_is_that_of_another_library(epsilon, adjacency):
    X, y, people = rows_of([3] * 30)
    model = DPLogisticRegression(epsilon=epsilon, steps=20, adjacency=str(adjacency), random_state=0)
    held = model.fit(X, y, groups=people).guarantee_
    assert (held.unit, held.adjacency) == ("person", adjacency)
    other = PLDAccountant(value_discretization_interval=1e-4)
    other.compose(dp_event.GaussianDpEvent(held.event.event.noise_multiplier), 20)
    assert epsilon >= held.epsilon == pytest.approx(other.get_epsilon(held.delta), abs=2e-3)


class TestEstimator:
    def test_a_fit_is_the_descent_by_people(self):
        X, y, people = rows_of(p=3)
        X /= np.linalg.norm(X, axis=1).max()
        model = DPLogisticRegression(epsilon=3.0, steps=5, learning_rate=2.0, random_state=3, average=False)
        model.fit(X, y, groups=[f"P{one}" for one in people])
        multiplier = descent.noise_multiplier(epsilon=3.0, delta=1e-5, steps=5)
        noise = descent.mean_noise_sd(multiplier, clip_norm=0.3, rows=8, adjacency=Adjacency.REPLACE_ONE)
        how = {"steps": 5, "learning_rate": 2.0, "clip_norm": 0.3, "dtype": np.float64, "draws": [0]}
        expected = fitted(losses.with_constant(X), y, people, noise_sd=noise, seed=seeds.noise_seed(3), **how)[0]
        np.testing.assert_allclose(np.column_stack([model.coef_, model.intercept_]), expected, atol=1e-12)

    def test_more_rows_of_the_same_people_leave_noise_and_rate(self):
        """Only the number of people decides them: the number of rows is private."""
        model = DPLogisticRegression(random_state=1, classes=[0, 1])
        sizes = ((np.zeros((30 * times, 3)), np.full(30 * times, 9), np.tile(np.arange(30), times)) for times in (1, 4))
        few, many = (clone(model).fit(X, y, groups=groups) for X, y, groups in sizes)
        np.testing.assert_array_equal(few.coef_, many.coef_)
        assert np.abs(few.coef_).min() > 0

    @pytest.mark.parametrize("groups", [[1, 2], "me", [[1] * 50]])
    def test_each_row_must_be_somebodys(self, groups):
        X, y, _ = rows_of([1] * 50)
        with pytest.raises(ValueError, match="groups"):
            DPLogisticRegression().fit(X, y, groups=groups)
