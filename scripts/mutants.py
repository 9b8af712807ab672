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
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "accountants",
    "attacks",
    "estimators",
    "mechanisms",
    "parties",
    "regression",
    "training",
)
# Part of the project -> its folders.
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
FOUND = "found"
SURVIVED = "survived"
# Test files that must be green without a mutant.
CONTROLS = 3

# (line, column).
Position = tuple[int, int]
# File -> line -> the test files that run it, the quickest first.
Reached = dict[str, dict[int, list[str]]]


class Mutant(NamedTuple):
    """One change of a file.

    Attributes:
        file: Path in the checkout.
        line: Of the change.
        operator: Cosmic Ray's name of the change.
        occurrence: At which of the operator's places in the file.
    """

    file: str
    line: int
    operator: str
    occurrence: int


class Verdict(NamedTuple):
    """What became of a mutant: FOUND or SURVIVED, and the seconds of its tests."""

    mutant: Mutant
    outcome: str
    seconds: float


def find_mutants(
    checkout: Path, folders: Sequence[str]
) -> dict[tuple[str, int, int], list[Mutant]]:
    """Return (file, line, column) -> the mutants there."""
    from cosmic_ray.ast import ast_nodes, get_ast

    files = []
    for folder in folders:
        files += (checkout / folder).rglob("*.py")
    operators = _operators()
    mutants: dict[tuple[str, int, int], list[Mutant]] = defaultdict(list)
    for file in sorted(files):
        path = str(file.relative_to(checkout))
        source = file.read_text(encoding="utf-8")
        nodes = list(ast_nodes(get_ast(source)))
        annotations = _annotations(source)
        for name, operator in operators.items():
            for occurrence, position in enumerate(_mutation_positions(nodes, operator)):
                if not _is_within(position, annotations):
                    line, column = position
                    mutants[path, line, column].append(Mutant(path, line, name, occurrence))
    return mutants


def _operators() -> dict[str, Any]:
    """Return the name of each operator of ``KINDS`` that needs no arguments -> the operator."""
    from cosmic_ray.plugins import get_operator, operator_names

    operators = {}
    for name in operator_names():
        _, _, kind = name.rpartition("/")
        operator = get_operator(name)
        if kind.startswith(KINDS) and not operator.arguments():
            operators[name] = operator()
    return operators


def _mutation_positions(nodes: Sequence[Any], operator: Any) -> Iterator[Position]:
    """Yield where an operator can change a file, in its own order.

    Args:
        nodes: Of the file's syntax tree, as Cosmic Ray reads it.
        operator: Of Cosmic Ray.
    """
    for node in nodes:
        for start, _ in operator.mutation_positions(node):
            yield start


def _annotations(source: str) -> list[tuple[Position, Position]]:
    """Return (start, end) of each type in the source."""
    expressions: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.arg | ast.AnnAssign):
            expressions.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            expressions.append(node.returns)
    spans = []
    for expression in expressions:
        if expression is not None:
            start = (expression.lineno, expression.col_offset)
            end = (expression.end_lineno or 0, expression.end_col_offset or 0)
            spans.append((start, end))
    return spans


def _is_within(position: Position, spans: Sequence[tuple[Position, Position]]) -> bool:
    return any(start <= position < end for start, end in spans)


def pytest_selection(checkout: Path) -> list[str]:
    """Return pytest's options for the tests without a browser, in this checkout."""
    settings = (checkout / "pyproject.toml").read_text(encoding="utf-8")
    # An older checkout has no such mark.
    if "soak: " in settings:
        return ["-m", "not browser and not soak"]
    return ["-m", "not browser"]


def reached_lines(checkout: Path, stored: Path) -> Reached:
    """Return which test files run each line. They are measured once and stored in a file.

    Test files that fail without a mutant are left out.
    """
    if not stored.exists():
        stored.write_text(json.dumps(_measure_reached_lines(checkout)), encoding="utf-8")
    reached = {}
    for file, lines in json.loads(stored.read_text(encoding="utf-8")).items():
        # JSON has the line numbers as texts.
        reached[file] = {int(line): tests for line, tests in lines.items()}
    return reached


def _measure_reached_lines(checkout: Path) -> Reached:
    """Run all tests under coverage."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "coverage")
        times = Path(folder, "times.xml")
        settings = Path(folder, "settings")
        settings.write_text(
            f"[run]\ndata_file = {data}\nsource = dpcore,lab,pages,ui\n", encoding="utf-8"
        )
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "2",
            *pytest_selection(checkout),
            "--cov",
            f"--cov-config={settings}",
            "--cov-context=test",
            "--cov-report=",
            f"--junitxml={times}",
        ]
        subprocess.run(command, cwd=checkout, check=False)
        seconds, failed = _read_times(times)
        return _read_coverage(checkout, data, seconds=seconds, failed=failed)


def _read_times(times: Path) -> tuple[Counter[str], set[str]]:
    """Return test file -> seconds, and the test files that failed."""
    seconds = Counter[str]()
    failed = set()
    for case in ElementTree.parse(times).iter("testcase"):
        module, _, _ = case.get("classname", "").partition(".Test")
        file = module.replace(".", "/") + ".py"
        seconds[file] += float(case.get("time", 0))
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(file)
    return seconds, failed


def _read_coverage(
    checkout: Path, data: Path, *, seconds: Counter[str], failed: set[str]
) -> Reached:
    """Return the test files of each line, the quickest first, without those that failed."""
    from coverage import CoverageData

    measured = CoverageData(str(data))
    measured.read()
    reached = {}
    for file in measured.measured_files():
        tests_of_lines = {}
        for line, contexts in measured.contexts_by_lineno(file).items():
            # A context is a test, or "" for what runs at import.
            tests = {context.partition("::")[0] for context in contexts if "::" in context}
            tests_of_lines[line] = tests - failed
        tests_of_file = set().union(*tests_of_lines.values())
        ordered = {}
        for line, tests in tests_of_lines.items():
            ordered[line] = sorted(tests or tests_of_file, key=lambda test: seconds[test])
        reached[str(Path(file).relative_to(checkout))] = ordered
    return reached


class Copies:
    """Copies of a checkout, one per worker, in which a file is broken and mended.

    Args:
        checkout: What is copied: the files that git knows.
        folder: An empty folder for the copies.
        count: Number of copies.
    """

    def __init__(self, checkout: Path, folder: Path, count: int):
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=checkout, check=True, capture_output=True, text=True
        )
        names = [name for name in listed.stdout.split("\0") if name]
        self.folders = [folder.resolve() / str(number) for number in range(count)]
        self._free = list(self.folders)
        for copy in self.folders:
            for name in names:
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(checkout / name, copy / name)
            # Some tests ask git which files there are.
            subprocess.run(["git", "init", "-q"], cwd=copy, check=True)
            subprocess.run(["git", "add", "-A"], cwd=copy, check=True)

    def try_mutant(self, mutant: Mutant, tests: Sequence[str]) -> str:
        """Return FOUND if a test fails with the mutant, and otherwise SURVIVED.

        A test that does not end fails after ``faulthandler_timeout``, so a mutant that loops is
        found, and one whose tests only take long is not.
        """
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        if not tests:
            return SURVIVED
        copy = self._free.pop()
        file = copy / mutant.file
        source = file.read_text(encoding="utf-8")
        operator = get_operator(mutant.operator)()
        try:
            mutated = mutate_code(source, operator, mutant.occurrence)
            file.write_text(mutated, encoding="utf-8")
            return _run_tests(copy, tests)
        finally:
            file.write_text(source, encoding="utf-8")
            self._free.append(copy)

    def check_tests(self, tests: Sequence[str]) -> None:
        """End the program if these tests fail without a mutant."""
        if _run_tests(self.folders[0], tests) == FOUND:
            raise SystemExit(f"Tests are red without a mutant: {', '.join(tests)}")


def _run_tests(copy: Path, tests: Sequence[str]) -> str:
    """Return FOUND if one of the test files fails."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        *pytest_selection(copy),
        *tests,
    ]
    process = subprocess.run(command, cwd=copy, capture_output=True, check=False)
    if process.returncode == 0:
        return SURVIVED
    return FOUND


def try_mutants(
    checkout: Path, mutants: Sequence[Mutant], stored: Path, workers: int
) -> Iterator[Verdict]:
    """Yield what became of each mutant.

    Args:
        checkout: The code.
        mutants: To be tried, in this order.
        stored: File of ``reached_lines``.
        workers: Number of mutants that are tried at a time.
    """
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        copies = Copies(checkout, Path(folder), workers)
        reached = reached_lines(copies.folders[0], stored)

        def tests_of(mutant: Mutant) -> list[str]:
            return reached.get(mutant.file, {}).get(mutant.line, [])

        def try_one(mutant: Mutant) -> Verdict:
            begin = time.monotonic()
            outcome = copies.try_mutant(mutant, tests_of(mutant))
            return Verdict(mutant, outcome, time.monotonic() - begin)

        first_reached = next(mutant for mutant in mutants if tests_of(mutant))
        copies.check_tests(tests_of(first_reached)[:CONTROLS])
        yield from pool.map(try_one, mutants)


def draw_mutants(checkout: Path, part: str, *, count: int, seed: int) -> list[Mutant]:
    """Draw positions in a part of the project, and one mutant at each of them."""
    folders = [folder for folder in FOLDERS[part] if (checkout / folder).exists()]
    mutants = find_mutants(checkout, folders)
    rng = random.Random(seed)
    positions = rng.sample(sorted(mutants), count)
    return [rng.choice(mutants[position]) for position in positions]


def main(arguments: Sequence[str]) -> None:
    """Print a line per mutant, and the share that was found."""
    options = read_options(arguments)
    checkout = options.checkout.resolve()
    mutants = draw_mutants(checkout, options.of, count=options.count, seed=options.seed)
    found = 0
    for verdict in try_mutants(checkout, mutants, options.reached, options.workers):
        mutant = verdict.mutant
        if verdict.outcome == FOUND:
            found += 1
        print(
            f"{verdict.outcome:9} {verdict.seconds:5.0f} s  {mutant.file}:{mutant.line} "
            f" {mutant.operator}",
            flush=True,
        )
    share = 100 * found / options.count
    print(f"{found} of {options.count} mutants found ({share:.0f} %)")


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--of", choices=FOLDERS, default="engine")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--reached", type=Path, default=Path("reached.json"))
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
