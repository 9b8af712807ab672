"""References by citation key, from ``papers.toml``.

Docstrings and texts cite a paper by its key, such as ``[balle2018]``.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

PAPERS: Mapping[str, str] = tomllib.loads(
    Path(__file__).with_name("papers.toml").read_text("utf-8")
)

_KEY = re.compile(r"\[([a-z]+(?:19|20)\d\d)\](?!\()")
_AUTHOR = re.compile(r"(?:\w\.[ -]?)+ ?([^,.]+)(?:, |\. )")
_MOST_NAMED_AUTHORS = 3
# How an identifier is written in a reference, and its address.
_ADDRESSES = (
    (re.compile(r"arXiv:(\d{4}\.\d{4,5})"), r"https://arxiv.org/abs/\1"),
    (re.compile(r"doi:(10\.\S+\w)"), r"https://doi.org/\1"),
)


def short(key: str) -> str:
    """Return a short reference for running text; raise KeyError for an unknown key.

    >>> short("dong2022"), short("mironov2017"), short("abadi2016"), short("balle2018")
    ('Dong, Roth and Su 2022', 'Mironov 2017', 'Abadi et al. 2016', 'Balle and Wang 2018')
    """
    authors = _authors(PAPERS[key])
    year = key[-4:]
    if len(authors) > _MOST_NAMED_AUTHORS:
        return f"{authors[0]} et al. {year}"
    *others, last = authors
    if not others:
        return f"{last} {year}"
    return f"{', '.join(others)} and {last} {year}"


def _authors(reference: str) -> list[str]:
    """Return the last names with which a reference begins."""
    authors = []
    author = _AUTHOR.match(reference)
    while author:
        authors.append(author[1])
        author = _AUTHOR.match(reference, author.end())
    return authors


def cited(text: str) -> str:
    """Return Markdown ``text`` with its citation keys as links, and a list of the cited references
    at the end.

    Raises KeyError for an unknown key.
    """
    keys = dict.fromkeys(_KEY.findall(text))
    linked = _KEY.sub(lambda match: named(match[1]), text)
    if not keys:
        return linked
    sources = "\n".join(f"- {reference(key)}" for key in keys)
    return f"{linked}\n\n**Sources**\n\n{sources}"


def named(key: str) -> str:
    """Return a short reference, as a Markdown link if its address is known."""
    for pattern, template in _ADDRESSES:
        match = pattern.search(PAPERS[key])
        if match:
            return f"[{short(key)}]({match.expand(template)})"
    return short(key)


def reference(key: str) -> str:
    """Return the full reference as Markdown with a clickable address."""
    text = PAPERS[key]
    for pattern, template in _ADDRESSES:
        text = pattern.sub(rf"[\g<0>]({template})", text)
    return text
