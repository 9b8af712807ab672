"""What the accounting page computes: the cost of a run by each theorem, and its inverses.

The noise of the run is the same for all theorems. Only their proofs differ.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from dpcore.privacy import Adjacency
from lab.experiment.accounting_tasks import NoiseFor, Price, StepsWithin
from lab.experiment.experiment import Experiment
from lab.experiment.parts import Part
from lab.experiment.settings import Task
from pages.accounting.result import (
    EXACT_STEPS,
    ROWS,
    SEARCH_LAWS,
    STEPS,
    AccountingResult,
)
from pages.accounting.search_costs import SearchCosts
from pages.accounting.settings import AccountingSettings

# The accountants with a curve that costs milliseconds: all but "pld".
_QUICK_CURVES = ROWS[:-1]
# Points of the exact curve over steps that one task computes in some 30 ms.
_EXACT_STEPS_PER_TASK = (slice(0, 6), slice(6, 8), slice(8, 9))


class Numbers:
    """A part whose tasks return numbers of a known ``shape``."""

    def __init__(self, *tasks: Any):
        self.tasks = tasks

    def gather(self, outcomes: Mapping[Any, Any]) -> np.ndarray:
        """Return the numbers of all tasks in a row, NaN for tasks that are not done."""
        arrays = []
        for task in self.tasks:
            numbers = outcomes.get(task, np.full(task.shape, math.nan))
            arrays.append(np.ravel(numbers))
        return np.concatenate(arrays)


class AccountingExperiment(Experiment[AccountingSettings, AccountingResult]):
    """The cost of a run by each accountant, and what the target allows.

    Nothing is random, so there are no measures of repeats.
    """

    def parts(self) -> dict[str, Part]:
        """Return the parts, the quick accountants first, the loss distribution and searches later.

        The names are those of ``AccountingResult.values``, which explains them.
        """
        return {**self._quick_parts(), **self._slow_parts()}

    def _quick_parts(self) -> dict[str, Part]:
        """Return the parts that the page waits for, with the exact epsilon of this run."""
        settings = self.settings
        exact = settings.exact_accountant
        steps = (settings.steps,)
        parts: dict[str, Part] = {}
        for name in _QUICK_CURVES:
            parts[name] = Numbers(self._price(name, (*STEPS, settings.steps), essential=True))
        parts["unsampled"] = Numbers(self._price("gdp", steps, essential=True, sampling_rate=1.0))
        parts["this run"] = Numbers(self._price(exact, steps))
        parts["pld"] = Numbers(*self._exact_curve())
        parts["most steps renyi"] = Numbers(self._most_steps("renyi", essential=True))
        return parts

    def _slow_parts(self) -> dict[str, Part]:
        """Return the other parts, in the order in which the page shows them."""
        settings = self.settings
        exact = settings.exact_accountant
        exact_on_fine_grid = "pld"
        if settings.sampling_rate == 1:
            exact_on_fine_grid = "gdp"  # a formula, which has no grid
        parts: dict[str, Part] = {}
        all_tried = self._price(settings.tuning_accountant, (settings.tuned_steps,))
        parts["all settings tried"] = Numbers(all_tried)
        for law in SEARCH_LAWS:
            search = SearchCosts(run_event=settings.run_event, law=law, delta=settings.delta)
            parts[f"search {law}"] = Numbers(search)
        # A replaced row moves a sum twice as far as a removed one, as if the noise were half.
        replaced = self._price(
            exact,
            (settings.steps,),
            noise_multiplier=settings.noise_multiplier / 2,
            adjacency=Adjacency.REPLACE_ONE,
        )
        parts["replaced"] = Numbers(replaced)
        parts["least noise renyi"] = Numbers(self._least_noise("renyi"))
        parts["most steps pld"] = Numbers(self._most_steps(exact))
        parts["least noise pld"] = Numbers(self._least_noise(exact))
        fine = self._price(exact_on_fine_grid, (settings.steps,))
        parts["this run, fine grid"] = Numbers(fine)
        return parts

    def _exact_curve(self) -> list[Price]:
        """Return the tasks of the exact curve over steps, of which large numbers take longer."""
        tasks = []
        for points in _EXACT_STEPS_PER_TASK:
            steps = EXACT_STEPS[points]
            tasks.append(self._price(self.settings.exact_accountant, steps))
        return tasks

    def order(self, parts: Iterable[Part]) -> Iterable[Task]:
        """Return the tasks of the parts in their order.

        The exact epsilon of this run comes before the essential searches for the target, so that it
        is shown while a slider moves.
        """
        return [task for part in parts for task in part.tasks]

    def result(self, values: Mapping[str, np.ndarray]) -> AccountingResult:
        return AccountingResult(settings=self.settings, values=values)

    def _price(
        self,
        accountant: str,
        steps: tuple[int, ...],
        *,
        noise_multiplier: float | None = None,
        sampling_rate: float | None = None,
        adjacency: Adjacency = Adjacency.ADD_REMOVE,
        essential: bool = False,
    ) -> Price:
        """Return the task of the cost of ``steps``, by default with noise and rate of this run."""
        if noise_multiplier is None:
            noise_multiplier = self.settings.noise_multiplier
        if sampling_rate is None:
            sampling_rate = self.settings.sampling_rate
        return Price(
            accountant=accountant,
            sampling_rate=sampling_rate,
            noise_multipliers=(noise_multiplier,),
            steps=steps,
            delta=self.settings.delta,
            adjacency=adjacency,
            essential=essential,
        )

    def _least_noise(self, accountant: str) -> NoiseFor:
        """Return the search for the least noise with which this run stays within the target."""
        return NoiseFor(
            accountant=accountant,
            sampling_rate=self.settings.sampling_rate,
            steps=self.settings.steps,
            epsilon=self.settings.target_epsilon,
            delta=self.settings.delta,
        )

    def _most_steps(self, accountant: str, *, essential: bool = False) -> StepsWithin:
        """Return the search for the number of steps that stay within the target."""
        return StepsWithin(
            accountant=accountant,
            sampling_rate=self.settings.sampling_rate,
            noise_multiplier=self.settings.noise_multiplier,
            epsilon=self.settings.target_epsilon,
            delta=self.settings.delta,
            essential=essential,
        )
