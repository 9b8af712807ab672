"""The command that the planner offers for a larger sweep: it is read back as the question, and trains its values."""

import shlex

import pandas as pd
import pytest

from pages.what_if import page_command
from scripts import sweep
from scripts.snapshot import opened
from tests.test_what_if import asked

DRAWN = [name for name in asked("classifier").TOPICS if not asked(name).exact]


def words(command: str) -> list[str]:
    """Return the arguments of ``make sweep ARGS="..."``."""
    make, target, arguments = shlex.split(command)
    assert (make, target) == ("make", "sweep")
    return shlex.split(arguments.removeprefix("ARGS="))


@pytest.mark.parametrize("topic", DRAWN)
def test_of_any_topic_the_command_is_read_back_as_the_question(topic):
    question = asked(topic)
    found = page_command.sweep(question)
    link, _, over, *_ = words(found.command)
    assert sweep.read(link) == (topic, question.settings)
    assert sweep.over([over], question.settings) == found.over
    assert [*found.over[question.along]] == sorted(question.around.curve)
    assert found.repeats == page_command.RUNS > question.repeats


def test_the_command_trains_every_value(tmp_path, monkeypatch):
    monkeypatch.setattr(page_command, "RUNS", 2)
    found = page_command.sweep(asked("classifier").change(steps=5))
    names = {"runs": str(tmp_path / "runs"), "runs.parquet": str(tmp_path / "made.parquet")}
    arguments = [names.get(one, one) for one in words(found.command)]
    assert sweep.main([*arguments, "--backend", "threads"]) == 0
    made = pd.read_parquet(tmp_path / "made.parquet")
    (along,) = found.over
    assert made.groupby(along).size().to_dict() == dict.fromkeys(found.over[along], 2 * found.seeds)


@pytest.mark.parametrize("question", ["smallest", "best", "versus"])
def test_only_a_question_about_random_runs_and_one_parameter_has_a_command(question):
    changed = asked("classifier").change(question=question)
    assert changed.asks == question
    assert bool(page_command.sweep(changed)) == (question == "smallest")
    assert not any(page_command.sweep(asked(topic)) for topic in asked("classifier").TOPICS if topic not in DRAWN)
    app = opened("what-if", {"question": question})
    app.session_state["what-if.tabs"] = "Results table"
    app.run()
    assert not app.exception
    assert any(one.value.startswith("make sweep") for one in app.code) == (question == "smallest")
