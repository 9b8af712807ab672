"""The audit table at work: its runs in slices, the bounds that they give, and the verdicts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from dpcore.experiments.attack_audits import AUDITS
from dpcore.privacy import LowerBound

if TYPE_CHECKING:
    from dpcore.experiments.attack import AttackSettings

# The audit that is done before the others.
FIRST = "classifier published"
COLUMNS = (
    "mechanism",
    "version",
    "claimed",
    "delta",
    "neighbours",
    "unit",
    "at least",
    "confidence",
    "form",
    "trainings",
    "verdict",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Runs:
    """Scores (R,) with and without."""

    with_them: np.ndarray
    without: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """Some of the runs of one audit."""

    name: str
    seed: int
    part: int
    count: int
    essential: ClassVar[bool] = False

    def run(self) -> Runs:
        with_them, without = AUDITS[self.name].worlds(self.count, 1000 * self.seed + self.part)
        return Runs(with_them=with_them, without=without)


def attempts(name: str, seed: int) -> list[Attempt]:
    """All runs of one audit, in slices."""
    runs, width = AUDITS[name].runs, AUDITS[name].at_once
    counts = [min(width, runs - first) for first in range(0, runs, width)]
    return [Attempt(name=name, seed=seed, part=part, count=count) for part, count in enumerate(counts)]


@lru_cache(maxsize=256)
def _bound(name: str, done: tuple[Runs, ...]) -> LowerBound:
    """Runs are told apart by who they are, so that a redraw does not count them again."""
    scores = tuple(np.concatenate([getattr(one, world) for one in done]) for world in ("with_them", "without"))
    return AUDITS[name].bound(scores)


def tasks(settings: "AttackSettings") -> Iterator[Attempt]:
    """The published classifier first: it is to be caught while one looks. Then the quick ones, then the slow ones."""
    for name in sorted(AUDITS, key=lambda name: (name != FIRST, AUDITS[name].runs // AUDITS[name].at_once)):
        yield from attempts(name, settings.seed)


def result(settings: "AttackSettings", outcomes: Mapping[Any, Any]) -> "AuditResult":
    bounds = {}
    for name in AUDITS:
        work = attempts(name, settings.seed)
        if all(task in outcomes for task in work):
            bounds[name] = _bound(name, tuple(outcomes[task] for task in work))
    return AuditResult(settings=settings, bounds=bounds)


@dataclass(frozen=True, kw_only=True, eq=False)
class AuditResult:
    """bounds: of the audits that are done."""

    settings: "AttackSettings"
    bounds: dict[str, LowerBound]

    def caught(self, name: str) -> bool:
        return self.bounds[name].refutes(AUDITS[name].claim)

    @property
    def surprises(self) -> list[str]:
        """Sound ones that were refuted, which happens once in a hundred, and broken ones that were not."""
        return [name for name in self.bounds if self.caught(name) == AUDITS[name].sound]

    def table(self) -> pd.DataFrame:
        """A row an audit that is done."""
        rows = [
            {
                "mechanism": AUDITS[name].family,
                "version": AUDITS[name].what,
                "claimed": AUDITS[name].epsilon,
                "delta": AUDITS[name].delta,
                "neighbours": str(AUDITS[name].adjacency),
                "unit": AUDITS[name].unit,
                "at least": bound.epsilon,
                "confidence": bound.confidence,
                "form": AUDITS[name].form,
                "trainings": bound.trials,
                "verdict": "caught" if self.caught(name) else "consistent",
            }
            for name, bound in self.bounds.items()
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def frames(self) -> dict[str, pd.DataFrame]:
        """What can be downloaded."""
        return {"Audits": self.table()}
