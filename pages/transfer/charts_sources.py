"""Chart of the transfer page's sources: how far they are from the target, and which are used."""

from collections.abc import Sequence

import numpy as np

from pages.transfer.charts import LEFT_MARGIN, RISK_RANGE
from pages.transfer.result import TransferResult
from pages.transfer.settings import TransferSettings
from ui.charts import theme
from ui.charts.curves import curve_chart

# The axis of norms begins here. It ends at the usual end or, if that is not far enough, at a power
# of ten.
_LEAST_NORM = 0.015
_USUAL_NORM_END = 30.0
_MOST_WITH_USUAL_END = 25
# Sources beyond an axis are drawn at this factor from its end.
_NORM_MARGIN = 1.15
_RISK_MARGIN = 1.3
# With a larger threshold there is room for the name of the area left of it.
_ROOM_FOR_NAME = 0.12


def sources(result: TransferResult) -> dict:
    """Draw each source by the norm of its contrast, and the threshold h."""
    settings = result.settings
    frame = result.sources()
    norms = frame["norm"].to_numpy()
    low = _LEAST_NORM
    high = _norm_end(norms, settings.h)
    circles = _circles(
        norms,
        frame["excess risk"].to_numpy(),
        used=frame["used"].to_numpy(),
        is_transferable=frame["transferable"].tolist(),
        ends=(low, high),
    )
    subtitle = f"{frame['transferable'].sum()} of {settings.sources} within h = {settings.h:.3g}"
    if settings.selection == "detected":
        subtitle += "; filled: found"
    return curve_chart(
        circles,
        current=settings.h,
        left=LEFT_MARGIN,
        legend=False,
        title="Sources",
        finding=subtitle,
        shapes=[_transferable_region(low, settings.h)],
        annotations=[_threshold_name(settings.h)],
        xaxis=theme.log_axis(
            f"coefficient difference, q = {settings.q:.2g} (log scale)", low, high, max_ticks=8
        ),
        yaxis=theme.log_axis(
            "excess risk of the source itself (log scale)", *RISK_RANGE, max_ticks=8
        ),
    )


def _norm_end(norms: np.ndarray, h: float) -> float:
    """Return the end of the axis of norms, beyond all norms and all thresholds."""
    _, largest_h = TransferSettings.LIMITS["h"]
    largest = max(largest_h, float(norms.max()), h)
    if largest <= _MOST_WITH_USUAL_END:
        return _USUAL_NORM_END
    return 10 ** np.ceil(np.log10(largest * 1.01))


def _circles(
    norms: np.ndarray,
    risks: np.ndarray,
    *,
    used: np.ndarray,
    is_transferable: Sequence[bool],
    ends: tuple[float, float],
) -> dict:
    """Return a circle per source, the darker, the more repeats use it.

    norms, risks: of the sources, (K,).
    used: share of the repeats that use each source, (K,).
    ends: of the axis of norms.
    """
    low, high = ends
    lowest_risk, highest_risk = RISK_RANGE
    outlines = []
    for transferable in is_transferable:
        colour = theme.NON_PRIVATE
        if transferable:
            colour = theme.PUBLIC
        outlines.append(colour)
    return theme.scatter(
        np.clip(norms, low * _NORM_MARGIN, high / _NORM_MARGIN),
        np.clip(risks, lowest_risk * _RISK_MARGIN, highest_risk / _RISK_MARGIN),
        mode="markers+text",
        text=[str(number) for number in range(1, len(norms) + 1)],
        textfont={"size": 13},
        customdata=np.column_stack([norms, risks, 100 * used]).round(4).tolist(),
        hovertemplate=(
            "source %{text}: norm %{customdata[0]:.3~g}, excess risk %{customdata[1]:.2~g}, "
            "used in %{customdata[2]:.0f} % of runs<extra></extra>"
        ),
        marker={
            "size": 23,
            "color": [theme.rgba(theme.PUBLIC, 0.03 + 0.5 * share) for share in used],
            "line": {"width": 2, "color": outlines},
        },
    )


def _transferable_region(low: float, h: float) -> dict:
    """Return the area up to the threshold."""
    return {
        "type": "rect",
        "x0": low,
        "x1": h,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "fillcolor": theme.rgba(theme.PUBLIC, 0.1),
        "line": {"width": 0},
    }


def _threshold_name(h: float) -> dict:
    """Return the name of the area, beside the threshold."""
    side = "left"
    shift = 4
    if h > _ROOM_FOR_NAME:
        side = "right"
        shift = -4
    return theme.annotation(
        "transferable",
        size=13,
        x=float(np.log10(h)),
        y=1,
        yref="paper",
        xanchor=side,
        yanchor="top",
        xshift=shift,
    )
