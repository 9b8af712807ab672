"""Noisy gradient descent of many models, against a plain loop of each."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore import accountants, check, streams
from dpcore.privacy import Adjacency
from dpcore.training import clipping, descent, losses
from tests import oracles

# Engine and plain loop sum the same numbers in another order, over many steps.
ROUNDING = 1e-10
# Single precision has seven digits, of which some steps lose one.
SINGLE_PRECISION = 5e-6
# A quotient of two numbers loses a digit of 16.
ROUNDING_OF_ONE_FORMULA = 1e-14
# Noise is calibrated by a search that ends so near to the claim.
CALIBRATION_ERROR = 1e-9

MODELS = 7
# Everything differs from model to model, two models share a draw, and one has no noise.
BATCH = {
    "learning_rate": np.array([0.5, 4.0, 1.0, 2.0, 0.1, 1.0, 3.0]),
    "clip_norm": np.array([0.01, 0.3, 1.0, 1.0, 50.0, 0.5, 2.0]),
    "noise_sd": np.array([0.05, 0.01, 0.0, 0.2, 1e-3, 0.05, 0.5]),
    "draws": [3, 0, 1, 0, 8, 5, 2],
}


def problem(n_classes: int, *, n=70, p=4) -> dict:
    """Return random rows, and a start for each model."""
    rng = np.random.default_rng(n_classes)
    start = rng.normal(size=(MODELS, losses.outputs(n_classes), p))
    X = rng.normal(size=(n, p))
    return {"X": X, "y": rng.integers(0, n_classes, n), "n_classes": n_classes, "start": start}


def train(classes, /, *, steps=6, dtype=np.float64, seed=11, **changes) -> descent.Path:
    """Return the descent of the seven models of ``BATCH``, with the given arguments changed."""
    options = {"steps": steps, "dtype": dtype, "seed": seed}
    arguments = problem(classes) | BATCH | options | changes
    return descent.noisy_gradient_descent(**arguments)


CUTS = pytest.mark.parametrize("is_cut", [False, True], ids=["whole", "in pieces"])
CLIPPINGS = pytest.mark.parametrize("rule", ["per-example", "average", "none"])
CLASSES = pytest.mark.parametrize("n_classes", [2, 4])


@CUTS
@CLIPPINGS
@CLASSES
@pytest.mark.parametrize("model", range(MODELS))
def test_each_model_of_a_batch_takes_the_steps_of_the_plain_loop(
    n_classes, rule, is_cut, model, monkeypatch
):
    if is_cut:
        monkeypatch.setattr(clipping, "_SCRATCH_BYTES", 1)
        monkeypatch.setattr(descent, "_MODELS_AT_ONCE", 3)
        monkeypatch.setattr(streams, "_BLOCK_BYTES", 500)
    given = problem(n_classes)

    path = train(n_classes, clipping=rule, record=range(7))

    expected = oracles.descend(
        given["X"],
        given["y"],
        start=given["start"][model],
        learning_rate=BATCH["learning_rate"][model],
        clip_norm=BATCH["clip_norm"][model],
        noise_sd=BATCH["noise_sd"][model],
        draw=BATCH["draws"][model],
        steps=6,
        seed=11,
        clipping=rule,
    )
    np.testing.assert_allclose(path.history[:, model], expected, rtol=0, atol=ROUNDING)
    np.testing.assert_array_equal(path.weights, path.history[-1])


@CLIPPINGS
@CLASSES
def test_single_precision_hardly_changes_the_weights(n_classes, rule):
    double = train(n_classes, dtype=np.float64, clipping=rule, steps=30)

    single = train(n_classes, dtype=np.float32, clipping=rule, steps=30)

    assert single.weights.dtype == np.float32
    np.testing.assert_allclose(
        single.weights, double.weights, rtol=SINGLE_PRECISION, atol=SINGLE_PRECISION
    )


def test_recorded_steps_are_in_order_and_each_once():
    path = train(2, record=[6, 0, 3, 3])

    np.testing.assert_array_equal(path.steps, [0, 3, 6])
    np.testing.assert_array_equal(path.history[0], problem(2)["start"])
    np.testing.assert_allclose(path.history[1], train(2, steps=3).weights, rtol=0, atol=ROUNDING)
    np.testing.assert_array_equal(path.history[2], path.weights)


def test_nothing_is_recorded_that_is_not_asked_for():
    assert train(2).history.shape == (0, MODELS, 1, 4)


def test_the_seed_decides_the_noise():
    weights = train(2, seed=11).weights

    np.testing.assert_array_equal(train(2, seed=11).weights, weights)
    differs = (train(2, seed=12).weights != weights).any(axis=(1, 2))
    np.testing.assert_array_equal(differs, BATCH["noise_sd"] > 0)


def test_the_arguments_stay_as_they_were():
    given = problem(2)

    train(2, **given)

    for name, value in problem(2).items():
        np.testing.assert_array_equal(given[name], value)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_noise_is_made_for_the_influence_of_one_row(adjacency):
    """One row changes the mean of 100 by C/n at each of 40 steps, or by 2C/n if it is replaced."""
    multiplier = descent.noise_multiplier(epsilon=2.0, delta=1e-6, steps=40)

    sd = descent.mean_noise_sd(multiplier, clip_norm=0.5, rows=100, adjacency=adjacency)

    sensitivity = 0.5 / 100
    if adjacency is Adjacency.REPLACE_ONE:
        sensitivity = 2 * 0.5 / 100
    mu = math.sqrt(40) * sensitivity / sd
    assert sd / sensitivity == pytest.approx(multiplier, rel=ROUNDING_OF_ONE_FORMULA)
    assert accountants.gdp.epsilon_of(1e-6, mu=mu) == pytest.approx(2.0, rel=CALIBRATION_ERROR)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_event_of_a_descent_costs_its_claim(adjacency):
    multiplier = descent.noise_multiplier(epsilon=2.0, delta=1e-6, steps=40)

    event = descent.event(multiplier, steps=40)

    guarantee = accountants.account(event, delta=1e-6, adjacency=adjacency)
    assert guarantee.epsilon == pytest.approx(2.0, rel=CALIBRATION_ERROR)


def moves_of_noise_alone(*, models: int, steps: int) -> np.ndarray:
    """Return the moves of rows of zeros, (models, steps 9), whose noise has sd 0.1."""
    path = train(
        3,
        X=np.zeros((4, 3)),
        y=np.array([0, 1, 2, 0]),
        start=np.zeros((3, 3)),
        draws=range(models),
        steps=steps,
        learning_rate=0.5,
        clip_norm=1.0,
        noise_sd=0.2,
        record=range(steps + 1),
    )
    # (steps, models, 3, 3) to (models, steps 9).
    moves = np.diff(path.history, axis=0)
    return moves.transpose(1, 0, 2, 3).reshape(models, steps * 9)


def test_noise_has_the_stated_size():
    moves = moves_of_noise_alone(models=2000, steps=5)

    assert stats.kstest(moves.ravel() / 0.1, stats.norm.cdf).pvalue > 1e-3


def test_noise_is_independent_over_coordinates_and_steps():
    moves = moves_of_noise_alone(models=2000, steps=5)

    correlations = np.corrcoef(moves.T) - np.eye(45)
    assert np.abs(correlations).max() < 0.1


BAD_ARGUMENTS = {
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


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in BAD_ARGUMENTS.items() for value in values],
)
def test_bad_arguments_are_refused_by_name(name, value):
    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        train(2, **{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("multiplier", True), ("multiplier", math.nan), ("clip_norm", 0), ("rows", 0)],
)
def test_noise_without_a_size_is_refused(name, value):
    arguments = {"multiplier": 1.0, "clip_norm": 1.0, "rows": 10, name: value}

    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        descent.mean_noise_sd(**arguments, adjacency=Adjacency.ADD_REMOVE)
