"""Write the tables of `sample_data/`, which describe invented people, from one seed.

    python -m scripts.make_samples

The columns depend on each other, so that a model has something to learn but is never sure. The
numbers keep within the bounds that `sample_data/README.md` declares, as a tariff, a law or an
instrument would.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

SEED = 2026
FOLDER = Path(__file__).parents[1] / "sample_data"
# Hospital -> number of patients.
HOSPITALS = {
    "Ashford": 520,
    "Brookside": 410,
    "Cedar Hill": 360,
    "Dunmore": 330,
    "Eastgate": 290,
    "Fairview": 260,
    "Glenwood": 220,
    "Harbour": 190,
    "Ironbridge": 160,
    "Juniper": 130,
    "Kingsmead": 100,
    "Lakeside": 80,
}
# Identifiers are numbers with five digits.
FIRST_IDENTIFIER = 10_000
IDENTIFIERS = 90_000

# Column -> texts of the cells (n,).
Columns = dict[str, np.ndarray]


def customers(rng: np.random.Generator, rows: int = 3000) -> Columns:
    """Draw customers of a telephone company, and who left within a year."""
    age = np.clip(rng.gamma(9.0, 5.2, rows), 18, 95).round()
    longest_tenure = np.minimum(25.0, age - 17)
    tenure = np.minimum(rng.exponential(5.0, rows), longest_tenure).round(1)

    # People of about 42 years have families.
    has_family = rng.random(rows) < _logistic(-np.abs(age - 42) / 9 + 0.8)
    wants_more = rng.random(rows) < 0.35
    plan = np.select([has_family, wants_more], ["family", "plus"], "basic")
    price = np.select([plan == "family", plan == "plus"], [62.0, 41.0], 22.0)
    spend = np.clip(price * rng.lognormal(0.05, 0.28, rows), 5, 250).round(2)

    # New customers call more often, and some people call more often than others.
    usual_calls = np.where(tenure < 2, 2.2, 1.2)
    calls = np.minimum(rng.poisson(usual_calls * rng.gamma(1.5, 0.9, rows)), 20)

    logit = -1.1 + 0.62 * calls - 0.2 * tenure + 0.028 * (spend - price) - 0.9 * (plan == "family")
    churned = rng.random(rows) < _logistic(logit - 0.012 * (age - 45))
    return {
        "customer_id": _identifiers(rng, "C", rows),
        "age": _with_gaps(rng, age.astype(int), 0.03),
        "tenure_years": tenure.astype(str),
        "monthly_spend": _with_gaps(rng, np.char.mod("%.2f", spend), 0.02),
        "support_calls": calls.astype(str),
        "plan": plan,
        "churned": _yes_or_no(churned),
    }


def salaries(rng: np.random.Generator, rows: int = 3000) -> Columns:
    """Draw employees of a town, and what they earn in thousands a year."""
    age = np.clip(rng.normal(43, 11, rows), 18, 67).round()
    school = np.clip(rng.normal(13.2, 2.6, rows), 8, 22).round()
    years_since_school = age - school - 6
    experience = np.clip(years_since_school * rng.beta(6, 1.6, rows), 0, 45).round(1)

    works_full_time = rng.random(rows) < 0.68
    full_time_hours = rng.normal(39.5, 1.5, rows)
    part_time_hours = rng.normal(24, 6, rows)
    hours = np.where(works_full_time, full_time_hours, part_time_hours).clip(8, 48).round(1)

    departments = ["administration", "care", "engineering", "schools"]
    department = rng.choice(departments, rows, p=[0.3, 0.27, 0.15, 0.28])
    manages = rng.random(rows) < _logistic(-4.2 + 0.06 * experience + 0.1 * school)

    log_salary = 2.7 + 0.062 * school + 0.021 * experience - 0.00025 * experience**2
    log_salary += np.select([department == "engineering", department == "care"], [0.16, -0.07], 0.0)
    log_salary += 0.24 * manages
    log_salary += rng.normal(0, 0.13, rows)
    salary = np.clip(np.exp(log_salary) * hours / 39, 5, 150).round(1)
    return {
        "employee_id": _identifiers(rng, "E", rows),
        "age": age.astype(int).astype(str),
        "years_of_school": _with_gaps(rng, school.astype(int), 0.04),
        "years_of_experience": _with_gaps(rng, experience, 0.02),
        "hours_a_week": hours.astype(str),
        "department": department,
        "manages_others": _yes_or_no(manages),
        "salary": salary.astype(str),
    }


def hospitals(rng: np.random.Generator) -> Columns:
    """Draw patients of hospitals, and who was back within thirty days.

    Each hospital has its own size, age of patients and frequency of readmissions.
    """
    names = np.array(list(HOSPITALS))
    sizes = list(HOSPITALS.values())
    rows = sum(sizes)
    hospital = np.repeat(np.arange(len(sizes)), sizes)[rng.permutation(rows)]
    extra_age = rng.normal(0, 5, len(sizes))
    extra_logit = rng.normal(0, 0.35, len(sizes))

    age = np.clip(rng.normal(61, 15, rows) + extra_age[hospital], 18, 100).round()
    pressure = np.clip(112 + 0.42 * age + rng.normal(0, 15, rows), 70, 230).round()
    sugar = np.clip(rng.lognormal(4.62, 0.2, rows) + 0.25 * (age - 60), 50, 400).round()
    log_stays = -0.6 + 0.018 * (age - 60) + rng.normal(0, 0.6, rows)
    stays = np.minimum(rng.poisson(np.exp(log_stays)), 12)
    days_by_age = rng.gamma(2.0, 1.5 + 0.02 * (age - 50).clip(0), rows)
    days = np.clip(days_by_age + stays * 0.6, 1, 60).round()
    alone = rng.random(rows) < _logistic((age - 70) / 14)

    logit = -2.9 + 1.1 * stays + 0.22 * days + 0.02 * (sugar - 100) + 0.5 * alone
    logit += extra_logit[hospital]
    return {
        "hospital": names[hospital],
        "patient_id": _identifiers(rng, "P", rows),
        "age": age.astype(int).astype(str),
        "blood_pressure": _with_gaps(rng, pressure.astype(int), 0.05),
        "blood_sugar": _with_gaps(rng, sugar.astype(int), 0.08),
        "earlier_stays": stays.astype(str),
        "days_in_hospital": days.astype(int).astype(str),
        "lives_alone": _with_gaps(rng, _yes_or_no(alone), 0.02),
        "readmitted": _yes_or_no(rng.random(rows) < _logistic(logit)),
    }


TEMPLATE = """\
person,age,visits_a_month,plan,renewed,about_this_line
P-001,34,2.5,basic,yes,The line above all others is the header: it names each column once.
P-002,51,0.5,plus,no,Each further line is a row: what is known of one person.
P-003,28,,basic,yes,An empty cell is a missing value. The row stays.
P-004,45,7.0,family,yes,"Decimals have a point or a comma, the same in all of a column."
P-005,62,1.0,plus,no,A column of numbers needs a lowest and a highest value that are public.
P-006,39,3.5,basic,yes,A column of few words is a category. You declare which words there are.
P-007,23,4.0,family,yes,"One column is the answer that a model learns: here, renewed."
P-008,57,0.0,basic,no,"Columns that name persons, dates and texts like this one are left out."
"""


def sample_files() -> dict[str, bytes]:
    """Return file name -> content."""
    tables = {
        "customers.csv": customers(np.random.default_rng([SEED, 0])),
        "salaries.csv": salaries(np.random.default_rng([SEED, 1])),
        "hospitals.csv": hospitals(np.random.default_rng([SEED, 2])),
    }
    files = {}
    for name, columns in tables.items():
        rows = zip(*columns.values(), strict=True)
        files[name] = _csv_text(list(columns), rows).encode()
    files["template.csv"] = TEMPLATE.encode()
    return files


def _csv_text(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as CSV with line feeds."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return file.getvalue()


def _logistic(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _yes_or_no(values: np.ndarray) -> np.ndarray:
    return np.where(values, "yes", "no")


def _identifiers(rng: np.random.Generator, letter: str, rows: int) -> np.ndarray:
    """Draw a different identifier for each row, such as "C-12345"."""
    numbers = rng.choice(IDENTIFIERS, rows, replace=False) + FIRST_IDENTIFIER
    return np.array([f"{letter}-{number}" for number in numbers])


def _with_gaps(rng: np.random.Generator, values: np.ndarray, share: float) -> np.ndarray:
    """Return the values as texts, of which this share is empty."""
    is_missing = rng.random(len(values)) < share
    return np.where(is_missing, "", values.astype(str))


if __name__ == "__main__":
    for name, content in sample_files().items():
        (FOLDER / name).write_bytes(content)
