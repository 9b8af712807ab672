"""Sweeps on threads, processes and a cluster: the same numbers; stopped and started again, nothing
lost or doubled.
"""

import json
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from dpcore.cache import Cache
from dpcore.check import RefusedError
from lab.sweeps import parallel
from lab.sweeps.sweep import sweep as in_order
from pages.classifier.settings import ClassifierSettings
from pages.topics import PAGES
from scripts import sweep

ROOT = Path(__file__).parents[3]
SETTINGS = ClassifierSettings(public_rows=0, steps=10)
OVER = {"epsilon": (0.1, 1.0, 10.0), "clip_norm": (0.5, 2.0)}
LINK = "classifier?public_rows=0&steps=10"
WORDS = [
    LINK,
    "--over",
    "epsilon=0.1,1,10",
    "clip_norm=0.5,2",
    "--measure",
    "scratch",
    "--repeats",
    "30",
]


def streamed(backend: str, **how) -> pd.DataFrame:
    every, frames = parallel.cells(SETTINGS, OVER, seeds=2), []
    for cell, numbers in parallel.stream(
        every, measure="scratch", repeats=30, backend=backend, **how
    ):
        frames.append(
            pd.DataFrame(
                cell.values | {"seed": cell.settings.seed, "repeat": range(30), "scratch": numbers}
            )
        )
    return ordered(pd.concat(frames))


def ordered(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values(["epsilon", "clip_norm", "seed", "repeat"], ignore_index=True)


@pytest.fixture(scope="module")
def expected() -> pd.DataFrame:
    how = {"measure": "scratch", "repeats": 30, "seeds": 2}
    frames = [
        in_order(SETTINGS.change(clip_norm=clip), "epsilon", OVER["epsilon"], **how).assign(
            clip_norm=clip
        )
        for clip in OVER["clip_norm"]
    ]
    return ordered(pd.concat(frames))[["epsilon", "clip_norm", "seed", "repeat", "scratch"]]


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_numbers_are_those_of_a_plain_sweep_on_every_engine(expected, backend):
    pd.testing.assert_frame_equal(streamed(backend, jobs=2), expected, check_exact=True)


@pytest.mark.soak
def test_numbers_are_the_same_on_two_workers_of_a_cluster(expected, monkeypatch):
    # a page's test leaves its script as the main module, which a new process would run
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    quiet = {"dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(n_workers=2, threads_per_worker=1, **quiet) as cluster, Client(cluster):
        pd.testing.assert_frame_equal(streamed("dask"), expected, check_exact=True)


def test_a_folder_holds_what_was_trained_and_is_of_one_sweep(expected, tmp_path, capsys):
    """One that holds more gives the same table as one that holds nothing else, and another sweep
    leaves it alone.
    """

    def run(words, *seeds, folder="more"):
        done = sweep.main([*words, *seeds, "--out", str(tmp_path / folder), "--backend", "threads"])
        return done, capsys.readouterr().err

    assert run([*WORDS[:2], "epsilon=0.1", *WORDS[3:]])[0] == 0
    assert "18 cells of 30 runs; 2 are there." in run(WORDS, "--seeds", "3")[1]
    assert "Done: 0 cells were trained." in run(WORDS, "--seeds", "2")[1]
    assert run(WORDS, "--seeds", "2", folder="only")[0] == 0
    files = {file: file.read_bytes() for file in (tmp_path / "more").iterdir()}
    done, said = run(["classifier?public_rows=0&steps=11", *WORDS[1:]])
    assert (done, "it holds another" in said) == (2, True)
    assert {file: file.read_bytes() for file in (tmp_path / "more").iterdir()} == files
    tables = [tmp_path / f"{name}.parquet" for name in ("more", "only")]
    for table in tables:
        assert run(WORDS, "--seeds", "2", "--table", str(table), folder=table.stem)[0] == 0
    assert tables[0].read_bytes() == tables[1].read_bytes()
    pd.testing.assert_frame_equal(pd.read_parquet(tables[0]), expected, check_exact=True)


def test_a_sweep_leaves_its_work_in_no_memory(monkeypatch):
    memory = Cache(1_000_000)
    monkeypatch.setattr("lab.sweeps.measurement.CACHE", memory)
    every = parallel.cells(SETTINGS, OVER)
    with pytest.raises(RefusedError, match="backend"):
        next(parallel.stream(every, measure="scratch", repeats=1, backend="ray"))
    assert len([*parallel.stream(every, measure="scratch", repeats=30)]) == len(every)
    assert memory.held_bytes == 0


# A file for each cell; the third is written, and not there yet.
DIES = """
import os, signal
sweep._KEEP, write, times = 0.0, sweep.pq.write_table, iter((0, 0, 1))
def writes(*what):
    write(*what)
    if next(times):
        os.kill(os.getpid(), signal.SIGKILL)
sweep.pq.write_table = writes
"""


def test_killed_while_it_writes_and_started_again_it_loses_and_doubles_nothing(tmp_path):
    folder, values = tmp_path / "runs", ",".join(f"{0.05 * i:.2f}" for i in range(1, 41))
    words = [LINK, "--over", f"epsilon={values}", "--measure", "scratch", "--repeats", "100"]
    words += ["--out", str(folder), "--backend", "threads"]
    for dies, code in ((DIES, -signal.SIGKILL), ("", 0)):
        program = f"import sys\nfrom scripts import sweep\n{dies}sys.exit(sweep.main({words!r}))"
        run = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, check=False, stderr=subprocess.DEVNULL
        )
        found = pd.read_parquet(folder)
        assert run.returncode == code
        assert 0 < len(found) < 40 * 100 if dies else len(found) == 40 * 100
    assert not found.duplicated(["epsilon", "seed", "repeat"]).any()


REFUSED = {
    "page": ["nothing?steps=3", "--over", "epsilon=1"],
    "over": [LINK, "--over", "nothing=1"],
    "epsilon is 'many'": [LINK, "--over", "epsilon=many"],
    "epsilon is -1": [LINK, "--over", "epsilon=1,-1"],
    "colour": [f"{LINK}&colour=red", "--over", "epsilon=1"],
    "steps": ["classifier?steps=0", "--over", "epsilon=1"],
    "measure": [LINK, "--over", "epsilon=1", "--measure", "luck"],
    "repeats": [LINK, "--over", "epsilon=1", "--repeats", "0"],
    "absent.json": ["absent.json", "--over", "epsilon=1"],
}


@pytest.mark.parametrize(("why", "words"), REFUSED.items())
def test_what_cannot_be_swept_is_refused_by_its_name(tmp_path, capsys, words, why):
    assert sweep.main([*words, "--out", str(tmp_path / "runs")]) == 2
    assert why in capsys.readouterr().err
    assert not [*tmp_path.rglob("*.parquet")]


def test_scheduler_that_is_no_address_is_refused_in_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("LAB_SCHEDULER", "nonsense")
    words = [
        "classifier?steps=5&repeats=2",
        "--over",
        "epsilon=0.1,1",
        "--out",
        str(tmp_path / "runs"),
    ]
    assert sweep.main(words) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert said[-1].startswith(
        "LAB_SCHEDULER is 'nonsense', but must be the address of a Dask scheduler"
    )


def test_settings_are_read_from_a_file_as_from_a_link(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"page": "classifier", "public_rows": 0, "steps": 10}))
    assert sweep.read(str(file)) == sweep.read(LINK) == ("classifier", SETTINGS)
    assert sweep.read(f"{LINK}&utm_source=moodle") == ("classifier", SETTINGS)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "what-if"], ids=lambda page: page.name
)
def test_any_page_can_be_swept(page, tmp_path):
    settings = page.settings()
    slider = "epsilon" if "epsilon" in settings.limits else "delta"
    over, measure = {slider: (getattr(settings, slider),)}, settings.experiment.compared
    how = {"page": page.name, "settings": settings, "folder": tmp_path, "repeats": 2, "seeds": 1}
    assert sweep.Sweep(over=over, measure=measure, **how).run("threads") == 1
    assert np.isfinite(pd.read_parquet(tmp_path)[settings.experiment.compared]).all()
