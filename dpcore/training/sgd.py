"""Differentially private stochastic gradient descent (DP-SGD) for networks trained together.

    w <- w - (eta_t / L) ( sum_{i in batch} clip_C(g_i(w)) + N(0, (sigma C)^2 I) ),    L = q n

A batch (called a lot in the paper) contains each row with probability q. Noise is added once to the
sum, which is divided by the constant L and never by the actual size of the batch [abadi2016,
Algorithm 1]. The guarantee is under add/remove; n, and so L, is a public number that does not
change when a row is added or removed. Each of the R networks has its own initial weights, batches
and noise.

If persons have several rows, a batch contains each *person* with probability q, n is the number of
persons, and g_i is the average of person i's gradients. Clipped to C, it changes the sum by no more
than one row would.

For batches in a fixed order instead of random ones, see ``dpcore.training.dp_ftrl``; for loops with
faults, ``dpcore.training.faulty_sgd``.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dpcore import check, thread_pool
from dpcore.streams import normal_steps
from dpcore.training import batches, dp_ftrl, faulty_sgd
from dpcore.training.network_gradients import ClippedGradientSum, Examples
from dpcore.training.networks import Architecture
from dpcore.training.person_gradients import checked_people
from dpcore.training.sgd_recipe import Recipe

# Size of inputs, errors and scratch of networks trained together, so that they stay near a core.
# Much smaller parts lose more to their many short calls, and much larger ones lose more to waiting
# for memory.
_CACHE_BYTES = 2_000_000
# Numbers that a pass stores for each example and unit: inputs, errors and about half as much
# scratch.
_NUMBERS_PER_UNIT = 2.5
# Forward pass, backpropagated errors and gradients are one matrix product each.
_PRODUCTS_PER_WEIGHT = 3


class Training(NamedTuple):
    """The result of training.

    Attributes:
        weights: After the last step, (R, P).
        history: After each recorded step, (m, R, P).
    """

    weights: np.ndarray
    history: np.ndarray


def train(
    recipe: Recipe,
    X: np.ndarray,
    y: np.ndarray,
    *,
    start: np.ndarray,
    noise_multiplier: float | np.ndarray,
    seed: int,
    draws: Sequence[int] | np.ndarray,
    people: np.ndarray | None = None,
    first: int = 0,
    last: int | None = None,
    record: Sequence[int] = (),
    dtype: type[np.floating] = np.float32,
) -> Training:
    """Take steps ``first`` to ``last`` - 1 of DP-SGD with R = len(draws) networks.

    Guarantee: L2 sensitivity `recipe.clip_norm`; noise `norm(scale=noise_multiplier *
    recipe.clip_norm)` per coordinate and step; event
    `Composed(event=PoissonSampled(rate=recipe.sampling_rate,
    event=GaussianRelease(noise_multiplier=noise_multiplier)), count=recipe.steps)`; adjacency
    add/remove.

    It holds for whole trainings by the recipes that ``Recipe`` names. Training in pieces equals
    training in one piece.

    Args:
        recipe: Public settings.
        X: Inputs, (n, d).
        y: Classes from 0, (n,), or -1 for a row whose gradient counts as 0.
        start: Weights before step ``first``, (P,) or (R, P).
        noise_multiplier: Standard deviation of the noise over the clipping norm in the first step,
            of all networks or (R,).
        seed: Of batches and noise.
        draws: The streams of ``seed`` for each network. Equal draws share batches and noise (common
            random numbers).
        people: The person of each row, (n,), numbered from 0, if persons have several. Rows without
            a class are then ignored.
        first: First step.
        last: The step at which training stops; None for all.
        record: Different steps, of first..last, after which the weights are kept.
        dtype: Precision of the arithmetic.

    Raises:
        RefusedError: For an argument out of range, which it names.
    """
    models = check.whole(1, draws=len(draws))
    draws = check.wholes((models,), low=0, draws=draws)
    last = _checked_last(recipe, first=first, last=last)
    examples = _checked_examples(recipe, X, y, people, dtype)
    multipliers = _noise_multipliers(recipe, models, noise_multiplier)
    place_of_step = _places(record, first=first, last=last)
    weights = _start_weights(recipe, start, models=models, resumed=first > 0).astype(dtype)
    history = np.empty((len(place_of_step), *weights.shape), dtype)
    # Networks with the same draws are trained together and draw once.
    order = np.argsort(draws, kind="stable")

    def train_part(part: slice) -> None:
        """Train the networks of one slice of ``order``, and record them."""
        networks = order[part]
        part_weights = weights[networks]
        steps = _steps(
            recipe,
            part_weights,
            examples,
            multipliers[networks],
            seed=seed,
            draws=draws[networks],
            first=first,
            last=last,
        )
        for steps_done in steps:
            if steps_done in place_of_step:
                history[place_of_step[steps_done], networks] = part_weights
        weights[networks] = part_weights

    batch_size = recipe.sampling_rate * len(X)
    multiply_adds = _PRODUCTS_PER_WEIGHT * weights.size * batch_size * (last - first)
    at_once = _networks_at_once(recipe.architecture, batch_size, itemsize=weights.itemsize)
    thread_pool.for_each_part(train_part, models, work=multiply_adds, at_once=at_once)
    return Training(weights=weights, history=history)


def _checked_last(recipe: Recipe, *, first: int, last: int | None) -> int:
    """Return the step at which training stops, if ``first`` is not beyond it; all if None."""
    if last is None:
        last = recipe.steps
    check.whole(0, recipe.steps, last=last)
    check.whole(0, last, first=first)
    return last


def _checked_examples(
    recipe: Recipe,
    X: np.ndarray,
    y: np.ndarray,
    people: np.ndarray | None,
    dtype: type[np.floating],
) -> Examples:
    """Return the rows if all inputs are finite, and classes and persons are valid."""
    inputs, *_, classes = recipe.architecture.sizes
    X = check.rows(X, y, columns=inputs)
    y = check.wholes((len(X),), low=-1, high=classes - 1, y=y)
    if people is not None:
        people = checked_people(people, len(X))
    return Examples(X, y, people, classes=classes, dtype=dtype)


def _noise_multipliers(
    recipe: Recipe, models: int, noise_multiplier: float | np.ndarray
) -> np.ndarray:
    """Return one noise multiplier per network, (R,)."""
    multipliers = check.numbers((), (models,), low=0, noise_multiplier=noise_multiplier)
    if recipe.clip_norm is None and multipliers.any():
        raise check.RefusedError("noise_multiplier", noise_multiplier, "0 without clipping")
    return np.broadcast_to(multipliers, (models,))


def _places(record: Sequence[int], *, first: int, last: int) -> dict[int, int]:
    """Return recorded step -> its place in the history."""
    places = {}
    for place, step in enumerate(record):
        places[check.whole(first, last, record=step)] = place
    if len(places) < len(record):
        raise check.RefusedError("record", list(record), "different steps")
    return places


def _start_weights(recipe: Recipe, start: np.ndarray, *, models: int, resumed: bool) -> np.ndarray:
    """Return the weights (R, P) before the first step."""
    parameters = recipe.architecture.parameters
    # When training resumes, the weights may legitimately have diverged.
    if not resumed:
        check.numbers((parameters,), (models, parameters), start=start)
    return np.broadcast_to(start, (models, parameters))


def _networks_at_once(architecture: Architecture, batch_size: float, *, itemsize: int) -> int:
    """Return how many networks are trained together, so that their arrays share the cache."""
    units = sum(architecture.sizes[:-1])
    bytes_per_network = itemsize * _NUMBERS_PER_UNIT * units * (batch_size + 1)
    return max(1, int(_CACHE_BYTES / bytes_per_network))


def _steps(
    recipe: Recipe,
    weights: np.ndarray,
    examples: Examples,
    multipliers: np.ndarray,
    *,
    seed: int,
    draws: np.ndarray,
    first: int,
    last: int,
) -> Iterator[int]:
    """Update ``weights`` (R, P) in place, and yield the number of steps done, from ``first`` on.

    Args:
        recipe: Public settings.
        weights: Of each network, (R, P).
        examples: The rows that batches are drawn from.
        multipliers: Noise multiplier of each network in the first step, (R,).
        seed: Of batches and noise.
        draws: The stream of each network, (R,).
        first: First step.
        last: The step at which training stops.
    """
    streams, stream_of_network = np.unique(draws, return_inverse=True)
    gradient_sum = ClippedGradientSum(recipe.architecture, recipe.clip_norm, weights, examples)
    clip_factors = recipe.relative_clipping.tolist()
    noise_factors = (recipe.relative_noise * recipe.relative_clipping).tolist()
    noise_is_constant = recipe.noise_ramp == 1 and recipe.clip_ramp == 1
    noise_scale = (multipliers[:, None] * _bound_of_weight(recipe)).astype(weights.dtype)
    noisy = bool(multipliers.any())
    learning_rates = recipe.rates.tolist()
    expected_size = recipe.sampling_rate * len(examples)
    faulty = recipe.variant != "correct"

    all_batches = _batches(recipe, seed, streams.tolist(), len(examples), first=first, last=last)
    noise_streams = []
    if noisy:
        noise_streams = streams.tolist()
    all_noise = _noise(recipe, seed, noise_streams, weights, first=first, last=last)
    yield first
    for step, (batch, noise) in enumerate(zip(all_batches, all_noise, strict=True), first):
        members = batch[stream_of_network]
        total = gradient_sum(members, clip_factors[step])
        if noisy:
            noise = noise[stream_of_network]
            if noise_is_constant:
                noise *= noise_scale
            else:
                noise *= noise_scale * noise_factors[step]
            if faulty:
                noise = faulty_sgd.noise_of_sum(recipe.variant, noise, members)
            total += noise
        divisor = expected_size
        if faulty:
            divisor = faulty_sgd.divisor(recipe.variant, members, expected_size, weights.dtype)
        total *= learning_rates[step] / divisor
        weights -= total
        yield step + 1


def _batches(
    recipe: Recipe, seed: int, streams: list[int], rows: int, *, first: int, last: int
) -> Iterator[np.ndarray]:
    """Yield the members of each stream's batch for each step, (streams, W)."""
    rate = recipe.sampling_rate
    if recipe.variant == "shuffled":
        return faulty_sgd.shuffled_batches(
            seed, streams, rows=rows, rate=rate, first=first, last=last
        )
    if recipe.mechanism != "sampled":
        batches_per_pass = dp_ftrl.count_batches_per_pass(rate)
        return batches.ordered(
            streams, rows=rows, batches_per_pass=batches_per_pass, first=first, last=last
        )
    return batches.poisson(seed, streams, rows=rows, rate=rate, first=first, last=last)


def _noise(
    recipe: Recipe, seed: int, streams: list[int], weights: np.ndarray, *, first: int, last: int
) -> Iterator[np.ndarray]:
    """Yield noise of scale 1 for each step, (streams, P)."""
    if recipe.mechanism != "toeplitz":
        return _independent_noise(seed, streams, weights, first=first, last=last)
    batches_per_pass = dp_ftrl.count_batches_per_pass(recipe.sampling_rate)
    start_of_pass = first - first % batches_per_pass
    independent = _independent_noise(seed, streams, weights, first=start_of_pass, last=last)
    return dp_ftrl.correlated(independent, batches_per_pass=batches_per_pass, first=first)


def _independent_noise(
    seed: int, streams: list[int], weights: np.ndarray, *, first: int, last: int
) -> Iterator[np.ndarray]:
    """Yield independent noise of scale 1 for each step, (streams, P).

    Like batches, it is drawn in blocks of steps, each from its own streams.
    """
    first_block = first // batches.BLOCK
    end_block = math.ceil(last / batches.BLOCK)
    for block in range(first_block, end_block):
        first_of_block = block * batches.BLOCK
        noises = normal_steps(
            seed,
            "noise",
            streams,
            steps=min(last - first_of_block, batches.BLOCK),
            shape=weights.shape[1:],
            dtype=weights.dtype.type,
            part=block,
        )
        for step, noise in enumerate(noises, first_of_block):
            if step >= first:
                yield noise


def _bound_of_weight(recipe: Recipe) -> np.ndarray:
    """Return the clipping norm to which each weight's noise is calibrated, (P,)."""
    slices = recipe.architecture.slices
    if recipe.clip_norm is None:
        bound_of_layer = [0.0] * len(slices)
    elif isinstance(recipe.clip_norm, tuple):
        bound_of_layer = list(recipe.clip_norm)
    else:
        bound_of_layer = [recipe.clip_norm] * len(slices)
    weights_of_layer = [part.stop - part.start for part in slices]
    return np.repeat(bound_of_layer, weights_of_layer)
