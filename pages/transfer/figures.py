"""The transfer page's pictures: excess risk over epsilon and over migrated rows, the walk, and the sources."""

from collections.abc import Callable
from functools import partial

import numpy as np

from lab.claims import Case, onwards, upto
from lab.own_settings import OWN
from pages.transfer.experiment import LIMITS
from pages.transfer.result import TransferResult
from pages.transfer.work import CANDIDATES
from ui.plot import theme

# Candidate -> (name, colour, dash). Green is what comes from public rows, blue what does not.
STYLES = {
    "target": ("target only", theme.PRIVATE, "solid"),
    "source": ("source only", theme.PUBLIC, "longdash"),
    "pooled": ("pooled", theme.GOLD, "longdashdot"),
    "transfer": ("source + private correction", theme.PUBLIC, "dashdot"),
}
# On the private rows alone.
DESCENT = ("DP gradient descent", theme.MAUVE, "longdash")
WITHOUT = ("target only, non-private", theme.NON_PRIVATE, "dot")
# Those whose spread is drawn: what is promised nothing, or is not the question, is a line.
_BANDS = ("target", "transfer")
# Room for the longest numbers on a log axis.
_MARGIN = {"l": 58, "r": 12, "t": 54, "b": 44}
# Of excess risks; above 1 is the room of the legend.
_RISK, _TOP = (1e-4, 1.0), 8.0
# Lines that lie within this factor leave no room for two words between them.
_NEAR = 4.0
# Of made-up rows and of a file: what the cross is, the marks' legend, and the walk's two coefficients.
_NAMES = {
    "made": ("the true coefficients", "✕ the truth   ◇ the source", "first coefficient", "second coefficient"),
    OWN: ("non-private", "✕ non-private   ◇ the sources", "constant", "slope of the first input"),
}
# What is said where nothing is learnt, of made-up rows and of a file.
_NOTHING = ("predict 0", "the middle of the bounds")
_STROKES = {name: (4 * place - 9, 4 * place - 5) for place, name in enumerate(CANDIDATES)}


def risk(value: float) -> str:
    """An excess risk, to two digits and never 1e-05."""
    if value != value:
        return "…"
    if value < 1e-3:
        return f"{value:.1g}" if value >= 1e-4 else "below 0.0001"
    return f"{value:#.2g}".rstrip(".")


def walk(result: TransferResult) -> dict:
    """Every repeat's walk in the plane, from zero over the large polytope and around the source over the small one."""
    found = result.walks
    shapes = []
    for name, corners, points in zip(("target", "transfer"), found.corners, found.points, strict=True):
        colour = STYLES[name][1]
        outline = "M" + "L".join(f"{x:.4g},{y:.4g}" for x, y in corners) + "Z"
        ground = {"fillcolor": theme.rgba(colour, 0.07), "line": {"color": colour, "width": 1.6}}
        faint = {"line": {"color": colour, "width": 1}, "opacity": 0.3}
        shapes.append({"type": "path", "path": outline, "layer": "between"} | ground)
        paths = "".join("M" + "L".join(f"{x:.3f},{y:.3f}" for x, y in one) for one in np.moveaxis(points, 1, 0))
        shapes.append({"type": "path", "path": paths, "layer": "between"} | faint)
    for name, points in zip(("target", "transfer"), found.points, strict=True):
        shapes += [_end(*end, STYLES[name][1]) for end in points[-1]]
    names = _NAMES[result.settings.dataset]
    reach = max(2.65, *(1.05 * float(np.abs(corners).max()) for corners in found.corners))
    reach = max(reach, 1.05 * float(np.abs(found.truth).max()))
    return theme.figure(
        _mark(found.source, "source coefficients", "diamond-open", theme.PUBLIC),
        _mark(found.truth, names[0], "x-thin", theme.NOW),
        margin=_MARGIN,
        title=theme.title("Frank-Wolfe runs", _nearer(result.nearer)),
        shapes=shapes,
        annotations=_captions(result),
        xaxis={"range": [-reach, reach], "dtick": 1, "title": {"text": names[2]}, "zeroline": False},
        yaxis={"range": [-reach, reach], "dtick": 1, "title": {"text": names[3]}, "zeroline": False},
    )


def _mark(at: np.ndarray, name: str, symbol: str, colour: str) -> dict:
    marker = {"symbol": symbol, "size": 13, "color": colour, "line": {"width": 3, "color": colour}}
    hover = f"{name}: (%{{x:.2f}}, %{{y:.2f}})<extra></extra>"
    return theme.scatter(at[:1], at[1:], mode="markers", name=name, marker=marker, hovertemplate=hover)


def _captions(result: TransferResult) -> list[dict]:
    """Return what the two polytopes and the two marks are."""
    large, small = result.walks.corners
    top, bottom = large[large[:, 1].argmax()], small[small[:, 1].argmin()]
    base = {"showarrow": False, "font": {"size": 13}}
    zero = {"x": float(top[0]), "y": float(top[1]), "xanchor": "left", "yanchor": "bottom", "xshift": 6}
    near = {"x": float(bottom[0]), "y": float(bottom[1]), "xanchor": "center", "yanchor": "top"}
    mark = {"x": 0.99, "y": 0.01, "xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "bottom"}
    return [
        base | zero | {"text": "from zero"},
        base | near | {"text": f"around the source,<br>radius {result.settings.radius:.2g}"},
        base | mark | {"text": _NAMES[result.settings.dataset][1]},
    ]


def _nearer(case: Case) -> str:
    """Return from where the walks are shown to end nearer to the truth."""
    return {Case.AHEAD: "closer from the source", Case.BEHIND: "closer from zero"}.get(case, "")


def _end(x: float, y: float, colour: str) -> dict:
    """Draw where a walk ends: a dot of fixed size."""
    place = {"xsizemode": "pixel", "ysizemode": "pixel", "xanchor": float(x), "yanchor": float(y)}
    size = {"type": "circle", "x0": -2.6, "x1": 2.6, "y0": -2.6, "y1": 2.6, "xref": "x", "yref": "y"}
    return size | place | {"fillcolor": colour, "line": {"width": 0}, "opacity": 0.8, "layer": "between"}


def sources(result: TransferResult) -> dict:
    """Each source by the norm of its contrast, and the threshold h, left of which sources are transferable."""
    settings, norms, harms = result.settings, result.norms, result.harms
    low, high = _span(norms, settings.h)
    inside, used = result.transferable, result.kept
    x, y = np.clip(norms, low * 1.15, high / 1.15), np.clip(harms, _RISK[0] * 1.3, _RISK[1] / 1.3)
    outline = [theme.PUBLIC if one else theme.NON_PRIVATE for one in inside]
    hover = "source %{text}: norm %{customdata[0]:.3~g}, excess risk %{customdata[1]:.2~g}, "
    names = [str(k + 1) for k in range(len(norms))]
    dots = theme.scatter(
        x,
        y,
        mode="markers+text",
        text=names,
        textfont={"size": 13},
        customdata=np.column_stack([norms, harms, 100 * used]).round(4).tolist(),
        hovertemplate=hover + "used in %{customdata[2]:.0f} % of runs<extra></extra>",
        marker={
            "size": 23,
            "color": [theme.rgba(theme.PUBLIC, 0.03 + 0.5 * share) for share in used],
            "line": {"width": 2, "color": outline},
        },
    )
    region = {"type": "rect", "x0": low, "x1": settings.h, "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    region |= {"fillcolor": theme.rgba(theme.PUBLIC, 0.1), "line": {"width": 0}}
    found = "; filled: found" if settings.selection == "detected" else ""
    finding = f"{int(inside.sum())} of {settings.sources} within h = {settings.h:.3g}{found}"
    side = ("right", -4) if settings.h > 0.12 else ("left", 4)
    return theme.figure(
        dots,
        margin=_MARGIN,
        title=theme.title("Sources", finding),
        shapes=[region, theme.rule(settings.h)],
        annotations=[_note("transferable", np.log10(settings.h), 1, *side)],
        xaxis=_log_axis(f"coefficient difference, q = {settings.q:.2g} (log scale)", low, high),
        yaxis=_log_axis("excess risk of the source itself (log scale)", *_RISK),
    )


def _span(norms: np.ndarray, h: float) -> tuple[float, float]:
    """A range in whole decades that holds the thresholds one can choose and all sources."""
    high = max(LIMITS["h"][1], float(norms.max()), h)
    return 0.015, 30.0 if high <= 25 else 10 ** np.ceil(np.log10(high * 1.01))


def _note(text: str, x: float, y: float, anchor: str, shift: int) -> dict:
    """The word beside a rule at the top of a picture with a log axis."""
    place = {"x": x, "y": y, "xref": "x", "yref": "paper", "xanchor": anchor, "yanchor": "top", "xshift": shift}
    return theme.word(text, size=13, **place)


def _tick(value: float) -> str:
    return f"{value:.0e}".replace("e+", "e") if value >= 1e5 else f"{value:,.4f}".rstrip("0").rstrip(".")


_log_axis = partial(theme.log_axis, most=8, word=_tick)


def over_epsilon(result: TransferResult) -> dict:
    """Excess risk over epsilon; at today's, a stroke for each repeat."""
    low, high = LIMITS["epsilon"]
    name = "nominal epsilon" if result.settings.noise == "printed" else "epsilon"
    return _risks(
        result,
        "epsilon",
        now=result.settings.epsilon,
        title=theme.title(f"{_called(result)} by {name}", _ahead(result)),
        axis=_log_axis(f"{name} (log scale)", low / 1.2, high * 1.2),
    )


def _ahead(result: TransferResult) -> str:
    """Return for which epsilons the sources help; or how far the curves have come."""
    at, _ = result.quantiles("target", "epsilon")
    if len(at) < (most := len(result.settings.epsilons)):
        return f"{len(at)} of {most} trained"
    cases = result.over_epsilon_beside()
    if Case.AHEAD not in cases:
        return "the sources harm at every epsilon" if set(cases) == {Case.BEHIND} else "no help shown"
    last, first = upto(cases), onwards(cases)
    if last == len(cases):
        return "the sources help at every epsilon"
    if first < len(cases):
        return f"the sources help from {at[first]:g} on"
    return f"the sources help up to {at[last - 1]:g}" if last else ""


def over_migrated(result: TransferResult) -> dict:
    """Excess risk over the number of migrated rows, at today's epsilon."""
    low, high = result.settings.limits["migrated"]
    return _risks(
        result,
        "migrated",
        now=result.settings.migrated,
        title=theme.title(f"{_called(result)} by public rows"),
        axis=_log_axis("public rows of all sources (log scale)", low / 1.2, high * 1.2),
    )


def _risks(result: TransferResult, over: str, *, now: float, title: dict, axis: dict) -> dict:
    ends, told = 10.0 ** np.array(axis["range"]), axis["title"]["text"].removesuffix(" (log scale)")
    own = result.settings.dataset == OWN
    plain, summary = max(result.focus.least_squares, _RISK[0]), result.summary()
    told, written = (
        f"{told} %{{x:.3~g}}: {_called(result).lower()} %{{y:{'.3' if own else '.2'}~g}}",
        written_of(result),
    )
    traces = [_line(ends, np.full(2, plain), WITHOUT, told=told, showlegend=False)]
    for name, style in STYLES.items():
        at, (least, median, most) = result.quantiles(name, over)
        if name in _BANDS:
            traces.append(theme.band(at, least, most, colour=style[1]))
        more = {"meta": theme.GHOST} if name == "transfer" else {}
        value = written(summary[name].median).ljust(
            6, "\u2007"
        )  # as wide as it may get: a legend that moves is redrawn
        traces.append(_line(at, median, style, told=told, value=value, **more))
    # Near to one another, the words stand on the outer sides of their lines
    crossed = not own and plain < result.nothing_learnt < _NEAR * plain
    sides = ("bottom", "top") if crossed else ("top", "top" if own else "bottom")
    rails = zip((_NOTHING[own], WITHOUT[0]), (result.nothing_learnt, plain), sides, strict=True)
    place = {"x": 0.99, "xref": "paper", "xanchor": "right", "yref": "y", "size": 13}
    return theme.figure(
        *traces,
        legend="upper right",
        margin=_MARGIN,
        title=title,
        shapes=[
            theme.level(result.nothing_learnt, colour=theme.NON_PRIVATE, width=1.2, dash="dash"),
            theme.rule(now),
            *_strokes(result, now),
            theme.dot(now, summary["transfer"].median, colour=STYLES["transfer"][1]) | {"name": theme.GHOST},
        ],
        annotations=[
            theme.word(word, y=value if own else np.log10(value), yanchor=side, **place) for word, value, side in rails
        ],
        xaxis=axis,
        yaxis=_own_axis(result) if own else _log_axis("excess risk (log scale)", _RISK[0], _TOP),
    )


def over_coefficients(result: TransferResult) -> dict:
    """Excess risk of the private rows alone over the number of coefficients: walk, descent, and without privacy."""
    found = dict(sorted(result.alone.items()))
    at = np.array(list(found), dtype=float)
    low, high = result.settings.limits["dimension"]
    told, traces = "%{x} coefficients: excess risk %{y:.2~g}", []
    for pick, style in (("walk", ("Frank-Wolfe", *STYLES["target"][1:])), ("descent", DESCENT)):
        quantiles = [np.quantile(getattr(one, pick), (0.05, 0.5, 0.95)) for one in found.values()]
        least, middle, most = np.array(quantiles).reshape(-1, 3).T
        traces.append(theme.band(at, least, most, colour=style[1]))
        traces.append(_line(at, middle, style, told=told))
    plain = np.clip([one.plain for one in found.values()], _RISK[0], 100.0)
    traces.append(_line(at, plain, WITHOUT, told=told))
    nothing = np.array([one.nothing for one in found.values()])
    traces.append(_line(at, nothing, ("predict 0", theme.NON_PRIVATE, "dash"), told=told))
    return theme.figure(
        *traces,
        legend="upper left",
        margin=_MARGIN,
        title=theme.title("Private rows alone", _in_front(result)),
        shapes=[theme.rule(result.settings.dimension)],
        xaxis=_log_axis("coefficients (log scale)", low / 1.2, high * 1.2),
        yaxis=_log_axis("excess risk (log scale)", _RISK[0], 100.0),
    )


def _in_front(result: TransferResult) -> str:
    """Return which method is shown to be ahead, and with how many coefficients; or how far the curves have come."""
    done, most = len(result.alone), len(result.settings.widths)
    if done < most:
        return f"{done} of {most} trained"
    cases = [result.alone_beside(one) for _, one in sorted(result.alone.items())]
    for case, name in ((Case.BEHIND, "Frank-Wolfe"), (Case.AHEAD, "descent")):
        first = onwards(cases, case)
        if first < len(cases):
            return f"{name} is ahead{f' from {sorted(result.alone)[first]}' if first else ''}"
    return ""


def _called(result: TransferResult) -> str:
    return "Held-out error" if result.settings.dataset == OWN else "Excess risk"


def written_of(result: TransferResult) -> Callable[[float], str]:
    """Return how a risk is written: an error of a file has its answer's unit."""
    return error if result.settings.dataset == OWN else risk


def error(value: float) -> str:
    """A held-out error, to three digits."""
    return "…" if value != value else theme.number(value)


def _own_axis(result: TransferResult) -> dict:
    """Return an axis from 0 to beyond the midpoint of the bounds, which is marked where nothing is learnt."""
    top = 1.7 * max(float(np.nan_to_num(result.nothing_learnt)), 0.01 * result.problem.half)
    return {"title": {"text": "RMSE, in the answer's unit"}, "range": [0, top]}


def _line(x: np.ndarray, y: np.ndarray, style: tuple[str, str, str], *, told: str, value: str = "", **more) -> dict:
    name, colour, dash = style
    hover = f"{told}<extra>{name}</extra>"
    return theme.line(x, y, colour=colour, name=theme.key(name, value), dash=dash, hovertemplate=hover, **more)


def _strokes(result: TransferResult, now: float) -> list[dict]:
    """A stroke for each repeat at today's value, the candidates side by side."""
    pairs = zip(CANDIDATES, np.maximum(result.focus.risk, _RISK[0]), strict=True)
    return [theme.strokes(heights, x=now, ends=_STROKES[name], colour=STYLES[name][1]) for name, heights in pairs]


def published(result: TransferResult) -> dict:
    """The published values beside the control: five rows alone, and more epochs."""
    frame, penalty = result.published.frame, result.published.penalty
    named = {"1": "L1", "2": "squared L2"}[result.published.q]
    table, control = frame[frame["noisy"]], frame[~frame["noisy"]].dropna(subset=["value"])
    passes = {"mode": "lines+markers", "marker": {"size": 7}}
    hover = "%{x} passes over 5 rows: %{y:.3~g}<extra>nothing migrated</extra>"
    printed = theme.scatter(
        np.full(len(table), 50.0),
        table["published"].to_numpy(),
        mode="markers+text",
        text=["0 and 5 migrated", "", *(f"{rows} migrated" for rows in table["migrated"][2:])],  # two in one place
        textposition=["top right", *["middle right"] * 4],
        marker={"symbol": "circle-open", "size": 10, "color": theme.BOUND, "line": {"width": 2}},
        hovertemplate="published: %{y:.4~g}<extra></extra>",
    )
    at, value = control["epochs"].to_numpy(dtype=float), control["value"].to_numpy(dtype=float)
    least = 0.1 if value.min(initial=1) > 0.1 else 0.01
    return theme.figure(
        theme.line(at, value, colour=theme.PRIVATE, name="5 rows, more passes", hovertemplate=hover, **passes),
        printed,
        margin=_MARGIN,
        title=theme.title("Five rows alone, with more passes"),
        xaxis=_log_axis("passes over the rows (log scale)", 30, 8000)
        | {"tickvals": [50, 500, 5000]}
        | {"ticktext": ["50", "500", "5,000"]},
        yaxis=_log_axis(f"training MSE + {penalty:g} {named} (log scale)", least, 100),
    )
