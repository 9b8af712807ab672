"""Downloads: tables with their settings, and a folder with a script that prints the numbers."""

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
# Packages that only the pages, their server and sweeps at full size need.
BROWSER = {"joblib", "orjson", "pillow", "plotly", "segno", "starlette", "streamlit"}
# The date of all files, so that the same settings give the same archive.
_DATE = (2020, 1, 1, 0, 0, 0)
# The beginning of a text that a spreadsheet runs as a formula. A number with a sign, or a sign
# alone, is none.
_FORMULA = re.compile(r"(?![-+]?[\d.,]*(e[-+]?\d+)?\s?%?$)[=+\-@\t\r\n＝＋－＠]", re.IGNORECASE)
# How a module names a data file beside it.
_READ = re.compile(r'Path\(__file__\)\.with_name\("([^"]+)"\)')
# How settings name the module of their experiment.
_EXPERIMENT = re.compile(r'EXPERIMENT: ClassVar = "([\w.]+)\.\w+"')
# What the name of a file should not have: all but letters, digits, points and hyphens.
_UNSAFE = re.compile(r"[^\w.-]|_")
# Names of files may have so many characters; longer ones are cut, and end with a hash.
_MAX_STEM = 100
_CUT_STEM = 90
_README = Path(__file__).with_suffix(".txt").read_text("utf-8")


def file_stem(page: str, differences: Mapping[str, Any]) -> str:
    """Return a file's name without its ending: the page, and the settings that are not default.

    Of an uploaded file it only tells that there is one.
    """
    parts = [page]
    for name, value in differences.items():
        if name == "own":
            continue
        if value == OWN:
            parts.append("my-data")
        else:
            parts.append(f"{name}-{value}")
    stem = "_".join(_UNSAFE.sub("-", part) for part in parts)
    if len(stem) <= _MAX_STEM:
        return stem
    digest = hashlib.sha256(stem.encode()).hexdigest()
    return f"{stem[:_CUT_STEM]}_{digest[:8]}"


def table(frame: Any, *, title: str, settings: Settings, link: str) -> str:
    """Return a table as CSV with six digits, under comments with its title, settings and link."""
    comments = [
        f"Epsilon Lab: {title}",
        *_void_lines(settings.void),
        f"settings: {json.dumps(asdict(settings))}",
        f"link: {link}",
    ]
    head = "".join(f"# {line}\n" for line in comments)
    return head + _without_formulas(frame).to_csv(index=False, float_format="%.6g")


def _without_formulas(frame: Any) -> pd.DataFrame:
    """Return the frame with an apostrophe before each text or name that is a formula elsewhere."""
    return pd.DataFrame(frame).map(_without_formula).rename(columns=_without_formula)


def _without_formula(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\r", "\n")  # to_csv does not quote a CR, which ends a line
    if _FORMULA.match(text):
        return f"'{text}"
    return text


def _void_lines(reason: str) -> list[str]:
    """Return the warning on top of all downloads if nothing is guaranteed; else no line."""
    if not reason:
        return []
    return [f"VOID: {reason}; nothing is guaranteed, do not release"]


def script(settings: Settings, *, void: str = "") -> str:
    """Return a program that prints the numbers of these settings.

    It runs in a checkout or in the folder of ``bundle``. It is the ``program`` of the settings if
    they have one.

    Args:
        settings: The settings.
        void: Why the label says that nothing is guaranteed; "" if only the settings decide.
    """
    own_program = getattr(settings, "program", "")
    if own_program:
        return own_program
    name = type(settings).__name__
    module = type(settings).__module__
    arguments = ""
    for field, value in asdict(settings).items():
        arguments += f"    {field}={value!r},\n"
    warning = "".join(f"# {line}\n" for line in _void_lines(void or settings.void))
    # What must be there before, such as a file.
    preparation = getattr(settings, "load_snippet", "")
    return (
        f"{warning}{preparation}from {module} import {name}\n\n"
        f"settings = {name}(\n{arguments})\n"
        "result = settings.experiment.run()\nprint(result.table().to_string())\n"
    )


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
    """Return a zip that reproduces the numbers of a page without the lab.

    It holds the given files, the script, the settings, the modules and data that
    they need, and what to install. It is the same for the same settings and files.

    Args:
        settings: The settings.
        page: Name of the page.
        question: Its question.
        link: Its address.
        files: Name -> function that makes a further file.
        estimator: A program that fits the model by the scikit-learn interface; "" for none.
        void: Why the label says that nothing is guaranteed; "" if only the settings decide.
    """
    program = script(settings, void=void)
    warning = "".join(f"{line}\n\n" for line in _void_lines(void or settings.void))
    stored_settings = {"page": page} | versioned(asdict(settings))
    texts = {name: make() for name, make in files.items()}
    texts["README.txt"] = warning + _README.format(question=question, link=link)
    texts["script.py"] = program
    if estimator:
        texts["estimator.py"] = estimator
    texts["settings.json"] = json.dumps(stored_settings, indent=2) + "\n"
    texts["requirements.txt"] = _requirements()
    texts["LICENSE"] = (ROOT / "LICENSE").read_text("utf-8")
    texts |= _sources(program)
    texts |= _sources(estimator)
    return zip_files({f"epsilon-lab-{page}/{name}": text for name, text in texts.items()})


def zip_files(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip of files by name, the same for the same files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def version(settings: Settings) -> str:
    """Return a fingerprint of the program that computes these settings."""
    texts = "".join(_sources(script(settings)).values())
    digest = hashlib.sha256(texts.encode()).hexdigest()
    return f"the program in this folder, SHA-256 {digest[:16]}"


def _requirements() -> str:
    """Return the pins of the lab without those that only its pages need."""
    requirements = ""
    for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines():
        package, _, _ = line.partition("==")
        if line and not line.startswith("#") and package not in BROWSER:
            requirements += f"{line}\n"
    return requirements


@cache
def _sources(program: str) -> dict[str, str]:
    """Return file -> text of the modules of the lab that a program needs, and of their data files.

    Settings name the module of their experiment in a string, whose imports are followed too.
    """
    finder = ModuleFinder([str(ROOT)])
    finder.scan_code(compile(program, "script.py", "exec"), finder.add_module("__main__"))
    for file in _module_files(finder):
        for module in _EXPERIMENT.findall(file.read_text("utf-8")):
            finder.import_hook(module)
    modules = _module_files(finder)
    data_files = set()
    for file in modules:
        for name in _READ.findall(file.read_text("utf-8")):
            data_files.add(file.with_name(name))
    sources = {}
    for file in sorted(modules | data_files):
        sources[file.relative_to(ROOT).as_posix()] = file.read_text("utf-8")
    return sources


def _module_files(finder: ModuleFinder) -> set[Path]:
    """Return the files of all modules that the finder found."""
    files = set()
    for module in finder.modules.values():
        path = getattr(module, "__file__", None)
        if path:
            files.add(Path(path))
    return files
