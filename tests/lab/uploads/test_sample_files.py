"""The sample tables and the template hold what their notes declare."""

import re

import numpy as np
import pytest

from lab.uploads import table as own_table
from lab.uploads.column_roles import Column
from scripts import make_samples
from ui.uploads.samples import FOLDER, SAMPLES, TEMPLATE, Sample

# Browsers show a file up to this size at once.
LARGEST_BYTES = 400_000
LARGEST_SHARE_OF_GAPS = 0.1


def notes_of_files() -> dict[str, str]:
    """Return file -> its section of the notes, as one line."""
    _, _, notes = (FOLDER / "README.md").read_text("utf-8").partition("## Files to try")
    sections = {}
    for section in re.split(r"^### ", notes, flags=re.MULTILINE):
        heading, _, body = section.partition("\n")
        if heading.endswith(".csv"):
            sections[heading] = " ".join(body.split())
    return sections


NOTES = notes_of_files()
TABLES = {sample.file: own_table.read(sample.data) for sample in SAMPLES}


class TestRecipe:
    """The script makes the files of the folder."""

    def test_the_recipe_makes_every_file_that_has_notes(self):
        files = {path.name for path in FOLDER.glob("*.csv")} - {"deployments.csv"}

        assert set(make_samples.sample_files()) == files
        assert set(NOTES) == files

    def test_the_recipe_makes_the_same_bytes(self):
        for name, data in make_samples.sample_files().items():
            assert (FOLDER / name).read_bytes() == data, name

    def test_files_are_small(self):
        for name, data in make_samples.sample_files().items():
            assert len(data) < LARGEST_BYTES, name


class TestTemplate:
    @pytest.fixture
    def table(self):
        """Return the template as a table."""
        return own_table.read(TEMPLATE.read_bytes())

    def test_the_template_has_names_and_eight_rows(self, table):
        assert table.head is True
        assert table.rows == 8

    @pytest.mark.parametrize(
        ("column", "kind"),
        [
            ("visits_a_month", "number"),
            ("plan", "category"),
            ("renewed", "category"),
        ],
    )
    def test_a_column_is_taken_for_what_it_is(self, table, column, kind):
        assert table.kind(column).kind == kind

    def test_the_explanations_of_its_lines_are_left_out(self, table):
        assert table.kind("about_this_line").reason


def columns_of_kind(kind: str) -> list:
    """Return (sample, column) of every declared column of a kind, for parametrisation."""
    cases = []
    for sample in SAMPLES:
        columns = list(sample.columns)
        if sample.target is not None:
            columns.append(sample.target)
        for column in columns:
            if column.kind == kind:
                cases.append(pytest.param(sample, column, id=f"{sample.file} {column.name}"))
    return cases


NUMBERS = pytest.mark.parametrize(("sample", "column"), columns_of_kind("number"))
CATEGORIES = pytest.mark.parametrize(("sample", "column"), columns_of_kind("category"))


class TestColumns:
    @NUMBERS
    def test_numbers_are_within_their_bounds(self, sample: Sample, column: Column):
        numbers = TABLES[sample.file].numbers(column.name)

        assert column.low <= np.nanmin(numbers)
        assert np.nanmax(numbers) <= column.high

    @NUMBERS
    def test_few_numbers_are_missing(self, sample: Sample, column: Column):
        numbers = TABLES[sample.file].numbers(column.name)

        assert np.isnan(numbers).mean() < LARGEST_SHARE_OF_GAPS

    @NUMBERS
    def test_numbers_are_taken_for_numbers(self, sample: Sample, column: Column):
        table = TABLES[sample.file]

        assert table.kind(column.name).kind == "number"
        assert table.decimal(column.name) == "."

    @NUMBERS
    def test_notes_declare_the_bounds_of_numbers(self, sample: Sample, column: Column):
        row = f"| {column.name} | {column.low:g} | {column.high:g} |"

        assert row in NOTES[sample.file]

    @CATEGORIES
    def test_categories_are_taken_for_categories(self, sample: Sample, column: Column):
        assert TABLES[sample.file].kind(column.name) == ("category", "")

    @CATEGORIES
    def test_every_declared_category_occurs_and_no_other(self, sample: Sample, column: Column):
        texts = TABLES[sample.file].texts(column.name)

        assert set(texts) - {""} == set(column.values)

    @CATEGORIES
    def test_notes_declare_the_categories(self, sample: Sample, column: Column):
        sentence = re.search(rf"`{column.name}` is ([^;.]+)", NOTES[sample.file])
        categories, _, _ = sentence[1].partition(", as ")

        assert set(re.split(", | or ", categories)) == set(column.values)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.file)
class TestSamples:
    @pytest.fixture
    def table(self, sample):
        """Return the sample as a table."""
        return TABLES[sample.file]

    def test_columns_are_those_that_are_declared(self, sample, table):
        declared = {column.name for column in sample.columns}

        assert set(table.columns) == {*declared, *sample.aside, sample.answer}

    def test_nothing_about_a_sample_is_guessed(self, sample, table):
        assert table.head is True
        assert table.notes == ()

    def test_notes_have_the_number_of_rows(self, sample, table):
        assert f"{table.rows:,} " in NOTES[sample.file]

    def test_the_answer_is_a_class_or_a_number(self, sample):
        has_classes = bool(sample.classes)
        has_number = sample.target is not None

        assert has_classes != has_number

    def test_the_last_column_that_is_left_out_identifies_each_row(self, sample, table):
        *_, identifier = sample.aside

        assert len(set(table.texts(identifier))) == table.rows

    def test_some_cells_are_empty(self, sample, table):
        empty_cells = 0
        for name in table.columns:
            empty_cells += (table.texts(name) == "").sum()

        assert empty_cells > 50
