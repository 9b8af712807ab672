"""A mixture: shares that sum to 1, how one of them moves, and how a link writes them."""

import math

from dpcore import check

# A share is given to this many digits.
_DIGITS = 4


def given(shares: tuple[float, ...], place: int, value: float) -> tuple[float, ...]:
    """``shares`` with one of them set; the others share the rest in proportion, or evenly if they
    have nothing.
    """
    others = math.fsum(shares) - shares[place]
    if others > 0:
        new = [share * (1 - value) / others for share in shares]
    else:
        new = [(1 - value) / (len(shares) - 1)] * len(shares)
    new[place] = value
    return tuple(new)


def whole(shares: tuple[float, ...]) -> tuple[float, ...]:
    """Shares that sum to 1, in the digits of a link; nothing at all is taken for even shares."""
    total, rounded = math.fsum(shares), tuple(round(share, _DIGITS) for share in shares)
    # Three thirds in four digits miss 1: what a link has written comes back as it was.
    if rounded == tuple(shares) and abs(total - 1) <= len(shares) * 0.51 * 10**-_DIGITS:
        return rounded
    even = [1 / len(shares)] * len(shares)
    return tuple(
        round(share, _DIGITS) for share in ([s / total for s in shares] if total > 0 else even)
    )


def word(shares: tuple[float, ...]) -> str:
    return "-".join(f"{share:.{_DIGITS}f}".rstrip("0").rstrip(".") for share in shares)


def read(text: str, count: int) -> tuple[float, ...]:
    """The shares that ``word`` has written."""
    allowed = f"{count} shares that sum to 1, with a - between them"
    try:
        shares = tuple(float(part) for part in text.split("-"))
    except ValueError:
        raise check.RefusedError("mixture", text, allowed) from None
    if (
        len(shares) != count
        or not all(0 <= share <= 1 for share in shares)
        or abs(math.fsum(shares) - 1) > 1e-2
    ):
        raise check.RefusedError("mixture", text, allowed)
    return shares
