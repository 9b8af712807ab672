"""The other parts of the attack in pictures: membership, who pays, and inversion."""

from collections.abc import Mapping

import numpy as np

from pages.attack.figures import EPSILON_AXIS, staircase, word
from pages.attack.inversion import RECORD, InversionResult
from pages.attack.membership import ATTACKS, RATES, MembersResult
from pages.attack.who_pays import GROUPS, GroupsResult
from ui.plot import theme

ARMS = {"private": ("private", theme.PRIVATE), "plain": ("learnt by heart, without privacy", theme.NON_PRIVATE)}
DASHES = dict(zip(ATTACKS, ("solid", "dash"), strict=True))
INSIDE, OUTSIDE = theme.WITH_YOU, theme.WITHOUT_YOU
GROUP_COLOURS = {"majority": theme.PRIVATE, "minority": theme.PINE}
RECOVERED = {"classes": theme.PRIVATE, "planted record": theme.PINE}
_LOG_SHARE = {"type": "log", "tickvals": [0.001, 0.01, 0.1, 1], "ticktext": ["0.1 %", "1 %", "10 %", "100 %"]}


def roc(result: MembersResult) -> dict:
    """Members found over false alarms, both on log axes, under the frontier of the guarantee."""
    frame = result.frontier
    traces = [
        theme.line(RATES, RATES, colour=theme.NON_PRIVATE, name="guessing", hoverinfo="skip", opacity=0.6),
        theme.line(RATES, frame["promised"].to_numpy(), colour=theme.BOUND, name="allowed by epsilon and delta"),
        theme.line(RATES, frame["gaussian"].to_numpy(), colour=theme.BOUND, name="allowed by this noise", dash="dot"),
    ]
    for (arm, attack), curve in result.curves.items():
        name, colour = ARMS[arm]
        hover = f"{name}, {attack}<br>false alarms %{{x:.2%}}: finds %{{y:.2%}}<extra></extra>"
        drawn = np.maximum(curve, 1e-5)
        traces.append(theme.line(RATES, drawn, colour=colour, name=name, dash=DASHES[attack], hovertemplate=hover))
    return theme.figure(
        *traces,
        title=theme.title("Members found, by false alarms"),
        xaxis=_LOG_SHARE | {"title": {"text": "false alarms (log scale)"}, "range": [-3.05, 0.05]},
        yaxis=_LOG_SHARE | {"title": {"text": "members found (log scale)"}, "range": [-3.6, 0.1]},
        annotations=[
            word(
                theme.ink("╍ epsilon and delta allow<br>┅ this noise allows", theme.BOUND) + "<br>"
                "━ likelihood ratio<br>╍ loss threshold",
                x=0.98,
                y=0.03,
                anchor="right",
            )
            | {"yanchor": "bottom"}
        ],
    )


def margins(result: MembersResult, arm: str) -> dict:
    """How sure the models of one arm are of their members, and of others."""
    inside, outside = result.margins(arm)
    reach = 8.0 if arm == "private" else 16.0
    edges = np.linspace(-reach, reach, 41)
    shares = [
        np.histogram(np.clip(some, -reach * 0.999, reach * 0.999), edges)[0] / len(some) for some in (inside, outside)
    ]
    shapes = [staircase(edges, share, colour=c, top=0.235) for share, c in zip(shares, (INSIDE, OUTSIDE), strict=True)]
    members, others = result.right(arm)
    title = "Private" if arm == "private" else "No privacy"
    marks = [-reach, -reach / 2, 0.0, reach / 2, reach]  # what lies further out is counted at the ends
    names = [f"≤ {marks[0]:g}", *(f"{mark:g}" for mark in marks[1:-1]), f"≥ {marks[-1]:g}"]
    return theme.figure(
        theme.holder(),
        title=theme.title(f"{title}: in {theme.percent(members)}, out {theme.percent(others)} right"),
        shapes=shapes,
        annotations=[
            word(
                f"{theme.ink('■ members', INSIDE)}<br>{theme.ink('■ others', OUTSIDE)}",
                x=0.02,
            )
        ],
        xaxis={
            "title": {"text": "how sure of the right class (logit)"},
            "range": [-reach, reach],
            "tickvals": marks,
            "ticktext": [name.replace("-", "−") for name in names],
        },
        yaxis={"title": {"text": "share"}, "range": [0, 0.24], "tickformat": ".0%"},
    )


def groups(result: GroupsResult) -> dict:
    """Accuracy of majority and minority over epsilon."""
    traces, (low, high) = [], (0.01, 150.0)
    for place, group in enumerate(GROUPS):
        colour = GROUP_COLOURS[group]
        epsilons, (least, median, most) = result.over(place)
        rail = np.full(2, 100 * result.plain[place, -1])
        style = {"dash": "dot", "hovertemplate": f"{group}, without privacy: %{{y:.1f}}<extra></extra>"}
        traces.append(theme.line(np.array([low, high]), rail, colour=colour, name=f"{group}, without privacy", **style))
        if len(epsilons):
            traces.append(theme.band(epsilons, 100 * least, 100 * most, colour=colour))
        hover = f"{group}, epsilon %{{x}}: %{{y:.1f}}<extra></extra>"
        more = {"mode": "lines+markers", "hovertemplate": hover}
        traces.append(theme.line(epsilons, 100 * median, colour=colour, name=group, **more))
    settings = result.settings
    now = [theme.diamond(settings.epsilon, 100 * result.typical(place)) for place in range(len(GROUPS))]
    return theme.figure(
        *traces,
        title=theme.title("Accuracy over epsilon, by group"),
        shapes=[theme.rule(settings.epsilon), *now],
        annotations=[word(_legend(GROUP_COLOURS), x=0.98, y=0.04, anchor="right") | {"yanchor": "bottom"}],
        xaxis=EPSILON_AXIS,
        yaxis={"title": {"text": "right in 100"}, "range": [0, 102]},
    )


def _legend(colours: Mapping[str, str]) -> str:
    """The names in their colours, and what is dotted."""
    names = "".join(theme.ink(f"━ {name}", colour) + "<br>" for name, colour in colours.items())
    return names + "┅ without privacy"


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
            places.astype(float), middle, mode="markers", marker={"size": 1, "color": colour}, hovertemplate="%{y:.1f}"
        ),
        title=theme.title(f"{GROUPS[group].capitalize()}, class by class"),
        shapes=[
            base | {"path": boxes, "fillcolor": theme.rgba(colour, 0.45), "line": {"width": 0}},
            base | {"path": spread, "line": {"color": colour, "width": 2}},
            base | {"path": path, "line": {"color": theme.NON_PRIVATE, "width": 3}},
        ],
        annotations=[
            word("━ without privacy", x=0.02) | {"font": {"size": 12, "color": theme.INKS[theme.NON_PRIVATE]}}
        ],
        xaxis={
            "range": [-0.6, len(names) - 0.4],
            "tickvals": places.tolist(),
            "ticktext": names,
            "showgrid": False,
            "zeroline": False,
        },
        yaxis={"title": {"text": "right in 100"}, "range": [0, 112], "tickvals": [0, 25, 50, 75, 100]},
    )


# A sheet of pictures has this many in a row, each with its name in a strip under it, of this part of its height.
_ACROSS, _STRIP = 4, 0.2
# Shades of a picture, and the colour after them, which is none.
_GREYS, _NOTHING = 32, ("#000000", 0.0)
_NAMES = (*map(str, range(10)), "planted", "truth")


def pictures(result: InversionResult, *, private: bool) -> dict:
    """What the weights of one model show: the ten classes, the planted record, and what it truly is."""
    seen = result.now if private else result.plain
    tiles = [_tile(picture) for picture in (*seen.classes[0], seen.record[0], RECORD)]
    rows = [np.hstack(tiles[first : first + _ACROSS]) for first in range(0, len(tiles), _ACROSS)]
    size = len(rows), len(rows) * (1 + _STRIP)
    greys = [(f"#{shade:02x}{shade:02x}{shade:02x}", 1.0) for shade in np.linspace(20, 245, _GREYS).astype(int)]
    source = theme.image(np.vstack([part for row in reversed(rows) for part in (_strip(row), row)]), [*greys, _NOTHING])
    now = f"Private, epsilon {result.settings.epsilon:.3g}" if private else "Without privacy"
    bare = {"visible": False, "fixedrange": True}
    return theme.figure(
        theme.holder(_ACROSS / 2, -9.0),
        images=[theme.ground(source, left=0, top=size[1], width=_ACROSS, height=size[1])],
        title=theme.title(f"{now}: what the weights show"),
        annotations=[_named(name, at, rows=size[0]) for at, name in enumerate(_NAMES)],
        margin={"l": 12, "r": 12, "t": 34, "b": 8},
        xaxis={"range": [0, _ACROSS]} | bare,
        yaxis={"range": [0, size[1]]} | bare,
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
    """How alike what is recovered and the truth are, over epsilon."""
    traces = []
    for which, (name, colour) in enumerate(RECOVERED.items()):
        epsilons, (low, median, high) = result.over(which)
        _, plain = result.match(which)
        rail = {"colour": colour, "name": name, "dash": "dot", "hoverinfo": "skip"}
        traces.append(theme.line(np.array([0.01, 150.0]), np.full(2, plain), **rail))
        if len(epsilons):
            traces.append(theme.band(epsilons, low, high, colour=colour))
        traces.append(theme.line(epsilons, median, colour=colour, name=name, mode="lines+markers"))
    now = [theme.diamond(result.settings.epsilon, result.match(which)[0]) for which in (0, 1)]
    return theme.figure(
        *traces,
        title=theme.title("How alike the picture and the truth are"),
        shapes=[theme.rule(result.settings.epsilon), *now],
        annotations=[word(_legend(RECOVERED), x=0.02, y=0.86)],
        xaxis=EPSILON_AXIS,
        yaxis={"title": {"text": "correlation"}, "range": [-0.3, 1.08]},
    )
