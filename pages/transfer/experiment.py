"""Private regression with public sources: alone, trusted as they are, pooled, or corrected
privately.

Follows the slides of [zhang2022], whose table is in ``transfer_published``; transfer as in
[li2022], the private walk as in [talwar2015].
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from dpcore.training import frank_wolfe as fw
from lab.experiment.computing_settings import ComputingSettings
from lab.experiment.parts import Grid, Runs, slices
from lab.experiment.settings import Task
from pages.transfer import baselines, published, tasks
from pages.transfer.result import TransferResult
from pages.transfer.settings import TransferParameters
from pages.transfer.tasks import CANDIDATES, EPSILONS, MIGRATED, Cases, Model

# One slice of work holds about this many (model, row, coefficient, step) cells: some 40 ms. A curve
# that moves with epsilon is first drawn with so few repeats that all of it is a slice, and with
# more coefficients than _WIDE at its ends, as each point then takes statistics of its own.
_CELLS_AT_ONCE, _QUICK, _WIDE = 1.5e8, (3, 12), 100


@dataclass(frozen=True, kw_only=True)
class TransferSettings(TransferParameters, ComputingSettings):
    """The experiment of these parameters: its work, and what comes of it."""

    def probe(self) -> Runs[Model, tasks.FocusOutcome]:
        """Return the work of the four candidates now."""
        now = ((self.epsilon, self.migrated),)
        return Runs(work=tasks.focus, model=self.model, at=now, count=self.repeats, essential=True)

    def sample(self, count: int) -> tuple[Runs[Model, tasks.FocusOutcome], ...]:
        return (replace(self.probe(), count=count),)

    def draws_as(self, other: Self) -> bool:
        """Return whether noise is common: a transfer without a source draws other noise, and a
        detection may find none in one repeat or another; an L1 penalty has one vertex more, and a
        draw for it in each step.
        """
        return self.selection == "known" and self._drawn == other._drawn

    @property
    def _drawn(self) -> tuple[bool, bool]:
        """Return whether no source is near enough, and whether the centre is a vertex."""
        alone = not self.data.problem.transferable(self.q, self.h).any()
        return alone, self.penalty > 0 and self.penalty_q == "1"

    def schedule(self) -> Iterable[Task]:
        """Return today's values and the walk first, then both curves in slices, and the published
        table at the end.
        """
        printed = published.tasks(self.loop_penalty, self.penalty_q)
        over_epsilon, over_migrated = self._curves
        return (
            self.probe(),
            self._walks,
            *self._quick,
            *over_epsilon,
            *over_migrated,
            *self._alone,
            *printed,
        )

    @property
    def _walks(self) -> Runs[tasks.Walks, tasks.WalkOutcome]:
        plane = self.subset(tasks.Walks)
        return Runs(
            work=tasks.walks, model=plane, at=(self.epsilon,), count=self.repeats, essential=True
        )

    @cached_property
    def _pots(self) -> Cases:
        return tuple((self.epsilon, rows) for rows in MIGRATED)

    @property
    def _cells(self) -> int:
        return self.target_rows * self.dimension * fw.MOST_STEPS

    @property
    def _quick(self) -> tuple[Runs[Model, np.ndarray], ...]:
        """Return the work over migrated rows at today's epsilon, with a few of the repeats."""
        few = min(
            self.repeats,
            int(np.clip(_CELLS_AT_ONCE / (2 * len(self._pots) * self._cells), *_QUICK)),
        )
        width = 1 if self.dimension > _WIDE else len(self._pots)
        quick = slices(tasks.public_risks, self.model, self._pots, [range(few)], width=width)
        return tuple(replace(task, essential=task in (quick[0], quick[-1])) for task in quick)

    @cached_property
    def _curves(self) -> tuple[tuple[Runs[Model, np.ndarray], ...], ...]:
        """Return the work over epsilon, and then over migrated rows with all repeats."""
        budgets = [(epsilon, self.migrated) for epsilon in EPSILONS]
        width = max(1, int(_CELLS_AT_ONCE / (self.repeats * self._cells)))
        return tuple(
            slices(risks, self.model, cases, [range(self.repeats)], width=width)
            for risks, cases in ((tasks.risks, budgets), (tasks.public_risks, self._pots))
        )

    @property
    def _alone(self) -> tuple[Runs[Model, baselines.Alone], ...]:
        """Return the work of two methods on the private rows alone; none for a file, whose truth is
        not known.
        """
        if self.private:
            return ()
        return (
            Runs(work=baselines.beside, model=self.model, at=(self.epsilon,), count=self.repeats),
        )

    def result(self, outcomes: Mapping[Task, Any]) -> TransferResult:
        """Assemble what has been done; needs the essential tasks only."""
        now, (over_epsilon, over_migrated) = outcomes[self.probe()], self._curves
        cases, arms = [(epsilon, self.migrated) for epsilon in EPSILONS], (len(CANDIDATES),)
        budgets = Grid.of(cases, over_epsilon, outcomes, repeats=self.repeats, arms=arms).runs
        moving = over_migrated if all(task in outcomes for task in over_migrated) else self._quick
        pots = Grid.of(
            self._pots, moving, outcomes, repeats=moving[0].count, arms=(len(CANDIDATES) - 1,)
        ).runs
        still = np.broadcast_to(now.risk[0, : pots.shape[2]], pots[:1].shape)
        return TransferResult(
            settings=self,
            problem=self.data.problem,
            focus=now,
            walks=outcomes[self._walks],
            over_epsilon=Grid(EPSILONS, budgets),
            over_migrated=Grid(
                tuple(rows for _, rows in self._pots), np.concatenate([still, pots])
            ),
            alone=next((outcomes[task] for task in self._alone if task in outcomes), None),
            published=published.result(outcomes, penalty=self.loop_penalty, q=self.penalty_q),
        )
