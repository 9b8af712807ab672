"""What DP-SGD promises: noise for what one row or person can do, counted as what it is, also where
it changes.
"""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant

from dpcore import check, schedules
from dpcore.accountants import gdp
from dpcore.privacy import PoissonSampled, releases
from dpcore.schedules import SHAPES, Schedule
from dpcore.streams import stream
from dpcore.training import batches, network_gradients, sgd
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe
from lab.experiment.accounting_tasks import NoiseFor, Price
from pages.network.training import MOST_EACH
from tests import network_oracles as plain
from tests.accounting_oracles import epsilon
from tests.event_builders import sampled
from tests.own_files import CLASSES, by_person, frame, settings

RATE, STEPS, COUNTS = 0.3, 60, (3, 1, 2, 1, 1, 4, 2, 1, 1, 3, 2, 1)
NET, SMALL = Architecture(sizes=(3, 5, 2)), Architecture(sizes=(2, 3, 2))
CLIPPING = {"none": None, "flat": 0.3, "layers": (0.2, 0.3)}


def recipe(clip=0.3, *, net=NET, **changes):
    given = {
        "sampling_rate": RATE,
        "steps": STEPS,
        "learning_rate": 0.6,
        "decay": 0.2,
        "clip_norm": clip,
    }
    return Recipe(architecture=net, **given | changes)


def trained(which, X, y, people=None, **changes):
    how = {
        "start": NET.start(0, [0, 1]),
        "noise_multiplier": 0.0,
        "seed": 3,
        "draws": [4, 0],
        "dtype": np.float64,
    }
    return sgd.train(which, X, y, people=people, **how | changes)


def batch_sum(net, weights, X, y, people=None, *, clip, first=0, dtype=np.float64, **changes):
    """The sum of the clipped gradients of the whole data set, as the engine forms it in step
    ``first``.
    """
    which = recipe(
        clip, net=net, sampling_rate=1.0, learning_rate=1.0, decay=1.0, **{"steps": 1} | changes
    )
    how = {"start": weights, "draws": [0], "first": first, "last": first + 1, "dtype": dtype}
    found = trained(which, X, y, people, **how).weights[0]
    return (weights - found) * (len(X) if people is None else people.max() + 1)


class TestOneRow:
    """Add/remove: what noise is made for is the most that one row can move the sum by."""

    @staticmethod
    def moves(weights, X, y, **how):
        """By how much the sum moves when each row of the data set is taken away."""
        rest = [
            batch_sum(SMALL, weights, np.delete(X, i, 0), np.delete(y, i), **how)
            for i in range(len(X))
        ]
        return batch_sum(SMALL, weights, X, y, **how) - rest

    @pytest.mark.parametrize("scale", [0.1, 3.0, 30.0])
    @pytest.mark.parametrize(
        "clip", [0.01, 1.0, 50.0, (1e-3, 2e-3), (0.5, 0.1), (20.0, 1.0)], ids=str
    )
    def test_no_row_moves_the_sum_or_its_layers_by_more_than_their_bounds(self, clip, scale):
        rng, whole, most = np.random.default_rng(0), 0.0, 0.0
        layers = np.size(clip)
        for _ in range(10):
            X, y = rng.normal(scale=scale, size=(8, 2)), rng.integers(0, 2, 8)
            moves = self.moves(rng.normal(scale=2.0, size=SMALL.parameters), X, y, clip=clip)
            whole = max(whole, np.linalg.norm(moves, axis=1).max())
            # In units of the noise, where every layer has the same multiplier: sqrt(2) bounds of
            # one layer.
            unit = np.repeat(clip, [9, 8]) if layers == 2 else clip
            most = max(most, np.linalg.norm(moves / unit, axis=1).max())
        assert whole <= np.linalg.norm(clip) * (1 + 1e-9)
        assert most <= math.sqrt(layers) * (1 + 1e-9)
        if np.max(clip) <= 0.01:
            assert most == pytest.approx(
                math.sqrt(layers), rel=1e-9
            )  # and some row does move it by that

    @pytest.mark.parametrize("end", [0.2, 3.0])
    def test_a_bound_that_changes_bounds_each_step_as_it_is(self, end):
        """All neighbours of a data set, in the first, a middle and the last of 11 steps."""
        rng = np.random.default_rng(2)
        X, y, weights = (
            rng.normal(scale=3, size=(8, 2)),
            rng.integers(0, 2, 8),
            rng.normal(size=SMALL.parameters),
        )
        for step in (0, 5, 10):
            moves = self.moves(
                weights, X, y, clip=0.01, first=step, steps=11, clip_ramp=end, shape="linear"
            )
            most = np.linalg.norm(moves, axis=1).max()
            assert most == pytest.approx(0.01 * (1 + (end - 1) * step / 10), rel=1e-9)


class TestAccounting:
    @pytest.mark.parametrize("accountant", ["renyi", "pld"])
    def test_layers_are_one_release_of_less_noise(self, accountant):
        for clip in ((0.3, 1.0), (0.3, 1.0, 2.0)):
            which = recipe(
                clip,
                net=Architecture(sizes=(2, 3, 3, 2)[-len(clip) - 1 :]),
                sampling_rate=0.02,
                steps=500,
            )
            events = (
                which.event(2.0),
                replace(which, clip_norm=5.0).event(2.0 / math.sqrt(len(clip))),
            )
            several, one = (epsilon(event, accountant) for event in events)
            assert several == pytest.approx(one, rel=1e-6)

    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("decay", [0.01, 1.0])
    def test_neither_learning_rate_nor_clip_norm_costs_anything(self, shape, decay):
        """Noise is scaled with the clip norm."""
        other = recipe(7.0, shape=shape, decay=decay, clip_ramp=decay, learning_rate=7.0)
        alone = recipe((0.3,), net=Architecture(sizes=(3, 2)))
        assert (
            other.event(2.0) == recipe().event(2.0) == alone.event(2.0) == sampled(RATE, 2.0, STEPS)
        )

    @pytest.mark.parametrize("accountant", ["moments", "renyi", "pld-coarse", "pld"])
    @pytest.mark.parametrize("clip", [0.4, (0.3, 0.5)], ids=str)
    def test_the_calibrated_noise_is_enough_and_hardly_more(self, clip, accountant):
        which = recipe(clip, sampling_rate=0.05, steps=400)
        sigma = which.noise_multiplier(epsilon=2.0, delta=1e-5, accountant=accountant)
        assert 2 * (1 - 1e-3) <= epsilon(which.event(sigma), accountant) <= 2


class TestSchedules:
    @pytest.mark.parametrize("shape", SHAPES)
    def test_a_shape_goes_from_1_to_the_end(self, shape):
        shares = Schedule(0.2, 41, shape).factors
        assert (shares[0], shares[-1]) == (1, pytest.approx(0.2))
        moves = np.diff(shares if shape == "linear" else np.log(shares))
        np.testing.assert_allclose(moves, moves[0])
        assert Schedule(0.2, 1, shape).factors.tolist() == [1]
        for name, values in {
            "end": (0, 5, shape),
            "steps": (1.0, 0, shape),
            "shape": (1.0, 5, "sudden"),
        }.items():
            with pytest.raises(check.RefusedError, match=f"^{name} is "):
                Schedule(*values)

    @pytest.mark.parametrize(
        ("shape", "end", "until"), [*itertools.product(SHAPES, (0.2, 1.0, 5.0), (1, 7, 60))]
    )
    def test_levels_are_few_and_never_above_what_they_stand_for(self, shape, end, until):
        schedule = Schedule(end, 60, shape)
        levels = schedule.levels(until=until, count=8)
        assert sum(levels.values()) == until
        assert len(levels) <= 9
        counted, shares = (
            np.repeat([*levels], [*levels.values()]),
            np.sort(schedule.factors[:until]),
        )
        assert (counted <= shares).all()
        assert (counted >= shares * min(end, 1 / end) ** (1 / 8) * (1 - 1e-12)).all()

    @pytest.mark.parametrize("accountant", ["renyi", "pld"])
    def test_the_order_does_not_matter_and_without_samples_noise_is_exact(self, accountant):
        """Rate .01, 10,000 steps, noise 8 falling to 2: the truth lies between .957 and .972."""
        ramps = (
            schedules.event(Schedule(end, 10_000, "linear"), 2.0 / min(end, 1), rate=0.01)
            for end in (0.25, 4.0)
        )
        falling, rising = (epsilon(event, accountant) for event in ramps)
        assert rising == pytest.approx(falling, rel=1e-3)
        if accountant == "pld":
            assert falling == pytest.approx(0.996, abs=0.002)
            event = schedules.event(Schedule(4.0, 100, "linear"), 20.0, rate=1.0)
            exact = gdp.epsilon_of(
                1e-5, mu=math.sqrt(sum(1 / z**2 for z in np.linspace(20, 80, 100)))
            )
            assert [epsilon(event, one) for one in ("gdp", "pld")] == pytest.approx(
                [exact, exact], abs=3e-4
            )

    @pytest.mark.parametrize("accountant", ["renyi", "moments", "pld-coarse"])
    @pytest.mark.parametrize("end", [0.2, 0.6, 5.0])
    @pytest.mark.parametrize("rate", [0.05, 1.0])
    def test_the_noise_that_is_found_is_enough_and_hardly_more(self, rate, end, accountant):
        given, ramp = (
            {"sampling_rate": rate, "delta": 1e-5, "accountant": accountant},
            Schedule(end, 60, "linear"),
        )
        first = NoiseFor(**given, epsilon=2.0, steps=60, ramp_end=end, ramp_shape="linear").run()
        found = epsilon(schedules.event(ramp, first, rate=rate), accountant)
        assert 2.0 * (1 - 2e-3) <= found <= 2.0
        price = Price(**given, noise_multipliers=(first,), steps=(1, 30, 60), ramp=ramp).run()[0]
        assert price[-1] == found
        assert (np.diff(price) > 0).all()


def rows_of(counts=COUNTS):
    """Rows of people in no order, one person without any answer and one with an answer to some."""
    rng = np.random.default_rng(0)
    people = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    X, y = rng.normal(size=(len(people), 3)), rng.integers(0, 2, len(people))
    y[people == 2] = -1
    y[np.flatnonzero(people == 0)[0]] = -1
    return X, y, people


def average(weights, X, y):
    """A person's mean gradient over the rows with an answer, one row at a time; a list of
    matrices.
    """
    layers = plain.cut(NET.sizes, weights)
    found = [plain.gradient(layers, x, label) for x, label in zip(X, y, strict=True) if label >= 0]
    return [np.mean(one, axis=0) for one in zip(*found, strict=True)] or [
        np.zeros_like(layer) for layer in layers
    ]


def one_at_a_time(which, X, y, people, *, start, draw, sigma):
    """The descent from its definition: person by person, each with all of their rows."""
    count, weights = people.max() + 1, start.copy()
    drawn = batches.poisson(3, [draw], rows=count, rate=RATE, first=0, last=STEPS)
    noise = np.concatenate(
        [stream(3, "noise", draw, part).standard_normal((50, NET.parameters)) for part in (0, 1)]
    )
    scale = np.repeat(np.broadcast_to(which.bounds or 0.0, 2), [20, 12])
    for step, (members,) in enumerate(drawn):
        total = sigma * scale * noise[step]
        for person in members[members >= 0]:
            theirs = average(weights, X[people == person], y[people == person])
            total = total + plain.flat(plain.clipped(theirs, which.clip_norm))
        weights = weights - 0.6 * 0.2 ** (step / (STEPS - 1)) * total / (RATE * count)
    return weights


def of_people(rows=1600, **changes):
    return settings(
        "network", by_person(CLASSES), file=frame(rows, people=800), epsilon=2.0, **changes
    )


class TestPeople:
    """Lots of people, whose gradients are averaged and then clipped, with noise for one of them."""

    @pytest.mark.parametrize("clip", CLIPPING)
    def test_it_is_the_descent_from_its_definition(self, clip):
        X, y, people = rows_of()
        which, sigma = recipe(CLIPPING[clip]), 0.0 if clip == "none" else 0.7
        found = trained(which, X, y, people, noise_multiplier=sigma)
        norms = network_gradients.gradient_norms(NET, NET.start(0, [0, 1]), X, y, people)
        for place, (draw, start) in enumerate(zip([4, 0], NET.start(0, [0, 1]), strict=True)):
            one = one_at_a_time(which, X, y, people, start=start, draw=draw, sigma=sigma)
            np.testing.assert_allclose(found.weights[place], one, atol=1e-11)
            for person in range(len(COUNTS)):
                theirs = average(start, X[people == person], y[people == person])
                expected = [np.linalg.norm(layer) for layer in theirs]
                np.testing.assert_allclose(norms[:, place, person], expected, atol=1e-12)
        free = trained(recipe(None), X, y, people)
        assert clip == "none" or np.abs(found.weights - free.weights).max() > 0.01

    def test_people_of_one_row_each_are_trained_as_rows_are(self):
        X, y, people = rows_of([1] * 30)
        alone, grouped = (
            trained(recipe(), X, y, who, noise_multiplier=1.0) for who in (None, np.arange(30))
        )
        np.testing.assert_array_equal(alone.weights, grouped.weights)
        for wrong in (people[1:], people - 1, 2 * people):
            with pytest.raises(check.RefusedError, match="people"):
                trained(recipe(), X, y, wrong)

    @pytest.mark.parametrize("clip", [0.3, (0.2, 0.3)], ids=str)
    def test_nobody_moves_the_sum_by_more_than_the_noise_is_made_for(self, clip):
        """Persons left out, and replaced by the worst that was found, with any number of rows,
        alike or not.
        """
        rng, left_out, replaced = np.random.default_rng(5), 0.0, 0.0
        bound = np.linalg.norm(clip)
        X, y, people = rows_of((2, 1, 3))
        for _ in range(60):
            weights = NET.start(0, [0])[0] + rng.normal(size=NET.parameters) * rng.choice(
                [0.1, 1, 3]
            )
            sums = [batch_sum(NET, weights, X, y, people, clip=clip)]
            for label in (0, 1):
                many = int(rng.choice([1, 2, 7, 40]))
                theirs = rng.normal(size=3) * rng.choice([0.1, 5]) + rng.choice(
                    [0, 1]
                ) * rng.normal(size=(many, 3))
                rows = np.concatenate([X, theirs]), np.concatenate([y, np.full(many, label)])
                sums.append(
                    batch_sum(NET, weights, *rows, np.append(people, np.full(many, 3)), clip=clip)
                )
            moved = [np.linalg.norm(one - other) for one, other in itertools.combinations(sums, 2)]
            left_out, replaced = max(left_out, *moved[:2]), max(replaced, moved[2])
        assert 0.95 * bound < left_out <= bound * (1 + 1e-12)
        assert 1.5 * bound < replaced <= 2 * bound * (1 + 1e-12)

    @pytest.mark.parametrize("clip", [0.01, 0.3])
    def test_in_single_precision_hardly_more(self, clip):
        X, y, people = rows_of()
        rows = 7 * X[people == 5], y[people == 5], np.zeros(4, int)
        weights = NET.start(0, [0])[0].astype(np.float32)
        single, double = (
            batch_sum(NET, weights.astype(one), *rows, clip=clip, dtype=one)
            for one in (np.float32, float)
        )
        assert np.linalg.norm(single) <= clip * (1 + 1e-3)
        np.testing.assert_allclose(single, double, atol=1e-5)

    def test_a_page_has_the_guarantee_of_another_library(self):
        page = of_people()
        held, (release,) = page.guarantee, releases(page.guarantee.event)
        assert (page.rows, held.unit, held.epsilon) == (640, "person", 2.0)
        assert held.event.event == PoissonSampled(rate=100 / 640, event=release.event)
        step = dp_event.PoissonSampledDpEvent(
            100 / 640, dp_event.GaussianDpEvent(page.noise_multiplier)
        )
        other = PLDAccountant().compose(step, page.steps).get_epsilon(page.delta)
        assert other == pytest.approx(2.0, rel=0.02)
        few, many = page, of_people(rows=8000)  # all rows count, and only so many
        (X, _, people), (more, _, theirs) = (one.trainings["private"].rows() for one in (few, many))
        assert (len(X), set(np.bincount(people))) == (1280, {2})
        assert (len(more), set(np.bincount(theirs)), many.rows) == (
            640 * MOST_EACH,
            {MOST_EACH},
            640,
        )
        assert (few.noise_multiplier, few.steps) == (many.noise_multiplier, many.steps)
