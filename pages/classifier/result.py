"""What the classifier's page shows: accuracy, loss, decision regions and guarantees of the private
models.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.cache import cached
from dpcore.training import losses
from lab.data import classification as data
from lab.experiment.parts import Grid
from lab.experiment.settings import Spread, quantiles_of
from lab.models.classifier_versions import EPSILONS, PUBLISHED, Guarantees
from lab.statistics import differences
from lab.statistics.claims import Case, compare
from lab.statistics.confusion import ByClass
from lab.statistics.decision_regions import Plane, feature_plane, usual_plane
from pages.classifier.settings import ClassifierParameters
from pages.classifier.tasks import FocusOutcome, ReferenceOutcome


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassifierResult:
    """What a page shows.

    references: arm -> its non-private descent, with the same start and as many steps.
    accuracy: held-out accuracy (A, E, R) by arm, epsilon of ``EPSILONS`` and repeat.
    apart (1, R): that of rows clipped one by one, see ``RowByRow``; NaN where no number of rows is
    declared.
    """

    settings: ClassifierParameters
    split: data.Split
    focus: FocusOutcome
    references: Mapping[str, ReferenceOutcome]
    accuracy: Grid
    guarantees: Guarantees
    apart: Grid

    @property
    def trained(self) -> int:
        """Return how many repeats are trained so far at today's epsilon, in each arm."""
        return self.focus.accuracy.shape[1]

    @property
    def reference(self) -> ReferenceOutcome:
        """Return the non-private descent from zero, beside which the tiles and the verdict put the
        private ones.
        """
        return self.references["scratch"]

    @property
    def baseline(self) -> float:
        return self.split.best_constant[1]

    @property
    def plane(self) -> Plane:
        """Return where decisions are drawn, if rows may be drawn."""
        settings = self.settings
        return _plane(
            self.split,
            (settings.feature_x, settings.feature_y) if settings.plane == "features" else None,
        )

    @cached_property
    def summary(self) -> dict[str, Spread]:
        return dict(zip(self.settings.arms, map(Spread.of, self.focus.accuracy), strict=True))

    def losses(self) -> np.ndarray:
        """Return the quantiles of the loss, (3, A + 1, m): on the private rows by arm and step, and
        on held-out rows from scratch, in nats.
        """
        return quantiles_of(np.concatenate([self.focus.loss, self.focus.tested]), axis=1)

    @property
    def gain(self) -> tuple[float, float, float] | None:
        """(median, low, high) of what the public start adds to a run's accuracy, None where there
        is no such start.

        Paired, because repeat r has the same noise in both arms; low and high: the sign test's 95 %
        interval.
        """
        if len(self.focus.accuracy) < 2:
            return None
        found = differences.of_pairs(*self.focus.accuracy[::-1])
        return found.median, found.low, found.high

    @property
    def costs(self) -> Case:
        """Return what may be said of today's private runs from zero beside the model without
        privacy.
        """
        complete = self.trained == self.settings.repeats
        return compare(
            self.focus.accuracy[0],
            self.reference.accuracy,
            constant=self.baseline,
            complete=complete,
        )

    def costs_over_epsilon(self) -> list[Case]:
        """Return the same at each epsilon of the curve that is trained."""
        runs = self.accuracy.runs[0]
        trained = runs[~np.isnan(runs).any(axis=1)]
        return [compare(one, self.reference.accuracy, constant=self.baseline) for one in trained]

    @property
    def curve(self) -> pd.DataFrame:
        """Return a row per trained model: arm, epsilon, repeat, accuracy."""
        return self.accuracy.frame("accuracy", arm=self.settings.arms)

    @property
    def classes(self) -> tuple[str, ...]:
        return self.split.source.classes

    @cached_property
    def held_out(self) -> dict[str, ByClass]:
        """Return what the models from scratch and the "reference" do on held-out rows, class by
        class.
        """
        X = losses.with_constant(self.split.X_test).astype(np.float32)
        models = {"scratch": self.focus.weights[0], "reference": self.reference.weights[None]}
        return {
            name: ByClass.of(weights @ X.T, self.split.y_test) for name, weights in models.items()
        }

    def table(self) -> pd.DataFrame:
        """Return the median accuracy in % at the nine epsilons, with and without pre-training, and
        as published.

        gain: the median difference of pairs of runs with the same noise, which need not be that of
        the medians.
        """
        without, *others = 100 * np.median(self.accuracy.runs, axis=-1)
        started = np.full(len(EPSILONS), np.nan)
        gain = started
        if others:
            started = others[0]
            gain = 100 * np.median(self.accuracy.runs[1] - self.accuracy.runs[0], axis=-1)
        before, after, printed = np.array(list(PUBLISHED.values())).T
        return pd.DataFrame(
            {
                "epsilon": np.array(EPSILONS),
                "without": without,
                "with": started,
                "gain": gain,
                "published without": before,
                "published with": after,
                "published gain": printed,
                "published gain computed": after - before,
            }
        )

    @property
    def gains(self) -> tuple[float | None, float, float | None] | None:
        """Return what the public start is shown to add in the median pair of runs, in points: the
        most, at which of the nine epsilons, and at the last, None where nothing is shown; None
        while one is still to be trained, or where there is no public start.
        """
        gains = self.table()["gain"].to_numpy()
        if np.isnan(gains).any():
            return None
        ahead = [case == Case.AHEAD for case in self._gain_cases]
        found = np.where(ahead, gains, -np.inf)
        most, last = (
            float(gain) if np.isfinite(gain) else None for gain in (found.max(), found[-1])
        )
        return most, EPSILONS[found.argmax()], last

    @property
    def too_few_for_gains(self) -> bool:
        """Return whether there are too few pairs of runs to show a gain at any of the nine
        epsilons.
        """
        return Case.FEW in self._gain_cases

    @property
    def _gain_cases(self) -> list[Case]:
        """Return what may be said of the runs with the public start beside the same runs without,
        at each epsilon.
        """
        started, scratch = self.accuracy.runs[1], self.accuracy.runs[0]
        pairs = zip(started, scratch, strict=True)
        return [compare(*pair, constant=self.baseline) for pair in pairs]


@cached
def _plane(split: data.Split, features: tuple[int, int] | None) -> Plane:
    """Return one plane for all models drawn in it, so that what does not move in it is
    drawn once.
    """
    source = split.source
    if len(source.features) > 2 and features:
        return feature_plane(split.X_public, *features, names=source.features, bounds=source.bounds)
    return usual_plane(split.X_public, names=source.features, bounds=source.bounds)
