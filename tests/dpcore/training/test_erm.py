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


def rows(*shape: int, seed=0) -> np.ndarray:
    X = np.random.default_rng(seed).normal(size=shape)
    return X / np.maximum(1, np.linalg.norm(X, axis=-1, keepdims=True))


def risk(w, X, shares, strength, r=None, centre=0) -> float:
    """The definition for ``shares`` (K, n) of classes, by a plain loop over the rows; one output
    for two classes.
    """
    total = 0.5 * float(np.sum(strength * (w - centre) ** 2))
    for x, share, weight in zip(
        X, shares.T, np.full(len(X), 1 / len(X)) if r is None else r, strict=True
    ):
        z = w.reshape(-1, len(x)) @ x
        z = np.append(0, z) if len(z) == 1 else z
        total += weight * (logsumexp(z) - float(share @ z))
    return total


MINIMA = [
    (2, 1, 1e-4),
    (2, 1, 0.01),
    (2, 1, 10.0),
    (2, 1, np.array([0.1, 1.0, 10.0])),
    (2, 2, 0.01),
    (3, 3, 0.01),
]


@pytest.mark.parametrize(("classes", "outputs", "strength"), [*MINIMA, (5, 5, 0.01)], ids=str)
def test_minimisers_are_what_a_general_optimiser_finds(classes, outputs, strength):
    """Coordinates of several strengths have rows of several weights and a centre as well."""
    rng = np.random.default_rng(classes)
    X, shares, more = rows(20, 3), rng.dirichlet(np.ones(classes), size=20).T, {}
    if outputs == 1:
        if np.ndim(strength):
            more = {"row_weights": rng.uniform(0, 2, size=20), "centre": np.array([1.0, -2.0, 3.0])}
        found = erm.logistic(X, shares[1], regularisation=strength, **more)
    else:
        found = erm.softmax(X, shares, regularisation=strength)
        np.testing.assert_allclose(
            found.weights.sum(axis=0), 0, atol=1e-8
        )  # the classes share nothing to shift by
    args = (X, shares, strength, *more.values())
    other = minimize(risk, np.zeros(3 * outputs), args=args, method="BFGS", options={"gtol": 1e-8})
    assert found.gradient_norm <= 1e-10
    np.testing.assert_allclose(
        found.weights.ravel(), other.x, atol=1e-4 / np.sqrt(min(np.min(strength), 1))
    )
    assert risk(found.weights.ravel(), *args) <= other.fun + 1e-14


@pytest.mark.parametrize("numbers", [1, 10**9], ids=["in pieces", "at once"])
def test_a_stack_is_each_of_its_problems(numbers, monkeypatch):
    monkeypatch.setattr(erm, "_CHUNK_NUMBERS", numbers)
    rng = np.random.default_rng(4)
    X, t, r = (
        rows(3, 2, 15, 4),
        rng.uniform(size=(3, 2, 15)),
        rng.uniform(0.5, 2, size=(2, 1, 1, 15)),
    )
    strength = np.array([0.001, 1.0])[:, None] * np.ones(4)
    stack = erm.logistic(X, t, regularisation=strength, row_weights=r)
    assert (stack.weights.shape, stack.gradient_norm.shape) == ((2, 3, 2, 4), (2, 3, 2))
    for k, i, j in np.ndindex(2, 3, 2):
        alone = erm.logistic(X[i, j], t[i, j], regularisation=strength[j], row_weights=r[k, 0, 0])
        np.testing.assert_allclose(stack.weights[k, i, j], alone.weights, atol=1e-7)
    shares = rng.dirichlet(np.ones(3), size=(5, 15)).swapaxes(1, 2)
    many = erm.softmax(X[0, 0], shares, regularisation=0.1)
    np.testing.assert_allclose(
        many.weights[4], erm.softmax(X[0, 0], shares[4], regularisation=0.1).weights, atol=1e-8
    )


@pytest.mark.parametrize("strength", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("shape", [(60, 6), (3, 60, 6)], ids=str)
def test_steps_by_conjugate_gradients_end_where_exact_steps_end(monkeypatch, strength, shape):
    X, t, found = (
        rows(*shape),
        np.random.default_rng(8).dirichlet(np.full(7, 0.2), size=(3, 60)).swapaxes(1, 2),
        [],
    )
    for many in (1, 10**9):
        monkeypatch.setattr(risks, "_CONJUGATE_FROM", many)
        found.append(erm.softmax(X, t, regularisation=strength))
        assert found[-1].gradient_norm.max() <= 1e-10
    np.testing.assert_allclose(found[0].weights, found[1].weights, atol=2 * 1e-10 / strength)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-10])
def test_every_problem_arrives_at_the_tolerance_that_was_asked(tolerance):
    """Few rows, many classes: the gradient may grow for a step while the risk falls, and that is no
    arrival.
    """
    rng = np.random.default_rng(9)
    X, y = rows(200, 10, 9, seed=9), rng.integers(0, 10, (200, 10))
    t = (y[:, None] == np.arange(10)[:, None]).astype(float)
    for strength in (1e-2, 1e-4):
        assert (
            erm.softmax(X, t, regularisation=strength, tolerance=tolerance).gradient_norm.max()
            <= tolerance
        )
        few = erm.logistic(X, (y > 4).astype(float), regularisation=strength, tolerance=tolerance)
        assert few.gradient_norm.max() <= tolerance


def test_the_answer_does_not_depend_on_the_start_and_a_loose_one_is_as_near_as_the_bound_allows():
    """Where the risk is the penalty alone, a gradient of norm tau lies exactly tau / lambda
    away.
    """
    rng = np.random.default_rng(10)
    X, t = rows(30, 4), rng.dirichlet(np.ones(3), size=(2, 30)).swapaxes(1, 2)
    for fit, targets, start in (
        (erm.softmax, t, rng.normal(size=(2, 3, 4)) * 5),
        (erm.logistic, t[:, 0], 3.0),
    ):
        found = fit(X, targets, regularisation=0.01).weights
        np.testing.assert_allclose(
            fit(X, targets, regularisation=0.01, start=start).weights, found, atol=4e-8
        )
        np.testing.assert_array_equal(
            fit(X, targets, regularisation=0.01, start=found).weights, found
        )
    exact, loose = (
        erm.logistic(X, t[0, 0], regularisation=1e-3, tolerance=how) for how in (1e-10, 1e-2)
    )
    assert 1e-10 < loose.gradient_norm <= 1e-2
    allowed = erm.distance(loose.gradient_norm, regularisation=1e-3)
    assert np.linalg.norm(loose.weights - exact.weights) <= allowed / 2


@pytest.mark.parametrize("strength", [1e-6, 1e-4, 1.0])
def test_rows_that_can_be_separated_still_arrive(strength):
    """Every label agrees: without the strength there is no minimum, with a small one it is far
    away.
    """
    found = erm.logistic(
        np.repeat([[1.0], [-1.0]], 50, axis=0), np.repeat([1.0, 0.0], 50), regularisation=strength
    )
    assert found.gradient_norm <= 1e-10
    assert strength * found.weights[0] == pytest.approx(
        expit(-found.weights[0]), rel=1e-4, abs=1e-10
    )


REFUSED = {
    "X": (np.full((2, 2), np.nan), np.full((2, 2), "a")),
    "targets": (np.array([0.5, 1.5]), np.array([True, False])),
    "regularisation": (0.0, np.array([1.0, -1.0]), "strong"),
    "row_weights": (np.array([1.0, -0.1]),),
    "tolerance": (0.0,),
    "centre": (np.nan,),
    "start": (np.nan,),
}


def test_what_makes_no_sense_is_refused():
    for name, value in ((name, value) for name, values in REFUSED.items() for value in values):
        for X in (rows(2, 2), sparse.csr_matrix(rows(2, 2)))[: 1 if name in ("X", "start") else 2]:
            asked = {"X": X, "targets": np.array([0.0, 1.0]), "regularisation": 1.0, name: value}
            with pytest.raises(RefusedError, match=name):
                erm.logistic(asked.pop("X"), asked.pop("targets"), **asked)
    with pytest.raises(RefusedError, match="sum to 1"):
        erm.softmax(rows(2, 2), np.full((3, 2), 0.2), regularisation=1.0)


def sparse_rows(
    n: int = 30, d: int = 12, *, seed: int = 0, share: float = 0.3
) -> sparse.csr_matrix:
    X = sparse.random(n, d, density=share, format="csr", random_state=seed)
    lengths = np.maximum(sparse.linalg.norm(X, axis=1), 1e-9)
    return sparse.csr_matrix(sparse.diags(1 / lengths) @ X)


def written_out(X):
    return np.stack([one.toarray() for one in X]) if isinstance(X, tuple) else X.toarray()


STACKS = [sparse_rows(), tuple(sparse_rows(seed=seed) for seed in range(3))]


@pytest.mark.parametrize("X", STACKS, ids=["one", "several"])
@pytest.mark.parametrize(
    "strength", [1e-3, 0.5, np.geomspace(0.01, 100, 12)], ids=["weak", "strong", "each its own"]
)
@pytest.mark.parametrize("moved", [False, True])
def test_they_are_those_of_the_rows_written_out(X, strength, moved):
    rng = np.random.default_rng(1)
    targets, how = rng.uniform(size=(3, 30)), {"regularisation": strength}
    if moved:
        how |= {"centre": rng.normal(size=(3, 12)), "row_weights": rng.uniform(0, 2, size=(3, 30))}
    found, dense = erm.logistic(X, targets, **how), erm.logistic(written_out(X), targets, **how)
    assert found.weights.shape == (3, 12)
    assert found.gradient_norm.max() <= erm.TOLERANCE
    np.testing.assert_allclose(found.weights, dense.weights, atol=1e-7)


@pytest.mark.parametrize("prior_sd", [0.05, 1.0, 600.0])
def test_a_prior_as_wide_as_the_noise_is_no_obstacle_and_a_search_cut_short_says_so(
    prior_sd, monkeypatch
):
    """With little privacy lost the sources' spread is hundreds of times a margin, and different in
    each coordinate.
    """
    rng, X = np.random.default_rng(2), sparse_rows(120, 400, share=0.1)
    t, centre = rng.integers(0, 2, 120), prior_sd * rng.normal(size=400)
    strength = (prior_sd * rng.gamma(1.0, size=400) + 0.05) ** -2.0
    how = {"regularisation": strength, "centre": centre, "row_weights": np.ones(120)}
    found = erm.logistic(X, t, **how)
    gradient = X.T @ (expit(X @ found.weights) - t) + strength * (found.weights - centre)
    assert np.linalg.norm(gradient) < 1e-9
    monkeypatch.setattr(sparse_erm, "_STEPS", 1)
    with pytest.raises(ArithmeticError, match="minimiser"):
        erm.logistic(X, t, **how).exact()


@pytest.mark.parametrize("X", STACKS, ids=["one", "several"])
def test_rows_answer_every_question_as_those_written_out(X):
    dense, other = written_out(X), sparse_rows(7, seed=9)
    assert (dense_or_sparse.is_sparse(X), dense_or_sparse.is_sparse(dense)) == (True, False)
    assert dense_or_sparse.row_count(X) == dense_or_sparse.row_count(dense) == 30
    np.testing.assert_array_equal(
        written_out(dense_or_sparse.concat_pairs(X, other)),
        dense_or_sparse.concat_pairs(dense, other.toarray()),
    )
    vectors = np.random.default_rng(4).normal(size=(3, 2, 12))
    np.testing.assert_allclose(
        dense_or_sparse.products(X, vectors), dense_or_sparse.products(dense, vectors)
    )
    if isinstance(X, tuple):
        assert [dense_or_sparse.largest_norm(2 * one) for one in (*X, *dense)] == pytest.approx(
            [2] * 6
        )
        np.testing.assert_array_equal(
            written_out(dense_or_sparse.stack(list(X))), dense_or_sparse.stack(list(dense))
        )
