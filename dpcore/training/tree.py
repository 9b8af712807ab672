"""Training with lots in a fixed order: DP-FTRL, whose noise is correlated over the steps [kairouz2021].

Lots pass through the rows in a fixed, public order: each row is in one lot of each pass of m lots. The weights after t
steps are a function of the prefix sums S_t of the lots' clipped gradients,

    w_t = w_0 - (eta / L) (S_t + Z_t),

so only the noise Z_t on a sum of t terms matters. Independent noise in each step adds up to t variances. A binary tree
over the lots of a pass has independent noise N(0, (sigma C)^2) at each node, and Z_t is the sum over the nodes in the
binary decomposition of t, at most log2(t) + 1 of them. A row is in the node of its lot and in those above, of which at
most floor(log2(m)) + 1 are ever complete, and so released. Each is a Gaussian release [kairouz2021, Algorithm 1], and
each pass has a fresh tree.

Adjacency: one row is present or absent, and an absent row leaves its place in the order empty, so no row moves up
(zero-out, which dp-accounting calls REPLACE_SPECIAL). If another row takes the place, all sensitivities double.
"""

from collections.abc import Callable, Iterator

import numpy as np

from dpcore import check
from dpcore.privacy import Composed, GaussianRelease

MECHANISMS = {
    "sampled": "DP-SGD, lots drawn by chance",
    "ordered": "DP-SGD, lots in a fixed order",
    "tree": "DP-FTRL, lots in a fixed order",
}
# Assumption about neighbouring data sets if the order is fixed.
ASSUMES = "each row has a public place in the order, which stays empty where the row is not there"


def lots_a_pass(rate: float) -> int:
    """Return m, the number of lots per pass; raise RefusedError unless ``rate`` is 1/m."""
    lots = max(1, round(1 / rate))
    if abs(lots * rate - 1) > 1e-6:
        raise check.RefusedError("sampling_rate", rate, "1 over a whole number of lots, as their order is fixed")
    return lots


def releases(mechanism: str, steps: int, *, lots: int) -> int:
    """Return the largest number of Gaussian releases of the first ``steps`` steps that contain one row.

    "ordered": one per pass. "tree": floor(log2(m)) + 1 per pass, and floor(log2(r)) + 1 for a pass that has only
    reached its r-th lot; the row of the first lot is in that many.

    >>> releases("ordered", 40, lots=20), releases("tree", 40, lots=20), releases("tree", 23, lots=20)
    (2, 10, 7)
    """
    passes, more = divmod(check.whole(1, steps=steps), lots)
    if check.choice(("ordered", "tree"), mechanism=mechanism) == "ordered":
        return passes + (more > 0)
    return passes * lots.bit_length() + more.bit_length()


def event(mechanism: str, noise_multiplier: float, steps: int, *, lots: int, layers: int = 1) -> Composed:
    """Return the exact event of the first ``steps`` steps for the row they reveal most, without sampling.

    layers: number of releases with that multiplier in each one.
    """
    count = layers * releases(mechanism, steps, lots=lots)
    return Composed(event=GaussianRelease(noise_multiplier=noise_multiplier), count=count)


def correlated(
    noise: Iterator[np.ndarray], at: Callable[[int], np.ndarray], *, lots: int, first: int
) -> Iterator[np.ndarray]:
    """Yield Z_t - Z_(t-1) from step ``first`` on, given independent ``noise`` per step; ``at`` returns any step's.

    The t-th step of a pass completes the node of its last 2^j lots, where 2^j is the largest power that divides t. That
    node replaces those that end at t - 2^i for all i < j.
    """
    nodes = {}  # level of a node in the current sum -> its noise
    place = first % lots
    for level in range(place.bit_length()):
        if place >> level & 1:
            nodes[level] = at(first - place % 2**level - 1)
    for step, fresh in enumerate(noise, first):
        place = step % lots + 1
        level = (place & -place).bit_length() - 1
        yield fresh - sum(nodes[below] for below in range(level))
        nodes[level] = fresh


def remaining(rates: np.ndarray, *, lots: int) -> np.ndarray:
    """Return the factor (t,) of each node's noise in the weights after steps with learning ``rates``, before 1/L.

    Noise that enters at one rate leaves at a later one, when a larger node replaces its node.

    >>> remaining(np.ones(7), lots=20)
    array([0., 0., 0., 1., 0., 1., 1.])
    """
    place = np.arange(len(rates)) % lots + 1
    size = place & -place
    out = np.arange(len(rates)) + size
    gone = (place + size <= lots) & (out < len(rates))
    return rates - np.where(gone, rates[np.minimum(out, len(rates) - 1)], 0)
