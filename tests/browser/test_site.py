"""The whole site as a host serves it, with the description of the Python functions."""

import re
import subprocess
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from html5lib import HTMLParser

from tests.browser.conftest import ROOT, hosted
from tests.browser.sight import AXE, RUN

pytestmark = pytest.mark.soak
LINK = re.compile(r'<(?:a|link|img)\b[^>]*?\s(?:href|src)="([^"]*)"')
ANCHOR = re.compile(r'\sid="?([^"\s>]+)')
PREVIEW = ("description", "og:title", "og:description", "og:image")


@pytest.fixture(scope="module")
def site() -> Path:
    """Return the folder of the site, made by the commands that publish it."""
    subprocess.run(["make", "docs", "site"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return ROOT / "site"


def pages_of(site: Path, pattern: str = "**/*.html") -> dict[str, str]:
    """Return the HTML of each file of the site by its path."""
    files = sorted(site.glob(pattern))
    return {file.relative_to(site).as_posix(): file.read_text("utf-8") for file in files}


def without_scripts(html: str) -> str:
    """Return HTML without its script elements."""
    return re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)


def test_every_file_is_valid_html_with_a_title_and_a_preview(site):
    for name, html in pages_of(site).items():
        head = html.partition("</head>")[0]
        tags = re.findall(r'<meta (?:name|property)="([\w:]+)" content="[^"]+"', head)

        HTMLParser(strict=True).parse(html)
        assert len(re.findall(r"<title>[^<]+</title>", head)) == 1, name
        assert [tags.count(tag) for tag in PREVIEW] == [1] * len(PREVIEW), name


def test_every_link_within_the_site_leads_to_a_file_and_an_anchor(site):
    pages = pages_of(site)
    anchors = {name: set(map(unescape, ANCHOR.findall(html))) for name, html in pages.items()}
    broken = []
    for name, html in pages.items():
        for target in map(unescape, LINK.findall(without_scripts(html))):
            address = urlsplit(target)
            if address.scheme:
                continue
            file = site / name
            if address.path:
                file = file.parent / unquote(address.path)
            found = anchors.get(file.resolve().relative_to(site).as_posix(), set())
            is_anchor = not address.fragment or unquote(address.fragment) in found
            if not file.is_file() or not is_anchor:
                broken.append((name, target))

    assert broken == []


@pytest.mark.parametrize(
    ("pattern", "color_scheme"),
    [("*.html", "light"), ("*.html", "dark"), ("api/**/*.html", "light")],
)
def test_no_file_breaks_a_rule_of_axe(site, visitor, pattern, color_scheme):
    page = visitor("about:blank", color_scheme=color_scheme)
    broken = {}
    with hosted(site) as port:
        for name in pages_of(site, pattern):
            page.goto(f"http://127.0.0.1:{port}/{name}")
            page.evaluate(AXE)
            broken[name] = page.evaluate(RUN)
        page.goto("about:blank")

    assert {name: rules for name, rules in broken.items() if rules} == {}
