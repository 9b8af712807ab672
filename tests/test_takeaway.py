"""What is taken away stands alone: tables with their settings, and a folder whose script prints the page's numbers."""

import io
import json
import re
import subprocess
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lab.links import versioned
from pages.table import PAGES
from scripts import sweep
from tests.handouts import quick
from tests.test_house import imports
from ui import share, takeaway

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


@pytest.mark.parametrize(
    "page",
    [page if page.name in SHORT else pytest.param(page, marks=pytest.mark.soak) for page in PAGES],
    ids=lambda page: page.name,
)
def test_zip_stands_alone_in_an_empty_folder(page, tmp_path):
    """Its script prints the numbers of the page, its tables hold them, and its estimator has the page's guarantee."""
    settings, result = quick(page).settings, quick(page).result
    packed = share._files(quick(page))["Handout (zip)"][-1]()
    assert packed == share._files(quick(page))["Handout (zip)"][-1]()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(tmp_path)
    (here,) = tmp_path.iterdir()
    assert run_alone(here, "script.py") == result.table().to_string() + "\n"
    assert (here / "estimator.py").exists() == bool(page.code)
    if page.code:
        printed = run_alone(here, "estimator.py")
        stated = float(re.search(r"Guarantee\(epsilon=([\d.e+-]+),", printed)[1])
        assert stated == pytest.approx(settings.epsilon, rel=1e-3)
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
    names = {"sklearn": "scikit-learn", "dp_accounting": "dp-accounting"}
    imported = set()
    for page in PAGES:
        for file, text in takeaway._sources(takeaway.script(page.settings())).items():
            tops = {name.partition(".")[0] for name in imports(text)} if file.endswith(".py") else set()
            imported |= {
                names.get(top, top) for top in tops - set(sys.stdlib_module_names) - {"dpcore", "lab", "pages"}
            }
    pins = takeaway._requirements().splitlines()
    assert {pin.split("==")[0] for pin in pins} == imported
    assert set(pins) <= set((takeaway.ROOT / "requirements.txt").read_text().splitlines())


def test_a_table_says_what_it_is_of():
    settings = PAGES[0].settings(seed=77)
    frame = pd.DataFrame({"accuracy": [50.550000000000004, 1 / 3], "name": ["a", "b"]})
    text = takeaway.table(frame, title="Right answers", settings=settings, link="http://x/?seed=77")
    head = text.splitlines()[:3]
    assert head[0] == "# Epsilon Lab: Right answers"
    assert json.loads(head[1].removeprefix("# settings: ")) == asdict(settings)
    assert head[2] == "# link: http://x/?seed=77"
    assert "50.55,a" in text
    again = pd.read_csv(io.StringIO(text), comment="#")
    np.testing.assert_allclose(again["accuracy"], frame["accuracy"], rtol=1e-5)


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
    assert takeaway.stem("classifier", {}) == "classifier"
    assert takeaway.stem("classifier", {"epsilon": "0.3", "seed": "5"}) == "classifier_epsilon-0.3_seed-5"
    own = {"dataset": "own", "own": "7DCot1EibfASVoH5RxGdSQ", "rows": "2400"}
    assert takeaway.stem("classifier", own) == "classifier_my-data_rows-2400"
    assert takeaway.stem("hypotheses", {"field": "../a b.csv"}) == "hypotheses_field-..-a-b.csv"
    long = [takeaway.stem("x", {"field": "9" * 200 + end}) for end in "ab"]
    assert len(set(long)) == 2
    assert max(map(len, long)) <= 100
    assert all(Path(name).name == name for name in long)
