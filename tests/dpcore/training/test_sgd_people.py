"""DP-SGD on people with several rows: their gradients are averaged and then clipped."""

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant

from dpcore import check
from dpcore.privacy import PoissonSampled, releases
from dpcore.streams import stream
from dpcore.training import batches, network_gradients
from pages.network.training import MOST_EACH
from tests import network_oracles as plain
from tests.own_files import CLASSES, by_person, frame, settings
from tests.sgd_runs import (
    DECAY,
    DRAWS,
    LEARNING_RATE,
    NETWORK,
    SAMPLING_RATE,
    SEED,
    STEPS,
    gradient_sum,
    recipe,
    train,
)

# Double precision: engine and plain loop sum the same numbers in another order.
ROUNDING = 1e-11
# Seven digits, of which products and sums lose up to two.
SINGLE_PRECISION = 1e-5
# The page counts on a coarser grid than the library.
GRID_ERROR = 0.02

ROWS_OF_PEOPLE = (3, 1, 2, 1, 1, 4, 2, 1, 1, 3, 2, 1)
PERSON_WITHOUT_ANSWER = 2
PERSON_WITH_SOME_ANSWERS = 0
NO_ANSWER = -1
STARTS = NETWORK.start(0, [0, 1])
WEIGHTS_OF_LAYERS = [20, 12]


def rows_of_people(counts=ROWS_OF_PEOPLE):
    """Return X, y and people, in no order; one person has no answer, and one some."""
    rng = np.random.default_rng(0)
    people = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    X = rng.normal(size=(len(people), 3))
    y = rng.integers(0, 2, len(people))
    y[people == PERSON_WITHOUT_ANSWER] = NO_ANSWER
    first_row, *_ = np.flatnonzero(people == PERSON_WITH_SOME_ANSWERS)
    y[first_row] = NO_ANSWER
    return X, y, people


def mean_gradient(weights, X, y) -> list[np.ndarray]:
    """Return a person's mean gradient over the rows with an answer, one matrix a layer."""
    layers = plain.cut(NETWORK.sizes, weights)
    total = [np.zeros_like(layer) for layer in layers]
    answers = 0
    for x, label in zip(X, y, strict=True):
        if label == NO_ANSWER:
            continue
        answers += 1
        gradient = plain.gradient(layers, x, label)
        total = [before + part for before, part in zip(total, gradient, strict=True)]
    return [layer / max(answers, 1) for layer in total]


def descend_person_by_person(recipe, X, y, people, *, start, draw, noise_multiplier):
    """Return the weights of one network by the definition of the descent."""
    persons = people.max() + 1
    drawn_batches = batches.poisson(
        SEED, [draw], rows=persons, rate=SAMPLING_RATE, first=0, last=STEPS
    )
    # Noise comes in blocks of 50 steps, each with a stream of its own.
    blocks = []
    for block in range(2):
        generator = stream(SEED, "noise", draw, block)
        blocks.append(generator.standard_normal((50, NETWORK.parameters)))
    noise = np.concatenate(blocks)
    bound_of_weight = np.repeat(np.broadcast_to(recipe.bounds or 0.0, 2), WEIGHTS_OF_LAYERS)
    weights = start.copy()
    for step, (members,) in enumerate(drawn_batches):
        total = noise_multiplier * bound_of_weight * noise[step]
        # Unused places of a batch are negative.
        for person in members[members >= 0]:
            is_of_person = people == person
            gradient = mean_gradient(weights, X[is_of_person], y[is_of_person])
            total = total + plain.flat(plain.clipped(gradient, recipe.clip_norm))
        rate = LEARNING_RATE * DECAY ** (step / (STEPS - 1))
        weights = weights - rate * total / (SAMPLING_RATE * persons)
    return weights


CLIPPING = pytest.mark.parametrize(
    ("clip_norm", "noise_multiplier"),
    [
        pytest.param(None, 0.0, id="none"),
        pytest.param(0.3, 0.7, id="as a whole"),
        pytest.param((0.2, 0.3), 0.7, id="by layers"),
    ],
)


class TestTraining:
    @CLIPPING
    def test_it_is_the_descent_from_its_definition(self, clip_norm, noise_multiplier):
        X, y, people = rows_of_people()
        training_recipe = recipe(clip_norm)

        training = train(training_recipe, X, y, people, noise_multiplier=noise_multiplier)

        for weights, draw, start in zip(training.weights, DRAWS, STARTS, strict=True):
            expected = descend_person_by_person(
                training_recipe,
                X,
                y,
                people,
                start=start,
                draw=draw,
                noise_multiplier=noise_multiplier,
            )
            np.testing.assert_allclose(weights, expected, atol=ROUNDING)

    def test_norms_are_those_of_mean_gradients(self):
        X, y, people = rows_of_people()

        # (layers, networks, people)
        norms = network_gradients.gradient_norms(NETWORK, STARTS, X, y, people)

        for network, start in enumerate(STARTS):
            for person in range(len(ROWS_OF_PEOPLE)):
                is_of_person = people == person
                gradient = mean_gradient(start, X[is_of_person], y[is_of_person])
                expected = [np.linalg.norm(layer) for layer in gradient]
                np.testing.assert_allclose(norms[:, network, person], expected, atol=ROUNDING)

    @pytest.mark.parametrize("clip_norm", [0.3, (0.2, 0.3)], ids=str)
    def test_noise_and_clipping_change_the_weights(self, clip_norm):
        X, y, people = rows_of_people()

        clipped = train(recipe(clip_norm), X, y, people, noise_multiplier=0.7)
        free = train(recipe(None), X, y, people)

        assert np.abs(clipped.weights - free.weights).max() > 0.01

    def test_people_of_one_row_each_are_trained_as_rows_are(self):
        X, y, _ = rows_of_people([1] * 30)

        as_rows = train(recipe(), X, y, None, noise_multiplier=1.0)
        as_people = train(recipe(), X, y, np.arange(30), noise_multiplier=1.0)

        np.testing.assert_array_equal(as_rows.weights, as_people.weights)

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda people: people[1:], id="too few"),
            pytest.param(lambda people: people - 1, id="from -1"),
            pytest.param(lambda people: 2 * people, id="with gaps"),
        ],
    )
    def test_numbers_that_are_not_of_people_are_refused(self, change):
        X, y, people = rows_of_people([1] * 30)

        with pytest.raises(check.RefusedError, match="people"):
            train(recipe(), X, y, change(people))


@pytest.mark.parametrize("clip_norm", [0.3, (0.2, 0.3)], ids=str)
class TestOnePerson:
    """A fourth person with any number of rows, alike or not, and one of two labels."""

    @pytest.fixture
    def gradient_sums(self, clip_norm):
        """60 times the sums without the person, with one and with another in that place."""
        rng = np.random.default_rng(5)
        X, y, people = rows_of_people((2, 1, 3))
        (start,) = NETWORK.start(0, [0])
        sums = []
        for _ in range(60):
            scale = rng.choice([0.1, 1, 3])
            weights = start + rng.normal(size=NETWORK.parameters) * scale
            sums_of_case = [gradient_sum(NETWORK, weights, X, y, people, clip_norm=clip_norm)]
            for label in (0, 1):
                count = int(rng.choice([1, 2, 7, 40]))
                centre = rng.normal(size=3) * rng.choice([0.1, 5])
                spread = rng.choice([0, 1])
                rows = centre + spread * rng.normal(size=(count, 3))
                more_X = np.concatenate([X, rows])
                more_y = np.append(y, np.full(count, label))
                more_people = np.append(people, np.full(count, 3))
                sums_of_case.append(
                    gradient_sum(NETWORK, weights, more_X, more_y, more_people, clip_norm=clip_norm)
                )
            sums.append(sums_of_case)
        return sums

    def test_left_out_moves_the_sum_by_no_more_than_the_noise_is_made_for(
        self, gradient_sums, clip_norm
    ):
        bound = np.linalg.norm(clip_norm)

        moves = []
        for without, with_one, with_another in gradient_sums:
            moves.append(np.linalg.norm(without - with_one))
            moves.append(np.linalg.norm(without - with_another))

        assert 0.95 * bound < max(moves) <= bound * (1 + 1e-12)

    def test_replaced_moves_the_sum_by_no_more_than_twice_as_much(self, gradient_sums, clip_norm):
        bound = 2 * np.linalg.norm(clip_norm)

        moves = []
        for _, with_one, with_another in gradient_sums:
            moves.append(np.linalg.norm(with_one - with_another))

        assert 0.75 * bound < max(moves) <= bound * (1 + 1e-12)


@pytest.mark.parametrize("clip_norm", [0.01, 0.3])
class TestSinglePrecision:
    """One person with four long rows."""

    @staticmethod
    def sum_in(dtype, clip_norm) -> np.ndarray:
        """Return the clipped gradient of person 5, whose rows are long, in this precision."""
        X, y, people = rows_of_people()
        is_of_person = people == 5
        (start,) = NETWORK.start(0, [0])
        return gradient_sum(
            NETWORK,
            start.astype(np.float32).astype(dtype),
            7 * X[is_of_person],
            y[is_of_person],
            np.zeros(4, int),
            clip_norm=clip_norm,
            dtype=dtype,
        )

    def test_the_bound_is_hardly_passed(self, clip_norm):
        single = self.sum_in(np.float32, clip_norm)

        assert np.linalg.norm(single) <= clip_norm * (1 + 1e-3)

    def test_the_sum_is_that_of_double_precision(self, clip_norm):
        single = self.sum_in(np.float32, clip_norm)
        double = self.sum_in(float, clip_norm)

        np.testing.assert_allclose(single, double, atol=SINGLE_PRECISION)


def page_of_people(rows: int):
    """Return settings of the page with a file of 800 people, of whom 640 train."""
    file = frame(rows, people=800)
    return settings("network", by_person(CLASSES), file=file, epsilon=2.0)


class TestPageOfPeople:
    TRAINING_PEOPLE = 640
    RATE = 100 / TRAINING_PEOPLE

    @pytest.fixture
    def page(self):
        """Two rows for each person."""
        return page_of_people(rows=1600)

    @pytest.fixture
    def page_of_many_rows(self):
        """Ten rows for each person, more than count."""
        return page_of_people(rows=8000)

    @staticmethod
    def training_rows_of_people(page) -> np.ndarray:
        """Return how many rows of each person are trained on."""
        _, _, people = page.trainings["private"].rows()
        return np.bincount(people)

    def test_the_unit_of_privacy_is_a_person(self, page):
        assert page.rows == self.TRAINING_PEOPLE
        assert page.guarantee.unit == "person"
        assert page.guarantee.epsilon == 2.0

    def test_its_steps_are_samples_of_people(self, page):
        event = page.guarantee.event
        (release,) = releases(event)

        assert event.event == PoissonSampled(rate=self.RATE, event=release.event)

    def test_another_library_has_the_same_epsilon(self, page):
        release = dp_event.GaussianDpEvent(page.noise_multiplier)
        step = dp_event.PoissonSampledDpEvent(self.RATE, release)

        epsilon = PLDAccountant().compose(step, page.steps).get_epsilon(page.delta)

        assert epsilon == pytest.approx(2.0, rel=GRID_ERROR)

    def test_all_of_a_few_rows_of_a_person_count(self, page):
        counts = self.training_rows_of_people(page)

        assert counts.tolist() == [2] * self.TRAINING_PEOPLE

    def test_only_so_many_rows_of_a_person_count(self, page_of_many_rows):
        counts = self.training_rows_of_people(page_of_many_rows)

        assert page_of_many_rows.rows == self.TRAINING_PEOPLE
        assert counts.tolist() == [MOST_EACH] * self.TRAINING_PEOPLE

    def test_noise_and_steps_do_not_depend_on_rows_of_people(self, page, page_of_many_rows):
        assert page.noise_multiplier == page_of_many_rows.noise_multiplier
        assert page.steps == page_of_many_rows.steps
