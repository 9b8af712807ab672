"""Charts of epsilon by steps, by noise and by what else changes it, and of the cost of tuning.

``finding``: what a picture shows, for its title.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpcore.privacy import Guarantee
from lab.experiment.accounting_tasks import PUBLISHED
from pages.accounting.result import ROWS, AccountingResult
from ui.charts import theme
from ui.charts.curves import Curve, Level, over
from ui.text.numbers import delta
from ui.text.numbers import number as number_text
from ui.text.texts import Texts

SAYS = Texts(__file__)
# What of a search is released: its name and colour.
WAYS = {
    "logarithmic": ("best only, logarithmic", theme.MAUVE),
    "geometric": ("best only, geometric", theme.SAGE),
    "poisson": ("best only, Poisson", theme.GOLD),
    "all": ("all tries", theme.PRIVATE),
}
# In the first picture the published figure, which is no bound, is left out, and what is nearly the
# exact count is thin.
FIRST = tuple(row for row in ROWS if row != PUBLISHED)
_LOW, _HIGH, _HIGHEST = 0.01, 3000.0, 1e6

Points = tuple[np.ndarray, np.ndarray]


def over_steps(result: AccountingResult, finding: str = "") -> dict:
    """Draw epsilon as the run goes on, by each theorem."""
    chart = {"title": "Epsilon by steps", "finding": finding}
    return _curves(result, result.over_steps, FIRST, thin="renyi", field="steps", **chart)


def over_noise(result: AccountingResult, finding: str = "") -> dict:
    """Draw epsilon of a run of this length over the noise multiplier, by each theorem."""
    chart = {"title": "Epsilon by noise", "finding": finding}
    return _curves(result, result.over_noise, ROWS, field="noise_multiplier", **chart)


def _curves(
    result: AccountingResult,
    points: Callable[[str], Points],
    rows: Sequence[str],
    *,
    field: str,
    thin: str = "",
    **chart: Any,
) -> dict:
    """Draw the curves of ``rows`` over a field, with what this run costs by those that are not
    ``thin``.
    """
    now, (low, high) = getattr(result.settings, field), result.settings.LIMITS[field]
    published, line = result.epsilon(PUBLISHED), {"color": theme.THEOREMS[PUBLISHED][1], "width": 2}
    cross = theme.mark(
        "M-4,-4L4,4M-4,4L4,-4", now, published, line=line, visible=0 < published < np.inf
    )
    today = [one for row in rows if row != thin and 0 < (one := result.epsilon(row)) < np.inf]
    return over(
        *(_curve(result, row, points(row), result.epsilon(row), thin=row == thin) for row in rows),
        now=now,
        rule={
            "yref": "y",
            "y0": min(today, default=_LOW),
            "y1": min(_HIGH, max(today, default=_LOW)),
        },
        levels=[
            Level(
                y=result.settings.target_epsilon,
                name=SAYS["chart.target"],
                colour=theme.BOUND,
                inked=True,
            )
        ],
        shapes=[cross] if PUBLISHED in rows else (),
        **chart,
        xaxis=_log_axis(f"{field.replace('_', ' ')} (log scale)", low, high),
        yaxis=_log_axis("epsilon (log scale)", _LOW, _HIGH),
    )


def _curve(
    result: AccountingResult,
    row: str,
    points: Points,
    today: float,
    *,
    value: str = "",
    thin: bool = False,
) -> Curve:
    """Draw what one row of the accounting page says, and says today, written as ``value``."""
    name, colour, dash = theme.THEOREMS[row]
    dotted = 0 < today < np.inf and row != PUBLISHED and not thin
    return Curve(
        name=result.settings.tightest if row == "pld" else name,
        value=value or number(today),
        x=points[0],
        y=points[1],
        colour=colour,
        dash=dash,
        width=1 if thin else None,
        at_now=today if dotted else None,
        ghost=row == "pld",
    )


def number(value: float) -> str:
    """Return three digits, in powers of ten where that is shorter; dots where it is still being
    computed.
    """
    return "…" if np.isnan(value) else number_text(value, most=1e6)


def _log_axis(text: str, low: float, high: float, *, most: int = 7) -> dict:
    """Return a log axis with a little room beside its ends."""
    return theme.log_axis(text, 0.87 * low, 1.15 * high, most=most, word="{:,.10g}".format)


def effects(result: AccountingResult, finding: str = "") -> dict:
    """Draw the same noise seen from elsewhere: each epsilon beside that of this run."""
    found = result.effects()
    drawn = [
        (place, held)
        for place, held in enumerate(found.values())
        if held and 0 < held.epsilon < np.inf
    ]
    at, epsilon = (
        np.array([place for place, _ in drawn]),
        np.array([held.epsilon for _, held in drawn]),
    )
    # One broken line for all: a stroke at this run's epsilon, and the link from there to the other.
    here, gap = (
        np.full(len(at), found["run"].epsilon if found["run"] else np.nan),
        np.full(len(at), np.nan),
    )
    links = (
        np.column_stack([here, here, gap, here, epsilon, gap]).ravel(),
        np.column_stack([at - 0.2, at + 0.2, gap, at, at, gap]).ravel(),
    )
    said = [
        f"delta {delta(held.delta, digits=3)}, {held.adjacency}, {held.unit}" for _, held in drawn
    ]
    hover = "epsilon %{x:.3~g}; %{customdata}<extra></extra>"
    style: dict[str, Any] = {
        "name": "epsilon",
        "customdata": said,
        "cliponaxis": False,
        "meta": theme.GHOST,
    }
    return theme.figure(
        theme.line(*links, colour=theme.NON_PRIVATE, name="", dash="solid", hoverinfo="skip"),
        theme.markers(epsilon, at, colour=theme.PRIVATE, size=11, hover=hover, **style),
        left=12,
        right=16,
        title="Largest effect",
        finding=finding,
        xaxis=_log_axis(
            "epsilon (log scale)",
            _LOW,
            _HIGH if epsilon.max(initial=0) <= _HIGH else _HIGHEST,
            most=4,
        ),
        yaxis={
            "range": [len(found) - 0.6, -0.8],
            "showticklabels": False,
            "showgrid": False,
            "zeroline": False,
        },
        annotations=[_named(result, place, name, found[name]) for place, name in enumerate(found)],
    )


def _named(result: AccountingResult, place: int, name: str, held: Guarantee | None) -> dict:
    """Draw the name of an effect over its line, with its epsilon, and its delta where that is not
    the run's.
    """
    epsilon = number(held.epsilon if held else np.nan)
    if held and held.delta != result.settings.delta:
        epsilon += f"</b>, δ {delta(held.delta, digits=3)}<b>"
    text = theme.key(effect_name(name, result), epsilon)
    return theme.word(
        text, x=0, y=place - 0.22, size=13, xref="paper", xanchor="left", yanchor="bottom"
    )


def effect_name(name: str, result: AccountingResult) -> str:
    """Return what an effect is called: with how many people, and how many settings."""
    one = result.settings
    alone = {"group": one.people == 1, "tuned": one.settings_tried == 1}.get(name)
    case = one.afterwards if name == "afterwards" else f"{name}_one" if alone else name
    return SAYS(f"effect.{case}", people=one.people, tried=one.settings_tried)


def searches(result: AccountingResult, finding: str = "") -> dict:
    """Draw what a search costs over how likely it finds a good setting, by what of it is
    released.
    """
    run = result.held.epsilon
    low, high = (
        theme.steady_range(0.8 * run, 20 * run) if 0 < run < np.inf else np.log10([_LOW, _HIGH])
    )
    return over(
        *(_search(result, way) for way in WAYS),
        levels=[Level(y=run if 0 < run < np.inf else _LOW)],
        title="Cost of tuning",
        finding=finding,
        shapes=[mark for way in WAYS for mark in _now(result, way)],
        xaxis=theme.share_axis(
            "probability of one of the best 10\u00a0% of configurations", 1.02, step=0.2
        ),
        yaxis=theme.log_axis(
            "epsilon (log scale)", 10**low, 10**high, most=5, word="{:,.10g}".format
        ),
    )


def _now(result: AccountingResult, way: str) -> list[dict]:
    """Return the mark of what is tried today, released in one way."""
    held = result.searches[way]
    if result.settings.settings_tried == 1 or held is None or not 0 < held.epsilon < np.inf:
        return []
    ghost = {"name": theme.GHOST} if way == "all" else {}
    return [theme.dot(result.chance(way), held.epsilon, colour=WAYS[way][1]) | ghost]


def _search(result: AccountingResult, way: str) -> Curve:
    """Draw epsilon of one way, with what it is today."""
    (name, colour), (x, y), held = WAYS[way], result.over_chance(way), result.searches[way]
    about = "about " if way == "all" else ""
    hover = f"probability %{{x:.0%}}: epsilon {about}%{{y:.3~g}}<extra>{name}</extra>"
    value = number(held.epsilon) if held and result.settings.settings_tried > 1 else ""
    return Curve(name=name, x=x, y=y, value=value, colour=colour, ghost=way == "all", hover=hover)
