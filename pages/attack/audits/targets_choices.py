"""What the audit table attacks among private choices: Frank-Wolfe's walks over the vertices of a polytope."""

import numpy as np

from dpcore.accountants import zcdp
from dpcore.privacy import Adjacency
from dpcore.training import frank_wolfe as fw
from pages.attack.audits.targets import Target, each

REPLACE = Adjacency.REPLACE_ONE
_ROWS = 5
# From the centre: one corner far out, and two near by.
_HULL = fw.Hull(corners=((3.0, 3.0), (-1.0, 0.0), (0.0, -1.0)))


def walk(epsilon: float, *, delta: float, factor: float = 1.0, residual_bound: float = 1.0) -> Target:
    """Return how often a Frank-Wolfe walk of 50 nearly even choices takes the first vertex."""
    steps = 50
    rho = zcdp.rho_of(epsilon, delta=delta)
    sensitivity = fw.score_sensitivity(1.0, residual_bound=1.0, rows=_ROWS, adjacency=REPLACE)
    scale = factor * fw.noise_scale(fw.selection_epsilon(rho, steps=steps, noise="gumbel"), sensitivity=sensitivity)
    X, others = np.ones((_ROWS, 1)), np.resize([10.0, -10.0], _ROWS - 1)

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        found = fw.noisy_frank_wolfe(
            X,
            np.append(others, 10.0 if world else -10.0),
            polytope=fw.L1Ball(dimension=1, radius=1.0),
            steps=steps,
            scale=scale,
            residual_bound=residual_bound,
            seed=2 * seed + draw,
            draws=range(runs),
            noise="gumbel",
        )
        return (found.choices == 0).sum(axis=0) + 1e-3 * found.weights[:, 0]

    return each(score)


def choice(epsilon: float, *, noise: str, factor: float = 1.0) -> Target:
    """Choose once between the two vertices of an interval, which one row pulls to one or to the other.

    The other rows pull to the second, so far that the first is rare: a rare answer tells most.
    """
    return _one_choice(epsilon, fw.L1Ball(dimension=1, radius=1.0), against=2.2, noise=noise, factor=factor)


def corner(epsilon: float, *, another: bool = False) -> Target:
    """Choose once among the corners of a hull; a row pulls along the farthest one, the others against it.

    another: the noise is made for the norm of a corner near by.
    """
    factor = float(np.abs(_HULL.vertices[1]).sum()) / _HULL.norm if another else 1.0
    return _one_choice(epsilon, _HULL, against=1.5, noise="gumbel", factor=factor)


def _one_choice(epsilon: float, polytope: fw.Polytope, *, against: float, noise: str, factor: float) -> Target:
    """Return whether the first step goes to the first vertex.

    against: the sum of the others' residuals, in units of R.
    """
    sensitivity = fw.score_sensitivity(polytope.norm, residual_bound=1.0, rows=_ROWS, adjacency=REPLACE)
    scale = factor * fw.noise_scale(epsilon, sensitivity=sensitivity)
    X, others = np.ones((_ROWS, polytope.dimension)), np.full(_ROWS - 1, -against / (_ROWS - 1))

    def score(world: int, runs: int, seed: int, draw: int) -> np.ndarray:
        found = fw.noisy_frank_wolfe(
            X,
            np.append(others, 10.0 if world else -10.0),
            polytope=polytope,
            steps=1,
            scale=scale,
            residual_bound=1.0,
            seed=2 * seed + draw,
            draws=range(runs),
            noise=noise,
        )
        return 1.0 * (found.choices[0] == 0)

    return each(score)
