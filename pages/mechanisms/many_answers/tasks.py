"""Many noisy answers about the same people: how many of their secret bits an attacker recovers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from dpcore import accountants
from dpcore.cache import Key
from dpcore.privacy import Adjacency, Guarantee
from lab.experiment.parts import Grid, Runs, slices
from pages.mechanisms.many_answers import reconstruction

PEOPLE, REPEATS = 100, 20
CURVE = (10, 30, 60, 100, 150, 200, 300, 400, 600, 1000)
_AT_ONCE = 4  # repeats of a task
# The error that nine answers in ten keep, in standard deviations of Gaussian noise.
_NINE_IN_TEN = float(ndtri(0.95))


@dataclass(frozen=True, kw_only=True)
class Asked(Key):
    """All that decides who is recovered, but for the number of questions.

    Repeat 0 is the one that is drawn.
    """

    noise_sd: float
    seed: int


def recovered(model: Asked, at: tuple[int, ...], repeats: range) -> np.ndarray:
    """Return the share (V, R) of right guesses after each number of questions."""
    surveys = [_drawn(model, max(at), repeat) for repeat in repeats]
    return np.array(
        [[one.recovered(count, noise_sd=model.noise_sd).mean() for one in surveys] for count in at]
    )


def _drawn(model: Asked, questions: int, repeat: int = 0) -> reconstruction.Survey:
    return reconstruction.Survey.draw(PEOPLE, questions, seed=model.seed, index=repeat)


def probe(settings: Any) -> Runs[Asked, np.ndarray]:
    """Return the share recovered now, in each repeat."""
    (task,) = slices(recovered, settings.subset(Asked), (settings.questions,), [range(REPEATS)])
    return task


def tasks(settings: Any) -> Iterator[Runs[Asked, np.ndarray]]:
    model = settings.subset(Asked)
    yield Runs(work=recovered, model=model, at=(settings.questions,), count=1, essential=True)
    yield probe(settings)
    yield from _curve(model)


def _curve(model: Asked) -> tuple[Runs[Asked, np.ndarray], ...]:
    parts = [range(first, first + _AT_ONCE) for first in range(0, REPEATS, _AT_ONCE)]
    return slices(recovered, model, CURVE, parts, width=len(CURVE))


def result(settings: Any, outcomes: Mapping[Any, Any]) -> "ManyAnswers":
    model = settings.subset(Asked)
    first, whole, *curve = tasks(settings)
    now = outcomes.get(whole, outcomes[first])[0]
    return ManyAnswers(
        settings=settings,
        now=now,
        curve=Grid.of(CURVE, curve, outcomes, repeats=REPEATS),
        model=model,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ManyAnswers:
    """What a page shows. now: share of right guesses (R,) in each repeat; curve: the same over
    numbers of questions.
    """

    settings: Any
    model: Asked
    now: np.ndarray
    curve: Grid

    @cached_property
    def right(self) -> np.ndarray:
        """Return for whom (100,) the guess is right, in the repeat that is drawn."""
        asked = self.settings.questions
        return _drawn(self.model, asked).recovered(asked, noise_sd=self.model.noise_sd)

    @property
    def error(self) -> float:
        """Return the error that nine answers in ten keep, up or down."""
        return _NINE_IN_TEN * self.model.noise_sd

    @property
    def many(self) -> int:
        """Return how many guesses are right."""
        return int(self.right.sum())

    @property
    def median(self) -> float:
        """Return the median share of right guesses."""
        return float(np.median(self.now))

    @cached_property
    def guarantee(self) -> Guarantee:
        """Return what all answers together guarantee each person."""
        event = reconstruction.event(self.settings.questions, noise_sd=self.model.noise_sd)
        return accountants.account(
            event, delta=self.settings.delta, adjacency=Adjacency.REPLACE_ONE, unit="person"
        )

    @property
    def expected(self) -> float:
        """Return the share that unweighted least squares recovers; NaN where there are too few
        questions.
        """
        return reconstruction.expected_share(
            PEOPLE, self.settings.questions, noise_sd=self.model.noise_sd
        )

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return the downloads, by name."""
        people = {"person": np.arange(1, PEOPLE + 1), "right": self.right}
        return {
            "People": lambda: pd.DataFrame(people),
            "Recovered": lambda: self.curve.quantiles(over="questions"),
        }
