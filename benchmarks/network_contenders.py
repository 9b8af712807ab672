"""Train the models of benchmark `network` in four ways: the lab, a loop, Opacus, a lower bound."""

import itertools
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from benchmarks.contenders import Training, quickest
from dpcore.training import batches, sgd
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe

SIZES = (2, 16, 16, 2)
REPEATS = 20
# Noise multipliers of some four epsilons.
MULTIPLIERS = (4.0, 2.0, 1.0, 0.7)
MODELS = REPEATS * len(MULTIPLIERS)
ROWS = 1000
BATCH_SIZE = 64
STEPS = 500
CLIP_NORM = 1.0
LEARNING_RATE = 0.5
SEED = 1
# Arrangements in which the lower bound is tried: networks at a time, and the first axis.
NETWORKS_AT_ONCE = (10, 20, 40, 80)
ORDERS = ("models", "units", "examples")

# The batches that one network is trained on, as row numbers.
Batches = Iterable[np.ndarray]


class Work:
    """Rows that no line separates, and the start and noise multiplier of every network."""

    def __init__(self) -> None:
        rng = np.random.default_rng(2)
        self.X = rng.uniform(-1, 1, (ROWS, SIZES[0])).astype(np.float32)
        self.y = (self.X.prod(axis=1) > 0).astype(int)
        self.draws = np.tile(np.arange(REPEATS), len(MULTIPLIERS))
        self.multipliers = np.repeat(MULTIPLIERS, REPEATS)
        self.recipe = Recipe(
            architecture=Architecture(sizes=SIZES),
            sampling_rate=BATCH_SIZE / ROWS,
            steps=STEPS,
            learning_rate=LEARNING_RATE,
            clip_norm=CLIP_NORM,
        )
        starts = self.recipe.architecture.start(SEED, range(REPEATS))
        self.start = starts[self.draws].astype(np.float32)

    def layers(self, model: int) -> list[np.ndarray]:
        """Return the start of one network, (outputs, inputs + 1) of each layer."""
        return self.recipe.architecture.layers(self.start[model])

    def fresh_batches(self, model: int) -> Iterator[np.ndarray]:
        """Draw Poisson batches on the way, as any single training would."""
        rng = np.random.default_rng(model)
        for _ in range(STEPS):
            yield np.flatnonzero(rng.random(ROWS) < BATCH_SIZE / ROWS)

    def our_batches(self, model: int) -> Iterator[np.ndarray]:
        """Draw the Poisson batches that the lab gives this network."""
        draws = [self.draws[model]]
        rate = BATCH_SIZE / ROWS
        for members in batches.poisson(SEED, draws, rows=ROWS, rate=rate, first=0, last=STEPS):
            # (1, B) with padding, for one network.
            padded = members[0]
            yield padded[padded != batches.NOBODY]


def ours(work: Work, multipliers: np.ndarray) -> Training:
    """Return the training of all networks in one batch, with these noise multipliers (M,)."""

    def train() -> np.ndarray:
        run = sgd.train(
            work.recipe,
            work.X,
            work.y,
            start=work.start,
            noise_multiplier=multipliers,
            seed=SEED,
            draws=work.draws,
            dtype=np.float32,
        )
        return run.weights

    return train


def loop(
    work: Work, model: int, *, multiplier: float, batches_of: Callable[[int], Batches]
) -> Training:
    """Return the training of one network, as one would write it down.

    Every example's gradient is formed, measured and clipped.

    Args:
        work: Rows and start.
        model: Number of the network.
        multiplier: Its noise multiplier.
        batches_of: Returns the batches of a network.
    """
    X = work.X
    target = np.eye(SIZES[-1], dtype=np.float32)[work.y]
    rng = np.random.default_rng(1)

    def train() -> np.ndarray:
        layers = [layer.copy() for layer in work.layers(model)]
        for batch in batches_of(model):
            gradients = _example_gradients(layers, X[batch], target[batch])
            squared_norms = sum(np.square(gradient).sum(axis=(1, 2)) for gradient in gradients)
            factors = np.minimum(1, CLIP_NORM / np.sqrt(squared_norms))[:, None, None]
            for layer, gradient in zip(layers, gradients, strict=True):
                draw = rng.standard_normal(layer.shape, dtype=np.float32)
                noise = multiplier * CLIP_NORM * draw
                layer -= LEARNING_RATE / BATCH_SIZE * ((gradient * factors).sum(axis=0) + noise)
        return np.concatenate([layer.ravel() for layer in layers])

    return train


def _example_gradients(
    layers: list[np.ndarray], x: np.ndarray, target: np.ndarray
) -> list[np.ndarray]:
    """Return each layer's gradients (B, outputs, inputs + 1), by the chain rule.

    Args:
        layers: Weights (outputs, inputs + 1) of each layer.
        x: Features (B, d) of a batch.
        target: Its one-hot classes (B, k).
    """
    constant = np.ones(len(x), np.float32)
    first, *others = layers
    inputs_of_layers = [np.column_stack([x, constant])]
    logits = inputs_of_layers[-1] @ first.T
    for layer in others:
        inputs_of_layers.append(np.column_stack([np.tanh(logits), constant]))
        logits = inputs_of_layers[-1] @ layer.T
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    errors = exponentials / exponentials.sum(axis=1, keepdims=True) - target
    gradients = [errors[:, :, None] * inputs_of_layers[-1][:, None, :]]
    for index in range(len(layers) - 1, 0, -1):
        # Without the constant, which is the last input.
        activations = inputs_of_layers[index][:, :-1]
        weights = layers[index][:, :-1]
        errors = (errors @ weights) * (1 - np.square(activations))
        gradients.append(errors[:, :, None] * inputs_of_layers[index - 1][:, None, :])
    gradients.reverse()
    return gradients


def opacus(
    work: Work, model: int, *, multiplier: float, batches_of: Callable[[int], Batches]
) -> Training:
    """Return the training of one network by Opacus, without a data loader.

    Hooks give the per-sample gradients, and Opacus' optimizer clips them and adds the noise. The
    arguments are those of ``loop``.
    """
    import torch
    from opacus.grad_sample import GradSampleModule
    from opacus.optimizers import DPOptimizer

    X = torch.from_numpy(work.X)
    y = torch.from_numpy(work.y)
    loss_function = torch.nn.CrossEntropyLoss()

    def train() -> np.ndarray:
        linear_layers = [torch.nn.Linear(*sizes) for sizes in itertools.pairwise(SIZES)]
        with torch.no_grad():
            for linear, weights in zip(linear_layers, work.layers(model), strict=True):
                linear.weight[:] = torch.from_numpy(weights[:, :-1])
                linear.bias[:] = torch.from_numpy(weights[:, -1])
        first, *others = linear_layers
        modules = [first]
        for linear in others:
            modules += [torch.nn.Tanh(), linear]
        network = GradSampleModule(torch.nn.Sequential(*modules))
        optimizer = DPOptimizer(
            torch.optim.SGD(network.parameters(), lr=LEARNING_RATE),
            noise_multiplier=multiplier,
            max_grad_norm=CLIP_NORM,
            expected_batch_size=BATCH_SIZE,
        )
        for row_numbers in batches_of(model):
            batch = torch.from_numpy(row_numbers)
            optimizer.zero_grad()
            loss_function(network(X[batch]), y[batch]).backward()
            optimizer.step()
        parts = []
        for linear in linear_layers:
            weights = torch.cat([linear.weight, linear.bias[:, None]], dim=1)
            parts.append(weights.detach().numpy().ravel())
        return np.concatenate(parts)

    return train


def floor(*, at_once: int, order: str) -> Training:
    """Return the matrix products of all steps, with batches of exactly 64.

    Args:
        at_once: Number R of networks that are multiplied at a time.
        order: Of the activations in memory: "models" (R, units, B), "units" (units, R, B) or
            "examples" (R, B, units).
    """
    rng = np.random.default_rng(1)

    def activations(units: int) -> np.ndarray:
        """Draw (R, units, B) in the memory order that was asked for."""
        if order == "models":
            return _normal(rng, (at_once, units, BATCH_SIZE))
        if order == "units":
            return _normal(rng, (units, at_once, BATCH_SIZE)).swapaxes(0, 1)
        return _normal(rng, (at_once, BATCH_SIZE, units)).swapaxes(1, 2)

    layers = list(itertools.pairwise(SIZES))
    weights = [_normal(rng, (at_once, outputs, inputs + 1)) for inputs, outputs in layers]
    inputs_of_layers = [activations(inputs + 1) for inputs, _ in layers]
    errors = [activations(outputs) for _, outputs in layers]
    # Arrays for the results are made here, so that the products allocate nothing.
    results = [activations(outputs) for _, outputs in layers]
    gradients = [np.empty_like(layer) for layer in weights]

    def step() -> None:
        for index in range(len(layers)):
            np.matmul(weights[index], inputs_of_layers[index], out=results[index])
        for index in range(1, len(layers)):
            without_constant = weights[index][..., :-1].swapaxes(1, 2)
            np.matmul(without_constant, errors[index], out=results[index - 1])
        for index in range(len(layers)):
            transposed = inputs_of_layers[index].swapaxes(1, 2)
            np.matmul(errors[index], transposed, out=gradients[index])

    def train() -> np.ndarray:
        for _ in range(STEPS * MODELS // at_once):
            step()
        return gradients[0]

    return train


def _normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw entries of the size of a network's."""
    return rng.normal(0, 0.3, shape).astype(np.float32)


def quickest_floor() -> Training:
    """Return the quickest of several arrangements on this machine."""
    arrangements = []
    for at_once in NETWORKS_AT_ONCE:
        for order in ORDERS:
            arrangements.append(floor(at_once=at_once, order=order))
    return quickest(arrangements)
