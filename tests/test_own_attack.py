"""The attacker with rows of one's own: who is attacked, how far they move training, and what the attack reaches."""

import numpy as np
import plotly.graph_objects as go
import pytest
from scipy import stats

from dpcore import check
from dpcore.accountants import gdp
from dpcore.training import descent
from pages.attack import figures, two_worlds
from pages.attack.exposure import gradient_moves, people_moves
from pages.attack.inputs import MOST_LIVE
from pages.attack.membership import MODELS
from pages.attack.page import PAGE
from pages.attack.two_worlds import Model, Training, exposed
from pages.attack.two_worlds_result import attacked
from tests.app import opened
from tests.own_files import CLASSES, by_person, frame, settings

AttackSettings = PAGE.settings
# A person with a row each, and with several.
OWN = {"row": (None, frame()), "person": (by_person(CLASSES), frame(1000, people=400))}
either = pytest.mark.parametrize("which", OWN)


def settings_of(which: str = "row", **changes):
    roles, file = OWN[which]
    return settings("attack", roles, file=file, **{"steps": 3} | changes)


def run_of(of):
    """The result without the curve over epsilon."""
    return of.result({task: task.run() for task in of.tasks() if task.work is not attacked})


def risks_of(of):
    return exposed(Training.of(of), nobody=of.against == "nobody").run()


def blank():
    """The file with every third answer missing."""
    file = frame()
    file.loc[::3, "left"] = ""
    return file


def test_rows_without_an_answer_are_at_no_risk_and_no_member():
    own = settings("attack", file=blank(), steps=3, against="nobody")
    assert (risks_of(own) == 0).sum() == pytest.approx(720 / 3, abs=40)
    shown = run_of(settings("attack", file=blank(), part="membership"))
    assert shown.pairs("private") < MODELS * 2 * shown.settings.members
    assert 0.4 < shown.right("plain")[0] < 1


class TestWorlds:
    @pytest.mark.parametrize("against", ["label", "nobody"])
    @either
    def test_they_differ_in_all_rows_of_who_is_meant(self, which, against):
        with_them, without = settings_of(which, who="row", person=7, against=against).neighbours.worlds()
        other = np.flatnonzero((with_them.X != without.X).any(axis=1) | (with_them.y != without.y))
        people = np.arange(720) if which == "row" else with_them.people
        assert people.max() + 1 == {"row": 720, "person": 320}[which]
        assert other.tolist() == np.flatnonzero(people == 7).tolist()
        assert (len(other) > 1) == (which == "person")
        assert without.X[other].any() == (against == "label")

    @either
    def test_who_is_exposed_is_found_by_how_far_they_move_a_step(self, which):
        """The mean gradients of both worlds, whoever is meant, lie as far apart as the risk says."""
        settings = settings_of(which, steps=1, clip_norm=0.6)
        risks = risks_of(settings)
        for number in (0, 7, 100):
            chosen = settings.change(person=number)
            # One step from zero: the risk is the mean of two squares, at the start and at the end.
            worlds = chosen.neighbours.worlds()
            clean = two_worlds.train(Model.of(settings), worlds[0], sd=0.0, draws=[0]).weights
            squares = []
            for weights in (np.zeros_like(clean), clean):
                about, at = (
                    {"models": 1, "k": 1, "clip_norm": np.array([0.6])},
                    weights.transpose(1, 0, 2).astype(float),
                )
                means = [descent.mean_gradient(one.X, one.y, people=one.people, **about)(at) for one in worlds]
                squares.append(np.square(settings.rows * (means[0] - means[1]) / 2 / 0.6).sum())
            assert risks[number] == pytest.approx(np.sqrt(np.mean(squares)), rel=1e-4)
        assert risks.max() <= 1 + 1e-9
        assert risks_of(settings.change(against="nobody")).max() <= 0.5 + 1e-9
        places = {who: settings.change(who=who).neighbours.place() for who in ("exposed", "middle")}
        assert risks[places["exposed"]] == risks.max()
        assert risks[places["middle"]] == pytest.approx(np.median(risks), rel=1e-3)

    def test_people_of_one_row_move_as_far_as_rows(self):
        settings = settings_of()
        X, y, _ = settings.neighbours.worlds()[0]
        weights = np.random.default_rng(0).normal(size=(3, 1, X.shape[1]))
        about = Model.of(settings), weights, X, y, 1 - y
        np.testing.assert_allclose(people_moves(*about, np.arange(len(y))), gradient_moves(*about), atol=1e-12)

    @either
    @pytest.mark.parametrize("against", ["label", "nobody"])
    def test_the_attack_stays_below_the_bound_and_its_score_is_a_likelihood_ratio(self, which, against):
        """E[e^-s] = 1 with the person and E[e^s] = 1 without."""
        of = settings_of(which, sees="steps", against=against, repeats=2000, epsilon=3.0)
        result = run_of(of)
        assert result.trainings == 2000
        with_them, without = result.trained.scores
        assert np.exp(-with_them).mean() == pytest.approx(1, abs=0.1)
        assert np.exp(without).mean() == pytest.approx(1, abs=0.1)
        assert result.ceiling == pytest.approx(stats.norm.cdf(gdp.mu_of(3.0, delta=1e-5) / 2))
        assert 0.5 < result.attack.low <= result.ceiling
        assert not result.caught
        assert result.settings.claim.unit == result.settings.guarantees.formula.unit == of.unit

    def test_who_adds_nothing_in_both_worlds_is_not_told_apart(self):
        of = settings("attack", file=blank(), steps=3, against="nobody")
        silent = int(np.flatnonzero(~of.neighbours.worlds()[0].X.any(axis=1))[0])
        result = run_of(of.change(person=silent))
        assert (result.risk, result.attack.accuracy) == (0, 0.5)
        moved = of.change(against="label").change(person=silent).neighbours.worlds()[1]
        assert (moved.X[silent].any(), moved.y[silent]) == (True, 0)


class TestSettings:
    def test_who_is_meant_stays_with_the_file(self):
        of = settings_of()
        assert (of.version, of.who, of.against, of.rows) == ("sound", "exposed", "label", 720)
        before = AttackSettings(version="none", against="public", who="row", person=399)
        assert before.change(dataset="own").change(own=of.own).who == of.change(person=5).who == "row"
        assert (of.change(dataset="iris").who, of.change(dataset="iris").version) == ("outlier", "sound")

    def test_a_part_of_a_large_file_is_attacked(self):
        of = settings("attack", file=frame(6000))
        assert (of.rows, of.limits["person"]) == (MOST_LIVE, (0, MOST_LIVE - 1))
        assert [len(world.X) for world in of.neighbours.worlds()] == [MOST_LIVE] * 2

    @pytest.mark.parametrize("part", ["once", "pays", "inversion"])
    def test_what_fits_no_file_is_refused_with_its_reason(self, part):
        of = AttackSettings().change(part=part).change(dataset="own").change(own=settings_of().own)
        with pytest.raises(check.RefusedError, match="part"):
            of.tasks()
        assert len(opened("attack", part=part, dataset="own").info) == 1

    def test_who_the_file_chooses_is_in_no_link(self):
        result = run_of(settings_of())
        place = result.settings.neighbours.place()
        assert (place > 0, result.settings.person) == (True, 0)
        assert result.risk == result.risks[place] == result.risks.max()


def test_the_exposure_is_of_percentiles_and_of_the_person():
    result = run_of(settings_of(who="middle"))
    assert len(go.Figure(figures.exposure(result)).data) == 1
    assert result.risk == pytest.approx(result.usual_risk, rel=0.02)
