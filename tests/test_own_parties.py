"""A visitor's own file as parties: what leaves one, what is made up, which files are refused, and what is said."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.util import calc_hash

from dpcore import check
from dpcore.data.paid_bounds import Payment
from dpcore.parties import aggregation
from dpcore.parties.worlds import CHECK_ROWS
from dpcore.streams import stream
from lab.files import own_rows, own_table
from lab.files.file_handles import forget
from lab.files.own_rows import Column, OwnRows, Roles
from lab.links import VERSION
from pages.parties import crowd
from pages.parties import words as say
from pages.parties.experiment import PartiesSettings
from pages.parties.page import PAGE
from tests.app import at_rest, opened
from tests.sentences import broken_by, plain
from tests.test_my_data import said, used

ROLES = Roles(
    answer="back",
    classes=("no", "yes"),
    columns=(
        Column(name="age", low=18, high=100),
        Column(name="stays", low=0, high=8),
        Column(name="alone", kind="category", values=("no", "yes")),
    ),
    person="ward",
)
# As a session does: what nobody holds is gone.
HELD = []


@pytest.fixture(autouse=True, scope="module")
def _hold():
    yield
    HELD.clear()


def patients(rows: int = 600, *, wards: int = 30, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age, stays = rng.integers(18, 100, rows), rng.poisson(3, rows)
    back = stays + age / 25 + rng.logistic(size=rows) > 6
    return pd.DataFrame(
        {
            "ward": [f"ward {place % wards}" for place in range(rows)],
            "code": [f"P{place:06}" for place in range(rows)],
            "age": age,
            "stays": stays,
            "alone": rng.choice(["no", "yes"], rows),
            "back": np.where(back, "yes", "no"),
        }
    )


def own_of(frame: pd.DataFrame, roles: Roles = ROLES) -> OwnRows:
    HELD.append(own_table.read(frame.to_csv(index=False).encode()))
    return own_rows.choose(HELD[-1], roles, least=own_rows.LEAST_PARTIES)


def settings_of(own: OwnRows, **changes) -> PartiesSettings:
    small = {"public_rows": 50, "queries": 20, "repeats": 3, "parties": own.private}
    return PartiesSettings().change(dataset="own").change(own=own).change(**{**small, **changes})


def rows_of(settings: PartiesSettings) -> tuple[np.ndarray, np.ndarray]:
    return settings.world.dataset.parties(settings.seed, 0, settings.parties, rows=settings.rows)


@pytest.fixture(scope="module")
def own():
    return own_of(patients())


def same(one, other) -> bool:
    """Whether two results hold the same numbers, to the last bit."""
    pairs = [(one.now.weights, other.now.weights), (one.now.accuracy, other.now.accuracy), (one.batch, other.batch)]
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def test_a_party_has_rows_of_its_own_only_and_as_many_as_the_others(own):
    frame = patients()
    frame = frame[(frame["ward"] != "ward 3") | (frame.index < 40)]  # two rows of it are left
    X, _ = rows_of(settings_of(own_of(frame), rows=10))
    assert X.shape == (24, 10, 5)
    assert (np.linalg.norm(X, axis=-1) <= 1 + 1e-12).all()
    distinct = [len(np.unique(party, axis=0)) for party in X]
    assert min(distinct) in (2, 10)
    settings = settings_of(own, rows=20)
    X, _ = rows_of(settings)
    alone, _ = settings.world.dataset.parties(settings.seed, 5, 6, rows=20)  # whoever comes before
    np.testing.assert_array_equal(alone[0], X[5])


def test_held_out_parties_are_whole_and_never_asked(own):
    frame = patients()
    frame["age"] = 18 + np.arange(len(frame)) % 30 * 2  # a ward's age tells which it is
    settings = settings_of(own_of(frame), rows=20)
    asked = {round(float(age), 9) for age in rows_of(settings)[0][..., 0].ravel()}
    found = settings.ensemble.rows
    tested = {round(float(age), 9) for age in found["test"].X[:, 0]}
    assert (len(asked), len(tested), asked & tested) == (24, 6, set())
    assert len(found["check"].y) == CHECK_ROWS
    assert settings.world.dataset.measured(settings.seed) == (120, 6)


def test_what_parties_are_asked_about_depends_on_the_bounds_alone(own):
    others = own_of(patients(900, seed=5))
    mine, theirs = (settings_of(one).ensemble.rows["public"].X for one in (own, others))
    np.testing.assert_array_equal(mine, theirs)
    assert (np.linalg.norm(mine, axis=1) <= 1 + 1e-12).all()
    alone = mine[:, 2:4]
    assert ((alone != 0).sum(axis=1) == 1).all()
    more = settings_of(own, public_rows=200).ensemble.rows["public"].X
    np.testing.assert_array_equal(more[:50], mine)


def test_how_many_rows_a_party_has_moves_no_noise_and_no_other_party(own):
    """A neighbour: another party in the place of one, with 1 row, or 200."""
    frame = patients()
    few = frame.drop(frame.index[(frame["ward"] == "ward 4") & (frame.index >= 30)])
    many = pd.concat([frame, patients(200, seed=9).assign(ward="ward 4")])
    runs = [settings_of(own_of(one)) for one in (frame, few, many)]
    first = rows_of(runs[0])[0]
    for other in runs[1:]:
        assert (other.parties, other.model.methods) == (runs[0].parties, runs[0].model.methods)
        changed = [not np.array_equal(a, b) for a, b in zip(first, rows_of(other)[0], strict=True)]
        assert sum(changed) <= 1
        for method in ("vote", "soft", "average"):
            assert other.model.sensitivity(method) == runs[0].model.sensitivity(method)
        assert other.model.sigma(1.0) == runs[0].model.sigma(1.0)


@pytest.mark.parametrize("constants", ["sharp", "norms", "published"])
def test_another_party_in_its_place_moves_no_release_further_than_its_sensitivity(constants):
    frame = patients()
    mine = frame["ward"] == f"ward {stream(1, 'split').permutation(30)[0]}"  # not one that is held out
    extreme = {"age": np.where(mine, 1e9, frame["age"]), "stays": np.where(mine, -1e9, frame["stays"])}
    turned = frame.assign(back=np.where(mine, "yes", frame["back"]), **extreme)
    runs = [settings_of(own_of(one), constants=constants, rows=20, seed=1) for one in (frame, turned)]
    one, other = (run.run().fits.weights for run in runs)
    moved = {name: float(np.linalg.norm(one[name] - other[name])) for name in one}
    assert moved["soft"] + moved["average"] > 0
    for name, far in moved.items():
        assert far <= runs[0].model.sensitivity(name)


def test_files_that_differ_out_of_bounds_or_in_what_is_left_out_are_equal():
    frame, roles = patients(), replace(ROLES, columns=(Column(name="age", low=30, high=60), *ROLES.columns[1:]))
    other = frame.copy()
    other["code"] = "x"
    other["age"] = np.where(frame["age"] < 30, frame["age"] - 12, frame["age"])
    other["age"] = np.where(frame["age"] > 60, 1000, other["age"])
    other["alone"] = np.where(frame["alone"] == "yes", "yes", "no")
    runs = [settings_of(own_of(one, roles)).run() for one in (frame, other)]
    assert same(*runs)
    assert not same(runs[0], settings_of(own_of(patients(seed=1), roles)).run())


def hostile() -> dict[str, pd.DataFrame]:
    frame = patients()
    lonely = frame[(frame["ward"] != "ward 0") | (frame.index == 0)]
    one_class = frame.assign(back=np.where(frame["ward"] == "ward 1", "yes", frame["back"]))
    unanswered = frame.assign(back=np.where(frame["ward"].isin(["ward 2", "ward 7"]), "", frame["back"]))
    answered_by_few = frame.assign(back=np.where(frame.index % 30 < 6, frame["back"], "?"))
    nameless = frame.assign(ward=np.where(frame.index % 2, "", frame["ward"]))
    return {
        "a party with one row": lonely,
        "one class": one_class,
        "all say the same": frame.assign(back="no"),
        "parties without an answer": unanswered,
        "most without an answer": answered_by_few,
        "every second row without a name": nameless,
        "numbers missing": frame.assign(age="", stays=np.where(frame.index % 2, "", "4")),
        "three parties": frame.assign(ward=frame.index % 3),
    }


@pytest.mark.parametrize("learner", ["logistic", "bayes", "tree", "neighbours", "mixed"])
@pytest.mark.parametrize("name", hostile())
def test_hostile_files_have_an_answer(name, learner):
    settings = settings_of(own_of(hostile()[name]), learner=learner)
    result = settings.run()
    assert np.isfinite(result.now.weights).all()
    assert np.isfinite(result.now.accuracy).all()
    spoken = " ".join(map(plain, [say.verdict(result), *say.diagnostics(result), say.caption(result)]))
    broken_by(spoken, result, {})


def test_a_party_without_an_answer_always_says_the_first_class():
    frame = patients(1200)
    frame["back"] = np.where(frame["ward"].isin(["ward 0", "ward 1", "ward 2"]), frame["back"], "?")
    settings = settings_of(own_of(frame), seed=0)
    _, y = rows_of(settings)
    said_by = crowd.tally(settings.crowd, settings.parties)
    assert (said_by.votes.sum(axis=0) == settings.parties).all()
    assert (said_by.votes[0] >= 21).all()
    assert ((y == 0).all(axis=1)).sum() >= 21


@pytest.mark.parametrize("rows", [20, 10_000])
def test_as_many_parties_as_rows(rows):
    frame = patients(max(rows, 120))
    frame["ward"] = frame["code"]
    own = own_of(frame)
    assert own.private == int(0.8 * len(frame))
    result = settings_of(own, parties=50, rows=3).run()
    assert result.over["parties"].at[-1] == min(own.private, 20_000)
    assert np.isfinite(result.now.accuracy).all()


def test_what_cannot_be_parties_is_refused_with_its_reason():
    frame = patients()
    with pytest.raises(check.RefusedError, match="1 person"):
        own_of(frame.assign(ward="all"))
    with pytest.raises(check.RefusedError, match="rows with one of the answers"):
        own_of(frame.assign(back=""))
    with pytest.raises(check.RefusedError, match="30 people"):
        own_rows.choose(own_of(frame).table, ROLES)
    single = own_of(frame, replace(ROLES, person=""))
    letters = [Column(name=name, kind="category", values=tuple(map(str, range(33)))) for name in ("alone", "age")]
    wide = own_of(frame, replace(ROLES, columns=tuple(letters)))
    for one in (single, wide):
        assert not one.as_parties
        with pytest.raises(check.RefusedError):
            settings_of(one).run()
    with pytest.raises(check.RefusedError):
        PartiesSettings().change(dataset="own", own="A" * 22).run()


def test_parties_of_a_curve_are_never_more_than_there_are(own):
    settings = settings_of(own)
    assert settings.places == (2, 5, 20, 24)
    assert settings.limits["parties"] == (2, 24)
    assert settings.overlap == 6 / 24
    with pytest.raises(check.RefusedError):
        settings.change(parties=25)
    back = settings.change(rows=200).change(dataset="two")
    assert (back.own, back.unlike, back.careless, back.rows) == ("none", 0.2, 0.1, 10)


def test_bounds_that_were_paid_for_cover_a_whole_party():
    """As what a party with one other row costs: those that were paid for a row are refused, as a party has many."""
    frame = patients()
    paid = settings_of(own_of(frame, replace(ROLES, payments=(Payment(epsilon=0.1, person="ward"),))))
    assert (paid.promise.unit, paid.promise.epsilon) == ("party", pytest.approx(paid.epsilon))
    with pytest.raises(check.RefusedError, match="before it was said who a person is"):
        own_of(frame, replace(ROLES, payments=(Payment(epsilon=0.1),)))


def test_nothing_of_a_file_outlives_it():
    own = own_of(patients(seed=7))
    settings = settings_of(own)
    settings.run()
    PartiesSettings(parties=20, public_rows=50, repeats=2).run()  # what one of the lab's own worlds says may be kept
    mine = [one for one, _ in crowd._found if one.world.dataset == settings.world.dataset]
    assert not mine
    forget(own.table)
    with pytest.raises(check.RefusedError):
        settings.change(seed=5).run()


@pytest.mark.parametrize("method", ["soft", "vote", "average", "pate"])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 100.0])
def test_what_is_said_of_few_parties_is_so(own, method, epsilon):
    result = settings_of(own, method=method, epsilon=epsilon).run()
    verdict = plain(say.verdict(result))
    assert len(verdict) <= 300
    broken_by(verdict, result, {})
    if method == "pate":
        assert "votes on each count, with 24 votes in all" in verdict
    else:
        times = result.noise_norm(method) / result.signal_norm(method)
        assert ("With 24 parties the noise is" in verdict) is (times > 1)
    if found := re.search(r"about ([\d,]+) such parties", verdict):
        enough = int(found[1].replace(",", ""))
        slack = {"classes": 2, "regularisation": result.ensemble.regularisation, "constants": "sharp"}
        g = aggregation.mean_norm(result.ensemble.rows["public"])
        far = aggregation.sensitivity(method, parties=enough, mean_norm=g, **slack)
        assert result.dimensions * far / epsilon <= 1.001 * result.signal_norm(method)
    caption = plain(say.caption(result))
    assert "Trained on 24 parties, with 10 rows each. Accuracy is measured on 120 rows of 6 other parties" in caption
    assert "50 rows that parties are asked about are made up" in caption
    assert "A party is all rows of one name" in plain(say.guarantee(result))


def test_no_row_is_drawn_and_no_cell_said(own):
    result = settings_of(own).run()
    page = PAGE.at(result.settings)
    names = [picture.name for row in page.pictures(result) for picture in row]
    assert names == ["epsilon", "parties", "weights"]
    assert not len(result.locals)
    assert {tab.name for tab in page.tabs} == {tab.name for tab in PAGE.tabs}
    written = " ".join([say.verdict(result), *say.diagnostics(result), say.table(result)])
    assert not re.search(r"ward \d|P\d{6}", written)


def test_from_my_data_to_parties(monkeypatch):
    app = opened("data").button(key="data.sample.hospitals.csv").click().run()
    app = app.button(key="data.notes").click().run()
    assert "data.parties" not in {button.key for button in app.button}
    app = used(app, hospital="person")
    assert not app.button(key="data.parties").disabled
    assert app.button(key="data.classifier").disabled
    assert "12 people have an answer, and training with one person as the unit of privacy takes 100" in said(app)
    *_, own = app.session_state["data.brought"].owns.values()
    asked = []
    monkeypatch.setattr("streamlit.switch_page", lambda page, query_params: asked.append(query_params))
    app = app.button(key="data.parties").click().run()
    assert asked == [{"dataset": "own", "own": str(own), "rows": "100", "v": str(VERSION)}]
    app._page_hash = calc_hash("parties")
    app.query_params.clear()
    for name, value in {"dataset": "own", "own": str(own), "repeats": "2"}.items():
        app.query_params[name] = value
    app = at_rest(app.run(), "parties")
    assert not app.exception
    settings = app.session_state["parties.desk"].settings
    assert (settings.own, settings.parties, settings.limits["parties"]) == (own, 9, (2, 9))
    found = said(app)
    assert "With 9 parties <b>the noise is" in found
    assert "Trained on 9 parties, with 10 rows each. Accuracy is measured on" in found
    assert not [name for name in ("Ashford", "Lakeside") if name in found]
    stranger = opened("parties", dataset="own", own=str(own), epsilon="2")
    assert "This link's file is not here" in said(stranger)
    assert stranger.session_state["parties.desk"].settings.epsilon == 2
    app._page_hash = calc_hash("classifier")
    assert "not ready for this page" in said(app.run())
