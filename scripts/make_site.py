"""Write the lab as a folder of static files: pages at their defaults, lessons, glossary and papers.

    make site                                       # into site/
    make site LAB_ADDRESS=https://lab.example.edu   # pages also lead to the live lab there

Each file holds everything that it needs, so that any host, course platform or disk can serve the
folder, below any path.
"""

import argparse
import gzip
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from html import escape
from pathlib import Path
from urllib.parse import parse_qsl

from lab import papers
from pages.learn import page_glossary, page_papers
from pages.learn.charts_terms import drawing
from pages.learn.papers import WORKS, Part
from pages.lessons import page as lessons
from pages.lessons import page_recorded
from pages.lessons.lessons import LESSONS
from pages.topics import HOME, PAGES
from ui.export.recording import Recording, page_document
from ui.export.share_dialog import settings_text
from ui.page.page import Page
from ui.server.head_tags import address
from ui.session.page_state import PageState
from ui.text import glossary, markdown
from ui.text.texts import SAYS, Texts

FOLDER = Path("site")
# Where `make docs` writes the description of the Python functions, within the folder.
LIBRARY = "api/index.html"
# Of all files, compressed.
MOST_BYTES = 6_000_000
PAGES_BY_NAME = {page.name: page for page in PAGES}
_LEARN_TEXTS = Texts(page_glossary.__file__)
_MENU = {
    "index.html": "<b>ε</b> Epsilon Lab",
    "lessons.html": "Lessons",
    "glossary.html": "Glossary",
    "works.html": "Papers, checked",
}


def menu(*, has_library: bool) -> str:
    """Return the links at the top of each file (HTML)."""
    titles = dict(_MENU)
    if has_library:
        titles[LIBRARY] = "Python library"
    return "".join(f'<a href="{file}">{title}</a>' for file, title in titles.items())


def site_link(live: str) -> Callable[[str], str]:
    """Return the function that turns an address within the lab into one of the site.

    Args:
        live: Address of the live lab, or "" for none.
    """

    def link(target: str) -> str:
        page, _, query = target.partition("?")
        parameters = dict(parse_qsl(query))
        if page.startswith("http"):
            return target
        if page == "lessons":
            if "lesson" in parameters:
                return f"lesson-{parameters['lesson']}.html"
            return "lessons.html"
        if page == "glossary":
            return f"glossary.html#{parameters.get('term', '')}"
        if live:
            return f"{live}/{target}"
        if page in PAGES_BY_NAME:
            return f"{page}.html"
        return ""

    return link


def files(
    live: str = "", pages: Sequence[Page] = PAGES, *, has_library: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the name and the HTML of each file.

    Args:
        live: Address of the live lab, or "" for none.
        pages: Pages to record besides home.
        has_library: Whether the site has the description of the Python functions.
    """
    above = menu(has_library=has_library)
    link = site_link(live)
    yield "index.html", _landing_page(pages, live, above)
    for page in pages:
        yield f"{page.name}.html", _recording(page, live, above).html()
    yield "lessons.html", _document("Lessons", "lessons", _lessons(), live, above)
    for lesson in LESSONS:
        page = PAGES_BY_NAME[lesson.page]
        html = page_recorded.file(lesson, page, above=above, link=link)
        yield f"lesson-{lesson.name}.html", html
    yield "glossary.html", _document("Glossary", "glossary", _glossary(link), live, above)
    yield "works.html", _document("Papers, checked", "works", _works(live), live, above)


def _document(title: str, page: str, body: str, live: str, above: str) -> str:
    """Return a file that is not a recording, with a link to the page of the live lab."""
    live_page = ""
    if live:
        live_page = f"{live}/{page}"
    return page_document(title, body, above=above, link=live_page)


def _landing_page(pages: Sequence[Page], live: str, above: str) -> str:
    """Return the recorded home page, with two lines over it and the list of pages under it."""
    lines = f"<p>{SAYS['recording.purpose']}<br>{SAYS['recording.about']}</p>"
    recording = _recording(HOME, live, above, introduction=lines, below=_contents(pages))
    return recording.html()


def _recording(
    page: Page, live: str, above: str, *, introduction: str = "", below: str = ""
) -> Recording:
    """Return the recording of a page at its default settings."""
    settings = page.settings()
    state = PageState(page=page.name, settings=settings)
    variant = page.at(settings)
    variant.controls.choices(state)  # Gives the choices their names.
    hero = variant.slider_layout(settings).hero
    live_page = ""
    if live and page.name == "home":
        live_page = f"{live}/"
    elif live:
        live_page = f"{live}/{page.name}"
    return Recording(
        page=page,
        settings=settings,
        settings_text=settings_text(variant, state, without=hero),
        date=date.today().isoformat(),
        link=live_page,
        above=above,
        introduction=introduction,
        below=below,
    )


def _contents(pages: Sequence[Page]) -> str:
    """Return the list of pages by group (HTML)."""
    groups: dict[str, str] = {}
    for page in pages:
        info = page.info
        link = f'<a href="{page.name}.html">{info.title}</a><br><small>{info.about}</small>'
        groups[info.group] = groups.get(info.group, "") + f"<li>{link}</li>"
    sections = "".join(
        f"<section><h2>{group}</h2><ul>{links}</ul></section>" for group, links in groups.items()
    )
    return f"<div class=contents>{sections}</div>"


def _lessons() -> str:
    """Return the list of lessons (HTML)."""
    links = ""
    for lesson in LESSONS:
        title = escape(lesson.text("Title"))
        question = escape(lesson.text("Question"))
        links += (
            f'<li><a href="lesson-{lesson.name}.html">{title}</a><br>'
            f"<small>{question} {lesson.minutes} minutes.</small></li>"
        )
    return f"<h1>{lessons.TITLE}</h1><p>{SAYS['recording.lessons']}</p><ol>{links}</ol>"


def _glossary(link: Callable[[str], str]) -> str:
    """Return all terms with their drawings (HTML)."""
    html = f"<h1>{page_glossary.QUESTION}</h1>"
    for group, terms in glossary.GROUPS.items():
        sections = "".join(_term(key, term, link) for key, term in terms.items())
        html += f"<h2>{group}</h2><div class=contents>{sections}</div>"
    return html


def _term(key: str, term: glossary.Term, link: Callable[[str], str]) -> str:
    """Return a term of the glossary (HTML)."""
    meaning = f"{glossary.meaning(key)} ({papers.named(term.paper)})"
    related = ", ".join(f'<a href="#{name}">{glossary.TERMS[name].name}</a>' for name in term.see)
    if related:
        related = f"<p><small>Related terms: {related}</small></p>"
    return (
        f'<section id="{key}"><h3>{term.name}</h3>{markdown.html(meaning, link)}'
        f"{drawing(key)}{related}</section>"
    )


def _works(live: str) -> str:
    """Return the table of the papers (HTML). Only the live lab can be at their settings."""
    link = site_link(live)
    html = f"<h1>{page_papers.QUESTION}</h1>"
    if live:
        html += markdown.html(_LEARN_TEXTS["works"], link)
    else:
        link = _external_link
    heads = "".join(f"<th>{head}</th>" for head in page_papers.HEADS)
    for key, parts in WORKS.items():
        rows = "".join(f"<tr>{_row(part, link)}</tr>" for part in parts)
        html += (
            f"<h2>{papers.short(key)}</h2>{markdown.html(papers.reference(key), link)}"
            '<div class="lab-scroll lab-sentences" tabindex=0>'
            f"<table class=lab-table><thead><tr>{heads}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div>"
        )
    return html


def _external_link(target: str) -> str:
    """Return the address of a paper, and "" for an address within the lab."""
    if target.startswith("http"):
        return target
    return ""


def _row(part: Part, link: Callable[[str], str]) -> str:
    """Return the cells of a part of a paper (HTML)."""
    page_link = page_papers.link(part, PAGES_BY_NAME)
    texts = (f"**{part.part}**", part.says, part.holds, page_link)
    return "".join(f"<td>{markdown.line(text, link)}</td>" for text in texts)


def run() -> int:
    """Write all files, print their sizes, and return 1 if they are too large together."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    # Streamlit warns of each choice that is made without a browser.
    logging.disable(logging.WARNING)
    folder.mkdir(parents=True, exist_ok=True)
    total_bytes = 0
    has_library = (folder / LIBRARY).exists()
    for name, html in files(address(os.environ), has_library=has_library):
        (folder / name).write_text(html, "utf-8")
        content = html.encode()
        compressed_bytes = len(gzip.compress(content))
        total_bytes += compressed_bytes
        sizes = f"{compressed_bytes / 1000:6.0f} kB gzipped, {len(content) / 1000:6.0f} kB"
        print(f"{name:28} {sizes}", flush=True)
    print(f"{folder}: {total_bytes / 1e6:.2f} MB gzipped, of at most {MOST_BYTES / 1e6:g}")
    return int(total_bytes > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(run())
