"""Result of the classifier: the trained models, and the numbers that the page shows of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpcore.accountants.attacker import best_attacker
from dpcore.cache import cached
from dpcore.training import losses
from lab.data import classification as data
from lab.experiment.parts import Grid
from lab.experiment.settings import Spread, quantiles_of
from lab.models.classifier_versions import EPSILONS, PUBLISHED, Guarantees
from lab.statistics import differences
from lab.statistics.claims import Case, compare
from lab.statistics.confusion import ByClass
from lab.statistics.decision_regions import Plane, usual_plane
from lab.statistics.price import MedianCurve, Price
from pages.classifier.settings import ClassifierSettings
from pages.classifier.tasks import Ensemble, FinalScores, Reference

# Curves of which the cache keeps what is computed of them.
_KEPT_CURVES = 16


class LargestGain(NamedTuple):
    """The largest gain from pre-training over the epsilons of the curve, in points.

    gain: of the median pair of runs, or None if no gain is shown anywhere.
    epsilon: where it is reached.
    last_gain: the gain at the last epsilon, or None if none is shown there.
    """

    gain: float | None
    epsilon: float
    last_gain: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassifierResult:
    """Result of the tasks done so far.

    ensemble: the models at the set epsilon that are drawn.
    references: the non-private model of each arm.
    first_curve: held-out accuracy (A, E, R) of as many runs as are drawn over the epsilons of the
        curve, NaN where not trained yet.
    further: final scores of further runs at the set epsilon, by batch.
    full_curve: as ``first_curve``, of all runs; None if these are as many.
    """

    settings: ClassifierSettings
    ensemble: Ensemble
    references: Mapping[str, Reference]
    first_curve: Grid
    further: Sequence[FinalScores] = ()
    full_curve: Grid | None = None

    @cached_property
    def accuracies(self) -> np.ndarray:
        """Return the held-out accuracies (A, R) of all runs at the set epsilon.

        Further runs count once all of them are trained, so that numbers change once.
        """
        further = [scores.accuracy for scores in self.further]
        accuracies = np.concatenate([self.ensemble.accuracy, *further], axis=1)
        if accuracies.shape[1] < self.settings.runs:
            return self.ensemble.accuracy
        return accuracies

    @property
    def accuracy(self) -> Grid:
        """Return the curve of all runs or, until it is trained, that of the runs drawn."""
        if self.full_curve is not None and self.full_curve.complete:
            return self.full_curve
        return self.first_curve

    @cached_property
    def split(self) -> data.Split:
        return self.settings.training.split

    @property
    def guarantees(self) -> Guarantees:
        return self.settings.guarantees

    @property
    def trained(self) -> int:
        """Return the number of runs at the set epsilon that accuracies are measured on."""
        return self.accuracies.shape[1]

    @property
    def planned(self) -> int:
        """Return the number of runs that claims at the set epsilon wait for."""
        return max(self.trained, self.settings.repeats)

    @property
    def reference(self) -> Reference:
        """Return the non-private model trained from zero."""
        return self.references["scratch"]

    @property
    def baseline(self) -> float:
        """Return the accuracy of the best constant prediction."""
        _, accuracy = self.split.best_constant
        return accuracy

    @property
    def classes(self) -> tuple[str, ...]:
        return self.split.source.classes

    @cached_property
    def summary(self) -> dict[str, Spread]:
        """Return the quantiles of each arm's accuracy at the set epsilon."""
        spreads = {}
        for arm, name in enumerate(self.settings.arms):
            spreads[name] = Spread.of(self.accuracies[arm])
        return spreads

    # What privacy costs, and what pre-training gains

    @cached_property
    def price(self) -> Price | None:
        """Return what the next point of accuracy costs, or None without enough runs.

        A mechanism that does not keep its guarantee has no price.
        """
        settings = self.settings
        if not settings.has_price or self.accuracy is self.first_curve:
            return None
        curve = _median_curve(self.accuracy)
        if curve is None:
            return None
        return curve.price(settings.epsilon, settings.right_guesses)

    @cached_property
    def right_guesses(self) -> float:
        """Return the best attacker's largest share of right guesses at the set epsilon."""
        return best_attacker(self.guarantees.formula).right

    @cached_property
    def height(self) -> float:
        """Return the height of the curve from scratch at the set epsilon, or the median until all
        of the curve is trained.
        """
        if not self.accuracy.complete:
            return self.summary["scratch"].median
        epsilons, quantiles = self.accuracy.arms[0].over()
        return float(np.interp(math.log(self.settings.epsilon), np.log(epsilons), quantiles[1]))

    @property
    def gain(self) -> tuple[float, float, float] | None:
        """Return what the public start adds to the accuracy of a run: median, low and high.

        Runs are paired, because repeat r has the same noise in both arms. The 95 % interval is that
        of the sign test. Return None without a public start.
        """
        if len(self.accuracies) < 2:
            return None
        scratch, started = self.accuracies
        gain = differences.of_pairs(started, scratch)
        return gain.median, gain.low, gain.high

    @property
    def largest_gain(self) -> LargestGain | None:
        """Return the largest gain from pre-training that is shown.

        Return None without a public start, or until all of the curve is trained.
        """
        gains = self.table()["gain"].to_numpy()
        if np.isnan(gains).any():
            return None
        is_shown = np.array([case == Case.AHEAD for case in self._gain_cases])
        shown_gains = np.where(is_shown, gains, -np.inf)
        best = int(shown_gains.argmax())
        gain = None
        if is_shown.any():
            gain = float(gains[best])
        last_gain = None
        if is_shown[-1]:
            last_gain = float(gains[-1])
        return LargestGain(gain=gain, epsilon=EPSILONS[best], last_gain=last_gain)

    @property
    def too_few_for_gains(self) -> bool:
        """Return whether some epsilon has too few pairs of runs to show a gain."""
        return Case.FEW in self._gain_cases

    @property
    def _gain_cases(self) -> list[Case]:
        """Return how runs with and without a public start compare, at each epsilon."""
        scratch, started = self.published_runs
        cases = []
        for index in range(len(scratch)):
            case = compare(started[index], scratch[index], constant=self.baseline)
            cases.append(case)
        return cases

    # Held-out rows by class

    @cached_property
    def held_out(self) -> dict[str, ByClass]:
        """Return the confusion matrices from "scratch" and of the "reference" on held-out rows."""
        return {
            "scratch": self._confusion(self.ensemble.weights[0]),
            "reference": self._confusion(self.reference.weights[None]),
        }

    def _confusion(self, weights: np.ndarray) -> ByClass:
        """Return the confusion matrices of models (R, k, p)."""
        X = losses.with_constant(self.split.X_test).astype(np.float32)
        return ByClass.of(weights @ X.T, self.split.y_test)

    # Tables and the plane of the maps

    @property
    def curve(self) -> pd.DataFrame:
        """Return a row per trained model of the curve: arm, epsilon, repeat, accuracy."""
        return self.accuracy.frame("accuracy", arm=self.settings.arms)

    def loss_quantiles(self) -> np.ndarray:
        """Return the 5 %, 50 % and 95 % quantiles of the loss, (3, A + 1, m), in nats.

        The arms come first, on private rows, then the models from scratch on held-out rows.
        """
        held_out = self.ensemble.held_out_loss[None]
        return quantiles_of(np.concatenate([self.ensemble.loss, held_out]), axis=1)

    @property
    def published_runs(self) -> np.ndarray:
        """Return the accuracies (A, E, R) at the epsilons of the published table."""
        curve = self.accuracy
        arms, _, count = curve.runs.shape
        runs = np.full((arms, len(EPSILONS), count), np.nan)
        for index, epsilon in enumerate(EPSILONS):
            if epsilon in curve.at:
                runs[:, index] = curve.runs[:, curve.at.index(epsilon)]
        return runs

    def table(self) -> pd.DataFrame:
        """Return the median accuracy by epsilon, in %, trained now and as published.

        The gain is the median over pairs of runs with the same noise, which need not be the
        difference of the medians.
        """
        runs = self.published_runs
        medians = 100 * np.median(runs, axis=-1)
        started = np.full(len(EPSILONS), np.nan)
        gain = started
        if len(medians) > 1:
            started = medians[1]
            gain = 100 * np.median(runs[1] - runs[0], axis=-1)
        published = np.array(list(PUBLISHED.values()))
        return pd.DataFrame(
            {
                "epsilon": np.array(EPSILONS),
                "without": medians[0],
                "with": started,
                "gain": gain,
                "published without": published[:, 0],
                "published with": published[:, 1],
                "published gain": published[:, 2],
                "published gain computed": published[:, 1] - published[:, 0],
            }
        )

    @property
    def plane(self) -> Plane:
        """Return the plane of the decision maps."""
        return plane_of(self.split)


@cached(newest=_KEPT_CURVES)
def _median_curve(grid: Grid) -> MedianCurve | None:
    """Return the medians of the first arm, and those of resampled runs."""
    return MedianCurve.of(grid.at, grid.runs[0])


@cached
def plane_of(split: data.Split) -> Plane:
    """Return the plane of the first two public directions, or of the only two features.

    It is cached, because the points and the grid on it are cached by plane.
    """
    return usual_plane(split.X_public, names=split.source.features, bounds=split.source.bounds)
