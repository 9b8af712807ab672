"""One number in two worlds, as it is published: densities, log-ratio, releases, and dots that one can count."""

import math

import numpy as np

from dpcore.experiments.mechanisms import MechanismsResult
from ui.figures import theme

# The tall pictures in the first row, in CSS pixels.
TALL = 440
# Room under the words of one row, above the title of the next.
MARGIN = {"l": 52, "r": 12, "t": 34, "b": 58}
WORLDS = ((theme.WITHOUT_YOU, "without you"), (theme.WITH_YOU, "with you"))


def release(result: MechanismsResult) -> dict:
    """Both densities with the releases so far under them, and below, over the same outputs, their log-ratio."""
    x, epsilon = result.outputs, result.settings.epsilon
    densities = result.worlds.densities(x)
    top = _ladder(1.02 * max(density.max() for density in densities))
    return theme.figure(
        *(_density(x, y, top, *world) for y, world in zip(densities, WORLDS, strict=True)),
        _log_ratio(result, x),
        margin=MARGIN,
        title=theme.title("What may be published"),
        xaxis={
            "range": _span(result),
            "anchor": "y2",
            "title": {"text": "published number", "standoff": 8},
            "zeroline": False,
        },
        yaxis={
            "domain": [0.4, 1],
            "range": [-0.14 * top, top],
            "showticklabels": False,
            "zeroline": True,
            "showgrid": False,
            "title": {"text": "density"},
        },
        yaxis2={
            "domain": [0, 0.3],
            "range": [-2 * epsilon, 2 * epsilon],
            "tickvals": [-epsilon, 0, epsilon],
            "ticktext": ["−ε", "0", "+ε"],
            "title": {"text": "log-ratio"},
        },
        shapes=[*_promised_lines(epsilon), *_beyond(result), *_marks(result, top)],
        annotations=[_words(_crossing(result), y=0.305)],
    )


def _crossing(result: MechanismsResult) -> str:
    """The title of the log-ratio: how likely it is, with you, to lie above +epsilon."""
    epsilon = result.settings.epsilon
    _, chance = result.worlds.beyond(epsilon)
    return f"Log-ratio, above +ε = {epsilon:.3g}: " + (f"chance {chance:.2g}" if chance else "never")


def _density(x: np.ndarray, y: np.ndarray, top: float, colour: str, name: str) -> dict:
    """One world's density, filled: where the two colours mix, nobody can tell."""
    hover = f"%{{x:.5g}}: density %{{y:.3g}}<extra>{name}</extra>"
    more = {"fill": "tozeroy", "fillcolor": theme.rgba(colour, 0.16), "hovertemplate": hover}
    return theme.line(x, y, colour=colour, name=name, **more)


def _marks(result: MechanismsResult, top: float) -> list[dict]:
    """The releases so far as faint strokes, the newest as a diamond, here and on the log-ratio."""
    *earlier, now = result.sequence["output"]
    ratio = result.sequence["log ratio"].iloc[-1]
    strokes = "".join(f"M{x:.6g},{-0.035 * top:.4g}L{x:.6g},{-0.105 * top:.4g}" for x in earlier) or "M0,0L0,0"
    line = {"color": theme.rgba(theme.WITH_YOU, 0.5), "width": 1.3}
    return [
        {"type": "path", "path": strokes, "xref": "x", "yref": "y", "line": line, "visible": bool(earlier)},
        theme.rule(now),
        theme.diamond(now, -0.07 * top),
        theme.diamond(now, ratio, yref="y2"),
    ]


def _log_ratio(result: MechanismsResult, x: np.ndarray) -> dict:
    hover = "%{x:.5g}: log-ratio %{y:.3g}<extra></extra>"
    return theme.line(
        x, result.worlds.log_ratio(x), colour=theme.PRIVATE, name="log-ratio", yaxis="y2", hovertemplate=hover
    )


def _promised_lines(epsilon: float) -> list[dict]:
    """The lines of plus and minus epsilon."""
    style = {"color": theme.BOUND, "width": 1.5, "dash": "dash"}
    whole = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y2", "line": style}
    return [whole | {"y0": level, "y1": level} for level in (epsilon, -epsilon)]


def _beyond(result: MechanismsResult) -> list[dict]:
    """The outputs whose log-ratio lies beyond the lines; hidden, but there, where no output does."""
    high = result.worlds.threshold(result.settings.epsilon)
    low = result.worlds.threshold(-result.settings.epsilon)
    left, right = _span(result)
    base = {"type": "rect", "yref": "paper", "y0": 0, "y1": 1, "layer": "below", "line": {"width": 0}}
    base |= {"fillcolor": theme.rgba(theme.BOUND, 0.13), "visible": math.isfinite(high)}
    if not math.isfinite(high):
        low, high = left, right
    return [base | {"x0": min(left, low), "x1": low}, base | {"x0": high, "x1": max(right, high)}]


def _words(text: str, *, y: float) -> dict:
    """A quiet title inside of a figure."""
    place = {"x": 0, "xref": "paper", "xanchor": "left", "y": y, "yref": "paper", "yanchor": "bottom"}
    return {"text": text, "showarrow": False, "font": {"size": 13}} | place


def _ladder(least: float) -> float:
    """The next of 1, 1.5, 2, 3, 5, 7, 10, ... : axes that rest while a slider moves a little."""
    decade = 10.0 ** math.floor(math.log10(least))
    return next(step * decade for step in (1, 1.5, 2, 3, 5, 7, 10) if step * decade >= least * (1 - 1e-12))


def _span(result: MechanismsResult) -> list[float]:
    """The range of outputs to show: resting on steps of its own width."""
    low, high = result.reach
    half = _ladder((high - low) / 2 * 1.1)
    grid = half / 8
    middle = round((low + high) / 2 / grid) * grid
    return [middle - half, middle + half]


def dots(result: MechanismsResult) -> dict:
    """Fifty equally likely releases that one can count: with you upwards, without you downwards."""
    left, right = span = _span(result)
    width = max(0.4 * result.worlds.scale, (right - left) / 44)
    truths = (result.worlds.value, result.worlds.value + result.worlds.sensitivity)
    stacks = [_stacked(row - truth, width) for row, truth in zip(result.dots(), truths, strict=True)]
    top = max(12, *(int(heights.max()) for _, heights in stacks)) + 1.5
    size = min(9.0, max(2.5, 165 / top))
    traces = []
    for truth, (places, heights), (colour, name), way in zip(truths, stacks, WORLDS, (-1, 1), strict=True):
        inside = np.zeros(len(places), bool)
        inside[3:48] = True  # the 5 % quantile is the third dot, the 95 % quantile the last of the 45
        for part, symbol in ((inside, "circle"), (~inside, "circle-open")):
            marker = {"symbol": symbol, "size": size, "color": colour, "line": {"width": 1.2, "color": colour}}
            said = f"about %{{x:.4g}}<extra>{name}</extra>"
            x, y = truth + places[part], way * (heights[part] - 0.3)
            traces.append(theme.scatter(x, y, mode="markers", marker=marker, hovertemplate=said))
    return theme.figure(
        *traces,
        margin=MARGIN,
        title=theme.title(f"Count them: 45 of 50 within ±{result.within:.3g}"),
        xaxis={"range": span, "title": {"text": "published number", "standoff": 8}, "zeroline": False},
        yaxis={"range": [-top, top], "showticklabels": False, "showgrid": False},
        annotations=[
            _words(f"50 equally likely releases, {WORLDS[1][1]}", y=0.94),
            _words(f"50 equally likely releases, {WORLDS[0][1]}", y=0.0),
        ],
    )


def _stacked(errors: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """(place, height 1, 2, ...) of each dot, in columns of this width; errors come in rising order."""
    columns = np.round(errors / width)
    firsts = np.searchsorted(columns, columns)
    return columns * width, np.arange(len(errors)) - firsts + 1
