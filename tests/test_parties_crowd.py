"""Theorems of the parties page beside what is measured; recorded rows and digits; what is kept of what parties said."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from sklearn.datasets import load_digits
from test_parties import SMALL as CROWD
from test_parties import world

from dpcore.mechanisms import NormExponential
from dpcore.parties import aggregation, worlds
from dpcore.parties.worlds import KINDS, parties, public
from dpcore.streams import stream
from pages.parties import bounds, work
from pages.parties import crowd as crowds
from pages.parties import words_statements as stated
from pages.parties.crowd import Gather
from pages.parties.experiment import PartiesSettings
from pages.parties.parameters import RECORDED
from pages.parties.theorems import Statement, theorems
from pages.parties.work import Change, Tried
from tests.sentences import first

LOG_2 = pytest.approx(math.log(2))
SMALL = {"public_rows": 100, "repeats": 8, "queries": 20}
CASES = [
    {"dataset": "four", "method": "vote", "constants": "norms"},
    {"epsilon": 100.0, "regularisation": 1.0},
    {"dataset": "intrusions", "parties": 100, "learner": "bayes"},
]


def of(result, name: str, release: str) -> Statement:
    return next(one for one in theorems(result) if (one.name, one.release) == (name, release))


def of_all(settings):
    return first(settings, [settings.probe(), Change(ensemble=settings.ensemble, asked=settings.parties)])


@pytest.mark.parametrize("dimensions", [1, 3, 50])
def test_the_noise_on_a_margin_is_that_of_draws_of_the_mechanism(dimensions):
    mechanism, rng = NormExponential(sensitivity=2, epsilon=0.5), np.random.default_rng(1)
    draws = np.concatenate([mechanism.noise(dimensions, rng) for _ in range(20_000)])
    options = {"dimensions": dimensions, "epsilon": 0.5}
    assert draws[:, 0].std() == pytest.approx(aggregation.margin_sd(2, **options), rel=0.04)
    longer = np.linalg.norm(draws, axis=1) > bounds.longest_noise(2, **options, failure=0.1)
    assert longer.mean() <= 0.1


class TestTheorems:
    @pytest.mark.parametrize("dataset", RECORDED)
    @pytest.mark.parametrize("constants", ["sharp", "norms", "published"])
    def test_so_many_parties_are_enough(self, dataset, constants):
        settings = PartiesSettings(**SMALL).change(dataset=dataset, parties=20, constants=constants)
        result = first(settings)
        enough, options = stated.enough_parties(result), {"dimensions": result.dimensions, "epsilon": 1.0}
        assert f"{enough:,} parties" in stated.needed(result)
        models = (settings.model.at(count) for count in (enough, 0.99 * enough))
        at, below = (aggregation.margin_sd(one.sensitivity("soft"), **options) for one in models)
        assert at <= stated.ENOUGH * (1 + 1e-4) < below

    def test_the_numbers_of_the_usual_run_and_where_a_bound_is_vacuous(self):
        usual, B = of_all(PartiesSettings()), math.sqrt(0.2784645 / 1e-3)
        assert [of(usual, "sensitivity", name).bound for name in ("vote", "soft", "average")] == [2000, 2, 2]
        assert [of(usual, "public row", name).bound for name in ("vote", "soft")] == [1, (500 + 1000 - 1) / 500]
        # 4 9 (1/4 + lambda) log^2(3/.025) / (lambda M)^2 = 207.1 and 16 (32 + log 40)/(lambda N) = 1,142
        vote, soft = (usual.theorem(name) for name in ("vote", "soft"))
        assert [soft["noise"], soft["rows"], vote["noise"]] == pytest.approx([207.1, 1142.0, 207.1e6], rel=1e-3)
        excess = work.excess(usual.ensemble, usual.now.models("soft"), usual.asked)
        assert of(usual, "risk", "soft").measured == np.quantile(excess, 0.95)
        assert of(usual, "risk", "soft").bound == sum(soft.values()) == pytest.approx(1349.2, abs=0.1)
        assert of(usual, "sensitivity", "vote").useless == pytest.approx(2 * B, rel=1e-5)
        assert of(usual, "sensitivity", "vote").vacuous
        assert not of(usual, "sensitivity", "soft").vacuous
        assert of(usual, "risk", "soft").useless == LOG_2
        zero = np.zeros((1, 1, 3))  # weights of 0 have this loss, under whatever labels
        assert [work.risk(usual.ensemble, zero, usual.asked, name).item() for name in ("vote", "soft")] == [LOG_2] * 2
        assert stated.statements(usual).count("<b>vacuous</b>") == sum(one.vacuous for one in theorems(usual)) == 3

    @pytest.mark.parametrize("change", CASES, ids=str)
    def test_what_is_measured_stays_below(self, change):
        found = [*theorems(of_all(PartiesSettings(**SMALL).change(**change)))]
        assert all(one.holds is not False for one in found)
        assert sum(one.holds is True for one in found) >= 4


class TestDigits:
    def images(self, flipped: slice, *, fitted: int = 500) -> tuple[np.ndarray, np.ndarray]:
        """(public rows, private rows) of seed 5, some of its images in their order there being ``flipped``."""
        X, y = load_digits(return_X_y=True)
        X, order = X / 16, stream(5, "split").permutation(len(X))
        X[order[flipped]] = 1 - X[order[flipped]]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(worlds, "_digits", lambda: (X, y))
            patch.setattr(worlds, "_DIGITS_PUBLIC", fitted)
            worlds._projected.cache_clear()
            worlds.public.cache_clear()
            found = public("digits", 5, 500)["public"].X, parties(world(dataset="digits", seed=5), 0, 50)[0]
        worlds._projected.cache_clear()
        worlds.public.cache_clear()
        return found

    def test_the_projection_reads_public_images_only_and_a_slip_would_be_noticed(self):
        same, private = self.images(slice(0))
        others = self.images(slice(500, None))
        np.testing.assert_array_equal(others[0], same)
        assert not np.allclose(others[1], private)
        # And it does read them: one public image that is another turns the directions of all
        one = self.images(slice(1))
        assert not np.allclose(one[0][1:], same[1:])
        assert not np.allclose(one[1], private)
        # Fitted to most images, what is public depends on what is private
        one, other = (self.images(flipped, fitted=1000)[0] for flipped in (slice(0), slice(500, None)))
        assert not np.allclose(one, other)

    def test_parties_hold_private_images_and_no_others(self):
        found = public("digits", 5, 500)
        features, y, by_class = worlds._projected(5, 8)
        places = np.concatenate(by_class)
        inputs = KINDS["digits"].to_unit(features[places], worlds._radius(features[:500]))
        private = {row.tobytes(): label for row, label in zip(inputs, y[places], strict=True)}
        X, labels = parties(world(dataset="digits", seed=5), 0, 200)
        dealt = [(row.tobytes(), label) for row, label in zip(X.reshape(-1, 9), labels.ravel(), strict=True)]
        assert all(private[row] == label for row, label in dealt)
        assert len({row for row, _ in dealt}) > 600
        outside = {row.tobytes() for name in ("public", "test") for row in found[name].X}
        assert not outside & set(private)
        assert {row.tobytes() for row in found["check"].X} <= {row.tobytes() for row in found["test"].X}


def test_only_new_parties_are_asked_and_what_nobody_holds_is_let_go(monkeypatch):
    found, real, settings = [], crowds._ask, PartiesSettings(**(CROWD | {"parties": 200}), seed=71)
    monkeypatch.setattr(crowds, "_ask", lambda crowd, a, b: found.append((a, b)) or real(crowd, a, b))
    crowd = settings.crowd
    held = Gather(crowd=crowd, upto=200).run()
    assert found == [(0, 100), (100, 200)]
    assert crowds.known(crowd, 5000) == 200
    assert first(settings.change(epsilon=3.0)).complete  # a movement of epsilon asks nobody
    crowds.tally(crowd, 230)
    assert found[2:] == [(200, 230)]
    assert crowds.tally(crowd, 200) is held
    del held
    crowds._newest.clear()
    assert crowds.known(crowd, 5000) == 0


def test_on_the_way_there_are_pictures_of_those_who_were_asked():
    settings = PartiesSettings(**(CROWD | {"parties": 1500, "seed": 73}))
    tasks, done, seen, changes = settings.tasks(), {}, [], Counter()
    for task in tasks:
        done[task] = task.run()
        if all(one in done for one in tasks if one.essential):
            result = settings.result(done)
            same = bool(seen) and seen[-1] == result
            changes[type(task), same] += 1
            seen += [] if same else [result]
    parties = [result.asked for result in seen]
    assert sorted(set(parties)) == [100, 200, 600, 1500]
    assert parties == sorted(parties)
    # The curve over epsilon does not wait for all of them, and then is theirs
    assert next(result for result in seen if result.over["epsilon"].complete).asked < 1500
    for place, epsilon in ((0, 0.01), (-1, 100.0)):
        final = Tried(model=settings.model, asked=1500, epsilon=epsilon).run().accuracy
        np.testing.assert_array_equal(seen[-1].over["epsilon"].runs[:, place], final)
    # One curve is of the same parties all along, or it would jump where it is today's
    whose = defaultdict(set)
    for task, trial in done.items():
        if isinstance(task, Tried) and task.model == settings.model:
            whose[task.epsilon, trial.accuracy.tobytes()].add(task.asked)
    for grid in (result.over["epsilon"] for result in seen):
        begun = [place for place, there in enumerate(grid.arms[0].done) if there]
        curve = [whose[grid.at[place], grid.runs[:, place].tobytes()] for place in begun]
        assert not curve or set.intersection(*curve)
    # Slices that only ask parties change nothing that is shown: these are equal, and nothing is drawn again
    assert (changes[Gather, False], changes[Change, False]) == (0, 2)
    assert min(changes[Gather, True], changes[Tried, False]) > 10
