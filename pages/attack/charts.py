"""Charts of the attack on one person: the map, the attacker's scores, accuracy over epsilon."""

from typing import Any

import numpy as np

from pages.attack.result import (
    EPSILONS,
    SCORE_EDGES,
    SCORE_RANGE,
    OnePersonResult,
    accuracy_bounds,
)
from pages.attack.settings import AttackSettings
from pages.attack.threshold_attack import AttackResult
from ui.charts import bars, decision_maps, theme
from ui.charts.curves import Curve, count_progress, curve_chart
from ui.text.numbers import percent
from ui.text.tiles import out_of_hundred, percent_rounded_up

# Colours of the two data sets.
DATA_SET_COLOURS = (theme.WITH_YOU, theme.WITHOUT_YOU)
# Names of the bounds on accuracy, by version and bound. Only the correct mechanism keeps to them.
BOUND_NAMES = {
    "correct": {"promised": "bound of epsilon, delta", "gaussian": "bound of this noise"},
    "published": {"promised": "bound if the claim held", "gaussian": "bound of correct noise"},
    "none": {},
}
_BOUND_DASHES = {"promised": "dash", "gaussian": "dot"}
# Points at which the bounds are drawn.
_BOUND_POINTS = 61
# Private rows that are drawn, and can be chosen by a click.
MOST_POINTS = 400
# Diameters of a point without influence, and of the most influential one beyond that, in pixels.
_LEAST_SIZE = 3
_MORE_SIZE = 8
# Radius of the ring around the target person, in pixels.
_RING_RADIUS = 7.5
# The highest share of scores in a bin that is drawn whole.
_HIGHEST_SHARE = 0.22
# A lower end of an interval this close to a coin toss is written with a decimal.
_NEAR_COIN_TOSS = 0.005
EPSILON_AXIS = theme.epsilon_axis(*AttackSettings.LIMITS["epsilon"])


# The map


def people(result: OnePersonResult) -> dict:
    """Draw all people by their influence, the target person, and the boundaries of models."""
    settings = result.settings
    target = "an outlier"
    if settings.who == "row":
        target = f"row {settings.person}"
    class_name = result.split.source.classes[result.target.label]
    if len(class_name) == 1:
        class_name = f"class {class_name}"
    # The boundaries of models with this person are drawn over the others.
    shapes = [_boundaries(result, 1), _boundaries(result, 0), _target_ring(result)]
    axes: dict[str, Any] = decision_maps.axes(result.plane)
    return theme.figure(
        *_points(result),
        shapes=shapes,
        title="Target person",
        finding=f"{target} ({class_name})",
        legend=True,
        **axes,
    )


def map_clicks(result: OnePersonResult) -> dict:
    """Return which fields a click and a drag on the map change (``ui.widgets.Chart.clicks``)."""
    x_range, y_range = result.plane.units
    drag = {"at": _target_position(result).tolist(), "colour": theme.WITH_YOU}
    return {
        "point": "person",
        "position": "spot",
        "x": list(x_range),
        "y": list(y_range),
        "drag": drag,
    }


def _boundaries(result: OnePersonResult, index: int) -> dict:
    """Return the boundaries of the models of a data set, 0 for the one with the person."""
    colour = DATA_SET_COLOURS[index]
    shape = decision_maps.boundary(
        result.plane,
        result.boundaries(index),
        colour=colour,
        width=1.1,
        dash=theme.DASHES[colour],
    )
    shape["opacity"] = 0.75
    return shape


def _target_position(result: OnePersonResult) -> np.ndarray:
    """Return where the target person is drawn, (2,)."""
    coordinates = result.plane.coordinates(result.target.features[None])
    return result.plane.display(coordinates)[0]


def _points(result: OnePersonResult) -> list[dict]:
    """Return the private rows, a trace per class."""
    split = result.split
    rows = np.arange(min(MOST_POINTS, len(split.y_private)))
    positions = result.plane.display(result.plane.coordinates(split.X_private[rows]))
    labels = split.y_private[rows]
    influences = result.influences[rows]
    # Sizes are relative to the largest influence, because without clipping nothing bounds it.
    sizes = _LEAST_SIZE + _MORE_SIZE * influences / max(1.0, float(influences.max()))
    traces = []
    for label, name in enumerate(split.source.classes):
        in_class = labels == label
        x, y = positions[in_class].T
        marker = {
            "color": theme.CLASSES[label],
            "symbol": decision_maps.class_symbol(label),
            "size": theme.array(sizes[in_class]),
            "opacity": 0.75,
            "line": {"width": 0},
        }
        trace = theme.scatter(
            x,
            y,
            mode="markers",
            name=name,
            marker=marker,
            customdata=theme.array(rows[in_class]),
            hovertemplate=(
                f"row %{{customdata}}, {name}<br>click: is this person safe?<extra></extra>"
            ),
        )
        traces.append(trace)
    return traces


def _target_ring(result: OnePersonResult) -> dict:
    """Return the target person in the colour of the class, with a ring around it.

    It is a shape, which is dragged without a redraw of all points.
    """
    x, y = _target_position(result).tolist()
    return {
        "type": "circle",
        "xref": "x",
        "yref": "y",
        "xanchor": x,
        "yanchor": y,
        "xsizemode": "pixel",
        "ysizemode": "pixel",
        "x0": -_RING_RADIUS,
        "x1": _RING_RADIUS,
        "y0": -_RING_RADIUS,
        "y1": _RING_RADIUS,
        "fillcolor": theme.CLASSES[result.target.label],
        "line": {"color": theme.WITH_YOU, "width": 3.5},
    }


# Scores


def scores(result: OnePersonResult) -> dict:
    """Draw the histogram of the attacker's scores on each data set."""
    with_person, without_person = result.score_shares
    return bars.histogram(
        SCORE_EDGES,
        {theme.WITH_YOU: with_person, theme.WITHOUT_YOU: without_person},
        title="Scores",
        finding=f"they overlap by {percent(result.overlap)}",
        shapes=[theme.vertical_line(0.0)],
        annotations=[
            theme.note(theme.coloured("◂ “without”", theme.WITHOUT_YOU), "upper left"),
            theme.note(theme.coloured("“with” ▸", theme.WITH_YOU), "upper right"),
        ],
        xaxis=theme.axis("attacker's score (standard deviations)", -SCORE_RANGE, SCORE_RANGE),
        yaxis=theme.share_axis("share of runs", _HIGHEST_SHARE, step=0.05),
    )


# Accuracy over epsilon


def accuracy(result: OnePersonResult) -> dict:
    """Draw the attack's accuracy over epsilon with 95 % intervals, and its bounds."""
    # Without privacy there is no bound.
    names = BOUND_NAMES[result.settings.version]
    bounds = [_bound_curve(result, bound, name) for bound, name in names.items()]
    return curve_chart(
        *bounds,
        _measured_curve(result),
        current=result.settings.epsilon,
        title="Attacker right",
        finding=accuracy_finding(result),
        xaxis=EPSILON_AXIS,
        yaxis=theme.axis("attacker right, %", 40, 103),
    )


def _bound_curve(result: OnePersonResult, bound: str, name: str) -> Curve:
    """Return the curve of a bound on accuracy."""
    epsilons = tuple(np.geomspace(*AttackSettings.LIMITS["epsilon"], _BOUND_POINTS))
    delta = result.settings.delta
    (current_bound,) = accuracy_bounds((result.settings.epsilon,), delta)[bound]
    return Curve(
        name=name,
        x=np.array(epsilons),
        y=100 * accuracy_bounds(epsilons, delta)[bound],
        value=percent_rounded_up(current_bound),
        colour=theme.BOUND,
        dash=_BOUND_DASHES[bound],
    )


def _measured_curve(result: OnePersonResult) -> Curve:
    """Return the measured accuracy with its intervals."""
    curve = result.curve
    attack = result.attack
    right, low, high = measured_texts(attack)
    intervals = {
        "type": "data",
        "symmetric": False,
        "array": theme.array(100 * (curve["high"] - curve["accuracy"]).to_numpy()),
        "arrayminus": theme.array(100 * (curve["accuracy"] - curve["low"]).to_numpy()),
        "color": theme.PRIVATE,
        "thickness": 1.2,
        "width": 3,
    }
    return Curve(
        name="measured",
        x=curve["epsilon"],
        y=100 * curve["accuracy"],
        value=f"{right} ({low} to {high})",
        colour=theme.PRIVATE,
        dots=6,
        at_current=100 * attack.accuracy,
        pinned=True,
        more={"mode": "markers", "error_y": intervals},
    )


def measured_texts(attack: AttackResult) -> tuple[str, str, str]:
    """Return the measured accuracy and the ends of its interval, of 100 guesses.

    They have a decimal if the lower end is so close to a coin toss that it would look like one.
    """
    shares = (attack.accuracy, attack.low, attack.high)
    if abs(attack.low - 0.5) < _NEAR_COIN_TOSS:
        right, low, high = (f"{100 * share:.1f}" for share in shares)
    else:
        right, low, high = (out_of_hundred(share) for share in shares)
    return right, low, high


def accuracy_finding(result: OnePersonResult) -> str:
    """Return up to which epsilon no point is above chance, or how far the curve is."""
    progress = count_progress(len(result.points), len(EPSILONS), "points measured")
    if progress:
        return progress
    at_chance = []
    for epsilon, low in zip(result.curve["epsilon"], result.curve["low"], strict=True):
        if low > 0.5:
            break
        at_chance.append(epsilon)
    if not at_chance:
        return ""
    return f"not above chance up to epsilon {at_chance[-1]:g}"
