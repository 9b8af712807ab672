"""The toy page, shown as every page of the lab is."""

import streamlit as st

from tests.toy.page import TOY
from ui import widgets
from ui.layout.topic_page import show, style

st.set_page_config(page_title="Toy", layout="wide")
style()
widgets.connection(uploads=300)
show(TOY)
