"""Charts of membership inference: members found, and how models score members and others."""

import numpy as np

from pages.attack.membership.tasks import ATTACKS, RATES, MembersResult
from ui.charts import bars, theme
from ui.charts.curves import Curve, curve_chart
from ui.text.numbers import percent

ARMS = {"private": ("private", theme.PRIVATE), "plain": ("non-private", theme.NON_PRIVATE)}
# What no attack can pass, and how it is drawn.
ALLOWED = {
    "promised": ("bound of epsilon, delta", "dash"),
    "gaussian": ("bound of this noise", "dot"),
}
DASHES = dict(zip(ATTACKS, ("solid", "dash"), strict=True))
INSIDE, OUTSIDE = theme.WITH_YOU, theme.WITHOUT_YOU
_LOG_SHARE = {
    "type": "log",
    "tickvals": [0.001, 0.01, 0.1, 1],
    "ticktext": ["0.1 %", "1 %", "10 %", "100 %"],
}


def roc(result: MembersResult) -> dict:
    """Draw members found over false alarms, both on log axes, under the frontier of the guarantee.

    In the legend: what is found with one false alarm in 100, by the likelihood ratio.
    """
    frame, at = result.frontier, np.abs(RATES - 0.01).argmin()
    guessing = {"opacity": 0.6, "hoverinfo": "skip", "showlegend": False}
    curves = [Curve(name="guessing", x=RATES, y=RATES, colour=theme.NON_PRIVATE, more=guessing)]
    curves += [
        Curve(
            name=text,
            x=RATES,
            y=frame[name],
            value=found(frame[name][at]),
            colour=theme.BOUND,
            dash=dash,
            hover=f"false positives %{{x:.2%}}: at most %{{y:.2%}}<extra>{text}</extra>",
        )
        for name, (text, dash) in ALLOWED.items()
    ]
    for (arm, attack), curve in result.curves.items():
        (text, colour), best = ARMS[arm], attack == ATTACKS[0]
        curves.append(
            Curve(
                name=text,
                x=RATES,
                y=np.maximum(curve, 1e-5),
                value=found(result.at(arm, attack, 0.01)),
                colour=colour,
                dash=DASHES[attack],
                listed=best,
                pinned=best and arm == "private",
                hover=(
                    f"false positives %{{x:.2%}}: finds %{{y:.2%}}<extra>{text}, {attack}</extra>"
                ),
            )
        )
    return curve_chart(
        *curves,
        current=0.01,
        title="Members found",
        finding="at 1 % FPR",
        xaxis=_LOG_SHARE
        | {
            "title": {"text": "false-positive rate (log scale)"},
            "range": [-3.05, 0.05],
        },
        yaxis=_LOG_SHARE | {"title": {"text": "members found (log scale)"}, "range": [-3.6, 0.1]},
    )


def found(share: float) -> str:
    """Return a share of members in percent, with a decimal where few are found."""
    return f"{100 * share:.{1 if share < 0.1 else 0}f}\u00a0%"


def margins(result: MembersResult, arm: str) -> dict:
    reach = 8.0 if arm == "private" else 16.0
    edges = np.linspace(-reach, reach, 41)
    inside, outside = (
        np.histogram(np.clip(some, -reach * 0.999, reach * 0.999), edges)[0] / len(some)
        for some in result.margins(arm)
    )
    members, others = result.right(arm)
    marks = [
        -reach,
        -reach / 2,
        0.0,
        reach / 2,
        reach,
    ]  # what lies further out is counted at the ends
    names = [f"≤ {marks[0]:g}", *(f"{mark:g}" for mark in marks[1:-1]), f"≥ {marks[-1]:g}"]
    words = f"{theme.coloured('■ members', INSIDE)}<br>{theme.coloured('■ others', OUTSIDE)}"
    return bars.histogram(
        edges,
        {INSIDE: inside, OUTSIDE: outside},
        title="Private" if arm == "private" else "Non-private",
        finding=f"in {percent(members)}, out {percent(others)}",
        annotations=[theme.note(words, "upper left", size=12, align="left")],
        xaxis=theme.axis("true-class logit", -reach, reach)
        | {
            "tickvals": marks,
            "ticktext": [name.replace("-", "−") for name in names],
        },
        yaxis=theme.share_axis("share of people", 0.24, step=0.05),
    )
