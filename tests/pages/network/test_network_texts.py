"""Texts of the network page, compared with what was computed."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.mechanisms.private_bounds import Payment
from lab.experiment.data_settings import OWN
from lab.uploads.column_roles import Column
from lab.uploads.rows import OwnRows
from pages.network import charts, texts, texts_tables
from pages.network.settings import DATA, NetworkSettings
from pages.network.training import FRAMES
from tests import attackers, reached
from tests.own_files import CLASSES, choose, frame
from tests.sentences import (
    Rules,
    always,
    beyond_accuracy,
    costs,
    first,
    hold,
    plain,
    tiles,
    titles,
)

# Ranges of random settings that are trained quickly.
QUICK = {
    "dataset": [name for name in DATA if name != OWN],
    "rows": [200, 400],
    "lot_size": [20, 50, 100, 200, 400],
    "epsilon": [0.1, 0.25, 0.5, 1.0, 3.0, 10.0, 50.0],
    "delta": [1e-9, 1e-5, 1e-2],
    "epochs": [1, 2, 4],
    "repeats": [2, 8],
    "width": (2, 8),
    "layers": (0, 2),
    "seed": (0, 9),
}
SMALL = NetworkSettings(width=4, layers=1, repeats=6)
ONE_STEP = SMALL.change(rows=200, lot_size=200, epochs=1, epsilon=50.0)
MANY_PASSES = NetworkSettings(
    mechanism="ordered",
    dataset="blobs",
    rows=2000,
    lot_size=20,
    epochs=2,
    learning_rate=2.0,
    repeats=12,
)
# Settings with sentences that random ones seldom have.
SELDOM_DRAWN = [
    SMALL,
    SMALL.change(shown=0),
    SMALL.change(epochs=3, variant="shuffled"),
    SMALL.change(epochs=3, layers=0),
    SMALL.change(delta=0.01),
    SMALL.change(clipping="layers"),
    ONE_STEP,
    SMALL.change(epsilon=3.0, clip_norm=5.0),
    SMALL.change(epsilon=50.0, clip_norm=100.0),
    SMALL.change(dataset="digits", epsilon=0.1, epochs=1),
    SMALL.change(noise_ramp=0.4, shape="linear", epsilon=2.0, epochs=2),
    SMALL.change(mechanism="ordered", epsilon=0.1, lot_size=20, dataset="blobs"),
    MANY_PASSES,
    NetworkSettings(mechanism="toeplitz", lot_size=20, epochs=3, epsilon=8.0, shown=30),
]
# Words of claims that claim nothing here.
HARMLESS = (r"adds? noise",)
# Longest verdict, in characters.
MOST_CHARACTERS = 300


def page_text(result) -> str:
    """Return all that the page says of a result."""
    verdict = texts.verdict(result)
    assert len(plain(verdict)) <= MOST_CHARACTERS
    parts = [
        verdict,
        *tiles(texts.numbers(result)),
        texts.caption(result),
        *texts.diagnostics(result),
        texts.guarantee(result),
        texts.by_class(result),
        *titles(charts.accuracy(result)),
    ]
    return " ".join(parts)


def median(result, arm: str = "private") -> float:
    """Return the median accuracy of an arm, "private" or "plain"."""
    return float(np.median(result.accuracy[arm]))


def accuracy_loss(result) -> float:
    """Return by how much the median accuracy is lower with privacy than without."""
    return median(result, "plain") - median(result)


def is_correct(result, match=None) -> bool:
    """Return whether the training loop is the correct one."""
    return result.settings.variant == "correct"


def is_attacker_limit(result, match) -> bool:
    """Return whether 50 is stated before the first step, or the correct loop's bound later."""
    if result.step == 0:
        return match[1] == "50"
    return is_correct(result) and attackers.close(result.guarantee, match[1])


def proves_nothing(result, match) -> bool:
    """Return whether a step was taken in the loop with the actual batch size."""
    return result.step > 0 and result.settings.variant == "realised"


def proves_epochs(result, match) -> bool:
    """Return whether a step was taken in the loop with shuffled batches."""
    return result.step > 0 and result.settings.variant == "shuffled"


def is_sampled(result, match) -> bool:
    """Return whether batches are sampled, as they always are in loops that are not correct."""
    return result.settings.mechanism == "sampled" or not is_correct(result)


def averaged_steps(result) -> int:
    """Return over how many steps with independent noise the noise averages out."""
    if result.settings.mechanism == "toeplitz":
        # The noise of its steps is correlated.
        return 1
    return result.step


RULES: Rules = {
    r"Attacker right, at most:? ([\d.]+)": is_attacker_limit,
    **costs(
        lambda result: result.accuracy["private"],
        lambda result: result.accuracy["plain"],
        lambda result: result.gradients.noise / result.gradients.signal,
        begun=lambda result: result.step > 0,
        steps=averaged_steps,
        paired=False,
    ),
    r"Proved epsilon: none": proves_nothing,
    r"Proved epsilon: \d": proves_epochs,
    r"whether you are in the data": lambda result, _: result.guarantee.adjacency == "add/remove",
    r"its theorem does not cover this training loop": lambda result, _: not is_correct(result),
    r"It covers the weights after every step, so watching the training costs no more": is_correct,
    r"The order is public": lambda result, match: not is_sampled(result, match),
    r"Batch membership must stay secret": is_sampled,
    **beyond_accuracy(
        lambda result: result.held_out["private"],
        lambda result: result.held_out["plain"],
    ),
}
SELDOM: Rules = {
    **attackers.rules(lambda result: result.guarantee),
}


@pytest.fixture(scope="module")
def seldom_drawn():
    """Return the results of ``SELDOM_DRAWN``."""
    return [settings.experiment.run() for settings in SELDOM_DRAWN]


def test_every_sentence_agrees_with_what_was_computed(seldom_drawn):
    hold(
        NetworkSettings,
        page_text,
        RULES,
        within=QUICK,
        also=seldom_drawn,
        count=12,
        seldom=SELDOM,
        harmless=HARMLESS,
    )


@pytest.mark.parametrize(
    "seed",
    [
        0,
        pytest.param(1, marks=pytest.mark.soak),
        pytest.param(2, marks=pytest.mark.soak),
    ],
)
def test_defaults_show_a_cost_of_privacy_that_a_larger_budget_removes(seed):
    defaults = NetworkSettings(seed=seed)

    tight = defaults.experiment.run()
    loose = defaults.change(epsilon=10.0).experiment.run()

    assert accuracy_loss(tight) >= 0.05
    assert accuracy_loss(loose) <= accuracy_loss(tight) / 2
    assert median(tight) > always(tight) + 0.2


def test_every_text_is_read(seldom_drawn):
    further = [
        SMALL.change(variant="realised"),
        SMALL.change(clip_norm=0.01, shown=30),
        SMALL.change(epochs=8),
    ]
    results = [*seldom_drawn, *(settings.experiment.run() for settings in further)]

    for result in results:
        page_text(result)
        texts.lead(result.settings)
        texts_tables.table(result)
        charts.norms(result)
        charts.loss(result)
    read_texts_of_unfinished_runs()
    for result in results_of_uploaded_files():
        page_text(result)
        texts.lead(result.settings)
        charts.inputs(result)

    assert reached.unread(texts.SAYS) == []


def read_texts_of_unfinished_runs() -> None:
    """Read what is said while epsilon is counted and networks are trained."""
    unfinished = first(NetworkSettings(rows=5000, epochs=30, repeats=2))
    uncounted = replace(unfinished, spent=np.full_like(unfinished.spent, np.nan))
    texts.verdict(uncounted)
    charts.accuracy(unfinished)


def rows_with_paid_bounds() -> OwnRows:
    """Return rows of a file of which the bounds of one column were paid for."""
    hours = Column(name="hours", low=0, high=16, paid=0.1)
    payments = (Payment(epsilon=0.1, person=""),)
    roles = replace(CLASSES, columns=(hours, CLASSES.columns[0]), payments=payments)
    return choose(frame(1000, people=1000), roles)


def results_of_uploaded_files() -> list:
    """Return results of files by row and by person, and with bounds that were paid for."""
    rows = frame(1000, people=400)
    by_row = choose(rows, replace(CLASSES, person=""))
    by_person = choose(rows, replace(CLASSES, person="who"))
    cases = [
        (by_row, FRAMES),
        (by_person, FRAMES),
        (rows_with_paid_bounds(), 0),
        (rows_with_paid_bounds(), FRAMES),
    ]
    results = []
    for file, shown in cases:
        settings = SMALL.change(dataset=OWN).change(own=file, rows=200, shown=shown)
        results.append(settings.experiment.run())
    return results
