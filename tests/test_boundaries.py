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


CASES = [(2, 2), (2, 5), (3, 2), (4, 2), (4, 7)]


@pytest.mark.parametrize(("n_classes", "d"), CASES)
def test_on_each_segment_the_prediction_changes(n_classes, d):
    where, weights, found, (low, high) = plane(d), models(n_classes, d, R=30), [], np.transpose(EXTENT)
    weights[0, ..., :-1] = 0  # never changes its mind
    for w in weights:
        segments = regions.boundaries(w[None], where)
        found.append(len(segments))
        assert ((segments >= low - 1e-9) & (segments <= high + 1e-9)).all()
        along = segments[:, 1] - segments[:, 0]
        normal = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
        for share in (1e-3, 0.3, 0.999):
            points = segments[:, 0] + share * along
            sides = [predictions(w[None], where, points + side * 1e-7 * normal)[0] for side in (1, -1)]
            long = np.linalg.norm(along, axis=1) > 1e-3  # the ends of a shorter one lie beside the next
            assert (sides[0] != sides[1])[long].all()
    assert (found[0], sum(found)) == (0, len(regions.boundaries(weights, where)))
    assert sum(found) > 10


@pytest.mark.parametrize(("n_classes", "d"), CASES)
def test_every_change_of_the_prediction_lies_on_a_segment(n_classes, d):
    where, size, changes = plane(d), 200, 0
    points = np.stack(np.meshgrid(*(np.linspace(*ends, size) for ends in EXTENT), indexing="ij"), axis=-1)
    for w in models(n_classes, d, R=10):
        segments = regions.boundaries(w[None], where)
        said = predictions(w[None], where, points.reshape(-1, 2))[0].reshape(size, size)
        for axis in (0, 1):
            rows = np.nonzero(np.diff(said, axis=axis))
            before, after = points[rows], points[rows[0] + (axis == 0), rows[1] + (axis == 1)]
            changes += len(before)
            for one, other in zip(before, after, strict=True):
                assert distance((one + other) / 2, segments) <= np.linalg.norm(one - other) / 2 + 1e-9
    assert changes > 500


def distance(point: np.ndarray, segments: np.ndarray) -> float:
    along = segments[:, 1] - segments[:, 0]
    share = ((point - segments[:, 0]) * along).sum(axis=1) / np.square(along).sum(axis=1)
    nearest = segments[:, 0] + np.clip(share, 0, 1)[:, None] * along
    return np.linalg.norm(point - nearest, axis=1).min(initial=np.inf)


@pytest.mark.parametrize(("n_classes", "d"), CASES)
def test_votes_are_direct_predictions(n_classes, d):
    where, weights = plane(d), models(n_classes, d, R=9)
    winner, share = regions.votes(weights, where, size=17)
    a, b = np.meshgrid(*(np.linspace(*ends, 17) for ends in EXTENT))
    said = predictions(weights, where, np.stack([a.ravel(), b.ravel()], axis=1))
    counts = np.array([(said == label).sum(axis=0) for label in range(n_classes)])
    np.testing.assert_allclose(share.ravel(), counts.max(axis=0) / 9)
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
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)) * [1.0, 5.0, 0.1, 3.0, 0.5] + 2
    found = regions.principal_plane(X)
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(2), atol=1e-12)
    spread = found.coordinates(X).var(axis=0)
    np.testing.assert_allclose(spread, np.linalg.eigvalsh(np.cov(X.T, ddof=0))[::-1][:2], rtol=1e-9)
    np.testing.assert_allclose(found.origin, X.mean(axis=0))
    low, high = np.array(found.extent).T
    coordinates = found.coordinates(X)
    assert (low < coordinates.min(axis=0)).all()
    assert (high > coordinates.max(axis=0)).all()
