"""Training of an arm's networks: its rows, its steps, and the frames at which it is recorded.

Shapes: R networks with P weights each, n rows, d features, K classes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.cache import cached
from dpcore.streams import stream
from dpcore.training import losses, sgd
from dpcore.training.sgd_recipe import Recipe
from lab.data import classification as data
from lab.experiment.data_settings import MOST_LIVE
from lab.uploads import regression_rows
from lab.uploads.persons import RowsByPerson

# A training is recorded at its start, frame 0, and after each of this many equal parts.
FRAMES = 60
# Largest number of rows that a person learns from. A batch has room for as many of each person.
MOST_EACH = 8
# Networks are trained in groups. The page waits for a part of the first group alone.
_FIRST_GROUP = 4
_GROUP = 6
# The same if there are too many rows to train while a slider moves.
_FIRST_GROUP_OF_MANY_ROWS = 2
_GROUP_OF_MANY_ROWS = 1
# (network, weight, row) cells that are trained in some 40 ms, and those that take as long as the
# smallest step.
_CELLS_PER_SEGMENT = 3.5e7
_CELLS_OF_A_STEP = 6e4
# A row that fills the cube [-1, 1]^d enters the network with this norm, or its own if that is more.
_INPUT_NORM = 7.0


@dataclass(frozen=True, kw_only=True)
class Training:
    """All that decides the networks of an arm, except for their number.

    dataset: name of a data set, or an uploaded file.
    private_rows: number n of private rows.
    seed: of the split, the starts, the batches and the noise.
    recipe: how each network is trained.
    noise_multiplier: of each of the recipe's bounds, in the first step.
    """

    dataset: data.Dataset
    private_rows: int
    seed: int
    recipe: Recipe
    noise_multiplier: float

    @property
    def split(self) -> data.Split:
        return data.load(self.dataset, seed=self.seed, private_rows=self.private_rows)

    # Rows

    def rows(self, people: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Return the rows that networks learn from: X (n, d), y (n,), and the person (n,) of each.

        The persons are None if each has one row.

        people: return the rows of the first so many people only.
        """
        split = self.split
        if split.grouped_rows is None:
            return scale_inputs(split.X_private[:people]), split.y_private[:people], None
        X, y, person_of_row = self._rows_of_people
        end = len(y)
        if people is not None:
            end = int(np.searchsorted(person_of_row, people))
        return X[:end], y[:end], person_of_row[:end]

    @property
    def _rows_of_people(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return X, y and the persons, with at most ``MOST_EACH`` rows each."""
        return _draw_rows_of_people(self.dataset, self.private_rows, self.seed)

    @property
    def cells(self) -> float:
        """Return the cost of one network in cells of a weight, a row and a step.

        Each person counts with as many rows as the person with most.
        """
        people = self.private_rows
        most_rows = 1
        # The split, which takes long to load, is needed only if people may have several rows.
        if data.source(self.dataset).grouped_rows is not None:
            _, _, person_of_row = self._rows_of_people
            counts = np.bincount(person_of_row)
            people = len(counts)
            most_rows = int(counts.max())
        rows_per_batch = self.recipe.sampling_rate * people * most_rows
        return self.recipe.architecture.parameters * rows_per_batch * self.recipe.steps

    # Steps and frames

    @property
    def step_of_frame(self) -> np.ndarray:
        """Return the number of steps taken by each frame, (FRAMES + 1,)."""
        return np.round(np.linspace(0, self.recipe.steps, FRAMES + 1)).astype(int)

    def last_step(self, frame: int) -> int:
        """Return the index of the last step before a frame, or of the first step at the start."""
        return max(int(self.step_of_frame[frame]) - 1, 0)

    # Groups of networks, and segments of their training

    def groups(self, count: int) -> tuple[range, ...]:
        """Split the first ``count`` networks into groups that are trained together."""
        first_group = _FIRST_GROUP
        group = _GROUP
        if self.private_rows > MOST_LIVE:
            first_group = _FIRST_GROUP_OF_MANY_ROWS
            group = _GROUP_OF_MANY_ROWS
        first_group = min(first_group, count)
        groups = [range(first_group)]
        for start in range(first_group, count, group):
            groups.append(range(start, min(start + group, count)))
        return tuple(groups)

    def frames_per_segment(self, count: int) -> int:
        """Return for how many frames one task trains a group of ``count`` networks."""
        cells = count * self.cells + self.recipe.steps * _CELLS_OF_A_STEP
        segments = min(FRAMES, max(1, round(cells / _CELLS_PER_SEGMENT)))
        return math.ceil(FRAMES / segments)

    # Networks

    def start(self, repeats: range) -> np.ndarray:
        """Return the random weights (R, P) that networks start with."""
        return self.recipe.architecture.start(self.seed, repeats).astype(np.float32)

    def train(
        self,
        repeats: range,
        start: np.ndarray,
        *,
        first: int,
        last: int,
        record: Sequence[int],
    ) -> sgd.Training:
        """Train networks from step ``first`` to step ``last``.

        start: weights (R, P) before the first step.
        record: the steps after which weights are kept.
        """
        X, y, people = self.rows()
        with may_diverge():
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

    def accuracy(self, weights: np.ndarray) -> np.ndarray:
        """Return the accuracy (R,) of weights (R, P) on the held-out rows."""
        split = self.split
        with may_diverge():
            logits = self.recipe.architecture.logits(weights, scale_inputs(split.X_test))
            return (logits.argmax(axis=1) == split.y_test).mean(axis=-1)


def may_diverge() -> np.errstate:
    """Return a context for networks that may diverge.

    The page shows that they do, and numpy does not warn of their infinite weights.
    """
    return np.errstate(over="ignore", invalid="ignore")


def scale_inputs(X: np.ndarray) -> np.ndarray:
    """Return features (n, d) as they enter the network, times 7 / sqrt(d) or 1.

    Rows of few features in [-1, 1] are so short that hidden units would stay linear for long. The
    factor depends on d alone and not on the data.
    """
    factor = max(1.0, _INPUT_NORM / X.shape[1] ** 0.5)
    return np.asarray(X * factor, np.float32)


def mean_loss(logits: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the mean loss (R,) of logits (R, K, n), in nats.

    A row without a class, -1, has the loss of a guess, ln K.
    """
    row_losses = losses.values(logits, np.maximum(y, 0))
    row_losses[..., y < 0] = np.log(logits.shape[-2])
    return row_losses.mean(axis=-1)


@cached(newest=2)
def _draw_rows_of_people(
    dataset: data.Dataset, private_rows: int, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw at most ``MOST_EACH`` random rows of each person, of rows with a class if there are any.

    Returns X (n, d), y (n,) and the person (n,) of each row, person by person.
    """
    split = data.load(dataset, seed=seed, private_rows=private_rows)
    X, y, person_of_row = split.training_rows
    if person_of_row is None:
        person_of_row = np.arange(private_rows)
    counts = np.bincount(person_of_row)
    counts_with_class = np.bincount(person_of_row, weights=y >= 0).astype(int)
    by_person = RowsByPerson(
        rows=np.lexsort((y < 0, person_of_row)),  # rows with a class come first
        starts=np.cumsum(counts) - counts,
        counts=np.where(counts_with_class > 0, counts_with_class, counts),
    )
    people = np.arange(len(counts))
    rng = stream(seed, "data", part=1)
    rows, ends = regression_rows.drawn_rows(by_person, people, MOST_EACH, rng)
    drawn_counts = np.diff(ends, prepend=0)
    arrays = (scale_inputs(X[rows]), y[rows], np.repeat(people, drawn_counts))
    for array in arrays:
        array.flags.writeable = False
    return arrays
