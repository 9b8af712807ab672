"""The attacks: never above what a guarantee allows, and strong enough to be worth their name."""

from functools import cache

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dpcore import check
from dpcore.accountants import gdp
from dpcore.privacy import Adjacency
from dpcore.training import descent
from lab.data import classification as data
from lab.models.classifier_versions import CLIPPING, noise_sd
from pages.attack import charts, tasks
from pages.attack import settings as attack
from pages.attack.fairness.result import MAJORITY, MINORITY
from pages.attack.inversion.experiment import InversionExperiment
from pages.attack.inversion.result import RECORD_MATCH
from pages.attack.membership import attacks
from pages.attack.result import EPSILONS, accuracy_bounds
from pages.attack.settings import REPLACED_BY, WHO
from pages.attack.tasks import attack_at_epsilon, measure_influences
from pages.attack.threshold_attack import threshold_attack
from tests.pages.attack.random_results import first_result, result_without_curve, settings_of
from tests.ui.charts.test_topic_charts import numbers


class TestBounds:
    @pytest.mark.parametrize("dataset", ["gaussians", "iris", "moons"])
    def test_the_curve_has_all_epsilons(self, dataset):
        curve = result_of_curve(dataset).curve

        assert list(curve["epsilon"]) == list(EPSILONS)

    @pytest.mark.parametrize("dataset", ["gaussians", "iris", "moons"])
    def test_the_intervals_of_the_curve_reach_down_to_the_bound_of_the_noise(self, dataset):
        result = result_of_curve(dataset)

        bounds = accuracy_bounds(EPSILONS, result.settings.delta)

        assert (result.curve["low"] <= bounds["gaussian"] + 1e-9).all()

    def test_the_bound_of_the_noise_is_the_smaller_one(self):
        bounds = accuracy_bounds(EPSILONS, 1e-5)

        assert (bounds["gaussian"] <= bounds["promised"] + 1e-9).all()

    def test_the_attacker_reaches_the_bound_after_one_step_for_the_worst_person(self):
        """The gradients of the person are clipped, and opposite on the two data sets."""
        epsilon = 4.0
        training = settings_of("person", **WORST_PERSON).pair_training
        mu = gdp.mu_of(epsilon, delta=1e-5)

        point = attack_at_epsilon(training, (epsilon,), range(6000))

        standard_error = np.sqrt(0.25 / point.trials)
        assert point.correct / point.trials == pytest.approx(ndtr(mu / 2), abs=4 * standard_error)

    def test_the_worst_person_has_the_largest_influence(self):
        result = first_result(settings_of("person", **WORST_PERSON))

        assert result.influence == pytest.approx(1, abs=0.02)


# With a small clipping norm the outlier's gradients are clipped.
WORST_PERSON = {"clip_norm": 0.02, "steps": 1, "learning_rate": 0.1}


@cache
def result_of_curve(dataset):
    """A result with all points of the curve."""
    settings = settings_of("person", dataset=dataset, steps=10, clip_norm=0.1, epsilon=4.0)
    outcomes = {}
    for task in settings.experiment.tasks():
        if task.essential or task.work is attack_at_epsilon:
            outcomes[task] = task.run()
    return settings.experiment.gather(outcomes)


class TestOnePerson:
    @pytest.mark.parametrize(
        ("version", "refuted"),
        [
            pytest.param("published", True, id="published"),
            pytest.param("correct", False, id="correct"),
        ],
    )
    def test_only_the_published_mechanism_is_refuted(self, version, refuted):
        settings = settings_of("person", version=version, clip_norm=0.05, epsilon=1.0, repeats=500)

        result = result_without_curve(settings)

        assert result.refuted == refuted

    def test_without_privacy_every_guess_is_right_and_no_claim_refuted(self):
        result = result_without_curve(settings_of("person", version="none", repeats=200))

        assert result.attack.accuracy == 1
        assert not result.refuted

    def test_the_data_sets_differ_in_the_class_of_one_row(self):
        first, second = settings_of("person", who="row", person=7).neighbours.data_sets()

        differs = first.y != second.y

        assert np.flatnonzero(differs).tolist() == [7]

    @pytest.mark.parametrize("who", WHO)
    def test_nobody_in_the_place_has_the_gradient_zero_and_the_rows_are_as_many(self, who):
        settings = settings_of("person", person=7, replaced_by="nobody").change(who=who)

        first, second = settings.neighbours.data_sets()

        differs = (first.X != second.X).any(axis=1)
        assert np.flatnonzero(differs).tolist() == [7]
        assert not second.X[7].any()
        assert len(second.X) == len(first.X)

    @pytest.mark.parametrize("version", ["correct", "none"])
    def test_a_training_with_nobody_is_one_on_the_other_rows_divided_by_all(self, version):
        settings = settings_of("person", person=7, replaced_by="nobody", version=version, steps=3)
        first, _ = settings.neighbours.data_sets()
        others = np.arange(settings.rows) != 7
        share = (settings.rows - 1) / settings.rows

        _, without = tasks.train_noiseless(settings.pair_training, (), range(1))

        path = settings.training.descend(
            first.X[others],
            first.y[others],
            noise_sd=0.0,
            draws=(0,),
            clipping=CLIPPING[version],
            learning_rate=settings.learning_rate * share,
        )
        np.testing.assert_allclose(without, path.weights[0], rtol=1e-4, atol=1e-6)

    @pytest.mark.parametrize(
        ("replaced_by", "adjacency", "contributions"),
        [
            pytest.param("class", Adjacency.REPLACE_ONE, 2, id="another class"),
            pytest.param("nobody", Adjacency.ADD_REMOVE, 1, id="nobody"),
        ],
    )
    def test_the_guarantee_and_the_noise_have_the_adjacency_of_the_two_data_sets(
        self, replaced_by, adjacency, contributions
    ):
        settings = settings_of("person", replaced_by=replaced_by, epsilon=2.0)
        multiplier = descent.noise_multiplier(epsilon=2.0, delta=1e-5, steps=settings.steps)

        guarantee = settings.guarantees.formula
        noise = noise_sd(settings.pair_training, 2.0)

        assert (guarantee.adjacency, settings.claim.adjacency) == (adjacency, adjacency)
        assert guarantee.epsilon == pytest.approx(2.0)
        assert noise == pytest.approx(
            multiplier * contributions * settings.clip_norm / settings.rows
        )

    @pytest.mark.parametrize("part", ["membership", "fairness", "inversion"])
    def test_other_parts_replace_a_row_whatever_the_target_person_is_replaced_by(self, part):
        settings = settings_of("person", replaced_by="nobody").change(part=part)

        assert settings.guarantees.formula.adjacency == Adjacency.REPLACE_ONE

    @pytest.mark.parametrize("version", ["published", "none"])
    @pytest.mark.parametrize("part", ["membership", "fairness", "inversion"])
    def test_other_parts_attack_the_correct_mechanism_whatever_the_person_s_part_attacks(
        self, part, version
    ):
        settings = settings_of("person", version=version).change(part=part)

        assert settings.guarantees.formula.epsilon == pytest.approx(settings.epsilon)

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("who", WHO)
    def test_the_attacker_stays_within_the_limit_at_all_epsilons_with_nobody(self, who, seed):
        """So many points exceed four standard errors once in 360 runs of all seeds."""
        settings = settings_of("person", replaced_by="nobody", seed=seed).change(who=who)
        bounds = accuracy_bounds(EPSILONS, settings.delta)["gaussian"]

        for epsilon, bound in zip(EPSILONS, bounds, strict=True):
            point = attack_at_epsilon(settings.pair_training, (epsilon,), range(1000))

            standard_error = np.sqrt(max(bound * (1 - bound), 1e-4) / point.trials)
            assert point.correct / point.trials <= bound + 4 * standard_error, epsilon

    def test_the_data_sets_have_the_same_features(self):
        first, second = settings_of("person", who="row", person=7).neighbours.data_sets()

        np.testing.assert_array_equal(first.X, second.X)

    def test_the_data_sets_have_noise_of_their_own(self):
        training = settings_of("person", clip_norm=0.1).pair_training

        weights = tasks.train_pairs(training, (1.0,), range(200))

        first_weights = weights[..., 0, 0]
        assert abs(np.corrcoef(first_weights)[0, 1]) < 0.3

    @pytest.mark.parametrize("replaced_by", REPLACED_BY)
    @pytest.mark.parametrize("dataset", ["gaussians", "iris"])
    def test_no_clipped_row_has_more_than_the_largest_influence(self, dataset, replaced_by):
        training = settings_of("person", dataset=dataset, replaced_by=replaced_by).training

        influences = measure_influences(training, (), range(1))

        assert 0 <= influences.min() < influences.max() <= 1 + 1e-9

    def test_influences_do_not_depend_on_the_target_person(self):
        variants = [
            settings_of("person"),
            settings_of("person", person=9),
            settings_of("person", spot="0,0"),
        ]

        found = []
        for settings in variants:
            for task in settings.experiment.tasks():
                if task.work is measure_influences:
                    found.append(task)

        assert len(found) == 3
        assert len(set(found)) == 1

    @pytest.mark.parametrize("epsilon", [4.0, 3.7])
    def test_the_curve_has_the_verdict_at_the_set_epsilon(self, epsilon):
        result = settings_of("person", epsilon=epsilon, repeats=400).experiment.run()

        row = result.curve.set_index("epsilon").loc[epsilon]

        attack_row = [getattr(result.attack, name) for name in row.index]
        assert row.tolist() == attack_row

    @pytest.mark.parametrize("epsilon", [4.0, 3.7])
    def test_the_bounds_of_the_curve_are_those_of_the_page(self, epsilon):
        result = result_without_curve(settings_of("person", epsilon=epsilon, repeats=100))

        bounds = accuracy_bounds((epsilon,), result.settings.delta)

        assert bounds["promised"] == pytest.approx([result.claim_bound], rel=1e-9)
        assert bounds["gaussian"] == pytest.approx([result.noise_bound], rel=1e-9)

    def test_the_first_result_has_some_of_the_trainings_and_one_point(self):
        settings = settings_of("person", repeats=600)

        first = first_result(settings)

        assert first.trainings < 600
        assert list(first.curve["epsilon"]) == [settings.epsilon]

    def test_the_last_result_has_all_trainings(self):
        assert result_without_curve(settings_of("person", repeats=600)).trainings == 600

    def test_a_point_of_the_curve_is_the_attack_on_its_trainings(self):
        training = settings_of("person", clip_norm=0.1).pair_training
        weights = tasks.train_pairs(training, (4.0,), range(40))
        noiseless = tasks.train_noiseless(training, (), range(1))

        point = attack_at_epsilon(training, (4.0,), range(40))

        expected = threshold_attack(weights, noiseless)
        assert point == (expected.correct, expected.trials)

    def test_each_point_of_the_map_has_the_number_of_its_row(self):
        result = result_without_curve(settings_of("person", repeats=100, epsilon=1.0))
        positions = result.plane.display(result.plane.coordinates(result.split.X_private))

        traces = [trace for trace in charts.people(result)["data"] if "customdata" in trace]

        rows = np.concatenate([numbers(trace["customdata"]) for trace in traces]).astype(int)
        x = np.concatenate([numbers(trace["x"]) for trace in traces])
        np.testing.assert_allclose(x, positions[rows, 0], rtol=1e-5)
        assert sorted(rows) == list(range(400))


class TestSettings:
    @pytest.mark.parametrize("chosen", [0, 1])
    def test_choosing_a_row_chooses_a_row_as_target(self, chosen):
        assert settings_of("person", label=chosen).change(person=3).who == "row"

    @pytest.mark.parametrize(
        "move",
        [
            pytest.param({"spot": "0.5,-0.25"}, id="dragged"),
            pytest.param({"person_y": 0.3}, id="by a slider"),
        ],
    )
    @pytest.mark.parametrize("label", [0, 1])
    def test_a_moved_row_becomes_an_outlier_of_its_class(self, label, move):
        labels = data.load("gaussians", seed=4).y_private
        row = int(np.flatnonzero(labels == label)[0])
        other_label = 1 - label

        moved = settings_of("person", label=other_label).change(person=row).change(**move)

        assert moved.who == "outlier"
        assert moved.label == label
        assert moved.change(label=other_label).change(spot="0,0").label == other_label

    @pytest.mark.parametrize("label", [0, 1])
    def test_a_moved_outlier_keeps_its_class(self, label):
        assert settings_of("person", label=label).change(spot="0,0").label == label

    @pytest.mark.parametrize(
        "changes", [{"spot": "here"}, {"spot": "0,9"}, {"person": 400}, {"label": 2}], ids=str
    )
    def test_invalid_values_are_refused(self, changes):
        with pytest.raises(check.RefusedError):
            settings_of("person").change(**changes)

    def test_slow_data_sets_start_with_fewer_trainings(self):
        slow = settings_of("person").change(dataset="digits")

        assert slow.repeats == attack.SLOW_REPEATS
        assert slow.change(dataset="iris").repeats == 2000

    def test_other_changes_keep_the_number_of_trainings(self):
        slow = settings_of("person").change(dataset="digits")

        assert slow.change(repeats=900).change(clip_norm=1.0).repeats == 900
        assert settings_of("person").change(repeats=300).change(dataset="iris").repeats == 300

    @pytest.mark.parametrize("part", attack.PARTS)
    def test_a_part_brings_a_data_set_that_suits_it(self, part):
        settings = (
            settings_of("person").change(dataset="breast_cancer", person=250).change(part=part)
        )

        assert settings.dataset in settings.datasets
        last = settings.datasets[-1]
        assert settings.change(dataset=last).dataset == last

    @pytest.mark.parametrize("part", attack.PARTS)
    def test_a_part_trains_nothing_anew_for_the_fields_of_others(self, part):
        unused = {"minority": 0.3}
        if part == "fairness":
            unused = {"members": 20}

        changed = settings_of(part, **unused)

        assert changed.experiment.tasks() == settings_of(part).experiment.tasks()


def likelihood_ratio(members, margins, model):
    """The log-likelihood ratio of one person's margin in one model, by a plain loop."""
    inside = margins[members]
    outside = margins[~members]
    squares = inside.var() * len(inside) + outside.var() * len(outside)
    variance = squares / (len(margins) - 2)
    other_margins = np.delete(margins, model)
    other_members = np.delete(members, model)
    distance_with = (margins[model] - other_margins[other_members].mean()) ** 2
    distance_without = (margins[model] - other_margins[~other_members].mean()) ** 2
    return (distance_without - distance_with) / (2 * variance)


@pytest.fixture(scope="module")
def membership():
    """The result of all models."""
    return settings_of("membership", epsilon=2.0).experiment.run()


class TestMembership:
    def test_the_likelihood_ratio_leaves_the_model_itself_out(self):
        rng = np.random.default_rng(0)
        members = rng.random((12, 5)) < 0.5
        margins = rng.normal(size=(12, 5)) + members

        ratios = attacks.likelihood_ratios(members, margins)

        for person in range(5):
            for model in range(12):
                expected = likelihood_ratio(members[:, person], margins[:, person], model)
                assert ratios[model, person] == pytest.approx(expected), (model, person)

    def test_the_roc_of_gaussian_scores_is_that_of_theory(self):
        rng = np.random.default_rng(0)
        members = np.arange(200_000) % 2 == 0
        scores = rng.normal(size=200_000) + 1.5 * members

        curve = attacks.roc(scores, members)

        np.testing.assert_allclose(curve, ndtr(ndtri(attacks.RATES) + 1.5), atol=0.01)

    @pytest.mark.parametrize("name", attacks.ATTACKS)
    def test_no_attack_finds_more_private_members_than_the_bound(self, membership, name):
        at_least_1_percent = attacks.RATES >= 0.01

        found = membership.curves["private", name][at_least_1_percent]

        assert (found <= membership.bounds[at_least_1_percent] + 0.02).all()

    def test_the_attack_finds_non_private_members(self, membership):
        assert membership.true_positive_rate("plain") > max(0.1, membership.bound)

    def test_non_private_models_are_better_on_their_members(self, membership):
        on_members, on_others = membership.accuracy("plain")

        assert on_members > on_others + 0.1


class TestFairness:
    def test_privacy_costs_the_minority_more(self):
        result = settings_of("fairness", epsilon=1.0).experiment.run()

        assert result.cost(MINORITY) > result.cost(MAJORITY) + 0.1

    def test_the_non_private_model_serves_both_groups(self):
        result = first_result(settings_of("fairness", epsilon=1.0))

        assert abs(result.plain[MAJORITY] - result.plain[MINORITY]) < 0.1


class TestInversion:
    def test_a_planted_record_is_read_without_privacy_only(self):
        match = settings_of("inversion", epsilon=1.0).experiment.run().record_match

        assert match.plain > 0.9
        assert abs(match.private) < 0.3

    def test_a_planted_record_is_seen_at_a_large_epsilon(self):
        match = settings_of("inversion", epsilon=150.0).experiment.run().record_match

        assert match.private > 0.4

    def test_one_step_without_noise_reveals_the_record_exactly(self):
        settings = settings_of("inversion", steps=1)

        plain = InversionExperiment(settings).parts()["plain"].tasks[0].run()

        assert plain.match[RECORD_MATCH, 0] == pytest.approx(1, abs=1e-4)
