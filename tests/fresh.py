"""A Python of its own that runs one program after another, so that its slow imports are made once."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

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


class Interpreter:
    """Runs programs from the root of the checkout; leaving it ends the process."""

    def __init__(self, env: Mapping[str, str]):
        root, pipe = str(Path(__file__).parents[1]), subprocess.PIPE
        env = os.environ | {"PYTHONPATH": root} | dict(env)
        self._python = subprocess.Popen(
            [sys.executable, "-c", SERVE], stdin=pipe, stdout=pipe, text=True, cwd=root, env=env
        )

    def __enter__(self) -> "Interpreter":
        return self

    def __exit__(self, *_) -> None:
        self._python.communicate()

    def run(self, program: str) -> str:
        print(json.dumps(program), file=self._python.stdin, flush=True)
        printed, failed = json.loads(self._python.stdout.readline())
        assert not failed, failed
        return printed
