"""Train the models of benchmark `engine` in four ways: the lab, a loop, Opacus, a lower bound."""

import importlib.util
import itertools
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from unittest import mock

import numpy as np

from dpcore import thread_pool
from dpcore.privacy import Adjacency
from dpcore.training import losses
from dpcore.training.descent import mean_noise_sd, noise_multiplier, noisy_gradient_descent

EPSILONS = (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 15, 150)
REPEATS, STEPS = 20, 100
MODELS = len(EPSILONS) * REPEATS
DELTA, CLIP_NORM, LEARNING_RATE = 1e-5, 0.5, 1.0
ADJACENCY = Adjacency.REPLACE_ONE
# Seconds that one contender is given in a round; it is always timed at least once.
MOMENT = 0.1

# Trains one or more models and returns their weights (..., k, p).
Training = Callable[[], np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A size of problem, and the ratios that the acceptance asks for."""

    rows: int
    features: int
    classes: int
    opacus_at_least: float | None = None
    loop_at_least: float | None = None
    floor_at_most: float | None = None

    def __str__(self) -> str:
        return f"n={self.rows} d={self.features}, {self.classes} classes"


class Work:
    """The rows of a case, the start of every model, and how much noise each model gets."""

    def __init__(self, case: Case):
        rng = np.random.default_rng(2)
        self.classes, self.outputs = case.classes, losses.outputs(case.classes)
        self.y = rng.integers(0, case.classes, case.rows)
        centres = rng.uniform(-0.4, 0.4, (case.classes, case.features))
        X = np.clip(centres[self.y] + 0.4 * rng.standard_normal((case.rows, case.features)), -1, 1)
        self.X = losses.with_constant(X).astype(np.float32)
        self.start = rng.normal(0, 0.1, (self.outputs, self.X.shape[1])).astype(np.float32)
        each = [noise_multiplier(epsilon=epsilon, delta=DELTA, steps=STEPS) for epsilon in EPSILONS]
        self.multipliers = np.repeat(each, REPEATS)
        self.draws = np.tile(np.arange(REPEATS), len(EPSILONS))

    def noise_sd(self, multiplier: float | np.ndarray) -> float | np.ndarray:
        return multiplier * mean_noise_sd(
            1.0, clip_norm=CLIP_NORM, rows=len(self.X), adjacency=ADJACENCY
        )


def clock(train: Training) -> float:
    """Seconds that one training takes."""
    begin = time.perf_counter()
    train()
    return time.perf_counter() - begin


def moment(make: Callable[[int], Training], turn: int, *, models: int) -> float:
    """The median time of the trainings that fit into a moment; single models take turns."""
    taken, end = [], time.perf_counter() + MOMENT
    while not taken or time.perf_counter() < end:
        taken.append(clock(make((turn * 37 + len(taken) * 61) % models)))
    return statistics.median(taken)


def choose_threads(train: Training) -> int:
    """Give PyTorch the number of threads with which it trains a model quicker: one, or all."""
    import torch

    def needed(threads: int) -> float:
        torch.set_num_threads(threads)
        return min(clock(train) for _ in range(3))

    torch.set_num_threads(min({1, os.cpu_count() or 1}, key=needed))
    return torch.get_num_threads()


def ours(work: Work, multipliers: np.ndarray) -> Training:
    """All models in one batch."""
    return lambda: (
        noisy_gradient_descent(
            work.X,
            work.y,
            n_classes=work.classes,
            steps=STEPS,
            learning_rate=LEARNING_RATE,
            clip_norm=CLIP_NORM,
            noise_sd=work.noise_sd(multipliers),
            start=work.start,
            seed=1,
            draws=work.draws,
            dtype=np.float32,
        ).weights
    )


def _one() -> int:
    return 1


def on_one_core(train: Training) -> Training:
    """The same, kept from sharing the models among the cores."""

    def alone() -> np.ndarray:
        with mock.patch.object(thread_pool, "core_count", _one):
            return train()

    return alone


def loop(work: Work, multiplier: float, *, lean: bool = False) -> Training:
    """One model, as one would write it down."""
    X, rows, sd = work.X, len(work.X), work.noise_sd(multiplier)
    target = work.y[:, None] if work.outputs == 1 else work.y[:, None] == np.arange(work.outputs)
    target = target.astype(np.float32)
    rng = np.random.default_rng(1)

    def train() -> np.ndarray:
        w = work.start.copy()
        for _ in range(STEPS):
            residuals = _probabilities(X @ w.T) - target
            gradients = (residuals[:, :, None] * X[:, None, :]).reshape(rows, -1)
            if lean:
                factors = np.minimum(1, CLIP_NORM / np.sqrt(np.square(gradients).sum(axis=1)))
                mean = factors @ gradients / rows
            else:
                norms = np.linalg.norm(gradients, axis=1, keepdims=True)
                mean = (gradients * np.minimum(1, CLIP_NORM / norms)).mean(axis=0)
            w -= LEARNING_RATE * (mean.reshape(w.shape) + sd * rng.standard_normal(w.shape))
        return w

    return train


def _probabilities(z: np.ndarray) -> np.ndarray:
    if z.shape[1] == 1:
        return 1 / (1 + np.exp(-z))
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def opacus(work: Work, multiplier: float, *, bias: bool = True) -> Training:
    """One model by Opacus."""
    import torch
    from opacus.grad_sample import GradSampleModule
    from opacus.optimizers import DPOptimizer

    X, start = torch.from_numpy(work.X), torch.from_numpy(work.start)
    if bias:
        X = X[:, :-1].contiguous()
    y, loss_of = torch.from_numpy(work.y), torch.nn.CrossEntropyLoss()
    if work.outputs == 1:
        y, loss_of = y.float()[:, None], torch.nn.BCEWithLogitsLoss()

    def train() -> np.ndarray:
        linear = torch.nn.Linear(X.shape[1], work.outputs, bias=bias)
        with torch.no_grad():
            linear.weight[:] = start[:, : X.shape[1]]
            if bias:
                linear.bias[:] = start[:, -1]
        model = GradSampleModule(linear)
        optimizer = DPOptimizer(
            torch.optim.SGD(model.parameters(), lr=LEARNING_RATE),
            noise_multiplier=multiplier * ADJACENCY.contributions,
            max_grad_norm=CLIP_NORM,
            expected_batch_size=len(X),
        )
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss_of(model(X), y).backward()
            optimizer.step()
        parts = [part.detach().numpy().reshape(work.outputs, -1) for part in linear.parameters()]
        return np.concatenate(parts, axis=1)

    return train


def floor(work: Work, function: np.ufunc, *, models_first: bool, cells: int) -> Training:
    """The bare products with the ``function`` of each logit between, in blocks of that many
    cells.
    """
    count = MODELS * work.outputs
    width = max(32, min(cells // count, len(work.X)))
    blocks = [work.X[first : first + width] for first in range(0, len(work.X), width)]
    weights = np.random.default_rng(1).normal(0, 0.1, (count, work.X.shape[1])).astype(np.float32)
    if models_first:
        parts = [(weights, block.T.copy(), block.copy()) for block in blocks]
        scratch = {len(block): np.empty((count, len(block)), np.float32) for block in blocks}
    else:
        columns = weights.T.copy()
        parts = [(block.copy(), columns, block.T.copy()) for block in blocks]
        scratch = {len(block): np.empty((len(block), count), np.float32) for block in blocks}
    scratch = [scratch[len(block)] for block in blocks]
    total = np.empty_like(weights if models_first else weights.T, order="C")

    def train() -> np.ndarray:
        for _ in range(STEPS):
            for (left, right, rows), logits in zip(parts, scratch, strict=True):
                np.matmul(left, right, out=logits)
                function(logits, out=logits)
                (
                    np.matmul(logits, rows, out=total)
                    if models_first
                    else np.matmul(rows, logits, out=total)
                )
        return total

    return train


def quickest_floor(work: Work, function: np.ufunc) -> Training:
    """The quickest of several arrangements on this machine: which axis comes first, and how large a
    block is.
    """
    made = [
        floor(work, function, models_first=models_first, cells=cells)
        for models_first, cells in itertools.product(
            (True, False), (100_000, 190_000, 380_000, 10**9)
        )
    ]
    return min(made, key=lambda train: min(clock(train) for _ in range(3)))


def times_by_round(
    contenders: dict[str, tuple[int, Callable[[int], Training]]], *, rounds: int, models: int
) -> dict[str, np.ndarray]:
    """Return contender -> seconds for all models, by round.

    Contenders take turns, in the opposite order in every other round.

    Args:
        contenders: Name -> (factor by which a training is scaled up, returns the training of a
            model).
        rounds: Number of rounds.
        models: Number of models.
    """
    seconds = {name: np.empty(rounds) for name in contenders}
    for turn in range(rounds):
        names = list(contenders)
        if turn % 2 == 0:
            names.reverse()
        for name in names:
            scale, make = contenders[name]
            seconds[name][turn] = scale * moment(make, turn, models=models)
    return seconds


def missing_packages() -> list[str]:
    """Return the packages for comparison that are not installed."""
    return [name for name in ("torch", "opacus") if importlib.util.find_spec(name) is None]
