"""Rules of the project, kept by reading its files: options, colours, pins, addresses, hooks."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit import config

from tests.colour_vision import contrast
from tests.test_house import ALLOWED

ROOT = Path(__file__).parents[1]
CONFIG = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))

# An address that is loaded: no link in a text, which a person clicks, no XML namespace, and not
# this machine.
HERE = r"www\.(?:w3|sitemaps)\.org/|localhost\b|127\.0\.0\.1"
ADDRESS = re.compile(rf"""(?<!\]\()(?:https?:|(?<=["'(]))//(?!{HERE})[\w[]""")
MACHINE_PATH = re.compile(
    r"(?<![\w.:/*-])(?:/(?:home|root|Users|work|opt|mnt|srv|tmp)/|[A-Z]:\\\\?Users\b)"
)
# Folders that commands write.
OUTPUT_FOLDERS = {"build", "dist", "site"}
TEXTS = {".py", ".js", ".css", ".html", ".toml", ".md", ".txt", ".sh", ".csv", ".yaml", ""}
PIN = re.compile(r"[A-Za-z0-9_.-]+==\d+(\.\d+)*")


def flat_names(table: dict, prefix: str = "") -> Iterator[str]:
    """Yield the dotted names of the values in nested tables."""
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from flat_names(value, f"{name}.")
        else:
            yield name


class TestStreamlitOptions:
    @pytest.fixture
    def options(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict]:
        """All options of Streamlit as the lab starts."""
        with monkeypatch.context() as patch:
            patch.chdir(ROOT)
            patch.setattr(
                config, "get_config_files", lambda name: [str(ROOT / ".streamlit" / name)]
            )
            options = dict(config.get_config_options(force_reparse=True))
        yield options
        config.get_config_options(force_reparse=True)

    def test_streamlit_knows_all_that_are_set(self, options):
        assert [name for name in flat_names(CONFIG) if name not in options] == []

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            # Redraws do not wait for a collection: see DECISIONS.md.
            ("runner.postScriptGC", False),
            ("browser.gatherUsageStats", False),
            # Else a headless server asks a far one for this machine's address.
            ("browser.serverAddress", "localhost"),
            ("client.showErrorDetails", "none"),
            ("server.headless", True),
        ],
    )
    def test_it_asks_nobody_and_hides_tracebacks(self, options, name, value):
        assert options[name].value == value

    def test_the_address_is_that_of_the_file(self, options):
        assert "config.toml" in options["browser.serverAddress"].where_defined


# Contrast that WCAG 2.2 asks of text: AAA, and AA.
BEST_CONTRAST = 7
LEAST_CONTRAST = 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("background", ["backgroundColor", "secondaryBackgroundColor"])
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("textColor", BEST_CONTRAST),
        ("linkColor", LEAST_CONTRAST),
        ("primaryColor", LEAST_CONTRAST),
    ],
)
def test_colours_can_be_read(mode, background, name, least):
    theme = CONFIG["theme"][mode]

    assert contrast(theme[name], theme[background]) >= least


class TestRequirements:
    @pytest.mark.parametrize(
        "name", ["requirements.txt", "requirements-dev.txt", "benchmarks/requirements.txt"]
    )
    def test_every_one_is_pinned(self, name):
        requirements = []
        for line in (ROOT / name).read_text("utf-8").splitlines():
            requirement = line.partition("#")[0].strip()
            if requirement and not requirement.startswith("-r "):
                requirements.append(requirement)

        assert requirements
        assert [line for line in requirements if not PIN.fullmatch(line)] == []

    def test_every_imported_package_is_one_and_no_other(self):
        names = set()
        for file in ("requirements.txt", "requirements-cluster.txt"):
            text = (ROOT / file).read_text("utf-8")
            names.update(re.findall(r"^([A-Za-z-]+)==", text, re.MULTILINE))
        # Packages that are imported by another name than they are installed by.
        imported_as = {"scikit-learn": "sklearn", "pillow": "PIL"}

        modules = {imported_as.get(name, name.replace("-", "_")) for name in names}

        assert modules == set(ALLOWED)


def text_lines(*tops: str) -> Iterator[tuple[str, str]]:
    """Yield (file and line number, line) of the text files under names of the checkout."""
    for top in tops:
        path = ROOT / top
        files = [path]
        if path.is_dir():
            files = sorted(path.rglob("*"))
        for file in files:
            if not file.is_file() or file.suffix not in TEXTS or "__pycache__" in file.parts:
                continue
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                yield f"{file.relative_to(ROOT)}:{number}", line


def places_of(pattern: re.Pattern, *tops: str) -> list[str]:
    """Return the lines with a pattern, after the file and line number of each."""
    return [f"{place}: {line}" for place, line in text_lines(*tops) if pattern.search(line)]


class TestNothingIsLoadedFromAfar:
    """plotly.js, as published, is left to the browser tests: no page may ask anybody but its
    server.
    """

    def test_no_file_has_an_address_that_is_loaded(self):
        assert places_of(ADDRESS, "app.py", "pages", "ui", ".streamlit/config.toml") == []

    @pytest.mark.parametrize(
        "line",
        [
            "@import url('//fonts.googleapis.com/css2');",
            'import Plotly from "https://esm.sh/plotly.js"',
        ],
    )
    def test_the_rule_can_fail(self, line):
        assert ADDRESS.search(line)

    def test_the_icon_of_the_tab_is_a_file(self):
        """Streamlit fetches a Material icon from afar, and has one of its own where none is
        named.
        """
        source = (ROOT / "pages" / "main.py").read_text("utf-8")
        icons = []
        for node in ast.walk(ast.parse(source)):
            if getattr(node, "arg", "") == "page_icon":
                icons.append(node.value)

        assert icons
        for icon in icons:
            is_material = isinstance(icon, ast.Constant) and ":" in str(icon.value)
            assert not is_material


def is_source(name: str) -> bool:
    """Return whether a file or folder of the checkout is neither hidden nor made by a command."""
    if name in OUTPUT_FOLDERS or name.endswith(".egg-info"):
        return False
    return not name.startswith(".") or name in {".streamlit", ".ci", ".github"}


def test_no_file_knows_a_machine():
    tops = [path.name for path in ROOT.iterdir() if is_source(path.name)]

    assert places_of(MACHINE_PATH, *tops) == []


class TestDeltas:
    """Every delta is written as 1e-5 and rounded up, by ``delta``, in hover texts too, which no
    test of sentences reads.
    """

    OTHER_WAYS = re.compile(
        r"\bdelta\w*(?:\W\])?:\.?\d*g\}|\b(?:format_number|number|plain)\((?:[\w.]*[._])?deltas?\b"
    )

    def test_no_file_writes_one_in_another_way(self):
        assert places_of(self.OTHER_WAYS, "pages", "ui") == []

    @pytest.mark.parametrize(
        "line",
        ['f"delta {settings.delta:g}"', "panels.format_number(in_two.delta, digits=2)"],
    )
    def test_the_rule_can_fail(self, line):
        assert self.OTHER_WAYS.search(line)


def test_hooks_run_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    configuration = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    targets = re.findall(r"(?m)^([a-z]+):", makefile)

    hooks = re.findall(r"(?m)^ *entry: (.*)$", configuration)

    assert hooks
    assert set(hooks) <= {f"make {target}" for target in targets}
