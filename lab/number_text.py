"""Numbers as text, with a true minus sign and without a negative zero."""


def with_minus(text: str) -> str:
    """Return a formatted number with a true minus sign, and zero without a sign.

    >>> with_minus("-2,000"), with_minus("-0.00"), with_minus("1e-5")
    ('−2,000', '0.00', '1e-5')
    """
    if not text.startswith("-"):
        return text
    size = text[1:]
    if float(size.replace(",", "")) == 0:
        return size
    return f"−{size}"
