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


@pytest.mark.parametrize("seed", range(3))
def test_bounds_off_the_rows_are_refuted_and_public_ones_are_not(seed):
    multiplier = descent.noise_multiplier(epsilon=read_off.EPSILON, delta=read_off.DELTA, steps=read_off.STEPS)
    event = descent.event(multiplier, steps=read_off.STEPS)
    claim = accountants.account(event, delta=read_off.DELTA, adjacency=Adjacency.REPLACE_ONE)
    assert claim.epsilon == pytest.approx(read_off.EPSILON)
    scores = {way: [read_off.scored(way, part, seed=seed) for part in read_off.PARTS] for way in read_off.WAYS}
    caught, sound = (read_off.shown(np.concatenate(parts, axis=1)) for parts in scores.values())
    assert caught.refutes(claim)
    assert 5 < caught.epsilon < math.inf
    assert not sound.refutes(claim)
    assert "refutes the claim" in bounds_leak_demo.said("read off", caught)
    assert "stands" in bounds_leak_demo.said("public", sound)
    noise = np.concatenate([part.ravel() for part in scores["public"]])
    assert len(np.unique(noise)) > 0.99 * len(noise) == 0.99 * 2 * read_off.RUNS


def test_the_canary_arrives_and_moves_only_its_row_under_public_bounds():
    for way in read_off.WAYS:
        ends = [read_off.trained(way, you, first=0, count=20, sd=0.1) for you in (read_off.ORDINARY, read_off.OUTSIDE)]
        assert audit.arrives(ends[0][:, 0], ends[1][:, 0])
    worlds = [read_off.column(you)[0] for you in (read_off.ORDINARY, read_off.OUTSIDE)]
    leaks, public = (
        (np.diff([read_off.scaled(one, way)[:, 0] for one in worlds], axis=0) != 0).sum() for way in read_off.WAYS
    )
    assert public == 1
    assert leaks >= read_off.ROWS - 1


def test_it_takes_one_click():
    app = sampled().button(key="data.show").click().run()
    assert not app.exception
    assert "refutes the claim" in said(app)
    assert "stands" in said(app)
