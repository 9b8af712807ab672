"""Open independent random streams keyed by (seed, purpose, index).

A stream is a random generator that always draws the same numbers for the same key. Draws for one
purpose never affect another, and repeat r of an experiment has the stream of index r, whichever
other repeats are computed.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

import numpy as np

from dpcore import check
from dpcore.cache import CACHE

Purpose = Literal["noise", "data", "split", "audit", "start", "batches", "search", "resampling"]

# Noise is drawn in blocks of this many bytes, which bounds the memory of a run of any length.
_BLOCK_BYTES = 8_000_000
# Noise of at most so many bytes (in double precision) is cached, because dragging epsilon requests
# the same draws again.
_CACHED_BYTES = 1_000_000


def stream(seed: int, purpose: Purpose, index: int = 0, part: int = 0) -> np.random.Generator:
    """Return the random generator of (seed, purpose, index, part).

    All but the purpose are whole numbers from 0 on. A seed may have any length, but numpy
    distinguishes only 128 bits of it. Long work in chunks gives each chunk its own ``part``, so it
    can resume anywhere.
    """
    seed, key = _key(seed, purpose)
    index = check.whole(0, index=index)
    part = check.whole(0, part=part)
    return _generator(seed, key, index, part)


def _key(seed: int, purpose: Purpose) -> tuple[int, int]:
    """Return (seed, index of the purpose)."""
    check.whole(0, seed=seed)
    purposes = get_args(Purpose)
    check.choice(purposes, purpose=purpose)
    return seed, purposes.index(purpose)


def _generator(seed: int, key: int, index: int, part: int) -> np.random.Generator:
    """Return the random generator of validated numbers."""
    # numpy pads with zeros, so part 0 is the stream without a part. It is three times as fast with
    # an array as with a list, which only numbers beyond 32 bits need.
    words = [seed, key, index, part]
    entropy: list[int] | np.ndarray = words
    if max(words) < 2**32:
        entropy = np.array(words, np.uint32)
    return np.random.default_rng(np.random.SeedSequence(entropy))


def normal_steps(
    seed: int,
    purpose: Purpose,
    indices: Sequence[int] | np.ndarray,
    *,
    steps: int,
    shape: tuple[int, ...],
    dtype: type[np.floating],
    part: int = 0,
) -> Iterator[np.ndarray]:
    """Yield standard normal noise for each of ``steps`` steps.

    The noise of a step is an array (len(indices), *shape), whose row r continues the stream of
    ``indices[r]``, so that more steps or streams leave the earlier draws unchanged. Values are
    drawn in double precision and then rounded, so both precisions see the same noise.
    """
    key = _key(seed, purpose)  # validated once: a redraw opens hundreds of streams
    streams = tuple(check.wholes(low=0, indices=indices).tolist())
    part = check.whole(0, part=part)
    bytes_per_step = 8 * len(streams) * int(np.prod(shape))
    steps_per_block = max(1, min(steps, _BLOCK_BYTES // max(bytes_per_step, 1)))

    def blocks() -> Iterator[np.ndarray]:
        """Yield the noise in blocks of steps, (steps, len(indices), *shape), read-only."""
        generators = [_generator(*key, index, part) for index in streams]
        for first in range(0, steps, steps_per_block):
            count = min(steps_per_block, steps - first)
            noise = np.empty((count, len(streams), *shape), dtype)
            for place, generator in enumerate(generators):
                noise[:, place] = generator.standard_normal((count, *shape))
            noise.flags.writeable = False
            yield noise

    is_cached = steps_per_block == steps and steps * bytes_per_step <= _CACHED_BYTES
    if is_cached:
        cache_key = "normal steps", *key, streams, part, steps, shape, dtype
        yield from CACHE.answer(cache_key, lambda: next(blocks()), newest=64)
        return
    for noise in blocks():
        yield from noise
