"""Membership inference: many models, each trained on a half of the same people, and an attacker who
guesses the halves.

Two attacks on every pair of a model and a person. Loss threshold: "in" where the model's loss on
the person is low [yeom2018]. Likelihood ratio with shadow models: the logit of being right, as it
is spread over the other models that held the person, and over those that did not [carlini2022];
here all models are each other's shadows.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logsumexp, ndtr, ndtri

from dpcore.accountants import gdp
from dpcore.streams import normal_steps, stream
from dpcore.training import losses
from lab.experiment import chunking
from lab.experiment.parts import Runs
from lab.statistics.claims import Case, compare
from pages.attack.inputs import PrivateRecipe, Recipe
from pages.attack.settings import AttackParameters

ATTACKS = ("likelihood ratio", "loss threshold")
COLUMNS = ("model", "attack", "found at 1 %", "found at 0.1 %", "advantage")
MODELS, _AT_ONCE = 128, 16
# The model without privacy takes more and longer steps: it learns its rows by heart.
PLAIN_STEPS, PLAIN_RATE = 4, 2.0
RATES = np.concatenate([np.logspace(-3, -1, 41), np.linspace(0.11, 1, 45)])


@dataclass(frozen=True, kw_only=True)
class Plain(Recipe):
    """Models without privacy. members: the rows that each is trained on, of twice as many."""

    members: int
    more_steps: ClassVar[int] = PLAIN_STEPS
    more_rate: ClassVar[float] = PLAIN_RATE

    @property
    def cells(self) -> float:
        """Return the work of one model, which is trained on all people's rows and hears the
        members'.
        """
        outputs, inputs, steps = (
            losses.outputs(self.classes),
            self.features + 1,
            self.steps * self.more_steps,
        )
        return chunking.cells(rows=2 * self.members, outputs=outputs, inputs=inputs, steps=steps)


@dataclass(frozen=True, kw_only=True)
class Private(PrivateRecipe, Plain):
    """Models with noise for ``epsilon``, on as many rows."""

    epsilon: float
    more_steps: ClassVar[int] = 1
    more_rate: ClassVar[float] = 1.0


ARMS: Mapping[str, type[Plain]] = {"private": Private, "plain": Plain}


class Shadows(NamedTuple):
    """Of those who have a class. members (R, n): who was in. margins (R, n): the logit of the right
    class. right (R, 2): share of right answers on members and on others.
    """

    members: np.ndarray
    margins: np.ndarray
    right: np.ndarray


def shadows(model: Plain, _: tuple[()], models: range) -> Shadows:
    split, people = model.split, 2 * model.members
    known = split.y_private[:people] >= 0
    X, y = losses.examples(split.X_private[:people], split.y_private[:people])
    members = np.stack(
        [stream(model.seed, "audit", r).permutation(people) < model.members for r in models]
    )
    weights = _descended(model, X.astype(np.float32), y, members, models)
    X, y, members = X[known], y[known], members[:, known]
    z = losses.logits(weights.astype(float), X)
    right = losses.predict(weights, X.astype(np.float32)) == y
    shares = [
        (right & who).sum(axis=1) / np.maximum(who.sum(axis=1), 1) for who in (members, ~members)
    ]
    return Shadows(members, _margins(z, y), np.stack(shares, axis=1))


def _descended(
    model: Plain, X: np.ndarray, y: np.ndarray, members: np.ndarray, models: range
) -> np.ndarray:
    """Return weights (R, k, p) of descents, model r on the rows of members[r] alone."""
    private = model if isinstance(model, Private) else None
    weights = np.zeros((len(models), losses.outputs(model.classes), X.shape[1]), np.float32)
    rate, steps = np.float32(model.learning_rate * model.more_rate), model.steps * model.more_steps
    sd = np.float32(private.noise_sd(private.epsilon, rows=model.members) if private else 0.0)
    lengths = np.linalg.norm(X, axis=1)
    kept = members[:, None].astype(np.float32) / np.float32(model.members)
    draws = models if private else ()
    for drawn in normal_steps(
        model.seed, "noise", draws, steps=steps, shape=weights.shape[1:], dtype=np.float32
    ):
        residual = losses.residuals(losses.logits(weights, X), y).astype(np.float32)
        if private:
            norms = np.linalg.norm(residual, axis=1, keepdims=True) * lengths
            residual *= np.minimum(1, private.clip_norm / np.maximum(norms, 1e-30))
        weights -= rate * ((residual * kept) @ X)
        if private:
            weights -= rate * sd * drawn
    return weights


def _margins(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return ln(p / (1 - p)) of the right class (R, n), from logits (R, k, n)."""
    if z.shape[1] == 1:
        return z[:, 0] * (2 * y - 1)
    own = np.take_along_axis(z, np.broadcast_to(y, (len(z), 1, len(y))), axis=1)[:, 0]
    others = np.where(np.arange(z.shape[1])[:, None] == y, -np.inf, z)
    return own - logsumexp(others, axis=1)


def ratio_scores(members: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Return the log-likelihood ratio (R, n) of each model's margin.

    It is normal with the mean of the *other* models that held the person, against those that did
    not; the spread, within the two, is pooled over both.
    """
    total = 0.0
    means, squares = [], []
    for who in (members, ~members):
        count = who.sum(axis=0)
        mean = np.where(who, margins, 0).sum(axis=0) / np.maximum(count, 1)
        centred = np.where(who, margins - mean, 0)
        squares.append((centred**2).sum(axis=0))
        # without the model's own margin: (count * mean - own) / (count - 1)
        means.append(np.where(who, mean - centred / np.maximum(count - 1, 1), mean))
        total = total + count
    variance = np.maximum(sum(squares) / np.maximum(total - 2, 1), 1e-12)
    return ((margins - means[1]) ** 2 - (margins - means[0]) ** 2) / (2 * variance)


def roc(scores: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the share of members found at each share of false alarms of ``RATES``."""
    inside, outside = np.sort(scores[members]), np.sort(scores[~members])
    # The threshold above which at most this share of the outside lies: never more false alarms than
    # it says.
    allowed = np.floor(RATES * len(outside)).astype(int)
    threshold = np.append(-np.inf, outside)[len(outside) - allowed]
    return 1 - np.searchsorted(inside, threshold, side="right") / len(inside)


def frontier(rates: np.ndarray, *, epsilon: float, delta: float) -> pd.DataFrame:
    """Return what no attack can pass: by (epsilon, delta) [kairouz2015, Theorem 2.1], and by the
    Gaussian noise at hand.
    """
    with np.errstate(over="ignore"):
        grown = math.exp(min(epsilon, 700)) * rates + delta
    promised = np.minimum(np.minimum(grown, 1 - math.exp(-epsilon) * (1 - delta - rates)), 1)
    mu = gdp.mu_of(epsilon, delta=delta)
    return pd.DataFrame(
        {"false alarms": rates, "promised": promised, "gaussian": ndtr(ndtri(rates) + mu)}
    )


def _slices(settings: AttackParameters, arm: str) -> Iterator[Runs[Plain, Shadows]]:
    model = ARMS[arm].of(settings)
    first = chunking.first(_AT_ONCE, each=len(ARMS) * model.cells, least=4)
    yield Runs(work=shadows, model=model, count=first, essential=True)
    for part in chunking.cut(first, MODELS, each=model.cells, most=_AT_ONCE):
        yield Runs(work=shadows, model=model, first=part.start, count=len(part))


def tasks(settings: AttackParameters) -> list[Any]:
    pairs = zip_longest(*(_slices(settings, arm) for arm in ARMS))
    return [task for pair in pairs for task in pair if task is not None]


def result(settings: AttackParameters, outcomes: Mapping[Any, Any]) -> "MembersResult":
    found = {}
    for arm in ARMS:
        done = [outcomes[task] for task in _slices(settings, arm) if task in outcomes]
        found[arm] = Shadows(*(np.concatenate(parts) for parts in zip(*done, strict=True)))
    return MembersResult(settings=settings, shadows=found)


@dataclass(frozen=True, kw_only=True, eq=False)
class MembersResult:
    settings: AttackParameters
    shadows: dict[str, Shadows]

    @cached_property
    def curves(self) -> dict[tuple[str, str], np.ndarray]:
        """Return (arm, attack) -> share of members found at each of ``RATES``."""
        found = {}
        for arm, (members, margins, _) in self.shadows.items():
            found[arm, ATTACKS[0]] = roc(ratio_scores(members, margins), members)
            found[arm, ATTACKS[1]] = roc(margins, members)
        return found

    @cached_property
    def frontier(self) -> pd.DataFrame:
        return frontier(RATES, epsilon=self.settings.epsilon, delta=self.settings.delta)

    @property
    def complete(self) -> bool:
        return all(len(one.members) == MODELS for one in self.shadows.values())

    def found_by_model(self, arm: str) -> np.ndarray:
        """Return the share of its members (R,) found in each model, at one false alarm in 100 over
        all models.
        """
        members, margins, _ = self.shadows[arm]
        scores = ratio_scores(members, margins)
        outside = np.sort(scores[~members])
        above = scores > outside[-1 - int(0.01 * len(outside))]
        return (above & members).sum(axis=1) / np.maximum(members.sum(axis=1), 1)

    @cached_property
    def more_found(self) -> Case:
        """Return what may be said of the members found without privacy beside those found in the
        private models.
        """
        plain, private = (self.found_by_model(arm) for arm in ("plain", "private"))
        return compare(plain, private, complete=self.complete)

    @cached_property
    def memory(self) -> Case:
        """Return what may be said of right answers on members beside those on others, without
        privacy.
        """
        return compare(*self.shadows["plain"].right.T, complete=self.complete)

    def right(self, arm: str) -> tuple[float, float]:
        members, others = np.median(self.shadows[arm].right, axis=0)
        return float(members), float(others)

    def margins(self, arm: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the logits of being right, of members and of others."""
        members, margins, _ = self.shadows[arm]
        return margins[members], margins[~members]

    def at(self, arm: str, attack: str, rate: float) -> float:
        return float(self.curves[arm, attack][np.abs(RATES - rate).argmin()])

    def advantage(self, arm: str, attack: str) -> float:
        """Return the largest difference between members found and false alarms."""
        return float(np.maximum(self.curves[arm, attack] - RATES, 0).max())

    def allowed(self, rate: float) -> float:
        """Return what the guarantee allows at this share of false alarms: by its Gaussian noise,
        the sharper bound.
        """
        return float(self.frontier["gaussian"][np.abs(RATES - rate).argmin()])

    def table(self) -> pd.DataFrame:
        rows = []
        for arm, attack in self.curves:
            members, others = self.right(arm)
            found = [self.at(arm, attack, rate) for rate in (0.01, 0.001)]
            rows.append((arm, attack, *found, self.advantage(arm, attack), members, others))
        return pd.DataFrame(rows, columns=[*COLUMNS, "right on members", "right on others"])

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        return {"Attacks": self.table, "ROC": self.roc}

    def roc(self) -> pd.DataFrame:
        curves = {f"{arm}, {attack}": curve for (arm, attack), curve in self.curves.items()}
        return self.frontier.assign(**curves)
