"""Measure many settings of a topic, with any number of repeats.

In Python, with the settings of any page:

    runs = sweep(ClassifierSettings(), "epsilon", [0.1, 1.0], measure="scratch", repeats=100)
    answer = smallest(ClassifierSettings(), "epsilon", 0.8, measure="scratch")
    best = recommend(ClassifierSettings(), tries=12, measure="scratch")

are tidy frames with a row per run, the answer, and a row per try.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from dpcore import check
from dpcore.streams import stream
from lab.experiment.settings import Measure, Settings, quantiles_of
from lab.statistics import crossing, differences
from lab.sweeps.grids import grid, log_scale, rounded_as_shown
from lab.sweeps.measurement import measured, split

# A search draws at most so often for each try.
_DRAWS_PER_TRY = 20
_MOST_TRIES = 10_000


def _measure_name(settings: Settings, name: str) -> str:
    """Return the name if it is that of a measure; for "", that of the measure that a comparison is
    about.
    """
    experiment = settings.experiment
    return check.choice(experiment.measures, measure=name or experiment.compared)


def sweep(
    settings: Settings,
    slider: str,
    values: Iterable[Any],
    *,
    measure: str = "",
    repeats: int = 24,
    seeds: int = 1,
) -> pd.DataFrame:
    """Measure ``settings`` with each of the ``values`` of a parameter.

    Args:
        settings: The other parameters.
        slider: Name of the parameter.
        values: Its values.
        measure: A key of ``settings.experiment.measures``; "" for that of a comparison.
        repeats: Number of repeats of each seed.
        seeds: Number of splits of the data, from the settings' own seed on.

    Returns:
        A row per value, seed and repeat.

    Raises:
        RefusedError: If the settings refuse a value.

    >>> from pages.regression.settings import RegressionSettings
    >>> runs = sweep(RegressionSettings(mechanism="adassp"), "epsilon", [0.5, 5.0], repeats=50)
    >>> runs.groupby("epsilon")["error"].mean().round(2).to_dict()
    {0.5: 20.06, 5.0: 20.04}
    """
    name = _measure_name(settings, measure)
    frames = []
    for value in values:
        for variant in split(settings.change(**{slider: value}), seeds):
            numbers = measured(variant, measure=name, repeats=repeats)
            columns = {
                slider: value,
                "seed": getattr(variant, "seed", 0),
                "repeat": np.arange(len(numbers)),
                name: numbers,
            }
            frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def summary(runs: pd.DataFrame, *, target: float, better: str = "higher") -> pd.DataFrame:
    """Summarise the result of ``sweep``.

    Returns:
        A row per value, with the median run (with several seeds, the median of their medians), the
        90 % range of runs, and the share of runs that reach ``target``.
    """
    slider = runs.columns[0]
    measure = runs.columns[-1]
    if better == "higher":
        reaching = runs[measure] >= target
    else:
        reaching = runs[measure] <= target
    groups = runs.assign(reach=reaching).groupby(slider)
    quantiles = np.array([quantiles_of(numbers.to_numpy()) for _, numbers in groups[measure]])
    medians = runs.groupby([slider, "seed"])[measure].median()
    columns = {
        "median": medians.groupby(level=slider).median(),
        "low": quantiles[:, 0],
        "high": quantiles[:, 2],
        "share reaching": groups.reach.mean(),
    }
    return pd.DataFrame(columns).reset_index()


def smallest(
    settings: Settings,
    slider: str,
    target: float,
    *,
    values: Iterable[Any] | None = None,
    measure: str = "",
    share: float | None = None,
    repeats: int = 100,
) -> pd.DataFrame:
    """Return the value of a parameter from which on ``target`` is reached.

    For a parameter along which the measure gets worse, it is the value up to which the target is
    reached.

    Args:
        settings: The other parameters.
        slider: Name of the parameter.
        target: What is to be reached.
        values: Rising values of the parameter; None for the ``grid`` around the settings.
        measure: A key of ``settings.experiment.measures``; "" for that of a comparison.
        share: Share of the repeats that has to reach the target; None asks for the median run.
        repeats: Number of repeats at each value.

    Returns:
        One row, the fields of ``lab.statistics.crossing.Crossing``.

    Raises:
        RefusedError: If the measure may get better and worse along the parameter, so that nothing
            is the smallest.

    >>> from pages.regression.settings import RegressionSettings
    >>> settings = RegressionSettings(mechanism="adassp")
    >>> found = smallest(settings, "epsilon", 20.3, values=[0.05, 0.1, 0.2, 0.4], repeats=50)
    >>> found[["verdict", "point", "safe"]].round(3).to_dict("records")
    [{'verdict': 'found', 'point': 0.197, 'safe': 0.4}]
    """
    name = _measure_name(settings, measure)
    read = settings.experiment.measures[name]
    if slider not in (*read.rises, *read.falls):
        allowed = ", ".join((*read.rises, *read.falls)) or "none: there is no such slider"
        raise check.RefusedError(
            "slider", slider, f"one along which the measure goes one way: {allowed}"
        )
    if values is None:
        values = grid(settings, slider)
    tried = list(values)
    runs = []
    for value in tried:
        runs.append(measured(settings.change(**{slider: value}), measure=name, repeats=repeats))
    towards = "large"
    if slider in read.rises:
        towards = "small"
    answer = crossing.smallest(
        np.array(tried, dtype=float),
        np.array(runs),
        target,
        better=read.better,
        share=share,
        towards=towards,
        log=log_scale(*settings.limits[slider]),
    )
    return pd.DataFrame([asdict(answer)])


def difference_of_settings(
    settings_a: Settings,
    settings_b: Settings,
    a: np.ndarray,
    b: np.ndarray,
    *,
    splits: int = 1,
    confidence: float = 0.95,
) -> differences.Difference:
    """Return the difference of the runs of two settings.

    With several splits of the rows, it is compared split by split; else in pairs if both drew the
    same noise, and as two groups otherwise.

    Args:
        settings_a: The settings of ``a``.
        settings_b: The settings of ``b``.
        a: Runs (splits x repeats,).
        b: Runs (splits x repeats,).
        splits: Number of splits.
        confidence: Confidence of the interval.
    """
    if splits > 1:
        return differences.of_splits(
            a.reshape(splits, -1),
            b.reshape(splits, -1),
            common_variance=max(settings_a.common_variance, settings_b.common_variance),
            confidence=confidence,
        )
    if settings_a.experiment.pairs_with(settings_b.experiment):
        return differences.of_pairs(a, b, confidence=confidence)
    return differences.of_groups(a, b, confidence=confidence)


def sample_settings(
    settings: Settings, *, tries: int, ranges: Mapping[str, tuple[float, float]]
) -> tuple[Settings, ...]:
    """Draw settings from declared ranges, log-uniformly if a range begins above 0, else uniformly.

    The settings' seed alone decides which they are. Settings that are refused are drawn again, and
    left out if nearly all are refused.

    Args:
        settings: The other parameters.
        tries: Number of settings.
        ranges: Field -> (low, high), declared before any result is known.
    """
    check.whole(1, _MOST_TRIES, tries=tries)
    random = stream(getattr(settings, "seed", 0), "search")
    accepted: list[Settings] = []
    for _ in range(_DRAWS_PER_TRY * tries):
        if len(accepted) == tries:
            break
        shares = random.uniform(size=len(ranges))
        changes = {}
        for (name, (low, high)), share in zip(ranges.items(), shares, strict=True):
            if low > 0:
                value = low * (high / low) ** share
            else:
                value = low + share * (high - low)
            least, most = settings.limits[name]
            value = rounded_as_shown(value, whole=isinstance(least, int))
            changes[name] = min(max(value, least), most)
        with suppress(check.RefusedError):
            accepted.append(settings.change(**changes))
    return tuple(accepted)


def best(medians: Sequence[float], measure: Measure) -> int:
    """Return the index of the best median."""
    values = np.asarray(medians, dtype=float)
    if measure.better == "higher":
        return int(np.nanargmax(values))
    return int(np.nanargmin(values))


def recommend(
    settings: Settings,
    *,
    tries: int = 12,
    measure: str = "",
    ranges: Mapping[str, tuple[float, float]] | None = None,
    repeats: int = 24,
    seeds: int = 5,
) -> pd.DataFrame:
    """Try settings out of declared ranges.

    The best of many tries is chosen for its luck too, so it is measured again on other seeds, with
    fresh noise and other splits.

    Args:
        settings: The other parameters.
        tries: Number of settings to try.
        measure: A key of ``settings.experiment.measures``; "" for that of a comparison.
        ranges: Field -> (low, high); None for ``settings.tuned``.
        repeats: Number of repeats of each seed.
        seeds: Number of other seeds for the best settings.

    Returns:
        A row per try, the best first, with the median run by which it was ``chosen``, and for the
        best one ``again``, the median of the medians on the other seeds.

    Raises:
        RefusedError: If there is nothing to tune.

    >>> from pages.classifier.settings import ClassifierSettings
    >>> base = ClassifierSettings(public_rows=0)
    >>> best = recommend(base, tries=3, measure="scratch", repeats=12, seeds=2)
    >>> best.round(2).iloc[0]
    clip_norm         0.43
    steps            20.00
    learning_rate     2.27
    chosen            0.85
    again             0.85
    Name: 0, dtype: float64
    """
    name = _measure_name(settings, measure)
    ranges = dict(ranges or settings.tuned)
    if not ranges:
        raise check.RefusedError("ranges", ranges, "at least one field with its range")
    variants = sample_settings(settings, tries=tries, ranges=ranges)
    if not variants:
        raise check.RefusedError(
            "ranges", ranges, "ranges of which these settings accept something"
        )
    medians = [_median(variant, measure=name, repeats=repeats) for variant in variants]
    first = best(medians, settings.experiment.measures[name])
    _, *with_other_seeds = split(variants[first], seeds + 1)
    medians_again = [
        _median(variant, measure=name, repeats=repeats) for variant in with_other_seeds
    ]
    again = [math.nan] * len(variants)
    again[first] = float(np.median(medians_again))
    frame = pd.DataFrame({slider: [getattr(one, slider) for one in variants] for slider in ranges})
    frame = frame.assign(chosen=medians, again=again)
    lower_is_better = settings.experiment.measures[name].better == "lower"
    return frame.sort_values("chosen", ascending=lower_is_better, ignore_index=True)


def _median(settings: Settings, *, measure: str, repeats: int) -> float:
    """Return the median of a measure over repeats with these settings."""
    return float(np.median(measured(settings, measure=measure, repeats=repeats)))
