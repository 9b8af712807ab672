"""The papers that the lab began with, part by part, and what of them holds; from ``papers.md``."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import parse_qsl

from ui.text.texts import flowing, sections


class Part(NamedTuple):
    """An algorithm, a theorem, a table or a figure of a paper.

    Attributes:
        part: Its name in the paper.
        says: What it states (Markdown).
        holds: What of it holds (Markdown).
        page: The page that shows it; "" for none.
        settings: Settings of that page, as a link has them.
        tab: The tab that shows it; "" for the first screen.
    """

    part: str
    says: str
    holds: str
    page: str = ""
    settings: Mapping[str, str] = MappingProxyType({})
    tab: str = ""


def _read_parts(text: str) -> Iterator[Part]:
    """Yield the parts of a paper: two paragraphs each, and a third one with the link if any."""
    for name, body in sections(text):
        paragraphs = [flowing(paragraph) for paragraph in body.split("\n\n")]
        says, holds = paragraphs[:2]
        if len(paragraphs) == 2:
            yield Part(name, says, holds)
            continue
        tab, _, address = paragraphs[2].strip("[)").partition("](")
        page, _, query = address.partition("?")
        yield Part(name, says, holds, page, dict(parse_qsl(query)), tab.removeprefix("page"))


def _read_papers() -> dict[str, tuple[Part, ...]]:
    """Read ``papers.md``."""
    text = Path(__file__).with_name("papers.md").read_text("utf-8")
    return {key: tuple(_read_parts(parts)) for key, parts in sections(text, level=1)}


# Key of a paper -> its parts, in its own order.
WORKS: Mapping[str, tuple[Part, ...]] = _read_papers()
# Newer than the five that the lab began with.
BEYOND = frozenset({"fichtenberger2023"})
