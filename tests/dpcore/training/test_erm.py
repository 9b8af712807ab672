"""Exact minimisers against a general optimiser, closed forms, and sparse rows against the same rows
written out.
"""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

from dpcore.check import RefusedError
from dpcore.training import dense_or_sparse, erm, risks, sparse_erm

# Every weight is a sum of many numbers, and the solver ends at a gradient of this size.
ROUNDING = 1e-8
# Two fits may end anywhere within the solver's tolerance.
SOLVER_ERROR = 1e-7


def rows(*shape: int, seed: int = 0) -> np.ndarray:
    """Return random rows of norm at most 1."""
    X = np.random.default_rng(seed).normal(size=shape)
    return X / np.maximum(1, np.linalg.norm(X, axis=-1, keepdims=True))


def shares_of(classes: int, *leading: int, seed: int, count: int = 15) -> np.ndarray:
    """Return random shares of the classes of ``count`` rows, (*leading, classes, count)."""
    rng = np.random.default_rng(seed)
    return np.swapaxes(rng.dirichlet(np.ones(classes), size=(*leading, count)), -1, -2)


def risk(w, X, shares, strength, row_weights, centre) -> float:
    """Return the definition of the risk, by a plain loop over the rows.

    ``shares`` (K, n) are those of the classes. One output stands for two classes.
    """
    total = 0.5 * float(np.sum(strength * (w - centre) ** 2))
    for x, share, weight in zip(X, shares.T, row_weights, strict=True):
        z = w.reshape(-1, len(x)) @ x
        if len(z) == 1:
            z = np.append(0, z)
        total += weight * (logsumexp(z) - float(share @ z))
    return total


def assert_is_minimum(found: erm.Minimum, X, shares, strength, row_weights, centre) -> None:
    """Compare a minimiser with that of a general optimiser."""
    arguments = (X, shares, strength, row_weights, centre)
    weights = found.weights.ravel()
    reference = minimize(
        risk, np.zeros(weights.size), args=arguments, method="BFGS", options={"gtol": 1e-8}
    )
    flattest = min(np.min(strength), 1)
    assert found.gradient_norm <= 1e-10
    np.testing.assert_allclose(weights, reference.x, atol=1e-4 / np.sqrt(flattest))
    assert risk(weights, *arguments) <= reference.fun + 1e-14


EQUAL_WEIGHTS = np.full(20, 1 / 20)


@pytest.mark.parametrize("strength", [1e-4, 0.01, 10.0])
def test_two_classes_have_the_minimiser_of_a_general_optimiser(strength):
    X = rows(20, 3)
    shares = shares_of(2, seed=2, count=20)

    found = erm.logistic(X, shares[1], regularisation=strength)

    assert_is_minimum(found, X, shares, strength, EQUAL_WEIGHTS, 0)


def test_weighted_rows_strengths_and_a_centre_have_the_minimiser_of_a_general_optimiser():
    X = rows(20, 3)
    shares = shares_of(2, seed=2, count=20)
    strengths = np.array([0.1, 1.0, 10.0])
    row_weights = np.random.default_rng(3).uniform(0, 2, size=20)
    centre = np.array([1.0, -2.0, 3.0])

    found = erm.logistic(
        X, shares[1], regularisation=strengths, row_weights=row_weights, centre=centre
    )

    assert_is_minimum(found, X, shares, strengths, row_weights, centre)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_several_classes_have_the_minimiser_of_a_general_optimiser(classes):
    X = rows(20, 3)
    shares = shares_of(classes, seed=classes, count=20)

    found = erm.softmax(X, shares, regularisation=0.01)

    assert_is_minimum(found, X, shares, 0.01, EQUAL_WEIGHTS, 0)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_weights_of_several_classes_sum_to_zero(classes):
    """A shift that all classes share changes no probability, and only costs penalty."""
    shares = shares_of(classes, seed=classes, count=20)

    found = erm.softmax(rows(20, 3), shares, regularisation=0.01)

    np.testing.assert_allclose(found.weights.sum(axis=0), 0, atol=ROUNDING)


CHUNKS = pytest.mark.parametrize(
    "numbers",
    [pytest.param(1, id="in pieces"), pytest.param(10**9, id="at once")],
)


@CHUNKS
def test_a_stack_of_two_class_problems_is_each_of_them(numbers, monkeypatch):
    monkeypatch.setattr(erm, "_CHUNK_NUMBERS", numbers)
    rng = np.random.default_rng(4)
    X = rows(3, 2, 15, 4)
    targets = rng.uniform(size=(3, 2, 15))
    row_weights = rng.uniform(0.5, 2, size=(2, 1, 1, 15))
    strengths = np.array([0.001, 1.0])[:, None] * np.ones(4)

    stack = erm.logistic(X, targets, regularisation=strengths, row_weights=row_weights)

    assert stack.weights.shape == (2, 3, 2, 4)
    assert stack.gradient_norm.shape == (2, 3, 2)
    for k, i, j in np.ndindex(2, 3, 2):
        alone = erm.logistic(
            X[i, j], targets[i, j], regularisation=strengths[j], row_weights=row_weights[k, 0, 0]
        )
        np.testing.assert_allclose(stack.weights[k, i, j], alone.weights, atol=SOLVER_ERROR)


@CHUNKS
def test_a_stack_of_problems_of_several_classes_is_each_of_them(numbers, monkeypatch):
    monkeypatch.setattr(erm, "_CHUNK_NUMBERS", numbers)
    X = rows(15, 4)
    shares = shares_of(3, 5, seed=4)

    stack = erm.softmax(X, shares, regularisation=0.1)

    alone = erm.softmax(X, shares[4], regularisation=0.1)
    np.testing.assert_allclose(stack.weights[4], alone.weights, atol=ROUNDING)


@pytest.mark.parametrize("strength", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("shape", [(60, 6), (3, 60, 6)], ids=str)
def test_steps_by_conjugate_gradients_end_where_exact_steps_end(monkeypatch, strength, shape):
    X = rows(*shape)
    rng = np.random.default_rng(8)
    shares = rng.dirichlet(np.full(7, 0.2), size=(3, 60)).swapaxes(1, 2)

    monkeypatch.setattr(risks, "_CONJUGATE_FROM", 1)
    by_conjugate_gradients = erm.softmax(X, shares, regularisation=strength)
    monkeypatch.setattr(risks, "_CONJUGATE_FROM", 10**9)
    by_exact_steps = erm.softmax(X, shares, regularisation=strength)

    assert by_conjugate_gradients.gradient_norm.max() <= 1e-10
    assert by_exact_steps.gradient_norm.max() <= 1e-10
    np.testing.assert_allclose(
        by_conjugate_gradients.weights, by_exact_steps.weights, atol=2e-10 / strength
    )


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-10])
@pytest.mark.parametrize("strength", [1e-2, 1e-4])
def test_every_problem_reaches_the_tolerance(tolerance, strength):
    """With few rows and many classes, the gradient may grow for a step while the risk falls."""
    y = np.random.default_rng(9).integers(0, 10, (200, 10))
    X = rows(200, 10, 9, seed=9)
    one_hot = (y[:, None] == np.arange(10)[:, None]).astype(float)

    of_many = erm.softmax(X, one_hot, regularisation=strength, tolerance=tolerance)
    labels = (y > 4).astype(float)
    of_two = erm.logistic(X, labels, regularisation=strength, tolerance=tolerance)

    assert of_many.gradient_norm.max() <= tolerance
    assert of_two.gradient_norm.max() <= tolerance


START_SHARES = shares_of(3, 2, seed=10, count=30)


@pytest.mark.parametrize(
    ("fit", "targets", "start"),
    [
        pytest.param(
            erm.softmax,
            START_SHARES,
            5 * np.random.default_rng(10).normal(size=(2, 3, 4)),
            id="several classes",
        ),
        pytest.param(erm.logistic, START_SHARES[:, 0], 3.0, id="two classes"),
    ],
)
def test_the_minimiser_does_not_depend_on_the_start(fit, targets, start):
    X = rows(30, 4)
    minimiser = fit(X, targets, regularisation=0.01).weights

    from_start = fit(X, targets, regularisation=0.01, start=start).weights
    from_minimiser = fit(X, targets, regularisation=0.01, start=minimiser).weights

    np.testing.assert_allclose(from_start, minimiser, atol=4e-8)
    np.testing.assert_array_equal(from_minimiser, minimiser)


def test_a_loose_minimiser_is_as_near_as_its_gradient_allows():
    """Two inexact minimisers are at most ``distance`` further apart, one of them half of it."""
    X = rows(30, 4)
    targets = START_SHARES[0, 0]
    exact = erm.logistic(X, targets, regularisation=1e-3, tolerance=1e-10)

    loose = erm.logistic(X, targets, regularisation=1e-3, tolerance=1e-2)

    assert 1e-10 < loose.gradient_norm <= 1e-2
    allowed = erm.distance(loose.gradient_norm, regularisation=1e-3)
    assert np.linalg.norm(loose.weights - exact.weights) <= allowed / 2


@pytest.mark.parametrize("strength", [1e-6, 1e-4, 1.0])
def test_separable_rows_have_a_minimiser_however_far_away(strength):
    """Every label agrees, so without a penalty there is no minimum."""
    X = np.repeat([[1.0], [-1.0]], 50, axis=0)
    labels = np.repeat([1.0, 0.0], 50)

    found = erm.logistic(X, labels, regularisation=strength)

    (weight,) = found.weights
    assert found.gradient_norm <= 1e-10
    assert strength * weight == pytest.approx(expit(-weight), rel=1e-4, abs=1e-10)


BAD_ARGUMENTS = [
    pytest.param("targets", np.array([0.5, 1.5]), id="a share above 1"),
    pytest.param("targets", np.array([True, False]), id="truth values as shares"),
    pytest.param("regularisation", 0.0, id="no penalty"),
    pytest.param("regularisation", np.array([1.0, -1.0]), id="a negative penalty"),
    pytest.param("regularisation", "strong", id="a penalty as a word"),
    pytest.param("row_weights", np.array([1.0, -0.1]), id="a negative weight"),
    pytest.param("tolerance", 0.0, id="no tolerance"),
    pytest.param("centre", np.nan, id="a centre that is no number"),
]


def fit_with(X, name: str, value) -> None:
    """Fit a logistic regression to two rows, with this value of the named argument."""
    arguments = {"targets": np.array([0.0, 1.0]), "regularisation": 1.0, name: value}
    erm.logistic(X, arguments.pop("targets"), **arguments)


@pytest.mark.parametrize("X", [rows(2, 2), sparse.csr_matrix(rows(2, 2))], ids=["dense", "sparse"])
@pytest.mark.parametrize(("name", "value"), BAD_ARGUMENTS)
def test_bad_arguments_are_refused(X, name, value):
    with pytest.raises(RefusedError, match=name):
        fit_with(X, name, value)


@pytest.mark.parametrize("X", [np.full((2, 2), np.nan), np.full((2, 2), "a")], ids=["NaN", "words"])
def test_rows_without_numbers_are_refused(X):
    with pytest.raises(RefusedError, match="X"):
        erm.logistic(X, np.array([0.0, 1.0]), regularisation=1.0)


def test_a_start_that_is_no_number_is_refused():
    with pytest.raises(RefusedError, match="start"):
        fit_with(rows(2, 2), "start", np.nan)


def test_shares_that_do_not_sum_to_1_are_refused():
    with pytest.raises(RefusedError, match="sum to 1"):
        erm.softmax(rows(2, 2), np.full((3, 2), 0.2), regularisation=1.0)


def sparse_rows(
    n: int = 30, d: int = 12, *, seed: int = 0, share: float = 0.3
) -> sparse.csr_matrix:
    """Return sparse rows (n, d) of norm 1, with this share of entries that are not 0."""
    X = sparse.random(n, d, density=share, format="csr", random_state=seed)
    lengths = np.maximum(sparse.linalg.norm(X, axis=1), 1e-9)
    return sparse.csr_matrix(sparse.diags(1 / lengths) @ X)


def dense(X) -> np.ndarray:
    """Return sparse rows, of one problem or of several, as an array."""
    if isinstance(X, tuple):
        return np.stack([matrix.toarray() for matrix in X])
    return X.toarray()


ONE_MATRIX = sparse_rows()
SEVERAL_MATRICES = tuple(sparse_rows(seed=seed) for seed in range(3))
STACKS = pytest.mark.parametrize("X", [ONE_MATRIX, SEVERAL_MATRICES], ids=["one", "several"])


@STACKS
@pytest.mark.parametrize(
    "strength",
    [
        pytest.param(1e-3, id="weak"),
        pytest.param(0.5, id="strong"),
        pytest.param(np.geomspace(0.01, 100, 12), id="each its own"),
    ],
)
@pytest.mark.parametrize("has_centre", [False, True])
def test_sparse_rows_have_the_minimiser_of_dense_ones(X, strength, has_centre):
    rng = np.random.default_rng(1)
    targets = rng.uniform(size=(3, 30))
    options = {}
    if has_centre:
        options["centre"] = rng.normal(size=(3, 12))
        options["row_weights"] = rng.uniform(0, 2, size=(3, 30))

    found = erm.logistic(X, targets, regularisation=strength, **options)

    of_dense = erm.logistic(dense(X), targets, regularisation=strength, **options)
    assert found.weights.shape == (3, 12)
    assert found.gradient_norm.max() <= erm.TOLERANCE
    np.testing.assert_allclose(found.weights, of_dense.weights, atol=SOLVER_ERROR)


class PriorProblem:
    """Sparse rows with a prior whose spread differs in each coordinate.

    With little privacy lost it is hundreds of times the size of a margin.
    """

    def __init__(self, prior_sd: float):
        rng = np.random.default_rng(2)
        self.X = sparse_rows(120, 400, share=0.1)
        self.targets = rng.integers(0, 2, 120)
        self.centre = prior_sd * rng.normal(size=400)
        self.strength = (prior_sd * rng.gamma(1.0, size=400) + 0.05) ** -2.0

    def minimise(self) -> erm.Minimum:
        """Return the minimum of the sum of losses and of the penalty of the prior."""
        return erm.logistic(
            self.X,
            self.targets,
            regularisation=self.strength,
            centre=self.centre,
            row_weights=np.ones(120),
        )


PRIORS = pytest.mark.parametrize("prior_sd", [0.05, 1.0, 600.0])


@PRIORS
def test_a_prior_of_any_width_leaves_no_gradient(prior_sd):
    problem = PriorProblem(prior_sd)

    weights = problem.minimise().weights

    of_losses = problem.X.T @ (expit(problem.X @ weights) - problem.targets)
    of_prior = problem.strength * (weights - problem.centre)
    assert np.linalg.norm(of_losses + of_prior) < 1e-9


@PRIORS
def test_a_search_that_is_cut_short_is_not_taken_as_exact(prior_sd, monkeypatch):
    monkeypatch.setattr(sparse_erm, "_STEPS", 1)

    minimum = PriorProblem(prior_sd).minimise()

    with pytest.raises(ArithmeticError, match="minimiser"):
        minimum.exact()


@STACKS
def test_sparse_rows_are_counted_as_dense_ones(X):
    assert dense_or_sparse.is_sparse(X)
    assert not dense_or_sparse.is_sparse(dense(X))
    assert dense_or_sparse.row_count(X) == 30
    assert dense_or_sparse.row_count(dense(X)) == 30


@STACKS
def test_sparse_rows_are_concatenated_as_dense_ones(X):
    more = sparse_rows(7, seed=9)

    pairs = dense_or_sparse.concat_pairs(X, more)

    expected = dense_or_sparse.concat_pairs(dense(X), more.toarray())
    np.testing.assert_array_equal(dense(pairs), expected)


@STACKS
def test_sparse_rows_have_the_products_of_dense_ones(X):
    vectors = np.random.default_rng(4).normal(size=(3, 2, 12))

    products = dense_or_sparse.products(X, vectors)

    np.testing.assert_allclose(products, dense_or_sparse.products(dense(X), vectors))


def test_the_largest_norm_is_that_of_a_row():
    matrices = (*SEVERAL_MATRICES, *dense(SEVERAL_MATRICES))

    norms = [dense_or_sparse.largest_norm(2 * matrix) for matrix in matrices]

    assert norms == pytest.approx([2] * 6)


def test_sparse_rows_are_stacked_as_dense_ones():
    stack = dense_or_sparse.stack(list(SEVERAL_MATRICES))

    expected = dense_or_sparse.stack(list(dense(SEVERAL_MATRICES)))
    np.testing.assert_array_equal(dense(stack), expected)
