"""The lab as static files: all links lead somewhere, below any path, and a lesson covers what it asks for."""

import gzip
import json
import re
from html import unescape
from urllib.parse import urlsplit

import pytest

from pages.lessons.lessons import LESSONS
from pages.table import PAGES
from scripts import make_site
from tests.handouts import stands_alone
from ui import glossary, markdown
from ui.plot import theme
from ui.recording import unfolded

AT = "https://lab.example.edu/lab"
# Pages that are recorded quickly.
QUICK = [page for page in PAGES if page.name in ("classifier", "mechanisms")]


@pytest.fixture(scope="module", params=["", AT], ids=["alone", "beside the lab"])
def site(request):
    """(address of the live lab, name of a file -> its HTML)"""
    return request.param, dict(make_site.files(request.param, pages=QUICK))


def leads_somewhere(files: dict[str, str], at: str) -> None:
    missing = {f"{page.name}.html" for page in PAGES} - files.keys()
    for name, html in files.items():
        for href in map(unescape, re.findall(r'<a [^>]*href="([^"]*)"', html)):
            there = urlsplit(href)
            if there.scheme:
                assert href.startswith((AT, "https://arxiv.org/", "https://doi.org/")), (name, href)
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


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one.name)
def test_a_lesson_covers_its_chart_until_the_guess_and_then_names_it(site, lesson):
    html = site[1][f"lesson-{lesson.name}.html"]
    taken = json.loads(re.search(r'<script type="application/json" id=recording>(.*?)</script>', html, re.DOTALL)[1])
    assert len(taken["values"]) >= 3
    for stop, value in enumerate(taken["values"]):
        frame = unfolded(taken["frames"], stop)
        assert [trace["fillpattern"]["shape"] for trace in frame["covered"]["data"]] == ["/"]
        assert len(frame["reveal"]["data"]) + len(frame["reveal"]["layout"]["shapes"]) > 2
        said = lesson.options("Guess")[value] if lesson.number is None else theme.number(value)
        assert said in frame["heading"] or frame["heading"].startswith("You were right")
    assert 0 <= taken["visible"] < len(lesson.options("Observe"))
    assert len(set(taken["seen"])) == 2  # of a right observation, and of a wrong one


def test_glossary_and_papers_are_whole_and_markdown_is_escaped_with_its_formulas(site):
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
    files = dict(make_site.files(AT))
    leads_somewhere(files, AT)
    assert {f"{page.name}.html" for page in PAGES} < files.keys()
    assert sum(len(gzip.compress(html.encode())) for html in files.values()) < make_site.MOST_BYTES
