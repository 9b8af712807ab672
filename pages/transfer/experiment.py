"""What the transfer page computes: four candidates, their curve, and runs in the plane.

It follows the slides of [zhang2022], whose table is in ``published``. Transfer is as in [li2022],
and private Frank-Wolfe as in [talwar2015].
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from dpcore.training import frank_wolfe as fw
from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part, Runs, Sweep
from lab.experiment.settings import Measure, Task
from pages.transfer import gradient_descent, plane, tasks
from pages.transfer.model import CANDIDATES, EPSILONS
from pages.transfer.plane import Plane
from pages.transfer.published import PublishedTable
from pages.transfer.result import TransferResult
from pages.transfer.settings import TransferSettings

# Fields that lower the noise and leave everything else as it is.
_LESS_NOISE = ("epsilon", "delta")
# One task computes about this many (model, row, coefficient, step) cells, in some 40 ms.
_CELLS_PER_TASK = 1.5e8


def _risk_measure(name: str, label: str, *rises: str) -> Measure:
    """Return the measure of a candidate's excess risk, which falls along the fields ``rises``."""
    index = CANDIDATES.index(name)
    return Measure(label, "lower", lambda fits: fits.risk[index], rises=rises)


class TransferExperiment(Experiment[TransferSettings, TransferResult]):
    """Private regression with public sources, which are trusted, pooled or corrected."""

    RESULT = TransferResult
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
        """Return the parts, with the names of the fields of ``TransferResult``."""
        settings = self.settings
        plane_model = Plane(model=settings.model, polytope=settings.polytope)
        cells = settings.target_rows * settings.dimension * fw.MOST_STEPS
        over_epsilon = Sweep(
            EPSILONS,
            tasks.risks,
            settings.model,
            settings.repeats,
            arms=(len(CANDIDATES),),
            width=max(1, int(_CELLS_PER_TASK / (settings.repeats * cells))),
        )
        return {
            "fits": self._at_epsilon(tasks.fit_candidates, settings.model, essential=True),
            "plane_runs": self._at_epsilon(plane.run_in_plane, plane_model, essential=True),
            "over_epsilon": over_epsilon,
            "descent": self._at_epsilon(gradient_descent.fit_risks, settings.model),
            "published": PublishedTable(),
        }

    def _at_epsilon(
        self, function: Callable[..., Any], model: Any, *, essential: bool = False
    ) -> Once:
        """Return the task of all repeats of a model at the set epsilon."""
        at = (self.settings.epsilon,)
        return Once(function, model, at, self.settings.repeats, essential=essential)

    def order(self, parts: Iterable[Part]) -> Iterable[Task]:
        """Return the tasks of the parts in their order, with essential ones among the others."""
        return [task for part in parts for task in part.tasks]

    # Samples

    def sample(self, count: int) -> tuple[Runs, ...]:
        """Return the task of repeats 0 to ``count`` - 1, which are trained together."""
        fits = self._at_epsilon(tasks.fit_candidates, self.settings.model)
        return replace(fits, count=count).tasks

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
