"""Audits: bounds that hold when they should, mechanisms that stand, and broken ones that are caught."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore import accountants, check
from dpcore.accountants import gdp
from dpcore.attacks import audit
from dpcore.clopper_pearson import clopper_pearson
from dpcore.mechanisms import Gaussian, Laplace, NoisyMax, NormExponential
from dpcore.privacy import GAUSSIAN_CURVE, Adjacency, GaussianRelease, Guarantee, PureRelease
from dpcore.training import descent

FORMS = ("count", "gaussian")
REPLACE = Adjacency.REPLACE_ONE
# How tight: (form, runs in each world, epsilon) -> half of all audits at 95 % confidence, of a mechanism exactly
# Gaussian at delta = 1e-5, show at least this share of its epsilon. Simulated, rounded down, and tested.
TIGHT = {
    ("count", 2_000, 1.0): 0.05,
    ("count", 2_000, 4.0): 0.28,
    ("count", 2_000, 8.0): 0.30,
    ("gaussian", 2_000, 1.0): 0.25,
    ("gaussian", 2_000, 4.0): 0.73,
    ("gaussian", 2_000, 8.0): 0.82,
    ("count", 20_000, 1.0): 0.33,
    ("count", 20_000, 4.0): 0.46,
    ("count", 20_000, 8.0): 0.44,
    ("gaussian", 20_000, 1.0): 0.74,
    ("gaussian", 20_000, 4.0): 0.91,
    ("gaussian", 20_000, 8.0): 0.94,
}


def bound(scores_in, scores_out, *, delta=1e-5, form="count", **changes):
    return audit.epsilon_lower_bound(scores_in, scores_out, delta=delta, adjacency=REPLACE, form=form, **changes)


class TestBound:
    @pytest.mark.parametrize("trials", [1, 10, 1000])
    @pytest.mark.parametrize("confidence", [0.8, 0.975])
    def test_rates_are_bounded_at_their_confidence(self, trials, confidence):
        for hits in {0, trials // 3, trials}:
            low, high = clopper_pearson(hits, trials, confidence=confidence)
            # At the bound itself, a result as extreme as the one seen has probability 1 - confidence.
            at_low = stats.binom.sf(hits - 1, trials, low) if hits else 1 - confidence
            at_high = stats.binom.cdf(hits, trials, high) if hits < trials else 1 - confidence
            assert (at_low, at_high) == (pytest.approx(1 - confidence), pytest.approx(1 - confidence))
            assert 0 <= low <= hits / trials <= high <= 1

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("epsilon", [1.0, 4.0, 8.0])
    def test_it_exceeds_the_truth_in_at_most_one_of_twenty_audits(self, epsilon, form):
        """400 audits of an exactly Gaussian mechanism, which come as near to its epsilon as is said."""
        found = self.audits(epsilon, form, audits=400, runs=2000)
        assert (found > epsilon).mean() <= 0.05
        assert TIGHT[form, 2000, epsilon] < np.median(found) / epsilon < 1

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("epsilon", [1.0, 4.0, 8.0])
    def test_more_runs_come_nearer(self, epsilon, form):
        found = self.audits(epsilon, form, audits=30, runs=20_000)
        assert (found > epsilon).sum() <= stats.binom.isf(1e-3, 30, 0.05)
        assert TIGHT[form, 20_000, epsilon] < np.median(found) / epsilon < 1

    def audits(self, epsilon, form, *, audits, runs):
        """Bounds (audits,) from this many scores in each world, normal and mu apart."""
        mu, rng = gdp.mu_of(epsilon, delta=1e-5), np.random.default_rng([int(epsilon), len(form), runs])
        found = []
        for _ in range(audits):
            scores = rng.normal(size=(2, runs))
            scores[0] += mu
            found.append(bound(*scores, form=form).epsilon)
        return np.array(found)

    def test_the_threshold_is_not_chosen_on_the_scores_that_test_it(self):
        # Each half is told apart perfectly, but by another threshold: that of the first says "in" to all of the second.
        scores = np.linspace(0, 1, 500)
        assert bound(np.r_[scores + 9, scores + 109], np.r_[scores - 9, scores + 91]).epsilon == 0

    @pytest.mark.parametrize("form", FORMS)
    def test_scores_that_say_nothing_bound_nothing(self, form):
        same = np.random.default_rng(0).normal(size=(2, 2000))
        for scores in (same, -np.abs(same), np.zeros((2, 50))):
            assert bound(*scores, form=form).epsilon < 0.2

    @pytest.mark.parametrize("form", FORMS)
    def test_scores_that_are_turned_around_show_as_much(self, form):
        scores = np.random.default_rng(1).normal([[3.0], [0.0]], size=(2, 4000))
        found, turned = (bound(*one, form=form).epsilon for one in (scores, -scores))
        assert found == pytest.approx(turned, rel=0.02)
        assert found > 1
        assert bound(np.zeros(100), np.ones(100), form=form).epsilon > 2

    @pytest.mark.parametrize("turn", [1, -1])
    def test_the_last_digits_of_a_sum_are_no_score(self, turn):
        """Past both centres a Laplace score is the same but for the rounding of the sum, which tells the world."""
        draws = np.random.default_rng(0).laplace(size=(2, 20_000))
        worlds = [(np.abs(d + w) - np.abs(d + w - 1)) for w, d in zip((1, 0), draws, strict=True)]
        assert not bound(turn * worlds[0], turn * worlds[1], delta=0).refutes(claim(1.0))

    @pytest.mark.parametrize("name", ["scores_in", "scores_out"])
    @pytest.mark.parametrize("bad", [[0.0, math.nan, 1.0], [0.0, math.inf], [], [1.0], [[0.0, 1.0]]], ids=str)
    def test_scores_that_are_none_are_refused_by_name(self, name, bad):
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            bound(**({"scores_in": np.ones(9), "scores_out": np.zeros(9)} | {name: bad}))

    def test_the_most_that_counting_can_show(self):
        perfect = bound(np.arange(2000) + 1e6, np.arange(2000), delta=0).epsilon
        most = audit.worst_epsilon(0.95, 2000)
        assert 0.98 * most < perfect <= most

    def test_delta_is_paid_for(self):
        scores = np.random.default_rng(0).normal([[1.0], [0.0]], size=(2, 4000))
        bounds = [bound(*scores, delta=delta).epsilon for delta in (0, 0.05, 0.3)]
        assert bounds[0] > bounds[1] > bounds[2]

    def test_it_says_what_it_is(self):
        found = bound(np.ones(30), np.zeros(20), delta=1e-3, confidence=0.9, unit="party")
        assert (found.delta, found.confidence, found.unit, found.trials) == (1e-3, 0.9, "party", 50)
        assert found.adjacency is REPLACE
        assert found.assumes == ""
        assert bound(np.ones(30), np.zeros(20), form="gaussian").assumes == GAUSSIAN_CURVE

    @pytest.mark.parametrize("changes", [{"form": "guess"}, {"confidence": 1}, {"confidence": 95}], ids=str)
    def test_bad_arguments_are_refused_by_name(self, changes):
        with pytest.raises(check.RefusedError, match=f"^{next(iter(changes))} is "):
            bound(np.ones(30), np.zeros(20), **changes)


RUNS = 20_000


def projected(mechanism, step, *, rng):
    """Scores along ``step`` of releases of the value ``step`` and of 0."""
    if isinstance(mechanism, NormExponential):  # all coordinates that it is given are one vector
        draws = [value + mechanism.noise(len(step), rng, size=RUNS) for value in (step, 0 * step)]
    else:
        draws = [mechanism.release(np.tile(value, (RUNS, 1)), rng) for value in (step, 0 * step)]
    return [draw @ step for draw in draws]


def likelihood(mechanism: Laplace, step, *, rng):
    """Scores by the exact log-likelihood ratio of independent Laplace noise."""
    draws = [mechanism.release(np.tile(v, (RUNS, 1)), rng) for v in (step, np.zeros_like(step))]
    return [(np.abs(draw) - np.abs(draw - step)).sum(axis=1) for draw in draws]


def wins(mechanism: NoisyMax, *, rng):
    """1 where the first of two scores wins, which rises by the sensitivity while the other falls by it."""
    move = mechanism.sensitivity * np.array([1.0, -1.0])
    scores = np.array([-3.0 * mechanism.scale, 0.0])
    return [(mechanism.release(s, rng, size=RUNS) == 0).astype(float) for s in (scores + move, scores)]


def claim(epsilon, *, delta=0.0):
    event = PureRelease(epsilon=epsilon)
    return Guarantee(epsilon=epsilon, delta=delta, adjacency=REPLACE, unit="record", basis="claimed", event=event)


ONE, DIAGONAL = np.array([1.0]), np.full(16, 0.25)  # both of L2 norm 1; L1 norms 1 and 4
# Name -> (claimed epsilon, attack, mechanism and the step between its neighbours): sound ones ...
STANDING = {
    "laplace": (1.0, likelihood, Laplace(sensitivity=1, epsilon=1), ONE),
    "laplace, 16 coordinates": (2.0, likelihood, Laplace(sensitivity=4, epsilon=2), DIAGONAL),
    "gaussian": (1.0, projected, Gaussian(sensitivity=1, epsilon=1, delta=1e-2), DIAGONAL),
    "norm-exponential": (2.0, projected, NormExponential(sensitivity=1, epsilon=2), ONE),
    "norm-exponential, 16": (8.0, projected, NormExponential(sensitivity=1, epsilon=8), DIAGONAL),
    "noisy-max, gumbel": (1.0, wins, NoisyMax(sensitivity=1, epsilon=1)),
    "noisy-max, laplace": (1.0, wins, NoisyMax(sensitivity=1, epsilon=1, noise="laplace")),
}
# ... and each with a familiar mistake.
BROKEN = {
    "laplace, half the noise": (1.0, likelihood, Laplace(sensitivity=0.5, epsilon=1), ONE),
    "laplace, the L2 figure": (2.0, likelihood, Laplace(sensitivity=1, epsilon=2), DIAGONAL),
    "gaussian, half the noise": (1.0, projected, Gaussian(sensitivity=0.5, epsilon=1, delta=1e-2), DIAGONAL),
    "norm-exponential, half the noise": (2.0, projected, NormExponential(sensitivity=0.5, epsilon=2), ONE),
    "gumbel, sensitivity / epsilon": (1.0, wins, NoisyMax(sensitivity=1, epsilon=1, monotone=True)),
    "laplace max, sensitivity / epsilon": (
        1.0,
        wins,
        NoisyMax(sensitivity=1, epsilon=1, noise="laplace", monotone=True),
    ),
}


def audited(epsilon, attack, mechanism, *step) -> tuple[bool, float]:
    """Whether an attack with seeded noise refutes the claim of ``epsilon``, and its bound."""
    delta = getattr(mechanism, "delta", 0.0)
    found = bound(*attack(mechanism, *step, rng=np.random.default_rng(0)), delta=delta)
    return found.refutes(claim(epsilon, delta=delta)), found.epsilon


@pytest.mark.parametrize("name", STANDING)
def test_a_sound_mechanism_stands(name):
    refuted, found = audited(*STANDING[name])
    assert not refuted
    assert found > 0.3 * STANDING[name][0]  # the attack is worth its name


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_mechanism_is_caught(name):
    refuted, _ = audited(*BROKEN[name])
    assert refuted


def responses(truth, *, rng):
    """Randomised response of epsilon 1, many times: the true bit with probability e / (1 + e)."""
    return np.where(rng.random(2000) < math.e / (1 + math.e), truth, 1 - truth).astype(float)


class TestSoundAtEpsilonOne:
    """A hundred audits with 2,000 runs a world of mechanisms that spend epsilon 1, all of it and no more."""

    def audits(self, name, *, form):
        mechanism = Laplace(sensitivity=1, epsilon=1)
        for seed in range(100):
            rng = np.random.default_rng(seed)
            if name == "laplace":
                seen = [mechanism.release(np.full(2000, value), rng) for value in (1.0, 0.0)]
                worlds = [np.abs(one) - np.abs(one - 1) for one in seen]
            else:
                worlds = [responses(truth, rng=rng) for truth in (1, 0)]
            yield bound(*worlds, delta=1e-5, form=form)

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("name", ["laplace", "randomised response"])
    def test_at_most_five_in_a_hundred_are_flagged(self, name, form):
        found = list(self.audits(name, form=form))
        assert sum(one.refutes(claim(1.0, delta=1e-5)) for one in found) <= 5
        if form == "count":
            assert np.median([one.epsilon for one in found]) > 0.7
        else:  # these are no Gaussian mechanisms: taken for one, nearly each shows more than it spends
            assert sum(one.epsilon > 1 for one in found) >= 95


class TestArrival:
    def test_a_canary_that_is_dropped_never_arrives(self):
        """A filter leaves out what lies further than three standard deviations off, before the noise."""
        rows, rng = np.random.default_rng(0).normal(size=50), np.random.default_rng
        worlds = [np.append(rows, canary) for canary in (9.0, -9.0)]
        kept = [rows[np.abs(rows - rows.mean()) < 3 * rows.std()] for rows in worlds]
        seen = {
            name: [part.mean() + rng(1).normal(size=50) for part in two] for name, two in (("a", worlds), ("k", kept))
        }
        assert audit.arrives(*seen["a"])
        assert not audit.arrives(*seen["k"])

    def test_one_run_in_a_hundred_is_none(self):
        same = np.zeros(1000)
        assert not audit.arrives(same, np.arange(1000) < 10)
        assert audit.arrives(same, np.arange(1000) < 11)

    def test_what_an_audit_could_show_at_most(self):
        shown = [audit.most(4.0, delta=1e-5, reach=reach) for reach in (1, 0.5, 0.25, 0.1)]
        assert shown == pytest.approx([4, 1.827, 0.850, 0.313], abs=1e-3)


def test_one_noise_for_two_coordinates_is_caught():
    # The difference of the coordinates is then released without noise.
    rng, sd = np.random.default_rng(0), Gaussian(sensitivity=1, epsilon=1, delta=1e-5).sd
    worlds = [value + sd * rng.normal(size=(2000, 1)) for value in ([0.8, -0.6], [0.0, 0.0])]
    found = bound(*[draw @ [1.0, -1.0] for draw in worlds])
    assert found.refutes(claim(1.0, delta=1e-5))


class TestDescent:
    """Noisy gradient descent at a claimed epsilon of 1, retrained with one row's label one way and the other.

    n = 400, d = 2 and the constant, T = 30. The row is long and of the direction that is scored, so that its
    clipped gradients are opposite: the worst pair. At this learning rate no weight moves far enough to change that,
    and the bound C is small enough to shorten the average gradient too. What the row moves and the noise are both in
    parts of n, so the audit of many audits has 100 rows: the same releases in a third of the time.
    """

    DELTA, STEPS, CLIP = 1e-5, 30, 0.05
    CANARY = np.array([20.0, 20.0, 1.0])

    def scores(self, label, *, runs, seed, rule, calibration, rows):
        """Projections of ``runs`` retrained weights on the canary's gradient direction."""
        rng = np.random.default_rng(0)
        X = np.column_stack([rng.uniform(-1, 1, size=(rows, 2)), np.ones(rows)])
        y = (X[:, 0] + 0.3 * rng.normal(size=rows) > 0).astype(int)
        X[-1], y[-1] = self.CANARY, label
        multiplier = descent.noise_multiplier(epsilon=1.0, delta=self.DELTA, steps=self.STEPS)
        sd = descent.mean_noise_sd(multiplier, clip_norm=self.CLIP, rows=rows, adjacency=calibration)
        path = descent.noisy_gradient_descent(
            X,
            y,
            n_classes=2,
            steps=self.STEPS,
            learning_rate=0.02,
            clip_norm=self.CLIP,
            noise_sd=sd,
            start=np.zeros((1, 3)),
            seed=seed,
            draws=range(runs),
            clipping=rule,
        )
        return path.weights[:, 0] @ (self.CANARY / np.linalg.norm(self.CANARY))

    def audited(self, *forms, seed=0, runs=2000, rule="per-example", calibration=REPLACE, rows=400):
        """Whether the replace-one claim is refuted, and the bound, by form; the noise is made for ``calibration``."""
        how = {"runs": runs, "rule": rule, "calibration": calibration, "rows": rows}
        worlds = [self.scores(label, seed=2 * seed + label, **how) for label in (1, 0)]
        bounds = [bound(*worlds, delta=self.DELTA, form=form) for form in forms]
        # All clipped gradients of the row are alike: what a step adds to the score is one normal number.
        proved = GAUSSIAN_CURVE if rule == "per-example" else ""
        refuted = [each.refutes(claim(1.0, delta=self.DELTA), proved=proved) for each in bounds]
        return refuted, [each.epsilon for each in bounds]

    def test_the_sound_version_stands_in_a_hundred_audits(self):
        audits = [self.audited(*FORMS, seed=seed, rows=100) for seed in range(100)]
        refuted, bounds = (np.array(column) for column in zip(*audits, strict=True))
        assert (refuted.sum(axis=0) <= 5).all()
        assert np.median(bounds[:, 1]) > 0.2  # the attack is worth its name, see also the next test

    def test_the_attack_reaches_the_promise(self):
        # With many more runs the sound version's bound comes close to its epsilon, and stays below.
        _, (found,) = self.audited("gaussian", runs=20_000)
        assert 0.7 < found <= 1.0

    @pytest.mark.parametrize("rule", ["average", "none"])
    def test_noise_for_clipped_rows_without_clipped_rows_is_caught(self, rule):
        refuted, found = self.audited(*FORMS, rule=rule)
        assert refuted == [True, False]  # nobody proved of these recipes that their trade-off curve is Gaussian
        assert min(found) > 2

    def test_noise_for_an_added_row_is_caught_when_a_row_is_replaced(self):
        (refuted,), (found,) = self.audited("gaussian", runs=20_000, calibration=Adjacency.ADD_REMOVE)
        assert refuted
        # It does give what half of the noise multiplier gives: some 2.15.
        multiplier = descent.noise_multiplier(epsilon=1.0, delta=self.DELTA, steps=self.STEPS)
        event = GaussianRelease(noise_multiplier=multiplier / 2 / math.sqrt(self.STEPS))
        assert found <= accountants.account(event, delta=self.DELTA, adjacency=REPLACE).epsilon
