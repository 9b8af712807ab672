"""The attack: never above what a guarantee allows, sharp enough to be worth its name, and honest
about both.
"""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dpcore import check
from dpcore.accountants import gdp
from lab.data import classification as data
from pages.attack import charts, tasks
from pages.attack import settings as attack
from pages.attack.experiment import AttackSettings
from pages.attack.inversion import tasks as inversion
from pages.attack.membership import tasks as membership
from pages.attack.result import EPSILONS, attacked
from pages.attack.tasks import Model, Training, clean, exposed, exposures
from pages.attack.threshold_attack import threshold_attack
from tests.ui.charts.test_topic_charts import numbers


def of(part="worlds", **changes):
    return AttackSettings().change(part=part).change(**changes)


def trained(settings):
    """The result without the curve over epsilon."""
    return settings.result(
        {task: task.run() for task in settings.tasks() if task.work is not attacked}
    )


class TestNeverAboveTheBound:
    @pytest.mark.parametrize("sees", attack.SEES)
    @pytest.mark.parametrize("dataset", ["gaussians", "iris", "moons"])
    def test_over_the_whole_range_of_epsilon(self, dataset, sees):
        """Each interval reaches down to what the noise allows, which is less than what epsilon and
        delta do.
        """
        settings = of(dataset=dataset, sees=sees, steps=10, clip_norm=0.1)
        outcomes = {
            task: task.run() for task in settings.tasks() if task.essential or task.work is attacked
        }
        curve = settings.result(outcomes).curve
        assert list(curve["epsilon"]) == list(EPSILONS)
        assert (curve["low"] <= curve["gaussian"] + 1e-9).all()
        assert (curve["gaussian"] <= curve["promised"] + 1e-9).all()

    def test_seeing_every_step_of_the_worst_person_reaches_it(self):
        """Where every gradient is clipped and opposite in the two worlds, the attack is what the
        theorem counts.
        """
        settings = of(
            sees="steps", epsilon=8.0, clip_norm=0.02, steps=5, learning_rate=0.1, repeats=1000
        )
        assert trained(settings).risk == pytest.approx(1, abs=0.02)
        many, mu = (
            tasks.retrained(Model.of(settings), (4.0,), range(3000)),
            gdp.mu_of(4.0, delta=1e-5),
        )
        found = threshold_attack(many.weights, many.scores, clean(Model.of(settings)).run())
        assert found.accuracy == pytest.approx(ndtr(mu / 2), abs=4 * np.sqrt(0.25 / found.trials))
        # The score is a log likelihood ratio: E[e^-s] = 1 with the person and E[e^s] = 1 without;
        # means +-mu^2/2.
        with_them, without = many.scores
        found = np.exp(-with_them).mean(), np.exp(without).mean(), with_them.mean()
        assert found == pytest.approx((1, 1, mu**2 / 2), abs=0.1)


class TestWorlds:
    def test_the_published_recipe_is_caught_and_without_privacy_nobody_is_hidden(self):
        for version in ("published", "correct"):
            result = trained(of(version=version, clip_norm=0.05, epsilon=1.0, repeats=500))
            assert result.caught == (version == "published")
        bare = trained(of(version="none", repeats=200))
        assert (bare.attack.accuracy, bare.caught) == (1, False)

    def test_the_worlds_differ_in_one_row_and_each_has_noise_of_its_own(self):
        settings = of(who="row", person=7)
        with_them, without = settings.neighbours.worlds()
        assert np.flatnonzero(
            (with_them.X != without.X).any(axis=1) | (with_them.y != without.y)
        ).tolist() == [7]
        other = settings.change(against="public").neighbours.worlds()[1]
        assert np.flatnonzero((other.X != with_them.X).any(axis=1)).tolist() == [7]
        weights = tasks.retrained(Model.of(of(clip_norm=0.1)), (1.0,), range(200)).weights[
            ..., 0, 0
        ]
        assert abs(np.corrcoef(weights)[0, 1]) < 0.3

    def test_no_clipped_person_moves_further_than_anybody_could(self):
        for dataset in ("gaussians", "iris"):
            risks = exposed(Training.of(of(dataset=dataset))).run()
            assert 0 <= risks.min() < risks.max() <= 1 + 1e-9
        # The points stay as they are while somebody is dragged.
        asked = [
            task
            for one in (of(), of(person=9), of(spot="0,0"))
            for task in one.tasks()
            if task.work is exposures
        ]
        assert (len(asked), len(set(asked))) == (3, 1)

    @pytest.mark.parametrize("epsilon", [4.0, 3.7])
    def test_one_question_has_one_number(self, epsilon):
        """Today's row of the table, and of the curve, is the verdict's own answer, from the same
        guesses.
        """
        result = of(epsilon=epsilon, repeats=400).run()
        assert len(result.curve) == len({*EPSILONS, epsilon})
        now = result.curve.set_index("epsilon").loc[epsilon]
        assert all(
            now[name] == getattr(result.attack, name)
            for name in ("accuracy", "low", "high", "trials")
        )
        assert (now["promised"], now["gaussian"]) == pytest.approx(
            (result.promised, result.ceiling), rel=1e-9
        )

    def test_the_first_picture_is_a_part_of_the_last(self):
        settings = of(repeats=600)
        first = settings.result({task: task.run() for task in settings.tasks() if task.essential})
        assert first.trainings < 600 == trained(settings).trainings
        assert list(first.curve["epsilon"]) == [settings.epsilon]


class TestSettings:
    def test_a_click_chooses_who_is_meant_and_a_moved_row_keeps_its_class(self):
        labels = data.load("gaussians", seed=4).y_private
        for row, chosen in ((int(np.argmin(labels)), 1), (int(np.argmax(labels)), 0)):
            meant = of(label=chosen).change(person=row)
            assert meant.who == "row"
            for moved in (meant.change(spot="0.5,-0.25"), meant.change(person_y=0.3)):
                assert (moved.who, moved.label) == ("outlier", labels[row])
                assert moved.change(label=chosen).change(spot="0,0").label == chosen
            assert of(label=chosen).change(spot="0,0").label == chosen

    @pytest.mark.parametrize(
        "changes", [{"spot": "here"}, {"spot": "0,9"}, {"person": 400}, {"label": 2}], ids=str
    )
    def test_nonsense_is_refused(self, changes):
        with pytest.raises(check.RefusedError):
            of().change(**changes)

    def test_slow_data_begin_with_fewer_trainings_and_a_link_keeps_its_own(self):
        slow = of().change(dataset="digits")
        assert (slow.repeats, slow.change(dataset="iris").repeats) == (attack.SLOW_REPEATS, 2000)
        assert slow.change(repeats=900).change(clip_norm=1.0).repeats == 900
        assert of().change(repeats=300).change(dataset="iris").repeats == 300

    @pytest.mark.parametrize("part", attack.PARTS)
    def test_every_part_fits_its_data_and_trains_nothing_anew_for_others(self, part):
        settings = of().change(dataset="breast_cancer", person=250).change(part=part)
        assert settings.dataset in settings.datasets
        assert settings.change(dataset=settings.datasets[-1]).dataset == settings.datasets[-1]
        unread = {"members": 20} if part == "pays" else {"minority": 0.3}
        assert of(part).tasks() == of(part, **unread).tasks()


class TestMembers:
    def test_the_ratio_is_that_of_the_other_models_and_the_roc_that_of_theory(self):
        """Against a plain loop that leaves each model out of its own shadows."""
        rng = np.random.default_rng(0)
        members = rng.random((12, 5)) < 0.5
        margins = rng.normal(size=(12, 5)) + members
        found = membership.ratio_scores(members, margins)
        for i in range(5):
            inside, outside = margins[members[:, i], i], margins[~members[:, i], i]
            spread = (inside.var() * len(inside) + outside.var() * len(outside)) / 10
            for r in range(12):
                others, inside = np.delete(margins[:, i], r), np.delete(members[:, i], r)
                apart = [
                    (margins[r, i] - others[inside == who].mean()) ** 2 for who in (False, True)
                ]
                assert found[r, i] == pytest.approx((apart[0] - apart[1]) / (2 * spread))

        members = np.arange(200_000) % 2 == 0  # and of Gaussian scores the ROC is known
        found = membership.roc(rng.normal(size=200_000) + 1.5 * members, members)
        np.testing.assert_allclose(found, ndtr(ndtri(membership.RATES) + 1.5), atol=0.01)

    def test_the_attack_finds_members_by_heart_and_stays_below_the_frontier(self):
        result = of("membership", epsilon=2.0).run()
        rate = membership.RATES >= 0.01
        for attack_on in membership.ATTACKS:
            assert (
                result.curves["private", attack_on][rate]
                <= result.frontier["gaussian"][rate] + 0.02
            ).all()
        assert result.at("plain", membership.ATTACKS[0], 0.01) > max(0.1, result.allowed(0.01))
        members, rest = result.right("plain")
        assert members > rest + 0.1


class TestOthers:
    def test_the_few_pay_more(self):
        result = of("pays", epsilon=1.0).run()
        assert result.cost(1) > result.cost(0) + 0.1
        assert (
            abs(result.plain[0, -1] - result.plain[1, -1]) < 0.1
        )  # without privacy both are served

    def test_a_planted_record_is_read_without_privacy_only(self):
        result = of("inversion", epsilon=1.0).run()
        private, plain = result.match(1)
        assert plain > 0.9
        assert abs(private) < 0.3
        assert result.curve.arms[1].over()[1][1, -1] > 0.4  # and again at epsilon 150
        settings = of("inversion", steps=1)
        seen = inversion.inverted(
            inversion.Model.of(settings), (None,), range(1)
        )  # one step gives it away exactly
        assert seen.match[1, 0] == pytest.approx(1, abs=1e-4)


def test_each_point_of_the_map_says_which_row_it_is():
    result = trained(of(repeats=100, epsilon=1.0))
    traces = [trace for trace in charts.people(result)["data"] if "customdata" in trace]
    rows = np.concatenate([numbers(trace["customdata"]) for trace in traces]).astype(int)
    x = np.concatenate([numbers(trace["x"]) for trace in traces])
    at = result.plane.display(result.plane.coordinates(result.split.X_private))
    np.testing.assert_allclose(x, at[rows, 0], rtol=1e-5)
    assert sorted(rows) == list(range(400))
