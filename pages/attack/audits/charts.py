"""Chart of the recorded audits: measured over claimed epsilon, by mechanism."""

from collections.abc import Sequence

import numpy as np

from pages.attack.audits.table import CAUGHT, Audit, recorded
from ui.charts import theme

COLOURS = {"consistent": theme.PRIVATE, "caught": theme.FAULT, "void": theme.NON_PRIVATE}
# The axis has units of the claim. A bound of 0 is drawn at its left end.
_LOWEST = 0.05
_HIGHEST = 60.0
_TICKS = {0.1: "0.1", 0.3: "0.3", 1.0: "claim", 3.0: "3", 10.0: "10", 30.0: "30"}
# Room beside both ends, and distance below which the dots of a row are moved apart, both in powers
# of ten.
_MARGIN = 0.08
_CLOSE = 0.08
_OFFSETS = (0.0, 0.26, -0.26)
# Room for the names of mechanisms, in pixels.
_LEFT = 156


def summary(*, broken: bool) -> dict:
    """Draw the audits of the correct or of the broken mechanisms: a dot each, a row a mechanism."""
    audits = [audit for audit in recorded() if audit.broken == broken]
    heights = _row_heights()
    ratios = [audit.lower_bound / audit.claimed for audit in audits]
    x = np.clip(ratios, _LOWEST, _HIGHEST)
    y = np.array([heights[audit.mechanism] for audit in audits]) + _offsets(x, audits)
    caught = sum(audit.verdict == CAUGHT for audit in audits)
    if broken:
        title = "Broken"
        finding = f"{caught} of {len(audits)} caught"
    else:
        title = "Correct"
        finding = f"{len(audits) - caught} of {len(audits)} within their claim"
    dots = theme.scatter(
        x,
        y,
        mode="markers",
        name="audits",
        marker={"color": [COLOURS[audit.verdict] for audit in audits], "size": 9, "opacity": 0.85},
        text=[_hover(audit) for audit in audits],
        hovertemplate="%{text}<extra></extra>",
    )
    claim = theme.vertical_line(1)
    claim["line"] = {"color": theme.BOUND, "width": 2, "dash": theme.DASHES[theme.BOUND]}
    claim["layer"] = "below"
    return theme.figure(
        dots,
        title=title,
        finding=finding,
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


def _hover(audit: Audit) -> str:
    """Return the hover text of an audit."""
    bounds = f"claims {audit.claimed:.3g}, lower bound {audit.lower_bound:.3g}"
    return f"{audit.mechanism}: {audit.version}<br>{bounds}: {audit.verdict}"


def _offsets(ratios: np.ndarray, audits: Sequence[Audit]) -> np.ndarray:
    """Return how far up each dot is moved, so that close dots of a row do not cover each other."""
    offsets = np.zeros(len(ratios))
    # The position of the previous dot of each row, and the index of its offset.
    previous: dict[str, tuple[float, int]] = {}
    for index in np.argsort(ratios):
        mechanism = audits[index].mechanism
        position = float(np.log10(ratios[index]))
        previous_position, offset = previous.get(mechanism, (-np.inf, 0))
        if position - previous_position < _CLOSE:
            offset = (offset + 1) % len(_OFFSETS)
        else:
            offset = 0
        offsets[index] = _OFFSETS[offset]
        previous[mechanism] = (position, offset)
    return offsets
