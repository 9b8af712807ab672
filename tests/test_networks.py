"""Networks: shapes, starts, logits, and the norms of single gradients that are never formed."""

import network_oracles as plain
import numpy as np
import pytest

from dpcore import check
from dpcore.training import networks
from dpcore.training.networks import Architecture, Pass

SIZES = [(3, 2), (2, 4), (3, 5, 2), (2, 4, 3, 5), (2, 3, 4, 3, 2)]


def problem(sizes, activation="tanh", *, models=3, n=12, scale=1.0, seed=0):
    rng = np.random.default_rng([len(sizes), seed])
    net = Architecture(sizes=sizes, activation=activation)
    weights = net.start(seed, range(models)) + 0.3 * rng.normal(size=(models, net.parameters))
    return net, scale * weights, rng.normal(size=(n, sizes[0])), rng.integers(0, sizes[-1], n)


@pytest.mark.parametrize(("scale", "rtol", "atol"), [(1.0, 0, 1e-10), (30.0, 1e-9, 1e-9)], ids=["usual", "sure"])
@pytest.mark.parametrize("activation", networks.ACTIVATIONS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_norms_are_those_of_gradients_written_out(sizes, activation, scale, rtol, atol):
    """Also with logits in the hundreds: residuals of 0 and 1 to the last digit, and nothing overflows."""
    net, weights, X, y = problem(sizes, activation, scale=scale)
    found = networks.gradient_norms(net, weights, X, y)
    assert found.shape == (len(sizes) - 1, 3, 12)
    for model, w in enumerate(weights):
        for row, (x, label) in enumerate(zip(X, y, strict=True)):
            gradients = plain.gradient(plain.cut(sizes, w), x, label, activation=activation)
            each = [np.linalg.norm(g) for g in gradients]
            np.testing.assert_allclose(found[:, model, row], each, rtol=rtol, atol=atol)


@pytest.mark.parametrize("activation", networks.ACTIVATIONS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_logits_are_those_whose_loss_is_known(sizes, activation):
    net, weights, X, y = problem(sizes, activation)
    z, single = net.logits(weights, X), net.logits(weights.astype(np.float32), X)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, z, atol=1e-5)
    assert z.shape == (3, sizes[-1], 12)
    losses = np.log(np.exp(z).sum(axis=1)) - z[:, y, np.arange(12)]
    for model, w in enumerate(weights):
        layers = plain.cut(sizes, w)
        plainly = [plain.loss(layers, x, label, activation=activation) for x, label in zip(X, y, strict=True)]
        np.testing.assert_allclose(losses[model], plainly, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 2.5e-7), (np.float64, 5e-16)])
def test_tanh_is_tanh_from_end_to_end(dtype, error):
    """One hidden unit that sees x, and a logit that sees it: tanh(x), without a warning where e^{2x} overflows."""
    weights = np.array([[1.0, 0.0, 1.0, 0.0, 0.0, 0.0]], dtype)
    x = np.concatenate([np.linspace(-9, 9, 2001), [-1e30, -400, -45, -1e-9, 0, 1e-9, 45, 400, 1e30]])
    found = Architecture(sizes=(1, 1, 2)).logits(weights, x[:, None].astype(dtype))[0, 0]
    np.testing.assert_allclose(found, np.tanh(x.astype(dtype).astype(float)), rtol=0, atol=error)


def test_a_pass_takes_lots_of_any_width_in_turn():
    """One store serves them all: what an earlier, wider lot left there must not show."""
    net, weights, X, y = problem((3, 5, 4, 2), n=30)
    both = Pass(net, models=3, width=4, dtype=np.float64)
    for width in (4, 30, 1, 17, 30, 2):
        both.fit(width)
        both.inputs[:-1] = X[:width].T[:, None]
        both.forward(net.layers(weights))
        truth = networks.one_hot(y[:width], 2, np.float64)[:, None]
        both.backward(net.layers(weights), truth, np.square(X[:width]).sum(axis=1) + 1)
        np.testing.assert_allclose(
            np.sqrt(np.stack(both.squares)), networks.gradient_norms(net, weights, X, y)[..., :width], atol=1e-13
        )


def test_starts_have_their_law_and_their_own_stream():
    net = Architecture(sizes=(4, 6, 3))
    weights = net.start(5, range(400))
    for layer, (inputs, outputs) in zip(net.layers(weights), [(4, 6), (6, 3)], strict=True):
        assert (layer[..., -1] == 0).all()
        reach = np.sqrt(6 / (inputs + outputs))
        assert 0.99 * reach < np.abs(layer).max() <= reach
        assert layer[..., :-1].std() == pytest.approx(reach / np.sqrt(3), rel=0.02)
    np.testing.assert_array_equal(net.start(5, [7, 3]), weights[[7, 3]])
    assert np.abs(net.start(6, [0]) - weights[0]).max() > 0.1


def test_bad_architectures_are_refused_by_name():
    for name, value in (("sizes", (2,)), ("sizes", (2, 1)), ("sizes", (0, 2)), ("activation", "sine")):
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            Architecture(**{"sizes": (2, 3, 2), name: value})
