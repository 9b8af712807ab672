"""The papers that the lab began with: what each says, part by part, and what holds, read from
``works.md``.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import parse_qsl

from ui.text.texts import flowing, sections


class Part(NamedTuple):
    """An algorithm, a theorem, a table or a figure of a paper.

    says, holds: markdown. page, settings: the link to the lab, "" without one; tab: the name of the
    tab that shows it, "" for the first screen.
    """

    part: str
    says: str
    holds: str
    page: str = ""
    settings: Mapping[str, str] = MappingProxyType({})
    tab: str = ""


def _parts(text: str) -> Iterator[Part]:
    for name, body in sections(text):
        says, holds, *link = map(flowing, body.split("\n\n"))
        if not link:
            yield Part(name, says, holds)
            continue
        tab, _, address = link[0].strip("[)").partition("](")
        page, _, query = address.partition("?")
        yield Part(name, says, holds, page, dict(parse_qsl(query)), tab.removeprefix("page"))


# Key of a paper -> its parts, in its own order.
WORKS: Mapping[str, tuple[Part, ...]] = {
    key: tuple(_parts(text))
    for key, text in sections(Path(__file__).with_name("papers.md").read_text("utf-8"), level=1)
}
# Newer than the five that the lab began with.
BEYOND = frozenset({"fichtenberger2023"})
