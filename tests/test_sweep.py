"""Sweeps over any knob, with common random numbers."""

import pytest

from dpcore.check import RefusedError
from dpcore.experiments.classifier import ClassifierSettings
from dpcore.sweep import sweep

START = ClassifierSettings(steps=8, repeats=4, public_rows=0, epsilon=1.0)


def accuracy(result):
    return {"accuracy": result.focus.accuracy[0]}


@pytest.mark.parametrize(
    ("knob", "values"), [("epsilon", [0.1, 10.0]), ("steps", [2, 8]), ("clip_norm", [0.2, 1.0]), ("seed", [1, 2])]
)
def test_each_row_is_a_repeat_of_the_settings_alone(knob, values):
    frame = sweep(START, accuracy, **{knob: values})
    assert list(frame.columns) == [knob, "repeat", "accuracy"]
    for value in values:
        alone = START.change(**{knob: value}).run().focus.accuracy[0]
        assert frame[frame[knob] == value]["accuracy"].tolist() == alone.tolist()


def test_a_refused_value_is_named():
    with pytest.raises(RefusedError, match="epsilon is -1"):
        sweep(START, accuracy, epsilon=[1.0, -1.0])


def test_one_knob_at_a_time():
    with pytest.raises(RefusedError, match="exactly one"):
        sweep(START, accuracy, epsilon=[1.0], steps=[2])
