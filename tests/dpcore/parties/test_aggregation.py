"""What one party can change in an aggregated model, by brute force over what parties may say."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from dpcore.mechanisms import NormExponential
from dpcore.parties import aggregation
from dpcore.training import erm
from lab.models import local_models

# Models are fitted until the gradient is next to nothing.
SOLVER_ERROR = 1e-8
# Several standard errors of the deviation of so many draws.
CHANCE = 0.04

# Two fits that each end at the tolerance of the minimiser may exceed a bound by this share.
FIT_TOLERANCE = 1e-7
# Models of single parties are fitted less exactly.
LOCAL_FIT_TOLERANCE = 1e-3


def unit_rows(n: int, d: int, *, spread: float) -> np.ndarray:
    """Return unit rows about one direction; with little spread a party's changes add up."""
    direction = np.random.default_rng(0).normal(size=d)
    deviation = np.random.default_rng(1).normal(size=(n, d))
    X = direction / np.linalg.norm(direction) + spread * deviation
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def every_change(classes: int, n: int, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return votes before and after one party changes all its answers, each (cases, classes, n).

    Args:
        classes: Number of classes.
        n: Number of rows that parties vote on.
        others: Votes of the other parties, (combinations, classes, n).
    """
    answers = np.array(list(product(range(classes), repeat=n)))
    votes = aggregation.one_hot(answers, classes)
    before = []
    after = []
    for votes_of_others, first, second in product(others, votes, votes):
        before.append(votes_of_others + first)
        after.append(votes_of_others + second)
    return np.array(before), np.array(after)


def every_vote_of(parties: int, classes: int, n: int) -> np.ndarray:
    """Return all counts of votes that parties can cast on n rows, (combinations, classes, n)."""
    counts_of_row = set()
    for answers in product(range(classes), repeat=parties):
        counts_of_row.add(tuple(answers.count(label) for label in range(classes)))
    combinations = list(product(sorted(counts_of_row), repeat=n))
    # (combinations, n, classes) to (combinations, classes, n).
    return np.array(combinations, dtype=float).swapaxes(1, 2)


def largest_move(X, before, after, *, release: str, regularisation: float) -> float:
    """Return the largest distance of the weights fitted to votes before and after a change."""
    weights = []
    for counts in (before, after):
        targets = aggregation.targets(counts, release=release)
        fitted, *_ = aggregation.fit(X, targets, regularisation=regularisation)
        weights.append(fitted)
    weights_before, weights_after = weights
    return float(np.linalg.norm(weights_before - weights_after, axis=(-2, -1)).max())


@pytest.mark.parametrize("release", ["vote", "soft"])
@pytest.mark.parametrize(
    ("classes", "parties", "n"),
    [
        pytest.param(2, 3, 3, id="3 parties"),
        pytest.param(2, 4, 2, id="4 parties"),
        pytest.param(3, 4, 2, id="3 classes"),
    ],
)
class TestSensitivityOfVotes:
    @staticmethod
    def bound(release: str, constants: str, **options) -> float:
        """Return the sensitivity that the engine states for a release with these constants."""
        return aggregation.sensitivity(release, constants=constants, **options)

    @staticmethod
    def move(release: str, classes: int, parties: int, n: int, *, spread, regularisation) -> float:
        """Return the largest move of the model when one party changes its votes, over all votes."""
        X = unit_rows(n, 3, spread=spread)
        others = every_vote_of(parties - 1, classes, n)
        before, after = every_change(classes, n, others)
        return largest_move(X, before, after, release=release, regularisation=regularisation)

    @pytest.mark.parametrize("regularisation", [1e-2, 1.0, 100.0])
    @pytest.mark.parametrize("spread", [0.0, 1.0])
    def test_every_change_of_one_party_stays_within_all_bounds(
        self, classes, parties, n, release, spread, regularisation
    ):
        move = self.move(release, classes, parties, n, spread=spread, regularisation=regularisation)

        for constants in aggregation.CONSTANTS:
            bound = self.bound(
                release,
                constants,
                classes=classes,
                parties=parties,
                regularisation=regularisation,
            )
            assert move <= bound * (1 + FIT_TOLERANCE), constants

    def test_the_sharp_bound_is_reached_where_rows_agree(self, classes, parties, n, release):
        """The party says another class of every row, and the model hardly follows."""
        move = self.move(release, classes, parties, n, spread=0.0, regularisation=100.0)

        bound = self.bound(release, "sharp", classes=classes, parties=parties, regularisation=100.0)
        assert move >= 0.99 * bound

    def test_the_published_bound_is_twice_the_sharp_one_of_two_classes(
        self, classes, parties, n, release
    ):
        options = {"classes": classes, "parties": parties, "regularisation": 100.0}
        factor = 1
        if classes == 2:
            factor = 2

        sharp = self.bound(release, "sharp", **options)
        published = self.bound(release, "published", **options)

        assert published == pytest.approx(factor * sharp)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_probabilities_move_no_further_than_votes(classes):
    rng = np.random.default_rng(classes)
    parties = 7
    regularisation = 10.0
    X = unit_rows(5, 3, spread=0.3)
    # (200 cases, 5 rows, classes) to (200, classes, 5).
    mean_of_others = rng.dirichlet(np.ones(classes), size=(200, 5)).swapaxes(1, 2)
    others = mean_of_others * (parties - 1)
    nearly_sure = np.full(classes, 0.05)
    before = rng.dirichlet(nearly_sure, size=(200, 5)).swapaxes(1, 2)
    after = rng.dirichlet(nearly_sure, size=(200, 5)).swapaxes(1, 2)

    move = largest_move(
        X, others + before, others + after, release="soft", regularisation=regularisation
    )

    bound = aggregation.sensitivity(
        "soft", classes=classes, parties=parties, regularisation=regularisation
    )
    assert 0.5 * bound < move <= bound


def test_the_mean_norm_of_public_rows_may_be_used():
    X = 0.4 * unit_rows(3, 3, spread=0.0)
    tied_votes = np.ones((1, 2, 3))
    before, after = every_change(2, 3, tied_votes)

    move = largest_move(X, before, after, release="vote", regularisation=100.0)

    bound = aggregation.sensitivity(
        "vote", classes=2, parties=3, regularisation=100.0, mean_norm=0.4
    )
    assert 0.99 * bound < move <= bound


@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("regularisation", [1e-3, 0.1, 10.0])
class TestSensitivityOfAverages:
    """The models of parties whose rows and labels are all alike, and of random ones."""

    ROWS_EACH = 6
    RANDOM_PARTIES = 60

    @pytest.fixture
    def weights(self, classes, regularisation):
        """The weights of each party, (parties, weights)."""
        rng = np.random.default_rng(classes)
        same_rows = np.tile(unit_rows(1, 3, spread=0.0), (classes, self.ROWS_EACH, 1))
        same_labels = np.tile(np.arange(classes)[:, None], (1, self.ROWS_EACH))
        random_rows = unit_rows(self.RANDOM_PARTIES * self.ROWS_EACH, 3, spread=2.0)
        random_rows = random_rows.reshape(self.RANDOM_PARTIES, self.ROWS_EACH, 3)
        random_labels = rng.integers(0, classes, (self.RANDOM_PARTIES, self.ROWS_EACH))
        X = np.concatenate([same_rows, random_rows])
        y = np.concatenate([same_labels, random_labels])
        weights = local_models.logistic(X, y, classes=classes, regularisation=regularisation)
        return weights.reshape(len(X), -1)

    def test_no_model_is_longer_than_the_bound(self, weights, classes, regularisation):
        bound = aggregation.local_norm_bound(classes, regularisation)

        assert np.linalg.norm(weights, axis=1).max() <= bound * (1 + LOCAL_FIT_TOLERANCE)

    @pytest.mark.parametrize("constants", aggregation.CONSTANTS)
    def test_no_two_models_are_further_apart_than_the_sensitivity(
        self, weights, classes, regularisation, constants
    ):
        parties = 5
        sensitivity = aggregation.sensitivity(
            "average",
            parties=parties,
            classes=classes,
            regularisation=regularisation,
            constants=constants,
        )

        distances = np.linalg.norm(weights[:, None] - weights, axis=-1)

        # The average moves by a share of what one model moves.
        assert distances.max() <= parties * sensitivity * (1 + LOCAL_FIT_TOLERANCE)


class TestBoundOnWeights:
    """One row of norm 1, with lambda = sigma(-w) / w at w = 1 + u, where z sigma(-z) is largest."""

    # The solution u of u e^u = 1/e.
    W = 1 + 0.2784645427610738
    REGULARISATION = float(expit(-W)) / W

    @pytest.fixture
    def weight(self):
        """The weight that is fitted to the row."""
        fitted = erm.logistic(
            np.ones((1, 1)), np.ones(1), regularisation=self.REGULARISATION
        ).weights
        return fitted.item()

    def test_the_bound_on_the_weights_is_reached(self, weight):
        assert weight == pytest.approx(self.W, rel=SOLVER_ERROR)
        assert aggregation.norm_bound(2, self.REGULARISATION) == pytest.approx(
            self.W, rel=SOLVER_ERROR
        )

    def test_the_sensitivity_of_an_average_of_one_party_is_twice_as_large(self, weight):
        sensitivity = aggregation.sensitivity(
            "average",
            classes=2,
            parties=1,
            regularisation=self.REGULARISATION,
            constants="norms",
        )

        assert 2 * weight == pytest.approx(sensitivity, rel=SOLVER_ERROR)


class TestClipNorms:
    WEIGHTS = np.random.default_rng(0).normal(size=(5, 3, 4))

    def test_clipping_shortens_long_weights_to_the_bound(self):
        clipped = aggregation.clip_norms(self.WEIGHTS, max_norm=0.1)

        assert np.linalg.norm(clipped, axis=(1, 2)) == pytest.approx(0.1)

    def test_clipping_leaves_short_weights_unchanged(self):
        clipped = aggregation.clip_norms(self.WEIGHTS, max_norm=1e3)

        np.testing.assert_array_equal(clipped, self.WEIGHTS)


class TestTargets:
    # Votes of five parties for three classes (rows) on three examples (columns).
    COUNTS = np.array([[2, 1, 0], [2, 3, 5], [1, 3, 5.0]])

    def test_the_first_of_tied_classes_wins(self):
        targets = aggregation.targets(self.COUNTS, release="vote")

        np.testing.assert_array_equal(targets.argmax(axis=0), [0, 1, 1])

    def test_soft_labels_are_shares_of_votes(self):
        targets = aggregation.targets(self.COUNTS, release="soft")

        first_example, *_ = targets.T
        np.testing.assert_allclose(first_example, [0.4, 0.4, 0.2])


@pytest.mark.parametrize("dimensions", [1, 3, 50])
def test_the_noise_on_a_margin_is_that_of_draws_of_the_mechanism(dimensions):
    rng = np.random.default_rng(1)
    mechanism = NormExponential(sensitivity=2, epsilon=0.5)
    draws = np.concatenate([mechanism.noise(dimensions, rng) for _ in range(20_000)])
    along_a_unit_row = draws[:, 0]

    sd = aggregation.margin_sd(2, dimensions=dimensions, epsilon=0.5)

    # 5 standard errors of 20,000 draws, whose excess kurtosis is at most 3.
    assert along_a_unit_row.std() == pytest.approx(sd, rel=CHANCE)
