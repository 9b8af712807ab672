"""Result of the parties page: accuracies of the private releases, and the noise behind them."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.cache import cached
from dpcore.mechanisms.randomised_response import RandomisedResponse
from lab.data.parties import PartyData, parties
from lab.experiment.parts import Grid
from lab.experiment.settings import Spread
from lab.statistics.claims import Case, compare
from lab.statistics.confusion import ByClass
from pages.parties.fits import Ensemble, Fits, accuracy
from pages.parties.mechanisms import Mechanisms, methods_of
from pages.parties.settings import PartiesSettings
from pages.parties.tasks import Released

# Least number of private rows that a map shows.
_MAPPED_ROWS = 120


@dataclass(frozen=True, kw_only=True, eq=False)
class MapRows:
    """Private rows as a map takes them.

    X_private, y_private: features (n, f) and classes (n,).
    classes: the names of all classes.
    """

    X_private: np.ndarray
    y_private: np.ndarray
    classes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PartiesResult:
    """Result of the tasks done so far. Accuracies are on test rows, and repeats are runs.

    Results are equal if the same settings show as much. So a result does not change because
    parties are asked in between.

    asked: number of parties asked so far. Until it is all of them, shares are those of the parties
        asked, and noise is that for all parties.
    released: what each method releases at the set epsilon.
    pooled: weights (k, d) of the non-private model of all rows.
    over: accuracy (methods, V, R) over "epsilon" and over "parties".
    over_rounds: accuracy (V, R) of federated averaging over its rounds, if the page is about it.
    epsilon_of_rounds: epsilon (V,) of numbers of rounds with the noise as it is now, if a trusted
        aggregator adds it, or None until it is done.
    progress: how much is done of the other parts, by name.
    """

    settings: PartiesSettings
    asked: int
    fits: Fits = field(compare=False)
    released: Released = field(compare=False)
    pooled: np.ndarray = field(compare=False)
    over: dict[str, Grid] = field(compare=False)
    over_rounds: Grid | None = field(compare=False)
    epsilon_of_rounds: np.ndarray | None = field(compare=False)
    progress: frozenset[tuple[str, int]]

    @property
    def ensemble(self) -> Ensemble:
        return self.settings.ensemble

    @property
    def mechanisms(self) -> Mechanisms:
        return self.settings.mechanisms

    @property
    def methods(self) -> tuple[str, ...]:
        return methods_of(self.settings.trust_model)

    @property
    def all_released(self) -> bool:
        """Return whether all parties have been asked, and each method has released its model."""
        return self.complete and len(self.released.methods) == len(self.methods)

    @property
    def complete(self) -> bool:
        """Return whether all parties have been asked."""
        return self.asked == self.ensemble.parties

    @property
    def classes(self) -> tuple[str, ...]:
        return self.settings.data.kind.names

    # Accuracy

    @cached_property
    def summary(self) -> dict[str, Spread]:
        """Return the quantiles of each method's accuracy at the set epsilon."""
        return {method: Spread.of(runs) for method, runs in self.released.accuracies.items()}

    @property
    def chosen_accuracy(self) -> np.ndarray:
        """Return the accuracy (R,) of the method that the page is about."""
        return self.released.accuracy_of(self.settings.method)

    @cached_property
    def accuracy_without_noise(self) -> dict[str, float]:
        """Return the accuracy of what would be released without noise."""
        accuracies = {}
        for release, weights in self.fits.weights.items():
            accuracies[release] = float(accuracy(self.ensemble, weights))
        return accuracies

    @cached_property
    def pooled_accuracy(self) -> float:
        """Return the accuracy of the non-private model of all rows."""
        return float(accuracy(self.ensemble, self.pooled))

    @cached_property
    def local_accuracy(self) -> Spread:
        """Return the quantiles of the accuracy of single parties."""
        return Spread.of(self.fits.accuracy)

    @property
    def chance(self) -> float:
        return 1 / self.ensemble.classes

    @property
    def best_constant(self) -> tuple[str, float]:
        """Return the majority class of the test rows and its share."""
        labels, counts = np.unique(self.ensemble.rows["test"].y, return_counts=True)
        majority = counts.argmax()
        name = self.classes[int(labels[majority])]
        return name, float(counts[majority] / counts.sum())

    def compare_with_local(self, runs: np.ndarray) -> Case:
        """Return what can be claimed about the accuracy (R,) of a release and of a single party."""
        _, baseline = self.best_constant
        return compare(runs, self.local_accuracy.median, constant=baseline, complete=self.complete)

    def curve_of(self, method: str, over: str) -> Grid:
        """Return the accuracy (V, R) of a method over "epsilon" or over "parties"."""
        return self.over[over].arms[self.methods.index(method)]

    @cached_property
    def held_out(self) -> dict[str, ByClass]:
        """Return the confusion matrices of the chosen method and of the "pooled" model."""
        method = self.settings.method
        models = {method: self.released.weights_of(method), "pooled": self.pooled[None]}
        test = self.ensemble.rows["test"]
        return {name: ByClass.of(models[name] @ test.X.T, test.y) for name in models}

    # Noise of a trusted aggregator

    @property
    def dimensions(self) -> int:
        """Return the number k d of dimensions of the noise."""
        return math.prod(self.ensemble.shape)

    def noise_norm(self, release: str) -> float:
        """Return the mean L2 norm of the noise, k d sensitivity / epsilon."""
        return self.dimensions * self.mechanisms.sensitivity(release) / self.settings.epsilon

    def signal_norm(self, release: str) -> float:
        """Return the L2 norm of the weights that the noise is added to."""
        return float(np.linalg.norm(self.fits.weights[release]))

    # Noise that each party adds

    @property
    def weight_sd(self) -> float:
        """Return the standard deviation of the noise on each averaged weight."""
        return self.mechanisms.weight_sd(self.settings.epsilon)

    @property
    def message_epsilon(self) -> float:
        """Return the epsilon of one message, that of the guarantee with Gaussian noise."""
        settings = self.settings
        if settings.is_federated:
            message_epsilon = settings.federation.message_epsilon(settings.epsilon)
            return message_epsilon or settings.epsilon
        return self.mechanisms.release_epsilon(settings.epsilon)

    @property
    def is_shuffled(self) -> bool:
        """Return whether a shuffler lets each message have a larger epsilon than all together."""
        settings = self.settings
        return settings.trust_model == "shuffle" and self.message_epsilon > settings.epsilon

    @property
    def response(self) -> RandomisedResponse:
        """Return the mechanism by which a party answers about a public row."""
        return RandomisedResponse(epsilon=self.message_epsilon, options=self.ensemble.classes)

    @property
    def truthful_answers(self) -> float:
        """Return how many truthful answers have the sampling error of the randomised ones so far.

        It is M (p - q)^2 if all classes are equally frequent. An estimate has the variance
        P (1 - P) / (M (p - q)^2), and the share P of answers stays 1 / K.
        """
        kept = self.response.truth_probability - self.response.other_probability
        return self.asked * kept**2

    @property
    def noise_ratio(self) -> float:
        """Return the noise on averaged weights over that of a trusted aggregator."""
        central = replace(self.mechanisms, trust_model="central")
        return self.weight_sd / central.weight_sd(self.settings.epsilon)

    # Maps

    @property
    def map_rows(self) -> MapRows:
        """Return the rows of the first parties, which maps show."""
        data = self.settings.data
        count = math.ceil(_MAPPED_ROWS / data.rows)
        return _map_rows(data, min(self.ensemble.parties, count))

    # Tables

    def table(self) -> pd.DataFrame:
        """Return a row per method, with its accuracy and guarantee."""
        rows = []
        for method, spread in self.summary.items():
            guarantee = self.settings.guarantee_of(method)
            without_noise = math.nan
            if self.mechanisms.is_central or method == "average":
                without_noise = self.accuracy_without_noise.get(method, math.nan)
            row = {
                "method": method,
                **spread._asdict(),
                "without noise": without_noise,
                "epsilon": guarantee.epsilon,
                "delta": guarantee.delta,
                "unit": guarantee.unit,
            }
            rows.append(row)
        return pd.DataFrame(rows)

    def curves(self) -> pd.DataFrame:
        """Return a row per released model of the curves: over, at, method, repeat, accuracy."""
        frames = {}
        for over, grid in self.over.items():
            frames[over] = grid.frame("accuracy", over="at", method=self.methods)
        frame = pd.concat(frames, names=["over"]).reset_index("over")
        frame = frame.sort_values(["over", "at"], ignore_index=True)
        return frame[["over", "at", "method", "repeat", "accuracy"]]


@cached
def _map_rows(data: PartyData, count: int) -> MapRows:
    """Return the rows of the first ``count`` parties, without the constant."""
    X, y = parties(data, 0, count)
    features = X.reshape(-1, data.kind.inputs)[:, :-1]
    return MapRows(X_private=features, y_private=y.ravel(), classes=data.kind.names)
