"""The published table of [zhang2022], made again by its loop, and what its numbers are.

Data: x = (i, i), y = 2i + 1 for i = 1..m, without noise; "migrating" 5, 10, ... rows makes m
    larger. The loop, from 0:

    in each of 50 epochs: g <- Laplace noise of scale mean(a), a number a coefficient; h <- 0
        for each row: r = a.x + b - y;  g <- (g + 2 r x + 0.1 a) / m;  h <- (h + 2 r) / m;  a -=
        1e-4 g;  b -= 1e-4 h

The gradient is not reset between rows but divided by m at each. Printed is the mean over 100 runs
of the *training* mean squared error plus 0.1 ||a||_1. That is no sum of squared errors and no error
on held-out rows. Nor is it private: the noise's scale is read off the data's own fit (0 at first),
nothing bounds what a row does, and there is no epsilon.

The slides name neither lambda nor q: 0.1 and 1 are our reconstruction, which makes their numbers
again. Both are free here. A step adds lambda a whatever q is: the gradient of lambda/2 ||a||_2^2,
and so the loop descends on another penalty than the lambda ||a||_1 that it prints. q decides only
what is printed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dpcore.streams import stream

# Migrated rows -> the value as printed.
PUBLISHED = {
    0: 34.17541071316984,
    5: 33.12849629296133,
    10: 11.112535857610235,
    15: 1.8909878040817576,
    20: 0.5093283949462145,
}
OWN_ROWS, EPOCHS, RUNS = 5, 50, 100
# Epochs of the control: the loop goes on, on the five rows alone and without noise.
CONTROLS = (50, 160, 500, 1600, 5000)
_RATE, PENALTY, NORM = 1e-4, 0.1, "1"
# Rows between the loop's own: what a model that has understood y = 2x + 1 gets right.
HELD_OUT = np.arange(1.5, 6)


@dataclass(frozen=True, kw_only=True, eq=False)
class Fits:
    """a (R, 2), b (R,): the fits of R runs on rows i = 1..m, with lambda ``penalty``."""

    rows: int
    a: np.ndarray
    b: np.ndarray
    penalty: float = PENALTY

    def squares(self, at: np.ndarray) -> np.ndarray:
        """Return the squared errors (R, len(at)) at x = (i, i), i in ``at``."""
        return np.square(self.a.sum(axis=1)[:, None] * at + self.b[:, None] - (2 * at + 1))

    @property
    def training(self) -> np.ndarray:
        """Return the squared errors (R, m) of the rows that were fitted."""
        return self.squares(np.arange(1, self.rows + 1.0))

    def printed(self, q: str = NORM) -> np.ndarray:
        """Return what is printed (R,): training mean squared error + lambda ||a||_1, or lambda
        ||a||^2 for q = "2".
        """
        return self.training.mean(axis=1) + self.penalty * (np.abs(self.a) ** int(q)).sum(axis=1)


def epoch(
    a: np.ndarray,
    b: np.ndarray,
    gradient: np.ndarray,
    *,
    rows: int,
    penalty: float,
    wanted: float = 1.0,
):
    """Return (a, b) after one pass over the rows, for R runs at once; ``gradient`` (R, 2) is what
    it starts with.

    ``wanted`` 0 takes the labels to be 0, which leaves the linear part.
    """
    a, b, bias_gradient = a.copy(), b.copy(), np.zeros_like(b)
    for i in range(1, rows + 1):
        residual = 2 * (a.sum(axis=1) * i + b - wanted * (2 * i + 1))
        gradient = (gradient + residual[:, None] * i + penalty * a) / rows
        bias_gradient = (bias_gradient + residual) / rows
        a -= _RATE * gradient
        b -= _RATE * bias_gradient
    return a, b


def fits(
    rows: int,
    *,
    epochs: int = EPOCHS,
    runs: int = RUNS,
    seed: int = 0,
    noisy: bool = True,
    penalty: float = PENALTY,
) -> Fits:
    """Run the loop, for ``runs`` runs at once.

    An epoch is linear in where it starts and in its noise, so its matrix is read off one pass over
    a basis.
    """
    basis, one = np.eye(5), partial(epoch, rows=rows, penalty=penalty)
    moved = np.column_stack(one(basis[:, :2], basis[:, 2], basis[:, 3:], wanted=0.0))  # (5, 3)
    shift = np.column_stack(one(np.zeros((1, 2)), np.zeros(1), np.zeros((1, 2))))[0]
    if noisy:
        state, generator = np.zeros((runs, 3)), stream(seed, "noise", rows)
        for _ in range(epochs):
            unit = generator.laplace(size=(runs, 2))
            # A negative scale would be refused; a Laplace draw times it has the same law.
            state = (
                np.hstack([state, state[:, :2].mean(axis=1, keepdims=True) * unit]) @ moved + shift
            )
    else:
        whole = np.block([[moved[:3], np.zeros((3, 1))], [shift, np.ones(1)]])
        state = np.linalg.matrix_power(whole, epochs)[3:, :3]
    return Fits(rows=rows, a=state[:, :2], b=state[:, 2], penalty=penalty)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row of the table: ``migrated`` rows more, or the control of more epochs without any.
    penalty, q: of what is printed, as published by default.
    """

    migrated: int
    epochs: int = EPOCHS
    noisy: bool = True
    penalty: float = PENALTY
    q: str = NORM
    essential: ClassVar[bool] = False

    def run(self) -> dict[str, float]:
        """Return what is printed, and its other readings."""
        runs = RUNS if self.noisy else 1
        rows = OWN_ROWS + self.migrated
        found = fits(rows, epochs=self.epochs, runs=runs, noisy=self.noisy, penalty=self.penalty)
        printed = found.printed(self.q)
        return {
            "value": float(printed.mean()),
            "standard error": float(printed.std() / runs**0.5),
            "training MSE": float(found.training.mean()),
            "training SSE": float(found.training.sum(axis=1).mean()),
            "held-out MSE": float(found.squares(HELD_OUT).mean()),
        }


def tasks(penalty: float = PENALTY, q: str = NORM) -> tuple[Row, ...]:
    """Return the five rows of the table, and the control."""
    table = (Row(migrated=rows, penalty=penalty, q=q) for rows in PUBLISHED)
    return (
        *table,
        *(Row(migrated=0, epochs=n, noisy=False, penalty=penalty, q=q) for n in CONTROLS),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedResult:
    """The rows that are done, with lambda ``penalty`` and q."""

    found: Mapping[Row, dict[str, float]]
    penalty: float = PENALTY
    q: str = NORM

    @property
    def as_published(self) -> bool:
        return (self.penalty, self.q) == (PENALTY, NORM)

    @property
    def passes_suffice(self) -> bool | None:
        """Return whether some number of passes over the five rows prints no more than twenty more
        rows do.

        None until all of it is known.
        """
        frame = self.frame()
        values, noisy = frame["value"], frame["noisy"]
        if values.isna().any():
            return None
        return bool(values[~noisy].min() <= values[frame["migrated"] == max(PUBLISHED)].item())

    def frame(self) -> pd.DataFrame:
        """Return a row per fit: migrated, rows, epochs, noisy, published (NaN for the control), and
        what was found.
        """
        parts = [
            {
                "migrated": row.migrated,
                "rows": OWN_ROWS + row.migrated,
                "epochs": row.epochs,
                "noisy": row.noisy,
            }
            | {"published": PUBLISHED[row.migrated] if row.noisy else np.nan}
            | self.found.get(row, dict.fromkeys(_COLUMNS, np.nan))
            for row in tasks(self.penalty, self.q)
        ]
        return pd.DataFrame(parts)


_COLUMNS = ("value", "standard error", "training MSE", "training SSE", "held-out MSE")


def result(
    outcomes: Mapping[Any, Any], *, penalty: float = PENALTY, q: str = NORM
) -> PublishedResult:
    """Assemble what has been done."""
    found = {task: outcomes[task] for task in tasks(penalty, q) if task in outcomes}
    return PublishedResult(found=found, penalty=penalty, q=q)
