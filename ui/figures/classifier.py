"""The classifier's pictures: decision regions, loss over steps, accuracy over epsilon."""

import numpy as np

from dpcore.experiments.classifier import LIMITS, ClassifierResult
from ui.figures import theme

# Shades of a region, from "half of the models say so" to "all of them do".
_SHADES = 8
_POINTS = 120


def regions(result: ClassifierResult, arm: int) -> dict:
    """What the private ensemble of one arm decides, with the boundary of every repeat."""
    name = result.settings.arms[arm]
    accuracy = result.summary()[name].median
    return _map(
        result,
        result.regions(arm),
        result.boundaries(arm),
        name=name,
        title=f"{_name(result, name).capitalize()}: {accuracy:.0%}",
        also=result.reference_boundaries(),
    )


def reference_regions(result: ClassifierResult) -> dict:
    """What the model without privacy decides."""
    return _map(
        result,
        result.reference_regions(),
        result.reference_boundaries(),
        name="reference",
        title=f"{_name(result, 'reference').capitalize()}: {result.reference.accuracy:.0%}",
    )


def _name(result: ClassifierResult, name: str) -> str:
    """What an arm, or the reference, is called in the version at hand."""
    return theme.NAMES[result.settings.version][name]


def _map(result, decided, segments, *, name, title, also=None) -> dict:
    """Regions as an image and boundaries as shapes: when they move, Plotly need not draw the points again."""
    plane = result.plane
    (x_low, x_high), (y_low, y_high) = plane.units
    shapes = [_boundary(plane, segments, colour=theme.COLOURS[name], width=2.2 if name == "reference" else 1.2)]
    if also is not None:
        shapes.append(_boundary(plane, also, colour=theme.NON_PRIVATE, width=2, dash="dot"))
    ground = {
        "source": theme.image(_ground(*decided), _colours(len(result.split.source.classes))),
        "x": x_low,
        "y": y_high,
        "sizex": x_high - x_low,
        "sizey": y_high - y_low,
        "xref": "x",
        "yref": "y",
        "sizing": "stretch",
        "layer": "below",
    }
    return theme.figure(
        *_points(result),
        images=[ground],
        shapes=shapes,
        title=theme.title(title),
        xaxis={"range": [x_low, x_high], "title": {"text": plane.labels[0]}, "showgrid": False, "zeroline": False},
        yaxis={"range": [y_low, y_high], "title": {"text": plane.labels[1]}, "showgrid": False, "zeroline": False},
    )


def _ground(winner: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Each point's colour number: its class, in a shade for how many models agree."""
    shade = np.clip(((share - 1 / 2) * 2 * _SHADES).astype(int), 0, _SHADES - 1)
    return (winner * _SHADES + shade).astype(np.uint8)


def _colours(classes: int) -> list[tuple[str, float]]:
    """Colour and opacity of each colour number: more solid the more models agree."""
    return [
        (theme.CLASSES[label], 0.08 + 0.42 * shade / (_SHADES - 1))
        for label in range(classes)
        for shade in range(_SHADES)
    ]


def _boundary(plane, segments: np.ndarray, *, colour: str, width: float, dash: str = "solid") -> dict:
    """All segments as one shape."""
    ends = plane.display(segments).reshape(-1, 4)
    path = "".join(f"M{x0:.5g},{y0:.5g}L{x1:.5g},{y1:.5g}" for x0, y0, x1, y1 in ends)
    style = {"color": colour, "width": width, "dash": dash}
    # A path of nothing is no path to Plotly: a boundary outside of the plane is a point outside of it.
    hidden = {"visible": bool(path), "path": path or "M0,0L0,0"}
    return {"type": "path", "xref": "x", "yref": "y", "layer": "between", "line": style, "opacity": 0.75} | hidden


def _points(result: ClassifierResult) -> list[dict]:
    """Some private rows, by class."""
    split = result.split
    rows, labels = split.X_private[:_POINTS], split.y_private[:_POINTS]
    at = result.plane.display(result.plane.coordinates(rows))
    return [
        theme.scatter(
            *at[labels == label].T,
            mode="markers",
            name=name,
            hovertemplate=f"{name}<extra></extra>",
            marker={
                "color": theme.CLASSES[label],
                "size": 5,
                "line": {"width": 0.6, "color": "rgba(30,30,30,.7)"},
            },
        )
        for label, name in enumerate(split.source.classes)
    ]


def loss(result: ClassifierResult) -> dict:
    """Training loss over steps: median and nine in ten of the repeats, beside the descent without privacy."""
    traces, curves = [], result.loss_curves()
    for name in result.settings.arms:
        steps, low, median, high = curves[curves["arm"] == name].to_numpy()[:, 1:].T.astype(float)
        colour = theme.COLOURS[name]
        traces.append(theme.band(steps, low, high, colour=colour))
        traces.append(theme.line(steps, median, colour=colour, name=_name(result, name)))
    reference = result.reference
    traces.append(
        theme.line(
            reference.steps,
            reference.loss,
            colour=theme.NON_PRIVATE,
            name=_name(result, "reference"),
            dash="dot",
        )
    )
    least = min(reference.loss.min(), curves["low"].min())
    low, high = _steady_range(max(least, 1e-3), max(curves["high"].max(), 1.0))
    return theme.figure(
        *traces,
        title=theme.title("Loss on the private rows (analyst only)"),
        xaxis={"title": {"text": "step"}, "range": [0, result.settings.steps]},
        yaxis={
            "title": {"text": "mean loss (nats, log scale)"},
            "type": "log",
            "range": [low, high],
            "dtick": "D2" if high - low < 1.5 else 1,
            "tickformat": "~g",
        },
    )


def _steady_range(low: float, high: float) -> list[float]:
    """A log10 range in quarter decades, so that it rests while the slider moves a little."""
    return [np.floor(np.log10(low * 0.9) * 4) / 4, np.ceil(np.log10(high * 1.05) * 4) / 4]


def accuracy(result: ClassifierResult) -> dict:
    """Held-out accuracy over epsilon; at today's, a stroke for each repeat.

    What moves with epsilon are shapes: the curves need not be drawn again.
    """
    settings = result.settings
    low, high = LIMITS["epsilon"]
    rail = np.array([result.reference.accuracy, result.reference.accuracy])
    names = theme.NAMES[settings.version]
    traces = [_accuracy_line(np.array([low, high]), rail, name="reference", title=names["reference"], dash="dot")]
    for arm, name in enumerate(settings.arms):
        epsilons, (least, median, most) = result.quantiles(arm)
        traces.append(theme.band(epsilons, 100 * least, 100 * most, colour=theme.COLOURS[name]))
        style = {"mode": "lines+markers", "marker": {"size": 5}}
        traces.append(_accuracy_line(epsilons, median, name=name, title=names[name], **style))
    return theme.figure(
        *traces,
        title=theme.title("Accuracy on held-out rows over epsilon"),
        xaxis={
            "title": {"text": "epsilon (log scale)"},
            "type": "log",
            "range": [np.log10(low) - 0.08, np.log10(high) + 0.08],
            "tickvals": [0.01, 0.1, 1, 10, 100],
            "ticktext": ["0.01", "0.1", "1", "10", "100"],
        },
        yaxis={"title": {"text": "right in 100"}, "range": [0, 102]},
        shapes=[theme.rule(settings.epsilon), *_strokes(result)],
    )


def _accuracy_line(epsilons: np.ndarray, accuracy: np.ndarray, *, name: str, title: str, **more: object) -> dict:
    """Accuracy, as a share, drawn in right answers of 100."""
    hover = f"epsilon %{{x}}: %{{y:.1f}} %<extra>{title}</extra>"
    return theme.line(epsilons, 100 * accuracy, colour=theme.COLOURS[name], name=title, hovertemplate=hover, **more)


def _strokes(result: ClassifierResult) -> list[dict]:
    """A stroke for each repeat at today's epsilon, the arms on either side of the rule."""
    shapes = []
    for arm, (name, (left, right)) in enumerate(zip(result.settings.arms, ((-10, -1), (1, 10)), strict=False)):
        heights = 100 * result.focus.accuracy[arm]
        path = "".join(f"M{left},{height:.4g}L{right},{height:.4g}" for height in heights)
        style = {"color": theme.COLOURS[name], "width": 2}
        place = {"xref": "x", "xsizemode": "pixel", "xanchor": result.settings.epsilon, "yref": "y"}
        shapes.append({"type": "path", "path": path, "line": style, "opacity": 0.6} | place)
    return shapes
