"""Fit the regressions of the benchmark `regression` in three ways: the lab, and two plain loops."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from benchmarks.contenders import Training
from dpcore.estimators.linear import REGRESSIONS, standard_noise
from dpcore.regression import gaussian_statistics
from dpcore.regression.least_squares import RIDGE_SDS
from lab.data import regression as regression_data
from pages.regression.settings import RegressionSettings
from pages.regression.tasks import EPSILONS

# Gives (X^T X, X^T y), and the mean gradient at weights w of a batch of rows, each clipped to a norm.
Source = tuple[
    Callable[[], tuple[np.ndarray, np.ndarray]],
    Callable[[np.ndarray, slice, float], np.ndarray],
]
# One method by hand: (way, source, n, standard draws, what ``Work.calibration`` gave) -> weights
# (p,).
Single = Callable[..., np.ndarray]


@dataclass
class Work:
    """Private rows, their statistics, and each method's standard draws; all methods see the same
    rows.
    """

    settings: RegressionSettings = field(default_factory=RegressionSettings)
    epsilons: tuple[float, ...] = EPSILONS

    def __post_init__(self) -> None:
        settings, problem = self.settings, self.settings.problem
        table = regression_data.load(settings.dataset, seed=settings.seed)
        self.X = table.X[: settings.rows, : problem.inputs].astype(float)
        self.y = (
            np.minimum(table.y[: settings.rows], settings.label_top) - problem.midpoint
        ) / problem.half_range
        self.statistics = problem.training_statistics()
        self.rows = problem.training_rows()
        self.ways = {name: settings.mechanism_of(name) for name in REGRESSIONS}
        options = {"inputs": problem.inputs, "repeats": settings.repeats, "seed": settings.seed}
        self.draws = {name: standard_noise(way, **options) for name, way in self.ways.items()}
        # What does not depend on the draw: the loops are given it, ours finds it in its own time.
        self.calibrations = {
            name: [self.calibration(name, one) for one in self.epsilons] for name in REGRESSIONS
        }

    @property
    def models(self) -> int:
        """Of one method: epsilon by epsilon, repeat by repeat."""
        return len(self.epsilons) * self.settings.repeats

    def place(self, model: int) -> tuple[int, int]:
        """(which epsilon, which repeat)"""
        return divmod(model, self.settings.repeats)

    def calibration(self, name: str, epsilon: float) -> tuple[float, ...]:
        """Noise scales of a method at one epsilon; penalty and scale of "output"; the multiplier of
        "descent" with clipping norm, radius and learning rate.
        """
        way, p, n = self.ways[name], self.statistics.inputs, self.statistics.rows
        if name == "published":
            return 2 * p**2 / (way.share * epsilon), 4 * p / ((1 - way.share) * epsilon)
        if name == "functional":
            return tuple(float(scale) for scale in way.scales(p, epsilon))
        if name == "output":
            penalty = way.chosen_penalty(epsilon, inputs=p, rows=n)
            return penalty, way.l2_sensitivity(penalty, inputs=p, rows=n) / epsilon
        releases = {"gaussian": 1, "adassp": 3, "descent": getattr(way, "passes", 1)}[name]
        found = gaussian_statistics.noise_multipliers(
            np.array([epsilon]), delta=way.delta, releases=releases
        )
        multiplier = float(found[0])
        if name != "descent":
            return (multiplier,)
        public = {"inputs": p, "rows": n}
        return (
            multiplier,
            way.chosen_clip_norm(epsilon, **public),
            way.chosen_radius(epsilon, **public),
            way.chosen_rate(epsilon, **public),
        )

    def from_statistics(self) -> Source:
        """The statistics as they were computed once."""
        gram, moment = self.statistics.gram, self.statistics.moment
        return (lambda: (gram, moment)), self.clipped_gradient

    def from_rows(self) -> Source:
        """Back to the rows for every model."""
        X, y = self.X, self.y
        return (lambda: (X.T @ X, X.T @ y)), self.clipped_gradient

    def clipped_gradient(self, w: np.ndarray, batch: slice, clip_norm: float) -> np.ndarray:
        """The mean gradient of half the squared error, which no statistics give where it is
        clipped.
        """
        X, y = self.X[batch], self.y[batch]
        bound = clip_norm / np.linalg.norm(X, axis=1)
        return np.clip(X @ w - y, -bound, bound) @ X / len(y)


def ours(work: Work, name: str) -> Training:
    """All models of a method in one batch: weights (E, R, p)."""
    epsilons = np.array(work.epsilons)
    data = work.rows if name == "descent" else work.statistics
    return lambda: work.ways[name].fit(data, work.draws[name], epsilons).weights


def loop(work: Work, name: str, model: int, *, rows: bool = False) -> Training:
    """One model of a method, as one would write it down."""
    epsilon, repeat = work.place(model)
    source = work.from_rows() if rows else work.from_statistics()
    way, draw, n = work.ways[name], work.draws[name][repeat], work.statistics.rows
    calibration = work.calibrations[name][epsilon]
    return lambda: SINGLES[name](way, source, n, draw, calibration)


def disagreement(work: Work, name: str, models: Iterable[int], *, rows: bool = False) -> float:
    """The largest difference between weights of a loop and ours, over the size of the model's
    weights.
    """
    batch, apart = ours(work, name)().reshape(work.models, -1), 0.0
    for model in models:
        single = loop(work, name, model, rows=rows)()
        apart = max(
            apart, float(np.abs(batch[model] - single).max() / max(1, np.abs(single).max()))
        )
    return apart


def published(
    way, source: Source, n: int, draw: np.ndarray, calibration: tuple[float, ...]
) -> np.ndarray:
    """Noise on each entry, and then the root of the gradient, whatever it is."""
    gram, moment = source[0]()
    p = len(moment)
    quadratic = gram + calibration[0] * draw[: p * p].reshape(p, p)
    linear = -2 * moment + calibration[1] * draw[p * p :]
    return np.linalg.solve(quadratic + quadratic.T, -linear)


def laplace(
    way, source: Source, n: int, draw: np.ndarray, calibration: tuple[float, ...]
) -> np.ndarray:
    """The "functional" way: the triangle without n, X^T y, the ridge, the trim."""
    gram, moment = source[0]()
    p = len(moment)
    noise = triangle(draw[:-p], p)
    noise[0, 0] = 0
    lift = RIDGE_SDS * math.sqrt(2) * calibration[0]
    return trimmed(
        gram + calibration[0] * noise + lift * np.eye(p), moment + calibration[1] * draw[-p:]
    )


def gaussian(
    way, source: Source, n: int, draw: np.ndarray, calibration: tuple[float, ...]
) -> np.ndarray:
    """As "functional", with normal noise; an entry off the diagonal has half of the variance."""
    gram, moment = source[0]()
    p = len(moment)
    weight = gaussian_statistics.best_weight(p)
    sd = gaussian_statistics.joint_sensitivity(p, weight) * calibration[0]
    noise = triangle(draw[:-p], p) * half_off_diagonal(p)
    noise[0, 0] = 0
    lift = RIDGE_SDS * sd / math.sqrt(2)
    return trimmed(
        gram + sd * noise + lift * np.eye(p), moment + sd / (math.sqrt(2) * weight) * draw[-p:]
    )


def adassp(
    way, source: Source, n: int, draw: np.ndarray, calibration: tuple[float, ...]
) -> np.ndarray:
    """The least eigenvalue first, then a ridge as large as it leaves in doubt."""
    (gram, moment), multiplier = source[0](), calibration[0]
    p = len(moment)
    least = np.linalg.eigvalsh(gram)[0] + p * multiplier * (
        draw[-1] - math.sqrt(math.log(6 / way.delta))
    )
    sd = math.sqrt(2) * p * multiplier
    lift = max(0.0, sd * math.sqrt(p * math.log(2 * p**2 / way.rho)) - max(least, 0.0))
    noisy = gram + sd * triangle(draw[: -p - 1], p) * half_off_diagonal(p)
    return trimmed(
        noisy + lift * np.eye(p), moment + 2 * math.sqrt(p) * multiplier * draw[-p - 1 : -1]
    )


def output(
    way, source: Source, n: int, draw: np.ndarray, calibration: tuple[float, ...]
) -> np.ndarray:
    """The optimum in the ball, by a root search over the penalty; then noise, and back into the
    ball.
    """
    (gram, moment), (penalty, scale) = source[0](), calibration
    gram, moment = gram / n, moment / n
    unit = np.eye(len(moment))

    def optimum(penalty: float) -> np.ndarray:
        return np.linalg.solve(gram + penalty * unit, moment)

    def beyond(penalty: float) -> float:
        return float(np.linalg.norm(optimum(penalty))) - way.radius

    if beyond(penalty) > 0:
        penalty = brentq(
            beyond, penalty, np.linalg.norm(moment) / way.radius, xtol=1e-15, rtol=1e-14
        )
    return into_ball(optimum(penalty) + scale * draw, way.radius)


def descent(
    way, source: Source, n: int, draw: np.ndarray, calibration: tuple[float, ...]
) -> np.ndarray:
    """Step by step with momentum; the answer is the mean of the second half of the path."""
    gradient, p = source[1], len(draw) // way.steps
    multiplier, clip_norm, radius, rate = calibration
    w, velocity, path = np.zeros(p), np.zeros(p), []
    for step, noise in enumerate(draw.reshape(way.steps, p)):
        index = step % way.batches
        batch = slice(index * n // way.batches, (index + 1) * n // way.batches)
        noise_sd = multiplier * 2 * clip_norm / (batch.stop - batch.start)
        velocity = way.momentum * velocity - rate * (
            gradient(w, batch, clip_norm) + noise_sd * noise
        )
        w = into_ball(w + velocity, radius)
        path.append(w)
    return np.mean(path[way.steps // 2 :], axis=0)


SINGLES: dict[str, Single] = {
    "published": published,
    "functional": laplace,
    "gaussian": gaussian,
    "adassp": adassp,
    "output": output,
    "descent": descent,
}


def triangle(draw: np.ndarray, p: int) -> np.ndarray:
    """A symmetric matrix (p, p) from the draws of its upper triangle."""
    upper = np.zeros((p, p))
    upper[np.triu_indices(p)] = draw
    return upper + np.triu(upper, 1).T


def half_off_diagonal(p: int) -> np.ndarray:
    return np.full((p, p), math.sqrt(0.5)) + (1 - math.sqrt(0.5)) * np.eye(p)


def trimmed(gram: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """The minimum without the directions that curve down."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-9 * abs(values[-1])
    return vectors[:, kept] @ (vectors[:, kept].T @ moment / values[kept])


def into_ball(w: np.ndarray, radius: float) -> np.ndarray:
    norm = np.linalg.norm(w)
    return w if norm <= radius else w * (radius / norm)
