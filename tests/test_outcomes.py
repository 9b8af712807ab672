"""The sentences that several pages share: which case is said of which numbers, and that every case can be said."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from dpcore.confusion import ByClass, confusion
from dpcore.privacy import Adjacency, Guarantee, PoissonSampled, PureRelease, Sequence
from dpcore.privacy import GaussianRelease as Gaussian
from lab.claims import Case
from lab.files.own_rows import Column, Roles
from tests import reached
from tests.sentences import plain
from ui import outcomes, panels
from ui.texts import SAYS

# What pages show of a result; the frame of a page reads the other sections.
SECTIONS = {
    "attacker",
    "odds",
    "limit",
    "meaning",
    "weak",
    "large-delta",
    "by-class",
    "cost",
    "tile",
    "one-answer",
    "disguised",
}
SECTIONS |= {"landing", "start", "noise", "void", "paid", "own"}


def held(*events, epsilon=5.0, delta=1e-5, adjacency=Adjacency.ADD_REMOVE, unit="record"):
    event = events[0] if len(events) == 1 else Sequence(events=events)
    return Guarantee(epsilon=epsilon, delta=delta, adjacency=adjacency, unit=unit, basis="", event=event)


PURE = PureRelease(epsilon=0.5)
NOISY, CLOSE = Gaussian(noise_multiplier=1.0), Gaussian(noise_multiplier=10_000.0)


def runs(share: float, count: int = 24) -> np.ndarray:
    return share + np.linspace(-0.001, 0.001, count)


COSTS = {
    "lost": (runs(0.80), 0.85, 0.6, "Privacy lowers accuracy by 5 points."),
    "unshown": (runs(0.85), 0.85, 0.6, "No accuracy loss can be shown in 24 runs."),
    "unlearnt": (runs(0.5), 0.85, 0.6, "learnt nothing yet, with a median accuracy of 50 %."),
    "unlearnt-both": (runs(0.5), 0.55, 0.6, "the non-private model does no better, at 55 %."),
    "so-far": (runs(0.80, 3), 0.85, 0.6, "So far, 3 of 24 models are trained."),
    "constant": (runs(1.0), 1.0, 1.0, "There is nothing to learn"),
}


@pytest.mark.parametrize("case", COSTS)
def test_the_cost_is_that_of_the_medians(case):
    private, reference, base, said = COSTS[case]
    assert said in plain(outcomes.cost(private, reference, baseline=("no", base), runs=24))


def test_a_tile_says_a_loss_only_where_one_is_shown():
    said = [
        plain(outcomes.price(private, reference, base=base, runs=24)) for private, reference, base, _ in COSTS.values()
    ]
    assert said == [
        "accuracy loss: 5 points",
        "no accuracy loss shown",
        "accuracy loss: 35 points",
        "no better than a constant baseline",
        "so far 3 of 24 runs",
        "no better than a constant baseline",
    ]


def test_a_start_from_public_rows_is_judged_by_its_pairs():
    how = {"base": 0.5, "runs": 24}
    cases = [(runs(0.8), runs(0.7)), (runs(0.7), runs(0.8)), (runs(0.7), runs(0.7)), (runs(0.4), runs(0.4))]
    said = [plain(outcomes.start(30, *pair, **how)) for pair in cases]
    assert said == [
        "Pre-training on 30 public rows adds 10.0 points in the median pair of runs.",
        "Pre-training on 30 public rows lowers accuracy by 10.0 points in the median pair of runs.",
        "No difference can be shown for pre-training on 30 public rows.",
        "Pre-training on 30 public rows does no better than the majority-class baseline.",
    ]
    assert outcomes.start(30, runs(0.8, 3), runs(0.7, 3), **how) == ""
    assert "interval −1.0 to +3.0, sign test, 24 pairs" in outcomes.confidence((0.01, -0.01, 0.03), pairs=24)
    assert "3 pairs with the same noise are too few" in outcomes.confidence((0.01, -math.inf, math.inf), pairs=3)
    assert outcomes.confidence((0.01, 0.01, 0.01), pairs=24) == ""


def test_noise_averages_out_where_the_models_have_learnt():
    how = {"steps": 50, "base": 0.5}
    assert "but over 50 steps it averages out" in outcomes.noise(3.5, accuracy=0.8, **how)
    assert "and over 50 steps it does not average out" in outcomes.noise(3.5, accuracy=0.5, **how)
    assert outcomes.noise(1.0, accuracy=0.8, **how) == "In one step, the noise is about as long as the mean gradient."
    assert outcomes.landing(0.65, 0.86).startswith("90\u00a0% of runs fall between 65 and 86")
    assert outcomes.landing(0.65, 0.65) == "90\u00a0% of runs reach 65\u00a0%."


@pytest.mark.parametrize(
    ("guarantee", "said"),
    [
        (held(Gaussian(noise_multiplier=0.0)), "right practically every time."),
        (held(PURE, epsilon=0.5, delta=0), "at most 63 % of the time, the limit for any mechanism with this epsilon."),
        (held(NOISY), "is right only 70 % of the time."),
        (held(CLOSE, epsilon=0.001, delta=0), "Against this noise, the best attacker is right 50.1 % of the time, the"),
        (held(PURE, NOISY), "By composition of the parts, even the best attacker is right only"),
        (
            held(PureRelease(epsilon=1e-4), CLOSE, epsilon=0.001),
            "By composition of the parts, the best attacker is right 50.1 % of the time, the limit",
        ),
    ],
)
def test_the_limit_names_what_it_holds_for(guarantee, said):
    assert said in plain(outcomes.limit(guarantee))
    assert panels.attacker(guarantee).about.count(". ") >= 4


def test_the_odds_name_the_unit_of_privacy():
    replaced = {"adjacency": Adjacency.REPLACE_ONE}
    said = {
        unit: plain(panels.odds(held(NOISY, unit=unit, **replaced))) for unit in ("record", "person", "party", "group")
    }
    assert said["record"] == (
        "an attacker deciding whether your row or another one was used is right at most 70 % of the time "
        "(coin toss: 50 %)"
    )
    assert "your rows or another person's" in said["person"]
    assert "whether a party or another one" in said["party"]
    assert said["group"] == said["record"]
    assert "whether you are in the data is right" in plain(panels.odds(held(NOISY)))
    assert "practically every time" in panels.odds(held(Gaussian(noise_multiplier=0.0)))


def test_one_answer_is_counted():
    labels, names = np.array([0, 0, 0, 1]), ("no", "yes")

    def said(*answers):
        given = np.array(answers)
        found = ByClass(counts=confusion(given, labels, classes=2), loss=np.zeros(len(given)))
        accuracy = (given == labels).mean(axis=1)
        return plain(outcomes.one_answer(accuracy, labels, lambda: found, names, model="model"))

    no, yes, right = [0] * 4, [1] * 4, [0, 0, 0, 1]
    assert said(no, no) == "All 2 private models always answer “no”."
    assert said(no, right, right) == "One of 3 private models always answers “no”."
    assert said(no, yes) == "Each of 2 private models always gives one answer, most often “no”."
    assert said(no) == "The private model always answers “no”."
    assert said(no, no, right) == "2 of 3 private models always answer “no”."
    assert said(no, no, yes, right) == "3 of 4 private models always give one answer, most often “no”."


def test_beyond_accuracy_a_loss_may_have_no_number():
    counts = np.array([[[90, 0], [9, 1]]])
    one = ByClass(counts=counts, loss=np.array([np.inf]))
    said = [plain(text) for text in outcomes.beyond_accuracy(one, {"non-private": one}, ("no", "yes"))]
    assert said[1] == "Median balanced accuracy is 55 % (non-private 55 %)."
    assert "Accuracy is 91 %, 36 points above balanced accuracy." in said
    assert "The median run finds 100 of 100 rows of “no” and 10 of 100 rows of “yes”." in said
    assert "Median loss on held-out rows is no finite number (non-private no finite number)." in said
    rare = ByClass(counts=np.array([[[10, 80], [0, 10]]]), loss=np.zeros(1))
    assert "points below balanced accuracy" in " ".join(outcomes.beyond_accuracy(rare, {}, ("no", "yes")))
    assert "Median loss on held-out rows is 0 nats" in " ".join(
        outcomes.beyond_accuracy(rare, {"a": rare}, ("no", "yes"))
    )
    assert "correct, a" in outcomes.by_class(rare, {"a": rare}, ("no", "yes"), models="models")


def test_of_a_file_it_is_said_how_much_is_used_and_who_is_protected():
    def roles(**given):
        return Roles(answer="y", classes=("a", "b"), columns=(Column(name="x", low=0, high=1, **given),))

    rows = SimpleNamespace(rows=100, file=SimpleNamespace(private=800), by_person=False)
    people = SimpleNamespace(rows=100, file=SimpleNamespace(private=100), by_person=True)
    assert outcomes.learned_from(rows, tested=20).startswith("Trained on 100 of 800 rows, picked at random. With all,")
    assert "20 others" in outcomes.learned_from(people, tested=20, several=True)
    assert outcomes.used_of(people, several=True, most=8) == "100 people, up to 8 rows of each"
    assert outcomes.used_of(people, several=True) == "100 people, all rows of each"
    whose = SimpleNamespace(person="who", void=())
    for several, most, said in ((False, 0, "One row of each"), (True, 0, "All of a person's"), (True, 8, "Up to 8 of")):
        assert said in outcomes.of_own(whose, public="steps", several=several, most=most)
    assert "The unit of privacy is <b>one row</b>" in outcomes.of_own(roles(), public="steps")
    assert "would be <b>one row</b>" in outcomes.of_own(roles(read_off=True), public="steps")
    paid = SimpleNamespace(paid=(1, 2), epsilon=0.5, spent=0.2, left=0.3, void="bounds were read off private rows")
    assert plain(outcomes.paid(paid)).endswith("used or not). Training has the other 0.3. ")
    assert "because bounds were read off private rows" in outcomes.void(paid)
    assert outcomes.void_attacker(paid).note == paid.void
    assert "Do not release these results." in outcomes.void_guarantee(paid)


def test_every_text_is_reached():
    assert outcomes.disguised(1.0, 0.6).startswith("The non-private model makes <b>no error</b>.")
    assert outcomes.disguised(0.9, 0.6) == ""
    sampled = held(PoissonSampled(rate=0.25, event=NOISY))
    assert "Each row is in a step with probability 0.25 (Poisson sampling)." in panels.attacker(sampled).about
    assert panels.attacker(None).note == "no noise is added"
    assert "Delta 0.01 is at least one over the 400 private rows." in panels.large_delta(0.01, 400)
    assert outcomes.beside(Case.AHEAD, "said", runs=3) == "said"
    assert [key for key in reached.unread(SAYS) if key.split(".")[0] in SECTIONS] == []
