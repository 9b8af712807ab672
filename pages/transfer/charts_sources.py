"""Chart of the transfer page's sources: how far they are from the target, and which are used.

A source's contrast is the difference of its coefficients from those of the target. The source is
transferable if the norm of its contrast is at most the threshold h.
"""

import numpy as np

from pages.transfer.charts import LEFT_MARGIN, RISK_RANGE
from pages.transfer.result import TransferResult
from ui.charts import theme
from ui.charts.curves import curve_chart

# Ends of the axis of norms, beyond all thresholds. With a small q norms have no limit.
_NORM_RANGE = (0.015, 100.0)
# Sources beyond an axis are drawn at this factor from its end.
_NORM_MARGIN = 1.15
_RISK_MARGIN = 1.3
# Opacity of the circle of a source that no repeat uses, and what is added if all of them do.
_LEAST_OPACITY = 0.03
_ADDED_OPACITY = 0.5


def sources(result: TransferResult) -> dict:
    """Draw each source by the norm of its contrast, and the threshold h."""
    settings = result.settings
    transferable = result.sources()["transferable"].sum()
    finding = f"{transferable} of {settings.sources} within h = {settings.h:.3g}"
    if settings.selection == "detected":
        finding += "; filled: found"
    norm_title = f"coefficient difference, q = {settings.q:.2g} (log scale)"
    risk_title = "excess risk of the source itself (log scale)"
    transferable_area = theme.vertical_area(_NORM_RANGE[0], settings.h, colour=theme.PUBLIC)
    return curve_chart(
        _circles(result),
        current=settings.h,
        left=LEFT_MARGIN,
        legend=False,
        title="Sources",
        finding=finding,
        shapes=[transferable_area],
        annotations=[theme.note(theme.coloured("transferable", theme.PUBLIC), "upper left")],
        xaxis=theme.log_axis(norm_title, *_NORM_RANGE, max_ticks=8),
        yaxis=theme.log_axis(risk_title, *RISK_RANGE, max_ticks=8),
    )


def _circles(result: TransferResult) -> dict:
    """Return a circle per source, the darker, the more repeats use it.

    Sources beyond the axes are drawn at their ends, and their hover text has the true numbers.
    """
    frame = result.sources()
    least_norm, largest_norm = _NORM_RANGE
    least_risk, largest_risk = RISK_RANGE
    norms = frame["norm"].to_numpy()
    risks = frame["excess risk"].to_numpy()
    used = frame["used"].to_numpy()
    outlines = []
    for transferable in frame["transferable"]:
        if transferable:
            outlines.append(theme.PUBLIC)
        else:
            outlines.append(theme.NON_PRIVATE)
    fills = [theme.rgba(theme.PUBLIC, _LEAST_OPACITY + _ADDED_OPACITY * share) for share in used]
    return theme.scatter(
        np.clip(norms, least_norm * _NORM_MARGIN, largest_norm / _NORM_MARGIN),
        np.clip(risks, least_risk * _RISK_MARGIN, largest_risk / _RISK_MARGIN),
        mode="markers+text",
        text=[str(number) for number in frame["source"]],
        textfont={"size": 13},
        customdata=np.column_stack([norms, risks, 100 * used]).round(4).tolist(),
        hovertemplate=(
            "source %{text}: norm %{customdata[0]:.3~g}, excess risk %{customdata[1]:.2~g}, "
            "used in %{customdata[2]:.0f} % of runs<extra></extra>"
        ),
        marker={"size": 23, "color": fills, "line": {"width": 2, "color": outlines}},
    )
