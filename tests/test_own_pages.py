"""Rows of one's own on single pages: who is attacked, networks, sources, parties, and bounds read off the rows."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from pages.transfer.own import OwnData
from scipy import stats

from dpcore import check
from dpcore.accountants import gdp
from dpcore.parties import aggregation
from dpcore.parties.worlds import CHECK_ROWS
from dpcore.training import descent
from lab.files import own_rows
from lab.files.file_handles import key
from lab.files.own_rows import Column, OwnRows, Roles
from pages.attack import two_worlds
from pages.attack.experiment import AttackSettings
from pages.attack.figures import exposure
from pages.attack.inputs import MOST_LIVE
from pages.attack.membership import MODELS
from pages.attack.two_worlds_result import attacked
from pages.network import figures as network_figures
from pages.parties import crowd
from pages.parties import words as of_parties
from pages.parties.experiment import PartiesSettings
from pages.transfer.experiment import TransferSettings
from pages.transfer.work import CANDIDATES
from tests.app import opened
from tests.own_files import CLASSES, COLUMNS, TOWNS, by_person, choose, frame, settings, table_of
from tests.sentences import broken_by, plain

# A person with a row each, and with several.
OWN = {"row": (None, frame()), "person": (by_person(CLASSES), frame(1000, people=400))}
either = pytest.mark.parametrize("which", OWN)


def attacked_of(which: str = "row", **changes):
    roles, file = OWN[which]
    return settings("attack", roles, file=file, **{"steps": 3} | changes)


def run_of(of):
    return of.result({task: task.run() for task in of.tasks() if task.work is not attacked})


def risks_of(of):
    return two_worlds.exposed(two_worlds.Training.of(of), nobody=of.against == "nobody").run()


def test_rows_without_an_answer_are_at_no_risk_and_no_member():
    file = frame()
    file.loc[::3, "left"] = ""
    own = settings("attack", file=file, steps=3, against="nobody")
    silent = np.flatnonzero(risks_of(own) == 0)
    assert len(silent) == pytest.approx(720 / 3, abs=40)
    result = run_of(own.change(person=int(silent[0])))
    assert (result.risk, result.attack.accuracy) == (0, 0.5)
    moved = result.settings.change(against="label").change(person=int(silent[0])).neighbours.worlds()[1]
    assert (moved.X[silent[0]].any(), moved.y[silent[0]]) == (True, 0)
    shown = run_of(settings("attack", file=file, part="membership"))
    assert shown.shadows["private"].members.size < MODELS * 2 * shown.settings.members
    assert 0.4 < shown.right("plain")[0] < 1


@pytest.mark.parametrize("against", ["label", "nobody"])
@either
def test_worlds_differ_in_who_is_meant_and_the_attack_stays_below_the_bound(which, against):
    """The attack's score is a likelihood ratio: E[e^-s] = 1 with the person and E[e^s] = 1 without."""
    with_them, without = attacked_of(which, who="row", person=7, against=against).neighbours.worlds()
    other = np.flatnonzero((with_them.X != without.X).any(axis=1) | (with_them.y != without.y))
    people = np.arange(720) if which == "row" else with_them.people
    assert people.max() + 1 == {"row": 720, "person": 320}[which]
    assert other.tolist() == np.flatnonzero(people == 7).tolist()
    assert (len(other) > 1) == (which == "person")
    assert without.X[other].any() == (against == "label")
    of = attacked_of(which, sees="steps", against=against, repeats=2000, epsilon=3.0)
    result = run_of(of)
    assert result.trainings == 2000
    scores = result.trained.scores
    assert [np.exp(-scores[0]).mean(), np.exp(scores[1]).mean()] == pytest.approx([1, 1], abs=0.1)
    assert result.ceiling == pytest.approx(stats.norm.cdf(gdp.mu_of(3.0, delta=1e-5) / 2))
    assert 0.5 < result.attack.low <= result.ceiling
    assert not result.caught
    assert result.settings.claim.unit == result.settings.guarantees.formula.unit == of.unit


@either
def test_who_is_exposed_is_found_by_how_far_they_move_a_step(which):
    """The mean gradients of both worlds, whoever is meant, lie as far apart as the risk says."""
    settings = attacked_of(which, steps=1, clip_norm=0.6)
    risks, about = risks_of(settings), {"models": 1, "k": 1, "clip_norm": np.array([0.6])}
    for number in (0, 7, 100):
        # One step from zero: the risk is the mean of two squares, at the start and at the end.
        worlds = settings.change(person=number).neighbours.worlds()
        clean = two_worlds.train(two_worlds.Model.of(settings), worlds[0], sd=0.0, draws=[0]).weights
        squares = []
        for weights in (np.zeros_like(clean), clean):
            at = weights.transpose(1, 0, 2).astype(float)
            means = [descent.mean_gradient(one.X, one.y, people=one.people, **about)(at) for one in worlds]
            squares.append(np.square(settings.rows * (means[0] - means[1]) / 2 / 0.6).sum())
        assert risks[number] == pytest.approx(np.sqrt(np.mean(squares)), rel=1e-4)
    assert risks.max() <= 1 + 1e-9
    assert risks_of(settings.change(against="nobody")).max() <= 0.5 + 1e-9
    exposed, middle = (run_of(settings.change(who=who)) for who in ("exposed", "middle"))
    assert (exposed.risk, exposed.settings.person) == (risks.max(), 0)  # in no link
    assert middle.risk == pytest.approx(np.median(risks), rel=1e-3)
    assert middle.usual_risk == pytest.approx(middle.risk, rel=0.02)
    assert len(go.Figure(exposure(middle)).data) == 1


def test_who_is_meant_stays_with_the_file_and_is_in_the_part_attacked():
    of = attacked_of()
    assert (of.version, of.who, of.against, of.rows) == ("sound", "exposed", "label", 720)
    before = AttackSettings(version="none", against="public", who="row", person=399)
    assert before.change(dataset="own").change(own=of.own).who == of.change(person=5).who == "row"
    assert (of.change(dataset="iris").who, of.change(dataset="iris").version) == ("outlier", "sound")
    of = settings("attack", file=frame(6000))
    assert (of.rows, of.limits["person"]) == (MOST_LIVE, (0, MOST_LIVE - 1))
    assert [len(world.X) for world in of.neighbours.worlds()] == [MOST_LIVE] * 2


@pytest.mark.parametrize("part", ["pays", "inversion"])
def test_what_fits_no_file_is_refused_with_its_reason(part):
    of = AttackSettings().change(part=part).change(dataset="own").change(own=attacked_of().own)
    with pytest.raises(check.RefusedError, match="part"):
        of.tasks()
    assert len(opened("attack", part=part, dataset="own").info) == 1


def test_a_lot_lies_within_the_rows_and_people_have_places_in_a_fixed_order():
    of = settings("network", file=frame(120))
    assert (of.rows, of.lot_size) == (96, 96)
    assert np.isfinite(of.run().accuracy["private"]).all()
    of = settings("network", by_person(CLASSES), file=frame(1000, people=400), mechanism="toeplitz", lot_size=64)
    assert (of.lot, of.run().guarantee.event.count) == (64, of.steps // 5)


@pytest.mark.parametrize("changes", [{}, {"layers": 0}, {"clipping": "layers", "layers": 2}], ids=str)
def test_dots_are_how_far_the_weights_of_a_column_have_moved(changes):
    result = settings("network", **changes).run()
    found, features = network_figures.leading(result), result.split.source.features
    assert sorted(found.names) == sorted(features)
    place, units = features.index(found.names[0]), result.architecture.shapes[0][0]
    start = result.architecture.start(result.settings.seed, range(2)).astype(np.float32)
    inputs = (result.weights("private") - start)[:, : units * (1 + len(features))]
    moved = inputs.reshape(2, units, 1 + len(features))[:, :, place]
    np.testing.assert_allclose(found.runs[:, 0], np.linalg.norm(moved, axis=1), rtol=1e-5)
    for run in result.runs["plain"]:
        run.weights[-1] = np.inf  # one that has diverged is left out
    assert len(go.Figure(network_figures.inputs(result)).data) == 2


@pytest.fixture(scope="module")
def sources():
    return choose(frame(), TOWNS)


def transfer_of(own: OwnRows, **changes) -> TransferSettings:
    return TransferSettings(repeats=6).change(dataset="own").change(own=own).change(**changes)


def problem_of(own: OwnRows, *, seed: int = 3):
    return OwnData(own=key(own), seed=seed, rows=10**6).problem


def test_each_row_has_one_place_and_sources_do_not_depend_on_private_rows(sources):
    found, file = problem_of(sources), frame()
    assert sources.sizes == tuple(file["town"].value_counts()[[TOWNS.own_source, *TOWNS.sources]])
    pay = np.concatenate([found.y, found.y_test])
    labels = [source(size)[1] for source, size in zip(found.sources, sources.sizes[1:], strict=True)]
    for part, town in ((pay, "Ashford"), *zip(labels, TOWNS.sources, strict=True)):
        expected = np.clip(file["pay"][file["town"] == town], 0, 80) / 40 - 1
        np.testing.assert_allclose(np.sort(part), np.sort(expected))
    assert len(found.y) == int(0.8 * sources.sizes[0])
    unmeasured = replace(found, X_test=np.empty((0, 4)), y_test=np.empty(0))
    assert np.isnan(unmeasured.risk(np.zeros((3, 4)))).all()
    file.loc[file["town"] == "Ashford", "pay"] = 1e9
    for one, two in zip(found.sources, problem_of(choose(file, TOWNS)).sources, strict=True):
        np.testing.assert_array_equal(np.column_stack(one(10**6)), np.column_stack(two(10**6)))


def test_without_gaps_a_private_row_without_an_answer_is_the_middle_of_its_bounds():
    blank = frame()
    blank.loc[::3, "pay"] = np.nan
    zero, kept = (problem_of(choose(blank, replace(TOWNS, gaps=gaps))) for gaps in (True, False))
    gone = ~zero.X.any(axis=1)
    assert 0.2 < gone.mean() < 0.5
    assert not np.any([zero.y[gone], kept.y[gone]])
    assert kept.X.any(axis=1).all()


def test_settings_begin_with_all_rows_of_the_file_and_public_sources_cost_what_bounds_did(sources):
    of = transfer_of(sources)
    assert (of.sources, of.dimension) == (2, 4)
    assert (of.target_rows, of.migrated) == (int(0.8 * sources.sizes[0]), sum(sources.sizes[1:]))
    assert of.data.counts(of.migrated) == sources.sizes[1:]
    assert of.change(dataset="made") == TransferSettings(repeats=6)
    assert of.source_guarantee is None
    paid = settings("transfer", TOWNS, paid=(0.1,))
    held = paid.source_guarantee
    assert (held.epsilon, held.delta, held.unit) == (0.1, 0.0, "record")
    detected = paid.change(selection="detected")
    alone = detected.model.detection_guarantee(detected.epsilon)
    assert detected.source_guarantee.epsilon == pytest.approx(0.1 + alone.epsilon)


def test_a_near_source_halves_the_error_at_a_small_epsilon(sources):
    risk = transfer_of(sources, epsilon=0.2, repeats=12).run().focus.risk
    transfer_, target = (np.median(risk[CANDIDATES.index(name)]) for name in ("transfer", "target"))
    assert transfer_ < target / 2


PLANS = ("basic", "plus", "family")
ROLES = replace(CLASSES, answer="back", person="ward", columns=(*COLUMNS[:2], replace(COLUMNS[2], values=PLANS)))


def patients(rows: int = 600, *, wards: int = 30, seed: int = 0) -> pd.DataFrame:
    wards_of = [f"ward {place % wards}" for place in range(rows)]
    return frame(rows, seed=seed).rename(columns={"left": "back"}).assign(ward=wards_of)


def own_of(frame: pd.DataFrame, roles: Roles = ROLES) -> OwnRows:
    return own_rows.choose(table_of(frame), roles, least=own_rows.LEAST_PARTIES)


def settings_of(own: OwnRows, **changes) -> PartiesSettings:
    small = {"public_rows": 50, "queries": 20, "repeats": 3, "parties": own.private}
    return PartiesSettings().change(dataset="own").change(own=own).change(**{**small, **changes})


def rows_of(settings: PartiesSettings) -> tuple[np.ndarray, np.ndarray]:
    return settings.world.dataset.parties(settings.seed, 0, settings.parties, rows=settings.rows)


@pytest.fixture(scope="module")
def own():
    return own_of(patients())


def test_a_party_has_rows_of_its_own_only_and_as_many_as_the_others(own):
    file = patients()
    file = file[(file["ward"] != "ward 3") | (file.index < 40)]  # two rows of it are left
    X, _ = rows_of(settings_of(own_of(file), rows=10))
    assert X.shape == (24, 10, 6)
    assert (np.linalg.norm(X, axis=-1) <= 1 + 1e-12).all()
    assert min(len(np.unique(party, axis=0)) for party in X) in (2, 10)
    settings = settings_of(own, rows=20)
    X, _ = rows_of(settings)
    alone, _ = settings.world.dataset.parties(settings.seed, 5, 6, rows=20)  # whoever comes before
    np.testing.assert_array_equal(alone[0], X[5])


def test_held_out_parties_are_whole_and_never_asked():
    file = patients().assign(age=18 + np.arange(600) % 30 * 2)  # a ward's age tells which it is
    settings = settings_of(own_of(file), rows=20)
    asked = {round(float(age), 9) for age in rows_of(settings)[0][..., 0].ravel()}
    found = settings.ensemble.rows
    tested = {round(float(age), 9) for age in found["test"].X[:, 0]}
    assert (len(asked), len(tested), asked & tested) == (24, 6, set())
    assert len(found["check"].y) == CHECK_ROWS
    assert settings.world.dataset.measured(settings.seed) == (120, 6)


def test_what_parties_are_asked_about_depends_on_the_bounds_alone(own):
    of = [settings_of(own), settings_of(own_of(patients(900, seed=5))), settings_of(own, public_rows=200)]
    mine, theirs, more = (one.ensemble.rows["public"].X for one in of)
    np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(more[:50], mine)
    assert (np.linalg.norm(mine, axis=1) <= 1 + 1e-12).all()
    assert ((mine[:, 2:5] != 0).sum(axis=1) == 1).all()


def test_a_party_without_an_answer_always_says_the_first_class():
    file = patients(1200)
    file["back"] = file["back"].where(file["ward"].isin(["ward 0", "ward 1", "ward 2"]), "?")
    settings = settings_of(own_of(file), seed=0)
    votes = crowd.tally(settings.crowd, settings.parties).votes
    assert (votes.sum(axis=0) == settings.parties).all()
    assert (votes[0] >= 21).all()
    assert (rows_of(settings)[1] == 0).all(axis=1).sum() >= 21


@pytest.mark.parametrize("rows", [120, 10_000])
def test_as_many_parties_as_rows(rows):
    own = own_of(patients(rows, wards=rows))
    assert own.private == int(0.8 * rows)
    result = settings_of(own, parties=50, rows=3).run()
    assert result.over["parties"].at[-1] == own.private
    assert np.isfinite(result.now.accuracy).all()


def test_what_cannot_be_parties_or_as_many_is_refused_with_its_reason():
    file = patients()
    for changed, why in (({"ward": "all"}, "1 person"), ({"back": ""}, "rows with one of the answers")):
        with pytest.raises(check.RefusedError, match=why):
            own_of(file.assign(**changed))
    with pytest.raises(check.RefusedError, match="30 people"):
        own_rows.choose(own_of(file).table, ROLES)
    wide = tuple(Column(name=name, kind="category", values=tuple(map(str, range(33)))) for name in ("plan", "age"))
    for changes in ({"person": ""}, {"columns": wide}):
        one = own_of(file, replace(ROLES, **changes))
        assert not one.as_parties
        with pytest.raises(check.RefusedError):
            settings_of(one).run()
    settings = settings_of(own_of(file))
    assert settings.places == (2, 5, 20, 24)
    assert settings.limits["parties"] == (2, 24)
    assert settings.overlap == 6 / 24
    with pytest.raises(check.RefusedError):
        settings.change(parties=25)
    back = settings.change(rows=200).change(dataset="two")
    assert (back.own, back.unlike, back.rows) == ("none", 0.2, 10)


@pytest.mark.parametrize(("method", "epsilon"), [("soft", 0.01), ("vote", 1.0), ("average", 100.0), ("pate", 1.0)])
def test_what_is_said_of_few_parties_is_so(own, method, epsilon):
    result = settings_of(own, method=method, epsilon=epsilon).run()
    verdict = plain(of_parties.verdict(result))
    broken_by(verdict, result, {})
    if method != "pate":
        times = result.noise_norm(method) / result.signal_norm(method)
        assert ("With 24 parties the noise is" in verdict) is (times > 1)
    if found := re.search(r"about ([\d,]+) such parties", verdict):
        enough = int(found[1].replace(",", ""))
        slack = {"classes": 2, "regularisation": result.ensemble.regularisation, "constants": "sharp"}
        g = np.linalg.norm(result.ensemble.rows["public"].X, axis=1).mean()
        far = aggregation.sensitivity(method, parties=enough, mean_norm=g, **slack)
        assert result.dimensions * far / epsilon <= 1.001 * result.signal_norm(method)
    assert "measured on 120 rows of 6 other parties" in plain(of_parties.caption(result))
