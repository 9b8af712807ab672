"""Break the code in small ways, one at a time, and count how many of these mutants the tests find.

    make mutants ARGS="--of engine --count 100 --seed 1"      # accountants, mechanisms, ...
    make mutants ARGS="--of app --count 50 --checkout ../other --reached other.json"

Cosmic Ray (https://cosmic-ray.readthedocs.io) changes operators, comparisons, numbers, ``not``,
``break``, decorators and exceptions. A position in the code is drawn uniformly, and then one of its
mutants. Annotations and strings are left out. Each mutant runs the test files that reach its line,
the quickest first, until one fails. For a line that runs at import, these are all test files that
reach its module. A run of all tests under coverage, without a browser, finds them once per checkout
and stores them in ``--reached``. A mutant that no test reaches survives. The last line is the share
that was found.
"""

import argparse
import ast
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "accountants",
    "attacks",
    "audits",
    "estimators",
    "mechanisms",
    "parties",
    "regression",
    "training",
    "transfer",
)
FOLDERS = {"engine": [f"dpcore/{name}" for name in PACKAGES], "app": ["lab", "ui"]}
# Of Cosmic Ray's operators: the others delete or rename variables, which the linter finds.
KINDS = (
    "Replace",
    "Number",
    "Break",
    "Continue",
    "AddNot",
    "ExceptionReplacer",
    "RemoveDecorator",
    "Zero",
)


class Mutant(NamedTuple):
    """One change of a file: Cosmic Ray's operator, and at which of its places in the file."""

    file: str
    line: int
    operator: str
    occurrence: int


def places(checkout: Path, folders: Sequence[str]) -> dict[tuple[str, int, int], list[Mutant]]:
    """Return (file, line, column) -> the mutants there."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    names = [name for name in operator_names() if name.rpartition("/")[2].startswith(KINDS)]
    operators = {name: get_operator(name)() for name in names if not get_operator(name).arguments()}
    found = defaultdict(list)
    for file in sorted(file for folder in folders for file in _files(checkout / folder)):
        source, path = file.read_text(encoding="utf-8"), str(file.relative_to(checkout))
        left_out, nodes = _annotations(source), [*ast_nodes(get_ast(source))]
        for name, operator in operators.items():
            at = (start for node in nodes for start, _ in operator.mutation_positions(node))
            for occurrence, (line, column) in enumerate(at):
                if not any(start <= (line, column) < end for start, end in left_out):
                    found[path, line, column].append(Mutant(path, line, name, occurrence))
    return found


def selection(checkout: Path) -> list[str]:
    """Return pytest's options for the tests without a browser, in this checkout."""
    marked = "soak: " in (checkout / "pyproject.toml").read_text(encoding="utf-8")
    return ["-m", "not browser and not soak" if marked else "not browser"]


def _files(path: Path) -> Iterator[Path]:
    yield from [path] if path.is_file() else path.rglob("*.py")


def _annotations(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return where types are written, as (start, end)."""
    nodes = [*ast.walk(ast.parse(source))]
    found = [
        node.annotation
        for node in nodes
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation
    ]
    found += [node.returns for node in nodes if isinstance(node, ast.FunctionDef) and node.returns]
    return [
        ((one.lineno, one.col_offset), (one.end_lineno or 0, one.end_col_offset or 0))
        for one in found
    ]


def reached(copy: Path, kept: Path) -> dict[str, dict[int, list[str]]]:
    """Return file -> line -> the test files that run it, the quickest first; measured once, and
    kept.

    Test files that are red without a mutant are left out.
    """
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            data, times, settings = (
                Path(folder, name) for name in ("coverage", "times.xml", "settings")
            )
            settings.write_text(
                f"[run]\ndata_file = {data}\nsource = dpcore,lab,pages,ui\n", encoding="utf-8"
            )
            how = [
                "--cov",
                f"--cov-config={settings}",
                "--cov-context=test",
                "--cov-report=",
                f"--junitxml={times}",
            ]
            command = [sys.executable, "-m", "pytest", "-q", "-n", "2", *selection(copy), *how]
            subprocess.run(command, cwd=copy, check=False)
            kept.write_text(json.dumps(_lines(copy, data, times)), encoding="utf-8")
    told = json.loads(kept.read_text(encoding="utf-8"))
    return {
        file: {int(line): tests for line, tests in lines.items()} for file, lines in told.items()
    }


def _lines(copy: Path, data: Path, times: Path) -> dict[str, dict[int, list[str]]]:
    from coverage import CoverageData

    seconds, red = Counter[str](), set[str]()
    for case in ElementTree.parse(times).iter("testcase"):
        file = case.get("classname", "").partition(".Test")[0].replace(".", "/") + ".py"
        seconds[file] += float(case.get("time", 0))
        if case.find("failure") is not None or case.find("error") is not None:
            red.add(file)
    measured = CoverageData(str(data))
    measured.read()
    found: dict[str, dict[int, list[str]]] = {}
    for file in measured.measured_files():
        runs = {
            line: {test.partition("::")[0] for test in tests if "::" in test} - red
            for line, tests in measured.contexts_by_lineno(file).items()
        }
        every = set().union(*runs.values())
        ordered = {
            line: sorted(tests or every, key=lambda test: seconds[test])
            for line, tests in runs.items()
        }
        found[str(Path(file).relative_to(copy))] = ordered
    return found


class Copies:
    """Copies of a checkout, one per worker, in which a file is broken and mended."""

    def __init__(self, checkout: Path, folder: Path, count: int):
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=checkout, check=True, capture_output=True, text=True
        )
        self.folders = [folder.resolve() / str(place) for place in range(count)]
        self._free = [*self.folders]
        for copy in self.folders:
            for name in filter(None, listed.stdout.split("\0")):
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(checkout / name, copy / name)
            subprocess.run(
                ["git", "init", "-q"], cwd=copy, check=True
            )  # some tests ask which files there are
            subprocess.run(["git", "add", "-A"], cwd=copy, check=True)

    def meets(self, mutant: Mutant | None, tests: Sequence[str]) -> str:
        """Return "found" or "survived"; without a mutant, of the code as it is. A test that does
        not end is red after ``faulthandler_timeout``, so a mutant that loops is found, and one
        whose tests only take long is not.
        """
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        if not tests:
            return "survived"
        copy = self._free.pop()
        file = copy / (mutant.file if mutant else "app.py")
        source = file.read_text(encoding="utf-8")
        try:
            if mutant:
                broken = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
                file.write_text(broken, encoding="utf-8")
            command = [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-x",
                "-p",
                "no:cacheprovider",
                *selection(copy),
                *tests,
            ]
            done = subprocess.run(command, cwd=copy, capture_output=True, check=False)
            return "found" if done.returncode else "survived"
        finally:
            file.write_text(source, encoding="utf-8")
            self._free.append(copy)


def tried(
    checkout: Path, mutants: Sequence[Mutant], kept: Path, workers: int
) -> Iterator[tuple[Mutant, str, float]]:
    """Yield each mutant with what became of it, and in how many seconds."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        copies = Copies(checkout, Path(folder), workers)
        lines = reached(copies.folders[0], kept)

        control = next(
            tests for mutant in mutants if (tests := lines.get(mutant.file, {}).get(mutant.line))
        )
        if copies.meets(None, control[:3]) != "survived":
            raise SystemExit(f"Tests are red without a mutant: {', '.join(control[:3])}")

        def one(mutant: Mutant) -> tuple[Mutant, str, float]:
            began = time.monotonic()
            said = copies.meets(mutant, lines.get(mutant.file, {}).get(mutant.line, []))
            return mutant, said, time.monotonic() - began

        yield from pool.map(one, mutants)


def main(words: Sequence[str]) -> None:
    """Print a line per mutant, and the share that was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--of", choices=FOLDERS, default="engine")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--reached", type=Path, default=Path("reached.json"))
    given = parser.parse_args(words)
    checkout, rng = given.checkout.resolve(), random.Random(given.seed)
    found = places(
        checkout, [folder for folder in FOLDERS[given.of] if (checkout / folder).exists()]
    )
    drawn = [rng.choice(found[place]) for place in rng.sample(sorted(found), given.count)]
    ends = Counter[str]()
    for mutant, said, seconds in tried(checkout, drawn, given.reached, given.workers):
        ends[said] += 1
        print(
            f"{said:9} {seconds:5.0f} s  {mutant.file}:{mutant.line}  {mutant.operator}", flush=True
        )
    print(
        f"{ends['found']} of {given.count} mutants found"
        f" ({100 * ends['found'] / given.count:.0f} %)"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
