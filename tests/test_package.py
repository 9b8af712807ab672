"""The package of the engine: its requirements, its version, and how it is built."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import dpcore
from scripts import check_package

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
VERSION = r"\d+\.\d+\.\d+"
DATE = r"\d{4}-\d\d-\d\d"
# Module -> the distribution that provides it, where the names differ.
DISTRIBUTIONS = {"dp_accounting": "dp-accounting", "sklearn": "scikit-learn"}


def imported_packages() -> set[str]:
    """Return the top packages that ``dpcore`` imports, apart from the standard library."""
    packages = set()
    for file in (ROOT / "dpcore").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                packages |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                packages.add(str(node.module).partition(".")[0])
    return packages - set(sys.stdlib_module_names) - {"dpcore"}


def name_of(requirement: str) -> str:
    """Return the package that a requirement names, without its version."""
    return re.split(r"[<>=!~]", requirement)[0]


def test_the_package_requires_what_the_engine_imports():
    required = {name_of(requirement) for requirement in PROJECT["project"]["dependencies"]}

    imported = {DISTRIBUTIONS.get(package, package) for package in imported_packages()}

    assert imported == required


def test_the_package_is_the_engine_alone_and_typed():
    setuptools = PROJECT["tool"]["setuptools"]

    assert setuptools["packages"]["find"]["include"] == ["dpcore", "dpcore.*"]
    assert (ROOT / "dpcore" / "py.typed").read_text() == ""


def test_the_version_comes_from_the_engine_and_is_the_newest_of_the_changelog():
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))

    versions = re.findall(r"^## (.+)$", changelog, re.MULTILINE)

    assert all(re.fullmatch(rf"{VERSION} \({DATE}\)", version) for version in versions)
    numbers = [[int(part) for part in re.findall(r"\d+", version)[:3]] for version in versions]
    assert numbers == sorted(numbers, reverse=True)
    newest, _, date = versions[0].partition(" ")
    assert newest == dpcore.__version__ == citation["version"]
    assert date == f"({citation['date-released']})"
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "dpcore.__version__"}


def pins(name: str) -> dict[str, str]:
    """Return package -> version of a file of requirements."""
    lines = (ROOT / name).read_text("utf-8")
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", lines, re.MULTILINE))


def test_the_lock_file_has_the_versions_that_are_required():
    locked = pins("requirements.lock")
    required = pins("requirements.txt")
    developing = pins("requirements-dev.txt")

    assert {name: locked[name] for name in required} == required
    assert {name: locked.get(name, developing[name]) for name in developing} == developing


def test_the_lab_and_its_tests_are_installed_with_the_versions_of_the_lock_file():
    makefile = (ROOT / "Makefile").read_text("utf-8")

    installs = re.findall(r"@\$\(PY\) \$\(PIP_INSTALL\) (.+)", makefile)

    assert len(installs) == 2
    assert all(options.startswith("--constraint") for options in installs)


def test_a_release_gets_the_tag_of_the_version():
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    (tag,) = re.findall(r'run: gh release create ("v.*?\)") ', workflow)

    printed = subprocess.run(
        ["sh", "-c", f"echo {tag}"], cwd=ROOT, check=True, capture_output=True, text=True
    )

    assert printed.stdout == f"v{dpcore.__version__}\n"


@pytest.mark.parametrize(
    ("tag", "is_published"), [(f"v{dpcore.__version__}", True), ("v0.0.0", False)]
)
def test_a_tag_publishes_the_site_only_if_it_is_that_of_the_version(tag, is_published):
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "pages.yml").read_text("utf-8"))
    (command,) = [
        step["run"]
        for step in workflow["jobs"]["build"]["steps"]
        if step.get("if") == "github.ref_type == 'tag'"
    ]

    environment = {"GITHUB_REF_NAME": tag}
    ended = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment, check=False)

    assert (ended.returncode == 0) == is_published


@pytest.mark.soak
def test_the_wheel_works_in_a_new_environment():
    check_package.main()
