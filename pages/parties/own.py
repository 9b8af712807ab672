"""A visitor's own file as parties: a column says whose each row is, and nothing that leaves a party tells how many.

Who takes part, and so how many parties there are, is public and fixed: a party without a row that can be learned from
still counts. Some of the parties are held out, with all of their rows, for the analyst to measure by. What the others
are asked about must be public, and no row of a file is: so those rows are made up, within the public bounds.
"""

import math
import weakref
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from dpcore.cache import cached
from dpcore.check import RefusedError
from dpcore.data import toy
from dpcore.data.references import held
from dpcore.parties.worlds import CHECK_ROWS, Kind, Public
from dpcore.streams import stream
from lab.files.file_handles import key
from lab.files.own_rows import OwnRows

# Held-out rows that are enough to measure by.
_MOST_TEST = 5000
# Where the data streams of a party's rows, of made-up rows, and of held-out ones are.
_PARTIES, _MADE_UP, _HELD_OUT = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class OwnKind(Kind):
    """A file as a kind of data: features lie in [-1, 1], and are cut to no more than their columns allow.

    A number adds at most 1 to a row's squared length, and so does a category, which is one of its values at most.
    """

    own: "weakref.ref[OwnRows]"

    @classmethod
    def of(cls, own: str) -> Self:
        """Return the kind of a file; raise RefusedError for a mere name, or a file that cannot be parties."""
        this = key(own)
        if not isinstance(own, OwnRows) or not own.as_parties:
            raise RefusedError("own", "this file", "one with classes to predict and a column that says who, and alike")
        names, inputs = own.roles.classes, len(own.roles.inputs)
        radius = math.sqrt(len(own.roles.columns))
        return cls(title="Your file", names=names, features=inputs, radius=radius, own=this)

    @property
    def file(self) -> OwnRows:
        return held(self.own)

    def parties(self, seed: int, first: int, last: int, *, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Return as many rows of each party from ``first`` up to ``last``: X (parties, rows, d), y (parties, rows).

        A party picks its rows by chance; where it has fewer, each stands as often as the others, or once more. Without
        any that has an answer its rows are all in the middle of the bounds, and of the first class.
        """
        X, y, of = self.file.several(self._order(seed)[: self.file.private][first:last])
        ends = np.searchsorted(of, np.arange(last - first + 1))
        taken = np.full((last - first, rows), -1)
        for place, (begin, end) in enumerate(pairwise(ends.tolist())):
            usable = begin + np.flatnonzero(y[begin:end] >= 0)
            if len(usable):
                rng = stream(seed, "data", _PARTIES, first + place)
                taken[place] = np.resize(rng.permutation(usable), rows)
        features = toy.to_unit(X[taken], self.file.source.bounds)
        features[taken < 0] = 0
        return self.to_unit(features), np.where(taken < 0, 0, y[taken])

    def public(self, seed: int, rows: int) -> dict[str, Public]:
        """Return made-up rows of no class, and held-out ones; of few of these some stand twice among the check rows."""
        X, y, _ = _held_out(self, seed)
        check = np.resize(np.arange(len(y)), CHECK_ROWS)
        made_up = Public(X=self._made_up(seed, rows), y=np.zeros(rows, int))
        return {"public": made_up, "check": Public(X=X[check], y=y[check]), "test": Public(X=X.copy(), y=y.copy())}

    def _made_up(self, seed: int, rows: int) -> np.ndarray:
        """Return rows with every number anywhere in its bounds and every category one of its values, all as likely."""
        columns = self.file.roles.columns
        # Row by row from one stream, so that more rows leave the earlier ones as they are
        draws = stream(seed, "data", _MADE_UP).random((rows, len(columns)))
        inputs = []
        for column, draw in zip(columns, draws.T, strict=True):
            if column.kind == "number":
                inputs.append(2 * draw[:, None] - 1)
            else:
                values = len(column.values)
                inputs.append((draw[:, None] * values).astype(int) == np.arange(values))
        return self.to_unit(np.concatenate(inputs, axis=1).astype(float))

    def measured(self, seed: int) -> tuple[int, int]:
        """Return by how many rows, of how many held-out parties; of 0 where none of them has an answer."""
        _, y, found = _held_out(self, seed)
        return len(y), found

    def _order(self, seed: int) -> np.ndarray:
        return stream(seed, "split").permutation(self.file.people)


@cached(newest=4)
def _held_out(kind: OwnKind, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Return answered rows of held-out parties in random order: inputs (n, d), classes (n,), of how many parties.

    Where none of them has an answer, which is for the analyst to know, those of all parties.
    """
    own, order = kind.file, kind._order(seed)
    parties = len(order) - own.private
    X, y, _ = own.several(order[own.private :])
    if not (y >= 0).any():
        parties = 0
        X, y, _ = own.several(order)
    rows = stream(seed, "data", _HELD_OUT).permutation(np.flatnonzero(y >= 0))[:_MOST_TEST]
    return kind.to_unit(toy.to_unit(X[rows], own.source.bounds)), y[rows], parties
