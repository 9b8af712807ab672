"""What the page of hypotheses shows: weights, accuracies, curves, a table, and two coordinates."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore import domains
from dpcore.experiments.classifier import Spread
from dpcore.experiments.hypotheses_work import METHODS, Outcome, source_fit
from dpcore.parties import importance, sources
from dpcore.privacy import Guarantee

if TYPE_CHECKING:
    from dpcore.experiments.hypotheses import HypothesesSettings

# The sizes of the paper's two data sets: features.
PUBLISHED_FEATURES = {"20 Newsgroups": 5588, "Amazon reviews": 2969}
_DIMENSIONS = np.unique(np.geomspace(2, 6000, 40).round().astype(int))
_QUANTILES = (0.05, 0.5, 0.95)


class Curve(NamedTuple):
    """Places (m,), and the 5 %, 50 % and 95 % quantiles of the repeats (3, m)."""

    at: np.ndarray
    quantiles: np.ndarray


class Noise(NamedTuple):
    """Numbers of features, and the sd of the noise on a row's margin and on the logarithm of its weight."""

    dimension: np.ndarray
    margin: np.ndarray
    weight: np.ndarray


class Plane(NamedTuple):
    """Two coordinates of what is released: names, released hypotheses (R, K, 2), and without noise (K, 2), medians of
    prior and posterior (2,) and of their spread."""

    coordinates: tuple[int, int]
    released: np.ndarray
    plain: np.ndarray
    prior: np.ndarray
    prior_sd: np.ndarray
    posterior: np.ndarray
    posterior_sd: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class HypothesesResult:
    """The settings, and what is asked -> the outcomes that are there."""

    settings: "HypothesesSettings"
    found: Mapping[Any, list[Outcome]]

    def _joined(self, outcomes: list[Outcome], name: str, axis: int) -> np.ndarray:
        return np.concatenate([getattr(one, name) for one in outcomes], axis=axis)

    @property
    def now(self) -> list[Outcome]:
        """Today's outcomes, of the repeats that are there."""
        return self.found["now"] + self.found["more"]

    @cached_property
    def weights(self) -> np.ndarray:
        """Hypothesis weights (R, K)."""
        return self._joined(self.now, "weights", 0)

    @cached_property
    def accuracy(self) -> dict[str, np.ndarray]:
        """Method -> share of right answers (R,) on the target's test rows."""
        return dict(zip(METHODS, self._joined(self.now, "accuracy", 1), strict=True))

    @property
    def repeats(self) -> int:
        """How many repeats are there."""
        return len(self.weights)

    @cached_property
    def summary(self) -> dict[str, Spread]:
        """Method -> the spread of its right answers."""
        return {name: _spread(values) for name, values in self.accuracy.items()}

    @cached_property
    def gain(self) -> dict[str, Spread]:
        """Method -> what it gains over the target's own few labels, repeat by repeat."""
        return {name: _spread(values - self.accuracy["weak"]) for name, values in self.accuracy.items()}

    @property
    def harmed(self) -> float:
        """Share of repeats in which transfer is worse than nothing borrowed."""
        return float((self.accuracy["transfer"] < self.accuracy["weak"]).mean())

    @cached_property
    def weight_spread(self) -> np.ndarray:
        """Quantiles (3, K) of the hypothesis weights."""
        return np.quantile(self.weights, _QUANTILES, axis=0)

    @property
    def error(self) -> Spread:
        """Mean squared error of the hypothesis weights."""
        return _spread(self._errors(self.now))

    def _errors(self, outcomes: list[Outcome]) -> np.ndarray:
        return ((self._joined(outcomes, "weights", 0) - np.array(self.settings.shares)) ** 2).mean(axis=1)

    def _places(self, over: str) -> list[tuple[float, list[Outcome]]]:
        """(place, outcomes) on the way over "epsilon" or "share", where there are any."""
        pairs = [(key[1], done) for key, done in self.found.items() if isinstance(key, tuple) and key[0] == over]
        return sorted(
            ((place, done) for place, done in pairs if done and math.isfinite(place)), key=lambda pair: pair[0]
        )

    def curve(self, method: str, over: str) -> Curve:
        """Right answers of a method over "epsilon" or "share"."""
        row = METHODS.index(method)
        return _curve(self._places(over), lambda done: self._joined(done, "accuracy", 1)[row])

    def dimension_curve(self, method: str, *, plain: bool = False) -> Curve:
        """Right answers of a method over the number of features; ``plain``: where nothing has noise."""
        row, key = METHODS.index(method), "plain dimension" if plain else "dimension"
        return _curve(self._places(key), lambda done: self._joined(done, "accuracy", 1)[row])

    @property
    def noise_share(self) -> tuple[np.ndarray, np.ndarray]:
        """(numbers of features, the noise's share of a released margin): noise^2 / (noise^2 + signal^2), the median."""
        found = self._places("dimension")
        shares = []
        for _, done in found:
            signal, noise = self._joined(done, "margins", 0).T
            shares.append(float(np.median(noise**2 / (noise**2 + signal**2))))
        return np.array([place for place, _ in found]), np.array(shares)

    @property
    def measured_noise(self) -> float:
        """What the noise does to a margin now (root of the mean square), whatever kind of noise it is."""
        return float(np.median(self._joined(self.now, "margins", 0)[:, 1]))

    @property
    def equal_error(self) -> float:
        """Mean squared error of the same weight for all sources."""
        return float(np.mean((np.array(self.settings.shares) - 1 / self.settings.sources) ** 2))

    @property
    def prior_spread(self) -> float:
        """The usual standard deviation of the prior: the median over features and repeats."""
        return float(np.median(np.concatenate([one.prior_sd.ravel() for one in self.now])))

    @property
    def error_curve(self) -> Curve:
        """Mean squared error of the weights over epsilon."""
        return _curve(self._places("epsilon"), self._errors)

    @property
    def plain_error(self) -> float:
        """Median error of the weights without noise; NaN where it is still to be computed."""
        done = self.found.get(("epsilon", math.inf), [])
        return float(np.median(self._errors(done))) if done else math.nan

    def plain(self, method: str) -> float:
        """Median right answers of a method where nothing has noise; NaN where it is still to be computed."""
        done = self.found.get(("epsilon", math.inf), [])
        return float(np.median(self._joined(done, "accuracy", 1)[METHODS.index(method)])) if done else math.nan

    @cached_property
    def sensitivities(self) -> tuple[float, float]:
        """L2 sensitivity of a hypothesis and of a tilt."""
        settings = self.settings
        return (
            sources.hypothesis_sensitivity(settings.source_rows, settings.lambda_lr),
            importance.sensitivity(settings.unlabelled_rows, settings.lambda_iw),
        )

    def noise_at(self, dimension: int, *, epsilon: float | None = None) -> tuple[float, float]:
        """Sd of the noise on the margin of a row of length 1, and on the logarithm of its weight.

        With noise in the objective there is no such formula: the first is then that of noise on the answer.
        """
        noise = "gaussian" if self.settings.noise == "gaussian" else "exponential"
        at = self.settings.epsilon if epsilon is None else epsilon
        budget = sources.Budget(epsilon=at, noise=noise, delta=self.settings.delta)
        return tuple(budget.coordinate_sd(each, dimension=dimension) for each in self.sensitivities)

    @cached_property
    def noise(self) -> Noise:
        """The noise over the number of features."""
        both = np.array([self.noise_at(int(d)) for d in _DIMENSIONS])
        return Noise(_DIMENSIONS, both[:, 0], both[:, 1])

    def noise_table(self) -> pd.DataFrame:
        """``noise`` as a frame."""
        return pd.DataFrame(self.noise._asdict())

    def epsilon_for(self, dimension: int) -> tuple[float, float]:
        """The epsilon at which either noise has sd 1 (norm-exponential noise)."""
        return tuple(each * math.sqrt(dimension + 1) for each in self.sensitivities)

    @property
    def features(self) -> int:
        """Features before projection."""
        return domains.world(self.settings.model.where).features

    @property
    def public_rows(self) -> int:
        """Public rows that there are: at most as many as are asked for."""
        return len(domains.world(self.settings.model.where).public)

    @property
    def dimension(self) -> int:
        """Features that the sources work with."""
        return self.now[0].prior_mean.shape[1]

    @property
    def guarantee(self) -> Guarantee:
        """What a row of one source is promised."""
        return self.settings.budget.guarantee

    @cached_property
    def plane(self) -> Plane:
        """The two coordinates in which the sources differ most before noise (analyst only)."""
        plain = source_fit(self.settings.model, 0).hypotheses
        pair = np.sort(np.argsort(plain.std(axis=0))[-2:])
        joined = {name: self._joined(self.now, name, 0)[..., pair] for name in _DRAWN}
        middle = {name: np.median(joined[name], axis=0) for name in _DRAWN[1:]}
        return Plane(
            tuple(int(one) for one in pair), joined["hypotheses"], plain[:, pair], *(middle[n] for n in _DRAWN[1:])
        )

    def curves(self) -> pd.DataFrame:
        """A row a place, method and quantile: right answers over epsilon and over share of labels."""
        parts = []
        for over in ("epsilon", "share", "dimension", "plain dimension"):
            for method in METHODS:
                at, quantiles = self.curve(method, over)
                columns = dict(zip(Spread._fields, quantiles, strict=True))
                parts.append(pd.DataFrame({"over": over, "at": at, "method": method} | columns))
        return pd.concat(parts, ignore_index=True)

    def weights_table(self) -> pd.DataFrame:
        """A row a source: the true share, and quantiles of its weight."""
        low, median, high = self.weight_spread
        return pd.DataFrame(
            {
                "source": range(1, len(median) + 1),
                "share": self.settings.shares,
                "low": low,
                "median": median,
                "high": high,
            }
        )

    def table(self) -> pd.DataFrame:
        """A row a mixture and level of privacy: median right answers in 100 by method, and the best of the first five.

        Epsilon inf is without noise. NaN where it is still to be computed.
        """
        rows = []
        for key, done in self.found.items():
            if not (isinstance(key, tuple) and key[0] == "table"):
                continue
            _, mixture, epsilon = key
            medians = np.full(len(METHODS), np.nan)
            if done:
                medians = 100 * np.median(self._joined(done, "accuracy", 1), axis=1)
            best = METHODS[int(np.argmax(medians[:-1]))] if done else ""
            row = {"mixture": mixture, "epsilon": epsilon} | dict(zip(METHODS, medians, strict=True))
            rows.append(row | {"best": best})
        return pd.DataFrame(rows)


_DRAWN = ("hypotheses", "prior_mean", "prior_sd", "posterior", "posterior_sd")


def _spread(values: np.ndarray) -> Spread:
    return Spread(*map(float, np.quantile(values, _QUANTILES)))


def _curve(places: list, measure) -> Curve:
    if not places:
        return Curve(np.empty(0), np.empty((3, 0)))
    quantiles = [np.quantile(measure(done), _QUANTILES) for _, done in places]
    return Curve(np.array([place for place, _ in places]), np.array(quantiles).T)
