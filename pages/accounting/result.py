"""Result of the accounting page: epsilon by each theorem, its inverses, and what changes it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.accountants import basis, selection
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
from pages.accounting.search_costs import TRIES, best_of
from pages.accounting.settings import AccountingSettings

# The theorems, from the loosest to the tightest.
THEOREMS = ("basic", "advanced", "moments", "renyi", "pld")
# The rows of the table: the theorems, and the published figure, which is no bound.
ROWS = ("basic", "advanced", PUBLISHED, "moments", "renyi", "pld")
# Numbers of steps at which the curves are computed, and at which the loss distribution's is.
STEPS = tuple(int(n) for n in np.unique(np.geomspace(1, MOST_STEPS, 46).round()))
EXACT_STEPS: tuple[int, ...] = (1, 5, 25, 120, 500, 2_000, 8_000, 30_000, MOST_STEPS)
# Laws of the number of tries of a search that releases its best try only. "half" lies between
# "logarithmic" and "geometric", and is not shown.
SEARCH_LAWS = tuple(law for law in LAWS if law != "half")
# Share of all configurations that count as good.
GOOD_SHARE = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class AccountingResult:
    """Numbers computed so far.

    values: the numbers of each part of ``AccountingExperiment``, flat, NaN until computed. With a
        row R of the table and a law L of the number of tries, the parts are
        "R": epsilon over ``STEPS`` and, last, that of this run; "pld" has ``EXACT_STEPS`` alone,
        "this run" and "this run, fine grid": the exact epsilon of this run, twice,
        "most steps R" and "least noise R": what the target allows, for the two tightest rows,
        "unsampled" and "replaced": epsilon with all rows in each step, and under replace-one,
        "all settings tried": epsilon of all runs together,
        "search L": epsilon of a search that releases its best try only, over ``TRIES``.
    """

    settings: AccountingSettings
    values: Mapping[str, np.ndarray]

    def _number(self, name: str) -> float:
        """Return the first number of a part, which is the only one of most parts."""
        return float(self.values[name][0])

    # The cost of this run

    def epsilon(self, row: str) -> float:
        """Return the cost of this run by a row of the table, NaN until it is computed."""
        if row != "pld":
            return float(self.values[row][len(STEPS)])
        fine = self._number("this run, fine grid")
        if math.isnan(fine):
            return self._number("this run")
        return fine

    @property
    def one_step(self) -> float:
        """Return the cost of one step by the classical theorems."""
        settings = self.settings
        return accounting_tasks.one_step(
            settings.sampling_rate,
            settings.noise_multiplier,
            settings.steps,
            delta=settings.delta,
        )

    @property
    def least_noise(self) -> float:
        """Return the noise multiplier that the target needs, infinite if none is enough."""
        return self._by_tightest("least noise")

    @property
    def most_steps(self) -> float:
        """Return the number of steps that the target allows, up to ``MOST_STEPS``."""
        return self._by_tightest("most steps")

    def _by_tightest(self, search: str) -> float:
        """Return what the tightest row that has been searched allows, NaN until then."""
        exact = self._number(f"{search} pld")
        if math.isnan(exact):
            return self._number(f"{search} renyi")
        return exact

    def guarantee(self, theorem: str) -> Guarantee | None:
        """Return the guarantee of this run by a theorem, or None until it is computed."""
        accountant = theorem
        if theorem == "pld":
            accountant = self.settings.exact_accountant
            is_fine = not math.isnan(self._number("this run, fine grid"))
            if self.settings.sampling_rate < 1 and is_fine:
                accountant = "pld"
        return self._guarantee(
            self.epsilon(theorem), self.settings.run_event, accountant=accountant
        )

    @cached_property
    def best_guarantee(self) -> Guarantee:
        """Return the guarantee of this run with the least epsilon computed so far."""
        guarantees = []
        for theorem in THEOREMS:
            guarantee = self.guarantee(theorem)
            if guarantee is not None:
                guarantees.append(guarantee)
        return min(guarantees, key=lambda guarantee: guarantee.epsilon)

    def _guarantee(
        self,
        epsilon: float,
        event: Composed,
        *,
        accountant: str,
        adjacency: Adjacency = Adjacency.ADD_REMOVE,
    ) -> Guarantee | None:
        """Return the guarantee of an event that costs ``epsilon``, or None if that is NaN."""
        if math.isnan(epsilon):
            return None
        delta = self.settings.delta
        return Guarantee(
            epsilon=epsilon,
            delta=delta,
            adjacency=adjacency,
            unit="record",
            basis=basis(event, delta=delta, adjacency=adjacency, accountant=accountant),
            event=event,
            assumes=public_count(adjacency),
        )

    # Curves

    def over_steps(self, row: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of steps (m,) and epsilons (m,) of a curve, as far as computed."""
        if row == "pld":
            steps = EXACT_STEPS
            epsilons = self.values["pld"]
        else:
            steps = STEPS
            epsilons = self.values[row][: len(STEPS)]
        return _drawable([*steps, self.settings.steps], np.append(epsilons, self.epsilon(row)))

    def over_chance(self, way: str) -> tuple[np.ndarray, np.ndarray]:
        """Return probabilities (m,) of a good configuration, and epsilons (m,), of a search.

        All of k runs cost as much as one run of k times the steps. Their curve is therefore the
        exact curve over steps from this run on, interpolated linearly on log scales.

        way: a law of the number of tries, or "all" for releasing all tries.
        """
        if way in LAWS:
            chances = [selection.best_among(GOOD_SHARE, law=way, tries=tries) for tries in TRIES]
            return _drawable(chances, self.values[f"search {way}"])
        tuned_epsilon = math.nan
        if self.tuned is not None:
            tuned_epsilon = self.tuned.epsilon
        steps, epsilons = self.over_steps("pld")
        steps, epsilons = _drawable(
            [*steps, self.settings.tuned_steps], np.append(epsilons, tuned_epsilon)
        )
        if len(steps) == 0:
            return steps, epsilons
        tries = np.unique([*TRIES, self.settings.settings_tried])
        log_epsilons = np.interp(
            np.log(tries * self.settings.steps),
            np.log(steps),
            np.log(epsilons),
            left=math.nan,
            right=math.nan,
        )
        return _drawable(1 - (1 - GOOD_SHARE) ** tries, np.exp(log_epsilons))

    # What changes the cost

    @property
    def unsampled(self) -> float:
        """Return epsilon with all rows in every step, exact [dong2022, Corollary 3.3]."""
        return self._number("unsampled")

    @property
    def replaced(self) -> Guarantee:
        """Return the guarantee of the same noise under replace-one adjacency.

        The sum may change by twice the clipping norm, so the noise multiplier is half.
        """
        settings = self.settings
        step = accounting_tasks.step(settings.sampling_rate, settings.noise_multiplier / 2)
        direct = self._guarantee(
            self._number("replaced"),
            Composed(event=step, count=settings.steps),
            accountant=settings.exact_accountant,
            adjacency=Adjacency.REPLACE_ONE,
        )
        if direct is None or math.isinf(direct.epsilon):
            # A removal and an addition cost (2 epsilon, (1 + e^epsilon) delta).
            return for_replacement(self.best_guarantee)
        return direct

    @property
    def tuned(self) -> Guarantee | None:
        """Return the guarantee of all runs together, or None until it is computed."""
        settings = self.settings
        if settings.settings_tried == 1:
            return self.guarantee("pld")
        event = Composed(event=settings.run_event.event, count=settings.tuned_steps)
        epsilon = self._number("all settings tried")
        return self._guarantee(epsilon, event, accountant=settings.tuning_accountant)

    @cached_property
    def best_alone(self) -> dict[str, Guarantee]:
        """Return, for each law, the guarantee of releasing the best of a random number of tries."""
        settings = self.settings
        guarantees = {}
        for law in SEARCH_LAWS:
            guarantees[law] = best_of(
                settings.run_event, law, settings.settings_tried, delta=settings.delta
            )
        return guarantees

    @cached_property
    def searches(self) -> dict[str, Guarantee | None]:
        """Return the guarantee of each way to release a search, or None until it is computed."""
        return {"public": self.guarantee("pld"), **self.best_alone, "all": self.tuned}

    def chance(self, way: str) -> float:
        """Return the probability that the best of the settings tried is a good configuration."""
        law = None
        if way in LAWS:
            law = way
        return selection.best_among(GOOD_SHARE, law=law, tries=self.settings.settings_tried)

    def effects(self) -> dict[str, Guarantee | None]:
        """Return the guarantee of the same noise if something else changes, or None until then."""
        run = self.guarantee("pld")
        unsampled_event = self.settings.change(sampling_rate=1.0).run_event
        group = None
        if run is not None:
            group = for_group(run, people=self.settings.people)
        return {
            "run": run,
            "unsampled": self._guarantee(self.unsampled, unsampled_event, accountant="gdp"),
            "group": group,
            "processing": run,
            "tuned": self.tuned,
            "replaced": self.replaced,
        }

    # Tables

    def table(self) -> pd.DataFrame:
        """Return a table with a row per accountant: the epsilon of this run."""
        return pd.DataFrame(
            {
                "accountant": ROWS,
                "epsilon": [self.epsilon(row) for row in ROWS],
                "a bound": [row in THEOREMS for row in ROWS],
            }
        )

    def curves(self) -> pd.DataFrame:
        """Return a table with a row per point of the chart: accountant, steps, epsilon."""
        frames = []
        for row in ROWS:
            steps, epsilons = self.over_steps(row)
            columns = {"accountant": row, "steps": steps, "epsilon": epsilons}
            frames.append(pd.DataFrame(columns))
        return pd.concat(frames, ignore_index=True)


def _drawable(
    at: Sequence[float] | np.ndarray, epsilons: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the points that a log scale can show, in rising order and each value once.

    Points that are not computed, infinite or 0 are left out.
    """
    values, first_index = np.unique(np.asarray(at, dtype=float), return_index=True)
    epsilons = epsilons[first_index]
    is_drawable = np.isfinite(epsilons) & (epsilons > 0)
    return values[is_drawable], epsilons[is_drawable]
