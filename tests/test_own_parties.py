"""A visitor's own file as parties: what leaves one, what is made up, which files are refused, and what is said."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore import check
from dpcore.parties import aggregation
from dpcore.parties.worlds import CHECK_ROWS
from lab.files import own_rows
from lab.files.own_rows import Column, OwnRows, Roles
from pages.parties import crowd
from pages.parties import words as say
from pages.parties.experiment import PartiesSettings
from tests.own_files import CLASSES, COLUMNS, frame, table_of
from tests.sentences import broken_by, plain

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
    distinct = [len(np.unique(party, axis=0)) for party in X]
    assert min(distinct) in (2, 10)
    settings = settings_of(own, rows=20)
    X, _ = rows_of(settings)
    alone, _ = settings.world.dataset.parties(settings.seed, 5, 6, rows=20)  # whoever comes before
    np.testing.assert_array_equal(alone[0], X[5])


def test_held_out_parties_are_whole_and_never_asked(own):
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


def test_what_cannot_be_parties_is_refused_with_its_reason():
    file = patients()
    for changed, said in (({"ward": "all"}, "1 person"), ({"back": ""}, "rows with one of the answers")):
        with pytest.raises(check.RefusedError, match=said):
            own_of(file.assign(**changed))
    with pytest.raises(check.RefusedError, match="30 people"):
        own_rows.choose(own_of(file).table, ROLES)
    wide = tuple(Column(name=name, kind="category", values=tuple(map(str, range(33)))) for name in ("plan", "age"))
    for changes in ({"person": ""}, {"columns": wide}):
        one = own_of(file, replace(ROLES, **changes))
        assert not one.as_parties
        with pytest.raises(check.RefusedError):
            settings_of(one).run()


def test_parties_of_a_curve_are_never_more_than_there_are(own):
    settings = settings_of(own)
    assert settings.places == (2, 5, 20, 24)
    assert settings.limits["parties"] == (2, 24)
    assert settings.overlap == 6 / 24
    with pytest.raises(check.RefusedError):
        settings.change(parties=25)
    back = settings.change(rows=200).change(dataset="two")
    assert (back.own, back.unlike, back.careless, back.rows) == ("none", 0.2, 0.1, 10)


@pytest.mark.parametrize(("method", "epsilon"), [("soft", 0.01), ("vote", 1.0), ("average", 100.0), ("pate", 1.0)])
def test_what_is_said_of_few_parties_is_so(own, method, epsilon):
    result = settings_of(own, method=method, epsilon=epsilon).run()
    verdict = plain(say.verdict(result))
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
    assert "measured on 120 rows of 6 other parties" in plain(say.caption(result))
