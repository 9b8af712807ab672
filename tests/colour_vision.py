"""How far apart colours are to people, also to those who lack one kind of cone of the eye.

Colours are "#rrggbb", and linear RGB without the gamma of screens.
"""

import itertools
from collections.abc import Iterable

import numpy as np

# What people who wholly lack one kind of cone see of a colour in linear RGB [Machado et al. 2009,
# table 1].
PROTANOPIA = np.array(
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]
)
DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
TRITANOPIA = np.array(
    [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ]
)
ALL_CONES = np.eye(3)
KINDS_OF_VISION = (ALL_CONES, PROTANOPIA, DEUTERANOPIA, TRITANOPIA)
# Linear RGB to responses of cones, and their cube roots to Oklab [Ottosson 2020].
CONE_RESPONSES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
# Share of red, green and blue in relative luminance (WCAG 2.2).
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def channels(colour: str) -> np.ndarray:
    """Return red, green and blue of "#rrggbb" from 0 to 255, (3,)."""
    return np.frombuffer(bytes.fromhex(colour.removeprefix("#")), dtype=np.uint8)


def linear_rgb(colour: str) -> np.ndarray:
    """Return a colour as linear RGB from 0 to 1, (3,)."""
    values = channels(colour) / 255
    is_dark = values <= 0.04045
    return np.where(is_dark, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(colour: str, background: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21 (WCAG 2.2)."""
    luminances = [linear_rgb(colour) @ LUMINANCE, linear_rgb(background) @ LUMINANCE]
    return (max(luminances) + 0.05) / (min(luminances) + 0.05)


def least_distance(colours: Iterable[str]) -> float:
    """Return the least distance of two of the colours in Oklab, over all kinds of vision.

    The distance of black and white is 1.
    """
    rgb = np.array([linear_rgb(colour) for colour in colours])
    distances = []
    for vision in KINDS_OF_VISION:
        seen = np.clip(rgb @ vision.T, 0, 1)
        in_oklab = np.cbrt(seen @ CONE_RESPONSES.T) @ OKLAB.T
        for first, second in itertools.combinations(in_oklab, 2):
            distances.append(np.linalg.norm(first - second))
    return min(distances)


def blended(colour: str, opacity: float, background: str) -> str:
    """Return a colour of this opacity as it looks on a background."""
    mixture = opacity * channels(colour) + (1 - opacity) * channels(background)
    red, green, blue = mixture.round().astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"
