"""The published table of [zhang2022], reproduced by its loop, and what its numbers are.

Data: x = (i, i), y = 2i + 1 for i = 1..m, without noise. "Migrating" 5, 10, ... rows makes m
    larger. The loop, from 0:

    in each of 50 epochs: g <- Laplace noise of scale mean(a), a number per coefficient; h <- 0
        for each row: r = a.x + b - y;  g <- (g + 2 r x + 0.1 a) / m;  h <- (h + 2 r) / m;  a -=
        1e-4 g;  b -= 1e-4 h

The gradient is not reset between rows but divided by m at each. Printed is the mean over 100 runs
of the *training* mean squared error plus 0.1 ||a||_1. That is no sum of squared errors and no error
on held-out rows. Nor is it private: the scale of the noise is read off the fit itself (0 at first),
nothing bounds the influence of a row, and there is no epsilon.

The slides name neither lambda nor q: 0.1 and 1 are our reconstruction, which makes their numbers
again. Both can be changed here. A step adds lambda a whatever q is, the gradient of
lambda/2 ||a||_2^2, so that the loop descends on another penalty than the lambda ||a||_1 that it
prints. q decides only what is printed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dpcore.streams import stream

# The printed value by number of migrated rows.
PUBLISHED = {
    0: 34.17541071316984,
    5: 33.12849629296133,
    10: 11.112535857610235,
    15: 1.8909878040817576,
    20: 0.5093283949462145,
}
OWN_ROWS = 5
EPOCHS = 50
RUNS = 100
# Epochs of the control, in which the loop goes on with the five rows alone and without noise.
CONTROL_EPOCHS = (50, 160, 500, 1600, 5000)
PENALTY = 0.1
NORM = "1"
_LEARNING_RATE = 1e-4
# Rows between those of the loop, which a model of y = 2x + 1 predicts as well.
_HELD_OUT = np.arange(1.5, 6)
# The numbers of each row of the table.
_NUMBERS = ("value", "training MSE", "training SSE", "held-out MSE")


@dataclass(frozen=True, kw_only=True, eq=False)
class Fits:
    """The fits of R runs of the loop.

    rows: number m of rows, i = 1..m.
    a, b: coefficients (R, 2) and constants (R,).
    penalty: lambda.
    """

    rows: int
    a: np.ndarray
    b: np.ndarray
    penalty: float = PENALTY

    def squared_errors(self, values: np.ndarray) -> np.ndarray:
        """Return the squared errors (R, n) at x = (i, i), for n ``values`` of i."""
        predictions = self.a.sum(axis=1)[:, None] * values + self.b[:, None]
        return np.square(predictions - (2 * values + 1))

    @property
    def training_errors(self) -> np.ndarray:
        """Return the squared errors (R, m) of the rows of the loop."""
        return self.squared_errors(np.arange(1, self.rows + 1.0))

    def printed(self, q: str = NORM) -> np.ndarray:
        """Return the printed values (R,).

        They are the training mean squared error plus lambda ||a||_1, or lambda ||a||_2^2 for "2".
        """
        norm = (np.abs(self.a) ** int(q)).sum(axis=1)
        return self.training_errors.mean(axis=1) + self.penalty * norm


def run_epoch(
    a: np.ndarray,
    b: np.ndarray,
    gradient: np.ndarray,
    *,
    rows: int,
    penalty: float,
    label_scale: float = 1.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients (R, 2) and constants (R,) after one pass over the rows.

    a, b: before it.
    gradient: the gradients (R, 2) with which the pass starts.
    label_scale: factor of the labels. With 0 the pass is linear.
    """
    a = a.copy()
    b = b.copy()
    constant_gradient = np.zeros_like(b)
    for i in range(1, rows + 1):
        residual = 2 * (a.sum(axis=1) * i + b - label_scale * (2 * i + 1))
        gradient = (gradient + residual[:, None] * i + penalty * a) / rows
        constant_gradient = (constant_gradient + residual) / rows
        a -= _LEARNING_RATE * gradient
        b -= _LEARNING_RATE * constant_gradient
    return a, b


def run_loop(
    rows: int,
    *,
    epochs: int = EPOCHS,
    runs: int = RUNS,
    seed: int = 0,
    noisy: bool = True,
    penalty: float = PENALTY,
) -> Fits:
    """Run the loop from 0.

    An epoch is an affine function of the state (a, b) with which it starts and of its noise. Its
    matrix consists of the passes from the unit vectors, and its shift is the pass from 0.

    runs: number of runs. Without noise there is only one.
    """
    unit = np.eye(5)
    linear = run_epoch(
        unit[:, :2], unit[:, 2], unit[:, 3:], rows=rows, penalty=penalty, label_scale=0.0
    )
    matrix = np.column_stack(linear)  # (5, 3)
    from_zero = run_epoch(
        np.zeros((1, 2)), np.zeros(1), np.zeros((1, 2)), rows=rows, penalty=penalty
    )
    shift = np.column_stack(from_zero)[0]
    if noisy:
        state = _run_noisy_epochs(matrix, shift, epochs=epochs, runs=runs, seed=seed, rows=rows)
    else:
        # The power of the affine map, as a matrix that acts on (state, 1).
        affine = np.block([[matrix[:3], np.zeros((3, 1))], [shift, np.ones(1)]])
        state = np.linalg.matrix_power(affine, epochs)[3:, :3]
    return Fits(rows=rows, a=state[:, :2], b=state[:, 2], penalty=penalty)


def _run_noisy_epochs(
    matrix: np.ndarray, shift: np.ndarray, *, epochs: int, runs: int, seed: int, rows: int
) -> np.ndarray:
    """Return the states (R, 3) after the epochs, each with fresh Laplace noise."""
    state = np.zeros((runs, 3))
    generator = stream(seed, "noise", rows)
    for _ in range(epochs):
        # The scale mean(a) may be negative, which a generator refuses. A draw of scale 1 times it
        # has the same distribution.
        scale = state[:, :2].mean(axis=1, keepdims=True)
        noise = scale * generator.laplace(size=(runs, 2))
        state = np.hstack([state, noise]) @ matrix + shift
    return state


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """The task of one row of the table, or of the control.

    migrated: number of rows beyond the loop's own.
    epochs: number of passes.
    noisy: whether there is noise, as in the table; the control has none.
    penalty, q: of the printed value.
    """

    migrated: int
    epochs: int = EPOCHS
    noisy: bool = True
    penalty: float = PENALTY
    q: str = NORM
    essential: ClassVar[bool] = False

    @property
    def rows(self) -> int:
        """Return the number of rows of the loop."""
        return OWN_ROWS + self.migrated

    def run(self) -> dict[str, float]:
        """Return the mean printed value, and errors that it might be instead."""
        runs = 1
        if self.noisy:
            runs = RUNS
        fits = run_loop(
            self.rows,
            epochs=self.epochs,
            runs=runs,
            noisy=self.noisy,
            penalty=self.penalty,
        )
        return {
            "value": float(fits.printed(self.q).mean()),
            "training MSE": float(fits.training_errors.mean()),
            "training SSE": float(fits.training_errors.sum(axis=1).mean()),
            "held-out MSE": float(fits.squared_errors(_HELD_OUT).mean()),
        }


@dataclass(frozen=True, kw_only=True)
class PublishedTable:
    """The part (``lab.experiment.parts``) of the published table and its control.

    penalty, q: of the printed value, by default as published.
    """

    penalty: float = PENALTY
    q: str = NORM

    @property
    def tasks(self) -> tuple[TableRow, ...]:
        """Return the five rows of the table, and then the control."""
        rows = []
        for migrated in PUBLISHED:
            rows.append(TableRow(migrated=migrated, penalty=self.penalty, q=self.q))
        for epochs in CONTROL_EPOCHS:
            control = TableRow(
                migrated=0, epochs=epochs, noisy=False, penalty=self.penalty, q=self.q
            )
            rows.append(control)
        return tuple(rows)

    def gather(self, outcomes: Mapping[Any, Any]) -> "PublishedResult":
        """Return the rows that are done."""
        numbers = {row: outcomes[row] for row in self.tasks if row in outcomes}
        return PublishedResult(table=self, numbers=numbers)


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedResult:
    """The numbers of the rows done so far."""

    table: PublishedTable
    numbers: Mapping[TableRow, Mapping[str, float]]

    @property
    def as_published(self) -> bool:
        """Return whether the printed value is that of the slides."""
        return self.table == PublishedTable()

    @property
    def passes_suffice(self) -> bool | None:
        """Return whether more passes over the five rows can print as little as twenty more rows.

        Return None until all rows are done.
        """
        frame = self.frame()
        if frame["value"].isna().any():
            return None
        control = frame[~frame["noisy"]]
        most_migrated = frame[frame["migrated"] == max(PUBLISHED)]
        return bool(control["value"].min() <= most_migrated["value"].item())

    def frame(self) -> pd.DataFrame:
        """Return a table row per task: how it is run, the published value, and its numbers.

        The published value of the control is NaN, and so are numbers that are not computed yet.
        """
        rows = []
        for row in self.table.tasks:
            published = np.nan
            if row.noisy:
                published = PUBLISHED[row.migrated]
            numbers = self.numbers.get(row, dict.fromkeys(_NUMBERS, np.nan))
            columns = {
                "migrated": row.migrated,
                "rows": row.rows,
                "epochs": row.epochs,
                "noisy": row.noisy,
                "published": published,
                **numbers,
            }
            rows.append(columns)
        return pd.DataFrame(rows)
