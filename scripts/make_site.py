"""Write the lab as a folder of static files: pages at their defaults, lessons, glossary and papers.

    make site                                       # into site/
    make site LAB_ADDRESS=https://lab.example.edu   # pages also lead to the live lab there
    make site ARGS="--address https://site.example.edu --source https://code.example.edu/lab"

Each file holds everything that it needs, so that any host, course platform or disk can serve the
folder, below any path. Chats show a preview with a picture only if they know the absolute address
of the site. The landing page links to the source code.
"""

import argparse
import gzip
import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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
from pages.topics import HEADS, HOME, PAGES
from ui.export.recording import Recording, page_document
from ui.export.share_dialog import settings_text
from ui.page.page import Page
from ui.server import head_tags
from ui.session.page_state import PageState
from ui.text import glossary, markdown
from ui.text.texts import SAYS, Texts

FOLDER = Path("site")
# Where `make docs` writes the description of the Python functions, within the folder.
LIBRARY = "api/index.html"
# Of all files in the folder, compressed.
MOST_BYTES = 6_000_000
PAGES_BY_NAME = {page.name: page for page in PAGES}
_LEARN_TEXTS = Texts(page_glossary.__file__)
_FIRST_FILE = "index.html"
_MENU = {
    _FIRST_FILE: "<b>ε</b> Epsilon Lab",
    "lessons.html": "Lessons",
    "glossary.html": "Glossary",
    "works.html": "Papers, checked",
}


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """Where the site and what belongs to it can be reached; "" where that is not known.

    Attributes:
        live: The live lab.
        site: The site itself.
        source: The source code.
    """

    live: str = ""
    site: str = ""
    source: str = ""

    def live_page(self, page: str) -> str:
        """Return the address of a page of the live lab; "" if there is none."""
        if not self.live:
            return ""
        return f"{self.live}/{page}"

    def preview(self, file: str, title: str, description: str) -> str:
        """Return the tags (HTML) of the preview of a file."""
        title = head_tags.title(title)
        if not self.site:
            picture = head_tags.PREVIEW
            return head_tags.preview_tags(title, description, url="", picture=picture)
        url = f"{self.site}/{file}"
        picture = f"{self.site}/{head_tags.PREVIEW}"
        return head_tags.preview_tags(title, description, url=url, picture=picture)

    def preview_of_page(self, file: str, page: str) -> str:
        """Return the tags (HTML) of the preview of a file that shows a page of the lab."""
        head = HEADS[page]
        return self.preview(file, head.title, head_tags.description(head))


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
    addresses: Addresses, pages: Sequence[Page] = PAGES, *, has_library: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the name and the HTML of each file.

    Args:
        addresses: Addresses of the site, the live lab and the source code.
        pages: Pages to record besides home.
        has_library: Whether the site has the description of the Python functions.
    """
    above = menu(has_library=has_library)
    link = site_link(addresses.live)
    yield _FIRST_FILE, _landing_page(pages, addresses, above)
    for page in pages:
        yield f"{page.name}.html", _recording(page, addresses, above).html()
    yield "lessons.html", _document("Lessons", "lessons", _lessons(), addresses, above)
    for lesson in LESSONS:
        page = PAGES_BY_NAME[lesson.page]
        name = f"lesson-{lesson.name}.html"
        head = addresses.preview(name, lesson.text("Title"), lesson.text("Question"))
        yield name, page_recorded.file(lesson, page, above=above, link=link, head=head)
    yield "glossary.html", _document("Glossary", "glossary", _glossary(link), addresses, above)
    works = _works(addresses.live)
    yield "works.html", _document("Papers, checked", "works", works, addresses, above)


def _document(title: str, page: str, body: str, addresses: Addresses, above: str) -> str:
    """Return a file that is not a recording, with a link to the page of the live lab."""
    return page_document(
        title,
        body,
        above=above,
        link=addresses.live_page(page),
        head=addresses.preview_of_page(f"{page}.html", page),
    )


def _landing_page(pages: Sequence[Page], addresses: Addresses, above: str) -> str:
    """Return the recorded home page, with two lines over it and the list of pages under it."""
    source = "source code"
    if addresses.source:
        source = f'<a href="{escape(addresses.source)}">{source}</a>'
    whole = SAYS("recording.whole", source=source)
    lines = f"<p>{SAYS['recording.purpose']}</p><p>{whole}</p>"
    recording = _recording(HOME, addresses, above, introduction=lines, below=_contents(pages))
    return recording.html()


def _recording(
    page: Page, addresses: Addresses, above: str, *, introduction: str = "", below: str = ""
) -> Recording:
    """Return the recording of a page at its default settings."""
    settings = page.settings()
    state = PageState(page=page.name, settings=settings)
    variant = page.at(settings)
    variant.controls.choices(state)  # Gives the choices their names.
    hero = variant.slider_layout(settings).hero
    if page.name == HOME.name:
        path = ""
        file = _FIRST_FILE
    else:
        path = page.name
        file = f"{page.name}.html"
    return Recording(
        page=page,
        settings=settings,
        settings_text=settings_text(variant, state, without=hero),
        date=date.today().isoformat(),
        link=addresses.live_page(path),
        above=above,
        introduction=introduction,
        below=below,
        head=addresses.preview_of_page(file, path),
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
    meaning = f"{term.says} ({papers.named(term.paper)})"
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


def parse_arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--address", default="", help="absolute address of the site")
    parser.add_argument("--source", default="", help="address of the source code")
    return parser.parse_args()


def run() -> int:
    """Write all files, print their sizes, and return 1 if they are too large together."""
    arguments = parse_arguments()
    folder = arguments.folder
    addresses = Addresses(
        live=head_tags.address(os.environ),
        site=arguments.address.rstrip("/"),
        source=arguments.source,
    )
    # Streamlit warns of each choice that is made without a browser.
    logging.disable(logging.WARNING)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(head_tags.PICTURE, folder / head_tags.PREVIEW)
    has_library = (folder / LIBRARY).exists()
    for name, html in files(addresses, has_library=has_library):
        (folder / name).write_text(html, "utf-8")
        print(name, flush=True)
    total_bytes = 0
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            total_bytes += len(gzip.compress(path.read_bytes()))
    print(f"{folder}: {total_bytes / 1e6:.2f} MB gzipped, of at most {MOST_BYTES / 1e6:g}")
    return int(total_bytes > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(run())
