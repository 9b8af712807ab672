"""Events, and what they cost by definition: delta(epsilon) of densities and of all outcomes, and
exact epsilons.
"""

import math
from collections import defaultdict

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import norm

from dpcore import accountants
from dpcore.accountants import gdp
from dpcore.privacy import Adjacency
from tests.event_builders import approximate, laplace, pure, sampled, times, together

ADD = Adjacency.ADD_REMOVE
REPLACE = Adjacency.REPLACE_ONE
# The run of the moments accountant's paper [abadi2016].
TEXTBOOK = sampled(0.01, 4.0, 10_000)
STEP_SIZE = 3e-4
Z = np.arange(-20, 25, STEP_SIZE)


def epsilon(event, accountant="gdp", *, delta=1e-5, adjacency=ADD):
    """Return the epsilon that an accountant finds for an event at ``delta``."""
    return accountants.account(
        event, delta=delta, adjacency=adjacency, accountant=accountant
    ).epsilon


def hockey_stick(p, q, epsilon):
    """Return the larger integral of (p - e^epsilon q)+ of both directions; densities over ``Z``."""
    factor = math.exp(epsilon)
    forward = np.maximum(p - factor * q, 0).sum()
    backward = np.maximum(q - factor * p, 0).sum()
    return STEP_SIZE * max(forward, backward)


def of_step(rate, multiplier, adjacency):
    """delta(epsilon) of one more contribution in a sampled sum; or of one and its opposite, half of
    the sensitivity.
    """
    ends = (0.5, -0.5)
    if adjacency is ADD:
        ends = (1, 0)
    pair = [(1 - rate) * norm.pdf(Z) + rate * norm.pdf(Z, end / multiplier) for end in ends]
    return lambda epsilon: hockey_stick(*pair, epsilon)


def of_laplace(multiplier):
    """delta(epsilon) of one Laplace release: 1 - e^((epsilon - 1/b)/2)."""
    return lambda epsilon: max(-math.expm1((epsilon - 1 / multiplier) / 2), 0.0)


def of_answers(*sizes, failing=0.0):
    """Return delta(epsilon) of randomised answers, over all their outcomes.

    sizes: the epsilon of each answer. failing: probability that an answer is the plain truth.
    """
    probability_of_loss: dict[float, float] = {0.0: 1.0}
    for size in sizes:
        truth = 1 / (1 + math.exp(-size))
        losses: dict[float, float] = defaultdict(float)
        for loss, probability in probability_of_loss.items():
            losses[round(loss + size, 9)] += probability * truth
            losses[round(loss - size, 9)] += probability * (1 - truth)
        probability_of_loss = losses
    all_randomised = (1 - failing) ** len(sizes)

    def delta(epsilon):
        """Return the mean of (1 - e^(epsilon - loss))_+, where a plain answer has an endless loss."""
        excess = 0.0
        for loss, probability in probability_of_loss.items():
            if loss > epsilon:
                excess += probability * (1 - math.exp(epsilon - loss))
        return 1 - all_randomised + all_randomised * excess

    return delta


STEPS = [(ADD, one) for one in ((0.2, 1.0), (0.5, 2.0), (0.01, 0.6), (0.9, 4.0), (0.999, 4.0))]
STEPS += [(REPLACE, one) for one in ((0.2, 1.0), (0.05, 0.35), (0.9, 2.0))]
# (event, adjacency, delta(epsilon)) where a whole curve is known.
NOISY = [(sampled(*one), adjacency, of_step(*one, adjacency)) for adjacency, one in STEPS]
NOISY += [(laplace(1.0), ADD, of_laplace(1.0)), (laplace(5.0), REPLACE, of_laplace(5.0))]
_MIXED = (times(3, pure(0.3)), times(2, pure(0.8)))
ANSWERS = [
    (pure(0.05), ADD, of_answers(0.05)),
    (pure(1.3), REPLACE, of_answers(1.3)),
    (times(100, pure(0.1)), ADD, of_answers(*[0.1] * 100)),
    (times(20, pure(3.0)), ADD, of_answers(*[3.0] * 20)),
    (times(7, approximate(0.5, 1e-4)), ADD, of_answers(*[0.5] * 7, failing=1e-4)),
    (together(*_MIXED), ADD, of_answers(0.3, 0.3, 0.3, 0.8, 0.8)),
]


def log_moment(s: np.ndarray, rate: float, sigma: float) -> np.ndarray:
    """ln E_Q[(dP/dQ)^s] at complex s of one real part, by the trapezoidal rule."""
    real, far = float(np.max(np.real(s))), float(np.max(np.abs(np.imag(s))))
    step = min(0.05, sigma / 8, 0.5 * sigma / (far + 1))
    z = np.arange(-13, real / sigma + 13, step)
    loss = np.logaddexp(math.log1p(-rate), math.log(rate) + z / sigma - 1 / (2 * sigma**2))
    exponent = real * loss + math.log(step / math.sqrt(2 * math.pi)) - z * z / 2
    top = float(np.max(exponent))
    return top + np.log(
        np.array([np.exp(exponent - top) @ np.exp(1j * t * loss) for t in np.imag(s)])
    )


def exact(rate: float, sigma: float, steps: int, delta: float) -> float:
    """Return epsilon of Poisson-sampled Gaussian releases: of one Gaussian release, by densities,
    or by ``contour``.
    """
    if rate == 1:
        return gdp.epsilon_of(delta, mu=math.sqrt(steps) / sigma)
    curve = of_step(rate, sigma, ADD)
    return (
        brentq(lambda epsilon: curve(epsilon) - delta, 0, 50)
        if steps == 1
        else contour(rate, sigma, steps, delta)
    )


def contour(rate: float, sigma: float, steps: int, delta: float) -> float:
    """Return epsilon by an integral in doubles, to about 10 digits.

    delta is E_Q[(e^L - e^epsilon)_+] for the sum L of the steps' losses, so with A(s) =
    E_Q[(dP/dQ)^s] and any c > 1 delta(epsilon) = 1/(2 pi) integral of A(c + it)^steps e^{-(c + it -
    1) epsilon} / ((c + it)(c + it - 1)) dt.
    """

    def moment(c: float) -> float:
        """Return ln E_Q[(dP/dQ)^c] of all steps together, at a real c."""
        return steps * float(np.real(log_moment(np.array([c + 0j]), rate, sigma)[0]))

    def bound(log_c: float) -> float:
        """Return an upper bound on epsilon for any real c; the least one is near the saddle point."""
        c = 1 + math.exp(log_c)
        return (moment(c) - math.log(delta * c)) / (c - 1) + math.log1p(-1 / c)

    c = 1 + math.exp(minimize_scalar(bound, bounds=(-4, 6), method="bounded").x)
    spread = 0.1 * (c - 1)
    sd = math.sqrt((moment(c - spread) + moment(c + spread) - 2 * moment(c)) / spread**2)
    step = min(0.15 / sd, (c - 1) / 8)
    s = c + 1j * np.arange(0, 60 / sd, step)
    shape = steps * log_moment(s, rate, sigma) - np.log(s * (s - 1))

    def excess(epsilon: float) -> float:
        """Return ln(d / delta), where d is the integral for delta(epsilon)."""
        exponent = shape - (s - 1) * epsilon
        top = float(np.real(exponent[0]))
        values = np.real(np.exp(exponent - top))
        return math.log(step / math.pi * (values.sum() - values[0] / 2)) + top - math.log(delta)

    high = bound(math.log(c - 1))
    return brentq(excess, max(high - 30 / (c - 1), 0), high, xtol=1e-14, rtol=1e-13)
