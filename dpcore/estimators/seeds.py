"""Where an estimator's noise comes from, and what its guarantee then rests on."""

import secrets
from typing import Any

from sklearn.utils import check_random_state

from dpcore import check
from dpcore.cache import Secret

KNOWN_SEED = "random_state stays secret: who knows it can compute the noise and subtract it"


def noise_seed(random_state: Any) -> Secret:
    """128 bits to key the noise with: fresh ones of the operating system for None, else drawn from ``random_state``.

    It is a ``Secret``, so that neither it nor its noise stays in the memory of the process. None never asks numpy's
    global generator, which one line elsewhere can fix. Raises RefusedError for what seeds nothing.
    """
    if random_state is None:
        return Secret(secrets.randbits(128))
    allowed = "None, a whole number from 0 to 2^32 - 1, or a numpy RandomState"
    if isinstance(random_state, bool):
        raise check.RefusedError("random_state", random_state, allowed)
    try:
        generator = check_random_state(random_state)
    except ValueError:
        raise check.RefusedError("random_state", random_state, allowed) from None
    return Secret.from_bytes(generator.bytes(16), "little")


def assumed(random_state: Any) -> tuple[str, ...]:
    """What a guarantee rests on for noise of this seed."""
    return () if random_state is None else (KNOWN_SEED,)
