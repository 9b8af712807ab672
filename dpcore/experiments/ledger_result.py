"""What a run of noisy descent costs, theorem by theorem, as far as it is computed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.accountants import BASES
from dpcore.experiments import ledger_work as work
from dpcore.experiments.ledger_work import MOST_STEPS, PUBLISHED
from dpcore.privacy import Adjacency, Composed, Guarantee, for_group, for_replacement

if TYPE_CHECKING:
    from dpcore.experiments.ledger import LedgerSettings

# The theorems in the order of their proofs' strength; the published figure stands beside them and is none.
THEOREMS = ("naive", "strong", "moments", "renyi", "pld")
ROWS = ("naive", "strong", PUBLISHED, "moments", "renyi", "pld")
# Where the curves are computed: the quick accountants', and the privacy loss distribution's.
STEPS = tuple(int(n) for n in np.unique(np.geomspace(1, MOST_STEPS, 46).round()))
EXACT_STEPS = (1, 5, 25, 120, 500, 2_000, 8_000, 30_000, MOST_STEPS)
NOISES = tuple(float(f"{noise:.4g}") for noise in np.geomspace(0.3, 100, 28))
EXACT_NOISES = tuple(NOISES[place] for place in (0, 2, 4, 6, 8, 11, 14, 18, 22, 27))


@dataclass(frozen=True, kw_only=True)
class Effect:
    """Something that changes the bill, or does not: the guarantee then, or None while it is being computed."""

    name: str
    guarantee: Guarantee | None


@dataclass(frozen=True, kw_only=True, eq=False)
class LedgerResult:
    """What a page shows. A number is NaN where it is still to be computed.

    found: what was asked -> the numbers, flat, see ``LedgerSettings._work``.
    """

    settings: "LedgerSettings"
    found: Mapping[str, np.ndarray]

    def epsilon(self, row: str) -> float:
        """What the whole run costs by one row of the ledger."""
        if row != "pld":
            return float(self.found[row][len(STEPS)])
        fine = float(self.found["fine"][0])
        return float(self.found["today"][0]) if math.isnan(fine) else fine

    @property
    def unsampled(self) -> float:
        """The same noise on the whole data in every step: exact [dong2022, Corollary 3.3]."""
        return float(self.found["unsampled"][0])

    @property
    def one_step(self) -> float:
        """What the classical theorems charge for one step."""
        one = self.settings
        return work.one_step(one.sampling_rate, one.noise_multiplier, one.steps, delta=one.delta)

    def over_steps(self, row: str) -> tuple[np.ndarray, np.ndarray]:
        """(steps, epsilon) of a row's curve, as far as it is computed."""
        steps, found = (EXACT_STEPS, self.found["pld"]) if row == "pld" else (STEPS, self.found[row][: len(STEPS)])
        steps = np.append(steps, self.settings.steps)
        return work.drawable(steps, np.append(found, self.epsilon(row)))

    def over_noise(self, row: str) -> tuple[np.ndarray, np.ndarray]:
        """(noise multiplier, epsilon) of a row's curve at today's steps, as far as it is computed.

        The same whatever today's noise is: so the curve stays as it is drawn while the noise moves.
        """
        return work.drawable(np.array(EXACT_NOISES if row == "pld" else NOISES), self.found[f"noises {row}"])

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

    @property
    def held(self) -> Guarantee:
        """The best guarantee computed so far."""
        return min(filter(None, map(self.guarantee, THEOREMS)), key=lambda one: one.epsilon)

    def _held(self, epsilon, *, accountant, adjacency=Adjacency.ADD_REMOVE, rate=None, noise=1.0, steps=None):
        if math.isnan(epsilon):
            return None
        one = work.step(rate or self.settings.sampling_rate, noise * self.settings.noise_multiplier)
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
        steps, accountant = self.settings.tuned_steps, self.settings.tuning_accountant
        return self._held(float(self.found["tuned"][0]), accountant=accountant, steps=steps)

    def effects(self) -> tuple[Effect, ...]:
        """What the same noise promises, seen from elsewhere."""
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
