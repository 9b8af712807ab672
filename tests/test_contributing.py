"""The recipes of the guides, pasted into a copy of the project, work there."""

import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDES = ("CONTRIBUTING.md", "docs/adding_a_page.md")
FOLDERS = (
    ".streamlit",
    "benchmarks",
    "docs",
    "dpcore",
    "lab",
    "pages",
    "sample_data",
    "scripts",
    "tests",
    "ui",
)
# A file, the line that the block goes before, after or in place of (none for a new file), the block.
BLOCK = re.compile(
    r"(?ms)^`([\w./]+)`(?:, (before|after|in place of) (?:`([^`\n]+)`|``([^\n]+?)``))?:"
    r"\n\n```\w+\n(.*?)^```$"
)
COMMAND = re.compile(r"^ {4}(?:\.venv/bin/)?python -m (pytest (?:.+\\\n)*.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A text of a recipe, and where it goes."""

    path: str
    where: str
    line: str
    text: str

    def paste(self, root: Path) -> None:
        """Write a new file, or put the text at the only line that begins with ``line``."""
        path = root / self.path
        if not self.where:
            path.parent.mkdir(exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(self.text)
            return
        lines = path.read_text("utf-8").splitlines(keepends=True)
        places = [index for index, line in enumerate(lines) if line.lstrip().startswith(self.line)]
        assert len(places) == 1, f"{len(places)} lines of {self.path} begin with {self.line}"
        (index,) = places
        if self.where == "before":
            lines.insert(index, self.text)
        elif self.where == "after":
            lines.insert(index + 1, self.text)
        else:
            lines[index] = self.text
        path.write_text("".join(lines), "utf-8")


@dataclass(frozen=True)
class Recipe:
    """A section "Add a ..." of a guide."""

    title: str
    blocks: tuple[Block, ...]
    command: list[str]


def read_recipes() -> dict[str, Recipe]:
    """Return the recipes of all guides by title."""
    recipes = {}
    for guide in GUIDES:
        text = (ROOT / guide).read_text("utf-8")
        for section in text.split("\n## Add a ")[1:]:
            title, _, body = section.partition("\n")
            blocks = []
            for path, where, line, line_with_backticks, block in BLOCK.findall(body):
                blocks.append(Block(path, where, line or line_with_backticks, block))
            (command,) = COMMAND.findall(body)
            words = shlex.split(command.replace("\\\n", " "))
            recipes[title] = Recipe(title, tuple(blocks), words)
    return recipes


RECIPES = read_recipes()


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A copy of the project with all recipes."""
    folder = tmp_path_factory.mktemp("lab")
    ignored = shutil.ignore_patterns("__pycache__", "browser")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file() and not path.is_symlink():
            shutil.copy(path, folder / path.name)
    for recipe in RECIPES.values():
        for block in recipe.blocks:
            block.paste(folder)
    return folder


def run_python(folder: Path, *arguments: str) -> str:
    """Return what Python prints when run with these arguments, which must succeed."""
    process = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]
    return process.stdout


USE_WHAT_WAS_ADDED = """
from benchmarks.audits.table import AUDITS
from dpcore.mechanisms import PermuteAndFlip
from lab.data.classification import DATASETS
from pages.mechanisms.settings import MechanismsSettings
from pages.topics import PAGES
from tests.app import at_rest, opened, text

assert "clinic" in DATASETS
assert {"flip", "flip half"} <= AUDITS.keys()

pages = {page.name: page for page in PAGES}
settings = MechanismsSettings(answers="local", response_rate=0.5, epsilon=150.0, options=2)
page = pages["mechanisms"].at(settings)
assert "response_rate" in page.controls.sliders(settings).more
view = page.view(settings.experiment.run())
assert "exactly" in view.texts["verdict"]
assert "truthful" in view.charts("board")

page = pages["survey"]
view = page.view(page.settings().experiment.run())
assert view.charts(*view.boards)
print(view.texts["verdict"])
app = at_rest(opened("survey", epsilon="3.0"), "survey")
assert "the median survey estimates" in text(app)
"""


def test_the_guides_have_a_recipe_for_each_kind_of_change():
    assert set(RECIPES) == {"data set", "mechanism", "slider", "sentence", "chart", "page"}


def test_what_the_recipes_add_works(copy):
    printed = run_python(copy, "-c", USE_WHAT_WAS_ADDED)

    assert "the median survey estimates the share of yes" in printed


@pytest.mark.soak
@pytest.mark.parametrize("title", RECIPES)
def test_the_command_of_a_recipe_passes_and_runs_its_tests(copy, title):
    command = RECIPES[title].command

    printed = run_python(copy, "-m", *command, "-v", "-p", "no:cacheprovider")

    passed = [line.lower() for line in printed.splitlines() if "PASSED" in line]
    for word in command[command.index("-k") + 1].lower().split(" or "):
        assert any(word in line for line in passed), word


@pytest.mark.soak
def test_the_code_of_the_recipes_is_clean(copy):
    changed = {block.path for recipe in RECIPES.values() for block in recipe.blocks}
    modules = sorted(path for path in changed if path.endswith(".py"))

    run_python(copy, "-m", "ruff", "check", "--no-cache", *modules)
