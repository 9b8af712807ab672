"""Settings that compute their result themselves: the former base of topics.

Topics that are not yet written as an ``Experiment`` (``lab.experiment.experiment``) use it. This
module goes with the last of them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

from lab.experiment.experiment import Experiment
from lab.experiment.settings import Measure, Settings, Task


@dataclass(frozen=True, kw_only=True)
class ComputingSettings(Settings):
    """Base of settings that are also their experiment.

    A topic writes ``schedule``, ``probe``, ``result`` and, if it has repeats, ``samples`` and
    ``sample``. MEASURES, and COMMON for PAIRED_BY, are those of an ``Experiment``.
    """

    EXPERIMENT: ClassVar = "lab.experiment.computing_settings.SettingsExperiment"
    MEASURES: ClassVar[Any] = MappingProxyType({})
    COMMON: ClassVar[Any] = ()

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return what can be measured with these settings."""
        return self.MEASURES

    @property
    def compared(self) -> str:
        """Return the name of the measure that a comparison uses."""
        return next(iter(self.MEASURES))

    def schedule(self) -> Iterable[Task]:
        """Return all tasks, the most urgent first."""
        raise NotImplementedError

    def probe(self) -> Task:
        """Return the cheapest task of the page that gives one number per repeat."""
        raise NotImplementedError

    def samples(self) -> tuple[Task, ...]:
        """Return the tasks of the repeats that the page shows, the ``probe`` first."""
        return (self.probe(),)

    def sample(self, count: int) -> tuple[Task, ...]:
        """Return the cheapest tasks that give repeats 0 to ``count`` - 1, in their order."""
        return (self.probe(),)

    def draws_as(self, other: Self) -> bool:
        """Return whether noise is common to both, if ``COMMON`` does not decide it."""
        return True

    def pairs_with(self, other: Settings) -> bool:
        """Return whether repeat r has the same rows and, but for its scale, the same noise."""
        if self == other:
            return True
        if not isinstance(other, type(self)) or not self.COMMON:
            return False
        for name in self.COMMON:
            if getattr(self, name) != getattr(other, name):
                return False
        return self.draws_as(other)

    def result(self, outcomes: Mapping[Task, Any]) -> Any:
        """Return the result of the tasks done so far, with all essential ones among them."""
        raise NotImplementedError

    def tasks(self) -> tuple[Task, ...]:
        """Return all tasks, each once, the most urgent first."""
        return self._tasks

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        return tuple(dict.fromkeys(self.schedule()))

    def run(self) -> Any:
        """Run all tasks at once, and return the result."""
        return self.result({task: task.run() for task in self.tasks()})


class SettingsExperiment(Experiment[ComputingSettings, Any]):
    """The experiment of settings that compute their result themselves."""

    @property
    def measures(self) -> Mapping[str, Measure]:
        return self.settings.measures

    @property
    def compared(self) -> str:
        return self.settings.compared

    @property
    def paired_by(self) -> tuple[str, ...]:
        return self.settings.COMMON

    def pairs_with(self, other: Experiment[Any, Any]) -> bool:
        return self.settings.pairs_with(other.settings)

    def tasks(self) -> tuple[Task, ...]:
        return self.settings.tasks()

    def shown_sample(self) -> tuple[Task, ...]:
        return self.settings.samples()

    def sample(self, count: int) -> tuple[Task, ...]:
        return self.settings.sample(count)

    def gather(self, outcomes: Mapping[Any, Any]) -> Any:
        return self.settings.result(outcomes)
