"""The rules of the house, kept by reading its files: imports, configuration, pins, addresses."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit import config

ROOT = Path(__file__).parents[1]

# Rooms from the ground up. A module belongs to the longest name that it starts with; it may import from rooms
# of a lower rank, and from its own room. A new module of the engine gets its place here, on purpose.
RANK = {
    "dpcore.check": 0,
    "dpcore.papers": 0,
    "dpcore.privacy": 1,
    "dpcore.streams": 1,
    "dpcore.cores": 1,
    "dpcore.lots": 2,
    "dpcore.accountants": 2,
    "dpcore.losses": 3,
    "dpcore.mechanisms": 3,
    "dpcore.clipping": 4,
    "dpcore.networks": 4,
    "dpcore.descent": 5,
    "dpcore.frank_wolfe": 5,
    "dpcore.transfer": 6,
    "dpcore.sgd": 5,
    "dpcore.erm": 6,
    "dpcore.learners": 6,
    "dpcore.audit": 7,
    "dpcore.audit_runs": 7,
    "dpcore.data": 7,
    "dpcore.word_counts": 5,
    "dpcore.domain_text": 6,
    "dpcore.own_texts": 6,
    "dpcore.domains": 7,
    "dpcore.regression_data": 7,
    "dpcore.parties": 7,
    "dpcore.regions": 7,
    "dpcore.sweep": 7,
    "dpcore.experiments": 8,
    "ui.figures": 9,
    "ui.live": 10,
    "ui.vocabulary": 10,
    "ui.compute": 11,
    "ui.controls": 11,
    "ui.pins": 12,
    "ui.own_file": 13,
    "ui.panels": 13,
    "ui.sentences": 14,
    "app_pages": 15,
    "app": 16,
}
# Packages without code of their own: a name for the rooms inside.
HALLS = {"dpcore", "ui"}

# Which rooms may import what we did not write. A dependency that is not listed is not one.
OTHERS = {
    "PIL": ("ui.figures",),
    "dp_accounting": ("dpcore.accountants.pld",),
    "numpy": ("dpcore", "ui"),
    "orjson": ("ui",),
    "pandas": ("dpcore.sweep", "dpcore.data", "dpcore.experiments", "ui"),
    "plotly": ("ui",),
    "scipy": ("dpcore",),
    "sklearn": (
        "dpcore.learners",
        "dpcore.data",
        "dpcore.regression_data",
        "dpcore.parties",
        "dpcore.domains",
        "dpcore.domain_text",
        "dpcore.word_counts",
    ),
    "streamlit": (
        "ui.compute",
        "ui.controls",
        "ui.live",
        "ui.own_file",
        "ui.pins",
        "ui.panels",
        "ui.sentences",
        "app_pages",
        "app",
    ),
    "threadpoolctl": ("dpcore", "ui.compute", "app"),
}

# An address that a browser or the server would load. A link in a text is for a person to click; an XML
# namespace is only a name; localhost is this machine.
ADDRESS = re.compile(r"""(?<!\]\()(?:https?:|(?<=["'(]))//(?!www\.w3\.org/|localhost\b|127\.0\.0\.1)[\w[]""")
MACHINE_PATH = re.compile(r"(?<![\w.:/*-])(?:/(?:home|root|Users|work|opt|mnt|srv|tmp)/|[A-Z]:\\\\?Users\b)")
TEXTS = {".py", ".js", ".css", ".html", ".toml", ".md", ".txt", ".sh", ".csv", ""}
PIN = re.compile(r"[A-Za-z0-9_.-]+==\d+(\.\d+)*")


def modules() -> Iterator[tuple[str, str]]:
    """(dotted name, text) of each Python module of the app."""
    files = [
        ROOT / "app.py",
        *(file for top in ("dpcore", "ui", "app_pages") for file in (ROOT / top).rglob("*.py")),
    ]
    for file in files:
        dotted = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        yield dotted.removesuffix(".__init__"), file.read_text("utf-8")


def imports(source: str) -> set[str]:
    """The dotted names that a module imports, wherever in its text; a relative one begins with a dot."""
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
    return max((key for key in RANK if within(name, key)), key=len, default=None)


def complaint(module: str, name: str) -> str | None:
    """Why ``module`` may not import ``name``; None where it may."""
    top, here, there = name.partition(".")[0], room(module), room(name)
    if top in sys.stdlib_module_names or name in HALLS:
        return None
    if top in OTHERS:
        return None if any(within(module, allowed) for allowed in OTHERS[top]) else f"{top} is not for {module}"
    if here is None or there is None:
        return f"{module if here is None else name} has no rank"
    if here == there:
        return "a page is no library" if here == "app_pages" else None
    return None if RANK[here] > RANK[there] else f"{here} is not above {there}"


def violations(module: str, source: str) -> list[str]:
    """What is wrong with the place of a module and with its imports, a sentence each."""
    found = [f"{module}: {why}" for name in sorted(imports(source)) if (why := complaint(module, name))]
    return found if room(module) or module in HALLS else [f"{module}: has no rank", *found]


def test_imports_go_one_way():
    assert [line for module, source in modules() for line in violations(module, source)] == []


@pytest.mark.parametrize(
    ("module", "source", "why"),
    [
        ("dpcore.check", "from dpcore.privacy import Event", "dpcore.check is not above dpcore.privacy"),
        ("dpcore.privacy", "import dpcore.accountants.gdp", "dpcore.privacy is not above dpcore.accountants"),
        ("dpcore.losses", "from dpcore import mechanisms", "dpcore.losses is not above dpcore.mechanisms"),
        (
            "dpcore.descent",
            "def f():\n    from dpcore import audit",
            "dpcore.descent is not above dpcore.audit",
        ),
        (
            "dpcore.sweep",
            "from dpcore.experiments import run",
            "dpcore.sweep is not above dpcore.experiments",
        ),
        ("dpcore.experiments.x", "import ui.figures.x", "dpcore.experiments is not above ui.figures"),
        ("dpcore.experiments.x", "import streamlit as st", "streamlit is not for dpcore.experiments.x"),
        ("dpcore.data", "import plotly.graph_objects as go", "plotly is not for dpcore.data"),
        ("dpcore.descent", "import pandas as pd", "pandas is not for dpcore.descent"),
        ("dpcore.losses", "from sklearn.utils import resample", "sklearn is not for dpcore.losses"),
        ("dpcore.accountants.rdp", "import dp_accounting", "dp_accounting is not for dpcore.accountants.rdp"),
        ("dpcore", "import numpy.random\nfrom scipy import stats", None),
        ("dpcore", "from dpcore.check import positive", "dpcore has no rank"),
        ("dpcore.newcomer", "import math", "has no rank"),
        ("dpcore.audit", "import torch", "torch has no rank"),
        ("dpcore.audit", "from .check import positive", ".check.positive has no rank"),
        ("ui.figures.x", "import streamlit", "streamlit is not for ui.figures.x"),
        ("ui.figures.x", "from ui.controls import epsilon", "ui.figures is not above ui.controls"),
        ("ui.panels", "from app_pages import x", "ui.panels is not above app_pages"),
        ("app_pages.x", "import numpy as np", "numpy is not for app_pages.x"),
        ("app_pages.x", "from scipy.stats import norm", "scipy is not for app_pages.x"),
        ("app_pages.x", "import sklearn", "sklearn is not for app_pages.x"),
        ("app_pages.x", "import app_pages.y", "a page is no library"),
        ("dpcore.experiments.x", "import numpy, pandas\nfrom dpcore import papers, sweep", None),
        ("dpcore.learners.x", "from sklearn.base import clone\nfrom dpcore.learners.y import z", None),
        ("ui.figures.x", "from dpcore.experiments.x import Result\nimport plotly", None),
        (
            "app_pages.x",
            "import streamlit as st\nfrom ui import controls, live\nfrom dpcore.experiments import x",
            None,
        ),
        ("app", "import streamlit as st\nfrom app_pages import x", None),
    ],
)
def test_the_import_rule_can_fail(module: str, source: str, why: str | None):
    found = violations(module, source)
    assert [line for line in found if why and why in line] if why else found == []


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict]:
    """Streamlit's options as it reads them in the checkout, without those of the person's home."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(config, "get_config_files", lambda name: [str(ROOT / ".streamlit" / name)])
    options = config.get_config_options(force_reparse=True)
    yield options
    monkeypatch.undo()
    config.get_config_options(force_reparse=True)


def test_streamlit_has_every_option_that_we_set(settings: dict):
    ours = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))
    assert {name for name in flat(ours) if name not in settings} == set()


def test_redraws_do_not_wait_for_a_collection(settings: dict):
    assert "runner.postScriptGC" in settings, "Streamlit dropped the option: see DECISIONS.md"
    assert settings["runner.postScriptGC"].value is False


def test_nothing_is_told_or_asked_outside(settings: dict):
    assert settings["browser.gatherUsageStats"].value is False
    # Without an address of ours, a headless server asks a far one for this machine's
    assert settings["browser.serverAddress"].value == "localhost"
    assert "config.toml" in settings["browser.serverAddress"].where_defined


def test_a_visitor_sees_no_traceback(settings: dict):
    assert settings["client.showErrorDetails"].value == "none"
    assert settings["server.headless"].value is True


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colours_can_be_read(mode: str):
    theme = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["theme"][mode]
    for ground in (theme["backgroundColor"], theme["secondaryBackgroundColor"]):
        assert contrast(theme["textColor"], ground) >= 7  # WCAG AAA for text, AA below
        assert contrast(theme["linkColor"], ground) >= 4.5
        assert contrast(theme["primaryColor"], ground) >= 3
        assert all(contrast(colour, ground) >= 3 for colour in theme["chartCategoricalColors"])
    assert contrast(theme["primaryColor"], "#FFFFFF") >= 4.5  # white words on a primary button


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, WCAG 2.2.

    >>> contrast("#000000", "#FFFFFF")
    21.0
    """
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue))
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def flat(table: dict, prefix: str = "") -> Iterator[str]:
    for key, value in table.items():
        yield from flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [f"{prefix}{key}"]


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt", "benchmarks/requirements.txt"])
def test_requirements_are_pinned(name: str):
    lines = [line.split("#")[0].strip() for line in (ROOT / name).read_text("utf-8").splitlines()]
    lines = [line for line in lines if line and not line.startswith("-r ")]
    assert lines
    assert [line for line in lines if not PIN.fullmatch(line)] == []


def test_every_import_is_a_requirement():
    text = (ROOT / "requirements.txt").read_text("utf-8").replace("scikit-learn==", "sklearn==")
    found = re.findall(r"^([A-Za-z-]+)==", text.replace("pillow==", "PIL=="), re.MULTILINE)
    assert {name.replace("-", "_") for name in found} == set(OTHERS)


def texts(*tops: str) -> Iterator[tuple[str, int, str]]:
    """(file, line number, line) of the text files under the given names of the checkout."""
    for top in tops:
        path = ROOT / top
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and file.suffix in TEXTS and "__pycache__" not in file.parts:
                lines = file.read_text("utf-8").splitlines()
                yield from ((str(file.relative_to(ROOT)), number, line) for number, line in enumerate(lines, 1))


def test_nothing_is_loaded_from_afar():
    files = texts("app.py", "app_pages", "ui", ".streamlit/config.toml")
    assert [f"{file}:{number}: {line}" for file, number, line in files if ADDRESS.search(line)] == []


@pytest.mark.parametrize(
    ("line", "far"),
    [
        ('<script src="https://cdn.plot.ly/plotly.min.js">', True),
        ("@import url('//fonts.googleapis.com/css2');", True),
        ('import Plotly from "https://esm.sh/plotly.js"', True),
        ('fetch("http://192.0.2.1/x")', True),
        ("src = '//cdn.example.org/x.js'", True),
        ('st.markdown("see [the paper](https://arxiv.org/abs/1805.06530)")', False),
        ('document.createElementNS("http://www.w3.org/2000/svg", "path")', False),
        ('"http://localhost:8501"', False),
        ("const half = width // 2;", False),
        ('import Plotly from "./plotly.js"  // next to us', False),
    ],
)
def test_the_address_rule_can_fail(line: str, far: bool):
    assert bool(ADDRESS.search(line)) == far


def far_icon(app: str) -> bool:
    """Whether the tab's icon would be fetched: a Material icon is, and a page's where none is named."""
    calls = [node for node in ast.walk(ast.parse(app)) if isinstance(node, ast.keyword) and node.arg == "page_icon"]
    return not calls or any(isinstance(call.value, ast.Constant) and ":" in str(call.value.value) for call in calls)


def test_the_icon_of_the_tab_is_ours():
    assert not far_icon((ROOT / "app.py").read_text("utf-8"))
    assert far_icon('st.set_page_config(page_title="x")')
    assert far_icon('st.set_page_config(page_icon=":material/home:")')
    assert far_icon('st.set_page_config(page_icon="https://example.org/icon.png")')
    assert not far_icon('st.set_page_config(page_icon="ui/icon.svg")')


def test_no_file_knows_a_machine():
    tops = [path.name for path in ROOT.iterdir() if not path.name.startswith(".") or path.name in {".streamlit", ".ci"}]
    assert [f"{file}:{number}: {line}" for file, number, line in texts(*tops) if MACHINE_PATH.search(line)] == []


@pytest.mark.parametrize("top", ["home", "root", "Users", "opt", "tmp"])
def test_the_machine_rule_can_fail(top: str):
    assert MACHINE_PATH.search(f'open("/{top}/me/data.csv")')
    assert not MACHINE_PATH.search(f"https://example.org/{top}/x, or ./{top}/me")
