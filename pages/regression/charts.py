"""Charts of the regression: errors, fitted lines, noisy objectives and coefficients."""

import math

import numpy as np

from pages.regression.result import RegressionResult
from pages.regression.settings import RegressionSettings
from ui.charts import bars, theme
from ui.charts.coefficients import shorten
from ui.charts.curves import Curve, count_progress, curve_chart
from ui.text.numbers import number
from ui.text.texts import Texts

SAYS = Texts(__file__)
METHODS = SAYS.cases("methods")
EPSILON_AXIS = theme.epsilon_axis(*RegressionSettings.LIMITS["epsilon"], margin=0.05)
# Letters of an error such as "340,000" or "1.39e+65", for which legends keep room.
LONGEST_ERROR = 8
# Errors from the first to below the second number have the same decimals, at most as many as these.
ROUNDED_ALIKE = (1e-3, 1e6)
MOST_DECIMALS = 4
# Most letters of a name along an axis.
LONGEST_NAME = 44
# Where the strokes of single fits begin and end, in pixels right of the set epsilon.
STROKES = (-9, 9)
# Errors that many times above the top of the axis are drawn there, so that no line is too steep.
HIGHEST_ERROR = 20
# The same for coefficients, in half widths of their axis, and for curvatures.
LARGEST_COEFFICIENT = 2
LARGEST_CURVATURE = 20
# Points of the line of an objective.
OBJECTIVE_POINTS = 25
# A coefficient keeps its sign if this share of the fits has the right one.
KEPT_SIGN = 0.9
# The axis of errors reaches so many gaps below and above least squares, where the gap is that to
# the baseline, and at least this share of the error.
GAPS_BELOW = 0.15
GAPS_ABOVE = 3
LEAST_GAP = 0.05
# The axis of coefficients ends at this factor of the largest one of least squares.
COEFFICIENT_MARGIN = 1.35
# The axis of labels ends above this share of the held-out labels, by this factor. It begins below
# the least label, by this share of its end.
SHOWN_LABELS = 0.97
TOP_MARGIN = 1.1
BOTTOM_MARGIN = 0.08
# Margin beside the lines, as a share of the feature's range.
SIDE_MARGIN = 0.03
# The axis of objectives ends at this factor of the curvature of nine in ten fits.
OBJECTIVE_MARGIN = 1.2
SHOWN_OBJECTIVES = 0.9


def errors(result: RegressionResult) -> dict:
    """Draw the error over epsilon, between the baseline and least squares.

    There is a curve for the chosen mechanism, and one for the best other mechanism.
    """
    low, high = _error_range(result)
    baseline, least_squares = _reference_lines(result)
    curves = [baseline]
    if result.best_alternative is not None:
        curves.append(_alternative_curve(result, result.best_alternative, high))
    curves.append(_chosen_curve(result, high))
    curves.append(least_squares)
    return curve_chart(
        *curves,
        current=result.settings.epsilon,
        title="RMSE by epsilon",
        finding=_errors_finding(result),
        xaxis=EPSILON_AXIS,
        yaxis=theme.axis(f"RMSE, {result.problem.source.unit}", low, high),
    )


def _errors_finding(result: RegressionResult) -> str:
    """Return how many curves are computed or, of all, from where the chosen one is useful."""
    methods_trained = count_progress(len(result.curves), len(theme.REGRESSIONS), "methods trained")
    if methods_trained:
        return methods_trained
    if result.useful_from is None:
        return ""
    return f"better than the baseline from epsilon {result.useful_from:g}"


def _chosen_curve(result: RegressionResult, high: float) -> Curve:
    """Return the median error of the chosen mechanism with 90 % of its fits, and each fit now.

    high: top of the axis.
    """
    name = result.settings.mechanism
    epsilons: tuple[float, ...] = ()
    quantiles = np.empty((3, 0))
    if name in result.curves:
        epsilons = result.settings.epsilons
        quantiles = np.minimum(result.quantiles(name), HIGHEST_ERROR * high)
    spread = result.summary()
    return Curve(
        name=METHODS[name],
        colour=theme.REGRESSIONS[name],
        x=epsilons,
        y=quantiles,
        width=3,
        dots=6,
        value=_legend_value(result, spread.median),
        at_current=np.minimum(spread, HIGHEST_ERROR * high),
        strokes=np.minimum(result.fits.errors, high),
        stroke_span=STROKES,
        pinned=True,
    )


def _alternative_curve(result: RegressionResult, name: str, high: float) -> Curve:
    """Return the median error of another mechanism, with its value now if that is computed."""
    _, medians, _ = np.minimum(result.quantiles(name), HIGHEST_ERROR * high)
    value = ""
    if name in result.all_fits:
        value = _legend_value(result, float(np.median(result.all_fits[name].errors)))
    return Curve(
        name=METHODS[name],
        colour=theme.REGRESSIONS[name],
        x=result.settings.epsilons,
        y=medians,
        width=2,
        value=value,
    )


def _legend_value(result: RegressionResult, error: float) -> str:
    """Return an error for the legend, with room for a longer one."""
    return theme.padded(error_text(result, error), longest=LONGEST_ERROR)


def _error_range(result: RegressionResult) -> tuple[float, float]:
    """Return the ends of the error axis, from below least squares to well above the baseline."""
    least_squares = result.least_squares_error
    gap = max(abs(result.baseline - least_squares), LEAST_GAP * least_squares)
    return least_squares - GAPS_BELOW * gap, least_squares + GAPS_ABOVE * gap


def _reference_lines(result: RegressionResult) -> tuple[Curve, Curve]:
    """Return the lines of the baseline and of least squares, between which models are useful."""
    baseline = Curve(
        name="baseline (mean)",
        y=result.baseline,
        value=error_text(result, result.baseline),
        colour=theme.NON_PRIVATE,
        dash="dash",
    )
    least_squares = Curve(
        name="least squares",
        y=result.least_squares_error,
        value=error_text(result, result.least_squares_error),
        colour=theme.NON_PRIVATE,
    )
    return baseline, least_squares


def error_text(result: RegressionResult, error: float) -> str:
    """Format an error, with the decimals that all errors of the page have.

    Errors outside of ``ROUNDED_ALIKE`` have three digits.
    """
    low, high = ROUNDED_ALIKE
    if not low <= error < high:
        return number(error)
    return f"{error:,.{count_decimals(result)}f}"


def count_decimals(result: RegressionResult) -> int:
    """Return with how many decimals least squares has three digits, or differs from the median."""
    median = result.summary().median
    exact = result.least_squares_error
    decimals = max(0, min(2 - math.floor(math.log10(exact)), MOST_DECIMALS))
    if median != exact and f"{median:.{decimals}f}" == f"{exact:.{decimals}f}":
        return decimals + 1
    return decimals


def lines(result: RegressionResult) -> dict:
    """Draw the predicted label over one feature, a line per fit, and some held-out rows.

    No row of an uploaded file is drawn.
    """
    source = result.problem.source
    fitted = result.fitted_lines
    points = []
    if result.settings.uses_file:
        label = source.label
        label_range = _range_around_least_squares(result)
    else:
        label = f"{source.label}, {source.unit}"
        values, labels = result.held_out_points()
        points.append(_point_markers(values, labels, unit=source.unit))
        top = float(np.quantile(labels, SHOWN_LABELS)) * TOP_MARGIN
        label_range = (source.label_bounds[0] - BOTTOM_MARGIN * top, top)

    left, right = fitted.ends
    margin = SIDE_MARGIN * (right - left)
    feature = shorten(source.features[result.feature], LONGEST_NAME)
    least_squares = Curve(
        name="least squares",
        colour=theme.NON_PRIVATE,
        x=fitted.ends,
        y=fitted.least_squares,
    )
    path = "".join(
        f"M{left:.5g},{start:.6g}L{right:.5g},{end:.6g}" for start, end in fitted.private
    )
    return curve_chart(
        *points,
        least_squares,
        legend=False,
        title="Fitted lines",
        finding=_lines_finding(result),
        xaxis=theme.axis(feature, left - margin, right + margin),
        yaxis=theme.axis(shorten(label, LONGEST_NAME), *label_range),
        shapes=[_lines_of_fits(result, path)],
    )


def _range_around_least_squares(result: RegressionResult) -> tuple[float, float]:
    """Return the ends of the label axis if only the lines show where labels are.

    The line of least squares covers half of it, or less if it is nearly flat.
    """
    predictions = result.fitted_lines.least_squares
    middle = float(predictions.mean())
    change = float(np.ptp(predictions))
    reach = max(change, 0.5 * result.problem.half_range)
    return middle - reach, middle + reach


def _lines_finding(result: RegressionResult) -> str:
    """Return how many lines rise or, if that of least squares falls, how many fall."""
    fitted = result.fitted_lines
    fits = len(fitted.private)
    rising = int((fitted.private[:, 1] > fitted.private[:, 0]).sum())
    if fitted.least_squares[1] > fitted.least_squares[0]:
        return f"{rising} of {fits} rise"
    return f"{fits - rising} of {fits} fall"


def _point_markers(values: np.ndarray, labels: np.ndarray, *, unit: str) -> dict:
    """Return held-out rows as points."""
    return theme.markers(
        values,
        labels,
        colour=theme.NON_PRIVATE,
        size=5,
        hover=f"%{{x:.3~g}}: %{{y:.4~g}} {unit}<extra>held-out row</extra>",
        name="held-out people",
        opacity=0.55,
    )


def _lines_of_fits(result: RegressionResult, path: str) -> dict:
    """Return the lines of all fits as one shape, which stands for pinned settings."""
    line = {"color": theme.REGRESSIONS[result.settings.mechanism], "width": 1.2}
    return theme.path_shape(path, layer="between", line=line, opacity=0.5, name=theme.PINNED)


def coefficients(result: RegressionResult) -> dict:
    """Draw each coefficient: that of least squares, and the range of 90 % of the fits."""
    frame = result.coefficients()
    unit = result.problem.source.unit
    exact = frame["least squares"].to_numpy()
    half_width = max(COEFFICIENT_MARGIN * float(np.abs(exact).max()), 1e-9)  # not 0 if all are 0
    largest = LARGEST_COEFFICIENT * half_width
    spread = frame[["low", "median", "high"]].to_numpy().clip(-largest, largest)
    kept = int((frame["sign"] >= KEPT_SIGN).sum())
    least_squares = theme.markers(
        exact,
        np.arange(len(frame)),
        colour=theme.NON_PRIVATE,
        size=15,
        symbol="line-ns-open",
        hover=f"%{{x:.4~g}} {unit}<extra>least squares</extra>",
    )
    axis = theme.axis(
        f"{unit}, from the feature's lowest to its highest value", -half_width, half_width
    )
    axis["zeroline"] = True
    return bars.forest(
        [shorten(name, LONGEST_NAME) for name in frame["feature"]],
        spread.T,
        least_squares,
        colours=[theme.REGRESSIONS[result.settings.mechanism]] * len(frame),
        left=160,
        text="| least squares   ◆ median   bar: 90\u00a0% of runs",
        title="Coefficients",
        finding=f"{kept} of {len(frame)} keep their sign",
        xaxis=axis,
    )


def objective(result: RegressionResult, least_eigenvalues: np.ndarray) -> dict:
    """Draw each released objective in the direction in which it curves least.

    With t the distance from its stationary point along the eigenvector of its least eigenvalue l,
    and n rows, J(t) - J(0) = l t^2 / n. The line of an objective without a minimum falls.

    least_eigenvalues: of the released X^T X of each fit, (R,).
    """
    problem = result.problem
    curvatures = least_eigenvalues / problem.most_rows
    exact = result.exact_least_eigenvalue / problem.training_statistics().rows
    usual = float(np.quantile(np.abs(curvatures), SHOWN_OBJECTIVES))
    top = OBJECTIVE_MARGIN * max(exact, usual)
    distance = np.linspace(-1.0, 1.0, OBJECTIVE_POINTS)
    routes = []
    for curvature in curvatures.clip(-LARGEST_CURVATURE * top, LARGEST_CURVATURE * top):
        points = np.column_stack([distance, curvature * distance**2])
        routes.append(theme.svg_path(points))
    without_noise = Curve(
        name="without noise",
        colour=theme.NON_PRIVATE,
        x=distance,
        y=exact * distance**2,
    )
    return curve_chart(
        without_noise,
        title="Noisy objectives",
        finding=f"{result.without_minimum} of {len(curvatures)} fall",
        xaxis=theme.axis("distance along the weakest direction", -1, 1),
        yaxis=theme.axis("change of the objective", -top, top),
        shapes=[_lines_of_fits(result, "".join(routes))],
    )
