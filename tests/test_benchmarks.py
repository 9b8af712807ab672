"""The benchmarks compare what is the same: contenders arrive at the same weights. Sizes are small, nothing is timed."""

import re
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import attack as attack_benchmark
from benchmarks import audit as audit_benchmark
from benchmarks import contenders, engine, network_contenders
from benchmarks import frank_wolfe_contenders as walks
from benchmarks import regression_contenders as fits
from dpcore.estimators.linear import REGRESSIONS
from pages.regression.experiment import RegressionSettings

SMALL = RegressionSettings(dataset="diabetes", rows=300, features=4, label_top=350.0, repeats=5, draw=2, across=1, up=3)


@pytest.mark.parametrize("name", REGRESSIONS)
def test_every_method_by_hand_is_ours_with_the_same_noise(name: str, monkeypatch: pytest.MonkeyPatch):
    work = fits.Work(settings=SMALL, epsilons=(0.05, 2.0, 1e3))
    for rows in (False, True):
        assert fits.disagreement(work, name, range(work.models), rows=rows) < 1e-9
    scales = [tuple(2 * one for one in each) for each in work.calibrations[name]]
    monkeypatch.setitem(work.calibrations, name, scales)
    assert fits.disagreement(work, name, range(work.models)) > 1e-4


def test_frank_wolfe_by_hand_is_ours_with_the_same_noise():
    work = walks.Work(walks.Case(rows=150, features=6, repeats=3, epsilons=(0.5, 8.0, 50.0)))
    assert len(set(work.steps)) > 1  # some models stop before others
    for quiet in (True, False):
        assert walks.disagreement(work, quiet=quiet).max() < 1e-9
    ours, work.draws = walks.ours(work, dtype=np.float64)(), work.draws[::-1]
    other = np.array([walks.loop(work, model, dtype=np.float64)() for model in range(work.models)])
    assert np.abs(ours - other).max() > 1e-3


def test_the_loop_of_the_classifier_is_ours():
    work = contenders.Work(contenders.Case(rows=60, features=3, classes=4))
    for name, single in engine.SINGLES.items():
        assert engine.disagreement(work, single) <= engine.TOLERANCE, name
    assert engine.clipped(work) > 0


def test_the_loop_of_the_network_is_ours():
    work = network_contenders.Work()
    work.recipe = network_contenders.sgd.Recipe(**vars(work.recipe) | {"steps": 12})
    ours = network_contenders.ours(work, np.zeros(network_contenders.MODELS))()
    alone = network_contenders.loop(work, 27, multiplier=0.0, lots_of=lambda model: list(work.our_lots(model))[:12])()
    np.testing.assert_allclose(alone, ours[27], atol=1e-4)
    assert np.abs(ours[27] - work.start[27]).max() > 1e-2


@pytest.mark.parametrize("dataset", ["gaussians", "iris"])
def test_the_loop_of_the_two_worlds_is_ours(dataset: str):
    work = attack_benchmark.Work(dataset, steps=5, repeats=100)
    assert attack_benchmark.disagreement(work) <= attack_benchmark.TOLERANCE
    work.sd *= 1.5
    assert attack_benchmark.disagreement(work) > attack_benchmark.TOLERANCE
    outcomes, seconds = work.all_tasks()
    assert len(seconds) == len(work.tasks)
    assert work.settings.result(outcomes).trainings == 100
    assert attack_benchmark.redraw(work, outcomes) > 10_000


@pytest.mark.parametrize("noise", [1.0, 0.5], ids=["as it is", "half of the noise"])
def test_the_table_of_audits_counts_what_is_not_as_expected(noise, monkeypatch, capsys):
    """A sound Laplace mechanism whose noise is halved behind the table's back is a surprise, and an error."""
    some = {name: audit_benchmark.AUDITS[name] for name in ("laplace", "laplace half", "classifier filtered")}
    some["laplace"] = replace(some["laplace"], how={"factor": noise})
    monkeypatch.setattr(audit_benchmark, "AUDITS", some)
    monkeypatch.setattr("sys.argv", ["audit", "--times", "1"])
    assert audit_benchmark.main() == (noise < 1)
    verdicts = re.findall(r"(?m)^(?:Lap|cla).*?  (con\w+|caught(?: \(!\))?|void)", capsys.readouterr().out)
    assert verdicts == ["consistent" if noise == 1 else "caught (!)", "caught", "void"]
