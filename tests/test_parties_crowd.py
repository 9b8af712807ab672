"""Crowds of the parties page: digits and what their projection reads, and what is kept of what parties said."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from sklearn.datasets import load_digits
from test_parties import SMALL, world

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


def asked(monkeypatch) -> list[tuple[int, int]]:
    found, real = [], crowds._ask
    monkeypatch.setattr(crowds, "_ask", lambda crowd, a, b: found.append((a, b)) or real(crowd, a, b))
    return found


def test_only_new_parties_are_asked_and_what_nobody_holds_is_let_go(monkeypatch):
    found, settings = asked(monkeypatch), PartiesSettings(**(SMALL | {"parties": 200}), seed=71)
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
    settings = PartiesSettings(**(SMALL | {"parties": 1500, "seed": 73}))
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
