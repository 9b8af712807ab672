"""The audit table: every mechanism of the lab, sound, as published and broken on purpose, attacked many times.

Each audit has a claim, the worst neighbours that are known for the mechanism, and the best known score. Its bound is
measured (``dpcore.attacks.audit``); it refutes the claim or it does not. That it does not is no proof of anything,
and where the canary never reached the mechanism it is void.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dpcore.attacks import audit
from dpcore.privacy import GAUSSIAN_CURVE, Adjacency, ApproximateRelease, Guarantee, LowerBound
from pages.attack.audits.rows import CAUGHT, CONSISTENT, FAMILIES, ROWS, VOID
from pages.attack.audits.targets import Target

# All bounds of a table of sound mechanisms hold together at this confidence.
TOGETHER = 0.95
CONFIDENCE = 1 - (1 - TOGETHER) / sum(map(len, ROWS.values()))
# Runs with the same noise in both worlds, which show whether the canary arrives.
TWINS = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class Audit:
    """One row of the table.

    family: which part of the lab. what: the mechanism, or what is wrong with it. expected: the verdict that must come
    of it. target: makes of epsilon, of delta where the claim has one, and of ``how`` the attacked worlds
    (``targets``). gaussian: why the two worlds are told apart as two normal distributions are, where that is
    proved; the bound then assumes it. reach: the share of the sensitivity that such worlds lie apart. runs: in each
    world, on the page; at_once: in one slice of work.
    """

    family: str
    what: str
    expected: str
    target: Callable[..., Target]
    epsilon: float
    how: Mapping[str, Any] = field(default_factory=dict)
    delta: float = 0.0
    adjacency: Adjacency = Adjacency.REPLACE_ONE
    unit: str = "record"
    gaussian: str = ""
    reach: float = 1.0
    runs: int = 10_000
    at_once: int = 5000

    @property
    def form(self) -> audit.Form:
        return "gaussian" if self.gaussian else "count"

    def arrives(self, seed: int) -> bool:
        """Return whether the canary reaches the mechanism: runs with the same noise in both worlds differ."""
        return audit.arrives(*self.worlds(TWINS, seed, twins=True))

    @property
    def most(self) -> float:
        """Return what an audit could show of a sound mechanism at most, as far as the reach of its worlds decides
        it."""
        if self.reach == 1:
            return self.epsilon
        return audit.most(self.epsilon, delta=self.delta, reach=self.reach)

    def verdict(self, bound: LowerBound, *, arrives: bool) -> str:
        """Caught, or void where the canary never arrived, or else consistent.

        A bound above 0 shows that the canary arrived, however rarely.
        """
        if bound.refutes(self.claim, proved=GAUSSIAN_CURVE if self.gaussian else ""):
            return CAUGHT
        return CONSISTENT if arrives or bound.epsilon > 0 else VOID

    @cached_property
    def worlds(self) -> Target:
        """(runs, seed, twins=False) -> scores with and without."""
        claim = {"delta": self.delta} if self.delta else {}
        return self.target(self.epsilon, **claim, **self.how)

    @property
    def claim(self) -> Guarantee:
        return Guarantee(
            epsilon=self.epsilon,
            delta=self.delta,
            adjacency=self.adjacency,
            unit=self.unit,
            basis="claimed",
            event=ApproximateRelease(epsilon=self.epsilon, delta=self.delta),
        )

    def bound(self, scores: tuple[np.ndarray, np.ndarray]) -> LowerBound:
        """The epsilon that scores with and without show."""
        return audit.epsilon_lower_bound(
            *scores,
            delta=self.delta,
            adjacency=self.adjacency,
            confidence=CONFIDENCE,
            form=self.form,
            unit=self.unit,
        )

    def audited(self, *, runs: int, seed: int) -> LowerBound:
        """The epsilon that this many runs in each world show."""
        return self.bound(self.worlds(runs, seed))


# Key -> audit, in the order of the table.
AUDITS: Mapping[str, Audit] = {
    key: Audit(family=family, **(FAMILIES[family] | fields)) for family, rows in ROWS.items() for key, fields in rows
}
