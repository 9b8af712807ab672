"""Time regressions in one array operation, redraws on many rows, and noisy Frank-Wolfe.

    make bench ARGS=regression

Fits: every method of the page at 12 epsilons with 50 repeats, on 296,000 private rows with 13
features.

- *ours*: the lab. *loop*: plain numpy, one model at a time from the same statistics, the descent
  from the rows. *rows*: the
  same loop, which forms X^T X and X^T y from the rows for every model. A few models of the loops
  are timed and scaled up. Standard draws are made before the clock starts.

Redraws: another epsilon on the finished page, with 296,000 private rows next to 400. Once the tasks
of each method that reads statistics alone, and once with charts and sentences. The row "statistics, once" is the time
for the statistics of the rows.

Frank-Wolfe: 4 epsilons with 20 repeats, with the steps and the noise of the transfer page.

- *ours*: the lab. *loop*: one model at a time. *floor*: the matrix products alone, in the
  quickest of several arrangements.

The columns are medians over the rounds, and ratios are taken within a round. Fits are in double
precision, products of the descent and Frank-Wolfe in float32, on one core. All must first reach the same weights with the
same noise.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import frank_wolfe_contenders as walks
from benchmarks import regression_contenders as fits
from benchmarks.contenders import Training, moment
from benchmarks.report import Line, Outcome, Print, at_most, duration, number, row
from dpcore.estimators.linear import REGRESSIONS
from dpcore.regression.least_squares import Statistics
from pages.regression import charts, texts
from pages.regression.settings import RegressionSettings

# How far apart weights may be, of the size of the weights: double precision, other orders of
# summation. The rows of the descent, and its products, are in single precision.
TOLERANCE, SINGLE_TOLERANCE = 1e-9, 1e-4
FEW_ROWS, SLOWER_AT_MOST = 400, 1.5
_MORE = 3  # redraws are short: others that run beside disturb a single one
COMPARED = (0, 301, 599)  # models of each method that are compared with those fitted from the rows
CASES = (
    walks.Case(rows=1000, features=20),
    walks.Case(rows=5000, features=20),
    walks.Case(rows=5000, features=50),
)
FROM_STATISTICS = [name for name in REGRESSIONS if name != "descent"]
# The board of the page, and the words beside it.
PICTURES = (
    charts.errors,
    charts.lines,
    charts.coefficients,
)
WORDS = (texts.numbers, texts.verdict, texts.diagnostics, texts.guarantee)

# Prepares the training with that number.
Make = Callable[[int], Training]
WIDTHS = (24, 9, 9, 9, 10, 10)


def run(*, rounds: int, say: Print) -> Outcome:
    """Fits, redraws and walks, one after the other."""
    # As the app: one thread for the linear algebra.
    with threadpool_limits(1, user_api="blas"):
        lines = _fits(rounds=rounds, say=say) + _redraws(rounds=rounds, say=say)
        for case in CASES:
            lines += _walks(case, rounds=rounds, say=say)
    return Outcome(lines=lines)


def times(contenders: Mapping[str, Make], *, models: int, rounds: int) -> dict[str, np.ndarray]:
    """Contender -> seconds of one training, by round."""
    taken = {name: np.empty(rounds) for name in contenders}
    for turn in range(rounds):
        order = list(contenders.items())
        for name, make in order if turn % 2 else reversed(order):
            taken[name][turn] = moment(make, turn, models=models)
    return taken


def _fits(*, rounds: int, say: Print) -> list[Line]:
    work, everything = fits.Work(), {}
    say(
        f"  fits: {work.models} models of each method, medians of {rounds} rounds; * a few models,"
        " scaled up"
    )
    say(row(("", "ours", "loop*", "rows*", "loop/ours", "rows/ours"), WIDTHS))
    apart = {name: fits.disagreement(work, name, range(work.models)) for name in REGRESSIONS}
    behind = {name: fits.disagreement(work, name, COMPARED, rows=True) for name in REGRESSIONS}
    for name in REGRESSIONS:
        taken = times(_fitting(work, name), models=work.models, rounds=rounds)
        taken = {
            who: seconds * (1 if who == "ours" else work.models) for who, seconds in taken.items()
        }
        everything = {who: seconds + everything.get(who, 0) for who, seconds in taken.items()}
        say(_compared(name, taken))
    say(_compared("all methods", everything))
    methods = len(REGRESSIONS)
    return [
        _sameness(
            f"fits: the same noise, the same weights of all {methods * work.models} models as the"
            " loop",
            apart,
        ),
        _sameness(
            f"fits: the same noise, the same weights of {methods * len(COMPARED)} models as the"
            " rows",
            behind,
        ),
    ]


def _fitting(work: fits.Work, name: str) -> dict[str, Make]:
    return {
        "ours": lambda _: fits.ours(work, name),
        "loop": lambda model: fits.loop(work, name, model),
        "rows": lambda model: fits.loop(work, name, model, rows=True),
    }


def _compared(name: str, taken: Mapping[str, np.ndarray]) -> str:
    """A row of the table: how long each takes, and how much longer than ours."""
    ratios = [f"{number(np.median(taken[who] / taken['ours']))}x" for who in ("loop", "rows")]
    return row(
        [
            name,
            *(duration(float(np.median(taken[who]))) for who in ("ours", "loop", "rows")),
            *ratios,
        ],
        WIDTHS,
    )


def _sameness(asked: str, apart: Mapping[str, float]) -> Line:
    bounds = {name: SINGLE_TOLERANCE if name == "descent" else TOLERANCE for name in apart}
    return Line(
        asked=f"{asked}, within {TOLERANCE:g}, descent within {SINGLE_TOLERANCE:g}",
        measured=", ".join(f"{name} {value:.0e}" for name, value in apart.items()),
        met=all(value <= bounds[name] for name, value in apart.items()),
    )


class Page:
    """A regression page that stands: its slow work is done, and each redraw is at a new epsilon."""

    def __init__(self, settings: RegressionSettings):
        self.pages = [settings.change(mechanism=name) for name in FROM_STATISTICS]
        self.done = [{task: task.run() for task in page.experiment.tasks()} for page in self.pages]
        self.epsilon = settings.epsilon

    def redraw(self, *, drawn: bool) -> None:
        """Every method once at the next epsilon; ``drawn``: with all that is made of the result."""
        self.epsilon = self.epsilon * 1.01 if self.epsilon < 50 else 0.02
        for page, done in zip(self.pages, self.done, strict=True):
            moved = page.change(epsilon=self.epsilon)
            fresh = {task: task.run() for task in moved.experiment.tasks() if task.essential}
            result = moved.experiment.gather(done | fresh)
            if drawn:
                for make in (*PICTURES, *WORDS):
                    make(result)
                least_eigenvalues = result.fits.least_eigenvalues
                if least_eigenvalues is not None:
                    charts.objective(result, least_eigenvalues)


def _redraws(*, rounds: int, say: Print) -> list[Line]:
    many = RegressionSettings()
    sizes = {"many": many, "few": many.change(rows=FEW_ROWS)}
    pages = {size: Page(settings) for size, settings in sizes.items()}
    ways = {
        f"{size} {drawn}": partial(pages[size].redraw, drawn=drawn)
        for drawn in (False, True)
        for size in pages
    }
    makes = {name: lambda _, way=way: way for name, way in ways.items()}
    taken = times(
        makes | {"once": lambda _: _statistics_of(fits.Work(many))}, models=1, rounds=_MORE * rounds
    )
    methods = len(FROM_STATISTICS)
    say(
        f"  redraw, the mean of {methods} methods: {many.source.rows:,} rows, {FEW_ROWS} rows,"
        " ratio"
    )
    lines = []
    for what, drawn in (("essential work", False), ("pictures and words too", True)):
        ratio = taken[f"many {drawn}"] / taken[f"few {drawn}"]
        each = [duration(float(np.median(taken[f"{size} {drawn}"])) / methods) for size in sizes]
        say(row([what, *each, f"{number(np.median(ratio))}x", "", ""], WIDTHS))
        asked = f"redraw, {what}: {many.source.rows:,} rows over {FEW_ROWS}"
        lines.append(at_most(asked, SLOWER_AT_MOST, ratio))
    say(
        row(
            ["  statistics, once", duration(float(np.median(taken["once"]))), "", "", "", ""],
            WIDTHS,
        )
    )
    return lines


def _statistics_of(work: fits.Work) -> Training:
    return lambda: Statistics.of(work.X, work.y)


def _walks(case: walks.Case, *, rounds: int, say: Print) -> list[Line]:
    work = walks.Work(case)
    apart = {
        word: float(walks.disagreement(work, quiet=quiet).max())
        for word, quiet in (("without noise", True), ("with noise", False))
    }
    batch, floor = walks.ours(work), walks.quickest_floor(work)
    contenders = {
        "ours": lambda _: batch,
        "floor": lambda _: floor,
        "loop": lambda _: partial(_all, work),
    }
    taken = times(contenders, models=1, rounds=rounds)
    if case == CASES[0]:
        say(
            f"  Frank-Wolfe: {work.models} models, {case.repeats} at each epsilon of"
            f" {case.epsilons}"
        )
        say(row(("", "ours", "floor", "loop", "ours/floor", "loop/ours"), WIDTHS))
    ratios = [
        f"{number(np.median(taken[a] / taken[b]))}x"
        for a, b in (("ours", "floor"), ("loop", "ours"))
    ]
    say(
        row(
            [case, *(duration(float(np.median(taken[who]))) for who in contenders), *ratios], WIDTHS
        )
    )
    return [
        _sameness(
            f"Frank-Wolfe, {case}: the same weights of all {work.models} models as the loop", apart
        )
    ]


def _all(work: walks.Work) -> None:
    """Every model of the batch by the loop: their lengths differ, so that none stands for the
    others.
    """
    for model in range(work.models):
        walks.loop(work, model)()
