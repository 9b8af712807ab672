"""Files about the project itself: version, citation, continuous integration, hooks."""

import re
from pathlib import Path

import yaml

import dpcore

ROOT = Path(__file__).parents[1]


def loaded(name: str):
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_version_is_the_newest_of_the_changelog_and_the_citation():
    newest = re.search(r"(?m)^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"))[1]
    assert newest == loaded("CITATION.cff")["version"] == dpcore.__version__


def test_hooks_run_targets_of_the_makefile():
    targets = re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"))
    hooks = [hook for repo in loaded(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    assert hooks
    for hook in hooks:
        assert re.fullmatch(r"make (\w+)", hook["entry"])[1] in targets
