"""Curves over a parameter, with all that such a chart has: spread, reference lines, the current
value, a legend.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from lab.experiment.parts import Grid
from lab.experiment.settings import Spread
from lab.statistics.claims import Case, ahead_range
from ui.charts import theme
from ui.text.numbers import percent

# The title of an axis: a name, then its unit after a comma or in brackets.
_TITLE = re.compile(r"(?P<name>.*?)(?:, (?P<unit>[^,]+)| \((?P<inside>[^()]*)\))?")


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One curve of a chart.

    name: its name, and ``value`` its current value, both in the legend unless it is not ``listed``.
    x, y: its points. Rows (3, n) of ``y`` are low, median and high: a shaded area with a line. A
    number is a reference line across the chart, without ``x``.
    colour, dash, width: of the line; the colour's own dash and width if not given.
    dots: diameter of a mark at each point, in pixels; 0 draws none.
    at_current: its height at the current value, or low, median and high there: a point of its line
        and of its shaded area, with a dot if it ``has_dot``.
    strokes: heights of single runs there, drawn as strokes between two positions in pixels beside
        the current value, ``stroke_span``.
    pinned: whether this curve and its dot stand for pinned settings.
    hover: text on hover, instead of names, values and units of the axes.
    more: other properties of the trace, in Plotly's terms.
    """

    name: str
    y: Any
    colour: str
    x: Any = ()
    value: str = ""
    listed: bool = True
    dash: str | None = None
    width: float | None = None
    dots: float = 0
    at_current: Any = None
    has_dot: bool = True
    strokes: Any = ()
    stroke_span: tuple[int, int] = (1, 9)
    pinned: bool = False
    hover: str = ""
    more: dict[str, Any] = field(default_factory=dict)

    def traces(self, xaxis: Mapping[str, Any], yaxis: Mapping[str, Any]) -> list[dict]:
        """Return its shaded area, if it has one, and its line."""
        (x, y), area = (np.asarray(values, dtype=float) for values in (self.x, self.y)), []
        hover = self.hover or hover_text(self.name, xaxis, yaxis, across=not y.ndim)
        if y.ndim == 2:
            area = [theme.band(x, y[0], y[2], colour=self.colour)]
            y = y[1]
        if not y.ndim:
            x, y = axis_range(xaxis), np.full(2, y)
        if not len(x):
            # Plotly drops a trace without points from the legend, and the axes would move.
            x, y = np.array([np.nan]), np.array([np.nan])
        style: dict[str, Any] = (
            {"mode": "lines+markers", "marker": {"size": self.dots}} if self.dots else {}
        )
        style |= {} if self.listed else {"showlegend": False}
        style |= {"meta": theme.PINNED} if self.pinned else {}
        line = theme.line(
            x,
            y,
            colour=self.colour,
            name=theme.legend_name(self.name, self.value),
            dash=self.dash,
            hovertemplate=hover,
            **style,
        )
        line["line"] |= {"width": self.width} if self.width else {}
        return [*area, line | self.more]

    def stroke_shapes(self, now: float) -> list[dict]:
        """Return a stroke for each of its runs, all in one shape."""
        return (
            [theme.strokes(self.strokes, x=now, ends=self.stroke_span, colour=self.colour)]
            if len(self.strokes)
            else []
        )

    def dot_shapes(self, now: float, yaxis: Mapping[str, Any]) -> list[dict]:
        """Return its mark at the current value; of a height beyond the axis, on the axis's end."""
        if self.at_current is None or not self.has_dot:
            return []
        height = float(np.clip(np.median(self.at_current), *axis_range(yaxis)))
        return [
            theme.dot(now, height, colour=self.colour)
            | ({"name": theme.PINNED} if self.pinned else {})
        ]

    def through(self, now: float) -> Self:
        """Return this curve with its height at the current value as one of its points."""
        x, y, here = (
            np.asarray(values, dtype=float) for values in (self.x, self.y, self.at_current)
        )
        if not y.ndim or not np.isfinite(here).all() or self.more.get("mode") == "markers":
            return self
        here = here[..., None] if y.ndim == 2 else np.atleast_1d(np.median(here))
        others = ~np.isclose(x, now, rtol=1e-9)
        x, y = np.append(x[others], now), np.append(y[..., others], here, axis=-1)
        order = np.argsort(x, kind="stable")
        return replace(self, x=x[order], y=y[..., order])


@dataclass(frozen=True, kw_only=True)
class Level:
    """A reference line across a chart, named in it and not in its legend.

    y: its height. name: written at its ``side``, over it or ``below``, in its colour if
        ``coloured``.
    """

    y: float
    name: str = ""
    colour: str = theme.NON_PRIVATE
    dash: str | None = None
    width: float = 1.5
    side: str = "left"
    below: bool = False
    coloured: bool = False

    def line(self) -> dict:
        dash = self.dash or theme.DASHES[self.colour]
        return theme.horizontal_line(
            self.y, colour=self.colour, width=self.width, dash=dash, yref="y"
        )

    def word(self, yaxis: Mapping[str, Any]) -> dict:
        """Return its name, at the logarithm of its height on a log axis, as Plotly has it
        of words.
        """
        y = float(np.log10(self.y)) if yaxis.get("type") == "log" else self.y
        text = theme.coloured(self.name, self.colour) if self.coloured else self.name
        x, up = (0.01 if self.side == "left" else 0.99), ("top" if self.below else "bottom")
        return theme.annotation(
            text, x=x, y=y, size=13, xref="paper", xanchor=self.side, yref="y", yanchor=up
        )


def curve_chart(
    *curves: Curve | dict,
    current: float | None = None,
    line_style: Mapping[str, Any] | None = None,
    levels: Sequence[Level] = (),
    legend: bool = True,
    xaxis: dict,
    yaxis: dict,
    shapes: Sequence[dict] = (),
    annotations: Sequence[dict] = (),
    **layout: Any,
) -> dict:
    """Return the chart of ``curves`` (or traces in Plotly's terms) over a parameter, drawn in this
    order.

    current: the current value of the parameter, ruled; ``line_style`` changes that line, as in
        ``{"y0": 0.3}``.
    levels: reference lines named in the chart; shapes, annotations: whatever else is drawn over it.
    layout: ``title``, ``margin`` and so on, as of ``theme.figure``.
    """
    marks = []
    if current is not None:
        drawn = [one for one in curves if isinstance(one, Curve)]
        marks = [
            theme.vertical_line(current) | dict(line_style or {}),
            *(mark for one in drawn for mark in one.stroke_shapes(current)),
        ]
        marks += [mark for one in drawn for mark in one.dot_shapes(current, yaxis)]
        curves = tuple(
            one.through(current) if isinstance(one, Curve) and one.at_current is not None else one
            for one in curves
        )
    traces = [one.traces(xaxis, yaxis) if isinstance(one, Curve) else [one] for one in curves]
    return theme.figure(
        *(trace for some in traces for trace in some),
        legend=legend,
        xaxis=xaxis,
        yaxis=yaxis,
        shapes=[*(one.line() for one in levels), *marks, *shapes],
        annotations=[*(one.word(yaxis) for one in levels if one.name), *annotations],
        **layout,
    )


def quantile_curve(
    name: str,
    colour: str,
    points: tuple[np.ndarray, np.ndarray],
    current: Spread,
    *,
    band: bool,
    scale: float = 100,
    strokes: Any = (),
    **style: Any,
) -> Curve:
    """Return the curve of what repeated runs reach over a parameter, an accuracy unless ``scale``
    and ``value`` differ.

    points: values of the parameter, and the quantiles (3, n) there. current: the quantiles at
        the current value.
    band: whether to draw 90 % of the runs, a dot at the current value, and pinned settings;
        otherwise the median alone.
    scale: what the quantiles and the ``strokes`` are multiplied by.
    style: other fields of the curve.
    """
    x, y = points
    if not band:
        y = y[1]
    fields: dict[str, Any] = {
        "value": percent(current.median),
        "has_dot": band,
        "pinned": band,
    } | style
    spread = scale * np.array(current)
    return Curve(
        name=name,
        colour=colour,
        x=x,
        y=scale * y,
        at_current=spread,
        strokes=scale * np.asarray(strokes),
        **fields,
    )


def accuracy_line(name: str, share: float, colour: str = theme.NON_PRIVATE, **style: Any) -> Curve:
    """Return the reference line of an accuracy, which is the same at each value of the
    parameter.
    """
    return Curve(name=name, y=100 * share, value=percent(share), colour=colour, **style)


def accuracy_chart(*curves: Curve, low: float = 0, high: float = 102, **chart: Any) -> dict:
    """Return the chart of the accuracy on held-out rows over a parameter; ``chart`` is as of
    ``curve_chart``.
    """
    return curve_chart(*curves, yaxis=theme.axis("test accuracy, %", low, high), **chart)


def count_progress(done: int, count: int, what: str = "trained") -> str:
    """Return how far the curves have come, "" once they are complete.

    >>> count_progress(3, 9), count_progress(9, 9)
    ('3 of 9 trained', '')
    """
    return f"{done} of {count} {what}" if done < count else ""


def grid_progress(grid: Grid) -> str:
    """Return at how many of its values a grid has runs, "" once it has some at each."""
    return count_progress(int(np.count_nonzero(grid.done)), len(grid.at))


def finding(
    texts: Mapping[str, str], cases: Sequence[Case], values: Sequence[Any], case: Case = Case.AHEAD
) -> str:
    """Return where along a curve the ``cases`` are ``case``, in the text that ``stretch`` names; ""
    if there is none.

    values: what the texts call ``at``, for each of the cases.

    >>> finding({"from": "helps from {at:g}"}, [Case.ALIKE, Case.AHEAD, Case.AHEAD], [0.1, 1, 10])
    'helps from 1'
    """
    name, place = ahead_range(cases, case)
    return texts.get(name, "").format(at=values[place])


def axis_range(axis: Mapping[str, Any]) -> np.ndarray:
    """Return both ends of an axis, (2,)."""
    ends = np.asarray(axis["range"], dtype=float)
    return 10**ends if axis.get("type") == "log" else ends


def hover_text(
    name: str, xaxis: Mapping[str, Any], yaxis: Mapping[str, Any], *, across: bool = False
) -> str:
    """Return the hover text of a curve: both axes' names, values and units; of a line ``across``,
    the vertical one's.

    >>> across = {"title": {"text": "epsilon (log scale)"}}
    >>> hover_text("private", across, {"title": {"text": "mean loss (nats, log scale)"}})
    'epsilon %{x}: mean loss %{y:.4~g} nats<extra>private</extra>'
    """
    up, over = _reading(yaxis, "y"), "" if across else f"{_reading(xaxis, 'x')}: "
    return f"{over}{up}<extra>{name}</extra>"


def _reading(axis: Mapping[str, Any], letter: str) -> str:
    """Return an axis's name, the place of a value on it, and its unit."""
    text = axis["title"]["text"].replace(" (log scale)", "").replace(", log scale)", ")")
    found = _TITLE.fullmatch(text)
    name, unit = (found["name"], found["unit"] or found["inside"] or "") if found else (text, "")
    if text.startswith("% "):  # a unit alone
        name, unit = "", text
    digits = (
        "" if letter == "x" else ":.1f" if unit.startswith("%") else ":.4~g"
    )  # along the chart, as on the axis
    if axis.get("ticktext", ("",))[-1].endswith("%"):  # a share
        digits = ":.0%" if letter == "x" else ":.1%"
    return f"{name} %{{{letter}{digits}}} {unit}".strip()
