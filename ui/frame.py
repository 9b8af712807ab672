"""The main script: what every page has, and the navigation.

It stands here and not in the root: beside a main script, a folder called `pages/` starts Streamlit's older mode.
"""

from functools import partial
from pathlib import Path

import streamlit as st

from pages import data, home
from pages.lessons import page as lessons
from pages.table import PAGES
from ui import live
from ui.doors import remember
from ui.show import show, style

st.set_page_config(page_title="Epsilon Lab", page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
style()
live.connection()
doors = {
    page.name: st.Page(partial(show, page), title=page.title, icon=page.icon, url_path=page.name) for page in PAGES
}
taught = st.Page(partial(lessons.show, PAGES), title="Lessons", icon=":material/school:", url_path="lessons")
own = st.Page(data.show, title="My data", icon=":material/table:", url_path="data")
beside = {"data": own, "lessons": taught}
welcome = partial(home.show, home.front(PAGES), PAGES, doors | beside, show)
front = st.Page(welcome, title="Home", icon=":material/home:", default=True)
remember(doors | beside)
groups = dict.fromkeys(page.group for page in PAGES)
menus = {group: [doors[page.name] for page in PAGES if page.group == group] for group in groups}
if st.context.is_embedded:  # in somebody else's page: no head of our own
    st.html("<style>[data-testid=stHeader] { display: none } :root { --lab-head: .5rem }</style>")
else:
    st.logo(Path(__file__).with_name("icon.svg"), size="large")
menus = {"": [front, taught]} | menus | {"Decide": [*menus.get("Decide", ()), own]}
st.navigation(menus, position="hidden" if st.context.is_embedded else "top").run()
