"""The mechanisms of the parties page: sensitivities, noise and guarantees, for a whole party."""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from dpcore import accountants
from dpcore.accountants import gdp, shuffling
from dpcore.cache import Key
from dpcore.mechanisms import noisy_max
from dpcore.parties import aggregation
from dpcore.parties.aggregation import RELEASES
from dpcore.privacy import (
    Adjacency,
    Composed,
    Guarantee,
    NormExponentialRelease,
    PureRelease,
)
from dpcore.training import erm
from pages.parties.fits import Ensemble

# The method that releases a model in each of several rounds (``pages.parties.federated``).
FEDERATED = "federated"
METHODS = (*RELEASES, "pate", FEDERATED)
# Who adds the noise: a trusted aggregator; each party; or each party, before a shuffler brings the
# messages into random order.
TRUST_MODELS = ("central", "local", "shuffle")
# What a party can release by itself: an answer about a public row, its weights, or updates.
_LOCAL_METHODS = ("soft", "average", FEDERATED)
# An answer names its row. If it were public who got which row, only parties with the same row would
# hide one another.
_DEALT_SECRETLY = "the shuffler deals the public rows at random and tells nobody who got which"
# What the noise of a release is calibrated to, by the name of the constants.
_BASES = {
    "published": "published sensitivity",
    "sharp": "exact sensitivity of logistic loss",
    "norms": "sensitivity with bounded weights",
}
UNIT = "party"


def pure_guarantee(event: NormExponentialRelease | PureRelease, *, basis: str) -> Guarantee:
    """Return the guarantee of a release without delta, for a whole party."""
    return Guarantee(
        epsilon=event.epsilon,
        delta=0.0,
        adjacency=Adjacency.REPLACE_ONE,
        unit=UNIT,
        basis=basis,
        event=event,
    )


def methods_of(trust_model: str) -> tuple[str, ...]:
    """Return the methods that are possible if ``trust_model`` adds the noise."""
    if trust_model == "central":
        return METHODS
    return _LOCAL_METHODS


@dataclass(frozen=True, kw_only=True)
class Mechanisms(Key):
    """The mechanisms that make releases of an ensemble private, at any epsilon: all methods but
    federated averaging.

    trust_model: who adds the noise, one of ``TRUST_MODELS``.
    constants: of the sensitivities, one of ``aggregation.CONSTANTS``.
    delta: of PATE and of a shuffler.
    queries: number of public rows that PATE's student learns from.
    """

    ensemble: Ensemble
    trust_model: str
    constants: str
    delta: float
    queries: int

    @property
    def methods(self) -> tuple[str, ...]:
        methods = methods_of(self.trust_model)
        return tuple(method for method in methods if method != FEDERATED)

    @property
    def is_central(self) -> bool:
        return self.trust_model == "central"

    def with_parties(self, parties: int) -> Self:
        """Return the mechanisms for another number of parties."""
        return replace(self, ensemble=replace(self.ensemble, parties=parties))

    # Noise

    def sensitivity(self, release: str, parties: float | None = None) -> float:
        """Return the L2 sensitivity of a release to one replaced party.

        It includes the solver's tolerance, whatever the solver reached.

        parties: their number; by default the ensemble's. It is 1 for the message of one party.
        """
        ensemble = self.ensemble
        if parties is None:
            parties = ensemble.parties
        norms = np.linalg.norm(ensemble.rows["public"].X, axis=1)
        return aggregation.sensitivity(
            release,
            classes=ensemble.classes,
            parties=parties,
            regularisation=ensemble.regularisation,
            constants=self.constants,
            mean_norm=float(norms.mean()),
            tolerance=erm.TOLERANCE,
        )

    def pate_noise_sd(self, epsilon: float) -> float:
        """Return the standard deviation of PATE's noise on a count, in votes.

        All ``queries`` Gaussian releases together are (epsilon, delta)-DP, exactly.
        """
        sensitivity = noisy_max.COUNTS_SENSITIVITY * math.sqrt(self.queries)
        return sensitivity / gdp.mu_of(epsilon, delta=self.delta)

    def release_epsilon(self, epsilon: float) -> float:
        """Return the epsilon of one release, with which all releases together have ``epsilon``.

        It is larger for the message of a party behind a shuffler. Any other release has ``epsilon``
        itself: that of the aggregator, or the message of a party that nobody hides.
        """
        if self.trust_model != "shuffle":
            return epsilon
        return shuffling.of_one(epsilon, messages=self.ensemble.parties, delta=self.delta)

    def weight_sd(self, epsilon: float) -> float:
        """Return the standard deviation of the noise on each averaged weight.

        It is drawn once by the aggregator, or by each of M parties.
        """
        parties = self.ensemble.parties
        noise_sd = aggregation.margin_sd(
            self.sensitivity("average", 1),
            dimensions=math.prod(self.ensemble.shape),
            epsilon=self.release_epsilon(epsilon),
        )
        if self.is_central:
            return noise_sd / parties
        return noise_sd / math.sqrt(parties)

    # Guarantees

    def guarantee(self, method: str, epsilon: float) -> Guarantee:
        """Return what a method by itself guarantees to a whole party."""
        if not self.is_central:
            return self._guarantee_of_messages(method, epsilon)
        if method == "pate":
            query = noisy_max.winner_event(self.pate_noise_sd(epsilon))
            return accountants.account(
                Composed(event=query, count=self.queries),
                delta=self.delta,
                adjacency=Adjacency.REPLACE_ONE,
                unit=UNIT,
            )
        constants = self.constants
        if method == "average" and constants == "sharp":
            constants = "published"  # they are the same for averages
        basis = f"L2-norm exponential mechanism, {_BASES[constants]}"
        return pure_guarantee(self._norm_exponential_event(epsilon), basis=basis)

    def _norm_exponential_event(self, epsilon: float) -> NormExponentialRelease:
        return NormExponentialRelease(epsilon=epsilon, dimension=math.prod(self.ensemble.shape))

    def _guarantee_of_messages(self, method: str, epsilon: float) -> Guarantee:
        """Return the guarantee of each message or, with a shuffler, of all of them together."""
        message_epsilon = self.release_epsilon(epsilon)
        if method == "average":
            message = pure_guarantee(
                self._norm_exponential_event(message_epsilon),
                basis="L2-norm exponential mechanism on each party's weights",
            )
        else:
            message = pure_guarantee(
                PureRelease(epsilon=message_epsilon), basis="randomised response, exact"
            )
        if self.trust_model == "local":
            return message
        shuffled = shuffling.together(message, epsilon=epsilon, delta=self.delta)
        if shuffled.delta > 0 and method == "soft":
            return replace(shuffled, assumes=(_DEALT_SECRETLY,))
        return shuffled
