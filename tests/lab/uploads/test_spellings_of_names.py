"""Names of people, answers and categories in several spellings are one."""

import unicodedata

import numpy as np
import pytest

from dpcore.estimators import people
from dpcore.normal_form import normal_form
from lab.uploads import persons
from lab.uploads import rows as own_rows
from lab.uploads import table as own_table
from lab.uploads.cells import value_indices
from lab.uploads.column_roles import Column, Roles
from tests.hostile_parquet import parquet_of
from tests.uploaded_tables import AGES, LEFT, ROWS, table, text

AGE = Column(name="age", low=0, high=99)
# What differs -> spellings of one name.
SPELLINGS = {
    "code points": ["café", "cafe\u0301", "CAFÉ"],
    "compatible letters": ["ﬁn", "fin", "ｆｉｎ"],
    "spaces": ["Ann Lee", " Ann  Lee ", "Ann\u00a0Lee", "Ann\u2009Lee", "Ann\tLee"],
    "marks that are not seen": ["P1", "P1\u200b", "\u200eP1", "P\u00ad1", "\ufeffP1"],
    "capitals": ["Anna", "ANNA", "anna"],
    "sharp s": ["Weiß", "WEISS"],
    "apostrophes": ["O'Hara", "O’Hara", "O‘Hara", "O`Hara", "Oʼhara"],
    "dashes": ["Jean-Luc", "Jean–Luc", "Jean‑Luc", "Jean−Luc"],
    "one": ["1", "1.0", "1.", "01", "+1", "1,0", "1e0", "true", "TRUE", "True", "١", "１"],
    "zero": ["0", "0.0", "-0", "0,00", "false", "FALSE"],
    "an identifier": ["100000", "100000.0", "1e5", "1E+05", "1.0e5"],
    "dots at the end": ["<=50K", "<=50K.", "<=50k ..", "<=50K ."],
    "half": ["0.5", ".5", "0,5", "0.50"],
}
DIFFERENT_NAMES = [
    *("1", "2", "1.5", "10", "1,000"),
    *("Zoe", "Zoë", "a-b", "ab", "yes", "no"),
    *("9" * 70, "9" * 69 + "8"),
]
MISSING = ["", " ", "NA", "nan", "NaN", "<NA>", "NULL", "None", "n/a", "-"]


def count_of_people(names: list[str]) -> int:
    """Return how many persons the rows of a file have."""
    _, _, counts = persons.group_rows(np.array(names, dtype=object))
    return len(counts)


@pytest.mark.parametrize("spellings", SPELLINGS.values(), ids=SPELLINGS)
class TestOneName:
    def test_spellings_of_one_name_have_one_normal_form(self, spellings):
        forms = {normal_form(spelling) for spelling in spellings}

        assert len(forms) == 1

    def test_spellings_of_one_name_are_one_person_of_an_estimator(self, spellings):
        numbers = people.people_of(spellings, len(spellings))

        assert not numbers.any()

    def test_spellings_of_one_name_are_one_person_of_a_file(self, spellings):
        assert count_of_people(spellings) == 1

    def test_each_row_with_a_spelling_of_an_answer_counts(self, spellings):
        cells = []
        expected = []
        for row in range(ROWS):
            cell = "other"
            if row % 3 < 2:
                cell = spellings[row % len(spellings)]
            cells.append(f'"{cell}"')
            expected.append(int(row % 3 < 2))
        found = table(answer=cells)

        for typed in spellings:
            indices = value_indices(found, "answer", ("other", typed))
            np.testing.assert_array_equal(indices, expected)


def test_different_names_stay_apart():
    forms = {normal_form(name) for name in DIFFERENT_NAMES}

    assert len(forms) == len(DIFFERENT_NAMES)


def test_rows_without_a_name_are_one_person_however_that_is_written():
    assert count_of_people(MISSING) == 1


class TestTruthValues:
    """Truth values are answers, whatever the file and the person write for them."""

    ANSWERS = np.resize([True, False, False], ROWS)

    @pytest.fixture(params=["truth values", "floats", "text"])
    def found(self, request):
        """Return a table whose answers are truth values, the numbers 0 and 1, or words."""
        if request.param == "truth values":
            return own_table.read(parquet_of({"age": AGES, "left": self.ANSWERS}))
        if request.param == "floats":
            return own_table.read(parquet_of({"age": AGES, "left": self.ANSWERS.astype(float)}))
        return table(left=[str(answer).upper() for answer in self.ANSWERS.tolist()])

    @pytest.mark.parametrize(
        "typed",
        [("True", "False"), ("true", "false"), ("TRUE", "FALSE"), ("1", "0"), ("1.0", "0.0")],
        ids=str,
    )
    def test_every_row_has_its_answer(self, found, typed):
        roles = Roles(answer="left", classes=typed, columns=(AGE,))

        indices = value_indices(found, "left", typed)

        assert own_rows.choose(found, roles).answered == ROWS
        np.testing.assert_array_equal(indices, 1 - self.ANSWERS.astype(int))


@pytest.mark.parametrize(
    "typed",
    [("1", "1.0"), ("Yes", "yes"), ("true", "1"), ("café", "cafe\u0301")],
    ids=str,
)
def test_two_spellings_of_one_answer_are_refused(typed):
    roles = Roles(answer="left", classes=typed, columns=(AGE,))

    assert roles.faults() == ("left has an empty answer, or one twice",)


def test_a_person_in_three_spellings_is_one_person():
    spellings = ("Zoë {}", "Zoe\u0308  {}", "ZOË {}\u200b")
    rows = [["who", "age", "left"]]
    for person in range(ROWS):
        for spelling in spellings:
            rows.append([spelling.format(person), "5", LEFT[person]])
    roles = Roles(answer="left", classes=("no", "yes"), columns=(AGE,), person="who")

    found = own_table.read(text(rows).encode())

    assert own_rows.choose(found, roles).people == ROWS


def test_composed_letters_that_are_typed_find_decomposed_ones():
    cells = []
    for row in range(ROWS):
        plan = ("café", "thé")[row % 3 // 2]
        form = ("NFC", "NFD")[row % 2]
        cells.append(unicodedata.normalize(form, plan))

    indices = value_indices(table(plan=cells), "plan", ("café", "thé"))

    assert (indices >= 0).all()
