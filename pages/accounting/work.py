"""What [abadi2016] states in closed form, held against one run: with which constants, and under which conditions."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dpcore.accountants import asymptotic as stated
from dpcore.accountants import gdp
from dpcore.roots import UnsafeError, safe_root

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


@dataclass(frozen=True, kw_only=True)
class Statements:
    """The statements about a run of ``steps`` steps, whose ``exact`` epsilon may still be NaN.

    grid (Q, N, D, T): epsilon of the runs on which constants are sought, NaN where it is still to be computed.
    """

    rate: float
    noise_multiplier: float
    steps: int
    delta: float
    target: float
    exact: float
    grid: np.ndarray

    @property
    def unit(self) -> float:
        """q sqrt(T ln(1/delta))."""
        return float(stated.unit(self.rate, self.steps, delta=self.delta))

    @property
    def reach(self) -> float:
        """q^2 T: Theorem 1 is about epsilons below c1 of these."""
        return self.rate**2 * self.steps

    @property
    def log(self) -> float:
        """ln(1/delta)."""
        return math.log(1 / self.delta)

    def constant(self, epsilon: float | np.ndarray, steps: int | np.ndarray | None = None) -> float | np.ndarray:
        """The c2 with which Theorem 1 would say ``epsilon`` of so many steps with this noise: no less makes it true."""
        unit = stated.unit(self.rate, self.steps if steps is None else steps, delta=self.delta)
        return self.noise_multiplier * epsilon / unit

    @property
    def breaks(self) -> float:
        """Return the epsilon above which c2 = 2 promises too much with all rows in every step, for any number of
        steps."""
        return gdp.crossing(stated.PROVED * math.sqrt(self.log), delta=self.delta)

    @cached_property
    def constants(self) -> dict[str, np.ndarray]:
        """Columns, a row a c1: the least c2 on the grid, as printed, and with conditions; NaN until it is computed."""
        sought = {"as printed": False, "with conditions": True}
        columns = {
            name: np.array([stated.needed(self.grid, c1, conditions=more) for c1 in FIRST_CONSTANTS])
            for name, more in sought.items()
        }
        return {"c1": np.array(FIRST_CONSTANTS), **columns}

    @property
    def least(self) -> float:
        """The least c2 on the grid for c1 = 1, with conditions."""
        return float(self.constants["with conditions"][FIRST_CONSTANTS.index(FIRST)])

    @cached_property
    def moments(self) -> dict[str, np.ndarray]:
        """Columns, a row a lambda: the exact log moment of one step, and the main term of its bound."""
        exact = stated.log_moments(self.rate, self.noise_multiplier)
        return {"lambda": stated.LAMBDAS, "exact": exact, "bound": self._bound(self.noise_multiplier)}

    def _bound(self, noise_multiplier: float) -> np.ndarray:
        return stated.moment_bound(self.rate, noise_multiplier)

    @property
    def last(self) -> int:
        """The largest whole lambda for which the bound is stated here; 0 where it is not."""
        return int(stated.last_moment(self.rate, self.noise_multiplier))

    def best(self, column: str) -> tuple[float, int]:
        """(epsilon, lambda) by the moments of one column: min over lambda of (T alpha(lambda) + ln(1/delta))/lambda."""
        most = self.last if column == "bound" else 32
        return self._best(self.moments[column], most)

    def _best(self, moments: np.ndarray, most: int) -> tuple[float, int]:
        if most < 1:
            return math.nan, 0
        epsilons = ((self.steps * moments + self.log) / stated.LAMBDAS)[:most]
        place = int(np.argmin(epsilons))
        return float(epsilons[place]), int(stated.LAMBDAS[place])

    @property
    def below(self) -> int | None:
        """The first lambda at which the main term is less than the moment, and so no bound on it."""
        too_small = self.moments["bound"] < self.moments["exact"]
        return int(stated.LAMBDAS[np.argmax(too_small)]) if too_small.any() else None

    def _noise_by_bound(self) -> float:
        """The least noise multiplier with which the main term says the target, within the lemma's conditions."""

        def excess(log_noise: float) -> float:
            noise = math.exp(log_noise)
            epsilon, _ = self._best(self._bound(noise), int(stated.last_moment(self.rate, noise)))
            return 1e3 if math.isnan(epsilon) else math.log(epsilon / self.target)

        most = 1 / (16 * self.rate) * (1 - 1e-9)
        try:
            return math.exp(safe_root(excess, 0.0, math.log(most), 1e-4)) if most > 1 else math.nan
        except UnsafeError:
            return math.nan

    @cached_property
    def rows(self) -> tuple[Statement, ...]:
        """Return what each statement says of this run, and how much noise it asks for."""
        strong = float(stated.strong_unit(self.rate, self.steps, delta=self.delta))
        epsilon, _ = self.best("bound")
        return (
            self._theorem("proof", stated.PROVED),
            self._theorem("grid", self.least),
            Statement("growth", strong / self.noise_multiplier, strong / self.target),
            Statement("bound", epsilon, self._noise_by_bound(), self._lemma(), self._holds(epsilon)),
        )

    def _theorem(self, name: str, c2: float) -> Statement:
        epsilon = c2 * self.unit / self.noise_multiplier
        met = {
            "range": epsilon < FIRST * self.reach,
            "noise": self.noise_multiplier >= stated.LEAST_NOISE,
            "delta": epsilon <= self.log,
        }
        fails = () if math.isnan(c2) else tuple(condition for condition, held in met.items() if not held)
        return Statement(name, epsilon, c2 * self.unit / self.target, fails, self._holds(epsilon))

    def _lemma(self) -> tuple[str, ...]:
        met = {
            "noise": self.noise_multiplier >= stated.LEAST_NOISE,
            "rate": self.rate < 1 / (16 * self.noise_multiplier),
        }
        return tuple(condition for condition, held in met.items() if not held)

    def _holds(self, epsilon: float) -> bool | None:
        """The exact count is never too small, and on its coarse grid a little too large."""
        if math.isnan(epsilon) or math.isnan(self.exact) or epsilon < self.exact < _COARSE * epsilon:
            return None
        return epsilon >= self.exact

    @cached_property
    def table(self) -> dict[str, list[Any]]:
        """Columns, a row a statement: ``rows`` as they are saved."""
        columns = {name: [getattr(row, name) for row in self.rows] for name in Statement._fields}
        return columns | {"fails": [", ".join(names) for names in columns["fails"]]}
