"""Batches of multilayer perceptrons and their clipped gradients in closed form.

Layer l maps its inputs a (with the constant 1 appended) to W_l a. Hidden layers then apply tanh or
max(0, .), and the last layer gives the K logits of the softmax loss. All weights of one network
form one vector; a batch is ``(R, P)``.

The gradient of one example in layer l is the outer product of its backpropagated error e_l and its
inputs a_l, whose L2 norm is ||e_l|| ||a_l||, so no per-example gradient is ever formed. Arrays are
(units, models, examples), so that sums over units, norms and activations run over contiguous
memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import DTypeLike

from dpcore import check
from dpcore.streams import stream
from dpcore.training.person_gradients import shares, side_by_side

ACTIVATIONS = {"tanh": "tanh(z)", "relu": "max(0, z)"}


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """``sizes``: features, units of each hidden layer, classes.

    ``activation``: of the hidden layers.
    """

    sizes: tuple[int, ...]
    activation: str = "tanh"

    def __post_init__(self) -> None:
        check.choice(ACTIVATIONS, activation=self.activation)
        check.wholes((len(self.sizes),), low=1, sizes=self.sizes)
        if len(self.sizes) < 2 or min(self.sizes) < 1 or self.sizes[-1] < 2:
            raise check.RefusedError(
                "sizes", self.sizes, "features, hidden units a layer, and at least two classes"
            )

    @cached_property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Return (outputs, inputs + 1) of each layer; the constant is the last input."""
        return tuple((after, before + 1) for before, after in pairwise(self.sizes))

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """Return the slice of each layer in the weight vector."""
        ends = np.cumsum([0, *(k * p for k, p in self.shapes)]).tolist()
        return tuple(slice(low, high) for low, high in pairwise(ends))

    @property
    def parameters(self) -> int:
        return self.slices[-1].stop

    def layers(self, weights: np.ndarray) -> list[np.ndarray]:
        """Return views (..., outputs, inputs + 1) into ``weights`` (..., P), one per layer."""
        lead = weights.shape[:-1]
        return [
            weights[..., cut].reshape(*lead, *shape)
            for cut, shape in zip(self.slices, self.shapes, strict=True)
        ]

    def start(self, seed: int, indices: Sequence[int]) -> np.ndarray:
        """Return initial weights (R, P): uniform within sqrt(6 / (inputs + outputs)), biases 0
        [glorot2010, (16)].

        They do not depend on the data and cost no privacy.
        """
        weights = np.zeros((len(indices), self.parameters))
        for row, index in enumerate(indices):
            rng = stream(seed, "start", int(index))
            for layer in self.layers(weights[row]):
                outputs, inputs = layer.shape[0], layer.shape[1] - 1
                reach = (6 / (inputs + outputs)) ** 0.5
                layer[:, :-1] = rng.uniform(-reach, reach, size=(outputs, inputs))
        return weights

    def logits(self, weights: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Return logits (R, K, n) of networks with ``weights`` (R, P) for rows X (n, d)."""
        ahead = Pass(self, models=len(weights), width=len(X), dtype=weights.dtype.type)
        ahead.inputs[:-1] = X.T[:, None]
        return ahead.forward(self.layers(weights)).swapaxes(0, 1)


class Pass:
    """One forward and backward pass through R networks, each with its own B examples.

    Arrays are **units first**, (units, R, B), and are reused. ``inputs`` (d + 1, R, B), the
    constant last, must be
    filled by the caller. ``activations`` a: inputs of each layer, including constants. ``errors``
    e: d loss / d z of
    each layer, (outputs, R, B). ``squares``: squared L2 norm ||e||^2 ||a||^2 of each example's
    gradient in each layer, (R, B).
    """

    def __init__(
        self, architecture: Architecture, *, models: int, width: int, dtype: type[np.floating]
    ):
        self._architecture, self._models = architecture, models
        self._store = np.empty(0, dtype)
        self._buffers: dict[int, tuple] = {}
        self.fit(width)

    def fit(self, width: int) -> None:
        """Make room for B = ``width`` examples; all widths share one store, which has to stay in
        the cache.
        """
        needed = _rows_needed(self._architecture) * self._models * width
        if needed > self._store.size:
            self._store, self._buffers = np.empty(needed, self._store.dtype), {}
        if width not in self._buffers:
            self._buffers[width] = self._buffer(width)
        self.activations, self.errors, self.squares, self._scratch = self._buffers[width]
        for activation in self.activations:
            activation[-1] = 1

    def _buffer(self, width: int) -> tuple[list, list, list, np.ndarray]:
        """Return the arrays for ``width`` examples as views into the store."""
        shapes, models, at = self._architecture.shapes, self._models, 0
        one = models * width

        def rows(count: int) -> np.ndarray:
            nonlocal at
            at += count
            return self._store[(at - count) * one : at * one].reshape(count, models, width)

        activations, errors = [rows(p) for _, p in shapes], [rows(k) for k, _ in shapes]
        return activations, errors, [rows(1)[0] for _ in shapes], rows(max(k for k, _ in shapes))

    @property
    def inputs(self) -> np.ndarray:
        return self.activations[0]

    def forward(self, layers: list[np.ndarray]) -> np.ndarray:
        """Return logits (K, R, B), which ``backward`` overwrites."""
        for layer, a, activation in zip(
            layers, self.activations, self.activations[1:], strict=False
        ):
            z = activation[:-1]
            if self._architecture.activation == "tanh":
                _multiply(2 * layer, a, out=z)  # doubling the weights is less work than doubling z
                _tanh_of_half(z)
            else:
                _multiply(layer, a, out=z)
                np.maximum(z, 0, out=z)
        _multiply(layers[-1], self.activations[-1], out=self.errors[-1])
        return self.errors[-1]

    def backward(
        self, layers: list[np.ndarray], truth: np.ndarray, input_squares: np.ndarray
    ) -> None:
        """Fill ``errors`` and ``squares``; truth: one-hot (K, R or 1, B); input_squares: ||a||^2 of
        the inputs.
        """
        _residuals(self.errors[-1], truth)
        self.squares[0][...] = input_squares
        for place in range(len(layers) - 1, 0, -1):
            a, back = self.activations[place][:-1], self.errors[place - 1]
            slope = np.multiply(a, a, out=self._scratch[: len(a)])
            np.add.reduce(slope, axis=0, out=self.squares[place])
            self.squares[place] += 1
            _multiply(layers[place][..., :-1].swapaxes(1, 2), self.errors[place], out=back)
            tanh = self._architecture.activation == "tanh"
            back *= np.subtract(1, slope, out=slope) if tanh else np.greater(a, 0, out=slope)
        for square, error in zip(self.squares, self.errors, strict=True):
            square *= np.add.reduce(
                np.multiply(error, error, out=self._scratch[: len(error)]), axis=0
            )


def _rows_needed(architecture: Architecture) -> int:
    """Return how many rows of (models, examples) a pass stores."""
    shapes = architecture.shapes
    return sum(k + p + 1 for k, p in shapes) + max(k for k, _ in shapes)


def _multiply(layer: np.ndarray, a: np.ndarray, *, out: np.ndarray) -> None:
    """Multiply (R, k, p) by (p, R, B) into ``out`` (k, R, B), one matrix product per network."""
    np.matmul(layer, a.swapaxes(0, 1), out=out.swapaxes(0, 1))


def _tanh_of_half(z: np.ndarray) -> None:
    """Compute tanh(z/2) = 1 - 2 / (1 + e^z) in place, a third faster than numpy in single
    precision.

    Its absolute error is 2e-7, or 3e-16 in double precision, also near tanh = 0.
    """
    with np.errstate(over="ignore"):  # 2 / inf is correctly 0
        np.exp(z, out=z)
        z += 1
        np.divide(-2, z, out=z)
        z += 1


def _residuals(z: np.ndarray, truth: np.ndarray) -> None:
    """Turn logits (K, R, B) into softmax residuals p - truth, in place."""
    if len(z) == 2:  # (1 + tanh(z/2)) / 2 is the logistic function and never overflows
        z[1] -= z[0]
        z[1] /= 2
        np.tanh(z[1], out=z[1])
        z[1] += 1
        z[1] /= 2
        z[1] -= truth[1]
        np.negative(z[1], out=z[0])
        return
    z -= z.max(axis=0)
    np.exp(z, out=z)
    z /= z.sum(axis=0)
    z -= truth


def of_persons(both: Pass, share: np.ndarray, *, each: int) -> list[np.ndarray]:
    """Return M persons' average gradients in each layer, (R, M, outputs, inputs + 1), with ``each``
    rows per person.

    share (R or 1, M each): the weight of a row in its person's average. sum_j s_j e_j a_j^T is one
    small matrix product per person. Gradients are formed of persons here, never of rows.
    """
    found = []
    for e, a in zip(both.errors, both.activations, strict=True):
        e *= share
        shape = (e.shape[1], -1, each)
        theirs = e.reshape(len(e), *shape).transpose(1, 2, 0, 3)
        found.append(theirs @ a.reshape(len(a), *shape).transpose(1, 2, 3, 0))
    return found


def squared_norms(gradients: list[np.ndarray]) -> list[np.ndarray]:
    """Return the squared L2 norms (R, M) of persons' ``gradients`` in each layer."""
    return [np.einsum("rmkp,rmkp->rm", one, one) for one in gradients]


def gradient_norms(
    architecture: Architecture,
    weights: np.ndarray,
    X: np.ndarray,
    y: np.ndarray,
    people: np.ndarray | None = None,
) -> np.ndarray:
    """Return the L2 norms (layers, R, n) of the gradients of n examples under R networks; 0 without
    a class (-1).

    people (n,): the person of each row, if some have several. The norms are then of M persons'
    average gradients, (layers, R, M).
    """
    y, layers = np.asarray(y), architecture.layers(weights)
    if people is not None:
        places = side_by_side(people)
        rows = places.ravel()
        share = (shares(y >= 0, people) * (y >= 0))[rows] * (rows >= 0)
        X, y = X[rows], y[rows]
    both = Pass(architecture, models=len(weights), width=len(X), dtype=weights.dtype.type)
    both.inputs[:-1] = X.T[:, None]
    both.forward(layers)
    both.backward(
        layers,
        one_hot(y, architecture.sizes[-1], weights.dtype)[:, None],
        np.square(X).sum(axis=1) + 1,
    )
    if people is None:
        return np.sqrt(np.stack(both.squares)) * (y >= 0)
    return np.sqrt(
        np.stack(squared_norms(of_persons(both, share.astype(weights.dtype), each=places.shape[1])))
    )


def one_hot(y: np.ndarray, classes: int, dtype: DTypeLike) -> np.ndarray:
    """Return classes (n,) one-hot encoded, (classes, n)."""
    return np.equal.outer(np.arange(classes), y).astype(dtype)
