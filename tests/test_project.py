"""Files about the project itself: version, citation, continuous integration, hooks."""

import re
from pathlib import Path

import yaml

import dpcore

ROOT = Path(__file__).parents[1]


def test_version_is_the_newest_of_the_changelog_and_the_citation():
    newest = re.search(r"(?m)^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"))[1]
    assert newest == yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == dpcore.__version__


def test_hooks_run_targets_of_the_makefile():
    targets = re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"))
    hooks = re.findall(r"(?m)^ *entry: (.*)$", (ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert hooks
    assert {*hooks} <= {f"make {target}" for target in targets}
