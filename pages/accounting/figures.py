"""Charts of epsilon by steps, by noise and by what else changes it, and of the cost of tuning.

``finding``: what a picture shows, for its title.
"""

import numpy as np

from dpcore.accountants.asymptotic import PROVED
from pages.accounting.result import ROWS, AccountingResult
from ui.plot import theme

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
# A disc of 8 pixels. (Plotly's own circle is drawn askew on a log axis.)
_DISC = "M-4,0C-4,-2.2,-2.2,-4,0,-4C2.2,-4,4,-2.2,4,0C4,2.2,2.2,4,0,4C-2.2,4,-4,2.2,-4,0Z"


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
    name, target = field.replace("_", " "), result.settings.target_epsilon
    low, high = result.settings.LIMITS[field]
    today = {row: result.epsilon(row) for row in rows if row != _THIN or rows is not FIRST}
    today = {row: epsilon for row, epsilon in today.items() if 0 < epsilon < np.inf}
    ends = {"yref": "y", "y0": min(today.values(), default=_LOW), "y1": min(_HIGH, max(today.values(), default=_LOW))}
    return theme.figure(
        *(_curve(result, row, *points(row), of=name, thin=row == _THIN and rows is FIRST) for row in rows),
        title=title,
        legend=legend,
        xaxis=_log_axis(f"{name} (log scale)", low, high),
        yaxis=_log_axis("epsilon (log scale)", _LOW, _HIGH),
        shapes=[
            theme.rule(now) | ends,
            theme.level(target, colour=theme.BOUND, width=1.5, dash=theme.DASHES[theme.BOUND]),
            *(_dot(row, now, epsilon) for row, epsilon in today.items()),
        ],
    )


def _curve(result: AccountingResult, row: str, at: np.ndarray, epsilon: np.ndarray, *, of: str, thin: bool) -> dict:
    """Draw what one row of the accounting page says."""
    name, colour, dash = theme.THEOREMS[row]
    name = result.settings.tightest if row == "pld" else name
    style = {"line": {"color": colour, "width": 1 if thin else 3 if row == "pld" else 2, "dash": dash}}
    if thin:
        style["showlegend"] = False
    if row == "pld":
        style["meta"] = "ghost"
    shown = theme.key(name, number(result.epsilon(row)))
    hover = f"{of} %{{x:.4~g}}: epsilon %{{y:.3~g}}<extra>{name}</extra>"
    return theme.line(at, epsilon, colour=colour, name=shown, hovertemplate=hover, **style)


def number(value: float) -> str:
    """Three digits, in powers of ten where that is shorter; dots where it is still being computed."""
    return "…" if np.isnan(value) else theme.number(value, most=1e6)


def _log_axis(text: str, low: float, high: float, *, most: int = 7) -> dict:
    """Return a log axis with a little room beside its ends."""
    return theme.log_axis(text, 0.87 * low, 1.15 * high, most=most, word="{:,.10g}".format)


def _dot(row: str, x: float, y: float) -> dict:
    """Draw what this run costs by one row: a shape and no trace, so that curves that stay are not drawn again."""
    colour = theme.THEOREMS[row][1]
    if row == "published":
        return _mark(x, y, colour, path="M-4,-4L4,4M-4,4L4,-4")
    return _mark(x, y, colour, path=_DISC, fillcolor=colour, name="ghost" if row == "pld" else row)


def _mark(x: float, y: float, colour: str, **more: str) -> dict:
    place = {"type": "path", "xref": "x", "yref": "y", "xanchor": float(x), "yanchor": float(y)}
    return place | {"xsizemode": "pixel", "ysizemode": "pixel", "line": {"color": colour, "width": 2}} | more


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
    return theme.figure(
        theme.line(*links, colour=theme.NON_PRIVATE, name="", dash="solid", hoverinfo="skip"),
        theme.scatter(
            epsilon,
            at,
            mode="markers",
            name="epsilon",
            marker={"color": theme.PRIVATE, "size": 11},
            customdata=[
                f"delta {theme.delta(held.delta, digits=3)}, {held.adjacency}, {held.unit}" for _, held in drawn
            ],
            hovertemplate="epsilon %{x:.3~g}; %{customdata}<extra></extra>",
            cliponaxis=False,
            meta="ghost",
        ),
        title=theme.title("Largest effect", finding),
        margin={"l": 12, "r": 16, "t": 34, "b": 44},
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
    dots = [_tried(way, result.chance(way), one.epsilon) for way, one in held.items() if _drawable(one)]
    low, high = theme.steady_range(0.8 * run, 20 * run) if 0 < run < np.inf else np.log10([_LOW, _HIGH])
    return theme.figure(
        *(_search(result, way, held.get(way)) for way in WAYS),
        title=theme.title("Cost of tuning", finding),
        legend="upper left",
        xaxis=theme.share_axis("probability of one of the best 10\u00a0% of configurations", 1.02, step=0.2),
        yaxis=theme.log_axis("epsilon (log scale)", 10**low, 10**high, most=5, word="{:,.10g}".format),
        shapes=[
            theme.level(run if 0 < run < np.inf else _LOW, colour=theme.NON_PRIVATE, width=1.5, dash="dot"),
            *dots,
        ],
    )


def _tried(way: str, x: float, y: float) -> dict:
    """Draw what the settings tried cost by one way."""
    colour = WAYS[way][1]
    return _mark(x, y, colour, path=_DISC, fillcolor=colour, name="ghost" if way == "all" else way)


def _search(result: AccountingResult, way: str, held) -> dict:
    """Epsilon of one way, with what it is today."""
    name, colour = WAYS[way]
    more = {"meta": "ghost"} if way == "all" else {}
    about = "about " if way == "all" else ""
    hover = f"probability %{{x:.0%}}: epsilon {about}%{{y:.3~g}}<extra>{name}</extra>"
    shown = theme.key(name, number(held.epsilon)) if held is not None else name
    return theme.line(*result.over_chance(way), colour=colour, name=shown, hovertemplate=hover, **more)


def constants(result: AccountingResult, finding: str = "") -> dict:
    """The c2 with which the moments theorem would say what each accountant counts, over steps with this noise."""
    now, (low, high) = result.settings.steps, result.settings.LIMITS["steps"]
    today = {row: result.statements.constant(result.epsilon(row)) for row in _SHARP}
    return theme.figure(
        *(_constant(result, row, today[row]) for row in _SHARP),
        title=theme.title("Constant c₂", finding),
        legend="upper right",
        xaxis=_log_axis("steps (log scale)", low, high),
        yaxis=_log_axis("c₂ (log scale)", *_CONSTANTS, most=4),
        shapes=[
            theme.rule(now),
            theme.level(PROVED, colour=theme.BOUND, width=1.5, dash=theme.DASHES[theme.BOUND]),
            *(_dot(row, now, found) for row, found in today.items() if _CONSTANTS[0] < found < _CONSTANTS[1]),
        ],
    )


def _constant(result: AccountingResult, row: str, today: float) -> dict:
    name, colour, dash = theme.THEOREMS[row]
    name = result.settings.tightest if row == "pld" else name
    steps, found = result.constants(row)
    more = {"meta": "ghost"} if row == "pld" else {}
    told = f"{today:.2f}" if today < 10 else number(today)  # of one width, so that the legend stays where it is
    hover = f"steps %{{x:.4~g}}: c2 %{{y:.3~g}}<extra>{name}</extra>"
    return theme.line(steps, found, colour=colour, dash=dash, name=theme.key(name, told), hovertemplate=hover, **more)


def moments(result: AccountingResult, finding: str = "") -> dict:
    """The log moments of one step, and the main term of their bound, dotted where it is not stated."""
    found = result.statements
    at, exact, bound = (column.astype(float) for column in found.moments.values())
    low, high = theme.steady_range(exact.min(), exact.max())
    hover = "lambda %{x:.0f}: %{y:.3~g}<extra>"
    stated = at <= found.last
    ends = {"hovertemplate": f"{hover}main term of the bound</extra>", "colour": theme.BOUND}
    return theme.figure(
        theme.line(at, exact, colour=theme.PRIVATE, name="exact", hovertemplate=f"{hover}exact</extra>", meta="ghost"),
        theme.line(at, _finite(bound, stated), name="bound, main term", **ends),
        theme.line(at, _finite(bound, ~stated), name="not stated here", dash="dot", **ends),
        title=theme.title("Moments", finding),
        legend="upper left",
        xaxis=_log_axis("lambda (log scale)", 1, at[-1]),
        yaxis=theme.log_axis("log moment of one step (log scale)", 10**low, 10**high, most=5, word=theme.written),
        shapes=[theme.rule(found.best("exact")[1])],
    )


def _finite(values: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Those that are ``shown``, NaN for the others: a trace keeps its place in the legend where it has none."""
    return np.where(np.isfinite(values) & shown, values, np.nan)
