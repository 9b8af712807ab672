"""What a private walk costs: sensitivities by brute force, a choice's price, its noise, the printed scale."""

import math

import numpy as np
import pytest
from frank_wolfe_oracles import PENTAGON, gradient, problem
from oracles import win_probabilities
from scipy import stats

from dpcore import accountants
from dpcore.accountants import zcdp
from dpcore.mechanisms import NoisyMax
from dpcore.privacy import Adjacency
from dpcore.training import frank_wolfe as fw

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE


class TestSensitivity:
    @pytest.mark.parametrize("adjacency", Adjacency)
    @pytest.mark.parametrize(
        "polytope",
        [
            *(fw.L1Ball(dimension=d, radius=1.7) for d in (1, 2, 5)),
            fw.L1Ball(dimension=3, radius=1.7, penalty=0.4),
            PENTAGON,
        ],
    )
    def test_no_neighbour_moves_a_score_further_and_some_do_as_far(self, polytope, adjacency):
        """A penalty moves none: the centre's score is always 0, and the public point w is the same."""
        d, n, bound = polytope.dimension, 7, 0.8
        rng = np.random.default_rng(d)
        claim = fw.score_sensitivity(polytope.norm, residual_bound=bound, rows=n, adjacency=adjacency)
        assert claim == pytest.approx({REPLACE: 2, ADD: 1}[adjacency] * polytope.norm * bound / n)
        worst = widest = 0.0
        for trial in range(400):
            X, y, w = rng.uniform(-1, 1, (n, d)), rng.normal(size=n), rng.normal(size=d)
            hostile = trial % 4 == 0
            if hostile:
                X[-1], y[-1] = np.sign(X[-1]), 50.0
            before = gradient(X, y, w, bound=bound)
            if adjacency is ADD:
                after = gradient(X[:-1], y[:-1], w, bound=bound, rows=n)
            else:
                other, label = (X[-1], -50.0) if hostile else (rng.uniform(-1, 1, d), rng.normal())
                after = gradient(np.vstack([X[:-1], other]), np.append(y[:-1], label), w, bound=bound)
            scores = [polytope.scores((g + 0.3 * w)[None])[0] for g in (before, after)]
            assert not getattr(polytope, "penalty", 0) or scores[0][-1] == scores[1][-1] == 0
            moved = np.subtract(*scores)
            worst, widest = max(worst, np.abs(moved).max()), max(widest, moved.max() - moved.min())
        assert worst <= claim * (1 + 1e-12)
        assert worst == pytest.approx(claim)
        assert widest == pytest.approx(2 * claim) or polytope is PENTAGON


class TestNoise:
    RUNS = 4000

    def test_a_choice_costs_what_report_noisy_max_does(self):
        assert fw.noise_scale(0.7, sensitivity=0.2) == NoisyMax(sensitivity=0.2, epsilon=0.7).scale == 2 * 0.2 / 0.7

    @pytest.mark.parametrize("noise", fw.NOISES)
    def test_choices_follow_their_law(self, noise):
        (X, y), ball = problem(30, 2, seed=4), fw.L1Ball(dimension=2, radius=1.0)
        how = {"steps": 1, "scale": 0.15, "residual_bound": 1.0, "seed": 3, "draws": range(self.RUNS), "noise": noise}
        walk = fw.noisy_frank_wolfe(X, y, polytope=ball, **how)
        found, scores = np.bincount(walk.choices[0]), ball.scores(gradient(X, y, np.zeros(2), bound=1.0)[None])[0]
        for scale, holds in ((0.15, True), (0.075, False)):  # half of the noise would be seen
            law = win_probabilities(-scores, scale=scale, noise=noise)
            assert (stats.chisquare(found, law / law.sum() * self.RUNS).pvalue > 1e-3) == holds

    @pytest.mark.parametrize("noise", fw.NOISES)
    def test_each_vertex_has_its_own_noise_in_each_step(self, noise):
        drawn = fw._unit_noise(noise, 0, np.arange(200), 1, 5, 8)[0][:, :5]
        flat = drawn.transpose(1, 2, 0).reshape(40, -1)  # a row for each step and vertex
        assert np.abs(np.corrcoef(flat) - np.eye(40)).max() < 0.35
        law = stats.gumbel_r if noise == "gumbel" else stats.laplace
        assert stats.kstest(drawn.ravel(), law.cdf).pvalue > 1e-3
        longer, _ = fw._unit_noise(noise, 0, np.arange(200), 1, 9, 8)
        assert np.array_equal(longer[:, :5], drawn)


class TestPrintedScale:
    """The printed scale at T = 100, delta = 1e-6: what nominal 1 and 4 really cost."""

    @pytest.mark.parametrize(
        ("adjacency", "noise", "costs"),
        [(ADD, "laplace", (1.04, 4.60)), (REPLACE, "laplace", (2.15, 10.5)), (REPLACE, "gumbel", (1.02, 4.29))],
    )
    def test_costs(self, adjacency, noise, costs):
        for nominal, cost in zip((1.0, 4.0), costs, strict=True):
            each = fw.printed_epsilon(nominal, delta=1e-6, steps=100, adjacency=adjacency)
            event = fw.event(each, steps=100, noise=noise)
            if noise == "laplace":
                found = accountants.account(event, delta=1e-6, adjacency=adjacency, accountant="strong").epsilon
            else:
                found = zcdp.classic_epsilon(zcdp.rho_of_event(event), delta=1e-6)
            assert found == pytest.approx(cost, rel=0.01)

    def test_it_is_the_printed_formula(self):
        printed = fw.printed_scale(1.5, residual_bound=2.0, rows=300, epsilon=0.7, delta=1e-5, steps=40)
        assert printed == pytest.approx(2.0 * 1.5 * math.sqrt(8 * 40 * math.log(1e5)) / (300 * 0.7))
        each = fw.printed_epsilon(0.7, delta=1e-5, steps=40, adjacency=REPLACE)
        sensitivity = fw.score_sensitivity(1.5, residual_bound=2.0, rows=300, adjacency=REPLACE)
        assert fw.noise_scale(each, sensitivity=sensitivity) == pytest.approx(printed)
