"""Charts of the planner: where a target is reached, which parameter matters, two parameters at once, and the tries.

``say``: the module of their texts, ``words``.
"""

import math
from collections.abc import Iterable, Sequence
from types import ModuleType

import numpy as np

from pages.what_if.measured import Axis, Effect
from pages.what_if.result import WhatIfResult
from ui.plot import theme
from ui.texts import Texts

SAYS = Texts(__file__)

# Of the scale of the map, and of the picture of it in pixels.
_SHADES, _PIXELS = 64, 240
# Bars and words of the chart of knobs: the height of a bar, in rows; the most rows; points that hear a click in each.
_BAR, _ROWS, _HEARD = 0.36, 7, 24
# Letters of a knob's name beside its bars.
_LONGEST = 16
_STAR = "M0,-9L2.4,-2.9L8.6,-2.8L3.6,1.1L5.3,7.3L0,3.7L-5.3,7.3L-3.6,1.1L-8.6,-2.8L-2.4,-2.9Z"


def curve(result: WhatIfResult, say: ModuleType) -> dict:
    """The measure along the knob, the target, and where it is crossed."""
    settings = result.settings
    drawn = [*_rival(result, say), *_runs(result, say)]
    low, high = _range(result)
    across = settings.axis(settings.along)
    return theme.figure(
        *drawn,
        title=theme.title(say.title(result), _progress(result, say) or say.finding(result)),
        legend=_corner(result),
        xaxis=_axis(across, say.low(settings.along), most=9),
        yaxis={"title": {"text": say.upwards(settings)}} | _upwards(low, high),
        shapes=_crossing(result),
        annotations=_words(result, say, low, high),
    )


def _runs(result: WhatIfResult, say: ModuleType) -> list[dict]:
    """The median of the base's runs, where nine in ten lie, and what nine in ten reach."""
    settings, (x, runs, _) = result.settings, result.curve
    y, name, hover = settings.scale * runs, say.label(settings.along), say.hover(settings)
    median = theme.line(
        x,
        settings.scale * result.curve.medians,
        colour=theme.PRIVATE,
        name=SAYS["chart.a" if settings.asks == "versus" else "chart.median"],
        hovertemplate=f"{name} %{{x}}: {hover}<extra>{SAYS['chart.median']}</extra>",
    )
    if settings.exact:
        return [median | {"name": say.noun(settings)}]
    least, _, most = settings.scale * result.curve.quantiles
    area = theme.band(x, least, most, colour=theme.PRIVATE)
    if settings.asks == "versus":
        return [area, median]
    sure = np.quantile(y, 1 - settings.most if settings.asked.better == "higher" else settings.most, axis=1)
    reached = theme.line(
        x,
        sure,
        colour=theme.PRIVATE,
        name=SAYS["chart.reached"],
        dash="dash",
        hovertemplate=f"{name} %{{x}}: {hover}<extra>{SAYS['chart.reached']}</extra>",
    )
    reached["line"]["width"] = 1.6
    return [area | {"name": SAYS["chart.range"], "showlegend": True}, median, reached]


def _rival(result: WhatIfResult, say: ModuleType) -> list[dict]:
    """The median of the other setting's runs, where that is asked for."""
    settings = result.settings
    if settings.asks != "versus":
        return []
    x, y = result.rival.values, settings.scale * result.rival.medians
    hover = f"{say.label(settings.along)} %{{x}}: {say.hover(settings)}<extra>B</extra>"
    return [theme.line(x, y, colour=theme.PRIVATE, name=SAYS["chart.b"], dash="dash", hovertemplate=hover)]


def _range(result: WhatIfResult) -> tuple[float, float]:
    """Return what the axis upwards shows, in the unit that is shown; steady while the picture refines."""
    settings, scale = result.settings, result.settings.scale
    shown = [result.curve.quantiles[[0, 2]].ravel(), [settings.goal]]
    if settings.asks == "versus" and len(result.rival.values):
        shown.append(result.rival.medians)
    values = scale * np.concatenate(shown)
    low, high = float(values.min()), float(values.max())
    if settings.asked.unit == "%":
        least, most = (scale * end for end in settings.asked.limits)
        return max(least, 10 * math.floor((low - 2) / 10)), min(most, 10 * math.ceil((high + 2) / 10))
    if low > 0 and high / low > 20:
        return tuple(10**end for end in theme.steady_range(low, high))
    return min(0.0, 1.1 * low), _rounded(1.05 * high)


def _rounded(value: float) -> float:
    """Up to two digits, of which the second is 0 or 5."""
    step = 10 ** math.floor(math.log10(value)) / 2 if value > 0 else 1.0
    return step * math.ceil(value / step)


def _upwards(low: float, high: float) -> dict:
    if low > 0 and high / low > 20:
        return {"type": "log", "range": [math.log10(low), math.log10(high)], "dtick": 1, "tickformat": "~g"}
    return {"range": [low, high]}


def _ticks(axis: Axis, most: int) -> list[float]:
    """Round values along a log axis, at most so many."""
    low, *_, high = axis.edges
    powers = range(math.floor(low), math.ceil(high) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        found = [digit * 10.0**power for power in powers for digit in digits]
        found = [value for value in found if low <= math.log10(value) <= high]
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]


def _room(axis: Axis, most: int) -> int:
    """Return for how many ticks there is room: long numbers take more."""
    return most if axis.values[-1] < 1000 else most * 2 // 3


def _tick(value: float) -> str:
    """A round value as an axis says it."""
    return f"{value:,.0f}" if value >= 1 else f"{value:g}".replace("e-0", "e-")


def _axis(axis: Axis, name: str, *, most: int) -> dict:
    """Return the axis of a parameter across a chart."""
    if not axis.log:
        return {"title": {"text": name}, "range": [axis.values[0], axis.values[-1]]}
    ticks = _ticks(axis, _room(axis, most))
    ends = [float(np.log10(axis.values[0])), float(np.log10(axis.values[-1]))]
    words = {"tickvals": ticks, "ticktext": [_tick(tick) for tick in ticks]}
    return {"title": {"text": f"{name} (log scale)"}, "type": "log", "range": ends} | words


def _corner(result: WhatIfResult) -> str:
    """The corner that the curves leave free: below where the measure gets larger to the right."""
    settings = result.settings
    up = (settings.asked.better == "higher") == (result.direction != "falls")
    return "lower right" if up else "upper right"


def _progress(result: WhatIfResult, say: ModuleType) -> str:
    """Return how far the curve has come, while it has."""
    done, all_of_it = len(result.curve.values), len(result.settings.around.curve)
    return SAYS("finding.trained", done=done, count=all_of_it) if done < all_of_it else ""


def _crossing(result: WhatIfResult) -> list[dict]:
    """The target, and where it is crossed: by the median run in orange, by nine in ten as a hollow mark."""
    settings = result.settings
    shapes = [theme.level(settings.target, colour=theme.BOUND, width=2, dash=theme.DASHES[theme.BOUND])]
    now = getattr(settings, settings.along)
    shapes.append(theme.dot(now, settings.scale * result.median(result.now), colour=theme.PRIVATE))
    if not settings.solving:
        return [*shapes, theme.rule(now)]
    for left, right in result.spans:
        shapes.append(_strip(left, right))
    main, sure = result.main, result.sure
    if main is not None:
        style = {"color": theme.BOUND, "width": 2, "dash": "solid"}
        shapes += [theme.rule(main) | {"line": style}, theme.dot(main, settings.target, colour=theme.BOUND)]
    if sure is not None and sure != main:
        hollow = theme.dot(sure, settings.target, colour=theme.PRIVATE)
        hollow |= {"fillcolor": "white", "line": {"width": 2, "color": theme.PRIVATE}}
        shapes += [theme.rule(sure), hollow]
    return shapes


def _strip(left: float, right: float) -> dict:
    """Values of the knob, from below to above."""
    colour = theme.rgba(theme.BOUND, 0.22)
    line = {"width": 0 if left < right else 3, "color": colour}
    fill = {"fillcolor": colour, "line": line, "layer": "below"}
    return {"type": "rect", "x0": left, "x1": right, "yref": "paper", "y0": 0, "y1": 1} | fill


def _words(result: WhatIfResult, say: ModuleType, low: float, high: float) -> list[dict]:
    """The target by its name; what the marks stand at."""
    settings = result.settings
    log = low > 0 and high / low > 20

    def up(value: float) -> float:
        return math.log10(value) if log else value

    target = theme.ink(f"<b>{say.tell(result, 'chart.target')}</b>", theme.BOUND)
    under = up(settings.target) > up(low) + 0.85 * (up(high) - up(low))
    place = {"xanchor": "left", "yanchor": "top" if under else "bottom"}
    words = [theme.word(target, x=0.01, xref="paper", y=up(settings.target), size=13, **place)]
    main, sure = result.main, result.sure
    sides = ("right", "left") if main is None or sure is None or main <= sure else ("left", "right")
    for value, side, colour in ((main, sides[0], theme.BOUND), (sure, sides[1], theme.NOW)):
        if value is None or (colour == theme.NOW and sure == main):
            continue
        words.append(_beside(result, say, value, side, colour))
    return words


def _beside(result: WhatIfResult, say: ModuleType, value: float, side: str, colour: str) -> dict:
    """A value of the knob, at the line that stands there: over the chart, or under the name of the axis upwards."""
    settings = result.settings
    axis = settings.axis(settings.along)
    x, (left, *_, right) = float(axis.place(value)), axis.edges
    share = (x - left) / (right - left)
    side = "left" if share < 0.12 else "right" if share > 0.88 else side
    text = theme.ink(f"<b>{say.answer(result, value)}</b>", colour)
    up = {"y": 1, "yanchor": "bottom"} if share > 0.4 else {"y": 0, "yanchor": "bottom"}
    return theme.word(text, x=x, yref="paper", size=13, xanchor=side, xshift=-4 if side == "right" else 4, **up)


# ---- which knob matters


def knobs(result: WhatIfResult, say: ModuleType) -> dict:
    """Draw what a step of each knob down and up does, the most important first; hatched where that may be nothing."""
    rows = [(knob, both) for knob, both in result.effects.items() if any(map(_acts, both))][:_ROWS]
    scale, bars = result.settings.scale, [one for _, both in rows for one in both]
    ends = [scale * end for one in bars for end in _stroke(one)] + [0.0]
    reach = max(map(abs, ends)) or 1.0
    left, right = min(*ends, -0.15 * reach), max(*ends, 0.15 * reach)
    longest = max((len(say.rough(result.settings, one.knob, one.value)) for one in bars), default=0)
    left, right = left - 0.02 * (right - left), right + (0.1 + 0.06 * longest) * (right - left)
    places = [_bar(result, row, one) for row, (_, both) in enumerate(rows) for one in both]
    shown = [one.difference.shown for one in bars]
    return theme.figure(
        *_heard(rows, result, say, left, right),
        *_values(rows, result, say),
        title=theme.title(SAYS["chart.knobs"], say.important(result)),
        margin={"l": _beside_names(say.label(knob) for knob, _ in rows), "r": 8, "t": 54, "b": 44},
        xaxis={"title": {"text": say.differences(result.settings)}, "range": [left, right], "nticks": 5},
        yaxis={"range": [max(len(rows), 1) - 0.5, -0.5], "visible": False},
        shapes=[
            _boxes([place for place, one in zip(places, shown, strict=True) if one], 0.8),
            _boxes([place for place, one in zip(places, shown, strict=True) if not one], 0.15),
            _hatched([place for place, one in zip(places, shown, strict=True) if not one], right - left),
            _whiskers(places, bars, scale),
            theme.level(0, colour=theme.NOW, width=1.2, dash="solid")
            | {"xref": "x", "yref": "paper", "x0": 0, "x1": 0, "y0": 0, "y1": 1},
        ],
        annotations=[note for row, (knob, _) in enumerate(rows) for note in _named(result, say, row, knob)],
    )


def _acts(one: Effect) -> bool:
    """Return whether a step does anything at all to these runs."""
    return bool(one.difference.median) or not one.difference.sure


def _beside_names(names: Iterable[str]) -> int:
    """The room for names of knobs, in pixels."""
    return 24 + 8 * min(_LONGEST, max(map(len, names), default=0))


def _bar(result: WhatIfResult, row: int, one) -> tuple[float, float, float]:
    """(end, top, bottom) of a bar that begins at 0: the way down above the way up."""
    down = one.value < getattr(result.settings, one.knob)
    top = row - _BAR if down else row + 0.02
    return result.settings.scale * one.difference.median, top, top + _BAR - 0.02


def _stroke(one) -> tuple[float, float]:
    """Return the label of a bar's whisker; its end alone where there are too few runs for an interval."""
    found = one.difference
    return (found.low, found.high) if found.bounded else (found.median, found.median)


def _boxes(places: Iterable[tuple[float, float, float]], opacity: float) -> dict:
    path = "".join(f"M0,{top:.3f}L{end:.5g},{top:.3f}L{end:.5g},{foot:.3f}L0,{foot:.3f}Z" for end, top, foot in places)
    edge = {"color": theme.PRIVATE, "width": 1}
    return {"type": "path", "path": path or "M0,0Z", "fillcolor": theme.rgba(theme.PRIVATE, opacity), "line": edge}


def _hatched(places: Iterable[tuple[float, float, float]], width: float) -> dict:
    """Strokes across bars that may be nothing, a hundredth of the chart apart."""
    path, step = "", width / 50
    for end, top, foot in places:
        side = math.copysign(1, end)
        for at in np.arange(step / 2, abs(end), step):
            path += f"M{side * at:.5g},{foot:.3f}L{side * min(at + step, abs(end)):.5g},{top:.3f}"
    return {"type": "path", "path": path or "M0,0Z", "line": {"color": theme.PRIVATE, "width": 1}}


def _whiskers(places: Sequence[tuple[float, float, float]], bars: Sequence, scale: float) -> dict:
    path = ""
    for (_, top, foot), one in zip(places, bars, strict=True):
        middle = (top + foot) / 2
        low, high = (scale * end for end in _stroke(one))
        if low < high:
            path += f"M{low:.5g},{middle:.3f}L{high:.5g},{middle:.3f}"
    return {"type": "path", "path": path or "M0,0Z", "line": {"color": theme.NOW, "width": 1.4}}


def _named(result: WhatIfResult, say: ModuleType, row: int, knob: str) -> list[dict]:
    """The name of a knob beside its bars, and where it is now."""
    place = {"xref": "paper", "xanchor": "right", "xshift": -8, "align": "right"}
    now = say.at(result.settings, knob, getattr(result.settings, knob))
    name = say.label(knob)
    short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1].rstrip()}…"
    text = f"<b>{short}</b><br>now {now}"
    return [theme.word(text, x=0, y=row, size=13, **place)]


def _values(rows: Sequence, result: WhatIfResult, say: ModuleType) -> list[dict]:
    """Return to what each bar moves its knob, beside it."""
    found = {"x": [], "y": [], "text": []}
    for row, (knob, both) in enumerate(rows):
        for one in both:
            end, top, foot = _bar(result, row, one)
            arrow = "↓" if one.value < getattr(result.settings, knob) else "↑"
            found["x"].append(max(0.0, end, result.settings.scale * _stroke(one)[1]))
            found["y"].append((top + foot) / 2)
            found["text"].append(f"\u00a0{arrow}\u00a0{say.rough(result.settings, knob, one.value)}")
    style = {"mode": "text", "text": found["text"], "textposition": "middle right", "textfont": {"size": 13}}
    more = {"hoverinfo": "skip", "cliponaxis": False}
    return [theme.scatter(np.array(found["x"]), np.array(found["y"]), **style, **more)] if rows else [theme.holder()]


def _heard(rows: Sequence, result: WhatIfResult, say: ModuleType, left: float, right: float) -> list[dict]:
    """Points all along each bar, unseen, that hear a click and say what the bar is."""
    x, y, names, said = [], [], [], []
    for row, (knob, both) in enumerate(rows):
        for one in both:
            _, top, foot = _bar(result, row, one)
            x += np.linspace(left, right, _HEARD).tolist()
            y += [(top + foot) / 2] * _HEARD
            names += [knob] * _HEARD
            said += [say.bar(result, one)] * _HEARD
    if not rows:
        return []
    style = {"mode": "markers", "marker": {"size": 6, "opacity": 0}, "customdata": names, "text": said}
    return [theme.scatter(np.array(x), np.array(y), hovertemplate="%{text}<extra></extra>", **style)]


# ---- two knobs


def both(result: WhatIfResult, say: ModuleType) -> dict:
    """The median over two knobs; cells that are still to be trained are blank."""
    settings, (across, up) = result.settings, result.settings.axes
    shapes, words = _lines(result, say)
    key_shapes, key_words = _key(result, say)
    return theme.figure(
        _cells(result, say),
        title=theme.title(SAYS["chart.map"], say.map_finding(result)),
        images=[_image(result)],
        xaxis=_places(across, say.low(settings.along), most=6),
        yaxis=_places(up, say.low(settings.upwards), most=7),
        margin={"l": 48, "r": 12, "t": 54, "b": 44},
        shapes=[*key_shapes, *shapes, *_marks(result)],
        annotations=[*key_words, *words, *_mark_words(result, say)],
    )


def clicks(result: WhatIfResult) -> dict:
    """A click on a place of the map goes there."""
    x, y = ([float(axis.edges[0]), float(axis.edges[-1])] for axis in result.settings.axes)
    return {"place": "place", "x": x, "y": y}


def _places(axis: Axis, name: str, *, most: int) -> dict:
    """An axis of the map: linear in what lies on it, so that images and paths lie as points do."""
    low, *_, high = axis.edges
    text = f"{name} (log)" if axis.log else name
    base = {"range": [float(low), float(high)], "title": {"text": text}, "showgrid": False, "zeroline": False}
    if not axis.log:
        return base | {"nticks": most}
    ticks = _ticks(axis, _room(axis, most))
    return base | {"tickvals": np.log10(ticks).tolist(), "ticktext": [_tick(tick) for tick in ticks]}


def shade(result: WhatIfResult, medians: np.ndarray) -> np.ndarray:
    """Numbers of the colours of medians, the best the lightest, on the scale ``result.colours``."""
    low, high = result.colours
    if result.settings.asked.limits[1] == math.inf:
        with np.errstate(divide="ignore", invalid="ignore"):
            medians = np.log10(medians / max(result.median(result.now), 1e-12))
        low, high = -1.0, 1.0
    share = np.clip((medians - low) / (high - low), 0, 1)
    share = share if result.settings.asked.better == "higher" else 1 - share
    return np.nan_to_num(np.round(share * (_SHADES - 1)), nan=_SHADES).astype(int)


def _image(result: WhatIfResult) -> dict:
    """Each cell in its colour; blank where nothing is known."""
    numbers = shade(result, result.map.medians)
    places = []
    for axis in result.settings.axes:
        low, *_, high = axis.edges
        middles = low + (np.arange(_PIXELS) + 0.5) / _PIXELS * (high - low)
        places.append(np.clip(np.searchsorted(axis.edges, middles) - 1, 0, len(axis.values) - 1))
    (left, *_, right), (foot, *_, top) = (axis.edges.tolist() for axis in result.settings.axes)
    colours = [(colour, 1.0) for colour in theme.shades(_SHADES)] + [(theme.ON_SCALE[1], 0.0)]
    source = theme.image(numbers[np.ix_(places[1], places[0])], colours)
    return theme.ground(source, left=left, top=top, width=right - left, height=top - foot)


def _cells(result: WhatIfResult, say: ModuleType) -> dict:
    """A point in each cell, unseen, that says what it is."""
    settings, (x, y, medians) = result.settings, result.map
    across, up = settings.axes
    rows, columns = np.nonzero(~np.isnan(medians))
    said = [
        f"{say.label(settings.along)} {say.at(settings, settings.along, x[column])}, "
        f"{say.label(settings.upwards)} {say.at(settings, settings.upwards, y[row])}: "
        f"{say.amount(settings, medians[row, column])}"
        for row, column in zip(rows, columns, strict=True)
    ]
    style = {"mode": "markers", "marker": {"size": 6, "opacity": 0}, "text": said}
    places = across.place(x[columns]), up.place(y[rows])
    return theme.scatter(*places, hovertemplate="%{text}<extra></extra>", **style)


def _levels(result: WhatIfResult) -> list[float]:
    """Round numbers between the map's, about four, in the unit that is shown."""
    medians = result.settings.scale * result.map.medians[~np.isnan(result.map.medians)]
    low, high = (float(medians.min()), float(medians.max())) if len(medians) else (0.0, 0.0)
    if low > 0 and high / low > 20:
        return [digit * 10.0**power for power in range(-9, 9) for digit in (1, 3) if low < digit * 10.0**power < high]
    if high - low < 1e-9:
        return []
    steps = [digit * 10.0**power for power in range(-6, 6) for digit in (1, 2, 5)]
    step = next(one for one in steps if (high - low) / one <= 5)
    return [round(step * i, 9) for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _lines(result: WhatIfResult, say: ModuleType) -> tuple[list[dict], list[dict]]:
    """(iso-lines of the measure and of the target, a number beside each)."""
    settings = result.settings
    target, scale = settings.target, settings.scale
    shapes, words = [], []
    levels = [one for one in _levels(result) if abs(one - target) > 0.02 * abs(target)]
    for level, colour, width in [*((one, "", 1.3) for one in levels), (target, theme.BOUND, 3)]:
        ends = result.iso(level / scale)
        path = "".join(f"M{a:.4g},{b:.4g}L{c:.4g},{d:.4g}" for (a, b), (c, d) in ends) or "M0,0Z"
        rim = {"type": "path", "path": path, "line": {"color": theme.ON_SCALE[1], "width": width + 1.6}, "opacity": 0.5}
        own = {"type": "path", "path": path, "line": {"color": colour or theme.ON_SCALE[0], "width": width}}
        shapes += [rim, own]
        if not colour:
            words += _level_word(result, ends, say.shown(settings, level))
    return shapes, words


def _level_word(result: WhatIfResult, ends: np.ndarray, text: str) -> list[dict]:
    """The number of an iso-line, at its place nearest to the middle of the map, but for its edges and for marks."""
    low, high = np.transpose([(axis.edges[0], axis.edges[-1]) for axis in result.settings.axes])
    middles, marks = ends.mean(axis=1), [_now(result), *filter(None, [_star(result)])]
    shares, others = (middles - low) / (high - low), (np.array(marks) - low) / (high - low)
    near = np.abs((shares[:, None] - others) / (0.3, 0.08)).max(axis=2).min(axis=1, initial=1.0) < 1
    far = np.where(near, 1.0, np.abs(shares - 0.5).max(axis=1, initial=0.0))
    if not len(ends) or far.min() > 0.38:
        return []
    return [_on(result, *middles[far.argmin()], text)]


def _dark(result: WhatIfResult, x: float, y: float) -> bool:
    """Return whether the map is dark at a place of its axes."""
    column, row = (
        int(np.clip(np.searchsorted(axis.edges, at) - 1, 0, len(axis.values) - 1))
        for axis, at in zip(result.settings.axes, (x, y), strict=True)
    )
    number = shade(result, result.map.medians)[row, column]
    return number < 0.55 * _SHADES


def _on(result: WhatIfResult, x: float, y: float, text: str, **place: object) -> dict:
    """A word on the map."""
    colour = theme.ON_SCALE[0 if _dark(result, x, y) else 1]
    return theme.word(f"<b>{text}</b>", x=float(x), y=float(y), size=12, **place) | {
        "font": {"size": 12, "color": colour}
    }


def _marks(result: WhatIfResult) -> list[dict]:
    """Today's setting, and the best or the cheapest that reaches the target."""
    edge = {"color": theme.ON_SCALE[1], "width": 2}
    x, y = _now(result)
    marks = [theme.dot(x, y, colour=theme.PRIVATE) | {"fillcolor": theme.ON_SCALE[0], "line": edge}]
    place = _star(result)
    if place is not None:
        size = {"xsizemode": "pixel", "ysizemode": "pixel", "xanchor": place[0], "yanchor": place[1]}
        star = {"type": "path", "path": _STAR, "xref": "x", "yref": "y"} | size
        marks.append(star | {"fillcolor": theme.ON_SCALE[0], "line": edge | {"width": 1.5}})
    return marks


def _star(result: WhatIfResult) -> tuple[float, float] | None:
    """Return where the target is first reached, or else the middle of the best cell; None until the map is whole."""
    if not result.whole:
        return None
    if result.first:
        return result.first
    (row, column), (across, up) = result.best_cell, result.settings.axes
    return float(across.place(result.map.x[column])), float(up.place(result.map.y[row]))


def _mark_words(result: WhatIfResult, say: ModuleType) -> list[dict]:
    """Return what the marks are, on the sides where they have room."""
    here, place = _now(result), _star(result)
    if place is None or place == here:
        return [_beside_mark(result, *here, "now")]
    case = "most" if result.direction == "falls" else "least"
    name = SAYS[f"chart.{case}" if result.first else f"chart.best_{result.settings.asked.better}"]
    left = place[0] < here[0]
    return [_beside_mark(result, *here, "now", left=not left), _beside_mark(result, *place, name, left=left)]


def _beside_mark(result: WhatIfResult, x: float, y: float, text: str, *, left: bool = True) -> dict:
    """A word at a mark, to its left or right; where it stands at an edge, on the other side."""
    low, high = _ends(result)
    share = (x - low) / (high - low)
    left = share > 0.8 or (left and share > 0.2)
    return _on(result, x, y, text, xanchor="right" if left else "left", xshift=-10 if left else 10)


def _ends(result: WhatIfResult) -> tuple[float, float]:
    low, *_, high = result.settings.axes[0].edges
    return float(low), float(high)


def _now(result: WhatIfResult) -> tuple[float, float]:
    settings = result.settings
    across, up = settings.axes
    return float(across.place(getattr(settings, settings.along))), float(up.place(getattr(settings, settings.upwards)))


def _key(result: WhatIfResult, say: ModuleType) -> tuple[list[dict], list[dict]]:
    """(the scale's colours over the map, the numbers at their ends)."""
    left, width, count = 0.68, 0.17, 12
    colours = theme.shades(count)
    boxes = [
        {"type": "rect", "xref": "paper", "yref": "paper", "y0": 1.022, "y1": 1.05, "line": {"width": 0}}
        | {"x0": left + width * i / count, "x1": left + width * (i + 1) / count, "fillcolor": colour}
        for i, colour in enumerate(colours)
    ]
    worst, best = say.colour_ends(result)
    how = {"xref": "paper", "yref": "paper", "y": 1, "yanchor": "bottom", "size": 12}
    words = [
        theme.word(worst, x=left, xanchor="right", xshift=-4, **how),
        theme.word(best, x=left + width, xanchor="left", xshift=4, **how),
    ]
    return boxes, words


# ---- which setting is best


def tries(result: WhatIfResult, say: ModuleType) -> dict:
    """The median run by which each try was chosen, the best first, and for the winner that when measured again."""
    settings = result.settings
    scale, sign = settings.scale, -1 if settings.asked.better == "higher" else 1
    medians = sorted((scale * median for _, median in result.tries), key=lambda median: sign * median)
    x = np.arange(1, len(medians) + 1)
    style = {"mode": "markers", "marker": {"size": 9, "color": theme.PRIVATE}}
    hover = {"hovertemplate": f"{say.hover(settings)}<extra>{SAYS['chart.selected']}</extra>"}
    drawn = [theme.scatter(x, np.array(medians), name=SAYS["chart.selected"], **style, **hover)]
    now = scale * result.median(result.now)
    values = [*medians, now, settings.target]
    if result.winner and len(result.winner.again):
        both = ("again", result.winner.again, theme.BOUND), ("yours", result.winner.base, theme.NOW)
        for key, medians_again, colour in both:
            name = SAYS[f"chart.{key}"]
            again = scale * float(np.median(medians_again))
            values.append(again)
            style = {"mode": "markers", "marker": {"size": 13, "symbol": "diamond", "color": colour}}
            hover = {"hovertemplate": f"{say.hover(settings)}<extra>{name}</extra>"}
            drawn.append(theme.scatter(np.array([1.0]), np.array([again]), name=name, **style, **hover))
    low, high = min(values), max(values)
    room = 0.12 * ((high - low) or 1.0)
    return theme.figure(
        *drawn,
        title=theme.title(SAYS["chart.tries"], say.best_finding(result)),
        legend="lower left" if settings.asked.better == "higher" else "upper left",
        xaxis={"title": {"text": SAYS["chart.order"]}, "range": [0.3, len(settings.tried) + 0.7], "nticks": 7},
        yaxis={"title": {"text": say.upwards(settings)}, "range": [low - room, high + room]},
        shapes=[theme.level(now, colour=theme.NOW, width=1.5, dash="dot")],
        annotations=[theme.word("now", x=1, xref="paper", y=now, size=13, xanchor="right", yanchor="bottom")],
    )
