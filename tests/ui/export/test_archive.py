"""What is taken away stands alone: *Share*, tables, programs, and a folder whose script prints the
numbers.
"""

import io
import json
import re
import subprocess
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lab.experiment.links import VERSION, versioned
from lab.experiment.settings import Settings
from pages.topics import PAGES
from scripts import sweep
from tests.app import opened
from tests.handouts import quick
from tests.test_house import imports
from ui.export import archive as takeaway
from ui.export import share_dialog as share
from ui.server import page_address, qr_code
from ui.session.entries import from_link
from ui.session.page_state import PageState

# The pages whose scripts run at each commit; what the others import is held below.
SHORT = ("classifier", "attack", "accounting")
# Tables show numbers with six digits.
SIX_DIGITS = 1e-5
# Calibration may leave this share of epsilon unspent.
UNSPENT_SHARE = 1e-3
# Runs a script in its folder, where nothing of this checkout and nothing that belongs to a browser
# can be imported.
ALONE = """
import runpy, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"streamlit", "plotly", "starlette", "PIL", "orjson", "ui"}:
            raise ImportError(f"{name} is no part of what was taken away")
sys.meta_path.insert(0, Refuse())
sys.path[0] = "."
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def run_alone(folder: Path, program: str) -> str:
    """Return what a program prints that runs in a folder without this checkout."""
    return subprocess.check_output(
        [sys.executable, "-I", "-c", ALONE, program], cwd=folder, text=True, timeout=300
    )


def printed_epsilon(output: str) -> float:
    """Return the epsilon of the guarantee that an estimator's program prints."""
    (epsilon,) = re.findall(r"Guarantee\(epsilon=([\d.e+-]+),", output)
    return float(epsilon)


def pages_to_run() -> list[Any]:
    """Return parameters of tests, of which those of slow scripts are for the night."""
    parameters = []
    for page in PAGES:
        marks = [] if page.name in SHORT else [pytest.mark.soak]
        parameters.append(pytest.param(page, id=page.name, marks=marks))
    return parameters


@pytest.mark.parametrize("page", pages_to_run())
class TestZipInAnEmptyFolder:
    @pytest.fixture
    def folder(self, page, tmp_path) -> Path:
        """The only folder of the unpacked zip of settings that are computed quickly."""
        with zipfile.ZipFile(io.BytesIO(share.bundle(quick(page)))) as archive:
            archive.extractall(tmp_path)
        (folder,) = tmp_path.iterdir()
        return folder

    def test_the_script_prints_the_table_of_the_page(self, page, folder):
        table = quick(page).result.table().to_string()

        assert run_alone(folder, "script.py") == table + "\n"

    def test_there_is_an_estimator_if_the_page_has_one(self, page, folder):
        assert (folder / "estimator.py").exists() == bool(page.exports.code)

    def test_the_estimator_has_the_guarantee_of_the_page(self, page, folder):
        if not page.exports.code:
            pytest.skip("the page has no estimator")

        epsilon = printed_epsilon(run_alone(folder, "estimator.py"))

        assert epsilon == pytest.approx(quick(page).settings.epsilon, rel=UNSPENT_SHARE)

    def test_the_settings_are_those_of_the_page(self, page, folder):
        settings = quick(page).settings

        stored = json.loads((folder / "settings.json").read_text())

        assert stored == {"page": page.name} | versioned(asdict(settings))
        # What if is about settings of another page, which no sweep takes.
        if page.name != "what-if":
            assert sweep.read(str(folder / "settings.json")) == (page.name, settings)

    def test_the_requirements_are_listed(self, page, folder):
        assert (folder / "requirements.txt").read_text() == takeaway._requirements()

    def test_each_table_has_the_numbers_of_the_page(self, page, folder):
        downloads = page.exports.downloads(quick(page).result)

        files = list(folder.glob("tables/*.csv"))

        assert len(files) == len(downloads)
        for name, make_table in downloads.items():
            (file,) = folder.glob(f"tables/*_{name.lower().replace(' ', '-')}.csv")
            numbers = pd.DataFrame(make_table()).select_dtypes("number")
            stored = pd.read_csv(file, comment="#")[list(numbers)]
            np.testing.assert_allclose(stored, numbers, rtol=SIX_DIGITS, err_msg=name)


class TestRequirements:
    @pytest.fixture
    def pins(self) -> list[str]:
        """Return the lines of the requirements that go with a program."""
        return takeaway._requirements().splitlines()

    def test_the_listed_requirements_are_the_packages_that_programs_import(self, pins):
        imported = set()
        for page in PAGES:
            sources = takeaway._sources(takeaway.script(page.settings()))
            for file, source in sources.items():
                if file.endswith(".py"):
                    imported.update(name.partition(".")[0] for name in imports(source))
        imported -= {*sys.stdlib_module_names, "dpcore", "lab", "pages"}
        names_of_packages = {"sklearn": "scikit-learn", "dp_accounting": "dp-accounting"}
        packages = {names_of_packages.get(name, name) for name in imported}

        listed = {pin.partition("==")[0] for pin in pins}

        assert listed == packages

    def test_the_listed_requirements_are_pinned_as_those_of_the_lab(self, pins):
        of_the_lab = (takeaway.ROOT / "requirements.txt").read_text().splitlines()

        assert set(pins) <= set(of_the_lab)


class TestTable:
    """Answers and names of columns of a visitor's file stand in tables that a spreadsheet opens."""

    FORMULAS = (
        '=HYPERLINK("http://evil.test")',
        "+1+cmd|' /C calc'!A1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "＝1",
    )
    PLAIN = ("yes", "-", "-0.5", "+1,234.5", "-3 %", "1e-5", "a=b", "", "x\r=1")
    CELLS = (*FORMULAS, *PLAIN)

    @pytest.fixture
    def settings(self) -> Settings:
        """Return settings of the first page, with a seed that is not the default."""
        return PAGES[0].settings(seed=77)

    @pytest.fixture
    def frame(self) -> pd.DataFrame:
        """Return a table with all cells as texts and as categories, and two columns of numbers."""
        count = len(self.CELLS)
        return pd.DataFrame(
            {
                "=answer": self.CELLS,
                "share": np.linspace(-1, 50.550000000000004, count),
                "count": np.arange(count) - 1,
                "group": pd.Categorical(self.CELLS),
            }
        )

    @pytest.fixture
    def text(self, frame, settings) -> str:
        """Return the table as the text of a CSV file, below comments."""
        return takeaway.table(frame, title="By class", settings=settings, link="http://x/?seed=77")

    @pytest.fixture
    def stored(self, text) -> pd.DataFrame:
        """What another program reads."""
        return pd.read_csv(io.StringIO(text, newline=""), comment="#", keep_default_na=False)

    def test_a_table_begins_with_its_title_settings_and_link(self, text, settings):
        title, settings_line, link, *_ = text.splitlines()

        assert title == "# Epsilon Lab: By class"
        assert json.loads(settings_line.removeprefix("# settings: ")) == asdict(settings)
        assert link == "# link: http://x/?seed=77"

    @pytest.mark.parametrize(
        "column", [pytest.param("'=answer", id="texts"), pytest.param("group", id="categories")]
    )
    def test_no_cell_is_a_formula(self, stored, column):
        """An apostrophe makes it a text. Line breaks are of one kind."""
        texts = [cell.replace("\r", "\n") for cell in self.CELLS]
        for index, _ in enumerate(self.FORMULAS):
            texts[index] = f"'{texts[index]}"

        assert stored[column].tolist() == texts

    def test_no_name_of_a_column_is_a_formula(self, stored):
        assert list(stored) == ["'=answer", "share", "count", "group"]

    def test_numbers_are_kept_with_six_digits(self, stored, frame, text):
        np.testing.assert_allclose(stored["share"], frame["share"], rtol=SIX_DIGITS)
        assert stored["count"].tolist() == frame["count"].tolist()
        assert ",50.55," in text


class TestNamesOfFiles:
    @pytest.mark.parametrize(
        ("fields", "name"),
        [
            pytest.param({}, "classifier", id="defaults"),
            pytest.param(
                {"epsilon": "0.3", "seed": "5"}, "classifier_epsilon-0.3_seed-5", id="two fields"
            ),
            pytest.param(
                {"dataset": "own", "own": "7DCot1EibfASVoH5RxGdSQ", "rows": "2400"},
                "classifier_my-data_rows-2400",
                id="an uploaded file",
            ),
            pytest.param(
                {"field": "../a b.csv"}, "classifier_field-..-a-b.csv", id="a path in a value"
            ),
        ],
    )
    def test_the_name_of_a_file_has_the_fields_that_differ(self, fields, name):
        assert takeaway.file_stem("classifier", fields) == name

    def test_long_names_are_cut_and_do_not_collide(self):
        first = takeaway.file_stem("x", {"field": "9" * 200 + "a"})
        second = takeaway.file_stem("x", {"field": "9" * 200 + "b"})

        assert first != second
        assert len(first) <= 100
        assert len(second) <= 100


# As little work as there is on each page.
LITTLE_WORK = {
    "steps": 3,
    "public_steps": 3,
    "epochs": 1,
    "repeats": 2,
    "parties": 10,
    "members": 10,
    "sources": 2,
    "dimension": 5,
    "rows": 200,
    "source_rows": 100,
    "target_rows": 200,
    "public_rows": 200,
}
# The option of a data set that needs a person's file first.
OWN = "own"


def with_little_work(settings: Settings, **changes: str) -> Settings:
    """Return settings with changes and as little work as they allow."""
    if changes:
        settings = settings.change(**changes)
    for name, value in LITTLE_WORK.items():
        if name in settings.limits:
            low, high = settings.limits[name]
            settings = settings.change(**{name: min(max(low, value), high)})
    if "repeats" in settings.choices:
        settings = settings.change(repeats=min(settings.choices["repeats"]))
    return settings


def parts_of_pages() -> list[Any]:
    """Return (page, settings with little work) of each page, or of each of its parts."""
    parameters = []
    for page in PAGES:
        start = page.settings()
        if "part" in start.choices:
            for part in start.choices["part"]:
                settings = with_little_work(start, part=part)
                parameters.append((page, settings, f"{page.name} {part}"))
        else:
            parameters.append((page, with_little_work(start), page.name))
    return [
        pytest.param(page.at(settings), settings, id=name) for page, settings, name in parameters
    ]


@pytest.mark.parametrize(("page", "settings"), parts_of_pages())
class TestPrograms:
    def test_the_script_prints_a_table(self, page, settings, capsys):
        exec(takeaway.script(settings), {})

        _, *rows = capsys.readouterr().out.splitlines()
        assert any(row.startswith("0 ") for row in rows)

    def test_the_estimator_runs_with_every_choice(self, page, settings, capsys):
        if not page.exports.code:
            pytest.skip("the page has no estimator")

        for field, options in settings.choices.items():
            for option in set(options) - {OWN}:
                changed = with_little_work(settings, **{field: str(option)})
                exec(page.exports.code(changed), {})
                epsilon = printed_epsilon(capsys.readouterr().out)
                assert 0 < epsilon < float("inf"), (field, option)

    def test_only_the_classifiers_estimator_counts_by_person(self, page, settings, capsys):
        if not page.exports.code or "rows_each" not in settings.limits:
            pytest.skip("the page has no estimator that could count by person")

        exec(page.exports.code(settings.change(rows_each=7)), {})

        output = capsys.readouterr().out
        assert ("unit='person'" in output) == (page.name == "classifier")


HERE = "http://localhost:8501/classifier"
IN_THE_NETWORK = "http://10.1.2.3:8501"
OWN_ADDRESS = "10.1.2.3"


@pytest.mark.parametrize(
    ("link", "options", "own_address", "link_in_the_network"),
    [
        pytest.param(
            f"{HERE}?epsilon=1",
            {},
            OWN_ADDRESS,
            f"{IN_THE_NETWORK}/classifier?epsilon=1",
            id="localhost",
        ),
        pytest.param("http://[::1]:8501/x", {}, OWN_ADDRESS, f"{IN_THE_NETWORK}/x", id="IPv6"),
        pytest.param(
            "https://lab.example.org/classifier", {}, OWN_ADDRESS, "", id="a public server"
        ),
        pytest.param(HERE, {}, "", "", id="no network"),
        pytest.param(
            HERE,
            {"server.address": "127.0.0.1"},
            OWN_ADDRESS,
            "",
            id="a server that listens to this machine alone",
        ),
        pytest.param(
            HERE,
            {"server.allowedHosts": ["localhost"]},
            OWN_ADDRESS,
            "",
            id="a server that answers to no such address",
        ),
        pytest.param(
            HERE,
            {"server.allowedHosts": ["localhost", OWN_ADDRESS]},
            OWN_ADDRESS,
            f"{IN_THE_NETWORK}/classifier",
            id="a server that answers to the address",
        ),
    ],
)
def test_a_link_of_this_machine_has_one_for_the_network_if_the_server_answers_there(
    link, options, own_address, link_in_the_network, monkeypatch
):
    monkeypatch.setattr(page_address, "own_address", lambda: own_address)
    monkeypatch.setattr(st, "get_option", options.get)

    assert page_address.network_link(link) == link_in_the_network


def labels_of_downloads(app: AppTest) -> list[str]:
    """Return the labels of the app's download buttons."""
    return [button.proto.label for button in app.get("download_button")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
class TestSharing:
    def test_every_page_offers_its_handout(self, page):
        app = opened(page.name)

        expected = {"Handout"}
        if page.name == "what-if":
            # That of the epsilon which the card recommends.
            expected.add("Label")
        assert set(labels_of_downloads(app)) == expected

    def test_every_page_shares_its_link_tables_and_programs(self, page):
        app = opened(page.name)

        app.session_state[f"{page.name}/share"] = True
        app.run()

        assert not app.exception
        assert f"?v={VERSION}" in app.code[0].value
        (image,) = app.get("image")
        (code,) = image.proto.imgs
        assert code.alt == qr_code.QR_ALT
        labels = labels_of_downloads(app)
        assert "Handout" in labels
        assert "Privacy label (HTML)" in labels
        assert any("(CSV)" in label for label in labels)


def test_a_shared_link_opens_the_open_tab_without_folded_out_settings():
    app = opened("classifier", epsilon="2", tab="guarantee", more="1")
    app.session_state["classifier/share"] = True

    app.run()

    assert app.code[0].value.endswith(f"?epsilon=2.0&tab=guarantee&v={VERSION}")


class TestNotesOfASavedChart:
    PAGE = PAGES[0]

    @pytest.fixture
    def settings(self) -> Settings:
        """Return settings of the first page, with data, epsilon and seed not the default."""
        return self.PAGE.settings(dataset="iris", epsilon=0.3, seed=9)

    @pytest.fixture
    def notes(self, settings, monkeypatch) -> dict[str, Any]:
        """Return the lines under a saved chart of the page, and the stem of its file name."""
        monkeypatch.setattr(st, "context", SimpleNamespace(url=HERE))
        state = PageState(page=self.PAGE.name, settings=settings)
        state.choices = {
            "dataset": ("Data", {"iris": "Iris"}),
            "version": ("Method", {"correct": "Correct"}),
        }
        return share.saved_chart_notes(self.PAGE, state, "")

    def test_the_first_line_has_the_question_of_the_page(self, notes):
        question, _, _ = notes["lines"]

        assert self.PAGE.info.question in question

    def test_the_second_line_has_the_settings_but_those_by_default(self, notes):
        _, words, _ = notes["lines"]

        assert "Data Iris" in words
        assert "Method Correct" in words
        assert "Epsilon 0.3" in words
        assert "Repeats 24" in words
        assert "Seed 9" in words
        assert "Clipping norm" not in words

    def test_the_third_line_is_the_link(self, notes, settings):
        _, _, link = notes["lines"]

        query = dict(parse_qsl(link.removeprefix(f"{HERE}?")))

        assert query == {
            "dataset": "iris",
            "rows": "75",
            "epsilon": "0.3",
            "seed": "9",
            "v": str(VERSION),
        }
        assert from_link(self.PAGE.settings, query) == (settings, [])

    def test_the_name_of_the_file_has_the_settings(self, notes):
        assert "epsilon-0.3" in notes["stem"]
