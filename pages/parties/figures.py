"""The parties page's pictures: accuracy over epsilon and over parties, what each release decides in a plane, what one
party moves, noise against parties, the published bound, and answers one by one.
"""

from functools import partial

import numpy as np

from lab.boundaries import boundaries, votes
from lab.claims import Case, onwards
from pages.parties.experiment import LIMITS
from pages.parties.own import OWN
from pages.parties.result import NOISE_AT, QUERIES, PartiesResult
from ui.plot import columns, maps, theme
from ui.texts import Texts

SAYS = Texts(__file__)

# Method -> (name, colour), as what stands beside the methods. The page speaks of one of them; all are drawn.
STYLES = {
    "soft": ("soft labels", theme.PRIVATE),
    "vote": ("majority vote", theme.MAUVE),
    "average": ("averaged weights", theme.SAGE),
    "pate": ("PATE", theme.PINE),
}
WITHOUT = {
    "batch": ("all rows, non-private", theme.NON_PRIVATE),
    "local": ("single party", theme.GOLD),
}
# In a legend, about as they usually end.
_ORDER = ("batch", "pate", "soft", "average", "local", "vote")
_MARGIN = {"l": 62, "r": 12, "t": 54, "b": 44}
MAPS = ("soft", "vote", "average", "pate", "batch", "local")
_LEAST_RISK = 1e-4


def over_epsilon(result: PartiesResult) -> dict:
    """Accuracy over epsilon, with the names of all curves."""
    low, high = LIMITS["epsilon"]
    # Guessing among many classes is seldom right, and few parties do no better: the lower corner is not free then, and
    # room is made above.
    free = result.chance > 0.4 and result.settings.dataset != OWN
    legend, top = ("lower right", 103) if free else ("upper left", 166)
    return _accuracy(result, "epsilon", axis=theme.epsilon_axis(low, high), legend=legend, top=top)


def over_parties(result: PartiesResult) -> dict:
    """Accuracy over the number of parties, at today's epsilon."""
    return _accuracy(result, "parties", axis=_parties_axis(result.settings.places[-1]))


def _parties_axis(most: float = LIMITS["parties"][1]) -> dict:
    """Up to ``most`` parties; ticks at 2, 5, 10 where there are few."""
    axis = _log_axis("parties (log scale)", LIMITS["parties"][0] / 1.15, most * 1.15)
    if most > 100:
        return axis
    ticks = [tick for tick in (2, 3, 5, 10, 20, 50) if tick <= most]
    return axis | {"tickvals": ticks, "ticktext": list(map(str, ticks))}


def _accuracy(result: PartiesResult, over: str, *, axis: dict, legend: str | None = None, top: int = 103) -> dict:
    """The chosen release with nine runs in ten, a stroke for each run at what is now, and what else there is."""
    settings = result.settings
    now, own, style = getattr(settings, over), settings.method, STYLES[settings.method]
    at, (low, _, high) = result.curve(own, over)
    traces = [theme.band(at, 100 * low, 100 * high, colour=style[1])]
    traces += [_curve(result, name, over, axis) for name in _ORDER if name in (*WITHOUT, *result.methods)]
    # Classes of a file are seldom as many each: the better answer for all is what a model has to beat
    level, word = (result.constant[1], "majority class") if settings.dataset == OWN else (result.chance, "chance")
    shown = 100 * result.now.accuracy[result.methods.index(own)]
    return theme.figure(
        *traces,
        title=theme.title(SAYS[f"chart.{over}"], finding(result, over)),
        legend=legend,
        shapes=[
            _rail(100 * level),
            theme.rule(now),
            theme.strokes(shown, x=now, ends=(1, 9), colour=style[1]),
            theme.dot(now, 100 * result.summary[own].median, colour=style[1]) | {"name": theme.GHOST},
        ],
        annotations=[_word(word, 100 * level)],
        xaxis=axis,
        yaxis={"title": {"text": "test accuracy, %"}, "range": [0, top], "tickvals": [0, 20, 40, 60, 80, 100]},
    )


def _curve(result: PartiesResult, name: str, over: str, axis: dict) -> dict:
    """The middle run of a release over epsilon or parties; or what is the same whatever they are."""
    where = "epsilon %{x:.3~g}" if over == "epsilon" else "%{x:,.0f} parties"
    text, colour = WITHOUT.get(name) or STYLES[name]
    hover = {"hovertemplate": f"{where}: %{{y:.1f}} %<extra>{text}</extra>"}
    if name in WITHOUT:
        level = result.batch_accuracy if name == "batch" else result.local.median
        shown = theme.key(text, theme.percent(level))
        ends = 10.0 ** np.array(axis["range"])
        return theme.line(ends, np.full(2, 100 * level), colour=colour, name=shown, **hover)
    at, (_, median, _) = result.curve(name, over)
    own = name == result.settings.method
    style = {"line": {"color": colour, "width": 3 if own else 1.6, "dash": theme.DASHES[colour]}} | (
        {"meta": theme.GHOST} if own else {}
    )
    shown = theme.key(text, theme.percent(result.summary[name].median))
    return theme.line(at, 100 * median, colour=colour, name=shown, **style, **hover)


def finding(result: PartiesResult, over: str) -> str:
    """Return from where on the chosen release is shown to beat a party alone; or how far the curve has come."""
    own, places = result.settings.method, result.places(over)
    at, _ = result.curve(own, over)
    if len(at) < len(places):
        return SAYS("finding.trained", done=len(at), places=len(places))
    if not result.complete:
        return SAYS("finding.so_far", asked=result.asked, parties=result.settings.parties)
    cases = result.joining_over(over)
    since, found = onwards([*cases.values()]), [*cases]
    if since < len(cases):
        return SAYS("finding.from" if since else "finding.everywhere", since=found[since])
    return SAYS["finding.harms" if set(cases.values()) == {Case.BEHIND} else "finding.unshown"]


def _rail(y: float) -> dict:
    return theme.level(y, colour=theme.NON_PRIVATE, width=1, dash="dash")


def _word(text: str, y: float, *, x: float = 0.01, colour: str | None = None, below: bool = True) -> dict:
    """A word beside a level line, at a share of the picture's width."""
    place = {"x": x, "y": y, "xref": "paper", "yref": "y", "xanchor": "left" if x < 0.5 else "right"}
    font = {"size": 12} | ({"color": theme.INKS.get(colour, colour)} if colour else {})
    return place | {"text": text, "showarrow": False, "yanchor": "top" if below else "bottom", "font": font}


def shown_maps(result: PartiesResult) -> tuple[str, ...]:
    """Return which maps there are: averages only of parties that have weights."""
    return tuple(name for name in MAPS if name in (*result.methods, "batch", "local"))


def decisions(result: PartiesResult, name: str) -> dict:
    """Draw what a method's repeats decide, with the boundary of each; or what the parties decide one by one."""
    plane = result.settings.plane
    if name == "local":
        found, level, lines = result.locals_agree, result.local.median, np.empty((0, 2, 2))
    else:
        weights = result.plane_weights(name)
        found, lines = votes(weights, plane, size=48), boundaries(weights, plane)
        level = result.batch_accuracy if name == "batch" else result.summary[name].median
    text, colour = WITHOUT.get(name) or STYLES[name]
    return maps.decided(
        result.shown,
        plane,
        *found,
        boundaries=[maps.boundary(plane, lines, colour=colour, width=1.1) | {"name": theme.GHOST}],
        title=theme.title(text[0].upper() + text[1:], theme.percent(level)),
    )


def weights(result: PartiesResult) -> dict:
    """Draw what each input says for the last of two classes, or how far it moves several apart: a dot for each
    release."""
    two = len(result.classes) == 2
    last = columns.short(result.classes[-1])
    return columns.dots(
        leading(result),
        model="release",
        title=theme.title(SAYS["chart.weights"], SAYS("chart.towards" if two else "chart.range", answer=last)),
        axis="weight" if two else "largest minus smallest weight",
    )


def leading(result: PartiesResult) -> columns.Leading:
    """The inputs of the largest weights of the chosen release."""
    mine = result.now.weights[result.methods.index(result.settings.method)]
    return columns.leading(result.settings.own.source.features, _of_inputs(mine), _of_inputs(result.batch))


def _of_inputs(found: np.ndarray) -> np.ndarray:
    """(..., k, d + 1) -> (..., d): of two classes the weight for the second, of several the range."""
    inputs = found[..., :-1]
    return inputs[..., 0, :] if inputs.shape[-2] == 1 else np.ptp(inputs, axis=-2)


def one_party(result: PartiesResult) -> dict:
    """Draw how far one party that turns around moves the weights: tried here, in the worst case, and by the bounds."""
    traces, shapes, words = [], [], []
    for place, (y, row) in enumerate(zip((1.0, 0.0), result.movements, strict=True)):
        text, colour = STYLES[row["release"]]
        shapes += [_mark(row["bound"], y, theme.BOUND, "dash"), _mark(row["published bound"], y, theme.BOUND, "dot")]
        words.append(theme.word(text, x=0.01, y=y + 0.36, size=13, xref="paper", xanchor="left"))
        if result.moves is None:
            continue
        here = np.maximum(result.moves.here[place], _LEAST_MOVE)
        hover = f"one of the parties: %{{x:.2~g}}<extra>{text}</extra>"
        traces.append(_dots(here, y, colour, "circle", hover))
        hover = f"all rows tied: %{{x:.3~g}}<extra>{text}</extra>"
        traces.append(_dots(np.array([row["all rows tied"]]), y, colour, "diamond-open", hover))
    return theme.figure(
        *(traces or [theme.holder(1.0, -9.0)]),
        margin=_MARGIN | {"l": 16, "t": 34},
        title=theme.title(SAYS["chart.one_party"], _steadier(result)),
        shapes=shapes,
        annotations=[*words, *_legend_of_moves()],
        xaxis=_moves_axis(),
        yaxis={"range": [-0.95, 1.6], "showticklabels": False, "showgrid": False, "zeroline": False},
    )


def _steadier(result: PartiesResult) -> str:
    """Return how many times less one party can move soft labels than a majority vote."""
    times = result.sensitivity("vote") / result.sensitivity("soft")
    return SAYS("chart.steadier", times=times) if times >= 2 else ""


_LEAST_MOVE = 1e-5


def _moves_axis() -> dict:
    """A log axis with a place for "not at all" at its left end."""
    axis = _log_axis("change of the weights (log scale)", _LEAST_MOVE / 1.5, 3e4)
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
        f"{theme.ink('╏ upper bound', theme.BOUND)}   {theme.ink('┇ as published', theme.BOUND)}"
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
        hover = f"%{{x:,.0f}} parties: %{{y:.3~g}}<extra>noise, {text}</extra>"
        shown = theme.key(text, theme.number(result.noise_norm(name)))
        traces.append(theme.line(places, result.noise_norms(name), colour=colour, name=shown, hovertemplate=hover))
        hover = f"%{{y:.3~g}}<extra>the weights themselves, {text}</extra>"
        signal = np.full(2, result.signal_norm(name))
        style = {"dash": "dot", "showlegend": False, "hovertemplate": hover}
        traces.append(theme.line(ends, signal, colour=colour, name=f"weights, {text}", **style))
    return theme.figure(
        *traces,
        margin=_MARGIN | {"l": 76},
        title=theme.title(SAYS["chart.noise"], SAYS["chart.dotted"]),
        legend="upper right",
        shapes=[theme.rule(result.settings.parties)],
        xaxis=_parties_axis(),
        yaxis=_log_axis("length (log scale)", 1e-4, 3e7),
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
    if result.bound is not None:
        traces += _bound_lines(result)
    return theme.figure(
        *traces,
        margin=_MARGIN | {"l": 76},
        title=theme.title(SAYS["chart.bound"], "" if result.bound else SAYS["chart.two_classes"]),
        legend="upper right",
        shapes=[theme.rule(result.settings.parties)],
        xaxis=_parties_axis(),
        yaxis=_log_axis("nats (log scale)", _LEAST_RISK, 1e9),
    )


def _bound_lines(result: PartiesResult) -> list[dict]:
    bound, lines = result.bound, []
    for name, dash in (("total", "dash"), ("noise", "dot"), ("rows", "dot")):
        text = {"total": "Theorem 4, upper bound", "noise": "its noise part", "rows": "its public-row part"}[name]
        hover = f"%{{x:,.0f}} parties: %{{y:.2~g}} nats<extra>{text}</extra>"
        values = np.clip(bound[name], _LEAST_RISK, 1e12)
        style = {"color": theme.BOUND, "width": 2 if name == "total" else 1.2, "dash": dash}
        more = {"name": text, "line": style, "hovertemplate": hover, "showlegend": name == "total"}
        lines.append(theme.line(bound["parties"], values, colour=theme.BOUND, **more))
    return lines


def _corner(text: str, y: float) -> dict:
    return theme.word(text, x=0.01, y=y, size=12, xref="paper", yref="paper", xanchor="left", yanchor="bottom")


def answers(result: PartiesResult) -> dict:
    """Right answers when each question gets its own noise, over the number of questions; one model answers for ever."""
    x, soft = np.array(QUERIES, dtype=float), result.summary["soft"]
    text, colour = STYLES["soft"]
    ends, level = x[[0, -1]], np.full(2, 100 * soft.median)
    case = "chart.worth" if result.worth else "chart.worthless"
    hover = "%{x:,} queries: %{y:.1f} %<extra>noisy votes, one by one</extra>"
    released = f"%{{y:.1f}} %<extra>one released model ({text})</extra>"
    return theme.figure(
        theme.band(ends, np.full(2, 100 * soft.low), np.full(2, 100 * soft.high), colour=colour),
        theme.line(ends, level, colour=colour, name="one released model", hovertemplate=released),
        theme.line(x, 100 * result.answered, colour=STYLES["pate"][1], name="one by one", hovertemplate=hover),
        margin=_MARGIN,
        title=theme.title(SAYS["chart.answers"], SAYS(case, queries=result.worth)),
        legend="lower left",
        shapes=[_rail(100 * result.chance)],
        annotations=[_word("chance", 100 * result.chance, x=0.99)],
        xaxis=_log_axis("number of queries (log scale)", 0.9, 55_000),
        yaxis={"title": {"text": "test accuracy, %"}, "range": [0, 103]},
    )


def _tick(value: float) -> str:
    power = round(np.log10(value))
    return f"10<sup>{power}</sup>" if abs(power) > 4 else f"{value:,.4f}".rstrip("0").rstrip(".")


_log_axis = partial(theme.log_axis, most=7, word=_tick)
