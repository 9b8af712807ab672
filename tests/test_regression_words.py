"""What the regression's page says, held against what was computed."""

import re

import numpy as np
import pytest

from pages.regression import words as say
from pages.regression.experiment import SPLITTERS, RegressionSettings
from tests import attackers
from tests.claims import worse
from tests.sentences import Rules, hold, plain

QUICK = {
    "dataset": ["diabetes", "us"],
    "repeats": [2, 6, 8],
    "rows": [50, 300, 296_000],
    "features": [2, 4, 10, 13],
    "seed": [0, 4],
    "label_top": [50.0, 200.0, 346.0],
}
ONCE = [
    RegressionSettings(),
    RegressionSettings(mechanism="adassp", epsilon=100.0),
    RegressionSettings(mechanism="functional", split="own", share=0.5),
    RegressionSettings(mechanism="gaussian", epsilon=0.01, repeats=10, draw=1),
    RegressionSettings(mechanism="output", epsilon=0.01, repeats=8, draw=1),
    RegressionSettings(mechanism="gaussian", epsilon=100.0, repeats=8, draw=1),
    RegressionSettings(mechanism="published", epsilon=100.0, features=2, feature=0, across=0, up=1),
    RegressionSettings(label_top=30.0, repeats=8, draw=1),
    RegressionSettings().change(dataset="diabetes").change(features=2).change(rows=50, repeats=8, draw=1, seed=2),
]


def words(result) -> str:
    parts = [say.verdict(result), *numbers(result), say.caption(result), *say.diagnostics(result)]
    assert len(plain(say.verdict(result))) <= 300
    return " ".join([*parts, say.guarantee(result), *(alt(result) for alt in say.ALTS.values())])


def numbers(result) -> list[str]:
    return [f"{one.label}: {one.value} {one.note}." for one in say.numbers(result)]


def shown_gap(result) -> float:
    """The price, as the difference of the two numbers over the pictures."""
    private, exact = (re.match(r"[\d.,e+]+", one.value)[0] for one in say.numbers(result)[:2])
    return float(private.replace(",", "")) - float(exact.replace(",", ""))


def middle(result) -> float:
    return float(np.median(result.focus.errors))


def failed(result) -> int:
    """Runs whose released quadratic does not curve up everywhere."""
    if result.focus.gram is None:
        return 0
    return sum(np.linalg.eigvalsh(one)[0] <= 0 for one in result.focus.gram)


def on_sums(result) -> bool:
    return result.focus.gram is not None


def share(result) -> tuple[float, float]:
    name = result.settings.mechanism
    return result.settings.share_of(name), SPLITTERS[name](result.problem.inputs)


def off(result) -> bool:
    return worse(result.focus.errors, result.least_squares, higher=False, constant=result.mean_error)


def close(text: str, value: float) -> bool:
    return float(text.replace(",", "")) == pytest.approx(value, rel=0.006)


RULES: Rules = {
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: attackers.close(r.guarantee, m[1]),
    r"Middle run is off by: ([\d.,e+]+)": lambda r, m: close(m[1], middle(r)),
    r"Without privacy: ([\d.,e+]+)": lambda r, m: close(m[1], r.least_squares),
    r"(?:always|saying) the mean: ([\d.,e+]*\d)": lambda r, m: close(m[1], r.mean_error),
    r"price: ([\d.,e+]*\d)": lambda r, m: close(m[1], shown_gap(r)) and middle(r) > r.least_squares,
    r"no cost shown": lambda r, _: not off(r),
    r"no better than a constant baseline": lambda r, _: min(middle(r), r.least_squares) >= r.mean_error,
    r"Nine runs in ten: ([\d.,e+]+) to ([\d.,e+]+) \.": lambda r, m: all(
        close(text, value) for text, value in zip(m.groups(), np.quantile(r.focus.errors, [0.05, 0.95]), strict=True)
    ),
    r"Privacy costs ([\d.,e+]+) ": lambda r, m: (
        close(m[1], shown_gap(r)) and r.least_squares < middle(r) < r.mean_error
    ),
    r"the middle run is off by ([\d.,e+]+)": lambda r, m: close(m[1], middle(r)),
    r"instead of ([\d.,e+]+) ": lambda r, m: close(m[1], r.least_squares),
    r"In (\d+) runs? of (\d+) the noisy quadratic has no minimum": lambda r, m: (
        int(m[1]) == failed(r) > 0 and int(m[2]) == len(r.focus.weights) and r.settings.mechanism == "published"
    ),
    r"learnt nothing yet": lambda r, _: middle(r) >= r.mean_error,
    r"even least squares only": lambda r, _: r.least_squares >= r.mean_error,
    r"No cost can be shown in (\d+) runs": lambda r, m: int(m[1]) == len(r.focus.errors) and not off(r),
    r"median error ([\d.,e+]+) \S+ with privacy": lambda r, m: close(m[1], middle(r)),
    r"red: less": lambda r, _: on_sums(r),
    r"errors have no bound and may have no mean": lambda r, _: r.focus.errors.max() > 3 * middle(r),
    r"In (\d+) of (\d+) runs? the noise turned a direction over": lambda r, m: int(m[1]) == failed(r) > 0,
    r"In none of the \d+ runs did the noise turn": lambda r, _: on_sums(r) and failed(r) == 0,
    r"same size however many people": lambda r, _: on_sums(r),
    r"where the noise is least": lambda r, _: abs(np.subtract(*share(r))) < 0.005,
    r"noise would be least with": lambda r, _: abs(np.subtract(*share(r))) >= 0.005,
    r"Noise is added to the fitted model": lambda r, _: r.settings.mechanism == "output",
    r"Sixty noisy steps": lambda r, _: r.settings.mechanism == "descent",
    r"cuts [\d.]+ in 100 labels": lambda r, _: r.cut > 0.001,
    r"counted exactly, the same noise gives epsilon ([\d.]*\d)": lambda r, m: (
        r.settings.mechanism == "published" and float(m[1]) <= r.settings.epsilon * 1.005
    ),
    r"not the promise but the answer": lambda r, _: r.settings.mechanism == "published" and failed(r) > 0,
    r"whether your row or another one was used": lambda r, _: r.guarantee.adjacency == "replace-one",
    r"downward directions: (\d+)": lambda r, m: (
        int(m[1]) == (np.linalg.eigvalsh(r.focus.gram[r.settings.draw - 1]) <= 0).sum()
    ),
}


def test_every_sentence_says_what_was_computed():
    hold(
        RegressionSettings,
        words,
        RULES,
        within=QUICK,
        also=ONCE,
        count=200,
        essential=True,
        seldom=attackers.rules(lambda r: r.guarantee),
    )


@pytest.mark.parametrize("mechanism", ["published", "functional", "gaussian", "adassp"])
def test_the_noise_on_the_sums_does_not_depend_on_how_many_people_there_are(mechanism):
    few, many = (
        RegressionSettings(mechanism=mechanism, rows=rows, repair="none", epsilon=1.0).run()
        for rows in (30_000, 290_000)
    )
    assert few.noise_sd == pytest.approx(many.noise_sd, rel=0.02)
    assert few.weakest < many.weakest / 5
