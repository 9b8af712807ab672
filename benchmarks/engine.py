"""Time a sweep of 9 epsilons with 20 repeats: 180 private classifiers of 100 noisy gradient steps.

    make bench ARGS=engine

The columns are medians of seconds for all 180 models. A star marks those that train a few models
and are scaled up. The second line of a case has the ratios, taken within a round.

- *ours*: the lab, with as many cores as it takes by itself. *one core*: the lab on one core.
- *floor*: the matrix products and exponentials that the sweep needs, and nothing else, on one core.
  The quickest of several arrangements counts. *tanh floor*: the same with the tanh that the lab
  uses instead of the exponential for two classes.
- *loop*: plain numpy, one model at a time. Every row's gradient is formed, clipped and averaged.
  *lean loop*: the same with one matrix product for clipping and averaging.
- *Opacus*: one model at a time, with per-sample gradients by hooks, the full batch in every step
  and no data loader. Its ghost clipping gives wrong gradients for outputs of shape (n, 1).
  *without bias*: the same with the constant as a column of the inputs, as in the lab.

Everything is in float32. The lab draws its noise in the first round and finds it in the cache after
that, as in a drag of epsilon. Opacus uses the number of threads with which it is quicker. Without
noise all must first reach the same weights.
"""

import os
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.contenders import (
    CLIP_NORM,
    MODELS,
    STEPS,
    Case,
    Training,
    Work,
    choose_threads,
    loop,
    missing_packages,
    on_one_core,
    opacus,
    ours,
    quickest_floor,
    times_by_round,
)
from benchmarks.report import (
    Line,
    Outcome,
    Print,
    at_least,
    at_most,
    duration,
    factor,
    median_text,
    row,
)
from dpcore.training import losses

# How far apart weights without noise may be after all steps: float32, other orders of summation.
TOLERANCE = 1e-4

COLUMNS = (
    "",
    "ours",
    "one core",
    "floor",
    "tanh floor",
    "loop*",
    "lean loop*",
    "Opacus*",
    "without bias*",
)
WIDTHS = (24, 9, 9, 9, 10, 9, 10, 9, 13)

CASES = (
    Case(
        rows=400, features=2, classes=2, opacus_at_least=1000, loop_at_least=60, floor_at_most=1.35
    ),
    Case(rows=5000, features=30, classes=2, opacus_at_least=80, floor_at_most=1.2),
    Case(rows=400, features=2, classes=4, opacus_at_least=150, floor_at_most=3),
    Case(rows=5000, features=30, classes=4),
)


# One model at a time: name -> how it is trained.
SINGLES = {"loop": loop, "lean": partial(loop, lean=True)}
OPACUS = {"opacus": opacus, "no bias": partial(opacus, bias=False)}
# Contenders in the order of the columns.
ORDER = ("ours", "one core", "floor", "tanh", "loop", "lean", "opacus", "no bias")
FLOORS = ("floor", "tanh")


def disagreement(work: Work, single: Callable[[Work, float], Training]) -> float:
    """Return the largest difference between its weights and those of our models, without noise."""
    our_weights = ours(work, np.zeros(MODELS))()
    weights = single(work, 0.0)()
    return float(np.abs(our_weights - weights).max())


def clipped(work: Work) -> float:
    """Return the share of gradients that are clipped after the last step without noise.

    Clipping must have had work to do.
    """
    weights, *_ = ours(work, np.zeros(MODELS))()
    norms = losses.gradient_norms(weights, work.X, work.y)
    return float(np.mean(norms > CLIP_NORM))


def times(work: Work, singles: dict[str, Callable], *, rounds: int) -> dict[str, np.ndarray]:
    """Return contender -> seconds for the whole sweep, by round."""
    batch = ours(work, work.multipliers)
    of_all_models = {
        "ours": batch,
        "one core": on_one_core(batch),
        "floor": quickest_floor(work, np.exp),
    }
    if work.outputs == 1:
        of_all_models["tanh"] = quickest_floor(work, np.tanh)
    contenders: dict[str, tuple[int, Callable[[int], Training]]] = {}
    for name, training in of_all_models.items():
        contenders[name] = (1, lambda _, training=training: training)
    for name, single in singles.items():
        contenders[name] = (
            MODELS,
            lambda model, single=single: single(work, work.multipliers[model]),
        )
    return times_by_round(contenders, rounds=rounds, models=MODELS)


def run(*, rounds: int, say: Print) -> Outcome:
    """Measure all cases; without Opacus, what can be said without it."""
    outcome = Outcome(missing=missing_packages())
    singles = SINGLES
    if not outcome.missing:
        singles = {**SINGLES, **OPACUS}
    say(
        f"  {MODELS} models x {STEPS} steps, float32, medians of {rounds} rounds; * a few models,"
        " scaled up"
    )
    say(row(COLUMNS, WIDTHS))
    # A single model under much noise overflows on its way to a sure 0.
    overflowing = np.errstate(over="ignore", divide="ignore")
    with threadpool_limits(1), warnings.catch_warnings(), overflowing:
        # Opacus warns of what does not matter here.
        warnings.simplefilter("ignore")
        for case in CASES:
            outcome.lines += _measure(case, singles, rounds=rounds, say=say)
    return outcome


def _measure(case: Case, singles: dict[str, Callable], *, rounds: int, say: Print) -> list[Line]:
    """Time one case, print its rows, and return its requirements."""
    work = Work(case)
    if "opacus" in singles:
        threads = choose_threads(opacus(work, work.multipliers[0]))
        say(f"  PyTorch is quicker on {threads} of {os.cpu_count()} threads here")
    differences = {name: disagreement(work, single) for name, single in singles.items()}
    seconds = times(work, singles, rounds=rounds)
    ratios = _ratios(seconds, singles)
    say(row([case, *(median_text(seconds.get(name), duration) for name in ORDER)], WIDTHS))
    _, _, *compared = ORDER
    cells = [median_text(ratios.get(name), factor) for name in compared]
    say(row(["  core/floor, other/ours", "", "", *cells], WIDTHS))
    return [_sameness(case, differences, clipped(work)), *_speed(case, ratios)]


def _ratios(seconds: dict[str, np.ndarray], singles: dict[str, Callable]) -> dict[str, np.ndarray]:
    """Return one core over each floor, and each single training over ours, by round."""
    ratios = {}
    for name in FLOORS:
        if name in seconds:
            ratios[name] = seconds["one core"] / seconds[name]
    for name in singles:
        ratios[name] = seconds[name] / seconds["ours"]
    return ratios


def _sameness(case: Case, differences: dict[str, float], share: float) -> Line:
    """Require the same weights of all contenders, without noise."""
    texts = ", ".join(f"{name} {value:.0e}" for name, value in differences.items())
    return Line(
        asked=f"{case}: without noise the same weights within {TOLERANCE:g}",
        measured=f"{texts}; {share:.0%} of gradients clipped",
        met=max(differences.values()) <= TOLERANCE and share > 0,
    )


def _speed(case: Case, ratios: dict[str, np.ndarray]) -> list[Line]:
    """Compare the ratios with those that the case requires."""
    requirements = [
        (case.opacus_at_least, at_least, "quicker than Opacus", "opacus"),
        (case.loop_at_least, at_least, "quicker than the loop", "loop"),
        (case.floor_at_most, at_most, "over the floor", "floor"),
    ]
    lines = []
    for bound, judge, text, name in requirements:
        if bound is not None:
            lines.append(judge(f"{case}: {text}", bound, ratios.get(name, ())))
    return lines
