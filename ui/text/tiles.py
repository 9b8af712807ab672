"""What all pages say in one form: numbers, odds, guarantees, tables.

No formulas; HTML from a result's numbers.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Adjacency, Guarantee, PoissonSampled, releases
from ui.text import mu_text
from ui.text.numbers import delta as delta_text
from ui.text.numbers import number, written
from ui.text.texts import SAYS

# A letter, but none of an HTML tag.
_LETTERS = re.compile(r"[A-Za-z](?![^<]*>)")
# A question mark that shows what a number counts.
_ASKED = (
    '<details class="lab-asked"><summary aria-label="What is counted:'
    ' {0.label}">?</summary><p>{0.about}</p></details>'
)


class Tile(NamedTuple):
    """One of the big numbers over the pictures: what it is, the number as it is shown (HTML), and a
    line under it.

    tone: "private", "public" or "bound", for its colour. amount: the number itself, as shown, from
    which a difference is made, in ``unit``; None where it has none. mark: a small drawing under it
    (HTML). about: what it counts, behind a question mark.
    """

    label: str
    value: str
    note: str = ""
    tone: str = ""
    amount: float | None = None
    unit: str = ""
    mark: str = ""
    about: str = ""


def tiles(numbers: Iterable[Tile]) -> str:
    """Return the big numbers side by side."""
    return "".join(
        f'<div class="lab-tile {one.tone}"><span>{one.label}</span><b>{one.value}</b>{one.mark}'
        f"<small>{one.note}</small>{_ASKED.format(one) if one.about else ''}</div>"
        for one in numbers
    )


def attacker(held: Guarantee | None) -> Tile:
    """Return the upper bound on the best attacker's accuracy, 50 for a coin toss; ``held`` is None
    without noise.

    A slider's value text finds it (`voice.js`).
    """
    right, known = best_attacker(held) if held else (1.0, "noise")
    said = at_most(right) if right <= 0.9995 else "100"
    bar = f'<i class="lab-bar"><i style="width:{min(100.0, 200 * (right - 0.5)):.3g}%"></i></i>'
    value = f'<span class="lab-odds">{said}\u00a0%</span>'
    note, about = (
        (SAYS["attacker.coin"], _compared(held, known)) if held else (SAYS["attacker.no-noise"], "")
    )
    return Tile(
        SAYS["attacker.label"], value, note, tone="bound", amount=float(said), mark=bar, about=about
    )


def _compared(held: Guarantee, known: str) -> str:
    """Return what the attacker sees and knows, which data sets they tell apart, and what the bound
    holds for.
    """
    rates = [one.rate for one in releases(held.event) if isinstance(one, PoissonSampled)]
    unit = unit_word(held.unit)
    sampling = (
        SAYS("attacker.sampled", unit=unit, rate=number(rates[0]))
        if rates
        else SAYS["attacker.unsampled"]
    )
    holds = SAYS[f"attacker.{known}"]
    return SAYS(
        "attacker.about", holds=holds, adjacency=held.adjacency, unit=unit, sampling=sampling
    )


def unit_word(unit: str) -> str:
    """Return the word of the pages for a unit of privacy, which is a row where the field says
    record.
    """
    if unit == "record":
        return "row"
    return unit


def runs(label: str, values: Collection[float], *, low: float, high: float) -> Tile:
    """Return where nine runs in ten land, with a dot for each run: ``values``, ``low`` and ``high``
    are shares.
    """
    least, most = math.floor(20 * min(*values, low)) / 20, math.ceil(20 * max(*values, high)) / 20
    stacked: Counter[int] = Counter()
    dots = []
    for value in values:
        place = round(40 * (value - least) / max(most - least, 1e-9))
        stacked[place] += 1
        # of a dot of 5 pixels, inside of its line at both ends
        at = f"calc({2.5 * place:g}% - {place / 8:g}px)"
        dots.append(f'<i style="left:{at};bottom:{5 * min(stacked[place], 5) - 5}px"></i>')
    left, right = (shown.removesuffix("\u00a0%") for shown in apart(low, high))
    shown = f"{right}\u00a0%" if left == right else f"{left} <small>to</small> {right}\u00a0%"
    return Tile(label, shown, mark=f'<i class="lab-dots">{"".join(dots)}</i>')


def percent(share: float, *, digits: int = 0) -> str:
    """Return a share as "85 %", which no line break parts."""
    return f"{100 * share:.{digits}f}\u00a0%"


def digits_apart(one: float, other: float) -> int:
    """Return with how many decimals two shares are shown: more where they differ by less than a
    point, or would look alike.
    """
    if one == other:
        return 0
    wanted = 0 if abs(one - other) >= 0.01 else 1
    return next(
        (n for n in (0, 1, 2) if n >= wanted and f"{100 * one:.{n}f}" != f"{100 * other:.{n}f}"), 3
    )


def apart(one: float, other: float) -> tuple[str, str]:
    """Return two shares in percent that look alike only where they are."""
    digits = digits_apart(one, other)
    return percent(one, digits=digits), percent(other, digits=digits)


def amount(shown: str) -> float | None:
    """Return the number that a tile shows, or None where it shows none, as in "unlimited" or "below
    1".
    """
    try:
        return float(shown.replace(",", "").replace("−", "-").removesuffix("\u00a0%"))
    except ValueError:
        return None


def points_apart(one: float, other: float, *, digits: int) -> str:
    """Return by how much one share is above another, of the numbers as they are shown: "2
    points".
    """
    difference = f"{round(100 * one, digits) - round(100 * other, digits):.{digits}f}"
    return f"{difference} point" + ("" if difference == "1" else "s")


def multiple(shown: str) -> str:
    """Return a ratio, as shown, before "the noise" or "as much": "2.5 times", or "about" for "1
    times".
    """
    return "about" if shown == "1" else f"{shown} times"


def small(chance: float) -> str:
    """Return a chance that may be tiny: 0.12, 0.0041, 2.3e-7, below 1e-15."""
    return written(chance, digits=2) if chance == 0 or chance >= 1e-15 else "below 1e-15"


def in_hundred(share: float) -> str:
    """Return a share as a count of 100, with a decimal where a whole number would say "always"."""
    percent = 100 * share
    return f"{percent:.1f}" if 99 < percent < 99.95 else f"{percent:.0f}"


def odds(guarantee: Guarantee) -> str:
    """Return what the guarantee means for a person, as a clause without a full stop."""
    right = best_attacker(guarantee).right
    unit = guarantee.unit if guarantee.unit in ("person", "party") else "record"
    worlds = SAYS["odds.added" if guarantee.adjacency is Adjacency.ADD_REMOVE else f"odds.{unit}"]
    return SAYS(
        "odds.certain" if right > 0.9995 else "odds.at-most", worlds=worlds, most=at_most(right)
    )


def at_most(share: float) -> str:
    """Return a bound on an attacker's accuracy in percent, rounded up; to a decimal near 50 and
    near 100.
    """
    steps = 1 if 0.51 <= share <= 0.99 else 10
    return f"{math.ceil(100 * steps * share - 1e-6) / steps:g}"


def meaning(held: Guarantee) -> str:
    """Return what epsilon means for a person."""
    return SAYS("meaning", epsilon=number(held.epsilon), attacker=odds(held))


def large_delta(delta: float, count: int, units: str = "rows") -> str:
    """Return a warning where delta would allow releasing one of ``count`` private units whole, else
    nothing.
    """
    return (
        SAYS("large-delta", delta=delta_text(delta), count=count, units=units)
        if delta * count >= 1
        else ""
    )


def badge(text: str) -> str:
    """Return where a number comes from: trained now, bound, published."""
    return f'<span class="lab-badge">{text}</span>'


def bullets(sentences: Iterable[str]) -> str:
    """Return a list of sentences."""
    return (
        '<ul class="lab-note">'
        + "".join(f"<li>{sentence}</li>" for sentence in sentences)
        + "</ul>"
    )


def note(text: str) -> str:
    """Return a paragraph beside the main thing."""
    return f'<p class="lab-note">{text}</p>'


def guarantee(**cases: Guarantee) -> str:
    """Return all that belongs to a guarantee, and never epsilon alone.

    Several cases of the same delta, neighbours and basis stand under each other, each by its name.
    """
    any_case = next(iter(cases.values()))
    epsilons = {
        f"epsilon, {name.replace('_', ' ')}": number(one.epsilon) for name, one in cases.items()
    }
    mus = {f"mu, {name.replace('_', ' ')}": mu_text.said(one) for name, one in cases.items()}
    pairs = ({"epsilon": number(any_case.epsilon)} if len(cases) == 1 else epsilons) | {
        "delta": delta_text(any_case.delta),
        **(mus if len({*mus.values()}) > 1 else {"mu": mu_text.said(any_case)}),
        "adjacency": f"{any_case.adjacency}, one {unit_word(any_case.unit)}",
        "accountant": any_case.basis,
    }
    rows = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in pairs.items())
    return f'<dl class="lab-facts">{rows}</dl>'


Rows = pd.DataFrame | Sequence[Mapping[str, Any]]


def table(
    shown: Rows,
    *,
    caption: str,
    heads: Mapping[str, str],
    now: float | str | None = None,
    title: str = "",
    formats: Mapping[str, Callable[[Any], str]] = MappingProxyType({}),
) -> str:
    """Return a table that can be read, copied and spoken; ``heads`` maps columns to their heading
    (HTML), in order.

    ``shown``: a frame, or its rows, each by column. ``now`` marks the row whose first column has
    this value, as it is shown. ``title`` (HTML) stands over it. ``formats`` writes the values of a
    column. A first column of names stands at the left, one of numbers as the others do.
    """
    first = next(iter(heads))
    given: Iterable[Any] = shown.to_dict("records") if isinstance(shown, pd.DataFrame) else shown
    written_rows = [
        dict(row) | {name: write(row[name]) for name, write in formats.items()} for row in given
    ]
    named = any(
        isinstance(row[first], str) and len(_LETTERS.findall(row[first])) > 2
        for row in written_rows
    )
    head = "".join(f'<th scope="col">{text}</th>' for text in heads.values())
    rows = "".join(
        f"<tr{' class=now' if now is not None and row[first] == now else ''}>"
        + "".join(f"<td>{row[column]}</td>" for column in heads)
        + "</tr>"
        for row in written_rows
    )
    return (
        (f'<p class="lab-title">{title}</p>' if title else "")
        + f'<div class="lab-scroll" tabindex="0"><table class="lab-table{" lab-named" * named}">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        f'<p class="lab-note">{caption}</p>'
    )
