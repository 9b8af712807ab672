"""A Python of its own that runs one program after another: its third-party imports, the dear part, are made once."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).parents[1]
# Each line that comes in is a program, in JSON; each that goes out is what it printed, and why it failed if it did.
SERVE = """
import contextlib, io, json, sys, traceback
for line in sys.stdin:
    printed, failed = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(json.loads(line), {"__name__": "__main__"})
        except BaseException:
            failed = traceback.format_exc()
    print(json.dumps([printed.getvalue(), failed]), flush=True)
"""
# What the project has defined so far is gone; the next program imports it anew.
FORGET = """
import sys
for name in [*sys.modules]:
    if name.partition(".")[0] in ("dpcore", "lab", "pages", "ui"):
        del sys.modules[name]
"""


class Interpreter:
    """Runs programs from the root of the checkout, each with names of its own; leaving it ends the process."""

    def __init__(self, *options: str, env: Mapping[str, str] = MappingProxyType({})):
        self._python = subprocess.Popen(
            [sys.executable, *options, "-c", SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | dict(env),
        )

    def __enter__(self) -> "Interpreter":
        return self

    def __exit__(self, *_) -> None:
        self._python.communicate()

    def run(self, program: str) -> str:
        """What ``program`` prints; fails with its traceback where it fails."""
        print(json.dumps(program), file=self._python.stdin, flush=True)
        printed, failed = json.loads(self._python.stdout.readline())
        assert not failed, failed
        return printed
