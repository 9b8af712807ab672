"""Attack DP-SGD: Poisson batches, fixed orders, schedules, clipping per layer, people's rows.

The attacker knows all rows but one and sees the weights after each step. Inputs are 0, so that a
row of class 1 pulls in the same direction in every step. The other rows either are classified so
surely that their gradients are 0, or all pull the other way.
"""

import math
from dataclasses import replace
from functools import cache, partial

import numpy as np

from benchmarks.audits.targets import AuditRun, target
from dpcore.accountants import gdp
from dpcore.training import dp_ftrl, sgd
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe

# A network without hidden layers, the weights at which others are sure, and those at which they
# pull the other way.
_NET, _PULL = Architecture(sizes=(1, 2)), np.array([0.0, 1.0, 0.0, -1.0]) / math.sqrt(2)
_SURE, _AGAINST = np.array([0.0, 400.0, 0.0, -400.0]), np.zeros(4)
_CLIP, _RATE, _ROWS, _SAMPLED, _STEPS = 0.05, 0.01, 20, 0.2, 40
_LOTS, _PASSES = 8, 2
_RECIPE = Recipe(
    architecture=_NET, learning_rate=_RATE, clip_norm=_CLIP, sampling_rate=_SAMPLED, steps=_STEPS
)


@cache
def _sigma(epsilon: float, delta: float, recipe: Recipe = _RECIPE) -> float:
    return recipe.noise_multiplier(epsilon=epsilon, delta=delta, accountant="pld")


def _sums(
    audit_run: AuditRun,
    y: np.ndarray,
    sigma: float,
    *,
    recipe: Recipe = _RECIPE,
    start: np.ndarray = _SURE,
    people: np.ndarray | None = None,
) -> np.ndarray:
    """Return noisy sums (runs, T) of the batches along the pull, in units of the first step's
    bound.
    """
    units = len(y) if people is None else int(people.max()) + 1
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
    return (
        (-np.diff(path.history, axis=0) @ _PULL).T
        * recipe.sampling_rate
        * units
        / (recipe.learning_rate * _CLIP)
    )


def _ratio(sums: np.ndarray, noise: float | np.ndarray, *, shift: float = 1.0) -> np.ndarray:
    """Return the log-likelihood ratio (runs,) of sums with normal noise, moved by ``shift`` with
    the sampling rate.
    """
    moved = np.expm1((2 * shift * sums - shift**2) / (2 * np.square(noise)))
    return np.log1p(_SAMPLED * moved).sum(axis=1)


def _one(present: int, rows: int = _ROWS) -> np.ndarray:
    """Return the answers of rows of which the first is there, or its place is empty."""
    return np.array([1 if present else -1] + [0] * (rows - 1))


@target
def lots(
    audit_run: AuditRun,
    epsilon: float,
    *,
    delta: float,
    variant: str,
    factor: float = 1.0,
    others: int = 50,
) -> np.ndarray:
    """Score the moves along one row's gradient with that row there and without it.

    Where the variant is "realised" or "shuffled", all other rows pull the other way.
    """
    sigma, against = factor * _sigma(epsilon, delta), variant in ("realised", "shuffled")
    start = _AGAINST if against or others == 1 else _SURE
    # Divided by a constant, which does not know who is there; the actual batch size needs none.
    rate = _RATE if variant == "realised" else _RATE * (others + audit_run.canary) / others
    recipe, y = (
        replace(_RECIPE, variant=variant, learning_rate=rate),
        np.array([0] * others + [1] * audit_run.canary),
    )
    sums = _sums(audit_run, y, sigma, recipe=recipe, start=start)
    if (
        variant == "inside"
    ):  # an empty batch has no noise at all: how often do the weights stand still?
        return -(sums == 0).sum(axis=1).astype(float)
    if variant == "realised":
        sums *= others / len(y)
    if variant == "shuffled":
        return _once(sums + _SAMPLED * others, sigma, shift=2)
    return _ratio(sums + _SAMPLED * others, sigma, shift=2) if against else _ratio(sums, sigma)


def _once(sums: np.ndarray, sigma: float, *, shift: float) -> np.ndarray:
    """Return the log-likelihood ratio (runs,) of sums that are moved in exactly one step of each
    epoch.
    """
    moved = np.exp((2 * shift * sums - shift**2) / (2 * sigma**2))
    return np.log(moved.reshape(len(sums), -1, round(1 / _SAMPLED)).mean(axis=2)).sum(axis=1)


@target
def layers(audit_run: AuditRun, epsilon: float, *, delta: float, whole: bool = False) -> np.ndarray:
    """Take one step of a network with a clip bound for each of four layers, on a full batch with or
    without one row.

    Its gradient is at its bound in each layer, and the score adds the moves along all four. whole:
    each layer has the noise that one gradient clipped as a whole would need.
    """
    bounds, others = (0.01, 0.02, 0.01, 0.02), 5
    net = Architecture(sizes=(1, 2, 2, 2, 2))
    start = np.tile([1.0, -0.5, 0.7, 0.4, 0.9, -0.6], 4)[: net.parameters]
    sigma = (1 if whole else math.sqrt(len(bounds))) / gdp.mu_of(epsilon, delta=delta)

    def weights(present: int, noise: float, runs: int) -> np.ndarray:
        X, y = (
            np.append(np.zeros(others), np.ones(present))[:, None],
            np.array([0] * others + [1] * present),
        )
        # The sum is divided by a constant, which does not know who is there.
        recipe = Recipe(
            architecture=net,
            sampling_rate=1.0,
            steps=1,
            learning_rate=float(len(y)),
            clip_norm=bounds,
        )
        run = partial(
            sgd.train, recipe, X, y, start=start, seed=audit_run.noise_seed, dtype=np.float64
        )
        return run(noise_multiplier=noise, draws=range(runs)).weights

    there, away = (weights(present, 0.0, 1)[0] for present in (1, 0))
    axis = (there - away) / np.repeat(
        np.square(bounds), [cut.stop - cut.start for cut in net.slices]
    )
    return (weights(audit_run.canary, sigma, audit_run.runs) - away) @ axis


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
    """Score a run whose noise or bound changes with the step. first: the noise is made as in the
    first step.
    """
    recipe = replace(_RECIPE, noise_ramp=noise_ramp, clip_ramp=clip_ramp)
    sigma = _sigma(epsilon, delta, _RECIPE if first else recipe)
    if first and clip_ramp != 1:
        recipe = replace(recipe, noise_ramp=1 / clip_ramp)
    sums = _sums(audit_run, _one(audit_run.canary), sigma, recipe=recipe)
    return _ratio(sums / recipe.relative_clipping, sigma * recipe.relative_noise)


@target
def against(
    audit_run: AuditRun, epsilon: float, *, delta: float, fixed: bool = False
) -> np.ndarray:
    """Score a run where all other rows pull the other way: a row who takes another's place in a
    batch moves it twice.

    fixed: each batch has exactly as many rows as a Poisson sample has in the mean.
    """
    sigma, rows = _sigma(epsilon, delta), 50
    size = _SAMPLED * rows
    if fixed:
        rng = audit_run.rng()
        inside = audit_run.canary * (
            rng.random((audit_run.runs, _STEPS)) < size / (rows + audit_run.canary)
        )
        return _ratio(
            2 * inside + sigma * rng.standard_normal((audit_run.runs, _STEPS)), sigma, shift=2
        )
    y = np.array([1] * audit_run.canary + [0] * rows)
    return _ratio(_sums(audit_run, y, sigma, start=_AGAINST) + size, sigma, shift=2)


@target
def last_lot(
    audit_run: AuditRun, epsilon: float, *, delta: float, bare: bool = False
) -> np.ndarray:
    """Score the last step alone: how near is what it moves to what the row would? bare: that step
    has no noise.
    """
    sigma, rows = _sigma(epsilon, delta), (np.zeros((_ROWS, 1)), _one(audit_run.canary))
    run = partial(
        sgd.train,
        _RECIPE,
        *rows,
        seed=audit_run.noise_seed,
        draws=range(audit_run.runs),
        dtype=np.float64,
    )
    before = run(start=_SURE, noise_multiplier=sigma, last=_STEPS - 1).weights
    after = run(
        start=before, noise_multiplier=0.0 if bare else sigma, first=_STEPS - 1, last=_STEPS
    ).weights
    return -np.abs((before - after) @ _PULL * _SAMPLED * _ROWS / (_RATE * _CLIP) - 1)


@target
def replaced(audit_run: AuditRun, epsilon: float, *, delta: float) -> np.ndarray:
    """Score noise for a row that is there or not, where one is replaced by a row that pulls the
    other way.
    """
    sigma, rng = _sigma(epsilon, delta), audit_run.rng()
    inside = rng.random((audit_run.runs, _STEPS)) < _SAMPLED
    sums = (2 * audit_run.canary - 1) * inside + sigma * rng.standard_normal(
        (audit_run.runs, _STEPS)
    )
    return _ratio(sums, sigma) - _ratio(-sums, sigma)


@target
def lots_of_people(
    audit_run: AuditRun, epsilon: float, *, delta: float, by_row: bool = False
) -> np.ndarray:
    """Score a run where one person has three rows. by_row: rows are sampled and clipped one
    by one.
    """
    sigma, people = _sigma(epsilon, delta), np.concatenate([[0, 0, 0], np.arange(1, _ROWS)])
    y = _one(audit_run.canary, len(people))
    y[:3] = y[0]
    return _ratio(_sums(audit_run, y, sigma, people=None if by_row else people), sigma)


@target
def in_order(
    audit_run: AuditRun, epsilon: float, *, delta: float, mechanism: str, counted: str = ""
) -> np.ndarray:
    """Score batches in a fixed order: what the row's own ones move, with the correlation of the
    noise undone.

    counted: the mechanism that the noise is made for.
    """
    recipe = replace(_RECIPE, sampling_rate=1 / _LOTS, steps=_LOTS * _PASSES, mechanism=mechanism)
    sigma = replace(recipe, mechanism=counted or mechanism).noise_multiplier(
        epsilon=epsilon, delta=delta
    )
    mixed = unit = np.eye(recipe.steps)
    if mechanism == "toeplitz":
        mixed = np.array(list(dp_ftrl.correlated(iter(unit), batches_per_pass=_LOTS, first=0)))
    undo, moved = np.linalg.inv(mixed), np.zeros(recipe.steps)
    moved[::_LOTS] = 1
    sums = _sums(audit_run, _one(audit_run.canary, 2 * _LOTS), sigma, recipe=recipe)
    return sums @ undo.T @ (undo @ moved)
