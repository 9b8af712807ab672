"""What the parties page shows: accuracies of four private releases, their guarantees, and what one
party can move.
"""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.cache import cached
from dpcore.mechanisms import noisy_max
from dpcore.mechanisms.randomised_response import RandomisedResponse
from lab.data.parties import PartyData, parties
from lab.experiment.parts import Grid
from lab.experiment.settings import Spread, Task
from lab.statistics.claims import Case, compare
from lab.statistics.confusion import ByClass
from pages.parties import published_bounds, tasks
from pages.parties.settings import PartiesParameters
from pages.parties.tasks import Ensemble, Fits, Moves, Trial

# Where the curves are computed.
NOISE_AT = tuple(float(value) for value in np.geomspace(2, 20_000, 25))
_SHOWN_ROWS = 120


@dataclass(frozen=True, kw_only=True, eq=False)
class Shown:
    """Some private rows (n, f), their classes (n,), and all names of ``classes``, as a map takes
    them.
    """

    X_private: np.ndarray
    y_private: np.ndarray
    classes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PartiesResult:
    """What a page shows. Accuracies are shares of right answers on test rows; repeats are draws of
    the noise.

    Two are equal that show the same tasks of the same settings: that parties are being asked in
    between changes nothing. done: the tasks behind what is shown. asked: how many of the parties
    have been asked so far; until it is all of them, shares are theirs, and noise is that for all.
    over: the accuracy (methods, V, R) along "epsilon" and "parties". excess (V, R): the soft
    release's excess risk along "parties". batch (k, d): one model of all rows, without privacy.
    moves: None until done. locals (L, GRID^2): what single parties say in the plane, if there is
    one.
    """

    settings: PartiesParameters
    done: frozenset[Task]
    asked: int
    fits: Fits = field(compare=False)
    now: Trial = field(compare=False)
    batch: np.ndarray = field(compare=False)
    moves: Moves | None = field(compare=False)
    locals: np.ndarray = field(compare=False)
    over: dict[str, Grid] = field(compare=False)
    excess: Grid = field(compare=False)

    @property
    def ensemble(self) -> Ensemble:
        return self.settings.ensemble

    @property
    def methods(self) -> tuple[str, ...]:
        return self.settings.model.methods

    @property
    def complete(self) -> bool:
        return self.asked == self.ensemble.parties

    @cached_property
    def summary(self) -> dict[str, Spread]:
        return {name: Spread.of(found) for name, found in self.now.runs.items()}

    @cached_property
    def exact(self) -> dict[str, float]:
        """Return the accuracy of what would be released without noise."""
        return {
            name: float(tasks.accuracy(self.ensemble, weights))
            for name, weights in self.fits.weights.items()
        }

    @cached_property
    def batch_accuracy(self) -> float:
        return float(tasks.accuracy(self.ensemble, self.batch))

    @cached_property
    def local(self) -> Spread:
        """Return the accuracy of the parties' own models."""
        return Spread.of(self.fits.accuracy)

    @property
    def chosen(self) -> np.ndarray:
        return self.now.of(self.settings.method)

    def beside_alone(self, runs: np.ndarray) -> Case:
        """Return what may be said of the accuracy (R,) of a release beside a party alone."""
        return compare(runs, self.local.median, constant=self.constant[1], complete=self.complete)

    def arm(self, method: str, along: str) -> Grid:
        return self.over[along].arms[self.methods.index(method)]

    @property
    def classes(self) -> tuple[str, ...]:
        return self.settings.world.kind.names

    @cached_property
    def held_out(self) -> dict[str, ByClass]:
        """Return what the models of each release, and that of all rows without privacy ("batch"),
        do on test rows, class by class.
        """
        models = dict(zip(self.methods, self.now.weights, strict=True)) | {
            "batch": self.batch[None]
        }
        test = self.ensemble.rows["test"]
        return {name: ByClass.of(weights @ test.X.T, test.y) for name, weights in models.items()}

    @property
    def chance(self) -> float:
        return 1 / self.ensemble.classes

    @property
    def constant(self) -> tuple[str, float]:
        """Return the best answer that is always the same, and its share of right answers on the
        test rows.
        """
        labels, found = np.unique(self.ensemble.rows["test"].y, return_counts=True)
        best = found.argmax()
        return self.classes[int(labels[best])], float(found[best] / found.sum())

    def sensitivity(self, release: str, *, published: bool = False) -> float:
        """Return the L2 sensitivity of a release with what the solver may leave over, or by the
        published constants.
        """
        return self.settings.model.sensitivity(release, published=published)

    @property
    def dimensions(self) -> int:
        """Return the dimension of the noise: k d."""
        return math.prod(self.ensemble.shape)

    def noise_norm(self, release: str) -> float:
        """Return the mean norm of the noise: k d sensitivity / epsilon."""
        return self.dimensions * self.sensitivity(release) / self.settings.epsilon

    def signal_norm(self, release: str) -> float:
        return float(np.linalg.norm(self.fits.weights[release]))

    @property
    def sigma(self) -> float:
        """Return PATE's noise, in votes."""
        return self.settings.model.sigma(self.settings.epsilon)

    def weight_sd(self, *, central: bool = False, parties: int = 0) -> float:
        """Return the standard deviation of the noise on each averaged weight; ``central``: of a
        trusted aggregator.
        """
        model = self.settings.model.at(parties or self.settings.parties)
        return (replace(model, trust_model="central") if central else model).weight_sd(
            self.settings.epsilon
        )

    @property
    def response(self) -> RandomisedResponse:
        """Return how a party answers about a public row, where it adds the noise itself."""
        return RandomisedResponse(epsilon=self.one, options=self.ensemble.classes)

    @property
    def one(self) -> float:
        """Return the epsilon of one message."""
        return self.settings.model.of_one(self.settings.epsilon)

    @property
    def truthful(self) -> float:
        """Return how many truthful answers have the sampling error of the randomised ones so far,
        if classes are even.

        M (p - q)^2: an estimate's variance is P (1 - P) / (M (p - q)^2), and the share P of answers
        stays 1/k.
        """
        return self.asked * (self.response.truth_probability - self.response.other_probability) ** 2

    @property
    def few(self) -> float:
        """Return how many parties give a trusted aggregator's average as little noise."""
        return self.settings.parties * self.weight_sd(central=True) / self.weight_sd()

    @cached_property
    def bound(self) -> dict[str, np.ndarray]:
        """Return Theorem 4 with each of ``NOISE_AT`` parties, its "total" and its parts; for two
        classes only.
        """
        rows = [self.theorem("soft", count) for count in NOISE_AT]
        parts = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        return parts | {"total": np.sum([*parts.values()], axis=0)}

    def theorem(self, release: str, parties: float | None = None) -> dict[str, float]:
        """Return the parts of the bound on a release's excess risk, in nats; a vote's is that of
        one party, as M moves no noise.
        """
        own = self.ensemble
        return published_bounds.theorem_four(
            parties=1 if release == "vote" else parties or own.parties,
            public_rows=own.crowd.public_rows,
            inputs=own.shape[1],
            regularisation=own.regularisation,
            epsilon=self.settings.epsilon,
            reference_norm=float(np.linalg.norm(tasks.reference(own, self.asked, release))),
        )

    @property
    def shown(self) -> Shown:
        """Return the rows that the maps show: those of the first parties."""
        world = self.ensemble.crowd.world
        return _shown(world, min(self.ensemble.parties, -(-_SHOWN_ROWS // world.rows)))

    @cached_property
    def locals_agree(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what most of the first parties say at each place of the plane, and the share of
        them that do.
        """
        counts = np.stack(
            [np.sum(self.locals == label, axis=0) for label in range(self.ensemble.classes)]
        )
        square = (tasks.GRID, tasks.GRID)
        return counts.argmax(axis=0).reshape(square), (
            counts.max(axis=0) / len(self.locals)
        ).reshape(square)

    def table(self) -> pd.DataFrame:
        """Return a row per method: quantiles of accuracy now, without noise, sensitivity, noise and
        guarantee.
        """
        rows = []
        for name, spread in self.summary.items():
            held, (sensitivity, noise) = self.settings.guarantee_of(name), self._scale(name)
            bare = name == "pate" or math.isnan(noise)
            rows.append(
                {
                    "method": name,
                    **spread._asdict(),
                    "without noise": np.nan if bare else self.exact[name],
                    "sensitivity": sensitivity,
                    "noise": noise,
                    "epsilon": held.epsilon,
                    "delta": held.delta,
                    "unit": held.unit,
                }
            )
        return pd.DataFrame(rows)

    def _scale(self, release: str) -> tuple[float, float]:
        """Return sensitivity and noise of a release as its table has them; NaN of randomised
        answers.
        """
        if release == "pate":
            return noisy_max.COUNTS_SENSITIVITY, self.sigma
        if self.settings.model.central:
            return self.sensitivity(release), self.noise_norm(release)
        if release == "average":
            return self.settings.model.sensitivity(release, 1), self.weight_sd()
        return math.nan, math.nan

    def curves(self) -> pd.DataFrame:
        """Return a row per released model: over, at, method, repeat, accuracy."""
        frames = {
            along: grid.frame("accuracy", over="at", method=self.methods)
            for along, grid in self.over.items()
        }
        found = (
            pd.concat(frames, names=["over"])
            .reset_index("over")
            .sort_values(["over", "at"], ignore_index=True)
        )
        return found[["over", "at", "method", "repeat", "accuracy"]]

    def moved(self) -> pd.DataFrame:
        """Return how far one party moves each release: the parties tried, in the worst case, and by
        the bounds.
        """
        moves, releases = (
            self.moves or Moves(np.full((2, 1), np.nan), np.full(2, np.nan)),
            ("vote", "soft"),
        )
        return pd.DataFrame(
            {
                "release": releases,
                "largest of the parties tried": moves.here.max(axis=1),
                "all rows tied": moves.worst,
                "bound": [self.sensitivity(name) for name in releases],
                "published bound": [self.sensitivity(name, published=True) for name in releases],
            }
        )


@cached
def _shown(world: PartyData, count: int) -> Shown:
    kind, (X, y) = world.kind, parties(world, 0, count)
    return Shown(
        X_private=X.reshape(-1, kind.inputs)[:, :-1], y_private=y.ravel(), classes=kind.names
    )
