"""Format numbers for readers: digits, thousands, true minus signs, percent and ticks of axes."""

import math

from dpcore.privacy import delta_rounded_up
from lab.number_text import with_minus

# Ticks that are powers of ten beyond these decades are written as powers.
_PLAIN_DECADES = 4


def format_number(value: float, *, digits: int = 6) -> str:
    """Format a number with some significant digits, as one writes it: 1e-5 for Python's 1e-05.

    >>> format_number(0.00001), format_number(2.345e-11, digits=2), format_number(0.0001)
    ('1e-5', '2.3e-11', '0.0001')
    >>> format_number(-0.0), format_number(1e9), format_number(-2.5)
    ('0', '1e+9', '−2.5')
    """
    text = f"{value:.{digits}g}"
    text = text.replace("e-0", "e-").replace("e+0", "e+")
    return with_minus(text)


def delta(value: float, *, digits: int = 6) -> str:
    """Format a delta rounded up, because a guarantee does not hold at a smaller one.

    >>> delta(1e-5), delta(0.00010221, digits=3), delta(0)
    ('1e-5', '0.000103', '0')
    """
    return format_number(delta_rounded_up(value, digits=digits), digits=digits)


def number(value: float, *, most: float = 1e9) -> str:
    """Format three significant digits: 0.5, 4.54, −1,880, and 1.39e+65 from ``most`` on.

    Infinite numbers are "unlimited" and "none".
    """
    if not math.isfinite(value):
        if value > 0:
            return "unlimited"
        return "none"
    rounded = float(f"{value:.3g}")
    if 1000 <= abs(rounded) < most:
        return with_minus(f"{rounded:,.0f}")
    return format_number(rounded, digits=3)


def percent(share: float) -> str:
    """Format a share in percent, with a decimal where a whole number would say "all"."""
    # From the upper end on, one decimal would say "all" too.
    if 0.99 < share < 0.9995:
        return f"{100 * share:.1f}\u00a0%"
    return f"{100 * share:.0f}\u00a0%"


def tick_text(value: float) -> str:
    """Format the tick of an axis; large and small powers of ten are written as powers.

    >>> tick_text(0.01), tick_text(5000), tick_text(1e-5)
    ('0.01', '5,000', '10<sup>-5</sup>')
    """
    if value > 0:
        power = math.log10(value)
        if abs(power) > _PLAIN_DECADES and power == round(power):
            return f"10<sup>{power:.0f}</sup>"
    return with_minus(f"{value:,.10g}".replace("e-0", "e-"))
