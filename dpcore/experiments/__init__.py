"""A module a page: frozen settings that run to a frozen result.

Settings offer ``tasks()``, frozen pieces of work each with ``.run()``, and ``result(outcomes)``, which assembles what
has been done so far: so a page can show a first answer at once and the rest slice by slice. ``settings.run()`` does it
all. Tasks marked ``essential`` must be done before anything can be shown.
"""

from collections.abc import Hashable
from typing import Any, Protocol


class Task(Hashable, Protocol):
    """One piece of work, its own cache key."""

    essential: bool

    def run(self) -> Any: ...


class Experiment(Hashable, Protocol):
    """Settings of an experiment, see the module's docstring."""

    def tasks(self) -> tuple[Task, ...]: ...

    def result(self, outcomes: dict[Task, Any]) -> Any: ...


def run(experiment: Experiment) -> Any:
    """All of the work at once: the result of a script or of a test."""
    return experiment.result({task: task.run() for task in experiment.tasks()})
