"""What the runs of an answer allow to claim, computed apart from the page.

Numbers are turned so that higher ones are better.
"""

import numpy as np
from scipy import stats

from pages.what_if import formats
from pages.what_if.result import WhatIfResult

CONFIDENCE = 0.95
MOST = 0.9
ROUNDING = 1e-12
# A difference of less than a point, or of 1 % of the topic's settings, is none.
LEAST_DIFFERENCE = 0.01


def sign(result: WhatIfResult) -> int:
    """Return 1 if higher values of the measure are better, and -1 if lower ones are."""
    if result.settings.asked_measure.better == "higher":
        return 1
    return -1


def goal(result: WhatIfResult) -> float:
    """Return the target, turned so that higher numbers are better."""
    return sign(result) * result.settings.goal


def runs(result: WhatIfResult) -> np.ndarray:
    """Return the runs of the curve, (V, R)."""
    return sign(result) * result.curve.measured.runs


# Medians


def median_limits(result: WhatIfResult) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of the median at each value of the curve, by the sign test."""
    return order_statistics(runs(result))


def order_statistics(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the order statistics (...,) that bound the median of ``numbers`` (..., R)."""
    outside = int(stats.binom.ppf((1 - CONFIDENCE) / 2, numbers.shape[-1], 0.5))
    if outside == 0:
        unknown = np.full(numbers.shape[:-1], np.inf)
        return -unknown, unknown
    ascending = np.sort(numbers, axis=-1)
    return ascending[..., outside - 1], ascending[..., -outside]


def student_half_width(numbers: np.ndarray) -> np.ndarray:
    """Return half the confidence interval of the mean of ``numbers`` (..., R)."""
    quantile = stats.t.ppf((1 + CONFIDENCE) / 2, numbers.shape[-1] - 1)
    errors = np.zeros(numbers.shape[:-1])
    varies = np.ptp(numbers, axis=-1) > 0
    errors[varies] = stats.sem(numbers[varies], axis=-1)
    return quantile * errors


# Single runs


def reaching_runs(result: WhatIfResult, index: int) -> np.ndarray:
    """Return which runs of a value reach the target, (R,)."""
    return runs(result)[index] >= goal(result)


def is_shown_for_most(reaching: np.ndarray) -> bool:
    """Return whether 90 % of runs are shown to reach the target."""
    hits = reaching.sum()
    if hits == 0:
        return False
    return bool(stats.beta.ppf(1 - CONFIDENCE, hits, len(reaching) - hits + 1) >= MOST)


def shown_to_reach(result: WhatIfResult) -> list[bool]:
    """Return whether the median at each value of the curve is shown to reach the target."""
    low, _ = median_limits(result)
    return (low >= goal(result) - ROUNDING).tolist()


def index_of_text(result: WhatIfResult, text: str) -> int:
    """Return the index of the value that looks like ``text``."""
    settings = result.settings
    texts = []
    for value in result.curve.measured.values:
        texts.append(formats.value_text(settings, settings.x_field, value))
    return texts.index(text)


# Search and cost


def retests_differ(result: WhatIfResult) -> str:
    """Return whether the best configuration is shown to be "better" or "worse", or ""."""
    winner = result.search.winner
    gaps = sign(result) * (winner.retested - winner.base)
    common = result.settings.topic_settings.common_variance
    half_width = student_half_width(gaps) * np.sqrt(1 + gaps.size * common)
    unit = 1.0
    if result.settings.asked_measure.unit != "%":
        unit = abs(np.median(winner.base))
    least = LEAST_DIFFERENCE * unit - 1e-9
    median = float(np.median(gaps))
    if gaps.mean() > half_width and median >= least:
        return "better"
    if gaps.mean() < -half_width and median <= -least:
        return "worse"
    return ""
