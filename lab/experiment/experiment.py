"""Experiments: what settings compute.

An experiment is made of parts (``lab.experiment.parts``). A part has tasks, and gathers their
outcomes. A page runs the essential tasks, shows a first result, and runs the other tasks in slices
of time. Sweeps, searches and comparisons use the sample, which is made of the repeats of the first
part.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from dpcore.cache import Key
from lab.experiment.parts import Part, Repeats
from lab.experiment.settings import Measure, Settings, Task

S = TypeVar("S", bound=Settings)
R = TypeVar("R")


@dataclass(frozen=True)
class Experiment(Key, Generic[S, R]):
    """Base of the experiments of a topic, with settings of type ``S`` and results of type ``R``.

    RESULT: the class of the result, with the fields ``settings`` and one per part.
    MEASURES: what can be measured of each repeat, by name. A comparison uses the first.
    PAIRED_BY: the fields that decide which rows, and which noise of scale 1, repeat r has; none if
        repeats have no noise.
    """

    settings: S

    RESULT: ClassVar[Any]
    MEASURES: ClassVar[Mapping[str, Measure]] = MappingProxyType({})
    PAIRED_BY: ClassVar[tuple[str, ...]] = ()

    def parts(self) -> Mapping[str, Part]:
        """Return the parts by name. The first one has the repeats of which samples are made."""
        raise NotImplementedError

    def result(self, values: Mapping[str, Any]) -> R:
        """Return the result, from the values that the parts gather."""
        return self.RESULT(settings=self.settings, **values)

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return what can be measured with these settings."""
        return self.MEASURES

    @property
    def compared(self) -> str:
        """Return the name of the measure that a comparison uses, or "" if nothing is measured."""
        return next(iter(self.measures), "")

    def pairs_with(self, other: "Experiment[Any, Any]") -> bool:
        """Return whether repeat r has the same rows and, but for its scale, the same noise."""
        if self == other:
            return True
        if type(self) is not type(other) or not self.PAIRED_BY:
            return False
        return all(
            getattr(self.settings, name) == getattr(other.settings, name) for name in self.PAIRED_BY
        )

    def tasks(self) -> tuple[Task, ...]:
        """Return all tasks, each once, the most urgent first."""
        return self._tasks

    def order(self, parts: Iterable[Part]) -> Iterable[Task]:
        """Return the tasks of the parts in their order, but the essential ones first."""
        tasks = [task for part in parts for task in part.tasks]
        return sorted(tasks, key=lambda task: not task.essential)

    def shown_sample(self) -> tuple[Task, ...]:
        """Return the tasks of the repeats that the page shows, in their order."""
        return tuple(self._first_part.tasks)

    def sample(self, count: int) -> tuple[Task, ...]:
        """Return the cheapest tasks that give repeats 0 to ``count`` - 1, in their order.

        ``MEASURES`` read the outcomes of these tasks and of ``shown_sample``, and give the same
        numbers to the last bit. A longer sample begins with a shorter one.
        """
        part = self._first_part
        if isinstance(part, Repeats):
            return part.sample(count)
        return self.shown_sample()

    def gather(self, outcomes: Mapping[Any, Any]) -> R:
        """Return the result of the tasks done so far, with all essential ones among them."""
        values = {name: part.gather(outcomes) for name, part in self._parts.items()}
        return self.result(values)

    def run(self) -> R:
        """Run all tasks at once, and return the result."""
        return self.gather({task: task.run() for task in self.tasks()})

    @cached_property
    def _parts(self) -> Mapping[str, Part]:
        """Return the parts by name, built once."""
        return self.parts()

    @property
    def _first_part(self) -> Part:
        """Return the part whose repeats the page shows, which ``sample`` extends."""
        return next(iter(self._parts.values()))

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        """Return the tasks of all parts, each once, built once."""
        return tuple(dict.fromkeys(self.order(self._parts.values())))
