"""Charts of the classifier: accuracy over epsilon, loss over steps, decision maps and weights."""

import numpy as np

from dpcore.cache import cached
from lab.statistics import decision_regions
from lab.statistics.claims import Case
from lab.statistics.decision_regions import Plane
from pages.classifier.result import ClassifierResult
from pages.classifier.tasks import Reference
from ui.charts import coefficients, maps, theme
from ui.charts.curves import (
    Curve,
    accuracy_chart,
    accuracy_line,
    curve_chart,
    finding,
    grid_progress,
    quantile_curve,
)
from ui.text.numbers import percent
from ui.text.texts import Texts

SAYS = Texts(__file__)
# Colour of each arm's non-private model.
REFERENCE_COLOURS = {"scratch": theme.NON_PRIVATE, "public": theme.PUBLIC}
# Where the strokes of each arm's runs begin and end, in pixels right of the set epsilon.
STROKES = {"scratch": (-10, -1), "public": (1, 10)}
# The loss axis begins no lower, and ends no lower, in nats.
LOWEST_LOSS = 1e-3
LEAST_TOP_LOSS = 1.0


def accuracy(result: ClassifierResult) -> dict:
    """Draw the held-out accuracy over epsilon, and the runs at the set epsilon as strokes."""
    settings = result.settings
    curves = []
    for arm, model in result.references.items():
        name = _reference_name(result, arm)
        curves.append(accuracy_line(name, model.accuracy, REFERENCE_COLOURS[arm], dash="dot"))
    for index, arm in enumerate(settings.arms):
        curve = quantile_curve(
            _legend_name(result, arm),
            theme.COLOURS[arm],
            result.accuracy.arms[index].over(),
            result.summary[arm],
            band=arm == "scratch",
            strokes=result.ensemble.accuracy[index],
            stroke_span=STROKES[arm],
            dots=5,
        )
        curves.append(curve)
    if settings.uses_file:
        curves.append(accuracy_line(SAYS["figures.baseline"], result.baseline, dash="dash"))
    return accuracy_chart(
        *curves,
        current=settings.epsilon,
        title=SAYS["figures.accuracy"],
        finding=_accuracy_finding(result),
        xaxis=theme.epsilon_axis(*settings.LIMITS["epsilon"]),
    )


def loss(result: ClassifierResult) -> dict:
    """Draw the loss over the steps: median and 90 % of runs, held-out rows, and non-private."""
    steps = result.ensemble.steps
    quantiles = result.loss_quantiles()
    curves = []
    for index, arm in enumerate(result.settings.arms):
        curve = Curve(
            name=_legend_name(result, arm),
            colour=theme.COLOURS[arm],
            x=steps,
            y=quantiles[:, index],
            pinned=arm == "scratch",
        )
        curves.append(curve)
    held_out = Curve(
        name=SAYS("figures.held_out", model=_legend_name(result, "scratch")),
        colour=theme.PRIVATE,
        x=steps,
        y=quantiles[1, -1],
        dash="dash",
        width=2,
    )
    curves.append(held_out)
    for arm, model in result.references.items():
        curve = Curve(
            name=_reference_name(result, arm),
            colour=REFERENCE_COLOURS[arm],
            dash="dot",
            x=model.steps,
            y=model.loss,
        )
        curves.append(curve)
    low, high = _loss_range(result)
    return curve_chart(
        *curves,
        title=SAYS["figures.loss"],
        finding="not released",
        xaxis=theme.axis("step", 0, result.settings.steps),
        yaxis=theme.detailed_log_axis("mean loss (nats, log scale)", low, high),
    )


def decision_map(result: ClassifierResult, index: int) -> dict:
    """Draw what the private models of an arm decide, and the boundary of each of them."""
    arm = result.settings.arms[index]
    runs = decision_regions.runs_to_draw(result.ensemble.accuracy[index], result.split.n_classes)
    weights = result.ensemble.weights[index][runs]
    private_boundaries = _boundary_shape(
        weights,
        result.plane,
        colour=theme.COLOURS[arm],
        width=1.2,
    )
    reference_boundary = _reference_boundary(result.references[arm], result.plane)
    winner, share = decision_regions.votes(weights, result.plane)
    return maps.decision_map(
        result.split,
        result.plane,
        winner,
        share,
        boundaries=[private_boundaries, reference_boundary],
        title=_legend_name(result, arm).capitalize(),
        finding=percent(result.summary[arm].median),
    )


def column_weights(result: ClassifierResult) -> dict:
    """Draw the weights of the inputs with the largest ones, a dot per model.

    For more than two classes it is the range of an input's weights over the classes.
    """
    last_class = coefficients.shorten(result.classes[-1])
    if result.split.n_classes == 2:
        subtitle = SAYS("figures.weights", name=last_class)
        axis = "weight"
    else:
        subtitle = SAYS("figures.weights_range", name=last_class)
        axis = "range of weights"
    return coefficients.dots(
        largest_weights(result),
        model="model",
        title="Weights",
        finding=subtitle,
        axis=axis,
    )


def largest_weights(result: ClassifierResult) -> coefficients.LargestInputs:
    """Return the inputs with the largest weights: private (R, inputs) and non-private (inputs,)."""
    private = coefficients.input_weights(result.ensemble.weights[0])
    non_private = coefficients.input_weights(result.reference.weights)
    return coefficients.largest_inputs(result.split.source.features, private, non_private)


def _legend_name(result: ClassifierResult, name: str) -> str:
    """Return the name of an arm, or of a reference, in legends."""
    return theme.NAMES[result.settings.version][name]


def _reference_name(result: ClassifierResult, arm: str) -> str:
    """Return the name of the non-private model of an arm in legends."""
    if arm == "scratch":
        return _legend_name(result, "reference")
    return _legend_name(result, f"reference_{arm}")


def _accuracy_finding(result: ClassifierResult) -> str:
    """Return up to which epsilon privacy costs accuracy, or how much of the curve is trained."""
    grid = result.accuracy.arms[0]
    epsilons_trained = grid_progress(grid)
    if epsilons_trained:
        return epsilons_trained
    if not grid.complete:
        return SAYS("figures.runs", runs=grid.done.min(), all=result.settings.repeats)
    if result.settings.version == "none":
        return ""
    return finding(SAYS.cases("finding"), result.costs_by_epsilon, grid.at, Case.BEHIND)


def _loss_range(result: ClassifierResult) -> np.ndarray | list[float]:
    """Return the ends of the loss axis, which stay while the curves move a little."""
    low, _, high = result.loss_quantiles()
    lowest = low.min()
    for model in result.references.values():
        lowest = min(lowest, model.loss.min())
    return theme.stable_log_range(max(lowest, LOWEST_LOSS), max(high.max(), LEAST_TOP_LOSS))


def _boundary_shape(weights: np.ndarray, plane: Plane, *, colour: str, width: float) -> dict:
    """Return the boundaries of models (R, k, p), as the shape that stands for pinned settings."""
    segments = decision_regions.boundaries(weights, plane)
    shape = maps.boundary(plane, segments, colour=colour, width=width)
    shape["name"] = theme.PINNED
    return shape


@cached(newest=16)
def _reference_boundary(model: Reference, plane: Plane) -> dict:
    """Return the boundary of the non-private model, dotted, for the maps of private models.

    Sliders of private training do not change it, so it is computed once.
    """
    segments = decision_regions.boundaries(model.weights[None], plane)
    return maps.boundary(plane, segments, colour=theme.NON_PRIVATE, width=2, dash="dot")
