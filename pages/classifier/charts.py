"""The classifier's pictures: decision regions, weights by column, loss over steps, accuracy over
epsilon.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcore.cache import cached
from lab.data.classification import Split
from lab.statistics.claims import Case
from lab.statistics.decision_regions import Plane, boundaries, drawn, votes
from pages.classifier.result import ClassifierResult
from pages.classifier.tasks import ReferenceOutcome
from ui.charts import coefficients, maps, theme
from ui.charts.curves import Curve, accuracies, finding, measured, over, progress, reference
from ui.text.numbers import percent as percent_text
from ui.text.texts import Texts

SAYS = Texts(__file__)
# The dotted line of each arm's non-private model.
_PLAIN = {"scratch": theme.NON_PRIVATE, "public": theme.PUBLIC}
# Where the strokes of an arm's runs stand, in pixels beside the current epsilon.
_STROKES = {"scratch": (-10, -1), "public": (1, 10)}


def regions(result: ClassifierResult, arm: int) -> dict:
    """Draw what the private ensemble of one arm decides, with the boundary of every repeat that is
    ``drawn``.
    """
    name, shown = (
        result.settings.arms[arm],
        drawn(result.focus.accuracy[arm], result.split.n_classes),
    )
    weights = result.focus.weights[arm][shown]
    return _map(
        result.split,
        result.plane,
        weights,
        name=name,
        title=_name(result, name).capitalize(),
        finding=percent_text(result.summary[name].median),
        also=[_reference(result, name)[1]],
    )


def reference_regions(result: ClassifierResult) -> dict:
    return _reference(result, "scratch")[0]


def _reference(result: ClassifierResult, arm: str) -> tuple[dict, dict]:
    return _drawn_reference(
        result.references[arm], result.split, result.plane, _plain_name(result, arm)
    )


@cached(newest=16)
def _drawn_reference(
    reference: ReferenceOutcome, split: Split, plane: Plane, name: str
) -> tuple[dict, dict]:
    """(the map of the model without privacy, its boundary in other maps), drawn once: no private
    knob moves it.
    """
    weights = reference.weights[None]
    percent = percent_text(reference.accuracy)
    segments = boundaries(weights, plane)
    boundary = maps.boundary(plane, segments, colour=theme.NON_PRIVATE, width=2, dash="dot")
    return (
        _map(split, plane, weights, name="reference", title=name.capitalize(), finding=percent),
        boundary,
    )


def _name(result: ClassifierResult, name: str) -> str:
    return theme.NAMES[result.settings.version][name]


def _plain_name(result: ClassifierResult, arm: str) -> str:
    return _name(result, "reference" if arm == "scratch" else f"reference_{arm}")


def _map(
    split: Split,
    plane: Plane,
    weights: np.ndarray,
    *,
    name: str,
    also: Sequence[dict] = (),
    **layout: Any,
) -> dict:
    """Draw what models of these weights (R, k, p) decide, and the boundary of each."""
    width, segments = 2.2 if name == "reference" else 1.2, boundaries(weights, plane)
    boundary = maps.boundary(plane, segments, colour=theme.COLOURS[name], width=width) | {
        "name": theme.GHOST
    }
    return maps.decided(
        split, plane, *votes(weights, plane), boundaries=[boundary, *also], **layout
    )


def weights(result: ClassifierResult) -> dict:
    """Draw what each input says for the last of two classes, or how far it moves several apart: a
    dot for each model.
    """
    two = result.split.n_classes == 2
    last = coefficients.short(result.split.source.classes[-1])
    return coefficients.dots(
        leading(result),
        model="model",
        title="Weights",
        finding=SAYS("figures.weights" if two else "figures.weights_range", name=last),
        axis="weight" if two else "range of weights",
    )


def leading(result: ClassifierResult) -> coefficients.Leading:
    private, plain = map(
        coefficients.of_inputs, (result.focus.weights[0], result.reference.weights)
    )
    return coefficients.leading(result.split.source.features, private, plain)


def loss(result: ClassifierResult) -> dict:
    """Training loss over steps: median and nine in ten of the repeats, beside the loss on held-out
    rows and the descent without privacy.
    """
    quantiles = result.losses()
    plain = [
        Curve(
            name=_plain_name(result, arm), colour=_PLAIN[arm], dash="dot", x=one.steps, y=one.loss
        )
        for arm, one in result.references.items()
    ]
    curves = [
        Curve(
            name=_name(result, name),
            colour=theme.COLOURS[name],
            x=result.focus.steps,
            y=own,
            ghost=name == "scratch",
        )
        for name, own in zip(result.settings.arms, quantiles[:, :-1].swapaxes(0, 1), strict=True)
    ]
    held_out = SAYS("figures.held_out", model=_name(result, "scratch"))
    least = min(*(one.loss.min() for one in result.references.values()), quantiles[0].min())
    low, high = theme.steady_range(max(least, 1e-3), max(quantiles[2].max(), 1.0))
    return over(
        *curves,
        Curve(
            name=held_out,
            colour=theme.PRIVATE,
            x=result.focus.steps,
            y=quantiles[1, -1],
            dash="dash",
            width=2,
        ),
        *plain,
        title=SAYS["figures.loss"],
        finding="not released",
        xaxis=theme.axis("step", 0, result.settings.steps),
        yaxis=theme.steady_axis("mean loss (nats, log scale)", low, high),
    )


def accuracy(result: ClassifierResult) -> dict:
    """Draw held-out accuracy over epsilon, with the runs of each arm on one side of the current
    value.
    """
    settings = result.settings
    curves = [
        reference(_plain_name(result, arm), plain.accuracy, _PLAIN[arm], dash="dot")
        for arm, plain in result.references.items()
    ]
    for name, grid, runs in zip(
        settings.arms, result.accuracy.arms, result.focus.accuracy, strict=True
    ):
        curves.append(
            measured(
                _name(result, name),
                theme.COLOURS[name],
                grid.over(),
                result.summary[name],
                band=name == "scratch",
                runs=runs,
                ends=_STROKES[name],
                dots=5,
            )
        )
    if settings.private:
        curves.append(reference(SAYS["figures.baseline"], result.baseline, dash="dash"))
    return accuracies(
        *curves,
        now=settings.epsilon,
        title=SAYS["figures.accuracy"],
        finding=_finding(result),
        xaxis=theme.epsilon_axis(*settings.LIMITS["epsilon"]),
    )


def _finding(result: ClassifierResult) -> str:
    """Return up to which epsilon privacy is shown to cost accuracy, or how far the curve
    has come.
    """
    grid = result.accuracy.arms[0]
    if part := progress(grid):
        return part
    if not grid.complete:
        return SAYS("figures.runs", runs=grid.done.min(), all=result.settings.repeats)
    if result.settings.version == "none":
        return ""
    return finding(SAYS.cases("finding"), result.costs_over_epsilon(), grid.at, Case.BEHIND)
