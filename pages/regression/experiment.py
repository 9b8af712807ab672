"""What the regression computes: private fits at the set epsilon, and error curves.

One mechanism follows the report [jiang2018, Section 4], and the others improve on it. All but
gradient descent read sufficient statistics alone, so that 300,000 rows cost no more than 300.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from dpcore.estimators.linear import REGRESSIONS
from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part, Repeats, Sweep
from lab.experiment.settings import Measure, Task
from pages.regression import tasks
from pages.regression.result import RegressionResult
from pages.regression.settings import RegressionSettings

Outcome = TypeVar("Outcome")
# The mechanisms of which a larger epsilon may worsen the mean error: a quadratic whose noise may
# leave it without a minimum, with unbounded weights, and a rule that changes at some epsilon.
_NOT_MONOTONE = ("published", "functional", "gaussian", "descent")
# Of fits that read many rows, the page waits for a few, and a task reads about so many rows.
_FEW_REPEATS = 4
_MANY_ROWS = 50_000
_ROWS_PER_TASK = 3e7


@dataclass(frozen=True)
class ByName:
    """A part of single tasks by name, gathered into the outcomes of those that are done."""

    parts: Mapping[str, Part]

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Return the tasks in the order of the names."""
        return tuple(task for part in self.parts.values() for task in part.tasks)

    def gather(self, outcomes: Mapping[Any, Any]) -> dict[str, Any]:
        """Return the outcomes by name, as far as they are done."""
        done = {}
        for name, part in self.parts.items():
            outcome = part.gather(outcomes)
            if outcome is not None:
                done[name] = outcome
        return done


class RegressionExperiment(Experiment[RegressionSettings, RegressionResult]):
    """Private fits by all mechanisms, of which the chosen one is shown in detail."""

    MEASURES: ClassVar = {
        "error": Measure(
            "RMSE on held-out rows",
            "lower",
            lambda fits: fits.errors,
            rises=("epsilon", "delta", "rows"),
        )
    }
    PAIRED_BY = (
        "dataset",
        "own",
        "mechanism",
        "rows",
        "features",
        "label_top",
        "repeats",
        "seed",
    )

    def parts(self) -> dict[str, Part]:
        """Return the chosen mechanism's fits, then the curves and the other fits."""
        settings = self.settings
        chosen = settings.mechanism
        others = [name for name in REGRESSIONS if name != chosen]
        method = settings.method(chosen)
        first_batch = settings.repeats
        if method.rows_per_fit > _MANY_ROWS:
            first_batch = _FEW_REPEATS
        chosen_fits = Repeats(
            tasks.fit_repeats,
            method,
            settings.remaining_epsilon,
            settings.repeats,
            merge=tasks.join_fits,
            first_batch=first_batch,
            sampled=tasks.score_repeats,
        )
        return {
            "chosen": chosen_fits,
            "curves": ByName({name: self._curve(name) for name in (chosen, *others)}),
            "others": ByName({name: self._fits(name) for name in others}),
        }

    def _curve(self, name: str) -> Sweep:
        """Return the part of a mechanism's errors over epsilon."""
        settings = self.settings
        method = settings.method(name)
        rows_per_epsilon = max(1, method.rows_per_fit * settings.repeats)
        return Sweep(
            tuple(epsilon - settings.spent_epsilon for epsilon in settings.epsilons),
            tasks.score_curve,
            method,
            settings.repeats,
            arms=(2,),
            width=max(1, int(_ROWS_PER_TASK / rows_per_epsilon)),
        )

    def _fits(self, name: str) -> Once:
        """Return the task of a mechanism's fits at the set epsilon."""
        settings = self.settings
        return Once(
            tasks.fit_repeats,
            settings.method(name),
            (settings.remaining_epsilon,),
            settings.repeats,
        )

    def result(self, values: Mapping[str, Any]) -> RegressionResult:
        fits = {self.settings.mechanism: values["chosen"], **values["others"]}
        grids = values["curves"]
        curves = {name: grid.runs for name, grid in grids.items() if grid.complete}
        return RegressionResult(
            settings=self.settings,
            all_fits=_in_order(fits),
            curves=_in_order(curves),
        )

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return the measure, with the fields along which its mean certainly improves.

        There is none if the minimum of a noisy quadratic may lie anywhere, because a few fits then
        decide the mean error, and none under a rule that changes at some epsilon.
        """
        if self.settings.mechanism not in _NOT_MONOTONE:
            return self.MEASURES
        return {name: measure._replace(rises=()) for name, measure in self.MEASURES.items()}


def _in_order(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Return outcomes by mechanism in the order of ``REGRESSIONS``."""
    return {name: outcomes[name] for name in REGRESSIONS if name in outcomes}
