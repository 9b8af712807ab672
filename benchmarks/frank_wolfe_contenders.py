"""Run Frank-Wolfe of benchmark `regression` in three ways: the lab, a loop, a lower bound."""

import itertools
from dataclasses import dataclass

import numpy as np

from benchmarks.contenders import Training, clock
from dpcore.parties.source_detection import RESIDUAL_BOUND
from dpcore.streams import stream
from dpcore.training import frank_wolfe as fw
from dpcore.training.polytopes import L1Ball
from lab.data.transfer_worlds import RADIUS
from pages.transfer.settings import TransferSettings


@dataclass(frozen=True, kw_only=True)
class Case:
    """A size of problem: the walk of the transfer page that uses the private rows alone."""

    rows: int
    features: int
    repeats: int = 20
    epsilons: tuple[float, ...] = (0.3, 1.0, 4.0, 16.0)

    def __str__(self) -> str:
        return f"n={self.rows} d={self.features}"


class Work:
    """The rows of a case, and for each model its number of steps, its noise and its stream."""

    def __init__(self, case: Case):
        self.case = case
        settings = TransferSettings(target_rows=case.rows, dimension=case.features)
        problem = settings.data.problem
        self.X, self.y, self.seed = problem.X, problem.y, settings.seed
        plans = [settings.model.plans(one)["target"] for one in case.epsilons]
        self.noise = plans[0].noise
        self.steps = np.repeat([plan.steps for plan in plans], case.repeats)
        self.scales = np.repeat([plan.scale for plan in plans], case.repeats)
        self.draws = np.tile(np.arange(case.repeats), len(plans))

    @property
    def models(self) -> int:
        return len(self.draws)


def ours(work: Work, *, quiet: bool = False, dtype: type = np.float32) -> Training:
    """All models in one batch: weights (M, d). ``quiet``: without noise."""
    return lambda: (
        fw.noisy_frank_wolfe(
            work.X,
            work.y,
            polytope=L1Ball(dimension=work.case.features, radius=RADIUS),
            steps=work.steps,
            scale=0.0 if quiet else work.scales,
            residual_bound=RESIDUAL_BOUND,
            seed=work.seed,
            draws=work.draws,
            noise=work.noise,
            dtype=dtype,
        ).weights
    )


def loop(work: Work, model: int, *, quiet: bool = False, dtype: type = np.float32) -> Training:
    """One model, as one would write it down; the ball's vertices are a list."""
    X, y, d = work.X.astype(dtype), work.y.astype(dtype), work.case.features
    vertices = RADIUS * np.concatenate([np.eye(d), -np.eye(d)]).astype(dtype)
    scale = dtype(0 if quiet else work.scales[model])

    def train() -> np.ndarray:
        w, rng = np.zeros(d, dtype), stream(work.seed, "noise", int(work.draws[model]))
        for t in range(1, work.steps[model] + 1):
            residuals = np.clip(y - X @ w, -RESIDUAL_BOUND, RESIDUAL_BOUND)
            scores = vertices @ (-(X.T @ residuals) / len(y)) - scale * getattr(rng, work.noise)(
                size=2 * d
            )
            w = w + dtype(2 / (t + 2)) * (vertices[np.argmin(scores)] - w)
        return w

    return train


def disagreement(work: Work, *, quiet: bool, dtype: type = np.float64) -> np.ndarray:
    """(M,): the largest difference between the weights of each model and those of the loop, with
    the same noise.
    """
    alone = np.array(
        [loop(work, model, quiet=quiet, dtype=dtype)() for model in range(work.models)]
    )
    return np.abs(ours(work, quiet=quiet, dtype=dtype)() - alone).max(axis=1)


def floor(work: Work, *, models_first: bool, width: int) -> Training:
    """The two matrix products of every step for the models that are still walking, in blocks of
    ``width`` rows.
    """
    X = work.X.astype(np.float32)
    blocks = [X[first : first + width] for first in range(0, len(X), width)]
    active = [int((work.steps > step).sum()) for step in range(work.steps.max())]
    weights = np.random.default_rng(1).normal(0, 0.1, (work.models, X.shape[1])).astype(np.float32)
    if models_first:
        parts = [(block.T.copy(), block.copy()) for block in blocks]
        products = {m: weights[:m] for m in set(active)}
    else:
        parts = [(block.copy(), block.T.copy()) for block in blocks]
        products = {m: weights[:m].T.copy() for m in set(active)}
    # A place for each result, so that nothing is allocated on the way.
    sizes = {(m, len(block)) for m in products for block in blocks}
    residuals = {size: np.empty(size if models_first else size[::-1], np.float32) for size in sizes}
    totals = {m: np.empty_like(each) for m, each in products.items()}

    def train() -> np.ndarray:
        for m in active:
            for (first, second), block in zip(parts, blocks, strict=True):
                place = residuals[m, len(block)]
                if models_first:
                    np.matmul(products[m], first, out=place)
                    np.matmul(place, second, out=totals[m])
                else:
                    np.matmul(first, products[m], out=place)
                    np.matmul(second, place, out=totals[m])
        return totals[active[-1]]

    return train


def quickest_floor(work: Work) -> Training:
    """The quickest of several arrangements on this machine."""
    made = [
        floor(work, models_first=models_first, width=width)
        for models_first, width in itertools.product((True, False), (500, 1000, 2500, 10**9))
    ]
    return min(made, key=lambda train: min(clock(train) for _ in range(3)))
