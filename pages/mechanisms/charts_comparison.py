"""Charts that compare mechanisms, published formulas, and the options of private selection.

``finding`` is what a chart shows, for its title.
"""

import math
from dataclasses import replace

import numpy as np

from pages.mechanisms.charts import COLOURS, NAMES, percent_axis
from pages.mechanisms.formulas import CLAIMS, EPSILON_RANGE, SEVERAL
from pages.mechanisms.result import OneNumberResult
from pages.mechanisms.settings import NUMBER_MECHANISMS
from ui.charts import theme
from ui.charts.curves import Curve, Level, curve_chart

FORMULA_NAMES = {
    "slide": "ln(2/δ)",
    "classical": "ln(1.25/δ)",
    "several": f"ln(2/δ), L1 norm of {SEVERAL} numbers",
}
_FORMULA_DASHES = {"slide": "solid", "classical": "dash", "several": "dot"}
_MECHANISM_DASHES = {"laplace": "solid", "gaussian": "dash", "classical": "dot"}
# Range of the axis of errors in powers of ten around the sensitivity, in half powers.
_BELOW_SENSITIVITY = 2.1
_ABOVE_SENSITIVITY = 3.6


# Errors


def errors(result: OneNumberResult, finding: str = "") -> dict:
    """Draw the 90 % error of each mechanism over epsilon, orange where its claim is broken."""
    settings = result.settings
    now = {name: settings.claim(name).pair.error for name in NUMBER_MECHANISMS}
    curves = []
    for name in NUMBER_MECHANISMS:
        curves += _error_curves(result, name, now[name])
    middle = math.floor(2 * math.log10(settings.sensitivity)) / 2
    error_axis = theme.axis(
        "90 % error, ± (log scale)",
        10 ** (middle - _BELOW_SENSITIVITY),
        10 ** (middle + _ABOVE_SENSITIVITY),
        log=True,
    )
    return curve_chart(
        *curves,
        current=settings.epsilon,
        line_style={"yref": "y", "y0": min(now.values()), "y1": max(now.values())},
        title="90 % error by epsilon",
        finding=finding,
        shapes=[theme.diamond(settings.epsilon, result.pair.error, name=theme.PINNED)],
        xaxis=theme.epsilon_axis(*EPSILON_RANGE),
        yaxis={**error_axis, "dtick": 1, "tickformat": "~g"},
    )


def _error_curves(result: OneNumberResult, name: str, now: float) -> list[Curve]:
    """Return the curve of a mechanism, for the textbook formula in two colours.

    now: its error at the set epsilon.
    """
    error = result.errors[name]
    text = NUMBER_MECHANISMS[name]
    hover = f"epsilon %{{x:.3g}}: ±%{{y:.3g}}<extra>{text}"
    is_chosen = name == result.settings.mechanism
    opacity = 0.5
    if is_chosen:
        opacity = 1.0
    curve = Curve(
        name=text,
        value=f"±{now:.3g}",
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
        _broken_style(curve),
        y=np.where(is_broken, error, np.nan),
        hover=f"{hover}, does not hold</extra>",
        pinned=False,
    )
    return [holding, broken]


def _broken_style(curve: Curve) -> Curve:
    """Return a curve in the colour of broken claims, which is not in the legend."""
    return replace(curve, name="broken", value="", colour=theme.BOUND, listed=False)


# Published formulas


def formulas(result: OneNumberResult, finding: str = "") -> dict:
    """Draw what each formula gives, divided by its claim, orange where that is more than 1."""
    curves = []
    for name in result.formulas:
        curves += _formula_curves(result, name)
    claim_axis = theme.epsilon_axis(*EPSILON_RANGE)
    return curve_chart(
        *curves,
        current=result.settings.epsilon,
        levels=[Level(y=1.0)],
        title="Real / claimed epsilon",
        finding=finding,
        xaxis={**claim_axis, "title": {"text": "claimed epsilon (log scale)"}},
        yaxis=theme.log_axis("real / claimed epsilon (log scale)", 0.05, 10, max_ticks=3),
    )


def _formula_curves(result: OneNumberResult, name: str) -> list[Curve]:
    """Return the curve of a formula where its claim holds, and where it is broken."""
    text = FORMULA_NAMES[name]
    formula = result.formulas[name]
    epsilon = result.settings.epsilon
    x, y = _with_crossing(result.real_epsilons[name] / CLAIMS, formula.until)
    holds_at = x <= formula.until
    is_broken_at = x >= formula.until
    curve = Curve(
        name=text,
        value=f"{formula.real:.3g}",
        x=x[holds_at],
        y=y[holds_at],
        colour=theme.PRIVATE,
        dash=_FORMULA_DASHES[name],
        hover=f"claim %{{x:.3g}}: gives %{{y:.3g}} times as much<extra>{text}</extra>",
    )
    broken = replace(_broken_style(curve), x=x[is_broken_at], y=y[is_broken_at])
    # A log axis has no place for 0.
    if formula.real > 0:
        ratio = formula.real / epsilon
        if formula.real <= epsilon:
            curve = replace(curve, at_current=ratio)
        else:
            broken = replace(broken, at_current=ratio)
    return [curve, broken]


def _with_crossing(ratios: np.ndarray, until: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the claims and ratios, with the point where the ratio becomes 1, if it is drawn.

    A log axis has no place for a ratio of 0, which becomes NaN.
    """
    index = np.searchsorted(CLAIMS, until)
    crossing = np.nan
    if until <= CLAIMS[-1]:
        crossing = 1.0
    x = np.insert(CLAIMS, index, until)
    y = np.insert(np.where(ratios > 0, ratios, np.nan), index, crossing)
    return x, y


# Private selection


def choice(result: OneNumberResult, finding: str = "") -> dict:
    """Draw the probability that each option wins, without you and with you."""
    labels = []
    for name, count in zip(result.option_names, result.settings.counts, strict=True):
        labels.append(f"{name}: {count:.0f}")
    labels[result.settings.voted] += " (+ you)"
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
