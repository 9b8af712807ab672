"""The parties page's maps: what each release decides in a plane, and where single parties agree."""

import numpy as np

from dpcore import regions
from dpcore.experiments.parties_result import PartiesResult
from ui.figures import maps, theme
from ui.figures.parties import STYLES, WITHOUT

MAPS = ("soft", "vote", "average", "pate", "batch", "local")
_SHORT = {"batch": "All rows, no privacy", "local": "Parties alone"}
_MARGIN = {"l": 40, "r": 8, "t": 30, "b": 30}


def shown_maps(result: PartiesResult) -> tuple[str, ...]:
    """Which maps there are: averages only of parties that have weights."""
    return tuple(name for name in MAPS if name in (*result.methods, "batch", "local"))


def decisions(result: PartiesResult, name: str) -> dict:
    """What a method's repeats decide, with the boundary of each; or what the parties decide one by one."""
    plane = result.settings.plane
    if name == "local":
        found, title = result.locals_agree, f"{_SHORT[name]}: {theme.percent(result.local.median)}"
        lines = np.empty((0, 2, 2))
    else:
        weights = result.plane_weights(name)
        found, lines = regions.votes(weights, plane, size=48), regions.boundaries(weights, plane)
        level = result.batch_accuracy if name == "batch" else result.summary[name].median
        title = f"{_SHORT.get(name) or _capital(STYLES[name][0])}: {theme.percent(level)}"
    colour = WITHOUT[name][1] if name in WITHOUT else STYLES[name][1]
    figure = maps.decided(
        result.shown,
        plane,
        *found,
        boundaries=[maps.boundary(plane, lines, colour=colour, width=1.1)],
        title=title,
    )
    for trace in figure["data"]:
        trace["marker"]["size"] = 4
    figure["layout"]["margin"] = _MARGIN
    for axis in ("xaxis", "yaxis"):
        figure["layout"][axis]["title"] = {"text": ""}
    return figure


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
