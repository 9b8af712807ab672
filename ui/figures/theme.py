"""One palette and one layout. A colour means one thing in the whole app, on light and on dark ground.

The colours of meaning are from the colour-blind safe set of Okabe and Ito; text, grid and ground follow the page's
theme, which the chart widget fills in.
"""

import numpy as np
import plotly.graph_objects as go

PRIVATE = "#3b82c4"
NON_PRIVATE = "#8a8f98"
PUBLIC = "#009e73"
BOUND = "#d55e00"
NOW = "#7a72e8"
COLOURS = {"scratch": PRIVATE, "public": PUBLIC, "reference": NON_PRIVATE, "bound": BOUND}
DASHES = {"scratch": "solid", "public": "solid", "reference": "dotted"}
NAMES = {
    "scratch": "private, from zero",
    "public": "private, public start",
    "reference": "without privacy",
}

# Classes are told apart by these, and by nothing else.
CLASSES = (
    "#e69f00",
    "#8457c6",
    "#2fb5c7",
    "#c2c93f",
    "#e377a2",
    "#7f6a55",
    "#5c9e4a",
    "#b3b7c0",
    "#f2d16b",
    "#a34d4d",
)


def rgba(colour: str, alpha: float) -> str:
    """ "#rrggbb" with an opacity."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:.3g})"


def figure(*traces: go.Scatter, **layout: object) -> go.Figure:
    """A figure in the app's layout. Zoom survives redraws as long as ``uirevision`` stays."""
    base = {
        "margin": {"l": 52, "r": 12, "t": 34, "b": 44},
        "showlegend": False,
        "hovermode": "closest",
        "uirevision": "keep",
        "template": "none",
        "dragmode": "pan",
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "xanchor": "left"},
    }
    return go.Figure(data=list(traces), layout=base | layout)


def title(text: str) -> dict:
    """A quiet title at the top left."""
    return {
        "text": text,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": 0.99,
        "yanchor": "top",
        "font": {"size": 14},
    }


def line(x: np.ndarray, y: np.ndarray, *, colour: str, name: str, **more: object) -> go.Scatter:
    """One curve."""
    style = {"color": colour, "width": 2} | more.pop("line", {})
    return go.Scatter(x=_plain(x), y=_plain(y), mode=more.pop("mode", "lines"), name=name, line=style, **more)


def band(x: np.ndarray, low: np.ndarray, high: np.ndarray, *, colour: str, name: str) -> go.Scatter:
    """The area between two curves."""
    return go.Scatter(
        x=_plain(np.concatenate([x, x[::-1]])),
        y=_plain(np.concatenate([high, low[::-1]])),
        fill="toself",
        fillcolor=rgba(colour, 0.18),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        name=name,
        showlegend=False,
    )


def _plain(values: np.ndarray) -> np.ndarray:
    """float32 numbers travel in half the bytes."""
    return np.asarray(values, dtype=np.float32)
