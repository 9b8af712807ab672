"""Run Frank-Wolfe of benchmark `regression` in three ways: the lab, a loop, a lower bound."""

from dataclasses import dataclass

import numpy as np

from benchmarks.contenders import Training, quickest
from dpcore.parties.source_detection import RESIDUAL_BOUND
from dpcore.streams import stream
from dpcore.training import frank_wolfe
from dpcore.training.polytopes import L1Ball
from lab.data.transfer_worlds import RADIUS
from pages.transfer.settings import TransferSettings

# Rows of the blocks that the lower bound is tried with. The last one is more than any case has.
BLOCK_ROWS = (500, 1000, 2500, 10**9)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A size of problem: the runs of the transfer page that use the private rows alone."""

    rows: int
    features: int
    repeats: int = 20
    epsilons: tuple[float, ...] = (0.3, 1.0, 4.0, 16.0)

    def __str__(self) -> str:
        return f"n={self.rows} d={self.features}"


class Work:
    """The rows of a case, and the number of steps, noise scale and stream of each model."""

    def __init__(self, case: Case):
        self.case = case
        settings = TransferSettings(target_rows=case.rows, dimension=case.features)
        self.seed = settings.seed
        self.X = settings.data.problem.X
        self.y = settings.data.problem.y
        plans = [settings.model.plans(epsilon)["target"] for epsilon in case.epsilons]
        self.noise = plans[0].noise
        self.steps = np.repeat([plan.steps for plan in plans], case.repeats)
        self.scales = np.repeat([plan.scale for plan in plans], case.repeats)
        self.draws = np.tile(np.arange(case.repeats), len(plans))

    @property
    def models(self) -> int:
        return len(self.draws)


def ours(work: Work, *, noisy: bool = True, dtype: type = np.float32) -> Training:
    """Return the training of all models in one batch, which gives weights (M, d)."""
    scales = np.zeros(work.models)
    if noisy:
        scales = work.scales

    def train() -> np.ndarray:
        run = frank_wolfe.noisy_frank_wolfe(
            work.X,
            work.y,
            polytope=L1Ball(dimension=work.case.features, radius=RADIUS),
            steps=work.steps,
            scale=scales,
            residual_bound=RESIDUAL_BOUND,
            seed=work.seed,
            draws=work.draws,
            noise=work.noise,
            dtype=dtype,
        )
        return run.weights

    return train


def loop(work: Work, model: int, *, noisy: bool = True, dtype: type = np.float32) -> Training:
    """Return the training of one model, as one would write it down, which gives weights (d,)."""
    X = work.X.astype(dtype)
    y = work.y.astype(dtype)
    unit = np.eye(work.case.features)
    vertices = RADIUS * np.concatenate([unit, -unit]).astype(dtype)
    scale = dtype(0)
    if noisy:
        scale = dtype(work.scales[model])

    def train() -> np.ndarray:
        rng = stream(work.seed, "noise", int(work.draws[model]))
        draw = getattr(rng, work.noise)
        weights = np.zeros(work.case.features, dtype)
        for step in range(1, work.steps[model] + 1):
            residuals = np.clip(y - X @ weights, -RESIDUAL_BOUND, RESIDUAL_BOUND)
            gradient = -(X.T @ residuals) / len(y)
            scores = vertices @ gradient - scale * draw(size=len(vertices))
            best = vertices[np.argmin(scores)]
            weights = weights + dtype(2 / (step + 2)) * (best - weights)
        return weights

    return train


def disagreement(work: Work, *, noisy: bool, dtype: type = np.float64) -> np.ndarray:
    """Return the largest difference between each model's weights and those of the loop, (M,).

    Both have the same noise.
    """
    of_batch = ours(work, noisy=noisy, dtype=dtype)()
    of_loop = []
    for model in range(work.models):
        of_loop.append(loop(work, model, noisy=noisy, dtype=dtype)())
    return np.abs(of_batch - np.array(of_loop)).max(axis=1)


def floor(work: Work, *, models_first: bool, block_rows: int) -> Training:
    """Return the two matrix products of every step, for the models that are not finished yet.

    Args:
        work: The rows and the number of steps of each model.
        models_first: Whether weights are (M, d) and residuals (M, n), or the other way round.
        block_rows: Rows that are multiplied at a time.
    """
    X = work.X.astype(np.float32)
    blocks = [X[first : first + block_rows] for first in range(0, len(X), block_rows)]
    all_weights = np.random.default_rng(1).normal(0, 0.1, (work.models, X.shape[1]))
    all_weights = all_weights.astype(np.float32)
    active_models = [int((work.steps > step).sum()) for step in range(work.steps.max())]

    # Arrays for the results are made here, so that the products allocate nothing.
    weights = {}
    totals = {}
    residuals = {}
    for count in set(active_models):
        weights[count] = all_weights[:count]
        if not models_first:
            weights[count] = all_weights[:count].T.copy()
        totals[count] = np.empty_like(weights[count])
        for block in blocks:
            shape = (len(block), count)
            if models_first:
                shape = (count, len(block))
            residuals[count, len(block)] = np.empty(shape, np.float32)
    contiguous_blocks = [block.copy() for block in blocks]
    transposed_blocks = [block.T.copy() for block in blocks]

    def models_first_step(count: int) -> None:
        for block, transposed in zip(contiguous_blocks, transposed_blocks, strict=True):
            result = residuals[count, len(block)]
            np.matmul(weights[count], transposed, out=result)
            np.matmul(result, block, out=totals[count])

    def rows_first_step(count: int) -> None:
        for block, transposed in zip(contiguous_blocks, transposed_blocks, strict=True):
            result = residuals[count, len(block)]
            np.matmul(block, weights[count], out=result)
            np.matmul(transposed, result, out=totals[count])

    multiply = rows_first_step
    if models_first:
        multiply = models_first_step

    def train() -> np.ndarray:
        for count in active_models:
            multiply(count)
        return totals[active_models[-1]]

    return train


def quickest_floor(work: Work) -> Training:
    """Return the quickest of several arrangements on this machine."""
    arrangements = []
    for models_first in (True, False):
        for block_rows in BLOCK_ROWS:
            arrangements.append(floor(work, models_first=models_first, block_rows=block_rows))
    return quickest(arrangements)
