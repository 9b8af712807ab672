"""Write the tables of `sample_data/`, which describe invented people, from one seed.

    python -m scripts.make_samples

The columns depend on each other, so that a model has something to learn but is never sure. The
recipe keeps within the bounds that `sample_data/README.md` declares, as a tariff, a law or an
instrument would.
"""

import csv
import io
from pathlib import Path

import numpy as np

SEED = 2026
FOLDER = Path(__file__).parents[1] / "sample_data"
HOSPITALS = {
    "Ashford": 520, "Brookside": 410, "Cedar Hill": 360, "Dunmore": 330, "Eastgate": 290, "Fairview": 260,
    "Glenwood": 220, "Harbour": 190, "Ironbridge": 160, "Juniper": 130, "Kingsmead": 100, "Lakeside": 80,
}  # fmt: skip


def customers(rng: np.random.Generator, rows: int = 3000) -> dict[str, np.ndarray]:
    """Customers of a telephone company, and who left within a year."""
    age = np.clip(rng.gamma(9.0, 5.2, rows), 18, 95).round()
    tenure = np.minimum(rng.exponential(5.0, rows), np.minimum(25.0, age - 17)).round(1)
    plan = np.where(rng.random(rows) < _logistic(-np.abs(age - 42) / 9 + 0.8), "family", "basic")
    plan = np.where((plan == "basic") & (rng.random(rows) < 0.35), "plus", plan)
    price = np.select([plan == "family", plan == "plus"], [62.0, 41.0], 22.0)
    spend = np.clip(price * rng.lognormal(0.05, 0.28, rows), 5, 250).round(2)
    calls = np.minimum(rng.poisson(np.where(tenure < 2, 2.2, 1.2) * rng.gamma(1.5, 0.9, rows)), 20)
    leaves = -1.1 + 0.62 * calls - 0.2 * tenure + 0.028 * (spend - price) - 0.9 * (plan == "family")
    churned = rng.random(rows) < _logistic(leaves - 0.012 * (age - 45))
    return {
        "customer_id": _codes(rng, "C", rows),
        "age": _gaps(rng, age.astype(int), 0.03),
        "tenure_years": tenure.astype(str),
        "monthly_spend": _gaps(rng, np.char.mod("%.2f", spend), 0.02),
        "support_calls": calls.astype(str),
        "plan": plan,
        "churned": np.where(churned, "yes", "no"),
    }


def salaries(rng: np.random.Generator, rows: int = 3000) -> dict[str, np.ndarray]:
    """Employees of a town, and what they earn in thousands a year."""
    age = np.clip(rng.normal(43, 11, rows), 18, 67).round()
    school = np.clip(rng.normal(13.2, 2.6, rows), 8, 22).round()
    experience = np.clip((age - school - 6) * rng.beta(6, 1.6, rows), 0, 45).round(1)
    hours = (
        np.where(rng.random(rows) < 0.68, rng.normal(39.5, 1.5, rows), rng.normal(24, 6, rows))
        .clip(8, 48)
        .round(1)
    )
    department = rng.choice(
        ["administration", "care", "engineering", "schools"], rows, p=[0.3, 0.27, 0.15, 0.28]
    )
    extra = np.select([department == "engineering", department == "care"], [0.16, -0.07], 0.0)
    manages = rng.random(rows) < _logistic(-4.2 + 0.06 * experience + 0.1 * school)
    log = (
        2.7 + 0.062 * school + 0.021 * experience - 0.00025 * experience**2 + extra + 0.24 * manages
    )
    salary = np.clip(np.exp(log + rng.normal(0, 0.13, rows)) * hours / 39, 5, 150).round(1)
    return {
        "employee_id": _codes(rng, "E", rows),
        "age": age.astype(int).astype(str),
        "years_of_school": _gaps(rng, school.astype(int), 0.04),
        "years_of_experience": _gaps(rng, experience, 0.02),
        "hours_a_week": hours.astype(str),
        "department": department,
        "manages_others": np.where(manages, "yes", "no"),
        "salary": salary.astype(str),
    }


def hospitals(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Patients of twelve hospitals of different sizes and patients, and who was back within thirty
    days.
    """
    sizes = list(HOSPITALS.values())
    place = np.repeat(np.arange(len(sizes)), sizes)[rng.permutation(sum(sizes))]
    older, unlike = rng.normal(0, 5, len(sizes)), rng.normal(0, 0.35, len(sizes))
    rows = len(place)
    age = np.clip(rng.normal(61, 15, rows) + older[place], 18, 100).round()
    pressure = np.clip(112 + 0.42 * age + rng.normal(0, 15, rows), 70, 230).round()
    sugar = np.clip(rng.lognormal(4.62, 0.2, rows) + 0.25 * (age - 60), 50, 400).round()
    stays = np.minimum(
        rng.poisson(np.exp(-0.6 + 0.018 * (age - 60) + rng.normal(0, 0.6, rows))), 12
    )
    days = np.clip(
        rng.gamma(2.0, 1.5 + 0.02 * (age - 50).clip(0), rows) + stays * 0.6, 1, 60
    ).round()
    alone = rng.random(rows) < _logistic((age - 70) / 14)
    back = -2.9 + 1.1 * stays + 0.22 * days + 0.02 * (sugar - 100) + 0.5 * alone + unlike[place]
    return {
        "hospital": np.array(list(HOSPITALS))[place],
        "patient_id": _codes(rng, "P", rows),
        "age": age.astype(int).astype(str),
        "blood_pressure": _gaps(rng, pressure.astype(int), 0.05),
        "blood_sugar": _gaps(rng, sugar.astype(int), 0.08),
        "earlier_stays": stays.astype(str),
        "days_in_hospital": days.astype(int).astype(str),
        "lives_alone": _gaps(rng, np.where(alone, "yes", "no"), 0.02),
        "readmitted": np.where(rng.random(rows) < _logistic(back), "yes", "no"),
    }


TEMPLATE = (
    ("person", "age", "visits_a_month", "plan", "renewed", "about_this_line"),
    (
        "P-001",
        "34",
        "2.5",
        "basic",
        "yes",
        "The line above all others is the header: it names each column once.",
    ),
    (
        "P-002",
        "51",
        "0.5",
        "plus",
        "no",
        "Each further line is a row: what is known of one person.",
    ),
    ("P-003", "28", "", "basic", "yes", "An empty cell is a missing value. The row stays."),
    (
        "P-004",
        "45",
        "7.0",
        "family",
        "yes",
        "Decimals have a point or a comma, the same in all of a column.",
    ),
    (
        "P-005",
        "62",
        "1.0",
        "plus",
        "no",
        "A column of numbers needs a lowest and a highest value that are public.",
    ),
    (
        "P-006",
        "39",
        "3.5",
        "basic",
        "yes",
        "A column of few words is a category. You declare which words there are.",
    ),
    (
        "P-007",
        "23",
        "4.0",
        "family",
        "yes",
        "One column is the answer that a model learns: here, renewed.",
    ),
    (
        "P-008",
        "57",
        "0.0",
        "basic",
        "no",
        "Columns that name persons, dates and texts like this one are left out.",
    ),
)


def _logistic(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _codes(rng: np.random.Generator, letter: str, rows: int) -> np.ndarray:
    return np.array(
        [f"{letter}-{number}" for number in rng.choice(90_000, rows, replace=False) + 10_000]
    )


def _gaps(rng: np.random.Generator, values: np.ndarray, share: float) -> np.ndarray:
    """As text, with so many cells missing."""
    return np.where(rng.random(len(values)) < share, "", values.astype(str))


def made() -> dict[str, bytes]:
    """File name -> its bytes."""
    rng = [np.random.default_rng([SEED, number]) for number in range(3)]
    tables = {
        "customers": customers(rng[0]),
        "salaries": salaries(rng[1]),
        "hospitals": hospitals(rng[2]),
    }
    lines = {
        name: [list(columns), *zip(*columns.values(), strict=True)]
        for name, columns in tables.items()
    }
    return {
        f"{name}.csv": _written(rows) for name, rows in (lines | {"template": TEMPLATE}).items()
    }


def _written(rows) -> bytes:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue().encode()


if __name__ == "__main__":
    for name, data in made().items():
        (FOLDER / name).write_bytes(data)
