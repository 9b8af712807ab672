"""References by citation key, of ``papers.toml``; docstrings and texts cite a paper by its key,
``[balle2018]``.
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
_PLACES = (
    (re.compile(r"arXiv:(\d{4}\.\d{4,5})"), r"https://arxiv.org/abs/\1"),
    (re.compile(r"doi:(10\.\S+\w)"), r"https://doi.org/\1"),
)


def short(key: str) -> str:
    """Return a short reference for running text; raise KeyError for an unknown key.

    >>> short("dong2022"), short("mironov2017"), short("abadi2016"), short("balle2018")
    ('Dong, Roth and Su 2022', 'Mironov 2017', 'Abadi et al. 2016', 'Balle and Wang 2018')
    """
    people, at = [], 0
    while found := _AUTHOR.match(PAPERS[key], at):
        people.append(found[1])
        at = found.end()
    if len(people) > 3:
        people = [f"{people[0]} et al."]
    return f"{' and '.join(filter(None, (', '.join(people[:-1]), people[-1])))} {key[-4:]}"


def cited(text: str) -> str:
    """Return Markdown ``text`` with its citation keys as links, and a list of the cited references
    at the end.

    Raises KeyError for an unknown key.
    """
    keys = dict.fromkeys(_KEY.findall(text))
    sources = "\n".join(f"- {reference(key)}" for key in keys)
    return _KEY.sub(lambda found: named(found[1]), text) + (
        f"\n\n**Sources**\n\n{sources}" if keys else ""
    )


def named(key: str) -> str:
    """Return a short reference, as a Markdown link if its address is known."""
    place = next(
        (found.expand(form) for where, form in _PLACES if (found := where.search(PAPERS[key]))), ""
    )
    return f"[{short(key)}]({place})" if place else short(key)


def reference(key: str) -> str:
    """Return the full reference as Markdown with a clickable address."""
    found = PAPERS[key]
    for where, form in _PLACES:
        found = where.sub(rf"[\g<0>]({form})", found)
    return found
