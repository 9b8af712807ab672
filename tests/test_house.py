"""Which modules import which, and which packages: rules kept by reading the files."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def is_in_package(name: str, package: str) -> bool:
    """Return whether the first part of a dotted name is this package."""
    return name.partition(".")[0] == package


# Packages from the ground up; a module, of the longest name that it starts with, imports from lower
# ones and its own.
RANK = """
    dpcore dpcore.accountants dpcore.mechanisms dpcore.training dpcore.regression dpcore.parties
    dpcore.estimators dpcore.attacks
    lab lab.statistics lab.data lab.models lab.uploads lab.experiment lab.label lab.sweeps
    ui.text pages.*.tasks ui.compute ui.charts pages.*.charts pages.*.texts
    ui.widgets ui.server ui.session ui.uploads ui.page ui.classroom ui.live ui.export ui.layout
    pages.*.page pages.topics pages.environment_check pages.main app
"""
RANK = {name: rank for rank, name in enumerate(RANK.split())}
# Modules of `pages` that belong to no topic.
SHARED = {"topics", "environment_check", "main"}
# What a module of a topic is, by how its name begins; any other is tasks: settings and results.
KINDS_OF_MODULE = {"page": "page", "texts": "texts", "charts": "charts"}
# Packages that are only a name for the packages inside.
TOPS = {"dpcore", "lab", "ui", "pages"}

ENGINE = tuple(name for name in RANK if is_in_package(name, "dpcore"))
LAB = tuple(name for name in RANK if is_in_package(name, "lab"))
UI = tuple(name for name in RANK if is_in_package(name, "ui"))
SERVING = ("security_headers", "static_files", "upload_limits")
# Which packages may import what we did not write. A dependency that is not listed is not one.
ALLOWED = {
    "PIL": ("ui.charts",),
    "distributed": (),  # for `make sweep` alone
    "dp_accounting": ("dpcore.accountants.pld_distributions",),
    "joblib": ("lab.sweeps.parallel",),
    "numpy": (*ENGINE, *LAB, *UI, "pages.*.tasks", "pages.*.charts"),
    "orjson": UI,
    "pandas": (
        "lab.experiment.parts",
        "lab.sweeps.sweep",
        "lab.uploads.cells",
        "lab.uploads.persons",
        "pages.*.tasks",
        *UI,
    ),
    "plotly": UI,
    "pyarrow": ("lab.uploads",),
    "scipy": (*ENGINE, *LAB, "pages.*.tasks"),
    "segno": ("ui.server.qr_code",),
    "sklearn": ("dpcore.estimators", "lab.data", "lab.models"),
    "starlette": (
        "app",
        "ui.live",
        "ui.widgets",
        "ui.classroom.visitor",
        *(f"ui.server.{name}" for name in SERVING),
    ),
    "streamlit": (
        *(name for name in UI if name not in ("ui.text", "ui.charts")),
        "pages.*.page",
        "pages.main",
        "app",
    ),
    "threadpoolctl": ("dpcore.thread_pool",),
}


def modules() -> Iterator[tuple[str, str]]:
    """Yield the dotted name and the text of each Python module of the app."""
    files = [ROOT / "app.py"]
    for top in ("dpcore", "lab", "ui", "pages"):
        files.extend((ROOT / top).rglob("*.py"))
    for file in files:
        dotted = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        yield dotted.removesuffix(".__init__"), file.read_text("utf-8")


def imports(source: str) -> set[str]:
    """Return the dotted names that a module imports, wherever in its text.

    A relative one begins with a dot.
    """
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for name in node.names:
                names.add(name.name)
        elif isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            for name in node.names:
                names.add(f"{package}.{name.name}")
    return names


def within(name: str, package: str) -> bool:
    """Return whether a dotted name is a package or in it."""
    return name == package or name.startswith(package + ".")


def package_of(name: str) -> str | None:
    """Return the ranked package of a module, or of a name in one.

    >>> package_of("dpcore.accountants.pld"), package_of("pages.parties.tasks.Votes")
    ('dpcore.accountants', 'pages.*.tasks')
    >>> package_of("pages.attack.texts")
    'pages.*.texts'
    """
    if topic(name) is not None:
        stem, _, _ = module_name(name).partition("_")
        return f"pages.*.{KINDS_OF_MODULE.get(stem, 'tasks')}"
    packages = [package for package in RANK if within(name, package)]
    return max(packages, key=len, default=None)


def topic(name: str) -> str | None:
    """Return the topic of a dotted name in ``pages``, or None."""
    top, *parts = name.split(".")
    if top != "pages" or not parts or parts[0] in SHARED:
        return None
    return parts[0]


def module_name(name: str) -> str:
    """Return the module of a topic that a dotted name leads to, below the folders of parts."""
    folder = ROOT / "pages" / topic(name)
    _, _, *parts = name.split(".")
    for part in parts:
        folder /= part
        if not folder.is_dir():
            return part
    return "page"


def complaint(module: str, name: str) -> str | None:
    """Return why a module may not import a name, or None if it may."""
    top, _, _ = name.partition(".")
    if top in sys.stdlib_module_names or name in TOPS:
        return None
    package = package_of(module)
    if top in ALLOWED:
        for allowed in ALLOWED[top]:
            if package == allowed or (allowed not in RANK and within(module, allowed)):
                return None
        return f"{top} is not for {module}"
    imported_package = package_of(name)
    if package is None:
        return f"{module} has no rank"
    if imported_package is None:
        return f"{name} has no rank"
    if topic(name) is not None and topic(module) not in (None, topic(name)):
        return "no topic imports another"
    if package == imported_package or RANK[package] > RANK[imported_package]:
        return None
    return f"{package} is not above {imported_package}"


def violations(module: str, source: str) -> list[str]:
    """Return what is wrong with the imports of a module."""
    lines = []
    if package_of(module) is None and module not in TOPS:
        lines.append(f"{module}: has no rank")
    for name in sorted(imports(source)):
        reason = complaint(module, name)
        if reason is not None:
            lines.append(f"{module}: {reason}")
    return lines


def test_imports_go_one_way():
    lines = []
    for module, source in modules():
        lines.extend(violations(module, source))

    assert lines == []


@pytest.mark.parametrize(
    ("module", "source", "reason"),
    [
        pytest.param(
            "dpcore.accountants.gdp",
            "from dpcore.mechanisms import Laplace",
            "dpcore.accountants is not above",
            id="upwards",
        ),
        pytest.param(
            "pages.x.tasks",
            "import streamlit as st",
            "streamlit is not for pages.x.tasks",
            id="a package for others",
        ),
        pytest.param(
            "pages.x.tasks", "from pages.y.tasks import z", "no topic imports another", id="topic"
        ),
        pytest.param("newcomer", "import math", "has no rank", id="unknown module"),
        pytest.param(
            "dpcore.attacks.audit", "import torch", "torch has no rank", id="unknown package"
        ),
    ],
)
def test_the_import_rule_can_fail(module, source, reason):
    assert any(reason in line for line in violations(module, source))


class TestCircles:
    def test_no_module_imports_in_a_circle(self):
        sources = dict(modules())
        imported_by: dict[str, set[str]] = {}
        for module, source in sources.items():
            imported = set()
            for name in imports(source):
                if name not in sources:
                    # A name in a module.
                    name = name.rpartition(".")[0]
                if name in sources and name != module:
                    imported.add(name)
            imported_by[module] = imported

        # Modules that import none of those left are in no circle.
        has_changed = True
        while has_changed:
            leaves = {
                module
                for module, imported in imported_by.items()
                if imported.isdisjoint(imported_by)
            }
            for module in leaves:
                del imported_by[module]
            has_changed = bool(leaves)

        assert imported_by == {}

    def test_no_module_hides_an_import_from_the_running_program(self):
        """Who needs a type only to name it needs less of it, or stands in the wrong place."""
        for module, source in modules():
            assert "TYPE_CHECKING" not in source, module

    def test_benchmarks_do_not_use_scripts(self):
        """Scripts may use what the benchmarks measure with, never the other way round."""
        sources = [path.read_text("utf-8") for path in (ROOT / "benchmarks").rglob("*.py")]

        assert sources
        for source in sources:
            assert not [name for name in imports(source) if within(name, "scripts")]
