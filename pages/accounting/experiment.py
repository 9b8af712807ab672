"""One run of noisy descent, and what it costs by each theorem: the noise is the same, the proof is
not.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

from dpcore.cache import CACHE
from dpcore.privacy import LAWS, Adjacency, Composed
from lab.experiment.accounting_tasks import NoiseFor, Price, StepsWithin
from lab.experiment.computing_settings import ComputingSettings
from lab.experiment.settings import Task
from pages.accounting.result import (
    EXACT_NOISES,
    EXACT_STEPS,
    NOISES,
    ROWS,
    STEPS,
    TRIES,
    WAYS,
    AccountingResult,
)
from pages.accounting.settings import AccountingParameters
from pages.accounting.tasks import best_of

# The accountants of which a whole curve costs milliseconds, and those of them that invert as
# quickly.
_AT_ONCE, _QUICK = ROWS[:-1], ("naive", "strong", "moments")
# One slice of work, some 30 ms, in points of the exact curve over steps, and of two curves over
# noise.
_STEPS, _EXACT_WIDTH, _RENYI_WIDTH = (slice(0, 6), slice(6, 8), slice(8, 9)), 3, 7


@dataclass(frozen=True, kw_only=True)
class Searches:
    """Epsilon (N,) of the best alone of each of ``TRIES`` runs in the mean, by the law of their
    number.
    """

    run_of: Composed
    law: str
    delta: float
    essential: bool = False
    shape: ClassVar = (len(TRIES),)

    def run(self) -> np.ndarray:
        return np.array(
            [best_of(self.run_of, self.law, tries, delta=self.delta).epsilon for tries in TRIES]
        )


@dataclass(frozen=True, kw_only=True)
class Bill:
    """What a run costs, ``run_of``, what so many ``people`` and all ``tries`` cost: each computed
    once it is read.
    """

    run_of: Price
    tries: Price
    people: int
    essential: bool = False

    def run(self) -> Self:
        return self

    @property
    def epsilon(self) -> float:
        """Return the epsilon of the run."""
        return _epsilon(self.run_of)

    @property
    def group(self) -> float:
        """Return the epsilon of a group of people, at another delta (``for_group``)."""
        return self.people * self.epsilon

    @property
    def tuned(self) -> float:
        """Return the epsilon of all tries together."""
        return _epsilon(self.tries)


def _epsilon(task: Price) -> float:
    return float(np.ravel(CACHE.answer(task, task.run))[0])


@dataclass(frozen=True, kw_only=True)
class AccountingSettings(AccountingParameters, ComputingSettings):
    """The settings of the accounting page, with the work that they ask for."""

    def schedule(self) -> Iterable[Task]:
        """Return the quick accountants, then the loss distribution, coarse before fine, then the
        searches.
        """
        return chain.from_iterable(self.work.values())

    @cached_property
    def work(self) -> dict[str, tuple[Any, ...]]:
        """Return what is asked -> the tasks that answer it, most urgent first."""
        exact, now = self.exact_accountant, (self.steps,)
        return {
            **{
                name: (self._price(name, (*STEPS, self.steps), essential=True),)
                for name in _AT_ONCE
            },
            "unsampled": (self._price("gdp", now, essential=True, sampling_rate=1.0),),
            **{
                f"noises {name}": (self._price(name, now, NOISES, essential=True),)
                for name in _AT_ONCE[:-1]
            },
            "today": (self._price(exact, now),),
            "pld": tuple(self._price(exact, EXACT_STEPS[part]) for part in _STEPS),
            **{
                f"most {name}": (self._within(StepsWithin, name, essential=True),)
                for name in (*_QUICK, "renyi")
            },
            **{f"least {name}": (self._within(NoiseFor, name, essential=True),) for name in _QUICK},
            "noises renyi": self._over_noise("renyi", NOISES, _RENYI_WIDTH),
            "tuned": (self._price(self.tuning_accountant, (self.tuned_steps,)),),
            **{
                f"searches {law}": (self.part(Searches, run_of=self.whole, law=law),)
                for law in WAYS
                if law in LAWS
            },
            "replaced": (
                self._price(
                    exact, now, (self.noise_multiplier / 2,), adjacency=Adjacency.REPLACE_ONE
                ),
            ),
            "noises pld": self._over_noise(exact, EXACT_NOISES, _EXACT_WIDTH),
            "least renyi": (self._within(NoiseFor, "renyi"),),
            "most pld": (self._within(StepsWithin, exact),),
            "least pld": (self._within(NoiseFor, exact),),
            "fine": (self._price("gdp" if self.sampling_rate == 1 else "pld", now),),
        }

    def _price(
        self, accountant: str, steps: tuple[int, ...], noises: tuple[float, ...] = (), **more: Any
    ) -> Price:
        """Return the task of what ``steps`` cost with this noise, or with each of ``noises``."""
        noises = noises or (self.noise_multiplier,)
        return self.part(
            Price, accountant=accountant, steps=steps, noise_multipliers=noises, **more
        )

    def _over_noise(
        self, accountant: str, noises: tuple[float, ...], width: int
    ) -> tuple[Price, ...]:
        parts = [noises[first : first + width] for first in range(0, len(noises), width)]
        return tuple(self._price(accountant, (self.steps,), part) for part in parts)

    def _within(
        self, kind: type[NoiseFor] | type[StepsWithin], accountant: str, **more: Any
    ) -> Task:
        """Return the search for the noise, or the steps, within the target."""
        return self.part(kind, accountant=accountant, epsilon=self.target_epsilon, **more)

    def probe(self) -> Bill:
        (fine,), (tuned,) = self.work["fine"], self.work["tuned"]
        return Bill(run_of=fine, tries=tuned, people=self.people)

    def result(self, outcomes: Mapping[Any, Any]) -> AccountingResult:
        """Assemble what has been done; needs the essential tasks only."""
        found = {}
        for name, group in self.work.items():
            parts = [
                outcomes.get(task, np.full(getattr(task, "shape", ()), math.nan)) for task in group
            ]
            found[name] = np.concatenate([np.ravel(part) for part in parts])
        return AccountingResult(settings=self, found=found)
