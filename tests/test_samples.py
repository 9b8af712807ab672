"""The files to try: made by their recipe, and as their lines in the README say."""

import re
from pathlib import Path

import numpy as np
import pytest

from lab.files import own_table
from scripts import make_samples
from ui.samples import SAMPLES

FOLDER = Path(__file__).parents[1] / "sample_data"
README = (FOLDER / "README.md").read_text("utf-8").partition("## Files to try")[2]
SECTIONS = dict(zip(*[iter(re.split(r"^### (\w+\.csv)$", README, flags=re.MULTILINE)[1:])] * 2, strict=True))
TABLES = ("customers.csv", "salaries.csv", "hospitals.csv")
ANSWERS = {"customers.csv": "churned", "salaries.csv": "salary", "hospitals.csv": "readmitted"}
PERSONS = {"customers.csv": "customer_id", "salaries.csv": "employee_id", "hospitals.csv": "patient_id"}


def table(name: str) -> own_table.Table:
    return own_table.read((FOLDER / name).read_bytes())


def bounds(name: str) -> dict[str, tuple[float, float]]:
    rows = re.findall(r"^\| (\w+) \| (-?[\d.]+) \| (-?[\d.]+) \| .+ \|$", SECTIONS[name], flags=re.MULTILINE)
    return {feature: (float(low), float(high)) for feature, low, high in rows}


def categories(name: str) -> dict[str, set[str]]:
    """Column -> the values that the README declares."""
    listed = " ".join(SECTIONS[name].partition("- Categories: ")[2].partition("\n\n")[0].split())
    found = re.findall(r"`(\w+)` is ([^;.]+)", listed)
    return {column: set(re.split(r", | or ", values.partition(", as ")[0])) for column, values in found}


def test_the_recipe_makes_these_bytes():
    made = make_samples.made()
    assert set(made) == {path.name for path in FOLDER.glob("*.csv")} - {"deployments.csv"} == set(SECTIONS)
    assert [name for name, data in made.items() if (FOLDER / name).read_bytes() != data] == []
    assert max(map(len, made.values())) < 400_000


@pytest.mark.parametrize("name", TABLES)
class TestReadme:
    def test_each_column_is_declared_with_what_all_of_its_rows_hold(self, name):
        rows = table(name)
        assert {*rows.columns} == {*bounds(name), *categories(name), PERSONS[name], ANSWERS[name]}
        assert f"{rows.rows:,} " in SECTIONS[name]
        assert (rows.head, rows.notes) == (True, ())
        for one, (low, high) in bounds(name).items():
            values = rows.numbers(one)
            assert low <= np.nanmin(values) <= np.nanmax(values) <= high
            assert np.isnan(values).mean() < 0.1
            assert (rows.decimal(one), rows.kind(one).kind) == (".", "number")
        for one, words in categories(name).items():
            assert {*rows.texts(one)} - {""} == words
            assert rows.kind(one) == ("category", "")
        assert rows.kind(PERSONS[name]).kind == "identifier"
        assert len({*rows.texts(PERSONS[name])}) == rows.rows
        assert sum((rows.texts(one) == "").sum() for one in rows.columns) > 50

    def test_the_page_has_the_bounds_and_sources_of_the_notes(self, name):
        (sample,) = (one for one in SAMPLES if one.file == name)
        numbers = {one.name: (one.low, one.high) for one in sample.columns if one.kind == "number"}
        words = {one.name: {*one.values} for one in sample.columns if one.kind == "category"}
        assert numbers == {one: ends for one, ends in bounds(name).items() if one != ANSWERS[name]}
        assert words == {one: values for one, values in categories(name).items() if one not in sample.aside}
        assert (sample.answer, PERSONS[name] in sample.aside) == (ANSWERS[name], True)
        ends = sample.target and (sample.target.low, sample.target.high)
        assert (ends, bool(sample.classes)) == (bounds(name).get(ANSWERS[name]), ends is None)
        notes = " ".join(SECTIONS[name].split())
        found = re.search(r"Sources: `(\w+)` .* Those of (\w+) are private; those of ([\w, ]+) are public", notes)
        assert (sample.source, sample.own_source) == ((found[1], found[2]) if found else ("", ""))
        assert {*sample.sources} == ({*re.split(", | and ", found[3])} if found else set())


def test_hospitals_are_of_different_sizes_and_patients():
    rows = table("hospitals.csv")
    sizes = np.unique(rows.texts("hospital"), return_counts=True)[1]
    assert (len(sizes), min(sizes), max(sizes)) == (12, 80, 520)
    back = [(rows.texts("readmitted") == "yes")[rows.texts("hospital") == one].mean() for one in make_samples.HOSPITALS]
    assert max(back) - min(back) > 0.1


def test_the_template_is_what_it_speaks_of():
    rows = table("template.csv")
    assert (rows.head, rows.rows) == (True, 8)
    assert [rows.kind(name).kind for name in ("visits_a_month", "plan", "renewed", "person")] == [
        *("number", "category", "category", "identifier")
    ]
    assert rows.kind("about_this_line").reason
