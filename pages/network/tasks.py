"""The network's work: stretches of a training, and what their networks reach."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from dpcore.cache import cached
from dpcore.streams import stream
from dpcore.training import losses, network_gradients, sgd
from dpcore.training.sgd_recipe import Recipe
from lab.data import classification as data
from lab.experiment.data_settings import MOST_LIVE, split_of
from lab.experiment.parts import Runs, slices
from lab.uploads import regression_rows
from lab.uploads.persons import RowsByPerson

# A training is recorded at this many equal distances; every few of them it is also measured.
FRAMES, MEASURED_EVERY = 60, 5
# The frames of the table: a quarter, half, three quarters and the end of the training.
QUARTERS = tuple(FRAMES * part // 4 for part in (1, 2, 3, 4))
# Private rows, and networks, that losses and gradient norms are measured on: enough for a curve.
MEASURED_ROWS, MEASURED_NETWORKS = 200, 4
# Networks are trained in groups: the first is there soon, the others follow; of more rows than
# sliders can move with, first so few, and the others one by one.
_FIRST_GROUP, _GROUP, _FEWEST = 4, 6, 2
# (network, weight, example) cells of one stretch: some 40 ms of work; a step takes as long as so
# many, however small.
_CELLS_AT_ONCE, _CELLS_OF_A_STEP = 3.5e7, 6e4
# A row that fills the cube [-1, 1]^d enters the network with this norm, or with its own, if that is
# more.
_INPUT_NORM = 7.0
# Of a person so many rows are learned from at most: a lot takes room for as many of each.
MOST_EACH = 8


class Trained(NamedTuple):
    """Per recorded frame (m) and network (R): ``weights`` (m, R, P); and where it is measured (m'):
    ``frames`` (m'), ``accuracy`` (m', R) on held-out rows, ``loss`` (m', R) on some private rows
    and ``tested`` (m', R) on some held-out ones, in nats, and ``clipped`` (m', layers + 1), the
    share of gradients that is clipped in each layer, and at all.
    """

    weights: np.ndarray
    frames: np.ndarray
    accuracy: np.ndarray
    loss: np.ndarray
    tested: np.ndarray
    clipped: np.ndarray

    @classmethod
    def of(cls, stretches: Sequence[Self]) -> Self:
        return cls(*map(np.concatenate, zip(*stretches, strict=True)))


@dataclass(frozen=True, kw_only=True)
class Training:
    """All that decides the networks of an arm, but for which repeats there are.

    dataset: a data set, or a file of one's own. private_rows: how many there are. seed: of the
        split, and of all
    draws. recipe: how each network is trained, with ``noise_multiplier`` for each of its bounds.
    rows_each: rows of a person, see ``split_of``.
    """

    dataset: data.Dataset
    private_rows: int
    seed: int
    recipe: Recipe
    noise_multiplier: float
    rows_each: int = 1

    @property
    def split(self) -> data.Split:
        return split_of(
            self.dataset, seed=self.seed, private_rows=self.private_rows, rows_each=self.rows_each
        )

    @property
    def _rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return _of_persons(self.dataset, self.private_rows, self.seed, self.rows_each)

    def learned(self, most: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Return what networks are trained on, X (n, d), y (n,), and whose each row is (n,), or
        None where each is a person's only one: of the first ``most`` persons, or of all.
        """
        split = self.split
        if split.several is None:
            return inputs(split.X_private[:most]), split.y_private[:most], None
        X, y, people = self._rows
        end = len(y) if most is None else int(np.searchsorted(people, most))
        return X[:end], y[:end], people[:end]

    @property
    def marks(self) -> np.ndarray:
        """Return the steps that are recorded: frame f is at step ``marks[f]``."""
        return np.round(np.linspace(0, self.recipe.steps, FRAMES + 1)).astype(int)

    def last_step(self, frame: int) -> int:
        """Return the number of the last step before a frame; of the first one at the start."""
        return max(int(self.marks[frame]) - 1, 0)

    def bounds(self, frame: int) -> tuple[float, ...]:
        """Return the recipe's clip bounds in the last step before a frame."""
        share = float(self.recipe.clip_shares[self.last_step(frame)])
        return tuple(bound * share for bound in self.recipe.bounds)

    @property
    def cells(self) -> float:
        """Return the work of one network: (weight, example, step) cells, with the most rows of one
        person for each.
        """
        several = self.rows_each > 1 or (data.source(self.dataset).several and self.split.several)
        counts = np.bincount(self._rows[2]) if several else np.ones(self.private_rows, int)
        lot = self.recipe.sampling_rate * len(counts) * int(counts.max())
        return self.recipe.architecture.parameters * lot * self.recipe.steps

    def groups(self, count: int) -> tuple[range, ...]:
        """Split the first ``count`` networks into groups that are trained together."""
        beyond = self.private_rows > MOST_LIVE
        first, width = (_FEWEST, 1) if beyond else (min(_FIRST_GROUP, count), _GROUP)
        return tuple(range(*ends) for ends in pairwise([0, *range(first, count, width), count]))

    def frames_at_once(self, count: int) -> int:
        """Return how many frames one stretch of ``count`` networks goes on."""
        cells = count * self.cells + self.recipe.steps * _CELLS_OF_A_STEP
        stretches = min(FRAMES, max(1, round(cells / _CELLS_AT_ONCE)))
        return -(-FRAMES // stretches)

    def stretches(self, count: int) -> tuple["Stretches", ...]:
        """Return the whole training of the first ``count`` networks, piece by piece, for each
        group.
        """
        return tuple(self.stretches_of(group) for group in self.groups(count))

    def stretches_of(self, group: range) -> "Stretches":
        return slices(stretch, self, range(0, FRAMES, self.frames_at_once(len(group))), [group])

    def weights_at(self, frame: int, group: range) -> np.ndarray:
        task = next(one for one in self.stretches_of(group) if reached(one) >= frame)
        return task.run().weights[frame - reached(task) - 1]

    def accuracy(self, weights: np.ndarray) -> np.ndarray:
        """Return the share of right answers (R,) of weights (R, P) on the held-out rows."""
        split = self.split
        with np.errstate(over="ignore", invalid="ignore"):  # of networks that have diverged
            z = self.recipe.architecture.logits(weights, inputs(split.X_test))
            return (z.argmax(axis=1) == split.y_test).mean(axis=-1)

    def start(self, repeats: range) -> np.ndarray:
        return self.recipe.architecture.start(self.seed, repeats).astype(np.float32)

    def train(
        self, repeats: range, start: np.ndarray, *, first: int, last: int, record: Sequence[int]
    ) -> sgd.Training:
        """Train from ``start`` on.

        A training that diverges is visible; numpy's warnings are silenced.
        """
        X, y, people = self.learned()
        with np.errstate(over="ignore", invalid="ignore"):
            return sgd.train(
                self.recipe,
                X,
                y,
                people=people,
                start=start,
                noise_multiplier=self.noise_multiplier,
                seed=self.seed,
                draws=repeats,
                first=first,
                last=last,
                record=record,
            )


# The training of a group of networks, from a recorded frame on each.
Stretch = Runs[Training, Trained]
Stretches = tuple[Stretch, ...]


def reached(task: Stretch) -> int:
    return min(task.at[0] + task.model.frames_at_once(task.count), FRAMES)


@cached
def stretch(model: Training, at: tuple[int], repeats: range) -> Trained:
    """Train some networks from a recorded frame on; the first stretch holds frame 0 too.

    A stretch goes on where the one before it has ended, which is looked up, or done again.
    """
    (begin,), marks, width = at, model.marks, model.frames_at_once(len(repeats))
    end, first = min(begin + width, FRAMES), begin + (1 if begin else 0)
    start = stretch(model, (begin - width,), repeats).weights[-1] if begin else model.start(repeats)
    steps = np.unique(marks[begin + 1 : end + 1])
    trained = model.train(
        repeats, start, first=int(marks[begin]), last=int(marks[end]), record=steps.tolist()
    )
    known = np.concatenate([start[None], trained.history])
    place = np.searchsorted(np.append(marks[begin], steps), marks[first : end + 1])
    with np.errstate(over="ignore", invalid="ignore"):
        return _measured(model, known[np.minimum(place, len(known) - 1)], first=first)


def accuracies(model: Training, at: tuple[int], repeats: range) -> np.ndarray:
    """Return the accuracy (R,) on held-out rows of the networks, group by group, at a recorded
    frame.
    """
    weights = [model.weights_at(at[0], group) for group in model.groups(len(repeats))]
    return model.accuracy(np.concatenate(weights))


def sampled(model: Training, at: tuple[int], repeats: range, *, given: int) -> np.ndarray:
    """Return ``accuracies`` of the first ``given`` of a group, trained up to that frame with no
    other kept.
    """
    weights, marks = model.start(repeats), model.marks
    end = int(marks[at[0]])
    # Stretch by stretch, like the page: how the work is shared among cores follows from its size
    for one in model.stretches_of(repeats):
        first, last = int(marks[one.at[0]]), int(marks[reached(one)])
        if first < end:
            weights = model.train(
                repeats, weights, first=first, last=last, record=(min(end, last),)
            ).history[0]
    return model.accuracy(weights)[:given]


def _measured(model: Training, weights: np.ndarray, *, first: int) -> Trained:
    """Return what the networks of some of the frames are worth, and what clipping does to them."""
    frames = np.arange(first, first + len(weights))
    frames = frames[frames % MEASURED_EVERY == 0]
    split, architecture = model.split, model.recipe.architecture
    measured, some = weights[frames - first], model.learned(MEASURED_ROWS)
    norms = (
        network_gradients.gradient_norms(architecture, at[:MEASURED_NETWORKS], *some)
        for at in measured
    )
    clipped = [
        clipped_share(model.bounds(frame), one) for frame, one in zip(frames, norms, strict=True)
    ]
    each = len(frames), len(weights[0])

    def loss(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        X, y = inputs(X[:MEASURED_ROWS]), y[:MEASURED_ROWS]
        return np.array([mean_loss(architecture.logits(at, X), y) for at in measured]).reshape(each)

    return Trained(
        weights=weights,
        frames=frames,
        accuracy=np.array([model.accuracy(at) for at in measured]).reshape(each),
        loss=loss(split.X_private, split.y_private),
        tested=loss(split.X_test, split.y_test),
        clipped=np.array(clipped).reshape(len(frames), len(architecture.shapes) + 1),
    )


@cached(newest=2)
def _of_persons(
    dataset: data.Dataset, private_rows: int, seed: int, rows_each: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return at most ``MOST_EACH`` rows of each person, picked by chance, from those with an answer
    where there are any.
    """
    split = split_of(dataset, seed=seed, private_rows=private_rows, rows_each=rows_each)
    X, y, people = split.several or (split.X_private, split.y_private, np.arange(private_rows))
    counts, answered = np.bincount(people), np.bincount(people, weights=y >= 0).astype(int)
    theirs = RowsByPerson(
        np.lexsort((y < 0, people)),
        np.cumsum(counts) - counts,
        np.where(answered > 0, answered, counts),
    )
    order = np.arange(len(counts))
    some, ends = regression_rows.drawn_rows(theirs, order, MOST_EACH, stream(seed, "data", part=1))
    some, ends = regression_rows.drawn_rows(theirs, order, MOST_EACH, stream(seed, "data", part=1))
    found = inputs(X[some]), y[some], np.repeat(order, np.diff(ends, prepend=0))
    for array in found:
        array.flags.writeable = False
    return found


def inputs(X: np.ndarray) -> np.ndarray:
    """Features (n, d) as they enter the network: scaled by a constant that depends on d only, 7 /
    sqrt(d) or 1.

    In few dimensions rows in [-1, 1]^d are so short that hidden units stay linear for long. No data
    are read.
    """
    return np.asarray(X * max(1.0, _INPUT_NORM / X.shape[1] ** 0.5), np.float32)


def mean_loss(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the mean loss (R,) in nats of logits z (R, K, n); a row without a class (-1) has that
    of a guess, ln K.
    """
    found = losses.values(z, np.maximum(y, 0))
    found[..., y < 0] = np.log(z.shape[-2])
    return found.mean(axis=-1)


def clipped_share(bounds: tuple[float, ...], norms: np.ndarray) -> np.ndarray:
    """Return the share of gradient norms (layers, R, n) that ``bounds`` clip: in each layer, at all
    (layers + 1,).
    """
    if not bounds:
        return np.zeros(len(norms) + 1)
    if len(bounds) > 1:
        each = norms > np.array(bounds)[:, None, None]
        return np.array([*each.mean(axis=(1, 2)), each.any(axis=0).mean()])
    whole = (np.sqrt(np.square(norms).sum(axis=0)) > bounds[0]).mean()
    return np.full(len(norms) + 1, whole)
