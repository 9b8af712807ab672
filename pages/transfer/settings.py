"""The parameters of the transfer page, and what follows from them: data, models, and what each of
them promises.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from dpcore.privacy import Adjacency, Guarantee
from dpcore.training.polytopes import NORMS
from lab.data.transfer_worlds import NARROWEST, RADIUS
from lab.experiment.settings import Measure, Settings
from pages.transfer import published
from pages.transfer.tasks import MIGRATED, Claim, Data, Model

NOISES = ("gumbel", "laplace", "printed")
POLYTOPES = ("diamond", "corners")

# Field -> (lowest, highest) value that the settings accept.
LIMITS = {
    "epsilon": (0.05, 50.0),
    "delta": (1e-9, 1e-2),
    "sources": (1, 12),
    "difference": (0.0, 4.0),
    "h": (0.02, 20.0),
    "q": (0.0, 1.0),
    "target_rows": (100, 5000),
    "dimension": (2, 500),
    "migrated": (MIGRATED[0], MIGRATED[-1]),
    "detection_share": (0.02, 0.9),
    "penalty": (0.0, 0.5),
    "loop_penalty": (0.0, 1.0),
    "repeats": (2, 40),
    "seed": (0, 9999),
}
# What makes the noise of a walk smaller.
_LESS_NOISE = ("epsilon", "delta", "target_rows")
# Private rows times coefficients, at most: what a walk takes goes with them.
_MOST_CELLS = 250_000
# What decides which rows there are.
_ROWS = ("sources", "difference", "target_rows", "dimension", "seed")


@dataclass(frozen=True, kw_only=True)
class TransferParameters(Settings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    epsilon: of the claim, in nats, for one row.
    delta: of the claim.
    sources: K.
    difference: L1 norm of the largest contrast.
    h: the threshold up to which a contrast is small: which sources are transferable, and how far
        the correction may go.
    q: of the norm of a contrast; 0 counts its entries.
    target_rows: n, private.
    dimension: d, coefficients.
    migrated: public rows of all sources together.
    detection_share: of the budget, where the sources are detected.
    penalty, penalty_q: lambda and q of lambda ||w||_q, which the walks add to the mean of squares;
    q = 2 is squared.
    loop_penalty: lambda of the published table's loop, which is printed with the same q.
    repeats: models a setting.
    seed: of rows and noise.
    selection: the transferable sources are "known", or "detected" privately.
    noise: "gumbel" (exponential mechanism), "laplace", or "printed", Laplace as printed for a
        nominal epsilon.
    adjacency: "replace-one" or "add/remove".
    polytope: what the walk in the plane goes over.
    """

    CHOICES: ClassVar = {
        "selection": ("known", "detected"),
        "noise": NOISES,
        "adjacency": list(Adjacency),
        "polytope": POLYTOPES,
        "penalty_q": NORMS,
    }
    LIMITS: ClassVar = LIMITS
    MEASURES: ClassVar = {
        "transfer": Measure(
            "excess risk, sources corrected privately",
            "lower",
            lambda now: now.risk[3],
            rises=_LESS_NOISE,
        ),
        "target": Measure(
            "excess risk, target rows only", "lower", lambda now: now.risk[0], rises=_LESS_NOISE
        ),
        "source": Measure("excess risk, sources only", "lower", lambda now: now.risk[1]),
        "pooled": Measure(
            "excess risk, all rows pooled", "lower", lambda now: now.risk[2], rises=_LESS_NOISE[:2]
        ),
    }
    TUNED: ClassVar = {"h": (0.05, 5.0), "detection_share": (0.05, 0.5)}
    PEOPLE: ClassVar = "target_rows"
    COMMON: ClassVar = (*_ROWS, "selection", "noise", "repeats")

    epsilon: float = 1.0
    delta: float = 1e-6
    sources: int = 6
    difference: float = 1.6
    h: float = 0.7
    q: float = 1.0
    target_rows: int = 1000
    dimension: int = 20
    migrated: int = 2500
    detection_share: float = 0.2
    penalty: float = 0.0
    loop_penalty: float = published.PENALTY
    repeats: int = 24
    seed: int = 3
    selection: str = "known"
    noise: str = "gumbel"
    adjacency: str = "replace-one"
    polytope: str = "diamond"
    penalty_q: str = "1"

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``; more rows leave room for fewer coefficients."""
        if "target_rows" in changes and "dimension" not in changes:
            changes["dimension"] = min(self.dimension, _widest(changes["target_rows"]))
        return replace(self, **changes)

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the (lowest, highest) value of each field, with what a file or the private rows
        leave of them.
        """
        return {**LIMITS, "dimension": (LIMITS["dimension"][0], _widest(self.target_rows))}

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return the measures with what they rise along."""
        found = {**self.MEASURES}
        # With less noise a penalty pulls more, and a detection is stricter, also with sources that
        # would have helped
        unclear = [*found] if self.penalty else ["transfer"] * (self.selection == "detected")
        return found | {name: found[name]._replace(rises=()) for name in unclear}

    @property
    def tuned(self) -> Mapping[str, tuple[float, float]]:
        """Return what one may tune.

        Known sources need no detection; detected ones only limit the correction by h.
        """
        found = super().tuned
        return found if self.selection == "detected" else {"h": found["h"]}

    @property
    def radius(self) -> float:
        """Return the L1 radius of the correction.

        ||v||_1 <= ||v||_q for q in (0, 1]; for q = 0, h entries of the largest size.
        """
        reach = self.h if self.q > 0 else self.h * self.difference / NARROWEST
        return min(max(reach, LIMITS["h"][0]), RADIUS)

    @property
    def data(self) -> Data:
        """Return the made-up data,"""
        return self.subset(Data, rows=self.target_rows)

    @cached_property
    def model(self) -> Model:
        """Return what the candidates depend on at every epsilon, whatever is migrated."""
        share = self.detection_share if self.selection == "detected" else 0.0
        return self.subset(Model, claim=self.subset(Claim), detection_share=share)

    @property
    def guarantee(self) -> Guarantee | None:
        return self.guarantee_of("transfer")

    def guarantee_of(self, name: str) -> Guarantee:
        """Return the guarantee of a candidate that walks, by concentrated privacy, with what bounds
        have cost.
        """
        return self.model.guarantee(name, self.epsilon, self.migrated)


def _widest(rows: object) -> int:
    low, high = map(int, LIMITS["dimension"])
    if not isinstance(rows, int):
        return high
    return int(np.clip(_MOST_CELLS // max(rows, 1), low, high))
