"""The network's pieces of work: stretches of a training, and what they leave for the eye."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from dpcore.cache import cached
from dpcore.data import toy as data
from dpcore.streams import stream
from dpcore.training import losses, networks, sgd
from dpcore.training.sgd import Recipe
from lab.files import own_numbers

# A training is recorded at this many equal distances; every few of them it is also measured.
FRAMES, MEASURED_EVERY = 60, 5
# The frames of the table: a quarter, half, three quarters and the end of the training.
QUARTERS = tuple(FRAMES * part // 4 for part in (1, 2, 3, 4))
# Private rows, and networks, that losses and gradient norms are measured on: enough for a curve.
MEASURED_ROWS, MEASURED_NETWORKS = 200, 4
# (network, weight, example) cells of one stretch: some 40 ms of work.
_CELLS_AT_ONCE = 3.5e7
# A row that fills the cube [-1, 1]^d enters the network with this norm, or with its own, if that is more.
_INPUT_NORM = 7.0
# Of a person so many rows are learned from at most: a lot takes room for as many of each.
MOST_EACH = 8


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Which rows: a data set, or a file of one's own, its number of private rows and the seed of its split."""

    dataset: data.Dataset
    private_rows: int
    seed: int

    def load(self) -> data.Split:
        return data.load(self.dataset, seed=self.seed, private_rows=self.private_rows)

    def learned(self, most: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Return what networks are trained on, X (n, d), y (n,), and whose each row is (n,), or None where each is a
        person's only one: of the first ``most`` persons, or of all."""
        split = self.load()
        if split.several is None:
            return inputs(split.X_private[:most]), split.y_private[:most], None
        X, y, people = _of_persons(self)
        end = len(y) if most is None else int(np.searchsorted(people, most))
        return X[:end], y[:end], people[:end]

    @property
    def each(self) -> int:
        """The most rows that are learned from of one person."""
        several = data.source(self.dataset).several and self.load().several
        return int(np.bincount(_of_persons(self)[2]).max()) if several else 1


@cached(newest=2)
def _of_persons(rows: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return at most ``MOST_EACH`` rows of each person, picked by chance, from those with an answer where there are
    any."""
    X, y, people = rows.load().several
    counts, answered = np.bincount(people), np.bincount(people, weights=y >= 0).astype(int)
    theirs = np.lexsort((y < 0, people)), np.cumsum(counts) - counts, np.where(answered > 0, answered, counts)
    order = np.arange(len(counts))
    some, ends = own_numbers.taken(theirs, order, MOST_EACH, stream(rows.seed, "data", part=1))
    found = inputs(X[some]), y[some], np.repeat(order, np.diff(ends, prepend=0))
    for array in found:
        array.flags.writeable = False
    return found


def inputs(X: np.ndarray) -> np.ndarray:
    """Features (n, d) as they enter the network: scaled by a constant that depends on d only, 7 / sqrt(d) or 1.

    In few dimensions rows in [-1, 1]^d are so short that hidden units stay linear for long. No data are read.
    """
    return np.asarray(X * max(1.0, _INPUT_NORM / X.shape[1] ** 0.5), np.float32)


@dataclass(frozen=True, kw_only=True)
class Job:
    """A training of the networks ``first`` to ``last`` - 1 of an ensemble."""

    rows: Rows
    recipe: Recipe
    noise_multiplier: float
    first: int
    last: int

    @property
    def marks(self) -> np.ndarray:
        """The steps that are recorded: frame f is at step ``marks[f]``."""
        return np.round(np.linspace(0, self.recipe.steps, FRAMES + 1)).astype(int)

    def last_step(self, frame: int) -> int:
        """The number of the last step before a frame; of the first one at the start."""
        return max(int(self.marks[frame]) - 1, 0)

    def bounds(self, frame: int) -> tuple[float, ...]:
        """The recipe's clip bounds in the last step before a frame."""
        share = float(self.recipe.clip_shares[self.last_step(frame)])
        return tuple(bound * share for bound in self.recipe.bounds)

    @property
    def cells(self) -> float:
        """The work of one network: (weight, example, step) cells."""
        lot = self.recipe.sampling_rate * self.rows.private_rows * self.rows.each
        return self.recipe.architecture.parameters * lot * self.recipe.steps

    @property
    def frames_at_once(self) -> int:
        """Return how many frames one stretch goes on."""
        stretches = min(FRAMES, max(1, round((self.last - self.first) * self.cells / _CELLS_AT_ONCE)))
        return -(-FRAMES // stretches)

    @property
    def stretches(self) -> tuple["Stretch", ...]:
        """The whole training, piece by piece."""
        return tuple(Stretch(job=self, frame=frame) for frame in range(0, FRAMES, self.frames_at_once))

    def at(self, frame: int) -> np.ndarray:
        """The weights (R, P) at a recorded frame."""
        stretch = next(one for one in self.stretches if one.reached >= frame)
        return stretch.run().weights[frame - stretch.reached - 1]


class Trained(NamedTuple):
    """Per recorded frame (m) and network (R): ``weights`` (m, R, P); and where it is measured (m'): ``frames`` (m'),
    ``accuracy`` (m', R) on held-out rows, ``loss`` (m', R) on some private rows, in nats, and ``clipped``
    (m', layers + 1), the share of gradients that is clipped in each layer, and at all."""

    weights: np.ndarray
    frames: np.ndarray
    accuracy: np.ndarray
    loss: np.ndarray
    clipped: np.ndarray

    @classmethod
    def of(cls, stretches: Sequence[Self]) -> Self:
        """Stretches that follow one another, as one."""
        return cls(*map(np.concatenate, zip(*stretches, strict=True)))


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """From recorded frame ``frame`` on; the first stretch holds frame 0 too."""

    job: Job
    frame: int

    @property
    def essential(self) -> bool:
        """Return whether it is the first stretch of an ensemble's first networks."""
        return self.job.first == self.frame == 0

    @property
    def reached(self) -> int:
        """The last frame of this stretch."""
        return min(self.frame + self.job.frames_at_once, FRAMES)

    def run(self) -> Trained:
        return _stretch(self.job, self.frame)


@dataclass(frozen=True, kw_only=True)
class Ensemble:
    """The accuracy (R,) on held-out rows of the networks of some jobs, at one recorded frame of their training."""

    jobs: tuple[Job, ...]
    frame: int
    essential: bool = False

    def run(self) -> np.ndarray:
        weights = np.concatenate([job.at(self.frame) for job in self.jobs])
        return accuracy(self.jobs[0].recipe.architecture, weights, self.jobs[0].rows.load())


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What ``Ensemble`` says of the first ``given`` networks of a job, trained up to that frame with no other kept."""

    job: Job
    frame: int
    given: int
    essential: ClassVar[bool] = False

    def run(self) -> np.ndarray:
        job, marks = self.job, self.job.marks
        weights, end = _start(job), int(marks[self.frame])
        # Stretch by stretch, like the page: how the work is shared among cores follows from its size
        for one in job.stretches:
            first, last = int(marks[one.frame]), int(marks[one.reached])
            if first < end:
                weights = _train(job, weights, first=first, last=last, record=(min(end, last),)).history[0]
        return accuracy(job.recipe.architecture, weights, job.rows.load())[: self.given]


def _start(job: Job) -> np.ndarray:
    return job.recipe.architecture.start(job.rows.seed, range(job.first, job.last)).astype(np.float32)


def _train(job: Job, start: np.ndarray, **steps: Any) -> sgd.Training:
    """Train from ``start`` on. A training that diverges is visible; numpy's warnings are silenced."""
    X, y, people = job.rows.learned()
    with np.errstate(over="ignore", invalid="ignore"):
        return sgd.train(
            job.recipe,
            X,
            y,
            people=people,
            start=start,
            noise_multiplier=job.noise_multiplier,
            seed=job.rows.seed,
            draws=range(job.first, job.last),
            **steps,
        )


@cached
def _stretch(job: Job, frame: int) -> Trained:
    """A stretch goes on where the one before it has ended, which is looked up, or done again."""
    marks, reached = job.marks, Stretch(job=job, frame=frame).reached
    start = _stretch(job, frame - job.frames_at_once).weights[-1] if frame else _start(job)
    steps = np.unique(marks[frame + 1 : reached + 1])
    trained = _train(job, start, first=int(marks[frame]), last=int(marks[reached]), record=steps)
    known = np.concatenate([start[None], trained.history])
    place = np.searchsorted(np.append(marks[frame], steps), marks[frame + (1 if frame else 0) : reached + 1])
    weights = known[np.minimum(place, len(known) - 1)]
    with np.errstate(over="ignore", invalid="ignore"):
        return _measured(job, weights, first=frame + (1 if frame else 0))


def _measured(job: Job, weights: np.ndarray, *, first: int) -> Trained:
    """Return what the networks of some of the frames are worth, and what clipping does to them."""
    frames = np.arange(first, first + len(weights))
    frames = frames[frames % MEASURED_EVERY == 0]
    split, architecture = job.rows.load(), job.recipe.architecture
    X, y = inputs(split.X_private[:MEASURED_ROWS]), split.y_private[:MEASURED_ROWS]
    some = job.rows.learned(MEASURED_ROWS)
    shares, loss, clipped = [], [], []
    for at, bounds in zip(weights[frames - first], map(job.bounds, frames), strict=True):
        loss.append(mean_loss(architecture.logits(at, X), y))
        shares.append(accuracy(architecture, at, split))
        norms = networks.gradient_norms(architecture, at[:MEASURED_NETWORKS], *some)
        clipped.append(clipped_share(bounds, norms))
    one, layers = len(weights[0]), len(architecture.shapes)
    return Trained(
        weights=weights,
        frames=frames,
        accuracy=np.array(shares).reshape(-1, one),
        loss=np.array(loss).reshape(-1, one),
        clipped=np.array(clipped).reshape(-1, layers + 1),
    )


def mean_loss(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mean loss (R,) in nats of logits z (R, K, n); that of a row without a class (-1) is a guess's, ln K."""
    found = losses.values(z, np.maximum(y, 0))
    found[..., y < 0] = np.log(z.shape[-2])
    return found.mean(axis=-1)


def accuracy(architecture: networks.Architecture, weights: np.ndarray, split: data.Split) -> np.ndarray:
    """Share of right answers (R,) of weights (R, P) on the held-out rows."""
    with np.errstate(over="ignore", invalid="ignore"):  # of networks that have diverged
        return (architecture.logits(weights, inputs(split.X_test)).argmax(axis=1) == split.y_test).mean(axis=-1)


def clipped_share(bounds: tuple[float, ...], norms: np.ndarray) -> np.ndarray:
    """Shares of gradient norms (layers, R, n) that ``bounds`` clip in each layer, and at all: (layers + 1,)."""
    if not bounds:
        return np.zeros(len(norms) + 1)
    if len(bounds) > 1:
        each = norms > np.array(bounds)[:, None, None]
        return np.array([*each.mean(axis=(1, 2)), each.any(axis=0).mean()])
    whole = (np.sqrt(np.square(norms).sum(axis=0)) > bounds[0]).mean()
    return np.full(len(norms) + 1, whole)
