"""Open every page with malformed and random links.

    python -m scripts.fuzz_links --count 3000

Each link is read, its settings list their tasks, and the link of these settings must lead back to
the same settings. The page is drawn for one link in fifty, for both ends of the range of each
field, and for each of its choices. A fault is printed with its link, and the last lines count the
links of each page.
"""

import argparse
import logging
import math
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dpcore.check import RefusedError
from lab.experiment.links import UNFORESEEN, VERSION, VERSION_NAME
from pages import topics
from ui.session.page_state import from_link

ROOT = Path(__file__).parents[1]
# Fields that decide what the others mean.
LEADING = ("topic", "part")
# Seconds that a page may take to be drawn.
DRAWING_SECONDS = 120
MOST_FIELDS = 6
PAGES = {page.name: page.settings for page in topics.PAGES}
BLANK_AND_SPACED = ("", " ", " 5 ", "5\n", "\u00a05")
NOT_FINITE = ("nan", "inf", "-inf", "Infinity", "1e999", "-1e999", "1e-999")
ZEROS = ("-0.0", "-0", "0")
SEPARATED = ("0,3", "2,75", "1,000", "1,000,000", "1.000,5", ",5", "5,", "1_000")
OTHER_DIGITS_AND_SIGNS = ("\uff15", "\u0665", "\u22121", "+1", "--1")
LONG = ("9" * 5000, "0." + "9" * 5000)
OTHER_NOTATIONS = ("1e5", "1E5", "0x10", "0b1", "1j")
LITERALS = ("True", "False", "None", "null", "[]", "{}")
TEXTS = (
    "abc",
    "\x00",
    "\u202e",
    "\U0001f600",
    "'; DROP",
    "<script>",
    "![x](http://evil.test/x)",
    "%s%n",
    "../../etc",
)
HOSTILE = (
    *BLANK_AND_SPACED,
    *NOT_FINITE,
    *ZEROS,
    *SEPARATED,
    *OTHER_DIGITS_AND_SIGNS,
    *LONG,
    *OTHER_NOTATIONS,
    *LITERALS,
    *TEXTS,
)

# Field -> its text in a link.
Link = dict[str, str]


def links(settings_type: type, *, count: int, seed: int) -> Iterator[Link]:
    """Yield links to the page of these settings, of which half name a version.

    Each has one to six fields, whose values are good, at an end, or hostile. The version may be one
    that does not exist.
    """
    name_of_stream = f"{settings_type.__name__} {seed}"
    rng = random.Random(name_of_stream)
    version_rng = random.Random(f"{name_of_stream} version")
    versions = [str(VERSION - 1), str(VERSION), str(VERSION + 1), *HOSTILE]
    start = settings_type()
    names = [field.name for field in fields(settings_type)]
    names.append("unknown")
    options = {name: _options(start, name) for name in names}
    for _ in range(count):
        link = {}
        for name in rng.sample(names, rng.randint(1, min(MOST_FIELDS, len(names)))):
            link[name] = _random_value(rng, start.limits.get(name), options[name])
        if version_rng.random() < 0.5:
            link[VERSION_NAME] = version_rng.choice(versions)
        yield link


def _options(settings: object, name: str) -> list[str]:
    """Return the values of a field that is a choice, which its refusal lists, or nothing."""
    try:
        settings.change(**{name: "?"})
    except RefusedError as refusal:
        _, _, listed = refusal.allowed.partition("one of: ")
        if listed:
            return listed.split(", ")
    except Exception:
        # The links will show the fault.
        return []
    return []


def _random_value(
    rng: random.Random, limits: tuple[float, float] | None, options: list[str]
) -> str:
    """Return a value of a field as text.

    Args:
        rng: Of the link.
        limits: Range of the field, if it is a number.
        options: Its values, if it is a choice.
    """
    kind = rng.random()
    if kind < 0.25:
        return rng.choice(HOSTILE)
    if options:
        return rng.choice(options)
    low, high = limits or (-10, 10)
    number = rng.choice([low, high, rng.uniform(low, high), rng.triangular(low, high, low)])
    if low > 0 and rng.random() < 0.3:
        number = math.exp(rng.uniform(math.log(low), math.log(high)))
    if kind > 0.9:
        number = rng.choice([low - 1, high + 1, -number, number * 1e6])
    if isinstance(low, int) and rng.random() < 0.9:
        number = round(number)
    text = str(number)
    if rng.random() < 0.05:
        text = text.replace(".", ",")
    return text


def fault(settings_type: type, link: Mapping[str, str]) -> str:
    """Return what is wrong with how a link is read, or "" if nothing is."""
    try:
        settings, notices = from_link(settings_type, link)
        if any(UNFORESEEN in notice for notice in notices):
            return "a value met a fault"
        # With a visitor's own rows the page asks for a file.
        if getattr(settings, "dataset", "") != "own":
            settings.experiment.tasks()
        values = asdict(settings)
        own_link = {name: str(value) for name, value in values.items()}
        settings_again, notices_again = from_link(settings_type, own_link)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    values_again = asdict(settings_again)
    changed = [name for name in values if values_again[name] != values[name]]
    if changed or notices_again:
        return f"does not come back as itself: {changed} {notices_again}"
    return ""


def end_links(settings_type: type) -> Iterator[Link]:
    """Yield a link for each end of the range of each field, and for each of its choices.

    A page about several topics, or of several parts, is tried with each of them.
    """
    start = settings_type()
    names = [field.name for field in fields(settings_type)]
    heads: list[Link] = [{}]
    for name in names:
        if name in LEADING:
            heads += [{name: value} for value in _options(start, name)]
    for head in heads:
        settings = start.change(**head)
        for name in names:
            if name in LEADING:
                continue
            for value in [*settings.limits.get(name, ()), *_options(settings, name)]:
                yield {**head, name: str(value)}


def drawing_fault(page: str, link: Mapping[str, str]) -> str:
    """Draw the page at this link, and return the fault that it meets, or ""."""
    app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=DRAWING_SECONDS)
    # AppTest.switch_page knows only pages that are files.
    app._page_hash = calc_hash(page)
    for name, value in link.items():
        app.query_params[name] = value
    try:
        app.run()
    except Exception as error:
        return f"cannot be drawn: {type(error).__name__}: {error}"
    if app.exception:
        return f"cannot be drawn: {app.exception[0].value}"
    return ""


def check_page(page: str, *, count: int, seed: int, draw: int) -> int:
    """Print the faults of a page, and return how many there are.

    Args:
        page: Its name.
        count: Number of random links.
        seed: Of the links.
        draw: Draw the page for one random link in this many.
    """
    settings_type = PAGES[page]
    faults = 0
    drawn = 0
    for link in end_links(settings_type):
        drawn += 1
        found = fault(settings_type, link) or drawing_fault(page, link)
        faults += _print_fault(page, link, found)
    for number, link in enumerate(links(settings_type, count=count, seed=seed)):
        found = fault(settings_type, link)
        if not found and number % draw == 0:
            drawn += 1
            found = drawing_fault(page, link)
        faults += _print_fault(page, link, found)
    print(f"{page}: {count} links, {drawn} drawn, {faults} faults", flush=True)
    return faults


def _print_fault(page: str, link: Mapping[str, str], found: str) -> int:
    """Print a fault if there is one, and return the number of faults, 0 or 1."""
    if not found:
        return 0
    print(f"{page}: {found[:200]} {str(link)[:300]}", flush=True)
    return 1


def main() -> int:
    """Print the faults and their number, and return 1 if there was any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=3000, help="links a page")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--draw", type=int, default=50, help="the page is drawn for one link in so many"
    )
    parser.add_argument("--page", choices=PAGES, help="one page only")
    options = parser.parse_args()
    # A fault is printed here, with its link.
    logging.disable()
    pages = list(PAGES)
    if options.page is not None:
        pages = [options.page]
    total = 0
    for page in pages:
        total += check_page(page, count=options.count, seed=options.seed, draw=options.draw)
    if total > 0:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
