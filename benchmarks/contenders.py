"""Train the models of benchmark `engine` in four ways: the lab, a loop, Opacus, a lower bound."""

import importlib.util
import os
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from unittest import mock

import numpy as np

from dpcore import thread_pool
from dpcore.privacy import Adjacency
from dpcore.training import losses
from dpcore.training.descent import mean_noise_sd, noise_multiplier, noisy_gradient_descent

EPSILONS = (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 15, 150)
REPEATS = 20
STEPS = 100
MODELS = len(EPSILONS) * REPEATS
DELTA = 1e-5
CLIP_NORM = 0.5
LEARNING_RATE = 1.0
ADJACENCY = Adjacency.REPLACE_ONE
# Seconds that one contender is given in a round; it is always timed at least once.
SECONDS_A_ROUND = 0.1
# Trainings of which the shortest decides which of several arrangements is the quickest.
TRIALS = 3
# Cells of the blocks that the lower bound is tried with. The last number is more than there are.
BLOCK_CELLS = (100_000, 190_000, 380_000, 10**9)
LEAST_BLOCK_ROWS = 32

# Trains one or more models and returns their weights (..., k, p).
Training = Callable[[], np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A size of problem, and the ratios of seconds that are required."""

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
        self.classes = case.classes
        self.outputs = losses.outputs(case.classes)
        self.y = rng.integers(0, case.classes, case.rows)
        centres = rng.uniform(-0.4, 0.4, (case.classes, case.features))
        spread = rng.standard_normal((case.rows, case.features))
        X = np.clip(centres[self.y] + 0.4 * spread, -1, 1)
        self.X = losses.with_constant(X).astype(np.float32)
        self.start = rng.normal(0, 0.1, (self.outputs, self.X.shape[1])).astype(np.float32)
        multipliers = []
        for epsilon in EPSILONS:
            multipliers.append(noise_multiplier(epsilon=epsilon, delta=DELTA, steps=STEPS))
        self.multipliers = np.repeat(multipliers, REPEATS)
        self.draws = np.tile(np.arange(REPEATS), len(EPSILONS))

    def noise_sd(self, multiplier: float | np.ndarray) -> float | np.ndarray:
        """Return the standard deviation of the noise on the mean gradient."""
        sd_of_one = mean_noise_sd(1.0, clip_norm=CLIP_NORM, rows=len(self.X), adjacency=ADJACENCY)
        return multiplier * sd_of_one


def seconds_of(train: Training) -> float:
    """Return the seconds that one training takes."""
    begin = time.perf_counter()
    train()
    return time.perf_counter() - begin


def least_seconds(train: Training) -> float:
    """Return the seconds of the shortest of a few trainings."""
    return min(seconds_of(train) for _ in range(TRIALS))


def quickest(trainings: Iterable[Training]) -> Training:
    """Return the training that takes least time on this machine."""
    return min(trainings, key=least_seconds)


def median_seconds(make: Callable[[int], Training], turn: int, *, models: int) -> float:
    """Return the median seconds of the trainings that fit into a tenth of a second.

    Args:
        make: Returns the training of the model with this number.
        turn: Number of the round, by which other models are trained.
        models: Number of models.
    """
    taken: list[float] = []
    end = time.perf_counter() + SECONDS_A_ROUND
    while not taken or time.perf_counter() < end:
        # Two primes, so that trainings of a round and of later rounds are of different models.
        model = (turn * 37 + len(taken) * 61) % models
        taken.append(seconds_of(make(model)))
    return statistics.median(taken)


def choose_threads(train: Training) -> int:
    """Give PyTorch the number of threads with which it is quicker, one or all, and return it."""
    import torch

    def seconds_with(threads: int) -> float:
        torch.set_num_threads(threads)
        return least_seconds(train)

    numbers = {1, os.cpu_count() or 1}
    torch.set_num_threads(min(numbers, key=seconds_with))
    return torch.get_num_threads()


def ours(work: Work, multipliers: np.ndarray) -> Training:
    """Return the training of all models in one batch, with these noise multipliers (M,)."""

    def train() -> np.ndarray:
        run = noisy_gradient_descent(
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
        )
        return run.weights

    return train


def _one() -> int:
    return 1


def on_one_core(train: Training) -> Training:
    """Return the same training, which does not divide the models among the cores."""

    def train_alone() -> np.ndarray:
        with mock.patch.object(thread_pool, "core_count", _one):
            return train()

    return train_alone


def loop(work: Work, multiplier: float, *, lean: bool = False) -> Training:
    """Return the training of one model, as one would write it down.

    Args:
        work: Rows and start.
        multiplier: Noise multiplier of the model.
        lean: Clip and average with one matrix product.
    """
    X = work.X
    target = _targets(work)
    sd = work.noise_sd(multiplier)
    mean_gradient = _mean_clipped_gradient
    if lean:
        mean_gradient = _lean_mean_clipped_gradient
    rng = np.random.default_rng(1)

    def train() -> np.ndarray:
        weights = work.start.copy()
        for _ in range(STEPS):
            residuals = _probabilities(X @ weights.T) - target
            # One gradient a row, (n, k * p).
            gradients = (residuals[:, :, None] * X[:, None, :]).reshape(len(X), -1)
            gradient = mean_gradient(gradients).reshape(weights.shape)
            noise = sd * rng.standard_normal(weights.shape)
            weights -= LEARNING_RATE * (gradient + noise)
        return weights

    return train


def _targets(work: Work) -> np.ndarray:
    """Return the probabilities that would be right, (n, k); of two classes that of class 1."""
    labels = work.y[:, None]
    if work.outputs == 1:
        return labels.astype(np.float32)
    return (labels == np.arange(work.outputs)).astype(np.float32)


def _mean_clipped_gradient(gradients: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(gradients, axis=1, keepdims=True)
    return (gradients * np.minimum(1, CLIP_NORM / norms)).mean(axis=0)


def _lean_mean_clipped_gradient(gradients: np.ndarray) -> np.ndarray:
    factors = np.minimum(1, CLIP_NORM / np.sqrt(np.square(gradients).sum(axis=1)))
    return factors @ gradients / len(gradients)


def _probabilities(logits: np.ndarray) -> np.ndarray:
    """Return the probabilities of logits (n, k)."""
    if logits.shape[1] == 1:
        return 1 / (1 + np.exp(-logits))
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def opacus(work: Work, multiplier: float, *, bias: bool = True) -> Training:
    """Return the training of one model by Opacus.

    Args:
        work: Rows and start.
        multiplier: Noise multiplier of the model.
        bias: Whether the constant is the layer's bias, and otherwise a column of the inputs.
    """
    import torch
    from opacus.grad_sample import GradSampleModule
    from opacus.optimizers import DPOptimizer

    X = torch.from_numpy(work.X)
    if bias:
        X = X[:, :-1].contiguous()
    y = torch.from_numpy(work.y)
    loss_function = torch.nn.CrossEntropyLoss()
    if work.outputs == 1:
        y = y.float()[:, None]
        loss_function = torch.nn.BCEWithLogitsLoss()
    start = torch.from_numpy(work.start)

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
            loss_function(model(X), y).backward()
            optimizer.step()
        parts = []
        for parameter in linear.parameters():
            parts.append(parameter.detach().numpy().reshape(work.outputs, -1))
        return np.concatenate(parts, axis=1)

    return train


def floor(work: Work, function: np.ufunc, *, models_first: bool, cells: int) -> Training:
    """Return the matrix products of all steps, with a function of each logit between them.

    Args:
        work: The rows.
        function: Such as the exponential.
        models_first: Whether logits are (M * k, n), or the other way round.
        cells: Logits of the blocks of rows that are multiplied at a time.
    """
    count = MODELS * work.outputs
    block_rows = max(LEAST_BLOCK_ROWS, min(cells // count, len(work.X)))
    starts = range(0, len(work.X), block_rows)
    blocks = [work.X[first : first + block_rows].copy() for first in starts]
    transposed_blocks = [block.T.copy() for block in blocks]
    weights = np.random.default_rng(1).normal(0, 0.1, (count, work.X.shape[1])).astype(np.float32)
    if not models_first:
        weights = weights.T.copy()

    # Arrays for the results are made here, so that the products allocate nothing.
    total = np.empty_like(weights)
    logits_of_rows = {}
    for block in blocks:
        shape = (len(block), count)
        if models_first:
            shape = (count, len(block))
        logits_of_rows[len(block)] = np.empty(shape, np.float32)

    def models_first_step() -> None:
        for block, transposed in zip(blocks, transposed_blocks, strict=True):
            logits = logits_of_rows[len(block)]
            np.matmul(weights, transposed, out=logits)
            function(logits, out=logits)
            np.matmul(logits, block, out=total)

    def rows_first_step() -> None:
        for block, transposed in zip(blocks, transposed_blocks, strict=True):
            logits = logits_of_rows[len(block)]
            np.matmul(block, weights, out=logits)
            function(logits, out=logits)
            np.matmul(transposed, logits, out=total)

    step = rows_first_step
    if models_first:
        step = models_first_step

    def train() -> np.ndarray:
        for _ in range(STEPS):
            step()
        return total

    return train


def quickest_floor(work: Work, function: np.ufunc) -> Training:
    """Return the quickest of several arrangements on this machine."""
    arrangements = []
    for models_first in (True, False):
        for cells in BLOCK_CELLS:
            arrangements.append(floor(work, function, models_first=models_first, cells=cells))
    return quickest(arrangements)


def times_by_round(
    contenders: Mapping[str, tuple[int, Callable[[int], Callable]]], *, rounds: int, models: int
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
            seconds[name][turn] = scale * median_seconds(make, turn, models=models)
    return seconds


def missing_packages() -> list[str]:
    """Return the packages for comparison that are not installed."""
    return [name for name in ("torch", "opacus") if importlib.util.find_spec(name) is None]
