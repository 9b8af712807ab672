"""Curves over a parameter: spread, reference lines, the current value, and a legend."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from lab.experiment.parts import Grid
from lab.experiment.settings import Spread
from lab.statistics.claims import Case, ahead_range
from ui.charts import theme
from ui.text.numbers import percent

# Distance of a level's name from the left or right end of a chart, as a share of its width.
_NAME_DISTANCE = 0.01
# Plotly's format of a number on hover, where its axis has no other ``hoverformat``.
_FOUR_DIGITS = ".4~g"


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One curve of a chart, whose heights ``y`` tell what is drawn.

    Attributes:
        name: Its name in the legend.
        y: Heights (n,); or (3, n) with low, median and high, a shaded area with a line; or a
            number, a reference line across the chart, without ``x``.
        colour: Colour of the line.
        x: Values of the parameter, (n,).
        value: Its current value, in the legend.
        listed: Whether the legend lists it.
        dash: Dash of the line; None for that of its colour.
        width: Width of the line; None for that of its colour.
        dots: Diameter of a mark at each point, in pixels; 0 draws none.
        at_current: Its height at the current value, or low, median and high there, as a point of
            its line and of its shaded area; None if it has none.
        has_dot: Whether ``at_current`` has a dot.
        strokes: Heights of single runs there, drawn as strokes.
        stroke_span: Where a stroke begins and ends, in pixels to the right of the current value.
        pinned: Whether this curve and its dot stand for the pinned settings too.
        hover: Text on hover; "" for names, values and units of the axes.
        more: Other properties of the trace, in Plotly's terms.
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
        traces = []
        dimensions = np.ndim(self.y)
        if dimensions == 2:
            low, _, high = np.asarray(self.y, dtype=float)
            area_x = np.asarray(self.x, dtype=float)
            traces.append(theme.band(area_x, low, high, colour=self.colour))
        x, y = self._line_points(xaxis)
        hover = self.hover
        if not hover:
            hover = hover_text(self.name, xaxis, yaxis, across=dimensions == 0)
        line = theme.line(
            x,
            y,
            colour=self.colour,
            name=theme.legend_name(self.name, self.value),
            dash=self.dash,
            hovertemplate=hover,
            **self._line_properties(),
        )
        if self.width:
            line["line"] |= {"width": self.width}
        traces.append(line | self.more)
        return traces

    def _line_points(self, xaxis: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Return x and y of its line, which is the median of an area, or goes across the axis."""
        x = np.asarray(self.x, dtype=float)
        y = np.asarray(self.y, dtype=float)
        if y.ndim == 0:
            return axis_range(xaxis), np.full(2, y)
        if y.ndim == 2:
            y = y[1]
        if len(x) == 0:
            # Plotly drops a trace without points from the legend, and the axes would move.
            return np.array([np.nan]), np.array([np.nan])
        return x, y

    def _line_properties(self) -> dict[str, Any]:
        """Return the properties of the line that depend on flags."""
        properties: dict[str, Any] = {}
        if self.dots:
            properties["mode"] = "lines+markers"
            properties["marker"] = {"size": self.dots}
        if not self.listed:
            properties["showlegend"] = False
        if self.pinned:
            properties["meta"] = theme.PINNED
        return properties

    def stroke_shapes(self, current: float) -> list[dict]:
        """Return a stroke for each of its runs, all in one shape."""
        if len(self.strokes) == 0:
            return []
        shape = theme.strokes(self.strokes, x=current, ends=self.stroke_span, colour=self.colour)
        return [shape]

    def dot_shapes(self, current: float, yaxis: Mapping[str, Any]) -> list[dict]:
        """Return its dot at the current value; beyond the axis it is drawn at the axis's end."""
        if self.at_current is None or not self.has_dot:
            return []
        low, high = axis_range(yaxis)
        height = float(np.clip(np.median(self.at_current), low, high))
        dot = theme.dot(current, height, colour=self.colour)
        if self.pinned:
            dot["name"] = theme.PINNED
        return [dot]

    def with_current(self, current: float) -> Self:
        """Return this curve with its height at the current value as one of its points."""
        if self.at_current is None:
            return self
        x = np.asarray(self.x, dtype=float)
        y = np.asarray(self.y, dtype=float)
        height = np.asarray(self.at_current, dtype=float)
        is_across = y.ndim == 0
        if is_across or self.more.get("mode") == "markers" or not np.isfinite(height).all():
            return self
        if y.ndim == 2:
            point = height[..., None]
        else:
            point = np.atleast_1d(np.median(height))
        is_other = ~np.isclose(x, current, rtol=1e-9)
        x = np.append(x[is_other], current)
        y = np.append(y[..., is_other], point, axis=-1)
        order = np.argsort(x, kind="stable")
        return replace(self, x=x[order], y=y[..., order])


@dataclass(frozen=True, kw_only=True)
class Level:
    """A reference line across a chart, named in it and not in its legend.

    Attributes:
        y: Its height.
        name: Its name; "" for none.
        colour: Its colour.
        dash: Its dash; None for that of its colour.
        width: Its width, in pixels.
        side: The end at which the name is written, "left" or "right".
        below: Whether the name is below the line.
        coloured: Whether the name has the colour of the line.
    """

    y: float
    name: str = ""
    colour: str = theme.NON_PRIVATE
    dash: str | None = None
    width: float = 1.5
    side: str = "left"
    below: bool = False
    coloured: bool = False

    def line_shape(self) -> dict:
        dash = self.dash or theme.DASHES[self.colour]
        return theme.horizontal_line(
            self.y, colour=self.colour, width=self.width, dash=dash, yref="y"
        )

    def annotation(self, yaxis: Mapping[str, Any]) -> dict:
        """Return its name."""
        y = theme.in_axis_units(yaxis, self.y)
        text = self.name
        if self.coloured:
            text = theme.coloured(self.name, self.colour)
        x = 1 - _NAME_DISTANCE
        if self.side == "left":
            x = _NAME_DISTANCE
        anchor = "bottom"
        if self.below:
            anchor = "top"
        return theme.annotation(
            text, x=x, y=y, size=13, xref="paper", xanchor=self.side, yref="y", yanchor=anchor
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
    """Return the chart of curves over a parameter.

    Args:
        curves: Curves, or traces in Plotly's terms, in the order in which they are drawn.
        current: The current value of the parameter, at a vertical line; None for no such line.
        line_style: Changes of that line, as in ``{"y0": 0.3}``.
        levels: Reference lines named in the chart.
        legend: Whether there is a legend.
        xaxis: The horizontal axis.
        yaxis: The vertical axis.
        shapes: Shapes drawn over the chart.
        annotations: Texts in the chart.
        layout: ``title``, ``margin`` and so on, as of ``theme.figure``.
    """
    traces = []
    for curve in curves:
        if not isinstance(curve, Curve):
            traces.append(curve)
        elif current is None:
            traces.extend(curve.traces(xaxis, yaxis))
        else:
            traces.extend(curve.with_current(current).traces(xaxis, yaxis))
    all_shapes = [level.line_shape() for level in levels]
    if current is not None:
        all_shapes.append(theme.vertical_line(current) | dict(line_style or {}))
        drawn_curves = [curve for curve in curves if isinstance(curve, Curve)]
        for curve in drawn_curves:
            all_shapes.extend(curve.stroke_shapes(current))
        for curve in drawn_curves:
            all_shapes.extend(curve.dot_shapes(current, yaxis))
    all_shapes.extend(shapes)
    all_annotations = [level.annotation(yaxis) for level in levels if level.name]
    all_annotations.extend(annotations)
    return theme.figure(
        *traces,
        legend=legend,
        xaxis=xaxis,
        yaxis=yaxis,
        shapes=all_shapes,
        annotations=all_annotations,
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
    """Return the curve of what repeated runs reach, an accuracy unless ``scale`` and ``value``
    differ.

    Args:
        name: Its name.
        colour: Its colour.
        points: Values of the parameter (n,), and the quantiles there, (3, n).
        current: The quantiles at the current value.
        band: Whether to draw 90 % of the runs, a dot at the current value, and pinned settings;
            otherwise the median alone.
        scale: Factor of the quantiles and ``strokes``.
        strokes: Heights of single runs at the current value.
        style: Other fields of the curve.
    """
    x, quantiles = points
    heights = quantiles
    if not band:
        heights = quantiles[1]
    fields: dict[str, Any] = {
        "value": percent(current.median),
        "has_dot": band,
        "pinned": band,
    }
    return Curve(
        name=name,
        colour=colour,
        x=x,
        y=scale * heights,
        at_current=scale * np.array(current),
        strokes=scale * np.asarray(strokes),
        **(fields | style),
    )


def accuracy_line(name: str, share: float, colour: str = theme.NON_PRIVATE, **style: Any) -> Curve:
    """Return the reference line of an accuracy that does not depend on the parameter."""
    return Curve(name=name, y=100 * share, value=percent(share), colour=colour, **style)


def accuracy_chart(*curves: Curve, low: float = 0, high: float = 102, **chart: Any) -> dict:
    """Return the chart of accuracies on held-out rows; ``chart`` is as of ``curve_chart``."""
    return curve_chart(*curves, yaxis=theme.axis("test accuracy, %", low, high), **chart)


def count_progress(done: int, count: int, what: str = "trained") -> str:
    """Return how many of the points of a curve are done; "" once all are.

    >>> count_progress(3, 9), count_progress(9, 9)
    ('3 of 9 trained', '')
    """
    if done >= count:
        return ""
    return f"{done} of {count} {what}"


def grid_progress(grid: Grid) -> str:
    """Return at how many of its values a grid has runs; "" once it has some at each."""
    return count_progress(int(np.count_nonzero(grid.done)), len(grid.at))


def finding(texts: Mapping[str, str], cases: Sequence[Case], values: Sequence[Any]) -> str:
    """Return where along a curve the case is ``AHEAD``; "" if nowhere.

    Args:
        texts: Name of a stretch (``claims.ahead_range``) -> its text, with the hole ``at``.
        cases: The case of each point.
        values: What the hole is filled with, for each point.

    >>> finding({"from": "helps from {at:g}"}, [Case.ALIKE, Case.AHEAD, Case.AHEAD], [0.1, 1, 10])
    'helps from 1'
    """
    name, index = ahead_range(cases)
    return texts.get(name, "").format(at=values[index])


def axis_range(axis: Mapping[str, Any]) -> np.ndarray:
    """Return both ends of an axis, (2,), in its own units."""
    ends = np.asarray(axis["range"], dtype=float)
    if axis.get("type") == "log":
        return 10**ends
    return ends


def hover_text(
    name: str, xaxis: Mapping[str, Any], yaxis: Mapping[str, Any], *, across: bool
) -> str:
    """Return the hover text of a curve: the title of each axis, and the value on it.

    A line ``across`` the chart has those of the vertical axis alone.

    >>> epsilon = {"title": {"text": "epsilon (log scale)"}}
    >>> hover_text("private", epsilon, {"title": {"text": "accuracy, %"}}, across=False)
    'epsilon: %{x}<br>accuracy, %: %{y:.4~g}<extra>private</extra>'
    """
    number_format = yaxis.get("hoverformat", _FOUR_DIGITS)
    vertical = f"{_axis_name(yaxis)}: %{{y:{number_format}}}"
    if across:
        return f"{vertical}<extra>{name}</extra>"
    horizontal = f"{_axis_name(xaxis)}: %{{x}}"
    return f"{horizontal}<br>{vertical}<extra>{name}</extra>"


def _axis_name(axis: Mapping[str, Any]) -> str:
    """Return the title of an axis without the note on its scale."""
    return axis["title"]["text"].replace(" (log scale)", "").replace(", log scale", "")
