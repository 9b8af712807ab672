"""Attack noisy gradient descent of linear classifiers after one row or one person is replaced."""

import math
from typing import Any, NamedTuple

import numpy as np

from benchmarks.audits.targets import AuditRun, target
from dpcore.attacks import replay
from dpcore.mechanisms import classical_noise_multiplier
from dpcore.privacy import Adjacency
from dpcore.training import descent

CLIP_NORM = 0.05
# Draws with the canary begin here, so that the two data sets have noise of their own.
DRAWS_APART = 1_000_000

# Of the classifier: number of rows, last row, whose features are long, and learning rate.
ROWS = 400
CANARY = np.array([20.0, 20.0, 1.0])
CLASSIFIER_RATE = 0.02

# With three classes: number of rows, steps, and the input of the last row or its negative.
SOFTMAX_ROWS = 10
SOFTMAX_STEPS = 10
SOFTMAX_INPUT = 20.0
SOFTMAX_RATE = 0.02

# Row -> its person, of whom the first has three rows with this input.
PERSON_OF_ROW = np.array([0, 0, 0, *range(1, 8)])
PEOPLE = 8
PERSON_INPUT = 20.0
PEOPLE_STEPS = 5

# Of two steps that are seen: number of rows, and the first row in both data sets.
SEEN_ROWS = 10
SEEN_RATE = 0.5
SEEN_CANARIES = np.array([[0.08, 0.0], [0.0, 0.08]])
# Keeps the logarithm of a length finite.
LEAST_LENGTH = 1e-12


class Rows(NamedTuple):
    """Inputs (n, p) and classes (n,)."""

    X: np.ndarray
    y: np.ndarray


def _noise_sd(epsilon: float, *, delta: float, steps: int, units: int) -> float:
    """Return the standard deviation of the noise on the mean gradient that the claim needs."""
    multiplier = descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=steps)
    return _sd_of_multiplier(multiplier, units)


def _sd_of_multiplier(multiplier: float, units: int) -> float:
    """Return the standard deviation of the noise on the mean gradient."""
    sd = descent.mean_noise_sd(
        multiplier, clip_norm=CLIP_NORM, rows=units, adjacency=Adjacency.REPLACE_ONE
    )
    return float(sd)


def _classifier_rows(canary: int, *, filtered: bool = False) -> Rows:
    """Return rows of which the last is long and has the class ``canary``.

    Args:
        canary: 0 or 1.
        filtered: Leave out the rows beyond the public bounds before the training, and with them the
            canary.
    """
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-1, 1, size=(ROWS, 2)), np.ones(ROWS)])
    y = (X[:, 0] + 0.3 * rng.normal(size=ROWS) > 0).astype(int)
    X[-1] = CANARY
    y[-1] = canary
    if filtered:
        is_kept = np.abs(X).max(axis=1) <= 1
        return Rows(X[is_kept], y[is_kept])
    return Rows(X, y)


def classifier_replay(
    epsilon: float,
    *,
    delta: float,
    rule: descent.Clipping = "per-example",
    noise: float = 1.0,
    published: bool = False,
    filtered: bool = False,
) -> float:
    """Return how far the long row moves the first mean gradient over what its noise is made for.

    The arguments are those of ``classifier``. The published calibration changes only the noise,
    which both runs share.
    """
    declared = _sd_of_multiplier(1.0, ROWS)
    if noise > 0:
        declared = _sd_of_multiplier(noise, ROWS)
    sd = noise * _noise_sd(epsilon, delta=delta, steps=1, units=ROWS)

    def release(rows: Rows, seed: int) -> np.ndarray:
        path = descent.noisy_gradient_descent(
            rows.X,
            rows.y,
            n_classes=2,
            steps=1,
            learning_rate=1.0,
            clip_norm=CLIP_NORM,
            clipping=rule,
            noise_sd=sd,
            start=np.zeros((1, 3)),
            seed=seed,
            draws=[0],
            dtype=np.float64,
        )
        return path.weights

    rows_with = _classifier_rows(1, filtered=filtered)
    rows_without = _classifier_rows(0, filtered=filtered)
    return replay.replayed_move(release, rows_with, rows_without, seed=0) / declared


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
    """Score the final weights along the gradient of one long row, whose class is replaced.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        rule: What is clipped.
        noise: Share of the noise that the claim needs.
        published: Calibrate the noise as published.
        steps: Of the descent.
        filtered: As of ``_classifier_rows``.
    """
    rows = _classifier_rows(audit_run.canary, filtered=filtered)
    sd = noise * _noise_sd(epsilon, delta=delta, steps=steps, units=ROWS)
    if published:
        multiplier = classical_noise_multiplier(epsilon, delta=delta) * math.sqrt(steps)
        sd = noise * _sd_of_multiplier(multiplier, ROWS)
    # Without noise all runs are the same one, which is trained once.
    draws = np.zeros(audit_run.runs, int)
    if noise > 0:
        draws = np.arange(audit_run.runs) + DRAWS_APART * audit_run.draw
    path = descent.noisy_gradient_descent(
        rows.X,
        rows.y,
        n_classes=2,
        steps=steps,
        learning_rate=CLASSIFIER_RATE,
        clip_norm=CLIP_NORM,
        clipping=rule,
        noise_sd=sd,
        start=np.zeros((1, 3)),
        seed=audit_run.seed,
        draws=draws,
    )
    return path.weights[:, 0] @ (CANARY / np.linalg.norm(CANARY))


@target
def softmax(
    audit_run: AuditRun, epsilon: float, *, delta: float, one_draw: bool = False
) -> np.ndarray:
    """Score the final weights of three classes: one long row x, or -x, with opposite gradients.

    All other rows are 0.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        one_draw: Use one number as each step's noise for all coordinates of the gradient.
    """
    sd = _noise_sd(epsilon, delta=delta, steps=SOFTMAX_STEPS, units=SOFTMAX_ROWS)
    X = np.zeros((SOFTMAX_ROWS, 1))
    X[-1] = -SOFTMAX_INPUT
    if audit_run.canary:
        X[-1] = SOFTMAX_INPUT

    def train(start: np.ndarray, *, steps: int, noise_sd: float, dtype: type) -> np.ndarray:
        """Return the weights (runs, 3, 1) after some steps."""
        path = descent.noisy_gradient_descent(
            X,
            np.zeros(SOFTMAX_ROWS, int),
            n_classes=3,
            steps=steps,
            learning_rate=SOFTMAX_RATE,
            clip_norm=CLIP_NORM,
            noise_sd=noise_sd,
            start=start,
            seed=audit_run.seed,
            draws=np.arange(audit_run.runs) + DRAWS_APART * audit_run.draw,
            dtype=dtype,
        )
        return path.weights

    weights = np.zeros((audit_run.runs, 3, 1))
    if one_draw:
        rng = audit_run.rng()
        for _ in range(SOFTMAX_STEPS):
            weights = train(weights, steps=1, noise_sd=0.0, dtype=np.float64)
            noise = SOFTMAX_RATE * sd * rng.normal(size=(audit_run.runs, 1, 1))
            weights = weights - noise
    else:
        weights = train(weights, steps=SOFTMAX_STEPS, noise_sd=sd, dtype=np.float32)
    return weights[..., 0] @ (np.array([2.0, -1.0, -1.0]) / math.sqrt(6))


@target
def people(
    audit_run: AuditRun, epsilon: float, *, delta: float, by_row: bool = False
) -> np.ndarray:
    """Score a descent where one person has three rows, all replaced.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        by_row: Clip the rows one by one.
    """
    sd = _noise_sd(epsilon, delta=delta, steps=PEOPLE_STEPS, units=_people_units(by_row))
    path = _train_people(
        audit_run.canary,
        by_row=by_row,
        learning_rate=1e-3,
        noise_sd=sd,
        draws=range(audit_run.runs),
        steps=PEOPLE_STEPS,
        seed=audit_run.noise_seed,
    )
    return path.weights[:, 0, 0]


def people_replay(epsilon: float, *, delta: float, by_row: bool = False) -> float:
    """Return how far a person's rows move the first mean gradient over what its noise is made for.

    The arguments are those of ``people``.
    """
    units = _people_units(by_row)
    sd = _noise_sd(epsilon, delta=delta, steps=1, units=units)

    def release(canary: int, seed: int) -> np.ndarray:
        path = _train_people(
            canary,
            by_row=by_row,
            learning_rate=1.0,
            noise_sd=sd,
            draws=[0],
            steps=1,
            seed=seed,
        )
        return path.weights

    return replay.replayed_move(release, 1, 0, seed=0) / _sd_of_multiplier(1.0, units)


def _people_units(by_row: bool) -> int:
    """Return the number of rows or of people, over which the mean gradient is taken."""
    if by_row:
        return len(PERSON_OF_ROW)
    return PEOPLE


def _train_people(canary: int, *, by_row: bool, **options: Any) -> descent.Path:
    """Train on the rows of people of whom the first has three long rows of the class ``canary``."""
    is_of_first = PERSON_OF_ROW == 0
    people_of_rows = PERSON_OF_ROW
    if by_row:
        people_of_rows = None
    return descent.noisy_gradient_descent(
        np.where(is_of_first, PERSON_INPUT, 0.0)[:, None],
        np.where(is_of_first, canary, 0),
        n_classes=2,
        people=people_of_rows,
        clip_norm=CLIP_NORM,
        start=np.zeros((1, 1)),
        dtype=np.float64,
        **options,
    )


@target
def seen(
    audit_run: AuditRun, epsilon: float, *, delta: float, attack: str, broken: bool = False
) -> np.ndarray:
    """Score two steps, each of which is seen, by which of two possible first rows explains more.

    Args:
        audit_run: The runs.
        epsilon: Claimed.
        delta: Claimed.
        attack: "pair" for the difference of both steps, where noise that serves for both cancels,
            or "last" for the second step alone.
        broken: Use one draw for both steps, or no noise in the last one.
    """
    sd = _noise_sd(epsilon, delta=delta, steps=2, units=SEEN_ROWS)
    X = np.zeros((SEEN_ROWS, 2))
    X[0] = SEEN_CANARIES[audit_run.canary]
    start = np.zeros((audit_run.runs, 1, 2))

    def train(start: np.ndarray, *, steps: int, noise_sd: float, **options: Any) -> descent.Path:
        return descent.noisy_gradient_descent(
            X,
            np.ones(SEEN_ROWS, int),
            n_classes=2,
            steps=steps,
            learning_rate=SEEN_RATE,
            clip_norm=CLIP_NORM,
            noise_sd=noise_sd,
            start=start,
            seed=audit_run.noise_seed,
            draws=range(audit_run.runs),
            dtype=np.float64,
            **options,
        )

    if broken:
        noise = sd * audit_run.rng().standard_normal(start.shape)
        middle = train(start, steps=1, noise_sd=0.0).weights - SEEN_RATE * noise
        end = train(middle, steps=1, noise_sd=0.0).weights
        if attack == "pair":
            end = end - SEEN_RATE * noise
        path = np.array([start, middle, end])
    else:
        path = train(start, steps=2, noise_sd=sd, record=range(3)).history

    # (3, runs, 1, 2) to (3, runs, 2).
    first, second, third = path[:, :, 0]
    lengths = []
    for canary in SEEN_CANARIES:
        left_of_first = _unexplained(first, second, canary)
        left_of_second = _unexplained(second, third, canary)
        left = left_of_second
        if attack == "pair":
            left = left_of_second - left_of_first
        lengths.append(np.linalg.norm(left, axis=1) + LEAST_LENGTH)
    without_canary, with_canary = lengths
    return np.log(without_canary) - np.log(with_canary)


def _unexplained(before: np.ndarray, after: np.ndarray, canary: np.ndarray) -> np.ndarray:
    """Return the part of a step's mean gradient that is not that of the first row.

    Args:
        before: Weights (runs, 2).
        after: Weights (runs, 2) after the step.
        canary: Features (2,) of the first row, whose class is 1.
    """
    gradient = (before - after) / SEEN_RATE
    residuals = 1 / (1 + np.exp(-before @ canary)) - 1
    return gradient - residuals[:, None] * canary / SEEN_ROWS
