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

import os
import warnings
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.contenders import (
    Training,
    choose_threads,
    missing_packages,
    on_one_core,
    times_by_round,
)
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
from dpcore.training import network_gradients

# How far apart weights without noise may be after all steps: float32, other orders of summation.
TOLERANCE = 1e-4
# Networks whose weights are compared.
COMPARED = (0, 27)
# The requirements, as ratios of seconds.
OPACUS_AT_LEAST = 80
FLOOR_AT_MOST = 4

ORDER = ("ours", "one core", "floor", "loop", "opacus")
COLUMNS = ("", "ours", "one core", "floor", "loop*", "Opacus*")
WIDTHS = (24, 9, 9, 9, 9, 9)


def disagreement(work: Work, single: Callable[..., Training]) -> float:
    """Return the largest difference between its weights and ours, without noise, on our batches."""
    our_weights = ours(work, np.zeros(MODELS))()
    differences = []
    for model in COMPARED:
        weights = single(work, model, multiplier=0.0, batches_of=work.our_batches)()
        differences.append(np.abs(our_weights[model] - weights).max())
    return float(max(differences))


def clipped(work: Work) -> float:
    """Return the share of gradients that are clipped at the end.

    Clipping must have had work to do, and not always.
    """
    weights = ours(work, np.zeros(MODELS))()
    norms_of_layers = network_gradients.gradient_norms(
        work.recipe.architecture, weights, work.X, work.y
    )
    return float(np.mean(np.linalg.norm(norms_of_layers, axis=0) > CLIP_NORM))


def times(
    work: Work, singles: dict[str, Callable[..., Training]], *, rounds: int
) -> dict[str, np.ndarray]:
    """Return contender -> seconds for all networks, by round."""
    batch = ours(work, work.multipliers)
    of_all_models = {
        "ours": batch,
        "one core": on_one_core(batch),
        "floor": quickest_floor(),
    }
    contenders: dict[str, tuple[int, Callable[[int], Training]]] = {}
    for name, training in of_all_models.items():
        contenders[name] = (1, lambda _, training=training: training)
    for name, single in singles.items():
        contenders[name] = (MODELS, lambda model, single=single: _fresh(work, single, model))
    return times_by_round(contenders, rounds=rounds, models=MODELS)


def _fresh(work: Work, single: Callable[..., Training], model: int) -> Training:
    """Return the training of one network, with batches and noise of its own."""
    return single(
        work, model, multiplier=float(work.multipliers[model]), batches_of=work.fresh_batches
    )


def run(*, rounds: int, say: Print) -> Outcome:
    """Measure the one case; without Opacus, what can be said without it."""
    outcome = Outcome(missing=missing_packages())
    singles = {"loop": loop}
    if not outcome.missing:
        singles["opacus"] = opacus
    say(
        f"  {MODELS} networks x {STEPS} steps, float32, medians of {rounds} rounds; * a few"
        " networks, scaled up"
    )
    with threadpool_limits(1), warnings.catch_warnings():
        # Opacus warns of what does not matter here.
        warnings.simplefilter("ignore")
        work = Work()
        if "opacus" in singles:
            threads = choose_threads(_fresh(work, opacus, 0))
            say(f"  PyTorch is quicker on {threads} of {os.cpu_count()} threads here")
        differences = {name: disagreement(work, single) for name, single in singles.items()}
        seconds = times(work, singles, rounds=rounds)
        share = clipped(work)
    _print_table(seconds, say)
    outcome.lines += [_sameness(differences, share), *_speed(seconds)]
    return outcome


def _print_table(seconds: dict[str, np.ndarray], say: Print) -> None:
    """Print the seconds, and their ratios within a round."""
    say(row(COLUMNS, WIDTHS))
    say(row(["seconds", *(median_text(seconds.get(name), duration) for name in ORDER)], WIDTHS))
    for title, divisor in (("over ours", "ours"), ("over the floor", "floor")):
        cells = []
        for name in ORDER:
            ratio = None
            if name in seconds:
                ratio = seconds[name] / seconds[divisor]
            cells.append(median_text(ratio, factor))
        say(row([title, *cells], WIDTHS))


def _sameness(differences: dict[str, float], share: float) -> Line:
    """Require the same weights of all contenders, without noise."""
    texts = ", ".join(f"{name} {value:.0e}" for name, value in differences.items())
    return Line(
        asked=f"without noise, on the same batches, the same weights within {TOLERANCE:g}",
        measured=f"{texts}; {share:.0%} of gradients clipped at the end",
        met=max(differences.values()) <= TOLERANCE and share > 0,
    )


def _speed(seconds: dict[str, np.ndarray]) -> list[Line]:
    """Compare the ratios of seconds with the required ones."""
    over_opacus = ()
    if "opacus" in seconds:
        over_opacus = seconds["opacus"] / seconds["ours"]
    return [
        at_least("quicker than Opacus", OPACUS_AT_LEAST, over_opacus),
        at_most("over the floor", FLOOR_AT_MOST, seconds["ours"] / seconds["floor"]),
    ]
