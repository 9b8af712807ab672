"""What a sweep may measure: each page's probe is its own work, and gives the page's own number bit
for bit.
"""

import itertools
from dataclasses import fields

import numpy as np
import pytest

from dpcore.estimators.linear import REGRESSIONS
from lab.experiment.chunking import sample
from lab.experiment.settings import QUANTILES, Spread, quantiles_of
from lab.statistics.confusion import balanced_accuracy, recalls
from pages.accounting.tasks import Costs
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
    "accounting": {
        "epsilon": lambda result: Spread.of(result.epsilon("pld")),
        "group": lambda result: Spread.of(result.effects()["group"].epsilon),
        "tuned": lambda result: Spread.of(result.tuned.epsilon),
    },
    "mechanisms": {
        "within": lambda result: Spread.of(result.table()["within"][0]),
        "attacker": lambda result: Spread.of(result.table()["attacker"][0]),
    },
    "transfer": {name: lambda result, name=name: result.summary()[name] for name in CANDIDATES},
    "parties": {name: lambda result, name=name: result.summary[name] for name in METHODS},
    "hypotheses": {
        "accuracy": lambda result: result.summary["transfer"],
        "gain": lambda result: result.gain["transfer"],
        "error": lambda result: Spread.of(result.now.outcome.error),
    },
    "attack": {"attacker": lambda result: Spread.of(np.array([result.attack.accuracy]))},
}
MEASURED = [page for page in TOPIC_PAGES if page.name in OWN]


@pytest.fixture(params=MEASURED, ids=[page.name for page in MEASURED], scope="module")
def settings(request):
    return request.param.settings()


@pytest.fixture(scope="module")
def outcome(settings):
    return settings.experiment.shown_sample()[0].run()


def pieces(probe) -> set:
    """The page's own tasks that a probe is made of: itself, or the trainings that it looks at."""
    if getattr(probe, "work", None) is attack.attack_accuracy:
        return set(attack.shown_pairs(probe.model, probe.at[0], probe.count).tasks)
    if isinstance(probe, Costs):
        return {probe.run_price, probe.search_price}
    if isinstance(getattr(probe, "model", None), Training):
        groups = probe.model.groups(probe.count)
        return {task for group in groups for task in segments(probe.model, group)}
    return {probe}


def declared(settings) -> dict:
    """The measures of a topic, as they are before its settings change them."""
    return settings.experiment.MEASURES


def test_every_page_is_measured():
    assert {page.name for page in TOPIC_PAGES} == OWN.keys()


def test_the_probe_is_work_of_the_page_and_measures_what_is_declared(settings, outcome):
    assert pieces(settings.experiment.shown_sample()[0]) <= set(settings.experiment.tasks())
    assert hash(settings.experiment.shown_sample()[0]) == hash(
        type(settings)().experiment.shown_sample()[0]
    )
    found = [np.asarray(one.read(outcome)) for one in settings.experiment.measures.values()]
    assert {values.shape for values in found} == {(len(found[0]),)}
    for one, values in zip(settings.experiment.measures.values(), found, strict=True):
        assert ((one.limits[0] <= values) & (values <= one.limits[1]) & np.isfinite(values)).all()
        assert one.better in ("higher", "lower")
        assert one.label.strip() == one.label != ""
        assert not set(one.rises) & set(one.falls)
        assert one.unit in ("%", "nats", "")
        assert one.limits[0] < one.limits[1]
        assert not one.share or (one.unit, one.limits, one.better) == ("%", (0.0, 1.0), "higher")
    assert len({measure.label for measure in settings.experiment.measures.values()}) == len(
        settings.experiment.measures
    )
    own = {one.name for one in fields(settings)}
    assert own >= {field for _, field, _ in directions(settings)}
    assert settings.PEOPLE in own | {""}
    if settings.PEOPLE:
        assert any(settings.PEOPLE in measure.rises for measure in declared(settings).values())
    for name, (low, high) in settings.TUNED.items():
        assert low > 0
        assert settings.LIMITS[name][0] <= low < high <= settings.LIMITS[name][1]
    assert settings.tuned.keys() <= settings.TUNED.keys()
    for name, ends in settings.tuned.items():
        assert [getattr(settings.change(**{name: end}), name) for end in ends] == list(ends)


def test_a_measure_is_the_pages_own_number(settings, outcome):
    needed = pieces(settings.experiment.shown_sample()[0])
    result = settings.experiment.gather(
        {
            task: task.run()
            for task in settings.experiment.tasks()
            if task.essential or task in needed
        }
    )
    own = OWN[next(page.name for page in MEASURED if page.settings is type(settings))]
    measures = settings.experiment.measures
    assert own.keys() == declared(settings).keys()
    for name, measure in measures.items():
        assert Spread.of(measure.read(outcome)) == own[name](result), name


def test_recall_of_each_of_a_few_classes_is_measured():
    iris = start_of("classifier", dataset="iris", public_rows=0)
    counts, outcome = (
        recalls(iris.experiment.run().held_out["scratch"].counts),
        iris.experiment.shown_sample()[0].run(),
    )
    names = [name for name in iris.experiment.measures if name.startswith("recall")]
    for name, recall in zip(names, counts.T, strict=True):
        found = iris.experiment.measures[name].read(outcome)
        assert found.tolist() == recall[: len(found)].tolist()
    digits = iris.change(dataset="digits")
    assert digits.experiment.measures == declared(digits), "ten are many"


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
    "mechanisms": [{"mechanism": "gaussian"}],
    "attack": [{"dataset": "iris", "repeats": 100}],
}
SAMPLED = [(page, changes) for page in MEASURED for changes in ({}, *OTHERS.get(page.name, ()))]


def numbers(settings, tasks) -> np.ndarray:
    """Each of the measures (m, R), read off tasks in turn."""
    outcomes = [task.run() for task in tasks]
    return np.array(
        [
            np.concatenate([one.read(now) for now in outcomes])
            for one in settings.experiment.measures.values()
        ]
    )


@pytest.mark.parametrize(
    ("page", "changes"), SAMPLED, ids=[f"{page.name} {changes}" for page, changes in SAMPLED]
)
def test_a_sample_is_the_pages_own_repeats_and_then_more_of_them(page, changes):
    settings = page.settings().change(**changes)
    own = numbers(settings, settings.experiment.shown_sample())
    if not settings.experiment.PAIRED_BY:
        assert settings.experiment.sample(100) == (settings.experiment.shown_sample()[0],)
        return
    assert own.shape[1] == settings.repeats
    for count in (2, settings.repeats, settings.repeats + 3):
        some = numbers(settings, settings.experiment.sample(count))
        assert some.shape[1] == count
        assert np.array_equal(some[:, : settings.repeats], own[:, :count])
    more = numbers(settings, settings.experiment.sample(settings.repeats + 9))
    assert np.array_equal(more[:, : settings.repeats + 3], some)
    assert np.isfinite(more).all()


def directions(settings) -> set[tuple[str, str, int]]:
    """(measure, field, whether it gets better along it, 1, or worse, -1)."""
    return {
        (name, field, sign)
        for name, one in settings.experiment.measures.items()
        for fields, sign in ((one.rises, 1), (one.falls, -1))
        for field in fields
    }


# Field -> values along which a measure only gets better, or only worse; of a page, where it has
# other ones.
ALONG = {
    "epsilon": (0.1, 0.3, 1.0, 3.0, 10.0),
    "delta": (1e-9, 1e-6, 1e-3),
    "noise_multiplier": (0.3, 1.0, 5.0, 30.0),
    "people": (1, 3, 10, 50),
    "settings_tried": (1, 3, 30, 100),
    "steps": (1, 30, 1000, 10_000),
    "sampling_rate": (1e-4, 0.01, 0.3, 0.99, 1.0),
    "sensitivity": (0.1, 1.0, 30.0),
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
    "accounting": [{}, {"steps": 300, "sampling_rate": 0.2}],
    "mechanisms": [{"mechanism": name} for name in ("laplace", "gaussian", "classical")],
    "transfer": [{}, {"noise": "laplace", "h": 0.2}, {"selection": "detected"}],
    "parties": [
        {},
        {"dataset": "four", "parties": 300},
        {"method": "federated", "dataset": "four", "parties": 300},
    ],
    "hypotheses": [{"repeats": 2}],
    "attack": [{"repeats": 300}, {"repeats": 300, "version": "published"}],
}
LOOKED = [(page, changes) for page in MEASURED for changes in PLACES.get(page.name, ({},))]


@pytest.mark.parametrize(
    ("page", "changes"), LOOKED, ids=[f"{page.name} {changes}" for page, changes in LOOKED]
)
def test_what_rises_with_a_field_falls_back_by_no_more_than_chance(page, changes):
    """No value's mean, over splits and repeats, lies below an earlier one's by more than three
    standard errors.
    """
    settings = page.settings().change(**changes)
    seeds = ({"seed": 1}, {"seed": 2}) if hasattr(settings, "seed") else ({},)
    count = {"classifier": 100, "regression": 100, "network": 16, "hypotheses": 6}.get(
        page.name, 24
    )
    for field in {field for _, field, _ in directions(settings)}:
        along = OF_PAGE.get(page.name, {}).get(field, ALONG[field])
        values = [value for value in along if value <= settings.limits[field][1]]
        each = [[settings.change(**{field: value}, **seed) for seed in seeds] for value in values]
        found = [[numbers(one, one.experiment.sample(count)) for one in row] for row in each]
        for place, (name, measure) in enumerate(settings.experiment.measures.items()):
            for sign in (
                sign for one, of, sign in directions(settings) if (one, of) == (name, field)
            ):
                runs = (
                    np.array(found)[:, :, place] * sign * (1 if measure.better == "higher" else -1)
                )
                assert (_steps(runs) > -3).all(), (name, field, runs.mean(axis=(1, 2)))


def _steps(runs: np.ndarray) -> np.ndarray:
    """How far each mean of runs (V, S, R) lies above each earlier one, in standard errors."""
    low, high = np.triu_indices(len(runs), k=1)
    means, (splits, repeats) = runs.mean(axis=2), runs.shape[1:]
    within = (
        runs.var(axis=2, ddof=1).mean(axis=1) / (splits * repeats)
        if repeats > 1
        else np.zeros(len(runs))
    )
    rise = means[high] - means[low]
    between = rise.var(axis=1, ddof=1) / splits if splits > 1 else 0
    return rise.mean(axis=1) / np.sqrt(np.maximum(within[high] + within[low] + 1e-18, between))


def test_a_measure_that_falls_back_would_be_seen():
    runs = np.array([0.7, 0.75, 0.73])[:, None, None] + 0.01 * np.random.default_rng(1).normal(
        size=(3, 3, 40)
    )
    assert (_steps(runs) > -3).tolist() == [True, True, False]


def start_of(page: str, **changes):
    return next(one for one in MEASURED if one.name == page).settings().change(**changes)


def test_what_rises_and_what_is_tuned_depends_on_the_settings():
    """In a mean of far minima, and with other sources."""
    detected, own = {"selection": "detected"}, {"tuning": "own"}
    for page, changes in {
        "regression": {"mechanism": "gaussian"},
        "transfer": detected,
    }.items():
        settings = start_of(page, **changes)
        name = settings.experiment.compared
        assert declared(settings)[name].rises
        assert settings.experiment.measures[name].rises == ()
    assert [
        *start_of("regression").tuned,
        *start_of("regression", **own, mechanism="adassp").tuned,
    ] == []
    assert [
        *start_of("regression", **own, mechanism="published").tuned,
        *start_of("transfer").tuned,
    ] == [
        "share",
        "h",
    ]
    assert [*start_of("regression", **own).tuned] == ["clip_norm", "radius"]
    assert [*start_of("transfer", **detected).tuned] == ["h", "detection_share"]


def test_what_a_sample_does_together_depends_on_no_count():
    own = (range(8), range(8, 24))
    whole = [part for part, _ in sample(own, 500, each=1.0, most=30)]
    assert [repeat for part in whole for repeat in part] == list(range(500))
    for count in (1, 8, 9, 24, 25, 100, 113, 499, 500):
        parts = sample(own, count, each=1.0, most=30)
        assert [part for part, _ in parts] == whole[: len(parts)]
        assert sum(given for _, given in parts) == count
        assert all(0 < given <= len(part) for part, given in parts)


def test_quantiles_are_those_of_numpy_to_the_last_bit():
    random = np.random.default_rng(3)
    for rows, dtype in itertools.product((1, 2, 3, 20, 24, 99), (np.float64, np.float32)):
        values = (10.0 ** random.uniform(-5, 5) * random.normal(size=(3, rows, 2))).astype(dtype)
        values[0] = values[0].round()  # ties
        for axis in (-2, 1):
            assert np.array_equal(
                quantiles_of(values, axis=axis), np.quantile(values, QUANTILES, axis=axis)
            )
        one = values[1, :, 0]
        assert np.array_equal(quantiles_of(one), np.quantile(one, QUANTILES))
        one[rows // 2] = np.nan
        assert np.isnan(quantiles_of(one)).all()
