"""Attack DP-SGD: Poisson batches, fixed orders, schedules, clipping per layer, people's rows.

The attacker knows all rows but one and sees the weights after each step. Inputs are 0, so that a
row of class 1 pulls in the same direction in every step. The other rows either are classified so
surely that their gradients are 0, or all pull the other way.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np

from benchmarks.audits.targets import AuditRun, target
from dpcore.accountants import gdp
from dpcore.training import dp_ftrl, sgd
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe

CLIP_NORM = 0.05
LEARNING_RATE = 0.01
SAMPLING_RATE = 0.2
STEPS = 40
# Rows, including the one that may be there.
ROWS = 20
# Rows beside that one if all of them pull the other way.
OPPOSED_ROWS = 50
# A network without hidden layers.
NETWORK = Architecture(sizes=(1, 2))
# Weights at which rows of class 0 are classified surely, and at which they are not.
SURE_WEIGHTS = np.array([0.0, 400.0, 0.0, -400.0])
EVEN_WEIGHTS = np.zeros(4)
# Unit vector along the gradient of a row of class 1.
PULL = np.array([0.0, 1.0, 0.0, -1.0]) / math.sqrt(2)
RECIPE = Recipe(
    architecture=NETWORK,
    learning_rate=LEARNING_RATE,
    clip_norm=CLIP_NORM,
    sampling_rate=SAMPLING_RATE,
    steps=STEPS,
)
# Of batches in a fixed order.
BATCHES_PER_PASS = 8
PASSES = 2

# Of a network with a clipping norm for each layer.
LAYER_CLIP_NORMS = (0.01, 0.02, 0.01, 0.02)
LAYER_NETWORK = Architecture(sizes=(1, 2, 2, 2, 2))
LAYER_OTHER_ROWS = 5


@cache
def _sigma(epsilon: float, delta: float, recipe: Recipe = RECIPE) -> float:
    """Return the noise multiplier that the claim needs."""
    return recipe.noise_multiplier(epsilon=epsilon, delta=delta, accountant="pld")


def _classes(present: int, rows: int = ROWS) -> np.ndarray:
    """Return the classes of rows of which the first is there, or its place is empty."""
    y = np.zeros(rows, int)
    y[0] = -1
    if present:
        y[0] = 1
    return y


def _opposed_classes(present: int, others: int = OPPOSED_ROWS) -> np.ndarray:
    """Return the classes of rows of class 0, and of one of class 1 that may be missing."""
    return np.array([0] * others + [1] * present)


def _sums(
    audit_run: AuditRun,
    y: np.ndarray,
    sigma: float,
    *,
    recipe: Recipe = RECIPE,
    start: np.ndarray = SURE_WEIGHTS,
    people: np.ndarray | None = None,
) -> np.ndarray:
    """Return noisy sums of the batches' gradients along the pull, (runs, T).

    Their unit is the clipping norm of the first step.

    Args:
        audit_run: The runs.
        y: Classes of the rows, whose inputs are 0.
        sigma: Noise multiplier.
        recipe: Of the training.
        start: Weights at the beginning.
        people: Row -> its person, if gradients are clipped by person.
    """
    units = len(y)
    if people is not None:
        units = int(people.max()) + 1
    path = sgd.train(
        recipe,
        np.zeros((len(y), 1)),
        y,
        start=start,
        people=people,
        noise_multiplier=sigma,
        seed=audit_run.noise_seed,
        draws=range(audit_run.runs),
        record=range(recipe.steps + 1),
        dtype=np.float64,
    )
    # (T, runs) to (runs, T).
    moves = (-np.diff(path.history, axis=0) @ PULL).T
    return moves * recipe.sampling_rate * units / (recipe.learning_rate * CLIP_NORM)


def _log_ratio(sums: np.ndarray, noise: float | np.ndarray, *, shift: float = 1.0) -> np.ndarray:
    """Return the log-likelihood ratio of normal sums that move with the sampling rate, (runs,).

    Args:
        sums: (runs, T).
        noise: Standard deviation, of all steps or (T,).
        shift: By how much a sum moves.
    """
    moved = np.expm1((2 * shift * sums - shift**2) / (2 * np.square(noise)))
    return np.log1p(SAMPLING_RATE * moved).sum(axis=1)


def _log_ratio_of_epochs(sums: np.ndarray, sigma: float, *, shift: float) -> np.ndarray:
    """Return the log-likelihood ratio of sums that move in exactly one step of each epoch."""
    moved = np.exp((2 * shift * sums - shift**2) / (2 * sigma**2))
    steps_of_epoch = round(1 / SAMPLING_RATE)
    # (runs, T) to (runs, epochs, steps of an epoch).
    by_epoch = moved.reshape(len(sums), -1, steps_of_epoch)
    return np.log(by_epoch.mean(axis=2)).sum(axis=1)


@target
def lots(
    audit_run: AuditRun,
    epsilon: float,
    *,
    delta: float,
    variant: str,
    factor: float = 1.0,
    others: int = OPPOSED_ROWS,
) -> np.ndarray:
    """Score the moves along one row's gradient, with that row there and without it.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        variant: A key of the recipe's variants. If it is "realised" or "shuffled", all other rows
            pull the other way. If it is "inside", there is at most one other row.
        factor: Of the noise.
        others: Number of other rows.
    """
    sigma = factor * _sigma(epsilon, delta)
    y = _opposed_classes(audit_run.canary, others)
    # The sum is divided by a constant, which does not depend on whether the row is there.
    learning_rate = LEARNING_RATE * (others + audit_run.canary) / others
    if variant == "realised":
        # The actual batch size needs no such constant.
        learning_rate = LEARNING_RATE
    recipe = replace(RECIPE, variant=variant, learning_rate=learning_rate)
    expected_others = SAMPLING_RATE * others

    if variant == "inside":
        # An empty batch has no noise at all: count how often the weights stand still.
        sums = _sums(audit_run, y, sigma, recipe=recipe, start=EVEN_WEIGHTS)
        return -(sums == 0).sum(axis=1).astype(float)
    if variant == "realised":
        sums = _sums(audit_run, y, sigma, recipe=recipe, start=EVEN_WEIGHTS)
        return _log_ratio(sums * (others / len(y)) + expected_others, sigma, shift=2)
    if variant == "shuffled":
        sums = _sums(audit_run, y, sigma, recipe=recipe, start=EVEN_WEIGHTS)
        return _log_ratio_of_epochs(sums + expected_others, sigma, shift=2)
    return _log_ratio(_sums(audit_run, y, sigma, recipe=recipe), sigma)


@target
def layers(audit_run: AuditRun, epsilon: float, *, delta: float, whole: bool = False) -> np.ndarray:
    """Take one step with a clipping norm for each layer, on a full batch with or without one row.

    Its gradient is at its bound in each layer, and the score adds the moves along all four.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        whole: Give each layer the noise of one gradient that is clipped as a whole.
    """
    sigma = math.sqrt(len(LAYER_CLIP_NORMS)) / gdp.mu_of(epsilon, delta=delta)
    if whole:
        sigma = 1 / gdp.mu_of(epsilon, delta=delta)

    def weights(present: int, noise_multiplier: float, runs: int) -> np.ndarray:
        """Return the weights (runs, P) after the step."""
        X = np.append(np.zeros(LAYER_OTHER_ROWS), np.ones(present))[:, None]
        y = _opposed_classes(present, LAYER_OTHER_ROWS)
        recipe = Recipe(
            architecture=LAYER_NETWORK,
            sampling_rate=1.0,
            steps=1,
            # The sum is divided by a constant, which does not depend on whether the row is there.
            learning_rate=float(len(y)),
            clip_norm=LAYER_CLIP_NORMS,
        )
        start = np.tile([1.0, -0.5, 0.7, 0.4, 0.9, -0.6], 4)[: LAYER_NETWORK.parameters]
        path = sgd.train(
            recipe,
            X,
            y,
            start=start,
            noise_multiplier=noise_multiplier,
            seed=audit_run.noise_seed,
            draws=range(runs),
            dtype=np.float64,
        )
        return path.weights

    weights_with = weights(1, 0.0, 1)[0]
    weights_without = weights(0, 0.0, 1)[0]
    weights_of_layers = [part.stop - part.start for part in LAYER_NETWORK.slices]
    variances = np.repeat(np.square(LAYER_CLIP_NORMS), weights_of_layers)
    axis = (weights_with - weights_without) / variances
    return (weights(audit_run.canary, sigma, audit_run.runs) - weights_without) @ axis


@target
def scheduled(
    audit_run: AuditRun,
    epsilon: float,
    *,
    delta: float,
    first: bool = False,
    noise_ramp: float = 1.0,
    clip_ramp: float = 1.0,
) -> np.ndarray:
    """Score a run whose noise or clipping norm changes with the step.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        first: Calibrate the noise as if all steps were like the first one.
        noise_ramp: Last noise over the first.
        clip_ramp: Last clipping norm over the first.
    """
    recipe = replace(RECIPE, noise_ramp=noise_ramp, clip_ramp=clip_ramp)
    sigma = _sigma(epsilon, delta, recipe)
    if first:
        sigma = _sigma(epsilon, delta)
        if clip_ramp != 1:
            # The noise stays while the clipping norm grows.
            recipe = replace(recipe, noise_ramp=1 / clip_ramp)
    sums = _sums(audit_run, _classes(audit_run.canary), sigma, recipe=recipe)
    return _log_ratio(sums / recipe.relative_clipping, sigma * recipe.relative_noise)


@target
def against(
    audit_run: AuditRun, epsilon: float, *, delta: float, fixed: bool = False
) -> np.ndarray:
    """Score a run where all other rows pull the other way.

    A row that takes another's place in a batch moves its sum twice.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        fixed: Give each batch exactly as many rows as a Poisson sample has in the mean.
    """
    sigma = _sigma(epsilon, delta)
    batch_size = SAMPLING_RATE * OPPOSED_ROWS
    if fixed:
        rng = audit_run.rng()
        share = batch_size / (OPPOSED_ROWS + audit_run.canary)
        is_inside = audit_run.canary * (rng.random((audit_run.runs, STEPS)) < share)
        noise = sigma * rng.standard_normal((audit_run.runs, STEPS))
        return _log_ratio(2 * is_inside + noise, sigma, shift=2)
    # The row that may be missing comes first.
    y = np.flip(_opposed_classes(audit_run.canary))
    sums = _sums(audit_run, y, sigma, start=EVEN_WEIGHTS)
    return _log_ratio(sums + batch_size, sigma, shift=2)


@target
def last_lot(
    audit_run: AuditRun, epsilon: float, *, delta: float, bare: bool = False
) -> np.ndarray:
    """Score the last step alone, by how near its move is to what the row would move.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        bare: Leave the noise of that step out.
    """
    sigma = _sigma(epsilon, delta)
    sigma_of_last = sigma
    if bare:
        sigma_of_last = 0.0

    def train(start: np.ndarray, noise_multiplier: float, first: int, last: int) -> np.ndarray:
        """Return the weights (runs, P) after some of the steps."""
        path = sgd.train(
            RECIPE,
            np.zeros((ROWS, 1)),
            _classes(audit_run.canary),
            start=start,
            noise_multiplier=noise_multiplier,
            seed=audit_run.noise_seed,
            draws=range(audit_run.runs),
            dtype=np.float64,
            first=first,
            last=last,
        )
        return path.weights

    before = train(SURE_WEIGHTS, sigma, 0, STEPS - 1)
    after = train(before, sigma_of_last, STEPS - 1, STEPS)
    move = (before - after) @ PULL * SAMPLING_RATE * ROWS / (LEARNING_RATE * CLIP_NORM)
    return -np.abs(move - 1)


@target
def replaced(audit_run: AuditRun, epsilon: float, *, delta: float) -> np.ndarray:
    """Score noise for a row that is there or not, where a row is replaced by an opposite one."""
    sigma = _sigma(epsilon, delta)
    rng = audit_run.rng()
    is_inside = rng.random((audit_run.runs, STEPS)) < SAMPLING_RATE
    noise = sigma * rng.standard_normal((audit_run.runs, STEPS))
    direction = 2 * audit_run.canary - 1
    sums = direction * is_inside + noise
    return _log_ratio(sums, sigma) - _log_ratio(-sums, sigma)


@target
def lots_of_people(
    audit_run: AuditRun, epsilon: float, *, delta: float, by_row: bool = False
) -> np.ndarray:
    """Score a run where one person has three rows.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        by_row: Sample and clip the rows one by one.
    """
    person_of_row = np.array([0, 0, *range(ROWS)])
    y = _classes(audit_run.canary, len(person_of_row))
    y[person_of_row == 0] = y[0]
    people = person_of_row
    if by_row:
        people = None
    sigma = _sigma(epsilon, delta)
    return _log_ratio(_sums(audit_run, y, sigma, people=people), sigma)


@target
def in_order(
    audit_run: AuditRun, epsilon: float, *, delta: float, mechanism: str, counted: str = ""
) -> np.ndarray:
    """Score batches in a fixed order by the row's own ones, with the noise's correlation undone.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        mechanism: Of the recipe: "ordered" or "toeplitz".
        counted: The mechanism that the noise is made for, if it is another one.
    """
    recipe = replace(
        RECIPE,
        sampling_rate=1 / BATCHES_PER_PASS,
        steps=BATCHES_PER_PASS * PASSES,
        mechanism=mechanism,
    )
    counted_recipe = replace(recipe, mechanism=counted or mechanism)
    sigma = counted_recipe.noise_multiplier(epsilon=epsilon, delta=delta)
    # Step -> its noise, as a combination of independent draws.
    combinations = np.eye(recipe.steps)
    if mechanism == "toeplitz":
        correlated = dp_ftrl.correlated(
            iter(np.eye(recipe.steps)), batches_per_pass=BATCHES_PER_PASS, first=0
        )
        combinations = np.array(list(correlated))
    undo = np.linalg.inv(combinations)
    moved = np.zeros(recipe.steps)
    moved[::BATCHES_PER_PASS] = 1
    y = _classes(audit_run.canary, 2 * BATCHES_PER_PASS)
    sums = _sums(audit_run, y, sigma, recipe=recipe)
    return sums @ undo.T @ (undo @ moved)
