"""Compare the settings of a page, A, with the pinned ones, B: table, sentence, and ghosts of B in
the pictures.

Differences beside two numbers are those of the numbers as shown. The sentence is chosen by the
interval alone.

A topic marks what has a ghost with ``theme.PINNED``, a trace in its ``meta`` and a shape in its
``name``, and a picture that is to stand beside today's by ``Chart.pair``. A ghost keeps its
colour, with dashes and hollow marks.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from html import escape, unescape
from typing import Any, NamedTuple

import numpy as np

from lab.experiment.settings import Measure, Settings
from lab.statistics import differences
from lab.statistics.claims import LEAST, Case, classify_difference
from lab.statistics.differences import Difference
from ui.charts.theme import PINNED, legend_name
from ui.compute.runner import compute as computed
from ui.compute.runner import repeats
from ui.page.page import ANSWER, ASK_TAB, Page, Rows, View
from ui.text import mu_text
from ui.text.numbers import format_number
from ui.text.sliders import SLIDERS
from ui.text.texts import SAYS
from ui.text.tiles import Tile, shown_number
from ui.widgets import Chart

# CSS selectors of the parts of the comparison that follow the sliders.
MOVING = ".lab-compare-moving"
SAID = ".lab-compare-text"
LATER = SAYS["compared.later"]
NAME = "pinned B"
# The share of the work that is done where only a mu is missing.
_BUT_MU = 0.99
_MOST_DECIMALS = 15
_TAG = re.compile(r"<[^>]*>")
_SMALL = re.compile(r"<small>(.*?)</small>")
_DASH = "dash"
# More pictures side by side cannot be read.
_MOST_PICTURES = 3
_VALUE = re.compile(r"  <b>(.*)</b>$")
_EXTRA = re.compile(r"<extra>.*</extra>", re.DOTALL)
# What fills an area; a ghost is but an outline.
_FILL = ("fill", "fillcolor")
_OUTLINE = 1.5

# (label, A, B, A − B), plain.
Row = tuple[str, str, str, str]
# (field, value) -> (its label, the value in words), or None where it is somebody else's to say.
Words = Callable[[str, Any], tuple[str, str] | None]


def table(choices: str, moving: str, said: str) -> str:
    """Return ``choices`` and what is ``moving``, rows of it, and the sentence ``said``
    under them.
    """
    return (
        '<div class="lab-compare"><table><thead><tr><td></td><th scope="col"><b'
        ' class="lab-a">A</b> now</th><th scope="col"><b class="lab-b">B</b> pinned</th><th'
        f' scope="col">A − B</th></tr></thead><tbody>{choices}</tbody><tbody'
        f' class="lab-compare-moving">{moving}</tbody></table><p'
        f' class="lab-compare-text">{said}</p></div>'
    )


def rows(some: Iterable[Row]) -> str:
    """Return rows of the table, as HTML."""
    return "".join(
        f'<tr><th scope="row">{escape(label)}</th>'
        f"{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for label, *cells in some
    )


def settings_rows(a: Settings, b: Settings, words: Words) -> list[Row]:
    """Return a row for each field that differs, as ``words`` say it; none where they say
    nothing.
    """
    names = (one.name for one in fields(a) if getattr(a, one.name) != getattr(b, one.name))
    pairs = ((words(name, getattr(a, name)), words(name, getattr(b, name))) for name in names)
    return [(*one, other[1], "") for one, other in pairs if one and other]


def slider_words(
    name: str, value: Any, changes: Mapping[str, Mapping[str, Any]]
) -> tuple[str, str] | None:
    """Return a slider's label and value, or None for a field without a slider; ``changes``: how a
    page differs from ``SLIDERS``.
    """
    if name not in SLIDERS:
        return None
    label = changes.get(name, {}).get("label", SLIDERS[name]["label"])
    return label, format_number(value) if isinstance(value, float) else str(value)


def choice_words(
    name: str, value: Any, choices: Mapping[str, tuple[str, Mapping[Any, str]]]
) -> tuple[str, str] | None:
    """Return the label of any other field, and what is chosen; ``choices``: field -> (label,
    options).
    """
    label, options = choices.get(name, (name.replace("_", " ").capitalize(), {}))
    return None if name in SLIDERS or name == "own" else (label, options.get(value, str(value)))


class Compared(NamedTuple):
    """How far the runs of A and B lie apart, in which measure, and the medians of both."""

    difference: Difference
    measure: Measure
    mine: float
    theirs: float

    def shown_by(self, mine: Tile, theirs: Tile) -> bool:
        """Return whether two big numbers are these medians."""
        pairs = ((mine, self.mine), (theirs, self.theirs))
        return all(_is_rounded(one.amount, _scaled(median, self.measure)) for one, median in pairs)


def _is_rounded(amount: float | None, value: float) -> bool:
    """Return whether a number as shown is ``value`` to its last digit."""
    if amount is None:
        return False
    decimals = len(f"{amount:.12g}".partition(".")[2])
    return abs(amount - value) <= 0.5 * 10.0**-decimals * (1 + 1e-9)


def number_rows(
    a: Sequence[Tile], b: Sequence[Tile], compared: Compared | None = None
) -> list[Row]:
    """Return a row for each of A's big numbers, beside B's of the same name or, in the same place,
    of the same unit.

    compared: where runs are compared in pairs, the numbers that are their medians have the
    difference of the pairs beside them, as the sentence under the table does.
    """
    named = {one.label: one for one in b}
    places = {(place, one.unit): one for place, one in enumerate(b) if one.unit}
    found = []
    for place, mine in enumerate(a):
        theirs = named.get(mine.label) or places.get((place, mine.unit))
        if theirs is None:
            found.append((mine.label, _shown(mine), "–", ""))
            continue
        one, other = _shown(mine), _shown(theirs)
        gap = ""
        if None not in (mine.amount, theirs.amount):
            gap = apart(one, other)
        if compared and compared.difference.paired and compared.shown_by(mine, theirs):
            gap = SAYS(
                "compared.in-pairs", gap=_size(compared.difference, compared.measure, plus="+")
            )
            compared = None  # the first such number is the one that is compared
        found.append((mine.label, one, other, gap))
    return found


def _shown(number: Tile) -> str:
    """Return a number of the strip in a narrow column: without its unit, a range with a dash."""
    bare = unescape(
        _TAG.sub("", _SMALL.sub(lambda found: "–" if found[1] == "to" else "", number.value))
    )
    return re.sub(r"\s*–\s*", "–", bare.replace("%", "")).strip()


def apart(one: str, other: str) -> str:
    """Return the difference of two numbers as they are shown, with its sign; nothing where one is
    none.

    >>> apart("90.6", "87.4"), apart("1,880", "2,010"), apart("53", "53.0"), apart("unlimited", "3")
    ('+3.2', '−130', '0', '')
    """
    mine, theirs = shown_number(one), shown_number(other)
    if mine is None or theirs is None:
        return ""
    decimals = max(len(text.partition(".")[2]) for text in (one, other))
    return _signed(mine - theirs, decimals, plus="+")


def sentence(found: Difference, measure: Measure, *, least: float = 0.0) -> str:
    """Return how much better A is, and how sure that is.

    ``least``: the least difference worth a claim.
    """
    decimals = _decimals(found, measure)
    unit = ""
    if measure.share:
        unit = "\u00a0point" if f"{abs(100 * found.median):.{decimals}f}" == "1" else "\u00a0points"
    way = "higher" if found.median > 0 else "lower"
    if found.sure:
        case = f"sure-{way}" if found.median else "same"
    else:
        verdict = classify_difference(found, better=measure.better, least=least)
        if verdict == Case.FEW:
            size = "few"
        elif verdict != Case.ALIKE:
            size = way
        else:
            size = "small" if found.shown else "alike"
        case = f"{'paired' if found.paired else 'groups'}-{size}"
    return SAYS(
        f"compared.{case}",
        what="accuracy" if measure.share else measure.label,
        size=f"{_size(found, measure).removeprefix('−')}{unit}",
        signed=f"{_size(found, measure, plus='+')}{unit}",
        pairs=found.pairs,
        sure=_range(found, measure, decimals) if found.bounded else "",
    )


def _size(found: Difference, measure: Measure, *, plus: str = "") -> str:
    """Return the difference with its sign, in the unit of the measure and as precisely as its
    interval needs.
    """
    return _signed(_scaled(found.median, measure), _decimals(found, measure), plus=plus)


def _range(found: Difference, measure: Measure, decimals: int) -> str:
    """Return the interval in words; where a difference is shown, with the ends of its size."""
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
    return next(
        (n for n in range(least, _MOST_DECIMALS) if _apart(values, n, sure=sure)), _MOST_DECIMALS
    )


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


def ghosted(rows: Rows, pinned: Rows) -> list[list[Chart]]:
    """Return ``rows`` of pictures with the ghost of the ``pinned`` settings' ones, each found by
    its name.

    A row that a pair makes too long leaves out what stands last in it and has no ghost.
    """
    known = {picture.name: picture for row in pinned for picture in row}
    return [
        _fitted([_with_ghost(picture, known.get(picture.name)) for picture in row]) for row in rows
    ]


def _fitted(row: Sequence[Sequence[Chart]]) -> list[Chart]:
    """Return the pictures of a row, each alone or with another one beside it; the first one always
    stays.
    """
    row = list(row)
    paired = any(len(some) > 1 for some in row)
    for place in reversed(range(1, len(row))):
        if paired and sum(map(len, row)) > _MOST_PICTURES and len(row[place]) == 1:
            del row[place]
    return [picture for some in row for picture in some]


def _with_ghost(picture: Chart, other: Chart | None) -> list[Chart]:
    if other is None:
        return [picture]
    if picture.pair:
        return [_titled(picture, "A"), _beside(other)]
    traces = [_outlined(trace) for trace in other.figure["data"] if trace.get("meta") == PINNED]
    mine = picture.figure["layout"].get("shapes", ())
    marked = (
        shape for shape in other.figure["layout"].get("shapes", ()) if shape.get("name") == PINNED
    )
    shapes = [_hollow(shape) for shape in marked if shape not in mine]
    return (
        [replace(picture, figure=_under(picture.figure, traces, shapes))]
        if traces or shapes
        else [picture]
    )


def _beside(picture: Chart) -> Chart:
    """Return the picture of the pinned settings, named and titled as such; a click in it means
    nothing.
    """
    layout = dict(picture.figure["layout"])
    if "shapes" in layout:
        layout["shapes"] = [
            _hollow(one) if one.get("name") == PINNED else one for one in layout["shapes"]
        ]
    dashed = replace(picture, figure={**picture.figure, "layout": layout})
    named = replace(
        dashed, name=f"{picture.name}.pinned", alt=f"Pinned B: {picture.alt}", clicks=None
    )
    return _titled(named, "B")


def _titled(picture: Chart, badge: str) -> Chart:
    layout = picture.figure["layout"]
    title = layout.get("title") or {}
    words = " · ".join(filter(None, [f"<b>{badge}</b>", title.get("text")]))
    return replace(
        picture, figure={**picture.figure, "layout": {**layout, "title": {**title, "text": words}}}
    )


def _under(figure: Mapping[str, Any], traces: list[dict], shapes: list[dict]) -> dict:
    """Return the figure with these below its own curves and marks, and above its bands."""
    data, layout = list(figure["data"]), dict(figure["layout"])
    place = next((place for place, trace in enumerate(data) if trace.get("meta") == PINNED), 0)
    data[place:place] = traces
    if shapes:
        layout["shapes"] = [*shapes, *layout.get("shapes", ())]
    return {**figure, "data": data, "layout": layout}


def _outlined(trace: Mapping[str, Any]) -> dict:
    """Return a trace as a ghost: dashes, hollow marks, no area."""
    ghost = {name: value for name, value in trace.items() if name not in (*_FILL, "meta")}
    value = _VALUE.search(trace.get("name", ""))
    ghost["name"] = legend_name(NAME, value[1] if value else "")
    if "line" in trace:
        ghost["line"] = {**trace["line"], "dash": _DASH}
    if "marker" in trace:
        symbol = str(trace["marker"].get("symbol", "circle")).removesuffix("-open")
        ghost["marker"] = {**trace["marker"], "symbol": f"{symbol}-open"}
    if "hovertemplate" in trace:
        ghost["hovertemplate"] = _EXTRA.sub(f"<extra>{NAME}</extra>", trace["hovertemplate"])
    return ghost


def _hollow(shape: Mapping[str, Any]) -> dict:
    """Return a shape as a ghost: its outline in dashes, in the colour that filled it where it had
    none.
    """
    line = dict(shape.get("line", {}))
    if "fillcolor" in shape and not line.get("width"):
        line |= {"color": shape["fillcolor"], "width": _OUTLINE}
    elif line.get("width", 1):
        line["dash"] = _DASH
    return {name: value for name, value in shape.items() if name not in ("fillcolor", "name")} | {
        "line": line
    }


@dataclass(frozen=True, kw_only=True)
class Screen:
    """``page`` as it is with A's ``result``, and its ``view``; ``pinned``: B's view, if it is one
    of the same page.

    done: the share of the work of both that is done. moving: CSS selector of what moves of the
        comparison -> its HTML.
    answer: what is said and shown of what is asked about A, if that is in view.
    """

    page: Page
    result: Any
    view: View
    pinned: View | None
    done: float
    moving: Mapping[str, str]
    answer: View | None = None

    def boards(self, tab: str) -> dict[str, Rows]:
        """Return those in view while this tab is open, with B's ghost."""
        asked = self.answer.boards if self.answer else {}
        return {name: self._rows(name) for name in self.page.boards(tab)} | dict(asked)

    def _rows(self, name: str) -> Rows:
        rows = self.view.boards[name]
        return ghosted(rows, self.pinned.boards[name]) if self.pinned else rows

    def says(self, tab: str) -> dict[str, str]:
        """Return CSS selector of an element that moves -> its HTML, while this tab is open."""
        asked = {f".lab-words-{ANSWER}": self.answer.words[ANSWER]} if self.answer else {}
        return self.page.says(self.view, tab) | dict(self.moving) | asked


def compare(
    page: Page,
    settings: Settings,
    pinned: Settings | None,
    *,
    seconds: float,
    tab: str = "",
    ask: str = "",
    resting: bool = False,
    tries: int = 0,
    looks: bool = False,
) -> Screen:
    """Compare after so many seconds of work, or what must be; what B needs comes after what A
    needs, and then what is asked about A (``PageState.ask``), if the ``tab`` that is open is that
    of the questions. Where that tab states a mu, it
    is counted last, and only if ``resting``: neither for a first picture nor while something moves.

    tries: as in ``Page.view``. looks: whether a question may read private rows; else it is about
    made-up ones. A file records what is compared on its rows before that is shown.
    """
    both = _compared(page, settings, pinned, seconds=seconds, tries=tries)
    names = both.page.tab(tab).words
    if both.done == 1 and mu_text.is_pending(both.view.words, names):
        if resting:
            both = replace(both, view=both.page.view(both.result, tries=tries))
            mu_text.compute(both.view.words, names)
        else:
            both = replace(both, done=_BUT_MU)
    asked = both.page.asked
    if asked is None or tab != ASK_TAB.name:
        return both
    base, targets = base_of(both, settings, looks=looks)
    question = asked.about(base, ask, targets) if base is not None else None
    if question is None:
        return both
    answer, ready = computed(question, seconds=seconds if both.done == 1 else 0)
    if base is settings and _record(settings, asked.compared(answer)):
        both = replace(both, view=both.page.view(both.result, tries=tries))
    return replace(both, answer=asked.view(answer), done=(both.done + ready) / 2)


def base_of(
    both: Screen, settings: Settings, *, looks: bool
) -> tuple[Settings | None, Mapping[str, float]]:
    """Return what a question in the tab of A is about, and the targets that it starts with: where
    rows are private, a result on made-up ones, unless it may look at them; None where none can be
    made up.
    """
    if looks or not settings.private:
        return settings, both.page.targets(both.result)
    made_up = settings.made_up
    if made_up is None:
        return None, {}
    result, _ = computed(made_up, seconds=0)
    return made_up, both.page.targets(result)


def _record(settings: Settings, compared: Iterable[Settings]) -> bool:
    """Record that these settings are compared on the private rows of a file; whether any of them is
    new to it.
    """
    if not settings.private:
        return False
    known = vars(settings)["own"].table.compared
    before = len(known)
    known.update(compared)
    return len(known) > before


def _compared(
    page: Page, settings: Settings, pinned: Settings | None, *, seconds: float, tries: int
) -> Screen:
    result, done = computed(settings, seconds=seconds)
    here = page.at(settings)
    if pinned is not None and pinned != settings:
        _record(settings, (settings, pinned))
    view = here.view(result, tries=tries)
    if pinned is None:
        return Screen(page=here, result=result, view=view, pinned=None, done=done, moving={})
    other, ready = computed(pinned, seconds=seconds if done == 1 else 0)
    there = page.at(pinned)
    other_view = there.view(other)
    words = partial(slider_words, changes=here.slider_layout(settings).changes)
    both_done = done == ready == 1
    known = runs_compared(settings, pinned, done=both_done)
    differing = settings_rows(settings, pinned, words)
    moving = {
        MOVING: rows([*differing, *number_rows(view.numbers, other_view.numbers, known)]),
        SAID: said(known, settings, pinned, done=both_done),
    }
    return Screen(
        page=here,
        result=result,
        view=view,
        pinned=other_view if there is here else None,
        done=(done + ready) / 2,
        moving=moving,
    )


def runs_compared(a: Settings, b: Settings, *, done: bool) -> Compared | None:
    """Return how far the runs of A and B lie apart, once all of both are trained; None where no
    repeats are drawn.
    """
    mine, theirs = repeats(a, done=done), repeats(b, done=done)
    if mine is None or theirs is None or _waits(a, mine, done=done) or _waits(b, theirs, done=done):
        return None
    if a == b:
        found = Difference(
            median=0.0, low=0.0, high=0.0, pairs=len(mine)
        )  # however few runs there are
    elif a.experiment.pairs_with(b.experiment):
        found = differences.of_pairs(mine, theirs)
    else:
        found = differences.of_groups(mine, theirs)
    measure = a.experiment.measures[a.experiment.compared]
    return Compared(found, measure, float(np.median(mine)), float(np.median(theirs)))


def _waits(settings: Settings, known: np.ndarray | None, *, done: bool) -> bool:
    """Return whether some repeats of these settings are still to be trained."""
    if done or not settings.experiment.paired_by:
        return False
    return known is None or len(known) < vars(settings)["repeats"]


def said(known: Compared | None, a: Settings, b: Settings, *, done: bool) -> str:
    """Return how sure the difference is; that it comes later while A or B is trained."""
    if known is not None:
        least = LEAST if known.measure.share else LEAST * abs(known.theirs)
        return sentence(known.difference, known.measure, least=least)
    if any(_waits(one, repeats(one, done=done), done=done) for one in (a, b)):
        return LATER
    return ""
