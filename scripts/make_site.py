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
from pages.lessons import page_recorded as recorded
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
MOST_BYTES = 6_000_000  # of all files, compressed
_LEARN = Texts(page_glossary.__file__)
_NAMES = {
    "index": "<b>ε</b> Epsilon Lab",
    "lessons": "Lessons",
    "glossary": "Glossary",
    "works": "Papers, checked",
}
_TOP = "".join(f'<a href="{name}.html">{title}</a>' for name, title in _NAMES.items())


def link(at: str) -> Callable[[str], str]:
    """Return how an address within the lab is written in the site; ``at``: where the live lab is,
    or "".
    """

    def written(there: str) -> str:
        page, _, query = there.partition("?")
        asked = dict(parse_qsl(query))
        if page.startswith("http"):
            return there
        if page == "lessons":
            return f"lesson-{asked['lesson']}.html" if asked.get("lesson") else "lessons.html"
        if page == "glossary":
            return f"glossary.html#{asked.get('term', '')}"
        if at:
            return f"{at}/{there}"
        return f"{page}.html" if page in {one.name for one in PAGES} else ""

    return written


def files(at: str = "", pages: Sequence[Page] = PAGES) -> Iterator[tuple[str, str]]:
    """Yield (name of a file, its HTML); pages: those of the lab that are recorded, besides home."""
    yield "index.html", _recorded(HOME, at=at, below=_contents(pages))
    for page in pages:
        yield f"{page.name}.html", _recorded(page, at=at)
    yield (
        "lessons.html",
        page_document("Lessons", _lessons(), above=_TOP, link=at and f"{at}/lessons"),
    )
    named = {page.name: page for page in PAGES}
    for lesson in LESSONS:
        yield (
            f"lesson-{lesson.name}.html",
            recorded.file(lesson, named[lesson.page], above=_TOP, link=link(at)),
        )
    yield (
        "glossary.html",
        page_document("Glossary", _glossary(link(at)), above=_TOP, link=at and f"{at}/glossary"),
    )
    yield (
        "works.html",
        page_document("Papers, checked", _works(at, named), above=_TOP, link=at and f"{at}/works"),
    )


def _recorded(page: Page, *, at: str, below: str = "") -> str:
    settings = page.settings()
    state, here = PageState(page=page.name, settings=settings), page.at(settings)
    here.controls.choices(state)  # so that the choices have their names
    words = settings_text(here, state, without=here.slider_layout(settings).hero)
    where = at and f"{at}/{'' if page.name == 'home' else page.name}"
    one = Recording(
        page=page, settings=settings, settings_text=words, date=date.today().isoformat(), link=where
    )
    return Recording(**{**vars(one), "above": _TOP, "below": below}).html()


def _contents(pages: Sequence[Page]) -> str:
    groups: dict[str, list[str]] = {}
    for page in pages:
        about = (
            f'<a href="{page.name}.html">{page.info.title}</a><br><small>{page.info.about}</small>'
        )
        groups.setdefault(page.info.group, []).append(f"<li>{about}</li>")
    lists = (
        f"<section><h2>{group}</h2><ul>{''.join(links)}</ul></section>"
        for group, links in groups.items()
    )
    return f"<p>{SAYS['recording.about']}</p><div class=contents>{''.join(lists)}</div>"


def _lessons() -> str:
    links = (
        f'<li><a href="lesson-{one.name}.html">{escape(one.text("Title"))}</a><br>'
        f"<small>{escape(one.text('Question'))} {one.minutes} minutes.</small></li>"
        for one in LESSONS
    )
    return f"<h1>{lessons.TITLE}</h1><p>{SAYS['recording.lessons']}</p><ol>{''.join(links)}</ol>"


def _glossary(to: Callable[[str], str]) -> str:
    parts = [f"<h1>{page_glossary.QUESTION}</h1>"]
    for group, terms in glossary.GROUPS.items():
        parts.append(f"<h2>{group}</h2><div class=contents>")
        for key, term in terms.items():
            said = markdown.html(f"{glossary.meaning(key)} ({papers.named(term.paper)})", to)
            others = ", ".join(
                f'<a href="#{other}">{glossary.TERMS[other].name}</a>' for other in term.see
            )
            related = f"<p><small>Related terms: {others}</small></p>" if others else ""
            parts.append(
                f'<section id="{key}"><h3>{term.name}</h3>{said}{drawing(key)}{related}</section>'
            )
        parts.append("</div>")
    return "".join(parts)


def _works(at: str, named: dict[str, Page]) -> str:
    """Return the table of the papers. Only the live lab can be at their settings."""

    def to(there: str) -> str:
        return link(at)(there) if at or there.startswith("http") else ""

    parts = [f"<h1>{page_papers.QUESTION}</h1>{markdown.html(_LEARN['works'], to) if at else ''}"]
    for key, rows in WORKS.items():
        heads = "".join(f"<th>{head}</th>" for head in page_papers.HEADS)
        cells = "".join(f"<tr>{_row(one, to, named)}</tr>" for one in rows)
        table = (
            f"<table class=lab-table><thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table>"
        )
        parts.append(f"<h2>{papers.short(key)}</h2>{markdown.html(papers.reference(key), to)}")
        parts.append(f'<div class="lab-scroll lab-sentences" tabindex=0>{table}</div>')
    return "".join(parts)


def _row(part: Part, to: Callable[[str], str], named: dict[str, Page]) -> str:
    texts = (f"**{part.part}**", part.says, part.holds, page_papers.link(part, named))
    return "".join(f"<td>{markdown.line(text, to)}</td>" for text in texts)


def run() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    logging.disable(logging.WARNING)  # nobody looks on, which Streamlit would say of each choice
    folder.mkdir(parents=True, exist_ok=True)
    whole = 0
    for name, html in files(address(os.environ)):
        (folder / name).write_text(html, "utf-8")
        packed = len(gzip.compress(html.encode()))
        whole += packed
        print(
            f"{name:28} {packed / 1000:6.0f} kB gzipped, {len(html.encode()) / 1000:6.0f} kB",
            flush=True,
        )
    print(f"{folder}: {whole / 1e6:.2f} MB gzipped, of at most {MOST_BYTES / 1e6:g}")
    return whole > MOST_BYTES


if __name__ == "__main__":
    sys.exit(run())
