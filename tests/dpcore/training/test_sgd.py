"""DP-SGD and its batches, against plain loops over models, rows and steps."""

import math
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from scipy import stats

from dpcore import check, streams, thread_pool
from dpcore.cache import CACHE
from dpcore.streams import stream
from dpcore.training import batches, sgd, sgd_recipe
from dpcore.training.batches import BLOCK
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe
from tests import network_oracles as plain

ROWS, RATE, STEPS = 30, 0.3, 70
NETS = {
    "linear": Architecture(sizes=(3, 2)),
    "tanh": Architecture(sizes=(3, 5, 2)),
    "relu": Architecture(sizes=(3, 5, 4), activation="relu"),
    "deep": Architecture(sizes=(3, 4, 3, 3)),
}
DRAWS = [2, 0, 2, 5]
# Kinds of clipping for a network of any depth; the bounds are small enough to bite and large enough
# not to always.
CLIPPING = {
    "none": lambda _: None,
    "flat": lambda _: 0.4,
    "layers": lambda net: (0.3, 0.5, 0.2)[: len(net.shapes)],
}


def problem(net, *, n=ROWS, seed=0):
    rng = np.random.default_rng([len(net.sizes), seed])
    X, y = rng.normal(size=(n, net.sizes[0])), rng.integers(0, net.sizes[-1], n)
    return (
        X,
        y,
        net.start(seed, range(len(DRAWS))) + 0.2 * rng.normal(size=(len(DRAWS), net.parameters)),
    )


def recipe(net, *, clip=CLIPPING["flat"], **changes):
    given = {
        "sampling_rate": RATE,
        "steps": STEPS,
        "learning_rate": 0.6,
        "decay": 0.2,
        "clip_norm": clip(net),
    }
    return Recipe(architecture=net, **{**given, **changes})


def train(which, net, *, noise=0.0, **changes):
    X, y, start = problem(net)
    given = {
        "start": start,
        "noise_multiplier": noise,
        "seed": 3,
        "draws": DRAWS,
        "dtype": np.float64,
        **changes,
    }
    return sgd.train(which, given.pop("X", X), given.pop("y", y), **given)


def drawn_batches(which, draw):
    how = {"rows": ROWS, "first": 0, "last": which.steps}
    if which.variant == "shuffled":
        drawn = batches.shuffled(3, [draw], size=round(RATE * ROWS), **how)
    else:
        drawn = batches.poisson(3, [draw], rate=which.sampling_rate, **how)
    return [members[0][members[0] >= 0] for members in drawn]


def drawn_noise(which, draw):
    shape, blocks = (
        (batches.BLOCK, which.architecture.parameters),
        range(-(-which.steps // batches.BLOCK)),
    )
    return np.concatenate(
        [stream(3, "noise", draw, block).standard_normal(shape) for block in blocks]
    )[: which.steps]


RAMPS = [("geometric", 1.0, 1.0), ("geometric", 0.3, 2.5), ("linear", 0.3, 2.5)]


@pytest.mark.parametrize(("shape", "noise_ramp", "clip_ramp"), RAMPS)
@pytest.mark.parametrize("clip", CLIPPING)
@pytest.mark.parametrize("net", NETS)
def test_it_is_one_network_and_one_step_at_a_time_with_noise_of_its_stream(
    net, clip, shape, noise_ramp, clip_ramp
):
    net, passed = NETS[net], np.arange(STEPS) / (STEPS - 1)
    which = recipe(
        net, clip=CLIPPING[clip], shape=shape, noise_ramp=noise_ramp, clip_ramp=clip_ramp
    )
    sigmas = np.array([0.5, 1.0, 0.0, 3.0]) * (clip != "none")
    found = train(which, net, noise=sigmas, record=range(STEPS + 1))
    rates, z, c = (
        (end**passed if shape == "geometric" else 1 + (end - 1) * passed)
        for end in (0.2, noise_ramp, clip_ramp)
    )
    bounds = np.array(CLIPPING["layers" if clip == "layers" else "flat"](net)) * np.ones(
        len(net.shapes)
    )
    sizes = [outputs * inputs for outputs, inputs in net.shapes]
    X, y, start = problem(net)
    for place in (0, 2, 3):
        path, sigma, drawn = start[place], sigmas[place], drawn_noise(which, DRAWS[place])
        for step, batch in enumerate(drawn_batches(which, DRAWS[place])):
            now = bounds * c[step]
            clip_norm = {"none": None, "flat": now[0], "layers": tuple(now)}[clip]
            how = {"clip_norm": clip_norm, "activation": net.activation}
            total = plain.batch_gradient(net.sizes, path, X[batch], y[batch], **how)
            total = total + sigma * z[step] * np.repeat(now, sizes) * drawn[step]
            path = path - 0.6 * rates[step] * total / (RATE * ROWS)
            np.testing.assert_allclose(found.history[step + 1, place], path, rtol=0, atol=1e-9)
    if clip != "none":  # clipping had work to do
        free = train(recipe(net, clip=CLIPPING["none"]), net)
        assert (
            np.abs(train(recipe(net, clip=CLIPPING[clip]), net).weights - free.weights).max() > 0.01
        )


def test_what_the_variants_change():
    net = NETS["tanh"]
    X, y, start = problem(net)
    for variant in sgd_recipe.VARIANTS:
        which = recipe(net, steps=1, decay=1.0, variant=variant)
        members, noise = drawn_batches(which, 0)[0], 2.0 * 0.4 * drawn_noise(which, 0)[0]
        found = train(which, net, noise=2.0, draws=[0], start=start[0]).weights[0]
        size = len(members)
        assert variant == "shuffled" or size != RATE * ROWS
        total = plain.batch_gradient(
            net.sizes, start[0], X[members], y[members], clip_norm=0.4, activation="tanh"
        )
        noise = math.sqrt(size) * noise if variant == "inside" else noise
        step = (total + noise) / (size if variant == "realised" else RATE * ROWS)
        np.testing.assert_allclose(found, start[0] - 0.6 * step, rtol=0, atol=1e-12)
    for variant in {*sgd_recipe.VARIANTS} - {
        "shuffled"
    }:  # a batch with nobody in it moves nothing but by noise
        which = recipe(net, sampling_rate=1e-9, variant=variant)
        np.testing.assert_array_equal(train(which, net).weights, start)
        assert np.isfinite(train(which, net, noise=1.0).weights).all()


class TestBatch:
    @pytest.mark.parametrize("net", ["tanh", "deep"])
    def test_single_precision_is_close_and_equal_seeds_and_draws_give_the_same_noise(self, net):
        net, start = NETS[net], problem(NETS[net])[2]
        single = train(recipe(net), net, noise=1.0, dtype=np.float32).weights
        first, again, other = (
            train(recipe(net), net, noise=1.0, start=start, seed=seed) for seed in (3, 3, 4)
        )
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, first.weights, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(first.weights, again.weights)
        assert (np.abs(first.weights - other.weights).max(axis=1) > 1e-2).all()
        same = train(recipe(net), net, noise=1.0, start=problem(net)[2][0]).weights
        np.testing.assert_allclose(same[0], same[2], rtol=0, atol=1e-13)
        assert np.abs(same[0] - same[1]).max() > 1e-2

    @pytest.mark.parametrize("variant", sgd_recipe.VARIANTS)
    @pytest.mark.parametrize("cuts", [[50], [1, 20, 50, 51], [69]], ids=str)
    def test_a_training_in_pieces_is_one_in_one_piece_and_its_record_in_the_order_asked(
        self, cuts, variant
    ):
        net = NETS["tanh"]
        which = recipe(net, variant=variant)
        whole = train(which, net, noise=1.0, record=[STEPS, 0, *cuts])
        weights = problem(net)[2]
        np.testing.assert_array_equal(whole.history[:2], [whole.weights, weights])
        np.testing.assert_array_equal(train(which, net, first=9, last=9).weights, weights)
        for place, (first, last) in enumerate(zip([0, *cuts], [*cuts, STEPS], strict=True)):
            piece = train(
                which, net, noise=1.0, start=weights, first=first, last=last, record=[first]
            )
            np.testing.assert_array_equal(piece.history[0], weights)
            weights = piece.weights
            expected = whole.history[2 + place] if last < STEPS else whole.weights
            np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("workers", [1, 2, 3])
    @pytest.mark.parametrize("at_once", [1, 10**9], ids=["one at a time", "all at once"])
    def test_cores_and_parts_change_nothing(self, at_once, workers, monkeypatch):
        net, noise = NETS["tanh"], np.array([0.5, 1.0, 0.0, 3.0])
        whole = train(recipe(net), net, noise=noise, record=[5])
        monkeypatch.setattr(thread_pool, "_WORTH_A_SECOND_CORE", 0)
        monkeypatch.setattr(thread_pool, "core_count", lambda: workers)
        monkeypatch.setattr(sgd, "_CACHE_BYTES", at_once)
        found = train(recipe(net), net, noise=noise, record=[5])
        np.testing.assert_allclose(found.weights, whole.weights, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.history, whole.history, rtol=0, atol=1e-12)


BAD_RECIPES = {
    **dict.fromkeys(("sampling_rate", "steps", "decay", "noise_ramp", "clip_ramp"), (0,)),
    "learning_rate": (-1,),
    "shape": ("odd",),
    "variant": ("wild",),
    "clip_norm": (0, math.inf, (1.0, -1.0), (1.0,), (), [1.0, 1.0]),
}
BAD_ARGUMENTS = {
    "X": (np.full((ROWS, 3), np.nan), np.ones((ROWS, 4)), np.ones((ROWS - 1, 3))),
    "y": (np.full(ROWS, 2), np.full(ROWS, -2), np.full(ROWS, "a")),
    "noise_multiplier": (-1.0, math.nan, True, "much", [1.0, 2.0]),
    "start": (np.zeros(5), np.full(32, np.nan), np.zeros((3, 32))),
    "draws": ([0, 0.5, 1, 2], []),
    "seed": (-1,),
    "first": (-1, STEPS + 1),
    "last": (STEPS + 1,),
    "record": ([STEPS + 1], [3, 3], [-1]),
}


def test_what_makes_no_sense_is_refused_by_name():
    net = NETS["tanh"]
    together = ("first", {"first": 5, "last": 4}), ("record", {"record": [3], "first": 4})
    arguments = [
        (name, {name: value}) for name, values in BAD_ARGUMENTS.items() for value in values
    ]
    for name, changes in (*arguments, *together):
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            train(recipe(net), net, **changes)
    for name, value in ((name, value) for name, values in BAD_RECIPES.items() for value in values):
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            replace(recipe(net), **{name: value})
    with pytest.raises(check.RefusedError, match="^noise_multiplier is "):
        train(recipe(net, clip=CLIPPING["none"]), net, noise=1.0)


def membership(drawn, *, rows) -> np.ndarray:
    """Lots (R, W) of each step -> who is in which (steps, R, rows); each row at most once, in
    rising or any order.
    """
    found = []
    for members in drawn:
        inside = np.zeros((len(members), rows + 1), dtype=int)
        np.add.at(inside, (np.arange(len(members))[:, None], members), 1)
        assert inside[:, :-1].max(initial=0) <= 1
        found.append(inside[:, :-1])
    return np.array(found)


def poisson(*, indices=(0,), rows=30, rate=0.2, first=0, last=BLOCK, seed=1) -> np.ndarray:
    drawn = batches.poisson(seed, indices, rows=rows, rate=rate, first=first, last=last)
    return membership(drawn, rows=rows)


@pytest.mark.parametrize("rate", [0.01, 0.2, 0.5, 0.97])
def test_sizes_are_binomial(rate):
    rows, sizes = (
        40,
        poisson(indices=range(40), rows=40, rate=rate, last=4 * BLOCK).sum(axis=2).ravel(),
    )
    assert len(sizes) == 8000
    low, high = stats.binom.ppf([0.002, 0.998], rows, rate)
    edges = np.arange(low, high + 1)  # the tails are one cell each
    observed = np.histogram(np.clip(sizes, low, high), bins=[*edges, high + 1])[0]
    expected = stats.binom.pmf(edges, rows, rate)
    expected[0], expected[-1] = (
        stats.binom.cdf(low, rows, rate),
        stats.binom.sf(high - 1, rows, rate),
    )
    assert stats.chisquare(observed, 8000 * expected / expected.sum()).pvalue > 1e-3


@pytest.mark.parametrize("rate", [0.05, 0.5, 0.9])
def test_every_row_of_every_step_is_a_coin_of_its_own(rate):
    """No place of a block is favoured; rows of a batch, batches of a row and a cell's streams are
    uncorrelated.
    """
    inside = poisson(indices=range(2000), rows=6, rate=rate)
    assert np.abs(inside.mean(axis=1) - rate).max() < 4.5 * np.sqrt(rate * (1 - rate) / 2000)
    cells = inside[:10].swapaxes(0, 1).reshape(2000, 60)
    assert np.abs(np.corrcoef(cells.T) - np.eye(60)).max() < 5 / np.sqrt(2000)
    assert abs(np.corrcoef(cells[:-1].ravel(), cells[1:].ravel())[0, 1]) < 4 / np.sqrt(120_000)


def test_all_rows_at_rate_one_and_hardly_any_at_tiny_rates():
    assert (poisson(rate=1.0) == 1).all()
    for rate in (1e-9, 1e-18, 1e-300):
        assert (poisson(rate=rate, indices=range(20)) == 0).all()
    few, most = (poisson(rate=rate, indices=range(500)) for rate in (1e-3, 1 - 1e-3))
    assert [few.sum(), (1 - most).sum()] == pytest.approx([750, 750], abs=4 * np.sqrt(750))


@pytest.mark.parametrize(
    ("draw", "options"),
    [(batches.poisson, {"rate": 0.2}), (batches.shuffled, {"size": 7})],
    ids=["poisson", "shuffled"],
)
def test_any_piece_is_that_piece_of_the_whole_and_each_stream_has_its_index(draw, options):
    def drawn(*, indices=(3, 0, 8), first=0, last=130, seed=1):
        return membership(draw(seed, indices, rows=30, **options, first=first, last=last), rows=30)

    whole = drawn()
    assert whole.shape == (130, 3, 30)
    assert (whole[:BLOCK] != whole[BLOCK : 2 * BLOCK]).any()
    for first, last in [(0, 51), (49, 51), (50, 100), (129, 130), (13, 13)]:
        piece = drawn(first=first, last=last)
        np.testing.assert_array_equal(piece.reshape(-1, 3, 30), whole[first:last])
    np.testing.assert_array_equal(drawn(indices=[8, 3]), whole[:, [2, 0]])
    assert (drawn(seed=2) != whole).any()
    assert (whole[:, 0] != whole[:, 1]).any()


@pytest.mark.parametrize(
    ("rows", "size"), [(30, 7), (30, 10), (30, 30), (30, 16), (5, 1), (200, 64)]
)
def test_a_shuffled_epoch_takes_each_row_once(rows, size):
    each = rows // size
    inside = membership(
        batches.shuffled(1, range(20), rows=rows, size=size, first=0, last=3 * each), rows=rows
    )
    assert (inside.sum(axis=2) == size).all()
    epochs = inside.reshape(3, each, 20, rows).sum(axis=1)
    assert epochs.max() == 1
    assert (epochs.sum(axis=2) == each * size).all()
    if size < rows:
        assert (
            inside[:each] != inside[each : 2 * each]
        ).any()  # the next epoch has an order of its own


def test_a_shuffle_favours_no_row_and_no_place():
    inside = membership(batches.shuffled(1, range(1000), rows=9, size=2, first=0, last=8), rows=9)
    assert np.abs(inside.mean(axis=1) - 2 / 9).max() < 4.5 * np.sqrt(2 / 9 * 7 / 9 / 1000)


def noise(indices, *, steps, shape=(2, 3), seed=1, dtype=np.float64):
    return np.stack(
        list(streams.normal_steps(seed, "noise", indices, steps=steps, shape=shape, dtype=dtype))
    )


class TestStreams:
    @pytest.mark.parametrize("size", [1, 200, 1000, streams._BLOCK_BYTES])
    @pytest.mark.parametrize("steps", [7, 10])
    def test_steps_are_the_draws_of_each_stream_in_order_in_blocks_of_any_size(
        self, steps, size, monkeypatch
    ):
        monkeypatch.setattr(streams, "_BLOCK_BYTES", size)
        CACHE.forget()
        each = [
            streams.stream(1, "noise", index).standard_normal((steps, 2, 3)) for index in (4, 0, 9)
        ]
        whole = np.stack(each, axis=1)
        np.testing.assert_array_equal(noise([4, 0, 9], steps=steps), whole)
        np.testing.assert_array_equal(
            noise([4, 0, 9], steps=steps, dtype=np.float32), whole.astype(np.float32)
        )
        assert noise([], steps=3).shape == (3, 0, 2, 3)

    @pytest.mark.parametrize(
        "seed", [0, 2**32 - 1, 2**32, 2**40 + 3, 0x0123456789ABCDEF_FEDCBA9876543210]
    )
    @pytest.mark.parametrize(("index", "part"), [(0, 0), (100_003, 2), (5, 1)])
    def test_a_stream_is_numpys_own_of_its_four_numbers(self, seed, index, part):
        for number, purpose in enumerate(get_args(streams.Purpose)):
            own = np.random.default_rng(np.random.SeedSequence([seed, number, index, part]))
            np.testing.assert_array_equal(
                streams.stream(seed, purpose, index, part).random(4), own.random(4)
            )

    def test_seeds_and_indices_give_independent_streams(self):
        seed = 0x0123456789ABCDEF_FEDCBA9876543210
        keys = [(seed ^ flipped, 0) for flipped in [0, *(1 << bit for bit in range(128))]] + [
            (seed, 1)
        ]
        draws = [streams.stream(seed, "noise", index).standard_normal(2000) for seed, index in keys]
        assert np.abs(np.corrcoef(draws) - np.eye(130)).max() < 0.12


REFUSED = {
    "rate": (lambda value: poisson(rate=value), (0, -0.1, 1.01, np.nan)),
    "size": (
        lambda value: next(batches.shuffled(1, [0], rows=30, size=value, first=0, last=1)),
        (0, 31, 2.5),
    ),
    "seed": (lambda value: streams.stream(value, "noise"), (-1, 1.5, True)),
    "purpose": (lambda value: streams.stream(1, value), ("tea",)),
    "index": (lambda value: streams.stream(1, "noise", value), (-1, 0.5)),
    "part": (lambda value: streams.stream(1, "noise", part=value), (-1,)),
    "indices": (lambda value: noise(value, steps=1), ([0, 0.5], [-1], ["a"])),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_arguments_are_refused_by_name(name):
    call, values = REFUSED[name]
    for value in values:
        with pytest.raises(check.RefusedError, match=f"^{name} is "):
            call(value)
