"""The tables to try, and what their notes (sample_data/README.md) say anybody could know of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.files.own_rows import Column

FOLDER = Path(__file__).parents[1] / "sample_data"
TEMPLATE = FOLDER / "template.csv"
_YES_OR_NO = ("no", "yes")


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A generated table. columns: with their public bounds; aside: what is left out; answer: what is to be predicted;
    classes: its values, or where it is a number, ``target``: its bounds. source: the column that may say the source,
    with own_source and sources as in ``Roles``; "" for none.
    """

    file: str
    icon: str
    title: str
    about: str
    answer: str
    columns: tuple[Column, ...]
    aside: tuple[str, ...]
    classes: tuple[str, ...] = _YES_OR_NO
    target: Column | None = None
    source: str = ""
    own_source: str = ""
    sources: tuple[str, ...] = ()

    @property
    def data(self) -> bytes:
        return (FOLDER / self.file).read_bytes()


def _number(name: str, low: float, high: float) -> Column:
    return Column(name=name, low=low, high=high)


def _category(name: str, *values: str) -> Column:
    return Column(name=name, kind="category", values=values)


SAMPLES = (
    Sample(
        file="customers.csv",
        icon=":material/call:",
        title="Customers",
        about="3,000 of a telephone company. Who leaves?",
        answer="churned",
        columns=(
            _number("age", 18, 100),
            _number("tenure_years", 0, 25),
            _number("monthly_spend", 0, 250),
            _number("support_calls", 0, 20),
            _category("plan", "basic", "plus", "family"),
        ),
        aside=("customer_id",),
    ),
    Sample(
        file="hospitals.csv",
        icon=":material/local_hospital:",
        title="Patients",
        about="3,050 of twelve hospitals. Who is back within a month?",
        answer="readmitted",
        columns=(
            _number("age", 18, 100),
            _number("blood_pressure", 60, 250),
            _number("blood_sugar", 40, 400),
            _number("earlier_stays", 0, 12),
            _number("days_in_hospital", 1, 60),
            _category("lives_alone", *_YES_OR_NO),
        ),
        aside=("hospital", "patient_id"),
    ),
    Sample(
        file="salaries.csv",
        icon=":material/payments:",
        title="Salaries",
        about="3,000 employees of a town. How much do they earn?",
        answer="salary",
        columns=(
            _number("age", 16, 70),
            _number("years_of_school", 8, 22),
            _number("years_of_experience", 0, 50),
            _number("hours_a_week", 0, 48),
            _category("department", "administration", "care", "engineering", "schools"),
            _category("manages_others", *_YES_OR_NO),
        ),
        aside=("employee_id",),
        classes=(),
        target=_number("salary", 0, 150),
        source="department",
        own_source="schools",
        sources=("administration", "care", "engineering"),
    ),
)


def of(columns: Iterable[str]) -> Sample | None:
    """The sample that has these columns."""
    names = {*columns}
    return next((one for one in SAMPLES if names == {*(c.name for c in one.columns), *one.aside, one.answer}), None)
