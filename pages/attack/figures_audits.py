"""Audits in pictures: every mechanism of the lab against its claim, and one single training beside many."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pages.attack.audits.runs import AuditResult
from pages.attack.audits.table import AUDITS, CAUGHT, CONSISTENT, FAMILIES
from pages.attack.canaries import RETRAININGS, OnceResult
from pages.attack.figures import EPSILON_AXIS
from pages.attack.parameters import LIMITS
from ui.plot import bars, theme
from ui.plot.curves import Curve, over, trained
from ui.plot.theme import number

COLOURS = {"consistent": theme.PRIVATE, "caught": theme.CAUGHT, "void": theme.NON_PRIVATE}
# The two columns of the chart, of the same length.
FIRST_FAMILIES = (*FAMILIES[: FAMILIES.index("DP-FTRL")], "Frank-Wolfe")
COLUMNS = tuple(
    tuple(name for name, audit in AUDITS.items() if (audit.family in FIRST_FAMILIES) == first)
    for first in (True, False)
)
# What is measured below this is drawn here: nothing, on a log axis.
_LEAST = 0.055
_TICKS = ("0.1", "0.3", "1", "3", "10", "30")
_AXIS = {
    "title": {"text": "epsilon (log scale)"},
    "type": "log",
    "range": [-1.3, 1.7],
    "tickvals": [float(one) for one in _TICKS],
    "ticktext": list(_TICKS),
}
# Single trainings, and many: counting, and taking the noise for Gaussian.
ONE, MANY = theme.PRIVATE, {"count": theme.PINE, "gaussian": theme.MAUVE}
_MANY_RUNS = f"{2 * RETRAININGS:,} trainings"
BESIDE = {"count": f"{_MANY_RUNS}, counting", "gaussian": f"{_MANY_RUNS}, Gaussian form"}
# The axis of the summary: what was measured, in units of the claim.
_LOW, _HIGH, _CLOSE = 0.05, 40.0, 0.08


def summary(result: AuditResult, *, broken: bool) -> dict:
    """Draw each audit of a sound mechanism, or of a broken one, by family: a dot at the bound over the claim."""
    rows = {family: len(FAMILIES) - 1 - at for at, family in enumerate(FAMILIES)}
    done = [name for name in result.bounds if (AUDITS[name].expected != CONSISTENT) == broken]
    families = [AUDITS[name].family for name in done]
    found = np.array([np.clip(result.bounds[name].epsilon / AUDITS[name].epsilon, _LOW, _HIGH) for name in done])
    height = np.array([rows[family] for family in families]) + _spread(found, families)
    caught = sum(result.verdicts[name] == CAUGHT for name in done)
    said = f"{caught} of {len(done)} caught" if broken else f"{len(done) - caught} of {len(done)} within their claim"
    ends = {"range": [np.log10(_LOW) - 0.08, np.log10(_HIGH) + 0.08], "ticktext": ["0.1", "0.3", "claim", *_TICKS[3:]]}
    claimed = {"color": theme.BOUND, "width": 2, "dash": theme.DASHES[theme.BOUND]}
    return theme.figure(
        _dots(result, done, found, height, size=9, opacity=0.85),
        title=theme.title("Broken" if broken else "Correct", said if done else ""),
        shapes=[theme.rule(1) | {"line": claimed, "layer": "below"}],
        margin={"l": 132, "r": 16, "t": 34, "b": 44},
        xaxis=_AXIS | {"title": {"text": "measured / claimed (log scale)"}} | ends,
        yaxis={
            "range": [-0.7, len(rows) - 0.3],
            "tickvals": list(rows.values()),
            "ticktext": list(rows),
            "zeroline": False,
        },
    )


def _dots(result: AuditResult, names: Sequence[str], x: np.ndarray, y: np.ndarray, **style: float) -> dict:
    return theme.scatter(
        x,
        y,
        mode="markers",
        name="audits",
        marker={"color": [COLOURS[result.verdicts[name]] for name in names], **style},
        text=[_told(result, name) for name in names],
        hovertemplate="%{text}<extra></extra>",
    )


def _spread(found: np.ndarray, families: Sequence[str]) -> np.ndarray:
    """Return how far up or down each dot is moved, so that dots of one row that lie close do not cover each other."""
    moved, steps = np.zeros(len(found)), (0.0, 0.26, -0.26)
    last: dict[str, tuple[float, int]] = {}
    for at in np.argsort(found):
        place, turn = last.get(families[at], (-np.inf, 0))
        turn = (turn + 1) % len(steps) if np.log10(found[at]) - place < _CLOSE else 0
        moved[at], last[families[at]] = steps[turn], (float(np.log10(found[at])), turn)
    return moved


def _told(result: AuditResult, name: str) -> str:
    one = AUDITS[name]
    shown = f"claims {one.epsilon:.3g}, lower bound {result.bounds[name].epsilon:.3g}"
    return f"{one.family}: {one.what}<br>{shown}: {result.verdicts[name]}"


def audits(result: AuditResult, names: Sequence[str]) -> dict:
    """Draw each audit: a bar to what was measured, a stroke at the claim, and the name above, so that a phone has
    room."""
    done = [name for name in names if name in result.bounds]
    place = {name: len(names) - 1 - at for at, name in enumerate(names)}
    found = np.array([max(result.bounds[name].epsilon, _LEAST) for name in done])
    bar = {"type": "rect", "x0": 0.05, "opacity": 0.5, "line": {"width": 0}}
    bars_drawn = [
        bar | {"x1": x, "y0": at - 0.36, "y1": at - 0.08, "fillcolor": COLOURS[result.verdicts[name]]}
        for name, x, at in zip(done, found.tolist(), (place[name] for name in done), strict=True)
    ]
    claims = [
        bars.stroke((AUDITS[name].epsilon,) * 2, (at - 0.46, at + 0.02), colour=theme.BOUND, width=3)
        for name, at in place.items()
    ]
    side: dict[str, Any] = {"x": 0, "xref": "paper", "xanchor": "left", "yref": "y", "yanchor": "middle"}
    return theme.figure(
        _dots(result, done, found, np.array([place[name] - 0.22 for name in done]), size=7),
        title=theme.title("Claimed epsilon and lower bound"),
        shapes=[*bars_drawn, *claims],
        annotations=[
            theme.word(f"{AUDITS[name].family}: {AUDITS[name].what}", y=at + 0.22, size=12, **side)
            for name, at in place.items()
        ],
        margin={"l": 12, "r": 16, "t": 34, "b": 44},
        xaxis=_AXIS,
        yaxis={"range": [-0.7, len(names) - 0.3], "visible": False},
    )


def canaries(result: OnceResult) -> dict:
    coins, (right, guesses, _), (low, high) = result.now.coins, result.first, result.edges
    seen, edges = np.clip(result.standing, -5.99, 5.99), np.linspace(-6, 6, 41)
    sides = {theme.WITH_YOU: coins, theme.WITHOUT_YOU: ~coins}
    return bars.histogram(
        edges,
        {colour: np.histogram(seen[side], edges)[0] / len(seen) for colour, side in sides.items()},
        title=theme.title("One training", f"{right} of {guesses} guesses correct"),
        shapes=[_guessed(-6.0, max(low, -6.0)), _guessed(min(high, 6.0), 6.0)],
        annotations=[
            theme.note(theme.ink("◂ guessed<br>“first class”", theme.WITHOUT_YOU), "upper left", align="left"),
            theme.note(theme.ink("guessed ▸<br>“second class”", theme.WITH_YOU), "upper right", align="left"),
        ],
        xaxis=theme.axis("weight of the canary (standard deviations)", -6, 6),
        yaxis=theme.share_axis("share of canaries", 0.16, step=0.04),
    )


def _guessed(low: float, high: float) -> dict:
    ends = {"x0": low, "x1": high, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
    return {"type": "rect", "fillcolor": theme.NOW, "opacity": 0.12, "line": {"width": 0}} | ends


def beside(result: OnceResult) -> dict:
    frame, now, (low, median, high) = result.curve, result.beside, result.spread
    drawn = frame[["low", "median", "high", *MANY]].clip(lower=_LEAST)
    done = {name: drawn[name].notna() for name in ("median", *MANY)}
    ends = np.array(LIMITS["epsilon"])
    claimed = Curve(name="claimed", x=ends, y=ends, colour=theme.BOUND, more={"hoverinfo": "skip"})
    alone = Curve(
        name="one training, median",
        x=frame["epsilon"][done["median"]],
        y=drawn.loc[done["median"], ["low", "median", "high"]].T,
        value=number(median),
        colour=ONE,
        dots=6,
        at_now=(max(low, _LEAST), max(median, _LEAST), max(high, _LEAST)),
        ghost=True,
    )
    many = [
        Curve(
            name=BESIDE[form],
            x=frame["epsilon"][done[form]],
            y=drawn[form][done[form]],
            value=number(now[form].epsilon) if form in now else "",
            colour=colour,
            dots=6,
        )
        for form, colour in MANY.items()
    ]
    return over(
        claimed,
        alone,
        *many,
        now=result.settings.epsilon,
        title=theme.title("Audits of each claim", trained(int(done["median"].sum()), len(frame))),
        legend=True,
        xaxis=EPSILON_AXIS | {"title": {"text": "claimed epsilon (log scale)"}},
        yaxis=_AXIS | {"title": {"text": "epsilon, lower bound (log scale)"}, "range": [-1.3, 2.2]},
    )
