"""What is taken away stands alone: *Share*, tables, programs, and a folder whose script prints the
numbers.
"""

import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from lab.experiment.links import VERSION, versioned
from lab.experiment.settings import Settings
from pages.topics import PAGES
from scripts import sweep
from tests.app import opened
from tests.handouts import quick
from tests.test_house import imports
from ui.export import archive as takeaway
from ui.export import share_dialog as share
from ui.server import qr_code
from ui.session.entries import from_link
from ui.session.page_state import PageState

# At each commit; what the other scripts import is held below, without running them.
SHORT = ("classifier", "attack", "accounting")
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
    return subprocess.check_output(
        [sys.executable, "-I", "-c", ALONE, program], cwd=folder, text=True, timeout=300
    )


def guaranteed(printed: str) -> float:
    return float(re.search(r"Guarantee\(epsilon=([\d.e+-]+),", printed)[1])


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.name, marks=() if page.name in SHORT else pytest.mark.soak)
        for page in PAGES
    ],
)
def test_zip_stands_alone_in_an_empty_folder(page, tmp_path):
    """Its script prints the numbers of the page, its tables hold them, and its estimator has the
    page's guarantee.
    """
    one = quick(page)
    settings, result = one.settings, one.result
    with zipfile.ZipFile(io.BytesIO(share.bundle(one))) as archive:
        archive.extractall(tmp_path)
    (here,) = tmp_path.iterdir()
    assert run_alone(here, "script.py") == result.table().to_string() + "\n"
    assert (here / "estimator.py").exists() == bool(page.exports.code)
    if page.exports.code:
        assert guaranteed(run_alone(here, "estimator.py")) == pytest.approx(
            settings.epsilon, rel=1e-3
        )
    assert json.loads((here / "settings.json").read_text()) == {"page": page.name} | versioned(
        asdict(settings)
    )
    if page.name != "what-if":  # is about settings of another page, not settings of its own
        assert sweep.read(str(here / "settings.json")) == (page.name, settings)
    assert (here / "requirements.txt").read_text() == takeaway._requirements()
    assert len([*here.glob("tables/*.csv")]) == len(page.exports.downloads(result))
    for name, made in page.exports.downloads(result).items():
        (file,) = here.glob(f"tables/*_{name.lower().replace(' ', '-')}.csv")
        numbers = pd.DataFrame(made()).select_dtypes("number")
        np.testing.assert_allclose(
            pd.read_csv(file, comment="#")[[*numbers]], numbers, rtol=1e-5, err_msg=name
        )


def test_the_listed_requirements_are_the_packages_that_programs_import():
    sources = [takeaway._sources(takeaway.script(page.settings())) for page in PAGES]
    modules = {text for packed in sources for file, text in packed.items() if file.endswith(".py")}
    tops = {name.partition(".")[0] for text in modules for name in imports(text)}
    tops -= {*sys.stdlib_module_names, "dpcore", "lab", "pages"}
    pins = takeaway._requirements().splitlines()
    names = {"sklearn": "scikit-learn", "dp_accounting": "dp-accounting"}
    assert {pin.split("==")[0] for pin in pins} == {names.get(top, top) for top in tops}
    assert set(pins) <= set((takeaway.ROOT / "requirements.txt").read_text().splitlines())


def test_a_table_says_what_it_is_of_and_no_cell_is_a_formula():
    """Of a file of one's own, answers and names of columns stand in tables that a spreadsheet
    opens.
    """
    typed = [
        '=HYPERLINK("http://evil.test")',
        "+1+cmd|' /C calc'!A1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "＝1",
    ]
    plain = ["yes", "-", "-0.5", "+1,234.5", "-3 %", "1e-5", "a=b", "", "x\r=1"]
    cells, settings = [*typed, *plain], PAGES[0].settings(seed=77)
    share, group = np.linspace(-1, 50.550000000000004, len(cells)), pd.Categorical(cells)
    frame = pd.DataFrame(
        {"=answer": cells, "share": share, "count": range(-1, len(cells) - 1), "group": group}
    )
    text = takeaway.table(frame, title="By class", settings=settings, link="http://x/?seed=77")
    title, told, link, *_ = text.splitlines()
    assert (title, link) == ("# Epsilon Lab: By class", "# link: http://x/?seed=77")
    assert json.loads(told.removeprefix("# settings: ")) == asdict(settings)
    assert ",50.55," in text
    again = pd.read_csv(io.StringIO(text, newline=""), comment="#", keep_default_na=False)
    assert list(again) == ["'=answer", "share", "count", "group"]
    for column in ("'=answer", "group"):
        assert again[column].tolist() == [
            *(f"'{cell}".replace("\r", "\n") for cell in typed),
            *plain[:-1],
            "x\n=1",
        ]
    np.testing.assert_allclose(again["share"], frame["share"], rtol=1e-5)
    assert again["count"].tolist() == frame["count"].tolist()


def test_names_of_files_say_what_differs_and_do_not_collide():
    for fields, said in (
        ({}, ""),
        ({"epsilon": "0.3", "seed": "5"}, "_epsilon-0.3_seed-5"),
        ({"dataset": "own", "own": "7DCot1EibfASVoH5RxGdSQ", "rows": "2400"}, "_my-data_rows-2400"),
        ({"field": "../a b.csv"}, "_field-..-a-b.csv"),
    ):
        assert takeaway.file_stem("classifier", fields) == f"classifier{said}"
    long = [takeaway.file_stem("x", {"field": "9" * 200 + end}) for end in "ab"]
    assert len(set(long)) == 2
    assert max(map(len, long)) <= 100


# As little work as there is on each page.
WORK = {"steps": 3, "public_steps": 3, "epochs": 1, "repeats": 2, "parties": 10, "members": 10}
WORK |= {
    "sources": 2,
    "dimension": 5,
    "rows": 200,
    "source_rows": 100,
    "target_rows": 200,
    "public_rows": 200,
}
# What needs a person's file first.
ELSEWHERE = {"own"}


def cheap(settings: Settings, **changes: str) -> Settings:
    settings = settings.change(**changes) if changes else settings
    for name, least in WORK.items():
        if name in settings.limits:
            low, high = settings.limits[name]
            settings = settings.change(**{name: min(max(low, least), high)})
    return (
        settings.change(repeats=min(options))
        if (options := settings.choices.get("repeats"))
        else settings
    )


def parts() -> Iterator[Any]:
    """(page, cheap settings) of each page, and of each of its parts."""
    for page in PAGES:
        start = page.settings()
        for part in start.choices.get("part", ("",)):
            settings = cheap(start, **({"part": part} if part else {}))
            yield pytest.param(page.at(settings), settings, id=f"{page.name} {part}".strip())


@pytest.mark.parametrize(("page", "settings"), [*parts()])
def test_script_prints_a_table_and_an_estimator_runs_with_every_choice(page, settings, capsys):
    exec(takeaway.script(settings), {})
    assert any(line.startswith("0 ") for line in capsys.readouterr().out.splitlines()[1:])
    for field, options in settings.choices.items() if page.exports.code else ():
        for option in set(options) - ELSEWHERE:
            exec(page.exports.code(cheap(settings, **{field: str(option)})), {})
            assert 0 < guaranteed(capsys.readouterr().out) < float("inf"), (field, option)
    if page.exports.code and "rows_each" in settings.limits:
        exec(page.exports.code(settings.change(rows_each=7)), {})
        assert ("unit='person'" in capsys.readouterr().out) == (page.name == "classifier")


HERE = "http://localhost:8501/classifier"


def test_a_link_of_this_machine_is_told_to_the_network_too(monkeypatch):
    there, own = "http://10.1.2.3:8501", "10.1.2.3"
    for link, server, address, told in (
        (f"{HERE}?epsilon=1", {}, own, f"{there}/classifier?epsilon=1"),
        ("http://[::1]:8501/x", {}, own, f"{there}/x"),
        ("https://lab.example.org/classifier", {}, own, ""),
        (HERE, {}, "", ""),
        (HERE, {"server.address": "127.0.0.1"}, own, ""),  # it hears nobody else
        (
            HERE,
            {"server.allowedHosts": ["localhost"]},
            own,
            "",
        ),  # it answers nobody who asks for that address
        (HERE, {"server.allowedHosts": ["localhost", own]}, own, f"{there}/classifier"),
    ):
        monkeypatch.setattr(qr_code, "own_address", lambda address=address: address)
        monkeypatch.setattr(st, "get_option", server.get)
        assert qr_code.elsewhere(link) == told


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_shares_its_tables_and_programs(page):
    app = opened(page.name)
    of_card = {"what-if": ["Label"]}  # of the epsilon that the card recommends
    labels = [one.proto.label for one in app.get("download_button")]
    assert labels == ["Handout", *of_card.get(page.name, [])]
    app.session_state[f"{page.name}/share"] = True
    app.run()
    assert not app.exception
    assert f"?v={VERSION}" in app.code[0].value
    (code,) = app.get("image")[0].proto.imgs
    assert code.alt == qr_code.QR_ALT
    labels = [one.proto.label for one in app.get("download_button")]
    assert {"Handout", "Privacy label (HTML)"} < {*labels}
    assert any("(CSV)" in label for label in labels)


def test_a_shared_link_opens_the_open_tab_without_folded_out_settings():
    app = opened("classifier", epsilon="2", tab="guarantee", more="1")
    app.session_state["classifier/share"] = True

    app.run()

    assert app.code[0].value.endswith(f"?epsilon=2.0&tab=guarantee&v={VERSION}")


def test_a_picture_says_what_it_is_of(monkeypatch):
    monkeypatch.setattr(st, "context", SimpleNamespace(url=HERE))
    page = PAGES[0]
    settings = page.settings(dataset="iris", epsilon=0.3, seed=9)
    state = PageState(page=page.name, settings=settings)
    state.choices = {
        "dataset": ("Data", {"iris": "Iris"}),
        "version": ("Method", {"correct": "Correct"}),
    }
    paper = share.saved_chart_notes(page, state, "")
    about, words, link = paper["lines"]
    assert page.info.question in about
    assert all(
        part in words
        for part in ("Data Iris", "Method Correct", "Epsilon 0.3", "Repeats 24", "Seed 9")
    )
    assert "Clipping norm" not in words, "as it is by default"
    query = dict(parse_qsl(link.removeprefix(f"{HERE}?")))
    assert query == {
        "dataset": "iris",
        "rows": "75",
        "epsilon": "0.3",
        "seed": "9",
        "v": str(VERSION),
    }
    assert from_link(page.settings, query) == (settings, [])
    assert "epsilon-0.3" in paper["stem"]
