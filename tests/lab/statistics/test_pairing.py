"""Which settings of a page pair: whether a repeat of one has the noise of the same repeat of another."""

from contextlib import suppress

import numpy as np
import pytest

from dpcore.check import RefusedError
from lab.experiment.settings import Settings
from pages.topics import TOPIC_PAGES

START = {page.name: page.settings() for page in TOPIC_PAGES}
PAIRED = [name for name, settings in START.items() if settings.experiment.PAIRED_BY]
# What makes the pages' repeats few and quick, and noisy enough to differ.
QUICK = {
    "classifier": {"repeats": 12, "epsilon": 0.3, "steps": 60, "public_rows": 0},
    "network": {"repeats": 8, "epochs": 10, "rows": 400},
    "regression": {"repeats": 12},
    "transfer": {"repeats": 12, "target_rows": 300, "dimension": 8},
    "parties": {"repeats": 12, "parties": 60, "epsilon": 3.0, "queries": 40},
    "hypotheses": {
        "repeats": 8,
        "sources": 3,
        "target_rows": 600,
        "source_rows": 300,
        "unlabelled_rows": 300,
    },
}
LITTLE = 1 + 1e-4  # how a slider is moved by very little; a whole number is moved by one


def repeats_of(settings: Settings, measure: str) -> np.ndarray:
    """Return the numbers of a measure in the repeats that a page shows, (repeats,)."""
    read = settings.experiment.measures[measure].read
    return np.concatenate([read(task.run()) for task in settings.experiment.shown_sample()])


def nearby(settings: Settings) -> dict[str, Settings]:
    """Return the settings with each slider in turn moved by very little, where repeats then still
    pair.
    """
    found = {}
    for name, (low, high) in settings.limits.items():
        now = getattr(settings, name)
        moved = now + 1 if isinstance(now, int) else now * LITTLE or LITTLE - 1
        if name not in settings.experiment.PAIRED_BY and low <= moved <= high:
            with suppress(RefusedError):
                found[name] = settings.change(**{name: moved})
    return found


every_page = pytest.mark.parametrize("name", START)
every_paired_page = pytest.mark.parametrize("name", PAIRED)


def pairs(one: Settings, other: Settings) -> bool:
    """Return whether the program takes repeats of two settings as pairs."""
    return one.experiment.pairs_with(other.experiment)


@every_paired_page
def test_the_noise_of_pairs_is_common(name):
    start = START[name].change(**QUICK[name])
    measure = start.experiment.compared
    here = repeats_of(start, measure)

    for slider, there in nearby(start).items():
        if pairs(start, there):
            correlation = np.corrcoef(here, repeats_of(there, measure))[0, 1]
            assert correlation > 0.8, slider


@every_paired_page
def test_another_seed_draws_other_noise(name):
    start = START[name].change(**QUICK[name])
    measure = start.experiment.compared

    here = repeats_of(start, measure)
    there = repeats_of(start.change(seed=start.seed + 1), measure)

    assert abs(np.corrcoef(here, there)[0, 1]) < 0.8


@every_paired_page
def test_there_are_as_many_runs_as_repeats_and_they_differ(name):
    start = START[name].change(**QUICK[name])

    runs = repeats_of(start, start.experiment.compared)

    assert len(runs) == start.repeats
    assert runs.std() > 0


@every_paired_page
def test_what_is_compared_is_a_measure_of_the_page(name):
    experiment = START[name].experiment

    assert experiment.compared in experiment.measures


@every_page
def test_equal_settings_pair(name):
    assert pairs(START[name], START[name].change())


@every_page
def test_settings_of_two_pages_do_not_pair(name):
    another = next(other for other in START if other != name)

    assert not pairs(START[name], START[another])


@every_paired_page
def test_another_seed_or_number_of_repeats_does_not_pair(name):
    start = START[name]

    assert not pairs(start, start.change(seed=start.seed + 1))
    assert not pairs(start, start.change(repeats=start.repeats - 1))


@pytest.mark.parametrize("name", sorted(set(START) - set(PAIRED)))
def test_a_page_without_pairs_pairs_with_no_changed_settings(name):
    start = START[name]

    assert not any(pairs(start, there) for there in nearby(start).values())


def test_another_version_of_the_method_has_the_same_noise():
    assert pairs(START["classifier"], START["classifier"].change(version="published"))


PLAIN = START["classifier"].change(version="none")
DETECTED = START["transfer"].change(selection="detected")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(PLAIN, PLAIN.change(clip_norm=2.0), id="no noise"),
        pytest.param(DETECTED, DETECTED.change(epsilon=2.0), id="other sources"),
        pytest.param(
            START["transfer"],
            START["transfer"].change(h=START["transfer"].limits["h"][0]),
            id="no source",
        ),
        pytest.param(START["parties"], START["parties"].change(method="vote"), id="other method"),
        pytest.param(START["network"], START["network"].change(width=17), id="other width"),
    ],
)
def test_what_draws_no_noise_or_other_noise_does_not_pair(one, other):
    assert not pairs(one, other)
