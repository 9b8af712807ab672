"""Sweeps: one knob of an experiment at several values, the repeats of each with common random numbers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpcore import check


def sweep(settings: Any, measure: Callable[[Any], Mapping[str, np.ndarray]], **knob: Iterable[Any]) -> pd.DataFrame:
    """A row a repeat: the knob's value, ``repeat`` from 0, and what ``measure`` reads off the result.

    settings: frozen settings with ``change(**field)`` and ``run()``. measure: result -> {name: (R,)}, one number a
    repeat. knob: exactly one field of the settings with its values. Repeat r uses the same noise stream at each
    value, as the settings' seed stays what it is: differences between neighbouring values are the knob's, and error
    bars have to come from the repeats. Raises RefusedError where the settings refuse a value.

    >>> from dpcore.experiments.classifier import ClassifierSettings
    >>> start = ClassifierSettings(steps=5, repeats=3, public_rows=0)
    >>> frame = sweep(start, lambda result: {"accuracy": result.focus.accuracy[0]}, clip_norm=[0.1, 1.0])
    >>> list(frame.columns), len(frame)
    (['clip_norm', 'repeat', 'accuracy'], 6)
    """
    if len(knob) != 1:
        raise check.RefusedError("knob", ", ".join(knob), "exactly one field of the settings")
    ((name, values),) = knob.items()
    parts = []
    for value in values:
        measured = measure(settings.change(**{name: value}).run())
        part = pd.DataFrame({column: np.asarray(numbers) for column, numbers in measured.items()})
        part.insert(0, "repeat", range(len(part)))
        part.insert(0, name, value)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)
