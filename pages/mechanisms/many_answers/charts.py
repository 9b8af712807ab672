"""Many noisy answers in pictures: whose secret is recovered, and how the number of questions
decides it.
"""

import numpy as np

from pages.mechanisms.many_answers import reconstruction
from pages.mechanisms.many_answers.tasks import CURVE, PEOPLE, ManyAnswers
from ui.charts import theme
from ui.charts.curves import Curve, Level, curve_chart

_SIDE = 10
# Name in the legend and colour, where a guess is wrong and where it is right.
GUESSES = ((theme.NON_PRIVATE, "wrong"), (theme.BOUND, "right"))


def people(result: ManyAnswers, finding: str = "") -> dict:
    """Draw a square for each person: filled where the attacker's guess is right."""
    place = np.arange(PEOPLE)
    x, y = place % _SIDE + 1, _SIDE - place // _SIDE
    traces = []
    for right, (colour, word) in enumerate(GUESSES):
        some = result.right == bool(right)
        symbol = "square" if right else "square-open"
        name = theme.legend_name(f"guessed {word}", str(int(some.sum())))
        hover = f"guessed {word}<extra></extra>"
        traces.append(
            theme.markers(
                x[some], y[some], colour=colour, size=18, symbol=symbol, hover=hover, name=name
            )
        )
    bare = {"showticklabels": False, "showgrid": False, "zeroline": False}
    return theme.figure(
        *traces,
        title="A hundred people",
        finding=finding,
        legend=True,
        xaxis={"range": [0.2, _SIDE + 0.8]} | bare,
        yaxis={"range": [0.2, _SIDE + 0.8]} | bare,
    )


def curve(result: ManyAnswers, finding: str = "") -> dict:
    """Draw the share recovered over the number of questions, and what the formula expects."""
    at, found = result.curve.over()
    more = np.array([count for count in CURVE if count > PEOPLE])
    expected = [
        reconstruction.expected_share(PEOPLE, int(count), noise_sd=result.model.noise_sd)
        for count in more
    ]
    now = result.settings.questions
    low, high = np.quantile(result.now, (0.05, 0.95))
    return curve_chart(
        Curve(
            name="attacker",
            x=at,
            y=100 * found,
            colour=theme.BOUND,
            dash="solid",
            value=f"{100 * result.median:.0f}\u00a0%",
            at_current=100 * np.array([low, result.median, high]),
            pinned=True,
        ),
        Curve(
            name="least squares, expected",
            x=more,
            y=100 * np.array(expected),
            colour=theme.NON_PRIVATE,
            dash="dot",
        ),
        current=now,
        right=20,
        levels=[Level(y=50, name="coin toss", below=True)],
        title="Recovered by questions",
        finding=finding,
        xaxis=theme.log_axis("questions answered (log scale)", CURVE[0], CURVE[-1]),
        yaxis=theme.axis("guesses that are right, %", 40, 102),
    )
