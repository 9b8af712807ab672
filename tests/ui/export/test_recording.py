"""Recorded pages, first pictures and the lab as static files show what the live page shows, and ask
nobody.
"""

import asyncio
import gzip
import json
import re
from dataclasses import asdict, replace
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from pages import topics
from pages.home import page as home
from pages.lessons.lessons import LESSONS
from pages.topics import FIRSTS, HEADS
from scripts import make_site
from scripts.snapshot import random_link
from tests import own_files
from tests.app import QUICK, opened
from tests.asgi import ask, inside
from tests.handouts import stands_alone
from tests.hostile import HOSTILE
from ui.export import prerender
from ui.export.recording import (
    STOPS,
    Recording,
    coarsen,
    decode_stop,
    encode_stops,
    slider_values,
    without_live_requests,
)
from ui.live.frames import make_frame
from ui.live.messages import parse_message
from ui.server import head_tags, static_files
from ui.session.entries import from_link
from ui.text import glossary, markdown
from ui.text.numbers import number

PAGES = (home.PAGE, *topics.PAGES)
SHORT = ("classifier", "mechanisms", "parties")


def recording(page, link=None, **how):
    """The recording of a page at this link, or at settings that are computed quickly."""
    settings, notices = from_link(page.settings, QUICK.get(page.name, {}) if link is None else link)
    assert not notices
    told = {
        "settings_text": "Data Iris",
        "date": "2026-01-31",
        "link": "https://lab.example.org/lab/classifier?seed=3",
    }
    return Recording(page=page, settings=settings, **{**told, **how})


def test_frames_are_the_same_after_packing_and_unpacking():
    """Of frames with parts of every kind, which often are the same; what does not differ is written
    once.
    """
    rng = np.random.default_rng(1)

    def part(depth: int):
        kind = rng.integers(8 if depth else 5)
        if kind < 5:
            return [None, 1, "a", [], [1, 2]][kind]
        return {name: part(depth - 1) for name in "xyz"[: kind - 4]}

    for _ in range(300):
        frames = [
            {name: part(3) for name in "abcd"[: rng.integers(2, 5)]}
            for _ in range(rng.integers(1, 5))
        ]
        one = json.loads(json.dumps(encode_stops(frames)))
        assert [decode_stop(one, stop) for stop in range(len(frames))] == frames
    frames = [{"title": "loss", "data": [{"x": [1, 2], "y": [at, 0]}]} for at in (1, 2, 1)]
    assert encode_stops(frames) == {
        "title": "loss",
        "data": [{"x": [1, 2], "y": {"$": [[1, 0], [2, 0]], "at": [0, 1, 0]}}],
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_stops_are_some_of_those_of_the_live_slider(page):
    one = recording(page)
    found = slider_values(one.slider)
    assert STOPS / 2 < len(found) <= STOPS + 3
    assert (found[0], found[-1]) == one.settings.limits[one.slider.name]
    assert getattr(one.settings, one.slider.name) in one.values
    assert coarsen(one.slider) == one.slider


def test_sentences_about_what_only_the_live_page_has_are_left_out():
    kept = "<b>Choose</b> a far smaller delta. Trying several would cost extra."
    assert without_live_requests(kept) == kept
    assert (
        without_live_requests("<p>Half of 0.5 train. Choose “every step” to compare.</p>")
        == "<p>Half of 0.5 train.</p>"
    )
    assert (
        without_live_requests("Each bar is a run. Click on a bar to ask about 0.5 of it.")
        == "Each bar is a run."
    )


def live(one, value, tab):
    link = {
        name: str(part)
        for name, part in asdict(one.settings.change(**{one.slider.name: value})).items()
    }
    message = {"number": 1, "page": one.page.name, "settings": link, "moves": [], "tab": tab}
    question, _ = parse_message(json.dumps(message), {one.page.name: one.page})
    return make_frame(question, 1e9)


@pytest.mark.parametrize("seeded", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.name, marks=() if page.name in SHORT else pytest.mark.soak)
        for page in PAGES
    ],
)
def test_every_stop_is_what_the_live_page_shows(page, seeded):
    link = None if page.name in SHORT else {}
    if seeded and page.name != "what-if":  # a search may take hours
        app = opened("" if page.name == "home" else page.name)
        link = random_link(app.session_state[f"{page.name}.state"], 37)
    one = recording(page, link)
    taken = one.record()
    assert taken["values"][taken["at"]] == getattr(one.settings, one.slider.name)
    for stop, value in enumerate(taken["values"]):
        frame = decode_stop(taken["frames"], stop)
        for tab in [tab.name for tab in one.tabs] or [""]:
            sent = live(one, value, tab)
            words = {where: without_live_requests(html) for where, html in sent.texts.items()}
            assert {where: frame["words"][where] for where in words} == words
            for name, (beside, parts) in sent.charts.items():
                chart = frame["charts"][name]
                told = {"data": chart["data"]} | {
                    f"layout.{part}": to for part, to in chart["layout"].items()
                }
                assert (chart["alt"], told) == (
                    beside["alt"],
                    {part: json.loads(to) for part, to in parts.items()},
                )


def elements(html: str) -> int:
    return len(re.findall(r"<\w", re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)))


def test_a_file_holds_foreign_text_as_text_and_no_rows_of_a_visitor():
    """With hostile words in every place that foreign text can come to: as many elements as without
    them.
    """
    page = FIRSTS["mechanisms"].page
    plain = recording(page)
    taken = plain.record()
    harmless = plain.document(taken)
    for text in HOSTILE:
        foreign_page = replace(page, info=page.info._replace(question=text))
        html = replace(plain, settings_text=text, link=text, page=foreign_page).document(taken)
        assert elements(html) == elements(harmless)
        stands_alone(html)
    settings = own_files.settings("classifier")
    assert (
        replace(recording(FIRSTS["classifier"].page), settings=settings).frame(settings.epsilon)
        is None
    )
    own_files.HELD.clear()


RECORDED = ("", "classifier", "mechanisms")  # quickly made; the last one with fewer stops


@pytest.fixture(scope="module")
def found():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prerender, "START_DELAY", 0)
        patch.setattr(prerender, "FOUND", {})
        patch.delenv("LAB_FIRST_PICTURE", raising=False)
        asyncio.run(prerender.record({name: FIRSTS[name] for name in RECORDED}))
        return dict(prerender.FOUND)


@pytest.mark.parametrize("name", RECORDED)
def test_every_stop_of_a_first_picture_is_what_the_live_page_shows(found, name):
    taken = json.loads(
        re.search(r"<script[^>]*id=lab-recorded>(.*?)</script>", found[name], re.DOTALL)[1]
    )
    page = FIRSTS[name].page
    one = Recording(page=page, settings=page.settings(), settings_text="", date="")
    assert taken["values"][taken["at"]] == getattr(one.settings, one.slider.name)
    assert prerender.LEAST_STOPS <= len(taken["values"]) <= len(one.values)
    for stop, value in enumerate(taken["values"]):
        frame, sent = decode_stop(taken["frames"], stop), live(one, value, "")
        assert {where: sent.texts[where] for where in frame["words"]} == frame["words"]
        assert list(frame["charts"]) == [chart for row in sent.rows["board"] for chart in row]
        for chart, (beside, parts) in sent.charts.items():
            assert frame["charts"][chart]["data"] == json.loads(parts["data"])
            assert frame["charts"][chart]["alt"] == beside["alt"]
        settings, notices = from_link(page.settings, dict(parse_qsl(frame["address"])))
        assert (settings, notices) == (one.settings.change(**{one.slider.name: value}), [])
    assert taken["html"].count("data-chart") == len(frame["charts"])


def test_a_first_picture_makes_a_page_little_longer_and_what_is_too_large_is_left_out(
    found, monkeypatch
):
    assert all(
        len(gzip.compress(html.encode())) < prerender.MOST_BYTES + 500 for html in found.values()
    )
    page = FIRSTS["mechanisms"].page
    one = Recording(page=page, settings=page.settings(), settings_text="", date="")
    frames = {
        value: {"words": {}, "charts": {"a": [value * place for place in range(4000)]}}
        for value in one.values
    }
    assert prerender.html(one, "", frames) == ""
    monkeypatch.setenv("LAB_FIRST_PICTURE", "off")
    monkeypatch.setattr(prerender, "FOUND", {})
    asyncio.run(prerender.record(FIRSTS))
    assert prerender.FOUND == {}


def test_a_first_picture_is_sent_without_a_query_only_before_all_that_a_page_needs(found):
    heads = {name: HEADS[name] for name in ("classifier", "data")}
    firsts, (address, program) = dict(found), prerender.script()
    front = static_files.StaticFiles(inside, heads, firsts, {address: program})

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


AT = "https://lab.example.edu/lab"
SITE = "https://site.example.edu/lab"
SOURCE = "https://code.example.edu/lab"
# Search engines and chats cut what is much longer.
LONGEST_TITLE = 100
LONGEST_DESCRIPTION = 200
# Pages that are recorded quickly.
QUICKLY = [page for page in topics.PAGES if page.name in ("classifier", "mechanisms")]


@pytest.fixture(scope="module", params=["", AT], ids=["alone", "beside the lab"])
def site(request):
    addresses = make_site.Addresses()
    if request.param:
        addresses = make_site.Addresses(live=request.param, site=SITE, source=SOURCE)
    return request.param, dict(make_site.files(addresses, pages=QUICKLY))


def leads_somewhere(files: dict[str, str], at: str) -> None:
    missing = {f"{page.name}.html" for page in topics.PAGES} - files.keys()
    for name, html in files.items():
        for href in map(unescape, re.findall(r'<a [^>]*href="([^"]*)"', html)):
            there = urlsplit(href)
            if there.scheme:
                known = (AT, SOURCE, "https://arxiv.org/", "https://doi.org/")
                assert href.startswith(known), (name, href)
                continue
            assert not there.path.startswith("/"), (name, href)
            if there.path not in missing:
                page = files[there.path or name]
                assert not there.fragment or f'id="{there.fragment}"' in page, (name, href)
        assert ("Open in the live lab" in html) == bool(at) or name.startswith("lesson-")


def test_every_file_stands_alone_and_leads_to_another_or_to_the_lab(site):
    at, files = site
    assert {f"lesson-{lesson.name}.html" for lesson in LESSONS} < files.keys()
    leads_somewhere(files, at)
    for html in files.values():
        stands_alone(html)


def meta(html: str, name: str) -> str:
    """Return the content of the only tag of this name in the head of a file."""
    head = html.partition("</head>")[0]
    (content,) = re.findall(rf'<meta (?:name|property)="{name}" content="([^"]*)">', head)
    return unescape(content)


def test_every_file_has_a_title_a_description_and_a_preview_with_a_picture(site):
    at, files = site
    start = ""
    if at:
        start = f"{SITE}/"

    for name, html in files.items():
        (title,) = re.findall(r"<title>(.*?)</title>", html)
        assert len("Epsilon Lab") < len(title) <= LONGEST_TITLE, name
        assert 20 <= len(meta(html, "description")) <= LONGEST_DESCRIPTION, name
        assert meta(html, "og:description") == meta(html, "description"), name
        assert meta(html, "og:title"), name
        assert meta(html, "og:image") == f"{start}{head_tags.PREVIEW}", name
        if at:
            assert meta(html, "og:url") == f"{SITE}/{name}"
    descriptions = [meta(html, "description") for html in files.values()]
    assert len(set(descriptions)) == len(files)


def test_the_landing_page_says_what_it_is_what_moves_and_how_to_run_the_whole(site):
    at, files = site

    html = files["index.html"].partition("<h1>")[0]

    assert "what differential privacy costs" in html
    assert "moves without a server" in html
    assert "<code>make run</code>" in html
    assert (f'<a href="{SOURCE}">source code</a>' in html) == bool(at)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one.name)
def test_a_lesson_covers_its_chart_until_the_guess_and_then_names_it(site, lesson):
    html = site[1][f"lesson-{lesson.name}.html"]
    taken = json.loads(
        re.search(r'<script type="application/json" id=recording>(.*?)</script>', html, re.DOTALL)[
            1
        ]
    )
    assert len(taken["values"]) >= 3
    for stop, value in enumerate(taken["values"]):
        frame = decode_stop(taken["frames"], stop)
        assert [trace["fillpattern"]["shape"] for trace in frame["covered"]["data"]] == ["/"]
        assert len(frame["reveal"]["data"]) + len(frame["reveal"]["layout"]["shapes"]) > 2
        said = lesson.options("Guess")[value] if lesson.number is None else number(value)
        assert said in frame["heading"] or frame["heading"].startswith("You were right")


def test_glossary_and_papers_are_whole_and_markdown_is_escaped(site):
    assert all(f'id="{key}"' in site[1]["glossary.html"] for key in glossary.TERMS)
    html = site[1]["works.html"]
    assert "<span class=formula>C(2k, k)/4<sup>k</sup></span>" in html
    assert "\\" not in re.sub(r"<(script|style).*?</\1>", "", html, flags=re.DOTALL)
    text = "**a < b**, *c*, `<d>`, [e](f?g=1) and $\\frac{2C}{n\\varepsilon} \\ge c_1^2$"
    assert markdown.html(text, lambda there: f"to/{there}") == (
        '<p><b>a &lt; b</b>, <i>c</i>, <code>&lt;d&gt;</code>, <a href="to/f?g=1">e</a> and '
        "<span class=formula>(2C)/(nε) ≥ c<sub>1</sub><sup>2</sup></span></p>"
    )
    assert markdown.html("[e](f)", lambda _: "") == "<p>e</p>"


@pytest.mark.soak
def test_the_whole_site_is_small_and_holds_together():
    files = dict(make_site.files(make_site.Addresses(live=AT)))
    leads_somewhere(files, AT)
    assert {f"{page.name}.html" for page in topics.PAGES} < files.keys()
    pages = sum(len(gzip.compress(html.encode())) for html in files.values())
    assert pages + head_tags.PICTURE.stat().st_size < make_site.MOST_BYTES
