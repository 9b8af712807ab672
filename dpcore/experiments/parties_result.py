"""What the parties page shows: accuracies of four private releases, their guarantees, and what one party can move."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore.accountants import gdp
from dpcore.experiments import parties_work as work
from dpcore.experiments.parties_work import Fits, Moves, Trial
from dpcore.parties import aggregation
from dpcore.parties.worlds import CONSTANT, parties
from dpcore.privacy import Adjacency, Composed, GaussianRelease, Guarantee, PureRelease

# Where the curves are computed.
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
PARTIES = (2, 5, 20, 60, 200, 600, 2000, 6000, 20_000)
QUERIES = tuple(int(a * 10**b) for b in range(5) for a in (1, 2, 5))
NOISE_AT = tuple(float(value) for value in np.geomspace(2, 20_000, 25))
_SHOWN_ROWS = 120


class Spread(NamedTuple):
    """The 5 %, 50 % and 95 % quantiles."""

    low: float
    median: float
    high: float


class Shown(NamedTuple):
    """Some private rows and their classes, as a map takes them."""

    X_private: np.ndarray
    y_private: np.ndarray
    source: Any


class Names(NamedTuple):
    classes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class PartiesResult:
    """What a page shows. Accuracies are shares of right answers on test rows; repeats are draws of the noise.

    asked: how many of the parties have been asked so far; until it is all of them, shares are theirs, and noise is that
    for all. over_epsilon, over_parties: a Trial for each of the places, None where still to be done. batch (k, d): one
    model of all rows, without privacy. moves: None until done. locals (L, GRID^2): what single parties say in the
    plane.
    """

    settings: Any
    asked: int
    fits: Fits
    now: Trial
    batch: np.ndarray
    moves: Moves | None
    locals: np.ndarray
    over_epsilon: tuple[Trial | None, ...]
    over_parties: tuple[Trial | None, ...]

    @cached_property
    def seen(self) -> tuple:
        """What decides what is shown: the settings, and whose answers there are. Parties being asked change nothing."""
        parts = (self.now, self.moves, *self.over_epsilon, *self.over_parties)
        return self.settings, self.asked, tuple(map(id, parts))

    def __hash__(self) -> int:
        return hash(self.seen)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartiesResult) and self.seen == other.seen

    @property
    def methods(self) -> tuple[str, ...]:
        return self.settings.model.methods

    @property
    def complete(self) -> bool:
        """Whether all of the parties have been asked."""
        return self.asked == self.settings.parties

    @property
    def kept(self) -> tuple[int, int]:
        """(in how many chunks they are asked, how many bytes are held of what they say): none of their rows."""
        chunks = len(self.settings.crowd.edges(self.settings.parties))
        return chunks, chunks * self.fits.kept

    @cached_property
    def summary(self) -> dict[str, Spread]:
        """Accuracy now, by method."""
        quantiles = np.quantile(self.now.accuracy, [0.05, 0.5, 0.95], axis=1).T
        return {name: Spread(*map(float, row)) for name, row in zip(self.methods, quantiles, strict=True)}

    @cached_property
    def exact(self) -> dict[str, float]:
        """Accuracy of what would be released without noise."""
        model = self.settings.model
        return {name: float(work.accuracy(model, weights)) for name, weights in self.fits.weights.items()}

    @cached_property
    def batch_accuracy(self) -> float:
        return float(work.accuracy(self.settings.model, self.batch))

    @cached_property
    def local(self) -> Spread:
        """Accuracy of the parties' own models."""
        return Spread(*map(float, np.quantile(self.fits.right, [0.05, 0.5, 0.95])))

    @property
    def chance(self) -> float:
        return 1 / self.settings.model.classes

    def sensitivity(self, release: str) -> float:
        """L2, with what the solver left over."""
        tolerance = 0.0 if release == "average" else self.fits.tolerance
        return self.settings.model.sensitivity(release, tolerance=tolerance)

    def published_sensitivity(self, release: str) -> float:
        """By the published constants."""
        model = self.settings.model
        options = {"classes": model.classes, "parties": model.parties, "regularisation": model.regularisation}
        return aggregation.sensitivity(release, constants="published", **options)

    def noise_norm(self, release: str, count: float | None = None) -> float:
        """The mean norm of the noise, with ``count`` parties: k d sensitivity / epsilon."""
        model = self.settings.model
        size = int(np.prod(model.shape))
        own = model if count is None else model.at(count)
        return size * own.sensitivity(release) / self.settings.epsilon

    def signal_norm(self, release: str) -> float:
        return float(np.linalg.norm(self.fits.weights[release]))

    @property
    def sigma(self) -> float:
        """PATE's noise, in votes."""
        return self.settings.model.sigma(self.settings.epsilon)

    def guarantee(self, method: str) -> Guarantee:
        """What a method promises to a whole party."""
        settings, base = self.settings, {"adjacency": Adjacency.REPLACE_ONE, "unit": "party"}
        if method == "pate":
            multiplier = self.sigma / aggregation.COUNTS_SENSITIVITY
            event = Composed(event=GaussianRelease(noise_multiplier=multiplier), count=settings.model.queries)
            return gdp.account(event, delta=settings.delta, **base)
        event = PureRelease(epsilon=settings.epsilon)
        basis = {
            "published": "norm-exponential noise, published sensitivity",
            "sharp": "norm-exponential noise, exact sensitivity of logistic loss",
            "norms": "norm-exponential noise, sensitivity with bounded weights",
        }[settings.constants if method != "average" or settings.constants == "norms" else "published"]
        return Guarantee(epsilon=settings.epsilon, delta=0.0, basis=basis, event=event, **base)

    def curve(self, method: str, over: str) -> tuple[np.ndarray, np.ndarray]:
        """Of what is done: places (m,), and 5 %, 50 % and 95 % quantiles of accuracy (3, m)."""
        places, trials = self._way(over)
        at = self.methods.index(method)
        return self._quantiles(places, [trial and trial.accuracy[at] for trial in trials])

    def excess(self) -> tuple[np.ndarray, np.ndarray]:
        """Places of the curve over parties, and quantiles of the soft release's excess risk."""
        places, trials = self._way("parties")
        return self._quantiles(places, [trial and trial.excess for trial in trials])

    def _way(self, over: str):
        return (EPSILONS, self.over_epsilon) if over == "epsilon" else (self.settings.places, self.over_parties)

    @staticmethod
    def _quantiles(places, found) -> tuple[np.ndarray, np.ndarray]:
        done = [place for place, one in enumerate(found) if one is not None]
        values = np.array([np.quantile(found[place], [0.05, 0.5, 0.95]) for place in done]).reshape(-1, 3).T
        return np.array([places[place] for place in done], dtype=float), values

    @cached_property
    def bound(self) -> pd.DataFrame | None:
        """Theorem 4 at today's epsilon over the number of parties; None where it is not about as many classes."""
        model = self.settings.model
        if model.classes > 2:
            return None
        norm = float(np.linalg.norm(work.reference(model, self.asked)))
        rows = [
            aggregation.theorem_four(
                parties=count,
                public_rows=model.crowd.public_rows,
                inputs=model.shape[1],
                regularisation=model.regularisation,
                epsilon=self.settings.epsilon,
                reference_norm=norm,
            )
            for count in NOISE_AT
        ]
        frame = pd.DataFrame(rows)
        return frame.assign(total=frame.sum(axis=1), parties=NOISE_AT)

    @cached_property
    def answers(self) -> pd.DataFrame:
        """Noisy answers one by one against one released model, over the number of questions."""
        truth, counts = self.settings.model.rows["check"].y, self.fits.counts
        queries = np.array(QUERIES)
        found = aggregation.answered(counts, truth, epsilon=self.settings.epsilon, queries=queries)
        return pd.DataFrame({"questions": queries, "right": found})

    @property
    def worth(self) -> int:
        """How many questions can be answered one by one before the released soft model would do better; 0: none."""
        better = self.answers["right"] > self.summary["soft"].median
        return int(self.answers["questions"][better].max()) if better.any() else 0

    @cached_property
    def shown(self) -> Shown:
        """The rows that the maps show: those of the first parties, whose labels may be careless."""
        settings = self.settings
        X, y = parties(settings.world, 0, min(settings.parties, -(-_SHOWN_ROWS // settings.rows)))
        kind = settings.world.kind
        return Shown(X.reshape(-1, kind.inputs)[:, :-1], y.ravel(), Names(kind.names))

    def plane_weights(self, name: str) -> np.ndarray:
        """Weights (R, k, d) of a method, or (1, k, d) of "batch", for features with a constant 1 behind them."""
        weights = self.batch[None] if name == "batch" else self.now.weights[self.methods.index(name)]
        return np.concatenate([weights[..., :-1], weights[..., -1:] * CONSTANT], axis=-1)

    @cached_property
    def locals_agree(self) -> tuple[np.ndarray, np.ndarray]:
        """What most of the first parties say at each place of the plane, and the share of them that do."""
        counts = np.stack([(self.locals == label).sum(axis=0) for label in range(self.settings.model.classes)])
        size = round(counts.shape[1] ** 0.5)
        return counts.argmax(axis=0).reshape(size, size), (counts.max(axis=0) / len(self.locals)).reshape(size, size)

    def table(self) -> pd.DataFrame:
        """A row a method: quantiles of accuracy now, without noise, sensitivity, noise and guarantee."""
        rows = []
        for name, spread in self.summary.items():
            held, pate = self.guarantee(name), name == "pate"
            rows.append(
                {
                    "method": name,
                    "low": spread.low,
                    "median": spread.median,
                    "high": spread.high,
                    "without noise": np.nan if pate else self.exact[name],
                    "sensitivity": aggregation.COUNTS_SENSITIVITY if pate else self.sensitivity(name),
                    "noise": self.sigma if pate else self.noise_norm(name),
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
            for place, trial in zip(*self._way(over), strict=True):
                if trial is not None:
                    index = pd.MultiIndex.from_product(
                        [[over], [place], self.methods, range(trial.accuracy.shape[1])],
                        names=["over", "at", "method", "repeat"],
                    )
                    frames.append(pd.DataFrame({"accuracy": trial.accuracy.ravel()}, index=index).reset_index())
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["over", "at", "method"])

    def moved(self) -> pd.DataFrame:
        """A row a release: how far one party moves it here, in the worst case, and by the bounds."""
        moves = self.moves or Moves(np.full((2, 1), np.nan), np.full(2, np.nan))
        rows = zip(("vote", "soft"), moves.here, moves.worst, strict=True)
        return pd.DataFrame(
            {
                "release": name,
                "largest of the parties tried": here.max(),
                "all rows tied": worst,
                "bound": self.sensitivity(name),
                "published bound": self.published_sensitivity(name),
            }
            for name, here, worst in rows
        )

    @property
    def unit_of_noise(self) -> int:
        """In how many dimensions the noise lives: k d."""
        return int(np.prod(self.settings.model.shape))
