"""Made-up rows of the shape that an uploaded file is declared to have, for questions that must not
read the file.

They follow from declarations and the number of people alone: two files with the same ones give the
same made-up rows.
"""

import numpy as np
import pyarrow as pa

from dpcore.check import RefusedError
from lab.uploads.rows import LEAST_ROWS, Column, OwnRows, Roles
from lab.uploads.table import Table

_SEED = 0
# Maximum number of inputs of all rows together: a larger file has fewer made-up rows, with which an
# answer is careful.
_MOST_CELLS = 4_000_000
# Shapes of one file whose rows are kept.
_KEPT = 2
# Standard deviation of a number in half-widths of its bounds, which are cut off beyond three of
# them.
_SPREAD = 1 / 3
# Standard deviation of the noise on each class's score, whose signal has 1: of two classes, 85 in
# 100 can be told.
_NOISE = 0.7
# Share of a number to predict that columns explain, by variance.
_EXPLAINED = 0.5


class MadeUp(OwnRows):
    """A handle of made-up rows. best: the accuracy, or the RMSE, of the rule that made
    their label.
    """

    best: float


def twin(own: OwnRows) -> MadeUp:
    """Return made-up rows of the declared shape of a file, which the file holds as long as it is
    there.

    Raises RefusedError where bounds were read off private rows, as those are not public.
    """
    roles = own.roles
    if roles.void:
        raise RefusedError("bounds", "read off private rows", "public")
    kept = own.table.twins
    if roles not in kept:
        for old in [*kept][: 1 - _KEPT]:
            del kept[old]
        kept[roles] = of_shape(roles, people=own.people)
    return kept[roles][0]


def of_shape(roles: Roles, *, people: int) -> tuple[MadeUp, Table]:
    """Return made-up rows of this shape, and the table of them, which somebody has to hold."""
    each = 1
    if roles.target is not None and roles.person:
        each = roles.rows_each
    most = _MOST_CELLS // (each * len(roles.inputs))
    people = min(people, max(LEAST_ROWS, most))
    columns, best = _columns(roles, rows=people * each)
    if roles.person:
        columns[roles.person] = np.repeat(np.arange(people), each)
    arrays = {name: pa.chunked_array([pa.array(values)]) for name, values in columns.items()}
    table = Table(size=sum(array.nbytes for array in arrays.values()), columns=arrays)
    found = MadeUp(table=table, roles=roles, people=people, answered=people)
    found.best = best
    return found, table


def _columns(roles: Roles, *, rows: int) -> tuple[dict[str, np.ndarray], float]:
    """Return the cells of each column that has a role, and how well its rule predicts the label."""
    rng = np.random.default_rng(_SEED)
    cells: dict[str, np.ndarray] = {}
    scores = np.zeros((rows, max(1, len(roles.classes))))
    for column in roles.columns:
        cells[column.name], effect = _drawn(column, rng, rows=rows, scores=scores.shape[1])
        scores += effect
    if roles.target is None:
        scores -= scores.mean(axis=1, keepdims=True)
    scores -= scores.mean(axis=0)
    spread = scores.std()
    if spread > 0:
        scores /= spread
    if roles.target is not None:
        cells[roles.answer], best = _number(roles.target, scores[:, 0], rng)
    else:
        noisy = scores + _NOISE * rng.standard_normal(scores.shape)
        chosen = noisy.argmax(axis=1)
        cells[roles.answer] = np.array(roles.classes, dtype=object)[chosen]
        best = float((chosen == scores.argmax(axis=1)).mean())
    return cells, best


def _drawn(
    column: Column, rng: np.random.Generator, *, rows: int, scores: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells of a column (n,), and what they add to each score (n, K)."""
    if column.kind == "category":
        values = [*column.values, ""] if len(column.values) == 1 else [*column.values]
        places = rng.integers(len(values), size=rows)
        effects = rng.standard_normal((len(values), scores))
        return np.array(values, dtype=object)[places], effects[places]
    ((low, high),) = column.inputs.values()
    place = np.clip(_SPREAD * rng.standard_normal(rows), -1, 1)
    effect = np.outer(place / _SPREAD, rng.standard_normal(scores))
    return low + (place + 1) / 2 * (high - low), effect


def _number(
    target: Column, score: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Return a number to predict (n,), and the RMSE of the rule that knows all but its noise."""
    ((low, high),) = target.inputs.values()
    half = (high - low) / 2
    signal = _SPREAD * np.sqrt(_EXPLAINED) * score
    whole = np.clip(
        signal + _SPREAD * np.sqrt(1 - _EXPLAINED) * rng.standard_normal(len(score)), -1, 1
    )
    error = float(np.sqrt(np.mean((whole - signal) ** 2)))
    return low + (whole + 1) * half, error * half
