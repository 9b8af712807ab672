"""Crowds of the parties page: digits and what their projection reads, what is kept of parties, quick ways of asking."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from sklearn.datasets import load_digits
from test_parties import SMALL, essential, world

from dpcore.check import RefusedError
from dpcore.parties import local, worlds
from dpcore.parties.worlds import KINDS, parties, public
from dpcore.streams import stream
from pages.parties import crowd as crowds
from pages.parties.crowd import Gather
from pages.parties.experiment import PartiesSettings
from pages.parties.work import Change, Tried


class TestDigits:
    def images(self, monkeypatch, change) -> tuple[np.ndarray, np.ndarray]:
        """(public rows, private rows) of seed 5 after ``change`` of all images, which are in the order of that seed."""
        X, y = load_digits(return_X_y=True)
        order = stream(5, "split").permutation(len(X))
        X = X / 16
        X[order] = change(X[order])
        monkeypatch.setattr(worlds, "_digits", lambda: (X, y))
        for kept in (worlds._projected, worlds.public):
            kept.cache_clear()
        found = public("digits", 5, 500)["public"].X, parties(world(dataset="digits", seed=5), 0, 50)[0]
        monkeypatch.undo()
        for kept in (worlds._projected, worlds.public):
            kept.cache_clear()
        return found

    def test_the_projection_reads_public_images_only(self, monkeypatch):
        same, private = self.images(monkeypatch, lambda X: X)
        others = self.images(monkeypatch, lambda X: np.concatenate([X[:500], 1 - X[500:]]))
        np.testing.assert_array_equal(others[0], same)
        assert not np.allclose(others[1], private)
        # And it does read them: one public image that is another turns the directions of all
        one = self.images(monkeypatch, lambda X: np.concatenate([1 - X[:1], X[1:]]))
        assert not np.allclose(one[0][1:], same[1:])
        assert not np.allclose(one[1], private)

    def test_a_projection_of_private_images_would_be_noticed(self, monkeypatch):
        """The slip, made on purpose: fitted to all images, what is public depends on what is private."""
        monkeypatch.setattr(worlds, "_DIGITS_PUBLIC", 1797)
        worlds._projected.cache_clear()
        X = worlds._digits()[0].copy()
        one = worlds._projected(5, 8)[0]
        order = stream(5, "split").permutation(len(X))
        X[order[500:]] = 1 - X[order[500:]]
        y = worlds._digits()[1]
        monkeypatch.setattr(worlds, "_digits", lambda: (X, y))
        worlds._projected.cache_clear()
        other = worlds._projected(5, 8)[0]
        assert not np.allclose(one[:500], other[:500])
        monkeypatch.undo()
        worlds._projected.cache_clear()

    def test_parties_hold_private_images_and_no_others(self):
        found = public("digits", 5, 500)
        features, y, by_class = worlds._projected(5, 8)
        private = {row.tobytes(): label for row, label in self.inputs(features, y, by_class)}
        X, labels = parties(world(dataset="digits", seed=5), 0, 200)
        dealt = [(row.tobytes(), label) for row, label in zip(X.reshape(-1, 9), labels.ravel(), strict=True)]
        assert all(private[row] == label for row, label in dealt)
        assert len({row for row, _ in dealt}) > 600
        outside = {row.tobytes() for name in ("public", "test") for row in found[name].X}
        assert not outside & set(private)
        assert {row.tobytes() for row in found["check"].X} <= {row.tobytes() for row in found["test"].X}

    @staticmethod
    def inputs(features, y, by_class):
        places = np.concatenate(by_class)
        return zip(KINDS["digits"].to_unit(features[places], worlds._radius(features[:500])), y[places], strict=True)

    def test_there_are_as_many_public_images_as_there_are(self):
        assert PartiesSettings(public_rows=2000).change(dataset="digits").public_rows == 500
        with pytest.raises(RefusedError, match="public_rows"):
            PartiesSettings(dataset="digits", public_rows=501)


class TestKept:
    def asked(self, monkeypatch) -> list[tuple[int, int]]:
        found, real = [], crowds._ask
        monkeypatch.setattr(crowds, "_ask", lambda crowd, a, b: found.append((a, b)) or real(crowd, a, b))
        return found

    def test_only_new_parties_are_asked_and_what_nobody_holds_is_let_go(self, monkeypatch):
        asked, crowd = self.asked(monkeypatch), PartiesSettings(**SMALL, seed=71).crowd
        held = Gather(crowd=crowd, upto=200).run()
        assert asked == [(0, 100), (100, 200)]
        assert crowds.known(crowd, 5000) == 200
        crowds.tally(crowd, 230)
        assert asked[2:] == [(200, 230)]
        assert crowds.tally(crowd, 200) is held
        del held
        crowds._newest.clear()
        assert crowds.known(crowd, 5000) == 0

    def test_a_movement_of_epsilon_asks_nobody_and_speaks_of_all(self, monkeypatch):
        settings = PartiesSettings(**(SMALL | {"parties": 900, "seed": 72}))
        held = [Gather(crowd=settings.crowd, upto=upto).run() for upto in settings.crowd.edges(900)]
        asked = self.asked(monkeypatch)
        result = essential(settings.change(epsilon=3.0))
        assert not asked
        assert result.complete
        assert len(held) == 9

    def test_on_the_way_there_are_pictures_of_those_who_were_asked(self):
        settings = PartiesSettings(**(SMALL | {"parties": 1500, "seed": 73}))
        tasks, done, seen, changes = settings.tasks(), {}, [], Counter()
        for task in tasks:
            done[task] = task.run()
            if all(one in done for one in tasks if one.essential):
                result = settings.result(done)
                same = seen and seen[-1] == result
                assert not same or hash(seen[-1]) == hash(result)
                changes[type(task), bool(same)] += 1
                seen += [] if same else [result]
        asked = [result.asked for result in seen]
        assert sorted(set(asked)) == [100, 200, 600, 1500]
        assert asked == sorted(asked)
        # The curve over epsilon does not wait for all of them, and then is theirs
        early = next(result for result in seen if result.over["epsilon"].complete)
        assert early.asked < 1500
        final = [Tried(model=settings.model, asked=1500, epsilon=one).run().accuracy for one in (0.01, 100.0)]
        np.testing.assert_array_equal(seen[-1].over["epsilon"].runs[:, 0], final[0])
        np.testing.assert_array_equal(seen[-1].over["epsilon"].runs[:, -1], final[1])
        # One curve is of the same parties all along, or it would jump where it is today's
        whose = defaultdict(set)
        for task, trial in done.items():
            if isinstance(task, Tried) and task.model == settings.model:
                whose[task.epsilon, trial.accuracy.tobytes()].add(task.asked)
        curves = []
        for grid in (result.over["epsilon"] for result in seen):
            begun = [place for place, done in enumerate(grid.arms[0].done) if done]
            parties = [whose[grid.at[place], grid.runs[:, place].tobytes()] for place in begun]
            assert not parties or set.intersection(*parties)
            curves += [set.intersection(*parties) if parties else set()]
        assert {100, 1500} <= set().union(*curves)
        # Slices that only ask parties change nothing that is shown: these are equal, and nothing is drawn again
        assert changes[Gather, False] == 0
        assert changes[Gather, True] > 10
        assert changes[Tried, False] > 10
        assert changes[Change, False] == 2

    def test_what_is_held_is_counted(self):
        settings = PartiesSettings(**(SMALL | {"parties": 230}))
        tasks = [task for task in settings.tasks() if task.essential]
        result = settings.result({task: task.run() for task in tasks})
        said = crowds.tally(settings.crowd, 100)
        # Two classes, 80 public and 400 check rows: 4 bytes a count and a share; 6 parties one by one
        assert said.votes.nbytes + said.shares.nbytes == 2 * 480 * 8
        chunks, size = result.kept
        assert chunks == 3
        assert size >= 3 * 2 * 480 * 8


class TestQuickWays:
    @pytest.mark.parametrize("place", [1, 2, 3])
    def test_the_smallest_numbers_without_a_sort(self, place):
        values = np.random.default_rng(1).normal(size=(4, 9, 20))
        np.testing.assert_array_equal(local._smallest(values, place), np.sort(values, axis=1)[:, place - 1])

    def test_neighbours_that_are_the_same_row_all_count(self):
        X = np.array([[[0.1, 0.5], [0.1, 0.5], [0.1, 0.5], [0.1, 0.5], [0.4, 0.5]]])
        (found,) = local.votes(
            "neighbours", X, np.array([[0, 0, 1, 1, 1]]), np.array([[0.1, 0.5]]), classes=2, regularisation=0
        )
        np.testing.assert_allclose(found.shares[0, :, 0], [0.5, 0.5])
