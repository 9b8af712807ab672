"""The recorded audits of the lab's mechanisms, as ``python -m benchmarks.audit --record`` writes
them.
"""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

CONSISTENT, CAUGHT, VOID = "consistent", "caught", "void"


class Audit(NamedTuple):
    """One row of the table.

    mechanism: the family of the mechanism. version: its variant, or what is broken in it on
        purpose.
    expected, verdict: "consistent", "caught" or "void". lower_bound: on epsilon. assumed: what the
    bound assumes, "" for counting. runs: in both data sets together. neighbours, unit: of the
    claim.
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
    runs: int
    neighbours: str
    unit: str

    @property
    def broken(self) -> bool:
        """Return whether the mechanism is broken on purpose."""
        return self.expected != CONSISTENT


@cache
def recorded() -> tuple[Audit, ...]:
    """Return the recorded audits, in the order of the list in ``benchmarks/audits``."""
    with Path(__file__).with_name("audits.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_audit(row) for row in csv.DictReader(file))


def _audit(row: dict[str, str]) -> Audit:
    values = {name: kind(row[name]) for name, kind in Audit.__annotations__.items()}
    return Audit(**values)
