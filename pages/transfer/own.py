"""A file of the visitor's own as a problem of transfer: private rows of one value of a column, public ones of others.

Declared bounds map everything to what the walk is made for: features and labels to [-1, 1], a constant before them. No
truth is known, so that a model is judged by its error on held-out rows of the target. Who is held out, and which row of
a person is taken, is decided by places among the target's rows and the seed alone.
"""

import weakref
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from dpcore.cache import cached
from dpcore.data import regression
from dpcore.data.references import held
from dpcore.streams import stream
from dpcore.transfer import Rows
from lab.files import own_numbers, own_rows
from lab.files.own_rows import OwnRows


@dataclass(frozen=True, kw_only=True, eq=False)
class OwnProblem(Rows):
    """X (n, d), y (n,) private, zeros where an answer may be missing and is; X_test, y_test: held-out rows of the
    target that have an answer. half: of the answer's range, in its unit. available: how many private rows there are.
    """

    X_test: np.ndarray
    y_test: np.ndarray
    half: float
    available: int

    def transferable(self, _q: float, _h: float) -> np.ndarray:
        """Return all of them (K,), unless they are detected: how far they are is not known."""
        return np.ones(len(self.sources), bool)

    def risk(self, weights: np.ndarray) -> np.ndarray:
        """Return the root mean squared error (...) of weights (..., d) on the held-out rows, in the answer's unit; NaN
        where there are none."""
        if not len(self.y_test):
            return np.full(weights.shape[:-1], np.nan)
        return self.half * np.sqrt(np.square(weights @ self.X_test.T - self.y_test).mean(axis=-1))


def private_rows(own: OwnRows) -> int:
    """Return how many rows, or persons, of the target are learned from; the others are held out."""
    return int(own.sizes[0] * (1 - own.roles.test_share) + 1e-9)


def dimension(own: OwnRows) -> int:
    """Return d: the inputs and the constant."""
    return 1 + len(own_numbers.bounds(own.roles.columns))


@dataclass(frozen=True, kw_only=True)
class OwnData:
    """Which rows of which file: the first private ones, after a shuffle by the seed."""

    own: "weakref.ref[OwnRows]"
    seed: int
    rows: int

    @property
    def dimension(self) -> int:
        return dimension(held(self.own))

    @property
    def unit(self) -> str:
        return "person" if held(self.own).roles.person else "record"

    @property
    def problem(self) -> OwnProblem:
        found = _problem(self.own, self.seed)
        return replace(found, X=found.X[: self.rows], y=found.y[: self.rows])

    @property
    def plane(self) -> tuple[np.ndarray, ...]:
        """Return X (n, 2), with a constant and the first input, y (n,), and least squares of both (2,) and of all
        sources (2,)."""
        problem = self.problem
        X = np.ascontiguousarray(problem.X[:, :2])
        every = zip(problem.sources, held(self.own).sizes[1:], strict=True)
        rows, labels = (np.concatenate(parts) for parts in zip(*(first(size) for first, size in every), strict=True))
        source, truth = (np.linalg.lstsq(*pair, rcond=None)[0] for pair in ((rows[:, :2], labels), (X, problem.y)))
        return X, problem.y, truth, source

    def counts(self, migrated: int) -> tuple[int, ...]:
        """Return how many rows of each source ``migrated`` of all are: the same share of each, and one at least."""
        _, *sizes = held(self.own).sizes
        return tuple(max(1, size * migrated // sum(sizes)) for size in sizes)


@cached(newest=2)
def _problem(own: "weakref.ref[OwnRows]", seed: int) -> OwnProblem:
    token = held(own)
    table, roles = token.table, token.roles
    X, y = _mapped(token)
    there, source = ~np.isnan(y), own_rows.places(table, roles.source, (roles.own_source, *roles.sources))
    rng = stream(seed, "data")
    target = np.flatnonzero(source == 0)
    if roles.person:
        rows, starts, counts = own_rows.persons(table.texts(roles.person)[target])
        target = target[rows[starts + (rng.random(len(counts)) * counts).astype(int)]]
    target = rng.permutation(target)
    private, test = target[: private_rows(token)], target[private_rows(token) :]
    test = test[there[test]]
    public = [
        stream(seed, "data", place).permutation(np.flatnonzero((source == place) & there))
        for place in range(1, len(roles.sources) + 1)
    ]
    seen = there[private] if roles.gaps else np.ones(len(private), bool)
    return OwnProblem(
        X=X[private] * seen[:, None],
        y=np.nan_to_num(y[private]),
        sources=tuple(partial(_first, X[rows], y[rows]) for rows in public),
        X_test=X[test],
        y_test=y[test],
        half=(roles.target.high - roles.target.low) / 2,
        available=len(private),
    )


def _first(X: np.ndarray, y: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    return X[:rows], y[:rows]


def _mapped(own: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return all rows' inputs (n, d) in [-1, 1], the constant first, and labels (n,) in [-1, 1], NaN for a missing one.

    own: an ``OwnRows``.
    """
    source, X = own_numbers.source(own), np.ones((own.table.rows, dimension(own)))
    for place, (one, (low, high)) in enumerate(zip(own_numbers.values(own), source.bounds.values(), strict=True), 1):
        X[:, place] = own_numbers.scaled(one.copy(), low, high)
    low, high = source.label_bounds
    (answers,) = own.roles.target.each(own.table)
    return X, regression.scaled(np.clip(answers, low, high), low=low, top=high)
