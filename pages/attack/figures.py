"""Two worlds in pictures: the map of people and boundaries, the attacker's scores, and how often they are right."""

import math

import numpy as np

from pages.attack.experiment import LIMITS
from pages.attack.two_worlds_result import EPSILONS, WorldsResult
from ui.plot import maps, theme

WORLDS = ((theme.WITH_YOU, "with this person"), (theme.WITHOUT_YOU, "with another instead"))
# Version -> its limits, in words: only the correct mechanism keeps to them, and without noise there is none.
ALLOWED = {
    "sound": {"promised": "bound of epsilon, delta", "gaussian": "bound of this noise"},
    "published": {"promised": "bound if the claim held", "gaussian": "bound of correct noise"},
    "none": {},
}
_DASHES = {"promised": "dash", "gaussian": "dot"}
# Rows that are drawn, and can be chosen by a click.
POINTS = 400
EPSILON_AXIS = theme.epsilon_axis(*LIMITS["epsilon"])


def allowed(result: WorldsResult) -> dict[str, str]:
    """The limits in words; none where the guarantee is void."""
    return {} if result.settings.void else ALLOWED[result.settings.version]


def people(result: WorldsResult) -> dict:
    """All people, the riskier the larger, the one who is meant, and the boundaries of both worlds' models."""
    plane, settings = result.plane, result.settings
    shapes = [
        maps.boundary(plane, result.boundaries(world), colour=colour, width=1.1, dash=theme.DASHES[colour])
        | {"opacity": 0.75}
        for world, (colour, _) in reversed(list(enumerate(WORLDS)))
    ]
    who = f"row {settings.person}" if settings.who == "row" else "an outlier"
    return theme.figure(
        *_points(result),
        shapes=[*shapes, _meant(result)],
        title=theme.title("Target person", f"{who} ({_class(result)})"),
        **maps.axes(plane),
    )


def clicks(result: WorldsResult) -> dict:
    """Draw what a click on the map does, and which mark can be dragged."""
    (x, y), at = result.plane.units, _place(result)
    drag = {"at": at.tolist(), "colour": theme.WITH_YOU}
    return {"point": "person", "place": "spot", "x": list(x), "y": list(y), "drag": drag}


def _place(result: WorldsResult) -> np.ndarray:
    """Return where the person is drawn, (2,)."""
    (row, _), _ = result.settings.neighbours.candidates
    return result.plane.display(result.plane.coordinates(row[None]))[0]


def _points(result: WorldsResult) -> list[dict]:
    split, plane = result.split, result.plane
    rows = np.arange(min(POINTS, len(split.y_private)))
    at = plane.display(plane.coordinates(split.X_private[rows]))
    labels, risks = split.y_private[rows], result.risks[rows]
    # Drawn relative to the riskiest row: without clipping nothing bounds a risk.
    size = 3 + 8 * risks / max(1.0, float(risks.max()))
    found = []
    for label, name in enumerate(split.source.classes):
        some = labels == label
        marker = {"color": theme.CLASSES[label], "symbol": maps.symbol(label), "size": theme.array(size[some])}
        marker |= {"opacity": 0.75, "line": {"width": 0}}
        hover = f"row %{{customdata}}, {name}<br>click: is this person safe?<extra></extra>"
        custom = {"customdata": theme.array(rows[some]), "hovertemplate": hover}
        found.append(theme.scatter(*at[some].T, mode="markers", name=name, marker=marker, **custom))
    return found


def _class(result: WorldsResult) -> str:
    """The class of the person."""
    (_, label), _ = result.settings.neighbours.candidates
    name = result.split.source.classes[label]
    return name if len(name) > 1 else f"class {name}"


def _meant(result: WorldsResult) -> dict:
    """The person, in the colour of the class, with a ring. A shape: it is dragged without a redraw of all points."""
    (_, label), _ = result.settings.neighbours.candidates
    (x, y), half = _place(result).tolist(), 7.5
    size = {"xsizemode": "pixel", "ysizemode": "pixel", "x0": -half, "x1": half, "y0": -half, "y1": half}
    ring = {"fillcolor": theme.CLASSES[label], "line": {"color": theme.WITH_YOU, "width": 3.5}}
    return {"type": "circle", "xref": "x", "yref": "y", "xanchor": x, "yanchor": y} | size | ring


def scores(result: WorldsResult) -> dict:
    """The attacker's score in both worlds: how much they overlap, and where they say "with"."""
    edges, shares = result.histogram()
    reach = result.reach
    shapes = [staircase(edges, share, colour=colour) for share, (colour, _) in zip(shares, WORLDS, strict=True)]
    return theme.figure(
        theme.holder(),
        title=theme.title("Scores", f"{theme.percent(result.overlap)} overlap"),
        shapes=[*shapes, theme.rule(0.0)],
        annotations=[
            word(theme.ink("◂ “another”", theme.WITHOUT_YOU), x=0.02),
            word(theme.ink("“with” ▸", theme.WITH_YOU), x=0.98, anchor="right"),
        ],
        xaxis={"title": {"text": "attacker's score (standard deviations)"}, "range": [-reach, reach]},
        yaxis=theme.share_axis("share of trainings", 0.2 * reach / 6 + 0.02, step=0.05),
    )


def staircase(edges: np.ndarray, shares: np.ndarray, *, colour: str, top: float = 1.0) -> dict:
    """The outline of a histogram, as a shape."""
    steps = zip(edges, edges[1:], np.minimum(shares, top), strict=False)
    path = f"M{edges[0]:.4g},0" + "".join(f"L{low:.4g},{h:.4g}L{high:.4g},{h:.4g}" for low, high, h in steps)
    style = {
        "line": {"color": colour, "width": 1.6, "dash": theme.DASHES[colour]},
        "fillcolor": theme.rgba(colour, 0.28),
    }
    return {"type": "path", "path": path + f"L{edges[-1]:.4g},0Z", "xref": "x", "yref": "y"} | style


def word(text: str, *, x: float, y: float = 0.97, anchor: str = "left") -> dict:
    """A word inside of a chart, in its own units."""
    place = {"xref": "paper", "yref": "paper", "xanchor": anchor, "yanchor": "top", "align": "left"}
    return theme.word(text, x=x, y=y, size=12, **place)


def accuracy(result: WorldsResult) -> dict:
    """Draw how often the attacker is right over epsilon, with its interval, under what the claim allows."""
    grid = np.logspace(math.log10(LIMITS["epsilon"][0]), math.log10(LIMITS["epsilon"][1]), 61)
    limits, curve = result.limits(grid), result.curve
    most = {"promised": result.promised, "gaussian": result.ceiling}
    traces = [
        theme.line(
            grid,
            100 * limits[name].to_numpy(),
            colour=theme.BOUND,
            name=theme.key(words, f"{100 * most[name]:.0f}"),
            dash=_DASHES[name],
            hovertemplate=f"epsilon %{{x:.3~g}}: %{{y:.1f}} %<extra>{words}</extra>",
        )
        for name, words in allowed(result).items()
    ]
    x, y = curve["epsilon"].to_numpy(), 100 * curve["accuracy"].to_numpy()
    bars = {
        "type": "data",
        "symmetric": False,
        "array": theme.array(100 * (curve["high"] - curve["accuracy"]).to_numpy()),
        "arrayminus": theme.array(100 * (curve["accuracy"] - curve["low"]).to_numpy()),
        "color": theme.PRIVATE,
        "thickness": 1.2,
        "width": 3,
    }
    now = result.attack
    hover = "epsilon %{x}: %{y:.1f} %<extra>measured</extra>"
    style = {"mode": "markers", "marker": {"size": 6}, "error_y": bars, "hovertemplate": hover, "meta": theme.GHOST}
    shown = theme.key("measured", f"{100 * now.accuracy:.0f}")
    traces.append(theme.line(x, y, colour=theme.PRIVATE, name=shown, **style))
    place = result.settings.epsilon, 100 * now.accuracy
    return theme.figure(
        *traces,
        title=theme.title("Attack accuracy", finding(result)),
        legend="lower right",
        shapes=[theme.rule(place[0]), theme.dot(*place, colour=theme.PRIVATE) | {"name": theme.GHOST}],
        xaxis=EPSILON_AXIS,
        yaxis={"title": {"text": "attack accuracy, %"}, "range": [33, 103]},
    )


def finding(result: WorldsResult) -> str:
    """Up to which epsilon these trainings do not tell the attacker from a coin; or how far the curve has come."""
    if len(result.points) < len(EPSILONS):
        return f"{len(result.points)} of {len(EPSILONS)} attacked"
    curve = result.curve
    better = np.flatnonzero(curve["low"] > 0.5)
    coin = curve["epsilon"][: better[0] if len(better) else len(curve)]
    return f"chance up to epsilon {coin.iloc[-1]:g}" if len(coin) else ""


def exposure(result: WorldsResult) -> dict:
    """Draw how far people move a step, from the least exposed to the most, and the person who is meant: no row is
    drawn."""
    shares = np.linspace(0.02, 0.98, 49)
    moves = 100 * np.quantile(result.risks, shares)
    curve = theme.line(
        100 * shares,
        moves,
        colour=theme.NON_PRIVATE,
        name="people, in order",
        dash="solid",
        hovertemplate="%{x:.0f} % of people have at most %{y:.0f} %<extra></extra>",
    )
    most = theme.level(100, colour=theme.BOUND, width=1.4, dash=theme.DASHES[theme.BOUND])
    place = 100 * float(np.mean(result.risks < result.risk)), 100 * result.risk
    return theme.figure(
        curve,
        title=theme.title("Influence", f"this person {theme.percent(result.risk)}"),
        shapes=[most, theme.dot(*place, colour=theme.WITH_YOU)],
        annotations=[
            word(theme.ink("maximum", theme.BOUND), x=0.02, y=0.99),
            word(theme.ink("● this person", theme.WITH_YOU), x=0.98, y=0.16, anchor="right"),
        ],
        xaxis={"title": {"text": "people with less influence, %"}, "range": [-3, 103]},
        yaxis={"title": {"text": "influence on a step, % of the maximum"}, "range": [-3, 112]},
    )
