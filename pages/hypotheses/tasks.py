"""The pieces of work of hypothesis transfer: what the sources fit, what the target fits, and what
comes out.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

import numpy as np

from dpcore.cache import CACHE, Key, cached
from dpcore.parties import hypothesis_transfer
from dpcore.parties import source_releases as sources
from dpcore.parties.source_releases import Budget, Fitted, Release
from dpcore.parties.source_rows import Part, Source
from dpcore.streams import stream
from dpcore.training import dense_or_sparse, erm
from dpcore.training.dense_or_sparse import Matrix
from lab.data import domains
from lab.data.domains import DomainParams
from lab.experiment.parts import Runs
from lab.statistics.confusion import ByClass

METHODS = ("transfer", "average", "soft", "source", "weak", "target")
# Of a part's key to its stream: the target's draw, and what a source's noise is for
_TARGET_PART = 99
# What one slice of work may take (see ``Sources.effort``): some 20 ms.
_SLICE_EFFORT = 4e6
# What one row takes where all words are left: each of its words counts, in steps that are found
# step by step.
_WORDS_EFFORT = 1500.0
# Rows that the target's test has
TEST_ROWS = {"domains": 1000, "topics": 320, "reviews": 600}


def projected(kind: str, projection: str) -> bool:
    """Return whether rows have few features: else they have a place for each word, and are
    sparse.
    """
    return kind == "domains" or projection != "none"


@dataclass(frozen=True, kw_only=True)
class Sources(Key):
    """What the sources are and fit: nothing here depends on the target or on epsilon."""

    where: DomainParams
    labelled: int
    unlabelled: int
    target_rows: int
    lambda_lr: float
    lambda_iw: float

    @property
    def reserve(self) -> int:
        """Rows of each domain that are kept for the target and its test."""
        return self.target_rows + TEST_ROWS[self.where.kind]

    @property
    def effort(self) -> float:
        """Return what the fits of one source take, about, in multiplications of one Newton step."""
        each = self.where.dimension**2 if self.projected else _WORDS_EFFORT
        return float((self.labelled + self.unlabelled + self.where.public_rows) * each)

    @property
    def world(self) -> domains.DomainData:
        """Return the public set and the rows of all domains, made where they were not."""
        return domains.load(self.where)

    @property
    def projected(self) -> bool:
        return projected(self.where.kind, self.where.projection)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Sources that are fitted in one slice of work."""
        count, size = self.where.sources, max(1, int(_SLICE_EFFORT / self.effort))
        return tuple(
            tuple(range(first, min(first + size, count))) for first in range(0, count, size)
        )


@dataclass(frozen=True, kw_only=True)
class Target(Key):
    """The target: how it mixes the domains."""

    sources: Sources
    mixture: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class TargetFit:
    """Of one repeat, without privacy: weights of public rows (m,), the target's rows and those of
    its test, in random order and single precision, and the hypothesis of all of its labels.
    """

    weights: np.ndarray
    X: Matrix
    y: np.ndarray
    X_test: Matrix
    y_test: np.ndarray
    target: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """Results by repeat.

    weights: of the hypotheses (R, K). error: their mean squared error (R,). accuracy: by
        ``METHODS`` (R, 6).
    counts, losses: confusion (R, 2, 2, 2) and mean loss (R, 2) on the test rows, of transfer and of
    the few labels alone. margins: analyst only, root mean square (R, 2) of the margins that the
    sources' hypotheses give the target's test rows without noise, and of the noise on them.
    """

    repeats: np.ndarray
    weights: np.ndarray
    error: np.ndarray
    accuracy: np.ndarray
    counts: np.ndarray
    losses: np.ndarray
    margins: np.ndarray

    def of(self, method: str) -> np.ndarray:
        return self.accuracy[:, METHODS.index(method)]


@cached
def source_fit(model: Sources, repeat: int) -> Fitted:
    """Take Steps 1 and 2 of one repeat before noise: axes (K, d)."""
    parts = [group_fit(model, repeat, group) for group in model.groups]
    found, tilts = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("hypotheses", "tilts")
    )
    return replace(parts[0], hypotheses=found, tilts=tilts)


@cached
def group_fit(model: Sources, repeat: int, group: tuple[int, ...]) -> Fitted:
    parts = source_parts(model, repeat, group)
    return sources.fit(
        parts, model.world.public, lambda_lr=model.lambda_lr, lambda_iw=model.lambda_iw
    )


def source_parts(model: Sources, repeat: int, group: Iterable[int]) -> list[Source]:
    drawn = [draw(model, repeat, k) for k in group]
    return [
        Source(labelled=Part(X=X, y=y, rows=names), unlabelled=Part(X=other, rows=others))
        for (X, y, names), (other, _, others) in ((one.labelled, one.unlabelled) for one in drawn)
    ]


# As many as there are sources and repeats in the first picture: sources and target are fitted to
# the same draws.
@cached(newest=30)
def draw(model: Sources, repeat: int, k: int) -> domains.Draw:
    sizes = {"labelled": model.labelled, "unlabelled": model.unlabelled, "target": model.reserve}
    return domains.draw(model.where, repeat, k, **sizes)


@cached
def target_fit(model: Target, repeat: int) -> TargetFit:
    """Take Step 3 of one repeat, and fit the baseline that sees all labels of the target."""
    source, public = model.sources, model.sources.world.public
    rng = stream(source.where.seed, "split", repeat + 1, _TARGET_PART)
    left = [draw(source, repeat, k).remaining for k in range(source.where.sources)]
    X, y = domains.mixed(left, np.array(model.mixture), source.reserve, rng)
    rows = round(len(y) * source.target_rows / source.reserve)
    X_own, y_own = X[:rows], y[:rows]
    return TargetFit(
        weights=sources.importance_weights(
            sources.tilts(X_own, public, regularisation=source.lambda_iw), public
        ),
        X=X_own.astype(np.float32, copy=False),
        y=y_own,
        X_test=X[rows:].astype(np.float32, copy=False),
        y_test=y[rows:],
        target=erm.logistic(X_own, y_own, regularisation=source.lambda_lr).weights,
    )


@cached
def noise(model: Sources, kind: str, repeat: int) -> np.ndarray:
    """Draw noise of scale 1 for a repeat (K, 2, d), the same for every epsilon: for each source's
    hypothesis and tilt.
    """
    seed, d = model.where.seed, model.world.public.shape[1]
    return np.array(
        [
            [
                sources.draws(kind, d, stream(seed, "noise", repeat, 2 * k + which))
                for which in (0, 1)
            ]
            for k in range(model.where.sources)
        ]
    )


# Other curves ask for them again: today's repeats, and some more.
@cached(newest=60)
def perturbed(model: Sources, budget: Budget, repeat: int) -> tuple[np.ndarray, np.ndarray]:
    """Return hypotheses and tilts (K, d) of a repeat, with noise in their objectives: minimised for
    each epsilon.
    """
    return sources.fit_perturbed(
        source_parts(model, repeat, range(model.where.sources)),
        model.world.public,
        budget,
        noise(model, budget.noise, repeat),
        near=source_fit(model, repeat),
        lambda_lr=model.lambda_lr,
        lambda_iw=model.lambda_iw,
    )


def make_rows(model: Sources, _: tuple[()], repeats: range) -> int:
    """Make the rows of a world, as texts projected to other features, before anything is fitted to
    them.
    """
    return model.world.features


def fit_sources(model: Sources, group: tuple[int, ...], repeats: range) -> None:
    """Fit a group of sources in some repeats, for ``transfer`` to find: they show rows, and are not
    handed on.
    """
    for repeat in repeats:
        group_fit(model, repeat, group)


def fit_target(model: Target, _: tuple[()], repeats: range) -> None:
    """Fit the target in some repeats, for ``transfer`` to find: it holds rows, and is not handed
    on.
    """
    for repeat in repeats:
        target_fit(model, repeat)


@dataclass(frozen=True, kw_only=True)
class Transfer(Key):
    """What the sources release at a budget, to a target that weights them; epsilon inf is without
    noise.
    """

    target: Target
    budget: Budget

    def releases(self, repeats: range) -> list[Release]:
        """Return what every source releases, arrays (R, d)."""
        model, budget = self.target.sources, self.budget
        if budget.noise == "objective" and budget.epsilon < math.inf:
            pairs = [perturbed(model, budget, repeat) for repeat in repeats]
            found, tilts = (np.stack(part, axis=1) for part in zip(*pairs, strict=True))
            return sources.as_releases(found, tilts, budget)
        fits = [source_fit(model, repeat) for repeat in repeats]
        draws = np.stack([noise(model, budget.noise, repeat) for repeat in repeats], axis=1)
        fitted = Fitted(
            hypotheses=np.stack([one.hypotheses for one in fits], axis=1),
            tilts=np.stack([one.tilts for one in fits], axis=1),
            hypothesis_sensitivity=fits[0].hypothesis_sensitivity,
            tilt_sensitivity=fits[0].tilt_sensitivity,
        )
        return sources.release(fitted, budget, draws)


@cached
def hypothesis_weights(model: Transfer, repeats: range) -> np.ndarray:
    """Return those of Step 4, (R, K).

    What was released is larger by far, and quickly made again.
    """
    public = model.target.sources.world.public
    own = np.stack([target_fit(model.target, repeat).weights for repeat in repeats])
    theirs = hypothesis_transfer.source_weights(model.releases(repeats), public)
    return hypothesis_transfer.hypothesis_weights(own, theirs)


def transfer(
    model: Transfer, at: tuple[float], repeats: range, *, given: int | None = None
) -> Outcome:
    """Return what comes out of the releases with the share ``at`` of the target's labels, of
    ``given`` repeats.
    """
    if given is None:
        return _outcome(model, at[0], repeats)
    task = Runs(work=transfer, model=model, at=at, first=repeats.start, count=len(repeats))
    whole = CACHE.answer(task, task.run)
    return Outcome(**{one.name: getattr(whole, one.name)[:given] for one in fields(whole)})


def _outcome(asked: Transfer, share: float, repeats: range) -> Outcome:
    """Take Steps 5 and 6 and the baselines, all repeats at once: they see the releases and the
    target's rows.
    """
    model = asked.target
    released, weights = asked.releases(repeats), hypothesis_weights(asked, repeats)
    fits = [target_fit(model, repeat) for repeat in repeats]
    count, lambda_lr = min(len(one.y) for one in fits), model.sources.lambda_lr
    labelled = max(2, round(share * count))
    y = np.stack([one.y[:count] for one in fits])
    own, labels = (
        dense_or_sparse.stack([one.X[:labelled].astype(float) for one in fits]),
        y[:, :labelled],
    )
    others = dense_or_sparse.stack([one.X[labelled:count] for one in fits])
    found = hypothesis_transfer.informed(released, weights, own, labels)
    alone = erm.logistic(own, labels, regularisation=lambda_lr).weights
    thetas, _ = hypothesis_transfer.stacked(released)
    models = [
        found,
        hypothesis_transfer.equal(released, own, labels),
        hypothesis_transfer.soft(released, own, labels, others, lambda_lr=lambda_lr),
        alone,
        np.stack([one.target for one in fits]),
    ]
    reached = [_accuracy(one, fits) for one in models]
    best = np.max([_accuracy(thetas[:, k], fits) for k in range(thetas.shape[1])], axis=0)
    held_out = _by_class(np.stack([found, alone]), fits)
    return Outcome(
        repeats=np.array(repeats),
        weights=weights,
        error=((weights - np.array(model.mixture)) ** 2).mean(axis=1),
        accuracy=np.stack([*reached[:3], best, *reached[3:]], axis=1),
        counts=np.stack([one.counts for one in held_out]),
        losses=np.stack([one.loss for one in held_out]),
        margins=np.array(
            [_margins(model.sources, *one) for one in zip(repeats, fits, thetas, strict=True)]
        ),
    )


def _margins(model: Sources, repeat: int, fit: TargetFit, released: np.ndarray) -> list[float]:
    """Signal and noise in the margins of a repeat's test rows; released (K, d)."""
    noiseless = source_fit(model, repeat).hypotheses
    return [
        float(np.sqrt(((fit.X_test @ one.T) ** 2).mean()))
        for one in (noiseless, released - noiseless)
    ]


def _by_class(weights: np.ndarray, fits: list[TargetFit]) -> list[ByClass]:
    """Return what models with ``weights`` (models, R, d) do on the test rows of each repeat."""
    found = []
    for repeat, fit in enumerate(fits):
        margins = (fit.X_test @ weights[:, repeat].T).T
        found.append(ByClass.of(margins[:, None], fit.y_test.astype(int)))
    return found


def _accuracy(weights: np.ndarray, fits: list[TargetFit]) -> np.ndarray:
    """Return the accuracy on each repeat's test rows: (R, d) -> (R,)."""
    return np.array(
        [((one.X_test @ w > 0) == one.y_test).mean() for w, one in zip(weights, fits, strict=True)]
    )
