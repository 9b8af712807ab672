"""What a sweep may measure: each page's probe is its own work, and gives the page's own number bit
for bit.
"""

from dataclasses import fields

import numpy as np
import pytest

from dpcore.estimators.linear import REGRESSIONS
from lab.experiment.settings import Spread
from lab.statistics.confusion import balanced_accuracy, recalls
from pages.attack import tasks as attack
from pages.network.tasks import segments
from pages.network.training import Training
from pages.parties.mechanisms import METHODS
from pages.topics import TOPIC_PAGES
from pages.transfer.model import CANDIDATES

# Page -> measure -> what the page itself says: the spread of the repeats, as its result gives it.
OWN = {
    "classifier": {
        "accuracy": lambda result: result.summary["public"],
        "scratch": lambda result: result.summary["scratch"],
        "balanced": lambda result: Spread.of(balanced_accuracy(result.held_out["scratch"].counts)),
        "loss": lambda result: Spread(*result.loss_quantiles()[:, 0, -1]),
    },
    "regression": {"error": lambda result: result.summary()},
    "network": {"accuracy": lambda result: result.summary("private")},
    "transfer": {name: lambda result, name=name: result.summary()[name] for name in CANDIDATES},
    "parties": {name: lambda result, name=name: result.summary[name] for name in METHODS},
    "hypotheses": {
        "accuracy": lambda result: result.summary["transfer"],
        "gain": lambda result: Spread.of(
            result.accuracy["transfer"] - result.accuracy["few_labels"]
        ),
        "error": lambda result: Spread.of(result.outcome.error),
    },
    "attack": {"attacker": lambda result: Spread.of(np.array([result.attack.accuracy]))},
}
MEASURED = {page.name: page for page in TOPIC_PAGES if page.name in OWN}

every_page = pytest.mark.parametrize("page", MEASURED)


def start_of(page, **changes):
    """Return the default settings of a page with the given changes."""
    return MEASURED[page].settings().change(**changes)


def measures_of(page):
    """Return the measures of a page at its default settings, by name."""
    return start_of(page).experiment.measures


def declared(settings):
    """Return the measures of a topic, as they are before its settings change them."""
    return settings.experiment.MEASURES


def probe_of(settings):
    """Return the first task that a sweep runs."""
    return settings.experiment.shown_sample()[0]


def pieces(probe) -> set:
    """Return the page's own tasks that a probe is made of: itself, or the trainings that it looks
    at.
    """
    if getattr(probe, "work", None) is attack.attack_accuracy:
        return set(attack.shown_pairs(probe.model, probe.at[0], probe.count).tasks)
    if isinstance(getattr(probe, "model", None), Training):
        groups = probe.model.groups(probe.count)
        return {task for group in groups for task in segments(probe.model, group)}
    return {probe}


def directions(settings) -> set[tuple[str, str, int]]:
    """Return (measure, field, whether it gets better along it, 1, or worse, -1)."""
    found = set()
    for name, measure in settings.experiment.measures.items():
        for field in measure.rises:
            found.add((name, field, 1))
        for field in measure.falls:
            found.add((name, field, -1))
    return found


def test_every_page_is_measured_that_trains_models():
    without_training = {"accounting", "mechanisms"}

    assert {page.name for page in TOPIC_PAGES} - without_training == OWN.keys()


class TestProbe:
    @every_page
    def test_a_probe_is_work_of_the_page(self, page):
        settings = start_of(page)

        assert pieces(probe_of(settings)) <= set(settings.experiment.tasks())

    @every_page
    def test_equal_settings_have_probes_of_one_hash(self, page):
        assert hash(probe_of(start_of(page))) == hash(probe_of(start_of(page)))

    @every_page
    def test_each_measure_has_a_number_for_each_repeat(self, page):
        outcome = probe_of(start_of(page)).run()

        shapes = {np.shape(measure.read(outcome)) for measure in measures_of(page).values()}
        assert len(shapes) == 1
        assert len(shapes.pop()) == 1

    @every_page
    def test_numbers_are_within_the_limits_of_their_measure(self, page):
        outcome = probe_of(start_of(page)).run()

        for measure in measures_of(page).values():
            (low, high), values = measure.limits, np.asarray(measure.read(outcome))
            assert np.isfinite(values).all()
            assert ((low <= values) & (values <= high)).all()

    @every_page
    def test_a_measure_is_the_pages_own_number(self, page):
        settings = start_of(page)
        outcome, needed = probe_of(settings).run(), pieces(probe_of(settings))
        tasks = settings.experiment.tasks()
        run = {task: task.run() for task in tasks if task.essential or task in needed}
        result = settings.experiment.gather(run)

        assert OWN[page].keys() == declared(settings).keys()
        for name, measure in settings.experiment.measures.items():
            if name in OWN[page]:  # the recalls of classes have a test of their own
                assert Spread.of(measure.read(outcome)) == OWN[page][name](result), name


class TestMeasures:
    @every_page
    def test_a_measure_has_a_label_of_its_own(self, page):
        labels = [measure.label for measure in measures_of(page).values()]

        assert all(label and label == label.strip() for label in labels)
        assert len(set(labels)) == len(labels)

    @every_page
    def test_a_measure_has_a_direction_a_unit_and_limits(self, page):
        for measure in measures_of(page).values():
            low, high = measure.limits
            assert measure.better in ("higher", "lower")
            assert measure.unit in ("%", "nats", "")
            assert low < high

    @every_page
    def test_a_share_is_from_0_to_1_in_per_cent(self, page):
        for measure in measures_of(page).values():
            if measure.share:
                assert measure.unit == "%"
                assert measure.limits == (0.0, 1.0)
                assert measure.better == "higher"

    @every_page
    def test_no_field_makes_a_measure_both_rise_and_fall(self, page):
        for measure in measures_of(page).values():
            assert not set(measure.rises) & set(measure.falls)

    @every_page
    def test_a_measure_rises_or_falls_with_fields_of_the_settings(self, page):
        settings = start_of(page)
        names = {field.name for field in fields(settings)}

        assert names >= {field for _, field, _ in directions(settings)}

    @every_page
    def test_a_number_of_people_is_a_field_with_which_a_measure_rises(self, page):
        settings = start_of(page)
        if settings.PEOPLE:
            assert settings.PEOPLE in {field.name for field in fields(settings)}
            assert any(settings.PEOPLE in one.rises for one in declared(settings).values())


class TestTuned:
    @every_page
    def test_ranges_of_a_search_are_positive_and_within_the_limits(self, page):
        settings = start_of(page)
        for name, (low, high) in settings.TUNED.items():
            least, most = settings.LIMITS[name]
            assert low > 0
            assert least <= low < high <= most

    @every_page
    def test_both_ends_of_a_searched_range_can_be_set(self, page):
        settings = start_of(page)
        for name, ends in settings.tuned.items():
            for end in ends:
                assert getattr(settings.change(**{name: end}), name) == end

    @pytest.mark.parametrize(
        ("page", "changes", "tuned"),
        [
            ("regression", {}, []),
            ("regression", {"tuning": "own", "mechanism": "adassp"}, []),
            ("regression", {"tuning": "own", "mechanism": "published"}, ["share"]),
            ("regression", {"tuning": "own"}, ["clip_norm", "radius"]),
            ("transfer", {}, ["h"]),
            ("transfer", {"selection": "detected"}, ["h", "detection_share"]),
        ],
    )
    def test_the_tuned_fields_depend_on_the_settings(self, page, changes, tuned):
        settings = start_of(page, **changes)

        assert list(settings.tuned) == tuned
        assert settings.tuned.keys() <= settings.TUNED.keys()


class TestRecall:
    iris = MEASURED["classifier"].settings().change(dataset="iris", public_rows=0)

    def test_the_recall_of_each_of_a_few_classes_is_measured(self):
        counts = self.iris.experiment.run().held_out["scratch"].counts
        # One column a class.
        expected = recalls(counts).T
        outcome = probe_of(self.iris).run()
        measures = self.iris.experiment.measures

        names = [name for name in measures if name.startswith("recall")]

        assert len(names) == 3
        for name, recalls_of_class in zip(names, expected, strict=True):
            measured_recalls = measures[name].read(outcome)
            np.testing.assert_array_equal(
                measured_recalls, recalls_of_class[: len(measured_recalls)]
            )

    def test_the_recalls_of_many_classes_are_not_measured(self):
        digits = self.iris.change(dataset="digits")

        assert digits.experiment.measures == declared(digits)


# Settings beside the defaults whose samples are looked at: other shapes, other parts, other
# arithmetic.
OTHERS = {
    "classifier": [
        {"dataset": "digits", "steps": 60},
        {"dataset": "iris", "version": "published", "public_rows": 0},
        {"version": "none", "repeats": 5},
    ],
    "network": [{"shown": 21, "repeats": 7}, {"dataset": "digits", "epochs": 4, "shown": 0}],
    "regression": [{"dataset": "diabetes", "mechanism": name} for name in REGRESSIONS]
    + [{"repeats": 7}],
    "transfer": [{"selection": "detected"}, {"noise": "laplace", "dimension": 7, "repeats": 5}],
    "parties": [
        {"dataset": "digits", "parties": 200},
        {"method": "pate", "repeats": 3},
        {"method": "federated", "repeats": 5},
    ],
    "hypotheses": [{"noise": "gaussian", "repeats": 4}],
    "attack": [{"dataset": "iris", "repeats": 100}],
}
SAMPLED = [(page, changes) for page in MEASURED for changes in ({}, *OTHERS.get(page, ()))]
PAIRED = [(page, changes) for page, changes in SAMPLED if start_of(page).experiment.PAIRED_BY]
UNPAIRED = [one for one in SAMPLED if one not in PAIRED]

every_paired = pytest.mark.parametrize(("page", "changes"), PAIRED, ids=str)


def numbers(settings, tasks):
    """Return each of the measures (measures, repeats), read off tasks in turn."""
    outcomes = [task.run() for task in tasks]
    values = []
    for measure in settings.experiment.measures.values():
        values.append(np.concatenate([measure.read(outcome) for outcome in outcomes]))
    return np.array(values)


def sampled(settings, count):
    """Return each of the measures in so many repeats of a sample, (measures, count)."""
    return numbers(settings, settings.experiment.sample(count))


def shown_runs(settings) -> int:
    """Return the number of runs that the page of these settings shows numbers of."""
    return getattr(settings, "runs", settings.repeats)


class TestSample:
    """The repeats of a sweep are those of the page, and then more of them."""

    @pytest.mark.parametrize(("page", "changes"), UNPAIRED, ids=str)
    def test_a_page_without_repeats_is_sampled_by_its_probe(self, page, changes):
        settings = start_of(page, **changes)

        assert settings.experiment.sample(100) == (probe_of(settings),)

    @every_paired
    def test_the_shown_sample_has_the_repeats_of_the_page(self, page, changes):
        settings = start_of(page, **changes)

        own = numbers(settings, settings.experiment.shown_sample())

        assert own.shape[1] == shown_runs(settings)

    @every_paired
    @pytest.mark.parametrize("fewer", ["two", "all"])
    def test_fewer_repeats_are_the_first_of_the_page(self, page, changes, fewer):
        settings = start_of(page, **changes)
        count = 2 if fewer == "two" else settings.repeats

        own = numbers(settings, settings.experiment.shown_sample())

        np.testing.assert_array_equal(sampled(settings, count), own[:, :count])

    @every_paired
    def test_more_repeats_begin_with_those_of_the_page(self, page, changes):
        settings = start_of(page, **changes)
        count = shown_runs(settings) + 3

        of_page = numbers(settings, settings.experiment.shown_sample())
        more = sampled(settings, count)

        _, repeats_of_page = of_page.shape
        assert more.shape[1] == count
        np.testing.assert_array_equal(more[:, :repeats_of_page], of_page)

    @every_paired
    def test_a_longer_sample_begins_with_a_shorter_one(self, page, changes):
        settings = start_of(page, **changes)
        count = settings.repeats + 3

        some, more = sampled(settings, count), sampled(settings, count + 6)

        assert np.isfinite(more).all()
        np.testing.assert_array_equal(more[:, :count], some)


# Field -> values along which a measure only gets better, or only worse; of a page, where it has
# other ones.
ALONG = {
    "epsilon": (0.1, 0.3, 1.0, 3.0, 10.0),
    "delta": (1e-9, 1e-6, 1e-3),
    "target_rows": (200, 800, 3000),
    "parties": (10, 100, 1000),
    "source_rows": (100, 300, 1000),
    "unlabelled_rows": (100, 300, 1000),
    "rows": (50, 75, 150, 280, 1000),
}
OF_PAGE = {
    "network": {"epsilon": (0.2, 1.0, 10.0), "rows": (200, 500, 1200)},
    "regression": {"rows": (500, 20_000, 296_000)},
    "hypotheses": {"epsilon": (0.3, 3.0, 30.0)},
}
# Page -> the settings at which that is looked at.
PLACES = {
    "classifier": [{}, {"dataset": "iris", "public_rows": 0}, {"version": "published"}],
    "network": [{}, {"dataset": "circles", "variant": "shuffled", "shown": 40}],
    "regression": [{"mechanism": name} for name in ("adassp", "output", "descent")] + [{}],
    "transfer": [{}, {"noise": "laplace", "h": 0.2}, {"selection": "detected"}],
    "parties": [
        {},
        {"dataset": "four", "parties": 300},
        {"method": "federated", "dataset": "four", "parties": 300},
    ],
    "hypotheses": [{"repeats": 2}],
    "attack": [{"repeats": 300}, {"repeats": 300, "version": "published"}],
}
LOOKED = [(page, changes) for page in MEASURED for changes in PLACES.get(page, ({},))]
REPEATS = {"classifier": 100, "regression": 100, "network": 16, "hypotheses": 6}


def steps(runs):
    """Return how far each mean of runs (V, S, R) lies above each earlier one, in standard errors."""
    low, high = np.triu_indices(len(runs), k=1)
    _, splits, repeats = runs.shape
    means = runs.mean(axis=2)
    rise = means[high] - means[low]
    within = np.zeros(len(runs))
    if repeats > 1:
        within = runs.var(axis=2, ddof=1).mean(axis=1) / (splits * repeats)
    between = rise.var(axis=1, ddof=1) / splits if splits > 1 else 0
    variance = np.maximum(within[high] + within[low] + 1e-18, between)
    return rise.mean(axis=1) / np.sqrt(variance)


def values_along(settings, page, field):
    """Return values of a field, as far as its slider goes."""
    _, high = settings.limits[field]
    values = OF_PAGE.get(page, {}).get(field, ALONG[field])
    return [value for value in values if value <= high]


def runs_along(settings, page, field):
    """Return the measures (m, V, S, R) of repeats, on two seeds where there are any, along a field."""
    seeds = ({"seed": 1}, {"seed": 2}) if hasattr(settings, "seed") else ({},)
    found = []
    for value in values_along(settings, page, field):
        moved = settings.change(**{field: value})
        of_seeds = [sampled(moved.change(**seed), REPEATS.get(page, 24)) for seed in seeds]
        found.append(np.stack(of_seeds, axis=1))
    return np.stack(found, axis=1)


@pytest.mark.parametrize(("page", "changes"), LOOKED, ids=str)
def test_a_measure_declared_to_rise_with_a_field_falls_back_by_no_more_than_chance(page, changes):
    """No value's mean, over splits and repeats, lies below an earlier one's by more than three
    standard errors.
    """
    settings = start_of(page, **changes)
    measures = settings.experiment.measures
    declared_directions = directions(settings)

    for field in {field for _, field, _ in declared_directions}:
        runs = dict(zip(measures, runs_along(settings, page, field), strict=True))
        for name, of, sign in declared_directions:
            if of == field:
                better = 1 if measures[name].better == "higher" else -1
                assert (steps(sign * better * runs[name]) > -3).all(), (name, field)


def test_a_measure_that_falls_back_would_be_seen():
    means = np.array([0.7, 0.75, 0.73])[:, None, None]
    runs = means + 0.01 * np.random.default_rng(1).normal(size=(3, 3, 40))

    assert (steps(runs) > -3).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("page", "changes"),
    [("regression", {"mechanism": "gaussian"}), ("transfer", {"selection": "detected"})],
)
def test_a_mean_of_far_minima_or_of_other_sources_need_not_rise(page, changes):
    settings = start_of(page, **changes)
    name = settings.experiment.compared

    assert declared(settings)[name].rises
    assert settings.experiment.measures[name].rises == ()
