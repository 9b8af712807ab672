"""Published bounds: on excess risk, on the length of noise, and on what a public row that may
change costs.
"""

import math


def theorem_four(
    *,
    parties: float,
    public_rows: int,
    inputs: int,
    regularisation: float,
    epsilon: float,
    reference_norm: float,
    failure: float = 0.05,
) -> dict[str, float]:
    """Return the three terms of the bound on R(released) - R(reference) of [hamm2016, Theorem 4],
    for two classes.

        noise: 4 d^2 (c + lambda) log^2(d/d_p) / (lambda^2 M^2 epsilon^2), c = 1/4
        rows: 16 (32 + log(1/d_s)) / (lambda N)            regularisation: (lambda/2) ||w_0||^2

    with probability 1 - d_p - d_s; half of ``failure`` each.
    """
    half, lam = failure / 2, regularisation
    noise = (
        4 * inputs**2 * (0.25 + lam) * math.log(inputs / half) ** 2 / (lam * parties * epsilon) ** 2
    )
    rows = 16 * (32 + math.log(1 / half)) / (lam * public_rows)
    return {"noise": noise, "rows": rows, "regularisation": lam / 2 * reference_norm**2}


def longest_noise(
    sensitivity: float, *, dimensions: int, epsilon: float, failure: float = 0.025
) -> float:
    """Return D log(D/failure) sensitivity / epsilon, exceeded with probability ``failure``
    [chaudhuri2011, Lemma 4].
    """
    return dimensions * math.log(dimensions / failure) * sensitivity / epsilon


def auxiliary_factor(release: str, *, parties: int, public_rows: int) -> float:
    """Return the factor on the noise if one *public* row may change too [hamm2016, Section 4.5].

    A party changes soft labels by 1/M on each of N rows, a row changes one of N: (N + M - 1)/N. A
    vote needs no factor.
    """
    return (public_rows + parties - 1) / public_rows if release == "soft" else 1.0
