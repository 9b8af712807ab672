"""Losses of linear classifiers and their gradients, against definitions in plain loops."""

import mpmath
import numpy as np
import pytest

from dpcore.training import losses

# Both sides are the same number in double precision, computed in another order.
ROUNDING = 1e-9
# Sums of a few numbers near 1 lose some of 16 digits.
ROUNDING_OF_SUMS = 1e-12
# A slope is a difference quotient of losses with 16 digits.
SLOPE_ERROR = 1e-8

CLASSES = pytest.mark.parametrize("n_classes", [2, 3, 5])
SCALES = pytest.mark.parametrize("scale", [2.0, 1e3])


def problem(n_classes: int, *, n=12, p=4, models=3, scale=2.0):
    """Return random weights (models, k, p), inputs (n, p) and classes (n,)."""
    rng = np.random.default_rng(n_classes)
    weights = rng.normal(scale=scale, size=(models, losses.outputs(n_classes), p))
    return weights, rng.normal(size=(n, p)), rng.integers(0, n_classes, n)


def exact_loss(z: np.ndarray, label: int) -> float:
    """Return -ln of the probability of the label; two classes have the logits (0, z)."""
    # e^-3000 counts beside 1.
    with mpmath.workdps(400):
        logits = [mpmath.mpf(float(value)) for value in z]
        if len(logits) == 1:
            logits = [mpmath.mpf(0), *logits]
        total = mpmath.fsum(mpmath.exp(value) for value in logits)
        return float(mpmath.log(total) - logits[label])


def exact_losses(weights, X, y) -> np.ndarray:
    """Return the loss of each model for each row, (models, n)."""
    z = losses.logits(weights, X)
    exact = []
    for model in range(len(weights)):
        exact.append([exact_loss(z[model, :, row], y[row]) for row in range(len(X))])
    return np.array(exact)


@SCALES
@CLASSES
def test_a_loss_is_minus_the_log_probability(n_classes, scale):
    weights, X, y = problem(n_classes, scale=scale)

    values = losses.values(losses.logits(weights, X), y)

    np.testing.assert_allclose(
        values, exact_losses(weights, X, y), rtol=ROUNDING, atol=ROUNDING_OF_SUMS
    )


@SCALES
@CLASSES
def test_the_mean_loss_of_a_model_is_over_its_rows(n_classes, scale):
    weights, X, y = problem(n_classes, scale=scale)

    means = losses.mean_loss(weights, X, y)

    np.testing.assert_allclose(means, exact_losses(weights, X, y).mean(axis=1), rtol=ROUNDING)


@SCALES
@CLASSES
def test_the_expected_loss_weighs_the_loss_of_each_class(n_classes, scale):
    weights, X, _ = problem(n_classes, scale=scale)
    z = losses.logits(weights, X)
    shares = np.random.default_rng(1).dirichlet(np.ones(n_classes), len(X)).T

    expected = losses.expected_values(z, shares)

    of_class = [losses.values(z, np.full(len(X), label)) for label in range(n_classes)]
    weighted = np.einsum("kn,krn->rn", shares, of_class)
    np.testing.assert_allclose(expected, weighted, rtol=ROUNDING_OF_SUMS, atol=ROUNDING_OF_SUMS)


@CLASSES
def test_residuals_are_the_slopes_of_the_loss(n_classes):
    weights, X, y = problem(n_classes)
    z = losses.logits(weights, X)
    h = 1e-6

    residuals = losses.residuals(z, y)

    for output in range(z.shape[1]):
        step = np.zeros_like(z)
        step[:, output] = h
        slope = (losses.values(z + step, y) - losses.values(z - step, y)) / (2 * h)
        np.testing.assert_allclose(residuals[:, output], slope, atol=SLOPE_ERROR)


@CLASSES
def test_gradients_are_products_of_residuals_and_inputs(n_classes):
    weights, X, y = problem(n_classes)
    residuals = losses.residuals(losses.logits(weights, X), y)

    norms = losses.gradient_norms(weights, X, y)

    # (models, k, 1, n) by (p, n).
    gradients = residuals[:, :, None] * X.T
    np.testing.assert_allclose(norms, np.linalg.norm(gradients, axis=(1, 2)), rtol=ROUNDING_OF_SUMS)


@CLASSES
def test_the_lipschitz_constant_is_a_bound_and_attained(n_classes):
    loss = "softmax"
    if n_classes == 2:
        loss = "logistic"
    weights, X, y = problem(n_classes, n=400, scale=50.0)

    residuals = losses.residuals(losses.logits(weights, X), y)

    largest = np.linalg.norm(residuals, axis=-2).max()
    bound = losses.LIPSCHITZ[loss]
    assert 0.999 * bound < largest <= bound * (1 + 1e-12)


@CLASSES
def test_the_smoothness_constant_is_a_bound_and_attained(n_classes):
    """It bounds the eigenvalues of the Hessian, whose columns are differences of residuals."""
    bound = 0.5
    if n_classes == 2:
        bound = 0.25
    k = losses.outputs(n_classes)
    z = np.random.default_rng(0).normal(scale=4, size=(300, k))
    # Two equally likely classes, and no other.
    z[0] = -40.0
    z[0, :2] = 0.0
    y = np.zeros(300, dtype=int)
    h = 1e-5

    columns = []
    for direction in np.eye(k):
        above = losses.residuals((z + h * direction).T, y)
        below = losses.residuals((z - h * direction).T, y)
        columns.append((above - below).T / (2 * h))

    largest = np.linalg.eigvalsh(np.stack(columns, axis=-1))[:, -1]
    assert largest.max() <= bound * (1 + SLOPE_ERROR)
    assert largest[0] == pytest.approx(bound, rel=SLOPE_ERROR)


PREDICTION_SCALES = pytest.mark.parametrize("scale", [1.0, 1e4])


@PREDICTION_SCALES
@CLASSES
def test_probabilities_sum_to_one(n_classes, scale):
    weights, X, _ = problem(n_classes, scale=scale)

    probabilities = losses.probabilities(losses.logits(weights, X))

    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=ROUNDING_OF_SUMS)


@PREDICTION_SCALES
@CLASSES
def test_the_likeliest_class_is_predicted(n_classes, scale):
    weights, X, _ = problem(n_classes, scale=scale)

    predictions = losses.predict(weights, X)

    probabilities = losses.probabilities(losses.logits(weights, X))
    np.testing.assert_array_equal(predictions, probabilities.argmax(axis=1))


@PREDICTION_SCALES
@CLASSES
def test_accuracy_is_the_share_of_right_predictions(n_classes, scale):
    weights, X, y = problem(n_classes, scale=scale)

    accuracies = losses.accuracy(weights, X, y)

    shares = [(prediction == y).mean() for prediction in losses.predict(weights, X)]
    np.testing.assert_allclose(accuracies, shares)


def test_the_first_of_equally_likely_classes_is_predicted():
    z = np.random.default_rng(0).integers(0, 4, (30, 5, 40)).astype(float)

    np.testing.assert_array_equal(losses.likeliest(z), z.argmax(axis=1))
    np.testing.assert_array_equal(losses.likeliest(z[:, :1] - 1, dtype=np.uint8), z[:, 0] > 1)
