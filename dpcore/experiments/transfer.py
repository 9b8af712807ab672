"""Private regression with public sources: alone, trusted as they are, in one pot, or corrected privately.

Follows the slides of [zhang2022], whose table is in ``transfer_published``; transfer as in [li2022], the private walk
as in [talwar2015].
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from dpcore import check
from dpcore import frank_wolfe as fw
from dpcore.experiments import run
from dpcore.experiments import transfer_published as published
from dpcore.experiments import transfer_work as work
from dpcore.experiments.transfer_result import EPSILONS, MIGRATED, TransferResult
from dpcore.experiments.transfer_work import CANDIDATES, Curve, Focus, Walks
from dpcore.privacy import Adjacency
from dpcore.transfer import NARROWEST, RADIUS

NOISES = ("gumbel", "laplace", "printed")
SELECTIONS = ("known", "detected")
POLYTOPES = ("diamond", "corners")

# Field -> (lowest, highest) value that the settings accept.
LIMITS = MappingProxyType(
    {
        "epsilon": (0.05, 50.0),
        "delta": (1e-9, 1e-2),
        "sources": (1, 12),
        "difference": (0.0, 4.0),
        "h": (0.02, 20.0),
        "q": (0.0, 1.0),
        "target_rows": (100, 5000),
        "dimension": (2, 50),
        "migrated": (24, 15_000),
        "detection_share": (0.02, 0.9),
        "repeats": (2, 40),
        "seed": (0, 9999),
    }
)
# One slice of work holds about this many (model, row, coefficient, step) cells: some 40 ms. A curve that moves with
# epsilon is first drawn with so few repeats that all of it is a slice.
_CELLS_AT_ONCE, _QUICK = 1.5e8, (3, 12)


@dataclass(frozen=True, kw_only=True)
class TransferSettings:
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    epsilon, delta, adjacency: the claim. noise: "gumbel" (exponential mechanism), "laplace", or "printed", Laplace with
    the scale as printed for a nominal epsilon. sources: K. difference: L1 norm of the largest contrast. h, q: which
    sources are transferable, and how far the correction may go. target_rows n, dimension d: private rows, coefficients.
    migrated: public rows of all sources together. selection: the transferable sources are "known", or "detected" with
    ``detection_share`` of the budget. polytope: what the walk in the plane goes over. repeats: models a setting.
    """

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
    repeats: int = 24
    seed: int = 3
    selection: str = "known"
    noise: str = "gumbel"
    adjacency: str = "replace-one"
    polytope: str = "diamond"

    def __post_init__(self) -> None:
        check.choice(SELECTIONS, selection=self.selection)
        check.choice(NOISES, noise=self.noise)
        check.choice(list(Adjacency), adjacency=self.adjacency)
        check.choice(POLYTOPES, polytope=self.polytope)
        for name, (low, high) in self.limits.items():
            validate = check.whole if isinstance(low, int) else check.between
            validate(low, high, **{name: getattr(self, name)})

    def change(self, **changes: Any) -> "TransferSettings":
        """These settings with ``changes``."""
        return replace(self, **changes)

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Field -> (lowest, highest) value."""
        return dict(LIMITS)

    @property
    def radius(self) -> float:
        """L1 radius of the correction: ||v||_1 <= ||v||_q for q in (0, 1]; for q = 0, h entries of the largest size."""
        reach = self.h if self.q > 0 else self.h * self.difference / NARROWEST
        return min(max(reach, LIMITS["h"][0]), RADIUS)

    def tasks(self) -> tuple[Any, ...]:
        """Today's values and the walk first, then both curves in slices, and the published table at the end."""
        model = replace(self, epsilon=1.0, migrated=MIGRATED[0], polytope=POLYTOPES[0])
        focus = Focus(model=model, epsilon=self.epsilon, migrated=self.migrated)
        plane = replace(self, epsilon=1.0, migrated=MIGRATED[0])
        walks = Walks(model=plane, epsilon=self.epsilon)
        return (focus, walks, self._quick(model), *self._curves(model), *published.tasks())

    def _quick(self, model: "TransferSettings") -> Curve:
        """Over migrated rows at today's epsilon, with a few of the repeats."""
        cells = 2 * len(MIGRATED) * self.target_rows * self.dimension * fw.MOST_STEPS
        repeats = min(self.repeats, int(np.clip(_CELLS_AT_ONCE / cells, *_QUICK)))
        cases = tuple((self.epsilon, rows) for rows in MIGRATED)
        few = replace(model, repeats=repeats)
        return Curve(model=few, cases=cases, candidates=CANDIDATES[1:], essential=True)

    def _curves(self, model: "TransferSettings") -> tuple[Curve, ...]:
        """Over epsilon, and then over migrated rows with all repeats."""
        cells = self.repeats * self.target_rows * self.dimension * fw.MOST_STEPS
        width = max(1, int(_CELLS_AT_ONCE / cells))
        budgets = [(epsilon, self.migrated) for epsilon in EPSILONS]
        pots = [(self.epsilon, rows) for rows in MIGRATED]
        return tuple(
            Curve(model=model, cases=tuple(cases[first : first + width]), candidates=candidates)
            for cases, candidates in ((budgets, CANDIDATES), (pots, CANDIDATES[1:]))
            for first in range(0, len(cases), width)
        )

    def result(self, outcomes: Mapping[Any, Any]) -> "TransferResult":
        """Assemble what has been done; needs the essential tasks only."""
        focus, walks, quick, *rest = self.tasks()
        budgets, pots = {}, {}
        for task in rest:
            if isinstance(task, Curve) and task in outcomes:
                cases = budgets if len(task.candidates) == len(CANDIDATES) else pots
                cases |= dict(zip(task.cases, np.moveaxis(outcomes[task], 1, 0), strict=True))
        empty = np.full((len(CANDIDATES), self.repeats), np.nan)
        whole = len(pots) == len(MIGRATED)
        moving = np.stack(list(pots.values()), axis=1) if whole else outcomes[quick]
        still = np.broadcast_to(outcomes[focus].excess[0, : moving.shape[2]], moving[:1].shape)
        return TransferResult(
            settings=self,
            problem=work.data(self),
            focus=outcomes[focus],
            walks=outcomes[walks],
            over_epsilon=np.stack([budgets.get((epsilon, self.migrated), empty) for epsilon in EPSILONS], axis=1),
            over_migrated=np.concatenate([still, moving]),
            published=published.result(outcomes),
        )

    def run(self) -> "TransferResult":
        """All of it."""
        return run(self)
