"""The classifier's pictures: decision regions, loss over steps, accuracy over epsilon."""

import numpy as np

from dpcore.experiments.classifier import LIMITS, ClassifierResult
from ui.figures import maps, theme


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
    width = 2.2 if name == "reference" else 1.2
    shapes = [maps.boundary(result.plane, segments, colour=theme.COLOURS[name], width=width)]
    if also is not None:
        shapes.append(maps.boundary(result.plane, also, colour=theme.NON_PRIVATE, width=2, dash="dot"))
    return maps.decided(result.split, result.plane, *decided, boundaries=shapes, title=title)


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
    low, high = theme.steady_range(max(least, 1e-3), max(curves["high"].max(), 1.0))
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
