"""What the accounting page shows: epsilon by each theorem, over steps and noise, and what changes it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpcore.accountants import BASES, prices, selection, tuning
from dpcore.accountants.prices import MOST_STEPS, PUBLISHED
from dpcore.privacy import LAWS, Adjacency, Composed, Guarantee, for_group, for_replacement
from lab.settings import Settings
from pages.accounting.work import GRID, Statements

# The theorems in the order of their proofs' strength; the published figure stands beside them and is none.
THEOREMS = ("naive", "strong", "moments", "renyi", "pld")
ROWS = ("naive", "strong", PUBLISHED, "moments", "renyi", "pld")
# Where the curves are computed: the quick accountants', and the privacy loss distribution's.
STEPS = tuple(int(n) for n in np.unique(np.geomspace(1, MOST_STEPS, 46).round()))
EXACT_STEPS = (1, 5, 25, 120, 500, 2_000, 8_000, 30_000, MOST_STEPS)
NOISES = tuple(float(f"{noise:.4g}") for noise in np.geomspace(0.3, 100, 28))
EXACT_NOISES = tuple(NOISES[place] for place in (0, 2, 4, 6, 8, 11, 14, 18, 22, 27))
# What may be done with the released weights afterwards, none of which can cost anything.
AFTERWARDS = ("nothing", "average", "round", "predict")
# Ways to release what a search has found, and the mean numbers of tries at which their curves are computed.
WAYS = tuple(way for way in tuning.WAYS if way != "half")
TRIES = (1, 2, 3, 5, 8, 13, 20, 35, 60, 100)
# The settings that a search is to find: the best tenth of all that it might try.
SHARE = 0.1


class Effect(NamedTuple):
    """Something that changes the bill, or does not: the guarantee then, or None while it is being computed."""

    name: str
    guarantee: Guarantee | None


@dataclass(frozen=True, kw_only=True, eq=False)
class AccountingResult:
    """What a page shows. A number is NaN where it is still to be computed.

    found: what was asked -> the numbers, flat, see ``AccountingSettings.work``.
    """

    settings: Settings
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
        """Return the probability that the best of the settings tried is among the best tenth of all."""
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
