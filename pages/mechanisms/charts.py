"""Charts of one released number: densities, releases, posterior, attacks and privacy profile.

``finding`` is what a chart shows, for its title.
"""

import math

import numpy as np

from pages.mechanisms.formulas import EPSILON_RANGE
from pages.mechanisms.result import OneNumberResult
from ui.charts import theme
from ui.charts.curves import Curve, curve_chart
from ui.text.numbers import delta, number

NAMES = ("without you", "with you")
COLOURS = (theme.WITHOUT_YOU, theme.WITH_YOU)
# Room for the last tick of an axis, in pixels.
_RIGHT = 20
# A density of three digits is at most as long as "1.23e-12".
_LONGEST_DENSITY = 8
# Ends of axes are these multiples of a power of ten, so that they rest while a slider moves a
# little. Rounding may miss one by so much.
_AXIS_ENDS = (1, 1.5, 2, 3, 5, 7, 10)
_ROUNDING = 1e-12
# Lower end of the axis of delta. A delta of 0 is drawn below it, and a claimed one at this.
_LEAST_DELTA = 1e-12
_NO_DELTA = _LEAST_DELTA / 10
_LEAST_CLAIMED_DELTA = 2 * _LEAST_DELTA


# Densities and privacy loss


def release(result: OneNumberResult, finding: str = "") -> dict:
    """Draw both densities with a release under them, and the privacy loss of the same outputs."""
    epsilon = result.settings.epsilon
    densities = result.pair.densities(result.output_grid)
    top = _axis_end(1.02 * max(density.max() for density in densities))
    lowest = -0.14 * top
    loss = theme.line(
        result.output_grid,
        result.pair.privacy_loss(result.output_grid),
        colour=theme.PRIVATE,
        name="privacy loss",
        yaxis="y2",
        hovertemplate="%{x:.5g}: privacy loss %{y:.3g}<extra></extra>",
        showlegend=False,
        meta=theme.PINNED,
    )
    shapes = [
        _loss_line(epsilon),
        _loss_line(-epsilon),
        *_beyond_epsilon(result),
        *_release_marks(result, lowest / 2),
    ]
    output_axis = theme.axis("released number", *_drawn_range(result))
    density_axis = theme.axis("density", lowest, top)
    return theme.figure(
        _density(result, 0, densities[0]),
        _density(result, 1, densities[1]),
        loss,
        title="Released number",
        finding=finding,
        legend=True,
        xaxis={**output_axis, "anchor": "y2", "zeroline": False},
        yaxis={
            **density_axis,
            "domain": [0.4, 1],
            "showticklabels": False,
            "zeroline": True,
            "showgrid": False,
        },
        yaxis2={
            "domain": [0, 0.3],
            "range": [-2 * epsilon, 2 * epsilon],
            "tickvals": [-epsilon, 0, epsilon],
            "ticktext": ["−ε", "0", "+ε"],
        },
        shapes=shapes,
        annotations=[_left_annotation(_loss_title(result), y=0.305)],
    )


def _density(result: OneNumberResult, index: int, density: np.ndarray) -> dict:
    """Return the density without you (0) or with you (1), and its value at the release."""
    colour = COLOURS[index]
    at_release = float(result.pair.densities(result.release.output)[index])
    value = theme.padded(number(at_release), longest=_LONGEST_DENSITY)
    return theme.line(
        result.output_grid,
        density,
        colour=colour,
        name=theme.legend_name(NAMES[index], value),
        fill="tozeroy",
        fillcolor=theme.rgba(colour, 0.16),
        hovertemplate=f"%{{x:.5g}}: density %{{y:.3g}}<extra>{NAMES[index]}</extra>",
    )


def _loss_line(loss: float) -> dict:
    """Return a line at a privacy loss."""
    return theme.horizontal_line(loss, colour=theme.BOUND, width=1.5, dash="dash", yref="y2")


def _loss_title(result: OneNumberResult) -> str:
    """Return the title of the privacy loss, with the probability that it exceeds epsilon."""
    epsilon = result.settings.epsilon
    _, chance = result.pair.chance_above(epsilon)
    if chance == 0:
        return f"privacy loss (never above ε = {epsilon:.3g})"
    return f"privacy loss (above ε = {epsilon:.3g} with probability {chance:.2g})"


def _release_marks(result: OneNumberResult, height: float) -> list[dict]:
    """Return the release as a diamond under the densities and on the privacy loss."""
    this_release = result.release
    return [
        theme.vertical_line(this_release.output),
        theme.diamond(this_release.output, height, name=theme.PINNED),
        theme.diamond(this_release.output, this_release.privacy_loss, yref="y2", name=theme.PINNED),
    ]


def _beyond_epsilon(result: OneNumberResult) -> list[dict]:
    """Return the areas of outputs whose privacy loss is beyond epsilon.

    If there are none, the areas are hidden and not left out, so that a movement may show them.
    """
    low = result.pair.output_at(-result.settings.epsilon)
    high = result.pair.output_at(result.settings.epsilon)
    left, right = _drawn_range(result)
    is_visible = math.isfinite(high)
    if not is_visible:
        low = left
        high = right
    style = {
        "type": "rect",
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": theme.rgba(theme.BOUND, 0.13),
        "visible": is_visible,
    }
    return [
        {**style, "x0": min(left, low), "x1": low},
        {**style, "x0": high, "x1": max(right, high)},
    ]


def _left_annotation(text: str, *, y: float) -> dict:
    """Return a text at the left end of the chart, above the height ``y`` from 0 to 1."""
    return theme.annotation(
        text, x=0, y=y, size=13, xref="paper", xanchor="left", yref="paper", yanchor="bottom"
    )


def _axis_end(least: float) -> float:
    """Return the smallest of ``_AXIS_ENDS`` times a power of ten that is at least ``least``."""
    power = 10.0 ** math.floor(math.log10(least))
    ends = [multiple * power for multiple in _AXIS_ENDS]
    return next(end for end in ends if end >= least * (1 - _ROUNDING))


def _drawn_range(result: OneNumberResult) -> tuple[float, float]:
    """Return the range of outputs that is drawn, which rests on a grid of eighths of its half."""
    low, high = result.output_range
    half = _axis_end((high - low) / 2 * 1.1)
    grid = half / 8
    middle = round((low + high) / 2 / grid) * grid
    return middle - half, middle + half


# Releases


def dots(result: OneNumberResult, finding: str = "") -> dict:
    """Draw fifty equally likely releases with you upwards, and fifty without you downwards."""
    left, right = _drawn_range(result)
    column_width = max(0.4 * result.pair.scale, (right - left) / 44)
    truths = (result.pair.value, result.pair.value + result.pair.sensitivity)
    columns = []
    heights = []
    for truth, releases in zip(truths, result.equally_likely_releases(), strict=True):
        offsets, stacked = _stack(releases - truth, column_width)
        columns.append(truth + offsets)
        heights.append(stacked)
    top = max(12, int(np.max(heights))) + 1.5
    size = min(9.0, max(2.5, 165 / top))
    traces = [
        *_dot_traces(0, columns[0], -(heights[0] - 0.3), size),
        *_dot_traces(1, columns[1], heights[1] - 0.3, size),
    ]
    output_axis = theme.axis("released number", left, right)
    return theme.figure(
        *traces,
        title="Fifty releases",
        finding=finding,
        xaxis={**output_axis, "zeroline": False},
        yaxis={"range": [-top, top], "showticklabels": False, "showgrid": False},
        annotations=[
            _left_annotation(f"50 equally likely releases, {NAMES[1]}", y=0.94),
            _left_annotation(f"50 equally likely releases, {NAMES[0]}", y=0.0),
        ],
    )


def _stack(errors: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the middle of each dot's column, and its height 1, 2, ... there.

    errors: in rising order.
    """
    columns = np.round(errors / width)
    first_of_column = np.searchsorted(columns, columns)
    return columns * width, np.arange(len(errors)) - first_of_column + 1


def _dot_traces(index: int, x: np.ndarray, y: np.ndarray, size: float) -> list[dict]:
    """Return the dots without you (0) or with you (1), hollow outside of the 90 % error."""
    is_inside = np.zeros(len(x), bool)
    # Of 50, the third is the 5 % quantile, and the 45 from the fourth on end at the 95 % quantile.
    is_inside[3:48] = True
    traces = []
    for selected, symbol in ((is_inside, "circle"), (~is_inside, "circle-open")):
        trace = theme.markers(
            x[selected],
            y[selected],
            colour=COLOURS[index],
            size=size,
            symbol=symbol,
            hover=f"about %{{x:.4g}}<extra>{NAMES[index]}</extra>",
        )
        traces.append(trace)
    return traces


# Posterior


def posterior(result: OneNumberResult, finding: str = "") -> dict:
    """Draw the posterior over the prior: what epsilon allows, and what this release gives."""
    prior = 100 * result.settings.prior
    priors = np.linspace(0.001, 0.999, 99)
    least, most = result.posterior_range(priors)
    return curve_chart(
        _diagonal(rising=True),
        theme.band(100 * priors, 100 * least, 100 * most, colour=theme.BOUND),
        _posterior_limit("least", priors, least),
        _posterior_limit("most", priors, most),
        current=prior,
        right=_RIGHT,
        legend=False,
        title="Posterior",
        finding=finding,
        shapes=[theme.diamond(prior, 100 * result.release.posterior, name=theme.PINNED)],
        xaxis=percent_axis("prior probability that you are in, %"),
        yaxis=percent_axis("posterior, %"),
    )


def _posterior_limit(name: str, priors: np.ndarray, posteriors: np.ndarray) -> Curve:
    """Return the lowest or the highest posterior that epsilon allows."""
    return Curve(
        name=f"at {name}",
        x=100 * priors,
        y=100 * posteriors,
        colour=theme.BOUND,
        hover=f"prior: %{{x:.0f}} %<br>posterior: %{{y:.3g}} % at {name}<extra></extra>",
    )


def percent_axis(text: str, margin: float = 0) -> dict:
    """Return an axis from 0 to 100 %, with a ``margin`` beside both ends."""
    return theme.axis(text, -margin, 100 + margin, ticks=range(0, 101, 25))


def _diagonal(*, rising: bool) -> Curve:
    """Return the line of a release without information."""
    x = np.array([0.0, 100.0])
    y = 100 - x
    if rising:
        y = x
    return Curve(
        name="no information", x=x, y=y, colour=theme.NON_PRIVATE, more={"hoverinfo": "skip"}
    )


# Attacks and the privacy profile


def trade_off(result: OneNumberResult, finding: str = "") -> dict:
    """Draw the error rates of the best tests, those that the claim allows, and the best attack."""
    curve = result.trade_off
    attack = result.pair.best_attack(result.settings.prior)
    bound = "claimed minimum"
    if result.claim.holds:
        bound = "guaranteed minimum"
    x = 100 * curve.false_positive_rates
    best_attack = theme.diamond(
        100 * attack.false_positive_rate, 100 * attack.false_negative_rate, name=theme.PINNED
    )
    return curve_chart(
        _diagonal(rising=False),
        Curve(name=bound, x=x, y=100 * curve.promised, colour=theme.BOUND),
        Curve(
            name="this noise",
            x=x,
            y=100 * curve.false_negative_rates,
            colour=theme.PRIVATE,
            pinned=True,
        ),
        right=_RIGHT,
        title="Best attacker",
        finding=finding,
        shapes=[best_attack],
        xaxis=percent_axis("false-positive rate, %", margin=2),
        yaxis=percent_axis("false-negative rate, %", margin=2),
    )


def profile(result: OneNumberResult, finding: str = "") -> dict:
    """Draw the delta that the noise needs at each epsilon, and the claim."""
    epsilon = result.settings.epsilon
    claimed_delta = result.claim.delta
    needed = Curve(
        name="needed",
        x=result.profile.epsilons,
        y=np.maximum(result.profile.deltas, _NO_DELTA),
        colour=theme.PRIVATE,
        pinned=True,
        hover="epsilon %{x:.3g} needs a delta of about %{y:.2g}<extra></extra>",
    )
    delta_text = delta(claimed_delta, digits=2)
    claim = theme.markers(
        [epsilon],
        [max(claimed_delta, _LEAST_CLAIMED_DELTA)],
        colour=theme.BOUND,
        size=10,
        symbol="x",
        hover=f"guaranteed: epsilon %{{x:.3g}}, delta {delta_text}<extra></extra>",
        cliponaxis=False,
    )
    delta_axis = theme.axis("delta (log scale)", _LEAST_DELTA, 2, log=True)
    return curve_chart(
        needed,
        claim,
        current=epsilon,
        legend=False,
        title="Delta by epsilon",
        finding=finding,
        xaxis=theme.epsilon_axis(*EPSILON_RANGE),
        yaxis={
            **delta_axis,
            "tickvals": [1e-12, 1e-9, 1e-6, 1e-3, 1],
            "ticktext": ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "1"],
        },
    )
