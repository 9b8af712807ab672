"""What the audit table attacks where many take part: whole parties that vote, and sources that share their models."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import expit

from dpcore import check
from dpcore.mechanisms import NormExponential
from dpcore.parties import importance, sources
from dpcore.parties.objective import Objective
from pages.attack.audits import party_neighbours
from pages.attack.audits.targets import Target, both

# Many saturated rows hold the minimum far out along the first axis, where two mirrored rows pull to opposite sides.
_ROWS, _LAMBDA = 5000, 1e-3
_MIRRORED = np.array([[0.35, 0.94], [0.35, -0.94]]) / np.hypot(0.35, 0.94)
# How far apart that holds the two minima, in parts of the sensitivity; nobody knows a pair that comes nearer to 1.
REACH = 0.789
# Few rows and little regularisation: one row's share of the curvature is large. With more, only its label counts.
_FEW, _WEAK, _STRONG = 3, 0.02, 1.0


def party(epsilon: float, *, method: str, broken: str | None = None, delta: float = 0.0) -> Target:
    """Release with one whole party of many that says yes, or no. delta: as ``party_neighbours`` has it for this
    method."""
    if delta != (party_neighbours.DELTA if method == "pate" else 0.0):
        raise check.RefusedError("delta", delta, "that of the method")
    return lambda runs, seed, *, twins=False: party_neighbours.scores(method, epsilon, runs, seed, broken, twins=twins)


def _two_minima() -> np.ndarray:
    """A source's classifiers (2, d) in the two worlds, ``REACH`` of the sensitivity apart."""
    X = np.zeros((2, _ROWS, 2))
    X[:, :, 0], X[:, 0] = 1.0, _MIRRORED
    y = np.ones((2, _ROWS), int)
    y[:, 0] = 0
    return sources.hypotheses(X, y, regularisation=_LAMBDA)


def hypothesis(epsilon: float, *, factor: float = 1.0, coordinates: bool = False) -> Target:
    """A source's classifier with noise on the answer, projected on what one row moves.

    coordinates: independent Laplace noise in place of a direction, with the same figure, and the rows in 16 dimensions.
    """
    scale = factor * sources.hypothesis_sensitivity(_ROWS, _LAMBDA) / epsilon
    return _answers(_two_minima, scale, coordinates=coordinates)


def gaussian_hypothesis(epsilon: float, *, delta: float, as_scale: bool = False) -> Target:
    """The same classifier with Gaussian noise, projected on what one row moves.

    as_scale: the noise's standard deviation is the scale that a pure epsilon needs.
    """
    kind, once = "exponential" if as_scale else "gaussian", cache(_two_minima)
    sd = sources.Budget(epsilon=epsilon, noise=kind, delta=delta).scale(sources.hypothesis_sensitivity(_ROWS, _LAMBDA))

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        first, second = once()
        return ((first if world else second) + sd * rng.normal(size=(runs, len(first)))) @ (first - second)

    return both(score)


def tilt(epsilon: float, *, pooled: bool = False) -> Target:
    """A source's importance weights with noise on their slope; pooled: the noise for one mean over all rows."""
    X = np.zeros((2, _ROWS, 2))
    X[:, :, 0], X[:, 0] = 1.0, -_MIRRORED
    public = np.tile([-1.0, 0.0], (_ROWS, 1))
    rows = len(public) + _ROWS if pooled else _ROWS
    scale = importance.sensitivity(rows, _LAMBDA) / epsilon
    return _answers(lambda: importance.tilts(X, public, regularisation=_LAMBDA), scale)


def _answers(minima: Callable[[], np.ndarray], scale: float, *, coordinates: bool = False) -> Target:
    """Noise of this scale on two neighbours' minima (2, d), scored by the exact log-likelihood ratio."""
    standard, once = NormExponential(sensitivity=1.0, epsilon=1.0), cache(minima)

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        first, second = once()
        length = np.linalg.norm(first - second)
        if coordinates:
            step = np.full(16, length / 4)
            seen = world * step + rng.laplace(scale=scale, size=(runs, 16))
            return (np.abs(seen) - np.abs(seen - step)).sum(axis=1) / scale
        seen = (first if world else second) + scale * standard.noise(len(first), rng, size=runs)
        return (np.linalg.norm(seen - second, axis=1) - np.linalg.norm(seen - first, axis=1)) / scale

    return both(score)


@dataclass(frozen=True, kw_only=True)
class _NoVolume(Objective):
    """Noise in the objective without the price of the densities' change of volume."""

    @property
    def direct(self) -> float:
        return self.epsilon


def objective(epsilon: float, *, volume: bool = True) -> Target:
    """Noise in the objective of a classifier with one weight, scored by the exact log-likelihood ratio of its minimum.

    One row has the input 1 and the other class in the other world; the others have the input 0. Without ``volume`` the
    price of the densities' change of volume is left out; then the other world's row has the input 0, and no curvature.
    The minimum w tells the noise b = -n (mean gradient + strength w), and its density is that of b times |db/dw|.
    """
    regularisation = _STRONG if volume else _WEAK
    made = (Objective if volume else _NoVolume)(rows=_FEW, regularisation=regularisation, epsilon=epsilon)
    strength = _FEW * (made.regularisation + made.extra)
    worlds = ((1.0, 0) if volume else (0.0, 1), (1.0, 1))

    def log_density(w: np.ndarray, x: float, label: int) -> np.ndarray:
        p = expit(x * w)
        b = x * (label - p) - strength * w
        return -np.abs(b) / made.scale + np.log(x * p * (1 - p) + strength)

    def score(world: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        draws = NormExponential(sensitivity=1.0, epsilon=1.0).noise(1, rng, size=runs)
        X, y = np.zeros((runs, _FEW, 1)), np.ones((runs, _FEW), int)
        X[:, 0], y[:, 0] = worlds[world]
        w = made.minimise(X, y, draws)[:, 0]
        return log_density(w, *worlds[1]) - log_density(w, *worlds[0])

    return both(score)
