"""Audit of the same training with feature bounds taken from the private rows and with public bounds.

In one data set a person's value is ordinary, in the other far outside. Public bounds clip it, so training changes by
one gradient. Bounds taken from the rows move with it, and so does the scale of *every* row.
"""

import numpy as np

from dpcore.attacks.audit import epsilon_lower_bound
from dpcore.data.toy import to_unit
from dpcore.privacy import Adjacency, LowerBound
from dpcore.training import descent, losses

WAYS = ("read off", "public")
# Claimed guarantee and training setup: logistic regression on one column of simulated ages.
EPSILON, DELTA = 1.0, 1e-5
ROWS, STEPS, CLIP_NORM, LEARNING_RATE = 400, 30, 1.0, 1.0
PUBLIC = (0.0, 100.0)
ORDINARY, OUTSIDE = 40.0, 100_000.0
# Training runs per data set, at once and in total.
AT_ONCE, RUNS = 500, 2_000
PARTS = range(RUNS // AT_ONCE)


def column(you: float) -> tuple[np.ndarray, np.ndarray]:
    """Return ages (n, 1), the last of them ``you``, and classes (n,)."""
    rng = np.random.default_rng(0)
    ages = rng.uniform(20, 90, ROWS)
    older = (ages + rng.normal(0, 10, ROWS) > 55).astype(int)
    ages[-1], older[-1] = you, 0
    return ages[:, None], older


def scaled(ages: np.ndarray, way: str) -> np.ndarray:
    """Return ages scaled to [-1, 1], (n, 1), by their own minimum and maximum or by public bounds."""
    return to_unit(ages, ((float(ages.min()), float(ages.max())) if way == "read off" else PUBLIC,))


def trained(way: str, you: float, *, first: int, count: int, sd: float) -> np.ndarray:
    """Return the weights (R, 2) of ``count`` runs of noisy gradient descent, with noise streams from ``first`` on."""
    ages, older = column(you)
    inputs, classes = losses.examples(scaled(ages, way), older)
    path = descent.noisy_gradient_descent(
        inputs,
        classes,
        n_classes=2,
        steps=STEPS,
        learning_rate=LEARNING_RATE,
        clip_norm=CLIP_NORM,
        noise_sd=sd,
        start=np.zeros((1, 2)),
        seed=0,
        draws=np.arange(first, first + count),
        clipping="per-example",
    )
    return path.weights[:, 0]


def scored(way: str, part: int, *, seed: int = 0) -> np.ndarray:
    """Return the attacker's scores (2, R) in one of ``PARTS`` of the runs, ordinary value first.

    They are the projections of the weights onto the noiseless difference of both data sets.
    """
    multiplier = descent.noise_multiplier(epsilon=EPSILON, delta=DELTA, steps=STEPS)
    sd = descent.mean_noise_sd(multiplier, clip_norm=CLIP_NORM, rows=ROWS, adjacency=Adjacency.REPLACE_ONE)
    ends = [trained(way, you, first=0, count=1, sd=0.0)[0] for you in (ORDINARY, OUTSIDE)]
    step = ends[1] - ends[0]
    base = 2 * AT_ONCE * (seed * RUNS + part)
    worlds = enumerate((ORDINARY, OUTSIDE))
    runs = [trained(way, you, first=base + world * AT_ONCE, count=AT_ONCE, sd=sd) for world, you in worlds]
    return np.stack([weights @ step / np.linalg.norm(step) for weights in runs])


def shown(scores: np.ndarray) -> LowerBound:
    """Return the lower bound, by counting, that ``scores`` (2, R) of both data sets show."""
    return epsilon_lower_bound(scores[1], scores[0], delta=DELTA, adjacency=Adjacency.REPLACE_ONE)
