"""Rules of the project, kept by reading its files: imports, configuration, version, pins,
addresses.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit import config

ROOT = Path(__file__).parents[1]


def within_package(name: str, package: str) -> bool:
    return name.partition(".")[0] == package


CONFIG = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))

# Packages from the ground up; a module, of the longest name that it starts with, imports from lower
# ones and its own.
RANK = """
    dpcore dpcore.accountants dpcore.mechanisms dpcore.training dpcore.regression dpcore.parties
    dpcore.estimators dpcore.attacks
    lab lab.statistics lab.data lab.models lab.uploads lab.experiment lab.label lab.sweeps
    ui.text pages.*.tasks ui.compute ui.charts pages.*.charts pages.*.texts
    ui.widgets ui.server ui.session ui.uploads ui.page ui.classroom ui.live ui.export ui.layout
    pages.*.page pages.topics pages.environment pages.main app
"""
RANK = {name: rank for rank, name in enumerate(RANK.split())}
# Modules of `pages` that belong to no topic.
SHARED = {"topics", "environment", "main"}
# What a module of a topic is, by how its name begins; any other is tasks: settings and results.
STEMS = {"page": "page", "texts": "texts", "charts": "charts"}
# Packages that are only a name for the packages inside.
HALLS = {"dpcore", "lab", "ui", "pages"}

ENGINE = tuple(name for name in RANK if within_package(name, "dpcore"))
LAB = tuple(name for name in RANK if within_package(name, "lab"))
UI = tuple(name for name in RANK if within_package(name, "ui"))
SERVING = ("security_headers", "static_files", "upload_limits")
# Which packages may import what we did not write. A dependency that is not listed is not one.
OTHERS = {
    "PIL": ("ui.charts",),
    "distributed": (),  # for `make sweep` alone
    "dp_accounting": ("dpcore.accountants.pld_distributions",),
    "joblib": ("lab.sweeps.parallel",),
    "numpy": (*ENGINE, *LAB, *UI, "pages.*.tasks", "pages.*.charts"),
    "orjson": UI,
    "pandas": ("lab.experiment.parts", "lab.sweeps.sweep", "pages.*.tasks", *UI),
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

# An address that is loaded: no link in a text, which a person clicks, no XML namespace, and not
# this machine.
HERE = r"www\.(?:w3|sitemaps)\.org/|localhost\b|127\.0\.0\.1"
ADDRESS = re.compile(rf"""(?<!\]\()(?:https?:|(?<=["'(]))//(?!{HERE})[\w[]""")
MACHINE_PATH = re.compile(
    r"(?<![\w.:/*-])(?:/(?:home|root|Users|work|opt|mnt|srv|tmp)/|[A-Z]:\\\\?Users\b)"
)
# Folders that commands write.
MADE = {"build", "dist", "site"}
TEXTS = {".py", ".js", ".css", ".html", ".toml", ".md", ".txt", ".sh", ".csv", ".yaml", ""}
PIN = re.compile(r"[A-Za-z0-9_.-]+==\d+(\.\d+)*")


def modules() -> Iterator[tuple[str, str]]:
    """(dotted name, text) of each Python module of the app."""
    for file in [
        ROOT / "app.py",
        *(one for top in ("dpcore", "lab", "ui", "pages") for one in (ROOT / top).rglob("*.py")),
    ]:
        dotted = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        yield dotted.removesuffix(".__init__"), file.read_text("utf-8")


def imports(source: str) -> set[str]:
    """The dotted names that a module imports, wherever in its text; a relative one begins with a
    dot.
    """
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{'.' * node.level}{node.module or ''}.{name.name}" for name in node.names}
    return names


def within(name: str, room: str) -> bool:
    return name == room or name.startswith(room + ".")


def room(name: str) -> str | None:
    """The package of a module, or of a name in one.

    >>> room("dpcore.accountants.pld"), room("pages.parties.tasks.Votes"), room("pages.attack.texts")
    ('dpcore.accountants', 'pages.*.tasks', 'pages.*.texts')
    """
    if topic(name) is not None:
        stem = module_name(name).partition("_")[0]
        return f"pages.*.{STEMS.get(stem, 'tasks')}"
    return max((key for key in RANK if within(name, key)), key=len, default=None)


def topic(name: str) -> str | None:
    hall, *rest = name.split(".")
    if hall != "pages" or not rest or rest[0] in SHARED:
        return None
    return rest[0]


def module_name(name: str) -> str:
    """The name of the module in a topic that a dotted name leads to, below the folders of parts."""
    folder = ROOT / "pages" / topic(name)
    for part in name.split(".")[2:]:
        folder /= part
        if not folder.is_dir():
            return part
    return "page"


def complaint(module: str, name: str) -> str | None:
    top, here, there = name.partition(".")[0], room(module), room(name)
    if top in sys.stdlib_module_names or name in HALLS:
        return None
    if top in OTHERS:
        allowed = any(here == one if one in RANK else within(module, one) for one in OTHERS[top])
        return None if allowed else f"{top} is not for {module}"
    if here is None or there is None:
        return f"{module if here is None else name} has no rank"
    if topic(name) and topic(module) not in (None, topic(name)):
        return "no topic imports another"
    return None if here == there or RANK[here] > RANK[there] else f"{here} is not above {there}"


def violations(module: str, source: str) -> list[str]:
    found = [
        f"{module}: {why}" for name in sorted(imports(source)) if (why := complaint(module, name))
    ]
    return found if room(module) or module in HALLS else [f"{module}: has no rank", *found]


def test_imports_go_one_way():
    assert [line for module, source in modules() for line in violations(module, source)] == []


def test_the_import_rule_can_fail():
    for module, source, why in (
        (
            "dpcore.accountants.gdp",
            "from dpcore.mechanisms import Laplace",
            "dpcore.accountants is not above",
        ),
        ("pages.x.tasks", "import streamlit as st", "streamlit is not for pages.x.tasks"),
        ("pages.x.tasks", "from pages.y.tasks import z", "no topic imports another"),
        ("newcomer", "import math", "has no rank"),
        ("dpcore.attacks.audit", "import torch", "torch has no rank"),
    ):
        assert [line for line in violations(module, source) if why in line]


def test_no_module_imports_in_a_circle():
    """Nor behind ``TYPE_CHECKING``: who needs a type only to name it needs less of it, or it stands
    the wrong way.
    """
    known = dict(modules())
    wanted = {
        name: (
            {one if one in known else one.rpartition(".")[0] for one in imports(text)}
            & known.keys() - {name}
        )
        for name, text in known.items()
    }
    assert [name for name, text in known.items() if "TYPE_CHECKING" in text] == []
    while leaves := {name for name, others in wanted.items() if not others & wanted.keys()}:
        wanted = {name: others for name, others in wanted.items() if name not in leaves}
    assert wanted == {}
    # Scripts may use what the benchmarks measure with, never the other way round.
    sources = [path.read_text("utf-8") for path in (ROOT / "benchmarks").rglob("*.py")]
    assert sources
    assert [name for source in sources for name in imports(source) if within(name, "scripts")] == []


def test_streamlit_asks_nobody_hides_tracebacks_and_knows_all_options(
    monkeypatch: pytest.MonkeyPatch,
):
    with monkeypatch.context() as patch:
        patch.chdir(ROOT)
        patch.setattr(config, "get_config_files", lambda name: [str(ROOT / ".streamlit" / name)])
        settings = dict(config.get_config_options(force_reparse=True))
    config.get_config_options(force_reparse=True)
    assert {name for name in flat(CONFIG) if name not in settings} == set()
    expected = {
        "runner.postScriptGC": False,  # redraws do not wait for a collection: see DECISIONS.md
        "browser.gatherUsageStats": False,
        # else a headless server asks a far one for this machine's
        "browser.serverAddress": "localhost",
        "client.showErrorDetails": "none",
        "server.headless": True,
    }
    assert {name: settings[name].value for name in expected} == expected
    assert "config.toml" in settings["browser.serverAddress"].where_defined


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colours_can_be_read(mode: str):
    theme = CONFIG["theme"][mode]
    for ground in (theme["backgroundColor"], theme["secondaryBackgroundColor"]):
        assert contrast(theme["textColor"], ground) >= 7  # WCAG AAA for text, AA below
        assert min(contrast(theme[name], ground) for name in ("linkColor", "primaryColor")) >= 4.5


def contrast(*colours: str) -> float:
    """The contrast ratio of two colours, WCAG 2.2."""
    parts = np.array([[int(one[at : at + 2], 16) / 255 for at in (1, 3, 5)] for one in colours])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    dark, light = np.sort(linear @ (0.2126, 0.7152, 0.0722))
    return (light + 0.05) / (dark + 0.05)


def flat(table: dict, prefix: str = "") -> Iterator[str]:
    for key, value in table.items():
        yield from flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [f"{prefix}{key}"]


def test_requirements_are_pinned_and_every_import_is_one():
    for name in ("requirements.txt", "requirements-dev.txt", "benchmarks/requirements.txt"):
        lines = [
            line.split("#")[0].strip() for line in (ROOT / name).read_text("utf-8").splitlines()
        ]
        lines = [line for line in lines if line and not line.startswith("-r ")]
        assert lines
        assert [line for line in lines if not PIN.fullmatch(line)] == []
    text = "".join(
        (ROOT / name).read_text("utf-8")
        for name in ("requirements.txt", "requirements-cluster.txt")
    )
    found = {name.replace("-", "_") for name in re.findall(r"^([A-Za-z-]+)==", text, re.MULTILINE)}
    assert found - {"scikit_learn", "pillow"} | {"sklearn", "PIL"} == set(OTHERS)


def texts(*tops: str) -> Iterator[tuple[str, int, str]]:
    """(file, line number, line) of the text files under the given names of the checkout."""
    for top in tops:
        path = ROOT / top
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and file.suffix in TEXTS and "__pycache__" not in file.parts:
                lines = file.read_text("utf-8").splitlines()
                yield from (
                    (str(file.relative_to(ROOT)), number, line)
                    for number, line in enumerate(lines, 1)
                )


def test_nothing_is_loaded_from_afar_and_no_file_knows_a_machine():
    """plotly.js, as published, is left to the browser tests: no page may ask anybody but its
    server.
    """
    files = texts("app.py", "pages", "ui", ".streamlit/config.toml")
    assert [
        f"{file}:{number}: {line}" for file, number, line in files if ADDRESS.search(line)
    ] == []
    for line in (
        "@import url('//fonts.googleapis.com/css2');",
        'import Plotly from "https://esm.sh/plotly.js"',
    ):
        assert ADDRESS.search(line)
    # Streamlit fetches a Material icon of the tab from afar, and has one of its own where none is
    # named.
    source = (ROOT / "pages" / "main.py").read_text("utf-8")
    icons = [
        node.value
        for node in ast.walk(ast.parse(source))
        if getattr(node, "arg", "") == "page_icon"
    ]
    assert icons
    assert not [one for one in icons if isinstance(one, ast.Constant) and ":" in str(one.value)]


def is_source(name: str) -> bool:
    """Whether a file or folder of the checkout is neither hidden nor made by a command."""
    if name in MADE or name.endswith(".egg-info"):
        return False
    return not name.startswith(".") or name in {".streamlit", ".ci", ".github"}


def test_every_delta_is_written_in_one_way():
    """As 1e-5 and rounded up, by ``delta``, in hover texts too, which no test of sentences
    reads.
    """
    by_itself = re.compile(
        r"\bdelta\w*(?:\W\])?:\.?\d*g\}|\b(?:format_number|number|plain)\((?:[\w.]*[._])?deltas?\b"
    )
    assert [
        f"{file}:{number}" for file, number, line in texts("pages", "ui") if by_itself.search(line)
    ] == []
    assert all(
        map(
            by_itself.search,
            ('f"delta {settings.delta:g}"', "panels.format_number(in_two.delta, digits=2)"),
        )
    )
    tops = [path.name for path in ROOT.iterdir() if is_source(path.name)]
    assert [
        f"{file}:{number}: {line}"
        for file, number, line in texts(*tops)
        if MACHINE_PATH.search(line)
    ] == []


def test_hooks_run_targets_of_the_makefile():
    targets = re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"))
    hooks = re.findall(
        r"(?m)^ *entry: (.*)$", (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    )
    assert hooks
    assert {*hooks} <= {f"make {target}" for target in targets}
