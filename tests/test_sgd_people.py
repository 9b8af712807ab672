"""DP-SGD on persons: lots of them, their gradients averaged and then clipped, and noise for one of them."""

import itertools
import math

import network_oracles as plain
import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant

from dpcore import check, lots
from dpcore.privacy import PoissonSampled, releases
from dpcore.streams import stream
from dpcore.training import networks, sgd
from dpcore.training.networks import Architecture
from pages.network.work import MOST_EACH
from tests.own_files import CLASSES, by_person, frame, settings

RATE, STEPS, COUNTS = 0.3, 60, (3, 1, 2, 1, 1, 4, 2, 1, 1, 3, 2, 1)
NET = Architecture(sizes=(3, 5, 2))
CLIPPING = {"none": None, "flat": 0.3, "layers": (0.2, 0.3)}


def rows_of(counts=COUNTS, *, seed=0):
    """Rows of people in no order, one person without any answer and one with an answer to some."""
    rng = np.random.default_rng(seed)
    people = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    X, y = rng.normal(size=(len(people), 3)), rng.integers(0, 2, len(people))
    y[people == 2] = -1
    y[np.flatnonzero(people == 0)[0]] = -1
    return X, y, people


def recipe(clip=0.3, **changes):
    given = {"sampling_rate": RATE, "steps": STEPS, "learning_rate": 0.6, "decay": 0.2, "clip_norm": clip}
    return sgd.Recipe(architecture=NET, **given | changes)


def trained(which, X, y, people, **changes):
    start = NET.start(0, [0, 1])
    how = {"start": start, "noise_multiplier": 0.0, "seed": 3, "draws": [4, 0], "dtype": np.float64}
    return sgd.train(which, X, y, people=people, **how | changes)


def average(weights, X, y):
    """A person's mean gradient over the rows with an answer, one row at a time; a list of matrices."""
    layers = plain.cut(NET.sizes, weights)
    found = [plain.gradient(layers, x, label, activation="tanh") for x, label in zip(X, y, strict=True) if label >= 0]
    return [np.mean(one, axis=0) for one in zip(*found, strict=True)] or [np.zeros_like(layer) for layer in layers]


def one_at_a_time(which, X, y, people, *, start, draw, sigma):
    """The descent from its definition: person by person, each with all of their rows."""
    count, weights = people.max() + 1, start.copy()
    drawn = lots.poisson(3, [draw], rows=count, rate=RATE, first=0, last=STEPS)
    noise = np.concatenate([stream(3, "noise", draw, part).standard_normal((50, NET.parameters)) for part in (0, 1)])
    scale = np.repeat(np.broadcast_to(which.bounds or 0.0, 2), [20, 12])
    for step, (members,) in enumerate(drawn):
        total = sigma * scale * noise[step]
        for person in members[members >= 0]:
            theirs = average(weights, X[people == person], y[people == person])
            total = total + plain.flat(plain.clipped(theirs, which.clip_norm))
        weights = weights - 0.6 * 0.2 ** (step / (STEPS - 1)) * total / (RATE * count)
    return weights


@pytest.mark.parametrize("clip", CLIPPING)
def test_it_is_the_descent_from_its_definition(clip):
    X, y, people = rows_of()
    which, sigma = recipe(CLIPPING[clip]), 0.0 if clip == "none" else 0.7
    found = trained(which, X, y, people, noise_multiplier=sigma)
    for place, draw in enumerate([4, 0]):
        start = NET.start(0, [0, 1])[place]
        one = one_at_a_time(which, X, y, people, start=start, draw=draw, sigma=sigma)
        np.testing.assert_allclose(found.weights[place], one, atol=1e-11)
    free = trained(recipe(None), X, y, people)
    assert clip == "none" or np.abs(found.weights - free.weights).max() > 0.01


def test_people_of_one_row_each_are_trained_as_rows_are():
    X, y, _ = rows_of([1] * 30)
    alone, grouped = (trained(recipe(), X, y, people, noise_multiplier=1.0) for people in (None, np.arange(30)))
    np.testing.assert_array_equal(alone.weights, grouped.weights)


@pytest.mark.parametrize("people", [[0, 2, 2], [0, 0], [-1, 0, 1]])
def test_each_row_must_be_somebodys(people):
    with pytest.raises(check.RefusedError, match="people"):
        sgd.train(recipe(), np.ones((3, 3)), [0, 1, 0], people=people, start=NET.start(0, [0])[0], **QUIET)


QUIET = {"noise_multiplier": 0.0, "seed": 0, "draws": [0]}


@pytest.mark.parametrize("clip", CLIPPING)
def test_gradient_norms_are_those_of_the_averages(clip):
    X, y, people = rows_of()
    weights = NET.start(0, [0, 1])
    found = networks.gradient_norms(NET, weights, X, y, people)
    for place, person in np.ndindex(2, len(COUNTS)):
        theirs = average(weights[place], X[people == person], y[people == person])
        np.testing.assert_allclose(found[:, place, person], [np.linalg.norm(one) for one in theirs], atol=1e-12)


def lot_sum(weights, X, y, people, *, clip, dtype=np.float64):
    """The sum over everybody, as the engine forms it."""
    which = sgd.Recipe(architecture=NET, sampling_rate=1.0, steps=1, learning_rate=1.0, clip_norm=clip)
    found = sgd.train(which, X, y, people=people, start=weights, dtype=dtype, **QUIET)
    return (weights - found.weights[0]) * (people.max() + 1)


@pytest.mark.parametrize("clip", [0.3, (0.2, 0.3)], ids=str)
def test_nobody_moves_the_sum_by_more_than_the_noise_is_made_for(clip):
    """Persons left out, and replaced by the worst that was found, with any number of rows, alike or not."""
    rng, left_out, replaced = np.random.default_rng(5), 0.0, 0.0
    bound = math.hypot(*clip) if isinstance(clip, tuple) else clip
    X, y, people = rows_of((2, 1, 3))
    for _ in range(60):
        weights = NET.start(0, [0])[0] + rng.normal(size=NET.parameters) * rng.choice([0.1, 1, 3])
        sums = [lot_sum(weights, X, y, people, clip=clip)]
        for label in (0, 1):
            many = int(rng.choice([1, 2, 7, 40]))
            theirs = rng.normal(size=3) * rng.choice([0.1, 5]) + rng.choice([0, 1]) * rng.normal(size=(many, 3))
            rows = np.concatenate([X, theirs]), np.concatenate([y, np.full(many, label)])
            sums.append(lot_sum(weights, *rows, np.append(people, np.full(many, 3)), clip=clip))
        moved = [np.linalg.norm(one - other) for one, other in itertools.combinations(sums, 2)]
        left_out, replaced = max(left_out, *moved[:2]), max(replaced, moved[2])
    assert 0.95 * bound < left_out <= bound * (1 + 1e-12)
    assert 1.5 * bound < replaced <= 2 * bound * (1 + 1e-12)


@pytest.mark.parametrize("clip", [0.01, 0.3])
def test_in_single_precision_hardly_more(clip):
    X, y, people = rows_of()
    rows, weights = (7 * X[people == 5], y[people == 5], np.zeros(4, int)), NET.start(0, [0])[0].astype(np.float32)
    single, double = (lot_sum(weights.astype(dtype), *rows, clip=clip, dtype=dtype) for dtype in (np.float32, float))
    assert np.linalg.norm(single) <= clip * (1 + 1e-3)
    np.testing.assert_allclose(single, double, atol=1e-5)


def of_people(rows=1600, **changes):
    return settings("network", by_person(CLASSES), file=frame(rows, people=800), **changes)


class TestPage:
    """A file in which a column says whose each row is."""

    @pytest.mark.parametrize(("accountant", "theirs"), [("renyi", RdpAccountant), ("pld", PLDAccountant)])
    def test_its_guarantee_is_that_of_another_library(self, accountant, theirs):
        page = of_people(accountant=accountant, epsilon=2.0)
        held, (release,) = page.promise, releases(page.promise.event)
        assert (page.rows, held.unit, held.epsilon) == (640, "person", 2.0)
        assert held.event.event == PoissonSampled(rate=100 / 640, event=release.event)
        step = dp_event.PoissonSampledDpEvent(100 / 640, dp_event.GaussianDpEvent(page.sigma))
        other = theirs().compose(step, page.steps).get_epsilon(page.delta)
        assert other == pytest.approx(2.0, rel=0.02)

    def test_all_rows_have_a_say_and_only_so_many(self):
        few, many = of_people(), of_people(rows=8000)
        (X, _, people), (more, _, theirs) = (one.models["private"].learned() for one in (few, many))
        assert (len(X), set(np.bincount(people))) == (1280, {2})
        assert (len(more), set(np.bincount(theirs)), many.rows) == (640 * MOST_EACH, {MOST_EACH}, 640)
        assert (few.sigma, few.steps) == (many.sigma, many.steps)
