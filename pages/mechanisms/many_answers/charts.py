"""Charts of many answers: whose secret is recovered, and how many by the number of questions.

``finding`` is what a chart shows, for its title.
"""

import numpy as np

from pages.mechanisms.many_answers.experiment import QUESTIONS
from pages.mechanisms.many_answers.result import ManyAnswersResult
from ui.charts import theme
from ui.charts.curves import Curve, Level, curve_chart

# People in a row of the chart, and room beside the first and the last, in distances of two people.
_PER_ROW = 10
_MARGIN = 0.8
# What is right for half of the people, in percent.
_COIN_TOSS = 50


def people(result: ManyAnswersResult, finding: str = "") -> dict:
    """Draw a square for each person, filled if the attacker's guess is right."""
    axis = {
        "range": [1 - _MARGIN, _PER_ROW + _MARGIN],
        "showticklabels": False,
        "showgrid": False,
        "zeroline": False,
    }
    return theme.figure(
        _squares(~result.is_right, "guessed wrong", theme.NON_PRIVATE, "square-open"),
        _squares(result.is_right, "guessed right", theme.BOUND, "square"),
        title="A hundred people",
        finding=finding,
        legend=True,
        xaxis=axis,
        yaxis=axis,
    )


def _squares(selected: np.ndarray, name: str, colour: str, symbol: str) -> dict:
    """Return the squares of the people who are ``selected``, (100,)."""
    people = np.flatnonzero(selected)
    # The first row is at the top.
    rows_above, people_before = np.divmod(people, _PER_ROW)
    return theme.markers(
        people_before + 1,
        _PER_ROW - rows_above,
        colour=colour,
        size=18,
        symbol=symbol,
        hover=f"{name}<extra></extra>",
        name=theme.legend_name(name, str(len(people))),
    )


def curve(result: ManyAnswersResult, finding: str = "") -> dict:
    """Draw the share recovered by the number of questions."""
    coin_toss = Level(y=_COIN_TOSS, name="coin toss", below=True)
    question_axis = theme.log_axis("questions answered (log scale)", QUESTIONS[0], QUESTIONS[-1])
    return curve_chart(
        _measured(result),
        current=result.settings.questions,
        right=20,
        levels=[coin_toss],
        title="Recovered by questions",
        finding=finding,
        xaxis=question_axis,
        yaxis=theme.axis("guesses that are right, %", 40, 102),
    )


def _measured(result: ManyAnswersResult) -> Curve:
    """Return the share that the attacker recovers, in percent."""
    questions, quantiles = result.curve.over()
    low, high = np.quantile(result.runs, (0.05, 0.95))
    at_current = np.array([low, result.median, high])
    median_percent = 100 * result.median
    return Curve(
        name="attacker",
        x=questions,
        y=100 * quantiles,
        colour=theme.BOUND,
        dash="solid",
        value=f"{median_percent:.0f}\u00a0%",
        at_current=100 * at_current,
        pinned=True,
    )
