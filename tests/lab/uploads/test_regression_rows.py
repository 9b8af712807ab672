"""A number as the answer of a file of one's own: what becomes of its cells, and what a person's
rows can move.
"""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes

from dpcore import check
from dpcore.estimators.linear import REGRESSIONS, mechanism
from dpcore.mechanisms import private_bounds
from dpcore.mechanisms.private_bounds import BINS, EDGES, Payment
from dpcore.regression import functional
from dpcore.regression.descent import Rows
from dpcore.regression.least_squares import Statistics
from lab.data import regression as regression_data
from lab.uploads import column_bounds, regression_rows
from lab.uploads import rows as own_rows
from lab.uploads.column_roles import Column, Roles
from lab.uploads.persons import RowsByPerson
from lab.uploads.rows import OwnRows
from pages.regression.settings import RegressionSettings
from tests.own_files import CLASSES, COLUMNS, NUMBER, QUICK, choose, frame, same, settings, table_of
from ui.export import archive


def rows_of(own: OwnRows, seed: int = 4) -> regression_data.Table:
    return regression_data.load(own.key, seed=seed)


def test_a_file_written_from_the_study_gives_its_numbers_bit_for_bit():
    source = regression_data.SOURCES["diabetes"]
    X, y = load_diabetes(return_X_y=True, scaled=False)
    file = pd.DataFrame(X, columns=source.features).assign(answer=y)
    target = Column(name="answer", low=source.label_bounds[0], high=source.label_bounds[1])
    columns = tuple(
        Column(name=name, low=low, high=high) for name, (low, high) in source.bounds.items()
    )
    roles = Roles(answer="answer", classes=(), target=target, columns=columns, gaps=False)
    own = settings("regression", roles, file=file, seed=7)
    built = RegressionSettings(seed=7).change(dataset="diabetes").change(**QUICK["regression"])
    assert (own.rows, own.features) == (built.rows, built.features) == (353, 10)
    assert same(own, built)
    for name in ("table", "coefficients"):
        pd.testing.assert_frame_equal(
            getattr(own.experiment.run(), name)(), getattr(built.experiment.run(), name)()
        )
    assert [own.guarantee_of(name) for name in REGRESSIONS] == [
        built.guarantee_of(name) for name in REGRESSIONS
    ]


class TestRows:
    def test_cells_become_what_the_bounds_say(self):
        file = frame().astype(object)
        file.loc[0, ["age", "hours", "plan", "pay"]] = [130, 24, "mines", 1e9]
        file.loc[1, ["age", "hours", "plan", "pay"]] = ["", "n/a", "plus", "?"]
        found, order = (
            rows_of(choose(file, NUMBER)),
            regression_data.stream(4, "data").permutation(900),
        )
        places = (
            order if len(found.y) == 900 else order[order != 1]
        )  # held out, it cannot be measured by
        cells = dict(zip(places, np.column_stack([found.X, found.y]).tolist(), strict=True))
        assert cells[0] == [1, 1, 0, -1, 80]
        assert cells.get(1, [0])[:-1] in ([0] * 4, [])

    def test_sums_are_of_rows_with_an_answer_or_of_middles_without_gaps(self):
        blank, other = frame(), frame()
        blank.loc[::3, "pay"], other.loc[::3, "pay"] = np.nan, 40
        one, whole = (settings("regression", file=file) for file in (blank, frame()))
        found = one.problem
        assert found.training_statistics().rows == whole.problem.training_statistics().rows == 720
        assert (
            found.training_statistics().present_rows == found.training_statistics().gram[0, 0] < 720
        )
        assert found.test_statistics().present_rows == found.test_statistics().rows < 180
        X, y = rows_of(one.own).X[:720], rows_of(one.own).y[:720]
        again = Statistics.of(X[~np.isnan(y)], 2 * y[~np.isnan(y)] / 80 - 1)
        np.testing.assert_allclose(again.gram, found.training_statistics().gram)
        np.testing.assert_allclose(again.moment, found.training_statistics().moment)
        roles = replace(NUMBER, gaps=False)
        one, two = (
            settings("regression", roles, file=file).problem.training_statistics()
            for file in (blank, other)
        )
        np.testing.assert_array_equal(one.gram, two.gram)
        np.testing.assert_allclose(one.moment, two.moment, atol=1e-12)


def people(rows: int = 1200, persons: int = 400) -> pd.DataFrame:
    """Persons of whom the first has 1 row, and the others up to 6."""
    who = np.random.default_rng(5).integers(1, persons, rows)
    who[:persons] = np.arange(persons)
    return frame(rows).assign(who=[f"E{number}" for number in who], place=np.arange(rows))


class TestPersons:
    ROLES = replace(NUMBER, person="who", rows_each=3)
    PLACED = replace(ROLES, columns=(Column(name="place", low=0, high=1200), *COLUMNS))

    def test_of_each_up_to_k_rows_are_taken_by_chance(self):
        file = people()
        counts = file["who"].value_counts()
        own = choose(file, self.PLACED)
        found = rows_of(own)
        place = np.rint((found.X[:, 1] + 1) * 600).astype(int)
        taken = file["who"].iloc[place].value_counts()
        assert (len(set(place)), found.ends[-1]) == (len(place), len(place))
        assert (taken.sort_index() == np.minimum(counts, 3).sort_index()).all()
        first = file["who"].iloc[place[found.first(320)]]
        assert first.nunique() == 320
        assert not {*first} & {*file["who"].iloc[place[found.first(320).stop :]]}
        statistics = settings("regression", self.PLACED, file=file).problem.training_statistics()
        assert (statistics.rows, statistics.present_rows) == (960, found.first(320).stop)

    def test_each_of_a_persons_rows_is_as_likely(self):
        rng = np.random.default_rng(0)
        given = RowsByPerson(np.arange(5), np.array([0]), np.array([5]))
        drawn = [regression_rows.drawn_rows(given, np.array([0]), 2, rng)[0] for _ in range(3000)]
        assert {len({*rows}) for rows in drawn} == {2}
        share = np.bincount(np.concatenate(drawn), minlength=5) / 3000
        assert np.abs(share - 0.4).max() < 4 * np.sqrt(0.24 / 3000)

    def test_the_guarantee_is_for_a_person_and_the_noise_for_k_rows(self):
        several, single = (
            settings("regression", replace(self.ROLES, rows_each=k), file=people(), repeats=40)
            for k in (3, 1)
        )
        for name in ("published", "functional", "gaussian", "adassp"):
            sd = [one.change(mechanism=name).experiment.run().noise_sd for one in (several, single)]
            assert sd[0] == pytest.approx(3 * sd[1], rel=0.12), name


# A row is a corner of the box, or missing.
CORNERS = {
    d: [*itertools.product([1.0], *[[-1.0, 0.0, 1.0]] * d, [-1.0, 1.0]), (0.0,) * (d + 2)]
    for d in (1, 2)
}


def released(way, statistics: Statistics) -> list[np.ndarray]:
    """What the noise is put on, in units in which it is the same on each: found by switching it on,
    one draw a time.
    """
    p, epsilon = statistics.inputs, np.array([1.0])
    width = len(way.draws(p, np.random.default_rng(0)))
    quiet = way.fit(statistics, np.zeros((1, width)), epsilon)
    at = np.concatenate([quiet.gram[0, 0].ravel(), quiet.moment[0, 0]])
    found = []
    for place in range(width):
        noisy = way.fit(statistics, np.eye(width)[place : place + 1], epsilon)
        step = np.concatenate([noisy.gram[0, 0].ravel(), noisy.moment[0, 0]]) - at
        if np.abs(step).max() > 0:
            entry = int(np.abs(step).argmax())
            found.append(at[entry] / step[entry])
    return found


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("rows_each", [1, 2, 3])
@pytest.mark.parametrize("d", [1, 2])
def test_no_neighbours_move_a_release_further_than_its_noise_is_for(d, rows_each, gaps):
    """All a person's rows replaced, found by brute force over corners; sums over k equal rows are
    the worst.
    """
    options = {"rows_each": rows_each, "gaps": gaps}
    gaussian, rest = (
        mechanism("gaussian", delta=1e-5, **options),
        [[1.0] * (d + 2), [1.0, *[-1.0] * d, 0.5]],
    )
    mu = 1 / gaussian.event(1.0).noise_multiplier
    for way, norm, most, least in (
        (functional.Functional(**options), 1, 1.0, 0.9),
        (gaussian, 2, mu, 0.85),
    ):
        units = []
        for corner in CORNERS[d][: None if gaps else -1]:
            rows = np.array([*rest, *[corner] * rows_each])
            units.append(
                released(way, replace(Statistics.of(rows[:, :-1], rows[:, -1]), rows=2 + rows_each))
            )
        moved = np.linalg.norm(np.array(units)[:, None] - np.array(units), norm, axis=-1)
        assert least * most < moved.max() <= most * (1 + 1e-9)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("weight", [0.2, 1.0, 1.7])
def test_a_row_that_goes_missing_moves_the_triangle_by_its_own_sensitivity(d, weight):
    rows = np.array([*itertools.product([-1.0, 1.0], repeat=d + 1)])
    X, y = np.column_stack([np.ones(len(rows)), rows[:, :-1]]), rows[:, -1]
    upper = np.triu_indices(d + 1)
    moved = np.abs(X[:, upper[0]] * X[:, upper[1]]).sum(1) + weight * np.abs(X * y[:, None]).sum(1)
    assert moved.max() == pytest.approx(functional.missing_triangle_sensitivity(d + 1, weight))


def neighbours(rows_each: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows X and y of which a person has some: replaced, opposite or missing."""
    n, p = 5 + rows_each, 3
    X, y = (
        np.column_stack([np.ones(n), rng.choice([-1.0, 1.0], (n, p - 1))]),
        rng.choice([-1.0, 1.0], n),
    )
    Z, z, mine = X.copy(), y.copy(), slice(rows_each)
    case = rng.integers(3)
    if case == 0:
        Z[mine], z[mine] = 0, 0
    elif case == 1:
        X[mine], y[mine], Z[mine], z[mine] = X[0], y[0], X[0], -y[0]
    else:
        Z[mine, 1:] = rng.uniform(-1, 1, (rows_each, p - 1))
    return [(X, y), (Z, z)]


@pytest.mark.parametrize("rows_each", [1, 3])
def test_no_neighbour_moves_optimum_gradient_or_eigenvalue_further(rows_each):
    rng, reached = np.random.default_rng(0), np.zeros(3)
    way = mechanism("output", penalty=40.0, rows_each=rows_each)
    step = {"steps": 1, "rate": 1.0, "radius": 1e9, "clip_norm": 0.4}
    descent = mechanism("descent", **step, rows_each=rows_each)
    for _ in range(400):
        pair = neighbours(rows_each, rng)
        one, other = (Statistics.of(*rows) for rows in pair)
        ends = [
            way.fit(each, np.zeros((1, 3)), np.array([1.0])).weights[0, 0] for each in (one, other)
        ]
        gradients = [
            descent.fit(Rows.of(*rows), np.zeros((1, 3)), np.array([1.0])).weights[0, 0]
            for rows in pair
        ]
        least = [np.linalg.eigvalsh(each.gram)[0] for each in (one, other)]
        moved = (
            np.linalg.norm(ends[0] - ends[1]) / way.l2_sensitivity(40.0, inputs=3, rows=one.rows),
            np.linalg.norm(gradients[0] - gradients[1]) / (2 * rows_each * 0.4 / one.rows),
            abs(least[0] - least[1]) / (3 * rows_each),
        )
        reached = np.maximum(reached, moved)
    assert (reached <= 1 + 1e-9).all()
    assert (reached[:2] > 0.5).all()
    # what one draw of standard noise does in a step, and what it does where a person has one row
    scaled = []
    for k in (rows_each, 1):
        noise = np.stack([np.zeros(3), np.ones(3)])
        descent = mechanism("descent", **step, rows_each=k)
        scaled.append(
            np.subtract(*descent.fit(Rows.of(*pair[0]), noise, np.array([1.0])).weights[0])
        )
    np.testing.assert_allclose(scaled[0], rows_each * scaled[1])


def test_the_script_runs_where_the_file_is(tmp_path, monkeypatch):
    """Filled in as it asks for it, it prints the page's own numbers."""
    of = settings("regression")
    before, _, rest = archive.script(of).partition("roles = Roles(")
    (tmp_path / "your-file.csv").write_text(frame().to_csv(index=False))
    monkeypatch.chdir(tmp_path)
    printed = []
    exec(before + f"roles = {NUMBER!r}\n" + rest.partition("\n)\n")[2], {"print": printed.append})
    assert printed == [of.experiment.run().table().to_string()]


# Cells that a column may have: ends of bins, both sides of them, zero, what is missing and what
# lies far out.
CELLS = (-math.inf, -1e12, -3.0, -2.0, -1e-9, 0.0, 1e-9, 1.0, 2.0, 2.1, 1e12, math.inf, math.nan)


def test_one_row_for_another_moves_two_bins_by_one_and_one_that_comes_moves_one():
    def moved(one, other):
        return np.abs(
            private_bounds.histogram(np.array(one)) - private_bounds.histogram(np.array(other))
        ).sum()

    for first, second, other in itertools.product(CELLS, repeat=3):
        assert moved([first, second], [first, other]) <= private_bounds.mechanism(1.0).sensitivity
        assert moved([first, second], [first, second, other]) <= 1
    assert private_bounds.mechanism(0.5).scale == 4


@pytest.mark.parametrize("cell", CELLS[:-1])
def test_each_number_has_the_bin_that_it_lies_in(cell):
    (place,) = np.flatnonzero(private_bounds.histogram(np.array([cell])))
    low, high = EDGES[place], EDGES[place + 1]
    inside = low < cell <= high if cell else low == 0
    assert inside or (place in (0, BINS - 1) and abs(cell) > EDGES[-1])


def test_the_threshold_is_where_the_largest_of_so_many_draws_lies_one_time_in_a_thousand():
    for epsilon in (0.05, 0.2, 1.0):
        law = stats.laplace(scale=2 / epsilon)
        assert law.cdf(private_bounds.threshold(epsilon)) ** BINS == pytest.approx(0.999, abs=1e-9)
        missed = law.cdf(private_bounds.threshold(epsilon) - private_bounds.surely_seen(epsilon))
        assert missed == pytest.approx(0.0005)


def test_bounds_hold_nearly_all_rows_and_are_the_outermost_bins():
    rng, epsilon = np.random.default_rng(1), 0.1
    values = rng.uniform(18, 90, 100_000)
    values[:3] = 1e6, 5e7, -4e8
    found = [private_bounds.bounds(values, epsilon=epsilon, rng=rng) for _ in range(200)]
    assert set(found) == {(16.0, 128.0)}
    nobody = np.full(100_000, np.nan)
    assert (
        sum(
            private_bounds.bounds(nobody, epsilon=epsilon, rng=rng) is not None for _ in range(1000)
        )
        <= 5
    )
    with pytest.raises(check.RefusedError, match="at least 70,"):
        private_bounds.bounds(np.arange(3000.0), epsilon=0.1, rng=rng)
    assert private_bounds.least_rows(0.07) == pytest.approx(1e5, rel=0.01)
    epsilon = 0.5
    for _ in range(50):  # the outermost bins by a plain loop
        counts = rng.laplace(scale=4.0, size=BINS) + rng.choice([0, 60], BINS, p=[0.95, 0.05])
        inhabited = [
            place for place in range(BINS) if counts[place] > private_bounds.threshold(epsilon)
        ]
        plain_loop = (EDGES[inhabited[0]], EDGES[inhabited[-1] + 1]) if inhabited else None
        assert private_bounds.outermost(counts, epsilon=epsilon) == plain_loop


def paid(*payments: float, by: str = "", person: str = ""):
    payments = tuple(Payment(epsilon=epsilon, person=by) for epsilon in payments)
    bought = Column(name="hours", low=0, high=16, paid=0.1)
    chosen = replace(
        CLASSES, columns=(bought, *CLASSES.columns[:1]), payments=payments, person=person
    )
    return own_rows.choose(table_of(frame(1000, people=1000)), chosen)


def test_buying_draws_anew_and_payments_for_rows_protect_no_person(monkeypatch):
    with pytest.raises(check.RefusedError, match="before a column identified the persons"):
        paid(0.1, person="who")
    assert paid(0.1, by="who", person="who").roles.spent == 0.1
    assert paid(0.1, by="who").roles.spent == 0.1
    table, column = table_of(frame(1000)), Column(name="hours")
    with pytest.raises(check.RefusedError, match="at least"):
        column_bounds.buy(table, column, epsilon=0.1)
    drawn = []
    monkeypatch.setattr(
        private_bounds,
        "bounds",
        lambda values, *, epsilon, rng: drawn.append((values, rng.random())),
    )
    assert column_bounds.buy(table, column, epsilon=0.1) == replace(column, paid=0.1)
    column_bounds.buy(table, column, epsilon=0.1, person="plan")
    (rows, once), (people, again) = drawn
    assert (len(rows), len(people)) == (1000, 3)
    assert once != again
