"""Theorems of the page on parties: bounds with the published constants, and what is measured."""

import math

import numpy as np
import pytest

from lab.experiment.parts import Once
from pages.parties.fits import excess_risk, risk
from pages.parties.settings import PartiesSettings
from pages.parties.tasks import largest_changes
from pages.parties.texts_theorems import statements
from pages.parties.theorems import Statement, risk_bound, theorems
from tests.sentences import first

LOG_2 = pytest.approx(math.log(2))


def result_with_changes(settings: PartiesSettings):
    """Return the first result of settings, with the largest measured changes."""
    changes = Once(largest_changes, settings.ensemble)
    return first(settings, [*settings.experiment.shown_sample(), *changes.tasks])


def statement_of(result, name: str, release: str) -> Statement:
    (statement,) = [
        statement
        for statement in theorems(result)
        if statement.name == name and statement.release == release
    ]
    return statement


class TestUsualRun:
    @pytest.fixture(scope="class")
    @classmethod
    def result(cls):
        return result_with_changes(PartiesSettings(constants="published", regularisation=1e-3))

    @pytest.mark.parametrize(("release", "bound"), [("vote", 2000), ("soft", 2), ("average", 2)])
    def test_sensitivity(self, result, release, bound):
        assert statement_of(result, "sensitivity", release).bound == bound

    def test_factor_of_a_public_row(self, result):
        assert statement_of(result, "public row", "soft").bound == (500 + 1000 - 1) / 500

    def test_risk_of_soft_labels_has_a_part_for_noise_and_one_for_rows(self, result):
        parts = risk_bound(result, "soft")

        # 4 9 (1/4 + lambda) log^2(3/.025) / (lambda M)^2
        assert parts["noise"] == pytest.approx(207.1, rel=1e-3)
        # 16 (32 + log 40)/(lambda N)
        assert parts["rows"] == pytest.approx(1142.0, rel=1e-3)

    def test_risk_of_votes_has_the_noise_of_a_thousand_times_the_sensitivity(self, result):
        assert risk_bound(result, "vote")["noise"] == pytest.approx(207.1e6, rel=1e-3)

    def test_the_bound_on_the_risk_is_the_sum_of_its_parts(self, result):
        bound = statement_of(result, "risk", "soft").bound

        assert bound == sum(risk_bound(result, "soft").values())
        assert bound == pytest.approx(1349.2, abs=0.1)

    def test_the_measured_risk_is_the_quantile_that_the_bound_is_about(self, result):
        excess = excess_risk(result.ensemble, result.now.weights_of("soft"), result.asked)

        assert statement_of(result, "risk", "soft").measured == np.quantile(excess, 0.95)

    def test_the_sensitivity_of_votes_is_vacuous(self, result):
        statement = statement_of(result, "sensitivity", "vote")

        # No two weights are further apart than twice the longest.
        longest = math.sqrt(0.2784645 / 1e-3)
        assert statement.useless == pytest.approx(2 * longest, rel=1e-5)
        assert statement.vacuous

    def test_the_sensitivity_of_soft_labels_is_not_vacuous(self, result):
        assert not statement_of(result, "sensitivity", "soft").vacuous

    def test_a_risk_above_that_of_weights_of_0_is_useless(self, result):
        assert statement_of(result, "risk", "soft").useless == LOG_2

    @pytest.mark.parametrize("release", ["vote", "soft"])
    def test_weights_of_0_have_this_risk_whatever_the_labels(self, result, release):
        no_weights = np.zeros((1, 1, 3))

        assert risk(result.ensemble, no_weights, result.asked, release).item() == LOG_2

    def test_the_page_marks_three_statements_as_vacuous(self, result):
        vacuous = [statement for statement in theorems(result) if statement.vacuous]

        assert len(vacuous) == 3
        assert statements(result).count("<b>vacuous</b>") == 3


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"dataset": "four", "method": "vote", "constants": "norms"}, id="votes"),
        pytest.param({"epsilon": 100.0, "regularisation": 1.0}, id="little noise"),
        pytest.param({"dataset": "intrusions", "parties": 100}, id="intrusions"),
    ],
)
def test_what_is_measured_stays_below_its_bound(changes):
    settings = PartiesSettings(public_rows=100, repeats=8, queries=20).change(**changes)

    result = result_with_changes(settings)

    holds = [statement.holds for statement in theorems(result)]
    assert False not in holds
    assert holds.count(True) >= 2
