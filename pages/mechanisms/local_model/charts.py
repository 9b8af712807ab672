"""Charts of the local model: what surveys estimate, and their error by the number of people.

``finding`` is what a chart shows, for its title.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lab.experiment.settings import quantiles_of
from pages.mechanisms.local_model.result import LocalModelResult
from ui.charts import bars, theme
from ui.charts.curves import Curve, curve_chart
from ui.text.numbers import number

# Numbers of people at which errors are drawn.
PEOPLE = np.geomspace(10, 100_000, 41)
# Upper ends of the axis of shares, in percent.
_AXIS_ENDS = (50, 100, 200, 500, 1000, 2000, 5000, 10_000)
# The axis begins at 0 unless an estimate is below it by more than this part of the upper end.
_NEGLIGIBLE = 1 / 50


def shares(result: LocalModelResult, finding: str = "") -> dict:
    """Draw the estimated share of each answer, and the true one."""
    # (3, k): low, median and high of each answer.
    spread = 100 * quantiles_of(result.estimates, axis=0)
    true_shares = 100 * result.shares
    options = result.survey.options
    low, high = _share_range(spread, true_shares)
    answer_axis = {
        "tickvals": list(range(1, options + 1)),
        "ticktext": [chr(ord("A") + index) for index in range(options)],
        "range": [0.4, options + 0.6],
        "title": {"text": "answer"},
    }
    return bars.bars(
        spread,
        reference=true_shares,
        colours=[theme.PRIVATE] * options,
        hover={"hovertemplate": "%{x}: %{y:.1f} %<extra>median of 200 surveys</extra>"},
        title="Estimated shares",
        finding=finding,
        xaxis=answer_axis,
        yaxis=theme.axis("share of people, %", low, high),
    )


def _share_range(spread: np.ndarray, true_shares: np.ndarray) -> tuple[float, float]:
    """Return the ends of the axis of shares, which stay while bars move a little."""
    furthest = max(float(np.abs(spread).max()), float(true_shares.max()))
    high = furthest
    for end in _AXIS_ENDS:
        if end >= furthest:
            high = end
            break
    if spread[0].min() < -high * _NEGLIGIBLE:
        return -high, high
    return 0, high


def errors(result: LocalModelResult, finding: str = "") -> dict:
    """Draw the 90 % error of the first answer's share by the number of people."""
    local = _error_curve("randomised response", theme.PRIVATE, result.error_of, result.error)
    central = _error_curve(
        "trusted curator", theme.PINE, result.central_error_of, result.central_error
    )
    return curve_chart(
        replace(local, pinned=True),
        central,
        current=result.survey.respondents,
        right=20,
        title="Error by people",
        finding=finding,
        xaxis=theme.log_axis("respondents (log scale)", float(PEOPLE[0]), float(PEOPLE[-1])),
        yaxis=theme.log_axis("90 % error, points (log scale)", 1e-3, 1e3, max_ticks=4),
    )


def _error_curve(
    name: str, colour: str, error_of: Callable[[float], float], current_error: float
) -> Curve:
    """Return a curve of 90 % errors in points over the number of people.

    error_of: function of the number of people.
    current_error: error for the set number of people.
    """
    errors_by_people = np.array([error_of(people) for people in PEOPLE])
    current_points = 100 * current_error
    return Curve(
        name=name,
        value=f"±{number(current_points)}",
        x=PEOPLE,
        y=100 * errors_by_people,
        colour=colour,
        at_current=current_points,
    )
