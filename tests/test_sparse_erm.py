"""Minimisers of sparse rows, against those of the same rows written out; and what both kinds of rows can do."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from dpcore.training import erm, sparse_erm, stacks


def rows(n: int = 30, d: int = 12, *, seed: int = 0, share: float = 0.3) -> sparse.csr_matrix:
    X = sparse.random(n, d, density=share, format="csr", random_state=seed)
    lengths = np.maximum(sparse.linalg.norm(X, axis=1), 1e-9)
    return sparse.csr_matrix(sparse.diags(1 / lengths) @ X)


def written_out(X):
    return np.stack([one.toarray() for one in X]) if isinstance(X, tuple) else X.toarray()


def stack(kind: str):
    return {"one": rows(), "several": tuple(rows(seed=seed) for seed in range(3))}[kind]


@pytest.mark.parametrize("kind", ["one", "several"])
@pytest.mark.parametrize("strength", [1e-3, 0.5, np.geomspace(0.01, 100, 12)], ids=["weak", "strong", "each its own"])
@pytest.mark.parametrize("moved", [False, True])
def test_they_are_those_of_the_rows_written_out(kind, strength, moved):
    rng, X = np.random.default_rng(1), stack(kind)
    targets = rng.uniform(size=(3, 30))
    how = {"regularisation": strength}
    if moved:
        how |= {"centre": rng.normal(size=(3, 12)), "row_weights": rng.uniform(0, 2, size=(3, 30))}
    found, dense = erm.logistic(X, targets, **how), erm.logistic(written_out(X), targets, **how)
    assert found.weights.shape == (3, 12)
    assert found.gradient_norm.max() <= erm.TOLERANCE
    np.testing.assert_allclose(found.weights, dense.weights, atol=1e-7)


@pytest.mark.parametrize("prior_sd", [0.05, 1.0, 600.0])
def test_a_prior_as_wide_as_the_noise_is_no_obstacle(prior_sd):
    """With little privacy lost the sources' spread is hundreds of times a margin, and different in each coordinate."""
    rng, X = np.random.default_rng(2), rows(120, 400, share=0.1)
    t, centre = rng.integers(0, 2, 120), prior_sd * rng.normal(size=400)
    strength = (prior_sd * rng.gamma(1.0, size=400) + 0.05) ** -2.0
    found = erm.logistic(X, t, regularisation=strength, centre=centre, row_weights=np.ones(120))
    gradient = X.T @ (expit(X @ found.weights) - t) + strength * (found.weights - centre)
    assert np.linalg.norm(gradient) < 1e-9


def test_a_search_that_is_cut_short_says_so(monkeypatch):
    monkeypatch.setattr(sparse_erm, "_STEPS", 1)
    with pytest.raises(ArithmeticError, match="minimiser"):
        erm.logistic(rows(), np.ones(30), regularisation=1e-3).exact()


def test_variances_are_the_diagonal_of_the_inverse():
    rng, X = np.random.default_rng(3), rows(40, 60)
    strength, curvature, some = rng.gamma(1.0, size=60), rng.uniform(0, 0.25, 40), np.array([3, 17])
    found = sparse_erm.variances(X, curvature, regularisation=strength, coordinates=some)
    inverse = np.linalg.inv(X.toarray().T @ (curvature[:, None] * X.toarray()) + np.diag(strength))
    np.testing.assert_allclose(found, np.diag(inverse)[some], rtol=1e-5)


@pytest.mark.parametrize("kind", ["one", "several"])
def test_rows_answer_every_question_as_those_written_out(kind):
    X, other = stack(kind), rows(7, seed=9)
    dense = written_out(X)
    assert (stacks.is_sparse(X), stacks.is_sparse(dense)) == (True, False)
    assert stacks.count(X) == stacks.count(dense) == 30
    np.testing.assert_array_equal(written_out(stacks.both(X, other)), stacks.both(dense, other.toarray()))
    vectors = np.random.default_rng(4).normal(size=(3, 2, 12))
    np.testing.assert_allclose(stacks.products(X, vectors), stacks.products(dense, vectors))
    if kind == "several":
        assert [stacks.longest(2 * one) for one in (*X, *dense)] == pytest.approx([2] * 6)
        np.testing.assert_array_equal(written_out(stacks.stacked(list(X))), stacks.stacked(list(dense)))
