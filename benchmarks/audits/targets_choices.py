"""Attack private choices: the steps of Frank-Wolfe over the vertices of a polytope."""

import numpy as np

from benchmarks.audits.targets import AuditRun, target
from dpcore.accountants import zcdp
from dpcore.privacy import Adjacency
from dpcore.training import frank_wolfe as fw
from dpcore.training.polytopes import L1Ball

_ROWS = 5
_INTERVAL = L1Ball(dimension=1, radius=1.0)


@target
def walk(
    audit_run: AuditRun, epsilon: float, *, delta: float, residual_bound: float = 1.0
) -> np.ndarray:
    """Count how often a Frank-Wolfe walk of 50 nearly even choices takes the first vertex."""
    steps = 50
    once = fw.selection_epsilon(zcdp.rho_of(epsilon, delta=delta), steps=steps, noise="gumbel")
    others = np.resize([10.0, -10.0], _ROWS - 1)
    return _walked(
        audit_run, others, scale=_scale(once), steps=steps, residual_bound=residual_bound
    )


@target
def choice(audit_run: AuditRun, epsilon: float, *, factor: float = 1.0) -> np.ndarray:
    """Choose once between the two vertices of an interval, which one row pulls to one or to the
    other.

    The other rows pull to the second, so far that the first is rare: a rare answer tells most.
    """
    others = np.full(_ROWS - 1, -2.2 / (_ROWS - 1))
    return _walked(audit_run, others, scale=factor * _scale(epsilon), noise="laplace")


def _scale(epsilon: float) -> float:
    sensitivity = fw.score_sensitivity(
        _INTERVAL.norm,
        residual_bound=1.0,
        rows=_ROWS,
        adjacency=Adjacency.REPLACE_ONE,
    )
    return fw.noise_scale(epsilon, sensitivity=sensitivity)


def _walked(
    audit_run: AuditRun,
    others: np.ndarray,
    *,
    scale: float,
    steps: int = 1,
    residual_bound: float = 1.0,
    noise: fw.Noise = "gumbel",
) -> np.ndarray:
    """Score how often the first vertex is chosen, and of a walk where it ends. others: the
    residuals of other rows.
    """
    found = fw.noisy_frank_wolfe(
        np.ones((_ROWS, _INTERVAL.dimension)),
        np.append(others, 10.0 if audit_run.canary else -10.0),
        polytope=_INTERVAL,
        steps=steps,
        scale=scale,
        residual_bound=residual_bound,
        seed=audit_run.noise_seed,
        draws=range(audit_run.runs),
        noise=noise,
    )
    return (found.choices == 0).sum(axis=0) + (1e-3 * found.weights[:, 0] if steps > 1 else 0.0)
