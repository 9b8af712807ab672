"""Bounds that are read off the rows: an audit catches them, and lets public ones pass."""

import math

import numpy as np
import pytest

from dpcore import accountants
from dpcore.attacks import audit, read_off
from dpcore.privacy import Adjacency
from dpcore.training import descent
from tests.test_my_data import said, sampled
from ui import bounds_leak_demo


def scores(way: str, seed: int) -> np.ndarray:
    return np.concatenate([read_off.scored(way, part, seed=seed) for part in read_off.PARTS], axis=1)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_off_the_rows_are_refuted_and_public_ones_are_not(seed):
    multiplier = descent.noise_multiplier(epsilon=read_off.EPSILON, delta=read_off.DELTA, steps=read_off.STEPS)
    event = descent.event(multiplier, steps=read_off.STEPS)
    claim = accountants.account(event, delta=read_off.DELTA, adjacency=Adjacency.REPLACE_ONE)
    assert claim.epsilon == pytest.approx(read_off.EPSILON)
    caught, sound = (read_off.shown(scores(way, seed)) for way in read_off.WAYS)
    assert caught.refutes(claim)
    assert caught.epsilon > 5
    assert not sound.refutes(claim)


@pytest.mark.parametrize("way", read_off.WAYS)
def test_the_canary_arrives_either_way(way):
    ends = [read_off.trained(way, you, first=0, count=20, sd=0.1) for you in (read_off.ORDINARY, read_off.OUTSIDE)]
    assert audit.arrives(ends[0][:, 0], ends[1][:, 0])


def test_only_the_row_itself_moves_under_public_bounds():
    worlds = [read_off.column(you)[0] for you in (read_off.ORDINARY, read_off.OUTSIDE)]
    moved = {
        way: (np.diff([read_off.scaled(one, way)[:, 0] for one in worlds], axis=0) != 0).sum() for way in read_off.WAYS
    }
    assert moved["public"] == 1
    assert moved["read off"] >= read_off.ROWS - 1


def test_no_two_trainings_have_the_same_noise():
    parts = [read_off.scored("public", part, seed=seed) for seed in (0, 1) for part in read_off.PARTS]
    drawn = np.concatenate([part.ravel() for part in parts])
    assert len(np.unique(drawn)) > 0.99 * len(drawn) == 0.99 * 4 * read_off.RUNS


def test_what_is_said_follows_from_what_was_found():
    found = read_off.shown(scores("public", 0))
    assert "stands" in bounds_leak_demo.said("public", found)
    caught = read_off.shown(scores("read off", 0))
    assert "refutes the claim" in bounds_leak_demo.said("read off", caught)
    assert f"at least epsilon {caught.epsilon:.2f}"[:21] in bounds_leak_demo.said("read off", caught)
    assert math.isfinite(caught.epsilon)


def test_it_takes_one_click():
    app = sampled().button(key="data.show").click().run()
    assert not app.exception
    assert "refutes the claim" in said(app)
    assert "stands" in said(app)
