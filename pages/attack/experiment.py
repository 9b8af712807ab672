"""What a guarantee is worth against an attacker: two worlds, membership, who pays, and
inversion.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.experiment.computing_settings import ComputingSettings
from lab.experiment.parts import Runs
from lab.experiment.settings import Task
from pages.attack import result as two_worlds_result
from pages.attack import tasks
from pages.attack.fairness import tasks as fairness
from pages.attack.inversion import tasks as inversion
from pages.attack.membership import tasks as membership
from pages.attack.settings import AttackParameters

_PIECES = {
    "worlds": two_worlds_result,
    "membership": membership,
    "pays": fairness,
    "inversion": inversion,
}


@dataclass(frozen=True, kw_only=True)
class AttackSettings(AttackParameters, ComputingSettings):
    def probe(self) -> Runs[tasks.Model, Any]:
        """Return the attack in two worlds, by this recipe, whichever part is looked at."""
        return two_worlds_result.probe(self)

    def schedule(self) -> Iterable[Task]:
        """Return the tasks of the part at hand."""
        return _PIECES[self.part].tasks(self)

    def result(self, outcomes: Mapping[Any, Any]) -> Any:
        return _PIECES[self.part].result(self, outcomes)
