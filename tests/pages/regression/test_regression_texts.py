"""Texts of the regression page, checked against the numbers that they are about."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from pages.regression import charts, texts
from pages.regression.settings import SPLITTERS, RegressionSettings
from tests import attackers, own_files, reached
from tests.claims import better, since, worse
from tests.sentences import Rules, amount, counts, first, hold, plain, says, tiles, titles

# Values of random settings that run quickly.
QUICK = {
    "dataset": ["diabetes", "us"],
    "rows": [50, 300, 296_000],
    "features": [2, 4, 10, 13],
    "repeats": [2, 6, 8, 20],
    "seed": [0, 4],
    "label_top": [50.0, 200.0, 346.0],
}
FEW_ROWS = RegressionSettings(mechanism="published").change(dataset="diabetes", features=2)
# Settings that together reach every text about data of the lab.
CASES = [
    RegressionSettings(),
    RegressionSettings(mechanism="published", epsilon=0.2),
    RegressionSettings(mechanism="adassp", epsilon=100.0),
    RegressionSettings(mechanism="functional", tuning="own", share=0.5),
    RegressionSettings(tuning="own", clip_norm=1.0, steps=20, radius=1.0, repeats=8),
    RegressionSettings(mechanism="gaussian", epsilon=0.01, repeats=10),
    RegressionSettings(mechanism="output", epsilon=0.01, repeats=8),
    RegressionSettings(label_top=30.0, repeats=8),
    FEW_ROWS.change(rows=50, repeats=8, seed=2),
]
LONGEST_VERDICT = 300


def all_texts(result) -> str:
    """Return what the page says of a result, without its tables. Its verdict must be short."""
    verdict = texts.verdict(result)
    assert len(plain(verdict)) <= LONGEST_VERDICT
    parts = [
        verdict,
        *tiles(texts.numbers(result)),
        texts.caption(result),
        *texts.diagnostics(result),
        texts.guarantee(result),
        *titles(charts.errors(result)),
    ]
    return " ".join(parts)


# Numbers and conditions of the rules


def shown_loss(result) -> float:
    """Return the difference of the private and the non-private error as the tiles show them."""
    values = []
    for tile in texts.numbers(result)[:2]:
        values.append(amount(re.match(r"[\d.,e+]+", tile.value)[0]))
    return values[0] - values[1]


def median_error(result) -> float:
    """Return the median error of the private fits."""
    return float(np.median(result.fits.errors))


def least_squares_error(result) -> float:
    """Return the error of least squares without privacy."""
    return result.least_squares_error


def baseline(result) -> float:
    """Return the error of always predicting the mean."""
    return result.baseline


def repeats(result) -> int:
    """Return the number of private fits."""
    return len(result.fits.errors)


def error_quantile(share: float) -> Callable:
    """Return the function of a result that gives a quantile of the private fits' errors."""
    return lambda result: np.quantile(result.fits.errors, share)


def without_minimum(result) -> int:
    """Return the number of fits whose released quadratic does not curve up everywhere."""
    if not releases_quadratic(result):
        return 0
    return sum(np.linalg.eigvalsh(gram)[0] <= 0 for gram in result.fits.gram)


def releases_quadratic(result) -> bool:
    """Return whether the mechanism releases a noisy X^T X."""
    return result.fits.gram is not None


def is_published(result) -> bool:
    """Return whether the mechanism is the published one."""
    return result.settings.mechanism == "published"


def published_fails(result) -> bool:
    """Return whether a fit of the published mechanism has no minimum."""
    return is_published(result) and without_minimum(result) > 0


def is_unlearnt(result) -> bool:
    """Return whether the median error is no lower than that of always predicting the mean."""
    return median_error(result) >= result.baseline


def loses(result) -> bool:
    """Return whether the private fits are shown to be worse than least squares."""
    return worse(
        result.fits.errors, result.least_squares_error, higher=False, constant=result.baseline
    )


def descends_by_hand(result) -> bool:
    """Return whether the mechanism is descent with options set by hand."""
    return result.settings.tuning == "own" and result.settings.mechanism == "descent"


def splits_by_hand(result) -> bool:
    """Return whether the mechanism splits epsilon, by a share set by hand."""
    return result.settings.tuning == "own" and result.settings.mechanism in SPLITTERS


def rule_of(result):
    """Return the chosen mechanism as the rule sets it."""
    settings = result.settings.change(tuning="rule")
    return settings.mechanism_of(settings.mechanism)


def public(result) -> dict[str, float]:
    """Return the public numbers that the rule of descent reads."""
    settings = result.settings
    problem = settings.problem
    return {
        "epsilon": settings.remaining_epsilon,
        "inputs": problem.inputs,
        "rows": problem.most_rows,
    }


def rule_clip_norm(result) -> float:
    """Return the clipping norm of the rule, within the range of the slider."""
    clip_norm = rule_of(result).chosen_clip_norm(**public(result))
    return min(max(clip_norm, 0.01), 10)


def rule_steps(result) -> int:
    """Return the number of steps of the rule."""
    return rule_of(result).steps


def rule_radius(result) -> float:
    """Return the radius of the rule."""
    return rule_of(result).chosen_radius(**public(result))


def rule_share(result) -> float:
    """Return the share of epsilon that the rule spends on the quadratic."""
    return rule_of(result).share


def loses_little(result) -> bool:
    """Return whether more runs than by chance are worse than least squares, by less than 1 %."""
    errors = result.fits.errors
    worse_runs = int((errors > result.least_squares_error).sum())
    is_sure = binomtest(worse_runs, len(errors), alternative="greater").pvalue <= 0.025
    return is_sure and not loses(result)


def is_useful_from(result, match) -> bool:
    """Return whether the fits are shown to be below the baseline from an epsilon on."""
    epsilons = result.settings.epsilons
    errors = result.curves[result.settings.mechanism]

    def is_useful(epsilon: float) -> bool:
        """Return whether the fits at this epsilon are shown to be below the baseline."""
        return better(errors[epsilons.index(epsilon)], result.baseline, higher=False)

    return since(epsilons, is_useful, amount(match[1]))


RULES: Rules = {
    # Tiles
    r"Attacker right, at most:? ([\d.]+)": lambda r, m: attackers.close(r.guarantee, m[1]),
    r"Median RMSE: ([\d.,e+]+)": says(median_error),
    r"Non-private RMSE: ([\d.,e+]+)": says(least_squares_error),
    r"baseline \(mean\): ([\d.,e+]*\d)": says(baseline),
    r"cost of privacy: ([\d.,e+]*\d)": says(shown_loss, given=loses),
    r"cost of privacy: below 1 %": lambda r, _: loses_little(r),
    r"no cost of privacy shown": lambda r, _: not loses(r) and not loses_little(r),
    r"no better than a constant baseline": lambda r, _: (
        min(median_error(r), least_squares_error(r)) >= baseline(r)
    ),
    r"90 % of runs: ([\d.,e+]+) to ([\d.,e+]*\d)": says(error_quantile(0.05), error_quantile(0.95)),
    # Verdict
    r"Privacy raises the median RMSE by ([\d.,e+]+) to ([\d.,e+]+) .*, from ([\d.,e+]+) for": says(
        shown_loss, median_error, least_squares_error, given=loses
    ),
    r"In (\d+) of (\d+) runs the noisy objective has no minimum": counts(
        without_minimum, repeats, given=published_fails
    ),
    r"learnt nothing yet.*?without privacy has ([\d.,e+]*\d), and always predicting the mean has"
    r" ([\d.,e+]*\d)": says(least_squares_error, baseline, given=is_unlearnt),
    r"raises the median RMSE by less than 1 % to ([\d.,e+]+) .*, from ([\d.,e+]+) for": says(
        median_error, least_squares_error, given=loses_little
    ),
    r"No cost of privacy can be shown in (\d+) runs": counts(
        repeats, given=lambda r: not loses(r) and not loses_little(r)
    ),
    r"median RMSE is ([\d.,e+]*\d) ": says(median_error),
    # Explanation
    r"In (\d+) of \d+ runs? the noise made the Hessian indefinite": counts(
        without_minimum, given=without_minimum
    ),
    r"In none of \d+ runs did the noise make": lambda r, _: (
        releases_quadratic(r) and without_minimum(r) == 0
    ),
    r"The rule would choose: clipping norm ([\d.]+), steps (\d+), radius ([\d.]*\d)": says(
        rule_clip_norm, rule_steps, rule_radius, given=descends_by_hand, rel=0.06
    ),
    r"The rule would choose: share for the quadratic ([\d.]*\d)": says(
        rule_share, given=splits_by_hand, rel=0.03
    ),
    # Guarantee
    r"exact accounting of the same noise gives epsilon ([\d.]*\d)": lambda r, m: (
        is_published(r) and float(m[1]) <= r.settings.epsilon * 1.005
    ),
    r"whether your row or another one was used": lambda r, _: (
        r.guarantee.adjacency == "replace-one"
    ),
    # Chart
    r"better than the baseline from epsilon ([\d.]*\d)": is_useful_from,
}


def test_every_sentence_is_true_of_its_result():
    hold(
        RegressionSettings,
        all_texts,
        RULES,
        within=QUICK,
        also=[settings.experiment.run() for settings in CASES],
        count=50,
        essential=True,
        seldom=attackers.rules(lambda r: r.guarantee),
        harmless=("adds? noise", "cost of privacy: below 1 %"),
    )


def test_every_text_is_reached():
    whole_person = replace(own_files.NUMBER, person="hours", columns=own_files.COLUMNS[::2])
    file = own_files.settings("regression", own_files.NUMBER)
    uploaded = [
        file,
        file.change(rows=100, mechanism="descent"),
        own_files.settings("regression", replace(own_files.NUMBER, gaps=False)),
        own_files.settings("regression", whole_person),
        own_files.settings("regression", replace(whole_person, rows_each=2)),
    ]

    for settings in [*CASES, *uploaded]:
        result = first(settings)
        all_texts(result)
    texts.table(result)

    assert reached.unread(texts.SAYS) == []


@pytest.mark.parametrize("mechanism", ["published", "functional", "gaussian", "adassp"])
def test_noise_does_not_depend_on_the_number_of_rows(mechanism):
    settings = RegressionSettings(mechanism=mechanism, epsilon=1.0)

    few = settings.change(rows=30_000).experiment.run()
    many = settings.change(rows=290_000).experiment.run()

    assert few.noise_sd == pytest.approx(many.noise_sd, rel=0.02)
    assert few.exact_least_eigenvalue < many.exact_least_eigenvalue / 5


@pytest.mark.parametrize("mechanism", ["published", "adassp"])
def test_best_alternative_stays_while_epsilon_moves(mechanism):
    """It is the best over all epsilons, though the best at each epsilon differ."""
    settings = RegressionSettings(mechanism=mechanism, repeats=20)

    results = []
    for epsilon in (0.01, 0.1, 1.0, 10.0, 100.0):
        results.append(settings.change(epsilon=epsilon).experiment.run())

    assert len({result.best_alternative for result in results}) == 1
    curves = results[0].curves
    others = [name for name in curves if name != mechanism]
    medians = np.array([np.median(curves[name], axis=1) for name in others])
    best_at_each_epsilon = medians.argmin(axis=0)
    assert len(np.unique(best_at_each_epsilon)) > 1
