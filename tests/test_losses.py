"""Losses of linear classifiers against their definitions, in plain loops and to high precision."""

import mpmath
import numpy as np
import pytest

from dpcore.training import losses

CLASSES = [2, 3, 5]


def problem(n_classes: int, *, n=12, p=4, models=3, scale=2.0):
    rng = np.random.default_rng(n_classes)
    weights = rng.normal(scale=scale, size=(models, losses.outputs(n_classes), p))
    return weights, rng.normal(size=(n, p)), rng.integers(0, n_classes, n)


def exact_loss(z, label) -> mpmath.mpf:
    """-ln of the probability of the label; two classes have the logits (0, z)."""
    z = [mpmath.mpf(float(value)) for value in ([0, *z] if len(z) == 1 else z)]
    return mpmath.log(mpmath.fsum(mpmath.exp(value) for value in z)) - z[label]


@pytest.mark.parametrize("scale", [2.0, 1e3])
@pytest.mark.parametrize("n_classes", CLASSES)
def test_values_are_minus_the_log_probability(n_classes, scale):
    weights, X, y = problem(n_classes, scale=scale)
    z = losses.logits(weights, X)
    with mpmath.workdps(400):  # e^{-3000} beside 1
        exact = [[float(exact_loss(z[m, :, i], y[i])) for i in range(len(X))] for m in range(len(weights))]
    np.testing.assert_allclose(losses.values(z, y), exact, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(losses.mean_loss(weights, X, y), np.mean(exact, axis=1), rtol=1e-9)
    shares = np.random.default_rng(1).dirichlet(np.ones(n_classes), len(X)).T
    by_class = [losses.values(z, np.full(len(X), label)) for label in range(n_classes)]
    expected = np.einsum("kn,krn->rn", shares, by_class)
    np.testing.assert_allclose(losses.expected_values(z, shares), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_classes", CLASSES)
def test_residuals_are_the_derivative_by_finite_differences_and_gradients_their_products(n_classes):
    weights, X, y = problem(n_classes)
    z, h = losses.logits(weights, X), 1e-6
    found = losses.residuals(z, y)
    for k in range(z.shape[1]):
        step = np.zeros_like(z)
        step[:, k] = h
        slope = (losses.values(z + step, y) - losses.values(z - step, y)) / (2 * h)
        np.testing.assert_allclose(found[:, k], slope, atol=1e-8)
    explicit = np.linalg.norm(found[:, :, None] * X.T[:, :], axis=(1, 2))
    np.testing.assert_allclose(losses.gradient_norms(weights, X, y), explicit, rtol=1e-12)


@pytest.mark.parametrize("n_classes", CLASSES)
def test_the_lipschitz_constant_bounds_each_residual_and_is_attained(n_classes):
    bound = losses.LIPSCHITZ["logistic" if n_classes == 2 else "softmax"]
    weights, X, y = problem(n_classes, n=400, scale=50.0)
    norms = np.linalg.norm(losses.residuals(losses.logits(weights, X), y), axis=-2)
    assert norms.max() <= bound * (1 + 1e-12)
    assert norms.max() > 0.999 * bound


@pytest.mark.parametrize("n_classes", CLASSES)
def test_the_smoothness_constant_bounds_the_hessian_and_is_attained(n_classes):
    bound = 0.25 if n_classes == 2 else 0.5
    rng, k = np.random.default_rng(0), losses.outputs(n_classes)
    z = rng.normal(scale=4, size=(300, k))
    z[0] = [0.0] if k == 1 else [0.0, 0.0, *[-40.0] * (k - 2)]
    h, y = 1e-5, np.zeros(300, dtype=int)
    columns = [(losses.residuals((z + h * e).T, y) - losses.residuals((z - h * e).T, y)).T / (2 * h) for e in np.eye(k)]
    largest = np.linalg.eigvalsh(np.stack(columns, axis=-1))[:, -1]
    assert largest.max() <= bound * (1 + 1e-8)
    assert largest[0] == pytest.approx(bound, rel=1e-8)


@pytest.mark.parametrize("scale", [1.0, 1e4])
@pytest.mark.parametrize("n_classes", CLASSES)
def test_probabilities_sum_to_one_and_their_largest_is_predicted(n_classes, scale):
    weights, X, y = problem(n_classes, scale=scale)
    found = losses.probabilities(losses.logits(weights, X))
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-14)
    prediction = losses.predict(weights, X)
    np.testing.assert_array_equal(prediction, found.argmax(axis=1))
    np.testing.assert_allclose(losses.accuracy(weights, X, y), [(said == y).mean() for said in prediction])


def test_the_first_of_those_that_tie_is_chosen():
    z = np.random.default_rng(0).integers(0, 4, (30, 5, 40)).astype(float)
    np.testing.assert_array_equal(losses.chosen(z), z.argmax(axis=1))
    np.testing.assert_array_equal(losses.chosen(z[:, :1] - 1, dtype=np.uint8), z[:, 0] > 1)
