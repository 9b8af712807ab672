"""Made-up rows of the declared shape of an uploaded file, for questions that must not read it.

They follow from declarations and the number of people alone: two files with the same ones give the
same made-up rows.
"""

import numpy as np
import pyarrow as pa

from dpcore.check import RefusedError
from lab.uploads.column_roles import Column, Roles
from lab.uploads.rows import LEAST_ROWS, OwnRows
from lab.uploads.table import Table

_SEED = 0
# Maximum number of inputs of all rows together: a larger file has fewer made-up rows, with which an
# answer is careful.
_MOST_CELLS = 4_000_000
# Number of shapes of one file whose made-up rows are kept.
_MOST_KEPT = 2
# Standard deviation of a number in half-widths of its bounds, which cut off what lies beyond three
# standard deviations.
_SPREAD = 1 / 3
# Standard deviation of the noise on each class's score, whose signal has 1. With two classes, the
# rule is right for 85 of 100 rows.
_NOISE = 0.7
# Share of the variance of a number to predict that columns explain.
_EXPLAINED = 0.5


class MadeUp(OwnRows):
    """A handle of made-up rows.

    Attributes:
        best: The accuracy, or the RMSE, of the rule that made their label.
    """

    best: float


def twin(own: OwnRows) -> MadeUp:
    """Return made-up rows of the declared shape of a file, which keeps them.

    Raises:
        RefusedError: If bounds were read off private rows, as those are not public.
    """
    roles = own.roles
    if roles.void:
        raise RefusedError("bounds", "read off private rows", "public")
    kept = own.table.twins
    if roles not in kept:
        while len(kept) >= _MOST_KEPT:
            oldest = next(iter(kept))
            del kept[oldest]
        kept[roles] = of_shape(roles, people=own.people)
    made_up, _ = kept[roles]
    return made_up


def of_shape(roles: Roles, *, people: int) -> tuple[MadeUp, Table]:
    """Return made-up rows of this shape, and their table, which the caller must hold."""
    rows_each = 1
    if roles.target is not None and roles.person:
        rows_each = roles.rows_each
    most_people = _MOST_CELLS // (rows_each * len(roles.inputs))
    people = min(people, max(LEAST_ROWS, most_people))
    columns, best = _columns(roles, rows=people * rows_each)
    if roles.person:
        columns[roles.person] = np.repeat(np.arange(people), rows_each)
    arrays = {name: pa.chunked_array([pa.array(values)]) for name, values in columns.items()}
    size = sum(array.nbytes for array in arrays.values())
    table = Table(size=size, columns=arrays)
    made_up = MadeUp(table=table, roles=roles, people=people, answered=people)
    made_up.best = best
    return made_up, table


def _columns(roles: Roles, *, rows: int) -> tuple[dict[str, np.ndarray], float]:
    """Return the cells of each column that has a role, and the accuracy or RMSE of the rule."""
    rng = np.random.default_rng(_SEED)
    cells: dict[str, np.ndarray] = {}
    # One score per class, or one for a number.
    scores = np.zeros((rows, max(1, len(roles.classes))))
    for column in roles.columns:
        cells[column.name], effects = _drawn_column(column, rng, rows, scores.shape[1])
        scores += effects
    if roles.target is None:
        scores -= scores.mean(axis=1, keepdims=True)
    scores -= scores.mean(axis=0)
    spread = scores.std()
    if spread > 0:
        scores /= spread
    if roles.target is not None:
        cells[roles.answer], rmse = _drawn_number(roles.target, scores[:, 0], rng)
        return cells, rmse
    noisy_scores = scores + _NOISE * rng.standard_normal(scores.shape)
    labels = noisy_scores.argmax(axis=1)
    cells[roles.answer] = np.array(roles.classes, dtype=object)[labels]
    accuracy = float((labels == scores.argmax(axis=1)).mean())
    return cells, accuracy


def _drawn_column(
    column: Column, rng: np.random.Generator, rows: int, scores: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the cells (n,) of a column, and their effects (n, K) on K scores."""
    if column.kind == "category":
        values = list(column.values)
        if len(values) == 1:
            # A cell without the category.
            values.append("")
        categories = rng.integers(len(values), size=rows)
        effects = rng.standard_normal((len(values), scores))
        return np.array(values, dtype=object)[categories], effects[categories]
    ((low, high),) = column.inputs.values()
    scaled = np.clip(_SPREAD * rng.standard_normal(rows), -1, 1)
    effects = np.outer(scaled / _SPREAD, rng.standard_normal(scores))
    return low + (scaled + 1) / 2 * (high - low), effects


def _drawn_number(
    target: Column, score: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Draw a number to predict (n,); also return the RMSE of the rule that knows all but its
    noise.
    """
    ((low, high),) = target.inputs.values()
    half_width = (high - low) / 2
    signal = _SPREAD * np.sqrt(_EXPLAINED) * score
    noise = _SPREAD * np.sqrt(1 - _EXPLAINED) * rng.standard_normal(len(score))
    scaled = np.clip(signal + noise, -1, 1)
    rmse = float(np.sqrt(np.mean((scaled - signal) ** 2)))
    return low + (scaled + 1) * half_width, rmse * half_width
