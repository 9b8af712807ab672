"""The main script: what every page has, and the navigation.

It stands here and not in the root: beside a main script, a folder called `pages/` starts
Streamlit's older mode.
"""

from functools import partial
from pathlib import Path

import streamlit as st

from pages.data import page as data
from pages.home import page as home
from pages.learn import page_choosing, page_deployments, page_glossary, page_papers
from pages.lessons import page as lessons
from pages.topics import HOME, PAGES
from ui import widgets
from ui.layout.topic_page import show_page, write_style
from ui.server import head_tags
from ui.server.upload_limits import limit_mb
from ui.session.page_links import register_pages
from ui.session.page_state import register_visit
from ui.session.widget_state import resend_unsent

# Pages that explain, in the order of their menu: (address, title, icon, what shows it).
LEARN = (
    ("lessons", "Lessons", ":material/school:", partial(lessons.show, PAGES)),
    ("glossary", "Glossary", ":material/dictionary:", page_glossary.show),
    ("works", "Papers, checked", ":material/library_books:", partial(page_papers.show, PAGES)),
    ("deployments", "Releases in use", ":material/public:", page_deployments.show),
    ("choosing", "Choose parameters", ":material/rule:", page_choosing.show),
)

_ICON = Path(__file__).parents[1] / "ui" / "server" / "static" / "icon.svg"
st.set_page_config(page_title=head_tags.title(""), page_icon=_ICON, layout="wide")
write_style()
widgets.connection(uploads=limit_mb())
doors = {
    page.name: st.Page(
        partial(show_page, page), title=page.title, icon=page.icon, url_path=page.name
    )
    for page in PAGES
}
own = st.Page(data.show, title="My data", icon=":material/table:", url_path="data")
texts = {
    name: st.Page(how, title=title, icon=icon, url_path=name) for name, title, icon, how in LEARN
}
beside = {"data": own} | texts
welcome = partial(home.show, HOME, PAGES, doors | beside, show_page)
front = st.Page(welcome, title="Home", icon=":material/home:", default=True)
register_pages(doors | beside)
groups = dict.fromkeys(page.group for page in PAGES)
menus = {group: [doors[page.name] for page in PAGES if page.group == group] for group in groups}
if st.context.is_embedded:  # in somebody else's page: no head of our own
    st.html("<style>[data-testid=stHeader] { display: none } :root { --lab-head: .5rem }</style>")
else:
    st.logo(_ICON.with_name("logo.svg"), size="large")
menus = (
    {"": [front]} | menus | {"Plan": [*menus.get("Plan", ()), own], "Learn": list(texts.values())}
)
here = st.navigation(menus, position="hidden" if st.context.is_embedded else "top")
st.set_page_config(page_title=head_tags.title("" if here is front else here.title))
register_visit(here.url_path)
with resend_unsent():
    here.run()
