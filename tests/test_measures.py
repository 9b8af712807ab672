"""What a sweep may measure: each page's probe is its own work, and gives the page's own number bit for bit."""

import numpy as np
import pytest

from dpcore.experiment import QUANTILES, Spread, quantiles_of
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
