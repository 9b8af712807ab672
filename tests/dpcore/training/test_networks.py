"""Multilayer perceptrons against networks that are written out, one row at a time."""

import numpy as np
import pytest
from scipy.special import logsumexp

from dpcore import check
from dpcore.training import network_gradients
from dpcore.training.networks import Architecture, Pass
from tests import network_oracles as plain

# Double precision: engine and plain loops sum the same numbers in another order.
ROUNDING = 1e-10
# Seven digits, of which products and sums lose up to two.
SINGLE_PRECISION = 1e-5
# Columns of zeros change the order of sums.
ROUNDING_OF_PADDING = 1e-13
# Four standard errors of the deviation of so many random weights.
CHANCE = 0.02

SIZES = pytest.mark.parametrize(
    "sizes", [(3, 2), (2, 4), (3, 5, 2), (2, 4, 3, 5), (2, 3, 4, 3, 2)], ids=str
)
# With logits in the hundreds, residuals are 0 and 1 to the last digit, and nothing may overflow.
SCALES = pytest.mark.parametrize(
    ("scale", "rtol", "atol"),
    [pytest.param(1.0, 0, 1e-10, id="usual"), pytest.param(30.0, 1e-9, 1e-9, id="certain")],
)


def random_networks(sizes, *, models=3, n=12, scale=1.0):
    """Return (architecture, weights (models, P), inputs (n, d), classes (n,))."""
    rng = np.random.default_rng([len(sizes), 0])
    architecture = Architecture(sizes=sizes)
    noise = rng.normal(size=(models, architecture.parameters))
    weights = architecture.start(0, range(models)) + 0.3 * noise
    return (
        architecture,
        scale * weights,
        rng.normal(size=(n, sizes[0])),
        rng.integers(0, sizes[-1], n),
    )


@SCALES
@SIZES
def test_gradient_norms_are_those_of_networks_written_out(sizes, scale, rtol, atol):
    net, weights, X, y = random_networks(sizes, scale=scale)

    norms = network_gradients.gradient_norms(net, weights, X, y)

    assert norms.shape == (len(sizes) - 1, 3, 12)
    for model, row in np.ndindex(3, 12):
        layers = plain.cut(sizes, weights[model])
        gradients = plain.gradient(layers, X[row], y[row])
        expected = [np.linalg.norm(gradient) for gradient in gradients]
        np.testing.assert_allclose(norms[:, model, row], expected, rtol=rtol, atol=atol)


@SCALES
@SIZES
def test_losses_are_those_of_networks_written_out(sizes, scale, rtol, atol):
    net, weights, X, y = random_networks(sizes, scale=scale)

    z = net.logits(weights, X)

    assert z.shape == (3, sizes[-1], 12)
    losses = logsumexp(z, axis=1) - z[:, y, np.arange(12)]
    for model, row in np.ndindex(3, 12):
        layers = plain.cut(sizes, weights[model])
        expected = plain.loss(layers, X[row], y[row])
        assert losses[model, row] == pytest.approx(expected, rel=ROUNDING, abs=ROUNDING)


@SCALES
@SIZES
def test_single_precision_hardly_changes_the_logits(sizes, scale, rtol, atol):
    net, weights, X, _ = random_networks(sizes, scale=scale)

    single = net.logits(weights.astype(np.float32), X)

    assert single.dtype == np.float32
    np.testing.assert_allclose(
        single, net.logits(weights, X), rtol=SINGLE_PRECISION, atol=1e-5 * scale
    )


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 2.5e-7), (np.float64, 5e-16)])
def test_tanh_is_exact_from_end_to_end(dtype, error):
    """One hidden unit sees x, and a logit sees the unit. Nothing warns where e^(2x) overflows."""
    weights = np.array([[1.0, 0.0, 1.0, 0.0, 0.0, 0.0]], dtype)
    extremes = [-1e30, -400, -45, -1e-9, 0, 1e-9, 45, 400, 1e30]
    x = np.concatenate([np.linspace(-9, 9, 2001), extremes]).astype(dtype)

    logits = Architecture(sizes=(1, 1, 2)).logits(weights, x[:, None])[0, 0]

    np.testing.assert_allclose(logits, np.tanh(x.astype(float)), rtol=0, atol=error)


def test_a_pass_takes_batches_of_any_width_in_turn():
    """One store serves them all, and what an earlier, wider batch left there must not show."""
    net, weights, X, y = random_networks((3, 5, 4, 2), n=30)
    layers = net.layers(weights)
    norms = network_gradients.gradient_norms(net, weights, X, y)
    both_ways = Pass(net, models=3, width=4, dtype=np.float64)

    for width in (4, 30, 1, 17, 30, 2):
        both_ways.fit(width)
        both_ways.inputs[:-1] = X[:width].T[:, None]
        both_ways.forward(layers)
        truth = network_gradients.one_hot(y[:width], 2, np.float64)
        input_squares = np.square(X[:width]).sum(axis=1) + 1
        both_ways.backward(layers, truth[:, None], input_squares)

        of_width = np.sqrt(np.stack(both_ways.squares))
        np.testing.assert_allclose(of_width, norms[..., :width], atol=ROUNDING_OF_PADDING)


NET = Architecture(sizes=(4, 6, 3))


@pytest.mark.parametrize(("layer", "inputs", "outputs"), [(0, 4, 6), (1, 6, 3)])
def test_initial_weights_are_uniform_and_biases_0(layer, inputs, outputs):
    weights = NET.layers(NET.start(5, range(400)))[layer]

    reach = np.sqrt(6 / (inputs + outputs))
    assert (weights[..., -1] == 0).all()
    assert 0.99 * reach < np.abs(weights).max() <= reach
    assert weights[..., :-1].std() == pytest.approx(reach / np.sqrt(3), rel=CHANCE)


def test_each_network_has_its_own_stream_of_initial_weights():
    seed, other_seed = 5, 6

    weights = NET.start(seed, range(10))

    assert np.abs(weights[7] - weights[3]).max() > 0.1
    np.testing.assert_array_equal(NET.start(seed, [7, 3]), weights[[7, 3]])
    assert np.abs(NET.start(other_seed, [0]) - weights[0]).max() > 0.1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("sizes", (2,), id="no classes"),
        pytest.param("sizes", (2, 1), id="one class"),
        pytest.param("sizes", (0, 2), id="no features"),
    ],
)
def test_impossible_architectures_are_refused(name, value):
    arguments = {"sizes": (2, 3, 2), name: value}

    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        Architecture(**arguments)
