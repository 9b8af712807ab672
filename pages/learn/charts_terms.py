"""Small drawings for terms of the glossary, as inline SVG for light and dark pages."""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np

from ui.charts import theme

_WIDTH = 300
_INK = "currentColor"


def drawing(key: str) -> str:
    """Return the drawing of a term with its alternative text (SVG); "" if it has none."""
    if key not in DRAWINGS:
        return ""
    spoken, parts = DRAWINGS[key]
    opening = (
        f'<svg viewBox="0 0 {_WIDTH} 84" role="img" aria-label="{spoken}" class="lab-drawing">'
    )
    return f"{opening}{''.join(parts())}</svg>"


def _dot(x: float, y: float, *, colour: str = _INK, hollow: bool = False) -> str:
    """Return a dot, filled or hollow (SVG)."""
    look = f'fill="{colour}"'
    if hollow:
        look = f'fill="none" stroke="{colour}" stroke-width="1.5"'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" {look}/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    """Return a text (SVG)."""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{_INK}">{text}</text>'


def _line(
    x: Iterable[float], y: Iterable[float], colour: str, *, dash: str = "", width: float = 2
) -> str:
    """Return a line through points (SVG)."""
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    dashed = ""
    if dash:
        dashed = f' stroke-dasharray="{dash}"'
    return (
        f'<polyline points="{points}" fill="none" stroke="{colour}"'
        f' stroke-width="{width}"{dashed}/>'
    )


def _arrow(x: float, y: float, to_x: float, to_y: float, colour: str, *, dash: str = "") -> str:
    """Return an arrow to a point (SVG)."""
    angle = math.atan2(to_y - y, to_x - x)
    left = (to_x - 7 * math.cos(angle + 0.45), to_y - 7 * math.sin(angle + 0.45))
    right = (to_x - 7 * math.cos(angle - 0.45), to_y - 7 * math.sin(angle - 0.45))
    shaft = _line((x, to_x), (y, to_y), colour, dash=dash)
    head = _line((left[0], to_x, right[0]), (left[1], to_y, right[1]), colour)
    return shaft + head


def _neighbours() -> list[str]:
    """Draw two rows of people; one of the second row is hollow."""
    parts = []
    for top, name in ((26, "with you"), (60, "without you")):
        parts += [_dot(112 + 22 * place, top) for place in range(8) if place != 5]
        parts += [
            _dot(112 + 22 * 5, top, colour=theme.WITH_YOU, hollow=top == 60),
            _text(4, top + 4, name),
        ]
    return parts


def _bells(power: int) -> list[str]:
    """Draw the densities exp(-|x|^p / p) of Laplace or normal noise, 1 apart."""
    x = np.linspace(-5, 6, 141)
    pixels = 6 + (x + 5) * (_WIDTH - 12) / 11
    parts = []
    for centre, colour, dash in ((0.0, theme.WITHOUT_YOU, "8 4"), (1.0, theme.WITH_YOU, "")):
        density = np.exp(-(np.abs(x - centre) ** power) / power)
        parts.append(_line(pixels, 76 - 66 * density, colour, dash=dash))
    parts.append(_line((0, _WIDTH), (76, 76), _INK, width=0.75))
    return parts


def _clipping() -> list[str]:
    """Draw gradients that end at a circle; longer ones go on as dashes."""
    parts = [
        f'<circle cx="70" cy="42" r="30" fill="none" stroke="{theme.BOUND}" stroke-width="1.5"/>'
    ]
    for angle, length in ((-0.35, 70), (0.5, 24), (2.2, 34), (3.6, 52), (-1.2, 18)):
        lengths = np.array([min(length, 30), length])
        x = 70 + lengths * math.cos(angle)
        y = 42 + lengths * math.sin(angle)
        if length > 30:
            parts.append(_line(x, y, _INK, dash="3 3"))
        parts.append(_arrow(70, 42, x[0], y[0], theme.PRIVATE))
    return [*parts, _text(160, 40, "no gradient is longer"), _text(160, 56, "than the bound")]


def _composition() -> list[str]:
    """Draw budgets over the number of releases: their sum, and growth like a square root."""
    x = np.linspace(0, 1, 41)
    pixels = 20 + 190 * x
    basic = 74 - 60 * x
    advanced = 74 - 60 * np.sqrt(x) / 4
    return [
        _line((20, 20, 215), (8, 74, 74), _INK, width=0.75),
        _line(pixels, basic, theme.NON_PRIVATE, dash="2 4", width=3),
        _line(pixels, advanced, theme.PRIVATE, width=3),
        _text(216, 20, "basic"),
        _text(216, 62, "advanced"),
    ]


def _trust(*, local: bool) -> list[str]:
    """Draw people who send to a curator, with a ring where the noise is added."""
    top = 62
    name = "central"
    if local:
        top = 20
        name = "local"
    parts = [_text(4, top + 4, name)]
    for place in range(4):
        x = 70 + 18 * place
        parts.append(_dot(x, top))
        if local:
            parts.append(
                f'<circle cx="{x}" cy="{top}" r="8" fill="none" stroke="{theme.PRIVATE}"'
                ' stroke-width="2"/>'
            )
    parts.append(_arrow(140, top, 186, top, _INK))
    parts.append(
        f'<rect x="192" y="{top - 12}" width="24" height="24" rx="4" fill="none" stroke="{_INK}"/>'
    )
    if not local:
        ring = (
            f'<rect x="187" y="{top - 17}" width="34" height="34" rx="7" fill="none"'
            f' stroke="{theme.PRIVATE}"'
        )
        parts.append(f'{ring} stroke-width="2"/>')
    return [*parts, _arrow(226, top, 280, top, theme.PRIVATE)]


# Key of a term -> (alternative text, function that returns the parts of the drawing).
DRAWINGS: Mapping[str, tuple[str, Callable[[], list[str]]]] = {
    "neighbours": ("Two rows of eight people, with one missing in the second row", _neighbours),
    "laplace": (
        "Two Laplace densities, one sensitivity apart, with and without you",
        partial(_bells, 1),
    ),
    "gaussian": (
        "Two normal densities, one sensitivity apart, with and without you",
        partial(_bells, 2),
    ),
    "clipping": ("Arrows from a centre, cut where they cross a circle", _clipping),
    "composition": (
        "A straight line for basic composition, a far lower curve for advanced composition",
        _composition,
    ),
    "local": (
        (
            "In the local model each person adds noise, in the central model the curator adds noise"
            " once"
        ),
        lambda: _trust(local=True) + _trust(local=False),
    ),
}
