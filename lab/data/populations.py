"""Synthetic census-like populations, whose parameters are in ``regression.toml``."""

from dataclasses import dataclass

import numpy as np

# Rows of a population whose columns are computed at once, so that a large one needs little memory
# beside its draws.
_ROWS_AT_ONCE = 16_384


@dataclass(frozen=True, kw_only=True)
class Country:
    """Parameters of a population. Rates are shares, incomes in thousands per year.

    ``family`` scales the number of children.
    """

    rows: int
    schooling: float
    foreign: float
    owners: float
    cars: float
    family: float
    income: float
    per_year_of_school: float
    gender_gap: float
    spread: float
    income_top: float

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return thirteen dependent columns and an income with a heavy tail."""
        # Two more than are used, so that the numbers drawn after them do not change.
        normal = rng.standard_normal((10, self.rows))
        uniform = rng.random((6, self.rows))
        beta = rng.beta(1.7, 2.4, self.rows)
        X = np.empty((self.rows, 13), np.float32)
        income = np.empty(self.rows)
        for start in range(0, self.rows, _ROWS_AT_ONCE):
            block = slice(start, start + _ROWS_AT_ONCE)
            age = 16 + 74 * beta[block]
            X[block], income[block] = self._columns(normal[:, block], uniform[:, block], age)
        return X, income

    def _columns(
        self, normal: np.ndarray, uniform: np.ndarray, age: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns (n, 13) and the incomes (n,) of people of this age.

        Args:
            normal: Independent normal numbers, (10, n), of which the first eight are used.
            uniform: Independent numbers from 0 to 1, (6, n).
            age: In years, (n,).
        """
        woman = (uniform[0] < 0.51).astype(float)
        school = np.clip(self.schooling - 0.03 * (age - 45) + 3.2 * normal[0], 0, 20).round()
        never_married = (uniform[1] < 1 / (1 + np.exp((age - 28) / 5))).astype(float)
        married = (1 - never_married) * (uniform[2] < 0.72 - 0.004 * np.maximum(age - 60, 0))
        abroad = (uniform[3] < self.foreign).astype(float)
        disabled = (uniform[4] < 0.03 + 0.0035 * np.maximum(age - 40, 0)).astype(float)
        retired_share = 0.75 / (1 + np.exp((66 - age) / 3))
        working_share = 0.86 - 0.3 * disabled - retired_share - 0.1 * woman * married
        working = uniform[5] < working_share
        hours = working * np.clip(40 - 3 * woman + 10 * normal[1], 0, 99).round()
        residence = np.clip((age - 16) * np.exp(-1.3 + 0.8 * normal[2]), 0, 60).round()
        wealth = (
            0.12 * (school - self.schooling) + 0.03 * (age - 45) + 0.5 * married + 0.015 * residence
        )
        owner = (normal[3] < self.owners + 0.5 * wealth).astype(float)
        children_by_age = np.exp(-(((age - 40) / 14) ** 2))
        children = self.family * (0.4 + married) * children_by_age + 0.7 * normal[4]
        children = np.clip(children, 0, 9)
        household = np.clip(1 + married + children + 0.5 * np.abs(normal[5]), 1, 12).round()
        cars = np.clip(self.cars + 0.35 * wealth + 0.3 * married + 0.6 * normal[6], 0, 6).round()
        columns = {
            "age": age,
            "woman": woman,
            "school": school,
            "hours": hours,
            "married": married,
            "never married": never_married,
            "owner": owner,
            "cars": cars,
            "household": household,
            "children": children.round(),
            "residence": residence,
            "disabled": disabled,
            "abroad": abroad,
        }
        return np.stack(list(columns.values()), axis=1), self._income(columns, normal[7])

    def _income(self, columns: dict[str, np.ndarray], chance: np.ndarray) -> np.ndarray:
        """Return the incomes (n,) of people with these columns, of which a part is chance."""
        years = columns["school"] - self.schooling
        log_income = np.log(self.income) + self.per_year_of_school * years
        log_income += 0.02 * (columns["hours"] - 38)
        log_income += -0.0006 * (columns["age"] - 50) ** 2
        log_income += 0.008 * (columns["age"] - 45)
        log_income += -self.gender_gap * columns["woman"]
        log_income += 0.12 * columns["married"]
        log_income += -0.08 * columns["abroad"]
        log_income += -0.12 * columns["disabled"]
        log_income += 0.12 * columns["owner"]
        log_income += self.spread * chance
        return np.clip(np.exp(log_income), 0, self.income_top)
