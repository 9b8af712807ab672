"""Lower bounds on epsilon, from many runs and from one: they hold as often as they say, and come
near.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore import check
from dpcore.accountants import gdp
from dpcore.attacks import audit
from dpcore.attacks.audit import clopper_pearson
from dpcore.attacks.lower_bound import GAUSSIAN_CURVE
from dpcore.mechanisms import Laplace
from dpcore.privacy import Adjacency, Guarantee, PureRelease

FORMS = ("count", "gaussian")
REPLACE = Adjacency.REPLACE_ONE
# Half of all audits at 95 % confidence of a mechanism exactly Gaussian at delta = 1e-5 show at
# least this share of its epsilon. Simulated, rounded down, and tested.
TIGHT = {
    ("count", 2_000, 1.0): 0.05,
    ("count", 2_000, 8.0): 0.30,
    ("gaussian", 2_000, 1.0): 0.25,
    ("gaussian", 2_000, 8.0): 0.82,
    ("count", 20_000, 4.0): 0.46,
    ("gaussian", 20_000, 4.0): 0.91,
}


def bound(scores_in, scores_out, *, delta=1e-5, form="count", **changes):
    return audit.epsilon_lower_bound(
        scores_in, scores_out, delta=delta, adjacency=REPLACE, form=form, **changes
    )


class TestBound:
    @pytest.mark.parametrize(("trials", "confidence"), [(1, 0.975), (10, 0.8), (1000, 0.975)])
    def test_rates_are_bounded_at_their_confidence(self, trials, confidence):
        for hits in {0, trials // 3, trials}:
            low, high = clopper_pearson(hits, trials, confidence=confidence)
            # At the bound itself, a result as extreme as the one seen has probability 1 -
            # confidence.
            at_low = stats.binom.sf(hits - 1, trials, low) if hits else 1 - confidence
            at_high = stats.binom.cdf(hits, trials, high) if hits < trials else 1 - confidence
            assert (at_low, at_high) == (
                pytest.approx(1 - confidence),
                pytest.approx(1 - confidence),
            )
            assert 0 <= low <= hits / trials <= high <= 1

    @pytest.mark.parametrize(("form", "runs", "epsilon"), TIGHT)
    def test_it_exceeds_the_truth_in_at_most_one_of_twenty_audits(self, form, runs, epsilon):
        """Audits of an exactly Gaussian mechanism, mu apart, which come as near to its epsilon as
        is said.
        """
        mu, rng = (
            gdp.mu_of(epsilon, delta=1e-5),
            np.random.default_rng([int(epsilon), len(form), runs]),
        )
        audits = 400 if runs == 2_000 else 30
        found = [
            bound(*rng.normal([[mu], [0]], size=(2, runs)), form=form).epsilon
            for _ in range(audits)
        ]
        above = np.sum(np.array(found) > epsilon)
        assert above <= (0.05 * audits if runs == 2_000 else stats.binom.isf(1e-3, audits, 0.05))
        assert TIGHT[form, runs, epsilon] < np.median(found) / epsilon < 1

    def test_the_threshold_is_not_chosen_on_the_scores_that_test_it(self):
        # Each half is told apart perfectly, but by another threshold: that of the first says "in"
        # to all of the second.
        scores = np.linspace(0, 1, 500)
        assert bound(np.r_[scores + 9, scores + 109], np.r_[scores - 9, scores + 91]).epsilon == 0

    @pytest.mark.parametrize("form", FORMS)
    def test_scores_that_say_nothing_bound_nothing_and_turned_ones_as_much(self, form):
        same = np.random.default_rng(0).normal(size=(2, 2000))
        for scores in (same, -np.abs(same), np.zeros((2, 50))):
            assert bound(*scores, form=form).epsilon < 0.2
        scores = np.random.default_rng(1).normal([[3.0], [0.0]], size=(2, 4000))
        found, turned = (bound(*one, form=form).epsilon for one in (scores, -scores))
        assert found == pytest.approx(turned, rel=0.02)
        assert found > 1
        assert bound(np.zeros(100), np.ones(100), form=form).epsilon > 2

    @pytest.mark.parametrize("turn", [1, -1])
    def test_the_last_digits_of_a_sum_are_no_score(self, turn):
        """Past both centres a Laplace score is the same but for the rounding of the sum, which
        tells the world.
        """
        scores = np.resize([5.0, 1.0], 2000)
        assert bound(turn * np.nextafter(scores, 9), turn * scores).epsilon == 0
        assert bound(turn * (scores + 1e-7), turn * scores).epsilon > 3

    @pytest.mark.parametrize("name", ["scores_in", "scores_out", "form", "confidence"])
    def test_bad_arguments_are_refused_by_name(self, name):
        given = {"scores_in": np.ones(9), "scores_out": np.zeros(9)}
        none = ([0.0, math.nan, 1.0], [0.0, math.inf], [], [1.0], [[0.0, 1.0]])
        for bad in {"form": ("guess",), "confidence": (1, 95)}.get(name, none):
            with pytest.raises(check.RefusedError, match=f"^{name} is "):
                bound(**given | {name: bad})

    def test_the_most_that_an_audit_can_show_and_what_delta_takes_of_it(self):
        perfect = bound(np.arange(2000) + 1e6, np.arange(2000), delta=0).epsilon
        rate, _ = clopper_pearson(1000, 1000, confidence=1 - 0.05 / 2)
        most = math.log(rate / (1 - rate))
        assert 0.98 * most < perfect <= most
        shown = [
            audit.detectable_epsilon(4.0, delta=1e-5, influence=reach)
            for reach in (1, 0.5, 0.25, 0.1)
        ]
        assert shown == pytest.approx([4, 1.827, 0.850, 0.313], abs=1e-3)
        scores = np.random.default_rng(0).normal([[1.0], [0.0]], size=(2, 4000))
        bounds = [bound(*scores, delta=delta).epsilon for delta in (0, 0.05, 0.3)]
        assert bounds[0] > bounds[1] > bounds[2]

    def test_it_says_what_it_is(self):
        found = bound(np.ones(30), np.zeros(20), delta=1e-3, confidence=0.9, unit="party")
        assert (found.delta, found.confidence, found.unit, found.trials) == (1e-3, 0.9, "party", 50)
        assert (found.adjacency, found.assumes) == (REPLACE, "")
        assert bound(np.ones(30), np.zeros(20), form="gaussian").assumes == GAUSSIAN_CURVE

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("name", ["laplace", "randomised response"])
    def test_at_most_five_in_a_hundred_sound_mechanisms_are_flagged(self, name, form):
        """A hundred audits with 2,000 runs a world of mechanisms that spend epsilon 1, all of it
        and no more.
        """
        event, found = PureRelease(epsilon=1.0), []
        claim = Guarantee(
            epsilon=1.0, delta=1e-5, adjacency=REPLACE, unit="record", basis="claimed", event=event
        )
        for seed in range(100):
            rng = np.random.default_rng(seed)
            if name == "laplace":
                seen = [
                    Laplace(sensitivity=1, epsilon=1).release(np.full(2000, value), rng)
                    for value in (1.0, 0.0)
                ]
                worlds = [np.abs(one) - np.abs(one - 1) for one in seen]
            else:
                worlds = [
                    np.where(rng.random(2000) < math.e / (1 + math.e), bit, 1.0 - bit)
                    for bit in (1, 0)
                ]
            found.append(bound(*worlds, form=form))
        assert sum(one.refutes(claim) for one in found) <= 5
        if form == "count":
            assert np.median([one.epsilon for one in found]) > 0.7
        else:  # these are no Gaussian mechanisms: taken for one, nearly each shows more than it spends
            assert sum(one.epsilon > 1 for one in found) >= 95


def test_a_canary_that_is_dropped_never_arrives():
    """A filter leaves out what lies further than three standard deviations off, before the
    noise.
    """
    rows, noise = np.random.default_rng(0).normal(size=50), np.random.default_rng(1).normal(size=50)
    worlds = [np.append(rows, canary) for canary in (9.0, -9.0)]
    kept = [world[np.abs(world - world.mean()) < 3 * world.std()] for world in worlds]
    assert [
        audit.canary_has_effect(*(one.mean() + noise for one in two)) for two in (worlds, kept)
    ] == [
        True,
        False,
    ]
    # One run in a hundred is none.
    assert [
        audit.canary_has_effect(np.zeros(1000), np.arange(1000) < count) for count in (10, 11)
    ] == [
        False,
        True,
    ]


FAR = {"count": 1e11, "gaussian": 1e10}


class TestOutliers:
    """A few scores of any size leave the others to say what they say."""

    def scores(self, form, seed=0):
        rng = np.random.default_rng(seed)
        if form == "count":
            return 1 + 0.1 * rng.laplace(size=5000), 0.1 * rng.laplace(size=5000)
        return rng.normal(5, 1, size=5000), rng.normal(size=5000)

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("world", ["in", "out"])
    @pytest.mark.parametrize("sign", [1, -1])
    @pytest.mark.parametrize("place", [0, 4999], ids=["choosing", "testing"])
    def test_one_score_of_any_size_takes_less_than_a_fifth_off_the_bound(
        self, form, world, sign, place
    ):
        scores = dict(zip(("in", "out"), self.scores(form), strict=True))
        without = bound(scores["in"], scores["out"], form=form).epsilon
        assert without > 5
        for far in (FAR[form], 1e300):
            scores[world][place] = sign * far
            assert bound(scores["in"], scores["out"], form=form).epsilon > 0.8 * without

    @pytest.mark.parametrize("form", FORMS)
    def test_many_of_them_in_both_worlds_take_off_no_more(self, form):
        scores_in, scores_out = self.scores(form)
        without = bound(scores_in, scores_out, form=form).epsilon
        rng = np.random.default_rng(1)
        far = 10.0 ** rng.uniform(5, 300, size=5000) * rng.choice([-1, 1], size=5000)
        for scores in (scores_in, scores_out):
            chosen = rng.random(5000) < 0.002
            scores[chosen] = far[chosen]
        assert bound(scores_in, scores_out, form=form).epsilon > 0.5 * without

    def test_the_bound_holds_as_often_as_it_says(self):
        """Of a correct Laplace mechanism whose outputs are stretched: one of twenty audits may be
        above.
        """
        rng, above = np.random.default_rng(0), 0
        for _ in range(400):
            outputs = rng.laplace([[1], [0]], size=(2, 1000))
            stretched = outputs * 10.0 ** (rng.pareto(0.5, size=outputs.shape).clip(max=200))
            above += bound(*stretched, delta=0).epsilon > 1
        assert above <= 0.05 * 400

    def test_the_last_digits_count_for_nothing_beside_outliers(self):
        rng = np.random.default_rng(0)
        scores = rng.normal(size=5000)
        other = np.nextafter(scores, np.inf)
        scores[::100], other[::100] = 1e10, 1e10
        assert bound(np.full(5000, 0.1 + 0.2), np.full(5000, 0.3)).epsilon == 0
        assert (
            bound(
                np.full(5000, 1e-17) + (np.arange(5000) % 10 < 3), (np.arange(5000) % 10 < 3) * 1.0
            ).epsilon
            == 0
        )
        assert bound(other, scores).epsilon < 0.2

    def test_rounding_never_changes_the_order(self):
        rng = np.random.default_rng(0)
        scores = np.sort(rng.choice([-1, 1], 10_000) * 10.0 ** rng.uniform(-20, 20, 10_000))
        scores = np.sort(
            np.r_[scores, np.nextafter(scores, np.inf), 2.0 ** np.arange(-60, 60), 0.0]
        )
        for exponent in (-1070, -60, 0, 30, 1024):
            rounded = audit._rounded(scores, exponent)
            assert (np.diff(rounded) >= 0).all()
            assert (
                np.abs(rounded - scores)
                <= np.maximum(np.abs(scores), 2.0 ** min(exponent, 1023)) * 2.0**-29
            ).all()


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        pytest.param(0.5, 0.0, math.inf, id="no false alarm is possible"),
        pytest.param(0.0, 0.5, 0.0, id="no hit is sure"),
        pytest.param(0.0, 0.0, 0.0, id="neither"),
    ],
)
def test_extreme_rates_give_an_infinite_lower_bound_or_none(p, q, expected):
    assert audit._epsilons(p, q, delta=0.0) == expected
    assert audit._epsilons(np.array([p]), np.array([q]), delta=0.0) == expected
    assert max(audit._mus(p, q), 0.0) == expected
