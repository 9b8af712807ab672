"""Noisy gradient descent for linear regression: clipping, batches, what one row or person changes."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpcore.accountants import gdp
from dpcore.regression import descent
from dpcore.regression.descent import Descent, Rows
from tests.oracles import clipped, quiet, rows_of

# Noise is calibrated until delta has so many digits.
DIGITS_OF_DELTA = 1e-6

# Sensitivities are never passed but for rounding.
ROUNDING = 1e-12


def test_no_neighbour_moves_the_clipped_gradient_further_than_the_sensitivity():
    """One step from 0 moves the weights by the mean gradient. Neighbours differ in one row."""
    rng = np.random.default_rng(0)
    n = 7
    clip_norm = 0.3
    step = Descent(steps=1, radius=1e9, rate=1.0, momentum=0.0, clip_norm=clip_norm)
    largest_move = 0.0
    for case in range(300):
        X = np.column_stack([np.ones(n), rng.uniform(-1, 1, (n, 3))])
        y = rng.uniform(-1, 1, n)
        changed_X = X.copy()
        changed_y = y.copy()
        # In the other cases only the label changes.
        if case % 3 == 0:
            changed_X[0, 1:] = rng.choice([-1.0, 1.0], 3)
        y[0] = rng.choice([-1.0, 1.0])
        changed_y[0] = -y[0]

        weights = quiet(step, Rows.of(X, y))
        changed_weights = quiet(step, Rows.of(changed_X, changed_y))

        move = float(np.linalg.norm(weights - changed_weights))
        largest_move = max(largest_move, move)

    sensitivity = 2 * clip_norm / n
    assert 0.999 * sensitivity < largest_move <= sensitivity * (1 + ROUNDING)


def test_clipped_gradients_are_those_of_a_plain_loop():
    X, y = rows_of()
    mechanism = Descent(steps=2, radius=0.4, rate=0.3, momentum=0.5, clip_norm=0.2)

    weights = quiet(mechanism, Rows.of(X, y))

    w = np.zeros(4)
    velocity = np.zeros(4)
    for _ in range(2):
        total = np.zeros(4)
        for x, label in zip(X, y, strict=True):
            total += clipped((w @ x - label) * x, 0.2)
        velocity = 0.5 * velocity - 0.3 * total / len(y)
        w = w + velocity
        w *= min(1, 0.4 / np.linalg.norm(w))
    np.testing.assert_allclose(weights, w, atol=ROUNDING)


@pytest.mark.parametrize("batches", [1, 3, 7])
class TestBatches:
    """Seven persons with one or two rows each, in turn."""

    ENDS = np.array([2, 3, 5, 6, 8, 10, 11])

    @pytest.fixture
    def parts(self, batches):
        """The rows of each batch, as a slice, and its number of places."""
        rows = Rows.of(np.ones((11, 2)), np.zeros(11))
        rows = replace(rows, ends=self.ENDS, rows_each=2)
        return [rows.batch(index, batches) for index in range(batches)]

    def test_batches_cover_all_rows_one_after_the_other(self, parts):
        covered = []
        for part, _ in parts:
            covered.extend(range(11)[part])

        assert covered == list(range(11))

    def test_a_batch_ends_with_the_last_row_of_a_person(self, parts):
        for part, _ in parts:
            assert part.stop in [0, *self.ENDS]

    def test_a_batch_has_places_for_all_rows_that_its_persons_may_have(self, parts):
        places_of_batches = [places for _, places in parts]

        assert sum(places_of_batches) == 2 * len(self.ENDS)
        for part, places in parts:
            assert part.stop - part.start <= places


def rows_with_counts(rows_of_persons: list[np.ndarray], counts: np.ndarray) -> Rows:
    """Return so many of the rows (x, y) of each person, in order of persons."""
    taken = [rows[:count] for rows, count in zip(rows_of_persons, counts, strict=True)]
    table = np.concatenate(taken)
    rows = Rows.of(table[:, :-1], table[:, -1])
    return replace(rows, ends=np.cumsum(counts), rows_each=3)


class TestOnePersonChanges:
    """Neighbours have another number of rows, so the rows of everybody after them move.

    Five persons are in two batches, two in the first and three in the second.
    """

    CLIP_NORM = 0.3
    COUNTS = np.array([1, 3, 2, 3, 1])

    def gradient_sums(self, rows: Rows) -> list[np.ndarray]:
        """Return the sum of the clipped gradients of each batch, at some weights."""
        weights = np.random.default_rng(0).normal(size=(1, 1, 3))
        clip_norms = np.full((1, 1, 1), self.CLIP_NORM)
        sums = []
        for index in range(2):
            batch, _ = rows.batch(index, 2)
            sums.append(descent._clipped_gradient_sum(weights, rows, batch, clip_norms))
        return sums

    @pytest.fixture(params=range(5))
    def person(self, request):
        """Return the number of the person whose rows change."""
        return request.param

    @pytest.fixture
    def neighbours(self, person):
        """Rows in which one person has other labels, and another number of rows."""
        rng = np.random.default_rng(person)
        rows_of_persons = [rng.uniform(-1, 1, (3, 4)) for _ in self.COUNTS]
        changed_rows = list(rows_of_persons)
        changed_rows[person] = changed_rows[person] * [1, 1, 1, -1]
        changed_counts = self.COUNTS.copy()
        changed_counts[person] = 4 - self.COUNTS[person]
        return (
            rows_with_counts(rows_of_persons, self.COUNTS),
            rows_with_counts(changed_rows, changed_counts),
        )

    @pytest.fixture
    def moves(self, neighbours):
        """How far the sum of each batch moves."""
        rows, changed_rows = neighbours
        moves = []
        for before, after in zip(
            self.gradient_sums(rows), self.gradient_sums(changed_rows), strict=True
        ):
            moves.append(float(np.linalg.norm(before - after)))
        return moves

    def test_places_of_batches_do_not_change(self, neighbours):
        for rows in neighbours:
            _, places_of_two_persons = rows.batch(0, 2)
            _, places_of_three_persons = rows.batch(1, 2)
            assert places_of_two_persons == 3 * 2
            assert places_of_three_persons == 3 * 3

    def test_only_the_batch_of_the_person_changes(self, person, moves):
        first_batch, second_batch = moves
        is_in_first = person < 2

        unchanged = first_batch
        if is_in_first:
            unchanged = second_batch

        assert unchanged == pytest.approx(0, abs=ROUNDING)

    def test_that_batch_moves_by_no_more_than_the_sensitivity(self, person, moves):
        first_batch, second_batch = moves
        is_in_first = person < 2

        changed = second_batch
        if is_in_first:
            changed = first_batch

        sensitivity = 2 * 3 * self.CLIP_NORM
        assert 0 < changed <= sensitivity


@pytest.mark.parametrize(
    ("batches", "passes"),
    [
        pytest.param(1, 60, id="one batch"),
        pytest.param(8, 8, id="eight batches"),
        pytest.param(60, 1, id="a batch a step"),
    ],
)
class TestEvent:
    """The event of 60 steps counts those that one row can change."""

    STEPS = 60

    def test_a_row_is_used_in_as_many_steps_as_its_batch(self, batches, passes):
        batch_of_step = [step % batches for step in range(self.STEPS)]
        most_uses = max(batch_of_step.count(index) for index in range(batches))

        event = Descent(steps=self.STEPS, batches=batches).event(0.7)

        assert event.count == passes
        assert event.count == most_uses

    def test_the_noise_of_all_uses_gives_epsilon(self, batches, passes):
        event = Descent(steps=self.STEPS, batches=batches).event(0.7)

        # The sum of independent Gaussian releases, whose mu add up in squares [dong2022].
        mu = math.sqrt(event.count) / event.event.noise_multiplier
        assert gdp.delta_of(0.7, mu=mu) == pytest.approx(1e-6, rel=DIGITS_OF_DELTA)


FEW_ROWS = {"inputs": 14, "rows": 400}
MANY_ROWS = {"inputs": 14, "rows": 300_000}


class TestRules:
    """What descent chooses from public numbers alone."""

    @pytest.mark.parametrize(
        ("epsilon", "size", "clip_norm"),
        [
            pytest.param(0.5, FEW_ROWS, 0.1, id="the least"),
            pytest.param(100.0, MANY_ROWS, 2 * math.sqrt(14), id="the most"),
        ],
    )
    def test_the_clipping_norm_follows_epsilon_and_the_size_of_the_data(
        self, epsilon, size, clip_norm
    ):
        assert Descent().chosen_clip_norm(epsilon, **size) == pytest.approx(clip_norm)

    @pytest.mark.parametrize(
        ("size", "radius"),
        [pytest.param(FEW_ROWS, 1, id="few"), pytest.param(MANY_ROWS, 3, id="many")],
    )
    def test_the_radius_follows_the_size_of_the_data(self, size, radius):
        assert Descent().chosen_radius(0.5, **size) == radius

    @pytest.mark.parametrize(
        ("size", "rate"),
        [pytest.param(FEW_ROWS, 1.5 / 14, id="few"), pytest.param(MANY_ROWS, 3 / 14, id="many")],
    )
    def test_the_learning_rate_follows_the_size_of_the_data(self, size, rate):
        assert Descent().chosen_rate(0.5, **size) == pytest.approx(rate)
