"""Chart of the recorded audits: measured over claimed epsilon, by mechanism."""

import numpy as np

from pages.attack.audits.table import Audit, recorded
from ui.charts import theme

COLOURS = {"consistent": theme.PRIVATE, "caught": theme.FAULT, "void": theme.NON_PRIVATE}
# The axis has units of the claim. A bound of 0 is drawn at its left end.
_LOWEST = 0.05
_HIGHEST = 60.0
_TICKS = {0.1: "0.1", 0.3: "0.3", 1.0: "claim", 3.0: "3", 10.0: "10", 30.0: "30"}
# Room beside both ends, in powers of ten.
_MARGIN = 0.08
# Room for the names of mechanisms, in pixels.
_LEFT = 156


def summary() -> dict:
    """Draw a dot for each audit, in the row of its mechanism. Broken mechanisms have crosses."""
    audits = recorded()
    heights = _row_heights()
    ratios = [audit.lower_bound / audit.claimed for audit in audits]
    dots = theme.scatter(
        np.clip(ratios, _LOWEST, _HIGHEST),
        np.array([heights[audit.mechanism] for audit in audits]),
        mode="markers",
        name="audits",
        marker={
            "color": [COLOURS[audit.verdict] for audit in audits],
            "symbol": [_symbol(audit) for audit in audits],
            "size": 9,
            "opacity": 0.85,
        },
        text=[_hover(audit) for audit in audits],
        hovertemplate="%{text}<extra></extra>",
    )
    claim = theme.vertical_line(1)
    claim["line"] = {"color": theme.BOUND, "width": 2, "dash": theme.DASHES[theme.BOUND]}
    claim["layer"] = "below"
    return theme.figure(
        dots,
        title="Audits",
        finding="measured and claimed epsilon",
        shapes=[claim],
        margin={"l": _LEFT, "r": 16, "t": 34, "b": 44},
        xaxis={
            "title": {"text": "measured / claimed (log scale)"},
            "type": "log",
            "range": [np.log10(_LOWEST) - _MARGIN, np.log10(_HIGHEST) + _MARGIN],
            "tickvals": list(_TICKS),
            "ticktext": list(_TICKS.values()),
        },
        yaxis={
            "range": [-0.7, len(heights) - 0.3],
            "tickvals": list(heights.values()),
            "ticktext": list(heights),
            "zeroline": False,
        },
    )


def _row_heights() -> dict[str, int]:
    """Return the height of each mechanism's row. The first one is at the top."""
    mechanisms = list(dict.fromkeys(audit.mechanism for audit in recorded()))
    last = len(mechanisms) - 1
    return {mechanism: last - index for index, mechanism in enumerate(mechanisms)}


def _symbol(audit: Audit) -> str:
    """Return the symbol of an audit of a broken, or of a correct mechanism."""
    if audit.broken:
        return "x"
    return "circle"


def _hover(audit: Audit) -> str:
    """Return the hover text of an audit."""
    bounds = f"claims {audit.claimed:.3g}, lower bound {audit.lower_bound:.3g}"
    return f"{audit.mechanism}: {audit.version}<br>{bounds}: {audit.verdict}"
