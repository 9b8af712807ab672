"""Private linear regression without its noise, and the sensitivity of the exact optimum."""

import math

import numpy as np
import pytest
from scipy import optimize

from dpcore.accountants import gdp
from dpcore.regression import functional, gaussian_statistics, least_squares, perturbation
from dpcore.regression.descent import Descent
from dpcore.regression.least_squares import Statistics
from tests.oracles import data_of, quiet, rows_of

# What is left of noise and repair at a huge epsilon.
SMALL_RIDGE = 1e-6
# Both solve the same equations in double precision.
ROUNDING = 1e-12
# Inverses of matrices with small eigenvalues lose digits.
ROUNDING_OF_INVERSE = 1e-9
# The general solver ends at about so many digits.
SOLVER_ERROR = 1e-5

INPUTS = 4


def least_squares_of(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the weights of least squares, (p,)."""
    weights, *_ = np.linalg.lstsq(X, y, rcond=None)
    return weights


def ridge_of(X: np.ndarray, y: np.ndarray, ridge: float) -> np.ndarray:
    """Return the weights (p,) that minimise the sum of squared residuals plus ridge ||w||^2."""
    return np.linalg.solve(X.T @ X + ridge * np.eye(INPUTS), X.T @ y)


@pytest.mark.parametrize(
    "mechanism",
    [
        functional.Published(),
        functional.Functional(),
        gaussian_statistics.GaussianStatistics(),
        Descent(steps=4000, radius=5.0, clip_norm=50.0),
        perturbation.OutputPerturbation(penalty=1e-10, radius=5.0),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_without_noise_a_mechanism_is_least_squares(mechanism):
    X, y = rows_of()

    # So large that the ridge of a repair, which follows the noise, is next to nothing.
    weights = quiet(mechanism, data_of(mechanism, X, y), epsilon=1e10)

    np.testing.assert_allclose(weights, least_squares_of(X, y), atol=SMALL_RIDGE)


def test_the_ridge_of_a_repair_is_four_standard_deviations_of_the_noise():
    X, y = rows_of()
    mechanism = functional.Functional()
    gram_scale, _ = mechanism.scales(INPUTS, np.array(1.0))
    standard_deviation = math.sqrt(2) * gram_scale

    weights = quiet(mechanism, Statistics.of(X, y))

    expected = ridge_of(X, y, 4 * standard_deviation)
    np.testing.assert_allclose(weights, expected, atol=ROUNDING)


class TestAdaSSP:
    def test_adassp_is_ridge_regression_where_the_least_eigenvalue_is_in_doubt(self):
        X, y = rows_of()
        least_eigenvalue, *_ = np.linalg.eigvalsh(X.T @ X)
        # One of three equal releases, at epsilon 1 and delta 1e-6.
        multiplier = math.sqrt(3) / gdp.mu_of(1.0, delta=1e-6)
        doubt = INPUTS * multiplier * math.sqrt(math.log(6e6))
        sure_part = max(least_eigenvalue - doubt, 0)
        gram_noise = math.sqrt(2) * INPUTS * multiplier
        # The bound on the norm of the noise matrix, with probability 0.95.
        wanted = gram_noise * math.sqrt(INPUTS * math.log(2 * INPUTS**2 / 0.05))
        ridge = wanted - sure_part

        weights = quiet(gaussian_statistics.AdaSSP(), Statistics.of(X, y))

        assert ridge > 0
        np.testing.assert_allclose(weights, ridge_of(X, y, ridge), atol=ROUNDING)

    def test_adassp_is_least_squares_where_the_least_eigenvalue_is_sure(self):
        X, y = rows_of()

        weights = quiet(gaussian_statistics.AdaSSP(), Statistics.of(X, y), epsilon=1e4)

        np.testing.assert_allclose(weights, least_squares_of(X, y), atol=ROUNDING_OF_INVERSE)


class TestOutputPerturbation:
    @pytest.mark.parametrize("radius", [0.1, 0.4, 10.0])
    def test_output_perturbation_starts_from_the_ridge_regression_in_its_ball(self, radius):
        X, y = rows_of()
        penalty = 0.1
        in_ball = {"type": "ineq", "fun": lambda w: radius**2 - w @ w}

        def objective(w: np.ndarray) -> float:
            """Return half the mean squared residual, plus the penalty, at these weights."""
            return np.square(X @ w - y).mean() / 2 + penalty / 2 * w @ w

        mechanism = perturbation.OutputPerturbation(penalty=penalty, radius=radius)
        weights = quiet(mechanism, Statistics.of(X, y))

        best = optimize.minimize(
            objective, np.full(INPUTS, 0.01), constraints=in_ball, options={"ftol": 1e-14}
        )
        np.testing.assert_allclose(weights, best.x, atol=SOLVER_ERROR)

    @pytest.mark.parametrize(
        ("penalty", "reached"),
        [
            pytest.param(0.01, 0.01, id="small penalty"),
            pytest.param(0.3, 0.01, id="medium penalty"),
            pytest.param(40.0, 0.8, id="large penalty"),
        ],
    )
    def test_no_neighbour_moves_the_optimum_further_than_the_sensitivity(self, penalty, reached):
        """Random and extreme neighbours of 3 rows; a large penalty nearly reaches the bound."""
        rng = np.random.default_rng(0)
        n = 3
        mechanism = perturbation.OutputPerturbation(penalty=penalty, radius=1.0)
        bound = mechanism.l2_sensitivity(penalty, inputs=3, rows=n)
        furthest = 0.0
        for case in range(300):
            X = np.column_stack([np.ones(n), rng.choice([-1.0, 1.0], (n, 2))])
            y = rng.choice([-1.0, 1.0], n)
            changed_X = X.copy()
            changed_y = y.copy()
            if case % 2 == 0:
                changed_X[0, 1:] = rng.uniform(-1, 1, 2)
                changed_y[0] = rng.uniform(-1, 1)
            else:
                changed_y[0] = -y[0]

            weights = quiet(mechanism, Statistics.of(X, y))
            changed_weights = quiet(mechanism, Statistics.of(changed_X, changed_y))

            furthest = max(furthest, float(np.linalg.norm(weights - changed_weights)))

        assert furthest <= bound
        assert furthest > reached * bound


def test_trimming_leaves_out_directions_of_negative_curvature():
    rng = np.random.default_rng(0)
    rotation, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    eigenvalues = np.array([-3.0, -1e-12, 2.0, 5.0])
    gram = rotation @ np.diag(eigenvalues) @ rotation.T
    moment = rotation @ np.ones(4)

    weights = least_squares.repaired(gram, moment, ridge=np.array(0.0))

    inverse_of_positive_ones = np.array([0, 0, 1 / 2, 1 / 5])
    np.testing.assert_allclose(
        weights, rotation @ inverse_of_positive_ones, atol=ROUNDING_OF_INVERSE
    )
