"""The parties page's pictures: accuracy over 1/epsilon and over parties, what each release decides in a plane, what one
party moves, noise against parties, the published bound, and answers one by one.
"""

from functools import partial

import numpy as np

from dpcore.boundaries import boundaries, votes
from pages.parties.experiment import LIMITS
from pages.parties.result import NOISE_AT, QUERIES, PartiesResult
from ui.plot import maps, theme

# Method -> (name, colour), as what stands beside the methods. The page speaks of one of them; all are drawn.
STYLES = {
    "soft": ("soft labels", theme.PRIVATE),
    "vote": ("majority vote", theme.MAUVE),
    "average": ("averaged weights", theme.SAGE),
    "pate": ("PATE", theme.PINE),
}
WITHOUT = {
    "batch": ("all rows in one place, no privacy", theme.NON_PRIVATE),
    "local": ("parties alone, never released", theme.GOLD),
}
_MARGIN = {"l": 62, "r": 12, "t": 34, "b": 44}
MAPS = ("soft", "vote", "average", "pate", "batch", "local")
_SHORT = {"batch": "All rows, no privacy", "local": "Parties alone"}
_MAP_MARGIN = {"l": 40, "r": 8, "t": 30, "b": 30}
_LEAST_RISK = 1e-4
# Beside each other at today's value: pixels left and right of it.
_STROKES = {"vote": (-9, -5), "average": (-5, -1), "soft": (1, 5), "pate": (5, 9)}


def over_epsilon(result: PartiesResult) -> dict:
    """Accuracy over 1/epsilon, as the paper draws it: privacy grows to the right."""
    low, high = (1 / end for end in reversed(LIMITS["epsilon"]))
    now = 1 / result.settings.epsilon
    axis = _log_axis("1/epsilon (log scale), more private →", low / 1.15, high * 1.15)
    return _accuracy(result, "epsilon", now=now, title="Accuracy over 1/epsilon", axis=axis)


def over_parties(result: PartiesResult) -> dict:
    """Accuracy over the number of parties, at today's epsilon."""
    axis = _parties_axis()
    now = result.settings.parties
    return _accuracy(result, "parties", now=now, title=f"Accuracy over parties, epsilon {_epsilon(result)}", axis=axis)


def _epsilon(result: PartiesResult) -> str:
    return f"{result.settings.epsilon:.3g}"


def _parties_axis() -> dict:
    low, high = LIMITS["parties"]
    return _log_axis("parties (log scale)", low / 1.15, high * 1.15)


def _accuracy(result: PartiesResult, over: str, *, now: float, title: str, axis: dict) -> dict:
    ends = 10.0 ** np.array(axis["range"])
    levels = {"batch": result.batch_accuracy, "local": result.local.median}
    traces = []
    for name, level in levels.items():
        text, colour = WITHOUT[name]
        hover = f"%{{y:.3g}} in 100<extra>{text}</extra>"
        traces.append(theme.line(ends, np.full(2, 100 * level), colour=colour, name=text))
        traces[-1]["hovertemplate"] = hover
    for name in (*(one for one in result.methods if one != result.settings.method), result.settings.method):
        at, spread = result.curve(name, over)
        at = 1 / at if over == "epsilon" else at
        text, colour = STYLES[name]
        low, median, high = 100 * spread
        hover = f"%{{x:.3~g}}: %{{y:.3g}} in 100<extra>{text}</extra>"
        own = name == result.settings.method
        width = {"color": colour, "width": 3 if own else 1.6, "dash": theme.DASHES[colour]}
        band = {"fillcolor": theme.rgba(colour, 0.22 if own else 0.08)}
        traces.append(theme.band(at, low, high, colour=colour) | band)
        traces.append(theme.line(at, median, colour=colour, name=text, line=width, hovertemplate=hover))
    return theme.figure(
        *traces,
        margin=_MARGIN,
        title=theme.title(title),
        shapes=[_rail(100 * result.chance), theme.rule(now), *_strokes(result, now)],
        annotations=[_word("guessing", 100 * result.chance)],
        xaxis=axis,
        yaxis={"title": {"text": "right in 100"}, "range": [0, 103]},
    )


def _rail(y: float) -> dict:
    return theme.level(y, colour=theme.NON_PRIVATE, width=1, dash="dash")


def _word(text: str, y: float, *, x: float = 0.01, colour: str | None = None, below: bool = True) -> dict:
    """A word beside a level line, at a share of the picture's width."""
    place = {"x": x, "y": y, "xref": "paper", "yref": "y", "xanchor": "left" if x < 0.5 else "right"}
    font = {"size": 11} | ({"color": theme.INKS.get(colour, colour)} if colour else {})
    return place | {"text": text, "showarrow": False, "yanchor": "top" if below else "bottom", "font": font}


def _strokes(result: PartiesResult, now: float) -> list[dict]:
    """A stroke for each repeat at today's value, the methods side by side."""
    pairs = zip(result.methods, 100 * result.now.accuracy, strict=True)
    return [theme.strokes(heights, x=now, ends=_STROKES[name], colour=STYLES[name][1]) for name, heights in pairs]


def shown_maps(result: PartiesResult) -> tuple[str, ...]:
    """Which maps there are: averages only of parties that have weights."""
    return tuple(name for name in MAPS if name in (*result.methods, "batch", "local"))


def decisions(result: PartiesResult, name: str) -> dict:
    """What a method's repeats decide, with the boundary of each; or what the parties decide one by one."""
    plane = result.settings.plane
    if name == "local":
        found, title = result.locals_agree, f"{_SHORT[name]}: {theme.percent(result.local.median)}"
        lines = np.empty((0, 2, 2))
    else:
        weights = result.plane_weights(name)
        found, lines = votes(weights, plane, size=48), boundaries(weights, plane)
        level = result.batch_accuracy if name == "batch" else result.summary[name].median
        title = f"{_SHORT.get(name) or _capital(STYLES[name][0])}: {theme.percent(level)}"
    colour = WITHOUT[name][1] if name in WITHOUT else STYLES[name][1]
    figure = maps.decided(
        result.shown,
        plane,
        *found,
        boundaries=[maps.boundary(plane, lines, colour=colour, width=1.1)],
        title=title,
    )
    figure["data"] = [trace | {"marker": trace["marker"] | {"size": 4}} for trace in figure["data"]]
    figure["layout"]["margin"] = _MAP_MARGIN
    for axis in ("xaxis", "yaxis"):
        figure["layout"][axis]["title"] = {"text": ""}
    return figure


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def one_party(result: PartiesResult) -> dict:
    """How far one party that turns around moves the weights: tried here, in the worst case, and by the bounds."""
    traces, shapes, words = [], [], []
    for place, (y, row) in enumerate(zip((1.0, 0.0), result.movements, strict=True)):
        text, colour = STYLES[row["release"]]
        shapes += [_mark(row["bound"], y, theme.BOUND, "dash"), _mark(row["published bound"], y, theme.BOUND, "dot")]
        words.append({"x": 0.01, "y": y + 0.36, "xref": "paper", "text": text, "showarrow": False, "xanchor": "left"})
        if result.moves is None:
            continue
        here = np.maximum(result.moves.here[place], _LEAST_MOVE)
        hover = f"one of the parties: %{{x:.2~g}}<extra>{text}</extra>"
        traces.append(_dots(here, y, colour, "circle", hover))
        hover = f"all rows tied: %{{x:.3~g}}<extra>{text}</extra>"
        traces.append(_dots(np.array([row["all rows tied"]]), y, colour, "diamond-open", hover))
    return theme.figure(
        *(traces or [theme.holder(1.0, -9.0)]),
        margin=_MARGIN | {"l": 16},
        title=theme.title("How far one party moves the weights"),
        shapes=shapes,
        annotations=[*words, *_legend_of_moves()],
        xaxis=_moves_axis(),
        yaxis={"range": [-0.95, 1.6], "showticklabels": False, "showgrid": False, "zeroline": False},
    )


_LEAST_MOVE = 1e-5


def _moves_axis() -> dict:
    """A log axis with a place for "not at all" at its left end."""
    axis = _log_axis("distance (log scale; left: none)", _LEAST_MOVE / 1.5, 3e4)
    return axis | {"ticktext": ["none", *axis["ticktext"][1:]]}


def _mark(x: float, y: float, colour: str, dash: str) -> dict:
    style = {"color": colour, "width": 2.2, "dash": dash}
    return {"type": "line", "x0": x, "x1": x, "y0": y - 0.24, "y1": y + 0.24, "line": style}


def _dots(x: np.ndarray, y: float, colour: str, symbol: str, hover: str) -> dict:
    marker = {"color": colour, "size": 10, "symbol": symbol, "line": {"width": 2, "color": colour}, "opacity": 0.75}
    return theme.scatter(x, np.full(len(x), y), mode="markers", marker=marker, hovertemplate=hover)


def _legend_of_moves() -> list[dict]:
    text = (
        "● some of these parties   ◇ with all rows tied<br>"
        f"{theme.ink('╏ bound', theme.BOUND)}   {theme.ink('┇ published', theme.BOUND)}"
    )
    return [_corner(text, 0.01) | {"align": "left"}]


def noise(result: PartiesResult) -> dict:
    """The mean norm of the noise over the number of parties, beside the weights that it is added to."""
    traces = []
    releases = [name for name in ("vote", "average", "soft") if name in result.methods]
    places = np.array(NOISE_AT)
    ends = places[[0, -1]]
    for name in releases:
        text, colour = STYLES[name]
        heights = result.noise_norms(name)
        hover = f"%{{x:,.0f}} parties: %{{y:.3~g}}<extra>noise, {text}</extra>"
        traces.append(theme.line(places, heights, colour=colour, name=text, hovertemplate=hover))
        hover = f"%{{y:.3~g}}<extra>the weights themselves, {text}</extra>"
        signal = np.full(2, result.signal_norm(name))
        traces.append(theme.line(ends, signal, colour=colour, name="weights", dash="dot", hovertemplate=hover))
    note = {"xref": "paper", "yref": "paper", "x": 0.99, "y": 0.99, "xanchor": "right", "yanchor": "top"}
    return theme.figure(
        *traces,
        margin=_MARGIN | {"l": 76},
        title=theme.title(f"Noise over parties, epsilon {_epsilon(result)}"),
        shapes=[theme.rule(result.settings.parties)],
        annotations=[note | {"text": "dotted: the weights themselves", "showarrow": False, "font": {"size": 11}}],
        xaxis=_parties_axis(),
        yaxis=_log_axis("norm (log scale)", 1e-4, 3e7),
    )


def bound(result: PartiesResult) -> dict:
    """The published bound on the soft release's excess risk, beside the measured one."""
    at, spread = result.excess()
    low, median, high = np.maximum(spread, _LEAST_RISK)
    colour = STYLES["soft"][1]
    hover = "%{x:,.0f} parties: %{y:.2~g} nats<extra>measured</extra>"
    traces = [
        theme.band(at, low, high, colour=colour),
        theme.line(at, median, colour=colour, name="measured", hovertemplate=hover),
    ]
    words = [_corner(f"{theme.ink('measured', colour)} (trained now)", 0.01)]
    if result.bound is None:
        words.append(_corner("The theorem is about two classes.", 0.12))
    else:
        words.append(_corner(f"{theme.ink('theorem 4', theme.BOUND)} (bound); dotted: its parts", 0.12))
        traces += _bound_lines(result)
    return theme.figure(
        *traces,
        margin=_MARGIN | {"l": 76},
        title=theme.title("Excess risk of soft labels, and its bound"),
        shapes=[theme.rule(result.settings.parties)],
        annotations=words,
        xaxis=_parties_axis(),
        yaxis=_log_axis("nats (log scale)", _LEAST_RISK, 1e9),
    )


def _bound_lines(result: PartiesResult) -> list[dict]:
    bound, lines = result.bound, []
    for name, dash in (("total", "dash"), ("noise", "dot"), ("rows", "dot")):
        text = {"total": "theorem 4", "noise": "its noise part", "rows": "its part for public rows"}[name]
        hover = f"%{{x:,.0f}} parties: %{{y:.2~g}} nats<extra>{text}</extra>"
        values = np.clip(bound[name], _LEAST_RISK, 1e12)
        style = {"color": theme.BOUND, "width": 2 if name == "total" else 1.2, "dash": dash}
        more = {"name": text, "line": style, "hovertemplate": hover}
        lines.append(theme.line(bound["parties"], values, colour=theme.BOUND, **more))
    return lines


def _corner(text: str, y: float) -> dict:
    return theme.word(text, x=0.01, y=y, xref="paper", yref="paper", xanchor="left", yanchor="bottom")


def answers(result: PartiesResult) -> dict:
    """Right answers when each question gets its own noise, over the number of questions; one model answers for ever."""
    x, soft = np.array(QUERIES, dtype=float), result.summary["soft"]
    text, colour = STYLES["soft"]
    ends = x[[0, -1]]
    hover = "%{x:,} questions: %{y:.3g} in 100<extra>noisy votes, one by one</extra>"
    asked = STYLES["pate"][1]
    return theme.figure(
        theme.band(ends, np.full(2, 100 * soft.low), np.full(2, 100 * soft.high), colour=colour),
        theme.line(ends, np.full(2, 100 * soft.median), colour=colour, name=text),
        theme.line(
            x,
            100 * result.answered,
            colour=asked,
            name="noisy votes",
            hovertemplate=hover,
        ),
        margin=_MARGIN,
        title=theme.title("Answers until the budget is gone"),
        shapes=[_rail(100 * result.chance)],
        annotations=[
            _word("one released model (soft)", 100 * soft.median, x=0.99, colour=colour, below=soft.median > 0.6),
            _word("noisy votes, one by one", 100 * result.chance, x=0.01, colour=asked),
        ],
        xaxis=_log_axis("questions in all (log scale)", 0.9, 55_000),
        yaxis={"title": {"text": "right in 100"}, "range": [0, 103]},
    )


def _tick(value: float) -> str:
    power = round(np.log10(value))
    return f"10<sup>{power}</sup>" if abs(power) > 4 else f"{value:,.4f}".rstrip("0").rstrip(".")


_log_axis = partial(theme.log_axis, most=7, word=_tick)
