"""One training with many canaries: what it shows stays below the claim, and catches what is broken at once."""

import numpy as np
import pytest

from dpcore.accountants import gdp
from pages.attack import canaries
from pages.attack.canaries import Planting, audits, plant
from pages.attack.experiment import AttackSettings


def of(**changes):
    return AttackSettings().change(part="once").change(**changes)


def trained(settings):
    """The result without the curve."""
    done = {task: task.run() for task in settings.tasks() if task.at == (settings.epsilon,)}
    return settings.result(done)


def test_each_canary_is_told_apart_by_what_the_guarantee_counts():
    """The weights' difference, over the noise, is mu: all gradients are clipped, and of opposite classes."""
    settings = of(epsilon=8.0)
    planted = plant(Planting.of(settings), (8.0,), range(20))
    apart = [planted.scores[:, planted.coins == side] for side in (True, False)]
    found = (apart[0].mean() - apart[1].mean()) / np.sqrt(np.mean([one.var() for one in apart]))
    assert found == pytest.approx(gdp.mu_of(8.0, delta=1e-5), abs=0.06)


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_a_sound_training_is_refuted_at_most_once_in_twenty(epsilon):
    settings, above = of(canaries=200, epsilon=epsilon, guessed=0.3), 0
    for seed in range(10):  # other coins, and other noise
        planted = plant(Planting.of(settings.change(seed=seed)), (epsilon,), range(20))
        alone = [one.bound.epsilon for one in audits(planted, share=0.3, delta=1e-5)]
        above += sum(one > epsilon for one in alone)
    assert above <= 0.05 * 200
    assert max(alone) > 0.1 * epsilon  # and it sees something


@pytest.mark.parametrize("version", ["published", "none"])
def test_one_training_is_enough_where_nothing_is_clipped_one_by_one(version):
    result = trained(of(version=version, epsilon=1.0))
    right, guesses, bound = result.first
    assert right > 0.95 * guesses
    assert bound.epsilon > 2
    assert result.caught == (version == "published")


def test_many_trainings_see_more_than_one():
    result = trained(of(epsilon=8.0))
    one, many = result.first.bound.epsilon, {form: bound.epsilon for form, bound in result.beside.items()}
    assert not result.caught
    assert one < many["gaussian"] < 8
    assert result.ceiling.epsilon >= one


def test_what_is_drawn_as_guessed_is_what_is_counted_and_luck_leaves_out_one_training_in_ten():
    result = trained(of(epsilon=4.0))
    (low, high), (right, guesses, _), coins = result.edges, result.first, result.now.coins
    first, second = result.standing <= low, result.standing >= high
    assert first.sum() == second.sum() == guesses // 2
    assert (~coins[first]).sum() + coins[second].sum() == right
    # Canaries of either class stand around the middle, one standard deviation wide
    sides = [result.standing[coins == side] for side in (True, False)]
    assert sum(side.mean() for side in sides) == pytest.approx(0, abs=1e-6)
    assert np.mean([side.var() for side in sides]) == pytest.approx(1)
    alone, (low, _, high) = np.array([bound.epsilon for *_, bound in result.audits]), result.spread
    assert len(alone) == canaries.TRAININGS
    assert ((low <= alone) & (alone <= high)).sum() == 0.9 * len(alone)


def test_coins_are_even_and_every_canary_has_a_feature_of_its_own():
    settings = of(canaries=400)
    X, y = canaries.planted_rows(Planting.of(settings))
    planted = X[-400:]
    assert ((planted != 0).sum(axis=1) == 1).all()
    assert ((X != 0).sum(axis=0)[-400:] == 1).all()
    assert abs(y[-400:].mean() - 0.5) < 0.1


def test_the_guessed_share_decides_how_many_are_guessed_and_trains_nothing_anew():
    few, many = of(guessed=0.1), of(guessed=0.5)
    assert few.tasks() == many.tasks()
    done = {task: task.run() for task in few.tasks() if task.essential}
    assert [one.result(done).first.guesses for one in (few, many)] == [50, 250]


def test_what_is_not_done_is_not_drawn():
    settings = of(canaries=50)
    result = settings.result({task: task.run() for task in settings.tasks() if task.essential})
    assert result.beside == {}
    done = result.curve.dropna(subset=["median"]).set_index("epsilon")
    assert list(done.index) == [settings.epsilon]
    assert done["median"].item() == np.median([bound.epsilon for *_, bound in result.audits])
