"""Compare the settings of a page, A, with the pinned ones, B, in a table and a sentence.

The difference beside two tiles is that of the numbers as they are shown. The sentence depends on
the confidence interval alone.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from html import escape, unescape
from typing import Any, NamedTuple

import numpy as np

from lab.experiment.settings import Measure, Settings
from lab.statistics import differences
from lab.statistics.claims import LEAST, Case, classify_difference
from lab.statistics.differences import Difference
from ui.compute.runner import repeats
from ui.text.numbers import format_number
from ui.text.sliders import SLIDERS
from ui.text.texts import SAYS
from ui.text.tiles import Tile, shown_number

# CSS selectors of the parts of the table that follow the sliders.
ROWS = ".lab-compare-moving"
SENTENCE = ".lab-compare-text"
PENDING = SAYS["compared.later"]
_NOT_SHOWN = "–"
_MOST_DECIMALS = 15
# Numbers as shown are compared to their last digit, with this relative tolerance for rounding.
_ROUNDING = 1e-9
_TAG = re.compile(r"<[^>]*>")
_SMALL = re.compile(r"<small>.*?</small>")
_DASH = re.compile(r"\s*–\s*")

# (label, A, B, A − B) as plain text.
Row = tuple[str, str, str, str]
# (field, value) -> (its label, the value as text), or None for a field that has no row.
FieldTexts = Callable[[str, Any], tuple[str, str] | None]


def table(choices: str, rows: str, sentence: str) -> str:
    """Return the table of A and B as HTML.

    Args:
        choices: Rows of the choices that differ, as HTML.
        rows: Rows of the sliders that differ and of the tiles, as HTML.
        sentence: The sentence under the table.
    """
    return (
        '<div class="lab-compare"><table><thead><tr><td></td>'
        '<th scope="col"><b class="lab-a">A</b> now</th>'
        '<th scope="col"><b class="lab-b">B</b> pinned</th>'
        '<th scope="col">A − B</th></tr></thead>'
        f'<tbody>{choices}</tbody><tbody class="lab-compare-moving">{rows}</tbody></table>'
        f'<p class="lab-compare-text">{sentence}</p></div>'
    )


def rows_html(rows: Iterable[Row]) -> str:
    """Return rows of the table as HTML."""
    lines = []
    for label, *cells in rows:
        cells_html = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{escape(label)}</th>{cells_html}</tr>')
    return "".join(lines)


def settings_rows(a: Settings, b: Settings, field_texts: FieldTexts) -> list[Row]:
    """Return a row for each field in which A and B differ and that ``field_texts`` describes."""
    rows = []
    for field in fields(a):
        value_a = getattr(a, field.name)
        value_b = getattr(b, field.name)
        if value_a == value_b:
            continue
        texts_a = field_texts(field.name, value_a)
        texts_b = field_texts(field.name, value_b)
        if texts_a is None or texts_b is None:
            continue
        label, text_a = texts_a
        _, text_b = texts_b
        rows.append((label, text_a, text_b, ""))
    return rows


def slider_texts(
    name: str, value: Any, changes: Mapping[str, Mapping[str, Any]]
) -> tuple[str, str] | None:
    """Return a slider's label and its value as text, or None for a field without a slider.

    changes: ``SliderLayout.changes`` of the page.
    """
    if name not in SLIDERS:
        return None
    label = changes.get(name, {}).get("label", SLIDERS[name]["label"])
    if isinstance(value, float):
        return label, format_number(value)
    return label, str(value)


def choice_texts(
    name: str, value: Any, choices: Mapping[str, tuple[str, Mapping[Any, str]]]
) -> tuple[str, str] | None:
    """Return the label and the value as text of a field without a slider, None for other fields.

    choices: ``PageState.choices``.
    """
    if name in SLIDERS or name == "own":
        return None
    if name not in choices:
        return name.replace("_", " ").capitalize(), str(value)
    label, options = choices[name]
    return label, options.get(value, str(value))


class RunDifference(NamedTuple):
    """The difference of the repeats of A and B, in a measure, and the medians of both."""

    difference: Difference
    measure: Measure
    median_a: float
    median_b: float

    def is_of_tiles(self, tile_a: Tile, tile_b: Tile) -> bool:
        """Return whether two tiles show these medians."""
        shows_a = _is_rounded(tile_a.amount, _scaled(self.median_a, self.measure))
        shows_b = _is_rounded(tile_b.amount, _scaled(self.median_b, self.measure))
        return shows_a and shows_b


def _is_rounded(amount: float | None, value: float) -> bool:
    """Return whether a number as shown is ``value`` to its last digit."""
    if amount is None:
        return False
    _, _, decimal_digits = f"{amount:.12g}".partition(".")
    half_digit = 0.5 * 10.0 ** -len(decimal_digits)
    return abs(amount - value) <= half_digit * (1 + _ROUNDING)


def run_difference(a: Settings, b: Settings, *, done: bool) -> RunDifference | None:
    """Return the difference of the repeats of A and B.

    Return None without repeats, and while some are still to be trained.

    done: Whether all work for both is done.
    """
    repeats_a = repeats(a, done=done)
    repeats_b = repeats(b, done=done)
    if repeats_a is None or repeats_b is None or _are_training(a, b, done=done):
        return None
    if a == b:
        # Certain, however few repeats there are.
        difference = Difference(median=0.0, low=0.0, high=0.0, pairs=len(repeats_a))
    elif a.experiment.pairs_with(b.experiment):
        # While a slider moves, one of them may have more repeats.
        pairs = min(len(repeats_a), len(repeats_b))
        repeats_a = repeats_a[:pairs]
        repeats_b = repeats_b[:pairs]
        difference = differences.of_pairs(repeats_a, repeats_b)
    else:
        difference = differences.of_groups(repeats_a, repeats_b)
    measure = a.experiment.measures[a.experiment.compared]
    return RunDifference(
        difference, measure, float(np.median(repeats_a)), float(np.median(repeats_b))
    )


def _are_training(a: Settings, b: Settings, *, done: bool) -> bool:
    """Return whether some repeats of A or B are still to be trained."""
    if done:
        return False
    for settings in (a, b):
        if settings.experiment.PAIRED_BY:
            known = repeats(settings, done=False)
            if known is None or len(known) < vars(settings)["repeats"]:
                return True
    return False


def comparison_sentence(runs: RunDifference | None, a: Settings, b: Settings, *, done: bool) -> str:
    """Return the sentence on the difference, on its delay while repeats are trained, or ""."""
    if runs is not None:
        least = LEAST
        if not runs.measure.share:
            least = LEAST * abs(runs.median_b)
        return difference_sentence(runs.difference, runs.measure, least=least)
    if _are_training(a, b, done=done):
        return PENDING
    return ""


def tile_rows(a: Sequence[Tile], b: Sequence[Tile], runs: RunDifference | None) -> list[Row]:
    """Return a row for each tile of A, with B's of the same label, or else of its place and unit.

    runs: Where repeats are compared in pairs, the tiles that show their medians have the difference
        of the pairs beside them, as has the sentence under the table.
    """
    by_label = {tile.label: tile for tile in b}
    by_place = {(place, tile.unit): tile for place, tile in enumerate(b) if tile.unit}
    pairs = runs
    if runs is not None and not runs.difference.paired:
        pairs = None
    rows = []
    for place, tile_a in enumerate(a):
        text_a = _tile_text(tile_a)
        tile_b = by_label.get(tile_a.label) or by_place.get((place, tile_a.unit))
        if tile_b is None:
            rows.append((tile_a.label, text_a, _NOT_SHOWN, ""))
            continue
        text_b = _tile_text(tile_b)
        gap = ""
        if tile_a.amount is not None and tile_b.amount is not None:
            gap = shown_difference(text_a, text_b)
        if pairs is not None and pairs.is_of_tiles(tile_a, tile_b):
            size = _size(pairs.difference, pairs.measure, plus="+")
            gap = SAYS("compared.in-pairs", gap=size)
            # The first such tile is the one that is compared.
            pairs = None
        rows.append((tile_a.label, text_a, text_b, gap))
    return rows


def _tile_text(tile: Tile) -> str:
    """Return a tile's number for a narrow column, without its unit, a range with a dash.

    >>> _tile_text(Tile("Range", "53 <small>to</small> 60 %"))
    '53–60'
    >>> _tile_text(Tile("Gain", "+4.2 <small>points</small>"))
    '+4.2'
    """
    with_dash = tile.value.replace("<small>to</small>", "–")
    without_unit = _SMALL.sub("", with_dash).replace("%", "")
    text = unescape(_TAG.sub("", without_unit))
    return _DASH.sub("–", text).strip()


def shown_difference(a: str, b: str) -> str:
    """Return the signed difference of two numbers as they are shown, "" if one is no number.

    >>> shown_difference("90.6", "87.4"), shown_difference("1,880", "2,010")
    ('+3.2', '−130')
    >>> shown_difference("53", "53.0"), shown_difference("unlimited", "3")
    ('0', '')
    """
    number_a = shown_number(a)
    number_b = shown_number(b)
    if number_a is None or number_b is None:
        return ""
    decimals = max(len(text.partition(".")[2]) for text in (a, b))
    return _signed(number_a - number_b, decimals, plus="+")


def difference_sentence(difference: Difference, measure: Measure, *, least: float = 0.0) -> str:
    """Return the sentence on how much better A is, and how sure that is.

    least: The least difference worth a claim.
    """
    decimals = _decimals(difference, measure)
    unit = ""
    if measure.share:
        unit = "\u00a0points"
        if f"{abs(100 * difference.median):.{decimals}f}" == "1":
            unit = "\u00a0point"
    subject = measure.label
    if measure.share:
        subject = "accuracy"
    interval = ""
    if difference.bounded:
        interval = _interval(difference, measure, decimals)
    return SAYS(
        f"compared.{_case(difference, measure, least)}",
        what=subject,
        size=f"{_size(difference, measure).removeprefix('−')}{unit}",
        signed=f"{_size(difference, measure, plus='+')}{unit}",
        pairs=difference.pairs,
        sure=interval,
    )


def _case(difference: Difference, measure: Measure, least: float) -> str:
    """Return the name of the sentence among those of ``compared`` in the shared texts."""
    direction = "lower"
    if difference.median > 0:
        direction = "higher"
    if difference.sure:
        if difference.median == 0:
            return "same"
        return f"sure-{direction}"
    kind = "groups"
    if difference.paired:
        kind = "paired"
    claim = classify_difference(difference, better=measure.better, least=least)
    if claim == Case.FEW:
        return f"{kind}-few"
    if claim != Case.ALIKE:
        return f"{kind}-{direction}"
    if difference.shown:
        return f"{kind}-small"
    return f"{kind}-alike"


def _size(difference: Difference, measure: Measure, *, plus: str = "") -> str:
    """Return the median difference with its sign, as precise as its interval needs.

    plus: The sign of positive differences.
    """
    decimals = _decimals(difference, measure)
    return _signed(_scaled(difference.median, measure), decimals, plus=plus)


def _interval(difference: Difference, measure: Measure, decimals: int) -> str:
    """Return the interval in words, that of the size where the difference is negative."""
    low = _scaled(difference.low, measure)
    high = _scaled(difference.high, measure)
    if difference.high < 0:
        low, high = -high, -low
    return SAYS("compared.interval", low=_signed(low, decimals), high=_signed(high, decimals))


def _scaled(value: float, measure: Measure) -> float:
    """Return a value in the unit in which it is shown, a share in percent."""
    if measure.share:
        return 100 * value
    return value


def _decimals(difference: Difference, measure: Measure) -> int:
    """Return the fewest decimals that tell apart the ends of the interval, and them from 0.

    Shares have at least one.
    """
    median = _scaled(difference.median, measure)
    low = median
    high = median
    if difference.bounded:
        low = _scaled(difference.low, measure)
        high = _scaled(difference.high, measure)
    size = max(abs(median), abs(low), abs(high)) or 1.0
    fewest = 1
    if not measure.share:
        fewest = max(0, 1 - math.floor(math.log10(size)))
    ends_may_agree = difference.sure or not difference.bounded
    for decimals in range(fewest, _MOST_DECIMALS):
        if not _zeros_are_exact((median, low, high), decimals):
            continue
        if ends_may_agree or _signed(low, decimals) != _signed(high, decimals):
            return decimals
    return _MOST_DECIMALS


def _zeros_are_exact(values: Iterable[float], decimals: int) -> bool:
    """Return whether only values that are 0 are shown as 0."""
    for value in values:
        is_shown_as_zero = float(f"{abs(value):.{decimals}f}") == 0
        if is_shown_as_zero != (value == 0):
            return False
    return True


def _signed(value: float, decimals: int, *, plus: str = "") -> str:
    """Return a number with a true minus sign."""
    size = f"{abs(value):,.{decimals}f}"
    if float(size.replace(",", "")) == 0:
        return "0"
    if value > 0:
        return f"{plus}{size}"
    return f"−{size}"
