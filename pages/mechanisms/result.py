"""Result of one released number: the release, its privacy loss, attacks, errors and selection."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit, log_softmax

from dpcore.accountants import gdp
from dpcore.mechanisms import NoisyMax
from dpcore.privacy import Guarantee
from dpcore.streams import stream
from pages.mechanisms.formulas import (
    NUMBERS_RELEASED,
    SLIDE_CONSTANT,
    TEXTBOOK_CONSTANT,
    evaluate_formula,
)
from pages.mechanisms.output_pair import OutputPair, promised_false_negative_rates
from pages.mechanisms.settings import NUMBER_MECHANISMS, MechanismsSettings
from pages.mechanisms.tasks import Claim

# The option that gets your vote, the second one.
VOTED = 1
# Shares of noise that are in the range of outputs, and where the grid of outputs is dense.
_SHARE_IN_RANGE = 0.998
_DENSE_SHARES = np.linspace(0.001, 0.999, 81)
# Points of the grid in the range of outputs, and in twice that range.
_POINTS_IN_RANGE = 101
_POINTS_BEYOND = 81
# False-positive rates of the trade-off curve, dense at both ends.
_LOW_RATES = np.geomspace(1e-9, 0.05, 40)
_FALSE_POSITIVE_RATES = np.concatenate(
    [[0.0], _LOW_RATES, np.linspace(0.06, 0.94, 67), 1 - _LOW_RATES[::-1], [1.0]]
)


class Release(NamedTuple):
    """A release with you, and what it says about you.

    output: the released number.
    privacy_loss: ln(density with you / density without you) there.
    posterior: probability that you are in, for the set prior.
    """

    output: float
    privacy_loss: float
    posterior: float


class TradeOff(NamedTuple):
    """The error rates of the best tests, and the smallest ones that the claim allows, (m,)."""

    false_positive_rates: np.ndarray
    false_negative_rates: np.ndarray
    promised: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class OneNumberResult:
    """Result of one released number.

    pair: the distributions of the output without you and with you.
    """

    settings: MechanismsSettings
    pair: OutputPair

    @cached_property
    def claim(self) -> Claim:
        """Return what is claimed, and what holds."""
        return self.settings.claim(self.settings.mechanism)

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of the noise."""
        return self.claim.guarantee

    # This release

    @cached_property
    def release(self) -> Release:
        """Return a random release with you in the data, and what it says about you."""
        truth = np.array([self.settings.value + self.settings.sensitivity])
        x = self.claim.implementation.release(truth, stream(self.settings.seed, "noise"))
        return Release(
            output=float(x[0]),
            privacy_loss=float(self.pair.privacy_loss(x)[0]),
            posterior=float(self.pair.posterior(x, self.settings.prior)[0]),
        )

    def posterior_range(self, prior: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the lowest and the highest posterior that epsilon allows.

        The odds change by a factor from e^-epsilon to e^epsilon.
        """
        log_odds = np.log(prior) - np.log1p(-np.asarray(prior))
        return expit(log_odds - self.settings.epsilon), expit(log_odds + self.settings.epsilon)

    @property
    def decision_output(self) -> float:
        """Return the output above which the best attacker with the set prior says "in"."""
        prior = self.settings.prior
        return self.pair.output_at(math.log((1 - prior) / prior))

    # Outputs that are drawn

    @cached_property
    def output_range(self) -> tuple[float, float]:
        """Return a range that has nearly all releases, and the outputs whose loss is epsilon.

        Its middle is half way between both true numbers.
        """
        pair = self.pair
        middle = pair.value + pair.sensitivity / 2
        half = pair.sensitivity / 2 + pair.scale * float(pair.noise_quantile(_SHARE_IN_RANGE))
        to_epsilon = pair.output_at(self.settings.epsilon) - middle
        if np.isfinite(to_epsilon):
            half = max(half, to_epsilon + pair.scale / 2)
        return middle - half, middle + half

    @cached_property
    def output_grid(self) -> np.ndarray:
        """Return outputs (m,) in twice the range, dense where the densities bend."""
        pair = self.pair
        low, high = self.output_range
        beyond = (high - low) / 2
        around = pair.scale * pair.noise_quantile(_DENSE_SHARES)
        centres = pair.value + np.array([0.0, pair.sensitivity])
        grids = [
            np.linspace(low - beyond, high + beyond, _POINTS_BEYOND),
            np.linspace(low, high, _POINTS_IN_RANGE),
            centres,
        ]
        for centre in centres:
            grids.append(centre + around)
        return np.unique(np.concatenate(grids))

    # Curves

    @cached_property
    def trade_off(self) -> TradeOff:
        """Return the trade-off curve of the best tests, and that of the claim."""
        return TradeOff(
            false_positive_rates=_FALSE_POSITIVE_RATES,
            false_negative_rates=self.pair.false_negative_rates(_FALSE_POSITIVE_RATES),
            promised=promised_false_negative_rates(
                _FALSE_POSITIVE_RATES,
                epsilon=self.settings.epsilon,
                delta=self.claim.delta,
            ),
        )

    # Private selection

    @property
    def option_names(self) -> list[str]:
        """Return the names of the options, from A on."""
        return [chr(ord("A") + index) for index in range(self.settings.options)]

    @cached_property
    def log_win_probabilities(self) -> np.ndarray:
        """Return ln P(i wins) without your vote and with it, (2, k), by the exponential mechanism.

        P(i wins) is proportional to e^{c_i / scale} for the votes c_i [mcsherry2007, Theorem 6].
        The mechanism is ``monotone``, since whoever comes or goes moves all votes in one direction.
        """
        settings = self.settings
        mechanism = NoisyMax(
            sensitivity=settings.sensitivity,
            epsilon=settings.epsilon,
            noise="gumbel",
            monotone=True,
        )
        votes = np.array([settings.counts, settings.counts], dtype=float)
        votes[1, VOTED] += settings.sensitivity
        return log_softmax(votes / mechanism.scale, axis=1)

    @property
    def win_probabilities(self) -> np.ndarray:
        """Return the probability that each option wins, without your vote and with it, (2, k)."""
        return np.exp(self.log_win_probabilities)

    @property
    def largest_win_log_ratio(self) -> float:
        """Return the largest change of the logarithm of any option's probability of winning."""
        without_you, with_you = self.log_win_probabilities
        return float(np.abs(with_you - without_you).max())

    # Published formulas of Gaussian noise

    @cached_property
    def several_numbers(self) -> pd.DataFrame:
        """Return the noise on each of k numbers, each moved by up to the sensitivity.

        Their L1 norm is sqrt(k) L2 norms. There are columns for the number k, the noise sd by the
        slide's formula with the L1 norm, the epsilon that it really gives, the exact sd, and that
        of Laplace noise, which needs the L1 norm too.
        """
        settings = self.settings
        exact_sd = 1 / gdp.mu_of(settings.epsilon, delta=settings.delta)
        rows = []
        for count in NUMBERS_RELEASED:
            slide = evaluate_formula(SLIDE_CONSTANT, settings, norms=math.sqrt(count))
            l2_norm = settings.sensitivity * np.sqrt(count)
            row = {
                "answers": count,
                "slide": l2_norm * slide.sd,
                "real epsilon": slide.real,
                "exact": l2_norm * exact_sd,
                "laplace": settings.sensitivity * count * math.sqrt(2) / settings.epsilon,
            }
            rows.append(row)
        return pd.DataFrame(rows)

    # Downloads

    def table(self) -> pd.DataFrame:
        """Return a row per mechanism, and one for the slide's formula (``_table_row``)."""
        settings = self.settings
        rows = []
        for name in NUMBER_MECHANISMS:
            claim = settings.claim(name)
            until = math.inf
            if name == "classical":
                until = evaluate_formula(TEXTBOOK_CONSTANT, settings).until
            rows.append(_table_row(name, claim, claim.pair, claim.guarantee.epsilon, until))
        slide = evaluate_formula(SLIDE_CONSTANT, settings)
        gaussian = settings.claim("gaussian")
        slide_pair = replace(gaussian.pair, scale=settings.sensitivity * slide.sd)
        rows.append(_table_row("slide", gaussian, slide_pair, slide.real, slide.until))
        return pd.DataFrame(rows)

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return the name of each download, and the function that makes its data frame."""
        return {"Table": self.table}


def _table_row(
    name: str, claim: Claim, pair: OutputPair, real_epsilon: float, until: float
) -> dict[str, object]:
    """Return the row of noise for a claim.

    pair: the distributions of the output with this noise.
    real_epsilon: what the noise really gives at the claimed delta.
    until: the largest claimed epsilon up to which noise of this kind is enough.
    """
    return {
        "mechanism": name,
        "within": pair.error,
        "claimed epsilon": claim.epsilon,
        "claimed delta": claim.delta,
        "real epsilon": real_epsilon,
        "needed delta": pair.delta_at(claim.epsilon),
        "until": until,
        "attacker": pair.balanced_accuracy,
        "holds": claim.is_met_by(pair),
    }
