"""The pages that questions can be about, and the first question about each."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from lab.experiment.settings import Settings

# Sliders that choose what is shown, which rows, or how many runs. No question is about them.
IGNORED_SLIDERS = ("repeats", "seed", "shown")


class Topic(NamedTuple):
    """A page that questions can be about.

    kind: the type of its settings.
    sliders: function of settings that returns the names of their sliders.
    """

    kind: type[Settings]
    sliders: Callable[[Settings], Sequence[str]]


class Start(NamedTuple):
    """The first question about a topic, with values of fields of ``WhatIfSettings``.

    map_slider: the field on the y axis of the map, unless it is on the x axis.
    """

    base: str
    measure: str
    target: float
    slider: str
    map_slider: str
    repeats: int = 100


STARTS: Mapping[str, Start] = {
    "classifier": Start(
        "dataset breast_cancer clip_norm 0.5 public_rows 0", "scratch", 80, "epsilon", "clip_norm"
    ),
    "network": Start("", "accuracy", 90, "epsilon", "clip_norm", repeats=24),
    "regression": Start("mechanism adassp", "error", 21, "epsilon", "rows"),
    "transfer": Start("", "transfer", 0.01, "epsilon", "h"),
    "parties": Start("", "soft", 85, "epsilon", "parties"),
    "hypotheses": Start("", "accuracy", 70, "epsilon", "source_rows", repeats=24),
}
