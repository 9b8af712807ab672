"""What may be said of two arms: by how many pairs agree, how large a difference is, and what a constant answer does."""

import numpy as np
import pytest
from scipy.stats import binomtest

from lab.claims import Case, compare, judge, leaders, onwards, upto
from lab.differences import Difference

BASE = np.full(20, 0.7)


def runs(won: int, by: float = 0.05, pairs: int = 20) -> np.ndarray:
    """As many runs above .7 as ``won``, the others below."""
    return np.array([0.7 + by] * won + [0.7 - by] * (pairs - won))


@pytest.mark.parametrize("won", range(21))
def test_a_lead_is_said_as_soon_as_a_sign_test_shows_it(won):
    shown = binomtest(won, 20).pvalue <= 0.05
    wanted = Case.ALIKE if not shown else Case.AHEAD if won > 10 else Case.BEHIND
    assert compare(runs(won), BASE) == compare(runs(won), 0.7) == wanted


def test_less_than_a_point_is_no_difference():
    assert compare(runs(20, by=0.0099), BASE) == Case.ALIKE
    assert compare(runs(20, by=0.01), BASE) == Case.AHEAD


def test_less_than_one_percent_of_the_baseline_s_error_is_no_difference():
    assert compare(BASE * 0.991, BASE, better="lower") == Case.ALIKE
    assert compare(BASE * 0.989, BASE, better="lower") == Case.AHEAD
    assert compare(BASE * 1.011, BASE, better="lower") == Case.BEHIND


def test_a_lead_below_the_constant_answer_is_none():
    assert compare(runs(20), BASE, constant=0.75) == Case.CONSTANT
    assert compare(runs(20), BASE, constant=0.74) == Case.AHEAD
    assert compare(runs(0), BASE, better="lower", constant=0.65) == Case.CONSTANT


def test_nothing_is_said_before_all_runs_are_there_nor_of_five():
    assert compare(runs(20), BASE, complete=False) == Case.SO_FAR
    assert compare(runs(5, pairs=5), 0.7) == Case.ALIKE


def test_diverged_runs_are_behind():
    assert compare(np.full(20, np.inf), BASE, better="lower") == Case.BEHIND


def test_the_best_of_several_is_alone_only_where_it_beats_each():
    rng = np.random.default_rng(0)
    noise = rng.normal(scale=0.02, size=20)
    arms = {"low": 0.6 + noise, "high": 0.8 + noise, "near": 0.8 + rng.permutation(noise)}
    assert set(leaders(arms)) == {"high", "near"}
    assert leaders({name: arms[name] for name in ("low", "high")}) == ("high",)
    assert leaders(arms, better="lower") == ("low",)


def test_many_comparisons_take_surer_pairs():
    """15 of 20 pairs show a lead over one arm, but not over five."""
    arms = {"first": runs(15), **{str(n): BASE for n in range(5)}}
    assert compare(arms["first"], BASE) == Case.AHEAD
    assert len(leaders(arms)) == 6


def test_from_where_on_and_up_to_where():
    ahead, alike = Case.AHEAD, Case.ALIKE
    assert [onwards(cases) for cases in ([ahead, alike, ahead], [ahead] * 3, [ahead, alike])] == [2, 0, 2]
    assert [upto(cases) for cases in ([ahead, alike, ahead], [ahead] * 3, [alike, ahead])] == [1, 3, 0]


def test_an_interval_on_one_side_of_0_is_a_claim_if_the_difference_matters():
    found = Difference(median=-0.02, low=-0.03, high=-0.01)
    assert judge(found, better="higher", least=0.01) == Case.BEHIND
    assert judge(found, better="lower", least=0.01) == Case.AHEAD
    assert judge(found, better="lower", least=0.03) == Case.ALIKE
    assert judge(Difference(median=0.02, low=-0.01, high=0.03), better="higher", least=0.01) == Case.ALIKE
