"""Versions of the classifier's mechanism, their claimed and true guarantees, and the results in
[hoseinpour2023].
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
    "sound": "each person's gradient clipped, noise calibrated exactly",
    "published": "as published: the average gradient clipped, textbook noise",
    "none": "no privacy: no clipping, no noise",
}
# Version -> clipping of its descent (``dpcore.training.descent``).
CLIPPING: dict[str, descent.Clipping] = {
    "sound": "per-example",
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


class Recipe(Protocol):
    """Settings that determine the noise of one of ``VERSIONS`` up to epsilon: rows n, steps T,
    clipping norm C.
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


def published_slips() -> tuple[float, ...]:
    """Return the epsilons at which the published gain is not the difference of the published
    accuracies.
    """
    return tuple(
        e for e, (before, after, gain) in PUBLISHED.items() if abs(after - before - gain) > 1e-9
    )


def noise_sd(recipe: Recipe, epsilon: float) -> float:
    """Return the noise sd per coordinate of the mean gradient at ``epsilon``.

    sound: exact Gaussian composition. published: (2C / (n epsilon)) sqrt(2 T ln(1.25/delta))
    [hoseinpour2023].
    """
    match recipe.version:
        case "sound":
            multiplier = descent.noise_multiplier(
                epsilon=epsilon, delta=recipe.delta, steps=recipe.steps
            )
            adjacency = Adjacency(recipe.adjacency)
            return descent.mean_noise_sd(
                multiplier, clip_norm=recipe.clip_norm, rows=recipe.rows, adjacency=adjacency
            )
        case "published":
            one_shot = mechanisms.classical_noise_multiplier(epsilon, delta=recipe.delta)
            return 2 * recipe.clip_norm / recipe.rows * math.sqrt(recipe.steps) * one_shot
        case _:
            return 0.0


@dataclass(frozen=True, kw_only=True)
class Guarantees:
    """Claimed and true guarantees of one version.

    claimed: epsilon as set. holds: whether this version satisfies the claim. formula: guarantee of
        the noise if each
    person's gradient were clipped. bounded: its guarantee for rows within their public bounds.
    unbounded: its guarantee if nothing bounds a row. The last three differ from the claim in the
    published version only.
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
    """Return the guarantees of ``settings`` for a ``unit`` of privacy.

    source: the data set, if it has no name. before: pure releases already paid for by the same
        epsilon.

    Clipping the average gradient to C lets one record change it by up to 2C, not 2C/n. If rows have
    norm at most B with the constant appended, an example's gradient has norm at most B (logistic;
    sqrt(2) B softmax). Clipping is a projection onto a ball and moves no two points apart, hence
    min(2C, 2B/n), or min(2C, B/n) under add/remove.
    """
    adjacency, n, C = Adjacency(settings.adjacency), settings.rows, settings.clip_norm
    source = source or data.DATASETS[settings.dataset]
    loss = "logistic" if len(source.classes) == 2 else "softmax"
    B = losses.LIPSCHITZ[loss] * math.sqrt(len(source.features) + 1)
    per_example = adjacency.contributions * C / n
    match settings.version:
        case "sound":
            sensitivities = (per_example,) * 3
        case "published":
            sensitivities = (per_example, min(2 * C, adjacency.contributions * B / n), 2 * C)
        case _:
            sensitivities = (math.inf,) * 3
    found = {
        sensitivity: _guarantee(settings, sensitivity, unit, before)
        for sensitivity in set(sensitivities)
    }
    formula, bounded, unbounded = (found[sensitivity] for sensitivity in sensitivities)
    return Guarantees(
        claimed=settings.epsilon,
        holds=settings.version == "sound",
        formula=formula,
        bounded=bounded,
        unbounded=unbounded,
    )


def _guarantee(
    settings: Claim, sensitivity: float, unit: str, before: tuple[PureRelease, ...]
) -> Guarantee:
    """Return the exact guarantee of T releases of the mean gradient with this sensitivity, and of
    those ``before``.
    """
    spent = math.fsum(release.epsilon for release in before)
    multiplier = noise_sd(settings, settings.epsilon - spent) / sensitivity
    event = Composed(event=GaussianRelease(noise_multiplier=multiplier), count=settings.steps)
    adjacency = Adjacency(settings.adjacency)
    found = accountants.account(event, delta=settings.delta, adjacency=adjacency, unit=unit)
    # The noise is that of a mean, and so follows the number of rows.
    return after(replace(found, assumes=public_count(adjacency, unit=unit)), before)


def formula_epsilon(epsilon: float, *, delta: float, constant: float = 1.25) -> float:
    """Return the true epsilon of the published noise formula for a claimed ``epsilon``, if each
    gradient were clipped.

    mu = epsilon / sqrt(2 ln(1.25/delta)), for any number of steps. constant: 2 on another slide.

    >>> [round(formula_epsilon(claim, delta=1e-5), 2) for claim in (5, 10, 150)]
    [4.54, 10.39, 610.4]
    """
    multiplier = mechanisms.classical_noise_multiplier(epsilon, delta=delta, constant=constant)
    event = GaussianRelease(noise_multiplier=multiplier)
    return accountants.account(event, delta=delta, adjacency=Adjacency.REPLACE_ONE).epsilon


def crossing(delta: float, *, constant: float = 1.25) -> float:
    """Return the claimed epsilon above which the published formula claims too much (8.42 at delta
    1e-5).
    """
    scale = mechanisms.classical_noise_multiplier(1.0, delta=delta, constant=constant)
    return gdp.crossing(scale, delta=delta)
