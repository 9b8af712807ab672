"""Charts of model inversion: reconstructed pictures, and their correlation with the truth."""

import numpy as np

from lab.experiment.settings import Spread
from pages.attack.charts import EPSILON_AXIS
from pages.attack.inversion.tasks import RECORD, InversionResult
from ui.charts import theme
from ui.charts.curves import Curve, curve_chart, grid_progress, quantile_curve

RECOVERED = {"classes": theme.PRIVATE, "planted record": theme.PINE}


# A sheet of pictures has this many in a row, each with its name in a strip under it, of this part
# of its height.
_ACROSS, _STRIP = 4, 0.2
# Shades of a picture, and the colour after them, which is none.
_GREYS, _NOTHING = 32, ("#000000", 0.0)
_NAMES = (*map(str, range(10)), "planted", "truth")


def pictures(result: InversionResult, *, private: bool) -> dict:
    """Draw what the weights of one model show: the ten classes, the planted record, and what it
    truly is.
    """
    seen = result.now if private else result.plain
    tiles = [_tile(picture) for picture in (*seen.classes[0], seen.record[0], RECORD)]
    rows = [np.hstack(tiles[first : first + _ACROSS]) for first in range(0, len(tiles), _ACROSS)]
    size = len(rows), len(rows) * (1 + _STRIP)
    greys = [
        (f"#{shade:02x}{shade:02x}{shade:02x}", 1.0)
        for shade in np.linspace(20, 245, _GREYS).astype(int)
    ]
    strip = np.full((round(_STRIP * len(rows[0])), rows[0].shape[1]), _GREYS, np.uint8)
    source = theme.image(
        np.vstack([part for row in reversed(rows) for part in (strip, row)]), [*greys, _NOTHING]
    )
    now = "Private weights" if private else "Non-private weights"
    alike = result.match(1)[0 if private else 1]
    bare = {"visible": False, "fixedrange": True, "constrain": "domain"}
    square = {
        "scaleanchor": "x",
        "constraintoward": "top",
    }  # a pixel is a square, whatever the chart's size
    return theme.figure(
        theme.axis_anchor(_ACROSS / 2, -9.0),
        images=[theme.background(source, left=0, top=size[1], width=_ACROSS, height=size[1])],
        title=now,
        finding=f"record {alike:.2f}".replace("-", "−"),
        annotations=[_named(name, at, rows=size[0]) for at, name in enumerate(_NAMES)],
        margin={"l": 12, "r": 12, "t": 34, "b": 8},
        xaxis={"range": [0, _ACROSS]} | bare,
        yaxis={"range": [0, size[1]]} | bare | square,
    )


def _tile(picture: np.ndarray) -> np.ndarray:
    """Return 64 numbers as a square of shades from below, with a margin of none; brightest and
    darkest are its own.
    """
    low, high = picture.min(), picture.max()
    square = ((picture - low) / max(high - low, 1e-12)).reshape(8, 8)[::-1]
    shades = np.clip(np.round((_GREYS - 1) * square), 0, _GREYS - 1).astype(np.uint8)
    return np.pad(np.kron(shades, np.ones((12, 12), np.uint8)), 2, constant_values=_GREYS)


def _named(name: str, at: int, *, rows: int) -> dict:
    down, across = divmod(at, _ACROSS)
    place = {"x": across + 0.5, "y": (rows - 1 - down + _STRIP / 2 / (1 + _STRIP)) * (1 + _STRIP)}
    font = {"xref": "x", "yref": "y", "showarrow": False, "font": {"size": 12}}
    return {"text": name, "xanchor": "center", "yanchor": "middle"} | place | font


def match(result: InversionResult) -> dict:
    curves: list[Curve] = []
    for which, (name, colour) in enumerate(RECOVERED.items()):
        grid = result.curve.arms[which]
        private, plain = result.match(which)
        now = Spread.of(result.now.match[which])
        style = {"value": f"{private:.2f}", "dots": 6, "pinned": name == "planted record"}
        curves += [
            Curve(name=f"{name}, non-private", y=plain, colour=colour, dash="dot", listed=False),
            quantile_curve(name, colour, grid.over(), now, band=True, scale=1, **style),
        ]
    return curve_chart(
        *curves,
        current=result.settings.epsilon,
        title="Correlation",
        finding=grid_progress(grid),
        xaxis=EPSILON_AXIS,
        yaxis=theme.axis("correlation with the truth", -0.45, 1.08),
    )
