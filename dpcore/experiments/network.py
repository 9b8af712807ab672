"""A network trained by DP-SGD, watched from the first step to the last [abadi2016]."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from dpcore import check, data
from dpcore.experiments import run
from dpcore.experiments.ledger_work import NoiseFor, Price, StepsWithin
from dpcore.experiments.network_result import NetworkResult
from dpcore.experiments.network_training import FRAMES, Job, Rows
from dpcore.networks import ACTIVATIONS, Architecture
from dpcore.sgd import VARIANTS, Recipe

DATA = ("moons", "circles", "spirals", "blobs", "digits")
CLIPPING = MappingProxyType({"flat": "the whole gradient", "layers": "each layer"})
PLANS = MappingProxyType({"epochs": "noise made for the epochs", "noise": "train until the budget is used up"})
# What a person may count by -> the accountant that is quick enough to do it while a slider moves.
ACCOUNTANTS = MappingProxyType({"renyi": "renyi", "moments": "moments", "pld": "pld-coarse"})
ARMS = ("private", "plain")

# Field -> (lowest, highest) value that the settings accept.
LIMITS = MappingProxyType(
    {
        "epsilon": (0.1, 50.0),
        "rows": (200, 5000),
        "layers": (0, 3),
        "width": (2, 64),
        "lot_size": (20, 1000),
        "clip_norm": (0.01, 100.0),
        "noise_multiplier": (0.4, 50.0),
        "epochs": (1, 60),
        "learning_rate": (0.01, 100.0),
        "plain_rate": (0.01, 10.0),
        "decay": (0.01, 1.0),
        "delta": (1e-9, 1e-2),
        "repeats": (2, 48),
        "seed": (0, 9999),
        "shown": (0, FRAMES),
    }
)

# The networks of an ensemble are trained in groups: the first is there soon, the others follow.
_FIRST_GROUP, _GROUP, _PLAIN = 4, 6, 8
# Of the lot sizes that one chart compares.
_LOTS = 9
# The moments accountant's whole orders end at 32: no number of steps, however few, costs less than ln(1/delta)/32.
_MOMENTS_ORDERS = 32


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    rows: private rows n, where the data set leaves them free. layers, width: hidden layers and units in each.
    lot_size: L = q n, the expected size of a lot. clipping: "flat" bounds the whole gradient by C, "layers" each of m
    layers by C / sqrt(m), which has the same sensitivity. plan: "epochs" makes the noise for epsilon over ``epochs``;
    "noise" takes ``noise_multiplier`` and trains until epsilon is used up, at most for ``epochs``. plain_rate: learning
    rate without clipping, where gradients are not shortened. shown: frame of the training that is drawn.
    """

    dataset: str = "moons"
    variant: str = "sound"
    epsilon: float = 3.0
    rows: int = 2000
    layers: int = 2
    width: int = 16
    activation: str = "tanh"
    lot_size: int = 200
    clip_norm: float = 0.5
    clipping: str = "flat"
    plan: str = "epochs"
    noise_multiplier: float = 2.0
    epochs: int = 15
    learning_rate: float = 8.0
    plain_rate: float = 1.0
    decay: float = 0.2
    delta: float = 1e-5
    accountant: str = "renyi"
    repeats: int = 16
    seed: int = 1
    shown: int = FRAMES

    def __post_init__(self) -> None:
        for name, options in _CHOICES.items():
            check.choice(options, **{name: getattr(self, name)})
        for name, (low, high) in self.limits.items():
            validate = check.whole if isinstance(low, int) else check.between
            validate(low, high, **{name: getattr(self, name)})
        least = math.log(1 / self.delta) / _MOMENTS_ORDERS * 1.05
        if self.accountant == "moments" and self.epsilon < least:
            raise check.RefusedError("epsilon", self.epsilon, f"at least {least:.3g} with the moments accountant")
        if self.steps < 1:
            raise check.RefusedError(
                "epsilon", self.epsilon, "enough for one step: more noise or smaller lots allow it"
            )

    def change(self, **changes: Any) -> "NetworkSettings":
        """These settings with ``changes``; what depends on the data set is brought into the new one's range."""
        if "dataset" in changes:
            source = data.DATASETS[check.choice(DATA, dataset=changes["dataset"])]
            rows = self.rows if source.sizable and data.DATASETS[self.dataset].sizable else _free_rows(source)
            changes = {"rows": rows, "lot_size": min(self.lot_size, rows)} | changes
        return replace(self, **changes)

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Field -> (lowest, highest) value, with what the data set and the rows leave of them."""
        source, own = data.DATASETS[self.dataset], dict(LIMITS)
        if not source.sizable:
            own["rows"] = (source.private_rows, source.private_rows)
        low, high = own["lot_size"]
        return own | {"lot_size": (low, min(high, max(self.rows, low)) if isinstance(self.rows, int) else high)}

    @property
    def rate(self) -> float:
        """Chance q of a row to be in a lot."""
        return self.lot_size / self.rows

    @property
    def _longest(self) -> int:
        return max(1, round(self.epochs / self.rate))

    @property
    def _within(self) -> StepsWithin:
        budget = {"sampling_rate": self.rate, "epsilon": self.epsilon, "delta": self.delta}
        quick = ACCOUNTANTS[self.accountant]
        return StepsWithin(accountant=quick, noise_multiplier=self.noise_multiplier, **budget)

    @cached_property
    def steps(self) -> int:
        """How many steps are taken."""
        if self.plan == "epochs":
            return self._longest
        return min(self._longest, int(_done(self._within)))

    @property
    def used_up(self) -> bool:
        """Whether the budget ends the training, and not the number of epochs."""
        return self.plan == "epochs" or self.steps < self._longest

    @cached_property
    def sigma(self) -> float:
        """Noise multiplier of the whole release of a step: noise sd over C."""
        return float(_done(self._noise_for(self.rate))) if self.plan == "epochs" else self.noise_multiplier

    def _noise_for(self, rate: float) -> NoiseFor:
        steps = max(1, round(self.epochs / rate))
        quick = ACCOUNTANTS[self.accountant]
        return NoiseFor(accountant=quick, sampling_rate=rate, steps=steps, epsilon=self.epsilon, delta=self.delta)

    @cached_property
    def architecture(self) -> Architecture:
        source = data.DATASETS[self.dataset]
        hidden = (self.width,) * self.layers
        return Architecture(sizes=(len(source.features), *hidden, len(source.classes)), activation=self.activation)

    @property
    def where(self) -> Rows:
        return Rows(dataset=self.dataset, private_rows=self.rows, seed=self.seed)

    @cached_property
    def recipes(self) -> dict[str, Recipe]:
        """How the networks of an arm, "private" or "plain", are trained."""
        return {arm: self._recipe(arm) for arm in ARMS}

    def _recipe(self, arm: str) -> Recipe:
        architecture, private = self.architecture, arm == "private"
        layers = len(architecture.shapes)
        bounds = (self.clip_norm / math.sqrt(layers),) * layers if self.clipping == "layers" else self.clip_norm
        return Recipe(
            architecture=architecture,
            sampling_rate=self.rate,
            steps=self.steps,
            learning_rate=self.learning_rate if private else self.plain_rate,
            clip_norm=bounds if private else None,
            decay=self.decay,
            variant=self.variant if private else "sound",
        )

    @property
    def layer_sigma(self) -> float:
        """Noise multiplier of each clipped release; m layers together have it over sqrt(m)."""
        return self.sigma * math.sqrt(len(self.recipes["private"].bounds))

    @cached_property
    def jobs(self) -> dict[str, tuple[Job, ...]]:
        """The ensemble of each arm in groups."""
        return {arm: self._jobs(arm) for arm in ARMS}

    def _jobs(self, arm: str) -> tuple[Job, ...]:
        count = self.repeats if arm == "private" else min(self.repeats, _PLAIN)
        ends = [0, *range(min(_FIRST_GROUP, count), count, _GROUP), count]
        recipe, noise = self.recipes[arm], self.layer_sigma if arm == "private" else 0.0
        return tuple(
            Job(rows=self.where, recipe=recipe, noise_multiplier=noise, first=first, last=last)
            for first, last in pairwise(ends)
        )

    @property
    def lots(self) -> tuple[int, ...]:
        """The lot sizes that are compared."""
        low, high = self.limits["lot_size"]
        return tuple(np.unique(np.geomspace(low, high, _LOTS).round().astype(int)).tolist())

    @cached_property
    def work(self) -> dict[str, tuple[Any, ...]]:
        """What is asked -> the tasks that answer it, most urgent first."""
        firsts = {arm: self.jobs[arm][0].stretches(essential=True) for arm in reversed(ARMS)}
        rest = {arm: tuple(one for job in self.jobs[arm][1:] for one in job.stretches(essential=False)) for arm in ARMS}
        return {
            **{f"{arm} first": stretches for arm, stretches in firsts.items()},
            "spent": self._spent(),
            **{f"{arm} rest": stretches for arm, stretches in rest.items()},
            "noise by lot": tuple(self._noise_for(lot / self.rows) for lot in self.lots),
        }

    def _spent(self) -> tuple[Price, ...]:
        """Epsilon at every frame: at once, or where that is slow, in parts."""
        marks = tuple(np.unique(self.marks[self.marks > 0]).tolist())
        width = 8 if self.accountant == "pld" else len(marks)
        one = Price(
            accountant=ACCOUNTANTS[self.accountant],
            sampling_rate=self.rate,
            noise_multipliers=(self.sigma,),
            steps=marks,
            delta=self.delta,
            essential=self.accountant != "pld",
        )
        # the end first: it is what was asked for
        parts = [marks[max(0, end - width) : end] for end in range(len(marks), 0, -width)]
        return tuple(replace(one, steps=part) for part in parts)

    @cached_property
    def marks(self) -> np.ndarray:
        """The step of each frame."""
        return self.jobs["private"][0].marks

    def tasks(self) -> tuple[Any, ...]:
        """Both arms' first networks step by step side by side, then the others."""
        work = dict(self.work)
        first = [work.pop(f"{arm} first") for arm in reversed(ARMS)]
        longest = max(map(len, first))
        side_by_side = [part[place] for place in range(longest) for part in first if place < len(part)]
        spent = work.pop("spent")
        rest = [task for tasks in work.values() for task in tasks]
        return tuple(dict.fromkeys([*side_by_side[:2], *spent, *side_by_side[2:], *rest]))

    def result(self, outcomes: Mapping[Any, Any]) -> NetworkResult:
        """Assemble what has been done; needs the essential tasks only."""
        return NetworkResult(
            settings=self, outcomes={task: outcomes[task] for task in self.tasks() if task in outcomes}
        )

    def run(self) -> NetworkResult:
        """All of it."""
        return run(self)


_CHOICES = {
    "dataset": DATA,
    "variant": VARIANTS,
    "activation": ACTIVATIONS,
    "clipping": CLIPPING,
    "plan": PLANS,
    "accountant": ACCOUNTANTS,
}


@lru_cache(maxsize=4096)
def _done(task: Any) -> Any:
    """The answer of a small question that settings ask again and again."""
    return task.run()


def _free_rows(source: data.Source) -> int:
    return NetworkSettings.__dataclass_fields__["rows"].default if source.sizable else source.private_rows
