"""The documents: their lengths, links, commands and pictures, and that they name files and settings that exist."""

import re
from pathlib import Path

import pytest
from PIL import Image

from tests.test_contributing import BLOCK

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
PICTURES = sorted((ROOT / "docs" / "pictures").iterdir())
MOST_WORDS = {"README.md": 700, "CHANGELOG.md": 1200, "DECISIONS.md": 4700}
ENTRIES = re.split(r"^### ", (ROOT / "DECISIONS.md").read_text("utf-8"), flags=re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)]+)\)")
VARIABLE = re.compile(r"\bLAB_[A-Z_]+\b")


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def prose(markdown: str) -> str:
    """Return the running text: without blocks of code, code and addresses of links."""
    markdown = re.sub(r"(?ms)^```.*?^```$|^ {4}.*?$", "", markdown)
    return re.sub(r"`[^`\n]*`", "code", LINK.sub(r"\2", markdown))


def sentences(markdown: str) -> list[str]:
    """Return the sentences of paragraphs and lists with at least five words."""
    lines = [line for line in prose(markdown).split("\n") if not line.startswith(("#", "|"))]
    paragraphs = re.split(r"\n\s*\n|\n(?=- |\d+\. )", "\n".join(lines))
    found = [one for paragraph in paragraphs for one in re.split(r"(?<=[.?!])\s+", " ".join(paragraph.split()))]
    return [one for one in found if len(one.split()) >= 5]


def by_name(paths: list[Path]) -> list:
    return [pytest.param(path, id=path.relative_to(ROOT).as_posix()) for path in paths]


@pytest.mark.parametrize("name", MOST_WORDS)
def test_a_document_is_within_its_number_of_words(name: str):
    assert len(text(name).split()) <= MOST_WORDS[name]


@pytest.mark.parametrize("path", by_name(DOCUMENTS))
def test_linked_files_exist(path: Path):
    targets = [target for _, _, target in LINK.findall(path.read_text("utf-8"))]
    files = [target.partition("#")[0] for target in targets if not re.match(r"https?:|/|#", target)]
    assert [file for file in files if not (path.parent / file).exists()] == []


@pytest.mark.parametrize("path", by_name([*DOCUMENTS, ROOT / "sample_data" / "README.md"]))
def test_named_files_exist(path: Path):
    content = path.read_text("utf-8")
    added = {name for name, where, *_ in BLOCK.findall(content) if not where}
    named = set(re.findall(r"`((?:\w+/)+\w+\.\w+)`", content)) - added
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("path", by_name(DOCUMENTS))
def test_named_commands_exist(path: Path):
    targets = set(re.findall(r"^(\w+):.*## ", text("Makefile"), re.MULTILINE))
    named = set(re.findall(r"(?:^ {4}|`|=\S+ )make (\w+)", path.read_text("utf-8"), re.MULTILINE))
    assert named <= targets


def test_operating_lists_the_environment_variables_that_the_lab_reads():
    sources = [file for top in ("dpcore", "pages", "ui", "scripts") for file in (ROOT / top).rglob("*.py")]
    read = set(VARIABLE.findall("".join(file.read_text("utf-8") for file in sources) + text("compose.yaml")))
    inner = set(VARIABLE.findall(text("scripts/Caddyfile")))  # handed to Caddy by the lab's own programs
    assert set(re.findall(r"^\| `(LAB_\w+)`", text("docs/operating.md"), re.MULTILINE)) == read - inner


class TestPictures:
    def test_the_readme_shows_a_drag_and_two_pages_with_alternative_texts(self):
        shown = {ROOT / target: alt for mark, alt, target in LINK.findall(text("README.md")) if mark}
        assert sorted(shown) == PICTURES
        assert all(len(alt.split()) >= 5 for alt in shown.values())
        frames = []
        for path in PICTURES:
            with Image.open(path) as picture:
                frames.append(getattr(picture, "n_frames", 1))
        assert sorted(count > 1 for count in frames) == [False, False, True]

    def test_they_are_small_together(self):
        assert sum(path.stat().st_size for path in PICTURES) <= 2_000_000


class TestDecisions:
    def test_the_index_lists_every_entry(self):
        head, *entries = ENTRIES
        rows = re.findall(r"^\| (D\d\d) \| (.+?)(?: \(replaced by D\d\d\))? \|$", head, re.MULTILINE)
        titles = [re.match(r"(D\d\d) (.+)\n", entry).groups() for entry in entries]
        assert rows == titles
        assert [row[0] for row in rows] == [f"D{number:02d}" for number in range(1, len(rows) + 1)]

    @pytest.mark.parametrize("entry", ENTRIES[1:], ids=lambda entry: entry[:3])
    def test_an_entry_has_three_parts_and_at_most_90_words(self, entry: str):
        body = entry.partition("\n")[2].partition("\n## ")[0]
        assert re.findall(r"^- \*\*(\w+)\.\*\* ", body, re.MULTILINE) == ["Context", "Decision", "Consequence"]
        assert len(body.split()) <= 90


class TestChangelog:
    def test_versions_have_sections_with_short_bullets(self):
        _, *versions = re.split(r"^## ", text("CHANGELOG.md"), flags=re.MULTILINE)
        assert [version.split()[0] for version in versions] == ["0.3.0", "0.2", "0.1"]
        for version in versions:
            sections = re.findall(r"^### (.+)$", version, re.MULTILINE)
            assert sections
            assert sections == [name for name in ("Added", "Changed", "Fixed") if name in sections]
            bullets = re.findall(r"^- (.*(?:\n  .*)*)", version, re.MULTILINE)
            assert [bullet for bullet in bullets if len(bullet.split()) > 20] == []


class TestStyle:
    """The rules of the style sheet in CONTRIBUTING that can be counted."""

    @pytest.mark.parametrize("path", by_name(DOCUMENTS))
    def test_few_colons_and_no_semicolons_inside_sentences(self, path: Path):
        found = sentences(path.read_text("utf-8"))
        colons = [one for one in found if re.search(r": \S", one)]
        assert len(colons) <= 0.05 * len(found), colons
        assert [one for one in found if "; " in one] == []


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
