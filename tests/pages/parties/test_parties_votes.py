"""Votes of the parties: their totals, what is kept of them, and what is shown on the way."""

from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from lab.data.parties import parties
from lab.data.party_kinds import CHECK_ROWS
from lab.models import local_models
from pages.parties import votes
from pages.parties.experiment import EPSILONS
from pages.parties.federated import accuracy_over_field, train_at_epsilon
from pages.parties.tasks import POOLED_ROWS, PooledRows, release_all, train_pooled
from pages.parties.votes import CollectVotes
from tests.pages.parties.examples import party_data, small
from tests.sentences import first

# Parties whose totals are compared, and the public rows that they vote about.
PARTIES = 230
PUBLIC_ROWS = 80


@pytest.fixture(scope="module")
def pool():
    """Return a pool of ``PARTIES`` parties with four classes and their public rows."""
    return small(parties=PARTIES, dataset="four", public_rows=PUBLIC_ROWS).pool


@pytest.fixture(scope="module")
def totals(pool):
    """Return the totals of the votes of all parties of the pool."""
    return votes.collect_votes(pool, PARTIES)


@pytest.fixture(scope="module")
def all_votes(pool):
    """Return the votes (parties, rows), without chunks."""
    X, y = parties(pool.data, 0, PARTIES)
    rows = np.concatenate([pool.rows["public"].X, pool.rows["check"].X])
    predictions = local_models.votes(X, y, rows, classes=4, regularisation=pool.regularisation)
    return np.concatenate([prediction.votes for prediction in predictions])


class TestTotals:
    def test_chunks_add_up_to_all_votes(self, totals, all_votes):
        counts = [(all_votes == label).sum(axis=0) for label in range(4)]

        np.testing.assert_array_equal(totals.votes, counts)

    def test_each_party_is_dealt_one_public_row(self, totals, all_votes):
        numbers = np.arange(PARTIES)

        np.testing.assert_array_equal(totals.dealt, all_votes[numbers, numbers % PUBLIC_ROWS])

    def test_accuracy_is_that_on_check_rows(self, pool, totals, all_votes):
        is_correct = all_votes[:, -CHECK_ROWS:] == pool.rows["check"].y

        np.testing.assert_allclose(totals.accuracy, is_correct.mean(axis=1))


def test_pooled_model_sees_all_rows_of_few_parties():
    X, y = parties(party_data(), 0, 20)
    model = LogisticRegression(C=1 / (0.01 * 160), fit_intercept=False, tol=1e-8)
    expected = model.fit(X.reshape(160, 3), y.ravel()).coef_

    weights = train_pooled(PooledRows(party_data(), 20, 0.01), (), range(1))

    np.testing.assert_allclose(weights, expected, atol=1e-3)
    assert POOLED_ROWS > 20 * 8


class TestKeptTotals:
    @pytest.fixture
    def asked(self, monkeypatch):
        """Return the list of the parties (first, last) that are asked."""
        asked = []
        ask_parties = votes._ask_parties

        def record(pool, first_party, last_party):
            """Note the parties, and return their totals; stands for ``votes._ask_parties``."""
            asked.append((first_party, last_party))
            return ask_parties(pool, first_party, last_party)

        monkeypatch.setattr(votes, "_ask_parties", record)
        return asked

    def test_only_new_parties_are_asked(self, asked):
        pool = small(parties=200, seed=71).pool

        held = CollectVotes(pool=pool, upto=200).run()
        votes.collect_votes(pool, 230)

        assert asked == [(0, 100), (100, 200), (200, 230)]
        assert votes.collect_votes(pool, 200) is held

    def test_new_epsilon_asks_no_party(self, asked):
        settings = small(parties=200, seed=72)
        held = CollectVotes(pool=settings.pool, upto=200).run()
        assert asked == [(0, 100), (100, 200)]

        result = first(settings.change(epsilon=3.0))

        assert result.complete
        assert asked == [(0, 100), (100, 200)]
        assert votes.known_parties(settings.pool, 5000) == 200
        del held

    def test_totals_that_nobody_holds_are_dropped(self, asked):
        pool = small(parties=200, seed=74).pool
        held = CollectVotes(pool=pool, upto=200).run()
        assert votes.known_parties(pool, 5000) == 200

        del held
        votes._newest.clear()

        assert votes.known_parties(pool, 5000) == 0


# Parties of the run whose results on the way are compared.
MANY_PARTIES = 1500


@pytest.fixture(scope="module")
def settings():
    """Return settings of ``MANY_PARTIES`` parties."""
    return small(parties=MANY_PARTIES, seed=73)


@pytest.fixture(scope="module")
def run(settings):
    """Return the outcomes, the different results in their order, and the counts of changes.

    A change is counted by the function or the type of a task, and by whether the result stays the
    same.
    """
    tasks = settings.experiment.tasks()
    essential = {task for task in tasks if task.essential}
    outcomes = {}
    results = []
    changes = Counter()
    for task in tasks:
        outcomes[task] = task.run()
        if not essential <= outcomes.keys():
            continue
        result = settings.experiment.gather(outcomes)
        is_same = bool(results) and results[-1] == result
        changes[getattr(task, "work", type(task)), is_same] += 1
        if not is_same:
            results.append(result)
    return outcomes, results, changes


class TestResultsOnTheWay:
    def test_results_follow_the_points_of_the_curve(self, run):
        _, results, _ = run

        asked = [result.asked for result in results]

        assert sorted(set(asked)) == [100, 200, 600, 1500]
        assert asked == sorted(asked)

    def test_curve_over_epsilon_does_not_wait_for_all_parties(self, run):
        _, results, _ = run

        complete = [result for result in results if result.over["epsilon"].arms[0].complete]

        assert complete[0].asked < MANY_PARTIES

    @pytest.mark.parametrize(
        ("index", "epsilon"),
        [pytest.param(0, 0.01, id="smallest"), pytest.param(-1, 100.0, id="largest")],
    )
    def test_curve_over_epsilon_is_that_of_all_parties_in_the_end(
        self, settings, run, index, epsilon
    ):
        _, results, _ = run
        (task,) = settings.change(epsilon=epsilon).experiment.shown_sample()

        curve = results[-1].over["epsilon"]

        # The last method is federated averaging, which asks for no votes.
        np.testing.assert_array_equal(curve.runs[:-1, index], task.run().accuracy)

    def test_curve_is_of_the_same_parties_all_along(self, settings, run):
        _, results, _ = run
        first_curve = None
        for result in results:
            curve = result.over["epsilon"].runs[:-1]
            if result.over["epsilon"].arms[0].complete:
                first_curve = curve
                break
        last_curve = results[-1].over["epsilon"].runs[:-1]

        for result in results:
            curve = result.over["epsilon"].runs[:-1]
            done = ~np.isnan(curve)
            is_of_first = np.array_equal(curve[done], first_curve[done])
            is_of_all = np.array_equal(curve[done], last_curve[done])
            assert is_of_first or is_of_all

    def test_asking_parties_changes_no_result(self, run):
        _, _, changes = run

        assert changes[CollectVotes, False] == 0
        assert changes[CollectVotes, True] > 10
        assert changes[release_all, False] > 1

    def test_each_part_of_federated_averaging_changes_the_result(self, settings, run):
        _, _, changes = run

        # Nine epsilons and up to 2,000 parties.
        counts = [count for count in settings.party_counts if count <= 2000]
        assert changes[train_at_epsilon, False] == 1
        assert changes[accuracy_over_field, False] == len(EPSILONS) + len(counts)
        assert changes[accuracy_over_field, True] == 0
