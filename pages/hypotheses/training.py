"""Training of the sources and of the target: what is fitted to their rows, and what is released.

A *hypothesis* is the weight vector of a logistic regression. A *tilt* is the vector that separates
rows without labels from the public rows, and so gives each public row an importance weight. Steps
are those of the algorithm in ``method.md`` [wang2019].

Shapes: K sources, R repeats, m public rows, n rows, d features.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from dpcore.cache import Key, cached
from dpcore.parties import hypothesis_transfer, source_releases
from dpcore.parties.source_releases import Budget, Fitted, Release
from dpcore.parties.source_rows import Part, Source
from dpcore.streams import stream
from dpcore.training import erm
from dpcore.training.dense_or_sparse import Matrix
from lab.data import domains
from lab.data.domains import DomainData, DomainParams, Draw

# Number of test rows of the target, by data.
TEST_ROWS = {"domains": 1000, "topics": 320, "reviews": 600}
# Part of the key of the stream that draws the target's rows.
_TARGET_STREAM = 99
# Sources are fitted together up to this ``SourceTraining.cost``, which takes some 20 ms.
_COST_OF_TASK = 4e6
# Cost of a row with all words, of which only those in the text count.
_COST_OF_WORDS = 1500.0


def is_projected(data: str, projection: str) -> bool:
    """Return whether rows have few features. Otherwise they are sparse, with a feature per word."""
    return data == "domains" or projection != "none"


@dataclass(frozen=True, kw_only=True)
class SourceTraining(Key):
    """The rows of the sources and what is fitted to them, which depends on no target and epsilon.

    domains: parameters of the domains.
    labelled_rows, unlabelled_rows: numbers of rows of each source, with and without labels.
    target_rows: number of rows of the target.
    lambda_lr, lambda_iw: L2 regularisation of hypotheses and tilts.
    """

    domains: DomainParams
    labelled_rows: int
    unlabelled_rows: int
    target_rows: int
    lambda_lr: float
    lambda_iw: float

    @property
    def reserved_rows(self) -> int:
        """Return the number of rows of each domain that are kept for the target and its test."""
        return self.target_rows + TEST_ROWS[self.domains.kind]

    @property
    def cost(self) -> float:
        """Return about how many multiplications a Newton step of one source takes."""
        rows = self.labelled_rows + self.unlabelled_rows + self.domains.public_rows
        if self.projected:
            return float(rows * self.domains.dimension**2)
        return float(rows * _COST_OF_WORDS)

    @property
    def data(self) -> DomainData:
        """Return the public rows and the rows of all domains, from the cache if they are there."""
        return domains.load(self.domains)

    @property
    def projected(self) -> bool:
        """Return whether the rows have few features."""
        return is_projected(self.domains.kind, self.domains.projection)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Return the sources that are fitted together, in one task."""
        count = self.domains.sources
        size = max(1, int(_COST_OF_TASK / self.cost))
        groups = []
        for first in range(0, count, size):
            groups.append(tuple(range(first, min(first + size, count))))
        return tuple(groups)


@dataclass(frozen=True, kw_only=True)
class TargetTraining(Key):
    """The rows of the target and what is fitted to them.

    mixture: the target's share of each domain, (K,).
    """

    sources: SourceTraining
    mixture: tuple[float, ...]


# Rows and fits of a repeat. They are cached, because tasks of several epsilons use them.


# As many as the sources times the first repeats: sources and target are fitted to the same rows.
@cached(newest=30)
def draw(training: SourceTraining, repeat: int, source: int) -> Draw:
    """Return the rows of a domain, for its source and for the target."""
    return domains.draw(
        training.domains,
        repeat,
        source,
        labelled=training.labelled_rows,
        unlabelled=training.unlabelled_rows,
        target=training.reserved_rows,
    )


def source_rows(training: SourceTraining, repeat: int, group: Iterable[int]) -> list[Source]:
    """Return the labelled and the unlabelled rows of some sources."""
    sources = []
    for source in group:
        rows = draw(training, repeat, source)
        X, y, identifiers = rows.labelled
        labelled = Part(X=X, y=y, rows=identifiers)
        X, _, identifiers = rows.unlabelled
        unlabelled = Part(X=X, rows=identifiers)
        sources.append(Source(labelled=labelled, unlabelled=unlabelled))
    return sources


@cached
def group_fit(training: SourceTraining, repeat: int, group: tuple[int, ...]) -> Fitted:
    """Fit hypotheses and tilts (k, d) of some sources, without noise (Steps 1 and 2)."""
    return source_releases.fit(
        source_rows(training, repeat, group),
        training.data.public,
        lambda_lr=training.lambda_lr,
        lambda_iw=training.lambda_iw,
    )


@cached
def source_fit(training: SourceTraining, repeat: int) -> Fitted:
    """Fit hypotheses and tilts (K, d) of all sources, without noise."""
    fits = [group_fit(training, repeat, group) for group in training.groups]
    return replace(
        fits[0],
        hypotheses=np.concatenate([fit.hypotheses for fit in fits]),
        tilts=np.concatenate([fit.tilts for fit in fits]),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class TargetFit:
    """The target's rows of a repeat and what is fitted to them, without noise.

    weights: importance weights of the public rows, (m,).
    X, y, X_test, y_test: rows of the target and of its test, in random order. Inputs have single
        precision.
    hypothesis: of all labels of the target, (d,).
    """

    weights: np.ndarray
    X: Matrix
    y: np.ndarray
    X_test: Matrix
    y_test: np.ndarray
    hypothesis: np.ndarray


@cached
def target_fit(training: TargetTraining, repeat: int) -> TargetFit:
    """Fit the target's importance weights (Step 3), and the hypothesis of all of its labels."""
    sources = training.sources
    public = sources.data.public
    remaining = [draw(sources, repeat, k).remaining for k in range(sources.domains.sources)]
    rng = stream(sources.domains.seed, "split", repeat + 1, _TARGET_STREAM)
    X, y = domains.mixed(remaining, np.array(training.mixture), sources.reserved_rows, rng)
    # If a domain has too few rows, the target and its test get fewer in proportion.
    count = round(len(y) * sources.target_rows / sources.reserved_rows)
    X_target = X[:count]
    y_target = y[:count]
    tilts = source_releases.tilts(X_target, public, regularisation=sources.lambda_iw)
    hypothesis = erm.logistic(X_target, y_target, regularisation=sources.lambda_lr).weights
    return TargetFit(
        weights=source_releases.importance_weights(tilts, public),
        X=X_target.astype(np.float32, copy=False),
        y=y_target,
        X_test=X[count:].astype(np.float32, copy=False),
        y_test=y[count:],
        hypothesis=hypothesis,
    )


@cached
def noise(training: SourceTraining, kind: str, repeat: int) -> np.ndarray:
    """Draw noise of scale 1 for the hypothesis and the tilt of each source, (K, 2, d).

    It is the same for every epsilon.
    """
    seed = training.domains.seed
    features = training.data.public.shape[1]
    draws = []
    for source in range(training.domains.sources):
        for_hypothesis = stream(seed, "noise", repeat, 2 * source)
        for_tilt = stream(seed, "noise", repeat, 2 * source + 1)
        pair = [
            source_releases.draws(kind, features, for_hypothesis),
            source_releases.draws(kind, features, for_tilt),
        ]
        draws.append(pair)
    return np.array(draws)


# Curves at other settings need the repeats of these, and some more.
@cached(newest=60)
def perturbed_fit(
    training: SourceTraining, budget: Budget, repeat: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return hypotheses and tilts (K, d) with noise in their objectives, anew for each epsilon."""
    return source_releases.fit_perturbed(
        source_rows(training, repeat, range(training.domains.sources)),
        training.data.public,
        budget,
        noise(training, budget.noise, repeat),
        near=source_fit(training, repeat),
        lambda_lr=training.lambda_lr,
        lambda_iw=training.lambda_iw,
    )


# What is released, and what the target makes of it


@dataclass(frozen=True, kw_only=True)
class Transfer(Key):
    """Releases of the sources within a budget, for a target. An infinite epsilon has no noise."""

    target: TargetTraining
    budget: Budget

    def releases(self, repeats: range) -> list[Release]:
        """Return the release of each source, with arrays (R, d)."""
        training = self.target.sources
        budget = self.budget
        if budget.noise == "objective" and budget.epsilon < math.inf:
            return self._perturbed_releases(repeats)
        fits = [source_fit(training, repeat) for repeat in repeats]
        # (K, R, d), and noise (K, R, 2, d).
        fitted = Fitted(
            hypotheses=np.stack([fit.hypotheses for fit in fits], axis=1),
            tilts=np.stack([fit.tilts for fit in fits], axis=1),
            hypothesis_sensitivity=fits[0].hypothesis_sensitivity,
            tilt_sensitivity=fits[0].tilt_sensitivity,
        )
        draws = np.stack([noise(training, budget.noise, repeat) for repeat in repeats], axis=1)
        return source_releases.release(fitted, budget, draws)

    def _perturbed_releases(self, repeats: range) -> list[Release]:
        """Return the releases with noise in the objectives."""
        fits = [perturbed_fit(self.target.sources, self.budget, repeat) for repeat in repeats]
        hypotheses = np.stack([hypotheses for hypotheses, _ in fits], axis=1)
        tilts = np.stack([tilts for _, tilts in fits], axis=1)
        return source_releases.as_releases(hypotheses, tilts, self.budget)


# Only the weights are cached. The releases are larger by far, and are quickly made again.
@cached
def hypothesis_weights(transfer: Transfer, repeats: range) -> np.ndarray:
    """Return the weight of each source's hypothesis, (R, K) (Step 4)."""
    public = transfer.target.sources.data.public
    of_target = np.stack([target_fit(transfer.target, repeat).weights for repeat in repeats])
    of_sources = hypothesis_transfer.source_weights(transfer.releases(repeats), public)
    return hypothesis_transfer.hypothesis_weights(of_target, of_sources)
