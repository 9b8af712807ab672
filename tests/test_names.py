"""Names on the screen: standard terms, and pages, tabs, drawers and buttons that are there where a text names them."""

import re
import tomllib
from functools import cache
from pathlib import Path

from pages.table import PAGES
from scripts.fingerprints import _strings, literals
from ui.show import MORE
from ui.vocabulary import KNOBS

ROOT = Path(__file__).parents[1]
# How a text names what is on the screen.
NAMED = re.compile(
    r"(?:\b(?:[Uu]nder|[Oo]n|[Ss]ee|[Pp]ress|[Cc]hoose|[Dd]rag|[Tt]ab|[Ii]n) |[Ff]or )\*([A-Z][^*\n]+)\*(?!\*)"
    r"|\b[Uu]nder (More [a-z]+|Advanced)"
    r"|\(see ([A-Z][a-z]+ [a-z]+)\)"
)
# A case of a text that is a label: a few words without a full stop.
CASE = re.compile(r"^- `[\w.-]+` ([A-Z][^.{\n]{0,40})$", re.MULTILINE)
TAB = r'Tab\([^,]+, "([^"]+)"'
LINK = re.compile(r"\[([^]]+)\]\(/?([a-z-]+)(?:\?[^)]*)?\)")


@cache
def strings(path: Path) -> list[str]:
    """Return the strings of a file that may be shown: of Python all but docstrings, of Markdown the whole."""
    if path.suffix == ".md":
        return [path.read_text("utf-8")]
    if path.suffix == ".toml":
        return [*_strings(tomllib.loads(path.read_text("utf-8")))]
    return [text for _, text in literals(path)]


def files() -> list[Path]:
    texts = (path for folder in ("pages", "ui") for path in (ROOT / folder).rglob("*"))
    return sorted(path for path in texts if path.suffix in (".py", ".md", ".toml"))


def titles() -> dict[str, str]:
    """Return the address of each page -> what the navigation calls it."""
    source = (ROOT / "pages" / "frame.py").read_text("utf-8")
    learn = dict(re.findall(r'\("([a-z]+)", "([^"]+)", ":material', source))
    return {page.name: page.title for page in PAGES} | learn | {"data": "My data"}


@cache
def on_screen() -> set[str]:
    """Return the names that a text may use: of pages, tabs, the drawer, sliders, and all labels and options."""
    sources = [(path.suffix, path.read_text("utf-8")) for path in files()]
    names = {title for kind, source in sources if kind == ".py" for title in re.findall(TAB, source)}
    names |= {case for kind, source in sources if kind == ".md" for case in CASE.findall(source)}
    names |= {text for path in files() for text in strings(path) if len(text) < 40 and text[:1].isupper()}
    tabs = {tab.title for page in PAGES for tab in page.all_tabs}
    return {*titles().values(), *tabs, MORE, *(knob["label"] for knob in KNOBS.values()), *names}


def test_what_a_text_names_is_on_the_screen():
    found = {
        (path.name, name)
        for path in files()
        for text in strings(path)
        for match in NAMED.finditer(" ".join(text.split()))
        for name in match.groups()
        if name
    }
    assert ("own.md", MORE) in found
    assert {(file, name) for file, name in found if name not in on_screen()} == set()


def test_a_link_to_a_page_has_its_name():
    found = {
        (label, page)
        for path in files()
        if path.name != "works.md"  # a link there is named by the tab that it opens
        for text in strings(path)
        for label, page in LINK.findall(text)
        if page in titles() and page != "glossary"
    }
    assert found
    assert {(label, page) for label, page in found if label != titles()[page]} == set()


# What the lab once called a standard term.
PRIVATE_TERMS = re.compile(
    r"\b(?:[Nn]ine (?:runs |releases |trainings |draws )?in ten|9 (?:runs )?in 10|[Mm]iddle (?:run|one|model|network)s?"
    r"|[Pp]lain sum|[Ss]trong composition|[Ee]xact count|[Hh]ead start|[Bb]orrow\w*|the walk|[Nn]oisy descent"
    r"|[Dd]irection noise|[Bb]y adding up|times in 100|[Rr]ight answers|right on new|[Pp]ublic start|lots by chance"
    r"|lot size|[Ww]ho pays|there or not|hardly a promise|[Oo]ff by|[Pp]rivate walk|on the answer|log-ratio"
    r"|[Pp]romises? |[Nn]othing promised|[Pp]rice of|[Ff]rom nothing|[Rr]ealised lot|[Ss]py|[Ll]aw of noise"
    r"|[Ff]alse alarms? in|[Oo]dds of (?:any|an|every|each) (?:out|re|nu)\w+)\b"
)


def test_no_visible_text_has_a_private_term():
    """In texts beside the code and in its strings; lessons may count in hundreds."""
    found = {
        (path.relative_to(ROOT).as_posix(), match[0])
        for path in files()
        if path.name not in ("method.md", "works.md")
        if "lessons" not in path.parts
        for text in strings(path)
        for match in PRIVATE_TERMS.finditer(text)
    }
    assert found == set()
