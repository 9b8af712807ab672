"""CONTRIBUTING.md tells the truth: its tenth page, built in a copy of the project, is one like the others."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
BLOCK = re.compile(r"^`(pages/\S+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The project with the page of the guide: its folder, and its line in the table."""
    to = tmp_path_factory.mktemp("lab")
    ignored = shutil.ignore_patterns("__pycache__", "browser")
    for name in ("app.py", "ui", "pages", "dpcore", "sample_data", "scripts", "tests", ".streamlit"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, to / name)
    for name in ("pyproject.toml", "requirements.txt", "requirements-dev.txt", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, to / name)
    for path, text in BLOCK.findall(GUIDE):
        (to / path).parent.mkdir(exist_ok=True)
        (to / path).write_text(text)
    (to / "pages/survey/__init__.py").write_text('"""What a survey says."""\n')
    table = to / "pages/table.py"
    table.write_text(table.read_text().replace('    "attack",\n', '    "attack",\n    "survey",\n'))
    return to


TEST = """
from tests.test_pages import at_rest, opened, text

def test_survey():
    app = at_rest(opened("survey", epsilon="3.0"), "survey")
    assert "nine surveys in ten" in text(app)
    assert str(app.query_params["epsilon"]) in "['3.0']"
    app.session_state["survey.fold.share"] = True
    app.run()
    labels = [one.proto.label for one in app.get("download_button")]
    assert labels == ["Estimates (CSV)", "Script (Python)"]
"""


def test_the_tenth_page_is_one_like_the_others(copy):
    """It opens, asks its question, stands on the home page, takes links, has its downloads, and keeps the house's
    rules."""
    (copy / "tests/test_survey.py").write_text(TEST)
    files = [f"tests/test_{name}.py" for name in ("survey", "pages", "home", "links", "house")]
    wanted = ["-k", "survey or door or imports_go_one_way"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, *wanted]
    ran = subprocess.run(command, check=False, cwd=copy, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", ran.stdout)[1]) >= 7
