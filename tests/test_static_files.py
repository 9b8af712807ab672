"""What a browser fetches first: small, early, kept for good, and of the right version."""

import asyncio
import gzip
import re
from pathlib import Path

import plotly
import pytest
import streamlit as st

from lab import links
from pages.attack.parameters import PARTS
from pages.table import PAGES
from ui import static_files
from ui.compute import compute
from ui.live import serving
from ui.security_headers import policy

QUESTIONS = {"": "What & why?", "classifier": "What does <privacy> cost?"}
WHEEL = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
LINK = re.compile(r'<(?:link rel="(modulepreload|prefetch|preload|stylesheet)"|script)[^>]*(?:href|src)="\.(/[^"]+)"')
# Kilobytes (of 1,000 bytes) that travel before the first words and charts, fonts left out, which are as they are.
MOST = 1100


async def inside(scope, receive, send):
    """An app that answers everything."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"inside"})


@pytest.fixture(scope="module")
def front() -> static_files.Delivery:
    return static_files.Delivery(inside, QUESTIONS)


def ask(
    app: static_files.Delivery, path: str, *, takes: str = "gzip, br", method: str = "GET", query: str = ""
) -> tuple[dict, bytes]:
    said = []

    async def send(message):
        said.append(message)

    headers = [(b"accept-encoding", takes.encode())]
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": headers}
    asyncio.run(app(scope, None, send))
    return {name.decode(): value.decode() for name, value in said[0]["headers"]}, said[1]["body"]


def html(app: static_files.Delivery, path: str) -> str:
    return gzip.decompress(ask(app, path)[1]).decode()


def test_all_that_a_page_needs_is_small_and_kept_for_good(front):
    found = dict(reversed(link) for link in LINK.findall(html(front, "/classifier")))
    assert {"", "modulepreload", "preload", "stylesheet"} <= set(found.values())
    assert any("BidiComponent" in path for path in found)
    for name in ("chart", "knobs", "connection"):
        assert serving.address(name, f"{name}.js") in found
    sizes = {}
    for path in found:
        headers, body = ask(front, path)
        sizes[path] = len(body)
        assert headers["content-encoding"] == "gzip"
        assert "immutable" in headers["cache-control"]
        assert headers["content-type"].startswith(("text/javascript", "text/css"))
        there = serving.files().get(path, static_files.STATIC / path.removeprefix("/"))
        assert gzip.decompress(body) == there.read_bytes()
    assert sum(sizes.values()) < 1000 * MOST, sizes


def test_a_page_says_its_question_until_the_front_end_runs(front):
    assert "<h1>What does &lt;privacy&gt; cost?</h1>" in html(front, "/classifier")
    assert ask(front, "/classifier")[0]["cache-control"] == "no-cache"
    home = html(front, "/")
    assert "<h1>What &amp; why?</h1>" in home
    plotly_link = next(kind for kind, path in LINK.findall(home) if path.endswith(serving.PLOTLY.name))
    assert plotly_link == "prefetch"


def test_home_fetches_ahead_what_the_next_page_needs_under_a_directive_that_allows_it(front):
    """Chromium asks ``script-src`` about a prefetched script, Firefox ``default-src``."""
    ahead = {path for kind, path in LINK.findall(html(front, "/")) if kind == "prefetch"}
    assert {serving.address(name, f"{name}.js") for name in ("chart", "knobs")} <= ahead
    rules = dict(rule.split(" ", 1) for rule in policy({}).split("; "))
    for name in ("default-src", "script-src"):
        assert "'self'" in rules[name].split()


def test_the_front_end_finds_its_page_as_it_is(front):
    """What is left out is the font's link; what runs is Streamlit's, and its place is where it was."""
    ours, theirs = html(front, "/classifier"), (static_files.STATIC / "index.html").read_text("utf-8")
    scripts = re.compile(r"<script.*?</script>", re.DOTALL)
    assert scripts.findall(ours) == scripts.findall(theirs)
    assert 'as="font"' in theirs
    assert 'as="font"' not in ours
    assert ours.count('id="root"') == 1


def test_the_font_that_is_spared_is_the_one_that_streamlit_declares():
    styles = next((static_files.STATIC / "static/css").glob("index.*.css")).read_text("utf-8")
    assert '@font-face{font-family:"Source Sans";font-weight:100 900;font-style:normal;' in static_files.FACE
    assert "@font-face{font-family:Source Sans;font-weight:100 900;font-style:normal;" in styles
    assert "system-ui" in st.get_option("theme.font")


@pytest.mark.parametrize(
    ("path", "how"),
    [
        ("/classifier", {"takes": "br"}),
        ("/classifier", {"method": "HEAD"}),
        ("/_stcore/health", {}),
        ("/static/media/none.woff2", {}),
        ("/static/js/../../index.html", {}),
        ("/nowhere", {}),
        (serving.address("plotly", "LICENSE"), {}),
    ],
)
def test_everything_else_is_answered_by_streamlit(front, path, how):
    assert ask(front, path, **how) == ({}, b"inside")


def test_it_stands_below_the_base_path(monkeypatch):
    monkeypatch.setattr(st, "get_option", lambda name: "lab/" if name == "server.baseUrlPath" else "")
    below = static_files.Delivery(inside, QUESTIONS)
    chart = serving.address("chart", "chart.js")
    assert ask(below, chart)[1] == b"inside"
    assert gzip.decompress(ask(below, f"/lab{chart}")[1]) == (serving.HERE / "assets/chart.js").read_bytes()
    assert f'href=".{chart}"' in html(below, "/lab/classifier")


@pytest.mark.parametrize("base", ["", "/lab"])
@pytest.mark.parametrize("query", ["", "steps=9&pin=~~steps~3&embed=true"])
def test_an_old_address_leads_to_the_new_one_with_its_query(monkeypatch, base, query):
    monkeypatch.setattr(st, "get_option", lambda name: base if name == "server.baseUrlPath" else "")
    moved = static_files.Delivery(inside, QUESTIONS)
    for old, now in links.RENAMED.items():
        for takes in ("gzip", ""):
            headers, _ = ask(moved, f"{base}/{old}", query=query, takes=takes)
            assert headers["location"] == f"{base}/{now}{'?' * bool(query)}{query}"
            assert now in {page.name for page in PAGES}


def traces(bundle: Path) -> set[str]:
    """The types of trace that a bundle of Plotly knows."""
    return set(re.findall(r'moduleType:"trace",name:"(\w+)"', bundle.read_text("utf-8")))


def test_the_bundle_is_of_the_version_of_the_wheel():
    """Else: npm pack plotly.js-basic-dist-min@VERSION, and its two files go to ui/live/plotly."""
    heads = [file.read_text("utf-8")[:200] for file in (serving.PLOTLY, WHEEL)]
    ours, theirs = (re.search(r"plotly\.js .*?v([\d.]+)", head)[1] for head in heads)
    assert ours == theirs
    assert "MIT" in serving.PLOTLY.with_name("LICENSE").read_text("utf-8")


OPENED = [page.name for page in PAGES if page.name != "attack"] + [f"attack {part}" for part in PARTS]


@pytest.mark.parametrize("opened", OPENED)
def test_the_bundle_draws_every_trace(opened):
    topic, _, part = opened.partition(" ")
    page = next(page for page in PAGES if page.name == topic)
    settings = page.settings().change(part=part) if part else page.settings()
    view = page.at(settings).view(compute(settings, seconds=0)[0])
    used = {trace["type"] for picture in view.pictures(*view.boards).values() for trace in picture.figure["data"]}
    assert used
    assert used <= traces(serving.PLOTLY)
    assert {"scatter", "heatmap"} <= traces(WHEEL)
