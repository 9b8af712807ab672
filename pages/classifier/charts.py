"""Charts of the classifier: accuracy over epsilon, loss over steps, decision maps and weights."""

import numpy as np

from dpcore.cache import cached
from lab.statistics import decision_regions
from lab.statistics.decision_regions import Plane
from lab.statistics.price import Price
from pages.classifier.result import ClassifierResult
from pages.classifier.tasks import Reference
from ui.charts import coefficients, decision_maps, price_curve, theme
from ui.charts.curves import Curve, Level, accuracy_chart, curve_chart, grid_progress
from ui.text.numbers import number
from ui.text.texts import Texts
from ui.text.tiles import distinct_digits, percent, percent_rounded_up

SAYS = Texts(__file__)
# Colour of each arm's non-private model.
REFERENCE_COLOURS = {"scratch": theme.NON_PRIVATE, "public": theme.PUBLIC}
_DOT_SIZE = 4
# The loss axis begins no lower, and ends no lower, in nats.
LOWEST_LOSS = 1e-3
LEAST_TOP_LOSS = 1.0


def accuracy(result: ClassifierResult) -> dict:
    """Draw the held-out accuracy over epsilon, with the point that is dragged, and its price."""
    settings = result.settings
    curves = []
    for index, arm in enumerate(settings.arms):
        curves.append(_accuracy_curve(result, index, band=arm == "scratch"))
    annotations = _line_names(result)
    low, high = settings.LIMITS["epsilon"]
    xaxis = theme.epsilon_axis(low, high)
    if settings.has_price:
        xaxis = price_curve.attacker_axis(low, high, settings.right_guesses)
        annotations.append(price_curve.guesses_now(settings.epsilon, result.right_guesses))
    if result.price is not None:
        annotations.append(price_curve.tag(_price_text(result.price)))
    chart = accuracy_chart(
        *curves,
        current=settings.epsilon,
        levels=_levels(result),
        legend=False,
        title=SAYS["figures.accuracy"],
        finding=_training_progress(result),
        xaxis=xaxis,
        shapes=price_curve.handle(settings.epsilon, 100 * result.height),
        annotations=annotations,
    )
    chart["layout"]["margin"]["b"] = price_curve.BOTTOM_MARGIN
    return chart


def accuracy_clicks(result: ClassifierResult) -> dict:
    """Return what drags the point of the curve (``ui.widgets.Chart.clicks``)."""
    settings = result.settings
    attacker = ""
    if settings.has_price:
        attacker = SAYS("handle.attacker", guesses=percent_rounded_up(result.right_guesses))
    text = SAYS(
        "handle.value",
        epsilon=number(settings.epsilon),
        accuracy=_accuracy_text(result, result.summary["scratch"].median),
        attacker=attacker,
    )
    return price_curve.clicks(
        settings.epsilon,
        100 * result.height,
        limits=settings.limits["epsilon"],
        label=SAYS["handle.label"],
        text=text,
    )


def _accuracy_text(result: ClassifierResult, share: float) -> str:
    """Format an accuracy with as many decimals as the tiles have."""
    digits = distinct_digits(result.summary["scratch"].median, result.reference.accuracy)
    return percent(share, digits=digits)


def _accuracy_curve(result: ClassifierResult, index: int, *, band: bool) -> Curve:
    """Return the curve of an arm: the median and, with a band, 90 % of runs.

    It does not follow the set epsilon, so that a drag sends it once.
    """
    arm = result.settings.arms[index]
    epsilons, quantiles = result.accuracy.arms[index].over()
    heights = 100 * quantiles
    if not band:
        heights = heights[1]
    return Curve(
        name=SAYS[f"figures.{arm}"],
        colour=theme.COLOURS[arm],
        x=epsilons,
        y=heights,
        dots=_DOT_SIZE,
        hover=price_curve.HOVER,
        pinned=band,
    )


def _line_names(result: ClassifierResult) -> list[dict]:
    """Return the names of the curves: from scratch below its start, pre-trained over all lines."""
    names = []
    for index, arm in enumerate(result.settings.arms):
        is_scratch = arm == "scratch"
        median = _accuracy_text(result, result.summary[arm].median)
        height = result.reference.accuracy
        if is_scratch and result.accuracy.complete:
            _, quantiles = result.accuracy.arms[index].over()
            height = float(quantiles[1, 0])
        level = Level(
            y=100 * height,
            name=f"{SAYS[f'figures.{arm}']} <b>{median}</b>",
            colour=theme.COLOURS[arm],
            below=is_scratch,
            coloured=True,
        )
        names.append(level.annotation({}))
    return names


def _levels(result: ClassifierResult) -> list[Level]:
    """Return the line of the non-private model and, of a file, that of its largest class."""
    reference = result.reference.accuracy
    levels = [
        Level(
            y=100 * reference,
            name=SAYS("figures.reference", accuracy=_accuracy_text(result, reference)),
            side="right",
            coloured=True,
        )
    ]
    if result.settings.uses_file:
        name = SAYS("figures.baseline", accuracy=_accuracy_text(result, result.baseline))
        levels.append(Level(y=100 * result.baseline, name=name, dash="dash", below=True))
    return levels


def _price_text(price: Price) -> str:
    """Return both lines of the price tag."""
    return SAYS(
        f"price.{price.offer}",
        price=_one_digit(price.guesses),
        low=_one_digit(price.low),
        high=_one_digit(price.high),
    )


def _one_digit(guesses: float) -> str:
    return f"{float(f'{guesses:.1g}'):g}"


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
    return decision_maps.decision_map(
        result.split,
        result.plane,
        winner,
        share,
        boundaries=[private_boundaries, reference_boundary],
        title=SAYS[f"figures.{arm}"].capitalize(),
        finding=_accuracy_text(result, result.summary[arm].median),
    )


def column_weights(result: ClassifierResult) -> dict:
    """Draw the weights of the inputs with the largest ones, a dot per model.

    For more than two classes it is the range of an input's weights over the classes.
    """
    if result.split.n_classes == 2:
        last_class = coefficients.shorten(result.classes[-1])
        subtitle = SAYS("figures.weights", name=last_class)
        axis = "weight"
    else:
        subtitle = SAYS["figures.weights_range"]
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


def _training_progress(result: ClassifierResult) -> str:
    """Return how much of the curve is trained, or "" once all of it is."""
    curve = result.first_curve.arms[0]
    epsilons_trained = grid_progress(curve)
    if epsilons_trained or curve.complete:
        return epsilons_trained
    return SAYS("figures.runs", runs=curve.done.min(), all=result.settings.repeats)


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
    shape = decision_maps.boundary(plane, segments, colour=colour, width=width)
    shape["name"] = theme.PINNED
    return shape


@cached(newest=16)
def _reference_boundary(model: Reference, plane: Plane) -> dict:
    """Return the boundary of the non-private model, dotted, for the maps of private models.

    Sliders of private training do not change it, so it is computed once.
    """
    segments = decision_regions.boundaries(model.weights[None], plane)
    return decision_maps.boundary(plane, segments, colour=theme.NON_PRIVATE, width=2, dash="dot")
