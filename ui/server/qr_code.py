"""QR codes of links."""

import segno

# What a screen reader says in place of the picture.
QR_ALT = "QR code of the link"


def qr(link: str) -> str:
    """Return the QR code of a link (SVG), dark on white in light and dark."""
    svg = segno.make(link, error="l").svg_inline(
        scale=4, border=3, dark="#000", light="#fff", omitsize=False
    )
    return svg.replace("<svg ", f'<svg role="img" aria-label="{QR_ALT}" ', 1)
