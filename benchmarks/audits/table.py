"""Read the audit table: mechanisms that are correct, as published, or broken on purpose.

Each audit has a claimed epsilon, the worst known neighbouring data sets, and the best known score.
Its lower bound of epsilon (`dpcore.attacks.audit`) refutes the claim or does not. A claim that is
not refuted is not proved. An audit whose canary never reached the mechanism is void. The audits are
listed in `audits.toml`.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.audits import (
    targets,
    targets_choices,
    targets_descent,
    targets_parties,
    targets_regression,
    targets_sgd,
)
from benchmarks.audits.targets import Scores, Target
from dpcore.attacks import audit
from dpcore.attacks.lower_bound import GAUSSIAN_CURVE, LowerBound
from dpcore.privacy import Adjacency, ApproximateRelease, Guarantee

VERDICTS = CONSISTENT, CAUGHT, VOID = "consistent", "caught", "void"
# All bounds of a table of sound mechanisms hold together at this confidence.
TOGETHER = 0.95
# A full table has this many times the runs of the list, with which the tests make do.
FULL = 3.0
# Runs with the same noise in both worlds, which show whether the canary arrives.
TWINS = 100
_TARGETS = {
    "basic": targets,
    "choices": targets_choices,
    "descent": targets_descent,
    "parties": targets_parties,
    "regression": targets_regression,
    "sgd": targets_sgd,
}
# Target -> function that replays one step of it. These two show what a replay finds and what not; a
# release without steps would repeat its own definition.
_REPLAYS: Mapping[Callable[..., Target], Callable[..., float]] = {
    targets_descent.classifier: targets_descent.classifier_replay,
    targets_descent.people: targets_descent.people_replay,
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Audit:
    """One row of the table.

    family: which part of the lab. what: the mechanism, or what is wrong with it. expected: the
        verdict that must come
    of it. target: makes of epsilon, of delta where the claim has one, and of ``how`` the attacked
    worlds (``targets``). gaussian: why the two worlds are told apart as two normal distributions
    are, where that is proved; the bound then assumes it. pitfall: the mistake of practice that it
    is, and where it was met or named. reach: the share of the sensitivity that such worlds lie
    apart. runs: in each world, as in the tests; ``FULL`` multiplies them.
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
    pitfall: str = ""
    reach: float = 1.0
    runs: int = 10_000

    @cached_property
    def worlds(self) -> Target:
        """Return (runs, seed, twins=False) -> scores with and without."""
        claim = {"delta": self.delta} if self.delta else {}
        return self.target(self.epsilon, **claim, **self.how)

    def arrives(self, seed: int) -> bool:
        """Return whether the canary reaches the mechanism: runs with the same noise in both worlds
        differ.
        """
        return audit.canary_has_effect(*self.worlds(TWINS, seed, twins=True))

    @property
    def most(self) -> float:
        """Return what an audit could show of a sound mechanism at most, as far as the worlds' reach
        decides it.
        """
        if self.reach == 1:
            return self.epsilon
        return audit.detectable_epsilon(self.epsilon, delta=self.delta, influence=self.reach)

    def verdict(self, bound: LowerBound, *, arrives: bool) -> str:
        """Return caught, or void where the canary never arrived, or else consistent.

        A bound above 0 shows that the canary arrived, however rarely.
        """
        if bound.refutes(self.claim, proved=GAUSSIAN_CURVE if self.gaussian else ""):
            return CAUGHT
        return CONSISTENT if arrives or bound.epsilon > 0 else VOID

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

    def bound(self, scores: Scores) -> LowerBound:
        return audit.epsilon_lower_bound(
            *scores,
            delta=self.delta,
            adjacency=self.adjacency,
            confidence=CONFIDENCE,
            form="gaussian" if self.gaussian else "count",
            unit=self.unit,
        )

    def replayed(self) -> float | None:
        """Return how far one step moves if it is replayed with the same noise, in parts of what its
        noise is made for; None if the target has no replay.
        """
        replay = _REPLAYS.get(self.target)
        if replay is None:
            return None
        return replay(self.epsilon, delta=self.delta, **self.how)

    def audited(self, *, runs: int, seed: int) -> LowerBound:
        return self.bound(self.worlds(runs, seed))


def _read() -> Iterator[tuple[str, Audit]]:
    for target, common in tomllib.loads(
        Path(__file__).with_name("audits.toml").read_text("utf-8")
    ).items():
        module, name = target.split(".")
        common["adjacency"] = Adjacency(common.get("adjacency", Adjacency.REPLACE_ONE))
        for key, row in common.pop("audits").items():
            (expected,) = row.keys() & set(VERDICTS)
            named = {
                "what": row.pop(expected),
                "expected": expected,
                "target": getattr(_TARGETS[module], name),
            }
            yield key, Audit(**(common | named | row))


# Key -> audit, in the order of the table.
AUDITS: Mapping[str, Audit] = dict(_read())
FAMILIES = tuple(dict.fromkeys(audit.family for audit in AUDITS.values()))
CONFIDENCE = 1 - (1 - TOGETHER) / len(AUDITS)
