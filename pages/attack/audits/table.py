"""Recorded audits of the lab's mechanisms, written by ``python -m benchmarks.audit --record``."""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

CONSISTENT = "consistent"
CAUGHT = "caught"
VOID = "void"


class Audit(NamedTuple):
    """An audit, which is a row of the table.

    key: its name.
    mechanism: the family of the mechanism.
    version: its variant, or what is broken in it on purpose.
    expected, verdict: "consistent", "caught" or "void".
    claimed, delta: the claimed guarantee.
    lower_bound: on epsilon, with this ``confidence``.
    assumed: what the bound assumes, "" for counting.
    pitfall: the mistake of practice that a broken version is, or "".
    replayed: how far one step moves with the same noise, in parts of what is declared, or "".
    runs: on both data sets together.
    neighbours, unit: adjacency and unit of the claim.
    """

    key: str
    mechanism: str
    version: str
    expected: str
    verdict: str
    claimed: float
    delta: float
    lower_bound: float
    confidence: float
    assumed: str
    pitfall: str
    replayed: str
    runs: int
    neighbours: str
    unit: str

    @property
    def broken(self) -> bool:
        """Return whether the mechanism is broken on purpose."""
        return self.expected != CONSISTENT

    @property
    def found_by_replay(self) -> bool:
        """Return whether one step moves further than declared."""
        return self.replayed != "" and float(self.replayed) > 1


@cache
def recorded() -> tuple[Audit, ...]:
    """Return the recorded audits, in the order of the list in ``benchmarks/audits``."""
    path = Path(__file__).with_name("audits.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(_audit(row) for row in csv.DictReader(file))


def _audit(row: dict[str, str]) -> Audit:
    """Return the audit of a line of the file, with its values converted to their types."""
    values = {}
    for name, kind in Audit.__annotations__.items():
        values[name] = kind(row[name])
    return Audit(**values)
