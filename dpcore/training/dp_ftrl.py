"""Training with batches in a fixed order, with independent noise or noise that is correlated over
the steps (DP-FTRL).

Batches pass through the rows in a fixed, public order: each row is in one batch of each pass of m
batches. The weights after t steps are a function of the prefix sums S_t of the batches' clipped
gradients,

    w_t = w_0 - (eta / L) (S_t + Z_t).

A pass releases C g + z, with a lower-triangular matrix C (m, m) and independent z ~ N(0, (sigma
clip_norm)^2) per step. The noisy gradients g + C^-1 z follow from it [denisov2022, also where g
depends on earlier steps]. A row moves C g by clip_norm times the norm of a column of C at most, so
a pass is one Gaussian release. Passes have fresh noise.

C = I is independent noise: Z_t adds up t variances. The square root of the prefix-sum matrix, C^2 =
(1)_{i >= j}, is Toeplitz with c_k = binom(2k, k) / 4^k on diagonal k, and Z = C z
[fichtenberger2023]. Its first column is the longest.

Adjacency: one row is present or absent, and an absent row leaves its place in the order empty, so
no row moves up (zero-out, which dp-accounting calls REPLACE_SPECIAL). If another row takes the
place, all sensitivities double.
"""

import math
from collections.abc import Iterator

import numpy as np
from scipy.linalg import matmul_toeplitz

from dpcore import check
from dpcore.privacy import Composed, GaussianRelease

MECHANISMS = {
    "sampled": "DP-SGD, batches drawn by chance",
    "ordered": "DP-SGD, batches in a fixed order",
    "toeplitz": "DP-FTRL with square-root Toeplitz noise, batches in a fixed order",
}
# Assumption about neighbouring data sets if the order is fixed.
ASSUMES = "each row has a public place in the order, which stays empty where the row is not there"


def count_batches_per_pass(rate: float) -> int:
    """Return m, the number of batches per pass.

    Raises:
        RefusedError: Unless ``rate`` is 1/m.
    """
    batches_per_pass = max(1, round(1 / rate))
    if abs(batches_per_pass * rate - 1) > 1e-6:
        raise check.RefusedError(
            "sampling_rate", rate, "1 over a whole number of batches, as their order is fixed"
        )
    return batches_per_pass


def coefficients(mechanism: str, batches_per_pass: int, *, power: float = 1) -> np.ndarray:
    """Return the first column (m,) of C, or of C^-1 with ``power`` -1.

    As power series, the prefix-sum matrix is 1 / (1 - x), and these are (1 - x)^(-power / 2).

    >>> coefficients("toeplitz", 4)
    array([1.    , 0.5   , 0.375 , 0.3125])
    >>> coefficients("toeplitz", 3, power=-1)
    array([ 1.   , -0.5  , -0.125])
    >>> coefficients("ordered", 3)
    array([1., 0., 0.])
    """
    check.whole(1, batches_per_pass=batches_per_pass)
    check.choice(("ordered", "toeplitz"), mechanism=mechanism)
    if mechanism == "ordered":
        return np.eye(1, batches_per_pass)[0]
    diagonals = np.arange(1, batches_per_pass)
    ratios = 1 + (power / 2 - 1) / diagonals
    return np.cumprod(np.append(1.0, ratios))


def sensitivity(mechanism: str, steps: int, *, batches_per_pass: int) -> float:
    """Return the L2 sensitivity of C g after ``steps`` steps, in clipping norms.

    It is reached by a row of the first batch. Over whole passes it is sqrt(passes) times the norm
    of the first column of C.

    >>> round(sensitivity("toeplitz", 20, batches_per_pass=20), 3)
    1.42
    >>> sensitivity("ordered", 80, batches_per_pass=20)
    2.0
    """
    squares = np.square(coefficients(mechanism, batches_per_pass))
    sum_of_squares = np.append(0, np.cumsum(squares))
    passes, further_steps = divmod(check.whole(1, steps=steps), batches_per_pass)
    return math.sqrt(passes * sum_of_squares[-1] + sum_of_squares[further_steps])


def event(
    mechanism: str, noise_multiplier: float, steps: int, *, batches_per_pass: int, layers: int = 1
) -> Composed:
    """Return the exact event of the first ``steps`` steps for a row of the first batch.

    Such a row is revealed most. A pass is one release. As only the sum of squares of Gaussian
    releases matters, an unfinished pass is counted by its share of all.

    Args:
        mechanism: "ordered" or "toeplitz".
        noise_multiplier: Standard deviation of z over the clipping norm.
        steps: Number of steps.
        batches_per_pass: Number of batches per pass.
        layers: Number of releases with that multiplier in each step.
    """
    passes, further_steps = divmod(steps, batches_per_pass)
    if further_steps > 0:
        passes += 1
    sensitivity_of_pass = sensitivity(
        mechanism, steps, batches_per_pass=batches_per_pass
    ) / math.sqrt(passes)
    release = GaussianRelease(noise_multiplier=noise_multiplier / sensitivity_of_pass)
    return Composed(event=release, count=layers * passes)


def correlated(
    noise: Iterator[np.ndarray], *, batches_per_pass: int, first: int
) -> Iterator[np.ndarray]:
    """Yield C^-1 z from step ``first`` on.

    Args:
        noise: Independent z of each step, from the start of the pass of step ``first``.
        batches_per_pass: Number of batches per pass.
        first: Step from 0.
    """
    inverse = coefficients("toeplitz", batches_per_pass, power=-1)
    noise_of_pass = np.empty(0)
    start_of_pass = first - first % batches_per_pass
    for step, z in enumerate(noise, start_of_pass):
        if noise_of_pass.size == 0:
            noise_of_pass = np.empty((batches_per_pass, *z.shape), z.dtype)
        place = step % batches_per_pass
        noise_of_pass[place] = z
        if step >= first:
            # From the diagonal ``place`` down to 0, because the oldest z comes first.
            factors = inverse[place::-1].astype(z.dtype)
            yield np.tensordot(factors, noise_of_pass[: place + 1], axes=1)


def noise_factors(rates: np.ndarray, *, batches_per_pass: int) -> np.ndarray:
    """Return the factor (t,) of each step's z in the weights after t steps, before 1/L.

    At constant rates it is c_k for the z that is k steps old in its pass.

    Args:
        rates: Learning rate of each step, (t,).
        batches_per_pass: Number of batches per pass.

    >>> noise_factors(np.ones(7), batches_per_pass=5).round(4)
    array([0.2734, 0.3125, 0.375 , 0.5   , 1.    , 0.5   , 1.    ])
    """
    missing_steps = -len(rates) % batches_per_pass
    rates_by_pass = np.pad(rates, (0, missing_steps)).reshape(-1, batches_per_pass)
    # The transpose of C^-1, by its first column and its first row: a step's z has a part in later
    # gradients.
    first_column = np.eye(1, batches_per_pass)[0]
    first_row = coefficients("toeplitz", batches_per_pass, power=-1)
    factors = matmul_toeplitz((first_column, first_row), rates_by_pass.T)
    return factors.T.ravel()[: len(rates)]
