"""Private linear regression: noise on the quadratic, on its statistics, on the answer, or on each
step.

The first mechanism follows the report [jiang2018, Section 4] exactly; the others are what is known
to be sound and sharp. All of them look at sufficient statistics alone, so that 300,000 rows cost no
more than 300.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.estimators.linear import REGRESSIONS
from lab.experiment import chunking
from lab.experiment.computing_settings import ComputingSettings
from lab.experiment.parts import Runs
from lab.experiment.settings import Task
from pages.regression import tasks
from pages.regression.result import RegressionResult
from pages.regression.settings import SPLITTERS, RegressionParameters


@dataclass(frozen=True, kw_only=True)
class RegressionSettings(RegressionParameters, ComputingSettings):
    """The experiment with these settings: its work, and what comes of it."""

    def focus(self, name: str) -> Runs[tasks.Method, tasks.FocusOutcome]:
        chosen = name == self.mechanism
        return Runs(
            work=tasks.focus,
            model=self.method(name),
            at=(self.left,),
            count=self.repeats,
            essential=chosen,
        )

    def curve(self, name: str) -> Runs[tasks.Method, tasks.CurveOutcome]:
        at = tuple(epsilon - self.spent for epsilon in self.epsilons)
        return Runs(work=tasks.over_epsilon, model=self.method(name), at=at, count=self.repeats)

    def over_share(self, name: str) -> Runs[tuple[tasks.Method, ...], np.ndarray]:
        methods = tuple(self.method(name, share=share) for share in tasks.SHARES)
        return Runs(
            work=tasks.over_share,
            model=methods,
            at=(self.left,),
            count=min(self.repeats, tasks.SHARE_REPEATS),
        )

    def probe(self) -> Runs[tasks.Method, tasks.FocusOutcome]:
        return self.focus(self.mechanism)

    def sample(self, count: int) -> tuple[Runs[tasks.Method, tasks.Errors], ...]:
        method, at = self.method(self.mechanism), (self.left,)
        return tuple(
            Runs(
                work=tasks.errors,
                model=method,
                at=at,
                first=part.start,
                count=len(part),
                given=given,
            )
            for part, given in chunking.sample([range(self.repeats)], count, each=1.0)
        )

    def schedule(self) -> Iterable[Task]:
        """The chosen mechanism at today's epsilon first, then the curves, the others at this
        epsilon, and the split.
        """
        others = [name for name in REGRESSIONS if name != self.mechanism]
        return (
            self.focus(self.mechanism),
            *(self.curve(name) for name in (self.mechanism, *others)),
            *(self.focus(name) for name in others),
            *(self.over_share(name) for name in SPLITTERS),
        )

    def result(self, outcomes: Mapping[Any, Any]) -> RegressionResult:
        def done(names: Iterable[str], task: Callable[[str], Task]) -> dict[str, Any]:
            return {name: outcomes[one] for name in names if (one := task(name)) in outcomes}

        return RegressionResult(
            settings=self,
            problem=self.problem,
            at_now=done(REGRESSIONS, self.focus),
            curves=done(REGRESSIONS, self.curve),
            splits=done(SPLITTERS, self.over_share),
        )
