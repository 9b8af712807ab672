"""What the accounting page shows: epsilon by each theorem, over steps and noise, and what changes
it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.accountants import basis, selection, tuning
from dpcore.privacy import (
    LAWS,
    Adjacency,
    Composed,
    Guarantee,
    for_group,
    for_replacement,
    public_count,
)
from lab.experiment import accounting_tasks
from lab.experiment.accounting_tasks import MOST_STEPS, PUBLISHED
from pages.accounting.settings import AccountingParameters
from pages.accounting.tasks import best_of

# The theorems in the order of their proofs' strength; the published figure stands beside them and
# is none.
THEOREMS = ("naive", "strong", "moments", "renyi", "pld")
ROWS = ("naive", "strong", PUBLISHED, "moments", "renyi", "pld")
# Where the curves are computed: the quick accountants', and the privacy loss distribution's.
STEPS = tuple(int(n) for n in np.unique(np.geomspace(1, MOST_STEPS, 46).round()))
EXACT_STEPS: tuple[int, ...] = (1, 5, 25, 120, 500, 2_000, 8_000, 30_000, MOST_STEPS)
NOISES = tuple(float(f"{noise:.4g}") for noise in np.geomspace(0.3, 100, 28))
EXACT_NOISES = tuple(NOISES[place] for place in (0, 2, 4, 6, 8, 11, 14, 18, 22, 27))
# Ways to release what a search has found, and the mean numbers of tries at which their curves are
# computed.
WAYS = tuple(way for way in tuning.WAYS if way != "half")
TRIES = (1, 2, 3, 5, 8, 13, 20, 35, 60, 100)
# The settings that a search is to find: the best tenth of all that it might try.
SHARE = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class AccountingResult:
    """What a page shows. A number is NaN where it is still to be computed.

    found: what was asked -> the numbers, flat, see ``AccountingSettings.work``.
    """

    settings: AccountingParameters
    found: Mapping[str, np.ndarray]

    def epsilon(self, row: str) -> float:
        """Return what the whole run costs by one row of the accounting page."""
        if row != "pld":
            return float(self.found[row][len(STEPS)])
        fine = float(self.found["fine"][0])
        return float(self.found["today"][0]) if math.isnan(fine) else fine

    @property
    def unsampled(self) -> float:
        """Return epsilon of the same noise on the whole data in every step: exact [dong2022,
        Corollary 3.3].
        """
        return float(self.found["unsampled"][0])

    @property
    def one_step(self) -> float:
        """Return what the classical theorems charge for one step."""
        one = self.settings
        return accounting_tasks.one_step(
            one.sampling_rate, one.noise_multiplier, one.steps, delta=one.delta
        )

    def over_steps(self, row: str) -> tuple[np.ndarray, np.ndarray]:
        """Return (steps, epsilon) of a row's curve, as far as it is computed."""
        steps, found = (
            (EXACT_STEPS, self.found["pld"])
            if row == "pld"
            else (STEPS, self.found[row][: len(STEPS)])
        )
        return _drawable([*steps, self.settings.steps], np.append(found, self.epsilon(row)))

    def over_noise(self, row: str) -> tuple[np.ndarray, np.ndarray]:
        """Return (noise multiplier, epsilon) of a row's curve at today's steps, as far as it is
        computed.

        The same whatever today's noise is: so the curve stays as it is drawn while the noise moves.
        """
        return _drawable(EXACT_NOISES if row == "pld" else NOISES, self.found[f"noises {row}"])

    def least_noise(self, row: str) -> float:
        """Return the noise multiplier that the target needs: infinite where none is enough, NaN
        where no theorem.
        """
        return float(self.found[f"least {row}"][0]) if row in THEOREMS else math.nan

    def most_steps(self, row: str) -> float:
        """Return the number of steps that the target allows, up to ``MOST_STEPS``; NaN where there
        is no theorem.
        """
        return float(self.found[f"most {row}"][0]) if row in THEOREMS else math.nan

    def guarantee(self, theorem: str) -> Guarantee | None:
        """Return the whole run's guarantee by one theorem; None while it is being computed."""
        accountant = theorem
        if theorem == "pld":
            rests = self.settings.sampling_rate < 1 and not math.isnan(self.found["fine"][0])
            accountant = "pld" if rests else self.settings.exact_accountant
        return self._held(self.epsilon(theorem), self.settings.whole, accountant=accountant)

    @cached_property
    def held(self) -> Guarantee:
        """Return the best guarantee computed so far."""
        return min(filter(None, map(self.guarantee, THEOREMS)), key=lambda one: one.epsilon)

    def _held(
        self,
        epsilon: float,
        event: Composed,
        *,
        accountant: str,
        adjacency: Adjacency = Adjacency.ADD_REMOVE,
    ) -> Guarantee | None:
        """Return the guarantee of an event that costs ``epsilon``; None where that is NaN."""
        if math.isnan(epsilon):
            return None
        return Guarantee(
            epsilon=epsilon,
            delta=self.settings.delta,
            adjacency=adjacency,
            unit="record",
            basis=basis(
                event, delta=self.settings.delta, adjacency=adjacency, accountant=accountant
            ),
            event=event,
            assumes=public_count(adjacency),
        )

    @property
    def replaced(self) -> Guarantee:
        """Return the same noise under replace-one, where its multiplier is half: the sum may change
        by twice the bound.
        """
        one, epsilon = self.settings, float(self.found["replaced"][0])
        event = Composed(
            event=accounting_tasks.step(one.sampling_rate, one.noise_multiplier / 2),
            count=one.steps,
        )
        own = self._held(
            epsilon, event, accountant=one.exact_accountant, adjacency=Adjacency.REPLACE_ONE
        )
        return self.replaced_in_two if own is None or math.isinf(own.epsilon) else own

    @property
    def replaced_in_two(self) -> Guarantee:
        """Return the same by a removal and an addition: (2 epsilon, (1 + e^epsilon) delta)."""
        return for_replacement(self.held)

    @property
    def tuned(self) -> Guarantee | None:
        """Return the guarantee of all runs that were made before one was chosen, composed."""
        one = self.settings
        if one.settings_tried == 1:
            return self.guarantee("pld")
        event = Composed(event=one.whole.event, count=one.tuned_steps)
        return self._held(float(self.found["tuned"][0]), event, accountant=one.tuning_accountant)

    @cached_property
    def best_alone(self) -> dict[str, Guarantee]:
        """Return the guarantee of releasing only the best of a random number of tries, by
        its law.
        """
        one = self.settings
        return {
            law: best_of(one.whole, law, one.settings_tried, delta=one.delta)
            for law in WAYS
            if law in LAWS
        }

    @cached_property
    def searches(self) -> dict[str, Guarantee | None]:
        """Return the guarantee by way of releasing what the settings tried have brought; None while
        it is computed.
        """
        return {"public": self.guarantee("pld"), **self.best_alone, "all": self.tuned}

    def chance(self, way: str) -> float:
        """Return the probability that the best of the settings tried is among the best tenth of
        all.
        """
        return selection.best_among(
            SHARE, law=way if way in LAWS else None, tries=self.settings.settings_tried
        )

    def over_chance(self, way: str) -> tuple[np.ndarray, np.ndarray]:
        """Return (chance that the best is among the best tenth, epsilon) of a law, or of all tries,
        as far as it is computed.

        All of k runs cost what one of k times the steps costs: so theirs is the exact curve over
        steps, from here on, between its points as that is drawn, straight on log scales.
        """
        if way in LAWS:
            chances = [selection.best_among(SHARE, law=way, tries=tries) for tries in TRIES]
            return _drawable(chances, self.found[f"searches {way}"])
        steps, epsilon = self.over_steps("pld")
        tuned = self.tuned.epsilon if self.tuned else math.nan
        steps, epsilon = _drawable([*steps, self.settings.tuned_steps], np.append(epsilon, tuned))
        if not len(steps):
            return steps, epsilon
        tries = np.unique([*TRIES, self.settings.settings_tried])
        at = np.log(tries * self.settings.steps)
        between = np.exp(
            np.interp(at, np.log(steps), np.log(epsilon), left=math.nan, right=math.nan)
        )
        return _drawable(1 - (1 - SHARE) ** tries, between)

    def effects(self) -> dict[str, Guarantee | None]:
        """Return the guarantee of the same noise when something else changes; None while it is
        being computed.
        """
        held, everywhere = self.guarantee("pld"), self.settings.change(sampling_rate=1.0).whole
        return {
            "run": held,
            "unsampled": self._held(self.unsampled, everywhere, accountant="gdp"),
            "group": for_group(held, people=self.settings.people) if held else None,
            "afterwards": held,
            "tuned": self.tuned,
            "replaced": self.replaced,
        }

    def table(self) -> pd.DataFrame:
        """Return a row per theorem: epsilon of the run, and what the target epsilon allows."""
        steps = np.array([self.most_steps(row) for row in ROWS])
        return pd.DataFrame(
            {
                "accountant": ROWS,
                "epsilon": [self.epsilon(row) for row in ROWS],
                "a bound": [row in THEOREMS for row in ROWS],
                "least noise multiplier": [self.least_noise(row) for row in ROWS],
                "most steps": steps,
                "most epochs": steps * self.settings.sampling_rate,
            }
        )

    def curves(self) -> pd.DataFrame:
        """Return a row per point of the two charts: over, row, at, epsilon."""
        parts = []
        for over, points in (("steps", self.over_steps), ("noise multiplier", self.over_noise)):
            for row in ROWS:
                at, epsilon = points(row)
                parts.append(
                    pd.DataFrame({"over": over, "accountant": row, "at": at, "epsilon": epsilon})
                )
        return pd.concat(parts, ignore_index=True)


def _drawable(
    at: Sequence[float] | np.ndarray, epsilon: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the points in rising order, without what is not computed, infinite, or 0 and so not on
    a log scale.
    """
    places, first = np.unique(np.asarray(at, dtype=float), return_index=True)
    epsilon = epsilon[first]
    good = np.isfinite(epsilon) & (epsilon > 0)
    return places[good], epsilon[good]
