"""Write accounting.csv: the exact epsilon of a Poisson-sampled Gaussian release after many steps, without the engine.

    python tests/reference/make_accounting.py

The pair is P = (1-q) N(0, sigma^2) + q N(1, sigma^2) against Q = N(0, sigma^2), the larger of the two directions under
add/remove. Two ways, named in the column ``how``:

formula: one release, or no sampling, where ``steps`` releases are one of noise sigma/sqrt(steps). The loss rises with
the output, so delta(epsilon) = P(x > x0) - e^epsilon Q(x > x0), x0 where the loss is epsilon; 60 digits.

contour: delta is E_Q[(e^L - e^epsilon)_+] for the sum L of the steps' losses. Its Laplace transform in epsilon is
A(s)^steps / (s (s-1)), A(s) = E_Q[(dP/dQ)^s], so with any c > 1

    delta(epsilon) = 1/(2 pi) integral of A(c + it)^steps e^{-(c + it - 1) epsilon} / ((c + it)(c + it - 1)) dt.

A by the trapezoidal rule, c near the saddle point, where the integrand hardly cancels: all in doubles, about 10 digits.
"""

import csv
import math
from pathlib import Path

import mpmath
import numpy as np
from scipy.optimize import brentq, minimize_scalar

ROWS = (  # rate, noise multiplier, steps, delta
    (0.01, 4, 10_000, 1e-5),  # [abadi2016]
    (0.01, 1, 1000, 1e-5),
    (0.01, 1.1, 10_000, 1e-5),
    (0.01, 0.7, 1000, 1e-5),
    (0.01, 2, 4000, 1e-5),
    (0.064, 1, 500, 1e-5),
    (0.064, 4, 500, 1e-3),
    (0.16, 1.5, 100, 1e-4),
    (0.5, 2, 100, 1e-5),
    (0.5, 10, 1000, 1e-5),
    (1, 10, 100, 1e-5),
    (1, 50, 100, 1e-5),
    (1, 0.3, 1, 1e-5),
    (1, 4, 1, 1e-12),
    (1, 20, 10_000, 1e-5),
    (1, 10, 100_000, 1e-5),
    (0.01, 0.3, 1, 1e-5),
    (0.01, 1, 1, 1e-5),
    (0.01, 4, 1, 1e-12),
    (0.01, 0.3, 1000, 1e-5),
    (0.1, 0.3, 100, 1e-5),
    (0.02, 0.5, 200, 1e-5),
    (0.01, 50, 100_000, 1e-5),
    (0.1, 50, 10_000, 1e-5),
    (0.001, 1, 100_000, 1e-5),
    (0.01, 4, 10_000, 1e-12),
    (0.01, 1, 1000, 1e-12),
    (0.1, 1, 1000, 1e-12),
    (0.1, 1, 100_000, 1e-5),
)


def formula(rate: float, sigma: float, steps: int, delta: float) -> float:
    """Epsilon by the closed form, for one step or for rate 1."""
    with mpmath.workdps(60):
        q, s = mpmath.mpf(rate), mpmath.mpf(sigma) / mpmath.sqrt(steps)

        def delta_of(epsilon: mpmath.mpf) -> mpmath.mpf:
            x0 = s**2 * mpmath.log((mpmath.exp(epsilon) - (1 - q)) / q) + mpmath.mpf(1) / 2
            none = mpmath.ncdf(-x0 / s)
            return q * mpmath.ncdf((1 - x0) / s) + (1 - q) * none - mpmath.exp(epsilon) * none

        low, high = mpmath.mpf(0), mpmath.mpf(2000)
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if delta_of(middle) > delta else (low, middle)
        return float(high)


def log_moment(s: np.ndarray, rate: float, sigma: float) -> np.ndarray:
    """ln A(s) at complex s of one real part."""
    real, far = float(np.max(np.real(s))), float(np.max(np.abs(np.imag(s))))
    step = min(0.05, sigma / 8, 0.5 * sigma / (far + 1))
    z = np.arange(-13, real / sigma + 13, step)
    loss = np.logaddexp(math.log1p(-rate), math.log(rate) + z / sigma - 1 / (2 * sigma**2))
    weight = math.log(step / math.sqrt(2 * math.pi)) - z * z / 2
    top = float(np.max(real * loss + weight))
    flat = np.exp(real * loss + weight - top)
    sums = [flat @ np.exp(1j * t * loss) for t in np.imag(s)]
    return top + np.log(np.array(sums))


def contour(rate: float, sigma: float, steps: int, delta: float) -> float:
    """Epsilon by the integral along the line through the saddle point."""

    def bound(log_c: float) -> float:
        """An upper bound on epsilon for any real c, the least of them near the saddle point."""
        c = 1 + math.exp(log_c)
        total = steps * float(np.real(log_moment(np.array([c + 0j]), rate, sigma)[0]))
        return (total - math.log(delta * c)) / (c - 1) + math.log1p(-1 / c)

    c = 1 + math.exp(minimize_scalar(bound, bounds=(-4, 6), method="bounded").x)
    spread = 0.1 * (c - 1)
    middle, *sides = (steps * np.real(log_moment(np.array([c + h + 0j]), rate, sigma)[0]) for h in (0, -spread, spread))
    sd = math.sqrt((sides[0] + sides[1] - 2 * middle) / spread**2)
    step = min(0.15 / sd, (c - 1) / 8)
    s = c + 1j * np.arange(0, 60 / sd, step)
    shape = steps * log_moment(s, rate, sigma) - np.log(s * (s - 1))

    def excess(epsilon: float) -> float:
        exponent = shape - (s - 1) * epsilon
        top = float(np.real(exponent[0]))
        values = np.real(np.exp(exponent - top))
        total = step / math.pi * (values.sum() - values[0] / 2)
        return math.log(total) + top - math.log(delta)

    high = bound(math.log(c - 1))
    return brentq(excess, max(high - 30 / (c - 1), 0), high, xtol=1e-14, rtol=1e-13)


def epsilon(rate: float, sigma: float, steps: int, delta: float) -> tuple[float, str]:
    """Epsilon and the way to it."""
    how = formula if steps == 1 or rate == 1 else contour
    return how(rate, sigma, steps, delta), how.__name__


def main() -> None:
    lines = [("rate", "noise_multiplier", "steps", "delta", "epsilon", "how")]
    for row in ROWS:
        value, how = epsilon(*row)
        lines.append((*row, f"{value:.10g}", how))
    with Path(__file__).with_name("accounting.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


if __name__ == "__main__":
    main()
