"""The handout: what its page holds, that it asks nobody, and that nothing of a file is in it."""

import io
import json
import re
import zipfile
from html import unescape
from html.parser import HTMLParser

import pytest

from lab import label as labels
from pages.table import PAGES
from tests.handouts import handout, quick
from tests.sentences import broken_by, plain
from ui import share
from ui.handout import elsewhere
from ui.page import FIRST

MOST = 1_000_000


@pytest.fixture(scope="module", params=PAGES, ids=lambda page: page.name)
def made(request):
    """(page, its handout) with quick settings."""
    return request.param, quick(request.param)


def figures(html: str) -> list[dict]:
    (found,) = re.findall(r'<script type="application/json" id=first>(.*?)</script>', html, re.DOTALL)
    return [*json.loads(found).values()]


def texts(handed) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(share._files(handed)["Handout (zip)"][-1]())) as archive:
        return {name.partition("/")[2]: archive.read(name).decode() for name in archive.namelist()}


def test_it_says_what_the_page_says(made):
    page, one = made
    html = one.html()
    said = plain(re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL))
    view = page.at(one.settings).view(one.result)
    for text in (page.question, view.words["verdict"], one.told, one.link, one.date, "To try", "Privacy label"):
        assert plain(text) in said
    for number in view.numbers:
        assert plain(f"<b>{number.value}</b><span>{number.label}</span>") in said
    drawn = [picture.figure for picture in view.pictures(FIRST).values()]
    shown, expected = ([one["layout"].get("title", {}).get("text") for one in each] for each in (figures(html), drawn))
    assert shown == expected
    assert "<svg" in html
    broken_by(said, one.result, {})


def test_html_is_a_tree_that_asks_nobody_for_anything_and_has_the_fields_of_the_json(made):
    """No address but in words, and a policy that would refuse it."""
    _, one = made
    told = json.loads(one.label.json())
    for html in (one.html(), one.label_html()):
        assert "default-src 'none'" in html
        assert not re.findall(r"<(?:link|img|iframe|object|embed|source|base)\b", html)
        assert not re.findall(r'\b(?:src|href)="(?!data:)', re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL))
        assert "@import" not in html
        tree = Tree()
        tree.feed(html)
        assert tree.open == []
        said = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", html.partition("Privacy label in full")[2] or html))
        for tier, names in labels.sections().items():
            for name, words in names.items():
                value = told[tier][name]
                assert unescape(said[words]) == (value if isinstance(value, str) else labels.number(value))


class Tree(HTMLParser):
    """Every element that is opened is closed, so that none of it stands in another's place."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br", "path", "hr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if tag not in ("meta", "br", "path", "hr"):
            assert self.open.pop() == tag


def test_exercises_ask_for_values_that_there_are(made):
    page, one = made
    here = page.at(one.settings)
    tasks = [*one.exercises(here.view(one.result))]
    assert 3 <= len(tasks) <= 4
    assert all("blank" in task for task in tasks)
    knobs = here.knobs(one.settings)
    for name in (knobs.hero, *knobs.main):
        low, high = one.settings.limits[name]
        values = elsewhere(one.settings, name, knobs.changes)
        assert all(low <= value <= high and value != getattr(one.settings, name) for value in values)


def test_the_zip_is_the_same_on_the_same_day_and_small(made):
    page, one = made
    packed, again = (share._files(one)["Handout (zip)"][-1]() for _ in range(2))
    assert packed == again
    assert len(packed) < MOST
    today, other = texts(one), texts(handout(page, one.result, date="2026-02-01"))
    dated = {"index.html", "label.html", "label.json", *(["registry.yaml"] if one.record() else [])}
    assert {name for name in today if today[name] != other[name]} == dated
    assert json.loads(today["label.schema.json"]) == json.loads(labels.SCHEMA.read_text("utf-8"))
    assert today["label.json"] == one.label.json()
