"""A number as the answer of a file of one's own: what becomes of its cells, and of a person's rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from dpcore.estimators.linear import REGRESSIONS
from dpcore.regression.least_squares import Statistics
from lab.data import regression as regression_data
from lab.uploads import regression_rows
from lab.uploads.column_roles import Column, Roles
from lab.uploads.persons import RowsByPerson
from pages.regression.settings import RegressionSettings
from tests.own_files import COLUMNS, NUMBER, QUICK, choose, frame, same, settings
from ui.export import archive

# Sums in double precision, in another order.
ROUNDING = 1e-12
# The ratio of two measured deviations scatters by less.
CHANCE = 0.12


def rows_of(own, seed=4):
    """Return the rows of a file as regression data, in the order that this seed draws."""
    return regression_data.load(own.key, seed=seed)


class TestFileOfTheStudy:
    """A file written from the rows of a built-in data set gives its numbers bit for bit."""

    @pytest.fixture(scope="class")
    @classmethod
    def own(cls):
        """Return settings on a file with the rows and bounds of the diabetes data set."""
        source = regression_data.SOURCES["diabetes"]
        X, y = load_diabetes(return_X_y=True, scaled=False)
        file = pd.DataFrame(X, columns=source.features).assign(answer=y)
        low, high = source.label_bounds
        roles = Roles(
            answer="answer",
            classes=(),
            target=Column(name="answer", low=low, high=high),
            columns=tuple(
                Column(name=name, low=low, high=high) for name, (low, high) in source.bounds.items()
            ),
            gaps=False,
        )
        return settings("regression", roles, file=file, seed=7)

    @pytest.fixture(scope="class")
    @classmethod
    def built(cls):
        """Return the same settings on the built-in diabetes data set."""
        start = RegressionSettings(seed=7).change(dataset="diabetes")
        return start.change(**QUICK["regression"])

    def test_the_sizes_are_the_same(self, own, built):
        assert (own.rows, own.features) == (built.rows, built.features) == (353, 10)

    def test_the_results_are_the_same(self, own, built):
        assert same(own, built)

    @pytest.mark.parametrize("name", ["table", "coefficients"])
    def test_the_tables_are_the_same(self, own, built, name):
        mine, known = (getattr(one.experiment.run(), name)() for one in (own, built))

        pd.testing.assert_frame_equal(mine, known)

    @pytest.mark.parametrize("mechanism", REGRESSIONS)
    def test_the_guarantees_are_the_same(self, own, built, mechanism):
        assert own.guarantee_of(mechanism) == built.guarantee_of(mechanism)


class TestCells:
    @pytest.fixture
    def rows(self):
        """The rows of a file, by their place in it; one held out without an answer is left out."""
        file = frame().astype(object)
        file.loc[0, ["age", "hours", "plan", "pay"]] = [130, 24, "mines", 1e9]
        file.loc[1, ["age", "hours", "plan", "pay"]] = ["", "n/a", "plus", "?"]
        found = rows_of(choose(file, NUMBER))
        order = regression_data.stream(4, "data").permutation(900)
        places = order if len(found.y) == 900 else order[order != 1]
        cells = np.column_stack([found.X, found.y]).tolist()
        return dict(zip(places, cells, strict=True))

    def test_a_cell_beyond_the_bounds_is_at_them(self, rows):
        assert rows[0] == [1, 1, 0, -1, 80]

    def test_a_row_without_an_answer_counts_as_middles(self, rows):
        *inputs, _ = rows.get(1, [0] * 5)

        assert inputs == [0] * 4


class TestGaps:
    """A file in which a third of the rows have no answer."""

    @pytest.fixture(scope="class")
    @classmethod
    def blank(cls):
        """Return a file in which every third row has no answer."""
        file = frame()
        file.loc[::3, "pay"] = np.nan
        return file

    def test_the_number_of_rows_counts_those_without_an_answer(self, blank):
        for file in (blank, frame()):
            assert settings("regression", file=file).problem.training_statistics().rows == 720

    def test_the_first_sum_counts_the_rows_with_an_answer(self, blank):
        found = settings("regression", file=blank).problem.training_statistics()

        assert found.present_rows == found.gram[0, 0] < 720

    def test_held_out_rows_without_an_answer_are_left_out(self, blank):
        found = settings("regression", file=blank).problem.held_out_statistics()

        assert found.present_rows == found.rows < 180

    def test_sums_are_of_the_rows_with_an_answer(self, blank):
        one = settings("regression", file=blank)
        X, y = rows_of(one.own).X[:720], rows_of(one.own).y[:720]
        present = ~np.isnan(y)

        expected = Statistics.of(X[present], 2 * y[present] / 80 - 1)
        found = one.problem.training_statistics()
        np.testing.assert_allclose(found.gram, expected.gram)
        np.testing.assert_allclose(found.moment, expected.moment)

    def test_without_gaps_a_missing_answer_is_the_middle(self, blank):
        middle = frame()
        middle.loc[::3, "pay"] = 40
        roles = replace(NUMBER, gaps=False)

        found, expected = (
            settings("regression", roles, file=file).problem.training_statistics()
            for file in (blank, middle)
        )
        np.testing.assert_array_equal(found.gram, expected.gram)
        np.testing.assert_allclose(found.moment, expected.moment, atol=ROUNDING)


def people(rows=1200, persons=400):
    """Return persons of whom the first has 1 row, and the others up to 6."""
    who = np.random.default_rng(5).integers(1, persons, rows)
    who[:persons] = np.arange(persons)
    return frame(rows).assign(who=[f"E{number}" for number in who], place=np.arange(rows))


class TestPersons:
    """Of each person up to three rows are taken by chance; a column says which they are."""

    ROLES = replace(NUMBER, person="who", rows_each=3)
    PLACED = replace(ROLES, columns=(Column(name="place", low=0, high=1200), *COLUMNS))

    @pytest.fixture(scope="class")
    @classmethod
    def file(cls):
        """Return a file with one or more rows of each of 400 persons."""
        return people()

    @pytest.fixture(scope="class")
    @classmethod
    def found(cls, file):
        """Return the rows that are taken of the file, with their places as an input."""
        return rows_of(choose(file, cls.PLACED))

    @pytest.fixture(scope="class")
    @classmethod
    def places(cls, found):
        """The place in the file of each row that is taken."""
        return np.rint((found.X[:, 1] + 1) * 600).astype(int)

    def test_no_row_is_taken_twice(self, found, places):
        assert len(set(places)) == len(places) == found.ends[-1]

    def test_all_rows_of_a_person_are_taken_but_three_at_most(self, file, places):
        taken = file["who"].iloc[places].value_counts().sort_index()
        there = file["who"].value_counts().sort_index()

        assert (taken == np.minimum(there, 3)).all()

    def test_the_first_persons_have_all_their_rows_first(self, file, found, places):
        mine = found.first(320)
        first = {*file["who"].iloc[places[mine]]}
        later = {*file["who"].iloc[places[mine.stop :]]}

        assert len(first) == 320
        assert not first & later

    def test_sums_are_of_the_rows_of_the_private_persons(self, file, found):
        statistics = settings("regression", self.PLACED, file=file).problem.training_statistics()

        assert statistics.rows == 3 * 320
        assert statistics.present_rows == found.first(320).stop

    @pytest.mark.parametrize("name", ["published", "functional", "gaussian", "adassp"])
    def test_three_rows_a_person_take_three_times_the_noise(self, file, name):
        three, one = (
            settings("regression", replace(self.ROLES, rows_each=k), file=file, repeats=40).change(
                mechanism=name
            )
            for k in (3, 1)
        )

        ratio = three.experiment.run().noise_sd / one.experiment.run().noise_sd
        assert ratio == pytest.approx(3, rel=CHANCE)


class TestDrawnRows:
    """Two of the five rows of a person, drawn many times."""

    @pytest.fixture(scope="class")
    @classmethod
    def drawn(cls):
        """Return 3,000 draws of the places of two rows."""
        rng = np.random.default_rng(0)
        given = RowsByPerson(np.arange(5), np.array([0]), np.array([5]))
        return [regression_rows.drawn_rows(given, np.array([0]), 2, rng)[0] for _ in range(3000)]

    def test_drawn_rows_of_a_person_are_two_different_ones(self, drawn):
        assert {len({*rows}) for rows in drawn} == {2}

    def test_each_row_of_a_person_is_drawn_as_often(self, drawn):
        share = np.bincount(np.concatenate(drawn), minlength=5) / 3000

        standard_error = np.sqrt(0.4 * 0.6 / 3000)
        assert np.abs(share - 0.4).max() < 4 * standard_error


def test_the_script_filled_in_prints_the_numbers_of_the_page(tmp_path, monkeypatch):
    of = settings("regression")
    before, _, rest = archive.script(of).partition("roles = Roles(")
    after = rest.partition("\n)\n")[2]
    (tmp_path / "your-file.csv").write_text(frame().to_csv(index=False))
    monkeypatch.chdir(tmp_path)
    printed = []

    exec(before + f"roles = {NUMBER!r}\n" + after, {"print": printed.append})

    assert printed == [of.experiment.run().table().to_string()]
