"""What the regression's page says, held against what was computed."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages.regression import charts
from pages.regression import texts as say
from pages.regression.settings import SPLITTERS, RegressionSettings
from tests import attackers, own_files, reached
from tests.claims import better, since, worse
from tests.sentences import Rules, amount, counts, first, hold, plain, says, tiles, titles

QUICK = {"dataset": ["diabetes", "us"], "rows": [50, 300, 296_000], "features": [2, 4, 10, 13]}
QUICK |= {"repeats": [2, 6, 8, 20], "seed": [0, 4], "label_top": [50.0, 200.0, 346.0]}
ONCE = [
    RegressionSettings(),
    RegressionSettings(mechanism="adassp", epsilon=100.0),
    RegressionSettings(mechanism="functional", split="own", share=0.5),
    RegressionSettings(mechanism="gaussian", epsilon=0.01, repeats=10),
    RegressionSettings(mechanism="output", epsilon=0.01, repeats=8),
    RegressionSettings(label_top=30.0, repeats=8),
    RegressionSettings()
    .change(dataset="diabetes")
    .change(features=2)
    .change(rows=50, repeats=8, seed=2),
]


def words(result) -> str:
    parts = [
        say.verdict(result),
        *tiles(say.numbers(result)),
        say.caption(result),
        *say.diagnostics(result),
    ]
    assert len(plain(say.verdict(result))) <= 300
    return " ".join([*parts, say.guarantee(result), *titles(charts.errors(result))])


def shown_gap(result) -> float:
    """The price, as the difference of the two numbers over the pictures."""
    private, exact = (
        amount(re.match(r"[\d.,e+]+", one.value)[0]) for one in say.numbers(result)[:2]
    )
    return private - exact


def middle(result) -> float:
    return float(np.median(result.fits.errors))


def exact(result) -> float:
    return result.least_squares_error


def baseline(result) -> float:
    return result.baseline


def failed(result) -> int:
    """Runs whose released quadratic does not curve up everywhere."""
    return (
        sum(np.linalg.eigvalsh(one)[0] <= 0 for one in result.fits.gram) if on_sums(result) else 0
    )


def on_sums(result, *_) -> bool:
    return result.fits.gram is not None


def published(result) -> bool:
    return result.settings.mechanism == "published"


def split(result) -> float:
    """How far the share is from the one with the least noise."""
    name = result.settings.mechanism
    return abs(result.settings.share_of(name) - SPLITTERS[name](result.problem.inputs))


def off(result) -> bool:
    return worse(
        result.fits.errors, result.least_squares_error, higher=False, constant=result.baseline
    )


def useful(result):
    found = dict(
        zip(result.settings.epsilons, result.curves[result.settings.mechanism].errors, strict=True)
    )
    return result.settings.epsilons, lambda place: better(
        found[place], result.baseline, higher=False
    )


RULES: Rules = {
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: attackers.close(r.guarantee, m[1]),
    r"Median RMSE: ([\d.,e+]+)": says(middle),
    r"Non-private RMSE: ([\d.,e+]+)": says(exact),
    r"baseline \(mean\): ([\d.,e+]*\d)": says(baseline),
    r"loss from privacy: ([\d.,e+]*\d)": says(shown_gap, given=off),
    r"no loss shown": lambda r, _: not off(r),
    r"no better than the baseline": lambda r, _: min(middle(r), exact(r)) >= baseline(r),
    r"90 % of runs: ([\d.,e+]+) to ([\d.,e+]*\d)": says(
        *(lambda r, q=q: np.quantile(r.fits.errors, q) for q in (0.05, 0.95))
    ),
    r"Privacy raises the median RMSE by ([\d.,e+]+) to ([\d.,e+]+) .*, from ([\d.,e+]+) for": says(
        shown_gap, middle, exact, given=off
    ),
    r"In (\d+) of (\d+) runs the noisy objective has no minimum": counts(
        failed, lambda r: len(r.fits.weights), given=lambda r: published(r) and failed(r)
    ),
    r"learnt nothing yet.*? (?:has|and) ([\d.,e+]*\d)": says(
        baseline, given=lambda r: middle(r) >= baseline(r)
    ),
    r"No loss can be shown in (\d+) runs": counts(
        lambda r: len(r.fits.errors), given=lambda r: not off(r)
    ),
    r"median RMSE is ([\d.,e+]*\d) ": says(middle),
    r"worst run has RMSE ([\d.,e+]*\d)": says(
        lambda r: r.fits.errors.max(), given=lambda r: r.fits.errors.max() > 3 * middle(r)
    ),
    r"In (\d+) of \d+ runs? the noise made the Hessian indefinite": counts(failed, given=failed),
    r"In none of \d+ runs did the noise make": lambda r, _: on_sums(r) and failed(r) == 0,
    r"exact accounting of the same noise gives epsilon ([\d.]*\d)": lambda r, m: (
        published(r) and float(m[1]) <= r.settings.epsilon * 1.005
    ),
    r"whether your row or another one was used": lambda r, _: (
        r.guarantee.adjacency == "replace-one"
    ),
    r"better than the baseline from epsilon ([\d.]*\d)": lambda r, m: since(
        *useful(r), amount(m[1])
    ),
}


def test_every_sentence_says_what_was_computed():
    seldom = attackers.rules(lambda r: r.guarantee)
    how = {
        "within": QUICK,
        "also": [one.experiment.run() for one in ONCE],
        "count": 50,
        "essential": True,
    }
    hold(RegressionSettings, words, RULES, seldom=seldom, harmless=("adds? noise",), **how)


def test_the_noise_on_the_sums_does_not_depend_on_how_many_people_there_are():
    for mechanism in ("published", "functional", "gaussian", "adassp"):
        how = {"mechanism": mechanism, "repair": "none", "epsilon": 1.0}
        few, many = (
            RegressionSettings(rows=rows, **how).experiment.run() for rows in (30_000, 290_000)
        )
        assert few.noise_sd == pytest.approx(many.noise_sd, rel=0.02)
        assert few.exact_least_eigenvalue < many.exact_least_eigenvalue / 5


@pytest.mark.parametrize("mechanism", ["published", "adassp"])
def test_the_method_beside_the_chosen_one_stays_while_epsilon_moves(mechanism):
    """It is the best of the others over all epsilons.

    At 0.01 and at 100, different ones are the best.
    """
    settings = RegressionSettings(mechanism=mechanism, repeats=20)
    results = [
        settings.change(epsilon=epsilon).experiment.run()
        for epsilon in (0.01, 0.1, 1.0, 10.0, 100.0)
    ]

    assert len({result.best_alternative for result in results}) == 1

    curves = results[0].curves
    others = [name for name in curves if name != mechanism]
    medians = np.array([np.median(curves[name].errors, axis=1) for name in others])
    assert len({*medians.argmin(axis=0).tolist()}) > 1


def test_every_text_is_reached():
    person = replace(own_files.NUMBER, person="hours", columns=own_files.COLUMNS[::2])
    roles = (
        own_files.NUMBER,
        replace(own_files.NUMBER, gaps=False),
        person,
        replace(person, rows_each=2),
    )
    own = [own_files.settings("regression", one) for one in roles]
    for settings in [*ONCE, *own, own[0].change(rows=100, mechanism="descent")]:
        words(result := first(settings))
    say.table(result), say.coefficients_table(result)
    assert reached.unread(say.SAYS) == []
