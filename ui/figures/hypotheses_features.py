"""What the number of features does in hypothesis transfer: the noise's size, and right answers as they are measured."""

import numpy as np

from dpcore.experiments.hypotheses import DIMENSIONS
from dpcore.experiments.hypotheses_result import PUBLISHED_FEATURES, HypothesesResult
from ui.figures import theme
from ui.figures.hypotheses import MARGIN, STYLES, anchor, ink, level, mark, word

# The noise picture's vertical range: beyond it a number says nothing.
_LEAST_SD, _MOST_SD = 1e-3, 1e4


def noise(result: HypothesesResult) -> dict:
    """Sd of the noise on a row's margin, and on the logarithm of its weight, over the number of features."""
    found, settings = result.noise, result.settings
    # In the objective it has no formula: shown is what noise on the answer would be
    objective = settings.noise == "objective"
    shapes, words = [], []
    for values, colour in ((found.margin, theme.PRIVATE), (found.weight, theme.PUBLIC)):
        points = [(d, v) for d, v in zip(found.dimension, values, strict=True) if _LEAST_SD < v < _MOST_SD]
        path = "M" + "L".join(f"{d},{v:.4g}" for d, v in points) if points else ""
        if path:
            shapes.append(
                {"type": "path", "path": path, "xref": "x", "yref": "y"} | {"line": {"color": colour, "width": 2}}
            )
    shapes.append(level(1.0, colour=theme.BOUND))
    words.append(word("1: a usual margin", x=0.01, y=0, xref="paper", xanchor="left", yanchor="bottom"))
    for at, (text, colour) in enumerate((("on a log-weight", theme.PUBLIC), ("on a margin", theme.PRIVATE))):
        style = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
        words.append(word(ink(f"— {text}", colour), x=0.01, y=1 - 0.09 * at, **style))
    for name, d in PUBLISHED_FEATURES.items():
        line = {"color": theme.NON_PRIVATE, "width": 1, "dash": "dot"}
        shapes.append({"type": "line", "x0": d, "x1": d, "yref": "paper", "y0": 0, "y1": 1, "line": line})
        words.append(word(name, x=np.log10(d), y=0.02, yref="paper", textangle=-90, xanchor="right", yanchor="bottom"))
    shapes.append(theme.rule(settings.dimension))
    shapes += [mark(settings.dimension, value, theme.NOW) for value in result.noise_at(settings.dimension)]
    return theme.figure(
        anchor(2.0, 1e-9),
        margin=MARGIN,
        title=theme.title(f"Noise sd by {'features (on the answer)' if objective else 'number of features'}"),
        shapes=shapes,
        annotations=words,
        xaxis={
            "title": {"text": "features d' (log scale)"},
            "type": "log",
            "range": [np.log10(1.9), np.log10(9000)],
            "tickvals": [2, 10, 100, 1000],
            "ticktext": ["2", "10", "100", "1000"],
        },
        yaxis={"type": "log", "range": [-2.5, 3.2], "tickvals": [0.01, 0.1, 1, 10, 100, 1000], "tickformat": "~g"},
    )


def dimension(result: HypothesesResult) -> dict:
    """Right answers over the number of features at today's epsilon, and without noise, beside the noise's share."""
    at, (low, median, high) = result.dimension_curve("transfer")
    wide, (_, plain, _) = result.dimension_curve("transfer", plain=True)
    few, (_, own, _) = result.dimension_curve("weak")
    there, share = result.noise_share
    curves = (
        ("without noise", wide, plain, theme.NON_PRIVATE, "dot", (0.01, 0.92)),
        ("few labels only", few, own, STYLES["weak"][1], "dot", (0.5, 1.0)),
        ("transfer", at, median, theme.PRIVATE, "solid", (0.01, 1.0)),
        ("noise's share of a margin, %", there, share, theme.BOUND, "dash", (0.5, 0.92)),
    )
    traces, words = [theme.band(at, 100 * low, 100 * high, colour=theme.PRIVATE)], []
    for name, x, y, colour, dash, place in curves:
        hover = f"%{{x}} features: %{{y:.1f}}<extra>{name}</extra>"
        style = {"mode": "lines+markers", "marker": {"size": 4}, "dash": dash, "hovertemplate": hover}
        style |= {"yaxis": "y2"} if colour == theme.BOUND else {}
        traces.append(theme.line(x, 100 * y, colour=colour, name=name, **style))
        style = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
        words.append(word(ink(name.removesuffix(" of a margin, %"), colour), x=place[0], y=place[1], **style))
    now, shown = result.dimension, 100 * result.summary["transfer"].median
    return theme.figure(
        *traces,
        margin=MARGIN | {"r": 52},
        title=theme.title(f"Right answers over features, epsilon {result.settings.epsilon:.3g}"),
        shapes=[theme.rule(now), mark(now, shown, theme.PRIVATE)],
        annotations=words,
        xaxis={
            "title": {"text": "features d' (log scale)"},
            "type": "log",
            "range": [np.log10(1.8), np.log10(68)],
            "tickvals": list(DIMENSIONS),
            "ticktext": [str(one) for one in DIMENSIONS],
        },
        yaxis={"title": {"text": "right in 100"}, "range": _range([100 * low, 100 * plain, 100 * own, shown], high)},
        yaxis2={
            "title": {"text": "noise, %"},
            "overlaying": "y",
            "side": "right",
            "range": [0, 125],
            "tickvals": [0, 50, 100],
            "showgrid": False,
            "zeroline": False,
        },
    )


def _range(seen: list, high: np.ndarray) -> list[float]:
    """Steps of five that hold all that is seen, with room for the names above."""
    low, top = (
        min(float(np.min(one)) for one in seen if np.size(one)),
        max(float(np.max(one)) for one in [*seen, 100 * high] if np.size(one)),
    )
    least, most = 5 * np.floor(low / 5), 5 * np.ceil(top / 5)
    return [least - 1, most + 0.22 * (most - least + 5)]
