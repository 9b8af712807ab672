"""The audit table: every mechanism of the lab, sound, as published and broken on purpose, attacked many times.

Each audit has a claim, the worst neighbours that are known for the mechanism, and the best known score. Its bound is
measured (``dpcore.audit``); it refutes the claim or it does not. That it does not is no proof of anything.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from dpcore import audit
from dpcore.experiments.attack_audit_rows import FAMILIES, ROWS
from dpcore.experiments.attack_targets import Target
from dpcore.privacy import Adjacency, ApproximateRelease, Guarantee, LowerBound

CONFIDENCE = 0.99


@dataclass(frozen=True, kw_only=True, eq=False)
class Audit:
    """One row of the table.

    family: which part of the lab. what: the mechanism, or what is wrong with it. sound: whether the claim is believed
    to hold. target: makes of epsilon, of delta where the claim has one, and of ``how`` the attacked worlds
    (``attack_targets``). form: "gaussian" only for mechanisms whose noise is Gaussian, or for choices that are many and
    even. runs: in each world, on the page; at_once: in one slice of work.
    """

    family: str
    what: str
    sound: bool
    target: Callable[..., Target]
    epsilon: float
    how: Mapping[str, Any] = field(default_factory=dict)
    delta: float = 0.0
    adjacency: Adjacency = Adjacency.REPLACE_ONE
    unit: str = "record"
    form: audit.Form = "count"
    runs: int = 10_000
    at_once: int = 5000

    @cached_property
    def worlds(self) -> Target:
        """(runs, seed) -> scores with and without."""
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
AUDITS: Mapping[str, Audit] = MappingProxyType(
    {
        key: Audit(family=family, what=what, sound=sound, how=how, **(dict(FAMILIES[family]) | changes))
        for key, family, what, sound, how, changes in ROWS
    }
)
