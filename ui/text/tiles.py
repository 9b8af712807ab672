"""Tiles, guarantees and tables, in the same form on all pages; HTML without formulas."""

import math
from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from dpcore.accountants.attacker import best_attacker, largest_success
from dpcore.privacy import Adjacency, Guarantee, PoissonSampled, releases
from ui.text import mu_text
from ui.text.numbers import delta as delta_text
from ui.text.numbers import format_number, number
from ui.text.texts import SAYS

# An attacker who is right more often is said to be right practically every time.
PRACTICALLY_CERTAIN = 0.9995
# The success of a rare guess without the data that are guessed about, and the success with them
# from which it is a count of 100.
_RARE = 0.01
_OFTEN = 0.1
# Smaller chances are written as "below" it.
_SMALLEST_CHANCE = 1e-15
# Shares that differ by less are written with a decimal.
_CLOSE = 0.01
_MAX_DECIMALS = 3
# Bounds on accuracies outside of these ends are written with a decimal.
_NEAR_COIN_TOSS = 0.51
_NEAR_CERTAIN = 0.99
# So much above a decimal is a rounding error, and is not rounded up.
_ROUNDING_ERROR = 1e-6
# The dots of single runs: the axis ends at multiples of 1/20, and has 40 columns.
_DOT_STEPS = 20
_DOT_COLUMNS = 40
_DOT_PIXELS = 5
_MOST_STACKED = 5

_NO_BREAK_SPACE = "\u00a0"


class Tile(NamedTuple):
    """A large number over the charts.

    Attributes:
        label: What it is.
        value: The number as it is shown (HTML).
        note: A line under it.
        tone: "private", "public" or "bound", for its colour.
        amount: The shown number, from which differences are made, in ``unit``; None if it has none.
        unit: Unit of the differences.
        mark: A small drawing under the number (HTML).
        about: What the number counts, shown behind a question mark.
    """

    label: str
    value: str
    note: str = ""
    tone: str = ""
    amount: float | None = None
    unit: str = ""
    mark: str = ""
    about: str = ""


def tile_row(tiles: Iterable[Tile]) -> str:
    """Return tiles side by side (HTML)."""
    return "".join(_tile_html(tile) for tile in tiles)


def _tile_html(tile: Tile) -> str:
    about = ""
    if tile.about:
        about = (
            f'<details class="lab-asked"><summary aria-label="What is counted: {tile.label}">?'
            f"</summary><p>{tile.about}</p></details>"
        )
    return (
        f'<div class="lab-tile {tile.tone}"><span>{tile.label}</span><b>{tile.value}</b>{tile.mark}'
        f"<small>{tile.note}</small>{about}</div>"
    )


def attacker_tile(guarantee: Guarantee | None) -> Tile:
    """Return the upper bound on the best attacker's accuracy, which is 50 for a coin toss.

    A slider's value text finds this tile (`announcements.js`).

    Args:
        guarantee: The guarantee; None without noise.
    """
    if guarantee is None:
        accuracy = 1.0
        note = SAYS["attacker.no-noise"]
        about = ""
    else:
        attacker = best_attacker(guarantee)
        accuracy = attacker.right
        note = SAYS["attacker.coin"]
        about = _attacker_details(guarantee, attacker.known)
    count = "100"
    if accuracy <= PRACTICALLY_CERTAIN:
        count = percent_rounded_up(accuracy)
    # The bar is empty for a coin toss.
    bar_width = min(100.0, 200 * (accuracy - 0.5))
    return Tile(
        SAYS["attacker.label"],
        f'<span class="lab-odds">{guesses_of_hundred(count)}</span>',
        note,
        tone="bound",
        amount=float(count),
        mark=f'<i class="lab-bar"><i style="width:{bar_width:.3g}%"></i></i>',
        about=about,
    )


def guesses_of_hundred(count: str) -> str:
    """Return a number of right guesses as the value of a tile (HTML)."""
    return f"{count}<small>{_NO_BREAK_SPACE}of{_NO_BREAK_SPACE}100</small>"


def _attacker_details(guarantee: Guarantee, known: str) -> str:
    """Return what the attacker sees and knows, and the mechanisms that the bound holds for.

    Args:
        guarantee: The guarantee.
        known: What the bound is computed from, as of ``best_attacker``.
    """
    unit = unit_word(guarantee.unit)
    rates = []
    for release in releases(guarantee.event):
        if isinstance(release, PoissonSampled):
            rates.append(release.rate)
    sampling = SAYS["attacker.unsampled"]
    if rates:
        sampling = SAYS("attacker.sampled", unit=unit, rate=number(rates[0]))
    return SAYS(
        "attacker.about",
        holds=SAYS[f"attacker.{known}"],
        adjacency=guarantee.adjacency,
        unit=unit,
        sampling=sampling,
    )


def unit_word(unit: str) -> str:
    """Return the pages' word for a unit of privacy, which is a row where the field says record."""
    if unit == "record":
        return "row"
    return unit


def runs_tile(
    label: str, values: Collection[float], *, low: float, high: float, digits: int = 0
) -> Tile:
    """Return the range of nine runs in ten, with a dot for each run.

    Args:
        label: The label of the tile.
        values: Results of the runs, as shares.
        low: Lower end of the range.
        high: Upper end of the range.
        digits: Decimals in percent; more where the ends would look alike.
    """
    axis_low = math.floor(_DOT_STEPS * min(*values, low)) / _DOT_STEPS
    axis_high = math.ceil(_DOT_STEPS * max(*values, high)) / _DOT_STEPS
    dots = _dots(values, axis_low, axis_high)
    digits = max(digits, distinct_digits(low, high))
    low_text = percent(low, digits=digits)
    high_text = percent(high, digits=digits)
    if low_text == high_text:
        value = high_text
    else:
        low_number = low_text.removesuffix(f"{_NO_BREAK_SPACE}%")
        value = f"{low_number} <small>to</small> {high_text}"
    return Tile(label, value, mark=f'<i class="lab-dots">{dots}</i>')


def _dots(values: Iterable[float], axis_low: float, axis_high: float) -> str:
    """Draw a dot for each value along an axis; equal ones are stacked (HTML)."""
    width = max(axis_high - axis_low, 1e-9)
    stacked: Counter[int] = Counter()
    dots = []
    for value in values:
        column = round(_DOT_COLUMNS * (value - axis_low) / width)
        stacked[column] += 1
        # The dots stay inside of the axis at both ends.
        left = f"calc({100 / _DOT_COLUMNS * column:g}% - {_DOT_PIXELS / _DOT_COLUMNS * column:g}px)"
        bottom = _DOT_PIXELS * min(stacked[column], _MOST_STACKED) - _DOT_PIXELS
        dots.append(f'<i style="left:{left};bottom:{bottom}px"></i>')
    return "".join(dots)


def percent(share: float, *, digits: int = 0) -> str:
    """Format a share as "85 %", which no line break splits."""
    return f"{100 * share:.{digits}f}{_NO_BREAK_SPACE}%"


def distinct_digits(a: float, b: float) -> int:
    """Return the decimals of two shares in percent: more if they are close or would look alike."""
    if a == b:
        return 0
    digits = 1
    if abs(a - b) >= _CLOSE:
        digits = 0
    while digits < _MAX_DECIMALS and f"{100 * a:.{digits}f}" == f"{100 * b:.{digits}f}":
        digits += 1
    return digits


def distinct_percents(a: float, b: float) -> tuple[str, str]:
    """Format two shares in percent, which look alike only if they are equal."""
    digits = distinct_digits(a, b)
    return percent(a, digits=digits), percent(b, digits=digits)


def shown_number(text: str) -> float | None:
    """Parse the number of a tile; None if it has none, as in "unlimited" or "below 1"."""
    digits = text.replace(",", "").replace("−", "-").removesuffix(f"{_NO_BREAK_SPACE}%")
    try:
        return float(digits)
    except ValueError:
        return None


def points_difference(a: float, b: float, *, digits: int) -> str:
    """Format the difference of two shares, as they are shown, as in "2 points"."""
    difference = f"{round(100 * a, digits) - round(100 * b, digits):.{digits}f}"
    if difference == "1":
        return f"{difference} point"
    return f"{difference} points"


def multiple_text(ratio: str) -> str:
    """Return a formatted ratio as "2.5 times" for "2.5", and "about" for "1"."""
    if ratio == "1":
        return "about"
    return f"{ratio} times"


def small_chance(chance: float) -> str:
    """Format a chance that may be tiny: 0.12, 0.0041, 2.3e-7, below 1e-15."""
    if chance == 0 or chance >= _SMALLEST_CHANCE:
        return format_number(chance, digits=2)
    return "below 1e-15"


def out_of_hundred(share: float) -> str:
    """Format a share as a count of 100, with a decimal where a whole number would say "always"."""
    count = 100 * share
    # From the upper end on, one decimal would say "always" too.
    if 99 < count < 99.95:
        return f"{count:.1f}"
    return f"{count:.0f}"


def odds_text(guarantee: Guarantee) -> str:
    """Return what the guarantee means for a person, as a clause without a full stop."""
    accuracy = best_attacker(guarantee).right
    if guarantee.adjacency is Adjacency.ADD_REMOVE:
        question = SAYS["odds.added"]
    elif guarantee.unit in ("person", "party"):
        question = SAYS[f"odds.{guarantee.unit}"]
    else:
        question = SAYS["odds.record"]
    case = "at-most"
    if accuracy > PRACTICALLY_CERTAIN:
        case = "certain"
    return SAYS(f"odds.{case}", worlds=question, most=percent_rounded_up(accuracy))


def percent_rounded_up(share: float) -> str:
    """Format a bound on an accuracy in percent, rounded up; with a decimal near 50 and 100."""
    per_percent = 10
    if _NEAR_COIN_TOSS <= share <= _NEAR_CERTAIN:
        per_percent = 1
    return f"{math.ceil(100 * per_percent * share - _ROUNDING_ERROR) / per_percent:g}"


def meaning(guarantee: Guarantee) -> str:
    """Return what epsilon means for a person, about a coin toss and about a rare guess."""
    return SAYS(
        "meaning",
        epsilon=number(guarantee.epsilon),
        attacker=odds_text(guarantee),
        rare=rare_guess_text(guarantee),
    )


def rare_guess_text(guarantee: Guarantee, *, section: str = "rare") -> str:
    """Return how often a guess is right at most that would be right 1 time in 100 otherwise.

    Args:
        guarantee: The guarantee.
        section: The section of the shared texts, "rare", or "rare-short" where room is scarce.
    """
    success = largest_success(guarantee, base_rate=_RARE)
    if success > PRACTICALLY_CERTAIN:
        return SAYS[f"{section}.certain"]
    unit = unit_word(guarantee.unit)
    if success > _OFTEN:
        most = math.ceil(100 * success - _ROUNDING_ERROR)
        return SAYS(f"{section}.often", unit=unit, most=most)
    # A larger success is meant where it is rounded.
    return SAYS(f"{section}.odds", unit=unit, most=math.floor(1 / success + _ROUNDING_ERROR))


def large_delta_warning(delta: float, count: int, units: str = "rows") -> str:
    """Warn if delta would allow releasing one of ``count`` private units whole; else ""."""
    if delta * count < 1:
        return ""
    return SAYS("large-delta", delta=delta_text(delta), count=count, units=units)


def badge(text: str) -> str:
    """Mark the source of a number: trained now, bound, published (HTML)."""
    return f'<span class="lab-badge">{text}</span>'


def bullets(sentences: Iterable[str]) -> str:
    """Return a list of sentences (HTML)."""
    items = "".join(f"<li>{sentence}</li>" for sentence in sentences)
    return f'<ul class="lab-note">{items}</ul>'


def note(text: str) -> str:
    """Return a paragraph of secondary text (HTML)."""
    return f'<p class="lab-note">{text}</p>'


def guarantee_facts(**cases: Guarantee) -> str:
    """Return all that belongs to a guarantee, and never epsilon alone (HTML).

    Args:
        cases: Name -> guarantee. Several have the same delta, adjacency and accountant, and their
            epsilons stand under each other by name. The name of a single one is not shown.
    """
    first = next(iter(cases.values()))
    epsilons = {}
    mus = {}
    for name, guarantee in cases.items():
        case = name.replace("_", " ")
        epsilons[f"epsilon, {case}"] = number(guarantee.epsilon)
        mus[f"mu, {case}"] = mu_text.describe_mu(guarantee)
    if len(cases) == 1:
        epsilons = {"epsilon": number(first.epsilon)}
    if len(set(mus.values())) == 1:
        mus = {"mu": mu_text.describe_mu(first)}
    facts = epsilons | {"delta": delta_text(first.delta)} | mus
    facts["adjacency"] = f"{first.adjacency}, one {unit_word(first.unit)}"
    facts["accountant"] = first.basis
    rows = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts.items())
    return f'<dl class="lab-facts">{rows}</dl>'
