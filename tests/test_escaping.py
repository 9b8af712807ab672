"""Foreign text keeps its letters and loses its power."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape

import pytest

from dpcore.check import RefusedError
from lab.files import own_texts
from lab.files.own_table import Table
from lab.files.own_texts import Columns
from pages.classifier.experiment import ClassifierSettings
from pages.hypotheses.experiment import HypothesesSettings
from tests.hostile import HOSTILE
from ui import controls, own_file
from ui.escaping import plain, quoted


@pytest.mark.parametrize("text", HOSTILE)
def test_text_keeps_its_letters_on_one_line_and_nothing_that_could_act(text):
    seen = unescape(plain(text)).replace("\u2060", "")
    assert seen == " ".join(re.sub("[\x00\x1b\u202e]", "", text).split())
    assert not set(plain(text)) & set("\\`*[]<>{}+|~$!\"'^@\n\r\t\x00\x1b\u202e\u2028")
    assert "://" not in unescape(plain(text))
    assert quoted(text)[1:-1].count("`") == 0
    assert "\n" not in quoted(text)
    assert len(quoted(text * 9)) <= 62


def test_plain_text_and_letters_that_need_their_joiners_are_left():
    for text in ("It must be from 1 to 2.", "clip_norm=1e-5; “Sourcë” (3/4)", "", "می\u200cخواهم 👩\u200d🔬"):
        assert plain(text) == text


def acts(said: str) -> bool:
    """Whether something in this Markdown could be more than letters; what stands as code, or bold, is ours."""
    assert said.count("`") % 2 == 0
    words, codes = "".join(said.split("`")[::2]).replace("**", ""), "".join(said.split("`")[1::2])
    unseen = set("\n\r\x00\x1b\u202e\u2028")
    return bool(set(words) & (set("\\[]<>{}|~$*") | unseen) or set(codes) & unseen or "://" in unescape(words))


def brought(hostile: str) -> bytes:
    file = io.StringIO()
    line = csv.writer(file).writerow
    name = " ".join(hostile.replace(";", " ").replace("|", " ").split())  # which would separate fields
    line([f"{name} text", f"{name} label", f"{name} source"])
    for row in range(1600):
        line([f"{hostile} common{row % 7} word{row % 11}", f"{hostile}{row // 2 % 2}", f"{hostile}{row % 2}"])
    return file.getvalue().encode()


def filed(hostile: str) -> Iterator[str]:
    """What is said of a file that holds this wherever it may, and of the choices in it that are refused."""
    table: Table = own_texts.read(brought(hostile))
    text, label, source = table.columns
    right = Columns(text=text, label=label, yes=table.texts(label)[0], source=source)
    own = own_texts.choose(table, right)
    desk = controls.Desk(page="hypotheses", settings=HypothesesSettings().change(data="own", own=own))
    yield own_file._known(desk, 300)
    for wrong in ({"label": text}, {"source": text}, {"public": hostile}, {"text": hostile}, {"label": source[:1]}):
        with pytest.raises(RefusedError) as refused:
            own_texts.choose(table, replace(right, **wrong))
        yield own_file.refused(refused.value)
    for data in (f"{' '.join(hostile.split())}\n1\n2".encode(), b"a,b\n1,2\n3"):
        with pytest.raises(RefusedError) as refused:
            own_texts.read(data)
        yield own_file.refused(refused.value)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_notice_refusal_or_caption_lets_it_act(text):
    linked = controls.from_link(ClassifierSettings, {"dataset": text, "epsilon": text, text: text})[1]
    linked += controls.from_link(HypothesesSettings, {"data": "own", "own": text})[1]
    said = [*linked, *filed(text.replace("\x00", ""))]
    assert len(said) > 10
    assert [*map(acts, ("It is ![x](http://e.test/p.png).", "It is `a\n\nb`.", "http://e.test"))] == [True] * 3
    assert not acts("It is **bold** `http://[x]` and &#91;.")
    assert [one for one in said if acts(one)] == []
