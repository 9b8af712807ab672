"""What the transfer page computes: four candidates now, curves, runs in the plane, and baselines.

It follows the slides of [zhang2022], whose table is in ``published``. Transfer is as in [li2022],
and private Frank-Wolfe as in [talwar2015].
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from dpcore.training import frank_wolfe as fw
from lab.experiment.experiment import Experiment
from lab.experiment.parts import Grid, Once, Part, Runs, Sweep
from lab.experiment.settings import Measure, Task
from pages.transfer import baselines, plane, tasks
from pages.transfer.model import CANDIDATES, EPSILONS, MIGRATED
from pages.transfer.plane import Plane
from pages.transfer.published import PublishedTable
from pages.transfer.result import TransferResult
from pages.transfer.settings import TransferSettings
from pages.transfer.tasks import CandidateFits, Cases

# Fields that lower the noise and leave everything else as it is.
_LESS_NOISE = ("epsilon", "delta")
# One task computes about this many (model, row, coefficient, step) cells, in some 40 ms.
_CELLS_PER_TASK = 1.5e8
# Least and most repeats of the curve over public rows while epsilon moves.
_QUICK_REPEATS = (3, 12)
# With more coefficients each point of that curve is a task, because its statistics take long.
_MOST_IN_ONE_TASK = 100


@dataclass(frozen=True)
class QuickCurve:
    """A curve of which the page waits for the first and the last task."""

    curve: Sweep

    @property
    def tasks(self) -> tuple[Runs, ...]:
        """Return the tasks of the curve, of which the ends are essential."""
        tasks = self.curve.tasks
        ends = (tasks[0], tasks[-1])
        return tuple(replace(task, essential=task in ends) for task in tasks)

    def gather(self, outcomes: Mapping[Any, Any]) -> Grid:
        """Return the risks done so far."""
        return self.curve.gather(outcomes)


def _risk_measure(name: str, label: str, *rises: str) -> Measure:
    """Return the measure of a candidate's excess risk, which falls along the fields ``rises``."""
    index = CANDIDATES.index(name)
    return Measure(label, "lower", lambda fits: fits.risk[index], rises=rises)


class TransferExperiment(Experiment[TransferSettings, TransferResult]):
    """Private regression with public sources, which are trusted, pooled or corrected."""

    MEASURES: ClassVar = {
        "transfer": _risk_measure(
            "transfer", "excess risk, sources corrected privately", *_LESS_NOISE, "target_rows"
        ),
        "target": _risk_measure(
            "target", "excess risk, target rows only", *_LESS_NOISE, "target_rows"
        ),
        "source": _risk_measure("source", "excess risk, sources only"),
        "pooled": _risk_measure("pooled", "excess risk, all rows pooled", *_LESS_NOISE),
    }
    PAIRED_BY = (
        "sources",
        "difference",
        "target_rows",
        "dimension",
        "seed",
        "selection",
        "noise",
        "repeats",
    )

    def parts(self) -> dict[str, Part]:
        """Return the parts: first what a moving slider redraws, then the complete curves."""
        settings = self.settings
        plane_model = Plane(model=settings.model, polytope=settings.polytope)
        quick_curve = self._over_migrated(self._quick_repeats, width=self._quick_width)
        return {
            "fits": self._fits(settings.repeats),
            "plane_runs": self._at_epsilon(plane.run_in_plane, plane_model, essential=True),
            "quick_over_migrated": QuickCurve(quick_curve),
            "over_epsilon": self._over_epsilon,
            "over_migrated": self._over_migrated(settings.repeats, width=self._width),
            "baselines": self._at_epsilon(baselines.fit_baselines, settings.model),
            "published": PublishedTable(penalty=settings.loop_penalty, q=settings.penalty_q),
        }

    def order(self, parts: Iterable[Part]) -> Iterable[Task]:
        """Return the tasks of the parts in their order, with essential ones among the others."""
        return [task for part in parts for task in part.tasks]

    def _fits(self, repeats: int) -> Once:
        """Return the task of all candidates at the set epsilon and number of public rows."""
        case = (self.settings.epsilon, self.settings.migrated)
        return Once(tasks.fit_candidates, self.settings.model, (case,), repeats, essential=True)

    def _at_epsilon(
        self, function: Callable[..., Any], model: Any, *, essential: bool = False
    ) -> Once:
        """Return the task of all repeats of a model at the set epsilon."""
        at = (self.settings.epsilon,)
        return Once(function, model, at, self.settings.repeats, essential=essential)

    @property
    def _over_epsilon(self) -> Sweep:
        """Return the curve over epsilon, of all candidates."""
        return Sweep(
            tuple((epsilon, self.settings.migrated) for epsilon in EPSILONS),
            tasks.risks,
            self.settings.model,
            self.settings.repeats,
            arms=(len(CANDIDATES),),
            width=self._width,
        )

    def _over_migrated(self, repeats: int, *, width: int) -> Sweep:
        """Return the curve over the number of public rows, of the candidates that use them.

        width: number of points per task.
        """
        return Sweep(
            self._migrated_cases,
            tasks.public_risks,
            self.settings.model,
            repeats,
            arms=(len(CANDIDATES) - 1,),
            width=width,
        )

    @property
    def _migrated_cases(self) -> Cases:
        """Return the cases of the curve over public rows."""
        return tuple((self.settings.epsilon, migrated) for migrated in MIGRATED)

    @property
    def _cells(self) -> int:
        """Return the (row, coefficient, step) cells of the longest run."""
        return self.settings.target_rows * self.settings.dimension * fw.MOST_STEPS

    @property
    def _width(self) -> int:
        """Return the number of points per task of the curves with all repeats."""
        return max(1, int(_CELLS_PER_TASK / (self.settings.repeats * self._cells)))

    @property
    def _quick_repeats(self) -> int:
        """Return the repeats with which half a task draws the curve over public rows."""
        affordable = int(
            np.clip(_CELLS_PER_TASK / (2 * len(MIGRATED) * self._cells), *_QUICK_REPEATS)
        )
        return min(self.settings.repeats, affordable)

    @property
    def _quick_width(self) -> int:
        """Return the number of points per task of the curve that half a task draws."""
        if self.settings.dimension > _MOST_IN_ONE_TASK:
            return 1
        return len(MIGRATED)

    def result(self, values: Mapping[str, Any]) -> TransferResult:
        fits = values["fits"]
        over_migrated = values["over_migrated"]
        if not over_migrated.complete:
            over_migrated = values["quick_over_migrated"]
        return TransferResult(
            settings=self.settings,
            fits=fits,
            plane_runs=values["plane_runs"],
            over_epsilon=Grid(EPSILONS, values["over_epsilon"].runs),
            over_migrated=_with_target(over_migrated.runs, fits),
            baselines=values["baselines"],
            published=values["published"],
        )

    # Samples

    def sample(self, count: int) -> tuple[Runs, ...]:
        """Return the task of repeats 0 to ``count`` - 1, which are trained together."""
        return self._fits(count).tasks

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return the measures, along the fields that certainly improve them.

        With less noise a penalty moves the weights further, and a detection is stricter, also with
        sources that would have helped.
        """
        measures = dict(self.MEASURES)
        uncertain: tuple[str, ...] = ()
        if self.settings.penalty > 0:
            uncertain = CANDIDATES
        elif self.settings.selection == "detected":
            uncertain = ("transfer",)
        for name in uncertain:
            measures[name] = measures[name]._replace(rises=())
        return measures

    def pairs_with(self, other: Experiment) -> bool:
        """Return whether repeat r of both has the same rows and the same noise of scale 1.

        A detection may keep sources in one repeat and none in another, whose noise then differs.
        """
        if self == other:
            return True
        if not super().pairs_with(other):
            return False
        if self.settings.selection == "detected":
            return False
        return _noise_conditions(self.settings) == _noise_conditions(other.settings)


def _noise_conditions(settings: TransferSettings) -> tuple[bool, bool]:
    """Return whether any source is transferable, and whether the centre of the ball is a vertex.

    A transfer without a source has the noise of the target, and a vertex more has a draw more in
    each step.
    """
    has_source = bool(settings.data.problem.transferable(settings.q, settings.h).any())
    centre_is_vertex = settings.penalty > 0 and settings.penalty_q == "1"
    return has_source, centre_is_vertex


def _with_target(runs: np.ndarray, fits: CandidateFits) -> Grid:
    """Return the curve over public rows of all candidates.

    The target uses no public row, so that its risk now is its risk everywhere.

    runs: of the other candidates, (3, P, R') for P numbers of public rows.
    """
    _, points, repeats = runs.shape
    target = np.broadcast_to(fits.risk[0, :repeats], (1, points, repeats))
    return Grid(MIGRATED, np.concatenate([target, runs]))
