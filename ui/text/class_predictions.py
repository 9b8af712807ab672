"""The table of predictions by class, and notes about what accuracy hides."""

import math
from collections.abc import Mapping, Sequence
from html import escape

from lab.statistics.confusion import ByClass
from ui.text import tables
from ui.text.numbers import number
from ui.text.texts import SAYS
from ui.text.tiles import distinct_digits, out_of_hundred, percent


def table(
    private: ByClass, others: Mapping[str, ByClass], names: Sequence[str], *, models: str
) -> str:
    """Return the predictions of models for each class, and how often the others are right (HTML).

    Args:
        private: Predictions of ``models``.
        others: Name (HTML) of other models -> their predictions.
        names: Names of the classes.
        models: What the models are called.
    """
    heads = {"class": "class"}
    for predicted, name in enumerate(names):
        heads[f"as {predicted}"] = escape(name)
    for other in others:
        heads[other] = SAYS("by-class.correct", other=other)
    rows = []
    for label, name in enumerate(names):
        row = {"class": escape(name)}
        for predicted, share in enumerate(private.shares[label]):
            row[f"as {predicted}"] = _count_text(share)
        for other, by_class in others.items():
            row[other] = _count_text(by_class.shares[label, label])
        rows.append(row)
    return tables.table(
        rows,
        title=SAYS("by-class.title", models=models),
        caption=" ".join(notes(private, others, names)),
        heads=heads,
    )


def _count_text(share: float) -> str:
    if math.isnan(share):
        return "-"
    return out_of_hundred(share)


def notes(private: ByClass, others: Mapping[str, ByClass], names: Sequence[str]) -> list[str]:
    """Return sentences about what accuracy hides: classes that are hardly found, and the loss."""
    balanced = private.medians["balanced accuracy"]
    digits = 0
    for by_class in others.values():
        digits = max(digits, distinct_digits(balanced, by_class.medians["balanced accuracy"]))
    other_accuracies = []
    other_losses = []
    for name, by_class in others.items():
        share = percent(by_class.medians["balanced accuracy"], digits=digits)
        other_accuracies.append(f"{name} {share}")
        other_losses.append(f"{name} {_loss_text(by_class)}")
    majority, majority_share = private.largest_class
    return [
        SAYS["by-class.medians"],
        SAYS(
            "by-class.balanced",
            mine=percent(balanced, digits=digits),
            others=", ".join(other_accuracies),
        ),
        SAYS(
            "by-class.baseline",
            most=escape(names[majority]),
            accuracy=percent(majority_share),
            balanced=percent(1 / len(names)),
        ),
        SAYS("by-class.loss", mine=_loss_text(private), others=", ".join(other_losses)),
    ]


def _loss_text(by_class: ByClass) -> str:
    loss = by_class.medians["loss"]
    if not math.isfinite(loss):
        return SAYS["by-class.infinite"]
    return SAYS("by-class.nats", loss=number(loss))
