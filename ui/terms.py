"""The terms of the field, read from ``terms.toml``: what each means, and where the lab shows it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from ui.texts import flowing


class Term(NamedTuple):
    """A term and its meaning.

    says: sentences (markdown); names in braces are those of ``ui.glossary.FIGURES``. paper: key of ``lab.papers``.
    page, settings, shows: where the lab shows it, and what is to be seen there. words: other names that texts use.
    see: keys of related terms.
    """

    name: str
    says: str
    paper: str
    page: str
    settings: Mapping[str, str]
    shows: str
    words: tuple[str, ...]
    see: tuple[str, ...]


def _term(read: Mapping[str, Any]) -> Term:
    page, _, query = read["link"].partition("?")
    return Term(
        name=read["name"],
        says=flowing(read["says"]),
        paper=read["paper"],
        page=page,
        settings=dict(parse_qsl(query)),
        shows=read["shows"],
        words=tuple(read.get("words", ())),
        see=tuple(read.get("see", ())),
    )


_READ = tomllib.loads(Path(__file__).with_name("terms.toml").read_text("utf-8"))
GROUPS: Mapping[str, Mapping[str, Term]] = {
    group: {key: _term(read) for key, read in terms.items()} for group, terms in _READ.items()
}
TERMS: Mapping[str, Term] = {key: term for group in GROUPS.values() for key, term in group.items()}
