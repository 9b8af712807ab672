"""Open every page with links that nobody would write: ``python -m scripts.fuzz_links --count 3000``.

A link goes the way of a real one: it is read, the settings that come of it say what there is to do, and their own link
must bring back the same settings. What is wrong with a link is printed with the link; so is a count for each page.
"""

import argparse
import logging
import math
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields

from dpcore.check import RefusedError
from lab.links import UNFORESEEN
from pages import table
from ui.controls import from_link

PAGES = {page.name: page.settings for page in table.PAGES}
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
    *("0,3", "2,75", "1,000", "1,000,000", "1.000,5", ",5", "5,", "1_000", "\uff15", "\u0665", "\u22121", "+1", "--1"),
    *("9" * 5000, "0." + "9" * 5000, "1e5", "1E5", "0x10", "0b1", "1j", "True", "False", "None", "null", "[]", "{}"),
    *("abc", "\x00", "\u202e", "\U0001f600", "'; DROP", "<script>", "![x](http://evil.test/x)", "%s%n", "../../etc"),
)


def links(settings_type: type, *, count: int, seed: int) -> Iterator[dict[str, str]]:
    """``count`` links to the page of these settings: one to six of its fields, good, at an end, or hostile."""
    rng, start = random.Random(f"{settings_type.__name__} {seed}"), settings_type()
    names = [one.name for one in fields(settings_type)] + ["unknown"]
    options = {name: _options(start, name) for name in names}
    for _ in range(count):
        chosen = rng.sample(names, rng.randint(1, min(6, len(names))))
        yield {name: _value(rng, start.limits.get(name), options[name]) for name in chosen}


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
        if all(getattr(settings, name, "") != "own" for name in ("dataset", "data")):  # a page asks for a file
            settings.tasks()
        own = asdict(settings)
        again, more = from_link(settings_type, {name: str(value) for name, value in own.items()})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    other = [name for name, value in asdict(again).items() if value != own[name]]
    return f"does not come back as itself: {other} {more}" if other or more else ""


def main() -> int:
    """Print each fault, and the counts; 1 if there was any fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=3000, help="links a page")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--page", choices=PAGES, help="one page only")
    asked = parser.parse_args()
    logging.disable()  # a fault is printed here, with its link
    total = 0
    for page in [asked.page] if asked.page else PAGES:
        found = 0
        for link in links(PAGES[page], count=asked.count, seed=asked.seed):
            if wrong := fault(PAGES[page], link):
                found += 1
                print(f"{page}: {wrong[:200]} {str(link)[:300]}")
        total += found
        print(f"{page}: {asked.count} links, {found} faults", flush=True)
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
