"""The programs that a page offers for download run in a checkout, and print what they promise."""

import re
from collections.abc import Iterator

import pytest

from lab.settings import Settings
from pages.table import PAGES
from ui import takeaway
from ui.page import Page

# What makes work, as small as it gets on each page.
WORK = {"steps": 3, "public_steps": 3, "epochs": 1, "repeats": 2, "parties": 10, "members": 10, "canaries": 20}
WORK |= {"sources": 2, "dimension": 5, "rows": 200, "source_rows": 100, "target_rows": 200, "public_rows": 200}
# What needs a person's file, or a download, first.
ELSEWHERE = {"own", "newsgroups"}
# What takes minutes with any settings; its program is that of the other parts of its page.
LONG = {"attack audit"}


def cheap(settings: Settings, **changes: str) -> Settings:
    """These settings with ``changes``, and as little work as they allow."""
    settings = settings.change(**changes) if changes else settings
    for name, least in WORK.items():
        if name in settings.limits:
            low, high = settings.limits[name]
            settings = settings.change(**{name: min(max(low, least), high)})
    return settings.change(repeats=min(options)) if (options := settings.choices.get("repeats")) else settings


def parts() -> Iterator[tuple[str, Page, Settings]]:
    """Each page, and each of its parts: (name, page, cheap settings)."""
    for page in PAGES:
        start = page.settings()
        for part in start.choices.get("part", ("",)):
            settings = cheap(start, **({"part": part} if part else {}))
            yield f"{page.name} {part}".strip(), page.at(settings), settings


CASES = [case for case in parts() if case[0] not in LONG]
ESTIMATORS = [(page, settings) for _, page, settings in CASES if page.code]


@pytest.mark.parametrize("settings", [case[2] for case in CASES], ids=[case[0] for case in CASES])
def test_script_prints_a_table(settings, capsys):
    """That it runs alone is a test of the zip that holds it."""
    exec(takeaway.script(settings), {})
    assert any(line.startswith("0 ") for line in capsys.readouterr().out.splitlines()[1:])


def guaranteed(printed: str) -> float:
    """The epsilon of the guarantee that a program prints."""
    return float(re.search(r"Guarantee\(epsilon=([\d.e+-]+),", printed)[1])


@pytest.mark.parametrize(("page", "settings"), ESTIMATORS, ids=[page.name for page, _ in ESTIMATORS])
def test_an_estimators_program_runs_with_every_choice(page, settings, capsys):
    for field, options in settings.choices.items():
        for option in set(options) - ELSEWHERE:
            exec(page.code(cheap(settings, **{field: str(option)})), {})
            assert 0 < guaranteed(capsys.readouterr().out) < float("inf"), (field, option)
    if "rows_each" in settings.limits:
        exec(page.code(settings.change(rows_each=7)), {})
        assert ("unit='person'" in capsys.readouterr().out) == (page.name == "classifier")
