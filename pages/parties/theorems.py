"""Statements of [hamm2016] about a release, with the published constants, and what is measured."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dpcore.parties import aggregation
from pages.parties import published_bounds
from pages.parties.fits import excess_risk, reference
from pages.parties.result import PartiesResult

# Probability with which the bound on the excess risk may fail.
FAILURE = 0.05
# Rounding that a measured value may exceed its bound by, relative to it.
_ROUNDING = 1e-9


class Statement(NamedTuple):
    """A bound with the published constants, and the largest measured value of what it bounds.

    measured: NaN if nothing is measured.
    useless: a bound of this size or more says less than is known without it.
    """

    name: str
    release: str
    bound: float
    measured: float = math.nan
    useless: float = math.inf

    @property
    def holds(self) -> bool | None:
        """Return whether the bound holds, or None if it is not stated or nothing is measured."""
        if math.isnan(self.measured) or math.isnan(self.bound):
            return None
        return self.measured <= self.bound * (1 + _ROUNDING)

    @property
    def vacuous(self) -> bool:
        return self.bound >= self.useless


def theorems(result: PartiesResult) -> Iterator[Statement]:
    """Yield the statements about sensitivity, excess risk, and a changing public row."""
    yield from _sensitivities(result)
    for release in ("vote", "soft"):
        yield _risk(result, release)
    factor = published_bounds.auxiliary_factor(
        parties=result.ensemble.parties,
        public_rows=result.ensemble.pool.public_rows,
    )
    yield Statement("public row", "soft", factor)


def _sensitivities(result: PartiesResult) -> Iterator[Statement]:
    """Yield the sensitivity of each release, and the largest measured change."""
    changes = {}
    if result.changes is not None:
        changes = dict(zip(("vote", "soft"), result.changes.tolist(), strict=True))
    # No minimiser has a norm above B, so no two are further apart than 2 B.
    classes = result.ensemble.classes
    norm_bound = aggregation.norm_bound(classes, result.ensemble.regularisation)
    for release in ("vote", "soft", "average"):
        if release in result.methods:
            yield Statement(
                name="sensitivity",
                release=release,
                bound=result.sensitivity(release, published=True),
                measured=changes.get(release, math.nan),
                useless=2 * norm_bound,
            )


def _risk(result: PartiesResult, release: str) -> Statement:
    """Return the bound on the excess risk, which is stated for two classes only.

    Weights of 0 need no party. Their loss, ln K, makes larger bounds useless.
    """
    classes = result.ensemble.classes
    bound = math.nan
    if classes == 2:
        bound = sum(risk_bound(result, release).values())
    measured = excess_risk(result.ensemble, result.now.weights_of(release), result.asked, release)
    quantile = float(np.quantile(measured, 1 - FAILURE))
    return Statement("risk", release, bound, quantile, math.log(classes))


def risk_bound(result: PartiesResult, release: str) -> dict[str, float]:
    """Return the parts of the bound on a release's excess risk, in nats.

    That of a vote is the bound for one party, because more parties do not lower its noise.
    """
    ensemble = result.ensemble
    parties = ensemble.parties
    if release == "vote":
        parties = 1
    best = reference(ensemble, result.asked, release)
    _, inputs = ensemble.shape
    return published_bounds.theorem_four(
        parties=parties,
        public_rows=ensemble.pool.public_rows,
        inputs=inputs,
        regularisation=ensemble.regularisation,
        epsilon=result.settings.epsilon,
        reference_norm=float(np.linalg.norm(best)),
    )
