"""Charts of the transfer page: excess risk, and runs in the plane."""

import numpy as np

from lab.experiment.settings import Spread
from pages.transfer.model import CANDIDATES, EPSILONS
from pages.transfer.result import LEAST_RISK, TransferResult
from pages.transfer.settings import TransferSettings
from ui.charts import theme
from ui.charts.curves import Curve, Level, curve_chart, finding, grid_progress, quantile_curve

# Name, colour and dash of each candidate, and of the model without privacy.
STYLES = {
    "target": ("target only", theme.PRIVATE, "solid"),
    "source": ("source only", theme.MAUVE, "longdash"),
    "pooled": ("pooled", theme.GOLD, "longdashdot"),
    "transfer": ("source + private correction", theme.PUBLIC, "dashdot"),
}
WITHOUT_PRIVACY = ("target only, non-private", theme.NON_PRIVATE, "dot")
# The candidates of which 90 % of the repeats are drawn, and not only the median.
_WITH_BAND = ("target", "transfer")
# At the current value, each repeat is a short horizontal stroke. Those of a candidate begin and end
# here, in pixels right of that value.
_STROKES = {"target": (-9, -5), "source": (-5, -1), "pooled": (-1, 3), "transfer": (3, 7)}
# Left margin for the longest numbers on a log axis, in pixels.
_LEFT_MARGIN = 58
# Ends of the axis of excess risk.
_RISK_RANGE = (LEAST_RISK, 1.0)
# The axes of the plane reach beyond all that is drawn by this factor, and at least so far that they
# rest while a slider moves.
_PLANE_MARGIN = 1.05
_LEAST_REACH = 2.65
# Log axes of a slider's values end beyond its ends by this factor.
_AXIS_MARGIN = 1.2
# Below this, a second digit of a risk would not be read.
_SMALL_RISK = 1e-3
# Where along epsilon the sources are shown to help.
_HELP_BY_EPSILON = {
    "everywhere": "the sources help at every epsilon",
    "from": "the sources help from {at:g} on",
    "up_to": "the sources help up to {at:g}",
    "harms": "the sources harm at every epsilon",
    "unshown": "no help is shown",
    "few": "too few runs to say",
}


def risk_text(risk: float) -> str:
    """Return an excess risk with two digits, or one if it is small, and no power of ten."""
    if risk < LEAST_RISK:
        return "below 0.0001"
    if risk < _SMALL_RISK:
        return f"{risk:.1g}"
    return f"{risk:#.2g}".rstrip(".")


# Runs in the plane


def plane_runs(result: TransferResult) -> dict:
    """Draw the path of each run in the plane, from zero or around the source, and the polytopes."""
    runs = result.plane_runs
    areas = []
    ends = []
    for index, name in enumerate(("target", "transfer")):
        _, colour, _ = STYLES[name]
        paths = runs.points[index]
        areas += _polytope_and_paths(runs.corners[index], paths, colour)
        for x, y in paths[-1]:
            ends.append(theme.dot(x, y, colour=colour, radius=2.6, opacity=0.8, layer="between"))
    outermost = max(float(np.abs(points).max()) for points in (*runs.corners, runs.truth))
    reach = max(_LEAST_REACH, _PLANE_MARGIN * outermost)
    return theme.figure(
        _mark(runs.source, "source", "diamond-open", theme.PUBLIC),
        _mark(runs.truth, "truth", "x-thin", theme.CURRENT),
        left=_LEFT_MARGIN,
        title="Frank-Wolfe runs",
        shapes=areas + ends,
        legend=True,
        annotations=_start_names(result),
        xaxis=_plane_axis("first coefficient", reach),
        yaxis=_plane_axis("second coefficient", reach),
    )


def _polytope_and_paths(corners: np.ndarray, points: np.ndarray, colour: str) -> list[dict]:
    """Return a polytope with corners (V, 2), and the paths (T + 1, R, 2) of all runs in it."""
    polytope = theme.path_shape(
        theme.svg_path(corners) + "Z",
        layer="between",
        fillcolor=theme.rgba(colour, 0.07),
        line={"color": colour, "width": 1.6},
    )
    # (T + 1, R, 2) to (R, T + 1, 2): the path of each run.
    paths = [theme.svg_path(path) for path in np.moveaxis(points, 1, 0)]
    runs = theme.path_shape(
        "".join(paths),
        layer="between",
        line={"color": colour, "width": 1},
        opacity=0.3,
    )
    return [polytope, runs]


def _mark(point: np.ndarray, name: str, symbol: str, colour: str) -> dict:
    """Return a named mark at a point (2,)."""
    return theme.markers(
        point[:1],
        point[1:],
        name=name,
        colour=colour,
        size=13,
        symbol=symbol,
        hover=f"{name}: (%{{x:.2f}}, %{{y:.2f}})<extra></extra>",
    )


def _start_names(result: TransferResult) -> list[dict]:
    """Return where the runs of each colour start, in the corners of the chart."""
    near = f"around the source, radius {result.settings.radius:.2g}"
    return [
        theme.note(theme.coloured("from zero", theme.PRIVATE), "upper left"),
        theme.note(theme.coloured(near, theme.PUBLIC), "lower right"),
    ]


def _plane_axis(name: str, reach: float) -> dict:
    """Return an axis of the plane, with a tick at each whole number."""
    axis = theme.axis(name, -reach, reach)
    axis["dtick"] = 1
    axis["zeroline"] = False
    return axis


# Excess risk


def over_epsilon(result: TransferResult) -> dict:
    """Draw the excess risk of the candidates over epsilon, and two reference lines."""
    grid = result.over_epsilon
    curves = []
    for candidate, arm in zip(CANDIDATES, grid.arms, strict=True):
        curves.append(_risk_curve(result, candidate, arm.over()))
    low, high = TransferSettings.LIMITS["epsilon"]
    name = "epsilon"
    if result.settings.noise == "printed":
        name = "nominal epsilon"
    xaxis = theme.log_axis(
        f"{name} (log scale)", low / _AXIS_MARGIN, high * _AXIS_MARGIN, max_ticks=8
    )
    progress = grid_progress(grid.arms[-1])
    return curve_chart(
        *curves,
        current=result.settings.epsilon,
        levels=_reference_lines(result),
        left=_LEFT_MARGIN,
        title=f"Excess risk by {name}",
        finding=progress or finding(_HELP_BY_EPSILON, result.transfer_by_epsilon(), EPSILONS),
        xaxis=xaxis,
        yaxis=theme.log_axis("excess risk (log scale)", *_RISK_RANGE, max_ticks=8),
    )


def _reference_lines(result: TransferResult) -> list[Level]:
    """Return the risks of the private rows without privacy, and of predicting 0.

    The lower line has its name below, because the lines may be close to each other.
    """
    name, colour, dash = WITHOUT_PRIVACY
    least_squares = max(result.fits.least_squares, LEAST_RISK)
    is_lower = least_squares < result.baseline
    return [
        Level(y=least_squares, name=name, colour=colour, dash=dash, side="right", below=is_lower),
        Level(
            y=result.baseline,
            name="predict 0",
            dash="dash",
            width=1.2,
            side="right",
            below=not is_lower,
        ),
    ]


def _risk_curve(
    result: TransferResult, candidate: str, points: tuple[np.ndarray, np.ndarray]
) -> Curve:
    """Return the curve of a candidate, with its repeats at the set epsilon as strokes.

    points: epsilons (m,), and quantiles (3, m) there.
    """
    name, colour, dash = STYLES[candidate]
    risks = result.risks(candidate)
    spread = Spread.of(risks)
    return quantile_curve(
        name,
        colour,
        points,
        spread,
        band=candidate in _WITH_BAND,
        scale=1,
        value=theme.padded(risk_text(spread.median)),
        dash=dash,
        has_dot=candidate == "transfer",
        pinned=candidate == "transfer",
        strokes=np.maximum(risks, LEAST_RISK),
        stroke_span=_STROKES[candidate],
    )
