"""The classifier: settings, work in pieces, what it must show, and boundaries and regions against
brute force.
"""

import dataclasses
import math

import numpy as np
import pytest

from dpcore.training import losses
from lab.data import classification as data
from lab.models import classifier_versions as classifier_claims
from lab.models.non_private import optimum
from lab.statistics import decision_regions as regions
from lab.statistics.decision_regions import boundaries, votes
from pages.classifier import result as classifier_result
from pages.classifier.settings import ClassifierSettings

SMALL = {"repeats": 3, "steps": 6, "public_steps": 5}
SEEDS = [4, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (0, 1))]


def settings(**changes) -> ClassifierSettings:
    return ClassifierSettings(**{**SMALL, **changes})


def test_what_is_drawn_does_not_retrain_anything():
    one = settings(dataset="iris", public_rows=9)
    assert (
        one.experiment.tasks()
        == one.change(plane="features", feature_x=3, feature_y=2).experiment.tasks()
    )
    assert one.experiment.tasks()[1:] == one.change(epsilon=7.0).experiment.tasks()[1:]
    changed = one.change(clip_norm=0.1, epsilon=2.0, version="published", repeats=9)
    assert one.experiment.tasks()[1] == changed.experiment.tasks()[1]  # the non-private references


class TestOutcomes:
    @pytest.mark.parametrize("dataset", data.LINEAR_DATASETS)
    def test_every_data_set_trains_and_beats_chance_at_a_large_epsilon(self, dataset):
        one = ClassifierSettings(dataset=dataset, public_rows=20, repeats=4, epsilon=150.0)
        found = one.experiment.gather(
            {task: task.run() for task in one.experiment.tasks() if task.essential}
        )
        assert np.isfinite(found.ensemble.weights).all()
        assert np.median(found.ensemble.accuracy) > 1.5 / len(found.split.source.classes)
        assert found.reference.best_accuracy > 0.8
        assert votes(found.ensemble.weights[0], found.plane)[0].max() < len(
            found.split.source.classes
        )
        for weights in (found.ensemble.weights[0], found.reference.weights[None]):
            assert boundaries(weights, found.plane).shape[1:] == (2, 2)

    @pytest.mark.parametrize("version", classifier_claims.VERSIONS)
    @pytest.mark.parametrize("dataset", ["gaussians", "blobs"])
    def test_figures_are_those_of_the_path(self, dataset, version):
        one = settings(dataset=dataset, version=version, clip_norm=0.6)
        found = one.experiment.tasks()[0].run()
        split = data.load(dataset, seed=one.seed)
        X, y = losses.with_constant(split.X_private), split.y_private
        test_rows = losses.with_constant(split.X_test)
        assert (found.steps[0], found.steps[-1]) == (0, 6)
        for arm in range(2):
            start = one.training.public.weights() if arm else np.zeros_like(found.weights[0, 0])
            for repeat in range(3):
                w = found.weights[arm, repeat].astype(float)
                assert found.loss[arm, repeat, 0] == pytest.approx(
                    losses.mean_loss(start, X, y), rel=1e-5
                )
                assert found.loss[arm, repeat, -1] == pytest.approx(
                    losses.mean_loss(w, X, y), rel=1e-5
                )
                right = (losses.predict(w, test_rows) == split.y_test).mean()
                assert found.accuracy[arm, repeat] == pytest.approx(right, abs=2e-3)
            z = losses.residuals(losses.logits(start, X), y)
            gradients = np.einsum("kn,np->nkp", z, X).reshape(len(X), -1)
            norms = np.linalg.norm(gradients, axis=1, keepdims=True)
            if version == "correct":
                gradients = gradients * np.minimum(1, 0.6 / norms)
            signal = np.linalg.norm(gradients.mean(axis=0))
            signal = min(signal, 0.6) if version == "published" else signal
            assert found.signal[arm] == pytest.approx(signal, rel=1e-4)
        noise = classifier_claims.noise_sd(one, one.epsilon) * math.sqrt(found.weights[0, 0].size)
        assert found.noise == pytest.approx(noise)

    def test_the_share_of_clipped_gradients_follows_the_bound(self):
        few, some, all_ = (
            settings(clip_norm=C).experiment.tasks()[0].run().clipped for C in (100.0, 0.5, 0.01)
        )
        assert few.max() == 0 < 0.05 < some.min() <= some.max() < 0.95 < all_.min()

    def test_without_privacy_each_arm_is_its_reference(self):
        found = settings(version="none").experiment.run()
        assert found.ensemble.noise == 0
        assert np.ptp(found.ensemble.weights, axis=1).max() == 0
        for place, arm in enumerate(found.settings.arms):
            np.testing.assert_array_equal(
                found.references[arm].weights, found.ensemble.weights[place, 0]
            )
            np.testing.assert_allclose(
                found.references[arm].loss, found.ensemble.loss[place, 0], rtol=1e-5
            )
        assert found.reference is found.references["scratch"]

    @pytest.mark.parametrize("version", ["correct", "published"])
    def test_the_noise_is_made_for_the_rows_that_there_are(self, version):
        few, many = (settings(version=version, rows=rows) for rows in (200, 800))
        assert many.experiment.tasks()[0].run().noise == pytest.approx(
            few.experiment.tasks()[0].run().noise / 4
        )
        assert many.experiment.run().guarantees.formula.epsilon == pytest.approx(
            few.experiment.run().guarantees.formula.epsilon
        )
        for one in (few, many):
            assert [
                len(part.split.X_private)
                for part in (one.training, one.training.public, one.experiment.run())
            ] == [one.rows] * 3
        few, whole = (
            settings(dataset="wine", version=version, rows=rows).training.public
            for rows in (50, 89)
        )
        assert np.array_equal(few.weights(), whole.weights())

    def test_rows_of_a_person_are_averaged_before_clipping_and_the_noise_counts_people(self):
        """Whatever the rows of one person become, a step moves by at most 2 C / M: the C / M of
        add/remove, twice.
        """
        one, several = (
            settings(steps=1, clip_norm=0.05),
            settings(steps=1, clip_norm=0.05, rows_each=7),
        )
        assert one.change(rows_each=1).training.split is data.load(
            "gaussians", seed=one.seed, private_rows=400
        )
        assert (several.unit, several.people, several.guarantees.formula.unit) == (
            "person",
            58,
            "person",
        )
        assert several.guarantees.formula.epsilon == pytest.approx(one.guarantees.formula.epsilon)
        assert several.training.noise_sd(1) == pytest.approx(one.training.noise_sd(1) * 400 / 58)
        X, y, people = several.training.split.training_rows
        assert sorted(np.bincount(people)) == [1] + [7] * 57
        how = {"people": people, "clip_norm": several.clip_norm, "clipping": "per-example"}
        others = X.copy()
        others[people == 3] = -3 * np.sign(X[people == 3])
        before, after = (several.training.descend(rows, y, **how).weights for rows in (X, others))
        moved, bound = np.linalg.norm(after - before), 2 * several.clip_norm / several.people
        assert 2 * several.clip_norm / 400 < moved <= bound * (1 + 1e-5)
        assert (
            several.change(version="published").rows_each,
            several.change(dataset="wine").people,
        ) == (1, 13)
        assert (settings(dataset="wine").rows, settings(rows=1000).change(dataset="wine").rows) == (
            89,
            89,
        )

    def test_a_class_without_a_private_row_is_never_the_answer(self):
        random = np.random.default_rng(2)
        X = random.normal(size=(90, 2))
        for there in (np.array([0, 1, 3]), np.array([1, 3])):
            places = random.integers(len(there), size=90)
            y, rows = there[places], losses.with_constant(X + there[places, None])
            weights, known = (
                optimum(rows[:, :2], labels, n_classes=k)
                for labels, k in ((y, 4), (places, len(there)))
            )
            assert np.array_equal(losses.predict(weights, rows), there[losses.predict(known, rows)])
            loss = losses.mean_loss(known, rows, places)
            assert losses.mean_loss(weights, rows, y) == pytest.approx(loss, rel=1e-9)

    def test_the_table_is_made_of_the_curve_and_the_published_figures(self):
        found = settings().experiment.run()
        table = found.table().set_index("epsilon")
        medians = found.curve.groupby(["arm", "epsilon"])["accuracy"].median()
        for arm, column in (("scratch", "without"), ("public", "with")):
            np.testing.assert_allclose(table[column], 100 * medians[arm].loc[table.index])
        pairs = found.curve.pivot(index=["epsilon", "repeat"], columns="arm", values="accuracy")
        gains = (pairs["public"] - pairs["scratch"]).groupby("epsilon").median()
        np.testing.assert_allclose(table["gain"], 100 * gains.loc[table.index])
        computed = table["published with"] - table["published without"]
        np.testing.assert_allclose(table["published gain computed"], computed)

    @pytest.mark.parametrize("seed", SEEDS)
    def test_what_sound_training_reaches_on_the_two_gaussians(self, seed):
        """Within 3 points of the optimum at epsilon 1, at chance at 0.01: medians on held-out rows,
        no public data.
        """
        one = ClassifierSettings(dataset="gaussians", version="correct", public_rows=0, seed=seed)
        found = dataclasses.replace(one, epsilon=1.0).experiment.run()
        assert abs(found.summary["scratch"].median - found.reference.best_accuracy) <= 0.03
        assert (
            abs(
                np.median(
                    dataclasses.replace(one, epsilon=0.01).experiment.tasks()[0].run().accuracy
                )
                - 0.5
            )
            <= 0.08
        )

    @pytest.mark.parametrize("seed", SEEDS)
    def test_public_rows_help_at_small_epsilon_and_hardly_at_a_large_one(self, seed):
        one = ClassifierSettings(
            seed=seed, shift=0.0, public_rows=200, public_steps=400, learning_rate=0.5
        )
        gain = one.experiment.run().table().set_index("epsilon")["gain"]
        assert gain[0.1] > 8
        assert abs(gain[150]) < 2


def test_each_repeat_sees_the_same_noise_at_every_epsilon_and_arm():
    # After one step from 0 only the noise tells repeats apart, and it is the same but for its size.
    one = settings(steps=1, repeats=5, version="correct", learning_rate=1.0)
    weights = (
        one.training.train((0.5, 5.0), draws=range(5)).weights.reshape(2, 2, 5, -1).astype(float)
    )
    noise = weights - weights.mean(axis=2, keepdims=True)
    ratio = classifier_claims.noise_sd(one, 0.5) / classifier_claims.noise_sd(one, 5.0)
    np.testing.assert_allclose(noise[:, 0], noise[:, 1] * ratio, atol=1e-5)
    np.testing.assert_allclose(noise[0], noise[1], atol=1e-5)
    assert noise[:, 0].std() > 0.01


@pytest.mark.parametrize("dataset", ["gaussians", "blobs", "breast_cancer"])
def test_no_private_row_reaches_the_public_start_nor_what_is_drawn_around_it(dataset, monkeypatch):
    """The same bits whatever the private and held-out rows are, and it is fitted on the public rows
    asked for.
    """
    one = settings(dataset=dataset, public_rows=30, shift=0.0)
    split, start, others = data.load(dataset, seed=one.seed), one.training.public.weights(), []
    assert np.abs(start).max() > 0.01
    for value in (math.nan, 1e6, 0.0):
        rows = {name: np.full_like(getattr(split, name), value) for name in ("X_private", "X_test")}
        labels = {name: np.zeros_like(getattr(split, name)) for name in ("y_private", "y_test")}
        others.append((dataclasses.replace(split, **rows, **labels), False))
        planes = (classifier_result.plane_of(one) for one in (split, others[-1][0]))
        for both in zip(
            *([plane.origin, plane.axes, plane.extent] for plane in planes), strict=True
        ):
            np.testing.assert_array_equal(*both)
    for place, changes in ((29, True), (30, False)):
        public = split.X_public.copy()
        public[place] = -public[place][::-1]
        others.append((dataclasses.replace(split, X_public=public), changes))
    for other, changes in others:
        monkeypatch.setattr(data, "load", lambda *_, other=other, **__: other)
        assert (one.training.public.weights().tobytes() != start.tobytes()) is changes


EXTENT = ((-2.0, 3.0), (-1.0, 1.5))
SHARED = {"extent": EXTENT, "units": EXTENT, "labels": ("a", "b")}


def plane(d: int, *, seed=0) -> regions.Plane:
    """A random plane through feature space; for two features, the plane itself, moved."""
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.normal(size=(d, 2)))
    return regions.Plane(origin=rng.normal(size=d), axes=axes.T, **SHARED)


def models(n_classes: int, d: int, *, R=12, seed=1) -> np.ndarray:
    return np.random.default_rng([seed, n_classes]).normal(
        size=(R, losses.outputs(n_classes), d + 1)
    )


def predictions(weights, where, points) -> np.ndarray:
    return losses.predict(weights, losses.with_constant(where.origin + points @ where.axes))


def side(a, b, point):
    """On which side of the line through a and b a point lies; axes (..., 2) as NumPy broadcasts
    them.
    """
    (x, y), (u, v) = np.moveaxis(b - a, -1, 0), np.moveaxis(point - a, -1, 0)
    return np.sign(x * v - y * u)


@pytest.mark.parametrize(("n_classes", "d"), [(2, 2), (2, 5), (3, 2), (4, 2), (4, 7)])
def test_a_segment_lies_between_two_points_if_and_only_if_their_predictions_differ(n_classes, d):
    """Regions are convex, so that between two points of one prediction no other is made."""
    where, weights, (low, high), changes = (
        plane(d),
        models(n_classes, d, R=12),
        np.transpose(EXTENT),
        0,
    )
    weights[0, ..., :-1] = 0  # never changes its mind
    points = np.random.default_rng(d).uniform(low, high, (2000, 2))
    one, other = (
        points,
        np.clip(points + np.random.default_rng(3).normal(scale=0.1, size=points.shape), low, high),
    )
    for w in weights:
        segments = regions.boundaries(w[None], where)
        assert ((segments >= low - 1e-9) & (segments <= high + 1e-9)).all()
        a, b, p, q = segments[:, 0, None], segments[:, 1, None], one[None], other[None]
        crossed = (side(a, b, p) != side(a, b, q)) & (side(p, q, a) != side(p, q, b))
        said = [predictions(w[None], where, ends)[0] for ends in (one, other)]
        np.testing.assert_array_equal(crossed.any(axis=0), said[0] != said[1])
        changes += crossed.any()
    assert changes > 5
    assert len(regions.boundaries(weights, where)) == sum(
        len(regions.boundaries(w[None], where)) for w in weights
    )
    assert len(regions.boundaries(weights[:1], where)) == 0
    winner, share = regions.votes(weights, where, size=17)
    points = np.stack(np.meshgrid(*(np.linspace(*ends, 17) for ends in EXTENT)), axis=-1).reshape(
        -1, 2
    )
    counts = np.stack(
        [(predictions(weights, where, points) == label).sum(axis=0) for label in range(n_classes)]
    )
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
    np.testing.assert_allclose(
        found.display(np.array([[-1, -1], [1, 1], [0.5, 0]])), [[-4, 10], [4, 30], [2, 20]]
    )


def test_the_principal_plane_is_orthonormal_and_of_largest_spread():
    X = np.random.default_rng(0).normal(size=(60, 5)) * [1.0, 5.0, 0.1, 3.0, 0.5] + 2
    found = regions.principal_plane(X)
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(2), atol=1e-12)
    coordinates, (low, high) = found.coordinates(X), np.array(found.extent).T
    np.testing.assert_allclose(
        coordinates.var(axis=0), np.linalg.eigvalsh(np.cov(X.T, ddof=0))[::-1][:2], rtol=1e-9
    )
    np.testing.assert_allclose(found.origin, X.mean(axis=0))
    assert ((low < coordinates.min(axis=0)) & (high > coordinates.max(axis=0))).all()
