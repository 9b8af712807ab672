"""Noise that parties add themselves, what a shuffler allows, and the published orderings."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dpcore.check import RefusedError
from dpcore.parties import aggregation
from dpcore.training import erm
from lab.data.parties import parties
from lab.models import local_models
from pages.parties import releases, votes
from pages.parties.fits import fit_releases
from pages.parties.settings import PartiesSettings
from tests.pages.parties.examples import small

# The deviation of so many draws scatters by less.
CHANCE = 0.05
# The same formula in double precision.
ROUNDING = 1e-12
# Noise is calibrated by a search that ends so near to epsilon.
CALIBRATION_ERROR = 1e-6


class TestWhatPartiesCanRelease:
    def test_other_releases_are_refused(self):
        with pytest.raises(RefusedError, match="^method is "):
            PartiesSettings(trust_model="local", method="vote")

    def test_change_of_the_trust_model_leaves_other_releases(self):
        central = PartiesSettings(method="vote")

        assert central.change(trust_model="local") == PartiesSettings(trust_model="local")


class TestNoiseOfAverages:
    EPSILON = 0.3
    PARTIES = 400

    @pytest.mark.parametrize("trust_model", ["central", "local", "shuffle"])
    def test_noise_has_the_stated_standard_deviation(self, trust_model):
        settings = PartiesSettings(
            trust_model=trust_model, delta=1e-2, parties=self.PARTIES, public_rows=80
        )
        mechanisms = settings.mechanisms
        exact = fit_releases(mechanisms.ensemble, self.PARTIES).weights["average"]

        (released,) = releases.release(
            mechanisms, "average", self.PARTIES, (self.EPSILON,), repeats=1500
        )

        noise = released - exact
        noise_sd = mechanisms.weight_sd(self.EPSILON)
        assert noise.std() == pytest.approx(noise_sd, rel=CHANCE)
        assert abs(noise.mean()) < 5 * noise_sd / noise.size**0.5

    def test_parties_add_the_root_of_their_number_times_the_noise(self):
        settings = PartiesSettings(
            trust_model="local", delta=1e-2, parties=self.PARTIES, public_rows=80
        )

        local = settings.mechanisms.weight_sd(self.EPSILON)
        central = settings.change(trust_model="central").mechanisms.weight_sd(self.EPSILON)

        assert local == pytest.approx(20 * central, rel=ROUNDING)

    @pytest.mark.parametrize("constants", ["sharp", "norms"])
    def test_sensitivity_covers_all_labellings_of_a_party(self, constants):
        settings = PartiesSettings(
            trust_model="local", rows=3, constants=constants, regularisation=0.1
        )
        X, _ = parties(settings.data, 0, 8)
        labellings = np.array([*product((0, 1), repeat=3)])

        fitted = []
        for rows in X:
            copies = np.repeat(rows[None], len(labellings), axis=0)
            fitted.append(local_models.logistic(copies, labellings, classes=2, regularisation=0.1))
        max_norm = aggregation.local_norm_bound(2, 0.1)
        sent = aggregation.clip_norms(np.concatenate(fitted), max_norm=max_norm).reshape(64, -1)
        distances = np.linalg.norm(sent[:, None] - sent, axis=-1)

        sensitivity = settings.mechanisms.sensitivity("average", 1)
        assert 0.1 * sensitivity < distances.max() <= sensitivity


class TestRandomisedAnswers:
    PARTY = 7

    @pytest.fixture
    def targets(self, monkeypatch):
        """Return the public rows and the targets (1, R, K, N) if one party votes for each class.

        All draws are the same.
        """
        settings = small(trust_model="local", parties=50)
        totals = votes.collect_votes(settings.pool, 50)
        fitted = []

        def record(X, shares, **options):
            """Keep rows and targets, and return weights of 0; stands for ``aggregation.fit``."""
            fitted.append((X, shares))
            return erm.Minimum(0, 0)

        monkeypatch.setattr(releases.aggregation, "fit", record)
        for vote in (0, 1):
            dealt = totals.dealt.copy()
            dealt[self.PARTY] = vote
            changed = replace(totals, dealt=dealt)
            monkeypatch.setattr(
                releases, "collect_votes", lambda pool, upto, changed=changed: changed
            )
            releases.release_answers(settings.mechanisms, 50, (1.0,), settings.repeats)
        (X, targets_of_zero), (_, targets_of_one) = fitted
        return X, targets_of_zero, targets_of_one

    def test_models_learn_from_rows_with_an_answer(self, targets):
        X, _, _ = targets

        assert len(X) == 50

    def test_a_party_changes_one_answer_alone(self, targets):
        _, targets_of_zero, targets_of_one = targets

        changed = (targets_of_zero != targets_of_one).any(axis=(0, 1, 2))

        assert changed.nonzero()[0].tolist() == [self.PARTY]

    def test_more_answers_are_true_than_false(self, targets):
        _, targets_of_zero, targets_of_one = targets

        share_of_zeros_kept = (targets_of_zero[0, :, 1, self.PARTY] == 0).mean()
        share_of_ones_kept = (targets_of_one[0, :, 1, self.PARTY] == 1).mean()

        assert share_of_zeros_kept + share_of_ones_kept > 1


class TestShuffler:
    def test_many_shuffled_messages_get_a_smaller_epsilon_together(self):
        settings = PartiesSettings(trust_model="shuffle", parties=20_000, epsilon=1.0)

        guarantee = settings.guarantee
        message_epsilon = settings.mechanisms.release_epsilon(1.0)

        assert message_epsilon > 4 > guarantee.epsilon
        assert guarantee.epsilon == pytest.approx(1.0, rel=CALIBRATION_ERROR)
        assert guarantee.delta == 1e-6
        assert guarantee.unit == "party"
        assert guarantee.adjacency == "replace-one"

    def test_few_shuffled_messages_get_the_guarantee_of_each(self):
        shuffled = PartiesSettings(trust_model="shuffle", parties=20).guarantee

        assert shuffled == PartiesSettings(trust_model="local", parties=20).guarantee
        assert shuffled.delta == 0
        assert shuffled.assumes == ()

    def test_shuffled_answers_assume_that_rows_are_dealt_secretly(self):
        settings = PartiesSettings(trust_model="shuffle", parties=20_000, epsilon=1.0)

        (assumption,) = settings.guarantee.assumes

        assert "deals the public rows at random" in assumption
        assert settings.guarantee_of("average").assumes == ()


def median_accuracy(**changes) -> dict[str, float]:
    """Return the accuracy of each method: the median of 20 repeats, and of 3 seeds."""
    usual = {"repeats": 20, "public_rows": 400, "constants": "published", "queries": 100}
    medians = []
    for seed in (1, 2, 3):
        settings = PartiesSettings(**{**usual, **changes}, seed=seed)
        (task,) = settings.experiment.shown_sample()
        released = task.run()
        medians.append(np.median(released.accuracy, axis=1))
    return dict(zip(released.methods, np.median(medians, axis=0), strict=True))


class TestPublishedOrderings:
    @pytest.mark.parametrize("constants", ["published", "sharp"])
    def test_soft_labels_are_ahead_of_averages_and_averages_of_votes(self, constants):
        accuracy = median_accuracy(dataset="four", parties=1000, epsilon=3.0, constants=constants)

        assert accuracy["soft"] > accuracy["average"] + 0.01
        assert accuracy["average"] > accuracy["vote"] + 0.1

    def test_bounded_weights_put_averages_ahead_of_soft_labels(self):
        accuracy = median_accuracy(dataset="four", parties=300, constants="norms")

        assert accuracy["average"] > accuracy["soft"] + 0.1

    def test_more_parties_help_all_but_the_majority_vote(self):
        few = median_accuracy(dataset="four", parties=20, epsilon=10.0)
        many = median_accuracy(dataset="four", parties=2000, epsilon=10.0)

        assert max(few["vote"], many["vote"]) < 0.36
        assert many["soft"] > few["soft"] + 0.1
        assert many["average"] > few["average"] + 0.1
