"""Differences of two settings, claims on them and the words for both, against scipy and what they
promise.
"""

import math
import re
from contextlib import suppress

import numpy as np
import pytest
from scipy import stats

from dpcore.check import RefusedError
from lab.experiment.settings import Measure, Settings
from lab.statistics.claims import (
    Case,
    ahead_range,
    classify_difference,
    compare,
    leaders,
    leading_count,
    too_few_to_lead,
    trailing_start,
)
from lab.statistics.differences import Difference, of_groups, of_pairs, of_splits
from pages.classifier.settings import ClassifierSettings
from pages.topics import TOPIC_PAGES
from tests.claims import better, worse
from tests.sentences import NEVER, amount, plain
from ui.page.differences import (
    RunDifference,
    difference_sentence,
    rows_html,
    settings_rows,
    shown_difference,
    table,
    tile_rows,
)
from ui.text.tiles import Tile

TRIALS = 4000
NUMBER = r"([+−]?[\d,]*\.?\d+)"
SHARE = ClassifierSettings().experiment.measures["scratch"]
ERROR = Measure("RMSE on held-out rows", "lower", np.asarray)


def exact(runs: np.ndarray, confidence: float) -> tuple[float, float]:
    """The interval of the median; without ends where there are too few runs."""
    found = stats.quantile_test(runs, p=0.5).confidence_interval(confidence)
    return (-np.inf, np.inf) if np.isnan(found.low) else (found.low, found.high)


def known(a: np.ndarray, b: np.ndarray, *, paired: bool) -> np.ndarray:
    """(median, low, high) by scipy."""
    if paired:
        return np.array([np.median(a - b), *exact(a - b, 0.95)])
    (low_a, high_a), (low_b, high_b) = (exact(one, 0.95**0.5) for one in (a, b))
    return np.array([np.median(a) - np.median(b), low_a - high_b, high_a - low_b])


def near(text: str, number: float) -> bool:
    """Whether a text is this number, rounded."""
    decimals = len(text.partition(".")[2])
    return abs(amount(text) - number) <= 0.5 * 10**-decimals * (1 + 1e-6) + 1e-9 * abs(number)


def test_a_difference_is_that_of_a_sign_test_and_its_sentence_says_which_is_ahead():
    """No end looks like 0 or like the other one where it is not, however small or narrow the
    interval.
    """
    rng, met = np.random.default_rng(3), set()
    for _ in range(600):
        shift, common = (
            rng.choice([-3, -0.5, 0, 1e-6, 1e-3, 0.5, 3]),
            rng.choice([0, 0.9, 1 - 1e-9]),
        )
        scale, paired = rng.choice([1e-9, 1e-5, 0.01, 1.0, 3000.0]), bool(rng.integers(2))
        measure = SHARE if scale == 0.01 and rng.random() < 0.5 else ERROR
        runs = rng.normal(size=(2, rng.choice([*range(2, 16), 24, 100])))
        a, b = scale * (
            runs * np.sqrt(1 - common) + rng.normal(size=runs.shape[1]) * np.sqrt(common)
        )
        a, b = a + scale * shift, b if paired else b[:24]
        wanted = known(a, b, paired=paired)
        found = (of_pairs if paired else of_groups)(a, b)
        assert [found.median, found.low, found.high] == pytest.approx(wanted, rel=1e-9, abs=1e-15)
        middle, low, high = wanted * (100 if measure.share else 1)
        assert (found.paired, found.bounded, found.shown) == (
            paired,
            np.isfinite(low),
            low > 0 or high < 0,
        )
        said = plain(difference_sentence(found, measure))
        assert not any(re.search(one, said) for one in NEVER), said
        way = (
            "higher in A" if low > 0 else "lower in A" if high < 0 else "o difference can be shown"
        )
        if np.isinf(low):
            way = "too few to say"
        assert way in said
        assert ("paired differences" in said, "Compared as two groups" in said) == (
            paired,
            not paired,
        )
        assert not paired or f"median of {runs.shape[1]} paired" in said
        size = re.search(
            rf"is {NUMBER} (?:points? )?\w+ in A" if way.endswith("A") else rf"\({NUMBER}", said
        )[1]
        sign = -1 if high < 0 else 1
        assert near(size, sign * middle)
        if np.isfinite(low):
            ends = re.search(rf"95 % confidence interval {NUMBER} to {NUMBER}\)\.", said).groups()
            assert all(map(near, ends, sorted((sign * low, sign * high))))
        met.add((way, paired, measure.share))
    assert len(met) == 16


def test_without_chance_there_is_nothing_to_be_unsure_of():
    low, high = np.full(9, 0.1), np.full(9, 0.3)
    for found, said in (
        (of_pairs(high, low), "higher in A"),
        (of_pairs(high, high), "equal in A and B"),
    ):
        assert found.sure
        assert f"{said} in every run" in plain(difference_sentence(found, SHARE))
    assert not Difference(median=0.5, low=0, high=1).shown
    assert not Difference(median=-0.5, low=-1, high=0).shown
    assert (of_groups(high, low[:7]).sure, of_groups(high, np.linspace(0.1, 0.2, 9)).sure) == (
        True,
        False,
    )


@pytest.mark.parametrize(
    "values", [[1.0], [1.0, np.nan], [[1.0, 2.0]], ["a", "b"], [1.0, 2.0, 3.0]]
)
def test_what_is_no_sample_is_refused(values):
    for difference in (of_pairs, of_groups)[: 1 + (len(values) < 3)]:
        with pytest.raises(RefusedError):
            difference(np.array([1.0, 2.0]), np.array(values))


def test_a_claim_needs_a_sign_test_a_point_and_more_than_the_constant_answer():
    """A point of a share, or one percent of the baseline's error."""
    rng, met = np.random.default_rng(1), set()
    for _ in range(400):
        higher, pairs, complete = (
            bool(rng.integers(2)),
            int(rng.choice([5, 20])),
            bool(rng.random() < 0.9),
        )
        won, by = (
            rng.integers(pairs + 1),
            rng.choice([0.0099, 0.01, 0.05] if higher else [0.0067, 0.0072, 0.05]),
        )
        constant, some = (
            rng.choice([None, 0.65, 0.74, 0.75]),
            (rng.normal(0.7, 0.03, pairs), rng.uniform(0, 2, pairs)),
        )
        base, size = some if rng.random() < 0.5 else (0.7, 1)
        a = base + by * size * np.where(np.arange(pairs) < won, 1, -1)
        how = {
            "better": "higher" if higher else "lower",
            "constant": constant,
            "complete": complete,
        }
        ahead, behind = (shows(a, base, higher=higher) for shows in (better, worse))
        best = max((1 if higher else -1) * np.median(one) for one in (a, base))
        nothing = constant is not None and best <= (1 if higher else -1) * constant + 1e-12
        wanted = Case.AHEAD if ahead else Case.BEHIND if behind else Case.ALIKE
        wanted = Case.FEW if pairs < 6 else Case.CONSTANT if nothing else wanted
        wanted = Case.SO_FAR if not complete else wanted
        assert compare(a, base, **how) == wanted, (a, how)
        met.add((wanted, higher))
    assert len(met) == 12
    assert compare(np.full(20, np.inf), np.full(20, 0.7), better="lower") == Case.BEHIND
    found = Difference(median=-0.02, low=-0.03, high=-0.01)
    assert [classify_difference(found, better="lower", least=least) for least in (0.01, 0.03)] == [
        Case.AHEAD,
        Case.ALIKE,
    ]
    assert "too small to matter" in difference_sentence(found, SHARE, least=0.03)


def test_the_best_of_several_is_alone_only_where_it_beats_each():
    noise = np.random.default_rng(0).normal(scale=0.02, size=20)
    arms = {"low": 0.6 + noise, "high": 0.8 + noise, "near": 0.8 + noise[::-1]}
    assert set(leaders(arms)) == {"high", "near"}
    assert leaders(arms, better="lower") == ("low",)
    many = {
        "first": np.repeat([0.75, 0.65], [15, 5]),
        **{str(n): np.full(20, 0.7) for n in range(5)},
    }
    assert compare(many["first"], many["0"]) == Case.AHEAD
    assert len(leaders(many)) == 6, "15 of 20 pairs show a lead over one arm, but not over five"


def test_the_table_and_the_sentence_state_one_difference():
    """That of the pairs, whose interval is known, and not that of the two medians beside it."""
    a = np.array([0.5, 0.52, 0.55, 0.6, 0.61, 0.62, 0.63])
    b = a + np.array([0.1, 0.105, 0.1, 0.02, 0.13, 0.105, 0.2])
    found = of_pairs(a, b)
    tiles = [
        [
            Tile(
                "Accuracy",
                f"{100 * np.median(one):.0f} %",
                "",
                amount=round(100 * np.median(one)),
                unit="points",
            )
        ]
        for one in (a, b)
    ]
    known = RunDifference(found, SHARE, float(np.median(a)), float(np.median(b)))
    (row,) = tile_rows(*tiles, known)
    gap = re.search(
        rf"is {NUMBER} points lower in A \(median of 7 paired",
        plain(difference_sentence(found, SHARE)),
    )[1]
    assert row == ("Accuracy", "60", "65", f"−{gap} in pairs")
    assert tile_rows(*tiles)[0][-1] == "−5"
    groups = RunDifference(of_groups(a, b), SHARE, known.median_a, known.median_b)
    assert tile_rows(*tiles, groups)[0][-1] == "−5"


def test_too_few_runs_are_a_case_of_their_own():
    """Six pairs can show a difference at 95 % confidence, or two groups of seven; several
    comparisons take more.
    """
    high, low = np.full(5, 0.9), np.full(5, 0.1)
    assert compare(high, low) == compare(high, 0.1) == compare(high, high) == Case.FEW
    assert compare(np.full(6, 0.9), np.full(6, 0.1)) == Case.AHEAD
    assert compare(np.full(6, 0.9), np.full(6, 0.1), paired=False) == Case.FEW
    assert compare(np.full(7, 0.9), np.full(7, 0.1), paired=False) == Case.AHEAD
    assert classify_difference(of_pairs(high, low), better="higher", least=0.01) == Case.FEW
    arms = {str(place): np.full(7, place / 10) for place in range(5)}
    assert too_few_to_lead(arms)
    assert not too_few_to_lead({name: np.full(8, 0.5) for name in arms})
    assert not too_few_to_lead({name: arms[name] for name in ("0", "1")})
    assert ahead_range([Case.FEW, Case.FEW]) == ("few", 0)
    assert ahead_range([Case.FEW, Case.AHEAD]) == ("from", 1)


def test_runs_that_are_not_equally_many_are_compared_as_two_groups():
    """A loss that sixteen networks show beside eight others is not hidden by pairing eight
    of them.
    """
    private = np.repeat([0.8, 0.6], [3, 13])
    plain = np.linspace(0.76, 0.78, 8)
    assert compare(private[:8], plain) == Case.ALIKE
    assert compare(private, plain) == Case.BEHIND
    assert compare(np.roll(private, 5), plain) == Case.BEHIND
    ahead, alike = Case.AHEAD, Case.ALIKE
    found = [
        (trailing_start(one), leading_count(one))
        for one in ([ahead, alike, ahead], [ahead] * 3, [ahead, alike], [alike, ahead])
    ]
    assert found == [(2, 1), (0, 3), (2, 1), (1, 0)]


# Laws of the luck of a run, around 0 as their median: of the last, as of noisy errors, the mean is
# infinite.
LAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "skew": lambda rng, shape: rng.exponential(size=shape) - math.log(2),
    "infinite mean": lambda rng, shape: 1 / rng.uniform(size=shape) - 2,
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("common", [0.0, 0.95])
def test_coverage(common, law):
    """Pairs and groups cover the truth in 95 of 100 at any share of common noise, whatever the
    distribution.
    """
    rng, truth, repeats = np.random.default_rng(4), 0.3, 24
    both = LAWS[law](rng, (TRIALS, 1, repeats)) * common
    a, b = np.moveaxis(both + (1 - common) * LAWS[law](rng, (TRIALS, 2, repeats)), 1, 0)
    widths = []
    for difference in (of_pairs, of_groups):
        found = [difference(one + truth, other) for one, other in zip(a, b, strict=True)]
        assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.945, (
            difference.__name__
        )
        widths.append(np.median([one.high - one.low for one in found]))
    assert common < 0.95 or widths[0] < widths[1] / 10, (
        "pairs are as narrow as their noise is common"
    )
    half = stats.t.ppf(0.975, repeats - 1) * stats.sem(a, axis=1)
    assert law != "infinite mean" or np.mean(np.abs(a.mean(axis=1) - a.mean()) <= half) < 0.6


@pytest.mark.parametrize(
    ("splits", "law"), [(5, "normal"), (5, "infinite mean"), (20, "infinite mean")]
)
def test_splits_cover_what_they_promise_where_pooled_runs_do_not(splits, law):
    """Splits differ by much more than their runs, as on small data sets; with 20 their law does not
    matter.
    """
    rng, truth = np.random.default_rng(5), 0.3
    common = rng.normal(size=(TRIALS, splits, 1))
    shift = truth + LAWS[law](rng, (TRIALS, splits, 1))
    a, b = (
        common + rng.normal(scale=0.3, size=(2, TRIALS, splits, 24)) + np.stack([shift, 0 * shift])
    )
    covered = {"splits": 0, "pooled": 0}
    for one, other in zip(a, b, strict=True):
        for name, found in (
            ("splits", of_splits(one, other)),
            ("pooled", of_pairs(one.ravel(), other.ravel())),
        ):
            covered[name] += found.low <= truth <= found.high
    assert covered["splits"] / TRIALS >= (0.945 if splits == 20 or law == "normal" else 0.9)
    assert covered["pooled"] / TRIALS < 0.6


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
    read = settings.experiment.measures[measure].read
    return np.concatenate([read(task.run()) for task in settings.experiment.shown_sample()])


def nearby(settings: Settings) -> dict[str, Settings]:
    """The settings with each slider in turn moved by very little, where repeats then still pair."""
    found = {}
    for name, (low, high) in settings.limits.items():
        now = getattr(settings, name)
        moved = now + 1 if isinstance(now, int) else now * LITTLE or LITTLE - 1
        if name not in settings.experiment.PAIRED_BY and low <= moved <= high:
            with suppress(RefusedError):
                found[name] = settings.change(**{name: moved})
    return found


@pytest.mark.parametrize(
    "page",
    [page for page in TOPIC_PAGES if page.settings().experiment.PAIRED_BY],
    ids=lambda page: page.name,
)
def test_the_noise_of_pairs_is_common(page):
    """Where settings say that they pair, a slider that is moved by very little moves each repeat by
    little.
    """
    start = page.settings().change(**QUICK[page.name])
    measure = start.experiment.compared
    here, other = repeats_of(start, measure), repeats_of(start.change(seed=start.seed + 1), measure)
    assert len(here) == start.repeats
    assert here.std() > 0
    for name, there in nearby(start).items():
        if start.experiment.pairs_with(there.experiment):
            assert np.corrcoef(here, repeats_of(there, measure))[0, 1] > 0.8, name
    assert abs(np.corrcoef(here, other)[0, 1]) < 0.8, "another seed draws anew"


@pytest.mark.parametrize("page", TOPIC_PAGES, ids=lambda page: page.name)
def test_pairs_agree_in_rows_seed_and_repeats(page):
    start = page.settings()
    assert start.experiment.pairs_with(page.settings().experiment)
    another = TOPIC_PAGES[1] if page is TOPIC_PAGES[0] else TOPIC_PAGES[0]
    assert not start.experiment.pairs_with(another.settings().experiment)
    if start.experiment.PAIRED_BY:
        assert not start.experiment.pairs_with(start.change(seed=start.seed + 1).experiment)
        assert not start.experiment.pairs_with(start.change(repeats=start.repeats - 1).experiment)
    else:
        assert not any(
            start.experiment.pairs_with(there.experiment) for there in nearby(start).values()
        )
    assert start.experiment.compared in start.experiment.measures


def test_what_draws_no_noise_or_other_noise_does_not_pair():
    start = {page.name: page.settings() for page in TOPIC_PAGES}
    classifier, detected = start["classifier"], start["transfer"].change(selection="detected")
    assert classifier.experiment.pairs_with(classifier.change(version="published").experiment)
    plainly = classifier.change(version="none")
    for one, other in (
        (plainly, plainly.change(clip_norm=2.0)),
        (detected, detected.change(epsilon=2.0)),
        (
            start["transfer"],
            start["transfer"].change(h=start["transfer"].limits["h"][0]),
        ),  # no source
        (start["parties"], start["parties"].change(method="vote")),
        (start["network"], start["network"].change(width=17)),
    ):
        assert not one.experiment.pairs_with(other.experiment)


def test_table_has_heads_the_settings_that_differ_and_the_differences_as_shown():
    a, b = ClassifierSettings(epsilon=2.0), ClassifierSettings(dataset="moons")
    rows = settings_rows(a, b, lambda name, value: (name, f"<{value}>"))
    assert rows == [("dataset", "<gaussians>", "<moons>", ""), ("epsilon", "<2.0>", "<0.5>", "")]
    now = [
        Tile("Accuracy", "91 %", amount=91, unit="points"),
        Tile("90 %", "85 <small>to</small> 95\u00a0%"),
    ]
    now += [Tile("Attacker", '<b class="lab-odds">53\u00a0%</b>', amount=53.0)]
    then = [
        Tile("As published", "87.4\u00a0%", amount=87.4, unit="points"),
        Tile("90 %", "69 <small>to</small> 94\u00a0%"),
    ]
    numbers = tile_rows(now, then)
    assert numbers == [
        ("Accuracy", "91", "87.4", "+3.6"),
        ("90 %", "85–95", "69–94", ""),
        ("Attacker", "53", "–", ""),
    ]
    assert shown_difference("52", "85.5") == "−33.5"
    html = table(rows_html(rows[:1]), rows_html(numbers[:1]), "Said.")
    words = "A now B pinned A − B dataset <gaussians> <moons> Accuracy 91 87.4 +3.6 Said."
    assert " ".join(plain(html).split()) == words
    assert (html.count('scope="row"'), html.count('scope="col"')) == (2, 3)
