"""Epsilon Lab: page configuration and the list of pages."""

import streamlit as st

from ui import panels

PAGES = [
    st.Page("app_pages/home.py", title="Home", icon=":material/home:", default=True),
    st.Page("app_pages/classifier.py", title="Classifier", icon=":material/scatter_plot:", url_path="classifier"),
    st.Page("app_pages/mechanisms.py", title="Mechanisms", icon=":material/casino:", url_path="mechanisms"),
    st.Page("app_pages/ledger.py", title="Ledger", icon=":material/receipt_long:", url_path="ledger"),
]

st.set_page_config(page_title="Epsilon Lab", page_icon="ui/icon.svg", layout="wide")
panels.style()
st.navigation(PAGES, position="top").run()
