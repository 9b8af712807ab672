"""Attack noisy gradient descent of linear classifiers after one row or one person is replaced."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.audits.targets import AuditRun, target
from dpcore.attacks import replay
from dpcore.mechanisms import classical_noise_multiplier
from dpcore.privacy import Adjacency
from dpcore.training import descent

_CLIP = 0.05
# Of the classifier: the number of rows, and the last one, which is long.
_ROWS = 400
_CANARY = np.array([20.0, 20.0, 1.0])
# The person of each row, of whom the first has three.
_WHOSE = np.array([0, 0, 0, *range(1, 8)])
_PEOPLE = 8
# Draws of the world with the canary begin here: the two worlds have noise of their own.
_APART = 1_000_000


def _noise_sd(epsilon: float, *, delta: float, steps: int, units: int) -> float:
    return _mean_sd(descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=steps), units)


def _mean_sd(multiplier: float, units: int) -> float:
    return float(
        descent.mean_noise_sd(
            multiplier, clip_norm=_CLIP, rows=units, adjacency=Adjacency.REPLACE_ONE
        )
    )


def _trained(
    X: np.ndarray,
    y: np.ndarray,
    *,
    rate: float,
    sd: float,
    draws: Sequence[int] | np.ndarray,
    **more: Any,
) -> descent.Path:
    return descent.noisy_gradient_descent(
        X,
        y,
        learning_rate=rate,
        clip_norm=_CLIP,
        noise_sd=sd,
        draws=draws,
        **{"n_classes": 2, **more},
    )


Rows = tuple[np.ndarray, np.ndarray]


def _classifier_rows(canary: int, *, filtered: bool = False) -> Rows:
    """Return inputs and classes, with one long row of the class ``canary``.

    filtered: rows beyond the public bounds are left out before the training, and so is the canary.
    """
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-1, 1, size=(_ROWS, 2)), np.ones(_ROWS)])
    y = (X[:, 0] + 0.3 * rng.normal(size=_ROWS) > 0).astype(int)
    X[-1] = _CANARY
    y[-1] = canary
    if filtered:
        kept = np.abs(X).max(axis=1) <= 1
        return X[kept], y[kept]
    return X, y


def classifier_replay(
    epsilon: float,
    *,
    delta: float,
    rule: descent.Clipping = "per-example",
    noise: float = 1.0,
    published: bool = False,
    filtered: bool = False,
) -> float:
    """Return how far the long row moves the first mean gradient, in parts of what its noise is
    made for.
    """
    declared = _mean_sd(noise or 1.0, _ROWS)
    sd = noise * _noise_sd(epsilon, delta=delta, steps=1, units=_ROWS)

    def gradient(rows: Rows, seed: int) -> np.ndarray:
        how = {"steps": 1, "start": np.zeros((1, 3)), "seed": seed, "dtype": np.float64}
        path = _trained(*rows, rate=1.0, sd=sd, draws=[0], clipping=rule, **how)
        return path.weights

    worlds = [_classifier_rows(canary, filtered=filtered) for canary in (1, 0)]
    return replay.replayed_move(gradient, *worlds, seed=0) / declared


@target
def classifier(
    audit_run: AuditRun,
    epsilon: float,
    *,
    delta: float,
    rule: descent.Clipping = "per-example",
    noise: float = 1.0,
    published: bool = False,
    steps: int = 30,
    filtered: bool = False,
) -> np.ndarray:
    """Score the final weights along the gradient of one long row, of one class and of the other."""
    X, y = _classifier_rows(audit_run.canary, filtered=filtered)
    sd = noise * _noise_sd(epsilon, delta=delta, steps=steps, units=_ROWS)
    if published:
        sd = noise * _mean_sd(
            classical_noise_multiplier(epsilon, delta=delta) * math.sqrt(steps), _ROWS
        )
    draws = (
        np.arange(audit_run.runs) + _APART * audit_run.draw
        if noise
        else np.zeros(audit_run.runs, int)
    )
    how = {"steps": steps, "start": np.zeros((1, 3)), "seed": audit_run.seed, "clipping": rule}
    path = _trained(X, y, rate=0.02, sd=sd, draws=draws, **how)
    return path.weights[:, 0] @ (_CANARY / np.linalg.norm(_CANARY))


@target
def softmax(
    audit_run: AuditRun, epsilon: float, *, delta: float, one_draw: bool = False
) -> np.ndarray:
    """Score the final weights with three classes: one long row x, or -x, whose gradients are
    opposite.

    All other rows are 0. one_draw: each step's noise is one number for all coordinates of the
    gradient.
    """
    rows, steps, rate = 10, 10, 0.02
    sd = _noise_sd(epsilon, delta=delta, steps=steps, units=rows)
    X, rng, weights = np.zeros((rows, 1)), audit_run.rng(), np.zeros((audit_run.runs, 3, 1))
    X[-1] = 20.0 if audit_run.canary else -20.0
    draws = np.arange(audit_run.runs) + _APART * audit_run.draw
    run = partial(
        _trained, X, np.zeros(rows, int), rate=rate, draws=draws, seed=audit_run.seed, n_classes=3
    )
    if not one_draw:
        weights = run(sd=sd, steps=steps, start=weights, dtype=np.float32).weights
    for _ in range(steps if one_draw else 0):
        weights = run(sd=0.0, steps=1, start=weights, dtype=np.float64).weights
        weights = weights - rate * sd * rng.normal(size=(audit_run.runs, 1, 1))
    return weights[..., 0] @ (np.array([2.0, -1.0, -1.0]) / math.sqrt(6))


@target
def people(
    audit_run: AuditRun, epsilon: float, *, delta: float, by_row: bool = False
) -> np.ndarray:
    """Score a descent where one person has three rows, all replaced. by_row: they are clipped one
    by one.
    """
    steps = 5
    units = len(_WHOSE) if by_row else _PEOPLE
    sd = _noise_sd(epsilon, delta=delta, steps=steps, units=units)
    path = _trained_people(
        audit_run.canary,
        by_row=by_row,
        rate=1e-3,
        sd=sd,
        draws=range(audit_run.runs),
        steps=steps,
        seed=audit_run.noise_seed,
    )
    return path.weights[:, 0, 0]


def _trained_people(canary: int, *, by_row: bool, **more: Any) -> descent.Path:
    """Train on the rows of people of whom the first has three long rows of the class ``canary``."""
    X = np.zeros((len(_WHOSE), 1))
    X[_WHOSE == 0] = 20.0
    y = np.where(_WHOSE == 0, canary, 0)
    people = None if by_row else _WHOSE
    return _trained(X, y, people=people, start=np.zeros((1, 1)), dtype=np.float64, **more)


def people_replay(epsilon: float, *, delta: float, by_row: bool = False) -> float:
    """Return how far the rows of a person move the first mean gradient, in parts of what its noise
    is made for.
    """
    units = len(_WHOSE) if by_row else _PEOPLE
    sd = _noise_sd(epsilon, delta=delta, steps=1, units=units)

    def gradient(canary: int, seed: int) -> np.ndarray:
        more = {"rate": 1.0, "sd": sd, "draws": [0], "steps": 1, "seed": seed}
        return _trained_people(canary, by_row=by_row, **more).weights

    return replay.replayed_move(gradient, 1, 0, seed=0) / _mean_sd(1.0, units)


@target
def seen(
    audit_run: AuditRun, epsilon: float, *, delta: float, attack: str, broken: bool = False
) -> np.ndarray:
    """Score two steps, each seen, of one row that is replaced by another: which of them explains
    more?

    attack: "pair" looks at the difference of both steps, where noise that serves for both cancels;
        "last" at the second
    step alone. broken: one draw serves for both steps; or the last step has no noise.
    """
    rows, rate, steps = 10, 0.5, 2
    sd = _noise_sd(epsilon, delta=delta, steps=steps, units=rows)
    canaries = np.array([[0.08, 0.0], [0.0, 0.08]])
    X, y = np.vstack([canaries[audit_run.canary], np.zeros((rows - 1, 2))]), np.ones(rows, int)
    run = partial(
        _trained,
        X,
        y,
        rate=rate,
        draws=range(audit_run.runs),
        seed=audit_run.noise_seed,
        dtype=np.float64,
    )
    start, noise = (
        np.zeros((audit_run.runs, 1, 2)),
        sd * audit_run.rng().standard_normal((audit_run.runs, 1, 2)),
    )
    if broken:
        middle = run(sd=0.0, steps=1, start=start).weights - rate * noise
        end = run(sd=0.0, steps=1, start=middle).weights - rate * (0 if attack == "last" else noise)
        path = np.array([start, middle, end])
    else:
        path = run(sd=sd, steps=steps, start=start, record=range(steps + 1)).history
    first, second, third = path[:, :, 0]
    moves, off = ((first - second) / rate, (second - third) / rate), []
    for canary in canaries:
        residuals = [1 / (1 + np.exp(-at @ canary)) - 1 for at in (first, second)]
        left = [
            move - residual[:, None] * canary / rows
            for move, residual in zip(moves, residuals, strict=True)
        ]
        off.append(np.linalg.norm(left[1] - left[0] if attack == "pair" else left[1], axis=1))
    return np.log(off[0] + 1e-12) - np.log(off[1] + 1e-12)
