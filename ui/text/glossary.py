"""The glossary, read from ``glossary.toml``, with its figures computed; the search for terms, and
links to them.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl

from dpcore.accountants import account, gdp, tuning
from dpcore.mechanisms import Gaussian
from dpcore.privacy import Adjacency, Composed, GaussianRelease, PureRelease, for_group
from lab.experiment import accounting_tasks
from ui.text.texts import flowing

# Where it is, and the word of its address that names a term.
PAGE, TERM_PARAMETER = "glossary", "term"


class Term(NamedTuple):
    """A term and its meaning.

    says: sentences (markdown); names in braces are those of ``FIGURES``. paper: key of
        ``lab.papers``.
    page, settings, shows: where the lab shows it, and what is to be seen there. words: other names
    that texts use.
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


def _term(
    *, link: str, says: str, words: Iterable[str] = (), see: Iterable[str] = (), **read: str
) -> Term:
    page, _, query = link.partition("?")
    settings = dict(parse_qsl(query))
    return Term(
        says=flowing(says), page=page, settings=settings, words=tuple(words), see=tuple(see), **read
    )


_READ = tomllib.loads(Path(__file__).with_name("glossary.toml").read_text("utf-8"))
GROUPS: Mapping[str, Mapping[str, Term]] = {
    group: {key: _term(**read) for key, read in terms.items()} for group, terms in _READ.items()
}
TERMS: Mapping[str, Term] = {key: term for group in GROUPS.values() for key, term in group.items()}


def _right(epsilon: float) -> str:
    release = PureRelease(epsilon=epsilon)
    held = account(release, delta=1e-9, adjacency=Adjacency.REPLACE_ONE, accountant="basic")
    return f"{100 * held.attacker_accuracy:.0f}"


def _group(people: int) -> str:
    one = account(
        PureRelease(epsilon=1.0), delta=0.0, adjacency=Adjacency.ADD_REMOVE, accountant="basic"
    )
    return f"{for_group(one, people=people).epsilon:g}"


def _sd(calibration: Literal["analytic", "classical"]) -> str:
    return f"{Gaussian(sensitivity=1, epsilon=1, delta=1e-5, calibration=calibration).sd:.2f}"


def _run(accountant: str) -> str:
    run = Composed(event=accounting_tasks.step(0.01, 4.0), count=10_000)
    guarantee = account(run, delta=1e-5, adjacency=Adjacency.ADD_REMOVE, accountant=accountant)
    return f"{guarantee.epsilon:.3g}"


def _ten(way: str) -> str:
    """Return epsilon of ten tries, each a Gaussian release at epsilon 1 and delta 1e-5."""
    one = GaussianRelease(noise_multiplier=1 / gdp.mu_of(1.0, delta=1e-5))
    held = tuning.price(one, way=way, tries=10, delta=1e-5, adjacency=Adjacency.ADD_REMOVE)
    return f"{held.epsilon:.3g}"


# What a sentence says in numbers is computed.
FIGURES: Mapping[str, Callable[[], str]] = {
    "right_1": lambda: _right(1),
    "right_3": lambda: _right(3),
    "group_3": lambda: _group(3),
    "exact_sd": lambda: _sd("analytic"),
    "textbook_sd": lambda: _sd("classical"),
    "run_basic": lambda: _run("basic"),
    "run_advanced": lambda: _run("advanced"),
    "run_renyi": lambda: _run("renyi"),
    "all_10": lambda: _ten("all"),
    "best_10": lambda: _ten("logarithmic"),
}


@cache
def meaning(key: str) -> str:
    """Return what a term means, with its figures."""
    names = re.findall(r"\{(\w+)\}", TERMS[key].says)
    return TERMS[key].says.format(**{name: FIGURES[name]() for name in names})


def search(text: str) -> list[str]:
    """Return the keys of the terms in which these letters stand, those that are called so first."""
    wanted = text.casefold().split()
    named, told = [], []
    for key, term in TERMS.items():
        name = " ".join([key, term.name, *term.words]).casefold()
        if all(word in name for word in wanted):
            named.append(key)
        elif all(word in f"{name} {term.says}".casefold() for word in wanted):
            told.append(key)
    return named + told


# What is no plain text: formulas, code, links and citations, headings, tables' rules.
_APART = re.compile(
    r"(\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\[[^\]]*\](?:\([^)]*\))?|^#.*?$|^[-| ]+$)",
    re.DOTALL | re.MULTILINE,
)


@cache
def _wanted() -> tuple[re.Pattern[str], Mapping[str, str]]:
    keys: dict[str, str] = {}
    for key, term in TERMS.items():
        for word in (term.name.partition(" (")[0], *term.words):
            keys.setdefault(word.casefold(), key)
    longest = sorted(keys, key=len, reverse=True)
    return (
        re.compile(rf"(?<![\w/-])({'|'.join(map(re.escape, longest))})(?![\w/-])", re.IGNORECASE),
        keys,
    )


@cache
def link_terms(text: str) -> str:
    """Return markdown in which the first word for each term leads to the glossary."""
    pattern, keys = _wanted()
    done: set[str] = set()

    def link(match: re.Match[str]) -> str:
        key = keys[match[1].casefold()]
        if key in done:
            return match[1]
        done.add(key)
        return f"[{match[1]}]({PAGE}?{TERM_PARAMETER}={key})"

    parts = _APART.split(text)
    return "".join(
        part if place % 2 else pattern.sub(link, part) for place, part in enumerate(parts)
    )
