"""What is taken away stands alone: tables, programs, and a folder whose script prints the page's numbers."""

import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lab.links import versioned
from lab.settings import Settings
from pages.table import PAGES
from scripts import sweep
from tests.handouts import quick
from tests.test_house import imports
from ui import share, takeaway
from ui.page import Page

# At each commit; what the other scripts import is held below, without running them.
SHORT = ("classifier", "attack", "accounting")
# Runs a script in its folder, where nothing of this checkout and nothing that belongs to a browser can be imported.
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
    """What a program in a folder prints where it stands alone."""
    command = [sys.executable, "-I", "-c", ALONE, program]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout


def guaranteed(printed: str) -> float:
    """The epsilon of the guarantee that a program prints."""
    return float(re.search(r"Guarantee\(epsilon=([\d.e+-]+),", printed)[1])


@pytest.mark.parametrize(
    "page",
    [page if page.name in SHORT else pytest.param(page, marks=pytest.mark.soak) for page in PAGES],
    ids=lambda page: page.name,
)
def test_zip_stands_alone_in_an_empty_folder(page, tmp_path):
    """Its script prints the numbers of the page, its tables hold them, and its estimator has the page's guarantee."""
    one = quick(page)
    settings, result = one.settings, one.result
    with zipfile.ZipFile(io.BytesIO(share._files(one)["Handout (zip)"][-1]())) as archive:
        archive.extractall(tmp_path)
    (here,) = tmp_path.iterdir()
    assert run_alone(here, "script.py") == result.table().to_string() + "\n"
    assert (here / "estimator.py").exists() == bool(page.code)
    if page.code:
        assert guaranteed(run_alone(here, "estimator.py")) == pytest.approx(settings.epsilon, rel=1e-3)
    assert json.loads((here / "settings.json").read_text()) == {"page": page.name} | versioned(asdict(settings))
    if page.name != "what-if":  # is about settings of another page, not settings of its own
        assert sweep.read(str(here / "settings.json")) == (page.name, settings)
    (cell,) = (one for one in json.loads((here / "notebook.ipynb").read_text())["cells"] if one["cell_type"] == "code")
    assert "".join(cell["source"]) == (here / "script.py").read_text()
    assert (here / "requirements.txt").read_text() == takeaway._requirements()
    assert len([*here.glob("tables/*.csv")]) == len(page.frames(result))
    for name, made in page.frames(result).items():
        (file,) = here.glob(f"tables/*_{name.lower().replace(' ', '-')}.csv")
        numbers = pd.DataFrame(made()).select_dtypes("number")
        np.testing.assert_allclose(pd.read_csv(file, comment="#")[[*numbers]], numbers, rtol=1e-5, err_msg=name)


def test_what_is_to_be_installed_is_what_is_imported():
    """The packages that any packed module imports, at the lab's own versions."""
    sources = [takeaway._sources(takeaway.script(page.settings())) for page in PAGES]
    modules = {text for packed in sources for file, text in packed.items() if file.endswith(".py")}
    tops = {name.partition(".")[0] for text in modules for name in imports(text)}
    tops -= {*sys.stdlib_module_names, "dpcore", "lab", "pages"}
    pins = takeaway._requirements().splitlines()
    names = {"sklearn": "scikit-learn", "dp_accounting": "dp-accounting"}
    assert {pin.split("==")[0] for pin in pins} == {names.get(top, top) for top in tops}
    assert set(pins) <= set((takeaway.ROOT / "requirements.txt").read_text().splitlines())


def test_a_table_says_what_it_is_of():
    settings = PAGES[0].settings(seed=77)
    frame = pd.DataFrame({"accuracy": [50.550000000000004, 1 / 3], "name": ["a", "b"]})
    text = takeaway.table(frame, title="Right answers", settings=settings, link="http://x/?seed=77")
    title, told, link, *_ = text.splitlines()
    assert (title, link) == ("# Epsilon Lab: Right answers", "# link: http://x/?seed=77")
    assert json.loads(told.removeprefix("# settings: ")) == asdict(settings)
    assert "50.55,a" in text
    np.testing.assert_allclose(pd.read_csv(io.StringIO(text), comment="#")["accuracy"], frame["accuracy"], rtol=1e-5)


def test_no_cell_of_a_table_is_a_formula():
    """Of a file of one's own, answers and names of columns stand in tables that a spreadsheet opens."""
    typed = ['=HYPERLINK("http://evil.test")', "+1+cmd|' /C calc'!A1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1"]
    plain = ["yes", "-", "-0.5", "+1,234.5", "-3 %", "1e-5", "a=b", "", "x\r=1"]
    cells = [*typed, *plain]
    frame = pd.DataFrame(
        {"=answer": cells, "share": np.linspace(-1, 1, len(cells)), "count": range(-1, len(cells) - 1)}
    )
    frame["group"] = pd.Categorical(cells)
    text = takeaway.table(frame, title="By class", settings=PAGES[0].settings(), link="http://x/")
    again = pd.read_csv(io.StringIO(text, newline=""), comment="#", keep_default_na=False)
    assert list(again) == ["'=answer", "share", "count", "group"]
    for column in ("'=answer", "group"):
        assert again[column].tolist() == [*(f"'{cell}".replace("\r", "\n") for cell in typed), *plain[:-1], "x\n=1"]
    np.testing.assert_allclose(again["share"], frame["share"], rtol=1e-5)
    assert again["count"].tolist() == frame["count"].tolist()


def test_names_of_files_say_what_differs_and_do_not_collide():
    for fields, said in (
        ({}, ""),
        ({"epsilon": "0.3", "seed": "5"}, "_epsilon-0.3_seed-5"),
        ({"dataset": "own", "own": "7DCot1EibfASVoH5RxGdSQ", "rows": "2400"}, "_my-data_rows-2400"),
        ({"field": "../a b.csv"}, "_field-..-a-b.csv"),
    ):
        assert takeaway.stem("classifier", fields) == f"classifier{said}"
    long = [takeaway.stem("x", {"field": "9" * 200 + end}) for end in "ab"]
    assert len(set(long)) == 2
    assert max(map(len, long)) <= 100


# What makes work, as small as it gets on each page.
WORK = {"steps": 3, "public_steps": 3, "epochs": 1, "repeats": 2, "parties": 10, "members": 10, "canaries": 20}
WORK |= {"sources": 2, "dimension": 5, "rows": 200, "source_rows": 100, "target_rows": 200, "public_rows": 200}
# What needs a person's file, or a download, first.
ELSEWHERE = {"own", "newsgroups"}
# What takes minutes with any settings; its program is that of the other parts of its page.
LONG = {"attack audit"}


def cheap(settings: Settings, **changes: str) -> Settings:
    """These settings with ``changes``, and as little work as they allow."""
    settings = settings.change(**changes) if changes else settings
    for name, least in WORK.items():
        if name in settings.limits:
            low, high = settings.limits[name]
            settings = settings.change(**{name: min(max(low, least), high)})
    return settings.change(repeats=min(options)) if (options := settings.choices.get("repeats")) else settings


def parts() -> Iterator[tuple[str, Page, Settings]]:
    """Each page, and each of its parts: (name, page, cheap settings)."""
    for page in PAGES:
        start = page.settings()
        for part in start.choices.get("part", ("",)):
            settings = cheap(start, **({"part": part} if part else {}))
            yield f"{page.name} {part}".strip(), page.at(settings), settings


CASES = [case for case in parts() if case[0] not in LONG]
ESTIMATORS = [(page, settings) for _, page, settings in CASES if page.code]


@pytest.mark.parametrize("settings", [case[2] for case in CASES], ids=[case[0] for case in CASES])
def test_script_prints_a_table(settings, capsys):
    """That it runs alone is a test of the zip that holds it."""
    exec(takeaway.script(settings), {})
    assert any(line.startswith("0 ") for line in capsys.readouterr().out.splitlines()[1:])


@pytest.mark.parametrize(("page", "settings"), ESTIMATORS, ids=[page.name for page, _ in ESTIMATORS])
def test_an_estimators_program_runs_with_every_choice(page, settings, capsys):
    for field, options in settings.choices.items():
        for option in set(options) - ELSEWHERE:
            exec(page.code(cheap(settings, **{field: str(option)})), {})
            assert 0 < guaranteed(capsys.readouterr().out) < float("inf"), (field, option)
    if "rows_each" in settings.limits:
        exec(page.code(settings.change(rows_each=7)), {})
        assert ("unit='person'" in capsys.readouterr().out) == (page.name == "classifier")
