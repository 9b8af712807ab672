"""Charts of one number, released with you and without you: densities, posterior, tests, errors and
private selection.

``finding``: what a picture shows, for its title.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from pages.mechanisms.experiment import NUMBER_MECHANISMS, MechanismsResult
from pages.mechanisms.tasks import CLAIMS, EPSILON_RANGE, SEVERAL
from ui.charts import theme
from ui.charts.curves import Curve, Level, curve_chart
from ui.text.numbers import delta, number

WORLDS = ((theme.WITHOUT_YOU, "without you"), (theme.WITH_YOU, "with you"))
_LEAST_DELTA = 1e-12
_DASHES = {"laplace": "solid", "gaussian": "dash", "classical": "dot"}
FORMULA_NAMES = {
    "slide": "ln(2/δ)",
    "classical": "ln(1.25/δ)",
    "several": f"ln(2/δ), L1 norm of {SEVERAL} numbers",
}
_FORMULA_DASHES = {"slide": "solid", "classical": "dash", "several": "dot"}
# Room for the last of its ticks, in pixels.
_RIGHT = 20
# A density of three digits is at most as long as "1.23e-12".
_LONGEST_DENSITY = 8


def release(result: MechanismsResult, finding: str = "") -> dict:
    """Draw both densities with a release under them, and below, over the same outputs, their
    log-ratio.
    """
    x, epsilon = result.outputs, result.settings.epsilon
    densities, here = result.worlds.densities(x), result.worlds.densities(result.drawn["output"])
    top = _ladder(1.02 * max(density.max() for density in densities))
    hover = "%{x:.5g}: privacy loss %{y:.3g}<extra></extra>"
    return theme.figure(
        *(_density(x, *one) for one in zip(densities, map(float, here), WORLDS, strict=True)),
        theme.line(
            x,
            result.worlds.log_ratio(x),
            colour=theme.PRIVATE,
            name="privacy loss",
            yaxis="y2",
            hovertemplate=hover,
            showlegend=False,
            meta=theme.PINNED,
        ),
        title="Released number",
        finding=finding,
        legend=True,
        xaxis=theme.axis("released number", *_span(result)) | {"anchor": "y2", "zeroline": False},
        yaxis=theme.axis("density", -0.14 * top, top)
        | {
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
        shapes=[
            *(
                theme.horizontal_line(y, colour=theme.BOUND, width=1.5, dash="dash", yref="y2")
                for y in (epsilon, -epsilon)
            ),
            *_beyond(result),
            *_marks(result, top),
        ],
        annotations=[_words(_crossing(result), y=0.305)],
    )


def _crossing(result: MechanismsResult) -> str:
    """Return the title of the privacy loss: how likely it is, with you, to exceed epsilon."""
    epsilon = result.settings.epsilon
    _, chance = result.worlds.beyond(epsilon)
    outside = (
        f"above ε = {epsilon:.3g} with probability {chance:.2g}"
        if chance
        else f"never above ε = {epsilon:.3g}"
    )
    return f"privacy loss ({outside})"


def _density(x: np.ndarray, y: np.ndarray, here: float, world: tuple[str, str]) -> dict:
    """Return one world's filled density. ``here``: at the published value."""
    colour, name = world
    return theme.line(
        x,
        y,
        colour=colour,
        name=theme.legend_name(name, theme.padded(number(here), longest=_LONGEST_DENSITY)),
        fill="tozeroy",
        fillcolor=theme.rgba(colour, 0.16),
        hovertemplate=f"%{{x:.5g}}: density %{{y:.3g}}<extra>{name}</extra>",
    )


def _marks(result: MechanismsResult, top: float) -> list[dict]:
    """Draw the release as a diamond, here and on the log-ratio."""
    now = result.drawn["output"]
    return [
        theme.vertical_line(now),
        theme.diamond(now, -0.07 * top, name=theme.PINNED),
        theme.diamond(now, result.drawn["log ratio"], yref="y2", name=theme.PINNED),
    ]


def _beyond(result: MechanismsResult) -> list[dict]:
    """Draw the outputs whose log-ratio lies beyond the lines; hidden, but there, where no output
    does.
    """
    low, high = (
        result.worlds.threshold(level)
        for level in (-result.settings.epsilon, result.settings.epsilon)
    )
    (left, right), some = _span(result), math.isfinite(high)
    base = {
        "type": "rect",
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"width": 0},
    }
    base |= {"fillcolor": theme.rgba(theme.BOUND, 0.13), "visible": some}
    if not some:
        low, high = left, right
    return [base | {"x0": min(left, low), "x1": low}, base | {"x0": high, "x1": max(right, high)}]


def _words(text: str, *, y: float) -> dict:
    return theme.annotation(
        text, x=0, y=y, size=13, xref="paper", xanchor="left", yref="paper", yanchor="bottom"
    )


def _ladder(least: float) -> float:
    """Return the next of 1, 1.5, 2, 3, 5, 7, 10, ... : axes that rest while a slider moves a
    little.
    """
    decade = 10.0 ** math.floor(math.log10(least))
    return next(
        step * decade for step in (1, 1.5, 2, 3, 5, 7, 10) if step * decade >= least * (1 - 1e-12)
    )


def _span(result: MechanismsResult) -> list[float]:
    """Return the range of outputs to show: resting on steps of its own width."""
    low, high = result.reach
    half = _ladder((high - low) / 2 * 1.1)
    grid = half / 8
    middle = round((low + high) / 2 / grid) * grid
    return [middle - half, middle + half]


def dots(result: MechanismsResult, finding: str = "") -> dict:
    """Draw fifty equally likely releases that one can count: with you upwards, without you
    downwards.
    """
    left, right = span = _span(result)
    width = max(0.4 * result.worlds.scale, (right - left) / 44)
    truths = (result.worlds.value, result.worlds.value + result.worlds.sensitivity)
    stacks = [
        _stacked(row - truth, width) for row, truth in zip(result.dots(), truths, strict=True)
    ]
    top = max(12, *(int(heights.max()) for _, heights in stacks)) + 1.5
    size = min(9.0, max(2.5, 165 / top))
    traces = []
    for truth, (places, heights), (colour, name), side in zip(
        truths, stacks, WORLDS, (-1, 1), strict=True
    ):
        inside = np.zeros(len(places), bool)
        inside[3:48] = (
            True  # the 5 % quantile is the third dot, the 95 % quantile the last of the 45
        )
        for part, symbol in ((inside, "circle"), (~inside, "circle-open")):
            said = f"about %{{x:.4g}}<extra>{name}</extra>"
            x, y = truth + places[part], side * (heights[part] - 0.3)
            traces.append(theme.markers(x, y, colour=colour, size=size, symbol=symbol, hover=said))
    return theme.figure(
        *traces,
        title="Fifty releases",
        finding=finding,
        xaxis=theme.axis("released number", *span) | {"zeroline": False},
        yaxis={"range": [-top, top], "showticklabels": False, "showgrid": False},
        annotations=[
            _words(f"50 equally likely releases, {WORLDS[1][1]}", y=0.94),
            _words(f"50 equally likely releases, {WORLDS[0][1]}", y=0.0),
        ],
    )


def _stacked(errors: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (place, height 1, 2, ...) of each dot, in columns of this width; errors come in rising
    order.
    """
    columns = np.round(errors / width)
    firsts = np.searchsorted(columns, columns)
    return columns * width, np.arange(len(errors)) - firsts + 1


def posterior(result: MechanismsResult, finding: str = "") -> dict:
    """Draw what one release may do to a guess: the promised band, and what this release did."""
    prior, grid = 100 * result.settings.prior, np.linspace(0.001, 0.999, 99)
    low, high = (100 * end for end in result.posterior_range(grid))
    hover = "prior: %{x:.0f} %<br>posterior: %{y:.3g} % at "
    return curve_chart(
        _diagonal(rising=True),
        theme.band(100 * grid, low, high, colour=theme.BOUND),
        *(
            Curve(
                name=f"at {name}",
                x=100 * grid,
                y=end,
                colour=theme.BOUND,
                hover=f"{hover}{name}<extra></extra>",
            )
            for name, end in (("least", low), ("most", high))
        ),
        current=prior,
        right=_RIGHT,
        legend=False,
        title="Posterior",
        finding=finding,
        shapes=[theme.diamond(prior, 100 * result.drawn["posterior"], name=theme.PINNED)],
        xaxis=_hundred("prior probability that you are in, %"),
        yaxis=_hundred("posterior, %"),
    )


def _hundred(text: str, beyond: float = 0) -> dict:
    """Return an axis of percent, with room ``beyond`` its ends."""
    return theme.axis(text, -beyond, 100 + beyond, ticks=range(0, 101, 25))


def _diagonal(*, rising: bool) -> Curve:
    """Draw where nothing is learnt."""
    x = np.array([0.0, 100.0])
    y = x if rising else 100 - x
    return Curve(
        name="no information", x=x, y=y, colour=theme.NON_PRIVATE, more={"hoverinfo": "skip"}
    )


def trade_off(result: MechanismsResult, finding: str = "") -> dict:
    """Draw misses against false alarms of the best tests, the least of the promise, and the
    reader's best point.
    """
    alpha, misses, promised = (100 * column for column in result.trade_off.values())
    alarms, missed, _ = result.worlds.attacker(result.settings.prior)
    kept = "guaranteed minimum" if result.claim.holds else "claimed minimum"
    return curve_chart(
        _diagonal(rising=False),
        Curve(name=kept, x=alpha, y=promised, colour=theme.BOUND),
        Curve(name="this noise", x=alpha, y=misses, colour=theme.PRIVATE, pinned=True),
        right=_RIGHT,
        title="Best attacker",
        finding=finding,
        shapes=[theme.diamond(100 * alarms, 100 * missed, name=theme.PINNED)],
        xaxis=_hundred("false-positive rate, %", 2),
        yaxis=_hundred("false-negative rate, %", 2),
    )


def profile(result: MechanismsResult, finding: str = "") -> dict:
    """Draw the delta that this noise needs at each epsilon, and the pair that was promised."""
    (epsilons, deltas), epsilon = result.profile.values(), result.settings.epsilon
    promised, said = (
        max(result.claim.delta, 2 * _LEAST_DELTA),
        delta(result.claim.delta, digits=2),
    )
    hover = f"guaranteed: epsilon %{{x:.3g}}, delta {said}<extra></extra>"
    ticks = {
        "tickvals": [1e-12, 1e-9, 1e-6, 1e-3, 1],
        "ticktext": ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "1"],
    }
    return curve_chart(
        Curve(
            name="needed",
            x=epsilons,
            y=np.maximum(deltas, _LEAST_DELTA / 10),
            colour=theme.PRIVATE,
            pinned=True,
            hover="epsilon %{x:.3g} needs a delta of about %{y:.2g}<extra></extra>",
        ),
        theme.markers(
            [epsilon],
            [promised],
            colour=theme.BOUND,
            size=10,
            symbol="x",
            hover=hover,
            cliponaxis=False,
        ),
        current=epsilon,
        legend=False,
        title="Delta by epsilon",
        finding=finding,
        xaxis=theme.epsilon_axis(*EPSILON_RANGE),
        yaxis=theme.axis("delta (log scale)", _LEAST_DELTA, 2, log=True) | ticks,
    )


def errors(result: MechanismsResult, finding: str = "") -> dict:
    """Draw the error that nine releases in ten keep, over epsilon; vermilion where a claim does not
    hold.
    """
    settings = result.settings
    here = {name: settings.claim(name).worlds.within for name in NUMBER_MECHANISMS}
    middle = math.floor(2 * math.log10(settings.sensitivity)) / 2
    low, high = 10 ** (middle - 2.1), 10 ** (middle + 3.6)
    return curve_chart(
        *(curve for name in here for curve in _error(result, name, here[name])),
        current=settings.epsilon,
        line_style={"yref": "y", "y0": min(here.values()), "y1": max(here.values())},
        title="90 % error by epsilon",
        finding=finding,
        shapes=[theme.diamond(settings.epsilon, result.worlds.within, name=theme.PINNED)],
        xaxis=theme.epsilon_axis(*EPSILON_RANGE),
        yaxis=theme.axis("90 % error, ± (log scale)", low, high, log=True)
        | {
            "dtick": 1,
            "tickformat": "~g",
        },
    )


def _error(result: MechanismsResult, name: str, here: float) -> list[Curve]:
    """Draw one mechanism's error, which is ``here`` now; the textbook formula's in two colours."""
    within, text, chosen = (
        result.errors[name],
        NUMBER_MECHANISMS[name],
        name == result.settings.mechanism,
    )
    said = f"epsilon %{{x:.3g}}: ±%{{y:.3g}}<extra>{text}"
    curve = Curve(
        name=text,
        value=f"±{here:.3g}",
        x=CLAIMS,
        y=within,
        colour=theme.PRIVATE,
        dash=_DASHES[name],
        hover=f"{said}</extra>",
        pinned=chosen,
        more={"opacity": 1.0 if chosen else 0.5},
    )
    if name != "classical":
        return [curve]
    broken = result.formulas[name].until <= CLAIMS
    lost = _broken(
        curve,
        y=np.where(broken, within, np.nan),
        hover=f"{said}, does not hold</extra>",
        pinned=False,
    )
    return [replace(curve, y=np.where(broken, np.nan, within)), lost]


def _broken(curve: Curve, **changes: Any) -> Curve:
    return replace(curve, name="broken", value="", colour=theme.BOUND, listed=False, **changes)


def formulas(result: MechanismsResult, finding: str = "") -> dict:
    """Draw what each formula gives over what it claims; vermilion where it is more."""
    return curve_chart(
        *(curve for name in result.formulas for curve in _formula(result, name)),
        current=result.settings.epsilon,
        levels=[Level(y=1.0)],
        title="Real / claimed epsilon",
        finding=finding,
        xaxis=theme.epsilon_axis(*EPSILON_RANGE)
        | {"title": {"text": "claimed epsilon (log scale)"}},
        yaxis=theme.log_axis("real / claimed epsilon (log scale)", 0.05, 10, max_ticks=3),
    )


def _formula(result: MechanismsResult, name: str) -> list[Curve]:
    """Draw one curve in two colours, which meet where the claim stops holding."""
    formula, ratio = result.formulas[name], result.claims[name] / CLAIMS
    x, place = np.sort([*CLAIMS, formula.until]), np.searchsorted(CLAIMS, formula.until)
    y = np.insert(
        np.where(ratio > 0, ratio, np.nan), place, 1.0 if formula.until <= CLAIMS[-1] else np.nan
    )
    kept, broken = x <= formula.until, x >= formula.until
    now, holds = result.settings.epsilon, formula.real <= result.settings.epsilon
    at_now = formula.real / now if formula.real > 0 else None
    curve = Curve(
        name=FORMULA_NAMES[name],
        value=f"{formula.real:.3g}",
        x=x[kept],
        y=y[kept],
        colour=theme.PRIVATE,
        dash=_FORMULA_DASHES[name],
        at_current=at_now if holds else None,
        hover=(
            f"claim %{{x:.3g}}: gives %{{y:.3g}} times as much<extra>{FORMULA_NAMES[name]}</extra>"
        ),
    )
    return [curve, _broken(curve, x=x[broken], y=y[broken], at_current=None if holds else at_now)]


def choice(result: MechanismsResult, finding: str = "") -> dict:
    """Draw who wins report-noisy-max, in both worlds."""
    columns = result.choice
    names = [
        f"{option}: {answers:.0f}"
        for option, answers in zip(columns["option"], columns["answers"], strict=True)
    ]
    names[result.settings.voted] += " (+ you)"
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "x": theme.array(100 * columns[world]),
            "y": names,
            "name": world,
            "marker": {"color": colour},
            "texttemplate": "%{x:.1f}",
            "textposition": "outside",
            "constraintext": "none",
            "textfont": {"size": 12},
            "cliponaxis": False,
            "hovertemplate": f"%{{y}} wins %{{x:.3g}} % of releases<extra>{world}</extra>",
        }
        for colour, world in WORLDS
    ]
    return theme.figure(
        *bars,
        title="Winner",
        finding=finding,
        legend=True,
        barmode="group",
        bargap=0.25,
        left=92,
        xaxis=_hundred("probability of winning, %") | {"range": [0, 120]},
        yaxis={"autorange": "reversed"},
    )
