"""Theorems of [hamm2016]: bounds with the published constants, and what is measured."""

import math

import numpy as np
import pytest

from dpcore.parties import aggregation
from pages.parties.settings import PartiesSettings
from tests.pages.parties import published
from tests.sentences import first

# Parts of the bounds are given with four digits.
PUBLISHED_DIGITS = 1e-3
# The sum of the parts, which are given with one decimal.
ONE_DECIMAL = 0.1

LOG_2 = pytest.approx(math.log(2))
# Rounding that a measured value may exceed its bound by, relative to it.
ROUNDING = 1e-9


def first_release(settings: PartiesSettings):
    """Return the first result, with the chosen release from all parties."""
    return first(settings, settings.experiment.shown_sample())


class TestUsualRun:
    @pytest.fixture(scope="class")
    @classmethod
    def result(cls):
        """Return the first result at epsilon 1 with the published constants."""
        settings = PartiesSettings(constants="published", regularisation=1e-3, epsilon=1.0)
        return first_release(settings)

    @pytest.mark.parametrize(("release", "bound"), [("vote", 2000), ("soft", 2), ("average", 2)])
    def test_the_sensitivity_is_the_published_bound(self, result, release, bound):
        assert result.mechanisms.sensitivity(release) == pytest.approx(bound, abs=1e-6)

    def test_a_public_row_that_changes_adds_the_published_factor(self):
        factor = published.auxiliary_factor(parties=1000, public_rows=500)

        assert factor == (500 + 1000 - 1) / 500

    def test_risk_of_soft_labels_has_a_part_for_noise_and_one_for_rows(self, result):
        parts = published.risk_bound(result, "soft")

        # 4 9 (1/4 + lambda) log^2(3/.025) / (lambda M)^2
        assert parts["noise"] == pytest.approx(207.1, rel=PUBLISHED_DIGITS)
        # 16 (32 + log 40)/(lambda N)
        assert parts["rows"] == pytest.approx(1142.0, rel=PUBLISHED_DIGITS)

    def test_risk_of_votes_has_the_noise_of_a_thousand_times_the_sensitivity(self, result):
        assert published.risk_bound(result, "vote")["noise"] == pytest.approx(
            207.1e6, rel=PUBLISHED_DIGITS
        )

    def test_the_sum_of_the_parts_bounds_the_risk_of_soft_labels(self, result):
        bound = sum(published.risk_bound(result, "soft").values())

        assert bound == pytest.approx(1349.2, abs=ONE_DECIMAL)

    def test_the_sensitivity_of_votes_is_vacuous(self, result):
        # No two weights are further apart than twice the longest.
        longest = math.sqrt(0.2784645 / 1e-3)
        assert aggregation.norm_bound(2, 1e-3) == pytest.approx(longest, rel=1e-5)
        assert result.mechanisms.sensitivity("soft") < 2 * longest
        assert 2 * longest < result.mechanisms.sensitivity("vote")

    @pytest.mark.parametrize("release", ["vote", "soft"])
    def test_weights_of_0_have_a_risk_that_makes_larger_bounds_useless(self, result, release):
        no_weights = np.zeros((1, 1, 3))

        risk = published.risk(result.ensemble, no_weights, result.asked, release)

        assert risk.item() == LOG_2
        assert sum(published.risk_bound(result, release).values()) > risk.item()


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"dataset": "four", "method": "vote", "constants": "norms"}, id="votes"),
        pytest.param({"epsilon": 100.0, "regularisation": 1.0}, id="little noise"),
        pytest.param({"dataset": "intrusions", "parties": 100}, id="intrusions"),
    ],
)
class TestMeasured:
    @pytest.fixture
    def result(self, changes):
        """Return the first result of changed settings with the published constants."""
        settings = PartiesSettings(public_rows=100, repeats=8, queries=20)
        return first_release(settings.change(**changes).change(constants="published"))

    def test_changes_by_one_party_stay_below_the_sensitivity(self, result):
        for release, change in published.largest_changes(result.ensemble).items():
            assert change <= result.mechanisms.sensitivity(release) * (1 + ROUNDING), release

    @pytest.mark.parametrize("release", ["vote", "soft"])
    def test_the_excess_risk_stays_below_the_bound(self, result, release):
        weights = result.released.weights_of(release)

        excess = published.excess_risk(result.ensemble, weights, result.asked, release)

        bound = sum(published.risk_bound(result, release).values())
        assert np.quantile(excess, 1 - published.FAILURE) <= bound * (1 + ROUNDING)
