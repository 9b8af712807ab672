"""Chart of fairness: the accuracy of both groups over epsilon."""

from lab.experiment.settings import Spread
from pages.attack.charts import EPSILON_AXIS
from pages.attack.fairness.result import MAJORITY, MINORITY, FairnessResult
from pages.attack.fairness.tasks import GROUPS
from ui.charts import theme
from ui.charts.curves import Curve, accuracy_chart, grid_progress, quantile_curve

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
        dots=6,
        pinned=group == MINORITY,
    )
    return [plain, private]
