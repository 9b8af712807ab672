"""Time regressions in one array operation, redraws on many rows, and noisy Frank-Wolfe.

    make bench ARGS=regression

Fits: every method of the page at 12 epsilons with 50 repeats, on 296,000 private rows with 13
features. A row of the table is a method.

- *ours*: the lab. *loop*: plain numpy, one model at a time from the same statistics, the descent
  from the rows. *rows*: the same loop, which forms X^T X and X^T y from the rows for every model. A
  few models of the loops are timed and scaled up. Standard draws are made before the clock starts.

Redraws: another epsilon on the finished page, with 296,000 private rows next to 400. The columns
are the seconds on many rows, on few rows, and their ratio. The first row has the tasks of each
method that reads statistics alone, and the second one the charts and sentences too. The row
"statistics, once" has the seconds for the statistics of the rows.

Frank-Wolfe: 4 epsilons with 20 repeats, with the steps and the noise of the transfer page.

- *ours*: the lab. *loop*: one model at a time. *floor*: the matrix products alone, in the
  quickest of several arrangements.

The columns are medians over the rounds, and ratios are taken within a round. Fits are in double
precision, products of the descent and Frank-Wolfe in float32, on one core. All must first reach the
same weights with the same noise.
"""

from collections.abc import Callable, Mapping

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import frank_wolfe_contenders, regression_contenders
from benchmarks.contenders import Training, times_by_round
from benchmarks.report import (
    Line,
    Outcome,
    Print,
    at_most,
    duration,
    factor,
    median_text,
    row,
)
from dpcore.estimators.linear import REGRESSIONS
from dpcore.regression.least_squares import Statistics
from pages.regression import charts, texts
from pages.regression.settings import RegressionSettings

# How far apart weights may be, of the size of the weights: double precision, other orders of
# summation. The rows of the descent, and its products, are in single precision.
TOLERANCE = 1e-9
DESCENT_TOLERANCE = 1e-4
# Models of each method that are compared with those fitted from the rows.
COMPARED = (0, 301, 599)
FROM_STATISTICS = [name for name in REGRESSIONS if name != "descent"]
FIT_COLUMNS = ("", "ours", "loop*", "rows*", "loop/ours", "rows/ours")
WIDTHS = (24, 9, 9, 9, 10, 10)

FEW_ROWS = 400
SLOWER_AT_MOST = 1.5
# Redraws are short, and other programs disturb a single one.
REDRAWS_A_ROUND = 3
EPSILON_STEP = 1.01
LEAST_EPSILON = 0.02
MOST_EPSILON = 50
CHARTS = (charts.errors, charts.lines, charts.coefficients)
TEXTS = (texts.numbers, texts.verdict, texts.diagnostics, texts.guarantee)

FRANK_WOLFE_CASES = (
    frank_wolfe_contenders.Case(rows=1000, features=20),
    frank_wolfe_contenders.Case(rows=5000, features=20),
    frank_wolfe_contenders.Case(rows=5000, features=50),
)
FRANK_WOLFE_COLUMNS = ("", "ours", "floor", "loop", "ours/floor", "loop/ours")

# Contender -> seconds by round.
Seconds = Mapping[str, np.ndarray]


def run(*, rounds: int, say: Print) -> Outcome:
    """Measure fits, redraws and Frank-Wolfe, one after the other."""
    # As in the app, the linear algebra has one thread.
    with threadpool_limits(1, user_api="blas"):
        lines = _fits(rounds=rounds, say=say)
        lines += _redraws(rounds=rounds, say=say)
        first_case, *_ = FRANK_WOLFE_CASES
        for case in FRANK_WOLFE_CASES:
            work = frank_wolfe_contenders.Work(case)
            if case == first_case:
                say(
                    f"  Frank-Wolfe: {work.models} models, {case.repeats} at each epsilon of"
                    f" {case.epsilons}"
                )
                say(row(FRANK_WOLFE_COLUMNS, WIDTHS))
            lines.append(_frank_wolfe(work, rounds=rounds, say=say))
    return Outcome(lines=lines)


def _fits(*, rounds: int, say: Print) -> list[Line]:
    """Print the seconds of all fits, and require the same weights of all contenders."""
    work = regression_contenders.Work()
    say(
        f"  fits: {work.models} models of each method, medians of {rounds} rounds; * a few models,"
        " scaled up"
    )
    say(row(FIT_COLUMNS, WIDTHS))
    to_loop = {}
    to_rows = {}
    for name in REGRESSIONS:
        to_loop[name] = regression_contenders.disagreement(work, name, range(work.models))
        to_rows[name] = regression_contenders.disagreement(work, name, COMPARED, rows=True)
    totals = {name: np.zeros(rounds) for name in ("ours", "loop", "rows")}
    for name in REGRESSIONS:
        seconds = _fit_times(work, name, rounds=rounds)
        for contender, values in seconds.items():
            totals[contender] += values
        say(_fit_row(name, seconds))
    say(_fit_row("all methods", totals))
    methods = len(REGRESSIONS)
    return [
        _sameness(
            f"fits: the same noise, the same weights of all {methods * work.models} models as the"
            " loop",
            to_loop,
        ),
        _sameness(
            f"fits: the same noise, the same weights of {methods * len(COMPARED)} models as the"
            " rows",
            to_rows,
        ),
    ]


def _fit_times(work: regression_contenders.Work, name: str, *, rounds: int) -> Seconds:
    """Return the seconds of all models of one method."""
    contenders: dict[str, tuple[int, Callable[[int], Training]]] = {
        "ours": (1, lambda _: regression_contenders.ours(work, name)),
        "loop": (work.models, lambda model: regression_contenders.loop(work, name, model)),
        "rows": (
            work.models,
            lambda model: regression_contenders.loop(work, name, model, rows=True),
        ),
    }
    return times_by_round(contenders, rounds=rounds, models=work.models)


def _fit_row(label: str, seconds: Seconds) -> str:
    """Return the median seconds of one method, and their ratios within a round."""
    cells = [
        label,
        median_text(seconds["ours"], duration),
        median_text(seconds["loop"], duration),
        median_text(seconds["rows"], duration),
        median_text(seconds["loop"] / seconds["ours"], factor),
        median_text(seconds["rows"] / seconds["ours"], factor),
    ]
    return row(cells, WIDTHS)


def _sameness(asked: str, differences: Mapping[str, float]) -> Line:
    """Require that relative differences of weights are within the tolerances."""
    met = True
    for name, difference in differences.items():
        tolerance = TOLERANCE
        if name == "descent":
            tolerance = DESCENT_TOLERANCE
        met = met and difference <= tolerance
    return Line(
        asked=f"{asked}, within {TOLERANCE:g}, descent within {DESCENT_TOLERANCE:g}",
        measured=", ".join(f"{name} {value:.0e}" for name, value in differences.items()),
        met=met,
    )


class Page:
    """A finished regression page of each method, which is redrawn at one epsilon after another."""

    def __init__(self, settings: RegressionSettings):
        self.epsilon = settings.epsilon
        self.settings = [settings.change(mechanism=name) for name in FROM_STATISTICS]
        self.outcomes = []
        for settings_of_method in self.settings:
            tasks = settings_of_method.experiment.tasks()
            self.outcomes.append({task: task.run() for task in tasks})

    def redraw(self, *, with_charts: bool) -> None:
        """Compute every method once at the next epsilon, and with it all that the page shows."""
        self.epsilon *= EPSILON_STEP
        if self.epsilon > MOST_EPSILON:
            self.epsilon = LEAST_EPSILON
        for settings, outcomes in zip(self.settings, self.outcomes, strict=True):
            experiment = settings.change(epsilon=self.epsilon).experiment
            essential = [task for task in experiment.tasks() if task.essential]
            result = experiment.gather({**outcomes, **{task: task.run() for task in essential}})
            if not with_charts:
                continue
            for make in (*CHARTS, *TEXTS):
                make(result)
            if result.fits.least_eigenvalues is not None:
                charts.objective(result, result.fits.least_eigenvalues)


def _redraws(*, rounds: int, say: Print) -> list[Line]:
    """Print the seconds of redraws, and require that they do not grow with the rows."""
    settings = RegressionSettings()
    all_rows = settings.source.rows
    many = Page(settings)
    few = Page(settings.change(rows=FEW_ROWS))
    work = regression_contenders.Work(settings)
    contenders: dict[str, tuple[int, Callable[[int], Callable]]] = {
        "many rows": (1, lambda _: lambda: many.redraw(with_charts=False)),
        "few rows": (1, lambda _: lambda: few.redraw(with_charts=False)),
        "many rows, charts": (1, lambda _: lambda: many.redraw(with_charts=True)),
        "few rows, charts": (1, lambda _: lambda: few.redraw(with_charts=True)),
        "statistics": (1, lambda _: lambda: Statistics.of(work.X, work.y)),
    }
    seconds = times_by_round(contenders, rounds=REDRAWS_A_ROUND * rounds, models=1)

    methods = len(FROM_STATISTICS)
    say(f"  redraw, the mean of {methods} methods: {all_rows:,} rows, {FEW_ROWS} rows, ratio")
    lines = []
    for label, suffix in (("essential work", ""), ("pictures and words too", ", charts")):
        of_many = seconds[f"many rows{suffix}"]
        of_few = seconds[f"few rows{suffix}"]
        cells = [
            label,
            median_text(of_many / methods, duration),
            median_text(of_few / methods, duration),
            median_text(of_many / of_few, factor),
            "",
            "",
        ]
        say(row(cells, WIDTHS))
        asked = f"redraw, {label}: {all_rows:,} rows over {FEW_ROWS}"
        lines.append(at_most(asked, SLOWER_AT_MOST, of_many / of_few))
    once = median_text(seconds["statistics"], duration)
    say(row(["  statistics, once", once, "", "", "", ""], WIDTHS))
    return lines


def _frank_wolfe(work: frank_wolfe_contenders.Work, *, rounds: int, say: Print) -> Line:
    """Print the seconds of one case, and require the same weights as the loop."""
    differences = {}
    for label, noisy in (("without noise", False), ("with noise", True)):
        of_models = frank_wolfe_contenders.disagreement(work, noisy=noisy)
        differences[label] = float(of_models.max())
    batch = frank_wolfe_contenders.ours(work)
    floor = frank_wolfe_contenders.quickest_floor(work)

    def train_by_loop() -> None:
        """Train every model. Their steps differ, so that none stands for the others."""
        for model in range(work.models):
            frank_wolfe_contenders.loop(work, model)()

    contenders: dict[str, tuple[int, Callable[[int], Callable]]] = {
        "ours": (1, lambda _: batch),
        "floor": (1, lambda _: floor),
        "loop": (1, lambda _: train_by_loop),
    }
    seconds = times_by_round(contenders, rounds=rounds, models=1)
    cells = [
        work.case,
        median_text(seconds["ours"], duration),
        median_text(seconds["floor"], duration),
        median_text(seconds["loop"], duration),
        median_text(seconds["ours"] / seconds["floor"], factor),
        median_text(seconds["loop"] / seconds["ours"], factor),
    ]
    say(row(cells, WIDTHS))
    return _sameness(
        f"Frank-Wolfe, {work.case}: the same weights of all {work.models} models as the loop",
        differences,
    )
