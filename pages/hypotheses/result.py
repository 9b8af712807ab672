"""What the page of hypotheses shows: weights, accuracies, curves, a table, and two coordinates."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore.confusion import ByClass
from dpcore.data import domains
from dpcore.parties import importance, sources
from dpcore.privacy import Guarantee
from lab.claims import Case, compare, leaders, onwards
from lab.settings import Settings, Spread, quantiles_of
from pages.hypotheses.work import METHODS, Outcome, coordinates, over_repeats, source_fit

# The sizes of the paper's two data sets: features.
PUBLISHED_FEATURES = {"20 Newsgroups": 5588, "Amazon reviews": 2969}
# How near to no noise is near, and repeats at most for each number of features, and of each law of noise.
NEAR, FEW_REPEATS = 0.1, 8
_DIMENSIONS = np.unique(np.geomspace(2, 6000, 40).round().astype(int))


class QuantileCurve(NamedTuple):
    """Places (m,), and the 5 %, 50 % and 95 % quantiles of the repeats (3, m)."""

    at: np.ndarray
    quantiles: np.ndarray


class Noise(NamedTuple):
    """Numbers of features, and the sd of the noise on a row's margin and on the logarithm of its weight."""

    dimension: np.ndarray
    margin: np.ndarray
    weight: np.ndarray


class TwoCoordinates(NamedTuple):
    """Two coordinates of what is released: names, released hypotheses (R, K, 2), and without noise (K, 2), medians of
    prior and posterior (2,) and of their spread."""

    coordinates: tuple[int, int]
    released: np.ndarray
    noiseless: np.ndarray
    prior: np.ndarray
    prior_sd: np.ndarray
    posterior: np.ndarray
    posterior_sd: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class HypothesesResult:
    """The settings, and what is asked -> the outcomes that are there."""

    settings: Settings
    found: Mapping[Any, list[Outcome]]

    @property
    def now(self) -> list[Outcome]:
        """Today's outcomes, of the repeats that are there."""
        return self.found["now"] + self.found["more"]

    @cached_property
    def weights(self) -> np.ndarray:
        """Hypothesis weights (R, K)."""
        return over_repeats(self.now, "weights")

    @cached_property
    def accuracy(self) -> dict[str, np.ndarray]:
        """Method -> accuracy (R,) on the target's test rows."""
        return dict(zip(METHODS, over_repeats(self.now, "accuracy").T, strict=True))

    @property
    def repeats(self) -> int:
        """Return how many repeats are there."""
        return len(self.weights)

    @cached_property
    def summary(self) -> dict[str, Spread]:
        """Method -> the spread of its accuracy."""
        return {name: Spread.of(values) for name, values in self.accuracy.items()}

    @property
    def classes(self) -> tuple[str, str]:
        """Return what the two classes are called."""
        if self.settings.data == "own":
            yes = self.settings.own.columns.yes
            return f"not {yes}", yes
        return ("other groups", "computers") if self.settings.data == "newsgroups" else ("class 1", "class 2")

    @cached_property
    def held_out(self) -> dict[str, ByClass]:
        """Return what "transfer", the few labels alone ("weak") and, once it is trained, "transfer without noise" do on
        the target's test rows, class by class."""
        models = {"transfer": (self.now, 0), "weak": (self.now, 1)}
        if plain := self.found.get(("epsilon", math.inf)):
            models["transfer without noise"] = plain, 0
        return {
            name: ByClass(counts=over_repeats(done, "counts")[:, which], loss=over_repeats(done, "losses")[:, which])
            for name, (done, which) in models.items()
        }

    @cached_property
    def gain(self) -> dict[str, Spread]:
        """Method -> what it gains over the target's own few labels, repeat by repeat."""
        return {name: Spread.of(values - self.accuracy["weak"]) for name, values in self.accuracy.items()}

    def compare(self, key: Any, method: str = "transfer", other: str = "weak") -> Case:
        """Return what may be said of one method beside another, of the outcomes that ``key`` asks for."""
        done = self.found[key]
        runs = [np.concatenate([one.of(name) for one in done]) for name in (method, other)]
        return compare(*runs, constant=_constant(done), complete=self._whole(key))

    def _whole(self, key: Any) -> bool:
        """Return whether all that ``key`` asks for is done."""
        asked = {
            ("share", self.settings.label_share): ("now", "more"),
            ("dimension", self.features): ("now", "more"),
            ("plain dimension", self.features): (("epsilon", math.inf),),
        }
        tasks = [task for one in asked.get(key, (key,)) for task in self.settings.work[one]]
        return sum(len(one.repeats) for one in self.found[key]) == sum(len(one.weighing.repeats) for one in tasks)

    @property
    def complete(self) -> bool:
        """Return whether all of today's repeats are there."""
        return self.repeats == self.settings.repeats

    def now_beside(self, other: str, method: str = "transfer") -> Case:
        """Return what may be said of one method beside another today."""
        return self.compare(("share", self.settings.label_share), method, other)

    @cached_property
    def noiseless(self) -> Case:
        """Return what may be said of transfer today beside transfer without noise."""
        done = self.found.get(key := ("epsilon", math.inf), [])
        if not (done and self.complete and self._whole(key)):
            return Case.SO_FAR
        plain = np.concatenate([one.of("transfer") for one in done])
        return compare(self.accuracy["transfer"], plain, constant=self.constant)

    @cached_property
    def weighing(self) -> Case:
        """Return what may be said of the found weights beside the same weight for all, by their mean squared error."""
        error = over_repeats(self.now, "error")
        return compare(error, self.equal_error, better="lower", complete=self.complete)

    @property
    def constant(self) -> float:
        """Accuracy of the best constant answer on the target's test rows."""
        return _constant(self.now)

    def over(self, name: str) -> list[Case]:
        """Return what may be said of transfer beside the few labels at each place of a curve."""
        return [self.compare((name, place)) for place, _ in self._places(name)]

    @property
    def harmed(self) -> float:
        """Share of repeats in which transfer is worse than nothing borrowed."""
        return float((self.accuracy["transfer"] < self.accuracy["weak"]).mean())

    @cached_property
    def weight_spread(self) -> np.ndarray:
        """Quantiles (3, K) of the hypothesis weights."""
        return quantiles_of(self.weights, axis=0)

    @property
    def error(self) -> Spread:
        """Mean squared error of the hypothesis weights."""
        return Spread.of(over_repeats(self.now, "error"))

    def _places(self, over: str) -> list[tuple[float, list[Outcome]]]:
        """(place, outcomes) over "epsilon", "share", "dimension" or "plain dimension", where there are any."""
        pairs = [(key[1], done) for key, done in self.found.items() if isinstance(key, tuple) and key[0] == over]
        return sorted(
            ((place, done) for place, done in pairs if done and math.isfinite(place)), key=lambda pair: pair[0]
        )

    def curve(self, method: str, over: str) -> QuantileCurve:
        """Accuracy of a method over "epsilon", "share" of labels, "dimension", or "plain dimension", without noise."""
        return self._quantiles(over, lambda done: np.concatenate([one.of(method) for one in done]))

    def _quantiles(self, over: str, measure: Callable[[list[Outcome]], np.ndarray]) -> QuantileCurve:
        places = self._places(over)
        found = np.array([quantiles_of(measure(done)) for _, done in places]).reshape(-1, 3).T
        return QuantileCurve(np.array([place for place, _ in places]), found)

    def law(self, noise: str, features: int, method: str = "transfer") -> QuantileCurve:
        """Accuracy of a method over epsilon with this law of noise: all words (0), or in so many public directions."""
        pairs = [(key[-1], done) for key, done in self.found.items() if key[:-1] == ("law", noise, features) and done]
        measured = [quantiles_of(np.concatenate([one.of(method) for one in done])) for _, done in pairs]
        return QuantileCurve(np.array([place for place, _ in pairs]), np.array(measured).reshape(-1, 3).T)

    def helps_from(self, noise: str, features: int) -> float | None:
        """Return from which epsilon on transfer is shown to beat the few labels there; inf: not at the highest; None
        until all is measured."""
        keys = [key for key in self.found if key[:-1] == ("law", noise, features)]
        if not keys or not all(map(self._whole, keys)):
            return None
        since = onwards([self.compare(key) for key in keys])
        return float(keys[since][-1]) if since < len(keys) else math.inf

    def near_from(self, noise: str, features: int) -> float | None:
        """Return from which epsilon on it comes within ``NEAR`` of all words without noise; inf and None as above."""
        done = [one for one in self.found.get(("epsilon", math.inf), []) if one.repeats[-1] < FEW_REPEATS]
        if not done:
            return None
        least = np.median(np.concatenate([one.of("transfer") for one in done])) - NEAR
        at, (_, medians, _) = self.law(noise, features)
        asked = sum(key[:-1] == ("law", noise, features) for key in self.found)
        if len(at) < max(asked, 1):
            return None
        short = np.flatnonzero(medians <= least)
        after = int(short[-1]) + 1 if len(short) else 0
        return float(at[after]) if after < len(at) else math.inf

    @cached_property
    def best_dimensions(self) -> tuple[int, ...]:
        """Places on the curve over numbers of features: the best median, and those that cannot be told apart from it;
        nothing until all are measured."""
        places = self._places("dimension")
        if len(places) < self.settings.widths or not all(self._whole(("dimension", place)) for place, _ in places):
            return ()
        few = min(sum(len(one.repeats) for one in done) for _, done in places)
        runs = {
            str(n): np.concatenate([one.of("transfer") for one in done])[:few] for n, (_, done) in enumerate(places)
        }
        return tuple(map(int, leaders(runs)))

    @property
    def largest_source(self) -> int:
        """Return which source has the largest share of the target, counted from 0; the first of equals."""
        return int(np.argmax(self.settings.shares))

    @property
    def noise_share(self) -> tuple[np.ndarray, np.ndarray]:
        """(numbers of features, the noise's share of a released margin): noise^2 / (noise^2 + signal^2), the median."""
        found = self._places("dimension")
        shares = []
        for _, done in found:
            signal, noise = over_repeats(done, "margins").T
            squares, total = noise**2, noise**2 + signal**2  # both 0 where no text has a word that counts
            shares.append(float(np.median(np.divide(squares, total, out=np.zeros_like(total), where=total > 0))))
        return np.array([place for place, _ in found]), np.array(shares)

    @property
    def measured_noise(self) -> float:
        """Return what the noise does to a margin now (root of the mean square), whatever kind of noise it is."""
        return float(np.median(over_repeats(self.now, "margins")[:, 1]))

    @property
    def equal_error(self) -> float:
        """Mean squared error of the same weight for all sources."""
        return float(np.mean((np.array(self.settings.shares) - 1 / len(self.settings.shares)) ** 2))

    @property
    def prior_spread(self) -> float:
        """The usual standard deviation of the prior: the median over features and repeats."""
        return float(np.median(over_repeats(self.now, "prior_spread")))

    @property
    def error_curve(self) -> QuantileCurve:
        """Mean squared error of the weights over epsilon."""
        return self._quantiles("epsilon", lambda done: over_repeats(done, "error"))

    @property
    def noiseless_error(self) -> float:
        """Median error of the weights without noise; NaN where it is still to be computed."""
        return self._noiseless(lambda done: over_repeats(done, "error"))

    @property
    def noiseless_accuracy(self) -> float:
        """Median accuracy of transfer without noise; NaN where it is still to be computed."""
        return self._noiseless(lambda done: np.concatenate([one.of("transfer") for one in done]))

    def _noiseless(self, measure: Callable[[list[Outcome]], np.ndarray]) -> float:
        done = self.found.get(("epsilon", math.inf), [])
        return float(np.median(measure(done))) if done else math.nan

    @property
    def labels(self) -> int:
        """Return how many rows of the target have a label: two at least."""
        return max(2, round(self.settings.label_share * self.settings.target_rows))

    @property
    def mixed(self) -> bool:
        """Return whether the sources differ, so that there is a mixture to find; a file split at random has none."""
        return self.settings.data != "own" or bool(self.settings.own.columns.source)

    @cached_property
    def sensitivities(self) -> tuple[float, float]:
        """L2 sensitivity of a hypothesis and of a tilt."""
        model = self.settings.model
        return (
            sources.hypothesis_sensitivity(model.labelled, model.lambda_lr),
            importance.sensitivity(model.unlabelled, model.lambda_iw),
        )

    def noise_at(self, dimension: int) -> tuple[float, float]:
        """Sd of the noise on the margin of a row of length 1, and on the logarithm of its weight.

        With noise in the objective there is no such formula: the first is then that of noise on the answer.
        """
        own = self.settings.budget
        budget = replace(own, noise="exponential") if own.noise == "objective" else own
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
        return domains.world(self.settings.model.where).public.shape[0]

    @property
    def dimension(self) -> int:
        """Features that the sources work with."""
        return domains.world(self.settings.model.where).public.shape[1]

    @property
    def guarantee(self) -> Guarantee:
        """Return what a row of one source is promised."""
        return self.settings.promise

    @cached_property
    def plane(self) -> TwoCoordinates:
        """The two coordinates in which the sources differ most before noise (analyst only)."""
        model = self.settings.model
        pair = coordinates(model)
        noiseless = source_fit(model, 0).hypotheses
        released, *others = (over_repeats(self.now, name) for name in _DRAWN)
        medians = (np.median(one, axis=0) for one in others)
        return TwoCoordinates(tuple(int(one) for one in pair), released, noiseless[:, pair], *medians)

    def curves(self) -> pd.DataFrame:
        """A row a place, method and quantile: accuracy over epsilon, share of labels and number of features."""
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
        """A row a mixture and level of privacy: median accuracy in 100 by method, and the best of the first five where
        one is shown to be.

        Epsilon inf is without noise. NaN where it is still to be computed.
        """
        rows = []
        for key, done in self.found.items():
            if not (isinstance(key, tuple) and key[0] == "table"):
                continue
            _, mixture, epsilon = key
            medians = np.full(len(METHODS), np.nan)
            runs = {}
            if done:
                runs = dict(zip(METHODS, over_repeats(done, "accuracy").T, strict=True))
                medians = np.array([100 * np.median(one) for one in runs.values()])
            first, *others = leaders({name: runs[name] for name in METHODS[:-1]}) if runs else ("",)
            best = "" if others or not self._whole(key) else first
            row = {"mixture": mixture, "epsilon": epsilon} | dict(zip(METHODS, medians, strict=True))
            rows.append(row | {"best": best})
        return pd.DataFrame(rows)


def _constant(done: list[Outcome]) -> float:
    """The share of right answers of the best constant answer on the target's test rows."""
    rows = over_repeats(done, "counts")[:, 0].sum(axis=(0, 2))
    return float(rows.max() / rows.sum())


_DRAWN = ("hypotheses", "prior_mean", "prior_sd", "posterior", "posterior_sd")
