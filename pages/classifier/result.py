"""What the classifier's page shows: accuracy, loss, decision regions and guarantees of the private models."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpcore.confusion import ByClass, confusion
from dpcore.data import toy as data
from dpcore.estimators.recipes import EPSILONS, PUBLISHED, Guarantees
from dpcore.training import losses
from lab import differences
from lab.boundaries import Plane, boundaries, votes
from lab.claims import Case, compare
from lab.ensemble import Grid
from lab.settings import Settings, Spread, quantiles_of
from pages.classifier.work import (
    FocusOutcome,
    ReferenceOutcome,
)


class Gains(NamedTuple):
    """What the public start is shown to add to the median accuracy, in points: the ``most``, ``at`` which epsilon, and
    at the last; None where nothing is shown."""

    most: float | None
    at: float
    last: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassifierResult:
    """What a page shows.

    plane: where decisions are drawn; None where no row is public.
    accuracy: held-out accuracy (A, E, R) by arm, epsilon of ``EPSILONS`` and repeat.
    apart (R,): that of rows clipped one by one, see ``Apart``; None where no number of rows is declared, or not yet.
    """

    settings: Settings
    split: data.Split
    plane: Plane | None
    focus: FocusOutcome
    reference: ReferenceOutcome
    accuracy: Grid
    guarantees: Guarantees
    apart: np.ndarray | None = None

    @property
    def trained(self) -> int:
        """Return how many repeats are trained so far at today's epsilon, in each arm."""
        return self.focus.accuracy.shape[1]

    def summary(self) -> dict[str, Spread]:
        """Held-out accuracy at today's epsilon, by arm."""
        return self._summary

    @cached_property
    def _summary(self) -> dict[str, Spread]:
        return dict(zip(self.settings.arms, map(Spread.of, self.focus.accuracy), strict=True))

    def losses(self) -> np.ndarray:
        """Quantiles of the loss, (3, A, m), as in ``loss_curves``."""
        return quantiles_of(self.focus.loss, axis=1)

    @property
    def gain(self) -> tuple[float, float, float] | None:
        """(median, low, high) of what the public start adds to a run's accuracy, None where there is no such start.

        Paired, because repeat r has the same noise in both arms; low and high: the sign test's 95 % interval.
        """
        if len(self.focus.accuracy) < 2:
            return None
        found = differences.of_pairs(*self.focus.accuracy[::-1])
        return found.median, found.low, found.high

    @property
    def costs(self) -> Case:
        """Return what may be said of today's private runs from zero beside the model without privacy."""
        base, complete = self.split.best_constant[1], self.trained == self.settings.repeats
        return compare(self.focus.accuracy[0], self.reference.accuracy, constant=base, complete=complete)

    def costs_over_epsilon(self) -> list[Case]:
        """The same at each epsilon of the curve that is trained."""
        base, runs = self.split.best_constant[1], self.accuracy.runs[0]
        trained = runs[~np.isnan(runs).any(axis=1)]
        return [compare(runs, self.reference.accuracy, constant=base) for runs in trained]

    def end_losses(self) -> dict[str, float]:
        """Median loss on the private rows after the last step, by arm, in nats."""
        return dict(zip(self.settings.arms, map(float, np.median(self.focus.loss[..., -1], axis=1)), strict=True))

    def loss_curves(self) -> pd.DataFrame:
        """Loss on the private rows by arm and step: the 5 %, 50 % and 95 % quantiles of the repeats, in nats."""
        quantiles = self.losses()
        index = pd.MultiIndex.from_product([self.settings.arms, self.focus.steps], names=["arm", "step"])
        columns = dict(zip(Spread._fields, quantiles.reshape(3, -1), strict=True))
        return pd.DataFrame(columns, index=index).reset_index()

    def regions(self, arm: int) -> tuple[np.ndarray, np.ndarray]:
        """(winning class, share of the ensemble) over the plane, (64, 64) each."""
        return votes(self.focus.weights[arm], self.plane)

    def reference_regions(self) -> tuple[np.ndarray, np.ndarray]:
        return votes(self.reference.weights[None], self.plane)

    def boundaries(self, arm: int) -> np.ndarray:
        """Boundary segments (m, 2, 2) of all repeats."""
        return boundaries(self.focus.weights[arm], self.plane)

    def reference_boundaries(self) -> np.ndarray:
        return boundaries(self.reference.weights[None], self.plane)

    @property
    def curve(self) -> pd.DataFrame:
        """Return a row per trained model: arm, epsilon, repeat, accuracy."""
        return self.accuracy.frame("accuracy", arm=self.settings.arms)

    def quantiles(self, arm: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the epsilons (m,) trained so far, and the quantiles (3, m) of accuracy there."""
        return self.accuracy.arms[arm].over()

    @property
    def classes(self) -> tuple[str, ...]:
        return self.split.source.classes

    @cached_property
    def held_out(self) -> dict[str, ByClass]:
        """Return what the models of each arm, and the "reference", do on held-out rows, class by class."""
        found = zip(
            (*self.settings.arms, "reference"), (*self.focus.weights, self.reference.weights[None]), strict=True
        )
        return {name: self._on_held_out(weights) for name, weights in found}

    def _on_held_out(self, weights: np.ndarray) -> ByClass:
        X, y = losses.with_constant(self.split.X_test).astype(np.float32), self.split.y_test
        counts = confusion(losses.predict(weights, X), y, classes=self.split.n_classes)
        return ByClass(counts=counts, loss=losses.mean_loss(weights, X, y))

    def table(self) -> pd.DataFrame:
        """Median accuracy in % at the nine epsilons, with and without pre-training, and the published figures."""
        return pd.DataFrame(self.columns())

    def columns(self) -> dict[str, np.ndarray]:
        """Those of the ``table``, (9,) each."""
        median = 100 * np.median(self.accuracy.runs, axis=-1)
        without, started = median if len(median) > 1 else (median[0], np.full(len(EPSILONS), np.nan))
        before, after, gain = np.array(list(PUBLISHED.values())).T
        return {
            "epsilon": np.array(EPSILONS),
            "without": without,
            "with": started,
            "gain": started - without,
            "published without": before,
            "published with": after,
            "published gain": gain,
            "published gain computed": after - before,
        }

    @property
    def gains(self) -> Gains | None:
        """Over the nine epsilons; None while one is still to be trained, or where there is no public start."""
        if np.isnan(self.columns()["gain"]).any():
            return None
        base = self.split.best_constant[1]
        pairs = zip(self.accuracy.runs[1], self.accuracy.runs[0], strict=True)
        ahead = [compare(started, scratch, constant=base) == Case.AHEAD for started, scratch in pairs]
        found = np.where(ahead, self.columns()["gain"], -np.inf)
        most, last = (float(gain) if np.isfinite(gain) else None for gain in (found.max(), found[-1]))
        return Gains(most, EPSILONS[found.argmax()], last)
