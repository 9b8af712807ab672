"""Noise seeds of the estimators, and the assumption that a fixed seed adds to a guarantee."""

import secrets
from typing import Any

from sklearn.utils import check_random_state

from dpcore import check
from dpcore.cache import Secret

KNOWN_SEED = "random_state stays secret: who knows it can compute the noise and subtract it"


def noise_seed(random_state: Any) -> Secret:
    """Return a 128-bit noise seed: from the operating system if ``random_state`` is None, else
    derived from it.

    It is a ``Secret``, so that neither the seed nor its noise is cached. None never uses numpy's
    global generator, which any other code can seed. Raises RefusedError for that one, and for a
    value that cannot seed a generator.
    """
    if random_state is None:
        return Secret(secrets.randbits(128))
    allowed = "None, a whole number from 0 to 2^32 - 1, or a numpy RandomState"
    if isinstance(random_state, bool):
        raise check.RefusedError("random_state", random_state, allowed)
    try:
        generator = check_random_state(random_state)
    except (ValueError, OverflowError):
        raise check.RefusedError("random_state", random_state, allowed) from None
    if generator is check_random_state(None):
        raise check.RefusedError("random_state", random_state, f"{allowed}, but not the global one")
    return Secret.from_bytes(generator.bytes(16), "little")


def assumed(random_state: Any) -> tuple[str, ...]:
    """Return the assumption behind a guarantee whose noise uses this ``random_state``."""
    return () if random_state is None else (KNOWN_SEED,)
