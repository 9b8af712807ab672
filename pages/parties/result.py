"""What the parties page shows: accuracies of four private releases, their guarantees, and what one party can move."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore.cache import cached
from dpcore.confusion import ByClass, confusion
from dpcore.parties import aggregation, pate
from dpcore.parties.worlds import CONSTANT, World, parties
from dpcore.privacy import Guarantee
from dpcore.training import losses
from lab.claims import Case, compare, leaders, upto
from lab.settings import Settings, Spread, Task, quantiles_of
from pages.parties import work
from pages.parties.work import Ensemble, Fits, Moves, Trial

# Where the curves are computed.
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
PARTIES = (2, 5, 20, 60, 200, 600, 2000, 6000, 20_000)
QUERIES = tuple(int(a * 10**b) for b in range(5) for a in (1, 2, 5))
NOISE_AT = tuple(float(value) for value in np.geomspace(2, 20_000, 25))
_SHOWN_ROWS = 120


@dataclass(frozen=True, kw_only=True, eq=False)
class Shown:
    """Some private rows and their classes, as a map takes them."""

    X_private: np.ndarray
    y_private: np.ndarray
    source: Any


class Names(NamedTuple):
    classes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PartiesResult:
    """What a page shows. Accuracies are shares of right answers on test rows; repeats are draws of the noise.

    Two are equal that show the same tasks of the same settings: that parties are being asked in between changes
    nothing. done: the tasks behind what is shown. asked: how many of the parties have been asked so far; until it is
    all of them, shares are theirs, and noise is that for all. over_epsilon, over_parties: a Trial for each of the
    places, None where still to be done. batch (k, d): one model of all rows, without privacy. moves: None until done.
    locals (L, GRID^2): what single parties say in the plane, where there is one.
    """

    settings: Settings
    done: frozenset[Task]
    asked: int
    fits: Fits = field(compare=False)
    now: Trial = field(compare=False)
    batch: np.ndarray = field(compare=False)
    moves: Moves | None = field(compare=False)
    locals: np.ndarray | None = field(compare=False)
    over_epsilon: tuple[Trial | None, ...] = field(compare=False)
    over_parties: tuple[Trial | None, ...] = field(compare=False)

    @property
    def ensemble(self) -> Ensemble:
        return self.settings.model.ensemble

    @property
    def methods(self) -> tuple[str, ...]:
        return self.settings.model.methods

    @property
    def complete(self) -> bool:
        """Return whether all of the parties have been asked."""
        return self.asked == self.ensemble.parties

    @property
    def kept(self) -> tuple[int, int]:
        """(in how many chunks they are asked, how many bytes are held of what they say): none of their rows."""
        chunks = len(self.ensemble.crowd.edges(self.ensemble.parties))
        return chunks, chunks * self.fits.kept

    @cached_property
    def summary(self) -> dict[str, Spread]:
        """Accuracy now, by method."""
        return {name: Spread.of(found) for name, found in zip(self.methods, self.now.accuracy, strict=True)}

    @cached_property
    def exact(self) -> dict[str, float]:
        """Accuracy of what would be released without noise."""
        own = self.ensemble
        return {name: float(work.accuracy(own, weights)) for name, weights in self.fits.weights.items()}

    @cached_property
    def batch_accuracy(self) -> float:
        return float(work.accuracy(self.ensemble, self.batch))

    @cached_property
    def local(self) -> Spread:
        """Accuracy of the parties' own models."""
        return Spread.of(self.fits.accuracy)

    @property
    def chosen(self) -> np.ndarray:
        """Accuracy (R,) of the chosen release, a number for each draw of the noise."""
        return self.now.accuracy[self.methods.index(self.settings.method)]

    @cached_property
    def joining(self) -> Case:
        """Return what may be said of the chosen release beside a party alone."""
        return self._beside_alone(self.chosen)

    def _beside_alone(self, runs: np.ndarray) -> Case:
        return compare(runs, self.local.median, constant=self.constant[1], complete=self.complete)

    @cached_property
    def leaders(self) -> tuple[str, ...]:
        """The release with the best median, and those that cannot be told apart from it."""
        return leaders(dict(zip(self.methods, self.now.accuracy, strict=True)))

    def joining_over(self, over: str) -> dict[float, Case]:
        """Return what may be said of the chosen release beside a party alone, at each place of a whole curve and
        today's."""
        places, trials = self._trials(over)
        at = self.methods.index(self.settings.method)
        found = {place: trial.accuracy[at] for place, trial in zip(places, trials, strict=True)}
        found[getattr(self.settings, over)] = self.chosen
        return {place: self._beside_alone(found[place]) for place in sorted(found)}

    @property
    def classes(self) -> tuple[str, ...]:
        return self.settings.world.kind.names

    @cached_property
    def held_out(self) -> dict[str, ByClass]:
        """Return what the models of each release, and that of all rows without privacy ("batch"), do on test rows,
        class by class."""
        models = dict(zip(self.methods, self.now.weights, strict=True)) | {"batch": self.batch[None]}
        return {name: self._on_held_out(weights) for name, weights in models.items()}

    def _on_held_out(self, weights: np.ndarray) -> ByClass:
        test = self.ensemble.rows["test"]
        counts = confusion(losses.predict(weights, test.X), test.y, classes=self.ensemble.classes)
        return ByClass(counts=counts, loss=losses.mean_loss(weights, test.X, test.y))

    @property
    def chance(self) -> float:
        return 1 / self.ensemble.classes

    @property
    def constant(self) -> tuple[str, float]:
        """The best answer that is always the same, and its share of right answers on the test rows."""
        labels, found = np.unique(self.ensemble.rows["test"].y, return_counts=True)
        best = found.argmax()
        return self.settings.world.kind.names[int(labels[best])], float(found[best] / found.sum())

    def sensitivity(self, release: str) -> float:
        """L2, with what the solver may leave over."""
        return self.settings.model.sensitivity(release)

    def published_sensitivity(self, release: str) -> float:
        """Return the sensitivity by the published constants."""
        own = self.ensemble
        options = {"classes": own.classes, "parties": own.parties, "regularisation": own.regularisation}
        return aggregation.sensitivity(release, constants="published", **options)

    def noise_norm(self, release: str) -> float:
        """The mean norm of the noise: k d sensitivity / epsilon."""
        return self.dimensions * self.sensitivity(release) / self.settings.left

    def noise_norms(self, release: str) -> np.ndarray:
        """The same with each of ``NOISE_AT`` parties."""
        return self.dimensions * work.sensitivities(self.settings.model, release, NOISE_AT) / self.settings.left

    @property
    def dimensions(self) -> int:
        """Return the dimension of the noise: k d."""
        return math.prod(self.ensemble.shape)

    def signal_norm(self, release: str) -> float:
        return float(np.linalg.norm(self.fits.weights[release]))

    @property
    def sigma(self) -> float:
        """PATE's noise, in votes."""
        return self.settings.model.sigma(self.settings.epsilon)

    def guarantee(self, method: str) -> Guarantee:
        """Return what a method promises to a whole party."""
        return self.settings.guarantee(method)

    def curve(self, method: str, over: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the places (m,) that are done, and the 5 %, 50 % and 95 % quantiles of accuracy (3, m) there."""
        places, trials = self._trials(over)
        at = self.methods.index(method)
        return self._quantiles(places, [trial and trial.accuracy[at] for trial in trials])

    def excess(self) -> tuple[np.ndarray, np.ndarray]:
        """Places of the curve over parties, and quantiles of the soft release's excess risk."""
        places, trials = self._trials("parties")
        return self._quantiles(places, [trial and trial.excess for trial in trials])

    def places(self, over: str) -> tuple[float, ...]:
        """Return where a curve will be known."""
        return self._trials(over)[0]

    def _trials(self, over: str):
        return (
            (self.settings.epsilons, self.over_epsilon)
            if over == "epsilon"
            else (self.settings.places, self.over_parties)
        )

    @staticmethod
    def _quantiles(places, found) -> tuple[np.ndarray, np.ndarray]:
        done = [place for place, one in enumerate(found) if one is not None]
        values = np.array([quantiles_of(found[place]) for place in done]).reshape(-1, 3).T
        return np.array([places[place] for place in done], dtype=float), values

    @cached_property
    def bound(self) -> dict[str, np.ndarray] | None:
        """Theorem 4 at today's epsilon over the number of parties, its ``total`` and its parts; None where it is not
        about as many classes.
        """
        own = self.ensemble
        if own.classes > 2:
            return None
        rows = [self.theorem("soft", count) for count in NOISE_AT]
        parts = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        return parts | {"total": sum(parts.values()), "parties": np.array(NOISE_AT)}

    @property
    def bound_now(self) -> float:
        """The bound of Theorem 4 with today's parties, in nats."""
        return sum(self.theorem("soft").values())

    def theorem(self, release: str, parties: float | None = None) -> dict[str, float]:
        """The parts of the bound on a release's excess risk; of a vote, that of one party, as M moves no noise."""
        own = self.ensemble
        return aggregation.theorem_four(
            parties=1 if release == "vote" else parties or own.parties,
            public_rows=own.crowd.public_rows,
            inputs=own.shape[1],
            regularisation=own.regularisation,
            epsilon=self.settings.left,
            reference_norm=float(np.linalg.norm(work.reference(own, self.asked, release))),
        )

    def excess_now(self, release: str) -> np.ndarray:
        """Excess risk (R,) of a release's models under what the crowd says, its shares or its majority, in nats."""
        if release == "soft":
            return self.now.excess
        own, weights = self.ensemble, self.now.weights[self.methods.index(release)]
        best = work.risk(own, work.reference(own, self.asked, release), self.asked, release)
        return work.risk(own, weights, self.asked, release) - best

    @cached_property
    def answered(self) -> np.ndarray:
        """The share of right answers to each of ``QUERIES`` questions, when each gets its own noise."""
        truth, counts = self.ensemble.rows["check"].y, self.fits.counts
        return aggregation.answered(counts, truth, epsilon=self.settings.left, queries=np.array(QUERIES))

    def answers(self) -> pd.DataFrame:
        """Noisy answers one by one against one released model, over the number of questions."""
        return pd.DataFrame({"questions": QUERIES, "right": self.answered})

    @cached_property
    def worth(self) -> int:
        """Return how many questions are shown to be answered better one by one than by the released soft model; 0:
        none."""
        soft = self.now.accuracy[self.methods.index("soft")]
        how = {"constant": self.constant[1], "complete": self.complete}
        better = upto([compare(soft, float(right), **how) for right in self.answered], Case.BEHIND)
        return QUERIES[better - 1] if better else 0

    @property
    def shown(self) -> Shown:
        """The rows that the maps show: those of the first parties, whose labels may be careless."""
        world = self.ensemble.crowd.world
        return _shown(world, min(self.ensemble.parties, -(-_SHOWN_ROWS // world.rows)))

    def plane_weights(self, name: str) -> np.ndarray:
        """Weights (R, k, d) of a method, or (1, k, d) of "batch", for features with a constant 1 behind them."""
        weights = self.batch[None] if name == "batch" else self.now.weights[self.methods.index(name)]
        return np.concatenate([weights[..., :-1], weights[..., -1:] * CONSTANT], axis=-1)

    @cached_property
    def locals_agree(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what most of the first parties say at each place of the plane, and the share of them that do."""
        counts = np.stack([(self.locals == label).sum(axis=0) for label in range(self.ensemble.classes)])
        size = round(counts.shape[1] ** 0.5)
        return counts.argmax(axis=0).reshape(size, size), (counts.max(axis=0) / len(self.locals)).reshape(size, size)

    def table(self) -> pd.DataFrame:
        """A row a method: quantiles of accuracy now, without noise, sensitivity, noise and guarantee."""
        rows = []
        for name, spread in self.summary.items():
            held, single = self.guarantee(name), name == "pate"
            rows.append(
                {
                    "method": name,
                    "low": spread.low,
                    "median": spread.median,
                    "high": spread.high,
                    "without noise": np.nan if single else self.exact[name],
                    "sensitivity": pate.COUNTS_SENSITIVITY if single else self.sensitivity(name),
                    "noise": self.sigma if single else self.noise_norm(name),
                    "epsilon": held.epsilon,
                    "delta": held.delta,
                    "unit": held.unit,
                }
            )
        return pd.DataFrame(rows)

    def curves(self) -> pd.DataFrame:
        """A row a released model: over, at, method, repeat, accuracy."""
        frames = []
        for over in ("epsilon", "parties"):
            for place, trial in zip(*self._trials(over), strict=True):
                if trial is not None:
                    index = pd.MultiIndex.from_product(
                        [[over], [place], self.methods, range(trial.accuracy.shape[1])],
                        names=["over", "at", "method", "repeat"],
                    )
                    frames.append(pd.DataFrame({"accuracy": trial.accuracy.ravel()}, index=index).reset_index())
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["over", "at", "method"])

    @cached_property
    def movements(self) -> list[dict[str, Any]]:
        """Return how far one party moves each release: here, in the worst case, and by the bounds."""
        moves = self.moves or Moves(np.full((2, 1), np.nan), np.full(2, np.nan))
        rows = zip(("vote", "soft"), moves.here, moves.worst, strict=True)
        return [
            {
                "release": name,
                "largest of the parties tried": here.max(),
                "all rows tied": worst,
                "bound": self.sensitivity(name),
                "published bound": self.published_sensitivity(name),
            }
            for name, here, worst in rows
        ]

    def moved(self) -> pd.DataFrame:
        """The ``movements``, a row a release."""
        return pd.DataFrame(self.movements)


@cached
def _shown(world: World, count: int) -> Shown:
    kind, (X, y) = world.kind, parties(world, 0, count)
    return Shown(X_private=X.reshape(-1, kind.inputs)[:, :-1], y_private=y.ravel(), source=Names(classes=kind.names))
