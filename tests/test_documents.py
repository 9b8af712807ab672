"""The documents name what exists, and visible sentences keep the punctuation of the style sheet."""

import ast
import doctest
import inspect
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from benchmarks.run import BENCHMARKS
from dpcore.estimators.logistic import DPLogisticRegression
from pages.topics import MENU
from scripts.visible_texts import code_texts, file_texts, has_inner_colon, sentences
from tests.test_contributing import BLOCK

ROOT = Path(__file__).parents[1]
PLACES = ("*.md", "docs/*.md", "sample_data/*.md", ".github/**/*.md")
DOCUMENTS = sorted(path for place in PLACES for path in ROOT.glob(place))
# Documents that name nothing but what the repository has, and where that may stand.
EXACT_DOCUMENTS = ("README.md", "DECISIONS.md", "SECURITY.md", "docs/architecture.md")
SOURCES = ("app.py", "dpcore", "lab", "ui", "pages", "scripts", "benchmarks", "Makefile")
SOURCES += ("*.toml", ".streamlit/*.toml")
PICTURES = sorted((ROOT / "docs" / "pictures").iterdir())
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)]+)\)")
VARIABLE = re.compile(r"\bLAB_[A-Z_]+\b")


def text(name: str) -> str:
    """Return the text of a file, named from the root of the project."""
    return (ROOT / name).read_text("utf-8")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_and_commands_named_by_a_document_exist(path: Path):
    content = path.read_text("utf-8")

    files = [
        target.partition("#")[0]
        for _, _, target in LINK.findall(content)
        if not re.match(r"https?:|/|#", target)
    ]
    assert [file for file in files if not (path.parent / file).exists()] == []

    added = {name for name, where, *_ in BLOCK.findall(content) if not where}
    named = set(re.findall(r"`((?:\w+/)+\w+\.\w+)`", content)) - added
    assert [name for name in named if not (ROOT / name).exists()] == []

    targets = set(re.findall(r"^(\w+):.*## ", text("Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:^ {4}|`|=\S+ )make (\w+)", content, re.MULTILINE)) <= targets


@pytest.mark.parametrize("pattern", ["*.js", "*.css"])
def test_files_named_by_the_comments_of_the_browser_part_exist(pattern):
    missing = []
    for path in sorted((ROOT / "ui").rglob(pattern)):
        for name in re.findall(r"\b(?:ui|pages)/[\w/]+\.\w+", path.read_text("utf-8")):
            if not (ROOT / name).exists():
                missing.append(f"{path.name}: {name}")

    assert missing == []


def anchors(path: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_anchors_named_by_a_document_exist(path: Path):
    missing = []
    for _, _, target in LINK.findall(path.read_text("utf-8")):
        file, _, anchor = target.partition("#")
        if anchor and not re.match(r"https?:|/", target):
            document = path
            if file:
                document = path.parent / file
            if anchor not in anchors(document):
                missing.append(target)

    assert missing == []


@pytest.fixture(scope="module")
def words_of_sources() -> set[str]:
    """Return all words of the code and of its settings, and the names of all files."""
    words = set()
    for place in SOURCES:
        for top in ROOT.glob(place):
            for path in [top, *top.rglob("*")]:
                words |= set(re.findall(r"\w+", path.relative_to(ROOT).as_posix()))
                if path.is_file() and path.suffix in (".py", ".js", ".css", ".toml", ""):
                    words |= set(re.findall(r"\w+", path.read_text("utf-8")))
    return words


@pytest.mark.parametrize("name", EXACT_DOCUMENTS)
def test_names_in_code_font_are_names_of_the_code(name, words_of_sources):
    missing = []
    for code in re.findall(r"`([^`\n]+)`", text(name)):
        is_path = "/" in code or code.endswith((".md", ".yaml", ".txt", ".lock"))
        if not is_path and not set(re.findall(r"\w+", code)) <= words_of_sources:
            missing.append(code)

    assert missing == []


def test_operating_lists_the_environment_variables_that_the_lab_reads():
    sources = [
        file for top in ("dpcore", "pages", "ui", "scripts") for file in (ROOT / top).rglob("*.py")
    ]
    read = set(
        VARIABLE.findall(
            "".join(file.read_text("utf-8") for file in sources) + text("compose.yaml")
        )
    )
    inner = set(
        VARIABLE.findall(text("scripts/Caddyfile"))
    )  # handed to Caddy by the lab's own programs
    assert (
        set(re.findall(r"^\| `(LAB_\w+)`", text("docs/operating.md"), re.MULTILINE)) == read - inner
    )


def test_the_readme_shows_small_pictures_with_alternative_texts():
    shown = {ROOT / target: alt for mark, alt, target in LINK.findall(text("README.md")) if mark}
    assert sorted(shown) == PICTURES
    assert all(shown.values())
    assert sum(path.stat().st_size for path in PICTURES) <= 2_000_000


def test_the_readme_counts_the_lessons_and_names_every_page_of_the_menu():
    readme = text("README.md")
    count = len(tomllib.loads(text("pages/lessons/lessons.toml")))
    words = ("eight", "nine", "ten", "eleven", "twelve")
    assert f"one of {words[count - 8]} [lessons]" in readme

    menu = dict(re.findall(r"^\| (\w+) \| (.+) \|$", readme, re.MULTILINE))
    for group, pages in MENU.items():
        named = menu[group].replace('"', "").replace("Papers, checked", "Papers checked")
        assert named.split(", ") == [page.title.replace(", ", " ") for page in pages]


def test_the_table_of_decisions_lists_each_entry_once():
    head, *entries = re.split(r"^### ", text("DECISIONS.md"), flags=re.MULTILINE)
    rows = re.findall(r"^\| (D\d\d) \| (.+?)(?: \(replaced by D\d\d\))? \|$", head, re.MULTILINE)
    assert rows == [re.match(r"(D\d\d) (.+)\n", entry).groups() for entry in entries]
    assert len({number for number, _ in rows}) == len(rows)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_the_form_that_github_reads(path):
    folders = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    program = shutil.which("check-jsonschema", path=folders)
    assert program, "check-jsonschema is missing: pip install -r requirements-dev.txt"

    subprocess.run([program, "--builtin-schema", "vendor.github-workflows", path], check=True)


def test_a_workflow_runs_targets_of_the_makefile():
    targets = set(re.findall(r"^(\w+):.*## ", text("Makefile"), re.MULTILINE))
    used = set()
    for path in WORKFLOWS:
        for command in re.findall(r"run: make (.+)", path.read_text("utf-8")):
            used |= set(command.split())

    assert used
    assert used <= targets


def test_the_commands_of_choosing_print_what_stands_there():
    result = doctest.testfile(
        str(ROOT / "docs" / "choosing.md"),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE,
        encoding="utf-8",
    )

    assert result.attempted > 10
    assert result.failed == 0


def test_choosing_gives_the_estimator_arguments_that_it_has():
    (call,) = re.findall(r"`DPLogisticRegression\((.+?)\)`", text("docs/choosing.md"))

    named = set(re.findall(r"(\w+)=", call))

    assert named <= set(inspect.signature(DPLogisticRegression).parameters)


def test_the_document_of_benchmarks_names_each_of_them():
    named = set(re.findall(r"make bench ARGS=([\w-]+)", text("docs/benchmarks.md")))
    assert named == set(BENCHMARKS)


def test_a_version_of_the_changelog_has_each_kind_of_change_once():
    versions = re.split(r"^## ", text("CHANGELOG.md"), flags=re.MULTILINE)[1:]
    assert versions
    for version in versions:
        kinds = re.findall(r"^### (.+)$", version, re.MULTILINE)
        assert (
            kinds
            == [kind for kind in ("Added", "Changed", "Fixed", "Removed") if kind in kinds]
            != []
        )


def test_architecture_lists_every_package_with_the_first_sentence_of_its_docstring():
    listed = dict(
        re.findall(r"^\| `([\w/]+)/` \| (.+) \|$", text("docs/architecture.md"), re.MULTILINE)
    )
    sentences_of = {}
    for top in ("dpcore", "lab", "ui", "pages"):
        for file in (ROOT / top).rglob("__init__.py"):
            docstring = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
            package = file.parent.relative_to(ROOT).as_posix()
            sentences_of[package] = docstring.partition("\n")[0]
    assert listed == sentences_of


# Sentences that have to stay as they are, with the reason.
EXCEPT = {
    # The value of a guess, which may be a sentence in quotes.
    "Your guess is in: {guess}.",
    # Two labels of a hover, and a pattern.
    "click: is this person safe?",
    r"\s ^. \b(?: Cc lick Hh over drag)\b ^. \.",
}
VISIBLE = {
    "pages: code": lambda: code_texts("pages"),
    "ui: code": lambda: code_texts("ui"),
    "pages: texts": lambda: file_texts("pages").values(),
    "ui: texts": lambda: file_texts("ui").values(),
    "pages: method": lambda: file_texts("pages", method=True).values(),
}


@pytest.mark.parametrize("place", VISIBLE)
def test_visible_sentences_have_few_colons_and_no_semicolon(place):
    found = [one for text in VISIBLE[place]() for one in sentences(text) if one not in EXCEPT]
    assert found
    colons = [one for one in found if has_inner_colon(one)]
    assert len(colons) <= 0.05 * len(found), colons
    assert [one for one in found if ";" in one] == []


def test_colons_inside_sentences_are_found():
    assert has_inner_colon("The sources make the error smaller: it is half as large.")
    assert not has_inner_colon("That is what the chart shows for everyone at 10:30.")
