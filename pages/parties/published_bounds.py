"""Published bounds on excess risk, and on the noise if a public row may change."""

import math

# The constant c of Theorem 4: the largest second derivative of the logistic loss.
_LOGISTIC_CURVATURE = 0.25


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
    """Return the parts of the bound on R(released) - R(w_0) of [hamm2016, Theorem 4].

    It is for two classes, and holds with probability 1 - d_p - d_s. Each of d_p and d_s is half of
    ``failure``.

        noise: 4 d^2 (c + lambda) log^2(d / d_p) / (lambda^2 M^2 epsilon^2)
        rows: 16 (32 + log(1 / d_s)) / (lambda N)
        regularisation: (lambda / 2) ||w_0||^2

    parties: M. public_rows: N. inputs: d. regularisation: lambda.
    reference_norm: the norm of w_0.
    """
    half = failure / 2
    curvature = _LOGISTIC_CURVATURE + regularisation
    numerator = 4 * inputs**2 * curvature * math.log(inputs / half) ** 2
    return {
        "noise": numerator / (regularisation * parties * epsilon) ** 2,
        "rows": 16 * (32 + math.log(1 / half)) / (regularisation * public_rows),
        "regularisation": regularisation / 2 * reference_norm**2,
    }


def auxiliary_factor(*, parties: int, public_rows: int) -> float:
    """Return the factor on the noise of soft labels if one *public* row may change too [hamm2016,
    Section 4.5].

    It is (N + M - 1) / N, because a party changes labels by 1 / M on each of N rows, and a row
    changes one of N.
    """
    return (public_rows + parties - 1) / public_rows
