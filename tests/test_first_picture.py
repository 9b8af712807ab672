"""A recorded first picture: what the live page shows, small, and sent only with a page at its default address."""

import asyncio
import gzip
import json
import re
from urllib.parse import parse_qsl

import pytest

from pages.table import FIRSTS, HEADS
from tests.asgi import ask, inside
from tests.test_recording import live
from ui import first_picture, static_files
from ui.controls import from_link
from ui.recording import Recording, unfolded

RECORDED = ("", "classifier", "mechanisms")  # quickly made; the last one with fewer stops


@pytest.fixture(scope="module")
def found():
    """Address -> what is recorded of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_picture, "AFTER", 0)
        patch.setattr(first_picture, "FOUND", {})
        patch.delenv("LAB_FIRST_PICTURE", raising=False)
        asyncio.run(first_picture.record({name: FIRSTS[name] for name in RECORDED}))
        return dict(first_picture.FOUND)


@pytest.mark.parametrize("name", RECORDED)
def test_every_stop_is_what_the_live_page_shows(found, name):
    taken = json.loads(re.search(r"<script[^>]*id=lab-recorded>(.*?)</script>", found[name], re.DOTALL)[1])
    page = FIRSTS[name].page
    one = Recording(page=page, settings=page.settings(), told="", date="")
    assert taken["values"][taken["at"]] == getattr(one.settings, one.knob.name)
    assert first_picture.LEAST_STOPS <= len(taken["values"]) <= len(one.values)
    for stop, value in enumerate(taken["values"]):
        frame, sent = unfolded(taken["frames"], stop), live(one, value, "")
        assert {where: sent.words[where] for where in frame["words"]} == frame["words"]
        assert list(frame["charts"]) == [chart for row in sent.rows["board"] for chart in row]
        for chart, (beside, parts) in sent.pictures.items():
            assert frame["charts"][chart]["data"] == json.loads(parts["data"])
            assert frame["charts"][chart]["alt"] == beside["alt"]
        settings, notices = from_link(page.settings, dict(parse_qsl(frame["address"])))
        assert (settings, notices) == (one.settings.change(**{one.knob.name: value}), [])
    assert taken["html"].count("data-chart") == len(frame["charts"])


def test_a_page_is_little_longer_and_what_is_too_large_is_left_out(found, monkeypatch):
    assert all(len(gzip.compress(html.encode())) < first_picture.MOST_BYTES + 500 for html in found.values())
    page = FIRSTS["mechanisms"].page
    one = Recording(page=page, settings=page.settings(), told="", date="")
    frames = {value: {"words": {}, "charts": {"a": [value * place for place in range(4000)]}} for value in one.values}
    assert first_picture.html(one, "", frames) == ""
    monkeypatch.setenv("LAB_FIRST_PICTURE", "off")
    monkeypatch.setattr(first_picture, "FOUND", {})
    asyncio.run(first_picture.record(FIRSTS))
    assert first_picture.FOUND == {}


def test_it_is_sent_without_a_query_only_before_all_that_a_page_needs(found):
    heads = {name: HEADS[name] for name in ("classifier", "data")}
    firsts, (address, program) = dict(found), first_picture.script()
    front = static_files.Delivery(inside, heads, firsts, {address: program})

    def sent(path):
        return gzip.decompress(ask(front, path, accept_encoding="gzip")[2]).decode()

    page = sent("/classifier")
    assert found["classifier"] in page
    links = re.findall(r'(?:href|src)="\.(/[^"]*)"', page)
    assert links[0] == links[-2] == address
    assert sent(address) == program
    for other in ("/classifier?epsilon=2&v=3", "/data"):
        assert "lab-recorded" not in sent(other)
        assert address not in sent(other)
    firsts.clear()
    assert "lab-recorded" not in sent("/classifier"), "until it is recorded"
