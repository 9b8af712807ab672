"""Charts of accuracy by group and by class."""

import numpy as np

from lab.experiment.settings import Spread
from pages.attack.charts import EPSILON_AXIS
from pages.attack.fairness.tasks import GROUPS, GroupsResult
from ui.charts import bars, theme
from ui.charts.curves import Curve, accuracy_chart, count_progress, quantile_curve

GROUP_COLOURS = {"majority": theme.PRIVATE, "minority": theme.PINE}


def groups(result: GroupsResult) -> dict:
    curves: list[Curve] = []
    for group, (name, colour) in enumerate(GROUP_COLOURS.items()):
        plain = result.plain[group, -1]
        now = Spread.of(result.now[group, -1])
        curves += [
            Curve(
                name=f"{name}, non-private", y=100 * plain, colour=colour, dash="dot", listed=False
            ),
            quantile_curve(
                name, colour, result.over(group), now, band=True, dots=6, pinned=name == GROUPS[-1]
            ),
        ]
    return accuracy_chart(
        *curves,
        current=result.settings.epsilon,
        title="Accuracy",
        finding=_evenly(result),
        xaxis=EPSILON_AXIS,
    )


def _evenly(result: GroupsResult) -> str:
    """Return from which epsilon on the minority loses at most two points more than the majority; or
    how far the curve is.
    """
    (epsilons, (_, large, _)), (_, (_, small, _)) = result.over(0), result.over(1)
    if progress := count_progress(len(epsilons), len(result.curve.at)):
        return progress
    apart = (result.plain[1, -1] - small) - (result.plain[0, -1] - large)
    uneven = np.flatnonzero(apart > 0.02)
    first = uneven[-1] + 1 if len(uneven) else 0
    return f"similar loss from epsilon {epsilons[first]:g}" if 0 < first < len(epsilons) else ""


def by_class(result: GroupsResult, group: int) -> dict:
    names, name = list(result.classes), GROUPS[group]
    ticks = {
        "tickvals": list(range(1, len(names) + 1)),
        "ticktext": names,
        "showgrid": False,
        "zeroline": False,
    }
    return bars.bars(
        100 * result.by_class()[:, group],
        reference=100 * result.plain[group, :-1],
        colours=[GROUP_COLOURS[name]] * len(names),
        hover={
            "name": name,
            "text": names,
            "hovertemplate": f"%{{text}}: %{{y:.1f}} %<extra>{name}</extra>",
        },
        reference_colour=theme.NON_PRIVATE,
        title=name.capitalize(),
        finding="accuracy by class",
        xaxis={"range": [0.4, len(names) + 0.6]} | ticks,
        yaxis=theme.axis("test accuracy, %", 0, 102, ticks=range(0, 101, 20)),
    )
