"""What today's settings, A, and the pinned ones, B, have different: settings, numbers, and how sure the difference is.

Differences beside two numbers are those of the numbers as shown. The sentence is chosen by the interval alone.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from html import escape, unescape
from typing import Any

from lab.differences import Difference
from lab.settings import Measure, Settings
from ui.panels import Number
from ui.plot.theme import written
from ui.vocabulary import KNOBS

LATER = "How sure the difference is follows when both are trained."
GROUPS = "Data or noise may differ between A and B, so they are compared as two groups"
_MOST_DECIMALS = 15
_TAG, _SMALL = re.compile(r"<[^>]*>"), re.compile(r"<small>(.*?)</small>")


# (label, A, B, A − B), plain.
Row = tuple[str, str, str, str]
# (field, value) -> (its label, the value in words), or None where it is somebody else's to say.
Words = Callable[[str, Any], tuple[str, str] | None]


def table(choices: str, moving: str, said: str, *, name: str = "pinned") -> str:
    """``choices`` and what is ``moving``, rows of it, and the sentence ``said`` under them. ``name``: B's, plain."""
    heads = '<th scope="col"><b class="lab-a">A</b> now</th>' + (
        f'<th scope="col"><b class="lab-b">B</b> {escape(name)}</th><th scope="col">A − B</th>'
    )
    bodies = f'<tbody>{choices}</tbody><tbody class="lab-compare-moving">{moving}</tbody>'
    return (
        f'<div class="lab-compare"><table><thead><tr><td></td>{heads}</tr></thead>{bodies}</table>'
        f'<p class="lab-compare-said">{said}</p></div>'
    )


def rows(some: Iterable[Row]) -> str:
    """Rows of the table, as HTML."""
    return "".join(
        f'<tr><th scope="row">{escape(label)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for label, *cells in some
    )


def settings_rows(a: Settings, b: Settings, words: Words) -> list[Row]:
    """A row for each field that differs, as ``words`` say it; none where they say nothing."""
    names = (one.name for one in fields(a) if getattr(a, one.name) != getattr(b, one.name))
    pairs = ((words(name, getattr(a, name)), words(name, getattr(b, name))) for name in names)
    return [(*one, other[1], "") for one, other in pairs if one and other]


def of_knobs(changes: Mapping[str, Mapping[str, Any]]) -> Words:
    """What a page's knobs are called, and their values; ``changes``: how they differ from ``KNOBS``."""

    def words(name: str, value: Any) -> tuple[str, str] | None:
        if name not in KNOBS:
            return None
        label = changes.get(name, {}).get("label", KNOBS[name]["label"])
        return label, written(value) if isinstance(value, float) else str(value)

    return words


def of_choices(choices: Mapping[str, tuple[str, Mapping[Any, str]]]) -> Words:
    """What a page calls all else, and what is chosen; ``choices``: field -> (label, options)."""

    def words(name: str, value: Any) -> tuple[str, str] | None:
        label, options = choices.get(name, (name.replace("_", " ").capitalize(), {}))
        return None if name in KNOBS else (label, options.get(value, str(value)))

    return words


def number_rows(a: Sequence[Number], b: Sequence[Number]) -> list[Row]:
    """A row for each of A's big numbers, beside B's of the same name or, in the same place, of the same unit."""
    named = {one.label: one for one in b}
    places = {(place, one.unit): one for place, one in enumerate(b) if one.unit}
    return [_number_row(one, named.get(one.label) or places.get((place, one.unit))) for place, one in enumerate(a)]


def _number_row(mine: Number, theirs: Number | None) -> Row:
    one, other = _shown(mine), _shown(theirs) if theirs else "–"
    single = theirs is not None and None not in (mine.amount, theirs.amount)
    return mine.label, one, other, apart(one, other) if single else ""


def _shown(number: Number) -> str:
    """A number of the strip in a narrow column: without its unit, a range with a dash."""
    bare = unescape(_TAG.sub("", _SMALL.sub(lambda found: "–" if found[1] == "to" else "", number.value)))
    return re.sub(r"\s*–\s*", "–", bare.replace("%", "")).strip()


def apart(one: str, other: str) -> str:
    """The difference of two numbers as they are shown, with its sign; nothing where one is none.

    >>> apart("90.6", "87.4"), apart("1,880", "2,010"), apart("53", "53.0"), apart("unlimited", "3")
    ('+3.2', '−130', '0', '')
    """
    try:
        values = [float(text.replace(",", "")) for text in (one, other)]
    except ValueError:
        return ""
    decimals = max(len(text.partition(".")[2]) for text in (one, other))
    return _signed(values[0] - values[1], decimals, plus="+")


def sentence(found: Difference, measure: Measure) -> str:
    """How much better A is, and how sure that is."""
    if found.sure:
        return _without_chance(found, measure)
    decimals = _decimals(found, measure)
    sure = f"(95 % confidence: {_range(found, measure, decimals)}{f', {found.pairs} pairs' if found.paired else ''})"
    if found.shown:
        head = "Same noise in both: " if found.paired else f"{GROUPS}: "
        return f"{head}{_ahead(found.mean, measure, decimals)} on average {sure}."
    unit = f" {_points(found.mean, decimals)}" if measure.share else ""
    none = f"o difference can be shown: {_signed(_scaled(found.mean, measure), decimals, plus='+')}{unit} {sure}."
    return f"N{none}" if found.paired else f"{GROUPS}: n{none}"


def _without_chance(found: Difference, measure: Measure) -> str:
    if found.mean == 0:
        same = "A is right as often as B" if measure.share else f"the {measure.label} is equal in A and B"
        return f"The same: {same}, in every run."
    return f"{_capital(_ahead(found.mean, measure, _decimals(found, measure)))}, in every run."


def _ahead(mean: float, measure: Measure, decimals: int) -> str:
    size = f"{abs(_scaled(mean, measure)):,.{decimals}f}"
    if measure.share:
        return f"A is right <b>{size} {_points(mean, decimals)}</b> {'more' if mean > 0 else 'less'} often"
    return f"the {measure.label} is <b>{size} {'higher' if mean > 0 else 'lower'}</b> in A"


def _range(found: Difference, measure: Measure, decimals: int) -> str:
    """The ends of the interval; where a difference is shown, those of its size."""
    ends = [_scaled(end, measure) for end in (found.low, found.high)]
    if found.high < 0:
        ends = [-end for end in reversed(ends)]
    return " to ".join(_signed(end, decimals) for end in ends)


def _scaled(value: float, measure: Measure) -> float:
    """A difference of shares in points; any other in the measure's own unit."""
    return 100 * value if measure.share else value


def _points(mean: float, decimals: int) -> str:
    return "point" if f"{abs(100 * mean):.{decimals}f}" == "1" else "points"


def _decimals(found: Difference, measure: Measure) -> int:
    """As few as tell the ends apart, and from 0 what is not 0; one at least for points."""
    values = [_scaled(value, measure) for value in (found.mean, found.low, found.high)]
    size = max(map(abs, values))
    least = 1 if measure.share else max(0, 1 - math.floor(math.log10(size)))
    fits = (places for places in range(least, _MOST_DECIMALS) if _apart(values, places, sure=found.sure))
    return next(fits, _MOST_DECIMALS)


def _apart(values: Sequence[float], decimals: int, *, sure: bool) -> bool:
    texts = [f"{abs(value):.{decimals}f}" for value in values]
    zeros = [float(text) == 0 for text in texts]
    signed = [_signed(value, decimals) for value in values[1:]]
    return zeros == [value == 0 for value in values] and (sure or signed[0] != signed[1])


def _signed(value: float, decimals: int, *, plus: str = "") -> str:
    """A number with a true minus sign."""
    size = f"{abs(value):,.{decimals}f}"
    if float(size.replace(",", "")) == 0:
        return "0"
    return f"{plus if value > 0 else '−'}{size}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
