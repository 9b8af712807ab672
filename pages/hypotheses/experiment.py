"""Hypothesis transfer from private sources: what a target with few labels can borrow [wang2019]."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from lab.experiment import chunking
from lab.experiment.computing_settings import ComputingSettings
from lab.experiment.parts import Runs, slices
from lab.experiment.settings import Task
from pages.hypotheses.result import Found, HypothesesResult, Question
from pages.hypotheses.settings import (
    DIMENSIONS,
    DIRECTIONS,
    EPSILONS,
    FEW_REPEATS,
    LAWS,
    LEVELS,
    SHARES,
    HypothesesParameters,
)
from pages.hypotheses.tasks import (
    Outcome,
    Sources,
    Target,
    Transfer,
    fit_sources,
    fit_target,
    make_rows,
    transfer,
)

# Repeats of the first picture (fewer where even these take long), of one slice of work, and at most
# of the table.
_FIRST, _CHUNK, _TABLE = 3, 6, 12
_FIRST_EFFORT = 3e7
# With more features than this, a slice has half as many.
_WIDE = 30

Answer = Runs[Transfer, Outcome]


@dataclass(frozen=True, kw_only=True)
class HypothesesSettings(HypothesesParameters, ComputingSettings):
    """All that decides what the page shows, with the work that it takes."""

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
        """Return what comes out at another epsilon, noise, share of labels, mixture or target: all
        repeats, some at once.
        """
        count = min(self.repeats, most)
        model = target.sources if target else self.model
        chunk = self._chunk(model)
        first = max(1, min(_FIRST, count, int(_FIRST_EFFORT / (model.effort * self.sources))))
        if (epsilon, mixture, target) != (None, None, None):
            first = min(first, chunk)
        asked = Transfer(
            target=target or self.target(mixture),
            budget=replace(self.budget, epsilon=epsilon or self.epsilon, noise=noise or self.noise),
        )
        parts = range(first), *chunking.cut(first, count, each=1.0, most=chunk)
        return slices(transfer, asked, (self.label_share if share is None else share,), parts)

    def _chunk(self, model: Sources) -> int:
        """Return how many repeats are answered at once."""
        if self.noise == "objective" or not model.projected:
            return 1  # the minima are found anew at each epsilon, or each takes long
        return _CHUNK if model.where.dimension <= _WIDE else _CHUNK // 2

    @cached_property
    def work(self) -> dict[Question, tuple[Answer, ...]]:
        """Return each question -> the tasks that answer it, most urgent first."""
        over_epsilon = {
            ("epsilon", epsilon): self.answers(epsilon=epsilon) for epsilon in (*EPSILONS, math.inf)
        }
        over_shares = {("share", share): self.answers(share=share) for share in SHARES}
        over_dimensions = {
            (over, dimension): self.answers(
                epsilon=epsilon, target=self.target_at(dimension), most=FEW_REPEATS
            )
            for dimension in DIMENSIONS
            for over, epsilon in (("dimension", self.epsilon), ("plain dimension", math.inf))
        }
        # Without a projection, with all words (0) and in a few public directions
        laws = {
            ("law", noise, few, epsilon): self.answers(
                epsilon=epsilon,
                noise=noise,
                target=self.target_at(few) if few else None,
                most=FEW_REPEATS,
            )
            for few in (() if self.projected else (0, DIRECTIONS))
            for noise in LAWS
            for epsilon in EPSILONS
        }
        table = {
            ("table", mixture, level): self.answers(mixture=mixture, epsilon=level, most=_TABLE)
            for mixture in self.mixtures
            for level in LEVELS
        }
        return {**over_epsilon, **over_shares, **over_dimensions, **laws, **table}

    def schedule(self) -> Iterator[Task]:
        """Today's answer for a few repeats first, also without noise, then for all, then the curves
        and the table.
        """
        first, *later = self.samples()
        yield first
        # Until the curve over labels follows, its ends and today's point stand for it
        yield from (
            replace(self.work["share", share][0], essential=True)
            for share in (SHARES[0], SHARES[-1])
        )
        yield self.work["epsilon", math.inf][0]
        if (
            not self.projected
        ):  # a repeat takes long: a few of each epsilon come before all of today's
            yield from (self.work["epsilon", epsilon][0] for epsilon in EPSILONS)
        yield from _fits(self.target(), range(first.count, self.repeats))
        yield from later
        for (over, *place), tasks in self.work.items():
            there = tasks[0].model.target
            if over == "dimension":
                yield Runs(work=make_rows, model=there.sources, count=1)
                yield from _fits(there, range(min(self.repeats, FEW_REPEATS)))
            if over == "table" and place == [
                self.mixtures[1],
                LEVELS[0],
            ]:  # the rows of a repeat are drawn once for all
                others = [self.target(mixture) for mixture in self.mixtures[1:]]
                yield from (
                    _target_fit(one, repeat)
                    for repeat in range(min(self.repeats, _TABLE))
                    for one in others
                )
            yield from tasks

    def probe(self) -> Answer:
        """Return today's answer, for as many repeats as the first picture has."""
        return self.samples()[0]

    def samples(self) -> tuple[Answer, ...]:
        first, *later = self.answers()
        return replace(first, essential=True), *later

    def sample(self, count: int) -> tuple[Answer, ...]:
        own = self.samples()
        parts = chunking.sample(
            [one.repeats for one in own], count, each=1.0, most=self._chunk(self.model)
        )
        return tuple(
            replace(
                own[0],
                first=part.start,
                count=len(part),
                given=given if given < len(part) else None,
            )
            for part, given in parts
        )

    def result(self, outcomes: Mapping[Any, Any]) -> HypothesesResult:
        asked = self.work | {("share", self.label_share): self.samples()}
        if not self.projected:
            words = self.model.world.features
            asked |= {
                ("dimension", words): self.samples(),
                ("plain dimension", words): asked["epsilon", math.inf],
            }
        return HypothesesResult(
            settings=self,
            found={question: Found.of(tasks, outcomes) for question, tasks in asked.items()},
        )


def _fits(target: Target, repeats: range) -> Iterator[Task]:
    """Yield the tasks of all that is fitted in some repeats, a slice each."""
    for repeat in repeats:
        for group in target.sources.groups:
            yield Runs(work=fit_sources, model=target.sources, at=group, first=repeat, count=1)
        yield _target_fit(target, repeat)


def _target_fit(target: Target, repeat: int) -> Task:
    return Runs(work=fit_target, model=target, first=repeat, count=1)
