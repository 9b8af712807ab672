"""Texts name what is on the screen, and links what they lead to."""

import re
import tomllib
from functools import cache
from pathlib import Path

from pages.topics import OTHER_PAGES, PAGES
from scripts.visible_texts import literals, toml_strings
from ui.layout.topic_page import MORE
from ui.text.sliders import SLIDERS

ROOT = Path(__file__).parents[3]
# How a text names what is on the screen.
NAMED = re.compile(
    r"(?:\b(?:[Uu]nder|[Oo]n|[Ss]ee|[Pp]ress|[Cc]hoose|[Dd]rag|[Tt]ab|[Ii]n) |[Ff]or"
    r" )\*([A-Z][^*\n]+)\*(?!\*)"
    r"|\b[Uu]nder (More [a-z]+|Advanced)"
    r"|\(see ([A-Z][a-z]+ [a-z]+)\)"
)
# A case of a text that is a label: a few words without a full stop.
CASE = re.compile(r"^- `[\w.-]+` ([A-Z][^.{\n]{0,40})$", re.MULTILINE)
TAB = r'Tab\([^,]+, "([^"]+)"'
LINK = re.compile(r"\[([^]]+)\]\(/?([a-z-]+)(?:\?[^)]*)?\)")


@cache
def strings(path: Path) -> list[str]:
    """Return the strings of a file that may be shown.

    These are all of Python but docstrings, the values of TOML, and Markdown as a whole.
    """
    if path.suffix == ".md":
        return [path.read_text("utf-8")]
    if path.suffix == ".toml":
        return [*toml_strings(tomllib.loads(path.read_text("utf-8")))]
    return [text for _, text in literals(path)]


def files(*suffixes: str) -> list[Path]:
    """Return the files of pages and of the browser part with these suffixes."""
    paths = []
    for folder in ("pages", "ui"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in suffixes:
                paths.append(path)
    return sorted(paths)


def files_with_texts() -> list[Path]:
    """Return the Python, Markdown and TOML files of pages and of the browser part."""
    return files(".py", ".md", ".toml")


def titles() -> dict[str, str]:
    """Return the address of each page -> what the navigation calls it."""
    topics = [page.info for page in PAGES]
    return {info.name: info.title for info in [*topics, *OTHER_PAGES]}


@cache
def names_on_screen() -> set[str]:
    """Return the names that a text may use: of pages, tabs and sliders, labels and options."""
    names = {MORE, *titles().values()}
    for slider in SLIDERS.values():
        names.add(slider["label"])
    for page in PAGES:
        names.update(tab.title for tab in page.all_tabs)
    for path in files(".py"):
        names.update(re.findall(TAB, path.read_text("utf-8")))
    for path in files(".md"):
        names.update(CASE.findall(path.read_text("utf-8")))
    for path in files_with_texts():
        for text in strings(path):
            is_label = len(text) < 40 and text[:1].isupper()
            if is_label:
                names.add(text)
    return names


def names_in_texts() -> set[tuple[str, str]]:
    """Return (file, name) of everything that a text names as being on the screen."""
    found = set()
    for path in files_with_texts():
        for text in strings(path):
            in_one_line = " ".join(text.split())
            for match in NAMED.finditer(in_one_line):
                for name in match.groups():
                    if name:
                        found.add((path.name, name))
    return found


def test_every_name_in_a_text_is_on_the_screen():
    found = names_in_texts()

    assert ("method.md", MORE) in found
    assert {(file, name) for file, name in found if name not in names_on_screen()} == set()


def links_to_pages() -> set[tuple[str, str]]:
    """Return (label, page) of the links to pages that have a title."""
    found = set()
    for path in files_with_texts():
        # A link there is named by the tab that it opens.
        if path.name == "papers.md":
            continue
        for text in strings(path):
            for link_label, page in LINK.findall(text):
                if page in titles() and page != "glossary":
                    found.add((link_label, page))
    return found


def test_a_link_to_a_page_has_its_name():
    found = links_to_pages()

    assert found
    for link_label, page in found:
        assert link_label == titles()[page]
