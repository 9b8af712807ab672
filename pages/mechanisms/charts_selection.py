"""Chart of private selection: who wins without your vote and with it.

``finding`` is what the chart shows, for its title.
"""

from pages.mechanisms.charts import COLOURS, NAMES, percent_axis
from pages.mechanisms.result import VOTED, OneNumberResult
from ui.charts import theme

# Left margin for the names of the options, in pixels.
_LEFT_MARGIN = 92
# The axis ends beyond 100 %, with room for the numbers beside the bars.
_AXIS_END = 120


def choice(result: OneNumberResult, finding: str = "") -> dict:
    """Draw the probability that each option wins, without your vote and with it."""
    labels = []
    for name, votes in zip(result.option_names, result.settings.counts, strict=True):
        labels.append(f"{name}: {votes:.0f}")
    labels[VOTED] += " (+ you)"
    win_axis = percent_axis("probability of winning, %")
    return theme.figure(
        _win_bars(result, labels, 0),
        _win_bars(result, labels, 1),
        title="Winner",
        finding=finding,
        legend=True,
        barmode="group",
        bargap=0.25,
        left=_LEFT_MARGIN,
        xaxis={**win_axis, "range": [0, _AXIS_END]},
        yaxis={"autorange": "reversed"},
    )


def _win_bars(result: OneNumberResult, labels: list[str], index: int) -> dict:
    """Return the bars without you (0) or with you (1)."""
    return {
        "type": "bar",
        "orientation": "h",
        "x": theme.array(100 * result.win_probabilities[index]),
        "y": labels,
        "name": NAMES[index],
        "marker": {"color": COLOURS[index]},
        "texttemplate": "%{x:.1f}",
        "textposition": "outside",
        "constraintext": "none",
        "textfont": {"size": 12},
        "cliponaxis": False,
        "hovertemplate": f"%{{y}} wins %{{x:.3g}} % of releases<extra>{NAMES[index]}</extra>",
    }
