"""The other parts of the attack in pictures: membership, who pays, and inversion."""

import numpy as np

from lab.experiment.settings import Spread
from pages.attack.charts import EPSILON_AXIS
from pages.attack.fairness import GROUPS, GroupsResult
from pages.attack.inversion import RECORD, InversionResult
from pages.attack.membership import ATTACKS, RATES, MembersResult
from ui.charts import bars, theme
from ui.charts.curves import Curve, accuracies, measured, over, progress, trained
from ui.text.numbers import percent

ARMS = {"private": ("private", theme.PRIVATE), "plain": ("non-private", theme.NON_PRIVATE)}
# What no attack can pass, and how it is drawn.
ALLOWED = {
    "promised": ("bound of epsilon, delta", "dash"),
    "gaussian": ("bound of this noise", "dot"),
}
DASHES = dict(zip(ATTACKS, ("solid", "dash"), strict=True))
INSIDE, OUTSIDE = theme.WITH_YOU, theme.WITHOUT_YOU
GROUP_COLOURS = {"majority": theme.PRIVATE, "minority": theme.PINE}
RECOVERED = {"classes": theme.PRIVATE, "planted record": theme.PINE}
_LOG_SHARE = {
    "type": "log",
    "tickvals": [0.001, 0.01, 0.1, 1],
    "ticktext": ["0.1 %", "1 %", "10 %", "100 %"],
}


def roc(result: MembersResult) -> dict:
    """Draw members found over false alarms, both on log axes, under the frontier of the guarantee.

    In the legend: what is found with one false alarm in 100, by the likelihood ratio.
    """
    frame, at = result.frontier, np.abs(RATES - 0.01).argmin()
    guessing = {"opacity": 0.6, "hoverinfo": "skip", "showlegend": False}
    curves = [Curve(name="guessing", x=RATES, y=RATES, colour=theme.NON_PRIVATE, more=guessing)]
    curves += [
        Curve(
            name=text,
            x=RATES,
            y=frame[name],
            value=found(frame[name][at]),
            colour=theme.BOUND,
            dash=dash,
            hover=f"false positives %{{x:.2%}}: at most %{{y:.2%}}<extra>{text}</extra>",
        )
        for name, (text, dash) in ALLOWED.items()
    ]
    for (arm, attack), curve in result.curves.items():
        (text, colour), best = ARMS[arm], attack == ATTACKS[0]
        curves.append(
            Curve(
                name=text,
                x=RATES,
                y=np.maximum(curve, 1e-5),
                value=found(result.at(arm, attack, 0.01)),
                colour=colour,
                dash=DASHES[attack],
                listed=best,
                ghost=best and arm == "private",
                hover=(
                    f"false positives %{{x:.2%}}: finds %{{y:.2%}}<extra>{text}, {attack}</extra>"
                ),
            )
        )
    return over(
        *curves,
        now=0.01,
        title="Members found",
        finding="at 1 % FPR",
        xaxis=_LOG_SHARE
        | {
            "title": {"text": "false-positive rate (log scale)"},
            "range": [-3.05, 0.05],
        },
        yaxis=_LOG_SHARE | {"title": {"text": "members found (log scale)"}, "range": [-3.6, 0.1]},
    )


def found(share: float) -> str:
    """Return a share of members in percent, with a decimal where few are found."""
    return f"{100 * share:.{1 if share < 0.1 else 0}f}\u00a0%"


def margins(result: MembersResult, arm: str) -> dict:
    reach = 8.0 if arm == "private" else 16.0
    edges = np.linspace(-reach, reach, 41)
    inside, outside = (
        np.histogram(np.clip(some, -reach * 0.999, reach * 0.999), edges)[0] / len(some)
        for some in result.margins(arm)
    )
    members, others = result.right(arm)
    marks = [
        -reach,
        -reach / 2,
        0.0,
        reach / 2,
        reach,
    ]  # what lies further out is counted at the ends
    names = [f"≤ {marks[0]:g}", *(f"{mark:g}" for mark in marks[1:-1]), f"≥ {marks[-1]:g}"]
    words = f"{theme.ink('■ members', INSIDE)}<br>{theme.ink('■ others', OUTSIDE)}"
    return bars.histogram(
        edges,
        {INSIDE: inside, OUTSIDE: outside},
        title="Private" if arm == "private" else "Non-private",
        finding=f"in {percent(members)}, out {percent(others)}",
        annotations=[theme.note(words, "upper left", size=12, align="left")],
        xaxis=theme.axis("true-class logit", -reach, reach)
        | {
            "tickvals": marks,
            "ticktext": [name.replace("-", "−") for name in names],
        },
        yaxis=theme.share_axis("share of people", 0.24, step=0.05),
    )


def groups(result: GroupsResult) -> dict:
    curves: list[Curve] = []
    for group, (name, colour) in enumerate(GROUP_COLOURS.items()):
        plain = result.plain[group, -1]
        now = Spread.of(result.now[group, -1])
        curves += [
            Curve(
                name=f"{name}, non-private", y=100 * plain, colour=colour, dash="dot", listed=False
            ),
            measured(
                name, colour, result.over(group), now, band=True, dots=6, ghost=name == GROUPS[-1]
            ),
        ]
    return accuracies(
        *curves,
        now=result.settings.epsilon,
        title="Accuracy",
        finding=_evenly(result),
        xaxis=EPSILON_AXIS,
    )


def _evenly(result: GroupsResult) -> str:
    """Return from which epsilon on the minority loses at most two points more than the majority; or
    how far the curve is.
    """
    (epsilons, (_, large, _)), (_, (_, small, _)) = result.over(0), result.over(1)
    if progress := trained(len(epsilons), len(result.curve.at)):
        return progress
    apart = (result.plain[1, -1] - small) - (result.plain[0, -1] - large)
    uneven = np.flatnonzero(apart > 0.02)
    first = uneven[-1] + 1 if len(uneven) else 0
    return f"similar loss from epsilon {epsilons[first]:g}" if 0 < first < len(epsilons) else ""


def by_class(result: GroupsResult, group: int) -> dict:
    names, name = list(result.classes), GROUPS[group]
    ticks = {
        "tickvals": list(range(1, len(names) + 1)),
        "ticktext": names,
        "showgrid": False,
        "zeroline": False,
    }
    return bars.bars(
        100 * result.by_class()[:, group],
        reference=100 * result.plain[group, :-1],
        colours=[GROUP_COLOURS[name]] * len(names),
        hover={
            "name": name,
            "text": names,
            "hovertemplate": f"%{{text}}: %{{y:.1f}} %<extra>{name}</extra>",
        },
        beside=theme.NON_PRIVATE,
        title=name.capitalize(),
        finding="accuracy by class",
        xaxis={"range": [0.4, len(names) + 0.6]} | ticks,
        yaxis=theme.axis("test accuracy, %", 0, 102, ticks=range(0, 101, 20)),
    )


# A sheet of pictures has this many in a row, each with its name in a strip under it, of this part
# of its height.
_ACROSS, _STRIP = 4, 0.2
# Shades of a picture, and the colour after them, which is none.
_GREYS, _NOTHING = 32, ("#000000", 0.0)
_NAMES = (*map(str, range(10)), "planted", "truth")


def pictures(result: InversionResult, *, private: bool) -> dict:
    """Draw what the weights of one model show: the ten classes, the planted record, and what it
    truly is.
    """
    seen = result.now if private else result.plain
    tiles = [_tile(picture) for picture in (*seen.classes[0], seen.record[0], RECORD)]
    rows = [np.hstack(tiles[first : first + _ACROSS]) for first in range(0, len(tiles), _ACROSS)]
    size = len(rows), len(rows) * (1 + _STRIP)
    greys = [
        (f"#{shade:02x}{shade:02x}{shade:02x}", 1.0)
        for shade in np.linspace(20, 245, _GREYS).astype(int)
    ]
    strip = np.full((round(_STRIP * len(rows[0])), rows[0].shape[1]), _GREYS, np.uint8)
    source = theme.image(
        np.vstack([part for row in reversed(rows) for part in (strip, row)]), [*greys, _NOTHING]
    )
    now = "Private weights" if private else "Non-private weights"
    alike = result.match(1)[0 if private else 1]
    bare = {"visible": False, "fixedrange": True, "constrain": "domain"}
    square = {
        "scaleanchor": "x",
        "constraintoward": "top",
    }  # a pixel is a square, whatever the chart's size
    return theme.figure(
        theme.holder(_ACROSS / 2, -9.0),
        images=[theme.ground(source, left=0, top=size[1], width=_ACROSS, height=size[1])],
        title=now,
        finding=f"record {alike:.2f}".replace("-", "−"),
        annotations=[_named(name, at, rows=size[0]) for at, name in enumerate(_NAMES)],
        margin={"l": 12, "r": 12, "t": 34, "b": 8},
        xaxis={"range": [0, _ACROSS]} | bare,
        yaxis={"range": [0, size[1]]} | bare | square,
    )


def _tile(picture: np.ndarray) -> np.ndarray:
    """Return 64 numbers as a square of shades from below, with a margin of none; brightest and
    darkest are its own.
    """
    low, high = picture.min(), picture.max()
    square = ((picture - low) / max(high - low, 1e-12)).reshape(8, 8)[::-1]
    shades = np.clip(np.round((_GREYS - 1) * square), 0, _GREYS - 1).astype(np.uint8)
    return np.pad(np.kron(shades, np.ones((12, 12), np.uint8)), 2, constant_values=_GREYS)


def _named(name: str, at: int, *, rows: int) -> dict:
    down, across = divmod(at, _ACROSS)
    place = {"x": across + 0.5, "y": (rows - 1 - down + _STRIP / 2 / (1 + _STRIP)) * (1 + _STRIP)}
    font = {"xref": "x", "yref": "y", "showarrow": False, "font": {"size": 12}}
    return {"text": name, "xanchor": "center", "yanchor": "middle"} | place | font


def match(result: InversionResult) -> dict:
    curves: list[Curve] = []
    for which, (name, colour) in enumerate(RECOVERED.items()):
        grid = result.curve.arms[which]
        private, plain = result.match(which)
        now = Spread.of(result.now.match[which])
        style = {"value": f"{private:.2f}", "dots": 6, "ghost": name == "planted record"}
        curves += [
            Curve(name=f"{name}, non-private", y=plain, colour=colour, dash="dot", listed=False),
            measured(name, colour, grid.over(), now, band=True, scale=1, **style),
        ]
    return over(
        *curves,
        now=result.settings.epsilon,
        title="Correlation",
        finding=progress(grid),
        xaxis=EPSILON_AXIS,
        yaxis=theme.axis("correlation with the truth", -0.45, 1.08),
    )
