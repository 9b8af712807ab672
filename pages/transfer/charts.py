"""The transfer page's pictures: excess risk over epsilon and over migrated rows, the walk, and the
sources.
"""

from typing import Any

import numpy as np

from lab.experiment.parts import Grid
from lab.statistics.claims import Case
from pages.transfer.result import TransferResult
from pages.transfer.settings import LIMITS
from pages.transfer.tasks import CANDIDATES
from ui.charts import theme
from ui.charts.curves import Curve, Level, curve_chart, finding, grid_progress, quantile_curve

# Candidate -> (name, colour, dash).
STYLES = {
    "target": ("target only", theme.PRIVATE, "solid"),
    "source": ("source only", theme.MAUVE, "longdash"),
    "pooled": ("pooled", theme.GOLD, "longdashdot"),
    "transfer": ("source + private correction", theme.PUBLIC, "dashdot"),
}
WITHOUT = ("target only, non-private", theme.NON_PRIVATE, "dot")
# Those whose spread is drawn: what is promised nothing, or is not the question, is a line.
_BANDS = ("target", "transfer")
# Room for the longest numbers on a log axis, in pixels.
_LEFT = 58
_RISK = (1e-4, 1.0)  # of excess risks
# Lines that lie within this factor leave no room for two words between them.
_NEAR = 4.0
_NAMES = ("truth", "source", "first coefficient", "second coefficient")
_STROKES = {name: (4 * place - 9, 4 * place - 5) for place, name in enumerate(CANDIDATES)}
# From where the walks are shown to end nearer to the truth.
_NEARER = {
    Case.AHEAD: "those from the source end closer",
    Case.BEHIND: "those from zero end closer",
}


def risk(value: float) -> str:
    """Return an excess risk, to two digits and never 1e-05."""
    if value != value:
        return "…"
    if value < 1e-3:
        return f"{value:.1g}" if value >= 1e-4 else "below 0.0001"
    return f"{value:#.2g}".rstrip(".")


def walk(result: TransferResult) -> dict:
    """Draw all walks in the plane, from zero over the large polytope and around the source over the
    small one.
    """
    found, names = result.walks, _NAMES
    areas, ends = [], []
    for name, corners, points in zip(
        ("target", "transfer"), found.corners, found.points, strict=True
    ):
        colour, faint = STYLES[name][1], {"color": STYLES[name][1], "width": 1}
        ground = {"fillcolor": theme.rgba(colour, 0.07), "line": {"color": colour, "width": 1.6}}
        areas.append(theme.path_shape(theme.svg_path(corners) + "Z", layer="between", **ground))
        runs = "".join(map(theme.svg_path, np.moveaxis(points, 1, 0)))
        areas.append(theme.path_shape(runs, layer="between", line=faint, opacity=0.3))
        ends += [
            theme.dot(*end, colour=colour, radius=2.6, opacity=0.8, layer="between")
            for end in points[-1]
        ]
    reach = max(2.65, *(1.05 * float(np.abs(one).max()) for one in (*found.corners, found.truth)))
    return theme.figure(
        _mark(found.source, names[1], "diamond-open", theme.PUBLIC),
        _mark(found.truth, names[0], "x-thin", theme.CURRENT),
        left=_LEFT,
        title="Frank-Wolfe runs",
        finding=_NEARER.get(result.nearer, ""),
        shapes=areas + ends,
        legend=True,
        annotations=_captions(result),
        xaxis=theme.axis(names[2], -reach, reach) | {"dtick": 1, "zeroline": False},
        yaxis=theme.axis(names[3], -reach, reach) | {"dtick": 1, "zeroline": False},
    )


def _mark(at: np.ndarray, name: str, symbol: str, colour: str) -> dict:
    hover = f"{name}: (%{{x:.2f}}, %{{y:.2f}})<extra></extra>"
    return theme.markers(
        at[:1], at[1:], name=name, colour=colour, size=13, symbol=symbol, hover=hover
    )


def _captions(result: TransferResult) -> list[dict]:
    near = f"around the source, radius {result.settings.radius:.2g}"
    return [
        theme.note(theme.coloured("from zero", theme.PRIVATE), "upper left"),
        theme.note(theme.coloured(near, theme.PUBLIC), "lower right"),
    ]


def sources(result: TransferResult) -> dict:
    """Draw each source by the norm of its contrast, and the threshold h, left of which sources are
    transferable.
    """
    settings, found = result.settings, result.sources()
    norms, harms, used, near = (
        found[name].to_numpy() for name in ("norm", "excess risk", "used", "transferable")
    )
    # A range in whole decades that holds the thresholds one can choose and all sources
    low, high = 0.015, max(LIMITS["h"][1], float(norms.max()), settings.h)
    high = 30.0 if high <= 25 else 10 ** np.ceil(np.log10(high * 1.01))
    dots = theme.scatter(
        np.clip(norms, low * 1.15, high / 1.15),
        np.clip(harms, _RISK[0] * 1.3, _RISK[1] / 1.3),
        mode="markers+text",
        text=[str(one) for one in found["source"]],
        textfont={"size": 13},
        customdata=np.column_stack([norms, harms, 100 * used]).round(4).tolist(),
        hovertemplate=(
            "source %{text}: norm %{customdata[0]:.3~g}, excess risk %{customdata[1]:.2~g}, "
            "used in %{customdata[2]:.0f} % of runs<extra></extra>"
        ),
        marker={
            "size": 23,
            "color": [theme.rgba(theme.PUBLIC, 0.03 + 0.5 * share) for share in used],
            "line": {
                "width": 2,
                "color": [theme.PUBLIC if one else theme.NON_PRIVATE for one in near],
            },
        },
    )
    region = {
        "type": "rect",
        "x0": low,
        "x1": settings.h,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "layer": "below",
    }
    region |= {"fillcolor": theme.rgba(theme.PUBLIC, 0.1), "line": {"width": 0}}
    shown = f"{near.sum()} of {settings.sources} within h = {settings.h:.3g}"
    if settings.selection == "detected":
        shown += "; filled: found"
    side, shift = ("right", -4) if settings.h > 0.12 else ("left", 4)
    place: dict[str, Any] = {
        "y": 1,
        "yref": "paper",
        "xanchor": side,
        "yanchor": "top",
        "xshift": shift,
    }
    return curve_chart(
        dots,
        current=settings.h,
        left=_LEFT,
        legend=False,
        title="Sources",
        finding=shown,
        shapes=[region],
        annotations=[
            theme.annotation("transferable", size=13, x=float(np.log10(settings.h)), **place)
        ],
        xaxis=theme.log_axis(
            f"coefficient difference, q = {settings.q:.2g} (log scale)", low, high, max_ticks=8
        ),
        yaxis=theme.log_axis("excess risk of the source itself (log scale)", *_RISK, max_ticks=8),
    )


def over_epsilon(result: TransferResult) -> dict:
    """Draw the excess risk over epsilon; at today's, a stroke for each repeat."""
    low, high = LIMITS["epsilon"]
    name = "nominal epsilon" if result.settings.noise == "printed" else "epsilon"
    axis = theme.log_axis(f"{name} (log scale)", low / 1.2, high * 1.2, max_ticks=8)
    return _risks(
        result, result.over_epsilon, name, axis, now=result.settings.epsilon, shown=_ahead(result)
    )


# Where the sources are shown to help.
_AHEAD = {
    "everywhere": "the sources help at every epsilon",
    "from": "the sources help from {at:g} on",
    "upto": "the sources help up to {at:g}",
    "harms": "the sources harm at every epsilon",
    "unshown": "no help is shown",
    "few": "too few runs to say",
}


def _ahead(result: TransferResult) -> str:
    """Return for which epsilons the sources help; or how far the curves have come."""
    grid = result.over_epsilon
    return grid_progress(grid.arms[0]) or finding(_AHEAD, result.over_epsilon_beside(), grid.at)


def over_migrated(result: TransferResult) -> dict:
    """Draw the excess risk over the number of migrated rows, at today's epsilon."""
    low, high = result.settings.limits["migrated"]
    axis = theme.log_axis(
        "public rows of all sources (log scale)", low / 1.2, high * 1.2, max_ticks=8
    )
    return _risks(result, result.over_migrated, "public rows", axis, now=result.settings.migrated)


def _risks(
    result: TransferResult, grid: Grid, name: str, xaxis: dict, *, now: float, shown: str = ""
) -> dict:
    """Draw the excess risks of the candidates over a parameter."""
    plain, nothing = max(result.focus.least_squares, _RISK[0]), result.nothing_learnt
    curves = []
    for arm, runs, (who, spread) in zip(
        grid.arms, result.focus.risk, result.summary().items(), strict=True
    ):
        label, colour, dash = STYLES[who]
        curves.append(
            quantile_curve(
                label,
                colour,
                arm.over(),
                spread,
                band=who in _BANDS,
                scale=1,
                value=theme.padded(risk(spread.median)),
                dash=dash,
                has_dot=who == "transfer",
                pinned=who == "transfer",
                strokes=np.maximum(runs, _RISK[0]),
                stroke_span=_STROKES[who],
            )
        )
    # Near to one another, the words stand on the outer sides of their lines
    crossed = plain < nothing < _NEAR * plain
    named = Level(y=plain, name=WITHOUT[0], side="right", below=crossed)
    yaxis = theme.log_axis("excess risk (log scale)", *_RISK, max_ticks=8)
    return curve_chart(
        Curve(name=WITHOUT[0], colour=WITHOUT[1], y=plain, listed=False),
        *curves,
        current=now,
        levels=[
            Level(
                y=nothing, name="predict 0", dash="dash", width=1.2, side="right", below=not crossed
            )
        ],
        annotations=[named.word(yaxis)],
        left=_LEFT,
        title=f"Excess risk by {name}",
        finding=shown,
        xaxis=xaxis,
        yaxis=yaxis,
    )


def published(result: TransferResult) -> dict:
    """Draw the published values beside the control: five rows alone, and more epochs."""
    frame, penalty = result.published.frame(), result.published.penalty
    named = {"1": "L1", "2": "squared L2"}[result.published.q]
    table, control = frame[frame["noisy"]], frame[~frame["noisy"]].dropna(subset=["value"])
    printed = theme.markers(
        np.full(len(table), 50.0),
        table["published"],
        mode="markers+text",
        text=[
            "0 and 5 migrated",
            "",
            *(f"{rows} migrated" for rows in table["migrated"][2:]),
        ],  # two in one place
        textposition=["top right", *["middle right"] * 4],
        symbol="circle-open",
        size=10,
        colour=theme.BOUND,
        hover="published: %{y:.4~g}<extra></extra>",
    )
    x, y = control["epochs"], control["value"]
    least = 0.01 if y.min() <= 0.1 else 0.1
    return curve_chart(
        Curve(name="5 rows, more passes", x=x, y=y, colour=theme.PRIVATE, dots=7),
        printed,
        left=_LEFT,
        legend=False,
        title="Five rows alone, with more passes",
        xaxis=theme.axis(
            "passes over the rows (log scale)", 30, 8000, log=True, ticks=(50, 500, 5000)
        ),
        yaxis=theme.log_axis(
            f"training MSE + {penalty:g} {named} (log scale)", least, 100, max_ticks=8
        ),
    )
