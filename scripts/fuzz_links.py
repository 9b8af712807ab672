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
SLOWEST = 120  # seconds that a page may take to be drawn
PAGES = {page.name: page.settings for page in topics.PAGES}
HOSTILE = (
    *(
        "",
        " ",
        " 5 ",
        "5\n",
        "\u00a05",
        "nan",
        "inf",
        "-inf",
        "Infinity",
        "1e999",
        "-1e999",
        "1e-999",
        "-0.0",
        "-0",
        "0",
    ),
    *(
        "0,3",
        "2,75",
        "1,000",
        "1,000,000",
        "1.000,5",
        ",5",
        "5,",
        "1_000",
        "\uff15",
        "\u0665",
        "\u22121",
        "+1",
        "--1",
    ),
    *(
        "9" * 5000,
        "0." + "9" * 5000,
        "1e5",
        "1E5",
        "0x10",
        "0b1",
        "1j",
        "True",
        "False",
        "None",
        "null",
        "[]",
        "{}",
    ),
    *(
        "abc",
        "\x00",
        "\u202e",
        "\U0001f600",
        "'; DROP",
        "<script>",
        "![x](http://evil.test/x)",
        "%s%n",
        "../../etc",
    ),
)


def links(settings_type: type, *, count: int, seed: int) -> Iterator[dict[str, str]]:
    """``count`` links to the page of these settings: one to six of its fields, good, at an end, or
    hostile; half of them name a version, which may be none.
    """
    rng, start = random.Random(f"{settings_type.__name__} {seed}"), settings_type()
    versions = random.Random(f"{settings_type.__name__} {seed} version")
    named = [str(version) for version in range(VERSION - 1, VERSION + 2)]
    names = [one.name for one in fields(settings_type)] + ["unknown"]
    options = {name: _options(start, name) for name in names}
    for _ in range(count):
        chosen = rng.sample(names, rng.randint(1, min(6, len(names))))
        link = {name: _value(rng, start.limits.get(name), options[name]) for name in chosen}
        yield link | (
            {VERSION_NAME: versions.choice([*named, *HOSTILE])} if versions.random() < 0.5 else {}
        )


def _options(start: object, name: str) -> list[str]:
    """What a field that is a choice may be: its refusal says so."""
    try:
        start.change(**{name: "?"})
    except RefusedError as refusal:
        _, _, listed = refusal.allowed.partition("one of: ")
        return listed.split(", ") if listed else []
    except Exception:  # the links will show it
        return []
    return []


def _value(rng: random.Random, limits: tuple[float, float] | None, options: list[str]) -> str:
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
    return str(number).replace(".", "," if rng.random() < 0.05 else ".")


def fault(settings_type: type, link: Mapping[str, str]) -> str:
    """What is wrong with the way this link is taken; nothing if nothing is."""
    try:
        settings, notices = from_link(settings_type, link)
        if any(UNFORESEEN in one for one in notices):
            return "a value met a fault"
        if getattr(settings, "dataset", "") != "own":  # a page asks for a file
            settings.experiment.tasks()
        own = asdict(settings)
        again, more = from_link(settings_type, {name: str(value) for name, value in own.items()})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    other = [name for name, value in asdict(again).items() if value != own[name]]
    return f"does not come back as itself: {other} {more}" if other or more else ""


def end_links(settings_type: type) -> Iterator[dict[str, str]]:
    """Yield a link for each end of the range of each field, and for each value of a field that is a
    choice.

    A page about several topics, or of several parts, is tried with each of them.
    """
    start = settings_type()
    leading = [field.name for field in fields(settings_type) if field.name in LEADING]
    heads: list[dict[str, str]] = [{}]
    for name in leading:
        heads += [{name: value} for value in _options(start, name)]
    for head in heads:
        at_head = start.change(**head)
        for field in fields(settings_type):
            if field.name in leading:
                continue
            for value in [*at_head.limits.get(field.name, ()), *_options(at_head, field.name)]:
                yield {**head, field.name: str(value)}


def drawing_fault(page: str, link: Mapping[str, str]) -> str:
    """Draw the page at this link, and return the fault that it meets; nothing if there is none."""
    app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=SLOWEST)
    app._page_hash = calc_hash(page)  # AppTest.switch_page knows only pages that are files
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
    """Print the faults of a page, and return how many there are. draw: it is drawn for one link in
    so many.
    """
    faults = 0
    drawn = 0
    for link in end_links(PAGES[page]):
        drawn += 1
        faults += _print_fault(page, link, fault(PAGES[page], link) or drawing_fault(page, link))
    for number, link in enumerate(links(PAGES[page], count=count, seed=seed)):
        found = fault(PAGES[page], link)
        if not found and number % draw == 0:
            drawn += 1
            found = drawing_fault(page, link)
        faults += _print_fault(page, link, found)
    print(f"{page}: {count} links, {drawn} drawn, {faults} faults", flush=True)
    return faults


def _print_fault(page: str, link: Mapping[str, str], found: str) -> bool:
    if found:
        print(f"{page}: {found[:200]} {str(link)[:300]}", flush=True)
    return bool(found)


def main() -> int:
    """Print each fault, and the counts; 1 if there was any fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=3000, help="links a page")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--draw", type=int, default=50, help="the page is drawn for one link in so many"
    )
    parser.add_argument("--page", choices=PAGES, help="one page only")
    asked = parser.parse_args()
    logging.disable()  # a fault is printed here, with its link
    pages = [asked.page] if asked.page else PAGES
    total = sum(
        check_page(page, count=asked.count, seed=asked.seed, draw=asked.draw) for page in pages
    )
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
