"""What to do where lots are not drawn by chance: noise that is correlated over the steps, DP-FTRL [kairouz2021].

Lots go through the rows in a fixed, public order: each row is in one lot of each pass of m lots. The weights after t
steps are a function of the prefix sums S_t of the lots' clipped gradients,

    w_t = w_0 - (eta / L) (S_t + Z_t),

so what counts is the noise Z_t on a sum of t terms. Independent noise in each step adds up to t variances. A binary
tree over the lots of a pass has a noise N(0, (sigma C)^2) of its own for each node, and Z_t is the sum of those of the
nodes that t falls apart into, as a number in binary: no more than log2(t) + 1 of them. A row is in the node of its lot
and in those above, of which floor(log2(m)) + 1 at most are ever complete, and so released. Each is a Gaussian release
of its own [kairouz2021, Algorithm 1], and each pass has a fresh tree.

Who are neighbours: one row is there or not, and where it is not, its place in the order stays empty; nobody moves up
(zero-out, which dp-accounting calls REPLACE_SPECIAL). Where another row takes the place, all sensitivities double.
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
# What else must hold of the neighbours, where the order is fixed.
ASSUMES = "each row has a public place in the order, which stays empty where the row is not there"


def lots_a_pass(rate: float) -> int:
    """m, where lots are the m-th part of all rows. Raises RefusedError where ``rate`` is no 1/m."""
    lots = max(1, round(1 / rate))
    if abs(lots * rate - 1) > 1e-6:
        raise check.RefusedError("sampling_rate", rate, "1 over a whole number of lots, as their order is fixed")
    return lots


def releases(mechanism: str, steps: int, *, lots: int) -> int:
    """The most Gaussian releases of the first ``steps`` steps that one row is in, with ``lots`` a pass.

    "ordered": one a pass. "tree": floor(log2(m)) + 1 a pass, and of a pass that has come to its r-th lot only,
    floor(log2(r)) + 1; the row of the first lot is in as many.

    >>> releases("ordered", 40, lots=20), releases("tree", 40, lots=20), releases("tree", 23, lots=20)
    (2, 10, 7)
    """
    passes, more = divmod(check.whole(1, steps=steps), lots)
    if check.choice(("ordered", "tree"), mechanism=mechanism) == "ordered":
        return passes + (more > 0)
    return passes * lots.bit_length() + more.bit_length()


def event(mechanism: str, noise_multiplier: float, steps: int, *, lots: int, layers: int = 1) -> Composed:
    """What the first ``steps`` steps do to the row that they show most of, exactly: no chance hides its lot.

    layers: how many releases of that multiplier each one is.
    """
    count = layers * releases(mechanism, steps, lots=lots)
    return Composed(event=GaussianRelease(noise_multiplier=noise_multiplier), count=count)


def correlated(
    noise: Iterator[np.ndarray], at: Callable[[int], np.ndarray], *, lots: int, first: int
) -> Iterator[np.ndarray]:
    """Z_t - Z_(t-1) of each step from ``first`` on, from independent ``noise`` of each step; ``at`` gives any step's.

    The t-th step of a pass completes the node of its last 2^j lots, where 2^j is the largest power that divides t.
    That node takes the place of those that end at t - 2^i for all i < j.
    """
    nodes = {}  # the level of a node that the sum consists of -> its noise
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
    """How much of each node's noise is in the weights after the steps (t,) at these learning ``rates``, before 1/L.

    What comes in at one rate goes out at a later one, when a larger node takes its place.

    >>> remaining(np.ones(7), lots=20)
    array([0., 0., 0., 1., 0., 1., 1.])
    """
    place = np.arange(len(rates)) % lots + 1
    size = place & -place
    out = np.arange(len(rates)) + size
    gone = (place + size <= lots) & (out < len(rates))
    return rates - np.where(gone, rates[np.minimum(out, len(rates) - 1)], 0)
