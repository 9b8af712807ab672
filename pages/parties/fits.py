"""What the aggregator fits to the votes, before it adds noise, and how good such weights are.

The fits do not depend on epsilon. Weights are (k, d), with k = 1 for two classes.
"""

from dataclasses import dataclass

import numpy as np

from dpcore.cache import Key, cached
from dpcore.parties import aggregation
from dpcore.training import losses
from dpcore.training.losses import outputs
from lab.data.party_kinds import CHECK_ROWS, Public
from pages.parties.votes import PartyPool, collect_votes

# What is never released needs no sensitivity, so its fit need not be exact.
ANALYST_TOLERANCE = 1e-6


@dataclass(frozen=True, kw_only=True)
class Ensemble(Key):
    """All that decides what the aggregator fits.

    pool: the parties.
    parties: number M of them.
    regularisation: lambda of the aggregator's fits.
    """

    pool: PartyPool
    parties: int
    regularisation: float

    @property
    def classes(self) -> int:
        return self.pool.data.kind.classes

    @property
    def shape(self) -> tuple[int, int]:
        """Return the shape (k, d) of the weights. The noise has k d dimensions."""
        return outputs(self.classes), self.pool.data.kind.inputs

    @property
    def rows(self) -> dict[str, Public]:
        """Return the "public", "check" and "test" rows."""
        return self.pool.rows


@dataclass(frozen=True, kw_only=True, eq=False)
class Fits:
    """What the aggregator has before it adds noise, from the first parties.

    weights: (k, d) of each release.
    accuracy: of each of the first parties alone.
    """

    weights: dict[str, np.ndarray]
    accuracy: np.ndarray


@cached
def fit_releases(ensemble: Ensemble, asked: int) -> Fits:
    """Fit to the votes of the first ``asked`` of the ensemble's parties.

    Raises ArithmeticError if a fit is not within the tolerance that the noise is calibrated to. It
    is then not released.
    """
    totals = collect_votes(ensemble.pool, asked)
    public_votes = totals.votes[:, :-CHECK_ROWS]
    hard_targets = aggregation.targets(public_votes, release="vote")
    soft_targets = aggregation.targets(public_votes, release="soft")
    minimum = aggregation.fit(
        ensemble.rows["public"].X,
        np.stack([hard_targets, soft_targets]),
        regularisation=ensemble.regularisation,
    )
    vote, soft = minimum.exact()
    return Fits(
        weights={"vote": vote, "soft": soft, "average": totals.weights / asked},
        accuracy=totals.accuracy,
    )


def accuracy(ensemble: Ensemble, weights: np.ndarray) -> np.ndarray:
    """Return the accuracy (...) of weights (..., k, d) on the test rows."""
    test = ensemble.rows["test"]
    return losses.accuracy(weights, test.X, test.y)
