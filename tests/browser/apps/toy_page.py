"""The toy page, shown as every page of the lab is."""

import streamlit as st

from tests.toy.page import TOY
from ui import live
from ui.show import show, style

st.set_page_config(page_title="Toy", layout="wide")
style()
live.connection(uploads=300)
show(TOY)
