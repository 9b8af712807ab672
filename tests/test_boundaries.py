"""Boundaries and regions of linear classifiers in a plane, against brute force over points."""

import numpy as np
import pytest

from dpcore.training import losses
from lab import boundaries as regions

EXTENT = ((-2.0, 3.0), (-1.0, 1.5))
SHARED = {"extent": EXTENT, "units": EXTENT, "labels": ("a", "b")}


def plane(d: int, *, seed=0) -> regions.Plane:
    """A random plane through feature space; for two features, the plane itself, moved."""
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.normal(size=(d, 2)))
    return regions.Plane(origin=rng.normal(size=d), axes=axes.T, **SHARED)


def models(n_classes: int, d: int, *, R=12, seed=1) -> np.ndarray:
    return np.random.default_rng([seed, n_classes]).normal(size=(R, losses.outputs(n_classes), d + 1))


def predictions(weights, where, points) -> np.ndarray:
    return losses.predict(weights, losses.with_constant(where.origin + points @ where.axes))


def side(a, b, point):
    """On which side of the line through a and b a point lies; axes (..., 2) as NumPy broadcasts them."""
    (x, y), (u, v) = np.moveaxis(b - a, -1, 0), np.moveaxis(point - a, -1, 0)
    return np.sign(x * v - y * u)


@pytest.mark.parametrize(("n_classes", "d"), [(2, 2), (2, 5), (3, 2), (4, 2), (4, 7)])
def test_a_segment_lies_between_two_points_if_and_only_if_their_predictions_differ(n_classes, d):
    """Regions are convex, so that between two points of one prediction no other is made."""
    where, weights, (low, high), changes = plane(d), models(n_classes, d, R=12), np.transpose(EXTENT), 0
    weights[0, ..., :-1] = 0  # never changes its mind
    points = np.random.default_rng(d).uniform(low, high, (2000, 2))
    one, other = points, np.clip(points + np.random.default_rng(3).normal(scale=0.1, size=points.shape), low, high)
    for w in weights:
        segments = regions.boundaries(w[None], where)
        assert ((segments >= low - 1e-9) & (segments <= high + 1e-9)).all()
        a, b, p, q = segments[:, 0, None], segments[:, 1, None], one[None], other[None]
        crossed = (side(a, b, p) != side(a, b, q)) & (side(p, q, a) != side(p, q, b))
        said = [predictions(w[None], where, ends)[0] for ends in (one, other)]
        np.testing.assert_array_equal(crossed.any(axis=0), said[0] != said[1])
        changes += crossed.any()
    assert changes > 5
    assert len(regions.boundaries(weights, where)) == sum(len(regions.boundaries(w[None], where)) for w in weights)
    assert len(regions.boundaries(weights[:1], where)) == 0
    winner, share = regions.votes(weights, where, size=17)
    points = np.stack(np.meshgrid(*(np.linspace(*ends, 17) for ends in EXTENT)), axis=-1).reshape(-1, 2)
    counts = np.stack([(predictions(weights, where, points) == label).sum(axis=0) for label in range(n_classes)])
    np.testing.assert_allclose(share.ravel(), counts.max(axis=0) / 12)
    np.testing.assert_array_equal(winner.ravel(), counts.argmax(axis=0))


def test_the_plane_of_two_features_holds_the_others_at_their_public_mean():
    X = np.random.default_rng(0).uniform(-1, 1, size=(30, 4))
    bounds = ((0, 1), (10, 30), (0, 1), (-4, 4))
    found = regions.feature_plane(X, 3, 1, names=("p", "q", "r", "s"), bounds=bounds)
    assert found.labels == ("s", "q")
    point = found.origin + np.array([0.25, -0.5]) @ found.axes
    np.testing.assert_allclose(point, [X[:, 0].mean(), -0.5, X[:, 2].mean(), 0.25])
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(2), atol=1e-15)
    # The axes are shown in the features' own units.
    np.testing.assert_allclose(found.display(np.array([[-1, -1], [1, 1], [0.5, 0]])), [[-4, 10], [4, 30], [2, 20]])


def test_the_principal_plane_is_orthonormal_and_of_largest_spread():
    X = np.random.default_rng(0).normal(size=(60, 5)) * [1.0, 5.0, 0.1, 3.0, 0.5] + 2
    found = regions.principal_plane(X)
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(2), atol=1e-12)
    coordinates, (low, high) = found.coordinates(X), np.array(found.extent).T
    np.testing.assert_allclose(coordinates.var(axis=0), np.linalg.eigvalsh(np.cov(X.T, ddof=0))[::-1][:2], rtol=1e-9)
    np.testing.assert_allclose(found.origin, X.mean(axis=0))
    assert ((low < coordinates.min(axis=0)) & (high > coordinates.max(axis=0))).all()
