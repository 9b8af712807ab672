"""Data of the parties: public rows, heterogeneous parties, digits, and local models."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from dpcore.streams import stream
from lab.data import parties as party_rows
from lab.data import party_kinds
from lab.data.parties import parties, public
from lab.data.party_kinds import CONSTANT, KINDS, REACH
from lab.models import local_models
from pages.parties.settings import RECORDED
from tests.pages.parties.examples import party_data

# The deviation of the shifts of so many parties scatters by less.
CHANCE = 0.1


def row_bytes(X: np.ndarray) -> list[bytes]:
    """Return each row (..., d) as bytes, so that rows can be looked up."""
    return [row.tobytes() for row in X.reshape(-1, X.shape[-1])]


class TestInputs:
    @pytest.mark.parametrize("dataset", KINDS)
    def test_inputs_lie_in_the_unit_ball_with_their_constant(self, dataset):
        X, y = parties(party_data(dataset=dataset, unlike=1.0), 0, 130)
        public_parts = public(dataset, 1, 300).values()

        for rows in (X, *(part.X for part in public_parts)):
            assert np.linalg.norm(rows, axis=-1).max() <= 1 + 1e-12
            assert (rows[..., -1] == CONSTANT).all()
        assert set(np.unique(y)) == set(range(KINDS[dataset].classes))


@pytest.mark.parametrize("dataset", ["four", *RECORDED])
class TestPublicRows:
    def test_fewer_public_rows_are_the_first_of_more(self, dataset):
        few = public(dataset, 4, 60)
        many = public(dataset, 4, 400)

        np.testing.assert_array_equal(few["public"].X, many["public"].X[:60])
        np.testing.assert_array_equal(few["check"].X, many["check"].X)

    def test_public_rows_belong_to_no_party(self, dataset):
        X, _ = parties(party_data(dataset=dataset, rows=30, seed=4), 0, 50)

        public_rows = []
        for part in public(dataset, 4, 400).values():
            public_rows += row_bytes(part.X)

        assert len(set(public_rows)) == len(public_rows)
        assert len(public_rows) >= 400 + 400 + 1000
        assert set(row_bytes(X)).isdisjoint(public_rows)


class TestHeterogeneity:
    def test_alike_parties_see_several_classes(self):
        _, y = parties(party_data(dataset="four", unlike=0.0), 0, 200)

        assert (np.ptp(y, axis=1) > 0).mean() > 0.99

    def test_unlike_parties_see_one_class(self):
        _, y = parties(party_data(dataset="four", unlike=1.0), 0, 200)

        assert (np.ptp(y, axis=1) == 0).all()
        assert len(np.unique(y[:, 0])) == 4

    def test_unlike_parties_are_shifted_by_half_a_standard_deviation(self):
        kind = KINDS["two"]
        X, y = parties(party_data(rows=60, unlike=1.0), 0, 1000)

        unit = REACH / kind.radius
        means = X[..., :-1].mean(axis=1) / unit
        shifts = means - kind.means[y[:, 0]]

        expected = kind.sd * np.sqrt(0.5**2 + 1 / 60)
        assert shifts.std(axis=0) == pytest.approx(expected, rel=CHANCE)


@pytest.mark.parametrize("dataset", KINDS)
def test_local_models_are_those_of_scikit_learn(dataset):
    X, y = parties(party_data(dataset=dataset, rows=40), 0, 3)

    all_weights = local_models.logistic(X, y, classes=KINDS[dataset].classes, regularisation=0.01)

    for weights, rows, labels in zip(all_weights, X, y, strict=True):
        model = LogisticRegression(C=1 / (0.01 * 40), fit_intercept=False, tol=1e-8, max_iter=5000)
        expected = model.fit(rows, labels).coef_
        np.testing.assert_allclose(weights, expected, atol=0.02 * np.abs(expected).max())


def inverted_images(inverted: slice, *, public_images: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Return the public and the private rows of seed 5 after some images are inverted.

    inverted: the images, in the order of the split.
    public_images: number of images to which directions and radius are fitted.
    """
    X, y = load_digits(return_X_y=True)
    X = X / 16
    order = stream(5, "split").permutation(len(X))
    X[order[inverted]] = 1 - X[order[inverted]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(party_kinds, "_digits", lambda: (X, y))
        patch.setattr(party_kinds, "_PUBLIC_DIGITS", public_images)
        party_kinds._projected_digits.cache_clear()
        party_rows.public.cache_clear()
        public_rows = public("digits", 5, 500)["public"].X
        private_rows, _ = parties(party_data(dataset="digits", seed=5), 0, 50)
    party_kinds._projected_digits.cache_clear()
    party_rows.public.cache_clear()
    return public_rows, private_rows


class TestDigits:
    NO_IMAGE = slice(0)
    FIRST_PUBLIC_IMAGE = slice(1)
    PRIVATE_IMAGES = slice(500, None)

    def test_private_images_do_not_change_public_rows(self):
        public_rows, private_rows = inverted_images(self.NO_IMAGE)

        same_public_rows, other_private_rows = inverted_images(self.PRIVATE_IMAGES)

        np.testing.assert_array_equal(same_public_rows, public_rows)
        assert not np.allclose(other_private_rows, private_rows)

    def test_one_public_image_changes_the_directions_of_all(self):
        public_rows, private_rows = inverted_images(self.NO_IMAGE)

        other_public_rows, other_private_rows = inverted_images(self.FIRST_PUBLIC_IMAGE)

        assert not np.allclose(other_public_rows[1:], public_rows[1:])
        assert not np.allclose(other_private_rows, private_rows)

    def test_directions_fitted_to_private_images_would_be_noticed(self):
        public_rows, _ = inverted_images(self.NO_IMAGE, public_images=1000)

        other_public_rows, _ = inverted_images(self.PRIVATE_IMAGES, public_images=1000)

        assert not np.allclose(public_rows, other_public_rows)

    def test_parties_hold_private_images_and_no_others(self):
        features, y, images_by_class = party_kinds._projected_digits(5, 8)
        images = np.concatenate(images_by_class)
        radius = party_kinds._radius(features[:500])
        inputs = KINDS["digits"].to_unit(features[images], radius)
        label_of_private_row = dict(zip(row_bytes(inputs), y[images], strict=True))

        X, labels = parties(party_data(dataset="digits", seed=5), 0, 200)

        dealt_rows = row_bytes(X)
        for row, label in zip(dealt_rows, labels.ravel(), strict=True):
            assert label_of_private_row[row] == label
        assert len(set(dealt_rows)) > 600

    def test_public_and_test_rows_are_no_private_images(self):
        features, _, images_by_class = party_kinds._projected_digits(5, 8)
        images = np.concatenate(images_by_class)
        radius = party_kinds._radius(features[:500])
        private_rows = row_bytes(KINDS["digits"].to_unit(features[images], radius))

        parts = {name: set(row_bytes(part.X)) for name, part in public("digits", 5, 500).items()}

        assert parts["public"].isdisjoint(private_rows)
        assert parts["test"].isdisjoint(private_rows)
        assert parts["check"] <= parts["test"]
