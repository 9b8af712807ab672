"""Sweeps on threads, processes and a cluster have the same numbers, and may be stopped."""

import json
import shutil
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
from lab.sweeps.sweep import sweep as sweep_in_order
from pages.classifier.settings import ClassifierSettings
from pages.topics import PAGES
from scripts import sweep

ROOT = Path(__file__).parents[3]
LINK = "classifier?public_rows=0&steps=10"
SETTINGS = ClassifierSettings(public_rows=0, steps=10)
OVER = {"epsilon": (0.1, 1.0, 10.0), "clip_norm": (0.5, 2.0)}
REPEATS = 30
COLUMNS = ["epsilon", "clip_norm", "seed", "repeat", "scratch"]


def words_of(link: str = LINK, epsilons: str = "0.1,1,10") -> list[str]:
    """Return the words of a command that sweeps as ``OVER`` says."""
    return [
        link,
        "--over",
        f"epsilon={epsilons}",
        "clip_norm=0.5,2",
        "--measure",
        "scratch",
        "--repeats",
        str(REPEATS),
    ]


def in_order_of_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with ``COLUMNS`` in this order, sorted by all of them but the measure."""
    keys = COLUMNS[:-1]
    return frame[COLUMNS].sort_values(keys, ignore_index=True)


def streamed(backend: str, **options) -> pd.DataFrame:
    """Return the runs of a parallel sweep with two seeds."""
    cells = parallel.cells(SETTINGS, OVER, seeds=2)
    frames = []
    for cell, numbers in parallel.stream(
        cells, measure="scratch", repeats=REPEATS, backend=backend, **options
    ):
        columns = {
            **cell.values,
            "seed": cell.settings.seed,
            "repeat": range(REPEATS),
            "scratch": numbers,
        }
        frames.append(pd.DataFrame(columns))
    return in_order_of_columns(pd.concat(frames))


@pytest.fixture(scope="module")
def expected() -> pd.DataFrame:
    """The runs of a plain sweep, one setting after the other."""
    frames = []
    for clip_norm in OVER["clip_norm"]:
        frame = sweep_in_order(
            SETTINGS.change(clip_norm=clip_norm),
            "epsilon",
            OVER["epsilon"],
            measure="scratch",
            repeats=REPEATS,
            seeds=2,
        )
        frames.append(frame.assign(clip_norm=clip_norm))
    return in_order_of_columns(pd.concat(frames))


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_numbers_are_those_of_a_plain_sweep(expected, backend):
    frame = streamed(backend, jobs=2)

    pd.testing.assert_frame_equal(frame, expected, check_exact=True)


@pytest.mark.soak
def test_numbers_are_the_same_on_two_workers_of_a_cluster(expected, monkeypatch):
    # A page's test leaves its script as the main module, which a new process would run.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    )

    with cluster, Client(cluster):
        frame = streamed("dask")

    pd.testing.assert_frame_equal(frame, expected, check_exact=True)


class TestFolder:
    """A folder holds what was trained, and is of one sweep."""

    @pytest.fixture
    def run(self, tmp_path, capsys):
        """Returns the exit code and the messages of a sweep into a folder."""

        def run(words: list[str], *options: str, folder: str) -> tuple[int, str]:
            """Sweep into a folder, and return the exit code and the messages."""
            output = ["--out", str(tmp_path / folder), "--backend", "threads"]
            code = sweep.main([*words, *options, *output])
            return code, capsys.readouterr().err

        return run

    @pytest.fixture
    def folder_with_more(self, run, tmp_path):
        """A folder that was filled in two sweeps, the second one with three seeds."""
        run(words_of(epsilons="0.1"), folder="more")
        run(words_of(), "--seeds", "3", folder="more")
        return tmp_path / "more"

    def test_a_sweep_trains_only_what_is_missing(self, run):
        code, _ = run(words_of(epsilons="0.1"), folder="runs")

        _, messages = run(words_of(), "--seeds", "3", folder="runs")

        assert code == 0
        assert "18 cells of 30 runs; 2 are there." in messages

    def test_a_part_of_what_is_there_trains_nothing(self, run, folder_with_more):
        _, messages = run(words_of(), "--seeds", "2", folder="more")

        assert "Done: 0 cells were trained." in messages

    def test_another_sweep_leaves_the_folder_alone(self, run, folder_with_more):
        before = {file: file.read_bytes() for file in folder_with_more.iterdir()}

        code, messages = run(words_of("classifier?public_rows=0&steps=11"), folder="more")

        after = {file: file.read_bytes() for file in folder_with_more.iterdir()}
        assert code == 2
        assert "it holds another" in messages
        assert after == before

    def test_the_table_does_not_depend_on_what_else_is_there(
        self, run, folder_with_more, tmp_path, expected
    ):
        table_of_more = tmp_path / "more.parquet"
        table_alone = tmp_path / "alone.parquet"

        run(words_of(), "--seeds", "2", "--table", str(table_of_more), folder="more")
        code, _ = run(words_of(), "--seeds", "2", "--table", str(table_alone), folder="alone")

        assert code == 0
        assert table_of_more.read_bytes() == table_alone.read_bytes()
        pd.testing.assert_frame_equal(pd.read_parquet(table_of_more), expected, check_exact=True)


class TestStream:
    @pytest.fixture
    def cells(self):
        """Return a cell for each combination of the values of ``OVER``."""
        return parallel.cells(SETTINGS, OVER)

    def test_an_unknown_backend_is_refused(self, cells):
        runs = parallel.stream(cells, measure="scratch", repeats=1, backend="ray")

        with pytest.raises(RefusedError, match="backend"):
            next(runs)

    def test_a_sweep_leaves_its_work_in_no_memory(self, cells, monkeypatch):
        cache = Cache(1_000_000)
        monkeypatch.setattr("lab.sweeps.measurement.CACHE", cache)

        runs = list(parallel.stream(cells, measure="scratch", repeats=REPEATS))

        assert len(runs) == len(cells)
        assert cache.held_bytes == 0


KILLED_CELLS = 40
KILLED_REPEATS = 100
# Each cell is a file of its own, and the process ends once the third is written, which is not yet
# in its place.
KILL_AT_THIRD_FILE = """
import os, signal
sweep.KEEP_SECONDS = 0.0
write_table = sweep.pq.write_table
written = []
def write_or_die(*arguments):
    write_table(*arguments)
    written.append(1)
    if len(written) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
sweep.pq.write_table = write_or_die
"""


def sweep_in_a_process(folder: Path, *, first: str = "") -> int:
    """Return the exit code of a sweep in a new process, which runs some code first."""
    epsilons = ",".join(f"{0.05 * index:.2f}" for index in range(1, KILLED_CELLS + 1))
    words = [
        LINK,
        *("--over", f"epsilon={epsilons}"),
        *("--measure", "scratch"),
        *("--repeats", str(KILLED_REPEATS)),
        *("--out", str(folder)),
        *("--backend", "threads"),
    ]
    program = f"import sys\nfrom scripts import sweep\n{first}sys.exit(sweep.main({words!r}))"
    process = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=False, stderr=subprocess.DEVNULL
    )
    return process.returncode


class TestKilled:
    """A sweep that is killed and started again loses and doubles nothing."""

    @pytest.fixture(scope="class")
    @classmethod
    def killed_folder(cls, tmp_path_factory):
        """Start a sweep that is killed at its third file, and return its folder."""
        folder = tmp_path_factory.mktemp("killed") / "runs"
        code = sweep_in_a_process(folder, first=KILL_AT_THIRD_FILE)
        assert code == -signal.SIGKILL
        return folder

    def test_finished_work_of_a_killed_sweep_stays(self, killed_folder):
        runs = pd.read_parquet(killed_folder)

        assert 0 < len(runs) < KILLED_CELLS * KILLED_REPEATS

    def test_a_killed_sweep_is_completed_by_a_second_start(self, killed_folder, tmp_path):
        folder = tmp_path / "runs"
        shutil.copytree(killed_folder, folder)

        code = sweep_in_a_process(folder)

        runs = pd.read_parquet(folder)
        assert code == 0
        assert len(runs) == KILLED_CELLS * KILLED_REPEATS
        assert not runs.duplicated(["epsilon", "seed", "repeat"]).any()


class TestRefusals:
    @pytest.mark.parametrize(
        ("name", "words"),
        [
            pytest.param("page", ["nothing?steps=3", "--over", "epsilon=1"], id="page"),
            pytest.param(
                "page is 'accounting'", ["accounting", "--over", "delta=1e-6"], id="no models"
            ),
            pytest.param("over", [LINK, "--over", "nothing=1"], id="slider"),
            pytest.param("epsilon is 'many'", [LINK, "--over", "epsilon=many"], id="no number"),
            pytest.param("epsilon is -1", [LINK, "--over", "epsilon=1,-1"], id="negative"),
            pytest.param("colour", [f"{LINK}&colour=red", "--over", "epsilon=1"], id="setting"),
            pytest.param("steps", ["classifier?steps=0", "--over", "epsilon=1"], id="no steps"),
            pytest.param(
                "measure", [LINK, "--over", "epsilon=1", "--measure", "luck"], id="measure"
            ),
            pytest.param("repeats", [LINK, "--over", "epsilon=1", "--repeats", "0"], id="repeats"),
            pytest.param("absent.json", ["absent.json", "--over", "epsilon=1"], id="file"),
        ],
    )
    def test_what_cannot_be_swept_is_refused_by_its_name(self, tmp_path, capsys, words, name):
        code = sweep.main([*words, "--out", str(tmp_path / "runs")])

        assert code == 2
        assert name in capsys.readouterr().err
        assert list(tmp_path.rglob("*.parquet")) == []

    def test_a_scheduler_that_is_no_address_is_refused_in_one_line(
        self, tmp_path, capsys, monkeypatch
    ):
        monkeypatch.setenv("LAB_SCHEDULER", "nonsense")
        link = "classifier?steps=5&repeats=2"

        code = sweep.main([link, "--over", "epsilon=0.1,1", "--out", str(tmp_path / "runs")])

        *_, last_line = capsys.readouterr().err.strip().splitlines()
        refusal = "LAB_SCHEDULER is 'nonsense', but must be the address of a Dask scheduler"
        assert code == 2
        assert last_line.startswith(refusal)


class TestRead:
    """Settings come from a link or a file."""

    def test_settings_of_a_sweep_are_read_from_a_link(self):
        assert sweep.read(LINK) == ("classifier", SETTINGS)

    def test_settings_of_a_sweep_are_read_from_a_file(self, tmp_path):
        file = tmp_path / "settings.json"
        file.write_text(json.dumps({"page": "classifier", "public_rows": 0, "steps": 10}))

        assert sweep.read(str(file)) == ("classifier", SETTINGS)

    def test_parameters_of_other_programs_are_ignored(self):
        assert sweep.read(f"{LINK}&utm_source=moodle") == ("classifier", SETTINGS)


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.settings().experiment.measures],
    ids=lambda page: page.name,
)
def test_any_page_with_measures_can_be_swept(page, tmp_path):
    settings = page.settings()
    measure = settings.experiment.compared
    slider = "delta"
    if "epsilon" in settings.limits:
        slider = "epsilon"
    page_sweep = sweep.Sweep(
        page=page.name,
        settings=settings,
        over={slider: (getattr(settings, slider),)},
        measure=measure,
        folder=tmp_path,
        repeats=2,
        seeds=1,
    )

    trained_cells = page_sweep.run("threads")

    assert trained_cells == 1
    assert np.isfinite(pd.read_parquet(tmp_path)[measure]).all()
