"""The published table of [zhang2022], reproduced by its loop.

Data: x = (i, i), y = 2i + 1 for i = 1..m, without noise. "Migrating" 5, 10, ... rows makes m
    larger. The loop, from 0:

    in each of 50 epochs: g <- Laplace noise of scale mean(a), a number per coefficient; h <- 0
        for each row: r = a.x + b - y;  g <- (g + 2 r x + 0.1 a) / m;  h <- (h + 2 r) / m;  a -=
        1e-4 g;  b -= 1e-4 h

The gradient is not reset between rows but divided by m at each. Printed is the mean over 100 runs
of the *training* mean squared error plus 0.1 ||a||_1, and no sum of squared errors. It is not
private: the scale of the noise is read off the fit itself (0 at first), nothing bounds the
influence of a row, and there is no epsilon.

The slides name neither lambda nor q: 0.1 and 1 are our reconstruction, which makes their numbers
again. A step adds lambda a, the gradient of lambda/2 ||a||_2^2, so that the loop descends on
another penalty than the lambda ||a||_1 that it prints.
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
# Number of rows of the loop before any is migrated.
ROWS_BEFORE = 5
EPOCHS = 50
RUNS = 100
# Epochs of the control, in which the loop goes on with the first rows alone and without noise.
CONTROL_EPOCHS = (50, 160, 500, 1600, 5000)
PENALTY = 0.1
_LEARNING_RATE = 1e-4

# One number, or a number of each run (R,).
Numbers = float | np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class Fits:
    """The fits of R runs of the loop.

    rows: number m of rows, i = 1..m.
    a, b: coefficients (R, 2) and constants (R,).
    """

    rows: int
    a: np.ndarray
    b: np.ndarray

    @property
    def squared_errors(self) -> np.ndarray:
        """Return the squared errors (R, m) of the rows of the loop."""
        i = np.arange(1, self.rows + 1)
        predictions = self.a.sum(axis=1)[:, None] * i + self.b[:, None]
        return np.square(predictions - (2 * i + 1))

    @property
    def printed(self) -> np.ndarray:
        """Return the printed values (R,), training mean squared errors plus lambda ||a||_1."""
        norm = np.abs(self.a).sum(axis=1)
        return self.squared_errors.mean(axis=1) + PENALTY * norm


def run_noisy_loop(rows: int, *, runs: int = RUNS, seed: int = 0) -> Fits:
    """Run the loop of the table with fresh noise in each run."""
    generator = stream(seed, "noise", rows)
    return run_loop(rows, EPOCHS, generator.laplace(size=(EPOCHS, runs, 2)))


def run_loop(rows: int, epochs: int, draws: np.ndarray | None = None) -> Fits:
    """Run the loop from 0.

    draws: Laplace noise of scale 1 for both coefficients, (epochs, R, 2). Without it there is one
        run, whose numbers are floats, because its thousands of epochs would take long as arrays.
    """
    a_1: Numbers = 0.0
    a_2: Numbers = 0.0
    b: Numbers = 0.0
    for epoch in range(epochs):
        gradient_1: Numbers = 0.0
        gradient_2: Numbers = 0.0
        constant_gradient: Numbers = 0.0
        if draws is not None:
            # The scale may be negative. A draw of scale 1 times it has the same distribution.
            scale = (a_1 + a_2) / 2
            gradient_1 = scale * draws[epoch, :, 0]
            gradient_2 = scale * draws[epoch, :, 1]
        for i in range(1, rows + 1):
            residual = (a_1 + a_2) * i + b - (2 * i + 1)
            gradient_1 = (gradient_1 + 2 * residual * i + PENALTY * a_1) / rows
            gradient_2 = (gradient_2 + 2 * residual * i + PENALTY * a_2) / rows
            constant_gradient = (constant_gradient + 2 * residual) / rows
            a_1 = a_1 - _LEARNING_RATE * gradient_1
            a_2 = a_2 - _LEARNING_RATE * gradient_2
            b = b - _LEARNING_RATE * constant_gradient
    return Fits(rows=rows, a=np.column_stack([a_1, a_2]), b=np.atleast_1d(b))


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """The task of one row of the table, or of the control.

    migrated: number of rows beyond the first ones.
    epochs: number of passes.
    noisy: whether there is noise, as in the table; the control has none.
    """

    migrated: int
    epochs: int = EPOCHS
    noisy: bool = True
    essential: ClassVar[bool] = False

    @property
    def rows(self) -> int:
        """Return the number of rows of the loop."""
        return ROWS_BEFORE + self.migrated

    def run(self) -> dict[str, float]:
        """Return the mean printed value, and errors that it might be instead."""
        if self.noisy:
            fits = run_noisy_loop(self.rows)
        else:
            fits = run_loop(self.rows, self.epochs)
        return {
            "value": float(fits.printed.mean()),
            "training MSE": float(fits.squared_errors.mean()),
            "training SSE": float(fits.squared_errors.sum(axis=1).mean()),
        }


class PublishedTable:
    """The part (``lab.experiment.parts``) of the published table and its control."""

    tasks = (
        *(TableRow(migrated=migrated) for migrated in PUBLISHED),
        *(TableRow(migrated=0, epochs=epochs, noisy=False) for epochs in CONTROL_EPOCHS),
    )

    def gather(self, outcomes: Mapping[Any, Any]) -> pd.DataFrame:
        """Return a table row per task: how it is run, the published value, and its numbers.

        The published value of the control is NaN, and so are numbers that are not computed yet.
        """
        columns = ["migrated", "rows", "epochs", "noisy", "published"]
        columns += ["value", "training MSE", "training SSE"]
        rows = []
        for row in self.tasks:
            cells = {
                "migrated": row.migrated,
                "rows": row.rows,
                "epochs": row.epochs,
                "noisy": row.noisy,
                **outcomes.get(row, {}),
            }
            if row.noisy:
                cells["published"] = PUBLISHED[row.migrated]
            rows.append(cells)
        return pd.DataFrame(rows, columns=columns)
