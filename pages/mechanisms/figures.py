"""One number in two worlds, as it is published, and what it means: posterior, tests, errors, and who wins a choice."""

import math

import numpy as np

from pages.mechanisms.experiment import NUMBER_MECHANISMS, MechanismsResult
from pages.mechanisms.work import EPSILON_RANGE
from ui.plot import theme

# The tall pictures in the first row, in CSS pixels.
TALL = 440
# Room under the words of one row, above the title of the next.
MARGIN = {"l": 52, "r": 12, "t": 34, "b": 58}
WORLDS = ((theme.WITHOUT_YOU, "without you"), (theme.WITH_YOU, "with you"))
_LEAST_DELTA = 1e-12
_DASHES = {"laplace": "solid", "gaussian": "dash", "classical": "dot"}
_SHARE = {"range": [0, 1], "tickvals": [0, 0.25, 0.5, 0.75, 1], "ticktext": ["0", "25", "50", "75", "100"]}
_EPSILONS = theme.epsilon_axis(*EPSILON_RANGE) | {"title": {"text": "epsilon (log scale)", "standoff": 8}}


def release(result: MechanismsResult) -> dict:
    """Both densities with the releases so far under them, and below, over the same outputs, their log-ratio."""
    x, epsilon = result.outputs, result.settings.epsilon
    densities = result.worlds.densities(x)
    top = _ladder(1.02 * max(density.max() for density in densities))
    return theme.figure(
        *(_density(x, y, *world) for y, world in zip(densities, WORLDS, strict=True)),
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


def _density(x: np.ndarray, y: np.ndarray, colour: str, name: str) -> dict:
    """One world's density, filled: where the two colours mix, nobody can tell."""
    hover = f"%{{x:.5g}}: density %{{y:.3g}}<extra>{name}</extra>"
    more = {"fill": "tozeroy", "fillcolor": theme.rgba(colour, 0.16), "hovertemplate": hover}
    return theme.line(x, y, colour=colour, name=name, **more)


def _marks(result: MechanismsResult, top: float) -> list[dict]:
    """The releases so far as faint strokes, the newest as a diamond, here and on the log-ratio."""
    *earlier, now = result.sequence["output"]
    ratio = result.last["log ratio"]
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
    style = {"colour": theme.BOUND, "width": 1.5, "dash": "dash", "yref": "y2"}
    return [theme.level(level, **style) for level in (epsilon, -epsilon)]


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
    """A small title inside of a figure."""
    return theme.word(text, x=0, y=y, size=13, xref="paper", xanchor="left", yref="paper", yanchor="bottom")


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
    for truth, (places, heights), (colour, name), side in zip(truths, stacks, WORLDS, (-1, 1), strict=True):
        inside = np.zeros(len(places), bool)
        inside[3:48] = True  # the 5 % quantile is the third dot, the 95 % quantile the last of the 45
        for part, symbol in ((inside, "circle"), (~inside, "circle-open")):
            marker = {"symbol": symbol, "size": size, "color": colour, "line": {"width": 1.2, "color": colour}}
            said = f"about %{{x:.4g}}<extra>{name}</extra>"
            x, y = truth + places[part], side * (heights[part] - 0.3)
            traces.append(theme.scatter(x, y, mode="markers", marker=marker, hovertemplate=said))
    return theme.figure(
        *traces,
        margin=MARGIN,
        title=theme.title(f"45 of 50 releases are within ±{result.worlds.within:.3g}"),
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


def posterior(result: MechanismsResult) -> dict:
    """What one release may do to a prior: the promised band, and what this release did."""
    prior = result.settings.prior
    grid = np.linspace(0.001, 0.999, 99)
    low, high = result.posterior_range(grid)
    low_end, high_end = (float(end) for end in result.posterior_range(prior))
    after = float(result.last["posterior"])
    return theme.figure(
        _diagonal(rising=True),
        margin=MARGIN,
        title=theme.title(f"Your {100 * prior:.3g} in 100 becomes {100 * after:.3g}"),
        xaxis=_SHARE | {"title": {"text": "you are in: before, in 100", "standoff": 8}},
        yaxis=_SHARE | {"title": {"text": "after this release, in 100"}},
        shapes=[
            *_promised_band(grid, low, high),
            theme.rule(prior) | {"yref": "y", "y0": low_end, "y1": high_end},
            theme.diamond(prior, after),
        ],
    )


def _promised_band(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[dict]:
    """The area between two curves, and both as lines: shapes, because they move with every epsilon."""
    paths = ["L".join(f"{at:.4g},{y:.5g}" for at, y in zip(x, curve, strict=True)) for curve in (low, high)]
    back = "L".join(reversed(paths[1].split("L")))
    base = {"type": "path", "xref": "x", "yref": "y", "layer": "below"}
    line = {"color": theme.BOUND, "width": 2, "dash": "dash"}
    area = base | {"path": f"M{paths[0]}L{back}Z", "fillcolor": theme.rgba(theme.BOUND, 0.18), "line": {"width": 0}}
    return [area, *(base | {"path": f"M{path}", "line": line} for path in paths)]


def _diagonal(*, rising: bool) -> dict:
    """Where nothing is learnt."""
    ends = np.array([0.0, 1.0])
    style = {"colour": theme.NON_PRIVATE, "dash": "dot", "hoverinfo": "skip"}
    return theme.line(ends, ends if rising else 1 - ends, name="nothing learnt", **style)


def trade_off(result: MechanismsResult) -> dict:
    """Misses against false alarms of the best tests, what the promise leaves at least, and the reader's best point."""
    alpha, misses, promised = result.trade_off.values()
    alarms, missed, right = result.worlds.attacker(result.settings.prior)
    curve = "of those out, accused: %{x:.3f}<br>of those in, missed: %{y:.3f}<extra></extra>"
    return theme.figure(
        _diagonal(rising=False),
        theme.line(alpha, promised, colour=theme.BOUND, name="promised", dash="dash", hoverinfo="skip"),
        theme.line(alpha, misses, colour=theme.PRIVATE, name="this noise", hovertemplate=curve),
        margin=MARGIN,
        title=theme.title(f"With your prior: right {_in_hundred(right)} in 100"),
        xaxis=_SHARE | {"range": [-0.02, 1.02], "title": {"text": "false alarms, in 100", "standoff": 8}},
        yaxis=_SHARE | {"range": [-0.02, 1.02], "title": {"text": "misses, in 100"}},
        shapes=[theme.diamond(alarms, missed)],
    )


def _in_hundred(share: float) -> str:
    return f"{100 * share:.1f}" if share > 0.99 else f"{100 * share:.0f}"


def profile(result: MechanismsResult) -> dict:
    """The delta that this noise needs at each epsilon, and the pair that was promised."""
    (epsilons, deltas), epsilon = result.profile.values(), result.settings.epsilon
    promised = max(result.claim.delta, 2 * _LEAST_DELTA)
    cross = {"symbol": "x", "size": 10, "color": theme.BOUND}
    needed = f"{result.claim.needed_delta:.2g}" if result.claim.needed_delta >= _LEAST_DELTA else "0"
    return theme.figure(
        theme.line(
            epsilons,
            np.maximum(deltas, _LEAST_DELTA / 10),
            colour=theme.PRIVATE,
            name="needed",
            hovertemplate="epsilon %{x:.3g} needs delta %{y:.2g}<extra></extra>",
        ),
        theme.scatter(
            np.array([epsilon]),
            np.array([promised]),
            mode="markers",
            marker=cross,
            cliponaxis=False,
            hovertemplate=f"promised: epsilon %{{x:.3g}}, delta {result.claim.delta:.2g}<extra></extra>",
        ),
        margin=MARGIN,
        title=theme.title(f"Delta that it needs here: {needed}"),
        xaxis=_EPSILONS,
        yaxis={
            "type": "log",
            "range": [math.log10(_LEAST_DELTA), 0.3],
            "tickvals": [1e-12, 1e-9, 1e-6, 1e-3, 1],
            "ticktext": ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "1"],
            "title": {"text": "delta (log scale)"},
        },
        shapes=[theme.rule(epsilon)],
    )


def errors(result: MechanismsResult) -> dict:
    """Nine releases in ten fall within plus or minus this, over epsilon; vermilion where a claim does not hold."""
    settings, curves = result.settings, result.errors
    unit, epsilons = settings.sensitivity, result.errors.epsilons
    traces = []
    for name, within in curves.within.items():
        broken = (epsilons >= curves.crossing) & (name == "classical")
        style = {"dash": _DASHES[name], "opacity": 1.0 if name == settings.mechanism else 0.5}
        hover = f"epsilon %{{x:.3g}}: ±%{{y:.3g}}<extra>{NUMBER_MECHANISMS[name]}</extra>"
        style |= {"name": NUMBER_MECHANISMS[name], "hovertemplate": hover}
        traces.append(theme.line(epsilons, unit * np.where(broken, np.nan, within), colour=theme.PRIVATE, **style))
        if name == "classical":
            traces.append(theme.line(epsilons, unit * np.where(broken, within, np.nan), colour=theme.BOUND, **style))
    middle = math.floor(2 * math.log10(unit)) / 2
    return theme.figure(
        *traces,
        margin=MARGIN,
        title=theme.title(f"Nine releases in ten fall within ±{result.worlds.within:.3g}"),
        xaxis=_EPSILONS,
        yaxis={"type": "log", "range": [middle - 2.1, middle + 3.6], "dtick": 1, "tickformat": "~g"},
        shapes=[theme.rule(settings.epsilon), theme.diamond(settings.epsilon, result.worlds.within)],
        annotations=[_label(result, name, place) for place, name in enumerate(NUMBER_MECHANISMS)],
    )


def _label(result: MechanismsResult, name: str, place: int) -> dict:
    """A curve's name, listed with its dash at the top right."""
    dash = {"laplace": "—", "gaussian": "– –", "classical": "···"}[name]
    text = f"{dash} {NUMBER_MECHANISMS[name]}"
    text = f"<b>{text}</b>" if name == result.settings.mechanism else text
    corner = {"x": 1, "xref": "paper", "xanchor": "right", "y": 1 - 0.085 * place, "yref": "paper", "yanchor": "top"}
    return theme.word(text, size=12, **corner)


def choice(result: MechanismsResult) -> dict:
    """Who wins report-noisy-max, in both worlds."""
    columns, voted = result.choice, result.settings.voted
    names = [
        f"{option}: {answers:.0f}" + (" (+ you)" if place == voted else "")
        for place, (option, answers) in enumerate(zip(columns["option"], columns["answers"], strict=True))
    ]
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "x": theme.array(columns[world]),
            "y": names,
            "name": world,
            "marker": {"color": colour},
            "texttemplate": "%{x:.1%}",
            "textposition": "outside",
            "constraintext": "none",
            "textfont": {"size": 11},
            "cliponaxis": False,
            "hovertemplate": f"wins with chance %{{x:.3g}}<extra>{world}</extra>",
        }
        for colour, world in WORLDS
    ]
    return theme.figure(
        *bars,
        title=theme.title("Who wins the choice?"),
        barmode="group",
        bargap=0.25,
        margin=MARGIN | {"l": 92},
        xaxis=_SHARE | {"title": {"text": "wins, in 100 releases", "standoff": 8}, "range": [0, 1.2]},
        yaxis={"autorange": "reversed", "title": {"text": ""}},
    )
