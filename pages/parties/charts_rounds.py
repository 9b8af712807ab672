"""Charts of federated averaging: accuracy by rounds at one epsilon, and epsilon at one noise."""

from lab.experiment.parts import Grid
from pages.parties.charts import CHOSEN_WIDTH, DASHES, SAYS, STYLES
from pages.parties.federated import ROUNDS
from pages.parties.mechanisms import FEDERATED
from pages.parties.result import PartiesResult
from pages.parties.settings import PartiesSettings
from ui.charts import theme
from ui.charts.curves import (
    Curve,
    accuracy_chart,
    accuracy_line,
    curve_chart,
    grid_progress,
    quantile_curve,
)
from ui.text.numbers import number

# Share of a step that the axis of rounds goes on beyond its ends.
_BESIDE = 0.5
_TICKS = (1, 5, 10, 15, 20)
# Ends of the axis of epsilon, and room for its longest numbers in pixels.
_EPSILONS = (0.003, 300.0)
_LEFT_MARGIN = 76


def accuracy_of_rounds(result: PartiesResult, grid: Grid) -> dict:
    """Draw the accuracy of federated averaging over its rounds, all at the set epsilon."""
    name, colour = STYLES[FEDERATED]
    curve = quantile_curve(
        name,
        colour,
        grid.over(),
        result.summary[FEDERATED],
        band=True,
        strokes=result.chosen_accuracy,
        width=CHOSEN_WIDTH,
        dash=DASHES[FEDERATED],
    )
    return accuracy_chart(
        accuracy_line("non-private", result.pooled_accuracy),
        curve,
        current=result.settings.rounds,
        title=SAYS["chart.rounds"],
        finding=grid_progress(grid),
        xaxis=_rounds_axis(),
    )


def epsilon_of_rounds(result: PartiesResult) -> dict:
    """Draw the epsilon of federated averaging over its rounds, all with the noise as it is now."""
    settings = result.settings
    _, colour = STYLES[FEDERATED]
    curves = []
    epsilons = result.epsilon_of_rounds
    if epsilons is not None:
        curve = Curve(
            name="epsilon",
            x=ROUNDS,
            y=epsilons,
            value=number(settings.guarantee.epsilon),
            colour=colour,
            at_current=settings.guarantee.epsilon,
        )
        curves.append(curve)
    low, high = _EPSILONS
    return curve_chart(
        *curves,
        current=settings.rounds,
        legend=False,
        left=_LEFT_MARGIN,
        title=SAYS["chart.rounds_epsilon"],
        xaxis=_rounds_axis(),
        yaxis=theme.log_axis("epsilon (log scale)", low, high),
    )


def _rounds_axis() -> dict:
    low, high = PartiesSettings.LIMITS["rounds"]
    return theme.axis("rounds", low - _BESIDE, high + _BESIDE, ticks=_TICKS)
