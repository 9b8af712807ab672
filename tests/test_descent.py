"""Noisy gradient descent over a batch of models: equal to one model and one row at a time."""

import math

import numpy as np
import oracles
import pytest
from scipy import stats

from dpcore import accountants, check, streams
from dpcore.privacy import Adjacency
from dpcore.training import clipping, descent, losses

MODELS = 7
# A batch in which everything differs from model to model, two models share a draw and one has no noise.
BATCH = {
    "learning_rate": np.array([0.5, 4.0, 1.0, 2.0, 0.1, 1.0, 3.0]),
    "clip_norm": np.array([0.01, 0.3, 1.0, 1.0, 50.0, 0.5, 2.0]),
    "noise_sd": np.array([0.05, 0.01, 0.0, 0.2, 1e-3, 0.05, 0.5]),
    "draws": [3, 0, 1, 0, 8, 5, 2],
}


def problem(n_classes, *, n=70, p=4):
    rng = np.random.default_rng(n_classes)
    start = rng.normal(size=(MODELS, losses.outputs(n_classes), p))
    X, y = rng.normal(size=(n, p)), rng.integers(0, n_classes, n)
    return {"X": X, "y": y, "n_classes": n_classes, "start": start}


def train(classes, /, *, steps=6, dtype=np.float64, seed=11, **changes):
    arguments = {**problem(classes), **BATCH, "steps": steps, "dtype": dtype, "seed": seed, **changes}
    return descent.noisy_gradient_descent(arguments.pop("X"), arguments.pop("y"), **arguments)


@pytest.mark.parametrize("cut", [False, True], ids=["whole", "cut"])
@pytest.mark.parametrize("rule", ["per-example", "average", "none"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_batch_is_its_models_one_at_a_time(n_classes, rule, cut, monkeypatch):
    if cut:
        monkeypatch.setattr(clipping, "_SCRATCH_BYTES", 1)
        monkeypatch.setattr(descent, "_MODELS_AT_ONCE", 3)
        monkeypatch.setattr(streams, "_BLOCK_BYTES", 500)
    found, given = train(n_classes, clipping=rule, record=range(7)), problem(n_classes)
    for m, start in enumerate(given["start"]):
        how = {name: BATCH[name][m] for name in ("learning_rate", "clip_norm", "noise_sd")}
        how |= {"draw": BATCH["draws"][m], "steps": 6, "seed": 11, "clipping": rule}
        path = oracles.descend(given["X"], given["y"], start=start, **how)
        np.testing.assert_allclose(found.history[:, m], path, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(found.weights, found.history[-1])

    single, double = (train(n_classes, dtype=dtype, clipping=rule, steps=30) for dtype in (np.float32, np.float64))
    assert single.weights.dtype == np.float32
    np.testing.assert_allclose(single.weights, double.weights, rtol=5e-6, atol=5e-6)


def test_the_record_is_in_order_the_seed_decides_and_the_arguments_stay_as_they_were():
    given = problem(2)
    found, again, other = (train(2, **given, seed=seed, record=[6, 0, 3, 3]) for seed in (11, 11, 12))
    np.testing.assert_array_equal(found.steps, [0, 3, 6])
    np.testing.assert_array_equal(found.history[0], problem(2)["start"])
    np.testing.assert_allclose(found.history[1], train(2, steps=3).weights, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(found.history[2], found.weights)
    assert train(2).history.shape == (0, MODELS, 1, 4)
    np.testing.assert_array_equal(found.weights, again.weights)
    assert ((found.weights != other.weights).any(axis=(1, 2)) == (BATCH["noise_sd"] > 0)).all()
    for name, value in problem(2).items():
        np.testing.assert_array_equal(given[name], value)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_noise_is_made_for_what_one_row_can_do(adjacency):
    """The event of a descent, read through the accountant, is the claim: C/n or 2C/n a step, T steps."""
    multiplier = descent.noise_multiplier(epsilon=2.0, delta=1e-6, steps=40)
    sd = descent.mean_noise_sd(multiplier, clip_norm=0.5, rows=100, adjacency=adjacency)
    sensitivity = {Adjacency.REPLACE_ONE: 2 * 0.5 / 100, Adjacency.ADD_REMOVE: 0.5 / 100}[adjacency]
    assert sd / sensitivity == pytest.approx(multiplier, rel=1e-14)
    event = descent.event(multiplier, steps=40)
    found = accountants.account(event, delta=1e-6, adjacency=adjacency)
    assert found.epsilon == pytest.approx(2.0, rel=1e-9)
    mu = math.sqrt(40) * sensitivity / sd
    assert accountants.gdp.epsilon_of(1e-6, mu=mu) == pytest.approx(2.0, rel=1e-9)


def test_noise_has_the_stated_size_and_is_independent_over_coordinates_and_steps():
    models, steps = 2000, 5
    rows = {"X": np.zeros((4, 3)), "y": np.array([0, 1, 2, 0]), "start": np.zeros((3, 3)), "draws": range(models)}
    how = {"steps": steps, "learning_rate": 0.5, "clip_norm": 1.0, "noise_sd": 0.2, "record": range(steps + 1)}
    moves = np.diff(train(3, **rows, **how).history, axis=0).transpose(1, 0, 2, 3).reshape(models, steps * 9)
    assert stats.kstest(moves.ravel() / 0.1, stats.norm.cdf).pvalue > 1e-3
    assert np.abs(np.corrcoef(moves.T) - np.eye(steps * 9)).max() < 0.1


BAD = {
    "learning_rate": (0, math.nan, True, "fast"),
    "noise_sd": (-0.1, math.inf, [0.1, 0.1]),
    "steps": (0, 2.5),
    "clip_norm": ([1, 1, 1, -1, 1, 1, 1],),
    "clipping": ("sometimes",),
    "seed": (-1,),
    "start": (np.full((1, 4), np.nan), np.zeros((2, 4))),
    "draws": ([0, 0.5, 1, 2, 3, 4, 5], [-1] * 7),
    "record": ([7], [-1, 2], [0.5]),
    "n_classes": (1,),
    "X": (np.full((70, 4), np.nan), np.ones((69, 4)), np.ones(70), np.full((70, 4), "a")),
    "y": (np.full(70, 2), np.full(70, -1), np.full(70, "a"), np.full(70, 0.5)),
}


def test_bad_arguments_are_refused_by_name():
    for name, value in ((name, value) for name, values in BAD.items() for value in values):
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            train(2, **{name: value})
    given = {"multiplier": 1.0, "clip_norm": 1.0, "rows": 10, "adjacency": Adjacency.ADD_REMOVE}
    for name, value in (("multiplier", True), ("multiplier", math.nan), ("clip_norm", 0), ("rows", 0)):
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            descent.mean_noise_sd(**given | {name: value})
