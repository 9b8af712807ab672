"""Charts of model inversion: the pictures that are reconstructed from released weights."""

import numpy as np

from pages.attack.inversion.result import InversionResult
from pages.attack.inversion.tasks import RECORD
from ui.charts import theme

# A sheet has so many pictures in a row. Their names are in a strip under each row, whose height is
# this part of a picture's.
_PICTURES_PER_ROW = 4
_STRIP = 0.2
_NAMES = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "planted", "truth")
# Shades of a picture from dark to light, and the transparent colour after them.
_SHADES = 32
_DARKEST = 20
_LIGHTEST = 245
_TRANSPARENT = (theme.NON_PRIVATE, 0.0)
# A picture has 8 by 8 pixels, each drawn as a square of so many, with a transparent margin.
_SIDE = 8
_PIXEL_SIZE = 12
_MARGIN = 2
# Height of an invisible point, far below the pictures. Plotly draws no axes without any.
_FAR_BELOW = -9.0
# A range of zero is divided by as this.
_LEAST_RANGE = 1e-12


def pictures(result: InversionResult, *, private: bool) -> dict:
    """Draw the classes and the planted record as weights show them, and the true record."""
    if private:
        title = "Private weights"
        reconstructions = result.private
        match = result.record_match.private
    else:
        title = "Non-private weights"
        reconstructions = result.plain
        match = result.record_match.plain
    images = [*reconstructions.classes[0], reconstructions.record[0], RECORD]
    rows = len(images) // _PICTURES_PER_ROW
    height = rows * (1 + _STRIP)
    background = theme.background(
        theme.image(_sheet(images), _colours()),
        left=0,
        top=height,
        width=_PICTURES_PER_ROW,
        height=height,
    )
    hidden_axis = {"visible": False, "fixedrange": True, "constrain": "domain"}
    # Pixels are squares whatever the size of the chart.
    square_pixels = {"scaleanchor": "x", "constraintoward": "top"}
    return theme.figure(
        theme.axis_anchor(_PICTURES_PER_ROW / 2, _FAR_BELOW),
        images=[background],
        title=title,
        finding=f"record {match:.2f}".replace("-", "−"),
        annotations=[_name(name, index, rows=rows) for index, name in enumerate(_NAMES)],
        margin={"l": 12, "r": 12, "t": 34, "b": 8},
        xaxis={"range": [0, _PICTURES_PER_ROW], **hidden_axis},
        yaxis={"range": [0, height], **hidden_axis, **square_pixels},
    )


def _sheet(images: list[np.ndarray]) -> np.ndarray:
    """Return the pictures as an array of shades, whose first row is at the bottom."""
    tiles = [_tile(picture) for picture in images]
    side = len(tiles[0])
    strip_shape = (round(_STRIP * side), side * _PICTURES_PER_ROW)
    strip = np.full(strip_shape, _SHADES, np.uint8)
    bands: list[np.ndarray] = []
    for first in range(0, len(tiles), _PICTURES_PER_ROW):
        row = np.hstack(tiles[first : first + _PICTURES_PER_ROW])
        # Each further row, with its strip under it, comes below the others.
        bands = [strip, row, *bands]
    return np.vstack(bands)


def _colours() -> list[tuple[str, float]]:
    """Return the colour and the opacity of each shade, the transparent one last."""
    colours = []
    for grey in np.linspace(_DARKEST, _LIGHTEST, _SHADES).astype(int):
        colours.append((f"#{grey:02x}{grey:02x}{grey:02x}", 1.0))
    return [*colours, _TRANSPARENT]


def _tile(picture: np.ndarray) -> np.ndarray:
    """Return the shades of a picture (64,) with a margin, whose first row is at the bottom.

    Its lowest number becomes the darkest shade, and its highest the lightest.
    """
    low = picture.min()
    high = picture.max()
    scaled = (picture - low) / max(high - low, _LEAST_RANGE)
    # Pictures have their first row at the top.
    square = scaled.reshape(_SIDE, _SIDE)[::-1]
    shades = np.clip(np.round((_SHADES - 1) * square), 0, _SHADES - 1).astype(np.uint8)
    enlarged = np.kron(shades, np.ones((_PIXEL_SIZE, _PIXEL_SIZE), np.uint8))
    return np.pad(enlarged, _MARGIN, constant_values=_SHADES)


def _name(name: str, index: int, *, rows: int) -> dict:
    """Return the name of a picture, in the middle of the strip under it."""
    row, column = divmod(index, _PICTURES_PER_ROW)
    strip_middle = _STRIP / 2 / (1 + _STRIP)
    return {
        "text": name,
        "xanchor": "center",
        "yanchor": "middle",
        "x": column + 0.5,
        "y": (rows - 1 - row + strip_middle) * (1 + _STRIP),
        "xref": "x",
        "yref": "y",
        "showarrow": False,
        "font": {"size": 12},
    }
