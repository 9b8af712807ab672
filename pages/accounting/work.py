"""What [abadi2016] states in closed form, held against one run: with which constants, and under which conditions."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dpcore.accountants import asymptotic as stated
from dpcore.accountants import gdp, tuning
from dpcore.privacy import Adjacency, Composed, Guarantee
from dpcore.roots import UnsafeError, safe_root
from pages.accounting.parameters import AccountingParameters

# The values of c1 for which c2 is sought, and that of the rows about this run.
FIRST_CONSTANTS, FIRST = (0.01, 0.1, 1.0, 10.0), 1.0
GRID = tuple(stated.Grid(rate=rate) for rate in stated.RATES)
# How far the coarse exact count may lie above the truth.
_COARSE = 1.02


class Statement(NamedTuple):
    """What one statement says of the run.

    epsilon: for its noise. noise: multiplier that the target takes by it. fails: the conditions that are not met.
    true: whether it says no less than the exact count; None where that is not known, or it says nothing.
    """

    name: str
    epsilon: float
    noise: float
    fails: tuple[str, ...] = ()
    true: bool | None = None


def best_of(run: Composed, law: str, tries: int, *, delta: float) -> Guarantee:
    """Return the guarantee of the best of a random number of runs alone, ``tries`` in the mean, by its law."""
    return tuning.price(run, way=law, tries=tries, delta=delta, adjacency=Adjacency.ADD_REMOVE)


@dataclass(frozen=True, kw_only=True)
class Statements:
    """The statements about a ``run``, whose ``exact`` epsilon may still be NaN.

    grid (Q, N, D, T): epsilon of the runs on which constants are sought, NaN where it is still to be computed.
    """

    run: AccountingParameters
    exact: float
    grid: np.ndarray

    @property
    def unit(self) -> float:
        """Return q sqrt(T ln(1/delta))."""
        return float(stated.unit(self.run.sampling_rate, self.run.steps, delta=self.run.delta))

    @property
    def reach(self) -> float:
        """Return q^2 T: Theorem 1 is about epsilons below c1 of these."""
        return self.run.sampling_rate**2 * self.run.steps

    @property
    def log(self) -> float:
        """Return ln(1/delta)."""
        return math.log(1 / self.run.delta)

    def constant(self, epsilon: float) -> float:
        """Return the c2 with which Theorem 1 would say ``epsilon`` of this run: no less makes it true."""
        return self.run.noise_multiplier * epsilon / self.unit

    @property
    def breaks(self) -> float:
        """Return the epsilon above which c2 = 2 promises too much with all rows in every step, for any number of
        steps."""
        return gdp.crossing(stated.PROVED * math.sqrt(self.log), delta=self.run.delta)

    @cached_property
    def constants(self) -> dict[str, np.ndarray]:
        """Return columns, a row per c1: the least c2 on the grid, as printed, and with conditions; NaN until it is
        computed."""
        found = {"c1": np.array(FIRST_CONSTANTS)}
        for name, conditions in (("as printed", False), ("with conditions", True)):
            found[name] = np.array([stated.needed(self.grid, c1, conditions=conditions) for c1 in FIRST_CONSTANTS])
        return found

    @property
    def least(self) -> float:
        """Return the least c2 on the grid for c1 = 1, with conditions."""
        return float(self.constants["with conditions"][FIRST_CONSTANTS.index(FIRST)])

    @cached_property
    def moments(self) -> dict[str, np.ndarray]:
        """Return columns, a row per lambda: the exact log moment of one step, and the main term of its bound."""
        one = self.run.sampling_rate, self.run.noise_multiplier
        return {"lambda": stated.LAMBDAS, "exact": stated.log_moments(*one), "bound": stated.moment_bound(*one)}

    @property
    def last(self) -> int:
        """Return the largest whole lambda for which the bound is stated here; 0 where it is not."""
        return int(stated.last_moment(self.run.sampling_rate, self.run.noise_multiplier))

    def best(self, column: str) -> tuple[float, int]:
        """Return (epsilon, lambda) by the moments of one column: min over lambda of (T alpha(lambda) +
        ln(1/delta))/lambda."""
        return self._best(self.moments[column], self.last if column == "bound" else 32)

    def _best(self, moments: np.ndarray, most: int) -> tuple[float, int]:
        if most < 1:
            return math.nan, 0
        epsilons = ((self.run.steps * moments + self.log) / stated.LAMBDAS)[:most]
        place = int(np.argmin(epsilons))
        return float(epsilons[place]), int(stated.LAMBDAS[place])

    @property
    def below(self) -> int | None:
        """Return the first lambda at which the main term is less than the moment, and so no bound on it."""
        too_small = self.moments["bound"] < self.moments["exact"]
        return int(stated.LAMBDAS[np.argmax(too_small)]) if too_small.any() else None

    def _noise_by_bound(self) -> float:
        """Return the least noise multiplier with which the main term says the target, within the lemma's conditions."""
        rate = self.run.sampling_rate

        def excess(log_noise: float) -> float:
            noise = math.exp(log_noise)
            epsilon, _ = self._best(stated.moment_bound(rate, noise), int(stated.last_moment(rate, noise)))
            return 1e3 if math.isnan(epsilon) else math.log(epsilon / self.run.target_epsilon)

        most = 1 / (16 * rate) * (1 - 1e-9)
        try:
            return math.exp(safe_root(excess, 0.0, math.log(most), 1e-4)) if most > 1 else math.nan
        except UnsafeError:
            return math.nan

    @cached_property
    def rows(self) -> tuple[Statement, ...]:
        """Return what each statement says of this run, and how much noise it asks for."""
        run, (epsilon, _) = self.run, self.best("bound")
        noise, rate = run.noise_multiplier >= stated.LEAST_NOISE, run.sampling_rate < 1 / (16 * run.noise_multiplier)
        strong = self.unit * math.sqrt(math.log(run.steps / run.delta))  # the order under advanced composition
        fails = _failing(noise=noise, rate=rate)
        return (
            self._theorem("proof", stated.PROVED),
            self._theorem("grid", self.least),
            Statement("growth", strong / run.noise_multiplier, strong / run.target_epsilon),
            Statement("bound", epsilon, self._noise_by_bound(), fails, self._holds(epsilon)),
        )

    def _theorem(self, name: str, c2: float) -> Statement:
        epsilon, noise = c2 * self.unit / self.run.noise_multiplier, self.run.noise_multiplier >= stated.LEAST_NOISE
        fails = _failing(range=epsilon < FIRST * self.reach, noise=noise, delta=epsilon <= self.log)
        asked = c2 * self.unit / self.run.target_epsilon
        return Statement(name, epsilon, asked, () if math.isnan(c2) else fails, self._holds(epsilon))

    def _holds(self, epsilon: float) -> bool | None:
        """Return whether ``epsilon`` is enough: the exact count is never too small, and on its coarse grid a little too
        large."""
        if math.isnan(epsilon) or math.isnan(self.exact) or epsilon < self.exact < _COARSE * epsilon:
            return None
        return epsilon >= self.exact

    @cached_property
    def table(self) -> dict[str, list[Any]]:
        """Return columns, a row per statement: ``rows`` as they are saved."""
        columns = {name: [getattr(row, name) for row in self.rows] for name in Statement._fields}
        return columns | {"fails": [", ".join(names) for names in columns["fails"]]}


def _failing(**conditions: bool) -> tuple[str, ...]:
    return tuple(name for name, met in conditions.items() if not met)
