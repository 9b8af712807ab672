"""One run of noisy descent, and what it costs by each theorem: the noise is the same, the proof is not."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from dpcore.accountants import BASES, prices, selection, tuning
from dpcore.accountants.prices import MOST_COUNTED, MOST_STEPS, PUBLISHED, NoiseFor, Price, StepsWithin
from dpcore.cache import CACHE
from dpcore.privacy import LAWS, Adjacency, Composed, Guarantee, for_group, for_replacement
from lab.settings import Measure, Settings, Task
from pages.accounting.work import GRID, Statements

# The theorems in the order of their proofs' strength; the published figure stands beside them and is none.
THEOREMS = ("naive", "strong", "moments", "renyi", "pld")
ROWS = ("naive", "strong", PUBLISHED, "moments", "renyi", "pld")
# Where the curves are computed: the quick accountants', and the privacy loss distribution's.
STEPS = tuple(int(n) for n in np.unique(np.geomspace(1, MOST_STEPS, 46).round()))
EXACT_STEPS = (1, 5, 25, 120, 500, 2_000, 8_000, 30_000, MOST_STEPS)
NOISES = tuple(float(f"{noise:.4g}") for noise in np.geomspace(0.3, 100, 28))
EXACT_NOISES = tuple(NOISES[place] for place in (0, 2, 4, 6, 8, 11, 14, 18, 22, 27))
_AT_ONCE = ROWS[:-1]  # of these a whole curve costs milliseconds
# What may be done with the released weights afterwards, none of which can cost anything.
AFTERWARDS = ("nothing", "average", "round", "predict")

# Ways to release what a search has found, and the mean numbers of tries at which their curves are computed.
WAYS = tuple(way for way in tuning.WAYS if way != "half")
TRIES = (1, 2, 3, 5, 8, 13, 20, 35, 60, 100)
# The settings that a search is to find: the best tenth of all that it might try.
SHARE = 0.1

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


class Effect(NamedTuple):
    """Something that changes the bill, or does not: the guarantee then, or None while it is being computed."""

    name: str
    guarantee: Guarantee | None


@dataclass(frozen=True, kw_only=True, eq=False)
class AccountingResult:
    """What a page shows. A number is NaN where it is still to be computed.

    found: what was asked -> the numbers, flat, see ``AccountingSettings.work``.
    """

    settings: AccountingSettings
    found: Mapping[str, np.ndarray]

    def epsilon(self, row: str) -> float:
        """Return what the whole run costs by one row of the accounting page."""
        if row != "pld":
            return float(self.found[row][len(STEPS)])
        fine = float(self.found["fine"][0])
        return float(self.found["today"][0]) if math.isnan(fine) else fine

    @property
    def unsampled(self) -> float:
        """The same noise on the whole data in every step: exact [dong2022, Corollary 3.3]."""
        return float(self.found["unsampled"][0])

    @property
    def saved(self) -> float:
        """Return how many times as much the same noise would cost without sampling."""
        return self.unsampled / self.held.epsilon if self.held.epsilon > 0 else math.inf

    @property
    def never_sampled(self) -> float:
        """The expected share of rows that are in no sample."""
        return (1 - self.settings.sampling_rate) ** self.settings.steps

    @property
    def moments_floor(self) -> float:
        """Return what delta alone costs by the moments accountant, whose orders end at 32, however much noise there
        is."""
        return math.log(1 / self.settings.delta) / 32

    @property
    def one_step(self) -> float:
        """Return what the classical theorems charge for one step."""
        one = self.settings
        return prices.one_step(one.sampling_rate, one.noise_multiplier, one.steps, delta=one.delta)

    def over_steps(self, row: str) -> tuple[np.ndarray, np.ndarray]:
        """(steps, epsilon) of a row's curve, as far as it is computed."""
        steps, found = (EXACT_STEPS, self.found["pld"]) if row == "pld" else (STEPS, self.found[row][: len(STEPS)])
        steps = np.append(steps, self.settings.steps)
        return _drawable(steps, np.append(found, self.epsilon(row)))

    def over_noise(self, row: str) -> tuple[np.ndarray, np.ndarray]:
        """(noise multiplier, epsilon) of a row's curve at today's steps, as far as it is computed.

        The same whatever today's noise is: so the curve stays as it is drawn while the noise moves.
        """
        return _drawable(np.array(EXACT_NOISES if row == "pld" else NOISES), self.found[f"noises {row}"])

    def least_noise(self, theorem: str) -> float:
        """The noise multiplier that the target needs; infinite where none is enough."""
        return float(self.found[f"least {theorem}"][0])

    def most_steps(self, theorem: str) -> float:
        """The number of steps that the target allows, up to ``MOST_STEPS``."""
        return float(self.found[f"most {theorem}"][0])

    def guarantee(self, theorem: str) -> Guarantee | None:
        """The whole run's guarantee by one theorem; None while it is being computed."""
        if theorem == "pld":
            rests = self.settings.sampling_rate < 1 and not math.isnan(self.found["fine"][0])
            return self._held(self.epsilon("pld"), accountant="pld" if rests else self.settings.exact_accountant)
        return self._held(self.epsilon(theorem), accountant=theorem)

    @cached_property
    def held(self) -> Guarantee:
        """The best guarantee computed so far."""
        return min(filter(None, map(self.guarantee, THEOREMS)), key=lambda one: one.epsilon)

    def _held(self, epsilon, *, accountant, adjacency=Adjacency.ADD_REMOVE, rate=None, noise=1.0, steps=None):
        if math.isnan(epsilon):
            return None
        one = prices.step(rate or self.settings.sampling_rate, noise * self.settings.noise_multiplier)
        event, delta = Composed(event=one, count=steps or self.settings.steps), self.settings.delta
        basis = BASES[accountant]
        return Guarantee(
            epsilon=float(epsilon), delta=delta, adjacency=adjacency, unit="record", basis=basis, event=event
        )

    @property
    def replaced(self) -> Guarantee | None:
        """The same noise under replace-one, where its multiplier is half: the sum may change by twice the bound."""
        accountant, found = self.settings.exact_accountant, float(self.found["replaced"][0])
        own = self._held(found, accountant=accountant, adjacency=Adjacency.REPLACE_ONE, noise=0.5)
        return self.replaced_in_two if own is None or math.isinf(own.epsilon) else own

    @property
    def replaced_in_two(self) -> Guarantee:
        """The same by a removal and an addition: (2 epsilon, (1 + e^epsilon) delta)."""
        return for_replacement(self.held)

    @property
    def tuned(self) -> Guarantee | None:
        """All runs that were made before one was chosen, composed."""
        if self.settings.settings_tried == 1:
            return self.guarantee("pld")
        steps, accountant = self.settings.tuned_steps, self.settings.tuning_accountant
        return self._held(float(self.found["tuned"][0]), accountant=accountant, steps=steps)

    @cached_property
    def searches(self) -> dict[str, Guarantee | None]:
        """Return what is promised by way of releasing what the settings tried have brought; None while it is
        computed."""
        one = self.settings
        promise = {"tries": one.settings_tried, "delta": one.delta, "adjacency": Adjacency.ADD_REMOVE}
        best = {way: tuning.price(one.whole, way=way, **promise) for way in WAYS if way in LAWS}
        return {"public": self.guarantee("pld"), **best, "all": self.tuned}

    def chance(self, way: str) -> float:
        """Return the statement that the best of the settings tried is among the best tenth of all."""
        return selection.best_among(SHARE, law=way if way in LAWS else None, tries=self.settings.settings_tried)

    def over_chance(self, way: str) -> tuple[np.ndarray, np.ndarray]:
        """(chance that the best is among the best tenth, epsilon) of a law, or of all tries, as far as it is computed.

        All of k runs cost what one of k times the steps costs: so theirs is the exact curve over steps, from here on,
        between its points as that is drawn, straight on log scales.
        """
        if way in LAWS:
            chances = [selection.best_among(SHARE, law=way, tries=tries) for tries in TRIES]
            return _drawable(np.array(chances), self.found[f"searches {way}"])
        steps, epsilon = self.over_steps("pld")
        tuned = self.tuned.epsilon if self.tuned else math.nan
        steps, epsilon = _drawable(np.append(steps, self.settings.tuned_steps), np.append(epsilon, tuned))
        if not len(steps):
            return steps, epsilon
        tries = np.unique([*TRIES, self.settings.settings_tried])
        at = np.log(tries * self.settings.steps)
        between = np.exp(np.interp(at, np.log(steps), np.log(epsilon), left=math.nan, right=math.nan))
        return _drawable(1 - (1 - SHARE) ** tries, between)

    def searches_table(self) -> pd.DataFrame:
        """A row a way: what it promises, and what the search finds; the last are those of the number of tries."""
        tries, rows = self.settings.settings_tried, []
        for way, held in self.searches.items():
            law = {"law": way, "tries": tries} if way in LAWS else None
            rows.append(
                {
                    "released": way,
                    "mean number of tries": tries,
                    "epsilon": held.epsilon if held else math.nan,
                    "delta": self.settings.delta,
                    "chance of the best tenth": self.chance(way),
                    "median number of tries": selection.median(**law) if law else tries,
                    "chance of one try": selection.chances(1, **law)[1] if law else float(tries == 1),
                    "basis": held.basis if held else "",
                }
            )
        return pd.DataFrame(rows)

    @cached_property
    def statements(self) -> Statements:
        """Return what is stated in closed form, held against this run."""
        one = self.settings
        return Statements(
            rate=one.sampling_rate,
            noise_multiplier=one.noise_multiplier,
            steps=one.steps,
            delta=one.delta,
            target=one.target_epsilon,
            exact=self.epsilon("pld"),
            grid=self.found["grid"].reshape(len(GRID), *GRID[0].shape),
        )

    def constants(self, row: str) -> tuple[np.ndarray, np.ndarray]:
        """(steps, the c2 with which Theorem 1 would say what a row of the accounting page counts of so many steps)."""
        steps, epsilon = self.over_steps(row)
        return steps, self.statements.constant(epsilon, steps)

    def effects(self) -> tuple[Effect, ...]:
        """Return what the same noise promises, seen from elsewhere."""
        held, settings = self.guarantee("pld"), self.settings
        group = for_group(held, people=settings.people) if held is not None else None
        return (
            Effect(name="run", guarantee=held),
            Effect(name="unsampled", guarantee=self._held(self.unsampled, accountant="gdp", rate=1.0)),
            Effect(name="group", guarantee=group),
            Effect(name="afterwards", guarantee=held),
            Effect(name="tuned", guarantee=self.tuned),
            Effect(name="replaced", guarantee=self.replaced),
        )

    def rows(self) -> list[dict[str, str | float | bool]]:
        """A row a theorem: epsilon of the run, and what the target epsilon allows."""
        rows = []
        for row in ROWS:
            bound = row != PUBLISHED
            steps = self.most_steps(row) if bound else math.nan
            rows.append(
                {
                    "accountant": row,
                    "epsilon": self.epsilon(row),
                    "a bound": bound,
                    "least noise multiplier": self.least_noise(row) if bound else math.nan,
                    "most steps": steps,
                    "most epochs": steps * self.settings.sampling_rate,
                }
            )
        return rows

    def table(self) -> pd.DataFrame:
        """``rows`` as a frame."""
        return pd.DataFrame(self.rows())

    def effects_table(self) -> pd.DataFrame:
        """A row an effect: epsilon, delta, neighbours, unit and basis."""
        fields = ("epsilon", "delta", "adjacency", "unit", "basis")
        done = [one for one in self.effects() if one.guarantee is not None]
        rows = [(one.name, *(getattr(one.guarantee, name) for name in fields)) for one in done]
        return pd.DataFrame(rows, columns=["effect", *fields])

    def curves(self) -> pd.DataFrame:
        """A row a point of the two charts: over, row, at, epsilon."""
        parts = []
        for over, points in (("steps", self.over_steps), ("noise multiplier", self.over_noise)):
            for row in ROWS:
                at, epsilon = points(row)
                parts.append(pd.DataFrame({"over": over, "accountant": row, "at": at, "epsilon": epsilon}))
        return pd.concat(parts, ignore_index=True)


def _drawable(at: np.ndarray, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points in rising order, without what is not computed, infinite, or 0 and so not on a log scale."""
    at, first = np.unique(np.asarray(at, dtype=float), return_index=True)
    epsilon = epsilon[first]
    good = np.isfinite(epsilon) & (epsilon > 0)
    return at[good], epsilon[good]
