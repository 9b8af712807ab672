"""Charts that compare mechanisms, and the options of private selection.

``finding`` is what a chart shows, for its title.
"""

import math
from dataclasses import replace

import numpy as np

from pages.mechanisms.charts import COLOURS, NAMES, percent_axis
from pages.mechanisms.formulas import CLAIMS, EPSILON_RANGE
from pages.mechanisms.result import VOTED, OneNumberResult
from pages.mechanisms.settings import NUMBER_MECHANISMS
from ui.charts import theme
from ui.charts.curves import Curve, curve_chart

_MECHANISM_DASHES = {"laplace": "solid", "gaussian": "dash", "classical": "dot"}
# Opacity of the mechanisms that are not chosen.
_OTHER_OPACITY = 0.5
# Range of the axis of errors around the sensitivity, in powers of ten.
_BELOW_SENSITIVITY = 2.1
_ABOVE_SENSITIVITY = 3.6


# Errors


def errors(result: OneNumberResult, finding: str = "") -> dict:
    """Draw the 90 % error of each mechanism over epsilon, orange where its claim is broken."""
    settings = result.settings
    current_errors = {name: settings.claim(name).pair.error for name in NUMBER_MECHANISMS}
    curves = []
    for name in NUMBER_MECHANISMS:
        curves += _error_curves(result, name, current_errors[name])
    # The axis moves in half powers of ten.
    middle = math.floor(2 * math.log10(settings.sensitivity)) / 2
    error_axis = theme.axis(
        "90 % error, ± (log scale)",
        10 ** (middle - _BELOW_SENSITIVITY),
        10 ** (middle + _ABOVE_SENSITIVITY),
        log=True,
    )
    current_line = {
        "yref": "y",
        "y0": min(current_errors.values()),
        "y1": max(current_errors.values()),
    }
    return curve_chart(
        *curves,
        current=settings.epsilon,
        line_style=current_line,
        title="90 % error by epsilon",
        finding=finding,
        shapes=[theme.diamond(settings.epsilon, result.pair.error, name=theme.PINNED)],
        xaxis=theme.epsilon_axis(*EPSILON_RANGE),
        yaxis={**error_axis, "dtick": 1, "tickformat": "~g"},
    )


def _error_curves(result: OneNumberResult, name: str, current_error: float) -> list[Curve]:
    """Return the curve of a mechanism, for the textbook formula in two colours.

    current_error: at the set epsilon.
    """
    error = result.errors[name]
    text = NUMBER_MECHANISMS[name]
    hover = f"epsilon %{{x:.3g}}: ±%{{y:.3g}}<extra>{text}"
    is_chosen = name == result.settings.mechanism
    opacity = _OTHER_OPACITY
    if is_chosen:
        opacity = 1.0
    curve = Curve(
        name=text,
        value=f"±{current_error:.3g}",
        x=CLAIMS,
        y=error,
        colour=theme.PRIVATE,
        dash=_MECHANISM_DASHES[name],
        hover=f"{hover}</extra>",
        pinned=is_chosen,
        more={"opacity": opacity},
    )
    if name != "classical":
        return [curve]
    is_broken = result.formulas[name].until <= CLAIMS
    holding = replace(curve, y=np.where(is_broken, np.nan, error))
    broken = replace(
        curve,
        name="broken",
        value="",
        listed=False,
        y=np.where(is_broken, error, np.nan),
        colour=theme.BOUND,
        hover=f"{hover}, does not hold</extra>",
        pinned=False,
    )
    return [holding, broken]


# Private selection


def choice(result: OneNumberResult, finding: str = "") -> dict:
    """Draw the probability that each option wins, without your vote and with it."""
    labels = []
    for name, votes in zip(result.option_names, result.settings.counts, strict=True):
        labels.append(f"{name}: {votes:.0f}")
    labels[VOTED] += " (+ you)"
    win_axis = percent_axis("probability of winning, %")
    return theme.figure(
        _win_bars(result, labels, 0),
        _win_bars(result, labels, 1),
        title="Winner",
        finding=finding,
        legend=True,
        barmode="group",
        bargap=0.25,
        left=92,
        xaxis={**win_axis, "range": [0, 120]},
        yaxis={"autorange": "reversed"},
    )


def _win_bars(result: OneNumberResult, labels: list[str], index: int) -> dict:
    """Return the bars without you (0) or with you (1)."""
    return {
        "type": "bar",
        "orientation": "h",
        "x": theme.array(100 * result.win_probabilities[index]),
        "y": labels,
        "name": NAMES[index],
        "marker": {"color": COLOURS[index]},
        "texttemplate": "%{x:.1f}",
        "textposition": "outside",
        "constraintext": "none",
        "textfont": {"size": 12},
        "cliponaxis": False,
        "hovertemplate": f"%{{y}} wins %{{x:.3g}} % of releases<extra>{NAMES[index]}</extra>",
    }
