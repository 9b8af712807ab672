"""The other parts of the attack in pictures: membership, who pays, and inversion."""

import numpy as np

from dpcore.experiments.attack_groups import GROUPS, GroupsResult
from dpcore.experiments.attack_inversion import RECORD, InversionResult
from dpcore.experiments.attack_members import ATTACKS, RATES, MembersResult
from ui.figures import theme
from ui.figures.attack import EPSILON_AXIS, staircase, word

ARMS = {"private": ("private", theme.PRIVATE), "plain": ("learnt by heart, without privacy", theme.NON_PRIVATE)}
DASHES = dict(zip(ATTACKS, ("solid", "dash"), strict=True))
INSIDE, OUTSIDE = theme.WITH_YOU, theme.WITHOUT_YOU
GROUP_COLOURS = {"majority": theme.PRIVATE, "minority": "#c2559a"}
_LOG_SHARE = {"type": "log", "tickvals": [0.001, 0.01, 0.1, 1], "ticktext": ["0.1 %", "1 %", "10 %", "100 %"]}


def roc(result: MembersResult) -> dict:
    """Members found over false alarms, both on log axes, under the frontier of the guarantee."""
    frame = result.frontier
    traces = [
        theme.line(RATES, RATES, colour="#8a8f98", name="guessing", dash="dot", hoverinfo="skip", opacity=0.6),
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
                f'<span style="color:{theme.BOUND}">━ epsilon and delta allow<br>┅ this noise allows</span><br>'
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
    return theme.figure(
        theme.scatter(np.array([0.0]), np.array([-1.0]), mode="markers", hoverinfo="skip"),
        title=theme.title(f"{title}: in {theme.percent(members)}, out {theme.percent(others)} right"),
        shapes=shapes,
        annotations=[
            word(
                f'<span style="color:{INSIDE}">■ members</span><br><span style="color:{OUTSIDE}">■ others</span>',
                x=0.02,
            )
        ],
        xaxis={"title": {"text": "how sure of the right class (logit)"}, "range": [-reach, reach]},
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
    legend = "<br>".join(f'<span style="color:{colour}">━ {group}</span>' for group, colour in GROUP_COLOURS.items())
    return theme.figure(
        *traces,
        title=theme.title("Accuracy over epsilon, by group"),
        shapes=[theme.rule(settings.epsilon), *now],
        annotations=[word(legend + "<br>┅ without privacy", x=0.98, y=0.04, anchor="right") | {"yanchor": "bottom"}],
        xaxis=EPSILON_AXIS,
        yaxis={"title": {"text": "right in 100"}, "range": [0, 102]},
    )


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
        annotations=[word("━ without privacy", x=0.02) | {"font": {"size": 12, "color": theme.NON_PRIVATE}}],
        xaxis={
            "range": [-0.6, len(names) - 0.4],
            "tickvals": places.tolist(),
            "ticktext": names,
            "showgrid": False,
            "zeroline": False,
        },
        yaxis={"title": {"text": "right in 100"}, "range": [0, 112], "tickvals": [0, 25, 50, 75, 100]},
    )


def pictures(result: InversionResult) -> dict:
    """What the weights show, with privacy above: the ten classes, the planted record, and what it truly is."""
    rows = [[*seen.classes[0], seen.record[0], RECORD] for seen in (result.now, result.plain)]
    tiles = [[_tile(picture) for picture in row] for row in rows]
    sheet = np.vstack([np.hstack(row) for row in tiles])
    levels = np.clip(np.round(31 * sheet), 0, 31).astype(np.uint8)
    greys = [(f"#{shade:02x}{shade:02x}{shade:02x}", 1.0) for shade in np.linspace(20, 245, 32).astype(int)]
    source = theme.image(levels, greys)
    picture = {
        "source": source,
        "x": -0.5,
        "y": 1.5,
        "sizex": 12,
        "sizey": 2,
        "xref": "x",
        "yref": "y",
        "sizing": "stretch",
        "layer": "below",
    }
    names = [*map(str, range(10)), "planted", "truth"]
    return theme.figure(
        theme.scatter(np.array([5.0]), np.array([-9.0]), mode="markers", hoverinfo="skip"),
        images=[picture],
        title=theme.title("What the released weights show"),
        margin={"l": 92, "r": 12, "t": 34, "b": 44},
        xaxis={
            "range": [-0.5, 11.5],
            "tickvals": list(range(12)),
            "ticktext": names,
            "showgrid": False,
            "zeroline": False,
            "title": {"text": "class, and the planted record"},
        },
        yaxis={
            "range": [-0.5, 1.5],
            "tickvals": [0, 1],
            "ticktext": ["private", "no privacy"],
            "showgrid": False,
            "zeroline": False,
        },
    )


def _tile(picture: np.ndarray) -> np.ndarray:
    """64 numbers as a square from below, 0 to 1, with a margin; brightest and darkest are its own."""
    low, high = picture.min(), picture.max()
    square = ((picture - low) / max(high - low, 1e-12)).reshape(8, 8)[::-1]
    return np.pad(np.kron(square, np.ones((10, 10))), 3, constant_values=0.5)


def match(result: InversionResult) -> dict:
    """How alike what is recovered and the truth are, over epsilon."""
    traces = []
    for which, (name, colour) in enumerate((("classes", theme.PRIVATE), ("planted record", "#c2559a"))):
        epsilons, (low, median, high) = result.over(which)
        _, plain = result.match(which)
        traces.append(
            theme.line(
                np.array([0.01, 150.0]), np.full(2, plain), colour=colour, name=name, dash="dot", hoverinfo="skip"
            )
        )
        if len(epsilons):
            traces.append(theme.band(epsilons, low, high, colour=colour))
        traces.append(theme.line(epsilons, median, colour=colour, name=name, mode="lines+markers"))
    now = [theme.diamond(result.settings.epsilon, result.match(which)[0]) for which in (0, 1)]
    legend = (
        f'<span style="color:{theme.PRIVATE}">━ classes</span><br><span style="color:#c2559a">━ planted record</span>'
    )
    return theme.figure(
        *traces,
        title=theme.title("How alike the picture and the truth are"),
        shapes=[theme.rule(result.settings.epsilon), *now],
        annotations=[word(legend + "<br>┅ without privacy", x=0.02, y=0.86)],
        xaxis=EPSILON_AXIS,
        yaxis={"title": {"text": "correlation"}, "range": [-0.3, 1.08]},
    )
