"""Read the audit table: mechanisms that are correct, as published, or broken on purpose.

Each audit has a claimed epsilon, the worst known neighbouring data sets, and the best known score.
Its lower bound of epsilon (`dpcore.attacks.audit`) refutes the claim or does not. A claim that is
not refuted is not proved. An audit whose canary never reached the mechanism is void. The audits are
listed in `audits.toml`.
"""

import tomllib
from collections.abc import Callable, Mapping
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

CONSISTENT = "consistent"
CAUGHT = "caught"
VOID = "void"
VERDICTS = (CONSISTENT, CAUGHT, VOID)
# All bounds of a table of sound mechanisms hold together at this confidence.
TOGETHER = 0.95
# A full table has this many times the runs of the list, with which the tests make do.
FULL = 3.0
# Runs with the same noise in both worlds, which show whether the canary arrives.
TWINS = 100
LIST = Path(__file__).with_name("audits.toml")
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

    Attributes:
        family: Part of the lab.
        what: The mechanism, or what is wrong with it.
        expected: The verdict that must come of it.
        target: Makes the attacked worlds of epsilon, of delta where the claim has one, and of the
            parameters (``targets``).
        epsilon: Claimed.
        parameters: Of the target.
        delta: Claimed.
        adjacency: Claimed.
        unit: Claimed.
        gaussian: Why the two worlds are told apart as two normal distributions are, where that is
            proved. The bound then assumes it.
        pitfall: The mistake of practice that it is, and where it was met or named.
        reach: Share of the sensitivity that such worlds lie apart.
        runs: In each world, as in the tests; ``FULL`` multiplies them.
    """

    family: str
    what: str
    expected: str
    target: Callable[..., Target]
    epsilon: float
    parameters: Mapping[str, Any] = field(default_factory=dict)
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
        if self.delta > 0:
            return self.target(self.epsilon, delta=self.delta, **self.parameters)
        return self.target(self.epsilon, **self.parameters)

    def arrives(self, seed: int) -> bool:
        """Return whether runs with the same noise in both worlds differ.

        Otherwise the canary does not reach the mechanism.
        """
        with_canary, without_canary = self.worlds(TWINS, seed, twins=True)
        return audit.canary_has_effect(with_canary, without_canary)

    @property
    def most(self) -> float:
        """Return the largest epsilon that an audit of a sound mechanism could show.

        Only the worlds' reach is taken into account.
        """
        if self.reach == 1:
            return self.epsilon
        return audit.detectable_epsilon(self.epsilon, delta=self.delta, influence=self.reach)

    def verdict(self, bound: LowerBound, *, arrives: bool) -> str:
        """Return caught, or void where the canary never arrived, or else consistent.

        A bound above 0 shows that the canary arrived, however rarely.
        """
        proved = ""
        if self.gaussian:
            proved = GAUSSIAN_CURVE
        if bound.refutes(self.claim, proved=proved):
            return CAUGHT
        if arrives or bound.epsilon > 0:
            return CONSISTENT
        return VOID

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
        """Return the lower bound of epsilon that these scores show."""
        with_canary, without_canary = scores
        form = "count"
        if self.gaussian:
            form = "gaussian"
        return audit.epsilon_lower_bound(
            with_canary,
            without_canary,
            delta=self.delta,
            adjacency=self.adjacency,
            confidence=CONFIDENCE,
            form=form,
            unit=self.unit,
        )

    def replayed(self) -> float | None:
        """Return how far one step moves if it is replayed with the same noise.

        The unit is what its noise is made for. None if the target has no replay.
        """
        replay = _REPLAYS.get(self.target)
        if replay is None:
            return None
        return replay(self.epsilon, delta=self.delta, **self.parameters)

    def audited(self, *, runs: int, seed: int) -> LowerBound:
        """Run the mechanism in both worlds, and return the lower bound."""
        return self.bound(self.worlds(runs, seed))


def _read_audits() -> dict[str, Audit]:
    """Read the list: a table for each target, with fields of all its audits and the audits."""
    audits = {}
    for name, table in tomllib.loads(LIST.read_text("utf-8")).items():
        module, function = name.split(".")
        common = {"target": getattr(_TARGETS[module], function)}
        for key, value in table.items():
            if key == "adjacency":
                common[key] = Adjacency(value)
            elif key != "audits":
                common[key] = value
        for key, fields in table["audits"].items():
            (expected,) = fields.keys() & set(VERDICTS)
            what = fields.pop(expected)
            audits[key] = Audit(**{"what": what, "expected": expected, **common, **fields})
    return audits


# Key -> audit, in the order of the table.
AUDITS: Mapping[str, Audit] = _read_audits()
CONFIDENCE = 1 - (1 - TOGETHER) / len(AUDITS)
