"""The experiment of the home page: what is trained, what it guarantees, and what the spy can do."""

import numpy as np
import pytest
from scipy.stats import norm

from dpcore.accountants import gdp
from pages.home import tasks
from pages.home.result import PersonResult
from pages.home.settings import CLIP_NORM, DELTA, LEARNING_RATE, PATIENTS, STEPS, PersonSettings
from pages.home.tasks import Clinic
from ui.text.tiles import percent_rounded_up

# What noise at a huge epsilon, and single precision, move the weights by.
LITTLE_NOISE = 2e-3
# Noise is calibrated by a search that ends so near to epsilon.
CALIBRATION_ERROR = 1e-6
# Another batch changes the order of sums.
SINGLE_PRECISION = 1e-5

SEEDS = range(10)


def result_of(settings: PersonSettings, *, pairs: int = 500) -> PersonResult:
    """Train the pairs of these settings, and no models for the map."""
    clinic = Clinic(seed=settings.seed, person=settings.person)
    return PersonResult(
        settings=settings,
        pairs=tasks.train_pairs(clinic, (settings.epsilon,), range(pairs)),
        lines=np.zeros((2, 1, 3)),
        reference=tasks.train_reference(clinic, (), range(1)),
    )


def sum_of_gradients(weights: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the sum of clipped gradients of the logistic loss, row by row."""
    total = np.zeros(3)
    for row, label in zip(X, y, strict=True):
        inputs = np.append(row, 1.0)
        gradient = (1 / (1 + np.exp(-weights @ inputs)) - label) * inputs
        total += gradient * min(1.0, CLIP_NORM / np.linalg.norm(gradient))
    return total


@pytest.mark.parametrize("includes_person", [True, False])
def test_models_follow_the_formula_of_noisy_descent(includes_person):
    """Without the person, the sum of gradients is divided by the public number all the same."""
    clinic = Clinic(seed=3, person=0)
    split = tasks.patients(3)
    kept = np.full(PATIENTS, True)
    kept[0] = includes_person

    trained = tasks._trained(clinic, 1e9, np.arange(1), includes_person=includes_person)

    weights = np.zeros(3)
    for _ in range(STEPS):
        total = sum_of_gradients(weights, split.X_private[kept], split.y_private[kept])
        weights -= LEARNING_RATE * total / PATIENTS
    np.testing.assert_allclose(trained[0], weights, atol=LITTLE_NOISE)


def test_the_sum_of_gradients_moves_by_the_clipping_norm_at_most_with_a_patient():
    split = tasks.patients(4)
    random = np.random.default_rng(0)
    for _ in range(40):
        weights = random.normal(scale=3, size=3)
        person = random.integers(PATIENTS)
        others = np.arange(PATIENTS) != person

        whole = sum_of_gradients(weights, split.X_private, split.y_private)
        without = sum_of_gradients(weights, split.X_private[others], split.y_private[others])

        assert np.linalg.norm(whole - without) <= CLIP_NORM * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 10.0, 40.0])
def test_the_noise_gives_the_guarantee_and_the_limit(epsilon):
    """Gaussian releases compose to one with mu = sqrt(T) sensitivity / sd, counted by hand."""
    settings = PersonSettings(epsilon=epsilon)
    noise_sd = settings.noise_multiplier * CLIP_NORM / PATIENTS
    mu = np.sqrt(STEPS) * CLIP_NORM / PATIENTS / noise_sd

    assert gdp.epsilon_of(DELTA, mu=mu) == pytest.approx(epsilon, rel=CALIBRATION_ERROR)
    assert settings.spy_limit == pytest.approx(norm.cdf(mu / 2), abs=CALIBRATION_ERROR)
    assert settings.guarantee.epsilon == epsilon


@pytest.mark.parametrize("seed", SEEDS)
def test_no_spy_of_the_page_is_right_more_often_than_the_limit(seed):
    random = np.random.default_rng(seed)
    for epsilon in np.geomspace(0.01, 40, 9):
        person = int(random.integers(PATIENTS))
        result = result_of(PersonSettings(epsilon=float(epsilon), seed=seed, person=person))

        assert result.right_guesses <= float(percent_rounded_up(result.limit))


def test_a_spy_of_models_with_too_little_noise_exceeds_the_limit():
    """The test above would notice noise that is too small."""
    honest = PersonSettings(epsilon=3.0)
    broken = result_of(PersonSettings(epsilon=10.0))

    assert broken.right_guesses > float(percent_rounded_up(honest.spy_limit))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_large_epsilon_reveals_the_patient_and_a_small_one_hides_her(seed):
    large = result_of(PersonSettings(epsilon=10.0, seed=seed))
    small = result_of(PersonSettings(epsilon=0.02, seed=seed))

    assert large.right_guesses >= 70
    assert 46 <= small.right_guesses <= 51


def test_a_dot_is_drawn_as_right_only_if_the_spy_is_right_about_all_of_its_models():
    result = result_of(PersonSettings(epsilon=2.0))
    threshold = np.median(result.pairs.scores, axis=1).mean()
    with_person, without_person = np.sort(result.pairs.scores, axis=1)

    right_with = (with_person.reshape(50, 10) > threshold).all(axis=1)
    right_without = (without_person.reshape(50, 10) <= threshold).all(axis=1)

    np.testing.assert_array_equal(result.is_right, [right_with, right_without])
    assert result.right_guesses == right_with.sum() + right_without.sum()


def test_repeats_do_not_depend_on_the_batch():
    clinic = Clinic(seed=1, person=5)
    together = tasks.train_pairs(clinic, (2.0,), range(100))

    parts = [tasks.train_pairs(clinic, (2.0,), batch) for batch in (range(40), range(40, 100))]

    joined = tasks.Pairs.concatenate(parts)
    np.testing.assert_allclose(
        joined.scores,
        together.scores,
        rtol=SINGLE_PRECISION,
        atol=SINGLE_PRECISION,
    )
