"""What today's settings, A, and the pinned ones, B, have different: settings, numbers, and how sure the difference is.

Differences beside two numbers are those of the numbers as shown. The sentence is chosen by the interval alone.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from html import escape, unescape
from typing import Any

from lab.claims import Case, judge
from lab.differences import Difference
from lab.settings import Measure, Settings
from ui.panels import Number, amount
from ui.plot.theme import written
from ui.texts import SAYS
from ui.vocabulary import KNOBS

LATER = SAYS["compared.later"]
_MOST_DECIMALS = 15
_TAG, _SMALL = re.compile(r"<[^>]*>"), re.compile(r"<small>(.*?)</small>")

# (label, A, B, A − B), plain.
Row = tuple[str, str, str, str]
# (field, value) -> (its label, the value in words), or None where it is somebody else's to say.
Words = Callable[[str, Any], tuple[str, str] | None]


def table(choices: str, moving: str, said: str, *, name: str = "pinned") -> str:
    """Return ``choices`` and what is ``moving``, rows of it, and the sentence ``said`` under them. ``name``: B's,
    plain."""
    return (
        '<div class="lab-compare"><table><thead><tr><td></td><th scope="col"><b class="lab-a">A</b> now</th>'
        f'<th scope="col"><b class="lab-b">B</b> {escape(name)}</th><th scope="col">A − B</th></tr></thead>'
        f'<tbody>{choices}</tbody><tbody class="lab-compare-moving">{moving}</tbody></table>'
        f'<p class="lab-compare-said">{said}</p></div>'
    )


def rows(some: Iterable[Row]) -> str:
    """Return rows of the table, as HTML."""
    return "".join(
        f'<tr><th scope="row">{escape(label)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for label, *cells in some
    )


def settings_rows(a: Settings, b: Settings, words: Words) -> list[Row]:
    """Return a row for each field that differs, as ``words`` say it; none where they say nothing."""
    names = (one.name for one in fields(a) if getattr(a, one.name) != getattr(b, one.name))
    pairs = ((words(name, getattr(a, name)), words(name, getattr(b, name))) for name in names)
    return [(*one, other[1], "") for one, other in pairs if one and other]


def knob_words(name: str, value: Any, changes: Mapping[str, Mapping[str, Any]]) -> tuple[str, str] | None:
    """Return a knob's label and value, or None for a field without a knob; ``changes``: how a page differs from
    ``KNOBS``."""
    if name not in KNOBS:
        return None
    label = changes.get(name, {}).get("label", KNOBS[name]["label"])
    return label, written(value) if isinstance(value, float) else str(value)


def choice_words(name: str, value: Any, choices: Mapping[str, tuple[str, Mapping[Any, str]]]) -> tuple[str, str] | None:
    """Return the label of any other field, and what is chosen; ``choices``: field -> (label, options)."""
    label, options = choices.get(name, (name.replace("_", " ").capitalize(), {}))
    return None if name in KNOBS or name == "own" else (label, options.get(value, str(value)))


def number_rows(a: Sequence[Number], b: Sequence[Number]) -> list[Row]:
    """Return a row for each of A's big numbers, beside B's of the same name or, in the same place, of the same unit."""
    named = {one.label: one for one in b}
    places = {(place, one.unit): one for place, one in enumerate(b) if one.unit}
    found = []
    for place, mine in enumerate(a):
        theirs = named.get(mine.label) or places.get((place, mine.unit))
        one, other = _shown(mine), _shown(theirs) if theirs else "–"
        single = theirs is not None and None not in (mine.amount, theirs.amount)
        found.append((mine.label, one, other, apart(one, other) if single else ""))
    return found


def _shown(number: Number) -> str:
    """Return a number of the strip in a narrow column: without its unit, a range with a dash."""
    bare = unescape(_TAG.sub("", _SMALL.sub(lambda found: "–" if found[1] == "to" else "", number.value)))
    return re.sub(r"\s*–\s*", "–", bare.replace("%", "")).strip()


def apart(one: str, other: str) -> str:
    """Return the difference of two numbers as they are shown, with its sign; nothing where one is none.

    >>> apart("90.6", "87.4"), apart("1,880", "2,010"), apart("53", "53.0"), apart("unlimited", "3")
    ('+3.2', '−130', '0', '')
    """
    mine, theirs = amount(one), amount(other)
    if mine is None or theirs is None:
        return ""
    decimals = max(len(text.partition(".")[2]) for text in (one, other))
    return _signed(mine - theirs, decimals, plus="+")


def sentence(found: Difference, measure: Measure, *, least: float = 0.0) -> str:
    """Return how much better A is, and how sure that is. ``least``: the least difference worth a claim."""
    decimals = _decimals(found, measure)
    unit = ""
    if measure.share:
        unit = "\u00a0point" if f"{abs(100 * found.median):.{decimals}f}" == "1" else "\u00a0points"
    scaled, way = _scaled(found.median, measure), "higher" if found.median > 0 else "lower"
    if found.sure:
        case = f"sure-{way}" if found.median else "same"
    else:
        verdict = judge(found, better=measure.better, least=least)
        size = way if verdict != Case.ALIKE else "small" if found.shown else "alike"
        case = f"{'paired' if found.paired else 'groups'}-{size}"
    return SAYS(
        f"compared.{case}",
        what="accuracy" if measure.share else measure.label,
        size=f"{abs(scaled):,.{decimals}f}{unit}",
        signed=f"{_signed(scaled, decimals, plus='+')}{unit}",
        pairs=found.pairs,
        sure=_range(found, measure, decimals),
    )


def _range(found: Difference, measure: Measure, decimals: int) -> str:
    """Return the interval in words; where a difference is shown, with the ends of its size."""
    if not found.bounded:
        return SAYS["compared.unbounded"]
    ends = [_scaled(end, measure) for end in (found.low, found.high)]
    if found.high < 0:
        ends = [-end for end in reversed(ends)]
    low, high = (_signed(end, decimals) for end in ends)
    return SAYS("compared.interval", low=low, high=high)


def _scaled(value: float, measure: Measure) -> float:
    return 100 * value if measure.share else value


def _decimals(found: Difference, measure: Measure) -> int:
    """Return as few as tell the ends apart, and from 0 what is not 0; one at least for points."""
    values = [_scaled(value, measure) for value in (found.median, found.low, found.high)]
    if not found.bounded:
        values = values[:1] * 3
    size = max(map(abs, values)) or 1.0
    least = 1 if measure.share else max(0, 1 - math.floor(math.log10(size)))
    sure = found.sure or not found.bounded
    return next((n for n in range(least, _MOST_DECIMALS) if _apart(values, n, sure=sure)), _MOST_DECIMALS)


def _apart(values: Sequence[float], decimals: int, *, sure: bool) -> bool:
    texts = [f"{abs(value):.{decimals}f}" for value in values]
    zeros = [float(text) == 0 for text in texts]
    signed = [_signed(value, decimals) for value in values[1:]]
    return zeros == [value == 0 for value in values] and (sure or signed[0] != signed[1])


def _signed(value: float, decimals: int, *, plus: str = "") -> str:
    """Return a number with a true minus sign."""
    size = f"{abs(value):,.{decimals}f}"
    if float(size.replace(",", "")) == 0:
        return "0"
    return f"{plus if value > 0 else '−'}{size}"
