"""Differentially private stochastic gradient descent (DP-SGD) for a batch of networks.

    w <- w - (eta_t / L) ( sum_{i in lot} clip_C(g_i(w)) + N(0, (sigma C)^2 I) ),    L = q n

A lot contains each row with probability q. Noise is added once to the sum, which is divided by the
constant L and never by the actual size of the lot [abadi2016, Algorithm 1]. The guarantee is under
add/remove; n, and so L, is a public number that does not change when a row is added or removed.
Each of the R networks has its own initial weights, lots and noise. A single fit is the batch with R
= 1.

If persons have several rows, a lot contains each *person* with probability q, n is the number of
persons, and g_i is the average of person i's gradients. Clipped to C, it changes the sum by no more
than one row would.

For lots in a fixed order instead of random ones, see ``dpcore.training.dp_ftrl``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from dpcore import accountants, check, cores
from dpcore.privacy import Adjacency, Event
from dpcore.schedules import SHAPES, Schedule
from dpcore.streams import normal_steps
from dpcore.training import batches, dp_ftrl, networks
from dpcore.training.networks import Architecture, Pass
from dpcore.training.person_gradients import checked, shares, side_by_side

# Name -> deviation from the algorithm that the accountants assume.
VARIANTS = {
    "sound": "Poisson lots, noise once a lot, division by the constant L",
    "inside": "noise for every example, inside of the sum",
    "realised": "division by the size that the lot happens to have",
    "shuffled": "lots cut from a shuffle of the rows in every epoch",
}

# Size of inputs, errors and scratch of networks trained together, so that they stay near a core.
# Much smaller parts lose more to their many short calls, and much larger ones lose more to waiting
# for memory.
_CACHE_BYTES = 2_000_000


class Training(NamedTuple):
    """Final ``weights`` (R, P), and ``history`` (m, R, P) after the recorded steps."""

    weights: np.ndarray
    history: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Public training settings of a network, chosen without looking at the data.

    sampling_rate: q. clip_norm: C on the whole gradient, a tuple of bounds C_l, one per layer, or
        None for no clipping
    (and no noise). learning_rate: initial eta. decay, noise_ramp, clip_ramp: ratio of the last to
    the first learning rate, noise multiplier and clipping norm; in between they follow ``shape``, a
    key of ``dpcore.schedules.SHAPES``.
    variant: a key of ``VARIANTS``. mechanism: a key of ``toeplitz.MECHANISMS``. With lots in a
    fixed order, ``sampling_rate`` is 1 over their number, the variant is "sound", and noise and
    clipping norm are constant.
    """

    architecture: Architecture
    sampling_rate: float
    steps: int
    learning_rate: float
    clip_norm: float | tuple[float, ...] | None = 1.0
    decay: float = 1.0
    variant: str = "sound"
    shape: str = "geometric"
    noise_ramp: float = 1.0
    clip_ramp: float = 1.0
    mechanism: str = "sampled"

    def __post_init__(self) -> None:
        check.between(0, 1, sampling_rate=check.positive(sampling_rate=self.sampling_rate))
        check.whole(1, steps=self.steps)
        check.squarable(learning_rate=self.learning_rate)
        check.between(0, 1, decay=check.positive(decay=self.decay))
        check.positive(noise_ramp=self.noise_ramp)
        check.positive(clip_ramp=self.clip_ramp)
        check.choice(VARIANTS, variant=self.variant)
        check.choice(SHAPES, shape=self.shape)
        if check.choice(dp_ftrl.MECHANISMS, mechanism=self.mechanism) != "sampled":
            dp_ftrl.lots_a_pass(self.sampling_rate)
            for name, only in {"variant": "sound", "noise_ramp": 1, "clip_ramp": 1}.items():
                if getattr(self, name) != only:
                    raise check.RefusedError(
                        name, getattr(self, name), f"{only} where lots have a fixed order"
                    )
        for bound in self.bounds:
            check.squarable(clip_norm=bound)
        if isinstance(self.clip_norm, tuple) and len(self.clip_norm) != len(
            self.architecture.shapes
        ):
            raise check.RefusedError(
                "clip_norm", self.clip_norm, f"{len(self.architecture.shapes)} bounds, one a layer"
            )

    @property
    def bounds(self) -> tuple[float, ...]:
        """Return all clipping norms: none, one, or one per layer."""
        if self.clip_norm is None:
            return ()
        return self.clip_norm if isinstance(self.clip_norm, tuple) else (self.clip_norm,)

    @property
    def rates(self) -> np.ndarray:
        """Return the learning rate of each step (T,)."""
        return self.learning_rate * self._over(self.decay).shares

    @property
    def noise_shares(self) -> np.ndarray:
        """Return the noise multiplier of each step over that of the first (T,)."""
        return self._over(self.noise_ramp).shares

    @property
    def clip_shares(self) -> np.ndarray:
        """Return the clipping norms of each step over those of the first (T,)."""
        return self._over(self.clip_ramp).shares

    def _over(self, end: float) -> Schedule:
        return Schedule(end, self.steps, self.shape)

    def event(self, noise_multiplier: float, *, until: int | None = None) -> Event:
        """Return the event of training, or of its first ``until`` steps, with ``noise_multiplier``
        in the first step.

        Each layer with its own bound is another Gaussian release from the same lot. Together they
        are one release with the multiplier sigma / sqrt(layers).
        """
        ramp, layers = self._over(self.noise_ramp), max(len(self.bounds), 1)
        if self.mechanism != "sampled":
            steps, m = (
                self.steps if until is None else until,
                dp_ftrl.lots_a_pass(self.sampling_rate),
            )
            return dp_ftrl.event(self.mechanism, noise_multiplier, steps, lots=m, layers=layers)
        return ramp.event(noise_multiplier, rate=self.sampling_rate, until=until, layers=layers)

    def noise_multiplier(self, *, epsilon: float, delta: float, accountant: str = "renyi") -> float:
        """Return the smallest first noise multiplier at which training is (epsilon, delta)-DP under
        add/remove.

        Without sampling the accounting is exact for any ``accountant``.
        """
        return accountants.calibrate(
            self.event,
            epsilon=epsilon,
            delta=delta,
            adjacency=Adjacency.ADD_REMOVE,
            accountant=accountant if self.mechanism == "sampled" else "gdp",
            bracket=(0.2, 1e7),
            tolerance=1e-4,
        )


def train(
    recipe: Recipe,
    X: np.ndarray,
    y: np.ndarray,
    *,
    start: np.ndarray,
    noise_multiplier: float | np.ndarray,
    seed: int,
    draws: Sequence[int] | np.ndarray,
    people: np.ndarray | None = None,
    first: int = 0,
    last: int | None = None,
    record: Sequence[int] = (),
    dtype: type[np.floating] = np.float32,
) -> Training:
    """Take steps ``first`` to ``last`` - 1 of DP-SGD with R = len(draws) networks.

    X: (n, d). y: (n,) classes from 0, or -1 for a row whose gradient counts as 0. people: (n,) the
    person of each row, numbered from 0, if the person is the unit of privacy; rows without a class
    are ignored. start: (P,) or (R, P), the weights before step ``first``. noise_multiplier: scalar
    or (R,), noise sd over clipping norm in the first step.
    draws: the streams of ``seed`` for the lots and noise of each network; equal draws share both
        (common random
    numbers). record: the steps, of first..last, after which the weights are kept. Training in
    pieces equals training in one piece. Raises RefusedError for bad arguments.
    """
    models, last = check.whole(1, draws=len(draws)), recipe.steps if last is None else last
    X, y = _checked(recipe, X, y, first=first, last=last)
    sigma = np.broadcast_to(
        check.numbers((), (models,), low=0, noise_multiplier=noise_multiplier), (models,)
    )
    if recipe.clip_norm is None and sigma.any():
        raise check.RefusedError("noise_multiplier", noise_multiplier, "0 without clipping")
    marks = {check.whole(first, last, record=step): place for place, step in enumerate(record)}
    if len(marks) < len(record):
        raise check.RefusedError("record", list(record), "different steps")
    parameters = recipe.architecture.parameters
    if not first:  # when training resumes, the weights may legitimately have diverged
        check.numbers((parameters,), (models, parameters), start=start)
    start = np.asarray(start).astype(dtype)
    weights = np.array(np.broadcast_to(start, (models, parameters)))
    history = np.empty((len(marks), models, parameters), dtype)
    people = None if people is None else checked(people, len(X))
    rows = _Rows(X, y, people, classes=recipe.architecture.sizes[-1], dtype=dtype)
    streams = check.wholes((models,), low=0, draws=draws)
    order = np.argsort(
        streams, kind="stable"
    )  # networks with the same draws are trained together and draw once

    def take(part: slice) -> None:
        these = order[part]
        own = weights[these]
        steps = _steps(
            recipe, own, rows, sigma[these], seed=seed, draws=streams[these], first=first, last=last
        )
        for step in chain([first], steps):
            if step in marks:
                history[marks[step], these] = own
        weights[these] = own

    lot = recipe.sampling_rate * len(X)
    units = sum(recipe.architecture.sizes[:-1])
    at_once = max(1, int(_CACHE_BYTES / (rows.columns.itemsize * 2.5 * units * (lot + 1))))
    cores.for_each_part(
        take, models, work=3 * models * parameters * lot * (last - first), at_once=at_once
    )
    return Training(weights=weights, history=history)


class _Rows:
    """The rows as columns, followed by an empty column for ``NOBODY``.

    counted: the weight of each row in its person's average. places (M + 1, m): the rows of each
    person, if some have several, followed by a row for ``NOBODY``; None if each person has one row.
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
        self.columns = np.column_stack([columns, np.zeros(len(columns))]).astype(dtype)
        self.squares = np.square(self.columns).sum(axis=0)
        self.truth = networks.one_hot(np.append(y, -1), classes, dtype)
        self.counted, self.places = self.truth.sum(axis=0), None
        if people is not None:
            self.counted[:-1] *= shares(y >= 0, people)
            self.places = np.pad(side_by_side(people), ((0, 1), (0, 0)), constant_values=-1)
            self._most = (self.places >= 0).sum(axis=1)

    def __len__(self) -> int:
        """Return the number of rows or persons that can be in a lot."""
        return (self.columns.shape[1] if self.places is None else len(self.places)) - 1

    def of(self, members: np.ndarray) -> tuple[np.ndarray, int]:
        """Return (row numbers (R, W m), m) of the rows or persons in lots ``members`` (R, W), m
        rows each.
        """
        if self.places is None:
            return members, 1
        each = max(1, int(self._most.take(members, mode="wrap").max()))
        return (
            self.places[:, :each].take(members, axis=0, mode="wrap").reshape(len(members), -1),
            each,
        )


def _steps(recipe, weights, rows, sigma, *, seed, draws, first, last) -> Iterator[int]:
    """Update ``weights`` in place; yield the number of steps done."""
    indices, row = np.unique(draws, return_inverse=True)
    gradient = _Gradient(recipe, weights, rows)
    scale = (sigma[:, None] * _per_weight(recipe)).astype(weights.dtype)
    noise = _noise(recipe, seed, indices if sigma.any() else (), weights, first=first, last=last)
    drawn_lots = _lots(recipe, seed, indices, len(rows), first=first, last=last)
    expected, rates = recipe.sampling_rate * len(rows), recipe.rates.tolist()
    clips, steady = recipe.clip_shares.tolist(), recipe.noise_ramp == recipe.clip_ramp == 1
    noises = (recipe.noise_shares * recipe.clip_shares).tolist()
    for step, (members, drawn) in enumerate(zip(drawn_lots, noise, strict=True), first):
        members = members[row]
        total = gradient(members, clips[step])
        if len(drawn):
            drawn = drawn[row]
            drawn *= scale if steady else scale * noises[step]
            total += (
                drawn
                if recipe.variant != "inside"
                else drawn * np.sqrt(_sizes(members, weights.dtype))
            )
        total *= rates[step] / (
            np.maximum(_sizes(members, weights.dtype), 1)
            if recipe.variant == "realised"
            else expected
        )
        weights -= total
        yield step + 1


def _sizes(members: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return the size of each lot, (R, 1)."""
    return (members != batches.NOBODY).sum(axis=1, keepdims=True).astype(dtype)


def _lots(recipe, seed, indices, rows, *, first, last) -> Iterator[np.ndarray]:
    if recipe.variant == "shuffled":
        size = max(1, round(recipe.sampling_rate * rows))
        return batches.shuffled(seed, indices, rows=rows, size=size, first=first, last=last)
    if recipe.mechanism != "sampled":
        return batches.ordered(
            indices,
            rows=rows,
            lots=dp_ftrl.lots_a_pass(recipe.sampling_rate),
            first=first,
            last=last,
        )
    return batches.poisson(
        seed, indices, rows=rows, rate=recipe.sampling_rate, first=first, last=last
    )


def _noise(recipe, seed, indices, weights, *, first, last) -> Iterator[np.ndarray]:
    """Yield the noise of each step, (len(indices), P)."""
    if recipe.mechanism != "toeplitz":
        return _fresh(seed, indices, weights, first=first, last=last)
    m = dp_ftrl.lots_a_pass(recipe.sampling_rate)
    return dp_ftrl.correlated(
        _fresh(seed, indices, weights, first=first - first % m, last=last), lots=m, first=first
    )


def _fresh(seed, indices, weights, *, first, last) -> Iterator[np.ndarray]:
    """Yield independent noise for each step, (len(indices), P), in blocks with their own
    streams.
    """
    for block in range(first // batches.BLOCK, -(-last // batches.BLOCK)):
        begin, end = block * batches.BLOCK, min(last - block * batches.BLOCK, batches.BLOCK)
        shape = (weights.shape[1],)
        drawn = normal_steps(
            seed, "noise", indices, steps=end, shape=shape, dtype=weights.dtype.type, part=block
        )
        for step, noise in enumerate(drawn, begin):
            if step >= first:
                yield noise


def _per_weight(recipe: Recipe) -> np.ndarray:
    """Return the clipping norm to which each weight's noise is calibrated (P,)."""
    architecture = recipe.architecture
    bounds = (
        recipe.bounds
        if len(recipe.bounds) > 1
        else (recipe.bounds or (0.0,)) * len(architecture.shapes)
    )
    return np.repeat(bounds, [cut.stop - cut.start for cut in architecture.slices])


class _Gradient:
    """The sum of the clipped gradients of each network's lot: row numbers (R, W) -> (R, P).

    The clipping norms are those of the recipe times ``share``.
    """

    def __init__(self, recipe: Recipe, weights: np.ndarray, rows: _Rows):
        self._architecture, self._clip, self._rows = recipe.architecture, recipe.clip_norm, rows
        self._layers = recipe.architecture.layers(weights)
        self._total = np.empty_like(weights)
        self._gradients = recipe.architecture.layers(self._total)
        self._pass = Pass(
            recipe.architecture, models=len(weights), width=1, dtype=weights.dtype.type
        )

    def __call__(self, members: np.ndarray, share: float) -> np.ndarray:
        both, rows = self._pass, self._rows
        members, each = rows.of(members)
        both.fit(members.shape[1])
        rows.columns.take(members, axis=1, mode="wrap", out=both.inputs)
        both.forward(self._layers)
        truth, squares = (
            rows.truth.take(members, axis=1, mode="wrap"),
            rows.squares.take(members, mode="wrap"),
        )
        both.backward(self._layers, truth, squares)
        counted = rows.counted.take(members, mode="wrap")
        if each > 1:
            return self._of_persons(networks.of_persons(both, counted, each=each), share)
        factors = self._factors(both.squares, counted, share)
        for gradient, e, a, factor in zip(
            self._gradients, both.errors, both.activations, factors, strict=True
        ):
            thinner = e if len(e) <= len(a) else a  # either may be multiplied by the factor
            thinner *= factor
            np.matmul(e.swapaxes(0, 1), a.transpose(1, 2, 0), out=gradient)
        return self._total

    def _of_persons(self, theirs: list[np.ndarray], share: float) -> np.ndarray:
        """Return the sum of persons' clipped average gradients, given (R, W, outputs, inputs + 1)
        in each layer.
        """
        squares = networks.squared_norms(theirs)
        factors = self._factors(squares, np.ones_like(squares[0]), share)
        for gradient, one, factor in zip(self._gradients, theirs, factors, strict=True):
            total = factor[:, None] @ one.reshape(*factor.shape, -1)
            gradient[...] = total.reshape(gradient.shape)
        return self._total

    def _factors(
        self, squares: list[np.ndarray], present: np.ndarray, share: float
    ) -> list[np.ndarray]:
        """Return the clipping factor of each example's gradient in each layer, (R, W); 0 for
        ``NOBODY``.
        """
        if self._clip is None:
            return [present] * len(squares)
        if isinstance(self._clip, tuple):
            pairs = zip(squares, self._clip, strict=True)
            return [_clip_factor(square, bound * share) * present for square, bound in pairs]
        return [_clip_factor(sum(squares), self._clip * share) * present] * len(squares)


def _clip_factor(square: np.ndarray | int, bound: float) -> np.ndarray:
    """Return min(1, C / norm) from squared norms."""
    with np.errstate(divide="ignore"):
        return np.minimum(1, bound / np.sqrt(square))


def _checked(
    recipe: Recipe, X: np.ndarray, y: np.ndarray, *, first: int, last: int
) -> tuple[np.ndarray, np.ndarray]:
    sizes = recipe.architecture.sizes
    check.whole(0, recipe.steps, last=last)
    check.whole(0, last, first=first)
    return check.rows(X, y, columns=sizes[0]), check.wholes(
        (len(X),), low=-1, high=sizes[-1] - 1, y=y
    )
