"""The classifier's pictures: decision regions, weights by column, loss over steps, accuracy over epsilon."""

import numpy as np

from dpcore.cache import CACHE
from lab.claims import Case, upto
from pages.classifier.experiment import LIMITS, OWN
from pages.classifier.result import ClassifierResult
from ui.plot import columns, maps, theme
from ui.texts import Texts

SAYS = Texts(__file__)


def regions(result: ClassifierResult, arm: int) -> dict:
    """Draw what the private ensemble of one arm decides, with the boundary of every repeat."""
    name = result.settings.arms[arm]
    accuracy = result.summary()[name].median
    return _map(
        result,
        result.regions(arm),
        result.boundaries(arm),
        name=name,
        title=theme.title(_name(result, name).capitalize(), theme.percent(accuracy)),
        also=_reference(result)[1],
    )


def reference_regions(result: ClassifierResult) -> dict:
    """Draw what the model without privacy decides."""
    return _reference(result)[0]


def _reference(result: ClassifierResult) -> tuple[dict, dict]:
    """(the map of the model without privacy, its boundary in other maps), drawn once: no private knob moves it."""
    about = result.reference, result.split, result.plane, _name(result, "reference")
    return CACHE.answer(("reference", *about), lambda: _drawn_reference(result), newest=16)


def _drawn_reference(result: ClassifierResult) -> tuple[dict, dict]:
    segments = result.reference_boundaries()
    title = theme.title(_name(result, "reference").capitalize(), theme.percent(result.reference.accuracy))
    figure = _map(result, result.reference_regions(), segments, name="reference", title=title)
    return figure, maps.boundary(result.plane, segments, colour=theme.NON_PRIVATE, width=2, dash="dot")


def _name(result: ClassifierResult, name: str) -> str:
    """Return what an arm, or the reference, is called in the version at hand."""
    return theme.NAMES[result.settings.version][name]


def _map(result, decided, segments, *, name, title, also=None) -> dict:
    width = 2.2 if name == "reference" else 1.2
    boundary = maps.boundary(result.plane, segments, colour=theme.COLOURS[name], width=width)
    shapes = [boundary | {"name": theme.GHOST}]
    if also is not None:
        shapes.append(also)
    return maps.decided(result.split, result.plane, *decided, boundaries=shapes, title=title)


def weights(result: ClassifierResult) -> dict:
    """Draw what each input says for the last of two classes, or how far it moves several apart: a dot for each
    model."""
    two = result.split.n_classes == 2
    last = columns.short(result.split.source.classes[-1])
    return columns.dots(
        leading(result),
        model="model",
        title=theme.title("Weights", SAYS("figures.weights" if two else "figures.weights_range", name=last)),
        axis="weight" if two else "range of weights",
    )


def leading(result: ClassifierResult) -> columns.Leading:
    """The inputs of the largest weights."""
    private, plain = (_of_inputs(found) for found in (result.focus.weights[0], result.reference.weights))
    return columns.leading(result.split.source.features, private, plain)


def _of_inputs(weights: np.ndarray) -> np.ndarray:
    """(..., k, d + 1) -> (..., d): of two classes the weight for the second, of several the range."""
    inputs = weights[..., :-1]
    return inputs[..., 0, :] if inputs.shape[-2] == 1 else np.ptp(inputs, axis=-2)


def loss(result: ClassifierResult) -> dict:
    """Training loss over steps: median and nine in ten of the repeats, beside the descent without privacy."""
    hover = "step %{x}: %{y:.3g} nats<extra>%{fullData.name}</extra>"
    traces, steps, quantiles = [], result.focus.steps, result.losses()
    for name, (low, median, high) in zip(result.settings.arms, quantiles.swapaxes(0, 1), strict=True):
        colour = theme.COLOURS[name]
        traces.append(theme.band(steps, low, high, colour=colour))
        more = {"hovertemplate": hover} | _ghost(name)
        traces.append(theme.line(steps, median, colour=colour, name=_name(result, name), **more))
    reference = result.reference
    traces.append(
        theme.line(
            reference.steps,
            reference.loss,
            colour=theme.NON_PRIVATE,
            name=_name(result, "reference"),
            dash="dot",
            hovertemplate=hover,
        )
    )
    least = min(reference.loss.min(), quantiles[0].min())
    low, high = theme.steady_range(max(least, 1e-3), max(quantiles[2].max(), 1.0))
    return theme.figure(
        *traces,
        title=theme.title(SAYS["figures.loss"], "not released"),
        legend="upper right",
        xaxis={"title": {"text": "step"}, "range": [0, result.settings.steps]},
        yaxis=theme.steady_axis("mean loss (nats, log scale)", low, high),
    )


def accuracy(result: ClassifierResult) -> dict:
    """Held-out accuracy over epsilon; at today's, a stroke for each repeat.

    What moves with epsilon are shapes: the curves need not be drawn again.
    """
    settings = result.settings
    low, high = LIMITS["epsilon"]
    rail = np.array([result.reference.accuracy, result.reference.accuracy])
    names, now = theme.NAMES[settings.version], result.summary()
    shown = theme.key(names["reference"], theme.percent(result.reference.accuracy))
    traces = [_accuracy_line(np.array([low, high]), rail, name="reference", title=shown, dash="dot")]
    for arm, name in enumerate(settings.arms):
        epsilons, (least, median, most) = result.quantiles(arm)
        traces.append(theme.band(epsilons, 100 * least, 100 * most, colour=theme.COLOURS[name]))
        style = {"mode": "lines+markers", "marker": {"size": 5}} | _ghost(name)
        shown = theme.key(names[name], theme.percent(now[name].median))
        traces.append(_accuracy_line(epsilons, median, name=name, title=shown, **style))
    if settings.dataset == OWN:
        base = result.split.best_constant[1]
        shown, ends = theme.key(SAYS["figures.baseline"], theme.percent(base)), np.array([low, high])
        traces.append(_accuracy_line(ends, np.full(2, base), name="reference", title=shown, dash="dash"))
    return theme.figure(
        *traces,
        title=theme.title(SAYS["figures.accuracy"], _finding(result)),
        legend="lower right",
        xaxis=theme.epsilon_axis(low, high),
        yaxis={"title": {"text": "test accuracy, %"}, "range": [0, 102]},
        shapes=[theme.rule(settings.epsilon), *_strokes(result), _now(result)],
    )


def _ghost(name: str) -> dict[str, str]:
    """The mark of a curve that pinned settings are shown by: that from zero."""
    return {"meta": theme.GHOST} if name == "scratch" else {}


def _finding(result: ClassifierResult) -> str:
    """Return up to which epsilon privacy is shown to cost accuracy, or how far the curve has come."""
    known, runs = len(result.settings.epsilons), result.settings.repeats
    done = result.accuracy.arms[0].done
    done = done[done > 0]
    if len(done) < known:
        return SAYS("figures.trained", done=len(done), all=known)
    if done.min() < runs:
        return SAYS("figures.runs", runs=done.min(), all=runs)
    if result.settings.version == "none":
        return ""
    costs = result.costs_over_epsilon()
    last = upto(costs, Case.BEHIND)
    if not last:
        return SAYS["figures.no_loss"] if Case.BEHIND not in costs else ""
    case = "everywhere" if last == known else "upto"
    return SAYS(f"figures.{case}", epsilon=f"{result.quantiles(0)[0][last - 1]:g}")


def _accuracy_line(epsilons: np.ndarray, accuracy: np.ndarray, *, name: str, title: str, **more: object) -> dict:
    """Accuracy, as a share, drawn in right answers of 100; ``title``: in the legend."""
    hover = f"epsilon %{{x}}: %{{y:.1f}} %<extra>{title.partition('  ')[0]}</extra>"
    return theme.line(epsilons, 100 * accuracy, colour=theme.COLOURS[name], name=title, hovertemplate=hover, **more)


def _now(result: ClassifierResult) -> dict:
    """The middle private run at today's epsilon."""
    middle = 100 * result.summary()["scratch"].median
    return theme.dot(result.settings.epsilon, middle, colour=theme.PRIVATE) | {"name": theme.GHOST}


def _strokes(result: ClassifierResult) -> list[dict]:
    """A stroke for each repeat at today's epsilon, the arms on either side of the rule."""
    arms = zip(result.settings.arms, 100 * result.focus.accuracy, ((-10, -1), (1, 10)), strict=False)
    now = result.settings.epsilon
    return [theme.strokes(heights, x=now, ends=ends, colour=theme.COLOURS[name]) for name, heights, ends in arms]
