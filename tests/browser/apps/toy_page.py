"""The toy page, shown as every page of the lab is."""

import streamlit as st

from tests.toy.page import TOY
from ui import widgets
from ui.layout.topic_page import show_page, write_style
from ui.uploads import rows

# The toy has no rows, so that none of them can be missing.
rows.ready = rows.are_available = lambda state: True

st.set_page_config(page_title="Toy", layout="wide")
write_style()
widgets.connection(uploads=300)
show_page(TOY)
