"""Attacks on membership, their ROC curves, and the bound of the noise on these.

A member is a person whose row the model was trained on, and the others are people whose row it was
not trained on. The margin of a person in a model is the logit of the person's true class.

The loss threshold calls a person a member if the model's loss on the person is low [yeom2018]. The
likelihood ratio compares the margin with its distribution over other models that were trained with
this person, and over those that were not [carlini2022]. All models are each other's shadow models.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from dpcore.accountants import gdp

LIKELIHOOD_RATIO = "likelihood ratio"
LOSS_THRESHOLD = "loss threshold"
ATTACKS = (LIKELIHOOD_RATIO, LOSS_THRESHOLD)
# False-positive rates at which curves are computed.
RATES = np.concatenate([np.logspace(-3, -1, 41), np.linspace(0.11, 1, 45)])
# A variance of zero is divided by as this.
_LEAST_VARIANCE = 1e-12


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


def bound(rates: np.ndarray, *, epsilon: float, delta: float) -> np.ndarray:
    """Return the largest true-positive rates against the Gaussian noise for epsilon and delta.

    rates: the false-positive rates.
    """
    return ndtr(ndtri(rates) + gdp.mu_of(epsilon, delta=delta))
