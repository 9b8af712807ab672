"""Clipped gradients of batches of networks, in closed form.

In a layer, an example's gradient is the product of its error, which is propagated back from the
loss, and its inputs (see ``networks``). A clipping factor scales it to a norm of at most the
clipping norm. The sum of the clipped gradients is therefore one product of matrices: of the errors,
times the clipping factors, and the inputs. Gradients are formed only of persons with several rows,
whose average is clipped.
"""

import numpy as np
from numpy.typing import DTypeLike

from dpcore.training.networks import Architecture, Pass
from dpcore.training.person_gradients import row_weights, rows_of_people


def one_hot(y: np.ndarray, classes: int, dtype: DTypeLike) -> np.ndarray:
    """Return classes (n,) one-hot encoded, (classes, n)."""
    return np.equal.outer(np.arange(classes), y).astype(dtype)


class Examples:
    """The rows that batches are drawn from, as columns.

    A column of zeros follows for places of a batch that stay empty, whose row number is -1.

    Attributes:
        columns: Features with the constant, (d + 1, n + 1).
        squares: Squared norms of the columns, (n + 1,).
        truth: Classes, one-hot, (K, n + 1); zeros without a class.
        weights: Weight of each row in its person's average, (n + 1,); 0 without a class.
        rows_of_person: Row numbers of each person, padded with -1, (M + 1, m), the last person
            without rows; None if each row is a person.

    Args:
        X: (n, d).
        y: Classes from 0, or -1 for none, (n,).
        people: The person of each row, (n,); None if each row is a person.
        classes: K.
        dtype: Precision of the arithmetic.
    """

    def __init__(
        self,
        X: np.ndarray,
        y: np.ndarray,
        people: np.ndarray | None,
        *,
        classes: int,
        dtype: DTypeLike,
    ):
        columns = np.vstack([X.T, np.ones(len(X))])
        empty = np.zeros(len(columns))
        self.columns = np.column_stack([columns, empty]).astype(dtype)
        self.squares = np.square(self.columns).sum(axis=0)
        self.truth = one_hot(np.append(y, -1), classes, dtype)
        self.weights = self.truth.sum(axis=0)
        self.rows_of_person = None
        if people is not None:
            self.weights[:-1] *= row_weights(y >= 0, people)
            last_person = ((0, 1), (0, 0))
            self.rows_of_person = np.pad(rows_of_people(people), last_person, constant_values=-1)
            self._row_counts = (self.rows_of_person >= 0).sum(axis=1)

    def __len__(self) -> int:
        """Return the number of rows or persons that can be in a batch."""
        if self.rows_of_person is None:
            return self.columns.shape[1] - 1
        return len(self.rows_of_person) - 1

    def rows_of(self, members: np.ndarray) -> tuple[np.ndarray, int]:
        """Return (row numbers (R, W m), m), with m places for the rows of each member.

        Args:
            members: Rows or persons in each batch, (R, W).
        """
        if self.rows_of_person is None:
            return members, 1
        row_counts = self._row_counts.take(members, mode="wrap")
        rows_each = max(1, int(row_counts.max()))
        padded_rows = self.rows_of_person[:, :rows_each]
        rows = padded_rows.take(members, axis=0, mode="wrap")
        return rows.reshape(len(members), -1), rows_each


class ClippedGradientSum:
    """Compute the sum of clipped gradients over each network's batch: (R, W) -> (R, P).

    Sensitivity: L2 `clip_norm * clip_factor`; adjacency add/remove.

    With one bound per layer, each layer's part of the sum has the sensitivity of its bound.

    Args:
        architecture: Of the networks.
        clip_norm: L2 bound on a gradient, or one bound per layer; None for no clipping.
        weights: (R, P). The caller may change them in place between calls.
        examples: The rows that batches are drawn from.
    """

    def __init__(
        self,
        architecture: Architecture,
        clip_norm: float | tuple[float, ...] | None,
        weights: np.ndarray,
        examples: Examples,
    ):
        self._clip_norm = clip_norm
        self._examples = examples
        self._layers = architecture.layers(weights)
        self._sum = np.empty_like(weights)
        self._sum_of_layer = architecture.layers(self._sum)
        models = len(weights)
        self._pass = Pass(architecture, models=models, width=1, dtype=weights.dtype.type)

    def __call__(self, members: np.ndarray, clip_factor: float) -> np.ndarray:
        """Return the sums; the next call overwrites them.

        Args:
            members: Rows or persons in each batch, (R, W); -1 for nobody.
            clip_factor: Multiplies the clipping norms.
        """
        examples = self._examples
        rows, rows_each = examples.rows_of(members)
        both_ways = self._pass
        both_ways.fit(rows.shape[1])
        examples.columns.take(rows, axis=1, mode="wrap", out=both_ways.inputs)
        both_ways.forward(self._layers)
        truth = examples.truth.take(rows, axis=1, mode="wrap")
        squares = examples.squares.take(rows, mode="wrap")
        both_ways.backward(self._layers, truth, squares)
        weights = examples.weights.take(rows, mode="wrap")
        if rows_each > 1:
            gradients = gradients_of_people(both_ways, weights, rows_each=rows_each)
            self._add_people(gradients, clip_factor)
        else:
            self._add_rows(weights, clip_factor)
        return self._sum

    def _add_rows(self, weights: np.ndarray, clip_factor: float) -> None:
        """Fill the sum for rows that are persons, with ``weights`` (R, W) of 0 or 1."""
        factors = self._factors(self._pass.squares, weights, clip_factor)
        for place, total in enumerate(self._sum_of_layer):
            error = self._pass.errors[place]
            a = self._pass.activations[place]
            # Either may be multiplied by the factor, and fewer units are less work.
            if len(error) <= len(a):
                error *= factors[place]
            else:
                a *= factors[place]
            # (R, outputs, W) by (R, W, inputs + 1).
            errors = error.swapaxes(0, 1)
            inputs = a.transpose(1, 2, 0)
            np.matmul(errors, inputs, out=total)

    def _add_people(self, gradients: list[np.ndarray], clip_factor: float) -> None:
        """Fill the sum from persons' average gradients (R, W, outputs, inputs + 1) per layer."""
        squares = squared_norms(gradients)
        factors = self._factors(squares, np.ones_like(squares[0]), clip_factor)
        for place, total in enumerate(self._sum_of_layer):
            factor = factors[place]
            flat_gradients = gradients[place].reshape(*factor.shape, -1)
            total[...] = (factor[:, None] @ flat_gradients).reshape(total.shape)

    def _factors(
        self, squares: list[np.ndarray], present: np.ndarray, clip_factor: float
    ) -> list[np.ndarray]:
        """Return the clipping factor of each gradient in each layer, (R, W).

        Args:
            squares: Squared norms of the gradients in each layer, (R, W).
            present: 1, or 0 where a gradient does not count, (R, W).
            clip_factor: Multiplies the clipping norms.
        """
        if self._clip_norm is None:
            return [present] * len(squares)
        if isinstance(self._clip_norm, tuple):
            factors = []
            for square, bound in zip(squares, self._clip_norm, strict=True):
                factors.append(_clip_factor(square, bound * clip_factor) * present)
            return factors
        factor = _clip_factor(sum(squares), self._clip_norm * clip_factor) * present
        return [factor] * len(squares)


def _clip_factor(square: np.ndarray | int, bound: float) -> np.ndarray:
    """Return min(1, bound / norm) from squared norms."""
    with np.errstate(divide="ignore"):
        return np.minimum(1, bound / np.sqrt(square))


def gradients_of_people(
    both_ways: Pass, weights: np.ndarray, *, rows_each: int
) -> list[np.ndarray]:
    """Return the average gradients of M persons in each layer, (R, M, outputs, inputs + 1).

    sum_j s_j e_j a_j^T is one small matrix product per person. Errors of the pass are overwritten.

    Args:
        both_ways: A forward and backward pass over M ``rows_each`` rows.
        weights: Weight s of each row in its person's average, (R or 1, M ``rows_each``).
        rows_each: Number of rows of each person.
    """
    gradients = []
    for error, a in zip(both_ways.errors, both_ways.activations, strict=True):
        error *= weights
        shape = (error.shape[1], -1, rows_each)
        errors_of_people = error.reshape(len(error), *shape)
        inputs_of_people = a.reshape(len(a), *shape)
        # (R, M, outputs, rows) by (R, M, rows, inputs + 1).
        left = errors_of_people.transpose(1, 2, 0, 3)
        right = inputs_of_people.transpose(1, 2, 3, 0)
        gradients.append(left @ right)
    return gradients


def squared_norms(gradients: list[np.ndarray]) -> list[np.ndarray]:
    """Return the squared L2 norms (R, M) of persons' ``gradients`` in each layer."""
    return [np.einsum("rmkp,rmkp->rm", gradient, gradient) for gradient in gradients]


def gradient_norms(
    architecture: Architecture,
    weights: np.ndarray,
    X: np.ndarray,
    y: np.ndarray,
    people: np.ndarray | None = None,
) -> np.ndarray:
    """Return the L2 norms (layers, R, n) of the gradients of n examples under R networks.

    Args:
        architecture: Of the networks.
        weights: (R, P).
        X: (n, d).
        y: Classes from 0, or -1 for none, whose norm is 0, (n,).
        people: The person of each row, (n,), if some have several. The norms are then those of M
            persons' average gradients, (layers, R, M).
    """
    y = np.asarray(y)
    if people is None:
        both_ways = _pass_over(architecture, weights, X, y)
        return np.sqrt(np.stack(both_ways.squares)) * (y >= 0)
    padded_rows = rows_of_people(people)
    rows = padded_rows.ravel()
    labelled = y >= 0
    row_shares = (row_weights(labelled, people) * labelled)[rows] * (rows >= 0)
    both_ways = _pass_over(architecture, weights, X[rows], y[rows])
    gradients = gradients_of_people(
        both_ways, row_shares.astype(weights.dtype), rows_each=padded_rows.shape[1]
    )
    return np.sqrt(np.stack(squared_norms(gradients)))


def _pass_over(
    architecture: Architecture, weights: np.ndarray, X: np.ndarray, y: np.ndarray
) -> Pass:
    """Return a forward and backward pass of all networks over the same rows."""
    both_ways = Pass(architecture, models=len(weights), width=len(X), dtype=weights.dtype.type)
    layers = architecture.layers(weights)
    both_ways.inputs[:-1] = X.T[:, None]
    both_ways.forward(layers)
    truth = one_hot(y, architecture.sizes[-1], weights.dtype)
    input_squares = np.square(X).sum(axis=1) + 1
    both_ways.backward(layers, truth[:, None], input_squares)
    return both_ways
