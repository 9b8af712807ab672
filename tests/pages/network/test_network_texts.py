"""What the network's page says, held against what was computed."""

from dataclasses import replace

import numpy as np
import pytest

from lab.experiment.data_settings import OWN
from lab.statistics.claims import Case
from pages.network import charts, texts_tables
from pages.network import texts as say
from pages.network.settings import DATA, NetworkSettings
from pages.network.training import FRAMES
from tests import attackers, reached
from tests.claims import better, worse
from tests.lab.uploads.test_regression_rows import paid
from tests.own_files import CLASSES, choose, frame
from tests.sentences import (
    Rules,
    always,
    beyond_accuracy,
    costs,
    counts,
    first,
    hold,
    percent,
    plain,
    tiles,
    titles,
    two_stories,
)

QUICK = {
    "dataset": [name for name in DATA if name != OWN],
    "rows": [200, 400],
    "lot_size": [20, 50, 100, 200, 400],
}
QUICK |= {"epsilon": [0.1, 0.25, 0.5, 1.0, 3.0, 10.0, 50.0], "delta": [1e-9, 1e-5, 1e-2]}
QUICK |= {"epochs": [1, 2, 4], "repeats": [2, 8]}
QUICK |= {"width": (2, 8), "layers": (0, 2), "seed": (0, 9)}
HARMLESS = (r"adds? noise",)
SMALL = NetworkSettings(width=4, layers=1, repeats=6)
ONCE = [
    SMALL,
    NetworkSettings(plain_rate=10.0, activation="relu", layers=3, width=64, repeats=6),
    SMALL.change(shown=0),
    *(SMALL.change(epochs=3, **one) for one in ({"variant": "shuffled"}, {"layers": 0})),
    SMALL.change(delta=0.01),
    SMALL.change(clipping="layers"),
    SMALL.change(rows=200, lot_size=200, epochs=1, plain_rate=0.01, epsilon=50.0),  # one step
    SMALL.change(plain_rate=0.01, epsilon=50.0, dataset="blobs", repeats=12),
    SMALL.change(epsilon=3.0, clip_norm=5.0),
    SMALL.change(epsilon=50.0, clip_norm=100.0),
    SMALL.change(dataset="digits", epsilon=0.1, epochs=1),
    SMALL.change(noise_ramp=0.4, shape="linear", epsilon=2.0, epochs=2),
    SMALL.change(rows_each=4),
    SMALL.change(mechanism="ordered", epsilon=0.1, lot_size=20, dataset="blobs"),
    NetworkSettings(
        mechanism="ordered",
        dataset="blobs",
        rows=2000,
        lot_size=20,
        epochs=2,
        learning_rate=2.0,
        repeats=12,
    ),
    NetworkSettings(mechanism="toeplitz", lot_size=20, epochs=3, epsilon=8.0, shown=30),
]


def words(result) -> str:
    assert len(plain(say.verdict(result))) <= 300
    parts = [say.verdict(result), *tiles(say.numbers(result)), say.caption(result)]
    parts += [*say.diagnostics(result), say.guarantee(result), say.by_class(result)]
    return " ".join([*parts, *titles(charts.accuracy(result))])


def middle(result, arm: str = "private") -> float:
    return float(np.median(result.accuracy[arm]))


def gap(result) -> float:
    return middle(result, "plain") - middle(result)


def second_half(result) -> tuple[np.ndarray, np.ndarray]:
    """Accuracy of the private networks at the end, and in the middle of the axis."""
    every = np.concatenate([run.accuracy for run in result.groups["private"]], axis=1)
    axis = result.trajectories["private"]["epochs"].to_numpy()
    return every[-1], every[np.abs(axis - axis[-1] / 2).argmin()]


def gained(result) -> float:
    """What is gained from the middle of the drawn axis on, from what is downloaded."""
    frame = result.curves()
    private = frame[frame["arm"] == "private"]
    x, y = private["epochs"].to_numpy(), private["accuracy median"].to_numpy()
    return y[-1] - np.interp(x[-1] / 2, x, y)


def diverged(result) -> int:
    return sum(not np.isfinite(one).all() for one in result.weights("plain"))


def correct(result, *_) -> bool:
    return result.settings.variant == "correct"


RULES: Rules = {
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: (
        correct(r) and attackers.close(r.guarantee, m[1]) if r.step else m[1] == "50"
    ),
    **costs(
        lambda r: r.accuracy["private"],
        lambda r: r.accuracy["plain"],
        lambda r: r.gradients.noise / r.gradients.signal,
        begun=lambda r: r.step > 0,
        steps=lambda r: 1 if r.settings.mechanism == "toeplitz" else r.step,
        paired=False,
    ),
    r"Proved epsilon: none": lambda r, _: r.step > 0 and r.settings.variant == "realised",
    r"Proved epsilon: \d": lambda r, _: r.step > 0 and r.settings.variant == "shuffled",
    r"whether you are in the data": lambda r, _: r.guarantee.adjacency == "add/remove",
    r"its theorem does not cover this training loop": lambda r, _: not correct(r),
    r"It covers the weights after every step, so watching the training costs no more": correct,
    r"The order is public": lambda r, _: r.settings.mechanism != "sampled" and correct(r),
    r"Batch membership must stay secret": lambda r, _: (
        r.settings.mechanism == "sampled" or not correct(r)
    ),
    r"(\d+) non-private networks? (?:has|have) diverged": counts(diverged, given=diverged),
    r"non-private networks do worse here": lambda r, _: better(
        r.accuracy["private"], r.accuracy["plain"], constant=always(r)
    ),
    **beyond_accuracy(lambda r: r.held_out["private"], lambda r: r.held_out["plain"]),
}
SELDOM: Rules = {
    r"second half adds (\d+) points?": percent(
        gained, given=lambda r: better(*second_half(r), constant=always(r)), within=1.5
    ),
    r"second half loses (\d+) points?": percent(
        lambda r: -gained(r), given=lambda r: worse(*second_half(r), constant=always(r)), within=1.5
    ),
    **two_stories(lambda r: r.held_out["private"]),
    **attackers.rules(lambda r: r.guarantee),
}


@pytest.fixture(scope="module")
def once():
    return [one.experiment.run() for one in ONCE]


def test_every_sentence_says_what_was_computed(once):
    hold(
        NetworkSettings,
        words,
        RULES,
        within=QUICK,
        also=once,
        count=12,
        seldom=SELDOM,
        harmless=HARMLESS,
    )


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (1, 2))]
)
def test_the_defaults_show_what_privacy_costs_and_more_budget_takes_it_away(seed):
    tight, loose = (
        NetworkSettings(seed=seed, epsilon=epsilon).experiment.run()
        for epsilon in (NetworkSettings().epsilon, 10.0)
    )
    assert gap(tight) >= 0.05
    assert gap(loose) <= gap(tight) / 2
    assert middle(tight) > always(tight) + 0.2


def test_every_text_is_reached(once):
    again = [SMALL.change(variant="realised")]
    again += [SMALL.change(clip_norm=0.01, shown=30), SMALL.change(epochs=8)]
    for result in (*once, *(settings.experiment.run() for settings in again)):
        words(result), say.lead(result.settings), texts_tables.table(result)
        charts.norms(result), charts.clipped(result), charts.loss(result)
    part = first(NetworkSettings(rows=5000, epochs=30, repeats=2))
    say.verdict(replace(part, spent=np.full_like(part.spent, np.nan))), charts.accuracy(part)
    own = [
        choose(frame(1000, people=400), replace(CLASSES, person=person)) for person in ("", "who")
    ]
    for file, shown in ((own[0], FRAMES), (own[1], FRAMES), (paid(0.1), 0), (paid(0.1), FRAMES)):
        result = SMALL.change(dataset=OWN).change(own=file, rows=200, shown=shown).experiment.run()
        words(result), say.lead(result.settings), charts.inputs(result)
    for said in ((Case.AHEAD, 0.1), (Case.BEHIND, -0.1)):
        vars(result)["second_half"] = said
        charts.accuracy(result)
    assert reached.unread(charts.SAYS) == []
