"""CONTRIBUTING.md tells the truth: what it adds, pasted into a copy of the project, holds there."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
BLOCK = re.compile(
    r"(?ms)^`([\w./]+)`(?:, (before|after) `([^`\n]+)`(?:, [^\n]+)?)?:\n\n```\w+\n(.*?)^```$"
)
COMMAND = re.compile(r"^ {4}python -m (pytest (?:.+\\\n)*.+)$", re.MULTILINE)


def paste(path: Path, where: str, line: str, block: str) -> None:
    """A new file; or a block before or after the one line that begins with ``line``."""
    if not where:
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(block)
        return
    lines = path.read_text("utf-8").splitlines(keepends=True)
    (at,) = (number for number, text in enumerate(lines) if text.lstrip().startswith(line))
    lines.insert(at + (where == "after"), block)
    path.write_text("".join(lines), "utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    to = tmp_path_factory.mktemp("lab")
    for name in (
        "ui",
        "pages",
        "lab",
        "dpcore",
        "sample_data",
        "scripts",
        "tests",
        "docs",
        "benchmarks",
        ".streamlit",
    ):
        shutil.copytree(
            ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__", "browser")
        )
    for name in (
        "app.py",
        "pyproject.toml",
        "requirements.txt",
        "requirements-dev.txt",
        "README.md",
    ):
        shutil.copy(ROOT / name, to / name)
    (to / "CONTRIBUTING.md").write_text(GUIDE)
    for path, *block in BLOCK.findall(GUIDE):
        paste(to / path, *block)
    return to


def ran(copy: Path, *command: str) -> str:
    how = {"cwd": copy, "capture_output": True, "text": True, "timeout": 300}
    found = subprocess.run([sys.executable, *command], check=False, **how)
    assert found.returncode == 0, found.stdout[-3000:]
    return found.stdout


ADDED = """
from lab.data.classification import DATASETS
from benchmarks.audits.table import AUDITS
from pages.topics import PAGES
page, = [page for page in PAGES if page.name == "survey"]
view = page.view(page.settings().experiment.run())
assert view.charts(*view.boards) and "clinic" in DATASETS and {"flip", "flip half"} <= AUDITS.keys()
print(view.texts["verdict"])

from tests.app import at_rest, opened, text
app = at_rest(opened("survey", epsilon="3.0"), "survey")
assert "the median survey estimates" in text(app)
assert str(app.query_params["epsilon"]) in "['3.0']"
"""


def test_every_block_has_its_place_and_the_page_its_result(copy):
    assert "the median survey estimates the share of yes" in ran(copy, "-c", ADDED)


@pytest.mark.soak
def test_what_the_guide_adds_is_like_what_is_there(copy):
    commands = [shlex.split(line.replace("\\\n", " ")) for line in COMMAND.findall(GUIDE)]
    assert len(commands) == GUIDE.count("\n## Add a ") == 3
    for command in commands:
        out = ran(copy, "-m", *command, "-v", "-p", "no:cacheprovider")
        passed = [line.lower() for line in out.splitlines() if "PASSED" in line]
        for word in command[command.index("-k") + 1].lower().split(" or "):
            assert any(word in line for line in passed), word
    ran(
        copy,
        "-m",
        "ruff",
        "check",
        "--no-cache",
        *{path for path, *_ in BLOCK.findall(GUIDE) if path[-3:] == ".py"},
    )
