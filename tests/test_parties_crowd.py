"""Crowds of the parties page: digits and what their projection reads, and what is kept of what parties said."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from sklearn.datasets import load_digits
from test_parties import SMALL, world

from dpcore.check import RefusedError
from dpcore.parties import worlds
from dpcore.parties.worlds import KINDS, parties, public
from dpcore.streams import stream
from pages.parties import crowd as crowds
from pages.parties.crowd import Gather
from pages.parties.experiment import PartiesSettings
from pages.parties.work import Change, Tried
from tests.sentences import first


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

    def test_the_projection_reads_public_images_only(self):
        same, private = self.images(slice(0))
        others = self.images(slice(500, None))
        np.testing.assert_array_equal(others[0], same)
        assert not np.allclose(others[1], private)
        # And it does read them: one public image that is another turns the directions of all
        one = self.images(slice(1))
        assert not np.allclose(one[0][1:], same[1:])
        assert not np.allclose(one[1], private)

    def test_a_projection_of_private_images_would_be_noticed(self):
        """The slip, made on purpose: fitted to most images, what is public depends on what is private."""
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
        result = first(settings.change(epsilon=3.0))
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
        result, said = first(settings), crowds.tally(settings.crowd, 100)
        # Two classes, 80 public and 400 check rows: 4 bytes a count and a share; 6 parties one by one
        assert said.votes.nbytes + said.shares.nbytes == 2 * 480 * 8
        chunks, size = result.kept
        assert chunks == 3
        assert size >= 3 * 2 * 480 * 8
