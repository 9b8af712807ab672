"""Benchmarks compare what is the same, and the load script asks far servers only once told."""

import re
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import (
    attack,
    audit,
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
        """Return regressions on a small data set at three epsilons."""
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
        """Return runs of Frank-Wolfe on 150 rows, nine models at three epsilons."""
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
        """Return trainings of classifiers on 60 random rows of four classes."""
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
        """Return a finished event of a trace, with times in microseconds."""
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
class TestAttack:
    """The benchmark of the retraining attack."""

    @pytest.fixture
    def work(self, dataset):
        """Return the attack on 100 trainings of five steps in each world."""
        return attack.Work(dataset, steps=5, repeats=100)

    def test_the_loop_has_the_weights_of_the_lab_with_the_same_noise(self, work):
        assert attack.disagreement(work) <= attack.TOLERANCE

    def test_more_noise_gives_other_weights(self, work):
        work.sd *= 1.5

        assert attack.disagreement(work) > attack.TOLERANCE

    def test_the_tasks_train_all_classifiers(self, work):
        outcomes, seconds = work.all_tasks()

        assert len(seconds) == len(work.tasks)
        assert work.settings.experiment.gather(outcomes).trainings == 100

    def test_a_redraw_makes_charts(self, work):
        outcomes, _ = work.all_tasks()

        assert attack.redraw(work, outcomes) > 10_000


class TestAudit:
    """The printed table of audits."""

    @pytest.fixture
    def run(self, monkeypatch, capsys):
        """Returns the exit status and the verdicts of three audits, with a factor on the noise of
        the correct one.
        """

        def run(factor: float) -> tuple[int, list[str]]:
            """Return status and verdicts with ``factor`` times the noise of the correct audit."""
            audits = {}
            for name in ("laplace", "laplace half", "classifier filtered"):
                audits[name] = audit.AUDITS[name]
            audits["laplace"] = replace(audits["laplace"], parameters={"factor": factor})
            monkeypatch.setattr(audit, "AUDITS", audits)
            monkeypatch.setattr("sys.argv", ["audit", "--times", "1"])
            unexpected = audit.main()
            verdict = r"(?m)^(?:Lap|cla).*?  (con\w+|caught(?: \(!\))?|void)"
            return unexpected, re.findall(verdict, capsys.readouterr().out)

        return run

    def test_the_table_shows_what_is_expected(self, run):
        unexpected, verdicts = run(factor=1.0)

        assert unexpected == 0
        assert verdicts == ["consistent", "caught", "void"]

    def test_half_of_the_noise_behind_the_table_is_an_unexpected_verdict(self, run):
        unexpected, verdicts = run(factor=0.5)

        assert unexpected == 1
        assert verdicts == ["caught (!)", "caught", "void"]


def run_load(*words: object) -> tuple[int, str]:
    """Return the exit status of the load script and what it printed."""
    lines: list[str] = []
    status = load.main([str(word) for word in words], lines.append)
    return status, "\n".join(lines)


class TestLoad:
    """The load script, with people on a server of this machine."""

    @pytest.fixture(scope="class")
    @classmethod
    def address(cls):
        """Start the lab, return its address, and stop it at the end."""
        with served("app.py") as address:
            yield address

    def test_waits_of_people_are_printed(self, address):
        status, text = run_load(address, "--people", 3, "--seconds", 5, "--pause", 0.2, 0.5)

        rates = re.findall(r"(?m)^  (channel|run) +([\d.]+)", text)
        assert status == load.NO_ERROR
        assert [name for name, _ in rates] == ["channel", "run"]
        assert all(float(rate) > 0 for _, rate in rates)
        assert "errors: 0" in text

    def test_errors_are_counted(self, address, monkeypatch):
        monkeypatch.setitem(visitors.SLIDERS, "classifier", ("no_such_slider", (1.0, 2.0)))
        monkeypatch.setattr(people, "PATIENCE", 1.0)

        status, text = run_load(
            f"{address}/nowhere", "--people", 1, "--seconds", 2, "--pause", 0.1, 0.2
        )

        assert status == load.ERRORS
        assert re.search(r"errors: [1-9]", text)


FAR_SERVER = "http://192.0.2.1"


class TestConsent:
    """A server on another machine is asked only if somebody agrees."""

    @pytest.fixture
    def answer(self, monkeypatch):
        """Sets what a person types, or that nobody is at a terminal."""

        def answer(typed: str | None) -> None:
            """Set what a person types; None stands for nobody at a terminal."""
            monkeypatch.setattr("builtins.input", lambda _: typed)
            monkeypatch.setattr(load.sys.stdin, "isatty", lambda: typed is not None, raising=False)

        return answer

    @pytest.mark.parametrize(
        ("words", "typed"),
        [
            pytest.param(["http://localhost:8501"], None, id="this machine"),
            pytest.param([], None, id="no address"),
            pytest.param([FAR_SERVER], "Y", id="agreed"),
            pytest.param([FAR_SERVER, "--yes"], None, id="agreed before"),
        ],
    )
    def test_people_may_use_a_server(self, answer, words, typed):
        answer(typed)

        assert load.is_allowed(load.read_options(words))

    @pytest.mark.parametrize("typed", [None, "n"], ids=["nobody is asked", "refused"])
    def test_a_far_server_is_not_asked(self, answer, monkeypatch, typed):
        answer(typed)
        monkeypatch.setattr(load, "measure", lambda *_: pytest.fail("the server was asked"))

        status, text = run_load(FAR_SERVER)

        assert status == load.NOT_ALLOWED
        assert "Nothing was requested" in text


@pytest.mark.parametrize("name", visitors.SLIDERS)
def test_people_move_a_slider_within_its_range(name):
    slider, (low, high) = visitors.SLIDERS[name]
    page = next(page for page in PAGES if page.name == name)

    lowest, highest = page.settings().limits[slider]

    assert lowest <= low < high <= highest < np.inf
