"""Seeds of releases are long and independent, and no cache keeps them or their noise."""

import pickle
from functools import partial

import numpy as np
import pytest

from dpcore import streams
from dpcore.cache import CACHE
from dpcore.estimators import base
from dpcore.estimators.linear import REGRESSIONS
from tests.estimator_makers import (
    ESTIMATORS,
    make_linear,
    make_logistic,
    make_network,
    make_sparse,
    simple_rows,
    weights_of,
)

each_estimator = pytest.mark.parametrize("make", ESTIMATORS.values(), ids=ESTIMATORS)


# --- Random states --------------------------------------------------------------------------------


@each_estimator
def test_equal_random_states_make_equal_releases(make):
    of_number = make(random_state=0).fit(*simple_rows())
    of_generator = make(random_state=np.random.RandomState(0)).fit(*simple_rows())
    of_other = make(random_state=1).fit(*simple_rows())

    np.testing.assert_array_equal(weights_of(of_number), weights_of(of_generator))
    assert (weights_of(of_number) != weights_of(of_other)).any()


@each_estimator
@pytest.mark.parametrize(
    ("random_state", "is_assumed"),
    [
        pytest.param(0, True, id="a number"),
        pytest.param(np.random.RandomState(0), True, id="a generator"),
        pytest.param(None, False, id="none"),
    ],
)
def test_a_guarantee_assumes_that_a_fixed_seed_stays_secret(make, random_state, is_assumed):
    guarantee = make(random_state=random_state).fit(*simple_rows()).guarantee_

    assert (base.SECRET_SEED in guarantee.assumes) == is_assumed


@pytest.fixture
def seeds_of_12_fits(monkeypatch):
    """Return a function from a maker to the seeds of 12 fits without a random state.

    Before each, numpy's global generator is in the same state.
    """

    def fit_12_times(make) -> set[int]:
        """Fit 12 times with numpy's generator reset, and return the seeds of all streams."""
        used = set()
        open_stream = streams._key

        def record(seed, purpose):
            """Note the seed of a stream in ``used``, and open the stream."""
            used.add(seed)
            return open_stream(seed, purpose)

        monkeypatch.setattr(streams, "_key", record)
        for _ in range(12):
            np.random.seed(0)  # noqa: NPY002
            make().fit(*simple_rows())
        return used

    return fit_12_times


@each_estimator
def test_without_a_random_state_numpys_global_generator_is_ignored(make, seeds_of_12_fits):
    assert len(seeds_of_12_fits(make)) == 12


@each_estimator
def test_seeds_use_all_of_128_bits(make, seeds_of_12_fits):
    seeds = seeds_of_12_fits(make)

    set_in_any = 0
    set_in_all = 2**128 - 1
    for seed in seeds:
        set_in_any |= seed
        set_in_all &= seed
    varying_bits = set_in_any ^ set_in_all
    assert max(seeds).bit_length() > 120
    assert varying_bits.bit_count() > 110


def test_seeds_of_random_states_use_all_of_128_bits():
    assert max(map(base.noise_seed, range(12))).bit_length() > 120


# --- Nothing of a release stays in memory ---------------------------------------------------------

SEEDS = (2**127 + 12345, 2**126 + 54321)
RELEASES = {
    "logistic": make_logistic,
    "network": make_network,
    "sparse, gumbel": make_sparse,
    "sparse, laplace": partial(make_sparse, noise="laplace"),
    **{f"linear, {name}": partial(make_linear, mechanism=name) for name in REGRESSIONS},
}


def cached_bytes() -> bytes:
    """Return all keys and values of the cache."""
    entries = [(key, entry.value) for key, entry in CACHE._answers.items()]
    return pickle.dumps(entries)


def traces(seed: int) -> list[bytes]:
    """Return what would reveal noise: the seed, or the first draw of a law in either precision."""
    found = [seed.to_bytes(16, "little")]
    for law in ("standard_normal", "gumbel", "laplace"):
        draw = getattr(streams.stream(seed, "noise"), law)(size=1)
        found.append(draw.astype(float).tobytes())
        found.append(draw.astype("f4").tobytes())
    return found


@pytest.mark.parametrize("make", RELEASES.values(), ids=RELEASES)
def test_the_process_keeps_neither_the_seed_nor_the_noise_of_a_release(make, monkeypatch):
    cached_of_seeds = []
    for seed in SEEDS:
        CACHE.forget()
        monkeypatch.setattr(base.secrets, "randbits", lambda bits, seed=seed: seed)

        make().fit(*simple_rows())

        cached = cached_bytes()
        cached_of_seeds.append(cached)
        assert not [trace for trace in traces(seed) if trace in cached]
    first, second = cached_of_seeds
    assert first == second, "what is kept depends on the seed"


def test_seed_and_noise_of_a_picture_are_kept_and_found():
    CACHE.forget()

    next(streams.normal_steps(SEEDS[0], "noise", [0], steps=1, shape=(1,), dtype=np.float64))

    seed, first_draw, *_ = traces(SEEDS[0])
    assert seed in cached_bytes()
    assert first_draw in cached_bytes()
