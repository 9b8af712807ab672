"""Independent random streams keyed by (seed, purpose, index); draws for one purpose never affect
another.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

import numpy as np

from dpcore import check
from dpcore.cache import CACHE

Purpose = Literal["noise", "data", "split", "audit", "start", "lots", "search"]

# Noise is drawn in blocks of this many bytes, which bounds the memory of a run of any length.
_BLOCK_BYTES = 8_000_000
# Noise of fewer bytes (in double precision) is cached, because dragging epsilon requests the same
# draws again.
_KEPT_BYTES = 1_000_000


def stream(seed: int, purpose: Purpose, index: int = 0, part: int = 0) -> np.random.Generator:
    """Return the random generator of (seed, purpose, index, part); all but the purpose are whole
    numbers >= 0.

    A seed may have any length, but numpy distinguishes only 128 bits of it. Long work in chunks
    gives each chunk its own ``part``, so it can resume anywhere.
    """
    return _generator(*_key(seed, purpose), check.whole(0, index=index), check.whole(0, part=part))


def _key(seed: int, purpose: Purpose) -> tuple[int, int]:
    check.whole(0, seed=seed)
    return seed, get_args(Purpose).index(check.choice(get_args(Purpose), purpose=purpose))


def _generator(seed: int, key: int, index: int, part: int) -> np.random.Generator:
    # numpy pads with zeros, so part 0 is the stream without a part. It is three times as fast with
    # an array as with a list, which only numbers beyond 32 bits need.
    words = [seed, key, index, part]
    entropy = np.array(words, np.uint32) if max(words) < 2**32 else words
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
    """Yield standard normal noise for each of ``steps`` steps, as arrays of shape (len(indices),
    *shape).

    Stream ``indices[r]`` fills row r in step order, so adding steps or rows leaves the earlier
    draws unchanged. Values are drawn in double precision and then rounded, so both precisions see
    the same noise.
    """
    key = _key(seed, purpose)  # validated once: a redraw opens hundreds of streams
    rows = tuple(check.wholes(low=0, indices=indices).tolist())
    per_step = 8 * len(rows) * int(np.prod(shape))
    block = max(1, min(steps, _BLOCK_BYTES // max(per_step, 1)))
    cache_key = "normal steps", *key, rows, check.whole(0, part=part), steps, shape, dtype

    def blocks() -> Iterator[np.ndarray]:
        generators = [_generator(*key, row, part) for row in rows]
        for first in range(0, steps, block):
            noise = np.empty((min(block, steps - first), len(rows), *shape), dtype)
            for row, generator in enumerate(generators):
                noise[:, row] = generator.standard_normal((len(noise), *shape))
            noise.flags.writeable = False
            yield noise

    little = block == steps and steps * per_step <= _KEPT_BYTES
    for noise in (
        [CACHE.answer(cache_key, lambda: next(blocks()), newest=64)] if little else blocks()
    ):
        yield from noise
