"""The audit table at work: its runs in slices, the bounds that they give, and the verdicts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dpcore.cache import cached
from dpcore.privacy import LowerBound
from lab.settings import Settings
from pages.attack.audits.table import AUDITS

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
    "assumed",
    "trainings",
    "verdict",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Runs:
    """The attacker's scores (R,) with the canary and without."""

    scores_in: np.ndarray
    scores_out: np.ndarray


def together(done: Iterable[Runs]) -> tuple[np.ndarray, np.ndarray]:
    """The scores of all of them, with the canary and without."""
    scores = [(one.scores_in, one.scores_out) for one in done]
    return tuple(map(np.concatenate, zip(*scores, strict=True)))


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Some of the runs of one audit."""

    name: str
    seed: int
    part: int
    count: int
    essential: ClassVar[bool] = False

    def run(self) -> Runs:
        scores_in, scores_out = AUDITS[self.name].worlds(self.count, 1000 * self.seed + self.part)
        return Runs(scores_in=scores_in, scores_out=scores_out)


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """Return whether the canary of one audit reaches its mechanism."""

    name: str
    seed: int
    essential: ClassVar[bool] = False

    def run(self) -> bool:
        return AUDITS[self.name].arrives(self.seed)


def slices(name: str, seed: int) -> list[Slice]:
    """All runs of one audit, in slices."""
    runs, width = AUDITS[name].runs, AUDITS[name].at_once
    counts = [min(width, runs - first) for first in range(0, runs, width)]
    return [Slice(name=name, seed=seed, part=part, count=count) for part, count in enumerate(counts)]


@cached
def _bound(name: str, done: tuple[Runs, ...]) -> LowerBound:
    """Runs are told apart by who they are, so that a redraw does not count them again."""
    return AUDITS[name].bound(together(done))


def tasks(settings: Settings) -> Iterator[Slice | Arrival]:
    """The published classifier first: it is to be caught while one looks. Then the quick ones, then the slow ones."""
    for name in sorted(AUDITS, key=lambda name: (name != FIRST, AUDITS[name].runs // AUDITS[name].at_once)):
        yield from (*slices(name, settings.seed), Arrival(name=name, seed=settings.seed))


def result(settings: Settings, outcomes: Mapping[Any, Any]) -> "AuditResult":
    bounds, verdicts = {}, {}
    for name in AUDITS:
        work, arrival = slices(name, settings.seed), Arrival(name=name, seed=settings.seed)
        if arrival in outcomes and all(task in outcomes for task in work):
            bounds[name] = _bound(name, tuple(outcomes[task] for task in work))
            verdicts[name] = AUDITS[name].verdict(bounds[name], arrives=outcomes[arrival])
    return AuditResult(settings=settings, bounds=bounds, verdicts=verdicts)


@dataclass(frozen=True, kw_only=True, eq=False)
class AuditResult:
    """bounds, verdicts: of the audits that are done; a verdict is "consistent", "caught" or "void"."""

    settings: Settings
    bounds: dict[str, LowerBound]
    verdicts: dict[str, str]

    def count(self, verdict: str) -> int:
        return list(self.verdicts.values()).count(verdict)

    @property
    def surprises(self) -> list[str]:
        """Sound ones that were refuted, which happens to one table in twenty, and broken ones that were not."""
        return [name for name, verdict in self.verdicts.items() if verdict != AUDITS[name].expected]

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
                "assumed": bound.assumes,
                "trainings": bound.trials,
                "verdict": self.verdicts[name],
            }
            for name, bound in self.bounds.items()
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return what can be downloaded."""
        return {"Audits": self.table}
