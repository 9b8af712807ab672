"""Attacks on membership, their ROC curves, and the bounds of a guarantee on these.

The loss threshold calls a person a member if the model's loss on the person is low [yeom2018]. The
likelihood ratio compares the logit of a person's true class with its distribution over other models
that were trained with this person, and over those that were not [carlini2022]. All models are each
other's shadow models.
"""

import math

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from dpcore.accountants import gdp

LIKELIHOOD_RATIO = "likelihood ratio"
LOSS_THRESHOLD = "loss threshold"
ATTACKS = (LIKELIHOOD_RATIO, LOSS_THRESHOLD)
# False-positive rates at which curves are computed.
RATES = np.concatenate([np.logspace(-3, -1, 41), np.linspace(0.11, 1, 45)])
# A variance of zero is divided by as this.
_LEAST_VARIANCE = 1e-12
# e to a larger power is not a float.
_LARGEST_EXPONENT = 700


def likelihood_ratios(members: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Return the log-likelihood ratio (R, n) of each margin, that of a member over that of others.

    Both distributions are normal. Their means are those of the other models that were trained with
    the person, and without. Their variance is that within the two groups, of all models.
    """
    with_person = _Shadows(members, margins)
    without_person = _Shadows(~members, margins)
    count = with_person.count + without_person.count
    squares = with_person.squares + without_person.squares
    variance = np.maximum(squares / np.maximum(count - 2, 1), _LEAST_VARIANCE)
    distance_without = (margins - without_person.means_of_others) ** 2
    distance_with = (margins - with_person.means_of_others) ** 2
    return (distance_without - distance_with) / (2 * variance)


class _Shadows:
    """Margins of the models of a group, which differs from person to person.

    count: number of models in the group, (n,).
    squares: sum of squared distances from their mean, (n,).
    means_of_others: mean over the group without the model itself, (R, n).
    """

    def __init__(self, in_group: np.ndarray, margins: np.ndarray):
        self.count = in_group.sum(axis=0)
        mean = np.where(in_group, margins, 0).sum(axis=0) / np.maximum(self.count, 1)
        centred = np.where(in_group, margins - mean, 0)
        self.squares = (centred**2).sum(axis=0)
        # (count * mean - margin) / (count - 1), written with the centred margin.
        mean_without_own = mean - centred / np.maximum(self.count - 1, 1)
        self.means_of_others = np.where(in_group, mean_without_own, mean)


def roc(scores: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the true-positive rate at each of ``RATES``, from scores (R, n)."""
    member_scores = np.sort(scores[members])
    other_scores = np.sort(scores[~members])
    # At most this many others lie above the threshold, so no rate is above the stated one.
    others_above = np.floor(RATES * len(other_scores)).astype(int)
    thresholds = np.append(-np.inf, other_scores)[len(other_scores) - others_above]
    members_below = np.searchsorted(member_scores, thresholds, side="right")
    return 1 - members_below / len(member_scores)


def bounds(rates: np.ndarray, *, epsilon: float, delta: float) -> pd.DataFrame:
    """Return the largest true-positive rates that a guarantee allows at false-positive ``rates``.

    ``promised`` is by (epsilon, delta) [kairouz2015, Theorem 2.1], and ``gaussian`` by the Gaussian
    noise for it.
    """
    with np.errstate(over="ignore"):
        at_low_rates = math.exp(min(epsilon, _LARGEST_EXPONENT)) * rates + delta
    at_high_rates = 1 - math.exp(-epsilon) * (1 - delta - rates)
    by_claim = np.minimum(np.minimum(at_low_rates, at_high_rates), 1)
    by_noise = ndtr(ndtri(rates) + gdp.mu_of(epsilon, delta=delta))
    return pd.DataFrame({"false alarms": rates, "promised": by_claim, "gaussian": by_noise})
