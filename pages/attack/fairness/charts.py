"""Charts of fairness: accuracy by group and by class."""

import numpy as np

from lab.experiment.settings import Spread
from pages.attack.charts import EPSILON_AXIS
from pages.attack.fairness.result import ALL_CLASSES, MAJORITY, MINORITY, FairnessResult
from pages.attack.fairness.tasks import GROUPS
from ui.charts import bars, theme
from ui.charts.curves import Curve, accuracy_chart, count_progress, quantile_curve

GROUP_COLOURS = {"majority": theme.PRIVATE, "minority": theme.PINE}
# The losses of both groups are similar if they differ by less.
_SIMILAR = 0.02


def groups(result: FairnessResult) -> dict:
    """Draw the accuracy of both groups over epsilon, and the non-private ones."""
    curves = []
    for group, name in enumerate(GROUPS):
        colour = GROUP_COLOURS[name]
        plain = Curve(
            name=f"{name}, non-private",
            y=100 * result.plain[group, ALL_CLASSES],
            colour=colour,
            dash="dot",
            listed=False,
        )
        private = quantile_curve(
            name,
            colour,
            result.quantiles_over_epsilon(group),
            Spread.of(result.runs[group, ALL_CLASSES]),
            band=True,
            dots=6,
            pinned=group == MINORITY,
        )
        curves += [plain, private]
    return accuracy_chart(
        *curves,
        current=result.settings.epsilon,
        title="Accuracy",
        finding=_finding(result),
        xaxis=EPSILON_AXIS,
    )


def _finding(result: FairnessResult) -> str:
    """Return from which epsilon on the median losses are similar, or how far the curve is."""
    epsilons, majority = result.quantiles_over_epsilon(MAJORITY)
    _, minority = result.quantiles_over_epsilon(MINORITY)
    progress = count_progress(len(epsilons), len(result.curve.at))
    if progress:
        return progress
    # Rows of the quantiles: low, median, high.
    majority_loss = result.plain[MAJORITY, ALL_CLASSES] - majority[1]
    minority_loss = result.plain[MINORITY, ALL_CLASSES] - minority[1]
    uneven = np.flatnonzero(minority_loss - majority_loss > _SIMILAR)
    if len(uneven) == 0 or uneven[-1] == len(epsilons) - 1:
        return ""
    return f"similar loss from epsilon {epsilons[uneven[-1] + 1]:g}"


def by_class(result: FairnessResult, group: int) -> dict:
    """Draw the accuracy of a group on each class, and the non-private one."""
    name = GROUPS[group]
    classes = list(result.classes)
    return bars.bars(
        100 * result.class_summary(group),
        reference=100 * result.plain[group, :ALL_CLASSES],
        colours=[GROUP_COLOURS[name]] * len(classes),
        hover={
            "name": name,
            "text": classes,
            "hovertemplate": f"%{{text}}: %{{y:.1f}} %<extra>{name}</extra>",
        },
        reference_colour=theme.NON_PRIVATE,
        title=name.capitalize(),
        finding="accuracy by class",
        xaxis={
            "range": [0.4, len(classes) + 0.6],
            "tickvals": list(range(1, len(classes) + 1)),
            "ticktext": classes,
            "showgrid": False,
            "zeroline": False,
        },
        yaxis=theme.axis("test accuracy, %", 0, 102, ticks=range(0, 101, 20)),
    )
