"""Charts of epsilon over steps and by what else changes it, and of the cost of tuning.

The argument ``finding`` is what a chart shows, for its title.
"""

import numpy as np

from dpcore.privacy import Guarantee
from lab.experiment.accounting_tasks import PUBLISHED
from pages.accounting.result import ROWS, AccountingResult
from ui.charts import theme
from ui.charts.curves import Curve, Level, curve_chart
from ui.text.numbers import delta as delta_text
from ui.text.numbers import number as number_text
from ui.text.texts import Texts

SAYS = Texts(__file__)
# What a search releases: its name and colour.
WAYS = {
    "logarithmic": ("best only, logarithmic", theme.MAUVE),
    "geometric": ("best only, geometric", theme.SAGE),
    "poisson": ("best only, Poisson", theme.GOLD),
    "all": ("all tries", theme.PRIVATE),
}
# The first chart leaves out the published figure, which is no bound.
FIRST_ROWS = tuple(row for row in ROWS if row != PUBLISHED)
# The row that is drawn thin, because it nearly equals another.
THIN_ROW = "renyi"
# Ends of the epsilon axes. The last is that of effects, of which some cost much more.
LOWEST_EPSILON = 0.01
HIGHEST_EPSILON = 3000.0
HIGHEST_EFFECT = 1e6
# Larger epsilons are written as "unlimited" or in powers of ten.
_LARGEST_NUMBER = 1e6
# Room beside the ends of a log axis.
_ROOM_BELOW = 0.87
_ROOM_ABOVE = 1.15
# The axis of searches reaches from below the cost of one run to that of many, as factors of it.
_SEARCH_RANGE = (0.8, 20)
# Rows of the chart of effects are 1 apart: half the height of the stroke at this run's epsilon, how
# far above its row a name stands, and room above the first row and below the last.
_HALF_STROKE = 0.2
_NAME_ABOVE = 0.22
_ROOM_ABOVE_ROWS = 0.8
_ROOM_BELOW_ROWS = 0.4

Points = tuple[np.ndarray, np.ndarray]


def over_steps(result: AccountingResult, finding: str = "") -> dict:
    """Draw epsilon over the steps of the run by each theorem, and the cost of this run by each."""
    settings = result.settings
    low, high = settings.LIMITS["steps"]
    curves = [_theorem(result, row) for row in FIRST_ROWS]
    run_epsilons = []
    for row in FIRST_ROWS:
        epsilon = result.epsilon(row)
        if row != THIN_ROW and _is_drawable(epsilon):
            run_epsilons.append(epsilon)
    current_line = {
        "yref": "y",
        "y0": min(run_epsilons, default=LOWEST_EPSILON),
        "y1": min(HIGHEST_EPSILON, max(run_epsilons, default=LOWEST_EPSILON)),
    }
    target = Level(
        y=settings.target_epsilon,
        name=SAYS["chart.target"],
        colour=theme.BOUND,
        coloured=True,
    )
    return curve_chart(
        *curves,
        current=settings.steps,
        line_style=current_line,
        levels=[target],
        title="Epsilon by steps",
        finding=finding,
        xaxis=_log_axis("steps (log scale)", low, high),
        yaxis=_log_axis("epsilon (log scale)", LOWEST_EPSILON, HIGHEST_EPSILON),
    )


def _theorem(result: AccountingResult, row: str) -> Curve:
    """Return the curve of one row, with its cost of this run unless it is thin."""
    name, colour, dash = theme.THEOREMS[row]
    if row == "pld":
        name = result.settings.tightest
    epsilon = result.epsilon(row)
    width = None
    at_current = None
    if row == THIN_ROW:
        width = 1
    elif _is_drawable(epsilon):
        at_current = epsilon
    steps, epsilons = result.over_steps(row)
    return Curve(
        name=name,
        value=theme.padded(number(epsilon)),
        x=steps,
        y=epsilons,
        colour=colour,
        dash=dash,
        width=width,
        at_current=at_current,
        pinned=row == "pld",
    )


def number(value: float) -> str:
    """Return three digits, in powers of ten if that is shorter, or dots until it is computed."""
    if np.isnan(value):
        return "…"
    return number_text(value, most=_LARGEST_NUMBER)


def _is_drawable(epsilon: float) -> bool:
    """Return whether a log scale can show an epsilon."""
    return 0 < epsilon < np.inf


def _log_axis(text: str, low: float, high: float, *, most: int = 7) -> dict:
    """Return a log axis with a little room beside its ends."""
    return theme.log_axis(
        text, _ROOM_BELOW * low, _ROOM_ABOVE * high, max_ticks=most, format_tick="{:,.10g}".format
    )


def effects(result: AccountingResult, finding: str = "") -> dict:
    """Draw the epsilon of the same noise if something else changes, beside that of this run."""
    guarantees = result.effects()
    positions = []
    epsilons = []
    details = []
    for position, guarantee in enumerate(guarantees.values()):
        if guarantee is None or not _is_drawable(guarantee.epsilon):
            continue
        positions.append(position)
        epsilons.append(guarantee.epsilon)
        delta = delta_text(guarantee.delta, digits=3)
        details.append(f"delta {delta}, {guarantee.adjacency}, {guarantee.unit}")
    y = np.array(positions)
    x = np.array(epsilons)

    highest = HIGHEST_EPSILON
    if x.max(initial=0) > HIGHEST_EPSILON:
        highest = HIGHEST_EFFECT
    annotations = []
    for position, name in enumerate(guarantees):
        annotations.append(_effect_label(result, position, name, guarantees[name]))
    links_x, links_y = _effect_links(guarantees["run"], x, y)
    return theme.figure(
        theme.line(
            links_x, links_y, colour=theme.NON_PRIVATE, name="", dash="solid", hoverinfo="skip"
        ),
        theme.markers(
            x,
            y,
            colour=theme.PRIVATE,
            size=11,
            hover="epsilon %{x:.3~g}; %{customdata}<extra></extra>",
            name="epsilon",
            customdata=details,
            cliponaxis=False,
            meta=theme.PINNED,
        ),
        left=12,
        right=16,
        title="Largest effect",
        finding=finding,
        xaxis=_log_axis("epsilon (log scale)", LOWEST_EPSILON, highest, most=4),
        yaxis={
            "range": [len(guarantees) - 1 + _ROOM_BELOW_ROWS, -_ROOM_ABOVE_ROWS],
            "showticklabels": False,
            "showgrid": False,
            "zeroline": False,
        },
        annotations=annotations,
    )


def _effect_links(run: Guarantee | None, x: np.ndarray, y: np.ndarray) -> Points:
    """Return one broken line with, for each mark, a stroke at this run's epsilon and a link to it.

    x, y: the places of the marks, (m,). NaN breaks the line.
    """
    run_epsilon = np.nan
    if run is not None:
        run_epsilon = run.epsilon
    start = np.full(len(y), run_epsilon)
    gap = np.full(len(y), np.nan)
    # (m, 6) each: the ends of the stroke, a gap, the ends of the link, a gap. Rows follow in turn.
    links_x = np.column_stack([start, start, gap, start, x, gap])
    links_y = np.column_stack([y - _HALF_STROKE, y + _HALF_STROKE, gap, y, y, gap])
    return links_x.ravel(), links_y.ravel()


def _effect_label(
    result: AccountingResult, position: int, name: str, guarantee: Guarantee | None
) -> dict:
    """Return the name of an effect above its line, with epsilon, and delta if it is another."""
    if guarantee is None:
        epsilon = number(np.nan)
    elif guarantee.delta >= 1:
        epsilon = SAYS["effect.nothing"]
    else:
        epsilon = number(guarantee.epsilon)
        if guarantee.delta != result.settings.delta:
            epsilon += f"</b>, δ {delta_text(guarantee.delta, digits=3)}<b>"
    text = theme.legend_name(effect_name(name, result), epsilon)
    return theme.annotation(
        text,
        x=0,
        y=position - _NAME_ABOVE,
        size=13,
        xref="paper",
        xanchor="left",
        yanchor="bottom",
    )


def effect_name(name: str, result: AccountingResult) -> str:
    """Return the name of an effect, with the numbers of people and of settings tried."""
    settings = result.settings
    case = name
    if name == "group" and settings.people == 1:
        case = "group_one"
    elif name == "tuned" and settings.settings_tried == 1:
        case = "tuned_one"
    return SAYS(f"effect.{case}", people=settings.people, tried=settings.settings_tried)


def searches(result: AccountingResult, finding: str = "") -> dict:
    """Draw the cost of a search over its probability of a good setting, by what is released."""
    run_epsilon = result.best_guarantee.epsilon
    if _is_drawable(run_epsilon):
        level = run_epsilon
        factors = _SEARCH_RANGE
        low, high = theme.stable_log_range(factors[0] * run_epsilon, factors[1] * run_epsilon)
    else:
        level = LOWEST_EPSILON
        low, high = np.log10([LOWEST_EPSILON, HIGHEST_EPSILON])
    curves = []
    marks = []
    for way in WAYS:
        curves.append(_search(result, way))
        marks += _search_mark(result, way)
    return curve_chart(
        *curves,
        levels=[Level(y=level)],
        title="Cost of tuning",
        finding=finding,
        shapes=marks,
        xaxis=theme.share_axis(
            "probability of one of the best 10\u00a0% of configurations", 1.02, step=0.2
        ),
        yaxis=theme.log_axis(
            "epsilon (log scale)", 10**low, 10**high, max_ticks=5, format_tick="{:,.10g}".format
        ),
    )


def _search_mark(result: AccountingResult, way: str) -> list[dict]:
    """Return the mark of the settings tried, released in one way; none for a single setting."""
    guarantee = result.searches[way]
    if result.settings.settings_tried == 1 or guarantee is None:
        return []
    if not _is_drawable(guarantee.epsilon):
        return []
    _, colour = WAYS[way]
    mark = theme.dot(result.chance(way), guarantee.epsilon, colour=colour)
    if way == "all":
        mark["name"] = theme.PINNED
    return [mark]


def _search(result: AccountingResult, way: str) -> Curve:
    """Return the curve of one way to release a search, with the cost of the settings tried."""
    name, colour = WAYS[way]
    chances, epsilons = result.over_chance(way)
    guarantee = result.searches[way]
    is_interpolated = way == "all"
    about = ""
    if is_interpolated:
        about = "about "
    value = ""
    if guarantee is not None and result.settings.settings_tried > 1:
        value = number(guarantee.epsilon)
    return Curve(
        name=name,
        x=chances,
        y=epsilons,
        value=value,
        colour=colour,
        pinned=is_interpolated,
        hover=f"probability %{{x:.0%}}: epsilon {about}%{{y:.3~g}}<extra>{name}</extra>",
    )
