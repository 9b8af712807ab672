"""Charts of the home page: models on the map of patients, and the guesses of the spy as dots."""

from collections import Counter
from typing import Any

import numpy as np

from lab.statistics import decision_regions
from pages.home.result import PersonResult
from ui.charts import decision_maps, theme
from ui.text.texts import Texts

SAYS = Texts(__file__)
# The names of both classes of patients.
HEALTH = ("healthy", "ill")
# Colours of models with the person, and of models without.
WORLD_COLOURS = (theme.WITH_YOU, theme.WITHOUT_YOU)
# From so many right guesses in 100, the lines look different, and up to the other number alike.
_DIFFERENT = 60
_ALIKE = 55
# The strip ends so many standard deviations from the threshold, up to an epsilon and beyond it.
_END = 4.0
_LARGE_EPSILON = 10.0
_END_OF_LARGE_EPSILON = 5.0
# Columns of dots on either side of the threshold, and room for dots over one another.
_COLUMNS = 16
_MOST_STACKED = 7
_DOT_SIZE = 9
_RING_RADIUS = 12
_LEFT_MARGIN = 12
_NAME_SHIFT = 16
# How far the lowest dot of a column is below a height of 1, and the ends of the axis of heights
# beyond the highest dots, with room for the notes in the corners.
_LOWERED = 0.2
_ROOM_ABOVE = 2.0
_ROOM_BELOW = 2.5


# The map


def patient_map(result: PersonResult) -> dict:
    """Draw the patients, the person, and the boundaries of models with and without the person."""
    horizontal, vertical = result.plane.labels
    axes: dict[str, Any] = decision_maps.axes(result.plane)
    for axis in axes.values():
        axis["showticklabels"] = False
        del axis["title"]
    return theme.figure(
        _legend_line("lines.with", result, index=0),
        _legend_line("lines.without", result, index=1),
        *_patients(result),
        # Models with the person are drawn over the others.
        shapes=[_boundaries(result, 1), _boundaries(result, 0), _ring(result)],
        annotations=[
            _person_name(result),
            theme.note(f"{vertical} ↑", "lower left"),
            theme.note(f"{horizontal} →", "lower right"),
        ],
        title=SAYS["lines.title"],
        finding=SAYS(f"lines.{_lines_case(result)}", name=result.name),
        legend=True,
        left=_LEFT_MARGIN,
        margin={"l": _LEFT_MARGIN, "r": _LEFT_MARGIN, "t": 64, "b": 8},
        **axes,
    )


def _lines_case(result: PersonResult) -> str:
    """Return the name of the text on how different the lines with and without the person look."""
    if result.right_guesses >= _DIFFERENT:
        return "different"
    if result.right_guesses <= _ALIKE:
        return "alike"
    return "slightly"


def _legend_line(key: str, result: PersonResult, *, index: int) -> dict:
    """Return a trace without points, which stands for the models of a data set in the legend."""
    nowhere = np.array([np.nan])
    name = theme.legend_name(SAYS(key, name=result.name))
    return theme.line(nowhere, nowhere, colour=WORLD_COLOURS[index], name=name)


def _boundaries(result: PersonResult, index: int) -> dict:
    """Return the boundaries of the models of a data set, 0 for the one with the person."""
    colour = WORLD_COLOURS[index]
    segments = decision_regions.boundaries(result.lines[index][:, None], result.plane)
    return decision_maps.boundary(
        result.plane, segments, colour=colour, width=1.6, dash=theme.DASHES[colour]
    )


def _patients(result: PersonResult) -> list[dict]:
    """Return the patients, a trace per class; a click on one makes it the person."""
    split = result.split
    positions = _positions(result)
    traces = []
    for label, name in enumerate(HEALTH):
        numbers = np.flatnonzero(split.y_private == label)
        x, y = positions[numbers].T
        trace = theme.scatter(
            x,
            y,
            mode="markers",
            name=theme.legend_name(name),
            marker={
                "color": theme.CLASSES[label],
                "symbol": decision_maps.class_symbol(label),
                "size": 8,
                "opacity": 0.8,
            },
            customdata=theme.array(numbers),
            hovertemplate=SAYS("lines.hover", health=name),
        )
        traces.append(trace)
    return traces


def _positions(result: PersonResult) -> np.ndarray:
    """Return where the patients are drawn, (n, 2)."""
    return result.plane.display(result.plane.coordinates(result.split.X_private))


def _ring(result: PersonResult) -> dict:
    """Return a ring around the person."""
    x, y = _positions(result)[result.settings.person].tolist()
    return theme.dot(
        x,
        y,
        colour="rgba(0,0,0,0)",
        radius=_RING_RADIUS,
        line={"width": 2.5, "color": theme.CURRENT},
    )


def _person_name(result: PersonResult) -> dict:
    """Return the name of the person beside the ring, on the side with more room."""
    x, y = _positions(result)[result.settings.person].tolist()
    left, right = result.plane.units[0]
    anchor = "left"
    shift = _NAME_SHIFT
    if x > (left + right) / 2:
        anchor = "right"
        shift = -_NAME_SHIFT
    text = f"<b>{result.name[0].upper()}{result.name[1:]}</b>"
    return theme.annotation(text, x=x, y=y, size=15, xanchor=anchor, xshift=shift)


# The strip of dots


def guesses(result: PersonResult) -> dict:
    """Draw each guess of the spy as a dot, filled if it is right.

    Models with the person are above the line, and models without below. Right of the threshold the
    spy says that the person was in the data.
    """
    end = _END
    if result.settings.epsilon > _LARGE_EPSILON:
        end = _END_OF_LARGE_EPSILON
    traces = []
    for index, colour in enumerate(WORLD_COLOURS):
        x, y = _stacked(result.dot_scores[index], end)
        if index == 1:
            y = -y
        is_right = result.is_right[index]
        traces.append(_dots(x[is_right], y[is_right], colour, "circle"))
        traces.append(_dots(x[~is_right], y[~is_right], colour, "circle-open"))
    name = result.name
    with_side = theme.coloured(SAYS("guesses.says_with", name=name), theme.WITH_YOU)
    without_side = theme.coloured(SAYS("guesses.says_without", name=name), theme.WITHOUT_YOU)
    hidden = {"showticklabels": False, "showgrid": False, "zeroline": False}
    return theme.figure(
        *traces,
        shapes=[
            theme.vertical_line(0.0),
            theme.horizontal_line(0.0, colour=theme.NON_PRIVATE, width=1, dash="solid"),
        ],
        annotations=[
            theme.note(without_side, "upper left"),
            theme.note(with_side, "upper right"),
            theme.note(SAYS["guesses.models_without"], "lower left"),
        ],
        title=SAYS["guesses.title"],
        finding=SAYS("guesses.finding", right=result.right_guesses),
        margin={"l": _LEFT_MARGIN, "r": _LEFT_MARGIN, "t": 34, "b": 26},
        xaxis=theme.axis(SAYS("guesses.axis", name=name), -end, end) | hidden,
        yaxis={"range": [-_MOST_STACKED - _ROOM_BELOW, _MOST_STACKED + _ROOM_ABOVE]} | hidden,
    )


def _stacked(scores: np.ndarray, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions x and heights (n,) of dots, which stand on one another in columns.

    Scores beyond ``end`` on either side are in the outermost columns. Dots beyond the highest place
    of a column are drawn over one another.
    """
    width = end / _COLUMNS
    columns = np.clip(np.floor(scores / width), -_COLUMNS, _COLUMNS - 1)
    stacked: Counter[float] = Counter()
    heights = []
    for column in columns.tolist():
        stacked[column] += 1
        heights.append(min(stacked[column], _MOST_STACKED) - _LOWERED)
    return (columns + 0.5) * width, np.array(heights)


def _dots(x: np.ndarray, y: np.ndarray, colour: str, symbol: str) -> dict:
    """Return the trace of some dots."""
    if len(x) == 0:  # a trace needs a point, and NaN is not drawn
        x = np.array([np.nan])
        y = np.array([np.nan])
    return theme.markers(
        x, y, colour=colour, size=_DOT_SIZE, symbol=symbol, hover="", hoverinfo="skip"
    )
