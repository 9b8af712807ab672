"""How the lab writes: colons, semicolons, openers and length of all visible sentences meet the style sheet.

A sentence that has to stay as it is goes to ``EXCEPT``, with the reason.
"""

import ast
import re
from pathlib import Path

import pytest

from scripts.fingerprints import beside, fingerprint, has_colon, headless, in_code, sentences

EXCEPT = {
    # The value of a guess, which may be a sentence in quotes.
    "Your guess is in: {guess}.",
    # Two labels of a hover, and a pattern.
    "click: is this person safe?",
    r"\s ^. \b(?: Cc lick Hh over drag)\b ^. \.",
}
# (colons, semicolons, headless openers in percent of sentences; "of its own" per 1,000 words; 90th percentile of words)
STYLE_SHEET = (5, 0, 0.5, 0, 22)
# The style sheet, or what was measured last where that is stricter; no share may rise.
CEILINGS = {
    "pages: code": (0, 0, 0, 0, 21),  # of 26 sentences, of which some are the code that a page writes
    "ui: code": (4.6, 0, 0, 0, 14),
    "pages: texts": STYLE_SHEET,
    "ui: texts": STYLE_SHEET,
    "pages: method": STYLE_SHEET,
}


def texts(place: str) -> list[str]:
    folder, _, kind = place.partition(": ")
    found = in_code(folder) if kind == "code" else [*beside(folder, method=kind == "method").values()]
    return [one for text in found for one in sentences(text) if one not in EXCEPT]


ROOT = Path(__file__).parents[1]
# A docstring says what a function does or returns; these open a clause that hangs in the air.
CLAUSE = re.compile(r"(?:What|How|Whether|Where|Of|From|Who|That|By|In)\b")


def test_few_docstrings_of_functions_open_with_a_clause():
    files = [file for top in ("dpcore", "lab", "ui", "pages") for file in (ROOT / top).rglob("*.py")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    found = [text for node in functions if (text := ast.get_docstring(node))]
    assert len(found) > 1000
    clauses = [text for text in found if CLAUSE.match(text)]
    assert len(clauses) <= 0.01 * len(found), clauses


def test_modules_that_choose_texts_are_short():
    """Sentences are in Markdown and TOML; a module picks the case and the numbers."""
    files = (ROOT / "pages").rglob("words*.py")
    lines = {str(file.relative_to(ROOT)): len(file.read_text("utf-8").splitlines()) for file in files}
    assert lines
    assert {file: count for file, count in lines.items() if count > 250} == {}


@pytest.mark.parametrize("place", CEILINGS)
def test_no_share_rises_above_its_ceiling(place):
    found = fingerprint(texts(place))
    measured = (found.colons, found.semicolons, found.headless, found.own, found.length)
    names = ("colons", "semicolons", "headless openers", "of its own", "words a sentence")
    above = [
        f"{name}: {value:.2f} > {most}"
        for name, value, most in zip(names, measured, CEILINGS[place], strict=True)
        if value > most
    ]
    assert found.sentences >= (10 if place == "pages: code" else 41)
    assert above == []


@pytest.mark.parametrize(
    ("sentence", "colon", "opener"),
    [
        ("The sources make the error smaller: it is half as large.", True, False),
        ("Meet at 10:30 in the room of the class.", False, False),
        ("Who waits is told how many are before them.", False, True),
        ("Who sees the rows of this party now?", False, False),
        ("That the noise is small does not help here.", False, True),
        ("That is what the chart shows for everyone.", False, False),
    ],
)
def test_marks_and_openers_are_found(sentence, colon, opener):
    assert (has_colon(sentence), headless(sentence)) == (colon, opener)
