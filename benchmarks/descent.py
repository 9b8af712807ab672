"""Compare the errors of clipped gradient descent and of the other mechanisms for regression.

    make bench ARGS=descent

There is one table for each data set, and nothing is timed. A column is an epsilon, and a row is a
mechanism: its error on held-out rows over that of always predicting the mean, as the median of 100
releases. The row "behind the best" is the error of descent minus the least of the others.

The data sets are those of ``benchmarks.defaults`` from another seed, with other noise, and invented
incomes with a heavy tail. Descent takes its parameters from public numbers alone, by the rule of
``Descent``.
"""

import numpy as np

from benchmarks.defaults import DELTA, Problem, data_sets
from benchmarks.report import Line, Outcome, Print, row
from dpcore.estimators.linear import REGRESSIONS, mechanism
from dpcore.regression.functional import best_share
from lab.data import regression

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
SEED = 7
RELEASES = 100
LEAST_POINTS = 25
# Rows of the incomes, of which four fifths are private.
INCOMES = (2500, 25_000)
# Errors that differ by less are alike.
_ALIKE = 5e-4
_WIDTHS = (22, *(9 for _ in EPSILONS))


def run(*, rounds: int, say: Print) -> Outcome:
    """Print a table for each data set, and count the points at which descent is ahead."""
    del rounds
    ahead = 0
    points = 0
    for name, X, y in data_sets(SEED):
        differences = _compare(name, Problem(X, y), say)
        ahead += int((differences < _ALIKE).sum())
        points += len(differences)
    incomes = regression.load("us", seed=SEED)
    low, high = incomes.source.label_bounds
    for rows in INCOMES:
        labels = regression.scaled(incomes.y[:rows], low=low, top=high)
        _compare("incomes", Problem(incomes.X[:rows, 1:].astype(float), labels), say)
    line = Line(
        asked=f"descent at or ahead of the best other mechanism at {LEAST_POINTS} of {points}"
        " points, without incomes",
        measured=f"{ahead}",
        met=ahead >= LEAST_POINTS,
    )
    return Outcome(lines=[line])


def _compare(name: str, problem: Problem, say: Print) -> np.ndarray:
    """Print the errors on a data set, and return how far descent is behind, (E,)."""
    errors = {}
    for key in REGRESSIONS:
        chosen = mechanism(key, share=best_share(problem.inputs), delta=DELTA)
        errors[key] = problem.errors(chosen, EPSILONS, releases=RELEASES, seed=SEED)
    descent = errors.pop("descent")
    best = np.min(list(errors.values()), axis=0)
    least_squares = problem.least_squares_error()
    say(
        f"  {name}: {problem.rows:,} rows, {problem.inputs - 1} features, without privacy"
        f" {least_squares:.3f}"
    )
    say(row(["epsilon", *EPSILONS], _WIDTHS))
    table = {**errors, "descent": descent, "behind the best": descent - best}
    for label, values in table.items():
        say(row([label, *(f"{value:.3f}" for value in values)], _WIDTHS))
    return descent - best
