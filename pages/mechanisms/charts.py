"""Charts of one released number: densities and privacy loss, the posterior, and the best attacker.

The privacy loss of an output is the logarithm of the ratio of both densities there. ``finding``
is what a chart shows, for its title.
"""

import math

import numpy as np

from pages.mechanisms.result import OneNumberResult
from ui.charts import theme
from ui.charts.curves import Curve, curve_chart
from ui.text.numbers import number

NAMES = ("without you", "with you")
COLOURS = (theme.WITHOUT_YOU, theme.WITH_YOU)
# In parts of the height of the chart: the upper end of the privacy loss, its title above that, and
# the lower end of the densities.
_LOSS_TOP = 0.3
_LOSS_TITLE_HEIGHT = 0.305
_DENSITY_BOTTOM = 0.4
# Room for the last tick of an axis, in pixels.
_RIGHT = 20
# A density of three digits is at most as long as "1.23e-12".
_LONGEST_DENSITY = 8
# Room above the densities, and below them for the mark of the release, in parts of their height.
_ABOVE_DENSITY = 1.02
_BELOW_DENSITY = 0.14
# Room beside the drawn outputs, as a factor, and parts of half their range that its middle is
# rounded to.
_ROOM_BESIDE = 1.1
_MIDDLE_STEPS = 8
# Prior probabilities at which the curves of the posterior are drawn.
_PRIORS = np.linspace(0.001, 0.999, 99)
# Ends of axes are these multiples of a power of ten, so that they rest while a slider moves a
# little. Rounding may miss one by so much.
_AXIS_ENDS = (1, 1.5, 2, 3, 5, 7, 10)
_ROUNDING = 1e-12


# Densities and privacy loss


def release(result: OneNumberResult, finding: str = "") -> dict:
    """Draw both densities with a release under them, and the privacy loss of the same outputs."""
    epsilon = result.settings.epsilon
    without_you, with_you = result.pair.densities(result.output_grid)
    highest = max(without_you.max(), with_you.max())
    top = _axis_end(_ABOVE_DENSITY * highest)
    lowest = -_BELOW_DENSITY * top
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
        _density(result, 0, without_you),
        _density(result, 1, with_you),
        loss,
        title="Released number",
        finding=finding,
        legend=True,
        xaxis={**output_axis, "anchor": "y2", "zeroline": False},
        yaxis={
            **density_axis,
            "domain": [_DENSITY_BOTTOM, 1],
            "showticklabels": False,
            "zeroline": True,
            "showgrid": False,
        },
        yaxis2={
            "domain": [0, _LOSS_TOP],
            "range": [-2 * epsilon, 2 * epsilon],
            "tickvals": [-epsilon, 0, epsilon],
            "ticktext": ["−ε", "0", "+ε"],
        },
        shapes=shapes,
        annotations=[_loss_title(result)],
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


def _loss_title(result: OneNumberResult) -> dict:
    """Return the title over the privacy loss, with the probability that it exceeds epsilon."""
    epsilon = result.settings.epsilon
    _, chance = result.pair.chance_above(epsilon)
    title = f"privacy loss (above ε = {epsilon:.3g} with probability {chance:.2g})"
    if chance == 0:
        title = f"privacy loss (never above ε = {epsilon:.3g})"
    return theme.annotation(
        title,
        x=0,
        y=_LOSS_TITLE_HEIGHT,
        size=13,
        xref="paper",
        xanchor="left",
        yref="paper",
        yanchor="bottom",
    )


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


def _axis_end(least: float) -> float:
    """Return the smallest of ``_AXIS_ENDS`` times a power of ten that is at least ``least``."""
    power = 10.0 ** math.floor(math.log10(least))
    ends = [multiple * power for multiple in _AXIS_ENDS]
    high_enough = [end for end in ends if end >= least * (1 - _ROUNDING)]
    return high_enough[0]


def _drawn_range(result: OneNumberResult) -> tuple[float, float]:
    """Return the range of outputs that is drawn, which stays while a slider moves a little.

    Its middle is rounded, and its half is an end of an axis.
    """
    low, high = result.output_range
    half = _axis_end((high - low) / 2 * _ROOM_BESIDE)
    grid = half / _MIDDLE_STEPS
    middle = round((low + high) / 2 / grid) * grid
    return middle - half, middle + half


# Posterior


def posterior(result: OneNumberResult, finding: str = "") -> dict:
    """Draw the posterior over the prior: what epsilon allows, and what this release gives."""
    prior = 100 * result.settings.prior
    least, most = result.posterior_range(_PRIORS)
    return curve_chart(
        _diagonal(rising=True),
        theme.band(100 * _PRIORS, 100 * least, 100 * most, colour=theme.BOUND),
        _posterior_limit("least", least),
        _posterior_limit("most", most),
        current=prior,
        right=_RIGHT,
        legend=False,
        title="Posterior",
        finding=finding,
        shapes=[theme.diamond(prior, 100 * result.release.posterior, name=theme.PINNED)],
        xaxis=percent_axis("prior probability that you are in, %"),
        yaxis=percent_axis("posterior, %"),
    )


def _posterior_limit(name: str, posteriors: np.ndarray) -> Curve:
    """Return the lowest or the highest posterior that epsilon allows, for each of ``_PRIORS``.

    name: "least" or "most".
    """
    return Curve(
        name=f"at {name}",
        x=100 * _PRIORS,
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


# The best attacker


def trade_off(result: OneNumberResult, finding: str = "") -> dict:
    """Draw the error rates of the best tests, those that the claim allows, and the best attack.

    A test says "in" or "out" from one release. Its rates are those of ``output_pair.Attack``.
    """
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
