"""The other parts of the attack in pictures: membership, who pays, and inversion."""

import numpy as np

from pages.attack.figures import EPSILON_AXIS, staircase, word
from pages.attack.inversion import RECORD, InversionResult
from pages.attack.membership import ATTACKS, RATES, MembersResult
from pages.attack.who_pays import GROUPS, GroupsResult
from ui.plot import theme

ARMS = {"private": ("private", theme.PRIVATE), "plain": ("non-private", theme.NON_PRIVATE)}
# What no attack can pass, and how it is drawn.
ALLOWED = {"promised": ("bound of epsilon, delta", "dash"), "gaussian": ("bound of this noise", "dot")}
_QUIET = {"hoverinfo": "skip", "showlegend": False}
DASHES = dict(zip(ATTACKS, ("solid", "dash"), strict=True))
INSIDE, OUTSIDE = theme.WITH_YOU, theme.WITHOUT_YOU
GROUP_COLOURS = {"majority": theme.PRIVATE, "minority": theme.PINE}
RECOVERED = {"classes": theme.PRIVATE, "planted record": theme.PINE}
_LOG_SHARE = {"type": "log", "tickvals": [0.001, 0.01, 0.1, 1], "ticktext": ["0.1 %", "1 %", "10 %", "100 %"]}


def roc(result: MembersResult) -> dict:
    """Members found over false alarms, both on log axes, under the frontier of the guarantee.

    In the legend: what is found with one false alarm in 100, by the likelihood ratio.
    """
    frame = result.frontier
    traces = [theme.line(RATES, RATES, colour=theme.NON_PRIVATE, name="guessing", opacity=0.6, **_QUIET)]
    for name, (text, dash) in ({} if result.settings.void else ALLOWED).items():
        shown = theme.key(text, _found(float(frame[name][np.abs(RATES - 0.01).argmin()])))
        hover = f"false positives %{{x:.2%}}: at most %{{y:.2%}}<extra>{text}</extra>"
        line = frame[name].to_numpy()
        traces.append(theme.line(RATES, line, colour=theme.BOUND, name=shown, dash=dash, hovertemplate=hover))
    for (arm, attack), curve in result.curves.items():
        (text, colour), best = ARMS[arm], attack == ATTACKS[0]
        hover = f"false positives %{{x:.2%}}: finds %{{y:.2%}}<extra>{text}, {attack}</extra>"
        style = {"dash": DASHES[attack], "showlegend": best, "hovertemplate": hover}
        style |= {"meta": theme.GHOST} if best and arm == "private" else {}
        shown = theme.key(text, _found(result.at(arm, attack, 0.01)))
        traces.append(theme.line(RATES, np.maximum(curve, 1e-5), colour=colour, name=shown, **style))
    return theme.figure(
        *traces,
        title=theme.title("Members found", "at 1 % FPR"),
        legend="lower right",
        shapes=[theme.rule(0.01)],
        xaxis=_LOG_SHARE | {"title": {"text": "false-positive rate (log scale)"}, "range": [-3.05, 0.05]},
        yaxis=_LOG_SHARE | {"title": {"text": "members found (log scale)"}, "range": [-3.6, 0.1]},
    )


def _found(part: float) -> str:
    return f"{100 * part:.1f}\u00a0%" if part < 0.1 else f"{100 * part:.0f}\u00a0%"


def margins(result: MembersResult, arm: str) -> dict:
    """Draw how sure the models of one arm are of their members, and of others."""
    inside, outside = result.margins(arm)
    reach = 8.0 if arm == "private" else 16.0
    edges = np.linspace(-reach, reach, 41)
    shares = [
        np.histogram(np.clip(some, -reach * 0.999, reach * 0.999), edges)[0] / len(some) for some in (inside, outside)
    ]
    shapes = [staircase(edges, share, colour=c, top=0.235) for share, c in zip(shares, (INSIDE, OUTSIDE), strict=True)]
    members, others = result.right(arm)
    title = "Private" if arm == "private" else "Non-private"
    marks = [-reach, -reach / 2, 0.0, reach / 2, reach]  # what lies further out is counted at the ends
    names = [f"≤ {marks[0]:g}", *(f"{mark:g}" for mark in marks[1:-1]), f"≥ {marks[-1]:g}"]
    return theme.figure(
        theme.holder(),
        title=theme.title(title, f"in {theme.percent(members)}, out {theme.percent(others)}"),
        shapes=shapes,
        annotations=[
            word(
                f"{theme.ink('■ members', INSIDE)}<br>{theme.ink('■ others', OUTSIDE)}",
                x=0.02,
            )
        ],
        xaxis={
            "title": {"text": "true-class logit"},
            "range": [-reach, reach],
            "tickvals": marks,
            "ticktext": [name.replace("-", "−") for name in names],
        },
        yaxis=theme.share_axis("share of people", 0.24, step=0.05),
    )


def groups(result: GroupsResult) -> dict:
    """Accuracy of majority and minority over epsilon."""
    traces, (low, high) = [], (0.01, 150.0)
    for place, group in enumerate(GROUPS):
        colour = GROUP_COLOURS[group]
        epsilons, (least, median, most) = result.over(place)
        rail = np.full(2, 100 * result.plain[place, -1])
        style = {"dash": "dot", "showlegend": False}
        style["hovertemplate"] = f"%{{y:.1f}} %<extra>{group}, non-private</extra>"
        traces.append(theme.line(np.array([low, high]), rail, colour=colour, name=f"{group}, non-private", **style))
        if len(epsilons):
            traces.append(theme.band(epsilons, 100 * least, 100 * most, colour=colour))
        hover = f"epsilon %{{x}}: %{{y:.1f}} %<extra>{group}</extra>"
        more = {"mode": "lines+markers", "hovertemplate": hover} | _ghost(group)
        shown = theme.key(group, theme.percent(result.typical(place)))
        traces.append(theme.line(epsilons, 100 * median, colour=colour, name=shown, **more))
    settings = result.settings
    now = [
        theme.dot(settings.epsilon, 100 * result.typical(place), colour=colour)
        for place, colour in enumerate(GROUP_COLOURS.values())
    ]
    return theme.figure(
        *traces,
        title=theme.title("Accuracy", _evenly(result)),
        legend="lower right",
        shapes=[theme.rule(settings.epsilon), *now],
        xaxis=EPSILON_AXIS,
        yaxis={"title": {"text": "test accuracy, %"}, "range": [0, 102]},
    )


def _ghost(name: str) -> dict:
    """The mark of the curve that pinned settings are shown by: of the minority, and of the planted record."""
    return {"meta": theme.GHOST} if name in ("minority", "planted record") else {}


def _evenly(result: GroupsResult) -> str:
    """Return from which epsilon on the minority loses at most two points more than the majority; or how far the curve
    is."""
    (epsilons, (_, large, _)), (_, (_, small, _)) = result.over(0), result.over(1)
    if len(epsilons) < len(result.curve.at):
        return f"{len(epsilons)} of {len(result.curve.at)} trained"
    apart = (result.plain[1, -1] - small) - (result.plain[0, -1] - large)
    uneven = np.flatnonzero(apart > 0.02)
    first = uneven[-1] + 1 if len(uneven) else 0
    return f"similar loss from epsilon {epsilons[first]:g}" if 0 < first < len(epsilons) else ""


def by_class(result: GroupsResult, group: int) -> dict:
    """Today's accuracy of each class in a group; a stroke where it is without privacy."""
    low, middle, high = 100 * result.by_class()[:, group]
    names, plain = list(result.classes), 100 * result.plain[group, :-1]
    colour = GROUP_COLOURS[GROUPS[group]]
    places = np.arange(len(names))
    path = "".join(f"M{x - 0.4:.3g},{y:.4g}L{x + 0.4:.3g},{y:.4g}" for x, y in zip(places, plain, strict=True))
    boxes = "".join(
        f"M{x - 0.32:.3g},0L{x - 0.32:.3g},{y:.4g}L{x + 0.32:.3g},{y:.4g}L{x + 0.32:.3g},0Z"
        for x, y in zip(places, middle, strict=True)
    )
    spread = "".join(f"M{x:.3g},{a:.4g}L{x:.3g},{b:.4g}" for x, a, b in zip(places, low, high, strict=True))
    base = {"type": "path", "xref": "x", "yref": "y"}
    return theme.figure(
        theme.scatter(
            places.astype(float),
            middle,
            mode="markers",
            name=GROUPS[group],
            marker={"size": 1, "color": colour},
            text=names,
            hovertemplate=f"%{{text}}: %{{y:.1f}} %<extra>{GROUPS[group]}</extra>",
        ),
        title=theme.title(GROUPS[group].capitalize(), "accuracy by class"),
        shapes=[
            base | {"path": boxes, "fillcolor": theme.rgba(colour, 0.45), "line": {"width": 0}},
            base | {"path": spread, "line": {"color": colour, "width": 2}},
            base | {"path": path, "line": {"color": theme.NON_PRIVATE, "width": 3}},
        ],
        xaxis={
            "range": [-0.6, len(names) - 0.4],
            "tickvals": places.tolist(),
            "ticktext": names,
            "showgrid": False,
            "zeroline": False,
        },
        yaxis={"title": {"text": "test accuracy, %"}, "range": [0, 102], "tickvals": [0, 20, 40, 60, 80, 100]},
    )


# A sheet of pictures has this many in a row, each with its name in a strip under it, of this part of its height.
_ACROSS, _STRIP = 4, 0.2
# Shades of a picture, and the colour after them, which is none.
_GREYS, _NOTHING = 32, ("#000000", 0.0)
_NAMES = (*map(str, range(10)), "planted", "truth")


def pictures(result: InversionResult, *, private: bool) -> dict:
    """Draw what the weights of one model show: the ten classes, the planted record, and what it truly is."""
    seen = result.now if private else result.plain
    tiles = [_tile(picture) for picture in (*seen.classes[0], seen.record[0], RECORD)]
    rows = [np.hstack(tiles[first : first + _ACROSS]) for first in range(0, len(tiles), _ACROSS)]
    size = len(rows), len(rows) * (1 + _STRIP)
    greys = [(f"#{shade:02x}{shade:02x}{shade:02x}", 1.0) for shade in np.linspace(20, 245, _GREYS).astype(int)]
    source = theme.image(np.vstack([part for row in reversed(rows) for part in (_strip(row), row)]), [*greys, _NOTHING])
    now = "Private weights" if private else "Non-private weights"
    alike = result.match(1)[0 if private else 1]
    bare = {"visible": False, "fixedrange": True, "constrain": "domain"}
    square = {"scaleanchor": "x", "constraintoward": "top"}  # a pixel is a square, whatever the chart's size
    return theme.figure(
        theme.holder(_ACROSS / 2, -9.0),
        images=[theme.ground(source, left=0, top=size[1], width=_ACROSS, height=size[1])],
        title=theme.title(now, f"record {alike:.2f}".replace("-", "−")),
        annotations=[_named(name, at, rows=size[0]) for at, name in enumerate(_NAMES)],
        margin={"l": 12, "r": 12, "t": 34, "b": 8},
        xaxis={"range": [0, _ACROSS]} | bare,
        yaxis={"range": [0, size[1]]} | bare | square,
    )


def _tile(picture: np.ndarray) -> np.ndarray:
    """64 numbers as a square of shades from below, with a margin of none; brightest and darkest are its own."""
    low, high = picture.min(), picture.max()
    square = ((picture - low) / max(high - low, 1e-12)).reshape(8, 8)[::-1]
    shades = np.clip(np.round((_GREYS - 1) * square), 0, _GREYS - 1).astype(np.uint8)
    return np.pad(np.kron(shades, np.ones((12, 12), np.uint8)), 2, constant_values=_GREYS)


def _strip(row: np.ndarray) -> np.ndarray:
    return np.full((round(_STRIP * len(row)), row.shape[1]), _GREYS, np.uint8)


def _named(name: str, at: int, *, rows: int) -> dict:
    """The name under a picture of the sheet."""
    down, across = divmod(at, _ACROSS)
    place = {"x": across + 0.5, "y": (rows - 1 - down + _STRIP / 2 / (1 + _STRIP)) * (1 + _STRIP)}
    font = {"xref": "x", "yref": "y", "showarrow": False, "font": {"size": 12}}
    return {"text": name, "xanchor": "center", "yanchor": "middle"} | place | font


def match(result: InversionResult) -> dict:
    """Draw how alike what is recovered and the truth are, over epsilon."""
    traces, now = [], []
    for which, (name, colour) in enumerate(RECOVERED.items()):
        epsilons, (low, median, high) = result.curve.arms[which].over()
        private, plain = result.match(which)
        rail = {
            "dash": "dot",
            "showlegend": False,
            "hovertemplate": f"%{{y:.2f}}<extra>{name}, non-private</extra>",
        }
        ends = np.array([0.01, 150.0])
        traces.append(theme.line(ends, np.full(2, plain), colour=colour, name=f"{name}, non-private", **rail))
        if len(epsilons):
            traces.append(theme.band(epsilons, low, high, colour=colour))
        hover = f"epsilon %{{x}}: %{{y:.2f}}<extra>{name}</extra>"
        style = {"mode": "lines+markers", "hovertemplate": hover} | _ghost(name)
        traces.append(theme.line(epsilons, median, colour=colour, name=theme.key(name, f"{private:.2f}"), **style))
        now.append(theme.dot(result.settings.epsilon, private, colour=colour))
    return theme.figure(
        *traces,
        title=theme.title("Correlation", _known(result)),
        legend="lower right",
        shapes=[theme.rule(result.settings.epsilon), *now],
        xaxis=EPSILON_AXIS,
        yaxis={"title": {"text": "correlation with the truth"}, "range": [-0.45, 1.08]},
    )


def _known(result: InversionResult) -> str:
    """Return how far the curve has come."""
    epsilons, _ = result.curve.arms[0].over()
    return f"{len(epsilons)} of {len(result.curve.at)} trained" if len(epsilons) < len(result.curve.at) else ""
