"""Numbers in the texts of one released number: ratios, posteriors and deltas."""

import math

from dpcore.privacy import delta_rounded_up
from ui.text import tiles
from ui.text.texts import Texts
from ui.text.tiles import number, percent

SAYS = Texts(__file__)
# A larger likelihood ratio is not written out.
LARGEST_LOG_RATIO = math.log(1e9)
# Posteriors beyond these are written as below 0.1 % and above 99.9 %, because none is certain.
_LEAST_POSTERIOR = 0.0005
_LARGEST_POSTERIOR = 0.9995
# Posteriors this close to 0 or 1 have a decimal.
_CLOSE_TO_CERTAIN = 0.01


def ratio_text(log_ratio: float) -> str:
    """Return the likelihood ratio of a logarithm, or that it is large."""
    if log_ratio >= LARGEST_LOG_RATIO:
        return SAYS["tiles.large"]
    return number(math.exp(log_ratio))


def probability_text(probability: float, other: float) -> str:
    """Return a prior or a posterior in percent, with enough decimals to tell it from the other."""
    if probability < _LEAST_POSTERIOR:
        return "below 0.1\u00a0%"
    if probability > _LARGEST_POSTERIOR:
        return "above 99.9\u00a0%"
    digits = tiles.distinct_digits(probability, other)
    if min(probability, 1 - probability) < _CLOSE_TO_CERTAIN:
        digits = max(1, digits)
    return percent(probability, digits=digits)


def needed_delta_text(delta: float) -> str:
    """Return the delta that noise needs, rounded up."""
    return tiles.small_chance(delta_rounded_up(delta, digits=2))
