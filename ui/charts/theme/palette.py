"""The colours of charts, each with its dash: a colour means the same in the whole app.

The colours of meaning, and those of series, can be told apart by colour-blind people, and each has
a dash besides: `tests/ui/charts/test_palette.py` measures both. The colours that are names
follow the page's theme (`coloured` in `ui/widgets/frontend/charts/theme.js`).
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

_READ = tomllib.loads(Path(__file__).with_name("palette.toml").read_text("utf-8"))
PRIVATE = "#2b7bd6"
PUBLIC = "#009e73"
NON_PRIVATE = "#8a8f98"
BOUND = "#d55e00"
# The colour of the text.
CURRENT = "black"
# The colour of the page, under and over which texts stand.
PAGE = "snow"
# What one drags to say a guess.
HANDLE = "#5b52d6"
# The two data sets that an attacker would tell apart, with a person and without.
WITH_YOU = "#c2559a"
WITHOUT_YOU = "#b3871a"
# Series beside the private one: theorems, ways to fit, ways to share. On a page with a bound there
# is no rust.
RUST = "#b44b00"
MAUVE = "#a56987"
SAGE = "#789669"
PINE = "#1e785a"
GOLD = "#96962d"
# A line of this colour has this dash, where nothing else is said.
DASHES = {
    PRIVATE: "solid",
    PUBLIC: "dashdot",
    NON_PRIVATE: "dot",
    BOUND: "dash",
    CURRENT: "dot",
    WITH_YOU: "solid",
    WITHOUT_YOU: "dash",
    RUST: "dot",
    MAUVE: "longdash",
    SAGE: "dash",
    PINE: "dashdot",
    GOLD: "longdashdot",
}
# For words, and for boundaries on the grounds of a map: darker in the light, and lighter in the
# dark.
TEXT_COLOURS = {
    PRIVATE: "royalblue",
    PUBLIC: "seagreen",
    NON_PRIVATE: "dimgray",
    BOUND: "orangered",
}
COLOURS = {"scratch": PRIVATE, "public": PUBLIC, "reference": NON_PRIVATE}
# A variant of training -> arm -> its name.
NAMES: Mapping[str, Mapping[str, str]] = _READ["names"]

# A theorem's name, colour and dash. What this run costs is in the colour of what is private.
THEOREMS = {
    "basic": ("basic composition", GOLD, DASHES[GOLD]),
    "advanced": ("advanced composition", MAUVE, DASHES[MAUVE]),
    "published": ("advanced, as published", MAUVE, "dot"),
    "moments": ("moments accountant", SAGE, DASHES[SAGE]),
    "renyi": ("RDP accountant", PINE, DASHES[PINE]),
    "pld": ("PLD accountant", PRIVATE, DASHES[PRIVATE]),
}

# A way to fit a regression, and its colour.
REGRESSIONS = {
    "published": RUST,
    "functional": PRIVATE,
    "gaussian": MAUVE,
    "adassp": SAGE,
    "output": PINE,
    "descent": GOLD,
}

# Classes, which have nothing else of these colours; and, in turn, the shapes of their points.
CLASSES = tuple(_READ["classes"])
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "x")
# A scale of numbers, from the worst to the best: cividis, which colour-blind people see as others
# do.
SCALE = tuple(_READ["scale"])
# Words and marks on it: on its dark half, on its light half.
ON_SCALE = ("#ffffff", "#12141c")
# Numbered sources, in colours of classes that are never drawn with them.
SOURCES = tuple(CLASSES[index] for index in (0, 1, 2, 6, 4, 5, 9, 7))


def _channels(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue of "#rrggbb", from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def rgba(colour: str, alpha: float) -> str:
    """Return "#rrggbb" with an opacity."""
    red, green, blue = _channels(colour)
    return f"rgba({red},{green},{blue},{alpha:.3g})"


def shades(count: int) -> list[str]:
    """Return colours evenly spaced along ``SCALE``."""
    scale = np.array([_channels(colour) for colour in SCALE])
    positions = np.linspace(0, len(SCALE) - 1, count)
    channels = []
    for channel in scale.T:
        channels.append(np.interp(positions, range(len(SCALE)), channel))
    colours = np.column_stack(channels).round().astype(int)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in colours]


def coloured(text: str, colour: str) -> str:
    """Return a part of a text in the colour of what it is about (HTML)."""
    return f'<span style="color:{TEXT_COLOURS.get(colour, colour)}">{text}</span>'
