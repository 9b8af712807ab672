"""Events, and what they cost by definition: delta(epsilon) of pairs of densities and of all outcomes."""

import itertools
import math

import numpy as np
from scipy.stats import norm

from dpcore import accountants
from dpcore.privacy import (
    Adjacency,
    ApproximateRelease,
    Composed,
    GaussianRelease,
    LaplaceRelease,
    PoissonSampled,
    PureRelease,
    Sequence,
)

ADD, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
STEP_SIZE = 3e-4
Z = np.arange(-20, 25, STEP_SIZE)


def gaussian(multiplier):
    return GaussianRelease(noise_multiplier=multiplier)


def sampled(rate, multiplier, steps=1):
    """``steps`` samples with Gaussian noise; one is no composition."""
    one = PoissonSampled(rate=rate, event=gaussian(multiplier))
    return one if steps == 1 else Composed(event=one, count=steps)


def epsilon(event, accountant="gdp", *, delta=1e-5, adjacency=ADD):
    return accountants.account(event, delta=delta, adjacency=adjacency, accountant=accountant).epsilon


def hockey_stick(p, q, epsilon):
    """The larger integral of (p - e^epsilon q)+ of both directions; densities over ``Z``."""
    return STEP_SIZE * max(np.maximum(one - math.exp(epsilon) * other, 0).sum() for one, other in ((p, q), (q, p)))


def of_step(rate, multiplier):
    """delta(epsilon) of one more contribution in a sampled sum."""
    mixed = (1 - rate) * norm.pdf(Z) + rate * norm.pdf(Z, 1 / multiplier)
    return lambda epsilon: hockey_stick(mixed, norm.pdf(Z), epsilon)


def of_replaced(rate, multiplier):
    """delta(epsilon) of one contribution in a sampled sum, or its opposite: half of the sensitivity each."""
    pair = [(1 - rate) * norm.pdf(Z) + rate * norm.pdf(Z, side / (2 * multiplier)) for side in (1, -1)]
    return lambda epsilon: hockey_stick(*pair, epsilon)


def of_laplace(multiplier):
    """delta(epsilon) of one Laplace release: 1 - e^((epsilon - 1/b)/2)."""
    return lambda epsilon: max(-math.expm1((epsilon - 1 / multiplier) / 2), 0.0)


def of_answers(*sizes, failing=0.0):
    """delta(epsilon) of randomised response with each of these epsilons, over all outcomes; each answer may be plain
    with probability ``failing``."""
    outcomes: dict[float, float] = {0.0: 1.0}
    for size in sizes:
        found: dict[float, float] = {}
        for (loss, p), one in itertools.product(outcomes.items(), (1, -1)):
            at = round(loss + one * size, 9)
            found[at] = found.get(at, 0.0) + p / (1 + math.exp(-one * size))
        outcomes = found
    kept = (1 - failing) ** len(sizes)
    return lambda epsilon: (
        1 - kept + kept * sum(p * max(-math.expm1(epsilon - loss), 0) for loss, p in outcomes.items())
    )


# (event, adjacency, delta(epsilon)) where a whole curve is known.
NOISY = [
    (sampled(0.2, 1.0), ADD, of_step(0.2, 1.0)),
    (sampled(0.5, 2.0), ADD, of_step(0.5, 2.0)),
    (sampled(0.01, 0.6), ADD, of_step(0.01, 0.6)),
    (sampled(0.9, 4.0), ADD, of_step(0.9, 4.0)),
    (sampled(0.999, 4.0), ADD, of_step(0.999, 4.0)),
    (sampled(0.2, 1.0), REPLACE, of_replaced(0.2, 1.0)),
    (sampled(0.05, 0.35), REPLACE, of_replaced(0.05, 0.35)),
    (sampled(0.9, 2.0), REPLACE, of_replaced(0.9, 2.0)),
    (LaplaceRelease(noise_multiplier=1.0), ADD, of_laplace(1.0)),
    (LaplaceRelease(noise_multiplier=5.0), REPLACE, of_laplace(5.0)),
]
_MIXED = (Composed(event=PureRelease(epsilon=0.3), count=3), Composed(event=PureRelease(epsilon=0.8), count=2))
ANSWERS = [
    (PureRelease(epsilon=0.05), ADD, of_answers(0.05)),
    (PureRelease(epsilon=1.3), REPLACE, of_answers(1.3)),
    (Composed(event=PureRelease(epsilon=0.1), count=100), ADD, of_answers(*[0.1] * 100)),
    (Composed(event=PureRelease(epsilon=3.0), count=20), ADD, of_answers(*[3.0] * 20)),
    (Composed(event=ApproximateRelease(epsilon=0.5, delta=1e-4), count=7), ADD, of_answers(*[0.5] * 7, failing=1e-4)),
    (Sequence(events=_MIXED), ADD, of_answers(0.3, 0.3, 0.3, 0.8, 0.8)),
]
