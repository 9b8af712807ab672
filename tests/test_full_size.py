"""A question's sweep at full size: what is trained is `make sweep`'s, once, behind others, and said as it comes out."""

import io
import re
import shlex
import sys
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster

from dpcore import cores
from dpcore.cache import CACHE
from dpcore.data import own_rows
from lab.settings import Settings
from pages.table import PAGES
from pages.what_if import full_size, page_full_size
from pages.what_if import words_full_size as say
from pages.what_if.full_size import MOST, FullSize, larger
from scripts import sweep
from tests.test_own_rows import ROLES, settings_of, table  # noqa: F401
from tests.test_what_if import asked
from ui import debounce, sweeps
from ui import full_size as runs
from ui.full_size import Line, Run, Seat

PATIENCE = 120  # seconds
# Apart, so that no test has a split of another.
SEEDS = iter(range(100, 9999, 20))


@pytest.fixture
def question():
    """Of settings that no other test has."""
    return asked("classifier").change(seed=next(SEEDS))


@pytest.fixture
def seat() -> Iterator[Seat]:
    mine = Seat()
    yield mine
    mine.end()


def taken(seat: Seat, full: FullSize, **how) -> Run:
    one = full.question
    return seat.take(full.key, lambda: Run(full.cells(), measure=one.measure, repeats=one.repeats, **how))


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def whole(seat: Seat, full: FullSize, **how) -> Run:
    run = taken(seat, full, **how)
    run.start(seat)
    until(lambda: not run.busy)
    assert run.state == "done"
    return run


def test_the_file_is_that_of_make_sweep_to_the_last_byte_by_the_command_that_is_shown(question, seat, tmp_path):
    full = FullSize(larger(question, 400, 5))
    run = whole(seat, full)
    with zipfile.ZipFile(io.BytesIO(page_full_size.packed(full, run.numbers))) as packed:
        packed.extractall(tmp_path)
    command = page_full_size._sweep(full).command
    assert command in (tmp_path / "README.txt").read_text()
    make, target, words = shlex.split(command)
    assert (make, target) == ("make", "sweep")
    words = shlex.split(words.removeprefix("ARGS="))
    names = {"runs": str(tmp_path / "runs"), "runs.parquet": str(tmp_path / "made.parquet")}
    assert sweep.main([*(names.get(one, one) for one in words), "--backend", "threads"]) == 0
    made = (tmp_path / "made.parquet").read_bytes()
    assert (tmp_path / "runs.parquet").read_bytes() == made
    assert len(pd.read_parquet(tmp_path / "made.parquet")) == full.count == run.count
    from_file = [str(tmp_path / "settings.json"), *words[1:]]
    assert sweep.read(from_file[0]) == sweep.read(words[0]) == ("classifier", question.settings)


@pytest.mark.parametrize("topic", [name for name in asked("classifier").TOPICS if not asked(name).exact])
def test_of_any_topic_the_command_is_read_back_and_each_value_has_its_runs(topic):
    question = asked(topic)
    full = FullSize(larger(question, *full_size.sizes(question)[0]))
    mine = page_full_size._sweep(full)
    words = shlex.split(shlex.split(mine.command)[2].removeprefix("ARGS="))
    assert sweep.read(words[0]) == (topic, question.settings)
    assert sweep.over([words[2]], question.settings) == mine.over
    last = full.cells()[-1]
    assert sum(len(question.asked.read(task.run())) for task in last.settings.sample(30)) == 30
    assert len({cell.settings for cell in full.cells()}) * 400 == full.count


def test_nothing_is_offered_where_no_more_can_be_trained_or_nothing_is_drawn(question):
    for one in (question, question.change(repeats=400), question.change(repeats=400, seeds=20)):
        for size in full_size.sizes(one):
            assert size > (one.repeats, one.seeds)
            assert FullSize(larger(one, *size)).count <= MOST
    assert full_size.sizes(question.change(repeats=400, seeds=20)) == [(1000, 20)]
    assert not full_size.sweeps(asked("accounting"))
    assert not full_size.sweeps(question.change(question="best"))
    assert not full_size.sweeps(question.change(question="versus"))
    assert full_size.sweeps(question.change(question="people"))


def test_before_it_begins_it_is_said_how_many_trainings_and_how_long_by_a_first_chunk(question, seat):
    question = question.change(base="dataset breast_cancer public_rows 0")
    full = FullSize(larger(question, 1000, 5))
    run = taken(seat, full)
    run.measure_first(seat)
    until(lambda: not run.busy)
    assert run.state == "measured"
    assert 0 < run.trained < run.count == full.count
    assert run.left == (run.count - run.trained) / run.speed
    said = say.estimate(full, run.state, run.trained, run.left)
    assert f"<b>{full.count:,} trainings</b>; {run.trained:,} of them are trained. By a first chunk" in said
    assert say.lasts(run.left) in said
    assert said.startswith(f"{len(full.values)} values of epsilon on 5 splits of the rows, 1,000 runs of each: ")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 second"), (40, "40 seconds"), (100, "2 minutes"), (5000, "83 minutes"), (9000, "2 hours")],
)
def test_how_long_it_takes(seconds, said):
    assert say.lasts(seconds) == said


def test_it_is_stopped_at_once_and_goes_on_where_it_was_and_nothing_is_trained_twice(question, seat, monkeypatch):
    trained = []
    once = runs.at_scale.stream

    def counted(cells, **how):
        for cell, numbers in once(cells, **how):
            trained.append((cell.settings, cell.part))
            yield cell, numbers

    monkeypatch.setattr(runs.at_scale, "stream", counted)
    full = FullSize(larger(question, 1000, 5))
    run = taken(seat, full)
    run.measure_first(seat)
    until(lambda: not run.busy)
    run.start(seat)
    until(lambda: run.trained > run.count / 4)
    seat.leave()
    until(lambda: not run.busy)
    there = run.trained
    assert run.state == "stopped"
    assert there < run.count
    assert seat.at(("something else",)) is None  # it was looked at another
    another = Seat()  # somebody else, or the same after a while: by what the one memory holds
    runs._runs.clear()
    again = whole(another, full)
    assert again is not run
    assert len(trained) == len(set(trained)) == len(full.cells())
    assert again.trained == full.count
    more = taken(another, FullSize(larger(question, 1000, 1)))
    assert more.state == "done"  # the first of the five splits
    another.end()


def test_who_asks_for_the_same_shares_one_run_and_ends_it_for_nobody_else(question, seat):
    full, other = FullSize(larger(question, 1000, 5)), Seat()
    run = taken(seat, full)
    assert taken(other, FullSize(larger(question.change(target=50), 1000, 5))) is run
    run.start(seat)
    run.start(other)
    until(lambda: run.trained > 0)
    seat.leave()
    until(lambda: run.trained > 10_000)
    assert run.busy
    other.end()
    until(lambda: not run.busy)
    assert run.state == "stopped"


def test_others_come_first_and_it_is_not_starved(question, seat, monkeypatch):
    """While others are at work each thread waits before a part, and after ``GIVES_WAY`` trains one all the same."""
    now, asked, begun = [0.0], Counter(), []
    busy, stream = debounce.at_work, runs.at_scale.stream
    monkeypatch.setattr(runs, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=time.sleep))
    monkeypatch.setattr(debounce, "at_work", lambda: asked.update([threading.get_ident()]) or busy())

    def noted(cells, *, goes_on, **how):
        return stream(cells, goes_on=lambda: goes_on() and (begun.append(1) or True), **how)

    monkeypatch.setattr(runs.at_scale, "stream", noted)

    def all_wait() -> int:
        """How many parts have begun once each thread has looked twice whether others are at work."""
        asked.clear()
        until(lambda: sum(times > 1 for times in [*asked.values()]) == cores.cores())
        return len(begun)

    run = taken(seat, FullSize(larger(question, 1000, 20)))
    run.start(seat)
    until(lambda: run.trained > 0)
    with debounce.working():
        for _ in range(2):
            before, trained = all_wait(), run.trained
            assert all_wait() == before
            now[0] += runs.GIVES_WAY
            assert all_wait() == before + cores.cores()
            until(lambda trained=trained: run.trained > trained)
        assert run.state == "training"
    seat.leave()
    until(lambda: not run.busy)


def test_a_few_are_trained_at_once_and_the_others_wait_in_order_and_are_told(question, monkeypatch):
    monkeypatch.setattr(runs, "LINE", Line(1))
    fulls = [FullSize(larger(question.change(seed=next(SEEDS)), 1000, 1)) for _ in range(3)]
    seats = [Seat() for _ in fulls]
    all_runs = [taken(seat, full) for seat, full in zip(seats, fulls, strict=True)]
    with debounce.working():  # nothing ends meanwhile
        for place, (seat, run) in enumerate(zip(seats, all_runs, strict=True)):
            run.start(seat)
            until(lambda run=run, place=place: run.state == ("waiting" if place else "training"))
            until(lambda run=run, place=place: runs.LINE.ahead(run) == place)
        seats[1].leave()
        until(lambda: all_runs[1].state == "new")
        assert runs.LINE.ahead(all_runs[2]) == 1
        assert not all_runs[1].trained + all_runs[2].trained
    assert "2 runs must end before this one begins" in say.progress(fulls[2], "waiting", 0, None, 2)
    until(lambda: all_runs[2].state == "done")
    assert all_runs[0].state == "done"


def test_a_visitor_has_one_at_a_time(question, seat):
    run = taken(seat, FullSize(larger(question, 1000, 5)))
    run.start(seat)
    taken(seat, FullSize(larger(question.change(epsilon=1), 1000, 5)))
    until(lambda: not run.busy)
    assert run.state in ("new", "stopped")


def test_what_is_held_beyond_the_one_memory_is_bounded(question, seat, monkeypatch):
    monkeypatch.setattr(runs, "HELD", 1)
    full = FullSize(larger(question, 400, 1))
    run = whole(seat, full)
    whole(Seat(), FullSize(larger(question.change(epsilon=1), 400, 1)))
    assert not run.trained
    assert seat.at(full.key).state == "done"  # of what the one memory holds


def test_the_one_memory_keeps_the_runs_and_not_the_work(question, seat):
    full = FullSize(larger(question, 400, 1))
    before = CACHE.held_bytes
    whole(seat, full)
    assert CACHE.held_bytes - before < 3 * 8 * full.count + 10_000 * len(full.values)


def test_a_fault_is_told_and_ends_it(question, seat, monkeypatch, caplog):
    def fault(*_, **__):
        raise OSError("no engine")
        yield

    monkeypatch.setattr(runs.at_scale, "stream", fault)
    run = taken(seat, FullSize(larger(question, 400, 1)))
    run.start(seat)
    until(lambda: not run.busy)
    assert run.state == "failed"
    assert "no engine" in caplog.text


def test_a_cluster_that_is_named_trains_the_same_but_no_private_file(question, seat, monkeypatch):
    def numbers(run: Run) -> list[np.ndarray]:
        return [run.numbers(settings) for settings in dict.fromkeys(cell.settings for cell in run.cells)]

    full = FullSize(larger(question, 400, 1))
    here = numbers(whole(seat, full, private=True))
    CACHE.forget()
    runs._runs.clear()
    used, once = [], runs.at_scale.stream
    monkeypatch.setattr(runs.at_scale, "stream", lambda cells, **how: used.append(how["backend"]) or once(cells, **how))
    # a page's test leaves its script as the main module, which a new process would run
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster:
        monkeypatch.setenv(sweeps.SCHEDULER, cluster.scheduler_address)
        there = numbers(whole(seat, full))
        CACHE.forget()
        runs._runs.clear()
        whole(seat, full, private=True)
    assert used == ["dask", "threads"]
    assert all(np.array_equal(*pair) for pair in zip(here, there, strict=True))


def test_a_private_file_stays_with_its_session(table, seat):  # noqa: F811
    page = next(one for one in PAGES if one.name == "classifier")
    settings = settings_of(own_rows.choose(table, ROLES), steps=5)
    question = page.asked.about(settings, "repeats 24")
    full = FullSize(larger(question, 400, 1))
    run = page_full_size._made(full)
    assert run.private
    run = taken(seat, full, private=True)
    run.start(seat)
    until(lambda: not run.busy)
    packed = zipfile.ZipFile(io.BytesIO(page_full_size.packed(full, run.numbers)))
    assert "make sweep" not in packed.read("README.txt").decode()
    assert len(pd.read_parquet(io.BytesIO(packed.read("runs.parquet")))) == full.count
    assert run not in runs._held
    seat.end()
    assert not run.trained
    assert not len(run.numbers(settings))


# ---- what is said


def found(question, center: float, spread: float, runs_each: int, splits: int = 1):
    """A result whose runs rise over the values, around ``center``."""
    full = FullSize(larger(question, runs_each, splits))
    random = np.random.default_rng(0)

    def numbers(settings: Settings) -> np.ndarray:
        apart = 0.02 * np.sin(settings.seed)
        return 0.7 + 0.1 * np.log(settings.epsilon / center) + apart + spread * random.standard_normal(runs_each)

    known = {cell.settings: numbers(cell.settings) for cell in full.cells()}
    return full, full.result(known.__getitem__, {})


def live(question, center: float, spread: float):
    """A picture of the same, with fewer runs."""
    random, known = np.random.default_rng(1), {}
    for value, there in question.around.curve.items():
        drawn = 0.7 + 0.1 * np.log(value / center) + spread * random.standard_normal(question.repeats)
        measurements = question.measurements(there)
        known |= dict(zip(measurements, np.array_split(drawn, len(measurements)), strict=True))
    return question.result(known)


class TestSaid:
    def test_what_the_larger_run_changed(self, question):
        question = question.change(target=70)
        full, result = found(question, 0.5, 0.05, 1000)
        said = say.changed(live(question, 0.5, 0.05), result, full)
        first, second = re.findall(r"median run, ([\d.]+) to ([\d.]+)", said)
        assert [f"{end:.3g}" for end in result.spans[0]] == [*first]
        before, now = (float(high) - float(low) for low, high in (second, first))
        assert f"the interval is {before / now:.2g} times narrower now" in said
        assert "by 1,000 runs of each value on one split of the rows. The picture above says" in said
        assert "by 24 runs:" in said
        assert "One split cannot show" not in said

    def test_of_splits_that_differ_it_says_what_one_split_left_out(self, question):
        question = question.change(target=70)
        full, result = found(question, 0.5, 0.01, 400, splits=5)
        said = say.changed(live(question, 0.5, 0.01), result, full)
        assert "on each of 5 splits of the rows" in said
        assert "One split cannot show how far splits differ, which now counts." in said
        assert "narrower" not in said

    def test_where_nothing_is_found_now_no_width_is_compared(self, question):
        question = question.change(target=95)
        full, result = found(question, 500.0, 0.001, 400)
        said = say.changed(live(question.change(target=70), 0.5, 0.05), result, full)
        assert "none</b>" in said
        assert "times" not in said

    @pytest.mark.parametrize("asks", ["accuracy", "smallest", "people"])
    def test_every_question_of_a_sweep_has_its_number_and_that_of_the_picture(self, question, asks):
        question = question.change(target=70, question=asks)
        if asks == "people":
            question = question.change(question="smallest", reached="most")
        full, result = found(question, 0.5, 0.05, 1000)
        picture = live(question, 0.5, 0.05)
        said = say.changed(picture, result, full)
        for one in (result, picture):
            assert say.words_numbers.numbers(one)[0].value in said

    def test_while_it_comes_it_says_of_how_many_runs(self, question):
        full = FullSize(larger(question.change(target=70), 1000, 1))
        values = {cell.settings: cell.values["epsilon"] for cell in full.cells()}

        def some(settings: Settings, count: int = 200) -> np.ndarray:
            return 0.7 + 0.1 * np.log(values[settings] / 0.5) + np.linspace(-0.1, 0.1, count)

        picture, last = live(question.change(target=70), 0.5, 0.05), {}
        half = {one for place, one in enumerate(values) if place < len(values) / 2}
        result = full.result(lambda one: some(one) if one in half else np.empty(0), last)
        assert say.changed(picture, result, full) == f"So far {len(half)} of {len(values)} values have any runs."
        result = full.result(some, last)
        assert "by 200 runs of each value on one split of the rows so far." in say.changed(picture, result, full)
        assert full.result(some, last) is result  # what is read off it is read once
        wider = result.spans[0][1] - result.spans[0][0]
        result = full.result(lambda one: some(one, 1000), last)
        assert result.spans[0][1] - result.spans[0][0] <= wider
        assert full.result(lambda one: np.empty(0), last) is None
