"""Exact minimisers of strongly convex empirical risks, for stacks of problems at once.

    logistic:  sum_i r_i (t_i l(z_i) + (1 - t_i) l(-z_i)) + (1/2) sum_j lambda_j (w_j - c_j)^2,
               z = w.x,  l(z) = log(1 + e^-z)
    softmax:   sum_i r_i (log sum_k exp(z_ik) - sum_k t_ik z_ik)
               + (1/2) sum_kj lambda_kj (w_kj - c_kj)^2

Output perturbation calibrates noise for the *minimiser* [chaudhuri2011]. A point whose gradient has
norm tau is up to tau / lambda away from it, so the points for two neighbours are up to 2 tau /
lambda further apart than the minimisers. Therefore damped Newton steps run to a gradient norm of
1e-10, and each result reports the norm it reached. With many weights, conjugate gradients replace
the Hessian, which makes steps less exact but not their limit.
"""

import math
from typing import NamedTuple

import numpy as np

from dpcore import check
from dpcore.training import sparse_erm
from dpcore.training.dense_or_sparse import Rows, is_sparse
from dpcore.training.risks import Local, LogisticRisk, Risk, SoftmaxRisk

TOLERANCE = 1e-10
_STEPS = 100
_HALVINGS = 40
# A step is long enough if the risk falls by this share of what its slope promises.
_SUFFICIENT_DECREASE = 1e-4
# Relative error of a computed risk.
_ROUNDING = 1e-14
# Gradient norms below this many tolerances are near the minimum.
_NEAR = 1e3
# Shares of classes may miss [0, 1] and their sum by rounding.
_SHARE_ERROR = 1e-12
_SUM_ERROR = 1e-9
# The Hessians of a stack and their factors are computed in chunks of about this many numbers.
_CHUNK_NUMBERS = 4_000_000


class Minimum(NamedTuple):
    """Minimisers of a stack of problems.

    Attributes:
        weights: (..., d) or (..., K, d).
        gradient_norm: L2 norm of the gradient reached for each problem, (...).
    """

    weights: np.ndarray
    gradient_norm: np.ndarray

    def exact(self) -> np.ndarray:
        """Return the weights.

        Raises:
            ArithmeticError: If a problem did not reach ``TOLERANCE``, which noise accounts for.
        """
        if not (self.gradient_norm <= TOLERANCE).all():
            raise ArithmeticError(f"a minimiser was not found to a gradient of {TOLERANCE:g}")
        return self.weights


def logistic(
    X: Rows,
    targets: np.ndarray,
    *,
    regularisation: float | np.ndarray,
    row_weights: np.ndarray | None = None,
    centre: float | np.ndarray = 0.0,
    tolerance: float = TOLERANCE,
    start: float | np.ndarray | None = None,
) -> Minimum:
    """Minimise two-class risks of several problems, along leading axes that broadcast.

    Args:
        X: (n, d) or (..., n, d); may be sparse (see ``dense_or_sparse``).
        targets: Share of the positive class, in [0, 1], (..., n).
        regularisation: lambda, a number, (d,) or (..., d), above 0.
        row_weights: r, (n,) or (..., n), at least 0; None for 1/n.
        centre: c, shaped like the regularisation.
        tolerance: Gradient norm at which a search ends.
        start: Starting point, shaped like the centre, which is the default. It does not affect the
            result. The search for sparse rows always starts at the centre.
    """
    targets = _checked_shares(targets)
    if is_sparse(X):
        return _minimise_sparse(X, targets, regularisation, row_weights, centre, tolerance)
    X = check.numbers(X=X)
    return _minimise(
        LogisticRisk,
        X,
        targets[..., None, :],
        X.shape[-1:],
        regularisation=regularisation,
        row_weights=row_weights,
        centre=centre,
        tolerance=tolerance,
        start=start,
    )


def softmax(
    X: np.ndarray,
    targets: np.ndarray,
    *,
    regularisation: float | np.ndarray,
    tolerance: float = TOLERANCE,
    start: float | np.ndarray | None = None,
) -> Minimum:
    """Minimise K-class risks with one weight vector per class, r = 1/n and c = 0.

    Args:
        X: (n, d) or (..., n, d).
        targets: Share of each class, (..., K, n), in [0, 1], summing to 1 over classes.
        regularisation: lambda, a number, (K, d) or (..., K, d), above 0.
        tolerance: As for ``logistic``.
        start: As for ``logistic``.
    """
    X = check.numbers(X=X)
    targets = _checked_shares(targets)
    sums = targets.sum(axis=-2)
    if np.abs(sums - 1).max() > _SUM_ERROR:
        raise check.RefusedError("targets", sums.ravel()[:5], "shares that sum to 1 for each row")
    return _minimise(
        SoftmaxRisk,
        X,
        targets,
        (targets.shape[-2], X.shape[-1]),
        regularisation=regularisation,
        row_weights=None,
        centre=0.0,
        tolerance=tolerance,
        start=start,
    )


def distance(gradient_norm: float, *, regularisation: float) -> float:
    """Return how much further apart two inexact minimisers may be than exact ones.

    It is 2 tau / lambda, which is added to the sensitivity.
    """
    return 2 * gradient_norm / regularisation


def _checked_shares(targets: np.ndarray) -> np.ndarray:
    """Return ``targets`` as floats if they are shares."""
    targets = check.numbers(targets=targets)
    is_share = (targets >= -_SHARE_ERROR) & (targets <= 1 + _SHARE_ERROR)
    if targets.size == 0 or not is_share.all():
        raise check.RefusedError("targets", targets.ravel()[:5], "numbers from 0 to 1")
    return targets


class _Arguments(NamedTuple):
    """Validated row weights, regularisation and centre."""

    row_weights: np.ndarray
    regularisation: np.ndarray
    centre: np.ndarray


def _checked_arguments(
    rows: int,
    regularisation: float | np.ndarray,
    row_weights: np.ndarray | None,
    centre: float | np.ndarray,
    tolerance: float,
) -> _Arguments:
    """Return the arguments of a problem with so many rows, whose row weights are 1/n if None."""
    check.positive(tolerance=tolerance)
    if row_weights is None:
        row_weights = np.full(rows, 1 / rows)
    row_weights = check.numbers(row_weights=row_weights)
    lambdas = check.numbers(regularisation=regularisation)
    centre = check.numbers(centre=centre)
    if not (lambdas > 0).all():
        raise check.RefusedError("regularisation", regularisation, "above 0 for each weight")
    if not (row_weights >= 0).all():
        raise check.RefusedError("row_weights", float(row_weights.min()), "at least 0 for each row")
    return _Arguments(row_weights=row_weights, regularisation=lambdas, centre=centre)


def _minimise_sparse(
    X: Rows,
    targets: np.ndarray,
    regularisation: float | np.ndarray,
    row_weights: np.ndarray | None,
    centre: float | np.ndarray,
    tolerance: float,
) -> Minimum:
    """Minimise problems with sparse rows, one after the other."""
    if isinstance(X, tuple):
        matrices = X
        axes_of_rows: tuple[int, ...] = (len(X),)
    else:
        matrices = (X,)
        axes_of_rows = ()
    n, d = matrices[0].shape
    arguments = _checked_arguments(n, regularisation, row_weights, centre, tolerance)
    axes = np.broadcast_shapes(
        axes_of_rows,
        targets.shape[:-1],
        arguments.row_weights.shape[:-1],
        arguments.regularisation.shape[:-1],
        arguments.centre.shape[:-1],
    )
    targets = np.broadcast_to(targets, (*axes, n))
    all_row_weights = np.broadcast_to(arguments.row_weights, (*axes, n))
    lambdas = np.broadcast_to(arguments.regularisation, (*axes, d))
    centres = np.broadcast_to(arguments.centre, (*axes, d))
    weights = np.empty((*axes, d))
    norms = np.empty(axes)
    for problem in np.ndindex(axes):
        matrix = matrices[0]
        if isinstance(X, tuple):
            matrix = X[problem[-1]]
        weights[problem], norms[problem] = sparse_erm.logistic(
            matrix,
            targets[problem],
            regularisation=lambdas[problem],
            row_weights=all_row_weights[problem],
            centre=centres[problem],
            tolerance=tolerance,
        )
    return Minimum(weights, norms)


def _minimise(
    kind: type[Risk],
    X: np.ndarray,
    targets: np.ndarray,
    shape: tuple[int, ...],
    *,
    regularisation: float | np.ndarray,
    row_weights: np.ndarray | None,
    centre: float | np.ndarray,
    tolerance: float,
    start: float | np.ndarray | None,
) -> Minimum:
    """Flatten the leading axes into one, minimise chunk by chunk, and restore the axes.

    Args:
        kind: ``LogisticRisk`` or ``SoftmaxRisk``.
        X: (..., n, d).
        targets: (..., K or 1, n).
        shape: Of the weights of one problem.
        regularisation: As for ``logistic``, like the other arguments.
        row_weights: As for ``logistic``.
        centre: As for ``logistic``.
        tolerance: As for ``logistic``.
        start: As for ``logistic``.
    """
    arguments = _checked_arguments(X.shape[-2], regularisation, row_weights, centre, tolerance)
    starts = arguments.centre
    if start is not None:
        starts = check.numbers(start=start)
    weight_axes = len(shape)
    axes = np.broadcast_shapes(
        X.shape[:-2],
        targets.shape[:-2],
        arguments.row_weights.shape[:-1],
        arguments.regularisation.shape[:-weight_axes],
        arguments.centre.shape[:-weight_axes],
        starts.shape[:-weight_axes],
    )
    width = _problems_at_once(X, targets, size=math.prod(shape))
    risk = _flat_risk(kind, X, targets, arguments, starts, axes=axes, shape=shape, width=width)
    weights = []
    norms = []
    for first in range(0, len(risk.start), width):
        chunk = risk.select(slice(first, first + width))
        chunk_weights, chunk_norms = _newton(chunk, tolerance)
        weights.append(chunk_weights)
        norms.append(chunk_norms)
    return Minimum(
        weights=np.concatenate(weights).reshape(*axes, *shape),
        gradient_norm=np.concatenate(norms).reshape(axes),
    )


def _problems_at_once(X: np.ndarray, targets: np.ndarray, *, size: int) -> int:
    """Return how many problems of ``size`` weights are minimised together, for their memory."""
    n, d = X.shape[-2:]
    of_hessian = size * min(size, n)
    of_rows = n * d + targets.shape[-2] * n
    numbers_per_problem = 2 * (of_hessian + of_rows)
    return max(1, _CHUNK_NUMBERS // numbers_per_problem)


def _flat_risk(
    kind: type[Risk],
    X: np.ndarray,
    targets: np.ndarray,
    arguments: _Arguments,
    starts: np.ndarray,
    *,
    axes: tuple[int, ...],
    shape: tuple[int, ...],
    width: int,
) -> Risk:
    """Return the risks of all problems along a single axis.

    Args:
        kind: ``LogisticRisk`` or ``SoftmaxRisk``.
        X: (..., n, d).
        targets: (..., K or 1, n).
        arguments: Row weights, regularisation and centre.
        starts: Starting points, shaped like the centre.
        axes: The leading axes of the problems.
        shape: Of the weights of one problem.
        width: Number of problems that are minimised together.
    """
    n, d = X.shape[-2:]
    problems = math.prod(axes)
    size = math.prod(shape)

    def flat(values: np.ndarray, trailing_shape: tuple[int, ...]) -> np.ndarray:
        """Return (..., *trailing_shape) as (problems, *trailing_shape)."""
        broadcast = np.broadcast_to(values, (*axes, *trailing_shape))
        return broadcast.reshape(problems, *trailing_shape)

    def flat_weights(values: np.ndarray) -> np.ndarray:
        """Return a number for each weight of each problem, (problems, size)."""
        return flat(values, shape).reshape(problems, size)

    if X.ndim > 2:
        X = flat(X, (n, d))
    return kind(
        X=X,
        scaled_rows=np.empty((min(width, problems), n, d)),
        targets=flat(targets, targets.shape[-2:]),
        row_weights=flat(arguments.row_weights, (n,)),
        regularisation=flat_weights(arguments.regularisation),
        centre=flat_weights(arguments.centre),
        start=flat_weights(starts),
    )


def _newton(risk: Risk, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the points (B, p) and gradient norms (B,) that damped Newton steps reach.

    Problems that have converged are left alone.
    """
    w = np.array(risk.start)
    norms = np.linalg.norm(risk.at(w).gradients, axis=1)
    moving = np.flatnonzero(norms > tolerance)
    moving_risk = risk.select(moving)
    local = None
    for _ in range(_STEPS):
        if len(moving) == 0:
            break
        if len(moving) < len(moving_risk.start):
            moving_risk = risk.select(moving)
            local = None
        if local is None:
            local = moving_risk.at(w[moving])
        previous_norms = norms[moving]
        w[moving], norms[moving], local = _step(moving_risk, w[moving], local)
        # Near the minimum rounding dominates, so a step that does not help means full precision.
        # Further away, the gradient norm may rise for a step while the risk falls.
        near = previous_norms < _NEAR * min(tolerance, TOLERANCE)
        stuck = near & ~(norms[moving] < previous_norms)
        moving = moving[(norms[moving] > tolerance) & ~stuck]
    return w, norms


def _step(risk: Risk, w: np.ndarray, local: Local) -> tuple[np.ndarray, np.ndarray, Local | None]:
    """Take one damped Newton step of each problem.

    Args:
        risk: Of B problems.
        w: Points, (B, p).
        local: The risks there.

    Returns:
        The new points (B, p), their gradient norms (B,), and the risks there, if they are known.
    """
    direction = risk.newton_steps(local)
    slope = (local.gradients * direction).sum(axis=1)
    rounding = _ROUNDING * (1 + np.abs(local.values))
    length = np.ones(len(w))
    for _ in range(_HALVINGS):
        new_local = risk.at(w - length[:, None] * direction)
        enough = local.values - _SUFFICIENT_DECREASE * length * slope + rounding
        too_long = new_local.values > enough
        if not too_long.any():
            break
        length = np.where(too_long, length / 2, length)
    norms = np.linalg.norm(new_local.gradients, axis=1)
    old_norms = np.linalg.norm(local.gradients, axis=1)
    # Near the minimum, a step that rounding made worse is rejected.
    worse = (norms > old_norms) & (slope < rounding)
    new_points = w - length[:, None] * direction
    points = np.where(worse[:, None], w, new_points)
    point_norms = np.where(worse, old_norms, norms)
    if worse.any() or too_long.any():
        return points, point_norms, None
    return points, point_norms, new_local
