"""Charts of membership inference: members found, and how models score members and others."""

import numpy as np

from lab.statistics.histogram import bin_shares
from pages.attack.membership.attacks import LIKELIHOOD_RATIO, RATES
from pages.attack.membership.result import ARMS, RATE, MembershipResult
from ui.charts import bars, theme
from ui.charts.curves import Curve, curve_chart
from ui.text.numbers import percent

MODEL_NAMES = {"private": "private", "plain": "non-private"}
MODEL_COLOURS = {"private": theme.PRIVATE, "plain": theme.NON_PRIVATE}
# A true-positive rate of 0 is drawn as this, because the axis is logarithmic.
_LEAST_RATE = 1e-5
# Shares below this are stated with a decimal.
_FEW_FOUND = 0.1
# Half of the range of the true-class logit, whose tails are counted in the outermost bins.
LOGIT_RANGES = {"private": 8.0, "plain": 16.0}
_BINS = 40


# Members found


def roc(result: MembershipResult) -> dict:
    """Draw members found by the likelihood ratio over the false-positive rate, on log axes.

    The legend has the members found at a false-positive rate of 1 %.
    """
    guessing = Curve(
        name="guessing",
        x=RATES,
        y=RATES,
        colour=theme.NON_PRIVATE,
        more={"opacity": 0.6, "hoverinfo": "skip", "showlegend": False},
    )
    bound = Curve(
        name="bound of this noise",
        x=RATES,
        y=result.bounds,
        value=rate_text(result.bound),
        colour=theme.BOUND,
        dash="dot",
        hover="false positives %{x:.2%}: at most %{y:.2%}<extra>bound of this noise</extra>",
    )
    return curve_chart(
        guessing,
        bound,
        *[_attack_curve(result, arm) for arm in ARMS],
        current=RATE,
        title="Members found",
        finding="at 1 % FPR",
        xaxis=_log_rate_axis("false-positive rate (log scale)", [-3.05, 0.05]),
        yaxis=_log_rate_axis("members found (log scale)", [-3.6, 0.1]),
    )


def _attack_curve(result: MembershipResult, arm: str) -> Curve:
    """Return the curve of the attack on the private or the non-private models."""
    name = MODEL_NAMES[arm]
    return Curve(
        name=name,
        x=RATES,
        y=np.maximum(result.curves[arm, LIKELIHOOD_RATIO], _LEAST_RATE),
        value=rate_text(result.true_positive_rate(arm)),
        colour=MODEL_COLOURS[arm],
        dash="solid",
        pinned=arm == "private",
        hover=f"false positives %{{x:.2%}}: finds %{{y:.2%}}<extra>{name}</extra>",
    )


def _log_rate_axis(text: str, log_range: list[float]) -> dict:
    """Return a log axis of rates. Its range is in powers of ten."""
    return {
        "type": "log",
        "tickvals": [0.001, 0.01, 0.1, 1],
        "ticktext": ["0.1 %", "1 %", "10 %", "100 %"],
        "hoverformat": ".1%",
        "title": {"text": text},
        "range": log_range,
    }


def rate_text(share: float) -> str:
    """Return a share of members in percent, with a decimal if it is small."""
    if share < _FEW_FOUND:
        return f"{100 * share:.1f}\u00a0%"
    return f"{100 * share:.0f}\u00a0%"


# Margins


def margins(result: MembershipResult, arm: str) -> dict:
    """Draw the histograms of the true-class logit of members and of others."""
    half = LOGIT_RANGES[arm]
    edges = np.linspace(-half, half, _BINS + 1)
    member_logits, other_logits = result.margins(arm)
    on_members, on_others = result.accuracy(arm)
    members = theme.coloured("■ members", theme.WITH_YOU)
    others = theme.coloured("■ others", theme.WITHOUT_YOU)
    return bars.histogram(
        edges,
        {
            theme.WITH_YOU: bin_shares(member_logits, edges),
            theme.WITHOUT_YOU: bin_shares(other_logits, edges),
        },
        title=MODEL_NAMES[arm].capitalize(),
        finding=f"in {percent(on_members)}, out {percent(on_others)}",
        annotations=[theme.note(f"{members}<br>{others}", "upper left", size=12, align="left")],
        xaxis=_logit_axis(half),
        yaxis=theme.share_axis("share of people", 0.24, step=0.05),
    )


def _logit_axis(half: float) -> dict:
    """Return the axis of logits, whose outermost ticks stand for the tails."""
    ticks = [-half, -half / 2, 0.0, half / 2, half]
    names = [f"{tick:g}" for tick in ticks]
    names[0] = f"≤ {names[0]}"
    names[-1] = f"≥ {names[-1]}"
    axis = theme.axis("true-class logit", -half, half)
    axis["tickvals"] = ticks
    axis["ticktext"] = [name.replace("-", "−") for name in names]
    return axis
