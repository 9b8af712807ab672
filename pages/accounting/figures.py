"""Charts of epsilon by steps, by noise and by what else changes it, and of the cost of tuning.

``finding``: what a picture shows, for its title.
"""

from typing import Any

import numpy as np

from dpcore.accountants.asymptotic import PROVED
from pages.accounting.result import ROWS, AccountingResult
from ui.plot import theme
from ui.plot.curves import Curve, Level, over

EFFECTS = {
    "run": "this run",
    "unsampled": "no subsampling",
    "group": "{people}",
    "afterwards": "{afterwards}",
    "tuned": "{settings_tried} tried",
    "replaced": "replace-one adjacency",
}
AFTERWARDS = {
    "nothing": "no post-processing",
    "average": "weights averaged",
    "round": "weights rounded",
    "predict": "a million predictions",
}
# What of a search is released: its name and colour.
WAYS = {
    "logarithmic": ("best only, logarithmic", theme.MAUVE),
    "geometric": ("best only, geometric", theme.SAGE),
    "poisson": ("best only, Poisson", theme.GOLD),
    "all": ("all tries", theme.PRIVATE),
}
# In the first picture the published figure, which is no bound, is left out, and what is nearly the exact count is thin.
FIRST = tuple(row for row in ROWS if row != "published")
_THIN = "renyi"
_LOW, _HIGH, _HIGHEST = 0.01, 3000.0, 1e6
# The accountants that are sharp enough to say which constant a theorem needs, and between which ends it is drawn.
_SHARP, _CONSTANTS = ("moments", "renyi", "pld"), (0.5, 100.0)


def over_steps(result: AccountingResult, finding: str = "") -> dict:
    """Epsilon as the run goes on, by each theorem."""
    now, title = result.settings.steps, theme.title("Epsilon by steps", finding)
    # Where a step costs little all curves begin low, and where it costs much they end high.
    free = "upper left" if result.one_step < 1 else "lower right"
    return _curves(result, result.over_steps, FIRST, now=now, field="steps", title=title, legend=free)


def over_noise(result: AccountingResult, finding: str = "") -> dict:
    """Epsilon of a run of this length over the noise multiplier, by each theorem."""
    now, title = result.settings.noise_multiplier, theme.title("Epsilon by noise", finding)
    return _curves(
        result, result.over_noise, ROWS, now=now, field="noise_multiplier", title=title, legend="upper right"
    )


def _curves(result: AccountingResult, points, rows, *, now: float, field: str, title: dict, legend: str) -> dict:
    thin = _THIN if rows is FIRST else ""
    today = [one for row in rows if row != thin and 0 < (one := result.epsilon(row)) < np.inf]
    ends = {"yref": "y", "y0": min(today, default=_LOW), "y1": min(_HIGH, max(today, default=_LOW))}
    low, high = result.settings.LIMITS[field]
    return over(
        *(
            _curve(result, row, *points(row), result.epsilon(row), width=1 if row == thin else None, listed=row != thin)
            for row in rows
        ),
        now=now,
        rule=ends,
        levels=[Level(y=result.settings.target_epsilon, colour=theme.BOUND)],
        shapes=[_cross(now, result.epsilon("published"))] if "published" in rows else (),
        title=title,
        legend=legend,
        xaxis=_log_axis(f"{field.replace('_', ' ')} (log scale)", low, high),
        yaxis=_log_axis("epsilon (log scale)", _LOW, _HIGH),
    )


def _curve(result: AccountingResult, row: str, at: np.ndarray, found: np.ndarray, today: float, **more: Any) -> Curve:
    """Draw what one row of the accounting page says, and says today."""
    name, colour, dash = theme.THEOREMS[row]
    name = result.settings.tightest if row == "pld" else name
    style = {"colour": colour, "dash": dash, "ghost": row == "pld"}
    dot = today if more.get("listed", True) and 0 < today < np.inf and row != "published" else None
    return Curve(name=name, x=at, y=found, **({"value": number(today), "at_now": dot} | style | more))


def _cross(x: float, y: float) -> dict:
    """Draw what this run costs by the published theorem, which is no bound."""
    line = {"color": theme.THEOREMS["published"][1], "width": 2}
    return theme.mark("M-4,-4L4,4M-4,4L4,-4", x, y, line=line, visible=0 < y < np.inf)


def number(value: float) -> str:
    """Three digits, in powers of ten where that is shorter; dots where it is still being computed."""
    return "…" if np.isnan(value) else theme.number(value, most=1e6)


def _log_axis(text: str, low: float, high: float, *, most: int = 7) -> dict:
    """Return a log axis with a little room beside its ends."""
    return theme.log_axis(text, 0.87 * low, 1.15 * high, most=most, word="{:,.10g}".format)


def effects(result: AccountingResult, finding: str = "") -> dict:
    """The same noise seen from elsewhere: each epsilon beside that of this run."""
    found = result.effects()
    start = found[0].guarantee
    first = start.epsilon if start is not None else np.nan
    drawn = [(place, one.guarantee) for place, one in enumerate(found) if _drawable(one.guarantee)]
    at, epsilon = np.array([place for place, _ in drawn]), np.array([held.epsilon for _, held in drawn])
    # One broken line for all: a stroke at this run's epsilon, and the link from there to the other.
    here, gap = np.full(len(at), first), np.full(len(at), np.nan)
    links = (
        np.column_stack([here, here, gap, here, epsilon, gap]).ravel(),
        np.column_stack([at - 0.2, at + 0.2, gap, at, at, gap]).ravel(),
    )
    said = [f"delta {theme.delta(held.delta, digits=3)}, {held.adjacency}, {held.unit}" for _, held in drawn]
    style = {"name": "epsilon", "customdata": said, "cliponaxis": False, "meta": theme.GHOST}
    hover = "epsilon %{x:.3~g}; %{customdata}<extra></extra>"
    return theme.figure(
        theme.line(*links, colour=theme.NON_PRIVATE, name="", dash="solid", hoverinfo="skip"),
        theme.markers(epsilon, at, colour=theme.PRIVATE, size=11, hover=hover, **style),
        left=12,
        right=16,
        title=theme.title("Largest effect", finding),
        xaxis=_log_axis("epsilon (log scale)", _LOW, _HIGH if epsilon.max(initial=0) <= _HIGH else _HIGHEST, most=4),
        yaxis={"range": [len(found) - 0.6, -0.8], "showticklabels": False, "showgrid": False, "zeroline": False},
        annotations=[_named(result, place, one) for place, one in enumerate(found)],
    )


def _drawable(held) -> bool:
    """Return whether there is a number, and a log scale has it."""
    return held is not None and 0 < held.epsilon < np.inf


def _named(result: AccountingResult, place: int, effect) -> dict:
    """Draw what an effect is called, and its epsilon, over its line."""
    text = theme.key(effect_name(effect.name, result), _label(effect.guarantee, result.settings.delta))
    return theme.word(text, x=0, y=place - 0.22, size=13, xref="paper", xanchor="left", yanchor="bottom")


def _label(held, delta: float) -> str:
    """Epsilon, and delta where it is another one than the run's."""
    if held is None:
        return "…"
    epsilon = number(held.epsilon)
    return epsilon if held.delta == delta else f"{epsilon}</b>, δ {theme.delta(held.delta, digits=3)}<b>"


def effect_name(name: str, result: AccountingResult) -> str:
    """Return what an effect is called: with how many people, and how many settings."""
    people, tried, then = result.settings.people, result.settings.settings_tried, result.settings.afterwards
    return EFFECTS[name].format(
        people="one person" if people == 1 else f"group of {people}",
        settings_tried="one configuration" if tried == 1 else f"{tried} configurations",
        afterwards=AFTERWARDS[then],
    )


def searches(result: AccountingResult, finding: str = "") -> dict:
    """Draw what a search costs over how likely it finds a good setting, by what of it is released."""
    run, several = result.held.epsilon, result.settings.settings_tried > 1
    held = {way: result.searches[way] for way in WAYS} if several else {}
    low, high = theme.steady_range(0.8 * run, 20 * run) if 0 < run < np.inf else np.log10([_LOW, _HIGH])
    marks = [
        theme.dot(result.chance(way), one.epsilon, colour=WAYS[way][1])
        | ({"name": theme.GHOST} if way == "all" else {})
        for way, one in held.items()
        if _drawable(one)
    ]
    return over(
        *(_search(result, way, held.get(way)) for way in WAYS),
        levels=[Level(y=run if 0 < run < np.inf else _LOW)],
        title=theme.title("Cost of tuning", finding),
        legend="upper left",
        shapes=marks,
        xaxis=theme.share_axis("probability of one of the best 10\u00a0% of configurations", 1.02, step=0.2),
        yaxis=theme.log_axis("epsilon (log scale)", 10**low, 10**high, most=5, word="{:,.10g}".format),
    )


def _search(result: AccountingResult, way: str, held) -> Curve:
    """Epsilon of one way, with what it is today."""
    (name, colour), (x, y) = WAYS[way], result.over_chance(way)
    about = "about " if way == "all" else ""
    hover = f"probability %{{x:.0%}}: epsilon {about}%{{y:.3~g}}<extra>{name}</extra>"
    value = number(held.epsilon) if held is not None else ""
    return Curve(name=name, x=x, y=y, value=value, colour=colour, ghost=way == "all", hover=hover)


def constants(result: AccountingResult, finding: str = "") -> dict:
    """The c2 with which the moments theorem would say what each accountant counts, over steps with this noise."""
    today = {row: result.statements.constant(result.epsilon(row)) for row in _SHARP}
    low, high = _CONSTANTS
    return over(
        *(
            _curve(
                result,
                row,
                *result.constants(row),
                found if low < found < high else np.nan,
                value=f"{found:.2f}" if found < 10 else number(found),  # of one width, so that the legend stays
            )
            for row, found in today.items()
        ),
        now=result.settings.steps,
        levels=[Level(y=PROVED, colour=theme.BOUND)],
        title=theme.title("Constant c₂", finding),
        legend="upper right",
        xaxis=_log_axis("steps (log scale)", *result.settings.LIMITS["steps"]),
        yaxis=_log_axis("c₂ (log scale)", low, high, most=4),
    )


def moments(result: AccountingResult, finding: str = "") -> dict:
    """The log moments of one step, and the main term of their bound, dotted where it is not stated."""
    found = result.statements
    at, exact, bound = (column.astype(float) for column in found.moments.values())
    low, high = theme.steady_range(exact.min(), exact.max())
    stated = at <= found.last
    return over(
        Curve(name="exact", x=at, y=exact, colour=theme.PRIVATE, ghost=True),
        Curve(name="bound, main term", x=at, y=_finite(bound, stated), colour=theme.BOUND),
        Curve(name="not stated here", x=at, y=_finite(bound, ~stated), colour=theme.BOUND, dash="dot"),
        now=found.best("exact")[1],
        title=theme.title("Moments", finding),
        legend="upper left",
        xaxis=_log_axis("lambda (log scale)", 1, at[-1]),
        yaxis=theme.log_axis("log moment of one step (log scale)", 10**low, 10**high, most=5, word=theme.written),
    )


def _finite(values: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Those that are ``shown``, NaN for the others: a trace keeps its place in the legend where it has none."""
    return np.where(np.isfinite(values) & shown, values, np.nan)
