"""Benchmarks compare what is the same, and the load script asks far servers only once told."""

import re
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import attack as attack_benchmark
from benchmarks import audit as audit_benchmark
from benchmarks import (
    contenders,
    drag,
    engine,
    frank_wolfe_contenders,
    network_contenders,
    people,
    regression_contenders,
    visitors,
)
from benchmarks.latency import served
from dpcore.estimators.linear import REGRESSIONS
from pages.regression.settings import RegressionSettings
from pages.topics import PAGES
from scripts import load

SMALL = RegressionSettings(dataset="diabetes", rows=300, features=4, label_top=350.0, repeats=5)


@pytest.mark.parametrize("name", REGRESSIONS)
class TestRegressionContenders:
    @pytest.fixture
    def work(self):
        return regression_contenders.Work(settings=SMALL, epsilons=(0.05, 2.0, 1e3))

    @pytest.mark.parametrize("rows", [False, True], ids=["from statistics", "from rows"])
    def test_the_loop_has_the_weights_of_the_lab_with_the_same_noise(self, work, name, rows):
        difference = regression_contenders.disagreement(work, name, range(work.models), rows=rows)

        assert difference < 1e-9

    def test_twice_the_noise_gives_other_weights(self, work, name):
        doubled = []
        for calibration in work.calibrations[name]:
            doubled.append(tuple(2 * value for value in calibration))
        work.calibrations[name] = doubled

        assert regression_contenders.disagreement(work, name, range(work.models)) > 1e-4


class TestFrankWolfeContenders:
    @pytest.fixture
    def work(self):
        case = frank_wolfe_contenders.Case(
            rows=150, features=6, repeats=3, epsilons=(0.5, 8.0, 50.0)
        )
        return frank_wolfe_contenders.Work(case)

    def test_some_models_take_fewer_steps_than_others(self, work):
        assert len(set(work.steps)) > 1

    @pytest.mark.parametrize("noisy", [False, True])
    def test_the_loop_has_the_weights_of_the_lab_with_the_same_noise(self, work, noisy):
        assert frank_wolfe_contenders.disagreement(work, noisy=noisy).max() < 1e-9

    def test_other_noise_gives_other_weights(self, work):
        weights = frank_wolfe_contenders.ours(work, dtype=np.float64)()
        work.draws = work.draws[::-1]
        others = []
        for model in range(work.models):
            others.append(frank_wolfe_contenders.loop(work, model, dtype=np.float64)())

        assert np.abs(weights - others).max() > 1e-3


class TestEngineContenders:
    @pytest.fixture
    def work(self):
        return contenders.Work(contenders.Case(rows=60, features=3, classes=4))

    @pytest.mark.parametrize("single", engine.SINGLES.values(), ids=engine.SINGLES)
    def test_the_loop_has_the_weights_of_the_lab_without_noise(self, work, single):
        assert engine.disagreement(work, single) <= engine.TOLERANCE

    def test_some_gradients_are_clipped(self, work):
        assert engine.clipped(work) > 0


def test_the_loop_of_the_network_has_the_weights_of_the_lab_on_the_same_batches():
    steps = 12
    model = 27
    work = network_contenders.Work()
    work.recipe = replace(work.recipe, steps=steps)

    weights = network_contenders.ours(work, np.zeros(network_contenders.MODELS))()[model]
    of_loop = network_contenders.loop(
        work,
        model,
        multiplier=0.0,
        batches_of=lambda model: list(work.our_batches(model))[:steps],
    )()

    np.testing.assert_allclose(of_loop, weights, atol=1e-4)
    assert np.abs(weights - work.start[model]).max() > 1e-2


def test_a_trace_of_a_drag_divides_the_time_between_the_marks_by_cause():
    def event(name: str, begin: int, duration: int, thread: int = 1, **args: int) -> dict:
        return {
            "name": name,
            "ph": "X",
            "pid": 1,
            "tid": thread,
            "ts": begin,
            "dur": duration,
            "args": args,
        }

    events = [
        {"name": "drag", "ph": "I", "pid": 1, "tid": 1, "ts": 100},
        {"name": "drag", "ph": "I", "pid": 1, "tid": 1, "ts": 200},
        event("RunTask", 10, 50),
        event("RunTask", 110, 60),
        event("FunctionCall", 115, 40),
        event("UpdateLayoutTree", 120, 10, elementCount=7),
        event("Layout", 130, 5),
        event("Paint", 160, 8),
        event("UpdateLayoutTree", 120, 30, thread=2, elementCount=100),
    ]

    spent, styled = drag.main_thread(events)

    assert spent == {"script": 25, "style": 10, "layout": 5, "paint": 8, "other": 12, "idle": 40}
    assert styled == 7


@pytest.mark.parametrize("dataset", ["gaussians", "iris"])
def test_the_loop_of_the_two_worlds_is_ours(dataset: str):
    work = attack_benchmark.Work(dataset, steps=5, repeats=100)
    assert attack_benchmark.disagreement(work) <= attack_benchmark.TOLERANCE
    work.sd *= 1.5
    assert attack_benchmark.disagreement(work) > attack_benchmark.TOLERANCE
    outcomes, seconds = work.all_tasks()
    assert len(seconds) == len(work.tasks)
    assert work.settings.experiment.gather(outcomes).trainings == 100
    assert attack_benchmark.redraw(work, outcomes) > 10_000


@pytest.mark.parametrize("noise", [1.0, 0.5], ids=["as it is", "half of the noise"])
def test_the_table_of_audits_counts_what_is_not_as_expected(noise, monkeypatch, capsys):
    """A sound mechanism whose noise is halved behind the table's back is a surprise, and an
    error.
    """
    some = {
        name: audit_benchmark.AUDITS[name]
        for name in ("laplace", "laplace half", "classifier filtered")
    }
    some["laplace"] = replace(some["laplace"], parameters={"factor": noise})
    monkeypatch.setattr(audit_benchmark, "AUDITS", some)
    monkeypatch.setattr("sys.argv", ["audit", "--times", "1"])
    assert audit_benchmark.main() == (noise < 1)
    verdicts = re.findall(
        r"(?m)^(?:Lap|cla).*?  (con\w+|caught(?: \(!\))?|void)", capsys.readouterr().out
    )
    assert verdicts == ["consistent" if noise == 1 else "caught (!)", "caught", "void"]


def run(*words: str) -> tuple[int, str]:
    said = []
    code = load.main([*map(str, words)], said.append)
    return code, "\n".join(said)


def test_waits_of_people_are_told_and_what_goes_wrong_is_counted(monkeypatch):
    with served("app.py") as address:
        code, said = run(address, "--people", 3, "--seconds", 5, "--pause", 0.2, 0.5)
        assert code == 0
        assert said.startswith(
            f"3 people for 5 s at {address}: each opens a page and moves a slider every 0.2 to"
            " 0.5 s. "
        )
        told = {
            name: float(number)
            for name, number in re.findall(r"(?m)^  (channel|run) +([\d.]+)", said)
        }
        assert min(told["channel"], told["run"]) > 0
        assert "errors: 0" in said
        monkeypatch.setitem(visitors.SLIDERS, "classifier", ("no_such_slider", (1.0, 2.0)))
        monkeypatch.setattr(people, "PATIENCE", 1.0)
        code, said = run(f"{address}/nowhere", "--people", 1, "--seconds", 2, "--pause", 0.1, 0.2)
        assert code == 1
        assert re.search(r"errors: [1-9]", said)


def test_far_servers_need_a_yes_and_people_move_what_the_page_has(monkeypatch):
    far = "http://192.0.2.1"
    monkeypatch.setattr(load, "measure", lambda *_: pytest.fail("it was asked"))
    begins = [("http://localhost:8501", None), ("", None), (far, "Y"), (f"{far} --yes", None)]
    for words, typed in (*begins, (far, None), (far, "n")):
        monkeypatch.setattr("builtins.input", lambda _, typed=typed: typed)
        monkeypatch.setattr(
            load.sys.stdin, "isatty", lambda typed=typed: typed is not None, raising=False
        )
        assert load.is_allowed(load.read_options(words.split())) == ((words, typed) in begins)
        if (words, typed) not in begins:
            code, said = run(far)
            assert (code, "Nothing was requested" in said) == (2, True)
    for page, (slider, (low, high)) in visitors.SLIDERS.items():
        least, most = next(one for one in PAGES if one.name == page).settings().limits[slider]
        assert least <= low < high <= most < np.inf
