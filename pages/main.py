"""The main script: what every page has, and the navigation.

It stands here and not in the root: beside a main script, a folder called `pages/` starts
Streamlit's older mode.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

import streamlit as st

from pages.data import page as data
from pages.home import page as home
from pages.learn import page_choosing, page_deployments, page_glossary, page_papers
from pages.lessons import page as lessons
from pages.topics import MENU, OTHER_PAGES, PAGES
from ui import widgets
from ui.layout.topic_page import show_page, write_style
from ui.server import head_tags
from ui.server.upload_limits import limit_mb
from ui.session.page_links import register_pages
from ui.session.page_state import register_visit
from ui.session.widget_state import resend_unsent

# Name of a page without an experiment -> function that shows it.
SHOW_OTHER: Mapping[str, Callable[[], None]] = {
    "data": data.show,
    "lessons": partial(lessons.show, PAGES),
    "glossary": page_glossary.show,
    "works": partial(page_papers.show, PAGES),
    "deployments": page_deployments.show,
    "choosing": page_choosing.show,
}
_ICON = Path(__file__).parents[1] / "ui" / "server" / "static" / "icon.svg"

st.set_page_config(page_title=head_tags.title(""), page_icon=_ICON, layout="wide")
write_style()
widgets.connection(uploads=limit_mb())
pages = {}
for topic in PAGES:
    pages[topic.name] = st.Page(
        partial(show_page, topic), title=topic.info.title, icon=topic.info.icon, url_path=topic.name
    )
for other in OTHER_PAGES:
    pages[other.name] = st.Page(
        SHOW_OTHER[other.name], title=other.title, icon=other.icon, url_path=other.name
    )
show_home = partial(home.show, MENU, pages, show_page)
front = st.Page(show_home, title="Home", icon=":material/home:", default=True)
register_pages(pages)
menu = {"": [front]}
for group, group_pages in MENU.items():
    menu[group] = [pages[page.name] for page in group_pages]
position: Literal["top", "hidden"] = "top"
if st.context.is_embedded:
    # In somebody else's page the lab has no head of its own.
    st.html("<style>[data-testid=stHeader] { display: none } :root { --lab-head: .5rem }</style>")
    position = "hidden"
else:
    st.logo(_ICON.with_name("logo.svg"), size="large")
current_page = st.navigation(menu, position=position)
title = current_page.title
if current_page is front:
    title = ""
st.set_page_config(page_title=head_tags.title(title))
register_visit(current_page.url_path)
with resend_unsent():
    current_page.run()
