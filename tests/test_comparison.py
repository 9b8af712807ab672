"""The table and the sentence on two settings, held against scipy over random runs."""

import re

import numpy as np
import pytest
from scipy import stats

from lab.differences import Difference, of_groups, of_pairs
from lab.settings import Measure
from pages.classifier.experiment import ClassifierSettings
from tests.said import amount
from tests.sentences import NEVER, plain
from ui.comparison import apart, number_rows, sentence, settings_rows, table
from ui.comparison import rows as to_html
from ui.panels import Number

NUMBER = r"([+−]?[\d,]*\.?\d+)"
SHARE = ClassifierSettings.MEASURES[ClassifierSettings().compared]
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


def test_a_sentence_says_the_interval_and_which_is_ahead():
    """No end looks like 0 or like the other one where it is not, however small or narrow the interval."""
    rng, met = np.random.default_rng(3), set()
    for _ in range(600):
        shift, common = rng.choice([-3, -0.5, 0, 1e-6, 1e-3, 0.5, 3]), rng.choice([0, 0.9, 1 - 1e-9])
        scale, paired = rng.choice([1e-9, 1e-5, 0.01, 1.0, 3000.0]), bool(rng.integers(2))
        measure = SHARE if scale == 0.01 and rng.random() < 0.5 else ERROR
        runs = rng.normal(size=(2, rng.integers(2, 16)))
        a, b = scale * (runs * np.sqrt(1 - common) + rng.normal(size=runs.shape[1]) * np.sqrt(common))
        a = a + scale * shift
        middle, low, high = known(a, b, paired=paired) * (100 if measure.share else 1)
        found = (of_pairs if paired else of_groups)(a, b)
        said = plain(sentence(found, measure))
        assert not any(re.search(one, said) for one in NEVER), said
        way = "higher in A" if low > 0 else "lower in A" if high < 0 else "o difference can be shown"
        assert way in said
        assert ("paired differences" in said, "Compared as two groups" in said) == (paired, not paired)
        assert not paired or f"median of {runs.shape[1]} paired" in said
        size = re.search(rf"is {NUMBER} (?:points? )?\w+ in A" if way.endswith("A") else rf"\({NUMBER}", said)[1]
        sign = -1 if high < 0 else 1
        assert near(size, sign * middle)
        if np.isinf(low):
            assert "too few runs" in said
        else:
            ends = re.search(rf"95 % confidence interval {NUMBER} to {NUMBER}\)\.", said).groups()
            assert all(map(near, ends, sorted((sign * low, sign * high))))
        met.add((way, paired, measure.share))
    assert len(met) == 12


@pytest.mark.parametrize(("one", "said"), [(0.1, "higher in A in every run"), (0.3, "equal in A and B in every run")])
def test_runs_without_noise_are_compared_without_an_interval(one, said):
    assert said in plain(sentence(of_pairs(np.full(9, 0.3), np.full(9, one)), SHARE))


def test_sure_difference_of_less_than_a_point_does_not_matter():
    for median, said in ((0.005, "too small to matter"), (0.02, "With the same noise, the accuracy is")):
        found = Difference(median=median, low=median / 2, high=2 * median, pairs=20)
        assert said in sentence(found, SHARE, least=0.01)


def test_a_difference_is_that_of_the_numbers_as_shown():
    a = [
        Number("Private model is right", "91 %", amount=91, unit="points"),
        Number("Nine runs in ten", "85 <small>to</small> 95\u00a0%"),
        Number("Attacker", '<b class="lab-odds">53\u00a0%</b>', amount=53.0),
    ]
    b = [
        Number("As published, right", "87.4\u00a0%", amount=87.4, unit="points"),
        Number("Nine runs in ten", "69 <small>to</small> 94\u00a0%"),
    ]
    assert number_rows(a, b) == [
        ("Private model is right", "91", "87.4", "+3.6"),
        ("Nine runs in ten", "85–95", "69–94", ""),
        ("Attacker", "53", "–", ""),
    ]
    assert apart("52", "85.5") == "−33.5"


def test_table_has_heads_and_a_row_for_each_setting_that_differs():
    a, b = ClassifierSettings(epsilon=2.0), ClassifierSettings(dataset="moons")
    rows = settings_rows(a, b, lambda name, value: (name, f"<{value}>"))
    assert rows == [("dataset", "<gaussians>", "<moons>", ""), ("epsilon", "<2.0>", "<0.5>", "")]
    assert settings_rows(a, a, lambda *_: ("", "")) == []
    html = table(to_html(rows[:1]), to_html([("Middle run", "90.6", "87.4", "+3.2")]), "Said.", name="<mine>")
    words = "A now B <mine> A − B dataset <gaussians> <moons> Middle run 90.6 87.4 +3.2 Said."
    assert " ".join(plain(html).split()) == words
    assert (html.count('scope="row"'), html.count('scope="col"')) == (2, 3)
