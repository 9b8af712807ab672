"""Foreign text in links and files is shown as text, and cannot act."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from dpcore.check import RefusedError
from lab.uploads import rows as own_rows
from lab.uploads import table as own_table
from lab.uploads.column_roles import Column, Roles
from pages.classifier.settings import ClassifierSettings
from tests.hostile import HOSTILE
from ui.session.entries import from_link
from ui.text.escaping import plain, quoted
from ui.uploads import rows as my_rows

ROWS = 1600
# What acts in Markdown or HTML, and characters that cannot be seen.
ACTING = set("\\`*[]<>{}+|~$!\"'^@")
UNSEEN = set("\n\r\x00\x1b\u202e\u2028")


@pytest.mark.parametrize("text", HOSTILE)
class TestEscaping:
    def test_plain_text_keeps_its_letters_on_one_line(self, text):
        shown = unescape(plain(text)).replace("\u2060", "")

        assert shown == " ".join(re.sub("[\x00\x1b\u202e]", "", text).split())

    def test_plain_text_holds_nothing_that_could_act(self, text):
        assert not set(plain(text)) & (ACTING | UNSEEN | {"\t"})
        assert "://" not in unescape(plain(text))

    def test_quoted_text_is_one_short_code(self, text):
        assert quoted(text)[1:-1].count("`") == 0
        assert "\n" not in quoted(text)
        assert len(quoted(text * 9)) <= 62


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("It must be from 1 to 2.", id="sentence"),
        pytest.param("clip_norm=1e-5; “Sourcë” (3/4)", id="signs"),
        pytest.param("", id="empty"),
        pytest.param("می\u200cخواهم 👩\u200d🔬", id="joiners"),
    ],
)
def test_plain_text_leaves_harmless_text_as_it_is(text):
    assert plain(text) == text


def can_act(markdown: str) -> bool:
    """Return whether something in our Markdown, but for code and bold text, is more than text."""
    assert markdown.count("`") % 2 == 0
    pieces = markdown.split("`")
    text = "".join(pieces[::2]).replace("**", "")
    code = "".join(pieces[1::2])
    if set(text) & (set("\\[]<>{}|~$*") | UNSEEN):
        return True
    return bool(set(code) & UNSEEN) or "://" in unescape(text)


@pytest.mark.parametrize(
    ("markdown", "acts"),
    [
        pytest.param("It is ![x](http://e.test/p.png).", True, id="image"),
        pytest.param("It is `a\n\nb`.", True, id="lines in code"),
        pytest.param("http://e.test", True, id="address"),
        pytest.param("It is **bold** `http://[x]` and &#91;.", False, id="bold, code, escaped"),
    ],
)
def test_markdown_that_can_act_is_noticed(markdown, acts):
    assert can_act(markdown) == acts


def hostile_file(text: str) -> bytes:
    """Return a table with the text in its head and in every cell."""
    # Semicolons and bars would separate fields.
    name = " ".join(text.replace(";", " ").replace("|", " ").split())
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow([f"{name} text", f"{name} label", f"{name} source"])
    for row in range(ROWS):
        words = f"{text} common{row % 7} word{row % 11}"
        writer.writerow([words, f"{text}{row // 2 % 2}", f"{text}{row % 2}"])
    return file.getvalue().encode()


def refusals_of_roles(text: str) -> Iterator[str]:
    """Yield the refusals of roles in such a file."""
    table = own_table.read(hostile_file(text))
    text_column, label_column, source_column = table.columns
    classes = tuple(set(table.texts(label_column)))
    source = Column(name=source_column, kind="category", values=classes)
    roles = Roles(answer=label_column, classes=classes, columns=(source,))
    number = Column(name=text_column, kind="number", low=0, high=1)
    changes: list[dict[str, Any]] = [
        {"answer": text},
        {"answer": source_column},
        {"person": text},
        {"columns": (number, number)},
        {"columns": (replace(source, name=text),)},
        {"classes": (f"{text} x", "y")},
    ]
    for change in changes:
        with pytest.raises(RefusedError) as caught:
            own_rows.choose(table, replace(roles, **change))
        yield my_rows.refusal_text(caught.value)


def refusals_of_files(text: str) -> Iterator[str]:
    """Yield the refusals of two files: one with the text as its head, one with a short row."""
    for data in (f"{' '.join(text.split())}\n1\n2".encode(), b"a,b\n1,2\n3"):
        with pytest.raises(RefusedError) as caught:
            own_table.read(data)
        yield my_rows.refusal_text(caught.value)


@pytest.mark.parametrize("text", HOSTILE)
class TestSentences:
    def test_no_notice_on_a_link_lets_it_act(self, text):
        params = {"dataset": text, "epsilon": text, text: text}
        _, notices = from_link(ClassifierSettings, params)
        _, notices_of_file = from_link(ClassifierSettings, {"dataset": "own", "own": text})

        assert [notice for notice in notices + notices_of_file if can_act(notice)] == []
        assert len(notices + notices_of_file) > 2

    def test_no_refusal_of_a_file_lets_it_act(self, text):
        in_file = text.replace("\x00", "")
        refusals = [*refusals_of_roles(in_file), *refusals_of_files(in_file)]

        assert [refusal for refusal in refusals if can_act(refusal)] == []
        assert len(refusals) == 8
