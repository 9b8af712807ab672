"""Randomised response in pictures: what surveys estimate, and their error by the number of
people.
"""

import numpy as np

from lab.experiment.settings import quantiles_of
from pages.mechanisms.local_model.tasks import PEOPLE, LocalAnswers
from ui.charts import bars, theme
from ui.charts.curves import Curve, curve_chart
from ui.text.numbers import number

# How far an axis of shares goes, in percent.
_REACHES = (50, 100, 200, 500, 1000, 2000, 5000, 10_000)


def shares(result: LocalAnswers, finding: str = "") -> dict:
    """Draw the estimated share of each answer, beside the true one."""
    spread, options = 100 * quantiles_of(result.estimates, axis=0), result.survey.options
    names = [chr(ord("A") + place) for place in range(options)]
    far = max(float(np.abs(spread).max()), 100 * float(result.shares.max()))
    reach = next((one for one in _REACHES if one >= far), far)
    return bars.bars(
        spread,
        reference=100 * result.shares,
        colours=[theme.PRIVATE] * options,
        hover={"hovertemplate": "%{x}: %{y:.1f} %<extra>median of 200 surveys</extra>"},
        title="Estimated shares",
        finding=finding,
        xaxis={
            "tickvals": list(range(1, options + 1)),
            "ticktext": names,
            "range": [0.4, options + 0.6],
            "title": {"text": "answer"},
        },
        yaxis=theme.axis(
            "share of people, %", -reach if spread[0].min() < -reach / 50 else 0, reach
        ),
    )


def errors(result: LocalAnswers, finding: str = "") -> dict:
    """Draw the 90 % error of the first answer's share by the number of people, local and
    central.
    """
    local, central = (100 * np.array([*map(of, PEOPLE)]) for of in (result.error, result.central))
    here = 100 * result.error(), 100 * result.central()
    return curve_chart(
        Curve(
            name="randomised response",
            value=f"±{number(here[0])}",
            x=PEOPLE,
            y=local,
            colour=theme.PRIVATE,
            at_current=here[0],
            pinned=True,
        ),
        Curve(
            name="trusted curator",
            value=f"±{number(here[1])}",
            x=PEOPLE,
            y=central,
            colour=theme.PINE,
            at_current=here[1],
        ),
        current=result.survey.respondents,
        right=20,
        title="Error by people",
        finding=finding,
        xaxis=theme.log_axis("respondents (log scale)", float(PEOPLE[0]), float(PEOPLE[-1])),
        yaxis=theme.log_axis("90 % error, points (log scale)", 1e-3, 1e3, max_ticks=4),
    )
