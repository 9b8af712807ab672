"""Versions of the classifier's mechanism, and their claimed and true guarantees.

The published version and the published results are those of [hoseinpour2023].
"""

import math
from dataclasses import dataclass, replace
from typing import Protocol

from dpcore import accountants, mechanisms
from dpcore.accountants import gdp
from dpcore.privacy import (
    Adjacency,
    Composed,
    GaussianRelease,
    Guarantee,
    PureRelease,
    after,
    public_count,
)
from dpcore.training import descent, losses
from lab.data import classification as data

VERSIONS = {
    "correct": "each person's gradient clipped, noise calibrated exactly",
    "published": "as published: the average gradient clipped, textbook noise",
    "none": "no privacy: no clipping, no noise",
}
# Version -> clipping of its descent (``dpcore.training.descent``).
CLIPPING: dict[str, descent.Clipping] = {
    "correct": "per-example",
    "published": "average",
    "none": "none",
}
# Table of the slides: epsilon -> accuracy in % without and with pre-training, and the printed gain.
PUBLISHED = {
    0.01: (29.75, 29.75, 0.0),
    0.05: (33.00, 33.50, 0.5),
    0.1: (40.25, 41.25, 1.25),
    0.5: (53.25, 60.00, 7.25),
    1.0: (60.25, 70.50, 10.25),
    5.0: (66.25, 77.25, 11.0),
    10.0: (66.50, 77.50, 11.0),
    15.0: (67.00, 77.50, 10.5),
    150.0: (67.50, 78.00, 11.5),
}
EPSILONS = tuple(PUBLISHED)
# Differences of printed numbers that are smaller come from rounding.
_ROUNDING = 1e-9


class Recipe(Protocol):
    """Settings that determine the noise of a version up to epsilon.

    They are the version, rows n, steps T, clipping norm C, delta and adjacency.
    """

    @property
    def version(self) -> str: ...
    @property
    def delta(self) -> float: ...
    @property
    def clip_norm(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def adjacency(self) -> str: ...
    @property
    def rows(self) -> int: ...


class Claim(Recipe, Protocol):
    """Such settings with a data set and a claimed epsilon."""

    @property
    def dataset(self) -> str: ...
    @property
    def epsilon(self) -> float: ...


def misprinted_gains() -> tuple[float, ...]:
    """Return the epsilons whose printed gain is not the difference of the printed accuracies."""
    epsilons = []
    for epsilon, (without, with_pretraining, gain) in PUBLISHED.items():
        if abs(with_pretraining - without - gain) > _ROUNDING:
            epsilons.append(epsilon)
    return tuple(epsilons)


def noise_sd(recipe: Recipe, epsilon: float) -> float:
    """Return the standard deviation of the noise per coordinate of the mean gradient.

    "correct" calibrates it by exact Gaussian composition. "published" uses
    (2C / (n epsilon)) sqrt(2 T ln(1.25/delta)) [hoseinpour2023].
    """
    if recipe.version == "correct":
        multiplier = descent.noise_multiplier(
            epsilon=epsilon, delta=recipe.delta, steps=recipe.steps
        )
        return descent.mean_noise_sd(
            multiplier,
            clip_norm=recipe.clip_norm,
            rows=recipe.rows,
            adjacency=Adjacency(recipe.adjacency),
        )
    if recipe.version == "published":
        one_step = mechanisms.classical_noise_multiplier(epsilon, delta=recipe.delta)
        return 2 * recipe.clip_norm / recipe.rows * math.sqrt(recipe.steps) * one_step
    return 0.0


@dataclass(frozen=True, kw_only=True)
class Guarantees:
    """Claimed and true guarantees of one version.

    The last three differ from the claim in the published version only.

    Attributes:
        claimed: Epsilon as set.
        holds: Whether this version satisfies the claim.
        formula: Guarantee of the noise if each person's gradient were clipped.
        bounded: Guarantee for rows within their public bounds.
        unbounded: Guarantee if nothing bounds a row.
    """

    claimed: float
    holds: bool
    formula: Guarantee
    bounded: Guarantee
    unbounded: Guarantee


def guarantees(
    settings: Claim,
    *,
    source: data.Source | None = None,
    unit: str = "record",
    before: tuple[PureRelease, ...] = (),
) -> Guarantees:
    """Return the guarantees of a version with these settings.

    Clipping the average gradient to C lets one record change it by up to 2C, not 2C/n. If rows have
    norm at most B with the constant appended, an example's gradient has norm at most B (logistic;
    sqrt(2) B softmax). Clipping is a projection onto a ball and moves no two points apart, hence
    min(2C, 2B/n), or min(2C, B/n) under add/remove.

    Args:
        settings: Of the version.
        source: The data set; None for the one that the settings name.
        unit: Of privacy.
        before: Pure releases already paid for by the same epsilon.
    """
    if settings.version == "published":
        if source is None:
            source = data.DATASETS[settings.dataset]
        bounded = _guarantee(settings, _average_sensitivity(settings, source), unit, before)
        unbounded = _guarantee(settings, 2 * settings.clip_norm, unit, before)
        formula = _guarantee(settings, _example_sensitivity(settings), unit, before)
    else:
        sensitivity = math.inf
        if settings.version == "correct":
            sensitivity = _example_sensitivity(settings)
        formula = _guarantee(settings, sensitivity, unit, before)
        bounded = formula
        unbounded = formula
    return Guarantees(
        claimed=settings.epsilon,
        holds=settings.version == "correct",
        formula=formula,
        bounded=bounded,
        unbounded=unbounded,
    )


def _example_sensitivity(settings: Claim) -> float:
    """Return the L2 sensitivity of the mean of clipped gradients."""
    contributions = Adjacency(settings.adjacency).contributions
    return contributions * settings.clip_norm / settings.rows


def _average_sensitivity(settings: Claim, source: data.Source) -> float:
    """Return the L2 sensitivity of a clipped mean of gradients of rows within their bounds."""
    loss = "softmax"
    if len(source.classes) == 2:
        loss = "logistic"
    # Features are in [-1, 1], beside the constant 1.
    row_norm = math.sqrt(len(source.features) + 1)
    gradient_norm = losses.LIPSCHITZ[loss] * row_norm
    contributions = Adjacency(settings.adjacency).contributions
    return min(2 * settings.clip_norm, contributions * gradient_norm / settings.rows)


def _guarantee(
    settings: Claim, sensitivity: float, unit: str, before: tuple[PureRelease, ...]
) -> Guarantee:
    """Return the exact guarantee of T releases of the mean gradient, and of those ``before``."""
    spent_before = math.fsum(release.epsilon for release in before)
    multiplier = noise_sd(settings, settings.epsilon - spent_before) / sensitivity
    event = Composed(event=GaussianRelease(noise_multiplier=multiplier), count=settings.steps)
    adjacency = Adjacency(settings.adjacency)
    guarantee = accountants.account(event, delta=settings.delta, adjacency=adjacency, unit=unit)
    # The noise is that of a mean, and so follows the number of rows.
    guarantee = replace(guarantee, assumes=public_count(adjacency, unit=unit))
    return after(guarantee, before)


def formula_epsilon(epsilon: float, *, delta: float, constant: float = 1.25) -> float:
    """Return the true epsilon of the published noise formula, if each gradient were clipped.

    mu = epsilon / sqrt(2 ln(constant / delta)), for any number of steps.

    >>> [round(formula_epsilon(claim, delta=1e-5), 2) for claim in (5, 10, 150)]
    [4.54, 10.39, 610.4]

    Args:
        epsilon: The claim.
        delta: Of the claim.
        constant: 2 on another slide.
    """
    multiplier = mechanisms.classical_noise_multiplier(epsilon, delta=delta, constant=constant)
    event = GaussianRelease(noise_multiplier=multiplier)
    return accountants.account(event, delta=delta, adjacency=Adjacency.REPLACE_ONE).epsilon


def crossing(delta: float, *, constant: float = 1.25) -> float:
    """Return the claimed epsilon above which the published formula claims too much.

    It is 8.42 at delta 1e-5.
    """
    scale = mechanisms.classical_noise_multiplier(1.0, delta=delta, constant=constant)
    return gdp.crossing(scale, delta=delta)
