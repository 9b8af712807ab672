"""What a sweep may measure: each page's probe is its own work, and gives the page's own number bit for bit."""

import numpy as np
import pytest

from dpcore.estimators.linear import REGRESSIONS
from dpcore.experiment import QUANTILES, Spread, quantiles_of
from dpcore.pieces import sample
from pages.attack.two_worlds_result import Attacked
from pages.network.work import Ensemble
from pages.parties.work import METHODS
from pages.table import PAGES
from pages.transfer.work import CANDIDATES

# Page -> measure -> what the page itself says: the spread of the repeats, as its result gives it.
OWN = {
    "classifier": {
        "accuracy": lambda result: result.summary()["public"],
        "scratch": lambda result: result.summary()["scratch"],
        "loss": lambda result: Spread(*result.losses()[:, 0, -1]),
    },
    "regression": {"error": lambda result: result.summary()},
    "network": {"accuracy": lambda result: result.summary("private")},
    "ledger": {"epsilon": lambda result: Spread.of(result.epsilon("pld"))},
    "mechanisms": {
        "within": lambda result: Spread.of(result.table()["within"][0]),
        "attacker": lambda result: Spread.of(result.table()["attacker"][0]),
    },
    "transfer": {name: lambda result, name=name: result.summary()[name] for name in CANDIDATES},
    "parties": {name: lambda result, name=name: result.summary[name] for name in METHODS},
    "hypotheses": {
        "accuracy": lambda result: result.summary["transfer"],
        "gain": lambda result: result.gain["transfer"],
        "error": lambda result: result.error,
    },
    "attack": {"attacker": lambda result: Spread.of(np.array([result.attack.accuracy]))},
}
MEASURED = [page for page in PAGES if page.name in OWN]


@pytest.fixture(params=MEASURED, ids=[page.name for page in MEASURED], scope="module")
def settings(request):
    return request.param.settings()


@pytest.fixture(scope="module")
def outcome(settings):
    return settings.probe().run()


def pieces(probe) -> set:
    """The page's own tasks that a probe is made of: itself, or the trainings that it looks at."""
    if isinstance(probe, Attacked):
        return set(probe.slices)
    return {one for job in probe.jobs for one in job.stretches} if isinstance(probe, Ensemble) else {probe}


def test_every_page_is_measured():
    assert {page.name for page in PAGES} == OWN.keys()


def test_the_probe_is_work_of_the_page(settings):
    assert pieces(settings.probe()) <= set(settings.tasks())
    assert hash(settings.probe()) == hash(type(settings)().probe())


def test_each_measure_is_a_number_a_repeat(settings, outcome):
    found = [np.asarray(measure.read(outcome)) for measure in settings.MEASURES.values()]
    assert found
    for values in found:
        assert values.shape == (len(found[0]),)
        assert np.isfinite(values).all()


def test_each_measure_says_what_it_is_and_which_way_is_better(settings):
    for measure in settings.MEASURES.values():
        assert measure.better in ("higher", "lower")
        assert measure.label.strip() == measure.label != ""
    assert len({measure.label for measure in settings.MEASURES.values()}) == len(settings.MEASURES)


def test_a_measure_is_the_pages_own_number(settings, outcome):
    needed = pieces(settings.probe())
    result = settings.result({task: task.run() for task in settings.tasks() if task.essential or task in needed})
    own = OWN[next(page.name for page in MEASURED if page.settings is type(settings))]
    assert own.keys() == settings.MEASURES.keys()
    for name, says in own.items():
        assert Spread.of(settings.MEASURES[name].read(outcome)) == says(result), name


# Settings beside the defaults whose samples are looked at: other shapes, other parts, other arithmetic.
OTHERS = {
    "classifier": [
        {"public_rows": 0},
        {"dataset": "breast_cancer", "epsilon": 2.0},
        {"dataset": "digits", "steps": 60},
        {"dataset": "iris", "version": "published"},
        {"version": "none", "repeats": 5},
    ],
    "network": [{"shown": 21, "repeats": 7}, {"dataset": "digits", "epochs": 4}, {"shown": 0}, {"plan": "noise"}],
    "regression": [{"dataset": "diabetes", "mechanism": name} for name in REGRESSIONS] + [{"repeats": 7}],
    "transfer": [{"selection": "detected"}, {"noise": "laplace", "dimension": 7, "repeats": 5}],
    "parties": [{"dataset": "digits", "parties": 200}, {"method": "pate", "repeats": 3}],
    "hypotheses": [{"noise": "gaussian", "repeats": 4}, {"dimension": 40, "repeats": 8}],
    "ledger": [{"sampling_rate": 1.0}],
    "mechanisms": [{"mechanism": "gaussian"}],
    "attack": [{"dataset": "iris", "repeats": 100}],
}
SAMPLED = [(page, changes) for page in MEASURED for changes in ({}, *OTHERS[page.name])]


def numbers(settings, tasks) -> np.ndarray:
    """Each of the measures (m, R), read off tasks in turn."""
    outcomes = [task.run() for task in tasks]
    return np.array([np.concatenate([one.read(now) for now in outcomes]) for one in settings.MEASURES.values()])


@pytest.mark.parametrize(("page", "changes"), SAMPLED, ids=[f"{page.name} {changes}" for page, changes in SAMPLED])
def test_a_sample_is_the_pages_own_repeats_and_then_more_of_them(page, changes):
    settings = page.settings().change(**changes)
    own = numbers(settings, settings.samples())
    if not settings.COMMON:
        assert settings.sample(100) == (settings.probe(),)
        return
    assert own.shape[1] == settings.repeats
    for count in (2, settings.repeats, settings.repeats + 3):
        some = numbers(settings, settings.sample(count))
        assert some.shape[1] == count
        assert np.array_equal(some[:, : settings.repeats], own[:, :count])
    more = numbers(settings, settings.sample(settings.repeats + 9))
    assert np.array_equal(more[:, : settings.repeats + 3], some)
    assert np.isfinite(more).all()


def test_what_a_sample_does_together_depends_on_no_count():
    own = (range(8), range(8, 24))
    whole = [part for part, _ in sample(own, 500, each=1.0, most=30)]
    assert [repeat for part in whole for repeat in part] == list(range(500))
    for count in (1, 8, 9, 24, 25, 100, 113, 499, 500):
        parts = sample(own, count, each=1.0, most=30)
        assert [part for part, _ in parts] == whole[: len(parts)]
        assert sum(given for _, given in parts) == count
        assert all(0 < given <= len(part) for part, given in parts)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_quantiles_are_those_of_numpy_to_the_last_bit(dtype: type):
    random = np.random.default_rng(3)
    for rows in (1, 2, 3, 20, 24, 99):
        values = (10.0 ** random.uniform(-5, 5) * random.normal(size=(3, rows, 2))).astype(dtype)
        values[0] = values[0].round()  # ties
        for axis in (-2, 1):
            assert np.array_equal(quantiles_of(values, axis=axis), np.quantile(values, QUANTILES, axis=axis))
        one = values[1, :, 0]
        assert np.array_equal(quantiles_of(one), np.quantile(one, QUANTILES))
        one[rows // 2] = np.nan
        assert np.isnan(quantiles_of(one)).all()
