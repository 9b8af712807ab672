"""The sentences that several pages share say the right case, and every case can be said."""

import math
import re

import numpy as np
import pytest

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


def guarantee_of(
    *events, epsilon=5.0, delta=1e-5, adjacency=Adjacency.ADD_REMOVE, unit="record"
) -> Guarantee:
    """Return a guarantee of an event, or of several events in sequence."""
    event = Sequence(events=events)
    if len(events) == 1:
        (event,) = events
    return Guarantee(
        epsilon=epsilon, delta=delta, adjacency=adjacency, unit=unit, basis="", event=event
    )


PURE = PureRelease(epsilon=0.5)
NEARLY_NOTHING = PureRelease(epsilon=1e-4)
NO_NOISE = Gaussian(noise_multiplier=0.0)
NOISY = Gaussian(noise_multiplier=1.0)
VERY_NOISY = Gaussian(noise_multiplier=10_000.0)
# Runs of a usual experiment.
RUNS = 24


def runs_about(accuracy: float, count: int = RUNS) -> np.ndarray:
    """Return accuracies of runs whose median this is."""
    return accuracy + np.linspace(-0.001, 0.001, count)


@pytest.mark.parametrize(
    ("private", "reference", "baseline", "sentence", "tile"),
    [
        pytest.param(
            runs_about(0.80), 0.85, 0.6, "by 5 points", "cost of privacy: 5 points", id="cost"
        ),
        pytest.param(
            runs_about(0.85),
            0.85,
            0.6,
            "No cost of privacy can be shown in 24 runs",
            "no cost of privacy shown",
            id="no cost shown",
        ),
        pytest.param(
            runs_about(0.5),
            0.85,
            0.6,
            "learnt nothing yet",
            "cost of privacy: 35 points",
            id="nothing learnt",
        ),
        pytest.param(
            runs_about(0.5),
            0.55,
            0.6,
            "the non-private model does no better, at 55 %",
            "no better than a constant baseline",
            id="nothing learnt by anybody",
        ),
        pytest.param(
            runs_about(0.80, 3),
            0.85,
            0.6,
            "So far, 3 of 24 models are trained",
            "so far 3 of 24 runs",
            id="begun",
        ),
        pytest.param(
            runs_about(0.80),
            runs_about(0.85, 8),
            0.6,
            "by 5 points",
            "cost of privacy: 5 points",
            id="fewer runs of the reference",
        ),
        pytest.param(
            runs_about(0.80),
            runs_about(0.85, 6),
            0.6,
            "6 runs are too few to say whether privacy",
            "6 runs are too few to say",
            id="too few runs of the reference",
        ),
        pytest.param(
            runs_about(1.0),
            1.0,
            1.0,
            "There is nothing to learn",
            "no better than a constant baseline",
            id="nothing to learn",
        ),
    ],
)
class TestCostOfPrivacy:
    """It is the difference of the medians."""

    def test_the_sentence_states_the_cost_of_privacy(
        self, private, reference, baseline, sentence, tile
    ):
        text = sentences.privacy_cost(private, reference, baseline=("no", baseline), runs=RUNS)

        assert sentence in plain(text)

    def test_the_tile_states_the_cost_of_privacy(
        self, private, reference, baseline, sentence, tile
    ):
        note = sentences.privacy_cost_note(private, reference, base=baseline, runs=RUNS)

        assert plain(note) == tile


class TestPretraining:
    """A start from public rows is judged by its pairs."""

    @pytest.mark.parametrize(
        ("with_start", "without", "words"),
        [
            pytest.param(0.8, 0.7, "adds", id="better"),
            pytest.param(0.7, 0.8, "lowers", id="worse"),
            pytest.param(0.7, 0.7, "No difference can be", id="alike"),
            pytest.param(0.4, 0.4, "does no better", id="below the baseline"),
        ],
    )
    def test_the_sentence_says_what_pretraining_adds(self, with_start, without, words):
        text = sentences.pretraining_gain(
            30, runs_about(with_start), runs_about(without), base=0.5, runs=RUNS
        )

        assert words in text

    def test_unfinished_runs_have_no_sentence_about_pretraining(self):
        text = sentences.pretraining_gain(
            30, runs_about(0.8, 3), runs_about(0.7, 3), base=0.5, runs=RUNS
        )

        assert text == ""

    def test_five_pairs_are_too_few(self):
        text = sentences.pretraining_gain(
            30, runs_about(0.8, 5), runs_about(0.7, 5), base=0.5, runs=5
        )

        assert (
            text == "5 pairs of runs are too few to say what pre-training on 30 public rows adds."
        )

    @pytest.mark.parametrize(
        ("interval", "pairs", "words"),
        [
            pytest.param(
                (0.01, -0.01, 0.03),
                24,
                "interval −1.0 to +3.0, sign test, 24 pairs",
                id="both ends",
            ),
            pytest.param(
                (0.01, -math.inf, math.inf),
                3,
                "3 pairs with the same noise are too few",
                id="no ends",
            ),
        ],
    )
    def test_the_interval_of_the_gain_by_pretraining_is_stated(self, interval, pairs, words):
        assert words in sentences.pretraining_interval(interval, pairs=pairs)

    def test_an_interval_of_one_value_is_not_stated(self):
        assert sentences.pretraining_interval((0.01, 0.01, 0.01), pairs=24) == ""


class TestAttacker:
    @pytest.mark.parametrize(
        ("guarantee", "words"),
        [
            pytest.param(guarantee_of(NO_NOISE), "right practically every time.", id="no noise"),
            pytest.param(
                guarantee_of(PURE, epsilon=0.5, delta=0),
                "at most 63 % of the time, the limit for any mechanism with this epsilon.",
                id="any mechanism",
            ),
            pytest.param(guarantee_of(NOISY), "is right only 70 % of the time.", id="noise"),
            pytest.param(
                guarantee_of(VERY_NOISY, epsilon=0.001, delta=0),
                "Against this noise, the best attacker is right 50.1 % of the time, the",
                id="much noise",
            ),
            pytest.param(
                guarantee_of(PURE, NOISY),
                "By composition of the parts, even the best attacker is right only",
                id="parts",
            ),
            pytest.param(
                guarantee_of(NEARLY_NOTHING, VERY_NOISY, epsilon=0.001),
                "of the parts, the best attacker is right 50.1 % of",
                id="small parts",
            ),
        ],
    )
    def test_the_limit_on_attackers_names_the_unit_and_adjacency_it_holds_for(
        self, guarantee, words
    ):
        assert words in plain(guarantee_notes.attacker_limit(guarantee))
        assert tiles.attacker_tile(guarantee).about.count(". ") >= 4

    @pytest.mark.parametrize(
        ("unit", "words"),
        [
            ("record", "your row or another one was used"),
            ("group", "your row or another one was used"),
            ("person", "your rows or another person's"),
            ("party", "whether a party or another one"),
        ],
    )
    def test_the_odds_name_the_unit_of_privacy(self, unit, words):
        guarantee = guarantee_of(NOISY, unit=unit, adjacency=Adjacency.REPLACE_ONE)

        assert words in plain(tiles.odds_text(guarantee))

    def test_the_odds_are_about_whether_you_are_in_the_data(self):
        text = plain(tiles.odds_text(guarantee_of(NOISY)))

        assert "whether you are in the data is right at most 70 %" in text

    def test_the_odds_without_noise_are_certain(self):
        assert "practically every time" in tiles.odds_text(guarantee_of(NO_NOISE))

    @pytest.mark.parametrize("multiplier", [0.0, 0.6, 1.0])
    def test_every_guarantee_has_a_text_on_rare_guesses(self, multiplier):
        assert tiles.rare_guess_text(guarantee_of(Gaussian(noise_multiplier=multiplier)))


LABELS = np.array([0, 0, 0, 1])
ALWAYS_NO = [0, 0, 0, 0]
ALWAYS_YES = [1, 1, 1, 1]
RIGHT = LABELS.tolist()


@pytest.mark.parametrize(
    ("predictions", "sentence"),
    [
        pytest.param([ALWAYS_NO] * 2, "All 2 private models always answer “no”.", id="all"),
        pytest.param(
            [ALWAYS_NO, RIGHT, RIGHT], "One of 3 private models always answers “no”.", id="one"
        ),
        pytest.param(
            [ALWAYS_NO, ALWAYS_YES],
            "Each of 2 private models always gives one answer, most often “no”.",
            id="different answers",
        ),
        pytest.param([ALWAYS_NO], "The private model always answers “no”.", id="the only one"),
        pytest.param(
            [ALWAYS_NO, ALWAYS_NO, RIGHT],
            "2 of 3 private models always answer “no”.",
            id="some",
        ),
        pytest.param(
            [ALWAYS_NO, ALWAYS_NO, ALWAYS_YES, RIGHT],
            "3 of 4 private models always give one answer, most often “no”.",
            id="some, with different answers",
        ),
    ],
)
def test_models_that_give_one_answer_are_counted(predictions, sentence):
    predictions = np.array(predictions)
    by_class = ByClass(
        counts=confusion(predictions, LABELS, classes=2), loss=np.zeros(len(predictions))
    )
    accuracy = (predictions == LABELS).mean(axis=1)

    text = sentences.constant_answer(
        accuracy, LABELS, lambda: by_class, ("no", "yes"), model="model"
    )

    assert plain(text) == sentence


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
        pytest.param("Median loss on held-out rows is 0 nats", id="no loss"),
    ],
)
def test_notes_tell_what_the_accuracy_of_a_common_class_hides(sentence):
    assert sentence in class_notes([[10, 80], [0, 10]], 0.0)


@pytest.mark.parametrize(
    ("ratio", "steps", "words"),
    [
        pytest.param(3.5, 60, "over 60 steps it averages out.", id="averaged out"),
        pytest.param(
            27.0,
            60,
            "is 27 times as long as the mean gradient, and over 60 steps it falls to 3.5 times.",
            id="still longer",
        ),
        pytest.param(
            7.08, 50, "over 50 steps it falls to about the same length.", id="about as long"
        ),
        pytest.param(3.5, 1, "is 3.5 times as long as the mean gradient.", id="one step"),
        pytest.param(
            1.0, 60, "the noise is about as long as the mean gradient.", id="as long from the start"
        ),
    ],
)
def test_noise_averages_out_only_where_it_falls_to_the_signal(ratio, steps, words):
    """Over T steps independent noise falls to 1/sqrt(T) of that of one, relative to the sum of the
    signals.
    """
    assert plain(sentences.noise_to_signal(ratio, steps=steps)).endswith(words)


def test_a_model_without_an_error_is_a_sign_of_a_leak():
    warning = sentences.leak_warning(1.0, 0.6)

    assert warning.startswith("The non-private model makes <b>no error</b>.")


def test_a_model_with_errors_is_no_sign_of_a_leak():
    assert sentences.leak_warning(0.9, 0.6) == ""


def test_the_tile_says_with_which_probability_rows_are_sampled():
    sampled = guarantee_of(PoissonSampled(rate=0.25, event=NOISY))

    assert "with probability 0.25 (Poisson sampling)." in tiles.attacker_tile(sampled).about


def test_the_tile_of_a_void_guarantee_says_why():
    assert guarantee_notes.void_attacker_tile("bounds").note == "bounds"


def test_a_delta_above_one_over_the_rows_is_warned_of():
    warning = tiles.large_delta_warning(0.01, 400)

    assert "Delta 0.01 is at least one over the 400 private rows" in warning


def test_a_difference_that_is_shown_has_its_sentence():
    assert sentences.difference_or_reason(Case.AHEAD, "sentence", runs=3) == "sentence"


def test_every_text_is_reached():
    """It is the last test that reads texts, as texts are counted over all tests before."""
    tiles.meaning(guarantee_of(NOISY))
    tiles.attacker_tile(None)

    unread = [key for key in reached.unread(SAYS) if SECTIONS.match(key)]

    assert unread == []
