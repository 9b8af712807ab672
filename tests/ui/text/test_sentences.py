"""The sentences that several pages share: which case is said of which numbers, and that every case
can be said.
"""

import math
import re

import numpy as np
import pytest
from scipy.stats import norm

from dpcore.privacy import Adjacency, Guarantee, PoissonSampled, PureRelease, Sequence
from dpcore.privacy import GaussianRelease as Gaussian
from lab.statistics.claims import Case
from lab.statistics.confusion import ByClass, confusion
from tests import reached
from tests.sentences import plain
from ui.text import class_predictions, guarantee_notes, sentences, tiles
from ui.text.texts import SAYS

# What pages show of a result; the frame of a page reads the other sections.
SECTIONS = re.compile(
    r"(attacker|odds|limit|meaning|weak|large-delta|by-class|cost|tile|one-answer|disguised|start|noise|rare"
    r")(?:\.|$)"
)


def held(*events, epsilon=5.0, delta=1e-5, adjacency=Adjacency.ADD_REMOVE, unit="record"):
    event = events[0] if len(events) == 1 else Sequence(events=events)
    return Guarantee(
        epsilon=epsilon, delta=delta, adjacency=adjacency, unit=unit, basis="", event=event
    )


PURE = PureRelease(epsilon=0.5)
NOISY, CLOSE = Gaussian(noise_multiplier=1.0), Gaussian(noise_multiplier=10_000.0)


def runs(share: float, count: int = 24) -> np.ndarray:
    return share + np.linspace(-0.001, 0.001, count)


def test_the_cost_is_that_of_the_medians():
    for private, reference, base, said, tile in (
        (runs(0.80), 0.85, 0.6, "by 5 points", "cost of privacy: 5 points"),
        (
            runs(0.85),
            0.85,
            0.6,
            "No cost of privacy can be shown in 24 runs",
            "no cost of privacy shown",
        ),
        (runs(0.5), 0.85, 0.6, "learnt nothing yet", "cost of privacy: 35 points"),
        (
            runs(0.5),
            0.55,
            0.6,
            "the non-private model does no better, at 55 %",
            "no better than a constant baseline",
        ),
        (runs(0.80, 3), 0.85, 0.6, "So far, 3 of 24 models are trained", "so far 3 of 24 runs"),
        (runs(0.80), runs(0.85, 8), 0.6, "by 5 points", "cost of privacy: 5 points"),
        (
            runs(0.80),
            runs(0.85, 6),
            0.6,
            "6 runs are too few to say whether privacy",
            "6 runs are too few to say",
        ),
        (runs(1.0), 1.0, 1.0, "There is nothing to learn", "no better than a constant baseline"),
    ):
        assert said in plain(
            sentences.privacy_cost(private, reference, baseline=("no", base), runs=24)
        )
        assert plain(sentences.privacy_cost_note(private, reference, base=base, runs=24)) == tile


def test_a_start_from_public_rows_is_judged_by_its_pairs():
    said = {
        (0.8, 0.7): "adds",
        (0.7, 0.8): "lowers",
        (0.7, 0.7): "No difference can be",
        (0.4, 0.4): "does no better",
    }
    for pair, text in said.items():
        assert text in plain(sentences.pretraining_gain(30, *map(runs, pair), base=0.5, runs=24))
    assert sentences.pretraining_gain(30, runs(0.8, 3), runs(0.7, 3), base=0.5, runs=24) == ""
    few = sentences.pretraining_gain(30, runs(0.8, 5), runs(0.7, 5), base=0.5, runs=5)
    assert few == "5 pairs of runs are too few to say what pre-training on 30 public rows adds."
    assert "interval −1.0 to +3.0, sign test, 24 pairs" in sentences.pretraining_interval(
        (0.01, -0.01, 0.03), pairs=24
    )
    assert "3 pairs with the same noise are too few" in sentences.pretraining_interval(
        (0.01, -math.inf, math.inf), pairs=3
    )
    assert sentences.pretraining_interval((0.01, 0.01, 0.01), pairs=24) == ""


def test_the_limit_names_what_it_holds_for_and_the_odds_the_unit_of_privacy():
    for guarantee, said in (
        (held(Gaussian(noise_multiplier=0.0)), "right practically every time."),
        (
            held(PURE, epsilon=0.5, delta=0),
            "at most 63 % of the time, the limit for any mechanism with this epsilon.",
        ),
        (held(NOISY), "is right only 70 % of the time."),
        (
            held(CLOSE, epsilon=0.001, delta=0),
            "Against this noise, the best attacker is right 50.1 % of the time, the",
        ),
        (held(PURE, NOISY), "By composition of the parts, even the best attacker is right only"),
        (
            held(PureRelease(epsilon=1e-4), CLOSE, epsilon=0.001),
            "of the parts, the best attacker is right 50.1 % of",
        ),
    ):
        assert said in plain(guarantee_notes.attacker_limit(guarantee))
        assert tiles.attacker_tile(guarantee).about.count(". ") >= 4
    said = {"record": "your row or another one was used", "person": "your rows or another person's"}
    said |= {"party": "whether a party or another one", "group": said["record"]}
    for unit, text in said.items():
        assert text in plain(
            tiles.odds_text(held(NOISY, unit=unit, adjacency=Adjacency.REPLACE_ONE))
        )
    assert "whether you are in the data is right at most 70 %" in plain(
        tiles.odds_text(held(NOISY))
    )
    assert "practically every time" in tiles.odds_text(held(Gaussian(noise_multiplier=0.0)))
    for multiplier in (0.0, 0.6, 1.0):  # every case of a rare guess
        assert tiles.rare_guess_text(held(Gaussian(noise_multiplier=multiplier)))


def test_one_answer_is_counted():
    labels = np.array([0, 0, 0, 1])
    for answers, said in {
        "nn": "All 2 private models always answer “no”.",
        "nrr": "One of 3 private models always answers “no”.",
        "ny": "Each of 2 private models always gives one answer, most often “no”.",
        "n": "The private model always answers “no”.",
        "nnr": "2 of 3 private models always answer “no”.",
        "nnyr": "3 of 4 private models always give one answer, most often “no”.",
    }.items():
        given = np.array([{"n": [0] * 4, "y": [1] * 4, "r": labels}[one] for one in answers])
        found = ByClass(counts=confusion(given, labels, classes=2), loss=np.zeros(len(given)))
        accuracy = (given == labels).mean(axis=1)
        text = sentences.constant_answer(
            accuracy, labels, lambda found=found: found, ("no", "yes"), model="model"
        )
        assert plain(text) == said


def class_notes(counts: list[list[int]], loss: float) -> str:
    """Return the notes and the table of models with these counts by class and this loss."""
    by_class = ByClass(counts=np.array([counts]), loss=np.array([loss]))
    others = {"non-private": by_class}
    names = ("no", "yes")
    parts = class_predictions.notes(by_class, others, names)
    table = class_predictions.table(by_class, others, names, models="models")
    return plain(" ".join([*parts, table]))


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("Median balanced accuracy is 55 % (non-private 55 %).", id="balanced"),
        pytest.param("Accuracy is 91 %, 36 points above balanced accuracy.", id="gap"),
        pytest.param(
            "Median loss on held-out rows is no finite number (non-private no finite number).",
            id="infinite loss",
        ),
    ],
)
def test_notes_tell_what_the_accuracy_of_a_rare_class_hides(sentence):
    assert sentence in class_notes([[90, 0], [9, 1]], np.inf)


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("points below balanced accuracy", id="gap"),
        pytest.param("Median loss on held-out rows is 0 nats", id="no loss"),
    ],
)
def test_notes_tell_what_the_accuracy_of_a_common_class_hides(sentence):
    assert sentence in class_notes([[10, 80], [0, 10]], 0.0)


def test_noise_averages_out_only_where_it_falls_to_the_signal():
    """Over T steps independent noise falls to 1/sqrt(T) of that of one, beside the sum of the
    signals.
    """
    for (ratio, steps), said in {
        (3.5, 60): "over 60 steps it averages out.",
        (
            27.0,
            60,
        ): "is 27 times as long as the mean gradient, and over 60 steps it falls to 3.5 times.",
        (7.08, 50): "over 50 steps it falls to about the same length.",
        (3.5, 1): "is 3.5 times as long as the mean gradient.",
        (1.0, 60): "the noise is about as long as the mean gradient.",
    }.items():
        assert plain(sentences.noise_to_signal(ratio, steps=steps)).endswith(said)


def test_every_text_is_reached():
    assert sentences.leak_warning(1.0, 0.6).startswith(
        "The non-private model makes <b>no error</b>."
    )
    assert sentences.leak_warning(0.9, 0.6) == ""
    sampled = held(PoissonSampled(rate=0.25, event=NOISY))
    assert "with probability 0.25 (Poisson sampling)." in tiles.attacker_tile(sampled).about
    tiles.meaning(held(NOISY)), tiles.attacker_tile(None)
    assert guarantee_notes.void_attacker_tile("bounds").note == "bounds"
    assert "Delta 0.01 is at least one over the 400 private rows" in tiles.large_delta_warning(
        0.01, 400
    )
    assert sentences.difference_or_reason(Case.AHEAD, "said", runs=3) == "said"
    assert [key for key in reached.unread(SAYS) if SECTIONS.match(key)] == []


@pytest.mark.parametrize(
    ("multiplier", "said"),
    [
        # mu = 1 / multiplier; the success is Phi(mu + Phi^-1(0.01)).
        pytest.param(1.081, "at most 1 time in 12</b>", id="epsilon-4"),
        pytest.param(3.73, "at most 1 time in 50</b>", id="epsilon-1"),
        pytest.param(0.6, "at most 26 times in 100</b>", id="epsilon-8"),
        pytest.param(0.0, "practically every time", id="no-noise"),
    ],
)
def test_a_rare_guess_is_right_at_most_as_often_as_the_trade_off_curve_allows(multiplier, said):
    guarantee = held(Gaussian(noise_multiplier=multiplier))

    assert said in tiles.rare_guess_text(guarantee)
    assert tiles.rare_guess_text(guarantee) in tiles.meaning(guarantee)


@pytest.mark.parametrize("multiplier", [0.3, 0.7, 1.3, 2.9, 11.0, 140.0])
def test_a_rare_guess_is_never_said_to_be_rarer_than_its_bound(multiplier):
    guarantee = held(Gaussian(noise_multiplier=multiplier))
    success = norm.cdf(1 / multiplier + norm.ppf(0.01))

    text = plain(tiles.rare_guess_text(guarantee))

    once_in = re.search(r"at most 1 time in (\d+) with", text)
    in_hundred = re.search(r"at most (\d+) times in 100", text)
    if once_in:
        assert 1 / int(once_in[1]) >= success - 1e-9
    else:
        assert int(in_hundred[1]) >= 100 * success - 1e-6
