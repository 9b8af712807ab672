"""The audit table at work: its runs in slices, the bounds that they give, and the verdicts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpcore.cache import cached
from dpcore.privacy import LowerBound
from lab import ensemble
from lab.ensemble import Runs
from pages.attack.audits.table import AUDITS, TWINS
from pages.attack.parameters import AttackParameters

# The audit that is done before the others.
FIRST = "classifier published"


@dataclass(frozen=True, eq=False)
class Scores:
    """The attacker's scores (R,) with the canary and without, known by identity, so that the cache hashes no array."""

    scores_in: np.ndarray
    scores_out: np.ndarray


def together(done: Iterable[Scores]) -> tuple[np.ndarray, np.ndarray]:
    done = tuple(done)
    return np.concatenate([one.scores_in for one in done]), np.concatenate([one.scores_out for one in done])


def audited(name: str, at: tuple[int], repeats: range) -> Scores:
    one = AUDITS[name]
    return Scores(*one.worlds(len(repeats), 1000 * at[0] + repeats.start // one.at_once))


def arrives(name: str, at: tuple[int], repeats: range) -> bool:
    """Return whether the canary of the audit of this name reaches its mechanism, with one seed."""
    return AUDITS[name].arrives(at[0])


def arrival(name: str, seed: int) -> Runs[str, bool]:
    return Runs(work=arrives, model=name, at=(seed,), count=TWINS)


def slices(name: str, seed: int) -> tuple[Runs[str, Scores], ...]:
    runs, width = AUDITS[name].runs, AUDITS[name].at_once
    parts = [range(first, min(first + width, runs)) for first in range(0, runs, width)]
    return ensemble.slices(audited, name, (seed,), parts)


@cached
def _bound(name: str, done: tuple[Scores, ...]) -> LowerBound:
    """Return the bound of an audit; its runs are told apart by identity, so that a redraw does not count them again."""
    return AUDITS[name].bound(together(done))


def tasks(settings: AttackParameters) -> Iterator[Runs[str, Any]]:
    """Yield the published classifier first, to be caught while one looks; then the quick ones, then the slow ones."""
    for name in sorted(AUDITS, key=lambda name: (name != FIRST, AUDITS[name].runs // AUDITS[name].at_once)):
        yield from slices(name, settings.seed)
        yield arrival(name, settings.seed)


def result(settings: AttackParameters, outcomes: Mapping[Any, Any]) -> "AuditResult":
    bounds, verdicts = {}, {}
    for name in AUDITS:
        work, twins = slices(name, settings.seed), arrival(name, settings.seed)
        if twins in outcomes and all(task in outcomes for task in work):
            bounds[name] = _bound(name, tuple(outcomes[task] for task in work))
            verdicts[name] = AUDITS[name].verdict(bounds[name], arrives=outcomes[twins])
    return AuditResult(settings=settings, bounds=bounds, verdicts=verdicts)


@dataclass(frozen=True, kw_only=True, eq=False)
class AuditResult:
    """bounds, verdicts: of the audits that are done; a verdict is "consistent", "caught" or "void"."""

    settings: AttackParameters
    bounds: dict[str, LowerBound]
    verdicts: dict[str, str]

    def count(self, verdict: str) -> int:
        return list(self.verdicts.values()).count(verdict)

    @property
    def surprises(self) -> list[str]:
        """Return sound ones that were refuted, which happens to one table in twenty, and broken ones that were not."""
        return [name for name, verdict in self.verdicts.items() if verdict != AUDITS[name].expected]

    def table(self) -> pd.DataFrame:
        done = [AUDITS[name] for name in self.bounds]
        bounds = self.bounds.values()
        return pd.DataFrame(
            {
                "mechanism": [one.family for one in done],
                "version": [one.what for one in done],
                "claimed": [one.epsilon for one in done],
                "delta": [one.delta for one in done],
                "neighbours": [str(one.adjacency) for one in done],
                "unit": [one.unit for one in done],
                "at least": [bound.epsilon for bound in bounds],
                "confidence": [bound.confidence for bound in bounds],
                "assumed": [bound.assumes for bound in bounds],
                "trainings": [bound.trials for bound in bounds],
                "verdict": list(self.verdicts.values()),
            }
        )

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        return {"Audits": self.table}
