"""What a measure does along the knobs of a topic: many settings, each with as many repeats as one
likes.

In Python, of the settings of any page:

    runs = sweep(ClassifierSettings(), "epsilon", [0.1, 1.0], measure="scratch", repeats=100)
    answer = smallest(ClassifierSettings(), "epsilon", 0.8, measure="scratch")
    best = recommend(ClassifierSettings(), tries=12, measure="scratch")

are tidy frames: a row a run, the answer, a row a try.

What is trained is the topic's own work (``Settings.sample``), through ``dpcore.cache``: whatever
asks for it again has it at once, and the number at a page's settings is the page's number, bit for
bit.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from dpcore import check
from dpcore.cache import CACHE, Key
from dpcore.streams import stream
from lab.experiment.settings import Measure, Settings, Task, quantiles_of
from lab.statistics import crossing, differences

# A range of more than this factor has a log scale, unless it ends below 1 as shares do that do not
# start near 0.
_LOG, _LOG_SHARE = 20.0, 1000.0
# A grid along a log scale reaches this factor down and up from where one is, in so many steps
# either way.
REACH, STEPS = 30.0, 24
# One knob at a time: a third of a decade on a log scale, a tenth of the range on another.
DECADE, RANGE = 10 ** (1 / 3), 0.1
_DIGITS = 3
# A search draws at most so often for each try.
_DRAWS = 20


@dataclass(frozen=True, kw_only=True)
class Measurement(Key):
    """A measure of some settings: (r,), a number a repeat, of the ``part``-th of the ``parts`` that
    ``repeats`` are cut into; of none where the topic's own work is cut into fewer.
    """

    settings: Settings
    measure: str
    repeats: int
    part: int = 0
    parts: int = 1
    essential: bool = field(default=False, compare=False)

    def run(self, *, kept: bool = True) -> np.ndarray:
        """Return the numbers; without ``kept``, the work itself is not kept: that of many
        measurements would push out all else.
        """

        def outcome(task: Task) -> Any:
            known, found = CACHE.find(task)
            return found if known else CACHE.answer(task, task.run) if kept else task.run()

        tasks = self.settings.sample(self.repeats)
        begin, end = (-(-place * len(tasks) // self.parts) for place in (self.part, self.part + 1))
        read = self.settings.measures[self.measure].read
        found = [np.asarray(read(outcome(task)), dtype=float) for task in tasks[begin:end]]
        return np.concatenate(found) if found else np.empty(0)


def measurements(
    settings: Settings, *, measure: str, repeats: int, seeds: int = 1, parts: int = 1
) -> tuple[Measurement, ...]:
    """Return the work that measures these settings: ``repeats`` of each of so many ``seeds``, from
    the settings' own on.
    """
    return tuple(
        Measurement(settings=one, measure=measure, repeats=repeats, part=part, parts=parts)
        for one in split(settings, seeds)
        for part in range(parts)
    )


def split(settings: Settings, seeds: int) -> tuple[Settings, ...]:
    """Return the settings with so many seeds, each with rows and noise of its own; the own one
    first.
    """
    if seeds == 1 or "seed" not in settings.limits:
        return (settings,)
    (low, high), seed = settings.limits["seed"], getattr(settings, "seed", 0)
    return tuple(
        settings.change(seed=low + (seed - low + i) % (high - low + 1)) for i in range(seeds)
    )


def measured(settings: Settings, *, measure: str, repeats: int, seeds: int = 1) -> np.ndarray:
    """Return the numbers themselves, (seeds x repeats,); one where repeats have no noise of their
    own.
    """
    found = measurements(settings, measure=measure, repeats=repeats, seeds=seeds)
    return np.concatenate([CACHE.answer(one, one.run) for one in found])


def shown(settings: Settings, measure: str) -> np.ndarray:
    """Return the numbers (R,) of the runs that the settings' page shows: their own, where
    ``measured`` has as many as one asks for.
    """
    read = settings.measures[measure].read
    found = [np.ravel(read(CACHE.answer(task, task.run))) for task in settings.samples()]
    return np.concatenate(found).astype(float)


def _measure(settings: Settings, name: str) -> str:
    """Return the measure of this name; the one that a comparison is about where there is none."""
    return check.choice(settings.measures, measure=name or settings.compared)


def sweep(
    settings: Settings,
    knob: str,
    values: Iterable[Any],
    *,
    measure: str = "",
    repeats: int = 24,
    seeds: int = 1,
) -> pd.DataFrame:
    """Measure ``settings`` with each of the ``values`` of a ``knob``: a row a value, seed and
    repeat.

    measure: a key of ``settings.measures``; by default what a comparison is about. seeds: how many
    splits of the data, from the settings' own seed on. Raises RefusedError where the settings
    refuse a value.

    >>> from pages.regression.experiment import RegressionSettings
    >>> runs = sweep(RegressionSettings(mechanism="adassp"), "epsilon", [0.5, 5.0], repeats=50)
    >>> runs.groupby("epsilon")["error"].mean().round(2).to_dict()
    {0.5: 20.06, 5.0: 20.04}
    """
    name = _measure(settings, measure)
    frames = []
    for value in values:
        for one in split(settings.change(**{knob: value}), seeds):
            numbers = measured(one, measure=name, repeats=repeats)
            index = {
                knob: value,
                "seed": getattr(one, "seed", 0),
                "repeat": np.arange(len(numbers)),
            }
            frames.append(pd.DataFrame(index | {name: numbers}))
    return pd.concat(frames, ignore_index=True)


def summary(runs: pd.DataFrame, *, target: float, better: str = "higher") -> pd.DataFrame:
    """Return one row per value from ``runs``, the result of ``sweep``.

    A row has the median run (with several seeds, the median of their medians), the 90 % range of
    runs, and the share of runs that reach ``target``.
    """
    knob, measure = runs.columns[0], runs.columns[-1]
    reach = runs[measure] >= target if better == "higher" else runs[measure] <= target
    groups = runs.assign(reach=reach).groupby(knob)
    ends = np.array([quantiles_of(group.to_numpy())[[0, 2]] for _, group in groups[measure]])
    columns = {
        "median": runs.groupby([knob, "seed"])[measure].median().groupby(level=knob).median(),
        "low": ends[:, 0],
        "high": ends[:, 1],
        "share reaching": groups.reach.mean(),
    }
    return pd.DataFrame(columns).reset_index()


def smallest(
    settings: Settings,
    knob: str,
    target: float,
    *,
    values: Iterable[Any] | None = None,
    measure: str = "",
    share: float | None = None,
    repeats: int = 100,
) -> pd.DataFrame:
    """Return from which value of a ``knob`` on ``target`` is reached, by the median run or by a
    ``share`` of the
    repeats: one row, the fields of ``lab.statistics.crossing.Crossing``; of a knob along which the
    measure gets worse, up to which value.

    values: rising, by default the ``grid`` around the settings. Raises RefusedError for a knob
    along which the measure may get better and worse, where nothing is the smallest.

    >>> from pages.regression.experiment import RegressionSettings
    >>> settings = RegressionSettings(mechanism="adassp")
    >>> found = smallest(settings, "epsilon", 20.3, values=[0.05, 0.1, 0.2, 0.4], repeats=50)
    >>> found[["verdict", "point", "safe"]].round(3).to_dict("records")
    [{'verdict': 'found', 'point': 0.197, 'safe': 0.4}]
    """
    name = _measure(settings, measure)
    asked = settings.measures[name]
    if knob not in (*asked.rises, *asked.falls):
        allowed = ", ".join((*asked.rises, *asked.falls)) or "none: there is no such knob"
        raise check.RefusedError(
            "knob", knob, f"one along which the measure goes one way: {allowed}"
        )
    tried = list(grid(settings, knob) if values is None else values)
    runs = [
        measured(settings.change(**{knob: value}), measure=name, repeats=repeats) for value in tried
    ]
    found = crossing.smallest(
        np.array(tried, dtype=float),
        np.array(runs),
        target,
        better=asked.better,
        share=share,
        towards="small" if knob in asked.rises else "large",
        log=log_scale(*settings.limits[knob]),
    )
    return pd.DataFrame([asdict(found)])


# ---- values of a knob


def log_scale(low: float, high: float) -> bool:
    """Return whether a knob with these limits has a log scale.

    >>> log_scale(0.01, 150.0), log_scale(0, 500), log_scale(0.02, 0.98), log_scale(1e-9, 1e-2)
    (True, False, False, True)
    """
    if low <= 0:
        return False
    return high / low >= (_LOG_SHARE if high < 1 else _LOG)


def grid(
    settings: Settings, knob: str, *, steps: int = STEPS, reach: float = REACH
) -> tuple[float, ...]:
    """Return values of a knob around where it is, ascending, that one among them: on a log scale
    ``steps`` either way within a factor of ``reach``, else as many over the whole range; none
    beyond the limits.
    """
    (low, high), now = settings.limits[knob], getattr(settings, knob)
    if log_scale(low, high):
        # the same values wherever one is, so that their runs are kept; but for the nearest, which
        # gives way to now
        place = round(steps * math.log(now, reach))
        values = [
            reach ** (i / steps) for i in range(place - steps, place + steps + 1) if i != place
        ]
        values = [value for value in (*values, low, high) if now / reach <= value <= now * reach]
    else:
        values = np.linspace(low, high, 2 * steps + 1).tolist()
    rounded = {_plain(value, whole=isinstance(low, int)) for value in values}
    return tuple(sorted({value for value in rounded if low <= value <= high} | {now}))


def _plain(value: float, *, whole: bool) -> float:
    """Return a value with as many digits as a knob shows."""
    return round(value) if whole else float(f"{value:.{_DIGITS}g}")


def coarse_to_fine(values: Sequence[float], now: float) -> list[list[float]]:
    """Return ``values``, of which ``now`` is one, in turns: now alone, every eighth from there,
    every fourth, second, all.
    """
    place, seen, turns = values.index(now), {now}, [[now]]
    for stride in (8, 4, 2, 1):
        turn = [
            value
            for i, value in enumerate(values)
            if (i - place) % stride == 0 or i in (0, len(values) - 1)
        ]
        turns.append([value for value in turn if value not in seen])
        seen.update(turn)
    return [turn for turn in turns if turn]


# ---- which knob matters


def beside(settings: Settings, knob: str) -> tuple[float, ...]:
    """Return the value of a knob a step down, and a step up: a third of a decade on a log scale, a
    tenth of the range on another; only what the limits leave.
    """
    (low, high), now = settings.limits[knob], getattr(settings, knob)
    if low == high:
        return ()
    if log_scale(low, high):
        both = now / DECADE, now * DECADE
    else:
        both = now - RANGE * (high - low), now + RANGE * (high - low)
    whole = isinstance(low, int)
    clipped = (min(max(_plain(value, whole=whole), low), high) for value in both)
    return tuple(value for value in clipped if value != now)


def apart(
    one: Settings,
    other: Settings,
    a: np.ndarray,
    b: np.ndarray,
    *,
    splits: int = 1,
    confidence: float = 0.95,
) -> differences.Difference:
    """Return how far the runs ``a`` of some settings lie from ``b`` of others, (splits x repeats,)
    each, split by split.

    Of several splits by how far those differ; else in pairs where both drew the same noise.
    """
    if splits > 1:
        overlap = max(one.overlap, other.overlap)
        both = (runs.reshape(splits, -1) for runs in (a, b))
        return differences.of_splits(*both, overlap=overlap, confidence=confidence)
    compare = differences.of_pairs if one.pairs_with(other) else differences.of_groups
    return compare(a, b, confidence=confidence)


# ---- which setting is best


def drawn(
    settings: Settings, *, tries: int, ranges: Mapping[str, tuple[float, float]]
) -> tuple[Settings, ...]:
    """Return so many settings drawn from ``ranges``, which are declared before anything is looked
    at: log-uniform where they begin above 0, else uniform. Which they are is decided by the
    settings' seed. What the settings refuse is drawn again, and left out where nearly all of it is
    refused.
    """
    check.whole(1, 10_000, tries=tries)
    found: list[Settings] = []
    random = stream(getattr(settings, "seed", 0), "search")
    for _ in range(_DRAWS * tries):
        if len(found) == tries:
            break
        shares = random.uniform(size=len(ranges))
        changes = {}
        for (knob, (low, high)), share in zip(ranges.items(), shares, strict=True):
            value = low * (high / low) ** share if low > 0 else low + share * (high - low)
            least, most = settings.limits[knob]
            changes[knob] = min(max(_plain(value, whole=isinstance(least, int)), least), most)
        with suppress(check.RefusedError):
            found.append(settings.change(**changes))
    return tuple(found)


def best(medians: Sequence[float], measure: Measure) -> int:
    """Return the place of the best median."""
    values = np.asarray(medians, dtype=float)
    return int(np.nanargmax(values) if measure.better == "higher" else np.nanargmin(values))


def recommend(
    settings: Settings,
    *,
    tries: int = 12,
    measure: str = "",
    ranges: Mapping[str, tuple[float, float]] | None = None,
    repeats: int = 24,
    seeds: int = 5,
) -> pd.DataFrame:
    """Try settings out of declared ranges: a row a try, the best first, with the median run by
    which it was ``chosen``,
    and for the best one ``again``: the median of those on other seeds, with fresh noise and on
    other splits. The
    best of many is chosen for its luck too: only ``again`` says what it is worth.

    ranges: field -> (low, high); by default ``settings.tuned``. Raises RefusedError where there is
        nothing to tune.

    >>> from pages.classifier.experiment import ClassifierSettings
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
    name, ranges = _measure(settings, measure), dict(ranges or settings.tuned)
    if not ranges:
        raise check.RefusedError("ranges", ranges, "at least one field with its range")
    all_tries = drawn(settings, tries=tries, ranges=ranges)
    if not all_tries:
        raise check.RefusedError(
            "ranges", ranges, "ranges of which these settings accept something"
        )
    medians = [float(np.median(measured(one, measure=name, repeats=repeats))) for one in all_tries]
    first = best(medians, settings.measures[name])
    others = split(all_tries[first], seeds + 1)[1:]
    again = [math.nan] * len(all_tries)
    again[first] = float(
        np.median([np.median(measured(one, measure=name, repeats=repeats)) for one in others])
    )
    frame = pd.DataFrame([{knob: getattr(one, knob) for knob in ranges} for one in all_tries])
    frame = frame.assign(chosen=medians, again=again)
    return frame.sort_values(
        "chosen", ascending=settings.measures[name].better == "lower", ignore_index=True
    )
