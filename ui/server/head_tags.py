"""Make the tags in the head of a page, for search engines and for previews of links.

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
PREVIEW = "preview.png"
SITEMAP = "sitemap.xml"
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
    """Return the address that the lab is served at, without a slash at its end; "" if unknown.

    Raises:
        ValueError: It is not absolute.
    """
    value = environment.get("LAB_ADDRESS", "").strip().rstrip("/")
    if not value:
        return ""
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(
            f"LAB_ADDRESS is {value!r}, but must be an absolute address, of http or https"
        )
    return value


def tags(page: str, head: Head, *, at: str) -> str:
    """Return the tags (HTML) of a page.

    Args:
        page: The name of the page; "" for home.
        head: What its head says.
        at: The address that the lab is served at; "" if it is not known.
    """
    page_title = title(head.title)
    lines = f"<title>{html.escape(page_title)}</title>"
    url = ""
    picture = ""
    if at:
        url = f"{at}/{page}"
        picture = f"{at}/{PREVIEW}"
        lines += f'<link rel="canonical" href="{html.escape(url)}">'
    return lines + preview_tags(page_title, description(head), url=url, picture=picture)


def description(head: Head) -> str:
    """Return the sentence by which search engines and chats describe a page."""
    return f"{head.question} {head.about}."


def preview_tags(page_title: str, text: str, *, url: str, picture: str) -> str:
    """Return the tags (HTML) of a page's preview.

    Args:
        page_title: Its title.
        text: Its description.
        url: Its absolute address; "" if it is not known.
        picture: Address of the picture; "" for none.
    """
    properties = {
        "og:site_name": NAME,
        "og:type": "website",
        "og:title": page_title,
        "og:description": text,
    }
    if url:
        properties["og:url"] = url
    if picture:
        width, height = SIZE
        properties["og:image"] = picture
        properties["og:image:width"] = str(width)
        properties["og:image:height"] = str(height)
        properties["twitter:card"] = "summary_large_image"
    lines = f'<meta name="description" content="{html.escape(text)}">'
    for name, value in properties.items():
        lines += f'<meta property="{name}" content="{html.escape(value)}">'
    return lines


def sitemap(pages: Iterable[str], *, at: str) -> str:
    """Return the sitemap (XML) of pages of a lab that is served at this address."""
    urls = "".join(f"<url><loc>{html.escape(f'{at}/{page}')}</loc></url>" for page in pages)
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0"?><urlset xmlns="{namespace}">{urls}</urlset>'
