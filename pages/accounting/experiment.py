"""One run of noisy descent, and what it costs by each theorem: the noise is the same, the proof is not."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dpcore.accountants import prices, tuning
from dpcore.accountants.prices import MOST_COUNTED, MOST_STEPS, NoiseFor, Price, StepsWithin
from dpcore.cache import CACHE
from dpcore.privacy import Adjacency, Composed
from lab.settings import Measure, Settings, Task
from pages.accounting.result import (
    AFTERWARDS,
    EXACT_NOISES,
    EXACT_STEPS,
    NOISES,
    ROWS,
    STEPS,
    TRIES,
    WAYS,
    AccountingResult,
)
from pages.accounting.work import GRID

_AT_ONCE = ROWS[:-1]  # of these a whole curve costs milliseconds


# How much of that is one slice of work: some 30 ms.
_SLICES = {"steps": (slice(0, 6), slice(6, 8), slice(8, 9)), "noises": 3, "renyi": 7}


@dataclass(frozen=True, kw_only=True)
class Searches:
    """Epsilon (N,) of the best alone of each of ``TRIES`` runs in the mean, by the law of their number."""

    run_of: Composed
    law: str
    delta: float
    essential: bool = False
    shape: ClassVar = (len(TRIES),)

    def run(self) -> np.ndarray:
        promise = {"way": self.law, "delta": self.delta, "adjacency": Adjacency.ADD_REMOVE}
        return np.array([tuning.price(self.run_of, tries=tries, **promise).epsilon for tries in TRIES])


@dataclass(frozen=True, kw_only=True)
class Billed:
    """What a run costs, ``run_of``; and, once anybody asks, for so many ``people``, and all ``tries``."""

    run_of: Price
    tries: Price
    people: int
    essential: bool = False

    def run(self) -> "Bill":
        return Bill(float(np.ravel(CACHE.answer(self.run_of, self.run_of.run))[0]), self)


class Bill(NamedTuple):
    """``epsilon`` of the run."""

    epsilon: float
    billed: Billed

    @property
    def group(self) -> float:
        """Return the guarantee for a group of people, at another delta (``for_group``)."""
        return self.billed.people * self.epsilon

    @property
    def tuned(self) -> float:
        """Return the guarantee of all tries together."""
        task = self.billed.tries
        return float(np.ravel(CACHE.answer(task, task.run))[0])


@dataclass(frozen=True, kw_only=True)
class AccountingSettings(Settings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    sampling_rate: q, the chance of a row to be in a step's sample.
    noise_multiplier: sigma, noise sd over the clipping bound.
    steps: T.
    delta: of the guarantee.
    target_epsilon: the budget to which noise and steps are inverted.
    people: the size of a group that wants the promise together.
    settings_tried: how many such runs were made before one was chosen; of a random number, the mean.
    afterwards: what is then done with the released weights.
    """

    CHOICES: ClassVar = {"afterwards": AFTERWARDS}
    LIMITS: ClassVar = {
        "sampling_rate": (1e-4, 1.0),
        "noise_multiplier": (0.3, 100.0),
        "steps": (1, MOST_STEPS),
        "delta": (1e-10, 1e-2),
        "target_epsilon": (0.05, 50.0),
        "people": (1, 50),
        "settings_tried": (1, 100),
    }
    MEASURES: ClassVar = {
        "epsilon": Measure(
            "epsilon by the tightest accountant",
            "lower",
            lambda bill: np.array([bill.epsilon]),
            rises=("noise_multiplier", "delta"),
            falls=("sampling_rate", "steps"),
        ),
        "group": Measure(
            "group epsilon (all people together, at a larger delta)",
            "lower",
            lambda bill: np.array([bill.group]),
            rises=("noise_multiplier", "delta"),
            falls=("sampling_rate", "steps", "people"),
        ),
        "tuned": Measure(
            "total epsilon (all settings tried)",
            "lower",
            lambda bill: np.array([bill.tuned]),
            rises=("noise_multiplier", "delta"),
            falls=("sampling_rate", "steps", "settings_tried"),
        ),
    }

    sampling_rate: float = 0.01
    noise_multiplier: float = 4.0
    steps: int = 10_000
    delta: float = 1e-5
    target_epsilon: float = 1.0
    people: int = 3
    settings_tried: int = 10
    afterwards: str = "average"

    @property
    def tuned_steps(self) -> int:
        """The steps of all runs that were made."""
        return self.steps * self.settings_tried

    @property
    def whole(self) -> Composed:
        """The run: all of its steps."""
        return Composed(event=prices.step(self.sampling_rate, self.noise_multiplier), count=self.steps)

    @property
    def tuning_accountant(self) -> str:
        """Return by which the tuning is counted: beyond ``MOST_COUNTED`` steps the distribution would take too long."""
        too_long = self.exact_accountant != "gdp" and self.tuned_steps > MOST_COUNTED
        return "renyi" if too_long else self.exact_accountant

    @property
    def tightest(self) -> str:
        """Return the name of the tightest accountant. It is exact with all rows in every step, else an upper bound."""
        return "GDP accountant" if self.sampling_rate == 1 else "PLD accountant"

    @property
    def exact_accountant(self) -> str:
        """The tight one, as it answers while a slider moves."""
        return "gdp" if self.sampling_rate == 1 else "pld-coarse"

    def schedule(self) -> Iterable[Task]:
        """The quick accountants first, then the loss distribution, coarse before fine, then the searches."""
        return (task for group in self.work.values() for task in group)

    @cached_property
    def work(self) -> dict[str, tuple[Any, ...]]:
        """Return what is asked -> the tasks that answer it, most urgent first."""
        sigma, wanted = (self.noise_multiplier,), (*STEPS, self.steps)
        budget = {"sampling_rate": self.sampling_rate, "epsilon": self.target_epsilon, "delta": self.delta}
        quick = ("naive", "strong", "moments")
        exact, whole, half = self.exact_accountant, self.sampling_rate == 1, (self.noise_multiplier / 2,)
        return {
            **{name: (self._price(name, sigma, wanted, essential=True),) for name in _AT_ONCE},
            "unsampled": (replace(self._price("gdp", sigma, (self.steps,), essential=True), sampling_rate=1.0),),
            **{f"noises {n}": (self._price(n, NOISES, (self.steps,), essential=True),) for n in _AT_ONCE[:-1]},
            "today": (self._price(exact, sigma, (self.steps,)),),
            "pld": tuple(self._price(exact, sigma, EXACT_STEPS[part]) for part in _SLICES["steps"]),
            **{f"most {n}": (self._within(n, essential=True),) for n in (*quick, "renyi")},
            **{f"least {n}": (NoiseFor(accountant=n, steps=self.steps, **budget, essential=True),) for n in quick},
            "noises renyi": self._sliced("renyi", NOISES, _SLICES["renyi"]),
            "tuned": (self._price(self.tuning_accountant, sigma, (self.tuned_steps,)),),
            **{f"searches {law}": (Searches(run_of=self.whole, law=law, delta=self.delta),) for law in WAYS[1:-1]},
            "replaced": (replace(self._price(exact, half, (self.steps,)), adjacency=Adjacency.REPLACE_ONE),),
            "noises pld": self._sliced(exact, EXACT_NOISES, _SLICES["noises"]),
            "least renyi": (NoiseFor(accountant="renyi", steps=self.steps, **budget),),
            "most pld": (self._within(exact),),
            "least pld": (NoiseFor(accountant=exact, steps=self.steps, **budget),),
            "fine": (self._price("gdp" if whole else "pld", sigma, (self.steps,)),),
            "grid": GRID,
        }

    def _price(self, accountant, noise_multipliers, steps, *, essential=False) -> Price:
        return Price(
            accountant=accountant,
            sampling_rate=self.sampling_rate,
            noise_multipliers=noise_multipliers,
            steps=steps,
            delta=self.delta,
            essential=essential,
        )

    def _sliced(self, accountant: str, noises: tuple[float, ...], width: int) -> tuple[Price, ...]:
        parts = [noises[first : first + width] for first in range(0, len(noises), width)]
        return tuple(self._price(accountant, part, (self.steps,)) for part in parts)

    def _within(self, accountant: str, *, essential: bool = False) -> StepsWithin:
        return StepsWithin(
            accountant=accountant,
            sampling_rate=self.sampling_rate,
            noise_multiplier=self.noise_multiplier,
            epsilon=self.target_epsilon,
            delta=self.delta,
            essential=essential,
        )

    def probe(self) -> "Billed":
        (fine,), (tuned,) = self.work["fine"], self.work["tuned"]
        return Billed(run_of=fine, tries=tuned, people=self.people)

    def result(self, outcomes: Mapping[Any, Any]) -> "AccountingResult":
        """Assemble what has been done; needs the essential tasks only."""
        found = {}
        for name, group in self.work.items():
            parts = [outcomes.get(task, np.full(getattr(task, "shape", ()), math.nan)) for task in group]
            found[name] = np.concatenate([np.ravel(part) for part in parts])
        return AccountingResult(settings=self, found=found)
