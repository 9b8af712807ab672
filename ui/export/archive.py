"""What one takes away: tables that say what they are of, and a folder in which a script prints the
page's numbers.
"""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any

import pandas as pd

from lab.experiment.data_settings import OWN
from lab.experiment.links import versioned
from lab.experiment.settings import Settings

ROOT = Path(__file__).parents[2]
# Of what the lab needs, what only its pages, their server and sweeps at full size do.
BROWSER = {"joblib", "orjson", "pillow", "plotly", "segno", "starlette", "streamlit"}
# The same date for all that is packed: the same settings give the same file.
_DATE = (2020, 1, 1, 0, 0, 0)
# What a spreadsheet takes for a formula; a number with a sign, or a sign alone, is none.
_FORMULA = re.compile(r"(?![-+]?[\d.,]*(e[-+]?\d+)?\s?%?$)[=+\-@\t\r\n＝＋－＠]", re.IGNORECASE)
# How a module names a data file beside it.
_READ = re.compile(r'Path\(__file__\)\.with_name\("([^"]+)"\)')
# How settings name the module of their experiment.
_EXPERIMENT = re.compile(r'EXPERIMENT: ClassVar = "([\w.]+)\.\w+"')
_README = Path(__file__).with_suffix(".txt").read_text("utf-8")


def stem(page: str, differs: Mapping[str, Any]) -> str:
    """Return a file's name without its ending: the page, and what differs from its defaults; of a
    visitor's own file nothing but that it is one.
    """
    told = {name: value for name, value in differs.items() if name != "own"}
    parts = [
        page,
        *("my-data" if value == OWN else f"{name}-{value}" for name, value in told.items()),
    ]
    safe = "_".join(
        "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in part)
        for part in parts
    )
    return (
        safe if len(safe) <= 100 else f"{safe[:90]}_{hashlib.sha256(safe.encode()).hexdigest()[:8]}"
    )


def table(frame: Any, *, title: str, settings: Settings, link: str) -> str:
    """Return a table as CSV under lines that begin with "#": what it is, its settings and its link;
    six digits a number.
    """
    head = [
        f"Epsilon Lab: {title}",
        *_void(settings.void),
        f"settings: {json.dumps(asdict(settings))}",
        f"link: {link}",
    ]
    return "".join(f"# {line}\n" for line in head) + _inert(frame).to_csv(
        index=False, float_format="%.6g"
    )


def _inert(frame: Any) -> pd.DataFrame:
    """Return the frame with no text, name of a column included, that a spreadsheet would run as a
    formula: an apostrophe stands before it.
    """

    def inert(cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        safe = cell.replace("\r", "\n")  # to_csv does not quote a CR, which ends a line
        return f"'{safe}" if _FORMULA.match(safe) else safe

    return pd.DataFrame(frame).map(inert).rename(columns=inert)


def _void(why: str) -> list[str]:
    """Return what stands above all that is taken away, where nothing is guaranteed."""
    return [f"VOID: {why}; nothing is guaranteed, do not release"] * bool(why)


def script(settings: Settings, *, void: str = "") -> str:
    """Return a program that prints the numbers of these settings, in a checkout or in the folder of
    ``bundle``: their own ``program``, where they have one. void: as in ``bundle``.
    """
    if own := getattr(settings, "program", ""):
        return own
    kind = type(settings)
    given = "".join(f"    {name}={value!r},\n" for name, value in asdict(settings).items())
    first = getattr(settings, "load_snippet", "")  # what must be there before, such as a file
    program = (
        f"settings = {kind.__name__}(\n{given})\n"
        "result = settings.experiment.run()\nprint(result.table().to_string())\n"
    )
    warned = "".join(f"# {line}\n" for line in _void(void or settings.void))
    return f"{warned}{first}from {kind.__module__} import {kind.__name__}\n\n{program}"


def bundle(
    settings: Settings,
    *,
    page: str,
    question: str,
    link: str,
    files: Mapping[str, Callable[[], str]],
    estimator: str = "",
    void: str = "",
) -> bytes:
    """Return a zip of the ``page`` of this name: ``files`` by name, the script and a notebook, the
    program that fits the ``estimator``, if there is one, their settings, the modules and data that
    they need, and what to install. It is the same for the same settings and files. void: why the
    label says that nothing is guaranteed, or "".
    """
    program, voided = script(settings, void=void), _void(void or settings.void)
    texts = {
        **{name: made() for name, made in files.items()},
        "README.txt": "".join(f"{line}\n\n" for line in voided)
        + _README.format(question=question, link=link),
        "script.py": program,
        **({"estimator.py": estimator} if estimator else {}),
        "notebook.ipynb": _notebook(program, question),
        "settings.json": json.dumps({"page": page} | versioned(asdict(settings)), indent=2) + "\n",
        "requirements.txt": _requirements(),
        "LICENSE": (ROOT / "LICENSE").read_text("utf-8"),
        **_sources(program),
        **_sources(estimator),
    }
    return packed({f"epsilon-lab-{page}/{name}": text for name, text in texts.items()})


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip of files by name, the same for the same files."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in files.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), file, zipfile.ZIP_DEFLATED)
    return found.getvalue()


def version(settings: Settings) -> str:
    """Return a fingerprint of the program that gives these numbers."""
    texts = "".join(_sources(script(settings)).values())
    return f"the program in this folder, SHA-256 {hashlib.sha256(texts.encode()).hexdigest()[:16]}"


def _notebook(program: str, question: str) -> str:
    def lines(text: str) -> list[str]:
        return text.splitlines(keepends=True)

    about = {
        "cell_type": "markdown",
        "id": "about",
        "metadata": {},
        "source": lines(f"# {question}"),
    }
    code: dict[str, Any] = {
        "cell_type": "code",
        "id": "program",
        "metadata": {},
        "execution_count": None,
    }
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [about, {**code, "outputs": [], "source": lines(program)}]
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}, indent=1
    )


def _requirements() -> str:
    """Return the pins of the lab, but for what only its pages need."""
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    return "".join(
        f"{line}\n"
        for line in lines
        if line[:1] not in ("", "#") and line.split("==")[0] not in BROWSER
    )


@cache
def _sources(program: str) -> dict[str, str]:
    """Return file -> text of the modules of the lab that a program needs, and of their data files.

    Settings name the module of their experiment, which imports theirs.
    """
    finder = ModuleFinder([str(ROOT)])
    finder.scan_code(compile(program, "script.py", "exec"), finder.add_module("__main__"))
    for file in _files(finder):
        for module in _EXPERIMENT.findall(file.read_text("utf-8")):
            finder.import_hook(module)
    files = _files(finder)
    for file in list(files):
        for name in _READ.findall(file.read_text("utf-8")):
            files.add(file.with_name(name))
    return {file.relative_to(ROOT).as_posix(): file.read_text("utf-8") for file in sorted(files)}


def _files(finder: ModuleFinder) -> set[Path]:
    """Return the files of all modules found."""
    paths = [getattr(module, "__file__", None) for module in finder.modules.values()]
    return {Path(path) for path in paths if path}
