"""Train the models of benchmark `network` in four ways: the lab, a loop, Opacus, a lower bound."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from benchmarks.contenders import Training, clock
from dpcore.training import batches, sgd
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe

SIZES = (2, 16, 16, 2)
REPEATS, SIGMAS = 20, (4.0, 2.0, 1.0, 0.7)  # noise multipliers of some four epsilons
MODELS = REPEATS * len(SIGMAS)
ROWS, LOT, STEPS = 1000, 64, 500
CLIP_NORM, LEARNING_RATE, SEED = 1.0, 0.5, 1

# The batches that one network is trained on.
Batches = Iterable[np.ndarray]


@dataclass
class Work:
    """Rows that no line separates, and the start of every network."""

    X: np.ndarray = field(init=False)
    y: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(2)
        self.X = rng.uniform(-1, 1, (ROWS, SIZES[0])).astype(np.float32)
        self.y = (self.X.prod(axis=1) > 0).astype(int)
        self.draws = np.tile(np.arange(REPEATS), len(SIGMAS))
        self.multipliers = np.repeat(SIGMAS, REPEATS)
        self.recipe = Recipe(
            architecture=Architecture(sizes=SIZES),
            sampling_rate=LOT / ROWS,
            steps=STEPS,
            learning_rate=LEARNING_RATE,
            clip_norm=CLIP_NORM,
        )
        self.start = self.recipe.architecture.start(SEED, range(REPEATS))[self.draws].astype(
            np.float32
        )

    def fresh_batches(self, model: int) -> Batches:
        """Poisson batches, drawn on the way as any single training would."""
        rng = np.random.default_rng(model)
        return (np.flatnonzero(rng.random(ROWS) < LOT / ROWS) for _ in range(STEPS))

    def our_batches(self, model: int) -> Batches:
        """Those that the batch gives this network."""
        draw = [self.draws[model]]
        drawn = batches.poisson(SEED, draw, rows=ROWS, rate=LOT / ROWS, first=0, last=STEPS)
        return (members[0][members[0] != batches.NOBODY] for members in drawn)


def ours(work: Work, multipliers: np.ndarray) -> Training:
    """All networks in one batch."""
    return lambda: (
        sgd.train(
            work.recipe,
            work.X,
            work.y,
            start=work.start,
            noise_multiplier=multipliers,
            seed=SEED,
            draws=work.draws,
            dtype=np.float32,
        ).weights
    )


def loop(
    work: Work, model: int, *, multiplier: float, batches_of: Callable[[int], Batches]
) -> Training:
    """One network, as one would write it down: every example's gradient is formed, measured and
    clipped.
    """
    X, truth, rng = work.X, np.eye(SIZES[-1], dtype=np.float32)[work.y], np.random.default_rng(1)

    def train() -> np.ndarray:
        layers = [layer.copy() for layer in work.recipe.architecture.layers(work.start[model])]
        for batch in batches_of(model):
            each = _example_gradients(layers, X[batch], truth[batch])
            norms = np.sqrt(sum(np.square(g).sum(axis=(1, 2)) for g in each))
            factors = np.minimum(1, CLIP_NORM / norms)[:, None, None]
            for layer, g in zip(layers, each, strict=True):
                noise = multiplier * CLIP_NORM * rng.standard_normal(layer.shape, dtype=np.float32)
                layer -= LEARNING_RATE / LOT * ((g * factors).sum(axis=0) + noise)
        return np.concatenate([layer.ravel() for layer in layers])

    return train


def _example_gradients(
    layers: list[np.ndarray], x: np.ndarray, truth: np.ndarray
) -> list[np.ndarray]:
    """(B, outputs, inputs + 1) of each layer, by the chain rule."""
    entered = []
    for place, layer in enumerate(layers):
        entered.append(np.column_stack([x, np.ones(len(x), np.float32)]))
        x = entered[-1] @ layer.T
        if place < len(layers) - 1:
            x = np.tanh(x)
    p = np.exp(x - x.max(axis=1, keepdims=True))
    wrong = p / p.sum(axis=1, keepdims=True) - truth
    found = [wrong[:, :, None] * entered[-1][:, None, :]]
    for place in range(len(layers) - 1, 0, -1):
        wrong = (wrong @ layers[place][:, :-1]) * (1 - np.square(entered[place][:, :-1]))
        found.append(wrong[:, :, None] * entered[place - 1][:, None, :])
    return found[::-1]


def opacus(
    work: Work, model: int, *, multiplier: float, batches_of: Callable[[int], Batches]
) -> Training:
    """One network by Opacus: per-sample gradients by hooks, clipping and noise by its optimizer, no
    data loader.
    """
    import torch
    from opacus.grad_sample import GradSampleModule
    from opacus.optimizers import DPOptimizer

    X, y = torch.from_numpy(work.X), torch.from_numpy(work.y)
    loss_of = torch.nn.CrossEntropyLoss()

    def train() -> np.ndarray:
        linear = [torch.nn.Linear(before, after) for before, after in itertools.pairwise(SIZES)]
        with torch.no_grad():
            for each, layer in zip(
                linear, work.recipe.architecture.layers(work.start[model]), strict=True
            ):
                each.weight[:], each.bias[:] = (
                    torch.from_numpy(layer[:, :-1]),
                    torch.from_numpy(layer[:, -1]),
                )
        between = [part for each in linear for part in (each, torch.nn.Tanh())][:-1]
        network = GradSampleModule(torch.nn.Sequential(*between))
        optimizer = DPOptimizer(
            torch.optim.SGD(network.parameters(), lr=LEARNING_RATE),
            noise_multiplier=multiplier,
            max_grad_norm=CLIP_NORM,
            expected_batch_size=LOT,
        )
        for batch in batches_of(model):
            optimizer.zero_grad()
            batch = torch.from_numpy(batch)
            loss_of(network(X[batch]), y[batch]).backward()
            optimizer.step()
        parts = [
            torch.cat([each.weight, each.bias[:, None]], dim=1).detach().numpy().ravel()
            for each in linear
        ]
        return np.concatenate(parts)

    return train


def floor(*, at_once: int, order: str) -> Training:
    """The bare matrix products of all steps with batches of exactly 64, that many networks at a time.

    order: "models", (R, units, B); "units", (units, R, B); "examples", (R, B, units).
    """
    rng = np.random.default_rng(1)

    def array(units: int) -> np.ndarray:
        """(R, units, B) of entries like a network's, in the memory order that was asked for."""
        shape = {
            "models": (at_once, units, LOT),
            "units": (units, at_once, LOT),
            "examples": (at_once, LOT, units),
        }
        made = rng.normal(0, 0.3, shape[order]).astype(np.float32)
        return {"models": made, "units": made.swapaxes(0, 1), "examples": made.swapaxes(1, 2)}[
            order
        ]

    pairs = list(itertools.pairwise(SIZES))
    weights = [
        rng.normal(0, 0.3, (at_once, after, before + 1)).astype(np.float32)
        for before, after in pairs
    ]
    entered, wrong = (
        [array(before + 1) for before, _ in pairs],
        [array(after) for _, after in pairs],
    )
    below, gradients = (
        [array(after) for _, after in pairs],
        [np.empty_like(layer) for layer in weights],
    )

    def train() -> np.ndarray:
        for _ in range(STEPS * MODELS // at_once):
            for layer, a, z in zip(weights, entered, below, strict=True):
                np.matmul(layer, a, out=z)
            for layer, e, z in zip(weights[1:], wrong[1:], below, strict=False):
                np.matmul(layer[..., :-1].swapaxes(1, 2), e, out=z)
            for e, a, g in zip(wrong, entered, gradients, strict=True):
                np.matmul(e, a.swapaxes(1, 2), out=g)
        return gradients[0]

    return train


def quickest_floor() -> Training:
    """The quickest of several arrangements on this machine."""
    made = [
        floor(at_once=at_once, order=order)
        for at_once, order in itertools.product((10, 20, 40, 80), ("models", "units", "examples"))
    ]
    return min(made, key=lambda train: min(clock(train) for _ in range(3)))
