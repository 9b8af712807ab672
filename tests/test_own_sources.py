"""A column of one's own file that says the source: whose rows are private, what becomes of them, what the page says."""

import itertools
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from dpcore import check, transfer
from dpcore.data.paid_bounds import Payment
from dpcore.privacy import Adjacency
from dpcore.training import frank_wolfe as fw
from lab.files import own_rows, own_table
from lab.files.file_handles import key
from lab.files.own_rows import Column, OwnRows, Roles
from pages.transfer import figures, words
from pages.transfer.experiment import TransferSettings
from pages.transfer.own import OwnData
from pages.transfer.page import PAGE
from pages.transfer.words_tabs import OWN
from pages.transfer.work import CANDIDATES
from tests import reached
from tests.claims import better
from tests.sentences import Rules, broken_by, plain
from ui import takeaway
from ui.panels import tiles

HELD = []


@pytest.fixture(autouse=True, scope="module")
def _hold():
    yield
    HELD.clear()


def salaries(rows: int = 900, *, seed: int = 0) -> pd.DataFrame:
    """A made-up table: who works longer and has been at school for longer earns more, in one town a little less."""
    rng = np.random.default_rng(seed)
    school, hours, town = rng.integers(8, 22, rows), rng.uniform(0, 48, rows).round(1), rng.integers(0, 3, rows)
    return pd.DataFrame(
        {
            "who": [f"E{number:05}" for number in range(rows)],
            "school": school,
            "hours": hours,
            "trade": rng.choice(["care", "schools", "roads"], rows),
            "town": np.array(["Ashford", "Brookside", "Cedar Hill"])[town],
            "salary": (school * hours / 12 - 3 * (town == 2) + rng.normal(0, 6, rows)).round(1),
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
    source="town",
    own_source="Ashford",
    sources=("Brookside", "Cedar Hill"),
)


def choose(frame: pd.DataFrame, roles: Roles = ROLES) -> OwnRows:
    HELD.append(own_table.read(frame.to_csv(index=False).encode()))
    return own_rows.choose(HELD[-1], roles)


@pytest.fixture(scope="module")
def own():
    return choose(salaries())


def settings_of(own: str, **changes) -> TransferSettings:
    return TransferSettings(repeats=6).change(dataset="own").change(own=own).change(**changes)


def problem_of(own: OwnRows, *, seed: int = 3):
    return OwnData(own=key(own), seed=seed, rows=10**6).problem


def arrays(own: OwnRows) -> list[np.ndarray]:
    """All that a result is made of, of known and of detected sources."""
    results = [settings_of(own, selection=kind).run() for kind in ("known", "detected")]
    found = [[one.focus.risk, one.focus.kept, one.over_epsilon.runs, one.over_migrated.runs] for one in results]
    return [*itertools.chain(*found), *results[0].walks.points, results[0].walks.truth, results[0].walks.source]


def same(one: OwnRows, other: OwnRows) -> bool:
    return all(np.array_equal(*pair) for pair in zip(arrays(one), arrays(other), strict=True))


class TestRoles:
    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"own_source": " "}, "town has no value whose rows are private"),
            ({"sources": ()}, "town has one source, and needs two"),
            ({"sources": ("Ashford",)}, "town has an empty source, or one twice"),
            ({"sources": tuple(map(str, range(13)))}, "town has 14 values, more than 13"),
            ({"source": "hours"}, "hours says which source a row is of, and is nothing else"),
            ({"source": "salary"}, "salary says which source a row is of"),
            ({"person": "town"}, "town says which source a row is of"),
        ],
        ids=str,
    )
    def test_what_is_missing_is_said_and_nothing_is_trained(self, changes, said):
        roles = replace(ROLES, **changes)
        assert any(sentence.startswith(said) for sentence in roles.lacks())
        with pytest.raises(check.RefusedError):
            choose(salaries(), roles)

    def test_sizes_are_of_the_target_and_of_each_source(self, own):
        counts = salaries()["town"].value_counts()
        assert own.sizes == tuple(counts[[ROLES.own_source, *ROLES.sources]])

    def test_values_are_typed_and_never_looked_up(self):
        """A value that nobody has declared is not read: neither private nor public."""
        roles = replace(ROLES, sources=("Brookside",))
        frame = salaries()
        other = frame.assign(salary=frame["salary"].where(frame["town"] != "Cedar Hill", 79.0))
        assert same(choose(frame, roles), choose(other, roles))


def hostile() -> dict[str, tuple[pd.DataFrame, Roles]]:
    frame = salaries()
    ashford = frame["town"] == "Ashford"
    brook = frame.index[frame["town"] == "Brookside"]
    return {
        "no target": (frame, replace(ROLES, own_source="Nowhere")),
        "few of the target": (frame[~ashford | (ashford.cumsum() <= 99)], ROLES),
        "a source without a row": (frame, replace(ROLES, sources=("Brookside", "Nowhere"))),
        "a source without an answer": (frame.assign(salary=frame["salary"].where(frame["town"] != "Brookside")), ROLES),
        "all of the target": (frame.assign(town="Ashford"), ROLES),
        "a target without answers": (frame.assign(salary=frame["salary"].where(~ashford)), ROLES),
        "no such column": (frame.drop(columns="town"), ROLES),
        "a source of one row": (frame.drop(index=brook[1:]), ROLES),
        "one source of one row": (frame.drop(index=brook[1:]), replace(ROLES, sources=("Brookside",))),
        "all answers alike": (frame.assign(salary=40), ROLES),
        "all beyond the bounds": (frame.assign(salary=1e30, school=-1e30, hours="x"), ROLES),
        "names": (frame.replace({"town": {"Brookside": "<b>x"}}), replace(ROLES, sources=("<b>x", "Cedar Hill"))),
        "one person": (frame.assign(who="E"), replace(ROLES, person="who")),
        "sources far away": (frame.assign(salary=frame["salary"].where(ashford, 80 - frame["salary"])), ROLES),
        "blank": (frame.assign(town=frame["town"].where(frame.index % 5 > 0, "")), ROLES),
    }


REFUSED = {
    "no target",
    "few of the target",
    "a source without a row",
    "a source without an answer",
    "all of the target",
    "a target without answers",
    "no such column",
    "one person",
}


@pytest.mark.parametrize("name", hostile())
def test_a_hostile_file_is_refused_or_has_a_sound_page(name):
    frame, roles = hostile()[name]
    if name in REFUSED:
        with pytest.raises(check.RefusedError):
            choose(frame, roles)
        return
    own = choose(frame, roles)
    for selection, epsilon in itertools.product(("known", "detected"), (0.05, 50.0)):
        result = settings_of(own, selection=selection, epsilon=epsilon).run()
        assert np.isfinite(result.focus.risk).all()
        assert "<b>x" not in said_of(result)
        broken_by(plain(said_of(result)), result, RULES)


class TestRows:
    def test_cells_become_what_the_bounds_say(self):
        frame = salaries().assign(school=15, hours=60, trade="care", salary=20)
        found = problem_of(choose(frame))
        np.testing.assert_array_equal(found.X, np.tile([1.0, 0.0, 1.0, -1.0], (len(found.X), 1)))
        np.testing.assert_allclose(found.y, -0.5)
        assert found.half == 40
        np.testing.assert_allclose(found.risk(np.zeros((2, 4))), 20)

    def test_each_row_has_one_place(self, own):
        found, frame = problem_of(own), salaries()
        salary = np.concatenate([found.y, found.y_test])
        for part, town in ((salary, "Ashford"), *zip([y for _, y in found.sources], ROLES.sources, strict=True)):
            expected = np.clip(frame["salary"][frame["town"] == town], 0, 80) / 40 - 1
            np.testing.assert_allclose(np.sort(part), np.sort(expected))
        assert len(found.y) == int(0.8 * own.sizes[0])

    def test_what_lies_outside_of_the_bounds_or_is_left_out_changes_nothing(self):
        low = salaries().assign(who="x", more=1.0)
        low.loc[::7, "hours"], low.loc[::11, "salary"] = 48.0, 80.0
        high = low.assign(who=range(len(low)), more=2.0)
        high.loc[::7, "hours"], high.loc[::11, "salary"] = 4e9, 8e9
        assert same(choose(low), choose(high))

    def test_a_private_row_without_an_answer_adds_nothing_and_stays(self):
        frame = salaries()
        blank = frame.assign(salary=frame["salary"].where(frame.index % 3 > 0))
        found = problem_of(choose(blank))
        gone = ~found.X.any(axis=1)
        assert 0.2 < gone.mean() < 0.5
        assert not found.y[gone].any()
        assert len(found.y) == len(problem_of(choose(frame)).y)
        middle = problem_of(choose(blank, replace(ROLES, gaps=False)))
        assert middle.X.any(axis=1).all()

    def test_where_nothing_can_be_measured_no_error_is_made_up(self):
        found = replace(problem_of(choose(salaries())), X_test=np.empty((0, 4)), y_test=np.empty(0))
        assert np.isnan(found.risk(np.zeros((3, 4)))).all()

    def test_of_a_person_one_row_is_taken_whatever_others_have(self):
        frame = salaries().assign(who=np.arange(900) // 2 // 2)
        own = choose(frame, replace(ROLES, person="who"))
        people = frame[frame["town"] == "Ashford"]["who"].nunique()
        assert own.sizes[0] == people
        found = problem_of(own)
        assert len(found.y) + len(found.y_test) == people
        assert OwnData(own=key(own), seed=3, rows=9).unit == "person"


def tiny(rows: list[list[float]], y: list[float], *, dimension: int):
    return np.array(rows, float).reshape(-1, dimension), np.array(y, float)


class TestNeighbours:
    """The sensitivities that the noise is made for, by all neighbours of a tiny target that bounds can map to."""

    # A constant and one input, at and within its bounds, with an answer likewise; and a row that adds nothing.
    ROWS = (*(((1.0, x), y) for x, y in itertools.product((-1.0, 0.3, 1.0), (-1.0, 0.2, 1.0))), ((0.0, 0.0), 0.0))

    def pairs(self):
        """(X, y) of two rows, and of each with its second row replaced."""
        for first, one, other in itertools.product(self.ROWS, self.ROWS, self.ROWS):
            yield tuple((np.array([first[0], last[0]]), np.array([first[1], last[1]])) for last in (one, other))

    def test_no_target_row_moves_a_score_or_a_loss_further(self):
        centre, away = np.array([0.3, 0.6]), np.array([[0.0, 0.0], [0.7, 0.0], [0.0, -0.7]])
        ball = fw.L1Ball(dimension=2, radius=0.7)
        scores, losses = [], []
        for pair in self.pairs():
            both = [
                (np.clip(y - (away + centre) @ X.T, -transfer.RESIDUAL_BOUND, transfer.RESIDUAL_BOUND) @ X / -2)
                for X, y in pair
            ]
            scores.append(np.abs(ball.scores(both[0]) - ball.scores(both[1])).max())
            seen = [
                transfer.clipped_losses(X, y, away + centre, residual_bound=transfer.RESIDUAL_BOUND) for X, y in pair
            ]
            losses.append(np.linalg.norm(seen[0] - seen[1]))
        claimed = fw.score_sensitivity(0.7, residual_bound=1.0, rows=2, adjacency=Adjacency.REPLACE_ONE)
        assert 0.9 * claimed < max(scores) <= claimed + 1e-12
        assert max(losses) <= transfer.loss_sensitivity(3, residual_bound=1.0, rows=2) + 1e-12

    def test_another_target_row_in_the_file_is_one_row_of_the_problem(self):
        """Whatever is written into one row of the target: one place of the private or of the held-out rows changes."""
        frame = salaries()
        before = problem_of(choose(frame))
        place = frame.index[frame["town"] == "Ashford"][17]
        for cells in ({"salary": 1e9}, {"salary": None}, {"school": -5, "hours": "x", "trade": "?"}):
            other = frame.copy().astype(object)
            other.loc[place, list(cells)] = list(cells.values())
            after = problem_of(choose(other))
            moved = (before.X != after.X).any(axis=1) | (before.y != after.y)
            assert moved.sum() <= 1
            if not moved.any():
                assert len(before.y_test) - len(after.y_test) in (0, 1)
            assert np.abs(after.X).max() <= 1
            assert np.abs(after.y).max() <= 1
            for one, two in zip(before.sources, after.sources, strict=True):
                np.testing.assert_array_equal(one[0], two[0])

    def test_the_noise_looks_at_no_cell(self, own):
        one, other = (settings_of(choose(salaries(seed=seed))) for seed in (0, 1))
        rows = min(one.target_rows, other.target_rows)
        plans = [each.change(target_rows=rows).model.plans(1.0, 0) for each in (one, other)]
        assert {name: plans[0][name] for name in ("target", "transfer", "alone")} == {
            name: plans[1][name] for name in ("target", "transfer", "alone")
        }

    @pytest.mark.parametrize("selection", ["known", "detected"])
    def test_each_candidate_spends_epsilon_and_no_more(self, own, selection):
        settings = settings_of(own, selection=selection, epsilon=2.0)
        for name in ("target", "pooled", "transfer"):
            assert settings.model.guarantee(name, 2.0, settings.migrated).epsilon == pytest.approx(2, rel=1e-6)
        assert settings.promise.unit == "record"
        person = settings_of(choose(salaries(), replace(ROLES, person="who")))
        assert person.promise.unit == "person"


class TestSettings:
    def test_they_begin_with_all_rows_of_the_file(self, own):
        settings = settings_of(own)
        assert (settings.sources, settings.dimension) == (2, 4)
        assert (settings.target_rows, settings.migrated) == (int(0.8 * own.sizes[0]), sum(own.sizes[1:]))
        assert settings.data.counts(settings.migrated) == own.sizes[1:]
        assert settings.change(dataset="made") == TransferSettings(repeats=6)

    def test_what_only_a_known_truth_gives_a_meaning_is_refused(self, own):
        for changes in ({"noise": "printed"}, {"q": 0.5}, {"difference": 0.5}, {"dimension": 7}, {"sources": 6}):
            with pytest.raises(check.RefusedError, match=next(iter(changes))):
                settings_of(own, **changes)

    def test_a_printed_noise_does_not_come_along(self, own):
        assert TransferSettings(noise="printed", q=0.0).change(dataset="own", own=own).noise == "gumbel"

    def test_a_link_without_its_file_keeps_the_other_settings(self, own):
        named = TransferSettings().change(dataset="own", own=str(own), target_rows=150, epsilon=2.0, migrated=300)
        assert named.target_rows == 150
        with pytest.raises(check.RefusedError, match="own"):
            named.run()
        found = named.change(own=own)
        assert (found.target_rows, found.migrated, found.epsilon, found.dimension) == (150, 300, 2.0, 4)

    def test_sources_as_they_are_cost_what_bounds_did(self):
        settings = settings_of(choose(salaries(), replace(ROLES, payments=(Payment(epsilon=0.1),))))
        held = settings.source_guarantee
        assert (held.epsilon, held.delta, held.unit) == (0.1, 0.0, "record")
        assert settings_of(choose(salaries())).source_guarantee is None
        detected = settings.change(selection="detected")
        alone = detected.model.detection_guarantee(detected.epsilon)
        assert detected.source_guarantee.epsilon == pytest.approx(0.1 + alone.epsilon)

    def test_bounds_read_off_the_rows_are_told(self):
        roles = replace(ROLES, target=replace(ROLES.target, read_off=True))
        settings = settings_of(choose(salaries(), roles))
        assert settings.void == "bounds were read off private rows"
        assert settings.promise is None
        said = said_of(settings.run())
        assert "The guarantee is void, because bounds were read off private rows" in said
        assert "coin toss: 50" not in said

    def test_a_script_and_a_log_name_nothing_of_the_file(self, own):
        settings = settings_of(own)
        told = str({name: str(value) for name, value in asdict(settings).items()}) + repr(settings)
        told += takeaway.script(settings)
        for part in ("salary", "school", "Ashford", "Brookside", "care"):
            assert part not in told.replace(str(own), "")


def said_of(result) -> str:
    """All words of the page of a file, with its numbers and what its pictures are to who cannot see them."""
    view = PAGE.at(result.settings).view(result)
    alts = [picture.alt for board in view.boards for row in view.boards[board] for picture in row]
    return " ".join([tiles(view.numbers), *view.words.values(), *alts])


def middle(result, name: str) -> float:
    return float(np.median(result.focus.risk[CANDIDATES.index(name)]))


def ahead(result, one: str, other: str) -> bool:
    both = (result.focus.risk[CANDIDATES.index(name)] for name in (one, other))
    return better(*both, higher=False, constant=result.nothing_learnt)


def near(text: str, value: float) -> bool:
    return float(text.replace(",", "")) == pytest.approx(value, rel=6e-3, abs=1e-9)


ERROR = r"([\d.,]+(?:e[-+]\d+)?)(?=[.,;)]? )"
RULES: Rules = {
    rf"RMSE, with sources {ERROR}": lambda r, m: near(m[1], middle(r, "transfer")),
    rf"RMSE, target only {ERROR}": lambda r, m: near(m[1], middle(r, "target")),
    rf"RMSE, non-private {ERROR}": lambda r, m: near(m[1], r.focus.least_squares),
    r"lower than target only": lambda r, _: ahead(r, "transfer", "target"),
    r"higher than target only": lambda r, _: ahead(r, "target", "transfer"),
    r"The sources help\. RMSE falls": lambda r, _: ahead(r, "transfer", "target"),
    r"The sources harm here": lambda r, _: ahead(r, "target", "transfer"),
    r"No difference can be shown in|no difference shown": lambda r, _: (
        not (ahead(r, "transfer", "target") or ahead(r, "target", "transfer"))
    ),
    r"No source is used": lambda r, _: not r.focus.kept.any(),
    r"Using only the sources does": lambda r, _: ahead(r, "source", "transfer"),
    r"Pooling all rows does": lambda r, _: ahead(r, "pooled", "transfer"),
    r"pooling all rows harms": lambda r, _: ahead(r, "target", "pooled"),
    r"the midpoint of the bounds would do no worse|no better than the midpoint": lambda r, _: (
        min(middle(r, one) for one in ("transfer", "target")) >= r.nothing_learnt
    ),
    r"alone do worse than predicting the midpoint": lambda r, _: middle(r, "target") > r.nothing_learnt,
    r"Trained on ([\d,]+) (of ([\d,]+) )?private": lambda r, m: (
        int(m[1].replace(",", "")) == len(r.problem.y)
        and (m[3] is None) == (r.settings.target_rows == r.settings.limits["target_rows"][1])
    ),
    r"and on ([\d,]+) public rows? of (\d+) sources?": lambda r, m: (
        int(m[1].replace(",", "")) == sum(r.settings.data.counts(r.settings.migrated))
        and int(m[2]) == len(r.problem.sources)
    ),
    r"Tested on ([\d,]+) rows?": lambda r, m: int(m[1].replace(",", "")) == len(r.problem.y_test),
    r"You declared that all sources resemble the target": lambda r, _: (
        r.settings.selection == "known" and r.focus.kept.all()
    ),
    r"never reads a private row": lambda r, _: r.settings.selection == "known",
    r"Detection alone spends": lambda r, _: r.settings.selection == "detected",
    r"one person of the target": lambda r, _: bool(r.settings.own.roles.person),
    r"one row of the target\.": lambda r, _: not r.settings.own.roles.person,
    r"counts as a row and adds nothing": lambda r, _: r.settings.own.roles.gaps,
    r"becomes the midpoint of its bounds": lambda r, _: not r.settings.own.roles.gaps,
    r"nothing is guaranteed|guarantee is void": lambda r, _: bool(r.settings.void),
    r"coin toss: 50": lambda r, _: not r.settings.void,
    r"Excess risk|excess risk|the truth": lambda *_: False,
}


def test_what_is_said_of_a_file_is_so():
    off = replace(ROLES, target=replace(ROLES.target, read_off=True))
    far = hostile()["sources far away"][0]
    kinds = [
        (salaries(), ROLES, {}),
        (salaries(), replace(ROLES, gaps=False, sources=("Brookside",)), {"target_rows": 100, "migrated": 60}),
        (salaries(), off, {}),
        (salaries(), replace(ROLES, person="who"), {}),
        (far, ROLES, {"h": 0.05}),
    ]
    found = set()
    for frame, roles, changes in kinds:
        for selection, epsilon in itertools.product(("known", "detected"), (0.05, 1.0, 50.0)):
            result = settings_of(choose(frame, roles), **changes, selection=selection, epsilon=epsilon).run()
            found |= broken_by(plain(said_of(result)), result, RULES)
    assert len(found) > 20
    paid = settings_of(choose(salaries(), replace(ROLES, payments=(Payment(epsilon=0.1),))))
    for settings in (paid, paid.change(selection="detected")):
        said_of(settings.run())
    result = paid.run()
    unmeasured = replace(result, focus=replace(result.focus, risk=np.full_like(result.focus.risk, np.nan)))
    assert "None of the held-out rows has an answer" in words.verdict(unmeasured)
    assert words.numbers(unmeasured)[0].note == "no held-out row has an answer"
    PAGE.lead(paid), words.texts(paid)["help.selection"]
    assert reached.unread(OWN) == []


def test_plotly_accepts_every_figure_and_no_row_is_drawn(own):
    result = settings_of(own).run()
    for draw in (figures.over_epsilon, figures.over_migrated, figures.walk):
        figure = go.Figure(draw(result))
        assert max(len(trace.x) for trace in figure.data) <= 2 * len(result.over_epsilon.at) + 2


def test_a_near_source_is_a_head_start(own):
    """On rows whose two towns are alike, at a small epsilon: less than half of the error."""
    result = settings_of(own, epsilon=0.2, repeats=12).run()
    assert middle(result, "transfer") < middle(result, "target") / 2
