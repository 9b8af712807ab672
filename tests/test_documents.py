"""The documents name what exists, and they, all visible sentences and docstrings meet the style sheet."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from pages.table import PAGES
from scripts import all_sentences
from scripts.fingerprints import beside, fingerprint, has_colon, headless, in_code, sentences
from tests.test_contributing import BLOCK

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
PICTURES = sorted((ROOT / "docs" / "pictures").iterdir())
MOST_WORDS = {"README.md": 700, "CHANGELOG.md": 1200, "DECISIONS.md": 4700}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)]+)\)")
VARIABLE = re.compile(r"\bLAB_[A-Z_]+\b")


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def sentences_of(markdown: str) -> list[str]:
    """Return the sentences of paragraphs and lists with at least five words, without code and addresses of links."""
    markdown = re.sub(r"(?ms)^```.*?^```$|^ {4}.*?$", "", markdown)
    markdown = re.sub(r"`[^`\n]*`", "code", LINK.sub(r"\2", markdown))
    lines = [line for line in markdown.split("\n") if not line.startswith(("#", "|"))]
    paragraphs = re.split(r"\n\s*\n|\n(?=- |\d+\. )", "\n".join(lines))
    found = [one for paragraph in paragraphs for one in re.split(r"(?<=[.?!])\s+", " ".join(paragraph.split()))]
    return [one for one in found if len(one.split()) >= 5]


@pytest.mark.parametrize(
    "path", [*DOCUMENTS, ROOT / "sample_data" / "README.md"], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_what_a_document_names_exists_and_its_sentences_are_plain(path: Path):
    """Linked and named files, and commands; and few of its sentences have a colon, none a semicolon."""
    content = path.read_text("utf-8")
    assert len(content.split()) <= MOST_WORDS.get(path.relative_to(ROOT).as_posix(), 9999)
    files = [target.partition("#")[0] for _, _, target in LINK.findall(content) if not re.match(r"https?:|/|#", target)]
    assert [file for file in files if not (path.parent / file).exists()] == []
    added = {name for name, where, *_ in BLOCK.findall(content) if not where}
    named = set(re.findall(r"`((?:\w+/)+\w+\.\w+)`", content)) - added
    assert [name for name in named if not (ROOT / name).exists()] == []
    targets = set(re.findall(r"^(\w+):.*## ", text("Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:^ {4}|`|=\S+ )make (\w+)", content, re.MULTILINE)) <= targets
    found = sentences_of(content) if path in DOCUMENTS else []
    colons = [one for one in found if re.search(r": \S", one)]
    assert len(colons) <= 0.05 * len(found), colons
    assert [one for one in found if "; " in one] == []


def test_operating_lists_the_environment_variables_that_the_lab_reads():
    sources = [file for top in ("dpcore", "pages", "ui", "scripts") for file in (ROOT / top).rglob("*.py")]
    read = set(VARIABLE.findall("".join(file.read_text("utf-8") for file in sources) + text("compose.yaml")))
    inner = set(VARIABLE.findall(text("scripts/Caddyfile")))  # handed to Caddy by the lab's own programs
    assert set(re.findall(r"^\| `(LAB_\w+)`", text("docs/operating.md"), re.MULTILINE)) == read - inner


def test_the_readme_shows_small_pictures_with_alternative_texts():
    shown = {ROOT / target: alt for mark, alt, target in LINK.findall(text("README.md")) if mark}
    assert sorted(shown) == PICTURES
    assert all(len(alt.split()) >= 5 for alt in shown.values())
    assert sum(path.stat().st_size for path in PICTURES) <= 2_000_000


def test_decisions_are_listed_and_short_and_so_are_the_bullets_of_versions():
    head, *entries = re.split(r"^### ", text("DECISIONS.md"), flags=re.MULTILINE)
    rows = re.findall(r"^\| (D\d\d) \| (.+?)(?: \(replaced by D\d\d\))? \|$", head, re.MULTILINE)
    assert rows == [re.match(r"(D\d\d) (.+)\n", entry).groups() for entry in entries]
    assert [row[0] for row in rows] == [f"D{number:02d}" for number in range(1, len(rows) + 1)]
    for entry in entries:
        body = entry.partition("\n")[2].partition("\n## ")[0]
        assert re.findall(r"^- \*\*(\w+)\.\*\* ", body, re.MULTILINE) == ["Context", "Decision", "Consequence"]
        assert len(body.split()) <= 90, entry[:3]
    for version in re.split(r"^## ", text("CHANGELOG.md"), flags=re.MULTILINE)[1:]:
        found = re.findall(r"^### (.+)$", version, re.MULTILINE)
        assert found == [name for name in ("Added", "Changed", "Fixed") if name in found] != []
        bullets = re.findall(r"^- (.*(?:\n  .*)*)", version, re.MULTILINE)
        assert [bullet for bullet in bullets if len(bullet.split()) > 20] == []


def test_architecture_names_every_module_of_the_engine_and_of_the_frame():
    """Each file and folder that the tree names exists, and each module of dpcore/, lab/ and ui/ is named."""
    tree = text("docs/architecture.md").partition("\n## Files\n")[2]
    named, places = set(), {"": ROOT}
    for line in re.findall(r"^ {4}( *\S.*)$", tree, re.MULTILINE):
        depth = (len(line) - len(line.lstrip())) // 2
        for name in re.findall(r"(?:^|(?<=  ))[\w<>]+(?:/|\.\w+)(?=$|  )", line.strip()):
            inside = places[depth - 1] if depth else ROOT
            path = inside / name
            assert "<" in name or path.exists(), line
            named.add(path)
            places[depth] = path
    for top in ("dpcore", "lab", "ui"):
        there = {
            path for path in (ROOT / top).iterdir() if path.suffix in (".py", ".css") or (path / "__init__.py").exists()
        }
        assert {path.name for path in there - named} <= {"__init__.py"}


# Sentences that have to stay as they are, with the reason.
EXCEPT = {
    # The value of a guess, which may be a sentence in quotes.
    "Your guess is in: {guess}.",
    # Two labels of a hover, and a pattern.
    "click: is this person safe?",
    r"\s ^. \b(?: Cc lick Hh over drag)\b ^. \.",
}
# (colons, semicolons, headless openers in percent of sentences; "of its own" per 1,000 words; 90th percentile of words)
STYLE_SHEET = (5, 0, 0.5, 0, 22)
# The style sheet, or what was measured last where that is stricter; no share may rise.
CEILINGS = {
    "pages: code": (0, 0, 0, 0, 21),  # of 26 sentences, of which some are the code that a page writes
    "ui: code": (4.6, 0, 0, 0, 14),
    "pages: texts": STYLE_SHEET,
    "ui: texts": STYLE_SHEET,
    "pages: method": STYLE_SHEET,
}


def texts(place: str) -> list[str]:
    folder, _, kind = place.partition(": ")
    found = in_code(folder) if kind == "code" else [*beside(folder, method=kind == "method").values()]
    return [one for text in found for one in sentences(text) if one not in EXCEPT]


# A docstring says what a function does or returns; these open a clause that hangs in the air.
CLAUSE = re.compile(r"(?:What|How|Whether|Where|Of|From|Who|That|By|In)\b")


def test_few_docstrings_of_functions_open_with_a_clause():
    files = [file for top in ("dpcore", "lab", "ui", "pages") for file in (ROOT / top).rglob("*.py")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    found = [text for node in functions if (text := ast.get_docstring(node))]
    assert len(found) > 1000
    clauses = [text for text in found if CLAUSE.match(text)]
    assert len(clauses) <= 0.01 * len(found), clauses


@pytest.mark.parametrize("place", CEILINGS)
def test_no_share_rises_above_its_ceiling(place):
    found = fingerprint(texts(place))
    measured = (found.colons, found.semicolons, found.headless, found.own, found.length)
    assert found.sentences >= (10 if place == "pages: code" else 41)
    assert (np.array(measured) <= CEILINGS[place]).all(), measured


def test_marks_and_openers_are_found():
    said = "The sources make the error smaller: it is half as large.", "Who waits is told how many are before them."
    assert [(has_colon(one), headless(one)) for one in said] == [(True, False), (False, True)]
    assert not has_colon("That is what the chart shows for everyone at 10:30.")


def test_the_file_of_all_sentences_has_pages_at_several_settings_and_fixed_texts():
    page = next(page for page in PAGES if page.name == "mechanisms")
    printed = "\n".join(all_sentences.of_page(page, 3))
    assert {"tiles", *page.words, "chart posterior, help"} <= set(re.findall(r"^## (.+)$", printed, re.MULTILINE))
    assert re.search(r"\((?:\w+=[^)]*&)+\w+=[^)]*\)$", printed, re.MULTILINE), "other settings are named by their link"
    assert "## pages/learn/works.md:" in "\n".join(all_sentences.fixed())
