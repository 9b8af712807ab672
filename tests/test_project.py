"""Files about the project itself: version, citation, continuous integration, hooks."""

import re
from pathlib import Path

import yaml

import dpcore

ROOT = Path(__file__).parents[1]
PYTHONS = ["3.11", "3.12", "3.13"]


def loaded(name: str):
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_version_is_the_newest_of_the_changelog_and_the_citation():
    newest = re.search(r"(?m)^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"))[1]
    assert newest == loaded("CITATION.cff")["version"] == dpcore.__version__


def test_ci_runs_the_whole_suite_on_each_supported_python():
    (job,) = loaded(".github/workflows/ci.yml")["jobs"].values()
    assert job["strategy"]["matrix"]["python"] == PYTHONS
    assert [step["run"] for step in job["steps"] if "run" in step] == ["bash .ci/run"]
    assert "exec make test" in (ROOT / ".ci/run").read_text("utf-8")
    supported = (ROOT / "scripts/python.sh").read_text("utf-8")
    assert f"({', '.join(PYTHONS[0].split('.'))}) <= sys.version_info[:2] <= (3, 13)" in supported


def test_hooks_run_targets_of_the_makefile():
    targets = re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"))
    hooks = [hook for repo in loaded(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    assert hooks
    for hook in hooks:
        assert re.fullmatch(r"make (\w+)", hook["entry"])[1] in targets
