"""The parts of ``make mutants`` that need no mutation tool: what is left alone, what is copied, what is kept."""

import subprocess

from scripts import mutants

SOURCE = """\
def first(of: list[int], other: str = "a") -> int | None:
    found: float = of[0] + 1
    return found
"""


def test_each_worker_has_a_copy_of_what_is_tracked(tmp_path):
    checkout = tmp_path / "checkout"
    (checkout / "lab").mkdir(parents=True)
    for name in ("lab/sums.py", "left.py"):
        (checkout / name).write_text(SOURCE)
    for words in (["init", "-q"], ["add", "lab"]):
        subprocess.run(["git", *words], cwd=checkout, check=True)
    copies = mutants.Copies(checkout, tmp_path / "copies", 2)
    for copy in copies.folders:
        assert [str(file.relative_to(copy)) for file in copy.rglob("*.py")] == ["lab/sums.py"]
        assert (copy / "lab/sums.py").read_text() == SOURCE


def test_no_mutant_is_made_of_a_type_and_tests_that_take_long_meet_none():
    lines = SOURCE.splitlines()
    found = [lines[row - 1][start:end] for (row, start), (_, end) in mutants._annotations(SOURCE)]
    assert sorted(found) == ["float", "int | None", "list[int]", "str"]
    assert mutants.selection(mutants.ROOT) == ["-m", "not browser and not soak"]
