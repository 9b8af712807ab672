"""Boundaries, regions and planes of decision maps, against brute force."""

import numpy as np
import pytest

from dpcore.training import losses
from lab.statistics import decision_regions as regions

EXTENT = ((-2.0, 3.0), (-1.0, 1.5))
LOW, HIGH = np.transpose(EXTENT)
MODELS = 12
POINTS = 2000
GRID = 17
ROUNDING = 1e-9


def random_plane(features: int) -> regions.Plane:
    """Return a random plane through feature space; for two features, the plane itself, moved."""
    random = np.random.default_rng(0)
    axes, _ = np.linalg.qr(random.normal(size=(features, 2)))
    return regions.Plane(
        origin=random.normal(size=features),
        axes=axes.T,
        extent=EXTENT,
        units=EXTENT,
        labels=("a", "b"),
    )


def random_models(n_classes: int, features: int) -> np.ndarray:
    """Return random weights, of which the first predict one class everywhere."""
    random = np.random.default_rng([1, n_classes])
    weights = random.normal(size=(MODELS, losses.outputs(n_classes), features + 1))
    weights[0, ..., :-1] = 0
    return weights


def predictions(weights: np.ndarray, plane: regions.Plane, points: np.ndarray) -> np.ndarray:
    """Return the classes that models predict at points of the plane, (models, points)."""
    rows = losses.with_constant(plane.origin + points @ plane.axes)
    return losses.predict(weights, rows)


def side(a: np.ndarray, b: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return on which side of the line through a and b a point lies, for points (..., 2)."""
    x, y = np.moveaxis(b - a, -1, 0)
    u, v = np.moveaxis(point - a, -1, 0)
    return np.sign(x * v - y * u)


def cross(segments: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return which segments (m, 2, 2) cross which lines from points to points, (m, points)."""
    a = segments[:, 0, None]
    b = segments[:, 1, None]
    p = begins[None]
    q = ends[None]
    return (side(a, b, p) != side(a, b, q)) & (side(p, q, a) != side(p, q, b))


@pytest.mark.parametrize(
    ("n_classes", "features"),
    [
        pytest.param(2, 2, id="two classes in the plane"),
        pytest.param(2, 5, id="two classes"),
        pytest.param(3, 2, id="three classes in the plane"),
        pytest.param(4, 2, id="four classes in the plane"),
        pytest.param(4, 7, id="four classes"),
    ],
)
class TestBoundaries:
    def test_a_segment_lies_between_two_points_if_their_predictions_differ(
        self, n_classes, features
    ):
        """Regions are convex, so between two points of one prediction there is no other."""
        plane = random_plane(features)
        begins = np.random.default_rng(features).uniform(LOW, HIGH, (POINTS, 2))
        steps = np.random.default_rng(3).normal(scale=0.1, size=begins.shape)
        ends = np.clip(begins + steps, LOW, HIGH)

        models_with_changes = 0
        for weights in random_models(n_classes, features):
            segments = regions.boundaries(weights[None], plane)
            crossed = cross(segments, begins, ends).any(axis=0)
            before = predictions(weights[None], plane, begins)[0]
            after = predictions(weights[None], plane, ends)[0]
            np.testing.assert_array_equal(crossed, before != after)
            models_with_changes += crossed.any()

        assert models_with_changes > 5

    def test_segments_stay_within_the_map(self, n_classes, features):
        segments = regions.boundaries(random_models(n_classes, features), random_plane(features))

        assert (segments >= LOW - ROUNDING).all()
        assert (segments <= HIGH + ROUNDING).all()

    def test_boundaries_of_several_models_are_those_of_each(self, n_classes, features):
        plane = random_plane(features)
        models = random_models(n_classes, features)

        together = len(regions.boundaries(models, plane))

        assert together == sum(len(regions.boundaries(model[None], plane)) for model in models)

    def test_a_model_of_one_class_has_no_boundary(self, n_classes, features):
        models = random_models(n_classes, features)

        assert len(regions.boundaries(models[:1], random_plane(features))) == 0

    def test_regions_are_the_majority_at_each_point_of_the_grid(self, n_classes, features):
        plane = random_plane(features)
        models = random_models(n_classes, features)
        axes = [np.linspace(low, high, GRID) for low, high in EXTENT]
        points = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
        predicted = predictions(models, plane, points)
        counts = np.array([(predicted == label).sum(axis=0) for label in range(n_classes)])

        winner, share = regions.votes(models, plane, size=GRID)

        np.testing.assert_allclose(share.ravel(), counts.max(axis=0) / MODELS)
        np.testing.assert_array_equal(winner.ravel(), counts.argmax(axis=0))


class TestPlaneOfTwoFeatures:
    X = np.random.default_rng(0).uniform(-1, 1, size=(30, 4))
    PLANE = regions.feature_plane(
        X, 3, 1, names=("p", "q", "r", "s"), bounds=((0, 1), (10, 30), (0, 1), (-4, 4))
    )

    def test_its_axes_have_the_names_of_the_features(self):
        assert self.PLANE.labels == ("s", "q")

    def test_it_holds_the_other_features_at_their_public_mean(self):
        point = self.PLANE.origin + np.array([0.25, -0.5]) @ self.PLANE.axes

        expected = [self.X[:, 0].mean(), -0.5, self.X[:, 2].mean(), 0.25]
        np.testing.assert_allclose(point, expected)

    def test_its_axes_are_orthonormal(self):
        axes = self.PLANE.axes

        np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-15)

    def test_it_is_shown_in_the_units_of_the_features(self):
        shown = self.PLANE.display(np.array([[-1, -1], [1, 1], [0.5, 0]]))

        np.testing.assert_allclose(shown, [[-4, 10], [4, 30], [2, 20]])


class TestPrincipalPlane:
    X = np.random.default_rng(0).normal(size=(60, 5)) * [1.0, 5.0, 0.1, 3.0, 0.5] + 2
    PLANE = regions.principal_plane(X)

    def test_its_axes_are_orthonormal(self):
        axes = self.PLANE.axes

        np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-12)

    def test_its_origin_is_the_mean(self):
        np.testing.assert_allclose(self.PLANE.origin, self.X.mean(axis=0))

    def test_rows_have_the_largest_spread_in_it(self):
        variances = self.PLANE.coordinates(self.X).var(axis=0)

        descending = np.linalg.eigvalsh(np.cov(self.X.T, ddof=0))[::-1]
        np.testing.assert_allclose(variances, descending[:2], rtol=1e-9)

    def test_all_rows_are_within_it(self):
        coordinates = self.PLANE.coordinates(self.X)

        low, high = np.array(self.PLANE.extent).T
        assert (low < coordinates.min(axis=0)).all()
        assert (high > coordinates.max(axis=0)).all()
