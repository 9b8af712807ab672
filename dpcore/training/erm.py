"""Exact minimisers of strongly convex empirical risks, for stacks of problems at once.

    logistic:  sum_i r_i (t_i l(z_i) + (1 - t_i) l(-z_i)) + (1/2) sum_j lambda_j (w_j - c_j)^2,
               z = w.x,  l(z) = log(1 + e^-z)
    softmax:   sum_i r_i (log sum_k exp(z_ik) - sum_k t_ik z_ik) + (1/2) sum_kj lambda_kj (w_kj -
        c_kj)^2

Output perturbation calibrates noise for the *minimiser* [chaudhuri2011]. A point whose gradient has
norm tau is up to tau / lambda away from it, so the points for two neighbours are up to 2 tau /
lambda further apart than the minimisers. Therefore damped Newton steps run to a gradient norm of
1e-10, and each result reports the norm it reached. With many weights, conjugate gradients replace
the Hessian, which makes steps less exact but not their limit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from dpcore import check
from dpcore.training import sparse_erm
from dpcore.training.dense_or_sparse import Rows, is_sparse

TOLERANCE = 1e-10
_STEPS = 100
_HALVINGS = 40
# With at least this many weights, steps use conjugate gradients, to this relative gradient norm
_CONJUGATE_FROM, _CONJUGATE_TOLERANCE = 25, 0.03
# The Hessians of a stack and their factors are computed in chunks of about this many numbers
_CHUNK_NUMBERS = 4_000_000


class Minimum(NamedTuple):
    """weights (..., d) or (..., K, d); gradient_norm (...): the L2 norm of the gradient reached for
    each problem.
    """

    weights: np.ndarray
    gradient_norm: np.ndarray

    def exact(self) -> np.ndarray:
        """Return the weights; raise ArithmeticError if one did not reach ``TOLERANCE``, which noise
        accounts for.
        """
        if not (self.gradient_norm <= TOLERANCE).all():
            raise ArithmeticError(f"a minimiser was not found to a gradient of {TOLERANCE:g}")
        return self.weights


class Local(NamedTuple):
    """A risk around a point: values (B,), gradients (B, p), and a function for the Newton steps
    H^-1 g (B, p).
    """

    values: np.ndarray
    gradients: np.ndarray
    newton: Callable[[], np.ndarray]


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
    """Minimise two-class risks: X (n, d) or (..., n, d), targets (..., n) in [0, 1], the share of
    the positive class.

    regularisation: lambda, a number, (d,) or (..., d), above 0. row_weights: r (n,) or (..., n), at
        least 0; default
    1/n. centre: c, shaped like the regularisation. start: starting point, shaped like the centre,
    which is the default; it does not affect the result. Leading axes are problems and broadcast. X
    may be sparse (see ``dense_or_sparse``); the search then always starts at the centre.
    """
    if is_sparse(X):
        return _sparse(X, _shares(targets), regularisation, row_weights, centre, tolerance)
    X, targets = check.numbers(X=X), _shares(targets)
    shape = X.shape[-1:]
    return _solve(
        X,
        targets[..., None, :],
        shape,
        regularisation,
        row_weights,
        centre,
        start,
        tolerance,
        _Logistic,
    )


def softmax(
    X: np.ndarray,
    targets: np.ndarray,
    *,
    regularisation: float | np.ndarray,
    row_weights: np.ndarray | None = None,
    centre: float | np.ndarray = 0.0,
    tolerance: float = TOLERANCE,
    start: float | np.ndarray | None = None,
) -> Minimum:
    """Minimise K-class risks with one weight vector per class: targets (..., K, n) in [0, 1] sum to
    1 over classes.

    regularisation and centre: numbers, or of shape (K, d) or (..., K, d); other arguments as for
    ``logistic``.
    """
    X, targets = check.numbers(X=X), _shares(targets)
    if np.abs(targets.sum(axis=-2) - 1).max() > 1e-9:
        raise check.RefusedError(
            "targets", targets.sum(axis=-2).ravel()[:5], "shares that sum to 1 for each row"
        )
    shape = (targets.shape[-2], X.shape[-1])
    return _solve(
        X, targets, shape, regularisation, row_weights, centre, start, tolerance, _Softmax
    )


def distance(gradient_norm: float, *, regularisation: float) -> float:
    """Return how much further apart two inexact minimisers may be than exact ones: 2 tau / lambda,
    to add to Delta.
    """
    return 2 * gradient_norm / regularisation


def _shares(targets: np.ndarray) -> np.ndarray:
    targets = check.numbers(targets=targets)
    if not (targets.size and (targets >= -1e-12).all() and (targets <= 1 + 1e-12).all()):
        raise check.RefusedError("targets", targets.ravel()[:5], "numbers from 0 to 1")
    return targets


def _sparse(X, targets, regularisation, row_weights, centre, tolerance) -> Minimum:
    """Solve sparse problems one after the other."""
    many = X if isinstance(X, tuple) else (X,)
    n, d = many[0].shape
    r, strength, middle = _checked(n, regularisation, row_weights, centre, tolerance)
    heads = targets.shape[:-1], r.shape[:-1], strength.shape[:-1], middle.shape[:-1]
    axes = np.broadcast_shapes((len(X),) if isinstance(X, tuple) else (), *heads)
    targets, r = (np.broadcast_to(one, (*axes, n)) for one in (targets, r))
    strength, middle = (np.broadcast_to(one, (*axes, d)) for one in (strength, middle))
    weights, norms = np.empty((*axes, d)), np.empty(axes)
    for at in np.ndindex(axes):
        how = {
            "regularisation": strength[at],
            "row_weights": r[at],
            "centre": middle[at],
            "tolerance": tolerance,
        }
        own = X[at[-1]] if isinstance(X, tuple) else X
        weights[at], norms[at] = sparse_erm.logistic(own, targets[at], **how)
    return Minimum(weights, norms)


def _checked(
    n, regularisation, row_weights, centre, tolerance
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return validated (row weights, lambda, centre) of a problem with ``n`` rows."""
    check.positive(tolerance=tolerance)
    r = np.full(n, 1 / n) if row_weights is None else check.numbers(row_weights=row_weights)
    strength, middle = check.numbers(regularisation=regularisation), check.numbers(centre=centre)
    if not (strength > 0).all():
        raise check.RefusedError("regularisation", regularisation, "above 0 for each weight")
    if not (r >= 0).all():
        raise check.RefusedError("row_weights", float(r.min()), "at least 0 for each row")
    return r, strength, middle


@dataclass
class _Risk:
    """Problems in parallel: X (n, d) or (B, n, d), scratch space ``scaled`` (B, n, d) for rows
    times their curvature, targets (B, K, n), and the rest (B, p) over the p flat weights.
    """

    X: np.ndarray
    scaled: np.ndarray
    targets: np.ndarray
    row_weights: np.ndarray
    regularisation: np.ndarray
    centre: np.ndarray
    start: np.ndarray

    def of(self, some: np.ndarray | slice) -> "_Risk":
        """Return the problems ``some`` of these."""
        X = self.X if self.X.ndim == 2 else self.X[some]
        parts = (
            part[some]
            for part in (
                self.targets,
                self.row_weights,
                self.regularisation,
                self.centre,
                self.start,
            )
        )
        return type(self)(X, self.scaled[: len(self.start[some])], *parts)

    def at(self, w: np.ndarray) -> Local:
        """Return the risks and their derivatives at the points ``w`` (B, p)."""
        raise NotImplementedError

    def penalty(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        away = w - self.centre
        return 0.5 * (self.regularisation * away**2).sum(axis=1), self.regularisation * away


class _Logistic(_Risk):
    def at(self, w: np.ndarray) -> Local:
        z = (w if self.X.ndim == 2 else w[:, None]) @ np.swapaxes(self.X, -1, -2)
        z, t, r = z.reshape(self.row_weights.shape), self.targets[:, 0], self.row_weights
        p = expit(z)
        values, pull = self.penalty(w)
        values = values + (r * (np.logaddexp(0, z) - t * z)).sum(axis=1)
        gradients = _sums(r * (p - t), self.X) + pull
        return Local(values, gradients, lambda: self._newton(r * p * (1 - p), gradients))

    def _newton(self, curvature: np.ndarray, gradients: np.ndarray) -> np.ndarray:
        n, d = self.X.shape[-2:]
        X = np.broadcast_to(self.X, (len(gradients), n, d))
        if d > n:  # (S + U^T U)^-1 g by the smaller I + U S^-1 U^T, U = sqrt(curvature) X
            U = np.multiply(np.sqrt(curvature)[:, :, None], X, out=self.scaled)
            plain = gradients / self.regularisation
            narrow = (U / self.regularisation[:, None]) @ np.swapaxes(U, 1, 2) + np.eye(n)
            inner = np.linalg.solve(narrow, U @ plain[..., None])
            return plain - (np.swapaxes(U, 1, 2) @ inner)[..., 0] / self.regularisation
        hessians = np.swapaxes(X, 1, 2) @ np.multiply(curvature[:, :, None], X, out=self.scaled)
        return _solved(hessians, self.regularisation, gradients)


class _Softmax(_Risk):
    def at(self, w: np.ndarray) -> Local:
        B, K = self.targets.shape[:2]
        z = w.reshape(B, K, -1) @ np.swapaxes(self.X, -1, -2)
        top = z.max(axis=1)
        p = z - top[:, None]
        np.exp(p, out=p)
        sums = p.sum(axis=1)
        p /= sums[:, None]
        values, pull = self.penalty(w)
        linear = (self.targets * z).sum(axis=1)
        values = values + (self.row_weights * (top + np.log(sums) - linear)).sum(axis=1)
        errors = self.row_weights[:, None] * (p - self.targets)
        gradients = (errors @ self.X).reshape(B, -1) + pull
        newton = self._newton if gradients.shape[1] < _CONJUGATE_FROM else self._conjugate
        return Local(values, gradients, lambda: newton(p, gradients))

    def _newton(self, p: np.ndarray, gradients: np.ndarray) -> np.ndarray:
        (B, K), d = p.shape[:2], self.X.shape[-1]
        hessians = np.empty((B, K, d, K, d))
        for k in range(K):
            for m in range(k, K):
                curvature = self.row_weights * p[:, k] * ((k == m) - p[:, m])
                block = np.swapaxes(self.X, -1, -2) @ np.multiply(
                    curvature[:, :, None], self.X, out=self.scaled
                )
                hessians[:, k, :, m], hessians[:, m, :, k] = block, block
        return _solved(hessians.reshape(B, K * d, K * d), self.regularisation, gradients)

    def _conjugate(self, p: np.ndarray, gradients: np.ndarray) -> np.ndarray:
        """Return approximately H^-1 g, by conjugate gradients with one preconditioner (d, d) per
        problem.

        H v = X^T (diag(p) - p p^T) X v + lambda v, row by row. The preconditioner replaces the
        inner matrix by its mean eigenvalue (1 - sum_k p_k^2) / (K - 1).
        """
        X, K, inner = self.X, p.shape[1], (1, 2)
        strength, g = (part.reshape(len(p), K, -1) for part in (self.regularisation, gradients))
        curvature = self.row_weights * (1 - (p**2).sum(axis=1)) / (K - 1)
        rough = np.swapaxes(X, -1, -2) @ np.multiply(curvature[:, :, None], X, out=self.scaled)
        rough[:, np.arange(X.shape[-1]), np.arange(X.shape[-1])] += strength.min(axis=1)
        inverse = np.linalg.inv(rough)
        found, left = np.zeros_like(g), g.copy()
        direction = near = left @ inverse
        fall, enough = (
            (left * near).sum(axis=inner),
            _CONJUGATE_TOLERANCE**2 * (g * g).sum(axis=inner),
        )
        for _ in range(gradients.shape[1]):
            shares = p * (direction @ np.swapaxes(X, -1, -2))
            shares -= p * shares.sum(axis=1, keepdims=True)
            curved = (self.row_weights[:, None] * shares) @ X + strength * direction
            length = (fall / np.maximum((direction * curved).sum(axis=inner), 1e-300))[
                :, None, None
            ]
            found += length * direction
            left -= length * curved
            if ((left * left).sum(axis=inner) <= enough).all():
                break
            near, before = left @ inverse, fall
            fall = (left * near).sum(axis=inner)
            direction = near + (fall / np.maximum(before, 1e-300))[:, None, None] * direction
        return found.reshape(len(p), -1)


def _sums(errors: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return sum_i errors_i x_i of each problem: (B, n), X (n, d) or (B, n, d) -> (B, d)."""
    return errors @ X if X.ndim == 2 else (errors[:, None] @ X)[:, 0]


def _solved(hessians: np.ndarray, regularisation: np.ndarray, gradients: np.ndarray) -> np.ndarray:
    p = gradients.shape[1]
    hessians[:, np.arange(p), np.arange(p)] += regularisation
    return np.linalg.solve(hessians, gradients[..., None])[..., 0]


def _solve(
    X, targets, shape, regularisation, row_weights, centre, start, tolerance, kind
) -> Minimum:
    """Flatten the leading axes of all arguments into one, minimise chunk by chunk, and restore the
    axes.
    """
    n, size = X.shape[-2], int(np.prod(shape))
    r, strength, middle = _checked(n, regularisation, row_weights, centre, tolerance)
    begin = middle if start is None else check.numbers(start=start)
    heads = [value.shape[: -len(shape)] for value in (strength, middle, begin)]
    axes = np.broadcast_shapes(X.shape[:-2], targets.shape[:-2], r.shape[:-1], *heads)
    problems = int(np.prod(axes))
    width = max(
        1, _CHUNK_NUMBERS // (2 * (size * min(size, n) + n * X.shape[-1] + targets.shape[-2] * n))
    )
    risk = kind(
        (
            X
            if X.ndim == 2
            else np.broadcast_to(X, (*axes, *X.shape[-2:])).reshape(problems, *X.shape[-2:])
        ),
        np.empty((min(width, problems), *X.shape[-2:])),
        np.broadcast_to(targets, (*axes, *targets.shape[-2:])).reshape(
            problems, *targets.shape[-2:]
        ),
        np.broadcast_to(r, (*axes, n)).reshape(problems, n),
        np.broadcast_to(strength, (*axes, *shape)).reshape(problems, size),
        np.broadcast_to(middle, (*axes, *shape)).reshape(problems, size),
        np.broadcast_to(begin, (*axes, *shape)).reshape(problems, size),
    )
    parts = [
        _newton(risk.of(slice(first, first + width)), tolerance)
        for first in range(0, problems, width)
    ]
    weights, norms = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    return Minimum(weights.reshape(*axes, *shape), norms.reshape(axes))


def _newton(risk: _Risk, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (points, gradient norms) after damped Newton steps; converged problems are
    left alone.
    """
    w = np.array(risk.start)
    norms = np.linalg.norm(risk.at(w).gradients, axis=1)
    moving, part, here = np.flatnonzero(norms > tolerance), risk, None
    for turn in range(_STEPS):
        if not len(moving):
            break
        if turn == 0 or len(moving) < len(part.start):
            part, here = risk.of(moving), None
        before = norms[moving]
        w[moving], norms[moving], here = _step(part, w[moving], here or part.at(w[moving]))
        better = norms[moving] < before
        # Near the minimum rounding dominates, so a step that no longer helps means full precision.
        # Further away, the gradient norm may rise for a step while the risk falls
        stuck = ~better & (before < 1e3 * min(tolerance, TOLERANCE))
        moving = moving[(norms[moving] > tolerance) & ~stuck]
    return w, norms


def _step(risk: _Risk, w: np.ndarray, here: Local) -> tuple[np.ndarray, np.ndarray, Local | None]:
    """Return (points, gradient norms, the risk there if it is known) after one damped Newton step
    of each problem.
    """
    direction = here.newton()
    slope = (here.gradients * direction).sum(axis=1)
    length = np.ones(len(w))
    rounding = 1e-14 * (1 + np.abs(here.values))
    for _ in range(_HALVINGS):
        there = risk.at(w - length[:, None] * direction)
        short = there.values > here.values - 1e-4 * length * slope + rounding
        if not short.any():
            break
        length = np.where(short, length / 2, length)
    norms = np.linalg.norm(there.gradients, axis=1)
    old = np.linalg.norm(here.gradients, axis=1)
    # Near the minimum, reject a step that rounding made worse
    worse = (norms > old) & (slope < rounding)
    known = None if worse.any() or short.any() else there
    return (
        np.where(worse[:, None], w, w - length[:, None] * direction),
        np.where(worse, old, norms),
        known,
    )
