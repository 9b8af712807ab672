"""Hypothesis transfer from private sources: what a target with few labels can borrow [wang2019]."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

from dpcore import check
from dpcore.data import domains
from dpcore.parties.hypotheses import DIVERGENCES
from dpcore.parties.sources import NOISES, Budget
from dpcore.privacy import Guarantee, NormExponentialRelease
from lab import chunking
from lab.files import file_handles, own_texts
from lab.settings import Measure, Settings, Task
from pages.hypotheses import mixture as mixing
from pages.hypotheses.result import FEW_REPEATS, HypothesesResult
from pages.hypotheses.work import Answer, First, RowsWork, Sources, SourceWork, Target, TargetWork, Weighing, projected

MOST_SOURCES = 8
# Data -> (fewest, most) sources; those with topics have as many as they have topics.
SOURCES = {"domains": (2, 8), "topics": (2, 5), "reviews": (2, 4), "newsgroups": (2, 5), "own": (2, 8)}
# Data -> most rows (with labels, without, target): text has a fixed number of documents, from which repeats draw.
ROOM = {
    "domains": (4000, 4000, 3000),
    "topics": (1000, 1200, 1500),
    "reviews": (1000, 1200, 1500),
    "newsgroups": (800, 1000, 1000),
    "own": (4000, 4000, 3000),
}
# Of a user's own file: at least so many rows, and what each takes of the rows of the smallest source.
_OWN_LEAST, _OWN_PARTS = 40, (0.35, 0.35, 0.2)
WEIGHTS = tuple(f"weight_{place}" for place in range(1, MOST_SOURCES + 1))

# Field -> (lowest, highest) value that the settings accept.
LIMITS = {
    "epsilon": (0.1, 1000.0),
    "sources": (2, MOST_SOURCES),
    "label_share": (0.01, 0.5),
    "dimension": (2, 60),
    "similarity": (0.0, 1.0),
    "source_rows": (100, 4000),
    "unlabelled_rows": (100, 4000),
    "target_rows": (200, 3000),
    "public_rows": (200, 3000),
    "lambda_lr": (1e-4, 1.0),
    "lambda_iw": (1e-4, 1.0),
    "delta": (1e-9, 1e-2),
    "repeats": (2, 40),
    "seed": (0, 9999),
    **dict.fromkeys(WEIGHTS, (0.0, 1.0)),
}
ROWS = ("source_rows", "unlabelled_rows", "target_rows")
# Where the curves and the table are computed.
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
LEVELS = (1.0, 10.0, 100.0, math.inf)
# Numbers of features at which right answers are measured.
DIMENSIONS = (2, 5, 10, 20, 40, 60)
# Where all words are left, two laws of noise are held against each other, there and in so many public directions.
LAWS, DIRECTIONS = ("exponential", "gaussian"), 20
# Repeats of the first picture (fewer where even these take long), of one slice of work, and at most of the table.
_FIRST, _CHUNK, _TABLE = 3, 6, 12
_FIRST_EFFORT = 6e7
# What makes the noise of the sources' releases smaller.
_LESS_NOISE = ("epsilon", "delta")
# What brings their hypotheses closer to the truth.
_CLOSER = (*_LESS_NOISE, "source_rows")
# With more features than this, a slice has half as many.
_WIDE = 30


@dataclass(frozen=True, kw_only=True)
class HypothesesSettings(Settings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    data: one of ``domains.KINDS``.
    own: with data "own", an ``own_texts.Own``; of a plain string, the mere name of one, nothing can be computed.
    sources: K.
    epsilon: cost of a row of one source, in nats.
    label_share: of the target's rows, with labels.
    dimension: d', features after the public projection.
    projection: how a text is brought to so many features; "none" leaves all words, whatever ``dimension`` is.
    similarity: of the domains, from 0 to 1.
    source_rows: n_l, with labels, of each source.
    unlabelled_rows: n_ul, others, of each source.
    target_rows: of the target, with labels or without.
    public_rows: n_P.
    lambda_lr: regularisation of the hypotheses.
    lambda_iw: regularisation of the importance weights.
    noise: one of ``NOISES``.
    divergence: of Step 4.
    delta: with Gaussian noise.
    repeats: runs, each with other rows and other noise.
    seed: of rows and noise.
    weight_1, ..., weight_8: the target's share of each domain; those of the sources K sum to 1.
    mixture: the same in one word.
    """

    CHOICES: ClassVar = {
        "data": domains.KINDS,
        "projection": domains.PROJECTIONS,
        "noise": NOISES,
        "divergence": DIVERGENCES,
    }
    LIMITS: ClassVar = LIMITS
    MEASURES: ClassVar = {
        "accuracy": Measure.accuracy("accuracy of transfer", lambda now: now.of("transfer"), rises=_CLOSER),
        "gain": Measure(
            "gain over few labels only",
            "higher",
            lambda now: now.of("transfer") - now.of("weak"),
            rises=_CLOSER,
            unit="%",
            limits=(-1.0, 1.0),
        ),
        "error": Measure(
            "mean squared error of the weights", "lower", lambda now: now.error, rises=(*_LESS_NOISE, "unlabelled_rows")
        ),
    }
    TUNED: ClassVar = {"lambda_lr": (1e-4, 0.1), "lambda_iw": (1e-4, 0.1)}
    PEOPLE: ClassVar = "source_rows"
    COMMON: ClassVar = (
        "data",
        "own",
        "sources",
        "dimension",
        "projection",
        "similarity",
        "source_rows",
        "unlabelled_rows",
        "target_rows",
        "public_rows",
        "noise",
        "repeats",
        "seed",
        "mixture",
    )

    data: str = "domains"
    own: str = file_handles.NONE
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
        file_handles.named(self.own)
        super().__post_init__()
        if mixing.word(self.shares) != self.mixture or abs(math.fsum(self.shares) - 1) > 1e-3:
            raise check.RefusedError("mixture", self.mixture, "the weights, which sum to 1: change() keeps them so")

    def change(self, **changes: Any) -> Self:
        """These settings with ``changes``. A weight takes from the others, or gives to them, in proportion."""
        data = check.choice(domains.KINDS, data=changes.get("data", self.data))
        own = file_handles.named(changes.get("own", self.own)) if data == "own" else file_handles.NONE
        if (own, type(own)) != (self.own, type(self.own)):
            changes = changes | {"own": own}
        else:
            changes.pop("own", None)
        if {"data", "own", "sources"} & set(changes):
            changes = self._fitting(data, own, changes) | changes
        low, high = _most_sources(data, own)
        count = check.whole(low, high, sources=changes.get("sources", self.sources))
        shares = (*self.shares, *[0.0] * MOST_SOURCES)[:count]
        if "mixture" in changes:
            shares = mixing.read(str(changes["mixture"]), count)
        for place, name in enumerate(WEIGHTS):
            if name in changes and "mixture" not in changes:
                if place >= count and changes[name] == 0:
                    continue
                check.between(0, 1 if place < count else 0, **{name: changes[name]})
                shares = mixing.given(shares, place, float(changes[name]) + 0.0)  # no link has a minus zero
        shares = mixing.whole(shares)
        weights = dict.fromkeys(WEIGHTS, 0.0) | dict(zip(WEIGHTS, shares, strict=False))
        return replace(self, **changes | weights | {"mixture": mixing.word(shares)})

    def _fitting(self, data: str, own: str, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return what must be different where ``changes`` bring other data or another number of sources.

        Other data take the usual number of rows from a source, or what they have of them; a file that a link has only
        named keeps the link's numbers, as far as it has them.
        """
        low, high = _most_sources(data, own)
        count = changes.get("sources", min(max(self.sources, low), high))
        awaited = self.own != file_handles.NONE and not isinstance(self.own, own_texts.Own)
        fresh = "data" in changes or ("own" in changes and not awaited)
        found = {"sources": count}
        if isinstance(count, int) and low <= count <= high:
            for name, (least, most) in _most_rows(data, own, count).items():
                usual = getattr(type(self), name) if fresh and name != "target_rows" else least
                found[name] = min(max(getattr(self, name), usual), most)
        return found

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Field -> (lowest, highest) value, with what the data leave of them."""
        rows = _most_rows(self.data, self.own, self.sources)
        return self.LIMITS | rows | {"sources": _most_sources(self.data, self.own)}

    @property
    def private(self) -> bool:
        return self.data == "own"

    @property
    def preparation(self) -> str:
        """Lines that a script needs first: a file of the user's own must be there."""
        return own_texts.preparation() if self.private else ""

    @property
    def shares(self) -> tuple[float, ...]:
        """The target's share of each domain."""
        return tuple(getattr(self, name) for name in WEIGHTS[: self.sources])

    @property
    def budget(self) -> Budget:
        return self.part(Budget)

    @cached_property
    def model(self) -> Sources:
        """Return what the sources do, whatever the target is."""
        where = self.part(
            domains.Where,
            kind=self.data,
            similarity=1.0 if self.data in ("newsgroups", "own") else self.similarity,
            own=file_handles.key(self.own) if self.private else None,
        )
        return self.part(Sources, where=where, labelled=self.source_rows, unlabelled=self.unlabelled_rows)

    def target(self, mixture: tuple[float, ...] | None = None) -> Target:
        return Target(sources=self.model, mixture=mixture or self.shares)

    def target_at(self, dimension: int) -> Target:
        """The same target with rows of so many features, by main directions where today there is no projection."""
        projection = "svd" if self.projection == "none" else self.projection
        model = replace(self.model, where=replace(self.model.where, dimension=dimension, projection=projection))
        return Target(sources=model, mixture=self.shares)

    @property
    def projected(self) -> bool:
        """Return whether rows have few features; known before there are any rows."""
        return projected(self.data, self.projection)

    @property
    def widths(self) -> int:
        """Return the numbers of features at which accuracy is measured."""
        return len(DIMENSIONS) + (not self.projected)

    def answers(
        self,
        *,
        epsilon: float | None = None,
        noise: str | None = None,
        share: float | None = None,
        mixture: tuple[float, ...] | None = None,
        target: Target | None = None,
        most: int = 10**6,
    ) -> tuple[Answer, ...]:
        """Return what comes out at another epsilon, noise, share of labels, mixture or target: all repeats, some at
        once."""
        count = min(self.repeats, most)
        model = target.sources if target else self.model
        chunk = self._chunk(model)
        first = max(1, min(_FIRST, count, int(_FIRST_EFFORT / (model.effort * self.sources))))
        if (epsilon, mixture, target) != (None, None, None):
            first = min(first, chunk)
        starts = [0, *range(first, count, chunk), count]
        budget = replace(self.budget, epsilon=epsilon or self.epsilon, noise=noise or self.noise)
        whose = {"target": target or self.target(mixture), "budget": budget, "divergence": self.divergence}
        labels = self.label_share if share is None else share
        return tuple(
            Answer(weighing=Weighing(**whose, repeats=tuple(range(*pair))), share=labels)
            for pair in pairwise(starts)
            if pair[0] < pair[1]
        )

    def _chunk(self, model: Sources) -> int:
        """Return how many repeats are answered at once."""
        if self.noise == "objective" or not model.projected:
            return 1  # the minima are found anew at each epsilon, or each takes long
        return _CHUNK if model.where.dimension <= _WIDE else _CHUNK // 2

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
        """Return what is asked -> the tasks that answer it."""
        first, *rest = self.answers()
        later = [one for answer in rest for one in answer.weighing.repeats]
        fits = [task for repeat in later for task in _fits(self.target(), repeat)]
        sketch = tuple(replace(self.answers(share=share)[0], essential=True) for share in (SHARES[0], SHARES[-1]))
        # With all words a repeat takes long: a few of each epsilon come before all of today's.
        draft = () if self.projected else tuple(self.answers(epsilon=epsilon)[0] for epsilon in EPSILONS)
        table = {}
        for mixture in self.mixtures:
            for level in LEVELS:
                table["table", mixture, level] = self.answers(mixture=mixture, epsilon=level, most=_TABLE)
        widths = {}
        for dimension in DIMENSIONS:
            there = self.target_at(dimension)
            fitted = (task for r in range(min(self.repeats, FEW_REPEATS)) for task in _fits(there, r))
            widths["width", dimension] = (RowsWork(where=there.sources.where), *fitted)
            for key, epsilon in (("dimension", self.epsilon), ("plain dimension", math.inf)):
                widths[key, dimension] = self.answers(epsilon=epsilon, target=there, most=FEW_REPEATS)
        others = [
            _target_work(self.target(mixture), r)
            for mixture in self.mixtures[1:]
            for r in range(min(self.repeats, _TABLE))
        ]
        return {
            "now": (replace(first, essential=True),),
            "sketch": sketch,
            "plain": self.answers(epsilon=math.inf)[:1],
            "draft": draft,
            "fits": tuple(fits),
            "more": tuple(rest),
            **{("epsilon", epsilon): self.answers(epsilon=epsilon) for epsilon in (*EPSILONS, math.inf)},
            **{("share", share): self.answers(share=share) for share in SHARES},
            **widths,
            **self._laws,
            "others": tuple(others),
            **table,
        }

    @property
    def _laws(self) -> dict[Any, tuple[Answer, ...]]:
        """Over epsilon, with all words and in a few public directions: ("law", noise, features or 0, epsilon)."""
        if self.projected:
            return {}
        return {
            ("law", noise, few, epsilon): self.answers(
                epsilon=epsilon, noise=noise, target=self.target_at(few) if few else None, most=FEW_REPEATS
            )
            for few in (0, DIRECTIONS)
            for noise in LAWS
            for epsilon in EPSILONS
        }

    def schedule(self) -> Iterable[Task]:
        """Today's answer for a few repeats first, also without noise, then for all, then the curves and the table."""
        return (task for tasks in self.work.values() for task in tasks)

    @property
    def promise(self) -> Guarantee:
        held = self.budget.guarantee
        if self.noise != "exponential":
            return held
        dimension = domains.world(self.model.where).public.shape[1]
        return replace(held, event=NormExponentialRelease(epsilon=self.epsilon, dimension=dimension))

    def probe(self) -> Answer:
        """Today's answer, for as many repeats as the first picture has."""
        return self.answers()[0]

    def samples(self) -> tuple[Answer, ...]:
        return self.work["now"] + self.work["more"]

    def sample(self, count: int) -> tuple[Answer | First, ...]:
        own = self.samples()
        parts = chunking.sample([_range(one) for one in own], count, each=1.0, most=self._chunk(self.model))
        wholes = (
            replace(own[0], weighing=replace(own[0].weighing, repeats=tuple(part)), essential=not part.start)
            for part, _ in parts
        )
        return tuple(
            one if given == len(part) else First(answer=one, given=given)
            for one, (part, given) in zip(wholes, parts, strict=True)
        )

    def result(self, outcomes: Mapping[Task, Any]) -> HypothesesResult:
        """Assemble what has been done; needs the essential tasks only."""
        found = {
            asked: [outcomes[task] for task in tasks if task in outcomes]
            for asked, tasks in self.work.items()
            if asked not in ("fits", "others", "sketch", "plain") and asked[0] != "width"
        }
        for task in self.work["sketch"]:
            # Until the curve over labels follows, its ends and today's point stand for it
            found["share", task.share] = found["share", task.share] or [outcomes[task]]
        found["share", self.label_share] = found["now"] + found["more"]
        if not self.projected:
            words = domains.world(self.model.where).features
            found["dimension", words] = found["share", self.label_share]
            found["plain dimension", words] = found["epsilon", math.inf]
        return HypothesesResult(settings=self, found=found)


def _range(answer: Answer) -> range:
    return range(answer.weighing.repeats[0], answer.weighing.repeats[-1] + 1)


def _fits(target: Target, repeat: int) -> tuple[SourceWork | TargetWork, ...]:
    """All that is fitted in a repeat, a slice each."""
    model = target.sources
    each = [SourceWork(model=model, repeats=(repeat,), group=group) for group in model.groups]
    return (*each, _target_work(target, repeat))


def _target_work(target: Target, repeat: int) -> TargetWork:
    return TargetWork(model=target, repeats=(repeat,))


def _most_sources(data: str, own: str) -> tuple[int, int]:
    """(fewest, most) sources."""
    low, high = SOURCES[data]
    if data == "own" and isinstance(own, own_texts.Own):
        split = [count for count in range(low, high + 1) if own.smallest_source(count) >= own_texts.LEAST_ROWS]
        high = own.sources or max(split, default=low)
    return low, high


def _most_rows(data: str, own: str, count: int) -> dict[str, tuple[int, int]]:
    """Number of rows -> (lowest, highest), so that the smallest source has all that is asked of it.

    Of a file that only has a name, as in another's link, nothing is known: all that some file could allow.
    """
    lows, highs = [LIMITS[name][0] for name in ROWS], ROOM[data]
    if data == "own" and own != file_handles.NONE:
        lows = [_OWN_LEAST] * len(ROWS)
    if data == "own" and isinstance(own, own_texts.Own):
        room = own.smallest_source(count)
        highs = [min(int(part * room), most) for part, most in zip(_OWN_PARTS, highs, strict=True)]
    return {name: pair for name, *pair in zip(ROWS, lows, highs, strict=True)}
