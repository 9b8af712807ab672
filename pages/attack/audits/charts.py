"""Chart of the recorded audits: measured epsilon over claimed epsilon, by mechanism."""

from collections.abc import Sequence

import numpy as np

from pages.attack.audits.table import CAUGHT, Audit, recorded
from ui.charts import theme

COLOURS = {"consistent": theme.PRIVATE, "caught": theme.FAULT, "void": theme.NON_PRIVATE}
# The axis: what was measured, in units of the claim. A bound of 0 is drawn at its left end.
_LOWEST, _HIGHEST = 0.05, 60.0
_TICKS = {0.1: "0.1", 0.3: "0.3", 1.0: "claim", 3.0: "3", 10.0: "10", 30.0: "30"}
# Dots of one row that are closer than this, in powers of ten, are moved apart.
_CLOSE = 0.08
_OFFSETS = (0.0, 0.26, -0.26)


def summary(*, broken: bool) -> dict:
    """Draw the audits of the correct or of the broken mechanisms, a dot each and a row for each
    mechanism.
    """
    audits = [audit for audit in recorded() if audit.broken == broken]
    mechanisms = list(dict.fromkeys(audit.mechanism for audit in recorded()))
    rows = {name: len(mechanisms) - 1 - index for index, name in enumerate(mechanisms)}
    ratios = np.clip([audit.lower_bound / audit.claimed for audit in audits], _LOWEST, _HIGHEST)
    heights = np.array([rows[audit.mechanism] for audit in audits]) + _offsets(ratios, audits)
    caught = sum(audit.verdict == CAUGHT for audit in audits)
    if broken:
        title = "Broken"
        finding = f"{caught} of {len(audits)} caught"
    else:
        title = "Correct"
        finding = f"{len(audits) - caught} of {len(audits)} within their claim"
    dots = theme.scatter(
        ratios,
        heights,
        mode="markers",
        name="audits",
        marker={"color": [COLOURS[audit.verdict] for audit in audits], "size": 9, "opacity": 0.85},
        text=[_hover(audit) for audit in audits],
        hovertemplate="%{text}<extra></extra>",
    )
    claim = {"color": theme.BOUND, "width": 2, "dash": theme.DASHES[theme.BOUND]}
    return theme.figure(
        dots,
        title=title,
        finding=finding,
        shapes=[theme.vertical_line(1) | {"line": claim, "layer": "below"}],
        margin={"l": 156, "r": 16, "t": 34, "b": 44},
        xaxis={
            "title": {"text": "measured / claimed (log scale)"},
            "type": "log",
            "range": [np.log10(_LOWEST) - 0.08, np.log10(_HIGHEST) + 0.08],
            "tickvals": list(_TICKS),
            "ticktext": list(_TICKS.values()),
        },
        yaxis={
            "range": [-0.7, len(rows) - 0.3],
            "tickvals": list(rows.values()),
            "ticktext": list(rows),
            "zeroline": False,
        },
    )


def _hover(audit: Audit) -> str:
    bounds = f"claims {audit.claimed:.3g}, lower bound {audit.lower_bound:.3g}"
    return f"{audit.mechanism}: {audit.version}<br>{bounds}: {audit.verdict}"


def _offsets(ratios: np.ndarray, audits: Sequence[Audit]) -> np.ndarray:
    """Return how far up or down each dot is moved, so that close dots of one row do not cover each
    other.
    """
    offsets = np.zeros(len(ratios))
    previous: dict[str, tuple[float, int]] = {}
    for index in np.argsort(ratios):
        mechanism, place = audits[index].mechanism, float(np.log10(ratios[index]))
        before, turn = previous.get(mechanism, (-np.inf, 0))
        turn = (turn + 1) % len(_OFFSETS) if place - before < _CLOSE else 0
        offsets[index] = _OFFSETS[turn]
        previous[mechanism] = (place, turn)
    return offsets
