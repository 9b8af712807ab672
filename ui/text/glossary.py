"""The glossary of ``glossary.toml`` with computed numbers, its search, and links to its terms."""

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl

from dpcore.accountants import account, gdp, tuning
from dpcore.mechanisms import Gaussian
from dpcore.privacy import Adjacency, Composed, GaussianRelease, PureRelease, for_group
from lab.experiment import accounting_tasks
from ui.text.texts import flowing

PAGE = "glossary"
# The parameter of an address that names a term.
TERM_PARAMETER = "term"


class Term(NamedTuple):
    """A term and its meaning.

    Attributes:
        name: The term.
        says: Its meaning (Markdown); names in braces are those of ``FIGURES``.
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


def _attacker_percent(epsilon: float) -> str:
    """Return the accuracy that a pure epsilon allows the best attacker, in percent."""
    release = PureRelease(epsilon=epsilon)
    guarantee = account(release, delta=1e-9, adjacency=Adjacency.REPLACE_ONE, accountant="basic")
    return f"{100 * guarantee.attacker_accuracy:.0f}"


def _group_epsilon(people: int) -> str:
    """Return epsilon of a group whose members each have epsilon 1."""
    guarantee = account(
        PureRelease(epsilon=1.0), delta=0.0, adjacency=Adjacency.ADD_REMOVE, accountant="basic"
    )
    return f"{for_group(guarantee, people=people).epsilon:g}"


def _noise_sd(calibration: Literal["analytic", "classical"]) -> str:
    """Return the standard deviation of Gaussian noise at epsilon 1 and delta 1e-5."""
    mechanism = Gaussian(sensitivity=1, epsilon=1, delta=1e-5, calibration=calibration)
    return f"{mechanism.sd:.2f}"


def _run_epsilon(accountant: str) -> str:
    """Return epsilon of 10,000 steps of DP-SGD, by an accountant."""
    run = Composed(event=accounting_tasks.step(0.01, 4.0), count=10_000)
    guarantee = account(run, delta=1e-5, adjacency=Adjacency.ADD_REMOVE, accountant=accountant)
    return f"{guarantee.epsilon:.3g}"


def _tries_epsilon(way: str) -> str:
    """Return epsilon of ten tries, each a Gaussian release at epsilon 1 and delta 1e-5."""
    release = GaussianRelease(noise_multiplier=1 / gdp.mu_of(1.0, delta=1e-5))
    guarantee = tuning.price(release, way=way, tries=10, delta=1e-5, adjacency=Adjacency.ADD_REMOVE)
    return f"{guarantee.epsilon:.3g}"


# Name in the texts -> function that computes the number.
FIGURES: Mapping[str, Callable[[], str]] = {
    "right_1": lambda: _attacker_percent(1),
    "right_3": lambda: _attacker_percent(3),
    "group_3": lambda: _group_epsilon(3),
    "exact_sd": lambda: _noise_sd("analytic"),
    "textbook_sd": lambda: _noise_sd("classical"),
    "run_basic": lambda: _run_epsilon("basic"),
    "run_advanced": lambda: _run_epsilon("advanced"),
    "run_renyi": lambda: _run_epsilon("renyi"),
    "all_10": lambda: _tries_epsilon("all"),
    "best_10": lambda: _tries_epsilon("logarithmic"),
}


@cache
def meaning(key: str) -> str:
    """Return the meaning of a term, with its numbers (Markdown)."""
    text = TERMS[key].says
    numbers = {}
    for name in re.findall(r"\{(\w+)\}", text):
        numbers[name] = FIGURES[name]()
    return text.format(**numbers)


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
