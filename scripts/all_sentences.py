"""Print every sentence of every page into one text file, for an editor.

    python -m scripts.all_sentences sentences.md              # 50 settings a page, seeded
    python -m scripts.all_sentences some.md --settings 5 --only classifier

Each page is computed at its defaults and at random settings, kept small. What differs only in its
numbers is printed once, with the first link that says it. Fixed texts (help, glossary, lessons,
papers) follow, by file.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from dpcore.check import RefusedError
from lab.experiment.links import minimal_texts
from lab.experiment.settings import Settings
from pages.topics import PAGES
from scripts.snapshot import MOST
from scripts.visible_texts import file_texts
from ui.page.page import Page
from ui.text.sliders import SLIDERS

# What needs a file.
_ELSEWHERE = {"own"}
_BREAK, _MARK = re.compile(r"<(?:br|/p|/li|/tr|/div)[^>]*>"), re.compile(r"<[^<>]*>")
_NUMBERS = re.compile(r"[\d.,]*\d(?:e-?\d+)?")


def at_random(page: Page, random: np.random.Generator) -> Settings:
    """Return settings of the page drawn at random: each choice, then each number within small
    limits.
    """
    settings = page.settings()
    for name, options in settings.choices.items():
        known = [one for one in options if one not in _ELSEWHERE]
        with suppress(RefusedError):
            settings = settings.change(**{name: known[random.integers(len(known))]})
    for name, (low, high) in settings.limits.items():
        high = min(high, max(low, MOST.get(name, high)))
        even, share = random.random(2) < (0.5, 1), random.random()
        value = (
            low * (high / low) ** share if low > 0 and not even[0] else low + (high - low) * share
        )
        with suppress(RefusedError):
            settings = settings.change(
                **{name: round(value) if isinstance(low, int) else float(f"{value:.3g}")}
            )
    return settings


def said(page: Page, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield (where, text) of all that the page says of these settings."""
    here = page.at(settings)
    view = here.view(settings.experiment.run())
    for tile in view.tiles:
        yield "tiles", f"{tile.label}: {tile.value} ({tile.note})"
    for name in view.texts:
        yield name, view.texts[name]
    for board in view.boards:
        for picture in view.charts(board).values():
            title = picture.figure["layout"].get("title") or {}
            yield f"chart {picture.name}, title", str(title.get("text", ""))
            yield f"chart {picture.name}, in words", picture.alt
            yield f"chart {picture.name}, help", picture.about


def lines(text: str) -> Iterator[str]:
    """Yield the paragraphs of HTML or Markdown without its marks."""
    for line in _MARK.sub("", _BREAK.sub("\n", text)).split("\n"):
        if plain := " ".join(line.split()):
            yield plain


def of_page(page: Page, count: int) -> Iterator[str]:
    """Yield the lines of the file about one page."""
    random, found = np.random.default_rng(sum(page.name.encode())), {}
    for number in range(count):
        settings = at_random(page, random) if number else page.settings()
        link = urlencode(minimal_texts(settings)) if number else "the defaults"
        for where, text in said(page, settings):
            for line in lines(text):
                found.setdefault(where, {}).setdefault(_NUMBERS.sub("0", line), (line, link))
        print(f"{page.name}: {number + 1} of {count}", end="\r", file=sys.stderr, flush=True)
    yield f"# {page.title} ({page.name})\n\n{page.question}\n\n{page.about}\n"
    for where, texts in found.items():
        yield f"## {where}\n"
        yield from (f"- {line}  ({link})" for line, link in texts.values())
        yield ""


def fixed() -> Iterator[str]:
    """Yield what does not depend on a result."""
    yield "# Sliders\n"
    yield from (f"- **{slider['label']}** {slider.get('help', '')}" for slider in _sliders(SLIDERS))
    for folder in ("pages", "ui"):
        for where, text in (file_texts(folder) | file_texts(folder, method=True)).items():
            if len(text.split()) > 2:
                yield f"\n## {where}\n\n{text.strip()}"


def _sliders(known: Mapping[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (slider for slider in known.values() if "label" in slider)


def run() -> None:
    parser = argparse.ArgumentParser(description="Every sentence of every page, in one file.")
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--settings", type=int, default=50, help="how many settings a page is computed at"
    )
    parser.add_argument("--only", nargs="+", choices=[page.name for page in PAGES])
    asked = parser.parse_args()
    with asked.file.open("w", encoding="utf-8") as file:
        for page in PAGES:
            if not asked.only or page.name in asked.only:
                file.writelines(f"{line}\n" for line in of_page(page, asked.settings))
        if not asked.only:
            file.writelines(f"{line}\n" for line in fixed())


if __name__ == "__main__":
    run()
