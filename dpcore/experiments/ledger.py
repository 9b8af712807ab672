"""One run of noisy descent, and what it costs by each theorem: the noise is the same, the proof is not."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from dpcore import check
from dpcore.experiments import run
from dpcore.experiments.ledger_result import EXACT_NOISES, EXACT_STEPS, NOISES, ROWS, STEPS, LedgerResult
from dpcore.experiments.ledger_work import MOST_COUNTED, MOST_STEPS, NoiseFor, Price, StepsWithin
from dpcore.privacy import Adjacency

# Field -> (lowest, highest) value that the settings accept.
LIMITS = MappingProxyType(
    {
        "sampling_rate": (1e-4, 1.0),
        "noise_multiplier": (0.3, 100.0),
        "steps": (1, MOST_STEPS),
        "delta": (1e-10, 1e-2),
        "target_epsilon": (0.05, 50.0),
        "people": (1, 50),
        "settings_tried": (1, 100),
    }
)
_AT_ONCE = ROWS[:-1]  # of these a whole curve costs milliseconds
# What may be done with the released weights afterwards, none of which can cost anything.
AFTERWARDS = ("nothing", "average", "round", "predict")

# How much of that is one slice of work: some 30 ms.
_SLICES = {"steps": (slice(0, 6), slice(6, 8), slice(8, 9)), "noises": 3, "renyi": 7}


@dataclass(frozen=True, kw_only=True)
class LedgerSettings:
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    sampling_rate q, noise_multiplier sigma (standard deviation over the clipping bound), steps T, delta: the run.
    target_epsilon: the budget to which noise and steps are inverted. people: the size of a group that wants the promise
    together. settings_tried: how many such runs were made before one was chosen. afterwards: what is then done with the
    released weights.
    """

    sampling_rate: float = 0.01
    noise_multiplier: float = 4.0
    steps: int = 10_000
    delta: float = 1e-5
    target_epsilon: float = 1.0
    people: int = 3
    settings_tried: int = 10
    afterwards: str = "average"

    def __post_init__(self) -> None:
        check.choice(AFTERWARDS, afterwards=self.afterwards)
        for name, (low, high) in self.limits.items():
            validate = check.whole if isinstance(low, int) else check.between
            validate(low, high, **{name: getattr(self, name)})

    def change(self, **changes: Any) -> "LedgerSettings":
        """These settings with ``changes``."""
        return replace(self, **changes)

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Field -> (lowest, highest) value."""
        return dict(LIMITS)

    @property
    def tuned_steps(self) -> int:
        """The steps of all runs that were made."""
        return self.steps * self.settings_tried

    @property
    def tuning_accountant(self) -> str:
        """By which the tuning is counted: beyond ``MOST_COUNTED`` steps the distribution would take too long."""
        too_long = self.exact_accountant != "gdp" and self.tuned_steps > MOST_COUNTED
        return "renyi" if too_long else self.exact_accountant

    @property
    def exact_accountant(self) -> str:
        """The tight one, as it answers while a slider moves."""
        return "gdp" if self.sampling_rate == 1 else "pld-coarse"

    def tasks(self) -> tuple[Any, ...]:
        """The quick accountants first, then the loss distribution, coarse before fine, then the searches."""
        return tuple(dict.fromkeys(task for group in self._work().values() for task in group))

    def _work(self) -> dict[str, tuple[Any, ...]]:
        """What is asked -> the tasks that answer it, most urgent first."""
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
            "replaced": (replace(self._price(exact, half, (self.steps,)), adjacency=Adjacency.REPLACE_ONE),),
            "noises pld": self._sliced(exact, EXACT_NOISES, _SLICES["noises"]),
            "least renyi": (NoiseFor(accountant="renyi", steps=self.steps, **budget),),
            "most pld": (self._within(exact),),
            "least pld": (NoiseFor(accountant=exact, steps=self.steps, **budget),),
            "fine": (self._price("gdp" if whole else "pld", sigma, (self.steps,)),),
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

    def result(self, outcomes: Mapping[Any, Any]) -> LedgerResult:
        """Assemble what has been done; needs the essential tasks only."""
        found = {}
        for name, group in self._work().items():
            parts = [outcomes.get(task, np.full(getattr(task, "shape", ()), math.nan)) for task in group]
            found[name] = np.concatenate([np.ravel(part) for part in parts])
        return LedgerResult(settings=self, found=found)

    def run(self) -> LedgerResult:
        """All of it."""
        return run(self)
