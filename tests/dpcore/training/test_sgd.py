"""DP-SGD against plain loops over models, rows and steps."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpcore import check, thread_pool
from dpcore.streams import stream
from dpcore.training import batches, sgd, sgd_recipe
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe
from tests import network_oracles as plain

# Double precision: engine and plain loop sum the same numbers in another order, over many steps.
ROUNDING = 1e-9
# Parts of a training differ from the whole in the order of sums alone.
ROUNDING_OF_PARTS = 1e-12
# Seven digits, of which many steps lose up to three.
SINGLE_PRECISION = 1e-4
# Weights near 0 are differences of numbers near 1.
SINGLE_PRECISION_NEAR_0 = 1e-5

ROWS = 30
RATE = 0.3
STEPS = 70
LEARNING_RATE = 0.6
DECAY = 0.2
NETS = {
    "linear": Architecture(sizes=(3, 2)),
    "tanh": Architecture(sizes=(3, 5, 2)),
    "classes": Architecture(sizes=(3, 5, 4)),
    "deep": Architecture(sizes=(3, 4, 3, 3)),
}
TANH = NETS["tanh"]
DRAWS = [2, 0, 2, 5]
SIGMAS = np.array([0.5, 1.0, 0.0, 3.0])
# Small enough to bite, and large enough not to bite always.
BOUND = 0.4
BOUNDS_OF_LAYERS = (0.3, 0.5, 0.2)


def clip_norm_of(net: Architecture, clipping: str) -> float | tuple[float, ...] | None:
    """Return the clipping bound, one for each layer, or None, as ``clipping`` says."""
    if clipping == "none":
        return None
    if clipping == "layers":
        return BOUNDS_OF_LAYERS[: len(net.shapes)]
    return BOUND


def problem(net: Architecture):
    """Return (X (n, d), y (n,), initial weights (4, P))."""
    rng = np.random.default_rng([len(net.sizes), 0])
    X = rng.normal(size=(ROWS, net.sizes[0]))
    y = rng.integers(0, net.sizes[-1], ROWS)
    noise = rng.normal(size=(len(DRAWS), net.parameters))
    return X, y, net.start(0, range(len(DRAWS))) + 0.2 * noise


def recipe_of(net: Architecture, *, clipping="flat", **changes) -> Recipe:
    """Return the recipe of these tests for a network, with the given fields changed."""
    settings = {
        "architecture": net,
        "sampling_rate": RATE,
        "steps": STEPS,
        "learning_rate": LEARNING_RATE,
        "decay": DECAY,
        "clip_norm": clip_norm_of(net, clipping),
    }
    return Recipe(**(settings | changes))


def train(recipe: Recipe, *, noise=0.0, **changes) -> sgd.Training:
    """Return the training of four networks on the problem, with the given arguments changed."""
    X, y, start = problem(recipe.architecture)
    arguments = {
        "X": X,
        "y": y,
        "start": start,
        "noise_multiplier": noise,
        "seed": 3,
        "draws": DRAWS,
        "dtype": np.float64,
    }
    return sgd.train(recipe, **(arguments | changes))


def batches_of(recipe: Recipe, draw: int) -> list[np.ndarray]:
    """Return the row numbers in the batch of each step."""
    options = {"rows": ROWS, "first": 0, "last": recipe.steps}
    if recipe.variant == "shuffled":
        drawn = batches.shuffled(3, [draw], size=round(RATE * ROWS), **options)
    else:
        drawn = batches.poisson(3, [draw], rate=recipe.sampling_rate, **options)
    # Unused places of a batch are negative.
    return [members[members >= 0] for (members,) in drawn]


def noise_of(recipe: Recipe, draw: int) -> np.ndarray:
    """Return the noise of scale 1 of each step, (T, P)."""
    blocks = []
    for block in range(math.ceil(recipe.steps / batches.BLOCK)):
        shape = (batches.BLOCK, recipe.architecture.parameters)
        blocks.append(stream(3, "noise", draw, block).standard_normal(shape))
    return np.concatenate(blocks)[: recipe.steps]


def factors(shape: str, end: float) -> np.ndarray:
    """Return the factors of a schedule, from 1 at the first step to ``end`` at the last."""
    passed = np.arange(STEPS) / (STEPS - 1)
    if shape == "geometric":
        return end**passed
    return 1 + (end - 1) * passed


def by_plain_loop(recipe: Recipe, model: int, sigma: float) -> list[np.ndarray]:
    """Return the weights of one network after each step."""
    net = recipe.architecture
    X, y, start = problem(net)
    rates = LEARNING_RATE * factors(recipe.shape, DECAY)
    noise_factors = factors(recipe.shape, recipe.noise_ramp)
    clip_factors = factors(recipe.shape, recipe.clip_ramp)
    noise = noise_of(recipe, DRAWS[model])
    weights_of_layers = [outputs * inputs for outputs, inputs in net.shapes]
    path = []
    w = start[model]
    for step, batch in enumerate(batches_of(recipe, DRAWS[model])):
        clip_norm = recipe.clip_norm
        bounds = np.full(len(net.shapes), BOUND)
        if isinstance(clip_norm, tuple):
            bounds = np.array(clip_norm)
            clip_norm = tuple(bounds * clip_factors[step])
        elif clip_norm is not None:
            clip_norm = clip_norm * clip_factors[step]
        total = plain.batch_gradient(net.sizes, w, X[batch], y[batch], clip_norm=clip_norm)
        noise_sd = sigma * noise_factors[step] * bounds * clip_factors[step]
        total = total + np.repeat(noise_sd, weights_of_layers) * noise[step]
        w = w - rates[step] * total / (RATE * ROWS)
        path.append(w)
    return path


@pytest.mark.parametrize(
    ("shape", "noise_ramp", "clip_ramp"),
    [("geometric", 1.0, 1.0), ("geometric", 0.3, 2.5), ("linear", 0.3, 2.5)],
)
@pytest.mark.parametrize("clipping", ["none", "flat", "layers"])
@pytest.mark.parametrize("name", NETS)
def test_each_network_takes_the_steps_of_the_plain_loop(
    name, clipping, shape, noise_ramp, clip_ramp
):
    net = NETS[name]
    recipe = recipe_of(
        net, clipping=clipping, shape=shape, noise_ramp=noise_ramp, clip_ramp=clip_ramp
    )
    sigmas = SIGMAS
    if clipping == "none":
        sigmas = 0 * SIGMAS

    training = train(recipe, noise=sigmas, record=range(STEPS + 1))

    for model in (0, 2, 3):
        path = by_plain_loop(recipe, model, sigmas[model])
        np.testing.assert_allclose(training.history[1:, model], path, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("clipping", ["flat", "layers"])
@pytest.mark.parametrize("name", NETS)
def test_clipping_has_an_effect_in_these_tests(name, clipping):
    net = NETS[name]

    clipped = train(recipe_of(net, clipping=clipping)).weights

    free = train(recipe_of(net, clipping="none")).weights
    assert np.abs(clipped - free).max() > 0.01


@pytest.mark.parametrize("variant", sgd_recipe.VARIANTS)
def test_a_variant_changes_its_part_of_a_step_and_no_other(variant):
    X, y, start = problem(TANH)
    recipe = recipe_of(TANH, steps=1, decay=1.0, variant=variant)
    (members,) = batches_of(recipe, 0)
    (noise,) = 2.0 * BOUND * noise_of(recipe, 0)
    divisor = RATE * ROWS
    if variant == "inside":
        noise = math.sqrt(len(members)) * noise
    if variant == "realised":
        divisor = len(members)

    weights = train(recipe, noise=2.0, draws=[0], start=start[0]).weights[0]

    total = plain.batch_gradient(TANH.sizes, start[0], X[members], y[members], clip_norm=BOUND)
    expected = start[0] - LEARNING_RATE * (total + noise) / divisor
    assert variant == "shuffled" or len(members) != RATE * ROWS
    np.testing.assert_allclose(weights, expected, rtol=0, atol=ROUNDING_OF_PARTS)


@pytest.mark.parametrize("variant", [name for name in sgd_recipe.VARIANTS if name != "shuffled"])
def test_an_empty_batch_moves_nothing_but_by_noise(variant):
    _, _, start = problem(TANH)
    recipe = recipe_of(TANH, sampling_rate=1e-9, variant=variant)

    np.testing.assert_array_equal(train(recipe).weights, start)
    assert np.isfinite(train(recipe, noise=1.0).weights).all()


TWO_NETS = pytest.mark.parametrize("name", ["tanh", "deep"])


@TWO_NETS
def test_single_precision_hardly_changes_the_weights(name):
    recipe = recipe_of(NETS[name])

    single = train(recipe, noise=1.0, dtype=np.float32).weights

    assert single.dtype == np.float32
    np.testing.assert_allclose(
        single,
        train(recipe, noise=1.0).weights,
        rtol=SINGLE_PRECISION,
        atol=SINGLE_PRECISION_NEAR_0,
    )


@TWO_NETS
def test_the_seed_decides_batches_and_noise(name):
    recipe = recipe_of(NETS[name])
    weights = train(recipe, noise=1.0, seed=3).weights

    np.testing.assert_array_equal(train(recipe, noise=1.0, seed=3).weights, weights)
    of_other_seed = train(recipe, noise=1.0, seed=4).weights
    assert (np.abs(weights - of_other_seed).max(axis=1) > 1e-2).all()


@TWO_NETS
def test_networks_with_the_same_draw_share_batches_and_noise(name):
    net = NETS[name]
    _, _, starts = problem(net)
    first_draw, other_draw, same_draw, *_ = DRAWS
    assert first_draw == same_draw != other_draw

    weights = train(recipe_of(net), noise=1.0, start=starts[0]).weights

    first, other, same, *_ = weights
    np.testing.assert_allclose(first, same, rtol=0, atol=ROUNDING_OF_PARTS)
    assert np.abs(first - other).max() > 1e-2


CUTS = pytest.mark.parametrize("cuts", [[50], [1, 20, 50, 51], [69]], ids=str)
VARIANTS = pytest.mark.parametrize("variant", sgd_recipe.VARIANTS)


@VARIANTS
@CUTS
def test_a_training_in_pieces_is_one_in_one_piece(cuts, variant):
    recipe = recipe_of(TANH, variant=variant)
    whole = train(recipe, noise=1.0, record=[*cuts, STEPS])
    _, _, weights = problem(TANH)

    for place, last in enumerate([*cuts, STEPS]):
        first = 0
        if place > 0:
            first = cuts[place - 1]
        piece = train(recipe, noise=1.0, start=weights, first=first, last=last, record=[first])
        np.testing.assert_array_equal(piece.history[0], weights)
        weights = piece.weights
        np.testing.assert_allclose(weights, whole.history[place], rtol=0, atol=ROUNDING_OF_PARTS)


@VARIANTS
@CUTS
def test_recorded_weights_are_in_the_order_of_the_requested_steps(cuts, variant):
    _, _, start = problem(TANH)

    training = train(recipe_of(TANH, variant=variant), noise=1.0, record=[STEPS, 0, *cuts])

    np.testing.assert_array_equal(training.history[0], training.weights)
    np.testing.assert_array_equal(training.history[1], start)


@VARIANTS
def test_no_step_leaves_the_weights(variant):
    _, _, start = problem(TANH)

    training = train(recipe_of(TANH, variant=variant), first=9, last=9)

    np.testing.assert_array_equal(training.weights, start)


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("cache_bytes", [1, 10**9], ids=["one at a time", "all at once"])
def test_cores_and_parts_change_nothing(cache_bytes, workers, monkeypatch):
    whole = train(recipe_of(TANH), noise=SIGMAS, record=[5])
    monkeypatch.setattr(thread_pool, "_WORTH_A_SECOND_CORE", 0)
    monkeypatch.setattr(thread_pool, "core_count", lambda: workers)
    monkeypatch.setattr(sgd, "_CACHE_BYTES", cache_bytes)

    in_parts = train(recipe_of(TANH), noise=SIGMAS, record=[5])

    np.testing.assert_allclose(in_parts.weights, whole.weights, rtol=0, atol=ROUNDING_OF_PARTS)
    np.testing.assert_allclose(in_parts.history, whole.history, rtol=0, atol=ROUNDING_OF_PARTS)


BAD_RECIPES = {
    "sampling_rate": (0,),
    "steps": (0,),
    "decay": (0,),
    "noise_ramp": (0,),
    "clip_ramp": (0,),
    "learning_rate": (-1,),
    "shape": ("odd",),
    "variant": ("wild",),
    "clip_norm": (0, math.inf, (1.0, -1.0), (1.0,), (), [1.0, 1.0]),
}
BAD_ARGUMENTS = {
    "X": (np.full((ROWS, 3), np.nan), np.ones((ROWS, 4)), np.ones((ROWS - 1, 3))),
    "y": (np.full(ROWS, 2), np.full(ROWS, -2), np.full(ROWS, "a")),
    "noise_multiplier": (-1.0, math.nan, True, "much", [1.0, 2.0]),
    "start": (np.zeros(5), np.full(32, np.nan), np.zeros((3, 32))),
    "draws": ([0, 0.5, 1, 2], []),
    "seed": (-1,),
    "first": (-1, STEPS + 1),
    "last": (STEPS + 1,),
    "record": ([STEPS + 1], [3, 3], [-1]),
}


def cases(values_by_name: dict) -> list[tuple]:
    """Return (name, value) for each of the values of each name."""
    return [(name, value) for name, values in values_by_name.items() for value in values]


@pytest.mark.parametrize(("name", "value"), cases(BAD_RECIPES))
def test_impossible_recipes_are_refused_by_name(name, value):
    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        replace(recipe_of(TANH), **{name: value})


@pytest.mark.parametrize(("name", "value"), cases(BAD_ARGUMENTS))
def test_bad_arguments_are_refused_by_name(name, value):
    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        train(recipe_of(TANH), **{name: value})


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        pytest.param("first", {"first": 5, "last": 4}, id="the first step after the last"),
        pytest.param("record", {"record": [3], "first": 4}, id="a record before the first step"),
    ],
)
def test_steps_that_contradict_each_other_are_refused(name, changes):
    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        train(recipe_of(TANH), **changes)


def test_noise_without_clipping_is_refused():
    with pytest.raises(check.RefusedError, match="^noise_multiplier is "):
        train(recipe_of(TANH, clipping="none"), noise=1.0)
