"""An audit of bounds that are read off the private rows, beside one of public bounds: the same training after both.

In one world somebody has a value like everybody's, in the other one far outside. Public bounds clip it, and the
training changes by one gradient. Bounds that are the rows' own move with it, and with them the scale of *every* row.
"""

from dataclasses import dataclass

import numpy as np

from dpcore.attacks.audit import epsilon_lower_bound
from dpcore.data.toy import to_unit
from dpcore.privacy import Adjacency, LowerBound
from dpcore.training import descent, losses

WAYS = ("read off", "public")
# What is claimed, and how it is trained: logistic regression on one column of made-up ages.
EPSILON, DELTA = 1.0, 1e-5
ROWS, STEPS, CLIP_NORM, LEARNING_RATE = 400, 30, 1.0, 1.0
PUBLIC = (0.0, 100.0)
ORDINARY, OUTSIDE = 40.0, 100_000.0
# Trainings of a world at once, and in all.
AT_ONCE, RUNS = 500, 2_000


def column(you: float) -> tuple[np.ndarray, np.ndarray]:
    """Ages (n, 1), the last of them yours, and classes (n,)."""
    rng = np.random.default_rng(0)
    ages = rng.uniform(20, 90, ROWS)
    older = (ages + rng.normal(0, 10, ROWS) > 55).astype(int)
    ages[-1], older[-1] = you, 0
    return ages[:, None], older


def scaled(ages: np.ndarray, way: str) -> np.ndarray:
    """Rows (n, 1) in [-1, 1]: by the lowest and highest of them, or by public bounds."""
    return to_unit(ages, ((float(ages.min()), float(ages.max())) if way == "read off" else PUBLIC,))


def trained(way: str, you: float, *, first: int, count: int, sd: float) -> np.ndarray:
    """Weights (R, 2) of noisy descents that draw the streams from ``first`` on."""
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


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Some of the trainings of one way, in both worlds, and what an attacker makes of each."""

    way: str
    part: int
    seed: int = 0

    def run(self) -> np.ndarray:
        """Scores (2, R), without you and with you far outside: along what the two worlds differ in without noise."""
        multiplier = descent.noise_multiplier(epsilon=EPSILON, delta=DELTA, steps=STEPS)
        sd = descent.mean_noise_sd(multiplier, clip_norm=CLIP_NORM, rows=ROWS, adjacency=Adjacency.REPLACE_ONE)
        ends = [trained(self.way, you, first=0, count=1, sd=0.0)[0] for you in (ORDINARY, OUTSIDE)]
        step = ends[1] - ends[0]
        base = 2 * AT_ONCE * (self.seed * RUNS + self.part)
        worlds = enumerate((ORDINARY, OUTSIDE))
        runs = [trained(self.way, you, first=base + world * AT_ONCE, count=AT_ONCE, sd=sd) for world, you in worlds]
        return np.stack([weights @ step / np.linalg.norm(step) for weights in runs])


def slices(way: str, *, seed: int = 0) -> list[Slice]:
    """All trainings of one way."""
    return [Slice(way=way, part=part, seed=seed) for part in range(RUNS // AT_ONCE)]


def shown(scores: np.ndarray) -> LowerBound:
    """What ``scores`` (2, R) of both worlds show, by counting."""
    return epsilon_lower_bound(scores[1], scores[0], delta=DELTA, adjacency=Adjacency.REPLACE_ONE)
