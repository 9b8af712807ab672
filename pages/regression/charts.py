"""The regression's pictures: error between two rails, draws without a minimum, lines, coefficients,
the split, and the noisy objectives that are minimised.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from pages.regression.result import RegressionResult
from pages.regression.settings import SPLITTERS, RegressionParameters
from ui.charts import bars, theme
from ui.charts import coefficients as columns
from ui.charts.curves import Curve, count_progress, curve_chart
from ui.text.numbers import number
from ui.text.texts import Texts
from ui.text.tiles import shown_number

SAYS = Texts(__file__)
METHODS = SAYS.cases("methods")
# An error of three digits is seldom longer than "340,000" or "1.39e+65".
_LONGEST_ERROR = 8

_EPSILON_AXIS = theme.epsilon_axis(*RegressionParameters.LIMITS["epsilon"], margin=0.05)

# Points of a line of an objective.
_POINTS = 25

# Letters that a name has at most.
_LETTERS = 44


def errors(result: RegressionResult) -> dict:
    """Draw the held-out error over epsilon between the two rails: of the chosen method, and of the
    one that errs least of the others over all epsilons. What lies above the frame is drawn on its
    edge.
    """
    low, high = _error_range(result)
    mean, exact = _rails(result)
    finding = count_progress(len(result.curves), len(theme.REGRESSIONS), "methods trained")
    if not finding and result.useful_from is not None:
        finding = f"better than the baseline from epsilon {result.useful_from:g}"
    return curve_chart(
        mean,
        *(
            _error_curve(result, name, high)
            for name in (result.rival, result.settings.mechanism)
            if name
        ),
        exact,
        current=result.settings.epsilon,
        title="RMSE by epsilon",
        finding=finding,
        xaxis=_EPSILON_AXIS,
        yaxis=theme.axis(f"RMSE, {result.problem.source.unit}", low, high),
    )


def _error_curve(result: RegressionResult, name: str, high: float) -> Curve:
    """Return the median of a method; of the chosen one with 90 % of its runs, and each run at the
    current epsilon.
    """
    chosen = name == result.settings.mechanism
    quantiles = np.empty((3, 0))
    if name in result.curves:
        quantiles = np.minimum(result.quantiles(name), 20 * high)
    curve = _curve(
        name, result.settings.epsilons[: quantiles.shape[1]], quantiles[1], chosen=chosen
    )
    if name in result.at_now:
        curve = replace(
            curve, value=theme.padded(number(result.summary(name).median), longest=_LONGEST_ERROR)
        )
    if not chosen:
        return curve
    median_text, _ = numbers_apart(result.summary().median, result.least_squares)
    curve = replace(curve, value=theme.padded(median_text, longest=_LONGEST_ERROR))
    at_now = np.minimum(result.summary(), 20 * high)
    return replace(
        curve,
        y=quantiles,
        at_current=at_now,
        strokes=np.minimum(result.focus.errors, high),
        stroke_span=(-9, 9),
    )


def _curve(name: str, x: object, y: np.ndarray, *, chosen: bool) -> Curve:
    """Return the curve of a method; the chosen one stands out."""
    width, dots = (3, 6) if chosen else (2, 0)
    return Curve(
        name=METHODS[name],
        colour=theme.REGRESSIONS[name],
        x=x,
        y=y,
        width=width,
        dots=dots,
        pinned=chosen,
    )


def _error_range(result: RegressionResult) -> tuple[float, float]:
    """Return a range from below least squares to well above the mean; what diverges leaves the
    frame.
    """
    exact, mean = result.least_squares, result.mean_error
    gap = max(abs(mean - exact), 0.05 * exact)
    return exact - 0.15 * gap, exact + 3 * gap


def _rails(result: RegressionResult) -> tuple[Curve, Curve]:
    """Return the lines of the baseline and of least squares, which bound what is of any use."""
    mean, exact = result.mean_error, result.least_squares
    _, exact_text = numbers_apart(result.summary().median, exact)
    return (
        Curve(
            name="baseline (mean)",
            y=mean,
            value=number(mean),
            colour=theme.NON_PRIVATE,
            dash="dash",
        ),
        Curve(name="least squares", y=exact, value=exact_text, colour=theme.NON_PRIVATE),
    )


def numbers_apart(one: float, other: float) -> tuple[str, str]:
    """Return two numbers with three digits, or with four where they would look alike and four tell
    them apart.

    Both have the same decimals, unless one is too large for any.
    """
    mine, theirs = number(one), number(other)
    if mine == theirs and f"{one:.4g}" != f"{other:.4g}":
        mine, theirs = f"{one:.4g}", f"{other:.4g}"
    decimals = max(len(text.partition(".")[2]) for text in (mine, theirs))
    return _padded(mine, decimals), _padded(theirs, decimals)


def _padded(text: str, decimals: int) -> str:
    """Return a number from 1 to 999 with so many decimals: "20.0" beside "22.7"."""
    shown = shown_number(text)
    if shown is None or not 1 <= shown < 1000 or "e" in text:
        return text
    return f"{shown:.{decimals}f}"


def no_minimum(result: RegressionResult) -> dict:
    """Draw how often the released quadratic has no minimum, over epsilon."""
    settings, chosen = result.settings, result.settings.mechanism
    found = {
        name: 100 * one.no_minimum
        for name, one in result.curves.items()
        if one.no_minimum is not None
    }
    finding = ""
    if result.focus.least is not None:
        finding = f"{result.failed} of {settings.repeats} at epsilon {settings.epsilon:.3g}"
    # The chosen method is drawn last, over the others
    names = sorted(found, key=chosen.__eq__)
    return curve_chart(
        *(_curve(name, settings.epsilons, found[name], chosen=name == chosen) for name in names),
        current=settings.epsilon,
        title="Runs without a minimum",
        finding=finding,
        xaxis=_EPSILON_AXIS,
        yaxis=theme.axis("% of runs", -3, 103),
    )


def lines(result: RegressionResult) -> dict:
    """Draw the predicted label over one feature: a line for each run, and some held-out rows, but
    none of a file of one's own.
    """
    settings, source = result.settings, result.problem.source
    bounds, found, exact = result.lines()
    points: list[dict] = []
    (left, right), middle, label = bounds, float(exact.mean()), f"{source.label}, {source.unit}"
    if settings.private:
        reach = max(float(np.ptp(exact)), 0.5 * result.problem.half)
        shown, label = (middle - reach, middle + reach), source.label
    else:
        points, shown = _people(result)
    path = "".join(f"M{left:.5g},{start:.6g}L{right:.5g},{end:.6g}" for start, end in found)
    line = {"color": theme.REGRESSIONS[settings.mechanism], "width": 1.2}
    rising, margin = int((found[:, 1] > found[:, 0]).sum()), 0.03 * (right - left)
    many, goes = (rising, "rise") if exact[1] > exact[0] else (settings.repeats - rising, "fall")
    return curve_chart(
        *points,
        Curve(name="least squares", colour=theme.NON_PRIVATE, x=bounds, y=exact),
        legend=False,
        title="Fitted lines",
        finding=f"{many} of {settings.repeats} {goes}",
        xaxis=theme.axis(_feature(result, settings.feature), left - margin, right + margin),
        yaxis=theme.axis(columns.shorten(label, _LETTERS), *shown),
        shapes=[theme.path_shape(path, layer="between", line=line, opacity=0.5, name=theme.PINNED)],
    )


def _people(result: RegressionResult) -> tuple[list[dict], tuple[float, float]]:
    """(the held-out rows as points, the range upwards that shows them)."""
    x, y = result.points()
    floor, high = result.problem.source.label_bounds[0], float(np.quantile(y, 0.97)) * 1.1
    hover = f"%{{x:.3~g}}: %{{y:.4~g}} {result.problem.source.unit}<extra>held-out row</extra>"
    points = theme.markers(
        x, y, colour=theme.NON_PRIVATE, size=5, hover=hover, name="held-out people", opacity=0.55
    )
    return [points], (floor - 0.08 * high, high)


def _feature(result: RegressionResult, place: int) -> str:
    return columns.shorten(result.problem.source.features[place], _LETTERS)


def coefficients(result: RegressionResult) -> dict:
    """Draw what each feature is worth: least squares, and where nine runs in ten fall."""
    frame, unit = result.coefficients(), result.problem.source.unit
    exact, places = frame["least squares"].to_numpy(), np.arange(len(frame))
    reach = max(1.35 * float(np.abs(exact).max()), 1e-9)
    cut = np.clip(frame[["low", "median", "high"]].to_numpy(), -2 * reach, 2 * reach)
    kept = int((frame["sign"] >= 0.9).sum())
    hover = f"%{{x:.4~g}} {unit}<extra>least squares</extra>"
    return bars.forest(
        [columns.shorten(name, _LETTERS) for name in frame["feature"]],
        cut.T,
        theme.markers(
            exact, places, colour=theme.NON_PRIVATE, size=15, symbol="line-ns-open", hover=hover
        ),
        colours=[theme.REGRESSIONS[result.settings.mechanism]] * len(frame),
        left=160,
        text="| least squares   ◆ median   bar: 90\u00a0% of runs",
        title="Coefficients",
        finding=f"{kept} of {len(frame)} keep their sign",
        xaxis=theme.axis(f"{unit}, from the feature's lowest to its highest value", -reach, reach)
        | {"zeroline": True},
    )


def split(result: RegressionResult) -> dict:
    """Median error over the share of epsilon for the quadratic; just above the axis, the share with
    the least noise.
    """
    (low, high), settings, frame = _error_range(result), result.settings, result.over_split
    curves: list[Curve | dict] = []
    for name in SPLITTERS:
        if name in frame:
            medians, chosen = (
                np.minimum(frame[name].to_numpy(), 20 * high),
                name == settings.mechanism,
            )
            curves.append(replace(_curve(name, frame["share"], medians, chosen=chosen), dots=0))
            mark: dict[str, Any] = {
                "size": 13,
                "symbol": "triangle-up",
                "cliponaxis": False,
                "showlegend": False,
            }
            hover = f"least noise: %{{x:.1%}}<extra>{METHODS[name]}</extra>"
            least, bottom = SPLITTERS[name](result.problem.inputs), low + 0.012 * (high - low)
            curves.append(
                theme.markers(
                    [least], [bottom], colour=theme.REGRESSIONS[name], hover=hover, **mark
                )
            )
    return curve_chart(
        *_rails(result),
        *curves,
        current=settings.share_of(settings.mechanism) if settings.mechanism in SPLITTERS else None,
        title="Budget split",
        finding="▲ least noise",
        xaxis=theme.share_axis("budget share for the quadratic", 1, step=0.2),
        yaxis=theme.axis(f"RMSE, {result.problem.source.unit}", low, high),
    )


def objective(result: RegressionResult) -> dict:
    """Draw each run's released objective along its weakest direction, around its stationary point.

    Along the eigenvector of the least eigenvalue l, J(t) - J(0) = l t^2 / n. The line of an
    objective without a minimum falls.
    """
    least = (
        np.zeros(0) if result.focus.least is None else result.focus.least / result.problem.places
    )
    exact = result.weakest / result.problem.train().rows
    distance = np.linspace(-1.0, 1.0, _POINTS)
    reach = 1.2 * max(exact, float(np.quantile(np.abs(least), 0.9)))
    path = "".join(
        "M"
        + "L".join(
            f"{x:.4g},{y:.4g}" for x, y in zip(distance, curvature * distance**2, strict=True)
        )
        for curvature in np.clip(least, -20 * reach, 20 * reach)
    )
    line = {"color": theme.REGRESSIONS[result.settings.mechanism], "width": 1.2}
    return curve_chart(
        Curve(name="without noise", colour=theme.NON_PRIVATE, x=distance, y=exact * distance**2),
        title="Noisy objectives",
        finding=f"{result.failed} of {len(least)} fall",
        xaxis=theme.axis("distance along the weakest direction", -1, 1),
        yaxis=theme.axis("change of the objective", -reach, reach),
        shapes=[theme.path_shape(path, layer="between", line=line, opacity=0.5, name=theme.PINNED)],
    )
