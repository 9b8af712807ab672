"""Epsilon Lab: page configuration and the list of pages."""

import streamlit as st

from ui import panels

PAGES = [
    st.Page("app_pages/home.py", title="Home", icon=":material/home:", default=True),
    st.Page("app_pages/classifier.py", title="Classifier", icon=":material/scatter_plot:", url_path="classifier"),
    st.Page("app_pages/network.py", title="Network", icon=":material/hub:", url_path="network"),
    st.Page("app_pages/regression.py", title="Regression", icon=":material/show_chart:", url_path="regression"),
    st.Page("app_pages/mechanisms.py", title="Mechanisms", icon=":material/casino:", url_path="mechanisms"),
    st.Page("app_pages/ledger.py", title="Ledger", icon=":material/receipt_long:", url_path="ledger"),
    st.Page("app_pages/transfer.py", title="Transfer", icon=":material/move_up:", url_path="transfer"),
    st.Page("app_pages/parties.py", title="Parties", icon=":material/groups:", url_path="parties"),
    st.Page("app_pages/hypotheses.py", title="Hypotheses", icon=":material/call_merge:", url_path="hypotheses"),
    st.Page("app_pages/attack.py", title="Attack", icon=":material/my_location:", url_path="attack"),
]

st.set_page_config(page_title="Epsilon Lab", page_icon="ui/icon.svg", layout="wide")
panels.style()
st.navigation(PAGES, position="top").run()
