"""Attack private choices: the steps of Frank-Wolfe over the vertices of a polytope."""

import numpy as np

from benchmarks.audits.targets import AuditRun, target
from dpcore.accountants import zcdp
from dpcore.privacy import Adjacency
from dpcore.training import frank_wolfe
from dpcore.training.polytopes import L1Ball

ROWS = 5
INTERVAL = L1Ball(dimension=1, radius=1.0)
# Label of the canary's row, or its negative without the canary.
CANARY_LABEL = 10.0
WALK_STEPS = 50
# Breaks ties between walks with as many choices of the first vertex by where they end.
END_WEIGHT = 1e-3


@target
def walk(
    audit_run: AuditRun, epsilon: float, *, delta: float, residual_bound: float = 1.0
) -> np.ndarray:
    """Take 50 nearly even choices of Frank-Wolfe, and count those of the first vertex."""
    epsilon_of_step = frank_wolfe.selection_epsilon(
        zcdp.rho_of(epsilon, delta=delta), steps=WALK_STEPS, noise="gumbel"
    )
    other_labels = np.resize([10.0, -10.0], ROWS - 1)
    path = _run_frank_wolfe(
        audit_run,
        other_labels,
        scale=_noise_scale(epsilon_of_step),
        steps=WALK_STEPS,
        residual_bound=residual_bound,
    )
    return _first_choices(path) + END_WEIGHT * path.weights[:, 0]


@target
def choice(audit_run: AuditRun, epsilon: float, *, factor: float = 1.0) -> np.ndarray:
    """Choose once between the two vertices of an interval, and return whether it is the first.

    The canary's row pulls to one or to the other. The other rows pull to the second vertex, so far
    that the first is rare, because a rare answer reveals most.
    """
    other_labels = np.full(ROWS - 1, -2.2 / (ROWS - 1))
    scale = factor * _noise_scale(epsilon)
    path = _run_frank_wolfe(audit_run, other_labels, scale=scale, noise="laplace")
    return _first_choices(path)


def _noise_scale(epsilon: float) -> float:
    """Return the scale of the noise of one choice."""
    sensitivity = frank_wolfe.score_sensitivity(
        INTERVAL.norm, residual_bound=1.0, rows=ROWS, adjacency=Adjacency.REPLACE_ONE
    )
    return frank_wolfe.noise_scale(epsilon, sensitivity=sensitivity)


def _run_frank_wolfe(
    audit_run: AuditRun,
    other_labels: np.ndarray,
    *,
    scale: float,
    steps: int = 1,
    residual_bound: float = 1.0,
    noise: frank_wolfe.Noise = "gumbel",
) -> frank_wolfe.Trajectory:
    """Run Frank-Wolfe on rows whose input is 1.

    Args:
        audit_run: The runs.
        other_labels: Of the rows beside the canary.
        scale: Of the noise.
        steps: Number of choices.
        residual_bound: To which residuals are clipped.
        noise: Its distribution.
    """
    canary_label = -CANARY_LABEL
    if audit_run.canary:
        canary_label = CANARY_LABEL
    return frank_wolfe.noisy_frank_wolfe(
        np.ones((ROWS, INTERVAL.dimension)),
        np.append(other_labels, canary_label),
        polytope=INTERVAL,
        steps=steps,
        scale=scale,
        residual_bound=residual_bound,
        seed=audit_run.noise_seed,
        draws=range(audit_run.runs),
        noise=noise,
    )


def _first_choices(path: frank_wolfe.Trajectory) -> np.ndarray:
    """Return how often each run chose the first vertex."""
    return (path.choices == 0).sum(axis=0).astype(float)
