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
from lab.statistics.confusion import ByClass, balanced_accuracy
from tests.claims import too_few, unexplained, worse

Rules = Mapping[str, Callable[[Any, re.Match], bool]]
# Fields that are numbers are drawn in proportion where their range is wider than this factor.
_WIDE_RANGE = 20
# Outcomes of tasks up to this size are kept.
_MOST_KEPT_VALUES = 100


def amount(text: str) -> float:
    """Return a number as a page writes it, with commas for thousands and a minus sign."""
    return float(text.replace(",", "").replace("−", "-"))


def says(
    *values: Callable[[Any], float],
    given: Callable[[Any], Any] = bool,
    rel: float = 0.006,
    within: float = 0.0,
):
    """Return a rule: the numbers in a sentence are these of the result.

    Args:
        values: Functions of a result, in the order of the numbers.
        given: Tells whether a result allows the sentence; any result does by default.
        rel: Relative tolerance.
        within: Absolute tolerance.
    """

    def holds(result: Any, match: re.Match) -> bool:
        """Return whether the numbers of the match are the expected ones."""
        if given is not bool and not given(result):
            return False
        expected = [float(value(result)) for value in values]
        numbers = [amount(text) for text in match.groups()]
        return numbers == pytest.approx(expected, rel=rel, abs=within)

    return holds


def percent(
    *shares: Callable[[Any], float], given: Callable[[Any], Any] = bool, within: float = 0.51
):
    """Return a rule: the percentages in a sentence are these shares of the result."""

    def in_percent(share: Callable[[Any], float]) -> Callable[[Any], float]:
        """Return a function that gives the share in percent."""
        return lambda result: 100 * share(result)

    return says(*map(in_percent, shares), given=given, rel=0, within=within)


def counts(*values: Callable[[Any], int], given: Callable[[Any], Any] = bool):
    """Return a rule: the whole numbers in a sentence are exactly these of the result."""
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
    r"can be shown in (\d+) (?:runs|pairs)": lambda _, m: int(m[1]) >= 6,
    r"\b[Nn]o (?:loss|cost|difference|gain|help|change)\b[^.:;(]*\bshown": (
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
    rng = np.random.default_rng(0)
    all_rules = {**rules, **seldom}
    found: set[str] = set()

    def check_result(result: Any) -> None:
        """Hold the rules against what is said of a result, and note which patterns were found."""
        sentence = plain(words(result))
        found.update(broken_by(sentence, result, all_rules))
        if harmless is not None:
            claimed = unexplained(sentence, all_rules, harmless)
            assert not claimed, f"{claimed} is held by no rule, in {result.settings}"

    def result_of(settings: Any, *, whole: bool) -> Any:
        """Return the result of the essential tasks and of further ones.

        Those are what ``essential`` gives or, if it is False, all tasks or a random number of them.
        """
        if essential:
            further_tasks: Iterable[Any] = ()
            if callable(essential):
                further_tasks = essential(settings)
            return first(settings, further_tasks)
        tasks = settings.experiment.tasks()
        done = len(tasks)
        if not whole:
            # As much as may be done when a page speaks.
            done = int(rng.integers(len(tasks) + 1))
        return first(settings, tasks[:done])

    for given in also:
        if hasattr(given, "settings"):
            check_result(given)
        else:
            check_result(result_of(given, whole=True))
    drawn = []
    for _ in range(int(os.environ.get("SOAK", count))):
        settings = at_random(kind, rng, within or {})
        drawn.append((settings, rng.random() < 0.75))
    for settings, is_whole in drawn:
        check_result(result_of(settings, whole=is_whole))
    never_said = set(rules) - found
    assert not never_said, f"never said: {never_said}"


def broken_by(said: str, result: Any, rules: Rules) -> set[str]:
    """Return the patterns of ``rules`` found in ``said``; fails where one of them should not stand
    there.
    """
    found = set()
    for pattern, holds in {**NEVER, **OF_ENOUGH, **rules}.items():
        for match in re.finditer(pattern, said):
            assert holds(result, match), f"{match[0]!r} is not so in {result.settings}: {said}"
            found.add(pattern)
    return found


def tiles(numbers: Iterable[Any]) -> list[str]:
    """Return what the big numbers over the pictures say."""
    return [f"{one.label}: {one.value} ({one.note})." for one in numbers]


def titles(*figures: Any) -> list[str]:
    """Return the titles of figures as sentences."""
    return [f"{figure['layout']['title']['text']}." for figure in figures]


def always(result: Any) -> float:
    """Return the share of right answers on held-out rows of the best answer that is always the
    same.
    """
    return float(np.bincount(result.split.y_test).max() / len(result.split.y_test))


def costs(
    private: Callable[[Any], np.ndarray],
    without: Callable[[Any], np.ndarray | float],
    ratio: Callable[[Any], float],
    begun: Callable[[Any], bool] = lambda _: True,
    steps: Callable[[Any], int] = lambda r: r.settings.steps,
    paired: bool = True,
) -> Rules:
    """Return what is said of the accuracies of models with privacy and without, and of a step's
    noise over its signal.

    begun: whether anything may be said of a cost. steps: in how many steps independent noise was
    added. paired: whether run r of both has the same noise.
    """

    def middle(result: Any) -> float:
        """Return the median accuracy with privacy."""
        return float(np.median(private(result)))

    def gap(result: Any) -> float:
        """Return how far the median accuracy with privacy is below that without."""
        return float(np.median(without(result))) - middle(result)

    def lost(result: Any) -> bool:
        """Return whether privacy is shown to lower accuracy."""
        whole = len(private(result)) >= result.settings.repeats
        runs = private(result), without(result)
        return begun(result) and worse(*runs, constant=always(result), whole=whole, paired=paired)

    def few(result: Any) -> bool:
        """Return whether the runs are too few to show a difference."""
        return too_few(private(result), without(result), paired=paired)

    def fewest(result: Any) -> int:
        """Return the number of runs with privacy or without, whichever is smaller."""
        runs = len(private(result))
        if np.ndim(without(result)) == 0:
            return runs
        return min(runs, np.size(without(result)))

    def alike(result: Any) -> bool:
        """Return whether enough runs show no cost of privacy."""
        return begun(result) and not lost(result) and not few(result)

    def left(result: Any) -> float:
        """Return the noise over the signal once all steps are averaged."""
        return ratio(result) / np.sqrt(steps(result))

    return {
        r"Privacy lowers accuracy by ([\d.]+) points?": percent(gap, given=lost, within=1.01),
        r"No cost of privacy can be shown in (\d+) runs": counts(fewest, given=alike),
        r"(\d+) runs are too few to say whether privacy lowers accuracy": counts(
            fewest, given=lambda r: begun(r) and few(r)
        ),
        r"learnt nothing yet": lambda r, _: begun(r) and middle(r) <= always(r),
        r"(?:Private accuracy|Accuracy as published|Accuracy): ([\d.]+)": percent(middle),
        r"Non-private accuracy: ([\d.]+)": percent(lambda r: np.median(without(r))),
        r"cost of privacy: ([\d.]+) points?": percent(gap, given=lost, within=1.01),
        r"no cost of privacy shown": lambda r, _: alike(r),
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
    """Return what the tab *By class* says of ``mine`` beside ``others``, which may still be None,
    in their order.
    """

    def beside(result: Any, match: re.Match) -> bool:
        """Return whether the percentages are the balanced accuracies of ``others``."""
        expected = []
        for other in others:
            by_class = other(result)
            if by_class is not None:
                expected.append(100 * _balanced(by_class))
        numbers = [float(text) for text in re.findall(r"([\d.]+) %", match[1])]
        return numbers == pytest.approx(expected, rel=0, abs=0.51)

    def largest(result: Any) -> float:
        """Return the share of rows in the largest class."""
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


def _balanced(one: ByClass) -> float:
    """Return the median of the models' balanced accuracies."""
    return float(np.median(balanced_accuracy(one.counts)))


def plain(text: str) -> str:
    """``text`` without its markup, and its entities as what they stand for."""
    bare = re.sub(r"</?(?:b|i|sub|sup)>", "", text)
    return re.sub(r"\s+", " ", unescape(re.sub(r"</?[a-z][^>]*>", " ", bare)))


def first(settings: Any, also: Iterable[Any] = ()) -> Any:
    """Return the result of the first picture, and of some tasks besides."""
    essential = (task for task in settings.experiment.tasks() if task.essential)
    return settings.experiment.gather({task: _done(task) for task in (*essential, *also)})


_KNOWN: dict[Any, Any] = {}


def _done(task: Any) -> Any:
    """Return a task's outcome; small ones are kept, as many settings share those of accountants."""
    if task not in _KNOWN:
        outcome = task.run()
        if not isinstance(outcome, float | np.ndarray) or np.size(outcome) > _MOST_KEPT_VALUES:
            return outcome
        _KNOWN[task] = outcome
    return _KNOWN[task]


def at_random(kind: type, rng: np.random.Generator, within: Limits) -> Any:
    """Return settings with random choices, then random numbers; what is refused is left out."""
    settings = kind()
    names = [field.name for field in fields(kind)]
    choices = [name for name in names if isinstance(getattr(settings, name), str)]
    for name in choices:
        value = str(rng.choice(within.get(name) or options(kind, name)))
        with suppress(RefusedError):
            settings = settings.change(**{name: value})
    numbers = [name for name in names if name not in choices]
    for name in map(str, rng.permutation(numbers)):
        value = _number(settings, name, rng, within)
        with suppress(RefusedError):
            settings = settings.change(**{name: value})
    return settings


def options(kind: type, name: str) -> list[str]:
    """Return the options of a choice, as its refusal says; else its default alone."""
    try:
        kind(**{name: "?"})
    except RefusedError as refusal:
        listed = refusal.allowed.removeprefix("one of: ")
        if refusal.name == name and listed != refusal.allowed:
            return listed.split(", ")
    return [getattr(kind(), name)]


def _number(settings: Any, name: str, rng: np.random.Generator, within: Limits) -> float:
    """Return a number for a field: an end of its range, its value, or one between."""
    current = getattr(settings, name)
    if isinstance(within.get(name), list):
        return rng.choice(within[name]).item()
    low, high = _range(settings, name, within)
    between = float(rng.uniform(low, high))
    if low > 0 and high / low > _WIDE_RANGE:
        between = float(np.exp(rng.uniform(np.log(low), np.log(high))))
    inside = min(max(current, low), high)
    value = float(rng.choice([low, high, inside, between], p=[0.1, 0.1, 0.1, 0.7]))
    if isinstance(current, int):
        return round(value)
    return float(f"{value:.4g}")


def _range(settings: Any, name: str, within: Limits) -> tuple[float, float]:
    """Return the allowed range of a field, as far as it meets the wanted one."""
    current = getattr(settings, name)
    low, high = settings.limits.get(name, (current, current))
    least, most = within.get(name, (-np.inf, np.inf))
    if max(low, least) <= min(high, most):
        return max(low, least), min(high, most)
    return low, high
