"""The classifier's pictures: decision regions, weights by column, loss over steps, accuracy over epsilon."""

from collections.abc import Sequence

import numpy as np

from dpcore.cache import cached
from dpcore.data.toy import Split
from lab.boundaries import Plane, boundaries, drawn, votes
from lab.claims import Case, upto
from pages.classifier.result import ClassifierResult
from pages.classifier.work import ReferenceOutcome
from ui.plot import columns, maps, theme
from ui.plot.curves import Curve, over, trained
from ui.texts import Texts

SAYS = Texts(__file__)
# The dotted line of each arm's non-private model.
_PLAIN = {"scratch": theme.NON_PRIVATE, "public": theme.PUBLIC}


def regions(result: ClassifierResult, arm: int) -> dict:
    """Draw what the private ensemble of one arm decides, with the boundary of every repeat that is ``drawn``."""
    name, shown = result.settings.arms[arm], drawn(result.focus.accuracy[arm], result.split.n_classes)
    weights = result.focus.weights[arm][shown]
    title = theme.title(_name(result, name).capitalize(), theme.percent(result.summary[name].median))
    return _map(result.split, result.plane, weights, name=name, title=title, also=[_reference(result, name)[1]])


def reference_regions(result: ClassifierResult) -> dict:
    return _reference(result, "scratch")[0]


def _reference(result: ClassifierResult, arm: str) -> tuple[dict, dict]:
    return _drawn_reference(result.references[arm], result.split, result.plane, _plain_name(result, arm))


@cached(newest=16)
def _drawn_reference(reference: ReferenceOutcome, split: Split, plane: Plane, name: str) -> tuple[dict, dict]:
    """(the map of the model without privacy, its boundary in other maps), drawn once: no private knob moves it."""
    weights, title = reference.weights[None], theme.title(name.capitalize(), theme.percent(reference.accuracy))
    segments = boundaries(weights, plane)
    boundary = maps.boundary(plane, segments, colour=theme.NON_PRIVATE, width=2, dash="dot")
    return _map(split, plane, weights, name="reference", title=title), boundary


def _name(result: ClassifierResult, name: str) -> str:
    return theme.NAMES[result.settings.version][name]


def _plain_name(result: ClassifierResult, arm: str) -> str:
    return _name(result, "reference" if arm == "scratch" else f"reference_{arm}")


def _map(split: Split, plane: Plane, weights: np.ndarray, *, name: str, title: dict, also: Sequence[dict] = ()) -> dict:
    """Draw what models of these weights (R, k, p) decide, and the boundary of each."""
    width, segments = 2.2 if name == "reference" else 1.2, boundaries(weights, plane)
    boundary = maps.boundary(plane, segments, colour=theme.COLOURS[name], width=width) | {"name": theme.GHOST}
    return maps.decided(split, plane, *votes(weights, plane), boundaries=[boundary, *also], title=title)


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
    private, plain = map(columns.of_inputs, (result.focus.weights[0], result.reference.weights))
    return columns.leading(result.split.source.features, private, plain)


def loss(result: ClassifierResult) -> dict:
    """Training loss over steps: median and nine in ten of the repeats, beside the loss on held-out rows and the descent
    without privacy."""
    quantiles = result.losses()
    plain = [
        Curve(name=_plain_name(result, arm), colour=_PLAIN[arm], dash="dot", x=one.steps, y=one.loss)
        for arm, one in result.references.items()
    ]
    curves = [
        Curve(
            name=_name(result, name), colour=theme.COLOURS[name], x=result.focus.steps, y=own, ghost=name == "scratch"
        )
        for name, own in zip(result.settings.arms, quantiles[:, :-1].swapaxes(0, 1), strict=True)
    ]
    held_out = SAYS("figures.held_out", model=_name(result, "scratch"))
    least = min(*(one.loss.min() for one in result.references.values()), quantiles[0].min())
    low, high = theme.steady_range(max(least, 1e-3), max(quantiles[2].max(), 1.0))
    return over(
        *curves,
        Curve(name=held_out, colour=theme.PRIVATE, x=result.focus.steps, y=quantiles[1, -1], dash="dash", width=2),
        *plain,
        title=theme.title(SAYS["figures.loss"], "not released"),
        legend=True,
        xaxis=theme.axis("step", 0, result.settings.steps),
        yaxis=theme.steady_axis("mean loss (nats, log scale)", low, high),
    )


def accuracy(result: ClassifierResult) -> dict:
    """Held-out accuracy over epsilon; at today's, a stroke for each repeat, the arms on either side of the rule."""
    settings, names, now = result.settings, theme.NAMES[result.settings.version], result.summary
    plain = result.references.items()
    curves = [_rail(_plain_name(result, arm), one.accuracy, colour=_PLAIN[arm]) for arm, one in plain]
    for arm, (name, ends) in enumerate(zip(settings.arms, ((-10, -1), (1, 10)), strict=False)):
        epsilons, quantiles = result.accuracy.arms[arm].over()
        first = name == "scratch"
        curves.append(
            Curve(
                name=names[name],
                value=theme.percent(now[name].median),
                colour=theme.COLOURS[name],
                x=epsilons,
                y=100 * (quantiles if first else quantiles[1]),
                dots=5,
                at_now=100 * np.array(now[name]),
                dotted=first,
                runs=100 * result.focus.accuracy[arm],
                ends=ends,
                ghost=first,
            )
        )
    if settings.private:
        curves.append(_rail(SAYS["figures.baseline"], result.baseline, dash="dash"))
    return over(
        *curves,
        now=settings.epsilon,
        title=theme.title(SAYS["figures.accuracy"], _finding(result)),
        legend=True,
        xaxis=theme.epsilon_axis(*settings.LIMITS["epsilon"]),
        yaxis=theme.axis("test accuracy, %", 0, 102),
    )


def _rail(name: str, share: float, *, colour: str = theme.NON_PRIVATE, dash: str = "dot") -> Curve:
    """Return the line of an accuracy that no private knob moves."""
    return Curve(name=name, y=100 * share, value=theme.percent(share), colour=colour, dash=dash)


def _finding(result: ClassifierResult) -> str:
    """Return up to which epsilon privacy is shown to cost accuracy, or how far the curve has come."""
    known, runs = len(result.settings.epsilons), result.settings.repeats
    done = result.accuracy.arms[0].done
    done = done[done > 0]
    if part := trained(len(done), known):
        return part
    if done.min() < runs:
        return SAYS("figures.runs", runs=done.min(), all=runs)
    if result.settings.version == "none":
        return ""
    costs = result.costs_over_epsilon()
    last = upto(costs, Case.BEHIND)
    if not last and Case.BEHIND in costs:
        return ""
    if not last:
        return SAYS["figures.few" if Case.FEW in costs else "figures.no_loss"]
    case = "everywhere" if last == known else "upto"
    return SAYS(f"figures.{case}", epsilon=f"{result.settings.epsilons[last - 1]:g}")
