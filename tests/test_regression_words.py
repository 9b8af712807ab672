"""What the regression's page says, held against what was computed."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages.regression import words as say
from pages.regression.experiment import RegressionSettings
from pages.regression.parameters import SPLITTERS
from tests import attackers, own_files, reached
from tests.claims import worse
from tests.sentences import Rules, first, hold, plain

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
    return " ".join([*parts, say.guarantee(result)])


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
    r"Median RMSE: ([\d.,e+]+)": lambda r, m: close(m[1], middle(r)),
    r"Non-private RMSE: ([\d.,e+]+)": lambda r, m: close(m[1], r.least_squares),
    r"baseline \(mean\): ([\d.,e+]*\d)": lambda r, m: close(m[1], r.mean_error),
    r"loss from privacy: ([\d.,e+]*\d)": lambda r, m: close(m[1], shown_gap(r)) and middle(r) > r.least_squares,
    r"no loss shown": lambda r, _: not off(r),
    r"no better than the baseline": lambda r, _: min(middle(r), r.least_squares) >= r.mean_error,
    r"90 % of runs: ([\d.,e+]+) to ([\d.,e+]+) \.": lambda r, m: all(
        close(text, value) for text, value in zip(m.groups(), np.quantile(r.focus.errors, [0.05, 0.95]), strict=True)
    ),
    r"Privacy raises the median RMSE by ([\d.,e+]+) .* to ([\d.,e+]+), from ([\d.,e+]+) for": lambda r, m: (
        close(m[1], shown_gap(r)) and close(m[2], middle(r)) and close(m[3], r.least_squares) and off(r)
    ),
    r"In (\d+) of (\d+) runs the noisy objective has no minimum": lambda r, m: (
        int(m[1]) == failed(r) > 0 and int(m[2]) == len(r.focus.weights) and r.settings.mechanism == "published"
    ),
    r"learnt nothing yet.*? (?:has|and) ([\d.,e+]*\d)": lambda r, m: (
        middle(r) >= r.mean_error and close(m[1], r.mean_error)
    ),
    r"neither has least squares": lambda r, _: r.least_squares >= r.mean_error,
    r"No loss can be shown in (\d+) runs": lambda r, m: int(m[1]) == len(r.focus.errors) and not off(r),
    r"median RMSE is ([\d.,e+]*\d) ": lambda r, m: close(m[1], middle(r)),
    r"Lighter is a smaller value": lambda r, _: on_sums(r),
    r"worst run has RMSE ([\d.,e+]*\d)": lambda r, m: (
        close(m[1], r.focus.errors.max()) and r.focus.errors.max() > 3 * middle(r)
    ),
    r"In (\d+) of (\d+) runs? the noise made the Hessian indefinite": lambda r, m: int(m[1]) == failed(r) > 0,
    r"In none of \d+ runs did the noise make": lambda r, _: on_sums(r) and failed(r) == 0,
    r"is the same for any number of people": lambda r, _: on_sums(r),
    r"the share with the least noise": lambda r, _: abs(np.subtract(*share(r))) < 0.005,
    r"noise would be least with": lambda r, _: abs(np.subtract(*share(r))) >= 0.005,
    r"Noise is added to the fitted coefficients": lambda r, _: r.settings.mechanism == "output",
    r"sixty noisy gradient steps": lambda r, _: r.settings.mechanism == "descent",
    r"clips [\d.]+ % of the labels": lambda r, _: r.cut > 0.001,
    r"exact accounting of the same noise gives epsilon ([\d.]*\d)": lambda r, m: (
        r.settings.mechanism == "published" and float(m[1]) <= r.settings.epsilon * 1.005
    ),
    r"fails here although its guarantee holds": lambda r, _: r.settings.mechanism == "published" and failed(r) > 0,
    r"whether your row or another one was used": lambda r, _: r.guarantee.adjacency == "replace-one",
}


def test_every_sentence_says_what_was_computed():
    hold(
        RegressionSettings,
        words,
        RULES,
        within=QUICK,
        also=ONCE,
        count=40,
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


def test_every_text_is_reached():
    person = replace(own_files.NUMBER, person="hours", columns=own_files.COLUMNS[::2])
    roles = (own_files.NUMBER, replace(own_files.NUMBER, gaps=False), person, replace(person, rows_each=2))
    own = [own_files.settings("regression", one) for one in roles]
    for settings in [*ONCE, *own, own[0].change(rows=100, mechanism="descent")]:
        result = first(settings)
        words(result)
        if settings.dataset == "own":
            say.caption(result)
    say.table(result)
    say.coefficients_table(result)
    assert reached.unread(say.SAYS) == []
