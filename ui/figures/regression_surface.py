"""The error as a function of two coefficients: a bowl, and what noise makes of it."""

import numpy as np

from dpcore.experiments.regression_result import RegressionResult
from dpcore.experiments.regression_surface import REACH, Surface
from ui.figures import theme

# Bands of the excess error, as multiples of the least error; each has a shade of its own, upwards and downwards.
_EDGES = np.array([0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0])
_SHADES = [0.02 + 0.68 * place / len(_EDGES) for place in range(len(_EDGES) + 1)]


def true(result: RegressionResult) -> dict:
    """The error that the rows really have, with the end of every run."""
    ends = result.focus.weights[:, list(result.pair)]
    inside = int((np.abs(ends - result.true_surface.centre) <= REACH).all(axis=1).sum())
    title = f"True error; {inside} of {len(ends)} runs end here"
    return _figure(result, result.true_surface, title=title, dots=ends)


def noisy(result: RegressionResult) -> dict:
    """What is minimised in one draw."""
    surface, place = result.noisy_surface, result.settings.draw - 1
    kind = "a bowl" if not surface.negative else ("a bowl only here", "a saddle", "a dome")[surface.seen]
    return _figure(
        result,
        surface,
        title=f"Quadratic of draw {result.settings.draw}: {kind}",
        dots=result.focus.weights[place : place + 1, list(result.pair)],
    )


def _figure(result: RegressionResult, surface: Surface, *, title: str, dots: np.ndarray) -> dict:
    middle, factor = result.true_surface.centre, 2 * result.problem.half
    (left, bottom), side = factor * (middle - REACH), 2 * factor * REACH
    ground = {
        "source": theme.image(_bands(surface.values(middle), result.least_error), _COLOURS),
        "x": left,
        "y": bottom + side,
        "sizex": side,
        "sizey": side,
        "xref": "x",
        "yref": "y",
        "sizing": "stretch",
        "layer": "below",
    }
    colour = theme.REGRESSIONS[result.settings.mechanism][1]
    ends, speck = np.clip(factor * dots, -1e6, 1e6), 0.02 * side
    names = [result.settings.source.features[place] for place in (result.settings.across, result.settings.up)]
    return theme.figure(
        theme.scatter(
            *(factor * middle[:, None]),
            mode="markers",
            marker={"symbol": "x-thin-open", "size": 13, "color": theme.NON_PRIVATE, "line": {"width": 3}},
            hovertemplate="%{x:.4~g}, %{y:.4~g}<extra>least squares</extra>",
        ),
        images=[ground],
        annotations=[_legend("◆ a run, × least squares" + (", red: lower" if surface.seen else ""))],
        shapes=[
            {"type": "path", "xref": "x", "yref": "y", "path": theme.specks(*ends.T, width=speck, height=speck)}
            | {"fillcolor": colour, "fillrule": "nonzero", "line": {"width": 0.8, "color": "rgba(255,255,255,.8)"}}
        ],
        title=theme.title(title),
        xaxis={"title": {"text": names[0]}, "range": [left, left + side], "showgrid": False, "zeroline": False},
        yaxis={"title": {"text": names[1]}, "range": [bottom, bottom + side], "showgrid": False, "zeroline": False},
    )


def _legend(text: str) -> dict:
    """What the signs mean, inside at the bottom."""
    place = {"xref": "paper", "x": 0.02, "xanchor": "left", "yref": "paper", "y": 0.01, "yanchor": "bottom"}
    return place | {"text": text, "showarrow": False, "font": {"size": 11}}


_COLOURS = [(colour, shade) for colour in (theme.NON_PRIVATE, theme.FALLS) for shade in _SHADES]


def _bands(values: np.ndarray, least: float) -> np.ndarray:
    """Colour numbers: the band of each point, those below the stationary point in the second half."""
    return np.searchsorted(_EDGES, np.abs(values) / least) + np.where(values < 0, len(_SHADES), 0)
