"""What the head of each page tells search engines and previews of links: title, description,
picture, address.

Search engines and chats need absolute addresses. The picture, the canonical address and the sitemap
are there only where the environment variable ``LAB_ADDRESS`` names the address that the lab is
served at.
"""

import html
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

NAME = "Epsilon Lab"
PICTURE = Path(__file__).parent / "static" / "preview.png"
PREVIEW, SITEMAP = "preview.png", "sitemap.xml"
# Pixels of the picture, as previews show it.
SIZE = (1200, 630)


class Head(NamedTuple):
    """What the head of a page holds.

    Attributes:
        title: Title in the navigation.
        question: Its heading.
        about: A phrase on what it is about.
        charts: Whether it begins with charts.
    """

    title: str
    question: str
    about: str
    charts: bool = True


def title(page: str) -> str:
    """Return the title of the browser's tab for a page's own title; "" is the home page."""
    if not page:
        return NAME
    return f"{page} | {NAME}"


def address(environment: Mapping[str, str]) -> str:
    """Return the address that the lab is served at, without a slash at its end; "" where none is
    named.

    Raises ValueError where it is not absolute.
    """
    named = environment.get("LAB_ADDRESS", "").strip().rstrip("/")
    parts = urlsplit(named)
    if named and not (parts.scheme in ("http", "https") and parts.hostname):
        raise ValueError(
            f"LAB_ADDRESS is {named!r}, but must be an absolute address, of http or https"
        )
    return named


def tags(page: str, head: Head, *, at: str) -> str:
    """Return the tags (HTML) for the page of this name; ``at``: where the lab is served, or ""."""
    about = f"{head.question} {head.about}."
    named = {
        "og:site_name": NAME,
        "og:type": "website",
        "og:title": title(head.title),
        "og:description": about,
    }
    links = ""
    if at:
        width, height = map(str, SIZE)
        named |= {"og:url": f"{at}/{page}", "og:image": f"{at}/{PREVIEW}"}
        named |= {
            "og:image:width": width,
            "og:image:height": height,
            "twitter:card": "summary_large_image",
        }
        links = f'<link rel="canonical" href="{html.escape(f"{at}/{page}")}">'
    metas = (
        f'<meta property="{name}" content="{html.escape(text)}">' for name, text in named.items()
    )
    described = f'<meta name="description" content="{html.escape(about)}">'
    return f"<title>{html.escape(title(head.title))}</title>{described}{links}{''.join(metas)}"


def sitemap(pages: Iterable[str], *, at: str) -> str:
    """Return the sitemap (XML) of these pages of a lab that is served at this address."""
    places = "".join(f"<url><loc>{html.escape(f'{at}/{page}')}</loc></url>" for page in pages)
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
