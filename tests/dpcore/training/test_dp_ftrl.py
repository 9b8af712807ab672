"""Batches in a fixed order: noisy prefix sums and their cost, compared with whole matrices."""

import math

import dp_accounting
import numpy as np
import pytest
from scipy.linalg import toeplitz

from dpcore import accountants, check
from dpcore.privacy import Adjacency
from dpcore.streams import stream
from dpcore.training import batches, dp_ftrl, sgd
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe
from tests import network_oracles

# Double precision over all steps of a training.
ROUNDING_OF_STEPS = 1e-10
# Double precision: sums of a few products.
ROUNDING = 1e-12
# Squares of sums over all batches.
ROUNDING_OF_SQUARES = 1e-9
# Accountants search epsilon to so many digits.
SEARCH_ERROR = 1e-6

NET = Architecture(sizes=(3, 4, 2))
ROWS = 30
RNG = np.random.default_rng(5)
X = RNG.normal(size=(ROWS, 3))
Y = RNG.integers(0, 2, ROWS)
START = NET.start(1, range(2))
CLIP_NORM = 0.4
NOISE_MULTIPLIER = 1.5

each_mechanism = pytest.mark.parametrize("mechanism", ["ordered", "toeplitz"])


def make_recipe(m: float = 7, *, mechanism: str = "toeplitz", steps: int = 20, **changes) -> Recipe:
    """Return a recipe with ``m`` batches per pass."""
    options = {"learning_rate": 0.5, "clip_norm": CLIP_NORM, "decay": 1.0, **changes}
    return Recipe(
        architecture=NET, sampling_rate=1 / m, steps=steps, mechanism=mechanism, **options
    )


def train(recipe: Recipe, *, y: np.ndarray = Y, **changes) -> sgd.Training:
    """Train two networks, in double precision."""
    options = {"start": START, "noise_multiplier": NOISE_MULTIPLIER, "dtype": np.float64}
    return sgd.train(recipe, X, y, seed=3, draws=[4, 2], **{**options, **changes})


def square_root(m: int) -> np.ndarray:
    """Return C (m, m) with c_k = binom(2k, k) / 4^k on diagonal k."""
    return np.tril(toeplitz([math.comb(2 * k, k) / 4**k for k in range(m)]))


def noise_of_sums(mechanism: str, steps: int, m: int) -> np.ndarray:
    """Return the matrix (T, T) from independent noise to the noise of each prefix sum.

    Each pass has a fresh C, and the noise of its last step stays in all later sums.
    """
    within_pass = np.tril(np.ones((m, m)))
    if mechanism == "toeplitz":
        within_pass = square_root(m)
    passes = math.ceil(steps / m)
    earlier_passes = np.tril(np.ones((passes, passes)), -1)
    last_row = np.tile(within_pass[-1], (m, 1))
    matrix = np.kron(np.eye(passes), within_pass) + np.kron(earlier_passes, last_row)
    return matrix[:steps, :steps]


def noise_of_steps(mechanism: str, steps: int, m: int) -> np.ndarray:
    """Return the matrix (T, T) from independent noise to the engine's noise of each step."""
    if mechanism == "ordered":
        return np.eye(steps)
    correlated = dp_ftrl.correlated(iter(np.eye(steps)), batches_per_pass=m, first=0)
    return np.array(list(correlated))


# --- Batches --------------------------------------------------------------------------------------


def members_of_two_passes() -> list[np.ndarray]:
    """Return the rows of each of 14 batches, 7 per pass."""
    padded = batches.ordered([0, 0], rows=ROWS, batches_per_pass=7, first=0, last=14)
    return [batch[0][batch[0] >= 0] for batch in padded]


@pytest.mark.parametrize("pass_number", [0, 1])
def test_each_row_is_in_one_batch_of_each_pass(pass_number):
    members = members_of_two_passes()[7 * pass_number : 7 * (pass_number + 1)]

    assert sorted(np.concatenate(members)) == list(range(ROWS))


def test_batches_have_equal_sizes_up_to_one_row():
    assert {len(members) for members in members_of_two_passes()} == {4, 5}


# --- Training -------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 4, 7])
def test_the_weights_follow_from_the_noisy_prefix_sums(m):
    """w_t = w_0 - eta/L (S_t + Z_t), with one gradient at a time and the noise of whole matrices."""
    recipe = make_recipe(m)

    history = train(recipe, record=range(21)).history

    unit_noise = stream(3, "noise", 4).standard_normal((batches.BLOCK, NET.parameters))[:20]
    noise = noise_of_sums("toeplitz", 20, m) @ unit_noise * NOISE_MULTIPLIER * CLIP_NORM
    gradient_sum = 0.0
    weights = START[0]
    for step in range(20):
        members = [row for row in range(ROWS) if row % m == step % m]
        gradient_sum = gradient_sum + network_oracles.batch_gradient(
            NET.sizes, weights, X[members], Y[members], clip_norm=CLIP_NORM
        )
        rate = recipe.learning_rate / (ROWS / m)
        weights = START[0] - rate * (gradient_sum + noise[step])
        np.testing.assert_allclose(history[step + 1, 0], weights, rtol=0, atol=ROUNDING_OF_STEPS)


@each_mechanism
@pytest.mark.parametrize(
    "cuts",
    [
        pytest.param((1,), id="one cut"),
        pytest.param((6, 7, 8), id="around one step"),
        pytest.param((13, 50, 51, 99), id="around a block"),
        pytest.param(tuple(range(1, 120, 3)), id="many cuts"),
    ],
)
def test_training_in_pieces_equals_training_in_one_piece(mechanism, cuts):
    recipe = make_recipe(30, steps=120, mechanism=mechanism, decay=0.3)

    weights = START
    for first, last in zip((0, *cuts), (*cuts, 120), strict=True):
        weights = train(recipe, start=weights, first=first, last=last).weights

    np.testing.assert_array_equal(weights, train(recipe).weights)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("variant", "shuffled"),
        ("noise_ramp", 0.5),
        ("clip_ramp", 2.0),
        ("mechanism", "forest"),
    ],
)
def test_a_setting_that_is_not_proved_is_refused_by_name(name, value):
    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        make_recipe(**{name: value})


def test_a_number_of_batches_that_is_not_whole_is_refused():
    with pytest.raises(check.RefusedError, match="^sampling_rate is "):
        make_recipe(10 / 3)


# --- Noise ----------------------------------------------------------------------------------------


@each_mechanism
@pytest.mark.parametrize("m", [1, 2, 5, 8, 13])
def test_the_noise_of_the_steps_adds_up_to_that_of_the_sums(mechanism, m):
    steps = 2 * m + 3

    added_up = np.cumsum(noise_of_steps(mechanism, steps, m), axis=0)

    np.testing.assert_allclose(added_up, noise_of_sums(mechanism, steps, m), atol=ROUNDING)


@pytest.mark.parametrize("steps", [0, 1, 6, 13, 20, 26])
@pytest.mark.parametrize("m", [5, 13])
def test_the_noise_that_remains_in_the_weights(m, steps):
    rates = 0.9 ** np.arange(steps)

    factors = dp_ftrl.noise_factors(rates, batches_per_pass=m)

    expected = rates
    if steps > 0:
        expected = rates @ noise_of_steps("toeplitz", steps, m)
    np.testing.assert_allclose(factors, expected, atol=ROUNDING)


# --- Sensitivity ----------------------------------------------------------------------------------


def largest_squared_change(mechanism: str, steps: int, m: int) -> float:
    """Return the largest squared distance that a row moves the release, in clipping norms.

    A shift s of the steps' sums is |B^-1 s| away where their noise is B z. A row moves each of its
    batches by 1 or -1.
    """
    undo_noise = np.linalg.inv(noise_of_steps(mechanism, steps, m))
    squares = []
    for batch in range(min(m, steps)):
        columns = undo_noise[:, batch::m]
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(4, columns.shape[1]))
        for sign in signs:
            squares.append(np.square(columns @ sign).sum())
    return max(squares)


@each_mechanism
@pytest.mark.parametrize("m", [1, 2, 3, 4, 7, 8, 11, 16])
def test_the_sensitivity_is_reached_by_a_row_and_exceeded_by_none(mechanism, m):
    for steps in range(1, 2 * m + 4):
        sensitivity = dp_ftrl.sensitivity(mechanism, steps, batches_per_pass=m)

        largest = largest_squared_change(mechanism, steps, m)
        assert largest == pytest.approx(sensitivity**2, abs=ROUNDING_OF_SQUARES)


@each_mechanism
@pytest.mark.parametrize("m", [1, 2, 3, 4, 7, 8, 11, 16])
def test_the_event_has_the_mu_of_the_sensitivity(mechanism, m):
    for steps in range(1, 2 * m + 4):
        event = dp_ftrl.event(mechanism, 3.0, steps, batches_per_pass=m)

        sensitivity = dp_ftrl.sensitivity(mechanism, steps, batches_per_pass=m)
        assert accountants.gdp.mu_of_event(event) == pytest.approx(sensitivity / 3, rel=ROUNDING)


@each_mechanism
@pytest.mark.parametrize("row", range(ROWS))
def test_an_empty_place_moves_one_batch_per_pass_by_no_more_than_the_clipping_norm(mechanism, row):
    m = 7
    recipe = make_recipe(m, mechanism=mechanism)
    weights_before = train(recipe, noise_multiplier=0.0).weights
    without_row = np.where(np.arange(ROWS) == row, -1, Y)

    for step in range(7, 14):
        options = {
            "noise_multiplier": 0.0,
            "start": weights_before,
            "first": step,
            "last": step + 1,
        }
        with_row = train(recipe, y=Y, **options).weights
        without = train(recipe, y=without_row, **options).weights
        moved = np.linalg.norm(with_row - without, axis=1) * (ROWS / m) / recipe.learning_rate

        assert (moved <= CLIP_NORM + 1e-12).all()
        assert (moved > 0).all() == (step % m == row % m)


# --- Guarantees -----------------------------------------------------------------------------------

each_length = pytest.mark.parametrize(("m", "passes"), [(1, 3), (4, 1), (20, 15), (250, 2)])


def norm_of_first_column(m: int) -> float:
    """Return the L2 norm of the first column of ``square_root(m)``."""
    return float(np.linalg.norm(square_root(m)[:, 0]))


def mu_after(recipe: Recipe, steps: int) -> float:
    """Return the mu of the first ``steps`` steps with noise multiplier 1."""
    return accountants.gdp.mu_of_event(recipe.event(1.0, until=steps))


@each_length
def test_the_guarantee_of_whole_passes_is_exact(m, passes):
    event = make_recipe(m, steps=m * passes).event(12.0)

    epsilon = accountants.account(event, delta=1e-6, adjacency=Adjacency.ADD_REMOVE).epsilon

    multiplier = 12 / math.sqrt(passes) / norm_of_first_column(m)
    exact = dp_accounting.get_epsilon_gaussian(multiplier, 1e-6)
    assert epsilon == pytest.approx(exact, rel=SEARCH_ERROR)


@each_length
def test_a_longer_training_never_costs_less(m, passes):
    steps = m * passes
    recipe = make_recipe(m, steps=steps)

    mus = [mu_after(recipe, until) for until in range(1, steps + 1)]

    assert mus == sorted(mus)


@each_length
def test_mu_after_a_step_a_pass_and_all_passes(m, passes):
    steps = m * passes
    recipe = make_recipe(m, steps=steps)

    norm = norm_of_first_column(m)
    assert mu_after(recipe, 1) == pytest.approx(1)
    assert mu_after(recipe, m) == pytest.approx(norm)
    assert mu_after(recipe, steps) == pytest.approx(math.sqrt(passes) * norm)
    if passes > 1:
        assert mu_after(recipe, m + 1) == pytest.approx(math.hypot(norm, 1))


@each_length
def test_each_layer_with_its_own_bound_is_another_release(m, passes):
    steps = m * passes
    recipe = make_recipe(m, steps=steps)
    two_layers = make_recipe(m, clip_norm=(0.3, 0.3), steps=steps)

    mu = accountants.gdp.mu_of_event(two_layers.event(5.0))

    assert mu == pytest.approx(math.sqrt(2) * mu_after(recipe, steps) / 5)
