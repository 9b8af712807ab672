"""Random streams, each keyed by (seed, purpose, index): what one purpose draws never shifts another."""

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

import numpy as np

from dpcore import check
from dpcore.cache import CACHE

Purpose = Literal["noise", "data", "split", "audit", "start", "lots", "search"]

# A block of noise of this many bytes is drawn at once; it bounds the memory of a run of any length.
_BLOCK_BYTES = 8_000_000
# Less noise than this, in bytes of double precision, is kept: a drag asks for the same at each epsilon.
_KEPT_BYTES = 1_000_000


def stream(seed: int, purpose: Purpose, index: int = 0, part: int = 0) -> np.random.Generator:
    """The generator of one (seed, purpose, index, part); all but the purpose are whole numbers, at least 0.

    A seed may have any length; 128 bits of it are as many as numpy keeps apart.
    Long work that is done piece by piece keys each piece by its own ``part``, and so can be taken up anywhere.
    """
    return _generator(*_key(seed, purpose), check.whole(0, index=index), check.whole(0, part=part))


def _key(seed: int, purpose: Purpose) -> tuple[int, int]:
    check.whole(0, seed=seed)
    return seed, get_args(Purpose).index(check.choice(get_args(Purpose), purpose=purpose))


def _generator(seed: int, key: int, index: int, part: int) -> np.random.Generator:
    # numpy pads with zeros: part 0 is the stream without a part. It takes an array three times as quickly as a list,
    # which only numbers beyond 32 bits need.
    words = [seed, key, index, part]
    entropy = np.array(words, np.uint32) if max(words) < 2**32 else words
    return np.random.default_rng(np.random.SeedSequence(entropy))


def normal_steps(
    seed: int,
    purpose: Purpose,
    indices: Sequence[int],
    *,
    steps: int,
    shape: tuple[int, ...],
    dtype: type,
    part: int = 0,
) -> Iterator[np.ndarray]:
    """Standard normal noise step by step: yields ``steps`` arrays of shape (len(indices), *shape).

    Stream ``indices[r]`` fills row r and is drawn in step order, so that more steps or more rows leave the earlier
    draws as they are. Values are drawn in double precision and then rounded: both precisions see the same noise.
    """
    key = _key(seed, purpose)  # judged once: a redraw opens hundreds of streams
    rows = tuple(check.wholes(low=0, indices=indices).tolist())
    per_step = 8 * len(rows) * int(np.prod(shape))
    block = max(1, min(steps, _BLOCK_BYTES // max(per_step, 1)))
    question = "normal steps", *key, rows, check.whole(0, part=part), steps, shape, dtype

    def blocks() -> Iterator[np.ndarray]:
        generators = [_generator(*key, row, part) for row in rows]
        for first in range(0, steps, block):
            noise = np.empty((min(block, steps - first), len(rows), *shape), dtype)
            for row, generator in enumerate(generators):
                noise[:, row] = generator.standard_normal((len(noise), *shape))
            noise.flags.writeable = False
            yield noise

    little = block == steps and steps * per_step <= _KEPT_BYTES
    for noise in [CACHE.answer(question, lambda: next(blocks()), newest=64)] if little else blocks():
        yield from noise
