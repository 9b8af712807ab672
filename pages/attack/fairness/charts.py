"""Charts of fairness: over epsilon, the accuracy of both groups and the gap of their costs."""

from lab.experiment.settings import Spread
from pages.attack.charts import EPSILON_AXIS
from pages.attack.fairness.result import MAJORITY, MINORITY, FairnessResult
from pages.attack.fairness.tasks import GROUPS
from ui.charts import theme
from ui.charts.curves import (
    Curve,
    accuracy_chart,
    curve_chart,
    grid_progress,
    quantile_curve,
)
from ui.text.sentences import signed_points
from ui.text.tiles import percent

# Ends of the axis of the gap, in points.
_GAP_RANGE = (-50, 60)
GROUP_COLOURS = {"majority": theme.PRIVATE, "minority": theme.PINE}


def groups(result: FairnessResult) -> dict:
    """Draw the accuracy of both groups over epsilon, and the non-private ones."""
    curves = [*_group_curves(result, MAJORITY), *_group_curves(result, MINORITY)]
    return accuracy_chart(
        *curves,
        current=result.settings.epsilon,
        title="Accuracy",
        finding=grid_progress(result.curve.arms[MAJORITY]),
        xaxis=EPSILON_AXIS,
    )


def gap(result: FairnessResult) -> dict:
    """Draw over epsilon how much more privacy costs the minority than the majority."""
    even = Curve(name="equal cost", y=0, colour=theme.NON_PRIVATE, dash="dot", listed=False)
    curve = quantile_curve(
        "minority − majority",
        GROUP_COLOURS["minority"],
        result.gap_over_epsilon,
        result.gap,
        band=True,
        value=f"{signed_points(result.gap.median)} points",
        dots=6,
    )
    return curve_chart(
        even,
        curve,
        current=result.settings.epsilon,
        title="Cost of privacy",
        xaxis=EPSILON_AXIS,
        yaxis=theme.axis("difference in cost, points", *_GAP_RANGE),
    )


def _group_curves(result: FairnessResult, group: int) -> list[Curve]:
    """Return the non-private and the private accuracy of a group."""
    name = GROUPS[group]
    colour = GROUP_COLOURS[name]
    plain = Curve(
        name=f"{name}, non-private",
        y=100 * result.plain[group],
        colour=colour,
        dash="dot",
        listed=False,
    )
    private = quantile_curve(
        name,
        colour,
        result.quantiles_over_epsilon(group),
        Spread.of(result.runs[group]),
        band=True,
        value=percent(result.median(group), digits=1),
        dots=6,
        pinned=group == MINORITY,
    )
    return [plain, private]
