"""Two worlds in pictures: the map of people and boundaries, the attacker's scores, and how often
they are right.
"""

from typing import Any

import numpy as np

from pages.attack.result import EPSILONS, WorldsResult
from pages.attack.settings import LIMITS
from ui.charts import bars, maps, theme
from ui.charts.curves import Curve, count_progress, curve_chart
from ui.text.numbers import percent

WORLDS = ((theme.WITH_YOU, "with this person"), (theme.WITHOUT_YOU, "with another instead"))
# Version -> its limits, in words: only the correct mechanism keeps to them, and without noise there
# is none.
ALLOWED = {
    "correct": {"promised": "bound of epsilon, delta", "gaussian": "bound of this noise"},
    "published": {"promised": "bound if the claim held", "gaussian": "bound of correct noise"},
    "none": {},
}
_DASHES = {"promised": "dash", "gaussian": "dot"}
# Rows that are drawn, and can be chosen by a click.
POINTS = 400
EPSILON_AXIS = theme.epsilon_axis(*LIMITS["epsilon"])


def allowed(result: WorldsResult) -> dict[str, str]:
    """Return the limits in words; none where the guarantee is void."""
    return ALLOWED[result.settings.version]


def people(result: WorldsResult) -> dict:
    """Draw all people, the riskier the larger, the one who is meant, and the boundaries of both
    worlds' models.
    """
    plane, settings, (_, label) = result.plane, result.settings, result.candidate
    shapes = [
        maps.boundary(
            plane, result.boundaries(world), colour=colour, width=1.1, dash=theme.DASHES[colour]
        )
        | {"opacity": 0.75}
        for world, (colour, _) in reversed(list(enumerate(WORLDS)))
    ]
    layout: dict[str, Any] = maps.axes(plane)
    who, name = (
        f"row {settings.person}" if settings.who == "row" else "an outlier",
        result.split.source.classes[label],
    )
    return theme.figure(
        *_points(result),
        shapes=[*shapes, _meant(result)],
        title="Target person",
        finding=f"{who} ({name if len(name) > 1 else f'class {name}'})",
        legend=True,
        **layout,
    )


def clicks(result: WorldsResult) -> dict:
    (x, y), at = result.plane.units, _place(result)
    drag = {"at": at.tolist(), "colour": theme.WITH_YOU}
    return {"point": "person", "place": "spot", "x": list(x), "y": list(y), "drag": drag}


def _place(result: WorldsResult) -> np.ndarray:
    """Return where the person is drawn, (2,)."""
    row, _ = result.candidate
    return result.plane.display(result.plane.coordinates(row[None]))[0]


def _points(result: WorldsResult) -> list[dict]:
    split, plane = result.split, result.plane
    rows = np.arange(min(POINTS, len(split.y_private)))
    at = plane.display(plane.coordinates(split.X_private[rows]))
    labels, risks = split.y_private[rows], result.risks[rows]
    # Drawn relative to the riskiest row: without clipping nothing bounds a risk.
    size = 3 + 8 * risks / max(1.0, float(risks.max()))
    found = []
    for label, name in enumerate(split.source.classes):
        some = labels == label
        marker = {
            "color": theme.CLASSES[label],
            "symbol": maps.class_symbol(label),
            "size": theme.array(size[some]),
            "opacity": 0.75,
            "line": {"width": 0},
        }
        found.append(
            theme.scatter(
                *at[some].T,
                mode="markers",
                name=name,
                marker=marker,
                customdata=theme.array(rows[some]),
                hovertemplate=(
                    f"row %{{customdata}}, {name}<br>click: is this person safe?<extra></extra>"
                ),
            )
        )
    return found


def _meant(result: WorldsResult) -> dict:
    """Draw the person, ringed, in the colour of the class; a shape is dragged without a redraw of
    all points.
    """
    _, label = result.candidate
    (x, y), half = _place(result).tolist(), 7.5
    size = {
        "xsizemode": "pixel",
        "ysizemode": "pixel",
        "x0": -half,
        "x1": half,
        "y0": -half,
        "y1": half,
    }
    ring = {"fillcolor": theme.CLASSES[label], "line": {"color": theme.WITH_YOU, "width": 3.5}}
    return {"type": "circle", "xref": "x", "yref": "y", "xanchor": x, "yanchor": y} | size | ring


def scores(result: WorldsResult) -> dict:
    edges, shares = result.histogram()
    reach = result.reach
    return bars.histogram(
        edges,
        {colour: share for share, (colour, _) in zip(shares, WORLDS, strict=True)},
        title="Scores",
        finding=f"they overlap by {percent(result.overlap)}",
        shapes=[theme.vertical_line(0.0)],
        annotations=[
            theme.note(theme.coloured("◂ “another”", theme.WITHOUT_YOU), "upper left"),
            theme.note(theme.coloured("“with” ▸", theme.WITH_YOU), "upper right"),
        ],
        xaxis=theme.axis("attacker's score (standard deviations)", -reach, reach),
        yaxis=theme.share_axis("share of trainings", 0.2 * reach / 6 + 0.02, step=0.05),
    )


def accuracy(result: WorldsResult) -> dict:
    grid = np.geomspace(*LIMITS["epsilon"], 61)
    limits, curve, now = result.limits(tuple(grid)), result.curve, 100 * result.attack.accuracy
    here = result.limits((result.settings.epsilon,))
    bounds = [
        Curve(
            name=words,
            x=grid,
            y=100 * limits[name],
            value=f"{100 * here[name].iloc[0]:.0f}",
            colour=theme.BOUND,
            dash=_DASHES[name],
        )
        for name, words in allowed(result).items()
    ]
    error = {
        "type": "data",
        "symmetric": False,
        "array": theme.array(100 * (curve["high"] - curve["accuracy"]).to_numpy()),
        "arrayminus": theme.array(100 * (curve["accuracy"] - curve["low"]).to_numpy()),
        "color": theme.PRIVATE,
        "thickness": 1.2,
        "width": 3,
    }
    measured = Curve(
        name="measured",
        x=curve["epsilon"],
        y=100 * curve["accuracy"],
        value=f"{now:.0f} ({100 * result.attack.low:.0f} to {100 * result.attack.high:.0f})",
        colour=theme.PRIVATE,
        dots=6,
        at_current=now,
        pinned=True,
        more={"mode": "markers", "error_y": error},
    )
    return curve_chart(
        *bounds,
        measured,
        current=result.settings.epsilon,
        title="Attack accuracy",
        finding=finding(result),
        xaxis=EPSILON_AXIS,
        yaxis=theme.axis("attack accuracy, %", 40, 103),
    )


def finding(result: WorldsResult) -> str:
    """Return up to which epsilon these trainings do not tell the attacker from a coin, or how far
    the curve is.
    """
    if progress := count_progress(len(result.points), len(EPSILONS), "points measured"):
        return progress
    curve = result.curve
    better = np.flatnonzero(curve["low"] > 0.5)
    coin = curve["epsilon"][: better[0] if len(better) else len(curve)]
    return f"no better than chance up to epsilon {coin.iloc[-1]:g}" if len(coin) else ""
