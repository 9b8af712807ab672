"""Cases of mechanisms whose guarantee lines ``test_guarantee_docstrings`` compares with the code.

Draws and searches are cached, because each line is compared many times, mostly with a mistake.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest import mock

import numpy as np

from dpcore.mechanisms import (
    Gaussian,
    Laplace,
    NoisyMax,
    NormExponential,
    noisy_max,
    private_bounds,
)
from dpcore.privacy import Adjacency, Event

DRAWS = 20_000


@dataclass(frozen=True, kw_only=True)
class Case:
    """A documented mechanism with arguments, and what the code does with them.

    Attributes:
        documented: The class or function whose docstring is checked.
        names: What the expressions may use beside ``VOCABULARY``.
        adjacency: The relation of this case; None if the caller declares the sensitivity.
        event: The event that the code returns; None for a bounded function without noise.
        draw_noise: Returns independent draws of the noise that the code adds, (draws, parts).
        changes: Returns the differences of the noiseless output between neighbours that a search
            finds, (pairs, parts); None if the caller declares the sensitivity.
        outcomes: Returns the probability of each outcome of a choice with each of the inputs that
            neighbours can have, (inputs, outcomes); None if noise is added.
        reached: Share of the stated sensitivity that the search must find. Less than 0.98 only for
            a bound that is not the exact maximum.
        epsilon: What the event must not exceed, at this delta; None if neither is an argument.
        norm: The norm of the sensitivity, where it does not follow from the event.
        accountant: The one that the noise was calibrated with; None for an exact one.
    """

    documented: Any
    names: dict[str, Any]
    adjacency: Adjacency | None = None
    event: Event | None = None
    draw_noise: Callable[[], np.ndarray] | None = None
    changes: Callable[[], np.ndarray] | None = None
    outcomes: Callable[[], np.ndarray] | None = None
    reached: float = 0.98
    epsilon: float | None = None
    delta: float | None = None
    norm: str | None = None
    accountant: str | None = None


def properties_of(mechanism: Any) -> dict[str, Any]:
    """Return the public attributes of a mechanism by name, without its methods."""
    names = [name for name in dir(mechanism) if not name.startswith("_")]
    values = {name: getattr(mechanism, name) for name in names}
    return {name: value for name, value in values.items() if not callable(value)}


# --- dpcore.mechanisms ----------------------------------------------------------------------------


def laplace_case() -> Case:
    """Return the case of Laplace noise."""
    mechanism = Laplace(sensitivity=2.0, epsilon=0.5)
    return Case(
        documented=Laplace,
        names=properties_of(mechanism),
        event=mechanism.event,
        draw_noise=lambda: mechanism.release(np.zeros((DRAWS, 3)), np.random.default_rng(2)),
        epsilon=mechanism.epsilon,
        delta=1e-6,
    )


def norm_exponential_case() -> Case:
    """Return the case of norm-exponential noise."""
    dimension = 4
    mechanism = NormExponential(sensitivity=2.0, epsilon=0.5)

    @cache
    def draw_noise() -> np.ndarray:
        """Return the noise on a vector of zeros, (draws, dimension)."""
        rng = np.random.default_rng(3)
        return np.array([mechanism.release(np.zeros(dimension), rng) for _ in range(DRAWS)])

    return Case(
        documented=NormExponential,
        names={**properties_of(mechanism), "dimension": dimension},
        event=mechanism.event,
        draw_noise=draw_noise,
        epsilon=mechanism.epsilon,
        delta=1e-6,
    )


class RecordingGenerator(np.random.Generator):
    """A generator that keeps the last draws of the laws that ``NoisyMax`` uses."""

    def gumbel(self, *args: Any, **kwargs: Any) -> np.ndarray:
        """Return draws of the Gumbel distribution, and keep them."""
        self.draws = super().gumbel(*args, **kwargs)
        return self.draws

    def laplace(self, *args: Any, **kwargs: Any) -> np.ndarray:
        """Return draws of the Laplace distribution, and keep them."""
        self.draws = super().laplace(*args, **kwargs)
        return self.draws


def noisy_max_case(noise: str, *, monotone: bool) -> Case:
    """Return the case of a noisy maximum, with noise "gumbel" or "laplace"."""
    mechanism = NoisyMax(sensitivity=2.0, epsilon=0.5, noise=noise, monotone=monotone)

    @cache
    def draw_noise() -> np.ndarray:
        """Winners are those of the scores with the recorded draws, so these are the noise."""
        scores = np.array([0.0, 5.0, 3.0])
        rng = RecordingGenerator(np.random.PCG64(4))
        winners = mechanism.release(scores, rng, size=DRAWS)
        np.testing.assert_array_equal(winners, (scores + rng.draws).argmax(axis=1))
        return rng.draws

    return Case(
        documented=NoisyMax,
        names=properties_of(mechanism),
        event=mechanism.event,
        draw_noise=draw_noise,
        epsilon=mechanism.epsilon,
        delta=1e-6,
    )


def noisy_winners_case() -> Case:
    """Return the case of the winner of a vote with Gaussian noise on the counts."""
    sigma = 3.0

    @cache
    def draw_noise() -> np.ndarray:
        """Return the noise on the first count, which loses while it is below minus the noise.

        The second count is 0 without noise, so bisection finds the noise on the first.
        """
        noise = np.zeros((2, DRAWS))
        noise[0] = np.random.default_rng(5).standard_normal(DRAWS)
        low = np.full(DRAWS, -100.0)
        high = np.full(DRAWS, 100.0)
        for _ in range(40):
            middle = (low + high) / 2
            counts = np.stack([middle, np.zeros(DRAWS)])
            first_wins = noisy_max.noisy_winners(counts, noise, sigma) == 0
            high = np.where(first_wins, middle, high)
            low = np.where(first_wins, low, middle)
        return -high[:, None]

    @cache
    def changes() -> np.ndarray:
        """Return differences of the counts of two parties of which one votes differently."""
        votes = np.eye(3)
        return np.array([one - other for one, other in itertools.product(votes, votes)])

    return Case(
        documented=noisy_max.noisy_winners,
        names={"COUNTS_SENSITIVITY": noisy_max.COUNTS_SENSITIVITY, "sigma": sigma},
        adjacency=Adjacency.REPLACE_ONE,
        event=noisy_max.winner_event(sigma),
        draw_noise=draw_noise,
        changes=changes,
    )


def gaussian_case() -> Case:
    """Return the case of Gaussian noise."""
    mechanism = Gaussian(sensitivity=2.0, epsilon=0.5, delta=1e-5)

    def draw_noise() -> np.ndarray:
        """Return the noise on vectors of zeros, (draws, parts)."""
        value = np.zeros((20_000, 3))
        return mechanism.release(value, np.random.default_rng(1)) - value

    return Case(
        documented=Gaussian,
        names=properties_of(mechanism),
        event=mechanism.event,
        draw_noise=draw_noise,
        epsilon=mechanism.epsilon,
        delta=mechanism.delta,
    )


def bounds_case(documented: Any, adjacency: Adjacency) -> Case:
    """Return the case of private bounds, documented by their function or by their payment."""
    epsilon = 2.0
    values = np.zeros(private_bounds.least_rows(epsilon))

    def draw_noise() -> np.ndarray:
        """Return what the release adds to the counts, (draws, bins)."""
        rng = np.random.default_rng(1)
        counts = private_bounds.histogram(values)
        with mock.patch.object(private_bounds, "outermost") as outermost:
            for _ in range(400):
                private_bounds.bounds(values, epsilon=epsilon, rng=rng)
        return np.array([call.args[0] for call in outermost.call_args_list]) - counts

    def changes() -> np.ndarray:
        """Return differences of counts whose last value differs or is absent, (pairs, bins)."""
        last_values = [[-3.0], [0.0], [1e-9], [5.0]]
        others = [[]] if adjacency is Adjacency.ADD_REMOVE else last_values
        found = []
        for one, other in itertools.product(last_values, others):
            with_one, with_other = np.append(values, one), np.append(values, other)
            found.append(private_bounds.histogram(with_one) - private_bounds.histogram(with_other))
        return np.array(found)

    return Case(
        documented=documented,
        names={"adjacency": adjacency, "epsilon": epsilon},
        adjacency=adjacency,
        event=private_bounds.Payment(epsilon=epsilon).event,
        draw_noise=draw_noise,
        changes=changes,
        epsilon=epsilon,
        delta=1e-6,
    )


CASES = {
    "Gaussian": gaussian_case(),
    "Laplace": laplace_case(),
    "NormExponential": norm_exponential_case(),
    "NoisyMax, gumbel": noisy_max_case("gumbel", monotone=False),
    "NoisyMax, gumbel, monotone": noisy_max_case("gumbel", monotone=True),
    "NoisyMax, laplace": noisy_max_case("laplace", monotone=False),
    "noisy_winners": noisy_winners_case(),
}
for relation in Adjacency:
    CASES[f"bounds, {relation}"] = bounds_case(private_bounds.bounds, relation)
    CASES[f"Payment, {relation}"] = bounds_case(private_bounds.Payment, relation)
