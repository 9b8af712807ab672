"""What the regression computes: private fits at the set epsilon, and error curves.

One mechanism follows the report [jiang2018, Section 4], and the others improve on it. All but
gradient descent read sufficient statistics alone, so that 300,000 rows cost no more than 300.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from dpcore.estimators.linear import REGRESSIONS
from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part, Repeats, Sweep
from lab.experiment.settings import Measure
from pages.regression import tasks
from pages.regression.result import RegressionResult
from pages.regression.settings import RegressionSettings
from pages.regression.tasks import Method

# The mechanisms of which a larger epsilon may worsen the mean error: a quadratic whose noise may
# leave it without a minimum, with unbounded weights, and a rule that changes at some epsilon.
_NOT_MONOTONE = ("published", "functional", "gaussian", "descent")
# Of fits that read many rows, the page waits for a few, and a task reads about so many rows.
_FEW_REPEATS = 4
_MANY_ROWS = 50_000
_ROWS_PER_TASK = 3e7


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
        repeats = settings.repeats
        remaining = settings.remaining_epsilon
        spent = settings.spent_epsilon
        others = [name for name in REGRESSIONS if name != settings.mechanism]
        chosen = settings.method(settings.mechanism)
        first_batch = repeats
        if chosen.rows_per_fit > _MANY_ROWS:
            first_batch = _FEW_REPEATS
        parts: dict[str, Part] = {}
        parts[f"fits {settings.mechanism}"] = Repeats(
            tasks.fit_repeats,
            chosen,
            remaining,
            repeats,
            merge=tasks.join_fits,
            first_batch=first_batch,
            sampled=tasks.score_repeats,
        )
        epsilons = tuple(epsilon - spent for epsilon in settings.epsilons)
        for name in (settings.mechanism, *others):
            parts[f"curve {name}"] = _curve(settings.method(name), epsilons, repeats)
        for name in others:
            method = settings.method(name)
            parts[f"fits {name}"] = Once(tasks.fit_repeats, method, (remaining,), repeats)
        return parts

    def result(self, values: Mapping[str, Any]) -> RegressionResult:
        all_fits = {}
        curves = {}
        for name in REGRESSIONS:
            fits = values[f"fits {name}"]
            if fits is not None:
                all_fits[name] = fits
            grid = values[f"curve {name}"]
            if grid.complete:
                curves[name] = grid.runs
        return RegressionResult(settings=self.settings, all_fits=all_fits, curves=curves)

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return the measure, with the fields along which its mean certainly improves.

        There is none if the minimum of a noisy quadratic may lie anywhere, because a few fits then
        decide the mean error, and none under a rule that changes at some epsilon.
        """
        if self.settings.mechanism not in _NOT_MONOTONE:
            return self.MEASURES
        return {name: measure._replace(rises=()) for name, measure in self.MEASURES.items()}


def _curve(method: Method, epsilons: tuple[float, ...], repeats: int) -> Sweep:
    """Return the part of a method's errors over epsilon."""
    rows_per_epsilon = max(1, method.rows_per_fit * repeats)
    width = max(1, int(_ROWS_PER_TASK / rows_per_epsilon))
    return Sweep(epsilons, tasks.score_curve, method, repeats, width=width)
