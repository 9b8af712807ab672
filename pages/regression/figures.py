"""The regression's pictures: error between two rails, draws without a minimum, lines, coefficients, the split,
and the error as a function of two coefficients: a bowl, and what noise makes of it.
"""

from html import escape

import numpy as np

from pages.regression.experiment import LIMITS, OWN, SPLITTERS
from pages.regression.result import RegressionResult
from pages.regression.surface import REACH, Surface
from ui.plot import theme
from ui.texts import Texts

SAYS = Texts(__file__)
METHODS = {name: SAYS[f"methods.{name}"] for name in theme.REGRESSIONS}

_LOW, _HIGH = LIMITS["epsilon"]
_EPSILON_AXIS = theme.epsilon_axis(_LOW, _HIGH, beside=0.05)

# Bands of the excess error, as multiples of the least error; each has a shade of its own, upwards and downwards.
_EDGES = np.array([0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0])
_SHADES = [0.02 + 0.68 * place / len(_EDGES) for place in range(len(_EDGES) + 1)]
_COLOURS = [(colour, shade) for colour in (theme.NON_PRIVATE, theme.FALLS) for shade in _SHADES]

# Letters that a name has at most.
_LETTERS = 44
# Where the signs of a surface are told.
_SIGNS = {"x": 0.02, "xref": "paper", "xanchor": "left", "y": 0.01, "yref": "paper", "yanchor": "bottom"}


def errors(result: RegressionResult) -> dict:
    """Held-out error over epsilon between the two rails, a stroke for each run at today's: of the chosen method, of the
    one that errs least beside it, and faintly of the others.

    What moves with epsilon are shapes: the curves need not be drawn again.
    """
    settings, (low, high), late = result.settings, _error_range(result), _late(result)
    mean, exact = _rails(result, np.array([_LOW / 2, _HIGH * 2]))
    drawn = theme.figure(
        mean,
        *_error_curves(result, most=20 * high),
        exact,
        title=theme.title("RMSE by epsilon", _error_finding(result)),
        legend="lower left" if late else "upper right",
        xaxis=_EPSILON_AXIS,
        yaxis={"title": {"text": f"RMSE, {settings.source.unit}"}, "range": [low, high]},
        shapes=[
            theme.rule(settings.epsilon),
            _strokes(result, high),
            _now(result, high) | {"name": theme.GHOST},
        ],
    )
    if late:
        drawn["layout"]["legend"]["y"] = 0.07  # above the lower rail
    return drawn


def _error_curves(result: RegressionResult, *, most: float) -> list[dict]:
    """The median of each method, cut at ``most``, the chosen one last, with its range of nine in ten."""
    chosen, rival, traces = result.settings.mechanism, result.rival, []
    for name in sorted(result.curves, key=lambda name: (name == chosen, name == rival)):
        title, colour, (low, median, high) = (
            METHODS[name],
            theme.REGRESSIONS[name],
            np.minimum(result.quantiles(name), most),
        )
        if name == chosen:
            traces.append(theme.band(np.array(result.settings.epsilons), low, high, colour=colour))
        now = theme.number(result.summary(name).median) if name in result.at_now else ""
        hover = f"epsilon %{{x}}: RMSE %{{y:.4~g}} {result.settings.source.unit}<extra>{title}</extra>"
        style = _weight(colour, chosen=name == chosen, faint=name not in (chosen, rival))
        shown = {"name": theme.key(title, now), "hovertemplate": hover}
        traces.append(theme.line(np.array(result.settings.epsilons), median, colour=colour, **shown, **style))
    return traces


def _late(result: RegressionResult) -> bool:
    """Return whether the curves come down so late that the corner under them is free."""
    shown = [name for name in (result.settings.mechanism, result.rival) if name in result.curves]
    early = np.array(result.settings.epsilons) <= 1  # as far as a legend reaches
    return bool(shown) and all((result.quantiles(name)[1][early] >= result.mean_error).all() for name in shown)


def _error_finding(result: RegressionResult) -> str:
    """Return from which epsilon the chosen method beats the baseline, or how many methods are trained."""
    if len(result.curves) < len(theme.REGRESSIONS):
        return f"{len(result.curves)} of {len(theme.REGRESSIONS)} methods trained"
    first = result.useful_from
    return "" if first is None else f"better than the baseline from epsilon {first:g}"


def _weight(colour: str, *, chosen: bool, faint: bool = False) -> dict:
    """The chosen method stands out; one that is ``faint`` has no place in the legend."""
    style = {"color": colour, "dash": theme.DASHES[colour]}
    if chosen:
        return {"mode": "lines+markers", "marker": {"size": 6}, "line": style | {"width": 3}, "meta": theme.GHOST}
    if faint:
        return {"line": style | {"width": 1.2}, "opacity": 0.45, "showlegend": False}
    return {"line": style | {"width": 2}}


def _error_range(result: RegressionResult) -> tuple[float, float]:
    """Return a range from below least squares to well above the mean; what diverges leaves the frame."""
    exact, mean = result.least_squares, result.mean_error
    gap = max(abs(mean - exact), 0.05 * exact)
    return exact - 0.15 * gap, exact + 3 * gap


def _rails(result: RegressionResult, ends: np.ndarray) -> tuple[dict, dict]:
    """Return the lines of the baseline and of least squares, which bound what is of any use."""

    def rail(name: str, error: float, dash: str) -> dict:
        hover = f"RMSE %{{y:.4~g}} {result.settings.source.unit}<extra>{name}</extra>"
        style = {"colour": theme.NON_PRIVATE, "dash": dash, "hovertemplate": hover}
        return theme.line(ends, np.full(2, error), name=theme.key(name, theme.number(error)), **style)

    mean = rail("baseline (mean)", result.mean_error, "dash")
    return mean, rail("least squares", result.least_squares, "dot")


def _now(result: RegressionResult, high: float) -> dict:
    """The middle run at today's epsilon; above the frame it lies on its edge."""
    colour = theme.REGRESSIONS[result.settings.mechanism]
    return theme.dot(result.settings.epsilon, min(result.summary().median, high), colour=colour)


def _strokes(result: RegressionResult, high: float) -> dict:
    """A stroke for each run at today's epsilon; those above the frame lie on its edge."""
    heights = np.minimum(result.focus.errors, high)
    return {
        "type": "path",
        "path": "".join(f"M-9,{height:.5g}L9,{height:.5g}" for height in heights),
        "line": {"color": theme.REGRESSIONS[result.settings.mechanism], "width": 1.6},
        "opacity": 0.6,
        "xref": "x",
        "xsizemode": "pixel",
        "xanchor": result.settings.epsilon,
        "yref": "y",
    }


def no_minimum(result: RegressionResult) -> dict:
    """Draw how often the released quadratic has no minimum, over epsilon."""
    traces, chosen, runs = [], result.settings.mechanism, result.settings.repeats
    for name, curve in sorted(result.curves.items(), key=lambda one: one[0] == chosen):
        if curve.no_minimum is None:
            continue
        title, colour = METHODS[name], theme.REGRESSIONS[name]
        hover = f"epsilon %{{x}}: %{{y:.0f}} % of runs<extra>{title}</extra>"
        style = _weight(colour, chosen=name == chosen)
        traces.append(
            theme.line(
                np.array(result.settings.epsilons),
                100 * curve.no_minimum,
                colour=colour,
                name=title,
                hovertemplate=hover,
                **style,
            )
        )
    often = all(curve.no_minimum[-4:].max() > 0.5 for curve in result.curves.values() if curve.no_minimum is not None)
    finding = f"{result.failed} of {runs} at epsilon {result.settings.epsilon:.3g}" if result.noisy_surface else ""
    return theme.figure(
        *traces,
        title=theme.title("Runs without a minimum", finding),
        legend="lower left" if often else "upper right",
        xaxis=_EPSILON_AXIS,
        yaxis={"title": {"text": "% of runs"}, "range": [-3, 103]},
        shapes=[theme.rule(result.settings.epsilon)],
    )


def lines(result: RegressionResult) -> dict:
    """The predicted label over one feature: a line for each run, and some held-out rows, but none of a file of one's
    own."""
    settings, colour = result.settings, theme.REGRESSIONS[result.settings.mechanism]
    bounds, found, exact = result.lines()
    points, (left, right) = [], bounds
    own = settings.dataset == OWN
    if own:
        middle = float(exact.mean())
        reach = max(float(np.ptp(exact)), 0.5 * result.problem.half)
        shown = [middle - reach, middle + reach]
    else:
        points, shown = _people(result)
    path = "".join(f"M{left:.5g},{start:.6g}L{right:.5g},{end:.6g}" for start, end in found)
    style = {"type": "path", "xref": "x", "yref": "y", "layer": "between"}
    margin = 0.03 * (right - left)
    return theme.figure(
        *points,
        theme.line(
            bounds,
            exact,
            colour=theme.NON_PRIVATE,
            name="least squares",
            dash="dot",
            hovertemplate=f"%{{x:.3~g}}: %{{y:.4~g}} {settings.source.unit}<extra>least squares</extra>",
        ),
        title=theme.title("Fitted lines", _slopes(result)),
        xaxis={"title": {"text": _feature(result, settings.feature)}, "range": [left - margin, right + margin]},
        yaxis={
            "title": {"text": _short(", ".join([settings.source.label, settings.source.unit][: 2 - own]))},
            "range": shown,
        },
        shapes=[style | {"path": path, "line": {"color": colour, "width": 1.2}, "opacity": 0.5, "name": theme.GHOST}],
    )


def _people(result: RegressionResult) -> tuple[list[dict], list[float]]:
    """(the held-out rows as points, the range upwards that shows them)."""
    x, y = result.points()
    floor, high = result.settings.source.label_bounds[0], float(np.quantile(y, 0.97)) * 1.1
    points = theme.scatter(
        x,
        y,
        mode="markers",
        marker={"color": theme.NON_PRIVATE, "size": 5, "opacity": 0.55},
        name="held-out people",
        hovertemplate=f"%{{x:.3~g}}: %{{y:.4~g}} {result.settings.source.unit}<extra>held-out row</extra>",
    )
    return [points], [floor - 0.08 * high, high]


def _slopes(result: RegressionResult) -> str:
    """Return how many lines go the way of least squares."""
    _, _, (start, end) = result.lines()
    many, runs = result.rising, result.settings.repeats
    return f"{many} of {runs} rise" if end > start else f"{runs - many} of {runs} fall"


def _feature(result: RegressionResult, place: int) -> str:
    return _short(result.settings.source.features[place])


def _short(name: str) -> str:
    """A name, which may be out of a file, as an axis has room for."""
    return escape(name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…")


def coefficients(result: RegressionResult) -> dict:
    """Draw what each feature is worth: least squares, and where nine runs in ten fall."""
    frame, colour = result.coefficients(), theme.REGRESSIONS[result.settings.mechanism]
    exact, places = frame["least squares"].to_numpy(), np.arange(len(frame), dtype=float)
    reach = max(1.35 * float(np.abs(exact).max()), 1e-9)
    cut = np.clip(frame[["low", "median", "high"]].to_numpy(), -2 * reach, 2 * reach)
    bars = "".join(f"M{low:.5g},{place:g}L{high:.5g},{place:g}" for place, (low, _, high) in enumerate(cut))
    style = {"type": "path", "xref": "x", "yref": "y", "layer": "between"}
    kept = int((frame["sign"] >= 0.9).sum())
    return theme.figure(
        theme.scatter(
            exact,
            places,
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 15, "color": theme.NON_PRIVATE, "line": {"width": 2.5}},
            hovertemplate=f"%{{x:.4~g}} {result.settings.source.unit}<extra>least squares</extra>",
        ),
        title=theme.title("Coefficients", f"{kept} of {len(frame)} keep their sign"),
        margin={"l": 160, "r": 12, "t": 54, "b": 44},
        xaxis={
            "title": {"text": f"{result.settings.source.unit}, from the feature's lowest to its highest value"},
            "range": [-reach, reach],
            "zeroline": True,
        },
        yaxis={
            "title": {"text": "| least squares   ◆ median   bar: 90\u00a0% of runs"},
            "tickvals": list(range(len(frame))),
            "ticktext": [_short(name) for name in frame["feature"]],
            "range": [len(frame) - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
        },
        shapes=[
            style | {"path": bars, "line": {"color": colour, "width": 7}, "opacity": 0.45},
            style
            | {"path": theme.specks(cut[:, 1], places, width=0.022 * reach, height=0.24)}
            | {"fillcolor": colour, "line": {"width": 0}},
        ],
    )


def split(result: RegressionResult) -> dict:
    """Median error over the share of epsilon for the quadratic, with the share of least noise and today's."""
    low, high = _error_range(result)
    frame, traces, shapes = result.over_split, list(_rails(result, np.array([0.0, 1.0]))), []
    for name in SPLITTERS:
        if name not in frame:
            continue
        title, colour = METHODS[name], theme.REGRESSIONS[name]
        style = _weight(colour, chosen=name == result.settings.mechanism) | {"mode": "lines"}
        shares, medians = frame["share"].to_numpy(), np.minimum(frame[name].to_numpy(), 20 * high)
        unit = result.settings.source.unit
        hover = f"%{{x:.0%}} for the quadratic: RMSE %{{y:.4~g}} {unit}<extra>{title}</extra>"
        traces.append(theme.line(shares, medians, colour=colour, name=title, hovertemplate=hover, **style))
        best = SPLITTERS[name](result.problem.inputs)
        traces.append(_least_noise(best, low + 0.012 * (high - low), title=title, colour=colour))
    if result.settings.mechanism in SPLITTERS:
        shapes.append(theme.rule(result.settings.share_of(result.settings.mechanism)))
    left = frame.loc[frame["share"] < 0.5, frame.columns[1:]].to_numpy()
    free = left.size and left.max() < low + 0.6 * (high - low)
    return theme.figure(
        *traces,
        title=theme.title("Budget split", "▲ least noise"),
        legend="upper left" if free else "upper right",
        xaxis=theme.share_axis("budget share for the quadratic", 1, step=0.2),
        yaxis={
            "title": {"text": f"RMSE, {result.settings.source.unit}"},
            "range": [low, high],
        },
        shapes=shapes,
    )


def _least_noise(share: float, height: float, *, title: str, colour: str) -> dict:
    """The mark just above the axis at the share with the least noise."""
    return theme.scatter(
        np.array([share]),
        np.array([height]),
        mode="markers",
        marker={"symbol": "triangle-up", "size": 13, "color": colour},
        cliponaxis=False,
        showlegend=False,
        hovertemplate=f"least noise: %{{x:.1%}}<extra>{title}</extra>",
    )


def true_surface(result: RegressionResult) -> dict:
    """The error that the rows really have, with the end of every run."""
    ends = result.focus.weights[:, list(result.pair)]
    title = theme.title("Error surface", f"{result.in_view} of {len(ends)} runs in view")
    return _surface(result, result.true_surface, title=title, dots=ends)


def noisy_surface(result: RegressionResult) -> dict:
    """Draw what is minimised in one draw."""
    surface, place = result.noisy_surface, result.settings.draw - 1
    kind = "minimum" if not surface.negative else ("minimum in this plane only", "saddle", "maximum")[surface.seen]
    return _surface(
        result,
        surface,
        title=theme.title(f"Noisy objective of run {result.settings.draw}", kind),
        dots=result.focus.weights[place : place + 1, list(result.pair)],
    )


def _surface(result: RegressionResult, surface: Surface, *, title: dict, dots: np.ndarray) -> dict:
    middle, factor = result.true_surface.centre, 2 * result.problem.half
    (left, bottom), side = factor * (middle - REACH), 2 * factor * REACH
    image = theme.image(_bands(surface.values(middle), result.least_error), _COLOURS)
    colour = theme.REGRESSIONS[result.settings.mechanism]
    ends, speck = np.clip(factor * dots, -1e6, 1e6), 0.02 * side
    names = [_feature(result, place) for place in (result.settings.across, result.settings.up)]
    return theme.figure(
        theme.scatter(
            *(factor * middle[:, None]),
            mode="markers",
            marker={"symbol": "x-thin-open", "size": 13, "color": theme.NON_PRIVATE, "line": {"width": 3}},
            hovertemplate="%{x:.4~g}, %{y:.4~g}<extra>least squares</extra>",
        ),
        images=[theme.ground(image, left=left, top=bottom + side, width=side, height=side)],
        annotations=[theme.word("◆ a run  × least squares", size=13, **_SIGNS)],
        shapes=[
            {"type": "path", "xref": "x", "yref": "y", "path": theme.specks(*ends.T, width=speck, height=speck)}
            | {"fillcolor": colour, "fillrule": "nonzero", "line": {"width": 0.8, "color": "rgba(255,255,255,.8)"}}
        ],
        title=title,
        xaxis={"title": {"text": names[0]}, "range": [left, left + side], "showgrid": False, "zeroline": False},
        yaxis={"title": {"text": names[1]}, "range": [bottom, bottom + side], "showgrid": False, "zeroline": False},
    )


def _bands(values: np.ndarray, least: float) -> np.ndarray:
    """Colour numbers: the band of each point, those below the stationary point in the second half."""
    return np.searchsorted(_EDGES, np.abs(values) / least) + np.where(values < 0, len(_SHADES), 0)
