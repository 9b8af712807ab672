"""Sentences held against results: a page's settings at random, and rules on what may be said when.

A rule is a pattern and a predicate on (result, match): wherever the pattern stands in what a page
says, the predicate must hold. ``hold`` tries a table of rules on seeded settings, over all choices
and limits and their ends, finished and half computed. ``SOAK=3000`` in the environment (``make
soak``) tries that many settings a page instead of a sample.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import fields
from html import unescape
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from dpcore.check import RefusedError
from lab.statistics.confusion import ByClass, balanced_accuracy, recalls
from tests.claims import too_few, unexplained, worse

Rules = Mapping[str, Callable[[Any, re.Match], bool]]


def amount(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def says(
    *values: Callable[[Any], float],
    given: Callable[[Any], Any] = bool,
    rel: float = 0.006,
    within: float = 0.0,
):
    """Return a rule: the numbers said are these of the result, and it meets ``given``."""

    def holds(result: Any, match: re.Match) -> bool:
        wanted = pytest.approx([float(value(result)) for value in values], rel=rel, abs=within)
        return (given is bool or bool(given(result))) and [
            amount(one) for one in match.groups()
        ] == wanted

    return holds


def percent(
    *shares: Callable[[Any], float], given: Callable[[Any], Any] = bool, within: float = 0.51
):
    return says(
        *(lambda r, one=one: 100 * one(r) for one in shares), given=given, rel=0, within=within
    )


def counts(*values: Callable[[Any], int], given: Callable[[Any], Any] = bool):
    return says(*values, given=given, rel=1e-12)


Limits = Mapping[str, tuple | list]

# What no page may say, whatever it is about.
NEVER: Rules = {
    r"\b(nan|inf|None|True|False)\b": lambda *_: False,
    r"(?<![\d.,−])(?<!e-)([\d.,]+) (?:to|and|or rise to|against|instead of) \1(?![\d.,]*\d)": (
        lambda *_: False
    ),
    r"(?<![\d.,])1 (?:steps|times|people|rows|networks|lots|settings|epochs|answers|points)\b": (
        lambda *_: False
    ),
    r"(?<![\d.,])[-−]0(?:\.0+)?(?![\d.])": lambda *_: False,
    r"\de[-+]0\d": lambda *_: False,
    # An equality is never shown, a bound that proves nothing is no property of what it bounds, and
    # what does better stands first
    r"\bshows? no (?:loss|change|difference|gain|cost)": lambda *_: False,
    r"\bshuffler brings nothing": lambda *_: False,
    r"\bIt changes the odds": lambda *_: False,
    r"sources cut excess risk by .* (?:Using only the sources|Pooling all rows) does better": (
        lambda *_: False
    ),
}
# What may be said only of enough runs, whatever the page is about.
OF_ENOUGH: Rules = {
    # Fewer than six pairs of runs cannot show a difference, so that none says nothing of its
    # absence
    r"can be shown in (\d+) (?:runs|draws|pairs)": lambda _, m: int(m[1]) >= 6,
    r"\b[Nn]o (?:accuracy loss|loss|cost|difference|gain|help|change)\b[^.:;(]*\bshown": (
        lambda r, _: getattr(r.settings, "repeats", 6) >= 6
    ),
    r"(\d+) (?:runs|pairs of runs) are too few to say(?! which)": lambda _, m: int(m[1]) < 7,
    r"(\d+) runs are too few to say which": lambda _, m: int(m[1]) < 10,
}


def hold(
    kind: type,
    words: Callable[[Any], str],
    rules: Rules,
    *,
    within: Limits | None = None,
    also: Iterable[Any] = (),
    count: int = 100,
    essential: bool | Callable[[Any], Iterable[Any]] = False,
    seldom: Rules = MappingProxyType({}),
    harmless: tuple[str, ...] | None = None,
) -> None:
    """Hold ``rules`` against ``words`` (HTML or plain) of the results of ``count`` settings of
    ``kind``.

    within: field -> (lowest, highest) number, or a list of what it may be, so that settings run
        quickly.
    also: settings, or results, that are tried as well, for what is seldom said: a rule found
        nowhere fails too.
    essential: run only the essential tasks, and those that this gives: nothing that a page says
        waits for more.
    seldom: rules whose patterns may be found nowhere.
    harmless: where a claim's words claim nothing; elsewhere each stands in a rule's pattern. None:
    they may stand anywhere.
    """
    rng, found, every = np.random.default_rng(0), set(), {**rules, **seldom}
    drawn = (at_random(kind, rng, within or {}) for _ in range(int(os.environ.get("SOAK", count))))
    for settings, whole in [
        *((one, True) for one in also),
        *((one, rng.random() < 0.75) for one in drawn),
    ]:
        if hasattr(settings, "settings"):
            result = settings
        elif essential:
            result = first(settings, essential(settings) if callable(essential) else ())
        else:  # all of the work, or as much as may be done when a page speaks
            tasks = settings.experiment.tasks()
            done = len(tasks) if whole else int(rng.integers(len(tasks) + 1))
            result = first(settings, tasks[:done])
        said = plain(words(result))
        found |= broken_by(said, result, every)
        claimed = [] if harmless is None else unexplained(said, every, harmless)
        assert not claimed, f"{claimed} is held by no rule, in {result.settings}"
    assert not set(rules) - found, f"never said: {set(rules) - found}"


def broken_by(said: str, result: Any, rules: Rules) -> set[str]:
    """The patterns of ``rules`` found in ``said``; fails where one of them should not stand
    there.
    """
    found = set()
    for pattern, holds in {**NEVER, **OF_ENOUGH, **rules}.items():
        for match in re.finditer(pattern, said):
            assert holds(result, match), f"{match[0]!r} is not so in {result.settings}: {said}"
            found.add(pattern)
    return found


def tiles(numbers: Iterable[Any]) -> list[str]:
    """What the big numbers over the pictures say."""
    return [f"{one.label}: {one.value} ({one.note})." for one in numbers]


def titles(*figures: Any) -> list[str]:
    return [f"{figure['layout']['title']['text']}." for figure in figures]


def always(result: Any) -> float:
    """The share of right answers on held-out rows of the best answer that is always the same."""
    return float(np.bincount(result.split.y_test).max() / len(result.split.y_test))


def costs(
    private: Callable[[Any], np.ndarray],
    without: Callable[[Any], np.ndarray | float],
    ratio: Callable[[Any], float],
    begun: Callable[[Any], bool] = lambda _: True,
    steps: Callable[[Any], int] = lambda r: r.settings.steps,
    paired: bool = True,
) -> Rules:
    """What is said of the accuracies of models with privacy and without, and of a step's noise over
    its signal.

    begun: whether anything may be said of a cost. steps: in how many steps independent noise was
    added. paired: whether run r of both has the same noise.
    """

    def middle(result: Any) -> float:
        return float(np.median(private(result)))

    def gap(result: Any) -> float:
        return float(np.median(without(result))) - middle(result)

    def lost(result: Any) -> bool:
        whole = len(private(result)) == result.settings.repeats
        runs = private(result), without(result)
        return begun(result) and worse(*runs, constant=always(result), whole=whole, paired=paired)

    def few(result: Any) -> bool:
        return too_few(private(result), without(result), paired=paired)

    def fewest(result: Any) -> int:
        return min(
            len(private(result)),
            np.size(without(result)) if np.ndim(without(result)) else len(private(result)),
        )

    def alike(result: Any) -> bool:
        return begun(result) and not lost(result) and not few(result)

    def left(result: Any) -> float:
        return ratio(result) / np.sqrt(steps(result))

    return {
        r"Privacy lowers accuracy by ([\d.]+) points?": percent(gap, given=lost, within=1.01),
        r"No accuracy loss can be shown in (\d+) runs": counts(fewest, given=alike),
        r"(\d+) runs are too few to say whether privacy lowers accuracy": counts(
            fewest, given=lambda r: begun(r) and few(r)
        ),
        r"learnt nothing yet": lambda r, _: begun(r) and middle(r) <= always(r),
        r"(?:Private accuracy|Accuracy as published|Accuracy): ([\d.]+)": percent(middle),
        r"Non-private accuracy: ([\d.]+)": percent(lambda r: np.median(without(r))),
        r"accuracy loss: ([\d.]+) points?": percent(gap, given=lost, within=1.01),
        r"no accuracy loss shown": lambda r, _: alike(r),
        r"noise is ([\d.,]+) times": says(ratio),
        r"it averages out": lambda r, _: ratio(r) > 1 >= left(r),
        r"steps it falls to ([\d.,]+) times": lambda r, m: (
            left(r) > 1 and amount(m[1]) == float(f"{left(r):.2g}")
        ),
        r"releasing one of them whole": lambda r, _: r.settings.delta * r.settings.rows >= 1,
    }


def beyond_accuracy(
    mine: Callable[[Any], ByClass], *others: Callable[[Any], ByClass | None]
) -> Rules:
    """What the tab *By class* says of ``mine`` beside ``others``, which may still be None, in their
    order.
    """

    def beside(result: Any, match: re.Match) -> bool:
        known = [100 * _balanced(one) for other in others if (one := other(result))]
        return [float(one) for one in re.findall(r"([\d.]+) %", match[1])] == pytest.approx(
            known, rel=0, abs=0.51
        )

    def largest(result: Any) -> float:
        rows = mine(result).counts.sum(axis=(0, 2))
        return rows.max() / rows.sum()

    return {
        r"balanced accuracy is ([\d.]+) % \(": percent(lambda r: _balanced(mine(r))),
        r"balanced accuracy is [\d.]+ % \(([^)]+)\)": beside,
        r"has accuracy (\d+) % and balanced accuracy (\d+) %": percent(
            largest, lambda r: 1 / mine(r).counts.shape[1]
        ),
        r"loss on held-out rows is ([\d.e+,]+) nats ": says(lambda r: np.median(mine(r).loss)),
    }


def two_stories(mine: Callable[[Any], ByClass]) -> Rules:
    """What is said where accuracy and balanced accuracy of ``mine`` are far apart."""

    def ahead(result: Any, sign: int) -> bool:
        return sign * (_accuracy(mine(result)) - _balanced(mine(result))) > 0.0299

    def sizes(sign: int) -> Callable[[Any, re.Match], bool]:
        accuracy, gap = (
            lambda r: _accuracy(mine(r)),
            lambda r: abs(_accuracy(mine(r)) - _balanced(mine(r))),
        )
        return percent(accuracy, gap, given=lambda r: ahead(r, sign), within=1.01)

    def found(result: Any) -> np.ndarray:
        return np.median(recalls(mine(result).counts), axis=0)

    return {
        r"Accuracy is ([\d.]+) %, ([\d.]+) points above balanced": sizes(1),
        r"Accuracy is ([\d.]+) %, ([\d.]+) points below balanced": sizes(-1),
        r"run finds ([\d.]+) of 100 rows of “[^”]+” and ([\d.]+) of": percent(
            lambda r: np.nanmax(found(r)), lambda r: np.nanmin(found(r))
        ),
    }


def _accuracy(one: ByClass) -> float:
    return float(np.median(np.trace(one.counts, axis1=1, axis2=2) / one.counts.sum(axis=(1, 2))))


def _balanced(one: ByClass) -> float:
    return float(np.median(balanced_accuracy(one.counts)))


def plain(text: str) -> str:
    """``text`` without its markup, and its entities as what they stand for."""
    bare = re.sub(r"</?(?:b|i|sub|sup)>", "", text)
    return re.sub(r"\s+", " ", unescape(re.sub(r"</?[a-z][^>]*>", " ", bare)))


def first(settings: Any, also: Iterable[Any] = ()) -> Any:
    """The result of the first picture, and of some tasks besides."""
    essential = (task for task in settings.experiment.tasks() if task.essential)
    return settings.experiment.gather({task: _done(task) for task in (*essential, *also)})


_KNOWN: dict[Any, Any] = {}


def _done(task: Any) -> Any:
    """A task's outcome; small ones are kept, as those of accountants, which many settings share."""
    if task not in _KNOWN:
        found = task.run()
        if not isinstance(found, float | np.ndarray) or np.size(found) > 100:
            return found
        _KNOWN[task] = found
    return _KNOWN[task]


def at_random(kind: type, rng: np.random.Generator, within: Limits) -> Any:
    """Settings of ``kind``: any choices, then any numbers, an end or the default often; what is
    refused is left.
    """
    settings = kind()
    names = [one.name for one in fields(kind)]
    choices = [name for name in names if isinstance(getattr(settings, name), str)]
    for name in choices:
        with suppress(RefusedError):
            settings = settings.change(
                **{name: str(rng.choice(within.get(name) or options(kind, name)))}
            )
    for name in map(str, rng.permutation([name for name in names if name not in choices])):
        value = _number(settings, name, rng, within)
        with suppress(RefusedError):
            settings = settings.change(**{name: value})
    return settings


def options(kind: type, name: str) -> list[str]:
    """What a field that is a choice may be, as its refusal says; its default alone where that says
    nothing.
    """
    try:
        kind(**{name: "?"})
    except RefusedError as refusal:
        listed = refusal.allowed.removeprefix("one of: ")
        if refusal.name == name and listed != refusal.allowed:
            return listed.split(", ")
    return [getattr(kind(), name)]


def _number(settings: Any, name: str, rng: np.random.Generator, within: Limits) -> float:
    """A number for a field: an end of what is allowed, the default, or one between, in proportion
    where it is wide.
    """
    now = getattr(settings, name)
    if isinstance(within.get(name), list):
        return rng.choice(within[name]).item()
    (low, high), (least, most) = (
        settings.limits.get(name, (now, now)),
        within.get(name, (-np.inf, np.inf)),
    )
    if max(low, least) <= min(high, most):
        low, high = max(low, least), min(high, most)
    evenly = float(rng.uniform(low, high))
    between = (
        float(np.exp(rng.uniform(np.log(low), np.log(high))))
        if low > 0 and high / low > 20
        else evenly
    )
    value = rng.choice([low, high, min(max(now, low), high), between], p=[0.1, 0.1, 0.1, 0.7])
    return round(float(value)) if isinstance(now, int) else float(f"{value:.4g}")
