"""Modules of the player are joined into one script without their comments."""

import re

import pytest

from ui.export import single_file

PROGRAMS = ("player/page.js", "player/lesson.js", "player/prerender.js", "handout.js")


@pytest.mark.parametrize("file", PROGRAMS)
def test_a_bundle_has_no_imports_exports_or_comment_lines(file):
    script = single_file.bundle(file)

    assert re.findall(r"^(?:import|export)\b.*", script, re.MULTILINE) == []
    assert re.findall(r"^\s*(?://|/\*|\*).*", script, re.MULTILINE) == []


@pytest.mark.parametrize("file", PROGRAMS)
def test_a_bundle_keeps_each_module_once_and_before_those_that_import_it(file):
    script = single_file.bundle(file)

    defined = re.findall(r"^const (of_\w+) = \(\(\) =>", script, re.MULTILINE)
    used = re.findall(r"^const \{[^}]*\} = (of_\w+)$|^const (of_\w+) =", script, re.MULTILINE)
    assert len(defined) == len(set(defined))
    seen = set()
    for imported, started in used:
        if imported:
            assert imported in seen
        seen.add(started)
