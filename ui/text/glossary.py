"""The glossary of ``glossary.toml``, its search, and links to its terms."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from ui.text.texts import flowing

PAGE = "glossary"
# The parameter of an address that names a term.
TERM_PARAMETER = "term"


class Term(NamedTuple):
    """A term and its meaning.

    Attributes:
        name: The term.
        says: Its meaning (Markdown).
        paper: Key of its paper in ``lab.papers``.
        page: The page that shows it.
        settings: Settings of that page, as a link has them.
        shows: What is to be seen there.
        words: Other names that texts use.
        see: Keys of related terms.
    """

    name: str
    says: str
    paper: str
    page: str
    settings: Mapping[str, str]
    shows: str
    words: tuple[str, ...]
    see: tuple[str, ...]


def _read_term(entry: Mapping[str, Any]) -> Term:
    """Return the term of a table of ``glossary.toml``."""
    page, _, query = entry["link"].partition("?")
    return Term(
        name=entry["name"],
        says=flowing(entry["says"]),
        paper=entry["paper"],
        page=page,
        settings=dict(parse_qsl(query)),
        shows=entry["shows"],
        words=tuple(entry.get("words", ())),
        see=tuple(entry.get("see", ())),
    )


def _read_groups() -> dict[str, dict[str, Term]]:
    """Read the terms by group and key."""
    text = Path(__file__).with_name("glossary.toml").read_text("utf-8")
    groups = {}
    for group, entries in tomllib.loads(text).items():
        groups[group] = {key: _read_term(entry) for key, entry in entries.items()}
    return groups


GROUPS: Mapping[str, Mapping[str, Term]] = _read_groups()
TERMS: Mapping[str, Term] = {key: term for group in GROUPS.values() for key, term in group.items()}


def search(text: str) -> list[str]:
    """Return the keys of the terms that contain all words of ``text``, matches in names first."""
    words = text.casefold().split()
    in_name = []
    in_meaning = []
    for key, term in TERMS.items():
        names = " ".join([key, term.name, *term.words]).casefold()
        names_and_meaning = f"{names} {term.says.casefold()}"
        if all(word in names for word in words):
            in_name.append(key)
        elif all(word in names_and_meaning for word in words):
            in_meaning.append(key)
    return in_name + in_meaning


# Markdown that is no plain text: formulas, code, links and citations, headings, rules of tables.
_NO_PLAIN_TEXT = re.compile(
    r"(\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\[[^\]]*\](?:\([^)]*\))?|^#.*?$|^[-| ]+$)",
    re.DOTALL | re.MULTILINE,
)


@cache
def _key_of_name() -> Mapping[str, str]:
    """Return name of a term, casefolded -> key."""
    keys: dict[str, str] = {}
    for key, term in TERMS.items():
        name_without_abbreviation, _, _ = term.name.partition(" (")
        for name in (name_without_abbreviation, *term.words):
            keys.setdefault(name.casefold(), key)
    return keys


@cache
def _name_pattern() -> re.Pattern[str]:
    """Return the pattern of all names of terms; of several that match, the longest one wins."""
    names = sorted(_key_of_name(), key=len, reverse=True)
    alternatives = "|".join(re.escape(name) for name in names)
    return re.compile(rf"(?<![\w/-])({alternatives})(?![\w/-])", re.IGNORECASE)


@cache
def link_terms(text: str) -> str:
    """Link the first mention of each term in a Markdown text to the glossary."""
    keys = _key_of_name()
    linked_keys: set[str] = set()

    def link(match: re.Match[str]) -> str:
        key = keys[match[1].casefold()]
        if key in linked_keys:
            return match[1]
        linked_keys.add(key)
        return f"[{match[1]}]({PAGE}?{TERM_PARAMETER}={key})"

    parts = _NO_PLAIN_TEXT.split(text)
    # The captured separators stand at the odd places.
    for index in range(0, len(parts), 2):
        parts[index] = _name_pattern().sub(link, parts[index])
    return "".join(parts)
