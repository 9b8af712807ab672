"""Hypothesis transfer from private sources: what a target with few labels can borrow [wang2019]."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from dpcore import check, domains, own_texts
from dpcore.experiments import hypotheses_mixture as mixing
from dpcore.experiments import hypotheses_rooms as rooms
from dpcore.experiments import run
from dpcore.experiments.hypotheses_result import HypothesesResult
from dpcore.experiments.hypotheses_rooms import LIMITS, MOST_SOURCES, WEIGHTS
from dpcore.experiments.hypotheses_work import Answer, RowsWork, Sources, SourceWork, Target, TargetWork
from dpcore.parties.hypotheses import DIVERGENCES
from dpcore.parties.sources import NOISES, Budget

# Where the curves and the table are computed.
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
LEVELS = (1.0, 10.0, 100.0, math.inf)
# Numbers of features at which right answers are measured.
DIMENSIONS = (2, 5, 10, 20, 40, 60)
# Repeats of the first picture (fewer where even these take long), of one slice of work, and at most of the table and of
# each number of features.
_FIRST, _CHUNK, _TABLE, _WIDTHS = 3, 6, 12, 8
_FIRST_EFFORT = 6e7
# With more features than this, a slice has half as many.
_WIDE = 30


@dataclass(frozen=True, kw_only=True)
class HypothesesSettings:
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    epsilon: cost of a row of one source; delta: with Gaussian noise. weight_k: the target's share of domain k; those of
    the sources K sum to 1, and ``mixture`` says the same in one word. label_share: of the target's rows. dimension: d'.
    source_rows, unlabelled_rows: of each source, n_l and n_ul. public_rows: n_P. divergence: of Step 4. own: with data
    "own", the word of ``own_texts.Own``: which file, and what its columns are for.
    """

    data: str = "domains"
    own: str = own_texts.NONE
    sources: int = 5
    epsilon: float = 10.0
    label_share: float = 0.05
    dimension: int = 20
    projection: str = "svd"
    similarity: float = 0.5
    source_rows: int = 800
    unlabelled_rows: int = 1000
    target_rows: int = 1500
    public_rows: int = 1500
    lambda_lr: float = 0.003
    lambda_iw: float = 0.001
    noise: str = "exponential"
    divergence: str = "kl"
    delta: float = 1e-5
    repeats: int = 20
    seed: int = 3
    weight_1: float = 0.6
    weight_2: float = 0.0
    weight_3: float = 0.0
    weight_4: float = 0.4
    weight_5: float = 0.0
    weight_6: float = 0.0
    weight_7: float = 0.0
    weight_8: float = 0.0
    mixture: str = "0.6-0-0-0.4-0"

    def __post_init__(self) -> None:
        for name, options in _CHOICES.items():
            check.choice(options, **{name: getattr(self, name)})
        for name, (low, high) in self.limits.items():
            validate = check.whole if isinstance(low, int) else check.between
            validate(low, high, **{name: getattr(self, name)})
        if mixing.word(self.shares) != self.mixture or abs(math.fsum(self.shares) - 1) > 1e-3:
            raise check.RefusedError("mixture", self.mixture, "the weights, which sum to 1: change() keeps them so")

    def change(self, **changes: Any) -> "HypothesesSettings":
        """These settings with ``changes``. A weight takes from the others, or gives to them, in proportion."""
        data = check.choice(domains.KINDS, data=changes.get("data", self.data))
        own = changes.get("own", self.own)
        if {"data", "own", "sources"} & set(changes):
            changes = rooms.fitting(data, own, self, changes) | changes
        low, high = rooms.sources(data, own)
        count = check.whole(low, high, sources=changes.get("sources", self.sources))
        shares = (*self.shares, *[0.0] * MOST_SOURCES)[:count]
        if "mixture" in changes:
            shares = mixing.read(str(changes["mixture"]), count)
        for place, name in enumerate(WEIGHTS):
            if name in changes and "mixture" not in changes:
                if place >= count and changes[name] == 0:
                    continue
                check.between(0, 1 if place < count else 0, **{name: changes[name]})
                shares = mixing.given(shares, place, float(changes[name]))
        shares = mixing.whole(shares)
        weights = dict.fromkeys(WEIGHTS, 0.0) | dict(zip(WEIGHTS, shares, strict=False))
        return replace(self, **changes | weights | {"mixture": mixing.word(shares)})

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Field -> (lowest, highest) value, with what the data leave of them."""
        rows = rooms.rows(self.data, self.own, self.sources)
        return dict(LIMITS) | rows | {"sources": rooms.sources(self.data, self.own)}

    @property
    def preparation(self) -> str:
        """Lines that a script needs first: a file of the user's own must be there."""
        return "" if self.data != "own" or self.own == own_texts.NONE else own_texts.preparation(self.own)

    @property
    def shares(self) -> tuple[float, ...]:
        """The target's share of each domain."""
        return tuple(getattr(self, name) for name in WEIGHTS[: self.sources])

    @property
    def budget(self) -> Budget:
        return Budget(epsilon=self.epsilon, noise=self.noise, delta=self.delta)

    @cached_property
    def model(self) -> Sources:
        """What the sources do, whatever the target is."""
        where = domains.Where(
            kind=self.data,
            sources=self.sources,
            similarity=1.0 if self.data in ("newsgroups", "own") else self.similarity,
            dimension=self.dimension,
            projection=self.projection,
            public_rows=self.public_rows,
            seed=self.seed,
            own=self.own if self.data == "own" else own_texts.NONE,
        )
        return Sources(
            where=where,
            labelled=self.source_rows,
            unlabelled=self.unlabelled_rows,
            target_rows=self.target_rows,
            lambda_lr=self.lambda_lr,
            lambda_iw=self.lambda_iw,
        )

    def target(self, mixture: tuple[float, ...] | None = None) -> Target:
        return Target(sources=self.model, mixture=mixture or self.shares)

    def target_at(self, dimension: int) -> Target:
        """The same target with rows of so many features."""
        model = replace(self.model, where=replace(self.model.where, dimension=dimension))
        return Target(sources=model, mixture=self.shares)

    def answers(
        self,
        *,
        epsilon: float | None = None,
        share: float | None = None,
        mixture: tuple[float, ...] | None = None,
        target: Target | None = None,
        most: int = 10**6,
    ) -> tuple[Answer, ...]:
        """What comes out at another epsilon, share of labels, mixture or target, for all repeats, some at once."""
        count = min(self.repeats, most)
        model = target.sources if target else self.model
        chunk = _CHUNK if model.where.dimension <= _WIDE else _CHUNK // 2
        if self.noise == "objective":
            chunk = 1  # the minima are found anew at each epsilon
        first = max(1, min(_FIRST, count, int(_FIRST_EFFORT / (model.effort * self.sources))))
        if (epsilon, mixture, target) != (None, None, None):
            first = min(first, chunk)
        starts = [0, *range(first, count, chunk), count]
        one = Answer(
            target=target or self.target(mixture),
            share=self.label_share if share is None else share,
            epsilon=self.epsilon if epsilon is None else epsilon,
            noise=self.noise,
            delta=self.delta,
            divergence=self.divergence,
            repeats=(),
        )
        pairs = pairwise(starts)
        return tuple(replace(one, repeats=tuple(range(*pair))) for pair in pairs if pair[0] < pair[1])

    @property
    def mixtures(self) -> tuple[tuple[float, ...], ...]:
        """The targets of the table: today's first."""
        K = self.sources
        usual = [
            (1.0, *[0.0] * (K - 1)),
            (0.5, 0.5, *[0.0] * (K - 2)),
            (*[0.0] * (K - 2), 0.25, 0.75),
            mixing.whole((1 / K,) * K),
        ]
        return tuple(dict.fromkeys([self.shares, *usual]))

    @cached_property
    def work(self) -> dict[Any, tuple[Any, ...]]:
        """What is asked -> the tasks that answer it."""
        first, *rest = self.answers()
        later = [one for answer in rest for one in answer.repeats]
        fits = [task for repeat in later for task in _fits(self.target(), repeat)]
        sketch = tuple(replace(self.answers(share=share)[0], essential=True) for share in (SHARES[0], SHARES[-1]))
        table = {}
        for mixture in self.mixtures:
            for level in LEVELS:
                table["table", mixture, level] = self.answers(mixture=mixture, epsilon=level, most=_TABLE)
        widths = {}
        for dimension in DIMENSIONS:
            there = self.target_at(dimension)
            fitted = (task for r in range(min(self.repeats, _WIDTHS)) for task in _fits(there, r))
            widths["width", dimension] = (RowsWork(where=there.sources.where), *fitted)
            for key, epsilon in (("dimension", self.epsilon), ("plain dimension", math.inf)):
                widths[key, dimension] = self.answers(epsilon=epsilon, target=there, most=_WIDTHS)
        others = [
            _target_work(self.target(mixture), r)
            for mixture in self.mixtures[1:]
            for r in range(min(self.repeats, _TABLE))
        ]
        return {
            "now": (replace(first, essential=True),),
            "sketch": sketch,
            "fits": tuple(fits),
            "more": tuple(rest),
            **{("epsilon", epsilon): self.answers(epsilon=epsilon) for epsilon in (*EPSILONS, math.inf)},
            **{("share", share): self.answers(share=share) for share in SHARES},
            **widths,
            "others": tuple(others),
            **table,
        }

    def tasks(self) -> tuple[Any, ...]:
        """Today's answer for a few repeats first, then for all, then the curves and the table."""
        return tuple(dict.fromkeys(task for tasks in self.work.values() for task in tasks))

    def result(self, outcomes: Mapping[Any, Any]) -> HypothesesResult:
        """Assemble what has been done; needs the essential tasks only."""
        found = {
            asked: [outcomes[task] for task in tasks if task in outcomes]
            for asked, tasks in self.work.items()
            if asked not in ("fits", "others", "sketch") and asked[0] != "width"
        }
        for task in self.work["sketch"]:
            # Until the curve over labels follows, its ends and today's point stand for it
            found["share", task.share] = found["share", task.share] or [outcomes[task]]
        found["share", self.label_share] = found["now"] + found["more"]
        return HypothesesResult(settings=self, found=found)

    def run(self) -> HypothesesResult:
        """All of it."""
        return run(self)


_CHOICES = {
    "data": domains.KINDS,
    "projection": domains.PROJECTIONS,
    "noise": NOISES,
    "divergence": DIVERGENCES,
}


def _fits(target: Target, repeat: int) -> tuple[SourceWork | TargetWork, ...]:
    """All that is fitted in a repeat, a slice each."""
    model = target.sources
    each = [SourceWork(model=model, repeats=(repeat,), group=group) for group in model.groups]
    return (*each, _target_work(target, repeat))


def _target_work(target: Target, repeat: int) -> TargetWork:
    return TargetWork(model=target, repeats=(repeat,))
