"""What a browser gets first: small, early, kept for good, of the right version, and under which
rules.
"""

import asyncio
import gzip
import io
import re
from pathlib import Path

import plotly
import pytest
import streamlit as st
from PIL import Image

from pages.topics import HEADS
from tests.asgi import ask, inside
from ui.server import first_page, security_headers, static_files
from ui.server.head_tags import SIZE, Head, address, title
from ui.server.security_headers import policy
from ui.widgets import assets

QUESTIONS = {
    "": Head("", "What & why?", "Seen at once"),
    "classifier": Head("Classifier", "What does <privacy> cost?", 'Maps and "curves"'),
    "data": Head("My data", "Whose data?", "Rows of your own", charts=False),
}
WHEEL = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
LINK = re.compile(
    r"<(?:link"
    r' (?:rel|data-later)="(modulepreload|prefetch|preload|stylesheet)"|script)[^>]*(?:href|src)="\.(/[^"]+)"'
)
# Kilobytes (of 1,000 bytes) that travel before the first words, fonts left out, which are as they
# are; and plotly.js.
MOST, PLOTLY_MOST = 700, 1500
GZIP = {"accept_encoding": "gzip, br"}


@pytest.fixture(scope="module")
def front() -> static_files.StaticFiles:
    return static_files.StaticFiles(inside, QUESTIONS)


def html(app: static_files.StaticFiles, path: str) -> str:
    return gzip.decompress(ask(app, path, **GZIP)[2]).decode()


def test_all_that_a_page_needs_is_small_and_kept_for_good(front):
    found = dict(reversed(link) for link in LINK.findall(html(front, "/classifier")))
    assert {"", "modulepreload", "preload", "stylesheet"} <= set(found.values())
    assert any("BidiComponent" in path for path in found)
    assert {
        assets.address(name, assets.ENTRIES[name]) for name in ("chart", "sliders", "connection")
    } <= found.keys()
    sizes = {}
    for path in found:
        _, headers, body = ask(front, path, **GZIP)
        sizes[path] = len(body)
        assert headers["content-encoding"] == "gzip"
        assert "immutable" in headers["cache-control"]
        assert headers["content-type"].startswith(("text/javascript", "text/css"))
        there = assets.files().get(path, first_page.STREAMLIT / path.removeprefix("/"))
        assert gzip.decompress(body).endswith(there.read_bytes())
    assert sizes.pop(assets.plotly_address()) < 1000 * PLOTLY_MOST
    assert sum(sizes.values()) < 1000 * MOST, sizes


def test_page_shows_its_question_and_its_shape_until_the_app_is_there(front):
    for path, shape in (("/", "home"), ("/classifier", "page"), ("/data", "text")):
        assert f'<main class="lab-first {shape}"><h1>' in html(front, path)
    styles = first_page.skeleton_rules()
    assert not re.search("LIGHT|INK|FONT|DARK|PALE", styles)
    assert all(st.get_option(f"theme.{look}.textColor") in styles for look in ("light", "dark"))
    ours, theirs = (
        html(front, "/classifier"),
        (first_page.STREAMLIT / "index.html").read_text("utf-8"),
    )
    assert "<h1>What does &lt;privacy&gt; cost?</h1>" in ours
    assert ask(front, "/classifier", **GZIP)[1]["cache-control"] == "no-cache"
    scripts = re.compile(r"<script.*?</script>", re.DOTALL)
    *known, added = scripts.findall(ours)
    assert known == scripts.findall(theirs)
    assert (
        added == '<script type="module" async'
        f' src=".{assets.address("connection", "page/skeleton.js")}"></script>'
    )
    assert ours.count('id="root"') == 1
    assert ('as="font"' in theirs, 'as="font"' in ours) == (True, False)
    styles = next((first_page.STREAMLIT / "static/css").glob("index.*.css")).read_text("utf-8")
    face = "@font-face{font-family:Source Sans;font-weight:100 900;font-style:normal;"
    assert face in styles
    assert face in first_page.FONT_FACE.replace('"', "")


def test_home_fetches_ahead_under_a_directive_that_allows_it(front):
    """Chromium asks ``script-src`` about a prefetched script, Firefox ``default-src``."""
    ahead = {path for kind, path in LINK.findall(html(front, "/")) if kind == "prefetch"}
    assert {assets.address(name, assets.ENTRIES[name]) for name in ("chart", "sliders")} <= ahead
    assert assets.plotly_address() in ahead
    assert all("'self'" in rules()[name].split() for name in ("default-src", "script-src"))


def test_everything_else_is_answered_by_streamlit(front):
    others = [
        "/_stcore/health",
        "/static/media/none.woff2",
        "/static/js/../../index.html",
        "/nowhere",
    ]
    for path in (*others, assets.plotly_address().replace(assets.PLOTLY.name, "widgetbundle.js")):
        assert ask(front, path, **GZIP)[2] == b"inside"
    for how in ({"accept_encoding": "br"}, GZIP | {"method": "HEAD"}):
        assert ask(front, "/classifier", **how)[2] == b"inside"


@pytest.mark.parametrize("base", ["", "lab/"])
def test_files_and_redirects_stand_below_the_base_path(monkeypatch, base):
    monkeypatch.setattr(st, "get_option", lambda name: base if name == "server.baseUrlPath" else "")
    below, root = static_files.StaticFiles(inside, QUESTIONS), f"/{base}".rstrip("/")
    chart = assets.address("chart", "charts/board.js")
    assert (
        gzip.decompress(ask(below, root + chart, **GZIP)[2])
        == (assets.ASSETS / "charts/board.js").read_bytes()
    )
    assert (ask(below, chart, **GZIP)[2] == b"inside") == bool(base)
    assert f'href=".{chart}"' in html(below, f"{root}/classifier")
    for asked, leads_to in (
        ("/classifier/x", "/classifier"),
        ("/classifier/", "/classifier"),
        ("/classifier/x/y?epsilon=2", "/classifier?epsilon=2"),
        ("/foo/bar", "/"),
        ("/foo/bar?epsilon=2", "/?epsilon=2"),
        ("//example.org/x", "/"),
    ):
        headers = ask(below, f"{root}{asked}", accept="text/html,*/*;q=0.8")[1]
        assert headers["location"] == f"{root}{leads_to}", asked
    for path in (
        "/",
        "/classifier",
        "/foo",
        "/media/x.html",
        "/component/y/index.html",
        "/_stcore/health",
    ):
        assert "location" not in ask(below, f"{root}{path}", accept="text/html")[1], path
    assert "location" not in ask(below, f"{root}/classifier/x.js", accept="*/*")[1]
    assert "location" not in ask(below, "/other/x/y", accept="text/html")[1] or not base


def test_page_has_title_and_description_and_with_an_address_previews(front, monkeypatch):
    page = html(front, "/classifier")
    assert page.count("<title>") == page.count(f"<title>{title('Classifier')}</title>") == 1
    for name in ('name="description"', 'property="og:description"'):
        said = "What does &lt;privacy&gt; cost? Maps and &quot;curves&quot;."
        assert f'<meta {name} content="{said}">' in page
    assert not re.search("og:image|og:url|canonical", page)
    assert ask(front, "/sitemap.xml")[2] == b"inside"
    there = "https://lab.example.edu/dp/"
    monkeypatch.setenv("LAB_ADDRESS", there)
    front = static_files.StaticFiles(inside, QUESTIONS)
    page = html(front, "/classifier")
    assert f'<meta property="og:image" content="{there}preview.png">' in page
    assert f'<link rel="canonical" href="{there}classifier">' in page
    places = re.findall("<loc>(.*?)</loc>", ask(front, "/sitemap.xml")[2].decode())
    assert places == [there + page for page in QUESTIONS]
    with Image.open(io.BytesIO(ask(front, "/preview.png")[2])) as picture:
        assert picture.size == SIZE
    for wrong in ("lab.example.edu", "ftp://lab.example.edu", "https://"):
        with pytest.raises(ValueError, match="LAB_ADDRESS is .* must be an absolute address"):
            address({"LAB_ADDRESS": wrong})
    assert len({head.question for head in HEADS.values()}) == len(HEADS)
    assert all(head.about and not head.about.endswith(".") for head in HEADS.values())


def test_plotly_is_the_file_of_the_installed_package_at_an_address_with_its_version():
    assert assets.PLOTLY == WHEEL
    assert plotly.__version__.replace(".", "_") in assets.plotly_address()


def test_plotly_is_not_asked_for_before_the_front_end_has_come(front):
    for path in ("/", "/classifier"):
        (link,) = re.findall(
            rf'<link[^>]*{re.escape(assets.plotly_address())}"[^>]*>', html(front, path)
        )
        assert "data-later=" in link
        assert " rel=" not in link


def test_plotly_is_compressed_before_it_is_asked_for(monkeypatch):
    static_files.compressed.cache_clear()
    asyncio.run(static_files.compress_plotly())
    monkeypatch.setattr(gzip, "compress", None)
    hint, content = gzip.decompress(static_files.compressed(assets.PLOTLY)).split(b"\n", 1)
    assert hint == b"//# allFunctionsCalledOnLoad"
    assert content == WHEEL.read_bytes()


def rules(ancestors: str = "") -> dict[str, str]:
    return dict(
        rule.split(" ", 1) for rule in policy({"LAB_FRAME_ANCESTORS": ancestors}).split("; ")
    )


def test_policy_allows_only_files_of_the_server_and_origins_to_frame_the_lab():
    """Firefox asks ``default-src`` about ``rel="prefetch"``, so other kinds of content need a rule
    of their own.
    """
    found = rules()
    assert found["default-src"] == found["connect-src"] == "'self'"
    assert {found[name] for name in ("frame-src", "media-src", "object-src")} == {"'none'"}
    assert re.fullmatch(r"'self'( 'sha256-[\w+/]{43}=')+", found["script-src"])
    assert not [sources for sources in found.values() if re.search(r"eval|https?:|\*", sources)]
    assert rules("  ")["frame-ancestors"] == "'self'"
    for given in ("'self' https://lms.example.edu", "https://*.example.edu:8443", "*"):
        assert rules(given)["frame-ancestors"] == given
    for wrong in ("*; script-src *", "https://a.example, https://b.example", "a\nb: c"):
        with pytest.raises(ValueError, match="LAB_FRAME_ANCESTORS"):
            rules(wrong)


def test_every_answer_has_the_rules_and_streamlit_metrics_are_closed():
    closed = ["/_stcore/metrics", "/_stcore/metrics/", "/lab/_stcore/metrics"]
    for path in ("/", "/_stcore/health", *closed):
        status, headers, body = ask(security_headers.HostFilter(inside), path, host="x")
        assert (status, body) == ((404, b"Not Found") if path in closed else (200, b"inside"))
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"] == security_headers.policy()
        assert path in closed or headers["cache-control"] == "public"


@pytest.mark.parametrize(
    "allowed", [[], ["10.1.2.3"], ["LAB.example.org", "x"], ["*.example.org"], ["*.2.3"]]
)
@pytest.mark.parametrize("host", ["10.1.2.3", "lab.example.org", "example.org", "localhost"])
def test_allowed_hosts_are_known_before_a_link_is_shown(monkeypatch, allowed, host):
    monkeypatch.setattr(security_headers.st, "get_option", {"server.allowedHosts": allowed}.get)
    assert security_headers.answers(host) == (
        ask(security_headers.HostFilter(inside), host=host)[0] == 200
    )
