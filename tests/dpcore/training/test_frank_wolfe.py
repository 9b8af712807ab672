"""Noisy Frank-Wolfe against a plain loop, optima of other solvers, and sensitivities by brute force."""

import numpy as np
import pytest
from scipy import stats
from sklearn import linear_model

from dpcore import check
from dpcore.mechanisms import NoisyMax
from dpcore.privacy import Adjacency
from dpcore.training import frank_wolfe
from dpcore.training.polytopes import L1Ball
from dpcore.training.residual_gradients import Pooled
from lab.models.non_private import penalised_least_squares
from tests.frank_wolfe_oracles import PENTAGON, gradient, plain_loop, problem
from tests.oracles import LAWS, win_probabilities

# Double precision: engine and plain loop compute the same in another order.
ROUNDING = 1e-12
# Seven digits, of which the steps lose some.
SINGLE_PRECISION = 2e-3
# The reference solver ends so near to the lasso.
SOLVER_ERROR = 1e-4
# The reference of a ridge regression solves a system of equations.
ROUNDING_OF_RIDGE = 1e-9

LENGTHS = np.array([7, 12, 3])
SCALES = np.array([0.02, 0.1, 0.05])
CENTRES = np.array([[0.2, -0.1], [0.0, 0.0], [-0.3, 0.4]])
DRAWS = (4, 4, 9)
RESIDUAL_BOUND = 0.6


def ball(penalty: float) -> L1Ball:
    """Return an l1 ball in two dimensions with this lasso penalty."""
    return L1Ball(dimension=2, radius=1.3, penalty=penalty)


def lasso_penalty(polytope) -> float:
    """Return the lasso penalty of a polytope; 0 if it has none."""
    return getattr(polytope, "penalty", 0.0)


def trained(polytope, *, ridge, noise, **options):
    """Train with the seed, part and bound of these tests."""
    X, y = problem(d=2)
    return frank_wolfe.noisy_frank_wolfe(
        X,
        y,
        polytope=polytope,
        residual_bound=RESIDUAL_BOUND,
        seed=5,
        part=2,
        ridge=ridge,
        noise=noise,
        **options,
    )


def trained_batch(polytope, *, ridge, noise):
    """Return the trajectory of three models with different lengths, scales of noise and centres."""
    return trained(
        polytope,
        ridge=ridge,
        noise=noise,
        steps=LENGTHS,
        scale=SCALES,
        draws=DRAWS,
        centre=CENTRES,
        keep_points=True,
        dtype=np.float64,
    )


POLYTOPES = pytest.mark.parametrize(
    ("polytope", "ridge"),
    [
        pytest.param(PENTAGON, 0.0, id="pentagon"),
        pytest.param(ball(0.0), 0.0, id="ball"),
        pytest.param(ball(0.3), 0.0, id="ball with a penalty"),
        pytest.param(ball(0.1), 0.4, id="ball with a penalty and a ridge"),
    ],
)
NOISES = pytest.mark.parametrize("noise", frank_wolfe.NOISES)


@POLYTOPES
@NOISES
@pytest.mark.parametrize("model", range(3))
def test_each_model_of_a_batch_takes_the_steps_of_the_plain_loop(polytope, ridge, noise, model):
    X, y = problem(d=2)
    length = LENGTHS[model]
    weights, choices = plain_loop(
        X,
        y,
        polytope,
        steps=length,
        scale=SCALES[model],
        bound=RESIDUAL_BOUND,
        noise=noise,
        seed=5,
        part=2,
        draw=DRAWS[model],
        centre=CENTRES[model],
        ridge=ridge,
        lasso=lasso_penalty(polytope),
    )

    trajectory = trained_batch(polytope, ridge=ridge, noise=noise)

    np.testing.assert_allclose(trajectory.weights[model], weights, atol=ROUNDING)
    assert list(trajectory.choices[:length, model]) == choices
    assert (trajectory.choices[length:, model] == -1).all()
    first_and_last = trajectory.points[[0, -1], model]
    np.testing.assert_allclose(first_and_last, [CENTRES[model], weights], atol=ROUNDING)


@POLYTOPES
@NOISES
def test_single_precision_hardly_changes_the_weights(polytope, ridge, noise):
    batch = trained_batch(polytope, ridge=ridge, noise=noise)

    single = trained(
        polytope,
        ridge=ridge,
        noise=noise,
        steps=LENGTHS[1],
        scale=SCALES[1],
        draws=[DRAWS[1]],
        centre=CENTRES[1],
        dtype=np.float32,
    )

    np.testing.assert_allclose(single.weights[0], batch.weights[1], atol=SINGLE_PRECISION)


POOL_CENTRES = np.array([[0.1, 0.2, 0.0], [0.0, 0.3, 0.1]])


def trained_with_pooled_rows(entries: int):
    """Train two models with public rows, given once for both or once for each."""
    X, y = problem(d=3)
    Z, z = problem(40, 3, seed=1)
    pooled = Pooled(
        gram=np.array([Z.T @ Z] * entries),
        moment=np.array([Z.T @ z] * entries),
        rows=np.full(entries, 40),
    )
    return frank_wolfe.noisy_frank_wolfe(
        X,
        y,
        polytope=L1Ball(dimension=3, radius=1.0),
        steps=9,
        scale=0.03,
        residual_bound=0.5,
        seed=1,
        draws=[0, 1],
        centre=POOL_CENTRES,
        pooled=pooled,
        dtype=np.float64,
    )


def test_pooled_rows_may_be_shared_by_all_models():
    of_each = trained_with_pooled_rows(2)

    shared = trained_with_pooled_rows(1)

    np.testing.assert_array_equal(shared.weights, of_each.weights)


@pytest.mark.parametrize("model", [0, 1])
def test_pooled_rows_count_as_rows(model):
    X, y = problem(d=3)
    weights, choices = plain_loop(
        X,
        y,
        L1Ball(dimension=3, radius=1.0),
        steps=9,
        scale=0.03,
        bound=0.5,
        noise="gumbel",
        seed=1,
        draw=model,
        centre=POOL_CENTRES[model],
        pot=problem(40, 3, seed=1),
    )

    trajectory = trained_with_pooled_rows(2)

    assert list(trajectory.choices[:, model]) == choices
    np.testing.assert_allclose(trajectory.weights[model], weights, atol=ROUNDING)


def sparse_problem() -> tuple[np.ndarray, np.ndarray]:
    """Return 200 rows of 12 features, of which three have an effect."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (200, 12))
    truth = np.zeros(12)
    truth[:3] = 0.8, -0.4, 0.15
    return X, X @ truth + 0.2 * rng.normal(size=200)


def noiseless(*, steps: int, lasso: float = 0.0, ridge: float = 0.0, centre=None) -> np.ndarray:
    """Return the weights (12,) on the sparse problem after some steps without noise."""
    X, y = sparse_problem()
    trajectory = frank_wolfe.noisy_frank_wolfe(
        X,
        y,
        polytope=L1Ball(dimension=12, radius=2.0, penalty=lasso),
        steps=steps,
        scale=0,
        residual_bound=np.inf,
        seed=0,
        draws=[0],
        ridge=ridge,
        centre=centre,
        dtype=np.float64,
    )
    return trajectory.weights[0]


def excess_risk(weights: np.ndarray, optimum: np.ndarray, penalty_of) -> float:
    """Return the mean squared residual plus penalty of ``weights``, over that of ``optimum``."""
    X, y = sparse_problem()
    risk = np.square(y - X @ weights).mean() + penalty_of(weights)
    least = np.square(y - X @ optimum).mean() + penalty_of(optimum)
    return risk - least


@pytest.mark.parametrize("penalty", [0.02, 0.1])
def test_without_noise_it_finds_the_lasso_whose_alpha_is_half_of_the_penalty(penalty):
    X, y = sparse_problem()
    lasso = linear_model.Lasso(penalty / 2, tol=1e-10, fit_intercept=False).fit(X, y).coef_

    weights = noiseless(steps=10_000, lasso=penalty)

    excess = excess_risk(weights, lasso, lambda w: penalty * np.abs(w).sum())
    assert -1e-9 <= excess < 5e-6
    reference = penalised_least_squares(X, y, penalty=penalty, q="1")
    np.testing.assert_allclose(reference, lasso, atol=SOLVER_ERROR)


@pytest.mark.parametrize("penalty", [0.02, 0.5])
def test_without_noise_it_finds_the_ridge_whose_alpha_is_n_penalties(penalty):
    X, y = sparse_problem()
    solver = linear_model.Ridge(len(X) * penalty, tol=1e-12, fit_intercept=False)
    ridge = solver.fit(X, y).coef_

    weights = noiseless(steps=10_000, ridge=penalty)

    excess = excess_risk(weights, ridge, lambda w: penalty * np.square(w).sum())
    assert -1e-9 <= excess < 1e-6
    reference = penalised_least_squares(X, y, penalty=penalty, q="2")
    np.testing.assert_allclose(reference, ridge, atol=ROUNDING_OF_RIDGE)


def test_a_large_penalty_keeps_the_weights_at_the_centre():
    centre = np.linspace(-0.3, 0.3, 12)

    weights = noiseless(steps=50, lasso=5.0, centre=centre)

    np.testing.assert_array_equal(weights, centre)


def default_steps(*, rows: float = 1000, rho: float = 0.02, radius: float = 1.0) -> int:
    """Return the engine's number of steps for 40 vertices and residuals up to 1."""
    return frank_wolfe.steps_for(rows=rows, rho=rho, radius=radius, residual_bound=1.0, vertices=40)


def test_the_default_number_of_steps_rises_with_rows_budget_and_radius():
    assert default_steps(rows=5000) > frank_wolfe.LEAST_STEPS
    assert default_steps(rows=5000, rho=0.1) > default_steps(rows=5000)
    assert default_steps(radius=2.0) >= default_steps(radius=0.2)


def test_the_default_number_of_steps_stays_within_its_limits():
    assert default_steps(rows=100, rho=1e-6) == frank_wolfe.LEAST_STEPS
    assert default_steps(rows=5000, rho=0.1) < frank_wolfe.MOST_STEPS
    assert default_steps(rows=10**6, rho=10) == frank_wolfe.MOST_STEPS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("steps", 0, id="no step"),
        pytest.param("steps", 2.5, id="half a step"),
        pytest.param("steps", True, id="steps as a truth value"),
        pytest.param("scale", -1.0, id="negative noise"),
        pytest.param("scale", np.nan, id="noise that is no number"),
        pytest.param("scale", "much", id="noise as a word"),
        pytest.param("scale", [0.1, 0.1], id="more scales than models"),
        pytest.param("residual_bound", np.nan, id="a bound that is no number"),
        pytest.param("residual_bound", "R", id="a bound as a word"),
        pytest.param("centre", np.full(3, np.nan), id="a centre of no numbers"),
        pytest.param("centre", np.zeros(2), id="a centre of another dimension"),
        pytest.param("y", np.full(60, np.nan), id="labels that are no numbers"),
        pytest.param("y", np.full(60, "a"), id="labels as words"),
        pytest.param("X", np.full((60, 3), 1.5), id="inputs beyond 1"),
        pytest.param("polytope", L1Ball(dimension=2, radius=1), id="another dimension"),
        pytest.param("noise", "normal", id="unknown noise"),
        pytest.param("draws", [0.5], id="half a stream"),
        pytest.param("ridge", -0.1, id="negative ridge"),
    ],
)
def test_bad_arguments_are_refused(name, value):
    X, y = problem()
    arguments = {
        "X": X,
        "y": y,
        "polytope": L1Ball(dimension=3, radius=1),
        "steps": 3,
        "scale": 0.1,
        "residual_bound": 1.0,
        "seed": 0,
        "draws": [0],
    }
    arguments[name] = value

    with pytest.raises(check.RefusedError):
        frank_wolfe.noisy_frank_wolfe(**arguments)


ROWS = 7
BOUND = 0.8
BALLS = [L1Ball(dimension=d, radius=1.7, penalty=0.4 if d == 3 else 0.0) for d in (1, 2, 3, 5)]


def score_changes(polytope, adjacency: Adjacency):
    """Yield the scores of all vertices on random neighbours, at random weights.

    In every fourth pair, one row is as extreme as its bounds allow.
    """
    d = polytope.dimension
    rng = np.random.default_rng(d)
    for trial in range(400):
        X = rng.uniform(-1, 1, (ROWS, d))
        y = rng.normal(size=ROWS)
        w = rng.normal(size=d)
        is_extreme = trial % 4 == 0
        if is_extreme:
            X[-1] = np.sign(X[-1])
            y[-1] = 50.0
        before = gradient(X, y, w, bound=BOUND)
        if adjacency is Adjacency.ADD_REMOVE:
            # The public number of rows stays.
            after = gradient(X[:-1], y[:-1], w, bound=BOUND, rows=ROWS)
        else:
            changed_X = X.copy()
            changed_y = y.copy()
            if is_extreme:
                changed_y[-1] = -50.0
            else:
                changed_X[-1] = rng.uniform(-1, 1, d)
                changed_y[-1] = rng.normal()
            after = gradient(changed_X, changed_y, w, bound=BOUND)
        # The gradient of a ridge of 0.3, which no row changes.
        ridge_gradient = 0.3 * w
        (scores_before,) = polytope.scores((before + ridge_gradient)[None])
        (scores_after,) = polytope.scores((after + ridge_gradient)[None])
        yield scores_before, scores_after


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("polytope", [*BALLS, PENTAGON])
def test_the_score_sensitivity_is_the_largest_change_between_neighbours(polytope, adjacency):
    sensitivity = frank_wolfe.score_sensitivity(
        polytope.norm, residual_bound=BOUND, rows=ROWS, adjacency=adjacency
    )

    changes = [np.subtract(*scores) for scores in score_changes(polytope, adjacency)]

    largest = np.abs(changes).max()
    assert largest <= sensitivity * (1 + 1e-12)
    assert largest == pytest.approx(sensitivity)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("polytope", BALLS)
def test_one_score_may_rise_as_far_as_another_falls(polytope, adjacency):
    sensitivity = frank_wolfe.score_sensitivity(
        polytope.norm, residual_bound=BOUND, rows=ROWS, adjacency=adjacency
    )

    changes = [np.subtract(*scores) for scores in score_changes(polytope, adjacency)]

    widest = max(change.max() - change.min() for change in changes)
    assert widest == pytest.approx(2 * sensitivity)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_no_row_moves_the_score_of_the_centre_of_a_penalised_ball(adjacency):
    (penalised,) = (candidate for candidate in BALLS if candidate.penalty > 0)

    for before, after in score_changes(penalised, adjacency):
        assert before[-1] == after[-1] == 0


def test_the_noise_scale_is_that_of_a_noisy_maximum():
    scale = frank_wolfe.noise_scale(0.7, sensitivity=0.2)

    assert scale == 2 * 0.2 / 0.7
    assert scale == NoisyMax(sensitivity=0.2, epsilon=0.7).scale


@NOISES
@pytest.mark.parametrize(
    ("law_scale", "fits"),
    [
        pytest.param(0.15, True, id="the scale of the noise"),
        pytest.param(0.075, False, id="half of it would be seen"),
    ],
)
def test_choices_follow_the_law_of_the_noise(noise, law_scale, fits):
    X, y = problem(30, 2, seed=4)
    ball = L1Ball(dimension=2, radius=1.0)
    runs = 4000
    scores = ball.scores(gradient(X, y, np.zeros(2), bound=1.0)[None])[0]
    law = win_probabilities(-scores, scale=law_scale, noise=noise)

    trajectory = frank_wolfe.noisy_frank_wolfe(
        X,
        y,
        polytope=ball,
        steps=1,
        scale=0.15,
        residual_bound=1.0,
        seed=3,
        draws=range(runs),
        noise=noise,
    )

    counts = np.bincount(trajectory.choices[0])
    p_value = stats.chisquare(counts, law / law.sum() * runs).pvalue
    assert (p_value > 1e-3) == fits


def unit_noise(noise: str, *, steps: int) -> np.ndarray:
    """Return noise of scale 1 for 8 vertices in 200 streams, (200, steps, 8)."""
    return frank_wolfe._draw(noise, 0, tuple(range(200)), 1, steps, 8)


@NOISES
def test_each_vertex_has_noise_of_its_own_in_each_step(noise):
    draws = unit_noise(noise, steps=5)

    # (200, 5, 8) to a row for each step and vertex.
    by_step_and_vertex = draws.transpose(1, 2, 0).reshape(40, -1)
    correlations = np.corrcoef(by_step_and_vertex) - np.eye(40)
    assert np.abs(correlations).max() < 0.35
    assert stats.kstest(draws.ravel(), LAWS[noise].cdf).pvalue > 1e-3


@NOISES
def test_longer_runs_begin_with_the_noise_of_shorter_ones(noise):
    short = unit_noise(noise, steps=5)

    long = unit_noise(noise, steps=9)

    np.testing.assert_array_equal(long[:, :5], short)
