"""Federated averaging on the page: who takes part, its noise, and what all rounds guarantee."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpcore.accountants import gdp, shuffling
from dpcore.privacy import ApproximateRelease
from pages.parties.federated import ROUNDS, Federation
from pages.parties.settings import PartiesSettings

# The loss distribution is rounded to a grid.
GRID_ERROR = 2e-4
# The deviation of so many weights scatters by less.
CHANCE = 0.1
# The same formula in double precision.
ROUNDING = 1e-9

EPSILON = 1.0
DELTA = 1e-6
MU = gdp.mu_of(EPSILON, delta=DELTA)


def federation(**changes) -> Federation:
    """Return the federated averaging of 40 parties, with ``changes``."""
    values = {"method": "federated", "parties": 40, "delta": DELTA, "repeats": 6}
    return PartiesSettings(**{**values, **changes}).federation


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="all parties"),
        pytest.param({"parties": 500, "cohort": 50}, id="sampled parties"),
        pytest.param({"trust_model": "local"}, id="nobody trusted"),
        pytest.param({"trust_model": "local", "parties": 7, "rounds": 20}, id="several turns"),
        pytest.param({"trust_model": "shuffle", "parties": 2000}, id="shuffled"),
        pytest.param({"trust_model": "shuffle", "dataset": "digits"}, id="too few to shuffle"),
    ],
)
class TestEveryWayToTakePart:
    def test_all_rounds_have_the_epsilon_that_was_asked_for(self, changes):
        guarantee = federation(**changes).guarantee(EPSILON)

        assert guarantee.epsilon <= EPSILON
        assert guarantee.epsilon == pytest.approx(EPSILON, rel=GRID_ERROR)
        assert (guarantee.delta, guarantee.unit) == (DELTA, "party")
        assert guarantee.adjacency == "replace-one"

    def test_parties_without_rows_release_noise_of_the_stated_size(self, changes, monkeypatch):
        """Rows of 0 make updates of 0, so the last model is the sum of the rounds' noise."""
        federated = federation(**changes)
        kind = federated.data.kind
        X = np.zeros((federated.parties, 3, kind.inputs))
        y = np.zeros((federated.parties, 3), int)
        monkeypatch.setattr("pages.parties.federated._rows", lambda data, count: (X, y))

        weights = federated.train(EPSILON, range(400)).weights

        expected = math.sqrt(federated.rounds) * federated.noise_sd(EPSILON)
        assert weights.std() == pytest.approx(expected, rel=CHANCE)
        assert abs(weights.mean()) < 5 * expected / math.sqrt(weights.size)


@pytest.mark.parametrize(
    ("parties", "rounds", "turns"),
    [
        pytest.param(40, 10, 1, id="one turn"),
        pytest.param(43, 10, 1, id="some never"),
        pytest.param(7, 20, 3, id="several turns"),
    ],
)
def test_a_party_sends_no_more_updates_than_are_counted(parties, rounds, turns):
    federated = federation(trust_model="local", parties=parties, rounds=rounds)

    members = np.concatenate([cohort.members[0] for cohort in federated._cohorts_in_turn()])

    assert np.bincount(members).max() == federated.turns == turns
    assert len(members) == rounds * federated.round_size


def test_the_noise_of_all_parties_is_two_clipping_norms_over_mu():
    federated = federation(rounds=9, clip_norm=0.5)

    assert federated.noise_sd(EPSILON) == pytest.approx(3 * 2 * 0.5 / (40 * MU), rel=ROUNDING)


def test_without_trust_the_noise_is_the_root_of_the_parties_larger():
    """One message of each party, in turn, is as good as a message in each round."""
    central = federation(rounds=10).noise_sd(EPSILON)
    local = federation(rounds=10, trust_model="local").noise_sd(EPSILON)

    assert local == pytest.approx(math.sqrt(40) * central, rel=ROUNDING)


def test_a_shuffler_hides_a_party_among_those_of_its_round():
    federated = federation(trust_model="shuffle", parties=2000, rounds=4)

    guarantee = federated.guarantee(EPSILON)

    of_one = shuffling.of_one(EPSILON, messages=500, delta=DELTA)
    assert federated.message_epsilon(EPSILON) == of_one
    assert guarantee.event == ApproximateRelease(epsilon=EPSILON, delta=DELTA)


def test_a_shuffler_never_needs_more_noise_than_no_trust_at_all():
    for dataset, parties in (("two", 10), ("two", 3000), ("digits", 10), ("digits", 3000)):
        shuffled = federation(dataset=dataset, parties=parties, trust_model="shuffle")
        local = replace(shuffled, trust_model="local")

        assert shuffled.noise_sd(EPSILON) <= local.noise_sd(EPSILON) * (1 + 1e-9)


def test_samples_need_less_noise_than_all_parties_but_no_less_than_their_share():
    sampled = federation(parties=1000, cohort=100)
    everyone = federation(parties=100, cohort=100)

    ratio = sampled.noise_multiplier(EPSILON) / everyone.noise_multiplier(EPSILON)

    assert 0.09 < ratio < 0.2


def test_the_epsilon_of_rounds_at_one_noise_is_that_of_the_settings_at_their_number():
    federated = federation(rounds=10)

    epsilons = federated.epsilons_of_rounds(EPSILON)

    assert epsilons[ROUNDS.index(10)] == pytest.approx(EPSILON, rel=ROUNDING)
    assert (np.diff(epsilons) > 0).all()
    one_round = gdp.epsilon_of(DELTA, mu=MU / math.sqrt(10))
    assert epsilons[0] == pytest.approx(one_round, rel=ROUNDING)


def test_more_trust_is_never_worse_at_the_defaults():
    """Averaged weights and federated averaging; ``benchmarks.party_releases`` has more seeds."""
    medians = {}
    for trust_model in ("central", "shuffle", "local"):
        settings = PartiesSettings(method="federated", trust_model=trust_model)
        released = settings.federation.train(settings.epsilon, range(20))
        medians[trust_model] = np.median(released.accuracy)

    assert medians["central"] >= medians["shuffle"] >= medians["local"]
