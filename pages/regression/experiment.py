"""What the regression computes: private fits at the set epsilon, error curves, and splits.

The first mechanism follows the report [jiang2018, Section 4], and the others improve on it. All of
them read sufficient statistics alone, so that 300,000 rows cost no more than 300.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from dpcore.estimators.linear import REGRESSIONS
from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part, Repeats, Runs
from lab.experiment.settings import Measure
from pages.regression import tasks
from pages.regression.result import RegressionResult
from pages.regression.settings import SPLITTERS, RegressionSettings
from pages.regression.tasks import PrivateFits

Outcome = TypeVar("Outcome")
# The mechanisms that release a quadratic whose noise may leave it without a minimum, and that do
# not bound the weights.
_UNBOUNDED = ("published", "functional", "gaussian")


@dataclass(frozen=True)
class ByName:
    """A part of single tasks by name, gathered into the outcomes of those that are done."""

    parts: Mapping[str, Once]

    @property
    def tasks(self) -> tuple[Runs, ...]:
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
        """Return the chosen mechanism's fits, then the curves, the other fits and the splits."""
        settings = self.settings
        chosen = settings.mechanism
        others = [name for name in REGRESSIONS if name != chosen]
        chosen_fits = Repeats(
            tasks.fit_repeats,
            settings.method(chosen),
            settings.remaining_epsilon,
            settings.repeats,
            merge=_only_batch,
            first_batch=settings.repeats,
            sampled=tasks.score_repeats,
        )
        return {
            "chosen": chosen_fits,
            "curves": ByName({name: self._curve(name) for name in (chosen, *others)}),
            "others": ByName({name: self._fits(name) for name in others}),
            "splits": ByName({name: self._splits(name) for name in SPLITTERS}),
        }

    def _curve(self, name: str) -> Once:
        """Return the task of a mechanism's errors over epsilon."""
        settings = self.settings
        left = tuple(epsilon - settings.spent_epsilon for epsilon in settings.epsilons)
        return Once(tasks.score_curve, settings.method(name), left, settings.repeats)

    def _fits(self, name: str) -> Once:
        """Return the task of a mechanism's fits at the set epsilon."""
        settings = self.settings
        return Once(
            tasks.fit_repeats,
            settings.method(name),
            (settings.remaining_epsilon,),
            settings.repeats,
        )

    def _splits(self, name: str) -> Once:
        """Return the task of a mechanism's errors over the share for the quadratic."""
        settings = self.settings
        methods = tuple(settings.method(name, share=share) for share in tasks.SHARES)
        repeats = min(settings.repeats, tasks.SHARE_REPEATS)
        return Once(tasks.score_shares, methods, (settings.remaining_epsilon,), repeats)

    def result(self, values: Mapping[str, Any]) -> RegressionResult:
        fits = {self.settings.mechanism: values["chosen"], **values["others"]}
        return RegressionResult(
            settings=self.settings,
            all_fits=_in_order(fits),
            curves=_in_order(values["curves"]),
            splits=values["splits"],
        )

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return the measure, with the fields along which its mean certainly improves.

        There is none if the minimum of a noisy quadratic may lie anywhere, because a few fits then
        decide the mean error.
        """
        if self.settings.mechanism not in _UNBOUNDED:
            return self.MEASURES
        return {name: measure._replace(rises=()) for name, measure in self.MEASURES.items()}


def _in_order(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Return outcomes by mechanism in the order of ``REGRESSIONS``."""
    return {name: outcomes[name] for name in REGRESSIONS if name in outcomes}


def _only_batch(batches: Sequence[PrivateFits]) -> PrivateFits:
    """Return the fits of the only batch, as all repeats are fitted in one task."""
    (fits,) = batches
    return fits
