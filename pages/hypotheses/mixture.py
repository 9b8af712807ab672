"""Mixtures: shares of the sources that sum to 1, and their text in links."""

import math
from collections.abc import Sequence

from dpcore import check

# Shares are rounded to so many decimals.
_DECIMALS = 4
# A rounded share may be off by half a unit of its last decimal, and the sum by as much for each.
_ROUNDING_ERROR = 0.51 * 10**-_DECIMALS
# The sum of the shares in a link may differ from 1 by so much.
_TOLERANCE = 1e-2


def normalised(shares: Sequence[float]) -> tuple[float, ...]:
    """Scale shares to a sum of 1 and round them. Shares that are all 0 become even."""
    total = math.fsum(shares)
    rounded = _rounded(shares)
    # Rounded shares such as three thirds miss 1 a little. They must not change again, so that a
    # link gives back the settings that it was made of.
    if rounded == tuple(shares) and abs(total - 1) <= len(shares) * _ROUNDING_ERROR:
        return rounded
    if total > 0:
        return _rounded([share / total for share in shares])
    return _rounded([1 / len(shares)] * len(shares))


def _rounded(shares: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(share, _DECIMALS) for share in shares)


def mixture_text(shares: Sequence[float]) -> str:
    """Return shares as in a link, such as "0.6-0-0.4"."""
    texts = []
    for share in shares:
        text = f"{share:.{_DECIMALS}f}"
        texts.append(text.rstrip("0").rstrip("."))
    return "-".join(texts)


def parse_mixture(text: str, count: int) -> tuple[float, ...]:
    """Return the ``count`` shares of a text that ``mixture_text`` has written.

    Raises RefusedError for another text.
    """
    allowed = f"{count} shares that sum to 1, with a - between them"
    try:
        shares = tuple(float(part) for part in text.split("-"))
    except ValueError:
        raise check.RefusedError("mixture", text, allowed) from None
    in_range = all(0 <= share <= 1 for share in shares)
    if len(shares) != count or not in_range or abs(math.fsum(shares) - 1) > _TOLERANCE:
        raise check.RefusedError("mixture", text, allowed)
    return shares


def resized(shares: Sequence[float], count: int) -> tuple[float, ...]:
    """Return the shares of the first ``count`` sources, normalised. Further sources have none."""
    padded = (*shares, *[0.0] * count)
    return normalised(padded[:count])
