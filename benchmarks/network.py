"""Time 80 private networks (20 repeats at 4 noise levels), 500 batches of 64 of 1,000 rows.

    make bench ARGS=network

The columns are medians of seconds for all 80 networks. A star marks those that train a few networks
and are scaled up.

- *ours*: the lab, with as many cores as it takes by itself. *one core*: the lab on one core.
- *floor*: the matrix products of batches of exactly 64 on one core, and nothing else. The quickest
  of several arrangements counts.
- *loop*: plain numpy, one network at a time. Every row's gradient is formed, clipped and summed.
- *Opacus*: one network at a time, with per-sample gradients by hooks, Poisson batches of the same
  expected size and no data loader.

Everything is in float32. Opacus uses the number of threads with which it is quicker. Without noise
and on the same batches all must first reach the same weights.
"""

import importlib.util
import os
import warnings
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.contenders import Training, choose_threads, moment, on_one_core
from benchmarks.network_contenders import (
    CLIP_NORM,
    MODELS,
    STEPS,
    Work,
    loop,
    opacus,
    ours,
    quickest_floor,
)
from benchmarks.report import Line, Outcome, Print, at_least, at_most, duration, number, row
from dpcore.training import network_gradients

# How far apart weights without noise may be after all steps: float32, other orders of summation.
TOLERANCE = 1e-4
COMPARED = (0, 27)  # networks whose weights are compared
OPACUS_AT_LEAST, FLOOR_AT_MOST = 80, 4

COLUMNS = ("", "ours", "one core", "floor", "loop*", "Opacus*")
WIDTHS = (24, 9, 9, 9, 9, 9)


def disagreement(work: Work, single: Callable[..., Training]) -> float:
    """The largest difference between its weights and ours, without noise and on our batches."""
    batch = ours(work, np.zeros(MODELS))()
    alone = [
        single(work, model, multiplier=0.0, batches_of=work.our_batches)() for model in COMPARED
    ]
    return float(np.abs(batch[list(COMPARED)] - alone).max())


def clipped(work: Work) -> float:
    """The share of gradients that are clipped at the end: clipping must have had work to do, and
    not always.
    """
    norms = network_gradients.gradient_norms(
        work.recipe.architecture, ours(work, np.zeros(MODELS))(), work.X, work.y
    )
    return float(np.mean(np.linalg.norm(norms, axis=0) > CLIP_NORM))


def times(
    work: Work, singles: dict[str, Callable[..., Training]], *, rounds: int
) -> dict[str, np.ndarray]:
    """Contender -> seconds for all networks, by round."""
    batch = ours(work, work.multipliers)
    whole = {"ours": batch, "one core": on_one_core(batch), "floor": quickest_floor()}
    contenders = {name: (1, lambda _, train=train: train) for name, train in whole.items()}
    for name, single in singles.items():
        contenders[name] = (MODELS, lambda model, single=single: _fresh(work, single, model))
    taken = {name: np.empty(rounds) for name in contenders}
    for turn in range(rounds):
        order = list(contenders.items())
        for name, (scale, make) in order if turn % 2 else reversed(order):
            taken[name][turn] = scale * moment(make, turn, models=MODELS)
    return taken


def _fresh(work: Work, single: Callable[..., Training], model: int) -> Training:
    return single(
        work, model, multiplier=float(work.multipliers[model]), batches_of=work.fresh_batches
    )


def run(*, rounds: int, say: Print) -> Outcome:
    """The one case; without Opacus, what can be said without it."""
    outcome = Outcome(
        missing=[name for name in ("torch", "opacus") if importlib.util.find_spec(name) is None]
    )
    say(
        f"  {MODELS} networks x {STEPS} steps, float32, medians of {rounds} rounds; * a few"
        " networks, scaled up"
    )
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Opacus warns of what does not matter here
        work, singles = Work(), {"loop": loop}
        if not outcome.missing:
            singles["opacus"] = opacus
            threads = choose_threads(_fresh(work, opacus, 0))
            say(f"  PyTorch is quicker on {threads} of {os.cpu_count()} threads here")
        apart = {name: disagreement(work, single) for name, single in singles.items()}
        taken = times(work, singles, rounds=rounds)
        outcome.lines += [_sameness(apart, clipped(work)), *_speed(taken)]
    say(row(COLUMNS, WIDTHS))
    names = ("ours", "one core", "floor", "loop", "opacus")
    say(row(["seconds", *(_median(taken.get(name), duration) for name in names)], WIDTHS))
    times_ours = [
        _median(_ratio(taken, name, "ours"), lambda ratio: f"{number(ratio)}x") for name in names
    ]
    say(row(["over ours", *times_ours], WIDTHS))
    over_floor = [
        _median(_ratio(taken, name, "floor"), lambda ratio: f"{number(ratio)}x") for name in names
    ]
    say(row(["over the floor", *over_floor], WIDTHS))
    return outcome


def _ratio(taken: dict[str, np.ndarray], name: str, over: str) -> np.ndarray | None:
    """Within a round."""
    return taken[name] / taken[over] if name in taken else None


def _median(values: np.ndarray | None, write: Callable[[float], str]) -> str:
    return "-" if values is None else write(float(np.median(values)))


def _sameness(apart: dict[str, float], share: float) -> Line:
    differences = ", ".join(f"{name} {value:.0e}" for name, value in apart.items())
    return Line(
        asked=f"without noise, on the same batches, the same weights within {TOLERANCE:g}",
        measured=f"{differences}; {share:.0%} of gradients clipped at the end",
        met=max(apart.values()) <= TOLERANCE and share > 0,
    )


def _speed(taken: dict[str, np.ndarray]) -> list[Line]:
    slower = taken["opacus"] / taken["ours"] if "opacus" in taken else ()
    return [
        at_least("quicker than Opacus", OPACUS_AT_LEAST, slower),
        at_most("over the floor", FLOOR_AT_MOST, taken["ours"] / taken["floor"]),
    ]
