"""Worlds of parties, what they learn alone, what is made of it, and the published orderings on
generated data.
"""

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from dpcore.check import RefusedError
from dpcore.parties import aggregation
from dpcore.streams import stream
from dpcore.training import erm
from lab.data import parties as worlds
from lab.data import party_kinds
from lab.data.parties import PartyData, parties, public
from lab.data.party_kinds import CHECK_ROWS, CONSTANT, KINDS, REACH
from lab.models import local_models as local
from pages.parties import releases
from pages.parties import votes as pools
from pages.parties.fits import fit_releases
from pages.parties.settings import RECORDED, PartiesSettings
from pages.parties.tasks import POOLED_ROWS, ChangeOneParty, ReleaseAll, TrainPooled
from pages.parties.votes import FIRST_VOTES, CollectVotes
from tests.sentences import first

SMALL = {"parties": 60, "public_rows": 80, "repeats": 4, "queries": 40}


def world(**changes) -> PartyData:
    return PartyData(**({"dataset": "two", "rows": 8, "unlike": 0.0, "seed": 1} | changes))


class TestWorlds:
    @pytest.mark.parametrize("dataset", KINDS)
    def test_inputs_lie_in_the_unit_ball_constant_and_all(self, dataset):
        X, y = parties(world(dataset=dataset, unlike=1.0), 0, 130)
        for rows in (X, *(part.X for part in public(dataset, 1, 300).values())):
            assert np.linalg.norm(rows, axis=-1).max() <= 1 + 1e-12
            assert (rows[..., -1] == CONSTANT).all()
        assert set(np.unique(y)) == set(range(KINDS[dataset].classes))

    @pytest.mark.parametrize("dataset", ["four", *RECORDED])
    def test_public_rows_are_of_parties_of_their_own_and_fewer_are_the_first_of_more(self, dataset):
        few, many = public(dataset, 4, 60), public(dataset, 4, 400)
        np.testing.assert_array_equal(few["public"].X, many["public"].X[:60])
        np.testing.assert_array_equal(few["check"].X, many["check"].X)
        rows = [row.tobytes() for part in many.values() for row in part.X]
        X, _ = parties(world(dataset=dataset, rows=30, seed=4), 0, 50)
        assert len(set(rows)) == len(rows) >= 400 + 400 + 1000
        assert {row.tobytes() for row in X.reshape(-1, X.shape[-1])}.isdisjoint(rows)

    def test_parties_that_are_unlike_see_one_class_half_a_standard_deviation_away(self):
        (_, even), (_, odd) = (
            parties(world(dataset="four", unlike=unlike), 0, 200) for unlike in (0.0, 1.0)
        )
        assert (np.ptp(odd, axis=1) == 0).all()
        assert len(np.unique(odd[:, 0])) == 4
        assert (np.ptp(even, axis=1) > 0).mean() > 0.99
        kind, (X, y) = KINDS["two"], parties(world(rows=60, unlike=1.0), 0, 1000)
        unit = REACH / kind.radius
        shift = X[..., :-1].mean(axis=1) / unit - kind.means[y[:, 0]]
        assert shift.std(axis=0) == pytest.approx(kind.sd * np.sqrt(0.5**2 + 1 / 60), rel=0.1)


class TestLocal:
    @pytest.mark.parametrize("dataset", KINDS)
    def test_logistic_is_scikit_learns(self, dataset):
        X, y = parties(world(dataset=dataset, rows=40), 0, 3)
        found = local.logistic(X, y, classes=KINDS[dataset].classes, regularisation=0.01)
        for own, rows, labels in zip(found, X, y, strict=True):
            other = LogisticRegression(
                C=1 / (0.01 * 40), fit_intercept=False, tol=1e-8, max_iter=5000
            )
            expected = other.fit(rows, labels).coef_
            np.testing.assert_allclose(own, expected, atol=0.02 * np.abs(expected).max())


class TestGathering:
    def test_chunks_add_up_to_the_crowd(self):
        pool = PartiesSettings(**(SMALL | {"parties": 230, "dataset": "four"})).pool
        found, (rows, truth) = pools.collect_votes(pool, 230), pool.public_and_check_rows()
        X, y = parties(pool.data, 0, 230)
        pieces = local.votes(X, y, rows, classes=4, regularisation=pool.regularisation)
        votes = np.concatenate([some.votes for some in pieces])
        np.testing.assert_array_equal(
            found.votes, [(votes == label).sum(axis=0) for label in range(4)]
        )
        np.testing.assert_array_equal(found.first_votes, votes[:FIRST_VOTES, :-CHECK_ROWS])
        np.testing.assert_array_equal(found.dealt, votes[np.arange(230), np.arange(230) % 80])
        np.testing.assert_allclose(found.accuracy, (votes == truth)[:, -CHECK_ROWS:].mean(axis=1))

    def test_the_model_without_privacy_sees_all_rows_of_a_small_crowd(self):
        own = TrainPooled(data=world(), parties=20, regularisation=0.01).run()
        X, y = parties(world(), 0, 20)
        other = LogisticRegression(C=1 / (0.01 * 160), fit_intercept=False, tol=1e-8).fit(
            X.reshape(160, 3), y.ravel()
        )
        np.testing.assert_allclose(own, other.coef_, atol=1e-3)
        assert POOLED_ROWS > 20 * 8


def test_what_parties_cannot_do_is_refused_or_left():
    local = {"trust_model": "local"}
    for name, value in (("method", "vote"), ("labels", "probabilities")):
        with pytest.raises(RefusedError, match=f"^{name} is "):
            PartiesSettings(**local, **{name: value})
        assert PartiesSettings(**{name: value}).change(**local) == PartiesSettings(**local)


class TestEachParty:
    @pytest.mark.parametrize("trust_model", ["central", "local", "shuffle"])
    def test_noise_drawn_has_the_stated_standard_deviation(self, trust_model):
        settings = PartiesSettings(trust_model=trust_model, delta=1e-2, parties=400, public_rows=80)
        model = replace(settings.mechanisms, repeats=1500)
        drawn = (
            releases.release(model, "average", 400, (0.3,))[0]
            - fit_releases(model.ensemble, 400).weights["average"]
        )
        assert drawn.std() == pytest.approx(model.weight_sd(0.3), rel=0.05)
        assert abs(drawn.mean()) < 5 * model.weight_sd(0.3) / drawn.size**0.5
        central = settings.change(trust_model="central").mechanisms.weight_sd(0.3)
        assert trust_model != "local" or model.weight_sd(0.3) == pytest.approx(
            20 * central, rel=1e-12
        )

    @pytest.mark.parametrize("constants", ["sharp", "norms"])
    def test_no_two_parties_weights_are_further_apart_than_their_noise_is_made_for(self, constants):
        """All labellings of all parties' few rows, and each the other way around."""
        settings = PartiesSettings(
            trust_model="local", rows=3, constants=constants, regularisation=0.1
        )
        X, _ = parties(settings.data, 0, 8)
        labels = np.array([*product((0, 1), repeat=3)])
        found = [
            local.logistic(np.repeat(x[None], 8, 0), labels, classes=2, regularisation=0.1)
            for x in X
        ]
        sent = aggregation.clip_norms(
            np.concatenate(found), max_norm=aggregation.local_norm_bound(2, 0.1)
        ).reshape(64, -1)
        apart = np.linalg.norm(sent[:, None] - sent, axis=-1).max()
        assert (
            0.1 * settings.mechanisms.sensitivity("average", 1)
            < apart
            <= settings.mechanisms.sensitivity("average", 1)
        )

    def test_one_party_changes_one_answer_and_by_epsilon_at_most(self):
        """Whatever a party says of the other rows, it is asked about one; with other draws all else
        stays the same.
        """
        settings = PartiesSettings(**(SMALL | {"trust_model": "local", "parties": 50}))
        model, said = settings.mechanisms, pools.collect_votes(settings.pool, 50)
        counts = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                releases.aggregation,
                "fit",
                lambda X, shares, **_: counts.append((X, shares)) or erm.Minimum(0, 0),
            )
            for vote in (0, 1):
                dealt = said.dealt.copy()
                dealt[7] = vote
                patch.setattr(
                    releases, "collect_votes", lambda *_, dealt=dealt: replace(said, dealt=dealt)
                )
                releases.release_answers(model, 50, (1.0,))
        (X, one), (_, other) = counts
        assert len(X) == 50  # each row that has an answer
        changed = (one != other).any(axis=(0, 1, 2))
        assert changed.nonzero()[0].tolist() == [7]
        kept = [(answers[0, :, 1, 7] == vote).mean() for vote, answers in enumerate((one, other))]
        assert sum(kept) > 1  # more true answers than lies

    def test_shuffled_messages_get_what_the_theorem_allows(self):
        settings = PartiesSettings(trust_model="shuffle", parties=20_000)
        held, each = settings.guarantee, settings.mechanisms.release_epsilon(1.0)
        assert each > 4 > held.epsilon == pytest.approx(1.0, rel=1e-6)
        assert (held.delta, held.unit, held.adjacency) == (1e-6, "party", "replace-one")
        few = PartiesSettings(trust_model="shuffle", parties=20)
        assert few.guarantee == PartiesSettings(trust_model="local", parties=20).guarantee
        assert few.guarantee.delta == 0
        assert [
            len(one.assumes) for one in (held, few.guarantee, settings.guarantee_of("average"))
        ] == [
            1,
            0,
            0,
        ]
        assert "deals the public rows at random" in held.assumes[0]


def medians(**changes) -> dict[str, float]:
    """Accuracy by method: the median of 20 repeats in 3 worlds."""
    asked, found = {"repeats": 20, "public_rows": 400, "constants": "published", "queries": 100}, []
    for seed in (1, 2, 3):
        settings = PartiesSettings(**(asked | changes), seed=seed)
        trial = ReleaseAll(
            mechanisms=settings.mechanisms, asked=settings.parties, epsilon=settings.epsilon
        ).run()
        found.append(np.median(trial.accuracy, axis=1))
    return dict(zip(settings.mechanisms.methods, np.median(found, axis=0), strict=True))


def test_soft_is_above_average_above_vote_and_more_parties_need_less_noise_but_for_a_vote():
    for constants in ("published", "sharp"):
        found = medians(dataset="four", parties=1000, epsilon=3.0, constants=constants)
        assert found["soft"] > found["average"] + 0.01
        assert found["average"] > found["vote"] + 0.1
    turned = medians(dataset="four", parties=300, constants="norms")  # bounded weights
    assert turned["average"] > turned["soft"] + 0.1
    few, many = (medians(dataset="four", parties=count, epsilon=10.0) for count in (20, 2000))
    assert max(few["vote"], many["vote"]) < 0.36
    for name in ("soft", "average"):
        assert many[name] > few[name] + 0.1


class TestDigits:
    def images(self, flipped: slice, *, fitted: int = 500) -> tuple[np.ndarray, np.ndarray]:
        """(public rows, private rows) of seed 5, some of its images in their order there being
        ``flipped``.
        """
        X, y = load_digits(return_X_y=True)
        X, order = X / 16, stream(5, "split").permutation(len(X))
        X[order[flipped]] = 1 - X[order[flipped]]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(party_kinds, "_digits", lambda: (X, y))
            patch.setattr(party_kinds, "_PUBLIC_DIGITS", fitted)
            party_kinds._projected_digits.cache_clear()
            worlds.public.cache_clear()
            found = (
                public("digits", 5, 500)["public"].X,
                parties(world(dataset="digits", seed=5), 0, 50)[0],
            )
        party_kinds._projected_digits.cache_clear()
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
        one, other = (
            self.images(flipped, fitted=1000)[0] for flipped in (slice(0), slice(500, None))
        )
        assert not np.allclose(one, other)

    def test_parties_hold_private_images_and_no_others(self):
        found = public("digits", 5, 500)
        features, y, by_class = party_kinds._projected_digits(5, 8)
        places = np.concatenate(by_class)
        inputs = KINDS["digits"].to_unit(features[places], party_kinds._radius(features[:500]))
        private = {row.tobytes(): label for row, label in zip(inputs, y[places], strict=True)}
        X, labels = parties(world(dataset="digits", seed=5), 0, 200)
        dealt = [
            (row.tobytes(), label)
            for row, label in zip(X.reshape(-1, 9), labels.ravel(), strict=True)
        ]
        assert all(private[row] == label for row, label in dealt)
        assert len({row for row, _ in dealt}) > 600
        outside = {row.tobytes() for name in ("public", "test") for row in found[name].X}
        assert not outside & set(private)
        assert {row.tobytes() for row in found["check"].X} <= {
            row.tobytes() for row in found["test"].X
        }


def test_only_new_parties_are_asked_and_what_nobody_holds_is_let_go(monkeypatch):
    found, real, settings = (
        [],
        pools._ask_parties,
        PartiesSettings(**(SMALL | {"parties": 200}), seed=71),
    )
    monkeypatch.setattr(
        pools, "_ask_parties", lambda pool, a, b: found.append((a, b)) or real(pool, a, b)
    )
    pool = settings.pool
    held = CollectVotes(pool=pool, upto=200).run()
    assert found == [(0, 100), (100, 200)]
    assert pools.known_parties(pool, 5000) == 200
    assert first(settings.change(epsilon=3.0)).complete  # a movement of epsilon asks nobody
    pools.collect_votes(pool, 230)
    assert found[2:] == [(200, 230)]
    assert pools.collect_votes(pool, 200) is held
    del held
    pools._newest.clear()
    assert pools.known_parties(pool, 5000) == 0


def test_on_the_way_there_are_pictures_of_those_who_were_asked():
    settings = PartiesSettings(**(SMALL | {"parties": 1500, "seed": 73}))
    tasks, done, seen, changes = settings.experiment.tasks(), {}, [], Counter()
    for task in tasks:
        done[task] = task.run()
        if all(one in done for one in tasks if one.essential):
            result = settings.experiment.gather(done)
            same = bool(seen) and seen[-1] == result
            changes[type(task), same] += 1
            seen += [] if same else [result]
    parties = [result.asked for result in seen]
    assert sorted(set(parties)) == [100, 200, 600, 1500]
    assert parties == sorted(parties)
    # The curve over epsilon does not wait for all of them, and then is theirs
    assert next(result for result in seen if result.over["epsilon"].complete).asked < 1500
    for place, epsilon in ((0, 0.01), (-1, 100.0)):
        final = (
            ReleaseAll(mechanisms=settings.mechanisms, asked=1500, epsilon=epsilon).run().accuracy
        )
        np.testing.assert_array_equal(seen[-1].over["epsilon"].runs[:, place], final)
    # One curve is of the same parties all along, or it would jump where it is today's
    whose = defaultdict(set)
    for task, trial in done.items():
        if isinstance(task, ReleaseAll) and task.mechanisms == settings.mechanisms:
            whose[task.epsilon, trial.accuracy.tobytes()].add(task.asked)
    for grid in (result.over["epsilon"] for result in seen):
        begun = [place for place, there in enumerate(grid.arms[0].done) if there]
        curve = [whose[grid.at[place], grid.runs[:, place].tobytes()] for place in begun]
        assert not curve or set.intersection(*curve)
    # Slices that only ask parties change nothing that is shown: these are equal, and nothing is
    # drawn again
    assert (changes[CollectVotes, False], changes[ChangeOneParty, False]) == (0, 2)
    assert min(changes[CollectVotes, True], changes[ReleaseAll, False]) > 10
