"""Write analytic_gaussian.csv: the noise multiplier of the analytic Gaussian mechanism, to 60 digits inside.

    python tests/reference/make_analytic_gaussian.py

The root in sigma of Phi(1/(2 sigma) - epsilon sigma) - e^epsilon Phi(-1/(2 sigma) - epsilon sigma) = delta
(B. Balle, Y.-X. Wang, ICML 2018, Theorem 8, with sensitivity 1). It shares nothing with the engine: the difference
is taken as printed, with digits enough that its cancellation does no harm.
"""

import csv
from pathlib import Path

import mpmath

EPSILONS = (0.01, 0.05, 0.1, 0.5, 1, 2, 5, 8, 10, 15, 50, 150)
DELTAS = (1e-2, 1e-3, 1e-5, 1e-6, 1e-8, 1e-12)


def delta_of(epsilon: float, sigma: mpmath.mpf) -> mpmath.mpf:
    """The delta at which N(0, sigma^2) noise on a value of sensitivity 1 is (epsilon, delta)-DP."""
    epsilon = mpmath.mpf(epsilon)
    upper = mpmath.ncdf(1 / (2 * sigma) - epsilon * sigma)
    return upper - mpmath.exp(epsilon) * mpmath.ncdf(-1 / (2 * sigma) - epsilon * sigma)


def noise_multiplier(epsilon: float, delta: float) -> mpmath.mpf:
    """The sigma at which ``delta_of`` is ``delta``: bisection of its logarithm, with 60 digits."""
    with mpmath.workdps(60):
        low, high = mpmath.mpf("-12"), mpmath.mpf("12")
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if delta_of(epsilon, mpmath.exp(middle)) > delta else (low, middle)
        return mpmath.exp((low + high) / 2)


def main() -> None:
    rows = [
        (epsilon, delta, mpmath.nstr(noise_multiplier(epsilon, delta), 17)) for epsilon in EPSILONS for delta in DELTAS
    ]
    with Path(__file__).with_name("analytic_gaussian.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("epsilon", "delta", "noise_multiplier"), *rows])


if __name__ == "__main__":
    main()
