"""Mean clipped gradients of rows and of people equal plain loops, and neighbours move them no further
than the noise is made for.
"""

import itertools

import numpy as np
import pytest

from dpcore.privacy import Adjacency
from dpcore.training import clipping, descent, losses
from dpcore.training.person_gradients import PeopleGradient
from tests import oracles

# Slopes are difference quotients of losses.
SLOPE_ERROR = 1e-7
# Double precision: engine and loops sum the same numbers in another order.
ROUNDING = 1e-12
# Extreme weights cancel some digits.
ROUNDING_OF_EXTREMES = 1e-9
# Seven digits, of which clipping and sums lose up to three.
SINGLE_PRECISION = 1e-4
# Sums near 0 of numbers near 1.
SINGLE_PRECISION_OF_SMALL_SUMS = 5e-6

# Number of rows of each person.
COUNTS = (1, 3, 1, 7, 2, 3, 12, 1)
CLIP = 0.3


def rows_of_people(counts=COUNTS, *, classes=2, p=4, seed=0):
    """Return rows in no order of people: X (n, p), y (n,), people (n,)."""
    rng = np.random.default_rng(seed)
    people = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    X = rng.normal(size=(len(people), p))
    return X, rng.integers(0, classes, len(people)), people


def without_some_answers(X: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Return the rows with zeros for rows without an answer: all of person 1, half of 3 and 6."""
    X = X.copy()
    is_of_some = (people == 3) | (people == 6)
    X[np.flatnonzero(is_of_some)[::2]] = 0
    X[people == 1] = 0
    return X


def models(count: int, classes: int, *, p=4, scale=2.0) -> np.ndarray:
    """Return normal weights of so many models, (count, k, p), with standard deviation ``scale``."""
    shape = (count, losses.outputs(classes), p)
    return scale * np.random.default_rng(1).normal(size=shape)


def mean_gradients(weights, X, y, people=None, *, clip=CLIP, dtype=np.float64) -> np.ndarray:
    """Return mean gradients (R, k, p) of weights (R, k, p) by the engine; of rows, or of people."""
    count, outputs, _ = weights.shape
    clip_norm = None
    if clip is not None:
        clip_norm = np.broadcast_to(np.asarray(clip, dtype), count).copy()
    X = np.asarray(X, dtype)
    options = {"models": count, "clip_norm": clip_norm}
    if people is not None:
        gradient = PeopleGradient(X, y, people, outputs=outputs, **options)
    elif outputs == 1:
        gradient = clipping.LogisticGradient(X, y, **options)
    else:
        gradient = clipping.SoftmaxGradient(X, y, outputs=outputs, **options)
    class_first = np.array(weights.transpose(1, 0, 2), dtype, order="C")
    return gradient(class_first).transpose(1, 0, 2).copy()


def by_plain_loops(weights, X, y, people=None, *, clip=CLIP) -> np.ndarray:
    """Return the means over people of their mean gradients, each clipped, a row at a time.

    Rows of zeros have no answer and do not count.
    """
    if people is None:
        people = np.arange(len(X))
    if clip is None:
        clip = np.inf
    bounds = np.broadcast_to(clip, len(weights))
    numbers = sorted(set(people.tolist()))
    means = []
    for w, bound in zip(weights, bounds, strict=True):
        total = np.zeros_like(w)
        for person in numbers:
            gradients = []
            for row in np.flatnonzero(people == person):
                if X[row].any():
                    gradients.append(oracles.gradient(w, X[row], y[row]))
            if gradients:
                total += oracles.clipped(sum(gradients) / len(gradients), bound)
        means.append(total / len(numbers))
    return np.array(means)


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_the_explicit_gradient_is_the_slope_of_the_loss(classes):
    (w,) = models(1, classes)
    X, y, _ = rows_of_people((6,), classes=classes)
    h = 1e-6
    steps = h * np.eye(w.size).reshape(w.size, *w.shape)

    for x, label in zip(X, y, strict=True):
        slopes = []
        for step in steps:
            rise = oracles.loss(w + step, x, label) - oracles.loss(w - step, x, label)
            slopes.append(rise / (2 * h))
        np.testing.assert_allclose(oracles.gradient(w, x, label).ravel(), slopes, atol=SLOPE_ERROR)


BLOCKS = pytest.mark.parametrize(
    "scratch",
    [pytest.param(750_000, id="one block"), pytest.param(1, id="blocks of 32")],
)
BOUNDS = pytest.mark.parametrize("clip", [None, 0.5, (1e-4, 0.3, 1.0, 100.0)], ids=str)
MODELS = pytest.mark.parametrize(("classes", "p"), [(2, 1), (2, 4), (3, 4), (6, 5)])


def assert_equals_plain_loops(weights, X, y, people=None, *, clip) -> None:
    """Compare both precisions with plain loops."""
    expected = by_plain_loops(weights, X, y, people, clip=clip)
    double = mean_gradients(weights, X, y, people, clip=clip)
    single = mean_gradients(weights, X, y, people, clip=clip, dtype=np.float32)
    np.testing.assert_allclose(double, expected, rtol=ROUNDING, atol=ROUNDING)
    assert single.dtype == np.float32
    np.testing.assert_allclose(
        single, expected, rtol=SINGLE_PRECISION, atol=SINGLE_PRECISION_OF_SMALL_SUMS
    )


@pytest.mark.parametrize("rows", [1, 31, 32, 33, 65, 150])
@BLOCKS
@BOUNDS
@MODELS
def test_means_over_rows_are_those_of_plain_loops(classes, p, clip, scratch, rows, monkeypatch):
    monkeypatch.setattr(clipping, "_SCRATCH_BYTES", scratch)
    X, y, _ = rows_of_people((1,) * rows, classes=classes, p=p)
    if rows == 33:
        # A class without rows is no exception.
        y = np.where(y == 1, 0, y)

    assert_equals_plain_loops(models(4, classes, p=p), X, y, clip=clip)


@pytest.mark.parametrize("counts", [COUNTS, (60,)], ids=str)
@BLOCKS
@BOUNDS
@MODELS
def test_means_over_people_are_those_of_plain_loops(classes, p, clip, scratch, counts, monkeypatch):
    monkeypatch.setattr(clipping, "_SCRATCH_BYTES", scratch)
    X, y, people = rows_of_people(counts, classes=classes, p=p)
    X = without_some_answers(X, people)

    assert_equals_plain_loops(models(4, classes, p=p), X, y, people, clip=clip)


def extreme_rows(classes: int):
    """Return X (n, p), y (n,) and people (n,) with some rows of zeros and a very long one."""
    X, y, people = rows_of_people((1, 3, 7, 2, 12, 15), classes=classes)
    X[::5] = 0
    X[1] *= 1e4
    return X, y, people


BY_PERSON = pytest.mark.parametrize("by_person", [False, True], ids=["rows", "people"])


@BY_PERSON
@pytest.mark.parametrize("clip", [1e-6, (0.7, 1e-6, 3.0)], ids=str)
@pytest.mark.parametrize("scale", [0.0, 1.0, 1e6])
@pytest.mark.parametrize("classes", [2, 4])
def test_extreme_weights_zero_rows_and_tiny_bounds_lose_no_digits(classes, scale, clip, by_person):
    X, y, people = extreme_rows(classes)
    weights = models(3, classes, scale=scale)
    if not by_person:
        people = None

    means = mean_gradients(weights, X, y, people, clip=clip)

    # The binary form subtracts the constant part of the residuals, so it is exact to the rounding of
    # sums of rows.
    expected = by_plain_loops(weights, X, y, people, clip=clip)
    np.testing.assert_allclose(means, expected, rtol=ROUNDING_OF_EXTREMES, atol=1e-12)


@BY_PERSON
@pytest.mark.parametrize(("classes", "scale"), [(2, 1e30), (4, 1e3)])
def test_gradients_of_certain_models_are_finite_in_single_precision(classes, scale, by_person):
    X, y, people = extreme_rows(classes)
    if not by_person:
        people = None

    means = mean_gradients(models(3, classes, scale=scale), X, y, people, dtype=np.float32)

    assert np.isfinite(means).all()


class LastRow:
    """The mean gradients of six models over seven rows, of which the last one takes many values."""

    def __init__(self, classes: int):
        self.X, self.y, _ = rows_of_people((7,), classes=classes, p=3)
        self.classes = classes
        self.weights = models(6, classes, p=3, scale=3.0)
        self.weights[4] = 0
        self.weights[5] *= 1e6

    def values(self) -> list[np.ndarray]:
        """Return the inputs of the last row: short, long, and two that pull apart.

        The two are the same long row on the wrong side and with the opposite sign.
        """
        rng = np.random.default_rng(0)
        direction = self.weights[0, -1] / np.linalg.norm(self.weights[0, -1])
        return [
            np.zeros(3),
            *rng.normal(size=(6, 3)),
            *1e3 * rng.normal(size=(4, 3)),
            50 * direction,
            -50 * direction,
        ]

    def means(self, *, clip: float | None) -> np.ndarray:
        """Return the mean gradients (values, 6, k 3) for all values and labels of the last row."""
        means = []
        for x, label in itertools.product(self.values(), range(self.classes)):
            self.X[-1] = x
            self.y[-1] = label
            means.append(mean_gradients(self.weights, self.X, self.y, clip=clip))
        return np.array(means).reshape(len(means), len(self.weights), -1)

    def mean_without(self, *, clip: float) -> np.ndarray:
        """Return the mean gradients without the row, over the same denominator."""
        mean = mean_gradients(self.weights, self.X[:-1], self.y[:-1], clip=clip) * 6 / 7
        return mean.reshape(len(self.weights), -1)


def largest_distance(means: np.ndarray, references) -> float:
    """Return the largest distance of a mean (cases, R, k p) from a reference (R, k p)."""
    return max(np.linalg.norm(means - reference, axis=2).max() for reference in references)


ROW_BOUNDS = pytest.mark.parametrize("clip", [1e-6, 0.3, 5.0])
ROW_CLASSES = pytest.mark.parametrize("classes", [2, 4])


@ROW_BOUNDS
@ROW_CLASSES
def test_a_replaced_row_moves_the_mean_by_at_most_2_c_over_n(classes, clip):
    means = LastRow(classes).means(clip=clip)

    move = largest_distance(means, means)

    assert 0.99 * 2 / 7 * clip < move <= 2 / 7 * clip * (1 + 1e-6)


@ROW_BOUNDS
@ROW_CLASSES
def test_an_added_row_moves_the_mean_by_at_most_c_over_n(classes, clip):
    last_row = LastRow(classes)

    move = largest_distance(last_row.means(clip=clip), [last_row.mean_without(clip=clip)])

    assert 0.99 / 7 * clip < move <= 1 / 7 * clip * (1 + 1e-6)


@ROW_BOUNDS
@ROW_CLASSES
def test_a_row_moves_a_clipped_average_by_up_to_2_c(classes, clip):
    means = LastRow(classes).means(clip=None)

    averages = np.array([[oracles.clipped(mean, clip) for mean in of_row] for of_row in means])
    move = largest_distance(averages, averages)

    assert 0.99 * 2 * clip < move <= 2 * clip * (1 + 1e-6)


class ReplacedPerson:
    """Random sums over three people, of whom one is replaced or left out."""

    def __init__(self, classes: int):
        self.classes = classes
        self.weights = models(6, classes, scale=1.0)
        self.rng = np.random.default_rng(0)

    def move(self, adjacency: Adjacency) -> float:
        """Return how far a random person moves the sum of clipped gradients, for any model."""
        seed = int(self.rng.integers(1000))
        X, y, people = rows_of_people([3, 1, 5], classes=self.classes, seed=seed)
        X = 20 * X
        person = int(self.rng.integers(3))
        stays = people != person
        if adjacency is Adjacency.ADD_REMOVE:
            numbers = np.unique(people[stays], return_inverse=True)[1]
            neighbour = X[stays], y[stays], numbers
        else:
            rows, labels = self.other_rows()
            neighbour = (
                np.vstack([X[stays], rows]),
                np.append(y[stays], labels),
                np.append(people[stays], np.full(len(rows), person)),
            )
        before = 3 * mean_gradients(self.weights, X, y, people)
        after = (neighbour[2].max() + 1) * mean_gradients(self.weights, *neighbour)
        difference = (before - after).reshape(6, -1)
        return np.linalg.norm(difference, axis=1).max()

    def other_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Return any number of rows, often all alike."""
        count = int(self.rng.choice([1, 2, 3, 50]))
        size = float(self.rng.choice([1e-3, 1.0, 1e3]))
        spread = self.rng.choice([0.0, 1.0])
        rows = size * self.rng.normal(size=4) + spread * self.rng.normal(size=(count, 4))
        if self.rng.random() < 0.5:
            return rows, np.full(count, self.rng.integers(self.classes))
        return rows, self.rng.integers(0, self.classes, count)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("classes", [2, 3])
def test_no_person_moves_the_sum_further_than_the_noise_is_made_for(classes, adjacency):
    bound = 3 * descent.mean_noise_sd(1.0, clip_norm=CLIP, rows=3, adjacency=adjacency)
    replaced = ReplacedPerson(classes)

    furthest = max(replaced.move(adjacency) for _ in range(300))

    assert 0.9 * bound < furthest <= bound * (1 + 1e-12)


@pytest.mark.parametrize("classes", [2, 10])
def test_single_precision_lets_a_row_do_hardly_more_in_the_range_of_the_pages(classes):
    """The longest rows, of 65 times 1, have the smallest bound that a page offers."""
    rng = np.random.default_rng(0)
    clip = np.float32(0.01)
    X = rng.choice([-1.0, 1.0], size=(300, 65))
    y = rng.integers(0, classes, 300)

    norms = []
    for w in models(2, classes, p=65):
        for row in range(len(X)):
            gradient = mean_gradients(
                w[None], X[row : row + 1], y[row : row + 1], clip=clip, dtype=np.float32
            )
            norms.append(np.linalg.norm(gradient.astype(float)))

    assert max(norms) <= clip * (1 + 2e-4)


def test_no_number_is_subnormal_however_certain_the_models_are():
    """Arithmetic on subnormal numbers is ten times as slow, and noise at small epsilon makes them."""
    X, y, _ = rows_of_people((60,), classes=4, p=5)
    sizes = np.linspace(0, 60, 400)[:, None]
    weights = sizes * np.random.default_rng(5).normal(size=(4, 400, 5))
    clip_norm = np.full(400, 0.5, np.float32)
    gradient = clipping.SoftmaxGradient(
        X.astype(np.float32), y, models=400, clip_norm=clip_norm, outputs=4
    )

    gradient(weights.astype(np.float32))

    for arrays in gradient._scratch.values():
        for array in arrays:
            is_subnormal = (array != 0) & (np.abs(array) < np.finfo(np.float32).tiny)
            assert not is_subnormal.any()
