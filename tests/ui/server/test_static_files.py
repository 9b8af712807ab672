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
from tests.asgi import Answer, ask, inside
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
# Bytes that travel before the first words, without fonts, which are as they are.
MOST_BYTES = 700_000
MOST_BYTES_OF_PLOTLY = 1_500_000
GZIP = {"accept_encoding": "gzip, br"}
STREAMLIT_PAGE = (first_page.STREAMLIT / "index.html").read_text("utf-8")


@pytest.fixture(scope="module")
def front() -> static_files.StaticFiles:
    """Return the middleware in front of an app that answers "inside"."""
    return static_files.StaticFiles(inside, QUESTIONS)


def html(app: static_files.StaticFiles, path: str) -> str:
    """Return the HTML that the app answers with at a path, uncompressed."""
    return gzip.decompress(ask(app, path, **GZIP).body).decode()


@pytest.fixture(scope="module")
def answers(front) -> dict[str, Answer]:
    """Return the answer of each address that the page of the classifier links to."""
    addresses = [address for _, address in LINK.findall(html(front, "/classifier"))]
    return {address: ask(front, address, **GZIP) for address in addresses}


class TestLinkedFiles:
    def test_a_page_links_to_modules_styles_and_the_parts_of_charts(self, front):
        kinds = {address: kind for kind, address in LINK.findall(html(front, "/classifier"))}

        assert {"", "modulepreload", "preload", "stylesheet"} <= set(kinds.values())
        assert any("BidiComponent" in address for address in kinds)
        for name in ("chart", "sliders", "connection"):
            assert assets.address(name, assets.ENTRIES[name]) in kinds

    def test_a_browser_keeps_linked_files_for_good(self, answers):
        for path, answer in answers.items():
            assert answer.headers["content-encoding"] == "gzip", path
            assert "immutable" in answer.headers["cache-control"], path
            assert answer.headers["content-type"].startswith(("text/javascript", "text/css")), path

    def test_a_linked_address_holds_its_file_compressed(self, answers):
        files = assets.files()
        for path, answer in answers.items():
            file = files.get(path, first_page.STREAMLIT / path.removeprefix("/"))
            assert gzip.decompress(answer.body).endswith(file.read_bytes()), path

    def test_linked_files_are_small(self, answers):
        sizes = {address: len(answer.body) for address, answer in answers.items()}

        assert sizes.pop(assets.plotly_address()) < MOST_BYTES_OF_PLOTLY
        assert sum(sizes.values()) < MOST_BYTES, sizes

    def test_home_fetches_the_files_of_charts_in_spare_time(self, front):
        prefetched = [
            address for kind, address in LINK.findall(html(front, "/")) if kind == "prefetch"
        ]

        for name in ("chart", "sliders"):
            assert assets.address(name, assets.ENTRIES[name]) in prefetched
        assert assets.plotly_address() in prefetched

    @pytest.mark.parametrize(
        "directive",
        [
            pytest.param("script-src", id="asked by Chromium"),
            pytest.param("default-src", id="asked by Firefox"),
        ],
    )
    def test_the_content_policy_allows_to_prefetch_linked_files(self, directive):
        assert "'self'" in rules()[directive].split()


class TestFirstPage:
    @pytest.mark.parametrize(
        ("path", "shape"),
        [
            pytest.param("/", "home", id="home"),
            pytest.param("/classifier", "page", id="charts"),
            pytest.param("/data", "text", id="text"),
        ],
    )
    def test_the_first_page_has_the_shape_of_the_page(self, front, path, shape):
        assert f'<main class="lab-first {shape}"><h1>' in html(front, path)

    def test_the_first_page_shows_the_question_and_is_never_cached(self, front):
        assert "<h1>What does &lt;privacy&gt; cost?</h1>" in html(front, "/classifier")
        assert ask(front, "/classifier", **GZIP).headers["cache-control"] == "no-cache"

    def test_the_first_page_has_the_colours_of_the_theme(self):
        styles = first_page.skeleton_rules()

        assert not re.search("LIGHT|INK|FONT|DARK|PALE", styles)
        for mode in ("light", "dark"):
            assert st.get_option(f"theme.{mode}.textColor") in styles

    def test_the_first_page_adds_one_script_to_those_of_streamlit(self, front):
        scripts = re.compile(r"<script.*?</script>", re.DOTALL)
        skeleton = assets.address("connection", "page/skeleton.js")

        *known, added = scripts.findall(html(front, "/classifier"))

        assert known == scripts.findall(STREAMLIT_PAGE)
        assert added == f'<script type="module" async src=".{skeleton}"></script>'

    def test_the_first_page_has_one_root_element(self, front):
        assert html(front, "/classifier").count('id="root"') == 1

    def test_the_first_page_downloads_no_font_and_uses_fonts_of_the_system(self, front):
        styles = next((first_page.STREAMLIT / "static/css").glob("index.*.css"))
        face = "@font-face{font-family:Source Sans;font-weight:100 900;font-style:normal;"

        assert 'as="font"' in STREAMLIT_PAGE
        assert 'as="font"' not in html(front, "/classifier")
        assert face in styles.read_text("utf-8")
        assert face in first_page.FONT_FACE.replace('"', "")


class TestOtherRequests:
    """They are answered by Streamlit."""

    @pytest.mark.parametrize(
        "path",
        [
            pytest.param("/_stcore/health", id="health"),
            pytest.param("/static/media/none.woff2", id="a font"),
            pytest.param("/static/js/../../index.html", id="a path upwards"),
            pytest.param("/nowhere", id="no page"),
            pytest.param(
                assets.plotly_address().replace(assets.PLOTLY.name, "widgetbundle.js"),
                id="another file of Plotly",
            ),
        ],
    )
    def test_streamlit_answers_other_paths(self, front, path):
        assert ask(front, path, **GZIP).body == b"inside"

    @pytest.mark.parametrize(
        "request_options",
        [
            pytest.param({"accept_encoding": "br"}, id="without gzip"),
            pytest.param(GZIP | {"method": "HEAD"}, id="HEAD"),
        ],
    )
    def test_streamlit_answers_other_requests_for_a_page(self, front, request_options):
        assert ask(front, "/classifier", **request_options).body == b"inside"


@pytest.mark.parametrize("base", ["", "lab/"])
class TestBasePath:
    @pytest.fixture
    def below(self, monkeypatch, base) -> static_files.StaticFiles:
        """Return the middleware of an app that is served below a path."""
        options = {"server.baseUrlPath": base}
        monkeypatch.setattr(st, "get_option", lambda name: options.get(name, ""))
        return static_files.StaticFiles(inside, QUESTIONS)

    @pytest.fixture
    def root(self, base) -> str:
        """Return the base path with a slash before it and none after it; "" for none."""
        return f"/{base}".rstrip("/")

    def test_files_stand_below_the_base_path(self, below, base, root):
        chart = assets.address("chart", "charts/board.js")

        body = ask(below, root + chart, **GZIP).body

        assert gzip.decompress(body) == (assets.ASSETS / "charts/board.js").read_bytes()
        assert (ask(below, chart, **GZIP).body == b"inside") == bool(base)
        assert f'href=".{chart}"' in html(below, f"{root}/classifier")

    @pytest.mark.parametrize(
        ("path", "page"),
        [
            ("/classifier/x", "/classifier"),
            ("/classifier/", "/classifier"),
            ("/classifier/x/y?epsilon=2", "/classifier?epsilon=2"),
            ("/foo/bar", "/"),
            ("/foo/bar?epsilon=2", "/?epsilon=2"),
            ("//example.org/x", "/"),
        ],
    )
    def test_a_path_below_a_page_leads_to_the_page(self, below, root, path, page):
        headers = ask(below, f"{root}{path}", accept="text/html,*/*;q=0.8").headers

        assert headers["location"] == f"{root}{page}"

    @pytest.mark.parametrize(
        "path",
        [
            "/",
            "/classifier",
            "/foo",
            "/media/x.html",
            "/component/y/index.html",
            "/_stcore/health",
        ],
    )
    def test_other_paths_lead_nowhere_else(self, below, root, path):
        headers = ask(below, f"{root}{path}", accept="text/html").headers

        assert "location" not in headers

    def test_a_script_below_a_page_leads_nowhere_else(self, below, root):
        headers = ask(below, f"{root}/classifier/x.js", accept="*/*").headers

        assert "location" not in headers

    def test_paths_beside_the_base_path_lead_nowhere_else(self, below, base):
        headers = ask(below, "/other/x/y", accept="text/html").headers

        assert "location" not in headers or not base


class TestHead:
    ADDRESS = "https://lab.example.edu/dp/"

    def test_the_head_has_a_title_and_a_description(self, front):
        page = html(front, "/classifier")
        description = "What does &lt;privacy&gt; cost? Maps and &quot;curves&quot;."

        assert page.count("<title>") == 1
        assert f"<title>{title('Classifier')}</title>" in page
        assert f'<meta name="description" content="{description}">' in page
        assert f'<meta property="og:description" content="{description}">' in page

    def test_without_an_address_there_are_no_previews_and_no_sitemap(self, front):
        assert not re.search("og:image|og:url|canonical", html(front, "/classifier"))
        assert ask(front, "/sitemap.xml").body == b"inside"

    def test_with_an_address_there_are_previews_and_a_sitemap(self, monkeypatch):
        monkeypatch.setenv("LAB_ADDRESS", self.ADDRESS)
        front = static_files.StaticFiles(inside, QUESTIONS)

        page = html(front, "/classifier")
        sitemap = ask(front, "/sitemap.xml").body.decode()

        assert f'<meta property="og:image" content="{self.ADDRESS}preview.png">' in page
        assert f'<link rel="canonical" href="{self.ADDRESS}classifier">' in page
        assert re.findall("<loc>(.*?)</loc>", sitemap) == [
            self.ADDRESS + name for name in QUESTIONS
        ]

    def test_the_picture_has_the_size_of_previews(self, front):
        with Image.open(io.BytesIO(ask(front, "/preview.png").body)) as picture:
            assert picture.size == SIZE

    @pytest.mark.parametrize("value", ["lab.example.edu", "ftp://lab.example.edu", "https://"])
    def test_an_address_that_is_not_absolute_is_refused(self, value):
        with pytest.raises(ValueError, match="LAB_ADDRESS is .* must be an absolute address"):
            address({"LAB_ADDRESS": value})

    def test_each_page_has_a_question_of_its_own(self):
        questions = {head.question for head in HEADS.values()}

        assert len(questions) == len(HEADS)

    @pytest.mark.parametrize("head", HEADS.values(), ids=lambda head: head.title or "home")
    def test_each_page_is_described_by_a_phrase_without_a_full_stop(self, head):
        assert head.about
        assert not head.about.endswith(".")


class TestPlotly:
    def test_plotly_is_the_file_of_the_installed_package(self):
        assert assets.PLOTLY == WHEEL

    def test_the_address_of_plotly_has_its_version(self):
        assert plotly.__version__.replace(".", "_") in assets.plotly_address()

    @pytest.mark.parametrize("path", ["/", "/classifier"])
    def test_plotly_is_not_asked_for_before_the_front_end_has_come(self, front, path):
        plotly_link = rf'<link[^>]*{re.escape(assets.plotly_address())}"[^>]*>'

        (link,) = re.findall(plotly_link, html(front, path))

        assert "data-later=" in link
        assert " rel=" not in link

    def test_plotly_is_compressed_before_it_is_asked_for(self, monkeypatch):
        static_files.compressed.cache_clear()
        asyncio.run(static_files.compress_plotly())
        monkeypatch.setattr(gzip, "compress", None)

        compressed = static_files.compressed(assets.PLOTLY)

        hint, content = gzip.decompress(compressed).split(b"\n", 1)
        assert hint == b"//# allFunctionsCalledOnLoad"
        assert content == WHEEL.read_bytes()


def rules(ancestors: str = "") -> dict[str, str]:
    """Return directive -> sources of the content policy, with these sites that may frame the lab."""
    rules = {}
    for rule in policy({"LAB_FRAME_ANCESTORS": ancestors}).split("; "):
        directive, sources = rule.split(" ", 1)
        rules[directive] = sources
    return rules


class TestContentPolicy:
    def test_files_come_from_the_server_alone(self):
        """Firefox asks ``default-src`` about ``rel="prefetch"``, so other kinds of content need a
        rule of their own.
        """
        found = rules()

        assert found["default-src"] == "'self'"
        assert found["connect-src"] == "'self'"
        assert found["frame-src"] == "'none'"
        assert found["media-src"] == "'none'"
        assert found["object-src"] == "'none'"

    def test_only_scripts_of_the_server_and_with_a_known_hash_run(self):
        assert re.fullmatch(r"'self'( 'sha256-[\w+/]{43}=')+", rules()["script-src"])

    def test_no_rule_allows_other_servers_or_evaluated_code(self):
        for directive, sources in rules().items():
            assert not re.search(r"eval|https?:|\*", sources), directive

    @pytest.mark.parametrize(
        ("given", "allowed"),
        [
            pytest.param("  ", "'self'", id="nobody else"),
            pytest.param(
                "'self' https://lms.example.edu", "'self' https://lms.example.edu", id="a course"
            ),
            pytest.param(
                "https://*.example.edu:8443", "https://*.example.edu:8443", id="all of a school"
            ),
            pytest.param("*", "*", id="everybody"),
        ],
    )
    def test_the_named_sites_may_frame_the_lab(self, given, allowed):
        assert rules(given)["frame-ancestors"] == allowed

    @pytest.mark.parametrize(
        "given",
        [
            pytest.param("*; script-src *", id="another directive"),
            pytest.param("https://a.example, https://b.example", id="commas"),
            pytest.param("a\nb: c", id="another header"),
        ],
    )
    def test_what_are_no_sites_is_refused(self, given):
        with pytest.raises(ValueError, match="LAB_FRAME_ANCESTORS"):
            rules(given)


OPEN_PATHS = ["/", "/_stcore/health"]
# Streamlit counts what visitors do, which is for nobody.
CLOSED_PATHS = ["/_stcore/metrics", "/_stcore/metrics/", "/lab/_stcore/metrics"]


class TestHostFilter:
    @pytest.fixture
    def app(self) -> security_headers.HostFilter:
        """Return the filter in front of an app that answers "inside"."""
        return security_headers.HostFilter(inside)

    @pytest.mark.parametrize("path", OPEN_PATHS + CLOSED_PATHS)
    def test_every_answer_has_the_rules(self, app, path):
        headers = ask(app, path, host="x").headers

        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"] == security_headers.policy()

    @pytest.mark.parametrize("path", OPEN_PATHS)
    def test_other_answers_are_those_of_the_app_inside(self, app, path):
        answer = ask(app, path, host="x")

        assert answer.status == 200
        assert answer.body == b"inside"
        assert answer.headers["cache-control"] == "public"

    @pytest.mark.parametrize("path", CLOSED_PATHS)
    def test_streamlits_metrics_are_closed(self, app, path):
        answer = ask(app, path, host="x")

        assert answer.status == 404
        assert answer.body == b"Not Found"

    @pytest.mark.parametrize(
        "allowed", [[], ["10.1.2.3"], ["LAB.example.org", "x"], ["*.example.org"], ["*.2.3"]]
    )
    @pytest.mark.parametrize("host", ["10.1.2.3", "lab.example.org", "example.org", "localhost"])
    def test_allowed_hosts_are_known_before_a_link_is_shown(self, monkeypatch, allowed, host):
        monkeypatch.setattr(security_headers.st, "get_option", {"server.allowedHosts": allowed}.get)

        answer = ask(security_headers.HostFilter(inside), host=host)

        assert security_headers.answers(host) == (answer.status == 200)
