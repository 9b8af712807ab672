"""Losses, their gradients and noisy gradient descent, against definitions in plain loops."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from dpcore import accountants, check, streams
from dpcore.privacy import Adjacency
from dpcore.training import clipping, descent, losses, network_gradients, networks
from dpcore.training.networks import Architecture, Pass
from tests import network_oracles as plain
from tests import oracles

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
        exact = [
            [float(exact_loss(z[m, :, i], y[i])) for i in range(len(X))]
            for m in range(len(weights))
        ]
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
def test_the_lipschitz_and_smoothness_constants_are_bounds_and_attained(n_classes):
    bound = losses.LIPSCHITZ["logistic" if n_classes == 2 else "softmax"]
    weights, X, y = problem(n_classes, n=400, scale=50.0)
    norms = np.linalg.norm(losses.residuals(losses.logits(weights, X), y), axis=-2)
    assert 0.999 * bound < norms.max() <= bound * (1 + 1e-12)
    bound = 0.25 if n_classes == 2 else 0.5  # of the Hessian's eigenvalues
    rng, k = np.random.default_rng(0), losses.outputs(n_classes)
    z = rng.normal(scale=4, size=(300, k))
    z[0] = [0.0] if k == 1 else [0.0, 0.0, *[-40.0] * (k - 2)]
    h, y = 1e-5, np.zeros(300, dtype=int)
    columns = [
        (losses.residuals((z + h * e).T, y) - losses.residuals((z - h * e).T, y)).T / (2 * h)
        for e in np.eye(k)
    ]
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
    np.testing.assert_allclose(
        losses.accuracy(weights, X, y), [(said == y).mean() for said in prediction]
    )
    z = (
        np.random.default_rng(0).integers(0, 4, (30, 5, 40)).astype(float)
    )  # the first of those that tie
    np.testing.assert_array_equal(losses.likeliest(z), z.argmax(axis=1))
    np.testing.assert_array_equal(losses.likeliest(z[:, :1] - 1, dtype=np.uint8), z[:, 0] > 1)


SIZES = [(3, 2), (2, 4), (3, 5, 2), (2, 4, 3, 5), (2, 3, 4, 3, 2)]


def some_net(sizes, activation="tanh", *, models=3, n=12, scale=1.0, seed=0):
    rng = np.random.default_rng([len(sizes), seed])
    net = Architecture(sizes=sizes, activation=activation)
    weights = net.start(seed, range(models)) + 0.3 * rng.normal(size=(models, net.parameters))
    return net, scale * weights, rng.normal(size=(n, sizes[0])), rng.integers(0, sizes[-1], n)


@pytest.mark.parametrize(
    ("scale", "rtol", "atol"), [(1.0, 0, 1e-10), (30.0, 1e-9, 1e-9)], ids=["usual", "sure"]
)
@pytest.mark.parametrize("activation", networks.ACTIVATIONS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_losses_and_gradients_of_networks_are_those_written_out(
    sizes, activation, scale, rtol, atol
):
    """Also with logits in the hundreds: residuals of 0 and 1 to the last digit, and nothing
    overflows.
    """
    net, weights, X, y = some_net(sizes, activation, scale=scale)
    norms, z = network_gradients.gradient_norms(net, weights, X, y), net.logits(weights, X)
    assert (norms.shape, z.shape) == ((len(sizes) - 1, 3, 12), (3, sizes[-1], 12))
    found = logsumexp(z, axis=1) - z[:, y, np.arange(12)]
    for model, row in np.ndindex(3, 12):
        layers, how = plain.cut(sizes, weights[model]), {"activation": activation}
        each = [np.linalg.norm(g) for g in plain.gradient(layers, X[row], y[row], **how)]
        np.testing.assert_allclose(norms[:, model, row], each, rtol=rtol, atol=atol)
        assert found[model, row] == pytest.approx(
            plain.loss(layers, X[row], y[row], **how), rel=1e-10, abs=1e-11
        )
    single = net.logits(weights.astype(np.float32), X)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, z, rtol=1e-5, atol=1e-5 * scale)


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 2.5e-7), (np.float64, 5e-16)])
def test_tanh_is_tanh_from_end_to_end(dtype, error):
    """One hidden unit that sees x, and a logit that sees it: tanh(x), without a warning where
    e^{2x} overflows.
    """
    weights = np.array([[1.0, 0.0, 1.0, 0.0, 0.0, 0.0]], dtype)
    x = np.concatenate(
        [np.linspace(-9, 9, 2001), [-1e30, -400, -45, -1e-9, 0, 1e-9, 45, 400, 1e30]]
    )
    found = Architecture(sizes=(1, 1, 2)).logits(weights, x[:, None].astype(dtype))[0, 0]
    np.testing.assert_allclose(found, np.tanh(x.astype(dtype).astype(float)), rtol=0, atol=error)


def test_a_pass_takes_lots_of_any_width_in_turn():
    """One store serves them all: what an earlier, wider batch left there must not show."""
    net, weights, X, y = some_net((3, 5, 4, 2), n=30)
    both = Pass(net, models=3, width=4, dtype=np.float64)
    for width in (4, 30, 1, 17, 30, 2):
        both.fit(width)
        both.inputs[:-1] = X[:width].T[:, None]
        both.forward(net.layers(weights))
        truth = network_gradients.one_hot(y[:width], 2, np.float64)[:, None]
        both.backward(net.layers(weights), truth, np.square(X[:width]).sum(axis=1) + 1)
        np.testing.assert_allclose(
            np.sqrt(np.stack(both.squares)),
            network_gradients.gradient_norms(net, weights, X, y)[..., :width],
            atol=1e-13,
        )


def test_starts_have_their_law_and_their_own_stream_and_bad_architectures_are_refused():
    net = Architecture(sizes=(4, 6, 3))
    weights = net.start(5, range(400))
    for layer, (inputs, outputs) in zip(net.layers(weights), [(4, 6), (6, 3)], strict=True):
        assert (layer[..., -1] == 0).all()
        reach = np.sqrt(6 / (inputs + outputs))
        assert 0.99 * reach < np.abs(layer).max() <= reach
        assert layer[..., :-1].std() == pytest.approx(reach / np.sqrt(3), rel=0.02)
    np.testing.assert_array_equal(net.start(5, [7, 3]), weights[[7, 3]])
    assert np.abs(net.start(6, [0]) - weights[0]).max() > 0.1
    for name, value in (
        ("sizes", (2,)),
        ("sizes", (2, 1)),
        ("sizes", (0, 2)),
        ("activation", "sine"),
    ):
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            Architecture(**{"sizes": (2, 3, 2), name: value})


MODELS = 7
# A batch in which everything differs from model to model, two models share a draw and one has no
# noise.
BATCH = {
    "learning_rate": np.array([0.5, 4.0, 1.0, 2.0, 0.1, 1.0, 3.0]),
    "clip_norm": np.array([0.01, 0.3, 1.0, 1.0, 50.0, 0.5, 2.0]),
    "noise_sd": np.array([0.05, 0.01, 0.0, 0.2, 1e-3, 0.05, 0.5]),
    "draws": [3, 0, 1, 0, 8, 5, 2],
}


def starting(n_classes, *, n=70, p=4):
    rng = np.random.default_rng(n_classes)
    start = rng.normal(size=(MODELS, losses.outputs(n_classes), p))
    X, y = rng.normal(size=(n, p)), rng.integers(0, n_classes, n)
    return {"X": X, "y": y, "n_classes": n_classes, "start": start}


def train(classes, /, *, steps=6, dtype=np.float64, seed=11, **changes):
    arguments = {
        **starting(classes),
        **BATCH,
        "steps": steps,
        "dtype": dtype,
        "seed": seed,
        **changes,
    }
    return descent.noisy_gradient_descent(arguments.pop("X"), arguments.pop("y"), **arguments)


@pytest.mark.parametrize("cut", [False, True], ids=["whole", "cut"])
@pytest.mark.parametrize("rule", ["per-example", "average", "none"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_batch_is_its_models_one_at_a_time(n_classes, rule, cut, monkeypatch):
    if cut:
        monkeypatch.setattr(clipping, "_SCRATCH_BYTES", 1)
        monkeypatch.setattr(descent, "_MODELS_AT_ONCE", 3)
        monkeypatch.setattr(streams, "_BLOCK_BYTES", 500)
    found, given = train(n_classes, clipping=rule, record=range(7)), starting(n_classes)
    for m, start in enumerate(given["start"]):
        how = {name: BATCH[name][m] for name in ("learning_rate", "clip_norm", "noise_sd")}
        how |= {"draw": BATCH["draws"][m], "steps": 6, "seed": 11, "clipping": rule}
        path = oracles.descend(given["X"], given["y"], start=start, **how)
        np.testing.assert_allclose(found.history[:, m], path, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(found.weights, found.history[-1])
    single, double = (
        train(n_classes, dtype=dtype, clipping=rule, steps=30) for dtype in (np.float32, np.float64)
    )
    assert single.weights.dtype == np.float32
    np.testing.assert_allclose(single.weights, double.weights, rtol=5e-6, atol=5e-6)


def test_the_record_is_in_order_the_seed_decides_and_the_arguments_stay_as_they_were():
    given = starting(2)
    found, again, other = (
        train(2, **given, seed=seed, record=[6, 0, 3, 3]) for seed in (11, 11, 12)
    )
    np.testing.assert_array_equal(found.steps, [0, 3, 6])
    np.testing.assert_array_equal(found.history[0], starting(2)["start"])
    np.testing.assert_allclose(found.history[1], train(2, steps=3).weights, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(found.history[2], found.weights)
    assert train(2).history.shape == (0, MODELS, 1, 4)
    np.testing.assert_array_equal(found.weights, again.weights)
    assert ((found.weights != other.weights).any(axis=(1, 2)) == (BATCH["noise_sd"] > 0)).all()
    for name, value in starting(2).items():
        np.testing.assert_array_equal(given[name], value)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_noise_is_made_for_what_one_row_can_do(adjacency):
    """The event of a descent, read through the accountant, is the claim: C/n or 2C/n a step, T
    steps.
    """
    multiplier = descent.noise_multiplier(epsilon=2.0, delta=1e-6, steps=40)
    sd = descent.mean_noise_sd(multiplier, clip_norm=0.5, rows=100, adjacency=adjacency)
    sensitivity = {Adjacency.REPLACE_ONE: 2 * 0.5 / 100, Adjacency.ADD_REMOVE: 0.5 / 100}[adjacency]
    assert sd / sensitivity == pytest.approx(multiplier, rel=1e-14)
    event = descent.event(multiplier, steps=40)
    found = accountants.account(event, delta=1e-6, adjacency=adjacency)
    assert found.epsilon == pytest.approx(2.0, rel=1e-9)
    mu = math.sqrt(40) * sensitivity / sd
    assert accountants.gdp.epsilon_of(1e-6, mu=mu) == pytest.approx(2.0, rel=1e-9)


def test_noise_has_the_stated_size_and_is_independent_over_coordinates_and_steps():
    models, steps = 2000, 5
    rows = {
        "X": np.zeros((4, 3)),
        "y": np.array([0, 1, 2, 0]),
        "start": np.zeros((3, 3)),
        "draws": range(models),
    }
    how = {
        "steps": steps,
        "learning_rate": 0.5,
        "clip_norm": 1.0,
        "noise_sd": 0.2,
        "record": range(steps + 1),
    }
    moves = (
        np.diff(train(3, **rows, **how).history, axis=0)
        .transpose(1, 0, 2, 3)
        .reshape(models, steps * 9)
    )
    assert stats.kstest(moves.ravel() / 0.1, stats.norm.cdf).pvalue > 1e-3
    assert np.abs(np.corrcoef(moves.T) - np.eye(steps * 9)).max() < 0.1


BAD = {
    "learning_rate": (0, math.nan, True, "fast"),
    "noise_sd": (-0.1, math.inf, [0.1, 0.1]),
    "steps": (0, 2.5),
    "clip_norm": ([1, 1, 1, -1, 1, 1, 1],),
    "clipping": ("sometimes",),
    "seed": (-1,),
    "start": (np.full((1, 4), np.nan), np.zeros((2, 4))),
    "draws": ([0, 0.5, 1, 2, 3, 4, 5], [-1] * 7),
    "record": ([7], [-1, 2], [0.5]),
    "n_classes": (1,),
    "X": (np.full((70, 4), np.nan), np.ones((69, 4)), np.ones(70), np.full((70, 4), "a")),
    "y": (np.full(70, 2), np.full(70, -1), np.full(70, "a"), np.full(70, 0.5)),
}


def test_bad_arguments_are_refused_by_name():
    for name, value in ((name, value) for name, values in BAD.items() for value in values):
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            train(2, **{name: value})
    given = {"multiplier": 1.0, "clip_norm": 1.0, "rows": 10, "adjacency": Adjacency.ADD_REMOVE}
    for name, value in (
        ("multiplier", True),
        ("multiplier", math.nan),
        ("clip_norm", 0),
        ("rows", 0),
    ):
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            descent.mean_noise_sd(**given | {name: value})
