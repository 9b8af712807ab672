"""Hypothesis transfer in pictures: weights and their error, accuracy, what is gained, two coordinates, features."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from lab.claims import Case, onwards, upto
from pages.hypotheses.experiment import DIMENSIONS, DIRECTIONS, EPSILONS, LAWS, LIMITS, SHARES
from pages.hypotheses.result import PUBLISHED_FEATURES, HypothesesResult
from pages.hypotheses.work import METHODS
from ui.plot import theme
from ui.texts import Texts

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
NAMES = {name: style[0] for name, style in STYLES.items()}
# In the first screen; and ways to borrow that are only held against the first.
WAYS = ("target", "weak", "average", "transfer")
OTHERS = ("source", "soft", "transfer")
_MARGIN = {"l": 48, "r": 14, "t": 54, "b": 44}
_LOG_EPSILON = [np.log10(LIMITS["epsilon"][0]) - 0.05, np.log10(LIMITS["epsilon"][1]) + 0.05]
_TICKS = {"tickvals": [0.1, 1, 10, 100, 1000], "ticktext": ["0.1", "1", "10", "100", "1,000"]}
# Of a row of the weights' bars.
_HALF = 0.32
# The noise picture's vertical range: beyond it a number says nothing.
_LEAST_SD, _MOST_SD = 1e-3, 1e4


def weights(result: HypothesesResult) -> dict:
    """The hypothesis weights, median and nine in ten of the repeats, on the true mixture."""
    low, median, high = 100 * result.weight_spread
    shares = 100 * np.array(result.settings.shares)
    shapes, words = [], []
    for k, share in enumerate(shares):
        shapes.append(_bar(k + 1, median[k], fillcolor=theme.rgba(theme.SOURCES[k], 0.75), line={"width": 0}))
        shapes.append(_stroke(k + 1, low[k], k + 1, high[k], width=2.5, colour=theme.SOURCES[k]))
        shapes.append(_stroke(k + 1 - 0.42, share, k + 1 + 0.42, share, width=3, colour=theme.NOW))
        words.append(_word(f"{median[k]:.0f}", x=k + 1, y=max(high[k], share) + 5))
    hover = "source %{x}: %{y:.0f} % of the weight, %{customdata:.0f} % of the target<extra></extra>"
    unseen = {"size": 26, "color": "rgba(0,0,0,0)"}
    at = np.arange(1, len(shares) + 1)
    return theme.figure(
        theme.scatter(at, median, mode="markers", marker=unseen, customdata=shares.tolist(), hovertemplate=hover),
        margin=_MARGIN,
        title=theme.title(SAYS["chart.weights"], _found(result)),
        shapes=shapes,
        annotations=words,
        xaxis={"title": {"text": "source"}, "range": [0.4, result.settings.sources + 0.6], "dtick": 1},
        yaxis={"title": {"text": "share of the weight, %"}, "range": [0, 112], "tickvals": [0, 25, 50, 75, 100]},
    )


def _found(result: HypothesesResult) -> str:
    """Return whether the weights come nearer to the truth than equal ones, where there is one."""
    if not result.mixed:
        return ""
    if result.weighing == Case.SO_FAR:
        return SAYS("finding.runs", done=result.repeats, runs=result.settings.repeats)
    return SAYS["finding.nearer" if result.weighing == Case.AHEAD else "finding.unsure"]


def _bar(at: float, height: float, **style: object) -> dict:
    place = {"type": "rect", "x0": at - _HALF, "x1": at + _HALF, "y0": 0, "y1": float(height)}
    return place | {"xref": "x", "yref": "y", "name": theme.GHOST} | style


def _stroke(x0: float, y0: float, x1: float, y1: float, *, width: float, colour: str) -> dict:
    line = {"color": colour, "width": width}
    place = {"x0": float(x0), "y0": float(y0), "x1": float(x1), "y1": float(y1)}
    return {"type": "line", "xref": "x", "yref": "y", "line": line} | place


def _word(text: str, *, x: float, y: float, **more: object) -> dict:
    return theme.word(text, x=float(x), y=float(y), size=13, **more)


def accuracy(result: HypothesesResult, over: str, methods: Sequence[str] = WAYS) -> dict:
    """Accuracy of ``methods`` over "epsilon" or over "share" of labels: medians, and nine in ten for transfer."""
    traces, lowest = [], 100.0
    field = "epsilon" if over == "epsilon" else "label_share"
    told = "epsilon %{x:.3~g}" if over == "epsilon" else "labels on %{x:.3~g} %"
    for method in methods:
        name, colour = STYLES[method]
        at, (low, median, high) = result.curve(method, over)
        if not len(at):  # a legend names what has points
            at = np.array([getattr(result.settings, field)])
            low, median, high = np.array(result.summary[method])[:, None]
        x = 100 * at if over == "share" else at
        if method == "transfer":
            traces.append(theme.band(x, 100 * low, 100 * high, colour=colour))
        more = {"meta": theme.GHOST} if method == "transfer" else {}
        shown = theme.key(name, f"{100 * result.summary[method].median:.1f} %")
        hover = f"{told}: %{{y:.1f}} %<extra>{name}</extra>"
        style = {"name": shown, "hovertemplate": hover, "mode": "lines+markers"}
        traces.append(theme.line(x, 100 * median, colour=colour, marker={"size": 4}, **style, **more))
        lowest = min([lowest, *(100 * median), 100 * result.summary[method].median])
    now = 100 * result.settings.label_share if over == "share" else result.settings.epsilon
    top = 5 * np.ceil(20 * max(result.summary["target"].high, result.summary["transfer"].high) + 0.2)
    least = 5 * np.floor((lowest - 0.4 * (top - lowest)) / 5)  # the legend's room is below the curves
    marks = [_mark(now, 100 * result.summary[name].median, STYLES[name][1]) for name in methods]
    return theme.figure(
        *traces,
        legend="lower right",
        margin=_MARGIN,
        title=_titled(result, over, methods),
        shapes=[theme.rule(now), *marks[:-1], marks[-1] | {"name": theme.GHOST}],
        xaxis=_axis(over),
        yaxis={"title": {"text": "test accuracy, %"}, "range": [least, min(top, 101)]},
    )


def _titled(result: HypothesesResult, over: str, methods: Sequence[str]) -> dict:
    """Name, and from where on borrowing helps; or how far the curves have come."""
    name = SAYS[f"chart.{over}"]
    if methods is not WAYS:
        return theme.title(name, SAYS["chart.others"])
    at, _ = result.curve("transfer", over)
    places = EPSILONS if over == "epsilon" else SHARES
    done = int(np.isin(places, at).sum())
    if done < len(places):
        return theme.title(name, SAYS("finding.trained", done=done, places=len(places)))
    return theme.title(name, _better(at, result.over(over), over))


def _better(at: np.ndarray, cases: Sequence[Case], over: str) -> str:
    """Return for which epsilons, or shares of labels, transfer is shown to help, if they are a stretch from an end."""
    if Case.SO_FAR in cases:
        return SAYS("finding.so_far", done=len(cases) - cases.count(Case.SO_FAR), places=len(cases))
    if Case.AHEAD not in cases:
        return SAYS["finding.harms" if set(cases) == {Case.BEHIND} else "finding.unshown"]
    shown = [f"{value:g}" if over == "epsilon" else f"{100 * value:g} %" for value in at]
    first, last = onwards(cases), upto(cases)
    if last == len(cases):
        return SAYS["finding.everywhere"]
    if first < len(cases):
        return SAYS("finding.from", since=shown[first])
    return SAYS("finding.upto", until=shown[last - 1]) if last else ""


def _axis(over: str) -> dict:
    if over == "epsilon":
        return {"title": {"text": "epsilon (log scale)"}, "type": "log", "range": _LOG_EPSILON} | _TICKS
    ends = [np.log10(100 * SHARES[0]) - 0.1, np.log10(100 * SHARES[-1]) + 0.1]
    ticks = {"tickvals": [1, 2, 5, 10, 20, 50], "ticktext": ["1", "2", "5", "10", "20", "50"]}
    return {"title": {"text": "target rows with a label, % (log scale)"}, "type": "log", "range": ends} | ticks


def _mark(x: float, y: float, colour: str) -> dict:
    """A dot of a method at what is now."""
    return theme.diamond(x, y) | {"fillcolor": colour, "path": "M-5,0L0,-5L5,0L0,5Z"}


def error(result: HypothesesResult) -> dict:
    """Mean squared error of the hypothesis weights over epsilon, without noise, and of knowing nothing."""
    at, (low, median, high) = result.error_curve
    colour, nothing = theme.PRIVATE, result.equal_error
    seen = [value for value in [*low, *high, nothing, result.noiseless_error] if value == value and value > 0]
    ends = theme.steady_range(max(min(seen, default=1e-4), 1e-6), max(seen, default=1e-1))
    hover = "epsilon %{x:.3~g}: %{y:.2~g}<extra>error of the weights</extra>"
    shapes, words = [theme.rule(result.settings.epsilon)], []
    for value, text, line, x, side in (
        (nothing, "equal weights", theme.BOUND, 0.99, "right"),
        (result.noiseless_error, "no noise", theme.NON_PRIVATE, 0.01, "left"),
    ):
        if value == value and value > 0:
            shapes.append(_level(value, colour=line, dash=theme.DASHES[line]))
            words.append(_word(text, x=x, y=np.log10(value), xref="paper", xanchor=side, yanchor="bottom"))
    shapes.append(theme.diamond(result.settings.epsilon, max(result.error.median, 1e-9)))
    return theme.figure(
        theme.band(at, low, high, colour=colour),
        theme.line(at, median, colour=colour, name="error", mode="lines+markers", hovertemplate=hover),
        margin=_MARGIN,
        title=theme.title(SAYS["chart.error"], SAYS("chart.now", error=result.error.median)),
        shapes=shapes,
        annotations=words,
        xaxis=_axis("epsilon"),
        yaxis={"title": {"text": "mean square (log scale)"}, "type": "log", "range": list(ends), "dtick": 1}
        | {"tickformat": "~g"},
    )


_level = partial(theme.level, width=1.4, yref="y")


def gain(result: HypothesesResult) -> dict:
    """Draw what each method gains over the target's own few labels, repeat by repeat: below zero it harms."""
    named = [name for name in METHODS if name != "weak"]
    shapes = [
        {"type": "rect", "xref": "x", "x0": -100, "x1": 0, "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
        | {"fillcolor": theme.rgba(theme.BOUND, 0.1), "line": {"width": 0}}
    ]
    top = {"x": 0.01, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
    words, medians = [_word("harm", **top)], []
    for place, name in enumerate(reversed(named), 1):
        colour, (low, median, high) = STYLES[name][1], (100 * value for value in result.gain[name])
        shapes.append(_stroke(low, place, high, place, width=6, colour=theme.rgba(colour, 0.45)))
        shapes.append(_mark(median, place, colour))
        words.append(_word(_signed(median), x=0.995, y=place, xref="paper", xanchor="right", yshift=11))
        medians.append(median)
    ends = [100 * value for spread in result.gain.values() for value in (spread.low, spread.high)]
    reach = 10 * np.ceil(max(*map(abs, ends), 1) / 10)
    unseen = {"mode": "markers", "marker": {"size": 14, "color": "rgba(0,0,0,0)"}}
    hover = "%{x:+.1f} points, the median run<extra></extra>"
    return theme.figure(
        theme.scatter(np.array(medians), np.arange(1, len(named) + 1), **unseen, hovertemplate=hover),
        margin=_MARGIN | {"l": 100, "t": 34},
        title=theme.title(SAYS["chart.gain"], _gained(result, medians[-1])),
        shapes=shapes,
        annotations=words,
        xaxis={"title": {"text": "points gained"}, "range": [-reach, reach], "zeroline": True},
        yaxis={
            "range": [0.4, len(named) + 0.7],
            "tickvals": list(range(1, len(named) + 1)),
            "ticktext": [NAMES[name] for name in reversed(named)],
            "showgrid": False,
        },
    )


def _signed(points: float) -> str:
    return f"{points:+.1f}".replace("-", "−")


def plane(result: HypothesesResult) -> dict:
    """Two coordinates: what the sources released in each repeat, before noise, and the prior and the posterior."""
    found = result.plane
    reach = float(2.5 * np.ceil(np.abs(found.noiseless).max() * 1.6 / 2.5))
    size, shapes, words, outside = reach / 90, [], [], 0
    for k, colour in enumerate(theme.SOURCES[: found.released.shape[1]]):
        points = found.released[:, k]
        inside = (np.abs(points) < reach).all(axis=1)
        outside += int((~inside).sum())
        path = theme.specks(*points[inside].T, width=size, height=size) or "M0,0"
        shapes.append(
            {"type": "path", "path": path, "xref": "x", "yref": "y", "opacity": 0.55}
            | {"fillcolor": colour, "line": {"width": 0}}
        )
        x, y = found.noiseless[k]
        ring = {"xsizemode": "pixel", "ysizemode": "pixel", "xanchor": float(x), "yanchor": float(y)}
        ring |= {"type": "circle", "x0": -6, "x1": 6, "y0": -6, "y1": 6, "line": {"color": colour, "width": 2.5}}
        shapes.append(ring | {"xref": "x", "yref": "y"})
        words.append(_word(theme.ink(f"<b>{k + 1}</b>", colour), x=x, y=y, xshift=14, yshift=8))
    shapes.append(_ellipse(found.prior, found.prior_sd, colour=theme.PUBLIC))
    shapes.append(_ellipse(found.posterior, found.posterior_sd, colour=theme.PRIVATE))
    key = "○ a source before noise   · what it released"
    words.append(_word(key, x=0.01, y=0.99, xref="paper", yref="paper", xanchor="left", yanchor="top"))
    x, y = found.coordinates
    beyond = f" ({outside} outside)" if outside else ""
    return theme.figure(
        theme.holder(0.0, 10 * reach),
        margin=_MARGIN,
        title=theme.title(f"{theme.ink('Prior', theme.PUBLIC)} and {theme.ink('posterior', theme.PRIVATE)}{beyond}"),
        shapes=shapes,
        annotations=words,
        xaxis={"title": {"text": f"coordinate {x + 1} of {result.dimension}"}, "range": [-reach, reach]},
        yaxis={"title": {"text": f"coordinate {y + 1}"}, "range": [-reach, reach]},
    )


def _ellipse(middle: np.ndarray, sd: np.ndarray, *, colour: str) -> dict:
    """Twice the spread around the middle."""
    turn = np.linspace(0, 2 * np.pi, 49)
    x, y = middle[0] + 2 * sd[0] * np.cos(turn), middle[1] + 2 * sd[1] * np.sin(turn)
    path = "M" + "L".join(f"{a:.4g},{b:.4g}" for a, b in zip(x, y, strict=True)) + "Z"
    line = {"color": colour, "width": 2, "dash": theme.DASHES[colour]}
    return {"type": "path", "path": path, "xref": "x", "yref": "y", "fillcolor": theme.rgba(colour, 0.1), "line": line}


def noise(result: HypothesesResult) -> dict:
    """Sd of the noise on a row's margin, and on the logarithm of its weight, over the number of features."""
    found, settings = result.noise, result.settings
    # In the objective it has no formula: shown is what noise on the answer would be
    objective = settings.noise == "objective"
    shapes, words = [], []
    for values, colour in ((found.margin, theme.PRIVATE), (found.weight, theme.PUBLIC)):
        points = [(d, v) for d, v in zip(found.dimension, values, strict=True) if _LEAST_SD < v < _MOST_SD]
        path = "M" + "L".join(f"{d},{v:.4g}" for d, v in points) if points else ""
        if path:
            line = {"color": colour, "width": 2, "dash": theme.DASHES[colour]}
            shapes.append({"type": "path", "path": path, "xref": "x", "yref": "y", "line": line})
    shapes.append(_level(1.0, colour=theme.BOUND, dash=theme.DASHES[theme.BOUND]))
    words.append(_word("1: typical margin", x=0.01, y=0, xref="paper", xanchor="left", yanchor="bottom"))
    for at, (text, colour) in enumerate((("–·– on a log weight", theme.PUBLIC), ("— on a margin", theme.PRIVATE))):
        style = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
        words.append(_word(theme.ink(text, colour), x=0.01, y=1 - 0.09 * at, **style))
    for name, d in PUBLISHED_FEATURES.items():
        line = {"color": theme.NON_PRIVATE, "width": 1, "dash": "dot"}
        shapes.append({"type": "line", "x0": d, "x1": d, "yref": "paper", "y0": 0, "y1": 1, "line": line})
        words.append(_word(name, x=np.log10(d), y=0.02, yref="paper", textangle=-90, xanchor="right", yanchor="bottom"))
    shapes.append(theme.rule(result.dimension))
    shapes += [_mark(result.dimension, value, theme.NOW) for value in result.noise_at(result.dimension)]
    return theme.figure(
        theme.holder(2.0, 1e-9),
        margin=_MARGIN,
        title=theme.title(SAYS["chart.noise"], SAYS["chart.objective"] if objective else ""),
        shapes=shapes,
        annotations=words,
        xaxis={
            "title": {"text": "features d' (log scale)"},
            "type": "log",
            "range": [np.log10(1.9), np.log10(9000)],
            "tickvals": [2, 10, 100, 1000],
            "ticktext": ["2", "10", "100", "1,000"],
        },
        yaxis={"title": {"text": "standard deviation (log scale)"}, "type": "log", "range": [-2.5, 3.2]}
        | {"tickvals": [0.01, 0.1, 1, 10, 100, 1000], "tickformat": "~g"},
    )


def dimension(result: HypothesesResult) -> dict:
    """Accuracy over the number of features at today's epsilon, and without noise, beside the noise's share."""
    at, (low, median, high) = result.curve("transfer", "dimension")
    wide, (_, plain, _) = result.curve("transfer", "plain dimension")
    few, (_, own, _) = result.curve("weak", "dimension")
    there, share = result.noise_share
    curves = (
        ("without noise", wide, plain, theme.NON_PRIVATE, (0.01, 0.92)),
        (STYLES["weak"][0], few, own, STYLES["weak"][1], (0.5, 1.0)),
        (STYLES["transfer"][0], at, median, theme.PRIVATE, (0.01, 1.0)),
        ("noise's share of a margin, %", there, share, theme.BOUND, (0.5, 0.92)),
    )
    traces, words = [theme.band(at, 100 * low, 100 * high, colour=theme.PRIVATE)], []
    for name, x, y, colour, place in curves:
        hover = f"%{{x}} features: %{{y:.1f}} %<extra>{name.removesuffix(', %')}</extra>"
        style = {"mode": "lines+markers", "marker": {"size": 4}, "hovertemplate": hover}
        style |= {"yaxis": "y2"} if colour == theme.BOUND else {}
        traces.append(theme.line(x, 100 * y, colour=colour, name=name, **style))
        style = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
        words.append(_word(theme.ink(name.removesuffix(" of a margin, %"), colour), x=place[0], y=place[1], **style))
    now, shown = result.dimension, 100 * result.summary["transfer"].median
    # Where all words are left, these lie close together
    ticks = list(DIMENSIONS) if now <= DIMENSIONS[-1] else [*DIMENSIONS[:3], DIMENSIONS[-1], now]
    return theme.figure(
        *traces,
        margin=_MARGIN | {"r": 52},
        title=theme.title(SAYS["chart.dimension"], _widest(result)),
        shapes=[theme.rule(now), _mark(now, shown, theme.PRIVATE)],
        annotations=words,
        xaxis={
            "title": {"text": "features d' (log scale)"},
            "type": "log",
            "range": [np.log10(1.8), np.log10(1.13 * max(DIMENSIONS[-1], now))],
            "tickvals": ticks,
            "ticktext": [str(one) if one <= DIMENSIONS[-1] else "all" for one in ticks],
        },
        yaxis={
            "title": {"text": "test accuracy, %"},
            "range": _range([100 * low, 100 * plain, 100 * own, shown], high),
        },
        yaxis2={
            "title": {"text": "noise, %"},
            "overlaying": "y",
            "side": "right",
            "range": [0, 125],
            "tickvals": [0, 50, 100],
            "showgrid": False,
            "zeroline": False,
        },
    )


def _gained(result: HypothesesResult, median: float) -> str:
    case = result.now_beside("weak")
    if case == Case.SO_FAR:
        return SAYS("finding.runs", done=result.repeats, runs=result.settings.repeats)
    shown = case in (Case.AHEAD, Case.BEHIND)
    return SAYS("finding.points", gain=_signed(median)) if shown else SAYS["finding.none"]


# Law of noise -> (name, dash); features, 0 for all words -> colour.
_LAWS = {"exponential": ("the paper's noise", "solid"), "gaussian": ("Gaussian noise", "dash")}
_WORLDS = {0: theme.PRIVATE, DIRECTIONS: theme.PUBLIC}


def laws(result: HypothesesResult) -> dict:
    """Accuracy over epsilon with two laws of noise, with all words and in a few public directions."""
    traces, seen, few = [], [], result.summary["weak"].median
    for features, colour in _WORLDS.items():
        where = f"{features} directions" if features else f"all {result.features:,} words"
        for noise in LAWS:
            (name, dash), (at, (_, median, _)) = _LAWS[noise], result.law(noise, features)
            hover = f"epsilon %{{x:.3~g}}: %{{y:.1f}} %<extra>{where}, {name}</extra>"
            style = {"mode": "lines+markers", "marker": {"size": 4}, "hovertemplate": hover, "dash": dash}
            traces.append(theme.line(at, 100 * median, colour=colour, name=f"{where}, {name}", **style))
            seen.append(100 * median)
    low, top = _range([*seen, 100 * few], np.array([]))
    return theme.figure(
        *traces,
        legend="lower right",
        margin=_MARGIN,
        title=theme.title(SAYS["chart.laws"], _laws_found(result)),
        shapes=[_level(100 * few, colour=theme.GOLD, dash=theme.DASHES[theme.GOLD])],
        annotations=[
            _word("target only, all words", x=0.01, y=100 * few, xref="paper", xanchor="left", yanchor="bottom")
        ],
        xaxis=_axis("epsilon"),
        yaxis={"title": {"text": "test accuracy, %"}, "range": [low - 0.35 * (top - low), min(top, 101)]},
    )


def _laws_found(result: HypothesesResult) -> str:
    """Return from where on either law helps with all words; or how far the curves have come."""
    found = [result.helps_from(noise, 0) for noise in LAWS]
    if None in found:
        done = sum(len(result.law(noise, features).at) for features in _WORLDS for noise in LAWS)
        return SAYS("finding.trained", done=done, places=len(_WORLDS) * len(LAWS) * len(EPSILONS))
    if not all(map(np.isfinite, found)):
        return ""
    return SAYS("chart.helps", **dict(zip(LAWS, found, strict=True)))


def _widest(result: HypothesesResult) -> str:
    """Return which number of features does best; or how far the curve has come."""
    at, _ = result.curve("transfer", "dimension")
    if len(at) < result.settings.widths:
        return SAYS("finding.trained", done=len(at), places=result.settings.widths)
    best = result.best_dimensions
    return SAYS("chart.best", best=round(at[best[0]])) if len(best) == 1 else ""


def _range(seen: list, high: np.ndarray) -> list[float]:
    """Steps of five that hold all that is seen, with room for the names above."""
    low, top = (
        min(float(np.min(one)) for one in seen if np.size(one)),
        max(float(np.max(one)) for one in [*seen, 100 * high] if np.size(one)),
    )
    least, most = 5 * np.floor(low / 5), 5 * np.ceil(top / 5)
    return [least - 1, most + 0.22 * (most - least + 5)]
