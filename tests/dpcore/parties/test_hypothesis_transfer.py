"""Steps 4 to 6 of hypothesis transfer against general solvers, and that they see releases alone."""

import ast
import inspect

import numpy as np
from scipy import optimize

from dpcore.parties import hypothesis_transfer
from dpcore.parties.source_releases import Release

# The fit ends near to the mixture.
FIT_ERROR = 0.02
# The general solver ends at about so many digits.
SOLVER_ERROR = 1e-4
# The general solver ends at about so many digits of the posterior.
SOLVER_ERROR_OF_POSTERIOR = 1e-5

SOURCES = 4
FEATURES = 5
# Names of a module with access to rows of sources.
OF_SOURCES = {"Source", "Part", "Fitted", "sources", "fit", "domains"}


def random_releases() -> list[Release]:
    """Return releases of random vectors, behind which there are no sources."""
    vectors = np.random.default_rng(0).normal(size=(SOURCES, 2, FEATURES))
    releases = []
    for hypothesis, tilt in vectors:
        releases.append(Release(hypothesis=hypothesis, tilt=tilt, guarantee=None))
    return releases


# Step 4


def random_densities() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mixtures (R, K), densities of targets (R, m) and those of sources (R, K, m).

    The last target is a mixture of its sources without noise.
    """
    rng = np.random.default_rng(0)
    sources = rng.gamma(1.0, size=(5, SOURCES, 200))
    sources /= sources.mean(axis=-1, keepdims=True)
    random_mixtures = rng.dirichlet(np.ones(SOURCES) / 2, size=4)
    mixtures = np.concatenate([random_mixtures, [[0.6, 0, 0.4, 0]]])
    noise = np.concatenate([rng.gamma(20.0, size=(4, 200)), np.full((1, 200), 20.0)])
    targets = np.einsum("rk,rkn->rn", mixtures, sources) * noise
    targets /= targets.mean(axis=-1, keepdims=True)
    return mixtures, targets, sources


def divergence(weights: np.ndarray, target: np.ndarray, sources: np.ndarray) -> float:
    """Return the divergence of a target from a mixture of sources, up to a constant."""
    return -(target * np.log(np.maximum(weights @ sources, 1e-300))).mean()


def nearest_divergence(target: np.ndarray, sources: np.ndarray) -> float:
    """Return the least divergence that a general solver finds."""
    nearest = optimize.minimize(
        divergence,
        np.full(SOURCES, 1 / SOURCES),
        (target, sources),
        bounds=[(0, 1)] * SOURCES,
        constraints={"type": "eq", "fun": lambda weights: weights.sum() - 1},
        options={"ftol": 1e-14},
    )
    return nearest.fun


def test_weights_are_as_near_as_those_of_a_general_solver():
    _, targets, sources = random_densities()

    weights = hypothesis_transfer.hypothesis_weights(targets, sources)

    for weights_of_target, target, sources_of_target in zip(weights, targets, sources, strict=True):
        least = nearest_divergence(target, sources_of_target)
        assert divergence(weights_of_target, target, sources_of_target) <= least + 1e-4


def test_weights_are_a_mixture():
    _, targets, sources = random_densities()

    weights = hypothesis_transfer.hypothesis_weights(targets, sources)

    assert weights.min() >= 0
    np.testing.assert_allclose(weights.sum(axis=1), 1)


def test_weights_of_a_mixture_of_sources_are_that_mixture():
    mixtures, targets, sources = random_densities()

    weights = hypothesis_transfer.hypothesis_weights(targets, sources)

    np.testing.assert_allclose(weights[-1], mixtures[-1], atol=FIT_ERROR)


# Steps 5 and 6


def test_mean_and_spread_of_the_prior_are_weighted():
    releases = random_releases()
    weights = np.array([0.5, 0.2, 0.3, 0.0])

    prior = hypothesis_transfer.prior(releases, weights, least_sd=1e-6)

    hypotheses = np.array([release.hypothesis for release in releases])
    np.testing.assert_allclose(prior.mean, np.average(hypotheses, axis=0, weights=weights))
    variance = np.average((hypotheses - prior.mean) ** 2, axis=0, weights=weights)
    np.testing.assert_allclose(prior.sd**2, variance)


def test_the_prior_of_a_single_source_has_the_least_spread():
    prior = hypothesis_transfer.prior(random_releases(), np.array([0, 1.0, 0, 0]))

    np.testing.assert_array_equal(prior.sd, hypothesis_transfer.LEAST_SD)


def test_the_posterior_minimises_the_sum_of_losses_and_of_the_penalty():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, FEATURES))
    y = rng.integers(0, 2, 30)
    prior = hypothesis_transfer.Prior(
        mean=rng.normal(size=FEATURES), sd=rng.gamma(2.0, size=FEATURES)
    )
    signs = 2 * y - 1

    def objective(weights: np.ndarray) -> float:
        """Return the sum of the logistic losses and of the prior's penalty at these weights."""
        losses = np.logaddexp(0, -signs * (X @ weights))
        penalties = (weights - prior.mean) ** 2 / (2 * prior.sd**2)
        return losses.sum() + penalties.sum()

    weights = hypothesis_transfer.posterior(X, y, prior)

    best = optimize.minimize(objective, prior.mean, method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(weights, best.x, atol=SOLVER_ERROR)


# Soft labels


def test_soft_labels_are_shares_of_votes():
    releases = random_releases()
    rng = np.random.default_rng(2)
    X = rng.normal(size=(6, FEATURES))
    y = rng.integers(0, 2, 6)
    X_unlabelled = rng.normal(size=(40, FEATURES))
    votes = [X_unlabelled @ release.hypothesis > 0 for release in releases]
    labels = np.concatenate([y, np.mean(votes, axis=0)])
    rows = np.concatenate([X, X_unlabelled])

    def objective(weights: np.ndarray) -> float:
        """Return the mean logistic loss of soft labels plus an L2 penalty at these weights."""
        margins = rows @ weights
        losses = labels * np.logaddexp(0, -margins) + (1 - labels) * np.logaddexp(0, margins)
        return losses.mean() + 0.01 * weights @ weights / 2

    weights = hypothesis_transfer.soft(releases, X, y, X_unlabelled, lambda_lr=0.01)

    best = optimize.minimize(objective, np.zeros(FEATURES), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(weights, best.x, atol=SOLVER_ERROR_OF_POSTERIOR)


# Access


def test_steps_4_to_6_import_of_a_source_its_release_alone():
    tree = ast.parse(inspect.getsource(hypothesis_transfer))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imported |= {alias.name for alias in node.names}

    assert "Release" in imported
    assert not imported & OF_SOURCES
