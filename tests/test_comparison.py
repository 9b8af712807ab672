"""The table and the sentence on two settings, held against scipy over random pairs of settings."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

from lab.differences import Difference, of_groups, of_pairs
from lab.settings import Measure, Settings
from pages.classifier.experiment import ClassifierSettings
from pages.regression.experiment import RegressionSettings
from tests.sentences import Rules, at_random, broken_by, plain
from ui.comparison import apart, number_rows, sentence, settings_rows, table
from ui.comparison import rows as to_html
from ui.compute import repeats
from ui.panels import Number

NUMBER = r"([+−]?[\d,]*\.?\d+)"
ENDS = rf"95 % confidence interval {NUMBER} to {NUMBER}\)\."
PAIRS, GROUP = r"median of (\d+) paired differences, ", "difference of the medians, "
TOO_FEW = r"too few runs for a 95 % confidence interval\)\."


class Compared(NamedTuple):
    """Two settings with their repeats, which a sentence was about."""

    settings: tuple[Settings, Settings]
    a: np.ndarray
    b: np.ndarray
    measure: Measure
    paired: bool

    @property
    def found(self) -> Difference:
        return (of_pairs if self.paired else of_groups)(self.a, self.b)

    @property
    def known(self) -> tuple[float, float, float]:
        """(median, low, high) by scipy, in the unit of the sentence."""
        if self.paired:
            middle, (low, high) = np.median(self.a - self.b), exact(self.a - self.b, 0.95)
        else:
            middle = np.median(self.a) - np.median(self.b)
            (low_a, high_a), (low_b, high_b) = (exact(one, 0.95**0.5) for one in (self.a, self.b))
            low, high = low_a - high_b, high_a - low_b
        scale = 100 if self.measure.share else 1
        return tuple(scale * value for value in (middle, low, high))


def exact(runs: np.ndarray, confidence: float) -> tuple[float, float]:
    """The interval of the median; without ends where there are too few runs."""
    found = stats.quantile_test(runs, p=0.5).confidence_interval(confidence)
    return (-np.inf, np.inf) if np.isnan(found.low) else (found.low, found.high)


def value(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def near(text: str, number: float) -> bool:
    """Whether a text is this number, rounded."""
    decimals = len(text.partition(".")[2])
    return abs(value(text) - number) <= 0.5 * 10**-decimals * (1 + 1e-6) + 1e-9 * abs(number)


def ahead(sign: int, *, paired: bool):
    def holds(here: Compared, match: re.Match) -> bool:
        middle, low, high = (sign * one for one in here.known)
        low, high = sorted((low, high))
        return here.paired == paired and low > 0 and told_by(match, here, (middle, low, high))

    return holds


def level(*, paired: bool):
    def holds(here: Compared, match: re.Match) -> bool:
        return here.paired == paired and here.known[1] <= 0 <= here.known[2] and told_by(match, here, here.known)

    return holds


def told_by(match: re.Match, here: Compared, numbers: Sequence[float]) -> bool:
    """Whether a sentence says these numbers, and of how many pairs."""
    first, *rest = match.groups()
    many = int(rest.pop(0)) if here.paired else 0
    rest = rest or ["inf", "inf"]
    ends = zip(rest, numbers[1:], strict=True)
    same = (np.isinf(number) if text == "inf" else near(text, number) for text, number in ends)
    return near(first, numbers[0]) and all(same) and (not here.paired or many == len(here.a) == len(here.b))


def every_run(sign: int):
    return lambda here, match: near(match[1], sign * here.known[0]) and np.ptp(here.a) == np.ptp(here.b) == 0


def rules(more: str, less: str, unit: str) -> Rules:
    """Those of a measure, by how it says that A has more of it, or less."""
    said = {more: 1, less: -1}
    alone, groups = "^With the same noise, ", "^Compared as two groups, "
    return {
        **{f"{alone}{how} \\({PAIRS}{ENDS}": ahead(sign, paired=True) for how, sign in said.items()},
        **{f"{groups}{how} \\({GROUP}{ENDS}": ahead(sign, paired=False) for how, sign in said.items()},
        rf"^No difference can be shown \({NUMBER}{unit}, {PAIRS}{ENDS}": level(paired=True),
        rf"{groups}no difference can be shown \({NUMBER}{unit}, {GROUP}{ENDS}": level(paired=False),
        rf"^No difference can be shown \({NUMBER}{unit}, {PAIRS}{TOO_FEW}": level(paired=True),
        rf"{groups}no difference can be shown \({NUMBER}{unit}, {GROUP}{TOO_FEW}": level(paired=False),
        r"^The [^.]* is equal in A and B in every run\.$": lambda here, _: (
            np.array_equal(here.a, here.b) or np.ptp(np.concatenate([here.a, here.b])) == 0
        ),
    }


SHARES = rules(
    rf"the accuracy is {NUMBER} points? higher in A", rf"the accuracy is {NUMBER} points? lower in A", " points?"
)
ERRORS = rules(
    rf"the RMSE on held-out rows is {NUMBER} higher in A", rf"the RMSE on held-out rows is {NUMBER} lower in A", ""
)
SURE = {
    rf"^The accuracy is {NUMBER} points? higher in A in every run\.$": every_run(1),
    rf"^The accuracy is {NUMBER} points? lower in A in every run\.$": every_run(-1),
}


def told(here: Compared, table: Rules) -> set[str]:
    """The rules that the sentence met; one of them, whatever it is about."""
    said = plain(sentence(here.found, here.measure))
    found = broken_by(said, here, table)
    assert len(found) == 1, said
    return found


def compared(a: Settings, b: Settings) -> Compared:
    mine, theirs = repeats(a, done=True), repeats(b, done=True)
    paired = a.pairs_with(b)
    return Compared((a, b), mine, theirs, a.MEASURES[a.compared], paired)


def near_by(kind: type, within: dict[str, Any], count: int, seed: int) -> list[tuple[Settings, Settings]]:
    """Random settings, each with others that differ in a few fields, or in none."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        a, other = (at_random(kind, rng, within) for _ in range(2))
        names = rng.choice(sorted(within), size=rng.integers(0, 3), replace=False)
        found.append((a, a.change(**{str(name): getattr(other, str(name)) for name in names})))
    return found


QUICK = {"repeats": (2, 16), "steps": (1, 40), "epsilon": (0.05, 10.0), "seed": (0, 2), "public_rows": (0, 20)}
CLASSIFIER = {
    **QUICK,
    "version": ["sound", "published", "none"],
    "dataset": ["gaussians", "moons"],
    "clip_norm": (0.1, 10.0),
}
REGRESSION = {
    "dataset": ["us", "brazil", "diabetes"],
    "repeats": (2, 16),
    "epsilon": (0.1, 30.0),
    "seed": (0, 3),
    "mechanism": ["gaussian", "adassp"],
}


def test_what_is_said_of_classifiers_is_so():
    start = ClassifierSettings()
    plain_one = start.change(version="none")
    sure = [(plain_one, plain_one.change(steps=1)), (plain_one.change(steps=1), plain_one), (start, start)]
    some = [
        (start, start.change(epsilon=0.05)),
        (start.change(epsilon=0.05), start),
        (start.change(epsilon=0.05), start.change(seed=9)),
        (start.change(seed=9), start.change(epsilon=0.05)),
        (start, start.change(seed=3)),
    ]
    table, met = SHARES | SURE, set()
    for a, b in [*sure, *some, *near_by(ClassifierSettings, CLASSIFIER, 60, 1)]:
        met |= told(compared(a, b), table)
    assert met == set(table)


def test_what_is_said_of_errors_is_so():
    start, met = RegressionSettings().change(repeats=8, mechanism="gaussian"), set()
    some = [
        (start, start.change(epsilon=0.1)),
        (start.change(epsilon=0.1), start),
        (start.change(seed=8), start.change(epsilon=0.1)),
        (start.change(epsilon=0.1), start.change(seed=8)),
        (start, start.change(seed=8)),
        (start, start),
    ]
    for a, b in [*some, *near_by(RegressionSettings, REGRESSION, 30, 2)]:
        met |= told(compared(a, b), ERRORS)
    assert met >= {one for one in ERRORS if "No difference" not in one}


@pytest.mark.parametrize("scale", [1e-9, 1e-5, 0.01, 1.0, 3000.0])
def test_numbers_as_shown_keep_what_is_said(scale):
    """No end looks like 0 or like the other one where it is not, however small or narrow the interval."""
    rng, measure = np.random.default_rng(3), Measure("RMSE on held-out rows", "lower", np.asarray)
    table = ERRORS | {r"in every run\.$": lambda here, _: here.found.sure}
    for _ in range(100):
        shift, common = rng.choice([0, 1e-6, 1e-3, 0.5, 3]), rng.choice([0, 0.9, 1 - 1e-9])
        a, b = rng.normal(size=(2, 8)) * np.sqrt(1 - common) + rng.normal(size=8) * np.sqrt(common)
        told(Compared(None, scale * (a + shift), scale * b, measure, bool(rng.integers(2))), table)


def test_a_difference_is_that_of_the_numbers_as_shown():
    a = [
        Number("Private model is right", "91 %", amount=91, unit="points"),
        Number("Nine runs in ten", "85 <small>to</small> 95\u00a0%"),
        Number("Attacker", '<b class="lab-odds">53\u00a0%</b>', amount=53.0),
    ]
    b = [
        Number("As published, right", "87.4\u00a0%", amount=87.4, unit="points"),
        Number("Nine runs in ten", "69 <small>to</small> 94\u00a0%"),
        Number("Epsilon really spent", "1,880", amount=1880.0),
    ]
    assert number_rows(a, b) == [
        ("Private model is right", "91", "87.4", "+3.6"),
        ("Nine runs in ten", "85–95", "69–94", ""),
        ("Attacker", "53", "–", ""),
    ]
    assert number_rows(a, a)[2] == ("Attacker", "53", "53", "0")
    assert number_rows(a[:1], []) == [("Private model is right", "91", "–", "")]
    assert apart("87.4", "90.6") == "−3.2"
    assert apart("52", "85.5") == "−33.5"
    assert apart("1,880", "1,880") == "0"


def test_table_has_heads_and_a_row_for_each_setting_that_differs():
    a, b = ClassifierSettings(epsilon=2.0), ClassifierSettings(dataset="moons")
    words = {"dataset": ("Data", "Two <moons>"), "epsilon": ("Epsilon", "2")}
    rows = settings_rows(a, b, lambda name, value: (words[name][0], f"<{value}>"))
    assert rows == [("Data", "<gaussians>", "<moons>", ""), ("Epsilon", "<2.0>", "<0.5>", "")]
    assert settings_rows(a, a, lambda *_: ("", "")) == []
    html = table(to_html(rows[:1]), to_html([("Middle run", "90.6", "87.4", "+3.2")]), "Said.", name="<mine>")
    assert "<td>&lt;gaussians&gt;</td><td>&lt;moons&gt;</td><td></td>" in html
    words = "A now B <mine> A − B Data <gaussians> <moons> Middle run 90.6 87.4 +3.2 Said."
    assert " ".join(plain(html).split()) == words
    assert (html.count('scope="row"'), html.count('scope="col"')) == (2, 3)


def test_sure_difference_of_less_than_a_point_does_not_matter():
    measure = ClassifierSettings.MEASURES[ClassifierSettings().compared]
    for median, said in (
        (0.005, "The difference is too small to matter"),
        (0.02, "With the same noise, the accuracy is"),
    ):
        found = Difference(median=median, low=median / 2, high=2 * median, pairs=20)
        assert sentence(found, measure, least=0.01).startswith(said)
