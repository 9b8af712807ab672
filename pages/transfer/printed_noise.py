"""The Laplace noise of Frank-Wolfe as published, and what it costs."""

import math

from dpcore import check
from dpcore.privacy import Adjacency
from dpcore.training import frank_wolfe as fw


def printed_scale(
    norm: float, *, residual_bound: float, rows: float, epsilon: float, delta: float, steps: int
) -> float:
    """Return the Laplace scale as published, R max_s ||s||_1 sqrt(8 T ln(1/delta)) / (n epsilon)
    [talwar2015; zhang2022].

    Its guarantee covers composition only, and add/remove adjacency; see ``printed_epsilon``.

    Args:
        norm: The largest L1 norm of a vertex.
        residual_bound: R.
        rows: n.
        epsilon: Nominal, of the whole run.
        delta: Nominal.
        steps: T.
    """
    check.positive(epsilon=epsilon)
    delta = check.between(0, 1, inclusive=False, delta=delta)
    steps = check.whole(1, steps=steps)
    factor = math.sqrt(8 * steps * math.log(1 / delta))
    return residual_bound * norm * factor / (rows * epsilon)


def printed_epsilon(epsilon: float, *, delta: float, steps: int, adjacency: Adjacency) -> float:
    """Return the epsilon of one selection with the published scale, 2 sensitivity / scale.

    It is the same for any data, because both are proportional to the norm and to R / n.
    """
    scale = printed_scale(
        1.0, residual_bound=1.0, rows=1, epsilon=epsilon, delta=delta, steps=steps
    )
    sensitivity = fw.score_sensitivity(1.0, residual_bound=1.0, rows=1, adjacency=adjacency)
    return 2 * sensitivity / scale
