"""The pieces of work of the parties page: fit what is released of what parties say, and try it many times.

The fits do not depend on epsilon, and the noise is the same at every epsilon but for its size.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dpcore import losses
from dpcore.accountants import gdp
from dpcore.experiments.parties_crowd import Crowd, tally
from dpcore.losses import outputs
from dpcore.mechanisms import NormExponential
from dpcore.parties import aggregation, local
from dpcore.parties.aggregation import RELEASES
from dpcore.parties.worlds import CHECK_ROWS, CONSTANT, World, parties, public
from dpcore.streams import stream

METHODS = (*RELEASES, "pate")
# Which part of a noise stream each method draws from.
_PARTS = {name: part for part, name in enumerate(METHODS)}
# How many rows the model without privacy is fitted to at most; more would not be seen in the picture.
BATCH_ROWS = 3000
# A student of noisy labels is post-processing, and what is never released needs no sensitivity: neither need be exact.
_STUDENT_TOLERANCE, _ANALYST_TOLERANCE = 1e-4, 1e-6


@dataclass(frozen=True, kw_only=True)
class Model:
    """All that decides what is released, but for epsilon: the crowd, M, lambda, and how it is made private."""

    crowd: Crowd
    parties: int
    regularisation: float
    labels: str
    constants: str
    delta: float
    queries: int
    repeats: int

    @property
    def classes(self) -> int:
        return self.crowd.world.kind.classes

    @property
    def shape(self) -> tuple[int, int]:
        """(k, d) of the weights: all k d of them are one vector, as far as the noise is concerned."""
        return outputs(self.classes), self.crowd.world.kind.inputs

    @property
    def rows(self):
        """Public, check and test rows."""
        return public(self.crowd.world.dataset, self.crowd.world.seed, self.crowd.public_rows)

    @property
    def methods(self) -> tuple[str, ...]:
        """Those of ``METHODS`` that these parties allow: only weights can be averaged."""
        return METHODS if self.crowd.learner == "logistic" else tuple(name for name in METHODS if name != "average")

    def at(self, parties: int) -> "Model":
        return replace(self, parties=parties)

    def sensitivity(self, release: str, *, tolerance: float = 0.0) -> float:
        """L2, for one replaced party."""
        return aggregation.sensitivity(
            release,
            classes=self.classes,
            parties=self.parties,
            regularisation=self.regularisation,
            constants=self.constants,
            mean_norm=aggregation.mean_norm(self.rows["public"]),
            tolerance=tolerance,
        )

    def sigma(self, epsilon: float) -> float:
        """PATE's noise in votes: its ``queries`` Gaussian releases together are (epsilon, delta)-DP, exactly."""
        return aggregation.COUNTS_SENSITIVITY * math.sqrt(self.queries) / gdp.mu_of(epsilon, delta=self.delta)


@dataclass(frozen=True, kw_only=True, eq=False)
class Fits:
    """What the aggregator has before it adds noise, from the first ``asked`` parties.

    weights: release -> (k, d). tolerance: the largest gradient norm of the fits. check: the parties' shares (K, C) for
    the check rows. counts (K, C): their votes. right: the first parties' shares of right answers. kept: bytes of what
    they said together, of which one is held for each chunk of parties.
    """

    weights: dict[str, np.ndarray]
    tolerance: float
    check: np.ndarray
    counts: np.ndarray
    right: np.ndarray
    asked: int
    kept: int


@lru_cache(maxsize=64)
def fits(model: Model, asked: int) -> Fits:
    """By the first ``asked`` of the model's parties: all of them, or so far."""
    said, rows = tally(model.crowd, asked), model.rows
    sums = said.votes.astype(float) if model.labels == "votes" else said.shares.astype(float)
    shares = np.stack(
        [
            aggregation.targets(said.votes[:, :-CHECK_ROWS], release="vote"),
            aggregation.targets(sums[:, :-CHECK_ROWS], release="soft"),
        ]
    )
    found, tolerance = aggregation.fit(rows["public"].X, shares, regularisation=model.regularisation)
    weights = dict(zip(("vote", "soft"), found, strict=True))
    if said.weights is not None:
        weights["average"] = said.weights / asked
    check = aggregation.targets(sums[:, -CHECK_ROWS:], release="soft")
    counts = said.votes[:, -CHECK_ROWS:] * (model.parties / asked)
    return Fits(
        weights=weights,
        tolerance=tolerance,
        check=check,
        counts=counts,
        right=said.right,
        asked=asked,
        kept=said.size,
    )


@lru_cache(maxsize=64)
def unit_noise(seed: int, method: str, repeats: int, shape: tuple[int, int]) -> np.ndarray:
    """Norm-exponential draws (R, k, d) of sensitivity and epsilon 1: the same ones at every epsilon and for every M."""
    mechanism, size = NormExponential(sensitivity=1, epsilon=1), math.prod(shape)
    draws = [mechanism.noise(size, stream(seed, "noise", r, _PARTS[method]))[0] for r in range(repeats)]
    return np.reshape(draws, (repeats, *shape))


def released(model: Model, method: str, asked: int, epsilons: Sequence[float]) -> np.ndarray:
    """Released weights (E, R, k, d) of a method."""
    if method == "pate":
        return students(model, asked, epsilons)
    found = fits(model, asked)
    tolerance = 0.0 if method == "average" else found.tolerance
    scale = model.sensitivity(method, tolerance=tolerance) / np.asarray(epsilons, dtype=float)
    noise = unit_noise(model.crowd.world.seed, method, model.repeats, model.shape)
    return found.weights[method] + scale[:, None, None, None] * noise


def students(model: Model, asked: int, epsilons: Sequence[float]) -> np.ndarray:
    """PATE: students (E, R, k, d) of noisy answers to the first ``queries`` public rows."""
    rows, seed = model.rows["public"].X[: model.queries], model.crowd.world.seed
    counts = tally(model.crowd, asked).votes[:, : model.queries] * (model.parties / asked)
    shape = (model.classes, model.queries)
    noise = np.stack(
        [stream(seed, "noise", r, _PARTS["pate"]).standard_normal(shape[::-1]).T for r in range(model.repeats)]
    )
    sigma = np.array([model.sigma(epsilon) for epsilon in epsilons])
    labels = aggregation.noisy_winners(counts, noise, sigma[:, None])
    options = {"regularisation": model.regularisation, "tolerance": _STUDENT_TOLERANCE}
    return aggregation.fit(rows, aggregation.one_hot(labels, model.classes), **options)[0]


def accuracy(model: Model, weights: np.ndarray) -> np.ndarray:
    """Share of right answers of weights (..., k, d) on the test rows."""
    test = model.rows["test"]
    return losses.accuracy(weights, test.X, test.y)


def risk(model: Model, weights: np.ndarray, asked: int) -> np.ndarray:
    """Loss of weights (..., k, d) on the check rows under the crowd's shares: the R of [hamm2016, Lemma 2], in nats."""
    z, shares = losses.logits(weights, model.rows["check"].X), fits(model, asked).check
    return losses.expected_values(z, shares).mean(axis=-1)


@lru_cache(maxsize=64)
def reference(model: Model, asked: int) -> np.ndarray:
    """w_0 (k, d): the best that the check rows allow, with the same lambda."""
    X, shares = model.rows["check"].X, fits(model, asked).check
    return aggregation.fit(X, shares, regularisation=model.regularisation, tolerance=_ANALYST_TOLERANCE)[0]


class Trial(NamedTuple):
    """accuracy (methods, R) on test rows, the soft release's excess risk (R,), and all weights (methods, R, k, d)."""

    accuracy: np.ndarray
    excess: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Tried:
    """Every method released at one epsilon, as often as there are repeats, by what the first ``asked`` parties say."""

    model: Model
    asked: int
    epsilon: float
    essential: bool = field(default=False, compare=False)

    def run(self) -> Trial:
        model, asked = self.model, self.asked
        weights = np.stack([released(model, name, asked, (self.epsilon,))[0] for name in model.methods])
        soft = weights[model.methods.index("soft")]
        excess = risk(model, soft, asked) - risk(model, reference(model, asked), asked)
        return Trial(accuracy(model, weights), excess, weights)


@dataclass(frozen=True, kw_only=True)
class Batch:
    """One model of all rows in one place, without privacy: weights (k, d)."""

    world: World
    parties: int
    regularisation: float
    essential: bool = True

    def run(self) -> np.ndarray:
        kind = self.world.kind
        X, y = parties(self.world, 0, max(1, min(self.parties, BATCH_ROWS // self.world.rows)))
        shares = aggregation.one_hot(y.ravel(), kind.classes)
        options = {"regularisation": self.regularisation, "tolerance": _ANALYST_TOLERANCE}
        return aggregation.fit(X.reshape(-1, kind.inputs), shares, **options)[0]


class Moves(NamedTuple):
    """How far the weights of "vote" and "soft" move when a party turns around: for each of some parties (2, EARLY),
    and in the worst case, where all rows are tied without it (2,).
    """

    here: np.ndarray
    worst: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Change:
    """One party says the next class about every public row, all else stays."""

    model: Model
    asked: int
    essential: bool = False

    def run(self) -> Moves:
        model, K = self.model, self.model.classes
        said, X = tally(model.crowd, self.asked), model.rows["public"].X
        # As if the parties asked so far were all of the M: one of them weighs 1/M
        counts = said.votes[:, :-CHECK_ROWS] * (model.parties / self.asked)
        early = said.early.astype(int)
        turned = counts - aggregation.one_hot(early, K) + aggregation.one_hot((early + 1) % K, K)
        tied = np.zeros((2, K, len(X)))
        tied[:, :2] = (model.parties - 1) / 2
        tied[[0, 1], [0, 1]] += 1
        cases = np.concatenate([counts[None], turned, tied])
        shares = np.stack([aggregation.targets(cases, release=release) for release in ("vote", "soft")])
        # One party's change is small: the search begins where the crowd's own is known to end
        known = fits(model, self.asked).weights
        start = np.stack([known["vote"], known["soft"]])[:, None]
        options = {"regularisation": model.regularisation, "start": start}
        near, _ = aggregation.fit(X, shares[:, :-2], **options)
        far, _ = aggregation.fit(X, shares[:, -2:], regularisation=model.regularisation)
        near, far = (weights.reshape(2, weights.shape[1], -1) for weights in (near, far))
        here = np.linalg.norm(near[:, 1:] - near[:, :1], axis=-1)
        return Moves(here, np.linalg.norm(far[:, 1] - far[:, 0], axis=-1))


@dataclass(frozen=True, kw_only=True)
class Locals:
    """What the first parties say one by one at inputs in a plane: votes (L, m)."""

    crowd: Crowd
    parties: int
    grid: tuple[tuple[float, ...], ...]
    essential: bool = True

    def run(self) -> np.ndarray:
        X, y = parties(self.crowd.world, 0, self.parties)
        grid = np.array(self.grid)
        rows = np.column_stack([grid, np.full(len(grid), CONSTANT)])
        options = {"classes": self.crowd.world.kind.classes, "regularisation": self.crowd.regularisation}
        found = [said.votes for said in local.votes(self.crowd.learner, X, y, rows, **options)]
        return np.concatenate(found).astype(np.uint8)
