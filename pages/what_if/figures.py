"""The questions' pictures."""

from pages.what_if.experiment import WhatIfResult
from ui.plot import theme


def curve(result: WhatIfResult) -> dict:
    """The measure along the knob."""
    found = result.curve
    return theme.figure(
        theme.line(found.values, found.means, colour=theme.PRIVATE, name=""), title=theme.title("Curve")
    )
