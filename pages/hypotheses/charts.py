"""Hypothesis transfer in pictures: weights and their error, accuracy, gain, features."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lab.number_text import with_minus
from lab.statistics.claims import Case
from pages.hypotheses.result import PUBLISHED_FEATURES, HypothesesResult
from pages.hypotheses.settings import DIMENSIONS, DIRECTIONS, EPSILONS, LAWS, LIMITS, SHARES
from pages.hypotheses.tasks import METHODS
from ui.charts import bars, theme
from ui.charts.curves import (
    Curve,
    Level,
    accuracy_chart,
    count_progress,
    curve_chart,
    finding,
    quantile_curve,
)
from ui.text.texts import Texts
from ui.text.tiles import distinct_digits, percent

SAYS = Texts(__file__)

# Method -> (name, colour).
STYLES = {
    "transfer": ("transfer", theme.PRIVATE),
    "average": ("equal weights", theme.SAGE),
    "soft": ("soft labels", theme.PINE),
    "source": ("best source", theme.MAUVE),
    "weak": ("target only", theme.GOLD),
    "target": ("all labels", theme.NON_PRIVATE),
}
# In the first screen; and ways to borrow that are only held against the first.
WAYS = ("target", "weak", "average", "transfer")
OTHERS = ("source", "soft", "transfer")
# The noise picture's vertical range: beyond it a number says nothing.
_LEAST_SD, _MOST_SD = 1e-3, 1e4


def weights(result: HypothesesResult) -> dict:
    """Draw the hypothesis weights, median and nine in ten of the repeats, on the true mixture."""
    spread, shares = 100 * result.weight_spread, 100 * np.array(result.settings.shares)
    _, median, high = spread
    words = [
        theme.annotation(f"{weight:.0f}", x=k, y=float(top) + 5, size=13)
        for k, (weight, top) in enumerate(zip(median, np.maximum(high, shares), strict=True), 1)
    ]
    hover = (
        "source %{x}: %{y:.0f} % of the weight, %{customdata:.0f} % of the target<extra></extra>"
    )
    return bars.bars(
        spread,
        reference=shares,
        colours=theme.SOURCES,
        hover={"customdata": shares.tolist(), "hovertemplate": hover},
        title=SAYS["chart.weights"],
        finding=_found(result),
        annotations=words,
        xaxis=theme.axis("source", 0.4, result.settings.sources + 0.6) | {"dtick": 1},
        yaxis=theme.axis("share of the weight, %", 0, 112, ticks=range(0, 101, 25)),
    )


def _found(result: HypothesesResult) -> str:
    """Return whether the weights come nearer to the truth than equal ones."""
    if result.weighing == Case.SO_FAR:
        return SAYS("finding.runs", done=result.repeats, runs=result.settings.repeats)
    if result.weighing == Case.FEW:
        return SAYS["finding.few"]
    return SAYS["finding.nearer" if result.weighing == Case.AHEAD else "finding.unsure"]


def three_accuracies(result: HypothesesResult) -> tuple[float, float, float]:
    """Return the median accuracy with transfer, of the target alone, and without noise, which may
    be NaN.
    """
    return (
        result.summary["transfer"].median,
        result.summary["weak"].median,
        float(result.plain.middle("transfer")),
    )


def accuracy_digits(result: HypothesesResult) -> int:
    """Return as many decimals as tell the three apart."""
    mine, *others = three_accuracies(result)
    return max(distinct_digits(mine, other) for other in others if not math.isnan(other))


def accuracy(result: HypothesesResult, along: str, methods: Sequence[str] = WAYS) -> dict:
    """Draw the accuracy of ``methods`` over "epsilon" or "share" of labels: medians, nine in ten
    for transfer.
    """
    settings, lowest = result.settings, 100.0
    now, scale = (settings.epsilon, 1) if along == "epsilon" else (100 * settings.label_share, 100)
    curves = []
    for method in methods:
        (at, found), summary = result.curve(method, along), result.summary[method]
        if not len(at):  # a legend names what has points
            at, found = np.array([now / scale]), np.array(summary)[:, None]
        median = 100 * summary.median
        points = (scale * at, found)
        value = theme.padded(percent(summary.median, digits=accuracy_digits(result)))
        style: dict[str, Any] = {"value": value, "dots": 4, "has_dot": True}
        curves.append(
            quantile_curve(*STYLES[method], points, summary, band=method == "transfer", **style)
        )
        lowest = min([lowest, *(100 * found[1]), median])
    top = 5 * np.ceil(
        20 * max(result.summary["target"].high, result.summary["transfer"].high) + 0.2
    )
    least = 5 * np.floor((lowest - 1) / 5)
    return accuracy_chart(
        *curves,
        current=now,
        title=SAYS[f"chart.{along}"],
        finding=_helps(result, along, methods),
        xaxis=_axis(along),
        low=least,
        high=min(top, 101),
    )


def _helps(result: HypothesesResult, along: str, methods: Sequence[str]) -> str:
    """Return from where on borrowing is shown to help; or how far the curves have come."""
    if methods is not WAYS:
        return SAYS["chart.others"]
    found = dict(result.places(along))
    values = EPSILONS if along == "epsilon" else SHARES
    if part := count_progress(len(found.keys() & {*values}), len(values)):
        return part
    return _better([*found], [one.compare() for one in found.values()], along)


def _better(values: Sequence[float], cases: Sequence[Case], along: str) -> str:
    """Return for which epsilons, or shares of labels, transfer is shown to help."""
    if Case.SO_FAR in cases:
        return SAYS("chart.so_far", done=len(cases) - cases.count(Case.SO_FAR), places=len(cases))
    return finding(SAYS.cases("finding"), cases, [_place(along, value) for value in values])


def _place(along: str, value: float) -> str:
    return f"epsilon {value:g}" if along == "epsilon" else f"{100 * value:g} %"


def _axis(along: str) -> dict:
    if along == "epsilon":
        (low, high), ticks = LIMITS["epsilon"], (0.1, 1, 10, 100, 1000)
        return theme.axis("epsilon (log scale)", low / 1.12, high * 1.12, log=True, ticks=ticks)
    low, high = 100 * SHARES[0] / 1.26, 100 * SHARES[-1] * 1.26
    return theme.axis(
        "target rows with a label, % (log scale)", low, high, log=True, ticks=(1, 2, 5, 10, 20, 50)
    )


def error(result: HypothesesResult) -> dict:
    """Draw the weights' mean squared error over epsilon, without noise, and of knowing nothing."""
    (at, found), now = result.curve("error", "epsilon"), float(result.now.middle("error"))
    levels = [
        Level(y=result.equal_error, name="equal weights", colour=theme.BOUND, side="right"),
        Level(y=float(result.plain.middle("error")), name="no noise"),
    ]
    seen = [value for value in [*found[0], *found[2], *(one.y for one in levels)] if value > 0]
    low, high = theme.stable_log_range(max(min(seen, default=1e-4), 1e-6), max(seen, default=1e-1))
    return curve_chart(
        Curve(name="error", x=at, y=found, colour=theme.PRIVATE, dots=6),
        current=result.settings.epsilon,
        levels=[one for one in levels if one.y > 0],
        legend=False,
        title=SAYS["chart.error"],
        finding=SAYS("chart.now", error=now),
        shapes=[theme.diamond(result.settings.epsilon, max(now, 1e-9))],
        xaxis=_axis("epsilon"),
        yaxis=theme.axis("mean square (log scale)", 10**low, 10**high, log=True)
        | {"dtick": 1, "tickformat": "~g"},
    )


def gain(result: HypothesesResult) -> dict:
    """Draw what each method gains over the target's own few labels, repeat by repeat: below zero it
    harms.
    """
    named = [name for name in METHODS if name != "weak"]
    spread = 100 * np.array([result.gain[name] for name in named]).T
    reach = 10 * np.ceil(max(np.abs(spread[[0, 2]]).max(), 1) / 10)
    harm = {
        "type": "rect",
        "xref": "x",
        "x0": -100,
        "x1": 0,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "layer": "below",
    }
    words = [
        theme.annotation(
            _signed(median), x=0.995, y=place, size=13, xref="paper", xanchor="right", yshift=11
        )
        for place, median in enumerate(spread[1])
    ]
    hover = "%{x:+.1f} points, the median run<extra></extra>"
    return bars.forest(
        [STYLES[name][0] for name in named],
        spread,
        theme.markers(
            spread[1], np.arange(len(named)), colour="rgba(0,0,0,0)", size=14, hover=hover
        ),
        colours=[STYLES[name][1] for name in named],
        left=100,
        above=0.7,
        title=SAYS["chart.gain"],
        finding=_gained(result, spread[1, 0]),
        shapes=[harm | {"fillcolor": theme.rgba(theme.BOUND, 0.1), "line": {"width": 0}}],
        annotations=[theme.note("harm", "upper left"), *words],
        xaxis=theme.axis("points gained", -reach, reach) | {"zeroline": True},
    )


def _signed(points: float) -> str:
    text = with_minus(f"{points:.1f}")
    return f"+{text}" if points > 0 else text


def noise(result: HypothesesResult) -> dict:
    """Draw the sd of the noise on a row's margin and on the log of its weight, over the number of
    features.
    """
    found, now = result.noise, result.dimension
    # In the objective it has no formula: shown is what noise on the answer would be
    objective = result.settings.noise == "objective"
    shapes, words = [], []
    for name, colour in (("margin", theme.PRIVATE), ("weight", theme.PUBLIC)):
        points = [
            (d, v)
            for d, v in zip(found["dimension"], found[name], strict=True)
            if _LEAST_SD < v < _MOST_SD
        ]
        line = {"color": colour, "width": 2, "dash": theme.DASHES[colour]}
        shapes += [theme.path_shape(theme.svg_path(points), line=line)] if points else []
    for at, (text, colour) in enumerate(
        (("–·– on a log weight", theme.PUBLIC), ("— on a margin", theme.PRIVATE))
    ):
        words.append(theme.note(theme.coloured(text, colour), "upper left", y=1 - 0.09 * at))
    for name, d in PUBLISHED_FEATURES.items():
        shapes.append(
            theme.vertical_line(d)
            | {"line": {"color": theme.NON_PRIVATE, "width": 1, "dash": "dot"}}
        )
        place = {"textangle": -90, "xanchor": "right", "yanchor": "bottom"}
        words.append(theme.annotation(name, x=np.log10(d), y=0.02, size=13, yref="paper") | place)
    return curve_chart(
        theme.axis_anchor(2.0, 1e-9),
        current=now,
        levels=[Level(y=1.0, name="1: typical margin", colour=theme.BOUND)],
        legend=False,
        title=SAYS["chart.noise"],
        finding=SAYS["chart.objective"] if objective else "",
        shapes=[
            *shapes,
            *(theme.dot(now, value, colour=theme.CURRENT) for value in result.noise_at(now)),
        ],
        annotations=words,
        xaxis=theme.axis("features d' (log scale)", 1.9, 9000, log=True, ticks=(2, 10, 100, 1000)),
        yaxis=theme.log_axis("standard deviation (log scale)", 10**-2.5, 10**3.2),
    )


def dimension(result: HypothesesResult) -> dict:
    """Draw accuracy over the number of features at today's epsilon, and without noise, beside the
    noise's share.
    """
    (at, found), now = result.curve("transfer", "dimension"), result.dimension
    wide, (_, plain, _) = result.curve("transfer", "plain dimension")
    few, (_, own, _) = result.curve("weak", "dimension")
    shown, noise = 100 * np.array(result.summary["transfer"]), "noise's share of a margin, %"
    hover = f"%{{x}} features: %{{y:.1f}} %<extra>{noise[:-3]}</extra>"
    curves = (
        (_curve("without noise", theme.NON_PRIVATE, wide, plain), (0.01, 0.92)),
        (_curve(*STYLES["weak"], few, own), (0.5, 1.0)),
        (_curve(*STYLES["transfer"], at, found, at_current=shown), (0.01, 1.0)),
        (
            _curve(noise, theme.BOUND, *result.noise_share, hover=hover, more={"yaxis": "y2"}),
            (0.5, 0.92),
        ),
    )
    # Where all words are left, these lie close together
    ticks = list(DIMENSIONS) if now <= DIMENSIONS[-1] else [*DIMENSIONS[:3], DIMENSIONS[-1], now]
    all_words = {"ticktext": [str(one) if one <= DIMENSIONS[-1] else "all" for one in ticks]}
    low, high = _range([100 * found[0], 100 * plain, 100 * own, shown[1]], 100 * found[2])
    right = theme.axis("noise, %", 0, 125, ticks=(0, 50, 100)) | {
        "overlaying": "y",
        "side": "right",
    }
    return curve_chart(
        *(curve for curve, _ in curves),
        current=now,
        right=52,
        legend=False,
        title=SAYS["chart.dimension"],
        finding=_widest(result),
        annotations=[
            theme.note(
                theme.coloured(curve.name.removesuffix(" of a margin, %"), curve.colour),
                "upper left",
                x=x,
                y=y,
            )
            for curve, (x, y) in curves
        ],
        xaxis=theme.axis(
            "features d' (log scale)", 1.8, 1.13 * max(DIMENSIONS[-1], now), log=True, ticks=ticks
        )
        | all_words,
        yaxis=theme.axis("test accuracy, %", low, high),
        yaxis2=right | {"showgrid": False, "zeroline": False},
    )


def _curve(name: str, colour: str, x: np.ndarray, shares: np.ndarray, **more: Any) -> Curve:
    """Return a curve of shares in percent."""
    return Curve(name=name, colour=colour, x=x, y=100 * np.asarray(shares), dots=4, **more)


def _gained(result: HypothesesResult, median: float) -> str:
    case = result.now_beside("weak")
    if case == Case.SO_FAR:
        return SAYS("finding.runs", done=result.repeats, runs=result.settings.repeats)
    if case == Case.FEW:
        return SAYS["finding.few"]
    shown = case in (Case.AHEAD, Case.BEHIND)
    return SAYS("finding.points", gain=_signed(median)) if shown else SAYS["finding.none"]


# Law of noise -> (name, dash); features, 0 for all words -> colour.
_LAWS = {"exponential": ("the paper's noise", "solid"), "gaussian": ("Gaussian noise", "dash")}
_WORLDS = {0: theme.PRIVATE, DIRECTIONS: theme.PUBLIC}


def laws(result: HypothesesResult) -> dict:
    """Draw accuracy over epsilon with two laws of noise, with all words and in a few public
    directions.
    """
    curves, few = [], 100 * result.summary["weak"].median
    for features, colour in _WORLDS.items():
        where = f"{features} directions" if features else f"all {result.world.features:,} words"
        for noise in LAWS:
            (name, dash), (at, (_, median, _)) = (
                _LAWS[noise],
                result.curve("transfer", "law", noise, features),
            )
            curves.append(_curve(f"{where}, {name}", colour, at, median, dash=dash))
    low, top = _range([*(curve.y for curve in curves), few], np.array([]))
    return accuracy_chart(
        *curves,
        title=SAYS["chart.laws"],
        finding=_laws_found(result),
        levels=[Level(y=few, name="target only, all words", colour=theme.GOLD)],
        xaxis=_axis("epsilon"),
        low=low - 0.35 * (top - low),
        high=min(top, 101),
    )


def _laws_found(result: HypothesesResult) -> str:
    """Return from where on either law helps with all words; or how far the curves have come."""
    found = {noise: result.helps_from(noise) for noise in LAWS}
    if None in found.values():
        done = sum(
            len(result.places("law", noise, features)) for features in _WORLDS for noise in LAWS
        )
        return count_progress(done, len(_WORLDS) * len(LAWS) * len(EPSILONS))
    return "" if math.inf in found.values() else SAYS("chart.helps", **found)


def _widest(result: HypothesesResult) -> str:
    """Return which number of features does best; or how far the curve has come."""
    at, _ = result.curve("transfer", "dimension")
    if part := count_progress(len(at), result.settings.widths):
        return part
    best = result.best_dimensions
    return SAYS("chart.best", best=round(at[best[0]])) if len(best) == 1 else ""


def _range(seen: Sequence[Any], high: np.ndarray) -> tuple[float, float]:
    """Return steps of five that hold all that is seen, with room for the names above."""
    found = [one for one in map(np.atleast_1d, seen) if len(one)]
    low, top = np.concatenate(found).min(), np.concatenate([*found, high]).max()
    least, most = 5 * np.floor(low / 5), 5 * np.ceil(top / 5)
    return least - 1, most + 0.22 * (most - least + 5)
