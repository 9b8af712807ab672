"""A number as the answer of a file of one's own: what becomes of its cells, who is protected, what is said."""

import itertools
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from dpcore import check
from dpcore.attacks import audit
from dpcore.data import regression as regression_data
from dpcore.estimators.linear import REGRESSIONS, mechanism
from dpcore.privacy import Adjacency
from dpcore.regression import functional
from dpcore.regression.least_squares import Statistics
from lab.files import own_numbers, own_rows, own_table
from lab.files.file_handles import key
from lab.files.own_rows import Column, OwnRows, Roles
from pages.regression import figures
from pages.regression.experiment import RegressionSettings
from pages.regression.page import PAGE
from tests.sentences import broken_by, plain
from tests.test_regression_words import RULES, numbers
from ui import takeaway

HELD = []


@pytest.fixture(autouse=True, scope="module")
def _hold():
    yield
    HELD.clear()


def table_of(frame: pd.DataFrame) -> own_table.Table:
    HELD.append(own_table.read(frame.to_csv(index=False).encode()))
    return HELD[-1]


def salaries(rows: int = 1000, *, seed: int = 0) -> pd.DataFrame:
    """A made-up table: who works longer and has been at school for longer earns more."""
    rng = np.random.default_rng(seed)
    school, hours = rng.integers(8, 22, rows), rng.uniform(0, 48, rows).round(1)
    return pd.DataFrame(
        {
            "who": [f"E{number:05}" for number in range(rows)],
            "school": school,
            "hours": hours,
            "trade": rng.choice(["care", "schools", "roads"], rows),
            "salary": (school * hours / 12 + rng.normal(0, 6, rows)).round(1),
        }
    )


ROLES = Roles(
    answer="salary",
    classes=(),
    target=Column(name="salary", low=0, high=80),
    columns=(
        Column(name="school", low=8, high=22),
        Column(name="hours", low=0, high=48),
        Column(name="trade", kind="category", values=("care", "schools")),
    ),
)


@pytest.fixture(scope="module")
def table():
    return table_of(salaries())


def settings_of(own: str, **changes) -> RegressionSettings:
    start = RegressionSettings(repeats=4, draw=1, epsilon=1.0, mechanism="gaussian")
    return start.change(dataset="own").change(own=own).change(**changes)


def choose(frame: pd.DataFrame, roles: Roles = ROLES) -> OwnRows:
    return own_rows.choose(table_of(frame), roles)


def rows_of(own: OwnRows, seed: int = 4) -> regression_data.Table:
    return regression_data.load(key(own), seed=seed)


def same(one: RegressionSettings, other: RegressionSettings) -> bool:
    """Whether all numbers of both are equal to the last bit."""
    parts = [[*result.at_now.values(), *result.curves.values()] for result in (one.run(), other.run())]
    arrays = [[value for part in found for value in vars(part).values()] for found in parts]
    return all(np.array_equal(*pair) for pair in zip(*arrays, strict=True))


class TestRoles:
    def test_nothing_lacks(self):
        assert ROLES.lacks() == ()

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"target": Column(name="salary")}, "salary has no bounds"),
            ({"target": Column(name="salary", low=3, high=3)}, "the lowest value of salary must be below"),
            ({"columns": (Column(name="salary", low=0, high=1),)}, "salary is what is predicted"),
            ({"target": Column(name="salary", low=0, high=1e31)}, "the bounds of salary must lie within 1e"),
            ({"columns": ROLES.columns[:1]}, "one input is chosen, and a regression needs two"),
            (
                {"columns": tuple(Column(name=c, kind="category", values=tuple(map(str, range(40)))) for c in "ab")},
                "the columns make 78 inputs",
            ),
        ],
        ids=str,
    )
    def test_what_is_missing_is_said_and_nothing_is_trained(self, table, changes, said):
        roles = replace(ROLES, **changes)
        assert any(sentence.startswith(said) for sentence in roles.lacks())
        with pytest.raises(check.RefusedError):
            own_rows.choose(table, roles)

    def test_bounds_of_the_answer_can_be_read_off_and_are_told(self, table):
        low, high = own_rows.read_off(table, "salary")
        roles = replace(ROLES, target=Column(name="salary", low=low, high=high, read_off=True))
        settings = settings_of(own_rows.choose(table, roles))
        assert (roles.void, settings.void) == (("salary",), "bounds were read off private rows")
        assert settings.promise is None
        told = str({name: str(value) for name, value in asdict(settings).items()}) + takeaway.script(settings)
        assert f"{high:g}" not in told.replace(str(settings.own), "")

    def test_no_number_is_its_own_answer_in_disguise(self):
        assert ROLES.disguised == ()
        assert replace(ROLES, columns=(*ROLES.columns, Column(name="base_salary", low=0, high=1))).disguised

    @pytest.mark.parametrize(("name", "value"), [("rows_each", 0), ("rows_each", 51), ("gaps", 1)])
    def test_what_has_no_meaning_is_refused(self, table, name, value):
        with pytest.raises(check.RefusedError, match=name):
            own_rows.choose(table, replace(ROLES, **{name: value}))


def test_a_file_written_from_the_study_gives_its_numbers():
    """The same rows in the same order, and every row with an answer: all six methods, bit for bit."""
    source = regression_data.SOURCES["diabetes"]
    X, y = load_diabetes(return_X_y=True, scaled=False)
    frame = pd.DataFrame(X, columns=source.features).assign(answer=y)
    roles = Roles(
        answer="answer",
        classes=(),
        target=Column(name="answer", low=source.label_bounds[0], high=source.label_bounds[1]),
        columns=tuple(Column(name=name, low=low, high=high) for name, (low, high) in source.bounds.items()),
        gaps=False,
    )
    own = settings_of(choose(frame, roles), seed=7)
    built = RegressionSettings(repeats=4, draw=1, epsilon=1.0, mechanism="gaussian", seed=7).change(dataset="diabetes")
    assert (own.rows, own.features) == (built.rows, built.features) == (353, 10)
    assert same(own, built)
    one, other = own.run(), built.run()
    pd.testing.assert_frame_equal(one.table(), other.table())
    pd.testing.assert_frame_equal(one.coefficients(), other.coefficients())
    assert [own.guarantee(name) for name in REGRESSIONS] == [built.guarantee(name) for name in REGRESSIONS]


class TestRows:
    def test_cells_become_what_the_bounds_say(self):
        frame = salaries().astype(object)
        frame.loc[0, ["school", "hours", "trade", "salary"]] = [30, 24, "mines", 1e9]
        frame.loc[1, ["school", "hours", "trade", "salary"]] = ["", "n/a", "schools", "?"]
        own = choose(frame)
        found, order = rows_of(own), np.random.default_rng()
        order = regression_data.stream(4, "data").permutation(1000)
        X, y = (np.empty_like(part) for part in (found.X, found.y))
        places = order if len(found.y) == 1000 else order[order != 1]  # held out, it cannot be measured by
        X, y = dict(zip(places, found.X, strict=True)), dict(zip(places, found.y, strict=True))
        assert X[0].tolist() == [1, 1, 0, -1]
        assert y[0] == 80
        if 1 in X:
            assert X[1].tolist() == [0] * 4

    def test_what_lies_outside_of_the_bounds_or_is_left_out_changes_nothing(self, table):
        frame = salaries()
        low, high = frame["salary"] <= 0, frame["salary"] >= 80
        frame["salary"] = frame["salary"].mask(low, -1e7).mask(high, 1e9)
        frame["trade"] = frame["trade"].replace("roads", "whatever").replace("care", "none of these")
        frame["who"] = "the same"
        frame.insert(0, "secret", np.arange(len(frame)))
        assert same(settings_of(own_rows.choose(table, ROLES)), settings_of(choose(frame)))

    def test_a_row_without_an_answer_adds_nothing_and_stays(self):
        """Its other cells have no say, n is what it was, and the sums are those of the others alone."""
        frame, other = salaries(), salaries()
        frame.loc[::3, "salary"] = np.nan
        other["salary"] = other["salary"].astype(object)
        other.loc[::3, ["school", "hours", "salary"]] = [9, 3, "unknown"]
        one, two, whole = choose(frame), choose(other), choose(salaries())
        assert same(settings_of(one), settings_of(two))
        found, everyone = (settings_of(own).problem for own in (one, whole))
        assert found.train().rows == everyone.train().rows == 800
        assert found.train().there == found.train().gram[0, 0] < 800
        assert found.test().there == found.test().rows < 200
        there = ~np.isnan(rows_of(one).y[:800])
        again = Statistics.of(rows_of(one).X[:800][there], 2 * rows_of(one).y[:800][there] / 80 - 1)
        np.testing.assert_allclose(again.gram, found.train().gram)
        np.testing.assert_allclose(again.moment, found.train().moment)

    def test_where_no_answer_is_missing_one_that_is_counts_as_the_middle(self):
        frame, other = salaries(), salaries()
        frame.loc[::3, "salary"] = np.nan
        other.loc[::3, "salary"] = 40
        owns = [choose(each, replace(ROLES, gaps=False)) for each in (frame, other)]
        one, two = (settings_of(own).problem.train() for own in owns)
        np.testing.assert_array_equal(one.gram, two.gram)
        np.testing.assert_allclose(one.moment, two.moment, atol=1e-12)

    def test_too_large_a_table_is_refused(self, table, monkeypatch):
        monkeypatch.setattr(own_rows, "MOST_CELLS", 2999)
        with pytest.raises(check.RefusedError, match="3,000 numbers"):
            own_rows.choose(table, ROLES)


def people(rows: int = 1200, persons: int = 400) -> pd.DataFrame:
    """Persons of whom the first has 1 row, and the others up to 6."""
    who = np.random.default_rng(5).integers(1, persons, rows)
    who[:persons] = np.arange(persons)
    return salaries(rows).assign(who=[f"E{number}" for number in who], place=np.arange(rows))


class TestPersons:
    ROLES = replace(ROLES, person="who", rows_each=3)

    def test_of_each_up_to_k_rows_are_taken_by_chance(self):
        frame = people()
        counts = frame["who"].value_counts()
        roles = replace(self.ROLES, columns=(Column(name="place", low=0, high=1200), *ROLES.columns))
        own = choose(frame, roles)
        found = rows_of(own)
        place = np.rint((found.X[:, 1] + 1) * 600).astype(int)
        taken = frame["who"].iloc[place].value_counts()
        assert (len(set(place)), found.ends[-1]) == (len(place), len(place))
        assert (taken.sort_index() == np.minimum(counts, 3).sort_index()).all()
        first = frame["who"].iloc[place[found.first(320)]]
        assert first.nunique() == 320
        assert not {*first} & {*frame["who"].iloc[place[found.first(320).stop :]]}
        statistics = settings_of(own).problem.train()
        assert (statistics.rows, statistics.there) == (960, found.first(320).stop)

    def test_each_of_a_persons_rows_is_as_likely(self):
        rng, seen = np.random.default_rng(0), np.zeros(5)
        given = (np.arange(5), np.array([0]), np.array([5]))
        for _ in range(3000):
            rows, ends = own_numbers.taken(given, np.array([0]), 2, rng)
            seen[rows] += 1
            assert (len({*rows}), ends.tolist()) == (2, [2])
        assert np.abs(seen / 3000 - 0.4).max() < 4 * np.sqrt(0.24 / 3000)

    def test_nobodys_rows_have_a_say_in_which_of_anothers_are_taken(self):
        frame = people()
        more = pd.concat([frame, frame[frame["who"] == "E7"].assign(school=21)] * 2)
        roles = replace(self.ROLES, columns=(Column(name="place", low=0, high=1200), *ROLES.columns))
        one, other = (rows_of(choose(each, roles)) for each in (frame, pd.concat([frame, more[more["who"] == "E7"]])))
        theirs = [
            {tuple(row) for row in np.rint((found.X[:, 1:2] + 1) * 600).astype(int) if frame["who"][row[0]] != "E7"}
            for found in (one, other)
        ]
        assert theirs[0] == theirs[1]

    def test_the_guarantee_is_for_a_person_and_the_noise_for_k_rows(self):
        several, single = (
            settings_of(choose(people(), replace(self.ROLES, rows_each=k)), repeats=40, draw=1) for k in (3, 1)
        )
        assert several.guarantee("gaussian").unit == "person"
        assert settings_of(choose(salaries())).guarantee("gaussian").unit == "record"
        for name in ("published", "functional", "gaussian", "adassp"):
            sd = [settings.change(mechanism=name).run().noise_sd for settings in (several, single)]
            gaps = several.mechanism_of(name), single.mechanism_of(name)
            assert [one.rows_each for one in gaps] == [3, 1]
            assert sd[0] == pytest.approx(3 * sd[1], rel=0.12), name


# A row is a corner of the box, or missing.
CORNERS = {d: [*itertools.product([1.0], *[[-1.0, 0.0, 1.0]] * d, [-1.0, 1.0]), (0.0,) * (d + 2)] for d in (1, 2)}


def released(way, statistics: Statistics) -> list[np.ndarray]:
    """What the noise is put on, in units in which it is the same on each: found by switching it on, one draw a time."""
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
class TestNeighbours:
    """All a person's rows replaced, found by brute force over corners; sums over k equal rows are the worst."""

    def changes(self, way, d: int, rows_each: int, *, gaps: bool) -> np.ndarray:
        corners = CORNERS[d][: None if gaps else -1]
        rest = np.array([[1.0] * (d + 2), [1.0, *[-1.0] * d, 0.5]])
        units = []
        for corner in corners:
            rows = np.vstack([rest, *[corner] * rows_each])
            found = replace(Statistics.of(rows[:, :-1], rows[:, -1]), rows=2 + rows_each)
            units.append(released(way, found))
        units = np.array(units)
        return units[:, None] - units[None]

    def test_laplace(self, d, rows_each, gaps):
        """No neighbours move what is released further, in units of its scale, than epsilon; and some do as far."""
        way = functional.Functional(repair="none", rows_each=rows_each, gaps=gaps)
        moved = np.abs(self.changes(way, d, rows_each, gaps=gaps)).sum(-1)
        assert moved.max() <= 1 + 1e-9
        assert moved.max() > 0.9

    def test_gaussian(self, d, rows_each, gaps):
        way = mechanism("gaussian", repair="none", rows_each=rows_each, gaps=gaps, delta=1e-5)
        moved = np.linalg.norm(self.changes(way, d, rows_each, gaps=gaps), axis=-1)
        mu = 1 / way.event(1.0).noise_multiplier
        assert moved.max() <= mu * (1 + 1e-9)
        assert moved.max() > 0.85 * mu


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("weight", [0.2, 1.0, 1.7])
def test_a_row_that_goes_missing_moves_the_triangle_by_its_own_sensitivity(d, weight):
    rows = np.array([*itertools.product([-1.0, 1.0], repeat=d + 1)])
    X, y = np.column_stack([np.ones(len(rows)), rows[:, :-1]]), rows[:, -1]
    upper = np.triu_indices(d + 1)
    moved = np.abs(X[:, upper[0]] * X[:, upper[1]]).sum(1) + weight * np.abs(X * y[:, None]).sum(1)
    assert moved.max() == pytest.approx(functional.missing_triangle_sensitivity(d + 1, weight))


def neighbours(rows_each: int, rng: np.random.Generator) -> tuple[Statistics, Statistics]:
    """Rows of which a person has some: replaced, opposite or missing."""
    n, p = 5 + rows_each, 3
    X, y = np.column_stack([np.ones(n), rng.choice([-1.0, 1.0], (n, p - 1))]), rng.choice([-1.0, 1.0], n)
    Z, z = X.copy(), y.copy()
    case = rng.integers(3)
    if case == 0:
        Z[:rows_each], z[:rows_each] = 0, 0
    elif case == 1:
        X[:rows_each], y[:rows_each] = X[0], y[0]
        Z[:rows_each], z[:rows_each] = X[0], -y[0]
    else:
        Z[:rows_each, 1:] = rng.uniform(-1, 1, (rows_each, p - 1))
    return Statistics.of(X, y), replace(Statistics.of(Z, z), rows=n)


@pytest.mark.parametrize("rows_each", [1, 3])
class TestOtherSensitivities:
    def test_no_neighbour_moves_the_optimum_or_its_gradient_further(self, rows_each):
        rng, reached = np.random.default_rng(0), np.zeros(3)
        way = mechanism("output", penalty=40.0, rows_each=rows_each)
        w = rng.normal(size=3)
        longest = np.sqrt(3) * (1 + np.abs(w).sum())
        for _ in range(400):
            one, other = neighbours(rows_each, rng)
            ends = [way.fit(each, np.zeros((1, 3)), np.array([1.0])).weights[0, 0] for each in (one, other)]
            gradients = [(each.gram @ w - each.moment) / each.rows for each in (one, other)]
            least = [np.linalg.eigvalsh(each.gram)[0] for each in (one, other)]
            moved = (
                np.linalg.norm(ends[0] - ends[1]) / way.sensitivity(40.0, inputs=3, rows=one.rows),
                np.linalg.norm(gradients[0] - gradients[1]) / (2 * rows_each * longest / one.rows),
                abs(least[0] - least[1]) / (3 * rows_each),
            )
            reached = np.maximum(reached, moved)
        assert (reached <= 1 + 1e-9).all()
        assert reached[0] > 0.5
        assert reached[1] > 0.5

    def test_a_step_and_an_eigenvalue_have_noise_for_all_rows_of_a_person(self, rows_each):
        """What one draw of standard noise does, beside what it does where a person has one row."""
        statistics, _ = neighbours(3, np.random.default_rng(1))
        scaled = []
        for k in (rows_each, 1):
            way = mechanism("descent", steps=1, radius=1e9, rows_each=k)
            noise = np.stack([np.zeros(3), np.ones(3)])
            quiet, noisy = way.fit(statistics, noise, np.array([1.0])).weights[0]
            scaled.append(noisy - quiet)
        np.testing.assert_allclose(scaled[0], rows_each * scaled[1])


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("epsilon", [1.0])
@pytest.mark.parametrize(("paid", "sound"), [(3, True), (1, False)])
def test_audit_of_three_rows_of_a_person(paid, sound, epsilon, missing):
    """Noise for three rows stands; noise for one, where one has three, is refuted. Also where all three go missing."""
    way = mechanism("gaussian", repair="none", delta=1e-5, rows_each=paid, gaps=True)
    rest = np.array([[1.0, 0.3, 0.1], [1.0, -0.5, -0.2], [1.0, 0.1, 0.4]])
    ends = (1.0, 1.0, 1.0), ((0.0, 0.0, 0.0) if missing else (1.0, 0.0, -1.0))
    worlds = [np.vstack([rest, *[end] * 3]) for end in ends]
    statistics = [Statistics.of(rows[:, :-1], rows[:, -1]) for rows in worlds]
    step = np.subtract(*(np.array(released(way, one)) for one in statistics))
    scores = []
    for number, one in enumerate(statistics):
        rng = np.random.default_rng([number, 11])
        noise = np.stack([way.draws(2, rng) for _ in range(20_000)])
        fit = way.fit(one, noise, np.array([epsilon]))
        blank = way.fit(one, np.zeros((1, noise.shape[1])), np.array([epsilon]))
        sd = [(fit.gram[0] - blank.gram[0]).std(0), (fit.moment[0] - blank.moment[0]).std(0)]
        entries = [fit.gram[0][:, 0, 0] / sd[0][0, 0], fit.gram[0][:, 0, 1] / sd[0][0, 1]]
        entries += [fit.gram[0][:, 1, 1] / sd[0][1, 1], *(fit.moment[0] / sd[1]).T]
        scores.append(np.stack(entries, -1) @ step)
    found = audit.epsilon_lower_bound(*scores, delta=1e-5, adjacency=Adjacency.REPLACE_ONE, form="gaussian")
    claim = way.guarantee(epsilon, inputs=2, rows=6)
    assert found.refutes(claim, proved=found.assumes) != sound
    assert found.epsilon > 0.4 * epsilon


def hostile() -> dict[str, tuple[pd.DataFrame, Roles]]:
    """Name -> (a file, what is said of it)."""
    frame = salaries(300)
    wide = pd.DataFrame(np.random.default_rng(0).uniform(0, 1, (120, 62)), columns=[f"c{n}" for n in range(62)])
    wide["salary"] = np.arange(120.0)
    many = tuple(Column(name=f"c{n}", low=0, high=1) for n in range(62))
    names = {"school": "<b>x</b>", "hours": "a" * 79}
    named = tuple(replace(column, name=names.get(column.name, column.name)) for column in ROLES.columns)
    few = frame.astype({"salary": object})
    few.loc[100:, "salary"] = ""
    return {
        "no answer": (frame.assign(salary=""), ROLES),
        "answers in words": (frame.assign(salary="much"), ROLES),
        "few answers": (few, ROLES),
        "one row": (frame.head(1), ROLES),
        "two rows": (frame.head(2), ROLES),
        "one person": (frame, replace(ROLES, person="trade")),
        "constant answer": (frame.assign(salary=40), ROLES),
        "answer at its bound": (frame.assign(salary=1e30), ROLES),
        "constant columns": (frame.assign(school=8, hours=0, trade="care"), ROLES),
        "missing columns": (frame.assign(school="", hours="x", trade=""), ROLES),
        "the same column twice": (frame.assign(school=frame["hours"] * 14 / 48 + 8), ROLES),
        "the answer itself": (frame.assign(school=frame["salary"]), ROLES),
        "more columns than rows": (wide, replace(ROLES, columns=many)),
        "infinite": (frame.assign(hours="inf", school="-inf"), ROLES),
        "names": (frame.rename(columns=names), replace(ROLES, columns=named)),
        "tiny bounds": (frame, replace(ROLES, target=Column(name="salary", low=40, high=40 + 1e-9))),
        "huge bounds": (frame, replace(ROLES, target=Column(name="salary", low=-1e30, high=1e30))),
        "negative bounds": (frame, replace(ROLES, target=Column(name="salary", low=-80, high=-1))),
    }


REFUSED = {"no answer", "answers in words", "one row", "two rows", "one person"}
# What the page of a file says besides.
OWN_RULES = {
    r"trained on ([\d,]+) (?:of [\d,]+ )?(rows|people)": lambda r, m: (
        int(m[1].replace(",", "")) == r.settings.rows and (m[2] == "people") == bool(r.settings.own.roles.person)
    ),
    r"of ([\d,]+) (?:rows|people), picked": lambda r, m: int(m[1].replace(",", "")) > r.settings.rows,
    r"measured on ([\d,]+) row": lambda r, m: int(m[1].replace(",", "")) == r.problem.test().there,
    r"one person, all of their rows": lambda r, _: r.settings.own.roles.person and r.settings.source.rows_each >= 1,
    r"The unit of privacy is one row": lambda r, _: not r.settings.own.roles.person,
    r"At most (\d+) rows of each person are used": lambda r, m: (
        int(m[1]) == r.settings.mechanism_of("gaussian").rows_each > 1
    ),
    r"up to (\d+) rows here": lambda r, m: int(m[1]) == r.settings.mechanism_of("output").rows_each > 1,
    r"number of such rows is protected too": lambda r, _: r.settings.mechanism_of("functional").gaps,
    r"becomes the midpoint of its bounds": lambda r, _: not r.settings.own.roles.gaps,
    r"nothing is guaranteed|guarantee is void": lambda r, _: bool(r.settings.own.roles.void),
    r"coin toss: 50": lambda r, _: not r.settings.void,
    r"held-out people|label bound": lambda *_: False,
}


def said_of(result) -> str:
    """All words of the page of a file, with its numbers and what its pictures are to who cannot see them."""
    view = PAGE.at(result.settings).view(result)
    alts = [picture.alt for board in view.boards for row in view.boards[board] for picture in row]
    return " ".join([*view.words.values(), *numbers(result), *alts])


@pytest.mark.parametrize("name", hostile())
def test_a_hostile_file_is_refused_or_has_a_sound_page(name):
    frame, roles = hostile()[name]
    if name in REFUSED:
        with pytest.raises(check.RefusedError):
            choose(frame, roles)
        return
    own = choose(frame, roles)
    for kind in REGRESSIONS:
        result = settings_of(own, mechanism=kind, repeats=3, draw=1).run()
        assert np.isfinite(result.at_now[kind].weights).all(), kind
        assert "<b>x" not in said_of(result)
        broken_by(plain(said_of(result)), result, {**RULES, **OWN_RULES} if name == "names" else {})


def various() -> list[RegressionSettings]:
    """Each method once, with what a file may have: persons, missing answers, void bounds, fewer rows."""
    off = replace(ROLES, target=replace(ROLES.target, read_off=True))
    kinds = [
        (salaries(), ROLES, {}),
        (salaries(), replace(ROLES, gaps=False), {"rows": 100}),
        (salaries(), off, {}),
        (people(), TestPersons.ROLES, {"rows": 200}),
        (people(), replace(TestPersons.ROLES, rows_each=1), {}),
    ]
    return [settings_of(choose(frame, roles), **changes) for frame, roles, changes in kinds]


def test_what_is_said_of_a_file_is_so():
    found = set()
    for settings in various():
        for kind, epsilon in itertools.product(REGRESSIONS, (0.05, 1.0, 50.0)):
            result = settings.change(mechanism=kind, epsilon=epsilon).run()
            found |= broken_by(plain(said_of(result)), result, {**RULES, **OWN_RULES})
    assert {*OWN_RULES} - found <= {r"held-out people|label bound"}


def test_no_row_of_a_file_is_drawn():
    """Whatever stands in the charts, it is of runs, of least squares or of declarations."""
    frame = salaries()
    result = settings_of(choose(frame)).run()
    drawn = figures.lines(result)
    assert [len(trace["x"]) for trace in drawn["data"]] == [2]
    assert len(figures.lines(RegressionSettings(repeats=2, draw=1).run())["data"]) == 2


def test_a_link_without_its_file_keeps_the_other_settings(table):
    own = own_rows.choose(table, ROLES)
    named = RegressionSettings().change(dataset="own", own=str(own), rows=300, features=3, epsilon=2.0)
    assert (named.source, named.rows, named.features) == (None, 300, 3)
    with pytest.raises(check.RefusedError, match="own"):
        named.run()
    found = named.change(own=own)
    assert (found.rows, found.features, found.epsilon) == (300, 3, 2.0)
    bare = RegressionSettings().change(dataset="own", own=str(own)).change(own=own)
    assert (bare.rows, bare.features, bare.label_top) == (800, 3, 200.0)
    assert bare.change(dataset="diabetes").label_top == 350


def test_a_script_asks_for_the_file_and_names_nothing_of_it(table):
    settings = settings_of(own_rows.choose(table, ROLES))
    script = takeaway.script(settings)
    assert "your-file.csv" in script
    assert "target=Column" in script
    for part in ("salary", "school", "hours", "care", "48", "22"):
        assert part not in script


def test_the_script_runs_where_the_file_is(table, tmp_path, monkeypatch):
    """Filled in as it asks for it, it prints the page's own numbers."""
    settings = settings_of(own_rows.choose(table, ROLES))
    script = takeaway.script(settings)
    (tmp_path / "your-file.csv").write_text(salaries().to_csv(index=False))
    monkeypatch.chdir(tmp_path)
    before, _, rest = script.partition("roles = Roles(")
    _, _, after = rest.partition("\n)\n")
    said, printed = [], before + f"roles = {ROLES!r}\n" + after
    exec(printed, {"print": said.append})
    assert said == [settings.run().table().to_string()]
